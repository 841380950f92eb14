//! The jobs: which programs belong to a family, and with what arguments each is run.
//!
//! `limits` says how good their results must be.

use std::iter;

use serde::Serialize;

use crate::applications::APPLICATIONS;
use crate::family::Family;
use crate::installation::Binding;
use crate::transport::Transport;

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
    /// The line `figure` of an application.
    Figure,
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
    /// What it belongs to.
    pub family: Family,
    /// Its source without the `.c`.
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

/// How many PEs there are in runs of more than two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pes {
    /// In operations of all PEs.
    pub operations: Vec<u32>,
    /// In applications.
    pub applications: Vec<u32>,
    /// In jobs timed as a whole.
    pub start: Vec<u32>,
}

impl Pes {
    /// What was asked for; else as many as there are cores, and more.
    pub fn new(asked: &[u32], threads: u32, quick: bool) -> Self {
        let all = if asked.is_empty() { vec![2, 2 * threads.max(2), 4 * threads.max(2)] } else { asked.to_vec() };
        let operations = if asked.is_empty() && quick { all[..2].to_vec() } else { all.clone() };
        let start = match (asked, quick) {
            ([], true) => vec![2, 8],
            ([], false) => vec![2, 8, 64],
            _ => asked.to_vec(),
        };
        Self { operations, applications: all, start }
    }
}

/// How much is to be run.
#[derive(Clone, Debug)]
pub struct Scale {
    /// PEs of the runs in which all PEs take part.
    pub pes: Pes,
    /// Bytes of the operations that have a size; by default what suits each family.
    pub sizes: Vec<u64>,
    /// Cores that this process may use.
    pub cores: u32,
    /// Their hardware threads.
    pub threads: u32,
    /// Seconds instead of minutes.
    pub quick: bool,
    /// What the PEs go over.
    pub transport: Transport,
}

/// From here on a transfer is shown by its bandwidth.
const LARGE: u64 = 16 << 10;
/// The PEs of an operation between two.
const PAIR: u32 = 2;

impl Scale {
    fn batches(&self, pes: u32) -> (u32, u32) {
        match (self.quick, pes > self.threads) {
            (true, _) => (5, 200),
            (false, false) => (21, 1000),
            // Many PEs on few threads are scheduled in slices of milliseconds: longer batches hold more of them.
            (false, true) => (11, 5000),
        }
    }

    /// The sizes that were asked for, else one of these lists.
    fn sizes(&self, full: &[u64], quick: &[u64]) -> Vec<u64> {
        let own = if self.quick { quick } else { full };
        if self.sizes.is_empty() { own.to_vec() } else { self.sizes.clone() }
    }

    fn job(&self, family: Family, program: &'static str, pes: u32, arguments: Vec<String>) -> Job {
        let binding = if pes > self.cores { Binding::None } else { Binding::Core };
        let (transport, batches) = (self.transport.clone(), self.batches(pes));
        Job { family, program, pes, binding, transport, shape: Shape::Lines, batches, arguments, bare: None }
    }

    /// An operation between two PEs.
    fn pair(&self, family: Family, program: &'static str, sizes: &[u64]) -> Job {
        self.beside_bare(self.job(family, program, PAIR, words(sizes)), sizes)
    }

    /// The job beside a program that does nothing but use what the PEs go over, where there is one that does such jobs.
    fn beside_bare(&self, job: Job, sizes: &[u64]) -> Job {
        let bare = |program, arguments| Some(Bare { program, arguments });
        let bare = match (&self.transport, job.program) {
            (Transport::Shm, "put" | "get" | "stream" | "int_max_to_all") => bare("bare_memcpy", words(sizes)),
            // A word has no stream: its round trip is measured in any case.
            (Transport::Tcp, _) => {
                let longer: Vec<u64> = sizes.iter().copied().filter(|&bytes| bytes > 8).collect();
                bare("bare_tcp", words(&longer))
            }
            (Transport::Libfabric(provider), "put" | "get") => bare("bare_fabric", after(provider, words(sizes))),
            (Transport::Ucx(_), "pingpong" | "put_flag" | "put_signal") => {
                bare("bare_ucx", after(&self.transport.ucx_tls().unwrap_or_default(), words(sizes)))
            }
            _ => None,
        };
        Job { bare, ..job }
    }

    /// Small transfers by their time, large ones by their bandwidth.
    fn transfers(&self, family: Family, program: &'static str) -> Vec<Job> {
        let full = [8, 64, 256, 1 << 10, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20, 4 << 20];
        let sizes = self.sizes(&full, &[8, 1 << 10, 64 << 10, 1 << 20]);
        let (large, small): (Vec<u64>, Vec<u64>) = sizes.iter().partition(|&&bytes| bytes >= LARGE);
        let times = self.pair(family, program, &small);
        let bandwidths = Job { shape: Shape::Bandwidths, ..self.pair(family, program, &large) };
        [(small, times), (large, bandwidths)]
            .into_iter()
            .filter(|(sizes, _)| !sizes.is_empty())
            .map(|(_, job)| job)
            .collect()
    }

    /// One job for each number of PEs.
    fn groups(&self, family: Family, program: &'static str, sizes: &[u64]) -> Vec<Job> {
        self.pes.operations.iter().map(|&pes| self.job(family, program, pes, words(sizes))).collect()
    }

    fn barrier(&self, pes: u32) -> Job {
        let job = self.job(Family::Barrier, "barrier", pes, Vec::new());
        let waiting = if job.binding == Binding::Core { "spin" } else { "yield" };
        let arguments = vec![pes.to_string(), waiting.to_owned()];
        let shared = pes > 1 && self.transport == Transport::Shm;
        Job { bare: shared.then_some(Bare { program: "bare_barrier", arguments }), ..job }
    }

    /// Two of more PEs than hardware threads play, the others compute. Each batch holds many slices of those that compute.
    fn crowded(&self) -> Vec<Job> {
        let crowds = self.pes.operations.iter().filter(|&&pes| pes > self.threads.max(PAIR));
        let batches = if self.quick { (3, 20_000) } else { (11, 100_000) };
        crowds.map(|&pes| Job { batches, ..self.job(Family::Crowded, "beside", pes, Vec::new()) }).collect()
    }

    /// Its batches say how often PE 1 goes away, and for how long.
    fn away(&self) -> Job {
        let batches = (if self.quick { 10 } else { 50 }, 20_000);
        Job { batches, ..self.job(Family::Away, "away", PAIR, Vec::new()) }
    }

    /// Not pinned: the threads of a PE that is bound to a core have one core between them.
    fn threads(&self) -> Job {
        let threads: &[u64] = if self.quick { &[1, 2, 8] } else { &[1, 2, 3, 4, 6, 8] };
        // Threads that meet cost turns of the scheduler: long batches make little of them.
        let batches = if self.quick { (3, 2_000) } else { (11, 20_000) };
        Job { binding: Binding::None, batches, ..self.job(Family::Threads, "threads", PAIR, words(threads)) }
    }

    /// A collective for each number of PEs. Where they outnumber the hardware threads it is the scheduler's turns that take the
    /// time: two sizes show that.
    fn collective(&self, family: Family, program: &'static str) -> Vec<Job> {
        let few: &[u64] = &[8, 64 << 10];
        let of = |&pes: &u32| {
            let full: &[u64] = if pes > self.threads { few } else { &[8, 1 << 10, 64 << 10, 1 << 20] };
            let sizes = self.sizes(full, few);
            let job = self.job(family, program, pes, words(&sizes));
            // No reduction of two is faster than a copy of the other's operand.
            if pes == PAIR && program == "int_max_to_all" { self.beside_bare(job, &sizes) } else { job }
        };
        self.pes.operations.iter().map(of).collect()
    }

    fn collectives(&self) -> Vec<Job> {
        let programs = ["int_max_to_all", "broadcast64", "fcollect64", "alltoall64"];
        programs.iter().flat_map(|program| self.collective(Family::Collectives, program)).collect()
    }

    fn applications(&self) -> Vec<Job> {
        let of = |&pes: &u32| {
            let job = move |one: &'static crate::applications::Application| {
                let arguments = one.arguments(&self.transport, self.quick);
                Job { shape: Shape::Figure, ..self.job(Family::Applications, one.program, pes, arguments) }
            };
            APPLICATIONS.iter().map(job)
        };
        self.pes.applications.iter().flat_map(of).collect()
    }

    fn start(&self) -> Vec<Job> {
        let job = |&pes: &u32| Job {
            shape: Shape::WholeJob,
            binding: Binding::None,
            bare: Some(Bare { program: "bare_start", arguments: vec![pes.to_string()] }),
            ..self.job(Family::Start, "hello", pes, Vec::new())
        };
        self.pes.start.iter().map(job).collect()
    }
}

fn words(sizes: &[u64]) -> Vec<String> {
    sizes.iter().map(u64::to_string).collect()
}

/// Arguments of a bare program: what it goes over, and sizes.
fn after(over: &str, sizes: Vec<String>) -> Vec<String> {
    iter::once(over.to_owned()).chain(sizes).collect()
}

/// The jobs of a family.
pub fn jobs(family: Family, scale: &Scale) -> Vec<Job> {
    let alone = |program| scale.pair(family, program, &[]);
    let sized = |program, full: &[u64], quick: &[u64]| scale.pair(family, program, &scale.sizes(full, quick));
    match family {
        Family::Put => scale.transfers(family, "put"),
        Family::Get => scale.transfers(family, "get"),
        Family::P => vec![alone("p_stream")],
        Family::G => vec![alone("g")],
        Family::Nbi => vec![alone("put_nbi"), alone("add")],
        Family::Stream => {
            let stream = sized("stream", &[64, 1 << 10, 16 << 10, 256 << 10, 4 << 20], &[1 << 10, 1 << 20]);
            vec![Job { shape: Shape::Bandwidths, ..stream }]
        }
        Family::Strided => vec![sized("strided", &[64, 1 << 10, 16 << 10, 256 << 10], &[64, 16 << 10])],
        Family::Atomics => {
            let mut jobs = vec![alone("fetch_add"), alone("atomics")];
            jobs.extend(scale.groups(family, "contended", &[]));
            jobs
        }
        Family::Signal => {
            let signal = sized("put_signal", &[8, 64, 1 << 10, 16 << 10, 256 << 10], &[8, 16 << 10]);
            vec![alone("pingpong"), alone("put_flag"), signal]
        }
        Family::Order => {
            let rounds = if scale.quick { 2_000 } else { 20_000 };
            vec![scale.job(family, "quiet_litmus", PAIR, words(&[rounds]))]
        }
        Family::Statics => vec![alone("statics")],
        Family::Barrier => scale.pes.operations.iter().map(|&pes| scale.barrier(pes)).collect(),
        Family::Collectives => scale.collectives(),
        Family::Teams => scale.collective(family, "teams"),
        Family::Malloc => scale.groups(family, "allocate", &scale.sizes(&[64, 64 << 10, 4 << 20], &[64])),
        Family::Locks => scale.groups(family, "locks", &[]),
        Family::Start => scale.start(),
        Family::Overlap => vec![sized("overlap", &[1 << 10, 16 << 10, 256 << 10, 4 << 20], &[64 << 10])],
        Family::Crowded => scale.crowded(),
        Family::Away => vec![scale.away()],
        Family::Threads => vec![scale.threads()],
        Family::Applications => scale.applications(),
    }
}

/// The jobs of several families.
pub fn jobs_of(families: &[Family], scale: &Scale) -> Vec<Job> {
    families.iter().flat_map(|&family| jobs(family, scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::build::SOURCES;

    fn scale(transport: &str) -> Scale {
        Scale {
            pes: Pes::new(&[], 2, false),
            sizes: Vec::new(),
            cores: 2,
            threads: 2,
            quick: false,
            transport: transport.parse().unwrap(),
        }
    }

    #[test]
    fn every_program_named_is_there_and_every_program_is_run() {
        let named = |job: &Job| [Some(job.program), job.bare.as_ref().map(|bare| bare.program)];
        let ways = ["shm", "tcp", "libfabric:tcp", "ucx:posix"];
        let all: Vec<Job> = ways.iter().flat_map(|way| jobs_of(Family::all(), &scale(way))).collect();
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
    fn every_family_has_jobs_and_says_what_it_measures() {
        for &family in Family::all() {
            assert!(!jobs(family, &scale("shm")).is_empty(), "{family:?}");
            assert!(!family.about().is_empty() && family.about().len() < 90, "{family:?}");
        }
    }

    #[test]
    fn some_runs_have_more_pes_than_the_machine_runs_at_a_time() {
        let quick = Pes::new(&[], 2, true);
        assert_eq!((quick.operations, quick.applications, quick.start), (vec![2, 4], vec![2, 4, 8], vec![2, 8]));
        let full = Pes::new(&[], 1, false);
        assert_eq!((full.operations, full.applications, full.start), (vec![2, 4, 8], vec![2, 4, 8], vec![2, 8, 64]));
        let asked = Pes::new(&[3, 64], 16, true);
        assert!([asked.operations, asked.applications, asked.start].iter().all(|pes| *pes == [3, 64]));
    }

    #[test]
    fn more_pes_than_cores_are_not_pinned() {
        for job in jobs_of(Family::all(), &scale("shm")) {
            assert!(job.pes <= 2 || job.binding == Binding::None, "{job:?}");
        }
    }

    #[test]
    fn more_pes_than_cores_are_not_pinned_to_hardware_threads_either() {
        let scale = Scale { cores: 2, threads: 4, ..scale("shm") };
        assert_eq!(scale.barrier(2).binding, Binding::Core);
        assert_eq!(scale.barrier(3).binding, Binding::None);
        assert_eq!((scale.barrier(4).batches, scale.barrier(5).batches), ((21, 1000), (11, 5000)));
    }

    #[test]
    fn sizes_that_are_asked_for_are_those_of_every_family_that_has_any() {
        let scale = Scale { sizes: vec![8, 1 << 20], ..scale("shm") };
        let arguments = |family| jobs(family, &scale).into_iter().map(|job| job.arguments).collect::<Vec<_>>();
        assert_eq!(arguments(Family::Put), [["8"], ["1048576"]]);
        assert_eq!(arguments(Family::Overlap), [["8", "1048576"]]);
        assert!(arguments(Family::P)[0].is_empty());
    }

    #[test]
    fn collectives_of_a_crowd_have_fewer_sizes() {
        let jobs = jobs(Family::Teams, &scale("shm"));
        let sizes: Vec<(u32, usize)> = jobs.iter().map(|job| (job.pes, job.arguments.len())).collect();
        assert_eq!(sizes, [(2, 4), (4, 2), (8, 2)]);
    }
}
