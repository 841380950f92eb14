//! Pages: the values that one PE publishes in one exchange, as bytes; and long values split for a store of short ones.
//!
//! A page also holds the number of the last exchange in which its PE had published anything. So a look-up of an older
//! key follows the pages back, without trying exchanges in which nothing was published.

use crate::wire;
use ferrite_fabric::{Error, Result};

/// The longest page, in bytes.
pub(crate) const PAGE_MAX: usize = wire::FRAME_MAX;

/// The values that one PE publishes in one exchange.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Page {
    /// The exchange before this one in which this PE published something; 0 if there is none.
    pub before: u32,
    pub entries: Vec<(String, Vec<u8>)>,
}

impl Page {
    /// Number of bytes that `entries` take in a page.
    pub fn weight(entries: &[(String, Vec<u8>)]) -> usize {
        entries.iter().map(|(key, value)| key.len() + value.len() + 8).sum::<usize>() + 4
    }

    /// Encode as the number of the page before, then for each entry two lengths, the key and the value.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(Self::weight(&self.entries));
        bytes.extend(self.before.to_le_bytes());
        for (key, value) in &self.entries {
            bytes.extend([key.len() as u32, value.len() as u32].map(u32::to_le_bytes).as_flattened());
            bytes.extend(key.as_bytes());
            bytes.extend(value);
        }
        bytes
    }

    /// Decode what [`Page::encode`] wrote. Validates everything.
    pub fn decode(bytes: &[u8]) -> Option<Page> {
        let (before, mut rest) = bytes.split_first_chunk::<4>()?;
        let mut page = Page { before: u32::from_le_bytes(*before), entries: Vec::new() };
        while !rest.is_empty() {
            let (lengths, more) = rest.split_first_chunk::<8>()?;
            let length =
                |at: usize| u32::from_le_bytes([lengths[at], lengths[at + 1], lengths[at + 2], lengths[at + 3]]);
            let (key, more) = more.split_at_checked(length(0) as usize)?;
            let (value, more) = more.split_at_checked(length(4) as usize)?;
            page.entries.push((str::from_utf8(key).ok()?.to_owned(), value.to_vec()));
            rest = more;
        }
        Some(page)
    }

    /// The value under `key`: the last one, if there are several.
    pub fn find(&self, key: &str) -> Option<&[u8]> {
        self.entries.iter().rev().find(|(found, _)| found == key).map(|(_, value)| &value[..])
    }
}

/// The parts of a long value, none longer than `part_max`. The first begins with the value's length in four bytes.
pub(crate) fn parts(value: &[u8], part_max: usize) -> Vec<Vec<u8>> {
    let whole = [&(value.len() as u32).to_le_bytes()[..], value].concat();
    whole.chunks(part_max.max(4)).map(<[u8]>::to_vec).collect()
}

/// Join what [`parts`] split; `part` returns each part by its number. Validates all lengths.
pub(crate) fn join(mut part: impl FnMut(usize) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    let first = part(0)?;
    let Some((length, begin)) = first.split_first_chunk::<4>() else {
        return Err(Error::new("a value without its length"));
    };
    let length = u32::from_le_bytes(*length) as usize;
    if length > PAGE_MAX {
        return Err(Error::new(format!("a value of {length} bytes: at most {PAGE_MAX} are allowed")));
    }
    let mut value = begin.to_vec();
    let mut number = 1;
    while value.len() < length {
        let more = part(number)?;
        if more.is_empty() {
            return Err(Error::new(format!("a value of {length} bytes ends after {}", value.len())));
        }
        value.extend(more);
        number += 1;
    }
    if value.len() != length {
        return Err(Error::new(format!("a value of {} bytes that claims to have {length}", value.len())));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_that_lies_about_its_length_is_refused() {
        let claims = |length: u32, rest: &[u8]| [&length.to_le_bytes()[..], rest].concat();
        for first in [vec![1, 2], claims(3, b"four"), claims(u32::MAX, b""), claims(5, b"four")] {
            let mut parts = [first.clone(), Vec::new()].into_iter();
            assert!(join(|_| Ok(parts.next().unwrap())).is_err(), "{first:?}");
        }
    }

    proptest! {
        #[test]
        fn a_page_is_read_as_it_was_written(
            before: u32,
            entries in prop::collection::vec((".{0,20}", prop::collection::vec(any::<u8>(), 0..200)), 0..10),
        ) {
            let page = Page { before, entries };
            let bytes = page.encode();
            prop_assert_eq!(bytes.len(), Page::weight(&page.entries));
            prop_assert_eq!(Page::decode(&bytes), Some(page));
        }

        #[test]
        fn any_bytes_are_a_page_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            if let Some(page) = Page::decode(&bytes) {
                prop_assert_eq!(page.encode(), bytes);
            }
        }

        #[test]
        fn a_long_value_survives_its_parts(value in prop::collection::vec(any::<u8>(), 0..3000), part_max in 0..900_usize) {
            let parts = parts(&value, part_max);
            prop_assert!(parts.iter().all(|part| part.len() <= part_max.max(4)));
            let joined = join(|number| Ok(parts[number].clone()));
            prop_assert_eq!(joined.unwrap(), value);
        }
    }
}
