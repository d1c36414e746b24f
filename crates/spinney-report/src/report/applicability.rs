//! Where the model has ground to stand on: how much of the data it recognises.

use maud::{Markup, html};
use spinney::labels::UNSEEN;
use spinney::model::Truth;

use super::Report;
use crate::evaluation::Evaluation;
use crate::page::{count, figure, percent};
use crate::plot::{Line, Plot};
use crate::sample::Held;

pub(super) fn body(report: &Report<'_>, found: &[Held]) -> Markup {
    let Some(sample) = report.sample else { return html! {} };
    let (data, noun, n) = (sample.data, sample.noun(), found.len());
    let vertex = data.labels().vertex.translation(&report.model.labels().vertex);
    let is_new = |i: usize| {
        data.graphs()[i]
            .labels()
            .iter()
            .any(|&l| vertex.get(l as usize).is_none_or(|&v| v == UNSEEN))
    };
    let none = found.iter().filter(|f| f.is_empty()).count();
    let new = (0..n).filter(|&i| is_new(i)).count();
    let mut counts: Vec<usize> = found.iter().map(Vec::len).collect();
    counts.sort_unstable();
    let middle = counts.get(n / 2).copied().unwrap_or(0);
    html! {
        p {
            "Of " (count(n, noun)) ", " b { (count(none, noun)) } " (" (percent(none, n))
            ") hold none of the model's patterns: they get the prediction of a " (noun)
            " of which nothing is known. " b { (count(new, noun)) } " (" (percent(new, n)) ") hold "
            @if noun == "molecule" { "an atom of a kind" } @else { "a vertex label" }
            " that training never saw. "
            "Half of them hold " (middle) " patterns or more."
        }
        @if let Some(evaluation) = &report.evaluation { (by_support(evaluation, found, noun)) }
        (figure(&[histogram(&counts)], &format!("How many {noun}s hold how many of the patterns.")))
    }
}

/// Quality where few patterns are held and where many are.
fn by_support(evaluation: &Evaluation, found: &[Held], noun: &str) -> Markup {
    let mut order: Vec<usize> = (0..evaluation.rows.len()).collect();
    order.sort_by_key(|&i| found[evaluation.rows[i]].len());
    if order.len() < 40 {
        return html! {};
    }
    let quarter = |q: usize| &order[q * order.len() / 4..(q + 1) * order.len() / 4];
    let right = |members: &[usize]| -> f64 {
        let sum: f64 = match &evaluation.truth {
            Truth::Classes(truth) => members
                .iter()
                .map(|&i| {
                    f64::from(u8::from(evaluation.predictions.class(i) == Some(truth[i] as usize)))
                })
                .sum(),
            Truth::Numbers(truth) => {
                members.iter().map(|&i| (evaluation.predictions.value(i) - truth[i]).abs()).sum()
            }
        };
        sum / members.len() as f64
    };
    let (what, is_share) = match evaluation.truth {
        Truth::Classes(_) => ("accuracy", true),
        Truth::Numbers(_) => ("mean absolute error", false),
    };
    let shown = |value: f64| {
        if is_share { format!("{:.1} %", 100.0 * value) } else { format!("{value:.3}") }
    };
    html! {
        div.wide { table {
            caption { "Quality by the number of patterns held: a quarter of the " (noun) "s each" }
            thead { tr { th scope="col" { "patterns held" } th scope="col" { (what) } } }
            tbody { @for q in 0..4 {
                @let members = quarter(q);
                @let held = |i: Option<&usize>| i.map_or(0, |&i| found[evaluation.rows[i]].len());
                tr {
                    td { (held(members.first())) " to " (held(members.last())) }
                    td { (shown(right(members))) }
                }
            } }
        } }
    }
}

fn histogram(counts: &[usize]) -> Plot {
    let most = counts.last().copied().unwrap_or(0);
    let width = (most / 40).max(1);
    let mut bins = vec![0usize; most / width + 1];
    counts.iter().for_each(|c| bins[c / width] += 1);
    // Steps: a bin is flat.
    let points = bins.iter().enumerate().flat_map(|(i, &n)| {
        let from = i * width;
        let to = (i + 1) * width;
        [(from as f64, n as f64), (to as f64, n as f64)]
    });
    let lines = vec![Line { points: points.collect(), ..Line::default() }];
    let top = bins.iter().max().map_or(1.0, |&n| n as f64);
    Plot {
        title: "Patterns held".into(),
        x: "patterns held".into(),
        y: "number".into(),
        lines,
        y_range: Some((0.0, top)),
        ..Plot::default()
    }
}
