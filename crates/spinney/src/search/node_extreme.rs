//! The search of a node whose mean has few graphs on one side: patterns are grown in these only.
//!
//! The other graphs are searched for a pattern one by one, last-found first, until the pattern is
//! out. A pattern with a child of the same supporters is not looked for (the child's R is a part of
//! its own, so the child's gain is no smaller) unless the child turns out to be as good as the
//! best: then its parent may be simpler. See [`node_search`](crate::search::node_search) for S, R
//! and supporters.

use std::ops::Range;

use crate::mining::DfsCode;
use crate::mining::guided_search::{GuidedVisitor, Matcher};
use crate::search::gain::Sums;
use crate::search::node_search::{BestPattern, GainScale, NodeGradients};

/// Visits the patterns of the few graphs on one side of the mean.
pub(super) struct ExtremeVisitor<'a> {
    node: NodeGradients<'a>,
    scale: GainScale,
    /// The number of the side's first graph.
    start: usize,
    /// Whether it is the side below the mean.
    is_below: bool,
    /// The other graphs, those found last first.
    others: Vec<usize>,
    /// What the others nearest to the mean take from a sum: of none, one, two, ...
    losses: Vec<f64>,
    matcher: Matcher,
    /// The supports of the patterns above, by number of edges.
    supports_above: Vec<usize>,
    best: BestPattern,
}

impl<'a> ExtremeVisitor<'a> {
    pub(super) fn new(
        node: NodeGradients<'a>,
        side: Range<usize>,
        is_below: bool,
        best: BestPattern,
    ) -> Self {
        let scale = GainScale::new(&node);
        let mut others: Vec<usize> = (0..node.gradients.len()).collect();
        others.retain(|i| !side.contains(i));
        let nearest = |at: usize| if is_below { others[others.len() - 1 - at] } else { others[at] };
        let mut losses = vec![0.0];
        for at in 0..others.len() {
            losses.push(losses[at] + scale.centred[nearest(at)].abs());
        }
        ExtremeVisitor {
            node,
            scale,
            start: side.start,
            is_below,
            others,
            losses,
            matcher: Matcher::default(),
            supports_above: Vec::new(),
            best,
        }
    }

    /// The best pattern of the table and of this search.
    pub(super) fn into_best(self) -> BestPattern {
        self.best
    }

    /// The fewest supporters, of `n`, that a pattern must have to be wanted now.
    pub(super) fn min_graphs(&mut self, n: usize) -> usize {
        let all: Vec<u32> = (0..n as u32).collect();
        let is_below = self.is_below;
        let extreme = |k: usize| if is_below { &all[n - k..] } else { &all[..k] };
        (1..n).find(|&k| self.upper_bound(1, extreme(k)).is_some()).unwrap_or(n)
    }

    fn sums(&self, supporters: &[u32]) -> Sums {
        let gradient = |&i: &u32| self.node.gradients[self.start + i as usize];
        let g = supporters.iter().map(gradient).sum();
        Sums { g, h: supporters.len() as i64, n: supporters.len() as u32 }
    }

    /// What no set with these supporters can exceed, up to half of the graphs: others only lower
    /// a gain, but they can fill a leaf.
    fn near_bound(&self, supporters: &[u32]) -> f64 {
        let own = supporters.iter().map(|&g| self.start + g as usize);
        let min_leaf = self.node.rule.min_leaf.max(1) as usize;
        if supporters.len() < min_leaf {
            let sum = self.scale.sum(own);
            return sum * sum * self.scale.weight.get(min_leaf).copied().unwrap_or(0.0);
        }
        if self.is_below { self.scale.best_prefix(own.rev()) } else { self.scale.best_prefix(own) }
    }

    /// What no set of half the graphs or more can exceed if these are its supporters: for each
    /// number of graphs, the others nearest to the mean are taken.
    fn far_bound(&self, supporters: &[u32]) -> f64 {
        let sum = self.scale.sum(supporters.iter().map(|&g| self.start + g as usize));
        let half = self.node.gradients.len() / 2;
        let others = half.saturating_sub(supporters.len());
        let losses = self.losses[others..].iter();
        let weights = &self.scale.weight[supporters.len() + others..];
        let mut most = 0.0f64;
        for (loss, weight) in losses.zip(weights) {
            let sum = (sum - loss).max(0.0) + self.scale.slack * (sum + loss);
            most = most.max(sum * sum * weight);
        }
        most * (1.0 + self.scale.slack)
    }

    /// The gain of a pattern. If the number of edges is given from which on a gain counts, asking
    /// stops when it is seen not to.
    fn gain(&mut self, code: &DfsCode, supporters: &[u32], stop: Option<usize>) -> Option<f64> {
        let rule = self.node.rule;
        let mut part = self.sums(supporters);
        for at in 0..self.others.len() {
            let other = self.others[at];
            if !self.matcher.has(self.node.graphs.graph(other), code) {
                continue;
            }
            self.others[..=at].rotate_right(1);
            let g = part.g + self.node.gradients[other];
            part = Sums { g, h: part.h + 1, n: part.n + 1 };
            // Too few graphs yet are no reason to stop.
            let known = rule.gain(part, self.node.all);
            let fails =
                |edges| known.is_some_and(|g| self.best.reachable(g, edges, &rule).is_none());
            if stop.is_some_and(fails) {
                return None;
            }
        }
        self.node.accepted_gain(part)
    }
}

impl GuidedVisitor for ExtremeVisitor<'_> {
    fn upper_bound(&mut self, edges: usize, graphs: &[u32]) -> Option<f64> {
        let rule = &self.node.rule;
        let near = self.best.reachable(self.near_bound(graphs), edges, rule);
        near.or_else(|| self.best.reachable(self.far_bound(graphs), edges, rule))
    }

    fn visit(&mut self, code: &DfsCode, graphs: &[u32], repeated: bool) {
        let edges = code.edge_count();
        self.supports_above.truncate(edges);
        self.supports_above.push(graphs.len());
        if edges == 0 {
            return;
        }
        let rule = &self.node.rule;
        let may_stop = self.best.reachable(self.far_bound(graphs), edges, rule).is_none();
        // With too few supporters the child may lack the others that fill a leaf.
        if repeated && may_stop && graphs.len() >= rule.min_leaf as usize {
            return;
        }
        // Those above with the same supporters may tie with it, and are simpler.
        let above = self.supports_above[1..edges].iter().rev();
        let equal = above.take_while(|&&n| n == graphs.len()).count();
        let stop = may_stop.then_some(edges - equal);
        let Some(gain) = self.gain(code, graphs, stop) else { return };
        self.best.offer(gain, code);
        for above in (edges - equal..edges).rev() {
            let simpler = DfsCode::from_edges(code.edges()[..above].to_vec());
            let Some(gain) = self.gain(&simpler, graphs, stop) else { return };
            self.best.offer(gain, &simpler);
        }
    }
}
