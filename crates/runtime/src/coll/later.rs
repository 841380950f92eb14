//! The non-blocking collectives. Each checks its arguments, chooses an algorithm from the table, and posts the algorithm as a request.
//!
//! A call of no elements does nothing, as in the blocking collectives: its request is [`Req::NULL`].

use super::work::Work;
use crate::{
    Ctx, Elem, Req, Site, Team, World,
    observe::{Answer, Kind},
};
use core::{ffi::c_int, mem::size_of};
use ferrite_collectives::{
    Rank, Span,
    alltoall::Blocks,
    hierarchy,
    select::{Alltoall, Barrier, Broadcast, Fcollect, Reduce},
};
use ferrite_diagnose::entry::{Entry, EntryKind};
use ferrite_kernels::{self as kernel, Reduces};
use ferrite_program::streams::flush_streams;

/// Post a collective as a request; `run!` does the same for a collective that is driven at once.
macro_rules! later {
    ($work:expr, $call:expr, $request:expr, |$x:ident, $run:ident| $algorithm:expr) => {{
        let (work, call, request) = ($work, $call, $request);
        match work.far() {
            // SAFETY: the request may be written, and the objects that the call borrows stay, as the callers of each collective promise.
            None => unsafe {
                use ferrite_collectives::run::near as $run;
                work.post(request, async move {
                    let $x = &call;
                    $algorithm
                })
            },
            // SAFETY: as above.
            Some(far) => unsafe {
                use ferrite_collectives::run::far as $run;
                let call = work.wide(call, far);
                work.post(request, async move {
                    let $x = &call;
                    $algorithm
                })
            },
        }
    }};
}

/// The same over a team that spans nodes: in each node, and among leaders.
macro_rules! later_by_nodes {
    ($work:expr, $calls:expr, $request:expr, |$here:ident, $leaders:ident| $algorithm:expr) => {{
        let (work, calls, request) = ($work, $calls, $request);
        let (here, leaders) = calls.later(work.live);
        // SAFETY: as above.
        unsafe {
            work.post(request, async move {
                let ($here, $leaders) = (&here, leaders.as_ref());
                $algorithm
            })
        }
    }};
}

impl<'c> Work<'c> {
    unsafe fn broadcast_later(self, len: usize, root: c_int, request: *mut Req) {
        let _observed = self.observe_as(Kind::Broadcast, len, 1, root, Answer::Later);
        self.must_be_on_host(self.check_broadcast(len, root, true));
        if len == 0 {
            return;
        }
        let (call, how, radix) = (self.mover().later(), self.how::<Broadcast>(len), self.radix());
        let at_root = self.team.me == root && self.dest.cast_const() != self.source;
        let (dest, source) = (self.dest, self.source);
        let copy = move || {
            if at_root {
                // SAFETY: both were checked, for `len` bytes.
                unsafe { ferrite_copy::copy(dest, source, len) }
            }
        };
        let (to, from) = (Span::dest(len), Span::source(len));
        if let Some(calls) = self.move_by_nodes::<Broadcast>() {
            let root = self.root(root);
            return later_by_nodes!(self, calls, request, |here, leaders| {
                hierarchy::broadcast(here, leaders, root, to, from).await;
                copy();
            });
        }
        later!(self, call, request, |x, run| {
            run::broadcast(x, how, radix, root as Rank, to, from).await;
            copy();
        });
    }

    unsafe fn fcollect_later(self, len: usize, request: *mut Req) {
        let _observed = self.observe_as(Kind::Fcollect, len, 1, -1, Answer::Later);
        self.enter(Entry::sized(EntryKind::Fcollect, len));
        let whole = len.saturating_mul(self.team.shape.size() as usize);
        self.check_host(whole, len);
        if len == 0 {
            return;
        }
        if let Some((calls, first_ranks)) = self.concatenate_by_nodes::<Fcollect>() {
            let me = self.team.me as Rank;
            return later_by_nodes!(self, calls, request, |here, leaders| {
                let first = |leader: Rank| first_ranks[leader as usize];
                hierarchy::fcollect(here, leaders, first, me, Span::dest(whole), Span::source(len)).await;
            });
        }
        let (call, how) = (self.mover().later(), self.how::<Fcollect>(len));
        later!(self, call, request, |x, run| run::fcollect(x, how, Span::dest(whole), Span::source(len)).await);
    }

    unsafe fn alltoall_later(self, blocks: Blocks, request: *mut Req) {
        let members = self.team.shape.size() as usize;
        let count = blocks.count.saturating_mul(members);
        let _observed = self.observe_as(Kind::Alltoall, blocks.item, count, -1, Answer::Later);
        self.must_be_on_host(self.check_blocks(&blocks));
        if blocks.bytes() == 0 {
            return;
        }
        let (call, how) = (self.mover().later(), self.how::<Alltoall>(blocks.bytes()));
        later!(self, call, request, |x, run| run::alltoall(x, how, blocks).await);
    }

    unsafe fn reduce_later(self, kernel: kernel::Kernel, grain: usize, count: usize, request: *mut Req) {
        let _observed = self.observe_as(Kind::Reduce, grain, count, -1, Answer::Later);
        let len = count.saturating_mul(grain);
        self.enter(Entry::sized(EntryKind::Reduce, len));
        self.check_host(len, len);
        if len == 0 {
            return;
        }
        let (to, from) = (Span::dest(len), Span::source(len));
        match self.by_nodes::<Reduce>(kernel, grain) {
            Some(calls) if len <= hierarchy::LONG => {
                return later_by_nodes!(self, calls, request, |here, leaders| {
                    hierarchy::reduce(here, leaders, to, from).await;
                });
            }
            Some(calls) => {
                return later_by_nodes!(self, calls, request, |here, leaders| {
                    hierarchy::reduce_direct(here, leaders, to, from).await;
                });
            }
            None => {}
        }
        let (call, how, radix) = (self.call(kernel, grain).later(), self.how::<Reduce>(len), self.radix());
        later!(self, call, request, |x, run| run::reduce(x, how, radix, to, from).await);
    }

    unsafe fn sync_later(self, request: *mut Req) {
        let _observed = self.observe_as(Kind::Sync, 0, 0, -1, Answer::Later);
        self.enter(Entry::bare(EntryKind::Barrier));
        if let Some(calls) = self.move_by_nodes::<Barrier>() {
            return later_by_nodes!(self, calls, request, |here, leaders| hierarchy::barrier(here, leaders).await);
        }
        let (call, how, radix) = (self.mover().later(), self.how::<Barrier>(0), self.radix());
        later!(self, call, request, |x, run| run::barrier(x, how, radix).await);
    }
}

/// Set the request to none. A collective that is complete at once leaves it so; others replace it.
///
/// # Safety
/// `request` may be written, unless null, which ends the job.
unsafe fn clear(world: &World, site: &'static Site, request: *mut Req) {
    if request.is_null() {
        world.misuse(site, format_args!("request is NULL; pass the address of a shmemx_req_t"));
    }
    // SAFETY: the caller's promise.
    unsafe { request.write(Req::NULL) };
}

impl World {
    /// The arguments of a team's collective. Its request is set to none.
    ///
    /// # Safety
    /// `team` is a team, and `request` may be written.
    unsafe fn later<T>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        request: *mut Req,
    ) -> Option<Work<'_>> {
        // SAFETY: passed on.
        unsafe {
            clear(self, site, request);
            self.work(site, team, dest, source)
        }
    }

    /// Begin a barrier of all PEs. When the request is complete, so are the operations issued on the default context before.
    ///
    /// # Safety
    /// `request` may be written.
    pub unsafe fn barrier_all_nb(&self, site: &'static Site, request: *mut Req) {
        self.quiet(site, Ctx::DEFAULT);
        if self.require_live(site).settings.barriers_flush {
            flush_streams();
        }
        // SAFETY: passed on.
        unsafe { self.sync_all_nb(site, request) }
    }

    /// Begin the synchronisation of all PEs.
    ///
    /// # Safety
    /// `request` may be written.
    pub unsafe fn sync_all_nb(&self, site: &'static Site, request: *mut Req) {
        // SAFETY: passed on; the world is a team.
        unsafe { self.team_sync_nb(site, Team::WORLD, request) };
    }

    /// Begin the synchronisation of a team. Returns 0, or another number for the invalid team.
    ///
    /// # Safety
    /// `team` is a team, and `request` may be written.
    pub unsafe fn team_sync_nb(&self, site: &'static Site, team: Team, request: *mut Req) -> c_int {
        // SAFETY: passed on.
        unsafe {
            let none = core::ptr::null_mut::<u8>();
            let Some(work) = self.later(site, team, none, none, request) else { return -1 };
            work.sync_later(request);
        }
        0
    }

    /// Begin a broadcast. Arguments and result as in [`World::broadcast`]; the arrays belong to the request until it is complete.
    ///
    /// # Safety
    /// As for `broadcast`, until the request is complete, and `request` may be written.
    pub unsafe fn broadcast_nb<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        root: c_int,
        request: *mut Req,
    ) -> c_int {
        // SAFETY: passed on.
        unsafe {
            let Some(work) = self.later(site, team, dest, source, request) else { return -1 };
            work.broadcast_later(nelems.saturating_mul(size_of::<T>()), root, request);
        }
        0
    }

    /// Begin a collective as in [`World::fcollect`].
    ///
    /// # Safety
    /// As for `fcollect`, until the request is complete, and `request` may be written.
    pub unsafe fn fcollect_nb<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        request: *mut Req,
    ) -> c_int {
        // SAFETY: passed on.
        unsafe {
            let Some(work) = self.later(site, team, dest, source, request) else { return -1 };
            work.fcollect_later(nelems.saturating_mul(size_of::<T>()), request);
        }
        0
    }

    /// Begin a collective as in [`World::alltoall`].
    ///
    /// # Safety
    /// As for `alltoall`, until the request is complete, and `request` may be written.
    pub unsafe fn alltoall_nb<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        request: *mut Req,
    ) -> c_int {
        // SAFETY: passed on.
        unsafe {
            let Some(work) = self.later(site, team, dest, source, request) else { return -1 };
            work.alltoall_later(Blocks::contiguous(nelems.saturating_mul(size_of::<T>())), request);
        }
        0
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* fn $name:ident = $op:ident;)*) => {
        impl World { $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As for the blocking reduction, until the request is complete, and `request` may be written.
            pub unsafe fn $name<T: Elem>(&self, site: &'static Site, team: Team, dest: *mut T, source: *const T, nreduce: usize, request: *mut Req) -> c_int
            where
                kernel::$op: Reduces<T>,
            {
                // SAFETY: passed on.
                unsafe {
                    let Some(work) = self.later(site, team, dest, source, request) else { return -1 };
                    work.reduce_later(kernel::of::<T, kernel::$op>(), size_of::<T>(), nreduce, request);
                }
                0
            }
        )* }
    };
}

reductions! {
    /// Begin the bitwise and of all members' elements.
    fn and_reduce_nb = And;
    /// Begin the bitwise or.
    fn or_reduce_nb = Or;
    /// Begin the bitwise exclusive or.
    fn xor_reduce_nb = Xor;
    /// Begin the maximum.
    fn max_reduce_nb = Max;
    /// Begin the minimum.
    fn min_reduce_nb = Min;
    /// Begin the sum.
    fn sum_reduce_nb = Sum;
    /// Begin the product.
    fn prod_reduce_nb = Prod;
}
