//! Views: several ways to label the vertices of a graph, side by side.
//!
//! A view says what makes two vertices the same. With several views a graph becomes one with a copy
//! of itself, a component of its own, for each view; molecules have views of their own
//! (`spinney-chem`), this is for graphs whose labels are given. A vertex that knows its degree lets
//! a pattern say "and nothing else is attached here", which a subgraph alone cannot.
//!
//! **Invariant.** Names of labels of different views never coincide, so no pattern mixes views. The
//! name in the view of given labels is the given name, unless that ends like a name of another
//! view: then a colon follows it. Applying a view needs no other graph, so that it can be done for
//! one to be predicted.
//!
//! **Cost.** One pass to find bridges, and a copy for each view.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::dataset::{Dataset, GraphRecord};
use crate::graph::{Copies, Edge, Graph};
use crate::labels::{Label, Labels};
use crate::model::Model;
use crate::params::Preset;
use crate::representation::Representation;
use crate::representation::covariates::Covariates;

/// What makes vertices the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum VertexView {
    /// The given label.
    #[serde(rename = "label")]
    Label,
    /// The given label, the number of edges, and whether one of them lies on a cycle.
    #[serde(rename = "label+degree+ring")]
    Surroundings,
}

impl std::str::FromStr for VertexView {
    type Err = String;

    fn from_str(s: &str) -> Result<Self, String> {
        match s {
            "label" => Ok(VertexView::Label),
            "label+degree+ring" => Ok(VertexView::Surroundings),
            _ => Err(format!("{s:?} is no view of vertices: label, label+degree+ring")),
        }
    }
}

/// How graphs were made from those that were given. Saved with a model and applied at prediction.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Views {
    /// The views; each is a component of its own.
    pub vertices: Vec<VertexView>,
    /// Numbers beside the graphs.
    #[serde(default, skip_serializing_if = "Covariates::is_empty")]
    pub covariates: Covariates,
}

impl Default for Views {
    fn default() -> Self {
        Views { vertices: vec![VertexView::Label], covariates: Covariates::default() }
    }
}

impl Views {
    /// What works best: labels as they are, and with what surrounds them.
    #[must_use]
    pub fn both() -> Self {
        let vertices = vec![VertexView::Label, VertexView::Surroundings];
        Views { vertices, ..Views::default() }
    }

    /// The views that a preset represents graphs by.
    #[must_use]
    pub fn of_preset(preset: Preset) -> Views {
        match preset {
            Preset::Default => Views::both(),
            Preset::Paper => Views::default(),
        }
    }

    /// The views kept in a model; those of molecules are not understood here, and give nothing, nor
    /// do views that repeat: a stranger's model must not make a graph a million times as large.
    #[must_use]
    pub fn of_model(model: &Model) -> Option<Views> {
        let Some(kept) = model.representation() else { return Some(Views::default()) };
        let views: Views = serde_json::from_value(kept.clone()).ok()?;
        let all = &views.vertices;
        let repeats = (1..all.len()).any(|i| all[..i].contains(&all[i]));
        (!all.is_empty() && !repeats && views.covariates.are_sound()).then_some(views)
    }

    /// The number of copies of a graph.
    #[must_use]
    pub fn count(&self) -> usize {
        self.vertices.len().max(1)
    }

    /// What of a graph, covariates included, is copies of the one given.
    #[must_use]
    pub fn copies(&self) -> Copies {
        Copies { count: self.count(), apart: self.covariates.vertices() }
    }

    /// The graphs of `data` in these views, without covariates.
    #[must_use]
    pub fn viewed(&self, data: &Dataset) -> Dataset {
        if self.vertices == Views::default().vertices {
            return data.clone();
        }
        let mut labels = Labels { edge: data.labels().edge.clone(), ..Labels::default() };
        let graphs = data.graphs().iter().map(|g| self.graph(g, data.labels(), &mut labels));
        let record = |(i, graph): (usize, Graph)| GraphRecord {
            graph,
            id: data.ids()[i].clone(),
            target: data.targets()[i].clone(),
        };
        let records = graphs.enumerate().map(record).collect();
        let viewed = Dataset::new(&labels, records);
        match data.weights() {
            Some(weights) => viewed.with_weights(weights.to_vec()).unwrap_or_default(),
            None => viewed,
        }
    }

    fn graph(&self, graph: &Graph, given: &Labels, labels: &mut Labels) -> Graph {
        let n = graph.vertex_count() as u32;
        let views = self.count();
        let mut vertices: Vec<Label> = Vec::with_capacity(views * graph.vertex_count());
        let mut edges = Vec::with_capacity(views * graph.edge_count());
        let cyclic = graph.on_cycles();
        for (copy, view) in (0u32..).zip(&self.vertices) {
            for (v, &label) in graph.labels().iter().enumerate() {
                let name = given.vertex.name(label);
                let name = match view {
                    VertexView::Label => plain(name),
                    VertexView::Surroundings => {
                        let mark = if cyclic[v] { 'r' } else { 'd' };
                        format!("{name}:{mark}{}", graph.neighbors(v as u32).len())
                    }
                };
                vertices.push(labels.vertex.intern(&name));
            }
            let start = copy * n;
            edges.extend(graph.edges().iter().map(|e| Edge {
                u: start + e.u,
                v: start + e.v,
                label: e.label,
            }));
        }
        Graph::new(vertices, edges)
    }
}

impl Representation for Views {
    fn views<'d>(&self, data: &'d Dataset) -> Cow<'d, Dataset> {
        match self.vertices == Views::default().vertices {
            true => Cow::Borrowed(data),
            false => Cow::Owned(self.viewed(data)),
        }
    }

    fn copies(&self) -> usize {
        self.count()
    }

    fn covariates(&self) -> &Covariates {
        &self.covariates
    }

    fn set_covariates(&mut self, covariates: Covariates) {
        self.covariates = covariates;
    }

    fn to_json(&self) -> Option<serde_json::Value> {
        (*self != Views::default()).then(|| serde_json::json!(self))
    }
}

/// A given name, marked if it could be taken for one of another view.
fn plain(name: &str) -> String {
    let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
    let ends_alike =
        digits.len() < name.len() && (digits.ends_with(":r") || digits.ends_with(":d"));
    if ends_alike || name.ends_with(':') { format!("{name}:") } else { name.to_owned() }
}
