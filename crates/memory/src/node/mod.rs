//! The symmetric memory of one node: a file that each of its PEs maps as a whole. Each PE maps it so that its own heap has the address that
//! the other PEs' heaps have in their processes.

pub mod handles;
mod large;
mod layout;
mod meet;
mod roster;
mod transport;

pub use roster::{HostCpus, Roster};

pub use layout::{HEAP_ALIGN, HUGE_PAGE, Layout};

use crate::heap::{
    budget::{Bytes, HEAP_ADDRESS},
    pages::{self, Offer},
    pools::{self, LargePages, Pool},
};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::{guarded_fd::GuardedFd, mutex, process::Process, signals::report_file_size_limit};
use large::Large;
use meet::{Call, Files, Meeting};
use rustix::{
    fd::{BorrowedFd, OwnedFd},
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create},
    io,
};
use std::sync::Mutex;

/// Data that a PE sends before the node's memory is laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Introduction {
    /// The largest size to which its heap may grow.
    pub ceiling: u64,
    /// Bytes of its static data; 0 if they are not symmetric.
    pub statics: u64,
    /// Identity of its executable. Static data are symmetric only among PEs of the same executable.
    pub executable: u64,
    /// True if the PE looks for mistakes of the program.
    pub checked: bool,
    /// The process of the PE.
    pub process: Process,
    /// CPUs on which the PE may run, in the kernel's list format.
    pub cpus: String,
}

impl Introduction {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let Process { namespace, number } = self.process;
        for word in [self.ceiling, self.statics, self.executable, u64::from(self.checked), namespace, number] {
            bytes.extend(word.to_le_bytes());
        }
        bytes.extend(self.cpus.as_bytes());
        bytes
    }

    fn decode(bytes: &[u8]) -> Option<Introduction> {
        let (words, cpus) = bytes.split_at_checked(48)?;
        let word = |i: usize| u64::from_le_bytes(words[8 * i..8 * i + 8].try_into().expect("eight bytes"));
        let cpus = String::from_utf8(cpus.to_vec()).ok()?;
        let process = Process { namespace: word(4), number: word(5) };
        let (ceiling, statics, executable, checked) = (word(0), word(1), word(2), word(3) != 0);
        Some(Introduction { ceiling, statics, executable, checked, process, cpus })
    }
}

/// The node's memory, mapped.
pub struct NodeMemory {
    layout: Layout,
    index: usize,
    own_heap: usize,
    base: *mut u8,
    total: usize,
    file: GuardedFd,
    /// The large parts of heaps, if the kernel has a pool for them.
    large: Option<Large>,
    /// What was asked for of the pages of the memory file.
    offer: Mutex<Offer>,
}

// SAFETY: the mapping belongs to the process and is exposed as raw pointers only.
unsafe impl Send for NodeMemory {}
// SAFETY: as above.
unsafe impl Sync for NodeMemory {}

/// Introduce this PE to the others and map the memory that it shares with the `local` PEs. The roster in that memory contains all
/// introductions. `transport` is the value of SHMEM_TRANSPORT, in the same spelling on all PEs. The `pages` that the node's first PE wishes
/// are used by all.
///
/// Collective over the job, once between two calls of [`Boot::join`].
pub fn assemble(
    boot: &dyn Boot,
    (transport, vni): (&str, Option<u16>),
    local: &[Pe],
    mine: &Introduction,
    (control, pages): (usize, LargePages),
) -> Result<NodeMemory> {
    let first = local[0];
    let index =
        local.iter().position(|&pe| pe == boot.me()).ok_or_else(|| Error::new("this PE is not on its own host"))?;
    let meeting =
        if index == 0 && local.len() > 1 { Some(Meeting::open(&boot.secret(), first, local.len() - 1)?) } else { None };
    transport::publish(boot, transport, vni)?;
    if local.len() < boot.local().len() {
        // A PE that does not share memory with all PEs of its host gets their CPUs from the launcher.
        boot.publish(CPUS, mine.cpus.as_bytes())?;
    }
    boot.exchange()?;
    // A PE that shares memory with others has now found the value that their first PE published, so the first PE's sockets are open. The
    // exchange alone does not prove this: under some launchers a PE returns from it before all PEs have arrived.
    transport::compare(boot, transport, vni)?;
    let (layout, files) = match (meeting, index) {
        (Some(meeting), _) => {
            // If losses return, a guest that dies on its way ends the wait for it.
            let is_lost = || boot.has_lost();
            let guests = meeting.hear(&is_lost)?;
            let (layout, files) = lay_out_and_create(&introductions(local, mine, &guests)?, control, pages)?;
            meeting.serve(&files, &layout.encode(), &is_lost)?;
            (layout, files)
        }
        (None, 0) => lay_out_and_create(std::slice::from_ref(mine), control, pages)?,
        (None, _) => {
            let (files, layout) = meet::attend(&boot.secret(), first, &Call { index, said: mine.encode() })?;
            (Layout::decode(&layout, local.len(), control)?, files)
        }
    };
    NodeMemory::map(layout, index, files)
}

/// Key under which PEs that share no memory publish their CPUs.
const CPUS: &str = "cpus";

/// The CPUs on which each PE of this host may run. If all PEs of the host share memory, the roster lists them.
pub fn cpus(boot: &dyn Boot, node: &NodeMemory) -> HostCpus {
    if node.layout.pes == boot.local().len() {
        return node.roster().cpus();
    }
    // A PE with another SHMEM_TRANSPORT may not have published a list. `transport::compare` on that PE ends the job with a reason that this
    // PE does not know.
    let list = |&pe| boot.lookup(pe, CPUS).ok().and_then(|list| String::from_utf8(list).ok()).unwrap_or_default();
    let lists: Vec<String> = boot.local().iter().map(list).collect();
    HostCpus::new(lists.iter().map(String::as_str))
}

/// All introductions, in the order of the PEs.
fn introductions(local: &[Pe], mine: &Introduction, guests: &[Call]) -> Result<Vec<Introduction>> {
    let mut all = vec![None; local.len()];
    all[0] = Some(mine.clone());
    for Call { index, said } in guests {
        let one = Introduction::decode(said);
        let place = all.get_mut(*index).filter(|place| place.is_none());
        let (Some(place), Some(one)) = (place, one) else {
            let len = said.len();
            return Err(Error::new(format!("the introduction of PE {index} of this host is malformed ({len} bytes)")));
        };
        *place = Some(one);
    }
    Ok(all.into_iter().flatten().collect())
}

fn lay_out_and_create(introductions: &[Introduction], control: usize, pages: LargePages) -> Result<(Layout, Files)> {
    let roster = roster::write(introductions);
    let mut layout = lay_out(introductions, roster.len(), control);
    // A heap that cannot hold a page would only be aligned to one.
    let holds = |pool: &Pool| pools::most(layout.reserve(), pool.page as usize) > pools::head(pool.page as usize);
    let large = pools::choose(pages).filter(holds).and_then(|pool| {
        let words = Layout::large_words(layout.pes);
        let with = Layout { roster: layout.roster + words, large: pool.page as usize, ..layout };
        with.total().ok()?;
        let file = large::create(&with)?;
        layout = with;
        Some(file)
    });
    let memory = create(&layout, &roster)?;
    Ok((layout, Files { memory, large }))
}

fn lay_out(introductions: &[Introduction], roster: usize, control: usize) -> Layout {
    let ceilings = introductions.iter().map(|one| one.ceiling as usize);
    let ceiling = ceilings.clone().min().unwrap_or(0);
    if ceilings.max() != Some(ceiling) {
        tracing::warn!(
            ceiling,
            "the PEs of this host have different sizes of the symmetric heap; the smallest is used"
        );
    }
    let statics = introductions.iter().map(|one| one.statics as usize).max().unwrap_or(0);
    // If one PE checks its program, all of them record their accesses.
    let checked = introductions.iter().any(|one| one.checked);
    Layout { pes: introductions.len(), roster, control, ceiling, statics, checked, large: 0 }
}

fn create(layout: &Layout, roster: &[u8]) -> Result<OwnedFd> {
    let total = layout.check_area()?.map_or(layout.total()?, |(at, size)| at + size);
    // The sizes that PEs ask for were checked against the file size limit, but the area of checks was not.
    let make = report_file_size_limit(|| {
        let file = memfd_create("ferrite", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, total as u64)?;
        let mut written = 0;
        while written < roster.len() {
            written += io::retry_on_intr(|| io::pwrite(&file, &roster[written..], written as u64))?;
        }
        // The seals prevent a process from shortening the file, which would give the other processes a SIGBUS.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(file)
    });
    make.map_err(|cause| Error::because(format!("creating the host's symmetric memory of {total} bytes"), cause))
}

/// Map the file so that this PE's heap has the address that every PE's heap has in its own process: programs send each other addresses of
/// symmetric objects, although OpenSHMEM promises equal positions in segments only. If something else is mapped there already (other PEs'
/// heaps, if PEs are threads), the file is mapped wherever there is room.
fn map(layout: &Layout, index: usize, file: &OwnedFd, total: usize) -> std::io::Result<*mut u8> {
    let equal = match HEAP_ADDRESS.checked_sub(layout.heap_at(index)) {
        Some(base) => pages::map_at(file, total, base),
        None => Err(std::io::ErrorKind::InvalidInput.into()),
    };
    equal.or_else(|why| {
        tracing::debug!(%why, "the symmetric heap is not at the address that it has on other PEs");
        pages::map_aligned(file, 0, total, layout.heap_align())
    })
}

impl NodeMemory {
    fn map(layout: Layout, index: usize, Files { memory: file, large }: Files) -> Result<NodeMemory> {
        let total = layout.total()?;
        let base = map(&layout, index, &file, total).map_err(|cause| {
            Error::because(
                format!(
                    "mapping the host's symmetric memory ({} of address space for {} PEs); a smaller \
                     SHMEM_SYMMETRIC_SIZE, or a \
                     larger limit of address space (ulimit -v), makes it fit",
                    Bytes(total as u64),
                    layout.pes
                ),
                cause,
            )
        })?;
        // Leave the mapping out of core files; memory is added again as it is allocated. If the kernel refuses, the only cost is a longer
        // core dump.
        // SAFETY: just mapped.
        let _ = unsafe { pages::in_core_files(base, total, false) };
        let file = GuardedFd::new(file).map_err(|cause| Error::because("keeping the host's memory file", cause))?;
        let large = large.map(|large| Large::new(large, &layout)).transpose();
        let large = large.map_err(|cause| Error::because("keeping the host's file of large pages", cause))?;
        let own_heap = base as usize + layout.heap_at(index);
        let memory = NodeMemory { layout, index, own_heap, base, total, file, large, offer: Mutex::new(Offer::NONE) };
        // This PE cannot touch its own heap by mistake before allocation, which would use memory that is not counted. If the kernel
        // refuses, only this protection is lost.
        let _ = memory.protect_heap(0, memory.layout.reserve(), libc::PROT_NONE);
        Ok(memory)
    }

    /// The sizes that the node's PEs agreed on.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The introductions of the node's PEs.
    pub fn roster(&self) -> Roster {
        // SAFETY: the process that created the file wrote the roster; worlds end before their memory is unmapped.
        unsafe { Roster::at(self.base, self.layout.pes) }
    }

    /// Index of this PE among the node's PEs.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Address of this PE's own heap.
    #[inline]
    pub fn own_heap(&self) -> usize {
        self.own_heap
    }

    /// The control area of one of the node's PEs.
    pub fn control(&self, index: usize) -> *mut u8 {
        self.at(self.layout.control_at(index))
    }

    /// The heap of one of the node's PEs.
    pub fn heap(&self, index: usize) -> *mut u8 {
        self.at(self.layout.heap_at(index))
    }

    /// The static data of one of the node's PEs.
    pub fn statics(&self, index: usize) -> *mut u8 {
        self.at(self.layout.statics_at(index))
    }

    /// The file, and the offset of this PE's static data in it.
    pub fn statics_file(&self) -> Option<(BorrowedFd<'_>, u64)> {
        Some((self.file.file()?, self.layout.statics_at(self.index) as u64))
    }

    /// Offset in the file of an address of this process, if it is in the part that all PEs map.
    pub fn offset_of(&self, address: usize) -> Option<usize> {
        Some(address.wrapping_sub(self.base as usize)).filter(|&offset| offset < self.total)
    }

    /// Address and size of the mapping of the part of the file that PEs use.
    pub fn mapped(&self) -> (usize, usize) {
        (self.base as usize, self.total)
    }

    /// Map the check area, which is behind that part of the file. It stays mapped until the process ends: checked threads may still be on
    /// their way out.
    pub fn map_check_area(&self) -> Result<Option<*mut u8>> {
        let (Some((at, size)), Some(file)) = (self.layout.check_area()?, self.file.file()) else { return Ok(None) };
        let mapped = pages::map_aligned(file, at as u64, size, HEAP_ALIGN);
        mapped.map(Some).map_err(|cause| {
            Error::because(
                format!(
                    "SHMEM_CHECK: mapping {} of address space for its records; a smaller SHMEM_SYMMETRIC_SIZE makes \
                     it fit",
                    Bytes(size as u64)
                ),
                cause,
            )
        })
    }

    /// Number of bytes of the node's heaps that have been touched so far.
    pub fn touched(&self) -> u64 {
        // If the program has closed the file, all bytes count as untouched, which is stricter.
        self.file.file().and_then(|file| self.touched_of(file).ok()).unwrap_or(0)
            + self.large.as_ref().map_or(0, Large::touched)
    }

    fn touched_of(&self, file: BorrowedFd<'_>) -> std::io::Result<u64> {
        let layout = &self.layout;
        let within = |from: usize, to: usize| pages::touched_within(file, from as u64..to as u64);
        let end = layout.check_area().ok().flatten().map_or(self.total, |(at, size)| at + size);
        let rest = within(0, layout.heap_at(0))? + within(layout.statics_at(0), end)?;
        Ok(pages::touched(file)?.saturating_sub(rest))
    }

    /// Request large pages for all heaps of the node; the request holds for every process that touches them first. Returns the number of
    /// bytes requested.
    pub fn ask_for_large_pages(&self, offer: Offer) -> usize {
        *mutex::lock(&self.offer) = offer;
        let len = self.layout.heap_at(self.layout.pes) - self.layout.heap_at(0);
        // SAFETY: all of it is mapped.
        unsafe { pages::ask(self.heap(0), len, offer) }.unwrap_or(0)
    }

    fn offer(&self) -> Offer {
        *mutex::lock(&self.offer)
    }

    /// Prefer one NUMA node for this PE's part of the file, as long as that node has room. The policy belongs to the file, so it holds for
    /// every process that touches the memory first.
    pub fn prefer(&self, node: u32) -> std::io::Result<()> {
        let layout = &self.layout;
        self.large.iter().for_each(|large| large.prefer(node));
        let parts = [
            (self.control(self.index), layout.control),
            (self.heap(self.index), layout.reserve()),
            (self.statics(self.index), layout.statics),
        ];
        for (base, len) in parts.into_iter().filter(|&(_, len)| len > 0) {
            // SAFETY: the three are mapped as far as the layout says.
            unsafe { pages::prefer(base, len, node) }?;
        }
        Ok(())
    }

    /// Make the first `len` bytes of this PE's heap accessible, on large pages if it has them, and include them in core dumps.
    pub fn open_heap(&self, len: usize) -> std::io::Result<()> {
        self.extend_large(len)?;
        let len = self.whole_pages(len);
        self.protect_heap(0, len, libc::PROT_READ | libc::PROT_WRITE)?;
        // If the kernel refuses, core dumps lack the heap.
        // SAFETY: the heap is mapped as far as its reserve, and `len` is within it.
        let _ = unsafe { pages::in_core_files(self.heap(self.index), len, true) };
        Ok(())
    }

    /// Set this PE's own access to a part of its heap. Peers reach the heap through mappings of their own.
    fn protect_heap(&self, from: usize, len: usize, protection: libc::c_int) -> std::io::Result<()> {
        let begin = self.heap(self.index).wrapping_add(from);
        // SAFETY: this PE's heap is mapped as far as its reserve. Used parts stay accessible, because callers only ever extend access.
        match unsafe { libc::mprotect(begin.cast(), len, protection) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    /// Return the memory of this PE's heap to the node.
    pub fn release_heap(&self, len: usize) {
        if len > 0 {
            // This goes through the mapping, because the program may have closed the file. If the file system cannot punch holes, the
            // memory is freed with the file, when the last PE ends.
            // The call is the C library's, for the reason given at `drop`.
            // SAFETY: the heap belongs to this PE; the caller has closed the world that returned addresses in it.
            let _ = unsafe { libc::madvise(self.heap(self.index).cast(), len, libc::MADV_REMOVE) };
        }
    }

    fn at(&self, offset: usize) -> *mut u8 {
        debug_assert!(offset < self.total);
        self.base.wrapping_add(offset)
    }
}

impl Drop for NodeMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping belongs to this value, and its owner has closed the world that returned addresses in it. Static data mapped
        // over the executable are a separate mapping and stay. The call is the C library's, because an MPI that caches registrations of
        // memory intercepts it.
        let _ = unsafe { libc::munmap(self.base.cast(), self.total) };
    }
}

#[cfg(test)]
mod tests;
