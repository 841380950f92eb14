//! The job's secret, known to its PEs only.
//!
//! The secret is never used directly: each purpose has its own key, [`Secret::derive`]d from it. So a key that becomes visible (the name of
//! a socket is listed in /proc/net/unix) reveals nothing about the others.

use ferrite_fabric::{Error, Result};
use ring::{
    hmac,
    rand::{SecureRandom, SystemRandom},
};
use std::fmt;

/// The secret of a job.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Secret([u8; Secret::BYTES]);

impl Secret {
    /// Length of the secret in bytes.
    pub const BYTES: usize = 16;

    /// Draw random bytes for a new job. Its PEs receive them over connections, never in an argument or the environment.
    pub fn draw() -> Result<Secret> {
        random().map(Secret)
    }

    /// A secret that another process has drawn.
    pub const fn of(bytes: [u8; Secret::BYTES]) -> Secret {
        Secret(bytes)
    }

    /// The bytes of the secret, to be sent to PEs of the job only.
    pub const fn bytes(&self) -> &[u8; Secret::BYTES] {
        &self.0
    }

    /// The key for one purpose. It reveals neither the secret nor the key for another purpose.
    pub fn derive(&self, purpose: &str) -> [u8; 32] {
        let key = hmac::Key::new(hmac::HMAC_SHA256, &self.0);
        hmac::sign(&key, purpose.as_bytes()).as_ref().try_into().expect("SHA-256 gives 32 bytes")
    }

    /// The secret of a part of what this secret is for.
    pub(crate) fn child(&self, purpose: &str) -> Secret {
        Secret(*self.derive(purpose).first_chunk().expect("a derived key is longer"))
    }

    /// As [`derive`](Self::derive), but as a number, for uses that others may see.
    pub fn number(&self, purpose: &str) -> u64 {
        self.derive(purpose).iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

/// Random bytes of the kernel.
pub(crate) fn random<const N: usize>() -> Result<[u8; N]> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::new("the kernel has no random bytes"))?;
    Ok(bytes)
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{NodeMap, host::Welcome, wire::ToPe};
    use ferrite_fabric::Pe;

    #[test]
    fn secrets_differ() {
        assert_ne!(Secret::draw().unwrap(), Secret::draw().unwrap());
    }

    #[test]
    fn purposes_differ_and_none_shows_the_secret() {
        let secret = Secret::of(*b"sixteen letters!");
        let keys = ["tcp", "job", "node"].map(|purpose| secret.derive(purpose));
        for (at, key) in keys.iter().enumerate() {
            assert!(keys[..at].iter().all(|other| other != key));
            assert!(!key.windows(8).any(|part| secret.0.windows(8).any(|of| of == part)));
        }
        assert_ne!(keys[0], Secret::of(*b"sixteen letters?").derive("tcp"));
        // The result of any other HMAC-SHA256 for the same key and label.
        let known = [0xc3, 0x2a, 0x4d, 0x66];
        assert_eq!(keys[1][..4], known, "{:02x?}", &keys[1][..4]);
    }

    #[test]
    fn no_message_shows_it() {
        let secret = Secret::of([201; 16]);
        let nodes = NodeMap::one(1);
        let shown = [
            format!("{secret:?}"),
            format!("{:?}", ToPe::Welcome { me: Pe(0), nodes: nodes.clone(), secret }),
            format!("{:?}", Welcome { secret, nodes }),
        ];
        assert!(shown.iter().all(|text| text.contains("Secret(..)") && !text.contains("201")), "{shown:?}");
    }
}
