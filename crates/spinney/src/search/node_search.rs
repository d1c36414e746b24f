//! The best split of one node by a search of its own: the paper's Alg. 3, one direction at a time.
//!
//! Where the remembered tree ([`space`](crate::search::space)) would have to grow far, a node's
//! graphs alone are walked, depth-first, and nothing is kept. Graphs are numbered by falling
//! gradient, so the graphs of a pattern come sorted and a bound is one pass over them.
//!
//! **Directions.** A split whose "yes" side D1 has the larger mean is bounded by the graphs of D1
//! above the node's mean, its *supporters*, and the converse by those below. Let D1 = S ∪ R, S the
//! supporters. While |D1| ≤ n/2, a graph of R added to S makes Σg (centred) no larger and |D1|·|D0|
//! larger, so the gain strictly smaller; beyond n/2 a bound over all k ≥ n/2 covers it
//! (`ExtremeVisitor::far_bound`). So a pattern that cannot win by its supporters alone cannot win,
//! nor can anything below it.
//!
//! **Few supporters.** If one side of the mean has few graphs (a nearly pure node), patterns are
//! grown in these only: embeddings in hundreds of other graphs are never made (`node_extreme`).
//!
//! **Invariant.** Afterwards no pattern outside of the table beats or ties with the best of table
//! and result and is simpler than it. Weights are all 1 and λ is 0 (the caller checks it).

use std::ops::Range;

use crate::mining::DfsCode;
use crate::mining::guided_search::{GraphSubset, GuidedVisitor, WalkSummary};
use crate::search::best_split::BestGain;
use crate::search::gain::{Rule, Sums, tie_rounded};
use crate::search::node_extreme::ExtremeVisitor;

/// Below this share of the graphs a side of the mean is searched alone.
const FEW_SHARE: f64 = 0.2;

/// A search of a node's graphs, by falling gradient.
#[derive(Debug)]
pub(super) struct NodeSearch<'a> {
    node: NodeGradients<'a>,
    best: BestPattern,
    walk: WalkSummary,
}

/// What a search of a node found.
#[derive(Debug)]
pub(super) struct NodeSearchResult {
    /// The simplest of the best patterns, if one is better than the best of the table, or as good
    /// and of no more edges.
    pub(super) code: Option<DfsCode>,
    /// How many patterns were visited, and what others could gain at most.
    pub(super) walk: WalkSummary,
}

/// A node's graphs, by falling gradient, and what is a valid split of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct NodeGradients<'a> {
    pub(super) graphs: &'a GraphSubset,
    pub(super) gradients: &'a [i64],
    pub(super) all: Sums,
    pub(super) rule: Rule,
}

/// The best so far: of the table, or found here.
#[derive(Debug)]
pub(super) struct BestPattern {
    gain: Option<BestGain>,
    code: Option<DfsCode>,
}

impl BestPattern {
    fn none() -> BestPattern {
        BestPattern { gain: None, code: None }
    }

    /// Takes a pattern if it is better than the best so far.
    pub(super) fn offer(&mut self, gain: f64, code: &DfsCode) {
        let edges = code.edge_count() as u32;
        let better = match (&self.gain, &self.code) {
            (None, _) => true,
            (Some(best), _) if (gain, best.edges) != (best.gain, edges) => {
                gain > best.gain || (gain == best.gain && edges < best.edges)
            }
            // As good as a pattern of the table: which of them is simpler is seen there.
            (Some(_), None) => true,
            (Some(_), Some(known)) => code < known,
        };
        if better {
            self.gain = Some(BestGain { gain, edges });
            self.code = Some(code.clone());
        }
    }

    /// The bound, if a pattern of `edges` edges that reaches it would be as good as the best.
    pub(super) fn reachable(&self, bound: f64, edges: usize, rule: &Rule) -> Option<f64> {
        let bound = tie_rounded(bound);
        let reaches = |b: BestGain| bound > b.gain || (bound == b.gain && edges as u32 <= b.edges);
        (bound > rule.min_gain.max(0.0) && self.gain.is_none_or(reaches)).then_some(bound)
    }
}

/// The graphs on one side of the mean, by number.
struct MeanSide {
    graphs: Range<usize>,
    is_below: bool,
}

impl<'a> NodeSearch<'a> {
    /// A search among `graphs`, whose `gradients` are in falling order, for what beats `best`.
    pub(super) fn new(
        graphs: &'a GraphSubset,
        gradients: &'a [i64],
        rule: Rule,
        best: Option<BestGain>,
    ) -> Self {
        let n = gradients.len() as u32;
        let all = Sums { g: gradients.iter().sum(), h: n.into(), n };
        NodeSearch {
            node: NodeGradients { graphs, gradients, all, rule },
            best: BestPattern { gain: best, code: None },
            walk: WalkSummary::default(),
        }
    }

    pub(super) fn run(mut self) -> NodeSearchResult {
        let few = self.few_graphs();
        let directions = match &few {
            None => Directions { above: true, below: true },
            Some(side) => Directions { above: side.is_below, below: !side.is_below },
        };
        self.search_all(directions);
        if let Some(side) = few {
            self.search_extreme(side);
        }
        NodeSearchResult { code: self.best.code, walk: self.walk }
    }

    /// The side of the mean that has few graphs, if there is one.
    fn few_graphs(&self) -> Option<MeanSide> {
        let gradients = self.node.gradients;
        let n = gradients.len();
        let centred = |g: i64| i128::from(g) * n as i128 - i128::from(self.node.all.g);
        let above = 0..gradients.partition_point(|&g| centred(g) > 0);
        let below = gradients.partition_point(|&g| centred(g) >= 0)..n;
        let sides = [
            MeanSide { graphs: above, is_below: false },
            MeanSide { graphs: below, is_below: true },
        ];
        sides.into_iter().find(|side| (side.graphs.len() as f64) < FEW_SHARE * n as f64)
    }

    /// Searches all graphs, bounded in some directions.
    fn search_all(&mut self, directions: Directions) {
        let n = self.node.gradients.len();
        let best = std::mem::replace(&mut self.best, BestPattern::none());
        let scale = GainScale::new(&self.node);
        let mut visitor = AllGraphsVisitor { node: self.node, scale, best, directions };
        let min_graphs = visitor.min_graphs(n);
        self.walk.add(self.node.graphs.walk(0..n, min_graphs, &mut visitor));
        self.best = visitor.best;
    }

    /// Searches the few graphs on one side of the mean, bounded in their direction.
    fn search_extreme(&mut self, side: MeanSide) {
        let best = std::mem::replace(&mut self.best, BestPattern::none());
        let mut visitor = ExtremeVisitor::new(self.node, side.graphs.clone(), side.is_below, best);
        let min_graphs = visitor.min_graphs(side.graphs.len());
        self.walk.add(self.node.graphs.walk(side.graphs, min_graphs, &mut visitor));
        self.best = visitor.into_best();
    }
}

impl NodeGradients<'_> {
    /// The gain of a part of the node, if it is a split that is worth making.
    pub(super) fn accepted_gain(&self, part: Sums) -> Option<f64> {
        self.rule.gain(part, self.all).filter(|gain| self.rule.accepts(*gain))
    }
}

/// Gains in floating point, for bounds.
#[derive(Debug)]
pub(super) struct GainScale {
    /// Gradients less their mean.
    pub(super) centred: Vec<f64>,
    /// n/(k(n − k)) where the rule allows k graphs on the "yes" side, else 0.
    pub(super) weight: Vec<f64>,
    /// Covers the rounding of sums and gains.
    pub(super) slack: f64,
}

impl GainScale {
    pub(super) fn new(node: &NodeGradients<'_>) -> GainScale {
        let n = node.gradients.len();
        let sum = i128::from(node.all.g);
        let centre = |g: &i64| (i128::from(*g) * n as i128 - sum) as f64 / n as f64;
        let min_leaf = node.rule.min_leaf.max(1) as usize;
        let weight = |k: usize| match k.min(n - k) >= min_leaf {
            true => n as f64 / (k as f64 * (n - k) as f64),
            false => 0.0,
        };
        let slack = 4.0 * f64::EPSILON * (n + 8) as f64;
        let centred = node.gradients.iter().map(centre).collect();
        GainScale { centred, weight: (0..=n).map(weight).collect(), slack }
    }

    /// The distance of a sum over graphs on one side of the mean from it, or a little more.
    pub(super) fn sum(&self, graphs: impl Iterator<Item = usize>) -> f64 {
        graphs.map(|g| self.centred[g]).sum::<f64>().abs() * (1.0 + self.slack)
    }

    /// The largest gain of a prefix of the graphs given, the most extreme first.
    pub(super) fn best_prefix(&self, graphs: impl Iterator<Item = usize>) -> f64 {
        let mut sum = 0.0f64;
        let mut max_sum = 0.0f64;
        let mut best = 0.0f64;
        for (graph, weight) in graphs.zip(&self.weight[1..]) {
            sum += self.centred[graph];
            max_sum = max_sum.max(sum.abs());
            let sum = sum.abs() + self.slack * max_sum;
            best = best.max(sum * sum * weight);
        }
        best * (1.0 + self.slack)
    }
}

/// The directions in which a walk bounds gains.
#[derive(Clone, Copy)]
struct Directions {
    /// By the graphs above the mean.
    above: bool,
    /// By those below.
    below: bool,
}

/// Visits the patterns of all graphs of the node.
struct AllGraphsVisitor<'a> {
    node: NodeGradients<'a>,
    scale: GainScale,
    best: BestPattern,
    directions: Directions,
}

impl AllGraphsVisitor<'_> {
    /// The fewest graphs, of `n`, that a pattern must have to be wanted now.
    fn min_graphs(&mut self, n: usize) -> usize {
        let all: Vec<u32> = (0..n as u32).collect();
        let mut is_wanted = |graphs: &[u32]| self.upper_bound(1, graphs).is_some();
        (1..n).find(|&k| is_wanted(&all[..k]) || is_wanted(&all[n - k..])).unwrap_or(n)
    }
}

impl GuidedVisitor for AllGraphsVisitor<'_> {
    fn upper_bound(&mut self, edges: usize, graphs: &[u32]) -> Option<f64> {
        let graphs = graphs.iter().map(|&g| g as usize);
        let Directions { above, below } = self.directions;
        let above = if above { self.scale.best_prefix(graphs.clone()) } else { 0.0 };
        let below = if below { self.scale.best_prefix(graphs.rev()) } else { 0.0 };
        self.best.reachable(above.max(below), edges, &self.node.rule)
    }

    fn visit(&mut self, code: &DfsCode, graphs: &[u32], _: bool) {
        if code.edge_count() == 0 {
            return;
        }
        let g = graphs.iter().map(|&i| self.node.gradients[i as usize]).sum();
        let part = Sums { g, h: graphs.len() as i64, n: graphs.len() as u32 };
        if let Some(gain) = self.node.accepted_gain(part) {
            self.best.offer(gain, code);
        }
    }
}
