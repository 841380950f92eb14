//! Each call of the program: checks before it, its accesses, and the order that is known when it returns.

use super::Check;
use core::{ffi::c_int, ptr, slice, sync::atomic::Ordering::Relaxed};
use ferrite_runtime::{
    Ctx, Language,
    observe::{Call, Delays, Kind, View},
};

impl Check {
    /// Check and record a call before it is executed.
    pub(super) fn call_begins(&self, view: View<'_>, call: &Call) {
        if matches!(call.kind, Kind::Put | Kind::Get | Kind::PutSignal | Kind::Atomic | Kind::Signal) {
            self.expect(view, call);
        }
        let site = self.site(call.site.name, call.caller());
        if call.site.language == Language::Rust {
            self.is_rust.store(true, Relaxed);
        }
        self.judge_thread(view, call, site);
        self.demand(call);
        match call.kind {
            Kind::Put | Kind::Get | Kind::PutSignal | Kind::Atomic | Kind::Signal if call.pe >= 0 => {
                self.judge_ranges(view, call, site);
                self.note(view, call, site);
            }
            Kind::Wait | Kind::Test => {
                self.judge_wait(view, call, site);
                self.note(view, call, site);
            }
            Kind::Fence => _ = self.with_thread(|thread| self.races.fence(thread, call.ctx.0)),
            // The operations that it completes are known when it returns; no other PE can know of them earlier.
            Kind::Quiet | Kind::QuietOfPes | Kind::LocalComplete => {}
            Kind::Lock => self.judge_lock(view, call, site),
            Kind::Unlock => {
                self.judge_unlock(view, call, site);
                self.with_thread(|thread| {
                    self.races.quiet(thread, Ctx::DEFAULT.0, None);
                    self.races.leave(thread, lock_clock(view, call));
                });
            }
            Kind::DestroyContext => {
                self.with_thread(|thread| self.races.quiet(thread, call.ctx.0, None));
                self.context_goes(call);
            }
            _ => {}
        }
        if call.kind.is_collective() {
            self.before_collective(view, call, site);
        }
    }

    /// Execute the held-back operations that the call completes. Count calls that look at memory.
    fn demand(&self, call: &Call) {
        let Some(delays) = &self.delays else { return };
        match call.kind {
            Kind::Fence | Kind::Quiet | Kind::QuietOfPes | Kind::DestroyContext => delays.demand(call.ctx),
            Kind::LocalComplete => delays.demand_locally(call.ctx),
            Kind::Unlock => delays.demand(Ctx::DEFAULT),
            // The contexts of a team end with it.
            Kind::DestroyTeam => delays.demand_all(),
            Kind::Get | Kind::Atomic | Kind::Test => delays.looks(),
            _ => {}
        }
    }

    /// Like `demand`, for a collective that every member calls.
    fn demand_together(&self, view: View<'_>, call: &Call) {
        let Some(delays) = &self.delays else { return };
        if !matches!(call.kind, Kind::Barrier | Kind::Allocate | Kind::Reallocate | Kind::Free) || does_nothing(call) {
            return;
        }
        if call.kind == Kind::Barrier && call.group.is_some_and(|group| group.size == view.size()) {
            // It is early enough once all PEs have entered: no PE leaves the barrier before that.
            view.sync_all(call.site);
        }
        delays.demand(Ctx::DEFAULT);
    }

    fn before_collective(&self, view: View<'_>, call: &Call, site: u16) {
        self.compare(view, call, site);
        self.judge_psync(view, call);
        self.demand_together(view, call);
        match call.kind {
            Kind::Free => self.block_goes(view, call.remote, site),
            Kind::Reallocate if call.remote != 0 => self.block_goes(view, call.remote, site),
            Kind::Barrier => self.look_behind_all(view, site),
            Kind::DestroyTeam => self.team_goes(call),
            Kind::Broadcast | Kind::Collect | Kind::Fcollect | Kind::Alltoall | Kind::Reduce | Kind::Scan => {
                self.judge_collective(view, call, site);
            }
            _ => {}
        }
        if !does_nothing(call) {
            self.enter(view, call, site);
        }
    }

    /// Record a call that returns.
    pub(super) fn call_returns(&self, view: View<'_>, call: &Call) {
        match call.kind {
            Kind::Wait | Kind::Test | Kind::Atomic => self.learn(view, call),
            // A local completion is recorded as a quiet: a later use of the source is no race. A use of the data at the target, which is
            // one, is not reported.
            Kind::Quiet | Kind::LocalComplete => {
                self.with_thread(|thread| self.races.quiet(thread, call.ctx.0, None));
            }
            Kind::QuietOfPes => {
                for pe in target_pes(view, call) {
                    self.with_thread(|thread| self.races.quiet(thread, call.ctx.0, Some(pe)));
                }
            }
            Kind::Lock => {
                self.with_thread(|thread| self.races.take(thread, lock_clock(view, call)));
                self.lock_is_taken(view, call, self.site(call.site.name, call.caller()));
            }
            Kind::TryLock if call.result == 0 => {
                self.with_thread(|thread| self.races.take(thread, lock_clock(view, call)));
                self.lock_is_taken(view, call, self.site(call.site.name, call.caller()));
            }
            Kind::CreateContext => self.context_is_there(call, self.site(call.site.name, call.caller())),
            _ => {}
        }
        self.thread_is_through(view, call);
        if !call.kind.is_collective() {
            return;
        }
        if !does_nothing(call) {
            self.leave(call);
        }
        self.set_ends(view, call);
        match call.kind {
            Kind::Allocate => self.block_is_there(self.site(call.site.name, call.caller())),
            Kind::Reallocate => {
                let site = self.site(call.site.name, call.caller());
                let is_freed = call.layout.bytes() == 0;
                match call.remote {
                    0 => {}
                    old if call.result == 0 && !is_freed => self.block_stays(view, old),
                    old if call.result != old => self.block_has_gone(view, old, site),
                    _ => {}
                }
                self.block_is_there(site);
            }
            Kind::Free if call.remote != 0 => {
                self.block_has_gone(view, call.remote, self.site(call.site.name, call.caller()));
            }
            _ => {}
        }
    }
}

/// True for a heap call that does not synchronise (zero bytes, `free(NULL)`).
fn does_nothing(call: &Call) -> bool {
    matches!(call.kind, Kind::Allocate | Kind::Reallocate | Kind::Free) && call.group.is_none()
}

/// The PEs that a quiet of some PEs completes, as PEs of the world.
fn target_pes(view: View<'_>, call: &Call) -> Vec<u32> {
    let count = call.layout.bytes() / size_of::<c_int>();
    if count == 0 || call.local == 0 || call.ctx == Ctx::INVALID {
        return Vec::new();
    }
    // SAFETY: the call has read the same numbers; it does not return if there are none.
    let pes = unsafe { slice::from_raw_parts(ptr::with_exposed_provenance::<c_int>(call.local), count) };
    pes.iter().filter_map(|&pe| Call::to(&view, call.site, call.kind, call.ctx, pe).pe.try_into().ok()).collect()
}

/// Key of a lock's clock, the same on all PEs.
fn lock_clock(view: View<'_>, call: &Call) -> u64 {
    ferrite_check::area::hash([4, Check::lock_key(view, call)])
}
