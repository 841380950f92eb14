//! What will run: every program found, every PE numbered and placed, before the first process starts.

use super::Refusal;
use super::options::{AppOptions, JobOptions, Request};
use ferrite_fabric::Pe;
use ferrite_topology::{BindTo, CpuSet, Machine, place};
use rustix::rand::{GetRandomFlags, getrandom};
use std::env;
use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// One program of the job.
#[derive(Debug)]
pub struct App {
    /// The file to execute.
    pub program: PathBuf,
    /// What it shall believe its name to be, and its arguments.
    pub words: Vec<OsString>,
    /// Where it starts.
    pub directory: Option<PathBuf>,
    /// Variables to set, beyond the environment of oshrun.
    pub set: Vec<(OsString, OsString)>,
}

/// One PE to start.
#[derive(Clone, Debug)]
pub struct Task {
    /// Its number.
    pub pe: Pe,
    /// What it runs.
    pub app: Rc<App>,
    /// Where, if it is to be bound.
    pub cpus: Option<CpuSet>,
}

/// The whole job.
#[derive(Debug)]
pub struct Plan {
    /// The options for all of it.
    pub job: JobOptions,
    /// Its PEs, in order.
    pub tasks: Vec<Task>,
    /// What `--report-bindings` says, a line a PE.
    pub bindings: Vec<String>,
}

/// Sixteen bytes that only the job knows: over connections, never in an argument or the environment.
pub fn draw_secret() -> Result<[u8; 16], Refusal> {
    let mut secret = [0; 16];
    // The kernel gives up to 256 bytes whole.
    let got = rustix::io::retry_on_intr(|| getrandom(&mut secret[..], GetRandomFlags::empty()));
    if got == Ok(secret.len()) {
        return Ok(secret);
    }
    Err(Refusal::new(format!("the kernel gave no random bytes for the job's secret ({got:?})")))
}

/// Turn the request into a plan, or say why that cannot be.
pub fn plan(request: Request) -> Result<Plan, Refusal> {
    let mut tasks: Vec<Task> = Vec::new();
    for options in request.apps {
        let count = match options.count {
            Some(count) => count as usize,
            None => cpus_allowed()?,
        };
        let app = Rc::new(find(options)?);
        let first = tasks.len();
        tasks.extend((first..first + count).map(|pe| Task { pe: Pe(pe as u32), app: app.clone(), cpus: None }));
    }
    let bindings = bind(&mut tasks, &request.job)?;
    Ok(Plan { job: request.job, tasks, bindings })
}

fn cpus_allowed() -> Result<usize, Refusal> {
    std::thread::available_parallelism()
        .map(usize::from)
        .map_err(|error| Refusal::new(format!("cannot count this process's CPUs ({error}): give -n N")))
}

/// Place all PEs, and describe it if asked to.
fn bind(tasks: &mut [Task], job: &JobOptions) -> Result<Vec<String>, Refusal> {
    if job.bind_to == Some(BindTo::None) && !job.report_bindings {
        return Ok(Vec::new());
    }
    let wrong = |what: &str, error: &dyn std::fmt::Display| Refusal::new(format!("{what}: {error}"));
    let machine = Machine::probe().map_err(|error| wrong("cannot read this machine's map", &error))?;
    let sets = place(&machine, tasks.len() as u32, job.map_by, job.bind_to)
        .map_err(|error| wrong("cannot place the PEs", &error))?;
    let mut lines = Vec::new();
    let host = host_name();
    for (task, cpus) in tasks.iter_mut().zip(sets) {
        if job.report_bindings {
            lines.push(format!("{} on host {host}: cpus {cpus} {}", task.pe, machine.draw(&cpus)));
        }
        task.cpus = Some(cpus);
    }
    Ok(lines)
}

/// This host's name, as users know it.
pub fn host_name() -> String {
    rustix::system::uname().nodename().to_string_lossy().into_owned()
}

fn find(options: AppOptions) -> Result<App, Refusal> {
    let directory = options.wdir;
    if let Some(directory) = &directory {
        let wrong = |why: &dyn std::fmt::Display| Refusal::new(format!("--wdir {}: {why}", directory.display()));
        let found = directory.metadata().map_err(|error| wrong(&error))?;
        if !found.is_dir() {
            return Err(wrong(&"is not a directory"));
        }
    }
    let program = locate(&options.command[0], directory.as_deref())?;
    let set = options.export.into_iter().filter_map(variable).collect::<Result<_, _>>()?;
    Ok(App { program, words: options.command, directory, set })
}

/// The file behind a program's name: by its path if it has one, else in PATH, else in the directory where it starts.
fn locate(name: &OsString, directory: Option<&Path>) -> Result<PathBuf, Refusal> {
    let shown = name.to_string_lossy();
    let here = directory.unwrap_or(Path::new(".")).join(name);
    let mut candidates = Vec::new();
    if !name.as_bytes().contains(&b'/') {
        let path = variable_of_ours("PATH").unwrap_or_else(|| "/usr/local/bin:/usr/bin:/bin".into());
        candidates.extend(env::split_paths(&path).map(|entry| entry.join(name)));
    }
    candidates.push(here);
    let mut unfit = None;
    for candidate in candidates.into_iter().filter(|candidate| !name.is_empty() && candidate.exists()) {
        match fitness(&candidate) {
            None => return std::path::absolute(&candidate).map_err(|error| Refusal::new(format!("{shown}: {error}"))),
            Some(why) => unfit = unfit.or(Some(format!("{} {why}", candidate.display()))),
        }
    }
    Err(match unfit {
        Some(line) => Refusal { code: 126, line },
        None => Refusal {
            code: 127,
            line: format!("program `{shown}` is not found, neither in PATH nor where it would start"),
        },
    })
}

/// Why a file is no program, if it is none.
fn fitness(file: &Path) -> Option<String> {
    match file.metadata() {
        Err(error) => Some(format!("cannot be looked at: {error}")),
        Ok(found) if !found.is_file() => Some("is not a file".into()),
        Ok(found) if found.permissions().mode() & 0o111 == 0 => Some("is not executable (chmod +x)".into()),
        Ok(_) => None,
    }
}

/// A variable and its value, from `-x`. One that is not set is no reason to stop: scripts name what may be there.
fn variable(given: OsString) -> Option<Result<(OsString, OsString), Refusal>> {
    let bytes = given.as_bytes();
    let (name, value) = match bytes.iter().position(|&byte| byte == b'=') {
        Some(at) => (&bytes[..at], Some(OsString::from_vec(bytes[at + 1..].to_vec()))),
        None => (bytes, variable_of_ours(&given.to_string_lossy())),
    };
    if name.is_empty() {
        return Some(Err(Refusal::new(format!("-x {}: VARIABLE or VARIABLE=VALUE is right", given.to_string_lossy()))));
    }
    let name = OsString::from_vec(name.to_vec());
    if value.is_none() {
        eprintln!("oshrun: -x {}: not set here, so not passed on", name.to_string_lossy());
    }
    Some(Ok((name, value?)))
}

#[expect(clippy::disallowed_methods, reason = "the launcher passes on its environment; this is where it reads it")]
fn variable_of_ours(name: &str) -> Option<OsString> {
    env::var_os(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_shown_as_ranges() {
        assert_eq!([0, 1, 2, 3, 7, 9, 10].into_iter().collect::<CpuSet>().to_string(), "0-3,7,9-10");
        assert_eq!(CpuSet::default().to_string(), "");
    }

    #[test]
    fn programs_are_found_or_the_reason_is_given() {
        assert!(locate(&"sh".into(), None).unwrap().is_absolute());
        assert!(locate(&"./sh".into(), Some(Path::new("/bin"))).is_ok());
        assert!(locate(&"sh".into(), Some(Path::new("/nowhere"))).is_ok());
        for (name, code) in
            [("no-such-program-here", 127), ("./no-such", 127), ("/", 126), ("/etc/passwd", 126), ("", 127)]
        {
            assert_eq!(locate(&name.into(), None).unwrap_err().code, code, "{name}");
        }
    }

    #[test]
    fn secrets_differ() {
        assert_ne!(draw_secret().unwrap(), draw_secret().unwrap());
    }
}
