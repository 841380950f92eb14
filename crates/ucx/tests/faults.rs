//! Peers that end or stop during operations: the fault names the reason, and no PE waits for ever.

mod support;

use ferrite_conformance::{Meeting, Pipes};
use ferrite_fabric::{
    AddressBook, Error, Fabric, Key, Lane, Op, Pe, Remote, Result, Segment, SegmentId, Stage, Ticket,
};
use std::{
    sync::Arc,
    time::{Duration, Instant},
};
use support::{PATIENCE, again, is_absent, make, other, stop, succeeds, with_writes};

const WORDS: usize = 1 << 10;
/// Words of a put that UCX does not send before the target asks for them.
const LONG: usize = 1 << 21;

struct Book {
    addresses: Vec<Vec<u8>>,
    keys: Vec<Vec<u8>>,
}

impl AddressBook for Book {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        self.addresses.get(pe.0 as usize).cloned().ok_or_else(|| Error::new(format!("no {pe}")))
    }

    fn key(&self, pe: Pe, _: SegmentId) -> Result<Key> {
        self.keys.get(pe.0 as usize).map(|key| Key(key.as_slice().into())).ok_or_else(|| Error::new(format!("no {pe}")))
    }
}

fn join(me: Pe, words: &mut [u64], meeting: &dyn Meeting) -> Box<dyn Fabric> {
    connected(make(me, 2), words, meeting)
}

/// Register `words` as the only segment of a fabric, and connect the fabric to the other one.
fn connected(fabric: Box<dyn Fabric>, words: &mut [u64], meeting: &dyn Meeting) -> Box<dyn Fabric> {
    let segment = Segment { id: SegmentId::HEAP, base: words.as_mut_ptr().cast(), len: 8 * words.len() };
    // SAFETY: callers drop the fabric before the words.
    let key = unsafe { fabric.register(segment) }.unwrap();
    let (addresses, keys) = (meeting.exchange(fabric.address()), meeting.exchange(key.0.into()));
    fabric.connect(Arc::new(Book { addresses, keys })).unwrap();
    fabric
}

fn put(word: &u64) -> Op {
    let to = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 };
    Op::Put { to, from: std::ptr::from_ref(word).cast(), len: 8 }
}

/// Post an operation, and wait until it is complete at the target, or for the fault.
fn complete(fabric: &dyn Fabric, lane: &dyn Lane, op: &Op) -> Result<Ticket> {
    let start = Instant::now();
    let mut ticket = None;
    loop {
        // SAFETY: what operations of this test point to outlives them.
        ticket = ticket.or_else(|| unsafe { lane.post(op) }.ok());
        if let Some(ticket) = ticket.filter(|ticket| lane.reached(Stage::Remote) >= *ticket) {
            return Ok(ticket);
        }
        if let Some(fault) = fabric.fault() {
            return Err(fault);
        }
        lane.progress();
        assert!(start.elapsed() < PATIENCE, "neither done nor failed");
    }
}

#[test]
fn a_peer_that_is_killed() {
    succeeds(again("a_survivor", Some("tcp,self")).spawn().unwrap());
}

#[test]
fn a_peer_that_is_killed_under_writes() {
    succeeds(with_writes(again("a_survivor", Some("tcp,self"))).spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn a_survivor() {
    if is_absent() {
        return;
    }
    let (mut child, pipes) = other("a_victim");
    let mut words = vec![0_u64; WORDS];
    let fabric = join(Pe(0), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    complete(&*fabric, &*lane, &put(&7)).unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    // Put to a dead peer. The kernel may still accept some puts, but then the fault comes.
    let fault = loop {
        if let Err(fault) = complete(&*fabric, &*lane, &put(&8)) {
            break fault;
        }
    };
    assert!(fault.to_string().contains("PE 1"), "{fault}");
    assert_eq!(fabric.lost_peer(), Some(Pe(1)));
    // After the fault, posts are refused, and the end does not wait.
    // SAFETY: nothing is posted.
    assert!(unsafe { lane.post(&put(&9)) }.is_err());
    drop((lane, fabric));
}

#[test]
#[ignore = "started by a survivor, and by one who gives up"]
fn a_victim() {
    let pipes = Pipes::of_child();
    let mut words = vec![0_u64; WORDS];
    let fabric = join(Pe(1), &mut words, &pipes);
    let _lane = fabric.lane().unwrap();
    // This call never returns.
    pipes.exchange(Vec::new());
}

/// A peer that has received everything may leave while the others go on. That is no fault.
#[test]
fn a_peer_that_leaves() {
    succeeds(again("one_who_stays", Some("tcp,self")).spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn one_who_stays() {
    if is_absent() {
        return;
    }
    let (mut child, pipes) = other("one_who_leaves");
    let mut words = vec![0_u64; WORDS];
    let fabric = join(Pe(0), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    complete(&*fabric, &*lane, &put(&7)).unwrap();
    pipes.exchange(Vec::new());
    pipes.drain();
    assert!(child.wait().unwrap().success());
    let start = Instant::now();
    while start.elapsed().as_millis() < 300 {
        lane.progress();
        assert!(fabric.fault().is_none(), "{:?}", fabric.fault());
    }
    // But a later operation on that peer is a fault.
    let fault = complete(&*fabric, &*lane, &put(&8)).unwrap_err();
    assert!(fault.to_string().contains("PE 1"), "{fault}");
}

#[test]
#[ignore = "started by one who stays"]
fn one_who_leaves() {
    let pipes = Pipes::of_child();
    let mut words = vec![0_u64; WORDS];
    let fabric = join(Pe(1), &mut words, &pipes);
    pipes.exchange(Vec::new());
    drop(fabric);
}

/// A lane that ends while its peer stands still abandons what UCX is still closing, and UCX allows this: over shared memory, where UCX has
/// only the orderly end, and over TCP.
#[test]
fn a_lane_whose_peer_stands_still() {
    for transports in ["posix,self", "sysv,self", "tcp,self"] {
        succeeds(again("one_who_gives_up", Some(transports)).spawn().unwrap());
    }
}

#[test]
#[ignore = "started by the others"]
fn one_who_gives_up() {
    const LONG: usize = 4 * WORDS;
    if is_absent() {
        return;
    }
    let (mut child, pipes) = other("a_victim");
    let mut words = vec![0_u64; WORDS];
    let source = vec![1_u8; LONG];
    let fabric = join(Pe(0), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    complete(&*fabric, &*lane, &put(&7)).unwrap();
    stop(&child);
    let to = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 0 };
    // Post more than all buffers on the way hold, or until the lane refuses.
    for _ in 0..1 << 12 {
        // SAFETY: the source outlives the lane.
        let posted = unsafe { lane.post(&Op::Put { to, from: source.as_ptr(), len: LONG }) };
        lane.progress();
        if posted.is_err() {
            break;
        }
    }
    drop((lane, fabric));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// A fabric that is abandoned while it fetches the data of a put from a peer that stands still: UCX neither ends the process, nor touches the
/// memory afterwards.
#[test]
fn a_fetch_that_is_abandoned() {
    for transports in ["tcp,self", "posix,self"] {
        // The program alone makes progress, so that each PE stands still when this test says so.
        succeeds(again("one_who_fetches", Some(transports)).env("FERRITE_TEST_ALONE", "1").spawn().unwrap());
    }
}

#[test]
#[ignore = "started by the others"]
fn one_who_fetches() {
    if is_absent() {
        return;
    }
    abandon_beside("one_who_keeps_the_data");
}

/// Abandon a fabric while a long operation of PE 1, which is the test `other_pe`, is under way and PE 1 stands still.
fn abandon_beside(other_pe: &str) {
    let (mut child, pipes) = other(other_pe);
    let mut words = vec![0_u64; LONG];
    let fabric = join(Pe(0), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    // SAFETY: UCX writes the word inside the calls between the reads.
    while unsafe { words.as_ptr().add(1).read_volatile() } == 0 {
        lane.progress();
    }
    // The long operation is under way when this returns, and PE 1 makes no call any more.
    pipes.exchange(Vec::new());
    stop(&child);
    (0..1000).for_each(|_| _ = lane.progress());
    fabric.abandon(&Error::new("PE 1 is lost"));
    words.fill(3);
    drop((lane, fabric));
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(words.iter().all(|word| *word == 3));
}

/// PE 1 of `one_who_fetches`, which starts it.
#[test]
#[ignore = "started by one who fetches"]
fn one_who_keeps_the_data() {
    let pipes = Pipes::of_child();
    let mut words = vec![0_u64; LONG];
    let source = vec![7_u64; LONG];
    let fabric = join(Pe(1), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    let put = |offset, len| {
        let to = Remote { pe: Pe(0), segment: SegmentId::HEAP, offset };
        Op::Put { to, from: source.as_ptr().cast(), len }
    };
    complete(&*fabric, &*lane, &put(0, 8)).unwrap();
    for op in [put(8, 8), put(0, 8 * LONG)] {
        // SAFETY: the source outlives the lane.
        unsafe { lane.post(&op) }.unwrap();
    }
    pipes.exchange(Vec::new());
    // This call never returns.
    pipes.exchange(Vec::new());
}

/// A fabric that is abandoned while it answers a long get of a peer that stands still: UCX does not end the process.
#[test]
fn an_answer_that_is_abandoned() {
    succeeds(again("one_who_answers", Some("tcp,self")).env("FERRITE_TEST_ALONE", "1").spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn one_who_answers() {
    if is_absent() {
        return;
    }
    abandon_beside("one_who_does_not_listen");
}

/// PE 1 of `one_who_answers`, which starts it.
#[test]
#[ignore = "started by one who answers"]
fn one_who_does_not_listen() {
    let pipes = Pipes::of_child();
    let (mut words, mut to) = (vec![0_u64; LONG], vec![0_u64; LONG]);
    let fabric = join(Pe(1), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    let at = |offset| Remote { pe: Pe(0), segment: SegmentId::HEAP, offset };
    complete(&*fabric, &*lane, &Op::Get { from: at(0), to: to.as_mut_ptr().cast(), len: 8 }).unwrap();
    // SAFETY: short puts are copied, and the memory outlives the process.
    unsafe {
        lane.post(&Op::Get { from: at(0), to: to.as_mut_ptr().cast(), len: 8 * LONG }).unwrap();
        lane.post(&Op::Put { to: at(8), from: [7_u64].as_ptr().cast(), len: 8 }).unwrap();
    }
    pipes.exchange(Vec::new());
    // This call never returns.
    pipes.exchange(Vec::new());
}

/// A peer dies, and its gets and long puts arrive after that. Nothing can be answered or fetched, and this PE goes on.
#[test]
fn operations_of_a_peer_that_is_dead() {
    for other in ["one_who_gets_and_dies", "one_who_puts_and_dies"] {
        let mut command = again("one_who_hears_too_late", Some("tcp,self"));
        succeeds(command.env("FERRITE_TEST_ALONE", "1").env("FERRITE_TEST_OTHER", other).spawn().unwrap());
    }
}

#[test]
#[ignore = "started by the others"]
fn one_who_hears_too_late() {
    if is_absent() {
        return;
    }
    #[expect(clippy::disallowed_methods, reason = "a variable of this test")]
    let (mut child, pipes) = other(&std::env::var("FERRITE_TEST_OTHER").unwrap());
    let mut words = vec![0_u64; LONG];
    let fabric = join(Pe(0), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    // SAFETY: UCX writes the word inside the calls between the reads.
    while unsafe { words.as_ptr().add(1).read_volatile() } == 0 {
        lane.progress();
    }
    // From here on this PE makes no call until all operations are posted.
    pipes.exchange(Vec::new());
    pipes.exchange(Vec::new());
    child.kill().unwrap();
    child.wait().unwrap();
    (0..10_000).for_each(|_| _ = lane.progress());
    assert!(fabric.fault().is_none(), "{:?}", fabric.fault());
}

/// Operations that are under way when their PE dies.
const DYING: usize = 200;

#[test]
#[ignore = "started by one who hears too late"]
fn one_who_gets_and_dies() {
    let mut to = vec![0_u8; DYING << 12];
    die_with(|number, from| Op::Get { from, to: to[number << 12..].as_mut_ptr(), len: 1 << 12 });
}

#[test]
#[ignore = "started by one who hears too late"]
fn one_who_puts_and_dies() {
    let source = vec![0_u8; 1 << 20];
    die_with(|_, to| Op::Put { to, from: source.as_ptr(), len: source.len() });
}

/// PE 1 of `one_who_hears_too_late`, which starts it.
fn die_with(mut op: impl FnMut(usize, Remote) -> Op) {
    let pipes = Pipes::of_child();
    let (mut words, mut word) = (vec![0_u64; WORDS], 7_u64);
    let fabric = join(Pe(1), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    let at = |offset| Remote { pe: Pe(0), segment: SegmentId::HEAP, offset };
    complete(&*fabric, &*lane, &Op::Get { from: at(0), to: (&raw mut word).cast(), len: 8 }).unwrap();
    // SAFETY: short puts are copied.
    unsafe { lane.post(&Op::Put { to: at(8), from: [7_u64].as_ptr().cast(), len: 8 }) }.unwrap();
    (0..100).for_each(|_| _ = lane.progress());
    pipes.exchange(Vec::new());
    for number in 0..DYING {
        // SAFETY: the memory outlives the process.
        unsafe { lane.post(&op(number, at(16))) }.unwrap();
    }
    (0..100).for_each(|_| _ = lane.progress());
    pipes.exchange(Vec::new());
    // This call never returns.
    pipes.exchange(Vec::new());
}

/// A peer that stands still is lost after the time that was set, even if UCX's keepalive would wait longer.
#[test]
fn a_peer_that_is_silent() {
    succeeds(again("one_who_hears_nothing", Some("tcp,self")).env("UCX_KEEPALIVE_INTERVAL", "1s").spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn one_who_hears_nothing() {
    const SILENCE: Duration = Duration::from_secs(3);
    if is_absent() {
        return;
    }
    let (mut child, pipes) = other("a_victim");
    let mut words = vec![0_u64; WORDS];
    let options = ferrite_ucx::Options { silence: Some(SILENCE), ..support::options(Pe(0), 2) };
    let fabric = connected(ferrite_ucx::open(options).unwrap(), &mut words, &pipes);
    let lane = fabric.lane().unwrap();
    complete(&*fabric, &*lane, &put(&7)).unwrap();
    stop(&child);
    let ended = complete(&*fabric, &*lane, &put(&8));
    child.kill().unwrap();
    child.wait().unwrap();
    let fault = ended.unwrap_err();
    assert!(fault.to_string().contains("PE 1"), "{fault}");
}

/// An operation on memory that the target has not registered is a fault of the sender, and the fault names the operation.
#[test]
fn memory_that_is_not_there() {
    succeeds(again("a_reach_too_far", Some("tcp,self")).spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn a_reach_too_far() {
    if is_absent() {
        return;
    }
    let to = Remote { pe: Pe(0), segment: SegmentId::HEAP, offset: 8 * WORDS as u64 };
    let (mut word, far) = (1_u64, to);
    let get = Op::Get { from: far, to: (&raw mut word).cast(), len: 8 };
    let put = Op::Put { to: far, from: (&raw const word).cast(), len: 8 };
    for op in [put, get] {
        let mut words = vec![0_u64; WORDS];
        let alone = Alone;
        let fabric = join(Pe(0), &mut words, &alone);
        let lane = fabric.lane().unwrap();
        let fault = complete(&*fabric, &*lane, &op).unwrap_err();
        assert!(fault.to_string().contains("PE 0"), "{fault}");
    }
}

/// A get beyond what its target has registered, by a key that promises more: the target refuses it, and is not lost.
#[test]
fn a_get_that_is_refused() {
    succeeds(again("one_who_is_refused", Some("tcp,self")).spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn one_who_is_refused() {
    if is_absent() {
        return;
    }
    let [mine, target, lender] = [0, 1, 1].map(|me| make(Pe(me), 2));
    let (mut words, mut more, mut word) = (vec![0_u64; WORDS], vec![0_u64; 2 * WORDS], 1_u64);
    let segment =
        |words: &mut [u64]| Segment { id: SegmentId::HEAP, base: words.as_mut_ptr().cast(), len: 8 * words.len() };
    // SAFETY: the fabrics are dropped before the words.
    let key = unsafe {
        target.register(segment(&mut words)).unwrap();
        lender.register(segment(&mut more)).unwrap()
    };
    let addresses = vec![mine.address(), target.address()];
    let book = Arc::new(Book { addresses, keys: vec![key.0.to_vec(); 2] });
    for fabric in [&mine, &target] {
        fabric.connect(book.clone()).unwrap();
    }
    let lane = mine.lane().unwrap();
    let from = Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: 8 * WORDS as u64 };
    let fault = complete(&*mine, &*lane, &Op::Get { from, to: (&raw mut word).cast(), len: 8 }).unwrap_err();
    assert!(fault.to_string().starts_with("PE 1 refused an operation: 8 bytes at offset"), "{fault}");
    assert_eq!((mine.lost_peer(), word), (None, 1));
    drop((lane, mine, target, lender));
}

struct Alone;

impl Meeting for Alone {
    fn exchange(&self, mine: Vec<u8>) -> Vec<Vec<u8>> {
        vec![mine]
    }
}

/// If UCX cannot be opened, the error names the setting to change.
#[test]
fn transports_that_do_not_exist() {
    succeeds(again("no_such_transport", Some("nonsense")).spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn no_such_transport() {
    let Err(error) = ferrite_ucx::open(support::options(Pe(0), 1)) else { panic!("it opened") };
    let error = error.to_string();
    assert!(error.contains("UCX_TLS") || error.starts_with("loading UCX"), "{error}");
}
