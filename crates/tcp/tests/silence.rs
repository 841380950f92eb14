//! A host that falls silent while data is on the way to it. The test has a process of its own, because it changes the network of the
//! process.

use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{Op, Pe, Remote, SegmentId, Stage};
use ferrite_tcp::Options;
use rustix::thread::{UnshareFlags, unshare_unsafe};
use std::{
    process::Command,
    thread,
    time::{Duration, Instant},
};

const SILENCE: Duration = Duration::from_millis(800);
const GENEROUS: Duration = Duration::from_secs(60);

/// Switch the loopback interface `up` or `down`. Returns true if that worked.
fn loopback(state: &str) -> bool {
    Command::new("ip").args(["link", "set", "lo", state]).status().is_ok_and(|status| status.success())
}

#[test]
fn silent_host_is_lost_without_a_waiter() {
    // SAFETY: this thread, and the threads that it starts, need nothing of the old network.
    let alone = unsafe { unshare_unsafe(UnshareFlags::NEWNET) };
    if alone.is_err() || !loopback("up") {
        println!("skipped: no network of one's own can be had here");
        return;
    }
    conformance::among_threads(2, &|me, meeting| {
        let interface = Some("127.0.0.1".to_owned());
        let options = Options { interface, silence: SILENCE, ..Options::new(me, 2, [17; 32]) };
        let m = Member::new(ferrite_tcp::open(options).unwrap(), me, 2, meeting);
        let word = Remote { pe: m.right(), segment: SegmentId::HEAP, offset: 0 };
        m.wait(m.put(word, &[1; 8]), Stage::Remote);
        m.meet();
        // Wait until the fabric no longer looks for silent hosts.
        thread::sleep(2 * SILENCE);
        assert!(m.fabric().fault().is_none());
        if me == Pe(0) {
            assert!(loopback("down"));
            let (start, bytes) = (Instant::now(), [2_u8; 8]);
            m.post(&Op::Put { to: word, from: bytes.as_ptr(), len: 8 });
            while m.fabric().fault().is_none() {
                assert!(start.elapsed() < GENEROUS, "nobody notices");
                thread::sleep(Duration::from_millis(1));
            }
            let fault = m.fabric().fault().unwrap().to_string();
            assert!(
                fault.starts_with("the connection with PE 1 was lost: no sign of life from its host for "),
                "{fault}"
            );
            assert!(loopback("up"));
        }
        m.meet();
    });
}
