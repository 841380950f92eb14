//! Contexts and locks: who has them.

use super::{
    Check,
    findings::{Finding, Weight},
};
use crate::{Ctx, World, live::Live, observe::Call};
use core::ffi::c_long;
use ferrite_abi::constants::{SHMEM_CTX_PRIVATE, SHMEM_THREAD_FUNNELED};
use ferrite_os::mutex;
use std::{
    collections::HashMap,
    thread::{self, ThreadId},
};

/// Who has made or taken something, and where.
#[derive(Clone, Copy, Debug)]
struct Owner {
    thread: ThreadId,
    site: u16,
}

/// What this PE has.
#[derive(Default)]
pub(super) struct Books {
    contexts: HashMap<usize, Owner>,
    /// By their offset in symmetric memory.
    locks: HashMap<usize, Owner>,
}

impl Check {
    pub(super) fn context_is_there(&self, call: &Call, site: u16) {
        if Ctx(call.result) != Ctx::INVALID {
            let owner = Owner { thread: thread::current().id(), site };
            mutex::lock(&self.books).contexts.insert(call.result, owner);
        }
    }

    pub(super) fn context_goes(&self, call: &Call) {
        mutex::lock(&self.books).contexts.remove(&call.ctx.0);
    }

    /// Whether this thread may use the context of the call, and the library.
    pub(super) fn judge_thread(&self, world: &World, call: &Call, site: u16) {
        let me = thread::current().id();
        if me != self.first_thread {
            let level = mutex::lock(&world.phases).level();
            if level <= SHMEM_THREAD_FUNNELED {
                let here = self.place_of(site);
                self.tell(world, &Finding {
                    kind: "thread",
                    weight: Weight::Error,
                    what: format!(
                        "{} at {} is called by another thread than the one that initialised the library, at thread level {}",
                        here.what,
                        here.at,
                        if level == SHMEM_THREAD_FUNNELED { "SHMEM_THREAD_FUNNELED" } else { "SHMEM_THREAD_SINGLE" }
                    ),
                    right: "ask shmem_init_thread for SHMEM_THREAD_SERIALIZED or SHMEM_THREAD_MULTIPLE".into(),
                    places: vec![here.at],
                });
            }
        }
        if matches!(call.ctx, Ctx::INVALID | Ctx::DEFAULT) {
            return;
        }
        let Some(owner) = mutex::lock(&self.books).contexts.get(&call.ctx.0).copied() else { return };
        let is_private = world.context(call.ctx).is_some_and(|ctx| ctx.options() & SHMEM_CTX_PRIVATE as c_long != 0);
        if is_private && owner.thread != me {
            let (here, made) = (self.place_of(site), self.place_of(owner.site).at);
            self.tell(
                world,
                &Finding {
                    kind: "thread",
                    weight: Weight::Error,
                    what: format!(
                        "{} at {} uses the context created at {made} with SHMEM_CTX_PRIVATE by another thread",
                        here.what, here.at
                    ),
                    right: "create a context without SHMEM_CTX_PRIVATE, or one for each thread".into(),
                    places: vec![here.at, made],
                },
            );
        }
    }

    /// A lock by the same number on all PEs.
    pub(super) fn lock_key(live: &Live, call: &Call) -> usize {
        live.memory.symmetric_offset(call.remote)
    }

    pub(super) fn lock_is_taken(&self, live: &Live, call: &Call, site: u16) {
        let owner = Owner { thread: thread::current().id(), site };
        mutex::lock(&self.books).locks.insert(Check::lock_key(live, call), owner);
    }

    /// Whether a lock may be taken: not by who has it.
    pub(super) fn judge_lock(&self, world: &World, live: &Live, call: &Call, site: u16) {
        let held = mutex::lock(&self.books).locks.get(&Check::lock_key(live, call)).copied();
        if let Some(owner) = held.filter(|owner| owner.thread == thread::current().id()) {
            let (here, taken) = (self.place_of(site), self.place_of(owner.site).at);
            self.tell(
                world,
                &Finding {
                    kind: "lock",
                    weight: Weight::Fatal,
                    what: format!(
                        "{} at {} waits for the lock that this PE has had since {taken}, and so for ever",
                        here.what, here.at
                    ),
                    right: "call shmem_clear_lock first".into(),
                    places: vec![here.at, taken],
                },
            );
        }
    }

    /// Whether a lock may be given back, which it is.
    pub(super) fn judge_unlock(&self, world: &World, live: &Live, call: &Call, site: u16) {
        let held = mutex::lock(&self.books).locks.remove(&Check::lock_key(live, call));
        if held.is_none() {
            let here = self.place_of(site);
            self.tell(
                world,
                &Finding {
                    kind: "lock",
                    weight: Weight::Fatal,
                    what: format!("{} at {} releases a lock that this PE does not have", here.what, here.at),
                    right: "only who has got a lock by shmem_set_lock or shmem_test_lock releases it, once".into(),
                    places: vec![here.at],
                },
            );
        }
    }

    /// Contexts and locks that are left to finalize.
    pub(super) fn find_left_handles(&self, world: &World) {
        let (contexts, locks): (Vec<_>, Vec<_>) = {
            let books = mutex::lock(&self.books);
            (books.contexts.values().copied().collect(), books.locks.values().copied().collect())
        };
        for owner in contexts {
            let at = self.place_of(owner.site).at;
            self.tell(
                world,
                &Finding {
                    kind: "leak",
                    weight: Weight::Note,
                    what: format!("a context is not destroyed, which was created at {at}"),
                    right: "shmem_ctx_destroy gives it back; finalize does as well".into(),
                    places: vec![at],
                },
            );
        }
        for owner in locks {
            let at = self.place_of(owner.site).at;
            self.tell(
                world,
                &Finding {
                    kind: "lock",
                    weight: Weight::Error,
                    what: format!("a lock is never released, which was taken at {at}"),
                    right: "call shmem_clear_lock before finalize: other PEs may wait for it".into(),
                    places: vec![at],
                },
            );
        }
    }
}
