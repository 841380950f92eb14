//! The happens-before order, and the accesses that race.
//!
//! Each PE has one [`Races`]. A thread has its clock to itself. The lanes of all threads lie behind a lock, since a quiet of one thread
//! completes the operations that another thread has begun on the same context, if it knows of them.

use crate::{
    area::Area,
    cell::{Access, Class},
    lanes::{Fenced, Lane, Lanes},
    private::PrivateShadow,
    shadow::{self, Order, granules},
    thread::{Stamp, Thread},
};
use core::{
    iter,
    sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed},
};
use std::sync::{Mutex, MutexGuard};

pub use crate::lanes::{Kind, Operation, Way};

/// Number of strands beyond which a thread has one lane for all PEs.
const STRANDS_MANY: usize = 3 << 10;

/// PE number of a lane for all PEs.
const ALL_PES: u32 = u32::MAX;

/// The memory that bytes lie in, and where.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Place {
    /// At an offset of the host's memory file: symmetric memory of one of its PEs.
    Shared(usize),
    /// At an address of this process alone.
    Private(usize),
}

impl Place {
    fn start(self) -> usize {
        match self {
            Place::Shared(at) | Place::Private(at) => at,
        }
    }
}

/// How bytes are accessed: all of an access but its strand, its epoch and its site.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// Whether the bytes are written.
    pub write: bool,
    /// Class of the access.
    pub class: Class,
    /// As in [`Access`].
    pub mark: bool,
}

impl Manner {
    /// A load, or a copy from there.
    pub const READ: Manner = Manner { write: false, class: Class::Plain, mark: false };
    /// A store, or a copy to there.
    pub const WRITE: Manner = Manner { write: true, ..Manner::READ };
}

/// Two conflicting accesses that nothing orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The later access.
    pub mine: Access,
    /// The earlier access.
    pub other: Access,
    /// The granule that both access.
    pub place: Place,
}

/// The races of one PE.
pub struct Races<'m> {
    area: Area<'m>,
    me: u32,
    lanes: Mutex<Lanes>,
    private: PrivateShadow,
    has_private: AtomicBool,
    threads: AtomicUsize,
}

struct Knows<'a, 'm> {
    races: &'a Races<'m>,
    thread: &'a Thread,
    /// Further strands that are known, each up to an epoch.
    more: Option<&'a Fenced>,
    /// Kind of the lane that makes the access; `None` if the thread makes it.
    lane: Option<Kind>,
}

impl Order for Knows<'_, '_> {
    #[inline]
    fn has(&self, earlier: Access) -> bool {
        earlier.strand == self.thread.strand
            || !earlier.is_freed()
                && (self.thread.has(earlier.strand, earlier.epoch)
                    || self.more.is_some_and(|more| {
                        more.iter().any(|(strand, epoch)| strand == earlier.strand && earlier.epoch <= epoch)
                    }))
    }

    /// Races between threads of one PE that do not involve the library are not reported.
    fn excuses(&self, earlier: Access) -> bool {
        self.lane.is_none() && !earlier.is_freed() && self.races.is_own_thread(earlier.strand)
    }

    /// A thread's own accesses are ordered. Operations on one lane are not ordered within an epoch; atomics and reads, though, do not race
    /// with each other. No other strand knows of a lane's epoch before it is over, except through a signal.
    #[inline]
    fn repeats(&self, mine: Access) -> bool {
        match self.lane {
            None => true,
            Some(Kind::Signals) => false,
            Some(Kind::Puts | Kind::Gets) => !mine.conflicts(mine),
        }
    }
}

impl<'m> Races<'m> {
    /// The races of PE `me`.
    pub fn new(area: Area<'m>, me: u32) -> Races<'m> {
        Races {
            area,
            me,
            lanes: Mutex::default(),
            private: PrivateShadow::default(),
            has_private: AtomicBool::new(false),
            threads: AtomicUsize::new(0),
        }
    }

    /// The memory that the PEs of the host share.
    pub fn area(&self) -> &Area<'m> {
        &self.area
    }

    /// Make a thread with an empty clock. `None` if there are too many strands.
    pub fn thread(&self) -> Option<Thread> {
        let strand = self.area.strand(self.me, 0)?;
        if self.threads.fetch_add(1, Relaxed) > 0 {
            self.has_private.store(true, Relaxed);
        }
        Some(Thread::new(strand))
    }

    /// Whether accesses of private memory must be recorded: operations use private buffers, or the PE has several threads.
    #[inline]
    pub fn wants_private(&self) -> bool {
        self.has_private.load(Relaxed)
    }

    /// Record that the thread accesses bytes.
    #[inline]
    pub fn by_thread(
        &self,
        thread: &mut Thread,
        (place, len): (Place, usize),
        manner: Manner,
        site: u16,
    ) -> Option<Conflict> {
        thread.touches();
        let (strand, epoch) = (thread.strand, thread.epoch);
        self.touch(thread, (None, None), (place, len), manner, (strand, epoch, site))
    }

    /// Return the race that an access by the thread would be part of. Nothing is recorded.
    pub fn look(&self, thread: &Thread, (place, len): (Place, usize), manner: Manner, site: u16) -> Option<Conflict> {
        let (strand, epoch) = (thread.strand, thread.epoch);
        let knows = Knows { races: self, thread, more: None, lane: None };
        granules(place.start(), len).find_map(|(at, mask)| {
            let mine =
                Access { strand, epoch, mask, class: manner.class, mark: manner.mark, write: manner.write, site };
            let (cells, granule) = match place {
                Place::Shared(_) => (Some(self.area.cells(at)), Place::Shared(at)),
                Place::Private(_) => (self.private.cells(at), Place::Private(at)),
            };
            shadow::look(cells?, mine, &knows).map(|other| Conflict { mine, other, place: granule })
        })
    }

    /// The thread's current stamp. A thread that knows of it knows everything that this thread did before.
    pub fn stamp(&self, thread: &mut Thread) -> Stamp {
        thread.stamp()
    }

    /// Whether the thread knows of another thread's stamp.
    pub fn knows(&self, thread: &Thread, stamp: Stamp) -> bool {
        stamp.strand == thread.strand || thread.has(stamp.strand, stamp.epoch)
    }

    /// Begin an operation of the thread.
    pub fn begin(&self, thread: &mut Thread, way: Way) -> Operation {
        thread.begins_operation();
        let mut lanes = self.lanes();
        let peer = lanes.entry(self.key(thread, way)).or_default();
        let own = peer.fenced_before(way.kind);
        let new = || Lane::new(self.area.strand(self.me, thread.strand), thread.strand);
        let lane = peer.get_mut(way.kind).get_or_insert_with(new);
        // Without a strand of its own, the lane's operations count as complete at once: races are missed.
        let has_own = lane.epoch != 0;
        if lane.since == 0 || !has_own {
            thread.acts();
        }
        if lane.since == 0 {
            lane.since = thread.epoch;
        }
        let (strand, epoch) = (lane.strand, if has_own { lane.epoch } else { thread.epoch });
        let fenced = Fenced { own, others: self.fenced_by_others(&lanes, thread, way) };
        Operation { kind: way.kind, strand, epoch, fenced }
    }

    /// Record that an operation accesses bytes, at any time until it is complete.
    pub fn by_operation(
        &self,
        thread: &Thread,
        operation: &Operation,
        (place, len): (Place, usize),
        manner: Manner,
        site: u16,
    ) -> Option<Conflict> {
        if matches!(place, Place::Private(_)) {
            self.has_private.store(true, Relaxed);
        }
        let &Operation { kind, strand, epoch, ref fenced } = operation;
        let lane = (strand != thread.strand).then_some(kind);
        self.touch(thread, (Some(fenced), lane), (place, len), manner, (strand, epoch, site))
    }

    fn touch(
        &self,
        thread: &Thread,
        (more, lane): (Option<&Fenced>, Option<Kind>),
        (place, len): (Place, usize),
        manner: Manner,
        (strand, epoch, site): (u16, u32, u16),
    ) -> Option<Conflict> {
        let knows = Knows { races: self, thread, more, lane };
        let mut found = None;
        // A range that ends beyond the memory file is not recorded: the routine that asked for it refuses it.
        let end = self.area.end();
        let fits = |len: &usize| matches!(place, Place::Private(_)) || *len <= end.saturating_sub(place.start());
        for (at, mask) in granules(place.start(), Some(len).filter(fits).unwrap_or_default()) {
            let mine =
                Access { strand, epoch, mask, class: manner.class, mark: manner.mark, write: manner.write, site };
            let (other, granule) = match place {
                Place::Shared(_) => (shadow::note(self.area.cells(at), mine, &knows), Place::Shared(at)),
                Place::Private(_) if lane.is_none() && self.threads.load(Relaxed) < 2 => {
                    let cells = self.private.cells(at);
                    (cells.and_then(|cells| shadow::look(cells, mine, &knows)), Place::Private(at))
                }
                Place::Private(_) => (shadow::note(self.private.make(at), mine, &knows), Place::Private(at)),
            };
            if found.is_none() {
                found = other.map(|other| Conflict { mine, other, place: granule });
            }
        }
        found
    }

    /// Leave the thread's clock at a word.
    pub fn leave(&self, thread: &mut Thread, key: u64) {
        thread.leave(self.area.word(key), self.area.used(), iter::empty());
    }

    /// Like [`Races::leave`], and leave also the operations that fences have ordered before `operation`, and `operation` itself if it has a
    /// signal.
    pub fn leave_by(&self, thread: &mut Thread, key: u64, operation: &Operation) {
        let &Operation { kind, strand, epoch, ref fenced } = operation;
        let brought = (kind == Kind::Signals).then_some((strand, epoch));
        thread.leave(self.area.word(key), self.area.used(), fenced.iter().chain(brought));
    }

    /// Like [`Races::leave_by`], for an operation of `way` that is complete at once.
    pub fn leave_at_once(&self, thread: &mut Thread, key: u64, way: Way) {
        let fenced = {
            let lanes = self.lanes();
            let own =
                lanes.get(&self.key(thread, way)).map_or_else(Default::default, |peer| peer.fenced_before(way.kind));
            Fenced { own, others: self.fenced_by_others(&lanes, thread, way) }
        };
        thread.leave(self.area.word(key), self.area.used(), fenced.iter());
    }

    /// Add the clock that was left at a word to the thread's clock.
    pub fn take(&self, thread: &mut Thread, key: u64) {
        thread.take(self.area.word(key), self.area.used());
    }

    /// Take the clock at a word when the operations in progress on `way` are complete.
    pub fn owe(&self, thread: &Thread, way: Way, key: u64) {
        if let Some(lane) =
            self.lanes().get_mut(&self.key(thread, way)).and_then(|peer| peer.get_mut(way.kind).as_mut())
        {
            lane.owed.push(key);
        }
    }

    /// Record a fence of a context.
    pub fn fence(&self, thread: &mut Thread, ctx: usize) {
        let now = thread.stamp();
        for (&(whose, ..), peer) in self.lanes().iter_mut().filter(|((_, on, _), _)| *on == ctx) {
            for lane in peer.puts_mut() {
                if lane.since != 0 && (whose == thread.strand || thread.has(whose, lane.since)) {
                    lane.fenced = lane.epoch;
                    lane.fenced_at = now;
                    lane.next();
                }
            }
        }
        self.publish(thread);
    }

    /// Record a quiet of a context, or of its operations to one PE.
    pub fn quiet(&self, thread: &mut Thread, ctx: usize, to: Option<u32>) {
        let mut owed = Vec::new();
        let is_meant =
            |&(_, on, peer): &(u16, usize, u32)| on == ctx && to.is_none_or(|to| peer == to || peer == ALL_PES);
        for (&(whose, ..), peer) in self.lanes().iter_mut().filter(|(key, _)| is_meant(key)) {
            let knows = |thread: &Thread, since| whose == thread.strand || thread.has(whose, since);
            for lane in peer.each_mut() {
                if lane.since != 0 && knows(thread, lane.since) {
                    lane.done = (lane.epoch, lane.since);
                    lane.since = 0;
                    lane.next();
                    owed.append(&mut lane.owed);
                }
                if lane.done.0 != 0 && knows(thread, lane.done.1) {
                    thread.learn(lane.strand, lane.done.0);
                }
            }
        }
        owed.into_iter().for_each(|key| self.take(thread, key));
        self.publish(thread);
    }

    /// Record that a wait or a test has seen the value of a word of this PE. The thread takes the clock of the strand that wrote it.
    pub fn seen(&self, thread: &mut Thread, (place, len): (Place, usize), key: u64) {
        self.take(thread, key);
        let Place::Shared(start) = place else { return };
        for (at, mask) in granules(start, len) {
            shadow::forget(self.area.cells(at), |other| {
                let over = other.write && other.mask & mask != 0 && !other.is_freed() && other.strand != thread.strand;
                // The flag is part of a larger put, and its writer has left no clock here. The writer's published clock is taken instead,
                // which may have more than the writer knew at the put.
                if over && other.class == Class::Plain && !other.mark && !thread.has(other.strand, other.epoch) {
                    let writer = self.area.thread_of(other.strand);
                    thread.take(self.area.published(writer), self.area.used());
                }
                over
            });
        }
    }

    /// Begin a part of the program that any other thread might have run. The thread does not know what the parts before it have done, so a
    /// race is found no matter which thread runs which part.
    pub fn part(&self, thread: &mut Thread) {
        if self.area.used() > STRANDS_MANY {
            return;
        }
        let Some(strand) = self.area.strand(self.me, 0) else { return };
        thread.begin_part(strand);
        // The parts count as two threads of this PE.
        self.threads.fetch_max(2, Relaxed);
        self.has_private.store(true, Relaxed);
    }

    /// End the parts of the thread.
    pub fn parts_end(&self, thread: &mut Thread) {
        thread.end_parts();
    }

    /// Mark memory of this PE as freed at the site `freed`, or, with `None`, as a new object.
    pub fn mark(&self, offset: usize, len: usize, freed: Option<u16>) {
        for (at, _) in granules(offset, len) {
            for (nth, cell) in self.area.cells(at).iter().enumerate() {
                let word = if nth == 0 { freed.map_or(0, |site| Access::freed(site).pack()) } else { 0 };
                cell.store(word, Relaxed);
            }
        }
    }

    /// Forget the accesses of private memory that is a new object from now on.
    pub fn forget_private(&self, address: usize, len: usize) {
        if self.wants_private() {
            self.private.forget(address, len);
        }
    }

    fn publish(&self, thread: &mut Thread) {
        let more: Vec<_> = {
            let lanes = self.lanes();
            let own = lanes.iter().filter(|((whose, ..), _)| *whose == thread.strand).flat_map(|(_, peer)| peer.puts());
            own.filter(|lane| lane.fenced > 0).map(|lane| (lane.strand, lane.fenced)).collect()
        };
        thread.leave(self.area.published(thread.strand), self.area.used(), more.into_iter());
    }

    /// The operations of other threads that fences known to this thread have ordered before its next operation of `way`.
    fn fenced_by_others(&self, lanes: &Lanes, thread: &Thread, way: Way) -> Vec<(u16, u32)> {
        if way.kind == Kind::Gets || self.threads.load(Relaxed) < 2 {
            return Vec::new();
        }
        let (_, ctx, to) = self.key(thread, way);
        let others = lanes.iter().filter(|((whose, on, peer), _)| *whose != thread.strand && (*on, *peer) == (ctx, to));
        let lanes = others.flat_map(|(_, peer)| peer.puts());
        let known = lanes.filter(|lane| lane.fenced > 0 && self.knows(thread, lane.fenced_at));
        known.map(|lane| (lane.strand, lane.fenced)).collect()
    }

    /// Key of a thread's lane for a way. With very many strands, the thread has one lane for all PEs: the checker then takes a fence, or a
    /// quiet to one PE, to order more than it does.
    fn key(&self, thread: &Thread, way: Way) -> (u16, usize, u32) {
        (thread.strand, way.ctx, if self.area.used() < STRANDS_MANY { way.to } else { ALL_PES })
    }

    fn is_own_thread(&self, strand: u16) -> bool {
        self.area.thread_of(strand) == strand && self.area.pe_of(strand) == self.me
    }

    fn lanes(&self) -> MutexGuard<'_, Lanes> {
        self.lanes.lock().unwrap_or_else(|broken| broken.into_inner())
    }
}

#[cfg(test)]
#[path = "races_tests.rs"]
mod tests;

#[cfg(test)]
#[path = "threads_tests.rs"]
mod threads_tests;
