//! Fragments: small patterns with their counts, and whole neighbourhoods. The features of a linear
//! model.
//!
//! A fragment of the first kind is a pattern of at most [`MAX_SMALL_EDGES`] edges with an
//! occurrence threshold; one of the second kind is everything up to [`MAX_RADIUS`] steps around a
//! vertex: the edges of which one end is nearer than that. A neighbourhood is a pattern like any
//! other, if a large one. It is taken only where the labels inside determine how many edges there
//! are (as RDKit's invariants do, or labels with degrees): then a graph that contains the pattern
//! has the very neighbourhood, and nothing else is attached there.
//!
//! **Invariant.** Numbers of fragments depend on the graphs and their order alone. Rows ascend.
//! Fragments of a single graph are left out: nothing can be learnt of them. Neighbourhoods are
//! distinguished by colour refinement, which may take two for one; so a fragment is *believed* to
//! be where its rows say, and a caller asks for its code ([`Fragments::decode`]) and looks where
//! that occurs.
//!
//! **Cost.** A census of two edges, and a short walk around every vertex.

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::graph::{Edge, Graph};
use crate::mining::canonical::{Canonical, Canonizer};
use crate::mining::census::{Census, PatternId, part};
use crate::mining::dfs_code::DfsCode;
use crate::mining::levels::{reached, threshold};
use crate::random::mix;

/// The most edges of a small pattern.
pub(super) const MAX_SMALL_EDGES: usize = 2;

/// The widest neighbourhood.
pub(super) const MAX_RADIUS: usize = 3;

/// The most edges of a neighbourhood: larger ones are rare, and slow to look for.
const MAX_NEIGHBOURHOOD_EDGES: usize = 24;

/// The most edges of a vertex inside a neighbourhood: where graphs are dense, there are too many
/// ways to look for it.
const MAX_DEGREE: usize = 6;
/// The most automorphisms of a neighbourhood: the same where many branches are alike.
const MAX_AUTOMORPHISMS: u64 = 50_000;

/// The highest occurrence level.
const MAX_LEVEL: u32 = 16;

/// The most steps of the test whether a code is the smallest: more symmetric patterns are left out.
const MAX_MINIMALITY_STEPS: u64 = 20_000;

/// The fragments of some graphs.
#[derive(Debug, Default)]
pub struct Fragments {
    census: Census,
    sources: Vec<FragmentSource>,
    starts: Vec<usize>,
    rows: Vec<u32>,
}

/// What a fragment is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FragmentSource {
    Small { pattern: PatternId, at_least: u32 },
    Around { graph: u32, vertex: u32, radius: u32 },
}

/// A neighbourhood by its colour.
#[derive(Clone, Copy, Debug)]
struct Neighbourhood {
    color: u64,
    vertex: u32,
    radius: u32,
}

impl Fragments {
    /// The fragments of `graphs`.
    #[must_use]
    pub fn of(graphs: &[Graph]) -> Fragments {
        let census = Census::take(graphs, MAX_SMALL_EDGES);
        let small = SmallFragments::of(&census, graphs);
        let fixed = labels_fix_degree(graphs);
        let around: Vec<Vec<Neighbourhood>> =
            graphs.par_iter().map(|g| neighbourhoods(g, &fixed)).collect();
        let mut sources = small.sources;
        let mut numbers: FxHashMap<u64, u32> = FxHashMap::default();
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for (graph, met) in around.iter().enumerate() {
            for (pattern, count) in census.row(graph) {
                let levels = reached(count).min(MAX_LEVEL);
                let first = small.firsts[pattern as usize];
                rows.extend(first..first + levels);
            }
            for &Neighbourhood { color, vertex, radius } in met {
                rows.push(*numbers.entry(color).or_insert_with(|| {
                    sources.push(FragmentSource::Around { graph: graph as u32, vertex, radius });
                    sources.len() as u32 - 1
                }));
            }
            let begun = starts[graph];
            rows[begun..].sort_unstable();
            starts.push(rows.len());
        }
        Fragments { census, sources, starts, rows }.deduplicated()
    }

    /// Every fragment once a row, and none that only one graph has.
    fn deduplicated(self) -> Fragments {
        let mut supports = vec![0u32; self.sources.len()];
        let graphs = self.starts.len() - 1;
        for graph in 0..graphs {
            let mut last = None;
            for &fragment in self.row(graph) {
                supports[fragment as usize] += u32::from(last != Some(fragment));
                last = Some(fragment);
            }
        }
        let mut sources = Vec::new();
        let new: Vec<Option<u32>> = (self.sources.iter().zip(&supports))
            .map(|(&source, &support)| {
                (support > 1).then(|| {
                    sources.push(source);
                    sources.len() as u32 - 1
                })
            })
            .collect();
        let mut starts = vec![0];
        let mut rows = Vec::new();
        for graph in 0..graphs {
            let mut last = None;
            for &fragment in self.row(graph) {
                if last != Some(fragment) {
                    rows.extend(new[fragment as usize]);
                    last = Some(fragment);
                }
            }
            starts.push(rows.len());
        }
        rows.shrink_to_fit();
        Fragments { census: self.census, sources, starts, rows }
    }

    /// The number of fragments.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sources.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.sources.is_empty()
    }

    /// The fragments of a graph, ascending.
    #[must_use]
    pub fn row(&self, graph: usize) -> &[u32] {
        &self.rows[self.starts[graph]..self.starts[graph + 1]]
    }

    /// The smallest DFS code of a fragment and its occurrence threshold; nothing if the code is too
    /// symmetric to be checked again. `graphs` are those that the fragments are of.
    pub fn decode(
        &self,
        graphs: &[Graph],
        fragment: u32,
        canonizer: &mut Canonizer,
    ) -> Option<(DfsCode, u32)> {
        match self.sources[fragment as usize] {
            FragmentSource::Small { pattern, at_least } => {
                Some((self.census.decode(graphs, pattern, canonizer).code, at_least))
            }
            FragmentSource::Around { graph, vertex, radius } => {
                let graph = &graphs[graph as usize];
                let edges = edges_around(graph, vertex, radius as usize)?;
                let Canonical { code, automorphisms } =
                    canonizer.canonical(&part(graph, edges.into_iter()));
                canonizer.is_minimal_within(&code, &mut { MAX_MINIMALITY_STEPS })?;
                (automorphisms <= MAX_AUTOMORPHISMS).then_some((code, 1))
            }
        }
    }
}

/// The fragments of small patterns, one a level that some graph reaches. They come in the order of
/// their codes: that of a census may differ from run to run.
struct SmallFragments {
    sources: Vec<FragmentSource>,
    /// The first fragment of each pattern.
    firsts: Vec<u32>,
}

impl SmallFragments {
    fn of(census: &Census, graphs: &[Graph]) -> SmallFragments {
        let mut levels = vec![0; census.len()];
        for (pattern, count) in (0..census.graph_count()).flat_map(|graph| census.row(graph)) {
            let max = &mut levels[pattern as usize];
            *max = reached(count).min(MAX_LEVEL).max(*max);
        }
        let mut canonizer = Canonizer::new();
        let mut code = |pattern| census.decode(graphs, pattern, &mut canonizer).code;
        let mut order: Vec<(DfsCode, PatternId)> =
            (0..census.len() as PatternId).map(|pattern| (code(pattern), pattern)).collect();
        order.sort_unstable();
        let mut sources = Vec::new();
        let mut firsts = vec![0; census.len()];
        for (_, pattern) in order {
            firsts[pattern as usize] = sources.len() as u32;
            let of = |level| FragmentSource::Small { pattern, at_least: threshold(level) };
            sources.extend((1..=levels[pattern as usize]).map(of));
        }
        SmallFragments { sources, firsts }
    }
}

/// For each label, whether all vertices that have it have the same number of edges, at least one
/// and not too many.
fn labels_fix_degree(graphs: &[Graph]) -> Vec<bool> {
    let mut degrees: Vec<Option<usize>> = Vec::new();
    let mut fixed: Vec<bool> = Vec::new();
    for graph in graphs {
        for (v, &label) in (0..).zip(graph.labels()) {
            let label = label as usize;
            let degree = graph.neighbors(v).len();
            if label >= fixed.len() {
                degrees.resize(label + 1, None);
                fixed.resize(label + 1, true);
            }
            let fits = (1..=MAX_DEGREE).contains(&degree);
            fixed[label] &= fits && *degrees[label].get_or_insert(degree) == degree;
        }
    }
    fixed
}

/// The neighbourhoods of a graph's vertices, by refined colours; those that are no larger than a
/// narrower one of the same vertex, or no larger than a small pattern, are left out. `fixed` says
/// which labels determine the degree.
fn neighbourhoods(graph: &Graph, fixed: &[bool]) -> Vec<Neighbourhood> {
    let mut colors: Vec<u64> = graph.labels().iter().map(|&l| mix(u64::from(l) + 1)).collect();
    let mut inside: Vec<bool> = vec![true; colors.len()];
    let mut sizes = vec![MAX_SMALL_EDGES; colors.len()];
    let mut met = Vec::new();
    let mut walk = Around::default();
    for radius in 1..=MAX_RADIUS {
        let around = |v: u32| {
            let each = graph
                .neighbors(v)
                .iter()
                .map(|n| mix(colors[n.vertex as usize] ^ mix(u64::from(n.label) | 1 << 40)));
            mix(colors[v as usize].rotate_left(17).wrapping_add(each.fold(0, u64::wrapping_add)))
        };
        let is_inside = |v: u32| {
            fixed[graph.label(v) as usize]
                && graph.neighbors(v).iter().all(|n| inside[n.vertex as usize])
        };
        let vertices = 0..graph.vertex_count() as u32;
        let next_inside: Vec<bool> = vertices.clone().map(is_inside).collect();
        if !next_inside.contains(&true) {
            break;
        }
        // Of what is inside, all neighbours were, too: other colours are never asked for.
        let next = |v: u32| if next_inside[v as usize] { around(v) } else { 0 };
        let next_colors = vertices.map(next).collect();
        inside = next_inside;
        colors = next_colors;
        for (v, size) in (0..).zip(&mut sizes).filter(|(v, _)| inside[*v as usize]) {
            let edges = if walk.walk(graph, v, radius) { walk.edges.len() } else { 0 };
            if edges > *size {
                *size = edges;
                let color = mix(colors[v as usize].wrapping_add(radius as u64));
                met.push(Neighbourhood { color, vertex: v, radius: radius as u32 });
            }
        }
    }
    met
}

/// The edges of which one end is less than `radius` steps away from a vertex; nothing if there are
/// too many.
fn edges_around(graph: &Graph, vertex: u32, radius: usize) -> Option<Vec<Edge>> {
    let mut around = Around::default();
    around.walk(graph, vertex, radius).then_some(around.edges)
}

/// A walk around a vertex; its memory is used again.
#[derive(Default)]
struct Around {
    reached: Vec<u32>,
    edges: Vec<Edge>,
}

impl Around {
    /// Finds the edges of which one end is less than `radius` steps away from a vertex; says
    /// whether there are not too many.
    fn walk(&mut self, graph: &Graph, vertex: u32, radius: usize) -> bool {
        let Around { reached, edges } = self;
        reached.clear();
        edges.clear();
        reached.push(vertex);
        let mut from = 0;
        for _ in 0..radius {
            let to = reached.len();
            for at in from..to {
                let v = reached[at];
                for n in graph.neighbors(v) {
                    let known = reached.iter().position(|&w| w == n.vertex);
                    // An edge to a vertex that was looked at before is known.
                    if known.is_some_and(|known| known < at) {
                        continue;
                    }
                    edges.push(Edge { u: v, v: n.vertex, label: n.label });
                    if known.is_none() {
                        reached.push(n.vertex);
                    }
                    if edges.len() > MAX_NEIGHBOURHOOD_EDGES {
                        return false;
                    }
                }
            }
            from = to;
        }
        true
    }
}
