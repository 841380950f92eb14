//! Programs that close descriptors which are not their own. The job ends with a message that gives this reason, and files that the program
//! has opened under the same numbers are left as they are.

mod support;

use std::fs;
use std::path::Path;
use std::process::Command;
use support::LIMIT;
use support::job::{Job, command};
use support::prefix::Prefix;
use support::program::{self, Launch};

/// `is_harmless` is true for bytes that a party other than Ferrite may write to the file.
fn ends_with_the_reason(transport: &[(&str, &str)], is_harmless: fn(&[u8]) -> bool) {
    let _turn = support::turn();
    let closer = program::plain(&support::sources().join("closer.c"), "closer");
    for then in ["put", "first", "wait", "compute", "finalize"] {
        let directory = support::scratch("closer").join(format!("{}-{}-{then}", std::process::id(), transport[0].1));
        // An earlier process of this number may have left one.
        let _ = fs::remove_dir_all(&directory);
        fs::create_dir_all(&directory).expect("a directory of the test's own");
        let mut command = command(Prefix::get(), &closer, Launch::Pes(2));
        command.arg(&directory).arg(then);
        let variables: Vec<_> =
            transport.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let outcome = Job::start(command, &variables).finish(LIMIT);
        assert_eq!(outcome.code(), Some(70), "{}", outcome.report(&format!("{then}: another status")));
        let reason = "the program has closed descriptor";
        assert!(outcome.stderr.contains(reason), "{}", outcome.report(&format!("{then}: no line gives the reason")));
        assert!(outcome.outlived.is_empty(), "{}", outcome.report("processes were left"));
        is_untouched(&directory, then, is_harmless);
        let _ = fs::remove_dir_all(&directory);
    }
}

fn is_untouched(directory: &Path, then: &str, is_harmless: fn(&[u8]) -> bool) {
    let files: Vec<_> = fs::read_dir(directory).expect("it is there").flatten().collect();
    assert!(files.len() > 2, "{then}: the program has opened nothing");
    for file in files {
        let bytes = fs::read(file.path()).expect("it can be read");
        assert!(is_harmless(&bytes), "{then}: {} has {bytes:?}", file.path().display());
    }
}

#[test]
fn over_tcp() {
    ends_with_the_reason(&[("SHMEM_TRANSPORT", "tcp")], <[u8]>::is_empty);
}

#[test]
fn over_libfabric() {
    let known = Command::new("/sbin/ldconfig").arg("-p").output();
    if !known.is_ok_and(|known| String::from_utf8_lossy(&known.stdout).contains("libfabric.so.1")) {
        return println!("skipped: jobs over libfabric: it is not installed");
    }
    // The provider wakes itself with bytes of 0 and does not guard its descriptor.
    let of_the_provider = |bytes: &[u8]| bytes.iter().all(|&byte| byte == 0);
    ends_with_the_reason(&[("SHMEM_TRANSPORT", "libfabric"), ("SHMEM_OFI_PROVIDER", "tcp")], of_the_provider);
}
