//! A thread that loads a word while a large put stores it sees the old value or the new one, wherever the stream was split.

use ferrite_conformance::{self as conformance, Member};
use ferrite_fabric::{Pe, Remote, SegmentId, Stage};
use ferrite_tcp::Options;
use std::sync::atomic::Ordering;

const WORDS: usize = 40_000;
const ROUNDS: u64 = 300;
/// Each word of a put contains the number of its round four times.
const FOUR_TIMES: u64 = 0x0001_0001_0001_0001;

fn heap(offset: usize) -> Remote {
    Remote { pe: Pe(1), segment: SegmentId::HEAP, offset: offset as u64 }
}

fn write(m: &Member<'_>) {
    for round in 1..=ROUNDS {
        let words = [round * FOUR_TIMES; WORDS];
        let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        // A few bytes before the words, so that the words are not aligned in the stream.
        let odd = 1 + round as usize % 7;
        m.put(heap(WORDS * 8), &vec![0; odd]);
        m.wait(m.put(heap(0), &bytes), Stage::Remote);
    }
    let over = Remote { segment: SegmentId::CONTROL, ..heap(0) };
    m.wait(m.put(over, &1_u64.to_ne_bytes()), Stage::Remote);
}

/// Only load words: the service thread stores them.
fn look(m: &Member<'_>) -> u64 {
    let (mut changes, mut last) = (0, 0);
    while m.control(0).load(Ordering::Acquire) == 0 {
        for at in (0..WORDS).rev() {
            let word = m.word(at).load(Ordering::Acquire);
            assert_eq!(word, (word & 0xffff) * FOUR_TIMES, "word {at} is {word:016x}");
            changes += u64::from(word != last);
            last = word;
        }
    }
    changes
}

#[test]
fn no_word_of_a_large_put_is_seen_half_written() {
    conformance::among_threads(2, &|me, meeting| {
        let interface = Some("127.0.0.1".to_owned());
        let options = Options { interface, ..Options::new(me, 2, [31; 32]) };
        let m = Member::new(ferrite_tcp::open(options).unwrap(), me, 2, meeting);
        m.meet();
        if me == Pe(0) {
            write(&m);
        } else {
            println!("{} changes seen", look(&m));
            assert!((0..WORDS).all(|at| m.word(at).load(Ordering::Acquire) == ROUNDS * FOUR_TIMES));
        }
        m.meet();
        assert!(m.fabric().fault().is_none());
        m.meet();
    });
}
