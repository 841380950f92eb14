//! Runs a chosen algorithm. [`far`] needs messages only; [`near`] needs shared memory too.
//!
//! An engine that knows its choice at set-up calls the algorithm itself, and saves the branch.

/// Over an [`crate::Exchange`]. An algorithm that needs shared memory panics: the table chooses it only where all members are mapped.
pub mod far {
    use crate::alltoall::{self, Blocks};
    use crate::exchange::{Exchange, Rank, Span};
    use crate::select::{Alltoall, Barrier, Broadcast, Collect, Fcollect, Reduce, Scan};
    use crate::{barrier as barriers, broadcast as broadcasts, collect as collects, fcollect as fcollects};
    use crate::{reduce as reductions, scan as scans};
    use core::fmt::Debug;

    #[cold]
    fn needs_memory(how: impl Debug) -> ! {
        panic!("{how:?} was chosen for members that are not all mapped")
    }

    /// Run a barrier, whose tree has this radix if it uses one.
    #[inline]
    pub async fn barrier<X: Exchange>(x: &X, how: Barrier, radix: Rank) {
        match how {
            Barrier::Central => needs_memory(how),
            Barrier::Tree => barriers::tree(x, radix).await,
            Barrier::Dissemination => barriers::dissemination(x).await,
        }
    }

    /// Broadcast; the root's `dest` stays as it is.
    #[inline]
    pub async fn broadcast<X: Exchange>(x: &X, how: Broadcast, radix: Rank, root: Rank, dest: Span, source: Span) {
        match how {
            Broadcast::Pull => needs_memory(how),
            Broadcast::ScatterAllgather => broadcasts::scatter_allgather(x, root, dest, source).await,
            Broadcast::Binomial => broadcasts::knomial(x, root, dest, source, 2).await,
            Broadcast::Linear => broadcasts::knomial(x, root, dest, source, x.size().max(2)).await,
            Broadcast::Knomial => broadcasts::knomial(x, root, dest, source, radix).await,
        }
    }

    /// Reduction.
    #[inline]
    pub async fn reduce<X: Exchange>(x: &X, how: Reduce, radix: Rank, dest: Span, source: Span) {
        match how {
            Reduce::Board | Reduce::Direct | Reduce::Whole => needs_memory(how),
            Reduce::Rabenseifner => reductions::rabenseifner(x, dest, source).await,
            Reduce::Ring => reductions::ring(x, dest, source).await,
            Reduce::Relay => reductions::relay(x, dest, source).await,
            Reduce::Tree => reductions::tree(x, dest, source, radix).await,
            Reduce::Doubling => reductions::doubling(x, dest, source).await,
        }
    }

    /// Concatenation of equal blocks.
    #[inline]
    pub async fn fcollect<X: Exchange>(x: &X, how: Fcollect, dest: Span, source: Span) {
        match how {
            Fcollect::Board => needs_memory(how),
            Fcollect::Linear => fcollects::linear(x, dest, source).await,
            Fcollect::Ring => fcollects::ring(x, dest, source).await,
            Fcollect::Doubling => fcollects::doubling(x, dest, source).await,
            Fcollect::Bruck => fcollects::bruck(x, dest, source).await,
        }
    }

    /// Concatenation of blocks at the beginning of `Dest`, if that has room; returns the length of the whole.
    #[inline]
    pub async fn collect<X: Exchange>(x: &X, how: Collect, source: Span, room: u64) -> u64 {
        match how {
            Collect::Linear => collects::linear(x, source, room).await,
            Collect::Bruck => collects::bruck(x, source, room).await,
        }
    }

    /// Personalised exchange.
    #[inline]
    pub async fn alltoall<X: Exchange>(x: &X, how: Alltoall, blocks: Blocks) {
        match how {
            Alltoall::Cells => alltoall::cells(x, blocks).await,
            Alltoall::Bruck => alltoall::bruck(x, blocks).await,
            Alltoall::Pairwise => alltoall::pairwise(x, blocks).await,
        }
    }

    /// Prefix combination.
    #[inline]
    pub async fn scan<X: Exchange>(x: &X, how: Scan, kind: scans::Kind, dest: Span, source: Span) {
        match how {
            Scan::Chain => scans::chain(x, kind, dest, source).await,
            Scan::Doubling => scans::doubling(x, kind, dest, source).await,
        }
    }
}

/// Over a [`crate::Direct`]; an algorithm without a form of its own here runs as in [`far`].
pub mod near {
    use super::far;
    use crate::exchange::{Direct, Rank, Span};
    use crate::select::{Barrier, Broadcast, Fcollect, Reduce};
    use crate::{barrier as barriers, broadcast as broadcasts, fcollect as fcollects, reduce as reductions};

    /// Run a barrier, whose tree has this radix if it uses one.
    #[inline]
    pub async fn barrier<X: Direct>(x: &X, how: Barrier, radix: Rank) {
        match how {
            Barrier::Central => barriers::central(x).await,
            Barrier::Tree | Barrier::Dissemination => far::barrier(x, how, radix).await,
        }
    }

    /// Broadcast; the root's `dest` stays as it is.
    #[inline]
    pub async fn broadcast<X: Direct>(x: &X, how: Broadcast, radix: Rank, root: Rank, dest: Span, source: Span) {
        use Broadcast::{Binomial, Knomial, Linear, Pull, ScatterAllgather};
        match how {
            Pull => broadcasts::pull(x, root, dest, source).await,
            Binomial | Knomial | Linear | ScatterAllgather => far::broadcast(x, how, radix, root, dest, source).await,
        }
    }

    /// Reduction.
    #[inline]
    pub async fn reduce<X: Direct>(x: &X, how: Reduce, radix: Rank, dest: Span, source: Span) {
        use Reduce::{Board, Doubling, Rabenseifner, Relay, Ring, Tree, Whole};
        match how {
            Board => reductions::board(x, dest, source).await,
            Reduce::Direct => reductions::direct(x, dest, source).await,
            Whole => reductions::whole(x, dest, source).await,
            Doubling | Rabenseifner | Relay | Ring | Tree => far::reduce(x, how, radix, dest, source).await,
        }
    }

    /// Concatenation of equal blocks.
    #[inline]
    pub async fn fcollect<X: Direct>(x: &X, how: Fcollect, dest: Span, source: Span) {
        use Fcollect::{Board, Bruck, Doubling, Linear, Ring};
        match how {
            Board => fcollects::board(x, dest, source).await,
            Bruck | Doubling | Linear | Ring => far::fcollect(x, how, dest, source).await,
        }
    }

    pub use super::far::{alltoall, collect, scan};
}
