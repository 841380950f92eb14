//! Distributed locks: the queue lock of Mellor-Crummey and Scott (1991) over symmetric words.
//!
//! A lock is a `long` on every PE, zero when free, and each PE's copy holds two halves:
//!
//! ```text
//! tail (low 32 bits)    used at the lock's home PE only: 1 + the last PE in the queue, 0 if the lock is free
//! node (high 32 bits)   this PE's place in the queue: CLAIMED | WAITING | (1 + next PE) << 2; 0 if it has none
//! ```
//!
//! A PE claims its own node, swaps itself into the tail, and, if another PE was there before, links itself into that predecessor's node and
//! waits on its *own* node: no remote polling, grants in the order of the swaps. The owner hands the lock on by clearing WAITING in its
//! successor's node. A PE that leaves has zeroed its node, so that all words are zero again when no PE holds the lock or waits.
//!
//! Claiming the node by compare-and-swap also serialises threads of one PE that use the same lock.
//!
//! # Orders
//!
//! All updates acquire and release. The swap and the hand-over form one chain: the stores of an owner before `clear_lock` (which begins
//! with a `quiet`) are visible to the next owner after `set_lock`. WAITING is set before the link is published, since the predecessor may
//! clear it as soon as it sees the link.

use crate::{
    Ctx, Site, World,
    far::{Old, Update},
    observe::{Call, Kind},
};
use core::ffi::{c_int, c_long};
use ferrite_fabric::Amo;

const CLAIMED: u32 = 1;
const WAITING: u32 = 2;
const NEXT_SHIFT: u32 = 2;

/// The words of one lock that this PE may access.
struct Queue<'w> {
    world: &'w World,
    site: &'static Site,
    lock: *mut c_long,
    me: u32,
    home: c_int,
}

impl<'w> Queue<'w> {
    fn of(world: &'w World, site: &'static Site, lock: *mut c_long) -> Queue<'w> {
        let live = world.require_live(site);
        if !(lock as usize).is_multiple_of(align_of::<c_long>()) {
            world.unaligned(site, "lock", lock as usize, size_of::<c_long>());
        }
        world.must_be_host(site, "lock", lock as usize);
        let home = live.memory.symmetric_offset(lock as usize) / size_of::<c_long>() % live.size as usize;
        Queue { world, site, lock, me: live.me, home: home as c_int }
    }

    /// Update the tail, at the lock's home. Returns its old value.
    fn tail(&self, op: Amo, operand: u32, compare: u32) -> u32 {
        self.word(self.lock.cast(), self.home, Update { op, operand, compare })
    }

    /// Update the node of `pe`. Returns its old value.
    fn node(&self, pe: u32, op: Amo, operand: u32) -> u32 {
        self.word(self.lock.cast::<u32>().wrapping_add(1), pe as c_int, Update::new(op, operand))
    }

    fn word(&self, word: *mut u32, pe: c_int, update: Update<u32>) -> u32 {
        // SAFETY: half of a symmetric, aligned long.
        unsafe { self.world.update_lock_word(self.site, word, pe, update) }
    }

    fn mine(&self) -> u32 {
        self.node(self.me, Amo::Fetch, 0)
    }

    fn claim(&self) -> bool {
        let claim = Update { op: Amo::CompareSwap, operand: CLAIMED, compare: 0 };
        self.word(self.lock.cast::<u32>().wrapping_add(1), self.me as c_int, claim) == 0
    }

    /// Free our node.
    fn leave(&self) {
        self.node(self.me, Amo::Swap, 0);
    }

    fn wait_for(&self, mut met: impl FnMut() -> bool) {
        self.world.wait_for(self.site, || met().then_some(()));
    }
}

const _: () =
    assert!(size_of::<c_long>() == 8 && cfg!(target_endian = "little"), "a lock's halves are laid out for LP64");

impl World {
    /// Update a word of a lock at `pe`, and return its old value. Every update acquires and releases: see the essay above. If a peer is lost,
    /// this unwinds to the border of the lock's routine, whereas the routines of atomics would return 0 to C and Fortran.
    ///
    /// # Safety
    /// `word` is a symmetric, aligned word that is used as a lock only.
    #[inline]
    pub unsafe fn update_lock_word(&self, site: &'static Site, word: *mut u32, pe: c_int, update: Update<u32>) -> u32 {
        // SAFETY: the caller's contract; the guard checks the rest.
        unsafe {
            match self.cell(Ctx::DEFAULT, word, pe) {
                Some(cell) => update.apply(cell),
                None => self.update_slow(site, "lock", Ctx::DEFAULT, word, pe, update, Old::Returned),
            }
        }
    }

    /// Take the lock, after the PEs that asked before.
    ///
    /// # Safety
    /// `lock` is a symmetric long that is used as a lock only.
    pub unsafe fn set_lock(&self, site: &'static Site, lock: *mut c_long) {
        self.note_call(site);
        let _observed = self.observe(|_| Call { remote: lock as usize, ..Call::of(site, Kind::Lock) });
        let queue = Queue::of(self, site, lock);
        if !queue.claim() {
            queue.wait_for(|| queue.claim());
        }
        let before = queue.tail(Amo::Swap, queue.me + 1, 0);
        if before == 0 {
            return;
        }
        queue.node(queue.me, Amo::Or, WAITING);
        queue.node(before - 1, Amo::Or, (queue.me + 1) << NEXT_SHIFT);
        queue.wait_for(|| queue.mine() & WAITING == 0);
    }

    /// Take the lock if it is free: 0 if it was taken, 1 if not.
    ///
    /// # Safety
    /// As for `set_lock`.
    pub unsafe fn test_lock(&self, site: &'static Site, lock: *mut c_long) -> c_int {
        let observed = self.observe(|_| Call { remote: lock as usize, ..Call::of(site, Kind::TryLock) });
        let queue = Queue::of(self, site, lock);
        // Another thread of this PE may hold the lock, or wait for it.
        if queue.claim() {
            if queue.tail(Amo::CompareSwap, queue.me + 1, 0) == 0 {
                observed.gives(0);
                return 0;
            }
            queue.leave();
        }
        self.require_live(site).failed_look();
        observed.gives(1);
        1
    }

    /// Complete the operations issued under the lock, then hand it on.
    ///
    /// # Safety
    /// As for `set_lock`; this PE holds the lock.
    pub unsafe fn clear_lock(&self, site: &'static Site, lock: *mut c_long) {
        self.note_call(site);
        let _observed = self.observe(|_| Call { remote: lock as usize, ..Call::of(site, Kind::Unlock) });
        self.quiet(site, Ctx::DEFAULT);
        let queue = Queue::of(self, site, lock);
        let mut node = queue.mine();
        if node & CLAIMED == 0 {
            self.misuse(site, format_args!("lock {lock:p} is not held by this PE; only its owner may clear it"));
        }
        if node >> NEXT_SHIFT == 0 {
            if queue.tail(Amo::CompareSwap, 0, queue.me + 1) == queue.me + 1 {
                return queue.leave();
            }
            // Another PE has swapped itself in behind us, and is about to link itself.
            queue.wait_for(|| {
                node = queue.mine();
                node >> NEXT_SHIFT != 0
            });
        }
        queue.leave();
        queue.node((node >> NEXT_SHIFT) - 1, Amo::And, !WAITING);
    }
}
