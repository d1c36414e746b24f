//! The model card: what it was made from, how, and what it must not be used for.

use maud::{Markup, html};
use spinney::model::{Task, Tree};

use super::Report;
use crate::evaluation::{EvaluatedOn, Measured};
use crate::page::{count, grouped, percent};

pub(super) fn body(report: &Report<'_>, measures: &[Measured]) -> Markup {
    let model = report.model;
    let made = model.provenance();
    let noun = report.noun();
    let depth = model.trees().iter().map(Tree::depth).max().unwrap_or(0);
    let target = report.target.iter().map(|target| ("Target", target));
    let facts = target.chain(report.facts.iter().map(|(name, value)| (name.as_str(), value)));
    html! {
        dl.card-facts {
            @for (name, value) in facts { dt { (name) } dd { (value) } }
            dt { "Trained on" }
            dd { (count(made.graphs, noun)) (classes(report)) }
            dt { "Judged by" }
            dd { (report.judged()) }
            dt { "Model" }
            dd {
                (count(model.rounds(), "round")) ", " (count(model.trees().len(), "tree"))
                " of up to " (count(depth, "question")) " from root to leaf, "
                (count(model.patterns().len(), "pattern")) "; stopped: " (made.stopped)
            }
            @if made.stumps > 0 {
                dt { "Linear model" }
                dd {
                    (count(made.stumps, "tree")) " of one question each: small patterns and whole "
                    "neighbourhoods, which add up"
                }
            }
            @if let Some(from) = &made.stacked_from {
                dt { "Stacked from other targets" }
                dd { (from.to_string()) }
            }
            dt { "Made by" } dd { (made.program) }
            dt { "Model hash" } dd { code.hash { (model.sha256()) } }
            dt { "Training data hash" } dd { code.hash { (made.data_sha256) } }
        }
        details {
            summary { "All parameters" }
            dl.parameters {
                @for (name, value) in model.params() { dt { (name) } dd { (shown(value)) } }
                @if let Some(made) = model.representation().and_then(|r| r.as_object()) {
                    @for (name, value) in made { dt { (name) } dd { (shown(value)) } }
                }
            }
        }
        h3 { "Limits" }
        ul { @for limit in limits(report, measures) { li { (limit) } } }
    }
}

/// The number of each class.
fn classes(report: &Report<'_>) -> String {
    let made = report.model.provenance();
    let names = report.classes();
    let counts = names.iter().zip(&made.class_counts);
    let parts: Vec<String> = counts
        .map(|(name, n)| format!("{name}: {} ({})", grouped(*n), percent(*n, made.graphs)))
        .collect();
    if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) }
}

fn shown(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::Null => "none".into(),
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(all) => all.iter().map(shown).collect::<Vec<_>>().join(", "),
        other => other.to_string(),
    }
}

/// What a user must know before relying on it.
fn limits(report: &Report<'_>, measures: &[Measured]) -> Vec<String> {
    let model = report.model;
    let noun = report.noun();
    let made = model.provenance();
    let mut limits = vec![
        format!(
            "It has seen {}; of {noun}s unlike these it knows little. A {noun} with few or none of \
             the patterns is predicted close to the average (see Applicability).",
            count(made.graphs, noun)
        ),
        "Patterns are what distinguishes these data: correlations, not causes.".into(),
    ];
    if let Some(most) = model.params().get("max_edges").and_then(serde_json::Value::as_u64) {
        let beside = match made.stumps {
            0 => "",
            _ => ", and as whole neighbourhoods of an atom or vertex by the linear model",
        };
        limits.push(format!(
            "Patterns in trees have at most {most} edges: larger structures are seen only through \
             their parts{beside}."
        ));
    }
    if noun == "molecule" {
        limits.push("Stereochemistry and conformation are not seen.".into());
    }
    if let (Task::Binary { .. }, [a, b]) = (model.task(), &made.class_counts[..]) {
        let few = (*a).min(*b);
        if 10 * few < made.graphs {
            limits.push(format!(
                "Only {} of the training {noun}s are of the rarer class: accuracy says little \
                 here, look at precision and recall.",
                percent(few, made.graphs)
            ));
        }
    }
    if !made.unproven.is_empty() {
        limits.push(format!(
            "Training was cut short ({}): {} may not have the best split.",
            made.stopped,
            count(made.unproven.len(), "node")
        ));
    }
    let unsure = match report.evaluation.as_ref().map(|e| e.on) {
        Some(EvaluatedOn::Training) => Some("No figure on this page was measured on unseen data."),
        None => Some("Its quality was not measured for this page."),
        _ if measures.iter().any(|m| m.value.is_nan()) => {
            Some("Some measures are not defined on these data.")
        }
        _ => None,
    };
    limits.extend(unsure.map(str::to_owned));
    limits
}
