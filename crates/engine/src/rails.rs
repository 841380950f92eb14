//! Several NICs as one: a transport over several of one kind, its rails.
//!
//! The engine is not aware of rails. A [`RailPort`] has a port on each rail. It passes everything small to the first rail, the one nearest to
//! the PE: messages, atomics, and writes and reads of up to [`Cut::whole`] bytes. Of a longer write or read it takes [`Cut::piece`] bytes, as
//! a port may ([`Posted`](crate::Posted)), on one rail after the other; the engine posts the rest with tokens of its own. A rail without room
//! is passed over.
//!
//! A PE with one NIC has no `Rails`: its transport is a [`Rail`], whose port is the NIC's own.
//!
//! # Order
//!
//! Rails keep no order among each other. So of the orders that a rail keeps, the port promises only those between operations that go by the
//! first rail ([`orders`]), and the engine's fences wait for the others. Written data must be visible when a write is complete ([`Flush::Done`]):
//! then a quiet needs nothing from any rail. An atomic cannot wait at the NIC for writes on other rails, so none is fenced.
//!
//! # Atomics
//!
//! All atomics of a word must be executed by one NIC of the target. Atomics go by the first rail, and it reaches the first rail of each
//! target if all rails are in one network (`rail`). Rails of several networks are refused if NICs execute atomics.
//!
//! # Peers
//!
//! Addresses and keys are lists with the entries of all rails. A peer may have fewer rails, and its messages may arrive on any rail, so the
//! service has a port on each.

use crate::{
    Atomics, Error, Event, Flush, Limits, Links, Orders, Rail, Result, Segment, Transport, links::WatchedLinks,
    rail::RailBook, rail_port::RailPort,
};
use ferrite_fabric::{About, AddressBook, Key};
use ferrite_os::guarded_fd::Closed;
use std::{
    sync::Arc,
    time::{Duration, Instant},
};

/// How often the state of the rails' interfaces is read.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// How long operations are cut.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Operations of up to this many bytes go by the first rail, whole.
    pub whole: usize,
    /// Most bytes of a longer operation that go by one rail before the next rail's turn.
    pub piece: usize,
}

impl Default for Cut {
    /// A piece is long enough that its own cost does not show: at 50 GB/s it takes 2.6 us.
    fn default() -> Cut {
        Cut { whole: 64 << 10, piece: 128 << 10 }
    }
}

/// The transport over all rails.
pub struct Rails<T> {
    rails: Vec<Rail<T>>,
    cut: Cut,
    limits: Limits,
    /// The interfaces that worked when the rails were joined.
    links: WatchedLinks,
}

impl<T: Transport> Rails<T> {
    /// Join two or more rails, the nearest first. Their transports have nothing to tend ([`Transport::tend`]).
    pub fn join(rails: Vec<Rail<T>>, cut: Cut) -> Result<Rails<T>> {
        let all: Vec<Limits> = rails.iter().map(|rail| *rail.transport.limits()).collect();
        let limits = limits(&all, cut)?;
        if limits.atomics != Atomics::Target && rails.iter().any(|rail| rail.network != rails[0].network) {
            return Err(Error::new("NICs of several networks cannot execute atomics together"));
        }
        let links = rails.iter().map(|rail| rail.transport.links()).reduce(Links::and).unwrap_or_default();
        let links = WatchedLinks::new(links);
        Ok(Rails { rails, cut, limits, links })
    }

    /// Promise something else. Only the simulator does this, to prove that it would notice a promise that rails do not keep.
    pub fn promising(self, limits: Limits) -> Rails<T> {
        Rails { limits, ..self }
    }

    fn port(&self, open: impl Fn(&T) -> Result<T::Port>) -> Result<RailPort<T::Port>> {
        let ports: Result<Vec<_>> =
            self.rails.iter().map(|rail| Ok((rail.nic.clone(), open(&rail.transport)?))).collect();
        RailPort::new(ports?, self.cut)
    }

    fn first(&self) -> &T {
        &self.rails[0].transport
    }
}

/// Limits of the port over rails with these limits.
fn limits(rails: &[Limits], cut: Cut) -> Result<Limits> {
    let &[first, _, ..] = rails else { return Err(Error::new("there are not several NICs to use")) };
    let kind = |limits: &Limits| {
        let Limits { writes, flush, answers, answers_come_to_service, .. } = *limits;
        (writes, flush, answers, answers_come_to_service, limits.atomics == Atomics::Target)
    };
    if !first.writes || first.flush != Flush::Done || rails.iter().any(|limits| kind(limits) != kind(&first)) {
        return Err(Error::new("these NICs cannot be used together"));
    }
    Ok(Limits {
        depth: rails.iter().map(|limits| limits.depth).fold(first.depth, usize::min),
        copy_bytes_max: first.copy_bytes_max.min(cut.whole),
        orders: orders(first.orders, cut.whole),
        atomics: if first.atomics == Atomics::Target { Atomics::Target } else { Atomics::Nic { fenced: false } },
        // A thread sends the rest of cut operations, and signals, for which no atomic is fenced. It also looks at the interfaces.
        needs_polling: true,
        sleeps_long: rails.iter().all(|limits| limits.sleeps_long),
        drives_nic: rails.iter().all(|limits| limits.drives_nic),
        ..first
    })
}

/// The orders of a rail that hold if operations of more than `whole` bytes go by any rail.
fn orders(of_rail: Orders, whole: usize) -> Orders {
    let Orders { write_write, write_read, write_message, message_message, message_read, message_write } = of_rail;
    let [write_write, write_read, write_message, message_read, message_write] =
        [write_write, write_read, write_message, message_read, message_write].map(|longest| longest.min(whole));
    // Messages all go by the first rail.
    Orders { write_write, write_read, write_message, message_message, message_read, message_write }
}

impl<T: Transport> Transport for Rails<T> {
    type Port = RailPort<T::Port>;

    fn name(&self) -> &'static str {
        self.first().name()
    }

    fn full_name(&self) -> String {
        self.first().full_name()
    }

    fn about(&self) -> About {
        let devices = self.rails.iter().flat_map(|rail| rail.transport.about().devices).collect();
        About { devices, ..self.first().about() }
    }

    fn limits(&self) -> &Limits {
        &self.limits
    }

    fn address(&self) -> Vec<u8> {
        self.rails.iter().flat_map(|rail| rail.entry(&rail.transport.address())).collect()
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        let mut list = Vec::new();
        for rail in &self.rails {
            // SAFETY: as the caller says.
            list.extend(unsafe { rail.register_entry(segment) }?);
        }
        Ok(Key(list.into()))
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        let networks: Arc<[String]> = self.rails.iter().map(|rail| rail.network.clone()).collect();
        self.rails.iter().enumerate().try_for_each(|(own, rail)| {
            let book = RailBook { lists: Arc::clone(&book), networks: Arc::clone(&networks), own };
            rail.transport.connect(Arc::new(book))
        })
    }

    fn service(&self) -> Result<Self::Port> {
        self.port(T::service)
    }

    fn open(&self) -> Result<Self::Port> {
        self.port(T::open)
    }

    fn ports_max(&self) -> usize {
        self.rails.iter().map(|rail| rail.transport.ports_max()).min().unwrap_or(1)
    }

    /// Each rail is needed.
    fn links(&self) -> Links {
        self.links.links.clone()
    }

    /// Report an interface that several looks in a row find down. The watchdog would not: a peer still answers on the other rails, so it is
    /// not silent.
    fn tend(&self, events: &mut Vec<Event>) -> Option<Instant> {
        let fault = self.links.look().map(|why| Event::Failed(Error::new(why)));
        events.extend(fault);
        Some(Instant::now() + LOOK_EVERY)
    }

    fn descriptors(&self) -> Result<(), Closed> {
        self.rails.iter().try_for_each(|rail| rail.transport.descriptors())
    }

    fn parting_time(&self) -> Duration {
        self.first().parting_time()
    }

    fn part(&self) -> bool {
        // All rails are asked, whatever the first ones answer.
        self.rails.iter().filter(|rail| !rail.transport.part()).count() == 0
    }

    fn give_up(&self) {
        self.rails.iter().for_each(|rail| rail.transport.give_up());
    }

    fn close(&self) {
        self.rails.iter().for_each(|rail| rail.transport.close());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WHOLE: usize = 64;

    #[test]
    fn orders_hold_between_operations_of_the_first_rail() {
        use crate::Class::{Message, Read, Write};
        let kept = orders(Orders::ALL, WHOLE);
        for (before, after) in [(Write, Write), (Write, Read), (Write, Message), (Message, Read), (Message, Write)] {
            assert!(kept.keep(before, after, WHOLE), "{after:?} after {before:?}");
            assert!(!kept.keep(before, after, WHOLE + 1), "a long {after:?} after {before:?}");
        }
        assert!(kept.keep(Message, Message, usize::MAX));
        assert_eq!(orders(Orders::default(), WHOLE), Orders::default(), "what no rail keeps is not promised");
    }
}
