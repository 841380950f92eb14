//! The jobs: the programs of each family, and the arguments of each run.
//!
//! The limits that their results must meet are in `limits`.

use std::iter;

use serde::Serialize;

use crate::applications::APPLICATIONS;
use crate::family::Family;
use crate::installation::Binding;
use crate::transport::Transport;

/// The form in which a program gives its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Result lines, shown as they are.
    Lines,
    /// Result lines whose times are shown as bandwidths.
    Bandwidths,
    /// No output: the whole job is timed from outside, launcher included.
    WholeJob,
    /// The line `figure` of an application.
    Figure,
}

/// A program without SHMEM that a job is compared with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Bare {
    pub program: &'static str,
    /// Arguments after the number and the length of batches.
    pub arguments: Vec<String>,
}

/// One program with its arguments, which each side runs.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Job {
    pub family: Family,
    /// Source file without the `.c`.
    pub program: &'static str,
    pub pes: u32,
    /// Whether the PEs are pinned.
    pub binding: Binding,
    pub transport: Transport,
    pub shape: Shape,
    /// Number of batches, and their length in microseconds.
    pub batches: (u32, u32),
    /// Arguments after the number and the length of batches.
    pub arguments: Vec<String>,
    /// The program without SHMEM that it is compared with, besides the peer.
    pub bare: Option<Bare>,
}

/// Numbers of PEs in runs of more than two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pes {
    /// For operations of all PEs.
    pub operations: Vec<u32>,
    pub applications: Vec<u32>,
    /// For jobs timed as a whole.
    pub start: Vec<u32>,
}

impl Pes {
    /// The numbers that the user asked for. By default, operations and applications run with 2 PEs, and with twice and four times the
    /// hardware threads (a quick session leaves out the last for operations); whole jobs run with fixed numbers of PEs.
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

/// The extent of the runs.
#[derive(Clone, Debug)]
pub struct Scale {
    /// PEs of the runs in which all PEs take part.
    pub pes: Pes,
    /// Bytes of the operations that have a size; if empty, each family uses its own sizes.
    pub sizes: Vec<u64>,
    /// Cores that this process may use.
    pub cores: u32,
    /// Hardware threads of these cores.
    pub threads: u32,
    /// Measure for seconds instead of minutes.
    pub quick: bool,
    pub transport: Transport,
}

/// Transfers of at least this many bytes are shown by their bandwidth.
const LARGE: u64 = 16 << 10;
/// Number of PEs of an operation between two.
const PAIR: u32 = 2;

impl Scale {
    fn batches(&self, pes: u32) -> (u32, u32) {
        match (self.quick, pes > self.threads) {
            (true, _) => (5, 200),
            (false, false) => (21, 1000),
            // Many PEs on few threads are scheduled in slices of milliseconds; longer batches contain more slices.
            (false, true) => (11, 5000),
        }
    }

    /// The sizes that the user asked for, else one of these lists.
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

    /// Add to the job the program that uses the bare transport, if there is one for such jobs.
    fn beside_bare(&self, job: Job, sizes: &[u64]) -> Job {
        let bare = |program, arguments| Some(Bare { program, arguments });
        let bare = match (&self.transport, job.program) {
            (Transport::Shm, "put" | "get" | "stream" | "int_max_to_all") => bare("bare_memcpy", words(sizes)),
            // The bare TCP program measures the round trip of a word in any case; only longer sizes are streamed.
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

    /// Small transfers are shown by their time, large ones by their bandwidth.
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

    /// Two PEs play ping-pong while the others compute, with more PEs than hardware threads. Each batch is long enough for many slices of
    /// the computing PEs.
    fn crowded(&self) -> Vec<Job> {
        let crowds = self.pes.operations.iter().filter(|&&pes| pes > self.threads.max(PAIR));
        let batches = if self.quick { (3, 20_000) } else { (11, 100_000) };
        crowds.map(|&pes| Job { batches, ..self.job(Family::Crowded, "beside", pes, Vec::new()) }).collect()
    }

    /// The batches determine how often PE 1 goes away, and for how long.
    fn away(&self) -> Job {
        let batches = (if self.quick { 10 } else { 50 }, 20_000);
        Job { batches, ..self.job(Family::Away, "away", PAIR, Vec::new()) }
    }

    /// Not pinned, because all threads of a PE that is bound to a core would share that core.
    fn threads(&self) -> Job {
        let threads: &[u64] = if self.quick { &[1, 2, 8] } else { &[1, 2, 3, 4, 6, 8] };
        // Threads that wait for each other wait for the scheduler; long batches make these waits negligible.
        let batches = if self.quick { (3, 2_000) } else { (11, 20_000) };
        Job { binding: Binding::None, batches, ..self.job(Family::Threads, "threads", PAIR, words(threads)) }
    }

    /// A collective for each number of PEs. If the PEs outnumber the hardware threads, the scheduler determines the time; two sizes suffice
    /// to show that.
    fn collective(&self, family: Family, program: &'static str) -> Vec<Job> {
        let few: &[u64] = &[8, 64 << 10];
        let of = |&pes: &u32| {
            let full: &[u64] = if pes > self.threads { few } else { &[8, 1 << 10, 64 << 10, 1 << 20] };
            let sizes = self.sizes(full, few);
            let job = self.job(family, program, pes, words(&sizes));
            // A reduction of two PEs cannot be faster than a copy of the other PE's operand.
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

/// Arguments of a bare program: the transport, then the sizes.
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
            // These have callers of their own: the probe, the instruction counter, the lookup of the cpus of pinned PEs, `oshbench device`.
            let elsewhere = ["bare_pingpong", "instructions", "affinity", "device"];
            assert!(run.contains(&program) || elsewhere.contains(&program), "{file}");
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
