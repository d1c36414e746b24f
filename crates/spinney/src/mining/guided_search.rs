//! Walking the enumeration tree of a few graphs with a visitor that bounds what lies below.
//!
//! Where [`visit()`](crate::mining::visit()) asks about a pattern when it comes to it, a guided
//! search asks about every extension as soon as its graphs are known: one that is not wanted is
//! dropped *for the whole subtree*, since whatever has it occurs in no other graphs. It is neither
//! tested for its smallest code nor joined with its siblings.
//!
//! **Invariant.** If a visitor wants a set of graphs, it wants every larger one that contains it
//! (at the same number of edges or fewer). Then every pattern that is wanted when the walk comes to
//! its place is visited, exactly once, siblings by falling bound. A visitor may want less as it
//! learns more.
//!
//! **Cost.** Memory is that of the embeddings of the siblings along one path; nothing is kept.

use std::ops::Range;

use crate::graph::Graph;
use crate::mining::dfs_code::{DfsCode, DfsEdge};
use crate::mining::embedding_budget::EmbeddingBudget;
use crate::mining::extend::Family;
use crate::mining::grow::{Detail, Grower};
use crate::mining::visit::PatternLimits;

/// Sees the patterns of a guided search and says which are wanted.
pub(crate) trait GuidedVisitor {
    /// What patterns of `edges` edges or more are worth at most, in these graphs or fewer; `None`
    /// if they do not matter.
    fn upper_bound(&mut self, edges: usize, graphs: &[u32]) -> Option<f64>;
    /// A pattern that was wanted. `repeated`: a pattern below it occurs in the same graphs and will
    /// be visited, too, unless it is not wanted by then.
    fn visit(&mut self, code: &DfsCode, graphs: &[u32], repeated: bool);
}

/// Some graphs to be searched on their own.
#[derive(Debug, Default)]
pub(crate) struct GraphSubset {
    graphs: Vec<Graph>,
    max_edges: usize,
    budget: EmbeddingBudget,
}

/// What a walk visited, and what it could not reach.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WalkSummary {
    /// How many patterns were visited.
    pub visited: usize,
    /// The largest upper bound of those that could not be visited within the embedding budget.
    pub open: Option<f64>,
}

impl WalkSummary {
    /// Adds another walk.
    pub(crate) fn add(&mut self, other: WalkSummary) {
        self.visited += other.visited;
        self.leave(other.open);
    }

    /// Leaves patterns unvisited.
    fn leave(&mut self, bound: Option<f64>) {
        self.open = bound.map_or(self.open, |b| Some(self.open.map_or(b, |open| open.max(b))));
    }
}

impl GraphSubset {
    /// The patterns of up to `max_edges` edges of some graphs, which are copied.
    pub(crate) fn new<'g>(graphs: impl Iterator<Item = &'g Graph>, max_edges: usize) -> Self {
        let budget = EmbeddingBudget::default();
        GraphSubset { graphs: graphs.cloned().collect(), max_edges, budget }
    }

    /// The same with walks held within a budget.
    #[must_use]
    pub(crate) fn with_budget(mut self, budget: EmbeddingBudget) -> Self {
        self.budget = budget;
        self
    }

    /// The graph `i`, for [`Matcher`].
    #[must_use]
    pub(crate) fn graph(&self, i: usize) -> &Graph {
        &self.graphs[i]
    }

    /// Shows `visitor` the patterns, single vertices included, that occur in at least `min_support`
    /// of the graphs in `range`; graphs are numbered within the range.
    pub(crate) fn walk(
        &self,
        range: Range<usize>,
        min_support: usize,
        visitor: &mut dyn GuidedVisitor,
    ) -> WalkSummary {
        let graphs = &self.graphs[range];
        let limits = PatternLimits { min_support, max_edges: Some(self.max_edges) };
        let mut grower = Grower::new(graphs, vec![true; graphs.len()], limits, Detail::Rows);
        grower.set_budget(self.budget);
        let mut code = DfsCode::default();
        let mut levels = vec![Level::new(grower.origin(), 0, visitor)];
        let mut summary = WalkSummary::default();
        while let Some(level) = levels.last_mut() {
            let Some(at) = level.next.pop() else {
                levels.pop();
                code.pop();
                continue;
            };
            let family = &level.family;
            let extension = &family.extensions[at];
            extension.step.add_to(&mut code);
            let edges = code.edge_count();
            let found = extension.found.graphs();
            if visitor.upper_bound(edges, found).is_none() {
                code.pop();
                continue;
            }
            summary.visited += 1;
            if summary.visited.is_multiple_of(VISITS_PER_TIME_CHECK) && grower.budget().is_late() {
                summary.leave(visitor.upper_bound(edges, found));
                leave_all(&levels, code.edge_count(), visitor, &mut summary);
                return summary;
            }
            if edges >= limits.max_edges() {
                visitor.visit(&code, found, false);
                code.pop();
                continue;
            }
            let wanted = &mut |graphs: &[u32]| visitor.upper_bound(edges + 1, graphs).is_some();
            let Some(below) = grower.grow_where(family, at, &code, wanted) else {
                summary.leave(visitor.upper_bound(edges, found));
                visitor.visit(&code, found, false);
                code.pop();
                continue;
            };
            let below = Level::new(below, edges + 1, visitor);
            visitor.visit(&code, found, below.repeats(found.len()));
            levels.push(below);
        }
        summary
    }
}

/// Patterns between two looks at the clock.
const VISITS_PER_TIME_CHECK: usize = 16;

/// Leaves everything on the levels that is not visited yet; the last level has patterns of `edges`
/// edges.
fn leave_all(
    levels: &[Level],
    edges: usize,
    visitor: &mut dyn GuidedVisitor,
    summary: &mut WalkSummary,
) {
    for (level, edges) in levels.iter().rev().zip((0..=edges).rev()) {
        for &at in &level.next {
            summary.leave(visitor.upper_bound(edges, level.family.extensions[at].found.graphs()));
        }
    }
}

/// A family with the children that are still to be visited, that of the largest bound last.
struct Level {
    family: Family,
    next: Vec<usize>,
}

/// A child, by its place in the family, and what lies below it is worth at most.
struct BoundedChild {
    bound: f64,
    at: usize,
}

impl Level {
    fn new(family: Family, edges: usize, visitor: &mut dyn GuidedVisitor) -> Level {
        let mut bounded: Vec<BoundedChild> = Vec::new();
        for (at, extension) in family.extensions.iter().enumerate().filter(|(_, e)| e.is_child) {
            let bound = visitor.upper_bound(edges, extension.found.graphs());
            bounded.extend(bound.map(|bound| BoundedChild { bound, at }));
        }
        bounded.sort_by(|a, b| a.bound.total_cmp(&b.bound).then(b.at.cmp(&a.at)));
        Level { next: bounded.iter().map(|child| child.at).collect(), family }
    }

    /// Whether a child occurs in as many graphs.
    fn repeats(&self, support: usize) -> bool {
        self.next.iter().any(|&at| self.family.extensions[at].found.support() == support)
    }
}

/// Looks for patterns in graphs, one by one; keeps its buffers.
#[derive(Debug, Default)]
pub(crate) struct Matcher {
    image: Vec<u32>,
    used: Vec<bool>,
}

impl Matcher {
    /// Whether `graph` contains the pattern of `code`.
    pub(crate) fn has(&mut self, graph: &Graph, code: &DfsCode) -> bool {
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
