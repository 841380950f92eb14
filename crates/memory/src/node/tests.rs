//! Tests of the node's memory.

use super::*;

/// The memory of the second PE of a node, without large pages.
fn memory(layout: Layout) -> NodeMemory {
    let memory = create(&layout, &[0; 4096]).unwrap();
    NodeMemory::map(layout, 1, Files { memory, large: None }).unwrap()
}

#[test]
fn introductions_survive_the_way() {
    let process = Process { namespace: 4026531836, number: 4711 };
    let one =
        Introduction { ceiling: 1 << 40, statics: 12288, executable: 77, checked: true, process, cpus: "0-3,8".into() };
    assert_eq!(Introduction::decode(&one.encode()), Some(one));
    assert_eq!(Introduction::decode(&[0; 47]), None);
}

/// The kernel's policies of the mappings that begin in `[base, base + len)`. Equal neighbours are listed once.
fn policies(numa_maps: &str, base: *mut u8, len: usize) -> Vec<String> {
    let of_line = |line: &str| {
        let (start, rest) = line.split_once(' ')?;
        let start = usize::from_str_radix(start, 16).ok()?;
        (base.addr()..base.addr() + len).contains(&start).then(|| rest.split(' ').next().unwrap_or("").to_owned())
    };
    let mut policies: Vec<String> = numa_maps.lines().filter_map(of_line).collect();
    policies.dedup();
    policies
}

#[test]
fn memory_is_kept_near_by_whoever_touches_it() {
    let layout =
        Layout { pes: 2, roster: 4096, control: 4096, ceiling: HUGE_PAGE, statics: 4096, checked: false, large: 0 };
    let memory = memory(layout);
    let Ok(numa_maps) = std::fs::read_to_string("/proc/self/numa_maps") else {
        println!("skipped: this kernel has no NUMA policies");
        return;
    };
    assert_eq!(policies(&numa_maps, memory.base, memory.total), ["default"]);
    match memory.prefer(0) {
        Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
            return println!("skipped: mbind is forbidden here");
        }
        done => done.unwrap(),
    }
    let numa_maps = std::fs::read_to_string("/proc/self/numa_maps").unwrap();
    for (base, len) in [(memory.control(1), 4096), (memory.heap(1), HUGE_PAGE), (memory.statics(1), 4096)] {
        assert_eq!(policies(&numa_maps, base, len), ["prefer:0"]);
    }
    // The heap of the other PE is in the mapping after this PE's control area.
    assert_eq!(policies(&numa_maps, memory.control(1).wrapping_add(4096), HEAP_ALIGN), ["default"]);
    assert!(memory.prefer(100_000).is_err());
}

#[test]
fn the_file_cannot_be_shortened() {
    let layout =
        Layout { pes: 2, roster: 4096, control: 4096, ceiling: HUGE_PAGE, statics: 0, checked: false, large: 0 };
    assert!(ftruncate(create(&layout, &[0; 4096]).unwrap(), 0).is_err());
    let memory = memory(layout);
    assert!((memory.heap(0) as usize).is_multiple_of(HEAP_ALIGN));
    memory.open_heap(4096).unwrap();
    // SAFETY: the second PE's heap, mapped and opened above.
    unsafe { memory.heap(1).write(9) };
    assert!(memory.touched() >= 4096);
    memory.release_heap(4096);
    assert_eq!(memory.touched(), 0);
}

/// The budget needs the touched bytes of the heaps alone, without the other areas of the file.
#[test]
fn touched_are_heaps_alone() {
    let layout =
        Layout { pes: 2, roster: 4096, control: 8192, ceiling: HUGE_PAGE, statics: 16384, checked: false, large: 0 };
    let memory = memory(layout);
    for index in 0..2 {
        // SAFETY: both areas are mapped and have at least this size.
        unsafe {
            memory.control(index).write_bytes(1, 8192);
            memory.statics(index).write_bytes(1, 16384);
        }
    }
    assert_eq!(memory.touched(), 0);
}

/// Tests that use the host's pool take turns.
static POOL: Mutex<()> = Mutex::new(());

/// A node of two PEs whose heaps may use the host's pool of large pages, as each PE has mapped it. `None`, with a line, if there is no pool
/// of at least `pages` pages.
fn on_large_pages(pages: u64, ceiling: usize) -> Option<[NodeMemory; 2]> {
    let pool = pools::choose(LargePages::Mib2).filter(|pool| pool.free + pool.on_demand >= pages);
    let Some(pool) = pool else {
        println!("skipped: no pool of {pages} pages of 2 MiB (nr_overcommit_hugepages makes one)");
        return None;
    };
    let words = Layout::large_words(2);
    let roster = 4096 + words;
    let layout =
        Layout { pes: 2, roster, control: 4096, ceiling, statics: 4096, checked: false, large: pool.page as usize };
    let memory = create(&layout, &[0; 4096]).unwrap();
    let large = large::create(&layout).expect("a file of large pages");
    let files = |file: &OwnedFd| file.try_clone().unwrap();
    Some([0, 1].map(|index| {
        NodeMemory::map(layout, index, Files { memory: files(&memory), large: Some(files(&large)) }).unwrap()
    }))
}

#[test]
fn small_heaps_take_no_page_of_the_pool() {
    let _turn = mutex::lock(&POOL);
    let Some([one, _other]) = on_large_pages(1, 64 * HUGE_PAGE) else { return };
    one.open_heap(HUGE_PAGE).unwrap();
    // SAFETY: opened above.
    unsafe { one.heap(0).write_bytes(1, HUGE_PAGE) };
    assert_eq!(one.large(), Some((0, HUGE_PAGE)));
    assert_eq!(one.large.as_ref().unwrap().touched(), 0);
}

#[test]
fn heaps_grow_on_large_pages_that_all_pes_see() {
    let _turn = mutex::lock(&POOL);
    const LEN: usize = 4 * HUGE_PAGE;
    let Some(pes) = on_large_pages(6, 64 * HUGE_PAGE) else { return };
    for pe in &pes {
        pe.open_heap(LEN).unwrap();
    }
    for pe in &pes {
        pe.follow_large().unwrap();
        assert_eq!(pe.large(), Some((3 * HUGE_PAGE, HUGE_PAGE)));
    }
    assert_eq!(pes[0].large.as_ref().unwrap().touched() as usize, 6 * HUGE_PAGE, "reserved, and no page more");
    assert_eq!(pes[0].touched() as usize, 6 * HUGE_PAGE);
    for (index, at) in [(0, 0), (0, HUGE_PAGE - 1), (0, HUGE_PAGE), (1, LEN - 1), (1, 3 * HUGE_PAGE)] {
        // SAFETY: both heaps are open up to `LEN`, in both mappings.
        let seen = unsafe {
            pes[0].heap(index).wrapping_add(at).write_volatile(at as u8 | 1);
            pes[1].heap(index).wrapping_add(at).read_volatile()
        };
        assert_eq!(seen, at as u8 | 1, "byte {at} of heap {index}");
    }
    pes[0].release_heap(LEN);
    assert_eq!(pes[0].large.as_ref().unwrap().touched() as usize, 3 * HUGE_PAGE, "the pages of one heap are returned");
}

#[test]
fn heaps_continue_on_small_pages_when_the_pool_is_used_up() {
    let _turn = mutex::lock(&POOL);
    let Some(pool) = pools::choose(LargePages::Mib2) else {
        return println!("skipped: no pool of pages of 2 MiB (nr_overcommit_hugepages makes one)");
    };
    // More than the pool has, in address space that the small pages hardly use.
    let len = (pool.free + pool.on_demand + 64) as usize * HUGE_PAGE;
    let Some(pes) = on_large_pages(1, len) else { return };
    pes[0].open_heap(len).unwrap();
    let (large, page) = pes[0].large().unwrap();
    assert!(page == HUGE_PAGE && large + page < len, "{large} of {len}");
    pes[1].follow_large().unwrap();
    assert_eq!((pes[1].heaps_short_of_large(), pes[1].pool_left()), (1, 0));
    for at in [0, HUGE_PAGE, large, large + page, len - 1] {
        // SAFETY: the heap is open up to `len`, in both mappings.
        let seen = unsafe {
            pes[1].heap(0).wrapping_add(at).write_volatile(7);
            pes[0].heap(0).wrapping_add(at).read_volatile()
        };
        assert_eq!(seen, 7, "byte {at}");
    }
}

#[test]
fn program_that_closes_the_files_gets_an_error_not_a_fault() {
    let _turn = mutex::lock(&POOL);
    let Some([one, other]) = on_large_pages(4, 64 * HUGE_PAGE) else { return };
    other.open_heap(2 * HUGE_PAGE).unwrap();
    // SAFETY: the test closes the library's descriptor, as a program may.
    unsafe { libc::close(one.large.as_ref().unwrap().number()) };
    one.open_heap(2 * HUGE_PAGE).unwrap();
    assert_eq!(one.large(), Some((0, HUGE_PAGE)), "this heap continues on small pages");
    let error = one.follow_large().unwrap_err().to_string();
    assert!(error.contains("closed descriptor"), "{error}");
}
