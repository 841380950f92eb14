//! Where our launcher seats pinned PEs, found once before anything is measured: the probe and the programs without SHMEM
//! run there too. The numbers of cpus do not say it, for machines number hardware threads and sockets as they like.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::Error;
use crate::catalog::Job;
use crate::cores::Cores;
use crate::install::{Binding, Installation};
use crate::over::Over;
use crate::places::Places;
use crate::run::run;

/// The places of so many PEs.
#[derive(Debug, Default)]
pub struct Seats {
    cores: Cores,
    of: BTreeMap<u32, Places>,
}

impl Seats {
    /// Asks for each number of PEs that some job wants pinned. Where there is no answer nothing is known, and each run
    /// says for itself.
    pub fn find(ours: &Installation, jobs: &[Job], limit: Duration) -> Self {
        let mut seats = Self { cores: Cores::here(), of: BTreeMap::new() };
        for job in jobs.iter().filter(|job| job.binding == Binding::Core) {
            seats.of.entry(job.pes).or_insert_with(|| {
                places(ours, job.pes, job.over, limit).unwrap_or_else(|error| {
                    eprintln!("where {} PEs are pinned is not known: {error}", job.pes);
                    Places::default()
                })
            });
        }
        seats
    }

    /// What a job's probes and programs without SHMEM are pinned to: places that may be empty if they are not known, and
    /// `None` if PEs of the job have no cores of their own, so that there is nothing to probe.
    pub fn of(&self, job: &Job) -> Option<&Places> {
        let seated = self.of.get(&job.pes).filter(|places| places.not_pinned(&self.cores).is_none());
        seated.filter(|_| job.binding == Binding::Core)
    }

    /// Why near and far cannot be said of a run of the job with these places, although it should be pinned.
    pub fn complaint(&self, job: &Job, places: &Places) -> Option<String> {
        if job.binding != Binding::Core {
            return None;
        }
        let elsewhere = || places.elsewhere(self.of(job)?, &self.cores);
        places.not_pinned(&self.cores).or_else(elsewhere)
    }
}

fn places(ours: &Installation, pes: u32, over: Over, limit: Duration) -> Result<Places, Error> {
    let mut command = ours.launch(pes, Binding::Core, over);
    // One batch of a microsecond, which is not run: every program takes a plan.
    command.arg(ours.builder().program("places")?).args(["1", "1"]);
    Ok(Places::parse(&run(command, limit)?.stdout)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::{Family, Scale, jobs};

    fn job(pes: u32) -> Job {
        let scale = Scale { pes, many: vec![], startup: vec![], cores: 2, threads: 4, quick: true, over: Over::Memory };
        jobs(Family::Latency, &scale).remove(0)
    }

    fn places(first: &str, second: &str) -> Places {
        Places::parse(&format!("place 0 here {first}\nplace 1 here {second}\n")).unwrap()
    }

    fn seats(places: Places) -> Seats {
        Seats { cores: Cores::made_of(&["0,2", "1,3"]), of: [(2, places)].into() }
    }

    #[test]
    fn who_is_not_where_ours_are_is_not_compared_with_them() {
        let seats = seats(places("0,2", "1,3"));
        assert_eq!(seats.of(&job(2)), Some(&places("0,2", "1,3")));
        assert_eq!(seats.complaint(&job(2), &places("1", "0")), None);
        assert!(seats.complaint(&job(2), &places("0", "8")).unwrap().contains("what was probed"));
        assert!(seats.complaint(&job(2), &places("0-3", "0-3")).unwrap().contains("was not pinned"));
    }

    #[test]
    fn pes_without_cores_of_their_own_are_not_probed() {
        let seats = seats(places("0-3", "0-3"));
        assert_eq!(seats.of(&job(2)), None);
        assert!(seats.complaint(&job(2), &places("0-3", "0-3")).is_some());
        assert_eq!(seats.complaint(&job(2), &places("0", "1")), None);
    }

    #[test]
    fn what_is_not_known_is_probed_as_it_comes() {
        let seats = seats(Places::default());
        assert_eq!(seats.of(&job(2)), Some(&Places::default()));
        assert_eq!(seats.complaint(&job(2), &places("0", "1")), None);
        assert_eq!(seats.of(&job(3)), None, "three PEs are not pinned on two cores");
        assert_eq!(seats.complaint(&job(3), &places("0-3", "0-3")), None);
    }
}
