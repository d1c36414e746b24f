//! Files of molecules to data sets of graphs.
//!
//! Records are read one after another, parsed side by side, and joined in the order of the file.
//!
//! **Invariant.** The result does not depend on the number of threads: records are cut into parts
//! of fixed size, each part is parsed with a label dictionary of its own, and the parts'
//! dictionaries are joined in the order of the file, which gives the labels the order of their
//! first occurrence. Bad records leave no labels. With [`OnError::Fail`] the first bad record in
//! the order of the file is the error.
//!
//! **Cost.** Nearly all of it is the toolkit's parsing. [`for_each_batch`] holds one batch in
//! memory, [`load`](load()) the whole file.

use std::path::{Path, PathBuf};

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use spinney::dataset::GraphRecord;
use spinney::graph::Graph;
use spinney::io::{OnError, Skipped};
use spinney::labels::Labels;
use spinney::representation::{CovariateColumns, Representation};
use spinney::{Dataset, Error, Result};

use super::{BadRecord, Columns, MoleculeFormat, RawRecord, ReadError, Reader, Structure};
use super::{lenient, open};
use crate::chemistry::Scribe;
use crate::fast_smiles::FastSmiles;
use crate::toolkit::smiles_of_mol_block;
use crate::{Chemistry, Molecule};

/// Records parsed as one task.
const PART: usize = 64;
/// Records read before any is parsed, when all are wanted.
const BATCH: usize = 4096;
/// Bytes of structures after which a batch is full, however few its records.
const BATCH_BYTES: usize = 32 << 20;

/// What to read, and how.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The file; `-` is standard input, for which the format must be given.
    pub path: PathBuf,
    /// The kind of file; `None` takes it from the name.
    pub format: Option<MoleculeFormat>,
    /// Which column is what.
    pub columns: Columns,
    /// What to do with a bad record.
    pub on_error: OnError,
    /// Whether structures that RDKit refuses are put right where what they mean is known.
    pub lenient: bool,
}

/// Molecules as graphs, with all that their file says of them.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The graphs; their targets are those of the first target column, if there is one.
    pub data: Dataset,
    /// Each molecule as SMILES.
    pub structures: Vec<String>,
    /// The names of the target columns.
    pub target_names: Vec<String>,
    /// The targets as written, by column: `targets[column][record]`.
    pub targets: Vec<Vec<Option<String>>>,
    /// The names of the columns of covariates.
    pub covariate_names: Vec<String>,
    /// Their values by column, `covariates[column][record]`, NaN where one is missing.
    pub covariates: Vec<Vec<f64>>,
    /// The part of each record, if there is a column of parts.
    pub splits: Option<Vec<String>>,
    /// Which record each molecule is, counted from 0 with those that were left out.
    pub places: Vec<usize>,
    /// The records that were left out, in the order of the file.
    pub skipped: Vec<Skipped>,
    /// How many molecules were put right because the request was lenient.
    pub corrected: usize,
}

/// Reads a whole file. Covariates of `chemistry`, if it has any, become vertices of the graphs;
/// those that the request names are given, for [`Loaded::covariate_columns`].
///
/// # Errors
/// A file that cannot be read, a column that it lacks, or a bad record (unless
/// [`OnError::Skip`] leaves it out).
pub fn load(request: &Request, chemistry: &Chemistry) -> Result<Loaded> {
    let mut reader = open_requested(request, request.columns.clone(), chemistry)?;
    let mut assembly = Assembly::new(request, &reader);
    let mut batch = Batch::read(&mut reader, BATCH);
    loop {
        // The next records are read while these are parsed.
        let raw = std::mem::take(&mut batch.raw);
        let next = || batch.more.then(|| Batch::read(&mut reader, BATCH));
        let (parts, next) = rayon::join(|| parse(raw, chemistry, request.lenient), next);
        assembly.join_all(parts)?;
        match (batch.stop, next) {
            (Some(error), _) => return Err(error),
            (None, Some(next)) => batch = next,
            (None, None) => return assembly.finish(chemistry),
        }
    }
}

/// Reads a file in batches of at most `batch_size` records and hands each batch to `each`, in
/// order; a batch has a label dictionary of its own. Memory does not grow with the file. Weights
/// are not read.
///
/// # Errors
/// As [`load`](load()), after the batches before the fault have been handed over; or what `each`
/// gives.
pub fn for_each_batch(
    request: &Request,
    chemistry: &Chemistry,
    batch_size: usize,
    mut each: impl FnMut(Loaded) -> Result<()>,
) -> Result<()> {
    let columns = Columns { weight: None, ..request.columns.clone() };
    let mut reader = open_requested(request, columns, chemistry)?;
    loop {
        let mut assembly = Assembly::new(request, &reader);
        let more = assembly.read(&mut reader, chemistry, batch_size.max(1))?;
        if !assembly.is_empty() {
            each(assembly.finish(chemistry)?)?;
        }
        if !more {
            return Ok(());
        }
    }
}

impl Loaded {
    /// The columns of covariates.
    #[must_use]
    pub fn covariate_columns(&self) -> CovariateColumns {
        CovariateColumns { names: self.covariate_names.clone(), values: self.covariates.clone() }
    }
}

fn open_requested(
    request: &Request,
    mut columns: Columns,
    chemistry: &Chemistry,
) -> Result<Reader> {
    if !chemistry.covariates.is_empty() {
        columns.covariates = chemistry.covariates.given();
    }
    let format = request.format.or_else(|| MoleculeFormat::of(&request.path));
    let Some(format) = format else {
        let reason = "its name does not show its format; known formats of molecules: .csv, \
                      .tsv, .smi, .sdf, .mol, each also .gz, and .parquet; or say --format";
        return Err(Error::file(&request.path, reason));
    };
    open(&request.path, format, &columns)
}

/// What has been read so far.
struct Assembly<'r> {
    path: &'r Path,
    on_error: OnError,
    lenient: bool,
    labels: Labels,
    records: Vec<GraphRecord>,
    weights: Vec<f64>,
    loaded: Loaded,
}

type Outcome = std::result::Result<Parsed, BadRecord>;

/// Records read but not yet parsed.
struct Batch {
    raw: Vec<std::result::Result<RawRecord, BadRecord>>,
    /// Whether more may follow.
    more: bool,
    /// Why nothing follows, if that is an error.
    stop: Option<Error>,
}

impl Batch {
    fn read(reader: &mut Reader, most: usize) -> Batch {
        let mut batch = Batch { raw: Vec::new(), more: true, stop: None };
        let mut bytes = 0;
        while batch.more && batch.raw.len() < most && bytes < BATCH_BYTES {
            match reader.next() {
                Some(Ok(record)) => {
                    bytes += record.id.len() + record.structure.text().len();
                    batch.raw.push(Ok(record));
                }
                Some(Err(ReadError::Record(bad))) => batch.raw.push(Err(bad)),
                Some(Err(ReadError::Stop(error))) => {
                    (batch.more, batch.stop) = (false, Some(error));
                }
                None => batch.more = false,
            }
        }
        batch
    }
}

/// A record whose molecule is understood.
struct Parsed {
    raw: RawRecord,
    graph: Graph,
    smiles: String,
    corrected: bool,
}

impl<'r> Assembly<'r> {
    fn new(request: &'r Request, reader: &Reader) -> Assembly<'r> {
        let target_names = reader.target_names().to_vec();
        let targets = vec![Vec::new(); target_names.len()];
        let covariate_names = reader.covariate_names();
        let covariates = vec![Vec::new(); covariate_names.len()];
        Assembly {
            path: &request.path,
            on_error: request.on_error,
            lenient: request.lenient,
            labels: Labels::default(),
            records: Vec::new(),
            weights: Vec::new(),
            loaded: Loaded {
                target_names,
                targets,
                covariate_names,
                covariates,
                ..Loaded::default()
            },
        }
    }

    fn is_empty(&self) -> bool {
        self.records.is_empty() && self.loaded.skipped.is_empty()
    }

    /// Takes the next `most` records; whether more may follow.
    fn read(&mut self, reader: &mut Reader, chemistry: &Chemistry, most: usize) -> Result<bool> {
        let Batch { raw, more, stop } = Batch::read(reader, most);
        self.join_all(parse(raw, chemistry, self.lenient))?;
        stop.map_or(Ok(more), Err)
    }

    fn join_all(&mut self, parts: Vec<(Labels, Vec<Outcome>)>) -> Result<()> {
        parts.into_iter().try_for_each(|(labels, outcomes)| self.join(&labels, outcomes))
    }

    fn join(&mut self, labels: &Labels, outcomes: Vec<Outcome>) -> Result<()> {
        let vertex = labels.vertex.names().iter().map(|n| self.labels.vertex.intern(n));
        let vertex: Vec<u32> = vertex.collect();
        let edge: Vec<u32> =
            labels.edge.names().iter().map(|n| self.labels.edge.intern(n)).collect();
        for outcome in outcomes {
            match outcome {
                Ok(mut parsed) => {
                    parsed.graph.relabel(&vertex, &edge);
                    self.keep(parsed);
                }
                Err(bad) if self.on_error == OnError::Fail => {
                    return Err(Error::line(self.path, bad.line, bad.reason));
                }
                Err(bad) => self.loaded.skipped.push(Skipped {
                    place: format!("{}:{}", self.path.display(), bad.line),
                    id: bad.id,
                    reason: bad.reason,
                }),
            }
        }
        Ok(())
    }

    fn keep(&mut self, parsed: Parsed) {
        let Parsed { raw, graph, smiles, corrected } = parsed;
        let target = raw.targets.first().cloned().flatten();
        self.loaded.places.push(self.records.len() + self.loaded.skipped.len());
        self.records.push(GraphRecord { graph, id: raw.id, target });
        self.weights.extend(raw.weight);
        let loaded = &mut self.loaded;
        loaded.structures.push(smiles);
        loaded.targets.iter_mut().zip(raw.targets).for_each(|(column, t)| column.push(t));
        loaded.covariates.iter_mut().zip(raw.covariates).for_each(|(column, v)| column.push(v));
        if let Some(part) = raw.split {
            loaded.splits.get_or_insert_default().push(part);
        }
        loaded.corrected += usize::from(corrected);
    }

    fn finish(self, chemistry: &Chemistry) -> Result<Loaded> {
        let data = Dataset::new(&self.labels, self.records);
        let data = if self.weights.is_empty() { data } else { data.with_weights(self.weights)? };
        if chemistry.covariates.is_empty() {
            return Ok(Loaded { data, ..self.loaded });
        }
        let data = chemistry.apply(&data, &self.loaded.covariates)?;
        Ok(Loaded { data, ..self.loaded })
    }
}

/// The molecules of records, in order, in parts with a dictionary each.
fn parse(
    raw: Vec<std::result::Result<RawRecord, BadRecord>>,
    chemistry: &Chemistry,
    lenient: bool,
) -> Vec<(Labels, Vec<Outcome>)> {
    let mut raw = raw.into_iter();
    let parts = std::iter::from_fn(|| {
        let part: Vec<_> = raw.by_ref().take(PART).collect();
        (!part.is_empty()).then_some(part)
    });
    let parts: Vec<_> = parts.collect();
    let parsed = parts.into_par_iter().map_init(FastSmiles::default, |fast_smiles, part| {
        let mut scribe = Scribe::default();
        let one = |record: std::result::Result<RawRecord, BadRecord>| {
            let mut raw = record?;
            let structure = std::mem::replace(&mut raw.structure, Structure::Smiles(String::new()));
            match molecule(structure, lenient, chemistry, fast_smiles) {
                Ok((molecule, smiles, corrected)) => {
                    let graph = chemistry.graph_by(&molecule, &mut scribe);
                    Ok(Parsed { raw, graph, smiles, corrected })
                }
                Err(reason) => Err(BadRecord { line: raw.line, id: raw.id, reason }),
            }
        };
        let outcomes = part.into_iter().map(one).collect();
        (scribe.labels, outcomes)
    });
    parsed.collect()
}

/// The molecule, as far as labels look at it, its SMILES, and whether it was put right.
fn molecule(
    structure: Structure,
    lenient: bool,
    chemistry: &Chemistry,
    fast_smiles: &mut FastSmiles,
) -> std::result::Result<(Molecule, String, bool), String> {
    let smiles = match structure {
        Structure::Smiles(text) if text.trim().len() == text.len() => text,
        Structure::Smiles(text) => text.trim().to_owned(),
        Structure::MolBlock(block) => smiles_of_mol_block(&block)?,
    };
    match molecule_of(&smiles, chemistry, fast_smiles) {
        Ok(molecule) => Ok((molecule, smiles, false)),
        Err(reason) => {
            let corrected = lenient.then(|| lenient::corrected(&smiles)).flatten();
            let corrected = corrected.ok_or_else(|| reason.clone())?;
            let molecule = chemistry.molecule(&corrected).map_err(|_| reason)?;
            Ok((molecule, corrected, true))
        }
    }
}

/// The molecule of a SMILES without blanks around it, as far as labels look at it.
pub(super) fn molecule_of(
    smiles: &str,
    chemistry: &Chemistry,
    fast_smiles: &mut FastSmiles,
) -> std::result::Result<Molecule, String> {
    let fast_reader_suffices = !chemistry.hydrogens && !chemistry.looks_at_orders();
    let molecule = fast_reader_suffices.then(|| fast_smiles.read(smiles)).flatten();
    molecule.map_or_else(|| chemistry.molecule(smiles), Ok)
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use spinney::io::OnError;

    use super::{BATCH, Loaded, Request, for_each_batch, load};
    use crate::Chemistry;
    use crate::read::{Columns, MoleculeFormat, Targets};

    struct File {
        _folder: tempfile::TempDir,
        path: PathBuf,
    }

    fn file(name: &str, content: &[u8]) -> File {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        File { _folder: folder, path }
    }

    fn request(file: &File, on_error: OnError) -> Request {
        let targets = Targets::Named(vec!["y".into(), "z".into()]);
        let columns = Columns { targets, ..Columns::default() };
        Request { path: file.path.clone(), columns, on_error, ..Request::default() }
    }

    const BAD_ROWS: &[u8] = b"smiles,y,z\nCCO,1,a\nC1CC,1,b\nC(C)(C)(C)(C)C,0,c\n,1,d\nC\0C,1,e\n\
          \xff,1,f\nC,1\nCN,,g\n";

    #[test]
    fn good_records_become_graphs_and_bad_ones_are_listed() {
        let file = file("a.csv", BAD_ROWS);
        let loaded = load(&request(&file, OnError::Skip), &Chemistry::default()).unwrap();
        assert_eq!(loaded.data.ids(), ["1", "8"]);
        assert_eq!(loaded.structures, ["CCO", "CN"]);
        assert_eq!(loaded.target_names, ["y", "z"]);
        assert_eq!(loaded.targets[0], [Some("1".to_owned()), None]);
        assert_eq!(loaded.targets[1], [Some("a".to_owned()), Some("g".to_owned())]);
        assert_eq!(loaded.data.targets(), loaded.targets[0]);
        assert_eq!(loaded.data.labels().vertex.len(), 4);
        let reasons = ["ring", "valence", "empty SMILES", "NUL byte", "UTF-8", "2 fields where"];
        assert_eq!(loaded.skipped.len(), reasons.len());
        for (i, (skipped, reason)) in loaded.skipped.iter().zip(reasons).enumerate() {
            assert!(skipped.place.ends_with(&format!("a.csv:{}", i + 3)), "{skipped}");
            assert!(skipped.reason.to_lowercase().contains(&reason.to_lowercase()), "{skipped}");
            assert_eq!(skipped.id, (i + 2).to_string());
        }
    }

    #[test]
    fn the_first_bad_record_is_the_error() {
        let content = format!("smiles,y,z\n{}C1CC,1,1\nC\n", "CCO,1,1\n".repeat(PART_AND_SOME));
        let file = file("a.csv", content.as_bytes());
        let error = load(&request(&file, OnError::Fail), &Chemistry::default()).unwrap_err();
        let place = format!("a.csv:{}: ", PART_AND_SOME + 2);
        assert!(error.to_string().contains(&place) && error.is_bad_input(), "{error}");
    }

    const PART_AND_SOME: usize = BATCH + super::PART + 3;

    #[test]
    fn batches_and_threads_change_nothing() {
        let rows: String = (0..1000).map(|i| format!("{}O,{i},\n", "C".repeat(i % 9))).collect();
        let file = file("a.csv", format!("smiles,y,z\n{rows}").as_bytes());
        let request = request(&file, OnError::Fail);
        let load_on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| load(&request, &Chemistry::default())).unwrap()
        };
        let one = load_on(1);
        let three = load_on(3);
        let same = |a: &Loaded, b: &Loaded| {
            a.data.labels() == b.data.labels() && a.data.graphs() == b.data.graphs()
        };
        assert!(same(&one, &three));
        let mut seen = 0;
        for_each_batch(&request, &Chemistry::default(), 7, |batch| {
            let translated = batch.data.relabelled(one.data.labels());
            let here = seen..seen + batch.data.len();
            assert_eq!(translated.graphs(), &one.data.graphs()[here.clone()]);
            assert_eq!(translated.ids(), &one.data.ids()[here.clone()]);
            seen = here.end;
            Ok(())
        })
        .unwrap();
        assert_eq!(seen, 1000);
    }

    #[test]
    fn a_huge_line_is_refused_quickly() {
        let content = format!("smiles,y,z\nC,1,1\n{},1,1\nO,1,1\n", "C".repeat(10 << 20));
        let file = file("a.csv", content.as_bytes());
        let loaded = load(&request(&file, OnError::Skip), &Chemistry::default()).unwrap();
        assert_eq!((loaded.data.len(), loaded.skipped.len()), (2, 1));
        assert!(loaded.skipped[0].reason.contains("10485760 characters"), "{}", loaded.skipped[0]);
        assert!(loaded.skipped[0].place.ends_with(":3"));
    }

    #[test]
    fn weights_splits_and_unknown_kinds() {
        let file = file("a.txt", b"smiles,y,z,w,part\nC,1,1,2,train\nO,0,1,.5,test\n");
        let mut request = request(&file, OnError::Fail);
        request.columns.weight = Some("w".into());
        request.columns.split = Some("part".into());
        let message = load(&request, &Chemistry::default()).unwrap_err().to_string();
        assert!(message.contains("does not show its format"), "{message}");
        request.format = Some(MoleculeFormat::Csv);
        let loaded = load(&request, &Chemistry::default()).unwrap();
        assert_eq!(loaded.data.weights(), Some(&[2.0, 0.5][..]));
        assert_eq!(loaded.splits.unwrap(), ["train", "test"]);
    }
}
