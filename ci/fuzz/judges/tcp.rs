//! What a peer's connection may bring: frames are refused, or mean one thing with one spelling.

use ferrite_tcp::wire::{Encoded, FIXED_BYTES_MAX, Frame, PAYLOAD_BYTES_MAX, REFUSAL_BYTES_MAX, START_BYTES};

/// Panics where an input is understood wrongly.
pub fn judge(bytes: &[u8]) {
    match Frame::parse(bytes) {
        Ok(Some((frame, used))) => a_frame(bytes, frame, used),
        Ok(None) => assert!(bytes.len() < FIXED_BYTES_MAX),
        Err(_) => assert!(bytes.len() >= START_BYTES),
    }
}

fn a_frame(bytes: &[u8], frame: Frame, used: usize) {
    assert!(used <= bytes.len() && used <= FIXED_BYTES_MAX);
    let encoded = match frame {
        Frame::Message { len, .. } => Encoded::message(&bytes[START_BYTES..used], len as usize),
        _ => frame.encode(),
    };
    assert_eq!(encoded.bytes(), &bytes[..used]);
    // What follows does not change it, and less is not enough.
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
