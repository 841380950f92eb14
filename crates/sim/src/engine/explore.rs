//! Runs every interleaving of a small trial: a depth-first search that remembers states.
//!
//! An engine cannot be copied, so each path is run from the beginning. Two states with the same fingerprint (the events and messages that
//! each engine received, the calls under way, the contents of memory and the state of the model) have the same future, so the second one is
//! not explored.

use super::{
    adversary::{Adversary, Path},
    trial::{Run, Trial},
};
pub use crate::explore::Coverage;
use std::collections::HashSet;

/// Run every interleaving of `trial`. `Err` has a broken rule and the choices that led to it, or says that there were more than
/// `states_max` states.
pub fn explore(trial: &Trial, states_max: usize) -> Result<Coverage, String> {
    let (path, mut seen, mut coverage) = (Path::default(), HashSet::new(), Coverage::default());
    loop {
        let has_finished = follow(trial, &path, &mut seen)
            .map_err(|what| format!("{what}; choices {:?}\n{trial:#?}", path.choices()))?;
        coverage.finished += usize::from(has_finished);
        coverage.states = seen.len();
        if seen.len() > states_max {
            return Err(format!("more than {states_max} states"));
        }
        if !path.advance() {
            return Ok(coverage);
        }
    }
}

/// Run one path. Returns true if it ran to the end, false if it reached a state that was seen before.
fn follow(trial: &Trial, path: &Path, seen: &mut HashSet<u64>) -> Result<bool, String> {
    let mut run = Run::new(trial, Box::new(path.clone()))?;
    // Lanes that have nothing to do until something arrives.
    let mut is_idle: Vec<bool> = trial.programs.iter().map(Vec::is_empty).collect();
    while !run.is_over() {
        let (moves, lanes) = run.next(&is_idle);
        if moves.is_empty() && lanes.is_empty() {
            return Err(format!("nothing goes on any more: {}", run.waiting()));
        }
        if path.is_new() && !seen.insert(run.fingerprint(&is_idle)) {
            return Ok(false);
        }
        let choice = path.clone().choose(moves.len() + lanes.len());
        match moves.get(choice) {
            Some(&next) => run.move_network(next)?,
            None => {
                let lane = lanes[choice - moves.len()];
                let has_news = run.step_until_news(lane)?;
                // The news that one lane's polls find may be for another lane of the same PE.
                for beside in run.beside(lane) {
                    is_idle[beside] &= !has_news;
                }
                is_idle[lane] = !has_news;
            }
        }
    }
    run.finish().map(|_| true)
}
