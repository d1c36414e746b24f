//! Reports written by the commands that train: what they know goes into one page.

use std::path::{Path, PathBuf};

use spinney::boosting::loss::Loss;
use spinney::boosting::{BoostingRecord, Exploration, TrainingLimits};
use spinney::evaluation::Folds;
use spinney::evaluation::folds::GraphFolds;
use spinney::mining::mine::{PatternCounts, Wanted};
use spinney::model::Truth;
use spinney::training::cross_validation::{
    self, FoldKeeper, FoldTraining, FoldWork, SettingResult,
};
use spinney::training::{Explored, Observer, Outcome};
use spinney::{Dataset, Engine, Model, Request, Result};
use spinney_chem::Chemistry;
use spinney_report::evaluation::EvaluatedOn;
use spinney_report::report::{Learning, Space};
use spinney_report::sample::copies;
use spinney_report::{Evaluation, Report, Sample};

use crate::args::CommonArgs;
use crate::input::Labelled;
use crate::{input, output, progress, signals};

/// Folds of the cross-validation that a report makes where nothing is held out.
const REPORT_FOLDS: usize = 5;

/// More edge sets are not counted by pattern: that would take minutes.
const MAX_COUNTED_EDGE_SETS: f64 = 2e7;

/// `--report FILE`.
#[derive(clap::Args, Clone)]
pub(crate) struct ReportArgs {
    /// Write a report to this file: one HTML page with quality, patterns, interactions and trees
    #[arg(long, value_name = "FILE.html")]
    pub(crate) report: Option<PathBuf>,
}

/// What a command that trained knows.
pub(crate) struct TrainingReport<'k> {
    pub(crate) title: String,
    pub(crate) outcome: &'k Outcome,
    pub(crate) data: &'k Dataset,
    pub(crate) structures: &'k [String],
    pub(crate) chemistry: Option<&'k Chemistry>,
    pub(crate) target: Option<String>,
    /// What the model card says of the data.
    pub(crate) facts: Vec<(String, String)>,
    /// Predictions of graphs that were left out.
    pub(crate) evaluated: Option<Evaluation>,
    pub(crate) learning: Vec<Learning>,
    /// What the command may take.
    pub(crate) limits: TrainingLimits,
}

impl TrainingReport<'_> {
    /// What the training looked at, among all that there is if that is quickly counted. Nothing is
    /// counted where a census was given up.
    fn space(&self, record: &BoostingRecord) -> Space {
        let mut space = Space::of_record(record);
        if space.whole.is_none() && record.census_given_up.is_none() {
            space.whole = counted(self.data, self.outcome.params.max_edges, self.limits);
        }
        space
    }

    /// Writes the page.
    pub(crate) fn write(self, path: &Path, common: &CommonArgs) -> Result<()> {
        let wait = progress::spinner(common, "writing the report");
        let model = &self.outcome.model;
        let space = self.outcome.record.trees().map(|record| self.space(record));
        let report = Report {
            title: self.title,
            model,
            sample: Some(Sample {
                data: self.data,
                structures: self.structures,
                chemistry: self.chemistry,
                copies: copies(model),
            }),
            evaluation: self.evaluated,
            learning: self.learning,
            space,
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

/// The patterns of some graphs by number of edges; none if counting them would take long, or if
/// time or patterns are limited.
pub(crate) fn counted(
    data: &Dataset,
    max_edges: Option<usize>,
    limits: TrainingLimits,
) -> Option<Vec<usize>> {
    let is_limited = limits.until.is_some() || limits.patterns.is_some();
    let is_quick = !is_limited && input::edge_sets(data, max_edges) <= MAX_COUNTED_EDGE_SETS;
    let max_edges = max_edges.filter(|_| is_quick)?;
    let exploration = Exploration::with_limits(data, Some(max_edges), Engine::Census, limits);
    let wanted = Wanted { vertices: true, ..Wanted::default() };
    exploration.census().map(|census| PatternCounts::of_census(census, wanted).by_edges)
}

/// Predictions of the graphs held out of a training.
pub(crate) fn held_out(model: &Model, data: &Dataset, rows: Vec<usize>) -> Result<Evaluation> {
    let part = data.subset(&rows);
    Ok(Evaluation {
        on: EvaluatedOn::HeldOut,
        predictions: model.predict(&part),
        truth: Truth::of(&part, model.task())?,
        folds: vec![0; rows.len()],
        rows,
    })
}

/// The positions of some graphs among all of them, both ascending.
pub(crate) fn positions(all: &[u32], some: &[u32]) -> Vec<usize> {
    some.iter().filter_map(|graph| all.binary_search(graph).ok()).collect()
}

/// The curves of a training.
pub(crate) fn curves_of_record(record: &BoostingRecord) -> Vec<Learning> {
    Learning::of_record(record)
}

/// Cross-validates the request on random folds, for the report on a model that was trained on all
/// graphs. Where a limit or the user ends that, the report goes without.
pub(crate) fn cross_validate(
    report: &mut TrainingReport<'_>,
    explored: &Explored<'_>,
    request: &Request,
    labelled: &Labelled,
    common: &CommonArgs,
) -> Result<()> {
    let graphs = &labelled.graphs;
    let params = &report.outcome.params;
    let all = Loss::new(params, explored.data())?.strata();
    let strata: Vec<u32> = graphs.iter().map(|&graph| all[graph as usize]).collect();
    let folds = Folds::random(&strata, REPORT_FOLDS.min(graphs.len()), params.seed)?;
    let folds = GraphFolds::new(folds, graphs.clone())?;
    let bar = progress::bar(common, folds.count() as u64, "cross-validating for the report");
    let keeper = FoldBar { bar: &bar };
    let work = FoldWork { observer: &keeper, keeper: &keeper, keep_models: false };
    let done = cross_validation::cross_validate(explored, request, &folds, None, work);
    bar.finish_and_clear();
    let result = match done {
        Ok(Some(result)) => result,
        Ok(None) => {
            common.note("spinney: stopped; the report has no cross-validation");
            return Ok(());
        }
        Err(error) if error.is_limit() => {
            common.note(&format!("the report has no cross-validation: {error}"));
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    report.evaluated = Some(evaluated(explored, &result, &folds)?);
    report.learning.extend(curves(&result));
    Ok(())
}

/// A bar that counts folds.
pub(crate) struct FoldBar<'b> {
    pub(crate) bar: &'b indicatif::ProgressBar,
}

impl Observer for FoldBar<'_> {
    fn should_stop(&self) -> bool {
        signals::asked()
    }
}

impl FoldKeeper for FoldBar<'_> {
    fn done(&self, _: &dyn Fn() -> spinney::boosting::Identity, _: &FoldTraining) {
        self.bar.inc(1);
    }
}

/// The predictions of a cross-validation with the truth: of every graph by the training that left
/// it out, where its recipe ended.
pub(crate) fn evaluated(
    explored: &Explored<'_>,
    result: &SettingResult,
    folds: &GraphFolds,
) -> Result<Evaluation> {
    Ok(Evaluation {
        on: EvaluatedOn::CrossValidation,
        rows: (0..folds.graphs().len()).collect(),
        predictions: cross_validation::predictions(explored, result, folds)?,
        truth: cross_validation::truth(explored, &result.params, folds)?,
        folds: folds.numbers().to_vec(),
    })
}

/// The curves of a cross-validation.
pub(crate) fn curves(result: &SettingResult) -> Vec<Learning> {
    let curve = |one: &cross_validation::MetricCurve| Learning {
        metric: one.metric,
        on: "test folds".into(),
        values: one.curve.mean.clone(),
        sd: Some(one.curve.sd.clone()),
    };
    result.curves.iter().map(curve).collect()
}

/// The name of a file without its folder and ending.
pub(crate) fn stem(path: &Path) -> String {
    path.file_stem()
        .map_or_else(|| path.display().to_string(), |s| s.to_string_lossy().into_owned())
}
