//! Records: the form of a connection's traffic if the job seals it (`SHMEM_TCP_SEAL`).
//!
//! A record is a piece of the stream of frames: all bytes that wait when something is sent, cut at [`RECORD_BYTES_MAX`].
//!
//! | bytes | what |
//! |---|---|
//! | 4 | number of bytes of the stream in the record, little endian: 1 to [`RECORD_BYTES_MAX`] |
//! | that number | these bytes, encrypted |
//! | 16 | the tag, over these bytes and their number |
//!
//! The cipher is AES-128-GCM, which processors compute several times as fast as the kernel moves bytes. Each direction has a key of its own
//! from the opening of the connection (`proof`). The nonce is the number of the record in its direction, which is not transmitted. So a
//! record that was changed, left out, repeated or moved does not open, and none opens after it. An end of the stream within a record is
//! detected too. An end between two records is detected because each side announces its end ([`crate::wire::Frame::Bye`]), in a frame that
//! is sealed like all others.
//!
//! After [`KEY_RECORDS`] records the key is replaced by one that is derived from it: GCM is strongest if no key is used for ever.

use crate::proof::keyed;
use ring::aead::{AES_128_GCM, Aad, LessSafeKey, Nonce, UnboundKey};
use std::fmt;

/// Bytes of the stream in a record, at most.
pub const RECORD_BYTES_MAX: usize = 16 << 10;
/// Bytes of the length at the start of a record.
pub const LENGTH_BYTES: usize = 4;
/// Bytes of the tag.
pub const TAG_BYTES: usize = 16;
/// Records that are sealed with one key: 256 GB if all are full.
pub const KEY_RECORDS: u64 = 1 << 24;

/// Why a record does not open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Broken {
    /// No record has this length.
    Length(u32),
    /// It is not the record that was sent in this place.
    Changed,
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Broken::Length(len) => {
                write!(f, "a sealed record of {len} bytes, which does not exist: it was changed on the way")
            }
            Broken::Changed => f.write_str("a sealed record was changed, left out, repeated or moved on the way"),
        }
    }
}

impl std::error::Error for Broken {}

/// Length of the whole record at the start of `bytes`; `None` if too few bytes are here to tell.
pub fn record_bytes(bytes: &[u8]) -> Result<Option<usize>, Broken> {
    let Some((&len, _)) = bytes.split_first_chunk::<LENGTH_BYTES>() else { return Ok(None) };
    match u32::from_le_bytes(len) {
        len if len == 0 || len as usize > RECORD_BYTES_MAX => Err(Broken::Length(len)),
        len => Ok(Some(LENGTH_BYTES + len as usize + TAG_BYTES)),
    }
}

/// Seals or opens the records of one direction, at one end of a connection.
pub struct Direction {
    secret: [u8; 32],
    key: LessSafeKey,
    /// Number of the next record.
    number: u64,
}

impl Direction {
    /// The state before the first record.
    pub fn new(secret: [u8; 32]) -> Self {
        Direction { secret, key: key(&secret), number: 0 }
    }

    /// The nonce of the next record. Each nonce is used once per key.
    fn next(&mut self) -> Nonce {
        if self.number == KEY_RECORDS {
            *self = Direction::new(keyed(&self.secret, b"the next key"));
        }
        let mut nonce = [0; 12];
        nonce[4..].copy_from_slice(&self.number.to_be_bytes());
        self.number += 1;
        Nonce::assume_unique_for_key(nonce)
    }

    /// Seal the bytes that `write` appends, as a record behind the bytes in `records`.
    pub fn seal(&mut self, records: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
        let start = records.len();
        records.extend_from_slice(&[0; LENGTH_BYTES]);
        write(records);
        let len = records.len() - start - LENGTH_BYTES;
        debug_assert!((1..=RECORD_BYTES_MAX).contains(&len));
        let head = (len as u32).to_le_bytes();
        let (length, plain) = records[start..].split_at_mut(LENGTH_BYTES);
        length.copy_from_slice(&head);
        let nonce = self.next();
        let tag = self.key.seal_in_place_separate_tag(nonce, Aad::from(head), plain);
        let tag = tag.expect("a record is shorter than what one nonce may seal");
        records.extend_from_slice(tag.as_ref());
    }

    /// Open a whole record in place. Its bytes of the stream then lie at the start of `record`; return their number.
    pub fn open(&mut self, record: &mut [u8]) -> Result<usize, Broken> {
        let Some((&head, _)) = record.split_first_chunk::<LENGTH_BYTES>() else { return Err(Broken::Changed) };
        let nonce = self.next();
        let opened = self.key.open_within(nonce, Aad::from(head), record, LENGTH_BYTES..);
        opened.map(|plain| plain.len()).map_err(|_| Broken::Changed)
    }
}

fn key(secret: &[u8; 32]) -> LessSafeKey {
    let key = UnboundKey::new(&AES_128_GCM, &secret[..AES_128_GCM.key_len()]);
    LessSafeKey::new(key.expect("the key is as long as the algorithm's"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: [u8; 32] = [3; 32];

    fn records(sealer: &mut Direction, texts: &[&[u8]]) -> Vec<Vec<u8>> {
        let seal = |text: &&[u8]| {
            let mut record = Vec::new();
            sealer.seal(&mut record, |to| to.extend_from_slice(text));
            assert_eq!(record_bytes(&record), Ok(Some(record.len())));
            record
        };
        texts.iter().map(seal).collect()
    }

    fn open(opener: &mut Direction, record: &[u8]) -> Result<Vec<u8>, Broken> {
        let mut record = record.to_vec();
        let n = opener.open(&mut record)?;
        Ok(record[..n].to_vec())
    }

    #[test]
    fn records_open_once_in_their_order_and_unchanged() {
        let sent = records(&mut Direction::new(SECRET), &[b"one", b"two", &[7; RECORD_BYTES_MAX]]);
        let fresh = || Direction::new(SECRET);
        let mut right = fresh();
        assert_eq!(open(&mut right, &sent[0]).unwrap(), b"one");
        assert_eq!(open(&mut right, &sent[0]), Err(Broken::Changed), "replayed");
        let mut right = fresh();
        let all: Vec<_> = sent.iter().map(|record| open(&mut right, record).unwrap()).collect();
        assert_eq!(all.concat().len(), 6 + RECORD_BYTES_MAX);
        assert_eq!(open(&mut fresh(), &sent[1]), Err(Broken::Changed), "moved, or the first left out");
        for at in 0..sent[0].len() {
            let mut bent = sent[0].clone();
            bent[at] ^= 1;
            assert_eq!(open(&mut fresh(), &bent), Err(Broken::Changed), "byte {at} changed");
        }
        for len in 0..sent[0].len() {
            assert_eq!(open(&mut fresh(), &sent[0][..len]), Err(Broken::Changed), "cut to {len} bytes");
        }
        assert_eq!(open(&mut Direction::new([4; 32]), &sent[0]), Err(Broken::Changed), "another connection's");
    }

    #[test]
    fn nothing_of_the_text_is_seen() {
        let sent = records(&mut Direction::new(SECRET), &[&[b'x'; 64], &[b'x'; 64]]);
        assert!(sent[0][LENGTH_BYTES..] != sent[1][LENGTH_BYTES..], "the same text looks the same twice");
        assert!(sent.iter().all(|record| !record.windows(3).any(|part| part == b"xxx")));
    }

    #[test]
    fn keys_are_replaced_at_both_ends_alike() {
        let (mut sealer, mut opener) = (Direction::new(SECRET), Direction::new(SECRET));
        (sealer.number, opener.number) = (KEY_RECORDS - 1, KEY_RECORDS - 1);
        for sent in records(&mut sealer, &[b"last", b"first", b"second"]) {
            open(&mut opener, &sent).unwrap();
        }
        assert_eq!((sealer.number, sealer.secret == SECRET), (2, false));
    }
}
