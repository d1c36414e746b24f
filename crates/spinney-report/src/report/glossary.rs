//! Every term of the page, explained.

use maud::{Markup, html};
use spinney::model::Task;
use spinney::representation::views::{VertexView, Views};
use spinney_chem::Chemistry;

use super::Report;

pub(super) fn body(report: &Report<'_>) -> Markup {
    let noun = report.noun();
    let is_molecular = noun == "molecule";
    let views = Views::of_model(report.model).unwrap_or_default();
    let chemistry = Chemistry::of_model(report.model).ok().flatten();
    let numbers = chemistry.map_or_else(|| views.covariates.clone(), |c| c.covariates);
    let terms = structures(noun).into_iter().chain(terms(report));
    html! {
        dl.terms {
            @for (term, meaning) in terms { dt { (term) } dd { (meaning) } }
            @if views.vertices.contains(&VertexView::Surroundings) {
                dt { "C:r3, C:d2" }
                dd {
                    "A vertex labelled C with three edges, one of them on a cycle (r), or with two "
                    "edges and none on a cycle (d). A plain C may have any edges. The model sees "
                    "every graph in both ways."
                }
            }
            @if !numbers.is_empty() {
                dt { "size >= 20, share on cycles < 0.5" }
                dd {
                    "A threshold of a number beside patterns: on which side of it the number lies, "
                    "or that it is unknown."
                    @if numbers.measures() {
                        " Numbers of the whole " (noun) ": its size in vertices, independent "
                        "cycles, components, kinds of vertices (different labels), and the shares "
                        "of its vertices that lie on cycles, branch (three or more edges), end "
                        "(one edge) or have a label."
                    }
                }
            }
            @if is_molecular {
                dt { "SMARTS" }
                dd {
                    "A line notation for pieces of molecules that chemistry software searches "
                    "with. " code { "[#6&X3&H1&+0&0*&R]" } " is a carbon (6) with three "
                    "neighbours, hydrogens included (X3), one hydrogen (H1), no charge (+0), no "
                    "isotope (0*), in a ring (R; !R: in none); " code { "~" } " is a bond of any "
                    "kind."
                }
                dt { "C=, Hal, Don, Acc, Oth, *+" }
                dd {
                    "Atoms by what they can do: a carbon with fewer than four neighbours, "
                    "hydrogens included (a plain C may have four); a halogen; nitrogen, oxygen or "
                    "sulphur with a hydrogen to give (donor) or without one (acceptor); another "
                    "neutral atom; any atom with this charge."
                }
            }
        }
    }
}

/// What a score is.
fn score(task: &Task) -> &'static str {
    match task {
        Task::Binary { .. } => {
            "The sum of a constant and one leaf of each tree. Above 0 the positive class is \
             predicted; the probability is 1/(1 + exp(−2 · score))."
        }
        Task::Multiclass { .. } => {
            "For each class the sum of a constant and one leaf of each of its trees; the class \
             with the highest score is predicted."
        }
        Task::Regression => {
            "The sum of a constant and one leaf of each tree: the prediction itself, or its \
             logarithm for counts."
        }
    }
}

/// What graphs are made of.
fn structures(noun: &str) -> [(&'static str, String); 2] {
    let is_molecular = noun == "molecule";
    let atoms = if is_molecular { " (atoms)" } else { "" };
    let edge = if is_molecular { "A bond." } else { "A connection between two vertices." };
    let pattern = format!(
        "A connected piece of a {noun} of one or more vertices{atoms}. It occurs in a {noun} if \
         that contains such a piece, whatever else is attached."
    );
    [("pattern", pattern), ("edge", edge.into())]
}

/// What the page says of patterns, trees and trainings.
fn terms(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let noun = report.noun();
    vec![
        ("score", score(report.model.task()).into()),
        (
            "effect, direction",
            format!(
                "How much higher the score is, on average over the pattern's questions, for \
                 {noun}s with it than without it."
            ),
        ),
        (
            "gain",
            "How much the questions for a pattern improved the fit to the training data, summed \
             over all trees; shown as a share of all patterns' gain."
                .into(),
        ),
        ("support", format!("The training {noun}s in which a pattern occurs.")),
        (
            "split, question",
            "A place in a tree that asks whether a pattern occurs, or occurs at least that many \
             times."
                .into(),
        ),
        ("leaf", "The end of a path through a tree; its value is added to the score.".into()),
        (
            "round",
            "One step of training, which adds a tree (one a class beyond two classes, and one for \
             each training of an ensemble)."
                .into(),
        ),
        (
            "interaction",
            "What two patterns change in the score together, beyond what each changes: the \
             Shapley interaction index, computed exactly."
                .into(),
        ),
        (
            "cross-validation",
            format!(
                "The {noun}s are dealt into folds; each fold is predicted by a model trained on \
                 the others."
            ),
        ),
        (
            "standard deviation, standard error",
            "How far a figure would typically move with other data of the same kind.".into(),
        ),
    ]
}
