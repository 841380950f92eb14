//! How a member waits: it polls, then sleeps in the network for short times, and looks for a loss meanwhile.

use crate::{Error, Group, Region, Result, error::text};
use ferrite_fabric::Doze;
use std::{
    thread,
    time::{Duration, Instant},
};

/// Number of polls without an event before a waiting thread sleeps.
const POLLS: u32 = 200;
/// Longest sleep: an event that another thread takes does not wake this one.
const DOZE: Duration = Duration::from_micros(200);

impl Group {
    /// Make progress until `happened` returns a value, for at most `limit`.
    pub(crate) fn until<T>(&self, limit: Option<Duration>, mut happened: impl FnMut() -> Option<T>) -> Result<T> {
        let end = limit.and_then(|limit| Instant::now().checked_add(limit));
        let mut idle = 0;
        loop {
            if let Some(value) = happened() {
                return Ok(value);
            }
            self.check()?;
            if self.lane.progress() > 0 {
                idle = 0;
                continue;
            }
            idle += 1;
            if idle < POLLS {
                continue;
            }
            if end.is_some_and(|end| Instant::now() >= end) {
                return Err(Error::TimedOut);
            }
            if self.fabric.doze(DOZE) == Doze::Refused {
                thread::sleep(DOZE / 4);
            }
        }
    }

    /// An error if the group is lost.
    pub(crate) fn check(&self) -> Result<()> {
        if let Some(lost) = self.losses.error() {
            return Err(lost);
        }
        let Some(fault) = self.fabric.fault() else { return Ok(()) };
        self.losses.await_word();
        self.losses.note(self.fabric.lost_peer().map(|pe| pe.0), text(&fault));
        self.losses.error().map_or(Ok(()), Err)
    }

    /// Wait until a word of this member's memory satisfies a condition, and return it. Then the writes that precede the word are visible:
    /// the data of the same [`put_signal`](Group::put_signal), and the sender's writes before a [`fence`](Group::fence) or
    /// [`flush`](Group::flush).
    ///
    /// # Errors
    /// [`Error::TimedOut`] after `limit`, if there is one; [`Error::Lost`] if a member is lost before.
    ///
    /// # Panics
    /// If the word is not within the region, or not aligned.
    pub fn wait(
        &self,
        region: &Region,
        offset: usize,
        wanted: impl Fn(u64) -> bool,
        limit: Option<Duration>,
    ) -> Result<u64> {
        self.until(limit, || Some(region.load(offset)).filter(|&value| wanted(value)))
    }
}
