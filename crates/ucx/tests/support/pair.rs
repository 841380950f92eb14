//! Two fabrics of one process. The first operates on the heap of the second.

use super::{PATIENCE, make};
use ferrite_fabric::{AddressBook, Error, Fabric, Key, Lane, Op, Pe, Remote, Result, SegmentId, Stage, Ticket};
use std::{
    sync::{Arc, Mutex},
    time::Instant,
};

/// The data that the bootstrap would exchange.
pub struct Book {
    addresses: [Vec<u8>; 2],
    pub keys: Mutex<[Option<Key>; 2]>,
}

impl AddressBook for Book {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        Ok(self.addresses[pe.0 as usize].clone())
    }

    fn key(&self, pe: Pe, _: SegmentId) -> Result<Key> {
        self.keys.lock().unwrap()[pe.0 as usize].clone().ok_or_else(|| Error::new("no key"))
    }
}

pub struct Pair {
    pub lane: Box<dyn Lane>,
    pub fabrics: [Box<dyn Fabric>; 2],
    pub book: Arc<Book>,
}

impl Pair {
    pub fn new() -> Pair {
        let fabrics = [0, 1].map(|me| make(Pe(me), 2));
        let addresses = fabrics.each_ref().map(|fabric| fabric.address());
        let book = Arc::new(Book { addresses, keys: Mutex::new([None, None]) });
        fabrics.iter().for_each(|fabric| fabric.connect(book.clone()).unwrap());
        Pair { lane: fabrics[0].lane().unwrap(), fabrics, book }
    }

    /// A place in the heap of the second fabric.
    pub fn at(offset: usize) -> Remote {
        Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: offset as u64 }
    }

    fn goes_on(&self, start: Instant) {
        let fault = self.fabrics[0].fault();
        assert!(fault.is_none(), "{fault:?}");
        assert!(start.elapsed() < PATIENCE, "nothing happens");
    }

    pub fn post(&self, op: &Op) -> Ticket {
        let start = Instant::now();
        loop {
            // SAFETY: what operations of these tests point to outlives them.
            if let Ok(ticket) = unsafe { self.lane.post(op) } {
                return ticket;
            }
            self.lane.progress();
            self.goes_on(start);
        }
    }

    pub fn wait(&self, ticket: Ticket, stage: Stage) {
        let start = Instant::now();
        while self.lane.reached(stage) < ticket {
            self.lane.progress();
            self.goes_on(start);
        }
    }
}
