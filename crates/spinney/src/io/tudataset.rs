//! TUDataset folders: one data set spread over line-parallel files.
//!
//! For a data set `DS` (found by its file `DS_A.txt`; every file may have `.gz` added):
//!
//! | file | line i says |
//! |---|---|
//! | `DS_graph_indicator.txt` | the graph (from 1) of vertex i; ascending |
//! | `DS_A.txt` | edge i: `u, v`, vertex numbers from 1 over all graphs |
//! | `DS_node_labels.txt` (optional) | the label of vertex i |
//! | `DS_edge_labels.txt` (optional) | the label of edge i |
//! | `DS_graph_labels.txt` (optional) | the target of graph i |
//! | `DS_graph_attributes.txt` (optional) | in place of graph labels: the target, then the rest |
//!
//! A label is the whole line, so several columns make one label. Without its file, every label is
//! [`DEFAULT_LABEL`]. Edges are undirected: most sets list each in both
//! directions, some twice in each; all are merged if their labels agree. A graph number that the
//! indicator leaves out is a graph without vertices. A graph's identifier is its number.
//!
//! **Invariant.** Lines correspond by position, so a file with a line too many or too few, an empty
//! line before the last, or a number that cannot be read makes the whole set unreadable: that is an
//! error even with [`OnError::Skip`]. Faults of one edge (self-loop, conflicting labels, ends in
//! two graphs) spoil only the graphs that it touches.
//!
//! **Cost.** Linear; memory for all vertices and all distinct edges.

use std::collections::BTreeSet;
use std::io::BufRead;
use std::path::{Path, PathBuf};

use super::source::{Lines, open, text};
use super::{DEFAULT_LABEL, OnError, ReadOutcome, Skipped, in_file_numbers, shown};
use crate::dataset::GraphRecord;
use crate::error::{Error, Result};
use crate::graph::GraphBuilder;
use crate::labels::Labels;

/// Reads a TUDataset folder.
///
/// # Errors
/// A folder that holds no data set or several, a file that cannot be read, files that do not fit
/// together, or a bad edge (unless [`OnError::Skip`] leaves its graph out).
pub fn read(folder: &Path, on_error: OnError) -> Result<ReadOutcome> {
    let files = Files::find(folder)?;
    let targets = read_targets(&files)?;
    let vertices = read_indicator(&files, targets.as_ref())?;
    let mut reading = Reading {
        labels: Labels::default(),
        builders: vec![GraphBuilder::new(); vertices.first.len()],
        spoilt: vec![false; vertices.first.len()],
        skipped: Vec::new(),
        vertices,
        on_error,
    };
    reading.read_vertices(&files)?;
    reading.read_edges(&files)?;
    Ok(reading.finish(targets.map(|t| t.values)))
}

/// The files of one data set.
struct Files {
    folder: PathBuf,
    name: String,
}

impl Files {
    fn find(folder: &Path) -> Result<Files> {
        let mut names = BTreeSet::new();
        for entry in std::fs::read_dir(folder).map_err(|e| Error::read(folder, e))? {
            let file = entry.map_err(|e| Error::read(folder, e))?.file_name();
            let file = file.to_string_lossy();
            if let Some(name) = file.strip_suffix(".gz").unwrap_or(&file).strip_suffix("_A.txt") {
                names.insert(name.to_owned());
            }
        }
        match names.len() {
            1 => {
                Ok(Files { folder: folder.to_owned(), name: names.pop_first().unwrap_or_default() })
            }
            0 => Err(Error::file(
                folder,
                "no TUDataset in this folder: it needs a file DS_A.txt and a file \
                 DS_graph_indicator.txt, DS being the name of the data set",
            )),
            _ => {
                let all = Vec::from_iter(names).join(", ");
                let reason = format!("several data sets ({all}); put each in a folder of its own");
                Err(Error::file(folder, reason))
            }
        }
    }

    /// The file of this part, plain or gzipped, if there is one.
    fn part(&self, part: &str) -> Option<PathBuf> {
        let plain = self.folder.join(format!("{}_{part}.txt", self.name));
        let gzipped = self.folder.join(format!("{}_{part}.txt.gz", self.name));
        [plain, gzipped].into_iter().find(|path| path.exists())
    }

    /// The lines of this part, if it is there.
    fn rows(&self, part: &str) -> Result<Option<Rows>> {
        self.part(part).map(|path| Rows::open(&path)).transpose()
    }

    /// The lines of this part, which must be there.
    fn needed_rows(&self, part: &str) -> Result<Rows> {
        self.rows(part)?.ok_or_else(|| {
            let name = format!("{}_{part}.txt", self.name);
            Error::file(&self.folder, format!("this TUDataset lacks its file {name}"))
        })
    }
}

/// The lines of one file. None may be empty, save at the end.
struct Rows {
    lines: Lines<Box<dyn BufRead + Send>>,
}

impl Rows {
    fn open(path: &Path) -> Result<Rows> {
        Ok(Rows { lines: Lines::new(open(path)?, path) })
    }

    /// The next line; `None` after the last.
    fn next(&mut self) -> Result<Option<&str>> {
        let mut empty = None;
        loop {
            if !self.lines.advance()? {
                return Ok(None);
            }
            if !self.lines.bytes().is_empty() {
                break;
            }
            empty.get_or_insert(self.lines.number());
        }
        if let Some(line) = empty {
            let reason = "empty line between others: every line stands for one thing";
            return Err(Error::line(self.lines.path(), line, reason));
        }
        match text(self.lines.bytes()) {
            Ok(row) => Ok(Some(row)),
            Err(reason) => Err(self.error(reason)),
        }
    }

    /// How many lines were read.
    fn count(&self) -> usize {
        self.lines.number()
    }

    fn file_name(&self) -> String {
        self.lines.path().file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// An error at the current line.
    fn error(&self, reason: impl std::fmt::Display) -> Error {
        Error::line(self.lines.path(), self.lines.number().max(1), reason)
    }
}

/// The graphs' targets, and where they came from.
struct Targets {
    values: Vec<String>,
    path: PathBuf,
}

impl Targets {
    fn file_name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

fn read_targets(files: &Files) -> Result<Option<Targets>> {
    let (mut rows, first_column) = match files.rows("graph_labels")? {
        Some(rows) => (rows, false),
        None => match files.rows("graph_attributes")? {
            Some(rows) => (rows, true),
            None => return Ok(None),
        },
    };
    let mut values = Vec::new();
    while let Some(row) = rows.next()? {
        let end = row.find(',').filter(|_| first_column).unwrap_or(row.len());
        values.push(row[..end].trim_ascii().to_owned());
    }
    Ok(Some(Targets { values, path: rows.lines.path().to_owned() }))
}

/// Which vertices each graph has.
struct Vertices {
    /// The graph of each vertex; both count from 0.
    graph: Vec<u32>,
    /// The first vertex of each graph.
    first: Vec<u32>,
}

fn read_indicator(files: &Files, targets: Option<&Targets>) -> Result<Vertices> {
    let mut rows = files.needed_rows("graph_indicator")?;
    let mut vertices = Vertices { graph: Vec::new(), first: Vec::new() };
    while let Some(row) = rows.next()? {
        let graph = row.parse::<u32>().map_err(|_| format!("bad graph number {}", shown(row)));
        let graph = graph.and_then(|graph| vertices.check(graph, targets).map(|()| graph));
        let graph = graph.map_err(|reason| rows.error(reason))?;
        let vertex = vertices.graph.len() as u32;
        vertices.first.resize(graph as usize, vertex);
        vertices.graph.push(graph - 1);
    }
    let graphs = vertices.first.len();
    match targets {
        Some(targets) if targets.values.len() > graphs => Err(Error::line(
            &targets.path,
            graphs + 1,
            format!(
                "line for graph {}, but {} ends at graph {graphs}",
                graphs + 1,
                rows.file_name()
            ),
        )),
        _ => Ok(vertices),
    }
}

impl Vertices {
    /// Whether the next vertex can be one of `graph`, counted from 1.
    fn check(&self, graph: u32, targets: Option<&Targets>) -> std::result::Result<(), String> {
        let last = self.first.len() as u32;
        if graph == 0 {
            return Err("graph number 0: they count from 1".to_owned());
        }
        if graph < last {
            return Err(format!("graph {graph} after graph {last}: the numbers must ascend"));
        }
        match targets {
            Some(targets) if graph as usize > targets.values.len() => {
                let count = targets.values.len();
                let name = targets.file_name();
                Err(format!("graph {graph}, but {name} has {count} lines"))
            }
            None if graph > last + 1 => Err(format!(
                "graph {graph} after graph {last}: a graph without vertices needs graph labels"
            )),
            _ => Ok(()),
        }
    }
}

/// What has been read so far.
struct Reading {
    labels: Labels,
    builders: Vec<GraphBuilder>,
    spoilt: Vec<bool>,
    skipped: Vec<Skipped>,
    vertices: Vertices,
    on_error: OnError,
}

/// A bad edge: the graphs that it spoils, and why.
struct BadEdge {
    graphs: Vec<u32>,
    reason: String,
}

impl Reading {
    fn read_vertices(&mut self, files: &Files) -> Result<()> {
        let Some(mut rows) = files.rows("node_labels")? else {
            for &graph in &self.vertices.graph {
                let label = self.labels.vertex.intern(DEFAULT_LABEL);
                self.builders[graph as usize].add_vertex(label);
            }
            return Ok(());
        };
        let count = self.vertices.graph.len();
        for vertex in 0..count {
            let Some(row) = rows.next()? else {
                let reason = format!("ends after {vertex} lines, but there are {count} vertices");
                return Err(rows.error(reason));
            };
            let label = self.labels.vertex.intern(row);
            self.builders[self.vertices.graph[vertex] as usize].add_vertex(label);
        }
        match rows.next()? {
            None => Ok(()),
            Some(_) => Err(rows.error(format!("a line too many: there are {count} vertices"))),
        }
    }

    fn read_edges(&mut self, files: &Files) -> Result<()> {
        let mut rows = files.needed_rows("A")?;
        let mut label_rows = files.rows("edge_labels")?;
        while let Some(row) = rows.next()? {
            let ends = ends(row, self.vertices.graph.len());
            let (u, v) = ends.map_err(|reason| rows.error(reason))?;
            let label = match &mut label_rows {
                None => DEFAULT_LABEL,
                Some(labels) => next_label(labels, &rows)?,
            };
            if let Err(bad) = self.add_edge(u, v, label) {
                self.refuse(bad, &rows)?;
            }
        }
        let Some(mut labels) = label_rows else {
            return Ok(());
        };
        let edges = rows.count();
        match labels.next()? {
            None => Ok(()),
            Some(_) => Err(labels.error(format!("a line too many: there are {edges} edges"))),
        }
    }

    /// Adds an edge between two vertices, counted from 0 over all graphs.
    fn add_edge(&mut self, u: u32, v: u32, label: &str) -> std::result::Result<(), BadEdge> {
        let graph = self.vertices.graph[u as usize];
        let other = self.vertices.graph[v as usize];
        if graph != other {
            let reason =
                format!("edge {}-{} joins graphs {} and {}", u + 1, v + 1, graph + 1, other + 1);
            return Err(BadEdge { graphs: vec![graph, other], reason });
        }
        let first = self.vertices.first[graph as usize];
        let label = self.labels.edge.intern(label);
        let added = self.builders[graph as usize].add_edge(u - first, v - first, label);
        added.map(drop).map_err(|e| BadEdge {
            graphs: vec![graph],
            reason: in_file_numbers(e, first + 1).to_string(),
        })
    }

    /// Stops at a bad edge, or leaves its graphs out.
    fn refuse(&mut self, bad: BadEdge, rows: &Rows) -> Result<()> {
        if self.on_error == OnError::Fail {
            return Err(rows.error(bad.reason));
        }
        for graph in bad.graphs {
            if !std::mem::replace(&mut self.spoilt[graph as usize], true) {
                self.skipped.push(Skipped {
                    place: format!("{}:{}", rows.lines.path().display(), rows.count()),
                    id: (graph + 1).to_string(),
                    reason: bad.reason.clone(),
                });
            }
        }
        Ok(())
    }

    fn finish(self, targets: Option<Vec<String>>) -> ReadOutcome {
        let targets = targets.unwrap_or_default();
        let mut targets = targets.into_iter();
        let mut records = Vec::new();
        for (graph, builder) in self.builders.into_iter().enumerate() {
            let target = targets.next();
            if !self.spoilt[graph] {
                records.push(GraphRecord {
                    graph: builder.build(),
                    id: (graph + 1).to_string(),
                    target,
                });
            }
        }
        ReadOutcome::new(&self.labels, records, self.skipped)
    }
}

/// The label of the edge in the current line of `edges`.
fn next_label<'a>(labels: &'a mut Rows, edges: &Rows) -> Result<&'a str> {
    let had = labels.count();
    let path = labels.lines.path().to_owned();
    labels.next()?.ok_or_else(|| {
        let reason = format!("ends after {had} lines, but {} has more", edges.file_name());
        Error::line(&path, had.max(1), reason)
    })
}

/// The two vertices of an edge line, counted from 0.
fn ends(row: &str, count: usize) -> std::result::Result<(u32, u32), String> {
    let Some((u, v)) = row.split_once(',') else {
        return Err(format!("{} is no edge: expected `u, v`", shown(row)));
    };
    Ok((end(u, count)?, end(v, count)?))
}

fn end(field: &str, count: usize) -> std::result::Result<u32, String> {
    let field = field.trim_ascii();
    match field.parse::<u32>() {
        Ok(0) => Err("vertex number 0: they count from 1".to_owned()),
        Ok(v) if v as usize <= count => Ok(v - 1),
        Ok(v) => Err(format!("vertex {v}, but there are {count} vertices")),
        Err(_) => Err(format!("bad vertex number {}", shown(field))),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::path::Path;

    use flate2::{Compression, write::GzEncoder};
    use tempfile::TempDir;

    use super::super::{OnError, ReadOutcome};
    use super::read;
    use crate::error::Result;

    /// Two graphs: a labelled path a-b-a with target 1, one edge c=c with target -1.
    const PARTS: [(&str, &str); 5] = [
        ("A", "1, 2\n2, 1\n2,3\n3,2\n4, 5\n5, 4\n"),
        ("graph_indicator", "1\n1\n1\n2\n2\n"),
        ("graph_labels", "1\n-1\n"),
        ("node_labels", "a\nb\na\nc\nc\n"),
        ("edge_labels", "0\n0\n0\n0\n1\n1\n"),
    ];

    /// The folder of `PARTS`, changed: a part replaced by other text, or left out if that is `-`.
    fn folder(changes: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        let kept = PARTS.iter().filter(|(part, _)| changes.iter().all(|(other, _)| other != part));
        for (part, text) in kept.chain(changes).filter(|(_, text)| *text != "-") {
            std::fs::write(folder.path().join(format!("DS_{part}.txt")), text).unwrap();
        }
        folder
    }

    fn parse(changes: &[(&str, &str)], on_error: OnError) -> Result<ReadOutcome> {
        read(folder(changes).path(), on_error)
    }

    fn good(changes: &[(&str, &str)]) -> crate::dataset::Dataset {
        parse(changes, OnError::Fail).unwrap().data
    }

    fn sizes(data: &crate::dataset::Dataset) -> Vec<(usize, usize)> {
        data.graphs().iter().map(|g| (g.vertex_count(), g.edge_count())).collect()
    }

    #[test]
    fn a_folder_is_read_by_value() {
        let data = good(&[]);
        assert_eq!(data.ids(), ["1", "2"]);
        assert_eq!(data.targets(), [Some("1".to_owned()), Some("-1".to_owned())]);
        assert_eq!(data.labels().vertex.names(), ["a", "b", "c"]);
        assert_eq!(data.labels().edge.names(), ["0", "1"]);
        assert_eq!(sizes(&data), [(3, 2), (2, 1)]);
        assert_eq!(data.graphs()[0].labels(), [0, 1, 0]);
        assert_eq!(data.graphs()[0].edge_label(1, 2), Some(0));
        assert_eq!(data.graphs()[1].edge_label(0, 1), Some(1));
    }

    #[test]
    fn missing_labels_are_the_default_one() {
        let data = good(&[("node_labels", "-"), ("edge_labels", "-")]);
        assert_eq!(data.labels().vertex.names(), ["0"]);
        assert_eq!(data.labels().edge.names(), ["0"]);
        assert_eq!(sizes(&data), [(3, 2), (2, 1)]);
    }

    #[test]
    fn directed_edges_given_twice_are_one() {
        let edges = "1, 2\n2, 1\n1, 2\n2, 1\n";
        let data = good(&[("A", edges), ("edge_labels", "-")]);
        assert_eq!(sizes(&data), [(3, 1), (2, 0)]);
    }

    #[test]
    fn several_columns_make_one_label() {
        let data = good(&[("node_labels", "1, 2\n1, 3 \n1, 2\r\n7, 7\n7, 7\n")]);
        assert_eq!(data.labels().vertex.names(), ["1, 2", "1, 3", "7, 7"]);
    }

    #[test]
    fn targets_come_from_labels_or_else_attributes_or_nowhere() {
        let attributes = ("graph_attributes", "-2.5, 7\n 3e-1\n");
        assert_eq!(good(&[attributes]).numbers().unwrap(), [1.0, -1.0]);
        let without = ("graph_labels", "-");
        assert_eq!(good(&[attributes, without]).numbers().unwrap(), [-2.5, 0.3]);
        let none = good(&[without]);
        assert_eq!((none.len(), none.has_targets()), (2, false));
    }

    #[test]
    fn a_graph_left_out_of_the_indicator_is_empty() {
        let data =
            good(&[("graph_indicator", "2\n2\n2\n5\n5\n"), ("graph_labels", "a\nb\nc\nd\ne\n\n")]);
        assert_eq!(sizes(&data), [(0, 0), (3, 2), (0, 0), (0, 0), (2, 1)]);
        assert_eq!(data.written_targets().unwrap(), ["a", "b", "c", "d", "e"]);
        assert_eq!(data.ids(), ["1", "2", "3", "4", "5"]);
    }

    #[test]
    fn no_graph_at_all_is_an_empty_set() {
        let changes = PARTS.map(|(part, _)| (part, ""));
        assert!(good(&changes).is_empty());
    }

    #[test]
    fn gzipped_parts_read_alike() {
        let folder = folder(&[]);
        for (part, text) in PARTS {
            let plain = folder.path().join(format!("DS_{part}.txt"));
            let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
            encoder.write_all(text.as_bytes()).unwrap();
            std::fs::remove_file(&plain).unwrap();
            std::fs::write(plain.with_extension("txt.gz"), encoder.finish().unwrap()).unwrap();
        }
        let data = read(folder.path(), OnError::Fail).unwrap().data;
        assert_eq!(data.graphs(), good(&[]).graphs());
    }

    #[test]
    fn faults_are_named_by_file_and_line() {
        let cases = [
            ("graph_indicator", "1\nx\n1\n2\n2\n", 2, "bad graph number \"x\""),
            ("graph_indicator", "0\n1\n1\n2\n2\n", 1, "count from 1"),
            ("graph_indicator", "1\n2\n1\n2\n2\n", 3, "must ascend"),
            (
                "graph_indicator",
                "1\n1\n1\n2\n3\n",
                5,
                "graph 3, but DS_graph_labels.txt has 2 lines",
            ),
            ("graph_indicator", "1\n1\n\n1\n2\n2\n", 3, "empty line"),
            ("graph_labels", "1\n-1\n1\n", 3, "DS_graph_indicator.txt ends at graph 2"),
            ("node_labels", "a\nb\na\nc\n", 4, "ends after 4 lines, but there are 5 vertices"),
            ("node_labels", "a\nb\na\nc\nc\nc\n", 6, "a line too many: there are 5 vertices"),
            ("edge_labels", "0\n0\n0\n0\n1\n", 5, "ends after 5 lines, but DS_A.txt has more"),
            ("edge_labels", "0\n0\n0\n0\n1\n1\n1\n", 7, "a line too many: there are 6 edges"),
            ("A", "1, 2\n2 1\n", 2, "\"2 1\" is no edge: expected `u, v`"),
            ("A", "1, 2\n2, 1, 3\n", 2, "bad vertex number \"1, 3\""),
            ("A", "1, 2\n1.5, 1\n", 2, "bad vertex number \"1.5\""),
            ("A", "1, 0\n", 1, "count from 1"),
            ("A", "1, 2\n1, 6\n", 2, "vertex 6, but there are 5 vertices"),
        ];
        for (part, text, line, reason) in cases {
            for on_error in [OnError::Fail, OnError::Skip] {
                let message = parse(&[(part, text)], on_error).unwrap_err().to_string();
                let place = format!("DS_{part}.txt:{line}: ");
                assert!(message.contains(&place), "{part} {text:?}: {message}");
                assert!(message.contains(reason), "{part} {text:?}: {message}");
            }
        }
    }

    #[test]
    fn a_jump_without_graph_labels_is_an_error() {
        let changes = [("graph_labels", "-"), ("graph_indicator", "1\n1\n1\n4000000000\n5\n")];
        let message = parse(&changes, OnError::Fail).unwrap_err().to_string();
        assert!(message.contains("indicator.txt:4: graph 4000000000 after graph 1"), "{message}");
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let folder = folder(&[]);
        let path = folder.path().join("DS_node_labels.txt");
        std::fs::write(&path, b"a\n\xff\na\nc\nc\n").unwrap();
        let message = read(folder.path(), OnError::Fail).unwrap_err().to_string();
        assert!(message.contains("DS_node_labels.txt:2: not UTF-8"), "{message}");
    }

    #[test]
    fn bad_edges_are_errors_or_spoil_their_graphs() {
        let plain = ("edge_labels", "-");
        type Case<'a> = (&'a [(&'a str, &'a str)], usize, &'a str, &'a [&'a str]);
        let cases: [Case<'_>; 3] = [
            (&[("A", "1, 2\n3, 3\n4, 5\n3,3\n"), plain], 2, "self-loop at vertex 3", &["2"]),
            (&[("A", "1, 2\n4, 3\n"), plain], 2, "edge 4-3 joins graphs 2 and 1", &[]),
            (
                &[("edge_labels", "0\n0\n0\n0\n1\n2\n")],
                6,
                "two edges between vertices 5 and 4 with different labels",
                &["1"],
            ),
        ];
        for (changes, line, reason, kept) in cases {
            let message = parse(changes, OnError::Fail).unwrap_err().to_string();
            let place = format!("DS_A.txt:{line}: ");
            assert!(message.contains(&place) && message.contains(reason), "{message}");
            let outcome = parse(changes, OnError::Skip).unwrap();
            assert_eq!(outcome.data.ids(), kept);
            assert_eq!(outcome.skipped.len() + kept.len(), 2);
            for skipped in &outcome.skipped {
                assert!(skipped.place.ends_with(&format!("DS_A.txt:{line}")));
                assert!(skipped.reason.contains(reason) && !kept.contains(&&*skipped.id));
            }
        }
    }

    #[test]
    fn skipped_graphs_keep_targets_and_labels_straight() {
        let changes = [("A", "1, 1\n4, 5\n"), ("edge_labels", "x\ny\n")];
        let data = parse(&changes, OnError::Skip).unwrap().data;
        assert_eq!(
            (data.ids(), data.written_targets().unwrap()),
            (&["2".to_owned()][..], vec!["-1"])
        );
        assert_eq!(data.labels().vertex.names(), ["c"]);
        assert_eq!(data.labels().edge.names(), ["y"]);
    }

    #[test]
    fn folders_that_hold_no_single_set_are_refused() {
        let empty = tempfile::tempdir().unwrap();
        let message = read(empty.path(), OnError::Fail).unwrap_err().to_string();
        assert!(message.contains("no TUDataset") && message.contains("DS_A.txt"), "{message}");
        let two = folder(&[]);
        std::fs::write(two.path().join("XY_A.txt.gz"), "").unwrap();
        let message = read(two.path(), OnError::Fail).unwrap_err().to_string();
        assert!(message.contains("several data sets (DS, XY)"), "{message}");
        let message = parse(&[("graph_indicator", "-")], OnError::Fail).unwrap_err().to_string();
        assert!(message.contains("lacks its file DS_graph_indicator.txt"), "{message}");
        assert!(read(Path::new("no/such/folder"), OnError::Fail).is_err());
    }
}
