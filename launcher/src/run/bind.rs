//! What the PEs of a host are bound to, and what is said of it.
//!
//! Binding is a help that most jobs do not ask for. Where the machine does not tell its map, or its kernel refuses, only
//! those that do ask end.

use super::Refusal;
use super::job_spec::JobSpec;
use super::spawn::Task;
use ferrite_topology::{BindTo, Error, Machine, MapBy, Placement, Wishes, place_programs, try_binding};
use std::fmt::Display;

/// What the user has said.
struct Said {
    wishes: Wishes,
    report: bool,
}

impl Said {
    fn of(spec: &JobSpec) -> Result<Said, Refusal> {
        let [map_by, bind_to, each] = &spec.placement;
        let bind_to = Some(bind_to).filter(|wish| !wish.is_empty()).map(|wish| wish.parse()).transpose();
        let wishes = Wishes {
            map_by: map_by.parse().map_err(|error| wrong("--map-by", &error))?,
            bind_to: bind_to.map_err(|error| wrong("--bind-to", &error))?,
            cpus_per_pe: each.parse().map_err(|error| wrong("--cpus-per-pe", &error))?,
        };
        Ok(Said { wishes, report: spec.report_bindings })
    }

    /// Whether the map is looked at: what `ppr` allows is, even where nobody is bound.
    fn has_effect(&self) -> bool {
        let Wishes { map_by, bind_to, .. } = self.wishes;
        bind_to != Some(BindTo::None) || self.report || matches!(map_by, MapBy::Ppr { .. })
    }

    /// What PEs were asked to be bound to.
    fn binding(&self) -> Option<BindTo> {
        self.wishes.bind_to.filter(|&wish| wish != BindTo::None)
    }

    /// What is said of PEs that are not bound, to those who want to know.
    fn unkept(&self, host: &str, why: &dyn Display) -> Option<String> {
        match self.binding() {
            Some(wish) => Some(format!("oshrun: host {host}: --bind-to {wish} is not kept: {why}")),
            None if self.report => Some(format!("oshrun: host {host}: PEs are not bound: {why}")),
            None => None,
        }
    }
}

fn wrong(what: &str, error: &dyn Display) -> Refusal {
    Refusal::new(format!("{what}: {error}"))
}

/// Bind the PEs of a host, and give what is to be said of it.
pub fn bind(tasks: &mut [Task], spec: &JobSpec, host: &str) -> Result<Vec<String>, Refusal> {
    let said = Said::of(spec)?;
    if tasks.is_empty() || !said.has_effect() {
        return Ok(Vec::new());
    }
    let machine = match Machine::probe() {
        Ok(machine) => machine,
        Err(error) if said.binding().is_none() && !said.wishes.map_by.names_parts() => {
            return Ok(Vec::from_iter(said.unkept(host, &error)));
        }
        Err(error) => return Err(wrong("cannot read this machine's map", &error)),
    };
    let (placements, why) = placed(&machine, tasks, &said)?;
    let mut lines = Vec::from_iter(why.and_then(|why| said.unkept(host, &why)));
    for (task, placement) in tasks.iter_mut().zip(placements) {
        let Placement { cpus, unbound, rails } = placement;
        if said.report {
            let free = if unbound.is_some() { "not bound, " } else { "" };
            let (drawn, nics) = (machine.draw(&cpus), machine.name_nics(&rails));
            lines.push(format!("oshrun: {} on host {host}: {free}cpus {cpus} {drawn}{nics}", task.pe));
        }
        task.cpus = unbound.is_none().then_some(cpus);
    }
    Ok(lines)
}

/// What each PE gets, and why none is bound if that needs saying.
fn placed(machine: &Machine, tasks: &[Task], said: &Said) -> Result<(Vec<Placement>, Option<String>), Refusal> {
    let programs: Vec<u32> = tasks.chunk_by(|a, b| a.app == b.app).map(|tasks| tasks.len() as u32).collect();
    let place = |bind_to| {
        let placements = place_programs(machine, &programs, Wishes { bind_to, ..said.wishes });
        placements.map_err(|error| wrong("cannot place the PEs", &error))
    };
    let placements = place(said.wishes.bind_to)?;
    let why =
        placements[0].unbound.as_ref().filter(|_| said.wishes.bind_to != Some(BindTo::None)).map(ToString::to_string);
    match refused(&placements[0]) {
        None => Ok((placements, why)),
        Some(error) => match said.binding() {
            Some(wish) => {
                let (pe, cpus) = (tasks[0].pe, &placements[0].cpus);
                Err(Refusal::new(format!("--bind-to {wish}: {pe} would be on cpus {cpus}: {error}")))
            }
            None => Ok((place(Some(BindTo::None))?, Some(error.to_string()))),
        },
    }
}

/// Why the kernel does not bind a PE, if it does not. What it says of one it says of all: either nobody may be bound, or
/// the cpus are those that it has said this process may use.
fn refused(placement: &Placement) -> Option<Error> {
    if placement.unbound.is_some() { None } else { try_binding(&placement.cpus).err() }
}
