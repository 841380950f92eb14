//! Registered memory, and the keys by which peers reach it.
//!
//! A segment that grows at its end is registered extent by extent, so earlier registrations stay as they are. The segment's key lists all
//! extents. If a peer meets an offset beyond the extents that it knows, it looks the key up again. If the provider lets Ferrite choose
//! keys, and they are too wide to be guessed, they are random: a process that can reach the endpoint but was not told the keys reaches no
//! memory. Narrow keys are a function of segment and extent, and only lengths are sent to peers.

use ferrite_engine::{Error, Result, SegmentId};
use rustix::rand::{GetRandomFlags, getrandom};

const ADDRESSED: u8 = 1;
const KEYS: u8 = 2;
/// Maximum number of extents of a segment: the extent's number is a part of its key.
pub const EXTENTS_MAX: usize = 1 << 16;

/// Draw a key that cannot be guessed, for an extent whose key Ferrite may choose. The highest bits stay zero: they are left to providers.
pub fn random_key() -> Result<u64> {
    let mut bytes = [0; 8];
    loop {
        match getrandom(&mut bytes, GetRandomFlags::empty()) {
            Ok(8) => return Ok(u64::from_le_bytes(bytes) >> 2),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(Error::because("getting a random key from the kernel", error)),
        }
    }
}

/// Key of an extent, for providers whose keys are too narrow to be random. The key is small, because some providers have few bits.
/// Ferrite's keys are the only ones in their domain; the keys of local registrations are larger.
pub fn chosen_key(segment: SegmentId, extent: usize) -> u64 {
    u64::from(segment.0) | (extent as u64) << 8
}

/// The key of the `n`th local registration.
pub fn local_key(n: u64) -> u64 {
    (1 << 24) + n
}

/// One registered piece of a segment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Offset of the extent's first byte in the segment.
    pub start: u64,
    pub len: u64,
    /// The address or offset by which calls name its first byte.
    pub at: u64,
    /// The provider's key.
    pub key: u64,
}

impl Extent {
    /// Place of an offset of the segment; `None` if the offset is not in this extent.
    #[inline]
    pub fn spot(self, offset: u64) -> Option<Spot> {
        let inner = offset.wrapping_sub(self.start);
        (inner < self.len).then(|| Spot { at: self.at + inner, key: self.key, room: self.len - inner })
    }
}

/// The registered memory of a segment, as peers reach it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reach {
    /// Address of the segment's first byte, if the provider names memory by addresses.
    pub base: Option<u64>,
    /// The extents, in ascending order and without gaps.
    pub extents: Vec<Extent>,
}

/// A place in memory as calls name it, and the bytes from there to the extent's end.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spot {
    /// Address or offset.
    pub at: u64,
    /// Key of the extent.
    pub key: u64,
    /// Bytes that one operation can reach.
    pub room: u64,
}

impl Reach {
    /// Number of bytes in all extents.
    pub fn len(&self) -> u64 {
        self.extents.last().map_or(0, |last| last.start + last.len)
    }

    /// Append an extent of `len` bytes with this key.
    pub fn push(&mut self, len: u64, key: u64) {
        let start = self.len();
        self.extents.push(Extent { start, len, at: self.base.map_or(0, |base| base + start), key });
    }

    /// Find the extent that contains `offset`, and the place in it.
    pub fn find(&self, offset: u64) -> Option<(Extent, Spot)> {
        let i = self.extents.partition_point(|extent| extent.start <= offset).checked_sub(1)?;
        let extent = *self.extents.get(i)?;
        extent.spot(offset).map(|spot| (extent, spot))
    }

    /// Encode for peers. `keyed`: the keys are included, because peers cannot compute them.
    pub fn encode(&self, keyed: bool) -> Box<[u8]> {
        let flag = |is, flag| if is { flag } else { 0 };
        let mut bytes = vec![flag(self.base.is_some(), ADDRESSED) | flag(keyed, KEYS)];
        bytes.extend(self.base.iter().flat_map(|base| base.to_le_bytes()));
        for extent in &self.extents {
            bytes.extend(extent.len.to_le_bytes());
            if keyed {
                bytes.extend(extent.key.to_le_bytes());
            }
        }
        bytes.into()
    }

    /// Decode the bytes that [`Reach::encode`] made for `segment`.
    pub fn decode(segment: SegmentId, bytes: &[u8]) -> Result<Self> {
        let wrong = || Error::new(format!("{} bytes are not the key of a segment", bytes.len()));
        let (&flags, mut rest) = bytes.split_first().ok_or_else(wrong)?;
        let mut word = || {
            let (word, tail) = rest.split_first_chunk::<8>()?;
            rest = tail;
            Some(u64::from_le_bytes(*word))
        };
        if flags & !(ADDRESSED | KEYS) != 0 {
            return Err(wrong());
        }
        let base = if flags & ADDRESSED != 0 { Some(word().ok_or_else(wrong)?) } else { None };
        let mut reach = Reach { base, extents: Vec::new() };
        while let Some(len) = word() {
            let chosen = chosen_key(segment, reach.extents.len());
            let key = if flags & KEYS != 0 { word().ok_or_else(wrong)? } else { chosen };
            let end = reach.len().checked_add(len).and_then(|end| end.checked_add(base.unwrap_or_default()));
            end.ok_or_else(wrong)?;
            reach.push(len, key);
        }
        if rest.is_empty() { Ok(reach) } else { Err(wrong()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(base: Option<u64>, keys: [u64; 3]) -> Reach {
        let mut reach = Reach { base, extents: Vec::new() };
        [100, 1, 4096].into_iter().zip(keys).for_each(|(len, key)| reach.push(len, key));
        reach
    }

    #[test]
    fn keys_survive_the_bootstrap() {
        let segment = SegmentId::STATICS;
        let own = [7, u64::MAX - 1, 0];
        let ours = [0, 1, 2].map(|i| chosen_key(segment, i));
        for (reach, chosen) in [
            (reach(None, own), true),
            (reach(Some(1 << 45), own), true),
            (reach(None, ours), false),
            (reach(Some(9), ours), false),
            (Reach::default(), true),
        ] {
            let bytes = reach.encode(chosen);
            assert_eq!(Reach::decode(segment, &bytes).unwrap(), reach);
            for len in 0..bytes.len() {
                if let Ok(less) = Reach::decode(segment, &bytes[..len]) {
                    assert!(less.extents.len() < reach.extents.len() || reach.extents.is_empty());
                }
            }
        }
        Reach::decode(segment, &[]).unwrap_err();
        Reach::decode(segment, &[4]).unwrap_err();
        Reach::decode(segment, &[0xff; 40]).unwrap_err();
    }

    #[test]
    fn offsets_are_found_in_their_extents() {
        let keys = [10, 11, 12];
        let spot = |base, offset| reach(base, keys).find(offset).map(|(_, s)| (s.at, s.key, s.room));
        for (offset, offsets, addresses) in [
            (0, Some((0, 10, 100)), Some((1000, 10, 100))),
            (99, Some((99, 10, 1)), Some((1099, 10, 1))),
            (100, Some((0, 11, 1)), Some((1100, 11, 1))),
            (101, Some((0, 12, 4096)), Some((1101, 12, 4096))),
            (4196, Some((4095, 12, 1)), Some((5196, 12, 1))),
            (4197, None, None),
            (u64::MAX, None, None),
        ] {
            assert_eq!(spot(None, offset), offsets, "{offset}");
            assert_eq!(spot(Some(1000), offset), addresses, "{offset}");
        }
        assert_eq!(Reach::default().find(0), None);
        let (second, _) = reach(None, keys).find(100).unwrap();
        assert_eq!((second.spot(99), second.spot(101)), (None, None), "an extent ends");
    }

    #[test]
    fn random_keys_differ_and_leave_room() {
        let keys = [(); 3].map(|()| random_key().unwrap());
        assert!(keys[0] != keys[1] && keys[1] != keys[2] && keys.iter().all(|key| key >> 62 == 0), "{keys:x?}");
    }

    #[test]
    fn keys_are_apart() {
        let mut keys: Vec<u64> = (0..=255).flat_map(|s| (0..9).map(move |e| chosen_key(SegmentId(s), e))).collect();
        keys.extend((0..9).map(local_key));
        keys.push(chosen_key(SegmentId(255), EXTENTS_MAX - 1));
        let count = keys.len();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), count);
    }
}
