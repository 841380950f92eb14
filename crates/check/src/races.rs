//! What happens before what, and which accesses race.
//!
//! One [`Races`] a PE. A thread has its clock to itself; the lanes of all threads lie behind a lock, since a quiet of one thread ends
//! what another has begun on the same context, if it knows of it.

use crate::{
    area::Area,
    cell::{Access, Class},
    lanes::{Lane, Lanes},
    private::PrivateShadow,
    shadow::{self, Order, granules},
    thread::{Stamp, Thread},
};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard};

pub use crate::lanes::{Kind, Way};

/// Strands beyond which lanes no longer tell PEs apart.
const STRANDS_MANY: usize = 3 << 10;

/// Where bytes are.
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

/// How bytes are accessed, beside by whom and when.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Manner {
    /// Whether they are changed.
    pub write: bool,
    /// By what.
    pub class: Class,
    /// As of [`Access`].
    pub mark: bool,
}

impl Manner {
    /// A load, or a copy from there.
    pub const READ: Manner = Manner { write: false, class: Class::Plain, mark: false };
    /// A store, or a copy to there.
    pub const WRITE: Manner = Manner { write: true, ..Manner::READ };
}

/// Two accesses that nothing orders.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Conflict {
    /// The one that was made last.
    pub mine: Access,
    /// The one before.
    pub other: Access,
    /// The granule.
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
    /// Further strands that are known, and up to when.
    more: &'a [(u16, u32)],
    /// What the lane does whose access it is; `None` for the thread.
    lane: Option<Kind>,
}

impl Order for Knows<'_, '_> {
    #[inline]
    fn has(&self, earlier: Access) -> bool {
        earlier.strand == self.thread.strand
            || !earlier.is_freed()
                && (self.thread.has(earlier.strand, earlier.epoch)
                    || self.more.iter().any(|&(strand, epoch)| strand == earlier.strand && earlier.epoch <= epoch))
    }

    /// What threads of one PE do to each other without the library is not looked for here.
    fn excuses(&self, earlier: Access) -> bool {
        self.lane.is_none() && !earlier.is_freed() && self.races.is_own_thread(earlier.strand)
    }

    /// What a thread does is in order. Nobody knows of what a lane does in an epoch that is not over, but of what signals bring; it
    /// is not in order, but atomics and reads do not race with each other.
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
    /// Of PE `me`.
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

    /// What the PEs of the host share.
    pub fn area(&self) -> &Area<'m> {
        &self.area
    }

    /// A new thread, which knows of nothing. `None` if there are too many.
    pub fn thread(&self) -> Option<Thread> {
        let strand = self.area.strand(self.me, 0)?;
        if self.threads.fetch_add(1, Relaxed) > 0 {
            self.has_private.store(true, Relaxed);
        }
        Some(Thread::new(strand))
    }

    /// Whether accesses of private memory are to be shown: buffers of operations are there, or several threads.
    #[inline]
    pub fn wants_private(&self) -> bool {
        self.has_private.load(Relaxed)
    }

    /// The thread accesses bytes.
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
        self.touch(thread, (&[], None), (place, len), manner, (strand, epoch, site))
    }

    /// What the thread would race with if it accessed bytes; nothing is noted.
    pub fn look(&self, thread: &Thread, (place, len): (Place, usize), manner: Manner, site: u16) -> Option<Conflict> {
        let (strand, epoch) = (thread.strand, thread.epoch);
        let knows = Knows { races: self, thread, more: &[], lane: None };
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

    /// What the thread has come to. Who knows of that knows all that it did before.
    pub fn stamp(&self, thread: &mut Thread) -> Stamp {
        thread.acts();
        Stamp { strand: thread.strand, epoch: thread.epoch }
    }

    /// Whether the thread knows that another has come so far.
    pub fn knows(&self, thread: &Thread, stamp: Stamp) -> bool {
        stamp.strand == thread.strand || thread.has(stamp.strand, stamp.epoch)
    }

    /// An operation that the thread begins accesses bytes until it is over.
    pub fn by_lane(
        &self,
        thread: &mut Thread,
        way: Way,
        (place, len): (Place, usize),
        manner: Manner,
        site: u16,
    ) -> Option<Conflict> {
        if matches!(place, Place::Private(_)) {
            self.has_private.store(true, Relaxed);
        }
        let (strand, epoch, known) = {
            let mut lanes = self.lanes();
            let way = self.told_apart(way);
            let known = self.fenced(&lanes, thread, way);
            let lane = lanes.entry((thread.strand, way)).or_insert_with(|| Lane {
                // Without a strand of its own, what it does counts as done at once: races are missed.
                strand: self.area.strand(self.me, thread.strand).unwrap_or(thread.strand),
                epoch: 1,
                fenced: 0,
                fenced_at: 0,
                since: 0,
                done: (0, 0),
                owed: Vec::new(),
            });
            let has_own = lane.strand != thread.strand;
            if lane.since == 0 || !has_own {
                thread.acts();
            }
            if lane.since == 0 {
                lane.since = thread.epoch;
            }
            (lane.strand, if has_own { lane.epoch } else { thread.epoch }, known)
        };
        let lane = (strand != thread.strand).then_some(way.kind);
        let conflict = self.touch(thread, (&known, lane), (place, len), manner, (strand, epoch, site));
        thread.has_begun_operation();
        conflict
    }

    fn touch(
        &self,
        thread: &Thread,
        (more, lane): (&[(u16, u32)], Option<Kind>),
        (place, len): (Place, usize),
        manner: Manner,
        (strand, epoch, site): (u16, u32, u16),
    ) -> Option<Conflict> {
        let knows = Knows { races: self, thread, more, lane };
        let mut found = None;
        // What reaches beyond all memory is refused by who asked for it.
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

    /// Leave at a word what the thread knows, with what fences have put in order before an operation of `way`, and what
    /// `way` itself has brought there.
    pub fn leave(&self, thread: &mut Thread, key: u64, way: Option<Way>) {
        let mut more = Vec::new();
        if let Some(way) = way {
            let lanes = self.lanes();
            let way = self.told_apart(way);
            more = self.fenced(&lanes, thread, way);
            if way.kind == Kind::Signals
                && let Some(lane) = lanes.get(&(thread.strand, way))
            {
                more.push((lane.strand, lane.epoch));
            }
        }
        thread.leave(self.area.word(key), self.area.used(), &more);
    }

    /// Take what was left at a word.
    pub fn take(&self, thread: &mut Thread, key: u64) {
        thread.take(self.area.word(key), self.area.used());
    }

    /// Take it when what `way` has under way is complete.
    pub fn owe(&self, thread: &Thread, way: Way, key: u64) {
        if let Some(lane) = self.lanes().get_mut(&(thread.strand, self.told_apart(way))) {
            lane.owed.push(key);
        }
    }

    /// A fence of a context.
    pub fn fence(&self, thread: &mut Thread, ctx: usize) {
        for ((whose, way), lane) in self.lanes().iter_mut() {
            let known = *whose == thread.strand || thread.has(*whose, lane.since);
            if way.ctx == ctx && way.kind != Kind::Gets && lane.since != 0 && known {
                lane.fenced = lane.epoch;
                lane.fenced_at = thread.epoch;
                lane.next();
            }
        }
        thread.acts();
        self.publish(thread);
    }

    /// A quiet of a context, or of its operations to one PE.
    pub fn quiet(&self, thread: &mut Thread, ctx: usize, to: Option<u32>) {
        let mut owed = Vec::new();
        for ((whose, way), lane) in self.lanes().iter_mut() {
            if way.ctx != ctx || to.is_some_and(|to| way.to != to) {
                continue;
            }
            let knows = |thread: &Thread, since| *whose == thread.strand || thread.has(*whose, since);
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
        owed.into_iter().for_each(|key| self.take(thread, key));
        self.publish(thread);
    }

    /// A wait or a test has seen what was written at a word of this PE: whoever wrote it has come so far.
    pub fn seen(&self, thread: &mut Thread, (place, len): (Place, usize), key: u64) {
        self.take(thread, key);
        let Place::Shared(start) = place else { return };
        for (at, mask) in granules(start, len) {
            shadow::forget(self.area.cells(at), |other| {
                let over = other.write && other.mask & mask != 0 && !other.is_freed() && other.strand != thread.strand;
                // A flag in the middle of a larger put, whose writer has left nothing here: what it knows by now is too much.
                if over && other.class == Class::Plain && !other.mark && !thread.has(other.strand, other.epoch) {
                    let writer = self.area.thread_of(other.strand);
                    thread.take(self.area.published(writer), self.area.used());
                }
                over
            });
        }
    }

    /// The thread begins a part of the program that any other thread might have run: it knows nothing of what the parts before it
    /// have done. A race is found whoever runs which part.
    pub fn part(&self, thread: &mut Thread) {
        if self.area.used() > STRANDS_MANY {
            return;
        }
        let Some(strand) = self.area.strand(self.me, 0) else { return };
        thread.begin_part(strand);
        // Two strands of this PE are at work.
        self.threads.fetch_max(2, Relaxed);
        self.has_private.store(true, Relaxed);
    }

    /// It has run its parts.
    pub fn parts_end(&self, thread: &mut Thread) {
        thread.end_parts();
    }

    /// Memory of this PE that was freed at `site`, or is an object again.
    pub fn mark(&self, offset: usize, len: usize, freed: Option<u16>) {
        for (at, _) in granules(offset, len) {
            for (nth, cell) in self.area.cells(at).iter().enumerate() {
                let word = if nth == 0 { freed.map_or(0, |site| Access::freed(site).pack()) } else { 0 };
                cell.store(word, Relaxed);
            }
        }
    }

    /// Private memory is another object from now on.
    pub fn forget_private(&self, address: usize, len: usize) {
        if self.wants_private() {
            self.private.forget(address, len);
        }
    }

    fn publish(&self, thread: &mut Thread) {
        let more: Vec<_> = {
            let lanes = self.lanes();
            let own = lanes.iter().filter(|((whose, _), lane)| *whose == thread.strand && lane.fenced > 0);
            own.map(|(_, lane)| (lane.strand, lane.fenced)).collect()
        };
        thread.leave(self.area.published(thread.strand), self.area.used(), &more);
    }

    /// What fences have put in order before the next operation of `way`.
    fn fenced(&self, lanes: &Lanes, thread: &Thread, way: Way) -> Vec<(u16, u32)> {
        if way.kind == Kind::Gets {
            return Vec::new();
        }
        let mut known = Vec::new();
        for kind in [Kind::Puts, Kind::Signals] {
            if let Some(lane) = lanes.get(&(thread.strand, Way { kind, ..way }))
                && lane.fenced > 0
            {
                known.push((lane.strand, lane.fenced));
            }
        }
        if self.threads.load(Relaxed) > 1 {
            let others = lanes.iter().filter(|((whose, other), lane)| {
                *whose != thread.strand
                    && (other.ctx, other.to) == (way.ctx, way.to)
                    && other.kind != Kind::Gets
                    && lane.fenced > 0
                    && thread.has(*whose, lane.fenced_at)
            });
            known.extend(others.map(|(_, lane)| (lane.strand, lane.fenced)));
        }
        known
    }

    /// With very many strands, one lane for all PEs: a fence then orders more than it does.
    fn told_apart(&self, way: Way) -> Way {
        if self.area.used() < STRANDS_MANY { way } else { Way { to: u32::MAX, ..way } }
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
