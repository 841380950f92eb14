//! A context's stream of operations, over an endpoint.
//!
//! # Whose endpoint
//!
//! Endpoints are dear: each has connections to every peer that it has reached, several megabytes of queues and buffers, and
//! with some providers one of 256 places at the peer. So an endpoint ([`Core`]) stays open when its lane ends, for the next
//! one, and where there are more lanes than the plan has endpoints for, they share. Who shares an endpoint shares its
//! tickets and its fences: one waits, at worst, for what the other had posted before.
//!
//! # Who may touch what
//!
//! All of an endpoint is behind one mutex. A context's thread has it while it posts or makes progress; the progress
//! thread takes it when the program stays away, to move what was left behind. Replies come by way of the service,
//! which may be in the hands of another context's thread: it leaves them in `mail`, and whoever makes progress on the
//! lane takes them. The order of locks is lane, then service (tried, never waited for), then mail.

use crate::{
    buffers::{Buffers, Contexts},
    endpoint::{self, Done, Endpoint, Failed, Needs},
    ledger::{Ledger, Old},
    object::Object,
    peers::{Peer, Peers},
    plan::{Class, Told},
    post,
    shared::{Access, Shared},
    wire::{self, MESSAGE_BYTES_MAX, Reply},
};
use ferrite_fabric::{Busy, Error, Lane, Op, Pe, Quiet, Result, Silence, Stage, Ticket, Turns, mutex, tick::Rest};
use libfabric_sys::*;
use std::{
    collections::VecDeque,
    ffi::c_void,
    mem::{self, MaybeUninit},
    os::fd::RawFd,
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// Small puts and requests that may be under way.
const STAGED: usize = 128;
/// Completions read at once.
const BATCH: usize = 16;
/// How long the end of a lane waits for what was not waited for.
const PARTING: Duration = Duration::from_secs(1);

/// Something that the provider is busy with.
#[derive(Clone, Copy, Debug, Default)]
pub struct Flight {
    /// The operation it belongs to; 0 if none waits for it.
    pub ticket: u64,
    /// To whom.
    pub peer: u32,
    /// As what.
    pub class: Option<Class>,
    /// It has a [`Load`]: for `State::posted` to say, which takes that too.
    pub loaded: bool,
}

/// What a flight uses beside the caller's memory, where it does: kept apart, for most do not.
#[derive(Default)]
pub struct Load {
    /// The buffer that it uses.
    pub staged: Option<u32>,
    /// What to do with the buffer's content at the end.
    pub landing: Landing,
    /// Memory that was registered for it alone.
    pub region: Option<Object<fid_mr>>,
}

/// Where what was fetched goes.
#[derive(Clone, Copy, Default)]
pub enum Landing {
    /// It is where it belongs.
    #[default]
    None,
    /// So many bytes of the buffer.
    Bytes(*mut u8, usize),
    /// A word, from this place in the buffer.
    Word(Old, usize),
}

/// The lane proper. Fields are dropped in their order: the endpoint before the memory that it uses.
pub struct State {
    pub(crate) number: u32,
    pub(crate) endpoint: Endpoint,
    pub(crate) contexts: Contexts,
    pub(crate) flights: Box<[Flight]>,
    pub(crate) loads: Box<[Load]>,
    pub(crate) free: Vec<u32>,
    pub(crate) buffers: Buffers,
    pub(crate) ledger: Ledger,
    pub(crate) peers: Peers,
    pub(crate) fences: u64,
    /// The rest of operations that the provider had no room for: one for a peer at most, and nothing else is posted for that
    /// meanwhile.
    pub(crate) backlog: VecDeque<post::Rest>,
    /// Signals whose data has arrived, or that are held back by the provider.
    pub(crate) signals: VecDeque<(u64, crate::ledger::Signal)>,
    /// Injected puts that only the counter tells of, and whose they are.
    pub(crate) counted: Vec<(u64, u32)>,
    /// Writes that the counter counts.
    pub(crate) writes: u64,
    /// Requests whose reply has not come.
    pub(crate) asked: u32,
    pub(crate) silence: Silence,
    /// The peer that was last waited for.
    pub(crate) awaited: u32,
    /// The provider refused what was posted last.
    pub(crate) denied: bool,
    /// The provider refused something: it needs progress, even if nothing is under way.
    pub(crate) refused: bool,
    pub(crate) message: Vec<u8>,
}

// SAFETY: the pointers in a lane are the caller's, promised to be good until their tickets complete, by whatever
// thread; and those of the provider, which are used by one thread at a time, under the mutex.
unsafe impl Send for State {}

/// An endpoint, and all that goes over it.
pub struct Core {
    state: Mutex<State>,
    mail: Mutex<Vec<Reply>>,
    /// There is mail. Stored after the mail under its mutex, so whoever takes the mutex after seeing it finds it.
    has_mail: AtomicBool,
    /// Readable when there may be something to do, if threads shall be able to sleep.
    pub wait_fd: Option<RawFd>,
}

impl Core {
    /// An endpoint with nothing under way, that nobody uses; `wait` if threads shall be able to sleep until something happens.
    pub fn new(access: Access<'_>, number: u32, wait: bool) -> Result<Self> {
        let depth = access.plan.depth;
        let needs = Needs {
            depth: depth + BATCH,
            counter: access.plan.told == Told::Counter,
            wait,
            messages: access.plan.has_requests(),
        };
        let endpoint = Endpoint::open(access.domain, needs)?;
        let buffers = Buffers::new(access, endpoint.as_ptr(), STAGED, MESSAGE_BYTES_MAX)?;
        let state = State {
            number,
            endpoint,
            contexts: Contexts::new(depth),
            flights: vec![Flight::default(); depth].into(),
            loads: (0..depth).map(|_| Load::default()).collect(),
            free: (0..depth as u32).rev().collect(),
            buffers,
            ledger: Ledger::default(),
            peers: Peers::default(),
            fences: 0,
            backlog: VecDeque::new(),
            signals: VecDeque::new(),
            counted: Vec::new(),
            writes: 0,
            asked: 0,
            silence: Silence::default(),
            awaited: 0,
            denied: false,
            refused: false,
            message: Vec::new(),
        };
        let (has_mail, wait_fd) = (AtomicBool::new(false), state.endpoint.wait_fd);
        Ok(Core { state: Mutex::new(state), mail: Mutex::default(), has_mail, wait_fd })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        mutex::lock(&self.state)
    }

    /// The same, unless somebody has it.
    fn try_state(&self) -> Option<MutexGuard<'_, State>> {
        mutex::try_lock(&self.state)
    }

    /// A reply for this lane.
    pub fn receive(&self, reply: Reply) {
        let mut mail = mutex::lock(&self.mail);
        mail.push(reply);
        self.has_mail.store(true, Ordering::Release);
    }

    /// Nothing is under way. Waits for the lane's mutex: see [`crate::progress`].
    pub fn is_idle(&self) -> bool {
        self.state().is_idle()
    }

    /// One attempt to rest, if anything is under way: armed only if nothing happened, so that whoever waits for what might have may
    /// sleep.
    pub fn rest(&self, shared: &Shared) -> Option<Rest> {
        let mut state = self.state();
        if state.is_idle() && !self.has_mail.load(Ordering::Acquire) {
            return None;
        }
        if self.advance(shared, &mut state) > 0 {
            return Some(Rest::Busy);
        }
        // Whoever makes room for the rest of an operation may take long.
        let held_up = state.has_rest() || state.refused;
        Some(if held_up { Rest::Uneasy } else { state.endpoint.rest(&shared.domain) })
    }

    /// Let the provider take in what has come, its own messages too, before the endpoint closes. Over verbs rxm of libfabric 1.17
    /// crashed in closing endpoints that were not read once more (one job in three, where replies were taken before the queue).
    pub fn drain(&self, shared: &Shared) {
        let mut state = self.state();
        while state.harvest(shared) > 0 {}
    }

    /// Nobody enters it any more: the process ends.
    pub fn shut(&self) {
        mem::forget(self.state());
    }

    /// Move what can be moved, unless the context's own thread is at it.
    pub fn attend(&self, shared: &Shared) {
        if let Some(mut state) = self.try_state() {
            self.advance(shared, &mut state);
        }
    }

    #[inline]
    fn advance(&self, shared: &Shared, state: &mut State) -> usize {
        let mut happened = 0;
        if !state.is_idle() {
            happened += state.harvest(shared);
        }
        if self.has_mail.load(Ordering::Acquire) {
            self.has_mail.store(false, Ordering::Relaxed);
            let mail = mem::take(&mut *mutex::lock(&self.mail));
            happened += mail.len();
            mail.iter().for_each(|reply| state.replied(shared, reply));
        }
        if state.has_rest()
            && let Err(error) = state.send_rest(shared)
        {
            shared.fate.fail(&error);
        }
        state.watch(shared, happened > 0);
        happened
    }
}

/// See [`Lane`].
pub struct OfiLane {
    // Before what it belongs to.
    core: Arc<Core>,
    shared: Arc<Shared>,
    /// The ticket of the last that was posted here. Stored under the core's mutex.
    last: AtomicU64,
    turns: Turns,
}

impl OfiLane {
    /// A new stream.
    pub fn new(shared: Arc<Shared>) -> Result<Self> {
        let core = shared.join_lane()?;
        Ok(OfiLane { core, shared, last: AtomicU64::default(), turns: Turns::default() })
    }

    /// One step of progress, unless what is awaited is there already: whether it is, and the number of things that happened.
    #[inline]
    fn turn(&self, mut state: MutexGuard<'_, State>, arrived: impl Fn(&State) -> bool) -> (bool, usize) {
        if arrived(&state) {
            return (true, 0);
        }
        // Replies come to the service: who waits for none may leave it to its turns.
        let alone = !state.is_idle() && state.asked == 0;
        let happened = self.core.advance(&self.shared, &mut state);
        let arrived = happened > 0 && arrived(&state);
        drop(state);
        if self.turns.are_others_due() {
            self.attend_others();
            self.shared.sockets.unpace();
        }
        // Only who serves counts as one who is here: the thread stays away then.
        let serve = |looks| {
            self.shared.visits.count(looks);
            self.shared.serve()
        };
        (arrived, if alone { self.turns.take(happened, serve) } else { happened + serve(1) })
    }

    /// Bring forward what was posted on other lanes: while the program waits here, for what may well depend on it, nobody
    /// else does.
    #[cold]
    fn attend_others(&self) {
        self.shared.lanes.others(&self.core).iter().for_each(|core| core.attend(&self.shared));
    }
}

impl Lane for OfiLane {
    unsafe fn post(&self, op: &Op) -> Result<Ticket, Busy> {
        if !self.shared.fate.is_sound() {
            return Err(Busy);
        }
        let mut state = self.core.state();
        // SAFETY: as the caller says.
        let posted = unsafe { state.post(&self.shared, op) };
        if let Ok(Ok(Ticket(ticket))) = posted {
            self.last.store(ticket, Ordering::Relaxed);
        }
        drop(state);
        self.shared.bell.rouse();
        posted.unwrap_or_else(|error| {
            self.shared.fate.fail(&error);
            Err(Busy)
        })
    }

    fn fence(&self) {
        self.core.state().fences += 1;
    }

    fn reached(&self, stage: Stage) -> Ticket {
        self.core.state().ledger.reached(stage)
    }

    fn progress(&self) -> usize {
        self.core.try_state().map_or(0, |state| self.turn(state, |_| false).1)
    }

    fn has_reached(&self, stage: Stage, ticket: Ticket) -> bool {
        self.turn(self.core.state(), |state| state.ledger.reached(stage) >= ticket).0
    }

    fn is_local(&self, ticket: Ticket) -> bool {
        self.turn(self.core.state(), |state| state.ledger.is_local(ticket)).0
    }

    fn is_quiet_at(&self, pe: Pe) -> bool {
        self.turn(self.core.state(), |state| state.is_quiet_at(pe)).0
    }
}

impl Drop for OfiLane {
    /// What was not waited for gets a moment; the endpoint stays, and goes on with it.
    fn drop(&mut self) {
        let deadline = Instant::now() + PARTING;
        let waits = || self.reached(Stage::Remote).0 < self.last.load(Ordering::Relaxed);
        while self.shared.fate.is_sound() && waits() && Instant::now() < deadline {
            if self.progress() == 0 {
                thread::sleep(Duration::from_micros(50));
            }
        }
        self.shared.lanes.leave(&self.core);
    }
}

impl State {
    /// Nothing is under way, not even a message whose reply is all that is waited for: layers that repeat what is
    /// lost do so only while they are progressed.
    #[inline]
    fn is_idle(&self) -> bool {
        self.ledger.is_empty() && self.free.len() == self.flights.len() && !self.refused
    }

    /// All that was posted for a PE is complete there.
    fn is_quiet_at(&self, pe: Pe) -> bool {
        let Some(number) = self.peers.known(pe) else { return true };
        let peer = self.peers.get(number);
        peer.is_none_or(Peer::is_quiet) && self.backlog.iter().all(|rest| rest.peer() != number)
    }

    /// A peer that gives no sign of life for too long is lost.
    #[inline]
    fn watch(&mut self, shared: &Shared, happened: bool) {
        if happened || (self.is_idle() && !self.denied) {
            return self.silence.end();
        }
        if let Quiet::Lost(why) = self.silence.look(shared.options.silence, &shared.links) {
            let whom = self.peers.get(self.awaited).map_or("a peer".to_owned(), |peer| peer.pe.to_string());
            let name = &shared.domain.offer.name;
            shared.fate.fail(&Error::new(format!("{whom} counts as lost over libfabric's {name}: {why}")));
        }
    }

    /// Read what has completed.
    #[inline]
    fn harvest(&mut self, shared: &Shared) -> usize {
        self.refused = false;
        let mut entries = [const { MaybeUninit::uninit() }; BATCH];
        // SAFETY: the lane is ours alone while its mutex is held.
        let read = unsafe { endpoint::read(&shared.domain.library, &self.endpoint.queue, &mut entries) };
        let entries = read.unwrap_or_else(|failed| {
            self.failed(shared, &failed);
            &[]
        });
        for entry in entries {
            self.completed(Done::from(entry).context);
        }
        entries.len() + self.count()
    }

    /// What only the counter tells of is complete once it has counted all writes.
    #[inline]
    fn count(&mut self) -> usize {
        let Some(counter) = self.endpoint.counter.as_ref().filter(|_| !self.counted.is_empty()) else { return 0 };
        // SAFETY: the counter is open.
        if unsafe { fi_cntr_read(counter.as_ptr()) } < self.writes {
            return 0;
        }
        let all = mem::take(&mut self.counted);
        for &(ticket, peer) in &all {
            self.part_done(ticket, peer, Class::Write);
        }
        all.len()
    }

    #[inline]
    fn completed(&mut self, context: *mut c_void) {
        let Some(number) = self.contexts.number(context) else { return };
        let Flight { ticket, peer, class, loaded } = self.flights[number];
        self.free.push(number as u32);
        if loaded {
            self.unload(number);
        }
        if let Some(class) = class {
            self.part_done(ticket, peer, class);
        }
    }

    /// Give back what a flight used.
    fn unload(&mut self, number: usize) {
        let Load { staged, landing, region } = mem::take(&mut self.loads[number]);
        if let Some(staged) = staged {
            let at = self.buffers.at(staged);
            // SAFETY: the buffer holds what was fetched, and the caller's memory is good until the ticket completes,
            // which is after this.
            unsafe { landing.land(at) };
            self.buffers.give(staged);
        }
        drop(region);
    }

    #[inline]
    fn part_done(&mut self, ticket: u64, peer: u32, class: Class) {
        self.peers.at(peer).closed(class);
        if let Some(signal) = self.ledger.part_done(ticket) {
            self.signals.push_back((ticket, *signal));
        }
    }

    fn replied(&mut self, shared: &Shared, reply: &Reply) {
        let Some((fetch, peer)) = self.ledger.replied(reply.ticket) else {
            return tracing::warn!(?reply, "a reply to nothing that was asked");
        };
        self.asked = self.asked.saturating_sub(1);
        match reply.outcome {
            // SAFETY: the caller's word is good until the ticket completes, which is below.
            Ok(value) => unsafe { fetch.set(value) },
            Err(code) => {
                let pe = self.peers.at(peer).pe;
                return shared.fate.fail(&Error::new(format!("{pe} refused a request: {}", wire::refused(code))));
            }
        }
        self.part_done(reply.ticket, peer, Class::Request);
    }

    #[cold]
    fn failed(&mut self, shared: &Shared, failed: &Failed) {
        let flight = self.contexts.number(failed.context).map(|number| &self.flights[number]);
        let peer = flight.and_then(|flight| self.peers.get(flight.peer));
        let what = match flight.and_then(|flight| flight.class) {
            Some(Class::Read) => "a get from",
            Some(Class::Write) => "a put to",
            Some(Class::Atomic) => "an atomic at",
            Some(Class::Request) | None => "a message to",
        };
        let whom = peer.map_or("a peer".to_owned(), |peer| peer.pe.to_string());
        let name = &shared.domain.offer.name;
        shared.fate.fail(&Error::new(format!("{what} {whom} failed over libfabric's {name}: {}", failed.why)));
    }
}

impl Landing {
    /// Bring what was fetched to where it belongs.
    ///
    /// # Safety
    /// `from` holds it, and the place is writable.
    unsafe fn land(self, from: *const u8) {
        // SAFETY: as the caller says.
        unsafe {
            match self {
                Landing::None => {}
                Landing::Bytes(to, len) => to.copy_from_nonoverlapping(from, len),
                Landing::Word(old, at) if !old.to.is_null() => old.to.copy_from_nonoverlapping(from.add(at), old.size),
                Landing::Word(..) => {}
            }
        }
    }
}
