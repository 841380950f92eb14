//! Threads of one PE, and parts of one thread that other threads might run.

use super::{
    tests::{BUFFER, D, MEMORY, OTHER, X},
    *,
};
use crate::area::alone;

fn by_lane(
    races: &Races<'static>,
    thread: &mut Thread,
    way: Way,
    range: (Place, usize),
    manner: Manner,
    site: u16,
) -> Option<Conflict> {
    let operation = races.begin(thread, way);
    races.by_operation(thread, &operation, range, manner, site)
}

/// Two threads; the first has begun a put on a way.
fn one_has_put() -> (Races<'static>, Way, Thread, Thread) {
    let races = Races::new(alone(4096), 0);
    let (mut one, two) = (races.thread().unwrap(), races.thread().unwrap());
    let way = Way { ctx: D, to: 1, kind: Kind::Puts };
    assert_eq!(by_lane(&races, &mut one, way, (Place::Shared(X), 4), Manner::WRITE, 1), None);
    (races, way, one, two)
}

/// A fence orders the puts of another thread too, if the fencing thread knows of them. Every thread that knows of the fence then has them
/// ordered, however far either thread has come.
#[test]
fn fence_orders_only_the_calling_threads_puts() {
    const FENCER: u64 = 7;
    const PUTTER: u64 = 8;
    for (knows, steps_of_fencer) in [(true, 1), (true, 9), (false, 1), (false, 9)] {
        let races = Races::new(alone(MEMORY), 0);
        let [mut putter, mut fencer, mut third] = [(); 3].map(|()| races.thread().unwrap());
        let way = Way { ctx: D, to: 0, kind: Kind::Puts };
        let put = |thread: &mut Thread| by_lane(&races, thread, way, (Place::Shared(X), 8), Manner::WRITE, 1);
        // Advance the epochs, so that the two threads have unrelated epochs.
        let go_on = |thread: &mut Thread, times| {
            for _ in 0..times {
                races.stamp(thread);
                races.leave(thread, 9);
            }
        };
        go_on(&mut putter, 5);
        assert!(put(&mut putter).is_none());
        races.leave(&mut putter, PUTTER);
        races.take(&mut fencer, PUTTER);
        go_on(&mut fencer, steps_of_fencer);
        races.fence(&mut fencer, D);
        races.leave(&mut fencer, FENCER);
        races.take(&mut third, if knows { FENCER } else { PUTTER });
        assert_eq!(put(&mut third).is_none(), knows, "{steps_of_fencer}");
    }
}

#[test]
fn a_lane_of_one_thread_is_unknown_to_another() {
    let (races, way, mut one, mut two) = one_has_put();
    races.quiet(&mut two, D, None);
    assert!(by_lane(&races, &mut two, way, (Place::Shared(X), 4), Manner::WRITE, 2).is_some());
    // Once the threads have synchronised, the quiet of one also completes the operations of the other.
    races.leave(&mut one, 3);
    races.take(&mut two, 3);
    races.quiet(&mut two, D, None);
    assert_eq!(races.by_thread(&mut two, (Place::Shared(X), 4), Manner::READ, 3), None);
}

#[test]
fn quiet_learns_of_another_threads_completions() {
    let (races, _, mut one, mut two) = one_has_put();
    races.leave(&mut one, 3);
    races.take(&mut two, 3);
    races.quiet(&mut two, D, None);
    races.quiet(&mut one, D, None);
    assert_eq!(races.by_thread(&mut one, (Place::Shared(X), 4), Manner::READ, 2), None);
}

#[test]
fn parts_of_one_thread_know_nothing_of_each_other() {
    let races = Races::new(alone(4096), 0);
    let mut thread = races.thread().unwrap();
    let way = Way { ctx: D, to: 1, kind: Kind::Gets };
    let buffer = (Place::Private(BUFFER), 4);
    assert_eq!(races.by_thread(&mut thread, buffer, Manner::WRITE, 1), None);
    races.part(&mut thread);
    assert_eq!(by_lane(&races, &mut thread, way, buffer, Manner::WRITE, 2), None);
    races.quiet(&mut thread, D, None);
    races.part(&mut thread);
    assert!(races.by_thread(&mut thread, buffer, Manner::READ, 3).is_some());
    races.parts_end(&mut thread);
    assert_eq!(races.by_thread(&mut thread, buffer, Manner::READ, 4), None);
}

#[test]
fn a_lane_that_is_begun_later_is_unknown_to_another_thread() {
    let races = Races::new(alone(4096), 0);
    let (mut one, mut two) = (races.thread().unwrap(), races.thread().unwrap());
    let way = |to| Way { ctx: D, to, kind: Kind::Puts };
    assert_eq!(by_lane(&races, &mut one, way(1), (Place::Shared(OTHER), 4), Manner::WRITE, 1), None);
    races.leave(&mut one, 3);
    races.take(&mut two, 3);
    assert_eq!(by_lane(&races, &mut one, way(2), (Place::Shared(X), 4), Manner::WRITE, 1), None);
    races.quiet(&mut two, D, None);
    assert_eq!(races.by_thread(&mut two, (Place::Shared(OTHER), 4), Manner::WRITE, 2), None);
    assert!(by_lane(&races, &mut two, way(2), (Place::Shared(X), 4), Manner::WRITE, 2).is_some());
}
