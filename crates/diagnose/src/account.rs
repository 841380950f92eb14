//! Reports with the last calls of the PEs that matter. They are the same whether a PE reports for its host or the launcher for all.
//!
//! `past` returns the last calls of a PE, as far as they can be seen.

use crate::{
    report::{self, Difference, last_calls, that_matter},
    status::{Phase, Seen},
};

/// Report the waits of these PEs, which can never go on. `of` is the number of PEs of the job.
pub fn stuck(all: &[Seen], pes: &[u32], of: u32, past: impl Fn(u32) -> Vec<String>) -> Vec<String> {
    let at: Vec<usize> = (0..all.len()).filter(|&at| pes.contains(&all[at].pe)).collect();
    let concerned: Vec<&Seen> = all.iter().filter(|one| pes.contains(&one.pe) || one.phase == Phase::Left).collect();
    before_last(report::stuck(all, &at, of), lines(&that_matter(&concerned), past))
}

/// Add the last calls of the minority to `told`, a report of calls that differ.
pub fn different(told: Vec<String>, difference: &Difference, past: impl Fn(u32) -> Vec<String>) -> Vec<String> {
    before_last(told, lines(&difference.minority(), past))
}

/// Add the last calls of the PEs that matter to `told`, a report of where all PEs are.
pub fn roll_call(mut told: Vec<String>, all: &[Seen], past: impl Fn(u32) -> Vec<String>) -> Vec<String> {
    told.extend(lines(&that_matter(&all.iter().collect::<Vec<_>>()), past));
    told
}

/// A line for each of these PEs that has a past.
fn lines(pes: &[u32], past: impl Fn(u32) -> Vec<String>) -> Vec<String> {
    pes.iter().filter_map(|&pe| last_calls(pe, &past(pe))).collect()
}

/// Insert lines before the last one, which is the line that matters.
fn before_last(mut lines: Vec<String>, more: Vec<String>) -> Vec<String> {
    let last = lines.len().saturating_sub(1);
    lines.splice(last..last, more);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_matters_stays_the_last() {
        let [first, more, last] = ["first", "more", "last"].map(str::to_owned);
        assert_eq!(before_last(vec![first.clone(), last.clone()], vec![more.clone()]), [first, more.clone(), last]);
        assert_eq!(before_last(Vec::new(), vec![more.clone()]), [more]);
    }
}
