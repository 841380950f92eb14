//! Two PEs as two pinned processes over whatever transports `UCX_TLS` allows.
//!
//! `UCX_TLS=tcp,self cargo run --release -p ferrite-ucx --example measure`
//!
//! Beside it, UCX by itself: `UCX_TLS=posix,self ucx_perftest -t ucp_put_lat -s 8 -n 100000` twice, the second time
//! with the name of this host. `FERRITE_LIBUCP` names another library than the installed one.

use ferrite_conformance::{Meeting, Member};
use ferrite_fabric::{Amo, Op, Pe, Remote, SegmentId, Stage, Ticket, Width};
use ferrite_ucx::{Options, UcxFabric};
use std::{
    cell::RefCell,
    io::{BufRead, BufReader, Read, Write},
    path::PathBuf,
    process::{Command, Stdio},
    sync::atomic::Ordering,
    time::{Duration, Instant},
};

const ROUNDS: usize = 20_000;
const BIG: usize = 4 << 20;
const BIG_ROUNDS: usize = 100;
const STREAM: usize = 500_000;
/// Words of the heap that steer the run; the data of big operations starts behind them.
const BALL: usize = 0;
const PHASE: usize = 8;
const DATA: u64 = 4096;

/// Lines of hexadecimal digits over a pair of pipes.
struct Pipes<R, W> {
    me: usize,
    ends: RefCell<(BufReader<R>, W)>,
}

impl<R: Read, W: Write> Meeting for Pipes<R, W> {
    fn exchange(&self, mine: Vec<u8>) -> Vec<Vec<u8>> {
        let (from, to) = &mut *self.ends.borrow_mut();
        let text: String = mine.iter().map(|byte| format!("{byte:02x}")).collect();
        writeln!(to, "{text}").and_then(|()| to.flush()).expect("the other process listens");
        let mut line = String::new();
        from.read_line(&mut line).expect("the other process speaks");
        let digits = line.trim_end().as_bytes().chunks(2);
        let byte = |pair: &[u8]| std::str::from_utf8(pair).ok().and_then(|p| u8::from_str_radix(p, 16).ok());
        let theirs = digits.filter_map(byte).collect();
        if self.me == 0 { vec![mine, theirs] } else { vec![theirs, mine] }
    }
}

fn main() {
    if std::env::args().nth(1).as_deref() == Some("second") {
        return second(&Pipes { me: 1, ends: RefCell::new((BufReader::new(std::io::stdin()), std::io::stdout())) });
    }
    let own = std::env::current_exe().expect("a program has a path");
    let mut child = Command::new(own)
        .arg("second")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("a second process starts");
    let (out, into) = (child.stdout.take().expect("piped"), child.stdin.take().expect("piped"));
    first(&Pipes { me: 0, ends: RefCell::new((BufReader::new(out), into)) });
    let _ = child.wait();
}

fn pin(cpu: usize) {
    let mut set = rustix::thread::CpuSet::new();
    set.set(cpu % std::thread::available_parallelism().map_or(1, usize::from));
    if let Err(error) = rustix::thread::sched_setaffinity(None, &set) {
        println!("not pinned: {error}");
    }
}

#[expect(clippy::disallowed_methods, reason = "the one variable of this program")]
fn member(me: Pe, meeting: &dyn Meeting) -> Member<'_> {
    let library = std::env::var_os("FERRITE_LIBUCP").map(PathBuf::from);
    // The service thread comes first, so that it is not pinned with the program.
    let fabric = UcxFabric::new(Options { library, ..Options::new(me, 2) }).expect("a fabric opens");
    if me == Pe(0) {
        println!("UCX {:?} over {}", fabric.version(), fabric.resources().join(" "));
    }
    pin(me.0 as usize);
    Member::new(Box::new(fabric), me, 2, meeting)
}

fn at(pe: u32, offset: u64) -> Remote {
    Remote { pe: Pe(pe), segment: SegmentId::HEAP, offset }
}

/// Wait as the runtime does while PEs fit the cores: look, and make progress.
fn spin(m: &Member<'_>, mut happened: impl FnMut() -> bool) {
    while !happened() {
        m.lane.progress();
    }
}

fn post(m: &Member<'_>, op: &Op) -> Ticket {
    loop {
        // SAFETY: everything here lives until its ticket is complete.
        if let Ok(ticket) = unsafe { m.lane.post(op) } {
            return ticket;
        }
        m.lane.progress();
    }
}

fn quiet(m: &Member<'_>, ticket: Ticket, stage: Stage) {
    spin(m, || m.lane.reached(stage) >= ticket);
}

/// The median of many rounds, in microseconds.
fn median(rounds: usize, mut round: impl FnMut()) -> f64 {
    let mut times: Vec<u64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            round();
            start.elapsed().as_nanos() as u64
        })
        .collect();
    times.sort_unstable();
    times[rounds / 2] as f64 / 1000.0
}

/// The time of a round when all of them are timed together: for what is shorter than a reading of the clock.
fn average(rounds: usize, mut round: impl FnMut()) -> f64 {
    let start = Instant::now();
    (0..rounds).for_each(|_| round());
    start.elapsed().as_secs_f64() * 1e6 / rounds as f64
}

fn row(name: &str, value: f64, unit: &str) {
    println!("{name:<38} {value:>9.3} {unit}");
}

fn first(pipes: &dyn Meeting) {
    let m = member(Pe(0), pipes);
    let mut word = 7_u64;
    let put = Op::Put { to: at(1, 192), from: (&raw const word).cast(), len: 8 };
    let get = Op::Get { from: at(1, 192), to: (&raw mut word).cast(), len: 8 };
    let one = |op: &Op, stage| quiet(&m, post(&m, op), stage);
    one(&put, Stage::Remote);
    row("put 8 B and quiet", median(ROUNDS, || one(&put, Stage::Remote)), "us");
    row("get 8 B", median(ROUNDS, || one(&get, Stage::Local)), "us");
    let mut old = 0_u64;
    let (width, op, fetch) = (Width::W64, Amo::Add, (&raw mut old).cast());
    let add = Op::Amo { at: at(1, 200), width, op, operand: 1, compare: 0, fetch };
    row("fetch_add", median(ROUNDS, || one(&add, Stage::Local)), "us");

    let mut ball = 0_u64;
    let mut volley = || {
        ball += 1;
        post(&m, &Op::Put { to: at(1, 8 * BALL as u64), from: (&raw const ball).cast(), len: 8 });
        spin(&m, || m.word(BALL).load(Ordering::Acquire) >= ball);
    };
    row("p and wait_until, half, median", median(ROUNDS, &mut volley) / 2.0, "us");
    row("p and wait_until, half, average", average(5 * ROUNDS, volley) / 2.0, "us");

    let mut last = Ticket(0);
    let posted = average(STREAM, || last = post(&m, &put));
    quiet(&m, last, Stage::Remote);
    row("stream of 8 B puts, each", posted * 1000.0, "ns");

    let mut data = vec![5_u8; BIG];
    let put = Op::Put { to: at(1, DATA), from: data.as_ptr(), len: BIG };
    let get = Op::Get { from: at(1, DATA), to: data.as_mut_ptr(), len: BIG };
    let rate = |us: f64| BIG as f64 / us / 1000.0;
    row("put 4 MiB and quiet", rate(median(BIG_ROUNDS, || one(&put, Stage::Remote))), "GB/s");
    row("get 4 MiB", rate(median(BIG_ROUNDS, || one(&get, Stage::Local))), "GB/s");

    // From here on the second PE sleeps outside of the library: its service thread answers.
    let done = 1_u64;
    one(&Op::Put { to: at(1, 8 * PHASE as u64), from: (&raw const done).cast(), len: 8 }, Stage::Remote);
    std::thread::sleep(Duration::from_millis(20));
    let get = Op::Get { from: at(1, 192), to: (&raw mut word).cast(), len: 8 };
    row("get 8 B of a PE that computes", median(ROUNDS / 10, || one(&get, Stage::Local)), "us");
    m.meet();
}

fn second(pipes: &dyn Meeting) {
    // It spins, so it must not outlive the first.
    let kill = Some(rustix::process::Signal::KILL);
    rustix::process::set_parent_process_death_signal(kill).expect("a wish that is always granted");
    let m = member(Pe(1), pipes);
    let mut seen = 0;
    spin(&m, || {
        let ball = m.word(BALL).load(Ordering::Acquire);
        if ball > seen {
            seen = ball;
            post(&m, &Op::Put { to: at(0, 8 * BALL as u64), from: (&raw const seen).cast(), len: 8 });
        }
        m.word(PHASE).load(Ordering::Acquire) != 0
    });
    m.meet();
}
