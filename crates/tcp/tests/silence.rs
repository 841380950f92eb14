//! A host that falls silent while something is on its way to it. A process of its own, whose network is its own; one test, for it is
//! the process's.

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

/// Switch the loopback interface; gives whether that worked.
fn loopback(state: &str) -> bool {
    Command::new("ip").args(["link", "set", "lo", state]).status().is_ok_and(|status| status.success())
}

#[test]
fn a_silent_host_is_lost_though_nobody_waits_for_it() {
    // SAFETY: nothing here depends on the network that this thread and those that it starts leave.
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
        // For so long that nobody looks for silent hosts any more.
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
                fault.starts_with("the connection with PE 1 was lost: no sign of life of its host for "),
                "{fault}"
            );
            assert!(loopback("up"));
        }
        m.meet();
    });
}
