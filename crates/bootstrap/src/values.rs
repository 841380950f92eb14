//! The values that the PEs of a job have published, by key and PE. oshrun, or the root of a start without a launcher, keeps all values
//! ([`KeyValueStore`]). A PE keeps the values that it has received (`received`), and an agent of oshrun those that were looked up through it
//! ([`Values`]).

use crate::wire::{self, Entry, KEY_MAX};
use ferrite_fabric::{Error, Pe, Result};
use std::collections::{BTreeMap, HashMap};
use std::mem;

/// The most bytes of values that are sent with the release of an exchange, and the most bytes in a page. Further values
/// are sent when they are looked up.
pub(crate) const PAGE_MAX: usize = 32 << 10;
/// How much a job may store, in bytes: a fixed amount, and as much again for each PE. Only the last value of a key is
/// stored, so this bounds the memory of oshrun however long the job runs.
const KEPT_MAX: usize = 64 << 20;
const KEPT_MAX_PER_PE: usize = 64 << 10;

/// Values that have been received.
#[derive(Debug, Default)]
pub struct Values {
    by_key: HashMap<String, BTreeMap<u32, Vec<u8>>>,
    /// The values of an exchange were withheld, so a value that is missing here may still exist.
    is_partial: bool,
}

impl Values {
    /// Store a value. Returns the value that it replaces.
    pub fn insert(&mut self, Entry { pe, key, value }: Entry) -> Option<Vec<u8>> {
        self.by_key.entry(key).or_default().insert(pe.0, value)
    }

    pub(crate) fn get(&self, pe: Pe, key: &str) -> Option<&Vec<u8>> {
        self.by_key.get(key)?.get(&pe.0)
    }

    /// Whether a value that is missing here may exist elsewhere.
    pub fn is_partial(&self) -> bool {
        self.is_partial
    }

    /// Store the values of an exchange. Without them the values here are stale.
    pub fn release(&mut self, entries: Option<Vec<Entry>>) {
        match entries {
            Some(entries) => entries.into_iter().for_each(|entry| drop(self.insert(entry))),
            None => *self = Values { is_partial: true, ..Values::default() },
        }
    }

    /// A page of values: the value of `pe`, then the values of the PEs after it, as far as they fit. Empty if `pe` has no value.
    pub fn page(&self, pe: Pe, key: &str) -> Vec<Entry> {
        let Some(column) = self.by_key.get(key).filter(|column| column.contains_key(&pe.0)) else { return Vec::new() };
        let mut entries = Vec::new();
        let mut bytes = 0;
        for (&number, value) in column.range(pe.0..) {
            bytes += value.len() + KEY_MAX + 12;
            if bytes > PAGE_MAX && !entries.is_empty() {
                break;
            }
            entries.push(Entry { pe: Pe(number), key: key.to_owned(), value: value.clone() });
        }
        entries
    }

    pub(crate) fn find(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.get(pe, key).cloned().ok_or_else(|| missing(pe, key))
    }
}

/// All values of a job.
#[derive(Debug)]
pub struct KeyValueStore {
    values: Values,
    /// Published since the last exchange, and visible after the next.
    fresh: Vec<Entry>,
    bytes: usize,
    bytes_max: usize,
}

impl KeyValueStore {
    /// For a job of `size` PEs.
    pub fn new(size: u32) -> Self {
        let bytes_max = KEPT_MAX + size as usize * KEPT_MAX_PER_PE;
        KeyValueStore { values: Values::default(), fresh: Vec::new(), bytes: 0, bytes_max }
    }

    /// Add values published since the last exchange. An error means that the job publishes too much.
    pub fn publish(&mut self, entries: Vec<Entry>) -> Result<()> {
        let bytes = self.bytes + entries.iter().map(bytes_of).sum::<usize>();
        if bytes > self.bytes_max {
            return Err(Error::new(format!("the job's PEs publish more than {} bytes", self.bytes_max)));
        }
        self.bytes = bytes;
        self.fresh.extend(entries);
        Ok(())
    }

    /// Add one value, unless it does not fit.
    pub(crate) fn publish_one(&mut self, pe: Pe, key: &str, value: &[u8]) -> Result<()> {
        wire::check(key, value)?;
        let entry = Entry { pe, key: key.to_owned(), value: value.to_vec() };
        self.publish(vec![entry])
    }

    /// Make the published values visible. Returns them, if they are few enough to send.
    pub fn release(&mut self) -> Option<Vec<Entry>> {
        let fresh = mem::take(&mut self.fresh);
        let few = fresh.iter().map(bytes_of).sum::<usize>() <= PAGE_MAX;
        let all = few.then(|| fresh.clone());
        for entry in fresh {
            let key = entry.key.len() + 12;
            self.bytes -= self.values.insert(entry).map_or(0, |old| old.len() + key);
        }
        all
    }

    /// The value that `pe` last published under `key`, if it is visible.
    pub(crate) fn find(&self, pe: Pe, key: &str) -> Result<Vec<u8>> {
        self.values.find(pe, key)
    }

    /// A page of values, as in [`Values::page`].
    pub fn page(&self, pe: Pe, key: &str) -> Vec<Entry> {
        self.values.page(pe, key)
    }
}

/// The error of a lookup without a result.
pub(crate) fn missing(pe: Pe, key: &str) -> Error {
    Error::new(format!("{pe} has published nothing under `{key}`"))
}

fn bytes_of(entry: &Entry) -> usize {
    entry.key.len() + entry.value.len() + 12
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(pe: u32, value: Vec<u8>) -> Entry {
        Entry { pe: Pe(pe), key: "k".into(), value }
    }

    #[test]
    fn a_small_turn_is_sent_whole_and_a_large_one_by_the_page() {
        let mut store = KeyValueStore::new(100);
        store.publish(vec![entry(1, vec![1]), entry(0, vec![0])]).unwrap();
        assert!(store.page(Pe(0), "k").is_empty(), "nothing is seen before its turn has ended");
        assert_eq!(store.release(), Some(vec![entry(1, vec![1]), entry(0, vec![0])]));
        assert_eq!(store.page(Pe(0), "k"), [entry(0, vec![0]), entry(1, vec![1])]);
        for pe in 0..100 {
            store.publish(vec![entry(pe, vec![pe as u8; 1000])]).unwrap();
        }
        assert_eq!(store.release(), None);
        let (mut pe, mut pages) = (0, 0);
        while pe < 100 {
            let page = store.page(Pe(pe), "k");
            assert!(page.iter().all(|entry| entry.value == vec![entry.pe.0 as u8; 1000]));
            assert_eq!(page[0].pe, Pe(pe));
            pe = page.last().unwrap().pe.0 + 1;
            pages += 1;
        }
        assert_eq!(pages, 4);
        assert!(store.page(Pe(100), "k").is_empty() && store.page(Pe(u32::MAX), "k").is_empty());
        assert!(store.page(Pe(0), "other").is_empty());
    }

    #[test]
    fn store_is_bounded_without_replaced_values() {
        let mut store = KeyValueStore::new(1);
        for _ in 0..10_000 {
            store.publish(vec![entry(0, vec![7; 60_000])]).unwrap();
            store.release();
        }
        let many = (0..10_000).try_for_each(|turn| {
            store.publish(vec![Entry { pe: Pe(0), key: format!("k{turn}"), value: vec![7; 60_000] }])
        });
        assert!(many.unwrap_err().to_string().contains("publish more than"));
    }
}
