//! A segment that grows at its end: registered parts stay registered, and peers look up its key again.

mod support;

use ferrite_fabric::{AddressBook, Op, Pe, Segment, SegmentId, SignalOp, Stage};
use support::{again, is_absent, pair::Pair, succeeds, with_writes};

const STEP: usize = 64 << 10;
const STEPS: usize = 5;

#[test]
fn over_tcp() {
    succeeds(again("it_grows", Some("tcp,self")).spawn().unwrap());
}

#[test]
fn over_tcp_with_writes() {
    succeeds(with_writes(again("it_grows", Some("tcp,self"))).spawn().unwrap());
}

#[test]
fn over_posix_with_writes() {
    succeeds(with_writes(again("it_grows", Some("posix,self"))).spawn().unwrap());
}

#[test]
#[ignore = "started by the others"]
fn it_grows() {
    if is_absent() {
        return;
    }
    let mut memory = [vec![0_u64; STEP * STEPS / 8], vec![0_u64; STEP * STEPS / 8]];
    let bases = memory.each_mut().map(|words| words.as_mut_ptr().cast::<u8>());
    let pair = Pair::new();
    let (fabrics, book, at) = (&pair.fabrics, &pair.book, Pair::at);
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
        // Put from the first byte to the last, over all extents.
        let data = vec![step as u8; len];
        let ticket = pair.post(&Op::Put { to: at(0), from: data.as_ptr(), len });
        pair.wait(ticket, Stage::Remote);
        let mut back = vec![0_u8; len];
        let ticket = pair.post(&Op::Get { from: at(0), to: back.as_mut_ptr(), len });
        pair.wait(ticket, Stage::Local);
        assert!(back == data, "step {step}");
        let (to, signal, from) = (at(len - STEP - 8 * usize::from(step > 1)), at(len - 8), data.as_ptr());
        let value = step as u64;
        let ticket = pair.post(&Op::PutSignal { to, from, len: 100, signal, op: SignalOp::Set, value });
        pair.wait(ticket, Stage::Remote);
    }
    assert!(keys.is_sorted_by(|a, b| a < b), "a key is of all extents: {keys:?}");
    // SAFETY: a segment that moved is refused, so nothing is registered.
    let moved = unsafe {
        fabrics[0].register(Segment { id: SegmentId::HEAP, base: bases[0].wrapping_add(8), len: STEP * STEPS })
    };
    assert!(moved.is_err());
    drop(pair);
    for step in 1..=STEPS {
        assert_eq!(memory[1][step * STEP / 8 - 1], if step == STEPS { STEPS as u64 } else { 0x0505_0505_0505_0505 });
    }
}
