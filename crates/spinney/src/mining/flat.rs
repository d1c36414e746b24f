//! The graphs as the miner reads them: one flat adjacency, labels as ranks.
//!
//! **Invariant.** A *step* is a directed labelled edge (label of the vertex left, of the edge, of
//! the vertex reached). Steps are numbered in that order, so of two steps from vertices of one
//! label the smaller number is the smaller continuation of a code. Edges that no pattern wanted
//! can have are left out: those with unseen labels, and those whose labels (with those of their
//! ends) occur in too few graphs. Vertices keep their numbers.

use rustc_hash::FxHashMap;

use crate::graph::Graph;
use crate::labels::{Label, UNSEEN};
use crate::mining::rows::Packing;

/// A step's number.
pub(crate) type StepId = u32;

/// The labels of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Labelled {
    pub(crate) from: Label,
    pub(crate) edge: Label,
    pub(crate) to: Label,
}

impl Labelled {
    fn reversed(self) -> Self {
        Labelled { from: self.to, edge: self.edge, to: self.from }
    }

    fn smaller_way(self) -> Self {
        self.min(self.reversed())
    }
}

/// A neighbour of a vertex, and the step there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StepTo {
    pub(crate) vertex: u32,
    pub(crate) step: StepId,
}

/// A vertex of one of the graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct LabelledVertex {
    pub(crate) label: Label,
    pub(crate) graph: u32,
    pub(crate) vertex: u32,
}

/// All graphs, flat.
#[derive(Debug)]
pub(crate) struct Flat {
    pub(crate) packing: Packing,
    /// The first vertex of each graph.
    base: Vec<u32>,
    offsets: Vec<u32>,
    around: Vec<StepTo>,
    steps: Vec<Labelled>,
    reverse: Vec<StepId>,
    /// Vertices by label. Unseen labels are left out.
    vertices: Vec<LabelledVertex>,
    counting: Vec<bool>,
}

impl Flat {
    /// The part of `graphs` that patterns in at least `min_support` of the `counting` ones can
    /// have.
    pub(crate) fn new(graphs: &[Graph], counting: Vec<bool>, min_support: usize) -> Self {
        let steps = frequent_steps(graphs, &counting, min_support);
        let number: FxHashMap<Labelled, StepId> = (0..).zip(&steps).map(|(i, &s)| (s, i)).collect();
        let max_vertices = graphs.iter().map(Graph::vertex_count).max().unwrap_or(0);
        let mut flat = Flat {
            packing: Packing::new(max_vertices),
            base: Vec::with_capacity(graphs.len()),
            offsets: vec![0],
            around: Vec::new(),
            reverse: steps.iter().map(|s| number[&s.reversed()]).collect(),
            steps,
            vertices: Vec::new(),
            counting,
        };
        for (g, graph) in graphs.iter().enumerate() {
            flat.add(g as u32, graph, &number);
        }
        flat.vertices.sort_unstable();
        flat
    }

    fn add(&mut self, g: u32, graph: &Graph, number: &FxHashMap<Labelled, StepId>) {
        self.base.push(self.offsets.len() as u32 - 1);
        for (v, &from) in (0..).zip(graph.labels()) {
            if from != UNSEEN {
                self.vertices.push(LabelledVertex { label: from, graph: g, vertex: v });
            }
            for n in graph.neighbors(v) {
                let step = Labelled { from, edge: n.label, to: graph.label(n.vertex) };
                if let Some(&step) = number.get(&step) {
                    self.around.push(StepTo { vertex: n.vertex, step });
                }
            }
            self.offsets.push(self.around.len() as u32);
        }
    }

    /// The number of steps.
    pub(crate) fn step_count(&self) -> usize {
        self.steps.len()
    }

    /// The labels of a step.
    pub(crate) fn labels(&self, step: StepId) -> Labelled {
        self.steps[step as usize]
    }

    /// The step the other way.
    pub(crate) fn reverse(&self, step: StepId) -> StepId {
        self.reverse[step as usize]
    }

    /// The smaller of a step and its reverse.
    pub(crate) fn smaller_way(&self, step: StepId) -> StepId {
        step.min(self.reverse(step))
    }

    /// The vertices whose labels are known, ascending by label.
    pub(crate) fn vertices(&self) -> &[LabelledVertex] {
        &self.vertices
    }

    /// Whether a graph counts towards the minimum support.
    #[inline]
    pub(crate) fn counts(&self, graph: u32) -> bool {
        self.counting[graph as usize]
    }

    /// The first vertex of a graph, for [`Flat::around`].
    #[inline]
    pub(crate) fn base(&self, graph: u32) -> u32 {
        self.base[graph as usize]
    }

    /// The neighbours of a vertex of the graph that starts at `base`.
    #[inline]
    pub(crate) fn around(&self, base: u32, vertex: u32) -> &[StepTo] {
        let at = (base + vertex) as usize;
        &self.around[self.offsets[at] as usize..self.offsets[at + 1] as usize]
    }
}

/// The graphs that have a step so far.
#[derive(Default)]
struct StepSupport {
    graphs: usize,
    /// The last of them.
    last: Option<usize>,
}

/// The steps, both ways, whose edges occur in at least `min_support` graphs that count.
fn frequent_steps(graphs: &[Graph], counting: &[bool], min_support: usize) -> Vec<Labelled> {
    let mut support: FxHashMap<Labelled, StepSupport> = FxHashMap::default();
    for (i, graph) in graphs.iter().enumerate().filter(|(i, _)| counting[*i]) {
        for e in graph.edges() {
            let step = Labelled { from: graph.label(e.u), edge: e.label, to: graph.label(e.v) };
            let seen = support.entry(step.smaller_way()).or_default();
            seen.graphs += usize::from(seen.last != Some(i));
            seen.last = Some(i);
        }
    }
    let known = |s: &Labelled| s.from != UNSEEN && s.edge != UNSEEN && s.to != UNSEEN;
    let frequent =
        support.iter().filter(|(s, n)| known(s) && n.graphs >= min_support).map(|(s, _)| *s);
    let mut steps: Vec<_> = frequent.flat_map(|s| [s, s.reversed()]).collect();
    steps.sort_unstable();
    steps.dedup();
    steps
}
