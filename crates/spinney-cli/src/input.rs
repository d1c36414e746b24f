//! Reading what the user names.

use std::path::Path;

use spinney::io::{self, ReadOptions};
use spinney::{Dataset, Error, Result};

use crate::args::{CommonArgs, ReadingArgs};

/// At most this many skipped records are listed one by one.
const LISTED: usize = 10;

/// Reads graphs; says what was skipped; refuses an empty set.
pub(crate) fn read(path: &Path, reading: &ReadingArgs, common: &CommonArgs) -> Result<Dataset> {
    let options = ReadOptions { format: reading.format, on_error: reading.on_error };
    let outcome = io::read(path, &options)?;
    if !outcome.skipped.is_empty() {
        let (skipped, read) = (outcome.skipped.len(), outcome.data.len());
        eprintln!("spinney: skipped {skipped} bad records, kept {read}:");
        for s in outcome.skipped.iter().take(if common.quiet { 0 } else { LISTED }) {
            eprintln!("  {s}");
        }
        if skipped > LISTED && !common.quiet {
            eprintln!("  ... and {} more", skipped - LISTED);
        }
    }
    if outcome.data.is_empty() {
        return Err(Error::file(path, "contains no graphs"));
    }
    Ok(outcome.data)
}

/// Reads a folds file: one integer a graph, separated by white space.
pub(crate) fn read_folds(path: &Path) -> Result<Vec<i64>> {
    use std::io::BufRead;
    let mut folds = Vec::new();
    for (number, line) in io::source::open(path)?.lines().enumerate() {
        let line = line.map_err(|e| io::source::read_error(path, e))?;
        for word in line.split_whitespace() {
            let fold = word.parse().map_err(|_| {
                Error::line(path, number + 1, format!("{word:?} is not a fold number (an integer)"))
            })?;
            folds.push(fold);
        }
    }
    Ok(folds)
}
