//! Small labelled graphs: isomorphism, occurrences, edge sets and DFS codes by brute force.

use std::collections::{BTreeMap, BTreeSet};

use spinney::graph::{Graph, GraphBuilder};
use spinney::mining::DfsCode;

/// A small graph as plain lists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Labels of the vertices.
    pub labels: Vec<u32>,
    /// Edges with labels.
    pub edges: Vec<(usize, usize, u32)>,
}

/// A vertex's label, its degree, and the labels of its edges and neighbours.
type Surroundings = (u32, usize, Vec<(u32, u32)>);

/// One edge of a DFS code: from, to, label of from, label of the edge, label of to.
pub type CodeEdge = (usize, usize, u32, u32, u32);

/// A DFS code: the root's label and the edges of the walk.
pub type Code = (u32, Vec<CodeEdge>);

impl Pattern {
    /// The whole of `graph`.
    pub fn of(graph: &Graph) -> Pattern {
        let edges = graph.edges().iter().map(|e| (e.u as usize, e.v as usize, e.label));
        Pattern { labels: graph.labels().to_vec(), edges: edges.collect() }
    }

    /// One vertex.
    pub fn vertex(label: u32) -> Pattern {
        Pattern { labels: vec![label], edges: Vec::new() }
    }

    /// The part of this graph that the edges at `chosen` span.
    pub fn spanned(&self, chosen: &[usize]) -> Pattern {
        let mut local: BTreeMap<usize, usize> = BTreeMap::new();
        let mut part = Pattern { labels: Vec::new(), edges: Vec::new() };
        for &e in chosen {
            let (u, v, label) = self.edges[e];
            let [u, v] = [u, v].map(|w| {
                *local.entry(w).or_insert_with(|| {
                    part.labels.push(self.labels[w]);
                    part.labels.len() - 1
                })
            });
            part.edges.push((u, v, label));
        }
        part
    }

    /// The library's form.
    pub fn to_graph(&self) -> Graph {
        let mut builder = GraphBuilder::new();
        for &label in &self.labels {
            builder.add_vertex(label);
        }
        for &(u, v, label) in &self.edges {
            builder.add_edge(u as u32, v as u32, label).expect("a simple graph");
        }
        builder.build()
    }

    fn edge_label(&self, u: usize, v: usize) -> Option<u32> {
        let joins = |e: &&(usize, usize, u32)| (e.0, e.1) == (u, v) || (e.0, e.1) == (v, u);
        self.edges.iter().find(joins).map(|e| e.2)
    }

    fn degree(&self, v: usize) -> usize {
        self.edges.iter().filter(|e| e.0 == v || e.1 == v).count()
    }

    /// Whether every vertex can be reached from the first.
    pub fn is_connected(&self) -> bool {
        let mut reached = vec![0];
        let mut at = 0;
        while at < reached.len() {
            for &(u, v, _) in &self.edges {
                for (a, b) in [(u, v), (v, u)] {
                    if a == reached[at] && !reached.contains(&b) {
                        reached.push(b);
                    }
                }
            }
            at += 1;
        }
        reached.len() == self.labels.len()
    }

    /// Equal for isomorphic patterns; says little about others. Saves most isomorphism tests.
    fn profile(&self) -> Vec<Surroundings> {
        let around = |v: usize| {
            let ends = self.edges.iter().filter_map(|&(a, b, label)| {
                (a == v)
                    .then(|| (label, self.labels[b]))
                    .or((b == v).then(|| (label, self.labels[a])))
            });
            let mut seen: Vec<(u32, u32)> = ends.collect();
            seen.sort_unstable();
            seen
        };
        let each = (0..self.labels.len()).map(|v| (self.labels[v], self.degree(v), around(v)));
        let mut profile: Vec<_> = each.collect();
        profile.sort_unstable();
        profile
    }
}

/// All injective maps of the vertices of `pattern` into `graph` that keep labels and edges.
pub fn embeddings(pattern: &Pattern, graph: &Pattern) -> Vec<Vec<usize>> {
    fn extend(pattern: &Pattern, graph: &Pattern, map: &mut Vec<usize>, all: &mut Vec<Vec<usize>>) {
        let next = map.len();
        if next == pattern.labels.len() {
            all.push(map.clone());
            return;
        }
        for v in 0..graph.labels.len() {
            if map.contains(&v) || graph.labels[v] != pattern.labels[next] {
                continue;
            }
            map.push(v);
            let keeps = |&(a, b, label): &(usize, usize, u32)| {
                a.max(b) != next || graph.edge_label(map[a], map[b]) == Some(label)
            };
            if pattern.edges.iter().all(keeps) {
                extend(pattern, graph, map, all);
            }
            map.pop();
        }
    }
    let mut all = Vec::new();
    extend(pattern, graph, &mut Vec::new(), &mut all);
    all
}

/// Whether two patterns are the same up to the names of their vertices.
pub fn isomorphic(a: &Pattern, b: &Pattern) -> bool {
    a.labels.len() == b.labels.len()
        && a.edges.len() == b.edges.len()
        && a.profile() == b.profile()
        && !embeddings(a, b).is_empty()
}

/// How often `pattern` occurs in `graph`: distinct edge sets (vertices, if it has no edge).
pub fn occurrences(pattern: &Pattern, graph: &Pattern) -> usize {
    let images = embeddings(pattern, graph).into_iter().map(|map| {
        let mut image: Vec<(usize, usize)> = pattern
            .edges
            .iter()
            .map(|&(u, v, _)| (map[u].min(map[v]), map[u].max(map[v])))
            .collect();
        image.sort_unstable();
        if pattern.edges.is_empty() { vec![(map[0], map[0])] } else { image }
    });
    images.collect::<BTreeSet<_>>().len()
}

/// All connected sets of 1 to `max_edges` edges, by trying every bit mask.
pub fn connected_edge_sets(graph: &Pattern, max_edges: usize) -> Vec<Vec<usize>> {
    let count = graph.edges.len();
    assert!(count <= 16, "bit masks over {count} edges take too long");
    (1u32..1 << count)
        .filter(|mask| mask.count_ones() as usize <= max_edges)
        .map(|mask| (0..count).filter(|e| mask >> e & 1 == 1).collect::<Vec<_>>())
        .filter(|set| graph.spanned(set).is_connected())
        .collect()
}

/// A pattern and how often it occurs in each graph.
#[derive(Clone, Debug)]
pub struct Mined {
    /// The pattern.
    pub pattern: Pattern,
    /// Occurrences in each graph.
    pub counts: Vec<u32>,
}

impl Mined {
    /// The number of graphs that contain it.
    pub fn support(&self) -> usize {
        self.counts.iter().filter(|&&c| c > 0).count()
    }
}

/// All patterns of up to `max_edges` edges in `graphs`, single vertices included.
pub fn mine(graphs: &[Graph], max_edges: usize) -> Vec<Mined> {
    let mut found: Vec<Mined> = Vec::new();
    let mut alike: BTreeMap<(usize, Vec<_>), Vec<usize>> = BTreeMap::new();
    for (g, graph) in graphs.iter().map(Pattern::of).enumerate() {
        let vertices = graph.labels.iter().map(|&l| Pattern::vertex(l));
        let sets = connected_edge_sets(&graph, max_edges);
        for pattern in vertices.chain(sets.iter().map(|set| graph.spanned(set))) {
            let same = alike.entry((pattern.edges.len(), pattern.profile())).or_default();
            let known = same.iter().copied().find(|&i| isomorphic(&found[i].pattern, &pattern));
            let i = known.unwrap_or_else(|| {
                same.push(found.len());
                found.push(Mined { pattern, counts: vec![0; graphs.len()] });
                found.len() - 1
            });
            found[i].counts[g] += 1;
        }
    }
    found
}

/// The order of DFS codes: at the first difference, backward before forward, backward edges by
/// target, forward edges from the deeper vertex, then labels; a prefix before its continuations.
fn code_key(code: &Code) -> (u32, Vec<(bool, i64, [u32; 3])>) {
    let edge = |&(from, to, a, e, b): &CodeEdge| {
        let forward = from < to;
        (forward, if forward { -(from as i64) } else { to as i64 }, [a, e, b])
    };
    (code.0, code.1.iter().map(edge).collect())
}

/// The smallest DFS code of a connected pattern: the least over all depth-first walks.
pub fn smallest_code(pattern: &Pattern) -> Code {
    let mut best: Option<Code> = None;
    for root in 0..pattern.labels.len() {
        let mut walk = Walk { pattern, order: vec![root], path: vec![root], code: Vec::new() };
        walk.go_on(&mut best);
    }
    best.expect("a connected pattern has a walk")
}

/// Whether `a` comes before `b` in the order of DFS codes.
pub fn code_less(a: &Code, b: &Code) -> bool {
    code_key(a) < code_key(b)
}

struct Walk<'a> {
    pattern: &'a Pattern,
    /// Vertices in the order of discovery.
    order: Vec<usize>,
    /// From the root to where the walk stands.
    path: Vec<usize>,
    code: Vec<CodeEdge>,
}

impl Walk<'_> {
    /// Tries every way to go on: to each undiscovered neighbour, or back if there is none.
    fn go_on(&mut self, best: &mut Option<Code>) {
        let Some(&here) = self.path.last() else {
            let code = (self.pattern.labels[self.order[0]], self.code.clone());
            if best.as_ref().is_none_or(|b| code_less(&code, b)) {
                *best = Some(code);
            }
            return;
        };
        let all = 0..self.pattern.labels.len();
        let new =
            |&v: &usize| !self.order.contains(&v) && self.pattern.edge_label(here, v).is_some();
        let choices: Vec<usize> = all.filter(new).collect();
        if choices.is_empty() {
            self.path.pop();
            self.go_on(best);
            self.path.push(here);
        }
        for v in choices {
            let written = self.code.len();
            self.discover(here, v);
            self.go_on(best);
            self.path.pop();
            self.order.pop();
            self.code.truncate(written);
        }
    }

    /// Writes the edge to `v`, then the edges from `v` back to vertices found before.
    fn discover(&mut self, here: usize, v: usize) {
        let number = self.order.len();
        let from = self.order.iter().position(|&w| w == here).unwrap_or(0);
        self.write(from, here, number, v);
        for to in 0..number {
            let back = self.order[to];
            if back != here && self.pattern.edge_label(v, back).is_some() {
                self.write(number, v, to, back);
            }
        }
        self.order.push(v);
        self.path.push(v);
    }

    fn write(&mut self, from: usize, a: usize, to: usize, b: usize) {
        let labels = &self.pattern.labels;
        let edge = self.pattern.edge_label(a, b).expect("the walk follows edges");
        self.code.push((from, to, labels[a], edge, labels[b]));
    }
}

/// A code of the library, read through its accessors.
pub fn plain(code: &DfsCode) -> Code {
    let edges = code
        .edges()
        .iter()
        .map(|e| (usize::from(e.from), usize::from(e.to), e.from_label, e.edge_label, e.to_label));
    (code.root(), edges.collect())
}

/// The pattern that a code of the library spells.
pub fn spelled(code: &DfsCode) -> Pattern {
    let (root, edges) = plain(code);
    let found = edges.iter().filter(|e| e.0 < e.1).map(|e| e.4);
    Pattern {
        labels: std::iter::once(root).chain(found).collect(),
        edges: edges.iter().map(|&(from, to, _, label, _)| (from, to, label)).collect(),
    }
}
