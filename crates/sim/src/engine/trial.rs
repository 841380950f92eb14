//! A trial: engines in one thread, each with its lanes and their programs, over a network that an adversary runs.
//!
//! Every step is a call of one lane or a move of the network. After each step all memory is checked against the [`Model`].

mod lane_steps;
mod parting;

use super::{
    adversary::{Adversary, Seeded},
    limits,
    model::{Layout, Model},
    network::{Breach, Habits, Move, Network, SEGMENT},
    port::{SimTransport, lock},
    program::{self, Action},
};
use crate::rng::{Mixer, Rng};
use ferrite_engine::{
    Atomics, Cut, Engine, Flush, Limits, Options, Pe, Rail, Rails, Segment, SegmentId, Surroundings, Transport,
};
use ferrite_fabric::{AddressBook, Error, Fabric, Key, Lane, Progress, Ticket};
use std::{
    hash::{Hash, Hasher},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicU8, AtomicU64, Ordering::Relaxed},
    },
};

/// A trial: the PEs, the programs of their lanes, and the network.
#[derive(Clone, Debug)]
pub struct Trial {
    pub pes: usize,
    /// The capabilities of ports.
    pub limits: Limits,
    /// The habits of the network.
    pub habits: Habits,
    /// Number of rails of each PE, and how operations are cut over them. The last PE may have only one. 0: PEs do not know of rails.
    pub rails: usize,
    pub one_at_last: bool,
    pub cut: Cut,
    /// The rails promise the orders that each of them keeps.
    pub overpromises: bool,
    /// Maximum number of ports per PE; its lanes share them.
    pub ports_max: usize,
    /// The program of each lane. The lanes of a PE are consecutive, and every PE has the same number.
    pub programs: Vec<Vec<Action>>,
    /// On average, lanes query the progress of their operations once in this many steps without waiting; 0 means never.
    pub curious: usize,
    /// This PE takes fewer steps than the others.
    pub slow: Option<usize>,
    /// A PE, and the step at which it dies.
    pub dies: Option<(usize, usize)>,
    /// A promise that the network breaks.
    pub breach: Option<Breach>,
}

/// Number of steps per action that the adversary gets. After that, everything is run to completion.
const STEPS_EACH: usize = 30;
/// Number of rounds of all lanes without news, after which no more news is expected. A lane polls the other ports of its PE at one poll in
/// 64.
const SILENT_ROUNDS_MAX: usize = 100;
/// Maximum number of rounds at the end.
const ROUNDS_MAX: usize = 10_000;

impl Trial {
    /// The trial of a seed.
    pub fn draw(seed: u64) -> Trial {
        let rng = &mut Rng::new(seed);
        let pes = rng.pick(&[2, 2, 3, 3, 4]);
        let lanes = rng.pick(&[1, 1, 2]);
        let (limits, habits) = (limits::draw(rng), limits::draw_habits(rng));
        let programs = (0..pes * lanes).map(|lane| program::draw(rng, lane / lanes, pes, pes * lanes)).collect();
        Trial {
            pes,
            limits,
            habits,
            rails: 0,
            one_at_last: false,
            cut: Cut::default(),
            overpromises: false,
            ports_max: rng.pick(&[1, 2]),
            programs,
            curious: rng.pick(&[0, 2, 8]),
            slow: rng.one_in(3).then(|| rng.below(pes)),
            dies: None,
            breach: None,
        }
    }

    /// The trial of a seed, in which a PE dies.
    pub fn draw_with_loss(seed: u64) -> Trial {
        let trial = Trial::draw(seed);
        let rng = &mut Rng::new(!seed);
        let actions: usize = trial.programs.iter().map(Vec::len).sum();
        Trial { dies: Some((rng.below(trial.pes), rng.below(10 * actions))), ..trial }
    }

    /// The trial of a seed over several rails, which puts and gets are cut over.
    pub fn draw_with_rails(seed: u64) -> Trial {
        let trial = Trial::draw(seed);
        let rng = &mut Rng::new(seed.rotate_left(32));
        let atomics = if rng.one_in(3) { Atomics::Nic { fenced: rng.one_in(2) } } else { Atomics::Target };
        let limits = Limits { writes: true, flush: Flush::Done, atomics, ..trial.limits };
        let cut = Cut { whole: rng.pick(&[1, 4, 8, 12]), piece: rng.pick(&[1, 3, 8]) };
        Trial { limits, rails: rng.pick(&[2, 2, 3]), one_at_last: rng.one_in(4), cut, ..trial }
    }

    /// Number of rails of a PE, if it knows of rails.
    fn rails_of(&self, pe: usize) -> Option<usize> {
        (self.rails > 0).then_some(if self.one_at_last && pe + 1 == self.pes { 1 } else { self.rails })
    }

    /// Run the trial against the adversary of `seed`.
    pub fn run(&self, seed: u64) -> Result<Outcome, String> {
        let mut run = Run::new(self, Box::new(Seeded::new(seed)))?;
        let actions: usize = self.programs.iter().map(Vec::len).sum();
        for step in 0..STEPS_EACH * actions {
            if self.dies.is_some_and(|(_, when)| when == step) {
                run.lose();
            }
            if run.is_over() {
                break;
            }
            run.step_of_adversary()?;
        }
        if self.dies.is_some() {
            run.lose();
        }
        run.end()
    }

    fn lanes_each(&self) -> usize {
        self.programs.len() / self.pes
    }
}

/// The outcome of a run that broke no rule.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Outcome {
    pub posted: usize,
    /// Number of PEs whose fabric has failed, because they waited for a PE that died.
    pub faults: usize,
}

/// An operation whose completion the engine has not reported.
struct Posted {
    ticket: Ticket,
    number: usize,
    target: usize,
    /// Its result is its only effect, so it is complete when the result has arrived.
    fetches: bool,
    /// The program's memory, while the engine may access it.
    memory: Option<Buffer>,
}

/// Memory of a program.
type Buffer = Box<[AtomicU8]>;

fn buffer(len: usize, byte: u8) -> Buffer {
    (0..len).map(|_| AtomicU8::new(byte)).collect()
}

fn bytes(buffer: &[AtomicU8]) -> Vec<u8> {
    buffer.iter().map(|byte| byte.load(Relaxed)).collect()
}

struct LaneRun {
    lane: Box<dyn Lane>,
    pe: usize,
    next: usize,
    /// The last ticket that it got; below, the tickets up to which all operations were reported complete.
    last: Ticket,
    reached: [Ticket; 2],
    posted: Vec<Posted>,
    /// Memory that was given back, with the contents that it must keep.
    given_back: Vec<(Buffer, Vec<u8>)>,
}

impl LaneRun {
    fn new(lane: Box<dyn Lane>, pe: usize) -> LaneRun {
        let (last, reached) = (Ticket::NONE, [Ticket::NONE; 2]);
        LaneRun { lane, pe, next: 0, last, reached, posted: Vec::new(), given_back: Vec::new() }
    }
}

/// A run of a trial. The engines are dropped first, so that no lane waits for operations under way.
pub struct Run<'t> {
    trial: &'t Trial,
    engines: Vec<Box<dyn Fabric>>,
    lanes: Vec<LaneRun>,
    memories: Vec<Box<[AtomicU64]>>,
    network: Arc<Mutex<Network>>,
    model: Model,
    layout: Layout,
    /// The network's count of stores at the model's last look.
    stores_seen: u64,
    is_lost: bool,
    /// PEs whose fabric has failed. They only serve peers.
    faulty: Vec<bool>,
    count: usize,
}

/// The addresses of PEs.
pub struct Book(pub Vec<Vec<u8>>);

impl AddressBook for Book {
    fn address(&self, pe: Pe) -> Result<Vec<u8>, Error> {
        Ok(self.0[pe.0 as usize].clone())
    }

    fn key(&self, _: Pe, _: SegmentId) -> Result<Key, Error> {
        Ok(Key(Box::default()))
    }
}

impl<'t> Run<'t> {
    /// Open the engines and their lanes.
    pub fn new(trial: &'t Trial, adversary: Box<dyn Adversary>) -> Result<Self, String> {
        let mut network = Network::new(trial.pes, trial.limits, trial.habits, adversary);
        trial.breach.into_iter().for_each(|breach| network.commit(breach));
        let network = Arc::new(Mutex::new(network));
        let layout = Layout { lanes: trial.programs.len() };
        let mut run = Run {
            trial,
            lanes: Vec::new(),
            engines: Vec::new(),
            memories: Vec::new(),
            network,
            model: Model::new(trial.pes, trial.programs.len()),
            layout,
            stores_seen: 0,
            is_lost: false,
            faulty: vec![false; trial.pes],
            count: 0,
        };
        run.open().map_err(|error| error.to_string())?;
        Ok(run)
    }

    fn open(&mut self) -> Result<(), Error> {
        for pe in 0..self.trial.pes {
            self.open_engine(pe)?;
        }
        let book = Arc::new(Book(self.engines.iter().map(|engine| engine.address()).collect()));
        for (pe, engine) in self.engines.iter().enumerate() {
            engine.connect(book.clone())?;
            for _ in 0..self.trial.lanes_each() {
                self.lanes.push(LaneRun::new(engine.lane()?, pe));
            }
        }
        Ok(())
    }

    fn open_engine(&mut self, pe: usize) -> Result<(), Error> {
        let options = Options {
            me: Pe(pe as u32),
            size: self.trial.pes as u32,
            job: 0,
            progress: Progress::Program,
            one_host: true,
            crowded: false,
            silence: None,
        };
        let engine: Box<dyn Fabric> = match self.trial.rails_of(pe) {
            None => Box::new(Engine::open(options, |surroundings| Ok(self.transport(surroundings)))?),
            Some(1) => Box::new(Engine::open(options, |surroundings| Ok(self.rail(surroundings)))?),
            Some(count) => Box::new(Engine::open(options, |surroundings| {
                let Trial { limits, cut, overpromises, .. } = *self.trial;
                let joined = Rails::join((0..count).map(|_| self.rail(surroundings)).collect(), cut)?;
                let promised = *joined.limits();
                let orders = if overpromises { limits.orders } else { promised.orders };
                Ok(joined.promising(Limits { orders, ..promised }))
            })?),
        };
        let memory: Box<[AtomicU64]> = (0..self.layout.bytes() / 8).map(|_| AtomicU64::new(0)).collect();
        let segment = Segment { id: SEGMENT, base: memory.as_ptr().cast_mut().cast(), len: self.layout.bytes() };
        // SAFETY: the memory is dropped after the engine.
        unsafe { engine.register(segment) }?;
        self.engines.push(engine);
        self.memories.push(memory);
        Ok(())
    }

    fn transport(&self, surroundings: &Surroundings) -> SimTransport {
        let Trial { limits, ports_max, .. } = *self.trial;
        SimTransport::new(Arc::clone(&self.network), surroundings, limits, ports_max)
    }

    fn rail(&self, surroundings: &Surroundings) -> Rail<SimTransport> {
        Rail { nic: "rail".to_owned(), network: String::new(), transport: self.transport(surroundings) }
    }

    fn network(&self) -> MutexGuard<'_, Network> {
        lock(&self.network)
    }

    fn is_dead(&self, pe: usize) -> bool {
        self.is_lost && self.trial.dies.is_some_and(|(dead, _)| dead == pe)
    }

    /// Lanes of PEs that are alive.
    fn living(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.lanes.len()).filter(|lane| !self.is_dead(self.lanes[*lane].pe))
    }

    /// True if the program of a lane goes no further.
    fn has_ended(&self, lane: usize) -> bool {
        self.lanes[lane].next == self.trial.programs[lane].len() || self.faulty[self.lanes[lane].pe]
    }

    /// True if all programs have ended.
    pub fn is_over(&self) -> bool {
        self.living().all(|lane| self.has_ended(lane))
    }

    /// Kill the PE that is to die.
    fn lose(&mut self) {
        if let Some((pe, _)) = self.trial.dies
            && !std::mem::replace(&mut self.is_lost, true)
        {
            self.network().lose(pe);
        }
    }

    /// A step of the adversary's choice.
    fn step_of_adversary(&mut self) -> Result<(), String> {
        let lanes: Vec<usize> = self.living().collect();
        let mut network = self.network();
        let moves = network.moves();
        let moves_next = lanes.is_empty() || !moves.is_empty() && network.adversary.once_in(2);
        if moves_next && !moves.is_empty() {
            let next = moves[network.adversary.choose_one(moves.len())];
            drop(network);
            return self.move_network(next);
        }
        if lanes.is_empty() {
            return Ok(());
        }
        let mut lane = lanes[network.adversary.choose(lanes.len())];
        if Some(self.lanes[lane].pe) == self.trial.slow && !network.adversary.once_in(8) {
            lane = lanes[network.adversary.choose(lanes.len())];
        }
        let is_patient = network.adversary.once_in(8);
        drop(network);
        if is_patient { self.step_until_news(lane).map(drop) } else { self.step(lane) }
    }

    /// Run everything to completion.
    fn end(&mut self) -> Result<Outcome, String> {
        self.network().habits = Habits::default();
        let news = |run: &Self| (0..run.trial.pes).map(|pe| run.network().told(pe)).collect::<Vec<_>>();
        let (mut last, mut silent, mut rounds) = (news(self), 0, 0);
        while !self.is_over() {
            rounds += 1;
            let before = std::mem::replace(&mut last, news(self));
            silent = if last == before { silent + 1 } else { 0 };
            if silent > SILENT_ROUNDS_MAX || rounds > ROUNDS_MAX {
                return Err(format!("nothing goes on any more: {}", self.waiting()));
            }
            for lane in self.living().collect::<Vec<_>>() {
                self.step(lane)?;
            }
            while let Some(next) = {
                let moves = self.network().moves();
                moves.first().copied()
            } {
                self.move_network(next)?;
            }
        }
        self.finish()
    }

    /// All programs have ended: check that nothing is missing.
    pub fn finish(&mut self) -> Result<Outcome, String> {
        for lane in &self.lanes {
            if lane.given_back.iter().any(|(memory, left)| bytes(memory) != *left) {
                return Err(format!("PE {}'s memory was written after it was given back", lane.pe));
            }
        }
        if self.trial.dies.is_none() {
            self.model.end()?;
        }
        Ok(Outcome { posted: self.count, faults: self.faulty.iter().filter(|faulty| **faulty).count() })
    }

    /// A list of the lanes that wait, and their steps.
    pub fn waiting(&self) -> String {
        let lanes = self.living().filter(|lane| !self.has_ended(*lane));
        let lanes = lanes.map(|lane| format!("lane {lane} at {:?}", self.trial.programs[lane][self.lanes[lane].next]));
        lanes.collect::<Vec<_>>().join(", ")
    }

    /// Make a move of the network, and check memory.
    pub fn move_network(&mut self, next: Move) -> Result<(), String> {
        self.network().make(next);
        self.look()?;
        self.check()
    }

    /// Check all memory against the model.
    fn look(&mut self) -> Result<(), String> {
        let stores = self.network().stores;
        if std::mem::replace(&mut self.stores_seen, stores) == stores {
            return Ok(());
        }
        for (pe, memory) in self.memories.iter().enumerate() {
            if !(self.is_lost && self.trial.dies.is_some_and(|(dead, _)| dead == pe)) {
                self.model.look(pe, memory)?;
            }
        }
        Ok(())
    }

    fn check(&mut self) -> Result<(), String> {
        if let Some(broken) = self.network().broken.take() {
            return Err(broken);
        }
        self.model.check()
    }

    /// The possible next steps: moves of the network, and lanes that are not idle or have something to poll.
    pub fn next(&self, is_idle: &[bool]) -> (Vec<Move>, Vec<usize>) {
        let network = self.network();
        let lanes = self.living().filter(|lane| !is_idle[*lane] || network.has_work(self.lanes[*lane].pe));
        (network.moves(), lanes.collect())
    }

    /// The lanes of a lane's PE.
    pub fn beside(&self, lane: usize) -> std::ops::Range<usize> {
        let each = self.trial.lanes_each();
        lane / each * each..(lane / each + 1) * each
    }

    /// A hash of the state that decides the rest of the run.
    pub fn fingerprint(&self, is_idle: &[bool]) -> u64 {
        let mut hasher = Mixer::default();
        self.network().fingerprint(&mut hasher);
        self.model.hash(&mut hasher);
        is_idle.hash(&mut hasher);
        for lane in &self.lanes {
            (lane.next, lane.last.0).hash(&mut hasher);
        }
        hasher.finish()
    }
}
