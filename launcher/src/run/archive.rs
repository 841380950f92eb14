//! What the PEs of a job have published. oshrun keeps all of it; an agent keeps what was asked for.

use ferrite_bootstrap::wire::{Entry, KEY_MAX};
use ferrite_fabric::Pe;
use std::collections::{BTreeMap, HashMap};
use std::mem;

/// A turn's values travel with its release up to so many bytes, and a page is so large; what is more is asked for.
const PAGE_MAX: usize = 32 << 10;
/// How much a job may keep, beside as much again for each PE as the second says, in bytes: only what is published last
/// under a key is kept, so this bounds what a job of any length can make oshrun hold.
const KEPT_MAX: usize = 64 << 20;
const KEPT_MAX_PER_PE: usize = 64 << 10;

/// Values by their keys and PEs.
#[derive(Debug, Default)]
pub struct Values(HashMap<String, BTreeMap<u32, Vec<u8>>>);

impl Values {
    /// Keep a value in place of what was there. Gives that.
    pub fn keep(&mut self, Entry { pe, key, value }: Entry) -> Option<Vec<u8>> {
        self.0.entry(key).or_default().insert(pe.0, value)
    }

    /// Forget all.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// The value of `pe`, and those of the PEs after it that fit a page; nothing if `pe` has none.
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
pub struct Archive {
    values: Values,
    /// Said in this turn, and seen after it.
    fresh: Vec<Entry>,
    bytes: usize,
    bytes_max: usize,
}

impl Archive {
    /// For a job of `size` PEs.
    pub fn new(size: u32) -> Self {
        let bytes_max = KEPT_MAX + size as usize * KEPT_MAX_PER_PE;
        Archive { values: Values::default(), fresh: Vec::new(), bytes: 0, bytes_max }
    }

    /// Take in a part of what was said in this turn. An error says that it is too much.
    pub fn said(&mut self, entries: Vec<Entry>) -> Result<(), String> {
        self.bytes += entries.iter().map(weight).sum::<usize>();
        if self.bytes > self.bytes_max {
            return Err(format!("its PEs publish more than {} bytes", self.bytes_max));
        }
        self.fresh.extend(entries);
        Ok(())
    }

    /// Make what all have said visible. Gives the values of the turn, if they are few enough to send.
    pub fn release(&mut self) -> Option<Vec<Entry>> {
        let fresh = mem::take(&mut self.fresh);
        let few = fresh.iter().map(weight).sum::<usize>() <= PAGE_MAX;
        let all = few.then(|| fresh.clone());
        for entry in fresh {
            let key = entry.key.len() + 12;
            self.bytes -= self.values.keep(entry).map_or(0, |old| old.len() + key);
        }
        all
    }

    /// What [`Values::page`] says.
    pub fn page(&self, pe: Pe, key: &str) -> Vec<Entry> {
        self.values.page(pe, key)
    }
}

fn weight(entry: &Entry) -> usize {
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
        let mut archive = Archive::new(100);
        archive.said(vec![entry(1, vec![1]), entry(0, vec![0])]).unwrap();
        assert!(archive.page(Pe(0), "k").is_empty(), "nothing is seen before its turn has ended");
        assert_eq!(archive.release(), Some(vec![entry(1, vec![1]), entry(0, vec![0])]));
        assert_eq!(archive.page(Pe(0), "k"), [entry(0, vec![0]), entry(1, vec![1])]);
        for pe in 0..100 {
            archive.said(vec![entry(pe, vec![pe as u8; 1000])]).unwrap();
        }
        assert_eq!(archive.release(), None);
        let (mut pe, mut pages) = (0, 0);
        while pe < 100 {
            let page = archive.page(Pe(pe), "k");
            assert!(page.iter().all(|entry| entry.value == vec![entry.pe.0 as u8; 1000]));
            assert_eq!(page[0].pe, Pe(pe));
            pe = page.last().unwrap().pe.0 + 1;
            pages += 1;
        }
        assert_eq!(pages, 4);
        assert!(archive.page(Pe(100), "k").is_empty() && archive.page(Pe(u32::MAX), "k").is_empty());
        assert!(archive.page(Pe(0), "other").is_empty());
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_replaced_does_not_count() {
        let mut archive = Archive::new(1);
        for _ in 0..10_000 {
            archive.said(vec![entry(0, vec![7; 60_000])]).unwrap();
            archive.release();
        }
        let many = (0..10_000).try_for_each(|turn| {
            archive.said(vec![Entry { pe: Pe(0), key: format!("k{turn}"), value: vec![7; 60_000] }])
        });
        assert!(many.unwrap_err().contains("publish more than"));
    }
}
