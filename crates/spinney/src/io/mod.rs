//! Files of graphs: reading them, and writing results whole.
//!
//! [`read`] takes a file or a folder and gives a [`Dataset`]. The kind of input follows from its
//! name ([`Format::of`]) unless [`ReadOptions::format`] says otherwise; gzip is recognised by
//! content.
//!
//! **Invariant.** Nothing is dropped in silence. A record either becomes a graph of the data set,
//! or is listed in [`ReadOutcome::skipped`] (with [`OnError::Skip`]), or reading stops with an
//! error that names file and line. The label dictionary holds the labels of the kept graphs alone,
//! so a skipped record leaves no trace in the data set.
//!
//! **Cost.** One pass over each file, line by line; time and memory linear in the input.

pub mod atomic;
mod folds;
pub mod gspan;
pub mod source;
pub mod tudataset;

pub use folds::read_folds;

use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;

use crate::dataset::{Dataset, GraphRecord};
use crate::error::{Error, Result};
use crate::graph::EdgeError;
use crate::labels::Labels;

/// The label of a vertex or an edge whose file gives it none.
pub const DEFAULT_LABEL: &str = "0";

/// A kind of input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// gSpan text: see [`gspan`].
    Gspan,
    /// A TUDataset folder: see [`tudataset`].
    TuDataset,
}

impl Format {
    /// The kind of input that `path` names: a folder is a TUDataset; `.gsp` and `.gspan`, each
    /// also with `.gz`, are gSpan text.
    ///
    /// # Errors
    /// If there is nothing at `path`, or its name shows no known format.
    pub fn of(path: &Path) -> Result<Format> {
        if path.is_dir() {
            return Ok(Format::TuDataset);
        }
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_ascii_lowercase();
        let stem = name.strip_suffix(".gz").unwrap_or(&name);
        if stem.ends_with(".gsp") || stem.ends_with(".gspan") {
            return Ok(Format::Gspan);
        }
        std::fs::metadata(path).map_err(|e| Error::read(path, e))?;
        Err(Error::file(
            path,
            "its name does not show its format; known formats: gSpan text (.gsp, .gspan, each also \
             .gz) and TUDataset (a folder); or say `--format gspan` or `--format tudataset`",
        ))
    }
}

impl FromStr for Format {
    type Err = Error;

    fn from_str(name: &str) -> Result<Format> {
        match name {
            "gspan" => Ok(Format::Gspan),
            "tudataset" => Ok(Format::TuDataset),
            _ => Err(Error::parameter(
                "format",
                format!("{} is not known; use gspan or tudataset", shown(name)),
            )),
        }
    }
}

impl Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gspan => "gspan",
            Format::TuDataset => "tudataset",
        })
    }
}

/// What to do with a bad record.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnError {
    /// Stop with an error.
    #[default]
    Fail,
    /// Leave the record out and list it in [`ReadOutcome::skipped`].
    Skip,
}

impl FromStr for OnError {
    type Err = Error;

    fn from_str(name: &str) -> Result<OnError> {
        match name {
            "fail" => Ok(OnError::Fail),
            "skip" => Ok(OnError::Skip),
            _ => Err(Error::parameter(
                "on_error",
                format!("{} is not known; use fail or skip", shown(name)),
            )),
        }
    }
}

impl Display for OnError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            OnError::Fail => "fail",
            OnError::Skip => "skip",
        })
    }
}

/// How to read.
#[derive(Clone, Debug, Default)]
pub struct ReadOptions {
    /// The kind of input; `None` takes it from the name.
    pub format: Option<Format>,
    /// What to do with a bad record.
    pub on_error: OnError,
}

/// What reading gave.
#[derive(Clone, Debug, Default)]
pub struct ReadOutcome {
    /// The graphs.
    pub data: Dataset,
    /// The records that were left out, in the order in which their faults were found.
    pub skipped: Vec<Skipped>,
}

/// A record that was left out, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// Where the fault is: `file:line`.
    pub place: String,
    /// The record's identifier; `?` if it has none that can be read.
    pub id: String,
    /// What is wrong.
    pub reason: String,
}

impl Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: graph {}: {}", self.place, self.id, self.reason)
    }
}

/// Reads the graphs of a file or folder.
///
/// # Errors
/// A file that cannot be read, an unknown kind of input, or a bad record (unless
/// [`OnError::Skip`] leaves it out).
pub fn read(path: &Path, options: &ReadOptions) -> Result<ReadOutcome> {
    let format = options.format.map_or_else(|| Format::of(path), Ok)?;
    match format {
        Format::Gspan => gspan::read(path, options.on_error),
        Format::TuDataset => tudataset::read(path, options.on_error),
    }
}

impl ReadOutcome {
    fn new(labels: &Labels, records: Vec<GraphRecord>, skipped: Vec<Skipped>) -> Self {
        let data = Dataset::new(labels, records);
        let data = if skipped.is_empty() { data } else { without_unused_labels(&data) };
        ReadOutcome { data, skipped }
    }
}

fn without_unused_labels(data: &Dataset) -> Dataset {
    let mut used = Labels::default();
    for graph in data.graphs() {
        for &label in graph.labels() {
            used.vertex.intern(data.labels().vertex.name(label));
        }
        for edge in graph.edges() {
            used.edge.intern(data.labels().edge.name(edge.label));
        }
    }
    data.relabelled(&Labels { vertex: used.vertex.sorted(), edge: used.edge.sorted() })
}

/// `word` as an error message shows it: quoted, on one line, not too long.
fn shown(word: &str) -> String {
    const LONGEST: usize = 40;
    match word.char_indices().nth(LONGEST) {
        None => format!("{word:?}"),
        Some((end, _)) => format!("{:?}...", &word[..end]),
    }
}

/// The same fault in the file's vertex numbers, where vertex 0 of the graph is `first`.
fn in_file_numbers(error: EdgeError, first: u32) -> EdgeError {
    match error {
        EdgeError::NoSuchVertex { u, v } => {
            EdgeError::NoSuchVertex { u: u.saturating_add(first), v: v.saturating_add(first) }
        }
        EdgeError::SelfLoop(v) => EdgeError::SelfLoop(v.saturating_add(first)),
        EdgeError::Conflict { u, v } => {
            EdgeError::Conflict { u: u.saturating_add(first), v: v.saturating_add(first) }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use super::{Format, OnError, ReadOptions, gspan, read};
    use crate::dataset::Dataset;
    use crate::graph::Graph;

    #[test]
    fn the_name_tells_the_kind() {
        for name in ["a.gsp", "a.gspan", "a.gsp.gz", "b/a.gspan.gz", "A.GSP"] {
            assert_eq!(Format::of(Path::new(name)).unwrap(), Format::Gspan, "{name}");
        }
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(Format::of(folder.path()).unwrap(), Format::TuDataset);
        let dotted = folder.path().join("x.gsp");
        std::fs::create_dir(&dotted).unwrap();
        assert_eq!(Format::of(&dotted).unwrap(), Format::TuDataset);
    }

    #[test]
    fn an_unknown_kind_lists_the_known_ones() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.csv");
        let missing = Format::of(&path).unwrap_err();
        assert!(missing.to_string().contains("No such file"), "{missing}");
        std::fs::write(&path, "").unwrap();
        let text = Format::of(&path).unwrap_err().to_string();
        for part in ["a.csv", ".gsp", ".gspan", ".gz", "TUDataset", "--format"] {
            assert!(text.contains(part), "{text}");
        }
    }

    #[test]
    fn names_are_parsed_and_printed() {
        for format in [Format::Gspan, Format::TuDataset] {
            assert_eq!(format.to_string().parse::<Format>().unwrap(), format);
        }
        for choice in [OnError::Fail, OnError::Skip] {
            assert_eq!(choice.to_string().parse::<OnError>().unwrap(), choice);
        }
        assert!("sdf".parse::<Format>().unwrap_err().to_string().contains("gspan or tudataset"));
        assert!("stop".parse::<OnError>().unwrap_err().to_string().contains("fail or skip"));
        assert_eq!(OnError::default(), OnError::Fail);
    }

    #[test]
    fn the_stated_format_beats_the_name() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("graphs.txt");
        std::fs::write(&path, "t # 0 1\nv 0 C\n").unwrap();
        let options = ReadOptions { format: Some(Format::Gspan), ..ReadOptions::default() };
        assert_eq!(read(&path, &options).unwrap().data.len(), 1);
        assert!(read(&path, &ReadOptions::default()).is_err());
    }

    /// The test data, where it is present: `$SPINNEY_DATA`, or beside the project.
    fn real(name: &str) -> Option<PathBuf> {
        let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
        let folder = std::env::var_os("SPINNEY_DATA").map_or_else(|| beside.into(), PathBuf::from);
        let path = folder.join(name);
        if path.exists() {
            return Some(path);
        }
        eprintln!("skipped: no test data {name} (set SPINNEY_DATA)");
        None
    }

    fn read_real(name: &str) -> Option<Dataset> {
        let outcome = read(&real(name)?, &ReadOptions::default()).unwrap();
        assert!(outcome.skipped.is_empty());
        Some(outcome.data)
    }

    fn totals(data: &Dataset) -> (usize, usize) {
        let vertices = data.graphs().iter().map(Graph::vertex_count).sum();
        (vertices, data.graphs().iter().map(Graph::edge_count).sum())
    }

    #[test]
    fn real_gspan_files_have_their_records() {
        let sets = [
            ("paper/graph_xor/fold1.gsp", 517),
            ("paper/graph_xor/fold2.gsp", 518),
            ("paper/nci1_ecfp.gsp.gz", 4252),
            ("paper/nci1_comp.gsp.gz", 4252),
            ("paper/nci47_comp.gsp.gz", 4202),
            ("paper/cpdb.gsp.gz", 684),
            ("paper/mutag.gsp.gz", 188),
        ];
        for (name, records) in sets {
            let Some(data) = read_real(name) else {
                continue;
            };
            assert_eq!(data.len(), records, "{name}");
            assert_eq!(data.class_names().unwrap(), ["-1", "1"], "{name}");
        }
        if let Some(data) = read_real("paper/mutag.gsp.gz") {
            assert_eq!(
                (data.ids()[0].as_str(), data.targets()[0].as_deref()),
                ("mutag_d1", Some("1"))
            );
        }
        if let Some(data) = read_real("gspan/chemical_340.gsp") {
            assert_eq!(data.len(), 340);
            assert!(!data.has_targets());
            assert_eq!(data.ids()[339], "339");
        }
    }

    #[test]
    fn real_tudatasets_have_their_records_and_classes() {
        let sets: [(&str, usize, &[&str]); 6] = [
            ("tu/MUTAG", 188, &["-1", "1"]),
            ("tu/NCI1", 4110, &["0", "1"]),
            ("tu/PTC_MR", 344, &["-1", "1"]),
            ("tu/PROTEINS", 1113, &["1", "2"]),
            ("tu/ENZYMES", 600, &["1", "2", "3", "4", "5", "6"]),
            ("tu/IMDB-BINARY", 1000, &["0", "1"]),
        ];
        for (name, records, classes) in sets {
            let Some(data) = read_real(name) else {
                continue;
            };
            assert_eq!(data.len(), records, "{name}");
            assert_eq!(data.class_names().unwrap(), classes, "{name}");
        }
    }

    #[test]
    fn real_data_reads_back_as_written() {
        for name in ["tu/PTC_MR", "paper/cpdb.gsp.gz", "gspan/chemical_340.gsp"] {
            let Some(data) = read_real(name) else {
                continue;
            };
            let mut text = Vec::new();
            gspan::write(&data, &mut text).unwrap();
            let back = gspan::read_from(&*text, Path::new("x"), OnError::Fail).unwrap().data;
            assert_eq!(back.labels(), data.labels(), "{name}");
            assert_eq!(back.graphs(), data.graphs(), "{name}");
            assert_eq!((back.ids(), back.targets()), (data.ids(), data.targets()), "{name}");
        }
    }

    #[test]
    fn real_tudatasets_have_their_sizes() {
        if let Some(data) = read_real("tu/MUTAG") {
            assert_eq!(totals(&data), (3371, 7442 / 2));
            assert_eq!((data.labels().vertex.len(), data.labels().edge.len()), (7, 4));
        }
        if let Some(data) = read_real("tu/IMDB-BINARY") {
            // 386,124 lines hold every edge four times: twice in each direction.
            assert_eq!(totals(&data), (19_773, 386_124 / 4));
            assert_eq!((data.labels().vertex.len(), data.labels().edge.len()), (1, 1));
            assert_eq!(data.labels().vertex.names(), ["0"]);
        }
    }
}
