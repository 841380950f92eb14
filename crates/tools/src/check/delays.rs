//! `--check=order`: operations that change memory of PEs of this host are executed at once or held back, as a seed decides, and the
//! held-back ones are executed in any order. All of this is legal, and most machines never do it: a program that lacks a fence or a quiet
//! fails here, and the same seed reproduces the failure.
//!
//! Puts of every form, puts with a signal (the signal after its data), signals, atomics without a result, and all non-blocking operations
//! can be held back. A held-back operation is executed
//!
//! - at the latest by a fence or a quiet of its context, or by a call that implies one;
//! - by a barrier of all PEs once all have entered it, which is early enough;
//! - when its target PE waits in vain: since an operation on that PE was last held back or executed, the PE has waited for some milliseconds
//!   for a value that did not come, and this operation may bring it. One operation is executed at a time, so that a flag that overtakes its
//!   data is seen;
//! - after 200 looks of a thread, about a second, for PEs that wait with loads of their own.
//!
//! The program order of a PE decides which of its operations are held back. Time matters only when a PE waits and a held-back operation may
//! end its wait.

use core::sync::atomic::{
    AtomicBool, AtomicU32,
    Ordering::{Relaxed, SeqCst},
    fence,
};
use ferrite_check::Area;
use ferrite_copy::copy;
use ferrite_os::{mutex, threads};
use ferrite_runtime::{
    Ctx,
    observe::{Delays, Layout, Operation},
};
use std::{
    collections::{BTreeSet, HashMap},
    io, slice,
    sync::{Arc, Mutex, OnceLock},
    thread::{self, Builder},
    time::Duration,
};

/// Interval at which the thread looks for PEs that wait.
const TICK: Duration = Duration::from_millis(5);
/// Number of looks, about a second, after which an operation is no longer held back from a PE that does not report that it waits. Looks count,
/// not time, so a pause of the machine does not change the order.
const TICKS_HELD_MAX: u64 = 200;
/// Number of calls that look at memory, and may be a polling loop, after which the PE reports once that it waits.
const CALLS_PER_ASK: u32 = 256;
/// Number of reports after which a PE counts as waiting: the first may be of looks before the operation was issued.
const ASKS: u32 = 2;

/// The operations of this PE that are held back.
pub(super) struct HeldBack {
    area: Area<'static>,
    me: u32,
    /// Number of this PE's calls that look at memory.
    looks: AtomicU32,
    /// The world has ended: the thread that delivers ends too, although hooks of loads and stores keep this value.
    is_over: AtomicBool,
    state: Mutex<State>,
}

struct State {
    /// Decides which operations are held back: drawn once for each, in program order.
    choices: Random,
    /// Decides the order in which they are executed.
    orders: Random,
    held: Vec<Held>,
    /// Number of looks of the thread.
    ticks: u64,
    /// For each PE, its number of reports when an operation on it was last held back or executed.
    asks: HashMap<u32, u32>,
}

/// An operation that is held back.
struct Held {
    ctx: usize,
    to: u32,
    /// Number of looks when it was held back.
    since: u64,
    local: Local,
    act: Box<dyn FnOnce()>,
}

/// How a held-back operation uses memory of the program.
enum Local {
    /// It has its own copy of the data that it sends, and returns nothing.
    Unused,
    /// It reads a source when it is executed, unless a copy was made before.
    Source(Arc<Source>),
    /// It stores a result.
    Result,
}

/// The source of a non-blocking put.
struct Source {
    start: usize,
    len: usize,
    /// A copy of it.
    taken: OnceLock<Vec<u8>>,
}

impl Source {
    /// Copy the source, unless that was done.
    fn take(&self) {
        // SAFETY: the caller that held the put back has promised that the source is readable until its local completion.
        self.taken.get_or_init(|| unsafe { slice::from_raw_parts(self.start as *const u8, self.len) }.to_vec());
    }
}

// SAFETY: the closure owns its bytes, and names memory that is mapped as long as the world exists. One thread executes it, which may be any
// thread (`Delays::post`).
unsafe impl Send for Held {}

impl HeldBack {
    /// Start with a seed, and start the thread that ensures that no operation is held back for ever.
    pub fn start(seed: u64, me: u32, area: Area<'static>) -> io::Result<Arc<HeldBack>> {
        let delays = Arc::new(HeldBack::new(seed, me, area));
        let weak = Arc::downgrade(&delays);
        threads::start(Builder::new(), "ferrite-order", move || {
            while let Some(delays) = weak.upgrade() {
                if delays.is_over.load(Relaxed) {
                    break;
                }
                delays.deliver_old();
                delays.answer();
                drop(delays);
                // This is the library's own thread, which the program does not wait for.
                thread::sleep(TICK);
            }
        })?;
        Ok(delays)
    }

    fn new(seed: u64, me: u32, area: Area<'static>) -> HeldBack {
        let random =
            |stream: u64| Random((seed << 20 ^ u64::from(me) << 1 ^ stream).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        let state = State { choices: random(0), orders: random(1), held: Vec::new(), ticks: 0, asks: HashMap::new() };
        HeldBack { area, me, looks: AtomicU32::new(0), is_over: AtomicBool::new(false), state: Mutex::new(state) }
    }

    /// Execute an operation at once or hold it back, as the seed decides.
    fn hold(&self, (ctx, pe): (Ctx, u32), local: Local, act: impl FnOnce() + 'static) {
        let mut state = mutex::lock(&self.state);
        if state.choices.next().is_multiple_of(4) {
            // The operation overtakes all that are held back.
            return act();
        }
        state.asks.insert(pe, self.area.head.asks(pe).load(Relaxed));
        let since = state.ticks;
        state.held.push(Held { ctx: ctx.0, to: pe, since, local, act: Box::new(act) });
    }

    /// Make all held-back operations of a context independent of the program's memory: copy the sources of puts, which stay held back, and
    /// execute the operations that store a result.
    pub fn demand_locally(&self, ctx: Ctx) {
        for held in mutex::lock(&self.state).held.iter().filter(|held| held.ctx == ctx.0) {
            if let Local::Source(source) = &held.local {
                source.take();
            }
        }
        self.deliver(|held| held.ctx == ctx.0 && matches!(held.local, Local::Result));
    }

    /// The world ends: execute all held-back operations, and end the thread.
    pub fn end(&self) {
        self.demand_all();
        self.is_over.store(true, Relaxed);
    }

    /// Execute all held-back operations.
    pub fn demand_all(&self) {
        self.deliver(|_| true);
    }

    /// Count a call of this PE that looks at memory without waiting: it may be part of a polling loop.
    pub fn looks(&self) {
        if self.looks.fetch_add(1, Relaxed) % CALLS_PER_ASK == CALLS_PER_ASK - 1 {
            self.waits_in_vain();
        }
    }

    /// Execute the operations that were held back for long enough. Called once in each look of the thread.
    fn deliver_old(&self) {
        let now = {
            let mut state = mutex::lock(&self.state);
            state.ticks += 1;
            state.ticks
        };
        self.deliver(|held| now - held.since >= TICKS_HELD_MAX);
    }

    /// Execute one operation for each PE that waits in vain.
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
            // The others keep their order, on which the next choice depends.
            let held = state.held.remove(at);
            (held.act)();
            state.asks.insert(pe, now);
        }
    }

    /// Execute the operations that `which` selects. The lock is held meanwhile: a caller that demands an operation returns only when it is
    /// done, even if another thread executes it.
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

impl Delays for HeldBack {
    unsafe fn post(&self, course: (Ctx, u32), operation: Operation) {
        match operation {
            Operation::Put { to, source, len, later } => {
                // SAFETY: a put's promise.
                let (local, copy) = unsafe { put_later(to, source, len, later) };
                self.hold(course, local, copy);
            }
            Operation::PutSignal { to, source, len, later, raise } => {
                // SAFETY: a put's promise.
                let (local, copy) = to.map(|to| unsafe { put_later(to, source, len, later) }).unzip();
                self.hold(course, local.unwrap_or(Local::Unused), move || {
                    if let Some(copy) = copy {
                        copy();
                        fence(SeqCst);
                    }
                    raise();
                });
            }
            Operation::PutBlocks { to, source, layout } => {
                // SAFETY: a put's promise.
                self.hold(course, Local::Unused, unsafe { put_blocks_later(to, source, layout) });
            }
            Operation::Get { dest, from, len } => {
                let (dest, from) = (dest as usize, from as usize);
                // SAFETY: the caller's promise. The contents of the destination are undefined until a quiet.
                let get = move || unsafe { copy(dest as *mut u8, from as *const u8, len) };
                self.hold(course, Local::Result, get);
            }
            Operation::Update(update) => self.hold(course, Local::Result, update),
        }
    }

    fn demand(&self, ctx: Ctx) {
        self.deliver(|held| held.ctx == ctx.0);
    }

    fn waits_in_vain(&self) {
        self.area.head.asks(self.me).fetch_add(1, Relaxed);
    }
}

/// Make a put of blocks that is executed later: return the closure that executes it. Its source is copied now.
///
/// # Safety
/// All blocks may be read at `source`, and the target stays valid until a quiet or the end of the world.
unsafe fn put_blocks_later(to: *mut u8, source: *const u8, layout: Layout) -> impl FnOnce() + 'static {
    let Layout { block, count, here, there } = layout;
    let mut bytes = vec![0_u8; block * count];
    for (nth, into) in bytes.chunks_exact_mut(block.max(1)).enumerate() {
        // SAFETY: the caller's promise.
        unsafe { copy(into.as_mut_ptr(), source.wrapping_offset(here * nth as isize), block) };
    }
    let to = to as usize;
    move || {
        for (nth, from) in bytes.chunks_exact(block.max(1)).enumerate() {
            let at = (to as *mut u8).wrapping_offset(there * nth as isize);
            // SAFETY: the caller's promise.
            unsafe { copy(at, from.as_ptr(), block) };
        }
    }
}

/// Make a contiguous put that is executed later: return the closure that executes it, and how it uses memory of the program until then. It
/// copies its source now, or, if `later`, when it is executed or completed locally, whichever comes first.
///
/// # Safety
/// The target stays valid for `len` bytes until a quiet or the end of the world, and the source until it is completed locally.
unsafe fn put_later(to: *mut u8, source: *const u8, len: usize, later: bool) -> (Local, impl FnOnce() + 'static) {
    let to = to as usize;
    let source = Arc::new(Source { start: source as usize, len, taken: OnceLock::new() });
    if !later {
        source.take();
    }
    let local = if later { Local::Source(Arc::clone(&source)) } else { Local::Unused };
    let copy = move || {
        let from = source.taken.get().map_or(source.start as *const u8, |bytes| bytes.as_ptr());
        // SAFETY: the promise of `put_later`: a quiet and the end of the world come after this, and at local completion the source is copied.
        unsafe { copy(to as *mut u8, from, source.len) }
    };
    (local, copy)
}

/// Pseudo-random numbers from a seed.
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

    fn delays(seed: u64) -> HeldBack {
        let words = Box::leak(vec![0_u64; Area::size(4096).unwrap() / 8 + (64 << 10)].into_boxed_slice());
        let base = words.as_mut_ptr().cast::<u8>();
        // SAFETY: zero bytes that nothing else uses, from the first multiple of the largest page size on.
        HeldBack::new(seed, 0, unsafe { Area::new(base.add(base.align_offset(64 << 10)), 4096) })
    }

    /// A blocking put.
    fn put(to: *mut u8, source: *const u8, len: usize) -> Operation {
        Operation::Put { to, source, len, later: false }
    }

    /// Put 1 to 8 to one byte. Return the byte when all puts are executed.
    fn last(seed: u64) -> u8 {
        let delays = delays(seed);
        let mut there = 0_u8;
        for value in 1..=8_u8 {
            // SAFETY: both are here.
            unsafe { delays.post((Ctx::DEFAULT, 0), put(&raw mut there, &raw const value, 1)) };
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
            unsafe { delays.post((Ctx(5), 0), put(to.as_mut_ptr(), [1_u8; 8].as_ptr(), 8)) };
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
                let raise = Box::new(move || *(seen_at as *mut u8) = *(data_at as *const u8));
                let (to, source) = (Some(&raw mut data), &raw const SOURCE);
                delays.post((Ctx::DEFAULT, 0), Operation::PutSignal { to, source, len: 1, later: true, raise });
                let layout = Layout { block: 2, count: 2, here: 2, there: 4 };
                let (to, source) = (row.as_mut_ptr(), [1_u8, 2, 3, 4].as_ptr());
                delays.post((Ctx::DEFAULT, 0), Operation::PutBlocks { to, source, layout });
            }
            delays.demand_all();
            assert_eq!((data, seen, row), (SOURCE, SOURCE, [1, 2, 0, 0, 3, 4, 0, 0]));
        }
    }
    static SOURCE: u8 = 5;

    /// Put a byte to each place. Returns the number of puts that are held back.
    fn put_to_each(delays: &HeldBack, there: &mut [u8; 16]) -> usize {
        for to in there {
            // SAFETY: the caller keeps the places until all puts are executed.
            unsafe { delays.post((Ctx::DEFAULT, 0), put(to, &raw const SOURCE, 1)) };
        }
        mutex::lock(&delays.state).held.len()
    }

    #[test]
    fn who_waits_in_vain_gets_one_operation_after_the_other() {
        let (delays, mut there) = (delays(7), [0_u8; 16]);
        let before = put_to_each(&delays, &mut there);
        let held = || mutex::lock(&delays.state).held.len();
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
    fn local_completion_frees_sources_and_delivers_results_but_no_put() {
        let delays = delays(7);
        let (mut there, mut sources, mut results) = ([0_u8; 16], [1_u8; 16], [0_u8; 16]);
        for nth in 0..16 {
            // SAFETY: all of them are here until they are demanded.
            unsafe {
                let (to, source) = (&raw mut there[nth], &raw const sources[nth]);
                delays.post((Ctx::DEFAULT, 0), Operation::Put { to, source, len: 1, later: true });
                let (dest, from) = (&raw mut results[nth], &raw const SOURCE);
                delays.post((Ctx::DEFAULT, 0), Operation::Get { dest, from, len: 1 });
            }
        }
        let late = there.iter().filter(|&&byte| byte == 0).count();
        assert!((1..16).contains(&late) && results.contains(&0), "some are held back: {there:?}, {results:?}");
        delays.demand_locally(Ctx::DEFAULT);
        assert_eq!(results, [SOURCE; 16]);
        assert_eq!(there.iter().filter(|&&byte| byte == 0).count(), late, "no put has arrived by that");
        sources.fill(9);
        delays.demand(Ctx::DEFAULT);
        assert_eq!((there, sources), ([1; 16], [9; 16]));
    }

    #[test]
    fn an_operation_is_held_back_for_a_number_of_looks() {
        let (delays, mut there) = (delays(7), [0_u8; 16]);
        let before = put_to_each(&delays, &mut there);
        let held = || mutex::lock(&delays.state).held.len();
        (1..TICKS_HELD_MAX).for_each(|_| delays.deliver_old());
        assert_eq!((held(), before > 0), (before, true));
        delays.deliver_old();
        assert_eq!((held(), there), (0, [SOURCE; 16]));
    }

    #[test]
    fn a_seed_decides_the_order() {
        assert_eq!(last(11), last(11));
        assert!((1..40).any(|seed| last(seed) != last(11)));
    }
}
