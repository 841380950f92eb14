//! The network below all ports of a run. It is passive: a run asks for its possible [`Move`]s, and makes one.
//!
//! A call is under way from its post until it has taken effect at the peer. [`Limits::orders`] promises that a call does not take effect
//! before an earlier one of the same port to the same peer; everything else is the adversary's choice. Messages take effect when the peer's
//! port is polled, other calls without a poll, as with a NIC.

mod call;

pub use call::{Action, Memory, Source};
use call::{Call, Stage};

use super::adversary::Adversary;
use crate::rng::Mixer;
use ferrite_engine::{
    Answer, Error, Event, Flush, Limits, Location, Orders, PeerNumber, Posted, SegmentId, Target, Token, Update,
    segments,
};
use std::{
    collections::VecDeque,
    hash::{Hash, Hasher},
    mem,
    ops::Range,
    ptr,
    sync::Arc,
};

/// How often the adversary disturbs ports: each event happens on average once in this many times; 0 means never.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Habits {
    /// A call is refused, or an answer has no room.
    pub busy: usize,
    /// Only a part of a call's bytes is accepted.
    pub partial: usize,
    /// A call is complete when it returns, if its kind allows that.
    pub at_once: usize,
    /// A piece of a transfer takes effect before the rest.
    pub pieces: usize,
    /// A poll leaves an event or a message for a later poll.
    pub late: usize,
}

/// Declare the breaches, and the list of all of them.
macro_rules! breaches {
    ($($(#[$doc:meta])* $breach:ident,)*) => {
        /// Promises of a port that a network breaks on request, so that a test can prove that the trials would notice. Each has the effect
        /// of a bug in an engine.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub enum Breach {
            $($(#[$doc])* $breach,)*
        }

        impl Breach {
            pub const ALL: &[Breach] = &[$(Breach::$breach,)*];
        }
    };
}

breaches! {
    /// Only messages keep their order, as if a fence did not wait.
    KeepsNoOrder,
    /// A call is complete before it has taken effect, as if a part of an operation counted twice.
    CompletesEarly,
    /// The token of another call comes back, as if a token was used again while its call is under way.
    ConfusesTokens,
    /// A flush does not wait for writes, as if a quiet forgot a peer.
    FlushesNothing,
    /// A message is answered before its data is stored, as if a signal did not wait for its data.
    AnswersEarly,
}

/// A message that has arrived at a port.
#[derive(Debug)]
pub struct Message {
    /// Identifies the message for [`Network::executed`].
    pub id: (usize, usize),
    /// The port that sent it.
    pub from: usize,
    /// The head of the message.
    pub head: Vec<u8>,
    /// The data of the message.
    pub data: Vec<u8>,
}

/// Something that may happen next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Move {
    /// The call at this place completes locally: its data has been read.
    Release(usize),
    /// The message at this place arrives at its port.
    Arrive(usize),
    /// The call at this place, or a piece of it, takes effect.
    Effect(usize),
}

#[derive(Debug)]
struct Ending {
    pe: usize,
    /// Number of calls so far.
    posted: usize,
    /// The PEs that it has met, by peer number.
    met: Vec<usize>,
    /// Events that the port has not polled yet.
    due: VecDeque<Event>,
}

/// The simulated network of a run.
pub struct Network {
    /// The source of all choices.
    pub adversary: Box<dyn Adversary>,
    /// How often the adversary disturbs ports.
    pub habits: Habits,
    limits: Limits,
    /// Calls under way, in the order in which they were posted.
    calls: Vec<Call>,
    ports: Vec<Ending>,
    /// The memory of each PE, and below it the port of its service.
    targets: Vec<Option<Arc<Target>>>,
    services: Vec<Option<usize>>,
    lost: Vec<bool>,
    /// A hash of everything that each PE has been told. Engines that have been told the same are in the same state.
    told: Vec<u64>,
    /// Number of times that memory may have been stored to.
    pub stores: u64,
    /// Number of times that a port was asked to push.
    pub pushes: u64,
    /// The first rule of the contract that an engine broke.
    pub broken: Option<String>,
    /// The promise that this network breaks.
    breach: Option<Breach>,
}

impl Network {
    /// A network for `pes` PEs.
    pub fn new(pes: usize, limits: Limits, habits: Habits, adversary: Box<dyn Adversary>) -> Network {
        Network {
            adversary,
            habits,
            limits,
            calls: Vec::new(),
            ports: Vec::new(),
            targets: vec![None; pes],
            services: vec![None; pes],
            lost: vec![false; pes],
            told: vec![0; pes],
            stores: 0,
            pushes: 0,
            broken: None,
            breach: None,
        }
    }

    /// Break a promise from now on.
    pub fn commit(&mut self, breach: Breach) {
        if breach == Breach::KeepsNoOrder {
            let Orders { message_message, .. } = self.limits.orders;
            self.limits.orders = Orders { message_message, ..Orders::default() };
        }
        self.breach = Some(breach);
    }

    /// Whether the network breaks this promise.
    pub fn commits(&self, breach: Breach) -> bool {
        self.breach == Some(breach)
    }

    /// A PE joins, with the memory that it exposes to peers.
    pub fn join(&mut self, pe: usize, target: Arc<Target>) {
        self.targets[pe] = Some(target);
    }

    /// Open a port of a PE. Returns its number.
    pub fn open(&mut self, pe: usize, serves: bool) -> usize {
        let number = self.ports.len();
        self.ports.push(Ending { pe, posted: 0, met: Vec::new(), due: VecDeque::new() });
        if serves {
            self.services[pe] = Some(number);
        }
        number
    }

    /// A port meets a peer.
    pub fn meet(&mut self, port: usize, peer: usize) {
        self.ports[port].met.push(peer);
    }

    /// Record a broken rule of the contract; only the first counts.
    pub fn complain(&mut self, what: impl Into<String>) {
        self.broken.get_or_insert(what.into());
    }

    /// A hash of everything that a PE has been told.
    pub fn told(&self, pe: usize) -> u64 {
        self.told[pe]
    }

    fn tell(&mut self, pe: usize, what: impl Hash) {
        let mut hasher = Mixer::default();
        (self.told[pe], what).hash(&mut hasher);
        self.told[pe] = hasher.finish();
    }

    /// True if there is no room for a call now.
    pub fn is_busy(&mut self, port: usize) -> bool {
        let is_busy = self.adversary.once_in(self.habits.busy);
        if is_busy {
            self.tell(self.ports[port].pe, "busy");
        }
        is_busy
    }

    /// Number of a call's bytes that are accepted.
    pub fn take(&mut self, len: usize) -> usize {
        self.part(len, self.habits.partial)
    }

    /// Number of the remaining bytes of a transfer that take effect next.
    pub fn piece(&mut self, left: usize) -> usize {
        self.stores += 1;
        self.part(left, self.habits.pieces)
    }

    fn part(&mut self, len: usize, times: usize) -> usize {
        if len > 1 && self.adversary.once_in(times) { 1 + self.adversary.choose(len - 1) } else { len }
    }

    /// Post a call. It may be complete when this returns.
    pub fn post(&mut self, from: usize, peer: PeerNumber, token: Token, action: Action, len: usize) -> Posted {
        let Ending { pe, posted, met, .. } = &mut self.ports[from];
        let (pe, to) = (*pe, met[peer as usize]);
        let call =
            Call { id: (from, *posted), from, to, token: Some(token), action, len, left: 0..len, stage: Stage::Away };
        *posted += 1;
        self.calls.push(call);
        let last = self.calls.len() - 1;
        let is_over = self.adversary.once_in(self.habits.at_once) && self.end_now(last);
        self.tell(pe, (from, len, is_over));
        if is_over { Posted::Done(len) } else { Posted::Pending(len) }
    }

    /// Complete the last call before its post returns, if that is possible. Returns true if it did.
    fn end_now(&mut self, last: usize) -> bool {
        let is_local = self.ends_locally(&self.calls[last]);
        if !is_local && self.is_held(last) {
            return false;
        }
        let mut call = self.calls.remove(last);
        call.token = None;
        if is_local {
            call.capture();
            self.calls.push(call);
        } else {
            self.apply(&call, 0..call.len);
        }
        true
    }

    /// True if a call completes locally before it takes effect.
    fn ends_locally(&self, call: &Call) -> bool {
        match call.action {
            Action::Message(..) => true,
            Action::Write(..) => self.limits.flush == Flush::Call || self.commits(Breach::CompletesEarly),
            Action::Read(..) | Action::Atomic(_) | Action::Flush | Action::Answer(..) => false,
        }
    }

    /// Send an answer to a port.
    pub fn answer(&mut self, from: usize, to: usize, answer: Answer) {
        let (id, pe) = ((from, self.ports[from].posted), self.ports[to].pe);
        self.ports[from].posted += 1;
        if !self.lost[pe] {
            let action = Action::Answer(to, answer);
            self.calls.push(Call { id, from, to: pe, token: None, action, len: 0, left: 0..0, stage: Stage::Away });
        }
    }

    /// The port that gets the answer to a request from port `asked_by`: that port, or its PE's service.
    pub fn answered_at(&self, asked_by: usize) -> usize {
        let service = self.services[self.ports[asked_by].pe].filter(|_| self.limits.answers_come_to_service);
        service.unwrap_or(asked_by)
    }

    /// True if an earlier call must take effect first.
    fn is_held(&self, place: usize) -> bool {
        let later = &self.calls[place];
        if self.commits(Breach::FlushesNothing) && matches!(later.action, Action::Flush) {
            return false;
        }
        let mut earlier = self.calls[..place].iter().filter(|call| (call.from, call.to) == (later.from, later.to));
        earlier.any(|earlier| earlier.holds_back(later, &self.limits))
    }

    /// The moves that may happen without a poll.
    pub fn moves(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for (place, call) in self.calls.iter().enumerate() {
            if self.ends_locally(call) && call.token.is_some() {
                moves.push(Move::Release(place));
            }
            match call.action {
                Action::Message(..) | Action::Answer(..) if call.stage != Stage::Away => {}
                _ if self.is_held(place) => {}
                Action::Message(..) | Action::Answer(..) => moves.push(Move::Arrive(place)),
                _ => moves.push(Move::Effect(place)),
            }
        }
        moves
    }

    pub fn make(&mut self, a_move: Move) {
        match a_move {
            Move::Release(place) => {
                self.calls[place].capture();
                self.give_back(place);
            }
            Move::Arrive(place) => self.calls[place].stage = Stage::There,
            Move::Effect(place) => {
                let left = self.calls[place].left.clone();
                let is_transfer = matches!(self.calls[place].action, Action::Write(..) | Action::Read(..));
                let len = if is_transfer { self.piece(left.len()) } else { left.len() };
                let (piece, rest) = if len < left.len() && self.adversary.choose(2) == 1 {
                    (left.end - len..left.end, left.start..left.end - len)
                } else {
                    (left.start..left.start + len, left.start + len..left.end)
                };
                self.calls[place].left = rest;
                let call = self.calls.remove(place);
                self.apply(&call, piece);
                self.calls.insert(place, call);
                if self.calls[place].left.is_empty() {
                    self.give_back(place);
                    self.calls.remove(place);
                }
            }
        }
    }

    fn give_back(&mut self, place: usize) {
        let from = self.calls[place].from;
        if self.commits(Breach::ConfusesTokens)
            && let Some(other) = self.calls.iter().position(|call| call.from == from && call.token.is_some())
        {
            let others = self.calls[other].token.take();
            self.calls[other].token = mem::replace(&mut self.calls[place].token, others);
        }
        if let Some(token) = self.calls[place].token.take() {
            self.ports[from].due.push_back(Event::Done(token));
        }
    }

    /// A part of a call takes effect.
    fn apply(&mut self, call: &Call, part: Range<usize>) {
        self.stores += 1;
        let Some(target) = &self.targets[call.to] else { return };
        let place = |at: Location| target.segments.place(at.beyond(part.start), part.len() as u64);
        let result = match &call.action {
            Action::Write(at, source) => place(*at).map(|to| {
                // SAFETY: the place was checked; the source is a copy, or the program's memory, which stays valid until the token is given
                // back.
                unsafe { segments::store(to, source.start().add(part.start), part.len()) }
            }),
            Action::Read(at, to) => place(*at).map(|from| {
                // SAFETY: the place was checked; the program keeps its memory until the token is given back.
                unsafe { ptr::copy_nonoverlapping(from.cast_const(), to.0.add(part.start), part.len()) }
            }),
            Action::Atomic(update) => {
                let Update { at, width, op, operand, compare, fetch, .. } = *update;
                target.segments.amo(at, width, op, operand, compare).map(|old| {
                    if !fetch.is_null() {
                        // SAFETY: the program keeps the place of the old value until the token is given back.
                        unsafe { width.write(fetch, old) };
                    }
                })
            }
            Action::Flush | Action::Message(..) | Action::Answer(..) => Ok(()),
        };
        if let Err(refusal) = result {
            self.complain(refusal.to_string());
        }
    }

    /// Report the events of a port's calls to it.
    pub fn hand_over(&mut self, port: usize, events: &mut Vec<Event>) {
        while !self.ports[port].due.is_empty() && !self.adversary.once_in(self.habits.late) {
            let place = self.adversary.choose_one(self.ports[port].due.len());
            let Ending { pe, due, .. } = &mut self.ports[port];
            let (pe, event) = (*pe, due.remove(place));
            self.tell(pe, (port, event.as_ref().map(code)));
            events.extend(event);
        }
    }

    fn is_for(&self, place: usize, port: usize) -> bool {
        let call = &self.calls[place];
        let to = match call.action {
            Action::Answer(to, _) => Some(to),
            _ => self.services[call.to],
        };
        call.stage == Stage::There && to == Some(port)
    }

    /// The next message for a port. It stays under way until it is executed.
    pub fn message(&mut self, port: usize) -> Option<Message> {
        let here: Vec<usize> = (0..self.calls.len()).filter(|place| self.is_for(*place, port)).collect();
        if here.is_empty() || self.adversary.once_in(self.habits.late) {
            return None;
        }
        let place = here[self.adversary.choose_one(here.len())];
        let call = &mut self.calls[place];
        call.stage = Stage::Taken;
        self.stores += 1;
        call.capture();
        let (id, from) = (call.id, call.from);
        let (head, data) = match &mut call.action {
            Action::Message(head, Source::Copied(data)) => (mem::take(head), mem::take(data)),
            Action::Answer(_, answer) => (answer.encode().to_vec(), Vec::new()),
            _ => unreachable!("it is a message"),
        };
        self.tell(self.ports[port].pe, (id, &head, &data));
        if matches!(self.calls[place].action, Action::Answer(..)) {
            self.calls.remove(place);
        }
        Some(Message { id, from, head, data })
    }

    /// A message has taken effect.
    pub fn executed(&mut self, id: (usize, usize)) {
        if let Some(place) = self.calls.iter().position(|call| call.id == id) {
            self.give_back(place);
            self.calls.remove(place);
        }
    }

    /// True if one of a PE's ports has an event or a message to poll.
    pub fn has_work(&self, pe: usize) -> bool {
        let mut ports = (0..self.ports.len()).filter(|port| self.ports[*port].pe == pe);
        ports
            .any(|port| !self.ports[port].due.is_empty() || (0..self.calls.len()).any(|place| self.is_for(place, port)))
    }

    /// A PE dies: calls under way to it and from it are dropped, and ports that have met it get an event.
    pub fn lose(&mut self, pe: usize) {
        let ports = &self.ports;
        self.calls.retain(|call| call.to != pe && ports[call.from].pe != pe);
        self.leave(pe);
    }

    /// Fail the messages under way to a PE that is about to leave.
    pub fn fail_messages(&mut self, pe: usize) {
        let ports = &mut self.ports;
        self.calls.retain(|call| {
            let fails = call.to == pe && matches!(call.action, Action::Message(..));
            if let (true, Some(token)) = (fails, call.token) {
                ports[call.from].due.push_back(Event::CallLost(token, Error::new("the message was not taken")));
            }
            !fails
        });
    }

    /// A PE leaves in order: its calls under way remain, and ports that have met it get an event.
    pub fn leave(&mut self, pe: usize) {
        self.lost[pe] = true;
        for port in self.ports.iter_mut().filter(|port| port.pe != pe) {
            if let Some(number) = port.met.iter().position(|met| *met == pe) {
                port.due.push_back(Event::Lost(number as PeerNumber, Error::new("it is dead")));
            }
        }
    }

    /// The reason why a peer of a port cannot be reached; `None` if it can.
    pub fn lost(&self, port: usize, peer: PeerNumber) -> Option<Error> {
        let pe = self.ports[port].met[peer as usize];
        self.lost[pe].then(|| Error::new(format!("PE {pe} is dead")))
    }

    /// Hash the network's state that decides the rest of the run; the run hashes its own.
    pub fn fingerprint(&self, hasher: &mut impl Hasher) {
        let mut calls: Vec<_> = (self.calls.iter())
            .map(|call| (call.id, call.token.map(|token| token.0), call.left.clone(), call.stage))
            .collect();
        calls.sort_unstable_by_key(|call| call.0);
        (calls, &self.told).hash(hasher);
        for port in &self.ports {
            port.due.iter().map(code).collect::<Vec<_>>().hash(hasher);
        }
    }
}

fn code(event: &Event) -> (u8, u32) {
    match event {
        Event::Done(token) => (0, token.0),
        Event::Lost(peer, _) => (1, *peer),
        Event::Failed(_) => (2, 0),
        Event::CallLost(token, _) => (3, token.0),
    }
}

/// The only segment of a run.
pub const SEGMENT: SegmentId = SegmentId::HEAP;
