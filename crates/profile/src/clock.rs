//! Offsets between the clocks of hosts.
//!
//! The PEs of a host share a clock. The clocks of different hosts began at different times, and go at the same rate for the length of a
//! run. Barriers bound the difference, because no PE leaves a barrier before all have come. With `come` and `left` read from two
//! clocks, `left(there) + offset >= come(here)` and `left(here) >= come(there) + offset` hold in each barrier. The middle of the
//! interval that all barriers allow is off by no more than the duration of the fastest barrier.

use crate::Record;
use std::collections::BTreeMap;

/// For each node, by its number: the offset to add to its times, to convert them to the clock of the first record's node.
pub fn offsets(records: &[Record]) -> BTreeMap<u32, i64> {
    let mut offsets = BTreeMap::new();
    let Some(reference) = records.first().map(|record| record.node) else { return offsets };
    let rounds = records.iter().map(|record| record.syncs.len()).min().unwrap_or(0);
    let nodes: BTreeMap<u32, Vec<&Record>> = records.iter().fold(BTreeMap::new(), |mut nodes, record| {
        nodes.entry(record.node).or_default().push(record);
        nodes
    });
    // When the last PE of a node came to the barrier of this round, and when the first PE left it.
    let bounds = |node: &[&Record], round: usize| {
        let come = node.iter().map(|record| record.syncs[round].0).max().unwrap_or(0);
        let left = node.iter().map(|record| record.syncs[round].1).min().unwrap_or(0);
        (i128::from(come), i128::from(left))
    };
    for (&number, node) in &nodes {
        let (mut least, mut most) = (i128::MIN, i128::MAX);
        for round in 0..rounds {
            let (come_here, left_here) = bounds(&nodes[&reference], round);
            let (come_there, left_there) = bounds(node, round);
            least = least.max(come_here - left_there);
            most = most.min(left_here - come_there);
        }
        let known = number != reference && rounds > 0;
        offsets.insert(number, if known { ((least + most) / 2) as i64 } else { 0 });
    }
    offsets
}

/// Convert a time of a PE of `node` to the clock that [`offsets`] converts to.
pub fn shifted(time: u64, node: u32, offsets: &BTreeMap<u32, i64>) -> u64 {
    time.saturating_add_signed(offsets.get(&node).copied().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_late_clock_is_found_within_the_fastest_barrier() {
        // By the true clock the PEs come to the first barrier at 100 and 130, and leave at 150 and 160. The second takes 4.
        let syncs = [[(100, 150), (130, 160)], [(200, 204), (201, 204)]];
        let record = |pe: u32, ahead: u64| Record {
            pe,
            node: pe,
            syncs: syncs.iter().map(|round| (round[pe as usize].0 + ahead, round[pe as usize].1 + ahead)).collect(),
            ..Record::default()
        };
        let offsets = offsets(&[record(0, 0), record(1, 1_000_000)]);
        assert_eq!(offsets[&0], 0);
        assert!((offsets[&1] + 1_000_000).abs() <= 4, "{offsets:?}");
        assert!(shifted(1_000_010, 1, &offsets).abs_diff(10) <= 4);
    }

    #[test]
    fn one_host_has_one_clock() {
        let record = |pe| Record { pe, syncs: vec![(u64::from(pe), 10)], ..Record::default() };
        assert_eq!(offsets(&[record(0), record(1)]), BTreeMap::from([(0, 0)]));
    }
}
