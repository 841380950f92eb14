//! The first bytes of a stranger, and the bytes of a peer's connection: openings, sealed records and frames are refused, or have exactly
//! one meaning and one encoding.

use ferrite_engine::Pe;
use ferrite_tcp::{
    proof::{Challenge, KNOCK_BYTES, Secret, Terms},
    seal::{Direction, LENGTH_BYTES, RECORD_BYTES_MAX, TAG_BYTES, record_bytes},
    wire::{Encoded, FIXED_BYTES_MAX, Frame, PAYLOAD_BYTES_MAX, REFUSAL_BYTES_MAX, START_BYTES},
};

/// The terms with which the openings and records of the corpus were made, so that some inputs similar to them are accepted.
const TERMS: Terms = Terms { secret: Secret([1; 32]), sealed: true };

/// Panic if an input is misinterpreted.
pub fn judge(bytes: &[u8]) {
    match Frame::parse(bytes) {
        Ok(Some((frame, used))) => a_frame(bytes, frame, used),
        Ok(None) => assert!(bytes.len() < FIXED_BYTES_MAX),
        Err(_) => assert!(bytes.len() >= START_BYTES),
    }
    an_opening(bytes);
    records(bytes);
}

/// A knock that is accepted encodes to the same bytes.
fn an_opening(bytes: &[u8]) {
    let Some(knock) = bytes.first_chunk::<KNOCK_BYTES>() else { return };
    let judge = |knock: &[u8; KNOCK_BYTES]| Challenge::to(knock, &TERMS, Pe(1), 4);
    let Ok(challenge) = judge(knock) else { return };
    assert!(challenge.from().0 < 4 && Challenge::may_begin(&bytes[..8]));
    for at in 0..KNOCK_BYTES {
        let mut bent = *knock;
        bent[at] ^= 1;
        assert!(judge(&bent).is_err());
    }
}

/// Records that are accepted, in order, seal to the same bytes again.
fn records(bytes: &[u8]) {
    let mut rest = bytes;
    let mut ends: Option<[Direction; 2]> = None;
    loop {
        let len = match record_bytes(rest) {
            Ok(Some(len)) if len <= rest.len() => len,
            Ok(_) => return,
            Err(_) => return assert!(rest.len() >= LENGTH_BYTES),
        };
        assert!((1..=RECORD_BYTES_MAX).contains(&(len - LENGTH_BYTES - TAG_BYTES)));
        let (record, behind) = rest.split_at(len);
        let [opener, sealer] = ends.get_or_insert_with(|| [(); 2].map(|()| Direction::new(TERMS.secret.0)));
        let mut opened = record.to_vec();
        let Ok(n) = opener.open(&mut opened) else { return };
        let mut again = Vec::new();
        sealer.seal(&mut again, |to| to.extend_from_slice(&opened[..n]));
        assert_eq!(again, record);
        rest = behind;
    }
}

fn a_frame(bytes: &[u8], frame: Frame, used: usize) {
    assert!(used <= bytes.len() && used <= FIXED_BYTES_MAX);
    let encoded = match frame {
        Frame::Message { len, .. } => Encoded::message(&bytes[START_BYTES..used], len as usize),
        _ => frame.encode(),
    };
    assert_eq!(encoded.bytes(), &bytes[..used]);
    // Bytes that follow do not change the result, and fewer bytes are not enough.
    assert_eq!(Frame::parse(&bytes[..used]), Ok(Some((frame, used))));
    assert_eq!(Frame::parse(&bytes[..used - 1]), Ok(None));
    match frame {
        Frame::Message { len, .. } | Frame::Get { len, .. } | Frame::Data { len } => {
            assert!(len as usize <= PAYLOAD_BYTES_MAX);
        }
        Frame::Refused { len } => assert!(len as usize <= REFUSAL_BYTES_MAX),
        Frame::Bye | Frame::Heard => {}
    }
}
