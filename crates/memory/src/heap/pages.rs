//! Where the heaps are mapped, on how large pages, and which part of them belongs into a core file.
//!
//! Huge pages for shared memory are the administrator's decision (`shmem_enabled`). The library requests them with MADV_HUGEPAGE wherever
//! that can help, and reads from smaps how many it got. A first touch costs one fault per page, so 512 times fewer pages make a large heap
//! quick to fill.

use std::ffi::{c_int, c_void};
use std::ops::Range;
use std::os::fd::AsFd;
use std::{fs, io, ptr};

use ferrite_os::maps;
use rustix::fs::SeekFrom;
use rustix::io::Errno;
use rustix::mm::{Advice, MapFlags, MprotectFlags, ProtFlags};

use super::cgroup::Reader;

/// The kernel's policy for large pages in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Large pages without a request.
    Always,
    /// Large pages where they lie within the file's size; a request helps elsewhere.
    WithinSize,
    /// Large pages on request.
    Advise,
    /// No large pages.
    Never,
    /// No large pages, not even where they were granted before.
    Deny,
    /// Always; for testing kernels.
    Force,
    /// The kernel has no such setting.
    Absent,
}

impl Policy {
    /// Parse the word in brackets of `always [advise] never`. `inherit` refers to the common setting.
    fn parse(text: &str) -> Option<Result<Policy, Inherit>> {
        let (_, rest) = text.split_once('[')?;
        Some(match rest.split_once(']')?.0 {
            "always" => Ok(Policy::Always),
            "within_size" => Ok(Policy::WithinSize),
            "advise" => Ok(Policy::Advise),
            "never" => Ok(Policy::Never),
            "deny" => Ok(Policy::Deny),
            "force" => Ok(Policy::Force),
            "inherit" => Err(Inherit),
            _ => return None,
        })
    }

    /// Whether memory under this policy may get large pages after MADV_HUGEPAGE.
    pub fn grants(self) -> bool {
        matches!(self, Policy::Always | Policy::WithinSize | Policy::Advise | Policy::Force)
    }

    /// The kernel's word for this policy.
    pub fn name(self) -> &'static str {
        match self {
            Policy::Always => "always",
            Policy::WithinSize => "within_size",
            Policy::Advise => "advise",
            Policy::Never => "never",
            Policy::Deny => "deny",
            Policy::Force => "force",
            Policy::Absent => "absent",
        }
    }
}

/// The setting of one page size refers to the common setting.
struct Inherit;

/// Offer of the node: the largest page that shared memory may get, and the setting that permits it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// Size of that page in bytes; zero if there is none.
    pub page: u64,
    /// The setting that applies to it.
    pub policy: Policy,
}

impl Offer {
    /// No large pages.
    pub const NONE: Offer = Offer { page: 0, policy: Policy::Absent };
}

const THP: &str = "/sys/kernel/mm/transparent_hugepage";

/// Read the offer of this node.
pub fn offer() -> Offer {
    offer_from(&|path| fs::read_to_string(path).ok())
}

/// [`offer`] over any files.
///
/// Newer kernels have a setting per page size besides the common one, to which `inherit` refers. Older kernels have only the common one,
/// for huge pages of `hpage_pmd_size`.
pub fn offer_from(read: Reader<'_>) -> Offer {
    let common =
        read(&format!("{THP}/shmem_enabled")).and_then(|text| Policy::parse(&text)?.ok()).unwrap_or(Policy::Absent);
    let huge = read(&format!("{THP}/hpage_pmd_size")).and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0);
    let mut page = huge;
    // From the huge page down to twice a base page; sizes that do not exist have no file.
    while page >= 8192 {
        let own = read(&format!("{THP}/hugepages-{}kB/shmem_enabled", page / 1024));
        let policy = match own.as_deref().and_then(Policy::parse) {
            Some(Ok(policy)) => policy,
            Some(Err(Inherit)) => common,
            None if page == huge => common,
            None => Policy::Absent,
        };
        if policy.grants() {
            return Offer { page, policy };
        }
        page /= 2;
    }
    Offer { page: 0, policy: common }
}

/// Ask the kernel to take the memory of `[base, base + len)` from one NUMA node while that node has some. This is a preference, not a
/// binding: a full node is no reason to kill the job.
///
/// # Safety
/// The range is mapped.
pub unsafe fn prefer(base: *mut u8, len: usize, node: u32) -> io::Result<()> {
    let (mask, bits) = mask(node);
    // SAFETY: the mask lives across the call and has `bits` bits; a policy changes no byte of the range.
    let status = unsafe { libc::syscall(libc::SYS_mbind, base, len, libc::MPOL_PREFERRED, mask.as_ptr(), bits, 0) };
    if status == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// A thread's memory policy, to be restored.
pub struct ThreadPolicy {
    mode: c_int,
    mask: [u64; POLICY_WORDS],
}

/// Words for a set of NUMA nodes that is as large as any kernel's.
const POLICY_WORDS: usize = 64;

/// Have the calling thread take memory from one NUMA node while that node has some. Returns the policy that it had.
pub fn prefer_in_thread(node: u32) -> io::Result<ThreadPolicy> {
    let mut old = ThreadPolicy { mode: 0, mask: [0; POLICY_WORDS] };
    let bits = POLICY_WORDS * u64::BITS as usize;
    // SAFETY: the call fills a mask of this number of bits.
    let got = unsafe {
        libc::syscall(libc::SYS_get_mempolicy, &raw mut old.mode, old.mask.as_mut_ptr(), bits, ptr::null::<c_void>(), 0)
    };
    let (mask, bits) = mask(node);
    // SAFETY: the mask lives across the call and has `bits` bits; the policy concerns this thread alone.
    if got != 0 || unsafe { libc::syscall(libc::SYS_set_mempolicy, libc::MPOL_PREFERRED, mask.as_ptr(), bits) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(old)
}

impl ThreadPolicy {
    /// Give the calling thread this policy, which it had before.
    pub fn restore(self) {
        // The default has no set of nodes.
        let bits = if self.mode == libc::MPOL_DEFAULT { 0 } else { POLICY_WORDS * u64::BITS as usize };
        // SAFETY: as above.
        unsafe { libc::syscall(libc::SYS_set_mempolicy, self.mode, self.mask.as_ptr(), bits) };
    }
}

/// The set of one node in mbind's format, and its length for mbind: the number of bits plus one.
fn mask(node: u32) -> (Vec<u64>, usize) {
    const WORD: usize = u64::BITS as usize;
    let mut mask = vec![0_u64; node as usize / WORD + 1];
    mask[node as usize / WORD] = 1 << (node as usize % WORD);
    let bits = mask.len() * WORD + 1;
    (mask, bits)
}

/// Request large pages over `[base, base + len)`, if the node offers any. Returns the number of bytes requested.
///
/// # Safety
/// The range is mapped.
pub unsafe fn ask(base: *mut u8, len: usize, offer: Offer) -> io::Result<usize> {
    if offer.page == 0 || len == 0 {
        return Ok(0);
    }
    // SAFETY: the caller vouches for the range; the advice changes no contents.
    unsafe { rustix::mm::madvise(base.cast(), len, Advice::LinuxHugepage)? };
    Ok(len)
}

/// Number of bytes of `[base, base + len)` that are mapped by huge pages now. A mapping that reaches beyond the range counts as a whole, so
/// pass whole mappings.
pub fn got(base: usize, len: usize) -> u64 {
    fs::read_to_string("/proc/self/smaps").map_or(0, |smaps| got_from(&smaps, base, len))
}

/// [`got`] over the text of an smaps file.
pub fn got_from(smaps: &str, base: usize, len: usize) -> u64 {
    let mut inside = false;
    let mut sum_kb = 0;
    for line in smaps.lines() {
        if let Some(Range { start, end }) = maps::range(line) {
            inside = start < base.saturating_add(len) && base < end;
        } else if inside && let Some(rest) = line.strip_prefix("ShmemPmdMapped:") {
            sum_kb += rest.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or(0);
        }
    }
    sum_kb * 1024
}

/// Size of a base page.
///
/// This calls the C library, not rustix: rustix gets the auxiliary vector from the kernel behind valgrind's back, and follows an address in
/// it that is not mapped there.
pub fn page_size() -> usize {
    // SAFETY: a query without arguments.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).unwrap_or(4096)
}

/// Map `len` bytes of `file` from `offset`, shared and writable, at a multiple of `align` (a power of two, at least a page).
///
/// A huge page needs an address and a file offset that are equal modulo its size, and `shmem_align` promises addresses, not offsets. The
/// kernel's own choice of address is aligned to a page only.
pub fn map_aligned(file: impl AsFd, offset: u64, len: usize, align: usize) -> io::Result<*mut u8> {
    let wide = len.checked_add(align).ok_or(io::ErrorKind::OutOfMemory)?;
    // SAFETY: a fresh mapping at an address of the kernel's choice.
    let room = unsafe {
        rustix::mm::mmap_anonymous(ptr::null_mut(), wide, ProtFlags::empty(), MapFlags::PRIVATE | MapFlags::NORESERVE)?
    };
    let base = room.cast::<u8>().wrapping_add(room.addr().wrapping_neg() & (align - 1));
    // SAFETY: `[base, base + len)` lies within the fresh mapping, which no other code knows.
    let mapped = unsafe { map_file(file, offset, base, len, MapFlags::FIXED) };
    let before = base.addr() - room.addr();
    // SAFETY: only the fresh mapping is unmapped, without the part that the file has replaced, if it has.
    unsafe {
        match &mapped {
            Ok(_) => {
                unmap(room.cast(), before)?;
                unmap(base.wrapping_add(len), wide - before - len)?;
            }
            Err(_) => unmap(room.cast(), wide)?,
        }
    }
    Ok(mapped?.cast())
}

/// Map `len` bytes of `file` from its beginning, shared and writable, at `base`. Fails if something is mapped there already.
pub fn map_at(file: impl AsFd, len: usize, base: usize) -> io::Result<*mut u8> {
    // SAFETY: the flag prevents the replacement of an existing mapping.
    let mapped = unsafe { map_file(file, 0, ptr::without_provenance_mut(base), len, MapFlags::FIXED_NOREPLACE)? };
    // Linux before 4.17 does not know the flag and treats the address as a hint.
    if mapped.addr() != base {
        // SAFETY: a fresh mapping, which no other code knows.
        unsafe { rustix::mm::munmap(mapped, len)? };
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    Ok(mapped.cast())
}

/// Map `len` bytes of `file` from `offset`, shared and writable, in place of what is mapped at `base`.
///
/// # Safety
/// The range belongs to the caller, which no longer needs its contents.
pub unsafe fn map_over(file: impl AsFd, offset: u64, base: *mut u8, len: usize) -> io::Result<()> {
    // SAFETY: the caller's contract.
    unsafe { map_file(file, offset, base, len, MapFlags::FIXED)? };
    Ok(())
}

/// Map part of a file, shared and writable.
///
/// # Safety
/// With `MapFlags::FIXED` the range belongs to the caller.
unsafe fn map_file(
    file: impl AsFd,
    offset: u64,
    base: *mut u8,
    len: usize,
    how: MapFlags,
) -> rustix::io::Result<*mut c_void> {
    let flags = MapFlags::SHARED | MapFlags::NORESERVE | how;
    // After `mlockall(MCL_FUTURE)` the kernel populates every mapping at once, and this one is the memory of the whole node. It does not
    // populate a mapping without access, nor one that becomes accessible after it was unlocked.
    // SAFETY: the caller's contract; the later calls concern only the range that the first one has mapped.
    unsafe {
        let mapped = rustix::mm::mmap(base.cast(), len, ProtFlags::empty(), flags, file, offset)?;
        let _ = rustix::mm::munlock(mapped, len);
        if let Err(error) = rustix::mm::mprotect(mapped, len, MprotectFlags::READ | MprotectFlags::WRITE) {
            let _ = rustix::mm::munmap(mapped, len);
            return Err(error);
        }
        Ok(mapped)
    }
}

/// # Safety
/// The range belongs to the caller.
unsafe fn unmap(start: *mut u8, len: usize) -> io::Result<()> {
    let page = page_size();
    // Unmap whole pages only: a mapping extends to the end of its last page.
    let skip = start.addr().wrapping_neg() & (page - 1);
    if len <= skip {
        return Ok(());
    }
    // SAFETY: the caller's contract.
    unsafe { rustix::mm::munmap(start.wrapping_add(skip).cast(), len - skip)? };
    Ok(())
}

/// Whether this process could map `len` more bytes. Under valgrind, under sanitizers and on small machines, there is less address space
/// than the processor offers.
pub fn address_space_holds(len: u64) -> bool {
    let Ok(len) = usize::try_from(len) else { return false };
    if len == 0 {
        return true;
    }
    let flags = MapFlags::PRIVATE | MapFlags::NORESERVE;
    // SAFETY: a fresh mapping at an address of the kernel's choice, unmapped at once.
    unsafe {
        match rustix::mm::mmap_anonymous(ptr::null_mut(), len, ProtFlags::empty(), flags) {
            Ok(room) => rustix::mm::munmap(room, len).is_ok(),
            Err(_) => false,
        }
    }
}

/// Populate `[base, base + len)` with zero pages now, which costs a third of the time of the first touches. If the kernel cannot (Linux
/// before 5.14), the first touches do.
///
/// # Safety
/// The range is mapped.
pub unsafe fn populate(base: *mut u8, len: usize) {
    let page = page_size();
    let end = (base as usize + len).next_multiple_of(page);
    let start = base as usize / page * page;
    // SAFETY: the caller vouches for the range, and its pages are whole; the advice changes no contents.
    let _ = unsafe { rustix::mm::madvise(start as *mut c_void, end - start, Advice::LinuxPopulateWrite) };
}

/// Include `[base, base + len)` in core files or exclude it.
///
/// The kernel treats a memfd like anonymous shared memory and dumps it, including peers' heaps and holes: writing one core would touch
/// every page of a sparse reservation of terabytes. So the whole mapping is excluded, and the used part of the PE's own heap is included
/// again.
///
/// # Safety
/// The range is mapped.
pub unsafe fn in_core_files(base: *mut u8, len: usize, wanted: bool) -> io::Result<()> {
    if len == 0 {
        return Ok(());
    }
    let advice = if wanted { Advice::LinuxDoDump } else { Advice::LinuxDontDump };
    // SAFETY: the caller vouches for the range; the advice changes no contents.
    unsafe { rustix::mm::madvise(base.cast(), len, advice)? };
    Ok(())
}

/// The bytes of `file` that have pages: the part of the promised memory that is used already.
pub fn touched(file: impl AsFd) -> io::Result<u64> {
    let blocks = rustix::fs::fstat(file)?.st_blocks;
    Ok(u64::try_from(blocks).unwrap_or(0) * 512)
}

/// The bytes of `part` of `file` that have pages.
pub fn touched_within(file: impl AsFd, part: Range<u64>) -> io::Result<u64> {
    runs(file, part).map(|run| run.map(|run| run.end - run.start)).sum()
}

/// The runs of pages of `file` within `part`. It allocates nothing, because it is called while a process forks and while its static data
/// move.
pub fn runs(file: impl AsFd, part: Range<u64>) -> impl Iterator<Item = io::Result<Range<u64>>> {
    let mut from = part.start;
    std::iter::from_fn(move || {
        let run = run_from(&file, from..part.end).transpose()?;
        // The iteration ends after an error.
        from = run.as_ref().map_or(part.end, |run| run.end);
        Some(run)
    })
}

fn run_from(file: impl AsFd, part: Range<u64>) -> io::Result<Option<Range<u64>>> {
    if part.is_empty() {
        return Ok(None);
    }
    // The file position that these seeks set is shared with other processes. No process uses it.
    match rustix::fs::seek(&file, SeekFrom::Data(part.start)) {
        Ok(data) if data < part.end => {
            let hole = rustix::fs::seek(&file, SeekFrom::Hole(data))?;
            Ok(Some(data..hole.min(part.end)))
        }
        Ok(_) | Err(Errno::NXIO) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

/// Notify libraries that cache registrations of memory (an MPI, UCX) that the pages of this range are replaced. They intercept the C
/// library's calls, so this makes such a call, one that changes nothing.
///
/// # Safety
/// The range is a shared mapping of a file, whose contents stay where they are when a process forgets its pages.
pub unsafe fn tell_registrars(base: *mut u8, len: usize) {
    // SAFETY: the caller's contract.
    let _ = unsafe { libc::madvise(base.cast(), len, libc::MADV_DONTNEED) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_node_is_one_bit_of_the_kernels_mask() {
        for (node, words) in
            [(0, &[1_u64][..]), (5, &[32]), (63, &[1 << 63]), (64, &[0, 1]), (255, &[0, 0, 0, 1 << 63])]
        {
            assert_eq!(mask(node), (words.to_vec(), words.len() * 64 + 1), "node {node}");
        }
    }
}
