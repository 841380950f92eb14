//! Collectives of a team other than those on slices: splits, barriers, single values, phases.

use crate::{
    Element, Phase, SplitError, Team,
    element::Raw,
    reduce::{Integer, Number, Operation, Reduction},
    team::{GroupInner, RawTeam},
    world::CELL,
};
use core::ffi::c_int;
use ferrite_runtime::{self as rt, Site};

/// Bytes of data that a collective's message carries beside its flag. Longer data is sent to its destination directly, and the flag
/// follows.
const FLAG_BYTES: usize = 56;

macro_rules! values {
    ($($operation:ident $bound:ident $value:ident $what:literal $one:literal;)*) => { $(
        #[doc = concat!($what, " of all members' values, on each of them.")]
        ///
        /// ```
        /// use ferrite::Group;
        /// ferrite::local(3, |world| {
        #[doc = concat!("    assert_eq!(world.", stringify!($value), "(world.my_pe() + 1), ", $one, ");")]
        /// });
        /// ```
        fn $value<T: $bound>(&self, value: T) -> T {
            static SITE: Site = Site::of_rust(concat!("Group::", stringify!($value)));
            let (call, cells) = self.raw().single(&SITE, value);
            // SAFETY: the team is valid; each of its cells has one value.
            unsafe {
                T::reduce(Operation::$operation, call, None);
                cells.result()
            }
        }
    )* };
}

/// Collectives of the world or of a [`Team`]: every member calls the same ones, with arguments that match, in the same order. (If a member
/// passes another length than the rest, the members get an error or the job ends; the program's private memory is not at risk.)
///
/// Collectives on slices are in [`Collective`](crate::Collective); this trait has the collectives on single values, such as
/// [`sum`](Group::sum).
///
/// ```
/// use ferrite::Group;
///
/// fn mean(group: &impl Group, mine: f64) -> f64 {
///     group.sum(mine) / f64::from(group.n_pes())
/// }
/// ferrite::local(4, |world| assert_eq!(mean(world, f64::from(world.my_pe())), 1.5));
/// ```
pub trait Group: GroupInner {
    /// This PE's number among the members.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| {
    ///     let reversed = world.split_strided(2, -1, 3).unwrap().unwrap();
    ///     assert_eq!(reversed.my_pe(), 2 - world.my_pe());
    /// });
    /// ```
    fn my_pe(&self) -> u32 {
        self.raw().my_pe()
    }

    /// The number of members.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| assert_eq!(world.n_pes(), 3));
    /// ```
    fn n_pes(&self) -> u32 {
        self.raw().n_pes()
    }

    /// The number in the world of this group's PE `pe`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(4, |world| {
    ///     let (row, _) = world.split_2d(2).unwrap();
    ///     assert_eq!(row.world_pe(0), Some(world.my_pe() / 2 * 2));
    ///     assert_eq!(row.world_pe(2), None);
    /// });
    /// ```
    fn world_pe(&self, pe: u32) -> Option<u32> {
        self.raw().world_pe(pe)
    }

    /// The number in this group of the world's PE `world_pe`; `None` if it is no member.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(4, |world| {
    ///     let (_, column) = world.split_2d(2).unwrap();
    ///     assert_eq!(column.pe_of(world.my_pe()), Some(world.my_pe() / 2));
    /// });
    /// ```
    fn pe_of(&self, world_pe: u32) -> Option<u32> {
        self.raw().pe_of(world_pe)
    }

    /// Wait until all members have called this. It completes no communication; stores that members made before are visible afterwards.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| world.sync());
    /// ```
    fn sync(&self) {
        static SITE: Site = Site::of_rust("Group::sync");
        let RawTeam { inner, team } = self.raw();
        inner.outside_of_phases(SITE.name);
        // SAFETY: the team is valid.
        unsafe { inner.rt.team_sync(&SITE, team) };
    }

    /// Complete the operations issued on the default context, and wait until all members have called this.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| {
    ///     let word = world.alloc_box::<u64>().unwrap();
    ///     world.put(&word, 1, (world.my_pe() + 1) % 3);
    ///     world.barrier();
    ///     assert_eq!(word.read(), 1);
    /// });
    /// ```
    fn barrier(&self) {
        static SITE: Site = Site::of_rust("Group::barrier");
        let RawTeam { inner, team } = self.raw();
        inner.outside_of_phases(SITE.name);
        if team == rt::Team::WORLD {
            return inner.rt.barrier_all(&SITE);
        }
        inner.rt.quiet(&SITE, rt::Ctx::DEFAULT);
        // SAFETY: the team is valid.
        unsafe { inner.rt.team_sync(&SITE, team) };
    }

    /// Create a team of the `size` members `start`, `start + stride`, and so on. Other members get `None`. Collective over this group.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(4, |world| {
    ///     let odd = world.split_strided(1, 2, 2).unwrap();
    ///     assert_eq!(odd.map(|team| team.my_pe()), [None, Some(0), None, Some(1)][world.my_pe() as usize]);
    ///     assert!(world.split_strided(0, 3, 3).is_err());
    /// });
    /// ```
    fn split_strided(&self, start: u32, stride: i32, size: u32) -> Result<Option<Team<'_>>, SplitError> {
        let raw = self.raw();
        raw.inner.outside_of_phases("Group::split_strided");
        raw.split_strided(start, stride, size)
    }

    /// Arrange the members in rows of `width`, and return this member's row, and its column across the rows. Collective over this group.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(6, |world| {
    ///     let (row, column) = world.split_2d(3).unwrap();
    ///     assert_eq!((row.my_pe(), row.n_pes()), (world.my_pe() % 3, 3));
    ///     assert_eq!((column.my_pe(), column.n_pes()), (world.my_pe() / 3, 2));
    /// });
    /// ```
    fn split_2d(&self, width: u32) -> Result<(Team<'_>, Team<'_>), SplitError> {
        let raw = self.raw();
        raw.inner.outside_of_phases("Group::split_2d");
        raw.split_2d(width)
    }

    /// Create one team per color. Its members are ordered by key, and members with equal keys by their rank in this group. A member without
    /// a color gets `None`. Collective over this group.
    ///
    /// # Panics
    /// If a color is not below 2^31. If no more teams can be created, the job ends.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(5, |world| {
    ///     let me = world.my_pe();
    ///     let team = world.split_by((me != 4).then_some(me % 2), -(me as i32));
    ///     assert_eq!(team.map(|team| team.my_pe()), [Some(1), Some(1), Some(0), Some(0), None][me as usize]);
    /// });
    /// ```
    fn split_by(&self, color: Option<u32>, key: i32) -> Option<Team<'_>> {
        let raw = self.raw();
        raw.inner.outside_of_phases("Group::split_by");
        raw.split_by(color, key)
    }

    /// Every member's value, in rank order. A value has at most eight bytes; larger values need [`fcollect`](crate::Collective::fcollect).
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| assert_eq!(world.gather(world.my_pe() * 2), [0, 2, 4]));
    /// ```
    fn gather<T: Element>(&self, value: T) -> Vec<T> {
        static SITE: Site = Site::of_rust("Group::gather");
        const { assert!(size_of::<T>() <= 8, "gather takes values of 8 bytes at most; use fcollect") };
        let RawTeam { inner, team } = self.raw();
        inner.outside_of_phases(SITE.name);
        let mut word = [0; 8];
        word[..size_of::<T>()].copy_from_slice(bytemuck::bytes_of(&value));
        // SAFETY: the team is valid.
        let words = unsafe { inner.rt.team_gather(&SITE, team, u64::from_ne_bytes(word)) };
        let value = |word: u64| bytemuck::pod_read_unaligned(&word.to_ne_bytes()[..size_of::<T>()]);
        words.into_iter().map(value).collect()
    }

    /// The root's value, on all members. A value has at most 128 bytes.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| assert_eq!(world.broadcast_value([world.my_pe(); 4], 1), [1; 4]));
    /// ```
    fn broadcast_value<T: Element>(&self, value: T, root: u32) -> T {
        static SITE: Site = Site::of_rust("Group::broadcast_value");
        let (call, cells) = self.raw().single(&SITE, value);
        // SAFETY: the team is valid; each of its cells has one value.
        unsafe {
            let (dest, source) = (call.dest.cast::<Raw<T>>(), call.source.cast());
            call.world.broadcast(&SITE, call.team, dest, source, 1, root as c_int);
            let value = cells.result();
            if size_of::<T>() > FLAG_BYTES {
                // The value was sent directly to the cells, which the next broadcast may overwrite while other members still read them.
                self.sync();
            }
            value
        }
    }

    /// True if all members pass `true`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| assert!(!world.all(world.my_pe() > 0)));
    /// ```
    fn all(&self, mine: bool) -> bool {
        self.min(u64::from(mine)) == 1
    }

    /// True if any member passes `true`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| assert!(world.any(world.my_pe() == 2)));
    /// ```
    fn any(&self, mine: bool) -> bool {
        self.max(u64::from(mine)) == 1
    }

    /// Run `body` on this PE's own part of some slices, as plain Rust slices, while no other PE can reach them: between two collectives, in
    /// the group of all PEs.
    ///
    /// `slices` is `&mut a`, or a tuple of such. No PE can communicate with the slices meanwhile, because all PEs have lent their handles
    /// to the phase; operations that were under way to them are complete before `body` runs. A collective within the closure panics.
    ///
    /// # Panics
    /// If the group does not have all PEs, or a slice is of another world. The job ends if PEs pass different slices.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let (mut old, mut new) = (world.alloc::<f64>(64).unwrap(), world.alloc::<f64>(64).unwrap());
    ///     world.phase(&mut old, |old: &mut [f64]| old.fill(2.0));
    ///     let sum = world.phase((&mut old, &mut new), |(old, new)| {
    ///         new.copy_from_slice(old);
    ///         new.iter().sum::<f64>()
    ///     });
    ///     assert_eq!(sum, 128.0);
    /// });
    /// ```
    #[track_caller]
    fn phase<P: Phase, R>(&self, slices: P, body: impl for<'s> FnOnce(P::Slices<'s>) -> R) -> R {
        crate::phase::run(&self.raw(), slices, body)
    }

    values! {
        Sum Number sum "The sum" "6";
        Prod Number product "The product" "6";
        Max Number max "The largest" "3";
        Min Number min "The smallest" "1";
        And Integer bit_and "The bitwise and" "0";
        Or Integer bit_or "The bitwise or" "3";
        Xor Integer bit_xor "The bitwise exclusive or" "0";
    }
}

impl<G: GroupInner> Group for G {}

impl<'t> RawTeam<'t> {
    /// The arguments of a collective on a single value, after storing the value in the team's source cell.
    #[inline(always)]
    fn single<T: Element>(&self, site: &'static Site, value: T) -> (Reduction<'t, T>, Cells<T>) {
        const { assert!(size_of::<T>() <= CELL && align_of::<T>() <= CELL, "a single value has at most 128 bytes") };
        self.inner.outside_of_phases(site.name);
        // SAFETY: the team is valid.
        let slot = unsafe { self.inner.rt.team_slot(site, self.team) };
        let source = self.inner.scratch.wrapping_add(slot * 2 * CELL).cast::<T>();
        let dest = source.cast::<u8>().wrapping_add(CELL).cast::<T>();
        // SAFETY: the cell is the team's own, and one thread at a time uses the team.
        unsafe { ferrite_copy::store(source.cast(), value) };
        (Reduction { world: &self.inner.rt, site, team: self.team, dest, source, len: 1 }, Cells(dest))
    }
}

/// The cell that gets the result of a collective on a single value.
struct Cells<T>(*mut T);

impl<T: Element> Cells<T> {
    /// # Safety
    /// The collective is complete.
    unsafe fn result(self) -> T {
        // SAFETY: the cell is the team's own.
        unsafe { ferrite_copy::load(self.0.cast()) }
    }
}
