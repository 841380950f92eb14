//! Fabrics over providers that work on one machine. Each test program uses its part of this.
#![allow(dead_code, reason = "compiled into each test program")]

use ferrite_fabric::{Fabric, Pe, Progress};
use ferrite_ofi::{Options, survey};
use std::path::PathBuf;

/// A provider and a domain of it that reaches this machine; of several domains, with commas between, PEs take each in turn.
pub type Way = (&'static str, Option<&'static str>);

pub const TCP: Way = ("tcp", Some("lo"));
pub const SHM: Way = ("shm", None);
pub const UDP: Way = ("udp;ofi_rxd", Some("lo"));

/// `FERRITE_LIBFABRIC` names another library than the installed one.
pub fn library() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "the one variable of these tests")]
    std::env::var_os("FERRITE_LIBFABRIC").map(PathBuf::from)
}

/// What `FERRITE_TEST_PROVIDER` names, a provider of devices that few machines have, by the domains in `FERRITE_TEST_DOMAINS`.
/// It has to be there; without a name says that nothing runs.
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
        // By its network, for the interface has one of each family.
        fabric: domain.filter(|domain| *domain == "lo").map(|_| "127.0.0.1/32".to_owned()),
        library: library(),
        progress: Progress::default(),
        // Some of each: where PEs have cores of their own no queue of a lane wakes anybody. PE 0 is the one that says what was skipped.
        crowded: me.0.is_multiple_of(2),
        ..Options::new(me, size, 0x5eed)
    }
}

pub fn make(way: Way) -> impl Fn(Pe, u32) -> Box<dyn Fabric> + Sync {
    move |me, size| ferrite_ofi::open(options(me, size, way)).unwrap()
}

/// Whether the provider is there; prints why not.
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
