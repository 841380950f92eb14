//! The PEs that a host starts, with their programs and cpus. oshrun makes this list for its own host, and each agent for its host.

use super::Refusal;
use super::bind::bind;
use super::descriptor_limit;
use super::job_spec::{App, JobSpec};
use super::needed_libraries::reason_to_refuse;
use super::spawn::Task;
use ferrite_fabric::Pe;
use rustix::fs::{Access, access};
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The PEs of `node`, and lines about their binding for the user.
pub fn of_node(spec: &JobSpec, node: u32, host: &str) -> Result<(Vec<Task>, Vec<String>), Refusal> {
    descriptor_limit::check(spec.nodes.count_of(node))?;
    let pes = spec.nodes.pes_of(node);
    let task = |(local, &pe): (usize, &Pe)| Task { pe, app: spec.app_number(pe.0), local, cpus: None, gpus: None };
    let mut tasks: Vec<Task> = pes.iter().enumerate().map(task).collect();
    let mut checked = usize::MAX;
    for task in &tasks {
        if checked != task.app {
            check(spec, &spec.apps[task.app])?;
            checked = task.app;
        }
    }
    let lines = bind(&mut tasks, spec, host)?;
    Ok((tasks, lines))
}

/// Check that a program can run here, before anything is started.
fn check(spec: &JobSpec, app: &App) -> Result<(), Refusal> {
    match &app.directory {
        Some(directory) => check_directory(directory)?,
        None => enterable(&spec.directory).map_err(|why| cannot_start_in(&spec.directory, &why))?,
    }
    match fitness(&app.program) {
        None => {
            let reason = reason_to_refuse(&app.program, spec.nodes.size());
            let refusal = |why| Err(Refusal { code: 126, line: format!("program {} {why}", app.program.display()) });
            reason.map_or(Ok(()), refusal)
        }
        Some(why) => {
            let code = if app.program.exists() { 126 } else { 127 };
            Err(Refusal { code, line: format!("program {} {why}", app.program.display()) })
        }
    }
}

/// Check that programs can start in the directory of `--wdir`.
pub fn check_directory(directory: &Path) -> Result<(), Refusal> {
    enterable(directory).map_err(|why| Refusal::new(format!("--wdir {}: {why}", directory.display())))
}

/// The error if programs cannot start in the directory in which oshrun was started.
pub fn cannot_start_in(directory: &Path, why: &dyn Display) -> Refusal {
    let directory = directory.display();
    Refusal::new(format!("cannot start in {directory}, where oshrun was started (--wdir DIR elsewhere): {why}"))
}

/// Check that this is a directory which this user may enter.
fn enterable(directory: &Path) -> io::Result<()> {
    if !directory.metadata()?.is_dir() {
        return Err(io::Error::other("is not a directory"));
    }
    let access = access(directory, Access::EXEC_OK);
    access.map_err(|error| io::Error::other(format!("cannot be entered: {}", io::Error::from(error))))
}

/// The reason why a file cannot be executed, if it cannot.
pub fn fitness(file: &Path) -> Option<String> {
    match file.metadata() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Some("does not exist".into()),
        Err(error) => Some(format!("cannot be examined: {error}")),
        Ok(found) if !found.is_file() => Some("is not a file".into()),
        Ok(found) if found.permissions().mode() & 0o111 == 0 => Some("is not executable (chmod +x)".into()),
        Ok(_) => script_interpreter(file).filter(|interpreter| !interpreter.exists()).map(|interpreter| {
            let name = interpreter.display().to_string();
            let hint = if name.ends_with('\r') { " (its lines end in CR LF, as Windows writes them)" } else { "" };
            format!("is a script for {}, which is not there{hint}", name.escape_debug())
        }),
    }
}

/// The interpreter that the first line of a script names. `None` for other programs, and for files that cannot be read.
fn script_interpreter(file: &Path) -> Option<PathBuf> {
    // The kernel reads no more of the file.
    let mut line = Vec::new();
    File::open(file).ok()?.take(256).read_to_end(&mut line).ok()?;
    let line = line.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    // For the kernel, only blanks and tabs separate words.
    let word = line.split(|&byte| byte == b' ' || byte == b'\t').find(|word| !word.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(word)))
}
