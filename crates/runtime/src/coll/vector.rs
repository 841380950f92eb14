//! All-to-all of blocks that differ in length: Cray's `shmemx_alltoallv`, in which a receiver chooses where the blocks go and learns their
//! lengths, and `shmemx_alltoallv_packed`, which puts them side by side.
//!
//! Receivers fetch. Only a sender knows a block's place and length, only the receiver its destination; so each member writes a table of
//! (offset, length) for its peers into its own scratch and raises a flag beside it. A receiver that sees the flag reads its entry, then
//! copies the block straight from the sender's source to its place: one copy, no rendezvous. Then the receiver counts itself at the sender.
//! A member may leave when all other members have counted. Each member sends one flag and n - 1 counts.
//!
//! This holds if members read each other's memory. If some are not mapped, lengths, places and blocks travel as messages (`alltoallv.rs` of
//! the collectives).
//!
//! A table holds as many entries as fit in scratch. Larger teams take one epoch per table: members outside the table fetch nothing, but
//! look and count all the same, so that each epoch is closed.

use super::work::Work;
use crate::{
    Site, Team, World, area,
    observe::{Call, Kind, Layout},
};
use core::{
    ffi::{c_int, c_long, c_void},
    mem::size_of,
};
use ferrite_collectives::{
    Area, Direct, Flag, Rank, Span,
    alltoallv::{self, Block, NoRoom},
};
use ferrite_diagnose::entry::{Entry, EntryKind};

/// Bytes of a table's entry: offset and length.
const ENTRY: usize = 2 * size_of::<u64>();
/// Entries of a table: as many as fit in scratch, less the one that we read.
const TABLEFUL: Rank = (area::SCRATCH / ENTRY - 1) as Rank;
/// Words of a table of messages: as many as fit in scratch, less the one that we send from.
const WORDS: Rank = (area::SCRATCH / size_of::<u64>() - 1) as Rank;
/// The flag that marks a table as ready.
const READY: Flag = Flag::line(0);

/// The blocks that one member sends, as its arrays describe them.
struct Sent<'a> {
    offsets: &'a [usize],
    lens: &'a [usize],
}

impl Sent<'_> {
    fn block(&self, peer: Rank) -> Block {
        match self.lens[peer as usize] {
            // Programs leave the offsets of empty blocks unset.
            0 => Block { offset: 0, len: 0 },
            len => Block { offset: self.offsets[peer as usize], len },
        }
    }

    /// The end of the last block.
    fn extent(&self) -> usize {
        let blocks = (0..self.lens.len()).map(|peer| self.block(peer as Rank));
        blocks.map(|block| block.offset.saturating_add(block.len)).max().unwrap_or(0)
    }
}

/// Fetch every block for this member, in the order of the senders' ranks, to the offset that `place` returns. `place` returns `None` if
/// there is no room: the block is left out, and reported at the end, so that no peer is kept waiting.
async fn exchange<X: Direct>(
    x: &X,
    sent: &Sent<'_>,
    tableful: Rank,
    mut place: impl FnMut(Rank, usize) -> Option<usize>,
) -> Result<(), NoRoom> {
    let (me, size) = (x.me(), x.size());
    // Entries of other members are read into the space beyond the table.
    let heard = Span::scratch(tableful as usize * ENTRY, ENTRY);
    let mut result = Ok(());
    for first in (0..size).step_by(tableful as usize) {
        let served = first..size.min(first.saturating_add(tableful));
        x.epochs().enter_closing();
        let entry = |peer: Rank| Span::scratch((peer - first) as usize * ENTRY, ENTRY);
        for peer in served.clone() {
            put_words(x, entry(peer), sent.block(peer));
        }
        x.raise(me, READY);
        for peer in 0..size {
            if peer != me {
                x.landed_at(peer, READY).await;
            }
            if served.contains(&me) {
                x.pull(peer, heard, entry(me)).await;
                let Block { offset, len } = words(x, heard);
                match place(peer, len) {
                    Some(to) => {
                        let into = Span { area: Area::Dest, offset: to, len };
                        x.pull(peer, into, Span { area: Area::Source, offset, len }).await;
                    }
                    None if result.is_ok() => result = Err(NoRoom { from: peer, len }),
                    None => {}
                }
            }
            if peer != me {
                x.count(peer);
            }
        }
        x.tallied(u64::from(size) - 1).await;
        x.epochs().close();
    }
    result
}

fn put_words<X: Direct>(x: &X, at: Span, block: Block) {
    x.store(at.part(0, 8), block.offset as u64);
    x.store(at.part(8, 8), block.len as u64);
}

fn words<X: Direct>(x: &X, at: Span) -> Block {
    Block { offset: x.load(at.part(0, 8)) as usize, len: x.load(at.part(8, 8)) as usize }
}

impl Work<'_> {
    /// The arrays that describe the blocks to send. Arrays that are not valid end the job.
    ///
    /// # Safety
    /// Both have an element for each member.
    unsafe fn sent<'a>(&self, offsets: *const usize, lens: *const usize) -> Sent<'a> {
        // SAFETY: passed on.
        let sent =
            unsafe { Sent { offsets: self.per_member("s_offsets", offsets), lens: self.per_member("s_sizes", lens) } };
        self.check_host(0, sent.extent());
        sent
    }

    unsafe fn per_member<'a>(&self, what: &str, array: *const usize) -> &'a [usize] {
        if array.is_null() {
            self.world.misuse(self.site, format_args!("{what} is NULL; pass an array with an element for each PE"));
        }
        // SAFETY: the caller's promise.
        unsafe { core::slice::from_raw_parts(array, self.team.shape.size() as usize) }
    }

    /// Exchange blocks. Incoming blocks go to `offsets` of the destination, and their lengths to `lens`.
    ///
    /// # Safety
    /// All arrays have an element for each member, and the destination has room for what comes.
    unsafe fn alltoallv(
        &self,
        offsets: *const usize,
        lens: *mut usize,
        s_offsets: *const usize,
        s_sizes: *const usize,
    ) {
        // SAFETY: passed on.
        let (sent, offsets) = unsafe {
            self.per_member("t_sizes", lens);
            (self.sent(s_offsets, s_sizes), self.per_member("t_offsets", offsets))
        };
        let place = |from: Rank, len: usize| {
            let to = offsets[from as usize];
            // SAFETY: an array with an element for each member, which no other code writes.
            unsafe { lens.add(from as usize).write(len) };
            self.holds(to, len).then_some(to)
        };
        if let Err(NoRoom { from, len }) = self.exchange(&sent, place) {
            let to = offsets[from as usize];
            // Reports the error in the destination, and ends the job.
            self.check_host(to.saturating_add(len), 0);
        }
    }

    /// Exchange blocks. Incoming blocks lie side by side, at most `room` bytes, and their number of bytes goes to `total`.
    ///
    /// # Safety
    /// The arrays have an element for each member, the destination has `room` bytes, and `total` may be written.
    unsafe fn alltoallv_packed(
        &self,
        room: usize,
        total: *mut usize,
        s_offsets: *const usize,
        s_sizes: *const usize,
        mut heard: impl FnMut(usize, usize),
    ) {
        if total.is_null() {
            self.world.misuse(self.site, format_args!("t_size is NULL; pass the address of a size_t"));
        }
        // SAFETY: passed on.
        let sent = unsafe { self.sent(s_offsets, s_sizes) };
        self.check_host(room, 0);
        let mut at = 0_usize;
        let place = |from: Rank, len: usize| {
            heard(from as usize, len);
            let to = at;
            at = at.saturating_add(len);
            (at <= room).then_some(to)
        };
        if self.exchange(&sent, place).is_err() {
            self.world
                .misuse(self.site, format_args!("target_len is {room} bytes, but {at} bytes were sent to this PE"));
        }
        // SAFETY: the caller's promise.
        unsafe { total.write(at) };
    }

    /// Exchange blocks. Each incoming one goes to the offset that `place` returns.
    fn exchange(&self, sent: &Sent<'_>, place: impl FnMut(Rank, usize) -> Option<usize>) -> Result<(), NoRoom> {
        let _observed = self.world.observe(|_| Call {
            local: self.dest as usize,
            remote: self.source as usize,
            layout: Layout::contiguous(sent.lens.iter().sum()),
            source_len: Some(sent.extent()),
            ..Call::among(self.site, Kind::Alltoall, self.team)
        });
        self.enter(Entry::bare(EntryKind::Alltoallv));
        match self.far() {
            None => self.drive(exchange(&self.mover(), sent, TABLEFUL, place)),
            Some(far) => {
                let call = self.wide(self.mover(), far);
                self.drive(alltoallv::exchange(&call, WORDS, |peer| sent.block(peer), place))
            }
        }
    }

    /// Whether the destination is symmetric from `offset` on for `len` bytes.
    fn holds(&self, offset: usize, len: usize) -> bool {
        let address = (self.dest as usize).wrapping_add(offset);
        len == 0 || self.world.mapped.range(address, len, self.live.me as c_int).is_some()
    }
}

impl World {
    /// Send block l of each source to member l, which chooses its place by the sender's number.
    ///
    /// # Safety
    /// All arrays have `pe_size` elements; source and target are symmetric and as large as the arrays say.
    pub unsafe fn x_alltoallv(
        &self,
        site: &'static Site,
        target: *mut c_void,
        t_offsets: *mut usize,
        t_sizes: *mut usize,
        source: *const c_void,
        s_offsets: *mut usize,
        s_sizes: *mut usize,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let Some(work) = self.set_work(site, target, source.cast(), (pe_start, log_pe_stride, pe_size), psync) else {
            return;
        };
        // SAFETY: passed on.
        unsafe { work.alltoallv(t_offsets, t_sizes, s_offsets, s_sizes) }
    }

    /// The same, with blocks side by side in the order of their senders.
    ///
    /// # Safety
    /// The arrays have `pe_size` elements; source and target are symmetric, the target of `target_len` bytes.
    pub unsafe fn x_alltoallv_packed(
        &self,
        site: &'static Site,
        target: *mut c_void,
        target_len: usize,
        t_size: *mut usize,
        source: *const c_void,
        s_offsets: *mut usize,
        s_sizes: *mut usize,
        pe_start: c_int,
        log_pe_stride: c_int,
        pe_size: c_int,
        psync: *mut c_long,
    ) {
        let Some(work) = self.set_work(site, target, source.cast(), (pe_start, log_pe_stride, pe_size), psync) else {
            return;
        };
        // SAFETY: passed on.
        unsafe { work.alltoallv_packed(target_len, t_size, s_offsets, s_sizes, |_, _| {}) }
    }

    /// As [`World::x_alltoallv`], over a team. The work array is not used.
    ///
    /// # Safety
    /// As there, with as many elements as the team has members.
    pub unsafe fn x_team_alltoallv(
        &self,
        site: &'static Site,
        target: *mut c_void,
        t_offsets: *mut usize,
        t_sizes: *mut usize,
        source: *const c_void,
        s_offsets: *mut usize,
        s_sizes: *mut usize,
        team: Team,
        _psync: *mut c_long,
    ) {
        // SAFETY: passed on.
        unsafe { self.member_work(site, team, target, source).alltoallv(t_offsets, t_sizes, s_offsets, s_sizes) }
    }

    /// As [`World::x_alltoallv_packed`], over a team. The work array is not used.
    ///
    /// # Safety
    /// As there, with as many elements as the team has members.
    pub unsafe fn x_team_alltoallv_packed(
        &self,
        site: &'static Site,
        target: *mut c_void,
        target_len: usize,
        t_size: *mut usize,
        source: *const c_void,
        s_offsets: *mut usize,
        s_sizes: *mut usize,
        team: Team,
        _psync: *mut c_long,
    ) {
        // SAFETY: passed on.
        unsafe {
            let work = self.member_work(site, team, target, source);
            work.alltoallv_packed(target_len, t_size, s_offsets, s_sizes, |_, _| {})
        }
    }

    /// The same, with the number of bytes from each member in `t_sizes`. Returns the number of bytes from all.
    ///
    /// # Safety
    /// `target` is symmetric, of `target_len` bytes; `source` is symmetric, and as large as the slices say.
    pub unsafe fn alltoallv_packed_lens(
        &self,
        site: &'static Site,
        team: Team,
        target: *mut c_void,
        target_len: usize,
        source: *const c_void,
        s_offsets: &[usize],
        s_sizes: &[usize],
        t_sizes: &mut [usize],
    ) -> usize {
        let mut total = 0;
        // SAFETY: passed on; the slices are checked to have an element for each member.
        unsafe {
            let work = self.member_work(site, team, target, source);
            let members = work.team.shape.size() as usize;
            if [s_offsets.len(), s_sizes.len(), t_sizes.len()] != [members; 3] {
                self.misuse(
                    site,
                    format_args!("offsets, sizes and lens must have an element for each of {members} PEs"),
                );
            }
            work.alltoallv_packed(target_len, &mut total, s_offsets.as_ptr(), s_sizes.as_ptr(), |from, len| {
                t_sizes[from] = len;
            });
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::StartOptions;
    use ferrite_settings::Settings;

    /// Teams larger than a table take more epochs; small tables show this with few members.
    #[test]
    fn large_teams_take_a_table_after_the_other() {
        static SITE: Site = Site::of_c("vector");
        let body = |world: &World, me: usize| {
            // SAFETY: blocks of 5 words, and slices of their elements.
            unsafe {
                let source = world.calloc(&SITE, 5, 8).cast::<u64>();
                let target = world.calloc(&SITE, 5, 8).cast::<u64>();
                let offsets = [0, 8, 16, 24, 32];
                for round in 0..300_usize {
                    (0..5).for_each(|to| source.add(to).write((round * 100 + me * 10 + to) as u64));
                    let work = world.work(&SITE, Team::WORLD, target, source).expect("the world is a team");
                    let sent = Sent { offsets: &offsets, lens: &[8; 5] };
                    let tableful = (round % 6 + 1) as Rank;
                    let place = |from: Rank, len: usize| (len == 8).then_some(offsets[4 - from as usize]);
                    assert!(work.drive(exchange(&work.mover(), &sent, tableful, place)).is_ok());
                    for from in 0..5 {
                        let wanted = (round * 100 + from * 10 + me) as u64;
                        assert_eq!(target.add(4 - from).read(), wanted, "round {round}, tables of {tableful}");
                    }
                }
            }
        };
        std::thread::scope(|scope| {
            for boot in ferrite_bootstrap::threads(5) {
                scope.spawn(move || {
                    let (world, me) = (World::new(), boot.me().0 as usize);
                    let settings = Settings::default();
                    world
                        .start(StartOptions {
                            boot,
                            settings,
                            extent: crate::Extent::Thread,
                            network: None,
                            losses: None,
                        })
                        .expect("a world of threads starts");
                    body(&world, me);
                    world.finalize(&SITE);
                });
            }
        });
    }
}
