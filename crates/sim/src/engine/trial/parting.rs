//! The orderly end of a trial: peers answer outstanding requests, and leave.

use super::{LaneRun, Run, STEPS_EACH, Trial};
use crate::engine::{adversary::Seeded, network::Habits, program::Action};
use ferrite_fabric::Stage;

/// Number of polls after which every port of a PE has been polled.
const POLLS: usize = 130;
/// Maximum number of rounds until nothing is under way.
const ROUNDS_MAX: usize = 1_000;

/// How the PEs that remain ask a leaving PE.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    /// They wait for the answer.
    Wait,
    /// They probe while the leaving PE still answers.
    ProbeBefore,
    /// They probe when it has finished, and their requests fail because it does not take them any more.
    ProbeInVain,
    /// They probe when it has left.
    ProbeAfter,
}

impl Question {
    const ALL: [Question; 4] = [Question::Wait, Question::ProbeBefore, Question::ProbeInVain, Question::ProbeAfter];
}

impl Trial {
    /// Run the programs, and have the PEs leave one by one. All remaining PEs send something to the leaving PE and ask whether it has
    /// arrived, in one of the ways of `Question`. The leaving PE answers, and leaves before any of them has received its answer. Returns the
    /// number of PEs that have left.
    pub fn run_to_parting(&self, seed: u64) -> Result<usize, String> {
        let mut run = Run::new(self, Box::new(Seeded::new(seed)))?;
        let actions: usize = self.programs.iter().map(Vec::len).sum();
        for _ in 0..STEPS_EACH * actions {
            if run.is_over() {
                break;
            }
            run.step_of_adversary()?;
        }
        run.end()?;
        let all: Vec<usize> = (0..self.pes).collect();
        run.rest(&all)?;
        for &leaver in &all[..self.pes - 1] {
            let others: Vec<usize> = run.lanes_of(&all[leaver + 1..]);
            for &lane in &others {
                run.post(lane, &Action::Put { to: leaver, at: 0, len: 1 })?;
            }
            let question = Question::ALL[seed as usize % Question::ALL.len()];
            if matches!(question, Question::Wait | Question::ProbeBefore) {
                run.pose(question, &others);
            }
            run.rest(&[leaver])?;
            if question == Question::ProbeInVain {
                run.pose(question, &others);
                run.network().fail_messages(leaver);
                run.rest(&[leaver])?;
            }
            run.network().leave(leaver);
            for _ in 0..POLLS {
                if question == Question::Wait {
                    others.iter().for_each(|&lane| _ = run.lanes[lane].lane.progress());
                } else {
                    run.pose(question, &others);
                }
            }
            for &pe in &all[leaver + 1..] {
                if let Some(fault) = run.engines[pe].fault() {
                    return Err(format!("PE {leaver} left in order, and PE {pe} has a fault: {fault}"));
                }
            }
        }
        Ok(self.pes - 1)
    }
}

impl Run<'_> {
    /// Ask on each of these lanes whether its last operation has arrived.
    fn pose(&self, question: Question, lanes: &[usize]) {
        for &lane in lanes {
            let LaneRun { lane, last, .. } = &self.lanes[lane];
            let _ = if question == Question::Wait { lane.reached(Stage::Remote) >= *last } else { lane.probe(*last) };
        }
    }

    fn lanes_of(&self, pes: &[usize]) -> Vec<usize> {
        (0..self.lanes.len()).filter(|lane| pes.contains(&self.lanes[*lane].pe)).collect()
    }

    /// Complete everything that is under way, as far as polls of only these PEs can complete it.
    fn rest(&mut self, pes: &[usize]) -> Result<(), String> {
        self.network().habits = Habits::default();
        let lanes = self.lanes_of(pes);
        for _ in 0..ROUNDS_MAX {
            for _ in 0..POLLS {
                lanes.iter().for_each(|&lane| _ = self.lanes[lane].lane.progress());
            }
            let moves = self.network().moves();
            let Some(next) = moves.first() else { return Ok(()) };
            self.move_network(*next)?;
        }
        Err("nothing comes to rest".to_owned())
    }
}
