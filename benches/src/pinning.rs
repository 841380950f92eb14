//! The cpus to which Ferrite's launcher pins PEs.
//!
//! They are looked up once, before the first measurement, so that the probe and the programs without SHMEM run on the
//! same cores. They cannot be guessed, because machines number hardware threads and sockets differently.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Error;
use crate::affinity::Affinities;
use crate::catalog::Job;
use crate::cores::Cores;
use crate::installation::{Binding, Installation};
use crate::subprocess::run;
use crate::transport::Transport;

/// The cpus of the PEs of a pinned job, by the number of its PEs.
#[derive(Debug, Default)]
pub struct Pinning {
    cores: Cores,
    of: BTreeMap<u32, Affinities>,
    elsewhere: bool,
}

impl Pinning {
    /// For jobs on other hosts: nothing is probed here, and no run is called near or far.
    pub fn elsewhere() -> Self {
        Self { elsewhere: true, ..Self::default() }
    }

    /// Look up the cpus for each number of PEs for which some job is pinned. If a lookup fails, the affinities are unknown, and each run
    /// reports its own.
    pub fn find(ours: &Installation, jobs: &[Job], limit: Duration) -> Self {
        let mut pinning = Self { cores: Cores::here(), ..Self::default() };
        for job in jobs.iter().filter(|job| job.binding == Binding::Core) {
            pinning.of.entry(job.pes).or_insert_with(|| {
                affinities(ours, job.pes, &job.transport, limit).unwrap_or_else(|error| {
                    eprintln!("cannot find out where {} PEs are pinned: {error}", job.pes);
                    Affinities::default()
                })
            });
        }
        pinning
    }

    /// The affinities to which a job's probes and programs without SHMEM are pinned; empty if they are not known. `None` if PEs of the job
    /// share cores: then there is nothing to probe.
    pub fn of(&self, job: &Job) -> Option<&Affinities> {
        let pinned = self.of.get(&job.pes).filter(|affinities| affinities.not_pinned(&self.cores).is_none());
        pinned.filter(|_| job.binding == Binding::Core)
    }

    /// Say why a run with these affinities is neither near nor far, although the job should be pinned.
    pub fn complaint(&self, job: &Job, affinities: &Affinities) -> Option<String> {
        if job.binding != Binding::Core || self.elsewhere {
            return None;
        }
        let elsewhere = || affinities.elsewhere(self.of(job)?, &self.cores);
        affinities.not_pinned(&self.cores).or_else(elsewhere)
    }
}

fn affinities(ours: &Installation, pes: u32, transport: &Transport, limit: Duration) -> Result<Affinities, Error> {
    let mut command = ours.launch(pes, Binding::Core, transport);
    // One batch of one microsecond, which is not run; every program expects these arguments.
    command.arg(ours.builder().program("affinity")?).args(["1", "1"]);
    Ok(Affinities::parse(&run(command, limit)?.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Pes, Scale, jobs};
    use crate::family::Family;

    fn job(pes: u32) -> Job {
        let scale = Scale {
            pes: Pes::new(&[pes], 2, false),
            sizes: vec![],
            cores: 2,
            threads: 4,
            quick: true,
            transport: Transport::Shm,
        };
        jobs(Family::Locks, &scale).remove(0)
    }

    fn affinities(first: &str, second: &str) -> Affinities {
        Affinities::parse(&format!("affinity 0 here {first}\naffinity 1 here {second}\n")).unwrap()
    }

    fn pinning(affinities: Affinities) -> Pinning {
        Pinning { cores: Cores::made_of(&["0,2", "1,3"]), of: [(2, affinities)].into(), elsewhere: false }
    }

    #[test]
    fn who_is_not_where_ours_are_is_not_compared_with_them() {
        let pinning = pinning(affinities("0,2", "1,3"));
        assert_eq!(pinning.of(&job(2)), Some(&affinities("0,2", "1,3")));
        assert_eq!(pinning.complaint(&job(2), &affinities("1", "0")), None);
        assert!(pinning.complaint(&job(2), &affinities("0", "8")).unwrap().contains("what was probed"));
        assert!(pinning.complaint(&job(2), &affinities("0-3", "0-3")).unwrap().contains("was not pinned"));
    }

    #[test]
    fn pes_without_cores_of_their_own_are_not_probed() {
        let pinning = pinning(affinities("0-3", "0-3"));
        assert_eq!(pinning.of(&job(2)), None);
        assert!(pinning.complaint(&job(2), &affinities("0-3", "0-3")).is_some());
        assert_eq!(pinning.complaint(&job(2), &affinities("0", "1")), None);
    }

    #[test]
    fn what_is_not_known_is_probed_as_it_comes() {
        let pinning = pinning(Affinities::default());
        assert_eq!(pinning.of(&job(2)), Some(&Affinities::default()));
        assert_eq!(pinning.complaint(&job(2), &affinities("0", "1")), None);
        assert_eq!(pinning.of(&job(3)), None, "three PEs are not pinned on two cores");
        assert_eq!(pinning.complaint(&job(3), &affinities("0-3", "0-3")), None);
    }
}
