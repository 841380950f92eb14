//! Looks out for hosts that fall silent while something of ours is on its way to them.
//!
//! The kernel probes an idle connection (`dial::prepare`); what is under way it sends again and again, for a quarter of an
//! hour. `TCP_USER_TIMEOUT` would end that, but also the connection with a process that stands still behind a full buffer, in
//! a debugger say, although its host answers. So what counts here is when the peer's kernel acknowledged last.

use crate::{connection::Connection, shared::Shared, sys};
use ferrite_engine::Event;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Of the time that a host may be silent, an eighth passes between two looks...
const LOOKS: u32 = 8;
/// ...and after so many of them it is lost: with the time until the first, and a late last one, that makes eight.
const LOOKS_UNHEARD: u32 = 6;
/// The kernel tells the time in steps of some milliseconds.
const CLOCK_STEP: Duration = Duration::from_millis(20);

/// Who has not been heard, and when to look again: not before something is sent, while nothing is on its way.
pub struct Lookout {
    /// Between two looks.
    pause: Duration,
    next: Option<Instant>,
    unheard: Vec<Unheard>,
}

struct Unheard {
    connection: Arc<Connection>,
    /// Something is on its way since then at least, and nothing was acknowledged.
    since: Instant,
}

impl Lookout {
    /// A host may be silent so long.
    pub fn new(silence: Duration) -> Self {
        Lookout { pause: silence / LOOKS, next: None, unheard: Vec::new() }
    }

    /// When to look, if there is a reason to.
    pub fn deadline(&self) -> Option<Instant> {
        self.next
    }

    /// Something may have been sent; if it is time, look at each connection. Those that are lost are told.
    pub fn look(&mut self, shared: &Shared, events: &mut Vec<Event>) {
        let now = Instant::now();
        shared.poller.lookout.hear();
        if now < *self.next.get_or_insert(now + self.pause) {
            return;
        }
        // A thread that sends from here on rings. What was sent before is seen below (`ferrite_engine::Sleeper`).
        shared.poller.lookout.park(true);
        let silent = shared.connections.all().into_iter().filter_map(|connection| {
            let last = sys::unanswered(connection.socket.file()?)?;
            let before = self.unheard.iter().find(|one| Arc::ptr_eq(&one.connection, &connection)).map(|one| one.since);
            let since = before.filter(|&since| last + CLOCK_STEP >= now - since).unwrap_or(now);
            Some(Unheard { connection, since })
        });
        self.unheard = silent.collect();
        self.next = (!self.unheard.is_empty()).then_some(now + self.pause);
        if self.next.is_some() {
            shared.poller.lookout.park(false);
        }
        for one in &self.unheard {
            let silence = now - one.since;
            if silence >= self.pause * LOOKS_UNHEARD {
                let seconds = silence.as_secs_f32();
                let why = format_args!("no sign of life of its host for {seconds:.1} s");
                events.push(Event::Failed(one.connection.lost(why)));
            }
        }
    }
}
