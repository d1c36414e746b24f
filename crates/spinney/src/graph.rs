//! Undirected graphs with labelled vertices and edges.
//!
//! **Invariant.** A [`Graph`] is simple: no self-loop, at most one edge between two vertices. It
//! may be empty, disconnected or have isolated vertices. Adjacency is stored as one flat array
//! (CSR), each vertex's neighbours in ascending order.

use rustc_hash::FxHashMap;

use crate::labels::Label;

/// An edge; `u` and `v` in the order in which it was given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// One end.
    pub u: u32,
    /// The other end.
    pub v: u32,
    /// The edge's label.
    pub label: Label,
}

/// A neighbour of a vertex, and the edge there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Neighbor {
    /// The vertex at the other end.
    pub vertex: u32,
    /// The edge's label.
    pub label: Label,
    /// The edge's index in [`Graph::edges`].
    pub edge: u32,
}

/// A simple undirected graph with labels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    labels: Vec<Label>,
    edges: Vec<Edge>,
    offsets: Vec<u32>,
    neighbors: Vec<Neighbor>,
}

impl Graph {
    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.labels.len()
    }

    /// The number of edges.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges.len()
    }

    /// The label of vertex `v`.
    #[must_use]
    pub fn label(&self, v: u32) -> Label {
        self.labels[v as usize]
    }

    /// The labels of all vertices.
    #[must_use]
    pub fn labels(&self) -> &[Label] {
        &self.labels
    }

    /// All edges.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The neighbours of `v`, ascending.
    #[must_use]
    pub fn neighbors(&self, v: u32) -> &[Neighbor] {
        let start = self.offsets[v as usize] as usize;
        let end = self.offsets[v as usize + 1] as usize;
        &self.neighbors[start..end]
    }

    /// The label of the edge between `u` and `v`, if there is one.
    #[must_use]
    pub fn edge_label(&self, u: u32, v: u32) -> Option<Label> {
        let around = self.neighbors(u);
        let at = around.binary_search_by_key(&v, |n| n.vertex).ok()?;
        Some(around[at].label)
    }

    /// The same graph with every label replaced through a table (see
    /// [`Names::translation`](crate::labels::Names::translation)); labels outside the table stay
    /// unseen.
    #[must_use]
    pub fn relabelled(&self, vertex: &[Label], edge: &[Label]) -> Graph {
        let mut graph = self.clone();
        graph.relabel(vertex, edge);
        graph
    }

    /// Replaces every label, as [`Graph::relabelled`].
    pub fn relabel(&mut self, vertex: &[Label], edge: &[Label]) {
        let map = |table: &[Label], label: Label| {
            table.get(label as usize).copied().unwrap_or(crate::labels::UNSEEN)
        };
        for label in &mut self.labels {
            *label = map(vertex, *label);
        }
        for e in &mut self.edges {
            e.label = map(edge, e.label);
        }
        for n in &mut self.neighbors {
            n.label = map(edge, n.label);
        }
    }

    /// For each vertex, whether one of its edges lies on a cycle (is no bridge).
    #[must_use]
    pub fn on_cycles(&self) -> Vec<bool> {
        let n = self.vertex_count();
        // Depth-first numbers, and the lowest number that a subtree reaches.
        let mut number = vec![0u32; n];
        let mut lowest = vec![0u32; n];
        let mut cyclic = vec![false; n];
        let mut next = 1;
        for root in 0..n as u32 {
            if number[root as usize] != 0 {
                continue;
            }
            number[root as usize] = next;
            lowest[root as usize] = next;
            next += 1;
            let mut path = vec![PathVertex { vertex: root, came_by: None, next: 0 }];
            while let Some(last) = path.last_mut() {
                let vertex = last.vertex as usize;
                let Some(step) = self.neighbors(last.vertex).get(last.next) else {
                    path.pop();
                    if let Some(parent) = path.last() {
                        let parent = parent.vertex as usize;
                        lowest[parent] = lowest[parent].min(lowest[vertex]);
                        if lowest[vertex] <= number[parent] {
                            cyclic[parent] = true;
                            cyclic[vertex] = true;
                        }
                    }
                    continue;
                };
                last.next += 1;
                if Some(step.edge) == last.came_by {
                    continue;
                }
                let to = step.vertex as usize;
                if number[to] == 0 {
                    number[to] = next;
                    lowest[to] = next;
                    next += 1;
                    let came_by = Some(step.edge);
                    path.push(PathVertex { vertex: step.vertex, came_by, next: 0 });
                } else {
                    lowest[vertex] = lowest[vertex].min(number[to]);
                    cyclic[vertex] = true;
                    cyclic[to] = true;
                }
            }
        }
        cyclic
    }

    /// The number of connected parts.
    #[must_use]
    pub fn component_count(&self) -> usize {
        let mut seen = vec![false; self.vertex_count()];
        let mut count = 0;
        for root in 0..self.vertex_count() as u32 {
            if seen[root as usize] {
                continue;
            }
            count += 1;
            let mut waiting = vec![root];
            while let Some(v) = waiting.pop() {
                if !std::mem::replace(&mut seen[v as usize], true) {
                    waiting.extend(self.neighbors(v).iter().map(|n| n.vertex));
                }
            }
        }
        count
    }

    /// A graph of vertices with `labels` and edges between them. Edges that would not make it
    /// simple are left out: self-loops, ends that are no vertices, all but the first between two
    /// vertices. For data that may be wrong use [`GraphBuilder`], which says so.
    #[must_use]
    pub fn new(labels: Vec<Label>, mut edges: Vec<Edge>) -> Graph {
        let n = labels.len();
        edges.retain(|e| e.u != e.v && (e.u.max(e.v) as usize) < n);
        let graph = GraphBuilder { labels, edges, ..GraphBuilder::default() }.build();
        let repeats = |v: u32| graph.neighbors(v).windows(2).any(|w| w[0].vertex == w[1].vertex);
        if (0..n as u32).any(repeats) { graph.without_repeats() } else { graph }
    }

    fn without_repeats(self) -> Graph {
        let mut builder = GraphBuilder::new();
        self.labels.iter().for_each(|&label| _ = builder.add_vertex(label));
        // The builder takes the first edge between two vertices and refuses the others.
        self.edges.iter().for_each(|e| _ = builder.add_edge(e.u, e.v, e.label));
        builder.build()
    }
}

/// A vertex of a depth-first path: the edge to it, and which of its neighbours comes next.
struct PathVertex {
    vertex: u32,
    came_by: Option<u32>,
    next: usize,
}

/// How a graph is made of copies of another, labelled differently and one after another, and of
/// single vertices after them that have no place in it
/// ([covariates](crate::representation::covariates)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copies {
    /// The number of copies.
    pub count: usize,
    /// The number of vertices after them.
    pub apart: usize,
}

impl Default for Copies {
    fn default() -> Self {
        Copies { count: 1, apart: 0 }
    }
}

impl Copies {
    /// The number of vertices of one copy in `graph`.
    #[must_use]
    pub fn vertices(self, graph: &Graph) -> usize {
        graph.vertex_count().saturating_sub(self.apart) / self.count.max(1)
    }

    /// The number of edges of one copy in `graph`.
    #[must_use]
    pub fn edges(self, graph: &Graph) -> usize {
        graph.edge_count() / self.count.max(1)
    }

    /// The first copy.
    #[must_use]
    pub fn first(self, graph: &Graph) -> Graph {
        let n = self.vertices(graph);
        let m = self.edges(graph);
        let inside = |e: &&Edge| (e.u as usize) < n && (e.v as usize) < n;
        let edges: Vec<Edge> = graph.edges().iter().filter(inside).copied().take(m).collect();
        Graph::new(graph.labels()[..n].to_vec(), edges)
    }
}

/// Why an edge cannot be added.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum EdgeError {
    /// An end that is no vertex.
    #[error("edge {u}-{v} names vertex {}, which the graph does not have", .u.max(.v))]
    NoSuchVertex {
        /// One end.
        u: u32,
        /// The other end.
        v: u32,
    },
    /// An edge from a vertex to itself.
    #[error("self-loop at vertex {0}: patterns are simple graphs; remove it or skip the graph")]
    SelfLoop(u32),
    /// A second edge between the same vertices, with another label.
    #[error("two edges between vertices {u} and {v} with different labels")]
    Conflict {
        /// One end.
        u: u32,
        /// The other end.
        v: u32,
    },
}

/// Collects vertices and edges and checks them.
///
/// Whether an edge is there already is looked up in the shorter of the lists of its two ends; only
/// where both are long are all edges put into a hash table, once.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    labels: Vec<Label>,
    edges: Vec<Edge>,
    /// Each vertex's last edge, or [`NONE`].
    last: Vec<u32>,
    /// The edge before it at its `u` and at its `v`.
    before: Vec<[u32; 2]>,
    seen: Option<FxHashMap<(u32, u32), Label>>,
}

const NONE: u32 = u32::MAX;
/// A list of edges longer than this is not searched.
const MAX_SEARCHED_EDGES: usize = 32;

impl GraphBuilder {
    /// An empty graph to add to.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a vertex and returns its index.
    pub fn add_vertex(&mut self, label: Label) -> u32 {
        self.labels.push(label);
        self.last.push(NONE);
        self.labels.len() as u32 - 1
    }

    /// The number of vertices so far.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.labels.len()
    }

    /// Adds an edge. A repetition of an edge with the same label changes nothing and gives
    /// `Ok(false)`.
    ///
    /// # Errors
    /// A self-loop, an end that is no vertex yet, or the same pair with another label.
    pub fn add_edge(&mut self, u: u32, v: u32, label: Label) -> Result<bool, EdgeError> {
        if u.max(v) as usize >= self.labels.len() {
            return Err(EdgeError::NoSuchVertex { u, v });
        }
        if u == v {
            return Err(EdgeError::SelfLoop(u));
        }
        match self.known(u, v) {
            None => {
                let edge = self.edges.len() as u32;
                self.edges.push(Edge { u, v, label });
                let last = |v: &mut u32| std::mem::replace(v, edge);
                let before = [last(&mut self.last[u as usize]), last(&mut self.last[v as usize])];
                self.before.push(before);
                if let Some(seen) = &mut self.seen {
                    seen.insert((u.min(v), u.max(v)), label);
                }
                Ok(true)
            }
            Some(before) if before == label => Ok(false),
            Some(_) => Err(EdgeError::Conflict { u, v }),
        }
    }

    /// The label of the edge between `u` and `v`, if it was added.
    fn known(&mut self, u: u32, v: u32) -> Option<Label> {
        if self.seen.is_none() {
            let [mut at_u, mut at_v] = [u, v].map(|v| self.last[v as usize]);
            for _ in 0..MAX_SEARCHED_EDGES {
                if at_u == NONE || at_v == NONE {
                    return None;
                }
                for (at, end, other) in [(&mut at_u, u, v), (&mut at_v, v, u)] {
                    let e = self.edges[*at as usize];
                    if e.u == other || e.v == other {
                        return Some(e.label);
                    }
                    *at = self.before[*at as usize][usize::from(e.v == end)];
                }
            }
        }
        let edges = &self.edges;
        let seen = self.seen.get_or_insert_with(|| {
            edges.iter().map(|e| ((e.u.min(e.v), e.u.max(e.v)), e.label)).collect()
        });
        seen.get(&(u.min(v), u.max(v))).copied()
    }

    /// The finished graph.
    #[must_use]
    pub fn build(self) -> Graph {
        let n = self.labels.len();
        let mut offsets = vec![0u32; n + 1];
        for e in &self.edges {
            offsets[e.u as usize + 1] += 1;
            offsets[e.v as usize + 1] += 1;
        }
        for v in 0..n {
            offsets[v + 1] += offsets[v];
        }
        let mut next = offsets.clone();
        let mut neighbors = vec![Neighbor { vertex: 0, label: 0, edge: 0 }; 2 * self.edges.len()];
        for (edge, e) in self.edges.iter().enumerate() {
            for (from, to) in [(e.u, e.v), (e.v, e.u)] {
                let slot = &mut next[from as usize];
                neighbors[*slot as usize] =
                    Neighbor { vertex: to, label: e.label, edge: edge as u32 };
                *slot += 1;
            }
        }
        for v in 0..n {
            let around = &mut neighbors[offsets[v] as usize..offsets[v + 1] as usize];
            if !around.is_sorted() {
                around.sort_unstable();
            }
        }
        Graph { labels: self.labels, edges: self.edges, offsets, neighbors }
    }
}

#[cfg(test)]
mod tests {
    use super::{Edge, EdgeError, Graph, GraphBuilder};

    #[test]
    fn builder_merges_repeats_and_refuses_conflicts() {
        let mut b = GraphBuilder::new();
        for label in [5, 6, 7] {
            b.add_vertex(label);
        }
        assert_eq!(b.add_edge(2, 0, 1), Ok(true));
        assert_eq!(b.add_edge(0, 2, 1), Ok(false));
        assert_eq!(b.add_edge(0, 2, 3), Err(EdgeError::Conflict { u: 0, v: 2 }));
        assert_eq!(b.add_edge(1, 1, 0), Err(EdgeError::SelfLoop(1)));
        assert_eq!(b.add_edge(1, 9, 0), Err(EdgeError::NoSuchVertex { u: 1, v: 9 }));
    }

    #[test]
    fn long_lists_are_searched_as_well_as_short_ones() {
        // A clique, twice: every second edge is a repetition, in either direction.
        let mut b = GraphBuilder::new();
        for _ in 0..100 {
            b.add_vertex(0);
        }
        let pairs: Vec<_> = (0..100).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
        for &(u, v) in &pairs {
            assert_eq!(b.add_edge(u, v, 1), Ok(true));
            assert_eq!(b.add_edge(v, u, 1), Ok(false));
        }
        for &(u, v) in &pairs {
            assert_eq!(b.add_edge(u, v, 2), Err(EdgeError::Conflict { u, v }));
        }
        assert_eq!(b.build().edge_count(), pairs.len());
    }

    #[test]
    fn a_graph_of_edges_is_made_simple() {
        let edge = |u, v, label| Edge { u, v, label };
        let labels = vec![5, 6, 7];
        let g = Graph::new(labels.clone(), vec![edge(2, 0, 1), edge(1, 0, 4)]);
        let mut b = GraphBuilder::new();
        labels.iter().for_each(|&l| _ = b.add_vertex(l));
        b.add_edge(2, 0, 1).unwrap();
        b.add_edge(1, 0, 4).unwrap();
        assert_eq!(g, b.build());
        let odd = [(2, 0, 1), (0, 2, 3), (1, 1, 0), (1, 9, 0), (1, 0, 4), (0, 1, 4)];
        assert_eq!(g, Graph::new(labels, odd.map(|(u, v, l)| edge(u, v, l)).to_vec()));
        assert_eq!(Graph::new(Vec::new(), Vec::new()), GraphBuilder::new().build());
    }

    #[test]
    fn adjacency_is_sorted_and_symmetric() {
        let mut b = GraphBuilder::new();
        for label in 0..4 {
            b.add_vertex(label);
        }
        b.add_edge(0, 3, 1).unwrap();
        b.add_edge(2, 0, 2).unwrap();
        b.add_edge(0, 1, 0).unwrap();
        let g = b.build();
        let around: Vec<u32> = g.neighbors(0).iter().map(|n| n.vertex).collect();
        assert_eq!(around, [1, 2, 3]);
        assert_eq!(g.edge_label(0, 2), Some(2));
        assert_eq!(g.edge_label(2, 0), Some(2));
        assert_eq!(g.edge_label(2, 3), None);
        assert_eq!(GraphBuilder::new().build().vertex_count(), 0);
    }
}
