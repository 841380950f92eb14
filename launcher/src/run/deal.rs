//! Which host each PE goes to. Pure.

use super::hosts::HostLine;
use ferrite_bootstrap::NodeMap;
use std::collections::HashMap;

/// How the PEs of one program go to its hosts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Order {
    /// A host's slots are filled before the next host is begun.
    Slots,
    /// In turn over the hosts, while they have slots.
    Turns,
    /// So many on each host.
    Each(u32),
}

/// The hosts of a job and how far they are filled.
#[derive(Debug, Default)]
pub struct Dealer {
    hosts: Vec<Seat>,
    /// Where in `hosts` a name is.
    places: HashMap<String, usize>,
    /// The host of each PE, by its place in `hosts`.
    dealt: Vec<u32>,
}

#[derive(Debug)]
struct Seat {
    line: HostLine,
    used: u32,
}

impl Seat {
    fn has_room(&self) -> bool {
        self.line.most.is_none_or(|most| self.used < most)
    }
}

impl Dealer {
    /// Deal one program's PEs. Without a count there are as many as there are slots (or as `Order::Each` says). Gives
    /// how many there are.
    ///
    /// More PEs than slots are dealt in further rounds of the slots, up to what the hosts say is the most.
    pub fn deal(&mut self, hosts: &[HostLine], count: Option<u32>, order: Order) -> Result<u32, String> {
        let seats: Vec<usize> = hosts.iter().map(|host| self.seat(host)).collect();
        let free = |at: &usize| self.hosts[*at].line.slots.saturating_sub(self.hosts[*at].used);
        let slots: u64 = match order {
            Order::Each(each) => u64::from(each) * seats.len() as u64,
            _ => seats.iter().map(|at| u64::from(free(at))).sum(),
        };
        let count = match count {
            Some(count) => count,
            None if slots == 0 => return Err("no slot is left: give -n N".into()),
            None => u32::try_from(slots).map_err(|_| format!("{slots} slots are more than a job has PEs"))?,
        };
        let before = self.dealt.len();
        if let Order::Each(each) = order {
            if u64::from(count) > slots {
                return Err(format!(
                    "{count} PEs, {each} on each of {} hosts, are {} too many",
                    seats.len(),
                    u64::from(count) - slots
                ));
            }
            self.round(&seats, count, |_| each);
        } else {
            let quota: Vec<u32> = seats.iter().map(free).collect();
            self.pass(&seats, count, order, &quota);
            // All slots are taken: begin again.
            while self.dealt.len() - before < count as usize {
                let (rest, done) = (count - (self.dealt.len() - before) as u32, self.dealt.len());
                let quota: Vec<u32> = seats.iter().map(|&at| self.hosts[at].line.slots).collect();
                self.pass(&seats, rest, order, &quota);
                if self.dealt.len() == done {
                    break;
                }
            }
        }
        let room = self.dealt.len() - before;
        if room < count as usize {
            return Err(format!("{count} PEs on hosts that take at most {room} by their max_slots"));
        }
        Ok(count)
    }

    /// A program's PEs over the slots that are left to it.
    fn pass(&mut self, seats: &[usize], count: u32, order: Order, quota: &[u32]) {
        if order == Order::Slots {
            return self.round(seats, count, |index| quota[index]);
        }
        let mut left = count;
        for turn in 0..quota.iter().copied().max().unwrap_or(0) {
            let before = self.dealt.len();
            self.round(seats, left, |index| u32::from(turn < quota[index]));
            left -= (self.dealt.len() - before) as u32;
            if left == 0 {
                return;
            }
        }
    }

    /// Give each host what it is due, until `count` PEs are dealt.
    fn round(&mut self, seats: &[usize], count: u32, due: impl Fn(usize) -> u32) {
        let mut left = count;
        for (index, &at) in seats.iter().enumerate() {
            for _ in 0..due(index).min(left) {
                if !self.hosts[at].has_room() {
                    break;
                }
                self.hosts[at].used += 1;
                self.dealt.push(at as u32);
                left -= 1;
            }
        }
    }

    /// A host's place. One that an earlier program was given too has the slots of whoever gives it more, and the most
    /// that was said last.
    fn seat(&mut self, line: &HostLine) -> usize {
        let Some(&at) = self.places.get(&line.name) else {
            self.places.insert(line.name.clone(), self.hosts.len());
            self.hosts.push(Seat { line: line.clone(), used: 0 });
            return self.hosts.len() - 1;
        };
        let known = &mut self.hosts[at].line;
        known.slots = known.slots.max(line.slots);
        known.most = line.most.or(known.most);
        at
    }

    /// The first host that has more PEs than slots, and how many it has.
    pub fn crowded(&self) -> Option<(&HostLine, u32)> {
        self.hosts.iter().find(|seat| seat.used > seat.line.slots).map(|seat| (&seat.line, seat.used))
    }

    /// The map of nodes, and the name of each node's host.
    pub fn finish(self) -> (NodeMap, Vec<String>) {
        let mut names: Vec<(u32, String)> = Vec::new();
        let mut met = vec![false; self.hosts.len()];
        for &at in &self.dealt {
            if !std::mem::replace(&mut met[at as usize], true) {
                names.push((at, self.hosts[at as usize].line.name.clone()));
            }
        }
        (NodeMap::of(self.dealt), names.into_iter().map(|(_, name)| name).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::hosts::listed;
    use ferrite_fabric::Pe;

    /// The hosts of the PEs, as letters. Behind a host, `!` says that its slots are the most.
    fn dealt(apps: &[(&str, Option<u32>, Order)]) -> Result<String, String> {
        let mut dealer = Dealer::default();
        for (hosts, count, order) in apps {
            let mut lines = listed(&hosts.replace('!', "")).unwrap();
            for (line, word) in lines.iter_mut().zip(hosts.split(',')) {
                line.most = word.ends_with('!').then_some(line.slots);
            }
            dealer.deal(&lines, *count, *order)?;
        }
        let (nodes, names) = dealer.finish();
        let letter = |pe| names[nodes.node_of(Pe(pe)) as usize].chars().next().unwrap();
        Ok((0..nodes.size()).map(letter).collect())
    }

    #[test]
    fn pes_go_where_they_are_wished() {
        for (hosts, count, order, expected) in [
            ("a:2,b:2", None, Order::Slots, "aabb"),
            ("a:2,b:1", None, Order::Turns, "aba"),
            ("a:2,b:2", Some(3), Order::Slots, "aab"),
            ("a:2,b:2", Some(3), Order::Turns, "aba"),
            ("a:3,b:1,c:2", Some(6), Order::Turns, "abcaca"),
            // More than there are slots.
            ("a:2,b:1", Some(7), Order::Slots, "aabaaba"),
            ("a:2,b:1", Some(5), Order::Turns, "abaab"),
            ("a:1,b:1,c:1", None, Order::Each(2), "aabbcc"),
            ("a:1,b:1,c:1", Some(3), Order::Each(2), "aab"),
            // A host that comes to nothing is no node.
            ("a:2,b:2", Some(2), Order::Slots, "aa"),
        ] {
            assert_eq!(dealt(&[(hosts, count, order)]).as_deref(), Ok(expected), "{hosts} {count:?} {order:?}");
        }
    }

    #[test]
    fn programs_share_the_slots_of_their_hosts() {
        let slots = Order::Slots;
        assert_eq!(dealt(&[("a:2,b:2", Some(1), slots), ("a:2,b:2", Some(3), slots)]).unwrap(), "aabb");
        assert_eq!(dealt(&[("b", Some(1), slots), ("a:2", Some(2), slots), ("b", Some(1), slots)]).unwrap(), "baab");
        assert_eq!(dealt(&[("b", Some(1), slots), ("b", None, slots)]).unwrap_err(), "no slot is left: give -n N");
    }

    #[test]
    fn a_later_program_may_give_a_host_more_slots() {
        let slots = Order::Slots;
        for (first, then, count, expected) in [
            ("a", "a:4,b:4", 8, Ok("aaaabbbba")),
            ("a:4", "a,b:4", 7, Ok("aaaabbbb")),
            ("a", "a!", 1, Err("at most 0")),
            ("a:2!", "a,b", 2, Ok("aab")),
            ("a:2!", "a", 2, Err("at most 1")),
            ("a!", "a:3!", 2, Ok("aaa")),
        ] {
            let told = dealt(&[(first, Some(1), slots), (then, Some(count), slots)]);
            match expected {
                Ok(letters) => assert_eq!(told.as_deref(), Ok(letters), "{first} : {then}"),
                Err(part) => assert!(told.unwrap_err().contains(part), "{first} : {then}"),
            }
        }
    }

    #[test]
    fn a_host_with_more_pes_than_slots_is_found() {
        for (hosts, count, order, expected) in [
            ("a:2,b:2", 4, Order::Slots, None),
            ("a:2,b:2", 5, Order::Slots, Some(("a", 3))),
            ("a:3,b:1", 4, Order::Each(2), Some(("b", 2))),
        ] {
            let mut dealer = Dealer::default();
            dealer.deal(&listed(hosts).unwrap(), Some(count), order).unwrap();
            assert_eq!(dealer.crowded().map(|(host, pes)| (host.name.as_str(), pes)), expected, "{hosts} {count}");
        }
    }

    /// As many hosts as are believed of a scheduler, each named again for its next slot: a search among them for each would
    /// take a minute here.
    #[test]
    fn any_number_of_hosts_keeps_its_order() {
        let names: Vec<_> = (0..1 << 16).rev().map(|host| format!("n{host}")).collect();
        let hosts = listed(&[&names[..], &names].concat().join(",")).unwrap();
        assert!(hosts.iter().map(|host| (&host.name, host.slots)).eq(names.iter().map(|name| (name, 2))));
        let mut dealer = Dealer::default();
        for (count, order) in [(3, Order::Turns), (2 * names.len() as u32 - 3, Order::Slots)] {
            assert_eq!(dealer.deal(&hosts, Some(count), order), Ok(count));
        }
        assert_eq!(dealer.crowded(), None);
        assert!(dealer.finish().1 == names);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert!(dealt(&[("a,b", Some(5), Order::Each(2))]).unwrap_err().contains("1 too many"));
        assert!(dealt(&[("a:2!", Some(3), Order::Slots)]).unwrap_err().contains("at most 2"));
        assert_eq!(dealt(&[("a:2!,b", Some(4), Order::Slots)]).unwrap(), "aabb");
    }
}
