//! Put and get operations.

use crate::{Ctx, Element, Kind, Place, Places, element::Raw, memory::same_length};
use ferrite_runtime::Site;

operations! {
    /// Write one value at `pe`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(4).unwrap();
    ///     world.put(words.at(2), 7, 1 - world.my_pe());
    ///     world.barrier();
    ///     assert_eq!(words.read(2), 7);
    /// });
    /// ```
    #[inline(always)]
    pub fn put<'a, T: Element>(&self, to: impl Place<'a, T>, value: T, pe: u32) {
        static SITE: Site = Site::of_rust("Ctx::put");
        let to = to.into_at().at;
        // SAFETY: a place within a block that exists on every PE; `Raw` is the element's bits.
        unsafe {
            if one_move::<T>() {
                self.inner.rt.p(&SITE, self.handle(), to.cast::<Raw<T>>(), Raw(value), pe as i32);
            } else {
                self.inner.rt.put(&SITE, self.handle(), to.cast::<Raw<T>>(), (&raw const value).cast(), 1, pe as i32);
            }
        }
    }

    /// Read one value at `pe`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(3, |world| {
    ///     let number = world.alloc_box::<u32>().unwrap();
    ///     number.write(10 * world.my_pe());
    ///     world.barrier();
    ///     assert_eq!(world.get(&number, 2), 20);
    /// });
    /// ```
    #[inline(always)]
    pub fn get<'a, T: Element>(&self, from: impl Place<'a, T>, pe: u32) -> T {
        static SITE: Site = Site::of_rust("Ctx::get");
        let from = from.into_at().at;
        // SAFETY: a place within a block that exists on every PE; any bits are a value.
        unsafe {
            if one_move::<T>() {
                return self.inner.rt.g(&SITE, self.handle(), from.cast::<Raw<T>>().cast_const(), pe as i32).0;
            }
            let mut value = T::zeroed();
            let into = (&raw mut value).cast::<Raw<T>>();
            self.inner.rt.get(&SITE, self.handle(), into, from.cast::<Raw<T>>().cast_const(), 1, pe as i32);
            value
        }
    }

    /// Copy `from` to `pe`. On return the program may reuse `from`; the copy is complete at `pe` after a [`quiet`](Ctx::quiet), or a
    /// barrier.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(4).unwrap();
    ///     world.put_slice(words.range(1..3), &[5, 6], 1 - world.my_pe());
    ///     world.barrier();
    ///     assert_eq!(words.to_vec(), [0, 5, 6, 0]);
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn put_slice<'a, T: Element>(&self, to: impl Places<'a, T>, from: &[T], pe: u32) {
        static SITE: Site = Site::of_rust("Ctx::put_slice");
        let to = to.into_span();
        same_length(to.len(), from.len());
        let (dest, source) = (to.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast());
        // SAFETY: both sides have the same length, and each is within a block or borrowed.
        unsafe { self.inner.rt.put(&SITE, self.handle(), dest, source, from.len(), pe as i32) }
    }

    /// Copy the values at `pe` to `into`.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     words.fill(u64::from(world.my_pe()));
    ///     world.barrier();
    ///     let mut copy = [9; 3];
    ///     world.get_slice(&words, &mut copy, 1);
    ///     assert_eq!(copy, [1; 3]);
    /// });
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn get_slice<'a, T: Element>(&self, from: impl Places<'a, T>, into: &mut [T], pe: u32) {
        static SITE: Site = Site::of_rust("Ctx::get_slice");
        let from = from.into_span();
        same_length(from.len(), into.len());
        let (dest, source) = (into.as_mut_ptr().cast::<Raw<T>>(), from.as_ptr().cast::<Raw<T>>().cast_const());
        // SAFETY: both sides have the same length, and each is within a block or borrowed.
        unsafe { self.inner.rt.get(&SITE, self.handle(), dest, source, into.len(), pe as i32) }
    }

    /// A copy of the values at `pe`.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let words = world.alloc::<u64>(3).unwrap();
    ///     assert_eq!(world.get_vec(words.range(1..), 1), [0, 0]);
    /// });
    /// ```
    pub fn get_vec<'a, T: Element>(&self, from: impl Places<'a, T>, pe: u32) -> Vec<T> {
        let from = from.into_span();
        let mut copy = vec![T::zeroed(); from.len()];
        self.get_slice(from, &mut copy, pe);
        copy
    }

    /// Copy values of this PE's symmetric memory to another place in symmetric memory at `pe`. The two may overlap.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let (mine, theirs) = (world.alloc::<u64>(4).unwrap(), world.alloc::<u64>(4).unwrap());
    ///     mine.fill(3);
    ///     world.put_from(&theirs, &mine, 1 - world.my_pe());
    ///     world.barrier();
    ///     assert_eq!(theirs.to_vec(), [3; 4]);
    /// });
    /// ```
    #[track_caller]
    pub fn put_from<'a, 'b, T: Element>(&self, to: impl Places<'a, T>, from: impl Places<'b, T>, pe: u32) {
        static SITE: Site = Site::of_rust("Ctx::put_from");
        let (to, from) = (to.into_span(), from.into_span());
        same_length(to.len(), from.len());
        let (dest, source) = (to.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast::<Raw<T>>().cast_const());
        // SAFETY: both sides have the same length, and each is within a block. A write that a peer makes to the source meanwhile may be
        // copied or not.
        unsafe { self.inner.rt.put(&SITE, self.handle(), dest, source, from.len(), pe as i32) }
    }

    /// Copy the values at `pe` to this PE's symmetric memory.
    ///
    /// # Panics
    /// If the lengths differ.
    ///
    /// ```
    /// ferrite::local(2, |world| {
    ///     let (a, b) = (world.alloc::<u64>(4).unwrap(), world.alloc::<u64>(4).unwrap());
    ///     b.fill(3);
    ///     world.get_into(&b, &a, 1 - world.my_pe());
    ///     assert_eq!(b.to_vec(), [0; 4]);
    /// });
    /// ```
    #[track_caller]
    pub fn get_into<'a, 'b, T: Element>(&self, into: impl Places<'a, T>, from: impl Places<'b, T>, pe: u32) {
        static SITE: Site = Site::of_rust("Ctx::get_into");
        let (into, from) = (into.into_span(), from.into_span());
        same_length(from.len(), into.len());
        let (dest, source) = (into.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast::<Raw<T>>().cast_const());
        // SAFETY: both sides have the same length, and each is within a block.
        unsafe { self.inner.rt.get(&SITE, self.handle(), dest, source, from.len(), pe as i32) }
    }

    /// Copy blocks of `block` elements to `pe`. Block i is copied from `from[i * from_stride..]` to `to` at `i * to_stride`, for every
    /// whole block in `from`.
    ///
    /// # Panics
    /// If a stride is shorter than a block, or a block ends beyond `to`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     // A column of a matrix of 3 rows of 4.
    ///     let matrix = world.alloc::<u64>(12).unwrap();
    ///     world.put_strided(matrix.range(1..), 4, &[7, 8, 9], 1, 1, 1 - world.my_pe());
    ///     world.barrier();
    ///     assert_eq!([matrix.read(1), matrix.read(5), matrix.read(9)], [7, 8, 9]);
    /// });
    /// ```
    #[track_caller]
    pub fn put_strided<'a, T: Element>(
        &self,
        to: impl Places<'a, T>,
        to_stride: usize,
        from: &[T],
        from_stride: usize,
        block: usize,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Ctx::put_strided");
        let to = to.into_span();
        let blocks = Blocks { block, here: from_stride, there: to_stride }.whole(from.len(), to.len());
        let (dest, source) = (to.as_ptr().cast::<Raw<T>>(), from.as_ptr().cast());
        let (there, here) = (to_stride as isize, from_stride as isize);
        // SAFETY: every block is within both sides, as was just checked.
        unsafe { self.inner.rt.ibput(&SITE, self.handle(), dest, source, there, here, block, blocks, pe as i32) }
    }

    /// Copy blocks of `block` elements from `pe`. Block i is copied from `from` at `i * from_stride` to `into[i * into_stride..]`, for
    /// every whole block that fits in `into`.
    ///
    /// # Panics
    /// If a stride is shorter than a block, or a block ends beyond `from`.
    ///
    /// ```
    /// use ferrite::Group;
    /// ferrite::local(2, |world| {
    ///     let matrix = world.alloc::<u32>(12).unwrap();
    ///     (0..12).for_each(|i| matrix.write(i, i as u32));
    ///     world.barrier();
    ///     let mut corner = [0; 4];
    ///     world.get_strided(&mut corner, 2, &matrix, 4, 2, 1);
    ///     assert_eq!(corner, [0, 1, 4, 5]);
    /// });
    /// ```
    #[track_caller]
    pub fn get_strided<'a, T: Element>(
        &self,
        into: &mut [T],
        into_stride: usize,
        from: impl Places<'a, T>,
        from_stride: usize,
        block: usize,
        pe: u32,
    ) {
        static SITE: Site = Site::of_rust("Ctx::get_strided");
        let from = from.into_span();
        let blocks = Blocks { block, here: into_stride, there: from_stride }.whole(into.len(), from.len());
        let (dest, source) = (into.as_mut_ptr().cast::<Raw<T>>(), from.as_ptr().cast::<Raw<T>>().cast_const());
        let (here, there) = (into_stride as isize, from_stride as isize);
        // SAFETY: every block is within both sides, as was just checked.
        unsafe { self.inner.rt.ibget(&SITE, self.handle(), dest, source, here, there, block, blocks, pe as i32) }
    }

    /// True if this PE accesses the memory of the world's PE `pe` with loads and stores, because it is on this host.
    ///
    /// ```
    /// ferrite::local(2, |world| assert!(world.is_near(1) && !world.is_near(2)));
    /// ```
    pub fn is_near(&self, pe: u32) -> bool {
        static SITE: Site = Site::of_rust("Ctx::is_near");
        !self.inner.rt.ptr(&SITE, self.inner.scratch.cast(), pe as i32).is_null()
    }
}

/// True if the runtime's routine for one element moves a `T`: its guard admits the size, and the move is one or a few instructions.
const fn one_move<T>() -> bool {
    size_of::<T>() <= 16
}

/// The blocks of a strided transfer.
pub(crate) struct Blocks {
    pub block: usize,
    pub here: usize,
    pub there: usize,
}

impl Blocks {
    /// Number of whole blocks in `here`. Panics if they are not within `there`.
    #[track_caller]
    pub fn whole(&self, here: usize, there: usize) -> usize {
        let Blocks { block, here: stride, there: far } = *self;
        if block == 0 || here < block {
            return 0;
        }
        assert!(
            stride >= block && far >= block && stride <= isize::MAX as usize && far <= isize::MAX as usize,
            "strides {stride} and {far} must be at least {block}, the length of a block"
        );
        let blocks = (here - block) / stride + 1;
        let end = (blocks - 1).checked_mul(far).and_then(|start| start.checked_add(block));
        assert!(
            end.is_some_and(|end| end <= there),
            "{blocks} blocks of {block}, {far} apart, end beyond the symmetric side's {there} elements"
        );
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_blocks_are_counted_and_bounded() {
        let whole = |block, here, there, len, room| Blocks { block, here, there }.whole(len, room);
        assert_eq!(whole(1, 1, 4, 3, 9), 3);
        assert_eq!(whole(2, 3, 2, 8, 6), 3);
        assert_eq!(whole(2, 3, 2, 7, 4), 2);
        assert_eq!(whole(0, 0, 0, 7, 0), 0);
        assert_eq!(whole(5, 5, 5, 4, 0), 0);
        for (block, here, there, len, room) in [(1, 1, 4, 3, 8), (2, 1, 2, 8, 99), (2, 2, usize::MAX, 4, 99)] {
            assert!(std::panic::catch_unwind(|| whole(block, here, there, len, room)).is_err());
        }
    }
}
