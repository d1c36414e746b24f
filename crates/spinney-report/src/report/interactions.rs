//! Pairs of patterns that matter together: what a linear model cannot see.

use maud::{Markup, html};
use spinney::Dataset;
use spinney::model::{Interaction, Link, Model, Node, Predictions};

use super::Report;
use crate::page::{drawn_pattern, grouped};
use crate::sample::{Held, Sample};

/// Pairs shown.
const SHOWN: usize = 12;
/// Graphs that interactions are averaged over: fewer for large models, so that a page takes
/// seconds.
const MAX_GRAPHS_AVERAGED: usize = 200;
const MIN_GRAPHS_AVERAGED: usize = 5;
/// Pairs of questions that are looked at in all, about.
const WORK: f64 = 2e8;
/// Outputs looked at.
const OUTPUTS: usize = 6;

pub(super) fn body(report: &Report<'_>, texts: &[String], found: &[Held]) -> Markup {
    let Some(sample) = report.sample else {
        return html! {
            p {
                "Give data to see which patterns matter together: "
                code { "spinney report MODEL --data FILE" } "."
            }
        };
    };
    let part = averaged(report.model, sample.data);
    let outputs = report.model.task().outputs();
    let pairs = strongest(report.model, &part);
    if pairs.is_empty() {
        return html! {
            p {
                "No pattern matters for another: each tree asks one question, so the model is a "
                "sum of the patterns' effects, as a linear model is."
            }
        };
    }
    let scores = report.model.predict(sample.data);
    html! {
        p {
            "Pairs of patterns that say something together which neither says alone: the part of "
            "the score that a sum of single patterns, a linear model, cannot express. "
            "Strength is the mean size of the exact Shapley interaction over "
            (grouped(part.len())) " " (report.noun())
            "s, in units of the score; the tables show the mean " (shown_value(report))
            " of the " (report.noun()) "s with both, one or none of the two."
        }
        ol.pairs {
            @for (output, pair) in &pairs {
                li.pair {
                    div.two {
                        @for pattern in [pair.first, pair.second] {
                            figure {
                                (drawn_pattern(report.model, pattern))
                                figcaption { code { (texts[pattern]) } }
                            }
                        }
                    }
                    p {
                        "strength " b { (format!("{:.3}", pair.value)) }
                        @if outputs > 1 { ", score of " (report.classes()[*output]) }
                    }
                    (cells(report, sample, &Cells::of(found, pair, |i| value(&scores, i, *output))))
                }
            }
        }
    }
}

/// The graphs that interactions are averaged over, evenly spread.
fn averaged(model: &Model, data: &Dataset) -> Dataset {
    let most = (WORK / pairs_of_questions(model)) as usize;
    let step = data.len().div_ceil(most.clamp(MIN_GRAPHS_AVERAGED, MAX_GRAPHS_AVERAGED)).max(1);
    let chosen: Vec<usize> = (0..data.len()).step_by(step).collect();
    data.subset(&chosen)
}

/// The strongest pairs of all outputs, each with its output.
fn strongest(model: &Model, part: &Dataset) -> Vec<(usize, Interaction)> {
    let of = |output| {
        let pairs = model.mean_interactions(part, output).into_iter().take(SHOWN);
        pairs.map(move |pair| (output, pair))
    };
    let outputs = model.task().outputs().min(OUTPUTS);
    let mut pairs: Vec<(usize, Interaction)> =
        (0..outputs).flat_map(of).filter(|(_, pair)| pair.value > 1e-12).collect();
    pairs.sort_by(|a, b| b.1.value.total_cmp(&a.1.value));
    pairs.truncate(SHOWN);
    pairs
}

/// The pairs of questions on the ways to all leaves: what one graph costs.
fn pairs_of_questions(model: &Model) -> f64 {
    let mut pairs = 1.0;
    for tree in model.trees() {
        let mut waiting = vec![(0, 0.0)];
        while let Some((node, depth)) = waiting.pop() {
            match &tree.nodes()[node] {
                Node::Split { yes, no, .. } => {
                    waiting.extend([(*yes, depth + 1.0), (*no, depth + 1.0)]);
                }
                Node::Leaf { .. } => pairs += depth * depth,
            }
        }
    }
    pairs
}

/// What is averaged in the cells: the probability of two classes, else the prediction or the score.
fn value(scores: &Predictions, i: usize, output: usize) -> f64 {
    match scores.link() {
        Link::Logistic => scores.probabilities(i)[1],
        Link::Identity | Link::Exp => scores.value(i),
        Link::Softmax => scores.scores(i)[output],
    }
}

/// What the cells of the tables hold.
fn shown_value(report: &Report<'_>) -> &'static str {
    match report.model.link() {
        Link::Logistic => "predicted probability",
        Link::Identity | Link::Exp => "prediction",
        Link::Softmax => "score",
    }
}

/// Number and sum of values of the graphs with neither, one or both.
#[derive(Default)]
struct Cells {
    /// By whether the first and the second are there.
    cells: [[(usize, f64); 2]; 2],
}

impl Cells {
    fn of(found: &[Held], pair: &Interaction, score: impl Fn(usize) -> f64) -> Self {
        let mut table = Cells::default();
        for (i, found) in found.iter().enumerate() {
            let has = |p: usize| found.binary_search_by_key(&(p as u32), |f| f.0).is_ok();
            let cell =
                &mut table.cells[usize::from(has(pair.first))][usize::from(has(pair.second))];
            cell.0 += 1;
            cell.1 += score(i);
        }
        table
    }
}

fn cells(report: &Report<'_>, sample: Sample<'_>, table: &Cells) -> Markup {
    let is_probability = shown_value(report) == "predicted probability";
    let value = |(n, sum): (usize, f64)| match n {
        0 => "–".to_owned(),
        n if is_probability => format!("{:.0} %", 100.0 * sum / n as f64),
        n => format!("{:.2}", sum / n as f64),
    };
    html! {
        table.cells {
            thead {
                tr {
                    td {}
                    th scope="col" { "without second" }
                    th scope="col" { "with second" }
                }
            }
            tbody {
                @for (has, row) in table.cells.iter().enumerate() {
                    tr {
                        th scope="row" { (["without first", "with first"][has]) }
                        @for &cell in row {
                            td {
                                b { (value(cell)) } " "
                                span { (grouped(cell.0)) " " (sample.noun()) "s" }
                            }
                        }
                    }
                }
            }
        }
    }
}
