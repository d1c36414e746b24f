//! The model file: versioned JSON that a person can read.
//!
//! ```json
//! {"format": "spinney-model", "version": 2, "sha256": "…", "model": { … }}
//! ```
//!
//! `sha256` is over the text of `model` as it stands in the file, so any damage is noticed.
//! Loading checks everything that prediction relies on (trees are trees, patterns are patterns,
//! numbers are finite) and executes nothing. Pattern edges are `[from, to, from_label, edge_label,
//! to_label]` with labels as indices into `labels`; a pattern of one vertex has `"vertex": label`.
//!
//! **Invariant.** `save` then `load` gives an equal model; equal models give equal bytes.

use std::fmt::Write as _;
use std::path::Path;

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::envelope::{FileFormat, Sealed, checksum};
use super::tree::PlainTree;
use super::{Link, Model, Pattern, Provenance, StackedFrom, Task, Tree};
use crate::error::{Error, Result};
use crate::labels::{Label, Labels};
use crate::mining::canonical::Canonizer;
use crate::mining::dfs_code::{DfsCode, DfsEdge, MAX_PATTERN_EDGES};

const FORMAT: FileFormat =
    FileFormat { name: "spinney-model", version: 2, oldest: 1, content: "model", what: "model" };

/// Steps to check all patterns of a file: some seconds, a thousand times what models need.
const MAX_CHECK_STEPS: u64 = 1 << 23;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    task: Task,
    link: Link,
    init: Vec<f64>,
    params: serde_json::Map<String, Value>,
    provenance: Provenance,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    representation: Option<Value>,
    labels: WireLabels,
    patterns: Vec<WirePattern>,
    trees: Vec<Tree>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireLabels {
    vertex: Vec<String>,
    edge: Vec<String>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePattern {
    text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    vertex: Option<Label>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    edges: Vec<(u16, u16, Label, Label, Label)>,
    support: Vec<u32>,
}

/// An array, one item a line.
fn lines<'a, T: Sync, W: Serialize>(items: &'a [T], wire: impl Fn(&'a T) -> W + Sync) -> String {
    if items.is_empty() {
        return "[]".to_owned();
    }
    let line = |item| format!("    {}", serde_json::to_string(&wire(item)).unwrap_or_default());
    let lines: Vec<String> = items.par_iter().map(line).collect();
    format!("[\n{}\n  ]", lines.join(",\n"))
}

impl Model {
    /// The model file's text.
    #[must_use]
    pub fn to_json(&self) -> String {
        FORMAT.seal(&self.body())
    }

    /// The checksum in the model file: models are equal if theirs are.
    #[must_use]
    pub fn sha256(&self) -> String {
        checksum(&self.body())
    }

    /// The part under the checksum: one pattern and one tree a line.
    fn body(&self) -> String {
        let head = serde_json::to_value(self.head()).unwrap_or_default();
        let mut text = String::from("{");
        for (i, (key, value)) in head.as_object().into_iter().flatten().enumerate() {
            let comma = if i == 0 { "" } else { "," };
            let _ = write!(text, "{comma}\n  {}: ", serde_json::json!(key));
            match (key.as_str(), value) {
                ("patterns", _) => text += &lines(&self.patterns, |p| self.wire_pattern(p)),
                ("trees", _) => text += &lines(&self.trees, |tree| tree),
                (_, Value::Array(all)) if all.iter().any(Value::is_object) => {
                    text += &lines(all, |value| value);
                }
                _ => {
                    let _ = write!(text, "{value}");
                }
            }
        }
        text += "\n}";
        text
    }

    /// Everything but patterns and trees, which are written one by one.
    fn head(&self) -> Wire {
        Wire {
            task: self.task.clone(),
            link: self.link,
            init: self.init.clone(),
            params: self.params.clone(),
            provenance: self.provenance.clone(),
            representation: self.representation.clone(),
            labels: WireLabels {
                vertex: self.labels.vertex.names().to_vec(),
                edge: self.labels.edge.names().to_vec(),
            },
            patterns: Vec::new(),
            trees: Vec::new(),
        }
    }

    fn wire_pattern(&self, pattern: &Pattern) -> WirePattern {
        WirePattern {
            text: pattern.code.describe(&self.labels),
            vertex: (pattern.code.edge_count() == 0).then_some(pattern.code.root()),
            edges: pattern.code.edges().iter().map(edge_tuple).collect(),
            support: pattern.support.clone(),
        }
    }

    /// Reads the text of a model file.
    ///
    /// # Errors
    /// Says why the text is no intact model.
    pub fn from_json(text: &str) -> std::result::Result<Model, String> {
        if let Some(model) = by_lines(text) {
            return model;
        }
        let body = FORMAT.open(text)?;
        let wire: Wire =
            serde_json::from_str(body).map_err(|e| format!("damaged or wrong model: {e}"))?;
        wire.into_model()
    }

    /// Writes the model file, whole or not at all.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn save(&self, path: &Path) -> Result<()> {
        crate::io::atomic::write_whole(path, |out| out.write_all(self.to_json().as_bytes()))
    }

    /// Reads a model file, gzipped or not.
    ///
    /// # Errors
    /// If it cannot be read or is no intact model.
    pub fn load(path: &Path) -> Result<Model> {
        let bytes = crate::io::source::read_bytes(path)?;
        let text = std::str::from_utf8(&bytes)
            .map_err(|_| Error::file(path, "not a Spinney model: not text"))?;
        Model::from_json(text).map_err(|reason| Error::file(path, reason))
    }
}

/// The model of a text that is laid out as it is written, a pattern and a tree a line: lines are
/// read side by side while the checksum is computed. Of any other text, damaged or not, it says
/// nothing.
fn by_lines(text: &str) -> Option<std::result::Result<Model, String>> {
    let Sealed { sum, body } = FORMAT.unseal(text)?;
    let (head, rest) = body.split_once("\n  \"patterns\": [\n")?;
    let (patterns, rest) = rest.split_once("\n  ],\n  \"trees\": [\n")?;
    let trees = rest.strip_suffix("\n  ]\n}")?;
    // That this is JSON shows that both lists stand where they seem to.
    let head = format!("{head}\n  \"patterns\": [],\n  \"trees\": []\n}}");
    let read = || {
        let mut wire: Wire = serde_json::from_str(&head).ok()?;
        let trees = || items(trees, PlainTree::into_tree);
        let (patterns, trees) = rayon::join(|| items(patterns, Some), trees);
        wire.patterns = patterns?;
        wire.trees = trees?;
        Some(wire.into_model())
    };
    let (found, model) = rayon::join(|| checksum(body), read);
    model.filter(|_| found == sum)
}

/// What `take` makes of the items of a list, of which each has a line.
fn items<T: DeserializeOwned, U: Send>(
    text: &str,
    take: impl Fn(T) -> Option<U> + Sync,
) -> Option<Vec<U>> {
    let mut lines: Vec<&str> = text.split('\n').collect();
    for line in lines.iter_mut().rev().skip(1) {
        *line = line.strip_suffix(',')?;
    }
    lines.par_iter().map(|line| take(serde_json::from_str(line).ok()?)).collect()
}

impl Wire {
    fn into_model(self) -> std::result::Result<Model, String> {
        let labels = Labels {
            vertex: self.labels.vertex.iter().cloned().collect(),
            edge: self.labels.edge.iter().cloned().collect(),
        };
        if labels.vertex.len() != self.labels.vertex.len()
            || labels.edge.len() != self.labels.edge.len()
        {
            return Err("the label dictionary repeats a name".into());
        }
        self.check_scores()?;
        let patterns = patterns(self.patterns, &labels)?;
        for (i, tree) in self.trees.iter().enumerate() {
            tree.check(patterns.len()).map_err(|e| format!("tree {i}: {e}"))?;
        }
        Ok(Model {
            labels,
            task: self.task,
            link: self.link,
            init: self.init,
            patterns,
            trees: self.trees,
            params: self.params,
            provenance: self.provenance,
            representation: self.representation,
        })
    }

    /// Whether task, link, initial scores, trees and provenance fit each other.
    fn check_scores(&self) -> std::result::Result<(), String> {
        let outputs = self.task.outputs();
        if outputs == 0 || self.init.len() != outputs || !self.trees.len().is_multiple_of(outputs) {
            return Err(format!("{outputs} outputs do not fit its scores or trees"));
        }
        if self.init.iter().any(|v| !v.is_finite()) {
            return Err("an initial score is not a finite number".into());
        }
        let link_fits = match self.task {
            Task::Binary { .. } => self.link == Link::Logistic,
            Task::Multiclass { .. } => self.link == Link::Softmax,
            Task::Regression => matches!(self.link, Link::Identity | Link::Exp),
        };
        if !link_fits {
            return Err("its link does not fit its task".into());
        }
        let rounds = self.trees.len().checked_sub(self.provenance.stumps);
        let rounds = rounds.ok_or("it has fewer trees than stumps")?;
        if self.provenance.stumps > 0 && outputs > 1 {
            return Err("it has a linear model, which does not fit its outputs".into());
        }
        if let Some(stacked) = &self.provenance.stacked_from {
            stacked.check(outputs, rounds)?;
        }
        Ok(())
    }
}

/// The patterns of a file, each checked, and no two the same.
fn patterns(all: Vec<WirePattern>, labels: &Labels) -> std::result::Result<Vec<Pattern>, String> {
    let mut canonizer = Canonizer::new();
    let mut steps = MAX_CHECK_STEPS;
    let mut patterns = Vec::with_capacity(all.len());
    let mut seen = rustc_hash::FxHashSet::default();
    for (i, p) in all.into_iter().enumerate() {
        let pattern = p
            .into_pattern(labels, &mut canonizer, &mut steps)
            .map_err(|e| format!("pattern {i}: {e}"))?;
        if !seen.insert(pattern.code.clone()) {
            return Err(format!("pattern {i}: repeats an earlier one"));
        }
        patterns.push(pattern);
    }
    Ok(patterns)
}

impl StackedFrom {
    /// Whether a model with this many outputs and trees can be this sum.
    fn check(&self, outputs: usize, trees: usize) -> std::result::Result<(), String> {
        let mut left = trees;
        for stacked in &self.models {
            left = left
                .checked_sub(stacked.trees)
                .ok_or("it is stacked from more trees than it has")?;
        }
        let finite = self.models.iter().map(|m| m.weight).chain([self.own]).all(f64::is_finite);
        if outputs > 1 || !finite {
            return Err("it is stacked from other models, which does not fit its outputs".into());
        }
        Ok(())
    }
}

impl WirePattern {
    fn into_pattern(
        self,
        labels: &Labels,
        canonizer: &mut Canonizer,
        steps: &mut u64,
    ) -> std::result::Result<Pattern, String> {
        let code = match (self.vertex, self.edges.is_empty()) {
            (Some(label), true) => DfsCode::vertex(label),
            (None, false) => DfsCode::from_edges(self.edges.into_iter().map(edge_of).collect()),
            _ => return Err("must have either edges or one vertex".into()),
        };
        if code.edge_count() > MAX_PATTERN_EDGES {
            return Err(format!("has more than {MAX_PATTERN_EDGES} edges"));
        }
        let known = |label: Label, count: usize| (label as usize) < count;
        let all_known = code.vertex_labels().iter().all(|&l| known(l, labels.vertex.len()))
            && code.edges().iter().all(|e| known(e.edge_label, labels.edge.len()));
        if !all_known {
            return Err("uses a label that the dictionary lacks".into());
        }
        code.check()?;
        match canonizer.is_minimal_within(&code, steps) {
            Some(true) => {}
            Some(false) => return Err("its code is not the smallest of its pattern".into()),
            None => return Err("it is too symmetric to be checked".into()),
        }
        Ok(Pattern { code, support: self.support })
    }
}

pub(crate) fn edge_tuple(e: &DfsEdge) -> (u16, u16, Label, Label, Label) {
    (e.from, e.to, e.from_label, e.edge_label, e.to_label)
}

pub(crate) fn edge_of(
    (from, to, from_label, edge_label, to_label): (u16, u16, Label, Label, Label),
) -> DfsEdge {
    DfsEdge { from, to, from_label, edge_label, to_label }
}
