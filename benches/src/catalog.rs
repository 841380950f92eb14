//! The jobs: which programs belong to a family, and with what arguments each is run.
//!
//! `limits` says how good their results must be.

use std::iter;

use serde::Serialize;

use crate::installation::Binding;
use crate::transport::Transport;

/// A group of measurements that is asked for by one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Small transfers, one after the other, and messages to and fro.
    Latency,
    /// Large transfers against memcpy.
    Bandwidth,
    /// Small operations in a stream.
    Rate,
    /// Atomic operations.
    Atomics,
    /// Static data beside the heap.
    Statics,
    /// What quiet guarantees.
    Order,
    /// Barriers, with one PE a core and with more.
    Barrier,
    /// Messages to and fro between two of more PEs than cores, while the others compute.
    Beside,
    /// Operations at a PE that computes and calls nothing.
    Away,
    /// Whole jobs that do nothing.
    Startup,
    /// Reductions, broadcast, collect, alltoall.
    Collectives,
    /// Small operations by more and more threads of one PE.
    Threads,
}

impl Family {
    /// All of them, in the order of the table.
    pub const ALL: [Self; 12] = [
        Self::Latency,
        Self::Bandwidth,
        Self::Rate,
        Self::Atomics,
        Self::Statics,
        Self::Order,
        Self::Barrier,
        Self::Beside,
        Self::Away,
        Self::Startup,
        Self::Collectives,
        Self::Threads,
    ];
}

/// How a program gives its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Result lines, shown as they are.
    Lines,
    /// Result lines whose times are shown as bandwidths.
    Bandwidths,
    /// None: the whole job is timed from outside, launcher included.
    WholeJob,
}

/// A program without SHMEM that a job is held against.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bare {
    /// Its name in `benches/c`.
    pub program: &'static str,
    /// What follows the number and the length of batches.
    pub arguments: Vec<String>,
}

/// One program with its arguments, run by each side.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    /// Its name in `benches/c`.
    pub program: &'static str,
    /// How many PEs.
    pub pes: u32,
    /// Whether they are pinned.
    pub binding: Binding,
    /// What they go over.
    pub transport: Transport,
    /// How it gives its result.
    pub shape: Shape,
    /// Batches and their length in microseconds.
    pub batches: (u32, u32),
    /// What follows the number and the length of batches.
    pub arguments: Vec<String>,
    /// What it is held against besides the peer.
    pub bare: Option<Bare>,
}

/// How much is to be run.
#[derive(Clone, Debug)]
pub struct Scale {
    /// PEs of a pinned run.
    pub pes: u32,
    /// PEs of the runs that have more of them than hardware threads.
    pub many: Vec<u32>,
    /// PEs of the jobs timed as a whole.
    pub startup: Vec<u32>,
    /// Cores that this process may use.
    pub cores: u32,
    /// Their hardware threads.
    pub threads: u32,
    /// Seconds instead of minutes.
    pub quick: bool,
    /// What the PEs go over.
    pub transport: Transport,
}

impl Scale {
    fn batches(&self, pes: u32) -> (u32, u32) {
        match (self.quick, pes > self.threads) {
            (true, _) => (5, 200),
            (false, false) => (21, 1000),
            // Many PEs on few threads are scheduled in slices of milliseconds: longer batches hold more of them.
            (false, true) => (11, 5000),
        }
    }

    fn sizes(&self, small: &[u64], quick: &[u64]) -> Vec<String> {
        if self.quick { quick } else { small }.iter().map(u64::to_string).collect()
    }

    fn job(&self, program: &'static str, pes: u32, arguments: Vec<String>) -> Job {
        let binding = if pes > self.cores { Binding::None } else { Binding::Core };
        let transport = self.transport;
        Job { program, pes, binding, transport, shape: Shape::Lines, batches: self.batches(pes), arguments, bare: None }
    }

    fn plain(&self, programs: &[&'static str]) -> Vec<Job> {
        programs.iter().map(|program| self.beside_wire(self.job(program, self.pes, Vec::new()))).collect()
    }

    /// The job beside a program that does nothing but use what the PEs go over, where there is one that does such jobs.
    fn beside_wire(&self, job: Job) -> Job {
        let bare = |program, arguments| Some(Bare { program, arguments });
        let bare = match (self.transport, job.program) {
            (Transport::Tcp, _) => bare("bare_tcp", Vec::new()),
            (Transport::LibfabricTcp, "put" | "get") => bare("bare_fabric", after("tcp", &job.arguments)),
            (Transport::UcxPosix, "pingpong" | "put_flag") => bare("bare_ucx", after("posix,self", &[])),
            _ => None,
        };
        Job { bare, ..job }
    }

    fn bandwidth(&self, program: &'static str) -> Job {
        let sizes = self.sizes(&[16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20], &[64 << 10, 1 << 20, 4 << 20]);
        let bare = match self.transport {
            Transport::Memory => Some(("bare_memcpy", sizes.clone())),
            Transport::Tcp => Some(("bare_tcp", sizes.clone())),
            Transport::LibfabricTcp => Some(("bare_fabric", after("tcp", &sizes))),
            Transport::UcxTcp | Transport::UcxPosix => None,
        };
        let bare = bare.map(|(program, arguments)| Bare { program, arguments });
        Job { shape: Shape::Bandwidths, bare, ..self.job(program, self.pes, sizes) }
    }

    fn barrier(&self, pes: u32) -> Job {
        let job = self.job("barrier", pes, Vec::new());
        let waiting = if job.binding == Binding::Core { "spin" } else { "yield" };
        let arguments = vec![pes.to_string(), waiting.to_owned()];
        let shared = pes > 1 && self.transport == Transport::Memory;
        Job { bare: shared.then_some(Bare { program: "bare_barrier", arguments }), ..job }
    }

    /// Each batch holds many slices of those that compute.
    fn beside(&self, pes: u32) -> Job {
        Job { batches: (11, 100_000), ..self.job("beside", pes, Vec::new()) }
    }

    /// Its batches say how often PE 1 goes away, and for how long.
    fn away(&self) -> Job {
        let batches = (if self.quick { 10 } else { 50 }, 20_000);
        Job { batches, ..self.job("away", self.pes, Vec::new()) }
    }

    /// Not pinned: the threads of a PE that is bound to a core have one core between them.
    fn threads(&self) -> Job {
        let threads = self.sizes(&[1, 2, 3, 4, 6, 8], &[1, 2, 8]);
        // Threads that meet cost turns of the scheduler: long batches make little of them.
        let batches = if self.quick { (5, 5_000) } else { (11, 20_000) };
        Job { binding: Binding::None, batches, ..self.job("threads", 2, threads) }
    }

    fn collectives(&self) -> Vec<Job> {
        let sizes = self.sizes(&[8, 1 << 10, 64 << 10, 1 << 20], &[8, 64 << 10]);
        let programs = ["int_max_to_all", "broadcast64", "fcollect64", "alltoall64"];
        let mut jobs: Vec<Job> = programs.iter().map(|program| self.job(program, self.pes, sizes.clone())).collect();
        jobs.extend(self.many.iter().map(|&pes| self.job("int_max_to_all", pes, vec!["8".to_owned()])));
        jobs
    }
}

/// Arguments of a bare program: what it goes over, and sizes.
fn after(provider: &str, sizes: &[String]) -> Vec<String> {
    iter::once(provider.to_owned()).chain(sizes.iter().cloned()).collect()
}

/// The jobs of a family.
pub fn jobs(family: Family, scale: &Scale) -> Vec<Job> {
    match family {
        Family::Latency => {
            let sizes = scale.sizes(&[8, 64, 256, 1 << 10, 4 << 10], &[8, 1 << 10]);
            let transfers =
                ["put", "get"].map(|program| scale.beside_wire(scale.job(program, scale.pes, sizes.clone())));
            let mut jobs = scale.plain(&["p_stream"]);
            jobs.extend(transfers);
            jobs.extend(scale.plain(&["pingpong", "put_flag"]));
            jobs
        }
        Family::Bandwidth => vec![scale.bandwidth("put"), scale.bandwidth("get")],
        Family::Rate => scale.plain(&["put_nbi", "add"]),
        Family::Atomics => scale.plain(&["fetch_add", "add"]),
        Family::Statics => scale.plain(&["statics"]),
        Family::Order => scale.plain(&["quiet_litmus"]),
        Family::Barrier => [scale.pes].iter().chain(&scale.many).map(|&pes| scale.barrier(pes)).collect(),
        // Over UCX a peer's PEs that compute would never learn that it is over: nobody receives for them.
        Family::Beside if matches!(scale.transport, Transport::UcxTcp | Transport::UcxPosix) => Vec::new(),
        Family::Beside => scale.many.iter().map(|&pes| scale.beside(pes)).collect(),
        Family::Away => vec![scale.away()],
        Family::Startup => scale
            .startup
            .iter()
            .map(|&pes| Job { shape: Shape::WholeJob, binding: Binding::None, ..scale.job("hello", pes, Vec::new()) })
            .collect(),
        Family::Collectives => scale.collectives(),
        Family::Threads => vec![scale.threads()],
    }
}

/// The jobs of several families, each once.
pub fn jobs_of(families: &[Family], scale: &Scale) -> Vec<Job> {
    let mut all: Vec<Job> = Vec::new();
    for job in families.iter().flat_map(|&family| jobs(family, scale)) {
        if !all.contains(&job) {
            all.push(job);
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::SOURCES;

    fn scale() -> Scale {
        Scale {
            pes: 2,
            many: vec![4, 8],
            startup: vec![2, 8, 64],
            cores: 2,
            threads: 2,
            quick: false,
            transport: Transport::Memory,
        }
    }

    #[test]
    fn every_program_named_is_there_and_every_program_is_run() {
        let named = |job: &Job| [Some(job.program), job.bare.as_ref().map(|bare| bare.program)];
        let ways = <Transport as clap::ValueEnum>::value_variants();
        let all: Vec<Job> =
            ways.iter().flat_map(|&transport| jobs_of(&Family::ALL, &Scale { transport, ..scale() })).collect();
        let run: Vec<&str> = all.iter().flat_map(named).flatten().collect();
        for program in &run {
            assert!(SOURCES.iter().any(|(file, _)| *file == format!("{program}.c")), "{program}.c");
        }
        for (file, _) in SOURCES.iter().filter(|(file, _)| file.ends_with(".c")) {
            let program = file.trim_end_matches(".c");
            // These have callers of their own: the probe, the counting of instructions, and the search for the cpus of pinned PEs.
            assert!(
                run.contains(&program) || ["bare_pingpong", "instructions", "affinity"].contains(&program),
                "{file}"
            );
        }
    }

    #[test]
    fn more_pes_than_cores_are_not_pinned() {
        for job in jobs_of(&Family::ALL, &scale()) {
            assert!(job.pes <= 2 || job.binding == Binding::None, "{job:?}");
        }
    }

    #[test]
    fn more_pes_than_cores_are_not_pinned_to_hardware_threads_either() {
        let scale = Scale { cores: 2, threads: 4, ..scale() };
        assert_eq!(scale.barrier(2).binding, Binding::Core);
        assert_eq!(scale.barrier(3).binding, Binding::None);
        assert_eq!((scale.barrier(4).batches, scale.barrier(5).batches), ((21, 1000), (11, 5000)));
    }

    #[test]
    fn a_job_of_two_families_runs_once() {
        let jobs = jobs_of(&[Family::Rate, Family::Atomics], &scale());
        assert_eq!(jobs.iter().filter(|job| job.program == "add").count(), 1);
    }
}
