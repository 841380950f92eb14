//! `oshmem_info --doctor --report FILE`: one file with what a report of a bug needs.
//!
//! Nothing in it is secret: of the environment it has the library's own settings alone, and no setting holds a key. It names the host, its
//! addresses and the paths of the installation, and its head says so.

use super::{Detail, sections};
use crate::{prefix::Prefix, stderr::print_line};
use ferrite_os::files::{Kind, Place};
use std::{fs, path::Path};

const HEAD: &str = "\
# Report for a bug of Ferrite. Add what you ran, what you expected, and what came instead.
# It names this host, its network addresses, and paths. It has Ferrite's settings, and no other variables of the environment.
";

/// The place of a report.
pub(super) struct BugReport<'a> {
    path: &'a Path,
    place: Place,
}

impl BugReport<'_> {
    /// Check that a report can be written there, before the doctor's minutes of work.
    pub(super) fn begin(path: &Path) -> Result<BugReport<'_>, String> {
        let place = Place::of(path).and_then(|place| place.check(Kind::File).map(|()| place));
        place.map(|place| BugReport { path, place }).map_err(|error| cannot(path, &error))
    }

    /// Write the report, and say so.
    pub(super) fn write(&self, prefix: &Prefix, findings: &str) -> Result<(), String> {
        let mut text = format!("{HEAD}\nSystem\n{}\n", system());
        text.extend(sections(prefix).iter().map(|section| section.write(false, Detail::All)));
        text += &format!("\nDoctor\n{findings}\nLimits of this process\n{}", contents("/proc/self/limits"));
        let written = self.place.write_file(0o644, |out| out.write_all(text.as_bytes()));
        written.map_err(|error| cannot(self.path, &error))?;
        print_line(format_args!("oshmem_info: the report is in {}; read it before you send it", self.path.display()));
        Ok(())
    }
}

fn cannot(path: &Path, error: &std::io::Error) -> String {
    format!("cannot write the report {}: {error}", path.display())
}

/// The kernel, the distribution, and the C library that runs this program.
fn system() -> String {
    let kernel = rustix::system::uname();
    let [name, release, machine] =
        [kernel.sysname(), kernel.release(), kernel.machine()].map(|word| word.to_string_lossy().into_owned());
    let os = contents("/etc/os-release");
    let distribution = os.lines().find_map(|line| line.strip_prefix("PRETTY_NAME=")).unwrap_or("unknown");
    format!("  kernel        {name} {release} {machine}\n  distribution  {}\n", distribution.trim_matches('"'))
}

fn contents(path: &str) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| format!("cannot read {path}: {error}\n"))
}
