//! Who is there: the three messages that open a connection, as pure functions.
//!
//! ```text
//! target     -> initiator   Challenge   magic, 32 random bytes
//! initiator  -> target      Claim       magic, who I am, whom I want, 32 random bytes, keyed hash
//! target     -> initiator   Answer      keyed hash
//! ```
//!
//! Both hashes are HMAC-SHA256 under the job's secret over both random values, both PEs and the name of the
//! side that speaks; the target's name also says whether the connection is the one to use ([`Admission`]). So neither side acts before the other has shown that it knows the secret; what was heard on
//! one connection is worth nothing on another, since each side contributes fresh randomness; a hash cannot be
//! sent back to where it came from, since the sides are named; and a connection that reached the wrong PE (two
//! hosts may use the same private address) fails like any other stranger. The hash is compared in constant time.
//!
//! What follows is neither encrypted nor signed: this keeps strangers out, not somebody who can change packets
//! on the way.

use ferrite_engine::{Error, Pe, Result};
use hmac::{Hmac, Mac};
use sha2::Sha256;
use std::fmt;

/// What all PEs of a job know, and nobody else.
#[derive(Clone, Copy)]
pub struct Secret(pub [u8; 32]);

impl Secret {
    /// A number that names the job to anybody, and tells nothing of the secret.
    pub fn job(&self) -> u64 {
        let mut hash = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        hash.update(b"the job's number");
        hash.finalize().into_bytes().iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// First on every connection, and different in another version of the protocol.
const MAGIC: [u8; 8] = *b"ferrite3";
const RANDOM_BYTES: usize = 32;
const HASH_BYTES: usize = 32;
/// Bytes of the target's first message.
pub const CHALLENGE_BYTES: usize = 8 + RANDOM_BYTES;
/// Bytes of the initiator's message.
pub const CLAIM_BYTES: usize = 8 + 4 + 4 + RANDOM_BYTES + HASH_BYTES;
/// Bytes of the target's second message.
pub const ANSWER_BYTES: usize = HASH_BYTES;

/// The target's side of an opening.
pub struct Challenge([u8; RANDOM_BYTES]);

/// What becomes of a connection whose initiator has proven itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It is the one that the two PEs use.
    Welcome,
    /// The target has opened one as well, or is about to, and that one is to be used.
    Crossing,
}

impl Admission {
    /// The name under which a target says it.
    fn name(self) -> &'static str {
        match self {
            Admission::Welcome => "target",
            Admission::Crossing => "target, crossing",
        }
    }
}

impl Challenge {
    /// A fresh one.
    pub fn new() -> Result<Self> {
        Ok(Challenge(random()?))
    }

    /// What is sent.
    pub fn encode(&self) -> [u8; CHALLENGE_BYTES] {
        let mut bytes = [0; CHALLENGE_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..].copy_from_slice(&self.0);
        bytes
    }

    /// Judge what an initiator sent back to `me`, of a job of `size`. The error never says which part was wrong.
    pub fn judge(&self, claim: &[u8; CLAIM_BYTES], secret: &Secret, me: Pe, size: u32) -> Result<Pe> {
        let (from, to, theirs) = parts(claim);
        let known = speaks("initiator", secret, from, to, &self.0, theirs).verify_slice(&claim[16 + RANDOM_BYTES..]);
        if known.is_err() || claim[..8] != MAGIC || to != me || from.0 >= size {
            return Err(Error::new("whoever connected does not know the job's secret"));
        }
        Ok(from)
    }

    /// The target's proof, in answer to a claim that was proven.
    pub fn answer(&self, claim: &[u8; CLAIM_BYTES], secret: &Secret, admission: Admission) -> [u8; ANSWER_BYTES] {
        let (from, to, theirs) = parts(claim);
        speaks(admission.name(), secret, from, to, &self.0, theirs).finalize().into_bytes().into()
    }
}

/// From whom, to whom, and the initiator's random bytes.
fn parts(claim: &[u8; CLAIM_BYTES]) -> (Pe, Pe, &[u8]) {
    let word = |at: usize| u32::from_le_bytes([claim[at], claim[at + 1], claim[at + 2], claim[at + 3]]);
    (Pe(word(8)), Pe(word(12)), &claim[16..16 + RANDOM_BYTES])
}

/// The initiator's side of an opening.
pub struct Claim {
    from: Pe,
    to: Pe,
    challenge: [u8; RANDOM_BYTES],
    mine: [u8; RANDOM_BYTES],
}

impl Claim {
    /// Take up a challenge: `from` wants to speak to `to`.
    pub fn new(challenge: &[u8; CHALLENGE_BYTES], from: Pe, to: Pe) -> Result<Self> {
        if challenge[..8] != MAGIC {
            return Err(Error::new("the other end does not speak this version of the protocol"));
        }
        let mut theirs = [0; RANDOM_BYTES];
        theirs.copy_from_slice(&challenge[8..]);
        Ok(Claim { from, to, challenge: theirs, mine: random()? })
    }

    /// What is sent.
    pub fn encode(&self, secret: &Secret) -> [u8; CLAIM_BYTES] {
        let mut bytes = [0; CLAIM_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&self.from.0.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.to.0.to_le_bytes());
        bytes[16..16 + RANDOM_BYTES].copy_from_slice(&self.mine);
        let hash = speaks("initiator", secret, self.from, self.to, &self.challenge, &self.mine).finalize();
        bytes[16 + RANDOM_BYTES..].copy_from_slice(&hash.into_bytes());
        bytes
    }

    /// Judge the target's proof; gives what it says about the connection.
    pub fn judge(&self, answer: &[u8; ANSWER_BYTES], secret: &Secret) -> Result<Admission> {
        let said = |admission: &Admission| {
            speaks(admission.name(), secret, self.from, self.to, &self.challenge, &self.mine)
                .verify_slice(answer)
                .is_ok()
        };
        let all = [Admission::Welcome, Admission::Crossing];
        all.into_iter().find(said).ok_or_else(|| Error::new("the other end does not know the job's secret"))
    }
}

fn speaks(side: &str, secret: &Secret, from: Pe, to: Pe, challenge: &[u8], claim: &[u8]) -> Hmac<Sha256> {
    let mut hash = Hmac::<Sha256>::new_from_slice(&secret.0).expect("HMAC takes keys of any length");
    hash.update(&MAGIC);
    hash.update(side.as_bytes());
    hash.update(&from.0.to_le_bytes());
    hash.update(&to.0.to_le_bytes());
    hash.update(challenge);
    hash.update(claim);
    hash
}

fn random() -> Result<[u8; RANDOM_BYTES]> {
    let mut bytes = [0; RANDOM_BYTES];
    getrandom::fill(&mut bytes).map_err(|e| Error::because("asking the system for random bytes", e.to_string()))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: Secret = Secret([7; 32]);

    #[test]
    fn both_sides_are_convinced() {
        let challenge = Challenge::new().unwrap();
        let claim = Claim::new(&challenge.encode(), Pe(3), Pe(1)).unwrap();
        let bytes = claim.encode(&SECRET);
        assert_eq!(challenge.judge(&bytes, &SECRET, Pe(1), 4).unwrap(), Pe(3));
        for admission in [Admission::Welcome, Admission::Crossing] {
            let answer = challenge.answer(&bytes, &SECRET, admission);
            assert_eq!(claim.judge(&answer, &SECRET).unwrap(), admission);
            for at in 0..ANSWER_BYTES {
                let mut bent = answer;
                bent[at] ^= 1;
                claim.judge(&bent, &SECRET).unwrap_err();
            }
        }
    }

    #[test]
    fn strangers_replays_and_reflections_fail() {
        let challenge = Challenge::new().unwrap();
        let claim = Claim::new(&challenge.encode(), Pe(3), Pe(1)).unwrap();
        let bytes = claim.encode(&SECRET);
        let judge = |c: &Challenge, bytes: &[u8; CLAIM_BYTES], me, size| c.judge(bytes, &SECRET, Pe(me), size).is_ok();
        assert!(judge(&challenge, &bytes, 1, 4));
        assert!(!judge(&Challenge::new().unwrap(), &bytes, 1, 4), "replayed to another challenge");
        assert!(!judge(&challenge, &bytes, 2, 4), "meant for another PE");
        assert!(!judge(&challenge, &bytes, 1, 3), "from a PE that the job does not have");
        assert!(!judge(&challenge, &claim.encode(&Secret([8; 32])), 1, 4), "another secret");
        for at in 0..CLAIM_BYTES {
            let mut bent = bytes;
            bent[at] ^= 1;
            assert!(!judge(&challenge, &bent, 1, 4), "byte {at} changed");
        }
        let mut reflected = [0; ANSWER_BYTES];
        reflected.copy_from_slice(&bytes[CLAIM_BYTES - HASH_BYTES..]);
        assert!(claim.judge(&reflected, &SECRET).is_err());
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert_eq!(format!("{SECRET:?}"), "Secret(..)");
    }
}
