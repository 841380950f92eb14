//! The memory that heaps may use, computed from files of machines that are not at hand; and the mapping of the heap's pages.

use std::collections::HashMap;
use std::ffi::CStr;
use std::os::fd::OwnedFd;

use ferrite_memory::heap::budget::{
    ALIGN, Bounded, Bytes, CHUNK, DEFAULT_RESERVATION_MAX, Limits, Promise, ceiling, headroom, headroom_from, memory,
    memory_from, span,
};
use ferrite_memory::heap::pages::{self, Offer, Policy};
use ferrite_memory::heap::size::Size;
use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

const GIB: u64 = 1 << 30;
const MEMINFO: &str = "\
MemTotal:       16777216 kB\n\
MemFree:         1048576 kB\n\
MemAvailable:    8388608 kB\n\
Cached: 4194304 kB\n\
Shmem: 1048576 kB\n\
CommitLimit:  6291456 kB\n\
Committed_AS:  4194304 kB\n\
";
const V2_MOUNT: &str = "29 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

struct Machine(HashMap<String, String>);

impl Machine {
    fn new(files: &[(&str, &str)]) -> Self {
        let own = |(path, text): &(&str, &str)| ((*path).to_owned(), (*text).to_owned());
        Machine(files.iter().chain(&[("/proc/meminfo", MEMINFO)]).map(own).collect())
    }

    fn with(mut self, path: &str, text: &str) -> Self {
        self.0.insert(path.to_owned(), text.to_owned());
        self
    }

    fn headroom(&self) -> (u64, String) {
        let Bounded { bytes, bound_by } = headroom_from(&|path| self.0.get(path).cloned());
        (bytes, bound_by)
    }

    fn memory(&self) -> (u64, String) {
        let Bounded { bytes, bound_by } = memory_from(&|path| self.0.get(path).cloned());
        (bytes, bound_by)
    }
}

fn v2(path: &str) -> Machine {
    Machine::new(&[("/proc/self/cgroup", &format!("0::{path}\n")), ("/proc/self/mountinfo", V2_MOUNT)])
}

#[test]
fn without_groups_the_node_bounds() {
    assert_eq!(Machine::new(&[]).headroom(), (8 * GIB, "MemAvailable of the host".into()));
    assert_eq!(Machine::new(&[]).memory(), (16 * GIB, "MemTotal of the host".into()));
    let old = Machine::new(&[]).with("/proc/meminfo", "MemFree: 1048576 kB\nCached: 4194304 kB\nShmem: 1048576 kB\n");
    assert_eq!(old.headroom().0, 4 * GIB, "before Linux 3.14: free, and cached but not shared");
    let none = Machine(HashMap::new());
    assert_eq!(none.headroom().0, u64::MAX, "what cannot be read bounds nothing");
    for garbage in ["", "MemAvailable", "MemAvailable:", "MemAvailable: x kB", "MemAvailable: 99999999999999999999 kB"]
    {
        assert_eq!(Machine::new(&[]).with("/proc/meminfo", garbage).headroom().0, u64::MAX, "{garbage:?}");
    }
}

#[test]
fn version_two_counts_the_tightest_group_on_the_way_up() {
    let machine = v2("/slurm/job_7/step_0")
        .with("/sys/fs/cgroup/slurm/job_7/step_0/memory.max", "max\n")
        .with("/sys/fs/cgroup/slurm/job_7/step_0/memory.current", "1000\n")
        .with("/sys/fs/cgroup/slurm/job_7/memory.max", "4294967296\n")
        .with("/sys/fs/cgroup/slurm/job_7/memory.high", "1\n")
        .with("/sys/fs/cgroup/slurm/job_7/memory.current", "3221225472\n")
        .with("/sys/fs/cgroup/slurm/memory.max", "8589934592\n")
        .with("/sys/fs/cgroup/slurm/memory.current", "1073741824\n");
    assert_eq!(machine.headroom(), (GIB, "memory.max of cgroup /slurm/job_7".into()));
    assert_eq!(machine.memory(), (4 * GIB, "memory.max of cgroup /slurm/job_7".into()));
    let stat = "anon 5\ninactive_anon 7\ninactive_file 1610612736\nactive_file 536870912\n";
    let cached = machine.with("/sys/fs/cgroup/slurm/job_7/memory.stat", stat);
    assert_eq!(cached.headroom().0, 3 * GIB, "page cache can be dropped, also what was read twice");
    let full = v2("/a").with("/sys/fs/cgroup/a/memory.max", "100").with("/sys/fs/cgroup/a/memory.current", "200");
    assert_eq!(full.headroom().0, 0, "a limit set below the use");
}

#[test]
fn a_container_sees_its_own_group_as_the_root() {
    let limited = v2("/").with("/sys/fs/cgroup/memory.max", "1073741824").with("/sys/fs/cgroup/memory.current", "0");
    assert_eq!(limited.headroom(), (GIB, "memory.max of cgroup /".into()));
    // Without a cgroup namespace, the process sees the host's name of its group, and the mount shows the container's part.
    let mount = "29 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n";
    let docker = v2("/docker/abc/inner")
        .with("/proc/self/mountinfo", mount)
        .with("/sys/fs/cgroup/inner/memory.max", "2147483648")
        .with("/sys/fs/cgroup/memory.max", "1073741824");
    assert_eq!(docker.headroom(), (GIB, "memory.max of cgroup /".into()));
    // A name outside the mount, or one that only begins like it.
    for outside in ["/../other", "/docker/abcdef", "/elsewhere"] {
        let stray = v2(outside).with("/proc/self/mountinfo", mount).with("/sys/fs/cgroup/memory.max", "1073741824");
        assert_eq!(stray.headroom().0, GIB, "{outside}");
    }
}

#[test]
fn version_one_beside_an_empty_version_two() {
    let mounts = "32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
                  35 31 0:32 / /sys/fs/cgroup/mem\\040ory rw - cgroup cgroup rw,memory\n\
                  41 31 0:38 / /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
    let machine = Machine::new(&[
        ("/proc/self/cgroup", "9:name=systemd:/\n4:memory:/api/7\n1:cpu:/\n0::/\n"),
        ("/proc/self/mountinfo", mounts),
        ("/sys/fs/cgroup/mem ory/api/7/memory.limit_in_bytes", "3221225472\n"),
        ("/sys/fs/cgroup/mem ory/api/7/memory.usage_in_bytes", "2147483648\n"),
        (
            "/sys/fs/cgroup/mem ory/api/7/memory.stat",
            "inactive_file 1\ntotal_inactive_file 1073741823\ntotal_active_file 1\n",
        ),
        ("/sys/fs/cgroup/mem ory/api/memory.limit_in_bytes", "9223372036854771712\n"),
        ("/sys/fs/cgroup/mem ory/memory.limit_in_bytes", "9223372036854771712\n"),
    ]);
    assert_eq!(machine.headroom(), (2 * GIB, "memory.limit_in_bytes of cgroup /api/7".into()));
    assert_eq!(machine.memory(), (3 * GIB, "memory.limit_in_bytes of cgroup /api/7".into()));
}

#[test]
fn strict_accounting_bounds_too() {
    let strict = Machine::new(&[("/proc/sys/vm/overcommit_memory", "2\n")]);
    assert_eq!(strict.headroom(), (2 * GIB, "CommitLimit of the host (vm.overcommit_memory=2)".into()));
    assert_eq!(Machine::new(&[("/proc/sys/vm/overcommit_memory", "1\n")]).headroom().0, 8 * GIB);
}

#[test]
fn this_machine_has_memory() {
    let (now, all) = (headroom(), memory());
    println!("headroom {} ({}), memory {} ({})", Bytes(now.bytes), now.bound_by, Bytes(all.bytes), all.bound_by);
    assert!(now.bytes > 0 && all.bytes < u64::MAX && now.bytes <= all.bytes);
}

#[test]
fn promised_untouched_memory_counts() {
    let headroom = Bounded { bytes: 64 * GIB, bound_by: "memory.max of cgroup /j".into() };
    let promise = |local, extent, touched| Promise { local, extent, touched };
    assert_eq!(promise(4, GIB, GIB).untouched(), 3 * GIB);
    assert_eq!(promise(4, GIB, 9 * GIB).untouched(), 0, "statics and control pages are touched too");
    assert_eq!(promise(u64::MAX, u64::MAX, 0).untouched(), u64::MAX);
    assert_eq!(promise(1, 63 * GIB, 0).check(&headroom), Ok(()));
    assert_eq!(promise(64, 2 * GIB, 65 * GIB).check(&headroom), Ok(()));
    let short = promise(4, 16 * GIB, GIB / 2).check(&headroom).expect_err("a sixty-fourth stays free");
    assert_eq!(
        short.to_string(),
        "symmetric heaps of 16.0 GiB on 4 PEs need 63.5 GiB more memory, but this host has 63.0 GiB left (memory.max \
         of cgroup /j)"
    );
    let unknown = Bounded { bytes: u64::MAX, bound_by: String::new() };
    assert_eq!(promise(1, 1 << 60, 0).check(&unknown), Ok(()));
}

#[test]
fn bytes_have_three_digits() {
    for (bytes, text) in [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.00 KiB"),
        (10_240, "10.0 KiB"),
        (1_048_575, "1.00 MiB"),
        (999 << 10, "999 KiB"),
        (1000 << 10, "0.98 MiB"),
        (12_345_678, "11.8 MiB"),
        (u64::MAX, "16.0 EiB"),
    ] {
        assert_eq!(Bytes(bytes).to_string(), text);
    }
}

#[test]
fn a_given_size_is_kept_or_refused() {
    let memory = Bounded { bytes: 16 * GIB, bound_by: "MemTotal of the host".into() };
    let free = Limits::default();
    let at = |size, local, limits: &Limits| ceiling(Some(size), local, 4096, &memory, limits, |_| true);
    for (size, heap) in [
        (Size::Bytes(0), 0),
        (Size::Bytes(1000), 1000),
        (Size::Bytes(CHUNK), CHUNK),
        (Size::Bytes(CHUNK + 1), CHUNK + 1),
        (Size::Percent(50.0), 2 * GIB),
    ] {
        assert_eq!(at(size, 4, &free).expect("fits").bytes, heap);
    }
    assert!(at(Size::Bytes((16 << 40) - CHUNK), 4, &free).is_ok());
    let far = at(Size::Bytes(16 << 40), 5, &free).expect_err("80 TiB");
    assert_eq!(
        far.to_string(),
        "a symmetric heap of 16.0 TiB on each of 5 PEs is beyond 64.0 TiB (the address space of a process); at most 12.8 TiB fit"
    );
    assert!(at(Size::Bytes(u64::MAX), 1, &free).is_err());
    assert!(at(Size::Bytes(1 << 62), 8, &free).is_err());
    let short = Limits { address_space: Some(GIB), file_size: None };
    assert!(at(Size::Bytes(GIB / 2), 2, &short).expect_err("4096 beside").to_string().contains("RLIMIT_AS, ulimit -v"));
    let short = Limits { address_space: None, file_size: Some(GIB) };
    assert!(
        at(Size::Bytes(GIB / 2), 2, &short).expect_err("4096 beside").to_string().contains("RLIMIT_FSIZE, ulimit -f")
    );
    // The 4096 bytes beside the heaps leave the second heap no room before the end of the file, so one step of alignment less fits.
    let most = GIB / 2 - ALIGN - CHUNK;
    assert!(at(Size::Bytes(most), 2, &short).is_ok());
    let refused = at(Size::Bytes(most + 1), 2, &short).expect_err("one byte more").to_string();
    assert!(refused.ends_with("at most 446 MiB fit"), "{refused}");
    assert!(ceiling(Some(Size::Bytes(GIB)), 1, 0, &memory, &free, |_| false).is_err());
}

#[test]
fn without_a_size_a_heap_may_grow_to_the_node() {
    let memory = Bounded { bytes: 16 * GIB + 5, bound_by: "MemTotal of the host".into() };
    let at = |local, limits: &Limits, room: u64| {
        let heap = ceiling(None, local, 1 << 20, &memory, limits, |all| all <= room)
            .expect("without a size nothing is refused");
        assert_eq!(heap.bytes % CHUNK, 0);
        (heap.bytes, heap.bound_by)
    };
    let free = Limits::default();
    assert_eq!(at(8, &free, u64::MAX), (16 * GIB + CHUNK, "MemTotal of the host".into()));
    let (many, bound) = at(1 << 14, &free, u64::MAX);
    assert_eq!((many, bound.as_str()), ((DEFAULT_RESERVATION_MAX >> 14) - CHUNK, "the address space of a process"));
    let limited = |address_space| Limits { address_space: Some(address_space), file_size: None };
    let (half, bound) = at(2, &limited(GIB), u64::MAX);
    assert!(2 * span(half).expect("small") <= GIB / 2 && half > GIB / 4 - 2 * ALIGN && bound.contains("RLIMIT_AS"));
    let (whole, _) = at(2, &limited(3 * ALIGN), u64::MAX);
    assert_eq!(whole, ALIGN - CHUNK, "half of it would be no heap at all");
    let (file, bound) = at(2, &Limits { address_space: None, file_size: Some(GIB) }, u64::MAX);
    assert!(2 * span(file).expect("small") + (1 << 20) <= GIB && bound.contains("RLIMIT_FSIZE"));
    let (small, bound) = at(4, &free, 10 * GIB);
    assert!(small * 4 <= 10 * GIB && small * 4 > 4 * GIB && bound == "the address space of a process");
    assert_eq!(at(4, &free, 0).0, 0);
}

#[test]
fn the_limits_of_a_process_are_read() {
    let limits = Limits::of_process();
    println!("{limits:?}");
    assert!(limits.address_space.is_none_or(|left| left > 0));
    assert!(pages::address_space_holds(0) && pages::address_space_holds(GIB));
    assert!(!pages::address_space_holds(1 << 60) && !pages::address_space_holds(u64::MAX));
}

fn memfd(name: &CStr, len: u64) -> OwnedFd {
    let file = memfd_create(name, MemfdFlags::CLOEXEC).expect("a memfd");
    ftruncate(&file, len).expect("sizing a memfd");
    file
}

#[test]
fn a_mapping_is_aligned_and_as_long_as_asked() {
    let file = memfd(c"aligned", 3 * CHUNK + 4096);
    for align in [4096, CHUNK as usize, 64 << 20] {
        let len = 2 * CHUNK as usize + 100;
        let base = pages::map_aligned(&file, CHUNK, len, align).expect("a mapping");
        assert_eq!(base.addr() % align, 0);
        // SAFETY: both addresses lie within the mapping, which is unmapped afterwards.
        unsafe {
            base.write(7);
            base.add(len - 1).write(8);
            rustix::mm::munmap(base.cast(), len).expect("unmapping");
        }
    }
    assert_eq!(pages::touched(&file).expect("fstat"), 8192, "two pages were touched, three times");
    assert!(pages::map_aligned(&file, 0, usize::MAX, 4096).is_err());
    assert!(pages::map_aligned(&file, 1, 4096, 4096).is_err(), "an offset within a page; the room is given back");
}

#[test]
fn a_mapping_has_the_address_that_was_asked_for_or_replaces_nothing() {
    let file = memfd(c"placed", 2 * CHUNK);
    let len = CHUNK as usize;
    let free = pages::map_aligned(&file, 0, len, len).expect("a mapping");
    // SAFETY: the address is within the mapping, which no other code uses.
    unsafe {
        free.write(7);
        assert!(pages::map_at(&file, len, free.addr()).is_err(), "something is there");
        assert!(pages::map_at(&file, 2 * len, free.addr() - len / 2).is_err(), "something is in the middle");
        assert_eq!(free.read(), 7);
        rustix::mm::munmap(free.cast(), len).expect("unmapping");
    }
    // A thread of another test may map the range that was just unmapped. In that case, try again with a new range.
    let placed = (0..100).find_map(|_| {
        let free = pages::map_aligned(&file, 0, len, len).expect("a mapping");
        // SAFETY: no other code uses the mapping.
        unsafe { rustix::mm::munmap(free.cast(), len).expect("unmapping") };
        let placed = pages::map_at(&file, len, free.addr()).ok()?;
        assert_eq!(placed.addr(), free.addr());
        Some(placed)
    });
    let placed = placed.expect("what was given back is free, of a hundred times at least once");
    // SAFETY: the address is within the mapping, which is unmapped afterwards.
    unsafe {
        assert_eq!(placed.read(), 7, "the same file");
        rustix::mm::munmap(placed.cast(), len).expect("unmapping");
    }
    assert!(pages::map_at(&file, len, usize::MAX / 2 + 1).is_err(), "beyond any address space");
}

#[test]
fn the_reservation_stays_out_of_core_files() {
    let file = memfd(c"core", 4 * CHUNK);
    let base = pages::map_aligned(&file, 0, 4 * CHUNK as usize, CHUNK as usize).expect("a mapping");
    let flags = |at: usize| {
        let smaps = std::fs::read_to_string("/proc/self/smaps").expect("smaps");
        let entry = smaps.split("VmFlags:").zip(smaps.split("VmFlags:").skip(1));
        let found = entry.filter(|(head, _)| head.lines().any(|line| line.starts_with(&format!("{at:x}-"))));
        found.map(|(_, tail)| tail.lines().next().unwrap_or("").to_owned()).next().expect("the mapping is listed")
    };
    // SAFETY: the range is mapped.
    unsafe {
        pages::in_core_files(base, 4 * CHUNK as usize, false).expect("madvise");
        pages::in_core_files(base.add(CHUNK as usize), CHUNK as usize, true).expect("madvise");
    }
    assert!(flags(base.addr()).contains(" dd"));
    assert!(!flags(base.addr() + CHUNK as usize).contains(" dd"));
    assert!(flags(base.addr() + 2 * CHUNK as usize).contains(" dd"));
}

#[test]
fn huge_pages_are_offered_by_the_settings() {
    const THP: &str = "/sys/kernel/mm/transparent_hugepage";
    let offer = |files: &[(&str, &str)]| {
        let files: HashMap<String, String> =
            files.iter().map(|(path, text)| (format!("{THP}/{path}"), (*text).to_owned())).collect();
        let Offer { page, policy } = pages::offer_from(&|path| files.get(path).cloned());
        (page, policy.name())
    };
    let size = ("hpage_pmd_size", "2097152\n");
    let common = |word: &str| {
        let words = ["always", "within_size", "advise", "never", "deny", "force"];
        words.map(|other| if other == word { format!("[{other}]") } else { other.to_owned() }).join(" ")
    };
    for (word, page) in
        [("always", CHUNK), ("within_size", CHUNK), ("advise", CHUNK), ("never", 0), ("deny", 0), ("force", CHUNK)]
    {
        assert_eq!(offer(&[size, ("shmem_enabled", &common(word))]), (page, word));
        let inherit = "always [inherit] within_size advise never";
        let files = [size, ("shmem_enabled", &common(word)), ("hugepages-2048kB/shmem_enabled", inherit)];
        assert_eq!(offer(&files), (page, word));
    }
    let never = "always inherit within_size advise [never]";
    let small = "always inherit within_size [advise] never";
    let files = [
        size,
        ("shmem_enabled", &common("always")),
        ("hugepages-2048kB/shmem_enabled", never),
        ("hugepages-64kB/shmem_enabled", small),
    ];
    assert_eq!(offer(&files), (64 << 10, "advise"));
    assert_eq!(offer(&[]), (0, "absent"));
    assert_eq!(offer(&[size, ("shmem_enabled", "garbage")]), (0, "absent"));
    println!("this machine offers {:?}", pages::offer());
}

#[test]
fn huge_page_request_is_harmless_and_read_back() {
    let smaps = "7f0000000000-7f0000400000 rw-s 00000000 00:01 5 /memfd:x (deleted)\nShmemPmdMapped:     2048 kB\nVmFlags: rd\n\
                 7f0000400000-7f0000800000 rw-s 00000000 00:01 5 /memfd:x (deleted)\nShmemPmdMapped:     4096 kB\n";
    assert_eq!(pages::got_from(smaps, 0x7f00_0000_0000, 0x40_0000), 2 << 20);
    assert_eq!(pages::got_from(smaps, 0x7f00_0000_0000, 0x80_0000), 6 << 20);
    assert_eq!(pages::got_from(smaps, 0x7f00_0080_0000, 0x80_0000), 0);
    assert_eq!(pages::got_from("", 0, usize::MAX), 0);

    let file = memfd(c"huge", 4 * CHUNK);
    let len = 4 * CHUNK as usize;
    let base = pages::map_aligned(&file, 0, len, CHUNK as usize).expect("a mapping");
    for offer in [pages::offer(), Offer { page: CHUNK, policy: Policy::Advise }] {
        // SAFETY: the range is mapped.
        match unsafe { pages::ask(base, len, offer) } {
            Ok(asked) => assert_eq!(asked, if offer.page == 0 { 0 } else { len }),
            Err(error) => println!("this kernel takes no advice on huge pages: {error}"),
        }
    }
    // SAFETY: the range is within the mapping.
    unsafe { base.write_bytes(1, len) };
    println!("asked for {len} bytes, got {} on huge pages", pages::got(base.addr(), len));
    assert!(pages::got(base.addr(), len) <= len as u64);
}
