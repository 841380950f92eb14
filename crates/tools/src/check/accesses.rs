//! Memory accesses of a call, and the order with other PEs that its return establishes.

use super::{
    Check,
    findings::{Finding, Weight},
};
use core::ffi::c_int;
use ferrite_abi::constants::SHMEM_SIGNAL_ADD;
use ferrite_check::{
    Class, Conflict, Place, Thread,
    area::{hash, prefetch},
    races::{Kind as LaneKind, Manner, Operation, Way},
};
use ferrite_fabric::Amo;
use ferrite_runtime::{
    Team,
    observe::{Answer, Call, Kind, Layout, View},
};

/// Maximum number of blocks of a strided operation that are recorded. In blocks beyond it a race may be missed.
const BLOCKS_MAX: usize = 1 << 20;

/// How a wait or a test reads its word.
const LOOK: Manner = Manner { write: false, class: Class::Signal, mark: false };

/// First block of a range: its place, its length in bytes, and the distance to the next block.
type Part = (Place, usize, isize);

impl Check {
    /// Prefetch the first word of an operation that is about to be checked and executed, and the accesses recorded for that word. If the
    /// tables are larger than the caches, every update would otherwise wait for both.
    #[inline]
    pub(super) fn expect(&self, view: View<'_>, call: &Call) {
        if let Some(Place::Shared(at)) = self.there(view, call.remote, call.pe) {
            self.races.area().expect(at);
            let (base, _) = view.memory().node.mapped();
            prefetch(core::ptr::without_provenance(base + at));
        }
    }

    /// Record the accesses with which an operation begins, and report a race if there is one.
    pub(super) fn note(&self, view: View<'_>, call: &Call, site: u16) {
        if !self.sees_all() {
            return;
        }
        let conflict = self.with_thread(|thread| self.note_by(view, call, site, thread)).flatten();
        if let Some(conflict) = conflict {
            self.tell_race(view, conflict, element_of(call));
        }
    }

    fn note_by(&self, view: View<'_>, call: &Call, site: u16, thread: &mut Thread) -> Option<Conflict> {
        let Layout { here, there, .. } = call.layout;
        if call.layout.block > view.memory().heap_ceiling().max(view.memory().statics_range().map_or(0, |(_, len)| len))
        {
            // No object is that large: the library refuses the call.
            return None;
        }
        let at_peer = self.there(view, call.remote, call.pe).map(|place| (place, call.layout.block, there));
        let at_home = (self.here(view, call.local), call.layout.block, here);
        let way = |kind| Way { ctx: call.ctx.0, to: call.pe as u32, kind };
        let later = call.answer == Answer::Later;
        let count = call.layout.count;
        match call.kind {
            Kind::Put | Kind::PutSignal => {
                let kind = if call.kind == Kind::Put { LaneKind::Puts } else { LaneKind::Signals };
                // A blocking put reads its source before the rest begins, since the caller may change the source on return.
                let read = if later { None } else { self.by_thread(thread, at_home, count, Manner::READ, site) };
                let put = self.races.begin(thread, way(kind));
                let source = match later {
                    true => self.by_operation(thread, &put, at_home, count, Manner::READ, site),
                    false => read,
                };
                // One element may be a flag that the peer waits for.
                let is_flag = kind == LaneKind::Puts && count == 1 && call.layout.block <= 8;
                let manner = Manner { mark: is_flag, ..Manner::WRITE };
                let dest = at_peer.and_then(|peer| {
                    let found = self.by_operation(thread, &put, peer, count, manner, site);
                    if is_flag {
                        self.races.leave_by(thread, word_key(peer.0), &put);
                    }
                    found
                });
                let signal = call.signal.and_then(|signal| {
                    let place = self.there(view, signal.address, call.pe)?;
                    let manner = Manner { write: true, class: Class::Signal, mark: signal.op == SHMEM_SIGNAL_ADD };
                    let found = self.by_operation(thread, &put, (place, 8, 0), 1, manner, site);
                    self.races.leave_by(thread, word_key(place), &put);
                    found
                });
                dest.or(source).or(signal)
            }
            Kind::Get => match later {
                true => {
                    let get = self.races.begin(thread, way(LaneKind::Gets));
                    let from =
                        at_peer.and_then(|peer| self.by_operation(thread, &get, peer, count, Manner::READ, site));
                    from.or(self.by_operation(thread, &get, at_home, count, Manner::WRITE, site))
                }
                false => {
                    let from = at_peer.and_then(|peer| self.by_thread(thread, peer, count, Manner::READ, site));
                    from.or(self.by_thread(thread, at_home, count, Manner::WRITE, site))
                }
            },
            Kind::Atomic | Kind::Signal => self.note_atomic(view, call, (at_peer?, at_home), site, thread),
            Kind::Wait | Kind::Test => {
                if call.remote == 0 {
                    return None;
                }
                let mine = (self.here(view, call.remote), call.layout.block, there);
                self.by_thread(thread, mine, count, LOOK, site)
            }
            _ => None,
        }
    }

    fn note_atomic(
        &self,
        view: View<'_>,
        call: &Call,
        (peer, home): (Part, Part),
        site: u16,
        thread: &mut Thread,
    ) -> Option<Conflict> {
        let way = |kind| Way { ctx: call.ctx.0, to: call.pe as u32, kind };
        let op = call.word.map(|word| word.op);
        let manner = Manner {
            write: op != Some(Amo::Fetch),
            class: match call.kind {
                Kind::Signal => Class::Signal,
                _ if call.site.is_of_floats() => Class::Float,
                _ => Class::Integer,
            },
            mark: match call.kind {
                Kind::Signal => op == Some(Amo::Add),
                _ => view.context(call.ctx).is_some_and(|ctx| ctx.team() == Team::SHARED),
            },
        };
        let key = word_key(peer.0);
        let puts = way(LaneKind::Puts);
        let leave = |thread: &mut Thread| match manner.write {
            true => self.races.leave_at_once(thread, key, puts),
            false => self.races.leave(thread, key),
        };
        match call.answer {
            Answer::Now if call.kind == Kind::Atomic => {
                let found = self.by_thread(thread, peer, 1, manner, site);
                leave(thread);
                found
            }
            Answer::Later => {
                let gets = way(LaneKind::Gets);
                let get = self.races.begin(thread, gets);
                let found = self.by_operation(thread, &get, peer, 1, manner, site);
                let found = found.or(self.by_operation(thread, &get, home, 1, Manner::WRITE, site));
                leave(thread);
                self.races.owe(thread, gets, key);
                found
            }
            _ => {
                let put = self.races.begin(thread, puts);
                let found = self.by_operation(thread, &put, peer, 1, manner, site);
                self.races.leave_by(thread, key, &put);
                found
            }
        }
    }

    /// Record the order that a returning call establishes for this thread.
    pub(super) fn learn(&self, view: View<'_>, call: &Call) {
        match call.kind {
            Kind::Wait if call.remote != 0 => _ = self.with_thread(|thread| self.see(thread, view, call)),
            Kind::Test if call.remote != 0 && (call.result != 0 || call.layout.count != 1) => {
                self.with_thread(|thread| self.see(thread, view, call));
            }
            Kind::Atomic if call.answer == Answer::Now => {
                let Some(place) = self.there(view, call.remote, call.pe) else { return };
                self.with_thread(|thread| match call.pe == view.me() as c_int {
                    true => self.races.seen(thread, (place, call.layout.block), word_key(place)),
                    false => self.races.take(thread, word_key(place)),
                });
            }
            _ => {}
        }
    }

    fn see(&self, thread: &mut Thread, view: View<'_>, call: &Call) {
        let Layout { block, count, there, .. } = call.layout;
        for nth in 0..count.min(BLOCKS_MAX) {
            let place = self.here(view, call.remote.wrapping_add_signed(there.wrapping_mul(nth as isize)));
            self.races.seen(thread, (place, block), word_key(place));
        }
    }

    fn by_operation(
        &self,
        thread: &Thread,
        operation: &Operation,
        part: Part,
        count: usize,
        manner: Manner,
        site: u16,
    ) -> Option<Conflict> {
        each(part, count, |range| self.races.by_operation(thread, operation, range, manner, site))
    }

    fn by_thread(&self, thread: &mut Thread, part: Part, count: usize, manner: Manner, site: u16) -> Option<Conflict> {
        each(part, count, |range| match range.0 {
            Place::Private(_) if !self.races.wants_private() => None,
            _ => self.races.by_thread(thread, range, manner, site),
        })
    }

    /// Record that the thread reads or writes its own memory on behalf of a collective.
    pub(super) fn note_own(
        &self,
        view: View<'_>,
        thread: &mut Thread,
        (address, len): (usize, usize),
        write: bool,
        site: u16,
    ) -> Option<Conflict> {
        if address == 0 || len == 0 || !self.sees_all() {
            return None;
        }
        let manner = Manner { write, ..Manner::READ };
        self.by_thread(thread, (self.here(view, address), len, 0), 1, manner, site)
    }

    /// Report two accesses that nothing orders.
    pub(super) fn tell_race(&self, view: View<'_>, conflict: Conflict, element: usize) {
        let Conflict { mine, other, place } = conflict;
        let first = (mine.mask & other.mask).trailing_zeros() as usize;
        let place = match place {
            Place::Shared(at) => Place::Shared(at + first),
            Place::Private(at) => Place::Private(at + first),
        };
        let (object, owner) = self.words(view, place, element);
        let (here, there) = (self.place_of(mine.site), self.place_of(other.site));
        if other.is_freed() {
            return self.tell(
                &view,
                &Finding {
                    kind: "use-after-free",
                    weight: Weight::Error,
                    what: format!(
                        "{} at {} uses {object} of PE {owner}, which was freed at {}",
                        here.what, here.at, there.at
                    ),
                    right: "free the block when no PE uses it any more".into(),
                    places: vec![here.at, there.at],
                },
            );
        }
        let theirs = self.races.area().pe_of(other.strand);
        self.tell(&view, &Finding {
            kind: "race",
            weight: Weight::Error,
            what: format!(
                "{} at {} by PE {} and {} at {} by PE {theirs} use {object} of PE {owner}, one of them changes it, and nothing \
                 orders them",
                here.what, here.at, self.me, there.what, there.at
            ),
            right: self.remedy(mine, other, theirs),
            places: vec![format!("{}@{}", here.what, here.at), format!("{}@{}", there.what, there.at)],
        });
    }

    /// Suggest how to order two accesses. The advice depends on their classes and on the PEs that made them.
    fn remedy(&self, mine: ferrite_check::Access, other: ferrite_check::Access, theirs: u32) -> String {
        if mine.class == Class::Signal && other.class == Class::Signal {
            return "change one signal always by set or always by add".into();
        }
        if mine.class != Class::Plain && other.class != Class::Plain {
            return "use one type for all atomics on an object, and contexts of one domain".into();
        }
        if theirs == self.me {
            return "put a quiet (or a barrier) between them; between puts to one PE a fence is enough".into();
        }
        "order them by a barrier, or by a signal or an atomic that one PE sends after a fence and the other waits \
         for"
        .into()
    }
}

/// Call `act` for each block of a strided range until it returns a conflict.
fn each(
    (place, len, stride): Part,
    count: usize,
    mut act: impl FnMut((Place, usize)) -> Option<Conflict>,
) -> Option<Conflict> {
    if stride == len as isize && stride > 0 {
        return act((place, len.saturating_mul(count)));
    }
    (0..count.min(BLOCKS_MAX)).find_map(|nth| {
        let by = stride.wrapping_mul(nth as isize);
        let place = match place {
            Place::Shared(at) => Place::Shared(at.wrapping_add_signed(by)),
            Place::Private(at) => Place::Private(at.wrapping_add_signed(by)),
        };
        act((place, len))
    })
}

/// Key of the clock that belongs to a word.
pub(super) fn word_key(place: Place) -> u64 {
    match place {
        Place::Shared(at) => hash([1, at as u64 / 8]),
        Place::Private(at) => hash([2, u64::from(std::process::id()), at as u64 / 8]),
    }
}

/// Size in bytes of an element that a call moves. It is derived from the routine's name, since a layout only has blocks.
fn element_of(call: &Call) -> usize {
    let name = call.site.name;
    let is = |words: &[&str]| words.iter().any(|word| name.contains(word));
    match call.kind {
        Kind::Put | Kind::Get | Kind::PutSignal => match () {
            () if is(&["_longdouble_", "128", "complexd"]) => 16,
            () if is(&["_long", "_ulong", "_double_", "64", "_size_", "_ptrdiff_", "complexf"]) => 8,
            () if is(&["_int_", "_uint_", "_float_", "32"]) => 4,
            () if is(&["_short_", "_ushort_", "16"]) => 2,
            () => 1,
        },
        _ => call.layout.block,
    }
}
