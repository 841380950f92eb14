//! Who makes the choices of a run: a seed, or a search that makes all of them in turn.

use crate::rng::Rng;
use std::sync::{Arc, Mutex, PoisonError};

/// Makes the choices of a run.
pub trait Adversary: Send {
    /// A number below `of`, which is not zero.
    fn choose(&mut self, of: usize) -> usize;
    /// The same, of things in the order in which they came.
    fn choose_one(&mut self, of: usize) -> usize {
        self.choose(of)
    }
    /// Yes, now and then: about once in so many, always where that is 1, never where it is 0.
    fn once_in(&mut self, times: usize) -> bool;
}

/// What the seeded adversary prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temper {
    /// Nothing.
    Even,
    /// What came last: as much reordering as there can be.
    Newest,
    /// What came first: whatever comes later is held up.
    Oldest,
}

/// The adversary of a seed.
#[derive(Debug)]
pub struct Seeded {
    rng: Rng,
    temper: Temper,
}

impl Seeded {
    /// That of `seed`, which also decides on its temper.
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

/// A path through the choices of a run. Each run follows what is left of the last one's, and takes the first choice beyond.
#[derive(Clone, Debug, Default)]
pub struct Path(Arc<Mutex<Steps>>);

#[derive(Debug, Default)]
struct Steps {
    /// The choice taken, and how many there were.
    taken: Vec<(usize, usize)>,
    depth: usize,
}

impl Path {
    fn with<R>(&self, act: impl FnOnce(&mut Steps) -> R) -> R {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The next choice is one that no run before has made.
    pub fn is_new(&self) -> bool {
        self.with(|steps| steps.depth == steps.taken.len())
    }

    /// The choices of the run that has ended.
    pub fn choices(&self) -> Vec<usize> {
        self.with(|steps| steps.taken.iter().map(|(choice, _)| *choice).collect())
    }

    /// Go on to the next path; gives whether there is one.
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
