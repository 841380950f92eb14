//! An installed OpenSHMEM: its compiler and its launcher.
//!
//! Launchers differ in the options that pin PEs, keep a job on this host and select a transport.

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde::{Deserialize, Serialize};

use crate::Error;
use crate::build::Builder;
use crate::transport::Transport;

/// Whether the PEs of a run are pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Binding {
    /// One core for each PE.
    Core,
    /// Left to the kernel, for jobs with more PEs than cores.
    None,
}

/// Options that a launcher has beyond `-n`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Dialect {
    /// Ferrite's own launcher.
    Ferrite,
    /// Open MPI's `oshrun`: root and oversubscription need extra options, and its 4.1 series over UCX crashes in finalize unless its
    /// memory hooks are off.
    Openmpi,
    /// A Hydra launcher, which Sandia OpenSHMEM and OSSS-UCX use.
    Hydra,
    /// Another launcher: it gets only `-n` and `--with-args`, so PEs are bound only if these say so.
    Plain,
}

impl Dialect {
    fn arguments(self, binding: Binding) -> &'static [&'static str] {
        match (self, binding) {
            (Self::Ferrite, Binding::Core) => &["--bind-to", "core"],
            (Self::Ferrite, Binding::None) => &["--oversubscribe", "--bind-to", "none"],
            // With more than two PEs, Open MPI's default spreads them over NUMA nodes, while the other launchers fill core after core.
            (Self::Openmpi, Binding::Core) => &["--oversubscribe", "--map-by", "core", "--bind-to", "core"],
            (Self::Openmpi, Binding::None) => &["--oversubscribe", "--bind-to", "none"],
            (Self::Hydra, Binding::Core) => &["-bind-to", "core", "-map-by", "core"],
            (Self::Hydra, Binding::None) | (Self::Plain, _) => &[],
        }
    }

    /// Options that keep a job on this host, whatever hosts a scheduler has allocated.
    ///
    /// Open MPI takes a slot for a core that a PE has to itself. Its PEs yield only if they outnumber the slots, so it gets the number of
    /// hardware threads. With a slot for each PE, a barrier of 4 PEs on 2 cores took 35 ms instead of 5 us.
    fn on_this_host(self, pes: u32, threads: usize) -> Vec<String> {
        let slots = if self == Self::Openmpi { threads } else { pes as usize };
        let host = format!("localhost:{slots}");
        let words: &[&str] = match self {
            Self::Ferrite | Self::Openmpi => &["--host", &host],
            Self::Hydra => &["-rmk", "user", "-launcher", "fork", "-host", "localhost"],
            Self::Plain => &[],
        };
        words.iter().map(|&word| word.to_owned()).collect()
    }

    /// Options that spread a job over these hosts, written as for `--host`.
    fn on_hosts(self, hosts: &str) -> Vec<String> {
        let option = match self {
            Self::Ferrite | Self::Openmpi => "--host",
            Self::Hydra => "-hosts",
            Self::Plain => return Vec::new(),
        };
        vec![option.to_owned(), hosts.to_owned()]
    }

    /// Variables for a launcher that looks for a scheduler's allocation by itself. Without them it may refuse a host outside of the
    /// allocation.
    fn unallocated(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Openmpi => &[("OMPI_MCA_ras", "^slurm,tm,lsf,gridengine"), ("OMPI_MCA_plm", "^slurm,tm,lsf")],
            Self::Ferrite | Self::Hydra | Self::Plain => &[],
        }
    }

    fn environment(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Openmpi => &[
                ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
                ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
                ("OMPI_MCA_opal_common_ucx_opal_mem_hooks", "0"),
            ],
            Self::Ferrite | Self::Hydra | Self::Plain => &[],
        }
    }

    /// Variables that select the transport. A launcher without such variables uses the transport that it was built for.
    fn transport(self, transport: &Transport) -> Vec<(&'static str, String)> {
        let ucx = transport.ucx_tls();
        match (self, transport) {
            (Self::Plain, _) | (_, Transport::Shm) => Vec::new(),
            (Self::Ferrite, Transport::Tcp) => vec![("SHMEM_TRANSPORT", "tcp".to_owned())],
            (Self::Ferrite, Transport::Libfabric(provider)) => {
                vec![("SHMEM_TRANSPORT", "libfabric".to_owned()), ("SHMEM_OFI_PROVIDER", provider.clone())]
            }
            (Self::Ferrite, Transport::Ucx(_)) => {
                vec![("SHMEM_TRANSPORT", "ucx".to_owned()), ("UCX_TLS", ucx.unwrap_or_default())]
            }
            // Both libraries that Hydra starts can be built over UCX, and Sandia's over libfabric; each reads its own variable.
            (Self::Hydra, Transport::Libfabric(provider)) => vec![("SHMEM_OFI_PROVIDER", provider.clone())],
            (Self::Hydra, _) => vec![("UCX_TLS", ucx.unwrap_or_else(|| "tcp,self".to_owned()))],
            (Self::Openmpi, _) => {
                let tls = ucx.unwrap_or_else(|| "tcp,self".to_owned());
                // Its collectives are MPI's, which would use shared memory whatever transports UCX is limited to.
                let shared = ["posix", "sysv", "sm"].iter().any(|word| tls.split(',').any(|one| one == *word));
                let mut variables = vec![("UCX_TLS", tls)];
                variables.extend((!shared).then(|| ("OMPI_MCA_btl", "tcp,self".to_owned())));
                variables
            }
        }
    }

    /// Recognise the launcher by its `--version`.
    fn recognise(version: &str) -> Option<Self> {
        let version = version.to_lowercase();
        // Ferrite's launcher prints its name directly followed by its version.
        let of_ferrite =
            version.strip_prefix("oshrun ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        if version.contains("openrte") || version.contains("open mpi") {
            Some(Self::Openmpi)
        } else if version.contains("hydra") {
            Some(Self::Hydra)
        } else if of_ferrite {
            Some(Self::Ferrite)
        } else {
            None
        }
    }
}

impl fmt::Display for Installation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.version, self.prefix.display())
    }
}

/// One side of a comparison.
#[derive(Clone, Debug, Serialize)]
pub struct Installation {
    /// Its name and version: `share/peer.txt` of its prefix, if that exists, else the first line of the launcher's `--version`.
    pub version: String,
    pub prefix: PathBuf,
    /// The dialect of its launcher.
    pub dialect: Dialect,
    oshrun: PathBuf,
    arguments: Vec<String>,
    hosts: Option<String>,
    #[serde(skip)]
    builder: Builder,
}

impl Installation {
    /// Find an installation. `unknown` is the dialect assumed for a launcher whose `--version` is not recognised.
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
                return Err(format!("{file} does not exist; give the prefix of an installed OpenSHMEM").into());
            }
        }
        let version = version_of(oshrun);
        let dialect = dialect.or_else(|| Dialect::recognise(&version)).unwrap_or(unknown);
        let prefix = oshrun.ancestors().nth(2).unwrap_or(oshrun).to_owned();
        let about = std::fs::read_to_string(prefix.join("share/peer.txt")).unwrap_or(version);
        let version = about.lines().find(|line| !line.trim().is_empty()).unwrap_or("(reports no version)").to_owned();
        let builder = Builder::new(oshcc, work)?;
        Ok(Self { version, prefix, dialect, oshrun: oshrun.to_owned(), arguments, hosts: None, builder })
    }

    /// Run on these hosts instead of this one.
    pub fn on_hosts(self, hosts: Option<String>) -> Self {
        Self { hosts, ..self }
    }

    /// The builder of its programs.
    pub fn builder(&self) -> &Builder {
        &self.builder
    }

    /// `oshrun ... -n PES`, to which the caller adds a program and its arguments. The job stays on this host, unless the user has named
    /// hosts or added launcher options.
    pub fn launch(&self, pes: u32, binding: Binding, transport: &Transport) -> Command {
        let mut command = Command::new(&self.oshrun);
        command.args(self.dialect.arguments(binding)).envs(self.dialect.environment().iter().copied());
        if let Some(hosts) = &self.hosts {
            command.args(self.dialect.on_hosts(hosts));
        } else if self.arguments.is_empty() {
            command
                .args(self.dialect.on_this_host(pes, hardware_threads()))
                .envs(self.dialect.unallocated().iter().copied());
        }
        command.args(&self.arguments).arg("-n").arg(pes.to_string());
        command.envs(self.dialect.transport(transport));
        command
    }
}

/// A launch as one would type it: the variables, the launcher and its options.
pub fn typed(command: &Command) -> String {
    let variables = command.get_envs().filter_map(|(name, value)| {
        let (name, value) = (name.to_string_lossy(), value?.to_string_lossy());
        let quote = if value.contains(|c: char| " ;^".contains(c)) { "'" } else { "" };
        Some(format!("{name}={quote}{value}{quote}"))
    });
    let program = Path::new(command.get_program()).file_name().unwrap_or_default().to_string_lossy().into_owned();
    let words = command.get_args().map(|word| word.to_string_lossy().into_owned());
    variables.chain([program]).chain(words).collect::<Vec<_>>().join(" ")
}

fn hardware_threads() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
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
    use std::sync::atomic::{AtomicU32, Ordering};

    #[test]
    fn launchers_give_themselves_away() {
        assert_eq!(Dialect::recognise("oshrun (OpenRTE) 4.1.4\n"), Some(Dialect::Openmpi));
        assert_eq!(Dialect::recognise("HYDRA build details:\n    Version: 4.0.2"), Some(Dialect::Hydra));
        assert_eq!(Dialect::recognise("oshrun 0.1.0\n"), Some(Dialect::Ferrite));
        assert_eq!(Dialect::recognise("something else"), None);
    }

    /// The words of a launch, and the names of its environment variables.
    fn launched(dialect: Dialect, binding: Binding, arguments: &[&str]) -> (String, Vec<String>) {
        // Tests run concurrently, some with the same dialect.
        static LAUNCHES: AtomicU32 = AtomicU32::new(0);
        let launch = LAUNCHES.fetch_add(1, Ordering::Relaxed);
        let work = std::env::temp_dir().join(format!("benches-launch-{}-{launch}", std::process::id()));
        let here = std::env::current_exe().unwrap();
        let arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        let builder = Builder::new(&here, &work).unwrap();
        let (version, prefix) = (String::new(), PathBuf::new());
        let side = Installation { version, prefix, dialect, oshrun: here, arguments, hosts: None, builder };
        let command = side.launch(4, binding, &Transport::Shm);
        std::fs::remove_dir_all(&work).unwrap();
        let words: Vec<_> = command.get_args().map(|word| word.to_string_lossy()).collect();
        let environment = command.get_envs().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
        (words.join(" "), environment)
    }

    #[test]
    fn pinned_pes_fill_core_after_core_of_this_host() {
        let threads = hardware_threads();
        for (dialect, words) in [
            (Dialect::Ferrite, "--bind-to core --host localhost:4 -n 4"),
            (
                Dialect::Openmpi,
                &*format!("--oversubscribe --map-by core --bind-to core --host localhost:{threads} -n 4"),
            ),
            (Dialect::Hydra, "-bind-to core -map-by core -rmk user -launcher fork -host localhost -n 4"),
            (Dialect::Plain, "-n 4"),
        ] {
            assert_eq!(launched(dialect, Binding::Core, &[]).0, words);
        }
    }

    #[test]
    fn open_mpi_has_a_slot_for_each_hardware_thread_and_not_for_each_pe() {
        assert_eq!(Dialect::Openmpi.on_this_host(8, 2), ["--host", "localhost:2"]);
        assert_eq!(Dialect::Openmpi.on_this_host(2, 16), ["--host", "localhost:16"]);
        assert_eq!(Dialect::Ferrite.on_this_host(8, 2), ["--host", "localhost:8"]);
    }

    #[test]
    fn arguments_of_the_user_leave_the_hosts_to_the_user() {
        let (words, _) = launched(Dialect::Ferrite, Binding::None, &["--host", "a,b"]);
        assert_eq!(words, "--oversubscribe --bind-to none --host a,b -n 4");
        let has_ras = |arguments: &[&str]| {
            launched(Dialect::Openmpi, Binding::Core, arguments).1.iter().any(|name| name == "OMPI_MCA_ras")
        };
        assert!(has_ras(&[]) && !has_ras(&["--report-bindings"]));
    }

    #[test]
    fn each_is_told_the_transport_in_its_own_words() {
        let told = |dialect: Dialect, transport: &str| {
            let words = dialect.transport(&transport.parse().unwrap());
            words.iter().map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(" ")
        };
        for (dialect, transport, words) in [
            (Dialect::Ferrite, "shm", ""),
            (Dialect::Ferrite, "tcp", "SHMEM_TRANSPORT=tcp"),
            (Dialect::Ferrite, "libfabric:shm", "SHMEM_TRANSPORT=libfabric SHMEM_OFI_PROVIDER=shm"),
            (Dialect::Ferrite, "ucx:rc+sm", "SHMEM_TRANSPORT=ucx UCX_TLS=rc,sm,self"),
            (Dialect::Openmpi, "tcp", "UCX_TLS=tcp,self OMPI_MCA_btl=tcp,self"),
            (Dialect::Openmpi, "libfabric:tcp", "UCX_TLS=tcp,self OMPI_MCA_btl=tcp,self"),
            (Dialect::Openmpi, "ucx:posix", "UCX_TLS=posix,self"),
            (Dialect::Hydra, "shm", ""),
            (Dialect::Hydra, "tcp", "UCX_TLS=tcp,self"),
            (Dialect::Hydra, "libfabric:sockets", "SHMEM_OFI_PROVIDER=sockets"),
            (Dialect::Plain, "tcp", ""),
        ] {
            assert_eq!(told(dialect, transport), words, "{dialect:?} {transport}");
        }
    }

    #[test]
    fn a_typed_launch_can_be_repeated_in_a_shell() {
        let mut command = Command::new("/opt/peer/bin/oshrun");
        command.args(["--bind-to", "core", "-n", "2"]).env("OMPI_MCA_ras", "^slurm").env("UCX_TLS", "tcp,self");
        let line = "OMPI_MCA_ras='^slurm' UCX_TLS=tcp,self oshrun --bind-to core -n 2";
        assert_eq!(typed(&command), line);
    }

    #[test]
    fn a_missing_installation_is_named() {
        let nowhere = Path::new("/nobody/bin/oshcc");
        let error = Installation::find(nowhere, nowhere, None, Dialect::Plain, Vec::new(), Path::new("/nobody"));
        assert!(error.unwrap_err().to_string().starts_with("/nobody/bin/oshcc does not exist"));
    }
}
