//! What a peer's connection may bring: frames are refused, or mean one thing with one spelling.

use ferrite_tcp::wire::{Frame, Reply, Request};

/// Panics where an input is understood wrongly.
pub fn judge(bytes: &[u8]) {
    let _ = Frame::parse(bytes);
    if let Ok(Some((request, used))) = Request::parse(bytes) {
        assert_eq!(request.encode().bytes(), &bytes[..used]);
        assert_eq!(Frame::parse(bytes), Ok(Some((Frame::Request(request), used))));
    }
    if let Ok(Some(reply)) = Reply::parse(bytes) {
        let encoded = reply.encode();
        assert_eq!(encoded.bytes(), &bytes[..encoded.bytes().len()]);
    }
}
