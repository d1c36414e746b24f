//! One prediction explained: the patterns that decided, present and absent, and where they lie.
//!
//! **Invariant.** The contributions and the start sum to the score; the contributions of absent
//! patterns, which lie nowhere in the graph, are kept apart from those of the atoms.
//!
//! **Cost.** Exact Shapley values of one graph; with training data, its patterns and theirs are
//! compared.

mod html;
mod legend;

use serde_json::{Value, json};
use spinney::model::attribution::Shares;
use spinney::model::{Model, Predictions, Task};
use spinney::{Dataset, Error, Result};
use spinney_chem::smarts::pattern_text;

use crate::sample::{Held, Sample};

/// Training examples for each pattern.
const NEAREST: usize = 2;

/// What one pattern did.
#[derive(Clone, Debug, PartialEq)]
pub struct Reason {
    /// The pattern's number in the model.
    pub pattern: usize,
    /// As SMARTS or in words.
    pub text: String,
    /// How often it occurs, as far as any tree asks.
    pub count: u32,
    /// What it adds to the score.
    pub contribution: f64,
}

/// A training graph that holds a pattern.
#[derive(Clone, Debug, PartialEq)]
pub struct Neighbour {
    /// Its place in the training data.
    pub row: usize,
    /// The share of patterns that both hold of those that either holds.
    pub similarity: f64,
}

/// An explained prediction.
#[derive(Clone, Debug)]
pub struct Explanation<'e> {
    model: &'e Model,
    sample: Sample<'e>,
    row: usize,
    output: usize,
    target: Option<String>,
    training: Option<(Sample<'e>, Vec<Held>)>,
    found: Held,
    predictions: Predictions,
    /// What the model says when it knows no pattern.
    pub start: f64,
    /// All patterns with a contribution, the strongest first.
    pub reasons: Vec<Reason>,
    /// What atoms and bonds add.
    pub shares: Shares,
}

impl<'e> Explanation<'e> {
    /// Explains the prediction of graph `row` of `sample`: the score of class `class` if there are
    /// more than two, of the predicted one if it is not named.
    ///
    /// # Errors
    /// If there is no such graph or class.
    pub fn new(
        model: &'e Model,
        sample: Sample<'e>,
        row: usize,
        class: Option<&str>,
    ) -> Result<Self> {
        if row >= sample.data.len() {
            return Err(Error::data(format!(
                "there is no record {}: the data has {}",
                row + 1,
                sample.data.len()
            )));
        }
        let alone = sample.data.subset(&[row]);
        let predictions = model.predict(&alone);
        let output = output(model, &predictions, class)?;
        let found = model.found_patterns(&alone).swap_remove(0);
        let contributions = model.contributions(&alone);
        let shares = model.attribution(&alone, &contributions, 0, sample.copies);
        let labels = model.labels();
        let mut reasons: Vec<Reason> = contributions
            .of(0, output)
            .iter()
            .zip(model.patterns())
            .enumerate()
            .filter(|(_, (value, _))| **value != 0.0)
            .map(|(pattern, (&contribution, own))| Reason {
                pattern,
                text: pattern_text(&own.code, labels),
                count: times(&found, pattern),
                contribution,
            })
            .collect();
        reasons.sort_by(|a, b| {
            b.contribution.abs().total_cmp(&a.contribution.abs()).then(a.pattern.cmp(&b.pattern))
        });
        Ok(Explanation {
            model,
            sample,
            row,
            output,
            target: None,
            training: None,
            found,
            predictions,
            start: contributions.bias[output],
            reasons,
            shares: shares.into_iter().nth(output).unwrap_or_default(),
        })
    }

    /// The same with the name of the target, without which classes named `0` and `1` say little.
    #[must_use]
    pub fn with_target(mut self, target: Option<String>) -> Self {
        self.target = target;
        self
    }

    /// A class as people call it.
    fn class(&self, name: &str) -> String {
        crate::page::class(name, self.target.as_deref())
    }

    /// The same with training data, to show examples from.
    #[must_use]
    pub fn with_training(mut self, training: Sample<'e>) -> Self {
        let found = self.model.found_patterns(training.data);
        self.training = Some((training, found));
        self
    }

    /// The score that is explained.
    #[must_use]
    pub fn score(&self) -> f64 {
        self.predictions.scores(0)[self.output]
    }

    /// The training graphs that hold `pattern` and are most like the one explained, but not it.
    #[must_use]
    pub fn nearest(&self, pattern: usize) -> Vec<Neighbour> {
        let Some((training, found)) = &self.training else { return Vec::new() };
        let own = &self.sample.data.ids()[self.row];
        let holds = |row: &usize| times(&found[*row], pattern) > 0;
        let is_other = |row: &usize| &training.data.ids()[*row] != own || found[*row] != self.found;
        let mut near: Vec<Neighbour> = (0..found.len())
            .filter(|row| holds(row) && is_other(row))
            .map(|row| Neighbour { row, similarity: similarity(&found[row], &self.found) })
            .collect();
        near.sort_by(|a, b| b.similarity.total_cmp(&a.similarity).then(a.row.cmp(&b.row)));
        near.truncate(NEAREST);
        near
    }

    /// What is predicted, in words.
    #[must_use]
    pub fn verdict(&self) -> String {
        let predicted = &self.predictions;
        match self.model.task() {
            Task::Regression => format!("{:.4}", predicted.value(0)),
            task => {
                let class = predicted.class(0).unwrap_or(0);
                format!(
                    "{} ({:.1} %)",
                    self.class(&task.classes()[class]),
                    100.0 * predicted.probabilities(0)[class]
                )
            }
        }
    }

    /// What a score above 0, or a higher one, means.
    fn upwards(&self) -> String {
        match self.model.task() {
            Task::Binary { classes } => self.class(&classes[1]),
            Task::Multiclass { classes } => self.class(&classes[self.output]),
            Task::Regression => "a higher value".into(),
        }
    }

    /// The largest share of an atom or bond, which the strongest colour stands for.
    fn largest(&self) -> f64 {
        let all = self.shares.vertices.iter().chain(&self.shares.edges);
        all.fold(0.0, |most: f64, share| most.max(share.abs()))
    }

    fn coloured(&self) -> Option<String> {
        self.sample.with_shares(self.row, &self.shares, self.largest())
    }

    /// The molecule or graph with its atoms and bonds coloured, and a legend.
    ///
    /// # Errors
    /// If it is too large to be drawn.
    pub fn svg(&self) -> Result<String> {
        let picture = self
            .coloured()
            .ok_or_else(|| Error::data("too large to be drawn: write .html or .json"))?;
        Ok(legend::below(&picture, self.largest(), &self.upwards()))
    }

    /// Everything as JSON.
    #[must_use]
    pub fn json(&self) -> Value {
        let data: &Dataset = self.sample.data;
        let graph = &data.graphs()[self.row];
        let bonds = graph.edges().iter().zip(&self.shares.edges);
        let reason = |r: &Reason| {
            let near = self.nearest(r.pattern);
            json!({
                "pattern": r.text,
                "number": r.pattern,
                "count": r.count,
                "contribution": r.contribution,
                "nearest": self.training.as_ref().map(|(training, _)| near.iter().map(|n| json!({
                    "id": training.data.ids()[n.row],
                    "target": training.data.targets()[n.row],
                    "similarity": n.similarity,
                })).collect::<Vec<_>>()),
            })
        };
        json!({
            "id": data.ids()[self.row],
            "row": self.row + 1,
            "structure": self.sample.text(self.row),
            "prediction": match self.predictions.class(0) {
                Some(class) => json!(self.model.task().classes()[class]),
                None => json!(self.predictions.value(0)),
            },
            "explains": self.upwards(),
            "score": self.score(),
            "start": self.start,
            "patterns": self.reasons.iter().map(reason).collect::<Vec<_>>(),
            "atoms": self.shares.vertices,
            "bonds": bonds.map(|(e, share)| json!([e.u, e.v, share])).collect::<Vec<_>>(),
        })
    }
}

/// The score to explain.
fn output(model: &Model, predictions: &Predictions, class: Option<&str>) -> Result<usize> {
    let classes = model.task().classes();
    match (class, model.task()) {
        (None, Task::Multiclass { .. }) => Ok(predictions.class(0).unwrap_or(0)),
        (None, _) => Ok(0),
        (Some(name), Task::Multiclass { .. }) => {
            classes.iter().position(|c| c == name).ok_or_else(|| {
                Error::parameter(
                    "class",
                    format!("{name:?} is none of the model's classes: {}", classes.join(", ")),
                )
            })
        }
        (Some(_), _) => {
            Err(Error::parameter("class", "the model has a single score: leave out --class"))
        }
    }
}

fn times(found: &[(u32, u32)], pattern: usize) -> u32 {
    found.binary_search_by_key(&(pattern as u32), |f| f.0).map_or(0, |at| found[at].1)
}

/// Tanimoto's: what both hold of what either holds. Both lists ascend.
fn similarity(a: &[(u32, u32)], b: &[(u32, u32)]) -> f64 {
    let both = a.iter().filter(|(p, _)| b.binary_search_by_key(p, |f| f.0).is_ok()).count();
    let either = a.len() + b.len() - both;
    if either == 0 { 1.0 } else { both as f64 / either as f64 }
}
