//! Detection of hosts that fall silent while bytes of ours are on their way to them.
//!
//! The kernel probes an idle connection (`dial::prepare`), but it retransmits bytes under way for a quarter of an hour. `TCP_USER_TIMEOUT`
//! would end that, but it would also end a connection whose peer stands still behind a full buffer, in a debugger say, although its host
//! answers. So this module looks at the time of the last acknowledgement by the peer's kernel.

use crate::{connection::Connection, shared::Shared, sys};
use ferrite_engine::Event;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// Number of looks in the time for which a host may be silent.
const LOOKS: u32 = 8;
/// A host counts as lost after this many looks without an acknowledgement. With the time until the first look, and a late last one, that
/// makes eight.
const LOOKS_UNHEARD: u32 = 6;
/// Tolerance for the kernel's clock, which advances in steps of some milliseconds.
const CLOCK_STEP: Duration = Duration::from_millis(20);

/// Connections without an acknowledgement, and when to look again. While nothing is on its way, the next look waits until something is
/// sent.
pub struct Lookout {
    /// Time between two looks.
    pause: Duration,
    next: Option<Instant>,
    unheard: Vec<Unheard>,
}

struct Unheard {
    connection: Arc<Connection>,
    /// Bytes have been on their way at least since then, and nothing was acknowledged.
    since: Instant,
}

impl Lookout {
    /// `silence` is the time for which a host may be silent.
    pub fn new(silence: Duration) -> Self {
        Lookout { pause: silence / LOOKS, next: None, unheard: Vec::new() }
    }

    /// When to look, if there is a reason to.
    pub fn deadline(&self) -> Option<Instant> {
        self.next
    }

    /// Something may have been sent. If a look is due, look at each connection, and report the lost ones in `events`.
    pub fn look(&mut self, shared: &Shared, events: &mut Vec<Event>) {
        let now = Instant::now();
        shared.poller.lookout.hear();
        if now < *self.next.get_or_insert(now + self.pause) {
            return;
        }
        // From here on, a thread that sends rings the bell. Bytes sent before are found below (`ferrite_engine::Sleeper`).
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
                let why = format_args!("no sign of life from its host for {seconds:.1} s");
                events.push(Event::Failed(one.connection.lost(why)));
            }
        }
    }
}
