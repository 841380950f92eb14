//! Matrix of the traffic between PEs, with no more cells than fit on a page. If there are more, consecutive PEs share a row.

use crate::{Job, job::total};
use std::collections::BTreeMap;

/// Maximum number of cells on a page: about two megabytes.
pub const CELLS_MAX: usize = 100_000;

/// Traffic from one block of PEs to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Cell {
    /// The block whose PEs posted the operations: the source of a put's data and of a get's request.
    pub from: u32,
    /// The block that the operations were posted to.
    pub to: u32,
    /// Bytes moved, in either direction.
    pub bytes: u64,
    /// Number of operations.
    pub ops: u64,
}

/// Matrix of the traffic between blocks of PEs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Heat {
    /// PEs in each row.
    pub block: u32,
    /// Number of rows, and of columns.
    pub side: u32,
    /// The cells with at least one operation, ordered by `from`, then `to`.
    pub cells: Vec<Cell>,
}

/// The matrix of a job, with at most `cells_max` cells.
pub fn heat(job: &Job, cells_max: usize) -> Heat {
    let mut block = 1;
    loop {
        let cells = cells(job, block);
        if cells.len() <= cells_max.max(1) {
            return Heat { block, side: job.pes.div_ceil(block), cells };
        }
        block *= 2;
    }
}

fn cells(job: &Job, block: u32) -> Vec<Cell> {
    let mut cells: BTreeMap<(u32, u32), Cell> = BTreeMap::new();
    for (record, peer) in job.traffic() {
        let (from, to) = (record.pe / block, peer.pe / block);
        let cell = cells.entry((from, to)).or_insert(Cell { from, to, ..Cell::default() });
        cell.bytes += total(&peer.bytes);
        cell.ops += total(&peer.ops);
    }
    cells.into_values().filter(|cell| cell.ops > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Peer, Record};

    fn all_to_all(pes: u32) -> Job {
        let peers: Vec<_> = (0..pes).map(|pe| Peer { pe, ops: [1, 1, 0], bytes: [8, 2, 0], transport: 0 }).collect();
        Job::of((0..pes).map(|pe| Record { pe, pes, peers: peers.clone(), ..Record::default() }).collect())
    }

    #[test]
    fn what_does_not_fit_is_put_together() {
        let job = all_to_all(10);
        let whole = heat(&job, 100);
        assert_eq!((whole.block, whole.side, whole.cells.len()), (1, 10, 100));
        let coarse = heat(&job, 99);
        assert_eq!((coarse.block, coarse.side, coarse.cells.len()), (2, 5, 25));
        assert!(coarse.cells.iter().all(|cell| (cell.bytes, cell.ops) == (40, 8)));
        assert_eq!(heat(&job, 0).cells.len(), 1);
    }
}
