//! The introductions of a host's PEs, stored once for all of them, at the beginning of the memory that they share.
//!
//! ```text
//! | row of PE 0 | row of PE 1 | ... | lists of cpus |
//! ```
//!
//! The first PE writes the roster with `pwrite` before it sends the memory file to the others: data that a process writes to a file before
//! it sends the file over a socket are visible to the process that receives and maps it. The roster is never written after that, so plain
//! loads read it. No PE needs its own table of the other PEs, and no PE asks the launcher for its neighbours' introductions.

use super::Introduction;
use core::{
    mem::{offset_of, size_of},
    slice,
};
use ferrite_os::process::Process;
use ferrite_topology::CpuSet;

#[repr(C)]
struct Row {
    executable: u64,
    statics: u64,
    process: [u64; 2],
    /// Offset and length of the list of the PE's CPUs.
    cpus: [u32; 2],
}

const ROW: usize = size_of::<Row>();

/// The roster of a host with `pes` PEs. The mapping outlives it.
#[derive(Clone, Copy)]
pub struct Roster {
    base: *const u8,
    pes: usize,
}

// SAFETY: the memory behind `base` is mapped for as long as the world lives, and does not change.
unsafe impl Send for Roster {}
// SAFETY: as above.
unsafe impl Sync for Roster {}

/// The CPUs on which the PEs of a host may run. Most PEs have the same set.
#[derive(Default, Debug)]
pub struct HostCpus {
    sets: Vec<CpuSet>,
    /// Index in `sets` for each PE.
    of: Vec<u32>,
}

/// Estimated size of the roster of `pes` PEs, most of which have the same list of CPUs.
pub(super) fn about(pes: usize) -> usize {
    (pes * 2 * ROW).next_multiple_of(4096)
}

/// Encode the roster of these PEs, in whole pages.
pub(super) fn write(introductions: &[Introduction]) -> Vec<u8> {
    let mut bytes = vec![0; introductions.len() * ROW];
    let mut lists: Vec<(&str, [u32; 2])> = Vec::new();
    for (index, one) in introductions.iter().enumerate() {
        let cpus = lists.iter().find(|(list, _)| *list == one.cpus).map(|(_, place)| *place);
        let cpus = cpus.unwrap_or_else(|| {
            let place = [bytes.len() as u32, one.cpus.len() as u32];
            bytes.extend(one.cpus.as_bytes());
            lists.push((&one.cpus, place));
            place
        });
        let row = &mut bytes[index * ROW..][..ROW];
        let mut put = |at: usize, word: &[u8]| row[at..at + word.len()].copy_from_slice(word);
        put(offset_of!(Row, executable), &one.executable.to_ne_bytes());
        put(offset_of!(Row, statics), &one.statics.to_ne_bytes());
        put(offset_of!(Row, process), &one.process.namespace.to_ne_bytes());
        put(offset_of!(Row, process) + 8, &one.process.number.to_ne_bytes());
        put(offset_of!(Row, cpus), &cpus[0].to_ne_bytes());
        put(offset_of!(Row, cpus) + 4, &cpus[1].to_ne_bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(4096), 0);
    bytes
}

impl Roster {
    /// The roster at `base`.
    ///
    /// # Safety
    /// [`write`] made it, of `pes` introductions, and it stays mapped as long as any copy of this value is used.
    pub unsafe fn at(base: *const u8, pes: usize) -> Roster {
        Roster { base, pes }
    }

    fn row(&self, index: usize) -> &Row {
        assert!(index < self.pes, "PE {index} of {} on this host", self.pes);
        // SAFETY: by the contract of `at`.
        unsafe { &*self.base.wrapping_add(index * ROW).cast() }
    }

    /// Identity of the executable of that PE, and the size of its static data.
    pub fn program(&self, index: usize) -> (u64, u64) {
        let row = self.row(index);
        (row.executable, row.statics)
    }

    /// The process of that PE.
    pub fn process(&self, index: usize) -> Process {
        let [namespace, number] = self.row(index).process;
        Process { namespace, number }
    }

    /// The CPUs of all PEs.
    pub fn cpus(&self) -> HostCpus {
        let text = |[at, len]: [u32; 2]| {
            // SAFETY: `write` put the lists at these offsets, and the roster is never written again.
            let bytes = unsafe { slice::from_raw_parts(self.base.wrapping_add(at as usize), len as usize) };
            str::from_utf8(bytes).unwrap_or_default()
        };
        HostCpus::new((0..self.pes).map(|index| text(self.row(index).cpus)))
    }
}

impl HostCpus {
    /// Build the sets from the kernel's lists, one for each PE. A PE that does not know where it may run has an empty set.
    pub fn new<'l>(lists: impl Iterator<Item = &'l str>) -> HostCpus {
        let (mut texts, mut cpus) = (Vec::new(), HostCpus::default());
        for list in lists {
            let at = texts.iter().position(|&text| text == list).unwrap_or_else(|| {
                texts.push(list);
                cpus.sets.push(list.parse().unwrap_or_default());
                texts.len() - 1
            });
            cpus.of.push(at as u32);
        }
        cpus
    }

    /// Number of PEs of the host.
    pub fn pes(&self) -> usize {
        self.of.len()
    }

    /// The CPUs of one PE.
    pub fn get(&self, index: usize) -> Option<&CpuSet> {
        self.of.get(index).map(|&at| &self.sets[at as usize])
    }

    /// The CPUs of each PE.
    pub fn iter(&self) -> impl Iterator<Item = &CpuSet> {
        self.of.iter().map(|&at| &self.sets[at as usize])
    }

    /// The distinct sets, each with the number of PEs that have it.
    pub fn sets(&self) -> impl Iterator<Item = (&CpuSet, usize)> {
        let count = |at| self.of.iter().filter(|&&of| of as usize == at).count();
        self.sets.iter().enumerate().map(move |(at, set)| (set, count(at)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[repr(align(4096))]
    struct Page([u8; 4096]);

    #[test]
    fn what_pes_say_is_read_as_it_was_said() {
        let of = |number: u64, cpus: &str| Introduction {
            ceiling: 1 << 40,
            statics: 4096 * number,
            executable: 70 + number,
            checked: false,
            process: Process { namespace: 4_026_531_836, number },
            cpus: cpus.into(),
        };
        let all = [of(1, "0-1"), of(2, "8"), of(3, "0-1"), of(4, "")];
        let written = write(&all);
        assert_eq!(written.len(), 4096);
        assert!(written.len() <= about(all.len()));
        let mut page = Page([0; 4096]);
        page.0.copy_from_slice(&written);
        // SAFETY: the page was written for these introductions and lives as long as the roster.
        let roster = unsafe { Roster::at(page.0.as_ptr(), all.len()) };
        for (index, one) in all.iter().enumerate() {
            assert_eq!(roster.program(index), (one.executable, one.statics));
            assert!(roster.process(index) == one.process);
        }
        let cpus = roster.cpus();
        let lists: Vec<String> = cpus.iter().map(CpuSet::to_string).collect();
        assert_eq!(lists, ["0-1", "8", "0-1", ""]);
        let sets: Vec<(String, usize)> = cpus.sets().map(|(set, count)| (set.to_string(), count)).collect();
        assert_eq!(sets, [("0-1".to_owned(), 2), ("8".to_owned(), 1), (String::new(), 1)]);
    }
}
