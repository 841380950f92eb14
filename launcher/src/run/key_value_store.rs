//! The values that the PEs of a job have published, by key and PE. oshrun keeps all values ([`KeyValueStore`]); an agent keeps only the
//! values that were looked up through it ([`Values`]).

use ferrite_bootstrap::wire::{Entry, KEY_MAX};
use ferrite_fabric::Pe;
use std::collections::{BTreeMap, HashMap};
use std::mem;

/// The most bytes of values that are sent with the release of an exchange, and the most bytes in a page. Further values
/// are sent when they are looked up.
const PAGE_MAX: usize = 32 << 10;
/// How much a job may store, in bytes: a fixed amount, and as much again for each PE. Only the last value of a key is
/// stored, so this bounds the memory of oshrun however long the job runs.
const KEPT_MAX: usize = 64 << 20;
const KEPT_MAX_PER_PE: usize = 64 << 10;

/// Values by key and PE.
#[derive(Debug, Default)]
pub struct Values(HashMap<String, BTreeMap<u32, Vec<u8>>>);

impl Values {
    /// Store a value. Returns the value that it replaces.
    pub fn insert(&mut self, Entry { pe, key, value }: Entry) -> Option<Vec<u8>> {
        self.0.entry(key).or_default().insert(pe.0, value)
    }

    /// Remove all values.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// A page of values: the value of `pe`, then the values of the PEs after it, as far as they fit. Empty if `pe` has no value.
    pub fn page(&self, pe: Pe, key: &str) -> Vec<Entry> {
        let Some(column) = self.0.get(key).filter(|column| column.contains_key(&pe.0)) else { return Vec::new() };
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
    pub fn publish(&mut self, entries: Vec<Entry>) -> Result<(), String> {
        self.bytes += entries.iter().map(bytes_of).sum::<usize>();
        if self.bytes > self.bytes_max {
            return Err(format!("its PEs publish more than {} bytes", self.bytes_max));
        }
        self.fresh.extend(entries);
        Ok(())
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

    /// A page of values, as in [`Values::page`].
    pub fn page(&self, pe: Pe, key: &str) -> Vec<Entry> {
        self.values.page(pe, key)
    }
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
    fn what_is_kept_is_bounded_and_what_is_replaced_does_not_count() {
        let mut store = KeyValueStore::new(1);
        for _ in 0..10_000 {
            store.publish(vec![entry(0, vec![7; 60_000])]).unwrap();
            store.release();
        }
        let many = (0..10_000).try_for_each(|turn| {
            store.publish(vec![Entry { pe: Pe(0), key: format!("k{turn}"), value: vec![7; 60_000] }])
        });
        assert!(many.unwrap_err().contains("publish more than"));
    }
}
