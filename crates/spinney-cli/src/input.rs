//! Reading what the user names.

use std::path::Path;

use spinney::boosting::loss::Loss;
use spinney::graph::Graph;
use spinney::io::{self, Format, ReadOptions, Skipped};
use spinney::mining::estimate_edge_sets;
use spinney::representation::covariates::Covariates;
use spinney::representation::views::Views;
use spinney::representation::{CovariateColumns, Representation};
use spinney::training::Prepared;
use spinney::{Dataset, Error, Model, Params, Result};
use spinney_chem::Chemistry;

use crate::args::{CommonArgs, ReadingArgs};
use crate::molecules::{self, InputFormat, Labelling, chemistry_of, is_molecules, request};
use crate::output::{complain, count};

/// At most this many skipped records are listed one by one.
const LISTED: usize = 10;

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
    pub(crate) records: RecordNumbers,
    /// The target columns, and their targets record by record.
    pub(crate) target_names: Vec<String>,
    pub(crate) targets: Vec<Vec<Option<String>>>,
    /// Records that were left out because none of the columns has a target for them.
    without_any_target: usize,
}

/// Which record of the file each molecule is.
#[derive(Clone, Debug, Default)]
pub(crate) struct RecordNumbers {
    /// By molecule, counted from 0.
    of_graph: Vec<usize>,
    /// How many records the file has, skipped ones too.
    total: usize,
}

impl Input {
    /// What a model keeps of how its graphs were made.
    pub(crate) fn representation(&self) -> Option<serde_json::Value> {
        match &self.chemistry {
            Some(chemistry) => chemistry.to_json(),
            None => self.views.to_json(),
        }
    }

    /// The graphs for training, with the targets of a column; those of graphs come with them.
    ///
    /// # Errors
    /// If no record has a target in that column.
    pub(crate) fn labelled(&self, column: usize, path: &Path) -> Result<Labelled> {
        let data = self.data.clone();
        let representation = self.representation();
        let Some(targets) = self.targets.get(column) else {
            let graphs = (0..data.len() as u32).collect();
            return Ok(Labelled { prepared: Prepared { data, representation }, graphs });
        };
        let data = data.with_targets(targets.clone())?;
        let graphs = data.with_target();
        let name = &self.target_names[column];
        if graphs.is_empty() {
            return Err(Error::file(path, format!("no record has a target in column {name:?}")));
        }
        let missing = data.len() + self.without_any_target - graphs.len();
        if missing > 0 {
            let records = count(missing, "record");
            let path = path.display();
            complain(&format!("spinney: {path}: {name}: skipped {records} without target"));
        }
        Ok(Labelled { prepared: Prepared { data, representation }, graphs })
    }

    /// All graphs, with the targets that come with them.
    pub(crate) fn prepared(&self) -> Prepared {
        Prepared { data: self.data.clone(), representation: self.representation() }
    }

    /// The labelled graphs alone, with what is known of them.
    pub(crate) fn some_of(&self, labelled: &Labelled) -> LabelledSample {
        let data = &labelled.prepared.data;
        if labelled.graphs.len() == data.len() {
            return LabelledSample { data: data.clone(), structures: self.structures.clone() };
        }
        let graphs: Vec<usize> = labelled.graphs.iter().map(|&g| g as usize).collect();
        let structure = |&graph: &usize| self.structures.get(graph).cloned();
        let structures = graphs.iter().filter_map(structure).collect();
        LabelledSample { data: data.subset(&graphs), structures }
    }

    /// The records that have a target in at least one of the columns.
    pub(crate) fn with_any_target(self) -> Input {
        let has_any = |i: &usize| self.targets.iter().any(|column| column[*i].is_some());
        let kept: Vec<usize> = (0..self.data.len()).filter(has_any).collect();
        if self.targets.is_empty() || kept.len() == self.data.len() || kept.is_empty() {
            return self;
        }
        let without_any_target = self.data.len() - kept.len();
        Input { without_any_target, ..self.subset(&kept) }
    }

    /// Some of the records.
    fn subset(&self, kept: &[usize]) -> Input {
        let pick = |all: &[String]| kept.iter().map(|&i| all[i].clone()).collect::<Vec<_>>();
        let pick_targets = |all: &Vec<Option<String>>| -> Vec<Option<String>> {
            kept.iter().map(|&i| all[i].clone()).collect()
        };
        Input {
            data: self.data.subset(kept),
            chemistry: self.chemistry.clone(),
            views: self.views.clone(),
            structures: if self.structures.is_empty() {
                Vec::new()
            } else {
                pick(&self.structures)
            },
            splits: self.splits.as_deref().map(pick),
            records: RecordNumbers {
                of_graph: kept.iter().map(|&i| self.records.of_graph[i]).collect(),
                total: self.records.total,
            },
            target_names: self.target_names.clone(),
            targets: self.targets.iter().map(pick_targets).collect(),
            without_any_target: self.without_any_target,
        }
    }

    /// These records, then others of the same kind, with the same target columns.
    ///
    /// # Errors
    /// If the others lack a target column.
    pub(crate) fn followed_by(self, more: Input, path: &Path) -> Result<Input> {
        let mut targets = Vec::new();
        for (name, own) in self.target_names.iter().zip(self.targets) {
            let Some(at) = more.target_names.iter().position(|other| other == name) else {
                return Err(Error::file(path, format!("has no column {name:?}")));
            };
            targets.push([&own[..], &more.targets[at]].concat());
        }
        Ok(Input {
            data: self.data.concatenated(&more.data)?,
            structures: [self.structures, more.structures].concat(),
            targets,
            target_names: self.target_names,
            chemistry: self.chemistry,
            views: self.views,
            ..Input::default()
        })
    }

    /// The records with the targets of the first column, those without one left out.
    pub(crate) fn into_labelled(self, path: &Path) -> Result<Input> {
        if self.targets.is_empty() {
            return Ok(self);
        }
        let Labelled { prepared, graphs } = self.labelled(0, path)?;
        let labelled = Input { data: prepared.data, ..self };
        if graphs.len() == labelled.data.len() {
            return Ok(labelled);
        }
        Ok(labelled.subset(&graphs.iter().map(|&g| g as usize).collect::<Vec<_>>()))
    }
}

/// The labelled graphs alone, in their order.
pub(crate) struct LabelledSample {
    pub(crate) data: Dataset,
    /// Each molecule as SMILES.
    pub(crate) structures: Vec<String>,
}

/// Graphs with the targets of one column.
pub(crate) struct Labelled {
    pub(crate) prepared: Prepared,
    /// The graphs that have a target, ascending.
    pub(crate) graphs: Vec<u32>,
}

/// How graphs are labelled, and what to read besides graphs and targets.
#[derive(Clone, Copy)]
pub(crate) struct Reading<'a> {
    pub(crate) labelling: Labelling,
    /// The column of parts.
    pub(crate) split: Option<&'a str>,
    /// Columns of covariates, to be cut.
    pub(crate) covariates: &'a [String],
    /// Whether graphs are measured, too.
    pub(crate) measures: bool,
    /// Covariates that are cut already.
    pub(crate) known: Option<&'a Covariates>,
}

impl Reading<'_> {
    /// Graphs and targets alone.
    pub(crate) fn new(labelling: Labelling) -> Self {
        Reading { labelling, split: None, covariates: &[], measures: false, known: None }
    }
}

/// Reads graphs or molecules; says what was skipped; refuses an empty set.
pub(crate) fn read(
    path: &Path,
    reading: &ReadingArgs,
    common: &CommonArgs,
    wanted: Reading<'_>,
) -> Result<Input> {
    if !is_molecules(path, reading) {
        if !wanted.covariates.is_empty() {
            let reason = "are columns of a table of molecules; these are graphs";
            return Err(Error::parameter("covariates", reason));
        }
        let raw = read_graphs(path, reading, common)?;
        let mut views = reading.views(wanted.labelling);
        if let Some(known) = wanted.known {
            views.covariates = known.clone();
            return applied(&raw, views);
        }
        let none = CovariateColumns::default();
        let Prepared { data, .. } = Prepared::new(&raw, &none, wanted.measures, &mut views)?;
        return Ok(Input { data, views, ..Input::default() });
    }
    let mut chemistry = reading.molecules.chemistry(wanted.labelling);
    chemistry.covariates = wanted.known.cloned().unwrap_or_default();
    read_molecules(path, reading, common, MoleculeReading { chemistry, wanted })
}

/// The same in the paper's view, with nothing wanted.
pub(crate) fn read_plain(path: &Path, reading: &ReadingArgs, common: &CommonArgs) -> Result<Input> {
    read(path, reading, common, Reading::new(Labelling::Plain))
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
        return applied(&read_graphs(path, reading, common)?, views);
    }
    reading.molecules.refuse_labels()?;
    let chemistry = chemistry_of(model, path)?;
    let wanted = Reading::new(Labelling::Plain);
    read_molecules(path, reading, common, MoleculeReading { chemistry, wanted })
}

/// Graphs in views that are fitted already.
fn applied(raw: &Dataset, views: Views) -> Result<Input> {
    if !views.covariates.given().is_empty() {
        let reason = "the model needs covariates beside graphs, which files of graphs do not hold";
        return Err(Error::data(reason));
    }
    let data = views.apply(raw, &[])?;
    Ok(Input { data, views, ..Input::default() })
}

/// How molecules become graphs, and what else to read.
struct MoleculeReading<'a> {
    chemistry: Chemistry,
    wanted: Reading<'a>,
}

fn read_molecules(
    path: &Path,
    reading: &ReadingArgs,
    common: &CommonArgs,
    MoleculeReading { mut chemistry, wanted }: MoleculeReading<'_>,
) -> Result<Input> {
    let mut request = request(path, reading, wanted.split);
    request.columns.covariates = wanted.covariates.to_vec();
    let mut loaded = spinney_chem::read::load(&request, &chemistry)?;
    if chemistry.covariates.is_empty() {
        let columns = loaded.covariate_columns();
        let measures = wanted.measures;
        loaded.data = Prepared::new(&loaded.data, &columns, measures, &mut chemistry)?.data;
    }
    let total = loaded.data.len() + loaded.skipped.len();
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
        records: RecordNumbers { of_graph: loaded.places, total },
        target_names: loaded.target_names,
        targets: loaded.targets,
        without_any_target: 0,
    })
}

fn read_graphs(path: &Path, reading: &ReadingArgs, common: &CommonArgs) -> Result<Dataset> {
    if reading.format.is_none() && is_json(path) {
        return Err(Error::file(path, "JSON (a model?) where graphs are needed"));
    }
    let format = match reading.format {
        Some(InputFormat::Graphs(format)) => Some(format),
        _ => None,
    };
    if format.is_none() && path.is_file() && Format::of(path).is_err() {
        let reason = "its name does not show its format: graphs are .gsp, .gspan or a TUDataset \
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
    let bad = count(skipped.len(), "bad record");
    let kept = count(kept, "graph");
    complain(&format!("spinney: {}: skipped {bad}, kept {kept}", path.display()));
    if common.quiet {
        return;
    }
    skipped.iter().take(LISTED).for_each(|s| complain(&format!("  {s}")));
    if skipped.len() > LISTED {
        complain(&format!("  ... and {} more", skipped.len() - LISTED));
    }
}

/// The numbers of some graphs, if there is a number for every record of the file, or for every one
/// that was read; else as they are.
pub(crate) fn of_kept(numbers: Vec<i64>, input: &Input, graphs: &[u32]) -> Vec<i64> {
    let RecordNumbers { of_graph, total } = &input.records;
    if numbers.len() == *total && !of_graph.is_empty() {
        graphs.iter().map(|&graph| numbers[of_graph[graph as usize]]).collect()
    } else if numbers.len() == input.data.len() {
        graphs.iter().map(|&graph| numbers[graph as usize]).collect()
    } else {
        numbers
    }
}

/// The scaffold of each molecule.
pub(crate) fn scaffolds(input: &Input) -> Result<Vec<String>> {
    if input.chemistry.is_none() {
        return Err(Error::parameter("split", "scaffolds are of molecules; these are graphs"));
    }
    Ok(molecules::scaffolds(&input.structures))
}

/// Reads a model; the error says where graphs were given instead.
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

/// Checks the targets of some graphs, read from `path`; gives the loss that suits them.
pub(crate) fn check_targets(path: &Path, labelled: &Labelled, params: &Params) -> Result<Loss> {
    let data = &labelled.prepared.data;
    let required = data.require_targets(&labelled.graphs);
    required.and_then(|()| Loss::new(&params.fixed(), data)).map_err(|e| Error::file(path, e))
}

/// About how many connected edge sets of up to `max_edges` edges there are.
pub(crate) fn edge_sets(data: &Dataset, max_edges: Option<usize>) -> f64 {
    let largest = data.graphs().iter().map(Graph::edge_count).max().unwrap_or(0);
    estimate_edge_sets(data.graphs(), max_edges.unwrap_or(largest).min(largest))
}
