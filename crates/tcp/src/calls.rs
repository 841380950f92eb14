//! The calls of this PE's ports that are under way on a connection, and whom to tell when they are over.
//!
//! Gets are answered in the order in which they were sent, and bytes leave in the order in which they were queued: so two queues are
//! all there is to know.

use ferrite_engine::{Error, Event, Handover, PeerNumber, Token};
use std::{collections::VecDeque, sync::Arc};

/// So many answers may be outstanding. The target keeps each in mind while it cannot send.
const OUTSTANDING_MAX: usize = 8 << 10;

/// A port, by its number among the callers of a connection.
pub type CallerNumber = u32;

struct Caller {
    queue: Arc<Handover<Event>>,
    /// By which the port knows this connection's peer.
    peer: PeerNumber,
}

struct Get {
    to: *mut u8,
    len: usize,
    caller: CallerNumber,
    token: Token,
}

struct Sending {
    /// Where in the outbox its bytes end.
    end: u64,
    caller: CallerNumber,
    token: Token,
}

/// See the module.
#[derive(Default)]
pub struct Calls {
    callers: Vec<Caller>,
    gets: VecDeque<Get>,
    sending: VecDeque<Sending>,
    /// Messages that want an answer and have none yet.
    answers_due: usize,
}

// SAFETY: the pointers of gets are the caller's, promised to be writable until the call is over, by whatever thread.
unsafe impl Send for Calls {}

impl Calls {
    /// A port that knows the peer by this number.
    pub fn add_caller(&mut self, queue: &Arc<Handover<Event>>, peer: PeerNumber) -> CallerNumber {
        self.callers.push(Caller { queue: Arc::clone(queue), peer });
        self.callers.len() as CallerNumber - 1
    }

    /// Another answer may become due.
    #[inline]
    pub fn has_room(&self) -> bool {
        self.gets.len() + self.answers_due < OUTSTANDING_MAX
    }

    /// A message is sent that wants an answer.
    #[inline]
    pub fn expect_answer(&mut self) {
        self.answers_due += 1;
    }

    /// An answer has come; gives whether one was due.
    #[inline]
    pub fn answered(&mut self) -> bool {
        let is_due = self.answers_due > 0;
        self.answers_due -= usize::from(is_due);
        is_due
    }

    /// A get is sent, whose bytes belong at `to`.
    #[inline]
    pub fn expect_data(&mut self, to: *mut u8, len: usize, caller: CallerNumber, token: Token) {
        self.gets.push_back(Get { to, len, caller, token });
    }

    /// Where `len` bytes belong that have come; `None` if they are not what the oldest get wants.
    #[inline]
    pub fn place(&self, len: usize) -> Option<*mut u8> {
        self.gets.front().filter(|get| get.len == len).map(|get| get.to)
    }

    /// The bytes of the oldest get are in their place.
    #[inline]
    pub fn got(&mut self) {
        if let Some(Get { caller, token, .. }) = self.gets.pop_front() {
            self.tell(caller, Event::Done(token));
        }
    }

    /// A call lasts until the outbox has sent all before `end`.
    pub fn expect_room(&mut self, end: u64, caller: CallerNumber, token: Token) {
        self.sending.push_back(Sending { end, caller, token });
    }

    /// So many bytes have been sent since the beginning.
    #[inline]
    pub fn sent(&mut self, upto: u64) {
        while let Some(&Sending { end, caller, token }) = self.sending.front()
            && end <= upto
        {
            self.sending.pop_front();
            self.tell(caller, Event::Done(token));
        }
    }

    /// Nothing reaches the peer any more.
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
