//! What a launcher and its PEs may hear: the trunk between hosts, and a PE's connection in either language and direction.
//! The first byte says who listens.

use ferrite_bootstrap::wire::{ToLauncher, ToPe};
use ferrite_launcher::run::{
    tongue::Tongue,
    trunk::{Down, Up},
};

/// Panics where an input is understood wrongly.
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
        2 => speak(Tongue::new(0), bytes),
        3 => {
            let mut tongue = Tongue::new(0);
            tongue.hear(b"cmd=init pmi_version=1 pmi_subversion=1\n").expect("a greeting is understood");
            speak(tongue, bytes);
        }
        4 => _ = ToPe::parse(bytes),
        _ => _ = ToLauncher::parse(bytes),
    }
}

/// In pieces, as a socket brings them.
fn speak(mut tongue: Tongue, bytes: &[u8]) {
    for piece in bytes.chunks(7) {
        if tongue.hear(piece).is_err() {
            return;
        }
    }
}
