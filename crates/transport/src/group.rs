//! A group of processes, and the operations of its members.
//!
//! # Buffers
//!
//! When a group is lost, operations that are under way are given up, but a network may still access their buffers. So the buffer of an
//! operation is never memory that the caller owns: it is a copy, which is leaked in that case, or a region, which stays mapped until the
//! network is closed.

use crate::{
    Error, Id, Options, Region, Remote, Result, SignalOp,
    book::Book,
    error::{argument, in_words_of_groups, start, text},
    loss::Losses,
    opening,
    region::Pages,
};
use ferrite_bootstrap::{Boot, join, join::Member};
use ferrite_engine::segments;
use ferrite_fabric::{Amo, Fabric, Lane, Op, Pe, Segment, SegmentId, Stage, Ticket, Width};
use ferrite_os::mutex;
use std::{
    fmt,
    mem::ManuallyDrop,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU64, Ordering, fence},
    },
    time::Duration,
};

/// One of the processes that communicate. Its threads may use it at the same time.
///
/// A `Group` that is dropped without [`leave`](Group::leave) is a lost member for the others.
pub struct Group {
    // Fields are dropped in this order: when memory is unmapped, nothing reaches it any more; the other members hear of the end last.
    pub(crate) lane: Box<dyn Lane>,
    pub(crate) fabric: Box<dyn Fabric>,
    regions: Mutex<Vec<Arc<Pages>>>,
    book: Arc<Book>,
    boot: Arc<Member>,
    pub(crate) losses: Arc<Losses>,
    /// The last ticket of any thread, for `flush`. Relaxed: a thread flushes what it posted itself, or synchronises with those that posted.
    last: AtomicU64,
    /// Limit on the answers of the process that has the root of the start.
    limit: Duration,
}

/// One of several reads: an argument of [`Group::get_many`].
#[derive(Debug)]
pub struct Get<'a> {
    /// The memory to read.
    pub from: &'a Remote,
    /// Where to begin in it.
    pub offset: usize,
    /// Destination, as long as the read.
    pub into: &'a mut [u8],
}

impl Group {
    /// Join the group of this id as member `rank` of `size`. Returns when all members have come.
    ///
    /// # Errors
    /// [`Error::Start`] if the members do not meet within the limit, or if the network cannot be used.
    pub fn join(id: &Id, rank: u32, size: u32, options: &Options) -> Result<Group> {
        let boot = Arc::new(join::join(id.inner(), rank, size, options.limit, true).map_err(start)?);
        boot.join().map_err(start)?;
        let losses = Arc::new(Losses::default());
        let noted = losses.clone();
        boot.watch_losses(Box::new(move |pe, why| noted.note(pe.map(|pe| pe.0), in_words_of_groups(why))));
        let fabric = opening::open(options, &*boot)?;
        let book = Arc::new(Book::new(boot.clone(), fabric.name(), options.limit));
        book.publish(&fabric.address()).and_then(|()| boot.exchange()).map_err(start)?;
        fabric.connect(book.clone()).map_err(start)?;
        let lane = fabric.lane().map_err(start)?;
        let (regions, last, limit) = (Mutex::default(), AtomicU64::new(0), options.limit);
        Ok(Group { lane, fabric, regions, book, boot, losses, last, limit })
    }

    /// This member's number, from 0.
    pub fn rank(&self) -> u32 {
        self.boot.me().0
    }

    /// Number of members.
    pub fn size(&self) -> u32 {
        self.boot.size()
    }

    /// The network that carries the group's data, as text for people: `tcp`, or a library, its version and its provider.
    pub fn network(&self) -> String {
        self.fabric.about().by
    }

    /// The loss of a member, [`Error::Lost`], if the group is lost.
    pub fn lost(&self) -> Option<Error> {
        self.check().err()
    }

    /// Map at least `len` bytes of zeros that the members may read, write and update. They stay registered until the group ends.
    ///
    /// # Errors
    /// If the memory cannot be had, or 256 regions are registered already.
    pub fn register(&self, len: usize) -> Result<Region> {
        self.check()?;
        let pages = Arc::new(Pages::map(len)?);
        let mut regions = mutex::lock(&self.regions);
        let id = u8::try_from(regions.len())
            .map(SegmentId)
            .map_err(|_| Error::Argument("256 regions are registered, which is the maximum".to_owned()))?;
        let segment = Segment { id, base: pages.base(), len: pages.len() };
        // SAFETY: this group owns the pages, and drops them after the fabric.
        let key = unsafe { self.fabric.register(segment) }.map_err(argument)?;
        regions.push(pages.clone());
        drop(regions);
        let remote = Remote { pe: self.boot.me(), segment: id, len: pages.len() as u64, key };
        self.book.learn(&remote);
        Ok(Region { pages, remote })
    }

    /// Give a region a name, by which others find it after the next [`exchange`](Group::exchange).
    pub fn share(&self, name: &str, region: &Region) -> Result<()> {
        self.boot.publish(&named(name), &region.remote.to_bytes()).map_err(argument)
    }

    /// Wait until all members have called this. Names that any of them has given before can then be found.
    pub fn exchange(&self) -> Result<()> {
        self.boot.exchange().map_err(|error| lost(&self.losses, &error))
    }

    /// The region that member `rank` has shared under this name.
    ///
    /// # Errors
    /// If there is none, or no exchange since. [`Error::TimedOut`] if the process that drew the id keeps this name, and does not answer within
    /// the limit of the start.
    pub fn find(&self, rank: u32, name: &str) -> Result<Remote> {
        self.check()?;
        match self.boot.lookup_within(self.limit, Pe(rank), &named(name)) {
            Ok(Some(bytes)) => self.import(&bytes),
            Ok(None) => Err(Error::TimedOut),
            Err(_) => {
                // A member may have been lost meanwhile.
                self.check()?;
                Err(Error::Argument(format!("member {rank} has shared no region as `{name}`")))
            }
        }
    }

    /// The region that these bytes of [`Remote::to_bytes`] describe, from a member of this group.
    ///
    /// # Errors
    /// If they describe none.
    pub fn import(&self, bytes: &[u8]) -> Result<Remote> {
        let remote = Remote::from_bytes(bytes)?;
        if remote.pe.0 >= self.size() {
            return Err(Error::Argument(format!("member {} is not in this group of {}", remote.pe.0, self.size())));
        }
        if remote.pe == self.boot.me() {
            self.own(&remote)?;
        }
        self.book.learn(&remote);
        Ok(remote)
    }

    /// Write bytes to a member's memory. Returns when `from` may be changed; [`flush`](Group::flush) completes it there.
    pub fn put(&self, to: &Remote, offset: usize, from: &[u8]) -> Result<()> {
        to.check(offset, from.len())?;
        if let Some(pages) = self.mine(to)? {
            pages.write(offset, from);
            return Ok(());
        }
        let (to, len) = (at(to, offset), from.len());
        if len == 0 {
            return Ok(());
        }
        self.complete(from.to_vec(), |buffer| Op::Put { to, from: buffer, len }).map(drop)
    }

    /// Read bytes of a member's memory. The member takes no part in it.
    pub fn get(&self, from: &Remote, offset: usize, into: &mut [u8]) -> Result<()> {
        self.get_many(&mut [Get { from, offset, into }])
    }

    /// Several reads at the same time, in the time of the slowest.
    pub fn get_many(&self, gets: &mut [Get<'_>]) -> Result<()> {
        for get in gets.iter() {
            get.from.check(get.offset, get.into.len())?;
        }
        let mut begun = Vec::with_capacity(gets.len());
        for Get { from, offset, into } in gets {
            let len = into.len();
            if let Some(pages) = self.mine(from)? {
                pages.read(*offset, into);
            } else if len != 0 {
                let from = at(from, *offset);
                begun.push((self.begin(vec![0; len], |buffer| Op::Get { from, to: buffer, len })?, into));
            }
        }
        for (one, into) in begun {
            into.copy_from_slice(&self.finish(one)?);
        }
        Ok(())
    }

    /// Write bytes, and then update a word of the same member: when the member sees the word, the bytes are there.
    pub fn put_signal(
        &self,
        to: &Remote,
        offset: usize,
        from: &[u8],
        (signal, signal_offset): (&Remote, usize),
        op: SignalOp,
        value: u64,
    ) -> Result<()> {
        to.check(offset, from.len())?;
        signal.check_word(signal_offset)?;
        if to.pe != signal.pe {
            return Err(Error::Argument(format!(
                "the data are for member {}, and the signal for member {}: both must be of one member",
                to.pe.0, signal.pe.0
            )));
        }
        if from.is_empty() {
            return self.amo(signal, signal_offset, op.into(), value, 0).map(drop);
        }
        if let (Some(pages), Some(signals)) = (self.mine(to)?, self.mine(signal)?) {
            pages.write(offset, from);
            // Release: a thread that sees the word sees the bytes.
            fence(Ordering::Release);
            update(&signals, signal_offset, op.into(), value, 0);
            return Ok(());
        }
        let (to, signal, len) = (at(to, offset), at(signal, signal_offset), from.len());
        self.complete(from.to_vec(), |buffer| Op::PutSignal { to, from: buffer, len, signal, op, value }).map(drop)
    }

    /// Deliver operations that follow, at each member, after those before.
    pub fn fence(&self) {
        self.lane.fence();
    }

    /// Wait until everything that this thread has posted is visible at its targets.
    pub fn flush(&self) -> Result<()> {
        self.check()?;
        let last = Ticket(self.last.load(Ordering::Relaxed));
        self.until(None, || self.lane.has_reached(Stage::Remote, last).then_some(()))
    }

    /// Leave the group. Returns when all members have called this.
    ///
    /// # Errors
    /// If a member is lost before.
    pub fn leave(self) -> Result<()> {
        self.flush()?;
        self.exchange()?;
        let Group { lane, fabric, boot, regions, losses, .. } = self;
        drop((lane, fabric, regions));
        boot.leave().map_err(|error| lost(&losses, &error))
    }

    /// The pages of a region of this member; `None` for other members' regions. An error if this group does not know the region.
    fn mine(&self, remote: &Remote) -> Result<Option<Arc<Pages>>> {
        if remote.pe == self.boot.me() {
            return self.own(remote).map(Some);
        }
        let unknown =
            || Error::Argument(format!("a region of member {} that this group has not imported", remote.pe.0));
        self.book.knows(remote).then_some(None).ok_or_else(unknown)
    }

    /// The pages of a region of this member. An error if it has registered none of that length: the description may be another group's.
    fn own(&self, remote: &Remote) -> Result<Arc<Pages>> {
        let regions = mutex::lock(&self.regions);
        let own = regions.get(usize::from(remote.segment.0)).filter(|pages| remote.len <= pages.len() as u64);
        own.cloned().ok_or_else(|| Error::Argument("a region of this member that it has not registered".to_owned()))
    }

    pub(crate) fn amo(&self, word: &Remote, offset: usize, op: Amo, operand: u64, compare: u64) -> Result<u64> {
        word.check_word(offset)?;
        if let Some(pages) = self.mine(word)? {
            return Ok(update(&pages, offset, op, operand, compare));
        }
        let at = at(word, offset);
        let old = self.complete(vec![0; size_of::<u64>()], |fetch| Op::Amo {
            at,
            width: Width::W64,
            op,
            operand,
            compare,
            fetch,
        })?;
        Ok(old.try_into().map_or(0, u64::from_ne_bytes))
    }

    /// Begin an operation on a buffer of its own.
    fn begin(&self, mut buffer: Vec<u8>, op: impl FnOnce(*mut u8) -> Op) -> Result<Begun> {
        self.check()?;
        let op = op(buffer.as_mut_ptr());
        // SAFETY: the operation's pointer is the buffer's, which lives until the ticket is local, or for ever: see `Begun`.
        let ticket = self.until(None, || unsafe { self.lane.post(&op) }.ok())?;
        self.last.fetch_max(ticket.0, Ordering::Relaxed);
        let begun = Begun { buffer: ManuallyDrop::new(buffer), ticket };
        self.until(None, || self.lane.has_left(ticket).then_some(()))?;
        Ok(begun)
    }

    /// Wait until an operation is complete here, and return its buffer.
    fn finish(&self, begun: Begun) -> Result<Vec<u8>> {
        self.until(None, || self.lane.is_local(begun.ticket).then_some(()))?;
        Ok(ManuallyDrop::into_inner(begun.buffer))
    }

    fn complete(&self, buffer: Vec<u8>, op: impl FnOnce(*mut u8) -> Op) -> Result<Vec<u8>> {
        self.finish(self.begin(buffer, op)?)
    }
}

/// An operation under way, with its buffer. If it is dropped, the operation is given up, and the buffer leaks: the network may still
/// access it.
struct Begun {
    buffer: ManuallyDrop<Vec<u8>>,
    ticket: Ticket,
}

/// Why a call of the start's connection failed: a member is lost. The connection has noted it before, if it knows which.
fn lost(losses: &Losses, error: &ferrite_fabric::Error) -> Error {
    losses.note(None, text(error));
    losses.error().expect("a loss is noted")
}

/// Key under which the description of a region is published.
fn named(name: &str) -> String {
    format!("region {name}")
}

fn at(remote: &Remote, offset: usize) -> ferrite_fabric::Remote {
    ferrite_fabric::Remote { pe: remote.pe, segment: remote.segment, offset: offset as u64 }
}

/// Update a word of this member.
fn update(pages: &Pages, offset: usize, op: Amo, operand: u64, compare: u64) -> u64 {
    // SAFETY: the word is mapped and aligned, and accessed by atomics alone.
    unsafe { segments::update(pages.word(offset).as_ptr().cast(), Width::W64, op, operand, compare) }
}

impl fmt::Debug for Group {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Group {{ rank: {}, size: {}, over: {:?} }}", self.rank(), self.size(), self.fabric.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn description_of_another_groups_longer_region_is_refused() {
        let [(one, short), (other, long)] = [4096, 65_536].map(|bytes| {
            let id = Id::draw().unwrap();
            let group = Group::join(&id, 0, 1, &Options::default()).unwrap();
            let region = group.register(bytes).unwrap();
            group.share("region", &region).unwrap();
            group.exchange().unwrap();
            let remote = group.find(0, "region").unwrap();
            (group, remote)
        });
        one.put(&short, 4000, &[1; 96]).unwrap();
        assert!(matches!(one.put(&long, 60_000, &[1; 96]), Err(Error::Argument(_))));
        assert!(matches!(one.import(&long.to_bytes()), Err(Error::Argument(_))));
        one.leave().unwrap();
        other.leave().unwrap();
    }
}
