//! Runs the calls of all PEs in the model.

use crate::trace::{Act, After, Algorithm, Call, Meeting, Trace};
use ferrite_collectives::{
    Span,
    alltoall::Blocks,
    exchange::scratch_bytes_min,
    hierarchy::{self, Root},
    run,
    scan::Kind,
    select::{self, Facts, Tuning},
};
use ferrite_sim::model::{Machine, Model, Picos, Team, Timed};
use std::cell::Cell;

/// Result of a replay.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Outcome {
    /// Number of PEs in the replay.
    pub pes: u32,
    /// Time from the beginning of the run to the end of its last PE.
    pub time: Picos,
    /// Time in each routine, summed over the PEs.
    pub routines: Vec<Picos>,
    /// Time outside of all routines, summed over the PEs.
    pub computing: Picos,
}

/// Number of the first team of the trace. The numbers below it are for the teams that a collective of all PEs uses: [`Job::world`].
const FIRST_TEAM: u32 = 3;
/// Bit that marks the tags of collectives within a host: a member has come, or all have. The tags of arrows are smaller.
const MEETING: u64 = 1 << 63;
const ALL_CAME: usize = 0xf_ffff;
/// Maximum number of teams in a trace.
const TEAMS_MAX: usize = 60_000;

/// Replay a trace with `pes` PEs on `machine`. Its nodes get as many PEs as the trace's first host had.
pub fn replay(trace: &Trace, pes: u32, machine: Machine) -> Result<Outcome, String> {
    let traced = trace.pes.len() as u32;
    if pes == 0 || !pes.is_multiple_of(traced) {
        return Err(format!("{pes} PEs are no multiple of the trace's {traced}"));
    }
    if trace.teams.len() > TEAMS_MAX {
        return Err(format!("the trace has {} teams; {TEAMS_MAX} are the most", trace.teams.len()));
    }
    let node = trace.per_host as usize;
    let machine = Machine { node, scratch: machine.scratch.max(scratch_bytes_min(pes, 8)), ..machine };
    let job = Job {
        trace,
        pes: pes as usize,
        node,
        model: Model::new(machine, pes as usize),
        scratch: machine.scratch,
        routines: trace.routines.iter().map(|_| Cell::new(0)).collect(),
        computing: Cell::new(0),
    };
    let cost = job.model.try_run(|pe| job.run(pe));
    let Some(cost) = cost else {
        return Err("its calls wait for each other: it lacks some, or the hosts' clocks were too far apart".to_owned());
    };
    Ok(Outcome {
        pes,
        time: cost.time,
        routines: job.routines.iter().map(Cell::get).collect(),
        computing: job.computing.get(),
    })
}

struct Job<'t> {
    trace: &'t Trace,
    pes: usize,
    node: usize,
    model: Model,
    scratch: usize,
    routines: Vec<Cell<Picos>>,
    computing: Cell<Picos>,
}

/// A PE's membership in the teams of all PEs.
struct World<'m> {
    all: Timed<'m>,
    /// The team of this node and, on the first PE of a node, the team of all nodes' first PEs. `None` unless there are several nodes with
    /// several PEs each.
    by_nodes: Option<(Timed<'m>, Option<Timed<'m>>)>,
}

fn add(sum: &Cell<Picos>, more: Picos) {
    sum.set(sum.get() + more);
}

impl Job<'_> {
    /// Replay the calls of one PE.
    async fn run(&self, pe: usize) {
        let traced = self.trace.pes.len();
        let (model, calls) = (&self.model, &self.trace.pes[pe % traced]);
        let world = self.world(pe);
        let teams: Vec<Option<Timed<'_>>> = (0..self.trace.teams.len()).map(|team| self.team(pe, team)).collect();
        let mut last = 0;
        for call in calls {
            let computes = 1000 * call.begin.saturating_sub(last);
            model.pass(pe, computes);
            add(&self.computing, computes);
            last = call.end;
            let begin = model.clock(pe);
            self.call(pe, call, &world, &teams).await;
            add(&self.routines[call.routine], model.clock(pe) - begin);
        }
    }

    async fn call(&self, pe: usize, call: &Call, world: &World<'_>, teams: &[Option<Timed<'_>>]) {
        let (model, measured) = (&self.model, 1000 * (call.end - call.begin));
        let bytes = call.bytes as usize;
        match (call.act, call.peer) {
            (Act::Put | Act::Ask, Some(peer)) => {
                let to = self.peer(pe, peer);
                match (call.act, self.stays_near(pe, peer, to)) {
                    (Act::Put, true) => {
                        model.pass(pe, measured);
                        model.store(pe, to, &call.sends);
                    }
                    (Act::Put, false) => model.put(pe, to, bytes, &call.sends),
                    (_, true) => model.pass(pe, measured),
                    (_, false) => model.ask(pe, to, bytes),
                }
            }
            (Act::Await, sender) => match call.awaits {
                Some(arrow) => {
                    model.await_put(pe, arrow).await;
                    let is_near = sender.is_some_and(|sender| self.stays_near(pe, sender, self.peer(pe, sender)));
                    if let (After::Took(after), true) = (call.after, is_near) {
                        model.pass(pe, 1000 * after);
                    }
                }
                None => model.pass(pe, measured),
            },
            (Act::Settle, _) => model.settle(pe),
            (Act::Collective(algorithm, team), _) => {
                let bytes = match algorithm {
                    Algorithm::Barrier => 0,
                    // The trace has the bytes of all blocks.
                    Algorithm::Alltoall => bytes.div_ceil(self.trace.teams[team].len()),
                    Algorithm::Broadcast | Algorithm::Reduce | Algorithm::Fcollect | Algorithm::Scan => bytes,
                };
                let whole = self.trace.teams[team].len() == self.trace.pes.len();
                if let Some(meeting) = self.trace.meetings.get(&(team, call.meeting))
                    && self.stays_within_host(pe, team, whole)
                {
                    return self.meet(pe, call, team, meeting).await;
                }
                match (whole, &teams[team]) {
                    (true, _) => self.of_all(pe, algorithm, bytes, world).await,
                    (false, Some(x)) => self.flat(x, algorithm, bytes, self.is_within_node(pe, team)).await,
                    (false, None) => model.pass(pe, measured),
                }
            }
            _ => model.pass(pe, measured),
        }
    }

    /// The PE that is as far from this PE as `peer` is from the traced PE, the shorter way round.
    fn peer(&self, pe: usize, peer: u32) -> usize {
        let traced = self.trace.pes.len();
        let on = (peer as usize + traced - pe % traced) % traced;
        let on = if on > traced / 2 { on + self.pes - traced } else { on };
        (pe + on) % self.pes
    }

    /// Whether both PEs were on one host in the trace, and are on one node again.
    fn stays_near(&self, pe: usize, peer: u32, to: usize) -> bool {
        let traced = pe % self.trace.pes.len();
        pe / self.node == to / self.node && traced / self.node == peer as usize / self.node
    }

    fn world(&self, pe: usize) -> World<'_> {
        let (model, node) = (&self.model, self.node);
        let all = model.member(pe, Team { id: 0, base: 0, stride: 1, size: self.pes });
        let has_nodes = 1 < node && node < self.pes && self.pes.is_multiple_of(node);
        let by_nodes = has_nodes.then(|| {
            let here = model.member(pe, Team { id: 2, base: pe / node * node, stride: 1, size: node });
            let leaders = Team { id: 1, base: 0, stride: node, size: self.pes / node };
            (here, pe.is_multiple_of(node).then(|| model.member(pe, leaders)))
        });
        World { all, by_nodes }
    }

    /// This PE's membership in its copy of a team. `None` if it is not a member, or if the members are not evenly spaced.
    fn team(&self, pe: usize, team: usize) -> Option<Timed<'_>> {
        let (members, traced) = (&self.trace.teams[team], self.trace.pes.len());
        let stride = if members.len() > 1 { members[1] - members[0] } else { 1 };
        let is_even = members.windows(2).all(|pair| pair[1] - pair[0] == stride);
        let is_in = members.binary_search(&((pe % traced) as u32)).is_ok();
        let base = pe / traced * traced + members[0] as usize;
        let (id, stride, size) = (FIRST_TEAM + team as u32, stride as usize, members.len());
        (is_even && is_in).then(|| self.model.member(pe, Team { id, base, stride, size }))
    }

    fn is_within_node(&self, pe: usize, team: usize) -> bool {
        let base = pe / self.trace.pes.len() * self.trace.pes.len();
        let nodes = || self.trace.teams[team].iter().map(|&member| (base + member as usize) / self.node);
        nodes().min() == nodes().max()
    }

    /// Whether the members were on one host in the trace, and are on one again.
    fn stays_within_host(&self, pe: usize, team: usize, whole: bool) -> bool {
        let hosts = || self.trace.teams[team].iter().map(|&member| member as usize / self.node);
        hosts().min() == hosts().max() && self.is_within_node(pe, team) && !(whole && self.pes > self.trace.pes.len())
    }

    /// A collective within a host. It takes as long as in the trace, counted from the time when the last member comes. Every member
    /// notifies the one that came last in the trace, and that one notifies the members that waited. The messages take no time.
    async fn meet(&self, pe: usize, call: &Call, team: usize, meeting: &Meeting) {
        let base = pe / self.trace.pes.len() * self.trace.pes.len();
        let tag = |who: usize| MEETING | (team as u64) << 44 | (call.meeting & 0xff_ffff) << 20 | who as u64;
        let hub = base + meeting.last as usize;
        let others = || self.trace.teams[team].iter().filter(|&&member| member != meeting.last);
        if pe == hub {
            for &member in others() {
                self.model.await_put(pe, tag(member as usize)).await;
            }
            let waits = |member: &&u32| meeting.early.binary_search(member).is_err();
            others().filter(waits).for_each(|&member| self.model.store(pe, base + member as usize, &[tag(ALL_CAME)]));
        } else {
            self.model.store(pe, hub, &[tag(pe - base)]);
            if call.after != After::Early {
                self.model.await_put(pe, tag(ALL_CAME)).await;
            }
        }
        match call.after {
            After::Took(after) => self.model.pass(pe, 1000 * after),
            _ => self.model.pass(pe, 1000 * (call.end - call.begin)),
        }
    }

    /// A collective of all PEs: hierarchical by nodes if there are several, as in the library.
    async fn of_all(&self, pe: usize, algorithm: Algorithm, bytes: usize, world: &World<'_>) {
        let (dest, source) = (Span::dest(bytes), Span::source(bytes));
        let Some((here, leaders)) = &world.by_nodes else {
            return self.flat(&world.all, algorithm, bytes, self.pes <= self.node).await;
        };
        let leaders = leaders.as_ref();
        match algorithm {
            Algorithm::Barrier => hierarchy::barrier(here, leaders).await,
            Algorithm::Broadcast if bytes > 0 => {
                let root = Root { node: 0, member: 0, here: pe < self.node };
                hierarchy::broadcast(here, leaders, root, dest, source).await;
            }
            Algorithm::Reduce if bytes > hierarchy::LONG => {
                hierarchy::reduce_direct(here, leaders, dest, source).await;
            }
            Algorithm::Reduce if bytes > 0 => hierarchy::reduce(here, leaders, dest, source).await,
            Algorithm::Fcollect if bytes > 0 => {
                let first = |leader: u32| leader * self.node as u32;
                let all = Span::dest(self.pes * bytes);
                hierarchy::fcollect(here, leaders, first, pe as u32, all, source).await;
            }
            _ => self.flat(&world.all, algorithm, bytes, false).await,
        }
    }

    /// A collective without hierarchy: it treats all members alike. `bytes`: of a block, if it is an all-to-all.
    async fn flat(&self, x: &Timed<'_>, algorithm: Algorithm, bytes: usize, near: bool) {
        use ferrite_collectives::Exchange;
        let size = x.size();
        if size < 2 || bytes == 0 && algorithm != Algorithm::Barrier {
            return;
        }
        let facts = &Facts {
            size,
            bytes,
            scratch: self.scratch,
            near,
            crowded: false,
            in_place: false,
            commutes: true,
            tuning: Tuning::DEFAULT,
        };
        let radix = Tuning::DEFAULT.radix;
        let (dest, source, all) = (Span::dest(bytes), Span::source(bytes), Span::dest(size as usize * bytes));
        match (algorithm, near) {
            (Algorithm::Barrier, true) => run::near::barrier(x, chosen(facts), radix).await,
            (Algorithm::Barrier, false) => run::far::barrier(x, chosen(facts), radix).await,
            (Algorithm::Broadcast, true) => run::near::broadcast(x, chosen(facts), radix, 0, dest, source).await,
            (Algorithm::Broadcast, false) => run::far::broadcast(x, chosen(facts), radix, 0, dest, source).await,
            (Algorithm::Reduce, true) => run::near::reduce(x, chosen(facts), radix, dest, source).await,
            (Algorithm::Reduce, false) => run::far::reduce(x, chosen(facts), radix, dest, source).await,
            (Algorithm::Fcollect, true) => run::near::fcollect(x, chosen(facts), all, source).await,
            (Algorithm::Fcollect, false) => run::far::fcollect(x, chosen(facts), all, source).await,
            (Algorithm::Alltoall, _) => run::far::alltoall(x, chosen(facts), Blocks::contiguous(bytes)).await,
            (Algorithm::Scan, _) => run::far::scan(x, chosen(facts), Kind::Inclusive, dest, source).await,
        }
    }
}

/// The algorithm that the library would choose.
fn chosen<A: select::Algorithm>(facts: &Facts) -> A {
    select::choose(facts, None).algorithm
}
