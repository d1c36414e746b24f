//! gSpan text: the usual form of labelled graphs in pattern mining.
//!
//! ```text
//! t # id [target [name]]    a graph; the name, if any, becomes its identifier, else the id does
//! v number label            a vertex; numbers go up by one from 0 or from 1 in each graph
//! e u v [label]             an edge between two vertices given above it
//! t # -1                    optional: the end of the file
//! ```
//!
//! Fields are separated by blanks or tabs; labels and targets are numbers or words. Blank lines and
//! lines that start with `#` or `//` are ignored. `t # -1` ends the file only if nothing follows on
//! its line: `t # 0 -1` is graph 0 with target -1. An edge without a label has the label
//! [`DEFAULT_LABEL`]. An edge that is repeated with the same label counts
//! once.
//!
//! **Invariant.** Every line belongs to one graph, to none (blank, comment, end), or is an error. A
//! fault spoils exactly the graph in which it lies; with [`OnError::Skip`] reading goes on at the
//! next `t` line.
//!
//! **Cost.** One pass, one reused line buffer, a constant number of hash lookups a line.

use std::io::{self, BufRead, Write};
use std::path::Path;

use super::source::{Lines, open, text};
use super::{DEFAULT_LABEL, OnError, ReadOutcome, Skipped, in_file_numbers, shown};
use crate::dataset::{Dataset, GraphRecord};
use crate::error::{Error, Result};
use crate::graph::{Graph, GraphBuilder};
use crate::labels::{Label, Labels};

/// A line is taken, or refused with a reason.
type Taken = std::result::Result<(), String>;

/// Reads a gSpan file, gzipped or not.
///
/// # Errors
/// A file that cannot be read, or a bad line (unless [`OnError::Skip`] leaves its graph out).
pub fn read(path: &Path, on_error: OnError) -> Result<ReadOutcome> {
    read_from(open(path)?, path, on_error)
}

/// Reads gSpan text from anywhere; `path` is how errors name it.
///
/// # Errors
/// A failure of `reader`, or a bad line (unless [`OnError::Skip`] leaves its graph out).
pub fn read_from(reader: impl BufRead, path: &Path, on_error: OnError) -> Result<ReadOutcome> {
    let mut lines = Lines::new(reader, path);
    let mut reading = Reading::default();
    while lines.advance()? {
        if let Err(reason) = reading.line(lines.number(), lines.bytes()) {
            if on_error == OnError::Fail {
                return Err(Error::line(path, lines.number(), reason));
            }
            reading.skip(format!("{}:{}", path.display(), lines.number()), reason);
        }
    }
    reading.finish_graph();
    Ok(ReadOutcome::new(&reading.labels, reading.records, reading.skipped))
}

/// What has been read so far.
#[derive(Default)]
struct Reading {
    labels: Labels,
    records: Vec<GraphRecord>,
    skipped: Vec<Skipped>,
    state: State,
    /// The line of the closing `t # -1`.
    closed: Option<usize>,
}

/// Where in the file the reader stands.
#[derive(Default)]
enum State {
    /// Before the first graph or after the closing line.
    #[default]
    Outside,
    /// In a graph that is good so far.
    Inside(OpenGraph),
    /// In a graph that is being left out.
    Skipping,
}

struct OpenGraph {
    id: String,
    target: Option<String>,
    builder: GraphBuilder,
    /// The number of the first vertex: 0 or 1.
    first: u32,
}

impl Reading {
    fn line(&mut self, number: usize, bytes: &[u8]) -> Taken {
        if bytes.is_empty() || bytes.starts_with(b"#") || bytes.starts_with(b"//") {
            return Ok(());
        }
        if bytes.split(u8::is_ascii_whitespace).next() == Some(b"t") {
            self.finish_graph();
            return self.header(number, text(bytes)?);
        }
        match &mut self.state {
            State::Inside(graph) => graph.line(text(bytes)?, &mut self.labels),
            State::Skipping => Ok(()),
            State::Outside => Err(match self.closed {
                Some(end) => after_end(end),
                None => "outside a graph: a line `t # id` must come first".to_owned(),
            }),
        }
    }

    fn header(&mut self, number: usize, line: &str) -> Taken {
        let mut fields = line.split_ascii_whitespace().skip(1);
        let (Some("#"), Some(id)) = (fields.next(), fields.next()) else {
            return Err("a graph starts with `t # id [target [name]]`".to_owned());
        };
        let target = fields.next();
        if id == "-1" && target.is_none() && self.closed.is_none() {
            self.closed = Some(number);
            return Ok(());
        }
        let name = fields.collect::<Vec<_>>().join(" ");
        self.state = State::Inside(OpenGraph {
            id: if name.is_empty() { id.to_owned() } else { name },
            target: target.map(str::to_owned),
            builder: GraphBuilder::new(),
            first: 0,
        });
        self.closed.map_or(Ok(()), |end| Err(after_end(end)))
    }

    /// Keeps the graph that is open, if one is.
    fn finish_graph(&mut self) {
        if let State::Inside(graph) = std::mem::take(&mut self.state) {
            let OpenGraph { id, target, builder, .. } = graph;
            self.records.push(GraphRecord { graph: builder.build(), id, target });
        }
    }

    /// Leaves out the graph that is open.
    fn skip(&mut self, place: String, reason: String) {
        let id = match std::mem::replace(&mut self.state, State::Skipping) {
            State::Inside(graph) => graph.id,
            State::Outside | State::Skipping => "?".to_owned(),
        };
        self.skipped.push(Skipped { place, id, reason });
    }
}

fn after_end(end: usize) -> String {
    format!("nothing may follow `t # -1` (line {end}), which ends the file")
}

impl OpenGraph {
    fn line(&mut self, line: &str, labels: &mut Labels) -> Taken {
        let mut words = line.split_ascii_whitespace();
        let fields: [Option<&str>; 5] = std::array::from_fn(|_| words.next());
        match fields {
            [Some("v"), Some(number), Some(label), None, _] => self.vertex(number, label, labels),
            [Some("e"), Some(u), Some(v), label, None] => {
                self.edge(u, v, labels.edge.intern(label.unwrap_or(DEFAULT_LABEL)))
            }
            [Some("v"), ..] => Err("a vertex line is `v number label`".to_owned()),
            [Some("e"), ..] => Err("an edge line is `e u v [label]`".to_owned()),
            [tag, ..] => Err(format!(
                "unknown line {}: expected `t`, `v` or `e`",
                shown(tag.unwrap_or_default())
            )),
        }
    }

    fn vertex(&mut self, number: &str, label: &str, labels: &mut Labels) -> Taken {
        let number = vertex_number(number)?;
        let count = self.builder.vertex_count();
        if count == 0 {
            if number > 1 {
                return Err(format!("the first vertex is {number}: number from 0 or from 1"));
            }
            self.first = number;
        }
        let expected = self.first as usize + count;
        if number as usize != expected {
            return Err(format!("vertex {number} where vertex {expected} should follow"));
        }
        self.builder.add_vertex(labels.vertex.intern(label));
        Ok(())
    }

    fn edge(&mut self, u: &str, v: &str, label: Label) -> Taken {
        let u = self.end(u)?;
        let v = self.end(v)?;
        let added = self.builder.add_edge(u, v, label);
        added.map(drop).map_err(|e| in_file_numbers(e, self.first).to_string())
    }

    /// The vertex at one end of an edge.
    fn end(&self, number: &str) -> std::result::Result<u32, String> {
        let number = vertex_number(number)?;
        let vertex = number.checked_sub(self.first);
        vertex.filter(|&v| (v as usize) < self.builder.vertex_count()).ok_or_else(|| {
            format!("edge to vertex {number}, which no line `v {number} label` above gives")
        })
    }
}

fn vertex_number(field: &str) -> std::result::Result<u32, String> {
    field.parse().map_err(|_| format!("bad vertex number {}: not a whole number", shown(field)))
}

/// Writes gSpan text.
///
/// Reading it back gives the same graphs, identifiers, targets and labels, with these exceptions,
/// which the form cannot hold: white space in identifiers, targets and label names becomes `_`, and
/// so does an empty one; an identifier `-1` without target becomes `_-1`; weights, and names in the
/// dictionary that no graph uses, are not written.
///
/// A graph with a target is numbered from 0 and its identifier written as its name, unless it is
/// that number; a graph without one has its identifier in the place of the number. There is no
/// closing line, so files can be joined.
///
/// # Errors
/// Those of `out`.
pub fn write(data: &Dataset, out: &mut (impl Write + ?Sized)) -> io::Result<()> {
    let words = |names: &[String]| names.iter().map(|name| word(name)).collect::<Vec<_>>();
    let vertex = words(data.labels().vertex.names());
    let edge = words(data.labels().edge.names());
    for (number, graph) in data.graphs().iter().enumerate() {
        write_header(number, &data.ids()[number], data.targets()[number].as_deref(), out)?;
        write_graph(graph, &vertex, &edge, out)?;
    }
    Ok(())
}

fn write_header(
    number: usize,
    id: &str,
    target: Option<&str>,
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    let id = word(id);
    match target {
        None if id == "-1" => writeln!(out, "t # _-1"),
        None => writeln!(out, "t # {id}"),
        Some(target) if id == number.to_string() => writeln!(out, "t # {number} {}", word(target)),
        Some(target) => writeln!(out, "t # {number} {} {id}", word(target)),
    }
}

fn write_graph(
    graph: &Graph,
    vertex: &[String],
    edge: &[String],
    out: &mut (impl Write + ?Sized),
) -> io::Result<()> {
    for (v, &label) in graph.labels().iter().enumerate() {
        writeln!(out, "v {v} {}", name(vertex, label))?;
    }
    for e in graph.edges() {
        writeln!(out, "e {} {} {}", e.u, e.v, name(edge, e.label))?;
    }
    Ok(())
}

fn name(names: &[String], label: Label) -> &str {
    names.get(label as usize).map_or("?", String::as_str)
}

/// `name` as one field.
fn word(name: &str) -> String {
    if name.is_empty() {
        "_".to_owned()
    } else {
        name.replace(|c: char| c.is_ascii_whitespace(), "_")
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use proptest::prelude::*;

    use super::super::{OnError, ReadOutcome};
    use super::{read, read_from, write};
    use crate::dataset::{Dataset, GraphRecord};
    use crate::error::Result;
    use crate::graph::{Graph, GraphBuilder};
    use crate::labels::Labels;

    fn parse(text: impl AsRef<[u8]>, on_error: OnError) -> Result<ReadOutcome> {
        read_from(text.as_ref(), Path::new("x.gsp"), on_error)
    }

    fn good(text: impl AsRef<[u8]>) -> Dataset {
        parse(text, OnError::Fail).unwrap().data
    }

    fn written(data: &Dataset) -> String {
        let mut out = Vec::new();
        write(data, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn assert_same(a: &Dataset, b: &Dataset) {
        assert_eq!(a.labels(), b.labels());
        assert_eq!(a.graphs(), b.graphs());
        assert_eq!(a.ids(), b.ids());
        assert_eq!(a.targets(), b.targets());
    }

    fn targets(data: &Dataset) -> Vec<Option<&str>> {
        data.targets().iter().map(Option::as_deref).collect()
    }

    fn shape(graph: &Graph) -> (Vec<u32>, Vec<(u32, u32, u32)>) {
        (graph.labels().to_vec(), graph.edges().iter().map(|e| (e.u, e.v, e.label)).collect())
    }

    #[test]
    fn graphs_are_read_by_value() {
        let data = good("t # 7 -1\nv 0 5\nv 1 3\nv 2 5\ne 0 1 2\ne 2 1 10\n\nt # 8 1\nv 0 3\n");
        assert_eq!(data.ids(), ["7", "8"]);
        assert_eq!(targets(&data), [Some("-1"), Some("1")]);
        assert_eq!(data.labels().vertex.names(), ["3", "5"]);
        assert_eq!(data.labels().edge.names(), ["2", "10"]);
        assert_eq!(shape(&data.graphs()[0]), (vec![1, 0, 1], vec![(0, 1, 0), (2, 1, 1)]));
        assert_eq!(shape(&data.graphs()[1]), (vec![0], vec![]));
    }

    #[test]
    fn header_fields_are_id_target_and_name() {
        let data = good("t # 0\nt # 1 -2.7\nt # 2 active mol-7\nt # 3 1 ethyl  acetate\n");
        assert_eq!(data.ids(), ["0", "1", "mol-7", "ethyl acetate"]);
        assert_eq!(targets(&data), [None, Some("-2.7"), Some("active"), Some("1")]);
    }

    #[test]
    fn vertices_may_be_numbered_from_one_in_each_graph() {
        let from_one = good("t # 0\nv 1 a\nv 2 b\ne 1 2 x\nt # 1\nv 0 a\nv 1 b\ne 0 1 x\n");
        assert_eq!(from_one.graphs()[0], from_one.graphs()[1]);
        let error = parse("t # 0\nv 1 a\nv 2 b\ne 0 1 x\n", OnError::Fail).unwrap_err();
        assert!(error.to_string().starts_with("x.gsp:4: edge to vertex 0"), "{error}");
        let error = parse("t # 0\nv 1 a\nv 2 b\ne 2 2 x\n", OnError::Fail).unwrap_err();
        assert!(error.to_string().starts_with("x.gsp:4: self-loop at vertex 2"), "{error}");
    }

    #[test]
    fn words_are_labels() {
        let data = good("t # 0\nv 0 C.ar\nv 1 Ünï\nv 2 12\ne 0 1 double\ne 1 2 #\n");
        assert_eq!(data.labels().vertex.names(), ["12", "C.ar", "Ünï"]);
        assert_eq!(data.labels().edge.names(), ["#", "double"]);
    }

    #[test]
    fn an_edge_without_a_label_has_the_default_one() {
        let data = good("t # 0\nv 0 a\nv 1 a\nv 2 a\ne 0 1\ne 1 2 0\n");
        assert_eq!(data.labels().edge.names(), ["0"]);
    }

    #[test]
    fn the_closing_line_ends_the_file() {
        assert_eq!(good("t # 0 -1\nv 0 a\nt # -1\n").len(), 1);
        assert_eq!(good("t # 0\nv 0 a\nt # -1\n\n# bye\n").len(), 1);
        assert_eq!(good("t # 0 -1\n").len(), 1);
        let named = good("t # -1 1\nv 0 a\n");
        assert_eq!((named.ids(), targets(&named)), (&["-1".to_owned()][..], vec![Some("1")]));
        assert!(good("").is_empty() && good("t # -1").is_empty());
    }

    #[test]
    fn nothing_may_follow_the_closing_line() {
        let text = "t # 0\nv 0 a\nt # -1\nv 1 a\nv 2 a\nt # 5\nv 0 a\n";
        let error = parse(text, OnError::Fail).unwrap_err();
        assert!(error.to_string().starts_with("x.gsp:4: nothing may follow"), "{error}");
        let outcome = parse(text, OnError::Skip).unwrap();
        assert_eq!(outcome.data.len(), 1);
        let listed: Vec<_> =
            outcome.skipped.iter().map(|s| (s.place.as_str(), s.id.as_str())).collect();
        assert_eq!(listed, [("x.gsp:4", "?"), ("x.gsp:6", "5")]);
    }

    #[test]
    fn carriage_returns_tabs_comments_and_blank_lines_do_not_matter() {
        let plain = good("t # 0 1\nv 0 a\nv 1 b\ne 0 1 x\n");
        let odd =
            "# made by hand\r\n\r\nt\t#\t0\t1\r\n  v 0  a \r\n// more\r\nv\t1 b\r\n\t\r\ne 0 1\tx";
        assert_same(&plain, &good(odd));
    }

    #[test]
    fn odd_graphs_are_graphs() {
        let data = good(
            "t # empty\nt # isolated\nv 0 a\nv 1 b\nt # two\nv 0 a\nv 1 a\nv 2 b\nv 3 b\n\
             e 0 1 x\ne 2 3 x\n",
        );
        let sizes: Vec<_> =
            data.graphs().iter().map(|g| (g.vertex_count(), g.edge_count())).collect();
        assert_eq!(sizes, [(0, 0), (2, 0), (4, 2)]);
    }

    #[test]
    fn a_repeated_edge_counts_once() {
        let data = good("t # 0\nv 0 a\nv 1 a\ne 0 1 x\ne 1 0 x\ne 0 1 x\n");
        assert_eq!(data.graphs()[0].edge_count(), 1);
    }

    #[test]
    fn bad_lines_are_named() {
        let cases: [(&[u8], usize, &str); 20] = [
            (b"v 0 a\n", 1, "outside a graph"),
            (b"\n# note\ne 0 1 x\n", 3, "outside a graph"),
            (b"id,smiles\n", 1, "outside a graph"),
            (b"t\n", 1, "t # id"),
            (b"t # \n", 1, "t # id"),
            (b"t 0\n", 1, "t # id"),
            (b"t # 0\nv 0 a\ne 0 1 x\nv 1 a\n", 3, "vertex 1, which no line"),
            (b"t # 0\nv 0\n", 2, "v number label"),
            (b"t # 0\nv 0 a b\n", 2, "v number label"),
            (b"t # 0\nv 0 a\nv 1 a\ne 0\n", 4, "e u v [label]"),
            (b"t # 0\nv 0 a\nv 1 a\ne 0 1 x y\n", 4, "e u v [label]"),
            (b"t # 0\nv zero a\n", 2, "bad vertex number \"zero\""),
            (b"t # 0\nv -1 a\n", 2, "bad vertex number \"-1\""),
            (b"t # 0\nv 0 a\nv 99999999999 a\n", 3, "bad vertex number"),
            (b"t # 0\nv 2 a\n", 2, "from 0 or from 1"),
            (b"t # 0\nv 0 a\nv 0 a\n", 3, "vertex 0 where vertex 1 should follow"),
            (b"t # 0\nv 0 a\nv 2 a\n", 3, "vertex 2 where vertex 1 should follow"),
            (b"t # 0\nv 0 a\ne 0 0 x\n", 3, "self-loop at vertex 0"),
            (b"t # 0\nv 0 a\nv 1 a\ne 0 1 x\ne 1 0 y\n", 5, "different labels"),
            (b"t # 0\nx 0 a\n", 2, "unknown line \"x\""),
        ];
        for (text, line, reason) in cases {
            let error = parse(text, OnError::Fail).unwrap_err();
            let message = error.to_string();
            let input = String::from_utf8_lossy(text);
            assert!(message.starts_with(&format!("x.gsp:{line}: ")), "{input:?}: {message}");
            assert!(message.contains(reason), "{input:?}: {message}");
            assert!(error.is_bad_input() && message.lines().count() == 1);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_named() {
        let error = parse(b"t # 0\nv 0 \xff\xfe\n", OnError::Fail).unwrap_err();
        assert!(error.to_string().starts_with("x.gsp:2: not UTF-8 text (byte 5"), "{error}");
        let outcome = parse(b"t # 0\nv 0 a\nt # \xff\nv 0 b\nt # 2\n", OnError::Skip).unwrap();
        assert_eq!(outcome.data.ids(), ["0", "2"]);
        assert_eq!((outcome.skipped[0].place.as_str(), &*outcome.skipped[0].id), ("x.gsp:3", "?"));
        assert_eq!(good(b"# caf\xe9\nt # 0\n").len(), 1);
    }

    #[test]
    fn a_huge_line_gives_a_short_message() {
        let mut text = b"t # 0\n".to_vec();
        text.resize(10 << 20, b'x');
        let message = parse(&text, OnError::Fail).unwrap_err().to_string();
        assert!(message.starts_with("x.gsp:2: unknown line") && message.len() < 120, "{message}");
        let mut text = b"t # 0\nv 0 ".to_vec();
        text.resize(10 << 20, b'x');
        assert_eq!(good(&text).labels().vertex.names()[0].len(), (10 << 20) - 10);
    }

    #[test]
    fn skipping_lists_the_bad_and_resumes() {
        let text = "v 0 a\nv 1 a\nt # 0\nv 0 a\nt # 1 1 bad\nv 0 z\nv 1 z\ne 0 0 q\ne 0 1 q\nx\n\
                    t # 2\nv 0 b\nt 3\nv 0 c\nt # 4\nv 0 d\ne 0 1 x\n";
        let outcome = parse(text, OnError::Skip).unwrap();
        assert_eq!(outcome.data.ids(), ["0", "2"]);
        assert_eq!(outcome.data.labels().vertex.names(), ["a", "b"]);
        assert!(outcome.data.labels().edge.is_empty());
        assert_eq!(outcome.data.graphs()[1].labels(), [1]);
        let listed: Vec<_> =
            outcome.skipped.iter().map(|s| (s.place.as_str(), s.id.as_str())).collect();
        assert_eq!(
            listed,
            [("x.gsp:1", "?"), ("x.gsp:8", "bad"), ("x.gsp:13", "?"), ("x.gsp:17", "4")]
        );
        let line = outcome.skipped[1].to_string();
        assert!(line.starts_with("x.gsp:8: graph bad: self-loop at vertex 0"), "{line}");
    }

    #[test]
    fn gzipped_files_read_alike() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.gsp.gz");
        let data = good("t # 0 1\nv 0 a\nv 1 b\ne 0 1 x\n");
        super::super::atomic::write_whole(&path, |out| write(&data, out)).unwrap();
        let packed = std::fs::read(&path).unwrap();
        assert!(packed.starts_with(&[0x1f, 0x8b]));
        assert_same(&read(&path, OnError::Fail).unwrap().data, &data);
        std::fs::write(&path, &packed[..packed.len() - 6]).unwrap();
        for on_error in [OnError::Fail, OnError::Skip] {
            let error = read(&path, on_error).unwrap_err();
            assert!(error.to_string().contains("truncated"), "{error}");
        }
    }

    #[test]
    fn a_path_of_100_000_vertices_reads_and_writes() {
        const N: u32 = 100_000;
        let mut labels = Labels::default();
        let a = labels.vertex.intern("a");
        let x = labels.edge.intern("x");
        let mut builder = GraphBuilder::new();
        for v in 0..N {
            builder.add_vertex(a);
            if v > 0 {
                builder.add_edge(v - 1, v, x).unwrap();
            }
        }
        let record = GraphRecord { graph: builder.build(), id: "long".into(), target: None };
        let data = Dataset::new(&labels, vec![record]);
        let back = good(written(&data));
        assert_eq!(back.graphs()[0].edge_count(), N as usize - 1);
        assert_same(&back, &data);
    }

    #[test]
    fn the_text_written_is_plain() {
        let text = "t # 0 1\nv 0 a\nv 1 b\ne 1 0 x\nt # 1 -1 mol\n";
        assert_eq!(written(&good(text)), text);
        let text = "t # 5\nt # mol\nv 0 a\n";
        assert_eq!(written(&good(text)), text);
    }

    #[test]
    fn what_the_form_cannot_hold_is_replaced() {
        let mut labels = Labels::default();
        let mut builder = GraphBuilder::new();
        builder.add_vertex(labels.vertex.intern("1, 2"));
        builder.add_vertex(labels.vertex.intern(""));
        builder.add_vertex(crate::labels::UNSEEN);
        let record = |id: &str, target: Option<&str>| GraphRecord {
            graph: Graph::default(),
            id: id.into(),
            target: target.map(Into::into),
        };
        let mut records = vec![record("a\tb\nc", Some("very good")), record("", Some(""))];
        records.extend([record("-1", None), record("", None), record("-1", Some("-1"))]);
        records.push(GraphRecord { graph: builder.build(), ..record("5", Some("1")) });
        let text = written(&Dataset::new(&labels, records));
        assert_eq!(
            text,
            "t # 0 very_good a_b_c\nt # 1 _ _\nt # _-1\nt # _\nt # 4 -1 -1\nt # 5 1\n\
             v 0 1,_2\nv 1 _\nv 2 ?\n"
        );
        assert_eq!(good(text).len(), 6);
    }

    /// Identifier, target, vertex labels, and edges with labels.
    type Parts = (String, Option<String>, Vec<u8>, Vec<(u8, u8, u8)>);

    fn any_record() -> impl Strategy<Value = Parts> {
        (
            "[a-z#/é0-9-]{1,3}|[0-3]",
            proptest::option::of("-?[0-9]{1,2}|[a-z]{1,4}"),
            proptest::collection::vec(0u8..5, 0..7),
            proptest::collection::vec((0u8..7, 0u8..7, 0u8..4), 0..12),
        )
    }

    proptest! {
        #[test]
        fn written_data_reads_back_the_same(
            parts in proptest::collection::vec(any_record(), 0..6),
        ) {
            let names = ["C", "10", "9", "-1", "#"];
            let mut labels = Labels::default();
            let mut records = Vec::new();
            for (id, target, vertices, edges) in parts {
                let mut builder = GraphBuilder::new();
                for v in vertices {
                    builder.add_vertex(labels.vertex.intern(names[v as usize]));
                }
                for (u, v, name) in edges {
                    let u = u32::from(u);
                    let v = u32::from(v);
                    if u != v && u.max(v) < builder.vertex_count() as u32 {
                        let label = labels.edge.intern(names[name as usize]);
                        let _ = builder.add_edge(u, v, label);
                    }
                }
                let id = if target.is_none() && id == "-1" { "0".into() } else { id };
                records.push(GraphRecord { graph: builder.build(), id, target });
            }
            let whole = Dataset::new(&labels, records);
            let data = super::super::without_unused_labels(&whole);
            assert_same(&good(written(&data)), &data);
        }

        #[test]
        fn no_input_panics(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = parse(&bytes, OnError::Fail);
            prop_assert!(parse(&bytes, OnError::Skip).is_ok());
        }

        #[test]
        fn skipping_first_lists_what_failing_stops_at(
            lines in proptest::collection::vec("[tve#] [#0-3-] ?[0-3]? ?[0-3]?", 0..20),
        ) {
            let text = lines.join("\n");
            let skipped = parse(&text, OnError::Skip).unwrap().skipped;
            let failed = parse(&text, OnError::Fail);
            prop_assert_eq!(skipped.is_empty(), failed.is_ok());
            if let (Some(first), Err(error)) = (skipped.first(), failed) {
                prop_assert_eq!(error.to_string(), format!("{}: {}", first.place, first.reason));
            }
        }
    }
}
