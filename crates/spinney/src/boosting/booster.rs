//! Gradient boosting (paper, Alg. 1).
//!
//! f = f0; each round computes the residuals, fits a regression tree to them (one an output), and
//! adds `learning_rate` times the tree.
//!
//! An ensemble is so many trainings side by side, each with samples of its own: a round grows a tree
//! of each, counting one part of the whole, so that the model after any round is their mean.
//!
//! **Invariant.** Scores of training graphs are updated by the leaf that the grower put them in,
//! those of validation graphs by asking for the columns; both equal what the finished model
//! predicts, number for number. Before a model is handed out its patterns are looked for in the
//! training graphs by real matching and must occur exactly where training believed.

use std::sync::OnceLock;
use std::time::Instant;

use crate::boosting::assemble;
use crate::boosting::checkpoint::{Checkpoint, Identity};
use crate::boosting::loss::Loss;
use crate::boosting::record::{Record, Round, StopReason};
use crate::boosting::round_builder::{BufferPool, RoundBuilder};
use crate::boosting::scored_set::{GRAPHS_PER_TASK, ScoredSet};
use crate::boosting::tree_grower::GrownTree;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::evaluation::metrics::Metric;
use crate::evaluation::predictions::{evaluate, measure};
use crate::mining::Census;
use crate::mining::exploration::Exploration;
use crate::model::{Model, Predictions, Task};
use crate::params::{ClassWeight, Engine, Params, ValidParams};
use crate::search::space::PatternSpace;
use crate::search::stop::StopToken;
use crate::stacking::linear::{self, Linear};

/// A model and how it came about.
#[derive(Clone, Debug)]
pub struct Fit {
    /// The model.
    pub model: Model,
    /// What training did.
    pub record: Record,
}

/// Trains a model on all graphs of `data`.
///
/// # Errors
/// Bad parameters or targets.
pub fn fit(data: &Dataset, params: &Params) -> Result<Fit> {
    let params = params.clone().check()?;
    let exploration = Exploration::new(data, params.max_edges, Engine::Auto);
    let train: Vec<u32> = (0..data.len() as u32).collect();
    Booster::new(&exploration, &params, &train, &[])?.run(|_| true)?.into_fit()
}

/// One training: some graphs to learn from and some to validate on.
pub struct Booster<'a> {
    exploration: &'a Exploration<'a>,
    params: &'a ValidParams,
    loss: Loss,
    metric: Metric,
    space: Box<dyn PatternSpace + 'a>,
    train: ScoredSet,
    valid: ScoredSet,
    weights: Vec<f64>,
    unit_weights: bool,
    init: Vec<f64>,
    linear: Option<Linear>,
    /// Where trees count otherwise in the model than in training (an ensemble, a temperature), or there is a
    /// linear model beside them: the scores of the training graphs by each training alone; else nothing.
    alone: Vec<Vec<f64>>,
    trees: Vec<GrownTree>,
    rounds: Vec<Round>,
    /// Why no round follows, if none does.
    ended: Option<StopReason>,
    buffers: BufferPool,
    stop_token: StopToken,
    started: Instant,
    /// Seconds of an earlier part of the training.
    before: f64,
    identity: OnceLock<Identity>,
}

/// The best round so far on the validation graphs.
struct Watch {
    metric: Metric,
    patience: Option<usize>,
    best: (usize, f64),
}

impl Watch {
    fn new(metric: Metric, patience: Option<usize>) -> Self {
        Watch { metric, patience, best: (0, f64::NAN) }
    }

    /// Looks at a round; says whether there has been no improvement for too long.
    fn see(&mut self, round: &Round) -> Result<bool> {
        let watched = round.valid.iter().find(|v| v.0 == self.metric).map(|v| v.1);
        let (Some(patience), Some(value)) = (self.patience, watched) else { return Ok(false) };
        if value.is_nan() {
            let reason = format!("{} is not defined on the validation graphs", self.metric);
            return Err(Error::parameter("metric", reason));
        }
        if self.best.0 == 0 || self.metric.is_better(value, self.best.1) {
            self.best = (round.round, value);
        }
        Ok(round.round - self.best.0 >= patience)
    }
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
        Booster::within(exploration, params, (train, valid), None)
    }

    /// The same in a space that was made for the training graphs before, if one is given.
    pub(crate) fn within(
        exploration: &'a Exploration<'a>,
        params: &'a ValidParams,
        (train, valid): (&[u32], &[u32]),
        space: Option<Box<dyn PatternSpace + 'a>>,
    ) -> Result<Self> {
        let started = Instant::now();
        let data = exploration.data();
        if train.is_empty() {
            return Err(Error::data("there are no graphs to train on"));
        }
        if !exploration.covers(params.max_edges) {
            return Err(Error::parameter("max_edges", "more than the exploration covers"));
        }
        let loss = Loss::new(params, data)?;
        let metric = watched_metric(params, &loss)?;
        if params.early_stopping.is_some() && valid.is_empty() {
            return Err(Error::parameter("early_stopping", "needs validation graphs (--valid)"));
        }
        check_scores(loss.outputs(), params.ensemble, train.len() + valid.len())?;
        let weights = weights(data, params, &loss, train)?;
        let init = loss.init(params.init, train, &weights);
        let space = space.unwrap_or_else(|| exploration.space(params, train));
        let unit_weights = weights.iter().all(|&w| w == 1.0);
        let linear = linear::asked_for(data, params, &loss, (train, valid), &weights)?;
        let (mut train, mut valid) =
            (ScoredSet::new(train, &loss, &init), ScoredSet::new(valid, &loss, &init));
        let apart = params.ensemble > 1 || params.temperature != 1.0 || linear.is_some();
        let alone = vec![train.scores.clone(); if apart { params.ensemble } else { 0 }];
        if let Some(linear) = &linear {
            let all = train.scores.iter_mut().chain(&mut valid.scores).enumerate();
            all.for_each(|(position, score)| *score = linear.score(position, *score));
        }
        Ok(Booster {
            exploration,
            params,
            metric,
            space,
            linear,
            alone,
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
            stop_token: StopToken::new(exploration.limits()),
            started,
            before: 0.0,
            identity: OnceLock::new(),
        })
    }

    /// Goes on where a checkpoint of the same training was written.
    ///
    /// # Errors
    /// If it is of other data or parameters, or of more rounds than are asked for.
    pub fn resume(mut self, checkpoint: Checkpoint) -> Result<Self> {
        if checkpoint.rounds() > self.params.trees {
            let (done, asked) = (checkpoint.rounds(), self.params.trees);
            let reason = format!("the checkpoint has {done} rounds already, more than {asked}");
            return Err(Error::parameter("trees", reason));
        }
        let identity = self.identity().clone();
        let expected = self.scores().map(|scores| scores.len());
        let state = checkpoint.into_state(&identity, &mut *self.space, expected)?;
        self.set_scores(state.scores);
        self.before = state.rounds.last().map_or(0.0, |round| round.seconds);
        self.trees = state.trees;
        self.rounds = state.rounds;
        self.ended = state.ended;
        Ok(self)
    }

    /// The training after the rounds so far.
    #[must_use]
    pub fn checkpoint(&self) -> Checkpoint {
        let scores = self.scores();
        Checkpoint::new(self.identity().clone(), self.ended, &self.rounds, &self.trees, &scores)
    }

    fn identity(&self) -> &Identity {
        let data = self.exploration.data();
        let (train, valid) = (&self.train.graphs, &self.valid.graphs);
        self.identity.get_or_init(|| Identity::new(data, self.params, train, valid))
    }

    /// The validation graphs, their scores so far, and the scores before the first tree.
    pub(crate) fn held_out(&self) -> (&[u32], &[f64], &[f64]) {
        (&self.valid.graphs, &self.valid.scores, &self.init)
    }

    /// What a graph with these scores adds to the loss.
    pub(crate) fn weighted_loss(&self, graph: u32, scores: &[f64]) -> f64 {
        let weight = self.exploration.data().weights().map_or(1.0, |w| w[graph as usize]);
        weight * self.loss.value(graph as usize, scores)
    }

    /// How many rounds there will be, if nothing ends the training before.
    pub(crate) fn asked_rounds(&self) -> usize {
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
        let mut watch = Watch::new(self.metric, self.params.early_stopping);
        for round in &self.rounds {
            watch.see(round)?;
        }
        let mut stopped = self.ended.unwrap_or(StopReason::Finished);
        while self.ended.is_none() && self.rounds.len() < self.params.trees {
            let before = self.scores();
            self.next_round(&mut watch)?;
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
        Ok(self.finish(stopped, watch.best.0))
    }

    /// All scores that the next round depends on: of the training graphs, by the ensemble and then by
    /// each training alone, and of the validation graphs.
    fn scores(&self) -> [Vec<f64>; 2] {
        let mut train = self.train.scores.clone();
        self.alone.iter().for_each(|scores| train.extend(scores));
        [train, self.valid.scores.clone()]
    }

    /// Puts back what [`scores`](Self::scores) gave.
    fn set_scores(&mut self, [mut train, valid]: [Vec<f64>; 2]) {
        let each = self.train.scores.len();
        for (i, scores) in self.alone.iter_mut().enumerate() {
            scores.copy_from_slice(&train[(i + 1) * each..(i + 2) * each]);
        }
        train.truncate(each);
        (self.train.scores, self.valid.scores) = (train, valid);
    }

    /// The trees that a round grows.
    fn trees_a_round(&self) -> usize {
        self.loss.outputs() * self.params.ensemble
    }

    /// Shows the training without its last round, which a limit cut short: a checkpoint holds whole
    /// rounds only.
    fn show_whole_rounds(
        &mut self,
        before: [Vec<f64>; 2],
        go_on: &mut impl FnMut(&Booster<'a>) -> bool,
    ) {
        let cut = (self.rounds.pop(), self.ended.take(), self.scores());
        let trees = self.trees.split_off(self.rounds.len() * self.trees_a_round());
        self.set_scores(before);
        if !self.rounds.is_empty() {
            go_on(self);
        }
        self.trees.extend(trees);
        self.rounds.extend(cut.0);
        self.ended = cut.1;
        self.set_scores(cut.2);
    }

    /// Whether a limit was reached: the training ends with this round.
    #[must_use]
    pub fn is_ending(&self) -> bool {
        self.stop_token.reached().is_some()
    }

    fn next_round(&mut self, watch: &mut Watch) -> Result<()> {
        let number = self.rounds.len() + 1;
        let before = self.train.scores.clone();
        let splits = self.round(number)?;
        let round = self.describe(number, splits);
        if !round.train_loss.is_finite() {
            return Err(diverged(number));
        }
        let out_of_patience = watch.see(&round)?;
        self.rounds.push(round);
        if out_of_patience {
            self.ended = Some(StopReason::EarlyStopping);
        } else if splits == 0 && self.is_over(&before) {
            self.ended = Some(StopReason::NothingToSplit);
        }
        Ok(())
    }

    fn finish(mut self, stopped: StopReason, best: usize) -> Trained<'a> {
        let rounds = std::mem::take(&mut self.rounds);
        let keep = if self.params.early_stopping.is_some() { best } else { rounds.len() };
        self.trees.truncate(keep * self.trees_a_round());
        let record = Record {
            engine: self.exploration.engine(),
            edge_sets: self.exploration.census().map(Census::edge_sets),
            space_edge_sets: self.exploration.edge_sets(),
            patterns: self.space.patterns(),
            met_alone: self.space.met_alone(),
            explored_by_edges: by_edges(&*self.space),
            classes: self.space.classes().len(),
            metric: self.metric,
            best_round: keep,
            stopped,
            census_given_up: self.exploration.census_given_up().map(str::to_owned),
            seconds: self.seconds(),
            rounds,
        };
        Trained { booster: self, record }
    }

    /// Without sampling, a round that changes nothing is followed by more of the same.
    fn is_over(&self, before: &[f64]) -> bool {
        let moved = self.train.scores.iter().zip(before).any(|(a, b)| (a - b).abs() > 1e-12);
        !moved && self.params.subsample >= 1.0 && self.params.pattern_sample >= 1.0
    }

    fn seconds(&self) -> f64 {
        self.before + self.exploration.seconds() + self.started.elapsed().as_secs_f64()
    }

    fn describe(&self, round: usize, splits: usize) -> Round {
        let train = self.train.predictions(&self.loss);
        let valid = (!self.valid.graphs.is_empty())
            .then(|| evaluate(&self.valid.predictions(&self.loss), &self.valid.truth));
        let (side, loss, metric) = (&self.train, &self.loss, self.metric);
        let (mean_loss, measured) = (|| side.loss(loss), || measure(metric, &train, &side.truth));
        let (train_loss, train_metric) = if side.graphs.len() < 2 * GRAPHS_PER_TASK {
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

    /// One boosting round: a tree for each output of each training. Returns the number of splits.
    fn round(&mut self, number: usize) -> Result<usize> {
        let builder = RoundBuilder {
            params: self.params,
            loss: &self.loss,
            train: &self.train,
            weights: &self.weights,
            unit_weights: self.unit_weights,
            engine: self.exploration.engine(),
            buffers: &self.buffers,
            stop_token: &self.stop_token,
        };
        let alone = self.alone.iter().map(|scores| &scores[..]);
        let one = self.alone.is_empty().then_some(&self.train.scores[..]);
        let trainings: Vec<&[f64]> = alone.chain(one).collect();
        let grown = builder.round(number, &mut *self.space, &trainings);
        let outputs = self.loss.outputs();
        let mut splits = 0;
        for (i, tree) in grown.into_iter().enumerate() {
            let (training, output) = (i / outputs, i % outputs);
            let mut tree = tree.ok_or_else(|| diverged(number))?;
            if let Some(alone) = self.alone.get_mut(training) {
                add(alone, &tree, (output, outputs));
                tree.scale(1.0 / (self.params.ensemble as f64 * self.params.temperature));
            }
            self.add(&tree, output);
            splits += tree.splits();
            self.trees.push(tree);
        }
        Ok(splits)
    }

    fn add(&mut self, tree: &GrownTree, output: usize) {
        let outputs = self.loss.outputs();
        add(&mut self.train.scores, tree, (output, outputs));
        for (i, &graph) in self.valid.graphs.iter().enumerate() {
            let value = tree.value(|column| self.space.has(graph, column));
            self.valid.scores[i * outputs + output] += value;
        }
    }
}

/// Adds a tree of one output to the scores of the training graphs.
fn add(scores: &mut [f64], tree: &GrownTree, (output, outputs): (usize, usize)) {
    for (position, &leaf) in tree.leaf_of.iter().enumerate() {
        scores[position * outputs + output] += tree.leaf_value(leaf);
    }
}

/// A finished training, not yet a model.
pub struct Trained<'a> {
    booster: Booster<'a>,
    record: Record,
}

/// The explored patterns by number of edges.
fn by_edges(space: &dyn PatternSpace) -> Vec<usize> {
    let mut explored = Vec::new();
    for pattern in 0..space.patterns() as u32 {
        let edges = space.edges(pattern);
        if explored.len() <= edges {
            explored.resize(edges + 1, 0);
        }
        explored[edges] += 1;
    }
    explored
}

impl Trained<'_> {
    /// What training did.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// The record alone, when no model is needed.
    #[must_use]
    pub fn into_record(self) -> Record {
        self.record
    }

    /// The predictions of the validation graphs after the last round.
    #[must_use]
    pub fn valid_predictions(&self) -> Predictions {
        self.booster.valid.predictions(&self.booster.loss)
    }

    /// The leaf of each tree that each training graph was put in: `[tree][position]`; nothing for
    /// trees from a checkpoint. For tests that compare training with prediction.
    #[must_use]
    pub fn leaves(&self) -> Vec<Vec<u32>> {
        self.booster.trees.iter().map(|t| t.leaf_of.clone()).collect()
    }

    /// Writes the trees down as a model and certifies its patterns.
    ///
    /// # Errors
    /// If a pattern is not found exactly where training believed it to be (a collision of 128-bit
    /// names: never seen).
    pub fn into_fit(self) -> Result<Fit> {
        let b = self.booster;
        let params = serde_json::to_value(&**b.params).unwrap_or_default();
        let mut model = assemble::Parts {
            data: b.exploration.data(),
            train: &b.train.graphs,
            truth: &b.train.truth,
            loss: &b.loss,
            params: params.as_object().cloned().unwrap_or_default(),
            init: b.init,
            trees: &b.trees,
            stopped: self.record.stopped.text(),
        }
        .into_model(&*b.space)?;
        if let Some(linear) = &b.linear {
            linear.add_to(&mut model, &b.train.truth);
        }
        Ok(Fit { model, record: self.record })
    }
}

/// The most scores, some 3 GB with what is made of them.
const MOST_SCORES: usize = 100_000_000;

/// Refuses more classes than scores can be held for.
fn check_scores(classes: usize, trainings: usize, graphs: usize) -> Result<()> {
    if classes.saturating_mul(graphs).saturating_mul(trainings) <= MOST_SCORES {
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

fn watched_metric(params: &ValidParams, loss: &Loss) -> Result<Metric> {
    let (fitting, default) = match loss.task() {
        Task::Regression => (Metric::NUMBERS, Metric::Rmse),
        _ => (Metric::CLASSES, Metric::LogLoss),
    };
    let metric = params.metric.unwrap_or(default);
    if fitting.contains(&metric) {
        Ok(metric)
    } else {
        Err(Error::parameter("metric", format!("{metric} does not fit the loss")))
    }
}

/// A weight for each training position: the data's own times that of its class.
pub(crate) fn weights(
    data: &Dataset,
    params: &ValidParams,
    loss: &Loss,
    train: &[u32],
) -> Result<Vec<f64>> {
    let own = |g: u32| data.weights().map_or(1.0, |w| w[g as usize]);
    let mut weights: Vec<f64> = train.iter().map(|&g| own(g)).collect();
    if weights.iter().sum::<f64>() <= 0.0 {
        return Err(Error::data("all training graphs have weight zero"));
    }
    let classes = loss.task().classes().len();
    if classes == 0 {
        return match params.class_weight {
            ClassWeight::None => Ok(weights),
            ClassWeight::Balanced => {
                Err(Error::parameter("class_weight", "balanced needs classes, not numbers"))
            }
        };
    }
    let mut totals = vec![0.0; classes];
    for (&g, w) in train.iter().zip(&weights) {
        totals[loss.targets()[g as usize] as usize] += w;
    }
    if totals.iter().filter(|&&t| t > 0.0).count() < 2 {
        return Err(Error::data("the training graphs are all of one class: nothing to learn"));
    }
    if params.class_weight == ClassWeight::Balanced {
        let all: f64 = totals.iter().sum();
        let present = totals.iter().filter(|&&t| t > 0.0).count() as f64;
        for (&g, w) in train.iter().zip(&mut weights) {
            *w *= all / (present * totals[loss.targets()[g as usize] as usize]);
        }
    }
    Ok(weights)
}
