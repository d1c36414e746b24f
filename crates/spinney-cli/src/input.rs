//! Reading what the user names.

use std::io::BufRead;
use std::path::Path;

use spinney::boosting::ValidParams;
use spinney::boosting::loss::Loss;
use spinney::graph::Graph;
use spinney::io::{self, Format, ReadOptions};
use spinney::mining::estimate_edge_sets;
use spinney::{Dataset, Engine, Error, Model, Result};

use crate::args::{CommonArgs, ReadingArgs};
use crate::output::{complain, count};

/// At most this many skipped records are listed one by one.
const LISTED: usize = 10;

/// A census of more edge sets (estimated) fits few memories: each takes some 20 bytes.
const MOST_EDGE_SETS: f64 = 2e9;

/// Reads graphs; says what was skipped; refuses an empty set.
pub(crate) fn read(path: &Path, reading: &ReadingArgs, common: &CommonArgs) -> Result<Dataset> {
    if reading.format.is_none() && is_json(path) {
        return Err(Error::file(path, "JSON (a model?) where graphs are needed"));
    }
    let options = ReadOptions { format: reading.format, on_error: reading.on_error };
    let outcome = io::read(path, &options)?;
    if !outcome.skipped.is_empty() {
        let (skipped, read) = (outcome.skipped.len(), outcome.data.len());
        complain(&format!(
            "spinney: {}: skipped {}, kept {}",
            path.display(),
            count(skipped, "bad record"),
            count(read, "graph")
        ));
        for s in outcome.skipped.iter().take(if common.quiet { 0 } else { LISTED }) {
            complain(&format!("  {s}"));
        }
        if skipped > LISTED && !common.quiet {
            complain(&format!("  ... and {} more", skipped - LISTED));
        }
    }
    if outcome.data.is_empty() {
        return Err(Error::file(path, "contains no graphs"));
    }
    Ok(outcome.data)
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
    if engine != Engine::Census || edge_sets(data, max_edges) <= MOST_EDGE_SETS {
        return Ok(());
    }
    let sets = edge_sets(data, max_edges);
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

/// Reads a folds file: one integer a graph, separated by white space.
pub(crate) fn read_folds(path: &Path) -> Result<Vec<i64>> {
    let mut folds = Vec::new();
    for (number, line) in io::source::open(path)?.split(b'\n').enumerate() {
        let line = line.map_err(|e| io::source::read_error(path, e))?;
        for word in String::from_utf8_lossy(&line).split_whitespace() {
            let fold = word.parse().map_err(|_| {
                let shown: String = word.chars().take(40).collect();
                let reason = format!("{shown:?} is not a fold number (an integer)");
                Error::line(path, number + 1, reason)
            })?;
            folds.push(fold);
        }
    }
    Ok(folds)
}
