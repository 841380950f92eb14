//! What a peer's connection may bring: frames are refused, or mean one thing with one spelling.

use ferrite_tcp::wire::{FIXED_BYTES_MAX, Frame, HEAD_BYTES, PAYLOAD_BYTES_MAX, REFUSAL_BYTES_MAX, Reply, Request};

/// Panics where an input is understood wrongly.
pub fn judge(bytes: &[u8]) {
    if let Ok(Some((request, used))) = Request::parse(bytes) {
        a_request(bytes, request, used);
    }
    if let Ok(Some(reply)) = Reply::parse(bytes) {
        let encoded = reply.encode();
        assert_eq!(encoded.bytes(), &bytes[..HEAD_BYTES]);
        if let Reply::Refused { len, .. } = reply {
            assert!(len as usize <= REFUSAL_BYTES_MAX);
        }
    } else if Reply::parse(bytes).is_ok() {
        assert!(bytes.len() < HEAD_BYTES);
    }
    one_kind_each(bytes);
}

fn a_request(bytes: &[u8], request: Request, used: usize) {
    assert!(used <= bytes.len() && used <= FIXED_BYTES_MAX);
    assert_eq!(request.encode().bytes(), &bytes[..used]);
    // What follows does not change it, and less is not enough.
    assert_eq!(Request::parse(&bytes[..used]), Ok(Some((request, used))));
    assert_eq!(Request::parse(&bytes[..used - 1]), Ok(None));
    if let Request::Put { len, .. } | Request::Get { len, .. } | Request::PutSignal { len, .. } = request {
        assert!(len as usize <= PAYLOAD_BYTES_MAX);
    }
}

/// Of a connection's stream, each frame is a request or a reply.
fn one_kind_each(bytes: &[u8]) {
    match (Request::parse(bytes), Reply::parse(bytes)) {
        (Ok(Some((request, used))), reply) => {
            assert!(reply.is_err() || bytes.len() < HEAD_BYTES);
            assert_eq!(Frame::parse(bytes), Ok(Some((Frame::Request(request), used))));
        }
        (request, Ok(Some(reply))) => {
            assert!(request.is_err());
            assert_eq!(Frame::parse(bytes), Ok(Some((Frame::Reply(reply), HEAD_BYTES))));
        }
        (_, _) => assert!(!matches!(Frame::parse(bytes), Ok(Some(_)))),
    }
}
