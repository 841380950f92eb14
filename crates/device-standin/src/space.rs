//! The address space: ranges, hidden mappings, and what an address is.

use crate::state::Outcome;
use cuda_sys::result;
use std::{
    collections::BTreeMap,
    fs::File,
    os::{
        fd::{AsRawFd, FromRawFd},
        unix::fs::FileExt,
    },
    ptr,
    sync::{Arc, Weak},
};

/// Unit of memory and addresses, as on hardware.
pub(crate) const GRANULARITY: usize = 2 << 20;
/// The file of a memory has a page more than the memory: this mark, and the physical number of the device.
const TRAILER: usize = 4096;
const MARK: u32 = 0xc0da_57a1;

/// Memory of a device: a file.
pub(crate) struct Memory {
    pub file: File,
    pub bytes: usize,
    /// The physical number of the device.
    pub device: i32,
}

/// A range of device addresses with memory.
pub(crate) struct Mapped {
    pub memory: Arc<Memory>,
    /// Number of bytes for which the program asked.
    pub bytes: usize,
    /// First address of the mapping that copies use.
    hidden: usize,
    /// The physical numbers of the devices that may use the range.
    pub access: Vec<i32>,
}

/// How the driver knows a range of host memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum HostKind {
    Allocated,
    Registered,
}

#[derive(Default)]
pub(crate) struct Space {
    /// Ranges of device addresses: base and length.
    pub reserved: BTreeMap<usize, usize>,
    pub mapped: BTreeMap<usize, Mapped>,
    pub host: BTreeMap<usize, (usize, HostKind)>,
    pub handles: BTreeMap<u64, Arc<Memory>>,
    /// Memory that this process has created, for the limit.
    created: Vec<Weak<Memory>>,
}

impl Memory {
    pub fn create(bytes: usize, device: i32) -> Outcome<Memory> {
        // SAFETY: the name ends with a zero; the result is checked.
        let number = unsafe { libc::memfd_create(c"cuda-standin".as_ptr(), libc::MFD_CLOEXEC) };
        if number < 0 {
            return Err(result::OUT_OF_MEMORY);
        }
        // SAFETY: opened just now, and owned by the file from here on.
        let file = unsafe { File::from_raw_fd(number) };
        let mut trailer = [0; 8];
        trailer[..4].copy_from_slice(&MARK.to_ne_bytes());
        trailer[4..].copy_from_slice(&device.to_ne_bytes());
        let sized = file.set_len((bytes + TRAILER) as u64).and_then(|()| file.write_all_at(&trailer, bytes as u64));
        sized.map_err(|_| result::OUT_OF_MEMORY)?;
        Ok(Memory { file, bytes, device })
    }

    /// Memory of another process, by a descriptor of its file.
    pub fn import(file: File) -> Outcome<Memory> {
        let len = file.metadata().map_err(|_| result::INVALID_VALUE)?.len() as usize;
        let bytes = len.checked_sub(TRAILER).filter(|bytes| bytes.is_multiple_of(GRANULARITY));
        let bytes = bytes.ok_or(result::INVALID_VALUE)?;
        let mut trailer = [0; 8];
        file.read_exact_at(&mut trailer, bytes as u64).map_err(|_| result::INVALID_VALUE)?;
        let [mark, device] = [0, 4].map(|at| i32::from_ne_bytes([0, 1, 2, 3].map(|i| trailer[at + i])));
        if mark as u32 != MARK {
            return Err(result::INVALID_VALUE);
        }
        Ok(Memory { file, bytes, device })
    }
}

/// Map memory. `at` is the exact address, 0 for any.
fn map(at: usize, bytes: usize, protection: i32, file: Option<&File>) -> Outcome<usize> {
    let flags = match file {
        Some(_) => libc::MAP_SHARED,
        None => libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
    };
    let fixed = if at == 0 { 0 } else { libc::MAP_FIXED };
    let number = file.map_or(-1, AsRawFd::as_raw_fd);
    // SAFETY: with an address, the range is one that `reserve` has mapped, so nothing else is there.
    let address = unsafe { libc::mmap(ptr::without_provenance_mut(at), bytes, protection, flags | fixed, number, 0) };
    if address == libc::MAP_FAILED { Err(result::OUT_OF_MEMORY) } else { Ok(address.expose_provenance()) }
}

fn unmap(at: usize, bytes: usize) {
    // SAFETY: the range was mapped by this file, and its owner has given it up.
    unsafe { libc::munmap(ptr::without_provenance_mut(at), bytes) };
}

pub(crate) fn round_up(bytes: usize) -> usize {
    bytes.div_ceil(GRANULARITY) * GRANULARITY
}

impl Space {
    /// Number of bytes that this process has created on a device.
    pub fn used(&mut self, device: i32) -> usize {
        self.created.retain(|memory| memory.strong_count() > 0);
        self.created.iter().filter_map(Weak::upgrade).filter(|m| m.device == device).map(|m| m.bytes).sum()
    }

    /// Create memory, within the limit.
    pub fn create(&mut self, bytes: usize, device: i32, limit: usize) -> Outcome<Arc<Memory>> {
        if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
            return Err(result::INVALID_VALUE);
        }
        if self.used(device) + bytes > limit {
            return Err(result::OUT_OF_MEMORY);
        }
        let memory = Arc::new(Memory::create(bytes, device)?);
        self.created.push(Arc::downgrade(&memory));
        Ok(memory)
    }

    /// Reserve addresses without access.
    pub fn reserve(&mut self, bytes: usize) -> Outcome<usize> {
        if bytes == 0 || !bytes.is_multiple_of(GRANULARITY) {
            return Err(result::INVALID_VALUE);
        }
        let base = reserve(bytes)?;
        self.reserved.insert(base, bytes);
        Ok(base)
    }

    pub fn unreserve(&mut self, base: usize, bytes: usize) -> Outcome {
        let is_used = self.mapped.range(base..base.saturating_add(bytes)).next().is_some();
        if self.reserved.get(&base) != Some(&bytes) || is_used {
            return Err(result::INVALID_VALUE);
        }
        self.reserved.remove(&base);
        unmap(base, bytes);
        Ok(())
    }

    /// Map memory at a reserved range, without access for the CPU. `is_allocation`: the range was reserved for this by `cuMemAlloc`, so
    /// `bytes` may be any number.
    pub fn map(&mut self, base: usize, bytes: usize, memory: Arc<Memory>, is_allocation: bool) -> Outcome {
        let end = base.checked_add(bytes).ok_or(result::INVALID_VALUE)?;
        let is_reserved = self.reserved.range(..=base).next_back().is_some_and(|(at, len)| end <= at + len);
        let whole = if is_allocation { round_up(bytes) } else { bytes };
        if !is_reserved || memory.bytes != whole || self.overlaps(base, whole) {
            return Err(result::INVALID_VALUE);
        }
        let hidden = map(0, whole, libc::PROT_READ | libc::PROT_WRITE, Some(&memory.file))?;
        map(base, whole, libc::PROT_NONE, Some(&memory.file)).inspect_err(|_| unmap(hidden, whole))?;
        self.mapped.insert(base, Mapped { memory, bytes, hidden, access: Vec::new() });
        Ok(())
    }

    pub fn unmap(&mut self, base: usize, bytes: usize) -> Outcome {
        if self.mapped.get(&base).is_none_or(|mapped| mapped.bytes != bytes) {
            return Err(result::INVALID_VALUE);
        }
        if let Some(old) = self.mapped.remove(&base) {
            unmap(old.hidden, old.memory.bytes);
            // The addresses stay reserved.
            map(base, old.memory.bytes, libc::PROT_NONE, None)?;
        }
        Ok(())
    }

    fn overlaps(&self, base: usize, bytes: usize) -> bool {
        let before = self.mapped.range(..base + bytes).next_back();
        before.is_some_and(|(at, mapped)| at + mapped.memory.bytes > base)
    }

    /// The mapping that contains an address.
    pub fn mapping_of(&self, address: usize) -> Option<(usize, &Mapped)> {
        let (base, mapped) = self.mapped.range(..=address).next_back()?;
        (address < base + mapped.bytes).then_some((*base, mapped))
    }

    /// The range of host memory that contains an address, if the driver knows it.
    pub fn host_range_of(&self, address: usize) -> Option<(usize, usize)> {
        let (base, (bytes, _)) = self.host.range(..=address).next_back()?;
        (address < base + bytes).then_some((*base, *bytes))
    }

    /// The hidden address of device memory, which `device` uses.
    pub fn resolve(&self, address: usize, bytes: usize, device: i32) -> Outcome<usize> {
        let (base, mapped) = self.mapping_of(address).ok_or(result::INVALID_VALUE)?;
        let offset = address - base;
        if bytes > mapped.bytes - offset {
            return Err(result::INVALID_VALUE);
        }
        if !mapped.access.contains(&device) {
            return Err(result::ILLEGAL_ADDRESS);
        }
        Ok(mapped.hidden + offset)
    }

    /// Check that a range is not device memory, on which the CPU would fault.
    pub fn check_host(&self, address: usize, bytes: usize) -> Outcome {
        let end = address.checked_add(bytes).ok_or(result::INVALID_VALUE)?;
        let last = self.reserved.range(..end).next_back();
        let is_device = last.is_some_and(|(base, len)| base + len > address);
        if address == 0 || is_device { Err(result::INVALID_VALUE) } else { Ok(()) }
    }

    /// Page-locked or managed memory of the driver's own.
    pub fn allocate_host(&mut self, bytes: usize, kind: HostKind) -> Outcome<usize> {
        if bytes == 0 {
            return Err(result::INVALID_VALUE);
        }
        let base = map(0, bytes, libc::PROT_READ | libc::PROT_WRITE, None)?;
        self.host.insert(base, (bytes, kind));
        Ok(base)
    }

    pub fn free_host(&mut self, base: usize, kind: HostKind) -> Outcome {
        match self.host.get(&base) {
            Some((bytes, found)) if *found == kind => {
                unmap(base, *bytes);
                self.host.remove(&base);
                Ok(())
            }
            _ => Err(result::INVALID_VALUE),
        }
    }
}

/// Reserve addresses at a multiple of the unit.
fn reserve(bytes: usize) -> Outcome<usize> {
    let room = bytes.checked_add(GRANULARITY).ok_or(result::OUT_OF_MEMORY)?;
    let start = map(0, room, libc::PROT_NONE, None)?;
    let base = start.next_multiple_of(GRANULARITY);
    if base > start {
        unmap(start, base - start);
    }
    if start + room > base + bytes {
        unmap(base + bytes, start + room - base - bytes);
    }
    Ok(base)
}
