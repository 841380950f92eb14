//! One PE of a conformance run: a fabric, two segments, a lane, and the operations that rules are written in.

use crate::pages::Pages;
use ferrite_fabric::{
    AddressBook, Amo, Busy, Doze, Error, Fabric, Key, Lane, Op, Pe, Remote, Result, Segment, SegmentId, SignalOp,
    Stage, Ticket, Width,
};
use std::{
    fmt::Display,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Size of each member's heap in bytes.
pub const HEAP_BYTES: usize = 6 << 20;
/// Size of each member's control segment in bytes.
pub const CONTROL_BYTES: usize = 4096;
/// Longer than any wait of a run that is not stuck.
const STUCK: Duration = Duration::from_secs(120);

/// Number of polls before a waiting member sleeps in its provider, as a PE does that shares its core.
const LOOKS_BEFORE_DOZING: u64 = 16;
const DOZE: Duration = Duration::from_micros(200);

/// How the members of a run communicate outside of the fabric.
pub trait Meeting {
    /// Contribute `mine`, wait until all members have contributed, and return all contributions in the order of PEs.
    fn exchange(&self, mine: Vec<u8>) -> Vec<Vec<u8>>;
}

/// One PE of a run.
pub struct Member<'a> {
    /// Number of this PE.
    pub me: Pe,
    /// Number of PEs in the run.
    pub size: u32,
    /// Its main stream of operations.
    pub lane: Box<dyn Lane>,
    // Dropped before the memory that it reaches.
    fabric: Box<dyn Fabric>,
    heap: Pages,
    control: Pages,
    meeting: &'a dyn Meeting,
}

struct Book {
    addresses: Vec<Vec<u8>>,
    keys: Vec<[Key; 2]>,
}

impl AddressBook for Book {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        self.addresses.get(pe.0 as usize).cloned().ok_or_else(|| Error::new(format!("no {pe} in this world")))
    }

    fn key(&self, pe: Pe, segment: SegmentId) -> Result<Key> {
        let which = usize::from(segment == SegmentId::CONTROL);
        self.keys.get(pe.0 as usize).map(|k| k[which].clone()).ok_or_else(|| Error::new(format!("no {pe}")))
    }
}

impl<'a> Member<'a> {
    /// Register two segments of zeros, exchange their keys with the other members, and connect.
    pub fn new(fabric: Box<dyn Fabric>, me: Pe, size: u32, meeting: &'a dyn Meeting) -> Self {
        let (heap, control) = (Pages::new(HEAP_BYTES), Pages::new(CONTROL_BYTES));
        let register = |id, words: &Pages| {
            let segment = Segment { id, base: words.base(), len: size_of_val(&**words) };
            // SAFETY: the member drops its fabric before its memory, and the words may change under shared
            // references because they are atomics.
            unsafe { fabric.register(segment) }.expect("a segment is registered")
        };
        let keys = [register(SegmentId::HEAP, &heap), register(SegmentId::CONTROL, &control)];
        let [first, second] = keys.map(|key| meeting.exchange(key.0.into()));
        let keys = first.into_iter().zip(second).map(|(a, b)| [Key(a.into()), Key(b.into())]).collect();
        let addresses = meeting.exchange(fabric.address());
        fabric.connect(Arc::new(Book { addresses, keys })).expect("the book is taken");
        let lane = fabric.lane().expect("a lane opens");
        Member { me, size, lane, fabric, heap, control, meeting }
    }

    /// The provider's name.
    pub fn name(&self) -> &'static str {
        self.fabric.name()
    }

    pub fn fabric(&self) -> &dyn Fabric {
        &*self.fabric
    }

    /// Wait for all members. Make progress meanwhile only if the fabric needs it to serve peers.
    pub fn meet(&self) {
        if self.fabric.caps().needs_target_progress { self.meet_and_serve() } else { self.meet_and_do_nothing() }
    }

    /// Wait for all members, without touching the fabric.
    pub fn meet_and_do_nothing(&self) {
        self.meeting.exchange(Vec::new());
    }

    /// Whether all members say yes. The fabric is not touched meanwhile.
    pub fn all(&self, yes: bool) -> bool {
        self.meeting.exchange(vec![u8::from(yes)]).iter().all(|said| said == &[1])
    }

    /// Wait for all members, and make progress until all have come. Another member may make progress for a moment longer.
    pub fn meet_and_serve(&self) {
        let over = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !over.load(Ordering::Acquire) {
                    self.lane.progress();
                }
            });
            self.meet_and_do_nothing();
            over.store(true, Ordering::Release);
        });
    }

    /// The PE with the next number, cyclically.
    pub fn right(&self) -> Pe {
        Pe((self.me.0 + 1) % self.size)
    }

    /// The PE with the previous number, cyclically.
    pub fn left(&self) -> Pe {
        Pe((self.me.0 + self.size - 1) % self.size)
    }

    /// A word of this member's heap, counted in words.
    pub fn word(&self, index: usize) -> &AtomicU64 {
        &self.heap[index]
    }

    /// A word of this member's control segment.
    pub fn control(&self, index: usize) -> &AtomicU64 {
        &self.control[index]
    }

    /// A copy of a piece of this member's heap.
    pub fn bytes(&self, offset: usize, len: usize) -> Vec<u8> {
        assert!(offset + len <= HEAP_BYTES);
        let mut copy = vec![0; len];
        // SAFETY: within the heap; a rule reads only bytes that are not being written.
        unsafe { copy.as_mut_ptr().copy_from_nonoverlapping(self.heap.as_ptr().cast::<u8>().add(offset), len) };
        copy
    }

    /// Fill a piece of this member's heap.
    pub fn fill(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= HEAP_BYTES);
        let to = self.heap.as_ptr().cast::<u8>().cast_mut();
        // SAFETY: within the heap; a rule writes only bytes that no other member or thread touches.
        unsafe { to.add(offset).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }

    /// Post on the main lane, making progress while it is busy.
    pub fn post(&self, op: &Op) -> Ticket {
        self.post_on(&*self.lane, op)
    }

    /// Post on `lane`, making progress while it is busy, and until the network has all of the operation.
    pub fn post_on(&self, lane: &dyn Lane, op: &Op) -> Ticket {
        let mut ticket = None;
        self.until(lane, "a post", || {
            // SAFETY: rules keep the memory that operations point to until the operations are complete.
            ticket = unsafe { lane.post(op) }.map_err(|Busy| ()).ok();
            ticket.is_some()
        });
        let ticket = ticket.expect("the wait ends with a ticket");
        self.until(lane, "the rest of a post", || lane.has_left(ticket));
        ticket
    }

    /// Make progress until `ticket` has come to `stage`.
    pub fn wait(&self, ticket: Ticket, stage: Stage) {
        self.wait_on(&*self.lane, ticket, stage);
    }

    /// Make progress until this one operation is local, whatever is under way before it.
    pub fn wait_for_one(&self, ticket: Ticket) {
        self.until(&*self.lane, "one ticket", || self.lane.is_local(ticket));
    }

    /// The same as [`Member::wait`], on `lane`.
    pub fn wait_on(&self, lane: &dyn Lane, ticket: Ticket, stage: Stage) {
        self.until(lane, "a ticket", || lane.reached(stage) >= ticket);
    }

    /// Make progress until `happened`.
    pub fn until(&self, lane: &dyn Lane, what: &str, mut happened: impl FnMut() -> bool) {
        settle(self.fabric(), lane, format_args!("{what} of {}", self.me), || happened().then_some(()));
    }

    /// Wait until a word of this member satisfies `right`.
    pub fn see(&self, word: &AtomicU64, right: impl Fn(u64) -> bool) -> u64 {
        let mut value = 0;
        self.until(&*self.lane, "a word", || {
            value = word.load(Ordering::Acquire);
            right(value)
        });
        value
    }

    /// Put, and wait until the source may be reused.
    pub fn put(&self, to: Remote, bytes: &[u8]) -> Ticket {
        let ticket = self.post(&Op::Put { to, from: bytes.as_ptr(), len: bytes.len() });
        self.wait(ticket, Stage::Local);
        ticket
    }

    /// Get, and wait for the data.
    pub fn get(&self, from: Remote, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        let ticket = self.post(&Op::Get { from, to: bytes.as_mut_ptr(), len });
        self.wait_for_one(ticket);
        bytes
    }

    /// Post an atomic, wait for the old value, and return it.
    pub fn fetch(&self, at: Remote, width: Width, op: Amo, operand: u64, compare: u64) -> u64 {
        // The bytes behind a narrow result do not belong to the operation, and must not change.
        const BEHIND: u32 = 0xa5a5_5a5a;
        let mut old = [0, BEHIND];
        let ticket = self.post(&Op::Amo { at, width, op, operand, compare, fetch: old.as_mut_ptr().cast() });
        self.wait_for_one(ticket);
        match width {
            Width::W32 => {
                assert_eq!(old[1], BEHIND, "a narrow result was written too widely");
                old[0].into()
            }
            // SAFETY: eight bytes of any pattern.
            Width::W64 => unsafe { std::mem::transmute::<[u32; 2], u64>(old) },
        }
    }

    /// Post an atomic that returns no value. The caller need not wait for it.
    pub fn amo(&self, at: Remote, width: Width, op: Amo, operand: u64) -> Ticket {
        self.post(&Op::Amo { at, width, op, operand, compare: 0, fetch: std::ptr::null_mut() })
    }

    /// Put with a signal, and wait until the source may be reused.
    pub fn put_signal(&self, to: Remote, bytes: &[u8], signal: Remote, op: SignalOp, value: u64) -> Ticket {
        let (from, len) = (bytes.as_ptr(), bytes.len());
        let ticket = self.post(&Op::PutSignal { to, from, len, signal, op, value });
        self.wait(ticket, Stage::Local);
        ticket
    }
}

/// Make progress until `happened` returns a value. For threads of a rule that have no [`Member`] of their own.
#[expect(clippy::disallowed_methods, reason = "the runtime's home for waiting is above this floor")]
pub(crate) fn settle<T>(
    fabric: &dyn Fabric,
    lane: &dyn Lane,
    what: impl Display,
    mut happened: impl FnMut() -> Option<T>,
) -> T {
    let (start, mut looks) = (Instant::now(), 0_u64);
    loop {
        looks += 1;
        if let Some(value) = happened() {
            return value;
        }
        if lane.progress() == 0 && (looks < LOOKS_BEFORE_DOZING || fabric.doze(DOZE) == Doze::Refused) {
            thread::yield_now();
        }
        if let Some(fault) = fabric.fault() {
            panic!("waiting for {what}: {fault}");
        }
        assert!(start.elapsed() < STUCK, "waiting for {what}, and nothing happens");
    }
}
