//! A small live exchange: members are threads of this process, and read each other's memory as the PEs of a node do.
//!
//! It shows what an engine on real memory must do, and runs the algorithms on it.
//!
//! Memory orders. A tag is stored with `Release` after the bytes that it announces, and loaded with `Acquire` before
//! they are read; only this pair orders one member's bytes for another. Tallies and arrivals are incremented with
//! `Release` and loaded with `Acquire`: additions to one counter form a release sequence, so a member that sees the
//! full count sees everything that each counted member has done before. The bytes themselves are copied without
//! atomics, since the protocol forbids any access in between. Everything else (epochs, expected counts) belongs to one
//! thread.

use ferrite_collectives::exchange::lines;
use ferrite_collectives::{Area, CELL_STRIDE, Direct, Epochs, Exchange, Flag, Items, QUEUE, Rank, Span, WINDOW};
use std::cell::Cell;
use std::future::{Future, poll_fn, ready};
use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering::Acquire, Ordering::Release};
use std::task::{Context, Poll, Waker};

#[repr(C, align(64))]
struct Line([AtomicU64; CELL_STRIDE / 8]);

fn memory(bytes: usize) -> Box<[Line]> {
    (0..bytes.div_ceil(CELL_STRIDE)).map(|_| Line([const { AtomicU64::new(0) }; CELL_STRIDE / 8])).collect()
}

#[repr(align(128))]
struct Counter(AtomicU64);

/// One member's part of the team's memory, and its user's memory.
struct Post {
    cells: Box<[Line]>,
    queue: Box<[Line]>,
    scratch: Box<[Line]>,
    tallies: [Counter; WINDOW as usize],
    source: Box<[Line]>,
    dest: Box<[Line]>,
}

/// A team of threads.
pub struct Team {
    posts: Vec<Post>,
    arrivals: Counter,
    lines: usize,
    scratch: usize,
}

impl Team {
    /// Create a team of `size` members, with `scratch` bytes per share, and `source` and `dest` bytes each.
    pub fn new(size: usize, scratch: usize, source: usize, dest: usize) -> Team {
        let scratch = scratch.next_multiple_of(CELL_STRIDE);
        let lines = lines(size as Rank);
        let post = || Post {
            cells: memory(WINDOW as usize * lines * CELL_STRIDE),
            queue: memory(QUEUE as usize * CELL_STRIDE),
            scratch: memory(WINDOW as usize * scratch),
            tallies: [const { Counter(AtomicU64::new(0)) }; WINDOW as usize],
            source: memory(source),
            dest: memory(dest),
        };
        Team { posts: (0..size).map(|_| post()).collect(), arrivals: Counter(AtomicU64::new(0)), lines, scratch }
    }
}

/// `into = a op b` over `len` bytes. `into` may be `a` or `b`.
pub type Kernel = unsafe fn(*mut u8, *const u8, *const u8, usize);

/// Wrapping sums of 64-bit words. Each case has ranges that do not overlap, so that the loop becomes vector instructions.
///
/// # Safety
/// `len` is a multiple of 8; the ranges are valid and aligned for words; `into` is `a`, is `b`, or overlaps neither.
pub unsafe fn sum(into: *mut u8, a: *const u8, b: *const u8, len: usize) {
    let (a, b) = (a.cast::<u64>(), b.cast::<u64>());
    // SAFETY: the caller's range holds that many words.
    let target = unsafe { std::slice::from_raw_parts_mut(into.cast::<u64>(), len / 8) };
    if target.as_ptr() == a || target.as_ptr() == b {
        let other = if target.as_ptr() == a { b } else { a };
        // SAFETY: likewise, and apart from `target`.
        let other = unsafe { std::slice::from_raw_parts(other, len / 8) };
        target.iter_mut().zip(other).for_each(|(t, o)| *t = t.wrapping_add(*o));
    } else {
        // SAFETY: likewise, both.
        let (a, b) = unsafe { (std::slice::from_raw_parts(a, len / 8), std::slice::from_raw_parts(b, len / 8)) };
        target.iter_mut().zip(a.iter().zip(b)).for_each(|(t, (a, b))| *t = a.wrapping_add(*b));
    }
}

/// One member, on its own thread.
pub struct Near<'t> {
    team: &'t Team,
    me: Rank,
    kernel: Kernel,
    in_place: bool,
    epochs: Epochs,
    expected: [Cell<u64>; WINDOW as usize],
    arrived: Cell<u64>,
}

impl<'t> Near<'t> {
    /// Member `me` of `team`, whose fold is `kernel`; in place, `Source` is `Dest`.
    pub fn new(team: &'t Team, me: usize, kernel: Kernel, in_place: bool) -> Near<'t> {
        let expected = [const { Cell::new(0) }; WINDOW as usize];
        Near { team, me: me as Rank, kernel, in_place, epochs: Epochs::new(), expected, arrived: Cell::new(0) }
    }

    #[inline]
    fn at(&self, rank: Rank, span: Span) -> *mut u8 {
        let post = &self.team.posts[rank as usize];
        let share = self.epochs.share();
        let (lines, offset) = match span.area {
            Area::Source if !self.in_place => (&post.source, 0),
            Area::Source | Area::Dest => (&post.dest, 0),
            Area::Scratch => (&post.scratch, share * self.team.scratch),
            Area::Cell => (&post.cells, share * self.team.lines * CELL_STRIDE),
            Area::Queue => (&post.queue, 0),
        };
        assert!(offset + span.offset + span.len <= lines.len() * CELL_STRIDE);
        // The lines are atomics, which may be written through a shared reference.
        lines.as_ptr().cast::<u8>().cast_mut().wrapping_add(offset + span.offset)
    }

    #[inline]
    fn tag(&self, rank: Rank, flag: Flag) -> &AtomicU64 {
        let (post, line) = (&self.team.posts[rank as usize], flag.line as usize);
        let line = match flag.is_queued {
            true => &post.queue[line],
            false => &post.cells[self.epochs.share() * self.team.lines + line],
        };
        &line.0[0]
    }

    #[inline]
    fn move_bytes(&self, into: *mut u8, from: *const u8, len: usize) {
        if into.cast_const() == from {
            return;
        }
        // SAFETY: `at` checked both ranges; the protocol lets no other thread write them now; they are equal or disjoint.
        unsafe {
            match len {
                0 => (),
                8 => into.cast::<[u8; 8]>().write(from.cast::<[u8; 8]>().read()),
                _ => std::ptr::copy_nonoverlapping(from, into, len),
            }
        }
    }

    #[inline]
    fn combine(&self, into: *mut u8, a: *const u8, b: *const u8, len: usize) {
        // SAFETY: `at` checked the ranges, spans are whole grains, and the areas are aligned.
        unsafe { (self.kernel)(into, a, b, len) }
    }

    /// Access the user's memory while no collective runs.
    pub fn words(&mut self, area: Area, count: usize) -> &mut [u64] {
        let at = self.at(self.me, Span { area, offset: 0, len: count * 8 });
        // SAFETY: `at` checked the range; no peer touches it between collectives, by the test's own barriers.
        unsafe { std::slice::from_raw_parts_mut(at.cast(), count) }
    }
}

#[inline]
fn until(over: impl Fn() -> bool) -> impl Future<Output = ()> {
    poll_fn(move |_| if over() { Poll::Ready(()) } else { Poll::Pending })
}

impl Exchange for Near<'_> {
    #[inline]
    fn me(&self) -> Rank {
        self.me
    }
    #[inline]
    fn size(&self) -> Rank {
        self.team.posts.len() as Rank
    }
    #[inline]
    fn grain(&self) -> usize {
        8
    }
    #[inline]
    fn scratch(&self) -> usize {
        self.team.scratch
    }
    #[inline]
    fn epochs(&self) -> &Epochs {
        &self.epochs
    }
    #[inline]
    fn send(&self, peer: Rank, to: Span, from: Span, flag: Flag) {
        self.move_bytes(self.at(peer, to), self.at(self.me, from), to.len);
        self.tag(peer, flag).store(flag.tag(self.epochs.current()), Release);
    }
    fn send_counted(&self, peer: Rank, to: Items, from: Items) {
        for i in 0..to.count {
            self.move_bytes(self.at(peer, to.span(i)), self.at(self.me, from.span(i)), to.item);
        }
        self.team.posts[peer as usize].tallies[self.epochs.share()].0.fetch_add(1, Release);
    }
    #[inline]
    fn landed(&self, flag: Flag) -> impl Future<Output = ()> {
        self.landed_at(self.me, flag)
    }
    async fn tallied(&self, count: u64) {
        let share = self.epochs.share();
        let total = self.expected[share].get() + count;
        self.expected[share].set(total);
        let tally = &self.team.posts[self.me as usize].tallies[share].0;
        until(|| tally.load(Acquire) >= total).await;
    }
    #[inline]
    fn settled(&self) -> impl Future<Output = ()> {
        ready(())
    }
    #[inline]
    fn copy(&self, into: Span, from: Span) {
        self.move_bytes(self.at(self.me, into), self.at(self.me, from), into.len);
    }
    fn copy_items(&self, into: Items, from: Items) {
        (0..into.count).for_each(|i| self.copy(into.span(i), from.span(i)));
    }
    fn zero(&self, into: Span) {
        // SAFETY: `at` checked the range, and it is ours.
        unsafe { self.at(self.me, into).write_bytes(0, into.len) }
    }
    #[inline]
    fn fold(&self, into: Span, from: Span) {
        let at = self.at(self.me, into);
        self.combine(at, at, self.at(self.me, from), into.len);
    }
    #[inline]
    fn fold_front(&self, into: Span, from: Span) {
        let at = self.at(self.me, into);
        self.combine(at, self.at(self.me, from), at, into.len);
    }
    #[inline]
    fn load(&self, at: Span) -> u64 {
        // SAFETY: `at` checked the range, of 8 aligned bytes.
        unsafe { self.at(self.me, at).cast::<u64>().read() }
    }
    #[inline]
    fn store(&self, at: Span, word: u64) {
        // SAFETY: as in `load`.
        unsafe { self.at(self.me, at).cast::<u64>().write(word) }
    }
}

impl Direct for Near<'_> {
    #[inline]
    fn landed_at(&self, peer: Rank, flag: Flag) -> impl Future<Output = ()> {
        let (tag, wanted) = (self.tag(peer, flag), flag.tag(self.epochs.current()));
        until(move || tag.load(Acquire) == wanted)
    }
    #[inline]
    fn arrive(&self) {
        self.team.arrivals.0.fetch_add(1, Release);
    }
    #[inline]
    async fn all_arrived(&self) {
        let total = self.arrived.get() + self.size() as u64;
        self.arrived.set(total);
        until(|| self.team.arrivals.0.load(Acquire) >= total).await;
    }
    #[inline]
    fn pull(&self, peer: Rank, into: Span, from: Span) -> impl Future<Output = ()> {
        self.move_bytes(self.at(self.me, into), self.at(peer, from), into.len);
        ready(())
    }
    #[inline]
    fn join(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        self.combine(self.at(self.me, into), self.at(self.me, mine), self.at(peer, from), into.len);
        ready(())
    }
    #[inline]
    fn join_front(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        self.combine(self.at(self.me, into), self.at(peer, from), self.at(self.me, mine), into.len);
        ready(())
    }
}

/// Poll the future to its end: spin for a short time, then yield.
#[inline]
pub fn drive<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    let mut context = Context::from_waker(Waker::noop());
    let mut polls = 0u32;
    loop {
        if let Poll::Ready(value) = future.as_mut().poll(&mut context) {
            return value;
        }
        polls += 1;
        #[expect(clippy::disallowed_methods, reason = "a test's engine waits for itself")]
        if polls.is_multiple_of(256) { std::thread::yield_now() } else { std::hint::spin_loop() }
    }
}
