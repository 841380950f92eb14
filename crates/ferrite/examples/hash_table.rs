//! A hash table that is spread over all PEs. A PE that inserts a key claims a slot by compare-and-swap and puts the record there with a
//! signal. A PE that reads a claimed slot waits for its signal, so no barrier is needed between the two.
//!
//! `oshrun -n 4 target/release/examples/hash_table --keys 100000 --slots 200000`

mod common;

use common::{AnyError, Figure, Program, Random, Stopwatch, below, mix, size};
use ferrite::{Atomic, prelude::*};

pub(crate) const PROGRAM: Program = Program {
    name: "hash_table",
    about: "a hash table that is spread over all PEs",
    sizes: &[
        size("keys", 10_000, 1..=1 << 31, "keys that each PE inserts, and looks up"),
        size("slots", 20_000, 1..=1 << 32, "slots of each PE"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

/// The key of the record.
#[derive(Clone, Copy, PartialEq, Debug, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
struct Record {
    key: u64,
    inserter: u64,
    words: [u64; 4],
}

impl Record {
    fn of(key: u64, inserter: u32) -> Record {
        Record { key, inserter: inserter.into(), words: [1, 2, 3, 4].map(|i| mix(key ^ i)) }
    }
}

struct Table<'w> {
    world: &'w World,
    /// The key of each slot; 0 if the slot is free.
    keys: SymSlice<Atomic<u64>>,
    records: SymSlice<Record>,
    /// The signal of each slot: its record has arrived.
    filled: SymSlice<Signal>,
}

impl<'w> Table<'w> {
    fn new(world: &'w World, slots: usize) -> Result<Table<'w>, ferrite::AllocError> {
        let (keys, records, filled) = (world.alloc_atomics(slots)?, world.alloc(slots)?, world.alloc_signals(slots)?);
        Ok(Table { world, keys, records, filled })
    }

    /// The owner of a key, and the key's slots there, in the order in which they are tried.
    fn places(&self, key: u64) -> (u32, impl Iterator<Item = usize>) {
        let (hash, slots) = (mix(key ^ 0x7ab1e), self.keys.len());
        let first = below(hash, slots as u64) as usize;
        (below(hash >> 32, self.world.n_pes().into()) as u32, (0..slots).map(move |i| (first + i) % slots))
    }

    /// Insert a record. Returns false if there is no room. A key is inserted once.
    fn insert(&self, record: Record) -> bool {
        let (pe, mut slots) = self.places(record.key);
        let claimed = slots.find(|&slot| self.world.compare_swap(self.keys.at(slot), 0, record.key, pe) == 0);
        if let Some(slot) = claimed {
            let (to, filled) = (self.records.range(slot..=slot), self.filled.at(slot));
            self.world.put_signal(to, &[record], filled, SignalOp::Set(1), pe);
        }
        claimed.is_some()
    }

    /// Find the record of a key. All insertions come before a barrier.
    fn find(&self, key: u64) -> Option<Record> {
        let (pe, slots) = self.places(key);
        for slot in slots {
            match self.world.fetch(self.keys.at(slot), pe) {
                0 => return None,
                found if found == key => return Some(self.world.get(self.records.at(slot), pe)),
                _ => {}
            }
        }
        None
    }

    /// The records in this PE's own slots, each as soon as it has arrived.
    fn own(&self) -> impl Iterator<Item = Record> {
        let claimed = (0..self.keys.len()).filter(|&slot| self.keys.at(slot).load() != 0);
        claimed.map(|slot| {
            self.world.wait_until(self.filled.at(slot), Cmp::Eq(1));
            self.records.read(slot)
        })
    }
}

/// The keys of a PE, which are odd, so none is 0.
fn keys(pe: u32, pes: u32, count: u64) -> impl Iterator<Item = u64> {
    let mut stream = Random::of(pe);
    // Keys of different PEs differ in the remainder by the number of PEs; keys of one PE differ in a counter.
    (0..count).map(move |i| ((stream.below(1 << 20) * count + i) * u64::from(pes) + u64::from(pe)) * 2 + 1)
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let &[count, slots] = sizes else { unreachable!("there are two") };
    let (me, pes) = (world.my_pe(), world.n_pes());
    let table = Table::new(world, slots as usize)?;

    let watch = Stopwatch::start(world);
    let full = keys(me, pes, count).filter(|&key| !table.insert(Record::of(key, me))).count();
    // After this, all slots are claimed; records may still be on their way.
    world.sync();
    let mut wrong =
        table.own().filter(|&record| record != Record::of(record.key, record.inserter as u32)).count() as u64;
    world.barrier();
    let right = (me + 1) % pes;
    let missed = keys(right, pes, count).filter(|&key| table.find(key) != Some(Record::of(key, right))).count();
    let seconds = watch.seconds();

    // Only records that did not fit are missing; keys that were not inserted are not found.
    wrong += u64::from(world.sum(full as u64) != world.sum(missed as u64));
    wrong += keys(me, pes, count.min(100)).filter(|key| table.find(key + 1).is_some()).count() as u64;
    if world.sum(full) > 0 {
        return Err(format!("{} keys found no slot; --slots gives more", world.sum(full)).into());
    }
    // Keep the table until all PEs have read it.
    world.barrier();
    Ok(Figure { wrong, amount: 2.0 * count as f64 * f64::from(pes) / 1e6, unit: "Moperations/s", seconds })
}
