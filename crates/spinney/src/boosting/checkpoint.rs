//! A training after some whole rounds, written down so that it can go on elsewhere.
//!
//! **Invariant.** A training that goes on from a checkpoint gives the model that it would have
//! given without a break, byte for byte. What a round depends on is the data, the parameters, the
//! seed, the round's number and the scores so far: the first three are compared with those of the
//! checkpoint ([`Identity`]), sampling is a function of seed and round, and scores are kept as they
//! are, bit for bit. Engine, threads and limits may differ.
//!
//! The file is like a model's: JSON in an envelope with a checksum. Numbers are written as the bits
//! of a 64-bit float.
//!
//! **Cost.** One pass over scores and trees to write. To go on: the exploration anew, and one
//! look-up for each pattern.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::boosting::assemble::{Numbered, digest, unproven};
use crate::boosting::booster::Booster;
use crate::boosting::record::{Round, StopReason};
use crate::boosting::tree_grower::{GrownNode, GrownTree, UnprovenNode};
use crate::dataset::Dataset;
use crate::error::{Error, Result};
use crate::evaluation::Split;
use crate::evaluation::metrics::Metric;
use crate::labels::Label;
use crate::mining::classes::Column;
use crate::mining::dfs_code::DfsCode;
use crate::model::envelope::FileFormat;
use crate::model::file::{edge_of, edge_tuple};
use crate::model::{Node, Tree, Unproven};
use crate::params::FixedParams;
use crate::search::simplest::Simplest;
use crate::search::space::{NumberedPattern, PatternSpace};

const FORMAT: FileFormat = FileFormat {
    name: "spinney-checkpoint",
    version: 1,
    oldest: 1,
    content: "checkpoint",
    what: "checkpoint",
};

/// What a training is a function of.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Identity {
    /// Program and version.
    program: String,
    params: Value,
    train_sha256: String,
    valid_sha256: String,
}

impl Identity {
    /// Of a training with parameters on a split of `data`.
    #[must_use]
    pub fn new(data: &Dataset, params: Value, split: &Split) -> Identity {
        Identity {
            program: concat!("spinney ", env!("CARGO_PKG_VERSION")).into(),
            params,
            train_sha256: digest(data, &split.train),
            valid_sha256: digest(data, &split.held_out),
        }
    }

    /// Of a booster. The number of trees does not count: a training may go on for longer than was
    /// first thought.
    pub(crate) fn of(data: &Dataset, params: &FixedParams, split: &Split) -> Identity {
        let mut params = serde_json::to_value(params).unwrap_or_default();
        if let Some(params) = params.as_object_mut() {
            params.shift_remove("trees");
        }
        Identity::new(data, params, split)
    }

    /// Why a training of this identity cannot go on where `other` would.
    fn differs(&self, other: &Identity) -> Option<String> {
        if self.program != other.program {
            let a = &self.program;
            let b = &other.program;
            return Some(format!("it was written by {a}, this is {b}"));
        }
        let name = self.params.as_object()?.iter().find(|(k, v)| other.params.get(k) != Some(v));
        if let Some((name, value)) = name {
            let now = other.params.get(name).unwrap_or(&Value::Null);
            return Some(format!("it was made with {name} {value}, now {name} is {now}"));
        }
        if self.train_sha256 != other.train_sha256 {
            return Some("it was made of other training graphs".into());
        }
        (self != other).then(|| "it was made with other validation graphs".into())
    }
}

/// A 64-bit float by its bits: exact, and any value.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Bits(u64);

impl From<f64> for Bits {
    fn from(value: f64) -> Bits {
        Bits(value.to_bits())
    }
}

impl Bits {
    pub(crate) fn value(self) -> f64 {
        f64::from_bits(self.0)
    }

    pub(crate) fn all(values: &[f64]) -> Vec<Bits> {
        values.iter().map(|&v| v.into()).collect()
    }
}

/// A [`Round`].
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireRound {
    round: usize,
    train: [Bits; 2],
    valid_loss: Option<Bits>,
    valid: Vec<(String, Bits)>,
    patterns: usize,
    classes: usize,
    splits: usize,
    seconds: f64,
}

impl WireRound {
    pub(crate) fn new(r: &Round) -> WireRound {
        WireRound {
            round: r.round,
            train: [r.train_loss.into(), r.train_metric.into()],
            valid_loss: r.valid_loss.map(Bits::from),
            valid: r.valid.iter().map(|&(m, v)| (m.name().to_owned(), v.into())).collect(),
            patterns: r.patterns,
            classes: r.classes,
            splits: r.splits,
            seconds: r.seconds,
        }
    }

    pub(crate) fn into_round(self) -> std::result::Result<Round, String> {
        let valid = self.valid.into_iter().map(|(m, v)| Ok((m.parse::<Metric>()?, v.value())));
        Ok(Round {
            round: self.round,
            train_loss: self.train[0].value(),
            train_metric: self.train[1].value(),
            valid_loss: self.valid_loss.map(Bits::value),
            valid: valid.collect::<std::result::Result<_, String>>()?,
            patterns: self.patterns,
            classes: self.classes,
            splits: self.splits,
            seconds: self.seconds,
        })
    }
}

fn rounds(wire: Vec<WireRound>) -> std::result::Result<Vec<Round>, String> {
    wire.into_iter().map(WireRound::into_round).collect()
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WirePattern {
    root: Label,
    edges: Vec<(u16, u16, Label, Label, Label)>,
    /// What the engine that met it called it.
    number: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    identity: Identity,
    /// Why no round follows, if none does.
    ended: Option<StopReason>,
    rounds: Vec<WireRound>,
    patterns: Vec<WirePattern>,
    trees: Vec<Tree>,
    unproven: Vec<Unproven>,
    train_scores: Vec<Bits>,
    valid_scores: Vec<Bits>,
}

/// A training after some whole rounds.
#[derive(Clone, Debug)]
pub struct Checkpoint(Wire);

/// All scores that the next round depends on.
pub(crate) struct SavedScores {
    /// Of the training graphs: by the model, then by each member of an ensemble that is kept apart.
    pub(crate) train: Vec<f64>,
    /// Of the validation graphs.
    pub(crate) valid: Vec<f64>,
}

/// What a training gets back from a checkpoint.
pub(crate) struct ResumedState {
    pub(crate) ended: Option<StopReason>,
    pub(crate) rounds: Vec<Round>,
    pub(crate) trees: Vec<GrownTree>,
    pub(crate) scores: SavedScores,
}

impl Checkpoint {
    /// The state of a booster.
    pub(crate) fn of(booster: &Booster<'_>) -> Checkpoint {
        let scores = booster.scores();
        let unproven = unproven(&booster.trees);
        let Numbered { patterns, engine_ids, trees } = Numbered::new(&booster.trees);
        let pattern = |(code, number): (DfsCode, u32)| WirePattern {
            root: code.root(),
            edges: code.edges().iter().map(edge_tuple).collect(),
            number,
        };
        Checkpoint(Wire {
            identity: booster.identity().clone(),
            ended: booster.ended,
            rounds: booster.rounds().iter().map(WireRound::new).collect(),
            patterns: patterns.into_iter().zip(engine_ids).map(pattern).collect(),
            trees,
            unproven,
            train_scores: Bits::all(&scores.train),
            valid_scores: Bits::all(&scores.valid),
        })
    }

    /// The rounds done.
    #[must_use]
    pub fn rounds(&self) -> usize {
        self.0.rounds.len()
    }

    /// The file's text.
    #[must_use]
    pub fn to_json(&self) -> String {
        FORMAT.seal(&serde_json::to_string(&self.0).unwrap_or_default())
    }

    /// Reads the text of a checkpoint.
    ///
    /// # Errors
    /// Says why the text is no intact checkpoint.
    pub fn from_json(text: &str) -> std::result::Result<Checkpoint, String> {
        let body = FORMAT.open(text)?;
        let wire: Wire = serde_json::from_str(body).map_err(|e| format!("damaged: {e}"))?;
        let patterns = wire.patterns.len();
        let rounds = wire.rounds.len();
        for (i, tree) in wire.trees.iter().enumerate() {
            tree.check(patterns).map_err(|e| format!("damaged: tree {i}: {e}"))?;
        }
        if rounds == 0 || !wire.trees.len().is_multiple_of(rounds) {
            return Err(format!("damaged: {} trees of {rounds} rounds", wire.trees.len()));
        }
        Ok(Checkpoint(wire))
    }

    /// What a training of this identity goes on from; there must be as many scores as in `own`.
    pub(crate) fn into_state(
        self,
        identity: &Identity,
        space: &mut dyn PatternSpace,
        own: &SavedScores,
    ) -> Result<ResumedState> {
        let wire = self.0;
        if let Some(reason) = wire.identity.differs(identity) {
            return Err(refused(reason));
        }
        let fits = wire.train_scores.len() == own.train.len()
            && wire.valid_scores.len() == own.valid.len();
        if !fits {
            return Err(refused("its scores are not those of these graphs"));
        }
        let known: Vec<NumberedPattern> = wire.patterns.into_iter().map(numbered).collect();
        let numbers = space.numbers(&known);
        let numbers = numbers.ok_or_else(|| refused("a pattern of it is not in the graphs"))?;
        let codes: Vec<DfsCode> = known.into_iter().map(|pattern| pattern.code).collect();
        let values = |bits: Vec<Bits>| bits.into_iter().map(Bits::value).collect();
        let train = values(wire.train_scores);
        let valid = values(wire.valid_scores);
        let mut trees: Vec<GrownTree> =
            wire.trees.iter().map(|tree| grown(tree, &codes, &numbers)).collect();
        for open in wire.unproven {
            let tree = trees.get_mut(open.tree).ok_or_else(|| refused("it lacks a tree"))?;
            tree.unproven.push(UnprovenNode { node: open.node, bound: open.bound });
        }
        Ok(ResumedState {
            ended: wire.ended,
            rounds: rounds(wire.rounds).map_err(refused)?,
            trees,
            scores: SavedScores { train, valid },
        })
    }
}

fn refused(reason: impl std::fmt::Display) -> Error {
    Error::data(format!("this training cannot go on from the checkpoint: {reason}"))
}

fn numbered(pattern: WirePattern) -> NumberedPattern {
    let code = if pattern.edges.is_empty() {
        DfsCode::vertex(pattern.root)
    } else {
        DfsCode::from_edges(pattern.edges.into_iter().map(edge_of).collect())
    };
    NumberedPattern { code, number: pattern.number }
}

fn grown(tree: &Tree, codes: &[DfsCode], numbers: &[u32]) -> GrownTree {
    let node = |node: &Node| match *node {
        Node::Leaf { value, cover } => GrownNode::Leaf { value, cover },
        Node::Split { pattern, at_least, yes, no, gain, cover } => {
            let column = Column { pattern: numbers[pattern], at_least };
            let simplest = Arc::new(Simplest { code: codes[pattern].clone(), column });
            GrownNode::Split { simplest, yes, no, gain, cover }
        }
    };
    GrownTree {
        nodes: tree.nodes().iter().map(node).collect(),
        leaf_of: Vec::new(),
        unproven: Vec::new(),
    }
}
