//! What each pattern adds to a graph's score: Shapley values, exactly.
//!
//! The players are the patterns. A tree asked with only some of them known follows the answer where it
//! knows the pattern and else goes both ways, weighted by the training graphs that did ("path-dependent"
//! TreeSHAP; Lundberg, Erion and Lee 2018). Not in the paper.
//!
//! **Invariant.** A graph's contributions and the bias sum to its score. The bias is what the model
//! says when it knows no pattern: the initial score and the trees' means by cover.
//!
//! **How.** A leaf is reached by all patterns on its path together, so its game is a product: with o
//! for "the graph's answers lead on" (0 or 1) and z for the share of cover that leads on, the
//! Shapley value of pattern j is `value · (o_j − z_j) · ∫ ∏_{i≠j} (t·o_i + (1 − t)·z_i) dt`, `t` from
//! 0 to 1. The integrand is a polynomial of a degree below the number of patterns on the
//! path, which Gauss and Legendre's rule integrates exactly; all its factors are at least 0, so nothing
//! cancels.
//!
//! **Cost.** For a graph and a tree: leaves × depth × depth / 2.

use super::{Model, Node, Tree};
use crate::dataset::Dataset;

/// Contributions to the scores of some graphs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contributions {
    /// What the model says when it knows no pattern, one an output.
    pub bias: Vec<f64>,
    /// The number of patterns.
    pub patterns: usize,
    /// Graph after graph, output after output, pattern after pattern.
    pub values: Vec<f64>,
}

impl Contributions {
    /// What each pattern adds to output `output` of graph `graph`.
    #[must_use]
    pub fn of(&self, graph: usize, output: usize) -> &[f64] {
        let start = (graph * self.bias.len() + output) * self.patterns;
        &self.values[start..start + self.patterns]
    }
}

impl Model {
    /// What each pattern, found or not found, adds to the scores of the graphs of `data`.
    #[must_use]
    pub fn contributions(&self, data: &Dataset) -> Contributions {
        let outputs = self.task.outputs();
        let mut bias = self.init.clone();
        for (i, tree) in self.trees.iter().enumerate() {
            bias[i % outputs] += mean(tree, 0);
        }
        let depth = self.trees.iter().map(depth).max().unwrap_or(0);
        let rule = Rule::new(depth.div_ceil(2).max(1));
        let patterns = self.patterns.len();
        let rows = self.predictor().for_each_graph(data, |found, _| {
            let mut counts = vec![0; patterns];
            found.iter().for_each(|&(pattern, times)| counts[pattern as usize] = times);
            let mut values = vec![0.0; outputs * patterns];
            for (i, tree) in self.trees.iter().enumerate() {
                let output = i % outputs;
                let values = &mut values[output * patterns..(output + 1) * patterns];
                Walk { tree, counts: &counts, rule: &rule, values }.visit(0, &mut Vec::new());
            }
            values
        });
        Contributions { bias, patterns, values: rows.concat() }
    }
}

/// The shares of cover that go to the children for *yes* and *no*; half each where nobody came.
fn shares(tree: &Tree, yes: usize, no: usize) -> [f64; 2] {
    let covers = [yes, no].map(|child| f64::from(tree.nodes()[child].cover()));
    let sum = covers[0] + covers[1];
    if sum > 0.0 { covers.map(|cover| cover / sum) } else { [0.5; 2] }
}

/// What a tree says below a node when no pattern is known.
fn mean(tree: &Tree, at: usize) -> f64 {
    match tree.nodes().get(at) {
        Some(&Node::Split { yes, no, .. }) => {
            let [y, n] = shares(tree, yes, no);
            y * mean(tree, yes) + n * mean(tree, no)
        }
        _ => tree.value(at),
    }
}

fn depth(tree: &Tree) -> usize {
    let mut depths = vec![0; tree.nodes().len()];
    for (i, node) in tree.nodes().iter().enumerate() {
        if let Node::Split { yes, no, .. } = *node {
            (depths[yes], depths[no]) = (depths[i] + 1, depths[i] + 1);
        }
    }
    depths.into_iter().max().unwrap_or(0)
}

/// A pattern on the way to a leaf.
#[derive(Clone, Copy, Debug)]
struct Player {
    pattern: usize,
    /// Whether all answers so far lead on: 1 or 0.
    met: f64,
    /// The share of cover that leads on.
    share: f64,
}

/// One tree being explained for one graph.
struct Walk<'w> {
    tree: &'w Tree,
    counts: &'w [u32],
    rule: &'w Rule,
    values: &'w mut [f64],
}

impl Walk<'_> {
    fn visit(&mut self, at: usize, path: &mut Vec<Player>) {
        let Some(&Node::Split { pattern, at_least, yes, no, .. }) = self.tree.nodes().get(at)
        else {
            return self.leaf(self.tree.value(at), path);
        };
        let answer = self.counts[pattern] >= at_least;
        for (child, leads, share) in
            [yes, no].into_iter().zip([answer, !answer]).zip(shares(self.tree, yes, no)).map(flat)
        {
            let known = path.iter().position(|p| p.pattern == pattern);
            let place = known.unwrap_or_else(|| {
                path.push(Player { pattern, met: 1.0, share: 1.0 });
                path.len() - 1
            });
            let before = path[place];
            path[place].met *= f64::from(u8::from(leads));
            path[place].share *= share;
            self.visit(child, path);
            path[place] = before;
            if known.is_none() {
                path.pop();
            }
        }
    }

    fn leaf(&mut self, value: f64, path: &[Player]) {
        for &(t, weight) in &self.rule.points {
            let factor = |p: &Player| t * p.met + (1.0 - t) * p.share;
            let zeros = path.iter().filter(|p| factor(p) == 0.0).count();
            let product: f64 = path.iter().map(factor).filter(|f| *f != 0.0).product();
            for player in path {
                let others = match (zeros, factor(player)) {
                    (0, own) => product / own,
                    (1, 0.0) => product,
                    _ => continue,
                };
                let step = value * weight * (player.met - player.share) * others;
                self.values[player.pattern] += step;
            }
        }
    }
}

fn flat(((child, leads), share): ((usize, bool), f64)) -> (usize, bool, f64) {
    (child, leads, share)
}

/// Gauss and Legendre's rule from 0 to 1: points and weights.
#[derive(Debug)]
struct Rule {
    points: Vec<(f64, f64)>,
}

impl Rule {
    /// Exact for polynomials of a degree below `2 n`.
    fn new(n: usize) -> Rule {
        let points = (0..n).map(|i| {
            let mut x = (std::f64::consts::PI * (i as f64 + 0.75) / (n as f64 + 0.5)).cos();
            for _ in 0..100 {
                let (value, slope) = legendre(n, x);
                let step = value / slope;
                x -= step;
                if step.abs() < 1e-16 {
                    break;
                }
            }
            let slope = legendre(n, x).1;
            ((x + 1.0) / 2.0, 1.0 / ((1.0 - x * x) * slope * slope))
        });
        Rule { points: points.collect() }
    }
}

/// Legendre's polynomial of degree `n` at `x`, and its slope.
fn legendre(n: usize, x: f64) -> (f64, f64) {
    let (mut last, mut here) = (1.0, x);
    for k in 2..=n {
        let k = k as f64;
        (last, here) = (here, ((2.0 * k - 1.0) * x * here - (k - 1.0) * last) / k);
    }
    (here, n as f64 * (x * here - last) / (x * x - 1.0))
}

#[cfg(test)]
mod tests {
    use super::Rule;

    #[test]
    fn the_rule_is_exact_for_polynomials() {
        for n in 1..=32 {
            let rule = Rule::new(n);
            for degree in 0..2 * n {
                let sum: f64 = rule.points.iter().map(|(t, w)| w * t.powi(degree as i32)).sum();
                let exact = 1.0 / (degree as f64 + 1.0);
                assert!((sum - exact).abs() < 1e-14, "{n} {degree}: {sum} {exact}");
            }
        }
    }
}
