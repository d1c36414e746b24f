//! Reports written by the commands that train: what they know goes into one page.

use std::path::{Path, PathBuf};

use spinney::boosting::loss::Loss;
use spinney::boosting::{Exploration, Record, ValidParams};
use spinney::evaluation::Folds;
use spinney::mining::mine::{Counts, Wanted};
use spinney::model::Truth;
use spinney::training::cross_validation::{Setting, cross_predict};
use spinney::{Dataset, Engine, Model, Params, Result};
use spinney_chem::Chemistry;
use spinney_report::report::{Learning, Space};
use spinney_report::sample::copies;
use spinney_report::trial::Kind;
use spinney_report::{Report, Sample, Trial};

use crate::args::CommonArgs;
use crate::{input, output, progress};

/// Folds of the cross-validation that a report makes where nothing is held out.
const FOLDS: usize = 5;
/// More edge sets are not counted by pattern: that would take minutes.
const MOST_COUNTED: f64 = 2e7;

/// `--report FILE`.
#[derive(clap::Args, Clone)]
pub(crate) struct ReportArgs {
    /// Write a report to this file: one HTML page with quality, patterns, interactions and trees
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
}

/// What a command that trained knows.
pub(crate) struct Known<'k> {
    pub(crate) model: &'k Model,
    pub(crate) record: Option<&'k Record>,
    pub(crate) data: &'k Dataset,
    pub(crate) structures: &'k [String],
    pub(crate) chemistry: Option<&'k Chemistry>,
    pub(crate) target: Option<String>,
    /// What the model card says of the data.
    pub(crate) facts: Vec<(String, String)>,
}

impl<'k> Known<'k> {
    fn sample(&self) -> Sample<'k> {
        Sample {
            data: self.data,
            structures: self.structures,
            chemistry: self.chemistry,
            copies: copies(self.model),
        }
    }

    /// What the training looked at, among all that there is if that is quickly counted.
    fn space(&self, record: &Record) -> Space {
        let mut space = Space::of_record(record);
        let most = self.model.params().get("max_edges").and_then(serde_json::Value::as_u64);
        space.whole = space.whole.or_else(|| counted(self.data, most.map(|n| n as usize)));
        space
    }

    /// Writes the page.
    pub(crate) fn write(
        self,
        (path, title): (&Path, String),
        trial: Option<Trial>,
        learning: Vec<Learning>,
        common: &CommonArgs,
    ) -> Result<()> {
        let wait = progress::spinner(common, "writing the report");
        let report = Report {
            title,
            model: self.model,
            sample: Some(self.sample()),
            trial,
            learning,
            space: self.record.map(|record| self.space(record)),
            target: self.target,
            facts: self.facts,
        };
        let page = report.html();
        wait.finish_and_clear();
        write(path, &page)
    }
}

/// Writes a page, and says so.
pub(crate) fn write(path: &Path, page: &str) -> Result<()> {
    output::write_to(Some(path), |out| out.write_all(page.as_bytes()))?;
    output::print(&format!("wrote {} ({:.1} MB)\n", path.display(), page.len() as f64 / 1e6))
}

/// The patterns of some graphs by number of edges; none if counting them would take long.
pub(crate) fn counted(data: &Dataset, max_edges: Option<usize>) -> Option<Vec<usize>> {
    let most = max_edges.filter(|_| input::edge_sets(data, max_edges) <= MOST_COUNTED)?;
    let exploration = Exploration::new(data, Some(most), Engine::Census);
    let wanted = Wanted { vertices: true, ..Wanted::default() };
    exploration.census().map(|census| Counts::of_census(census, wanted).by_edges)
}

/// Predictions of the graphs held out of a training.
pub(crate) fn held_out(model: &Model, data: &Dataset, rows: &[u32]) -> Result<Trial> {
    let rows: Vec<usize> = rows.iter().map(|&i| i as usize).collect();
    let part = data.subset(&rows);
    Ok(Trial {
        kind: Kind::HeldOut,
        predictions: model.predict(&part),
        truth: Truth::of(&part, model.task())?,
        folds: vec![0; rows.len()],
        rows,
    })
}

/// Cross-validates a setting on random folds, for a report on a model that was trained on everything.
pub(crate) fn cross_validated(
    exploration: &Exploration<'_>,
    params: &ValidParams,
    common: &CommonArgs,
) -> Result<(Trial, Vec<Learning>)> {
    let data = exploration.data();
    let count = FOLDS.min(data.len());
    let folds = Folds::random(&Loss::new(params, data)?.strata(), count, params.seed)?;
    let bar = progress::bar(common, folds.count() as u64, "cross-validating for the report");
    let done = on_folds(exploration, &folds, params, || bar.inc(1))?;
    bar.finish_and_clear();
    Ok(done)
}

/// Cross-validates a setting on given folds: the predictions after the last round, and the curves.
pub(crate) fn on_folds(
    exploration: &Exploration<'_>,
    folds: &Folds,
    params: &ValidParams,
    done: impl Fn() + Sync,
) -> Result<(Trial, Vec<Learning>)> {
    let data = exploration.data();
    // Rounds are not chosen by the folds that are predicted.
    let params = Params { early_stopping: None, ..(**params).clone() }.check()?;
    let (setting, predictions) = cross_predict(exploration, folds, &params, None, done)?;
    let loss = spinney::boosting::loss::Loss::new(&params, data)?;
    let trial = Trial {
        kind: Kind::CrossValidation,
        rows: (0..data.len()).collect(),
        predictions,
        truth: Truth::of(data, loss.task())?,
        folds: folds.numbers().to_vec(),
    };
    Ok((trial, learning(&setting)))
}

/// The curves of a cross-validation.
pub(crate) fn learning(setting: &Setting) -> Vec<Learning> {
    let curve =
        |(metric, curve): &(spinney::Metric, spinney::training::cross_validation::Curve)| {
            Learning {
                metric: *metric,
                on: "test folds".into(),
                values: curve.mean.clone(),
                sd: Some(curve.sd.clone()),
            }
        };
    setting.curves.iter().map(curve).collect()
}

/// The name of a file without its folder and ending, as people call it.
pub(crate) fn called(path: &Path) -> String {
    path.file_stem()
        .map_or_else(|| path.display().to_string(), |s| s.to_string_lossy().into_owned())
}
