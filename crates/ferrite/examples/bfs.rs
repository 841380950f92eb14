//! Breadth-first search on a graph of the kind of Graph500: a Kronecker graph of 2^scale vertices, many of them with few edges and few with
//! many. Vertices are distributed cyclically. In each level a PE sends the pairs (vertex, parent) that it found to the owners of the
//! vertices, through an aggregator.
//!
//! The result is checked by the rules of Graph500: the parents form a tree of edges of the graph, levels of parent and child differ by one,
//! and no edge joins vertices whose levels differ by more.
//!
//! `oshrun -n 4 target/release/examples/bfs --scale 16`

mod common;

use common::{AnyError, Figure, Program, Random, Stopwatch, size};
use ferrite::prelude::*;
use std::sync::Mutex;

pub(crate) const PROGRAM: Program = Program {
    name: "bfs",
    about: "breadth-first search on a Kronecker graph",
    sizes: &[
        size("scale", 13, 1..=36, "the graph has 2^scale vertices"),
        size("degree", 16, 1..=1024, "edges drawn for each vertex"),
        size("searches", 4, 1..=1_000_000, "searches, each from another vertex"),
    ],
    run,
};

#[ferrite::main]
fn main(world: &World) -> Result<(), AnyError> {
    PROGRAM.main(world)
}

/// Parent or level of a vertex that was not reached.
const NOT_REACHED: i64 = -1;

/// A PE's part of the graph: vertex `v` is the `v / pes`-th of PE `v % pes`.
struct Graph<'w> {
    world: &'w World,
    scale: u64,
    /// Neighbours of each local vertex.
    neighbours: Vec<Vec<u64>>,
    /// Parent of each local vertex in the search.
    parents: Vec<i64>,
    levels: SymSlice<i64>,
}

/// Permute the vertices, so that the degree of a vertex does not depend on its number.
fn shuffled(mut vertex: u64, scale: u64) -> u64 {
    let mask = (1 << scale) - 1;
    for _ in 0..3 {
        vertex = vertex.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(0x7f4a_7c15) & mask;
        vertex ^= vertex >> (scale / 2 + 1);
    }
    vertex
}

/// Draw the next edge: for each bit one of four quarters, with probabilities 0.57, 0.19, 0.19, 0.05.
fn draw_edge(stream: &mut Random, scale: u64) -> [u64; 2] {
    let (mut one, mut other) = (0, 0);
    for bit in 0..scale {
        let percent = stream.below(100);
        one |= u64::from(percent >= 76) << bit;
        other |= u64::from((57..76).contains(&percent) || percent >= 95) << bit;
    }
    [shuffled(one, scale), shuffled(other, scale)]
}

impl<'w> Graph<'w> {
    /// Draw this PE's share of the edges. The owners of both ends get each edge.
    fn build(world: &'w World, scale: u64, degree: u64) -> Result<Graph<'w>, AnyError> {
        let (me, pes) = (u64::from(world.my_pe()), u64::from(world.n_pes()));
        let mine = (1_usize << scale).div_ceil(pes as usize);
        let mut graph =
            Graph { world, scale, neighbours: vec![Vec::new(); mine], parents: Vec::new(), levels: world.alloc(mine)? };
        let neighbours = &mut graph.neighbours;
        world.aggregate(
            |_, [vertex, other]: [u64; 2]| neighbours[(vertex / pes) as usize].push(other),
            |items| {
                let edges = degree << scale;
                let mut stream = Random::of(me as u32);
                for _ in edges * me / pes..edges * (me + 1) / pes {
                    let [one, other] = draw_edge(&mut stream, scale);
                    if one != other {
                        items.send([one, other], (one % pes) as u32);
                        items.send([other, one], (other % pes) as u32);
                    }
                }
            },
        )?;
        Ok(graph)
    }

    fn owner(&self, vertex: u64) -> u32 {
        (vertex % u64::from(self.world.n_pes())) as u32
    }

    fn local(&self, vertex: u64) -> usize {
        (vertex / u64::from(self.world.n_pes())) as usize
    }

    fn global(&self, local: usize) -> u64 {
        local as u64 * u64::from(self.world.n_pes()) + u64::from(self.world.my_pe())
    }

    /// The neighbours of a vertex of this PE.
    fn degree_here(&self, vertex: u64) -> usize {
        if self.owner(vertex) == self.world.my_pe() { self.neighbours[self.local(vertex)].len() } else { 0 }
    }

    /// Find the parent and the level of every vertex that can be reached from `root`.
    fn search(&mut self, root: u64) -> Result<(), AnyError> {
        let (world, levels) = (self.world, &self.levels);
        levels.fill(NOT_REACHED);
        let mut parents = vec![NOT_REACHED; self.neighbours.len()];
        let mut frontier = Vec::new();
        if self.owner(root) == world.my_pe() {
            let local = self.local(root);
            levels.write(local, 0);
            parents[local] = root as i64;
            frontier.push(local);
        }
        // Vertices of this PE that were found in the current level, with their parents.
        let found = Mutex::new(Vec::new());
        world.aggregate(
            |_, pair: [u64; 2]| found.lock().unwrap().push(pair),
            |items| {
                for level in 1.. {
                    // This reduction is also a barrier: all PEs have processed the last level before any goes on.
                    if !world.any(!frontier.is_empty()) {
                        break;
                    }
                    for local in frontier.drain(..) {
                        let parent = self.global(local);
                        for &vertex in &self.neighbours[local] {
                            items.send([vertex, parent], self.owner(vertex));
                        }
                    }
                    world.barrier();
                    for [vertex, parent] in found.lock().unwrap().drain(..) {
                        let local = self.local(vertex);
                        if levels.read(local) == NOT_REACHED {
                            levels.write(local, level);
                            parents[local] = parent as i64;
                            frontier.push(local);
                        }
                    }
                }
            },
        )?;
        self.parents = parents;
        Ok(())
    }

    /// Number of violations of the rules, and number of edges between reached vertices, each counted from both ends.
    fn check(&self, root: u64) -> (u64, u64) {
        self.world.barrier();
        let (mut wrong, mut reached) = (0, 0);
        for (local, neighbours) in
            self.neighbours.iter().enumerate().filter(|&(local, _)| self.global(local) >> self.scale == 0)
        {
            let (level, parent) = (self.levels.read(local), self.parents[local]);
            let mut has_parent = self.global(local) == root && parent == root as i64 && level == 0;
            for &other in neighbours {
                let there = self.world.get(self.levels.at(self.local(other)), self.owner(other));
                wrong += u64::from((there < 0) != (level < 0) || there.abs_diff(level) > 1);
                has_parent |= parent == other as i64 && level == there + 1;
                reached += u64::from(level >= 0);
            }
            wrong += u64::from(level >= 0 && !has_parent);
        }
        // Wait until all PEs have read the levels, which the next search overwrites.
        self.world.barrier();
        (wrong, reached)
    }
}

fn run(world: &World, sizes: &[u64]) -> Result<Figure, AnyError> {
    let &[scale, degree, searches] = sizes else { unreachable!("there are three") };
    let mut graph = Graph::build(world, scale, degree)?;
    if world.sum(graph.neighbours.iter().map(Vec::len).sum::<usize>()) == 0 {
        return Err("bfs: the graph has no edges".into());
    }
    // The seed is the same on all PEs.
    let mut stream = Random::of(u32::MAX);
    let roots = std::iter::repeat_with(|| stream.draw() & ((1 << scale) - 1));
    let (mut wrong, mut edges, mut seconds) = (0, 0, 0.0);
    for root in roots.filter(|&root| world.sum(graph.degree_here(root)) > 0).take(searches as usize).collect::<Vec<_>>()
    {
        let watch = Stopwatch::start(world);
        graph.search(root)?;
        seconds += watch.seconds();
        let (broken, reached) = graph.check(root);
        wrong += broken;
        edges += world.sum(reached) / 2;
    }
    Ok(Figure { wrong, amount: edges as f64 / 1e6, unit: "MTEPS", seconds })
}
