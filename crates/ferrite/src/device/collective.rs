//! Collectives with an operand in device memory.

use super::{Device, Operand};
use crate::{
    Element, Group, Integer, Number,
    element::Raw,
    memory::same_length,
    reduce::{Operation, Reduction},
};
use ferrite_runtime::Site;

/// Collectives of a group: the world, or a team. Source and destination are device or host memory, each as the caller likes; all members pass
/// the same blocks.
impl Device<'_> {
    /// Copy the source of the member `root` to the destination of every member. Collective over the group.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn broadcast<T: Element>(
        &self,
        group: &impl Group,
        source: &impl Operand<T>,
        dest: &mut impl Operand<T>,
        root: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::broadcast");
        let (call, room) = call::<Raw<T>, T>(&SITE, group, source, dest);
        same_length(room, call.len);
        // SAFETY: both are blocks of this length.
        unsafe { call.world.broadcast(&SITE, call.team, call.dest, call.source, call.len, root as i32) };
    }

    /// Concatenate all members' elements in rank order; all members contribute the same number. Collective over the group.
    ///
    /// # Panics
    /// If the destination is not as long as the sources of all members together.
    #[track_caller]
    pub fn fcollect<T: Element>(&self, group: &impl Group, source: &impl Operand<T>, dest: &mut impl Operand<T>) {
        static SITE: Site = Site::of_rust("Device::fcollect");
        let (call, room) = call::<Raw<T>, T>(&SITE, group, source, dest);
        same_length(room, call.len.saturating_mul(group.n_pes() as usize));
        // SAFETY: the destination is as long as all sources together.
        unsafe { call.world.fcollect(&SITE, call.team, call.dest, call.source, call.len) };
    }

    /// Concatenate the first `len` elements of each member in rank order; the members' `len` may differ. Returns the number of elements in
    /// the destination. Collective over the group.
    ///
    /// # Panics
    /// If the source has fewer than `len` elements, or the destination has no room for all. The latter panics on all members.
    #[track_caller]
    pub fn collect<T: Element>(
        &self,
        group: &impl Group,
        source: &impl Operand<T>,
        len: usize,
        dest: &mut impl Operand<T>,
    ) -> usize {
        static SITE: Site = Site::of_rust("Device::collect");
        let (call, room) = call::<Raw<T>, T>(&SITE, group, source, dest);
        assert!(len <= call.len, "len is {len}, and source has {} elements", call.len);
        // SAFETY: the source has `len` elements, and the destination has room for `room` on each member.
        let total = unsafe { call.world.collect_within(&SITE, call.team, (call.dest, room), call.source, len) };
        let total = total.unwrap_or(0);
        assert!(total <= room, "the members have {total} elements together, and dest has room for {room}");
        total
    }

    /// Send block l of each member's source to member l, which stores the blocks in the order of the senders. Collective over the group.
    ///
    /// # Panics
    /// If the lengths differ, or are not a multiple of the number of members.
    #[track_caller]
    pub fn alltoall<T: Element>(&self, group: &impl Group, source: &impl Operand<T>, dest: &mut impl Operand<T>) {
        static SITE: Site = Site::of_rust("Device::alltoall");
        let (call, room) = call::<Raw<T>, T>(&SITE, group, source, dest);
        same_length(room, call.len);
        let block = crate::collective::block(call.len, group.n_pes());
        // SAFETY: both sides have a block for each member.
        unsafe { call.world.alltoall(&SITE, call.team, call.dest, call.source, block) };
    }

    /// The sums of the elements of the members up to this one, one by one. Collective over the group.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn sum_inscan<T: Number>(&self, group: &impl Group, source: &impl Operand<T>, dest: &mut impl Operand<T>) {
        static SITE: Site = Site::of_rust("Device::sum_inscan");
        let (call, room) = call::<T, T>(&SITE, group, source, dest);
        same_length(room, call.len);
        // SAFETY: both are blocks of this length.
        unsafe { T::scan(true, call) }
    }

    /// The sums of the elements of the members before this one, one by one. Collective over the group.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn sum_exscan<T: Number>(&self, group: &impl Group, source: &impl Operand<T>, dest: &mut impl Operand<T>) {
        static SITE: Site = Site::of_rust("Device::sum_exscan");
        let (call, room) = call::<T, T>(&SITE, group, source, dest);
        same_length(room, call.len);
        // SAFETY: both are blocks of this length.
        unsafe { T::scan(false, call) }
    }
}

/// The arguments of a collective, with elements in the form `R`, and the length of the destination.
fn call<'g, R, T>(
    site: &'static Site,
    group: &'g impl Group,
    source: &impl Operand<T>,
    dest: &mut impl Operand<T>,
) -> (Reduction<'g, R>, usize) {
    let raw = group.raw();
    raw.inner.outside_of_phases(site.name);
    let ((source, len), (dest, room)) = (source.block(), dest.block());
    let (dest, source) = (dest.cast(), source.cast_const().cast());
    (Reduction { world: &raw.inner.rt, site, team: raw.team, dest, source, len }, room)
}

macro_rules! reductions {
    ($($bound:ident $name:ident $operation:ident $what:literal;)*) => {
        impl Device<'_> { $(
            #[doc = concat!($what, " of all members' elements, one by one. Collective over the group.")]
            ///
            /// # Panics
            /// If the lengths differ.
            #[track_caller]
            pub fn $name<T: $bound>(&self, group: &impl Group, source: &impl Operand<T>, dest: &mut impl Operand<T>) {
                static SITE: Site = Site::of_rust(concat!("Device::", stringify!($name)));
                let (call, room) = call::<T, T>(&SITE, group, source, dest);
                same_length(room, call.len);
                // SAFETY: both are blocks of this length.
                unsafe { T::reduce(Operation::$operation, call, None) }
            }
        )* }
    };
}

reductions! {
    Number sum_reduce Sum "The sum";
    Number product_reduce Prod "The product";
    Number max_reduce Max "The largest";
    Number min_reduce Min "The smallest";
    Integer and_reduce And "The bitwise and";
    Integer or_reduce Or "The bitwise or";
    Integer xor_reduce Xor "The bitwise exclusive or";
}
