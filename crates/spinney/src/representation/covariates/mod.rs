//! Numbers beside graphs, split by threshold as graphs are by patterns.
//!
//! Some are given (logP, dose, temperature), some are measured on the graph itself (`measures.rs`):
//! its size, say, or the share of its vertices on cycles, which no pattern can show. Each is cut at
//! quantiles of its values, targets not looked at. For each cut a graph gets a vertex of its own,
//! without edges, that says on which side its value lies: `logp >= 2.3` or `logp < 2.3`, and
//! `logp unknown` where there is no value. A threshold is thus a pattern of one vertex: engines,
//! bounds, samples, model files and explanations treat it like any other pattern.
//!
//! **Invariant.** Every graph gets the same number of these vertices, after its own ones; their
//! names are no labels of the graphs. Cuts ascend, are finite, and each divides the values it was
//! found by.
//!
//! **Cost.** A sort of each covariate; then a search among at most [`MAX_CUTS`] cuts for each
//! value.

mod measures;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use crate::dataset::{Dataset, GraphRecord};
use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::labels::{Label, Labels};
use measures::Measure;

/// The most cuts of one covariate.
pub const MAX_CUTS: usize = 16;

/// The most covariates that a model may name.
const MAX_COLUMNS: usize = 4096;

/// One number of each graph, and where it is cut.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Covariate {
    /// What it is called: the name of a column, or that of a measure.
    pub name: String,
    /// Where it is cut, ascending; a value that equals a cut lies above it.
    pub cuts: Vec<f64>,
    /// Whether it is measured on the graph.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub measured: bool,
}

/// The covariates of graphs. Saved with a model and applied at prediction.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Covariates {
    columns: Vec<Covariate>,
}

impl Covariates {
    /// Cuts covariates that are given: `values[c][i]` is that of graph `i` in the column
    /// `names[c]`, NaN where it is unknown.
    #[must_use]
    pub fn learn(names: &[String], values: &[Vec<f64>]) -> Covariates {
        let of = |(name, values): (&String, &Vec<f64>)| Covariate {
            name: name.clone(),
            cuts: cuts(values.clone()),
            measured: false,
        };
        Covariates { columns: names.iter().zip(values).map(of).collect() }
    }

    /// These, then those measured on the graphs of `data`, each of which is some copies of one
    /// graph.
    #[must_use]
    pub fn with_measures(mut self, data: &Dataset, copies: usize) -> Covariates {
        let measures = Measure::all(data, copies);
        let values = measures::table(data, copies, &measures);
        for (measure, values) in measures.iter().zip(values) {
            let found = Covariate { name: measure.name(), cuts: cuts(values), measured: true };
            let is_new = self.columns.iter().all(|column| column.name != found.name);
            if is_new && !found.cuts.is_empty() {
                self.columns.push(found);
            }
        }
        self
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The covariates, in the order of their vertices.
    #[must_use]
    pub fn columns(&self) -> &[Covariate] {
        &self.columns
    }

    /// The names of those that must be given.
    #[must_use]
    pub fn given(&self) -> Vec<String> {
        let given = self.columns.iter().filter(|column| !column.measured);
        given.map(|column| column.name.clone()).collect()
    }

    /// Whether some are measured.
    #[must_use]
    pub fn measures(&self) -> bool {
        self.columns.iter().any(|column| column.measured)
    }

    /// The number of vertices that every graph gets.
    #[must_use]
    pub fn vertices(&self) -> usize {
        self.columns.iter().map(|column| column.cuts.len()).sum()
    }

    /// Whether they are such as training gives: a stranger's model must not make a graph a million
    /// times as large.
    #[must_use]
    pub fn are_sound(&self) -> bool {
        let sound = |column: &Covariate| {
            column.cuts.len() <= MAX_CUTS
                && column.cuts.iter().all(|cut| cut.is_finite())
                && column.cuts.is_sorted_by(|a, b| a < b)
                && (!column.measured || Measure::called(&column.name).is_some())
        };
        self.columns.len() <= MAX_COLUMNS && self.columns.iter().all(sound)
    }

    /// The graphs of `data`, each some copies of one graph, with vertices for their values; those
    /// given come as in [`learn`](Self::learn).
    ///
    /// # Errors
    /// If there is not one value a graph and covariate, or a graph has a label like that of a cut.
    pub fn apply(&self, data: &Dataset, copies: usize, given: &[Vec<f64>]) -> Result<Dataset> {
        if self.is_empty() {
            return Ok(data.clone());
        }
        let values = self.values(data, copies, given)?;
        let mut labels = data.labels().clone();
        let own = labels.vertex.len();
        let sides: Vec<Sides> = self.columns.iter().map(|c| Sides::new(c, &mut labels)).collect();
        let all = sides.iter().flat_map(Sides::all);
        if let Some(taken) = all.min().filter(|&label| (label as usize) < own) {
            let name = labels.vertex.name(taken);
            return Err(Error::data(format!("{name:?} is a label of graphs and of a covariate")));
        }
        let record = |i: usize| {
            let graph = &data.graphs()[i];
            let mut vertices = graph.labels().to_vec();
            vertices.reserve_exact(self.vertices());
            for (column, (sides, values)) in self.columns.iter().zip(sides.iter().zip(&values)) {
                sides.extend(&mut vertices, column, values[i]);
            }
            GraphRecord {
                graph: Graph::new(vertices, graph.edges().to_vec()),
                id: data.ids()[i].clone(),
                target: data.targets()[i].clone(),
            }
        };
        let records = (0..data.len()).into_par_iter().map(record).collect();
        let joined = Dataset::new(&labels, records);
        match data.weights() {
            Some(weights) => joined.with_weights(weights.to_vec()),
            None => Ok(joined),
        }
    }

    /// The values of all covariates, by column.
    fn values(&self, data: &Dataset, copies: usize, given: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
        let wanted = self.given().len();
        if given.len() != wanted || given.iter().any(|column| column.len() != data.len()) {
            let reason = format!(
                "{wanted} covariates of {} graphs are needed; {} were given, or not for each",
                data.len(),
                given.len()
            );
            return Err(Error::data(reason));
        }
        let called = |column: &Covariate| Measure::called(&column.name).filter(|_| column.measured);
        let measures: Vec<Measure> = self.columns.iter().filter_map(called).collect();
        let mut measured = measures::table(data, copies, &measures).into_iter();
        let mut given = given.iter().cloned();
        let next =
            |column: &Covariate| if column.measured { measured.next() } else { given.next() };
        Ok(self.columns.iter().map(next).map(Option::unwrap_or_default).collect())
    }
}

/// Covariates with their labels as a model numbers them: naming them takes longer than predicting a
/// molecule, and is done once.
#[derive(Debug)]
pub struct NumberedCovariates {
    covariates: Covariates,
    labels: Labels,
    sides: Vec<Sides>,
    names: FxHashSet<String>,
}

impl NumberedCovariates {
    /// Those of a model with these labels.
    #[must_use]
    pub fn new(covariates: &Covariates, labels: &Labels) -> NumberedCovariates {
        let mut named = Labels::default();
        let sides = covariates.columns.iter().map(|c| Sides::new(c, &mut named)).collect();
        let ids = named.vertex.translation(&labels.vertex);
        let numbered = |sides: Sides| sides.numbered(&ids);
        NumberedCovariates {
            covariates: covariates.clone(),
            labels: labels.clone(),
            sides: Vec::into_iter(sides).map(numbered).collect(),
            names: named.vertex.names().iter().cloned().collect(),
        }
    }

    /// As [`Covariates::apply`], with labels as the model numbers them; those that it lacks are
    /// unseen.
    ///
    /// # Errors
    /// As [`Covariates::apply`].
    pub fn apply(&self, data: &Dataset, copies: usize, given: &[Vec<f64>]) -> Result<Dataset> {
        let values = self.covariates.values(data, copies, given)?;
        let own = &data.labels().vertex;
        if let Some(name) = own.names().iter().find(|name| self.names.contains(*name)) {
            return Err(Error::data(format!("{name:?} is a label of graphs and of a covariate")));
        }
        let vertex = own.translation(&self.labels.vertex);
        let edge = data.labels().edge.translation(&self.labels.edge);
        let graph = |i: usize| {
            let graph = data.graphs()[i].relabelled(&vertex, &edge);
            let mut vertices = graph.labels().to_vec();
            let columns = self.covariates.columns.iter().zip(&self.sides);
            for ((column, sides), values) in columns.zip(&values) {
                sides.extend(&mut vertices, column, values[i]);
            }
            Graph::new(vertices, graph.edges().to_vec())
        };
        let graphs = (0..data.len()).into_par_iter().map(graph).collect();
        Ok(data.with_graphs(graphs, &self.labels))
    }
}

/// The covariate and the condition (`>= 2.3`, `< 2.3`, `unknown`) of a vertex's label, if it is one
/// of a threshold.
#[must_use]
pub fn condition(label: &str) -> Option<(&str, &str)> {
    if let Some(name) = label.strip_suffix(" unknown") {
        return Some((name, "unknown"));
    }
    let (rest, number) = label.rsplit_once(' ')?;
    let (name, side) = rest.rsplit_once(' ')?;
    let is_cut = matches!(side, "<" | ">=") && number.parse::<f64>().is_ok();
    is_cut.then(|| (name, &label[name.len() + 1..]))
}

/// The labels of one covariate.
#[derive(Debug)]
struct Sides {
    below: Vec<Label>,
    above: Vec<Label>,
    unknown: Label,
}

impl Sides {
    fn new(column: &Covariate, labels: &mut Labels) -> Sides {
        let name = &column.name;
        let mut of = |side: &str| -> Vec<Label> {
            let named = column.cuts.iter().map(|cut| format!("{name} {side} {cut}"));
            named.map(|name| labels.vertex.intern(&name)).collect()
        };
        let below = of("<");
        let above = of(">=");
        Sides { below, above, unknown: labels.vertex.intern(&format!("{name} unknown")) }
    }

    /// The same labels as `ids` has them.
    fn numbered(self, ids: &[Label]) -> Sides {
        let of = |labels: Vec<Label>| labels.into_iter().map(|l| ids[l as usize]).collect();
        Sides { below: of(self.below), above: of(self.above), unknown: ids[self.unknown as usize] }
    }

    fn all(&self) -> impl Iterator<Item = Label> {
        self.below.iter().chain(&self.above).copied().chain([self.unknown])
    }

    /// Adds a vertex for each cut.
    fn extend(&self, vertices: &mut Vec<Label>, column: &Covariate, value: f64) {
        if value.is_nan() {
            vertices.extend(column.cuts.iter().map(|_| self.unknown));
            return;
        }
        let reached = column.cuts.partition_point(|&cut| cut <= value);
        vertices.extend(&self.above[..reached]);
        vertices.extend(&self.below[reached..]);
    }
}

/// Where to cut: between neighbouring values, at as many equally full places as there may be.
fn cuts(mut values: Vec<f64>) -> Vec<f64> {
    values.retain(|value| value.is_finite());
    values.sort_by(f64::total_cmp);
    let n = values.len();
    let gaps: Vec<usize> = (1..n).filter(|&i| values[i - 1] < values[i]).collect();
    let mut cuts = Vec::new();
    for part in 1..=MAX_CUTS {
        // With few different values, between all of them.
        let gap = if gaps.len() <= MAX_CUTS {
            gaps.get(part - 1).copied()
        } else {
            let at = part * n / (MAX_CUTS + 1);
            let after = gaps.partition_point(|&gap| gap < at);
            gaps.get(after).or(gaps.last()).copied()
        };
        let cut = gap.map(|i| plain_between(values[i - 1], values[i]));
        cuts.extend(cut.filter(|&cut| cuts.last().is_none_or(|&last| cut > last)));
    }
    cuts
}

/// The number above `low` and at most `high` that is written with the fewest digits after the
/// point, near the middle.
fn plain_between(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    let rounded = |digits: i32| {
        let scale = 10f64.powi(digits);
        (middle * scale + 0.5).floor() / scale
    };
    let plain = (0..=15).map(rounded).find(|&cut| low < cut && cut <= high);
    // Zero has no sign: `x >= -0` would be read as another cut than `x >= 0`.
    plain.unwrap_or(high) + 0.0
}

#[cfg(test)]
mod tests {
    use super::{Covariates, MAX_CUTS, condition, cuts, plain_between};

    #[test]
    fn cuts_lie_between_neighbours_and_are_short() {
        assert_eq!(cuts(vec![3.0, 1.0, 1.0, f64::NAN, 2.0]), [2.0, 3.0]);
        assert_eq!(cuts(vec![0.31, 0.38]), [0.35]);
        assert_eq!(cuts(vec![-3.0, -2.0]), [-2.0]);
        assert_eq!(cuts(vec![5.0; 9]), [0.0; 0]);
        assert_eq!(plain_between(-0.4, 0.3).to_string(), "0");
        let low = 1e300;
        let high = f64::from_bits(1e300_f64.to_bits() + 1);
        assert_eq!(plain_between(low, high), high);
        assert_eq!(plain_between(-f64::MAX, f64::MAX), 0.0);
    }

    #[test]
    fn cuts_leave_as_many_values_between_them() {
        let values: Vec<f64> = (0..3300).map(|i| f64::from(i * 7 % 3300) / 8.0).collect();
        let cuts = cuts(values.clone());
        assert_eq!(cuts.len(), MAX_CUTS);
        for pair in cuts.windows(2) {
            let between = values.iter().filter(|v| pair[0] <= **v && **v < pair[1]).count();
            assert!((170..=220).contains(&between), "{between} in {pair:?}");
        }
        // Mostly zero: the others are cut still.
        let mut rare = vec![0.0; 1000];
        rare.extend((1..=50).map(f64::from));
        assert!(super::cuts(rare).contains(&1.0));
    }

    #[test]
    fn labels_tell_their_condition() {
        assert_eq!(condition("log P >= -2.3"), Some(("log P", ">= -2.3")));
        assert_eq!(
            condition("x < 1000000000000000000000"),
            Some(("x", "< 1000000000000000000000"))
        );
        assert_eq!(condition("a < b unknown"), Some(("a < b", "unknown")));
        for other in ["C", "[#6&X3]", "C:r3", "", "x >= y", ">= 2", "x = 3"] {
            assert_eq!(condition(other), None, "{other}");
        }
    }

    #[test]
    fn what_learning_never_gives_is_not_sound() {
        let read = |text: &str| serde_json::from_str::<Covariates>(text).expect("well-formed");
        assert!(read(r#"[{"name": "x", "cuts": [-1, 0.5]}]"#).are_sound());
        assert!(!read(r#"[{"name": "x", "cuts": [1, 0.5]}]"#).are_sound());
        let many: Vec<usize> = (0..=MAX_CUTS).collect();
        assert!(!read(&format!(r#"[{{"name": "x", "cuts": {many:?}}}]"#)).are_sound());
        assert!(!read(r#"[{"name": "x", "cuts": [1], "measured": true}]"#).are_sound());
        assert!(read(r#"[{"name": "size", "cuts": [1], "measured": true}]"#).are_sound());
    }
}
