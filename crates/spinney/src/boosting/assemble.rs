//! From grown trees to a model: patterns numbered by first use, trees flat, everything
//! certified (`certify`).

use rustc_hash::FxHashMap;
use sha2::{Digest, Sha256};

use crate::boosting::certify;
use crate::boosting::loss::Loss;
use crate::boosting::tree_grower::{GrownNode, GrownTree, UnprovenNode};
use crate::dataset::{Dataset, class_key};
use crate::error::{Error, Result};
use crate::labels::Labels;
use crate::mining::dfs_code::DfsCode;
use crate::mining::limits::TrainingLimits;
use crate::model::{Model, Node, Pattern, Provenance, Tree, Truth, Unproven};
use crate::search::space::PatternSpace;

/// What a model is made of.
pub(crate) struct Parts<'a> {
    pub(crate) data: &'a Dataset,
    pub(crate) train: &'a [u32],
    pub(crate) truth: &'a Truth,
    pub(crate) loss: &'a Loss,
    pub(crate) params: serde_json::Map<String, serde_json::Value>,
    pub(crate) init: Vec<f64>,
    pub(crate) trees: &'a [GrownTree],
    /// Why training stopped.
    pub(crate) stopped: &'a str,
    pub(crate) limits: TrainingLimits,
}

impl Parts<'_> {
    pub(crate) fn into_model(self, space: &dyn PatternSpace) -> Result<Model> {
        let Numbered { patterns, engine_ids, trees } = Numbered::new(self.trees);
        let mut model = Model {
            labels: self.data.labels().clone(),
            task: self.loss.task().clone(),
            link: self.loss.link(),
            init: self.init.clone(),
            patterns: patterns
                .into_iter()
                .map(|code| Pattern { code, support: Vec::new() })
                .collect(),
            trees,
            params: self.params.clone(),
            provenance: self.provenance(),
            representation: None,
        };
        self.certify(&mut model, space, &engine_ids)?;
        Ok(model)
    }

    fn provenance(&self) -> Provenance {
        let mut class_counts = vec![0; self.loss.task().classes().len()];
        if let Truth::Classes(classes) = self.truth {
            classes.iter().for_each(|&c| class_counts[c as usize] += 1);
        }
        Provenance {
            program: concat!("spinney ", env!("CARGO_PKG_VERSION")).into(),
            graphs: self.train.len(),
            class_counts,
            data_sha256: digest(self.data, self.train),
            stopped: self.stopped.into(),
            unproven: unproven(self.trees),
            stacked_from: None,
            stumps: 0,
        }
    }

    /// Matches every pattern against every training graph: fills in the supports and compares with
    /// what the engine says.
    fn certify(
        &self,
        model: &mut Model,
        space: &dyn PatternSpace,
        engine_ids: &[u32],
    ) -> Result<()> {
        let codes = model.patterns.iter().map(|p| &p.code);
        let graphs = self.data.graphs();
        let occurrences = certify::occurrences(codes, graphs, self.train, &self.limits)
            .ok_or_else(|| Error::interrupted("interrupted while patterns were certified"))?;
        let classes = self.loss.task().classes().len().max(1);
        let mut position_of = vec![None; self.data.len()];
        (0u32..).zip(self.train).for_each(|(p, &graph)| position_of[graph as usize] = Some(p));
        let believed = space.graphs_with(engine_ids);
        for ((pattern, found), believed) in model.patterns.iter_mut().zip(occurrences).zip(believed)
        {
            let believed = believed.iter().filter_map(|&graph| position_of[graph as usize]);
            if let Some(position) = first_difference(&found, believed) {
                let graph = self.train[position as usize] as usize;
                return Err(misplaced(&pattern.code, &model.labels, &self.data.ids()[graph]));
            }
            pattern.support = support(&found, self.truth, classes);
        }
        Ok(())
    }
}

/// How many of the graphs `train` contain each pattern, by class or in all.
pub(crate) fn supports<'a>(
    codes: impl Iterator<Item = &'a DfsCode>,
    data: &Dataset,
    train: &[u32],
    loss: &Loss,
) -> Vec<Vec<u32>> {
    let truth = loss.truth(train);
    let classes = loss.task().classes().len().max(1);
    let unlimited = TrainingLimits::default();
    let found = certify::occurrences(codes, data.graphs(), train, &unlimited).unwrap_or_default();
    found.iter().map(|found| support(found, &truth, classes)).collect()
}

/// How many of the graphs at these positions are of each class, or how many there are.
pub(crate) fn support(found: &[u32], truth: &Truth, classes: usize) -> Vec<u32> {
    let mut support = vec![0; classes];
    for &position in found {
        let class = match truth {
            Truth::Classes(c) => c[position as usize] as usize,
            Truth::Numbers(_) => 0,
        };
        support[class] += 1;
    }
    support
}

/// Trees written down: patterns by first use, nodes flat.
pub(crate) struct Numbered {
    pub(crate) patterns: Vec<DfsCode>,
    /// What the engine calls the patterns.
    pub(crate) engine_ids: Vec<u32>,
    pub(crate) trees: Vec<Tree>,
}

impl Numbered {
    pub(crate) fn new(grown: &[GrownTree]) -> Numbered {
        let mut numbers: FxHashMap<&DfsCode, usize> = FxHashMap::default();
        let mut patterns: Vec<DfsCode> = Vec::new();
        let mut engine_ids: Vec<u32> = Vec::new();
        let mut trees = Vec::with_capacity(grown.len());
        for tree in grown {
            let nodes = tree.nodes.iter().map(|node| match node {
                GrownNode::Leaf { value, cover } => Node::Leaf { value: *value, cover: *cover },
                GrownNode::Split { simplest, yes, no, gain, cover } => {
                    let pattern = *numbers.entry(&simplest.code).or_insert_with(|| {
                        patterns.push(simplest.code.clone());
                        engine_ids.push(simplest.column.pattern);
                        patterns.len() - 1
                    });
                    let at_least = simplest.column.at_least;
                    Node::Split {
                        pattern,
                        at_least,
                        yes: *yes,
                        no: *no,
                        gain: *gain,
                        cover: *cover,
                    }
                }
            });
            trees.push(Tree { nodes: nodes.collect() });
        }
        Numbered { patterns, engine_ids, trees }
    }
}

/// The nodes whose searches were cut short.
pub(crate) fn unproven(trees: &[GrownTree]) -> Vec<Unproven> {
    let of_tree = |(tree, grown): (usize, &GrownTree)| {
        let gain = |node: usize| match grown.nodes.get(node) {
            Some(GrownNode::Split { gain, .. }) => *gain,
            _ => 0.0,
        };
        let mut nodes = grown.unproven.clone();
        nodes.sort_unstable_by_key(|u| u.node);
        let one = |&UnprovenNode { node, bound }| Unproven { tree, node, gain: gain(node), bound };
        nodes.iter().map(one).collect::<Vec<_>>()
    };
    trees.iter().enumerate().flat_map(of_tree).collect()
}

/// The least number that is in one of two ascending lists only.
fn first_difference(found: &[u32], believed: impl Iterator<Item = u32>) -> Option<u32> {
    let mut rest = found.iter();
    for position in believed {
        match rest.next() {
            Some(&found) if found == position => {}
            Some(&found) => return Some(found.min(position)),
            None => return Some(position),
        }
    }
    rest.next().copied()
}

fn misplaced(code: &DfsCode, labels: &Labels, id: &str) -> Error {
    Error::failed(format!(
        "pattern {} does not occur in graph {id} as training found it: please report this, with \
         the data",
        code.describe(labels)
    ))
}

/// The hash that a model trained on all of `data` keeps of it.
#[must_use]
pub fn data_sha256(data: &Dataset) -> String {
    digest(data, &(0..data.len() as u32).collect::<Vec<_>>())
}

/// SHA-256 over labels, graphs, targets and weights of the training graphs. Numbers count by their
/// value, not as they are written: a program that has them as numbers gets the same.
pub(crate) fn digest(data: &Dataset, train: &[u32]) -> String {
    let mut hash = Sha256::new();
    for names in [&data.labels().vertex, &data.labels().edge] {
        for name in names.names() {
            hash.update(name.as_bytes());
            hash.update([0]);
        }
        hash.update([1]);
    }
    let mut bytes: Vec<u8> = Vec::new();
    for &g in train {
        let graph = &data.graphs()[g as usize];
        bytes.clear();
        let mut put = |x: u32| bytes.extend(x.to_le_bytes());
        put(graph.vertex_count() as u32);
        graph.labels().iter().for_each(|&l| put(l));
        put(graph.edge_count() as u32);
        graph.edges().iter().for_each(|e| [e.u, e.v, e.label].into_iter().for_each(&mut put));
        hash.update(&bytes);
        if let Some(target) = &data.targets()[g as usize] {
            hash.update(class_key(target).as_bytes());
        }
        hash.update([0]);
        if let Some(weights) = data.weights() {
            hash.update(weights[g as usize].to_le_bytes());
        }
    }
    crate::model::envelope::hex(&hash.finalize())
}

#[cfg(test)]
mod tests {
    use super::first_difference;

    #[test]
    fn lists_differ_first_where_one_has_more() {
        let differ = |a: &[u32], b: &[u32]| first_difference(a, b.iter().copied());
        assert_eq!(differ(&[], &[]), None);
        assert_eq!(differ(&[1, 4], &[1, 4]), None);
        assert_eq!(differ(&[1, 4], &[1]), Some(4));
        assert_eq!(differ(&[1], &[1, 4]), Some(4));
        assert_eq!(differ(&[1, 3, 4], &[1, 4]), Some(3));
        assert_eq!(differ(&[4], &[1, 4]), Some(1));
    }
}
