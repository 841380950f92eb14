//! Compares the exports of an installed library with the table, and what the installation requires of glibc with what its packages may
//! require.

use crate::{
    Result,
    link::{self, Alias},
    package::portable,
    repo,
};
use ferrite_abi::{Routine, Status, everything, fortran::procedures, symbols};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

/// Options of `symbols`.
#[derive(clap::Args)]
pub struct Options {
    /// Prefix of the installed library [default: target/prefix]
    #[arg(long)]
    prefix: Option<PathBuf>,
}

/// A symbol in nm's output: its kind, and its address and size.
type Exports = BTreeMap<String, (char, String)>;

/// Check the installed libraries.
pub fn run(options: &Options) -> Result {
    let prefix = options.prefix.clone().unwrap_or_else(|| repo::target_dir().join("prefix"));
    let prefix = prefix.canonicalize().map_err(|error| format!("the prefix {}: {error}", prefix.display()))?;
    let (shared, archive) = (prefix.join("lib/libsma.so.1"), prefix.join("lib/libsma.a"));
    let expected = link::aliases();
    let mut wrong = compare(&exports(&shared, &["-D"])?, &expected, "libsma.so.1");
    wrong.extend(compare(&exports(&archive, &["-g"])?, &expected, "libsma.a"));
    wrong.extend(loading(&shared)?);
    wrong.extend(portable::missing_below(&prefix)?);
    if !wrong.is_empty() {
        wrong.truncate(20);
        return Err(wrong.join("\n"));
    }
    wrap(&prefix)?;
    println!("{}", summary());
    Ok(())
}

/// Check wrapping. If a program wraps a routine, as a profiling tool does, calls reach the wrapper, and the wrapper reaches the library by
/// the second name, with every kind of linking. Without a wrapper, both names are the same function.
fn wrap(prefix: &Path) -> Result {
    let dir = repo::scratch("tool");
    repo::write(&dir.join("program.c"), WRAPPING)?;
    let ways: [(&str, &[&str]); 3] = [
        ("dynamic", &["-lsma", "-Wl,-rpath,lib"]),
        ("archive", &["-l:libsma.a", "-lpthread", "-ldl", "-lm"]),
        ("static", &["-static", "-l:libsma.a", "-lpthread", "-ldl", "-lm", "-w"]),
    ];
    let include = prefix.join("include");
    let lib = prefix.join("lib");
    std::os::unix::fs::symlink(&lib, dir.join("lib")).map_err(|error| format!("linking {}: {error}", lib.display()))?;
    for (way, arguments) in ways {
        for wrapped in ["-DWRAPPED=0", "-DWRAPPED=1"] {
            let program = format!("./{way}{wrapped}");
            let mut cc = Command::new("cc");
            cc.current_dir(&dir).args(["-std=c99", "-Wall", "-Werror", wrapped, "program.c", "-o", &program]);
            cc.arg("-I").arg(&include).arg("-L").arg(&lib).args(arguments);
            repo::run(&mut cc)?;
            let said = repo::output(Command::new(&program).current_dir(&dir))?;
            if said.trim() != "good" {
                return Err(format!("{program}: {}", said.trim()));
            }
        }
    }
    Ok(())
}

/// A program that wraps a routine if `WRAPPED` is 1. It prints `good`, or an error.
const WRAPPING: &str = r#"
#include <pshmem.h>
#include <stdio.h>
static int wrapped;
#if WRAPPED
void shmem_info_get_version(int *major, int *minor) {
    wrapped++;
    pshmem_info_get_version(major, minor);
}
#endif
int main(void) {
    int major = 0, minor = 0;
    void (*public_name)(int *, int *) = shmem_info_get_version, (*second_name)(int *, int *) = pshmem_info_get_version;
    shmem_info_get_version(&major, &minor);
    pshmem_info_get_version(&major, &minor);
    if (major != SHMEM_MAJOR_VERSION || minor != SHMEM_MINOR_VERSION)
        printf("version %d.%d\n", major, minor);
    else if (wrapped != WRAPPED)
        printf("the wrapper was called %d times\n", wrapped);
    else if ((public_name == second_name) == WRAPPED)
        printf("the names are %s\n", WRAPPED ? "one" : "two");
    else
        puts("good");
    return 0;
}
"#;

/// The number of exported routines, in a line.
fn summary() -> String {
    let rows = everything();
    let count = |chosen: &dyn Fn(&Routine) -> bool| -> usize {
        rows.iter().filter(|row| chosen(row)).map(|row| symbols(row).len()).sum()
    };
    let in_spec =
        |row: &Routine| !matches!(row.facts.status, Status::Removed(_) | Status::Extension | Status::Vendor(_));
    let all = count(&in_spec);
    let pending = count(&|row| in_spec(row) && !row.served);
    let more = count(&|row| !in_spec(row) && row.served);
    let fortran = procedures();
    let waiting = fortran.iter().filter(|procedure| !procedure.served).count();
    format!(
        "{} of {all} routines exported under both names, {pending} pending; {more} outside of the specification; \
         {} of {} Fortran procedures",
        all - pending,
        fortran.len() - waiting,
        fortran.len()
    )
}

fn exports(library: &Path, how: &[&str]) -> Result<Exports> {
    let mut nm = Command::new("nm");
    let text = repo::output(nm.args(how).args(["--defined-only", "--format=posix"]).arg(library))?;
    let parse = |line: &str| {
        let (name, rest) = line.split_once(' ')?;
        let (kind, place) = rest.split_once(' ')?;
        Some((name.to_owned(), (kind.chars().next()?, place.to_owned())))
    };
    Ok(text.lines().filter_map(parse).collect())
}

/// Check that every alias has the address and size of its function, that public names are weak, and that nothing else is exported.
fn compare(found: &Exports, expected: &[Alias], library: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for Alias { name, of, weak } in expected {
        let kind = if *weak { 'W' } else { 'T' };
        match (found.get(name), found.get(of)) {
            (None, _) => wrong.push(format!("{library}: {name} is missing")),
            (_, None) => wrong.push(format!("{library}: {of} is missing")),
            (Some((is, public)), Some(('T', own))) if public == own && *is == kind => {}
            (Some((public, _)), Some((own, _))) => {
                let what = if *weak { "weak alias" } else { "strong alias" };
                wrong.push(format!("{library}: {name} ({public}) is not a {what} of {of} ({own})"));
            }
        }
    }
    let mut ours: BTreeSet<&str> = expected.iter().flat_map(|alias| [alias.name.as_str(), alias.of.as_str()]).collect();
    ours.extend(link::CHECK);
    let leaks = found.keys().filter(|name| !ours.contains(name.as_str()));
    wrong.extend(leaks.map(|name| format!("{library}: {name} is exported, and is not in the table")));
    wrong
}

/// Check the shared library's soname, and that it does not resolve API names through the dynamic linker: a call inside the library must not
/// reach a user's wrapper.
fn loading(shared: &Path) -> Result<Vec<String>> {
    let readelf = |how: &str| repo::output(Command::new("readelf").args([how, "-W"]).arg(shared));
    let mut wrong = Vec::new();
    let dynamic = readelf("-d")?;
    if !dynamic.contains("soname: [libsma.so.1]") {
        wrong.push("libsma.so.1: the soname is not libsma.so.1".to_owned());
    }
    if dynamic.contains("TEXTREL") {
        wrong.push("libsma.so.1: its code is relocated at load time".to_owned());
    }
    let relocated = readelf("-r")?;
    wrong.extend(
        relocated
            .lines()
            .filter(|line| line.contains("shmem_"))
            .map(|line| format!("libsma.so.1: resolves an API name through the dynamic linker: {line}")),
    );
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_leaks_or_has_no_alias_is_said() {
        let expected = [Alias { name: "shmem_a".to_owned(), of: "pshmem_a".to_owned(), weak: true }];
        let at = |kind, at: &str| (kind, at.to_owned());
        let found = |rows: &[(&str, char, &str)]| -> Exports {
            rows.iter().map(|(name, kind, address)| ((*name).to_owned(), at(*kind, address))).collect()
        };
        let good = [("shmem_a", 'W', "1"), ("pshmem_a", 'T', "1")];
        assert!(compare(&found(&good), &expected, "lib").is_empty());
        for bad in [
            vec![("shmem_a", 'W', "1")],
            vec![("pshmem_a", 'T', "1")],
            vec![("shmem_a", 'T', "1"), ("pshmem_a", 'T', "1")],
            vec![("shmem_a", 'W', "2"), ("pshmem_a", 'T', "1")],
            vec![good[0], good[1], ("rust_begin_unwind", 'T', "3")],
        ] {
            assert_eq!(compare(&found(&bad), &expected, "lib").len(), 1, "{bad:?}");
        }
    }
}
