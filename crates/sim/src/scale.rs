//! The table of costs at scale: the measured cases, and the table's text.

use crate::model::{Cost, Machine, Model, Picos, Team, team_bytes};
use ferrite_collectives::exchange::scratch_bytes_min;
use ferrite_collectives::{Span, barrier, broadcast, fcollect, hierarchy, reduce, words};
use std::cell::Cell;

/// The subject of a row of the table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Case {
    /// Dissemination barrier over all.
    Barrier,
    /// The same barrier on nodes of one PE, so that every round crosses the network.
    BarrierAllFar,
    /// Barrier by nodes and leaders.
    BarrierByNodes,
    /// Agreement on two words: the messages of creating a team.
    Split,
    /// The previous case by nodes and leaders.
    SplitByNodes,
    /// 8-byte reduction by recursive doubling over all.
    Reduce8,
    /// The previous case by nodes and leaders.
    Reduce8ByNodes,
    /// 8-byte broadcast, radix 4.
    Broadcast8,
    /// Concatenation of 8 bytes of each PE with Bruck's algorithm, over all.
    Fcollect8,
    /// The previous case by nodes and leaders.
    Fcollect8ByNodes,
    /// 1-MiB reduction: shared out within nodes, Rabenseifner among leaders.
    Reduce1MByNodes,
    /// 1-MiB broadcast by scatter and gather over all.
    Broadcast1M,
}

/// All rows, in the order of the table.
pub const CASES: [Case; 12] = [
    Case::BarrierAllFar,
    Case::Barrier,
    Case::BarrierByNodes,
    Case::Split,
    Case::SplitByNodes,
    Case::Reduce8,
    Case::Reduce8ByNodes,
    Case::Broadcast8,
    Case::Fcollect8,
    Case::Fcollect8ByNodes,
    Case::Reduce1MByNodes,
    Case::Broadcast1M,
];

/// Sizes of the table.
pub const SIZES: [usize; 5] = [16, 256, 4096, 65_536, 1 << 20];

const MIB: usize = 1 << 20;

impl Case {
    /// The name of the case in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Case::Barrier => "barrier, dissemination",
            Case::BarrierAllFar => "barrier, dissemination, one PE a node",
            Case::BarrierByNodes => "barrier, nodes then leaders",
            Case::Split => "team split (agreement on 2 words)",
            Case::SplitByNodes => "team split, nodes then leaders",
            Case::Reduce8 => "max 8 B, doubling",
            Case::Reduce8ByNodes => "max 8 B, nodes then leaders",
            Case::Broadcast8 => "broadcast 8 B, radix 4",
            Case::Fcollect8 => "fcollect 8 B, Bruck",
            Case::Fcollect8ByNodes => "fcollect 8 B, nodes then leaders",
            Case::Reduce1MByNodes => "max 1 MiB, direct in nodes, Rabenseifner above",
            Case::Broadcast1M => "broadcast 1 MiB, scatter-allgather",
        }
    }

    const fn bytes(self) -> usize {
        match self {
            Case::Reduce1MByNodes | Case::Broadcast1M => MIB,
            _ => 8,
        }
    }

    /// True if the case streams through scratch, whose size then is the machine's.
    const fn streams(self) -> bool {
        matches!(self, Case::Reduce1MByNodes)
    }

    /// Bytes of scratch per share of the window that the case is given.
    pub fn scratch(self, machine: &Machine, pes: usize) -> usize {
        if self.streams() { machine.scratch } else { scratch_bytes_min(pes as u32, 8) }
    }

    /// Run the case on `pes` PEs of `machine`. Returns the cost, and the bytes of one PE's future.
    pub fn run(self, machine: Machine, pes: usize) -> (Cost, usize) {
        let node = if self == Case::BarrierAllFar { 1 } else { machine.node };
        let machine = Machine { node, scratch: self.scratch(&machine, pes), ..machine };
        let model = Model::new(machine, pes);
        let future = Cell::new(0);
        let all = Team { id: 0, base: 0, stride: 1, size: pes };
        let node = machine.node.min(pes);
        let leaders = Team { id: 1, base: 0, stride: node, size: pes / node };
        let (dest, source) = (Span::dest(self.bytes()), Span::source(self.bytes()));
        let all_of_dest = Span::dest(pes * self.bytes());
        let cost = model.run(|pe| {
            let x = model.member(pe, all);
            let team = Team { id: 2, base: pe / node * node, stride: 1, size: node };
            let (inner, outer) = (model.member(pe, team), (pe % node == 0).then(|| model.member(pe, leaders)));
            let future = &future;
            async move {
                let outer = outer.as_ref();
                match self {
                    Case::Barrier | Case::BarrierAllFar => sized(future, barrier::dissemination(&x)).await,
                    Case::BarrierByNodes => sized(future, hierarchy::barrier(&inner, outer)).await,
                    Case::Split => _ = sized(future, words::agree(&x, [1, 2], |_, a, b| a & b)).await,
                    Case::SplitByNodes => {
                        let agree = hierarchy::agree(&inner, outer, [1, 2], |_, a, b| a & b);
                        sized(future, agree).await;
                    }
                    Case::Reduce8 => sized(future, reduce::doubling(&x, dest, source)).await,
                    Case::Reduce8ByNodes => sized(future, hierarchy::reduce(&inner, outer, dest, source)).await,
                    Case::Broadcast8 => sized(future, broadcast::knomial(&x, 0, dest, source, 4)).await,
                    Case::Fcollect8 => sized(future, fcollect::bruck(&x, all_of_dest, source)).await,
                    Case::Fcollect8ByNodes => {
                        let first = |leader: u32| leader * node as u32;
                        let all = hierarchy::fcollect(&inner, outer, first, pe as u32, all_of_dest, source);
                        sized(future, all).await;
                    }
                    Case::Reduce1MByNodes => {
                        sized(future, hierarchy::reduce_direct(&inner, outer, dest, source)).await;
                    }
                    Case::Broadcast1M => sized(future, broadcast::scatter_allgather(&x, 0, dest, source)).await,
                }
            }
        });
        (cost, future.get())
    }
}

fn sized<F: Future>(into: &Cell<usize>, future: F) -> F {
    into.set(into.get().max(size_of_val(&future)));
    future
}

/// One line of the table.
pub fn line(case: Case, machine: Machine, pes: usize) -> String {
    let (cost, future) = case.run(machine, pes);
    let memory = team_bytes(pes, case.scratch(&machine, pes));
    let Cost { time, depth, messages, bytes, node_bytes } = cost;
    let micros = time as f64 / 1e6;
    let name = case.name();
    format!("| {name} | {pes} | {depth} | {bytes} | {node_bytes} | {messages} | {micros:.1} | {memory} | {future} |")
}

/// The text above the lines.
pub fn head(machine: &Machine) -> String {
    let link = |l: &crate::model::Link| {
        let ns = |t: Picos| t as f64 / 1e3;
        format!(
            "L = {} ns, o = {} ns, g = {} ns, G = {} ps/B",
            ns(l.latency),
            ns(l.overhead),
            ns(l.gap),
            l.gap_per_byte
        )
    };
    let Machine { node, near, far, touch_per_byte, scratch } = machine;
    format!(
        "# Collectives at scale, in the model

Written by `cargo run -p ferrite-sim --release --example scale > crates/sim/SCALE.md`; a test compares the lines up to 4,096
PEs with the code. The algorithms are those of `crates/collectives`, unchanged; time is LogGP's (`src/model.rs`):

- nodes of {node} PEs; across nodes {}; within {};
- copying and combining {touch_per_byte} ps/B; {} KiB of scratch per share of the window if messages are streamed, otherwise the
  minimum of the protocol.

*Chain* is the longest chain of messages that depend on each other; in an algorithm of rounds, their number. *Sent* is the number of
bytes that the busiest PE sends, *leaving* the number that the PEs of the busiest node send to other nodes. The model has no port
that the PEs of a node share: if many of them send much at the same time, the real time is longer in proportion. *Memory* is the size
of one team member's cells, scratch (four shares) and queue of broadcasts. *Future* is the size of one collective in
progress, which a blocking call keeps on its stack. All PEs start at once; the time is that of the last PE to return.

| collective | PEs | chain | sent, B | leaving, B | messages of all | time, us | memory, B | future, B |
|---|---:|---:|---:|---:|---:|---:|---:|---:|
",
        link(far),
        link(near),
        scratch >> 10,
    )
}

/// The text below the lines: the costs of start, end and teams that grow with the job and are not algorithms of `crates/collectives`.
pub const TAIL: &str = "
## Costs outside collectives

With n PEs, k of them on a node, m nodes, d the number of levels of the launcher's tree of hosts (32 children each).

| cost of | grows as | how |
|---|---|---|
| agreement at init, for splitting and destroying teams, for growing the heap | a chain of 2 log8 k messages on a node, log2 m among leaders | `hierarchy::agree`; m log2 m connections, not n log2 n |
| non-blocking barrier, broadcast, reduction, fcollect | as their blocking forms | the same algorithms, stored in a request |
| collect | sums of lengths among k and among m, then as fcollect | `hierarchy::collect`; no PE has a list of all lengths |
| alltoall | n - 1 messages of each PE; a chain of ceil(log2 n) for blocks of 8 bytes up to 430 PEs, of 64 up to 70 | `alltoall::pairwise`, `bruck` if it fits scratch; *flat*, see below |
| an exchange of the launcher | 2 d messages in a chain | `launcher/src/run/exchange.rs`; up to 32 KiB of values are sent with the release, larger ones are looked up |
| such values that a PE keeps | one for each peer on another node with which it has communicated | pages stay with the host's agent |
| roster of the PEs of a node | 40 bytes a PE, once for the node | in the memory that they share: `runtime/src/memory/node` |
| start of a node | k introductions and k files, one after the other at its first PE, about 20 us each; every other PE makes at most two calls | `runtime/src/memory/node/meet.rs` |
| values in oshrun | n | its store |
| start under PMI | ceil(log64 n) + 1 fences, at most 64 look-ups of one PE between two | `crates/bootstrap/src/kvs.rs` |
| a meeting: the first call over an active set, Cray's strided split | 4 log4 of the members, at most 3 children a level | `runtime/src/groups/team/meeting.rs` |
| Cray's split by colour | 2 (n - 1) messages in all, a chain of 2 log8 n; each PE receives n words | `words::gather`: a tree up and down |
| jobs of several programs: collectives on the heap | 1 | heaps have the same layout on all PEs |
| the same on static data | n look-ups of each PE, a few ns each, and no message | the program of each member is looked up; *flat*, see below |
| tables of a PE | 8 bytes a member of each team, of which two always exist; 52 bytes a PE of its node | `Membership`; `PeerWindow` 32, addresses of published data 8, three lists of numbers |
| total private memory of a PE | 360, 373 and 429 KiB with 64, 256 and 1,024 PEs on a node | `ci/footprint`: 73 bytes for each PE of its node, *flat*, see below |
| address space of a PE | 18.6 MiB, and the maximum heap sizes of the k PEs of its node, which take no memory | each PE maps the whole memory of its node |

## What is flat, and why

- **alltoall over nodes.** Each PE has a separate block for each other PE, so there is nothing to combine. A leader could put the k * k blocks
  of two nodes into one message, but one core would then move k n blocks twice, which otherwise k cores send at the same time. With 64 PEs on each
  of 156 nodes and blocks of 8 bytes that is 10 MB through one leader, some ms at the speed of copies of 8 bytes; the 9,983 messages of each PE
  take 0.5 ms at this model's g. The cost is in connections: each PE has one to each other PE, as in any program of that kind.
- **Collectives on static data in jobs of several programs.** The data of each member may be at another address. The look-ups are local, one row of
  a table each; with 10,000 members they take some tens of us for each call. Data on the heap, whose addresses are equal everywhere, avoid this.
- **Private memory.** For each PE of its node, a PE keeps where its memory is mapped (put and get need one load for that), the address of its
  published data, and its numbers in lists: for a thousand PEs this increases private memory by a fifth. A node has about as many PEs as cores,
  however large the job is. For PEs on other nodes, a PE keeps 8 bytes in each team that contains them (80 KB in a world of 10,000), and more
  only for those with which it has communicated.
";
