//! A performance model: how long a collective takes on a machine of a million PEs.
//!
//! LogGP (Alexandrov, Ionescu, Schauser, Scheiman: "LogGP: incorporating long messages into the LogP model", SPAA
//! 1995), with parameters for pairs within a node and for pairs across nodes. Each PE has a clock. A send costs it
//! `overhead`, occupies its port for the gap or for `len * gap_per_byte`, whichever is longer, and arrives `latency`
//! after that. A receipt costs `overhead` again. Copying and folding cost by the byte. No data is stored, so the
//! algorithms run unchanged at sizes whose data would fit no machine.

use ferrite_collectives::{CELL_STRIDE, Direct, Epochs, Exchange, Flag, Items, QUEUE, Rank, Span, WINDOW};
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, VecDeque};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};

/// Picoseconds.
pub type Picos = u64;

/// LogGP's parameters for one kind of pair.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// Time from port to memory.
    pub latency: Picos,
    /// Processor time of each send and each receipt.
    pub overhead: Picos,
    /// Time between messages at the sender's port.
    pub gap: Picos,
    /// Time per byte at the sender's port.
    pub gap_per_byte: Picos,
}

/// The parameters of a machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Machine {
    /// Number of PEs per node; a node has consecutive PEs.
    pub node: usize,
    /// Parameters within a node.
    pub near: Link,
    /// Parameters between nodes.
    pub far: Link,
    /// Time to copy or combine a byte.
    pub touch_per_byte: Picos,
    /// Bytes of scratch per share of the window.
    pub scratch: usize,
}

impl Machine {
    /// Nodes of 64 PEs, 20 million messages a second and 25 GB/s a port; cache lines of 100 ns and 20 GB/s within a node.
    pub const TYPICAL: Machine = Machine {
        node: 64,
        near: Link { latency: 100_000, overhead: 10_000, gap: 10_000, gap_per_byte: 50 },
        far: Link { latency: 1_500_000, overhead: 100_000, gap: 50_000, gap_per_byte: 40 },
        touch_per_byte: 50,
        scratch: 64 << 10,
    };
}

/// The key of a message: group and line, and the tag.
type Key = (u32, u64);
/// The line of tallies, which are not flags.
const TALLY: u32 = 0xffff;
/// The first line of the queue.
const QUEUE_LINE: u32 = 0x8000;
/// The group of messages that programs send outside collectives.
const PUT: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Arrival {
    key: Key,
    at: Picos,
    cost: Picos,
    depth: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Waiting {
    Nothing,
    Arrivals(Key, u64),
    Peer(u32),
}

#[derive(Clone, Copy, Default)]
struct Counted {
    count: u64,
    latest: Picos,
    depth: u32,
}

/// All PEs: their clocks, the messages that have arrived, and the PEs that wait.
pub struct Model {
    machine: Machine,
    pes: Vec<Pe>,
    ready: RefCell<VecDeque<u32>>,
    watchers: RefCell<HashMap<u32, Vec<u32>>>,
    gathered: RefCell<HashMap<(u32, Key), Counted>>,
    messages: Cell<u64>,
}

struct Pe {
    clock: Cell<Picos>,
    port: Cell<Picos>,
    depth: Cell<u32>,
    bytes: Cell<u64>,
    far_bytes: Cell<u64>,
    waiting: Cell<Waiting>,
    inbox: RefCell<Vec<Arrival>>,
}

/// The cost of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// Time at which the last PE returned.
    pub time: Picos,
    /// Number of messages in the longest chain of dependent messages.
    pub depth: u32,
    /// Number of messages of all PEs.
    pub messages: u64,
    /// Bytes that the busiest PE sent, without flags.
    pub bytes: u64,
    /// Bytes that the PEs of the busiest node sent to other nodes, without flags.
    pub node_bytes: u64,
}

/// The PEs of a team: `base`, `base + stride`, and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Team {
    /// Number of the team among the teams of one PE: 0 to 3.
    pub id: u32,
    /// PE of rank 0.
    pub base: usize,
    /// Distance in PEs between consecutive ranks.
    pub stride: usize,
    pub size: usize,
}

impl Model {
    /// `pes` PEs of `machine`, all at time zero.
    pub fn new(machine: Machine, pes: usize) -> Model {
        let pe = || Pe {
            clock: Cell::new(0),
            port: Cell::new(0),
            depth: Cell::new(0),
            bytes: Cell::new(0),
            far_bytes: Cell::new(0),
            waiting: Cell::new(Waiting::Nothing),
            inbox: RefCell::new(Vec::new()),
        };
        Model {
            machine,
            pes: (0..pes).map(|_| pe()).collect(),
            ready: RefCell::new((0..pes as u32).collect()),
            watchers: RefCell::default(),
            gathered: RefCell::default(),
            messages: Cell::new(0),
        }
    }

    /// `pe`'s view of `team`, which it must be a member of.
    pub fn member(&self, pe: usize, team: Team) -> Timed<'_> {
        let me = (pe - team.base) / team.stride;
        Timed { model: self, pe, me: me as Rank, team, epochs: Epochs::new() }
    }

    /// Run one program per PE, each from `make`.
    pub fn run<'m, F: Future<Output = ()> + 'm>(&'m self, make: impl Fn(usize) -> F) -> Cost {
        self.try_run(make).expect("no deadlock")
    }

    /// The same as [`Model::run`], but returns `None` on a deadlock.
    pub fn try_run<'m, F: Future<Output = ()> + 'm>(&'m self, make: impl Fn(usize) -> F) -> Option<Cost> {
        let mut programs: Vec<Option<Pin<Box<F>>>> = (0..self.pes.len()).map(|pe| Some(Box::pin(make(pe)))).collect();
        let mut context = Context::from_waker(Waker::noop());
        let mut left = programs.len();
        while let Some(pe) = self.next() {
            let Some(program) = &mut programs[pe] else { continue };
            if program.as_mut().poll(&mut context).is_ready() {
                programs[pe] = None;
                left -= 1;
            }
        }
        if left > 0 {
            return None;
        }
        let most = |of: fn(&Pe) -> u64| self.pes.iter().map(of).max().unwrap_or(0);
        let left = |node: &[Pe]| node.iter().map(|pe| pe.far_bytes.get()).sum();
        Some(Cost {
            time: most(|pe| pe.clock.get()),
            depth: most(|pe| pe.depth.get() as u64) as u32,
            messages: self.messages.get(),
            bytes: most(|pe| pe.bytes.get()),
            node_bytes: self.pes.chunks(self.machine.node).map(left).max().unwrap_or(0),
        })
    }

    /// The clock of `pe`.
    pub fn clock(&self, pe: usize) -> Picos {
        self.pes[pe].clock.get()
    }

    /// `pe` computes, or spends this time on something that costs the other PEs nothing.
    pub fn pass(&self, pe: usize, time: Picos) {
        let clock = &self.pes[pe].clock;
        clock.set(clock.get() + time);
    }

    /// Send a message of the program's own, which can be awaited by each of these tags ([`Model::await_put`]).
    pub fn put(&self, from: usize, to: usize, len: usize, tags: &[u64]) {
        let (first, rest) = tags.split_first().map_or((None, tags), |(first, rest)| (Some(*first), rest));
        self.send(from, to, (PUT, first.unwrap_or(u64::MAX)), len);
        let sent = if first.is_some() { self.pes[to].inbox.borrow().last().copied() } else { None };
        match sent {
            Some(sent) => rest.iter().for_each(|&tag| self.deliver(to, Arrival { key: (PUT, tag), cost: 0, ..sent })),
            // Without a tag, no PE waits for it.
            None => drop(self.pes[to].inbox.borrow_mut().pop()),
        }
    }

    /// The same for a message that arrives at once, at the current time of `from`.
    pub fn store(&self, from: usize, to: usize, tags: &[u64]) {
        let pe = &self.pes[from];
        for &tag in tags {
            self.deliver(to, Arrival { key: (PUT, tag), at: pe.clock.get(), cost: 0, depth: pe.depth.get() + 1 });
        }
    }

    fn deliver(&self, to: usize, arrival: Arrival) {
        let target = &self.pes[to];
        target.inbox.borrow_mut().push(arrival);
        let key = arrival.key;
        if matches!(target.waiting.get(), Waiting::Arrivals(wanted, count) if wanted == key && self.arrived(to, key) >= count)
        {
            self.wake(to);
        }
    }

    /// Wait until the message with this tag has arrived at `pe`.
    pub fn await_put(&self, pe: usize, tag: u64) -> impl Future<Output = ()> {
        poll_fn(move |_| self.take(pe, (PUT, tag), 1))
    }

    /// Advance the clock of `pe` by the time of a request to `of` and an answer of `len` bytes.
    pub fn ask(&self, pe: usize, of: usize, len: usize) {
        let link = if self.is_near(pe, of) { self.machine.near } else { self.machine.far };
        self.pass(pe, 2 * (link.latency + link.overhead) + link.gap_per_byte * len as u64);
    }

    /// Advance the clock of `pe` until everything that it has sent has left its port and been acknowledged.
    pub fn settle(&self, pe: usize) {
        let (clock, port) = (&self.pes[pe].clock, self.pes[pe].port.get());
        if port > clock.get() {
            clock.set(port + self.machine.far.latency);
        }
    }

    fn next(&self) -> Option<usize> {
        self.ready.borrow_mut().pop_front().map(|pe| pe as usize)
    }

    fn is_near(&self, a: usize, b: usize) -> bool {
        a / self.machine.node == b / self.machine.node
    }

    fn send(&self, from: usize, to: usize, key: Key, len: usize) {
        let pe = &self.pes[from];
        let is_near = self.is_near(from, to);
        let link = if is_near { self.machine.near } else { self.machine.far };
        let start = (pe.clock.get() + link.overhead).max(pe.port.get());
        let wire = link.gap_per_byte * len as u64;
        pe.clock.set(pe.clock.get() + link.overhead);
        pe.port.set(start + link.gap.max(wire));
        pe.bytes.set(pe.bytes.get() + len as u64);
        if !is_near {
            pe.far_bytes.set(pe.far_bytes.get() + len as u64);
        }
        self.messages.set(self.messages.get() + 1);
        let arrival = Arrival { key, at: start + wire + link.latency, cost: link.overhead, depth: pe.depth.get() + 1 };
        self.deliver(to, arrival);
    }

    fn arrived(&self, pe: usize, key: Key) -> u64 {
        self.pes[pe].inbox.borrow().iter().filter(|a| a.key == key).count() as u64
    }

    fn wake(&self, pe: usize) {
        self.pes[pe].waiting.set(Waiting::Nothing);
        self.ready.borrow_mut().push_back(pe as u32);
    }

    fn wake_watchers(&self, of: usize) {
        for pe in self.watchers.borrow_mut().remove(&(of as u32)).unwrap_or_default() {
            self.wake(pe as usize);
        }
    }

    fn sleep(&self, pe: usize, on: Waiting) -> Poll<()> {
        if let Waiting::Peer(peer) = on {
            self.watchers.borrow_mut().entry(peer).or_default().push(pe as u32);
        }
        self.pes[pe].waiting.set(on);
        Poll::Pending
    }

    /// `pe` receives, at time `at`, the last message of a chain of `depth` messages.
    fn learn(&self, pe: usize, at: Picos, depth: u32, cost: Picos) {
        let pe = &self.pes[pe];
        pe.clock.set(pe.clock.get().max(at) + cost);
        pe.depth.set(pe.depth.get().max(depth));
    }

    fn take(&self, pe: usize, key: Key, count: u64) -> Poll<()> {
        if self.arrived(pe, key) < count {
            return self.sleep(pe, Waiting::Arrivals(key, count));
        }
        let mut taken: Vec<Arrival> = Vec::new();
        self.pes[pe].inbox.borrow_mut().retain(|a| {
            if a.key == key {
                taken.push(*a);
            }
            a.key != key
        });
        taken.sort_unstable_by_key(|a| a.at);
        taken.iter().for_each(|a| self.learn(pe, a.at, a.depth, a.cost));
        Poll::Ready(())
    }

    fn touch(&self, pe: usize, len: usize) {
        let clock = &self.pes[pe].clock;
        clock.set(clock.get() + self.machine.touch_per_byte * len as u64);
    }
}

/// A member of a team in a [`Model`].
pub struct Timed<'m> {
    model: &'m Model,
    pe: usize,
    me: Rank,
    team: Team,
    epochs: Epochs,
}

impl Timed<'_> {
    fn pe_of(&self, rank: Rank) -> usize {
        self.team.base + rank as usize * self.team.stride
    }
    fn key(&self, line: u32, tag: u64) -> Key {
        (self.team.id << 16 | line, tag)
    }
    fn flag(&self, flag: Flag) -> Key {
        let line = flag.line as u32 + if flag.is_queued { QUEUE_LINE } else { 0 };
        self.key(line, flag.tag(self.epochs.current()))
    }
    fn tally(&self) -> Key {
        self.key(TALLY, self.epochs.current())
    }
    /// Publish an event of this member at PE `at`, where all members can poll it.
    fn post(&self, at: usize, key: Key, enough: u64) {
        let pe = &self.model.pes[self.pe];
        let mut gathered = self.model.gathered.borrow_mut();
        let counted = gathered.entry((at as u32, key)).or_default();
        counted.count += 1;
        counted.latest = counted.latest.max(pe.clock.get() + self.model.machine.near.latency);
        counted.depth = counted.depth.max(pe.depth.get() + 1);
        let complete = counted.count >= enough;
        drop(gathered);
        if complete {
            self.model.wake_watchers(at);
        }
    }
    fn look(&self, at: usize, key: Key, enough: u64) -> Poll<()> {
        let seen = self.model.gathered.borrow().get(&(at as u32, key)).copied().unwrap_or_default();
        if seen.count < enough {
            return self.model.sleep(self.pe, Waiting::Peer(at as u32));
        }
        self.model.learn(self.pe, seen.latest, seen.depth, self.model.machine.near.overhead);
        Poll::Ready(())
    }
}

impl Exchange for Timed<'_> {
    fn me(&self) -> Rank {
        self.me
    }
    fn size(&self) -> Rank {
        self.team.size as Rank
    }
    fn grain(&self) -> usize {
        8
    }
    fn scratch(&self) -> usize {
        self.model.machine.scratch
    }
    fn epochs(&self) -> &Epochs {
        &self.epochs
    }
    fn send(&self, peer: Rank, _: Span, from: Span, flag: Flag) {
        if peer == self.me {
            self.model.touch(self.pe, from.len);
            self.post(self.pe, self.flag(flag), 1);
        } else {
            self.model.send(self.pe, self.pe_of(peer), self.flag(flag), from.len);
        }
    }
    fn send_counted(&self, peer: Rank, _: Items, from: Items) {
        self.model.send(self.pe, self.pe_of(peer), self.tally(), from.item * from.count);
    }
    fn landed(&self, flag: Flag) -> impl Future<Output = ()> {
        let key = self.flag(flag);
        poll_fn(move |_| self.model.take(self.pe, key, 1))
    }
    fn tallied(&self, count: u64) -> impl Future<Output = ()> {
        let key = self.tally();
        poll_fn(move |_| self.model.take(self.pe, key, count))
    }
    async fn settled(&self) {
        let pe = &self.model.pes[self.pe];
        pe.clock.set(pe.clock.get().max(pe.port.get()));
    }
    fn copy(&self, into: Span, from: Span) {
        if (into.area, into.offset) != (from.area, from.offset) {
            self.model.touch(self.pe, into.len);
        }
    }
    fn copy_items(&self, into: Items, _: Items) {
        self.model.touch(self.pe, into.item * into.count);
    }
    fn zero(&self, into: Span) {
        self.model.touch(self.pe, into.len);
    }
    fn fold(&self, into: Span, _: Span) {
        self.model.touch(self.pe, into.len);
    }
    fn fold_front(&self, into: Span, _: Span) {
        self.model.touch(self.pe, into.len);
    }
    fn load(&self, _: Span) -> u64 {
        0
    }
    fn store(&self, _: Span, _: u64) {}
}

impl Direct for Timed<'_> {
    fn landed_at(&self, peer: Rank, flag: Flag) -> impl Future<Output = ()> {
        let (at, key) = (self.pe_of(peer), self.flag(flag));
        poll_fn(move |_| self.look(at, key, 1))
    }
    fn arrive(&self) {
        self.post(self.team.base, self.tally(), self.team.size as u64);
    }
    fn all_arrived(&self) -> impl Future<Output = ()> {
        let key = self.tally();
        poll_fn(move |_| self.look(self.team.base, key, self.team.size as u64))
    }
    async fn pull(&self, _: Rank, into: Span, _: Span) {
        let near = self.model.machine.near;
        let pe = &self.model.pes[self.pe];
        pe.clock.set(pe.clock.get() + near.latency + near.gap_per_byte * into.len as u64);
    }
    async fn join(&self, peer: Rank, into: Span, _: Span, from: Span) {
        self.pull(peer, into, from).await;
    }
}

/// Bytes that a team costs each member: cells and scratch, `WINDOW` times, and the queue.
pub fn team_bytes(size: usize, scratch: usize) -> usize {
    let cells = ferrite_collectives::exchange::lines(size as Rank) * CELL_STRIDE;
    WINDOW as usize * (cells + scratch) + QUEUE as usize * CELL_STRIDE
}

/// Bytes of a member's table of all members: where each one's cells are mapped.
pub fn table_bytes(size: usize) -> usize {
    size * size_of::<*mut u8>()
}
