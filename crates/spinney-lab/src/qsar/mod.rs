//! The paper's QSAR experiment (section 5.2): trees, stumps and gBoost over the paper's grid.
//!
//! **Cost.** For each data set, fold and setting two trainings: without the fold, and without it
//! and the next one, for the nested choice (`choose`). One census of up to eight edges serves all
//! of them. The rivals run afterwards, each under a time limit.

pub mod printed;
mod search_space;
pub mod sets;
mod tables;

use std::path::Path;

use rayon::prelude::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};
use spinney::boosting::Exploration;
use spinney::evaluation::Split;
use spinney::training::cross_validation::{FoldWork, train_fold};
use spinney::training::{Explored, Prepared, Silent};
use spinney::{Engine, Error, Metric, Params, Request, Result};

use crate::choose::Curves;
use crate::page::Page;
use crate::rivals::export::export;
use crate::rivals::{Outcome, RIVALS, Rival};
use crate::setup::Setup;
use sets::{SOURCES, Set};
use spinney::gboost;
use tables::Results;

/// Settings of the paper's Table "Hyperparameter settings for the QSAR".
const SIZES: [usize; 3] = [4, 6, 8];
const DEPTHS: [usize; 3] = [1, 3, 5];
const RATES: [f64; 4] = [1.0, 0.7, 0.4, 0.1];
const NUS: [f64; 7] = [0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.01];
const TREES: usize = 500;
const LARGEST: usize = 8;
/// How near to the optimum gBoost goes: the authors' own tolerance is not printed.
const TOLERANCE: f64 = 0.01;

/// The data sets of a quick run; rivals run on the first.
const QUICK: [&str; 2] = ["Mutag", "CPDB"];

/// A setting and its curves.
type Settings = Vec<(String, Curves)>;

/// The experiment; quick, it has fewer settings and small data sets only.
pub struct Qsar<'l> {
    /// What it is run with.
    pub setup: Setup<'l>,
}

impl Qsar<'_> {
    /// Runs what the ledger lacks and gives the page.
    ///
    /// # Errors
    /// If data cannot be read, or training or writing fails.
    pub fn run(&self, data: &Path) -> Result<Page> {
        let mut results = Vec::new();
        for source in SOURCES.iter().filter(|s| !self.setup.quick || QUICK.contains(&s.name)) {
            let set = source.read(data)?;
            let prepared = Prepared { data: set.data.clone(), representation: None };
            let explored = explored(&prepared)?;
            let trees = self.trees(&set, &explored)?;
            let stumps: Settings = trees.iter().filter(|s| s.0.contains(" d1 ")).cloned().collect();
            let gboost = self.gboost(&set, explored.exploration())?;
            drop(explored);
            results.push(Results { set, methods: [trees, stumps, gboost], rivals: Vec::new() });
        }
        let has_rivals = |r: &&mut Results| !self.setup.quick || r.set.source.name == QUICK[0];
        for result in results.iter_mut().filter(has_rivals) {
            result.rivals = self.rivals(&result.set)?;
        }
        let mut page = tables::page(&results);
        if let Some(cpdb) = results.iter().find(|r| r.set.source.name == "CPDB") {
            (self.setup.done)("the space that a search of CPDB goes through");
            search_space::add(&cpdb.set.data, &mut page)?;
        }
        let grid = |key: &str| key.contains(" trees ") || key.contains(" gboost ");
        page.about.extend([
            ("Time of our methods".into(), time(self.setup.ledger.seconds(grid))),
            (
                "Time of the rivals, one after another".into(),
                time(self.setup.ledger.seconds(|key| key.contains(" rival "))),
            ),
        ]);
        Ok(page)
    }

    /// What each rival comes to; they run side by side, one a thread.
    fn rivals(&self, set: &Set) -> Result<Vec<(&'static Rival, Outcome)>> {
        // Fingerprints are of molecules, and molecules are not fingerprinted twice.
        let molecules = !set.source.name.contains("types");
        let meant: Vec<&Rival> = RIVALS.iter().filter(|r| molecules || !r.molecules).collect();
        let environment = match &self.setup.rivals {
            Ok(environment) => environment,
            Err(reason) => {
                let outcome = Outcome { stopped: Some(reason.clone()), ..Outcome::default() };
                return Ok(meant.into_iter().map(|rival| (rival, outcome.clone())).collect());
            }
        };
        let sizes = if self.setup.quick { &SIZES[..1] } else { &SIZES[..] };
        let key = |rival: &Rival| {
            let set = set.source.name;
            let limit = self.setup.limit.as_secs();
            format!("{set} rival {} {sizes:?} within {limit} s", rival.name)
        };
        let failed = |e: std::io::Error| Error::failed(format!("no folder for the rivals: {e}"));
        let folder = tempfile::tempdir().map_err(failed)?;
        if !meant.iter().all(|rival| self.setup.ledger.has(&key(rival))) {
            export(folder.path(), set, sizes)?;
        }
        let run = |rival: &'static Rival| {
            let key = key(rival);
            let make = || Ok(rival.run(environment, folder.path(), self.setup.limit));
            let outcome = self.setup.ledger.cell(&key, make)?;
            (self.setup.done)(&key);
            Ok((rival, outcome))
        };
        meant.into_par_iter().with_max_len(1).map(run).collect()
    }

    fn trees(&self, set: &Set, explored: &Explored<'_>) -> Result<Settings> {
        let sizes = if self.setup.quick { &SIZES[..1] } else { &SIZES[..] };
        let rates = if self.setup.quick { &RATES[2..] } else { &RATES[..] };
        let mut settings = Vec::new();
        for &max_edges in sizes {
            for &depth in &DEPTHS {
                settings.extend(rates.iter().map(|&rate| TreeSetting { max_edges, depth, rate }));
            }
        }
        let trees = if self.setup.quick { 100 } else { TREES };
        let run = |&TreeSetting { max_edges, depth, rate }: &TreeSetting| {
            let setting = format!("x{max_edges} d{depth} η{rate}");
            let key = format!("{} trees {setting} k{trees}", set.source.name);
            let params = Params {
                max_edges: Some(max_edges).into(),
                depth: depth.into(),
                learning_rate: rate,
                trees: trees.into(),
                ..Params::paper()
            };
            let request = Request::paper().with_params(params);
            let curves = self.setup.ledger.cell(&key, || tree_curves(set, explored, &request))?;
            (self.setup.done)(&key);
            Ok((setting, curves))
        };
        settings.iter().map(run).collect()
    }

    fn gboost(&self, set: &Set, exploration: &Exploration<'_>) -> Result<Settings> {
        let sizes = if self.setup.quick { &SIZES[..1] } else { &SIZES[..] };
        let nus = if self.setup.quick { &NUS[1..4] } else { &NUS[..] };
        let mut settings = Vec::new();
        for &max_edges in sizes {
            let key = format!("{} gboost x{max_edges} ν{nus:?} ±{TOLERANCE}", set.source.name);
            let curves: Vec<Curves> =
                self.setup.ledger.cell(&key, || gboost_curves(set, exploration, max_edges, nus))?;
            (self.setup.done)(&key);
            let names = nus.iter().map(|nu| format!("x{max_edges} ν{nu}"));
            settings.extend(names.zip(curves));
        }
        Ok(settings)
    }
}

/// One census of all sizes of the grid.
fn explored(prepared: &Prepared) -> Result<Explored<'_>> {
    let params = Params { max_edges: Some(LARGEST).into(), ..Params::paper() };
    let request = Request { engine: Engine::Census, ..Request::paper().with_params(params) };
    Explored::new(prepared, &[request], &Silent)
}

/// A setting of the paper's grid of trees.
#[derive(Clone, Copy)]
struct TreeSetting {
    max_edges: usize,
    depth: usize,
    rate: f64,
}

fn tree_curves(set: &Set, explored: &Explored<'_>, request: &Request) -> Result<Curves> {
    let train = |train: &[u32], test: &[u32]| -> Result<Vec<(f32, f32)>> {
        let split = Split { train: train.to_vec(), held_out: test.to_vec() };
        let value = |valid: &[(Metric, f64)], metric: Metric| {
            valid.iter().find(|v| v.0 == metric).map_or(f32::NAN, |v| v.1 as f32)
        };
        let trained = train_fold(explored, request, &split, FoldWork::silent())?;
        let rounds = trained.map_or_else(Vec::new, |fold| fold.rounds);
        let both =
            |valid: &[(Metric, f64)]| (value(valid, Metric::Accuracy), value(valid, Metric::Auc));
        Ok(rounds.iter().map(|round| both(&round.valid)).collect())
    };
    let folds: Vec<[Vec<f32>; 3]> = (0..set.folds.count())
        .into_par_iter()
        .map(|f| {
            let [all, fewer, test, next] = set.parts(f);
            let (accuracy, auc) = train(&all, &test)?.into_iter().unzip();
            let (inner, _): (Vec<f32>, Vec<f32>) = train(&fewer, &next)?.into_iter().unzip();
            Ok([accuracy, auc, inner])
        })
        .collect::<Result<_>>()?;
    Ok(by_fold(folds))
}

fn by_fold(folds: Vec<[Vec<f32>; 3]>) -> Curves {
    let mut curves = Curves { accuracy: Vec::new(), auc: Vec::new(), inner: Vec::new() };
    for [accuracy, auc, inner] in folds {
        curves.accuracy.push(accuracy);
        curves.auc.push(auc);
        curves.inner.push(inner);
    }
    curves
}

/// The curves of all ν: of one round each. Large ν come first, and hand on their stumps.
fn gboost_curves(
    set: &Set,
    exploration: &Exploration<'_>,
    max_edges: usize,
    nus: &[f64],
) -> Result<Vec<Curves>> {
    let targets = set.data.numbers()?;
    let base =
        gboost::Params { max_edges: Some(max_edges), tolerance: TOLERANCE, ..Default::default() };
    let path = |train: &[u32], test: &[u32]| -> Result<Vec<(f32, f32)>> {
        let signs = train.iter().map(|&g| targets[g as usize]).collect();
        let mut machine = gboost::Machine::new(exploration, &base, train, signs);
        let solve = |&nu: &f64| {
            let learned = machine.solve(&gboost::Params { nu, ..base.clone() })?;
            let (accuracy, auc) = machine.measure(&learned, test, &targets);
            Ok((accuracy as f32, auc as f32))
        };
        nus.iter().map(solve).collect()
    };
    let folds: Vec<[Vec<(f32, f32)>; 2]> = (0..set.folds.count())
        .into_par_iter()
        .map(|f| {
            let [all, fewer, test, next] = set.parts(f);
            Ok([path(&all, &test)?, path(&fewer, &next)?])
        })
        .collect::<Result<_>>()?;
    let of = |i: usize| {
        by_fold(
            folds
                .iter()
                .map(|[own, inner]| [vec![own[i].0], vec![own[i].1], vec![inner[i].0]])
                .collect(),
        )
    };
    Ok((0..nus.len()).map(of).collect())
}

fn time(seconds: f64) -> String {
    // A sum of nothing is −0.
    let seconds = seconds.abs();
    format!("{:.0} min {:02.0} s", (seconds / 60.0).floor(), seconds % 60.0)
}
