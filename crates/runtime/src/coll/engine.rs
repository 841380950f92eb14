//! The exchange between members whose memory is mapped: a send is a store, a wait is a loop of loads.
//!
//! # Memory orders
//!
//! A send writes its bytes, then stores the flag's tag with release; `landed` loads the tag with acquire. A receiver that sees the
//! flag therefore sees the bytes, and whatever the sender did before the send. Nothing else is ordered, and
//! nothing else needs to be: the essay above `Exchange` says which flags stand for which bytes. A tally is raised by
//! an addition with release and loaded with acquire. Additions to one word form a release sequence, so a reader of the full count
//! sees what each counting member did before it counted.
//!
//! Tags and tallies are 64-bit words, each in its own cache line, and only peers write them. Scratch and the payload of cells are
//! plain memory: the flags decide who may touch them, and when.

use crate::{
    Ctx, Site, World, area,
    far::PeerAddress,
    teams::{Membership, shape::Shape},
};
use core::{
    future::{Future, poll_fn, ready},
    ptr, slice,
    sync::atomic::{
        AtomicU64,
        Ordering::{Acquire, Relaxed, Release},
    },
    task::Poll,
};
use ferrite_collectives::{Area, CELL_STRIDE, Direct, Epochs, Exchange, Flag, Items, Rank, Span};
use ferrite_copy::copy_elements;
use ferrite_kernels::{self as kernel, Kernel};

/// The routine that the program has called, in which world, and the members of its team.
pub(crate) struct Caller<'c> {
    pub shape: &'c Shape,
    pub world: &'c World,
    pub site: &'static Site,
}

/// The arguments of one call of a collective.
///
/// `LATER` marks a call that a request keeps. It makes the compiler generate separate copies of the algorithms for blocking calls: each of
/// those has one caller and is inlined into it. If requests shared them, more of them would be called out of line, with their state in
/// memory. Measured with 2 PEs, that would cost a twentieth of the time of an 8-byte reduction; the copies cost 32 KB of library.
pub(crate) struct Call<'c, const LATER: bool = false> {
    pub team: &'c Membership,
    /// Our source and destination, symmetric where peers are to read or write them.
    pub source: *mut u8,
    pub dest: *mut u8,
    /// The members, and where their memory is mapped. Set for calls that access source and destination.
    pub caller: Option<Caller<'c>>,
    pub kernel: Kernel,
    pub grain: usize,
}

impl<'c> Call<'c> {
    /// A call that moves no data of the program: barriers and agreements.
    #[inline(always)]
    pub fn bare(team: &'c Membership) -> Call<'c> {
        Call {
            team,
            source: ptr::null_mut(),
            dest: ptr::null_mut(),
            caller: None,
            kernel: kernel::of::<u64, kernel::And>(),
            grain: 8,
        }
    }

    /// The same call, to be kept by a request.
    pub fn later(self) -> Call<'c, true> {
        let Call { team, source, dest, caller, kernel, grain } = self;
        Call { team, source, dest, caller, kernel, grain }
    }
}

impl<const LATER: bool> Call<'_, LATER> {
    #[inline(always)]
    fn slot(&self, peer: Rank) -> *mut u8 {
        // An algorithm only names ranks below `size`.
        debug_assert!(peer < self.size());
        // SAFETY: as above.
        unsafe { *self.team.slots.get_unchecked(peer as usize) }
    }

    #[inline(always)]
    pub(super) fn share(&self) -> usize {
        self.team.epochs.share()
    }

    /// Offset in a slot of the tag of `flag`, in the current share.
    #[inline(always)]
    pub(super) fn tag_at(&self, flag: Flag) -> usize {
        let base = if flag.is_queued { area::QUEUE_AT } else { area::cells_at(self.share()) };
        base + flag.line as usize * CELL_STRIDE
    }

    #[inline(always)]
    fn tag(&self, peer: Rank, flag: Flag) -> &AtomicU64 {
        // SAFETY: the head of a cell of the peer's slot: mapped, aligned, and only ever touched as an atomic.
        unsafe { AtomicU64::from_ptr(self.slot(peer).wrapping_add(self.tag_at(flag)).cast()) }
    }

    #[inline(always)]
    fn counter(&self, peer: Rank, offset: usize) -> &AtomicU64 {
        // SAFETY: a line of the peer's slot of its own: mapped, aligned, and only ever touched as an atomic.
        unsafe { AtomicU64::from_ptr(self.slot(peer).wrapping_add(offset).cast()) }
    }

    /// Address at which `span` begins at `peer`.
    #[inline(always)]
    fn at(&self, peer: Rank, span: Span) -> *mut u8 {
        let base = match span.area {
            Area::Scratch => self.slot(peer).wrapping_add(area::scratch_at(self.share())),
            Area::Cell => self.slot(peer).wrapping_add(area::cells_at(self.share())),
            Area::Queue => self.slot(peer).wrapping_add(area::QUEUE_AT),
            Area::Source => return self.theirs(peer, "source", self.source, span),
            Area::Dest => return self.theirs(peer, "dest", self.dest, span),
        };
        base.wrapping_add(span.offset)
    }

    /// Address at a peer of `span` of the object at our `address`. Lengths that only the algorithm learns (in `collect`) are checked here
    /// and nowhere else.
    #[inline]
    fn theirs(&self, peer: Rank, what: &'static str, address: *mut u8, span: Span) -> *mut u8 {
        let Some(caller) = &self.caller else { return address.wrapping_add(span.offset) };
        let (pe, at) = (caller.shape.world_pe(peer as i32), address as usize + span.offset);
        match caller.world.mapped.range(at, span.len, pe) {
            Some(place) => place,
            None => match caller.world.find_peer_address(caller.site, what, at, span.len, Ctx::DEFAULT, pe) {
                Some(PeerAddress::Near(place)) => place,
                None => address,
                Some(PeerAddress::Far(_)) => unreachable!("a team of mapped members with one that is not"),
            },
        }
    }

    /// Copy our items to those at `peer`.
    #[inline]
    pub(super) fn put_items(&self, peer: Rank, to: Items, from: Items) {
        if from.item > 0 {
            for i in 0..from.count {
                // SAFETY: items of equal size within their areas, as the algorithm's contract says.
                unsafe { copy_elements::<u8>(self.at(peer, to.span(i)), self.mine(from.span(i)), from.item) }
            }
        }
    }

    #[inline(always)]
    pub(super) fn mine(&self, span: Span) -> *mut u8 {
        self.at(self.team.me, span)
    }
}

/// Wait until `counter` has counted `more` beyond its last awaited value.
#[inline(always)]
fn count_reaches(counter: &AtomicU64, counted: &AtomicU64, more: u64) -> impl Future<Output = ()> {
    let wanted = counted.load(Relaxed) + more;
    poll_fn(move |_| {
        if counter.load(Acquire) < wanted {
            return Poll::Pending;
        }
        counted.store(wanted, Relaxed);
        Poll::Ready(())
    })
}

impl<const LATER: bool> Exchange for Call<'_, LATER> {
    #[inline(always)]
    fn me(&self) -> Rank {
        self.team.me
    }

    #[inline(always)]
    fn size(&self) -> Rank {
        self.team.slots.len() as Rank
    }

    #[inline(always)]
    fn grain(&self) -> usize {
        self.grain
    }

    fn scratch(&self) -> usize {
        area::SCRATCH
    }

    #[inline(always)]
    fn epochs(&self) -> &Epochs {
        &self.team.epochs
    }

    #[inline(always)]
    fn send(&self, peer: Rank, to: Span, from: Span, flag: Flag) {
        if from.len > 0 {
            // SAFETY: spans of equal length within their areas, as the algorithm's contract says.
            unsafe { copy_elements::<u8>(self.at(peer, to), self.mine(from), from.len) }
        }
        self.tag(peer, flag).store(flag.tag(self.team.epochs.current()), Release);
    }

    fn send_counted(&self, peer: Rank, to: Items, from: Items) {
        self.put_items(peer, to, from);
        self.counter(peer, area::tally_at(self.share())).fetch_add(1, Release);
    }

    #[inline(always)]
    fn landed(&self, flag: Flag) -> impl Future<Output = ()> {
        let (tag, wanted) = (self.tag(self.team.me, flag), flag.tag(self.team.epochs.current()));
        poll_fn(move |_| if tag.load(Acquire) == wanted { Poll::Ready(()) } else { Poll::Pending })
    }

    fn tallied(&self, count: u64) -> impl Future<Output = ()> {
        let share = self.share();
        count_reaches(self.counter(self.team.me, area::tally_at(share)), &self.team.counted[share].tally, count)
    }

    fn settled(&self) -> impl Future<Output = ()> {
        ready(())
    }

    fn copy(&self, into: Span, from: Span) {
        let (into, source) = (self.mine(into), self.mine(from));
        if into != source {
            // SAFETY: both within their areas.
            unsafe { copy_elements::<u8>(into, source, from.len) }
        }
    }

    fn copy_items(&self, into: Items, from: Items) {
        for i in 0..from.count {
            self.copy(into.span(i), from.span(i));
        }
    }

    fn zero(&self, into: Span) {
        // SAFETY: within its area.
        unsafe { slice::from_raw_parts_mut(self.mine(into), into.len) }.fill(0);
    }

    #[inline(always)]
    fn fold(&self, into: Span, from: Span) {
        let (into, other) = (self.mine(into), self.mine(from));
        // SAFETY: equal lengths, within their areas, whole grains.
        unsafe { (self.kernel)(into, into, other, from.len) }
    }

    #[inline(always)]
    fn fold_front(&self, into: Span, from: Span) {
        let (into, other) = (self.mine(into), self.mine(from));
        // SAFETY: as above.
        unsafe { (self.kernel)(into, other, into, from.len) }
    }

    fn load(&self, at: Span) -> u64 {
        // SAFETY: eight bytes within its area.
        unsafe { ferrite_copy::load(self.mine(at)) }
    }

    fn store(&self, at: Span, word: u64) {
        // SAFETY: eight bytes within its area.
        unsafe { ferrite_copy::store(self.mine(at), word) }
    }
}

impl<const LATER: bool> Direct for Call<'_, LATER> {
    fn landed_at(&self, peer: Rank, flag: Flag) -> impl Future<Output = ()> {
        let (tag, wanted) = (self.tag(peer, flag), flag.tag(self.team.epochs.current()));
        poll_fn(move |_| if tag.load(Acquire) == wanted { Poll::Ready(()) } else { Poll::Pending })
    }

    fn arrive(&self) {
        self.counter(0, area::arrivals_at(self.share())).fetch_add(1, Release);
    }

    fn all_arrived(&self) -> impl Future<Output = ()> {
        let share = self.share();
        count_reaches(
            self.counter(0, area::arrivals_at(share)),
            &self.team.counted[share].arrivals,
            u64::from(self.size()),
        )
    }

    fn pull(&self, peer: Rank, into: Span, from: Span) -> impl Future<Output = ()> {
        // SAFETY: equal lengths within their areas; the algorithm has seen that the peer's bytes are ready.
        unsafe { copy_elements::<u8>(self.mine(into), self.at(peer, from), from.len) }
        ready(())
    }

    fn join(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        // SAFETY: as above; `into` may be `mine`.
        unsafe { (self.kernel)(self.mine(into), self.mine(mine), self.at(peer, from), from.len) }
        ready(())
    }

    fn join_front(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        // SAFETY: as for `join`; `into` is apart from both.
        unsafe { (self.kernel)(self.mine(into), self.at(peer, from), self.mine(mine), from.len) }
        ready(())
    }
}
