//! Hierarchical collectives: within each node, then among one leader of each node.
//!
//! Karonis, de Supinski, Foster, Gropp, Lusk, Bresnahan: "Exploiting hierarchy in parallel computer networks to optimize
//! collective operation performance", IPDPS 2000. Only leaders (rank 0 of each node's group) communicate across nodes: with m nodes of k
//! members, log2 m far rounds instead of log2 (m k), and one far message per round and node.
//!
//! Generic over two exchanges. Each is a team with its own epochs, flags and scratch; both have the same `Source` and
//! `Dest`. `leaders` is `Some` on leaders only.

use crate::exchange::{Area, Direct, Exchange, Flag, Rank, Span};
use crate::select::RING_MAX;
use crate::{collect as collects, words};

/// Return once every member of every node has entered.
#[inline]
pub async fn barrier<N: Exchange, L: Exchange>(node: &N, leaders: Option<&L>) {
    node.epochs().enter_closing();
    let release = Flag::line(0);
    if node.me() == 0 {
        node.tallied(node.size() as u64 - 1).await;
        if let Some(leaders) = leaders {
            crate::barrier::dissemination(leaders).await;
        }
        for member in 1..node.size() {
            node.raise(member, release);
        }
    } else {
        node.count(0);
        node.landed(release).await;
    }
    node.epochs().close();
}

/// Agreement on words, as [`words::agree`]: combined in rank order where each node holds consecutive ranks.
///
/// 2 (k - 1) messages in a node of k, over a tree of the widest radix, and doubling among leaders: no other member communicates with
/// another node.
pub async fn agree<N: Exchange, L: Exchange, const W: usize>(
    node: &N,
    leaders: Option<&L>,
    mine: [u64; W],
    combine: impl Fn(usize, u64, u64) -> u64,
) -> [u64; W] {
    node.epochs().enter_closing();
    let mut agreed = words::to_first(node, mine, &combine).await;
    if let Some(leaders) = leaders {
        agreed = words::agree(leaders, agreed, &combine).await;
    }
    agreed = words::from_first(node, agreed).await;
    node.epochs().close();
    agreed
}

/// `dest` = the sources of all members of all nodes, combined; in place as well. For short vectors: up to [`LONG`].
///
/// Combines node by node, each in the order of its members, by one tree within nodes and one above: the same bits everywhere.
/// Rank order holds when each node holds consecutive ranks.
pub async fn reduce<N: Exchange, L: Exchange>(node: &N, leaders: Option<&L>, dest: Span, source: Span) {
    if source.len == 0 {
        return;
    }
    crate::reduce::to_first(node, dest, source).await;
    let combined = node.epochs().current();
    if let Some(leaders) = leaders {
        crate::reduce::doubling(leaders, dest, dest).await;
    }
    crate::broadcast::knomial(node, 0, dest, dest, RADIX).await;
    node.epochs().close_at(combined);
}

/// The same for long vectors, if the members of a node can load each other's memory: within a node each member combines a part, leaders
/// reduce by scattering, and every member reads its leader's result.
///
/// The operation has to commute: blocks combine in cyclic order within a node.
pub async fn reduce_direct<N: Direct, L: Exchange>(node: &N, leaders: Option<&L>, dest: Span, source: Span) {
    if source.len == 0 {
        return;
    }
    crate::reduce::direct(node, dest, source).await;
    if let Some(leaders) = leaders {
        crate::reduce::rabenseifner(leaders, dest, dest).await;
    }
    crate::broadcast::pull(node, 0, dest, dest).await;
}

/// `dest` = the sources of all members of all nodes, one after the other; for nodes whose members can load each other's memory.
/// Node `i`, in the order of the leaders, has the ranks from `first(i)` up to `first(i + 1)`; `mine` is our own rank.
///
/// A block crosses between two nodes once. Concatenation by doubling among all members would send it once for each member of a node.
pub async fn fcollect<N: Direct, L: Exchange>(
    node: &N,
    leaders: Option<&L>,
    first: impl Fn(Rank) -> Rank,
    mine: Rank,
    dest: Span,
    source: Span,
) {
    let each = source.len;
    if each == 0 {
        return;
    }
    crate::enter(node).await;
    let own = dest.part(mine as usize * each, each);
    if node.me() == 0 {
        node.copy(own, source);
        node.tallied(node.size() as u64 - 1).await;
    } else {
        node.send_counted(0, own.into(), source.into());
        node.settled().await;
    }
    let gathered = node.epochs().current();
    if let Some(leaders) = leaders {
        let at = |leader: Rank| first(leader) as usize * each;
        if leaders.size() <= RING_MAX && dest.len > leaders.size() as usize * LONG {
            crate::fcollect::ring_placed(leaders, dest, at).await;
        } else {
            crate::fcollect::bruck_placed(leaders, dest, at).await;
        }
    }
    crate::broadcast::pull(node, 0, dest, dest).await;
    // The broadcast result contains every member's part, so every member has entered the epoch before.
    node.epochs().close_at(gathered);
}

/// The same for sources that differ in length. They go to the beginning of `Dest`, if it has `room` for them. Returns the length of the
/// whole. Each node has consecutive ranks.
///
/// Lengths are summed first, within each node and then among leaders. The rest is as in [`fcollect`], by Bruck's concatenation among
/// leaders.
pub async fn collect<N: Direct, L: Exchange>(node: &N, leaders: Option<&L>, source: Span, room: u64) -> u64 {
    let here = collects::counts(node, source.len as u64).await;
    let all = match leaders {
        Some(leaders) => Some(collects::counts(leaders, here.total).await),
        None => None,
    };
    crate::enter(node).await;
    let [before, total] = words::from_first(node, all.map_or([0; 2], |all| [all.before, all.total])).await;
    if total == 0 || total > room {
        // No message follows that would prove to the members that all have entered.
        crate::barrier::dissemination(node).await;
        return total;
    }
    let own = Span { area: Area::Dest, offset: (before + here.before) as usize, len: source.len };
    if node.me() == 0 {
        node.copy(own, source);
        node.tallied(node.size() as u64 - 1).await;
    } else {
        node.send_counted(0, own.into(), source.into());
        node.settled().await;
    }
    let gathered = node.epochs().current();
    if let (Some(leaders), Some(all)) = (leaders, all) {
        collects::bruck_placed(leaders, all, here.total).await;
    }
    let whole = Span::dest(total as usize);
    crate::broadcast::pull(node, 0, whole, whole).await;
    node.epochs().close_at(gathered);
    total
}

/// Bytes beyond which it pays that leaders scatter, and that the members of a node divide the combining.
pub const LONG: usize = 4 << 10;
/// Radix of broadcasts within a node.
const RADIX: Rank = 4;

/// Where the root of a broadcast is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Root {
    /// Its node: the rank of that node's leader among the leaders.
    pub node: Rank,
    /// Its rank within its node.
    pub member: Rank,
    /// Whether that node is ours.
    pub here: bool,
}

/// `dest` everywhere but at the root = `source` at the root.
pub async fn broadcast<N: Exchange, L: Exchange>(node: &N, leaders: Option<&L>, root: Root, dest: Span, source: Span) {
    if root.here {
        crate::broadcast::knomial(node, root.member, dest, source, RADIX).await;
    }
    if let Some(leaders) = leaders {
        // The leader of the root's node may itself be the root, whose `dest` stays as it is.
        let at_root = if root.here && root.member == node.me() { source } else { dest };
        if source.len <= LONG {
            crate::broadcast::knomial(leaders, root.node, dest, at_root, RADIX).await;
        } else {
            crate::broadcast::scatter_allgather(leaders, root.node, dest, at_root).await;
        }
    }
    if !root.here {
        crate::broadcast::knomial(node, 0, dest, dest, RADIX).await;
    }
}
