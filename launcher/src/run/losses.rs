//! Jobs whose losses return (`--on-loss return`): the death of a PE ends no other, and the job ends when the last PE has ended.
//!
//! The exit code of such a job is 0 if the PEs that were left have succeeded: a PE that was killed is what such a job survives. A PE that ends
//! with a code other than 0 has failed, and its code is the job's.

use super::Refusal;
use super::options::JobOptions;
use super::variables::of_variable;
use ferrite_bootstrap::ON_LOSS;

/// The end of PEs that the others survive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Loss {
    /// Number of PEs that are lost.
    pub pes: u32,
    /// The exit code that stands for it.
    pub code: u8,
    /// The PE has ended with this code by itself.
    pub is_chosen: bool,
    /// The line for the user.
    pub line: String,
}

/// The losses of a job so far.
#[derive(Default)]
pub struct Losses {
    pes: u32,
    /// The code of the first loss.
    first: u8,
    /// The first code that a PE has ended with by itself.
    chosen: Option<u8>,
}

impl Losses {
    /// Count a loss.
    pub fn note(&mut self, loss: &Loss) {
        if self.pes == 0 {
            self.first = loss.code;
        }
        self.pes = self.pes.saturating_add(loss.pes);
        self.chosen = self.chosen.or_else(|| loss.is_chosen.then_some(loss.code));
    }

    /// The exit code of a job of `size` PEs that has ended by itself.
    pub fn exit_code(&self, size: u32) -> u8 {
        self.chosen.unwrap_or(if self.pes < size { 0 } else { self.first })
    }
}

/// Whether the PEs that are left go on after the loss of others.
pub fn are_returned(job: &JobOptions) -> Result<bool, Refusal> {
    match job.on_loss.clone().or_else(|| of_variable(ON_LOSS)).as_deref() {
        None | Some("end") => Ok(false),
        Some("return") => Ok(true),
        Some(other) => Err(Refusal::new(format!("{ON_LOSS}: {other:?}; it must be end or return"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(losses: &[(u32, u8, bool)]) -> u8 {
        let mut all = Losses::default();
        for &(pes, code, is_chosen) in losses {
            all.note(&Loss { pes, code, is_chosen, line: String::new() });
        }
        all.exit_code(4)
    }

    #[test]
    fn those_that_are_left_decide_the_exit_code() {
        assert_eq!(code(&[]), 0);
        assert_eq!(code(&[(1, 137, false)]), 0);
        assert_eq!(code(&[(1, 137, false), (1, 3, true), (1, 4, true)]), 3);
        assert_eq!(code(&[(3, 1, false), (1, 137, false)]), 1, "nobody is left");
    }
}
