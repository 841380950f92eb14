//! The symmetric memory of one node: a file that each of its PEs maps as a whole, each so that its own heap lies where
//! the others' do in their processes.

mod layout;
mod meet;
mod roster;
mod transport;

pub(crate) use roster::{HostCpus, Roster};

pub(crate) use layout::{HEAP_ALIGN, HUGE_PAGE, Layout};

use crate::life::neighbour::Process;
use crate::memory::heap::{
    budget::{Bytes, HEAP_ADDRESS},
    pages::{self, Offer},
};
use crate::settings::Transport;
use ferrite_bootstrap::Boot;
use ferrite_fabric::{Error, Pe, Result};
use ferrite_os::{guarded_fd::GuardedFd, signals::report_file_size_limit};
use meet::{Call, Meeting};
use rustix::{
    fd::{AsFd, BorrowedFd, OwnedFd},
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create},
    io,
};

/// What a PE says of itself before the node's memory is laid out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Introduction {
    /// The most that its heap may grow to.
    pub ceiling: u64,
    /// Bytes of its static data; 0 if they are not symmetric.
    pub statics: u64,
    /// Which executable it runs: static data are symmetric among equals only.
    pub executable: u64,
    /// Whether it looks for mistakes of the program.
    pub checked: bool,
    /// Its process.
    pub process: Process,
    /// The cores it may run on, as the kernel lists them.
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
pub(crate) struct NodeMemory {
    layout: Layout,
    index: usize,
    own_heap: usize,
    base: *mut u8,
    total: usize,
    file: GuardedFd,
}

// SAFETY: the mapping belongs to the process, and is handed out as raw pointers only.
unsafe impl Send for NodeMemory {}
// SAFETY: as above.
unsafe impl Sync for NodeMemory {}

/// Introduce this PE to the others, and map the memory that it shares with the `local` ones, in which the roster has what all have said.
///
/// Collective over the job, once between two calls of [`Boot::join`].
pub(crate) fn assemble(
    boot: &dyn Boot,
    transport: Transport,
    local: &[Pe],
    mine: &Introduction,
    control: usize,
) -> Result<NodeMemory> {
    let first = local[0];
    let index =
        local.iter().position(|&pe| pe == boot.me()).ok_or_else(|| Error::new("this PE is not on its own node"))?;
    let meeting =
        if index == 0 && local.len() > 1 { Some(Meeting::open(&boot.secret(), first, local.len() - 1)?) } else { None };
    transport::publish(boot, transport)?;
    if local.len() < boot.local().len() {
        // Who shares no memory with PEs of its host asks the launcher for what they have to say.
        boot.publish(CPUS, mine.cpus.as_bytes())?;
    }
    boot.exchange()?;
    // PEs that map each other's memory have found what their first PE published, so its meeting is open. The exchange alone does not say
    // so: under some launchers a PE returns from it before all have come.
    transport::compare(boot, transport)?;
    let (layout, file) = match (meeting, index) {
        (Some(meeting), _) => {
            let guests = meeting.hear()?;
            let (layout, file) = lay_out_and_create(&introductions(local, mine, &guests)?, control)?;
            meeting.serve(file.as_fd(), &layout.encode())?;
            (layout, file)
        }
        (None, 0) => lay_out_and_create(std::slice::from_ref(mine), control)?,
        (None, _) => {
            let (file, layout) = meet::attend(&boot.secret(), first, &Call { index, said: mine.encode() })?;
            (Layout::decode(&layout, local.len(), control)?, file)
        }
    };
    NodeMemory::map(layout, index, file)
}

/// Under which key the cpus of PEs are told that share no memory.
const CPUS: &str = "cpus";

/// The cpus that each PE of this host may run on. Of a host whose PEs share memory, the roster says so.
pub(crate) fn cpus(boot: &dyn Boot, node: &NodeMemory) -> HostCpus {
    if node.layout.pes == boot.local().len() {
        return node.roster().cpus();
    }
    // A PE with another SHMEM_TRANSPORT may have published none. It ends the job itself, by `transport::compare`, with a reason that this
    // PE does not know.
    let list = |&pe| boot.lookup(pe, CPUS).ok().and_then(|list| String::from_utf8(list).ok()).unwrap_or_default();
    let lists: Vec<String> = boot.local().iter().map(list).collect();
    HostCpus::new(lists.iter().map(String::as_str))
}

/// What all have said, in their order.
fn introductions(local: &[Pe], mine: &Introduction, guests: &[Call]) -> Result<Vec<Introduction>> {
    let mut all = vec![None; local.len()];
    all[0] = Some(mine.clone());
    for Call { index, said } in guests {
        let one = Introduction::decode(said);
        let place = all.get_mut(*index).filter(|place| place.is_none());
        let (Some(place), Some(one)) = (place, one) else {
            let len = said.len();
            return Err(Error::new(format!(
                "PE {index} of this node introduced itself with {len} bytes that make no sense"
            )));
        };
        *place = Some(one);
    }
    Ok(all.into_iter().flatten().collect())
}

fn lay_out_and_create(introductions: &[Introduction], control: usize) -> Result<(Layout, OwnedFd)> {
    let roster = roster::write(introductions);
    let layout = lay_out(introductions, roster.len(), control);
    let file = create(&layout, &roster)?;
    Ok((layout, file))
}

fn lay_out(introductions: &[Introduction], roster: usize, control: usize) -> Layout {
    let ceilings = introductions.iter().map(|one| one.ceiling as usize);
    let ceiling = ceilings.clone().min().unwrap_or(0);
    if ceilings.max() != Some(ceiling) {
        tracing::warn!(
            ceiling,
            "the PEs of this node ask for different sizes of the symmetric heap; the smallest holds"
        );
    }
    let statics = introductions.iter().map(|one| one.statics as usize).max().unwrap_or(0);
    // If one of them does, all of them note what they do.
    let checked = introductions.iter().any(|one| one.checked);
    Layout { pes: introductions.len(), roster, control, ceiling, statics, checked }
}

fn create(layout: &Layout, roster: &[u8]) -> Result<OwnedFd> {
    let total = layout.check_area()?.map_or(layout.total()?, |(at, size)| at + size);
    // The sizes that PEs ask for were held against the limit of the size of files, but the area of checks was not.
    let make = report_file_size_limit(|| {
        let file = memfd_create("ferrite", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, total as u64)?;
        let mut written = 0;
        while written < roster.len() {
            written += io::retry_on_intr(|| io::pwrite(&file, &roster[written..], written as u64))?;
        }
        // Nobody can shorten the file under the others' feet, which would be a SIGBUS for them.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok(file)
    });
    make.map_err(|cause| Error::because(format!("creating the node's symmetric memory of {total} bytes"), cause))
}

/// Map the file so that our own heap has the address that every PE's has in its own process: programs send each other addresses of
/// symmetric objects, though only places in segments are promised to be equal. Where something else is there already (other
/// PEs' heaps, if PEs are threads), the file goes where there is room.
fn map(layout: &Layout, index: usize, file: &OwnedFd, total: usize) -> std::io::Result<*mut u8> {
    let equal = match HEAP_ADDRESS.checked_sub(layout.heap_at(index)) {
        Some(base) => pages::map_at(file, total, base),
        None => Err(std::io::ErrorKind::InvalidInput.into()),
    };
    equal.or_else(|why| {
        tracing::debug!(%why, "the symmetric heap is not at the address that it has on other PEs");
        pages::map_aligned(file, 0, total, HEAP_ALIGN)
    })
}

impl NodeMemory {
    fn map(layout: Layout, index: usize, file: OwnedFd) -> Result<NodeMemory> {
        let total = layout.total()?;
        let base = map(&layout, index, &file, total).map_err(|cause| {
            Error::because(
                format!(
                    "mapping the node's symmetric memory ({} of address space for {} PEs); a smaller SHMEM_SYMMETRIC_SIZE, or a \
                     larger limit of address space (ulimit -v), makes it fit",
                    Bytes(total as u64),
                    layout.pes
                ),
                cause,
            )
        })?;
        // What is used is added as it is allocated. Refusal costs nothing but a longer core dump.
        // SAFETY: just mapped.
        let _ = unsafe { pages::in_core_files(base, total, false) };
        let file = GuardedFd::new(file).map_err(|cause| Error::because("keeping the node's memory file", cause))?;
        let own_heap = base as usize + layout.heap_at(index);
        let memory = NodeMemory { layout, index, own_heap, base, total, file };
        // Until it is allocated this PE cannot touch its own heap by mistake, and so take memory that nobody counts. Refusal costs nothing
        // else.
        let _ = memory.protect_heap(0, memory.layout.reserve(), libc::PROT_NONE);
        Ok(memory)
    }

    /// The sizes agreed on.
    pub fn layout(&self) -> &Layout {
        &self.layout
    }

    /// What its PEs say of themselves.
    pub fn roster(&self) -> Roster {
        // SAFETY: whoever created the file wrote it; worlds end before their memory is unmapped.
        unsafe { Roster::at(self.base, self.layout.pes) }
    }

    /// Which of the node's PEs this is.
    pub fn index(&self) -> usize {
        self.index
    }

    /// Where this PE's own heap begins.
    #[inline]
    pub fn own_heap(&self) -> usize {
        self.own_heap
    }

    /// The control area of one of the node's PEs.
    pub fn control(&self, index: usize) -> *mut u8 {
        self.at(self.layout.control_at(index))
    }

    /// Its heap.
    pub fn heap(&self, index: usize) -> *mut u8 {
        self.at(self.layout.heap_at(index))
    }

    /// Its static data.
    pub fn statics(&self, index: usize) -> *mut u8 {
        self.at(self.layout.statics_at(index))
    }

    /// The file, and where in it this PE's static data go.
    pub fn statics_file(&self) -> Option<(BorrowedFd<'_>, u64)> {
        Some((self.file.file()?, self.layout.statics_at(self.index) as u64))
    }

    /// Where an address of this process is in the file, if it is in the part that all PEs map.
    pub fn offset_of(&self, address: usize) -> Option<usize> {
        Some(address.wrapping_sub(self.base as usize)).filter(|&offset| offset < self.total)
    }

    /// Where the process has the part of the file that PEs use, and how many bytes.
    pub fn mapped(&self) -> (usize, usize) {
        (self.base as usize, self.total)
    }

    /// Map the area behind that part, for notes about it. It stays mapped as long as the process is there: threads that are
    /// looked after may still be on their way out.
    pub fn map_check_area(&self) -> Result<Option<*mut u8>> {
        let (Some((at, size)), Some(file)) = (self.layout.check_area()?, self.file.file()) else { return Ok(None) };
        let mapped = pages::map_aligned(file, at as u64, size, HEAP_ALIGN);
        mapped.map(Some).map_err(|cause| {
            Error::because(
                format!(
                    "SHMEM_CHECK: mapping {} of address space for notes; a smaller SHMEM_SYMMETRIC_SIZE makes it fit",
                    Bytes(size as u64)
                ),
                cause,
            )
        })
    }

    /// Bytes of the node's heaps that have been touched so far.
    pub fn touched(&self) -> u64 {
        // A program that has closed the file has to do with a stricter count.
        self.file.file().and_then(|file| self.touched_of(file).ok()).unwrap_or(0)
    }

    fn touched_of(&self, file: BorrowedFd<'_>) -> std::io::Result<u64> {
        let layout = &self.layout;
        let within = |from: usize, to: usize| pages::touched_within(file, from as u64..to as u64);
        let end = layout.check_area().ok().flatten().map_or(self.total, |(at, size)| at + size);
        let rest = within(0, layout.heap_at(0))? + within(layout.statics_at(0), end)?;
        Ok(pages::touched(file)?.saturating_sub(rest))
    }

    /// Ask for large pages for all heaps of the node, whoever touches them first. Gives the bytes asked for.
    pub fn ask_for_large_pages(&self, offer: Offer) -> usize {
        let len = self.layout.heap_at(self.layout.pes) - self.layout.heap_at(0);
        // SAFETY: all of it is mapped.
        unsafe { pages::ask(self.heap(0), len, offer) }.unwrap_or(0)
    }

    /// Have our part of the file on one NUMA node as long as that has room. The policy is the file's, so that it holds for
    /// whoever touches the memory first.
    pub fn prefer(&self, node: u32) -> std::io::Result<()> {
        let layout = &self.layout;
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

    /// Let this PE use the first `len` bytes of its heap, and core dumps have them.
    pub fn open_heap(&self, len: usize) -> std::io::Result<()> {
        self.protect_heap(0, len, libc::PROT_READ | libc::PROT_WRITE)?;
        // Refusal costs the heap's part of a core dump.
        // SAFETY: the heap is mapped as far as its reserve, which `len` is within.
        let _ = unsafe { pages::in_core_files(self.heap(self.index), len, true) };
        Ok(())
    }

    /// Let this PE do so much with a part of its own heap: peers reach it by mappings of their own.
    fn protect_heap(&self, from: usize, len: usize, protection: libc::c_int) -> std::io::Result<()> {
        let begin = self.heap(self.index).wrapping_add(from);
        // SAFETY: our own heap is mapped as far as its reserve; what is in use stays accessible, for callers open more and never less.
        match unsafe { libc::mprotect(begin.cast(), len, protection) } {
            0 => Ok(()),
            _ => Err(std::io::Error::last_os_error()),
        }
    }

    /// Give the memory of our heap back to the node.
    pub fn release_heap(&self, len: usize) {
        if len > 0 {
            // By way of the mapping, which nobody can have taken from us. Where holes cannot be punched the memory goes
            // with the file, when the last PE ends.
            // By the C library, as for `drop`.
            // SAFETY: our own heap; whoever calls this has closed the world that hands out its addresses.
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
        // SAFETY: the mapping is ours, and whoever drops this has closed the world that hands out its addresses.
        // Static data mapped over the executable are a mapping of their own and stay. By the C library, whose calls tell an
        // MPI that keeps registrations of memory.
        let _ = unsafe { libc::munmap(self.base.cast(), self.total) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn introductions_survive_the_way() {
        let process = Process { namespace: 4026531836, number: 4711 };
        let one = Introduction {
            ceiling: 1 << 40,
            statics: 12288,
            executable: 77,
            checked: true,
            process,
            cpus: "0-3,8".into(),
        };
        assert_eq!(Introduction::decode(&one.encode()), Some(one));
        assert_eq!(Introduction::decode(&[0; 47]), None);
    }

    /// The kernel's policies of the mappings that begin in `[base, base + len)`, each once where they follow each other.
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
        let layout = Layout { pes: 2, roster: 4096, control: 4096, ceiling: HUGE_PAGE, statics: 4096, checked: false };
        let memory = NodeMemory::map(layout, 1, create(&layout, &[0; 4096]).unwrap()).unwrap();
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
        // The other's heap is in the mapping that follows our control area.
        assert_eq!(policies(&numa_maps, memory.control(1).wrapping_add(4096), HEAP_ALIGN), ["default"]);
        assert!(memory.prefer(100_000).is_err());
    }

    #[test]
    fn the_file_cannot_be_shortened() {
        let layout = Layout { pes: 2, roster: 4096, control: 4096, ceiling: HUGE_PAGE, statics: 0, checked: false };
        let file = create(&layout, &[0; 4096]).unwrap();
        assert!(ftruncate(&file, 0).is_err());
        let memory = NodeMemory::map(layout, 1, file).unwrap();
        assert!((memory.heap(0) as usize).is_multiple_of(HEAP_ALIGN));
        memory.open_heap(4096).unwrap();
        // SAFETY: the second PE's heap, mapped and opened above.
        unsafe { memory.heap(1).write(9) };
        assert!(memory.touched() >= 4096);
        memory.release_heap(4096);
        assert_eq!(memory.touched(), 0);
    }

    /// What a heap may still take is counted without what others of its file have taken.
    #[test]
    fn touched_are_heaps_alone() {
        let layout = Layout { pes: 2, roster: 4096, control: 8192, ceiling: HUGE_PAGE, statics: 16384, checked: false };
        let memory = NodeMemory::map(layout, 1, create(&layout, &[0; 4096]).unwrap()).unwrap();
        for index in 0..2 {
            // SAFETY: both are mapped, and so long.
            unsafe {
                memory.control(index).write_bytes(1, 8192);
                memory.statics(index).write_bytes(1, 16384);
            }
        }
        assert_eq!(memory.touched(), 0);
    }
}
