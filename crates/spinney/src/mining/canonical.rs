//! The smallest DFS code of a pattern.
//!
//! The code is grown edge by edge. At each step all partial walks that produced the smallest
//! prefix so far are kept, the smallest continuation of any of them is chosen, and the walks that
//! can make it go on. A walk is a row of positions (the vertex found 0th, 1st, ...): which edges
//! are used follows from the code, which all walks share.
//!
//! **Invariant.** After step `k` the walks are all those that write the smallest `k`-edge prefix,
//! up to exchanges of *twins* (vertices of one label with the same labelled neighbours): of each
//! set of twins only the first unvisited one is entered. An exchange of twins is an automorphism,
//! so no smaller code is lost, and stars and cliques cost one walk instead of factorially many.
//!
//! **Cost.** Steps × walks × rightmost path; walks ≤ automorphisms of the prefix modulo twins.

use crate::graph::Graph;
use crate::labels::Label;
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::minimal::{MinimalityTest, Verdict};

/// Computes smallest DFS codes; keeps its buffers between calls.
#[derive(Debug, Default)]
pub struct Canonizer {
    labels: Vec<Label>,
    offsets: Vec<u16>,
    around: Vec<(u16, Label)>,
    twin: Vec<u16>,
    walks: Vec<u16>,
    next: Vec<u16>,
    /// The code written so far, and its rightmost path from the vertex found last to the root.
    code: Vec<DfsEdge>,
    path: Vec<u16>,
    test: MinimalityTest,
}

/// A pattern's smallest code and its number of automorphisms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The smallest DFS code.
    pub code: DfsCode,
    /// How many label-preserving automorphisms the pattern has (saturating).
    pub automorphisms: u64,
}

impl Canonizer {
    /// A canonizer with empty buffers.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The smallest code of a connected `graph` of at least one vertex.
    ///
    /// # Panics
    /// If the graph is empty, disconnected or has more than 65,535 vertices.
    pub fn canonical(&mut self, graph: &Graph) -> Canonical {
        if graph.edge_count() == 0 {
            assert_eq!(graph.vertex_count(), 1, "a pattern is connected and not empty");
            return Canonical { code: DfsCode::vertex(graph.label(0)), automorphisms: 1 };
        }
        let n = u16::try_from(graph.vertex_count()).expect("a pattern of at most 65,535 vertices");
        self.load(graph, usize::from(n));
        let edge_count = graph.edge_count();
        self.grow(edge_count, |_, _| true);
        assert_eq!(self.code.len(), edge_count, "a pattern is connected");
        let automorphisms = self.automorphisms();
        Canonical { code: DfsCode::from_edges(self.code.clone()), automorphisms }
    }

    /// Whether `code`, a DFS code of some pattern, is the smallest one of that pattern.
    pub fn is_minimal(&mut self, code: &DfsCode) -> bool {
        self.test.judge(code) == Verdict::Smallest
    }

    /// The same in at most `steps`, from which those taken are subtracted; `None` if they do not
    /// suffice. Patterns with many like branches have factorially many walks.
    pub fn is_minimal_within(&mut self, code: &DfsCode, steps: &mut u64) -> Option<bool> {
        self.test.set_step_limit((*steps).max(1));
        let verdict = self.test.judge(code);
        let gave_up = self.test.gave_up();
        *steps = steps.saturating_sub(self.test.steps());
        self.test.set_step_limit(0);
        (!gave_up).then_some(verdict == Verdict::Smallest)
    }

    /// The number of automorphisms of a pattern given by a smallest code (saturating).
    pub fn automorphisms_of(&mut self, code: &DfsCode) -> u64 {
        let verdict = self.test.judge(code);
        debug_assert_eq!(verdict, Verdict::Smallest, "counted on smallest codes");
        self.test.automorphisms()
    }

    /// Walks that wrote the whole code × the orders of the groups that exchange twins.
    fn automorphisms(&self) -> u64 {
        let walks = (self.walks.len() / self.labels.len()) as u64;
        let mut group_sizes = vec![0u64; self.labels.len()];
        let mut total = walks;
        for &t in &self.twin {
            let size = &mut group_sizes[usize::from(t)];
            *size += 1;
            total = total.saturating_mul(*size);
        }
        total
    }

    fn load(&mut self, graph: &Graph, n: usize) {
        self.labels.clear();
        self.labels.extend_from_slice(graph.labels());
        self.offsets.clear();
        self.offsets.resize(n + 1, 0);
        for e in graph.edges() {
            self.offsets[e.u as usize + 1] += 1;
            self.offsets[e.v as usize + 1] += 1;
        }
        for v in 0..n {
            self.offsets[v + 1] += self.offsets[v];
        }
        self.around.clear();
        self.around.resize(usize::from(self.offsets[n]), (0, 0));
        for e in graph.edges() {
            for [a, b] in [[e.u, e.v], [e.v, e.u]] {
                // `offsets[a]` doubles as the insertion point and is put back below.
                let slot = &mut self.offsets[a as usize];
                self.around[usize::from(*slot)] = (b as u16, e.label);
                *slot += 1;
            }
        }
        for v in (1..=n).rev() {
            self.offsets[v] = self.offsets[v - 1];
        }
        self.offsets[0] = 0;
        for v in 0..n {
            let range = usize::from(self.offsets[v])..usize::from(self.offsets[v + 1]);
            self.around[range].sort_unstable();
        }
        self.find_twins();
    }

    fn around(&self, v: u16) -> &[(u16, Label)] {
        let v = usize::from(v);
        &self.around[usize::from(self.offsets[v])..usize::from(self.offsets[v + 1])]
    }

    /// `twin[v]` = the first vertex that `v` can be exchanged with, itself included.
    fn find_twins(&mut self) {
        let n = self.labels.len() as u16;
        self.twin.clear();
        for v in 0..n {
            let first = (0..v).find(|&u| {
                self.twin[usize::from(u)] == u
                    && self.labels[usize::from(u)] == self.labels[usize::from(v)]
                    && self.are_twins(u, v)
            });
            self.twin.push(first.unwrap_or(v));
        }
    }

    fn are_twins(&self, u: u16, v: u16) -> bool {
        let a = self.around(u);
        let b = self.around(v);
        a.len() == b.len() && a.iter().filter(|n| n.0 != v).eq(b.iter().filter(|n| n.0 != u))
    }

    /// Whether `v` is the one of its twins to be entered next, given the vertices `visited`.
    fn is_first_of_twins(&self, v: u16, visited: &[u16]) -> bool {
        let t = self.twin[usize::from(v)];
        (t..v).all(|u| self.twin[usize::from(u)] != t || visited.contains(&u))
    }

    /// Writes the smallest code until it is whole or `go_on(step, edge)` says no. Returns whether
    /// it is whole.
    fn grow(&mut self, edge_count: usize, go_on: impl Fn(usize, DfsEdge) -> bool) -> bool {
        self.code.clear();
        self.path.clear();
        let Some(first) = self.first_edge() else { return edge_count == 0 };
        if !go_on(0, first) {
            return false;
        }
        self.start(first);
        for step in 1..edge_count {
            let Some(edge) = self.smallest_continuation() else { return false };
            if !go_on(step, edge) {
                return false;
            }
            self.advance(edge);
        }
        true
    }

    fn first_edge(&self) -> Option<DfsEdge> {
        let label = |v: u16| self.labels[usize::from(v)];
        let directed = (0..self.labels.len() as u16)
            .flat_map(|u| self.around(u).iter().map(move |&(v, l)| (label(u), l, label(v))));
        let (from_label, edge_label, to_label) = directed.min()?;
        Some(DfsEdge { from: 0, to: 1, from_label, edge_label, to_label })
    }

    fn start(&mut self, first: DfsEdge) {
        self.walks.clear();
        let n = self.labels.len() as u16;
        let mut walks = std::mem::take(&mut self.walks);
        for u in (0..n).filter(|&u| self.labels[usize::from(u)] == first.from_label) {
            if !self.is_first_of_twins(u, &[]) {
                continue;
            }
            for &(v, label) in self.around(u) {
                let fits =
                    label == first.edge_label && self.labels[usize::from(v)] == first.to_label;
                if fits && self.is_first_of_twins(v, &[u]) {
                    walks.extend([u, v]);
                }
            }
        }
        self.walks = walks;
        self.code.push(first);
        self.path.extend([1, 0]);
    }

    fn width(&self) -> usize {
        1 + usize::from(self.path[0])
    }

    fn smallest_continuation(&self) -> Option<DfsEdge> {
        self.smallest_backward().or_else(|| self.smallest_forward())
    }

    /// Backward edges leave the vertex found last; the one that returns furthest comes first.
    fn smallest_backward(&self) -> Option<DfsEdge> {
        let from = self.path[0];
        for &to in self.path[2..].iter().rev() {
            if self.code.iter().any(|e| e.from == from && e.to == to) {
                continue;
            }
            let label_between = |walk: &[u16]| {
                let back = walk[usize::from(to)];
                let around = self.around(walk[usize::from(from)]);
                around.iter().find(|n| n.0 == back).map(|n| n.1)
            };
            let best = self.walks.chunks_exact(self.width()).filter_map(label_between).min();
            if let Some(edge_label) = best {
                return Some(DfsEdge {
                    from,
                    to,
                    from_label: self.label_at(from),
                    edge_label,
                    to_label: self.label_at(to),
                });
            }
        }
        None
    }

    fn smallest_forward(&self) -> Option<DfsEdge> {
        for &from in &self.path {
            let mut best: Option<(Label, Label)> = None;
            for walk in self.walks.chunks_exact(self.width()) {
                for &(v, label) in self.around(walk[usize::from(from)]) {
                    let candidate = (label, self.labels[usize::from(v)]);
                    if best.is_none_or(|b| candidate < b) && !walk.contains(&v) {
                        best = Some(candidate);
                    }
                }
            }
            if let Some((edge_label, to_label)) = best {
                let from_label = self.label_at(from);
                let to = self.path[0] + 1;
                return Some(DfsEdge { from, to, from_label, edge_label, to_label });
            }
        }
        None
    }

    /// The label of position `at`; the same for all walks.
    fn label_at(&self, at: u16) -> Label {
        self.labels[usize::from(self.walks[usize::from(at)])]
    }

    fn advance(&mut self, edge: DfsEdge) {
        let width = self.width();
        let mut next = std::mem::take(&mut self.next);
        next.clear();
        for walk in self.walks.chunks_exact(width) {
            let here = walk[usize::from(edge.from)];
            if edge.is_forward() {
                for &(v, label) in self.around(here) {
                    let fits = label == edge.edge_label
                        && self.labels[usize::from(v)] == edge.to_label
                        && !walk.contains(&v);
                    if fits && self.is_first_of_twins(v, walk) {
                        next.extend_from_slice(walk);
                        next.push(v);
                    }
                }
            } else {
                let back = (walk[usize::from(edge.to)], edge.edge_label);
                if self.around(here).contains(&back) {
                    next.extend_from_slice(walk);
                }
            }
        }
        self.next = std::mem::replace(&mut self.walks, next);
        if edge.is_forward() {
            let keep = self.path.iter().position(|&p| p == edge.from).unwrap_or(0);
            self.path.drain(..keep);
            self.path.insert(0, edge.to);
        }
        self.code.push(edge);
    }
}

#[cfg(test)]
mod tests {
    use super::Canonizer;
    use crate::graph::{Graph, GraphBuilder};

    fn graph(labels: &[u32], edges: &[(u32, u32, u32)]) -> Graph {
        let mut b = GraphBuilder::new();
        for &l in labels {
            b.add_vertex(l);
        }
        for &(u, v, l) in edges {
            b.add_edge(u, v, l).unwrap();
        }
        b.build()
    }

    fn star(leaves: u32) -> Graph {
        let edges: Vec<_> = (1..=leaves).map(|v| (0, v, 0)).collect();
        graph(&vec![0; leaves as usize + 1], &edges)
    }

    fn clique(n: u32) -> Graph {
        let edges: Vec<_> = (0..n).flat_map(|u| (0..u).map(move |v| (u, v, 0))).collect();
        graph(&vec![0; n as usize], &edges)
    }

    #[test]
    fn automorphisms_of_known_graphs() {
        let mut c = Canonizer::new();
        let mut count = |g: &Graph| c.canonical(g).automorphisms;
        assert_eq!(count(&star(1)), 2);
        assert_eq!(count(&star(2)), 2);
        assert_eq!(count(&star(10)), 3_628_800);
        assert_eq!(count(&clique(9)), 362_880);
        let hexagon: Vec<_> = (0..6).map(|v| (v, (v + 1) % 6, 0)).collect();
        assert_eq!(count(&graph(&[0; 6], &hexagon)), 12);
        let petersen: Vec<_> = (0..5)
            .flat_map(|v| [(v, (v + 1) % 5, 0), (v, v + 5, 0), (v + 5, (v + 2) % 5 + 5, 0)])
            .collect();
        assert_eq!(count(&graph(&[0; 10], &petersen)), 120);
        assert_eq!(count(&graph(&[3], &[])), 1);
    }

    #[test]
    fn codes_of_known_graphs() {
        let mut c = Canonizer::new();
        // A triangle with one odd vertex starts at the two equal ones.
        let triangle = graph(&[1, 0, 0], &[(0, 1, 0), (1, 2, 0), (0, 2, 0)]);
        let code = c.canonical(&triangle).code;
        let walked: Vec<_> =
            code.edges().iter().map(|e| (e.from, e.to, e.from_label, e.to_label)).collect();
        assert_eq!(walked, [(0, 1, 0, 0), (1, 2, 0, 1), (2, 0, 1, 0)]);
        assert!(c.is_minimal(&code));
        assert!(c.is_minimal(&code.parent().unwrap()));
    }
}
