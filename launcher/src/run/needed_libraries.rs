//! The libraries that a program is linked to, by the dynamic section of its file; and those that only Open MPI's launcher can serve.

use ferrite_os::elf::{self, half, long, word};
use std::fs::File;
use std::path::Path;

/// The most bytes of a table of a file that are read.
const TABLE_MAX: u64 = 1 << 22;
const PT_LOAD: u64 = 1;
const PT_DYNAMIC: u64 = 2;
const DT_NEEDED: u64 = 1;
const DT_STRTAB: u64 = 5;
const DT_STRSZ: u64 = 10;

/// Why this program must not be started as one of `pes` PEs, if it must not.
pub fn reason_to_refuse(program: &Path, pes: u32) -> Option<String> {
    let needed = needed(program).unwrap_or_default();
    let has = |begin: &str| needed.iter().find(|name| name.starts_with(begin));
    if let (Some(library), Some(_)) = (needed.iter().find(|name| is_of_mpich(name)), has("libsma.so.")) {
        // Each PE has one connection to oshrun, by one protocol.
        return Some(format!(
            "is linked to MPICH ({library}) and to OpenSHMEM: oshrun can serve only one of them; start it by MPICH's mpiexec, which \
             both know"
        ));
    }
    if pes == 1 {
        return None;
    }
    if let Some(library) = needed.iter().find(|name| name.starts_with("liboshmem.so.")) {
        return Some(format!(
            "was built with Open MPI's OpenSHMEM ({library}), which oshrun cannot start: each PE would be alone; compile it with \
             Ferrite's oshcc, or start it by Open MPI's mpirun"
        ));
    }
    let library = needed.iter().find(|name| is_of_open_mpi(name))?;
    Some(format!(
        "is linked to Open MPI ({library}), which oshrun cannot start: each PE would be alone in MPI; start it by Open MPI's mpirun, \
         which starts programs with OpenSHMEM too"
    ))
}

/// Whether a library is MPICH's, or has its binary interface. Fortran programs may be linked to the library of their language alone.
fn is_of_mpich(name: &str) -> bool {
    ["libmpich", "libmpi.so.12", "libmpifort.so.12"].iter().any(|begin| name.starts_with(begin))
}

/// Whether a library is Open MPI's. The libraries of MPICH and others with its binary interface have version 12.
fn is_of_open_mpi(name: &str) -> bool {
    let Some((library, version)) = name.split_once(".so.") else { return false };
    let is_mpi = library == "libmpi" || library.starts_with("libmpi_mpifh") || library.starts_with("libmpi_usempi");
    is_mpi && version.split('.').next().and_then(|major| major.parse().ok()).is_some_and(|major: u32| major >= 20)
}

/// The names of the libraries that a program of 64 bits and this byte order is linked to; `None` if the file is something else.
fn needed(program: &Path) -> Option<Vec<String>> {
    let file = File::open(program).ok()?;
    let table = |at, len| elf::table(&file, at, len, TABLE_MAX);
    let header = elf::header(&file)?;
    let (at, size, count) = (long(&header, 32)?, u64::from(half(&header, 54)?), u64::from(half(&header, 56)?));
    let segments = table(at, size * count)?;
    // Type, offset in the file, address, bytes in the file.
    let segments = segments.chunks_exact(usize::try_from(size).ok().filter(|&size| size >= 56)?);
    let segments: Vec<[u64; 4]> = segments
        .map(|one| Some([u64::from(word(one, 0)?), long(one, 8)?, long(one, 16)?, long(one, 32)?]))
        .collect::<Option<_>>()?;
    let &[_, at, _, len] = segments.iter().find(|segment| segment[0] == PT_DYNAMIC)?;
    let dynamic = table(at, len)?;
    let entries: Vec<(u64, u64)> =
        dynamic.chunks_exact(16).filter_map(|one| Some((long(one, 0)?, long(one, 8)?))).collect();
    let value = |tag| entries.iter().find(|entry| entry.0 == tag).map(|entry| entry.1);
    let (address, size) = (value(DT_STRTAB)?, value(DT_STRSZ)?);
    let is_around = |segment: &&[u64; 4]| segment[0] == PT_LOAD && address.wrapping_sub(segment[2]) < segment[3];
    let &[_, offset, base, _] = segments.iter().find(is_around)?;
    let names = table(offset.checked_add(address - base)?, size)?;
    let name = |at: u64| {
        let text = names.get(usize::try_from(at).ok()?..)?;
        Some(String::from_utf8_lossy(text.split(|&byte| byte == 0).next()?).into_owned())
    };
    Some(entries.iter().filter(|entry| entry.0 == DT_NEEDED).filter_map(|entry| name(entry.1)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_libraries_of_a_program_are_read_from_its_file() {
        let mine = needed(&std::env::current_exe().unwrap()).unwrap();
        assert!(mine.iter().any(|name| name.starts_with("libc.so.")), "{mine:?}");
        assert_eq!(reason_to_refuse(&std::env::current_exe().unwrap(), 2), None);
        for file in ["/proc/self/status", "/no/such/file", "/dev/null"] {
            assert_eq!(needed(Path::new(file)), None, "{file}");
        }
    }

    #[test]
    fn files_that_are_cut_or_wrong_are_no_programs() {
        let whole = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        let path = std::env::temp_dir().join(format!("needed-{}", std::process::id()));
        for len in [0, 5, 63, 64, 100, 800] {
            std::fs::write(&path, &whole[..len]).unwrap();
            assert_eq!(needed(&path), None, "{len} bytes");
        }
        for at in 32..64 {
            let mut wrong = whole[..4096].to_vec();
            wrong[at] ^= 0xff;
            std::fs::write(&path, wrong).unwrap();
            let _ = needed(&path);
        }
        std::fs::remove_file(&path).unwrap();
    }

    #[test]
    fn open_mpi_is_told_from_mpich() {
        for name in ["libmpich.so.12", "libmpichfort.so.12", "libmpi.so.12", "libmpifort.so.12"] {
            assert!(is_of_mpich(name) && !is_of_open_mpi(name), "{name}");
        }
        for (name, is) in [
            ("libmpi.so.40", true),
            ("libmpi.so.20", true),
            ("libmpi_mpifh.so.40", true),
            ("libmpi_abi.so.0", false),
            ("libsma.so.1", false),
            ("libmpi.so", false),
        ] {
            assert_eq!(is_of_open_mpi(name), is, "{name}");
            assert!(!is_of_mpich(name), "{name}");
        }
    }
}
