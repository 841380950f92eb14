//! The record of the last run: the last calls of its PEs, in one small file of the user's own, which each run replaces. `oshmem_info
//! --last-run` shows it.
//!
//! The file is in the user's runtime directory, which is memory and disappears with the session. If there is none, as in most batch jobs,
//! it is in the cache below the home directory. `FERRITE_LAST_RUN` names another file; if it is empty, nothing is recorded.

use super::job_spec::JobSpec;
use super::process_end::ProcessEnd;
use ferrite_diagnose::board::Board;
use ferrite_diagnose::status::Phase;
use ferrite_fabric::Pe;
use ferrite_os::files::Place;
use std::env;
use std::fs::DirBuilder;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// The environment variable that names another file.
pub const VARIABLE: &str = "FERRITE_LAST_RUN";
/// Up to this number of PEs all recorded calls of each PE are kept; in larger jobs, only the last [`FEW`].
const WHOLE: u32 = 64;
/// Number of calls that are kept of each PE of a larger job.
const FEW: usize = 16;
/// PEs from this number on are not recorded.
const PES: u32 = 4096;

/// The record of one PE.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Past {
    pub pe: Pe,
    /// Its state at the end, and its last calls.
    pub text: String,
}

impl Past {
    /// The record of a PE in a job of `size` PEs. `failure` is the end of a process that failed. `None` if the process was not a PE.
    pub fn of(pe: Pe, board: &Board, host: &str, size: u32, failure: Option<ProcessEnd>) -> Option<Past> {
        let seen = board.status.see(pe.0);
        if seen.phase == Phase::Absent || pe.0 >= PES {
            return None;
        }
        let now = match (failure, &seen.waiting, seen.phase) {
            (Some(end @ ProcessEnd::Signal { .. }), ..) => match board.status.death_place() {
                Some(place) => format!("{end}, {place}"),
                None => end.to_string(),
            },
            (Some(end), ..) => end.to_string(),
            (None, Some(waiting), _) => match &waiting.place {
                Some(place) => format!("waited in {} ({place})", waiting.name),
                None => format!("waited in {}", waiting.name),
            },
            (None, None, Phase::Left) => "has left the job".to_owned(),
            (None, None, _) => "was not waiting in the library".to_owned(),
        };
        let calls = board.past();
        let shown = if size <= WHOLE { &calls[..] } else { &calls[calls.len().saturating_sub(FEW)..] };
        let mut text = format!("{pe} on host {host} {now}; last calls, oldest first:\n");
        shown.iter().for_each(|call| {
            text.push_str("  ");
            text.push_str(call);
            text.push('\n');
        });
        Some(Past { pe, text })
    }
}

/// The possible files, in order of preference.
#[expect(
    clippy::disallowed_methods,
    reason = "the user's directories are no settings; commands read FERRITE_LAST_RUN here alone"
)]
pub fn places() -> Vec<PathBuf> {
    places_by(|name| env::var_os(name).map(PathBuf::from))
}

fn places_by(variable: impl Fn(&str) -> Option<PathBuf>) -> Vec<PathBuf> {
    if let Some(named) = variable(VARIABLE) {
        return Some(named).filter(|path| !path.as_os_str().is_empty()).into_iter().collect();
    }
    let directory = |name: &str| variable(name).filter(|path| path.is_absolute());
    let runtime = directory("XDG_RUNTIME_DIR");
    let cache = directory("XDG_CACHE_HOME").or_else(|| Some(directory("HOME")?.join(".cache")));
    [runtime, cache].into_iter().flatten().map(|path| path.join("ferrite").join("last-run")).collect()
}

/// The job's programs, as the user has named them.
pub fn command_line(spec: &JobSpec) -> String {
    let mut begin = 0;
    let programs = spec.apps.iter().map(|app| {
        let words: Vec<_> = app.words.iter().map(|word| word.to_string_lossy()).collect();
        let count = app.end - std::mem::replace(&mut begin, app.end);
        format!("-n {count} {}", words.join(" "))
    });
    format!("oshrun {}", programs.collect::<Vec<_>>().join(" : "))
}

/// Write the record of a run: its command and its end, then the PEs. If it cannot be written anywhere, it is lost.
pub fn keep(head: &str, mut pasts: Vec<Past>) {
    if pasts.is_empty() {
        return;
    }
    pasts.sort_by_key(|past| past.pe.0);
    let text: String = [head, "\n"].into_iter().chain(pasts.iter().map(|past| past.text.as_str())).collect();
    let _ = places().iter().find(|path| write(path, &text).is_ok());
}

/// Replace the file as a whole. Only the user may read it.
fn write(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let above = directory.parent().filter(|above| !above.as_os_str().is_empty());
    // The home directory and the runtime directory are not created here; the cache directory may be.
    if !directory.is_dir() {
        let base = above.filter(|above| above.is_dir() || above.ends_with(".cache"));
        let base = base.ok_or(io::ErrorKind::NotFound)?;
        DirBuilder::new().mode(0o700).recursive(base.parent().is_some_and(Path::is_dir)).create(directory)?;
    }
    Place::of(path)?.write_file(0o600, |out| out.write_all(text.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn the_users_own_directories_come_in_their_order() {
        let places = |variables: &[(&str, &str)]| {
            let found = |name: &str| variables.iter().find(|(one, _)| *one == name).map(|(_, value)| value.into());
            places_by(found).iter().map(|path| path.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            places(&[("XDG_RUNTIME_DIR", "/run/user/7"), ("HOME", "/h/u")]),
            ["/run/user/7/ferrite/last-run", "/h/u/.cache/ferrite/last-run"]
        );
        assert_eq!(places(&[("XDG_CACHE_HOME", "/c"), ("HOME", "/h/u")]), ["/c/ferrite/last-run"]);
        assert_eq!(places(&[("FERRITE_LAST_RUN", "/f"), ("HOME", "/h/u")]), ["/f"]);
        assert_eq!(places(&[("FERRITE_LAST_RUN", ""), ("HOME", "/h/u")]), [""; 0]);
        assert_eq!(places(&[]), [""; 0]);
    }

    #[test]
    fn a_crash_is_recorded_with_its_place() {
        let board: Box<Board> = Box::default();
        board.status.enter(Phase::Joined);
        let segv = Some(ProcessEnd::Signal { number: libc::SIGSEGV, core: false });
        let line = |end| Past::of(Pe(1), &board, "a", 2, end).unwrap().text.lines().next().unwrap().to_owned();
        assert_eq!(line(segv), "PE 1 on host a was killed by SIGSEGV; last calls, oldest first:");
        board.status.die("in shmem_putmem, called at m.c:21");
        let place =
            "PE 1 on host a was killed by SIGSEGV, in shmem_putmem, called at m.c:21; last calls, oldest first:";
        assert_eq!(line(segv), place);
        assert_eq!(line(Some(ProcessEnd::Exit(3))), "PE 1 on host a exited with 3; last calls, oldest first:");
    }

    #[test]
    fn a_run_replaces_the_last_one_for_the_user_alone() {
        let home = env::temp_dir().join(format!("ferrite-last-run-{}", std::process::id()));
        fs::create_dir(&home).unwrap();
        let path = home.join(".cache/ferrite/last-run");
        write(&path, "first, which is longer\n").unwrap();
        write(&path, "second\n").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "second\n");
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1, "nothing else stays");
        fs::remove_dir_all(&home).unwrap();
        assert!(write(&path, "a home that is not there\n").is_err() && !home.exists());
    }
}
