//! The members of a team, grouped by node. Collectives of a team that spans nodes run within each node first, and then among one leader of
//! each node.
//!
//! Such a team has two more slots: one for the members of each node, and one for the leaders. Nodes are ordered by the ranks of their first
//! members, so every member computes the same groups by itself.

use super::{Locale, Membership, shape::Shape};
use crate::live::Live;
use core::ffi::c_int;
use ferrite_bootstrap::{Boot, NodeMap};
use ferrite_collectives::{Rank, hierarchy::Root, select::by_nodes};
use ferrite_fabric::Pe;
use ferrite_settings::Settings;
use std::collections::HashSet;

impl Live {
    /// The node of each PE, if the job spans nodes and some nodes have several PEs: only then are there groups.
    pub(crate) fn map(&self) -> Option<&NodeMap> {
        mixed(&*self.boot, &self.settings)
    }
}

/// The node map of a job that spans several nodes, some with several PEs, if the PEs of each node map each other. All PEs must get the same
/// answer, also one that is alone on its node, because slots and algorithms are chosen by it.
pub(crate) fn mixed<'b>(boot: &'b dyn Boot, settings: &Settings) -> Option<&'b NodeMap> {
    let map = boot.nodes();
    (settings.transport.maps_hosts && 1 < map.nodes() && map.nodes() < map.size()).then_some(map)
}

/// Number of slots of the control area that a team with groups needs: one for the team, two for its groups.
pub(crate) const SLOTS_OF_WIDE: usize = 3;

/// Some of a team's members, and this PE's place among them.
pub(crate) struct Group {
    pub shape: Shape,
    pub member: Membership,
}

/// A team by node.
pub(crate) struct Groups {
    /// The members on this node.
    pub here: Group,
    /// The first member of each node, if this PE is one.
    pub leaders: Option<Group>,
    /// The nodes, in the order of the leaders.
    nodes: Box<[u32]>,
    node: u32,
    /// The first rank of each node, followed by the number of ranks, if the ranks of every node are consecutive.
    first_ranks: Option<Vec<Rank>>,
}

impl Group {
    fn new(locale: &Locale<'_>, members: &[c_int], slot: usize, epoch: u64) -> Option<Group> {
        let shape = Shape::of(members);
        let me = shape.index_of(locale.me as c_int)?;
        let member = Membership::new(locale.node, locale.indices(&shape), me as Rank, slot, epoch);
        Some(Group { shape, member })
    }
}

impl Groups {
    /// The groups of a team of this shape. `None` if they do not pay off: they need at least two members per node on average.
    pub fn new(locale: &Locale<'_>, shape: &Shape, slots: [usize; 2], epoch: u64) -> Option<Groups> {
        let map = locale.map?;
        let of = |pe: u32| map.node_of(Pe(pe));
        let node = of(locale.me);
        let pes = (0..shape.size() as c_int).map(|rank| shape.world_pe(rank));
        let Split { nodes, leaders, here, first_ranks } = split(pes.map(|pe| (pe, of(pe as u32))), node);
        if !by_nodes(shape.size(), nodes.len() as Rank) {
            return None;
        }
        Some(Groups {
            here: Group::new(locale, &here, slots[0], epoch)?,
            leaders: Group::new(locale, &leaders, slots[1], epoch),
            nodes: nodes.into(),
            node,
            first_ranks,
        })
    }

    /// The first rank of each node in the order of the leaders, followed by the number of ranks, if the ranks of every node are
    /// consecutive.
    pub fn first_ranks(&self) -> Option<&[Rank]> {
        self.first_ranks.as_deref()
    }

    /// Position of a root in the groups: the node and the member of the team's PE with this world number.
    pub fn root(&self, map: &NodeMap, pe: c_int) -> Root {
        let node = map.node_of(Pe(pe as u32));
        let at = self.nodes.iter().position(|&one| one == node).unwrap_or(0);
        let member = self.here.shape.index_of(pe).unwrap_or(0);
        Root { node: at as Rank, member: member as Rank, here: node == self.node }
    }

    /// The highest epoch of the groups.
    pub fn epoch(&self) -> u64 {
        let leaders = self.leaders.as_ref().map_or(0, |leaders| leaders.member.epoch());
        self.here.member.epoch().max(leaders)
    }

    /// See [`Membership::reset_counters`].
    pub fn reset_counters(&self) {
        self.here.member.reset_counters();
        if let Some(leaders) = &self.leaders {
            leaders.member.reset_counters();
        }
    }
}

struct Split {
    nodes: Vec<u32>,
    leaders: Vec<c_int>,
    here: Vec<c_int>,
    first_ranks: Option<Vec<Rank>>,
}

/// Sort members by node, keeping the order of their ranks. Each member is a PE and its node; `node` is this PE's node.
fn split(members: impl Iterator<Item = (c_int, u32)>, node: u32) -> Split {
    let (mut nodes, mut leaders, mut here, mut first_ranks) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let (mut known, mut size, mut is_scattered) = (HashSet::new(), 0, false);
    for (pe, its) in members {
        if known.insert(its) {
            nodes.push(its);
            leaders.push(pe);
            first_ranks.push(size);
        } else if nodes.last() != Some(&its) {
            is_scattered = true;
        }
        if its == node {
            here.push(pe);
        }
        size += 1;
    }
    first_ranks.push(size);
    Split { nodes, leaders, here, first_ranks: (!is_scattered).then_some(first_ranks) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_sorted_by_node() {
        let sorted = |members: &[(c_int, u32)]| {
            let Split { nodes, leaders, here, first_ranks } = split(members.iter().copied(), 5);
            (nodes, leaders, here, first_ranks)
        };
        let blocks = [(8, 5), (9, 5), (2, 1), (4, 1), (6, 1), (7, 3)];
        assert_eq!(sorted(&blocks), (vec![5, 1, 3], vec![8, 2, 7], vec![8, 9], Some(vec![0, 2, 5, 6])));
        let scattered = [(0, 5), (1, 1), (2, 5), (3, 1)];
        assert_eq!(sorted(&scattered), (vec![5, 1], vec![0, 1], vec![0, 2], None));
    }
}
