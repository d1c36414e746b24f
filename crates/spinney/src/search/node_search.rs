//! The best split of one node by a search of its own: the paper's Alg. 3, one direction at a time.
//!
//! Where the remembered tree ([`space`](crate::search::space)) would have to grow far, a node's graphs alone are
//! walked, depth-first, and nothing is kept. Graphs are numbered by falling gradient, so the graphs of
//! a pattern come sorted and a bound is one pass over them.
//!
//! **Directions.** A split whose "yes" side D1 has the larger mean is bounded by the graphs of D1 above the
//! node's mean, its *supporters*, and the converse by those below. Let D1 = S ∪ R, S the supporters.
//! While |D1| ≤ n/2, a graph of R added to S makes Σg (centred) no larger and |D1|·|D0| larger, so the gain
//! strictly smaller; beyond n/2 a bound over all k ≥ n/2 covers it ([`Side::far_bound`]). So a pattern
//! that cannot win by its supporters alone cannot win, nor can anything below it.
//!
//! **Few supporters.** If one side of the mean has few graphs (a nearly pure node), patterns are grown in
//! these only: embeddings in hundreds of other graphs are never made. Whether the others contain a
//! pattern is asked one by one, last-found first, until the pattern is out. A pattern with a child of
//! the same supporters is not asked about (the child's R is a part of its own, so the child's gain is no
//! smaller) unless the child turns out to be as good as the best: then its parent may be simpler.
//!
//! **Invariant.** Afterwards no pattern outside of the table beats or ties with the best of table and
//! result and is simpler than it. Weights are all 1 and λ is 0 (the caller sees to it).

use std::ops::Range;

use crate::mining::DfsCode;
use crate::mining::guided_search::{Ground, Guide, Matcher, Walked};
use crate::search::best_split::Record;
use crate::search::gain::{Rule, Sums, tie_rounded};

/// Below this share of the graphs a side of the mean is searched alone.
const FEW: f64 = 0.2;

/// A node's graphs by falling gradient.
#[derive(Debug)]
pub(super) struct Local<'a> {
    ground: &'a Ground,
    gradients: &'a [i64],
    all: Sums,
    rule: Rule,
    best: Best,
    walked: Walked,
}

/// The best so far: of the table, or found here.
#[derive(Debug)]
struct Best {
    record: Option<Record>,
    code: Option<DfsCode>,
}

impl Best {
    fn offer(&mut self, gain: f64, code: &DfsCode) {
        let edges = code.edge_count() as u32;
        let better = match (&self.record, &self.code) {
            (None, _) => true,
            (Some(r), _) if (gain, r.edges) != (r.gain, edges) => {
                gain > r.gain || (gain == r.gain && edges < r.edges)
            }
            // As good as a pattern of the table: which of them is simpler is seen there.
            (Some(_), None) => true,
            (Some(_), Some(known)) => code < known,
        };
        if better {
            self.record = Some(Record { gain, edges });
            self.code = Some(code.clone());
        }
    }
}

impl<'a> Local<'a> {
    /// A search among the graphs of `ground`, whose gradients are in falling order, for what beats
    /// `record`.
    pub(super) fn new(
        ground: &'a Ground,
        gradients: &'a [i64],
        rule: Rule,
        record: Option<Record>,
    ) -> Self {
        let n = gradients.len() as u32;
        let all = Sums { g: gradients.iter().sum(), h: n.into(), n };
        Local {
            ground,
            gradients,
            all,
            rule,
            best: Best { record, code: None },
            walked: Walked::default(),
        }
    }

    /// The simplest of the best patterns, if one is better than the record, or as good and of no
    /// more edges; and how many patterns were met, and what others could gain at most.
    pub(super) fn run(mut self) -> (Option<DfsCode>, Walked) {
        let n = self.gradients.len();
        let centred = |g: i64| i128::from(g) * n as i128 - i128::from(self.all.g);
        let above = self.gradients.partition_point(|&g| centred(g) > 0);
        let below = n - self.gradients.partition_point(|&g| centred(g) >= 0);
        let is_few = |side: usize| (side as f64) < FEW * n as f64;
        let sides = [(above, 0..above, false), (below, n - below..n, true)];
        let alone = sides.into_iter().find(|side| is_few(side.0));
        let ways = alone.as_ref().map_or([true, true], |side| [side.2, !side.2]);
        self.search_all(ways);
        if let Some((_, range, low)) = alone {
            self.search_side(range, low);
        }
        (self.best.code, self.walked)
    }

    /// All patterns, bounded in the directions `ways` (above the mean, below).
    fn search_all(&mut self, ways: [bool; 2]) {
        let n = self.gradients.len();
        let scale = Scale::new(self.gradients, self.all, &self.rule);
        let (all, rule, gradients, best) =
            (self.all, self.rule, self.gradients, std::mem::replace(&mut self.best, Best::none()));
        let mut guide = Joint { scale, all, rule, gradients, best, ways };
        let least = guide.least(n);
        let walked = self.ground.walk(0..n, least, &mut guide);
        self.note(walked);
        self.best = guide.best;
    }

    /// The patterns of the few graphs in `range`, bounded in their direction.
    fn search_side(&mut self, range: Range<usize>, low: bool) {
        let scale = Scale::new(self.gradients, self.all, &self.rule);
        let mut others: Vec<usize> = (0..self.gradients.len()).collect();
        others.retain(|i| !range.contains(i));
        let nearest = |at: usize| if low { others[others.len() - 1 - at] } else { others[at] };
        let mut losses = vec![0.0];
        for at in 0..others.len() {
            losses.push(losses[at] + scale.centred[nearest(at)].abs());
        }
        let best = std::mem::replace(&mut self.best, Best::none());
        let mut side = Side {
            scale,
            all: self.all,
            rule: self.rule,
            gradients: self.gradients,
            ground: self.ground,
            start: range.start,
            low,
            others,
            losses,
            matcher: Matcher::default(),
            line: Vec::new(),
            best,
        };
        let least = side.least(range.len());
        let walked = side.ground.walk(range, least, &mut side);
        self.best = side.best;
        self.note(walked);
    }

    fn note(&mut self, walked: Walked) {
        self.walked.met += walked.met;
        self.walked.left = match (self.walked.left, walked.left) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
    }
}

impl Best {
    fn none() -> Best {
        Best { record: None, code: None }
    }

    /// The bound, if a pattern of `edges` edges that reaches it would be as good as the best.
    fn worth(&self, bound: f64, edges: usize, rule: &Rule) -> Option<f64> {
        let bound = tie_rounded(bound);
        let reaches = |r: Record| bound > r.gain || (bound == r.gain && edges as u32 <= r.edges);
        (bound > rule.min_gain.max(0.0) && self.record.is_none_or(reaches)).then_some(bound)
    }
}

/// Gains in floating point, for bounds.
struct Scale {
    /// Gradients less their mean.
    centred: Vec<f64>,
    /// n/(k(n − k)) where the rule allows k graphs on the "yes" side, else 0.
    weight: Vec<f64>,
    /// Covers the rounding of sums and gains.
    slack: f64,
}

impl Scale {
    fn new(gradients: &[i64], all: Sums, rule: &Rule) -> Scale {
        let n = gradients.len();
        let centre = |g: &i64| (i128::from(*g) * n as i128 - i128::from(all.g)) as f64 / n as f64;
        let least = rule.min_leaf.max(1) as usize;
        let weight = |k: usize| match k.min(n - k) >= least {
            true => n as f64 / (k as f64 * (n - k) as f64),
            false => 0.0,
        };
        let slack = 4.0 * f64::EPSILON * (n + 8) as f64;
        let centred = gradients.iter().map(centre).collect();
        Scale { centred, weight: (0..=n).map(weight).collect(), slack }
    }

    /// The distance of a sum over graphs on one side of the mean from it, or a little more.
    fn sum(&self, graphs: impl Iterator<Item = usize>) -> f64 {
        graphs.map(|g| self.centred[g]).sum::<f64>().abs() * (1.0 + self.slack)
    }

    /// The largest gain of a prefix of the graphs given, the most extreme first.
    fn best_prefix(&self, graphs: impl Iterator<Item = usize>) -> f64 {
        let (mut sum, mut most, mut best) = (0.0f64, 0.0f64, 0.0f64);
        for (graph, weight) in graphs.zip(&self.weight[1..]) {
            sum += self.centred[graph];
            most = most.max(sum.abs());
            let sum = sum.abs() + self.slack * most;
            best = best.max(sum * sum * weight);
        }
        best * (1.0 + self.slack)
    }
}

/// Guides a walk over all graphs of the node.
struct Joint<'a> {
    scale: Scale,
    all: Sums,
    rule: Rule,
    gradients: &'a [i64],
    best: Best,
    ways: [bool; 2],
}

impl Joint<'_> {
    /// The fewest graphs, of `n`, that a pattern must have to be wanted now.
    fn least(&mut self, n: usize) -> usize {
        let all: Vec<u32> = (0..n as u32).collect();
        (1..n)
            .find(|&k| {
                self.promise(1, &all[..k]).or_else(|| self.promise(1, &all[n - k..])).is_some()
            })
            .unwrap_or(n)
    }
}

impl Guide for Joint<'_> {
    fn promise(&mut self, edges: usize, graphs: &[u32]) -> Option<f64> {
        let graphs = graphs.iter().map(|&g| g as usize);
        let [above, below] = self.ways;
        let above = if above { self.scale.best_prefix(graphs.clone()) } else { 0.0 };
        let below = if below { self.scale.best_prefix(graphs.rev()) } else { 0.0 };
        self.best.worth(above.max(below), edges, &self.rule)
    }

    fn meet(&mut self, code: &DfsCode, graphs: &[u32], _: bool) {
        if code.edge_count() == 0 {
            return;
        }
        let g = graphs.iter().map(|&i| self.gradients[i as usize]).sum();
        let part = Sums { g, h: graphs.len() as i64, n: graphs.len() as u32 };
        if let Some(gain) = self.rule.gain(part, self.all).filter(|g| self.rule.accepts(*g)) {
            self.best.offer(gain, code);
        }
    }
}

/// Guides a walk over the few graphs on one side of the mean.
struct Side<'a> {
    scale: Scale,
    all: Sums,
    rule: Rule,
    gradients: &'a [i64],
    ground: &'a Ground,
    /// The number of the side's first graph.
    start: usize,
    /// Whether it is the side below the mean.
    low: bool,
    /// The other graphs, those found last first.
    others: Vec<usize>,
    /// What the others nearest to the mean take from a sum: of none, one, two, ...
    losses: Vec<f64>,
    matcher: Matcher,
    /// The supports of the patterns above, by number of edges.
    line: Vec<usize>,
    best: Best,
}

impl Side<'_> {
    /// The fewest supporters, of `n`, that a pattern must have to be wanted now.
    fn least(&mut self, n: usize) -> usize {
        let all: Vec<u32> = (0..n as u32).collect();
        let low = self.low;
        let extreme = |k: usize| if low { &all[n - k..] } else { &all[..k] };
        (1..n).find(|&k| self.promise(1, extreme(k)).is_some()).unwrap_or(n)
    }

    fn sums(&self, supporters: &[u32]) -> Sums {
        let g = supporters.iter().map(|&i| self.gradients[self.start + i as usize]).sum();
        Sums { g, h: supporters.len() as i64, n: supporters.len() as u32 }
    }

    /// What no set with these supporters can exceed, up to half of the graphs: others only lower
    /// a gain, but they can fill a leaf.
    fn near_bound(&self, supporters: &[u32]) -> f64 {
        let own = supporters.iter().map(|&g| self.start + g as usize);
        let least = self.rule.min_leaf.max(1) as usize;
        if supporters.len() < least {
            let sum = self.scale.sum(own);
            return sum * sum * self.scale.weight.get(least).copied().unwrap_or(0.0);
        }
        if self.low { self.scale.best_prefix(own.rev()) } else { self.scale.best_prefix(own) }
    }

    /// What no set of half the graphs or more can exceed if these are its supporters: for each
    /// number of graphs, the others nearest to the mean are taken.
    fn far_bound(&self, supporters: &[u32]) -> f64 {
        let sum = self.scale.sum(supporters.iter().map(|&g| self.start + g as usize));
        let half = self.gradients.len() / 2;
        let others = half.saturating_sub(supporters.len());
        let losses = &self.losses[others..];
        let weights = &self.scale.weight[supporters.len() + others..];
        let gain = |(loss, weight): (&f64, &f64)| {
            let sum = (sum - loss).max(0.0) + self.scale.slack * (sum + loss);
            sum * sum * weight
        };
        losses.iter().zip(weights).map(gain).fold(0.0, f64::max) * (1.0 + self.scale.slack)
    }

    /// The gain of a pattern. If the number of edges is given from which on a gain counts, asking
    /// stops when it is seen not to.
    fn gain(&mut self, code: &DfsCode, supporters: &[u32], stop: Option<usize>) -> Option<f64> {
        let mut part = self.sums(supporters);
        for at in 0..self.others.len() {
            let other = self.others[at];
            if !self.matcher.has(self.ground.graph(other), code) {
                continue;
            }
            self.others[..=at].rotate_right(1);
            part = Sums { g: part.g + self.gradients[other], h: part.h + 1, n: part.n + 1 };
            // Too few graphs yet are no reason to stop.
            let known = self.rule.gain(part, self.all);
            let fails =
                |edges| known.is_some_and(|g| self.best.worth(g, edges, &self.rule).is_none());
            if stop.is_some_and(fails) {
                return None;
            }
        }
        self.rule.gain(part, self.all).filter(|g| self.rule.accepts(*g))
    }
}

impl Guide for Side<'_> {
    fn promise(&mut self, edges: usize, graphs: &[u32]) -> Option<f64> {
        let near = self.best.worth(self.near_bound(graphs), edges, &self.rule);
        near.or_else(|| self.best.worth(self.far_bound(graphs), edges, &self.rule))
    }

    fn meet(&mut self, code: &DfsCode, graphs: &[u32], repeated: bool) {
        let edges = code.edge_count();
        self.line.truncate(edges);
        self.line.push(graphs.len());
        if edges == 0 {
            return;
        }
        let may_stop = self.best.worth(self.far_bound(graphs), edges, &self.rule).is_none();
        // With too few supporters the child may lack the others that fill a leaf.
        if repeated && may_stop && graphs.len() >= self.rule.min_leaf as usize {
            return;
        }
        // Those above with the same supporters may tie with it, and are simpler.
        let equal = self.line[1..edges].iter().rev().take_while(|&&n| n == graphs.len()).count();
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
