//! Addresses and keys of the members.

use crate::Remote;
use ferrite_bootstrap::{Boot, join::Member};
use ferrite_fabric::{AddressBook, Error, Key, Pe, Result, SegmentId};
use std::{
    collections::HashMap,
    sync::{Arc, PoisonError, RwLock},
    time::Duration,
};

/// Key under which a member publishes the name of its transport, a zero, and its address.
const CARD: &str = "transport";

/// The address book of a group. Addresses come from the start; keys from the descriptions of memory that this member has been given.
pub(crate) struct Book {
    boot: Arc<Member>,
    /// The transport of this member, which all members must have.
    transport: &'static str,
    /// How long the root of the start may take to answer.
    limit: Duration,
    keys: RwLock<HashMap<(Pe, SegmentId), Key>>,
}

impl Book {
    pub fn new(boot: Arc<Member>, transport: &'static str, limit: Duration) -> Book {
        Book { boot, transport, limit, keys: RwLock::default() }
    }

    /// Publish this member's transport and address.
    pub fn publish(&self, address: &[u8]) -> Result<()> {
        self.boot.publish(CARD, &[self.transport.as_bytes(), &[0], address].concat())
    }

    /// Whether the key of a member's memory is kept, the same as in this description.
    pub fn knows(&self, remote: &Remote) -> bool {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        keys.get(&(remote.pe, remote.segment)) == Some(&remote.key)
    }

    /// Keep the key of a member's memory.
    pub fn learn(&self, remote: &Remote) {
        let mut keys = self.keys.write().unwrap_or_else(PoisonError::into_inner);
        keys.insert((remote.pe, remote.segment), remote.key.clone());
    }
}

impl AddressBook for Book {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        let card = self.boot.lookup_within(self.limit, pe, CARD)?.ok_or_else(|| {
            let (root, limit_s) = (self.boot.root(), self.limit.as_secs_f64());
            Error::new(format!(
                "member {} cannot be reached: {root} knows its address, and has not answered within {limit_s} s",
                pe.0
            ))
        })?;
        let (name, address) = match card.iter().position(|&byte| byte == 0) {
            Some(end) => (&card[..end], &card[end + 1..]),
            None => (&card[..], &[][..]),
        };
        if name != self.transport.as_bytes() {
            return Err(Error::new(format!(
                "member {} communicates over {}, and member {} over {}: all members need the same transport",
                pe.0,
                String::from_utf8_lossy(name),
                self.boot.me().0,
                self.transport
            )));
        }
        Ok(address.to_vec())
    }

    fn key(&self, pe: Pe, segment: SegmentId) -> Result<Key> {
        let keys = self.keys.read().unwrap_or_else(PoisonError::into_inner);
        let known = keys.get(&(pe, segment)).cloned();
        known
            .ok_or_else(|| Error::new(format!("the description of region {} of member {} is unknown", segment.0, pe.0)))
    }
}
