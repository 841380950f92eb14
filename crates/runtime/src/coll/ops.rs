//! The collectives of teams. Each checks its arguments, has the table choose an algorithm, and drives it.
//!
//! A call of no elements does nothing at all: the standard has every member pass the same count.

use super::{
    Call, Kernel, Wide, drive,
    engine::Reach,
    kernel::{self, Reduces},
};
use crate::{
    Elem, Site, Team, World,
    far::Far,
    live::Live,
    team::{Group, TeamState},
};
use core::{
    ffi::c_int,
    mem::size_of,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use ferrite_collectives::{
    Rank, Span, WINDOW,
    alltoall::Blocks,
    hierarchy::{self, Root},
    reduce,
    scan::Kind,
    select::{self, Algorithm, Collective, Facts},
};

/// Drive a collective: with the algorithms that read peers' memory where all members are mapped, else with messages.
macro_rules! run {
    ($work:expr, $call:expr, |$x:ident, $run:ident| $algorithm:expr) => {{
        let (work, call) = ($work, $call);
        match work.far() {
            None => {
                use ferrite_collectives::run::near as $run;
                let $x = &call;
                work.drive($algorithm)
            }
            Some(far) => {
                use ferrite_collectives::run::far as $run;
                let $x = &work.wide(call, far);
                work.drive($algorithm)
            }
        }
    }};
}

/// The arguments that collectives have in common, in bytes.
pub(super) struct Work<'c> {
    pub world: &'c World,
    pub live: &'c Live,
    pub site: &'static Site,
    pub team: &'c TeamState,
    pub dest: *mut u8,
    pub source: *const u8,
}

impl<'c> Work<'c> {
    /// Refuse what peers could not reach: `dest_len` and `source_len` bytes at our destination and source.
    #[inline(always)]
    pub fn check(&self, dest_len: usize, source_len: usize) {
        let me = self.live.me as c_int;
        for (what, address, len) in
            [("dest", self.dest as usize, dest_len), ("source", self.source as usize, source_len)]
        {
            if self.world.near.range(address, len, me).is_none() {
                self.world.reach(self.site, what, address, len, crate::Ctx::DEFAULT, me);
            }
            if !self.live.uniform.load(Relaxed) {
                self.check_alike(what, address, len);
            }
        }
    }

    /// Static data are at the same place only in the same executable.
    #[cold]
    fn check_alike(&self, what: &str, address: usize, len: usize) {
        for i in 0..self.team.shape.size() as c_int {
            let pe = self.team.shape.world_pe(i);
            if self.world.near.range(address, len, pe).is_none() {
                self.world.reach(self.site, what, address, len, crate::Ctx::DEFAULT, pe);
            }
        }
    }

    pub fn call(&self, kernel: Kernel, grain: usize) -> Call<'c> {
        let reach = Some(Reach { shape: &self.team.shape, world: self.world, site: self.site });
        Call { team: &self.team.member, source: self.source.cast_mut(), dest: self.dest, reach, kernel, grain }
    }

    /// What reaches members that are not mapped, if there are such.
    #[inline(always)]
    pub fn far(&self) -> Option<&'c Far> {
        self.team.far(self.live)
    }

    /// The same call, where there are.
    pub fn wide<const LATER: bool>(&self, call: Call<'c, LATER>, far: &'c Far) -> Wide<'c, LATER> {
        Wide::new(call, self.live, far, &self.team.shape)
    }

    /// The call among the members of this node, and among the leaders of all nodes if this PE is one: where the team has
    /// groups, and the user did not ask for one of the algorithms that know nothing of nodes.
    #[inline]
    fn by_nodes(
        &self,
        collective: Collective,
        kernel: Kernel,
        grain: usize,
    ) -> Option<(Call<'c>, Option<Wide<'c, false>>)> {
        let groups = self.team.groups.as_ref()?;
        if self.live.tuning.wish(collective).is_some() {
            return None;
        }
        let call = |group: &'c Group| {
            let reach = Some(Reach { shape: &group.shape, world: self.world, site: self.site });
            Call { team: &group.member, source: self.source.cast_mut(), dest: self.dest, reach, kernel, grain }
        };
        let far = self.live.far.as_ref()?;
        let leaders = groups.leaders.as_ref().map(|group| Wide::new(call(group), self.live, far, &group.shape));
        Some((call(&groups.here), leaders))
    }

    /// Where the root of a broadcast is.
    fn root(&self, root: c_int) -> Root {
        let (groups, map) = self.team.groups.as_ref().zip(self.live.map()).expect("asked where there are groups");
        groups.root(map, self.team.shape.world_pe(root))
    }

    /// A call that combines nothing.
    pub fn mover(&self) -> Call<'c> {
        self.call(kernel::of::<u64, kernel::And>(), 8)
    }

    /// The way to do `collective` with `bytes` from each member.
    #[inline]
    pub fn how(&self, collective: Collective, bytes: usize) -> Algorithm {
        choice(self.live, self.team, collective, bytes, self.dest.cast_const() == self.source)
    }

    #[inline(always)]
    pub fn drive<T>(&self, algorithm: impl Future<Output = T>) -> T {
        drive(self.live, self.team, algorithm)
    }

    pub fn radix(&self) -> Rank {
        self.live.tuning.tuning.radix
    }

    /// Refuse a root that is none, and what peers could not reach.
    pub fn check_broadcast(&self, len: usize, root: c_int, root_too: bool) {
        let size = self.team.shape.size();
        if root < 0 || root as u32 >= size {
            self.world.misuse(self.site, format_args!("PE_root is {root}; the members go from 0 to {}", size - 1));
        }
        let me_root = self.team.me == root;
        // The root's destination and the others' source are not looked at.
        self.check(if me_root && !root_too { 0 } else { len }, if me_root { len } else { 0 });
    }

    pub fn broadcast(&self, len: usize, root: c_int, root_too: bool) {
        self.check_broadcast(len, root, root_too);
        if len == 0 {
            return;
        }
        let (dest, source) = (Span::dest(len), Span::source(len));
        let groups = self.by_nodes(Collective::Broadcast, kernel::of::<u64, kernel::And>(), 8);
        if let Some((here, leaders)) = groups {
            self.drive(hierarchy::broadcast(&here, leaders.as_ref(), self.root(root), dest, source));
            return self.own_copy(len, root, root_too);
        }
        let (call, how) = (self.mover(), self.how(Collective::Broadcast, len));
        run!(self, call, |x, run| run::broadcast(x, how, self.radix(), root as Rank, dest, source));
        self.own_copy(len, root, root_too);
    }

    /// The root's own destination, which the algorithms leave alone.
    fn own_copy(&self, len: usize, root: c_int, root_too: bool) {
        if self.team.me == root && root_too && self.dest.cast_const() != self.source {
            // SAFETY: both were checked, for `len` bytes.
            unsafe { core::ptr::copy(self.source, self.dest, len) }
        }
    }

    pub fn fcollect(&self, len: usize) {
        let size = self.team.shape.size() as usize;
        self.check(len.saturating_mul(size), len);
        if len > 0 {
            let (call, how) = (self.mover(), self.how(Collective::Fcollect, len));
            run!(self, call, |x, run| run::fcollect(x, how, Span::dest(len * size), Span::source(len)));
        }
    }

    pub fn collect(&self, len: usize) {
        // Of the destination no more is known before the lengths are exchanged than that it holds our own part.
        self.check(len, len);
        let (call, how) = (self.mover(), self.how(Collective::Collect, 0));
        run!(self, call, |x, run| run::collect(x, how, Span::source(len)));
    }

    /// Refuse blocks that peers could not reach.
    pub fn check_blocks(&self, blocks: &Blocks) {
        let members = self.team.shape.size() as usize;
        let extent = |stride: usize| match blocks.count.saturating_mul(members).checked_sub(1) {
            Some(before) if blocks.item > 0 => stride.saturating_mul(before).saturating_add(blocks.item),
            _ => 0,
        };
        self.check(extent(blocks.dest_stride), extent(blocks.source_stride));
    }

    pub fn alltoall(&self, blocks: Blocks) {
        self.check_blocks(&blocks);
        if blocks.bytes() > 0 {
            let (call, how) = (self.mover(), self.how(Collective::Alltoall, blocks.bytes()));
            run!(self, call, |x, run| run::alltoall(x, how, blocks));
        }
    }

    #[inline(always)]
    pub fn reduce(&self, kernel: Kernel, grain: usize, count: usize) {
        let len = count.saturating_mul(grain);
        self.check(len, len);
        if len > 0 {
            let (dest, source) = (Span::dest(len), Span::source(len));
            if let Some((here, leaders)) = self.by_nodes(Collective::Reduce, kernel, grain) {
                return self.drive(hierarchy::reduce(&here, leaders.as_ref(), dest, source));
            }
            let (call, how) = (self.call(kernel, grain), self.how(Collective::Reduce, len));
            // The short ones on their own, so that their futures are no larger than they need.
            match how {
                Algorithm::Doubling if self.far().is_none() => self.drive(reduce::doubling(&call, dest, source)),
                Algorithm::Board => self.drive(reduce::board(&call, dest, source)),
                _ => run!(self, call, |x, run| run::reduce(x, how, self.radix(), dest, source)),
            }
        }
    }

    pub fn scan(&self, kernel: Kernel, grain: usize, count: usize, kind: Kind) {
        let len = count.saturating_mul(grain);
        self.check(len, len);
        if len > 0 {
            let (call, how) = (self.call(kernel, grain), self.how(Collective::Scan, len));
            run!(self, call, |x, run| run::scan(x, how, kind, Span::dest(len), Span::source(len)));
        }
    }

    pub fn sync(&self) {
        if let Some((here, leaders)) = self.by_nodes(Collective::Barrier, kernel::of::<u64, kernel::And>(), 8) {
            return self.drive(hierarchy::barrier(&here, leaders.as_ref()));
        }
        let (call, how) = (self.mover(), self.how(Collective::Barrier, 0));
        run!(self, call, |x, run| run::barrier(x, how, self.radix()));
    }
}

/// The last choice of a team for each collective: programs repeat themselves, and the table takes longer to read than a
/// short collective takes.
///
/// One word holds the question (the bytes, and whether it is in place) and the answer (a row of the table), so that
/// threads see both or neither.
#[derive(Default)]
pub(crate) struct LastChoices([AtomicU64; Collective::COUNT]);

/// Bits of the answer.
const ROW_BITS: u32 = 8;

/// The algorithm for a collective of this team with `bytes` from each member.
#[inline(always)]
fn choice(live: &Live, team: &TeamState, collective: Collective, bytes: usize, in_place: bool) -> Algorithm {
    let last = &team.choices.0[collective as usize];
    let question = (bytes as u64) << 1 | u64::from(in_place);
    let known = last.load(Relaxed);
    // The first question that is stored has a row above 0 beside it: a word of 0 answers none.
    if known >> ROW_BITS == question && known & ((1 << ROW_BITS) - 1) != 0 {
        return select::TABLE[(known & ((1 << ROW_BITS) - 1)) as usize - 1].algorithm;
    }
    read_table(live, team, collective, bytes, in_place, last, question)
}

#[cold]
#[inline(never)]
fn read_table(
    live: &Live,
    team: &TeamState,
    collective: Collective,
    bytes: usize,
    in_place: bool,
    last: &AtomicU64,
    question: u64,
) -> Algorithm {
    let facts = Facts {
        size: team.shape.size(),
        bytes,
        scratch: super::area::SCRATCH,
        near: team.member.is_near(),
        crowded: !live.patience.is_dedicated(),
        in_place,
        commutes: true,
        tuning: live.tuning.tuning,
    };
    let row = select::choose(collective, &facts, live.tuning.wish(collective));
    let index = select::TABLE.iter().position(|one| core::ptr::eq(one, row));
    if let Some(index) = index
        && question >> (u64::BITS - ROW_BITS) == 0
    {
        last.store(question << ROW_BITS | (index as u64 + 1), Relaxed);
    }
    row.algorithm
}

const _: () = assert!(WINDOW >= 3, "open collectives may follow each other");

impl World {
    /// The arguments of a team's collective, or `None` for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    #[inline(always)]
    pub(super) unsafe fn work<T>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
    ) -> Option<Work<'_>> {
        let live = self.require_live(site);
        let team = self.team(site, live, team)?;
        Some(Work { world: self, live, site, team, dest: dest.cast(), source: source.cast() })
    }

    /// Wait until all members have come here. 0, or another number for the invalid team.
    ///
    /// # Safety
    /// `team` is a team.
    pub unsafe fn team_sync(&self, site: &'static Site, team: Team) -> c_int {
        // SAFETY: passed on.
        match unsafe { self.work::<u8>(site, team, core::ptr::null_mut(), core::ptr::null()) } {
            Some(work) => work.sync(),
            None => return -1,
        }
        0
    }

    /// The root's `nelems` elements to all members' `dest`, the root's own included.
    ///
    /// # Safety
    /// `team` is a team, and the arguments are symmetric objects of that many elements.
    pub unsafe fn broadcast<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        root: c_int,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.broadcast(nelems.saturating_mul(size_of::<T>()), root, true);
        0
    }

    /// All members' sources side by side, in the order of their numbers. Lengths may differ.
    ///
    /// # Safety
    /// `team` is a team, `source` has `nelems` elements, and `dest` has room for all of them.
    pub unsafe fn collect<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.collect(nelems.saturating_mul(size_of::<T>()));
        0
    }

    /// As [`World::collect`], all lengths being the same.
    ///
    /// # Safety
    /// As for `collect`.
    pub unsafe fn fcollect<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.fcollect(nelems.saturating_mul(size_of::<T>()));
        0
    }

    /// Block l of every source to member l, side by side in the order of the senders.
    ///
    /// # Safety
    /// `team` is a team, and both arguments have `nelems` elements for each member.
    pub unsafe fn alltoall<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.alltoall(Blocks::contiguous(nelems.saturating_mul(size_of::<T>())));
        0
    }

    /// As [`World::alltoall`], with elements `dst` and `sst` apart.
    ///
    /// # Safety
    /// `team` is a team, and both arguments have `nelems` elements for each member, as far apart.
    pub unsafe fn alltoalls<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        dst: isize,
        sst: isize,
        nelems: usize,
    ) -> c_int {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.alltoall(self.strided::<T>(site, dst, sst, nelems));
        0
    }

    /// The blocks of a strided all-to-all.
    pub(super) fn strided<T: Elem>(&self, site: &'static Site, dst: isize, sst: isize, nelems: usize) -> Blocks {
        if nelems > 0 && dst.min(sst) < 1 {
            self.misuse(site, format_args!("dst is {dst} and sst is {sst}; strides must be at least 1"));
        }
        let bytes = |stride: isize| (stride as usize).saturating_mul(size_of::<T>());
        Blocks { item: size_of::<T>(), count: nelems, dest_stride: bytes(dst), source_stride: bytes(sst) }
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $reduce:ident, $to_all:ident = $op:ident;)*) => {
        impl World { $(
            $(#[$doc])*
            ///
            /// # Safety
            /// `team` is a team, and the arguments are symmetric objects of `nreduce` elements.
            pub unsafe fn $reduce<T: Elem>(&self, site: &'static Site, team: Team, dest: *mut T, source: *const T, nreduce: usize) -> c_int
            where
                kernel::$op: Reduces<T>,
            {
                // SAFETY: passed on.
                let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
                work.reduce(kernel::of::<T, kernel::$op>(), size_of::<T>(), nreduce);
                0
            }

            /// The same over an active set.
            ///
            /// # Safety
            /// The arguments are symmetric objects of `nreduce` elements.
            pub unsafe fn $to_all<T: Elem>(
                &self, site: &'static Site, dest: *mut T, source: *const T, nreduce: c_int, pe_start: c_int, log_pe_stride: c_int, pe_size: c_int, pwrk: *mut T, psync: *mut core::ffi::c_long,
            ) where kernel::$op: Reduces<T> {
                let work = self.set_work(site, dest, source, (pe_start, log_pe_stride, pe_size), psync);
                work.reduce(kernel::of::<T, kernel::$op>(), size_of::<T>(), self.set_count(site, nreduce, pwrk));
            }
        )* }
    };
}

reductions! {
    /// Bitwise and of all members' elements.
    and_reduce, and_to_all = And;
    /// Bitwise or.
    or_reduce, or_to_all = Or;
    /// Bitwise exclusive or.
    xor_reduce, xor_to_all = Xor;
    /// The largest.
    max_reduce, max_to_all = Max;
    /// The smallest.
    min_reduce, min_to_all = Min;
    /// The sum.
    sum_reduce, sum_to_all = Sum;
    /// The product.
    prod_reduce, prod_to_all = Prod;
}

impl World {
    /// The sums of the elements of all members up to and including this one.
    ///
    /// # Safety
    /// `team` is a team, and the arguments are symmetric objects of `nelems` elements.
    pub unsafe fn sum_inscan<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int
    where
        kernel::Sum: Reduces<T>,
    {
        // SAFETY: passed on.
        unsafe { self.sum_scan(site, team, dest, source, nelems, Kind::Inclusive) }
    }

    /// The sums of the elements of all members before this one; zeros on the first.
    ///
    /// # Safety
    /// As for `sum_inscan`.
    pub unsafe fn sum_exscan<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
    ) -> c_int
    where
        kernel::Sum: Reduces<T>,
    {
        // SAFETY: passed on.
        unsafe { self.sum_scan(site, team, dest, source, nelems, Kind::Exclusive) }
    }

    unsafe fn sum_scan<T: Elem>(
        &self,
        site: &'static Site,
        team: Team,
        dest: *mut T,
        source: *const T,
        nelems: usize,
        kind: Kind,
    ) -> c_int
    where
        kernel::Sum: Reduces<T>,
    {
        // SAFETY: passed on.
        let Some(work) = (unsafe { self.work(site, team, dest, source) }) else { return -1 };
        work.scan(kernel::of::<T, kernel::Sum>(), size_of::<T>(), nelems, kind);
        0
    }
}
