//! Graphs that are no molecules, and their patterns, as SVG; and the paper that drawings are made
//! on.
//!
//! Vertices are placed so that their distances on paper are their distances in the graph: the
//! stress Σ w (|x−y| − d)², w = d⁻², goes down in every step (majorisation; Gansner, Koren and
//! North 2004), from a circle in the order of the walk. The longest direction is turned to lie
//! flat.
//!
//! **Invariant.** The same pattern gives the same text. Every text that comes from outside is
//! escaped: a label named `<script>` is drawn as such.
//!
//! **Cost.** O(n²) a step; steps are fewer for larger patterns, at least ten.

use std::fmt::Write;

use spinney::graph::Graph;
use spinney::labels::Labels;
use spinney::mining::DfsCode;
use spinney::representation::covariates::condition;

use crate::chemistry::short_name;
use crate::highlight::Highlights;
use crate::smarts::is_atom;

/// Longer labels are cut on paper (not in their tooltip).
const MAX_LABEL_CHARS: usize = 10;
/// Graphs of more vertices are not drawn.
const MAX_DRAWN_VERTICES: usize = 200;
/// On paper, how far apart vertices are that no path joins.
const APART: u16 = 3;

/// A place on paper; y grows downwards.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Point {
    pub(crate) x: f64,
    pub(crate) y: f64,
}

impl Point {
    pub(crate) fn new(x: f64, y: f64) -> Self {
        Point { x, y }
    }

    pub(crate) fn plus(self, other: Point, times: f64) -> Self {
        Point { x: self.x + other.x * times, y: self.y + other.y * times }
    }

    pub(crate) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    /// The direction towards `to`; to the right if both are one point.
    pub(crate) fn towards(self, to: Point) -> Point {
        let way = to.plus(self, -1.0);
        let length = way.length();
        if length < 1e-9 {
            Point::new(1.0, 0.0)
        } else {
            Point::new(way.x / length, way.y / length)
        }
    }
}

/// How a line looks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stroke<'c> {
    pub(crate) colour: &'c str,
    pub(crate) width: f64,
    /// Lengths of dash and gap, if it is broken.
    pub(crate) dash: Option<(f64, f64)>,
}

impl<'c> Stroke<'c> {
    pub(crate) fn solid(colour: &'c str, width: f64) -> Self {
        Stroke { colour, width, dash: None }
    }
}

/// An SVG being drawn: things later cover things earlier, and the frame fits what is there.
#[derive(Debug)]
pub(crate) struct Canvas {
    body: String,
    low: Point,
    high: Point,
}

impl Canvas {
    pub(crate) fn new() -> Self {
        Canvas {
            body: String::new(),
            low: Point::new(f64::MAX, f64::MAX),
            high: Point::new(f64::MIN, f64::MIN),
        }
    }

    fn make_room(&mut self, at: Point, around: Point) {
        self.low = Point::new(self.low.x.min(at.x - around.x), self.low.y.min(at.y - around.y));
        self.high = Point::new(self.high.x.max(at.x + around.x), self.high.y.max(at.y + around.y));
    }

    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: Stroke<'_>) {
        let room = Point::new(stroke.width, stroke.width);
        self.make_room(from, room);
        self.make_room(to, room);
        let dash = stroke
            .dash
            .map_or(String::new(), |(on, off)| format!(" stroke-dasharray=\"{on},{off}\""));
        let _ = writeln!(
            self.body,
            "<line x1=\"{:.1}\" y1=\"{:.1}\" x2=\"{:.1}\" y2=\"{:.1}\" stroke=\"{}\" \
             stroke-width=\"{}\" stroke-linecap=\"round\"{dash}/>",
            from.x, from.y, to.x, to.y, stroke.colour, stroke.width
        );
    }

    pub(crate) fn disk(&mut self, at: Point, radius: f64, fill: &str, rim: &str) {
        self.make_room(at, Point::new(radius + 1.0, radius + 1.0));
        let _ = writeln!(
            self.body,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" \
             stroke=\"{rim}\"/>",
            at.x, at.y
        );
    }

    /// Text whose middle is `at`, with a tooltip.
    pub(crate) fn text(&mut self, at: Point, text: &str, colour: &str, tooltip: &str) {
        self.make_room(at, Point::new(text_width(text) / 2.0, 9.0));
        let title = if tooltip.is_empty() {
            String::new()
        } else {
            format!("<title>{}</title>", escape(tooltip))
        };
        let _ = writeln!(
            self.body,
            "<text x=\"{:.1}\" y=\"{:.1}\" fill=\"{colour}\" stroke=\"white\" stroke-width=\"3\" \
             paint-order=\"stroke\">{title}{}</text>",
            at.x,
            at.y + 5.0,
            escape(text)
        );
    }

    /// The whole SVG, with a title.
    pub(crate) fn finish(self, title: &str) -> String {
        const MARGIN: f64 = 8.0;
        let empty = self.low.x > self.high.x;
        let low = if empty { Point::default() } else { self.low };
        let high = if empty { Point::default() } else { self.high };
        let x = low.x - MARGIN;
        let y = low.y - MARGIN;
        let w = high.x - low.x + 2.0 * MARGIN;
        let h = high.y - low.y + 2.0 * MARGIN;
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w:.0}\" height=\"{h:.0}\" \
             viewBox=\"{x:.1} {y:.1} {w:.1} {h:.1}\" font-family=\"Helvetica, Arial, sans-serif\" \
             font-size=\"14\" text-anchor=\"middle\">\n<title>{}</title>\n\
             <rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" fill=\"white\"/>\n\
             {}</svg>\n",
            escape(title),
            self.body
        )
    }
}

/// About how wide a text is.
pub(crate) fn text_width(text: &str) -> f64 {
    text.chars().map(letter_width).sum()
}

fn letter_width(letter: char) -> f64 {
    match letter {
        'W' | 'M' | 'm' | 'w' | '@' => 12.5,
        'A'..='Z' | '#' | '+' | '*' => 10.0,
        'i' | 'j' | 'l' | '.' | ',' | '\'' | '|' => 4.0,
        '₀'..='₉' | '⁰'..='⁹' | '¹' | '²' | '³' | '⁺' | '⁻' => 6.0,
        c if c.is_ascii() => 8.0,
        _ => 14.0,
    }
}

/// Text for XML, in an element or an attribute; what XML cannot hold becomes U+FFFD.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            '\'' => escaped += "&#39;",
            '\u{0}'..='\u{8}'
            | '\u{b}'
            | '\u{c}'
            | '\u{e}'..='\u{1f}'
            | '\u{fffe}'
            | '\u{ffff}' => {
                escaped.push('\u{fffd}');
            }
            _ => escaped.push(letter),
        }
    }
    escaped
}

/// A pattern as SVG: labels in circles, edges with their labels unless named `0`; the threshold of
/// a number as text.
#[must_use]
pub fn graph_svg(code: &DfsCode, labels: &Labels) -> String {
    if code.edge_count() == 0 {
        let label = labels.vertex.name(code.root());
        if let Some((name, side)) = condition(label) {
            return threshold_svg(name, side, label);
        }
    }
    match code.to_graph() {
        Ok(graph) => svg(&graph, labels, &Highlights::default(), &code.describe(labels)),
        Err(reason) => Canvas::new().finish(&reason),
    }
}

/// On which side of a cut a number lies, in two lines.
fn threshold_svg(name: &str, side: &str, title: &str) -> String {
    // The share of an atom: that has a short name.
    let short = name.rsplit_once(' ').filter(|(_, last)| is_atom(last));
    let name = short.map_or_else(|| name.into(), |(of, atom)| format!("{of} {}", short_name(atom)));
    let mut canvas = Canvas::new();
    canvas.text(Point::new(0.0, 0.0), &name, "#222", title);
    canvas.text(Point::new(0.0, 20.0), side, "#222", title);
    canvas.finish(title)
}

/// A whole graph as SVG in the same way, with highlights behind some vertices and edges. None if it
/// has too many vertices to be looked at.
#[must_use]
pub fn whole_graph_svg(
    graph: &Graph,
    labels: &Labels,
    highlights: &Highlights,
    title: &str,
) -> Option<String> {
    (graph.vertex_count() <= MAX_DRAWN_VERTICES).then(|| svg(graph, labels, highlights, title))
}

fn svg(graph: &Graph, labels: &Labels, highlights: &Highlights, title: &str) -> String {
    let names: Vec<&str> = graph.labels().iter().map(|&l| labels.vertex.name(l)).collect();
    let shown: Vec<String> = names.iter().map(|name| cut(name)).collect();
    let widest = shown.iter().map(|name| text_width(name)).fold(0.0, f64::max);
    let radius = (widest / 2.0 + 6.0).max(15.0);
    let edge_names: Vec<String> =
        graph.edges().iter().map(|e| cut(labels.edge.name(e.label))).collect();
    let is_shown = |name: &str| name != "0";
    let written = edge_names.iter().filter(|name| is_shown(name));
    let label_room = written.map(|name| text_width(name) + 12.0).fold(0.0, f64::max);
    let edges: Vec<(usize, usize)> =
        graph.edges().iter().map(|e| (e.u as usize, e.v as usize)).collect();
    let places = spread(names.len(), &edges, 2.0 * radius + label_room.max(26.0));

    let mut canvas = Canvas::new();
    for &(a, b) in &edges {
        if let Some(highlight) = highlights.edge(a as u32, b as u32) {
            canvas.line(places[a], places[b], Stroke::solid(&highlight, 12.0));
        }
        canvas.line(places[a], places[b], Stroke::solid("#666", 1.6));
    }
    for (&(a, b), name) in edges.iter().zip(&edge_names).filter(|(_, name)| is_shown(name)) {
        let middle =
            Point::new((places[a].x + places[b].x) / 2.0, (places[a].y + places[b].y) / 2.0);
        canvas.text(middle, name, "#444", "");
    }
    for (v, ((&at, text), name)) in places.iter().zip(&shown).zip(&names).enumerate() {
        let highlight = highlights.vertex(v as u32).unwrap_or("#eef3fa".into());
        canvas.disk(at, radius, &highlight, "#4a6fa5");
        canvas.text(at, text, "#111", name);
    }
    canvas.finish(title)
}

fn cut(name: &str) -> String {
    if name.chars().count() <= MAX_LABEL_CHARS {
        return name.to_owned();
    }
    let start: String = name.chars().take(MAX_LABEL_CHARS - 1).collect();
    format!("{start}…")
}

/// Places for the vertices of a graph, neighbours about `unit` apart.
fn spread(n: usize, edges: &[(usize, usize)], unit: f64) -> Vec<Point> {
    let distances = distances(n, edges);
    let mut places = on_a_circle(n);
    let steps = (20_000_000 / (n * n).max(1)).clamp(10, 500);
    for _ in 0..steps {
        for v in 0..n {
            places[v] = settled(v, &places, &distances[v * n..(v + 1) * n]);
        }
    }
    lay_flat(&mut places);
    places.iter().map(|p| Point::new(p.x * unit, p.y * unit)).collect()
}

/// Where the stress of `v` is least while the others stay.
fn settled(v: usize, places: &[Point], distances: &[u16]) -> Point {
    let mut sum = Point::default();
    let mut weights = 0.0;
    for (w, &other) in places.iter().enumerate().filter(|(w, _)| *w != v) {
        let d = f64::from(distances[w]);
        let weight = 1.0 / (d * d);
        let wished = other.plus(other.towards(places[v]), d);
        sum = sum.plus(wished, weight);
        weights += weight;
    }
    if weights > 0.0 { Point::new(sum.x / weights, sum.y / weights) } else { places[v] }
}

/// A start without symmetry, so that no vertex is caught between two places.
fn on_a_circle(n: usize) -> Vec<Point> {
    let place = |v: usize| {
        let angle = std::f64::consts::TAU * v as f64 / n as f64;
        let radius = n as f64 / 5.0 * (1.0 + 0.1 * ((v * 7 % 5) as f64));
        Point::new(radius * angle.cos(), radius * angle.sin())
    };
    (0..n).map(place).collect()
}

/// All distances in edges, by breadth-first search; row `v` from `v * n`. [`APART`] between
/// vertices that no path joins.
fn distances(n: usize, edges: &[(usize, usize)]) -> Vec<u16> {
    let mut around = vec![Vec::new(); n];
    for &(a, b) in edges {
        around[a].push(b);
        around[b].push(a);
    }
    let mut distances = vec![0; n * n];
    let mut queue = Vec::with_capacity(n);
    for (start, row) in distances.chunks_mut(n.max(1)).enumerate() {
        queue.clear();
        queue.push(start);
        let mut at = 0;
        while let Some(&v) = queue.get(at) {
            for &w in &around[v] {
                if w != start && row[w] == 0 {
                    row[w] = row[v] + 1;
                    queue.push(w);
                }
            }
            at += 1;
        }
        row.iter_mut().filter(|d| **d == 0).for_each(|d| *d = APART);
    }
    distances
}

/// Turns the places so that their longest direction lies flat, and moves their centre to 0.
fn lay_flat(places: &mut [Point]) {
    let n = places.len().max(1) as f64;
    let centre = places.iter().fold(Point::default(), |sum, p| sum.plus(*p, 1.0 / n));
    let (mut xx, mut xy, mut yy) = (0.0, 0.0, 0.0);
    for p in places.iter_mut() {
        *p = p.plus(centre, -1.0);
        xx += p.x * p.x;
        xy += p.x * p.y;
        yy += p.y * p.y;
    }
    let angle = 0.5 * (2.0 * xy).atan2(xx - yy);
    let (sin, cos) = angle.sin_cos();
    for p in places.iter_mut() {
        *p = Point::new(p.x * cos + p.y * sin, p.y * cos - p.x * sin);
    }
}

#[cfg(test)]
mod tests {
    use super::{escape, graph_svg, spread, whole_graph_svg};
    use crate::highlight::Highlights;
    use spinney::graph::GraphBuilder;
    use spinney::labels::Labels;
    use spinney::mining::{DfsCode, DfsEdge};

    #[test]
    fn neighbours_are_one_apart_and_nobody_overlaps() {
        let square = [(0, 1), (1, 2), (2, 3), (3, 0)];
        let star = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5)];
        let path: Vec<(usize, usize)> = (0..8).map(|v| (v, v + 1)).collect();
        for (n, edges) in [(4, &square[..]), (6, &star[..]), (9, &path[..])] {
            let places = spread(n, edges, 60.0);
            for a in 0..n {
                for b in 0..a {
                    let apart = places[a].plus(places[b], -1.0).length();
                    let joined = edges.contains(&(a, b)) || edges.contains(&(b, a));
                    assert!(apart > 45.0, "{a} {b}: {apart}");
                    assert!(!joined || apart < 75.0, "{a} {b}: {apart}");
                }
            }
        }
        assert_eq!(spread(1, &[], 60.0).len(), 1);
    }

    #[test]
    fn whole_graphs_are_drawn_with_highlights_unless_they_are_too_large() {
        let mut builder = GraphBuilder::new();
        let all: Vec<u32> = (0..4).map(|_| builder.add_vertex(0)).collect();
        builder.add_edge(all[0], all[1], 0).unwrap();
        builder.add_edge(all[1], all[2], 0).unwrap();
        let labels = Labels {
            vertex: ["A".to_owned()].into_iter().collect(),
            edge: ["0".to_owned()].into_iter().collect(),
        };
        let mut highlights = Highlights::default();
        highlights.mark_vertex(1);
        highlights.mark_edge(1, 0);
        let svg = whole_graph_svg(&builder.build(), &labels, &highlights, "g <1>").unwrap();
        assert_eq!((svg.matches("<circle").count(), svg.matches("#ffd866").count()), (4, 2));
        assert!(svg.contains("<title>g &lt;1&gt;</title>"), "{svg}");
        let mut large = GraphBuilder::new();
        (0..201).for_each(|_| _ = large.add_vertex(0));
        assert!(whole_graph_svg(&large.build(), &labels, &highlights, "").is_none());
    }

    #[test]
    fn labels_cannot_break_out() {
        let labels = Labels {
            vertex: ["<script>alert(1)</script>", "\"'&\u{1}"]
                .map(String::from)
                .into_iter()
                .collect(),
            edge: ["0", "<b>"].map(String::from).into_iter().collect(),
        };
        let edge = DfsEdge { from: 0, to: 1, from_label: 0, edge_label: 1, to_label: 1 };
        let svg = graph_svg(&DfsCode::from_edges(vec![edge]), &labels);
        assert!(!svg.contains("<script") && !svg.contains("<b>") && !svg.contains('\u{1}'));
        assert!(svg.contains("&lt;script&gt;") && svg.contains("&lt;b&gt;"));
        assert_eq!(escape("a<b>&\"c'"), "a&lt;b&gt;&amp;&quot;c&#39;");
        assert_eq!(svg, graph_svg(&DfsCode::from_edges(vec![edge]), &labels));
    }

    #[test]
    fn unlabelled_edges_have_no_text() {
        let labels = Labels {
            vertex: ["A"].map(String::from).into_iter().collect(),
            edge: ["0"].map(String::from).into_iter().collect(),
        };
        let edge = DfsEdge { from: 0, to: 1, from_label: 0, edge_label: 0, to_label: 0 };
        let svg = graph_svg(&DfsCode::from_edges(vec![edge]), &labels);
        assert_eq!((svg.matches("<text").count(), svg.matches("<circle").count()), (2, 2));
        assert!(graph_svg(&DfsCode::vertex(0), &labels).contains("<circle"));
        assert!(
            graph_svg(&DfsCode::from_edges(vec![DfsEdge { to: 7, ..edge }]), &labels)
                .ends_with("</svg>\n")
        );
    }
}
