//! The reference search: the best split of a node over all columns of all patterns.
//!
//! Every pattern and every threshold is scored, one after another, by the drop in
//! Σ G²/(H+λ) (with λ = 0 and weights 1: in the total sum of squares). Gains that differ by less
//! than a billionth are ties; among ties the fewest edges win, then the smallest DFS code, then the
//! lowest threshold.

use std::cmp::Ordering;

use super::pattern::{Code, Mined, code_less, smallest_code};

/// Which columns and splits are allowed, and λ.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// The most edges of a pattern.
    pub max_edges: usize,
    /// The least number of training graphs that must contain a pattern.
    pub min_support: usize,
    /// The least number of graphs on either side.
    pub min_leaf: usize,
    /// How many of [`THRESHOLDS`] there are.
    pub count_levels: u32,
    /// Whether single vertices are patterns.
    pub vertices: bool,
    /// λ.
    pub l2: f64,
}

/// The least numbers of occurrences that a split may ask for.
const THRESHOLDS: [u32; 20] =
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64];

/// The best split of a node.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// What it gains.
    pub gain: f64,
    /// The pattern's smallest DFS code.
    pub code: Code,
    /// The threshold.
    pub at_least: u32,
}

/// The total sum of squares about the mean.
pub fn tss(values: &[f64]) -> f64 {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    values.iter().map(|v| (v - mean) * (v - mean)).sum()
}

/// Residuals (times weights) and weights, by graph.
#[derive(Clone, Copy, Debug)]
pub struct Numbers<'a> {
    /// Gradients.
    pub g: &'a [f64],
    /// Weights.
    pub h: &'a [f64],
}

impl Numbers<'_> {
    /// G²/(H+λ) over some graphs.
    fn score(&self, graphs: &[usize], l2: f64) -> f64 {
        let g: f64 = graphs.iter().map(|&i| self.g[i]).sum();
        let h: f64 = graphs.iter().map(|&i| self.h[i]).sum();
        g * g / (h + l2)
    }
}

struct Candidate<'a> {
    gain: f64,
    mined: &'a Mined,
    at_least: u32,
}

/// The best split of the graphs `node`, or `None` if nothing is gained. `mined` are all patterns
/// of the training graphs.
pub fn best_split(
    mined: &[Mined],
    numbers: Numbers<'_>,
    node: &[usize],
    allowed: &Allowed,
) -> Option<Best> {
    let mut candidates: Vec<Candidate<'_>> = Vec::new();
    for m in mined.iter().filter(|m| is_allowed(m, allowed)) {
        for &at_least in &THRESHOLDS[..allowed.count_levels as usize] {
            if let Some(gain) = gain(m, at_least, numbers, node, allowed) {
                candidates.push(Candidate { gain, mined: m, at_least });
            }
        }
    }
    let most = candidates.iter().map(|c| c.gain).fold(0.0, f64::max);
    let noise = 1e-12 * node.iter().map(|&i| numbers.g[i].abs()).sum::<f64>().powi(2);
    if most <= noise {
        return None;
    }
    candidates.retain(|c| c.gain >= most * (1.0 - 1e-9) - noise);
    let fewest = candidates.iter().map(|c| c.mined.pattern.edges.len()).min()?;
    candidates.retain(|c| c.mined.pattern.edges.len() == fewest);
    let coded = candidates.iter().map(|c| Best {
        gain: c.gain,
        code: smallest_code(&c.mined.pattern),
        at_least: c.at_least,
    });
    coded.min_by(simpler)
}

fn is_allowed(mined: &Mined, allowed: &Allowed) -> bool {
    let edges = mined.pattern.edges.len();
    edges <= allowed.max_edges
        && (edges > 0 || allowed.vertices)
        && mined.support() >= allowed.min_support
}

fn gain(
    mined: &Mined,
    at_least: u32,
    numbers: Numbers<'_>,
    node: &[usize],
    allowed: &Allowed,
) -> Option<f64> {
    let (with, without): (Vec<usize>, Vec<usize>) =
        node.iter().partition(|&&i| mined.counts[i] >= at_least);
    if with.len().min(without.len()) < allowed.min_leaf.max(1) {
        return None;
    }
    let score = |graphs: &[usize]| numbers.score(graphs, allowed.l2);
    Some(score(&with) + score(&without) - score(node))
}

fn simpler(a: &Best, b: &Best) -> Ordering {
    if code_less(&a.code, &b.code) {
        Ordering::Less
    } else if code_less(&b.code, &a.code) {
        Ordering::Greater
    } else {
        a.at_least.cmp(&b.at_least)
    }
}
