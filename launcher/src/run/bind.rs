//! Binds the PEs of a host to cpus, gives them GPUs, and makes the lines that `--report-bindings` prints.
//!
//! Most jobs do not request binding. If the machine's topology cannot be read, or the kernel refuses to bind, only a
//! job that requests it is refused.

use super::Refusal;
use super::core_claims::{CoreClaims, Turn};
use super::job_spec::JobSpec;
use super::spawn::Task;
use super::variables::of_variable;
use ferrite_topology::{
    BindTo, CpuSet, Error, GivenGpu, GpuWish, Machine, MapBy, Placement, Probe, Sysfs, Wishes, place_programs,
    try_binding,
};
use std::fmt::Display;

/// The user's options about binding.
struct BindRequest {
    wishes: Wishes,
    gpus: Option<GpuWish>,
    report: bool,
}

impl BindRequest {
    fn of(spec: &JobSpec) -> Result<BindRequest, Refusal> {
        let [map_by, bind_to, each, gpus] = &spec.placement;
        let bind_to = Some(bind_to).filter(|wish| !wish.is_empty()).map(|wish| wish.parse()).transpose();
        let wishes = Wishes {
            map_by: map_by.parse().map_err(|error| wrong("--map-by", &error))?,
            bind_to: bind_to.map_err(|error| wrong("--bind-to", &error))?,
            cpus_per_pe: each.parse().map_err(|error| wrong("--cpus-per-pe", &error))?,
        };
        let gpus = Some(gpus).filter(|wish| !wish.is_empty()).map(|wish| wish.parse()).transpose();
        let gpus = gpus.map_err(|error| wrong("--gpus", &error))?;
        Ok(BindRequest { wishes, gpus, report: spec.report_bindings })
    }

    /// Whether the topology is needed. `ppr` and `--gpus` need it even if no PE is bound.
    fn has_effect(&self) -> bool {
        let Wishes { map_by, bind_to, .. } = self.wishes;
        bind_to != Some(BindTo::None) || self.report || self.gpus.is_some() || matches!(map_by, MapBy::Ppr { .. })
    }

    /// The binding that the user requests, if any.
    fn binding(&self) -> Option<BindTo> {
        self.wishes.bind_to.filter(|&wish| wish != BindTo::None)
    }

    /// A line about PEs that are not bound, if the user has requested binding or a report.
    fn not_bound_message(&self, host: &str, why: &dyn Display) -> Option<String> {
        match self.binding() {
            Some(wish) => Some(format!("oshrun: host {host}: ignoring --bind-to {wish}: {why}")),
            None if self.report => Some(format!("oshrun: host {host}: PEs are not bound: {why}")),
            None => None,
        }
    }
}

fn wrong(what: &str, error: &dyn Display) -> Refusal {
    Refusal::new(format!("{what}: {error}"))
}

/// Set the cpus of the tasks of a host. Returns lines for the user.
pub fn bind(tasks: &mut [Task], spec: &JobSpec, host: &str) -> Result<Vec<String>, Refusal> {
    let request = BindRequest::of(spec)?;
    if tasks.is_empty() || !request.has_effect() {
        return Ok(Vec::new());
    }
    let here = Sysfs::here();
    let probe = if request.gpus.is_some() { here } else { here.without_gpus() };
    let machine = match probe.probe() {
        Ok(machine) => machine,
        Err(error) if request.binding().is_none() && request.gpus.is_none() && !request.wishes.map_by.names_parts() => {
            return Ok(Vec::from_iter(request.not_bound_message(host, &error)));
        }
        Err(error) => return Err(wrong("cannot read this machine's map", &error)),
    };
    let (placements, why, others) = placed_apart(&machine, tasks, &request)?;
    let mut lines = Vec::from_iter(why.and_then(|why| request.not_bound_message(host, &why)));
    if request.report && others == Others::Beside {
        lines.push(format!("oshrun: host {host}: other jobs have bound PEs to all cores; this job shares them"));
    }
    let gpus = gpus_of(&machine, &placements, &request)?;
    for ((task, placement), gpus) in tasks.iter_mut().zip(placements).zip(gpus) {
        let Placement { cpus, unbound, rails } = placement;
        if request.report {
            let free = if unbound.is_some() { "not bound, " } else { "" };
            let (drawn, nics) = (machine.draw(&cpus), machine.name_nics(&rails));
            let gpus = name_gpus(&gpus);
            lines.push(format!("oshrun: {} on host {host}: {free}CPUs {cpus} {drawn}{nics}{gpus}", task.pe));
        }
        task.cpus = unbound.is_none().then_some(cpus);
        let words: Vec<String> = gpus.into_iter().map(|gpu| gpu.word).collect();
        task.gpus = request.gpus.is_some().then(|| words.join(","));
    }
    Ok(lines)
}

/// The GPUs of each PE; none without `--gpus`.
fn gpus_of(machine: &Machine, placements: &[Placement], request: &BindRequest) -> Result<Vec<Vec<GivenGpu>>, Refusal> {
    let Some(wish) = request.gpus else { return Ok(vec![Vec::new(); placements.len()]) };
    let cpus: Vec<Option<CpuSet>> =
        placements.iter().map(|one| one.unbound.is_none().then(|| one.cpus.clone())).collect();
    let visible = of_variable("CUDA_VISIBLE_DEVICES");
    machine.distribute_gpus(&cpus, wish, visible.as_deref()).map_err(|error| wrong(&format!("--gpus {wish}"), &error))
}

/// GPUs for a line of `--report-bindings`, after a blank: by PCI address if it is known.
fn name_gpus(gpus: &[GivenGpu]) -> String {
    let names: Vec<&str> = gpus.iter().map(|gpu| gpu.pci.as_deref().unwrap_or(&gpu.word)).collect();
    if names.is_empty() { String::new() } else { format!(" gpu {}", names.join(",")) }
}

/// The use of cores by other jobs.
#[derive(PartialEq, Eq)]
enum Others {
    /// The PEs are bound to cores to which no other job has bound PEs, or they are not bound.
    Apart,
    /// Other jobs have bound PEs to all cores, so the PEs share cores with them. Unbound, they were slower by tens of times beside another
    /// job on two cores: the kernel puts two of them on one core, and each polls in vain while it keeps the other from running.
    Beside,
}

/// Place each PE on cores to which no other job of this host has bound PEs. Returns the placements, and the reason if no PE is bound. PEs
/// that share a part of the machine with each other also share it with other jobs.
fn placed_apart(
    machine: &Machine,
    tasks: &[Task],
    request: &BindRequest,
) -> Result<(Vec<Placement>, Option<String>, Others), Refusal> {
    let (first, why) = placed(machine, tasks, request)?;
    let is_of_cores = matches!(request.wishes.bind_to, None | Some(BindTo::Core));
    if !is_of_cores || first[0].unbound.is_some() {
        return Ok((first, why, Others::Apart));
    }
    let (mut placements, mut taken) = (first.clone(), CpuSet::default());
    let _turn = Turn::wait();
    loop {
        let wanted = placements.iter().fold(CpuSet::default(), |all, one| all.union(&one.cpus));
        match CoreClaims::claim(&wanted) {
            Ok(claims) => {
                claims.keep();
                return Ok((placements, None, Others::Apart));
            }
            Err(more) => taken = taken.union(&more),
        }
        let rest: CpuSet = machine.usable.iter().filter(|cpu| !taken.contains(*cpu)).collect();
        if rest.is_empty() {
            return Ok((first, None, Others::Beside));
        }
        match placed(&machine.clone().restricted_to(&rest), tasks, request) {
            Ok((elsewhere, _)) if elsewhere[0].unbound.is_none() => placements = elsewhere,
            _ => {
                let none = BindRequest { wishes: Wishes { bind_to: Some(BindTo::None), ..request.wishes }, ..*request };
                let why = format!("other jobs have bound PEs to CPUs {taken}; too few cores are left");
                return Ok((placed(machine, tasks, &none)?.0, Some(why), Others::Apart));
            }
        }
    }
}

/// Place each PE. Returns the placements, and the reason if no PE is bound.
fn placed(
    machine: &Machine,
    tasks: &[Task],
    request: &BindRequest,
) -> Result<(Vec<Placement>, Option<String>), Refusal> {
    let programs: Vec<u32> = tasks.chunk_by(|a, b| a.app == b.app).map(|tasks| tasks.len() as u32).collect();
    let place = |bind_to| {
        let placements = place_programs(machine, &programs, Wishes { bind_to, ..request.wishes });
        placements.map_err(|error| wrong("cannot place the PEs", &error))
    };
    let placements = place(request.wishes.bind_to)?;
    let why = placements[0]
        .unbound
        .as_ref()
        .filter(|_| request.wishes.bind_to != Some(BindTo::None))
        .map(ToString::to_string);
    match refused(&placements[0]) {
        None => Ok((placements, why)),
        Some(error) => match request.binding() {
            Some(wish) => {
                let (pe, cpus) = (tasks[0].pe, &placements[0].cpus);
                Err(Refusal::new(format!("--bind-to {wish}: {pe} would be on CPUs {cpus}: {error}")))
            }
            None => Ok((place(Some(BindTo::None))?, Some(error.to_string()))),
        },
    }
}

/// Try to bind to a placement's cpus, and return the kernel's error, if any. One PE stands for all: either no process may be bound, or all
/// cpus are allowed.
fn refused(placement: &Placement) -> Option<Error> {
    if placement.unbound.is_some() { None } else { try_binding(&placement.cpus).err() }
}
