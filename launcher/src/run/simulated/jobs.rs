//! Properties of every job, whatever mishap it has: it ends in time, reports one reason, and leaves no process.

use super::machine::{SimulatedMachine, UNLIMITED, tasks};
use super::pe::PRINTED;
use super::world::{Mishap, Weather, World};
use crate::run::deadline::Deadline;
use crate::run::job::Job;
use crate::run::job_spec::{AgentSettings, JobHost, JobSpec, tests::small};
use crate::run::local_job::LocalJob;
use crate::run::output::{Output, OutputOptions};
use ferrite_bootstrap::NodeMap;
use ferrite_fabric::Pe;
use std::process::Stdio;
use std::time::Duration;
use tokio::sync::mpsc::unbounded_channel;
use tokio::time::{Instant, sleep, timeout};

const MS: Duration = Duration::from_millis(1);
/// A stall that a host survives. It is several times as long as the time after which a host is late.
const BUSY: Duration = Duration::from_secs(20);
/// The longest that any job takes: the time after which a silent host is lost, and the time to end the rest.
const PATIENCE: Duration = Duration::from_secs(200);

/// The shape of a job.
#[derive(Clone, Copy, Debug)]
struct Shape {
    /// Hosts that run PEs.
    nodes: u32,
    /// Number of PEs on each host.
    pes: u32,
    fan_out: u32,
    /// Whether oshrun's own host runs PEs.
    here: bool,
}

impl Shape {
    /// The host of a node. oshrun's own host is 0.
    fn host(self, node: u32) -> usize {
        node as usize + usize::from(!self.here)
    }

    fn hosts(self) -> usize {
        self.host(self.nodes)
    }

    fn spec(self) -> JobSpec {
        let mut spec = small();
        spec.nodes = NodeMap::of((0..self.nodes * self.pes).map(|pe| pe / self.pes));
        spec.apps[0].end = spec.nodes.size();
        spec.agent_settings = AgentSettings { fan_out: self.fan_out, start_ms: 60_000, ..spec.agent_settings };
        spec.hosts = (0..self.nodes).map(|node| JobHost { node, host: self.host(node).to_string() }).collect();
        spec
    }
}

/// The result of a job.
#[derive(Debug)]
struct Outcome {
    code: u8,
    /// Why it ended, in words.
    reasons: Vec<String>,
    /// Number of PEs that have printed their output.
    printed: usize,
    took: Duration,
    /// Time until the last PE was released from its first exchange.
    start: Option<Duration>,
    messages: u64,
    struck: bool,
}

/// Run a job, and check the properties that hold whatever mishap it has.
fn run(shape: Shape, weather: Weather) -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
    tokio::task::LocalSet::new().block_on(&runtime, async {
        let world = World::new(shape.hosts(), weather);
        let begin = Instant::now();
        let (events, mut happened) = unbounded_channel();
        let (output, writers) =
            Output::prepare(OutputOptions { tag: false, prompts: false, files: None }, events.clone());
        let (written, lines) = writers.collect();
        let spec = shape.spec();
        let (nodes, settings, here) = (spec.nodes.clone(), spec.agent_settings.clone(), shape.here.then_some(0));
        let below = spec.hosts[usize::from(shape.here)..].to_vec();
        let own = here.map_or_else(Vec::new, |node| tasks(&spec, node));
        let machine = SimulatedMachine::new(&world, 0, &events);
        let mut local = LocalJob::new(spec, here, &below, machine, None, &events).unwrap();
        local.start(&own, UNLIMITED, Stdio::null(), || {}).unwrap();
        let settings = (!below.is_empty()).then_some(settings);
        let mut job = Job::new(nodes, local, settings, events, Deadline::after(None), Duration::from_secs(2));
        let ended = timeout(PATIENCE, job.run_to_end(&mut happened, output, written)).await;
        let took = begin.elapsed();
        let told = format!("{shape:?}, {weather:?}");
        let code =
            ended.unwrap_or_else(|_| panic!("the job hangs: {told}")).unwrap_or_else(|why| panic!("{why}: {told}"));
        // Hosts that are cut off must notice it.
        sleep(PATIENCE).await;
        let left: Vec<Pe> = world.processes.borrow().keys().copied().collect();
        assert!(left.is_empty(), "{left:?} are left: {told}");
        let lines = lines.borrow();
        let reasons: Vec<String> = lines
            .iter()
            .filter(|(author, _)| author.is_none())
            .map(|(_, bytes)| String::from_utf8_lossy(bytes).trim().to_owned())
            // These lines are no reason for the end: they report a wait.
            .filter(|line| !line.contains("still waiting"))
            .collect();
        assert!(reasons.len() <= 1, "{reasons:?}: {told}");
        assert_eq!(code == 0, reasons.is_empty(), "{code}, {reasons:?}: {told}");
        let wrong = world.wrong.borrow();
        assert!(wrong.is_empty(), "{wrong:?}: {told}");
        let printed = lines.iter().filter(|(author, bytes)| author.is_some() && bytes == PRINTED).count();
        assert!(code != 0 || printed == (shape.nodes * shape.pes) as usize, "output is lost: {told}");
        let start = world.released.get().1.map(|at| at - begin);
        let (messages, struck) = (world.delivered.get(), world.struck.get());
        Outcome { code, reasons, printed, took, start, messages, struck }
    })
}

/// Delays with some variation.
fn weather(seed: u64, mishap: Option<(u64, Mishap)>) -> Weather {
    Weather { seed, delay: [MS, 20 * MS], shell: [10 * MS, 500 * MS], step: [MS, 100 * MS], looks_up: true, mishap }
}

#[test]
fn jobs_on_any_number_of_hosts_go_well() {
    for seed in (0..64).step_by(3) {
        let shape = Shape {
            nodes: 1 + seed as u32,
            pes: 1 + seed as u32 % 3,
            fan_out: [1, 2, 4, 32][seed as usize % 4],
            here: seed % 3 > 0,
        };
        let outcome = run(shape, weather(seed, None));
        assert_eq!((outcome.code, &outcome.reasons[..]), (0, &[][..]), "{shape:?}");
    }
}

/// All mishaps that a job of this shape can have.
fn mishaps(shape: Shape) -> Vec<Mishap> {
    let hosts = (0..shape.nodes).map(|node| shape.host(node)).filter(|&host| host > 0);
    let of_hosts = hosts.flat_map(|host| {
        [Mishap::Cut(host), Mishap::Stall(host, BUSY), Mishap::Stall(host, 5 * BUSY), Mishap::Death(host)]
    });
    let of_pes = (0..shape.nodes * shape.pes).flat_map(|pe| [Mishap::Killed(Pe(pe)), Mishap::Exits(Pe(pe), 3)]);
    of_hosts.chain(of_pes).collect()
}

/// Check that the reason names the host or the PE, if the mishap ended the job.
fn judge(shape: Shape, mishap: Mishap, outcome: &Outcome) -> Result<(), String> {
    let reason = outcome.reasons.first().map_or("", String::as_str);
    let (code, named) = match mishap {
        // The host is late, and no more.
        Mishap::Stall(_, time) if time == BUSY => (0, String::new()),
        // A PE may first be reported as waiting for a lost PE.
        Mishap::Cut(_) | Mishap::Stall(..) | Mishap::Death(_) => (1, " host ".to_owned()),
        Mishap::Killed(pe) => (137, format!("{pe} ")),
        Mishap::Exits(pe, code) => (code, format!("{pe} ")),
    };
    if outcome.code == 0 || outcome.code == code && reason.contains(&named) {
        return Ok(());
    }
    Err(format!("{mishap:?} of {shape:?}: {outcome:?}"))
}

/// Every mishap at every message of a small job.
#[test]
fn a_job_ends_as_a_whole_whenever_something_happens_to_it() {
    let shape = Shape { nodes: 4, pes: 1, fan_out: 2, here: true };
    let messages = run(shape, weather(7, None)).messages;
    assert!(messages > 20, "{messages}");
    let mut ended = 0;
    for at in 1..=messages {
        for mishap in mishaps(shape) {
            let outcome = run(shape, weather(7, Some((at, mishap))));
            judge(shape, mishap, &outcome).unwrap_or_else(|why| panic!("at message {at}: {why}"));
            ended += u32::from(outcome.code != 0);
        }
    }
    assert!(ended > 100, "{ended}");
}

/// Some mishap at some message of jobs of any size.
#[test]
fn jobs_of_any_size_end_as_a_whole() {
    let (mut ended, mut struck) = (0, 0);
    for seed in 0..60_u64 {
        let draw =
            |turn: u64, limit: u64| (seed + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(turn as u32 * 9) % limit;
        let shape = Shape {
            nodes: 1 + draw(1, 64) as u32,
            pes: 1 + draw(2, 3) as u32,
            fan_out: 1 + draw(3, 8) as u32,
            here: draw(4, 3) > 0,
        };
        let all = mishaps(shape);
        let mishap = all[draw(5, all.len() as u64) as usize];
        let at = 1 + draw(6, 12 * u64::from(shape.nodes));
        let outcome = run(shape, weather(seed, Some((at, mishap))));
        judge(shape, mishap, &outcome).unwrap_or_else(|why| panic!("seed {seed}, at message {at}: {why}"));
        ended += u32::from(outcome.code != 0);
        struck += u32::from(outcome.struck);
    }
    assert!(ended > 20 && struck >= ended, "{ended}, {struck}");
}

/// How many levels of agents are below oshrun.
fn levels(hosts: u32, fan_out: u32) -> u32 {
    let (mut levels, mut reached, mut width) = (0, 0_u64, 1_u64);
    while reached < u64::from(hosts) {
        width *= u64::from(fan_out);
        reached += width;
        levels += 1;
    }
    levels
}

/// The start takes one remote shell per level of the tree, one after another, and a fixed number of messages per level.
#[test]
fn the_start_of_a_job_takes_the_logarithm_of_its_hosts() {
    let (shell, delay, step) = (Duration::from_secs(1), 10 * MS, MS);
    for (hosts, fan_out) in [(1, 32), (8, 2), (64, 2), (64, 32), (1024, 2), (1024, 32), (10_000, 32)] {
        let shape = Shape { nodes: hosts + 1, pes: 1, fan_out, here: true };
        let calm =
            Weather { seed: 1, delay: [delay; 2], shell: [shell; 2], step: [step; 2], looks_up: false, mishap: None };
        let outcome = run(shape, calm);
        let start = outcome.start.expect("all are released");
        let bound = levels(hosts, fan_out) * (shell + 12 * delay) + 10 * step;
        assert!(outcome.code == 0 && start <= bound, "{hosts} hosts by {fan_out}: {start:?} of {bound:?}");
        println!(
            "{hosts} hosts by {fan_out}: {start:?}, {} messages, {} printed, {:?}",
            outcome.messages, outcome.printed, outcome.took
        );
    }
}
