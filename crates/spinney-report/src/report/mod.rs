//! The report on a model: one page that a chemist can read, keep and send on.
//!
//! **Cost.** Predictions for the graphs given, drawings of the most important patterns and of
//! examples, and exact interactions over a sample of graphs. Sizes are bounded (see the constants
//! of the modules), so that the page of any model stays below 3 MB.

mod applicability;
mod card;
mod gallery;
mod glossary;
mod interactions;
mod quality;
mod space;
mod trees;

use maud::{Markup, html};
use serde_json::json;
use spinney::boosting::BoostingRecord;
use spinney::evaluation::metrics::Metric;
use spinney::model::Model;
use spinney::representation::views::Views;
use spinney_chem::smarts::pattern_text;

use crate::evaluation::{EvaluatedOn, Evaluation, Measured};
use crate::page::{Section, class, count, page};
use crate::sample::{Held, Sample};

pub use space::Space;

/// A metric round by round.
#[derive(Clone, Debug)]
pub struct Learning {
    /// What was measured.
    pub metric: Metric,
    /// On which graphs.
    pub on: String,
    /// After each round.
    pub values: Vec<f64>,
    /// The standard deviation over folds, if there are folds.
    pub sd: Option<Vec<f64>>,
}

impl Learning {
    /// What a training recorded.
    #[must_use]
    pub fn of_record(record: &BoostingRecord) -> Vec<Learning> {
        let train = record.rounds.iter().map(|r| r.train_metric).collect();
        let own =
            Learning { metric: record.metric, on: "training".into(), values: train, sd: None };
        let measured = record.rounds.first().map_or(&[][..], |round| &round.valid);
        let valid = measured.iter().enumerate().map(|(m, &(metric, _))| Learning {
            metric,
            on: "validation".into(),
            values: record.rounds.iter().map(|r| r.valid[m].1).collect(),
            sd: None,
        });
        std::iter::once(own).chain(valid).collect()
    }
}

/// What a report is about.
#[derive(Clone, Debug)]
pub struct Report<'r> {
    /// The heading.
    pub title: String,
    /// The model.
    pub model: &'r Model,
    /// What the target is called: classes named `0` and `1` say little without it.
    pub target: Option<String>,
    /// What else the model card says: the data file, what was held out.
    pub facts: Vec<(String, String)>,
    /// Graphs for examples, interactions and applicability.
    pub sample: Option<Sample<'r>>,
    /// Predictions with the truth.
    pub evaluation: Option<Evaluation>,
    /// Learning curves.
    pub learning: Vec<Learning>,
    /// The patterns that there are and that were looked at.
    pub space: Option<Space>,
}

impl Report<'_> {
    /// The page.
    #[must_use]
    pub fn html(&self) -> String {
        let texts = self.texts();
        let found = self.found();
        let measures = self.evaluation.as_ref().map(Evaluation::measures);
        let measures = measures.as_deref().unwrap_or_default();
        let ranked = self.model.importance();
        let mut sections = vec![
            Section { id: "card", name: "Model card", body: card::body(self, measures) },
            Section { id: "quality", name: "How good it is", body: quality::body(self, measures) },
            Section {
                id: "patterns",
                name: "Patterns",
                body: gallery::body(self, &ranked, &texts, &found),
            },
            Section {
                id: "interactions",
                name: "Interactions",
                body: interactions::body(self, &texts, &found),
            },
            Section { id: "trees", name: "Trees", body: trees::body(self.model) },
            Section { id: "space", name: "Search space", body: space::body(self) },
        ];
        if self.sample.is_some() {
            let body = applicability::body(self, &found);
            sections.push(Section { id: "applicability", name: "Applicability", body });
        }
        sections.push(Section { id: "terms", name: "Terms", body: glossary::body(self) });
        let data = json!({
            "patterns": &texts[..trees::patterns(self.model)],
            "trees": trees::data(self.model),
            "outputs": trees::outputs(self),
            "noun": self.noun(),
        });
        page(&self.title, &self.lead(measures), &sections, &data)
    }

    /// The classes as people call them.
    fn classes(&self) -> Vec<String> {
        let name = |name: &String| class(name, self.target.as_deref());
        self.model.task().classes().iter().map(name).collect()
    }

    /// What a graph is called.
    fn noun(&self) -> &'static str {
        if Views::of_model(self.model).is_none() { "molecule" } else { "graph" }
    }

    /// Every pattern as SMARTS or in words.
    fn texts(&self) -> Vec<String> {
        let labels = self.model.labels();
        let patterns = self.model.patterns().iter();
        patterns.map(|p| pattern_text(&p.code, labels)).collect()
    }

    /// The patterns found in each graph of the sample.
    fn found(&self) -> Vec<Held> {
        self.sample.map(|s| self.model.found_patterns(s.data)).unwrap_or_default()
    }

    fn lead(&self, measures: &[Measured]) -> Markup {
        let noun = self.noun();
        let trees = count(self.model.trees().len(), "tree");
        let patterns = count(self.model.patterns().len(), "pattern");
        let classes = self.classes();
        let what = match (&classes[..], &self.target) {
            ([], Some(target)) => format!("predicts {target}"),
            ([], None) => "predicts a number".into(),
            ([negative, positive], _) => format!("separates {positive} from {negative}"),
            _ => format!("separates {} classes", classes.len()),
        };
        html! {
            p.lead {
                "A model that " (what) ": " (trees) " ask which of " (patterns)
                " occur in a " (noun) ". A pattern is a connected piece of a " (noun)
                ", or a threshold of a number; all pieces that occur were candidates."
            }
            @if !measures.is_empty() {
                ul.tiles aria-label="Main figures" {
                    @for m in measures {
                        li { b { (quality::value(m)) } " " span { (quality::name(m.metric)) } }
                    }
                }
                p.note { (self.judged()) }
            }
        }
    }

    /// How the figures came about, in a sentence.
    fn judged(&self) -> String {
        let Some(evaluation) = &self.evaluation else {
            return "No graphs with known targets were given.".into();
        };
        let graphs = count(evaluation.rows.len(), self.noun());
        let noun = self.noun();
        match evaluation.on {
            EvaluatedOn::CrossValidation => format!(
                "{}-fold cross-validation over {graphs}: each {noun} was predicted by a model \
                 trained without it. ± is the standard deviation over folds.",
                evaluation.fold_count()
            ),
            EvaluatedOn::HeldOut => format!(
                "Measured on {graphs} that were held out of training. ± is the standard error by \
                 200 bootstrap resamples."
            ),
            EvaluatedOn::Given => format!(
                "Measured on the {graphs} given with --data, which are not the training data as a \
                 whole. ± is the standard error by 200 bootstrap resamples."
            ),
            EvaluatedOn::Training => format!(
                "Measured on the {graphs} that the model was trained on: too good to be true. Use \
                 cross-validation or held-out data to judge it."
            ),
        }
    }
}
