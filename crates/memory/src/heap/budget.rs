//! How much memory may still be promised on this node, how far a heap may reach, and what bounds either.
//!
//! Every number here comes with the name of the limit that set it, so that an out-of-memory message can say which limit to change. The
//! rules are functions of file contents and limits; [`headroom`], [`memory`] and [`Limits::of_process`] are the thin readers that feed
//! them.

use std::{fmt, fs};

use rustix::process::{Resource, getrlimit};

use super::cgroup::{self, Reader};
use super::pages::page_size;
use super::size::Size;

/// Granularity of heap growth: the huge page of x86-64, and of aarch64 with 4 KiB pages.
pub const CHUNK: u64 = 2 << 20;

/// Heaps begin at multiples of this, in the node's file and in memory, and so do heaps of devices. It is the widest alignment that
/// `shmem_align` and `shmemg_align` support.
pub const ALIGN: u64 = 64 << 20;

/// Maximum address space that the heaps of a node may reserve together: half of the 47-bit address space of a process.
pub const RESERVATION_MAX: u64 = 64 << 40;

/// Maximum that the heaps reserve by default. With this much space on either side, `HEAP_ADDRESS` is far from programs and libraries.
pub const DEFAULT_RESERVATION_MAX: u64 = 32 << 40;

/// Address of each PE's own heap, if nothing else is mapped there: from here on, as far as 47 bits reach, systems put neither programs nor
/// libraries, nor do sanitizers but for what they map before. The address is the same on every PE, so PEs need not exchange it.
pub const HEAP_ADDRESS: usize = 0x3000_0000_0000;

/// Address space of one heap, up to the start of the next: its ceiling in whole chunks, and a gap of at least one chunk, so that an access
/// past one heap's end does not reach the next heap. `None` on overflow.
pub fn span(ceiling: u64) -> Option<u64> {
    ceiling.checked_next_multiple_of(CHUNK)?.checked_add(CHUNK)?.checked_next_multiple_of(ALIGN)
}

/// The highest ceiling, in whole chunks, for which the spans of `local` heaps fit in `room`.
fn highest_within(room: u64, local: u64) -> u64 {
    (room / local / ALIGN * ALIGN).saturating_sub(CHUNK)
}

/// A number of bytes, and the limit that set it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bounded {
    /// The number of bytes.
    pub bytes: u64,
    /// Name of the limit, for messages: `memory.max of cgroup /job_7`.
    pub bound_by: String,
}

impl Bounded {
    fn new(bytes: u64, bound_by: impl Into<String>) -> Self {
        Bounded { bytes, bound_by: bound_by.into() }
    }

    /// The same limit with `bytes` beside it that it does not count.
    pub fn beside(self, bytes: u64) -> Self {
        Bounded { bytes: self.bytes.saturating_add(bytes), ..self }
    }

    fn tighter(self, other: Bounded) -> Bounded {
        if other.bytes < self.bytes { other } else { self }
    }
}

/// Memory that this process could still get now.
pub fn headroom() -> Bounded {
    headroom_from(&read_file)
}

/// Memory of this node that the process may use at most.
pub fn memory() -> Bounded {
    memory_from(&read_file)
}

/// [`headroom`] over any files.
///
/// Swap does not count: a put into swapped memory does not run at memory speed. An unreadable `/proc/meminfo` bounds nothing, because a
/// wrong refusal is worse than a late one.
pub fn headroom_from(read: Reader<'_>) -> Bounded {
    let meminfo = read("/proc/meminfo").unwrap_or_default();
    let free = field(&meminfo, "MemAvailable").or_else(|| {
        // Linux before 3.14. The page cache includes shared memory, which cannot be dropped.
        let cache = field(&meminfo, "Cached")?.saturating_sub(field(&meminfo, "Shmem").unwrap_or(0));
        Some(field(&meminfo, "MemFree")? + cache)
    });
    let mut bound = Bounded::new(free.unwrap_or(u64::MAX), "MemAvailable of the host");
    if let Some(left) = commit_left(read, &meminfo) {
        bound = bound.tighter(Bounded::new(left, "CommitLimit of the host (vm.overcommit_memory=2)"));
    }
    for group in cgroup::groups(read) {
        bound = bound.tighter(Bounded::new(group.left(), group.title()));
    }
    bound
}

/// [`memory`] over any files.
pub fn memory_from(read: Reader<'_>) -> Bounded {
    let meminfo = read("/proc/meminfo").unwrap_or_default();
    let total = Bounded::new(field(&meminfo, "MemTotal").unwrap_or(u64::MAX), "MemTotal of the host");
    let groups = cgroup::groups(read).into_iter();
    groups.fold(total, |bound, group| bound.tighter(Bounded::new(group.limit, group.title())))
}

/// Under strict accounting even shared memory needs commit charge; touching a page without it is a SIGBUS.
fn commit_left(read: Reader<'_>, meminfo: &str) -> Option<u64> {
    let strict = read("/proc/sys/vm/overcommit_memory")?.trim() == "2";
    let limit = strict.then(|| field(meminfo, "CommitLimit")).flatten()?;
    Some(limit.saturating_sub(field(meminfo, "Committed_AS")?))
}

/// A line `Key:  123 kB` of meminfo, in bytes.
fn field(meminfo: &str, key: &str) -> Option<u64> {
    let rest = meminfo.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(':'))?;
    rest.trim().trim_end_matches("kB").trim().parse::<u64>().ok()?.checked_mul(1024)
}

fn read_file(path: &str) -> Option<String> {
    fs::read_to_string(path).ok()
}

/// Memory that has been promised to the PEs of this node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// Number of PEs on this node. Their heaps have the same extent, because they are symmetric.
    pub local: u64,
    /// Extent of each heap.
    pub extent: u64,
    /// Bytes of the node's segment that have pages already (`st_blocks` of the memfd). Every measure of free memory counts them as used.
    pub touched: u64,
}

impl Promise {
    /// Bytes that may still be touched under this promise, and that are free memory now.
    pub fn untouched(&self) -> u64 {
        self.local.saturating_mul(self.extent).saturating_sub(self.touched)
    }

    /// Check that the node can keep the promise. A sixty-fourth of the headroom stays free for page tables and for other processes.
    pub fn check(&self, headroom: &Bounded) -> Result<(), Shortage> {
        let spare = headroom.bytes - headroom.bytes / 64;
        if self.untouched() <= spare {
            return Ok(());
        }
        Err(Shortage { promise: *self, headroom: Bounded::new(spare, headroom.bound_by.clone()) })
    }
}

/// Error: the node cannot keep a promise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The promise that was refused.
    pub promise: Promise,
    /// The memory that is left, and the limit that bounds it.
    pub headroom: Bounded,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Shortage { promise, headroom } = self;
        write!(
            f,
            "symmetric heaps of {} on {} PEs need {} more memory, but this host has {} left ({})",
            Bytes(promise.extent),
            promise.local,
            Bytes(promise.untouched()),
            Bytes(headroom.bytes),
            headroom.bound_by
        )
    }
}

impl std::error::Error for Shortage {}

/// A number of bytes in readable form: three digits and a binary unit.
#[derive(Clone, Copy, Debug)]
pub struct Bytes(pub u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
        if self.0 < 1024 {
            return write!(f, "{} B", self.0);
        }
        let mut power = (self.0.ilog2() / 10) as usize;
        let mut value = self.0 as f64 / (1u64 << (10 * power)) as f64;
        if value >= 999.5 && power < UNITS.len() {
            // 1023 KiB would need a fourth digit.
            power += 1;
            value /= 1024.0;
        }
        let digits = if value < 9.995 { 2 } else { usize::from(value < 99.95) };
        write!(f, "{value:.digits$} {}", UNITS[power - 1])
    }
}

/// Limits of this process that apply to a reservation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// RLIMIT_AS less what is mapped already; `None` without a limit.
    pub address_space: Option<u64>,
    /// RLIMIT_FSIZE. It applies to a memfd too: growing one beyond the limit is a SIGXFSZ.
    pub file_size: Option<u64>,
}

impl Limits {
    /// Read the current limits.
    pub fn of_process() -> Self {
        let mapped = read_file("/proc/self/statm")
            .and_then(|statm| statm.split(' ').next()?.parse::<u64>().ok())
            .map_or(0, |pages| pages * page_size() as u64);
        Limits {
            address_space: getrlimit(Resource::As).current.map(|limit| limit.saturating_sub(mapped)),
            file_size: getrlimit(Resource::Fsize).current,
        }
    }
}

/// Error: the limits do not allow a reservation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLarge {
    wanted: u64,
    local: u64,
    bound: Bounded,
}

impl fmt::Display for TooLarge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let TooLarge { wanted, local, bound } = self;
        write!(
            f,
            "a symmetric heap of {} on each of {local} PEs is beyond {} ({}); at most {} fit",
            Bytes(*wanted),
            Bytes(bound.bytes),
            bound.bound_by,
            Bytes(highest_within(bound.bytes, *local))
        )
    }
}

impl std::error::Error for TooLarge {}

/// The ceiling of each heap of a node with `local` PEs. `beside` is the size of the node's segment without the heaps.
///
/// A size given by the user is kept or refused. Without one, each heap may grow to the node's whole memory: a ceiling is address space, not
/// memory. If address space is short, the ceiling shrinks to a size that `fits`, and if possible half of the address space is left to the
/// program.
pub fn ceiling(
    given: Option<Size>,
    local: u64,
    beside: u64,
    memory: &Bounded,
    limits: &Limits,
    fits: impl Fn(u64) -> bool,
) -> Result<Bounded, TooLarge> {
    let local = local.max(1);
    let bound = reservation_bound(limits, beside);
    let Some(size) = given else { return Ok(default_ceiling(local, memory, &bound, fits)) };
    let wanted = size.bytes(memory.bytes, local);
    let spans = span(wanted).and_then(|one| one.checked_mul(local));
    match spans.filter(|&all| all <= bound.bytes && fits(all)) {
        Some(_) => Ok(Bounded::new(wanted, "the size that was given")),
        None => Err(TooLarge { wanted, local, bound }),
    }
}

/// Maximum address space that the heaps of a node may reserve together.
fn reservation_bound(limits: &Limits, beside: u64) -> Bounded {
    let mut bound = Bounded::new(RESERVATION_MAX, "the address space of a process");
    if let Some(left) = limits.address_space {
        bound = bound.tighter(Bounded::new(left.saturating_sub(beside), "RLIMIT_AS, ulimit -v"));
    }
    if let Some(most) = limits.file_size {
        bound = bound.tighter(Bounded::new(most.saturating_sub(beside), "RLIMIT_FSIZE, ulimit -f"));
    }
    bound
}

fn default_ceiling(local: u64, memory: &Bounded, bound: &Bounded, fits: impl Fn(u64) -> bool) -> Bounded {
    let bound = bound.clone().tighter(Bounded::new(DEFAULT_RESERVATION_MAX, "the address space of a process"));
    let whole = memory.bytes.min(DEFAULT_RESERVATION_MAX).next_multiple_of(CHUNK);
    // A limit on address space applies to the program's own memory too; the other bounds do not.
    let half = if bound.bound_by.contains("RLIMIT_AS") { highest_within(bound.bytes / 2, local) } else { 0 };
    let most = if half > 0 { half } else { highest_within(bound.bytes, local) };
    let mut heap = Bounded::new(whole, memory.bound_by.clone()).tighter(Bounded::new(most, bound.bound_by.clone()));
    while heap.bytes > 0 && !span(heap.bytes).is_some_and(|one| fits(one * local)) {
        heap = Bounded::new(heap.bytes / 2 / CHUNK * CHUNK, "the address space of a process");
    }
    heap
}
