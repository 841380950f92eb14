//! Time the algorithms between threads of this process: `cargo run -p ferrite-sim --release --example live --
//! [THREADS]`.
//!
//! Numbers are the least mean of several batches, in nanoseconds per call. They show what the algorithms cost beyond
//! the transfers of cache lines; the runtime's benches measure the library.

#[path = "../tests/live/engine.rs"]
mod engine;

use engine::{Near, Team, drive, sum};
use ferrite_collectives::{Area, Span, alltoall, barrier, broadcast, fcollect, reduce};
use std::time::Instant;

type Call = (&'static str, usize, u32, fn(&Near<'_>, usize));

const MIB: usize = 1 << 20;

const CALLS: &[Call] = &[
    ("barrier, dissemination", 0, 20_000, |x, _| drive(barrier::dissemination(x))),
    ("barrier, central", 0, 20_000, |x, _| drive(barrier::central(x))),
    ("reduce 8, doubling", 8, 20_000, |x, len| drive(reduce::doubling(x, Span::dest(len), Span::source(len)))),
    ("reduce 8, board", 8, 20_000, |x, len| drive(reduce::board(x, Span::dest(len), Span::source(len)))),
    ("reduce 512, board", 512, 20_000, |x, len| drive(reduce::board(x, Span::dest(len), Span::source(len)))),
    ("reduce 1024, board", 1024, 20_000, |x, len| drive(reduce::board(x, Span::dest(len), Span::source(len)))),
    ("reduce 4096, board", 4096, 20_000, |x, len| drive(reduce::board(x, Span::dest(len), Span::source(len)))),
    ("reduce 4096, direct", 4096, 20_000, |x, len| drive(reduce::direct(x, Span::dest(len), Span::source(len)))),
    ("reduce 16 Ki, board", 16 << 10, 5_000, |x, len| drive(reduce::board(x, Span::dest(len), Span::source(len)))),
    ("reduce 16 Ki, direct", 16 << 10, 5_000, |x, len| drive(reduce::direct(x, Span::dest(len), Span::source(len)))),
    ("reduce 1024, direct", 1024, 20_000, |x, len| drive(reduce::direct(x, Span::dest(len), Span::source(len)))),
    ("reduce 64 Ki, direct", 64 << 10, 2_000, |x, len| drive(reduce::direct(x, Span::dest(len), Span::source(len)))),
    ("reduce 1 Mi, direct", MIB, 200, |x, len| drive(reduce::direct(x, Span::dest(len), Span::source(len)))),
    ("reduce 512, whole", 512, 20_000, |x, len| drive(reduce::whole(x, Span::dest(len), Span::source(len)))),
    ("reduce 1024, whole", 1024, 20_000, |x, len| drive(reduce::whole(x, Span::dest(len), Span::source(len)))),
    ("reduce 4096, whole", 4096, 20_000, |x, len| drive(reduce::whole(x, Span::dest(len), Span::source(len)))),
    ("reduce 64 Ki, whole", 64 << 10, 2_000, |x, len| drive(reduce::whole(x, Span::dest(len), Span::source(len)))),
    ("reduce 1 Mi, whole", MIB, 200, |x, len| drive(reduce::whole(x, Span::dest(len), Span::source(len)))),
    ("broadcast 8, knomial", 8, 20_000, |x, len| {
        drive(broadcast::knomial(x, 0, Span::dest(len), Span::source(len), 4));
    }),
    ("broadcast 1 Mi, pull", MIB, 200, |x, len| drive(broadcast::pull(x, 0, Span::dest(len), Span::source(len)))),
    ("fcollect 8, bruck", 8, 20_000, |x, len| {
        drive(fcollect::bruck(x, Span::dest(len * x.team_size()), Span::source(len)));
    }),
    ("fcollect 8, board", 8, 20_000, |x, len| {
        drive(fcollect::board(x, Span::dest(len * x.team_size()), Span::source(len)));
    }),
    ("alltoall 8, cells", 8, 20_000, |x, len| drive(alltoall::cells(x, alltoall::Blocks::contiguous(len)))),
];

fn main() {
    let size = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(2usize);
    println!("{size} threads, ns a call");
    let team = Team::new(size, 16 << 10, MIB, MIB * size);
    std::thread::scope(|scope| {
        for me in 0..size {
            let team = &team;
            scope.spawn(move || time(Near::new(team, me, sum, false), me));
        }
    });
}

fn time(mut x: Near<'_>, me: usize) {
    x.words(Area::Source, MIB / 8).fill(me as u64 + 1);
    for (name, len, repeats, call) in CALLS {
        let mut best = f64::MAX;
        for _ in 0..7 {
            drive(barrier::dissemination(&x));
            let start = Instant::now();
            (0..*repeats).for_each(|_| call(&x, *len));
            best = best.min(start.elapsed().as_nanos() as f64 / *repeats as f64);
        }
        if me == 0 {
            println!("{name:24} {best:12.1}");
        }
    }
}
