//! Runs a chosen algorithm. [`far`] needs messages only; [`near`] needs shared memory too.
//!
//! An engine that knows its choice at set-up calls the algorithm itself, and saves the branch.

/// Over an [`crate::Exchange`].
pub mod far {
    use crate::alltoall::{self, Blocks};
    use crate::exchange::{Exchange, Rank, Span};
    use crate::select::Algorithm;
    use crate::{barrier as barriers, broadcast as broadcasts, collect as collects, fcollect as fcollects};
    use crate::{reduce as reductions, scan as scans};

    /// Barrier.
    #[inline]
    pub async fn barrier<X: Exchange>(x: &X, how: Algorithm, radix: Rank) {
        match how {
            Algorithm::Tree => barriers::tree(x, radix).await,
            _ => barriers::dissemination(x).await,
        }
    }

    /// Broadcast; the root's `dest` stays as it is.
    #[inline]
    pub async fn broadcast<X: Exchange>(x: &X, how: Algorithm, radix: Rank, root: Rank, dest: Span, source: Span) {
        match how {
            Algorithm::ScatterAllgather => broadcasts::scatter_allgather(x, root, dest, source).await,
            Algorithm::Binomial => broadcasts::knomial(x, root, dest, source, 2).await,
            Algorithm::Linear => broadcasts::knomial(x, root, dest, source, x.size().max(2)).await,
            _ => broadcasts::knomial(x, root, dest, source, radix).await,
        }
    }

    /// Reduction.
    #[inline]
    pub async fn reduce<X: Exchange>(x: &X, how: Algorithm, radix: Rank, dest: Span, source: Span) {
        match how {
            Algorithm::Rabenseifner => reductions::rabenseifner(x, dest, source).await,
            Algorithm::Ring => reductions::ring(x, dest, source).await,
            Algorithm::Relay => reductions::relay(x, dest, source).await,
            Algorithm::Tree => reductions::tree(x, dest, source, radix).await,
            _ => reductions::doubling(x, dest, source).await,
        }
    }

    /// Concatenation of equal blocks.
    #[inline]
    pub async fn fcollect<X: Exchange>(x: &X, how: Algorithm, dest: Span, source: Span) {
        match how {
            Algorithm::Linear => fcollects::linear(x, dest, source).await,
            Algorithm::Ring => fcollects::ring(x, dest, source).await,
            Algorithm::Doubling => fcollects::doubling(x, dest, source).await,
            _ => fcollects::bruck(x, dest, source).await,
        }
    }

    /// Concatenation of blocks at the beginning of `Dest`, if that has room; returns the length of the whole.
    #[inline]
    pub async fn collect<X: Exchange>(x: &X, how: Algorithm, source: Span, room: u64) -> u64 {
        match how {
            Algorithm::Linear => collects::linear(x, source, room).await,
            _ => collects::bruck(x, source, room).await,
        }
    }

    /// Personalised exchange.
    #[inline]
    pub async fn alltoall<X: Exchange>(x: &X, how: Algorithm, blocks: Blocks) {
        match how {
            Algorithm::Cells => alltoall::cells(x, blocks).await,
            Algorithm::Bruck => alltoall::bruck(x, blocks).await,
            _ => alltoall::pairwise(x, blocks).await,
        }
    }

    /// Prefix combination.
    #[inline]
    pub async fn scan<X: Exchange>(x: &X, how: Algorithm, kind: scans::Kind, dest: Span, source: Span) {
        match how {
            Algorithm::Chain => scans::chain(x, kind, dest, source).await,
            _ => scans::doubling(x, kind, dest, source).await,
        }
    }
}

/// Over a [`crate::Direct`]; an algorithm without a form of its own here runs as in [`far`].
pub mod near {
    use crate::exchange::{Direct, Rank, Span};
    use crate::select::Algorithm;

    /// Barrier.
    #[inline]
    pub async fn barrier<X: Direct>(x: &X, how: Algorithm, radix: Rank) {
        match how {
            Algorithm::Central => crate::barrier::central(x).await,
            _ => super::far::barrier(x, how, radix).await,
        }
    }

    /// Broadcast; the root's `dest` stays as it is.
    #[inline]
    pub async fn broadcast<X: Direct>(x: &X, how: Algorithm, radix: Rank, root: Rank, dest: Span, source: Span) {
        match how {
            Algorithm::Pull => crate::broadcast::pull(x, root, dest, source).await,
            _ => super::far::broadcast(x, how, radix, root, dest, source).await,
        }
    }

    /// Reduction.
    #[inline]
    pub async fn reduce<X: Direct>(x: &X, how: Algorithm, radix: Rank, dest: Span, source: Span) {
        match how {
            Algorithm::Board => crate::reduce::board(x, dest, source).await,
            Algorithm::Direct => crate::reduce::direct(x, dest, source).await,
            Algorithm::Whole => crate::reduce::whole(x, dest, source).await,
            _ => super::far::reduce(x, how, radix, dest, source).await,
        }
    }

    /// Concatenation of equal blocks.
    #[inline]
    pub async fn fcollect<X: Direct>(x: &X, how: Algorithm, dest: Span, source: Span) {
        match how {
            Algorithm::Board => crate::fcollect::board(x, dest, source).await,
            _ => super::far::fcollect(x, how, dest, source).await,
        }
    }

    pub use super::far::{alltoall, collect, scan};
}
