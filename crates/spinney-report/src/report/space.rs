//! The search space: the patterns that there are, those looked at, those in the model.

use maud::{Markup, html};
use spinney::boosting::BoostingRecord;

use super::Report;
use crate::page::{count, figure, grouped};
use crate::plot::{Line, LineStyle, Plot};

/// The patterns of some graphs by number of edges, from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Space {
    /// All that occur, if they were counted.
    pub whole: Option<Vec<usize>>,
    /// Those that training looked at, if that is known.
    pub explored: Option<Vec<usize>>,
    /// Connected edge sets of all graphs: every one is an occurrence of some pattern.
    pub edge_sets: Option<f64>,
}

impl Space {
    /// What a training recorded. A census looks at every pattern there is.
    #[must_use]
    pub fn of_record(record: &BoostingRecord) -> Space {
        let is_census = record.edge_sets.is_some();
        Space {
            whole: is_census.then(|| record.explored_by_edges.clone()),
            explored: Some(record.explored_by_edges.clone()),
            edge_sets: Some(record.space_edge_sets),
        }
    }
}

pub(super) fn body(report: &Report<'_>) -> Markup {
    let mut selected = Vec::new();
    for pattern in report.model.patterns() {
        let edges = pattern.code.edge_count();
        selected.resize(selected.len().max(edges + 1), 0);
        selected[edges] += 1;
    }
    let space = report.space.clone().unwrap_or_default();
    let sum = |counts: &[usize]| counts.iter().sum::<usize>();
    let noun = report.noun();
    html! {
        p {
            @if let Some(whole) = &space.whole {
                "The " (noun) "s contain " b { (count(sum(whole), "different pattern")) }
                " within the limit on edges. "
            }
            @if let Some(explored) = &space.explored {
                "Training looked at " b { (grouped(sum(explored))) }
                @if space.whole.as_ref() == Some(explored) {
                    ", which is all of them: each was a candidate for every question. "
                }
                @else if report.model.provenance().unproven.is_empty() {
                    "; bounds proved that no other could be better. "
                } @else { "; a limit cut searches short, and the model says where. " }
            }
            "The model uses " b { (grouped(sum(&selected))) } "."
            @if let Some(sets) = space.edge_sets {
                " All in all they occur " (about(sets)) " times."
            }
            @if space.whole.is_none() && space.explored.is_none() {
                " Write the report while training (" code { "spinney train … --report FILE" }
                ") to see how many were looked at."
            }
        }
        (figure(&[plot(&space, &selected)], "Patterns by number of edges, on a logarithmic scale."))
    }
}

fn about(number: f64) -> String {
    if number < 1e6 {
        grouped(number as usize)
    } else {
        format!("about {:.1} million", number / 1e6)
    }
}

fn plot(space: &Space, selected: &[usize]) -> Plot {
    let line = |name: &str, counts: &[usize]| Line {
        name: name.into(),
        points: counts
            .iter()
            .enumerate()
            .filter(|(_, n)| **n > 0)
            .map(|(e, &n)| (e as f64, n as f64))
            .collect(),
        style: LineStyle::Line,
    };
    let mut lines: Vec<Line> =
        space.whole.iter().map(|counts| line("all that occur", counts)).collect();
    let differs = space.explored != space.whole;
    lines.extend(space.explored.iter().filter(|_| differs).map(|counts| line("looked at", counts)));
    lines.push(line("in the model", selected));
    Plot {
        title: "Search space".into(),
        x: "edges".into(),
        y: "patterns".into(),
        lines,
        log: true,
        ..Plot::default()
    }
}
