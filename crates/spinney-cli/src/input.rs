//! Reading what the user names.

use std::path::Path;

use spinney::boosting::ValidParams;
use spinney::boosting::loss::Loss;
use spinney::graph::Graph;
use spinney::io::{self, Format, ReadOptions, Skipped};
use spinney::mining::{estimate_edge_sets, most_edge_sets};
use spinney::representation::covariates::Covariates;
use spinney::representation::views::Views;
use spinney::{Dataset, Engine, Error, Model, Result};
use spinney_chem::Chemistry;

use crate::args::{CommonArgs, ReadingArgs};
use crate::molecules::{self, Kind, Labelling, chemistry_of, is_molecules, request};
use crate::output::{complain, count};

/// At most this many skipped records are listed one by one.
const LISTED: usize = 10;

/// A census of more edge sets (estimated) fits few memories: each takes some 20 bytes.
const MOST_EDGE_SETS: f64 = 2e9;

/// Graphs, and what is known of them besides if they are molecules.
#[derive(Default)]
pub(crate) struct Input {
    pub(crate) data: Dataset,
    /// How molecules became graphs; `None` for graphs.
    pub(crate) chemistry: Option<Chemistry>,
    /// How graphs were made from those given.
    pub(crate) views: Views,
    /// Each molecule as SMILES.
    pub(crate) structures: Vec<String>,
    /// The part of each molecule, if a column of parts was named.
    pub(crate) splits: Option<Vec<String>>,
    /// Which record of the file each molecule is, and how many records it has, skipped ones too.
    pub(crate) places: (Vec<usize>, usize),
    /// The target columns, and their targets record by record.
    pub(crate) target_names: Vec<String>,
    pub(crate) targets: Vec<Vec<Option<String>>>,
}

impl Input {
    /// What a model keeps of how its graphs were made.
    pub(crate) fn representation(&self) -> Option<serde_json::Value> {
        match &self.chemistry {
            Some(chemistry) => Some(chemistry.to_json()),
            None => self.views.to_json(),
        }
    }

    /// The molecules that have a target in the given column; says how many have none. Graphs,
    /// which have their targets with them, stay as they are.
    pub(crate) fn labelled(&self, column: usize, path: &Path) -> Result<Input> {
        let targets = self.targets.get(column).into_iter().cloned().collect();
        let name = self.target_names.get(column).into_iter().cloned().collect();
        let alone = Input {
            data: self.data.clone(),
            chemistry: self.chemistry.clone(),
            views: self.views.clone(),
            structures: self.structures.clone(),
            splits: self.splits.clone(),
            places: self.places.clone(),
            target_names: name,
            targets,
        };
        alone.into_labelled(path)
    }

    /// The same of the first target column, without a copy.
    pub(crate) fn into_labelled(mut self, path: &Path) -> Result<Input> {
        if self.targets.is_empty() {
            return Ok(Input { data: self.data, views: self.views, ..Input::default() });
        }
        let (targets, name) = (self.targets.swap_remove(0), &self.target_names[0]);
        let present: Vec<usize> = (0..targets.len()).filter(|&i| targets[i].is_some()).collect();
        if present.is_empty() {
            return Err(Error::file(path, format!("no record has a target in column {name:?}")));
        }
        let missing = targets.len() - present.len();
        let (data, chemistry) = (self.data.with_targets(targets)?, self.chemistry);
        let (structures, splits, places) = (self.structures, self.splits, self.places);
        if missing == 0 {
            return Ok(Input { data, chemistry, structures, splits, places, ..Input::default() });
        }
        let records = count(missing, "record");
        complain(&format!("spinney: {}: {name}: skipped {records} without target", path.display()));
        let pick = |all: &[String]| present.iter().map(|&i| all[i].clone()).collect::<Vec<_>>();
        Ok(Input {
            data: data.subset(&present),
            chemistry,
            structures: pick(&structures),
            splits: splits.as_deref().map(pick),
            places: (present.iter().map(|&i| places.0[i]).collect(), places.1),
            ..Input::default()
        })
    }
}

/// What to read besides graphs and targets.
#[derive(Clone, Copy, Default)]
pub(crate) struct Beside<'a> {
    /// The column of parts.
    pub(crate) split: Option<&'a str>,
    /// Columns of covariates, to be cut.
    pub(crate) covariates: &'a [String],
    /// Whether graphs are measured, too.
    pub(crate) measures: bool,
    /// Covariates that are cut already.
    pub(crate) known: Option<&'a Covariates>,
}

/// Reads graphs or molecules; says what was skipped; refuses an empty set.
pub(crate) fn read(
    path: &Path,
    reading: &ReadingArgs,
    common: &CommonArgs,
    (labelling, beside): (Labelling, Beside<'_>),
) -> Result<Input> {
    if !is_molecules(path, reading) {
        if !beside.covariates.is_empty() {
            let reason = "are columns of a table of molecules; these are graphs";
            return Err(Error::parameter("covariates", reason));
        }
        let mut views = reading.views(labelling);
        let data = views.apply(&read_graphs(path, reading, common)?);
        views.covariates = match beside.known {
            Some(known) => known.clone(),
            None if beside.measures => Covariates::default().with_measures(&data, views.count()),
            None => Covariates::default(),
        };
        return with_measures(data, views);
    }
    let mut chemistry = reading.molecules.chemistry(labelling);
    chemistry.covariates = beside.known.cloned().unwrap_or_default();
    read_molecules(path, reading, common, (chemistry, beside))
}

/// The same in the paper's view, with nothing beside.
pub(crate) fn read_plain(path: &Path, reading: &ReadingArgs, common: &CommonArgs) -> Result<Input> {
    read(path, reading, common, (Labelling::Plain, Beside::default()))
}

/// Reads graphs or molecules for a model, molecules as it was trained on them.
pub(crate) fn read_for(
    model: &Model,
    path: &Path,
    reading: &ReadingArgs,
    common: &CommonArgs,
) -> Result<Input> {
    reading.refuse_views()?;
    if !is_molecules(path, reading) {
        let Some(views) = Views::of_model(model) else {
            let reason = "graphs, but the model was trained on molecules: give molecules";
            return Err(Error::file(path, reason));
        };
        return with_measures(views.apply(&read_graphs(path, reading, common)?), views);
    }
    reading.molecules.refuse_labels()?;
    read_molecules(path, reading, common, (chemistry_of(model, path)?, Beside::default()))
}

/// Graphs in views, with what they measure.
fn with_measures(data: Dataset, views: Views) -> Result<Input> {
    if views.covariates.is_empty() {
        return Ok(Input { data, views, ..Input::default() });
    }
    if !views.covariates.given().is_empty() {
        let reason = "the model needs covariates beside graphs, which files of graphs do not hold";
        return Err(Error::data(reason));
    }
    let data = views.covariates.apply(&data, views.count(), &[])?;
    Ok(Input { data, views, ..Input::default() })
}

fn read_molecules(
    path: &Path,
    reading: &ReadingArgs,
    common: &CommonArgs,
    (mut chemistry, beside): (Chemistry, Beside<'_>),
) -> Result<Input> {
    let mut request = request(path, reading, beside.split);
    request.columns.covariates = beside.covariates.to_vec();
    let mut loaded = spinney_chem::read::load(&request, &chemistry)?;
    if chemistry.covariates.is_empty() {
        let copies = chemistry.copies().count;
        (loaded, chemistry.covariates) = loaded.with_covariates(copies, beside.measures)?;
    }
    let records = loaded.data.len() + loaded.skipped.len();
    tell_skipped(path, &loaded.skipped, loaded.data.len(), common);
    if loaded.corrected > 0 {
        let corrected = count(loaded.corrected, "molecule");
        common.note(&format!("spinney: {}: put {corrected} right", path.display()));
    }
    if loaded.data.is_empty() {
        return Err(Error::file(path, "contains no molecules"));
    }
    Ok(Input {
        data: loaded.data,
        views: Views::default(),
        chemistry: Some(chemistry),
        structures: loaded.structures,
        splits: loaded.splits,
        places: (loaded.places, records),
        target_names: loaded.target_names,
        targets: loaded.targets,
    })
}

fn read_graphs(path: &Path, reading: &ReadingArgs, common: &CommonArgs) -> Result<Dataset> {
    if reading.format.is_none() && is_json(path) {
        return Err(Error::file(path, "JSON (a model?) where graphs are needed"));
    }
    let format = match reading.format {
        Some(Kind::Graphs(format)) => Some(format),
        _ => None,
    };
    if format.is_none() && path.is_file() && Format::of(path).is_err() {
        let reason = "its name does not tell its kind: graphs are .gsp, .gspan or a TUDataset \
                      folder, molecules .csv, .tsv, .smi, .sdf or .parquet; or say --format with \
                      gspan, tudataset, csv, tsv, smi, sdf or parquet";
        return Err(Error::file(path, reason));
    }
    let outcome = io::read(path, &ReadOptions { format, on_error: reading.on_error })?;
    tell_skipped(path, &outcome.skipped, outcome.data.len(), common);
    if outcome.data.is_empty() {
        return Err(Error::file(path, "contains no graphs"));
    }
    Ok(outcome.data)
}

/// Says what was skipped, the first few one by one.
pub(crate) fn tell_skipped(path: &Path, skipped: &[Skipped], kept: usize, common: &CommonArgs) {
    if skipped.is_empty() {
        return;
    }
    let (bad, kept) = (count(skipped.len(), "bad record"), count(kept, "graph"));
    complain(&format!("spinney: {}: skipped {bad}, kept {kept}", path.display()));
    if common.quiet {
        return;
    }
    skipped.iter().take(LISTED).for_each(|s| complain(&format!("  {s}")));
    if skipped.len() > LISTED {
        complain(&format!("  ... and {} more", skipped.len() - LISTED));
    }
}

/// The numbers of the graphs that were kept, if there is a number for every record of the file; else as they are.
pub(crate) fn of_kept(numbers: Vec<i64>, input: &Input) -> Vec<i64> {
    let (places, records) = &input.places;
    if numbers.len() == *records { places.iter().map(|&p| numbers[p]).collect() } else { numbers }
}

/// The scaffold of each molecule.
pub(crate) fn scaffolds(input: &Input) -> Result<Vec<String>> {
    if input.chemistry.is_none() {
        return Err(Error::parameter("split", "scaffolds are of molecules; these are graphs"));
    }
    Ok(molecules::scaffolds(&input.structures))
}

/// Reads a model; tells who gives graphs in its place.
pub(crate) fn model(path: &Path) -> Result<Model> {
    let is_graphs = || path.exists() && Format::of(path).is_ok();
    Model::load(path).map_err(|e| {
        if is_graphs() {
            Error::file(path, "no model file: give the model first, then the graphs")
        } else {
            e
        }
    })
}

/// Whether the name says JSON, or the content does where the name says nothing.
pub(crate) fn is_json(path: &Path) -> bool {
    let name = path.to_string_lossy();
    if name.ends_with(".json") || name.ends_with(".json.gz") {
        return true;
    }
    let starts = || io::source::open(path).ok()?.fill_buf().ok()?.first().copied();
    Format::of(path).is_err() && path.is_file() && starts() == Some(b'{')
}

/// The targets of `data`, read from `path`, as the parameters understand them.
pub(crate) fn targets(path: &Path, data: &Dataset, params: &ValidParams) -> Result<Loss> {
    Loss::new(params, data).map_err(|e| Error::file(path, e))
}

/// Refuses a census that would fill any memory.
pub(crate) fn check_census(data: &Dataset, max_edges: Option<usize>, engine: Engine) -> Result<()> {
    let most = || most_edge_sets(data.graphs(), max_edges.unwrap_or(usize::MAX));
    if engine != Engine::Census || most() <= MOST_EDGE_SETS {
        return Ok(());
    }
    let sets = edge_sets(data, max_edges);
    if sets <= MOST_EDGE_SETS {
        return Ok(());
    }
    let reason = format!(
        "a census of some {sets:.0e} edge sets would fill the memory: lower --max-edges or use \
         --engine bound, which gives the same"
    );
    Err(Error::parameter("engine", reason))
}

/// About how many connected edge sets of up to `max_edges` edges there are.
pub(crate) fn edge_sets(data: &Dataset, max_edges: Option<usize>) -> f64 {
    let largest = data.graphs().iter().map(Graph::edge_count).max().unwrap_or(0);
    estimate_edge_sets(data.graphs(), max_edges.unwrap_or(largest).min(largest))
}
