//! Mutual authentication: the four messages that open a connection, as pure functions.
//!
//! ```text
//! initiator  -> target      Knock       magic, own PE, wanted PE, 32 random bytes, keyed hash
//! target     -> initiator   Challenge   magic, 32 random bytes, keyed hash
//! initiator  -> target      Claim       keyed hash
//! target     -> initiator   Answer      keyed hash
//! ```
//!
//! Each hash is HMAC-SHA256 under a key derived from the job's secret. It covers the name of the message, both PEs and all random bytes so
//! far. Hashes are compared in constant time. The messages serve these purposes:
//!
//! - A **knock** shows the target that its sender belongs to the job, before the target keeps more than a few bytes for it (`acceptor`). An
//!   attacker that overhears a knock elsewhere can replay it, and gets no further: a knock admits no peer.
//! - The **challenge** proves the target: it covers the initiator's random bytes. A connection that reached the wrong PE (two hosts may use
//!   the same private address) ends here, and so does a connection to an impostor. Only a proven target receives the claim.
//! - The **claim** proves the initiator: it covers the target's random bytes.
//! - The **answer** reports that the claim was accepted, and whether the connection is the one to use ([`Admission`]).
//!
//! So neither side acts before the other has shown that it knows the secret. Messages overheard on one connection are worthless on another,
//! since each side contributes fresh random bytes. A hash cannot be sent back to its author, since it covers the name of its message.
//!
//! After the opening, both sides also have two keys that no third party knows and no other connection has. Records are sealed with them
//! (`seal`) if the job asks for it. The hashes cover this choice: an end that seals and one that does not are strangers to each other.

use ferrite_engine::{Error, Pe, Result};
use ring::{
    hmac,
    rand::{SecureRandom, SystemRandom},
};
use std::fmt;

/// The secret that all PEs of a job know, and no other process: derived from the job's secret for this purpose alone.
#[derive(Clone, Copy)]
pub struct Secret(pub [u8; 32]);

impl Secret {
    /// A number that identifies the job to anyone and reveals nothing about the secret.
    pub fn job(&self) -> u64 {
        keyed(&self.0, b"the job's number").iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// Parameters that both ends agree on before they connect.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// The secret that both ends know.
    pub secret: Secret,
    /// Whether traffic after the opening is sealed.
    pub sealed: bool,
}

/// First bytes on every connection, from both sides. Each version of the protocol has its own.
const MAGIC: [u8; 8] = *b"ferrite4";
/// Number of random bytes that each side contributes.
pub const RANDOM_BYTES: usize = 32;
const HASH_BYTES: usize = 32;
const NAMED_BYTES: usize = MAGIC.len() + 4 + 4 + RANDOM_BYTES;
/// Bytes of the initiator's first message.
pub const KNOCK_BYTES: usize = NAMED_BYTES + HASH_BYTES;
/// Bytes of the target's first message.
pub const CHALLENGE_BYTES: usize = MAGIC.len() + RANDOM_BYTES + HASH_BYTES;
/// Bytes of the initiator's second message.
pub const CLAIM_BYTES: usize = HASH_BYTES;
/// Bytes of the target's second message.
pub const ANSWER_BYTES: usize = HASH_BYTES;

/// The target's decision about a connection whose initiator has proven itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// The two PEs use this connection.
    Welcome,
    /// The target has opened a connection too, or is about to, and the two PEs use that one.
    Crossing,
}

impl Admission {
    /// Name of the answer that carries this decision.
    fn name(self) -> &'static str {
        match self {
            Admission::Welcome => "answer: welcome",
            Admission::Crossing => "answer: crossing",
        }
    }
}

/// The keys of one connection, with which each side seals the bytes it sends.
#[derive(Clone, Copy)]
pub struct Keys {
    /// Key for the bytes that this side sends.
    pub sending: [u8; 32],
    /// Key for the bytes that the other side sends.
    pub receiving: [u8; 32],
}

/// Contents of the messages so far, which all later messages cover.
#[derive(Clone, Copy)]
struct Transcript {
    from: Pe,
    to: Pe,
    initiator: [u8; RANDOM_BYTES],
    /// All zero in a knock, to which the target has contributed nothing.
    target: [u8; RANDOM_BYTES],
}

impl Transcript {
    /// The bytes that a hash of this name covers.
    fn covered(&self, name: &str, terms: &Terms) -> Vec<u8> {
        let wish: &[u8] = if terms.sealed { b", sealed" } else { b"" };
        let (from, to) = (self.from.0.to_le_bytes(), self.to.0.to_le_bytes());
        [&MAGIC, &from[..], &to, &self.initiator, &self.target, name.as_bytes(), wish].concat()
    }

    fn hash(&self, name: &str, terms: &Terms) -> [u8; HASH_BYTES] {
        keyed(&terms.secret.0, &self.covered(name, terms))
    }

    /// Verify a hash, in a time that reveals nothing.
    fn is_hash(&self, said: &[u8], name: &str, terms: &Terms) -> bool {
        hmac::verify(&key(&terms.secret.0), &self.covered(name, terms), said).is_ok()
    }

    /// Keys of both directions, the initiator's first.
    fn keys(&self, terms: &Terms) -> [[u8; 32]; 2] {
        ["key of the initiator", "key of the target"].map(|name| self.hash(name, terms))
    }
}

/// The initiator's side, before the target has answered.
pub struct Knock(Transcript);

impl Knock {
    /// A knock of `from` at `to`.
    pub fn new(from: Pe, to: Pe) -> Result<Self> {
        Ok(Knock(Transcript { from, to, initiator: random()?, target: [0; RANDOM_BYTES] }))
    }

    /// The bytes to send.
    pub fn encode(&self, terms: &Terms) -> [u8; KNOCK_BYTES] {
        let Knock(said) = self;
        let mut bytes = [0; KNOCK_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..12].copy_from_slice(&said.from.0.to_le_bytes());
        bytes[12..16].copy_from_slice(&said.to.0.to_le_bytes());
        bytes[16..NAMED_BYTES].copy_from_slice(&said.initiator);
        bytes[NAMED_BYTES..].copy_from_slice(&said.hash("knock", terms));
        bytes
    }

    /// Check the challenge of the target. Return the claim, which only the right PE gets.
    pub fn judge(&self, challenge: &[u8; CHALLENGE_BYTES], terms: &Terms) -> Result<Claim> {
        if challenge[..8] != MAGIC {
            return Err(Error::new("the other end does not speak this version of the protocol"));
        }
        let (theirs, hash) = challenge[8..].split_at(RANDOM_BYTES);
        let mut said = self.0;
        said.target.copy_from_slice(theirs);
        if said.is_hash(hash, "challenge", terms) { Ok(Claim(said)) } else { Err(stranger("the other end")) }
    }
}

/// The initiator's side, after the target has proven itself.
pub struct Claim(Transcript);

impl Claim {
    /// The bytes to send.
    pub fn encode(&self, terms: &Terms) -> [u8; CLAIM_BYTES] {
        self.0.hash("claim", terms)
    }

    /// The decision of the target, from its answer.
    pub fn judge(&self, answer: &[u8; ANSWER_BYTES], terms: &Terms) -> Result<Admission> {
        let all = [Admission::Welcome, Admission::Crossing];
        let said = |admission: &Admission| self.0.is_hash(answer, admission.name(), terms);
        all.into_iter().find(said).ok_or_else(|| stranger("the other end"))
    }

    /// The keys of the connection, if it is sealed.
    pub fn keys(&self, terms: &Terms) -> Option<Keys> {
        let [sending, receiving] = self.0.keys(terms);
        terms.sealed.then_some(Keys { sending, receiving })
    }
}

/// The target's side, after a knock from the job.
pub struct Challenge(Transcript);

impl Challenge {
    /// Check a knock at `me`, in a job of `size` PEs. The error never says which part was wrong.
    pub fn to(knock: &[u8; KNOCK_BYTES], terms: &Terms, me: Pe, size: u32) -> Result<Self> {
        let word = |at: usize| Pe(u32::from_le_bytes([knock[at], knock[at + 1], knock[at + 2], knock[at + 3]]));
        let mut said =
            Transcript { from: word(8), to: word(12), initiator: [0; RANDOM_BYTES], target: [0; RANDOM_BYTES] };
        said.initiator.copy_from_slice(&knock[16..NAMED_BYTES]);
        let known = said.is_hash(&knock[NAMED_BYTES..], "knock", terms);
        if !known || knock[..8] != MAGIC || said.to != me || said.from.0 >= size {
            return Err(stranger("whoever connected"));
        }
        said.target = random()?;
        Ok(Challenge(said))
    }

    /// Whether these bytes may be the beginning of a knock.
    pub fn may_begin(bytes: &[u8]) -> bool {
        bytes.iter().zip(&MAGIC).all(|(said, right)| said == right)
    }

    /// The PE that knocked. The knock may also be a replay by an attacker that overheard it.
    pub fn from(&self) -> Pe {
        self.0.from
    }

    /// Random bytes of a knock. Two knocks with the same bytes are one knock, recorded and replayed.
    pub fn knock(&self) -> [u8; RANDOM_BYTES] {
        self.0.initiator
    }

    /// The bytes to send.
    pub fn encode(&self, terms: &Terms) -> [u8; CHALLENGE_BYTES] {
        let mut bytes = [0; CHALLENGE_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..8 + RANDOM_BYTES].copy_from_slice(&self.0.target);
        bytes[8 + RANDOM_BYTES..].copy_from_slice(&self.0.hash("challenge", terms));
        bytes
    }

    /// Check the claim of the PE that knocked. Return the PE.
    pub fn judge(&self, claim: &[u8; CLAIM_BYTES], terms: &Terms) -> Result<Pe> {
        if self.0.is_hash(claim, "claim", terms) { Ok(self.0.from) } else { Err(stranger("whoever connected")) }
    }

    /// The bytes to send in answer to a valid claim.
    pub fn answer(&self, terms: &Terms, admission: Admission) -> [u8; ANSWER_BYTES] {
        self.0.hash(admission.name(), terms)
    }

    /// The keys of the connection, if it is sealed.
    pub fn keys(&self, terms: &Terms) -> Option<Keys> {
        let [receiving, sending] = self.0.keys(terms);
        terms.sealed.then_some(Keys { sending, receiving })
    }
}

fn stranger(who: &str) -> Error {
    Error::new(format!("{who} does not know the job's secret"))
}

/// HMAC-SHA256.
pub(crate) fn keyed(secret: &[u8; 32], bytes: &[u8]) -> [u8; HASH_BYTES] {
    hmac::sign(&key(secret), bytes).as_ref().try_into().expect("SHA-256 gives 32 bytes")
}

fn key(secret: &[u8; 32]) -> hmac::Key {
    hmac::Key::new(hmac::HMAC_SHA256, secret)
}

fn random() -> Result<[u8; RANDOM_BYTES]> {
    let mut bytes = [0; RANDOM_BYTES];
    SystemRandom::new().fill(&mut bytes).map_err(|_| Error::new("the kernel has no random bytes"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TERMS: Terms = Terms { secret: Secret([7; 32]), sealed: true };
    const OTHERS: [Terms; 2] = [Terms { secret: Secret([8; 32]), ..TERMS }, Terms { sealed: false, ..TERMS }];
    const ME: Pe = Pe(1);

    /// A knock of PE 3 at PE 1, the challenge of PE 1, and the claim.
    fn opening() -> (Knock, Challenge, Claim) {
        let knock = Knock::new(Pe(3), ME).unwrap();
        let challenge = Challenge::to(&knock.encode(&TERMS), &TERMS, ME, 4).unwrap();
        let claim = knock.judge(&challenge.encode(&TERMS), &TERMS).unwrap();
        (knock, challenge, claim)
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
    fn both_sides_are_convinced_by_nothing_else() {
        let (knock, challenge, claim) = opening();
        assert_eq!(challenge.judge(&claim.encode(&TERMS), &TERMS).unwrap(), Pe(3));
        is_refused_if_bent(knock.encode(&TERMS), |bytes| Challenge::to(bytes, &TERMS, ME, 4).is_ok());
        is_refused_if_bent(challenge.encode(&TERMS), |bytes| knock.judge(bytes, &TERMS).is_ok());
        is_refused_if_bent(claim.encode(&TERMS), |bytes| challenge.judge(bytes, &TERMS).is_ok());
        for admission in [Admission::Welcome, Admission::Crossing] {
            let answer = challenge.answer(&TERMS, admission);
            is_refused_if_bent(answer, |bytes| claim.judge(bytes, &TERMS).ok() == Some(admission));
        }
    }

    #[test]
    fn strangers_replays_and_reflections_fail() {
        let (knock, challenge, claim) = opening();
        let bytes = knock.encode(&TERMS);
        assert!(Challenge::to(&bytes, &TERMS, Pe(2), 4).is_err(), "meant for another PE");
        assert!(Challenge::to(&bytes, &TERMS, ME, 3).is_err(), "from a PE that the job does not have");
        for other in &OTHERS {
            assert!(Challenge::to(&bytes, other, ME, 4).is_err(), "{other:?}");
            assert!(knock.judge(&challenge.encode(other), &TERMS).is_err(), "{other:?}");
            assert!(challenge.judge(&claim.encode(other), &TERMS).is_err(), "{other:?}");
        }
        // A knock may be overheard and replayed; the messages after it belong to another opening.
        let again = Challenge::to(&bytes, &TERMS, ME, 4).unwrap();
        assert!(again.judge(&claim.encode(&TERMS), &TERMS).is_err(), "a claim is heard once");
        let fresh = Knock::new(Pe(3), ME).unwrap();
        assert!(fresh.judge(&challenge.encode(&TERMS), &TERMS).is_err(), "a challenge is heard once");
        assert!(claim.judge(&claim.encode(&TERMS), &TERMS).is_err(), "a claim sent back is no answer");
    }

    #[test]
    fn both_sides_have_keys_that_no_other_connection_has() {
        let (_, challenge, claim) = opening();
        let (there, here) = (challenge.keys(&TERMS).unwrap(), claim.keys(&TERMS).unwrap());
        assert_eq!((there.sending, there.receiving), (here.receiving, here.sending));
        let other = opening().2.keys(&TERMS).unwrap();
        let all = [here.sending, here.receiving, other.sending, other.receiving];
        assert!((0..4).all(|at| !all[..at].contains(&all[at])));
        assert!(claim.keys(&OTHERS[1]).is_none(), "nothing is sealed");
    }

    #[test]
    fn a_secret_is_not_shown() {
        assert!(!format!("{TERMS:?}").contains('7'), "{TERMS:?}");
    }
}
