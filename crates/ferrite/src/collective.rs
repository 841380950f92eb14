//! Collectives on symmetric slices, blocking and non-blocking.

use crate::{
    Element, Group, SymSlice,
    element::Raw,
    reduce::{self, Integer, Number, Operation, Reduction},
    request::Request,
    team::RawTeam,
};
use core::ffi::c_int;
use ferrite_runtime::Site;

macro_rules! reductions {
    ($($operation:ident $bound:ident $slices:ident $later:ident $what:literal $two:literal;)*) => { $(
        #[doc = concat!($what, " of all members' elements, one by one.")]
        ///
        /// # Panics
        /// If the lengths differ.
        ///
        /// ```
        /// use ferrite::prelude::*;
        /// ferrite::local(3, |world| {
        ///     let (source, mut dest) = (world.alloc::<u32>(2).unwrap(), world.alloc::<u32>(2).unwrap());
        ///     source.fill(world.my_pe() + 1);
        #[doc = concat!("    world.", stringify!($slices), "(&source, &mut dest);")]
        #[doc = concat!("    assert_eq!(dest.to_vec(), ", $two, ");")]
        /// });
        /// ```
        #[track_caller]
        fn $slices<T: $bound>(&self, source: &SymSlice<T>, dest: &mut SymSlice<T>) {
            static SITE: Site = Site::of_rust(concat!("Group::", stringify!($slices)));
            length(dest.len(), source.len());
            // SAFETY: the team is valid, and `source` and `dest` have the same length.
            unsafe { T::reduce(Operation::$operation, self.raw().collective(&SITE, source, dest).plain(), None) }
        }

        #[doc = concat!("Begin what [`", stringify!($slices), "`](Collective::", stringify!($slices), ") does.")]
        ///
        /// # Panics
        /// If the lengths differ.
        ///
        /// ```
        /// use ferrite::prelude::*;
        /// ferrite::local(3, |world| {
        ///     let (source, mut dest) = (world.alloc::<u32>(2).unwrap(), world.alloc::<u32>(2).unwrap());
        ///     source.fill(world.my_pe() + 1);
        #[doc = concat!("    world.", stringify!($later), "(&source, &mut dest).wait();")]
        #[doc = concat!("    assert_eq!(dest.to_vec(), ", $two, ");")]
        /// });
        /// ```
        #[track_caller]
        fn $later<'r, T: $bound>(&'r self, source: &'r SymSlice<T>, dest: &'r mut SymSlice<T>) -> Request<'r> {
            static SITE: Site = Site::of_rust(concat!("Group::", stringify!($later)));
            length(dest.len(), source.len());
            let raw = self.raw();
            let call = raw.collective(&SITE, source, dest).plain();
            // SAFETY: the team is valid, and `source` and `dest` have the same length; all three are lent to the request.
            Request::begin(raw.inner, |request| unsafe { T::reduce(Operation::$operation, call, Some(request)) })
        }
    )* };
}

/// Collectives on symmetric slices. Every member of the [`Group`] calls the same ones, with arguments that match, in the same order.
/// `source` is each member's contribution, `dest` gets the result.
///
/// A collective returns when this PE is done with it; other members may not be. So two consecutive collectives that write the same `dest`
/// need a [`sync`](Group::sync) between them.
///
/// Collectives that end in `_later` begin without waiting, and return a [`Request`].
///
/// ```
/// use ferrite::prelude::*;
/// ferrite::local(3, |world| {
///     let (source, mut dest) = (world.alloc::<f64>(100).unwrap(), world.alloc::<f64>(100).unwrap());
///     source.fill(0.5);
///     world.sum_reduce(&source, &mut dest);
///     assert_eq!(dest.read(99), 1.5);
/// });
/// ```
pub trait Collective: Group {
    /// Copy the root's elements to every member's `dest`, its own included.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (source, mut dest) = (world.alloc::<u64>(2).unwrap(), world.alloc::<u64>(2).unwrap());
    ///     source.fill(u64::from(world.my_pe()));
    ///     world.broadcast(&source, &mut dest, 2);
    ///     assert_eq!(dest.to_vec(), [2, 2]);
    /// });
    /// ```
    #[track_caller]
    fn broadcast<T: Element>(&self, source: &SymSlice<T>, dest: &mut SymSlice<T>, root: u32) {
        static SITE: Site = Site::of_rust("Group::broadcast");
        let len = length(dest.len(), source.len());
        let call = self.raw().collective(&SITE, source, dest);
        // SAFETY: the team is valid, and `source` and `dest` have the same length.
        unsafe { call.world.broadcast(&SITE, call.team, call.dest, call.source, len, root as c_int) };
    }

    /// Concatenate all members' elements in rank order; all members contribute the same number.
    ///
    /// # Panics
    /// If `dest` is not as long as all sources together.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (source, mut dest) = (world.alloc::<u32>(2).unwrap(), world.alloc::<u32>(6).unwrap());
    ///     source.fill(world.my_pe());
    ///     world.fcollect(&source, &mut dest);
    ///     assert_eq!(dest.to_vec(), [0, 0, 1, 1, 2, 2]);
    /// });
    /// ```
    #[track_caller]
    fn fcollect<T: Element>(&self, source: &SymSlice<T>, dest: &mut SymSlice<T>) {
        static SITE: Site = Site::of_rust("Group::fcollect");
        length(dest.len(), source.len().saturating_mul(self.n_pes() as usize));
        let call = self.raw().collective(&SITE, source, dest);
        // SAFETY: the team is valid, and `dest` is as long as all sources together.
        unsafe { call.world.fcollect(&SITE, call.team, call.dest, call.source, call.len) };
    }

    /// Concatenate the first `len` elements of each member in rank order; the members' `len` may differ. Returns the number of elements in
    /// `dest`.
    ///
    /// # Panics
    /// If `source` has fewer than `len` elements, or `dest` has no room for all. The latter panics on all members, if their `dest` have the
    /// same length.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (source, mut dest) = (world.alloc::<u32>(2).unwrap(), world.alloc::<u32>(6).unwrap());
    ///     source.fill(world.my_pe());
    ///     assert_eq!(world.collect(&source, world.my_pe() as usize, &mut dest), 3);
    ///     assert_eq!(dest.to_vec(), [1, 2, 2, 0, 0, 0]);
    /// });
    /// ```
    #[track_caller]
    fn collect<T: Element>(&self, source: &SymSlice<T>, len: usize, dest: &mut SymSlice<T>) -> usize {
        static SITE: Site = Site::of_rust("Group::collect");
        assert!(len <= source.len(), "len is {len}, and source has {} elements", source.len());
        let room = dest.len();
        let call = self.raw().collective(&SITE, source, dest);
        // SAFETY: the team is valid, `source` has `len` elements, and `dest` has `room`. Each member writes to the other members no further
        // than its own `dest` reaches: a slice is the same memory on all of them.
        let total = unsafe { call.world.collect_within(&SITE, call.team, (call.dest, room), call.source, len) };
        let total = total.unwrap_or(0);
        assert!(total <= room, "the members have {total} elements together, and dest has room for {room}");
        total
    }

    /// Send block l of each member's source to member l, which stores the blocks in the order of the senders.
    ///
    /// # Panics
    /// If the lengths differ, or are not a multiple of the number of members.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (source, mut dest) = (world.alloc::<u32>(3).unwrap(), world.alloc::<u32>(3).unwrap());
    ///     (0..3).for_each(|to| source.write(to, 10 * world.my_pe() + to as u32));
    ///     world.alltoall(&source, &mut dest);
    ///     assert_eq!(dest.to_vec(), [0, 10, 20].map(|from| from + world.my_pe()));
    /// });
    /// ```
    #[track_caller]
    fn alltoall<T: Element>(&self, source: &SymSlice<T>, dest: &mut SymSlice<T>) {
        static SITE: Site = Site::of_rust("Group::alltoall");
        let block = block(length(dest.len(), source.len()), self.n_pes());
        let call = self.raw().collective(&SITE, source, dest);
        // SAFETY: the team is valid, and both sides have a block for each member.
        unsafe { call.world.alltoall(&SITE, call.team, call.dest, call.source, block) };
    }

    /// The same as [`alltoall`](Collective::alltoall), with blocks of `block` elements. The elements are `source_stride` apart at the
    /// source and `dest_stride` apart at the destination.
    ///
    /// # Panics
    /// If a stride is 0, or one of the slices is too short.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(2, |world| {
    ///     let (source, mut dest) = (world.alloc::<u32>(4).unwrap(), world.alloc::<u32>(2).unwrap());
    ///     source.write_slice(.., &[1, 0, 2, 0]);
    ///     world.alltoalls(&source, 2, &mut dest, 1, 1);
    ///     assert_eq!(dest.to_vec(), [world.my_pe() + 1; 2]);
    /// });
    /// ```
    #[track_caller]
    fn alltoalls<T: Element>(
        &self,
        source: &SymSlice<T>,
        source_stride: usize,
        dest: &mut SymSlice<T>,
        dest_stride: usize,
        block: usize,
    ) {
        static SITE: Site = Site::of_rust("Group::alltoalls");
        let last = block.saturating_mul(self.n_pes() as usize).checked_sub(1);
        for (what, stride, len) in [("source", source_stride, source.len()), ("dest", dest_stride, dest.len())] {
            let fits = last.is_none_or(|last| last.checked_mul(stride).is_some_and(|end| end < len));
            assert!(stride > 0 && fits, "{what} has {len} elements, too few for {block} for each PE, {stride} apart");
        }
        let call = self.raw().collective(&SITE, source, dest);
        let (apart, from) = (dest_stride as isize, source_stride as isize);
        // SAFETY: the team is valid, and both sides are long enough, as was just checked.
        unsafe { call.world.alltoalls(&SITE, call.team, call.dest, call.source, apart, from, block) };
    }

    /// Send `counts[l]` elements to member l, taken from `source` one after the other; `dest` gets them in the order of the senders.
    /// Returns the number of elements from each sender.
    ///
    /// # Panics
    /// If `counts` does not have one element per member, or `source` has fewer elements than `counts` together. If a member receives more
    /// elements than its `dest` has room for, the job ends.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (source, mut dest) = (world.alloc::<u32>(6).unwrap(), world.alloc::<u32>(9).unwrap());
    ///     source.fill(world.my_pe());
    ///     let came = world.alltoallv(&source, &[1, 2, 3], &mut dest);
    ///     let each = world.my_pe() as usize + 1;
    ///     assert_eq!(came, [each; 3]);
    ///     assert_eq!(dest.read(each), 1);
    /// });
    /// ```
    #[track_caller]
    fn alltoallv<T: Element>(&self, source: &SymSlice<T>, counts: &[usize], dest: &mut SymSlice<T>) -> Vec<usize> {
        static SITE: Site = Site::of_rust("Group::alltoallv");
        length(self.n_pes() as usize, counts.len());
        let bytes = |count: usize| count.saturating_mul(size_of::<T>());
        let mut end = 0_usize;
        let offsets: Vec<usize> = counts
            .iter()
            .map(|&count| {
                let start = end;
                end = end.saturating_add(count);
                bytes(start)
            })
            .collect();
        assert!(end <= source.len(), "counts are {end} together, and source has {} elements", source.len());
        let sizes: Vec<usize> = counts.iter().copied().map(bytes).collect();
        let mut came = vec![0; counts.len()];
        let room = bytes(dest.len());
        let call = self.raw().collective(&SITE, source, dest);
        // SAFETY: the team is valid; `source` is as long as the counts together, and `dest` has `room` bytes.
        unsafe {
            let (target, source) = (call.dest.cast(), call.source.cast());
            call.world.alltoallv_packed_lens(&SITE, call.team, target, room, source, &offsets, &sizes, &mut came);
        }
        came.iter().map(|bytes| bytes / size_of::<T>()).collect()
    }

    /// Combine the elements of all members one by one with the program's own operator: a closure that captures nothing, is associative and
    /// commutative, and does not panic.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable, PartialEq, Debug)]
    /// #[repr(C)]
    /// struct Place {
    ///     value: f64,
    ///     pe: u64,
    /// }
    /// ferrite::local(4, |world| {
    ///     let (mine, mut least) = (world.alloc::<Place>(1).unwrap(), world.alloc::<Place>(1).unwrap());
    ///     let pe = u64::from(world.my_pe());
    ///     mine.write(0, Place { value: (pe as f64 - 2.0).abs(), pe });
    ///     world.reduce_with(&mine, &mut least, |a, b| if (a.value, a.pe) <= (b.value, b.pe) { a } else { b });
    ///     assert_eq!(least.read(0).pe, 2);
    /// });
    /// ```
    #[track_caller]
    fn reduce_with<T: Element, F: Fn(T, T) -> T + Copy>(
        &self,
        source: &SymSlice<T>,
        dest: &mut SymSlice<T>,
        operator: F,
    ) {
        static SITE: Site = Site::of_rust("Group::reduce_with");
        length(dest.len(), source.len());
        let _ = operator;
        let call = self.raw().collective(&SITE, source, dest).plain();
        // SAFETY: the team is valid, and `source` and `dest` have the same length.
        unsafe { reduce::reduce_by::<T, F>(call) };
    }

    /// Inclusive scan: the sums of the elements of all members up to and including this one.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (ones, mut sums) = (world.alloc::<u64>(2).unwrap(), world.alloc::<u64>(2).unwrap());
    ///     ones.fill(1);
    ///     world.sum_inscan(&ones, &mut sums);
    ///     assert_eq!(sums.read(0), u64::from(world.my_pe()) + 1);
    /// });
    /// ```
    #[track_caller]
    fn sum_inscan<T: Number>(&self, source: &SymSlice<T>, dest: &mut SymSlice<T>) {
        static SITE: Site = Site::of_rust("Group::sum_inscan");
        length(dest.len(), source.len());
        // SAFETY: the team is valid, and `source` and `dest` have the same length.
        unsafe { T::scan(true, self.raw().collective(&SITE, source, dest).plain()) }
    }

    /// Exclusive scan: the sums of the elements of all members before this one; zeros on the first.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (ones, mut sums) = (world.alloc::<u64>(2).unwrap(), world.alloc::<u64>(2).unwrap());
    ///     ones.fill(1);
    ///     world.sum_exscan(&ones, &mut sums);
    ///     assert_eq!(sums.read(1), u64::from(world.my_pe()));
    /// });
    /// ```
    #[track_caller]
    fn sum_exscan<T: Number>(&self, source: &SymSlice<T>, dest: &mut SymSlice<T>) {
        static SITE: Site = Site::of_rust("Group::sum_exscan");
        length(dest.len(), source.len());
        // SAFETY: the team is valid, and `source` and `dest` have the same length.
        unsafe { T::scan(false, self.raw().collective(&SITE, source, dest).plain()) }
    }

    /// Begin a barrier of the members, without waiting.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let barrier = world.sync_later();
    ///     // Compute something, then:
    ///     barrier.wait();
    /// });
    /// ```
    fn sync_later(&self) -> Request<'_> {
        static SITE: Site = Site::of_rust("Group::sync_later");
        let RawTeam { inner, team } = self.raw();
        inner.outside_of_phases(SITE.name);
        // SAFETY: the team is valid, and lent to the request.
        Request::begin(inner, |request| unsafe { _ = inner.rt.team_sync_nb(&SITE, team, request) })
    }

    /// Begin what [`broadcast`](Collective::broadcast) does.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(3, |world| {
    ///     let (source, mut dest) = (world.alloc::<u64>(2).unwrap(), world.alloc::<u64>(2).unwrap());
    ///     source.fill(7);
    ///     world.broadcast_later(&source, &mut dest, 2).wait();
    ///     assert_eq!(dest.to_vec(), [7, 7]);
    /// });
    /// ```
    #[track_caller]
    fn broadcast_later<'r, T: Element>(
        &'r self,
        source: &'r SymSlice<T>,
        dest: &'r mut SymSlice<T>,
        root: u32,
    ) -> Request<'r> {
        static SITE: Site = Site::of_rust("Group::broadcast_later");
        let len = length(dest.len(), source.len());
        let raw = self.raw();
        let call = raw.collective(&SITE, source, dest);
        // SAFETY: the team is valid, and `source` and `dest` have the same length; all three are lent to the request.
        Request::begin(raw.inner, |request| unsafe {
            _ = call.world.broadcast_nb(&SITE, call.team, call.dest, call.source, len, root as c_int, request);
        })
    }

    /// Begin what [`fcollect`](Collective::fcollect) does.
    ///
    /// # Panics
    /// If `dest` is not as long as all sources together.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(2, |world| {
    ///     let (source, mut dest) = (world.alloc::<u32>(1).unwrap(), world.alloc::<u32>(2).unwrap());
    ///     source.fill(world.my_pe());
    ///     world.fcollect_later(&source, &mut dest).wait();
    ///     assert_eq!(dest.to_vec(), [0, 1]);
    /// });
    /// ```
    #[track_caller]
    fn fcollect_later<'r, T: Element>(&'r self, source: &'r SymSlice<T>, dest: &'r mut SymSlice<T>) -> Request<'r> {
        static SITE: Site = Site::of_rust("Group::fcollect_later");
        length(dest.len(), source.len().saturating_mul(self.n_pes() as usize));
        let raw = self.raw();
        let call = raw.collective(&SITE, source, dest);
        // SAFETY: the team is valid, and `dest` is as long as all sources together; all three are lent to the request.
        Request::begin(raw.inner, |request| unsafe {
            _ = call.world.fcollect_nb(&SITE, call.team, call.dest, call.source, call.len, request);
        })
    }

    /// Begin what [`alltoall`](Collective::alltoall) does.
    ///
    /// # Panics
    /// If the lengths differ, or are not a multiple of the number of members.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(2, |world| {
    ///     let (source, mut dest) = (world.alloc::<u32>(2).unwrap(), world.alloc::<u32>(2).unwrap());
    ///     source.fill(world.my_pe());
    ///     world.alltoall_later(&source, &mut dest).wait();
    ///     assert_eq!(dest.to_vec(), [0, 1]);
    /// });
    /// ```
    #[track_caller]
    fn alltoall_later<'r, T: Element>(&'r self, source: &'r SymSlice<T>, dest: &'r mut SymSlice<T>) -> Request<'r> {
        static SITE: Site = Site::of_rust("Group::alltoall_later");
        let block = block(length(dest.len(), source.len()), self.n_pes());
        let raw = self.raw();
        let call = raw.collective(&SITE, source, dest);
        // SAFETY: the team is valid, and both sides have a block for each member; all three are lent to the request.
        Request::begin(raw.inner, |request| unsafe {
            _ = call.world.alltoall_nb(&SITE, call.team, call.dest, call.source, block, request);
        })
    }

    reductions! {
        Sum Number sum_reduce sum_reduce_later "The sum" "[6, 6]";
        Prod Number product_reduce product_reduce_later "The product" "[6, 6]";
        Max Number max_reduce max_reduce_later "The largest" "[3, 3]";
        Min Number min_reduce min_reduce_later "The smallest" "[1, 1]";
        And Integer and_reduce and_reduce_later "The bitwise and" "[0, 0]";
        Or Integer or_reduce or_reduce_later "The bitwise or" "[3, 3]";
        Xor Integer xor_reduce xor_reduce_later "The bitwise exclusive or" "[0, 0]";
    }
}

impl<G: Group> Collective for G {}

impl<'t> RawTeam<'t> {
    /// The arguments of a collective on these slices; its length is the source's.
    #[inline(always)]
    fn collective<T: Element>(
        &self,
        site: &'static Site,
        source: &SymSlice<T>,
        dest: &mut SymSlice<T>,
    ) -> Reduction<'t, Raw<T>> {
        self.inner.outside_of_phases(site.name);
        Reduction {
            world: &self.inner.rt,
            site,
            team: self.team,
            dest: dest.as_ptr().cast(),
            source: source.as_ptr().cast_const().cast(),
            len: source.len(),
        }
    }
}

impl<'r, T> Reduction<'r, Raw<T>> {
    /// The same arguments, with plain elements instead of [`Raw`] ones.
    fn plain(self) -> Reduction<'r, T> {
        let Reduction { world, site, team, dest, source, len } = self;
        Reduction { world, site, team, dest: dest.cast(), source: source.cast(), len }
    }
}

/// The common length of both sides. Panics if they differ.
#[inline]
#[track_caller]
fn length(dest: usize, source: usize) -> usize {
    crate::memory::same_length(dest, source);
    source
}

/// Number of elements for each of `size` members. Panics if `len` is not a multiple of `size`.
#[inline]
#[track_caller]
pub(crate) fn block(len: usize, size: u32) -> usize {
    let (block, rest) = (len / size as usize, len % size as usize);
    assert!(rest == 0, "{len} elements do not make equal blocks for {size} PEs");
    block
}
