//! A trial: several collectives back to back on one team, drawn from a seed, and checked at every PE.

use crate::expect::{Call, Effect, POISON};
use crate::member::{Binding, Member, Waits};
use crate::ops::Op;
use crate::rng::Rng;
use crate::schedule::{End, Program, Schedule, run};
use crate::world::{Faults, Shape, World};
use ferrite_collectives::alltoall::Blocks;
use ferrite_collectives::alltoallv::{self, Block};
use ferrite_collectives::exchange::scratch_bytes_min;
use ferrite_collectives::select::{
    Algorithm as Algorithms, Alltoall, Barrier, Broadcast, Collect, Collective, Facts, Fcollect, Reduce, Scan, Tuning,
};
use ferrite_collectives::{Direct, Exchange, Span, hierarchy, reduce, run::near, scan, words};
use std::cell::{Cell, RefCell};

/// An algorithm of the tables, of whichever collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Algorithm {
    Barrier(Barrier),
    Broadcast(Broadcast),
    Reduce(Reduce),
    Fcollect(Fcollect),
    Collect(Collect),
    Alltoall(Alltoall),
    Scan(Scan),
}

impl Algorithm {
    /// The algorithms of all tables; one that has two rows comes twice.
    pub fn all() -> Vec<Algorithm> {
        fn of<A: Algorithms>(wrap: fn(A) -> Algorithm) -> impl Iterator<Item = Algorithm> {
            A::rows().iter().map(move |row| wrap(row.algorithm))
        }
        let moves = of(Algorithm::Barrier).chain(of(Algorithm::Broadcast)).chain(of(Algorithm::Reduce));
        let blocks = of(Algorithm::Fcollect).chain(of(Algorithm::Collect)).chain(of(Algorithm::Alltoall));
        moves.chain(blocks).chain(of(Algorithm::Scan)).collect()
    }

    /// Whether some row of the table says that the algorithm can be used.
    pub fn can(self, facts: &Facts) -> bool {
        fn fits<A: Algorithms>(how: A, facts: &Facts) -> bool {
            A::rows().iter().any(|row| row.algorithm == how && (row.can)(facts))
        }
        match self {
            Algorithm::Barrier(how) => fits(how, facts),
            Algorithm::Broadcast(how) => fits(how, facts),
            Algorithm::Reduce(how) => fits(how, facts),
            Algorithm::Fcollect(how) => fits(how, facts),
            Algorithm::Collect(how) => fits(how, facts),
            Algorithm::Alltoall(how) => fits(how, facts),
            Algorithm::Scan(how) => fits(how, facts),
        }
    }

    pub fn collective(self) -> Collective {
        match self {
            Algorithm::Barrier(_) => Collective::Barrier,
            Algorithm::Broadcast(_) => Collective::Broadcast,
            Algorithm::Reduce(_) => Collective::Reduce,
            Algorithm::Fcollect(_) => Collective::Fcollect,
            Algorithm::Collect(_) => Collective::Collect,
            Algorithm::Alltoall(_) => Collective::Alltoall,
            Algorithm::Scan(_) => Collective::Scan,
        }
    }
}

/// The algorithm that a step runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Text {
    /// An algorithm of the tables.
    Row(Algorithm),
    /// Reduction to rank 0.
    ToFirst,
    /// Agreement of all members on some words.
    Agree,
    /// The same agreement over nodes and leaders.
    HierarchyAgree,
    /// Gather one word from every member.
    Gather,
    /// Exchange of blocks that differ in length.
    Varying,
    /// The composition over nodes and leaders.
    Hierarchy(Collective),
    /// The composition for reductions in which members of a node read each other's memory.
    HierarchyDirect,
}

pub fn texts() -> Vec<Text> {
    let mut all: Vec<Text> = Algorithm::all().into_iter().map(Text::Row).collect();
    let agreements = [Text::Agree, Text::HierarchyAgree];
    all.extend(agreements.into_iter().chain([Text::ToFirst, Text::Gather, Text::Varying, Text::HierarchyDirect]));
    let composed =
        [Collective::Barrier, Collective::Broadcast, Collective::Collect, Collective::Fcollect, Collective::Reduce];
    all.extend(composed.map(Text::Hierarchy));
    all.sort_by_key(|t| format!("{t:?}"));
    all.dedup();
    all
}

/// One collective of a trial.
#[derive(Clone, Copy, Debug)]
pub struct Step {
    pub text: Text,
    /// The data of the call.
    pub call: Call,
    /// The radix of trees.
    pub radix: u32,
}

/// A world and the steps that all its PEs take.
#[derive(Clone, Debug)]
pub struct Trial {
    pub pes: usize,
    /// PEs per node, for the hierarchical algorithms.
    pub node: usize,
    /// Bytes of scratch per share of the window.
    pub scratch: usize,
    /// The steps, in order.
    pub steps: Vec<Step>,
    /// Rules of the protocol to break.
    pub faults: Faults,
    /// A PE, and the number of its wait that is skipped.
    pub forgets: Option<(usize, usize)>,
    /// Seed of the world: it decides when sources are read.
    pub seed: u64,
}

/// Number of collectives in a trial of [`Trial::draw`] in the tests. It exceeds the width of the window.
pub const STEPS: usize = 6;
/// Sizes of team with which every algorithm runs.
pub const SIZES: [usize; 21] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 31, 32, 33, 64];

impl Step {
    /// A step of `text` among `pes` PEs, with data drawn from `rng`; `None` if the algorithm cannot run there.
    pub fn draw(text: Text, pes: usize, scratch: usize, rng: &mut Rng) -> Option<Step> {
        let effect = effect(text, pes, rng);
        let ops = match effect {
            Effect::Reduce | Effect::ReduceToFirst | Effect::Inclusive | Effect::Exclusive => {
                if commutes(text) {
                    &[Op::Sum, Op::Float, Op::MaxByte, Op::Wide][..]
                } else {
                    &[Op::Affine, Op::Float]
                }
            }
            _ => &[Op::MaxByte, Op::Sum, Op::Wide],
        };
        let op = rng.pick(ops);
        let grains = [0, 1, 1, 2, 7, 8, 9, 30, 100][rng.below(9)];
        let grains = if pes > 16 { grains.min(12) } else { grains };
        let foldable =
            !matches!(effect, Effect::Fcollect | Effect::Collect | Effect::Varying | Effect::Alltoall { .. });
        let in_place = foldable && rng.one_in(2);
        let call = Call { effect, op, grains, pes, in_place, seed: rng.draw() };
        let step = Step { text, call, radix: 2 + rng.below(7) as u32 };
        step.can(scratch).then_some(step)
    }

    fn can(&self, scratch: usize) -> bool {
        let Text::Row(algorithm) = self.text else { return true };
        let facts = Facts {
            size: self.call.pes as u32,
            bytes: self.call.part(),
            scratch,
            near: true,
            crowded: false,
            in_place: self.call.in_place,
            commutes: self.call.op.commutes(),
            tuning: Tuning::DEFAULT,
        };
        algorithm.can(&facts)
    }
}

fn effect(text: Text, pes: usize, rng: &mut Rng) -> Effect {
    let collective = match text {
        Text::ToFirst => return Effect::ReduceToFirst,
        Text::Agree | Text::HierarchyAgree | Text::Gather => return Effect::Barrier,
        Text::Varying => return Effect::Varying,
        Text::HierarchyDirect => Collective::Reduce,
        Text::Row(algorithm) => algorithm.collective(),
        Text::Hierarchy(collective) => collective,
    };
    match collective {
        Collective::Barrier => Effect::Barrier,
        Collective::Broadcast => Effect::Broadcast { root: rng.below(pes) },
        Collective::Reduce => Effect::Reduce,
        Collective::Fcollect => Effect::Fcollect,
        Collective::Collect => Effect::Collect,
        Collective::Alltoall => Effect::Alltoall { strides: (1 + rng.below(2), 1 + rng.below(2)) },
        Collective::Scan => [Effect::Inclusive, Effect::Exclusive][rng.below(2)],
    }
}

/// True if the algorithm does not combine in rank order, so that its operation must commute.
fn commutes(text: Text) -> bool {
    matches!(text, Text::Row(Algorithm::Reduce(Reduce::Ring | Reduce::Relay | Reduce::Direct)) | Text::HierarchyDirect)
}

impl Trial {
    /// A trial of `texts` drawn from `seed`: sizes, data and order.
    pub fn draw(seed: u64, texts: &[Text], steps: usize) -> Trial {
        let mut rng = Rng::new(seed);
        // Draw small teams more often, to cover their schedules more densely.
        let pes = if rng.one_in(12) { rng.pick(&SIZES[17..]) } else { rng.pick(&SIZES[..17]) };
        let scratch = scratch_bytes_min(pes as u32, Op::Wide.grain()) + rng.pick(&[0, 64, 1000]);
        let node = 1 + rng.below(pes);
        let mut drawn = Vec::new();
        while drawn.len() < steps {
            let text = rng.pick(texts);
            drawn.extend(Step::draw(text, pes, scratch, &mut rng));
        }
        Trial { pes, node, scratch, steps: drawn, faults: Faults::default(), forgets: None, seed }
    }

    fn shape(&self) -> Shape {
        let pes: Vec<usize> = (0..self.pes).collect();
        let nodes: Vec<Vec<usize>> = pes.chunks(self.node).map(<[usize]>::to_vec).collect();
        let leaders = nodes.iter().map(|n| n[0]).collect();
        let groups = [vec![pes.clone(), leaders], nodes].concat();
        Shape { pes: self.pes, groups, scratch: self.scratch, faults: self.faults }
    }

    /// Run against `schedule`.
    pub fn run(&self, schedule: &mut dyn Schedule) -> Result<Outcome, String> {
        let world = World::new(self.shape(), self.seed);
        let stage = Stage::new(self, &world);
        let mut programs: Vec<Program> = (0..self.pes).map(|pe| Box::pin(stage.play(pe)) as Program).collect();
        let end = run(&world, &mut programs, schedule)?;
        drop(programs);
        Ok(Outcome { end, waits: stage.waits.iter().map(Cell::get).collect(), messages: world.messages() })
    }
}

/// The outcome of a run that broke no rule.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Whether the run finished or was cut.
    pub end: End,
    /// Number of waits of each PE.
    pub waits: Vec<usize>,
    /// Number of messages of all PEs.
    pub messages: usize,
}

/// A trial in its world.
struct Stage<'w> {
    trial: &'w Trial,
    world: &'w World,
    bindings: Vec<Binding>,
    sources: Vec<Vec<Vec<u8>>>,
    entered: Vec<Cell<usize>>,
    results: RefCell<Vec<Option<Vec<u8>>>>,
    waits: Vec<Cell<usize>>,
}

impl<'w> Stage<'w> {
    fn new(trial: &'w Trial, world: &'w World) -> Stage<'w> {
        let bind = |step: &Step| {
            let dest = world.buffer(step.call.dest_len(), POISON);
            let source = if step.call.in_place { dest } else { world.buffer(step.call.source_len(), POISON) };
            Binding { source, dest, op: step.call.op, grain: step.call.grain() }
        };
        let sources = |step: &Step| (0..trial.pes).map(|pe| step.call.source(pe)).collect();
        Stage {
            trial,
            world,
            bindings: trial.steps.iter().map(bind).collect(),
            sources: trial.steps.iter().map(sources).collect(),
            entered: vec![Cell::new(0); trial.pes],
            results: RefCell::new(vec![None; trial.steps.len()]),
            waits: vec![Cell::new(0); trial.pes],
        }
    }

    /// The program of `pe`: each step in turn, with a source that exists only from entry to return.
    async fn play(&self, pe: usize) {
        let Some(x) = self.view(pe, 0, Binding::NONE) else { return };
        for (i, step) in self.trial.steps.iter().enumerate() {
            let binding = self.bindings[i];
            // In an in-place broadcast, the source is the destination at all PEs except the root, and must be ready before any PE enters.
            let is_source = !matches!(step.call.effect, Effect::Broadcast { root } if step.call.in_place && root != pe);
            if is_source {
                self.world.put(pe, binding.source + pe, &self.sources[i][pe]);
            }
            self.entered[pe].set(i + 1);
            x.bind(binding);
            self.take(&x, pe, step, binding).await;
            self.check(pe, i, step);
            self.world.put(pe, binding.dest + pe, &vec![!POISON; step.call.dest_len()]);
            self.world.put(pe, binding.source + pe, &vec![!POISON; step.call.source_len()]);
        }
    }

    /// The exchange of `pe` in `group`, if it is a member.
    fn view(&self, pe: usize, group: usize, binding: Binding) -> Option<Member<'_>> {
        let forgets = self.trial.forgets.filter(|f| f.0 == pe).map(|f| f.1);
        Member::new(self.world, pe, group, binding, Waits { count: &self.waits[pe], forgets })
    }

    fn check(&self, pe: usize, i: usize, step: &Step) {
        let call = &step.call;
        let got = self.world.bytes(self.bindings[i].dest + pe);
        let fail = |what: &str| self.world.fail(format!("pe {pe}, step {i} {:?}: {what}", step.text));
        if !call.agrees(&got, &call.dest(pe, &self.sources[i])) {
            fail("the result is wrong");
        }
        if matches!(call.effect, Effect::Barrier) && self.entered.iter().any(|e| e.get() <= i) {
            fail("left before everybody had entered");
        }
        if call.effect == Effect::Reduce {
            let first = &mut self.results.borrow_mut()[i];
            if *first.get_or_insert_with(|| got.clone()) != got {
                fail("the result differs in bits from another PE's");
            }
        }
    }

    async fn take<X: Direct>(&self, x: &X, pe: usize, step: &Step, binding: Binding) {
        let Step { text, call, radix } = *step;
        let (dest, source) = (Span::dest(call.dest_len()), Span::source(call.source_len()));
        match text {
            Text::ToFirst => reduce::to_first(x, dest, source).await,
            Text::Agree => self.agree(pe, call.seed, |words, combine| words::agree(x, words, combine)).await,
            Text::Gather => self.gather(x, pe, call.seed).await,
            Text::Varying => self.vary(x, pe, call).await,
            Text::Hierarchy(_) | Text::HierarchyDirect | Text::HierarchyAgree => {
                self.hierarchy(text, pe, call, binding).await
            }
            Text::Row(Algorithm::Barrier(how)) => near::barrier(x, how, radix).await,
            Text::Row(Algorithm::Reduce(how)) => near::reduce(x, how, radix, dest, source).await,
            Text::Row(Algorithm::Fcollect(how)) => near::fcollect(x, how, dest, source).await,
            Text::Row(Algorithm::Broadcast(how)) => {
                let Effect::Broadcast { root } = call.effect else { return };
                near::broadcast(x, how, radix, root as u32, dest, source).await;
            }
            Text::Row(Algorithm::Collect(how)) => {
                self.collected(
                    pe,
                    &call,
                    near::collect(x, how, source.part(0, call.collected(pe)), call.room() as u64).await,
                );
            }
            Text::Row(Algorithm::Alltoall(how)) => {
                let Effect::Alltoall { strides: (d, s) } = call.effect else { return };
                let item = call.op.grain();
                let strided = Blocks { item, count: call.grains, dest_stride: d * item, source_stride: s * item };
                let plain = (d, s) == (1, 1);
                near::alltoall(x, how, if plain { Blocks::contiguous(call.part()) } else { strided }).await;
            }
            Text::Row(Algorithm::Scan(how)) => {
                let inclusive = call.effect == Effect::Inclusive;
                let kind = if inclusive { scan::Kind::Inclusive } else { scan::Kind::Exclusive };
                near::scan(x, how, kind, dest, source).await;
            }
        }
    }

    fn collected(&self, pe: usize, call: &Call, total: u64) {
        if total != (0..call.pes).map(|q| call.collected(q) as u64).sum() {
            self.world.fail(format!("pe {pe}: a collect of {total} bytes"));
        }
    }

    async fn agree<A: Future<Output = [u64; 3]>>(
        &self,
        pe: usize,
        seed: u64,
        agree: impl FnOnce([u64; 3], fn(usize, u64, u64) -> u64) -> A,
    ) {
        let words = |pe: usize| [crate::rng::mix(seed ^ pe as u64), (pe as u64) ^ seed, pe as u64 + 1];
        let combine = |i: usize, a: u64, b: u64| [a & b, a.min(b), a.wrapping_mul(31) ^ b][i.min(1)];
        let agreed = agree(words(pe), combine).await;
        let mut want = words(0);
        for other in 1..self.trial.pes {
            want = std::array::from_fn(|i| combine(i, want[i], words(other)[i]));
        }
        if agreed != want {
            self.world.fail(format!("pe {pe} agreed to {agreed:x?} instead of {want:x?}"));
        }
    }

    async fn gather<X: Exchange>(&self, x: &X, pe: usize, seed: u64) {
        let word = |pe: usize| crate::rng::mix(seed ^ pe as u64);
        let all = words::gather(x, word(pe)).await;
        if all != (0..self.trial.pes).map(word).collect::<Vec<_>>() {
            self.world.fail(format!("pe {pe} gathered {all:x?}"));
        }
    }

    /// An exchange with tables of various sizes, from a third of the members up.
    async fn vary<X: Exchange>(&self, x: &X, pe: usize, call: Call) {
        let (part, room) = (call.part(), (x.scratch() / 8 - 1) as u64);
        let tableful = (1 + call.seed % call.pes as u64).max(call.pes as u64 / 3).min(room) as u32;
        let sent = |peer: u32| Block { offset: peer as usize * part, len: call.varying(pe, peer as usize) };
        let place = |from: u32, len: usize| {
            if len != call.varying(from as usize, pe) {
                self.world.fail(format!("pe {pe} heard of {len} bytes from {from}"));
            }
            Some(from as usize * part)
        };
        if alltoallv::exchange(x, tableful, sent, place).await.is_err() {
            self.world.fail(format!("pe {pe} refused nothing, and was told so"));
        }
    }

    async fn hierarchy(&self, text: Text, pe: usize, call: Call, binding: Binding) {
        let size = self.trial.node;
        let leaders = self.view(pe, 1, binding);
        let Some(node) = self.view(pe, 2 + pe / size, binding) else { return };
        let (dest, source) = (Span::dest(call.dest_len()), Span::source(call.source_len()));
        match (text, call.effect) {
            (Text::Hierarchy(Collective::Broadcast), Effect::Broadcast { root }) => {
                let here = root / size == pe / size;
                let root = hierarchy::Root { node: (root / size) as u32, member: (root % size) as u32, here };
                hierarchy::broadcast(&node, leaders.as_ref(), root, dest, source).await;
            }
            (Text::Hierarchy(Collective::Barrier), _) => hierarchy::barrier(&node, leaders.as_ref()).await,
            (Text::Hierarchy(Collective::Fcollect), _) => {
                let first = |node: u32| (node as usize * size).min(self.trial.pes) as u32;
                hierarchy::fcollect(&node, leaders.as_ref(), first, pe as u32, dest, source).await;
            }
            (Text::Hierarchy(Collective::Collect), _) => {
                let source = source.part(0, call.collected(pe));
                self.collected(
                    pe,
                    &call,
                    hierarchy::collect(&node, leaders.as_ref(), source, call.room() as u64).await,
                );
            }
            (Text::HierarchyAgree, _) => {
                let by_nodes = |words, combine| hierarchy::agree(&node, leaders.as_ref(), words, combine);
                self.agree(pe, call.seed, by_nodes).await;
            }
            (Text::HierarchyDirect, _) => hierarchy::reduce_direct(&node, leaders.as_ref(), dest, source).await,
            (Text::Hierarchy(Collective::Reduce), _) => {
                hierarchy::reduce(&node, leaders.as_ref(), dest, source).await;
            }
            (text, effect) => unreachable!("{text:?} with {effect:?} is no collective by nodes"),
        }
    }
}
