//! An installed OpenSHMEM: its compiler, its launcher, and how that launcher is spoken to.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;

use crate::Error;
use crate::build::Builder;
use crate::over::Over;

/// Whether the PEs of a run are pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Binding {
    /// One core a PE.
    Core,
    /// As the kernel likes: what jobs with more PEs than cores need.
    None,
}

/// What a launcher understands beyond `-n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, clap::ValueEnum)]
pub enum Dialect {
    /// Ferrite's own launcher.
    Ferrite,
    /// Open MPI's `oshrun`: runs as root only when told twice, oversubscribes only when told, and its 4.1 series over
    /// UCX crashes in finalize unless its memory hooks are off.
    Openmpi,
    /// A Hydra launcher, as Sandia OpenSHMEM and OSSS-UCX use.
    Hydra,
    /// Unknown: only `-n` is given, and nothing is pinned unless `--peer-args` says so.
    Plain,
}

impl Dialect {
    fn arguments(self, binding: Binding) -> &'static [&'static str] {
        match (self, binding) {
            (Self::Ferrite, Binding::Core) => &["--bind-to", "core"],
            (Self::Ferrite, Binding::None) => &["--oversubscribe", "--bind-to", "none"],
            (Self::Openmpi, Binding::Core) => {
                &["--mca", "opal_common_ucx_opal_mem_hooks", "0", "--oversubscribe", "--bind-to", "core"]
            }
            (Self::Openmpi, Binding::None) => {
                &["--mca", "opal_common_ucx_opal_mem_hooks", "0", "--oversubscribe", "--bind-to", "none"]
            }
            (Self::Hydra, Binding::Core) => &["-bind-to", "core"],
            (Self::Hydra, Binding::None) | (Self::Plain, _) => &[],
        }
    }

    fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Openmpi => &[("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")],
            Self::Ferrite | Self::Hydra | Self::Plain => &[],
        }
    }

    /// How it is told what to go over; one that cannot be told goes over what it was built for.
    fn way(self, over: Over) -> &'static [(&'static str, &'static str)] {
        match (self, over) {
            (_, Over::Memory) => &[],
            (Self::Ferrite, Over::Tcp) => &[("SHMEM_TRANSPORT", "tcp")],
            (Self::Ferrite, Over::LibfabricTcp) => &[("SHMEM_TRANSPORT", "libfabric"), ("SHMEM_OFI_PROVIDER", "tcp")],
            (Self::Ferrite, Over::UcxTcp) => &[("SHMEM_TRANSPORT", "ucx"), ("UCX_TLS", "tcp,self")],
            (Self::Ferrite, Over::UcxPosix) => &[("SHMEM_TRANSPORT", "ucx"), ("UCX_TLS", "posix,self")],
            (Self::Openmpi, Over::UcxPosix) => &[("UCX_TLS", "posix,self")],
            // Its collectives are MPI's, which would go through shared memory whatever UCX may use.
            (Self::Openmpi, Over::Tcp | Over::LibfabricTcp | Over::UcxTcp) => {
                &[("UCX_TLS", "tcp,self"), ("OMPI_MCA_btl", "tcp,self")]
            }
            (Self::Hydra | Self::Plain, _) => &[],
        }
    }

    /// What the launcher's `--version` gives away.
    fn recognise(version: &str) -> Option<Self> {
        let version = version.to_lowercase();
        if version.contains("openrte") || version.contains("open mpi") {
            Some(Self::Openmpi)
        } else if version.contains("hydra") {
            Some(Self::Hydra)
        } else if version.contains("ferrite") {
            Some(Self::Ferrite)
        } else {
            None
        }
    }
}

/// One side of a comparison.
#[derive(Clone, Debug)]
pub struct Installation {
    /// What the launcher says of its version, first line.
    pub version: String,
    /// How its launcher is spoken to.
    pub dialect: Dialect,
    oshrun: PathBuf,
    arguments: Vec<String>,
    builder: Builder,
}

impl Installation {
    /// Looks at what is installed. `unknown` is the dialect of a launcher that does not give itself away.
    pub fn find(
        oshcc: &Path,
        oshrun: &Path,
        dialect: Option<Dialect>,
        unknown: Dialect,
        arguments: Vec<String>,
        work: &Path,
    ) -> Result<Self, Error> {
        for file in [oshcc, oshrun] {
            if !file.is_file() {
                let file = file.display();
                return Err(format!("{file} is not there; give the prefix of an installed OpenSHMEM").into());
            }
        }
        let version = version_of(oshrun);
        let dialect = dialect.or_else(|| Dialect::recognise(&version)).unwrap_or(unknown);
        let version = version.lines().find(|line| !line.trim().is_empty()).unwrap_or("(says no version)").to_owned();
        Ok(Self { version, dialect, oshrun: oshrun.to_owned(), arguments, builder: Builder::new(oshcc, work)? })
    }

    /// Its programs.
    pub fn builder(&self) -> &Builder {
        &self.builder
    }

    /// `oshrun ... -n PES PROGRAM...`, ready to be given its arguments.
    pub fn launch(&self, pes: u32, binding: Binding, over: Over) -> Command {
        let mut command = Command::new(&self.oshrun);
        command.args(self.dialect.arguments(binding)).args(&self.arguments).arg("-n").arg(pes.to_string());
        command.envs(self.dialect.environment().iter().chain(self.dialect.way(over)).copied());
        command
    }
}

fn version_of(oshrun: &Path) -> String {
    let Ok(output) = Command::new(oshrun).arg("--version").output() else { return String::new() };
    let mut said = String::from_utf8_lossy(&output.stdout).into_owned();
    said.push_str(&String::from_utf8_lossy(&output.stderr));
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launchers_give_themselves_away() {
        assert_eq!(Dialect::recognise("oshrun (OpenRTE) 4.1.4\n"), Some(Dialect::Openmpi));
        assert_eq!(Dialect::recognise("HYDRA build details:\n    Version: 4.0.2"), Some(Dialect::Hydra));
        assert_eq!(Dialect::recognise("oshrun (Ferrite) 0.1.0"), Some(Dialect::Ferrite));
        assert_eq!(Dialect::recognise("something else"), None);
    }

    #[test]
    fn a_missing_installation_is_named() {
        let nowhere = Path::new("/nobody/bin/oshcc");
        let error = Installation::find(nowhere, nowhere, None, Dialect::Plain, Vec::new(), Path::new("/nobody"));
        assert!(error.unwrap_err().to_string().starts_with("/nobody/bin/oshcc is not there"));
    }
}
