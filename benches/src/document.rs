//! The result of a session: the head and the rows, which all reports are made of. The JSON file also contains every single run.

use std::fmt;
use std::fs;
use std::path::Path;

use ferrite_os::files::Place;
use serde::{Deserialize, Serialize};

use crate::Error;
use crate::catalog::Job;
use crate::distance::Thresholds;
use crate::installation::{Dialect, Installation};
use crate::machine::Machine;
use crate::record::Record;
use crate::rows::Row;
use crate::transport::Transport;

/// An installation, as results name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Installed {
    /// First line of the launcher's `--version`.
    pub version: String,
    /// The installation's prefix.
    pub prefix: String,
    /// The dialect of its launcher.
    pub dialect: Dialect,
}

impl From<&Installation> for Installed {
    fn from(side: &Installation) -> Self {
        Self { version: side.version.clone(), prefix: side.prefix.display().to_string(), dialect: side.dialect }
    }
}

impl fmt::Display for Installed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in {}", self.version, self.prefix)
    }
}

impl Installed {
    pub fn name(&self) -> &'static str {
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
        if let Some(hosts) = &self.hosts {
            writeln!(f, "over hosts {hosts}")?;
        }
        if self.machine.load > 0.5 {
            writeln!(f, "something else was running on this machine: these numbers are noisy")?;
        }
        Ok(())
    }
}

/// The results, which reports are made of.
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
                    return Err(format!("{} was measured on another machine than the others", path.display()).into());
                }
                Some(all) => {
                    all.head.peer = all.head.peer.take().or(one.head.peer);
                    all.rows.extend(one.rows);
                }
            }
        }
        all.ok_or_else(|| "no results were named".into())
    }
}

/// A whole session, from which a later reader can judge the table again.
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
