//! Two PEs as two pinned processes over loopback, beside a bare spinning TCP ping-pong in the same run.
//!
//! `cargo run --release -p ferrite-tcp --example measure`

use ferrite_fabric::{
    Amo, Op, Pe, Remote, SegmentId, Stage, Ticket, Width,
    conformance::{Meeting, Member},
};
use ferrite_tcp::{Options, TcpFabric};
use std::{
    cell::RefCell,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

const ROUNDS: usize = 20_000;
const BIG: usize = 4 << 20;
const BIG_ROUNDS: usize = 100;
const STREAM: usize = 2_000_000;
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

fn member(me: Pe, meeting: &dyn Meeting) -> Member<'_> {
    // The service thread comes first, so that it is not pinned with the program.
    let fabric = TcpFabric::new(Options::new(me, 2, [1; 16])).expect("a fabric opens");
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

fn row(name: &str, value: f64, unit: &str, bare: f64) {
    println!("{name:<34} {value:>9.2} {unit:<6} {:>6.2} x bare", value / bare);
}

fn first(pipes: &dyn Meeting) {
    let m = member(Pe(0), pipes);
    let (bare, bare_rate) = bare_first(&m);
    println!("{:<34} {bare:>9.2} us", "bare TCP round trip, 8 B, spinning");
    println!("{:<34} {bare_rate:>9.2} GB/s", "bare TCP stream, 4 MiB each");
    let mut word = 7_u64;
    let put = Op::Put { to: at(1, 192), from: (&raw const word).cast(), len: 8 };
    let get = Op::Get { from: at(1, 192), to: (&raw mut word).cast(), len: 8 };
    let one = |op: &Op, stage| quiet(&m, post(&m, op), stage);
    one(&put, Stage::Remote);
    row("put 8 B and quiet", median(ROUNDS, || one(&put, Stage::Remote)), "us", bare);
    row("get 8 B", median(ROUNDS, || one(&get, Stage::Local)), "us", bare);
    let mut old = 0_u64;
    let (width, op, fetch) = (Width::W64, Amo::Add, (&raw mut old).cast());
    let add = Op::Amo { at: at(1, 200), width, op, operand: 1, compare: 0, fetch };
    row("fetch_add", median(ROUNDS, || one(&add, Stage::Local)), "us", bare);

    let mut ball = 0_u64;
    let half = median(ROUNDS, || {
        ball += 1;
        post(&m, &Op::Put { to: at(1, 8 * BALL as u64), from: (&raw const ball).cast(), len: 8 });
        spin(&m, || m.word(BALL).load(Ordering::Acquire) >= ball);
    }) / 2.0;
    row("p and wait_until, half round trip", half, "us", bare / 2.0);

    let start = Instant::now();
    let mut last = Ticket(0);
    for _ in 0..STREAM {
        last = post(&m, &put);
    }
    let posted = start.elapsed().as_secs_f64();
    quiet(&m, last, Stage::Remote);
    let seconds = start.elapsed().as_secs_f64();
    let rate = STREAM as f64 / seconds / 1e6;
    println!("{:<34} {rate:>9.2} M/s    {:>6.1} ns a call", "stream of 8 B puts", posted * 1e9 / STREAM as f64);

    let mut data = vec![5_u8; BIG];
    let put = Op::Put { to: at(1, DATA), from: data.as_ptr(), len: BIG };
    let get = Op::Get { from: at(1, DATA), to: data.as_mut_ptr(), len: BIG };
    let rate = |us: f64| BIG as f64 / us / 1000.0;
    row("put 4 MiB and quiet", rate(median(BIG_ROUNDS, || one(&put, Stage::Remote))), "GB/s", bare_rate);
    row("get 4 MiB", rate(median(BIG_ROUNDS, || one(&get, Stage::Local))), "GB/s", bare_rate);

    // From here on the second PE sleeps outside of the library: its service thread answers.
    let done = 1_u64;
    quiet(
        &m,
        post(&m, &Op::Put { to: at(1, 8 * PHASE as u64), from: (&raw const done).cast(), len: 8 }),
        Stage::Remote,
    );
    std::thread::sleep(std::time::Duration::from_millis(20));
    let word_get = Op::Get { from: at(1, 192), to: (&raw mut word).cast(), len: 8 };
    row("get 8 B of a PE that computes", median(ROUNDS / 10, || one(&word_get, Stage::Local)), "us", bare);
    m.meet();
}

fn second(pipes: &dyn Meeting) {
    let m = member(Pe(1), pipes);
    bare_second(&m);
    let mut seen = 0;
    spin(&m, || {
        let ball = m.word(BALL).load(Ordering::Acquire);
        if ball > seen {
            seen = ball;
            post(&m, &Op::Put { to: at(0, 8 * BALL as u64), from: (&raw const ball).cast(), len: 8 });
        }
        m.word(PHASE).load(Ordering::Acquire) != 0
    });
    m.meet();
}

fn exactly(socket: &mut TcpStream, into: &mut [u8]) {
    let mut have = 0;
    while have < into.len() {
        match socket.read(&mut into[have..]) {
            Ok(n) => have += n,
            Err(e) if e.kind() == ErrorKind::WouldBlock => {}
            Err(e) => panic!("bare TCP: {e}"),
        }
    }
}

fn all(socket: &mut TcpStream, bytes: &[u8]) {
    let mut gone = 0;
    while gone < bytes.len() {
        match socket.write(&bytes[gone..]) {
            Ok(n) => gone += n,
            Err(e) if e.kind() == ErrorKind::WouldBlock => {}
            Err(e) => panic!("bare TCP: {e}"),
        }
    }
}

/// Round trip in microseconds, and gigabytes a second of 4 MiB sent and 8 B back.
fn bare_first(m: &Member<'_>) -> (f64, f64) {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    m.put(at(1, 8 * PHASE as u64 + 8), &u64::from(port).to_ne_bytes());
    m.wait(m.put(at(1, 128), &[0; 8]), Stage::Remote);
    let (mut socket, _) = listener.accept().expect("the second process connects");
    socket.set_nodelay(true).and_then(|()| socket.set_nonblocking(true)).expect("a spinning socket");
    let mut word = [0; 8];
    let round = median(ROUNDS, || {
        all(&mut socket, &word.clone());
        exactly(&mut socket, &mut word);
    });
    let data = vec![5; BIG];
    let big = median(BIG_ROUNDS, || {
        all(&mut socket, &data);
        exactly(&mut socket, &mut word);
    });
    (round, BIG as f64 / big / 1000.0)
}

fn bare_second(m: &Member<'_>) {
    let port: &AtomicU64 = m.word(PHASE + 1);
    spin(m, || port.load(Ordering::Acquire) != 0);
    let port = port.load(Ordering::Acquire) as u16;
    let mut socket = TcpStream::connect(("127.0.0.1", port)).expect("the first process listens");
    socket.set_nodelay(true).and_then(|()| socket.set_nonblocking(true)).expect("a spinning socket");
    let mut word = [0; 8];
    for _ in 0..ROUNDS {
        exactly(&mut socket, &mut word);
        all(&mut socket, &word);
    }
    let mut data = vec![0; BIG];
    for _ in 0..BIG_ROUNDS {
        exactly(&mut socket, &mut data);
        all(&mut socket, &word);
    }
}
