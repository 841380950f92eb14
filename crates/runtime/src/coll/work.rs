//! One call of a collective, in bytes. A [`Work`] refuses buffers that peers cannot reach, chooses an algorithm from the table, and drives
//! it. In a team that spans nodes it runs within each node first.

use super::{Call, Calls, Wide, drive, engine::Caller};
use crate::{
    Ctx, Language, Site, World,
    far::Far,
    live::Live,
    misuse::as_written,
    observe::{Answer, Call as Shown, Kind as Routine, Layout, Observed},
    teams::{Groups, TeamState},
};
use core::{
    ffi::c_int,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
};
use ferrite_collectives::{
    Rank, Span,
    alltoall::Blocks,
    hierarchy::{self, Root},
    pattern::knomial,
    reduce, scan,
    select::{self, Algorithm, Alltoall, Barrier, Broadcast, Collect, Facts, Fcollect, Reduce, Scan, Tuning},
};
use ferrite_diagnose::entry::{Entry, EntryKind};
use ferrite_kernels::{self as kernel, Kernel};

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
pub(crate) struct Work<'c> {
    pub world: &'c World,
    pub live: &'c Live,
    pub site: &'static Site,
    pub team: &'c TeamState,
    pub dest: *mut u8,
    pub source: *const u8,
}

impl<'c> Work<'c> {
    /// Refuse buffers that peers could not reach: `dest_len` and `source_len` bytes at our destination and source. Returns whether one of
    /// them is in the device heap.
    #[inline(always)]
    pub fn check(&self, dest_len: usize, source_len: usize) -> bool {
        let me = self.live.me as c_int;
        let mut on_device = false;
        for (what, address, len) in
            [("dest", self.dest as usize, dest_len), ("source", self.source as usize, source_len)]
        {
            if self.world.mapped.range(address, len, me).is_none() && self.is_on_device(what, address, len) {
                on_device = true;
                continue;
            }
            if !self.live.coll.uniform.load(Relaxed) {
                self.check_alike(what, address, len);
            }
        }
        on_device
    }

    /// Whether a buffer that is not in host memory is in the device heap. Misuse does not return.
    #[cold]
    fn is_on_device(&self, what: &str, address: usize, len: usize) -> bool {
        if len > 0 && self.world.is_on_device(self.site, what, address, len) {
            return true;
        }
        self.world.find_peer_address(self.site, what, address, len, Ctx::DEFAULT, self.live.me as c_int);
        false
    }

    /// Check buffers of a collective that takes host memory only.
    pub fn check_host(&self, dest_len: usize, source_len: usize) {
        self.must_be_on_host(self.check(dest_len, source_len));
    }

    /// Refuse a buffer in the device heap.
    pub fn must_be_on_host(&self, on_device: bool) {
        if on_device {
            self.world.misuse(
                self.site,
                format_args!(
                    "dest or source is in the symmetric heap of the device, but this collective takes host memory only"
                ),
            );
        }
    }

    /// Check a buffer at each member. Static data are at the same address only in the same executable. The heaps of all PEs are alike, and
    /// need no such check.
    #[cold]
    fn check_alike(&self, what: &str, address: usize, len: usize) {
        let memory = &self.live.memory;
        if address.wrapping_sub(memory.heap_base()) < memory.heap_extent() {
            return;
        }
        for i in 0..self.team.shape.size() as c_int {
            let pe = self.team.shape.world_pe(i);
            if self.world.mapped.range(address, len, pe).is_none() {
                self.world.find_peer_address(self.site, what, address, len, Ctx::DEFAULT, pe);
            }
        }
    }

    /// Report a collective with `count` elements of `grain` bytes from each member to observers.
    #[inline(always)]
    pub fn observe(&self, kind: Routine, grain: usize, count: usize) -> Observed<'c> {
        self.observe_as(kind, grain, count, -1, Answer::Now)
    }

    /// The same for a collective with a root, or with an answer that comes later.
    #[inline(always)]
    pub fn observe_as(&self, kind: Routine, grain: usize, count: usize, root: c_int, answer: Answer) -> Observed<'c> {
        self.world.observe(|_| Shown {
            local: self.dest as usize,
            remote: self.source as usize,
            layout: Layout { block: grain, count, here: grain as isize, there: grain as isize },
            root,
            answer,
            ..Shown::among(self.site, kind, self.team)
        })
    }

    /// Publish the call before any of its work is done. A call with nothing to do is published too, since the calls must be the same on all
    /// members.
    #[inline(always)]
    pub fn enter(&self, call: Entry) {
        self.live.enter(self.site, self.team, call);
    }

    pub fn call(&self, kernel: Kernel, grain: usize) -> Call<'c> {
        let caller = Some(Caller { shape: &self.team.shape, world: self.world, site: self.site });
        Call { team: &self.team.member, source: self.source.cast_mut(), dest: self.dest, caller, kernel, grain }
    }

    /// The transport to the members that are not mapped, if there are any.
    #[inline(always)]
    pub fn far(&self) -> Option<&'c Far> {
        self.team.far(self.live)
    }

    /// The same call, for a team with members that are not mapped.
    pub fn wide<const LATER: bool>(&self, call: Call<'c, LATER>, far: &'c Far) -> Wide<'c, LATER> {
        Wide::new(call, self.live, far, &self.team.shape)
    }

    /// The calls by node. `None` if the team has no groups, or if the user asked for one of the algorithms that do not use nodes.
    #[inline]
    pub fn by_nodes<A: Algorithm>(&self, kernel: Kernel, grain: usize) -> Option<Calls<'c>> {
        self.team.groups.as_ref()?;
        if self.live.coll.choices.wish::<A>().is_some() {
            return None;
        }
        Calls::new(self.live, self.team, |group| {
            let caller = Some(Caller { shape: &group.shape, world: self.world, site: self.site });
            Call { team: &group.member, source: self.source.cast_mut(), dest: self.dest, caller, kernel, grain }
        })
    }

    /// The same for a collective that combines nothing.
    #[inline]
    pub fn move_by_nodes<A: Algorithm>(&self) -> Option<Calls<'c>> {
        self.by_nodes::<A>(kernel::of::<u64, kernel::And>(), 8)
    }

    /// The same for a collective that needs consecutive ranks on every node. Also gives the first rank of each node.
    #[inline]
    pub fn concatenate_by_nodes<A: Algorithm>(&self) -> Option<(Calls<'c>, &'c [Rank])> {
        let first_ranks = self.team.groups.as_ref().and_then(Groups::first_ranks)?;
        Some((self.move_by_nodes::<A>()?, first_ranks))
    }

    /// Where the root of a broadcast is.
    pub fn root(&self, root: c_int) -> Root {
        let (groups, map) = self.team.groups.as_ref().zip(self.live.map()).expect("asked where there are groups");
        groups.root(map, self.team.shape.world_pe(root))
    }

    /// A call that combines nothing.
    pub fn mover(&self) -> Call<'c> {
        self.call(kernel::of::<u64, kernel::And>(), 8)
    }

    /// The algorithm for a collective with `bytes` from each member.
    #[inline]
    pub fn how<A: Algorithm>(&self, bytes: usize) -> A {
        choice(self.live, self.team, bytes, self.dest.cast_const() == self.source)
    }

    #[inline(always)]
    pub fn drive<T>(&self, algorithm: impl Future<Output = T>) -> T {
        drive(self.live, self.team, algorithm)
    }

    /// Radix of trees. If each level costs turns of the scheduler, the widest, unless the user chose another radix than the default.
    pub fn radix(&self) -> Rank {
        let radix = self.live.coll.choices.tuning.radix;
        let deep = radix == Tuning::DEFAULT.radix && self.live.coll.crowded.load(Relaxed);
        if deep { knomial::RADIX_MAX } else { radix }
    }

    /// Refuse an invalid root, and buffers that peers could not reach.
    pub fn check_broadcast(&self, len: usize, root: c_int, root_too: bool) -> bool {
        self.enter(Entry { root: root as u32, ..Entry::sized(EntryKind::Broadcast, len) });
        let size = self.team.shape.size();
        if root < 0 || root as u32 >= size {
            let what = if self.site.language == Language::Rust { "root" } else { "PE_root" };
            let root = as_written(self.site, root);
            self.world.misuse(self.site, format_args!("{what} is {root}; the members go from 0 to {}", size - 1));
        }
        let me_root = self.team.me == root;
        // The root's destination (unless `root_too`) and the other members' source are not accessed.
        self.check(if me_root && !root_too { 0 } else { len }, if me_root { len } else { 0 })
    }

    pub fn broadcast(&self, len: usize, root: c_int, root_too: bool) {
        let _observed = self.observe_as(Routine::Broadcast, len, 1, root, Answer::Now);
        let on_device = self.check_broadcast(len, root, root_too);
        if len == 0 {
            return;
        }
        if self.agree_on_device(on_device) {
            return self.broadcast_on_device(len, root, root_too);
        }
        let (dest, source) = (Span::dest(len), Span::source(len));
        if let Some(calls) = self.move_by_nodes::<Broadcast>() {
            let (here, leaders) = calls.now(self.live);
            self.drive(hierarchy::broadcast(&here, leaders.as_ref(), self.root(root), dest, source));
            return self.own_copy(len, root, root_too);
        }
        let (call, how) = (self.mover(), self.how::<Broadcast>(len));
        run!(self, call, |x, run| run::broadcast(x, how, self.radix(), root as Rank, dest, source));
        self.own_copy(len, root, root_too);
    }

    /// Copy to the root's own destination, which the algorithms leave alone.
    fn own_copy(&self, len: usize, root: c_int, root_too: bool) {
        if self.team.me == root && root_too && self.dest.cast_const() != self.source {
            // SAFETY: both were checked, for `len` bytes.
            unsafe { ferrite_copy::copy(self.dest, self.source, len) }
        }
    }

    pub fn fcollect(&self, len: usize) {
        let _observed = self.observe(Routine::Fcollect, len, 1);
        self.enter(Entry::sized(EntryKind::Fcollect, len));
        let size = self.team.shape.size() as usize;
        let on_device = self.check(len.saturating_mul(size), len);
        if len == 0 {
            return;
        }
        if on_device {
            return self.fcollect_on_device(len);
        }
        let (dest, source) = (Span::dest(len * size), Span::source(len));
        if let Some((calls, first_ranks)) = self.concatenate_by_nodes::<Fcollect>() {
            let (here, leaders) = calls.now(self.live);
            let (first, me) = (|leader: Rank| first_ranks[leader as usize], self.team.me as Rank);
            return self.drive(hierarchy::fcollect(&here, leaders.as_ref(), first, me, dest, source));
        }
        let (call, how) = (self.mover(), self.how::<Fcollect>(len));
        run!(self, call, |x, run| run::fcollect(x, how, dest, source));
    }

    /// Concatenate all members' bytes, and return their number. If they are more than `room`, which is the same on all members, none is
    /// moved.
    pub fn collect(&self, len: usize, room: u64) -> u64 {
        let _observed = self.observe(Routine::Collect, len, 1);
        self.enter(Entry::bare(EntryKind::Collect));
        // Before the lengths are exchanged, only our own part of the destination can be checked.
        let on_device = self.check(len, len);
        if self.agree_on_device(on_device) {
            return self.collect_on_device(len, room);
        }
        if let Some((calls, _)) = self.concatenate_by_nodes::<Collect>() {
            let (here, leaders) = calls.now(self.live);
            return self.drive(hierarchy::collect(&here, leaders.as_ref(), Span::source(len), room));
        }
        let (call, how) = (self.mover(), self.how::<Collect>(0));
        run!(self, call, |x, run| run::collect(x, how, Span::source(len), room))
    }

    /// Refuse blocks that peers could not reach.
    pub fn check_blocks(&self, blocks: &Blocks) -> bool {
        self.enter(Entry::sized(EntryKind::Alltoall, blocks.bytes()));
        let members = self.team.shape.size() as usize;
        let extent = |stride: usize| match blocks.count.saturating_mul(members).checked_sub(1) {
            Some(before) if blocks.item > 0 => stride.saturating_mul(before).saturating_add(blocks.item),
            _ => 0,
        };
        self.check(extent(blocks.dest_stride), extent(blocks.source_stride))
    }

    pub fn alltoall(&self, blocks: Blocks) {
        let members = self.team.shape.size() as usize;
        let _observed = self.observe(Routine::Alltoall, blocks.item, blocks.count.saturating_mul(members));
        let on_device = self.check_blocks(&blocks);
        if on_device {
            return self.alltoall_on_device(blocks);
        }
        if blocks.bytes() > 0 {
            let (call, how) = (self.mover(), self.how::<Alltoall>(blocks.bytes()));
            run!(self, call, |x, run| run::alltoall(x, how, blocks));
        }
    }

    /// [`Work::reduce`] as a function of its own, for the older names of reductions: inlined, their seventy-odd copies would take 5 KB each,
    /// of which only the kernel differs. Here it is called by its address.
    #[inline(never)]
    pub fn reduce_apart(&self, kernel: Kernel, grain: usize, count: usize) {
        self.reduce(kernel, grain, count);
    }

    #[inline(always)]
    pub fn reduce(&self, kernel: Kernel, grain: usize, count: usize) {
        let _observed = self.observe(Routine::Reduce, grain, count);
        let len = count.saturating_mul(grain);
        self.enter(Entry::sized(EntryKind::Reduce, len));
        if self.check(len, len) {
            return self.reduce_on_device(kernel, grain, count);
        }
        if len > 0 {
            let (dest, source) = (Span::dest(len), Span::source(len));
            if let Some(calls) = self.by_nodes::<Reduce>(kernel, grain) {
                let (here, leaders) = calls.now(self.live);
                return if len <= hierarchy::LONG {
                    self.drive(hierarchy::reduce(&here, leaders.as_ref(), dest, source))
                } else {
                    self.drive(hierarchy::reduce_direct(&here, leaders.as_ref(), dest, source))
                };
            }
            let (call, how) = (self.call(kernel, grain), self.how::<Reduce>(len));
            // The short algorithms are called directly, so that their futures are no larger than they need.
            match how {
                Reduce::Doubling if self.far().is_none() => self.drive(reduce::doubling(&call, dest, source)),
                Reduce::Board => self.drive(reduce::board(&call, dest, source)),
                how => run!(self, call, |x, run| run::reduce(x, how, self.radix(), dest, source)),
            }
        }
    }

    pub fn scan(&self, kernel: Kernel, grain: usize, count: usize, kind: scan::Kind) {
        let _observed = self.observe(Routine::Scan, grain, count);
        let len = count.saturating_mul(grain);
        self.enter(Entry::sized(EntryKind::Scan, len));
        if self.check(len, len) {
            return self.scan_on_device(kernel, len, kind);
        }
        if len > 0 {
            let (call, how) = (self.call(kernel, grain), self.how::<Scan>(len));
            run!(self, call, |x, run| run::scan(x, how, kind, Span::dest(len), Span::source(len)));
        }
    }

    /// Complete the operations issued on the default context, then wait until all members have called this.
    pub fn barrier(&self) {
        let _observed = self.observe(Routine::Barrier, 0, 0);
        self.world.quiet(self.site, Ctx::DEFAULT);
        self.sync();
    }

    pub fn sync(&self) {
        let _observed = self.observe(Routine::Sync, 0, 0);
        self.enter(Entry::bare(EntryKind::Barrier));
        self.meet();
    }

    /// The meeting itself, once the members have published their call.
    pub fn meet(&self) {
        if let Some(calls) = self.move_by_nodes::<Barrier>() {
            let (here, leaders) = calls.now(self.live);
            return self.drive(hierarchy::barrier(&here, leaders.as_ref()));
        }
        let (call, how) = (self.mover(), self.how::<Barrier>(0));
        run!(self, call, |x, run| run::barrier(x, how, self.radix()));
    }
}

/// Bits of the answer.
const ROW_BITS: u32 = 8;

/// The algorithm for a collective of this team with `bytes` from each member.
#[inline(always)]
fn choice<A: Algorithm>(live: &Live, team: &TeamState, bytes: usize, in_place: bool) -> A {
    let last = &team.choices.0[A::COLLECTIVE as usize];
    let question = (bytes as u64) << 1 | u64::from(in_place);
    let known = last.load(Relaxed);
    // A stored answer has a row number above 0, so a word of 0 answers no question.
    if known >> ROW_BITS == question && known & ((1 << ROW_BITS) - 1) != 0 {
        return A::rows()[(known & ((1 << ROW_BITS) - 1)) as usize - 1].algorithm;
    }
    read_table(live, team, bytes, in_place, last, question)
}

#[cold]
#[inline(never)]
fn read_table<A: Algorithm>(
    live: &Live,
    team: &TeamState,
    bytes: usize,
    in_place: bool,
    last: &AtomicU64,
    question: u64,
) -> A {
    let facts = Facts {
        size: team.shape.size(),
        bytes,
        scratch: crate::area::SCRATCH,
        near: team.member.is_near(),
        crowded: live.coll.crowded.load(Relaxed),
        in_place,
        commutes: true,
        tuning: live.coll.choices.tuning,
    };
    let row = select::choose::<A>(&facts, live.coll.choices.wish());
    let index = A::rows().iter().position(|one| core::ptr::eq(one, row));
    if let Some(index) = index
        && question >> (u64::BITS - ROW_BITS) == 0
    {
        last.store(question << ROW_BITS | (index as u64 + 1), Relaxed);
    }
    row.algorithm
}
