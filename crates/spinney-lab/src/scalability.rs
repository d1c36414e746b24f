//! The paper's scalability figure (section 5.3): time against the most edges of a pattern, for
//! joint learning and for enumerating all patterns first and learning from their matrix.
//!
//! Every time is the mean over folds of one training on one thread: 100 trees of depth 5, as in the
//! paper. A point has a time limit; the folds that were done by then count, and a way that did no
//! fold, or ran out of memory, is not tried at larger sizes.

use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use serde_json::json;
use spinney::evaluation::Split;
use spinney::mining::Census;
use spinney::training::{Explored, Job, Observer, Phase, Prepared, train};
use spinney::{Engine, Error, Metric, Params, Request, Result};
use spinney_chem::{AtomView, BondView, Chemistry};

use crate::page::Page;
use crate::qsar::sets::{SOURCES, Set};
use crate::rivals::export::Matrix;
use crate::rivals::lines_within;
use crate::setup::Setup;
use crate::table::Table;
use spinney_report::plot::{Line, Plot};

const LARGEST: usize = 12;
const TREES: usize = 100;
const DEPTH: usize = 5;
const RATE: f64 = 0.1;
/// Mean numbers of patterns that the paper printed, for 8 to 12 edges.
const PRINTED: [f64; 5] = [66336.1, 145903.7, 275422.3, 512904.1, 874540.0];

/// The ways, in the order of the figure.
const WAYS: [Way; 6] = [
    Way { name: "joint, pruned search", kind: Kind::Joint(Engine::Bound) },
    Way { name: "joint, census", kind: Kind::Joint(Engine::Census) },
    Way { name: "enumeration alone", kind: Kind::Enumeration },
    Way { name: "enumerate, scikit-learn", kind: Kind::Learner("gradient-boosting") },
    Way { name: "enumerate, XGBoost", kind: Kind::Learner("xgboost") },
    Way { name: "enumerate, LightGBM", kind: Kind::Learner("lightgbm") },
];

struct Way {
    name: &'static str,
    kind: Kind,
}

#[derive(Clone, Copy)]
enum Kind {
    Joint(Engine),
    Enumeration,
    /// Enumeration, then this learner.
    Learner(&'static str),
}

/// Elements and bond orders: the labels whose numbers of patterns come nearest to the printed ones.
fn chemistry() -> Chemistry {
    Chemistry { atoms: vec![AtomView::Element], bonds: BondView::Order, ..Chemistry::default() }
}

/// One way at one size.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Point {
    /// Mean seconds of a fold, if one was done.
    seconds: Option<f64>,
    /// Mean accuracy on the test graphs, if something was learned.
    accuracy: Option<f64>,
    /// Folds that were done.
    folds: usize,
    /// Mean number of patterns in the training graphs.
    patterns: Option<f64>,
    /// Why no fold, or not all, were done.
    stopped: Option<String>,
}

/// One fold of one way.
struct Fold {
    seconds: f64,
    accuracy: Option<f64>,
    patterns: Option<f64>,
}

/// The experiment; quick, it has patterns of up to four edges and two folds.
pub struct Scalability<'l> {
    /// What it is run with.
    pub setup: Setup<'l>,
}

impl Scalability<'_> {
    /// Runs what the ledger lacks and gives the page.
    ///
    /// # Errors
    /// If data cannot be read, or training or writing fails.
    pub fn run(&self, data: &Path) -> Result<Page> {
        let source = SOURCES.iter().find(|s| s.name == "CPDB");
        let source = source.ok_or_else(|| Error::failed("there is no CPDB"))?;
        let set = source.read_as(data, &chemistry())?;
        let sizes = if self.setup.quick { 4 } else { LARGEST };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build();
        let one = one.map_err(|e| Error::failed(format!("no thread: {e}")))?;
        let mut columns = Vec::new();
        for way in &WAYS {
            let mut points = Vec::new();
            for size in 1..=sizes {
                let key = self.key(way, size);
                let point: Point =
                    self.setup.ledger.cell(&key, || one.install(|| self.point(&set, way, size)))?;
                (self.setup.done)(&key);
                let failed = point.seconds.is_none();
                points.push(point);
                if failed {
                    break;
                }
            }
            columns.push(points);
        }
        Ok(page(&set, &columns, sizes))
    }

    fn folds(&self, set: &Set) -> usize {
        if self.setup.quick { 2 } else { set.folds.count() }
    }

    fn key(&self, way: &Way, size: usize) -> String {
        let folds = if self.setup.quick { "two folds" } else { "all folds" };
        format!("{} x{size} {folds} within {} s", way.name, self.setup.limit.as_secs())
    }

    fn point(&self, set: &Set, way: &Way, size: usize) -> Result<Point> {
        let started = Instant::now();
        let mut done: Vec<Fold> = Vec::new();
        let mut stopped = None;
        for fold in 0..self.folds(set) {
            let left = self.setup.limit.saturating_sub(started.elapsed());
            if left.is_zero() {
                stopped = Some(format!("{} s were over", self.setup.limit.as_secs()));
                break;
            }
            let split = set.folds.split(fold);
            match self.fold(set, way.kind, Cell { size, split: &split, left })? {
                Ok(fold) => done.push(fold),
                Err(reason) => {
                    stopped = Some(reason);
                    break;
                }
            }
        }
        let mean = |of: &dyn Fn(&Fold) -> Option<f64>| {
            let values: Vec<f64> = done.iter().filter_map(of).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        Ok(Point {
            seconds: mean(&|f| Some(f.seconds)),
            accuracy: mean(&|f| f.accuracy),
            patterns: mean(&|f| f.patterns),
            folds: done.len(),
            stopped,
        })
    }

    /// One fold, or why it came to nothing.
    fn fold(
        &self,
        set: &Set,
        kind: Kind,
        cell: Cell<'_>,
    ) -> Result<std::result::Result<Fold, String>> {
        match kind {
            Kind::Joint(engine) => joint(set, engine, cell),
            Kind::Enumeration => {
                let started = Instant::now();
                let graphs: Vec<_> = cell
                    .split
                    .train
                    .iter()
                    .map(|&g| set.data.graphs()[g as usize].clone())
                    .collect();
                let census = Census::take(&graphs, cell.size);
                let seconds = started.elapsed().as_secs_f64();
                let patterns =
                    (0..census.len() as u32).filter(|&p| census.edges(p) > 0).count() as f64;
                Ok(Ok(Fold { seconds, accuracy: None, patterns: Some(patterns) }))
            }
            Kind::Learner(name) => self.learner(set, name, cell),
        }
    }

    fn learner(
        &self,
        set: &Set,
        name: &str,
        cell: Cell<'_>,
    ) -> Result<std::result::Result<Fold, String>> {
        let Cell { size, split: Split { train, held_out: test }, left } = cell;
        let environment = match &self.setup.rivals {
            Ok(environment) => environment,
            Err(reason) => return Ok(Err(reason.clone())),
        };
        let folder = tempfile::tempdir()
            .map_err(|e| Error::failed(format!("no folder for the matrix: {e}")))?;
        let started = Instant::now();
        let matrix = Matrix::all(set.data.graphs(), size, train);
        let enumeration = started.elapsed().as_secs_f64();
        matrix.write(folder.path(), "all")?;
        let targets: Vec<u8> = set.data.numbers()?.iter().map(|&t| u8::from(t > 0.0)).collect();
        let part = json!({
            "targets": targets, "train": train, "test": test, "columns": matrix.copies.len(),
        });
        let path = folder.path().join("part.json");
        std::fs::write(&path, part.to_string()).map_err(|e| Error::file(&path, e))?;
        let mut command = environment.worker("scaling.py");
        command.arg(name).arg(folder.path());
        let (lines, stopped, _) = lines_within(command, left);
        let found = lines.last().and_then(|l| serde_json::from_str::<serde_json::Value>(l).ok());
        let Some(found) = found else {
            return Ok(Err(stopped.unwrap_or_else(|| "it said nothing".into())));
        };
        Ok(Ok(Fold {
            seconds: enumeration + found["seconds"].as_f64().unwrap_or(f64::NAN),
            accuracy: found["accuracy"].as_f64(),
            patterns: Some(matrix.copies.len() as f64),
        }))
    }
}

/// One size and fold, and the time that is left for it.
#[derive(Clone, Copy)]
struct Cell<'c> {
    size: usize,
    split: &'c Split,
    left: Duration,
}

/// Stops a training when its time is over, and measures it up to the certificate.
struct Stopwatch {
    started: Instant,
    left: Duration,
    trained: Mutex<Option<Duration>>,
}

impl Observer for Stopwatch {
    fn phase(&self, phase: Phase) {
        if phase == Phase::Certifying {
            let elapsed = self.started.elapsed();
            *self.trained.lock().unwrap_or_else(PoisonError::into_inner) = Some(elapsed);
        }
    }

    fn should_stop(&self) -> bool {
        self.started.elapsed() >= self.left
    }
}

/// Exploration and training together.
fn joint(set: &Set, engine: Engine, cell: Cell<'_>) -> Result<std::result::Result<Fold, String>> {
    let Cell { size, split, left } = cell;
    let params = Params {
        max_edges: Some(size).into(),
        depth: DEPTH.into(),
        learning_rate: RATE,
        trees: TREES.into(),
        ..Params::paper()
    };
    let request = Request { engine, ..Request::paper().with_params(params) };
    let watch = Stopwatch { started: Instant::now(), left, trained: Mutex::default() };
    // Only the training graphs are explored, as in the other ways.
    let rows: Vec<usize> = split.train.iter().map(|&g| g as usize).collect();
    let prepared = Prepared { data: set.data.subset(&rows), representation: None };
    let explored = Explored::new(&prepared, std::slice::from_ref(&request), &watch)?;
    let whole = Split::whole(prepared.data.len());
    let outcome = train(&explored, &request, &Job::new(&whole), &watch)?;
    let trained = *watch.trained.lock().unwrap_or_else(PoisonError::into_inner);
    let seconds = trained.unwrap_or_else(|| watch.started.elapsed()).as_secs_f64();
    let model = &outcome.model;
    if model.rounds() < TREES && watch.should_stop() {
        return Ok(Err(format!("timed out after {} of {TREES} trees", model.rounds())));
    }
    let rows: Vec<usize> = split.held_out.iter().map(|&g| g as usize).collect();
    let held_out = set.data.subset(&rows).relabelled(model.labels());
    let metrics = model.evaluate(&held_out)?;
    let accuracy = metrics.iter().find(|m| m.0 == Metric::Accuracy).map(|m| m.1);
    Ok(Ok(Fold { seconds, accuracy, patterns: None }))
}

fn page(set: &Set, columns: &[Vec<Point>], sizes: usize) -> Page {
    let counted = columns.iter().find(|points| points.iter().any(|p| p.patterns.is_some()));
    let counted: Vec<(f64, f64)> = counted.map_or_else(Vec::new, |c| line(c, |p| p.patterns));
    let printed: Vec<(f64, f64)> =
        (8..).map(f64::from).zip(PRINTED).filter(|p| p.0 <= sizes as f64).collect();
    let accuracy = table("CPDB: mean accuracy (%)", columns, sizes, |p| {
        p.accuracy.map_or_else(|| "–".into(), |a| format!("{:.1}", 100.0 * a))
    });
    let patterns = pattern_table(&counted, &printed, sizes);
    let names = || WAYS.iter().map(|way| way.name);
    let seconds = names().zip(columns.iter().map(|c| line(c, |p| p.seconds))).collect();
    Page {
        title: "Scalability: joint learning against enumerate-and-learn".into(),
        words: vec![format!(
            "CPDB: {} molecules, atoms labelled by element and bonds by order, hydrogens left out.",
            set.data.len()
        )],
        tables: vec![
            ("seconds".into(), time_table(columns, sizes)),
            ("patterns".into(), patterns),
            ("accuracy".into(), accuracy),
        ],
        figures: vec![(
            "Time of a fold, and patterns in its training graphs, by pattern size. A line ends \
             where its way fails."
                .into(),
            vec![
                plot("Time", "seconds", seconds),
                plot("Patterns", "patterns", vec![("here", counted), ("paper", printed)]),
            ],
        )],
        json: json!(names().zip(columns).collect::<std::collections::BTreeMap<_, _>>()),
        ..Page::default()
    }
}

fn time_table(columns: &[Vec<Point>], sizes: usize) -> Table {
    let mut times = table("CPDB: mean seconds of a fold, one thread", columns, sizes, |p| {
        match (p.seconds, &p.stopped) {
            (Some(seconds), None) => format!("{seconds:.3}"),
            (Some(seconds), Some(_)) => format!("{seconds:.3} ({} folds)", p.folds),
            (None, stopped) => stopped.clone().unwrap_or_default(),
        }
    });
    times.note = "100 trees of depth 5, learning rate 0.1. Where not all folds were done within \
                  the time limit, their number follows in brackets; where none was, the reason, \
                  and nothing is tried beyond."
        .into();
    times
}

/// Numbers of patterns by size: what was counted beside what the paper printed.
fn pattern_table(counted: &[(f64, f64)], printed: &[(f64, f64)], sizes: usize) -> Table {
    let mut table = Table::new(
        "CPDB: mean number of patterns in the training graphs",
        &["edges", "here", "paper"],
    );
    let shown = |of: &[(f64, f64)], size: usize| {
        let found = of.iter().find(|p| p.0 == size as f64);
        found.map_or_else(|| "–".into(), |p| format!("{:.1}", p.1))
    };
    for size in 1..=sizes {
        table.row([size.to_string(), shown(counted, size), shown(printed, size)]);
    }
    table
}

/// A plot of named series by size; those without points are left out.
fn plot(title: &str, y: &str, series: Vec<(&str, Vec<(f64, f64)>)>) -> Plot {
    let series = series.into_iter().filter(|(_, points)| !points.is_empty());
    let lines = series
        .map(|(name, points)| Line { name: name.into(), points, ..Line::default() })
        .collect();
    let x = "most edges of a pattern".into();
    Plot { title: title.into(), x, y: y.into(), lines, log: true, ..Plot::default() }
}

/// What is known of a way, by size.
fn line(points: &[Point], of: impl Fn(&Point) -> Option<f64>) -> Vec<(f64, f64)> {
    (1..).map(f64::from).zip(points).filter_map(|(size, p)| Some((size, of(p)?))).collect()
}

/// A row for each size, a column for each way; beyond a way's failure there is nothing.
fn table(title: &str, columns: &[Vec<Point>], sizes: usize, cell: fn(&Point) -> String) -> Table {
    let head: Vec<&str> = std::iter::once("edges").chain(WAYS.iter().map(|w| w.name)).collect();
    let mut table = Table::new(title, &head);
    for size in 1..=sizes {
        let cells = columns.iter().map(|c| c.get(size - 1).map_or_else(|| "–".into(), cell));
        table.row(std::iter::once(size.to_string()).chain(cells));
    }
    table
}
