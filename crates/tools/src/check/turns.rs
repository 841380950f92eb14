//! The library at thread level SERIALIZED, and contexts created with SHMEM_CTX_SERIALIZED: threads of a PE must use them one after the
//! other.
//!
//! Two uses by different threads are in turn if synchronisation of the threads (a mutex, a join, ...) orders the first before the second.
//! Programs of `oshcc --check` show this synchronisation, which reveals the mistake also in runs where the uses do not overlap. In other
//! programs only uses that do overlap are found.

use super::{
    Check,
    findings::{Finding, Weight},
};
use core::{ffi::c_long, sync::atomic::Ordering::Relaxed};
use ferrite_abi::constants::{SHMEM_CTX_SERIALIZED, SHMEM_THREAD_SERIALIZED};
use ferrite_check::Stamp;
use ferrite_os::mutex;
use ferrite_runtime::{
    Ctx,
    observe::{Call, View},
};
use std::{
    collections::HashMap,
    thread::{self, ThreadId},
};

/// Last use of the library or of a context.
#[derive(Clone, Copy)]
struct Use {
    thread: ThreadId,
    site: u16,
    /// State of the thread's clock.
    stamp: Option<Stamp>,
    /// The call has not returned yet.
    is_inside: bool,
}

/// The last uses: of contexts, keyed by handle, and of the library, keyed by `None`.
#[derive(Default)]
pub(super) struct Turns(HashMap<Option<usize>, Use>);

impl Check {
    /// A thread calls the library. Report the call if it is not in turn with the last use.
    pub(super) fn judge_turn(&self, view: View<'_>, call: &Call, site: u16) {
        for (what, name) in self.shared_in_turn(view, call) {
            let thread = thread::current().id();
            let stamp = self.with_thread(|me| self.races.stamp(me));
            let mine = Use { thread, site, stamp, is_inside: true };
            let last = mutex::lock(&self.turns).0.insert(what, mine);
            let Some(last) = last.filter(|last| last.thread != thread) else { continue };
            let is_unknown = || {
                let knows = |stamp| self.with_thread(|me| self.races.knows(me, stamp)).unwrap_or(true);
                self.sees_all() && last.stamp.is_some_and(|stamp| !knows(stamp))
            };
            if last.is_inside || is_unknown() {
                let (here, there) = (self.place_of(site), self.place_of(last.site));
                self.tell(
                    &view,
                    &Finding {
                        kind: "thread",
                        weight: Weight::Error,
                        what: format!(
                            "{} at {} and {} at {} use {name} on two threads, and nothing orders the two calls",
                            here.what, here.at, there.what, there.at
                        ),
                        right: "let only one thread call at a time, under a mutex, or use SHMEM_THREAD_MULTIPLE or a \
                                context for each thread"
                            .into(),
                        places: vec![here.at, there.at],
                    },
                );
            }
        }
    }

    /// A context is destroyed.
    pub(super) fn forget_turns(&self, ctx: Ctx) {
        mutex::lock(&self.turns).0.remove(&Some(ctx.0));
    }

    /// The thread's call returns.
    pub(super) fn thread_is_through(&self, view: View<'_>, call: &Call) {
        for (what, _) in self.shared_in_turn(view, call) {
            let stamp = self.with_thread(|me| self.races.stamp(me));
            if let Some(last) = mutex::lock(&self.turns).0.get_mut(&what)
                && last.thread == thread::current().id()
            {
                (last.stamp, last.is_inside) = (stamp, false);
            }
        }
    }

    /// The library and the context of a call, if threads must use them in turn.
    fn shared_in_turn(
        &self,
        view: View<'_>,
        call: &Call,
    ) -> impl Iterator<Item = (Option<usize>, &'static str)> + use<> {
        let is_serialized = self.level.load(Relaxed) == SHMEM_THREAD_SERIALIZED;
        let library = is_serialized.then_some((None, "the library, at thread level SHMEM_THREAD_SERIALIZED,"));
        let is_created = !matches!(call.ctx, Ctx::INVALID | Ctx::DEFAULT);
        let options = is_created.then(|| view.context(call.ctx)).flatten().map_or(0, |ctx| ctx.options());
        let context = (options & SHMEM_CTX_SERIALIZED as c_long != 0)
            .then_some((Some(call.ctx.0), "a context created with SHMEM_CTX_SERIALIZED"));
        [library, context].into_iter().flatten()
    }
}
