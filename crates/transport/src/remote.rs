//! Descriptions of registered memory, which any channel may carry.

use crate::{Error, Result};
use ferrite_fabric::{Key, Pe, SegmentId};

/// Version of the encoding, in its first byte.
const VERSION: u8 = 1;
/// Size of the part before the key: version, segment, rank and length.
const HEAD_BYTES: usize = 14;

/// Registered memory of a member, as the others address it. [`Group::find`](crate::Group::find) returns it, or
/// [`Group::import`](crate::Group::import) for bytes that came by another channel.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Remote {
    pub(crate) pe: Pe,
    pub(crate) segment: SegmentId,
    pub(crate) len: u64,
    pub(crate) key: Key,
}

impl Remote {
    /// Rank of the member whose memory it is.
    pub fn rank(&self) -> u32 {
        self.pe.0
    }

    /// Size in bytes.
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// True if it has no bytes.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Encode as bytes, for members of the same group.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = vec![VERSION, self.segment.0];
        bytes.extend(self.pe.0.to_le_bytes());
        bytes.extend(self.len.to_le_bytes());
        bytes.extend(&self.key.0);
        bytes
    }

    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Remote> {
        let wrong = || Error::Argument(format!("{} bytes are not the description of registered memory", bytes.len()));
        let (head, key) = bytes.split_at_checked(HEAD_BYTES).ok_or_else(wrong)?;
        let [VERSION, segment, place @ ..] = head else { return Err(wrong()) };
        let (rank, len) = place.split_at(size_of::<u32>());
        Ok(Remote {
            pe: Pe(u32::from_le_bytes(rank.try_into().map_err(|_| wrong())?)),
            segment: SegmentId(*segment),
            len: u64::from_le_bytes(len.try_into().map_err(|_| wrong())?),
            key: Key(key.into()),
        })
    }

    /// Check that `len` bytes at `offset` are within the memory.
    pub(crate) fn check(&self, offset: usize, len: usize) -> Result<()> {
        match offset.checked_add(len) {
            Some(end) if end as u64 <= self.len => Ok(()),
            _ => Err(Error::Argument(format!(
                "{len} bytes at offset {offset} are not within the {} bytes of member {}",
                self.len, self.pe.0
            ))),
        }
    }

    /// Check that a word at `offset` is within the memory, and aligned.
    pub(crate) fn check_word(&self, offset: usize) -> Result<()> {
        self.check(offset, size_of::<u64>())?;
        if offset.is_multiple_of(size_of::<u64>()) {
            return Ok(());
        }
        Err(Error::Argument(format!("offset {offset} is not a multiple of 8, as atomics need it")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn remote() -> Remote {
        Remote { pe: Pe(7), segment: SegmentId(3), len: 4096, key: Key([1, 2, 3].into()) }
    }

    #[test]
    fn bytes_come_back_as_they_were() {
        let bytes = remote().to_bytes();
        assert_eq!(Remote::from_bytes(&bytes), Ok(remote()));
        for len in 0..HEAD_BYTES {
            assert!(Remote::from_bytes(&bytes[..len]).is_err(), "{len}");
        }
        let other = [&[VERSION + 1], &bytes[1..]].concat();
        assert!(Remote::from_bytes(&other).is_err());
    }

    #[test]
    fn accesses_outside_of_the_memory_are_refused() {
        for (offset, len, fits) in [(0, 4096, true), (4096, 0, true), (4095, 2, false), (usize::MAX, 1, false)] {
            assert_eq!(remote().check(offset, len).is_ok(), fits, "{offset} {len}");
        }
        for (offset, fits) in [(0, true), (4088, true), (4, false), (4096, false)] {
            assert_eq!(remote().check_word(offset).is_ok(), fits, "{offset}");
        }
    }
}
