//! Comparison of the calls of one number of one team.

use crate::entry::Entry;

/// A call, and the PEs that have made it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Version {
    /// What they have called.
    pub call: Entry,
    /// The PEs that have made it, in ascending order.
    pub pes: Vec<u32>,
}

/// The different calls among these, the most frequent one first; `None` if all are the same.
pub fn differences(calls: impl IntoIterator<Item = (u32, Entry)>) -> Option<Vec<Version>> {
    let mut versions: Vec<Version> = Vec::new();
    for (pe, call) in calls {
        match versions.iter_mut().find(|version| version.call == call) {
            Some(version) => version.pes.push(pe),
            None => versions.push(Version { call, pes: vec![pe] }),
        }
    }
    versions.iter_mut().for_each(|version| version.pes.sort_unstable());
    versions.sort_by_key(|version| (usize::MAX - version.pes.len(), version.pes[0]));
    (versions.len() > 1).then_some(versions)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::entry::EntryKind;

    #[test]
    fn the_few_come_last() {
        let (barrier, sum) = (Entry::bare(EntryKind::Barrier), Entry::sized(EntryKind::Reduce, 8));
        assert_eq!(differences([(0, barrier), (1, barrier)]), None);
        assert_eq!(differences([]), None);
        let found = differences([(3, sum), (1, barrier), (0, barrier), (2, barrier)]).unwrap();
        assert_eq!(found, [Version { call: barrier, pes: vec![0, 1, 2] }, Version { call: sum, pes: vec![3] }]);
        let roots = |root| Entry { root, ..Entry::sized(EntryKind::Broadcast, 8) };
        assert_eq!(differences([(0, roots(0)), (1, roots(1))]).unwrap().len(), 2);
    }
}
