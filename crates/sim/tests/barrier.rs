//! The barriers under the seeded adversary: no member leaves before every member has entered.

use ferrite_collectives::{Exchange, barrier};
use ferrite_sim::member::{Binding, Member, Waits};
use ferrite_sim::ops::Op;
use ferrite_sim::schedule::{Adversary, Program, run};
use ferrite_sim::world::{Faults, Shape, World};
use std::cell::Cell;

fn barriers(pes: usize, seed: u64, kind: usize) -> Result<(), String> {
    let shape = Shape { pes, groups: vec![(0..pes).collect()], scratch: 512, faults: Faults::default() };
    let world = World::new(shape, seed);
    let entered: Vec<Cell<u64>> = (0..pes).map(|_| Cell::new(0)).collect();
    let body = async |pe: usize| {
        let count = Cell::new(0);
        let waits = Waits { count: &count, forgets: None };
        let x = Member::new(&world, pe, 0, Binding::NONE, waits).expect("a member");
        assert_eq!(x.size() as usize, pes);
        for epoch in 1..=6 {
            entered[pe].set(epoch);
            match kind {
                0 => barrier::dissemination(&x).await,
                1 => barrier::tree(&x, 3).await,
                _ => barrier::central(&x).await,
            }
            assert!(entered.iter().all(|e| e.get() >= epoch), "pe {pe} left epoch {epoch} early");
        }
    };
    let mut programs: Vec<Program> = (0..pes).map(|pe| Box::pin(body(pe)) as Program).collect();
    run(&world, &mut programs, &mut Adversary::new(seed, pes)).map(|_| ())
}

#[test]
fn nobody_leaves_before_everybody_has_entered() {
    assert_eq!(Binding::NONE.op, Op::Sum);
    for pes in (1..=17).chain([31, 32, 33, 64]) {
        for kind in 0..3 {
            for seed in 0..20 {
                barriers(pes, seed, kind).unwrap_or_else(|e| panic!("pes {pes} kind {kind} seed {seed}: {e}"));
            }
        }
    }
}
