//! The messages that a launcher and its PEs receive: messages of agents in both directions, and messages on a PE's connection, in either
//! protocol and direction. The first byte of an input selects the receiver.

use ferrite_bootstrap::wire::{ToLauncher, ToPe};
use ferrite_launcher::run::{
    agent_protocol::{Down, Up},
    pe_protocol::PeProtocol,
};

/// Panic if an input is misinterpreted.
pub fn judge(bytes: &[u8]) {
    let Some((listener, bytes)) = bytes.split_first() else { return };
    match listener % 6 {
        0 => {
            if let Ok(up) = Up::parse(bytes) {
                assert_eq!(Up::parse(&up.frame()[4..]).ok(), Some(up));
            }
        }
        1 => {
            if let Ok(down) = Down::parse(bytes) {
                assert_eq!(Down::parse(&down.frame()[4..]).ok(), Some(down));
            }
        }
        2 => speak(PeProtocol::new(0), bytes),
        3 => {
            let mut protocol = PeProtocol::new(0);
            protocol.receive(b"cmd=init pmi_version=1 pmi_subversion=1\n").expect("a greeting is understood");
            speak(protocol, bytes);
        }
        4 => _ = ToPe::parse(bytes),
        _ => _ = ToLauncher::parse(bytes),
    }
}

/// Feed the bytes in pieces, as a socket delivers them.
fn speak(mut protocol: PeProtocol, bytes: &[u8]) {
    for piece in bytes.chunks(7) {
        if protocol.receive(piece).is_err() {
            return;
        }
    }
}
