//! A PE of the doctor's job: it puts, gets, and does atomics and barriers with the PE beside it, and checks that the data arrive intact.

use ferrite::prelude::*;

/// Number of words in a block: more than any transport carries in one message.
const WORDS: usize = 1 << 16;

/// Communicate, and end the job if data arrive changed. PE 0 prints a summary.
pub(in crate::info) fn run() {
    let world = ferrite::init();
    let (me, size) = (world.my_pe(), world.n_pes());
    let (right, left) = ((me + 1) % size, (me + size - 1) % size);
    let blocks = || world.alloc::<u64>(WORDS).expect("room for half a megabyte");
    let (inbox, outbox) = (blocks(), blocks());
    let counter = world.atomic::<u64>().expect("room for a word");

    outbox.write_slice(.., &pattern(me));
    world.put_slice(&inbox, &pattern(me), right);
    world.barrier();
    expect("put", &inbox.to_vec(), &pattern(left));
    expect("get", &world.get_vec(&outbox, right), &pattern(right));
    for pe in 0..size {
        world.fetch_add(&counter, u64::from(me) + 1, pe);
    }
    world.barrier();
    let wanted = u64::from(size) * u64::from(size + 1) / 2;
    expect("an atomic", &[world.fetch(&counter, me)], &[wanted]);
    expect("a reduction", &[world.sum(u64::from(me) + 1)], &[wanted]);
    if me == 0 {
        println!("put, get, atomic, barrier and reduction between {size} PEs");
    }
}

/// Words that encode their PE and their index.
fn pattern(pe: u32) -> Vec<u64> {
    (0..WORDS as u64).map(|at| u64::from(pe) << 32 | at).collect()
}

/// Panic, which ends the job, if the received data differ from the sent data.
fn expect(what: &str, came: &[u64], sent: &[u64]) {
    if let Some(at) = came.iter().zip(sent).position(|(came, sent)| came != sent) {
        panic!("{what} brought {:#x} in place of {:#x}, in word {at}", came[at], sent[at]);
    }
    assert_eq!(came.len(), sent.len());
}
