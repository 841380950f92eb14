//! A set of cpu numbers, in the kernel's two formats: the list "0-3,8" and the bit mask.

use std::{fmt, iter, str::FromStr};

use crate::{Error, Result};

/// The largest cpu number that a list may name: a bound on what "0-4294967295" may cost.
const CPU_MAX: u32 = 65_535;

/// A set of cpu numbers, of any size.
///
/// It is kept as the mask that the scheduler takes, so that binding needs no conversion and no allocation.
/// Equality is equality of members: the mask never ends in a zero word.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct CpuSet {
    words: Vec<u64>,
}

impl CpuSet {
    /// The empty set.
    pub const fn new() -> Self {
        CpuSet { words: Vec::new() }
    }

    /// Adds `cpu`.
    ///
    /// # Panics
    /// If `cpu` is greater than 65535. No kernel has such cpu numbers, and the size of a set grows with its largest member.
    pub fn insert(&mut self, cpu: u32) {
        assert!(cpu <= CPU_MAX, "CPU {cpu} is beyond the largest CPU number, {CPU_MAX}");
        let word = cpu as usize / 64;
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (cpu % 64);
    }

    /// Whether `cpu` is a member.
    pub fn contains(&self, cpu: u32) -> bool {
        self.words.get(cpu as usize / 64).is_some_and(|word| word >> (cpu % 64) & 1 == 1)
    }

    /// How many cpus are in the set.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Whether no cpu is in the set.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// The members, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            // Successive values of the word, each without the lowest member of the one before.
            let some = |word: u64| Some(word).filter(|&word| word != 0);
            let left = iter::successors(some(word), move |&word| some(word & (word - 1)));
            left.map(move |word| index as u32 * 64 + word.trailing_zeros())
        })
    }

    /// Every cpu that is in either set.
    pub fn union(&self, other: &CpuSet) -> CpuSet {
        let (long, short) = if self.words.len() < other.words.len() { (other, self) } else { (self, other) };
        let mut words = long.words.clone();
        words.iter_mut().zip(&short.words).for_each(|(into, from)| *into |= from);
        CpuSet { words }
    }

    /// Every cpu that is in both sets.
    pub fn intersection(&self, other: &CpuSet) -> CpuSet {
        CpuSet::from_words(self.words.iter().zip(&other.words).map(|(a, b)| a & b).collect())
    }

    /// Parses a mask as the kernel writes it: groups of 32 bits in hexadecimal, the highest first, separated by commas. `None` if the text
    /// is not a mask, or if a member exceeds the largest cpu number.
    pub(crate) fn from_mask(mask: &str) -> Option<CpuSet> {
        let mut set = CpuSet::new();
        for (group, digits) in mask.trim().rsplit(',').enumerate() {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
            let bits = u32::from_str_radix(digits, 16).ok().filter(|_| plain)?;
            for bit in (0..32).filter(|bit| bits >> bit & 1 == 1) {
                let cpu = u32::try_from(group).ok()?.checked_mul(32)?.checked_add(bit)?;
                set.insert(Some(cpu).filter(|&cpu| cpu <= CPU_MAX)?);
            }
        }
        Some(set)
    }

    /// The scheduler's mask: bit `i % 64` of word `i / 64` is cpu `i`.
    pub(crate) fn words(&self) -> &[u64] {
        &self.words
    }

    /// The set that a scheduler's mask describes.
    pub(crate) fn from_words(mut words: Vec<u64>) -> CpuSet {
        while words.last() == Some(&0) {
            words.pop();
        }
        CpuSet { words }
    }
}

impl FromIterator<u32> for CpuSet {
    fn from_iter<I: IntoIterator<Item = u32>>(cpus: I) -> Self {
        let mut set = CpuSet::new();
        cpus.into_iter().for_each(|cpu| set.insert(cpu));
        set
    }
}

impl Extend<u32> for CpuSet {
    fn extend<I: IntoIterator<Item = u32>>(&mut self, cpus: I) {
        cpus.into_iter().for_each(|cpu| self.insert(cpu));
    }
}

impl FromStr for CpuSet {
    type Err = Error;

    /// Reads the kernel's list form: numbers and ranges, separated by commas. The empty list is the empty set.
    fn from_str(list: &str) -> Result<Self> {
        let mut set = CpuSet::new();
        for part in list.trim().split(',').filter(|_| !list.trim().is_empty()) {
            let (first, last) = part.split_once('-').unwrap_or((part, part));
            match (number(first), number(last)) {
                (Some(first), Some(last)) if first <= last => set.extend(first..=last),
                _ => {
                    return Err(Error::new(format!(
                        "'{list}' is not a list of CPUs: '{part}' is neither a number up to {CPU_MAX} nor an \
                         ascending range, as in '0-3,8'"
                    )));
                }
            }
        }
        Ok(set)
    }
}

/// A cpu number, within the bound; unlike `u32::from_str` it takes no sign.
fn number(text: &str) -> Option<u32> {
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|&cpu| digits && cpu <= CPU_MAX)
}

impl fmt::Display for CpuSet {
    /// Writes the kernel's list form: "0-3,8".
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cpus = self.iter().peekable();
        let mut comma = "";
        while let Some(first) = cpus.next() {
            let mut last = first;
            while cpus.next_if_eq(&(last + 1)).is_some() {
                last += 1;
            }
            match last == first {
                true => write!(f, "{comma}{first}")?,
                false => write!(f, "{comma}{first}-{last}")?,
            }
            comma = ",";
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lists_are_read_as_the_kernel_writes_them() {
        let rows =
            [("", ""), ("0", "0"), ("0-3,8\n", "0-3,8"), ("0,1,2", "0-2"), ("8,0-3", "0-3,8"), ("63-64", "63-64")];
        for (given, written) in rows {
            assert_eq!(given.parse::<CpuSet>().unwrap().to_string(), written, "{given:?}");
        }
    }

    #[test]
    fn masks_are_read_as_the_kernel_writes_them() {
        let rows = [
            ("0", Some("")),
            ("3", Some("0-1")),
            ("00000001,80000000\n", Some("31-32")),
            ("ff,00000000,0000000f", Some("0-3,64-71")),
            ("", None),
            ("1,", None),
            ("+1", None),
            ("x", None),
            ("100000000", None),
        ];
        for (given, list) in rows {
            assert_eq!(CpuSet::from_mask(given).map(|set| set.to_string()).as_deref(), list, "{given:?}");
        }
        assert_eq!(CpuSet::from_mask(&format!("1{}", ",00000000".repeat(2_048))), None);
    }

    #[test]
    fn what_is_no_list_is_refused_by_the_part_that_is_wrong() {
        for (given, part) in
            [("3-1", "3-1"), ("0,x", "x"), ("0,,1", ""), ("-1", "-1"), ("0-65536", "0-65536"), ("+1", "+1")]
        {
            let error = given.parse::<CpuSet>().unwrap_err().to_string();
            assert!(error.contains(&format!("'{part}' is neither")), "{given:?} gave {error}");
        }
    }

    proptest! {
        #[test]
        fn a_set_is_its_members(a in prop::collection::btree_set(0u32..300, 0..40),
                                b in prop::collection::btree_set(0u32..300, 0..40)) {
            let (x, y): (CpuSet, CpuSet) = (a.iter().copied().collect(), b.iter().copied().collect());
            prop_assert_eq!(x.iter().collect::<Vec<_>>(), a.iter().copied().collect::<Vec<_>>());
            prop_assert_eq!(x.len(), a.len());
            prop_assert_eq!(x.is_empty(), a.is_empty());
            prop_assert_eq!(&x.to_string().parse::<CpuSet>().unwrap(), &x);
            prop_assert_eq!(x.union(&y), a.union(&b).copied().collect::<CpuSet>());
            prop_assert_eq!(x.intersection(&y), a.intersection(&b).copied().collect::<CpuSet>());
            let outside: BTreeSet<u32> = (0..300).filter(|&cpu| !x.contains(cpu)).collect();
            prop_assert!(outside.is_disjoint(&a) && outside.len() + a.len() == 300);
        }

        #[test]
        fn no_text_makes_the_reader_panic(text in "[0-9,\\- x]{0,24}") {
            let _ = CpuSet::from_mask(&text);
            if let Ok(set) = text.parse::<CpuSet>() {
                prop_assert_eq!(set.to_string().parse::<CpuSet>().unwrap(), set);
            }
        }
    }
}
