//! The packages: an archive, a Debian package, a Python wheel, and the sources with all crates, with their checksums.
//!
//! Two builds of one commit give the same bytes: every time stamp is the commit's, every path in built files is below `/usr/src`, and
//! archives list their files in a fixed order, owned by root.

mod archive;
mod deb;
mod licences;
pub mod portable;
mod recipes;
mod source;
mod symbols;
pub mod tree;
mod wheel;

use crate::{Result, dist, repo};
use std::{
    fs,
    path::{self, Path, PathBuf},
    process::Command,
};

/// The version of all packages.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");

/// Name of the file of checksums.
const SUMS: &str = "SHA256SUMS";

/// Options of `package`.
#[derive(clap::Args)]
pub struct Options {
    /// Directory for the packages [default: target/packages]
    #[arg(long)]
    out: Option<PathBuf>,
    /// Pack this installation, made by `cargo xtask dist`, instead of one that is built for old systems
    #[arg(long, value_name = "PREFIX")]
    installed: Option<PathBuf>,
    /// Make packages of this kind only; may be repeated
    #[arg(long, value_enum)]
    only: Vec<Kind>,
}

/// A kind of package.
#[derive(clap::ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
enum Kind {
    /// The installation, and its debug files, as archives that may be unpacked anywhere
    Tarball,
    /// The Debian package, and its debug symbols
    Deb,
    /// The Python wheel
    Wheel,
    /// The sources, with all crates, and the recipes that build them
    Source,
}

const KINDS: [Kind; 4] = [Kind::Tarball, Kind::Deb, Kind::Wheel, Kind::Source];

/// Input and output of all kinds of packages.
pub struct Job {
    /// The installation, without its list of files and its debug files.
    pub tree: PathBuf,
    /// Its debug files, in the same layout.
    pub debug: PathBuf,
    /// A directory for intermediate files.
    pub work: PathBuf,
    /// The directory of the packages.
    pub out: PathBuf,
    /// Time stamp of all files, in seconds since 1970.
    pub epoch: u64,
    /// Whether compression may take minutes: not for packages of an existing installation, which are made for a test.
    pub is_patient: bool,
}

impl Job {
    /// Path of a package with this file name.
    pub fn package(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// An empty directory for this run.
    pub fn scratch(&self, name: &str) -> Result<PathBuf> {
        empty(&self.work.join(name))
    }
}

pub fn run(options: &Options) -> Result {
    let out = options.out.clone().unwrap_or_else(|| repo::target_dir().join("packages"));
    let out = path::absolute(&out).map_err(|e| format!("{}: {e}", out.display()))?;
    let work = repo::target_dir().join("package");
    let kinds = if options.only.is_empty() { &KINDS[..] } else { &options.only };
    let job = Job {
        tree: empty(&work.join("tree"))?,
        debug: empty(&work.join("debug"))?,
        out: empty(&out)?,
        epoch: epoch()?,
        is_patient: options.installed.is_none(),
        work,
    };
    if kinds.iter().any(|kind| *kind != Kind::Source) {
        let prefix = match &options.installed {
            Some(prefix) => prefix.clone(),
            None => build(&job)?,
        };
        tree::stage(&job, &prefix)?;
        if options.installed.is_none() {
            runs_on_old_systems(&job.tree)?;
        }
    }
    for kind in kinds {
        match kind {
            Kind::Tarball => archive::packages(&job),
            Kind::Deb => deb::packages(&job),
            Kind::Wheel => wheel::package(&job),
            Kind::Source => source::package(&job).and_then(|()| recipes::package(&job)),
        }?;
    }
    sums(&job.out)
}

/// Build for old systems, with the same output in every build directory.
fn build(job: &Job) -> Result<PathBuf> {
    let prefix = job.work.join("prefix");
    let portable = portable::Build::prepare(&job.work)?;
    dist::portable(&prefix, &portable)?;
    Ok(prefix)
}

/// Check that the built files run on the systems that they are built for.
fn runs_on_old_systems(tree: &Path) -> Result {
    match symbols::newest_below(tree)? {
        Some(newest) if newest > portable::GLIBC => {
            Err(format!("the built programs need glibc {newest}, and must run with {}", portable::GLIBC))
        }
        _ => Ok(()),
    }
}

/// Write the checksums of all packages, in the format of `sha256sum --check`.
fn sums(out: &Path) -> Result {
    let entries = fs::read_dir(out).map_err(|e| format!("reading {}: {e}", out.display()))?;
    let mut names: Vec<String> =
        entries.flatten().map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    let text = repo::output(Command::new("sha256sum").current_dir(out).args(&names))?;
    repo::write(&out.join(SUMS), &text)?;
    for name in names {
        let size = fs::metadata(out.join(&name)).map_or(0, |meta| meta.len());
        println!("{:7.1} MB  {}", size as f64 / 1e6, out.join(name).display());
    }
    Ok(())
}

/// The time stamp of all files: `SOURCE_DATE_EPOCH` if it is set, else the commit's time, else the time of the unpacked sources.
fn epoch() -> Result<u64> {
    #[expect(clippy::disallowed_methods, reason = "a chore of the build heeds the convention of reproducible builds")]
    let asked = std::env::var("SOURCE_DATE_EPOCH").ok();
    if let Some(asked) = asked {
        return asked
            .parse()
            .map_err(|_| format!("SOURCE_DATE_EPOCH is `{asked}`; expected a number of seconds since 1970"));
    }
    let commit = repo::output(Command::new("git").current_dir(repo::root()).args(["log", "-1", "--format=%ct"]));
    if let Some(time) = commit.ok().and_then(|text| text.trim().parse().ok()) {
        return Ok(time);
    }
    let manifest = repo::root().join("Cargo.toml");
    let modified = fs::metadata(&manifest).and_then(|meta| meta.modified());
    let modified = modified.map_err(|e| format!("{}: {e}", manifest.display()))?;
    modified.duration_since(std::time::UNIX_EPOCH).map(|age| age.as_secs()).map_err(|e| e.to_string())
}

/// Make an empty directory; an existing one is removed first.
fn empty(path: &Path) -> Result<PathBuf> {
    let step = |what: &str, done: std::io::Result<()>| done.map_err(|e| format!("{what} {}: {e}", path.display()));
    if path.exists() {
        step("removing", fs::remove_dir_all(path))?;
    }
    step("making", fs::create_dir_all(path)).map(|()| path.to_owned())
}
