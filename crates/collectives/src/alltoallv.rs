//! All-to-all of blocks that differ in length, over messages. Only the sender knows the length of a block, and only the
//! receiver knows its destination.
//!
//! Three messages for each pair, each in a phase of its own: the length to the receiver, the destination back to the
//! sender, the bytes. A phase is an epoch. Tables in scratch hold the lengths and the destinations; a team larger than
//! a table is handled by windows of senders and receivers. 3 (n - 1) messages from each member. Blocks travel once,
//! straight to their destination.

use crate::exchange::{Area, Exchange, Rank, Span};
use std::ops::Range;

const WORD: usize = 8;
/// The answer of a receiver that has no room.
const NOWHERE: u64 = u64::MAX;

/// A block as its sender describes it: a part of the source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Block {
    /// Bytes from the source's beginning.
    pub offset: usize,
    /// Bytes of the block.
    pub len: usize,
}

/// A block that has no place. The receiver reports it to the program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NoRoom {
    /// Sender of the block.
    pub from: Rank,
    /// Bytes of the block.
    pub len: usize,
}

/// The first block that had no place.
struct Outcome(Result<(), NoRoom>);

impl Outcome {
    fn note(&mut self, from: Rank, len: usize, place: Option<usize>) -> u64 {
        if place.is_none() && self.0.is_ok() {
            self.0 = Err(NoRoom { from, len });
        }
        place.map_or(NOWHERE, |at| at as u64)
    }
}

/// One window of senders against one of receivers.
struct Round {
    senders: Range<Rank>,
    receivers: Range<Rank>,
    /// Whether both are the whole team, so that in each phase every member hears from every other one.
    whole: bool,
}

impl Round {
    /// The word in our scratch for a phase's message from `rank`.
    fn word(window: &Range<Rank>, rank: Rank) -> Span {
        Span::scratch((rank - window.start) as usize * WORD, WORD)
    }

    async fn end<X: Exchange>(&self, x: &X, heard: &Range<Rank>, listens: bool) {
        if listens {
            x.tallied(heard.len() as u64 - u64::from(heard.contains(&x.me()))).await;
        }
        x.settled().await;
        if self.whole {
            x.epochs().close();
        }
    }
}

/// The other members of a window, beginning with the ranks above ours, so that not all members send to the same one at once.
fn others<X: Exchange>(x: &X, window: &Range<Rank>) -> impl Iterator<Item = Rank> + use<X> {
    let (me, window) = (x.me(), window.clone());
    let split = me.clamp(window.start, window.end);
    (split..window.end).chain(window.start..split).filter(move |&peer| peer != me)
}

/// Send every block to the offset that the receiver's `place` returns, which is asked in the order of the senders' ranks within a round. If
/// `place` returns `None`, there is no room: the block is left out, and reported at the end, so that no peer is kept waiting.
///
/// `tableful` is the number of words that a table may have: `scratch / 8 - 1` or less.
pub async fn exchange<X: Exchange>(
    x: &X,
    tableful: Rank,
    sent: impl Fn(Rank) -> Block,
    mut place: impl FnMut(Rank, usize) -> Option<usize>,
) -> Result<(), NoRoom> {
    let size = x.size();
    let window = |first: Rank| first..size.min(first.saturating_add(tableful));
    let mut outcome = Outcome(Ok(()));
    for senders in (0..size).step_by(tableful as usize).map(window) {
        for receivers in (0..size).step_by(tableful as usize).map(window) {
            let whole = senders == (0..size) && receivers == (0..size);
            let round = Round { senders: senders.clone(), receivers, whole };
            pass(x, &round, tableful, &sent, &mut place, &mut outcome).await;
        }
    }
    outcome.0
}

async fn pass<X: Exchange>(
    x: &X,
    round: &Round,
    tableful: Rank,
    sent: &impl Fn(Rank) -> Block,
    place: &mut impl FnMut(Rank, usize) -> Option<usize>,
    outcome: &mut Outcome,
) {
    let Round { senders, receivers, .. } = round;
    let me = x.me();
    let (sends, receives) = (senders.contains(&me), receivers.contains(&me));
    let own = Span::scratch(tableful as usize * WORD, WORD);
    let tell = |peer: Rank, word: u64, window: &Range<Rank>| {
        x.store(own, word);
        x.send_counted(peer, Round::word(window, me).into(), own.into());
    };

    crate::enter(x).await;
    if sends {
        others(x, receivers).for_each(|peer| tell(peer, sent(peer).len as u64, senders));
    }
    round.end(x, senders, receives).await;

    let mut places = Vec::new();
    if receives {
        for from in senders.clone() {
            let len = if from == me { sent(me).len } else { x.load(Round::word(senders, from)) as usize };
            let at = outcome.note(from, len, place(from, len));
            if from == me && at != NOWHERE {
                let Block { offset, len } = sent(me);
                let into = Span { area: Area::Dest, offset: at as usize, len };
                x.copy(into, Span { area: Area::Source, offset, len });
            }
            places.push(at);
        }
    }

    crate::enter(x).await;
    if receives {
        others(x, senders).for_each(|peer| tell(peer, places[(peer - senders.start) as usize], receivers));
    }
    round.end(x, receivers, sends).await;

    let answers: Vec<u64> = if sends {
        receivers.clone().map(|peer| if peer == me { NOWHERE } else { x.load(Round::word(receivers, peer)) }).collect()
    } else {
        Vec::new()
    };
    crate::enter(x).await;
    if sends {
        for peer in others(x, receivers) {
            let Block { offset, len } = sent(peer);
            match answers[(peer - receivers.start) as usize] {
                NOWHERE => x.count(peer),
                at => {
                    let into = Span { area: Area::Dest, offset: at as usize, len };
                    x.send_counted(peer, into.into(), Span { area: Area::Source, offset, len }.into());
                }
            }
        }
    }
    round.end(x, senders, receives).await;
}
