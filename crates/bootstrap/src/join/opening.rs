//! The opening of a connection to the root: mutual proof of the start's secret, as pure functions.
//!
//! ```text
//! member -> root     Knock       magic, 32 random bytes, keyed hash
//! root   -> member   Challenge   magic, 32 random bytes, keyed hash
//! member -> root     Claim       keyed hash
//! ```
//!
//! Each hash is HMAC-SHA256 under a key that is derived from the secret for this purpose alone. It covers the name of the message and all
//! random bytes so far, so a hash can neither be sent back to its author nor replayed on another connection. A replayed knock yields a
//! challenge whose claim the attacker cannot compute. Every message has a fixed length, so an end never keeps more than these bytes of a
//! peer that has not proven itself.

use crate::Secret;
use crate::secret::random;
use ferrite_fabric::{Error, Result};
use ring::hmac;

const MAGIC: [u8; 8] = *b"ferriteJ";
const RANDOM_BYTES: usize = 32;
const HASH_BYTES: usize = 32;
/// Bytes of a knock, and of a challenge.
pub(super) const GREETING_BYTES: usize = MAGIC.len() + RANDOM_BYTES + HASH_BYTES;
/// Bytes of a claim.
pub(super) const CLAIM_BYTES: usize = HASH_BYTES;

/// The key of all hashes.
#[derive(Clone)]
pub(super) struct Key(hmac::Key);

impl Key {
    pub fn of(secret: &Secret) -> Key {
        Key(hmac::Key::new(hmac::HMAC_SHA256, &secret.derive("the opening of a connection to the root")))
    }

    fn hash(&self, name: &str, member: &Nonce, root: &Nonce) -> [u8; HASH_BYTES] {
        hmac::sign(&self.0, &covered(name, member, root)).as_ref().try_into().expect("SHA-256 gives 32 bytes")
    }

    /// Verify a hash, in a time that reveals nothing.
    fn is_hash(&self, said: &[u8], name: &str, member: &Nonce, root: &Nonce) -> bool {
        hmac::verify(&self.0, &covered(name, member, root), said).is_ok()
    }
}

type Nonce = [u8; RANDOM_BYTES];

/// The root has contributed nothing to a knock.
const NONE: Nonce = [0; RANDOM_BYTES];

fn covered(name: &str, member: &Nonce, root: &Nonce) -> Vec<u8> {
    [&MAGIC, &member[..], root, name.as_bytes()].concat()
}

fn greeting(nonce: &Nonce, hash: [u8; HASH_BYTES]) -> [u8; GREETING_BYTES] {
    [&MAGIC, &nonce[..], &hash].concat().try_into().expect("the parts of a greeting")
}

/// The random bytes and the hash of a greeting, if it begins as one.
fn parts(greeting: &[u8; GREETING_BYTES]) -> Option<(Nonce, &[u8])> {
    let rest = greeting.strip_prefix(&MAGIC)?;
    let (nonce, hash) = rest.split_first_chunk::<RANDOM_BYTES>()?;
    Some((*nonce, hash))
}

/// The member's side.
pub(super) struct Knock(Nonce);

impl Knock {
    pub fn new() -> Result<Knock> {
        Ok(Knock(random()?))
    }

    /// The bytes to send.
    pub fn encode(&self, key: &Key) -> [u8; GREETING_BYTES] {
        greeting(&self.0, key.hash("knock", &self.0, &NONE))
    }

    /// Check the root's challenge, and return the claim.
    pub fn judge(&self, challenge: &[u8; GREETING_BYTES], key: &Key) -> Result<[u8; CLAIM_BYTES]> {
        match parts(challenge) {
            Some((root, hash)) if key.is_hash(hash, "challenge", &self.0, &root) => {
                Ok(key.hash("claim", &self.0, &root))
            }
            _ => Err(Error::new("what listens there does not have this start's secret")),
        }
    }
}

/// The root's side, after a knock with the right hash.
pub(super) struct Challenge {
    member: Nonce,
    root: Nonce,
}

impl Challenge {
    /// Check a knock. `None` if its sender does not have the secret.
    pub fn to(knock: &[u8; GREETING_BYTES], key: &Key) -> Option<Challenge> {
        let (member, hash) = parts(knock)?;
        let root = random().ok()?;
        key.is_hash(hash, "knock", &member, &NONE).then_some(Challenge { member, root })
    }

    /// The bytes to send.
    pub fn encode(&self, key: &Key) -> [u8; GREETING_BYTES] {
        greeting(&self.root, key.hash("challenge", &self.member, &self.root))
    }

    /// Whether the claim shows that its sender has the secret.
    pub fn accepts(&self, claim: &[u8; CLAIM_BYTES], key: &Key) -> bool {
        key.is_hash(claim, "claim", &self.member, &self.root)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(byte: u8) -> Key {
        Key::of(&Secret::of([byte; 16]))
    }

    /// Check that the message is refused if any of its bytes is changed.
    fn is_refused_if_bent<const N: usize>(bytes: [u8; N], is_accepted: impl Fn(&[u8; N]) -> bool) {
        assert!(is_accepted(&bytes));
        for at in 0..N {
            let mut bent = bytes;
            bent[at] ^= 1;
            assert!(!is_accepted(&bent), "byte {at} changed");
        }
    }

    #[test]
    fn each_side_is_convinced_by_nothing_but_the_secret() {
        let (key, other) = (key(1), key(2));
        let knock = Knock::new().unwrap();
        let challenge = Challenge::to(&knock.encode(&key), &key).unwrap();
        let claim = knock.judge(&challenge.encode(&key), &key).unwrap();
        is_refused_if_bent(knock.encode(&key), |bytes| Challenge::to(bytes, &key).is_some());
        is_refused_if_bent(challenge.encode(&key), |bytes| knock.judge(bytes, &key).is_ok());
        is_refused_if_bent(claim, |bytes| challenge.accepts(bytes, &key));
        assert!(Challenge::to(&knock.encode(&other), &key).is_none());
        assert!(knock.judge(&challenge.encode(&other), &key).is_err());
    }

    #[test]
    fn replayed_messages_open_nothing() {
        let key = key(1);
        let knock = Knock::new().unwrap();
        let first = Challenge::to(&knock.encode(&key), &key).unwrap();
        let claim = knock.judge(&first.encode(&key), &key).unwrap();
        // The same knock on a second connection gets another challenge, which the recorded claim does not answer.
        let second = Challenge::to(&knock.encode(&key), &key).unwrap();
        assert!(first.accepts(&claim, &key) && !second.accepts(&claim, &key));
        // A knock sent back to its author is no challenge, and a challenge is no knock.
        assert!(knock.judge(&knock.encode(&key), &key).is_err());
        assert!(Challenge::to(&first.encode(&key), &key).is_none());
    }
}
