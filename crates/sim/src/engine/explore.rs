//! Every interleaving of a small trial, by depth-first search with states remembered.
//!
//! An engine cannot be copied, so each path is run from the beginning. Two states with the same fingerprint (what each engine was told,
//! what is under way, what memory holds and the model knows) have the same future, and the second is cut.

use super::{
    adversary::{Adversary, Path},
    trial::{Run, Trial},
};
use std::collections::HashSet;

/// What a search came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Coverage {
    /// States seen.
    pub states: usize,
    /// Paths to the end.
    pub finished: usize,
}

/// Run every interleaving of `trial`. `Err` names a broken rule and the choices that led to it, or that there were more than
/// `states_max` states.
pub fn explore<const MISTAKE: usize>(trial: &Trial, states_max: usize) -> Result<Coverage, String> {
    let (path, mut seen, mut coverage) = (Path::default(), HashSet::new(), Coverage::default());
    loop {
        let has_finished = follow::<MISTAKE>(trial, &path, &mut seen)
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

/// Run one path; gives whether it came to its end, and not to a state that was seen before.
fn follow<const MISTAKE: usize>(trial: &Trial, path: &Path, seen: &mut HashSet<u64>) -> Result<bool, String> {
    let mut run = Run::<MISTAKE>::new(trial, Box::new(path.clone()))?;
    // Lanes that have nothing to do until something comes.
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
                // What one lane's polls have found may be for another of the same PE.
                for beside in run.beside(lane) {
                    is_idle[beside] &= !has_news;
                }
                is_idle[lane] = !has_news;
            }
        }
    }
    run.finish().map(|_| true)
}
