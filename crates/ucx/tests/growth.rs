//! A segment that grows at its end: what was registered stays so, and peers look its key up again.

mod support;

use ferrite_fabric::{
    AddressBook, Error, Fabric, Key, Lane, Op, Pe, Remote, Result, Segment, SegmentId, SignalOp, Stage, Ticket,
};
use ferrite_ucx::By;
use std::{
    sync::{Arc, Mutex},
    time::Instant,
};
use support::{PATIENCE, again, is_absent, make, succeeds};

const STEP: usize = 64 << 10;
const STEPS: usize = 5;

/// What the bootstrap would carry, for the two of this process.
struct Book {
    addresses: [Vec<u8>; 2],
    keys: Mutex<[Option<Key>; 2]>,
}

impl AddressBook for Book {
    fn address(&self, pe: Pe) -> Result<Vec<u8>> {
        Ok(self.addresses[pe.0 as usize].clone())
    }

    fn key(&self, pe: Pe, _: SegmentId) -> Result<Key> {
        self.keys.lock().unwrap()[pe.0 as usize].clone().ok_or_else(|| Error::new("no key"))
    }
}

fn wait(fabric: &dyn Fabric, lane: &dyn Lane, ticket: Ticket, stage: Stage) {
    let start = Instant::now();
    while lane.reached(stage) < ticket {
        lane.progress();
        assert!(fabric.fault().is_none(), "{:?}", fabric.fault());
        assert!(start.elapsed() < PATIENCE, "nothing happens");
    }
}

fn post(fabric: &dyn Fabric, lane: &dyn Lane, op: &Op) -> Ticket {
    loop {
        // SAFETY: what operations of this test point to outlives them.
        if let Ok(ticket) = unsafe { lane.post(op) } {
            return ticket;
        }
        lane.progress();
        assert!(fabric.fault().is_none(), "{:?}", fabric.fault());
    }
}

fn over(transports: Option<&str>, atomics: By, puts: Option<By>) {
    let mut command = again("it_grows", transports, atomics);
    if puts.is_some() {
        command.env("FERRITE_TEST_PUTS", "library");
    }
    succeeds(command.spawn().unwrap());
}

#[test]
fn over_tcp() {
    over(Some("tcp,self"), By::Target, None);
}

#[test]
fn over_tcp_with_all_by_the_library() {
    over(Some("tcp,self"), By::Library, Some(By::Library));
}

#[test]
fn over_posix_with_puts_by_the_library() {
    over(Some("posix,self"), By::Target, Some(By::Library));
}

#[test]
#[ignore = "started by the others"]
fn it_grows() {
    if is_absent() {
        return;
    }
    let mut memory = [vec![0_u64; STEP * STEPS / 8], vec![0_u64; STEP * STEPS / 8]];
    let bases = memory.each_mut().map(|words| words.as_mut_ptr().cast::<u8>());
    let fabrics = [0, 1].map(|me| make(Pe(me), 2));
    let addresses = fabrics.each_ref().map(|fabric| fabric.address());
    let book = Arc::new(Book { addresses, keys: Mutex::new([None, None]) });
    fabrics.iter().for_each(|fabric| fabric.connect(book.clone()).unwrap());
    let lane = fabrics[0].lane().unwrap();
    let at = |offset: usize| Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: offset as u64 };
    let mut keys = Vec::new();
    for step in 1..=STEPS {
        let len = step * STEP;
        for (me, fabric) in fabrics.iter().enumerate() {
            // SAFETY: the memory outlives the fabrics.
            let key = unsafe { fabric.register(Segment { id: SegmentId::HEAP, base: bases[me], len }) }.unwrap();
            // SAFETY: as above; what has not grown keeps its key.
            let again = unsafe { fabric.register(Segment { id: SegmentId::HEAP, base: bases[me], len }) }.unwrap();
            assert_eq!(key, again);
            book.keys.lock().unwrap()[me] = Some(key);
        }
        keys.push(book.key(Pe(1), SegmentId::HEAP).unwrap().0.len());
        // From the first byte to the last, over all extents.
        let data = vec![step as u8; len];
        let ticket = post(&*fabrics[0], &*lane, &Op::Put { to: at(0), from: data.as_ptr(), len });
        wait(&*fabrics[0], &*lane, ticket, Stage::Remote);
        let mut back = vec![0_u8; len];
        let ticket = post(&*fabrics[0], &*lane, &Op::Get { from: at(0), to: back.as_mut_ptr(), len });
        wait(&*fabrics[0], &*lane, ticket, Stage::Local);
        assert!(back == data, "step {step}");
        let (to, signal, from) = (at(len - STEP - 8 * usize::from(step > 1)), at(len - 8), data.as_ptr());
        let value = step as u64;
        let ticket =
            post(&*fabrics[0], &*lane, &Op::PutSignal { to, from, len: 100, signal, op: SignalOp::Set, value });
        wait(&*fabrics[0], &*lane, ticket, Stage::Remote);
    }
    assert!(keys.is_sorted_by(|a, b| a < b), "a key is of all extents: {keys:?}");
    // SAFETY: a segment that moved is refused, so nothing is registered.
    let moved = unsafe {
        fabrics[0].register(Segment { id: SegmentId::HEAP, base: bases[0].wrapping_add(8), len: STEP * STEPS })
    };
    assert!(moved.is_err());
    drop((lane, fabrics));
    for step in 1..=STEPS {
        assert_eq!(memory[1][step * STEP / 8 - 1], if step == STEPS { STEPS as u64 } else { 0x0505_0505_0505_0505 });
    }
}
