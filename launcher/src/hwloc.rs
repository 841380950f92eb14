//! The map by hwloc, asked of `ferrite-hwloc`: the one program that is linked to it.
//!
//! It is asked where the map is shown. What places PEs reads sysfs, which takes a hundredth of the time and is what
//! each PE reads too.

use std::{
    ffi::OsStr,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::Command,
};

use ferrite_topology::Machine;

use crate::{own, prefix::Prefix};

const PROGRAM: &str = "ferrite-hwloc";

/// The map of this machine, or of the one that `xml` describes, and the version of the library that looked at it; or
/// why it cannot be had, in a line.
pub fn ask(prefix: &Prefix, xml: Option<&Path>) -> Result<(Machine, String), String> {
    let program = program(prefix).ok_or_else(|| format!("{PROGRAM} is not installed"))?;
    ask_of(program.as_os_str(), xml)
}

/// Where the program is: in an installation, or beside this one, where cargo leaves it.
fn program(prefix: &Prefix) -> Option<PathBuf> {
    let built = own::file().ok().map(|program| program.with_file_name(PROGRAM));
    [Some(prefix.libexecdir().join(PROGRAM)), built].into_iter().flatten().find(|program| program.is_file())
}

fn ask_of(program: &OsStr, xml: Option<&Path>) -> Result<(Machine, String), String> {
    let told =
        Command::new(program).args(xml).output().map_err(|error| format!("{PROGRAM} does not start: {error}"))?;
    if let Some(signal) = told.status.signal() {
        let file = xml.map(|file| format!(" over {}", file.display())).unwrap_or_default();
        return Err(format!("{PROGRAM} was ended by signal {signal}{file}"));
    }
    if !told.status.success() {
        // The last line is the reason: hwloc may have had its say before, and the dynamic linker says one line alone.
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
