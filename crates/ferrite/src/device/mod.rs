//! Symmetric memory of GPUs.
//!
//! | file | job |
//! |---|---|
//! | `mod.rs` | blocks, puts and gets |
//! | `words.rs` | atomics, signals and waits |
//! | `collective.rs` | collectives with an operand in device memory |

mod collective;
mod words;

pub use words::SignalPlace;

use crate::{AllocError, Element, SymSlice, Symmetric, World, element::Raw, memory::same_length, rma::Blocks};
use core::{fmt, marker::PhantomData, ops::Range};
use ferrite_runtime::{Ctx, Site};

/// The symmetric memory of the PEs' GPUs: returned by [`World::device`].
///
/// The host moves values into and out of this memory, and from one GPU's memory to another's. No reference into it exists; kernels get its
/// [address](DeviceSlice::address). Operations that have two symmetric sides take host memory on either of them as well ([`Operand`]).
///
/// Every operation on device memory is complete at its target when it returns. So there are no non-blocking forms: nothing would be left to
/// wait for. A signal in the host memory of another host follows its data, and may arrive later.
///
/// Operations are not ordered with the program's kernels: wait for a kernel before its results are put.
///
/// It has been tested with a stand-in for CUDA's driver only, never on hardware.
///
/// ```
/// use ferrite::prelude::*;
/// ferrite::local(2, |world| {
///     // There is none in this example.
///     let Some(device) = world.device() else { return };
///     let right = (world.my_pe() + 1) % world.n_pes();
///     let (mine, theirs) = (device.alloc::<f64>(100).unwrap(), device.alloc::<f64>(100).unwrap());
///     device.put_slice(&mine, 0..100, &[0.5; 100], world.my_pe());
///     // From GPU to GPU.
///     device.copy(&theirs, 0..100, &mine, 0..100, right);
///     world.barrier();
///     // From GPUs to the host.
///     let mut total = world.alloc::<f64>(100).unwrap();
///     device.sum_reduce(world, &theirs, &mut total);
///     assert_eq!(total.read(99), 1.0);
/// });
/// ```
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

mod sealed {
    /// The block of an operand.
    pub trait Block<T> {
        #[doc(hidden)]
        fn block(&self) -> (*mut T, usize);
    }
}
use sealed::Block;

/// An operand of [`Device`]'s operations: symmetric memory of the GPUs, a [`DeviceSlice`], or of the hosts, a [`SymSlice`].
pub trait Operand<T>: Block<T> {}

impl<T> Block<T> for DeviceSlice<'_, T> {
    fn block(&self) -> (*mut T, usize) {
        (self.at, self.len)
    }
}
impl<T> Operand<T> for DeviceSlice<'_, T> {}

impl<T: Symmetric> Block<T> for SymSlice<T> {
    fn block(&self) -> (*mut T, usize) {
        (self.as_ptr(), self.len())
    }
}
impl<T: Symmetric> Operand<T> for SymSlice<T> {}

/// The first of the elements in `range` of a block.
#[track_caller]
fn part<T>(operand: &impl Operand<T>, range: &Range<usize>) -> *mut Raw<T> {
    let (at, len) = operand.block();
    assert!(range.start <= range.end && range.end <= len, "elements {range:?} of a block of {len} elements");
    at.wrapping_add(range.start).cast()
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
        let (dest, source) = (part(to, &range), from.as_ptr().cast());
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
        let (dest, source) = (into.as_mut_ptr().cast::<Raw<T>>(), part(from, &range).cast_const());
        // SAFETY: both sides have the same length, and each is within a block or borrowed.
        unsafe { self.world.inner().rt.get(&SITE, Ctx::DEFAULT, dest, source, into.len(), pe as i32) }
    }

    /// Copy the elements `from_range` of this PE's `from` to the elements `range` of `to` at `pe`. Each of the two is device or host memory.
    ///
    /// # Panics
    /// If the lengths differ, there are no such elements, or both ranges are of this PE and overlap without being equal.
    #[track_caller]
    pub fn copy<T: Element>(
        &self,
        to: &impl Operand<T>,
        range: Range<usize>,
        from: &impl Operand<T>,
        from_range: Range<usize>,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::copy");
        let (dest, source) = self.two_sides((to, &range), (from, &from_range), pe);
        // SAFETY: both sides have the same length, each is within a block, and they do not overlap.
        unsafe { self.world.inner().rt.put(&SITE, Ctx::DEFAULT, dest, source, range.len(), pe as i32) };
        self.complete(&SITE);
    }

    /// Copy the elements `from_range` of `from` at `pe` to the elements `range` of this PE's `into`. Each of the two is device or host
    /// memory.
    ///
    /// # Panics
    /// As for [`copy`](Device::copy).
    #[track_caller]
    pub fn get_into<T: Element>(
        &self,
        into: &impl Operand<T>,
        range: Range<usize>,
        from: &impl Operand<T>,
        from_range: Range<usize>,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::get_into");
        let (dest, source) = self.two_sides((into, &range), (from, &from_range), pe);
        // SAFETY: as for `copy`.
        unsafe { self.world.inner().rt.get(&SITE, Ctx::DEFAULT, dest, source, range.len(), pe as i32) }
    }

    /// Copy blocks of `block` elements to `pe`. Block i is copied from `from[i * from_stride..]` to the elements `range` of `to`, at
    /// `i * to_stride`, for every whole block in `from`.
    ///
    /// # Panics
    /// If a stride is shorter than a block, or a block ends beyond the range.
    ///
    /// ```
    /// use ferrite::prelude::*;
    /// ferrite::local(2, |world| {
    ///     let Some(device) = world.device() else { return };
    ///     // A column of a matrix of 3 rows of 4.
    ///     let matrix = device.alloc::<u64>(12).unwrap();
    ///     device.put_strided(&matrix, 1..12, 4, &[7, 8, 9], 1, 1, 1 - world.my_pe());
    /// });
    /// ```
    #[track_caller]
    pub fn put_strided<T: Element>(
        &self,
        to: &DeviceSlice<'_, T>,
        range: Range<usize>,
        to_stride: usize,
        from: &[T],
        from_stride: usize,
        block: usize,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::put_strided");
        let blocks = Blocks { block, here: from_stride, there: to_stride }.whole(from.len(), range.len());
        let (dest, source) = (part(to, &range), from.as_ptr().cast());
        let (there, here) = (to_stride as isize, from_stride as isize);
        let rt = &self.world.inner().rt;
        // SAFETY: every block is within both sides, as was just checked.
        unsafe { rt.ibput(&SITE, Ctx::DEFAULT, dest, source, there, here, block, blocks, pe as i32) }
    }

    /// Copy blocks of `block` elements from `pe`. Block i is copied from the elements `range` of `from`, at `i * from_stride`, to
    /// `into[i * into_stride..]`, for every whole block that fits in `into`.
    ///
    /// # Panics
    /// If a stride is shorter than a block, or a block ends beyond the range.
    #[track_caller]
    pub fn get_strided<T: Element>(
        &self,
        into: &mut [T],
        into_stride: usize,
        from: &DeviceSlice<'_, T>,
        range: Range<usize>,
        from_stride: usize,
        block: usize,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Device::get_strided");
        let blocks = Blocks { block, here: into_stride, there: from_stride }.whole(into.len(), range.len());
        let (dest, source) = (into.as_mut_ptr().cast::<Raw<T>>(), part(from, &range).cast_const());
        let (here, there) = (into_stride as isize, from_stride as isize);
        let rt = &self.world.inner().rt;
        // SAFETY: every block is within both sides, as was just checked.
        unsafe { rt.ibget(&SITE, Ctx::DEFAULT, dest, source, here, there, block, blocks, pe as i32) }
    }

    /// The sides of a copy between this PE and `pe`.
    #[track_caller]
    fn two_sides<T: Element>(
        &self,
        (to, range): (&impl Operand<T>, &Range<usize>),
        (from, from_range): (&impl Operand<T>, &Range<usize>),
        pe: u32,
    ) -> (*mut Raw<T>, *const Raw<T>) {
        same_length(range.len(), from_range.len());
        let (dest, source) = (part(to, range), part(from, from_range).cast_const());
        let distance = (dest as usize).abs_diff(source as usize);
        assert!(
            pe != self.world.my_pe() || distance == 0 || distance >= range.len() * size_of::<T>(),
            "elements {from_range:?} and {range:?} of one block overlap"
        );
        (dest, source)
    }

    /// Complete a put whose destination may be host memory.
    fn complete(&self, site: &'static Site) {
        self.world.inner().rt.quiet(site, Ctx::DEFAULT);
    }
}
