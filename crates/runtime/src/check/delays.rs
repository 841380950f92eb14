//! `--check=order`: puts and non-blocking operations to PEs of this host are held back until something demands them, and then are done in
//! any order. All of that is legal, and most machines never do it: a program that lacks a fence or a quiet fails here, and in the
//! same way again by the same seed.
//!
//! What is held back is done by a fence, a quiet or a barrier of its context, at the latest; or by a thread, some time after it was
//! issued, since a peer that waits for it need not wait for ever. Atomics and signals overtake it, and so does a blocking get.

use crate::Ctx;
use core::ptr;
use ferrite_os::{mutex, threads};
use std::{
    io,
    sync::{Arc, Mutex},
    thread::{self, Builder},
    time::{Duration, Instant},
};

/// How long something is held back if nobody demands it.
const HELD: Duration = Duration::from_millis(10);

/// What is held back.
pub(crate) struct Delays {
    state: Mutex<State>,
}

struct State {
    random: u64,
    held: Vec<Held>,
}

struct Held {
    ctx: usize,
    since: Instant,
    copy: Copy,
}

/// A copy that is to be made.
enum Copy {
    /// Of what the source held when the put returned.
    Of(Box<[u8]>, usize),
    /// Of what it will hold.
    From { from: usize, to: usize, len: usize },
}

impl Delays {
    /// By a seed, with the thread that nothing is held back from for ever.
    pub fn start(seed: u64, me: u32) -> io::Result<Arc<Delays>> {
        let random = (seed << 20 ^ u64::from(me)).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
        let delays = Arc::new(Delays { state: Mutex::new(State { random, held: Vec::new() }) });
        let weak = Arc::downgrade(&delays);
        threads::start(Builder::new(), "check-order", move || {
            while let Some(delays) = weak.upgrade() {
                delays.deliver(|held| held.since.elapsed() >= HELD);
                drop(delays);
                // A thread of ours, which the program does not wait for.
                thread::sleep(HELD / 2);
            }
        })?;
        Ok(delays)
    }

    /// Hold a put back, `later` is non-blocking: the source belongs to it until then.
    ///
    /// # Safety
    /// `to` is mapped memory of a peer, `len` bytes; so many may be read at `source`, until a quiet if it is `later`.
    pub unsafe fn put(&self, ctx: Ctx, to: *mut u8, source: *const u8, len: usize, later: bool) {
        let copy = match later {
            true => Copy::From { from: source as usize, to: to as usize, len },
            // SAFETY: the caller's promise.
            false => Copy::Of(unsafe { core::slice::from_raw_parts(source, len) }.into(), to as usize),
        };
        self.hold(ctx, copy);
    }

    /// Hold a non-blocking get back. Until a quiet its destination holds what nobody may rely on.
    ///
    /// # Safety
    /// `from` is mapped memory of a peer, `len` bytes; so many may be written at `dest` until a quiet.
    pub unsafe fn get(&self, ctx: Ctx, dest: *mut u8, from: *const u8, len: usize) {
        self.hold(ctx, Copy::From { from: from as usize, to: dest as usize, len });
    }

    fn hold(&self, ctx: Ctx, copy: Copy) {
        mutex::lock(&self.state).held.push(Held { ctx: ctx.0, since: Instant::now(), copy });
    }

    /// Do all that was held back of a context.
    pub fn demand(&self, ctx: Ctx) {
        self.deliver(|held| held.ctx == ctx.0);
    }

    /// Do all that was held back.
    pub fn demand_all(&self) {
        self.deliver(|_| true);
    }

    /// The lock is held while copies are made: who demands them returns when they are made, whoever makes them.
    fn deliver(&self, which: impl Fn(&Held) -> bool) {
        let mut state = mutex::lock(&self.state);
        let (mut now, later): (Vec<_>, Vec<_>) = state.held.drain(..).partition(which);
        state.held = later;
        while !now.is_empty() {
            state.random ^= state.random << 13;
            state.random ^= state.random >> 7;
            state.random ^= state.random << 17;
            let at = (state.random % now.len() as u64) as usize;
            let (from, to, len) = match &now[at].copy {
                Copy::Of(bytes, to) => (bytes.as_ptr() as usize, *to, bytes.len()),
                &Copy::From { from, to, len } => (from, to, len),
            };
            // SAFETY: both ends are mapped, as who gave them has promised, and the program may not have given them up before
            // this: a quiet or the end of the world comes through here.
            unsafe { ptr::copy(from as *const u8, to as *mut u8, len) };
            now.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_back_comes_when_its_context_demands_it() {
        let delays = Delays { state: Mutex::new(State { random: 7, held: Vec::new() }) };
        let (mut there, mut got) = ([0_u8; 8], [9_u8; 8]);
        let (source, peer) = ([1_u8; 8], [2_u8; 8]);
        // SAFETY: all of them are here, as long.
        unsafe {
            delays.put(Ctx(5), there.as_mut_ptr(), source.as_ptr(), 8, false);
            delays.get(Ctx::DEFAULT, got.as_mut_ptr(), peer.as_ptr(), 8);
        }
        delays.demand(Ctx::DEFAULT);
        assert_eq!((there, got), ([0; 8], [2; 8]));
        delays.demand_all();
        assert_eq!(there, [1; 8]);
    }

    #[test]
    fn a_seed_decides_the_order() {
        let last = |seed| {
            let delays = Delays { state: Mutex::new(State { random: seed, held: Vec::new() }) };
            let mut there = 0_u8;
            for value in 1..=8_u8 {
                // SAFETY: both are here.
                unsafe { delays.put(Ctx::DEFAULT, &raw mut there, &raw const value, 1, false) };
            }
            delays.demand_all();
            there
        };
        assert_eq!(last(11), last(11));
        assert!((1..40).any(|seed| last(seed) != last(11)));
    }
}
