//! An exchange that skips one wait, to show that the simulator notices a forgotten wait.

use ferrite_collectives::{Direct, Epochs, Exchange, Flag, Items, Rank, Span};
use std::cell::Cell;
use std::future::Future;

/// The exchange `inner`, except that it skips wait number `forgets`.
pub struct Careless<'c, X> {
    inner: X,
    forgets: Option<usize>,
    waits: &'c Cell<usize>,
}

impl<'c, X> Careless<'c, X> {
    /// Skip the wait with this number. `waits` counts the waits; several views of one PE may share it.
    pub fn new(inner: X, forgets: Option<usize>, waits: &'c Cell<usize>) -> Careless<'c, X> {
        Careless { inner, forgets, waits }
    }
    /// The exchange that skips no wait.
    pub fn inner(&self) -> &X {
        &self.inner
    }
    async fn unless_forgotten(&self, wait: impl Future<Output = ()>) {
        if Some(self.waits.replace(self.waits.get() + 1)) != self.forgets {
            wait.await;
        }
    }
}

impl<X: Exchange> Exchange for Careless<'_, X> {
    fn me(&self) -> Rank {
        self.inner.me()
    }
    fn size(&self) -> Rank {
        self.inner.size()
    }
    fn grain(&self) -> usize {
        self.inner.grain()
    }
    fn scratch(&self) -> usize {
        self.inner.scratch()
    }
    fn epochs(&self) -> &Epochs {
        self.inner.epochs()
    }
    fn send(&self, peer: Rank, to: Span, from: Span, flag: Flag) {
        self.inner.send(peer, to, from, flag);
    }
    fn send_counted(&self, peer: Rank, to: Items, from: Items) {
        self.inner.send_counted(peer, to, from);
    }
    fn landed(&self, flag: Flag) -> impl Future<Output = ()> {
        self.unless_forgotten(self.inner.landed(flag))
    }
    fn tallied(&self, count: u64) -> impl Future<Output = ()> {
        self.unless_forgotten(self.inner.tallied(count))
    }
    fn settled(&self) -> impl Future<Output = ()> {
        self.inner.settled()
    }
    fn copy(&self, into: Span, from: Span) {
        self.inner.copy(into, from);
    }
    fn copy_items(&self, into: Items, from: Items) {
        self.inner.copy_items(into, from);
    }
    fn zero(&self, into: Span) {
        self.inner.zero(into);
    }
    fn fold(&self, into: Span, from: Span) {
        self.inner.fold(into, from);
    }
    fn fold_front(&self, into: Span, from: Span) {
        self.inner.fold_front(into, from);
    }
    fn load(&self, at: Span) -> u64 {
        self.inner.load(at)
    }
    fn store(&self, at: Span, word: u64) {
        self.inner.store(at, word);
    }
}

impl<X: Direct> Direct for Careless<'_, X> {
    fn landed_at(&self, peer: Rank, flag: Flag) -> impl Future<Output = ()> {
        self.unless_forgotten(self.inner.landed_at(peer, flag))
    }
    fn arrive(&self) {
        self.inner.arrive();
    }
    fn all_arrived(&self) -> impl Future<Output = ()> {
        self.unless_forgotten(self.inner.all_arrived())
    }
    fn pull(&self, peer: Rank, into: Span, from: Span) -> impl Future<Output = ()> {
        self.inner.pull(peer, into, from)
    }
    fn join(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        self.inner.join(peer, into, mine, from)
    }
    fn join_front(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        self.inner.join_front(peer, into, mine, from)
    }
}
