//! A NIC as one of several: a transport whose addresses and keys are lists, with an entry for each NIC.
//!
//! PEs of one job may have different numbers of NICs. So a PE with one NIC publishes a list too, with one entry, and finds its entry in the
//! lists of peers. Only the transport differs: the port of a [`Rail`] is the NIC's own port.
//!
//! An entry has the name of the NIC's network. A rail reaches the peer's rail of the same network; if there are several, the one of the same
//! rank, so that all of them are used.

use crate::{Error, Event, Limits, Links, Pe, Result, Segment, SegmentId, Transport};
use ferrite_fabric::{About, AddressBook, Key};
use ferrite_os::guarded_fd::Closed;
use std::{
    os::fd::BorrowedFd,
    sync::Arc,
    time::{Duration, Instant},
};

/// A NIC, by its transport.
pub struct Rail<T> {
    /// Name of the NIC, for messages.
    pub nic: String,
    /// Name of its network. Rails of two networks reach each other only by routers.
    pub network: String,
    /// The transport that uses this NIC alone.
    pub transport: T,
}

impl<T: Transport> Rail<T> {
    /// The rail's entry in a list: its network, and the bytes by which peers know its address or a segment.
    pub(crate) fn entry(&self, bytes: &[u8]) -> Vec<u8> {
        let parts = [self.network.as_bytes(), bytes];
        parts.iter().flat_map(|part| [&(part.len() as u32).to_le_bytes()[..], part].concat()).collect()
    }

    /// The entry of a segment.
    ///
    /// # Safety
    /// As [`Transport::register`].
    pub(crate) unsafe fn register_entry(&self, segment: Segment) -> Result<Vec<u8>> {
        // SAFETY: as the caller says.
        let Key(key) = unsafe { self.transport.register(segment) }?;
        Ok(self.entry(&key))
    }
}

/// Split a list into networks and bytes.
fn entries(mut list: &[u8]) -> Option<Vec<(&[u8], &[u8])>> {
    fn part<'l>(list: &mut &'l [u8]) -> Option<&'l [u8]> {
        let (len, after) = list.split_first_chunk()?;
        let (part, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
        *list = after;
        Some(part)
    }
    let mut entries = Vec::new();
    while !list.is_empty() {
        entries.push((part(&mut list)?, part(&mut list)?));
    }
    Some(entries)
}

/// Index of the peer's rail that our rail `own` reaches, given the networks of our rails and of the peer's.
fn opposite(own: usize, ours: &[String], theirs: &[&[u8]]) -> Option<usize> {
    let network = ours.get(own)?.as_bytes();
    let alike: Vec<usize> = (0..theirs.len()).filter(|&at| theirs[at] == network).collect();
    let rank = ours[..own].iter().filter(|other| other.as_bytes() == network).count();
    match alike.len() {
        0 if theirs.is_empty() => None,
        0 => Some(own % theirs.len()),
        count => Some(alike[rank % count]),
    }
}

/// The address book of one rail: it finds the rail's entries in lists.
pub(crate) struct RailBook {
    pub lists: Arc<dyn AddressBook>,
    /// Networks of this PE's rails, and the index of the rail.
    pub networks: Arc<[String]>,
    pub own: usize,
}

impl RailBook {
    fn pick(&self, pe: Pe, list: &[u8]) -> Result<Vec<u8>> {
        let entries = entries(list).ok_or_else(|| Error::new(format!("the address of {pe} is not a list of NICs")))?;
        let networks: Vec<&[u8]> = entries.iter().map(|(network, _)| *network).collect();
        let at = opposite(self.own, &self.networks, &networks);
        at.map(|at| entries[at].1.to_vec()).ok_or_else(|| Error::new(format!("{pe} has no NIC")))
    }
}

impl AddressBook for RailBook {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        self.pick(pe, &self.lists.address(pe)?)
    }

    fn key(&self, pe: Pe, segment: SegmentId) -> Result<Key> {
        let Key(list) = self.lists.key(pe, segment)?;
        Ok(Key(self.pick(pe, &list)?.into()))
    }
}

/// The transport of a PE with one NIC.
impl<T: Transport> Transport for Rail<T> {
    type Port = T::Port;

    fn name(&self) -> &'static str {
        self.transport.name()
    }

    fn full_name(&self) -> String {
        self.transport.full_name()
    }

    fn about(&self) -> About {
        self.transport.about()
    }

    fn limits(&self) -> &Limits {
        self.transport.limits()
    }

    fn address(&self) -> Vec<u8> {
        self.entry(&self.transport.address())
    }

    unsafe fn register(&self, segment: Segment) -> Result<Key> {
        // SAFETY: as the caller says.
        Ok(Key(unsafe { self.register_entry(segment) }?.into()))
    }

    fn connect(&self, book: Arc<dyn AddressBook>) -> Result<()> {
        let networks = Arc::new([self.network.clone()]);
        self.transport.connect(Arc::new(RailBook { lists: book, networks, own: 0 }))
    }

    fn service(&self) -> Result<T::Port> {
        self.transport.service()
    }

    fn open(&self) -> Result<T::Port> {
        self.transport.open()
    }

    fn ports_max(&self) -> usize {
        self.transport.ports_max()
    }

    fn links(&self) -> Links {
        self.transport.links()
    }

    fn tending_fd(&self) -> Option<BorrowedFd<'_>> {
        self.transport.tending_fd()
    }

    fn tend(&self, events: &mut Vec<Event>) -> Option<Instant> {
        self.transport.tend(events)
    }

    fn descriptors(&self) -> Result<(), Closed> {
        self.transport.descriptors()
    }

    fn parting_time(&self) -> Duration {
        self.transport.parting_time()
    }

    fn part(&self) -> bool {
        self.transport.part()
    }

    fn give_up(&self) {
        self.transport.give_up();
    }

    fn close(&self) {
        self.transport.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rails_meet_rails_of_their_network() {
        let names = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<String>>();
        for (ours, theirs, pairs) in [
            ("a", "a", vec![Some(0)]),
            ("a b", "b a", vec![Some(1), Some(0)]),
            ("a a", "a a", vec![Some(0), Some(1)]),
            ("a a", "a", vec![Some(0), Some(0)]),
            ("a", "a a", vec![Some(0)]),
            ("a a b", "b a a", vec![Some(1), Some(2), Some(0)]),
            ("a a b b", "b a b", vec![Some(1), Some(1), Some(0), Some(2)]),
            ("a c", "a b", vec![Some(0), Some(1)]),
            ("a", "", vec![None]),
        ] {
            let (ours, theirs) = (names(ours), names(theirs));
            let theirs: Vec<&[u8]> = theirs.iter().map(|name| name.as_bytes()).collect();
            let found: Vec<_> = (0..ours.len()).map(|own| opposite(own, &ours, &theirs)).collect();
            assert_eq!(found, pairs, "{ours:?}, {theirs:?}");
        }
    }

    #[test]
    fn lists_of_addresses_are_read_or_refused() {
        let list = [&[1, 0, 0, 0][..], b"a", &[3, 0, 0, 0], b"one", &[0; 4], &[0; 4]].concat();
        assert_eq!(entries(&list).unwrap(), [(&b"a"[..], &b"one"[..]), (b"", b"")]);
        for len in (1..list.len()).filter(|&len| len != 12) {
            assert_eq!(entries(&list[..len]), None, "cut to {len} bytes");
        }
        assert_eq!(entries(&[]), Some(vec![]));
    }
}
