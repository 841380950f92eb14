//! Parsers and random bytes: parsers never panic, never read beyond their input, and accept exactly what the encoders write. More than a
//! million inputs in release builds; and the corpus of the fuzzers (`ci/fuzz`).

#[path = "../../../ci/fuzz/judges/tcp.rs"]
mod judges;
#[path = "../../../ci/fuzz/replay.rs"]
mod replay;

use ferrite_engine::{HEAD_BYTES_MAX, Location, Pe, SegmentId};
use ferrite_tcp::{
    proof::{CHALLENGE_BYTES, Challenge, KNOCK_BYTES, Knock, Secret, Terms},
    wire::{Frame, PAYLOAD_BYTES_MAX, REFUSAL_BYTES_MAX},
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

fn frame() -> impl Strategy<Value = Frame> {
    let len = || 0..=PAYLOAD_BYTES_MAX as u32;
    prop_oneof![
        (1..=HEAD_BYTES_MAX as u8, len()).prop_map(|(head, len)| Frame::Message { head, len }),
        (any::<(u8, u64)>(), len()).prop_map(|((segment, offset), len)| Frame::Get {
            at: Location { segment: SegmentId(segment), offset },
            len
        }),
        len().prop_map(|len| Frame::Data { len }),
        (0..=REFUSAL_BYTES_MAX as u32).prop_map(|len| Frame::Refused { len }),
        Just(Frame::Bye),
        Just(Frame::Heard),
    ]
}

/// Random bytes that often begin like a frame, so that most inputs are not refused at the first byte.
fn noise() -> impl Strategy<Value = ([u8; 64], usize)> {
    (any::<[u8; 64]>(), 0..=64_usize, any::<u8>()).prop_map(|(mut bytes, len, draw)| {
        if draw & 1 == 0 {
            bytes[0] %= 8;
            (bytes[2], bytes[3], bytes[7]) = (0, 0, 0);
        }
        if draw & 6 == 0 {
            bytes[1] %= 48;
            bytes[4..7].fill(0);
        }
        if draw & 24 == 0 {
            bytes[1] = 0;
        }
        (bytes, len)
    })
}

#[test]
fn noise_is_refused_or_means_what_it_says() {
    let (tried, understood) = (Cell::new(0), Cell::new(0));
    let run = TestRunner::new(config()).run(&noise(), |(bytes, len)| {
        tried.set(tried.get() + 1);
        understood.set(understood.get() + u32::from(matches!(Frame::parse(&bytes[..len]), Ok(Some(_)))));
        judges::judge(&bytes[..len]);
        Ok(())
    });
    run.unwrap();
    // All inputs were tried, and not all of them were refused at the first byte.
    assert_eq!(tried.get(), CASES);
    assert!(understood.get() > CASES / 100, "only {} of {CASES} inputs were frames", understood.get());
    println!("{CASES} inputs, {} of them frames", understood.get());
}

#[test]
fn nothing_near_the_corpus_is_understood_wrongly() {
    replay::replay("tcp", judges::judge);
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn frames_survive_the_wire(frame in frame(), tail in any::<[u8; HEAD_BYTES_MAX]>()) {
        let head = if let Frame::Message { head, .. } = frame { usize::from(head) } else { 0 };
        let mut bytes = frame.encode().bytes().to_vec();
        let used = bytes.len() + head;
        bytes.extend(tail);
        prop_assert_eq!(Frame::parse(&bytes), Ok(Some((frame, used))));
    }
}

proptest! {
    #![proptest_config(Config { cases: CASES / 20, failure_persistence: None, ..Config::default() })]

    #[test]
    fn no_noise_is_a_proof(bytes in prop::collection::vec(any::<u8>(), KNOCK_BYTES)) {
        let terms = Terms { secret: Secret([1; 32]), sealed: bytes[0] & 1 == 0 };
        let knock: [u8; KNOCK_BYTES] = bytes.try_into().unwrap();
        prop_assert!(Challenge::to(&knock, &terms, Pe(0), u32::MAX).is_err());
        let challenge: [u8; CHALLENGE_BYTES] = *knock.first_chunk().unwrap();
        prop_assert!(Knock::new(Pe(0), Pe(1)).unwrap().judge(&challenge, &terms).is_err());
    }
}
