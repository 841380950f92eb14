//! Key that a peer needs to reach a segment: all extents of the segment, each with UCX's own key.
//!
//! A segment that grows at its end is registered piece by piece, so earlier registrations stay as they are. UCX names remote memory by the
//! owner's virtual address. That address is sent in this key and nowhere else.

use ferrite_fabric::{Error, Result};

/// A piece of a segment, as a key describes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extent {
    /// Offset of the piece in the segment.
    pub offset: u64,
    pub len: u64,
    /// Address of the piece in its owner's memory.
    pub address: u64,
    /// UCX's packed key.
    pub packed: Vec<u8>,
}

const HEAD_BYTES: usize = 28;

/// Encode extents as the bytes of a key.
pub fn encode<'a>(extents: impl Iterator<Item = &'a Extent>) -> Box<[u8]> {
    let mut bytes = Vec::new();
    for extent in extents {
        for word in [extent.offset, extent.len, extent.address] {
            bytes.extend_from_slice(&word.to_le_bytes());
        }
        bytes.extend_from_slice(&(extent.packed.len() as u32).to_le_bytes());
        bytes.extend_from_slice(&extent.packed);
    }
    bytes.into()
}

/// Decode the extents of a key, in the order of their offsets.
pub fn decode(mut bytes: &[u8]) -> Result<Vec<Extent>> {
    let mut extents: Vec<Extent> = Vec::new();
    while !bytes.is_empty() {
        let (extent, rest) = first(bytes).ok_or_else(|| Error::new("a peer's key is cut short"))?;
        let end = extents.last().map_or(0, |last| last.offset + last.len);
        if extent.offset != end || end.checked_add(extent.len).is_none() {
            return Err(Error::new("the extents of a peer's key do not follow each other"));
        }
        extents.push(extent);
        bytes = rest;
    }
    Ok(extents)
}

fn first(bytes: &[u8]) -> Option<(Extent, &[u8])> {
    let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
    let word = |at: usize| head[at..at + 8].try_into().map(u64::from_le_bytes).ok();
    let len = u32::from_le_bytes(head[24..].try_into().ok()?);
    let (packed, rest) = rest.split_at_checked(len as usize)?;
    let extent = Extent { offset: word(0)?, len: word(8)?, address: word(16)?, packed: packed.to_vec() };
    Some((extent, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn extents() -> Vec<Extent> {
        vec![
            Extent { offset: 0, len: 4096, address: 0x7000_0000, packed: vec![1, 2, 3] },
            Extent { offset: 4096, len: 1, address: 0x7000_1000, packed: Vec::new() },
        ]
    }

    #[test]
    fn a_key_holds_all_extents() {
        assert_eq!(decode(&encode(extents().iter())).unwrap(), extents());
        assert_eq!(decode(&[]).unwrap(), []);
    }

    #[test]
    fn a_damaged_key_is_refused() {
        let bytes = encode(extents().iter());
        let whole = |len: usize| len == 0 || len == HEAD_BYTES + 3 || len == bytes.len();
        for len in (0..bytes.len()).filter(|&len| !whole(len)) {
            decode(&bytes[..len]).unwrap_err();
        }
        let mut moved = extents();
        moved[1].offset += 1;
        decode(&encode(moved.iter())).unwrap_err();
        moved[1] = Extent { offset: 4096, len: u64::MAX, ..moved[1].clone() };
        decode(&encode(moved.iter())).unwrap_err();
    }
}
