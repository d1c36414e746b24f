//! The game that a leaf plays with the patterns on its path, and the integral that values it.
//!
//! A tree asked with only some patterns known follows the answer where it knows the pattern and
//! else goes both ways, weighted by the training graphs that did ("path-dependent" TreeSHAP;
//! Lundberg, Erion and Lee 2018). A leaf is reached by all patterns on its path together, so what
//! it pays is a product: of `o` (the graph's answers lead on: 1 or 0) over the patterns that are
//! known and of `z` (the share of cover that leads on) over the others. Made multilinear, with
//! every pattern known with probability `t`, it is `value · ∏ (t·o + (1 − t)·z)`; Shapley values
//! and their interactions are integrals of its derivatives over `t` from 0 to 1 (Owen 1972;
//! Grabisch and Roubens 1999).
//!
//! **Invariant.** The integrands are polynomials of a degree below the depth of the tree, which the
//! rule of Gauss and Legendre integrates exactly; all factors are at least 0, so nothing cancels.

use super::{Model, Node, Tree};

/// A pattern on the way to a leaf.
#[derive(Clone, Copy, Debug)]
pub(super) struct Player {
    /// The pattern's number in the model.
    pub(super) pattern: usize,
    /// Whether all answers so far lead on: 1 or 0.
    pub(super) met: f64,
    /// The share of cover that leads on.
    pub(super) share: f64,
}

impl Player {
    /// What it multiplies the leaf's value by when it is known with probability `t`.
    pub(super) fn factor(&self, t: f64) -> f64 {
        t * self.met + (1.0 - t) * self.share
    }

    /// How fast that grows with `t`.
    pub(super) fn slope(&self) -> f64 {
        self.met - self.share
    }
}

/// Calls `f` with the value of every leaf of `tree` and the patterns on its path, each once, for a
/// graph that has the patterns `counts` times.
pub(super) fn for_each_leaf(tree: &Tree, counts: &[u32], f: impl FnMut(f64, &[Player])) {
    Walk { tree, counts, f, path: Vec::new() }.visit(0);
}

struct Walk<'w, F> {
    tree: &'w Tree,
    counts: &'w [u32],
    f: F,
    path: Vec<Player>,
}

impl<F: FnMut(f64, &[Player])> Walk<'_, F> {
    fn visit(&mut self, at: usize) {
        let Some(&Node::Split { pattern, at_least, yes, no, .. }) = self.tree.nodes().get(at)
        else {
            return (self.f)(self.tree.value(at), &self.path);
        };
        let answer = self.counts[pattern] >= at_least;
        let [y, n] = shares(self.tree, yes, no);
        for (child, leads, share) in [(yes, answer, y), (no, !answer, n)] {
            let known = self.path.iter().position(|p| p.pattern == pattern);
            let place = known.unwrap_or_else(|| {
                self.path.push(Player { pattern, met: 1.0, share: 1.0 });
                self.path.len() - 1
            });
            let before = self.path[place];
            self.path[place].met *= f64::from(u8::from(leads));
            self.path[place].share *= share;
            self.visit(child);
            self.path[place] = before;
            if known.is_none() {
                self.path.pop();
            }
        }
    }
}

/// The shares of cover that go to the children for *yes* and *no*; half each where nobody came.
fn shares(tree: &Tree, yes: usize, no: usize) -> [f64; 2] {
    let covers = [yes, no].map(|child| f64::from(tree.nodes()[child].cover()));
    let sum = covers[0] + covers[1];
    if sum > 0.0 { covers.map(|cover| cover / sum) } else { [0.5; 2] }
}

/// What a tree says below a node when no pattern is known.
pub(super) fn mean(tree: &Tree, at: usize) -> f64 {
    match tree.nodes().get(at) {
        Some(&Node::Split { yes, no, .. }) => {
            let [y, n] = shares(tree, yes, no);
            y * mean(tree, yes) + n * mean(tree, no)
        }
        _ => tree.value(at),
    }
}

/// Gauss and Legendre's rule from 0 to 1: points and weights.
#[derive(Debug)]
pub(super) struct Rule {
    pub(super) points: Vec<(f64, f64)>,
}

impl Rule {
    /// Exact for every tree of `model`.
    pub(super) fn of(model: &Model) -> Rule {
        let depth = model.trees.iter().map(Tree::depth).max().unwrap_or(0);
        Rule::new(depth.div_ceil(2).max(1))
    }

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
    let mut last = 1.0;
    let mut here = x;
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
