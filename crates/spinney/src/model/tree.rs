//! One regression tree of a model (paper, Alg. 2), as a flat list of nodes.
//!
//! **Invariant.** Node 0 is the root, children come after their parents, and every node but the
//! root is the child of exactly one other: a walk from the root ends after at most `len` steps.

use serde::{Deserialize, Deserializer, Serialize};

/// A tree in a file that is deeper is refused: training makes none, and walks may recurse.
const MAX_DEPTH: usize = 64;

/// A node of a tree.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum Node {
    /// Asks whether a pattern occurs often enough.
    Split {
        /// The pattern's number in the model.
        pattern: usize,
        /// How often it must occur.
        at_least: u32,
        /// The child for graphs that have it.
        yes: usize,
        /// The child for graphs that do not.
        no: usize,
        /// What the split gained in training.
        gain: f64,
        /// How many training graphs came here.
        cover: u32,
    },
    /// Adds to the score.
    Leaf {
        /// What it adds (the learning rate is included).
        value: f64,
        /// How many training graphs came here.
        cover: u32,
    },
}

impl Node {
    /// How many training graphs came here.
    #[must_use]
    pub fn cover(&self) -> u32 {
        match self {
            Node::Split { cover, .. } | Node::Leaf { cover, .. } => *cover,
        }
    }
}

/// A tree as it stands in a file, read faster: what kind a node is of is asked when its keys are
/// known, and until then it is no untyped value. It takes nothing that [`Tree`] refuses.
#[derive(Deserialize)]
pub(super) struct PlainTree {
    nodes: Vec<PlainNode>,
}

/// A node with the keys of a split or those of a leaf.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainNode {
    #[serde(default, deserialize_with = "given")]
    pattern: Option<usize>,
    #[serde(default, deserialize_with = "given")]
    at_least: Option<u32>,
    #[serde(default, deserialize_with = "given")]
    yes: Option<usize>,
    #[serde(default, deserialize_with = "given")]
    no: Option<usize>,
    #[serde(default, deserialize_with = "given")]
    gain: Option<f64>,
    #[serde(default, deserialize_with = "given")]
    value: Option<f64>,
    cover: u32,
}

/// A value that may be left out but not be null.
fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(from: D) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

impl PlainTree {
    /// The tree, if each node is either a split or a leaf.
    pub(super) fn into_tree(self) -> Option<Tree> {
        let nodes = self.nodes.into_iter().map(PlainNode::into_node).collect::<Option<_>>()?;
        Some(Tree { nodes })
    }
}

impl PlainNode {
    fn into_node(self) -> Option<Node> {
        let PlainNode { pattern, at_least, yes, no, gain, value, cover } = self;
        match (pattern, at_least, yes, no, gain, value) {
            (Some(pattern), Some(at_least), Some(yes), Some(no), Some(gain), None) => {
                Some(Node::Split { pattern, at_least, yes, no, gain, cover })
            }
            (None, None, None, None, None, Some(value)) => Some(Node::Leaf { value, cover }),
            _ => None,
        }
    }
}

/// A regression tree.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tree {
    pub(crate) nodes: Vec<Node>,
}

impl Tree {
    /// The nodes; the root first.
    #[must_use]
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// The leaf that a graph reaches, where `count(pattern)` is how often a pattern occurs in it.
    pub fn leaf(&self, count: impl Fn(usize) -> u32) -> usize {
        let mut at = 0;
        while let Some(Node::Split { pattern, at_least, yes, no, .. }) = self.nodes.get(at) {
            at = if count(*pattern) >= *at_least { *yes } else { *no };
        }
        at
    }

    /// What a leaf adds to the score.
    #[must_use]
    pub fn value(&self, leaf: usize) -> f64 {
        match self.nodes.get(leaf) {
            Some(Node::Leaf { value, .. }) => *value,
            _ => 0.0,
        }
    }

    /// The most questions from the root to a leaf.
    #[must_use]
    pub fn depth(&self) -> usize {
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            if let Node::Split { yes, no, .. } = *node {
                (depths[yes], depths[no]) = (depths[i] + 1, depths[i] + 1);
            }
        }
        depths.into_iter().max().unwrap_or(0)
    }

    /// The mean value of the leaves below each node, by training cover.
    #[must_use]
    pub fn means(&self) -> Vec<f64> {
        let mut means = vec![0.0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate().rev() {
            means[i] = match *node {
                Node::Leaf { value, .. } => value,
                Node::Split { yes, no, .. } => {
                    let covers = [yes, no].map(|c| f64::from(self.nodes[c].cover()));
                    let sum = covers[0] + covers[1];
                    if sum > 0.0 {
                        (means[yes] * covers[0] + means[no] * covers[1]) / sum
                    } else {
                        0.0
                    }
                }
            };
        }
        means
    }

    /// Checks the invariant.
    ///
    /// # Errors
    /// Says what is wrong.
    pub(crate) fn check(&self, patterns: usize) -> Result<(), String> {
        if self.nodes.is_empty() {
            return Err("has no nodes".into());
        }
        let mut reached = vec![false; self.nodes.len()];
        reached[0] = true;
        let mut depths = vec![0; self.nodes.len()];
        for (i, node) in self.nodes.iter().enumerate() {
            match *node {
                Node::Leaf { value, .. } if !value.is_finite() => {
                    return Err(format!("node {i}: its value is not a finite number"));
                }
                Node::Leaf { .. } => {}
                Node::Split { pattern, at_least, yes, no, gain, .. } => {
                    if pattern >= patterns || at_least == 0 || !gain.is_finite() {
                        return Err(format!(
                            "node {i}: pattern {pattern} at least {at_least} times is no question"
                        ));
                    }
                    for child in [yes, no] {
                        let new = child > i
                            && !std::mem::replace(
                                reached.get_mut(child).ok_or_else(|| {
                                    format!("node {i}: child {child} does not exist")
                                })?,
                                true,
                            );
                        if !new {
                            return Err(format!("node {i}: child {child} is not a new node"));
                        }
                        depths[child] = depths[i] + 1;
                        if depths[child] > MAX_DEPTH {
                            return Err(format!("node {child} is deeper than {MAX_DEPTH}"));
                        }
                    }
                }
            }
        }
        reached.iter().position(|r| !r).map_or(Ok(()), |i| Err(format!("node {i} is not reached")))
    }
}
