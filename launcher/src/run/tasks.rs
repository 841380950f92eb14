//! What a host starts: its PEs, placed on its CPUs. oshrun does this for its own host, an agent for its own.

use super::Refusal;
use super::orders::{App, Orders};
use super::spawn::Task;
use ferrite_fabric::Pe;
use ferrite_topology::{BindTo, Machine, MapBy, Placement, place_programs};
use std::ffi::OsStr;
use std::fmt::Display;
use std::fs::File;
use std::io::Read;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The PEs of `node`, and what `--report-bindings` says of them.
pub fn of_node(orders: &Orders, node: u32, host: &str) -> Result<(Vec<Task>, Vec<String>), Refusal> {
    let pes: Vec<Pe> = orders.nodes.pes_of(node).collect();
    let task = |(local, &pe): (usize, &Pe)| Task { pe, app: orders.app_number(pe.0), local, cpus: None };
    let mut tasks: Vec<Task> = pes.iter().enumerate().map(task).collect();
    let mut checked = usize::MAX;
    for task in &tasks {
        if checked != task.app {
            check(&orders.apps[task.app])?;
            checked = task.app;
        }
    }
    let lines = bind(&mut tasks, orders, host)?;
    Ok((tasks, lines))
}

/// A program that cannot run here is found before anything is started.
fn check(app: &App) -> Result<(), Refusal> {
    if let Some(directory) = &app.directory {
        let wrong = |why: &dyn Display| Refusal::new(format!("--wdir {}: {why}", directory.display()));
        if !directory.metadata().map_err(|error| wrong(&error))?.is_dir() {
            return Err(wrong(&"is not a directory"));
        }
    }
    match fitness(&app.program) {
        None => Ok(()),
        Some(why) => {
            let code = if app.program.exists() { 126 } else { 127 };
            Err(Refusal { code, line: format!("program {} {why}", app.program.display()) })
        }
    }
}

/// Why a file is no program, if it is none.
pub fn fitness(file: &Path) -> Option<String> {
    match file.metadata() {
        Err(error) => Some(format!("cannot be looked at: {error}")),
        Ok(found) if !found.is_file() => Some("is not a file".into()),
        Ok(found) if found.permissions().mode() & 0o111 == 0 => Some("is not executable (chmod +x)".into()),
        Ok(_) => script_interpreter(file)
            .filter(|interpreter| !interpreter.exists())
            .map(|interpreter| format!("is a script for {}, which is not there", interpreter.display())),
    }
}

/// What is to read a script, by its first line. Nothing for other programs, and for those that only the kernel may read.
fn script_interpreter(file: &Path) -> Option<PathBuf> {
    // The kernel looks no further into the file.
    let mut line = Vec::new();
    File::open(file).ok()?.take(256).read_to_end(&mut line).ok()?;
    let line = line.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?.trim_ascii();
    let word = line.split(u8::is_ascii_whitespace).next().filter(|word| !word.is_empty())?;
    Some(PathBuf::from(OsStr::from_bytes(word)))
}

/// Place all PEs, and describe it if asked to.
fn bind(tasks: &mut [Task], orders: &Orders, host: &str) -> Result<Vec<String>, Refusal> {
    let wrong = |what: &str, error: &dyn Display| Refusal::new(format!("{what}: {error}"));
    let [map_by, bind_to] = &orders.placement;
    let map_by: MapBy = map_by.parse().map_err(|error| wrong("--map-by", &error))?;
    let bind_to: Option<BindTo> = match bind_to.as_str() {
        "" => None,
        wish => Some(wish.parse().map_err(|error| wrong("--bind-to", &error))?),
    };
    // What `ppr` allows is looked at even where nobody is bound.
    let has_effect = bind_to != Some(BindTo::None) || orders.report_bindings || matches!(map_by, MapBy::Ppr { .. });
    if tasks.is_empty() || !has_effect {
        return Ok(Vec::new());
    }
    let machine = Machine::probe().map_err(|error| wrong("cannot read this machine's map", &error))?;
    let programs: Vec<u32> = tasks.chunk_by(|a, b| a.app == b.app).map(|tasks| tasks.len() as u32).collect();
    let placements =
        place_programs(&machine, &programs, map_by, bind_to).map_err(|error| wrong("cannot place the PEs", &error))?;
    let (pes, cpus) = (tasks.len(), machine.usable.len());
    let mut lines = Vec::new();
    if orders.report_bindings && pes > cpus {
        lines.push(format!("oshrun: host {host}: {pes} PEs share {cpus} cpus, so none is bound"));
    }
    for (task, placement) in tasks.iter_mut().zip(placements) {
        if orders.report_bindings {
            let Placement { cpus, rails, .. } = &placement;
            let nics = machine.name_nics(rails);
            lines.push(format!("oshrun: {} on host {host}: cpus {cpus} {}{nics}", task.pe, machine.draw(cpus)));
        }
        task.cpus = placement.bound.then_some(placement.cpus);
    }
    Ok(lines)
}
