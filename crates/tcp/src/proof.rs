//! Who is there: the four messages that open a connection, as pure functions.
//!
//! ```text
//! initiator  -> target      Knock       magic, who I am, whom I want, 32 random bytes, keyed hash
//! target     -> initiator   Challenge   magic, 32 random bytes, keyed hash
//! initiator  -> target      Claim       keyed hash
//! target     -> initiator   Answer      keyed hash
//! ```
//!
//! Each hash is HMAC-SHA256 under a key derived from the job's secret, over the name of the message, both PEs and all random bytes so
//! far. Hashes are compared in constant time. What each message is for:
//!
//! - A **knock** shows the target that its sender belongs to the job, before the target keeps more than a few bytes of it (`acceptor`).
//!   Who heard one elsewhere can say it again, and gets no further: it admits nobody.
//! - The **challenge** proves the target: it covers the initiator's random bytes. A connection that reached the wrong PE (two hosts may use
//!   the same private address) ends here, and so does anybody else who answers there. Only a proven target is given the claim.
//! - The **claim** proves the initiator: it covers the target's random bytes.
//! - The **answer** says that the claim was accepted, and whether the connection is the one to use ([`Admission`]).
//!
//! So neither side acts before the other has shown that it knows the secret; what was heard on one connection is worth nothing on
//! another, since each side contributes fresh randomness; a hash cannot be sent back to where it came from, since messages are named.
//!
//! Both sides also know two keys then that nobody else knows, and no other connection has: records are sealed by them (`seal`), if the
//! job wishes. That wish is a part of what is hashed: an end that seals and one that does not are strangers.

use ferrite_engine::{Error, Pe, Result};
use ring::{
    hmac,
    rand::{SecureRandom, SystemRandom},
};
use std::fmt;

/// What all PEs of a job know, and nobody else: derived from the job's secret for this alone.
#[derive(Clone, Copy)]
pub struct Secret(pub [u8; 32]);

impl Secret {
    /// A number that names the job to anybody, and tells nothing of the secret.
    pub fn job(&self) -> u64 {
        keyed(&self.0, b"the job's number").iter().take(8).fold(0, |number, &byte| number << 8 | u64::from(byte))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// What both ends agree about before they meet.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What they both know.
    pub secret: Secret,
    /// What follows the opening is sealed.
    pub sealed: bool,
}

/// First on every connection, from both sides, and different in another version of the protocol.
const MAGIC: [u8; 8] = *b"ferrite4";
/// Random bytes of each side.
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

/// What becomes of a connection whose initiator has proven itself.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Admission {
    /// It is the one that the two PEs use.
    Welcome,
    /// The target has opened one as well, or is about to, and that one is to be used.
    Crossing,
}

impl Admission {
    /// The name of the answer that says it.
    fn name(self) -> &'static str {
        match self {
            Admission::Welcome => "answer: welcome",
            Admission::Crossing => "answer: crossing",
        }
    }
}

/// The secrets of one connection, by which each side seals what it sends.
#[derive(Clone, Copy)]
pub struct Keys {
    /// Of what this side sends.
    pub sending: [u8; 32],
    /// Of what the other side does.
    pub receiving: [u8; 32],
}

/// What was said so far, which all later messages cover.
#[derive(Clone, Copy)]
struct Transcript {
    from: Pe,
    to: Pe,
    initiator: [u8; RANDOM_BYTES],
    /// Nothing of the target's is in a knock.
    target: [u8; RANDOM_BYTES],
}

impl Transcript {
    /// What a hash of this name covers.
    fn covered(&self, name: &str, terms: &Terms) -> Vec<u8> {
        let wish: &[u8] = if terms.sealed { b", sealed" } else { b"" };
        let (from, to) = (self.from.0.to_le_bytes(), self.to.0.to_le_bytes());
        [&MAGIC, &from[..], &to, &self.initiator, &self.target, name.as_bytes(), wish].concat()
    }

    fn hash(&self, name: &str, terms: &Terms) -> [u8; HASH_BYTES] {
        keyed(&terms.secret.0, &self.covered(name, terms))
    }

    /// In a time that tells nothing.
    fn is_hash(&self, said: &[u8], name: &str, terms: &Terms) -> bool {
        hmac::verify(&key(&terms.secret.0), &self.covered(name, terms), said).is_ok()
    }

    /// Of both directions, the initiator's first.
    fn keys(&self, terms: &Terms) -> [[u8; 32]; 2] {
        ["key of the initiator", "key of the target"].map(|name| self.hash(name, terms))
    }
}

/// The initiator's side, before the target has said anything.
pub struct Knock(Transcript);

impl Knock {
    /// `from` wants to speak to `to`.
    pub fn new(from: Pe, to: Pe) -> Result<Self> {
        Ok(Knock(Transcript { from, to, initiator: random()?, target: [0; RANDOM_BYTES] }))
    }

    /// What is sent.
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

    /// Judge who answers: only the right PE gets the claim that this gives.
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

/// The initiator's side, when the target has proven itself.
pub struct Claim(Transcript);

impl Claim {
    /// What is sent.
    pub fn encode(&self, terms: &Terms) -> [u8; CLAIM_BYTES] {
        self.0.hash("claim", terms)
    }

    /// What the target has decided.
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

/// The target's side, when somebody of the job has knocked.
pub struct Challenge(Transcript);

impl Challenge {
    /// Judge who knocks at `me`, of a job of `size`. The error never says which part was wrong.
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

    /// Who has knocked, or somebody who has heard it do so.
    pub fn from(&self) -> Pe {
        self.0.from
    }

    /// Random bytes of a knock. Two knocks with the same bytes are one knock, recorded and replayed.
    pub fn knock(&self) -> [u8; RANDOM_BYTES] {
        self.0.initiator
    }

    /// What is sent.
    pub fn encode(&self, terms: &Terms) -> [u8; CHALLENGE_BYTES] {
        let mut bytes = [0; CHALLENGE_BYTES];
        bytes[..8].copy_from_slice(&MAGIC);
        bytes[8..8 + RANDOM_BYTES].copy_from_slice(&self.0.target);
        bytes[8 + RANDOM_BYTES..].copy_from_slice(&self.0.hash("challenge", terms));
        bytes
    }

    /// Judge the proof of who has knocked; gives who it is.
    pub fn judge(&self, claim: &[u8; CLAIM_BYTES], terms: &Terms) -> Result<Pe> {
        if self.0.is_hash(claim, "claim", terms) { Ok(self.0.from) } else { Err(stranger("whoever connected")) }
    }

    /// What is sent in answer to a claim that was proven.
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

    /// A knock of PE 3's at PE 1, what PE 1 makes of it, and the claim.
    fn opening() -> (Knock, Challenge, Claim) {
        let knock = Knock::new(Pe(3), ME).unwrap();
        let challenge = Challenge::to(&knock.encode(&TERMS), &TERMS, ME, 4).unwrap();
        let claim = knock.judge(&challenge.encode(&TERMS), &TERMS).unwrap();
        (knock, challenge, claim)
    }

    /// Changed in any byte, it is refused.
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
        // A knock may be heard and said again; what follows is another opening.
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
