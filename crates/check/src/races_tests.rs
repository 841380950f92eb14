//! Litmus programs: each is a list of steps, and whether they race.

use super::*;
use crate::{area::alone, cell::EPOCH_MAX};

/// One step of a program; the first number is the PE.
#[derive(Clone, Copy, Debug)]
enum Step {
    Load(usize, usize),
    Store(usize, usize),
    /// PE, context, target PE, offset.
    Put(usize, usize, u32, usize),
    PutSignal(usize, u32, usize, usize),
    Get(usize, usize),
    /// To a private buffer.
    GetNbi(usize, usize, usize),
    PutNbi(usize, usize, usize),
    UseBuffer(usize, bool),
    Set(usize, u32, usize),
    FetchAdd(usize, usize),
    Wait(usize, usize),
    Fence(usize),
    Quiet(usize, usize),
    Barrier,
    Sync,
    Lock(usize),
    Unlock(usize),
}

pub(super) const D: usize = 1;
/// Bytes that all PEs share.
pub(super) const MEMORY: usize = 64 << 10;
pub(super) const BUFFER: usize = 0x10_0000;

struct World {
    pes: Vec<(Races<'static>, Thread)>,
}

impl World {
    fn new(pes: u32) -> World {
        let area = alone(MEMORY);
        let pe = |me| {
            let races = Races::new(area, me);
            let thread = races.thread().unwrap();
            (races, thread)
        };
        World { pes: (0..pes).map(pe).collect() }
    }

    fn step(&mut self, step: Step) -> Option<Conflict> {
        use Step::*;
        let atomic = |write| Manner { write, class: Class::Integer, mark: false };
        let key = |at: usize| at as u64 + 1000;
        match step {
            Barrier | Sync => {
                for (races, thread) in &mut self.pes {
                    if matches!(step, Barrier) {
                        races.quiet(thread, D, None);
                    }
                    races.leave(thread, 1);
                }
                self.pes.iter_mut().for_each(|(races, thread)| races.take(thread, 1));
                None
            }
            Load(pe, at) => self.pe(pe, |races, me| races.by_thread(me, (Place::Shared(at), 4), Manner::READ, 1)),
            Store(pe, at) => self.pe(pe, |races, me| races.by_thread(me, (Place::Shared(at), 4), Manner::WRITE, 2)),
            Get(pe, at) => self.pe(pe, |races, me| races.by_thread(me, (Place::Shared(at), 4), Manner::READ, 3)),
            Put(pe, ctx, to, at) => self.pe(pe, |races, me| {
                let way = Way { ctx, to, kind: Kind::Puts };
                let manner = Manner { mark: true, ..Manner::WRITE };
                let put = races.begin(me, way);
                let found = races.by_operation(me, &put, (Place::Shared(at), 4), manner, 4);
                races.leave_by(me, key(at), &put);
                found
            }),
            PutSignal(pe, to, at, signal) => self.pe(pe, |races, me| {
                let way = Way { ctx: D, to, kind: Kind::Signals };
                let put = races.begin(me, way);
                let data = races.by_operation(me, &put, (Place::Shared(at), 4), Manner::WRITE, 5);
                let manner = Manner { write: true, class: Class::Signal, mark: false };
                let word = races.by_operation(me, &put, (Place::Shared(signal), 8), manner, 5);
                races.leave_by(me, key(signal), &put);
                data.or(word)
            }),
            GetNbi(pe, ctx, at) => self.later(pe, (ctx, Kind::Gets), at, (Manner::READ, Manner::WRITE)),
            PutNbi(pe, ctx, at) => self.later(pe, (ctx, Kind::Puts), at, (Manner::WRITE, Manner::READ)),
            UseBuffer(pe, write) => self.pe(pe, |races, me| {
                races.by_thread(me, (Place::Private(BUFFER), 4), Manner { write, ..Manner::READ }, 8)
            }),
            Set(pe, to, at) => self.pe(pe, |races, me| {
                let way = Way { ctx: D, to, kind: Kind::Puts };
                let set = races.begin(me, way);
                let word = races.by_operation(me, &set, (Place::Shared(at), 4), atomic(true), 9);
                races.leave_by(me, key(at), &set);
                word
            }),
            FetchAdd(pe, at) => self.pe(pe, |races, me| {
                let word = races.by_thread(me, (Place::Shared(at), 4), atomic(true), 10);
                races.take(me, key(at));
                races.leave_at_once(me, key(at), Way { ctx: D, to: 0, kind: Kind::Puts });
                word
            }),
            Wait(pe, at) => self.pe(pe, |races, me| {
                let manner = Manner { write: false, class: Class::Signal, mark: false };
                let word = races.by_thread(me, (Place::Shared(at), 4), manner, 11);
                races.seen(me, (Place::Shared(at), 4), key(at));
                word
            }),
            Fence(_) | Quiet(..) | Lock(_) | Unlock(_) => {
                self.order(step);
                None
            }
        }
    }

    /// Accesses that an operation makes later: at the target, and of the buffer of this PE.
    fn later(
        &mut self,
        pe: usize,
        (ctx, kind): (usize, Kind),
        at: usize,
        (there, here): (Manner, Manner),
    ) -> Option<Conflict> {
        self.pe(pe, |races, me| {
            let operation = races.begin(me, Way { ctx, to: 9, kind });
            let found = races.by_operation(me, &operation, (Place::Shared(at), 4), there, 6);
            found.or(races.by_operation(me, &operation, (Place::Private(BUFFER), 4), here, 6))
        })
    }

    fn order(&mut self, step: Step) {
        use Step::*;
        match step {
            Fence(pe) => self.pe(pe, |races, me| races.fence(me, D)),
            Quiet(pe, ctx) => self.pe(pe, |races, me| {
                races.quiet(me, ctx, None);
            }),
            Lock(pe) => self.pe(pe, |races, me| {
                races.take(me, 7);
            }),
            Unlock(pe) => self.pe(pe, |races, me| {
                races.quiet(me, D, None);
                races.leave(me, 7);
            }),
            _ => unreachable!("a step that accesses memory"),
        }
    }

    fn pe<R>(&mut self, pe: usize, act: impl FnOnce(&Races<'static>, &mut Thread) -> R) -> R {
        let (races, thread) = &mut self.pes[pe];
        act(races, thread)
    }
}

#[track_caller]
fn check(name: &str, races: bool, steps: &[Step]) {
    let mut world = World::new(3);
    world.step(Step::Barrier);
    let found: Vec<_> = steps.iter().filter_map(|&step| world.step(step)).collect();
    assert_eq!(!found.is_empty(), races, "{name}: {found:?}");
}

pub(super) const X: usize = 64;
const FLAG: usize = 128;
pub(super) const OTHER: usize = 192;

#[test]
fn programs_without_races() {
    use Step::*;
    for (name, steps) in [
        ("barrier after put", &[Put(0, D, 1, X), Barrier, Load(1, X)][..]),
        ("quiet and sync after put", &[Put(0, D, 1, X), Quiet(0, D), Sync, Load(1, X)]),
        ("two gets", &[Get(0, X), Get(2, X), Load(1, X)]),
        ("puts in order by a fence", &[Put(0, D, 1, X), Fence(0), Put(0, D, 1, X)]),
        ("put, fence, flag by an atomic", &[Put(0, D, 1, X), Fence(0), Set(0, 1, FLAG), Wait(1, FLAG), Load(1, X)]),
        ("put, fence, flag by a put", &[Put(0, D, 1, X), Fence(0), Put(0, D, 1, FLAG), Wait(1, FLAG), Load(1, X)]),
        ("the flag is taken back", &[Set(0, 1, FLAG), Wait(1, FLAG), Store(1, FLAG), Load(1, FLAG)]),
        ("put with a signal", &[PutSignal(0, 1, X, FLAG), Wait(1, FLAG), Store(1, X)]),
        (
            "there and back again",
            &[
                PutSignal(0, 1, X, FLAG),
                Wait(1, FLAG),
                PutSignal(1, 0, OTHER, FLAG + 8),
                Wait(0, FLAG + 8),
                Put(0, D, 1, X),
            ],
        ),
        ("atomics of all", &[Set(0, 1, X), Set(2, 1, X), FetchAdd(1, X)]),
        ("what an atomic hands on", &[Store(0, X), FetchAdd(0, FLAG), FetchAdd(1, FLAG), Load(1, X)]),
        ("a lock", &[Lock(0), Put(0, D, 1, X), Unlock(0), Lock(2), Put(2, D, 1, X), Unlock(2)]),
        ("a source that is only read", &[PutNbi(0, D, X), UseBuffer(0, false)]),
        ("a buffer after quiet", &[GetNbi(0, D, X), Quiet(0, D), UseBuffer(0, true)]),
        ("own context, own quiet", &[Put(0, 5, 1, X), Quiet(0, 5), Put(0, 5, 1, X)]),
        ("other bytes", &[Put(0, D, 1, X), Store(1, X + 4)]),
    ] {
        check(name, false, steps);
    }
}

#[test]
fn programs_with_races() {
    use Step::*;
    for (name, steps) in [
        ("no order at all", &[Put(0, D, 1, X), Load(1, X)][..]),
        ("quiet alone tells nobody", &[Put(0, D, 1, X), Quiet(0, D), Load(1, X)]),
        ("sync alone completes nothing", &[Put(0, D, 1, X), Sync, Load(1, X)]),
        ("own put, own get", &[Put(0, D, 1, X), Get(0, X)]),
        ("two puts of one PE", &[Put(0, D, 1, X), Put(0, D, 1, X)]),
        ("flag without a fence", &[Put(0, D, 1, X), Set(0, 1, FLAG), Wait(1, FLAG), Load(1, X)]),
        ("flag by a put, without a fence", &[Put(0, D, 1, X), Put(0, D, 1, FLAG), Wait(1, FLAG), Load(1, X)]),
        ("the same, looked at late", &[Put(0, D, 1, X), Put(0, D, 1, FLAG), Quiet(0, D), Wait(1, FLAG), Load(1, X)]),
        ("no wait for the flag", &[Put(0, D, 1, X), Fence(0), Set(0, 1, FLAG), Load(1, X)]),
        (
            "a fence orders nothing at another PE",
            &[Put(0, D, 1, X), Fence(0), Set(0, 2, FLAG), Wait(2, FLAG), Get(2, X)],
        ),
        ("a signal is for its own data", &[Put(0, D, 1, X), PutSignal(0, 1, OTHER, FLAG), Wait(1, FLAG), Load(1, X)]),
        ("a fence is no use to gets", &[GetNbi(0, D, X), Fence(0), Put(0, D, 1, X)]),
        ("a flag that is looked at", &[PutSignal(0, 1, X, FLAG), Load(1, FLAG)]),
        ("atomic and store", &[Set(0, 1, X), Store(1, X)]),
        ("atomic and get", &[Get(0, X), Set(2, 1, X)]),
        ("another context's quiet", &[Put(0, 5, 1, X), Quiet(0, D), Put(0, 5, 1, X)]),
        ("a barrier is for the default context", &[Put(0, 5, 1, X), Barrier, Load(1, X)]),
        ("stores before and after", &[Store(0, X), PutNbi(0, D, X), Store(0, X)]),
        ("a source that is changed as it was before", &[Store(0, X), GetNbi(0, D, X), Store(0, X)]),
        ("a source that is changed", &[PutNbi(0, D, X), UseBuffer(0, true)]),
        ("a result that is read too early", &[GetNbi(0, D, X), UseBuffer(0, false)]),
        ("one buffer for two", &[GetNbi(0, D, X), GetNbi(0, D, OTHER)]),
        (
            "the lock is given back too early",
            &[Lock(2), Unlock(2), Put(2, D, 1, X), Lock(0), Put(0, D, 1, X), Unlock(0)],
        ),
    ] {
        check(name, true, steps);
    }
}

/// A key of another word that has the same clock.
fn collides(area: &Area, at: usize) -> usize {
    let clock = |at: usize| area.word(at as u64 + 1000).epochs.as_ptr();
    (at + 8..).step_by(8).find(|&other| clock(other) == clock(at)).unwrap()
}

#[test]
fn a_word_is_left_what_it_lacks() {
    use Step::*;
    let other = collides(&alone(64), FLAG);
    assert!(other < MEMORY, "the second flag is memory too");
    for (name, steps) in [
        // After the first flag the word has the thread's own entry, but not yet what fences have ordered before the second.
        (
            "two ways, one clock",
            &[
                Put(0, D, 1, X),
                Put(0, D, 2, OTHER),
                Fence(0),
                Set(0, 1, FLAG),
                Set(0, 2, other),
                Wait(2, other),
                Load(2, OTHER),
            ][..],
        ),
        (
            "a fence between two flags",
            &[Set(0, 1, FLAG), Put(0, D, 1, X), Fence(0), Set(0, 1, FLAG), Wait(1, FLAG), Load(1, X)],
        ),
        (
            "a take between two flags",
            &[
                Store(1, X),
                Unlock(1),
                Set(0, 2, FLAG),
                Set(0, 2, FLAG),
                Lock(0),
                Set(0, 2, FLAG),
                Wait(2, FLAG),
                Load(2, X),
            ],
        ),
        (
            "a wait between two flags",
            &[
                Set(0, 2, FLAG),
                PutSignal(1, 0, X, FLAG + 8),
                Wait(0, FLAG + 8),
                Set(0, 2, FLAG),
                Wait(2, FLAG),
                Get(2, X),
            ],
        ),
        (
            "another context's quiet between two flags",
            &[
                Put(0, 5, 1, X),
                Set(0, 2, FLAG),
                Set(0, 2, FLAG),
                Quiet(0, 5),
                Set(0, 2, FLAG),
                Wait(2, FLAG),
                Get(2, X),
            ],
        ),
        (
            "an own store between two flags",
            &[Set(0, 1, FLAG), Set(0, 1, FLAG), Store(0, X), Set(0, 1, FLAG), Wait(1, FLAG), Get(1, X)],
        ),
    ] {
        check(name, false, steps);
    }
}

#[test]
fn a_word_is_left_no_more_than_was_known() {
    use Step::*;
    let other = collides(&alone(64), FLAG);
    for (name, steps) in [
        (
            "two ways, one clock, no fence",
            &[Put(0, D, 1, X), Put(0, D, 2, OTHER), Set(0, 1, FLAG), Set(0, 2, other), Wait(2, other), Load(2, OTHER)]
                [..],
        ),
        (
            "a take after the last flag",
            &[Store(1, X), Unlock(1), Set(0, 2, FLAG), Set(0, 2, FLAG), Lock(0), Wait(2, FLAG), Load(2, X)],
        ),
        (
            "another context's quiet after the last flag",
            &[Put(0, 5, 1, X), Set(0, 2, FLAG), Set(0, 2, FLAG), Quiet(0, 5), Wait(2, FLAG), Get(2, X)],
        ),
        (
            "an own store after the last flag",
            &[Store(0, X), Set(0, 1, FLAG), Set(0, 1, FLAG), Wait(1, FLAG), Store(0, X), Get(1, X)],
        ),
        (
            "a source that is changed before the second flag",
            &[Set(0, 1, FLAG), PutNbi(0, D, X), Set(0, 1, FLAG), Wait(1, FLAG), Get(1, X)],
        ),
        (
            "a store after the wait for an atomic that comes again",
            &[Set(0, 1, FLAG), Set(0, 1, FLAG), Wait(1, FLAG), Store(1, FLAG), Set(0, 1, FLAG)],
        ),
        (
            "a third PE stores where a signal comes again",
            &[PutSignal(0, 1, X, FLAG), FetchAdd(2, FLAG), Store(2, FLAG), PutSignal(0, 1, OTHER, FLAG)],
        ),
    ] {
        check(name, true, steps);
    }
}

#[test]
fn the_last_epoch_has_all_that_comes_later() {
    let mut world = World::new(3);
    for step in [Step::Barrier, Step::Set(0, 2, FLAG)] {
        assert_eq!(world.step(step), None);
    }
    world.pe(0, |_, thread| thread.epoch = EPOCH_MAX);
    for step in [Step::Store(0, OTHER), Step::Set(0, 2, FLAG), Step::Store(1, X), Step::Unlock(1), Step::Lock(0)] {
        assert_eq!(world.step(step), None);
    }
    for step in [Step::Set(0, 2, FLAG), Step::Wait(2, FLAG), Step::Load(2, X)] {
        assert_eq!(world.step(step), None, "an order that is forgotten is a race that is none");
    }
}

#[test]
fn without_strands_for_lanes_nothing_is_invented() {
    let mut world = World::new(3);
    while world.pes[0].0.area.strand(9, 0).is_some() {}
    for step in [
        Step::Barrier,
        Step::Put(0, D, 2, OTHER),
        Step::Set(0, 2, FLAG),
        Step::Put(0, D, 2, X),
        Step::Set(0, 2, FLAG),
        Step::Wait(2, FLAG),
        Step::Load(2, X),
    ] {
        assert_eq!(world.step(step), None);
    }
    // A thread that has waited for the last flag does not know what comes after it.
    assert_eq!(world.step(Step::Put(0, D, 2, X + 8)), None);
    assert!(world.step(Step::Load(2, X + 8)).is_some());
}

#[test]
fn parts_pass_on_earlier_knowledge() {
    let mut world = World::new(3);
    for step in [Step::Store(1, X), Step::Unlock(1), Step::Lock(0)] {
        assert_eq!(world.step(step), None);
    }
    world.pe(0, |races, thread| {
        races.leave(thread, 9);
        races.part(thread);
        races.leave(thread, 10);
    });
    world.pe(2, |races, thread| races.take(thread, 10));
    assert_eq!(world.step(Step::Load(2, X)), None, "the first part has told of it");
    assert_eq!(world.step(Step::Store(0, OTHER)), None);
    world.pe(0, |races, thread| {
        races.part(thread);
        races.leave(thread, 11);
    });
    world.pe(2, |races, thread| races.take(thread, 11));
    assert!(world.step(Step::Get(2, OTHER)).is_some(), "the second part knows nothing of the first");
    world.pe(0, |races, thread| {
        races.parts_end(thread);
        races.leave(thread, 11);
    });
    world.pe(1, |races, thread| races.take(thread, 11));
    assert_eq!(world.step(Step::Get(1, OTHER)), None, "the end of all parts does");
}

#[test]
fn freed_memory_is_nobodys() {
    let mut world = World::new(2);
    world.pe(0, |races, _| races.mark(X, 16, Some(5)));
    assert!(world.step(Step::Load(0, X)).unwrap().other.is_freed());
    assert!(world.step(Step::Put(1, D, 0, X + 8)).unwrap().other.is_freed());
    world.pe(0, |races, _| races.mark(X, 16, None));
    assert_eq!(world.step(Step::Load(0, X)), None);
}

#[test]
fn quiet_to_one_pe_holds_with_merged_lanes() {
    let mut world = World::new(2);
    let first = Step::PutNbi(0, D, X);
    assert_eq!(world.step(first), None);
    while world.pe(0, |races, _| races.area.used() < STRANDS_MANY && races.area.strand(0, 0).is_some()) {}
    assert_eq!(world.step(Step::PutNbi(0, D, OTHER)), None);
    world.pe(0, |races, me| races.quiet(me, D, Some(9)));
    assert_eq!(world.step(Step::UseBuffer(0, true)), None);
}
