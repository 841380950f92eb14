//! A compressed map from PEs to nodes: the patterns in which PEs are assigned to nodes, instead of a table.
//!
//! An assignment in blocks or round robin is one [`Deal`], whatever the numbers of nodes and PEs. An irregular job has
//! one for each irregularity. Queries are answered by arithmetic.

use ferrite_fabric::Pe;

/// A regular assignment: in each of `rounds` rounds, `each` successive PEs go to each of `nodes` successive nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Deal {
    node: u32,
    nodes: u32,
    each: u32,
    rounds: u32,
}

impl Deal {
    /// Number of PEs on each node of this deal.
    fn per_node(&self) -> u32 {
        self.each * self.rounds
    }

    fn pes(&self) -> u32 {
        self.nodes * self.per_node()
    }

    fn has(&self, node: u32) -> bool {
        node.wrapping_sub(self.node) < self.nodes
    }
}

/// Encoded size of a deal, in bytes.
const DEAL_BYTES: usize = 16;

/// Which PE is on which node. Nodes are numbered in the order of their first PEs, and none is empty.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NodeMap {
    /// The first PE of each deal, and the deal.
    deals: Vec<(u32, Deal)>,
    size: u32,
    nodes: u32,
}

impl NodeMap {
    /// The longest encoding that [`NodeMap::decode`] accepts, in bytes: it has room for 32,768 irregularities.
    pub const BYTES_MAX: usize = 512 << 10;

    /// All of `size` PEs on one node.
    pub fn one(size: u32) -> NodeMap {
        NodeMap::of(std::iter::repeat_n(0, size as usize))
    }

    /// The map for PEs on these nodes: one node name per PE, which may be any number.
    pub fn of(nodes: impl IntoIterator<Item = u32>) -> NodeMap {
        let mut numbers = std::collections::HashMap::new();
        let mut runs: Vec<(u32, u32)> = Vec::new();
        for name in nodes {
            let next = numbers.len() as u32;
            let node = *numbers.entry(name).or_insert(next);
            match runs.last_mut() {
                Some((last, count)) if *last == node => *count += 1,
                _ => runs.push((node, 1)),
            }
        }
        NodeMap::dealt(deals(&runs)).expect("runs of a job make a map")
    }

    /// A map from deals. `None` if they are not valid.
    fn dealt(deals: Vec<Deal>) -> Option<NodeMap> {
        let (mut size, mut nodes) = (0_u32, 0_u32);
        let mut placed = Vec::with_capacity(deals.len());
        for deal in deals {
            let pes = deal.each.checked_mul(deal.rounds)?.checked_mul(deal.nodes).filter(|&pes| pes > 0)?;
            // New nodes must continue the numbering, so that nodes are numbered in the order of their first PEs, without gaps.
            if deal.node > nodes {
                return None;
            }
            nodes = nodes.max(deal.node.checked_add(deal.nodes)?);
            placed.push((size, deal));
            size = size.checked_add(pes)?;
        }
        Some(NodeMap { deals: placed, size, nodes })
    }

    /// Number of PEs.
    pub fn size(&self) -> u32 {
        self.size
    }

    /// Number of nodes.
    pub fn nodes(&self) -> u32 {
        self.nodes
    }

    /// The node of a PE.
    ///
    /// # Panics
    /// If there is no such PE.
    pub fn node_of(&self, pe: Pe) -> u32 {
        let (deal, offset) = self.find(pe);
        deal.node + offset / deal.each % deal.nodes
    }

    /// Index of a PE among the PEs of its node, from 0.
    ///
    /// # Panics
    /// If there is no such PE.
    pub fn index_of(&self, pe: Pe) -> u32 {
        let node = self.node_of(pe);
        let before = self.deals.iter().take_while(|(first, deal)| first + deal.pes() <= pe.0);
        let before: u32 = before.filter(|(_, deal)| deal.has(node)).map(|(_, deal)| deal.per_node()).sum();
        let (deal, offset) = self.find(pe);
        before + offset / (deal.each * deal.nodes) * deal.each + offset % deal.each
    }

    /// The PEs of a node, ascending. Empty if there is no such node.
    pub fn pes_of(&self, node: u32) -> Vec<Pe> {
        let mut pes = Vec::with_capacity(self.count_of(node) as usize);
        for (first, deal) in self.deals.iter().filter(|(_, deal)| deal.has(node)) {
            for round in 0..deal.rounds {
                let begin = first + (round * deal.nodes + (node - deal.node)) * deal.each;
                pes.extend((begin..begin + deal.each).map(Pe));
            }
        }
        pes
    }

    /// Number of PEs of a node. 0 if there is no such node.
    pub fn count_of(&self, node: u32) -> u32 {
        self.deals.iter().filter(|(_, deal)| deal.has(node)).map(|(_, deal)| deal.per_node()).sum()
    }

    /// The first PE of a node.
    ///
    /// # Panics
    /// If there is no such node.
    pub fn first_of(&self, node: u32) -> Pe {
        let (first, deal) = self.deals.iter().find(|(_, deal)| deal.has(node)).expect("no node is empty");
        Pe(first + (node - deal.node) * deal.each)
    }

    fn find(&self, pe: Pe) -> (&Deal, u32) {
        assert!(pe.0 < self.size, "{pe} of a job of {} PEs", self.size);
        let after = self.deals.partition_point(|(first, _)| *first <= pe.0);
        let (first, deal) = &self.deals[after - 1];
        (deal, pe.0 - first)
    }

    /// The map as blocks: the first node, the number of nodes, and the number of successive PEs on each of them.
    pub fn blocks(&self) -> impl Iterator<Item = (u32, u32, u32)> {
        self.deals.iter().flat_map(|(_, deal)| (0..deal.rounds).map(|_| (deal.node, deal.nodes, deal.each)))
    }

    /// Encode as bytes: four little-endian words per deal.
    pub fn encode(&self) -> Vec<u8> {
        let words = self.deals.iter().flat_map(|(_, deal)| [deal.node, deal.nodes, deal.each, deal.rounds]);
        words.flat_map(u32::to_le_bytes).collect()
    }

    /// Decode what [`NodeMap::encode`] wrote. Validates everything.
    pub fn decode(bytes: &[u8]) -> Option<NodeMap> {
        let (deals, rest) = bytes.as_chunks::<DEAL_BYTES>();
        if !rest.is_empty() || bytes.len() > NodeMap::BYTES_MAX {
            return None;
        }
        let deal = |bytes: &[u8; DEAL_BYTES]| {
            let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
            Deal { node: word(0), nodes: word(4), each: word(8), rounds: word(12) }
        };
        NodeMap::dealt(deals.iter().map(deal).collect())
    }
}

/// Compress runs into deals. A run is a node and the number of successive PEs on it; successive runs are on different nodes.
fn deals(runs: &[(u32, u32)]) -> Vec<Deal> {
    let mut found = Vec::new();
    let mut rest = runs;
    while let Some(&(node, each)) = rest.first() {
        let alike = |&(at, &run): &(usize, &(u32, u32))| run == (node + at as u32, each);
        let nodes = rest.iter().enumerate().take_while(alike).count();
        let round = &rest[..nodes];
        let rounds = rest.chunks(nodes).take_while(|next| *next == round).count();
        found.push(Deal { node, nodes: nodes as u32, each, rounds: rounds as u32 });
        rest = &rest[nodes * rounds..];
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Compare all answers of a map with a table of the node of each PE.
    fn agrees(map: &NodeMap, table: &[u32]) {
        assert_eq!(map.size() as usize, table.len());
        let nodes = table.iter().max().map_or(0, |most| most + 1);
        assert_eq!(map.nodes(), nodes);
        for node in 0..nodes + 2 {
            let expected: Vec<Pe> =
                (0..).map(Pe).zip(table).filter(|&(_, &other)| other == node).map(|(pe, _)| pe).collect();
            assert_eq!(map.pes_of(node), expected, "node {node} of {table:?}");
            assert_eq!(map.count_of(node) as usize, expected.len());
            for (index, &pe) in expected.iter().enumerate() {
                assert_eq!((map.node_of(pe), map.index_of(pe)), (node, index as u32), "{pe} of {table:?}");
            }
            if node < nodes {
                assert_eq!(map.first_of(node), expected[0]);
            }
        }
        assert_eq!(NodeMap::decode(&map.encode()).as_ref(), Some(map));
        let blocks = map.blocks().flat_map(|(node, nodes, each)| {
            (node..node + nodes).flat_map(move |node| std::iter::repeat_n(node, each as usize))
        });
        assert_eq!(blocks.collect::<Vec<_>>(), table);
    }

    #[test]
    fn regular_jobs_take_one_deal_and_others_few() {
        let blocks = |nodes: u32, each: u32| (0..nodes * each).map(move |pe| pe / each).collect::<Vec<_>>();
        let rounds = |nodes: u32, each: u32| (0..nodes * each).map(move |pe| pe % nodes).collect::<Vec<_>>();
        for (table, deals) in [
            (vec![], 0),
            (vec![0], 1),
            (blocks(1, 7), 1),
            (blocks(9, 4), 1),
            (rounds(9, 4), 1),
            (vec![0, 0, 1, 1, 2, 2, 0, 0, 1, 1, 2, 2], 1),
            // Blocks with a smaller one at the end; rounds of which the last is incomplete.
            (vec![0, 0, 0, 1, 1, 1, 2], 2),
            (vec![0, 1, 2, 0, 1, 2, 0], 2),
            (vec![0, 1, 0, 0, 0, 1, 2, 2, 0, 1], 5),
        ] {
            let map = NodeMap::of(table.iter().copied());
            agrees(&map, &table);
            assert_eq!(map.encode().len(), deals * DEAL_BYTES, "{table:?}");
        }
        assert_eq!(NodeMap::of(blocks(100_000, 64)).encode().len(), DEAL_BYTES);
        assert_eq!(NodeMap::one(3), NodeMap::of([0, 0, 0]));
    }

    #[test]
    fn nodes_are_numbered_by_their_first_pes() {
        assert_eq!(NodeMap::of([7, 7, 3, 9, 3]), NodeMap::of([0, 0, 1, 2, 1]));
    }

    #[test]
    fn what_is_no_map_is_refused() {
        let words =
            |words: &[u32]| NodeMap::decode(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<_>>());
        assert!(words(&[0, 2, 3, 1]).is_some());
        for wrong in [
            &[0, 2, 3][..],
            // A node without PEs, no nodes, no rounds.
            &[0, 2, 0, 1],
            &[0, 0, 3, 1],
            &[0, 2, 3, 0],
            // Node 0 is left out; node 2 is left out.
            &[1, 2, 3, 1],
            &[0, 2, 3, 1, 3, 1, 1, 1],
            // More PEs than 32 bits can number.
            &[0, 1 << 16, 1 << 16, 1],
            &[0, 1, 1 << 16, 1 << 16],
            &[0, 1, u32::MAX, 1, 0, 1, 1, 1],
            &[0, 1, 1, 1, 1, u32::MAX, 1, 1],
        ] {
            assert_eq!(words(wrong), None, "{wrong:?}");
        }
        assert_eq!(NodeMap::decode(&vec![0; NodeMap::BYTES_MAX + DEAL_BYTES]), None);
    }

    proptest! {
        #[test]
        fn any_job_is_mapped_as_it_is(table in prop::collection::vec(0..5_u32, 0..60)) {
            let map = NodeMap::of(table.iter().copied());
            let mut names = Vec::new();
            let numbered: Vec<u32> = table
                .iter()
                .map(|name| names.iter().position(|seen| seen == name).unwrap_or_else(|| { names.push(*name); names.len() - 1 }) as u32)
                .collect();
            agrees(&map, &numbered);
        }

        #[test]
        fn any_bytes_are_a_map_or_refused(words in prop::collection::vec(prop_oneof![0..6_u32, any::<u32>()], 0..20)) {
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            if let Some(map) = NodeMap::decode(&bytes)
                && let Some(last) = map.size().checked_sub(1)
            {
                for pe in [0, last / 2, last].map(Pe) {
                    prop_assert!(map.node_of(pe) < map.nodes());
                    prop_assert!(map.index_of(pe) < map.count_of(map.node_of(pe)));
                }
                prop_assert_eq!(map.encode(), bytes);
            }
        }
    }
}
