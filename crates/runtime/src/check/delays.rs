//! `--check=order`: what changes memory of PEs of this host is done at once or held back, as a seed decides, and what was held back is
//! done in any order. All of that is legal, and most machines never do it: a program that lacks a fence or a quiet fails here, and in
//! the same way again by the same seed.
//!
//! Held back are puts of every form, puts with a signal (the signal behind its data), signals, atomics that give nothing back, and all
//! that is non-blocking. It is done
//!
//! - by a fence or a quiet of its context, at the latest, or by what is one of these as well;
//! - by a barrier of all PEs when all have come to it, for that is early enough;
//! - when the PE that it goes to waits in vain: since the last that was held back from it, or was done, that PE has looked thousands of times
//!   for something that did not come, which may be this. One operation is done then, so that a flag that overtakes its data is seen;
//! - after a second, for PEs that wait by loads of their own.
//!
//! What a PE does in order of its program decides which operations are held back. Time decides only when a PE waits that it might wait
//! for one of them.

use crate::{Ctx, observe::Layout};
use core::sync::atomic::{
    AtomicU32,
    Ordering::{Relaxed, SeqCst},
    fence,
};
use ferrite_check::Area;
use ferrite_copy::copy;
use ferrite_os::{mutex, threads};
use std::{
    collections::{BTreeSet, HashMap},
    io,
    sync::{Arc, Mutex},
    thread::{self, Builder},
    time::{Duration, Instant},
};

/// How long something is held back from a PE that does not say that it waits.
const HELD_MAX: Duration = Duration::from_secs(1);
/// How often it is looked whether somebody waits.
const TICK: Duration = Duration::from_millis(5);
/// Calls that look at memory, and may be a loop that waits, until the PE counts as waiting.
const CALLS_PER_ASK: u32 = 256;
/// How often a PE must have said that it waits: the first time may be of looks before the operation was issued.
const ASKS: u32 = 2;

/// What is held back.
pub(crate) struct Delays {
    area: Area<'static>,
    me: u32,
    /// Calls of this PE's that look at memory.
    looks: AtomicU32,
    state: Mutex<State>,
}

struct State {
    /// What decides which operations are held back: drawn once for each, in the program's order.
    choices: Random,
    /// What decides in which order they are done.
    orders: Random,
    held: Vec<Held>,
    /// How often a PE had asked when something was last held back from it, or done.
    asks: HashMap<u32, u32>,
}

/// An operation that is held back.
struct Held {
    ctx: usize,
    to: u32,
    since: Instant,
    act: Box<dyn FnOnce()>,
}

// SAFETY: what is to be done owns bytes, and names memory that is mapped as long as the world is there; it is done by one thread.
unsafe impl Send for Held {}

impl Delays {
    /// By a seed, with the thread that nothing is held back from for ever.
    pub fn start(seed: u64, me: u32, area: Area<'static>) -> io::Result<Arc<Delays>> {
        let delays = Arc::new(Delays::new(seed, me, area));
        let weak = Arc::downgrade(&delays);
        threads::start(Builder::new(), "ferrite-order", move || {
            while let Some(delays) = weak.upgrade() {
                delays.deliver(|held| held.since.elapsed() >= HELD_MAX);
                delays.answer();
                drop(delays);
                // A thread of ours, which the program does not wait for.
                thread::sleep(TICK);
            }
        })?;
        Ok(delays)
    }

    fn new(seed: u64, me: u32, area: Area<'static>) -> Delays {
        let random =
            |stream: u64| Random((seed << 20 ^ u64::from(me) << 1 ^ stream).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let state = State { choices: random(0), orders: random(1), held: Vec::new(), asks: HashMap::new() };
        Delays { area, me, looks: AtomicU32::new(0), state: Mutex::new(state) }
    }

    /// Hold a contiguous put back from `pe`; `later`: it is non-blocking, and the source belongs to it until it is done.
    ///
    /// # Safety
    /// `to` is mapped memory of a peer, `len` bytes; so many may be read at `source`, until a quiet if it is `later`.
    pub unsafe fn put(&self, (ctx, pe): (Ctx, u32), to: *mut u8, source: *const u8, len: usize, later: bool) {
        let copy = put_later(to, source, len, later);
        self.hold((ctx, pe), copy);
    }

    /// Hold a non-blocking get back. Until a quiet its destination holds what nobody may rely on.
    ///
    /// # Safety
    /// `from` is mapped memory of a peer, `len` bytes; so many may be written at `dest` until a quiet.
    pub unsafe fn get(&self, (ctx, pe): (Ctx, u32), dest: *mut u8, from: *const u8, len: usize) {
        let (dest, from) = (dest as usize, from as usize);
        // SAFETY: the caller's promise.
        self.hold((ctx, pe), move || unsafe { copy(dest as *mut u8, from as *const u8, len) });
    }

    /// Hold a strided put back.
    ///
    /// # Safety
    /// All blocks may be read at `source`, and lie in mapped memory of a peer from `to` on.
    pub unsafe fn put_blocks(&self, (ctx, pe): (Ctx, u32), to: *mut u8, source: *const u8, layout: Layout) {
        let Layout { block, count, here, there } = layout;
        let mut bytes = vec![0_u8; block * count];
        for (nth, into) in bytes.chunks_exact_mut(block.max(1)).enumerate() {
            // SAFETY: the caller's promise.
            unsafe { copy(into.as_mut_ptr(), source.wrapping_offset(here * nth as isize), block) };
        }
        let to = to as usize;
        self.hold((ctx, pe), move || {
            for (nth, from) in bytes.chunks_exact(block.max(1)).enumerate() {
                let at = (to as *mut u8).wrapping_offset(there * nth as isize);
                // SAFETY: the caller's promise.
                unsafe { copy(at, from.as_ptr(), block) };
            }
        });
    }

    /// Hold a put with a signal back: `raise` updates the signal, when the data are there.
    ///
    /// # Safety
    /// As for [`Delays::put`], where there are data.
    pub unsafe fn put_signal(
        &self,
        (ctx, pe): (Ctx, u32),
        to: Option<*mut u8>,
        (source, len, later): (*const u8, usize, bool),
        raise: impl FnOnce() + 'static,
    ) {
        let copy = to.map(|to| put_later(to, source, len, later));
        self.hold((ctx, pe), move || {
            if let Some(copy) = copy {
                copy();
                fence(SeqCst);
            }
            raise();
        });
    }

    /// Hold something else back that changes memory of `pe`, or answers from there: what it names is there until a quiet.
    pub fn hold(&self, (ctx, pe): (Ctx, u32), act: impl FnOnce() + 'static) {
        let mut state = mutex::lock(&self.state);
        if state.choices.next().is_multiple_of(4) {
            // Overtakes all that is held back.
            return act();
        }
        state.asks.insert(pe, self.area.head.asks(pe).load(Relaxed));
        state.held.push(Held { ctx: ctx.0, to: pe, since: Instant::now(), act: Box::new(act) });
    }

    /// Do all that was held back of a context.
    pub fn demand(&self, ctx: Ctx) {
        self.deliver(|held| held.ctx == ctx.0);
    }

    /// Do all that was held back.
    pub fn demand_all(&self) {
        self.deliver(|_| true);
    }

    /// This PE has looked for something often, and it has not come.
    pub fn waits_in_vain(&self) {
        self.area.head.asks(self.me).fetch_add(1, Relaxed);
    }

    /// This PE looks at memory by a call that does not wait: it may be in a loop that does.
    pub fn looks(&self) {
        if self.looks.fetch_add(1, Relaxed) % CALLS_PER_ASK == CALLS_PER_ASK - 1 {
            self.waits_in_vain();
        }
    }

    /// Do one operation for each PE that waits in vain.
    fn answer(&self) {
        let mut state = mutex::lock(&self.state);
        let asked = |asks: &HashMap<u32, u32>, pe| {
            let now = self.area.head.asks(pe).load(Relaxed);
            (now.wrapping_sub(asks.get(&pe).copied().unwrap_or(now)) >= ASKS).then_some(now)
        };
        let pes: BTreeSet<u32> = state.held.iter().map(|held| held.to).collect();
        for pe in pes {
            let Some(now) = asked(&state.asks, pe) else { continue };
            let its: Vec<usize> = (0..state.held.len()).filter(|&at| state.held[at].to == pe).collect();
            let at = its[(state.orders.next() % its.len() as u64) as usize];
            // The others keep their order, by which the next is chosen.
            let held = state.held.remove(at);
            (held.act)();
            state.asks.insert(pe, now);
        }
    }

    /// The lock is held meanwhile: who demands what was held back returns when it is done, whoever does it.
    fn deliver(&self, which: impl Fn(&Held) -> bool) {
        let mut state = mutex::lock(&self.state);
        let (mut now, later): (Vec<_>, Vec<_>) = state.held.drain(..).partition(which);
        state.held = later;
        while !now.is_empty() {
            let at = (state.orders.next() % now.len() as u64) as usize;
            (now.swap_remove(at).act)();
        }
    }
}

/// What a put does when it is done: with what the source holds now, or, `later`, with what it will hold.
fn put_later(to: *mut u8, source: *const u8, len: usize, later: bool) -> impl FnOnce() + 'static {
    let (to, source) = (to as usize, source as usize);
    // SAFETY: the promise of who makes it.
    let taken = (!later).then(|| unsafe { core::slice::from_raw_parts(source as *const u8, len) }.to_vec());
    move || {
        let from = taken.as_ref().map_or(source as *const u8, |bytes| bytes.as_ptr());
        // SAFETY: both ends are there, as who made it has promised: a quiet or the end of the world comes after this.
        unsafe { copy(to as *mut u8, from, len) }
    }
}

/// Numbers by a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 >> 8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn delays(seed: u64) -> Delays {
        let words = Box::leak(vec![0_u64; Area::size(4096).unwrap() / 8 + (64 << 10)].into_boxed_slice());
        let base = words.as_mut_ptr().cast::<u8>();
        // SAFETY: zero bytes that nobody else has, from the first multiple of the largest page on.
        Delays::new(seed, 0, unsafe { Area::new(base.add(base.align_offset(64 << 10)), 4096) })
    }

    /// Puts 1 to 8 of one byte, and what is there when they are done.
    fn last(seed: u64) -> u8 {
        let delays = delays(seed);
        let mut there = 0_u8;
        for value in 1..=8_u8 {
            // SAFETY: both are here.
            unsafe { delays.put((Ctx::DEFAULT, 0), &raw mut there, &raw const value, 1, false) };
        }
        delays.demand_all();
        there
    }

    #[test]
    fn what_is_held_back_comes_when_its_context_demands_it() {
        let delays = delays(7);
        let mut there = [[0_u8; 8]; 16];
        for to in &mut there {
            // SAFETY: all of them are here, as long.
            unsafe { delays.put((Ctx(5), 0), to.as_mut_ptr(), [1_u8; 8].as_ptr(), 8, false) };
        }
        let held = mutex::lock(&delays.state).held.len();
        assert!((1..16).contains(&held), "some at once, and some not: {held}");
        delays.demand(Ctx::DEFAULT);
        assert_eq!(mutex::lock(&delays.state).held.len(), held);
        delays.demand(Ctx(5));
        assert_eq!(there, [[1; 8]; 16]);
    }

    #[test]
    fn a_signal_comes_behind_its_data_and_blocks_where_they_belong() {
        for seed in 0..8 {
            let delays = delays(seed);
            let (mut data, mut seen, mut row) = (0_u8, 9_u8, [0_u8; 8]);
            let (data_at, seen_at) = (&raw mut data as usize, &raw mut seen as usize);
            // SAFETY: all of them are here until they are demanded.
            unsafe {
                delays.put_signal((Ctx::DEFAULT, 0), Some(&raw mut data), (&raw const SOURCE, 1, true), move || {
                    *(seen_at as *mut u8) = *(data_at as *const u8);
                });
                let layout = Layout { block: 2, count: 2, here: 2, there: 4 };
                delays.put_blocks((Ctx::DEFAULT, 0), row.as_mut_ptr(), [1_u8, 2, 3, 4].as_ptr(), layout);
            }
            delays.demand_all();
            assert_eq!((data, seen, row), (SOURCE, SOURCE, [1, 2, 0, 0, 3, 4, 0, 0]));
        }
    }
    static SOURCE: u8 = 5;

    #[test]
    fn who_waits_in_vain_gets_one_operation_after_the_other() {
        let delays = delays(7);
        let mut there = [0_u8; 16];
        for to in &mut there {
            // SAFETY: all of them are here.
            unsafe { delays.put((Ctx::DEFAULT, 0), to, &raw const SOURCE, 1, false) };
        }
        let held = || mutex::lock(&delays.state).held.len();
        let before = held();
        delays.answer();
        assert_eq!(held(), before, "nobody has asked");
        for done in 1..=before {
            (0..ASKS).for_each(|_| delays.waits_in_vain());
            delays.answer();
            delays.answer();
            assert_eq!(held(), before - done);
        }
        assert_eq!(there, [SOURCE; 16]);
    }

    #[test]
    fn a_seed_decides_the_order() {
        assert_eq!(last(11), last(11));
        assert!((1..40).any(|seed| last(seed) != last(11)));
    }
}
