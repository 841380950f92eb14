//! The programs of a run's lanes.

use super::model::{BIT_WORDS, DATA_BYTES, SWAP_WORDS};
use crate::rng::Rng;
use ferrite_engine::Amo;

/// One step of a lane. Operations access another PE's memory; [`Layout`](super::model::Layout) describes it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Action {
    /// Put bytes into this lane's data at a PE.
    Put {
        to: usize,
        /// Offset of the first byte.
        at: usize,
        len: usize,
    },
    /// Put bytes with a signal.
    PutSignal {
        to: usize,
        /// Offset of the first byte.
        at: usize,
        len: usize,
        /// The signal adds to this word of bits; if `None`, it sets this lane's own word.
        bit: Option<usize>,
    },
    /// Set this lane's own word at a PE with an atomic.
    Set {
        to: usize,
    },
    /// Raise a bit in a word that all lanes share.
    Bit {
        to: usize,
        /// Number of the word.
        word: usize,
        /// Add, Or or Xor raise a bit; Fetch and And raise none.
        op: Amo,
        /// Whether to fetch the old value.
        fetch: bool,
    },
    /// Swap a value of the operation's own into a word that all lanes share.
    Swap {
        to: usize,
        /// Number of the word.
        word: usize,
        /// Whether to compare-and-swap; the expected value is the word's value when this is posted.
        compare: bool,
    },
    /// Get bytes of a lane's data at a PE.
    Get {
        from: usize,
        /// The lane whose data to get.
        of: usize,
        /// Offset of the first byte.
        at: usize,
        len: usize,
    },
    Fence,
    /// Wait until the last operation has left this PE's memory.
    Local,
    /// Wait until all operations have left this PE's memory.
    AllLocal,
    /// Wait until all operations are complete.
    Quiet,
    /// Wait until the operations to one PE are complete.
    QuietAt(usize),
}

impl Action {
    /// The PE whose memory the step concerns.
    pub fn target(&self) -> Option<usize> {
        match *self {
            Action::Put { to, .. } | Action::PutSignal { to, .. } | Action::Set { to } => Some(to),
            Action::Bit { to, .. } | Action::Swap { to, .. } | Action::Get { from: to, .. } => Some(to),
            Action::QuietAt(pe) => Some(pe),
            Action::Fence | Action::Local | Action::AllLocal | Action::Quiet => None,
        }
    }
}

/// Draw the program of a lane of PE `me`. It ends with a quiet.
pub fn draw(rng: &mut Rng, me: usize, pes: usize, lanes: usize) -> Vec<Action> {
    // Some lanes mostly use one peer, some fence often, some have few kinds of operations: so operations collide often.
    let favourite = other(rng, me, pes);
    let (favours, synchronises) = (rng.one_in(2), rng.pick(&[3, 6, 12]));
    let kinds: Vec<usize> = (0..1 + rng.below(6)).map(|_| rng.below(6)).collect();
    let count = 1 + rng.below(24);
    let mut program: Vec<Action> = (0..count)
        .map(|_| {
            if rng.one_in(synchronises) {
                return synchronise(rng, me, pes);
            }
            let to = if favours { favourite } else { other(rng, me, pes) };
            let kind = rng.pick(&kinds);
            operate(rng, kind, to, lanes)
        })
        .collect();
    program.push(Action::Quiet);
    program
}

fn other(rng: &mut Rng, me: usize, pes: usize) -> usize {
    (me + 1 + rng.below(pes - 1)) % pes
}

fn synchronise(rng: &mut Rng, me: usize, pes: usize) -> Action {
    match rng.below(10) {
        0 => Action::Quiet,
        1 => Action::QuietAt(other(rng, me, pes)),
        2 => Action::Local,
        3 => Action::AllLocal,
        _ => Action::Fence,
    }
}

fn operate(rng: &mut Rng, kind: usize, to: usize, lanes: usize) -> Action {
    let len = if rng.one_in(2) { 1 + rng.below(8) } else { 1 + rng.below(DATA_BYTES) };
    let at = if rng.one_in(2) { 0 } else { rng.below(DATA_BYTES - len + 1) };
    match kind {
        0 => Action::Put { to, at, len },
        1 => Action::PutSignal { to, at, len, bit: rng.one_in(2).then(|| rng.below(BIT_WORDS)) },
        2 => Action::Get { from: to, of: rng.below(lanes), at, len },
        3 => {
            let op = rng.pick(&[Amo::Add, Amo::Add, Amo::Or, Amo::Xor, Amo::Fetch, Amo::And]);
            let fetch = rng.one_in(2) || matches!(op, Amo::Fetch | Amo::And);
            Action::Bit { to, word: rng.below(BIT_WORDS), op, fetch }
        }
        4 => Action::Swap { to, word: rng.below(SWAP_WORDS), compare: rng.one_in(3) },
        _ => Action::Set { to },
    }
}
