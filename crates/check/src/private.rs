//! Shadow of a process's private memory: buffers of operations in progress, and accesses by threads.

use crate::shadow::{CELLS, GRANULE};
use std::{
    collections::HashMap,
    sync::{
        RwLock,
        atomic::{AtomicU64, Ordering::Relaxed},
    },
};

/// Bytes of memory that one page of the shadow covers.
const PAGE: usize = 4096;
type Page = [AtomicU64; PAGE / GRANULE * CELLS];

/// The pages that have recorded accesses. Pages are never freed, so their cells may be used without the lock.
#[derive(Default)]
pub struct PrivateShadow {
    pages: RwLock<HashMap<usize, &'static Page>>,
}

impl PrivateShadow {
    /// The cells of the granule at `address`, if its page has any.
    pub fn cells(&self, address: usize) -> Option<&'static [AtomicU64]> {
        let pages = self.pages.read().unwrap_or_else(|broken| broken.into_inner());
        pages.get(&(address / PAGE)).map(|page| of(page, address))
    }

    /// The cells of the granule at `address`; its page is made if there is none.
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

    /// Clear the cells of a range, which is a new object from now on.
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
