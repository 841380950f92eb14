//! Feeds the corpus, and inputs similar to it, to a judge: the part of fuzzing that `ci/test` can do in seconds, without a fuzzer.

use std::{fs, path::Path};

/// Number of changed copies of each input.
const CHANGES: usize = 400;

/// Feeds each input of `corpus/TARGET` to `judge`, and copies with some bytes changed, cut off or repeated.
pub fn replay(target: &str, judge: impl Fn(&[u8])) {
    let mut corpus = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().map(|at| at.join("ci/fuzz/corpus").join(target));
    let corpus = corpus.find(|at| at.is_dir()).expect("the repository holds a corpus");
    let mut tried = 0;
    for entry in fs::read_dir(corpus).expect("the corpus can be read") {
        let input = fs::read(entry.expect("the corpus can be listed").path()).expect("an input can be read");
        judge(&input);
        let mut noise =
            input.iter().fold(0x9e37_79b9_7f4a_7c15_u64, |sum, &byte| sum.rotate_left(5) ^ u64::from(byte)) | 1;
        for _ in 0..CHANGES {
            let mut copy = input.clone();
            for _ in 0..=draw(&mut noise, 3) {
                change(&mut copy, &mut noise);
            }
            judge(&copy);
        }
        tried += 1 + CHANGES;
    }
    assert!(tried > 10 * CHANGES, "only {tried} inputs");
    println!("{tried} inputs");
}

fn change(bytes: &mut Vec<u8>, noise: &mut u64) {
    let at = draw(noise, bytes.len());
    match draw(noise, 5) {
        0 => bytes.truncate(at),
        1 => bytes.extend_from_within(at..),
        2 => bytes.insert(at, draw(noise, 256) as u8),
        _ if at < bytes.len() => {
            bytes[at] = [draw(noise, 256) as u8, bytes[at] ^ 1 << draw(noise, 8), 0, 0xff][draw(noise, 4)]
        }
        _ => {}
    }
}

/// A random number below `below`; 0 if `below` is 0.
fn draw(noise: &mut u64, below: usize) -> usize {
    *noise ^= *noise << 13;
    *noise ^= *noise >> 7;
    *noise ^= *noise << 17;
    (*noise >> 11) as usize % below.max(1)
}
