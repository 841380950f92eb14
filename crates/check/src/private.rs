//! Shadow of memory that is a process's own: buffers of operations that are under way, and what threads do to them.

use crate::shadow::{CELLS, GRANULE};
use std::{
    collections::HashMap,
    sync::{
        RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Bytes that one page of the shadow stands for.
const PAGE: usize = 4096;
type Page = [AtomicU64; PAGE / GRANULE * CELLS];

/// The pages that anything is noted of. Pages are never given back, so that their cells may be used without the lock.
#[derive(Default)]
pub struct PrivateShadow {
    pages: RwLock<HashMap<usize, &'static Page>>,
}

impl PrivateShadow {
    /// The cells of the granule at `address`, if any of its page are.
    pub fn cells(&self, address: usize) -> Option<&'static [AtomicU64]> {
        let pages = self.pages.read().unwrap_or_else(|broken| broken.into_inner());
        pages.get(&(address / PAGE)).map(|page| of(page, address))
    }

    /// The cells of the granule at `address`.
    pub fn make(&self, address: usize) -> &'static [AtomicU64] {
        if let Some(cells) = self.cells(address) {
            return cells;
        }
        let mut pages = self.pages.write().unwrap_or_else(|broken| broken.into_inner());
        let page = pages
            .entry(address / PAGE)
            .or_insert_with(|| Box::leak(Box::new([const { AtomicU64::new(0) }; PAGE / GRANULE * CELLS])));
        of(page, address)
    }

    /// Forget all that is noted of a range: it is another object from now on.
    pub fn forget(&self, from: usize, len: usize) {
        let pages = self.pages.read().unwrap_or_else(|broken| broken.into_inner());
        if pages.is_empty() {
            return;
        }
        for (at, _) in crate::shadow::granules(from, len) {
            if let Some(page) = pages.get(&(at / PAGE)) {
                of(page, at).iter().for_each(|cell| cell.store(0, Relaxed));
            }
        }
    }
}

fn of(page: &'static Page, address: usize) -> &'static [AtomicU64] {
    &page[address % PAGE / GRANULE * CELLS..][..CELLS]
}
