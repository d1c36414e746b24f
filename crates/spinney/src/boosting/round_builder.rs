//! The trees of one round: residuals of scores, what the criterion sees of them, a tree.
//!
//! **Invariant.** The trees of a round (one for each output of each training of an ensemble) depend
//! on the scores before it and on nothing else, so they are grown side by side where nothing is
//! left to explore, and are the same if they are not. An engine that still explores grows one after
//! the other: what a tree has found, the next one knows.

use std::sync::RwLock;

use rayon::prelude::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use crate::boosting::loss::{Derivatives, Loss};
use crate::boosting::sampling;
use crate::boosting::scored_set::ScoredSet;
use crate::boosting::tree_grower::{
    Buffers, GrownTree, Members, Pool, Scratch, SharedSpace, TreeGrower,
};
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
    /// The positions that trees are fitted to, ascending, if not all.
    pub(crate) part: Option<&'a [u32]>,
    pub(crate) stop_token: &'a StopToken,
}

/// What a tree is fitted to.
struct TreeTask {
    gradients: Gradients,
    members: Members,
    sample: ClassSample,
}

/// Derivatives of all training graphs for one output.
struct Gradients {
    residuals: Vec<f64>,
    curvatures: Vec<f64>,
}

impl Gradients {
    /// Each graph's derivatives times its weight.
    fn weighted(mut self, weights: &[f64]) -> Gradients {
        self.residuals.iter_mut().zip(weights).for_each(|(r, w)| *r *= w);
        self.curvatures.iter_mut().zip(weights).for_each(|(c, w)| *c *= w);
        self
    }
}

/// A training of an ensemble before a round.
struct MemberState {
    seed: u64,
    /// As the loss [prepares](Loss::prepared) them.
    scores: Vec<f64>,
    members: Members,
}

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
        let is_explored = !space.has_frontier();
        let in_parallel = is_explored && rayon::current_num_threads() > 1;
        let space = RwLock::new(space);
        let space = SharedSpace { space: &space, is_explored, in_parallel };
        let states: Vec<MemberState> = (trainings.iter().enumerate())
            .map(|(training, scores)| {
                let seed = self.params.seed_of(training);
                let members = self.members(seed, number);
                MemberState { seed, scores: self.loss.prepared(scores.to_vec()), members }
            })
            .collect();
        let tree = |i: usize| {
            let MemberState { seed, scores, members } = &states[i / outputs];
            let output = i % outputs;
            let draw = (number * outputs + output) as u64;
            let sample = ClassSample::new(self.params.pattern_sample, *seed, draw);
            let gradients = self.gradients(scores, output);
            self.tree(TreeTask { gradients, members: members.clone(), sample }, &space)
        };
        let all = 0..trainings.len() * outputs;
        if in_parallel {
            all.into_par_iter().with_max_len(1).map(tree).collect()
        } else {
            all.map(tree).collect()
        }
    }

    /// The graphs that a tree is fitted to, and all others.
    fn members(&self, seed: u64, number: usize) -> Members {
        let graphs = self.train.graphs.len();
        let share = self.params.subsample;
        let Some(part) = self.part else { return sampling::rows(graphs, share, seed, number) };
        let rows = sampling::rows(part.len(), share, seed, number);
        let fitted: Vec<u32> = rows.fitted.iter().map(|&row| part[row as usize]).collect();
        let mut next = fitted.iter().copied().peekable();
        let is_left_out = |position: &u32| next.next_if_eq(position).is_none();
        let left_out = (0..graphs as u32).filter(is_left_out).collect();
        Members { fitted, left_out }
    }

    /// Derivatives for one output.
    fn gradients(&self, scores: &[f64], output: usize) -> Gradients {
        let loss = self.loss;
        let derivatives = |g: usize, s: &[f64]| loss.derivatives(g, s, output);
        let all = self.train.map(scores, loss.outputs(), derivatives);
        let pair = |Derivatives { residual, curvature }| (residual, curvature);
        let (residuals, curvatures) = all.into_iter().map(pair).unzip();
        Gradients { residuals, curvatures }
    }

    /// Fits a tree with the smallest cells that serve.
    fn tree(&self, task: TreeTask, space: &SharedSpace<'_, '_>) -> Option<GrownTree> {
        let BufferPool { packed, sums, full, .. } = self.buffers;
        let plain = self.unit_weights && self.params.criterion == Criterion::Residual;
        match (self.engine == Engine::Census, plain) {
            (true, true) => self.grow(task, space, packed),
            (true, false) => self.grow(task, space, sums),
            (false, _) => self.grow(task, space, full),
        }
    }

    /// Fits a tree; `None` if the numbers are out of range.
    fn grow<C: Cell>(
        &self,
        TreeTask { gradients, members, sample }: TreeTask,
        space: &SharedSpace<'_, '_>,
        histograms: &Pool<Histogram<C>>,
    ) -> Option<GrownTree> {
        let gradients = gradients.weighted(self.weights);
        let known = space.read();
        let samples = self.samples(&gradients, known.has_frontier())?;
        let rule = self.rule(&samples);
        let Gradients { residuals, curvatures } = gradients;
        let cells: Vec<C> = (0..residuals.len() as u32).map(|p| C::of(&samples, p)).collect();
        let search = Search::new(&**known, &samples, &cells, rule, sample);
        drop(known);
        let rate = self.params.learning_rate;
        let l2 = self.params.l2;
        let (below, factor) = match self.params.leaf {
            Leaf::Mean => (self.weights, rate),
            Leaf::Newton => (&curvatures[..], rate * self.loss.newton_factor()),
        };
        let leaf_value = |positions: &[u32]| {
            let sum = |values: &[f64]| sum(positions.iter().map(|&p| values[p as usize]));
            let below = sum(below) + l2;
            if below > 0.0 { factor * sum(&residuals) / below } else { 0.0 }
        };
        let grower = TreeGrower {
            space,
            search: search.with_stop_token(self.stop_token),
            row_graphs: members.fitted.len(),
            depth: self.params.depth,
            min_leaf: self.params.min_samples_leaf,
            leaf_value: &leaf_value,
            gain_unit: samples.gain_unit(),
            buffers: Buffers { histograms, scratch: &self.buffers.scratch },
            stop_token: self.stop_token,
        };
        Some(grower.grow(members, residuals.len()))
    }

    fn is_second_order(&self) -> bool {
        self.params.criterion == Criterion::Newton
    }

    /// What the criterion sees of first and second derivatives.
    fn samples(&self, gradients: &Gradients, explores: bool) -> Option<Samples> {
        let Gradients { residuals, curvatures } = gradients;
        let samples = match (self.is_second_order(), self.unit_weights) {
            (true, _) => Samples::new(residuals, Some(curvatures)),
            (false, false) => Samples::new(residuals, Some(self.weights)),
            (false, true) => Samples::new(residuals, None),
        }?;
        Some(if explores { samples.with_squares() } else { samples })
    }

    fn rule(&self, samples: &Samples) -> Rule {
        Rule {
            l2: if self.is_second_order() { self.params.l2 / samples.h_unit() } else { 0.0 },
            min_leaf: self.params.min_samples_leaf as u32,
            min_gain: (self.params.min_gain / samples.gain_unit()).max(samples.noise()),
        }
    }
}
