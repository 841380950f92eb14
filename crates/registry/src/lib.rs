//! A table that maps the program's handles to values. It distinguishes live handles from handles of removed entries, and from words that
//! were never handles.
//!
//! A handle is `generation << BITS | index`. The slot at `index` holds the same word while the entry lives, so one comparison
//! validates a handle. The index is always within the table, whatever the word.
//! No generation is used twice, and the first is 1, so no handle equals one of the small numbers that are predefined constants.
//!
//! # Memory orders
//!
//! An entry is written before its tag (release), and a reader that finds the tag (acquire) sees the entry. A lock serialises adding
//! and removing; looking up takes no lock. Removing clears the tag and then moves the entry out: the program promises that no thread
//! uses a handle while it is destroyed.

#![warn(missing_docs)]

use core::{
    cell::UnsafeCell,
    mem::MaybeUninit,
    sync::atomic::{
        AtomicUsize,
        Ordering::{Acquire, Relaxed, Release},
    },
};
use ferrite_os::mutex;
use std::{
    alloc::{Layout, alloc_zeroed, handle_alloc_error},
    sync::Mutex,
};

/// At most `1 << BITS` values, indexed by handle.
pub struct Registry<T, const BITS: u32> {
    slots: Box<[Slot<T>]>,
    books: Mutex<Books>,
}

/// One entry. All zero means vacant.
struct Slot<T> {
    /// The handle of the entry; 0 if vacant.
    tag: AtomicUsize,
    value: UnsafeCell<MaybeUninit<T>>,
}

/// Which slots are taken.
#[derive(Default)]
struct Books {
    /// Slots from here on were never used.
    fresh: usize,
    /// Slots below `fresh` that are vacant again.
    vacant: Vec<usize>,
    /// Number of entries ever added.
    generation: usize,
}

// SAFETY: values are handed out as shared references only, and are moved in and out under a lock; see the module doc.
unsafe impl<T: Send + Sync, const BITS: u32> Sync for Registry<T, BITS> {}

impl<T, const BITS: u32> Registry<T, BITS> {
    const CAPACITY: usize = 1 << BITS;

    /// An empty table. Its memory stays the kernel's zero pages until it is used.
    pub fn new() -> Registry<T, BITS> {
        const { assert!(align_of::<Slot<T>>() <= 16, "more would be zeroed by hand, which touches every page") };
        let layout = Layout::array::<Slot<T>>(Self::CAPACITY).expect("a few megabytes");
        // SAFETY: not of size zero: a slot has a tag.
        let slots = unsafe { alloc_zeroed(layout) };
        if slots.is_null() {
            handle_alloc_error(layout)
        }
        // SAFETY: allocated with the layout of this slice; all-zero bytes are vacant slots.
        let slots = unsafe { Box::from_raw(core::ptr::slice_from_raw_parts_mut(slots.cast(), Self::CAPACITY)) };
        Registry { slots, books: Mutex::default() }
    }

    #[inline(always)]
    fn slot(&self, handle: usize) -> &Slot<T> {
        // SAFETY: the remainder is below the capacity, which is the length.
        unsafe { self.slots.get_unchecked(handle % Self::CAPACITY) }
    }

    /// The value behind a handle; `None` for any word that is not a live handle.
    #[inline(always)]
    pub fn get(&self, handle: usize) -> Option<&T> {
        let slot = self.slot(handle);
        if handle == 0 || slot.tag.load(Acquire) != handle {
            return None;
        }
        // SAFETY: the tag says that there is a value, which was written before it.
        Some(unsafe { (*slot.value.get()).assume_init_ref() })
    }

    /// Add a value and return its handle. If the table is full, the value is dropped and `None` is returned.
    pub fn add(&self, value: T) -> Option<usize> {
        let mut books = mutex::lock(&self.books);
        let index = match books.vacant.pop() {
            Some(index) => index,
            None if books.fresh < Self::CAPACITY => {
                books.fresh += 1;
                books.fresh - 1
            }
            None => return None,
        };
        books.generation += 1;
        let handle = books.generation << BITS | index;
        let slot = self.slot(handle);
        // SAFETY: vacant, and ours under the lock.
        unsafe { (*slot.value.get()).write(value) };
        slot.tag.store(handle, Release);
        Some(handle)
    }

    /// Remove the value of this handle and return it; `None` if there is no such value.
    pub fn remove(&self, handle: usize) -> Option<T> {
        let mut books = mutex::lock(&self.books);
        let slot = self.slot(handle);
        if handle == 0 || slot.tag.load(Relaxed) != handle {
            return None;
        }
        slot.tag.store(0, Release);
        books.vacant.push(handle % Self::CAPACITY);
        // SAFETY: the tag showed that there is a value. The tag is cleared now, so this is the only copy.
        Some(unsafe { (*slot.value.get()).assume_init_read() })
    }

    /// The handles of the values for which `wanted` is true.
    pub fn handles(&self, wanted: impl Fn(&T) -> bool) -> Vec<usize> {
        let books = mutex::lock(&self.books);
        let tags = self.slots[..books.fresh].iter().map(|slot| slot.tag.load(Relaxed));
        tags.filter(|&tag| self.get(tag).is_some_and(&wanted)).collect()
    }

    /// Number of values.
    pub fn count(&self) -> usize {
        let books = mutex::lock(&self.books);
        books.fresh - books.vacant.len()
    }
}

impl<T, const BITS: u32> Default for Registry<T, BITS> {
    fn default() -> Registry<T, BITS> {
        Registry::new()
    }
}

impl<T, const BITS: u32> Drop for Registry<T, BITS> {
    fn drop(&mut self) {
        for handle in self.handles(|_| true) {
            drop(self.remove(handle));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::{collections::BTreeMap, sync::Arc};

    #[test]
    fn a_handle_is_good_until_it_is_removed() {
        let registry = Registry::<_, 4>::new();
        let one = registry.add("one").expect("room");
        let two = registry.add("two").expect("room");
        assert_eq!((registry.get(one), registry.get(two), registry.count()), (Some(&"one"), Some(&"two"), 2));
        assert_eq!(registry.remove(one), Some("one"));
        assert_eq!((registry.get(one), registry.remove(one)), (None, None));
        let three = registry.add("three").expect("room");
        assert_eq!(three % 16, one % 16, "the slot is used again");
        assert_eq!((registry.get(one), registry.get(three)), (None, Some(&"three")));
        assert_eq!(registry.handles(|&value| value != "two"), [three]);
    }

    #[test]
    fn a_full_table_refuses_and_recovers() {
        let registry = Registry::<_, 2>::new();
        let handles: Vec<_> = (0..4).map(|i| registry.add(i).expect("room")).collect();
        assert_eq!(registry.add(4), None);
        registry.remove(handles[2]);
        assert!(registry.add(5).is_some());
        assert_eq!(registry.add(6), None);
    }

    #[test]
    fn values_are_dropped_once() {
        let value = Arc::new(());
        let registry = Registry::<_, 3>::new();
        let first = registry.add(value.clone()).expect("room");
        registry.add(value.clone()).expect("room");
        drop(registry.remove(first));
        assert_eq!(Arc::strong_count(&value), 2);
        drop(registry);
        assert_eq!(Arc::strong_count(&value), 1);
    }

    proptest! {
        #[test]
        fn it_is_a_map_whose_keys_are_never_used_again(steps in proptest::collection::vec((any::<bool>(), any::<usize>()), 0..200), garbage: usize) {
            let registry = Registry::<usize, 5>::new();
            let (mut model, mut gone) = (BTreeMap::new(), vec![0, 1, 2]);
            for (add, word) in steps {
                if add {
                    if let Some(handle) = registry.add(word) {
                        prop_assert!(!gone.contains(&handle) && model.insert(handle, word).is_none());
                    } else {
                        prop_assert_eq!(model.len(), 32);
                    }
                } else if let Some(&handle) = model.keys().nth(word % model.len().max(1)) {
                    prop_assert_eq!(registry.remove(handle), model.remove(&handle));
                    gone.push(handle);
                }
            }
            prop_assert_eq!(registry.handles(|_| true).len(), registry.count());
            prop_assert_eq!(registry.count(), model.len());
            for (&handle, word) in &model { prop_assert_eq!(registry.get(handle), Some(word)); }
            for handle in gone { prop_assert_eq!(registry.get(handle), None); }
            prop_assert_eq!(registry.get(garbage), model.get(&garbage));
        }
    }
}
