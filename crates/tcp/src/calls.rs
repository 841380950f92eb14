//! Calls of this PE's ports that are under way on a connection, and the ports to notify when they complete.
//!
//! Gets are answered in the order in which they were sent, and bytes leave in the order in which they were queued, so two queues suffice.

use ferrite_engine::{Error, Event, Handover, PeerNumber, Token};
use std::{collections::VecDeque, sync::Arc};

/// Maximum number of outstanding answers. The target keeps a record of each while it cannot send.
const OUTSTANDING_MAX: usize = 8 << 10;

/// Number of a port among the callers of a connection.
pub type CallerNumber = u32;

struct Caller {
    queue: Arc<Handover<Event>>,
    /// Number by which the port knows this connection's peer.
    peer: PeerNumber,
}

struct Get {
    to: *mut u8,
    len: usize,
    caller: CallerNumber,
    token: Token,
}

struct Sending {
    /// Position in the outbox at which its bytes end.
    end: u64,
    caller: CallerNumber,
    token: Token,
}

/// The calls under way on a connection.
#[derive(Default)]
pub struct Calls {
    callers: Vec<Caller>,
    gets: VecDeque<Get>,
    sending: VecDeque<Sending>,
    /// Number of messages that want an answer and have none yet.
    answers_due: usize,
}

// SAFETY: the pointers of gets come from callers, who promise that any thread may write there until the call is complete.
unsafe impl Send for Calls {}

impl Calls {
    /// Add a port that knows the peer by this number.
    pub fn add_caller(&mut self, queue: &Arc<Handover<Event>>, peer: PeerNumber) -> CallerNumber {
        self.callers.push(Caller { queue: Arc::clone(queue), peer });
        self.callers.len() as CallerNumber - 1
    }

    /// Whether another answer may become outstanding.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.gets.len() + self.answers_due < OUTSTANDING_MAX
    }

    /// Record that a message was sent that wants an answer.
    #[inline]
    pub fn expect_answer(&mut self) {
        self.answers_due += 1;
    }

    /// Record an answer that has arrived. Return whether one was outstanding.
    #[inline]
    pub fn answered(&mut self) -> bool {
        let is_due = self.answers_due > 0;
        self.answers_due -= usize::from(is_due);
        is_due
    }

    /// Record a get that was sent. Its bytes belong at `to`.
    #[inline]
    pub fn expect_data(&mut self, to: *mut u8, len: usize, caller: CallerNumber, token: Token) {
        self.gets.push_back(Get { to, len, caller, token });
    }

    /// Destination of the `len` bytes that have arrived; `None` if the oldest get wants another number of bytes.
    #[inline]
    pub fn place(&self, len: usize) -> Option<*mut u8> {
        self.gets.front().filter(|get| get.len == len).map(|get| get.to)
    }

    /// Complete the oldest get: its bytes are in place.
    #[inline]
    pub fn got(&mut self) {
        if let Some(Get { caller, token, .. }) = self.gets.pop_front() {
            self.tell(caller, Event::Done(token));
        }
    }

    /// Record a call that completes when the outbox has sent all bytes before `end`.
    pub fn expect_room(&mut self, end: u64, caller: CallerNumber, token: Token) {
        self.sending.push_back(Sending { end, caller, token });
    }

    /// Complete calls, given that `upto` bytes have been sent since the beginning.
    #[inline]
    pub fn sent(&mut self, upto: u64) {
        while let Some(&Sending { end, caller, token }) = self.sending.front()
            && end <= upto
        {
            self.sending.pop_front();
            self.tell(caller, Event::Done(token));
        }
    }

    /// Report to all ports that the peer is lost.
    pub fn lost(&self, why: &str) {
        for Caller { queue, peer } in &self.callers {
            queue.put(Event::Lost(*peer, Error::new(why)));
        }
    }

    #[inline]
    fn tell(&self, caller: CallerNumber, event: Event) {
        self.callers[caller as usize].queue.put(event);
    }
}
