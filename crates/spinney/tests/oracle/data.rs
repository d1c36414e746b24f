//! Where the published data are, if they are here at all.

use std::path::PathBuf;

use spinney::Dataset;
use spinney::io::{ReadOptions, read};

/// The path of a published file or folder: under `$SPINNEY_DATA`, or beside the project. Where it
/// is absent a line says so.
pub fn path(name: &str) -> Option<PathBuf> {
    let beside = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data");
    let folder = std::env::var_os("SPINNEY_DATA").map_or_else(|| beside.into(), PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    eprintln!("skipped: no test data {name} (set SPINNEY_DATA)");
    None
}

/// The graphs of a published file or folder.
pub fn load(name: &str) -> Option<Dataset> {
    let outcome = read(&path(name)?, &ReadOptions::default()).expect("published data are sound");
    assert!(outcome.skipped.is_empty());
    Some(outcome.data)
}

/// The fold numbers of a published `.folds` file.
pub fn folds(name: &str) -> Option<Vec<i64>> {
    let text = std::fs::read_to_string(path(name)?).expect("a readable file");
    Some(text.lines().map(|line| line.trim().parse().expect("a fold number")).collect())
}
