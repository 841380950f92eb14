//! A port over a network that an adversary runs. It is also the example for authors of ports.
//!
//! A transport has two types. [`SimTransport`] is the process's access to the network: its address, its memory, the capabilities of its
//! ports. [`SimPort`] is a stream of calls: it starts them, and reports their completion by events. Neither knows about operations.
//!
//! The duties of every port, in the order of this file:
//! - [`Limits`] states what the network guarantees, and promises no more than that;
//! - `meet` finds a peer by the address that the bootstrap exchanged;
//! - `write`, `read`, `send`, `atomic` and `flush` start a call, and never wait: if there is no room, they return `Busy`;
//! - `poll` reports completed calls, passes messages to the [`Target`], and sends the answers that it returns, keeping those for which
//!   there is no room;
//! - a failure is reported as an `Event`, or as the error of the call that meets it.
//!
//! A port does not check the engine's promises. This one does, in `SimPort::start`, because it is also the engine's test.

use super::network::{Action, Breach, Memory, Message, Network, SEGMENT, Source};
use ferrite_engine::{
    Answer, Arm, Atomics, Begun, Event, Flush, HEAD_BYTES_MAX, Incoming, Limits, Location, Pe, PeerNumber, Port,
    PostError, Posted, Result, Segment, Surroundings, Target, Token, Transport, Update, segments,
};
use ferrite_fabric::{AddressBook, Error, Key};
use std::{
    collections::{HashSet, VecDeque},
    os::fd::BorrowedFd,
    sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError},
    time::{Duration, Instant},
};

/// A process's access to a simulated network.
pub struct SimTransport {
    network: Arc<Mutex<Network>>,
    surroundings: Surroundings,
    limits: Limits,
    ports_max: usize,
    book: Arc<OnceLock<Arc<dyn AddressBook>>>,
}

impl SimTransport {
    /// The transport of the PE that `surroundings` belong to.
    pub fn new(network: Arc<Mutex<Network>>, surroundings: &Surroundings, limits: Limits, ports_max: usize) -> Self {
        lock(&network).join(surroundings.target.me().0 as usize, Arc::clone(&surroundings.target));
        SimTransport { network, surroundings: surroundings.clone(), limits, ports_max, book: Arc::default() }
    }

    fn port(&self, serves: bool) -> SimPort {
        let me = self.surroundings.target.me().0 as usize;
        SimPort {
            number: lock(&self.network).open(me, serves),
            network: Arc::clone(&self.network),
            target: Arc::clone(&self.surroundings.target),
            limits: self.limits,
            book: Arc::clone(&self.book),
            under_way: HashSet::new(),
            arriving: None,
            unsent: VecDeque::new(),
        }
    }
}

impl Transport for SimTransport {
    type Port = SimPort;

    fn name(&self) -> &'static str {
        "simulated"
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    /// The address by which a peer finds this process: here the number of its PE.
    fn address(&self) -> Vec<u8> {
        self.surroundings.target.me().0.to_le_bytes().to_vec()
    }

    /// For a NIC, this would register the memory, and the key would be the peers' name for it. This network finds memory through the
    /// target's table.
    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        if segment.id == SEGMENT { Ok(Key(Box::default())) } else { Err(Error::new("there is one segment")) }
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        self.book.set(book).map_err(|_| Error::new("connected twice"))
    }

    fn service(&self) -> Result<SimPort> {
        Ok(self.port(true))
    }

    fn open(&self) -> Result<SimPort> {
        Ok(self.port(false))
    }

    fn ports_max(&self) -> usize {
        self.ports_max
    }

    fn parting_time(&self) -> Duration {
        Duration::ZERO
    }
}

/// A message whose data is being stored.
struct Arriving {
    message: Message,
    incoming: Incoming,
    /// Number of bytes stored so far.
    stored: usize,
    /// The answer has gone ahead of the data.
    is_answered: bool,
}

// SAFETY: the destination of the data is registered memory, which any thread may store to.
unsafe impl Send for Arriving {}

/// A stream of calls.
pub struct SimPort {
    number: usize,
    network: Arc<Mutex<Network>>,
    /// Executes the messages of peers.
    target: Arc<Target>,
    limits: Limits,
    book: Arc<OnceLock<Arc<dyn AddressBook>>>,
    /// Tokens of calls under way, to check the engine.
    under_way: HashSet<u32>,
    /// A message whose data is being stored, piece by piece.
    arriving: Option<Arriving>,
    /// Answers that had no room, with their destination ports.
    unsent: VecDeque<(usize, Answer)>,
}

impl SimPort {
    /// Start a call. A port of a real network only builds the call and posts it: the engine promises the conditions that are checked here.
    fn start(
        &mut self,
        peer: PeerNumber,
        token: Token,
        is_right: bool,
        call: impl FnOnce(&mut Network) -> (Action, usize),
    ) -> Result<Posted, PostError> {
        let mut network = lock(&self.network);
        if token.0 as usize >= self.limits.depth || self.under_way.contains(&token.0) {
            network.complain(format!("token {} is used while its call is under way", token.0));
        }
        if !is_right {
            network.complain("a call that the limits forbid");
        }
        if let Some(why) = network.lost(self.number, peer) {
            return Err(PostError::Lost(why));
        }
        if network.is_busy(self.number) {
            return Err(PostError::Busy);
        }
        let (action, len) = call(&mut network);
        let posted = network.post(self.number, peer, token, action, len);
        if let Posted::Pending(_) = posted {
            self.under_way.insert(token.0);
        }
        Ok(posted)
    }

    /// Execute the messages that have arrived, in order. Returns their number.
    fn serve(&mut self) -> usize {
        let mut served = 0;
        loop {
            if self.arriving.is_some() && !self.store() {
                return served;
            }
            let Some(message) = lock(&self.network).message(self.number) else { return served };
            self.receive(message);
            served += 1;
        }
    }

    /// Receive a message. A message that has arrived whole is passed to `Target::receive`. If its data comes in pieces, or is fetched,
    /// `begin` returns its destination, the port stores the data, and `finish` follows. This port has both kinds.
    fn receive(&mut self, message: Message) {
        let Message { head, data, .. } = &message;
        let begun = if data.len() > 1 {
            self.target.begin(head, data.len())
        } else {
            self.target.receive(head, data).map(Begun::Over)
        };
        match begun {
            Ok(Begun::Data(incoming)) => {
                let answers_early = lock(&self.network).commits(Breach::AnswersEarly);
                if answers_early {
                    let answer = self.target.finish(&incoming, true);
                    self.queue_answer(&message, answer);
                }
                self.arriving = Some(Arriving { message, incoming, stored: 0, is_answered: answers_early });
            }
            Ok(Begun::Over(answer)) => self.executed(&message, answer),
            Ok(Begun::Refused(refusal, answer)) => {
                lock(&self.network).complain(refusal.to_string());
                self.executed(&message, Some(answer));
            }
            Err(why) => self.target.drop_message(why),
        }
    }

    /// Store a piece of the message that is arriving. Returns true if it was the last.
    fn store(&mut self) -> bool {
        let Some(Arriving { message, incoming, stored, .. }) = &mut self.arriving else { return true };
        let left = message.data.len() - *stored;
        let piece = lock(&self.network).piece(left);
        // SAFETY: `begin` has checked the destination of all of the data; this is the next piece of it.
        unsafe { segments::store(incoming.to.add(*stored), message.data.as_ptr().add(*stored), piece) };
        *stored += piece;
        if piece == left
            && let Some(Arriving { message, incoming, is_answered, .. }) = self.arriving.take()
        {
            let answer = if is_answered { None } else { self.target.finish(&incoming, true) };
            self.executed(&message, answer);
        }
        piece == left
    }

    /// A message has taken effect: queue its answer, if there is one.
    fn executed(&mut self, message: &Message, answer: Option<Answer>) {
        lock(&self.network).executed(message.id);
        self.queue_answer(message, answer);
    }

    fn queue_answer(&mut self, message: &Message, answer: Option<Answer>) {
        let to = lock(&self.network).answered_at(message.from);
        self.unsent.extend(answer.map(|answer| (to, answer)));
    }

    /// Send the answers for which there is room. Returns their number.
    fn send_answers(&mut self) -> usize {
        let mut sent = 0;
        let mut network = lock(&self.network);
        while let Some((to, answer)) = self.unsent.front()
            && !network.is_busy(self.number)
        {
            network.answer(self.number, *to, *answer);
            self.unsent.pop_front();
            sent += 1;
        }
        sent
    }
}

impl Port for SimPort {
    fn meet(&mut self, pe: Pe) -> Result<()> {
        let book = self.book.get().ok_or_else(|| Error::new("not connected yet"))?;
        let address = book.address(pe)?;
        let number = address.as_slice().try_into().map_err(|_| Error::new(format!("{pe} has no address of ours")))?;
        lock(&self.network).meet(self.number, u32::from_le_bytes(number) as usize);
        Ok(())
    }

    unsafe fn send(
        &mut self,
        peer: PeerNumber,
        head: &[u8],
        data: *const u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        let Limits { message_bytes_max, copy_bytes_max, .. } = self.limits;
        self.start(peer, token, head.len() <= HEAD_BYTES_MAX && len <= message_bytes_max, |_| {
            // SAFETY: as the caller says.
            let data = unsafe { Source::new(data, len, len <= copy_bytes_max) };
            (Action::Message(head.to_vec(), data), len)
        })
    }

    unsafe fn read(
        &mut self,
        peer: PeerNumber,
        from: Location,
        to: *mut u8,
        len: usize,
        token: Token,
    ) -> Result<Posted, PostError> {
        self.start(peer, token, len > 0, |network| (Action::Read(from, Memory(to)), network.take(len)))
    }

    unsafe fn write(
        &mut self,
        peer: PeerNumber,
        to: Location,
        from: *const u8,
        len: usize,
        copied: bool,
        token: Token,
    ) -> Result<Posted, PostError> {
        let is_short = len <= self.limits.copy_bytes_max;
        self.start(peer, token, self.limits.writes && len > 0 && (is_short || !copied), |network| {
            let len = network.take(len);
            // SAFETY: as the caller says.
            let from = unsafe { Source::new(from, len, copied) };
            (Action::Write(to, from), len)
        })
    }

    unsafe fn atomic(&mut self, peer: PeerNumber, update: &Update, token: Token) -> Result<Posted, PostError> {
        let is_right = match self.limits.atomics {
            Atomics::Nic { fenced } => fenced || !update.fenced,
            Atomics::Target => false,
        };
        self.start(peer, token, is_right, |_| (Action::Atomic(*update), update.width.bytes()))
    }

    fn flush(&mut self, peer: PeerNumber, token: Token) -> Result<Posted, PostError> {
        self.start(peer, token, self.limits.flush == Flush::Call, |_| (Action::Flush, 0))
    }

    fn poll(&mut self, events: &mut Vec<Event>) -> usize {
        let before = events.len();
        lock(&self.network).hand_over(self.number, events);
        for event in &events[before..] {
            if let Event::Done(token) | Event::CallLost(token, _) = event {
                self.under_way.remove(&token.0);
            }
        }
        events.len() - before + self.serve() + self.send_answers()
    }

    fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    fn push(&mut self) {
        lock(&self.network).pushes += 1;
        self.send_answers();
    }

    /// This network has no descriptor to sleep on.
    fn arm(&mut self) -> Arm {
        Arm::CannotArm
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    /// Calls that are under way when a run ends are left so.
    fn close(&mut self, _orderly: bool, _deadline: Instant, _serve: &mut dyn FnMut()) {}
}

/// Lock the network, even if a failed run has poisoned the lock.
pub fn lock(network: &Mutex<Network>) -> MutexGuard<'_, Network> {
    network.lock().unwrap_or_else(PoisonError::into_inner)
}
