//! Assigns the PEs of a job to hosts. Pure.

use super::hosts::HostLine;
use ferrite_bootstrap::NodeMap;
use std::collections::HashMap;

/// The order in which the PEs of a program are assigned to its hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FillOrder {
    /// Fill the slots of a host before the slots of the next host.
    BySlot,
    /// Round robin over the hosts that have free slots.
    ByNode,
    /// This many PEs on each host.
    PerNode(u32),
}

/// The hosts of a job, and the PEs that are assigned to them.
#[derive(Debug, Default)]
pub struct HostAssignment {
    hosts: Vec<AssignedHost>,
    /// The index in `hosts` of each name.
    index_of: HashMap<String, usize>,
    /// The host of each PE, as an index in `hosts`.
    assigned: Vec<u32>,
}

#[derive(Debug)]
struct AssignedHost {
    line: HostLine,
    used: u32,
}

impl AssignedHost {
    fn has_room(&self) -> bool {
        self.line.most.is_none_or(|most| self.used < most)
    }
}

impl HostAssignment {
    /// Assign the PEs of one program, and return their number. Without a `count` there is one PE for each free slot; `FillOrder::PerNode`
    /// sets the number itself.
    ///
    /// If there are more PEs than slots, the slots are filled again, up to each host's `max_slots`.
    pub fn assign(&mut self, hosts: &[HostLine], count: Option<u32>, order: FillOrder) -> Result<u32, String> {
        let indices: Vec<usize> = hosts.iter().map(|host| self.host_index(host)).collect();
        let free = |at: &usize| self.hosts[*at].line.slots.saturating_sub(self.hosts[*at].used);
        let slots: u64 = match order {
            FillOrder::PerNode(each) => u64::from(each) * indices.len() as u64,
            _ => indices.iter().map(|at| u64::from(free(at))).sum(),
        };
        let count = match count {
            Some(count) => count,
            None if slots == 0 => return Err("no slot is free; give -n N".into()),
            None => u32::try_from(slots).map_err(|_| format!("{slots} slots are more than a job may have PEs"))?,
        };
        let before = self.assigned.len();
        if let FillOrder::PerNode(each) = order {
            if u64::from(count) > slots {
                let hosts = indices.len();
                let plural = |count: u64| if count == 1 { "" } else { "s" };
                return Err(format!(
                    "-n {count} does not fit: {each} on each of {hosts} host{} is room for {slots} PE{}",
                    plural(hosts as u64),
                    plural(slots)
                ));
            }
            self.fill(&indices, count, |_| each);
        } else {
            let quota: Vec<u32> = indices.iter().map(free).collect();
            self.fill_once(&indices, count, order, &quota);
            // All slots are taken: fill them again.
            while self.assigned.len() - before < count as usize {
                let (rest, done) = (count - (self.assigned.len() - before) as u32, self.assigned.len());
                let quota: Vec<u32> = indices.iter().map(|&at| self.hosts[at].line.slots).collect();
                self.fill_once(&indices, rest, order, &quota);
                if self.assigned.len() == done {
                    break;
                }
            }
        }
        let room = self.assigned.len() - before;
        if room < count as usize {
            return Err(format!("{count} PEs do not fit: by max_slots there is room for {room}"));
        }
        Ok(count)
    }

    /// Assign up to `count` PEs, at most its quota to each host.
    fn fill_once(&mut self, indices: &[usize], count: u32, order: FillOrder, quota: &[u32]) {
        if order == FillOrder::BySlot {
            return self.fill(indices, count, |index| quota[index]);
        }
        let mut left = count;
        for turn in 0..quota.iter().copied().max().unwrap_or(0) {
            let before = self.assigned.len();
            self.fill(indices, left, |index| u32::from(turn < quota[index]));
            left -= (self.assigned.len() - before) as u32;
            if left == 0 {
                return;
            }
        }
    }

    /// Assign to each host the PEs that it is due, until `count` PEs are assigned.
    fn fill(&mut self, indices: &[usize], count: u32, due: impl Fn(usize) -> u32) {
        let mut left = count;
        for (index, &at) in indices.iter().enumerate() {
            for _ in 0..due(index).min(left) {
                if !self.hosts[at].has_room() {
                    break;
                }
                self.hosts[at].used += 1;
                self.assigned.push(at as u32);
                left -= 1;
            }
        }
    }

    /// The index of a host. If an earlier program has the same host, the larger number of slots counts, and the last
    /// `max_slots`.
    fn host_index(&mut self, line: &HostLine) -> usize {
        let Some(&at) = self.index_of.get(&line.name) else {
            self.index_of.insert(line.name.clone(), self.hosts.len());
            self.hosts.push(AssignedHost { line: line.clone(), used: 0 });
            return self.hosts.len() - 1;
        };
        let known = &mut self.hosts[at].line;
        known.slots = known.slots.max(line.slots);
        known.most = line.most.or(known.most);
        at
    }

    /// The first host that has more PEs than slots, and its number of PEs.
    pub fn oversubscribed(&self) -> Option<(&HostLine, u32)> {
        self.hosts.iter().find(|host| host.used > host.line.slots).map(|host| (&host.line, host.used))
    }

    /// The map of nodes, and the name of each node's host.
    pub fn finish(self) -> (NodeMap, Vec<String>) {
        let mut names: Vec<(u32, String)> = Vec::new();
        let mut met = vec![false; self.hosts.len()];
        for &at in &self.assigned {
            if !std::mem::replace(&mut met[at as usize], true) {
                names.push((at, self.hosts[at as usize].line.name.clone()));
            }
        }
        (NodeMap::of(self.assigned), names.into_iter().map(|(_, name)| name).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::hosts::listed;
    use ferrite_fabric::Pe;

    /// The hosts of the PEs, as letters. A `!` after a host sets its `max_slots` to its slots.
    fn assigned(apps: &[(&str, Option<u32>, FillOrder)]) -> Result<String, String> {
        let mut assignment = HostAssignment::default();
        for (hosts, count, order) in apps {
            let mut lines = listed(&hosts.replace('!', "")).unwrap();
            for (line, word) in lines.iter_mut().zip(hosts.split(',')) {
                line.most = word.ends_with('!').then_some(line.slots);
            }
            assignment.assign(&lines, *count, *order)?;
        }
        let (nodes, names) = assignment.finish();
        let letter = |pe| names[nodes.node_of(Pe(pe)) as usize].chars().next().unwrap();
        Ok((0..nodes.size()).map(letter).collect())
    }

    #[test]
    fn pes_go_where_they_are_wished() {
        for (hosts, count, order, expected) in [
            ("a:2,b:2", None, FillOrder::BySlot, "aabb"),
            ("a:2,b:1", None, FillOrder::ByNode, "aba"),
            ("a:2,b:2", Some(3), FillOrder::BySlot, "aab"),
            ("a:2,b:2", Some(3), FillOrder::ByNode, "aba"),
            ("a:3,b:1,c:2", Some(6), FillOrder::ByNode, "abcaca"),
            // More PEs than slots.
            ("a:2,b:1", Some(7), FillOrder::BySlot, "aabaaba"),
            ("a:2,b:1", Some(5), FillOrder::ByNode, "abaab"),
            ("a:1,b:1,c:1", None, FillOrder::PerNode(2), "aabbcc"),
            ("a:1,b:1,c:1", Some(3), FillOrder::PerNode(2), "aab"),
            // A host without PEs is no node.
            ("a:2,b:2", Some(2), FillOrder::BySlot, "aa"),
        ] {
            assert_eq!(assigned(&[(hosts, count, order)]).as_deref(), Ok(expected), "{hosts} {count:?} {order:?}");
        }
    }

    #[test]
    fn programs_share_the_slots_of_their_hosts() {
        let slots = FillOrder::BySlot;
        assert_eq!(assigned(&[("a:2,b:2", Some(1), slots), ("a:2,b:2", Some(3), slots)]).unwrap(), "aabb");
        assert_eq!(assigned(&[("b", Some(1), slots), ("a:2", Some(2), slots), ("b", Some(1), slots)]).unwrap(), "baab");
        assert_eq!(assigned(&[("b", Some(1), slots), ("b", None, slots)]).unwrap_err(), "no slot is free; give -n N");
    }

    #[test]
    fn a_later_program_may_give_a_host_more_slots() {
        let slots = FillOrder::BySlot;
        for (first, then, count, expected) in [
            ("a", "a:4,b:4", 8, Ok("aaaabbbba")),
            ("a:4", "a,b:4", 7, Ok("aaaabbbb")),
            ("a", "a!", 1, Err("room for 0")),
            ("a:2!", "a,b", 2, Ok("aab")),
            ("a:2!", "a", 2, Err("room for 1")),
            ("a!", "a:3!", 2, Ok("aaa")),
        ] {
            let told = assigned(&[(first, Some(1), slots), (then, Some(count), slots)]);
            match expected {
                Ok(letters) => assert_eq!(told.as_deref(), Ok(letters), "{first} : {then}"),
                Err(part) => assert!(told.unwrap_err().contains(part), "{first} : {then}"),
            }
        }
    }

    #[test]
    fn a_host_with_more_pes_than_slots_is_found() {
        for (hosts, count, order, expected) in [
            ("a:2,b:2", 4, FillOrder::BySlot, None),
            ("a:2,b:2", 5, FillOrder::BySlot, Some(("a", 3))),
            ("a:3,b:1", 4, FillOrder::PerNode(2), Some(("b", 2))),
        ] {
            let mut assignment = HostAssignment::default();
            assignment.assign(&listed(hosts).unwrap(), Some(count), order).unwrap();
            assert_eq!(
                assignment.oversubscribed().map(|(host, pes)| (host.name.as_str(), pes)),
                expected,
                "{hosts} {count}"
            );
        }
    }

    /// As many hosts as are accepted from a scheduler, each named again for its next slot. A linear search for each name would take a
    /// minute here.
    #[test]
    fn any_number_of_hosts_keeps_its_order() {
        let names: Vec<_> = (0..1 << 16).rev().map(|host| format!("n{host}")).collect();
        let hosts = listed(&[&names[..], &names].concat().join(",")).unwrap();
        assert!(hosts.iter().map(|host| (&host.name, host.slots)).eq(names.iter().map(|name| (name, 2))));
        let mut assignment = HostAssignment::default();
        for (count, order) in [(3, FillOrder::ByNode), (2 * names.len() as u32 - 3, FillOrder::BySlot)] {
            assert_eq!(assignment.assign(&hosts, Some(count), order), Ok(count));
        }
        assert_eq!(assignment.oversubscribed(), None);
        assert!(assignment.finish().1 == names);
    }

    #[test]
    fn too_many_pes_are_refused() {
        assert!(assigned(&[("a,b", Some(5), FillOrder::PerNode(2))]).unwrap_err().contains("is room for 4 PEs"));
        assert!(assigned(&[("a:2!", Some(3), FillOrder::BySlot)]).unwrap_err().contains("room for 2"));
        assert_eq!(assigned(&[("a:2!,b", Some(4), FillOrder::BySlot)]).unwrap(), "aabb");
    }
}
