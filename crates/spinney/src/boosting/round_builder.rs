//! The trees of one round: residuals of scores, what the criterion sees of them, a tree.
//!
//! **Invariant.** The trees of a round (one for each output of each training of an ensemble) depend
//! on the scores before it and on nothing else, so they are grown side by side where nothing is left
//! to explore, and are the same if they are not. An engine that still explores grows one after the
//! other: what a tree has found, the next one knows.

use std::sync::{PoisonError, RwLock};

use rayon::prelude::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use crate::boosting::loss::Loss;
use crate::boosting::sampling;
use crate::boosting::scored_set::ScoredSet;
use crate::boosting::tree_grower::{GrownTree, Members, Pool, Scratch, TreeGrower};
use crate::math::sum;
use crate::params::{Criterion, Engine, Leaf, ValidParams};
use crate::search::best_split::Search;
use crate::search::class_sample::ClassSample;
use crate::search::gain::{Rule, Sums};
use crate::search::histogram::{Cell, Full, Histogram};
use crate::search::packed::Packed;
use crate::search::samples::Samples;
use crate::search::space::PatternSpace;
use crate::search::stop::StopToken;

/// Memory to be used again.
#[derive(Default)]
pub(crate) struct BufferPool {
    packed: Pool<Histogram<Packed>>,
    sums: Pool<Histogram<Sums>>,
    full: Pool<Histogram<Full>>,
    scratch: Pool<Scratch>,
}

/// What all trees of a training have in common.
pub(crate) struct RoundBuilder<'a> {
    pub(crate) params: &'a ValidParams,
    pub(crate) loss: &'a Loss,
    pub(crate) train: &'a ScoredSet,
    pub(crate) weights: &'a [f64],
    pub(crate) unit_weights: bool,
    pub(crate) engine: Engine,
    pub(crate) buffers: &'a BufferPool,
    pub(crate) stop_token: &'a StopToken,
}

/// Where patterns are, for the trees of a round.
type Shared<'s> = RwLock<&'s mut dyn PatternSpace>;

impl RoundBuilder<'_> {
    /// The trees of a round: for each training, given by the scores before, a tree an output.
    /// `None` where the numbers are out of range.
    pub(crate) fn round(
        &self,
        number: usize,
        space: &mut dyn PatternSpace,
        trainings: &[&[f64]],
    ) -> Vec<Option<GrownTree>> {
        let outputs = self.loss.outputs();
        let shares = !space.has_frontier() && rayon::current_num_threads() > 1;
        let space = RwLock::new(space);
        let graphs = self.train.graphs.len();
        let prepared: Vec<(u64, Vec<f64>, Members)> = (trainings.iter().enumerate())
            .map(|(training, scores)| {
                let seed = self.params.seed_of(training);
                let members = sampling::rows(graphs, self.params.subsample, seed, number);
                (seed, self.loss.prepared(scores.to_vec()), members)
            })
            .collect();
        let tree = |i: usize| {
            let (seed, scores, members) = &prepared[i / outputs];
            let output = i % outputs;
            let draw = (number * outputs + output) as u64;
            let sample = ClassSample::new(self.params.pattern_sample, *seed, draw);
            self.tree(self.residuals(scores, output), members.clone(), sample, (&space, shares))
        };
        let all = 0..trainings.len() * outputs;
        if shares {
            all.into_par_iter().with_max_len(1).map(tree).collect()
        } else {
            all.map(tree).collect()
        }
    }

    /// Residuals and curvatures of one output.
    fn residuals(&self, scores: &[f64], output: usize) -> (Vec<f64>, Vec<f64>) {
        let loss = self.loss;
        let residual = |g: usize, s: &[f64]| loss.residual(g, s, output);
        self.train.map(scores, loss.outputs(), residual).into_iter().unzip()
    }

    /// Fits a tree with the smallest cells that serve.
    fn tree(
        &self,
        fitted: (Vec<f64>, Vec<f64>),
        members: Members,
        sample: ClassSample,
        space: (&Shared<'_>, bool),
    ) -> Option<GrownTree> {
        let (buffers, scratch) = (self.buffers, &self.buffers.scratch);
        let plain = self.unit_weights && self.params.criterion == Criterion::Residual;
        match (self.engine == Engine::Census, plain) {
            (true, true) => self.grow(fitted, members, sample, space, (&buffers.packed, scratch)),
            (true, false) => self.grow(fitted, members, sample, space, (&buffers.sums, scratch)),
            (false, _) => self.grow(fitted, members, sample, space, (&buffers.full, scratch)),
        }
    }

    /// Fits a tree; `None` if the numbers are out of range.
    fn grow<C: Cell>(
        &self,
        (residuals, curvatures): (Vec<f64>, Vec<f64>),
        members: Members,
        sample: ClassSample,
        (space, shares): (&Shared<'_>, bool),
        buffers: (&Pool<Histogram<C>>, &Pool<Scratch>),
    ) -> Option<GrownTree> {
        let weighted = |values: Vec<f64>| -> Vec<f64> {
            values.iter().zip(self.weights).map(|(v, w)| v * w).collect()
        };
        let (gradients, curvatures) = (weighted(residuals), weighted(curvatures));
        let known = space.read().unwrap_or_else(PoisonError::into_inner);
        let explores = known.has_frontier();
        let (samples, rule) = self.samples(&gradients, &curvatures, explores)?;
        let cells: Vec<C> = (0..gradients.len() as u32).map(|p| C::of(&samples, p)).collect();
        let search = Search::new(&**known, &samples, &cells, rule, sample);
        drop(known);
        let (rate, l2) = (self.params.learning_rate, self.params.l2);
        let (below, factor) = match self.params.leaf {
            Leaf::Mean => (self.weights, rate),
            Leaf::Newton => (&curvatures[..], rate * self.loss.newton_factor()),
        };
        let leaf_value = |positions: &[u32]| {
            let sum = |values: &[f64]| sum(positions.iter().map(|&p| values[p as usize]));
            let below = sum(below) + l2;
            if below > 0.0 { factor * sum(&gradients) / below } else { 0.0 }
        };
        let grower = TreeGrower {
            shares,
            space,
            search: search.with_stop_token(self.stop_token),
            depth: self.params.depth,
            min_leaf: self.params.min_samples_leaf,
            leaf_value: &leaf_value,
            gain_unit: samples.gain_unit(),
            buffers,
            stop_token: self.stop_token,
        };
        Some(grower.grow(members, gradients.len()))
    }

    /// What the criterion sees of gradients and second derivatives, and its rule.
    fn samples(
        &self,
        gradients: &[f64],
        curvatures: &[f64],
        explores: bool,
    ) -> Option<(Samples, Rule)> {
        let second_order = self.params.criterion == Criterion::Newton;
        let mut samples = match (second_order, self.unit_weights) {
            (true, _) => Samples::new(gradients, Some(curvatures)),
            (false, false) => Samples::new(gradients, Some(self.weights)),
            (false, true) => Samples::new(gradients, None),
        }?;
        if explores {
            samples = samples.with_squares();
        }
        let rule = Rule {
            l2: if second_order { self.params.l2 / samples.h_unit() } else { 0.0 },
            min_leaf: self.params.min_samples_leaf as u32,
            min_gain: (self.params.min_gain / samples.gain_unit()).max(samples.noise()),
        };
        Some((samples, rule))
    }
}
