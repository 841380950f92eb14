//! The PEs' descriptions of their fabrics: a card for each PE, the key of the heap each time the heap has grown, and the keys of pieces of
//! the control area.
//!
//! Cards are published through the launcher and looked up when a peer is first used, so no table has an entry for each PE of the job. Keys
//! of pieces are read from the peers' memory (`pieces.rs`) and cached here.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};
use ferrite_bootstrap::Boot;
use ferrite_fabric::{AddressBook, Error, Key, Pe, Result, Segment, SegmentId};
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
};

/// The launcher's key under which a PE publishes its card.
pub(super) const CARD: &str = "fabric";

/// A PE's description of its fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Card {
    provider: String,
    executable: u64,
    address: Vec<u8>,
    keys: Vec<(u8, Vec<u8>)>,
}

impl Card {
    /// The card of a fabric without segments.
    pub fn new(provider: &str, executable: u64, address: Vec<u8>) -> Card {
        Card { provider: provider.to_owned(), executable, address, keys: Vec::new() }
    }

    pub fn add(&mut self, segment: Segment, key: Key) {
        self.keys.push((segment.id.0, key.0.into_vec()));
    }

    /// Identity of the PE's executable; 0 if its static data are not symmetric.
    pub fn executable(&self) -> u64 {
        self.executable
    }

    /// Whether peers need keys.
    pub fn is_keyed(&self) -> bool {
        self.keys.iter().any(|(_, key)| !key.is_empty())
    }

    /// Encode the executable, then the other fields, each preceded by its length.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = self.executable.to_le_bytes().to_vec();
        let mut field = |content: &[u8]| {
            bytes.extend((content.len() as u32).to_le_bytes());
            bytes.extend(content);
        };
        field(self.provider.as_bytes());
        field(&self.address);
        for (id, key) in &self.keys {
            field(&[*id]);
            field(key);
        }
        bytes
    }

    /// Decode a card from [`Card::encode`]; `None` if the bytes are malformed.
    pub fn decode(bytes: &[u8]) -> Option<Card> {
        let (executable, mut rest) = bytes.split_first_chunk::<8>()?;
        let mut fields = Vec::new();
        while !rest.is_empty() {
            let (len, after) = rest.split_first_chunk::<4>()?;
            let (field, after) = after.split_at_checked(u32::from_le_bytes(*len) as usize)?;
            fields.push(field);
            rest = after;
        }
        let [provider, address, keys @ ..] = &fields[..] else { return None };
        let mut card = Card::new(str::from_utf8(provider).ok()?, u64::from_le_bytes(*executable), address.to_vec());
        for pair in keys.chunks(2) {
            let &[&[id], key] = pair else { return None };
            card.keys.push((id, key.to_vec()));
        }
        Some(card)
    }
}

/// The cards of all PEs. Each is looked up on demand.
pub(crate) struct Book {
    boot: Arc<dyn Boot>,
    provider: &'static str,
    /// How many times the heap's keys have been published.
    heap: AtomicU64,
    /// Keys received from peers.
    learned: RwLock<HashMap<(Pe, SegmentId), Key>>,
}

impl Book {
    /// The book of a job whose PEs use `provider`.
    pub fn new(boot: Arc<dyn Boot>, provider: &'static str) -> Book {
        Book { boot, provider, heap: AtomicU64::new(0), learned: RwLock::default() }
    }

    /// Look up the card of `pe`.
    pub fn card(&self, pe: Pe) -> Result<Card> {
        let bytes = self.boot.lookup(pe, CARD)?;
        let card = Card::decode(&bytes).ok_or_else(|| {
            Error::new(format!("{pe}'s description of its fabric is malformed ({} bytes)", bytes.len()))
        })?;
        if card.provider != self.provider {
            let one_seals = [card.provider.as_str(), self.provider].iter().all(|name| name.ends_with("tcp"));
            let setting = if one_seals { "SHMEM_TCP_SEAL" } else { "SHMEM_TRANSPORT" };
            return Err(Error::new(format!(
                "{pe} communicates over {}, but this PE over {}; set {setting} to the same value on all hosts",
                card.provider, self.provider
            )));
        }
        Ok(card)
    }

    /// Cache a key received from a peer.
    pub fn learn(&self, pe: Pe, segment: SegmentId, key: Key) {
        self.learned.write().unwrap_or_else(PoisonError::into_inner).insert((pe, segment), key);
    }

    /// Whether the key of this peer and segment is cached.
    pub fn knows(&self, pe: Pe, segment: SegmentId) -> bool {
        self.learned.read().unwrap_or_else(PoisonError::into_inner).contains_key(&(pe, segment))
    }

    /// The launcher's key for the next key of the heap.
    pub fn next_heap(&self) -> String {
        format!("heap{}", self.heap.load(Relaxed) + 1)
    }

    /// Switch to the next keys of the heap, once all PEs have published them.
    pub fn turn_heap(&self) {
        // Relaxed: a thread that uses new memory got its address from a call that returned after this.
        self.heap.fetch_add(1, Relaxed);
    }
}

impl AddressBook for Book {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        self.card(pe).map(|card| card.address)
    }

    fn key(&self, pe: Pe, segment: SegmentId) -> Result<Key> {
        if segment == SegmentId::HEAP {
            let at = self.heap.load(Relaxed);
            return self.boot.lookup(pe, &format!("heap{at}")).map(|key| Key(key.into()));
        }
        let learned = self.learned.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = learned.get(&(pe, segment)) {
            return Ok(key.clone());
        }
        drop(learned);
        let found = self.card(pe)?.keys.into_iter().find(|(id, _)| *id == segment.0);
        found
            .map(|(_, key)| Key(key.into()))
            .ok_or_else(|| Error::new(format!("{pe} has no segment {} that peers may reach", segment.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn card() -> Card {
        let mut card = Card::new("tcp", 77, vec![1, 2, 3]);
        for (id, key) in [(SegmentId::CONTROL, &[][..]), (SegmentId::STATICS, &[9, 9])] {
            card.add(Segment { id, base: std::ptr::null_mut(), len: 0 }, Key(key.into()));
        }
        card
    }

    #[test]
    fn cards_survive_the_way() {
        let card = card();
        assert_eq!(Card::decode(&card.encode()), Some(card.clone()));
        assert!(card.is_keyed());
    }

    #[test]
    fn what_is_cut_short_is_no_card_or_a_smaller_one() {
        let whole = card().encode();
        for len in 0..whole.len() {
            if let Some(less) = Card::decode(&whole[..len]) {
                assert!(less.keys.len() < 2, "{len} bytes");
            }
        }
        let mut long = whole;
        long.extend([255, 255, 255, 255, 0]);
        assert_eq!(Card::decode(&long), None);
    }

    #[test]
    fn pages_are_found_by_pe() {
        let mut world = ferrite_bootstrap::threads(1);
        let boot = world.remove(0);
        boot.publish(CARD, &card().encode()).unwrap();
        boot.exchange().unwrap();
        let book = Book::new(boot.clone(), "tcp");
        assert_eq!(book.address(Pe(0)).unwrap(), [1, 2, 3]);
        assert_eq!(book.key(Pe(0), SegmentId::STATICS).unwrap().0[..], [9, 9]);
        book.key(Pe(0), SegmentId::HEAP).unwrap_err();
        boot.publish(&book.next_heap(), &[4]).unwrap();
        boot.exchange().unwrap();
        book.turn_heap();
        assert_eq!(book.key(Pe(0), SegmentId::HEAP).unwrap().0[..], [4]);
        let piece = SegmentId(9);
        assert!(!book.knows(Pe(0), piece));
        book.key(Pe(0), piece).unwrap_err();
        book.learn(Pe(0), piece, Key([5, 6].into()));
        assert!(book.knows(Pe(0), piece));
        assert_eq!(book.key(Pe(0), piece).unwrap().0[..], [5, 6]);
        let over = |provider| Book::new(boot.clone(), provider).address(Pe(0)).unwrap_err().to_string();
        assert!(over("ucx").contains("over tcp, but this PE over ucx; set SHMEM_TRANSPORT"), "{}", over("ucx"));
        let sealed = over("sealed tcp");
        assert!(sealed.contains("over tcp, but this PE over sealed tcp; set SHMEM_TCP_SEAL"), "{sealed}");
    }
}
