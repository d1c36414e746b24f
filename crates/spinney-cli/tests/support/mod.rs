//! What the tests of the program share: a folder of its own for each test, the program run in it,
//! and small data whose right answers are known by hand.

// Each test file uses a part of this.
#![allow(dead_code)]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder in which the program is run.
pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        Place(tempfile::tempdir().unwrap())
    }

    /// A folder with `good.gsp`, the data of [`two_classes`].
    pub(crate) fn with_graphs() -> Place {
        let place = Place::new();
        place.write("good.gsp", two_classes(10));
        place
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(crate) fn text(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.text(name)).unwrap()
    }

    /// All files with their contents.
    pub(crate) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        fn add(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    add(&path, files);
                } else {
                    let content = std::fs::read(&path).unwrap();
                    files.insert(path, content);
                }
            }
        }
        let mut files = BTreeMap::new();
        add(self.0.path(), &mut files);
        files
    }

    /// Runs the program in this folder, its arguments separated by blanks.
    pub(crate) fn run(&self, args: &str) -> Output {
        self.run_args(&args.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn run_args(&self, args: &[&str]) -> Output {
        let mut command = assert_cmd::cargo::cargo_bin_cmd!("spinney");
        command.current_dir(self.0.path()).args(args).output().unwrap()
    }

    /// Runs the program, which must succeed, and gives its standard output.
    pub(crate) fn ok(&self, args: &str) -> String {
        self.ok_args(&args.split_whitespace().collect::<Vec<_>>())
    }

    pub(crate) fn ok_args(&self, args: &[&str]) -> String {
        let output = self.run_args(args);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "spinney {args:?}: {stderr}");
        String::from_utf8(output.stdout).unwrap()
    }
}

/// One tree of depth 1 added whole: scores are ±1 on the data of `two_classes`.
pub(crate) const ONE_TREE: &str =
    "--preset paper --max-edges 1 --depth 1 --learning-rate 1 --trees 1";

/// A folder with `good.gsp` and the model of one tree over it.
pub(crate) fn trained() -> Place {
    let place = Place::with_graphs();
    place.ok(&format!("train good.gsp -o model.json {ONE_TREE}"));
    place
}

/// The keys of an object, in their order.
pub(crate) fn keys(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

/// The cells of a table, with its header.
pub(crate) fn rows(csv: &str) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(csv.as_bytes());
    reader.records().map(|r| r.unwrap().iter().map(str::to_owned).collect()).collect()
}

/// `2 * pairs` graphs: paths A-B-C of class 1 and A-C-B of class -1 by turns. One tree of depth 1
/// separates them by A-B.
pub(crate) fn two_classes(pairs: usize) -> String {
    (0..2 * pairs)
        .map(|i| if i % 2 == 0 { path(i, "1", "ABC") } else { path(i, "-1", "ACB") })
        .collect()
}

/// A path of vertices with one-letter labels, its edges labelled `x`.
pub(crate) fn path(id: usize, target: &str, labels: &str) -> String {
    let mut text = format!("t # {id} {target}\n");
    for (v, label) in labels.chars().enumerate() {
        writeln!(text, "v {v} {label}").unwrap();
    }
    for v in 1..labels.len() {
        writeln!(text, "e {} {v} x", v - 1).unwrap();
    }
    text
}

/// Random connected graphs with a cycle here and there; the target is the number of A-B edges.
pub(crate) fn counts(graphs: usize) -> String {
    let mut random = Random(7);
    let mut text = String::new();
    for id in 0..graphs {
        let size = 3 + random.below(5);
        let labels: Vec<char> = (0..size).map(|_| ['A', 'B', 'C'][random.below(3)]).collect();
        let mut edges: Vec<(usize, usize)> = (1..size).map(|v| (random.below(v), v)).collect();
        if size > 4 && !edges.contains(&(0, size - 1)) {
            edges.push((0, size - 1));
        }
        let is_ab =
            |&&(u, v): &&(usize, usize)| matches!((labels[u], labels[v]), ('A', 'B') | ('B', 'A'));
        writeln!(text, "t # {id} {}", edges.iter().filter(is_ab).count()).unwrap();
        for (v, label) in labels.iter().enumerate() {
            writeln!(text, "v {v} {label}").unwrap();
        }
        for (u, v) in edges {
            writeln!(text, "e {u} {v} {}", ["x", "y"][(u + v) % 2]).unwrap();
        }
    }
    text
}

/// Numbers that depend on the first state alone.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn below(&mut self, n: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % n
    }
}

/// A file or folder of the shared data, or a visible note that the test is skipped.
pub(crate) fn shared(name: &str) -> Option<String> {
    let folder = std::env::var_os("SPINNEY_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let path = folder.join(name);
    if !path.exists() {
        eprintln!("skipped: {} is not there (set SPINNEY_DATA)", path.display());
        return None;
    }
    let path = path.canonicalize().unwrap();
    Some(path.to_str().unwrap().to_owned())
}
