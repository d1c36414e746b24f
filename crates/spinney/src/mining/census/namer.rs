//! Naming a connected edge set by a number that depends only on its pattern.
//!
//! Three cases, by the number of independent cycles:
//! - **Tree**: rooted at its centroid and read there (`rooted_tree_hash`).
//! - **One cycle**: trees that hang on a ring, and the ring's readings (`ring`).
//! - **More**: individualisation and refinement (`refine`).
//!
//! **Invariant.** Equal patterns have equal names; different patterns have different names, up to
//! the chance that `hash` explains. Tested on all connected graphs of up to 8 vertices and against
//! DFS codes.
//!
//! **Cost.** For trees, the path from the new leaf to the centroid, and one or two steps there. A
//! set that is only looked at ([`Namer::tip`]) changes nothing.

use crate::graph::Graph;
use crate::labels::Label;
use crate::mining::census::hash::{Name, Seeds, mixed, tag};
use crate::mining::census::refine::{Link, Refiner};
use crate::mining::census::ring::{RingNamer, RingValue};
use crate::mining::census::rooted_tree_hash::{Carried, Forest, Leaf, RingVertex};
use crate::mining::census::walk::{ArcKinds, ArcLabels, SetStep};

/// A set on the way from the first vertex to the current set.
#[derive(Clone, Copy, Debug)]
struct Frame {
    /// The edge that it adds to the set before it.
    step: SetStep,
    /// What the forest goes back to when this set is left.
    mark: u32,
    /// The shape of the set before it.
    shape: Shape,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Shape {
    #[default]
    Tree,
    Ring,
    Many,
}

/// Names the sets that a [`Walker`](crate::mining::census::walk::Walker) stands at.
#[derive(Default)]
pub(crate) struct Namer {
    seeds: Seeds,
    /// For each kind of arc, its head as a leaf.
    leaves: Vec<Leaf>,
    /// For each edge of the graph, what it adds to the second lane.
    triples: Vec<u64>,
    /// Of the current set.
    shape: Shape,
    first: u64,
    /// Sum over its edges: the second lane of names.
    edges: u64,
    frames: Vec<Frame>,
    forest: Forest,
    ring: Vec<RingVertex>,
    ring_namer: RingNamer,
    refiner: Refiner,
    tree_tags: [u64; 2],
}

impl Namer {
    /// Prepares for the edge sets of a graph.
    pub(crate) fn load(&mut self, graph: &Graph, kinds: &ArcKinds) {
        self.triples.clear();
        for e in graph.edges() {
            let ends = [e.u, e.v].map(|v| graph.label(v));
            self.triples.push(self.seeds.triple(ends, e.label));
        }
        for &ArcLabels { edge, head } in &kinds.labels()[self.leaves.len()..] {
            let edge = self.seeds.edge(edge);
            let seed = self.seeds.vertex(head);
            self.leaves.push(Leaf { seed, edge, gives: mixed(seed.wrapping_add(edge)) });
        }
        self.tree_tags = [tag(1), tag(2)];
    }

    /// The set starts anew with one vertex.
    pub(crate) fn start(&mut self, label: Label) {
        self.first = self.seeds.vertex(label);
        self.edges = 0;
        self.shape = Shape::Tree;
        self.forest.start(self.first);
        self.frames.clear();
    }

    /// The number of edges of the current set.
    pub(crate) fn size(&self) -> usize {
        self.frames.len()
    }

    /// The edge of the current set that entered after `before` others.
    pub(crate) fn edge(&self, before: usize) -> u32 {
        self.frames[before].step.edge
    }

    /// An edge enters; gives the name of the set with it.
    #[inline]
    pub(crate) fn enter(&mut self, step: SetStep) -> Name {
        let leaf = &self.leaves[step.kind as usize];
        self.frames.push(Frame { step, mark: self.forest.mark(), shape: self.shape });
        self.edges = self.edges.wrapping_add(self.triples[step.edge as usize]);
        let first = match (self.shape, step.new) {
            (Shape::Tree, true) => {
                let carried = self.forest.hang_on_tree(step.from, leaf);
                carried.tree_name(self.forest.len(), &self.tree_tags)
            }
            (Shape::Tree, false) => {
                self.shape = Shape::Ring;
                self.ring = self.forest.open_ring(step.from, step.to, leaf.edge);
                self.ring_name(None)
            }
            (Shape::Ring, true) => {
                self.forest.hang(step.from, leaf);
                self.ring_name(None)
            }
            _ => {
                self.shape = Shape::Many;
                self.refined_name()
            }
        };
        Name(first, self.edges)
    }

    /// The name of the current set with one edge more.
    #[inline]
    pub(crate) fn tip(&mut self, step: SetStep) -> Name {
        if !step.new || self.shape == Shape::Many {
            let name = self.enter(step);
            self.leave();
            return name;
        }
        let edges = self.edges.wrapping_add(self.triples[step.edge as usize]);
        let carried = self.forest.look(step.from, &self.leaves[step.kind as usize]);
        if self.shape == Shape::Tree {
            let first = carried.tree_name(self.forest.len() + 1, &self.tree_tags);
            return Name(first, edges);
        }
        Name(self.ring_name(Some(carried)), edges)
    }

    /// The edge that entered last leaves.
    #[inline]
    pub(crate) fn leave(&mut self) {
        let Some(Frame { step, mark, shape }) = self.frames.pop() else { return };
        if self.shape != Shape::Many {
            let vertices = self.forest.len() - u32::from(step.new);
            self.forest.undo(mark, vertices);
        }
        self.shape = shape;
        self.edges = self.edges.wrapping_sub(self.triples[step.edge as usize]);
    }

    /// The name of the current set, which has one cycle, with what a leaf would change.
    fn ring_name(&mut self, leaf: Option<Carried>) -> u64 {
        let forest = &self.forest;
        let value = |v: u32| match leaf {
            Some(carried) if carried.root == v => carried.sum,
            _ => forest.sum(v),
        };
        let last = self.ring.last().map_or(0, |last| last.next_edge);
        let ring = self
            .ring
            .iter()
            .map(|&RingVertex { vertex, next_edge }| RingValue { value: value(vertex), next_edge });
        let readings = self.ring_namer.readings(ring, last);
        let length = self.ring.len() as u64;
        mixed(readings.wrapping_add(tag(3 + (length << 8))))
    }

    fn refined_name(&mut self) -> u64 {
        let Namer { frames, leaves, first, .. } = self;
        let new = frames.iter().filter(|frame| frame.step.new);
        let seeds: Vec<u64> = std::iter::once(*first)
            .chain(new.map(|frame| leaves[frame.step.kind as usize].seed))
            .collect();
        let link = |Frame { step, .. }: &Frame| {
            let edge = leaves[step.kind as usize].edge;
            Link { from: step.from as usize, to: step.to as usize, edge }
        };
        let links: Vec<Link> = frames.iter().map(link).collect();
        self.refiner.name(&seeds, &links)
    }
}
