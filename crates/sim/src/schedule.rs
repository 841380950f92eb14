//! Adversaries that choose the next step: they obey the rules, and are otherwise as unfavourable as possible.

use crate::rng::Rng;
use crate::world::{Flight, Notification, State, Wait, World};
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Waker};

/// The program of one PE in a run.
pub type Program<'w> = Pin<Box<dyn Future<Output = ()> + 'w>>;

/// The next step of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// The message or pull in flight at this index arrives.
    Arrive(usize),
    /// This PE runs until it waits.
    Run(usize),
}

/// Decides the next step.
pub trait Schedule {
    /// Choose something in flight, or one of `runnable`; there is at least one of them. `None` ends the run early.
    fn next(&mut self, world: &World, runnable: &[usize]) -> Option<Step>;
}

/// The two PEs of a message or pull in flight.
#[derive(Clone, Copy, Debug)]
pub struct Ends {
    /// Its sender, or for a pull the PE that is read.
    pub from: usize,
    /// Its target, or for a pull the PE that reads.
    pub to: usize,
}

impl World {
    /// Messages and pulls in flight.
    pub fn in_flight(&self) -> usize {
        self.state.borrow().flight.len()
    }

    /// True if a PE waits for the item in flight at `index`. If none does, its arrival can be delayed: no PE may look at its data yet, and
    /// an access that conflicts with it also conflicts while it is in flight.
    pub fn wanted(&self, index: usize) -> bool {
        self.state.borrow().wanted(index)
    }

    /// True if the item in flight at `index` is counted in a tally, where all arrivals are equivalent.
    pub fn is_counted(&self, index: usize) -> bool {
        matches!(&self.state.borrow().flight[index], Flight::Message(m) if matches!(m.notification, Notification::Tally(_)))
    }

    /// The ends of the item in flight at `index`.
    pub fn ends(&self, index: usize) -> Ends {
        match &self.state.borrow().flight[index] {
            Flight::Message(m) => Ends { from: m.from_pe, to: m.to_pe },
            Flight::Pull(p) => Ends { from: p.from_pe, to: p.by },
        }
    }
}

impl State {
    fn runnable(&self, into: &mut Vec<usize>) {
        into.clear();
        into.extend((0..self.waits.len()).filter(|pe| self.holds(*pe, &self.waits[*pe])));
    }
}

/// How a run that broke no rule ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    Finished,
    /// The schedule ended the run early.
    Cut,
}

/// Run `programs` to their end. `Err` has the first broken rule, or the deadlock.
pub fn run(world: &World, programs: &mut [Program<'_>], schedule: &mut dyn Schedule) -> Result<End, String> {
    let mut left = programs.len();
    let mut runnable = Vec::new();
    let mut context = Context::from_waker(Waker::noop());
    while left > 0 {
        world.state.borrow().runnable(&mut runnable);
        if runnable.is_empty() && world.in_flight() == 0 {
            return Err(deadlock(&world.state.borrow()));
        }
        match schedule.next(world, &runnable) {
            None => return Ok(End::Cut),
            Some(Step::Arrive(index)) => world.deliver(index),
            Some(Step::Run(pe)) => {
                if programs[pe].as_mut().poll(&mut context).is_ready() {
                    let state = &mut *world.state.borrow_mut();
                    state.waits[pe] = Wait::Done;
                    state.remember(pe, 2);
                    left -= 1;
                }
            }
        }
        if world.state.borrow().failed() {
            return Err(world.failure().unwrap_or_default());
        }
    }
    let state = world.state.borrow();
    match state.stages.first_unknown() {
        Some(id) if !world.shape.faults.no_account => Err(format!("message {id} was never awaited by its target")),
        _ => Ok(End::Finished),
    }
}

fn deadlock(state: &State) -> String {
    let waiting = state.waits.iter().enumerate().filter(|(_, w)| !matches!(w, Wait::Done));
    let list: Vec<String> = waiting.take(8).map(|(pe, wait)| format!("pe {pe} waits for {wait:?}")).collect();
    format!("deadlock: {}", list.join("; "))
}

/// A temper: the adversary's preference among possible steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Temper {
    /// No preference.
    Even,
    /// The newest message first: as much reordering as possible.
    Newest,
    /// The oldest message first.
    Oldest,
    /// This PE runs only when nothing else can happen.
    StarvePe(usize),
    /// Nothing arrives at this PE while anything else can happen.
    DeafPe(usize),
    /// Nothing from this PE arrives while anything else can happen.
    MutePe(usize),
    /// This PE, and arrivals at it, come first: it runs ahead as far as the rules allow.
    Favour(usize),
    /// PEs run before anything arrives, so that as much as possible is in flight.
    Flood,
}

#[derive(Debug)]
pub struct Adversary {
    rng: Rng,
    temper: Temper,
}

impl Adversary {
    /// The adversary of `seed` against `pes` PEs.
    pub fn new(seed: u64, pes: usize) -> Adversary {
        let mut rng = Rng::new(seed);
        let victim = rng.below(pes);
        let temper = match rng.below(8) {
            0 => Temper::Even,
            1 => Temper::Newest,
            2 => Temper::Oldest,
            3 => Temper::StarvePe(victim),
            4 => Temper::DeafPe(victim),
            5 => Temper::MutePe(victim),
            6 => Temper::Favour(victim),
            _ => Temper::Flood,
        };
        Adversary { rng, temper }
    }

    fn any(&mut self, flight: usize, runnable: &[usize]) -> Step {
        let i = self.rng.below(flight + runnable.len());
        if i < flight { Step::Arrive(i) } else { Step::Run(runnable[i - flight]) }
    }

    /// A random step that `likes` accepts; any step if there is none.
    fn prefer(&mut self, flight: usize, runnable: &[usize], likes: impl Fn(Step) -> bool) -> Step {
        for _ in 0..4 {
            let step = self.any(flight, runnable);
            if likes(step) {
                return step;
            }
        }
        let all = (0..flight).map(Step::Arrive).chain(runnable.iter().map(|pe| Step::Run(*pe)));
        let liked: Vec<Step> = all.filter(|s| likes(*s)).collect();
        if liked.is_empty() { self.any(flight, runnable) } else { self.rng.pick(&liked) }
    }
}

impl Schedule for Adversary {
    fn next(&mut self, world: &World, runnable: &[usize]) -> Option<Step> {
        let (flight, look) = (world.in_flight(), |i| world.ends(i));
        if self.rng.one_in(64) {
            return Some(self.any(flight, runnable));
        }
        Some(match self.temper {
            Temper::Even => self.any(flight, runnable),
            Temper::Newest if flight > 0 => Step::Arrive(flight - 1),
            Temper::Oldest if flight > 0 => Step::Arrive(0),
            Temper::Newest | Temper::Oldest => self.any(flight, runnable),
            Temper::StarvePe(pe) => self.prefer(flight, runnable, |s| s != Step::Run(pe)),
            Temper::DeafPe(pe) => self.prefer(flight, runnable, |s| !matches!(s, Step::Arrive(i) if look(i).to == pe)),
            Temper::MutePe(pe) => {
                self.prefer(flight, runnable, |s| !matches!(s, Step::Arrive(i) if look(i).from == pe))
            }
            Temper::Favour(pe) => self.prefer(flight, runnable, |s| match s {
                Step::Arrive(i) => look(i).to == pe,
                Step::Run(p) => p == pe,
            }),
            Temper::Flood if !runnable.is_empty() => Step::Run(self.rng.pick(runnable)),
            Temper::Flood => self.any(flight, runnable),
        })
    }
}
