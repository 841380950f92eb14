//! Fabrics over providers that work on one machine. Each test program uses a part of this module.
#![allow(dead_code, reason = "compiled into each test program")]

use ferrite_fabric::{Fabric, Pe, Progress};
use ferrite_ofi::{Options, survey};
use std::path::PathBuf;

/// A provider, and its domain that reaches this machine. Several domains are separated by commas, and PEs take them in turn.
pub type Way = (&'static str, Option<&'static str>);

pub const TCP: Way = ("tcp", Some("lo"));
pub const SHM: Way = ("shm", None);
pub const UDP: Way = ("udp;ofi_rxd", Some("lo"));

/// Another library than the installed one, from `FERRITE_LIBFABRIC`.
pub fn library() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the one variable of these tests")]
    std::env::var_os("FERRITE_LIBFABRIC").map(PathBuf::from)
}

/// The provider of `FERRITE_TEST_PROVIDER`, whose devices few machines have, with the domains of `FERRITE_TEST_DOMAINS`. It must be usable.
/// If the variable is not set, prints that the tests are skipped.
pub fn named() -> Option<Way> {
    #[expect(clippy::disallowed_methods, reason = "variables of these tests")]
    let variable = |name| std::env::var(name).ok().map(|value| &*value.leak());
    let Some(provider) = variable("FERRITE_TEST_PROVIDER") else {
        println!("skipped: FERRITE_TEST_PROVIDER names no provider");
        return None;
    };
    let way = (provider, variable("FERRITE_TEST_DOMAINS"));
    assert!(has(way), "{way:?} is not there");
    Some(way)
}

pub fn options(me: Pe, size: u32, (provider, domains): Way) -> Options {
    let domain = domains.and_then(|domains| domains.split(',').cycle().nth(me.0 as usize));
    Options {
        provider: Some(provider.to_owned()),
        domain: domain.map(str::to_owned),
        // Choose by network, because the interface has a network of each family.
        fabric: domain.filter(|domain| *domain == "lo").map(|_| "127.0.0.1/32".to_owned()),
        library: library(),
        progress: Progress::default(),
        // Alternate: if PEs have cores of their own, no queue of a lane wakes a thread. PE 0 is crowded, because it prints what is skipped.
        crowded: me.0.is_multiple_of(2),
        ..Options::new(me, size, 0x5eed)
    }
}

pub fn make(way: Way) -> impl Fn(Pe, u32) -> Box<dyn Fabric> + Sync {
    move |me, size| ferrite_ofi::open(options(me, size, way)).unwrap()
}

/// Whether the provider is usable. Prints the reason if it is not.
pub fn has(way: Way) -> bool {
    match survey(&options(Pe(0), 1, way)) {
        Ok(survey) if survey.candidates.iter().any(|c| c.verdict == ferrite_ofi::Verdict::Chosen) => true,
        Ok(_) => {
            println!("skipped: this libfabric has no {}", way.0);
            false
        }
        Err(error) if library().is_none() => {
            println!("skipped: {error}");
            false
        }
        Err(error) => panic!("{error}"),
    }
}
