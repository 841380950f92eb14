//! Reads a machine's topology through hwloc, by running `ferrite-hwloc`, the only program that is linked to hwloc.
//!
//! Used to display the topology. Placement reads sysfs instead: that takes a hundredth of the time, and every PE reads sysfs too.

use std::{
    ffi::OsStr,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::Command,
};

use ferrite_topology::Machine;

use crate::{prefix::Prefix, program_path};

const PROGRAM: &str = "ferrite-hwloc";

/// The topology of this machine, or of the machine in the file `xml`, and hwloc's version. An error is one line.
pub fn ask(prefix: &Prefix, xml: Option<&Path>) -> Result<(Machine, String), String> {
    let program = program(prefix).ok_or_else(|| format!("{PROGRAM} is not installed"))?;
    ask_of(program.as_os_str(), xml)
}

/// The path of the program: in the installation, or beside this program, where cargo puts it.
fn program(prefix: &Prefix) -> Option<PathBuf> {
    let built = program_path::file().ok().map(|program| program.with_file_name(PROGRAM));
    [Some(prefix.libexecdir().join(PROGRAM)), built].into_iter().flatten().find(|program| program.is_file())
}

fn ask_of(program: &OsStr, xml: Option<&Path>) -> Result<(Machine, String), String> {
    let told =
        Command::new(program).args(xml).output().map_err(|error| format!("{PROGRAM} does not start: {error}"))?;
    if let Some(signal) = told.status.signal() {
        let file = xml.map(|file| format!(" over {}", file.display())).unwrap_or_default();
        return Err(format!("{PROGRAM} was killed by signal {signal}{file}"));
    }
    if !told.status.success() {
        // The last line is the reason: hwloc may print lines before it, and the dynamic linker prints one line only.
        let text = String::from_utf8_lossy(&told.stderr);
        let reason = text.lines().rfind(|line| !line.trim().is_empty()).unwrap_or("no reason was given");
        return Err(reason.to_owned());
    }
    let text = String::from_utf8_lossy(&told.stdout);
    let (version, listing) = text.split_once('\n').unwrap_or((&text, ""));
    let machine = Machine::from_listing(listing).map_err(|error| format!("{PROGRAM}: {error}"))?;
    Ok((machine, version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn refused(program: &str, xml: Option<&str>, words: &str) {
        let why = ask_of(program.as_ref(), xml.map(Path::new)).unwrap_err();
        assert!(why.contains(words), "{why}");
    }

    #[test]
    fn whatever_the_program_does_there_is_a_reason() {
        refused("/nowhere/ferrite-hwloc", None, "does not start");
        refused("true", None, "ends early");
        refused("false", None, "no reason was given");
        refused("echo", Some("package"), "ends early");
        refused("cat", Some("/nowhere/map.xml"), "/nowhere/map.xml");
    }
}
