//! Which patterns matter, and in which direction.

use super::{Model, Node};

/// What a pattern did in the trees of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Importance {
    /// The pattern's number.
    pub pattern: usize,
    /// The total gain of its splits.
    pub gain: f64,
    /// The number of splits that ask for it.
    pub splits: usize,
    /// The number of training graphs that came to its splits.
    pub cover: u64,
    /// The highest occurrence threshold asked for.
    pub at_least: u32,
    /// How much higher the score is, on average over its splits, with the pattern than without:
    /// the mean leaf value on the "yes" side minus the "no" side, weighted by cover. One an output.
    pub effect: Vec<f64>,
}

impl Model {
    /// The importance of every pattern, the most gainful first.
    #[must_use]
    pub fn importance(&self) -> Vec<Importance> {
        let outputs = self.task.outputs();
        let mut all: Vec<Importance> = (0..self.patterns.len())
            .map(|pattern| Importance { pattern, effect: vec![0.0; outputs], ..Default::default() })
            .collect();
        let mut weight = vec![vec![0.0; outputs]; self.patterns.len()];
        for (i, tree) in self.trees.iter().enumerate() {
            let means = tree.means();
            for node in tree.nodes() {
                let Node::Split { pattern, at_least, yes, no, gain, cover } = *node else {
                    continue;
                };
                let importance = &mut all[pattern];
                importance.gain += gain;
                importance.splits += 1;
                importance.cover += u64::from(cover);
                importance.at_least = importance.at_least.max(at_least);
                importance.effect[i % outputs] += f64::from(cover) * (means[yes] - means[no]);
                weight[pattern][i % outputs] += f64::from(cover);
            }
        }
        for (importance, weight) in all.iter_mut().zip(weight) {
            for (effect, weight) in importance.effect.iter_mut().zip(weight) {
                *effect = if weight > 0.0 { *effect / weight } else { 0.0 };
            }
        }
        all.sort_by(|a, b| b.gain.total_cmp(&a.gain).then(a.pattern.cmp(&b.pattern)));
        all
    }
}
