//! The section about symmetric memory: the kernel's support for it, found by trying.

use std::{ffi::c_void, fmt, fs, path::Path, ptr};

use rustix::{
    fs::{MemfdFlags, ftruncate, memfd_create},
    mm::{MapFlags, ProtFlags, mmap, munmap},
};

use super::report::{Row, Section};
use ferrite_os::sysfs;

/// The kernel's setting for huge pages in shared memory.
pub(super) const HUGE_SHARED: &str = "/sys/kernel/mm/transparent_hugepage/shmem_enabled";
/// The pools of reserved huge pages.
const HUGE_POOLS: &str = "/sys/kernel/mm/hugepages";

/// The kernel's support for symmetric memory.
pub(super) fn section() -> Section {
    let shared = match shares_memory() {
        Ok(()) => "works (memfd mapped twice, one write seen through the other)".to_owned(),
        Err(why) => format!("does not work: {why}"),
    };
    let rows = vec![
        Row::new("shared", shared),
        Row::new("page", format!("{} bytes", rustix::param::page_size())),
        Row::new("huge", huge_pages().to_string()),
        Row::new("pools", pools(Path::new(HUGE_POOLS))).only_in_all(),
    ];
    Section { key: "memory", title: "Symmetric memory", rows }
}

/// Whether two mappings of one memfd share memory, as PEs need.
pub(super) fn shares_memory() -> Result<(), String> {
    let length = rustix::param::page_size();
    let file = memfd_create("ferrite-info", MemfdFlags::CLOEXEC).map_err(|error| format!("memfd_create: {error}"))?;
    ftruncate(&file, length as u64).map_err(|error| format!("growing a memfd: {error}"))?;
    let map = || {
        // SAFETY: a new mapping at an address that the kernel chooses replaces nothing.
        let mapped =
            unsafe { mmap(ptr::null_mut(), length, ProtFlags::READ | ProtFlags::WRITE, MapFlags::SHARED, &file, 0) };
        mapped.map(|at| Mapping { at, length }).map_err(|error| format!("mapping a memfd: {error}"))
    };
    let (one, other) = (map()?, map()?);
    // SAFETY: the mapping has a page to which nothing else refers. The write is volatile, since the other mapping is read.
    unsafe { one.at.cast::<u8>().write_volatile(42) };
    // SAFETY: as above; the page belongs to the memfd, which is one page long.
    let seen = unsafe { other.at.cast::<u8>().read_volatile() };
    match seen {
        42 => Ok(()),
        _ => Err(format!("a write of 42 through one mapping was read as {seen} through another")),
    }
}

/// A mapping that is unmapped when dropped.
struct Mapping {
    at: *mut c_void,
    length: usize,
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: this type mapped it with this length, and no pointer into it outlives it.
        let _ = unsafe { munmap(self.at, self.length) };
    }
}

/// Whether the kernel provides huge pages on request, with its setting.
pub(super) enum HugePages {
    /// The kernel provides them.
    Offered(String),
    /// The kernel could provide them, but its setting forbids it.
    Refused(String),
    /// The kernel has none, or its setting is unknown.
    Unknown,
}

impl fmt::Display for HugePages {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HugePages::Offered(mode) => write!(f, "offered ({mode})"),
            HugePages::Refused(mode) => write!(f, "not offered ({mode}; advise would offer them)"),
            HugePages::Unknown => f.write_str("not offered by this kernel"),
        }
    }
}

/// Read the kernel's setting for huge pages.
pub(super) fn huge_pages() -> HugePages {
    huge_pages_by(&fs::read_to_string(HUGE_SHARED).unwrap_or_default())
}

/// Parse the kernel's setting, in which the chosen word is in brackets.
fn huge_pages_by(text: &str) -> HugePages {
    match text.split_whitespace().find_map(|word| word.strip_prefix('[')?.strip_suffix(']')) {
        Some(mode @ ("always" | "advise" | "within_size" | "force")) => {
            HugePages::Offered(format!("shmem_enabled is {mode}"))
        }
        Some(mode) => HugePages::Refused(format!("shmem_enabled is {mode}")),
        None => HugePages::Unknown,
    }
}

/// The pools of huge pages, "2048 kB: 3 free of 8, 16 more on demand".
fn pools(directory: &Path) -> String {
    let pool = |name: &String| {
        let size = name.strip_prefix("hugepages-")?.strip_suffix("kB")?.parse::<u64>().ok()?;
        let number = |file: &str| sysfs::number(&directory.join(name).join(file));
        let (all, free) = (number("nr_hugepages")?, number("free_hugepages")?);
        let more = number("nr_overcommit_hugepages").unwrap_or(0) - number("surplus_hugepages").unwrap_or(0);
        Some((size, format!("{size} kB: {free} free of {all}, {} more on demand", more.max(0))))
    };
    let mut pools: Vec<_> = sysfs::names(directory).iter().filter_map(pool).collect();
    pools.sort();
    match pools.is_empty() {
        true => "none".to_owned(),
        false => pools.into_iter().map(|(_, text)| text).collect::<Vec<_>>().join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_shared_on_this_machine() {
        shares_memory().unwrap();
    }

    #[test]
    fn huge_pages_are_offered_by_some_words() {
        let rows = [
            ("always within_size [advise] never deny force\n", "offered (shmem_enabled is advise)"),
            (
                "always within_size advise [never] deny force\n",
                "not offered (shmem_enabled is never; advise would offer them)",
            ),
            ("", "not offered by this kernel"),
        ];
        for (text, said) in rows {
            assert_eq!(huge_pages_by(text).to_string(), said);
        }
    }

    #[test]
    fn no_pools_are_reported_as_none() {
        assert_eq!(pools(Path::new("/no/such/directory")), "none");
    }
}
