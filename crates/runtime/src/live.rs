//! The cold state of a started world.

use crate::{
    coll::{Requests, tuning::Choices},
    far::Far,
    groups::{
        context::{Context, default_context},
        registry::Registry,
        team::{ActiveSets, TeamState, slots::Slots},
    },
    memory::{
        heap::{
            alloc::Allocator,
            budget::{self, Promise},
        },
        node::NodeMemory,
        statics::Statics,
    },
    ops::near::{Near, Window},
    settings::Settings,
    wait::{Moment, Patience, Wait},
};
use core::ffi::c_int;
use core::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Result, mutex};
use std::io::{self, Write};
use std::sync::{Arc, Mutex, MutexGuard};

/// What exists between `start` and `stop`.
pub(crate) struct Live {
    pub boot: Arc<dyn Boot>,
    pub me: u32,
    pub size: u32,
    /// The process that joined the job; a child of fork is another.
    pub process: u32,
    /// Whether the process calls [`crate::World::at_exit`] when it exits.
    pub handles_exit: bool,
    /// The program has called `global_exit`.
    pub global_exit: AtomicBool,
    /// What the end of the process owes the job has been done.
    pub has_ended: AtomicBool,
    pub settings: Settings,
    pub patience: Patience,
    /// How collectives are done.
    pub tuning: Choices,
    /// Whether all PEs run the same executable.
    pub uniform: AtomicBool,
    /// Whether some host of the job has more PEs than cores: one answer for all PEs, since collectives are chosen by it.
    pub crowded: AtomicBool,
    /// Whether there is a choice of barriers: between hosts, or by the user's wish.
    pub chooses_barriers: bool,
    pub default_context: Context,
    pub contexts: Registry<Context, 16>,
    /// What reaches the PEs that are not mapped, if there are any. Contexts have streams of it, so they go before it, and it
    /// before the memory that it reaches.
    pub far: Option<Far>,
    pub node: NodeMemory,
    /// One window per PE from the first to the last of this node.
    pub windows: Box<[Window]>,
    /// The PEs whose memory is mapped here, in ascending order.
    pub local: Box<[u32]>,
    pub statics: Option<Statics>,
    pub heap: Mutex<Allocator>,
    pub world_team: TeamState,
    pub shared_team: TeamState,
    /// Teams that were made: no more than there are slots.
    pub teams: Registry<TeamState, 10>,
    /// The slots that they live in.
    pub slots: Mutex<Slots>,
    /// Teams behind the active sets of old.
    pub sets: ActiveSets,
    /// Collectives that were asked for and not yet seen complete.
    pub requests: Requests,
    /// Where the next search of `wait_until_any` begins.
    pub turn: AtomicUsize,
    /// The signal that was read last, and its value.
    pub seen_signal: AtomicU64,
    /// Failed looks so far.
    pub misses: AtomicUsize,
    /// Sandia's counters at targets: where their words are.
    pub cts: Registry<usize, 10>,
    /// Whether operations are counted.
    pub counting: AtomicBool,
    /// Held through a collective allocation.
    pub allocating: Mutex<()>,
    /// The user knows that an allocation gave null.
    pub has_told_refusal: AtomicBool,
}

impl Live {
    /// Let the guard see the windows.
    pub fn open_near(&self, near: &Near) {
        near.heap.store(self.heap_base(), Relaxed);
        near.statics.store(self.statics_range().map_or(0, |(base, _)| base), Relaxed);
        near.first.store(self.local[0], Relaxed);
        near.windows.store(self.windows.as_ptr().cast_mut(), Relaxed);
        near.attention.store(self.far.is_some().into(), Relaxed);
        near.span.store(self.windows.len() as u32, Relaxed);
    }

    /// Whether a NIC executes the job's atomics, near PEs' included: the processor's own would not be atomic beside them.
    pub fn nic_atomics(&self) -> bool {
        self.far.as_ref().is_some_and(|far| far.caps().nic_atomics)
    }

    /// Let it refuse everything.
    pub fn close_near(near: &Near) {
        near.span.store(0, Relaxed);
        near.attention.store(1, Relaxed);
    }

    /// Move what is under way: the fabric's traffic, and requests.
    #[inline(always)]
    pub fn progress(&self) {
        self.progress_far();
        self.requests.progress();
    }

    /// Wait until `ready` gives something, making progress meanwhile.
    #[inline(always)]
    pub fn until<T>(&self, ready: impl FnMut() -> Option<T>) -> T {
        self.patience.until(ready, |wait| self.pass(wait))
    }

    /// Pass the time until a waiter's next look: make progress, let others run, or sleep.
    #[inline(always)]
    fn pass(&self, wait: &mut Wait) {
        match wait.look_again() {
            Moment::Look => {}
            Moment::Progress => self.progress(),
            Moment::Doze(limit) => {
                // What has just come may be what is waited for.
                let mut happened = self.progress_far();
                let idle = self.requests.are_idle();
                if !idle {
                    // What a request has just posted is not yet sent.
                    self.requests.progress();
                    happened += self.progress_far();
                }
                match happened {
                    0 if idle => wait.dozed(self.doze_far(limit)),
                    // Requests wait for what peers of this node store, too.
                    0 => wait.rest(),
                    _ => {}
                }
            }
        }
    }

    /// The program has looked for something that is not there yet: the moment to make progress, and, now and then, to let
    /// others run.
    pub fn failed_look(&self) {
        self.progress();
        self.patience.failed_look(self.misses.fetch_add(1, Relaxed) as u32);
    }

    /// The program has looked for something that is there. It may go on until it is no more: where nobody else serves peers, this is
    /// the moment to.
    pub fn good_look(&self) {
        if self.far.as_ref().is_some_and(|far| far.caps().needs_target_progress) {
            self.progress();
        }
    }

    /// The program has read a signal. If it is the one that was read before, and nothing has come, that is a failed look: there is no
    /// other for a program that has more to do than to wait.
    pub fn saw_signal(&self, address: usize, value: u64) {
        // Threads that read different signals in turn take each other's looks for first ones, which costs but time.
        let what = (address as u64).rotate_left(32) ^ value;
        if self.seen_signal.load(Relaxed) == what {
            self.failed_look();
        } else {
            self.seen_signal.store(what, Relaxed);
            self.good_look();
        }
    }

    /// Where to begin a search among so many, another place each time. Not one after the other: a program that searches two arrays in
    /// turn would always begin in the same half of each. Multiples of the golden ratio come everywhere in any such selection of them.
    pub fn place_to_begin(&self, count: usize) -> usize {
        let turn = self.turn.fetch_add(1, Relaxed) as u64;
        let fraction = turn.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        ((u128::from(fraction) * count as u128) >> 64) as usize
    }

    /// The heap's first byte.
    #[inline]
    pub fn heap_base(&self) -> usize {
        self.node.own_heap()
    }

    /// How far the heap may be used now.
    pub fn heap_extent(&self) -> usize {
        self.my_window().heap_len.load(Relaxed)
    }

    /// The addresses that are the heap's, used or not.
    pub fn heap_ceiling(&self) -> usize {
        self.node.layout().reserve()
    }

    /// The byte at an offset of the heap.
    pub fn heap_at(&self, offset: u64) -> *mut u8 {
        (self.heap_base() + offset as usize) as *mut u8
    }

    /// Who has which bytes of it.
    pub fn heap(&self) -> MutexGuard<'_, Allocator> {
        mutex::lock(&self.heap)
    }

    /// First byte and size of the executable's symmetric data.
    pub fn statics_range(&self) -> Option<(usize, usize)> {
        self.statics.as_ref().map(|statics| (statics.range().base(), statics.range().len()))
    }

    fn my_window(&self) -> &Window {
        &self.windows[(self.me - self.local[0]) as usize]
    }

    /// Use `len` bytes of every heap of the node from now on.
    pub fn raise_heap(&self, len: usize) {
        self.node.dump_heap(len);
        // The windows of PEs in between that are on other nodes stay shut.
        for pe in &self.local {
            self.windows[(pe - self.local[0]) as usize].heap_len.store(len, Relaxed);
        }
    }

    /// Whether the memory of the world's PE `pe` is mapped here.
    #[inline]
    pub fn is_mapped(&self, pe: c_int) -> bool {
        // Of PEs of other nodes most are not even between those of this one.
        (self.local[0]..self.local[0] + self.windows.len() as u32).contains(&(pe as u32))
            && self.local.binary_search(&(pe as u32)).is_ok()
    }

    /// Whether the node has `more` bytes for each of its PEs, beside what was promised before. If not, why.
    pub fn afford(&self, more: u64) -> Result<(), String> {
        let extent = self.heap_extent() as u64 + more;
        // Where PEs of one host do not share memory, each counts for all of them as it counts for itself.
        let (pes, host) = (self.node.layout().pes as u64, self.boot.local().len() as u64);
        let (headroom, untouched) = (budget::headroom(), Promise { local: host, extent, touched: 0 });
        // What is touched makes it more, and takes a look at each page of the static data.
        if untouched.check(&headroom).is_ok() {
            return Ok(());
        }
        let promise = Promise { touched: self.node.touched() * (host / pes), ..untouched };
        promise.check(&headroom).map_err(|shortage| shortage.to_string())
    }

    /// Let the peers that have not mapped it reach what the heap has grown by, `from` so many bytes `to` so many.
    pub fn show_heap(&self, far: &Far, from: u64, to: u64) -> Result<()> {
        let more = (to - from) as usize;
        // SAFETY: nothing was allocated there yet; alone on its node memory, nobody else has mapped it.
        if self.node.layout().pes == 1 && unsafe { far.furnish_heap(self.heap_at(from), more) }? {
            self.node.count_furnished(more);
        }
        // SAFETY: `dismantle` drops the fabric before the heap goes.
        unsafe { far.grow_heap(&*self.boot, self.heap_at(0), to as usize) }
    }

    /// A number that all PEs compute alike for the same symmetric address.
    pub fn symmetric_offset(&self, address: usize) -> usize {
        let in_heap = address.wrapping_sub(self.heap_base());
        if in_heap < self.heap_ceiling() {
            return in_heap;
        }
        self.statics_range().map_or(0, |(base, _)| address.wrapping_sub(base))
    }

    /// What an address that is not symmetric is instead.
    pub fn describe(&self, address: usize) -> String {
        crate::memory::statics::locate::place_of(address).to_string()
    }

    /// Say why an allocation gave null: the first time to the user, for many a program looks no further than its crash;
    /// each time to those who listen. `tells` says that this PE is the one to speak for its node, or for all.
    pub fn report_refusal(&self, site: &crate::Site, why: &str, tells: bool) {
        let usage = self.heap().usage();
        tracing::warn!(routine = site.name, why, %usage, "symmetric heap: refused");
        if tells && !self.has_told_refusal.swap(true, Relaxed) {
            let [live, ceiling] = [usage.live, usage.ceiling].map(budget::Bytes);
            // Whether or not that can be written: the program has an answer to NULL.
            let _ = writeln!(
                io::stderr(),
                "ferrite: PE {}: {} gives NULL on all PEs: {why}; {live} are allocated, of {ceiling} at most (said once)",
                self.me,
                site.name
            );
        }
    }

    /// The context of the plain routines, for a job of `size`.
    pub fn plain_context(size: u32) -> Context {
        default_context(size)
    }
}
