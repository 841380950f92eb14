//! The results of a session: a head and rows. All reports are made of these. The JSON file also contains every single run.

use std::fmt;
use std::fs;
use std::path::Path;

use ferrite_os::files::Place;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::catalog::Job;
use crate::distance::Thresholds;
use crate::installation::{Binding, Dialect, Installation, typed};
use crate::machine::Machine;
use crate::record::Record;
use crate::rows::Row;
use crate::transport::Transport;

/// An installation that was measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// Name and version, as the installation or its launcher prints them.
    pub version: String,
    pub prefix: String,
    /// The dialect of its launcher.
    pub dialect: Dialect,
    /// How its jobs were started: with a core for each PE, and with more PEs than cores. Results from before 0.3 lack it.
    #[serde(default)]
    pub launches: Vec<String>,
}

impl From<&Installation> for Installed {
    fn from(side: &Installation) -> Self {
        let launches = [(2, Binding::Core), (4, Binding::None)];
        let launches = launches.map(|(pes, binding)| typed(&side.launch(pes, binding, &Transport::Shm)));
        let (version, prefix) = (side.version.clone(), side.prefix.display().to_string());
        Self { version, prefix, dialect: side.dialect, launches: launches.into() }
    }
}

impl fmt::Display for Installed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.version, self.prefix)
    }
}

impl Installed {
    /// The name in tables and drawings. OSSS-UCX is started by Open MPI's launcher, so the version comes first.
    pub fn name(&self) -> &'static str {
        for name in ["Sandia OpenSHMEM", "OSSS-UCX"] {
            if self.version.starts_with(name) {
                return name;
            }
        }
        match self.dialect {
            Dialect::Ferrite => "Ferrite",
            Dialect::Openmpi => "Open MPI",
            Dialect::Hydra | Dialect::Plain => "peer",
        }
    }
}

/// Date, machine and installations of a session.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Head {
    pub date: String,
    /// The commit that the measured installation was built from, if it is known.
    pub commit: Option<String>,
    pub machine: Machine,
    /// The hosts, if PEs ran on other hosts than this one.
    pub hosts: Option<String>,
    pub ours: Installed,
    /// The installation that it was compared with.
    pub peer: Option<Installed>,
    /// Whether it was a session with `--quick`.
    pub quick: bool,
}

impl fmt::Display for Head {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let commit = self.commit.as_deref().map(|commit| format!(", commit {commit}")).unwrap_or_default();
        writeln!(f, "{}\n{}{commit}\nours: {}", self.machine, self.date, self.ours)?;
        if let Some(peer) = &self.peer {
            writeln!(f, "peer: {peer}")?;
        }
        for launch in self.peer.iter().flat_map(|peer| &peer.launches) {
            writeln!(f, "peer started by: {launch}")?;
        }
        if let Some(hosts) = &self.hosts {
            writeln!(f, "over hosts {hosts}")?;
        }
        if self.machine.load > 0.5 {
            writeln!(f, "something else was running on this machine: these numbers are noisy")?;
        }
        Ok(())
    }
}

/// The results of a session, from which reports are made.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Results {
    /// Properties that all rows share.
    #[serde(flatten)]
    pub head: Head,
    pub rows: Vec<Row>,
}

impl Results {
    /// The transports, in the order of the rows.
    pub fn transports(&self) -> Vec<&Transport> {
        let mut all: Vec<&Transport> = Vec::new();
        for row in &self.rows {
            if !all.contains(&&row.transport) {
                all.push(&row.transport);
            }
        }
        all
    }

    /// Read the results of several sessions and join them. Sessions of another processor are refused.
    pub fn read(paths: &[std::path::PathBuf]) -> Result<Self, Error> {
        let mut all: Option<Self> = None;
        for path in paths {
            let text = fs::read_to_string(path).map_err(|e| format!("cannot read {}: {e}", path.display()))?;
            let one: Self = serde_json::from_str(&text).map_err(|e| format!("{}: {e}", path.display()))?;
            match &mut all {
                None => all = Some(one),
                Some(all) if all.head.machine.processor != one.head.machine.processor => {
                    return Err(
                        format!("{} was measured on a different machine than the others", path.display()).into()
                    );
                }
                Some(all) => {
                    all.head.peer = all.head.peer.take().or(one.head.peer);
                    all.rows.extend(one.rows);
                }
            }
        }
        all.ok_or_else(|| "no results were given".into())
    }
}

/// All data of a session, so that a later reader can check the table.
#[derive(Serialize)]
pub struct Document<'a> {
    #[serde(flatten)]
    pub results: &'a Results,
    pub thresholds: Thresholds,
    /// Number of rounds planned, in each of which each side runs each job.
    pub rounds: u32,
    /// Each job, with its binding and arguments; runs name jobs by their index here.
    pub jobs: &'a [Job],
    pub record: &'a Record,
}

/// Write a text file. Errors name the file.
pub fn write(path: &Path, text: &str) -> Result<(), Error> {
    if let Some(directory) = path.parent() {
        fs::create_dir_all(directory).map_err(|e| format!("cannot make {}: {e}", directory.display()))?;
    }
    let written = Place::of(path).and_then(|place| place.write_file(0o666, |out| out.write_all(text.as_bytes())));
    written.map_err(|e| format!("cannot write {}: {e}", path.display()).into())
}
