//! One PE's view of a simulated team: the [`Exchange`] that the algorithms under test use.

use crate::ops::Op;
use crate::rng::mix;
use crate::world::{ByteRange, Notification, Pull, QUEUE_BYTES, TALLIES, Tally, Wait, World};
use ferrite_collectives::{Area, Direct, Epochs, Exchange, Flag, Items, Rank, Span, WINDOW};
use std::cell::Cell;
use std::future::{Future, poll_fn};

/// Source, destination and operation of one call, the same on all PEs.
#[derive(Clone, Copy, Debug)]
pub struct Binding {
    /// First region of the sources.
    pub(crate) source: usize,
    /// First region of the destinations. Equal to `source` for calls in place.
    pub(crate) dest: usize,
    pub op: Op,
    /// Size of an element in bytes. Elements are not split.
    pub grain: usize,
}

impl Binding {
    /// The binding of collectives without data.
    pub const NONE: Binding = Binding { source: 0, dest: 0, op: Op::Sum, grain: 8 };
}

/// A member of a group, bound to one call at a time.
pub struct Member<'w> {
    world: &'w World,
    pe: usize,
    group: usize,
    me: usize,
    size: usize,
    binding: Cell<Binding>,
    waits: Waits<'w>,
}

/// The waits of a PE for messages. Its members of several groups share the count.
#[derive(Clone, Copy)]
pub struct Waits<'w> {
    /// Number of waits so far.
    pub count: &'w Cell<usize>,
    /// Number of the wait that is skipped, to show that the simulator notices a forgotten wait.
    pub forgets: Option<usize>,
}

impl<'w> Member<'w> {
    /// The view of `pe` on `group`; `None` when it is not a member.
    pub fn new(world: &'w World, pe: usize, group: usize, binding: Binding, waits: Waits<'w>) -> Option<Member<'w>> {
        let members = &world.shape.groups[group];
        let me = members.iter().position(|m| *m == pe)?;
        Some(Member { world, pe, group, me, size: members.len(), binding: Cell::new(binding), waits })
    }

    /// Use this call's memory and operation from now on.
    pub fn bind(&self, binding: Binding) {
        self.binding.set(binding);
    }

    /// The bytes of `span` at `rank`.
    fn place(&self, rank: usize, span: Span) -> ByteRange {
        let state = &mut *self.world.state.borrow_mut();
        let group = &state.groups[self.group];
        let share = self.world.share(self.epochs().current());
        let pe = group.members[rank];
        let (region, base, room) = match span.area {
            Area::Source => (self.binding.get().source + pe, 0, None),
            Area::Dest => (self.binding.get().dest + pe, 0, None),
            Area::Scratch => (group.scratch(rank), share * self.world.shape.scratch, Some(self.world.shape.scratch)),
            Area::Cell => {
                let room = group.lines * ferrite_collectives::CELL_STRIDE;
                (group.cells(rank), share * room, Some(room))
            }
            Area::Queue => (group.queue(rank), 0, Some(QUEUE_BYTES)),
        };
        let room = room.unwrap_or(state.regions[region].bytes.len());
        if span.offset + span.len > room {
            state.fail(format!("pe {} uses {span:?}, beyond the {room} bytes of that area", self.pe));
            return ByteRange { region, offset: base, len: 0 };
        }
        ByteRange { region, offset: base + span.offset, len: span.len }
    }

    fn flag_slot(&self, flag: Flag) -> usize {
        let lines = ferrite_collectives::exchange::lines(self.size as u32);
        if flag.is_queued {
            let number = if self.world.shape.faults.no_window { 0 } else { flag.line as usize };
            return WINDOW as usize * lines + number;
        }
        assert!((flag.line as usize) < lines, "line {} of {lines}", flag.line);
        self.world.share(self.epochs().current()) * lines + flag.line as usize
    }

    fn tally_slot(&self, tally: Tally) -> usize {
        self.world.share(self.epochs().current()) * TALLIES + tally as usize
    }

    fn depart(&self, peer: Rank, to: Items, from: Items, notification: Notification) {
        let rank = peer as usize;
        assert!((to.item, to.count) == (from.item, from.count), "shapes differ: {to:?} from {from:?}");
        let slot = match notification {
            Notification::Flag(flag) => self.flag_slot(flag),
            Notification::Tally(tally) => self.tally_slot(tally),
        };
        let spans = (0..to.count).filter(|_| to.item > 0);
        let parts = spans.map(|i| (self.place(rank, to.span(i)), self.place(self.me, from.span(i)))).collect();
        let to_pe = self.world.shape.groups[self.group][rank];
        let epoch = self.epochs().current();
        let whereto = (self.group, rank, epoch, slot);
        self.world.state.borrow_mut().depart((self.pe, to_pe), whereto, parts, notification);
    }

    fn local(&self, into: Span, from: Span, with: impl Fn(&mut Vec<u8>, Vec<u8>)) {
        assert_eq!(into.len, from.len, "{into:?} from {from:?}");
        let (into, from) = (self.place(self.me, into), self.place(self.me, from));
        let state = &mut *self.world.state.borrow_mut();
        let theirs = state.read(self.pe, from);
        let mut bytes = state.regions[into.region].bytes[into.offset..into.offset + into.len].to_vec();
        with(&mut bytes, theirs);
        state.write(self.pe, into, &bytes);
    }

    fn wait(&self, wait: Wait) -> impl Future<Output = ()> + use<'w> {
        let (world, pe) = (self.world, self.pe);
        poll_fn(move |_| world.poll(pe, wait))
    }

    /// Wait for messages, unless this wait is to be forgotten. Waits are counted when they are first polled.
    async fn wait_for_messages(waits: Waits<'w>, wait: impl Future<Output = ()>) {
        if Some(waits.count.replace(waits.count.get() + 1)) != waits.forgets {
            wait.await;
        }
    }

    fn flag(&self, rank: usize, flag: Flag) -> impl Future<Output = ()> + use<'w> {
        let slot = self.flag_slot(flag);
        let tag = flag.tag(self.epochs().current());
        let wait = Wait::Flag { group: self.group, rank, slot, tag, own: rank == self.me };
        Self::wait_for_messages(self.waits, self.wait(wait))
    }

    fn tally(&self, rank: usize, tally: Tally, count: u64) -> impl Future<Output = ()> + use<'w> {
        let wait = Wait::Tally { group: self.group, rank, me: self.me, slot: self.tally_slot(tally), count };
        Self::wait_for_messages(self.waits, self.wait(wait))
    }

    fn ask(&self, peer: Rank, into: Span, mine: Option<Span>, from: Span) -> impl Future<Output = ()> + use<'w> {
        assert_eq!(into.len, from.len, "{into:?} from {from:?}");
        let [into, from] = [self.place(self.me, into), self.place(peer as usize, from)];
        let mine = mine.map(|m| self.place(self.me, m));
        let mut state = self.world.state.borrow_mut();
        state.remember(self.pe, mix(from.offset as u64) ^ peer as u64);
        let identity = state.history[self.pe];
        let from_pe = self.world.shape.groups[self.group][peer as usize];
        state.ask(Pull { by: self.pe, from_pe, into, mine, from, op: self.binding.get().op, identity });
        drop(state);
        self.wait(Wait::Pulled)
    }
}

impl Exchange for Member<'_> {
    fn me(&self) -> Rank {
        self.me as Rank
    }
    fn size(&self) -> Rank {
        self.size as Rank
    }
    fn grain(&self) -> usize {
        self.binding.get().grain
    }
    fn scratch(&self) -> usize {
        self.world.shape.scratch
    }
    fn epochs(&self) -> &Epochs {
        &self.world.epochs[self.group][self.me]
    }
    fn send(&self, peer: Rank, to: Span, from: Span, flag: Flag) {
        self.depart(peer, to.into(), from.into(), Notification::Flag(flag));
    }
    fn send_counted(&self, peer: Rank, to: Items, from: Items) {
        self.depart(peer, to, from, Notification::Tally(Tally::Own));
    }
    fn landed(&self, flag: Flag) -> impl Future<Output = ()> {
        self.flag(self.me, flag)
    }
    fn tallied(&self, count: u64) -> impl Future<Output = ()> {
        self.tally(self.me, Tally::Own, count)
    }
    fn settled(&self) -> impl Future<Output = ()> {
        self.wait(Wait::Settled)
    }
    fn copy(&self, into: Span, from: Span) {
        self.local(into, from, |bytes, theirs| *bytes = theirs);
    }
    fn copy_items(&self, into: Items, from: Items) {
        (0..into.count).for_each(|i| self.copy(into.span(i), from.span(i)));
    }
    fn zero(&self, into: Span) {
        let place = self.place(self.me, into);
        self.world.state.borrow_mut().write(self.pe, place, &vec![0; place.len]);
    }
    fn fold(&self, into: Span, from: Span) {
        self.local(into, into, |_, _| ());
        self.local(into, from, |bytes, theirs| self.binding.get().op.fold(bytes, &theirs));
    }
    fn fold_front(&self, into: Span, from: Span) {
        self.local(into, into, |_, _| ());
        self.local(into, from, |bytes, mut theirs| {
            self.binding.get().op.fold(&mut theirs, bytes);
            *bytes = theirs;
        });
    }
    fn load(&self, at: Span) -> u64 {
        let place = self.place(self.me, at);
        let bytes = self.world.state.borrow_mut().read(self.pe, place);
        u64::from_le_bytes(bytes.try_into().unwrap_or_default())
    }
    fn store(&self, at: Span, word: u64) {
        let place = self.place(self.me, at);
        self.world.state.borrow_mut().write(self.pe, place, &word.to_le_bytes()[..place.len]);
    }
}

impl Direct for Member<'_> {
    fn landed_at(&self, peer: Rank, flag: Flag) -> impl Future<Output = ()> {
        self.flag(peer as usize, flag)
    }
    fn arrive(&self) {
        self.depart(0, Span::NOTHING.into(), Span::NOTHING.into(), Notification::Tally(Tally::Arrivals));
    }
    fn all_arrived(&self) -> impl Future<Output = ()> {
        self.tally(0, Tally::Arrivals, self.size as u64)
    }
    fn pull(&self, peer: Rank, into: Span, from: Span) -> impl Future<Output = ()> {
        self.ask(peer, into, None, from)
    }
    fn join(&self, peer: Rank, into: Span, mine: Span, from: Span) -> impl Future<Output = ()> {
        self.ask(peer, into, Some(mine), from)
    }
}
