//! The messages of our launcher's protocol: decoding returns what was encoded, and refuses garbage with a reason.

use ferrite_bootstrap::wire::{Entry, FRAME_MAX, Frames, KEY_MAX, ToLauncher, ToPe, VALUE_MAX, WHY_MAX};
use ferrite_bootstrap::{NodeMap, Secret};
use ferrite_fabric::Pe;
use proptest::collection::vec;
use proptest::prelude::*;

fn key() -> impl Strategy<Value = String> {
    "[a-zµ]{1,20}"
}

fn entry() -> impl Strategy<Value = Entry> {
    (any::<u32>(), key(), vec(any::<u8>(), 0..200)).prop_map(|(pe, key, value)| Entry { pe: Pe(pe), key, value })
}

fn of_a_pe() -> impl Strategy<Value = ToLauncher> {
    prop_oneof![
        any::<u32>().prop_map(|version| ToLauncher::Hello { version }),
        Just(ToLauncher::Join),
        vec((key(), vec(any::<u8>(), 0..300)), 0..10).prop_map(|published| ToLauncher::Exchange { published }),
        (any::<u32>(), key()).prop_map(|(pe, key)| ToLauncher::Lookup { pe: Pe(pe), key }),
        Just(ToLauncher::Leave),
        (any::<i32>(), ".{0,50}").prop_map(|(code, why)| ToLauncher::Abort { code, why }),
    ]
}

fn of_the_launcher() -> impl Strategy<Value = ToPe> {
    prop_oneof![
        (any::<u32>(), vec(0..4_u32, 0..20), any::<[u8; 16]>()).prop_map(|(me, nodes, secret)| ToPe::Welcome {
            me: Pe(me),
            nodes: NodeMap::of(nodes),
            secret: Secret::of(secret)
        }),
        ".{0,50}".prop_map(|why| ToPe::Refused { why }),
        proptest::option::of(vec(entry(), 0..8)).prop_map(|entries| ToPe::Released { entries }),
        vec(entry(), 0..8).prop_map(|entries| ToPe::Found { entries }),
    ]
}

/// Feed `stream` in pieces of `piece` bytes. Returns the bodies of its frames.
fn bodies(stream: &[u8], piece: usize) -> Result<Vec<Vec<u8>>, String> {
    let (mut frames, mut found) = (Frames::default(), Vec::new());
    for part in stream.chunks(piece) {
        frames.push(part);
        while let Some(body) = frames.next_body().map_err(|error| error.to_string())? {
            found.push(body.to_vec());
        }
    }
    if frames.is_torn() { Err("torn".into()) } else { Ok(found) }
}

proptest! {
    #[test]
    fn messages_survive_the_wire(
        asked in vec(of_a_pe(), 0..6), answered in vec(of_the_launcher(), 0..6), piece in 1_usize..700
    ) {
        let stream: Vec<u8> = asked.iter().flat_map(ToLauncher::frame).collect();
        let got: Vec<_> = bodies(&stream, piece).unwrap().iter().map(|b| ToLauncher::parse(b).unwrap()).collect();
        prop_assert_eq!(got, asked);
        let stream: Vec<u8> = answered.iter().flat_map(ToPe::frame).collect();
        let got: Vec<_> = bodies(&stream, piece).unwrap().iter().map(|b| ToPe::parse(b).unwrap()).collect();
        prop_assert_eq!(got, answered);
    }

    #[test]
    fn garbage_is_refused_and_never_panics(body in vec(any::<u8>(), 0..300)) {
        let _ = ToLauncher::parse(&body);
        let _ = ToPe::parse(&body);
        let _ = bodies(&body, 7);
    }

    /// A frame with one changed byte decodes to a message or to an error. A shortened body never decodes to a message that claims more than
    /// it has.
    #[test]
    fn near_misses_never_panic(message in of_a_pe(), at in any::<prop::sample::Index>(), to in any::<u8>()) {
        let mut body = message.frame()[4..].to_vec();
        let at = at.index(body.len());
        prop_assert!(ToLauncher::parse(&body[..at]).is_err());
        body[at] = to;
        let _ = ToLauncher::parse(&body);
        body.push(0);
        let _ = ToLauncher::parse(&body);
    }
}

#[test]
fn an_announced_length_beyond_the_bound_is_refused_before_its_bytes_come() {
    for length in [0, FRAME_MAX as u32 + 1, u32::MAX] {
        let mut frames = Frames::default();
        frames.push(&length.to_le_bytes());
        assert!(frames.next_body().unwrap_err().to_string().contains("announces"), "{length}");
    }
}

#[test]
fn a_count_that_the_frame_cannot_hold_is_refused() {
    for tag in [b'x', b'R', b'F'] {
        let body = [tag, 0xff, 0xff, 0xff, 0xff, 0, 0];
        assert!(ToLauncher::parse(&body).is_err() && ToPe::parse(&body).is_err());
    }
}

#[test]
fn the_largest_key_and_value_fit_and_larger_do_not() {
    let whole = ToLauncher::Exchange { published: vec![("k".repeat(KEY_MAX), vec![1; VALUE_MAX])] };
    assert_eq!(ToLauncher::parse(&whole.frame()[4..]).unwrap(), whole);
    let large = ToLauncher::Exchange { published: vec![("k".into(), vec![1; VALUE_MAX + 1])] };
    assert!(ToLauncher::parse(&large.frame()[4..]).is_err());
    let long = ToLauncher::Lookup { pe: Pe(0), key: "k".repeat(KEY_MAX + 1) };
    assert!(ToLauncher::parse(&long.frame()[4..]).is_err());
}

#[test]
fn a_long_reason_is_cut_between_characters() {
    let frame = ToLauncher::Abort { code: 1, why: "é".repeat(WHY_MAX) }.frame();
    let ToLauncher::Abort { why, .. } = ToLauncher::parse(&frame[4..]).unwrap() else { panic!("another message") };
    assert_eq!(why, "é".repeat(WHY_MAX / 2));
}
