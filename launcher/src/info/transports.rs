//! What can carry a job's traffic: what this build uses, and what this machine has that it does not use.

use super::{
    loader::{self, Found},
    memory,
    report::{Row, Section},
};

/// A library that this machine may have.
struct Library {
    name: &'static str,
    soname: &'static str,
    package: &'static str,
    what: &'static str,
}

/// Those that this build does not speak to.
const LIBRARIES: [Library; 2] = [
    Library { name: "libfabric", soname: "libfabric.so.1", package: "libfabric", what: "network" },
    Library { name: "ucx", soname: "libucp.so.0", package: "ucx", what: "network" },
];

/// The one that it loads where a launcher speaks PMIx.
const PMIX: Library = Library { name: "pmix", soname: "libpmix.so.2", package: "pmix", what: "process manager" };

/// Why none of them is used.
const SHARED_MEMORY_ALONE: &str = "this build communicates by shared memory alone, between the PEs of one machine";

/// What was found, and why it is used or not.
pub(super) fn section() -> Section {
    let shared = match memory::shares_memory() {
        Ok(()) => "used: all PEs of a machine map each other's memory".to_owned(),
        Err(why) => format!("cannot be used: {why}"),
    };
    let mut rows = vec![Row::new("shm", shared), Row::new("tcp", "not in this build").with("why", SHARED_MEMORY_ALONE)];
    rows.extend(LIBRARIES.iter().map(|library| row(library, loader::find(library.soname, library.package))));
    rows.push(process_manager(loader::find(PMIX.soname, PMIX.package)));
    Section { key: "transport", title: "Transports", rows }
}

fn process_manager(found: Option<Found>) -> Row {
    let row = match found {
        None => Row::new(PMIX.name, format!("{} not found: jobs under mpirun or srun --mpi=pmix need it", PMIX.soname)),
        Some(found) => {
            let version = found.version.as_ref().map(|version| format!("{version} ")).unwrap_or_default();
            let text = format!("{version}found at {}, loaded where a launcher speaks PMIx", found.path.display());
            Row::new(PMIX.name, text).with("file", found.file.display().to_string())
        }
    };
    row.with("kind", PMIX.what)
}

fn row(library: &Library, found: Option<Found>) -> Row {
    let row = match found {
        None => Row::new(library.name, format!("not in this build; {} not found", library.soname)),
        Some(found) => {
            let version = found.version.as_ref().map(|version| format!(" {version}")).unwrap_or_default();
            let text = format!("not in this build;{version} found at {}", found.path.display());
            Row::new(library.name, text).with("file", found.file.display().to_string())
        }
    };
    row.with("kind", library.what).with("why", SHARED_MEMORY_ALONE)
}
