//! Whether MPICH is in this process: it may need the connection that this library would use.
//!
//! MPICH's own mpiexec answers two libraries that begin on one connection. Slurm answers only the first: the other waits for ever.

use ferrite_fabric::{Error, Result};
use std::fs;

/// Refuse to share Slurm's connection with MPICH, whichever of the two would begin.
pub(crate) fn refuse_to_share(launcher: &str) -> Result<()> {
    if !launcher.starts_with("Slurm") {
        return Ok(());
    }
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let Some(library) = among(&maps) else { return Ok(()) };
    Err(Error::new(format!(
        "{launcher} serves one library by PMI, and MPICH ({library}) needs it: start the program by MPICH's mpiexec, or start Ferrite by \
         environment: FERRITE_BOOT=tcp://HOST:PORT, and FERRITE_RANK and FERRITE_SIZE from SLURM_PROCID and SLURM_NTASKS, see \
         ferrite_start(7)"
    )))
}

/// The file of MPICH, or of a library with its binary interface, among the mappings of a process.
fn among(maps: &str) -> Option<&str> {
    let names = maps.lines().filter_map(|line| line.rsplit_once('/').map(|(_, name)| name));
    names.into_iter().find(|name| name.starts_with("libmpich.so.") || name.starts_with("libmpi.so.12"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mpich_is_told_from_open_mpi() {
        let map = |path: &str| format!("7f5a-7f5b r-xp 00000000 fe:00 1311 {path}\n7f5c-7f5d rw-p 00000000 00:00 0\n");
        for (path, expected) in [
            ("/usr/lib/x86_64-linux-gnu/libmpich.so.12.2.2", Some("libmpich.so.12.2.2")),
            ("/opt/mpich/lib/libmpi.so.12.3.1", Some("libmpi.so.12.3.1")),
            ("/usr/lib/x86_64-linux-gnu/libmpi.so.40.30.4", None),
            ("/usr/lib/libmpichcxx.so.12", None),
            ("/opt/libmpich.so.12/program", None),
            ("", None),
        ] {
            assert_eq!(among(&map(path)), expected, "{path}");
        }
    }

    #[test]
    fn other_launchers_are_shared() {
        assert!(refuse_to_share("MPICH's mpiexec").is_ok());
    }
}
