//! The source of a run's choices: a seed, or a search that makes all of them in turn.

use crate::rng::Rng;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes the choices of a run.
pub trait Adversary: Send {
    /// A number below `of`, which is not zero.
    fn choose(&mut self, of: usize) -> usize;
    /// The same, for items in order of arrival: the oldest is 0.
    fn choose_one(&mut self, of: usize) -> usize {
        self.choose(of)
    }
    /// True about once in `times` calls: always if `times` is 1, never if it is 0.
    fn once_in(&mut self, times: usize) -> bool;
}

/// The preference of the seeded adversary.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temper {
    /// No preference.
    Even,
    /// The newest item first: as much reordering as possible.
    Newest,
    /// The oldest item first: later ones are held up.
    Oldest,
}

/// The adversary of a seed.
#[derive(Debug)]
pub struct Seeded {
    rng: Rng,
    temper: Temper,
}

impl Seeded {
    /// The adversary of `seed`, which also decides its temper.
    pub fn new(seed: u64) -> Seeded {
        let mut rng = Rng::new(seed);
        let temper = rng.pick(&[Temper::Even, Temper::Even, Temper::Newest, Temper::Oldest]);
        Seeded { rng, temper }
    }
}

impl Adversary for Seeded {
    fn choose(&mut self, of: usize) -> usize {
        self.rng.below(of)
    }

    fn choose_one(&mut self, of: usize) -> usize {
        match self.temper {
            Temper::Newest if !self.rng.one_in(8) => of - 1,
            Temper::Oldest if !self.rng.one_in(8) => 0,
            _ => self.rng.below(of),
        }
    }

    fn once_in(&mut self, times: usize) -> bool {
        times > 0 && self.rng.one_in(times)
    }
}

/// A path through the choices of a run. Each run follows the remaining path of the last one, and takes the first choice beyond its end.
#[derive(Clone, Debug, Default)]
pub struct Path(Arc<Mutex<Steps>>);

#[derive(Debug, Default)]
struct Steps {
    /// Each choice taken, and the number of alternatives.
    taken: Vec<(usize, usize)>,
    depth: usize,
}

impl Path {
    fn with<R>(&self, act: impl FnOnce(&mut Steps) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// True if no earlier run has made the next choice.
    pub fn is_new(&self) -> bool {
        self.with(|steps| steps.depth == steps.taken.len())
    }

    /// The choices of the run that has ended.
    pub fn choices(&self) -> Vec<usize> {
        self.with(|steps| steps.taken.iter().map(|(choice, _)| *choice).collect())
    }

    /// Advance to the next path. Returns false if there is none.
    pub fn advance(&self) -> bool {
        self.with(|steps| {
            steps.depth = 0;
            while let Some((choice, of)) = steps.taken.pop() {
                if choice + 1 < of {
                    steps.taken.push((choice + 1, of));
                    return true;
                }
            }
            false
        })
    }
}

impl Adversary for Path {
    fn choose(&mut self, of: usize) -> usize {
        if of == 1 {
            return 0;
        }
        self.with(|steps| {
            if steps.depth == steps.taken.len() {
                steps.taken.push((0, of));
            }
            let (choice, among) = steps.taken[steps.depth];
            assert_eq!(among, of, "a run depends on nothing but its choices");
            steps.depth += 1;
            choice
        })
    }

    fn once_in(&mut self, times: usize) -> bool {
        match times {
            0 => false,
            1 => true,
            _ => self.choose(2) == 1,
        }
    }
}
