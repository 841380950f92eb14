//! Memory that is lent to the provider while operations are under way.

use crate::{
    object::Object,
    regions::{self, Use},
    shared::Shared,
};
use ferrite_engine::Result;
use libfabric_sys::{fi_context2, fi_mr_desc, fid_ep, fid_mr};
use std::{
    alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error},
    cell::UnsafeCell,
    ffi::c_void,
    ptr::NonNull,
};

const PAGE: usize = 4096;

/// Contexts of operations. Each is scratch space for the provider, and its number identifies the operation.
pub struct Contexts(Box<[UnsafeCell<fi_context2>]>);

// SAFETY: this crate neither reads nor writes the contents: they belong to the provider.
unsafe impl Send for Contexts {}

impl Contexts {
    /// Allocate `count` contexts.
    pub fn new(count: usize) -> Self {
        Contexts((0..count).map(|_| UnsafeCell::default()).collect())
    }

    /// Address of the context with this number.
    #[inline]
    pub fn at(&self, number: usize) -> *mut c_void {
        self.0[number].get().cast()
    }

    /// Number of the context at this address, if it is one of these.
    #[inline]
    pub fn number(&self, context: *mut c_void) -> Option<usize> {
        let distance = (context as usize).checked_sub(self.0.as_ptr() as usize)?;
        let number = distance / size_of::<fi_context2>();
        (number < self.0.len() && distance.is_multiple_of(size_of::<fi_context2>())).then_some(number)
    }
}

/// Buffers of one size, registered if the provider requires local memory to be.
pub struct Buffers {
    // Closed before the memory is freed.
    region: Option<Object<fid_mr>>,
    memory: NonNull<u8>,
    layout: Layout,
    bytes: usize,
    count: usize,
    free: Vec<u32>,
}

// SAFETY: only this object, and operations that use one of its buffers, access the memory.
unsafe impl Send for Buffers {}

impl Buffers {
    /// Allocate `count` buffers of at least `bytes` bytes each, for operations of `ep`.
    pub fn new(shared: &Shared, ep: *mut fid_ep, count: usize, bytes: usize) -> Result<Self> {
        let bytes = bytes.next_multiple_of(64);
        let layout = Layout::from_size_align(count * bytes, PAGE).unwrap_or(Layout::new::<u64>());
        // SAFETY: the layout is not of size 0.
        let memory = unsafe { alloc_zeroed(layout) };
        let memory = NonNull::new(memory).unwrap_or_else(|| handle_alloc_error(layout));
        let free = (0..count as u32).rev().collect();
        let mut buffers = Buffers { region: None, memory, layout, bytes, count, free };
        if shared.plan.local {
            // SAFETY: the region is closed before the memory is freed: see `drop`.
            buffers.region = Some(unsafe { regions::open(shared, ep, memory.as_ptr(), layout.size(), Use::Local) }?);
        }
        Ok(buffers)
    }

    /// Descriptor that calls take beside an address in these buffers; null if the buffers are not registered.
    #[inline]
    pub fn desc(&self) -> *mut c_void {
        // SAFETY: the region is open.
        self.region.as_ref().map_or(std::ptr::null_mut(), |region| unsafe { fi_mr_desc(region.as_ptr()) })
    }

    /// Whether more than a quarter of the buffers is free.
    #[inline]
    pub fn has_many(&self) -> bool {
        self.free.len() > self.count / 4
    }

    /// Whether all buffers are free except `kept` ones, which are never given back.
    pub fn are_free_but(&self, kept: usize) -> bool {
        self.free.len() + kept == self.count
    }

    /// Take a free buffer, if there is one.
    #[inline]
    pub fn take(&mut self) -> Option<u32> {
        self.free.pop()
    }

    /// Give a buffer back.
    #[inline]
    pub fn give(&mut self, number: u32) {
        self.free.push(number);
    }

    /// Address of a buffer.
    #[inline]
    pub fn at(&self, number: u32) -> *mut u8 {
        // SAFETY: there are more buffers than this number.
        unsafe { self.memory.as_ptr().add(number as usize * self.bytes) }
    }
}

impl Drop for Buffers {
    fn drop(&mut self) {
        self.region = None;
        // SAFETY: the memory was allocated with this layout, and is no longer registered with the provider.
        unsafe { dealloc(self.memory.as_ptr(), self.layout) }
    }
}
