//! Symmetric memory of GPUs.

use crate::{
    AllocError, AtomicInt, AtomicValue, Cmp, Element, Number, SignalOp, Watchable, World,
    element::Raw,
    memory::same_length,
    reduce::{Operation, Reduction},
    team::GroupInner,
};
use core::{fmt, marker::PhantomData, ops::Range};
use ferrite_runtime::{Ctx, Site};

/// The symmetric memory of the PEs' GPUs: returned by [`World::device`].
///
/// The host moves values into and out of this memory, and from one GPU's memory to another's. No reference into it exists; kernels get its
/// [address](DeviceSlice::address). Every operation is complete at its target when it returns. The collectives are those of the whole world.
///
/// Operations are not ordered with the program's kernels: wait for a kernel before its results are put.
///
/// It has been tested with a stand-in for CUDA's driver only, never on hardware.
pub struct Device<'w> {
    world: &'w World,
}

/// `len` elements in the device memory of every PE. Not freed by its drop, which would have to wait for the other PEs: by
/// [`Device::free`], or with the [`World`].
pub struct DeviceSlice<'w, T> {
    at: *mut T,
    len: usize,
    world: PhantomData<&'w World>,
}

impl<T> DeviceSlice<'_, T> {
    /// How many elements each PE has.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The device address of this PE's elements, for kernels and for the driver's copies.
    pub fn address(&self) -> usize {
        self.at as usize
    }

    /// The first of the elements in `range`.
    #[track_caller]
    fn part(&self, range: &Range<usize>) -> *mut T {
        assert!(
            range.start <= range.end && range.end <= self.len,
            "elements {range:?} of a block of {} elements in device memory",
            self.len
        );
        self.at.wrapping_add(range.start)
    }

    /// The element at `at`.
    #[track_caller]
    fn word(&self, at: usize) -> *mut T {
        assert!(at < self.len, "element {at} of a block of {} elements in device memory", self.len);
        self.at.wrapping_add(at)
    }
}

impl<T> fmt::Debug for DeviceSlice<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DeviceSlice({:p}, {} elements)", self.at, self.len)
    }
}

impl fmt::Debug for Device<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Device")
    }
}

impl World {
    /// The memory of the PEs' GPUs, if the job has it: with `SHMEM_GPU_SUPPORT_ENABLED=1` in the environment, if every PE could open its GPU.
    ///
    /// ```
    /// ferrite::local(2, |world| assert!(world.device().is_none()));
    /// ```
    pub fn device(&self) -> Option<Device<'_>> {
        self.inner().rt.has_device().then_some(Device { world: self })
    }
}

impl<'w> Device<'w> {
    /// Allocate `len` elements in the device memory of every PE, all zero. Collective: every PE passes the same `len`.
    pub fn alloc<T: Element>(&self, len: usize) -> Result<DeviceSlice<'w, T>, AllocError> {
        static SITE: Site = Site::of_rust("Device::alloc");
        const { assert!(size_of::<T>() > 0, "an element of symmetric memory has a size") };
        self.world.inner().outside_of_phases(SITE.name);
        let at = if len == 0 {
            core::ptr::null_mut()
        } else {
            self.world.inner().rt.device_calloc(&SITE, len, size_of::<T>())
        };
        if len > 0 && at.is_null() {
            return Err(AllocError::of_device(len.saturating_mul(size_of::<T>())));
        }
        Ok(DeviceSlice { at: at.cast(), len, world: PhantomData })
    }

    /// Free a block on every PE. Collective.
    pub fn free<T>(&self, block: DeviceSlice<'w, T>) {
        static SITE: Site = Site::of_rust("Device::free");
        self.world.inner().outside_of_phases(SITE.name);
        // SAFETY: the handle is gone, and with it the only way to use the block.
        unsafe { self.world.inner().rt.device_free(&SITE, block.at.cast()) }
    }

    /// Copy `from` to the elements `range` of `to` at `pe`.
    ///
    /// # Panics
    /// If the lengths differ, or `to` has no such elements.
    #[track_caller]
    pub fn put_slice<T: Element>(&self, to: &DeviceSlice<'_, T>, range: Range<usize>, from: &[T], pe: u32) {
        static SITE: Site = Site::of_rust("Device::put_slice");
        same_length(range.len(), from.len());
        let (dest, source) = (to.part(&range).cast::<Raw<T>>(), from.as_ptr().cast());
        // SAFETY: both sides have the same length, and each is within a block or borrowed.
        unsafe { self.world.inner().rt.put(&SITE, Ctx::DEFAULT, dest, source, from.len(), pe as i32) }
    }

    /// Copy the elements `range` of `from` at `pe` to `into`.
    ///
    /// # Panics
    /// If the lengths differ, or `from` has no such elements.
    #[track_caller]
    pub fn get_slice<T: Element>(&self, from: &DeviceSlice<'_, T>, range: Range<usize>, into: &mut [T], pe: u32) {
        static SITE: Site = Site::of_rust("Device::get_slice");
        same_length(range.len(), into.len());
        let (dest, source) = (into.as_mut_ptr().cast::<Raw<T>>(), from.part(&range).cast::<Raw<T>>().cast_const());
        // SAFETY: both sides have the same length, and each is within a block or borrowed.
        unsafe { self.world.inner().rt.get(&SITE, Ctx::DEFAULT, dest, source, into.len(), pe as i32) }
    }

    /// Copy the elements `from_range` of this PE's `from` to the elements `range` of `to` at `pe`, from device to device.
    ///
    /// # Panics
    /// If the lengths differ, there are no such elements, or both ranges are of this PE and overlap without being equal.
    #[track_caller]
    pub fn copy<T: Element>(
        &self,
        to: &DeviceSlice<'_, T>,
        range: Range<usize>,
        from: &DeviceSlice<'_, T>,
        from_range: Range<usize>,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::copy");
        same_length(range.len(), from_range.len());
        let (dest, source) = (to.part(&range).cast::<Raw<T>>(), from.part(&from_range).cast::<Raw<T>>().cast_const());
        let distance = (dest as usize).abs_diff(source as usize);
        assert!(
            pe != self.world.my_pe() || distance == 0 || distance >= range.len() * size_of::<T>(),
            "elements {from_range:?} and {range:?} of one block overlap"
        );
        // SAFETY: both sides have the same length, each is within a block, and they do not overlap.
        unsafe { self.world.inner().rt.put(&SITE, Ctx::DEFAULT, dest, source, range.len(), pe as i32) }
    }

    /// Copy `from` to the elements `range` of `to` at `pe`, then update word `at` of `signal` there. A PE that sees the new signal sees the
    /// data.
    ///
    /// # Panics
    /// If the lengths differ, or there are no such elements.
    #[track_caller]
    pub fn put_signal<T: Element>(
        &self,
        to: &DeviceSlice<'_, T>,
        range: Range<usize>,
        from: &[T],
        signal: &DeviceSlice<'_, u64>,
        at: usize,
        op: SignalOp,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::put_signal");
        same_length(range.len(), from.len());
        let (dest, source) = (to.part(&range).cast::<Raw<T>>(), from.as_ptr().cast());
        let (word, (value, op)) = (signal.word(at), op.parts());
        let rt = &self.world.inner().rt;
        // SAFETY: both sides have the same length, and each is within a block or borrowed; so is the signal.
        unsafe { rt.put_signal(&SITE, Ctx::DEFAULT, dest, source, from.len(), word, value, op, pe as i32) }
    }

    /// Wait until this PE's word `at` satisfies the comparison, and return the value that did.
    ///
    /// # Panics
    /// If there is no such word.
    #[track_caller]
    pub fn wait_until<T: Watchable>(&self, words: &DeviceSlice<'_, T>, at: usize, wanted: Cmp<T>) -> T {
        static SITE: Site = Site::of_rust("Device::wait_until");
        let (cmp, value) = wanted.parts();
        // SAFETY: a word within a block.
        unsafe { self.world.inner().rt.wait_until_seen(&SITE, words.word(at).cast_const(), cmp, value) }
    }

    /// Copy the source of the PE `root` to the destination of every PE. Collective.
    ///
    /// # Panics
    /// If the lengths differ.
    #[track_caller]
    pub fn broadcast<T: Element>(&self, source: &DeviceSlice<'_, T>, dest: &mut DeviceSlice<'_, T>, root: u32) {
        static SITE: Site = Site::of_rust("Device::broadcast");
        same_length(dest.len, source.len);
        let (call, rt) = (self.collective(&SITE, source, dest), &self.world.inner().rt);
        let (to, from) = (call.dest.cast::<Raw<T>>(), call.source.cast::<Raw<T>>());
        // SAFETY: both are blocks of this length.
        unsafe { rt.broadcast(&SITE, call.team, to, from, call.len, root as i32) };
    }

    /// Put the elements of all PEs one behind the other, on every PE. Collective.
    ///
    /// # Panics
    /// If the destination is not as long as the sources of all PEs together.
    #[track_caller]
    pub fn fcollect<T: Element>(&self, source: &DeviceSlice<'_, T>, dest: &mut DeviceSlice<'_, T>) {
        static SITE: Site = Site::of_rust("Device::fcollect");
        same_length(dest.len, source.len * self.world.n_pes() as usize);
        let (call, rt) = (self.collective(&SITE, source, dest), &self.world.inner().rt);
        let (to, from) = (call.dest.cast::<Raw<T>>(), call.source.cast::<Raw<T>>());
        // SAFETY: the destination has room for all sources.
        unsafe { rt.fcollect(&SITE, call.team, to, from, call.len) };
    }

    fn collective<T>(
        &self,
        site: &'static Site,
        source: &DeviceSlice<'_, T>,
        dest: &mut DeviceSlice<'_, T>,
    ) -> Reduction<'w, T> {
        let raw = self.world.raw();
        raw.inner.outside_of_phases(site.name);
        let world = &self.world.inner().rt;
        Reduction { world, site, team: raw.team, dest: dest.at, source: source.at.cast_const(), len: source.len }
    }
}

macro_rules! atomics {
    ($($bound:ident: $(#[$doc:meta])* fn $name:ident($($value:ident),*) $(-> $T:ident)? = $routine:ident;)*) => {
        impl Device<'_> { $(
            $(#[$doc])*
            ///
            /// Atomic among the operations of hosts, not with respect to kernels.
            ///
            /// # Panics
            /// If there is no such word.
            #[track_caller]
            pub fn $name<T: $bound>(&self, words: &DeviceSlice<'_, T>, at: usize $(, $value: T)*, pe: u32) $(-> $T)? {
                static SITE: Site = Site::of_rust(concat!("Device::", stringify!($name)));
                // SAFETY: a word within a block that exists on every PE.
                unsafe { self.world.inner().rt.$routine(&SITE, Ctx::DEFAULT, words.word(at) $(, $value)*, pe as i32) }
            }
        )* }
    };
}

atomics! {
    AtomicValue:
    /// The word `at` at `pe`.
    fn fetch() -> T = atomic_fetch;
    AtomicValue:
    /// Set the word `at` at `pe`.
    fn set(value) = atomic_set;
    AtomicValue:
    /// Set the word `at` at `pe`, and return its previous value.
    fn swap(value) -> T = atomic_swap;
    AtomicInt:
    /// Set the word `at` at `pe` if it is `expected`, and return its previous value in either case.
    fn compare_swap(expected, value) -> T = atomic_compare_swap;
    AtomicInt:
    /// Add to the word `at` at `pe`, wrapping, and return its previous value.
    fn fetch_add(value) -> T = atomic_fetch_add;
    AtomicInt:
    /// Add to the word `at` at `pe`, wrapping.
    fn add(value) = atomic_add;
}

macro_rules! reductions {
    ($($name:ident $operation:ident $what:literal;)*) => {
        impl Device<'_> { $(
            #[doc = concat!($what, " of all PEs' elements, one by one. Collective.")]
            ///
            /// # Panics
            /// If the lengths differ.
            #[track_caller]
            pub fn $name<T: Number>(&self, source: &DeviceSlice<'_, T>, dest: &mut DeviceSlice<'_, T>) {
                static SITE: Site = Site::of_rust(concat!("Device::", stringify!($name)));
                same_length(dest.len, source.len);
                // SAFETY: both are blocks of this length.
                unsafe { T::reduce(Operation::$operation, self.collective(&SITE, source, dest), None) }
            }
        )* }
    };
}

reductions! {
    sum Sum "Sums";
    prod Prod "Products";
    max Max "Maxima";
    min Min "Minima";
}
