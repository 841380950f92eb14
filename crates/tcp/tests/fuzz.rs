//! The parsers against bytes that nobody meant: they never panic, never read beyond what they are given, and
//! understand exactly what the encoders write. More than a million inputs in release builds; and the fuzzers' corpus (`ci/fuzz`).

#[path = "../../../ci/fuzz/judges/tcp.rs"]
mod judges;
#[path = "../../../ci/fuzz/replay.rs"]
mod replay;

use ferrite_fabric::{Amo, Pe, SignalOp, Width};
use ferrite_tcp::{
    proof::{CLAIM_BYTES, Challenge, Secret},
    wire::{PAYLOAD_BYTES_MAX, Place, Request},
};
use proptest::{
    prelude::*,
    test_runner::{Config, TestRunner},
};
use std::cell::Cell;

const CASES: u32 = if cfg!(debug_assertions) { 20_000 } else { 1_200_000 };

fn config() -> ProptestConfig {
    Config { cases: CASES, failure_persistence: None, ..Config::default() }
}

fn place() -> impl Strategy<Value = Place> {
    (any::<u8>(), any::<u64>()).prop_map(|(segment, offset)| Place { segment, offset })
}

fn len() -> impl Strategy<Value = u32> {
    0..=PAYLOAD_BYTES_MAX as u32
}

fn amo() -> impl Strategy<Value = Amo> {
    prop::sample::select(vec![Amo::Fetch, Amo::Set, Amo::Swap, Amo::CompareSwap, Amo::Add, Amo::And, Amo::Or, Amo::Xor])
}

fn request() -> impl Strategy<Value = Request> {
    let width = prop::sample::select(vec![Width::W32, Width::W64]);
    let signal = prop::sample::select(vec![SignalOp::Set, SignalOp::Add]);
    prop_oneof![
        (place(), len()).prop_map(|(at, len)| Request::Put { at, len }),
        (place(), len()).prop_map(|(at, len)| Request::Get { at, len }),
        (place(), width, amo(), any::<(bool, u64, u64)>()).prop_map(|(at, width, op, (fetch, operand, compare))| {
            Request::Amo { at, width, op, fetch, operand, compare }
        }),
        (place(), len(), place(), signal, any::<u64>()).prop_map(|(at, len, signal, op, value)| Request::PutSignal {
            at,
            len,
            signal,
            op,
            value
        }),
        Just(Request::Ask),
        Just(Request::Bye),
    ]
}

/// Noise whose first byte is often a kind that exists, lest most inputs end there.
fn noise() -> impl Strategy<Value = ([u8; 64], usize)> {
    (any::<[u8; 64]>(), 0..=64_usize, any::<u8>()).prop_map(|(mut bytes, len, draw)| {
        match draw % 4 {
            0 => {}
            1 => bytes[0] %= 8,
            2 => bytes[0] = 64 + bytes[0] % 4,
            _ => {
                bytes[0] %= 8;
                bytes[3] = 0;
                bytes[7] = 0;
                if draw & 4 == 0 {
                    bytes[2] = 0;
                }
            }
        }
        (bytes, len)
    })
}

#[test]
fn noise_is_refused_or_means_what_it_says() {
    let (tried, understood) = (Cell::new(0), Cell::new(0));
    let run = TestRunner::new(config()).run(&noise(), |(bytes, len)| {
        tried.set(tried.get() + 1);
        understood.set(understood.get() + u32::from(matches!(Request::parse(&bytes[..len]), Ok(Some(_)))));
        judges::judge(&bytes[..len]);
        Ok(())
    });
    run.unwrap();
    // Neither did nothing run, nor did everything end at the first byte.
    assert_eq!(tried.get(), CASES);
    assert!(understood.get() > CASES / 100, "only {} of {CASES} inputs were frames", understood.get());
    println!("{CASES} inputs, {} of them requests", understood.get());
}

#[test]
fn nothing_near_the_corpus_is_understood_wrongly() {
    replay::replay("tcp", judges::judge);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn requests_survive_the_wire(request in request(), tail in any::<[u8; 8]>()) {
        let encoded = request.encode();
        let mut bytes = encoded.bytes().to_vec();
        bytes.extend(tail);
        prop_assert_eq!(Request::parse(&bytes), Ok(Some((request, encoded.bytes().len()))));
    }
}

proptest! {
    #![proptest_config(Config { cases: CASES / 20, failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_noise_is_a_proof(bytes in prop::collection::vec(any::<u8>(), CLAIM_BYTES)) {
        let bytes: [u8; CLAIM_BYTES] = bytes.try_into().unwrap();
        let challenge = Challenge::new().unwrap();
        prop_assert!(challenge.judge(&bytes, &Secret([1; 16]), Pe(0), u32::MAX).is_err());
    }
}
