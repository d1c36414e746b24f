//! gBoost (Saigo, Nowozin, Kadowaki, Kudo and Tsuda 2009): LPBoost over subgraph stumps.
//!
//! A stump asks for one pattern and says ω = ±1 where it occurs and −ω elsewhere. The weights of
//! all stumps over all patterns solve a linear program that maximises a soft margin; ν bounds the
//! share of graphs within it. Columns are generated: each round the program over the stumps so far
//! is solved (`interior`), and the patterns that violate its dual most join (`price`).
//!
//! **Invariant.** [`Learned::gap`] is proven over *all* patterns within `max_edges` and
//! `min_support`: the weights of the graphs with their largest edge bound the optimum from above,
//! the weights of the stumps with their margins from below.
//!
//! **Cost.** A round: a scan of the classes, and some steps of the interior-point method.
//! Deviation: several columns join a round (the authors add one) and the program is solved only as
//! well as the gap deserves, which changes the way but not the optimum.

mod cholesky;
mod interior;
mod model;
mod price;
mod program;

pub use model::{Fit, fit};
pub use program::Stump;

use crate::boosting::Exploration;
use crate::error::{Error, Result};
use crate::evaluation::metrics;
use crate::mining::classes::{ClassId, Columns};
use crate::search::space::{FrontierGroup, PatternSpace};
use crate::search::spaces;
use price::{ColumnRule, Prices, StumpKey, most_violating};
use program::Program;
use rustc_hash::FxHashSet;
use serde::Serialize;

/// The parameters of gBoost.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Params {
    /// Bounds the share of graphs inside the margin; in (0, 1].
    pub nu: f64,
    /// Most edges of a pattern.
    pub max_edges: Option<usize>,
    /// Least number of training graphs that must contain a pattern.
    pub min_support: usize,
    /// How far from the optimum over all patterns the objective may end.
    pub tolerance: f64,
    /// Most rounds of column generation.
    #[serde(skip)]
    pub rounds: usize,
    /// Most stumps that join in a round.
    #[serde(skip)]
    pub columns: usize,
}

impl Default for Params {
    fn default() -> Self {
        Params {
            nu: 0.3,
            max_edges: Some(8),
            min_support: 1,
            tolerance: 5e-3,
            rounds: 1000,
            columns: 32,
        }
    }
}

/// The training graphs' columns and the stumps found so far, which further values of ν start from.
pub struct Machine<'e> {
    space: Box<dyn PatternSpace + 'e>,
    targets: Vec<f64>,
    pool: Vec<PooledStump>,
}

/// A stump of the program, and the class that it asks for.
#[derive(Clone)]
struct PooledStump {
    class: ClassId,
    stump: Stump,
}

/// How far column generation has come.
struct Progress {
    /// No objective exceeds this.
    upper: f64,
    rounds: usize,
}

/// Without these patterns nothing is proven.
const TOO_MANY_EMBEDDINGS: &str = "a pattern has too many embeddings to be extended in memory: \
                                   lower --max-edges or raise --min-support";

/// A stump with its weight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weighted {
    /// The class of patterns that it asks for.
    pub class: ClassId,
    /// ω.
    pub sign: f64,
    /// α > 0; all of them sum up to 1.
    pub alpha: f64,
}

/// What was learned for one ν.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The stumps, in the order in which they joined.
    pub stumps: Vec<Weighted>,
    /// The objective: ρ − Σ ξ_i / (νN).
    pub objective: f64,
    /// No weights of any stumps have an objective larger by more than this.
    pub gap: f64,
    /// Rounds of column generation.
    pub rounds: usize,
}

/// The lightest stumps are left out up to this share of the tolerance in all: leaving out a weight
/// of δ changes no margin by more than 2δ.
const NEGLIGIBLE_SHARE: f64 = 0.25;
/// The program is solved to this share of the gap that is left.
const GAP_SHARE: f64 = 0.1;
/// But never to a smaller gap than this.
const MIN_PRECISION: f64 = 1e-10;

impl<'e> Machine<'e> {
    /// For training graphs `train` with `targets` (+1 or −1, in the order of `train`).
    #[must_use]
    pub fn new(
        exploration: &'e Exploration<'e>,
        params: &Params,
        train: &[u32],
        targets: Vec<f64>,
    ) -> Self {
        let which = Columns {
            max_edges: params.max_edges.unwrap_or(usize::from(u16::MAX)),
            min_support: params.min_support as u32,
            count_levels: 1,
            vertices: false,
            min_class_graphs: 1,
            max_class_graphs: train.len() as u32,
        };
        let space = spaces::of(exploration, &which, spaces::Use::Lists, train);
        Machine { space, targets, pool: Vec::new() }
    }

    /// Solves the program for `params.nu`.
    ///
    /// # Errors
    /// If ν is not between 0 and 1, or there is no pattern at all.
    pub fn solve(&mut self, params: &Params) -> Result<Learned> {
        if !(params.nu > 0.0 && params.nu < 1.0) {
            return Err(Error::parameter("nu", "must lie between 0 and 1"));
        }
        let graphs = self.targets.len() as f64;
        let key = |p: &PooledStump| StumpKey { class: p.class, positive: p.stump.sign > 0.0 };
        let mut known: FxHashSet<StumpKey> = self.pool.iter().map(key).collect();
        let rule = |min_edge: f64| ColumnRule { min_edge, max_columns: params.columns };
        if self.pool.is_empty() {
            let signed = self.targets.clone();
            self.join(&signed, rule(-1.0), &mut known);
        }
        if self.pool.is_empty() {
            return Err(Error::data("there is no pattern to learn from"));
        }
        let mut rounds = 0;
        let mut precision = GAP_SHARE;
        loop {
            let program =
                Program::new(&self.targets, params.nu, self.pool.iter().map(|p| &p.stump));
            let point = program.solve(precision);
            let objective = program.objective(&point.alphas);
            let signed = program.signed(&point.weights);
            let within = program.largest_edge(&signed);
            let beyond = self.join(&signed, rule(objective * graphs), &mut known);
            let upper = within.max(beyond.unwrap_or(0.0)) / graphs;
            let gap = upper - objective;
            rounds += 1;
            let solved = beyond.is_none() && precision <= MIN_PRECISION;
            let is_stuck = self
                .space
                .growing()
                .is_some_and(|space| space.frontier().iter().any(FrontierGroup::is_stuck));
            if is_stuck {
                return Err(Error::failed(TOO_MANY_EMBEDDINGS));
            }
            if gap <= params.tolerance || solved || rounds == params.rounds {
                return Ok(self.finish(params, &point.alphas, &Progress { upper, rounds }));
            }
            // Where nothing joined, the program was not solved well enough.
            let closer = if beyond.is_some() { gap } else { precision };
            precision = (GAP_SHARE * closer).clamp(MIN_PRECISION, GAP_SHARE);
        }
    }

    /// The most violating stumps that are not known join; returns the largest edge among them.
    fn join(
        &mut self,
        signed: &[f64],
        rule: ColumnRule,
        known: &mut FxHashSet<StumpKey>,
    ) -> Option<f64> {
        let prices = Prices { signed, sum: signed.iter().sum(), known };
        let found = most_violating(&mut *self.space, &prices, rule);
        for priced in &found {
            let mut positions = Vec::new();
            self.space.classes().graphs(priced.class).for_each(|p| positions.push(p));
            known.insert(priced.key());
            let sign = if priced.edge > 0.0 { 1.0 } else { -1.0 };
            let stump = Stump { sign, positions };
            self.pool.push(PooledStump { class: priced.class, stump });
        }
        found.first().map(|worst| worst.edge.abs())
    }

    /// Keeps the stumps with weight, and what is proven of them: no objective exceeds `upper`.
    fn finish(&mut self, params: &Params, alphas: &[f64], progress: &Progress) -> Learned {
        let negligible = heaviest_to_leave_out(alphas, NEGLIGIBLE_SHARE * params.tolerance);
        let heavy = self.pool.iter().zip(alphas).filter(|(_, alpha)| **alpha > negligible);
        let (kept, alphas): (Vec<PooledStump>, Vec<f64>) =
            heavy.map(|(pooled, alpha)| (pooled.clone(), alpha)).unzip();
        let sum: f64 = alphas.iter().sum();
        let mut stumps = Vec::with_capacity(kept.len());
        for (PooledStump { class, stump }, alpha) in kept.iter().zip(&alphas) {
            stumps.push(Weighted { class: *class, sign: stump.sign, alpha: alpha / sum });
        }
        let program = Program::new(&self.targets, params.nu, kept.iter().map(|p| &p.stump));
        let objective = program.objective(&alphas);
        self.pool = kept;
        let gap = (progress.upper - objective).max(0.0);
        Learned { stumps, objective, gap, rounds: progress.rounds }
    }

    /// Accuracy and AUC on graphs, by number; `targets` has +1 or −1 for every graph of the data. A
    /// score of 0 is negative.
    pub fn measure(&mut self, learned: &Learned, graphs: &[u32], targets: &[f64]) -> (f64, f64) {
        let scores = self.scores(learned, graphs);
        let positive: Vec<bool> = graphs.iter().map(|&g| targets[g as usize] > 0.0).collect();
        let right = scores.iter().zip(&positive).filter(|(s, p)| (**s > 0.0) == **p).count();
        (right as f64 / graphs.len() as f64, metrics::auc(&positive, &scores))
    }

    /// The scores Σ α ω (2 I − 1) of graphs, by number.
    pub fn scores(&mut self, learned: &Learned, graphs: &[u32]) -> Vec<f64> {
        let mut scores = vec![0.0; graphs.len()];
        for stump in &learned.stumps {
            let column = self.space.simplest(stump.class).column;
            let says = stump.sign * stump.alpha;
            for (score, &graph) in scores.iter_mut().zip(graphs) {
                *score += if self.space.has(graph, column) { says } else { -says };
            }
        }
        scores
    }
}

/// The weight up to which all may be left out without exceeding `budget` in sum.
fn heaviest_to_leave_out(alphas: &[f64], budget: f64) -> f64 {
    let mut sorted = alphas.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let mut sum = 0.0;
    let mut heaviest = 0.0;
    for alpha in sorted {
        sum += alpha;
        if sum > budget {
            break;
        }
        heaviest = alpha;
    }
    heaviest
}
