//! The committed table of costs is fresh, and meets the design's goals for a million PEs.

use ferrite_sim::model::Machine;
use ferrite_sim::scale::{CASES, Case, SIZES, TAIL, head, line};

const TABLE: &str = include_str!("../SCALE.md");

#[test]
fn the_table_is_what_the_code_gives() {
    assert!(
        TABLE.starts_with(&head(&Machine::TYPICAL)) && TABLE.ends_with(TAIL),
        "write SCALE.md again as it says at its head"
    );
    for case in CASES {
        for pes in SIZES.into_iter().filter(|pes| *pes <= 4096) {
            let line = line(case, Machine::TYPICAL, pes);
            // The last column, the size of a future, depends on the compiler.
            let (line, _) = line.trim_end_matches(" |").rsplit_once("| ").expect("columns");
            assert!(TABLE.contains(line), "SCALE.md lacks this line; write it again as it says at its head:\n{line}");
        }
    }
}

#[test]
fn a_barrier_is_within_a_fifth_of_the_latency_bound() {
    for pes in [2usize, 3, 17, 1000, 1 << 16] {
        let rounds = ferrite_collectives::pattern::ceil_log2(pes as u32);
        let (cost, future) = Case::BarrierAllFar.run(Machine::TYPICAL, pes);
        assert_eq!(cost.depth, rounds, "{pes} PEs");
        let bound = Machine::TYPICAL.far.latency * rounds as u64;
        assert!(cost.time * 10 <= bound * 12, "{pes} PEs: {} ps, bound {bound} ps", cost.time);
        assert!(future <= 256, "{future} bytes of future");
    }
}

#[test]
fn a_million_members_barrier_takes_twenty_rounds() {
    let row = TABLE.lines().find(|l| l.starts_with("| barrier, dissemination, one PE a node | 1048576 |"));
    let cells: Vec<&str> = row.expect("a row at 2^20").split('|').map(str::trim).collect();
    let (rounds, micros): (u32, f64) = (cells[3].parse().unwrap(), cells[7].parse().unwrap());
    assert_eq!(rounds, 20);
    assert!(micros <= 1.2 * 1.5 * 20.0, "{micros} us");
    let memory: usize = cells[8].parse().unwrap();
    assert!(memory <= 2048 * 20, "{memory} bytes a member at 20 = log2 n");
}
