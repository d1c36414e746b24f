//! Patterns as `spinney mine` writes them: lines of JSON, a table, graphs, or a matrix.
//!
//! **Invariant.** A file is whole or not there. A list that a limit has cut short says so in its
//! last line where the form has a place for that, which is JSON.

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use rayon::prelude::{IntoParallelIterator, ParallelIterator};
use serde_json::{Value, json};
use spinney::dataset::GraphRecord;
use spinney::mining::{DfsCode, Mined};
use spinney::{Dataset, Error, Result, io};
use spinney_chem::smarts::pattern_text;

use crate::npz::{Matrix, Values};
use crate::output;

/// How the patterns are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Lines,
    Csv,
    Graphs,
    Matrix,
}

impl Form {
    /// By the ending of a file's name.
    pub(crate) fn of(path: Option<&Path>) -> Result<Form> {
        let Some(path) = path else { return Ok(Form::Lines) };
        let name = path.to_string_lossy().to_ascii_lowercase();
        let whole = name.rsplit('.').next();
        let name = name.strip_suffix(".gz").unwrap_or(&name);
        match name.rsplit('.').next() {
            Some("npz") if whole == Some("npz") => Ok(Form::Matrix),
            Some("jsonl") => Ok(Form::Lines),
            Some("csv") => Ok(Form::Csv),
            Some("gsp" | "gspan") => Ok(Form::Graphs),
            _ => Err(Error::parameter(
                "output",
                format!("{}: name a .jsonl, .csv, .gsp or .npz file", path.display()),
            )),
        }
    }
}

/// The number of each pattern's parent among those listed: its code without the last edge.
fn parents(all: &[Mined]) -> Vec<Option<usize>> {
    let numbers: HashMap<&DfsCode, usize> =
        all.iter().enumerate().map(|(number, mined)| (&mined.code, number)).collect();
    let find = |code: DfsCode| numbers.get(&code).copied();
    all.into_par_iter().map(|m| m.code.parent().and_then(find)).collect()
}

/// The patterns to write.
pub(crate) struct Listing<'d> {
    data: &'d Dataset,
    all: Vec<Mined>,
    parents: Vec<Option<usize>>,
    /// Whether to write how often each occurs.
    occurrences: bool,
    /// What is said of patterns that are missing.
    incomplete: Option<Value>,
}

impl<'d> Listing<'d> {
    /// All of some patterns; `incomplete` says what is missing.
    pub(crate) fn new(
        data: &'d Dataset,
        all: Vec<Mined>,
        occurrences: bool,
        incomplete: Option<Value>,
    ) -> Listing<'d> {
        Listing { data, parents: parents(&all), all, occurrences, incomplete }
    }

    /// Writes a file, or to standard output.
    pub(crate) fn write(&self, path: Option<&Path>, form: Form) -> Result<()> {
        output::write_to(path, |out| match form {
            Form::Lines => self.write_lines(out),
            Form::Csv => output::write_csv(out, |csv| self.write_rows(csv)),
            Form::Graphs => self.write_graphs(out),
            Form::Matrix => self.write_matrix(out),
        })
    }
}

impl Listing<'_> {
    /// The graphs that contain a pattern.
    fn ids(&self, mined: &Mined) -> Vec<&str> {
        mined.graphs.iter().map(|&g| self.data.ids()[g as usize].as_str()).collect()
    }

    fn write_lines(&self, out: &mut dyn Write) -> std::io::Result<()> {
        for (i, (mined, parent)) in self.all.iter().zip(&self.parents).enumerate() {
            let mut line = json!({
                "id": i,
                "pattern": pattern_text(&mined.code, self.data.labels()),
                "code": output::code_json(&mined.code, self.data.labels()),
                "edges": mined.code.edge_count(),
                "support": mined.graphs.len(),
                "parent": parent,
                "graphs": self.ids(mined),
            });
            if self.occurrences {
                line["occurrences"] = json!(mined.occurrences);
            }
            writeln!(out, "{line}")?;
        }
        match &self.incomplete {
            Some(incomplete) => writeln!(out, "{}", json!({ "incomplete": incomplete })),
            None => Ok(()),
        }
    }

    fn write_rows(&self, csv: &mut csv::Writer<&mut dyn Write>) -> csv::Result<()> {
        let mut header = vec!["id", "pattern", "edges", "support", "parent", "graphs"];
        header.extend(self.occurrences.then_some("occurrences"));
        csv.write_record(&header)?;
        for (i, (mined, parent)) in self.all.iter().zip(&self.parents).enumerate() {
            let mut row = vec![
                i.to_string(),
                pattern_text(&mined.code, self.data.labels()),
                mined.code.edge_count().to_string(),
                mined.graphs.len().to_string(),
                parent.map_or(String::new(), |p| p.to_string()),
                self.ids(mined).join(" "),
            ];
            if self.occurrences {
                let counts: Vec<String> = mined.occurrences.iter().map(u64::to_string).collect();
                row.push(counts.join(" "));
            }
            csv.write_record(&row)?;
        }
        Ok(())
    }

    /// The patterns as graphs, with the support in the place of the target.
    fn write_graphs(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let record = |(i, mined): (usize, &Mined)| {
            let graph = mined.code.to_graph().map_err(std::io::Error::other)?;
            Ok(GraphRecord {
                graph,
                id: i.to_string(),
                target: Some(mined.graphs.len().to_string()),
            })
        };
        let records =
            self.all.iter().enumerate().map(record).collect::<std::io::Result<Vec<_>>>()?;
        io::gspan::write(&Dataset::new(self.data.labels(), records), out)
    }

    /// Which graph contains which pattern, or how often.
    fn write_matrix(&self, out: &mut dyn Write) -> std::io::Result<()> {
        let mut rows = vec![Vec::new(); self.data.len()];
        for (column, mined) in (0..).zip(&self.all) {
            for (&graph, &times) in mined.graphs.iter().zip(&mined.occurrences) {
                rows[graph as usize].push((column, times));
            }
        }
        let mut starts = vec![0];
        let (mut indices, mut counts): (Vec<u32>, Vec<u64>) = (Vec::new(), Vec::new());
        for row in rows {
            indices.extend(row.iter().map(|entry| entry.0));
            counts.extend(row.iter().map(|entry| entry.1));
            starts.push(indices.len() as u64);
        }
        let values = if self.occurrences { Values::Counts(&counts) } else { Values::Ones };
        Matrix { starts: &starts, indices: &indices, values, columns: self.all.len() }.write(out)
    }
}
