//! Selects the algorithm of a collective, and states the reason: one table for each collective, in order of preference, for the engine and
//! for people.
//!
//! A row states what its algorithm is for, where it can be used at all, and when it is the best. The first row that can be used and is the
//! best is chosen. All members must choose the same, so the choice depends only on facts that they share: the collective, the team's size
//! and location, the work area, the settings, and lengths that callers must pass alike.

use crate::exchange::{CELL, Rank};
use std::fmt;

/// A kind of collective.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Collective {
    /// Barrier and sync.
    Barrier,
    /// One member's source to all.
    Broadcast,
    /// All sources combined, for all.
    Reduce,
    /// Blocks of equal length side by side.
    Fcollect,
    /// Blocks of different lengths side by side.
    Collect,
    /// Personalised exchange, strided or not.
    Alltoall,
    /// Prefix combination.
    Scan,
}

impl Collective {
    /// Number of kinds.
    pub const COUNT: usize = 7;
}

/// The algorithms of one collective: an enum, whose variants are named after the files that describe them.
pub trait Algorithm: Copy + Eq + fmt::Debug + 'static {
    /// The collective that these algorithms are for.
    const COLLECTIVE: Collective;

    /// The table, in order of preference. Its last row can be used everywhere.
    fn rows() -> &'static [Row<Self>];

    /// The user's choice among these algorithms.
    fn wish(wishes: &Wishes) -> Option<Self>;
}

/// The algorithms that the user asked for. `None` leaves the choice to the table.
#[expect(missing_docs, reason = "a field for each collective")]
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Wishes {
    pub barrier: Option<Barrier>,
    pub broadcast: Option<Broadcast>,
    pub reduce: Option<Reduce>,
    pub fcollect: Option<Fcollect>,
    pub collect: Option<Collect>,
    pub alltoall: Option<Alltoall>,
    pub scan: Option<Scan>,
}

/// The algorithms of barriers.
#[expect(missing_docs, reason = "the files of these names describe them")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Barrier {
    Central,
    Tree,
    Dissemination,
}

/// The algorithms of broadcasts.
#[expect(missing_docs, reason = "the files of these names describe them")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Broadcast {
    Knomial,
    Pull,
    ScatterAllgather,
    Binomial,
    Linear,
}

/// The algorithms of reductions.
#[expect(missing_docs, reason = "the files of these names describe them")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Reduce {
    Doubling,
    Whole,
    Board,
    Direct,
    Relay,
    Rabenseifner,
    Ring,
    Tree,
}

/// The algorithms of concatenations of equal blocks.
#[expect(missing_docs, reason = "the files of these names describe them")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Fcollect {
    Board,
    Linear,
    Ring,
    Bruck,
    Doubling,
}

/// The algorithms of concatenations of blocks of different lengths.
#[expect(missing_docs, reason = "the files of these names describe them")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Collect {
    Linear,
    Bruck,
}

/// The algorithms of personalised exchanges.
#[expect(missing_docs, reason = "the files of these names describe them")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Alltoall {
    Cells,
    Bruck,
    Pairwise,
}

/// The algorithms of prefix combinations.
#[expect(missing_docs, reason = "the files of these names describe them")]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scan {
    Doubling,
    Chain,
}

/// Tie the algorithms of a collective to their table and to the user's wish.
macro_rules! algorithms {
    ($($collective:ident: $table:ident, $wish:ident;)*) => { $(
        impl Algorithm for $collective {
            const COLLECTIVE: Collective = Collective::$collective;

            #[inline]
            fn rows() -> &'static [Row<Self>] {
                $table
            }

            fn wish(wishes: &Wishes) -> Option<Self> {
                wishes.$wish
            }
        }
    )* };
}

algorithms! {
    Barrier: BARRIER, barrier;
    Broadcast: BROADCAST, broadcast;
    Reduce: REDUCE, reduce;
    Fcollect: FCOLLECT, fcollect;
    Collect: COLLECT, collect;
    Alltoall: ALLTOALL, alltoall;
    Scan: SCAN, scan;
}

/// The facts that the choice depends on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Facts {
    /// Number of members.
    pub size: Rank,
    /// Bytes of one member's part: of the vector to reduce or broadcast, or of one block. Zero for `collect`, whose members do not know
    /// each other's length.
    pub bytes: usize,
    /// Bytes of scratch per share of the window.
    pub scratch: usize,
    /// All members can load each other's memory.
    pub near: bool,
    /// Some node of the members has more PEs than cores: a wait costs a turn of the scheduler, and a message two.
    pub crowded: bool,
    /// Source and destination are the same memory.
    pub in_place: bool,
    /// The bound operation need not keep rank order. All operations of OpenSHMEM commute.
    pub commutes: bool,
    /// The settings.
    pub tuning: Tuning,
}

/// Settings of the choice. The engine reads them from environment variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Tuning {
    /// Children per digit of a tree (`SHMEM_COLL_RADIX`), 2 to [`RADIX_MAX`](crate::pattern::knomial::RADIX_MAX).
    pub radix: Rank,
    /// Members up to which linear forms are used (`SHMEM_COLL_CROSSOVER`).
    pub few: Rank,
    /// Bytes from which bandwidth counts for more than rounds (`SHMEM_COLL_SIZE_CROSSOVER`).
    pub long: usize,
    /// Bytes on a node, between two members, from which members divide the work instead of each doing all of it.
    pub long_near: usize,
}

impl Tuning {
    /// What is used unless settings say otherwise.
    pub const DEFAULT: Tuning = Tuning { radix: 4, few: 4, long: 16 << 10, long_near: 1536 };
}

/// One algorithm, and where it is used.
pub struct Row<A> {
    /// The algorithm that the row is about.
    pub algorithm: A,
    /// Its names in settings: ours first, then other libraries'.
    pub names: &'static [&'static str],
    /// Where it can be used.
    pub can: fn(&Facts) -> bool,
    /// When it is preferred over the rows below it.
    pub best: fn(&Facts) -> bool,
    /// The reason, in words.
    pub why: &'static str,
}

const fn row<A: Copy>(
    algorithm: A,
    names: &'static [&'static str],
    can: fn(&Facts) -> bool,
    best: fn(&Facts) -> bool,
    why: &'static str,
) -> Row<A> {
    Row { algorithm, names, can, best, why }
}

fn always(_: &Facts) -> bool {
    true
}
fn never(_: &Facts) -> bool {
    false
}
fn near(f: &Facts) -> bool {
    f.near
}

static BARRIER: &[Row<Barrier>] = &[
    row(Barrier::Central, &["central"], near, |f| f.crowded, "more PEs than cores: one turn of the scheduler each"),
    row(Barrier::Tree, &["tree", "linear"], always, few_messages, "more PEs than cores: fewest messages"),
    row(Barrier::Dissemination, &["dissemination", "dissem"], always, always, "fewest rounds"),
];

static BROADCAST: &[Row<Broadcast>] = &[
    row(Broadcast::Knomial, &["knomial", "tree"], always, push_wins, "short, or between two: the root goes on at once"),
    row(Broadcast::Pull, &["pull"], near, always, "all read the root's memory at once"),
    row(
        Broadcast::ScatterAllgather,
        &["scatter-allgather"],
        always,
        |f| f.bytes >= f.tuning.long && f.size > f.tuning.few,
        "long: two passes of the data whatever the size",
    ),
    row(Broadcast::Binomial, &["binomial"], always, |f| f.bytes >= f.tuning.long, "long, few members"),
    row(Broadcast::Knomial, &["knomial"], always, always, "short: few levels"),
    row(Broadcast::Linear, &["linear"], always, never, "only when asked for"),
];

static REDUCE: &[Row<Reduce>] = &[
    row(Reduce::Doubling, &["doubling", "recdbl"], always, |f| one_line(f) && !f.crowded, "fits the flag's line"),
    row(
        Reduce::Whole,
        &["whole"],
        |f| f.near && !f.in_place,
        whole_wins,
        "on a node of two: each reads the other's source",
    ),
    row(Reduce::Board, &["board"], near, board_wins, "on a node, short: one slot written, one pass"),
    row(Reduce::Direct, &["direct"], |f| f.near && f.commutes, always, "on a node, long: combining is shared out"),
    row(
        Reduce::Relay,
        &["relay"],
        |f| f.commutes && !f.in_place && crate::reduce::relay_fits(f.size),
        |f| f.bytes >= f.tuning.long.max(f.size as usize * RELAY_BYTES),
        "long: from destination to destination, without scratch",
    ),
    row(Reduce::Rabenseifner, &["rabenseifner"], always, long_many, "long: combining is shared out"),
    row(Reduce::Ring, &["ring"], |f| f.commutes, |f| f.bytes >= f.tuning.long, "long, few members"),
    row(Reduce::Doubling, &["doubling", "recdbl"], always, always, "short: fewest rounds"),
    row(Reduce::Tree, &["tree", "linear"], always, never, "fewest messages; only when asked for"),
];

static FCOLLECT: &[Row<Fcollect>] = &[
    row(Fcollect::Board, &["board"], near, board_fits, "on a node, short: one slot written, all read"),
    row(
        Fcollect::Linear,
        &["linear"],
        always,
        |f| f.near || f.size == 2 && f.bytes >= f.tuning.long,
        "on a node, or long between two: every block straight to its place",
    ),
    row(
        Fcollect::Ring,
        &["ring"],
        always,
        |f| f.bytes >= f.tuning.long && f.size <= RING_MAX,
        "long blocks, few members: neighbours only",
    ),
    row(Fcollect::Bruck, &["bruck"], always, always, "fewest rounds for any number of members"),
    row(Fcollect::Doubling, &["doubling", "recdbl"], always, never, "only when asked for"),
];

static COLLECT: &[Row<Collect>] = &[
    row(
        Collect::Linear,
        &["linear"],
        always,
        |f| f.near || f.size <= f.tuning.few,
        "every block straight to its place",
    ),
    row(Collect::Bruck, &["bruck", "tree"], always, always, "fewest rounds"),
];

static ALLTOALL: &[Row<Alltoall>] = &[
    row(
        Alltoall::Cells,
        &["cells"],
        |f| f.bytes <= CELL && f.size <= crate::alltoall::MEMBERS_MAX,
        always,
        "blocks fit the flags' lines",
    ),
    row(
        Alltoall::Bruck,
        &["bruck"],
        |f| crate::alltoall::fits(f.size, f.bytes, f.scratch),
        |f| !f.near && f.size > f.tuning.few && f.bytes <= BRUCK_BYTES_MAX,
        "short blocks among many: log n messages",
    ),
    row(Alltoall::Pairwise, &["pairwise", "linear"], always, always, "every block straight to its place"),
];

static SCAN: &[Row<Scan>] = &[
    row(Scan::Doubling, &["doubling", "recdbl"], always, always, "fewest rounds"),
    row(Scan::Chain, &["chain", "linear", "ring"], always, never, "rounds as a loop does; only when asked for"),
];

/// Bytes from which posting a vector costs more than one more wait.
const WHOLE_BYTES: usize = 768;
/// Members of a node up to which each reads all posts.
const BOARD_MAX: Rank = 64;
/// Bytes that each member may have to read, if a second wait would be a turn of the scheduler.
const BOARD_CROWDED: usize = 64 << 10;
/// Members up to which a ring's steps are worth its bandwidth.
pub(crate) const RING_MAX: Rank = 32;
/// Bytes of a block from which a ring's steps are worth what its scratch would cost.
const RELAY_BYTES: usize = 8 << 10;
/// Bytes of a block from which carrying it log n times costs more than n messages.
const BRUCK_BYTES_MAX: usize = 512;

fn one_line(f: &Facts) -> bool {
    f.bytes <= CELL && (!f.near || f.size <= 2)
}
fn few_messages(f: &Facts) -> bool {
    !f.near && f.crowded && f.size > 2
}
fn push_wins(f: &Facts) -> bool {
    // The flags of a push go through the queue, so the root may be many broadcasts ahead: with more PEs than cores, one turn of the
    // scheduler serves many. A pull waits for all members after every second broadcast. Long payloads are better copied by all members at
    // the same time.
    if !f.near {
        return f.bytes <= CELL;
    }
    f.size == 2 || f.crowded && f.bytes < f.tuning.long || f.bytes <= CELL && f.size <= f.tuning.radix + 1
}
fn whole_wins(f: &Facts) -> bool {
    f.size == 2 && !f.crowded && f.bytes >= WHOLE_BYTES
}
fn board_wins(f: &Facts) -> bool {
    // Every member reads all vectors, which saves three waits: between two members that pays even at 1.5 KiB. A wait costs more where it is
    // a turn of the scheduler.
    let reads = f.bytes.saturating_mul(f.size as usize);
    f.size <= BOARD_MAX && reads < if f.crowded { BOARD_CROWDED } else { 2 * f.tuning.long_near }
}
fn long_many(f: &Facts) -> bool {
    f.bytes >= f.tuning.long && (f.size > f.tuning.few || !f.commutes)
}
fn board_fits(f: &Facts) -> bool {
    f.bytes <= f.scratch && f.bytes < f.tuning.long_near
}

/// The algorithm with this name; `Ok(None)` for `auto`. The error lists the valid names.
pub fn named<A: Algorithm>(name: &str) -> Result<Option<A>, String> {
    let name = name.trim().to_ascii_lowercase();
    if name.is_empty() || name == "auto" {
        return Ok(None);
    }
    let found = A::rows().iter().find(|row| row.names.contains(&name.as_str()));
    found.map(|row| Some(row.algorithm)).ok_or_else(|| {
        let mut names: Vec<&str> = A::rows().iter().flat_map(|row| row.names).copied().collect();
        names.sort_unstable();
        names.dedup();
        format!("it must be auto, {}", names.join(", "))
    })
}

/// Whether to compose over nodes ([`crate::hierarchy`]) for a team of `members` on `nodes`: if that saves far messages.
pub fn by_nodes(members: Rank, nodes: Rank) -> bool {
    nodes > 1 && members / 2 >= nodes
}

/// The row to use. If the wish cannot be met here, the table decides.
#[inline]
pub fn choose<A: Algorithm>(facts: &Facts, wish: Option<A>) -> &'static Row<A> {
    let rows = || A::rows().iter();
    let wished = wish.and_then(|wish| rows().find(|row| row.algorithm == wish && (row.can)(facts)));
    let fitting = || rows().find(|row| (row.can)(facts) && (row.best)(facts));
    wished.or_else(fitting).expect("the table ends each collective with a row that always can and is best")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(size: Rank, bytes: usize, near: bool, crowded: bool) -> Facts {
        Facts {
            size,
            bytes,
            scratch: 16 << 10,
            near,
            crowded,
            in_place: false,
            commutes: true,
            tuning: Tuning::DEFAULT,
        }
    }

    /// A row can be used wherever it is chosen, whatever the user wishes.
    fn check_choices<A: Algorithm>() {
        for size in [1, 2, 3, 16, 17, 1 << 20] {
            for bytes in [0, 8, 56, 57, 4096, 1 << 20, usize::MAX / 2] {
                for (near, crowded, commutes) in [(false, false, false), (true, false, true), (true, true, true)] {
                    let facts = Facts { commutes, ..facts(size, bytes, near, crowded) };
                    let wishes = A::rows().iter().map(|row| Some(row.algorithm));
                    for wish in wishes.chain([None]) {
                        let row = choose(&facts, wish);
                        assert!((row.can)(&facts), "{:?} for {facts:?}", row.algorithm);
                    }
                }
            }
        }
    }

    #[test]
    fn everything_has_a_choice_everywhere() {
        check_choices::<Barrier>();
        check_choices::<Broadcast>();
        check_choices::<Reduce>();
        check_choices::<Fcollect>();
        check_choices::<Collect>();
        check_choices::<Alltoall>();
        check_choices::<Scan>();
    }

    fn check_names<A: Algorithm>(names: &[&str]) {
        for name in names {
            assert!(named::<A>(name).is_ok(), "{:?} {name}", A::COLLECTIVE);
        }
    }

    #[test]
    fn names_of_other_libraries_are_understood() {
        check_names::<Barrier>(&["auto", "linear", "tree", "dissem"]);
        check_names::<Broadcast>(&["auto", "linear", "tree"]);
        check_names::<Reduce>(&["auto", "linear", "tree", "recdbl"]);
        check_names::<Scan>(&["auto", "linear", "ring"]);
        check_names::<Collect>(&["auto", "linear"]);
        check_names::<Fcollect>(&["auto", "linear", "ring", "recdbl"]);
        let error = named::<Barrier>("magic").unwrap_err();
        assert!(error.starts_with("it must be auto, ") && error.contains("dissem"), "{error}");
    }

    #[test]
    fn a_root_may_be_ahead_where_that_saves_turns_of_the_scheduler() {
        let by = |size, bytes, crowded| choose::<Broadcast>(&facts(size, bytes, true, crowded), None).algorithm;
        for (size, bytes, crowded, algorithm) in [
            (2, 1 << 20, false, Broadcast::Knomial),
            (4, 56, false, Broadcast::Knomial),
            (4, 64, false, Broadcast::Pull),
            (4, 64, true, Broadcast::Knomial),
            (8, 8 << 10, true, Broadcast::Knomial),
            (8, 64 << 10, true, Broadcast::Pull),
        ] {
            assert_eq!(by(size, bytes, crowded), algorithm, "{bytes} bytes among {size}, crowded: {crowded}");
        }
    }

    #[test]
    fn a_wish_is_met_where_it_can_be() {
        let near = facts(8, 8, true, false);
        assert_eq!(choose(&near, Some(Barrier::Central)).algorithm, Barrier::Central);
        let far = facts(8, 8, false, false);
        assert_eq!(choose(&far, Some(Barrier::Central)).algorithm, Barrier::Dissemination);
    }
}
