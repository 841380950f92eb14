//! Two PEs as two pinned processes over loopback, beside a bare spinning TCP ping-pong in the same run: in blocks, in
//! alternation, of which the best of each side counts. On a machine that others use, so does nothing else.
//!
//! `cargo run --release -p ferrite-tcp --example measure`

use ferrite_conformance::{Meeting, Member};
use ferrite_fabric::{Amo, Op, Pe, Remote, SegmentId, Stage, Ticket, Width};
use ferrite_tcp::{Options, TcpFabric};
use std::{
    cell::RefCell,
    io::{BufRead, BufReader, ErrorKind, Read, Write},
    net::{TcpListener, TcpStream},
    process::{Command, Stdio},
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

/// Blocks of each measurement, and rounds of a block.
const BLOCKS: usize = 40;
const ROUNDS: usize = 500;
const BIG: usize = 4 << 20;
const BIG_ROUNDS: usize = 5;
const STREAM: usize = 2_000_000;
/// Words of the heap that steer the run; the data of big operations starts behind them.
const BALL: usize = 0;
const PHASE: usize = 8;
const PORT: usize = 9;
/// What [`PHASE`] says next to a count: a block of bare round trips, one of bare big transfers, or the end.
const SMALL: u64 = 0;
const LARGE: u64 = 1;
const LAST: u64 = 2;
const KINDS: u64 = 3;
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

fn row(name: &str, (ours, bare): (f64, f64)) {
    println!("{name:<34} {ours:>9.2} us   bare {bare:>9.2} us   {:>5.2} x", ours / bare);
}

/// As a fraction of the bare rate.
fn rate(name: &str, (ours, bare): (f64, f64)) {
    let rate = |us: f64| BIG as f64 / us / 1000.0;
    println!("{name:<34} {:>9.2} GB/s bare {:>9.2} GB/s {:>5.2} x", rate(ours), rate(bare), bare / ours);
}

/// The first PE, and its end of the bare connection.
struct First<'a> {
    m: Member<'a>,
    socket: TcpStream,
    phase: u64,
    data: Vec<u8>,
}

impl First<'_> {
    fn one(&self, op: &Op, stage: Stage) {
        quiet(&self.m, post(&self.m, op), stage);
    }

    /// Tell the second PE to leave its loop, for a block of `kind`.
    fn turn(&mut self, kind: u64) {
        self.phase += 1;
        let word = self.phase * KINDS + kind;
        self.one(&Op::Put { to: at(1, 8 * PHASE as u64), from: (&raw const word).cast(), len: 8 }, Stage::Remote);
    }

    /// The best medians of blocks of `round` and of bare ones, in microseconds.
    fn beside(&mut self, kind: u64, mut round: impl FnMut(&Self)) -> (f64, f64) {
        let rounds = if kind == LARGE { BIG_ROUNDS } else { ROUNDS };
        let (mut ours, mut bare) = (f64::MAX, f64::MAX);
        for _ in 0..BLOCKS {
            ours = median(rounds, || round(self)).min(ours);
            self.turn(kind);
            let (socket, mut word) = (&mut self.socket, [0; 8]);
            bare = bare.min(median(rounds, || {
                all(socket, if kind == LARGE { &self.data } else { &[1; 8] });
                exactly(socket, &mut word);
            }));
        }
        (ours, bare)
    }
}

fn first(pipes: &dyn Meeting) {
    let m = member(Pe(0), pipes);
    let socket = bare_first(&m);
    let mut f = First { m, socket, phase: 0, data: vec![5; BIG] };
    let mut word = 7_u64;
    let put = Op::Put { to: at(1, 192), from: (&raw const word).cast(), len: 8 };
    let get = Op::Get { from: at(1, 192), to: (&raw mut word).cast(), len: 8 };
    row("put 8 B and quiet", f.beside(SMALL, |f| f.one(&put, Stage::Remote)));
    row("get 8 B", f.beside(SMALL, |f| f.one(&get, Stage::Local)));
    let mut old = 0_u64;
    let (width, op, fetch) = (Width::W64, Amo::Add, (&raw mut old).cast());
    let add = Op::Amo { at: at(1, 200), width, op, operand: 1, compare: 0, fetch };
    row("fetch_add", f.beside(SMALL, |f| f.one(&add, Stage::Local)));

    let mut ball = 0_u64;
    let (there_and_back, bare) = f.beside(SMALL, |f| {
        ball += 1;
        post(&f.m, &Op::Put { to: at(1, 8 * BALL as u64), from: (&raw const ball).cast(), len: 8 });
        spin(&f.m, || f.m.word(BALL).load(Ordering::Acquire) >= ball);
    });
    row("p and wait_until, half round trip", (there_and_back / 2.0, bare / 2.0));

    for _ in 0..3 {
        let start = Instant::now();
        let mut last = Ticket(0);
        for _ in 0..STREAM {
            last = post(&f.m, &put);
        }
        let posted = start.elapsed().as_secs_f64();
        quiet(&f.m, last, Stage::Remote);
        let per_second = STREAM as f64 / start.elapsed().as_secs_f64() / 1e6;
        println!("{:<34} {per_second:>9.2} M/s  {:>6.1} ns a call", "stream of 8 B puts", posted * 1e9 / STREAM as f64);
    }

    let mut data = vec![5_u8; BIG];
    let put = Op::Put { to: at(1, DATA), from: data.as_ptr(), len: BIG };
    let get = Op::Get { from: at(1, DATA), to: data.as_mut_ptr(), len: BIG };
    rate("put 4 MiB and quiet", f.beside(LARGE, |f| f.one(&put, Stage::Remote)));
    rate("get 4 MiB", f.beside(LARGE, |f| f.one(&get, Stage::Local)));

    // From here on the second PE sleeps outside of the library: its service thread answers.
    f.turn(LAST);
    std::thread::sleep(std::time::Duration::from_millis(20));
    let get = Op::Get { from: at(1, 192), to: (&raw mut word).cast(), len: 8 };
    println!("{:<34} {:>9.2} us", "get 8 B of a PE that computes", median(ROUNDS, || f.one(&get, Stage::Local)));
    f.m.meet();
}

fn second(pipes: &dyn Meeting) {
    let m = member(Pe(1), pipes);
    let mut socket = bare_second(&m);
    let mut data = vec![0; BIG];
    let (mut seen, mut phase) = (0, 0);
    loop {
        spin(&m, || {
            let ball = m.word(BALL).load(Ordering::Acquire);
            if ball > seen {
                seen = ball;
                post(&m, &Op::Put { to: at(0, 8 * BALL as u64), from: (&raw const ball).cast(), len: 8 });
            }
            m.word(PHASE).load(Ordering::Acquire) != phase
        });
        phase = m.word(PHASE).load(Ordering::Acquire);
        // The first one waits for the answer to what ended the loop.
        for _ in 0..100 {
            m.lane.progress();
        }
        match phase % KINDS {
            SMALL => echo(&mut socket, ROUNDS, &mut data[..8]),
            LARGE => echo(&mut socket, BIG_ROUNDS, &mut data),
            _ => break,
        }
    }
    m.meet();
}

fn echo(socket: &mut TcpStream, rounds: usize, into: &mut [u8]) {
    for _ in 0..rounds {
        exactly(socket, into);
        all(socket, &[1; 8]);
    }
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

/// The connection of the bare program.
fn bare_first(m: &Member<'_>) -> TcpStream {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("a port").port();
    m.wait(m.put(at(1, 8 * PORT as u64), &u64::from(port).to_ne_bytes()), Stage::Remote);
    let (socket, _) = listener.accept().expect("the second process connects");
    socket.set_nodelay(true).and_then(|()| socket.set_nonblocking(true)).expect("a spinning socket");
    socket
}

fn bare_second(m: &Member<'_>) -> TcpStream {
    let port: &AtomicU64 = m.word(PORT);
    spin(m, || port.load(Ordering::Acquire) != 0);
    let port = port.load(Ordering::Acquire) as u16;
    let socket = TcpStream::connect(("127.0.0.1", port)).expect("the first process listens");
    socket.set_nodelay(true).and_then(|()| socket.set_nonblocking(true)).expect("a spinning socket");
    socket
}
