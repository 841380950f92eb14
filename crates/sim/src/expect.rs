//! The inputs of trials and their expected results, computed without the code under test.

use crate::ops::Op;
use crate::rng::mix;

/// The effect of a call, as a user sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effect {
    /// Wait for all; no data.
    Barrier,
    /// Copy the root's source to all other PEs.
    Broadcast {
        /// The PE that has the source.
        root: usize,
    },
    /// Combine all sources, with the result at all PEs.
    Reduce,
    /// Combine all sources, with the result at PE 0; other PEs' results are not checked.
    ReduceToFirst,
    /// Concatenate blocks of equal length.
    Fcollect,
    /// Concatenate blocks whose length differs by PE.
    Collect,
    /// Concatenate block `[me]` of each PE. Items are `stride.0` items apart at the destination and `stride.1` at the source.
    Alltoall {
        /// Strides of destination and source, in items.
        strides: (usize, usize),
    },
    /// Blocks whose length differs by sender and receiver, each stored at its sender's place.
    Varying,
    /// Prefix reductions that include the PE's own part.
    Inclusive,
    /// Prefix reductions that exclude the PE's own part.
    Exclusive,
}

/// One call, with everything that decides its data.
#[derive(Clone, Copy, Debug)]
pub struct Call {
    /// The effect of the call.
    pub effect: Effect,
    /// The operation that combines elements.
    pub op: Op,
    /// Number of grains in one PE's part (in one block).
    pub grains: usize,
    pub pes: usize,
    /// Whether source and destination are the same memory.
    pub in_place: bool,
    /// Distinguishes this call's data from others'.
    pub seed: u64,
}

/// Fill byte of memory that has no contents yet, or no longer.
pub const POISON: u8 = 0xA5;

impl Call {
    /// Bytes that must not be torn apart: an element, if elements are combined; otherwise a word, except for the rest at the end.
    pub fn grain(&self) -> usize {
        match self.effect {
            Effect::Reduce | Effect::ReduceToFirst | Effect::Inclusive | Effect::Exclusive => self.op.grain(),
            _ => 8,
        }
    }

    /// Bytes of one part.
    pub fn part(&self) -> usize {
        self.grains * self.op.grain()
    }

    /// Bytes that `pe` contributes to a collect: zero for some, or for all.
    pub fn collected(&self, pe: usize) -> usize {
        let draw = mix(self.seed ^ 77 ^ pe as u64) as usize;
        if draw.is_multiple_of(4) { 0 } else { draw % (self.part() + 1) }
    }

    /// Bytes of the destination of a collect. For some calls it is one byte less than all contributions together.
    pub fn room(&self) -> usize {
        let all: usize = (0..self.pes).map(|q| self.collected(q)).sum();
        if mix(self.seed ^ 79).is_multiple_of(4) { all.saturating_sub(1) } else { self.dest_len() }
    }

    /// Bytes that `from` sends to `to` in an exchange of uneven blocks.
    pub fn varying(&self, from: usize, to: usize) -> usize {
        let draw = mix(self.seed ^ 78 ^ (from as u64) << 20 ^ to as u64) as usize;
        if draw.is_multiple_of(4) { 0 } else { draw % (self.part() + 1) }
    }

    /// Bytes of a source.
    pub fn source_len(&self) -> usize {
        match self.effect {
            Effect::Alltoall { strides } => self.part() * self.pes * strides.1,
            Effect::Varying => self.part() * self.pes,
            _ => self.part(),
        }
    }

    /// Bytes of a destination.
    pub fn dest_len(&self) -> usize {
        match self.effect {
            Effect::Alltoall { strides } => self.part() * self.pes * strides.0,
            Effect::Fcollect | Effect::Collect | Effect::Varying => self.part() * self.pes,
            _ => self.part(),
        }
    }

    /// The source of `pe`.
    pub fn source(&self, pe: usize) -> Vec<u8> {
        let word = |i: usize| self.op.value(mix(self.seed) ^ (pe as u64) << 32 ^ i as u64).to_le_bytes();
        (0..self.source_len().div_ceil(8)).flat_map(word).take(self.source_len()).collect()
    }

    /// The destination of `pe` afterwards: `None` where a byte may be anything.
    pub fn dest(&self, pe: usize, sources: &[Vec<u8>]) -> Vec<Option<u8>> {
        let prefix = |upto: usize| {
            let (first, rest) = sources[..upto].split_first()?;
            let mut all = first.clone();
            rest.iter().for_each(|s| self.op.fold(&mut all, s));
            Some(all)
        };
        let known = |bytes: Vec<u8>| bytes.into_iter().map(Some).collect::<Vec<_>>();
        let len = self.dest_len();
        let untouched = if self.in_place { sources[pe].clone() } else { vec![POISON; len] };
        match self.effect {
            Effect::Barrier => known(untouched),
            Effect::Broadcast { root } if root == pe => known(untouched),
            Effect::Broadcast { root } => known(sources[root].clone()),
            Effect::ReduceToFirst if pe != 0 => vec![None; len],
            Effect::Reduce | Effect::ReduceToFirst => known(prefix(self.pes).unwrap_or_default()),
            Effect::Inclusive => known(prefix(pe + 1).unwrap_or_default()),
            Effect::Exclusive => known(prefix(pe).unwrap_or(vec![0; len])),
            Effect::Fcollect => known(sources.concat()),
            Effect::Collect => {
                let parts = sources.iter().enumerate().flat_map(|(q, s)| &s[..self.collected(q)]);
                let mut all: Vec<u8> = parts.copied().collect();
                if all.len() > self.room() {
                    all.clear();
                }
                all.resize(len, POISON);
                known(all)
            }
            Effect::Alltoall { strides } => known(self.exchanged(pe, sources, strides)),
            Effect::Varying => {
                let mut all = vec![POISON; len];
                for (q, source) in sources.iter().enumerate() {
                    let (at, mine, len) = (q * self.part(), pe * self.part(), self.varying(q, pe));
                    all[at..at + len].copy_from_slice(&source[mine..mine + len]);
                }
                known(all)
            }
        }
    }

    fn exchanged(&self, pe: usize, sources: &[Vec<u8>], (dst, sst): (usize, usize)) -> Vec<u8> {
        let item = self.op.grain();
        let mut all = vec![POISON; self.dest_len()];
        for (q, source) in sources.iter().enumerate() {
            for i in 0..self.grains {
                let (to, from) = ((q * self.grains + i) * dst * item, (pe * self.grains + i) * sst * item);
                all[to..to + item].copy_from_slice(&source[from..from + item]);
            }
        }
        all
    }

    /// True if `got` matches `want`. Sums of doubles may be rounded differently from `want`, which a plain loop computes.
    pub fn agrees(&self, got: &[u8], want: &[Option<u8>]) -> bool {
        let folds =
            matches!(self.effect, Effect::Reduce | Effect::ReduceToFirst | Effect::Inclusive | Effect::Exclusive);
        if self.op != Op::Float || !folds {
            return got.len() == want.len() && got.iter().zip(want).all(|(g, w)| w.is_none_or(|w| w == *g));
        }
        let number = |bytes: &[u8]| f64::from_le_bytes(bytes.try_into().unwrap_or_default());
        got.chunks_exact(8).zip(want.chunks_exact(8)).all(|(g, w)| {
            let known: Vec<u8> = w.iter().flatten().copied().collect();
            known.len() < 8 || (number(g) - number(&known)).abs() <= 1e-9 * number(&known).abs()
        })
    }
}
