//! Adds each call to this PE's record.

use core::{
    cell::Cell,
    mem,
    sync::atomic::{AtomicBool, AtomicU32, Ordering::Relaxed},
};
use ferrite_callstack::caller::CallSite;
use ferrite_os::{clock::monotonic_ns, mutex};
use ferrite_profile::{
    Class, Event, Meeting, Peer, Record, Routine, Team,
    record::{HeapUse, SIZE_BINS, size_bin},
};
use ferrite_runtime::observe::{Call, Kind, View};
use std::{collections::HashMap, sync::Mutex};

/// Time above which a call is worth a walk of the stack.
pub(super) const SLOW_NS: u64 = 20_000;
/// Maximum number of calls in a trace: some 20 megabytes.
const EVENTS_MAX: usize = 1 << 18;
/// Maximum number of parts in collectives that the PEs of a job keep together, and the bounds of each PE's share.
const MEETINGS_OF_JOB: usize = 1 << 21;
const MEETINGS_MIN: usize = 1 << 11;
const MEETINGS_MAX: usize = 1 << 16;
/// Maximum number of recorded changes of the heap.
const HEAP_MAX: usize = 1 << 14;
/// Maximum size of a put that counts as a flag: longer ones are data.
const FLAG_MAX: usize = 64;

thread_local! {
    /// Time when the call began that this thread is in.
    static BEGUN: Cell<u64> = const { Cell::new(0) };
    /// This thread's number, from 1; 0 if it has none yet.
    static THREAD: Cell<u32> = const { Cell::new(0) };
}

/// Records the calls of this PE.
pub(super) struct Recorder {
    /// Whether `shmem_pcontrol` allows recording.
    open: AtomicBool,
    /// Whether all calls are kept, for a trace.
    traces: bool,
    threads: AtomicU32,
    state: Mutex<State>,
}

struct State {
    record: Record,
    /// Numbers of routines, keyed by the address of their site.
    routines: HashMap<usize, u32>,
    /// Indexed by PE; peers without operations are left out in the end.
    peers: Vec<Peer>,
    /// Numbers of places in the program, from 1: number `n` becomes entry `n - 1` of the record.
    sites: HashMap<CallSite, u32>,
    closed_since: Option<u64>,
}

impl Recorder {
    pub fn new(traces: bool) -> Recorder {
        let sizes = vec![[0; SIZE_BINS]; Class::ALL.len()];
        let record = Record { begin: monotonic_ns(), stride: 1, sizes, ..Record::default() };
        let state =
            State { record, routines: HashMap::new(), peers: Vec::new(), sites: HashMap::new(), closed_since: None };
        Recorder { open: AtomicBool::new(true), traces, threads: AtomicU32::new(0), state: Mutex::new(state) }
    }

    pub fn begin(&self) {
        BEGUN.set(monotonic_ns());
    }

    pub fn end(&self, view: View<'_>, call: &Call) {
        let (begin, end) = (BEGUN.get(), monotonic_ns());
        if call.kind == Kind::Control {
            return self.control(call.root, end);
        }
        if !self.open.load(Relaxed) {
            return;
        }
        let Some(class) = class(call.kind) else { return };
        let waits = matches!(class, Class::Collective | Class::Wait | Class::Lock | Class::Heap);
        // Outside of the lock, because it takes a while.
        let site = (waits && end - begin >= SLOW_NS).then(|| call.caller());
        let thread = if self.traces { self.thread() } else { 0 };
        let mut state = mutex::lock(&self.state);
        let site = site.map_or(0, |site| state.site(site));
        let routine = state.add(class, call, end - begin);
        if class.has_peer() && call.pe >= 0 {
            state.add_peer(view, class, call);
        }
        if class == Class::Heap {
            state.add_heap(view, end);
        }
        if let Some(group) = call.group.filter(|_| call.kind.is_collective()) {
            let team = Team { slot: group.slot, born: group.born, first: group.first, size: group.size };
            let bytes = call.layout.bytes() as u64;
            let meeting = Meeting { team, number: group.number, routine, bytes, begin, end, site };
            state.add_meeting(meeting, view.size() as usize);
        }
        if self.traces {
            let meeting = call.group.map(|group| {
                (Team { slot: group.slot, born: group.born, first: group.first, size: group.size }, group.number)
            });
            let peer = (class.has_peer() && call.pe >= 0).then_some(call.pe as u32);
            let (bytes, word) = (call.layout.bytes() as u64, word(view, class, call));
            state.add_event(Event { begin, end, routine, thread, peer, bytes, word, meeting, site });
        }
    }

    /// `shmem_pcontrol`: level 0 stops recording, any other level resumes it.
    fn control(&self, level: i32, at: u64) {
        let mut state = mutex::lock(&self.state);
        let opens = level != 0;
        self.open.store(opens, Relaxed);
        match (opens, state.closed_since) {
            (false, None) => state.closed_since = Some(at),
            (true, Some(since)) => {
                state.record.closed += at - since;
                state.closed_since = None;
            }
            _ => {}
        }
    }

    fn thread(&self) -> u32 {
        if THREAD.get() == 0 {
            THREAD.set(self.threads.fetch_add(1, Relaxed) + 1);
        }
        THREAD.get() - 1
    }

    /// Take the record. No call is recorded after this.
    pub fn take(&self, view: View<'_>) -> Record {
        self.control(1, monotonic_ns());
        let mut state = mutex::lock(&self.state);
        let mut record = mem::take(&mut state.record);
        record.end = monotonic_ns();
        record.pe = view.me();
        record.pes = view.size();
        record.node = view.nodes().node_of(ferrite_fabric::Pe(view.me()));
        record.host = rustix::system::uname().nodename().to_string_lossy().into_owned();
        if view.is_crowded() {
            record.shared_cpus = std::thread::available_parallelism().map_or(0, |cpus| cpus.get() as u32);
        }
        record.program = program();
        record.transports = vec!["shared memory".to_owned()];
        record.transports.extend(view.far_name().map(str::to_owned));
        record.peers = mem::take(&mut state.peers).into_iter().filter(|peer| peer.ops != [0; 3]).collect();
        let mut sites: Vec<_> = mem::take(&mut state.sites).into_iter().map(|(site, number)| (number, site)).collect();
        sites.sort_unstable();
        record.sites = sites.into_iter().map(|(_, site)| site.source().to_string()).collect();
        record
    }
}

impl State {
    /// Number of a place in the program.
    fn site(&mut self, site: CallSite) -> u32 {
        if site == CallSite::UNKNOWN {
            return 0;
        }
        let next = self.sites.len() as u32 + 1;
        *self.sites.entry(site).or_insert(next)
    }

    /// Add a call to its routine. Return the routine's number.
    fn add(&mut self, class: Class, call: &Call, ns: u64) -> u32 {
        let record = &mut self.record;
        let number = *self.routines.entry(core::ptr::from_ref(call.site) as usize).or_insert_with(|| {
            // Several sites have the same name if a routine is exported more than once.
            let known = record.routines.iter().position(|one| one.name == call.site.name && one.class == class);
            let new = known.is_none().then(|| {
                let name = call.site.name.to_owned();
                record.routines.push(Routine { name, class, calls: 0, ns: 0, ns_max: 0, bytes: 0 });
                record.routines.len() - 1
            });
            known.or(new).unwrap_or_default() as u32
        });
        let routine = &mut record.routines[number as usize];
        let bytes = call.layout.bytes() as u64;
        routine.calls += 1;
        routine.ns += ns;
        routine.ns_max = routine.ns_max.max(ns);
        if class.has_peer() || class == Class::Collective {
            routine.bytes += bytes;
            record.sizes[class as usize][size_bin(bytes)] += 1;
        }
        number
    }

    fn add_peer(&mut self, view: View<'_>, class: Class, call: &Call) {
        if self.peers.is_empty() {
            let peer = |pe| Peer { pe, transport: u8::from(!view.memory().is_mapped(pe as i32)), ..Peer::default() };
            self.peers = (0..view.size()).map(peer).collect();
        }
        let kind = class as usize;
        let peer = &mut self.peers[call.pe as usize];
        peer.ops[kind] += 1;
        peer.bytes[kind] += call.layout.bytes() as u64;
    }

    fn add_heap(&mut self, view: View<'_>, at: u64) {
        let usage = view.memory().heap().usage();
        if self.record.heap.len() < HEAP_MAX {
            self.record.heap.push(HeapUse { at, live: usage.live, extent: view.memory().heap_extent() as u64 });
        }
    }

    /// Keep a part in a collective. If there are too many, every other number is left out from here on, and removed from the parts that
    /// were kept. Members that have left out different numbers still agree on the rest.
    fn add_meeting(&mut self, meeting: Meeting, pes: usize) {
        let record = &mut self.record;
        if !meeting.number.is_multiple_of(record.stride) {
            return;
        }
        record.meetings.push(meeting);
        if record.meetings.len() > (MEETINGS_OF_JOB / pes).clamp(MEETINGS_MIN, MEETINGS_MAX) {
            record.stride *= 2;
            let stride = record.stride;
            record.meetings.retain(|one| one.number.is_multiple_of(stride));
        }
    }

    fn add_event(&mut self, event: Event) {
        if self.record.events.len() < EVENTS_MAX {
            self.record.events.push(event);
        } else {
            self.record.events_lost += 1;
        }
    }
}

/// Class of a kind of call.
fn class(kind: Kind) -> Option<Class> {
    Some(match kind {
        Kind::Put | Kind::PutSignal | Kind::Send => Class::Put,
        Kind::Get => Class::Get,
        Kind::Atomic | Kind::Signal => Class::Atomic,
        Kind::Fence | Kind::Quiet | Kind::QuietOfPes | Kind::LocalComplete | Kind::Flush => Class::Order,
        Kind::Wait | Kind::Test => Class::Wait,
        Kind::Lock | Kind::TryLock | Kind::Unlock => Class::Lock,
        Kind::Allocate | Kind::Reallocate | Kind::Free => Class::Heap,
        Kind::Split | Kind::DestroyTeam | Kind::CreateContext | Kind::DestroyContext => Class::Setup,
        Kind::Control => return None,
        Kind::Barrier
        | Kind::Sync
        | Kind::Broadcast
        | Kind::Collect
        | Kind::Fcollect
        | Kind::Alltoall
        | Kind::Reduce
        | Kind::Scan => Class::Collective,
    })
}

/// The word with which a call signals its peer, or for which it waits, as a key that is the same on all PEs.
fn word(view: View<'_>, class: Class, call: &Call) -> Option<u64> {
    let address = match (class, call.signal) {
        (_, Some(signal)) => signal.address,
        (Class::Put, None) if call.layout.bytes() > FLAG_MAX => return None,
        (Class::Put | Class::Atomic | Class::Wait, None) => call.remote,
        _ => return None,
    };
    (address != 0).then(|| view.memory().symmetric_key(address))
}

/// The command line of this process, cut to a readable length.
fn program() -> String {
    const LONGEST: usize = 200;
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let mut line = words.join(" ");
    if line.chars().count() > LONGEST {
        line = line.chars().take(LONGEST).chain("...".chars()).collect();
    }
    line
}
