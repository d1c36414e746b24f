//! Gradient boosting (paper, Alg. 1).
//!
//! f = f0; each round computes the residuals, fits a regression tree to them (one for each output),
//! and adds `learning_rate` times the tree. With several members (`ensemble`) a round grows a tree
//! of each, from that member's own scores and samples.
//!
//! **Invariant.** Scores of training graphs are updated by the leaf that the grower put them in,
//! those of validation graphs by asking for the columns; both equal what the finished model
//! predicts, number for number. Trees depend on the members' scores alone, never on what stands
//! beside them (`Booster::beside`). A training on a part of the space's graphs (`Booster::on_part`)
//! never sees the targets of the others: they weigh nothing.
//!
//! **Cost.** A round is a tree for each member and output (`tree_grower`).

use std::sync::OnceLock;
use std::time::Instant;

use crate::boosting::best_round::{BestRound, watched_metric};
use crate::boosting::checkpoint::{Identity, SavedScores};
use crate::boosting::ensemble::Ensemble;
use crate::boosting::graph_weights::graph_weights;
use crate::boosting::loss::Loss;
use crate::boosting::pattern_space::space;
use crate::boosting::record::{Round, StopReason};
use crate::boosting::round_builder::{BufferPool, RoundBuilder};
use crate::boosting::scored_set::{GRAPHS_PER_TASK, ScoredSet};
use crate::boosting::trained::Trained;
use crate::boosting::tree_grower::GrownTree;
use crate::error::{Error, Result};
use crate::evaluation::metrics::Metric;
use crate::evaluation::predictions::{evaluate, measure};
use crate::mining::exploration::Exploration;
use crate::params::ValidParams;
use crate::search::space::PatternSpace;
use crate::search::stop::{Limit, StopToken};

/// One training: some graphs to learn from and some to validate on.
pub struct Booster<'a> {
    pub(super) exploration: &'a Exploration<'a>,
    pub(super) params: &'a ValidParams,
    pub(super) loss: Loss,
    pub(super) metric: Metric,
    pub(super) space: Box<dyn PatternSpace + 'a>,
    pub(super) train: ScoredSet,
    pub(super) valid: ScoredSet,
    weights: Vec<f64>,
    unit_weights: bool,
    pub(super) init: Vec<f64>,
    pub(super) ensemble: Ensemble,
    pub(super) trees: Vec<GrownTree>,
    pub(super) rounds: Vec<Round>,
    /// Why no round follows, if none does.
    pub(super) ended: Option<StopReason>,
    buffers: BufferPool,
    keeps_leaves: bool,
    /// Where only a part of the space's graphs is trained on.
    part: Option<SpacePart>,
    pub(super) stop_token: StopToken,
    started: Instant,
    /// Seconds of an earlier part of the training.
    pub(super) seconds_before: f64,
    pub(super) identity: OnceLock<Identity>,
}

/// The graphs that a booster learns from, and those that it is validated on.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GraphSplit<'g> {
    pub(crate) train: &'g [u32],
    pub(crate) valid: &'g [u32],
}

/// Some of the graphs that a space was made for, by position there.
#[derive(Debug)]
struct SpacePart {
    /// Those that trees are fitted to, ascending.
    fitted: Vec<u32>,
    /// Those that are only led to their leaves, in the order of the validation graphs.
    held_out: Vec<u32>,
}

/// A space, and the graphs that it was made for.
pub(crate) struct SpaceOf<'g, 'a> {
    pub(crate) space: Box<dyn PatternSpace + 'a>,
    pub(crate) graphs: &'g [u32],
}

/// Scores before the first tree, where something stands beside the trees.
#[derive(Clone, Debug, Default)]
pub(crate) struct StartingScores {
    pub(crate) train: Vec<f64>,
    pub(crate) valid: Vec<f64>,
}

impl<'a> Booster<'a> {
    /// Prepares a training on the graphs `train` of the exploration, validated on `valid`.
    ///
    /// # Errors
    /// If the targets do not fit the loss, or there is nothing to train on.
    pub fn new(
        exploration: &'a Exploration<'a>,
        params: &'a ValidParams,
        train: &[u32],
        valid: &[u32],
    ) -> Result<Self> {
        let space = space(exploration, params, train);
        Booster::in_space(exploration, params, GraphSplit { train, valid }, space)
    }

    /// The same in a space that was made for the training graphs before.
    pub(crate) fn in_space(
        exploration: &'a Exploration<'a>,
        params: &'a ValidParams,
        split: GraphSplit<'_>,
        space: Box<dyn PatternSpace + 'a>,
    ) -> Result<Self> {
        Booster::on_part(exploration, params, split, SpaceOf { space, graphs: split.train })
    }

    /// A training on some of the graphs that a space was made for; the validation graphs are among
    /// these, too, if it is not made for the training graphs alone. They are led through a tree as
    /// it grows.
    pub(crate) fn on_part(
        exploration: &'a Exploration<'a>,
        params: &'a ValidParams,
        split: GraphSplit<'_>,
        SpaceOf { space, graphs }: SpaceOf<'_, 'a>,
    ) -> Result<Self> {
        let GraphSplit { train, valid } = split;
        let started = Instant::now();
        let data = exploration.data();
        if train.is_empty() {
            return Err(Error::data("there are no graphs to train on"));
        }
        if !exploration.covers(params.max_edges) {
            return Err(Error::parameter("max_edges", "more than the exploration covers"));
        }
        data.require_targets(train)?;
        data.require_targets(valid)?;
        let loss = Loss::new(params, data)?;
        let metric = watched_metric(params, &loss)?;
        if params.early_stopping.is_some() && valid.is_empty() {
            return Err(Error::parameter("early_stopping", "needs validation graphs (--valid)"));
        }
        check_scores(loss.outputs(), params.ensemble, train.len() + valid.len())?;
        let mut weights = graph_weights(data, params, &loss, train)?;
        let init = loss.init(params.init, train, &weights);
        let unit_weights = weights.iter().all(|&w| w == 1.0);
        let part = (graphs.len() > train.len()).then(|| SpacePart::new(graphs, split, data.len()));
        if let Some(part) = &part {
            weights = part.scattered(&weights, graphs.len());
        }
        let train = ScoredSet::new(graphs, &loss, &init);
        let valid = ScoredSet::new(valid, &loss, &init);
        Ok(Booster {
            exploration,
            params,
            metric,
            space,
            ensemble: Ensemble::new(params, loss.outputs(), &train.scores),
            train,
            valid,
            loss,
            weights,
            unit_weights,
            init,
            trees: Vec::new(),
            rounds: Vec::new(),
            ended: None,
            buffers: BufferPool::default(),
            keeps_leaves: false,
            part,
            stop_token: StopToken::new(exploration.limits()),
            started,
            seconds_before: 0.0,
            identity: OnceLock::new(),
        })
    }

    /// Remembers the leaf of each training graph in each tree.
    #[must_use]
    pub fn keeping_leaves(self) -> Self {
        Booster { keeps_leaves: true, ..self }
    }

    /// Starts scores where something stands that is not made of trees: rounds are measured with
    /// it, and trees are grown without it.
    pub(crate) fn beside(mut self, start: StartingScores) -> Self {
        self.ensemble.keep_apart(&self.train.scores);
        match &self.part {
            None => self.train.scores = start.train,
            Some(part) => {
                let positions = part.fitted.iter().chain(&part.held_out);
                for (&position, &score) in positions.zip(start.train.iter().chain(&start.valid)) {
                    self.train.scores[position as usize] = score;
                }
            }
        }
        self.valid.scores = start.valid;
        self
    }

    /// The validation graphs, their scores so far, and the scores before the first tree.
    pub(crate) fn held_out(&self) -> HeldOutScores<'_> {
        HeldOutScores { graphs: &self.valid.graphs, scores: &self.valid.scores, init: &self.init }
    }

    /// A measure of the validation graphs.
    pub(crate) fn held_out_measure(&self, metric: Metric) -> f64 {
        measure(metric, &self.valid.predictions(&self.loss), &self.valid.truth)
    }

    /// The loss, with the targets.
    pub(crate) fn loss(&self) -> &Loss {
        &self.loss
    }

    /// What a graph with these scores adds to the loss.
    pub(crate) fn weighted_loss(&self, graph: u32, scores: &[f64]) -> f64 {
        let weight = self.exploration.data().weights().map_or(1.0, |w| w[graph as usize]);
        weight * self.loss.value(graph as usize, scores)
    }

    /// How many rounds there will be, if nothing ends the training before.
    #[must_use]
    pub fn asked_rounds(&self) -> usize {
        self.params.trees
    }

    /// The rounds so far.
    #[must_use]
    pub fn rounds(&self) -> &[Round] {
        &self.rounds
    }

    /// Boosts until done; `go_on` sees every round and may stop the training.
    ///
    /// # Errors
    /// If the scores leave the range of numbers, or the watched metric is not defined.
    pub fn run(self, mut go_on: impl FnMut(&Round) -> bool) -> Result<Trained<'a>> {
        self.run_watched(|booster| booster.rounds().last().is_none_or(&mut go_on))
    }

    /// The same; `go_on` sees the whole training after every round, and may write a checkpoint.
    ///
    /// # Errors
    /// As [`run`](Self::run).
    pub fn run_watched(
        mut self,
        mut go_on: impl FnMut(&Booster<'a>) -> bool,
    ) -> Result<Trained<'a>> {
        let mut best = BestRound::new(self.metric, self.params.early_stopping);
        for round in &self.rounds {
            best.add(round)?;
        }
        let mut stopped = self.ended.unwrap_or(StopReason::Finished);
        while self.ended.is_none() && self.rounds.len() < self.params.trees {
            let before = self.scores();
            let splits = self.round(self.rounds.len() + 1)?;
            if self.stop_token.reached() == Some(Limit::Interrupt) {
                self.give_up_round(before);
                if !self.rounds.is_empty() {
                    go_on(&self);
                }
                stopped = StopReason::Interrupted;
                break;
            }
            self.close_round(splits, &before, &mut best)?;
            if let Some(limit) = self.stop_token.reached() {
                self.show_whole_rounds(before, &mut go_on);
                stopped = limit.into();
                break;
            }
            let goes_on = go_on(&self);
            if let Some(ended) = self.ended {
                stopped = ended;
            } else if !goes_on && self.rounds.len() < self.params.trees {
                stopped = StopReason::Interrupted;
                break;
            }
        }
        Ok(Trained::new(self, stopped, best.number()))
    }

    /// Grows the trees of round `number`, the next one, without measuring anything or keeping them
    /// for a model; says whether no limit was reached.
    ///
    /// # Errors
    /// If the numbers leave their range.
    pub(crate) fn grow(&mut self, number: usize) -> Result<bool> {
        self.round(number)?;
        self.trees.clear();
        Ok(self.stop_token.reached().is_none())
    }

    /// The trees that a round grows.
    pub(super) fn trees_per_round(&self) -> usize {
        self.loss.outputs() * self.params.ensemble
    }

    /// Whether a limit was reached: the training ends with this round.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.stop_token.reached().is_some()
    }

    /// Describes a round whose trees are grown, and sees whether another one follows.
    fn close_round(
        &mut self,
        splits: usize,
        before: &SavedScores,
        best: &mut BestRound,
    ) -> Result<()> {
        let number = self.rounds.len() + 1;
        let round = self.describe(number, splits);
        if !round.train_loss.is_finite() {
            return Err(diverged(number));
        }
        let out_of_patience = best.add(&round)?;
        self.rounds.push(round);
        if out_of_patience {
            self.ended = Some(StopReason::EarlyStopping);
        } else if splits == 0 && self.is_over(&before.train) {
            self.ended = Some(StopReason::NothingToSplit);
        }
        Ok(())
    }

    /// Without sampling, a round that changes nothing is followed by more of the same.
    fn is_over(&self, before: &[f64]) -> bool {
        let moved = self.train.scores.iter().zip(before).any(|(a, b)| (a - b).abs() > 1e-12);
        !moved && self.params.subsample >= 1.0 && self.params.pattern_sample >= 1.0
    }

    /// Seconds so far, exploration and earlier parts included.
    pub(super) fn seconds(&self) -> f64 {
        self.seconds_before + self.exploration.seconds() + self.started.elapsed().as_secs_f64()
    }

    fn describe(&self, round: usize, splits: usize) -> Round {
        let train = self.train.predictions(&self.loss);
        let valid = (!self.valid.graphs.is_empty())
            .then(|| evaluate(&self.valid.predictions(&self.loss), &self.valid.truth));
        let mean_loss = || self.train.loss(&self.loss);
        let measured = || measure(self.metric, &train, &self.train.truth);
        let (train_loss, train_metric) = if self.train.graphs.len() < 2 * GRAPHS_PER_TASK {
            (mean_loss(), measured())
        } else {
            rayon::join(mean_loss, measured)
        };
        Round {
            round,
            train_loss,
            train_metric,
            valid_loss: valid.is_some().then(|| self.valid.loss(&self.loss)),
            valid: valid.unwrap_or_default(),
            patterns: self.space.patterns(),
            classes: self.space.classes().len(),
            splits,
            seconds: self.seconds(),
        }
    }

    /// One boosting round: a tree for each output of each member. Returns the number of splits.
    fn round(&mut self, number: usize) -> Result<usize> {
        let builder = RoundBuilder {
            params: self.params,
            loss: &self.loss,
            train: &self.train,
            weights: &self.weights,
            unit_weights: self.unit_weights,
            engine: self.exploration.engine(),
            buffers: &self.buffers,
            part: self.part.as_ref().map(|part| &part.fitted[..]),
            stop_token: &self.stop_token,
        };
        let members = self.ensemble.members(&self.train.scores);
        let grown = builder.round(number, &mut *self.space, &members);
        let outputs = self.loss.outputs();
        let mut splits = 0;
        for (i, tree) in grown.into_iter().enumerate() {
            let mut tree = tree.ok_or_else(|| diverged(number))?;
            self.ensemble.add(i / outputs, i % outputs, &mut tree);
            self.add(&tree, i % outputs);
            splits += tree.splits();
            if !self.keeps_leaves {
                tree.leaf_of = Vec::new();
            }
            self.trees.push(tree);
        }
        Ok(splits)
    }

    /// Adds a tree to the scores of the model.
    fn add(&mut self, tree: &GrownTree, output: usize) {
        let outputs = self.loss.outputs();
        tree.add_to(&mut self.train.scores, output, outputs);
        if let Some(part) = &self.part {
            for (i, &position) in part.held_out.iter().enumerate() {
                let leaf = tree.leaf_of[position as usize];
                self.valid.scores[i * outputs + output] += tree.leaf_value(leaf);
            }
            return;
        }
        for (i, &graph) in self.valid.graphs.iter().enumerate() {
            let value = tree.value(|column| self.space.has(graph, column));
            self.valid.scores[i * outputs + output] += value;
        }
    }
}

impl SpacePart {
    /// Where the graphs of a split are among `graphs`, of so many in all.
    fn new(graphs: &[u32], split: GraphSplit<'_>, all: usize) -> SpacePart {
        let mut positions = vec![0; all];
        (0..).zip(graphs).for_each(|(position, &graph)| positions[graph as usize] = position);
        let find = |graphs: &[u32]| graphs.iter().map(|&g| positions[g as usize]).collect();
        let mut fitted: Vec<u32> = find(split.train);
        fitted.sort_unstable();
        SpacePart { fitted, held_out: find(split.valid) }
    }

    /// The weights of the fitted graphs, in their order, among zeros for the others.
    fn scattered(&self, weights: &[f64], graphs: usize) -> Vec<f64> {
        let mut all = vec![0.0; graphs];
        let each = self.fitted.iter().zip(weights);
        each.for_each(|(&position, &weight)| all[position as usize] = weight);
        all
    }
}

/// Held-out graphs with their scores.
#[derive(Clone, Copy, Debug)]
pub(crate) struct HeldOutScores<'b> {
    pub(crate) graphs: &'b [u32],
    pub(crate) scores: &'b [f64],
    /// The scores before the first tree, one for each output.
    pub(crate) init: &'b [f64],
}

/// The largest number of scores, about 3 GB with what is made of them.
const MAX_SCORES: usize = 100_000_000;

/// Refuses more classes than scores can be held for.
fn check_scores(classes: usize, members: usize, graphs: usize) -> Result<()> {
    if classes.saturating_mul(graphs).saturating_mul(members) <= MAX_SCORES {
        return Ok(());
    }
    Err(Error::parameter(
        "loss",
        format!(
            "{classes} classes of {graphs} graphs are more than scores can be held for: are the \
             targets classes, not identifiers?"
        ),
    ))
}

fn diverged(round: usize) -> Error {
    Error::failed(format!(
        "training diverged in round {round}: scores or their loss are no longer finite numbers; \
         scale the targets, lower --learning-rate or raise --l2"
    ))
}

#[cfg(test)]
mod tests {
    use super::{Booster, GraphSplit, SpaceOf, space};
    use crate::demo;
    use crate::mining::Engine;
    use crate::mining::exploration::Exploration;
    use crate::params::FixedParams;

    const ROUNDS: usize = 5;

    /// The scores of held-out graphs in the space of all graphs are those of a training that has
    /// never heard of them, with either engine.
    #[test]
    fn a_part_of_a_space_is_trained_on_as_if_there_were_no_other_graphs() {
        let data = demo::graph_xor();
        let all: Vec<u32> = (0..data.len() as u32).collect();
        let (valid, train): (Vec<u32>, Vec<u32>) = all.iter().partition(|&&g| g % 3 == 1);
        let split = GraphSplit { train: &train, valid: &valid };
        for engine in [Engine::Census, Engine::Bound] {
            for (subsample, ensemble) in [(1.0, 1), (0.6, 1), (0.6, 2)] {
                let params = FixedParams {
                    max_edges: Some(3),
                    trees: ROUNDS,
                    depth: 4,
                    pattern_sample: 1.0,
                    subsample,
                    ensemble,
                    ..FixedParams::default()
                };
                let params = params.check().unwrap();
                let exploration = Exploration::new(&data, params.max_edges, engine);
                let space = space(&exploration, &params, &all);
                let space = SpaceOf { space, graphs: &all };
                let mut part = Booster::on_part(&exploration, &params, split, space).unwrap();
                for round in 1..=ROUNDS {
                    assert!(part.grow(round).unwrap());
                }
                let alone = Booster::new(&exploration, &params, &train, &valid).unwrap();
                let alone = alone.run(|_| true).unwrap().valid_predictions().into_scores();
                assert_eq!(part.held_out().scores, alone, "{engine}, {subsample}, {ensemble}");
                assert!(alone.iter().any(|score| score.abs() > 0.1));
            }
        }
    }
}
