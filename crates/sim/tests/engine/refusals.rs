//! Ports that refuse operations: for a while, or for ever, as when a peer is gone and the network tries to connect again and again. And
//! engines that refuse one more operation.

use crate::engines::{engines, network};
use ferrite_engine::{Answers, Limits, Orders, Pe};
use ferrite_fabric::{Busy, Error, Fabric, Lane, Op, Progress, Remote, Stage, Ticket};
use ferrite_sim::engine::{
    limits::WEAKEST,
    network::{Habits, Network, SEGMENT},
    port::lock,
};
use std::{
    sync::{Mutex, atomic::AtomicU64},
    time::{Duration, Instant},
};

/// Shorter than the watchdog's shortest limit, which is two seconds.
const SILENCE: Duration = Duration::from_secs(1);
/// Longer than the watchdog's limit.
const LONG: Duration = Duration::from_secs(3);
/// Maximum number of operations under way on a lane.
const OPEN_MAX: usize = 64 << 10;
/// Bound for a hang.
const FOR_EVER: Duration = Duration::from_secs(60);

const BUSY: Habits = Habits { busy: 1, partial: 0, at_once: 0, pieces: 0, late: 0 };
const AT_ONCE: Habits = Habits { busy: 0, at_once: 1, ..BUSY };

/// PE 0 of three PEs.
struct Pe0<'a> {
    network: &'a Mutex<Network>,
    fabric: &'a dyn Fabric,
    lane: &'a dyn Lane,
    /// Destination of the gets. It is never read.
    word: &'a AtomicU64,
}

impl Pe0<'_> {
    /// Get a word of a PE. Returns whether the operation was accepted.
    fn get(&self, pe: u32) -> bool {
        self.post_get(pe).is_ok()
    }

    fn post_get(&self, pe: u32) -> Result<Ticket, Busy> {
        let from = Remote { pe: Pe(pe), segment: SEGMENT, offset: 0 };
        // SAFETY: the word was made before the engine.
        unsafe { self.lane.post(&Op::Get { from, to: self.word.as_ptr().cast(), len: 8 }) }
    }

    /// Get from a PE repeatedly, for at most `limit`. Returns the fault, if there is one.
    fn fault_of_gets(&self, pe: u32, limit: Duration) -> Option<String> {
        let begun = Instant::now();
        while begun.elapsed() < limit && self.fabric.fault().is_none() {
            self.get(pe);
            self.lane.progress();
        }
        self.fabric.fault().map(|fault| fault.to_string())
    }
}

/// Run `program` as PE 0, over a network that begins with these habits.
fn as_pe_0(habits: Habits, program: impl FnOnce(&Pe0<'_>)) {
    let network = network(3, WEAKEST, habits);
    let (memory, word) = ([const { AtomicU64::new(0) }; 4], AtomicU64::new(0));
    // SAFETY: the memory was made before the engines.
    let engines = unsafe { engines(&network, 3, WEAKEST, &memory, Progress::Thread, Some(SILENCE)) };
    let lane = engines[0].lane().unwrap();
    program(&Pe0 { network: &network, fabric: &engines[0], lane: &*lane, word: &word });
}

#[test]
fn who_is_refused_for_ever_hears_which_peer_is_lost() {
    as_pe_0(BUSY, |me| {
        let fault = me.fault_of_gets(1, FOR_EVER).expect("nobody noticed");
        assert!(fault.contains("PE 1"), "{fault}");
    });
}

#[test]
fn who_is_refused_now_and_then_loses_nobody() {
    as_pe_0(Habits { busy: 2, ..AT_ONCE }, |me| assert_eq!(me.fault_of_gets(1, LONG), None));
}

#[test]
fn who_owes_is_lost_before_one_for_which_there_is_no_room() {
    as_pe_0(AT_ONCE, |me| {
        assert!(me.get(1));
        lock(me.network).habits = Habits::default();
        assert!(me.get(2), "it never ends");
        lock(me.network).habits = BUSY;
        let fault = me.fault_of_gets(1, FOR_EVER).expect("nobody noticed");
        assert!(fault.contains("PE 2"), "{fault}");
    });
}

#[test]
fn operation_of_an_abandoned_fabric_never_completes() {
    as_pe_0(AT_ONCE, |me| {
        lock(me.network).habits = Habits::default();
        let ticket = me.post_get(1).expect("there is room");
        me.fabric.abandon(&Error::new("PE 2 is lost"));
        assert!(!me.lane.is_local(ticket) && !me.lane.has_reached(Stage::Remote, ticket));
        assert!(me.lane.reached(Stage::Local) < ticket && !me.lane.is_quiet_at(Pe(1)));
        assert!(!me.get(1), "nothing is posted any more");
    });
}

/// PE 0 has never waited for its puts to PE 1 when they leave no room for another one. Every request to PE 1 fails.
#[test]
fn who_finds_no_room_hears_which_peer_holds_it() {
    let orders = Orders { message_message: usize::MAX, ..WEAKEST.orders };
    let limits = Limits { writes: false, copy_bytes_max: 8, answers: Answers::Asked, orders, ..WEAKEST };
    let network = network(3, limits, AT_ONCE);
    let memory = [const { AtomicU64::new(0) }; 4];
    // SAFETY: the memory was made before the engines.
    let engines = unsafe { engines(&network, 3, limits, &memory, Progress::Program, None) };
    let lane = engines[0].lane().unwrap();
    let put = |pe| {
        let to = Remote { pe: Pe(pe), segment: SEGMENT, offset: 0 };
        // SAFETY: the port copies eight bytes before it returns.
        unsafe { lane.post(&Op::Put { to, from: [7_u64].as_ptr().cast(), len: 8 }) }
    };
    for _ in 0..OPEN_MAX {
        assert!(put(1).is_ok(), "it is refused too early");
    }
    lock(&network).habits = Habits::default();
    let mut requests = 0;
    while engines[0].fault().is_none() {
        assert!(put(2).is_err(), "there is room");
        lock(&network).fail_messages(1);
        lane.progress();
        requests += 1;
        assert!(requests < 100, "nobody noticed");
    }
    assert_eq!(engines[0].lost_peer(), Some(Pe(1)));
}
