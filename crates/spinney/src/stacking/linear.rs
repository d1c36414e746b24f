//! A linear model beside the trees.
//!
//! Trees find interactions; additive effects (solubility, part by part) cost them many splits, and
//! a whole neighbourhood that few graphs share is never worth one. A linear model of fragments
//! (small patterns with their counts, and neighbourhoods: `mining::fragments`) is good at just
//! these, and errs on other graphs than the trees do. So the score is the sum of both: the trees as
//! they are without it, and the linear model with the weight `linear`, which hold-out
//! [tuning](crate::tuning::hold_out) finds.
//!
//! A linear model is a sum of stumps, trees with one split, which come before all others: patterns,
//! files and explanations are those of any model. It is fitted twice: to all fragments, then to the
//! [`MAX_STUMPS`] with the largest effect.
//!
//! **Invariant.** Trees do not depend on the linear model. The second fit sees patterns where
//! matching finds them, so scores are those that the model will give. The linear model's scores of
//! the training graphs have mean zero.
//!
//! **Cost.** Two fits (`coordinate_descent`), some tenths of a second for thousands of graphs; and
//! the matching of the patterns. Not in the paper.

use std::borrow::Cow;

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::boosting::booster::{GraphSplit, StartingScores};
use crate::boosting::graph_weights::graph_weights;
use crate::boosting::loss::Loss;
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::mining::{Canonizer, DfsCode, Fragments};
use crate::model::matcher::{Dictionary, Matcher, Scratch};
use crate::model::{Link, Model, Node, Pattern, Tree, Truth};
use crate::params::FixedParams;
use crate::stacking::coordinate_descent::{LinearLoss, Rows, Weighted};
use crate::stacking::workspace::LazyFragments;

/// The most stumps.
const MAX_STUMPS: usize = 5_000;

/// Weight of the loss relative to the weights' squares, for two classes of the same size and for
/// numbers of unit variance. Where a class is rare it is less, in proportion to its share.
const LOSS_WEIGHTS: [f64; 2] = [1.0, 8.0];

/// A fragment of `k` graphs has the value 1/√k for classes and 1/√√k for numbers: rare fragments
/// are the surer sign of similarity for classes, while numbers depend on common parts.
const SUPPORT_ROOTS: [u32; 2] = [1, 2];

/// The fragments of the graphs that may be trained on, and of no others.
pub(crate) struct FragmentIndex<'d> {
    graphs: Cow<'d, [Graph]>,
    fragments: Fragments,
    /// By graph of the data, its place among these.
    places: Vec<usize>,
}

impl<'d> FragmentIndex<'d> {
    /// The graphs `train` of `data`.
    pub(crate) fn of(data: &'d Dataset, train: &[u32]) -> FragmentIndex<'d> {
        let all = data.graphs();
        let is_all = train.len() == all.len() && train.is_sorted_by(|a, b| a < b);
        let graphs = match is_all {
            true => Cow::Borrowed(all),
            false => train.iter().map(|&g| all[g as usize].clone()).collect(),
        };
        let mut places = vec![usize::MAX; all.len()];
        train.iter().enumerate().for_each(|(place, &g)| places[g as usize] = place);
        FragmentIndex { fragments: Fragments::of(&graphs), graphs, places }
    }

    /// The fragments of a graph of the data, ascending.
    fn row(&self, graph: u32) -> &[u32] {
        self.fragments.row(self.places[graph as usize])
    }
}

/// What is learnt from: some graphs of a index, with their targets and weights.
#[derive(Clone, Copy)]
pub(crate) struct LinearProblem<'a> {
    pub(crate) index: &'a FragmentIndex<'a>,
    pub(crate) loss: &'a Loss,
    pub(crate) train: &'a [u32],
    pub(crate) weights: &'a [f64],
    pub(crate) seed: u64,
}

/// One stump, for graphs with the pattern.
#[derive(Clone, Debug)]
struct Stump {
    /// Its pattern's number among `codes`.
    code: usize,
    at_least: u32,
    value: f64,
    /// How many training graphs have it.
    support: u32,
}

/// A linear model of some training graphs, with its weight.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinearMember {
    codes: Vec<DfsCode>,
    stumps: Vec<Stump>,
    /// By code, the training graphs that have it, by position.
    found: Vec<Vec<u32>>,
    graphs: usize,
    /// What is added to the score of every graph.
    constant: f64,
    /// The stumps of each graph, training graphs first.
    rows: Vec<Vec<u32>>,
}

/// Whether there are linear models for a loss.
pub(crate) fn applies(loss: &Loss) -> bool {
    loss.outputs() == 1 && loss.link() != Link::Exp
}

/// The linear model that the parameters ask for, fitted to the training graphs of `split`, of which
/// `fragments` are known.
///
/// # Errors
/// If there is no linear model of this loss.
pub(crate) fn member(
    fragments: &LazyFragments<'_>,
    params: &FixedParams,
    loss: &Loss,
    split: GraphSplit<'_>,
) -> Result<Option<LinearMember>> {
    if params.linear <= 0.0 {
        return Ok(None);
    }
    if !applies(loss) {
        let reason =
            "there is a linear model of two classes, or of numbers with squared or huber loss";
        return Err(Error::parameter("linear", reason));
    }
    let data = fragments.data();
    let weights = &graph_weights(data, params, loss, split.train)?[..];
    let index = fragments.get();
    let problem = LinearProblem { index, loss, train: split.train, weights, seed: params.seed };
    Ok(Some(problem.linear(data, split.valid, params.linear)))
}

impl LinearProblem<'_> {
    fn fitting(&self) -> LinearLoss {
        if self.loss.link() == Link::Logistic { LinearLoss::Classes } else { LinearLoss::Numbers }
    }

    /// Targets as they are fitted, and the unit in which: classes −1 and 1, numbers with mean zero
    /// and unit variance.
    fn targets(&self) -> (Vec<f64>, f64) {
        let targets = self.train.iter().map(|&g| self.loss.targets()[g as usize]);
        if self.fitting() == LinearLoss::Classes {
            return (targets.map(|y| 2.0 * y - 1.0).collect(), 1.0);
        }
        let total: f64 = self.weights.iter().sum();
        let mean = targets.clone().zip(self.weights).map(|(y, w)| w * y).sum::<f64>() / total;
        let squares = targets.clone().zip(self.weights).map(|(y, w)| w * (y - mean).powi(2));
        let spread = (squares.sum::<f64>() / total).sqrt();
        let spread = if spread > 0.0 { spread } else { 1.0 };
        (targets.map(|y| (y - mean) / spread).collect(), spread)
    }

    fn fit(&self, rows: &mut Rows) -> Weighted {
        let kind = usize::from(self.fitting() == LinearLoss::Numbers);
        rows.scale(SUPPORT_ROOTS[kind]);
        let mean = self.weights.iter().sum::<f64>() / self.weights.len() as f64;
        let least = f64::MIN_POSITIVE.sqrt();
        let (targets, _) = self.targets();
        let rarity = match self.fitting() {
            LinearLoss::Classes => {
                let above = targets.iter().filter(|&&y| y > 0.0).count();
                2.0 * above.min(targets.len() - above) as f64 / targets.len() as f64
            }
            LinearLoss::Numbers => 1.0,
        };
        let cost = |w: &f64| (LOSS_WEIGHTS[kind] * rarity * w / mean).max(least);
        let costs: Vec<f64> = self.weights.iter().map(cost).collect();
        rows.fit(self.fitting(), &targets, &costs, self.seed)
    }

    /// The fragments that do most in a fit to all of them, ascending.
    fn chosen(&self) -> Vec<u32> {
        let all = self.train.iter().map(|&g| self.index.row(g));
        let known = useful(all.clone(), self.index.fragments.len());
        let mut rows = Rows::new(known.columns.len());
        all.for_each(|row| rows.push(row.iter().filter_map(|&f| known.number(f))));
        let fitted = self.fit(&mut rows);
        let supports = rows.supports();
        let n = self.train.len() as f64;
        let does = |column: usize| {
            let share = f64::from(supports[column]) / n;
            let value = fitted.weights[column] * rows.values[column];
            value.abs() * (share * (1.0 - share)).sqrt()
        };
        let mut order: Vec<(f64, u32)> =
            known.columns.iter().enumerate().map(|(i, &f)| (does(i), f)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        order.truncate(MAX_STUMPS);
        let mut chosen: Vec<u32> = order.into_iter().map(|(_, fragment)| fragment).collect();
        chosen.sort_unstable();
        chosen
    }

    /// The scores of the graphs `held` by a linear model that is not asked for its patterns:
    /// fragments are taken to be where they are believed to be.
    pub(crate) fn scores(&self, held: &[u32]) -> Vec<f64> {
        let mut numbers = vec![u32::MAX; self.index.fragments.len()];
        let chosen = self.chosen();
        (0..).zip(&chosen).for_each(|(i, &fragment)| numbers[fragment as usize] = i);
        let row = |g: u32| -> Vec<u32> {
            let all = self.index.row(g).iter().map(|&f| numbers[f as usize]);
            all.filter(|&number| number != u32::MAX).collect()
        };
        let mut rows = Rows::new(chosen.len());
        self.train.iter().for_each(|&g| rows.push(row(g)));
        let fitted = self.fit(&mut rows);
        let unit = self.targets().1;
        let mean = (0..rows.len()).map(|i| rows.score(rows.row(i), &fitted)).sum::<f64>()
            / rows.len() as f64;
        held.iter().map(|&g| unit * (rows.score(&row(g), &fitted) - mean)).collect()
    }

    /// The linear model with a `weight`, and the stumps of the graphs `valid`, too.
    pub(crate) fn linear(&self, data: &Dataset, valid: &[u32], weight: f64) -> LinearMember {
        let mut canonizer = Canonizer::new();
        let mut numbers: FxHashMap<DfsCode, usize> = FxHashMap::default();
        let mut codes = Vec::new();
        let mut asked = Vec::new();
        for fragment in self.chosen() {
            let FragmentIndex { graphs, fragments, .. } = self.index;
            let decoded = fragments.decode(graphs, fragment, &mut canonizer);
            let Some((code, at_least)) = decoded else { continue };
            let number = *numbers.entry(code).or_insert_with_key(|code| {
                codes.push(code.clone());
                codes.len() - 1
            });
            asked.push((number, at_least));
        }
        asked.sort_unstable();
        asked.dedup();
        let counts = counts(&codes, &asked, data, self.train, valid);
        let (stumps, rows) = self.fitted(&asked, &counts, weight);
        let mut found = vec![Vec::new(); codes.len()];
        for (position, row) in (0..).zip(&counts[..self.train.len()]) {
            row.iter().for_each(|&(code, _)| found[code as usize].push(position));
        }
        let sum = |row: &Vec<u32>| row.iter().map(|&s| stumps[s as usize].value).sum::<f64>();
        let graphs = self.train.len();
        let constant = -rows[..graphs].iter().map(sum).sum::<f64>() / graphs as f64;
        LinearMember { codes, stumps, found, graphs, constant, rows }
    }

    /// The stumps that were `asked` for, as they are fitted, and which graph has which.
    fn fitted(
        &self,
        asked: &[(usize, u32)],
        counts: &[Vec<(u32, u32)>],
        weight: f64,
    ) -> (Vec<Stump>, Vec<Vec<u32>>) {
        let mut first = FxHashMap::default();
        for (i, &(code, _)) in asked.iter().enumerate() {
            first.entry(code).or_insert(i);
        }
        let has = |row: &Vec<(u32, u32)>| {
            let mut has: Vec<u32> = Vec::new();
            for &(code, count) in row {
                let Some(&start) = first.get(&(code as usize)) else { continue };
                let of_code = asked[start..].iter().take_while(|a| a.0 == code as usize);
                let reached = of_code.take_while(|a| a.1 <= count).count();
                has.extend(start as u32..(start + reached) as u32);
            }
            has.sort_unstable();
            has
        };
        let all: Vec<Vec<u32>> = counts.iter().map(has).collect();
        let train = all[..self.train.len()].iter().map(|row| &row[..]);
        let known = useful(train.clone(), asked.len());
        let mut rows = Rows::new(known.columns.len());
        train.for_each(|row| rows.push(row.iter().filter_map(|&a| known.number(a))));
        let fitted = self.fit(&mut rows);
        let unit = self.targets().1;
        let supports = rows.supports();
        let stump = |(i, &column): (usize, &u32)| {
            let (code, at_least) = asked[column as usize];
            let value = weight * unit * fitted.weights[i] * rows.values[i];
            Stump { code, at_least, value, support: supports[i] }
        };
        let stumps = known.columns.iter().enumerate().map(stump).collect();
        let numbered = |row: &Vec<u32>| row.iter().filter_map(|&a| known.number(a)).collect();
        (stumps, all.iter().map(numbered).collect())
    }
}

impl LinearMember {
    /// The scores before the first tree: the linear model's, on top of `init`.
    pub(crate) fn starting_scores(&self, init: f64) -> StartingScores {
        let mut train: Vec<f64> = (0..self.rows.len()).map(|at| self.score(at, init)).collect();
        let valid = train.split_off(self.graphs);
        StartingScores { train, valid }
    }

    /// The score of the training graph or, behind them, the held-out graph at a position, from the
    /// score before.
    fn score(&self, position: usize, before: f64) -> f64 {
        let row = self.rows[position].iter().map(|&stump| self.stumps[stump as usize].value);
        row.fold(before + self.constant, |score, value| score + value)
    }

    /// Puts the stumps before a model's trees.
    pub(crate) fn add_to(&self, model: &mut Model, truth: &Truth) {
        let known = model.patterns.iter().enumerate().map(|(i, p)| (p.code.clone(), i));
        let mut numbers: FxHashMap<DfsCode, usize> = known.collect();
        let used: FxHashSet<usize> = self.stumps.iter().map(|stump| stump.code).collect();
        let classes = model.task.classes().len().max(1);
        let mut number_of = vec![0; self.codes.len()];
        for (i, code) in self.codes.iter().enumerate().filter(|(i, _)| used.contains(i)) {
            number_of[i] = *numbers.entry(code.clone()).or_insert_with(|| {
                let support = crate::boosting::assemble::support(&self.found[i], truth, classes);
                model.patterns.push(Pattern { code: code.clone(), support });
                model.patterns.len() - 1
            });
        }
        let n = self.graphs as f64;
        let tree = |stump: &Stump| {
            let k = f64::from(stump.support);
            let graphs = self.graphs as u32;
            let split = Node::Split {
                pattern: number_of[stump.code],
                at_least: stump.at_least,
                yes: 1,
                no: 2,
                gain: stump.value.powi(2) * k * (n - k) / n,
                cover: graphs,
            };
            let yes = Node::Leaf { value: stump.value, cover: stump.support };
            let no = Node::Leaf { value: 0.0, cover: graphs - stump.support };
            Tree { nodes: vec![split, yes, no] }
        };
        model.trees.splice(0..0, self.stumps.iter().map(tree));
        model.provenance.stumps = self.stumps.len();
        model.provenance.unproven.iter_mut().for_each(|u| u.tree += self.stumps.len());
        model.init[0] += self.constant;
    }
}

/// Columns of which something can be learnt.
struct Known {
    /// Ascending.
    columns: Vec<u32>,
    numbers: Vec<u32>,
}

impl Known {
    fn number(&self, column: u32) -> Option<u32> {
        Some(self.numbers[column as usize]).filter(|&number| number != u32::MAX)
    }
}

/// The columns of some rows, out of so many, that at least two rows have and not all. Equal columns
/// stay: how many there are says how much is alike, and each may be in new graphs without the
/// others.
fn useful<'r>(rows: impl Iterator<Item = &'r [u32]>, columns: usize) -> Known {
    let mut supports = vec![0usize; columns];
    let mut count = 0;
    for row in rows {
        row.iter().for_each(|&column| supports[column as usize] += 1);
        count += 1;
    }
    let mut known = Known { columns: Vec::new(), numbers: vec![u32::MAX; columns] };
    for (column, _) in supports.iter().enumerate().filter(|(_, s)| (2..count).contains(*s)) {
        known.numbers[column] = known.columns.len() as u32;
        known.columns.push(column as u32);
    }
    known
}

/// The patterns of each training graph, then of each held out, with their numbers of occurrences as
/// far as they are asked for.
fn counts(
    codes: &[DfsCode],
    asked: &[(usize, u32)],
    data: &Dataset,
    train: &[u32],
    valid: &[u32],
) -> Vec<Vec<(u32, u32)>> {
    let mut most = vec![1; codes.len()];
    asked.iter().for_each(|&(code, at_least)| most[code] = at_least.max(most[code]));
    let matcher = Matcher::new(codes.iter().zip(most));
    let graphs: Vec<u32> = [train, valid].concat();
    let find = |scratch: &mut Scratch, &g: &u32| {
        let graph = &data.graphs()[g as usize];
        matcher.find(graph, Dictionary::Same, scratch).to_vec()
    };
    graphs.par_iter().map_init(Scratch::default, find).collect()
}
