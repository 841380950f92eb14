//! Device memory, addresses, page-locked host memory.

use crate::{
    space::{GRANULARITY, HostKind, Memory, round_up},
    state::{Outcome, State, export, give},
};
use cuda_sys::*;
use std::{
    ffi::{c_int, c_uint, c_void},
    fs::File,
    os::fd::{BorrowedFd, IntoRawFd},
    sync::Arc,
};

impl State {
    fn memory(&self, handle: CUmemGenericAllocationHandle) -> Outcome<Arc<Memory>> {
        self.space.handles.get(&handle).cloned().ok_or(result::INVALID_VALUE)
    }

    fn add_handle(&mut self, memory: Arc<Memory>) -> CUmemGenericAllocationHandle {
        let handle = self.new_handle() as u64;
        self.space.handles.insert(handle, memory);
        handle
    }

    /// The number of a device here, from its physical number; -1 if it is not visible.
    fn ordinal(&self, physical: i32) -> i32 {
        self.wishes.visible.iter().position(|device| *device == physical).map_or(-1, |index| index as i32)
    }
}

/// A second descriptor of a file, as the driver would give it: not closed on exec.
fn duplicate(file: &File) -> Outcome<c_int> {
    let copy = file.try_clone().map_err(|_| result::OUT_OF_MEMORY)?.into_raw_fd();
    // SAFETY: the descriptor was opened just now.
    unsafe { libc::fcntl(copy, libc::F_SETFD, 0) };
    Ok(copy)
}

/// Check the properties of memory to be created.
///
/// # Safety
///
/// The pointer is null or refers to properties.
unsafe fn properties(state: &State, properties: *const CUmemAllocationProp) -> Outcome<i32> {
    // SAFETY: the caller's promise.
    let properties = unsafe { properties.as_ref() }.ok_or(result::INVALID_VALUE)?;
    let is_known = properties.kind == CU_MEM_ALLOCATION_TYPE_PINNED
        && properties.requested_handle_types == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
        && properties.location.kind == CU_MEM_LOCATION_TYPE_DEVICE
        && properties.win32_handle_metadata.is_null()
        && properties.reserved == [0; 4];
    if is_known { state.physical(properties.location.id) } else { Err(result::INVALID_VALUE) }
}

export! {
    /// The unit of memory.
    fn cuMemGetAllocationGranularity(to: *mut usize, wanted: *const CUmemAllocationProp, _which: c_int) needs Init |state| {
        // SAFETY: the caller's promise.
        unsafe {
            properties(state, wanted)?;
            give(to, GRANULARITY)
        }
    }

    /// Create memory that can be mapped and exported.
    fn cuMemCreate(to: *mut CUmemGenericAllocationHandle, bytes: usize, wanted: *const CUmemAllocationProp, _flags: u64)
    needs Context |state| {
        // SAFETY: the caller's promise.
        let device = unsafe { properties(state, wanted) }?;
        let memory = state.space.create(bytes, device, state.wishes.memory_bytes)?;
        let handle = state.add_handle(memory);
        // SAFETY: the caller's promise.
        unsafe { give(to, handle) }
    }

    /// Release a handle to memory.
    fn cuMemRelease(handle: CUmemGenericAllocationHandle) needs Context |state| {
        state.space.handles.remove(&handle).map(|_| ()).ok_or(result::INVALID_VALUE)
    }

    /// A descriptor for memory.
    fn cuMemExportToShareableHandle(to: *mut c_void, handle: CUmemGenericAllocationHandle, kind: c_int, _flags: u64)
    needs Context |state| {
        if kind != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
            return Err(result::NOT_SUPPORTED);
        }
        let file = duplicate(&state.memory(handle)?.file)?;
        // SAFETY: for this kind, the caller wants a `c_int`.
        unsafe { give(to.cast::<c_int>(), file) }
    }

    /// The memory of a descriptor.
    fn cuMemImportFromShareableHandle(to: *mut CUmemGenericAllocationHandle, file: *mut c_void, kind: c_int)
    needs Context |state| {
        if kind != CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR {
            return Err(result::NOT_SUPPORTED);
        }
        // SAFETY: the number is one that the caller has opened; if not, the copy fails.
        let file = unsafe { BorrowedFd::borrow_raw(file.addr() as c_int) };
        let file = file.try_clone_to_owned().map_err(|_| result::INVALID_VALUE)?;
        let memory = Memory::import(File::from(file))?;
        let handle = state.add_handle(Arc::new(memory));
        // SAFETY: the caller's promise.
        unsafe { give(to, handle) }
    }

    /// A dmabuf for a range: here, a descriptor of the file.
    fn cuMemGetHandleForAddressRange(to: *mut c_void, base: CUdeviceptr, bytes: usize, kind: c_int, _flags: u64)
    needs Context |state| {
        if !state.wishes.has_dmabuf || kind != CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD {
            return Err(result::NOT_SUPPORTED);
        }
        let (start, mapped) = state.space.mapping_of(base as usize).ok_or(result::INVALID_VALUE)?;
        if bytes == 0 || base as usize + bytes > start + mapped.bytes {
            return Err(result::INVALID_VALUE);
        }
        let file = duplicate(&mapped.memory.file)?;
        // SAFETY: for this kind, the caller wants a `c_int`.
        unsafe { give(to.cast::<c_int>(), file) }
    }

    /// Make writes of NICs visible: nothing to do in memory of the host.
    fn cuFlushGPUDirectRDMAWrites(target: c_int, _scope: c_int) needs Context |_state| {
        if target == CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX { Ok(()) } else { Err(result::INVALID_VALUE) }
    }

    /// Reserve a range of addresses for mappings.
    fn cuMemAddressReserve(to: *mut CUdeviceptr, bytes: usize, alignment: usize, wish: CUdeviceptr, flags: u64)
    needs Context |state| {
        // The library leaves alignment and address to the driver.
        if (alignment, wish, flags) != (0, 0, 0) {
            return Err(result::INVALID_VALUE);
        }
        let base = state.space.reserve(bytes)?;
        // SAFETY: the caller's promise.
        unsafe { give(to, base as CUdeviceptr) }
    }

    /// Give reserved addresses back.
    fn cuMemAddressFree(base: CUdeviceptr, bytes: usize) needs Context |state| {
        state.space.unreserve(base as usize, bytes)
    }

    /// Map memory at reserved addresses.
    fn cuMemMap(base: CUdeviceptr, bytes: usize, offset: usize, handle: CUmemGenericAllocationHandle, flags: u64)
    needs Context |state| {
        if offset != 0 || flags != 0 {
            return Err(result::INVALID_VALUE);
        }
        let memory = state.memory(handle)?;
        state.space.map(base as usize, bytes, memory, false)
    }

    /// Unmap the memory of a range, which stays reserved.
    fn cuMemUnmap(base: CUdeviceptr, bytes: usize) needs Context |state| {
        state.space.unmap(base as usize, bytes)
    }

    /// Let a device use mapped memory.
    fn cuMemSetAccess(base: CUdeviceptr, bytes: usize, access: *const CUmemAccessDesc, count: usize) needs Context |state| {
        // SAFETY: the caller's promise.
        let access = unsafe { access.as_ref() }.ok_or(result::INVALID_VALUE)?;
        if count != 1 || access.flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE {
            return Err(result::INVALID_VALUE);
        }
        let device = state.physical(access.location.id)?;
        let has_peers = state.wishes.has_peers;
        let mapped = state.space.mapped.get_mut(&(base as usize)).filter(|m| m.bytes == bytes);
        let mapped = mapped.ok_or(result::INVALID_VALUE)?;
        if mapped.memory.device != device && !has_peers {
            return Err(result::INVALID_DEVICE);
        }
        mapped.access.push(device);
        Ok(())
    }

    /// Attributes of an address.
    fn cuPointerGetAttributes(count: c_uint, attributes: *mut c_int, values: *mut *mut c_void, address: CUdeviceptr)
    needs Init |state| {
        let address = address as usize;
        let device = state.space.mapping_of(address);
        let host = state.space.host_range_of(address);
        let (kind, ordinal, base, bytes) = match (device, host) {
            (Some((base, mapped)), _) => (memory_type::DEVICE, state.ordinal(mapped.memory.device), base, mapped.bytes),
            (None, Some((base, bytes))) => (memory_type::HOST, 0, base, bytes),
            (None, None) => (0, -2, 0, 0),
        };
        for index in 0..count as usize {
            // SAFETY: the caller passes `count` attributes, and as many values of the attributes' types.
            unsafe {
                let value = values.add(index).read();
                match attributes.add(index).read() {
                    pointer_attribute::MEMORY_TYPE => give(value.cast::<c_uint>(), kind)?,
                    pointer_attribute::IS_MANAGED => give(value.cast::<c_int>(), 0)?,
                    pointer_attribute::DEVICE_ORDINAL => give(value.cast::<c_int>(), ordinal)?,
                    pointer_attribute::RANGE_START_ADDR => give(value.cast::<CUdeviceptr>(), base as CUdeviceptr)?,
                    pointer_attribute::RANGE_SIZE => give(value.cast::<usize>(), bytes)?,
                    _ => return Err(result::INVALID_VALUE),
                }
            }
        }
        Ok(())
    }

    /// Device memory of the program's own.
    fn cuMemAlloc_v2(to: *mut CUdeviceptr, bytes: usize) needs Context |state| {
        let (_, device) = state.current_context()?;
        let device = state.physical(device)?;
        let memory = state.space.create(round_up(bytes), device, state.wishes.memory_bytes)?;
        let base = state.space.reserve(round_up(bytes))?;
        state.space.map(base, bytes, memory, true)?;
        if let Some(mapped) = state.space.mapped.get_mut(&base) {
            mapped.access.push(device);
        }
        // SAFETY: the caller's promise.
        unsafe { give(to, base as CUdeviceptr) }
    }

    /// Page-locked host memory.
    fn cuMemHostAlloc(to: *mut *mut c_void, bytes: usize, _flags: c_uint) needs Context |state| {
        let base = state.space.allocate_host(bytes, HostKind::Allocated)?;
        // SAFETY: the caller's promise.
        unsafe { give(to, std::ptr::with_exposed_provenance_mut(base)) }
    }

    /// Free memory of `cuMemHostAlloc`.
    fn cuMemFreeHost(base: *mut c_void) needs Context |state| {
        state.space.free_host(base.addr(), HostKind::Allocated)
    }

    /// Page-lock memory of the program.
    fn cuMemHostRegister_v2(base: *mut c_void, bytes: usize, _flags: c_uint) needs Context |state| {
        let base = base.addr();
        state.space.check_host(base, bytes)?;
        let is_known = state.space.host.range(..base + bytes).next_back().is_some_and(|(at, (len, _))| at + len > base);
        if bytes == 0 || is_known {
            return Err(if is_known { result::HOST_MEMORY_ALREADY_REGISTERED } else { result::INVALID_VALUE });
        }
        state.space.host.insert(base, (bytes, HostKind::Registered));
        Ok(())
    }

    /// Undo a `cuMemHostRegister`.
    fn cuMemHostUnregister(base: *mut c_void) needs Context |state| {
        let found = state.space.host.get(&base.addr()).is_some_and(|(_, kind)| *kind == HostKind::Registered);
        if !found {
            return Err(result::HOST_MEMORY_NOT_REGISTERED);
        }
        state.space.host.remove(&base.addr());
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_device_memory_is_not_imported() {
        let own = Memory::create(GRANULARITY, 3).unwrap();
        let copy = Memory::import(own.file.try_clone().unwrap()).unwrap();
        assert_eq!((copy.bytes, copy.device), (GRANULARITY, 3));
        let other = File::open("/proc/self/exe").unwrap();
        assert_eq!(Memory::import(other).err(), Some(result::INVALID_VALUE));
    }
}
