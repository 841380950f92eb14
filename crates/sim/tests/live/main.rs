//! The algorithms on real memory, between threads: the simulator cannot show the reordering of a real machine.

mod engine;

use engine::{Near, Team, drive, sum};
use ferrite_collectives::select::{Barrier, Facts, Tuning};
use ferrite_collectives::{Area, Rank, Span, alltoall, run::near, scan};
use ferrite_sim::trial::Algorithm;

const REPEATS: u64 = 60;
const SCRATCH: usize = 4096;
const WORDS: [usize; 6] = [1, 7, 8, 100, 1000, 3];

/// Value of member `rank` at `i` in repeat `r`.
fn value(rank: usize, i: usize, r: u64) -> u64 {
    ferrite_sim::rng::mix(r << 40 ^ (rank as u64) << 20 ^ i as u64)
}

/// Run one member: all algorithms of the tables in turn, at several lengths. Each result is checked.
fn member(mut x: Near<'_>, me: usize, size: usize) {
    for r in 0..REPEATS {
        let words = WORDS[r as usize % WORDS.len()];
        for algorithm in Algorithm::all() {
            if !algorithm.can(&facts(size, words * 8)) {
                continue;
            }
            let count = if matches!(algorithm, Algorithm::Alltoall(_)) { words * size } else { words };
            x.words(Area::Source, count).iter_mut().enumerate().for_each(|(i, w)| *w = value(me, i, r));
            // The destination must be ready at all members before any of them enters. The source must not change before all have left.
            drive(near::barrier(&x, Barrier::Dissemination, 4));
            one(&mut x, algorithm, r, (me, size, words));
        }
    }
}

fn facts(size: usize, bytes: usize) -> Facts {
    let tuning = Tuning::DEFAULT;
    Facts {
        size: size as Rank,
        bytes,
        scratch: SCRATCH,
        near: true,
        crowded: true,
        in_place: false,
        commutes: true,
        tuning,
    }
}

fn one(x: &mut Near<'_>, algorithm: Algorithm, r: u64, (me, size, words): (usize, usize, usize)) {
    let len = words * 8;
    let (part, whole) = (Span::dest(len), Span::dest(len * size));
    let source = Span::source(len);
    let root = r as usize % size;
    let total = |upto: usize, i: usize| (0..upto).fold(0u64, |sum, rank| sum.wrapping_add(value(rank, i, r)));
    let (got, want): (usize, Vec<u64>) = match algorithm {
        Algorithm::Barrier(how) => {
            drive(near::barrier(x, how, 3));
            (0, Vec::new())
        }
        Algorithm::Broadcast(how) => {
            drive(near::broadcast(x, how, 4, root as Rank, part, source));
            let want = (0..words).map(|i| value(root, i, r)).collect();
            if me == root { (0, Vec::new()) } else { (words, want) }
        }
        Algorithm::Reduce(how) => {
            drive(near::reduce(x, how, 4, part, source));
            (words, (0..words).map(|i| total(size, i)).collect())
        }
        Algorithm::Scan(how) => {
            drive(near::scan(x, how, scan::Kind::Exclusive, part, source));
            (words, (0..words).map(|i| total(me, i)).collect())
        }
        Algorithm::Fcollect(how) => {
            drive(near::fcollect(x, how, whole, source));
            (words * size, (0..size).flat_map(|rank| (0..words).map(move |i| value(rank, i, r))).collect())
        }
        Algorithm::Collect(how) => {
            let has = |rank: usize| if rank % 3 == 1 { 0 } else { words };
            drive(near::collect(x, how, source.part(0, has(me) * 8), u64::MAX));
            let want: Vec<u64> = (0..size).flat_map(|rank| (0..has(rank)).map(move |i| value(rank, i, r))).collect();
            (want.len(), want)
        }
        Algorithm::Alltoall(how) => {
            drive(near::alltoall(x, how, alltoall::Blocks::contiguous(len)));
            (words * size, (0..size).flat_map(|q| (0..words).map(move |i| value(q, me * words + i, r))).collect())
        }
    };
    assert_eq!(x.words(Area::Dest, got), want, "{algorithm:?}, {size} members, repeat {r}, member {me}");
}

#[test]
fn every_row_between_threads() {
    for size in [1, 2, 3, 4, 7] {
        let words = WORDS.iter().max().expect("some") * size;
        let team = Team::new(size, SCRATCH, words * 8, words * 8);
        std::thread::scope(|scope| {
            for me in 0..size {
                let team = &team;
                scope.spawn(move || member(Near::new(team, me, sum, false), me, size));
            }
        });
    }
}
