//! Files of molecules: tables of SMILES (`.csv`, `.tsv`, `.smi`, `.parquet`) and structure files
//! (`.sdf`, `.mol`), each text form also gzipped or from standard input.
//!
//! [`open`] gives the records as they are written; [`load`](load()) and [`for_each_batch`] make
//! graphs of them. Every kind of file is a table of named columns behind one small trait, so that
//! finding columns, missing values and bad fields are treated once.
//!
//! **Invariant.** Every record of the file comes out in order, as a [`RawRecord`] or as a
//! [`BadRecord`] with its line; a fault spoils only its own record. What spoils the rest of the
//! file too (a failing disk, truncated gzip) is [`ReadError::Stop`], after which nothing comes.
//!
//! **Cost.** One pass. Memory holds one record at a time, and the first hundred (an SDF's first
//! thousand) while columns are being found.

mod columns;
mod delimited;
mod lenient;
mod lines;
pub mod load;
mod memory;
mod parquet;
mod parquet_guard;
mod sdf;
mod smi;

use std::collections::VecDeque;
use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;

use csv::ByteRecord;
use spinney::{Error, Result};

use columns::Layout;
pub use load::{Loaded, Request, for_each_batch, load};
pub use memory::{BadSmiles, graphs_of};

/// A kind of file of molecules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoleculeFormat {
    /// Fields separated by commas, with a header.
    Csv,
    /// Fields separated by tabs, with a header.
    Tsv,
    /// A SMILES and, after white space, a name on each line.
    Smi,
    /// MOL blocks, V2000 or V3000, with property tags.
    Sdf,
    /// Apache Parquet.
    Parquet,
}

impl MoleculeFormat {
    /// All kinds.
    pub const ALL: [MoleculeFormat; 5] = [
        MoleculeFormat::Csv,
        MoleculeFormat::Tsv,
        MoleculeFormat::Smi,
        MoleculeFormat::Sdf,
        MoleculeFormat::Parquet,
    ];

    /// The format that the name of `path` shows, if it does: `.csv`, `.tsv`, `.smi`/`.smiles`,
    /// `.sdf`/`.sd`/`.mol`, each also with `.gz`, and `.parquet`.
    #[must_use]
    pub fn of(path: &Path) -> Option<MoleculeFormat> {
        let name = path.file_name()?.to_string_lossy().to_ascii_lowercase();
        let gzipped = name.strip_suffix(".gz");
        let (_, ending) = gzipped.unwrap_or(&name).rsplit_once('.')?;
        match ending {
            "csv" => Some(MoleculeFormat::Csv),
            "tsv" => Some(MoleculeFormat::Tsv),
            "smi" | "smiles" => Some(MoleculeFormat::Smi),
            "sdf" | "sd" | "mol" => Some(MoleculeFormat::Sdf),
            "parquet" if gzipped.is_none() => Some(MoleculeFormat::Parquet),
            _ => None,
        }
    }
}

impl FromStr for MoleculeFormat {
    type Err = Error;

    fn from_str(name: &str) -> Result<MoleculeFormat> {
        let known = MoleculeFormat::ALL.into_iter().find(|f| f.to_string() == name);
        known.ok_or_else(|| {
            Error::parameter(
                "format",
                format!("{name:?} is not known; use csv, tsv, smi, sdf or parquet"),
            )
        })
    }
}

impl Display for MoleculeFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            MoleculeFormat::Csv => "csv",
            MoleculeFormat::Tsv => "tsv",
            MoleculeFormat::Smi => "smi",
            MoleculeFormat::Sdf => "sdf",
            MoleculeFormat::Parquet => "parquet",
        })
    }
}

/// Which columns are targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Targets {
    /// None.
    #[default]
    None,
    /// Those named.
    Named(Vec<String>),
    /// Every column of numbers (and gaps), judged by the first rows, that is nothing else.
    All,
}

/// Which column is what. Names are found as written, or else regardless of case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Columns {
    /// The SMILES; if not given, a column with one of the usual names.
    pub smiles: Option<String>,
    /// The targets.
    pub targets: Targets,
    /// The identifier; if not given, the name in `.smi`, the title in `.sdf`, else the record's
    /// number from 1.
    pub id: Option<String>,
    /// The sample weight.
    pub weight: Option<String>,
    /// Numbers that trees may split by beside patterns.
    pub covariates: Vec<String>,
    /// The part of a split that the record belongs to.
    pub split: Option<String>,
}

/// A molecule as written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Structure {
    /// A SMILES.
    Smiles(String),
    /// A MOL block, V2000 or V3000.
    MolBlock(String),
}

impl Structure {
    /// The text.
    #[must_use]
    pub fn text(&self) -> &str {
        match self {
            Structure::Smiles(text) | Structure::MolBlock(text) => text,
        }
    }
}

/// A record as written.
#[derive(Clone, Debug, PartialEq)]
pub struct RawRecord {
    /// The line where it starts, from 1; in `.parquet` the record's number.
    pub line: usize,
    /// Its identifier.
    pub id: String,
    /// Its molecule.
    pub structure: Structure,
    /// Its targets, in the order of [`Reader::target_names`]; an empty field, `nan` and `NA` are
    /// missing ones.
    pub targets: Vec<Option<String>>,
    /// Its weight, if there is a column of weights.
    pub weight: Option<f64>,
    /// Its covariates, in the order of [`Reader::covariate_names`]; NaN where one is missing.
    pub covariates: Vec<f64>,
    /// Its part, if there is a column of parts.
    pub split: Option<String>,
}

/// A record that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadRecord {
    /// The line where it starts, from 1; in `.parquet` the record's number.
    pub line: usize,
    /// Its identifier; its number if that cannot be read.
    pub id: String,
    /// What is wrong.
    pub reason: String,
}

/// What comes in place of a record.
#[derive(Debug)]
pub enum ReadError {
    /// A bad record; reading can go on.
    Record(BadRecord),
    /// The file cannot be read any further.
    Stop(Error),
}

/// The records of a file, in order.
pub struct Reader {
    table: Box<dyn Table>,
    ahead: VecDeque<std::result::Result<Row, ReadError>>,
    layout: Layout,
    number: usize,
    stopped: bool,
}

/// Opens a file of molecules; `-` is standard input (not for `.parquet`).
///
/// # Errors
/// A file that cannot be opened, or a column that it lacks.
pub fn open(path: &Path, format: MoleculeFormat, columns: &Columns) -> Result<Reader> {
    let mut table: Box<dyn Table> = match format {
        MoleculeFormat::Csv => Box::new(delimited::Delimited::open(path, b',')?),
        MoleculeFormat::Tsv => Box::new(delimited::Delimited::open(path, b'\t')?),
        MoleculeFormat::Smi => Box::new(smi::Smi::open(path)?),
        MoleculeFormat::Sdf => Box::new(sdf::Sdf::open(path)?),
        MoleculeFormat::Parquet => Box::new(parquet::ParquetTable::open(path)?),
    };
    let mut ahead = VecDeque::new();
    if columns.targets == Targets::All {
        ahead.extend((0..columns::SAMPLED_ROWS).map_while(|_| table.next_row()));
    }
    let sample: Vec<&Row> = ahead.iter().flatten().collect();
    let layout = Layout::find(path, format, table.columns(), columns, &sample)?;
    Ok(Reader { table, ahead, layout, number: 0, stopped: false })
}

impl Reader {
    /// The names of the targets, as the file writes them.
    #[must_use]
    pub fn target_names(&self) -> &[String] {
        self.layout.target_names()
    }

    /// The names of the covariates, as the file writes them.
    #[must_use]
    pub fn covariate_names(&self) -> Vec<String> {
        self.layout.covariate_names()
    }
}

impl Iterator for Reader {
    type Item = std::result::Result<RawRecord, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.stopped {
            return None;
        }
        let row = self.ahead.pop_front().or_else(|| self.table.next_row())?;
        self.number += 1;
        Some(match row {
            Ok(row) => self.layout.record(row, self.number).map_err(ReadError::Record),
            Err(ReadError::Record(mut bad)) => {
                if bad.id.is_empty() {
                    bad.id = self.number.to_string();
                }
                Err(ReadError::Record(bad))
            }
            Err(stop) => {
                self.stopped = true;
                Err(stop)
            }
        })
    }
}

/// A file as rows of named columns.
trait Table: Send {
    fn columns(&self) -> &[String];

    /// The next row, with a field for each column; `None` at the end and after [`ReadError::Stop`].
    fn next_row(&mut self) -> Option<std::result::Result<Row, ReadError>>;
}

/// A row of a table.
struct Row {
    /// Where it starts.
    line: usize,
    fields: ByteRecord,
    /// The MOL block and its title, where structures are written so.
    block: Option<Block>,
}

struct Block {
    title: String,
    text: String,
}

/// A bad record whose identifier is not known.
fn bad(line: usize, reason: impl Into<String>) -> ReadError {
    ReadError::Record(BadRecord { line, id: String::new(), reason: reason.into() })
}

#[cfg(test)]
pub(crate) mod tests {
    use std::path::Path;

    use super::{Columns, MoleculeFormat, RawRecord, ReadError, Targets, open};

    /// The records of `content` under a name, bad ones as `line: id: reason`.
    pub(crate) fn records(
        name: &str,
        content: &[u8],
        columns: &Columns,
    ) -> spinney::Result<Vec<Result<RawRecord, String>>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, content).unwrap();
        let reader = open(&path, MoleculeFormat::of(&path).unwrap(), columns)?;
        let found = reader.map(|r| {
            r.map_err(|e| match e {
                ReadError::Record(b) => format!("{}: {}: {}", b.line, b.id, b.reason),
                ReadError::Stop(e) => format!("stop: {e}"),
            })
        });
        Ok(found.collect())
    }

    pub(crate) fn named(target: &str) -> Columns {
        Columns { targets: Targets::Named(vec![target.to_owned()]), ..Columns::default() }
    }

    #[test]
    fn names_tell_the_kind() {
        let of = |name: &str| MoleculeFormat::of(Path::new(name));
        for (name, format) in [
            ("a.csv", MoleculeFormat::Csv),
            ("x/A.CSV.gz", MoleculeFormat::Csv),
            ("a.tsv", MoleculeFormat::Tsv),
            ("a.b.smiles.gz", MoleculeFormat::Smi),
            ("a.mol", MoleculeFormat::Sdf),
            ("a.sd.gz", MoleculeFormat::Sdf),
            ("a.parquet", MoleculeFormat::Parquet),
        ] {
            assert_eq!(of(name), Some(format), "{name}");
        }
        for name in ["-", "csv", "a.txt", "a.gz", "a.gsp", "a.parquet.gz", ""] {
            assert_eq!(of(name), None, "{name}");
        }
        for format in MoleculeFormat::ALL {
            assert_eq!(format.to_string().parse::<MoleculeFormat>().unwrap(), format);
        }
        let message = "xls".parse::<MoleculeFormat>().unwrap_err().to_string();
        assert!(message.contains("csv, tsv, smi, sdf or parquet"), "{message}");
    }
}
