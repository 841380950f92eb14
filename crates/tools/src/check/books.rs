//! Contexts, teams, sessions and locks, and their owners.

use super::{
    Check,
    findings::{Finding, Weight},
};
use core::{ffi::c_long, sync::atomic::Ordering::Relaxed};
use ferrite_abi::constants::{SHMEM_CTX_PRIVATE, SHMEM_THREAD_FUNNELED};
use ferrite_callstack::caller;
use ferrite_os::mutex;
use ferrite_runtime::{
    Ctx, Language, Team, is_last_thread,
    observe::{Call, View},
};
use std::{
    collections::HashMap,
    thread::{self, ThreadId},
};

/// Thread that created or took an object, and the call that did it.
#[derive(Clone, Copy, Debug)]
struct Owner {
    thread: ThreadId,
    site: u16,
}

/// The objects that this PE has.
#[derive(Default)]
pub(super) struct Books {
    contexts: HashMap<usize, Owner>,
    teams: HashMap<usize, u16>,
    /// Keyed by context.
    sessions: HashMap<usize, u16>,
    /// By the key of their address.
    locks: HashMap<u64, Owner>,
}

impl Check {
    pub(super) fn context_is_there(&self, call: &Call, site: u16) {
        if Ctx(call.result) != Ctx::INVALID {
            let owner = Owner { thread: thread::current().id(), site };
            mutex::lock(&self.books).contexts.insert(call.result, owner);
        }
    }

    pub(super) fn context_goes(&self, call: &Call) {
        let mut books = mutex::lock(&self.books);
        books.contexts.remove(&call.ctx.0);
        books.sessions.remove(&call.ctx.0);
        drop(books);
        self.forget_turns(call.ctx);
    }

    /// The program is about to get a team.
    pub(super) fn team_is_there(&self, team: Team) {
        let site = self.site("a split", caller::find());
        mutex::lock(&self.books).teams.insert(team.0, site);
    }

    pub(super) fn team_goes(&self, call: &Call) {
        mutex::lock(&self.books).teams.remove(&call.local);
    }

    /// The program announces operations on a context.
    pub(super) fn session_starts(&self, routine: &'static str, ctx: Ctx) {
        let site = self.site(routine, caller::find());
        mutex::lock(&self.books).sessions.entry(ctx.0).or_insert(site);
    }

    /// The program has issued the announced operations.
    pub(super) fn session_stops(&self, ctx: Ctx) {
        mutex::lock(&self.books).sessions.remove(&ctx.0);
    }

    /// Check whether this thread may use the library and the context of the call.
    pub(super) fn judge_thread(&self, view: View<'_>, call: &Call, site: u16) {
        let me = thread::current().id();
        if me != self.first_thread && !is_last_thread() {
            let level = self.level.load(Relaxed);
            // Programs in Rust ask for no level: types decide which thread may use which object.
            if level <= SHMEM_THREAD_FUNNELED && call.site.language != Language::Rust {
                let here = self.place_of(site);
                self.tell(&view, &Finding {
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
        self.judge_turn(view, call, site);
        if matches!(call.ctx, Ctx::INVALID | Ctx::DEFAULT) {
            return;
        }
        let Some(owner) = mutex::lock(&self.books).contexts.get(&call.ctx.0).copied() else { return };
        let is_private = view.context(call.ctx).is_some_and(|ctx| ctx.options() & SHMEM_CTX_PRIVATE as c_long != 0);
        if is_private && owner.thread != me {
            let (here, made) = (self.place_of(site), self.place_of(owner.site).at);
            self.tell(
                &view,
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

    /// Key of a lock, the same on all PEs.
    pub(super) fn lock_key(view: View<'_>, call: &Call) -> u64 {
        view.memory().symmetric_key(call.remote)
    }

    pub(super) fn lock_is_taken(&self, view: View<'_>, call: &Call, site: u16) {
        let owner = Owner { thread: thread::current().id(), site };
        mutex::lock(&self.books).locks.insert(Check::lock_key(view, call), owner);
    }

    /// Report a thread that takes a lock which it already has.
    pub(super) fn judge_lock(&self, view: View<'_>, call: &Call, site: u16) {
        let held = mutex::lock(&self.books).locks.get(&Check::lock_key(view, call)).copied();
        if let Some(owner) = held.filter(|owner| owner.thread == thread::current().id()) {
            let (here, taken) = (self.place_of(site), self.place_of(owner.site).at);
            self.tell(
                &view,
                &Finding {
                    kind: "lock",
                    weight: Weight::Fatal,
                    what: format!(
                        "{} at {} waits for ever for a lock that this PE already holds, since {taken}",
                        here.what, here.at
                    ),
                    right: "call shmem_clear_lock first".into(),
                    places: vec![here.at, taken],
                },
            );
        }
    }

    /// Record that a lock is released. Report it if this PE does not have the lock.
    pub(super) fn judge_unlock(&self, view: View<'_>, call: &Call, site: u16) {
        let held = mutex::lock(&self.books).locks.remove(&Check::lock_key(view, call));
        if held.is_none() {
            let here = self.place_of(site);
            self.tell(
                &view,
                &Finding {
                    kind: "lock",
                    weight: Weight::Fatal,
                    what: format!("{} at {} releases a lock that this PE does not hold", here.what, here.at),
                    right: "release a lock once, on the PE that acquired it with shmem_set_lock or \
                            shmem_test_lock"
                        .into(),
                    places: vec![here.at],
                },
            );
        }
    }

    /// Report the objects other than blocks that are left for finalize to release.
    pub(super) fn find_left_handles(&self, view: View<'_>) {
        let (notes, locks) = {
            let books = mutex::lock(&self.books);
            let contexts = books.contexts.values().map(|owner| (CONTEXT, owner.site));
            let teams = books.teams.values().map(|&site| (TEAM, site));
            let sessions = books.sessions.values().map(|&site| (SESSION, site));
            let notes: Vec<_> = contexts.chain(teams).chain(sessions).filter(|_| !self.is_rust.load(Relaxed)).collect();
            (notes, books.locks.values().copied().collect::<Vec<_>>())
        };
        for ((what, right), site) in notes {
            let at = self.place_of(site).at;
            self.tell(
                &view,
                &Finding {
                    kind: "leak",
                    weight: Weight::Note,
                    what: format!("{what} at {at}"),
                    right: right.into(),
                    places: vec![at],
                },
            );
        }
        for owner in locks {
            let at = self.place_of(owner.site).at;
            self.tell(
                &view,
                &Finding {
                    kind: "lock",
                    weight: Weight::Error,
                    what: format!("a lock is never released; it was acquired at {at}"),
                    right: "call shmem_clear_lock before finalize: other PEs may wait for it".into(),
                    places: vec![at],
                },
            );
        }
    }
}

/// An object that is left, and the routine that releases it.
type Left = (&'static str, &'static str);
const CONTEXT: Left =
    ("a context is not destroyed; it was created", "call shmem_ctx_destroy; finalize destroys what is left");
const TEAM: Left =
    ("a team is not destroyed; it was split off", "call shmem_team_destroy; finalize destroys what is left");
const SESSION: Left =
    ("a session is not stopped; it was started", "call shmem_ctx_session_stop; finalize stops what is left");
