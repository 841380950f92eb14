//! Runs every schedule of a small trial, by depth-first search that remembers states.
//!
//! A world cannot be copied, because futures cannot, so each path is run from the beginning. Two states with the same fingerprint (the
//! history of every PE, and the messages and pulls in flight) have the same future, so the second one is not explored.
//!
//! Steps that commute with all others are not tried in every order. The arrival of a message is delayed until a PE waits for it: its bytes
//! may not be accessed before, and an access that would conflict with it also conflicts while it is in flight. If PEs access only their own
//! memory (`eager`), a PE that can run does so at once. For algorithms that read peers' memory, every order of runs, pulls and awaited
//! arrivals is tried.

use crate::engine::adversary::{Adversary, Path};
use crate::schedule::{End, Schedule, Step};
use crate::trial::Trial;
use crate::world::World;
use std::collections::HashSet;

/// The extent of a search.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// Number of distinct states.
    pub states: usize,
    /// Number of paths that ran to the end.
    pub finished: usize,
}

/// A search over schedules.
struct Search {
    seen: HashSet<u64>,
    path: Path,
    eager: bool,
}

impl Search {
    /// The steps worth trying, each with every later order of the others. Of the arrivals that one PE merely counts, one stands for all.
    fn steps(&self, world: &World, runnable: &[usize]) -> Vec<Step> {
        let mut counting = HashSet::new();
        let arrivals = (0..world.in_flight()).filter(|i| world.wanted(*i));
        let distinct = arrivals.filter(|i| !world.is_counted(*i) || counting.insert(world.ends(*i).to));
        let mut steps: Vec<Step> = distinct.map(Step::Arrive).collect();
        steps.extend(runnable.iter().map(|pe| Step::Run(*pe)));
        steps
    }
}

impl Schedule for Search {
    fn next(&mut self, world: &World, runnable: &[usize]) -> Option<Step> {
        if self.eager && !runnable.is_empty() {
            return Some(Step::Run(runnable[0]));
        }
        let steps = self.steps(world, runnable);
        if self.path.is_new() && !self.seen.insert(world.fingerprint()) {
            return None;
        }
        // If no arrival is awaited and no PE can run, this is a deadlock, which other arrivals cannot resolve.
        Some(if steps.is_empty() { Step::Arrive(0) } else { steps[self.path.choose(steps.len())] })
    }
}

/// Run every schedule of `trial`. `Err` has a broken rule, or says that there were more than `states_max` states.
pub fn explore(trial: &Trial, eager: bool, states_max: usize) -> Result<Coverage, String> {
    let mut search = Search { seen: HashSet::new(), path: Path::default(), eager };
    let mut finished = 0;
    loop {
        let outcome = trial.run(&mut search).map_err(|what| format!("{what}; choices {:?}", search.path.choices()))?;
        finished += (outcome.end == End::Finished) as usize;
        if search.seen.len() > states_max {
            return Err(format!("more than {states_max} states"));
        }
        if !search.path.advance() {
            return Ok(Coverage { states: search.seen.len(), finished });
        }
    }
}
