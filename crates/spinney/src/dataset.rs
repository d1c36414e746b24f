//! Graphs with what is known of them: identifiers, targets, weights, and the label dictionary.
//!
//! Targets are kept as they were written (`"1"`, `"active"`, `"-2.7"`); what they mean (classes or
//! numbers) is decided when a loss is chosen, by [`Dataset::classes`] or [`Dataset::numbers`].
//!
//! **Invariant.** Data sets that are made of one another by other targets or weights share their
//! graphs: a copy costs no graphs.

use std::sync::Arc;

use rayon::prelude::{IntoParallelRefMutIterator, ParallelIterator};

use crate::error::{Error, Result};
use crate::graph::Graph;
use crate::labels::{Labels, natural_order};

/// Graphs over one label dictionary, with optional targets and weights.
#[derive(Clone, Debug, Default)]
pub struct Dataset {
    labels: Labels,
    graphs: Arc<Vec<Graph>>,
    ids: Arc<Vec<String>>,
    targets: Vec<Option<String>>,
    weights: Option<Vec<f64>>,
}

/// One graph with its identifier and its target as written.
#[derive(Clone, Debug, Default)]
pub struct GraphRecord {
    /// The graph.
    pub graph: Graph,
    /// The identifier; need not be unique.
    pub id: String,
    /// The target as written, if there is one.
    pub target: Option<String>,
}

impl Dataset {
    /// A data set of `records` whose labels are indices into `labels`. Ids are renumbered so that
    /// they follow the natural order of the label names.
    #[must_use]
    pub fn new(labels: &Labels, records: Vec<GraphRecord>) -> Self {
        let sorted = Labels { vertex: labels.vertex.sorted(), edge: labels.edge.sorted() };
        let mut graphs = Vec::with_capacity(records.len());
        let mut ids = Vec::with_capacity(records.len());
        let mut targets = Vec::with_capacity(records.len());
        for record in records {
            graphs.push(record.graph);
            ids.push(record.id);
            targets.push(record.target);
        }
        if sorted != *labels {
            let vertex = labels.vertex.translation(&sorted.vertex);
            let edge = labels.edge.translation(&sorted.edge);
            graphs.par_iter_mut().for_each(|g| g.relabel(&vertex, &edge));
        }
        Dataset {
            labels: sorted,
            graphs: Arc::new(graphs),
            ids: Arc::new(ids),
            targets,
            weights: None,
        }
    }

    /// The same data with other graphs, whose labels are numbered as in `labels`.
    pub(crate) fn with_graphs(&self, graphs: Vec<Graph>, labels: &Labels) -> Dataset {
        Dataset {
            labels: labels.clone(),
            graphs: Arc::new(graphs),
            ids: Arc::clone(&self.ids),
            targets: self.targets.clone(),
            weights: self.weights.clone(),
        }
    }

    /// The same data with labels expressed in another dictionary, a model's for example. Labels
    /// that it lacks become [`UNSEEN`](crate::labels::UNSEEN).
    #[must_use]
    pub fn relabelled(&self, labels: &Labels) -> Dataset {
        let vertex = self.labels.vertex.translation(&labels.vertex);
        let edge = self.labels.edge.translation(&labels.edge);
        let graphs = self.graphs.iter().map(|g| g.relabelled(&vertex, &edge)).collect();
        Dataset {
            labels: labels.clone(),
            graphs: Arc::new(graphs),
            ids: Arc::clone(&self.ids),
            targets: self.targets.clone(),
            weights: self.weights.clone(),
        }
    }

    /// The records at `indices`, in that order.
    #[must_use]
    pub fn subset(&self, indices: &[usize]) -> Dataset {
        Dataset {
            labels: self.labels.clone(),
            graphs: Arc::new(indices.iter().map(|&i| self.graphs[i].clone()).collect()),
            ids: Arc::new(indices.iter().map(|&i| self.ids[i].clone()).collect()),
            targets: indices.iter().map(|&i| self.targets[i].clone()).collect(),
            weights: self.weights.as_ref().map(|w| indices.iter().map(|&i| w[i]).collect()),
        }
    }

    /// This data followed by `other`, over a common dictionary.
    ///
    /// # Errors
    /// If only one of the two has weights.
    pub fn concatenated(&self, other: &Dataset) -> Result<Dataset> {
        let mut labels = self.labels.clone();
        for name in other.labels.vertex.names() {
            labels.vertex.intern(name);
        }
        for name in other.labels.edge.names() {
            labels.edge.intern(name);
        }
        let labels = Labels { vertex: labels.vertex.sorted(), edge: labels.edge.sorted() };
        let mut all = self.relabelled(&labels);
        let other = other.relabelled(&labels);
        all.weights = match (all.weights, other.weights) {
            (None, None) => None,
            (Some(a), Some(b)) => Some([a, b].concat()),
            _ => return Err(Error::data("only one of two data sets to be joined has weights")),
        };
        Arc::make_mut(&mut all.graphs).extend(Arc::unwrap_or_clone(other.graphs));
        Arc::make_mut(&mut all.ids).extend(other.ids.iter().cloned());
        all.targets.extend(other.targets);
        Ok(all)
    }

    /// The same data with other targets, one a graph.
    ///
    /// # Errors
    /// If there is not one target a graph.
    pub fn with_targets(mut self, targets: Vec<Option<String>>) -> Result<Dataset> {
        if targets.len() != self.len() {
            let given = targets.len();
            let graphs = self.len();
            return Err(Error::data(format!("{given} targets for {graphs} graphs")));
        }
        self.targets = targets;
        Ok(self)
    }

    /// The same data with a weight for each graph.
    ///
    /// # Errors
    /// If there is not one weight a graph, or a weight is negative or not finite, or all are zero.
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Dataset> {
        if weights.len() != self.len() {
            return Err(Error::data(format!(
                "{} weights for {} graphs",
                weights.len(),
                self.len()
            )));
        }
        if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(Error::data(format!(
                "weight {} of graph {}: weights must be finite and not negative",
                weights[i], self.ids[i]
            )));
        }
        if !weights.is_empty() && weights.iter().all(|&w| w == 0.0) {
            return Err(Error::data("all weights are zero"));
        }
        // Sums of weighted residuals must stay numbers.
        if weights.iter().sum::<f64>() > 1e300 {
            return Err(Error::data("the weights add up to more than 1e300: scale them down"));
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The number of graphs.
    #[must_use]
    pub fn len(&self) -> usize {
        self.graphs.len()
    }

    /// Whether there is no graph.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.graphs.is_empty()
    }

    /// The label dictionary.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.labels
    }

    /// The graphs.
    #[must_use]
    pub fn graphs(&self) -> &[Graph] {
        &self.graphs
    }

    /// The identifiers, one a graph.
    #[must_use]
    pub fn ids(&self) -> &[String] {
        &self.ids
    }

    /// The targets as written, one a graph.
    #[must_use]
    pub fn targets(&self) -> &[Option<String>] {
        &self.targets
    }

    /// The sample weights, if there are any.
    #[must_use]
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// Whether every graph has a target.
    #[must_use]
    pub fn has_targets(&self) -> bool {
        !self.is_empty() && self.targets.iter().all(Option::is_some)
    }

    /// The graphs that have a target, ascending.
    #[must_use]
    pub fn with_target(&self) -> Vec<u32> {
        (0..self.len() as u32).filter(|&i| self.targets[i as usize].is_some()).collect()
    }

    /// Each graph's target, as written.
    ///
    /// # Errors
    /// Names the first graph without a target.
    pub fn written_targets(&self) -> Result<Vec<&str>> {
        let targets = self.targets.iter().enumerate();
        targets.map(|(i, t)| t.as_deref().ok_or_else(|| self.no_target(i))).collect()
    }

    /// Checks that some graphs have targets.
    ///
    /// # Errors
    /// Names the first graph without a target.
    pub fn require_targets(&self, graphs: &[u32]) -> Result<()> {
        let mut graphs = graphs.iter().map(|&g| g as usize);
        graphs.find(|&i| self.targets[i].is_none()).map_or(Ok(()), |i| Err(self.no_target(i)))
    }

    /// The targets there are, with their graphs.
    fn known_targets(&self) -> impl Iterator<Item = (usize, &str)> {
        let targets = self.targets.iter().enumerate();
        targets.filter_map(|(i, target)| Some((i, target.as_deref()?)))
    }

    fn no_target(&self, i: usize) -> Error {
        Error::data(format!(
            "graph {} (number {} of {}) has no target: give it one (`t # id target` in gSpan \
             text, a graph-labels file in a TUDataset), or leave it out",
            self.ids[i],
            i + 1,
            self.len()
        ))
    }

    /// The distinct targets in natural order. Numbers that are equal (`1` and `1.0`) are one class,
    /// named as first written. Graphs without a target do not count.
    ///
    /// # Errors
    /// No target at all, or one that is not a number among numbers (`nan`).
    pub fn class_names(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> = Vec::new();
        let mut seen = std::collections::BTreeMap::new();
        for (i, target) in self.known_targets() {
            if target.parse::<f64>().is_ok_and(|v| !v.is_finite()) {
                return Err(self.not_finite(i, target));
            }
            seen.entry(class_key(target)).or_insert_with(|| {
                names.push(target.to_owned());
            });
        }
        if names.is_empty() && !self.is_empty() {
            return Err(self.no_target(0));
        }
        names.sort_by(|a, b| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(x), Ok(y)) => x.total_cmp(&y),
            _ => natural_order(a, b),
        });
        Ok(names)
    }

    /// Each graph's class, as an index into `names`.
    ///
    /// # Errors
    /// A missing target, or one that is not among `names`.
    pub fn classes(&self, names: &[String]) -> Result<Vec<u32>> {
        self.written_targets()?;
        Ok(self.classes_if_known(names)?.into_iter().flatten().collect())
    }

    /// The same, with nothing for a graph without a target.
    ///
    /// # Errors
    /// A target that is not among `names`.
    pub fn classes_if_known(&self, names: &[String]) -> Result<Vec<Option<u32>>> {
        let keys: std::collections::HashMap<String, u32> =
            names.iter().map(|n| class_key(n)).zip(0..).collect();
        let mut classes = vec![None; self.len()];
        for (i, target) in self.known_targets() {
            let class = keys.get(&class_key(target)).copied();
            classes[i] = Some(class.ok_or_else(|| {
                Error::data(format!(
                    "graph {} has target {target:?}, which is none of the classes {}",
                    self.ids[i],
                    names.join(", ")
                ))
            })?);
        }
        Ok(classes)
    }

    /// Each graph's target as a number.
    ///
    /// # Errors
    /// A target that is missing, not a number, or not finite.
    pub fn numbers(&self) -> Result<Vec<f64>> {
        self.written_targets()?;
        Ok(self.numbers_if_known()?.into_iter().flatten().collect())
    }

    /// The same, with nothing for a graph without a target.
    ///
    /// # Errors
    /// A target that is not a number, or not finite.
    pub fn numbers_if_known(&self) -> Result<Vec<Option<f64>>> {
        let mut numbers = vec![None; self.len()];
        for (i, target) in self.known_targets() {
            numbers[i] = Some(match target.parse::<f64>() {
                Ok(v) if v.is_finite() => v,
                Ok(_) => return Err(self.not_finite(i, target)),
                Err(_) => {
                    return Err(Error::data(format!(
                        "graph {} has target {target:?}, which is not a number",
                        self.ids[i]
                    )));
                }
            });
        }
        Ok(numbers)
    }

    fn not_finite(&self, i: usize, target: &str) -> Error {
        Error::data(format!(
            "graph {} has target {target:?}: targets must be finite numbers",
            self.ids[i]
        ))
    }
}

/// Equal for targets that name the same class: `1`, `+1` and `1.0` do.
pub(crate) fn class_key(target: &str) -> String {
    target.parse::<f64>().map_or_else(|_| target.to_owned(), |v| format!("{}", v + 0.0))
}

#[cfg(test)]
mod tests {
    use super::{Dataset, GraphRecord};
    use crate::graph::GraphBuilder;
    use crate::labels::{Labels, UNSEEN};

    fn one_vertex(labels: &mut Labels, name: &str, target: Option<&str>) -> GraphRecord {
        let mut b = GraphBuilder::new();
        b.add_vertex(labels.vertex.intern(name));
        GraphRecord { graph: b.build(), id: name.into(), target: target.map(Into::into) }
    }

    #[test]
    fn labels_follow_natural_order_whatever_the_reading_order() {
        let mut labels = Labels::default();
        let records = ["N", "7", "C"].map(|name| one_vertex(&mut labels, name, Some("1"))).into();
        let data = Dataset::new(&labels, records);
        assert_eq!(data.labels().vertex.names(), ["7", "C", "N"]);
        let ids: Vec<u32> = data.graphs().iter().map(|g| g.label(0)).collect();
        assert_eq!(ids, [2, 0, 1]);
    }

    #[test]
    fn targets_mean_what_they_say() {
        let mut labels = Labels::default();
        let records =
            ["1.0", "-1", "+1", "10", "9"].map(|t| one_vertex(&mut labels, "a", Some(t))).into();
        let data = Dataset::new(&labels, records);
        let names = data.class_names().unwrap();
        assert_eq!(names, ["-1", "1.0", "9", "10"]);
        assert_eq!(data.classes(&names).unwrap(), [1, 0, 1, 3, 2]);
        assert_eq!(data.numbers().unwrap(), [1.0, -1.0, 1.0, 10.0, 9.0]);
    }

    #[test]
    fn bad_targets_are_named() {
        let mut labels = Labels::default();
        let a = one_vertex(&mut labels, "a", Some("nan"));
        let b = one_vertex(&mut labels, "b", None);
        let nan = Dataset::new(&labels, vec![a]);
        assert!(nan.numbers().unwrap_err().to_string().contains("finite"));
        assert!(nan.class_names().unwrap_err().to_string().contains("finite"));
        let missing = Dataset::new(&labels, vec![b]);
        assert!(missing.numbers().unwrap_err().to_string().contains("no target"));
    }

    #[test]
    fn joining_unites_the_dictionaries() {
        let mut l1 = Labels::default();
        let mut l2 = Labels::default();
        let a = Dataset::new(&l1.clone(), vec![]);
        assert!(a.is_empty());
        let a = one_vertex(&mut l1, "b", None);
        let b = one_vertex(&mut l2, "a", None);
        let joined = Dataset::new(&l1, vec![a]).concatenated(&Dataset::new(&l2, vec![b])).unwrap();
        assert_eq!(joined.labels().vertex.names(), ["a", "b"]);
        assert_eq!(joined.graphs()[0].label(0), 1);
        let model_side = joined.relabelled(&l2);
        assert_eq!(model_side.graphs()[0].label(0), UNSEEN);
        assert_eq!(model_side.graphs()[1].label(0), 0);
    }
}
