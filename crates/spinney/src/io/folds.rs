//! Folds files: which graph is tested in which fold.

use std::io::BufRead;
use std::path::Path;

use super::source;
use crate::error::{Error, Result};

/// Reads a folds file: one integer a graph, separated by white space.
///
/// # Errors
/// If the file cannot be read, or a word is no integer.
pub fn read_folds(path: &Path) -> Result<Vec<i64>> {
    let mut folds = Vec::new();
    for (number, line) in source::open(path)?.split(b'\n').enumerate() {
        let line = line.map_err(|e| source::read_error(path, e))?;
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
