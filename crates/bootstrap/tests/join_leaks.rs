//! A thousand starts one after the other leave nothing behind: no descriptor, no thread, no mapping.
//!
//! This is the only test of its program, whose descriptors and threads are counted.

use ferrite_bootstrap::{Boot, join};
use std::{
    fs, thread,
    time::{Duration, Instant},
};

const LIMIT: Duration = Duration::from_secs(120);

fn count(what: &str) -> usize {
    fs::read_dir(format!("/proc/self/{what}")).unwrap().count()
}

fn round(size: u32) {
    let id = join::draw_id(LIMIT).unwrap();
    thread::scope(|scope| {
        for rank in 0..size {
            let id = &id;
            scope.spawn(move || {
                let member = join::join(id, rank, size, LIMIT, false).unwrap();
                member.join().unwrap();
                member.exchange().unwrap();
                member.leave().unwrap();
            });
        }
    });
}

#[test]
fn a_thousand_starts_leave_nothing_behind() {
    // A thread is gone from the list soon after it has been waited for, so the least of several starts counts.
    let kept = || ["fd", "task"].map(count);
    let before = (0..10).fold([usize::MAX; 2], |least, _| {
        round(2);
        let now = kept();
        [least[0].min(now[0]), least[1].min(now[1])]
    });
    (0..1000).for_each(|number| round(1 + number % 3));
    let begin = Instant::now();
    while kept().iter().zip(before).any(|(&now, before)| now > before) {
        assert!(begin.elapsed() < LIMIT, "descriptors and threads: {before:?}, and then {:?}", kept());
        thread::sleep(Duration::from_millis(1));
    }
}
