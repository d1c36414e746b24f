//! The viewer for single trees. The trees go into the page as numbers; the script draws the one
//! asked for.

use maud::{Markup, html};
use serde_json::{Value, json};
use spinney::model::{Model, Node, Task, Tree};

use super::Report;
use crate::page::count;

/// Nodes that go into the page: some 15 bytes each.
const MAX_NODES_ON_PAGE: usize = 45_000;

pub(super) fn body(model: &Model) -> Markup {
    let shown = shown(model).len();
    let all = model.trees().len() - stumps(model);
    html! {
        p {
            "Each tree asks questions from its root; the number at the leaf that is reached is "
            "added to the score, and "
            (meaning(model)) ". The first questions are open; select one to open or close it."
            @if model.stacked_trees() > 0 {
                " The first " (count(model.stacked_trees(), "tree")) " of " (all) " are those of "
                "models of other targets."
            }
            @if shown < all { " The first " (shown) " of " (all) " trees are here." }
            @if stumps(model) > 0 {
                " Trees of one question each, " (stumps(model)) " of them, are a linear model "
                "beside these, and are not shown."
            }
        }
        @if shown == 0 { p { "There is no tree." } } @else {
            div.controls {
                button #previous type="button" { "Previous" }
                label { "Tree " input #tree type="number" min="1" max=(shown) value="1"; }
                span { "of " (count(shown, "tree")) }
                button #next type="button" { "Next" }
            }
            div.tree #drawn-tree aria-live="polite" {
                noscript { p { "The viewer needs JavaScript." } }
            }
        }
    }
}

fn meaning(model: &Model) -> &'static str {
    match model.task() {
        Task::Binary { .. } => "a score above 0 predicts the positive class",
        Task::Multiclass { .. } => "the class with the highest score is predicted",
        Task::Regression => "the sum of all trees is the prediction, but for a constant",
    }
}

/// How many trees, the first ones, are not worth showing one by one.
fn stumps(model: &Model) -> usize {
    if model.stacked_trees() > 0 { 0 } else { model.trees_beside() }
}

/// The trees that go into the page.
fn shown(model: &Model) -> &[Tree] {
    let trees = &model.trees()[stumps(model)..];
    let mut nodes = 0;
    let fits = |tree: &&Tree| {
        nodes += tree.nodes().len();
        nodes <= MAX_NODES_ON_PAGE
    };
    &trees[..trees.iter().take_while(fits).count()]
}

/// How many patterns the trees in the page ask for: the first, as patterns are numbered by first
/// use.
pub(super) fn patterns(model: &Model) -> usize {
    let nodes = shown(model).iter().flat_map(Tree::nodes);
    let asked = nodes.filter_map(|node| match node {
        Node::Split { pattern, .. } => Some(pattern + 1),
        Node::Leaf { .. } => None,
    });
    asked.max().unwrap_or(0).min(model.patterns().len())
}

/// Each tree as a list of nodes from the root, *yes* before *no*: `[pattern, at least, cover]` for
/// a question, `[value, cover]` for a leaf.
pub(super) fn data(model: &Model) -> Value {
    shown(model)
        .iter()
        .map(|tree| {
            let mut nodes = Vec::new();
            walk(tree, 0, &mut nodes);
            Value::from(nodes)
        })
        .collect()
}

fn walk(tree: &Tree, at: usize, nodes: &mut Vec<Value>) {
    match tree.nodes().get(at) {
        Some(&Node::Split { pattern, at_least, yes, no, cover, .. }) => {
            nodes.push(json!([pattern, at_least, cover]));
            walk(tree, yes, nodes);
            walk(tree, no, nodes);
        }
        Some(&Node::Leaf { value, cover }) => {
            nodes.push(json!([(value * 1e4).round() / 1e4, cover]));
        }
        None => {}
    }
}

/// The names of the outputs that the trees belong to in turn, if there are several.
pub(super) fn outputs(report: &Report<'_>) -> Value {
    match report.model.task() {
        Task::Multiclass { .. } => json!(report.classes()),
        _ => json!([]),
    }
}
