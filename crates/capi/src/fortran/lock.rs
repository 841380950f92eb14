//! Fortran's locks, which are of type INTEGER: 32 bits, half the size of a lock in C.
//!
//! The algorithm is the queue lock of Mellor-Crummey and Scott, as in C, with 32-bit atomics only. Each PE's copy of
//! the word holds
//!
//! ```text
//! bits  0..16   tail: at PE 0 only, 1 + the last PE of the queue; 0 if the lock is free
//! bit   16      claimed: this PE is in the queue
//! bit   17      waiting: another PE is before it
//! bits 18..32   next: 1 + the PE behind it
//! ```
//!
//! A field is changed by compare-and-swap or by addition, which do not change the other fields. A PE waits on its own
//! word. The lock is granted in the order of arrival. A word is zero again when its PE has released the lock.
//!
//! `next` has 14 bits, so a job of more than 16,383 PEs cannot use these locks: it ends with an error.
//!
//! A variable of kind 8 works too: its low half is the lock. C cannot use it as a lock.

use crate::WORLD;
use core::ffi::c_int;
use ferrite_runtime::{Amo, Ctx, Site, Update};

const TAIL: u32 = 0xffff;
const CLAIMED: u32 = 1 << 16;
const WAITING: u32 = 1 << 17;
const NEXT_SHIFT: u32 = 18;
/// Maximum number of PEs that `next` can name.
const PES_MAX: u32 = (1 << (32 - NEXT_SHIFT)) - 1;
/// The PE whose word has the tail.
const HOME: u32 = 0;

/// The words of one lock.
struct Queue {
    site: &'static Site,
    lock: *mut c_int,
    me: u32,
}

impl Queue {
    fn of(site: &'static Site, lock: *mut c_int) -> Queue {
        let pes = WORLD.n_pes(site) as u32;
        if pes > PES_MAX {
            WORLD.misuse(
                site,
                format_args!("the job has {pes} PEs; an INTEGER lock serves {PES_MAX}, a lock of C serves all"),
            );
        }
        WORLD.require_symmetric(site, "lock", lock as usize, size_of::<c_int>());
        Queue { site, lock, me: WORLD.my_pe(site) as u32 }
    }

    /// Update the word at `pe`, and return the old word.
    fn update(&self, pe: u32, update: Update<u32>) -> u32 {
        // SAFETY: the lock is a symmetric variable of type INTEGER.
        unsafe { WORLD.update_lock_word(self.site, self.lock.cast(), pe as c_int, update) }
    }

    fn load(&self, pe: u32) -> u32 {
        self.update(pe, Update::new(Amo::Fetch, 0))
    }

    /// Replace the word at `pe` by `new(word)`, unless that is `None`. Return the old word: `Ok` if it was replaced, `Err` if not.
    fn change(&self, pe: u32, new: impl Fn(u32) -> Option<u32>) -> Result<u32, u32> {
        let mut seen = self.load(pe);
        loop {
            let Some(wanted) = new(seen) else { return Err(seen) };
            let found = self.update(pe, Update { op: Amo::CompareSwap, operand: wanted, compare: seen });
            if found == seen {
                return Ok(seen);
            }
            seen = found;
        }
    }

    /// Add to the word at `pe`.
    fn add(&self, pe: u32, value: u32) {
        self.update(pe, Update::new(Amo::Add, value));
    }

    /// Wait until `met` holds for this PE's own word, and return the word.
    fn wait_for(&self, met: impl Fn(u32) -> bool) -> u32 {
        loop {
            let seen = self.load(self.me);
            if met(seen) {
                return seen;
            }
            // SAFETY: as in `update`.
            unsafe { WORLD.wait(self.site, self.lock, seen as i32) };
        }
    }

    /// Claim this PE's place in the queue, unless another thread of this PE has it.
    fn claim(&self) -> bool {
        self.change(self.me, |word| (word & CLAIMED == 0).then_some(word | CLAIMED)).is_ok()
    }

    /// Make this PE the tail if `allowed(tail)`. Return the old tail: `Ok` if it was replaced, `Err` if not.
    fn enqueue(&self, allowed: impl Fn(u32) -> bool) -> Result<u32, u32> {
        let word = self.change(HOME, |word| allowed(word & TAIL).then_some((word & !TAIL) | (self.me + 1)));
        word.map(|old| old & TAIL).map_err(|old| old & TAIL)
    }

    /// Give up this PE's place. All bits above the tail belong to this PE.
    fn leave(&self) {
        let word = self.load(self.me) & !TAIL;
        self.add(self.me, word.wrapping_neg());
    }
}

/// Take the lock. PEs that asked before get it first.
///
/// # Safety
/// `lock` is a symmetric INTEGER that is used as a lock only.
pub(super) unsafe fn set_lock(site: &'static Site, lock: *mut c_int) {
    let queue = Queue::of(site, lock);
    while !queue.claim() {
        queue.wait_for(|word| word & CLAIMED == 0);
    }
    // WAITING is set before the link is made, since the PE before this one may clear it as soon as it sees the link. It is set before it is
    // known whether there is such a PE, which costs only an addition.
    queue.add(queue.me, WAITING);
    let before = queue.enqueue(|_| true).unwrap_or(0);
    if before == 0 {
        queue.add(queue.me, WAITING.wrapping_neg());
        return;
    }
    queue.add(before - 1, (queue.me + 1) << NEXT_SHIFT);
    queue.wait_for(|word| word & WAITING == 0);
}

/// Take the lock if it is free: 0 if it was taken, 1 if not.
///
/// # Safety
/// As for `set_lock`.
pub(super) unsafe fn test_lock(site: &'static Site, lock: *mut c_int) -> c_int {
    let queue = Queue::of(site, lock);
    if queue.claim() {
        if queue.enqueue(|tail| tail == 0).is_ok() {
            return 0;
        }
        queue.leave();
    }
    WORLD.failed_look(site);
    1
}

/// Complete the operations issued under the lock, then pass the lock on.
///
/// # Safety
/// As for `set_lock`; this PE holds the lock.
pub(super) unsafe fn clear_lock(site: &'static Site, lock: *mut c_int) {
    let queue = Queue::of(site, lock);
    WORLD.quiet(site, Ctx::DEFAULT);
    let mut word = queue.load(queue.me);
    if word & CLAIMED == 0 {
        WORLD.misuse(site, format_args!("lock {lock:p} is not held by this PE; only its owner may clear it"));
    }
    if word >> NEXT_SHIFT == 0 {
        let mine = queue.me + 1;
        if queue.change(HOME, |word| (word & TAIL == mine).then_some(word & !TAIL)).is_ok() {
            return queue.leave();
        }
        // Another PE has become the tail and is about to write its number here.
        word = queue.wait_for(|word| word >> NEXT_SHIFT != 0);
    }
    queue.leave();
    queue.add((word >> NEXT_SHIFT) - 1, WAITING.wrapping_neg());
}
