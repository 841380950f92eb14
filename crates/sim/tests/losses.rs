//! The loss of a PE at each step of each collective. The others come to a result that is right, or stand still, where the runtime ends their
//! waits: no rule is broken meanwhile, and no memory is touched that is not theirs to touch.

use ferrite_collectives::exchange::scratch_bytes_min;
use ferrite_sim::rng::Rng;
use ferrite_sim::schedule::{Adversary, End, Schedule, Step as Next};
use ferrite_sim::trial::{Step, Trial, texts};
use ferrite_sim::world::{Faults, World};

/// A PE stops after this number of steps of the world. Messages that it has sent still arrive.
struct Dies {
    pe: usize,
    after: usize,
    adversary: Adversary,
}

impl Schedule for Dies {
    fn next(&mut self, world: &World, runnable: &[usize]) -> Option<Next> {
        if self.after > 0 {
            self.after -= 1;
            return self.adversary.next(world, runnable);
        }
        let living: Vec<usize> = runnable.iter().copied().filter(|pe| *pe != self.pe).collect();
        if living.is_empty() && world.in_flight() == 0 { None } else { self.adversary.next(world, &living) }
    }
}

#[test]
fn a_loss_at_each_step_of_each_collective_breaks_no_rule() {
    let (mut runs, mut broken) = (0, 0);
    for text in texts() {
        for pes in [2, 3, 5] {
            let mut rng = Rng::new(pes as u64);
            let scratch = scratch_bytes_min(pes as u32, 24);
            let Some(step) = (0..20).find_map(|_| Step::draw(text, pes, scratch, &mut rng)) else { continue };
            for pe in 0..pes {
                for after in 0.. {
                    let seed = after as u64;
                    let steps = vec![step; 2];
                    let trial =
                        Trial { pes, node: pes, scratch, steps, faults: Faults::default(), forgets: None, seed: 1 };
                    let mut schedule = Dies { pe, after, adversary: Adversary::new(seed, pes) };
                    let end = trial.run(&mut schedule).map(|outcome| outcome.end);
                    runs += 1;
                    match end {
                        Ok(End::Cut) => broken += 1,
                        // It has died after its part, or it was not reached in this schedule. The next seed may need more steps.
                        Ok(End::Finished) if schedule.after > 0 => break,
                        Ok(End::Finished) => {}
                        Err(what) => panic!("{text:?}: PE {pe} of {pes} dies after {after} steps: {what}\n{trial:#?}"),
                    }
                }
            }
        }
    }
    println!("{runs} losses, of which {broken} left others waiting");
    assert!(broken > 1_000);
}
