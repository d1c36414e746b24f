//! Walking the enumeration tree of a few graphs with a guide that says where to go.
//!
//! Where [`visit()`](crate::mining::visit()) asks about a pattern when it comes to it, a hunt asks about every
//! extension as soon as its graphs are known: one that is not wanted is dropped *for the whole
//! subtree*, since whatever has it occurs in no other graphs. It is neither tested for its smallest
//! code nor joined with its siblings.
//!
//! **Invariant.** If a guide wants a set of graphs, it wants every larger one that contains it (at the
//! same number of edges or fewer). Then every pattern that is wanted when the walk comes to its place
//! is met, exactly once, the more promising of siblings first. A guide may want less as it learns more.
//!
//! **Cost.** Memory is that of the embeddings of the siblings along one path; nothing is kept.

use std::ops::Range;

use crate::graph::Graph;
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::embedding_budget::EmbeddingBudget;
use crate::mining::extend::{Extension, Family};
use crate::mining::grow::{Detail, Grower};
use crate::mining::visit::Limits;

/// Says where a hunt goes.
pub trait Guide {
    /// How promising patterns of `edges` edges or more are, in these graphs or fewer; `None` if they
    /// do not matter.
    fn promise(&mut self, edges: usize, graphs: &[u32]) -> Option<f64>;
    /// A pattern that was wanted. `repeated`: a pattern below it occurs in the same graphs and will be
    /// met, too, unless it is not wanted by then.
    fn meet(&mut self, code: &DfsCode, graphs: &[u32], repeated: bool);
}

/// Some graphs to hunt in.
#[derive(Debug, Default)]
pub struct Ground {
    graphs: Vec<Graph>,
    max_edges: usize,
    ration: EmbeddingBudget,
}

/// What came of a walk.
#[derive(Clone, Copy, Debug, Default)]
pub struct Walked {
    /// How many patterns were met.
    pub met: usize,
    /// The most that was promised by those that could not be met within the ration.
    pub left: Option<f64>,
}

impl Walked {
    fn leave(&mut self, promise: Option<f64>) {
        self.left = promise.map_or(self.left, |p| Some(self.left.map_or(p, |left| left.max(p))));
    }
}

impl Ground {
    /// The patterns of up to `max_edges` edges of some graphs, which are copied.
    pub fn new<'g>(graphs: impl Iterator<Item = &'g Graph>, max_edges: usize) -> Self {
        Ground { graphs: graphs.cloned().collect(), max_edges, ration: EmbeddingBudget::default() }
    }

    /// The same with walks held within a ration.
    #[must_use]
    pub fn with_budget(mut self, ration: EmbeddingBudget) -> Self {
        self.ration = ration;
        self
    }

    /// The graph `i`, for [`Matcher`].
    #[must_use]
    pub fn graph(&self, i: usize) -> &Graph {
        &self.graphs[i]
    }

    /// Leads `guide` over the patterns, single vertices included, that occur in at least
    /// `min_support` of the graphs in `range`; it is told graphs by their numbers within the range.
    /// Says how many patterns it met, and what those promised that it could not come to.
    pub fn walk(&self, range: Range<usize>, min_support: usize, guide: &mut dyn Guide) -> Walked {
        let graphs = &self.graphs[range];
        let limits = Limits { min_support, max_edges: Some(self.max_edges) };
        let mut grower = Grower::new(graphs, vec![true; graphs.len()], limits, Detail::Rows);
        grower.set_ration(self.ration);
        let mut code = DfsCode::default();
        let mut levels = vec![Level::new(grower.origin(), 0, guide)];
        let mut walked = Walked::default();
        while let Some(level) = levels.last_mut() {
            let Some(at) = level.next.pop() else {
                levels.pop();
                code.pop();
                continue;
            };
            let (family, extension) = (&level.family, &level.family.extensions[at]);
            extension.step.add_to(&mut code);
            let (edges, found) = (code.edge_count(), extension.found.graphs());
            if guide.promise(edges, found).is_none() {
                code.pop();
                continue;
            }
            walked.met += 1;
            if walked.met.is_multiple_of(LOOK) && grower.ration().is_late() {
                walked.leave(guide.promise(edges, found));
                leave_all(&levels, code.edge_count(), guide, &mut walked);
                return walked;
            }
            if edges >= limits.most_edges() {
                guide.meet(&code, found, false);
                code.pop();
                continue;
            }
            let wanted = &mut |graphs: &[u32]| guide.promise(edges + 1, graphs).is_some();
            let Some(below) = grower.grow_where(family, (at, &code), wanted) else {
                walked.leave(guide.promise(edges, found));
                guide.meet(&code, found, false);
                code.pop();
                continue;
            };
            let below = Level::new(below, edges + 1, guide);
            guide.meet(&code, found, below.repeats(found.len()));
            levels.push(below);
        }
        walked
    }
}

/// Patterns between two looks at the clock.
const LOOK: usize = 16;

/// Leaves everything on the levels that is not visited yet; the last level has patterns of `edges` edges.
fn leave_all(levels: &[Level], edges: usize, guide: &mut dyn Guide, walked: &mut Walked) {
    for (level, edges) in levels.iter().rev().zip((0..=edges).rev()) {
        for &at in &level.next {
            walked.leave(guide.promise(edges, level.family.extensions[at].found.graphs()));
        }
    }
}

/// A family with the children that are still to be visited, the most promising one last.
struct Level {
    family: Family,
    next: Vec<usize>,
}

impl Level {
    fn new(family: Family, edges: usize, guide: &mut dyn Guide) -> Level {
        let children = family.extensions.iter().enumerate().filter(|(_, e)| e.is_child);
        let promise =
            |(at, e): (usize, &Extension)| Some((guide.promise(edges, e.found.graphs())?, at));
        let mut next: Vec<(f64, usize)> = children.filter_map(promise).collect();
        next.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
        Level { next: next.into_iter().map(|(_, at)| at).collect(), family }
    }

    /// Whether a child occurs in as many graphs.
    fn repeats(&self, support: usize) -> bool {
        self.next.iter().any(|&at| self.family.extensions[at].found.support() == support)
    }
}

/// Looks for patterns in graphs, one by one; keeps its buffers.
#[derive(Debug, Default)]
pub struct Matcher {
    image: Vec<u32>,
    used: Vec<bool>,
}

impl Matcher {
    /// Whether `graph` contains the pattern of `code`.
    pub fn has(&mut self, graph: &Graph, code: &DfsCode) -> bool {
        if code.edge_count() > graph.edge_count() {
            return false;
        }
        self.used.clear();
        self.used.resize(graph.vertex_count(), false);
        for (v, &label) in (0..).zip(graph.labels()) {
            if label == code.root() {
                self.image.clear();
                self.image.push(v);
                self.used[v as usize] = true;
                if self.rest(graph, code.edges()) {
                    return true;
                }
                self.used[v as usize] = false;
            }
        }
        false
    }

    fn rest(&mut self, graph: &Graph, edges: &[DfsEdge]) -> bool {
        let Some((edge, rest)) = edges.split_first() else { return true };
        let from = self.image[usize::from(edge.from)];
        if !edge.is_forward() {
            let to = self.image[usize::from(edge.to)];
            return graph.edge_label(from, to) == Some(edge.edge_label) && self.rest(graph, rest);
        }
        for next in graph.neighbors(from) {
            let v = next.vertex as usize;
            let fits = next.label == edge.edge_label && graph.label(next.vertex) == edge.to_label;
            if !fits || self.used[v] {
                continue;
            }
            self.used[v] = true;
            self.image.push(next.vertex);
            if self.rest(graph, rest) {
                return true;
            }
            self.image.pop();
            self.used[v] = false;
        }
        false
    }
}
