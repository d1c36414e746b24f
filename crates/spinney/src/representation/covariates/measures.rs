//! What a graph as a whole measures: sizes, and shares of its vertices.
//!
//! Patterns show what a graph has, and how often; they cannot show how much of the graph that is. A
//! share can. All measures are sums over vertices and edges: they do not depend on how vertices are
//! numbered, and cost one walk over the graph.

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;

use crate::dataset::Dataset;
use crate::graph::{Copies, Graph};
use crate::labels::Label;

/// The labels whose shares are measured, of each copy of the graphs: the most common ones.
const LABELS: usize = 8;

/// A number that a graph has by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Measure {
    /// Vertices.
    Size,
    /// Independent cycles.
    Cycles,
    /// Connected parts.
    Components,
    /// Different labels.
    Kinds,
    /// The share of vertices on cycles.
    OnCycles,
    /// The share of vertices with three or more edges.
    Branching,
    /// The share of vertices with one edge.
    Ends,
    /// The share of vertices with a label.
    Share(String),
}

/// Measures that every graph has.
const PLAIN: [(Measure, &str); 7] = [
    (Measure::Size, "size"),
    (Measure::Cycles, "cycles"),
    (Measure::Components, "components"),
    (Measure::Kinds, "kinds of vertices"),
    (Measure::OnCycles, "share on cycles"),
    (Measure::Branching, "share branching"),
    (Measure::Ends, "share of ends"),
];

const SHARE: &str = "share of vertices ";

impl Measure {
    /// The measures of the graphs of `data`, each of which is some copies of one graph.
    pub(super) fn all(data: &Dataset, copies: usize) -> Vec<Measure> {
        let mut measures: Vec<Measure> = PLAIN.iter().map(|(measure, _)| measure.clone()).collect();
        let name = |label: Label| data.labels().vertex.name(label).to_owned();
        measures.extend(common(data.graphs(), copies).into_iter().map(name).map(Measure::Share));
        measures
    }

    pub(super) fn name(&self) -> String {
        let plain = PLAIN.iter().find(|(measure, _)| measure == self);
        match (plain, self) {
            (_, Measure::Share(label)) => format!("{SHARE}{label}"),
            (Some((_, name)), _) => (*name).to_owned(),
            (None, _) => String::new(),
        }
    }

    /// The measure of a name.
    pub(super) fn called(name: &str) -> Option<Measure> {
        let plain = PLAIN.iter().find(|(_, own)| *own == name).map(|(measure, _)| measure.clone());
        plain.or_else(|| name.strip_prefix(SHARE).map(|label| Measure::Share(label.to_owned())))
    }
}

/// The values of measures, by measure and graph.
pub(super) fn table(data: &Dataset, copies: usize, measures: &[Measure]) -> Vec<Vec<f64>> {
    let label = |measure: &Measure| match measure {
        Measure::Share(name) => Some(data.labels().vertex.id(name)),
        _ => None,
    };
    let labels: Vec<Option<Label>> = measures.iter().map(label).collect();
    let row = |graph: &Graph| {
        let sketch = Sketch::of(graph, copies);
        let one = measures.iter().zip(&labels);
        one.map(|(measure, label)| sketch.value(measure, *label)).collect::<Vec<f64>>()
    };
    let rows: Vec<Vec<f64>> = data.graphs().par_iter().map(row).collect();
    (0..measures.len()).map(|m| rows.iter().map(|row| row[m]).collect()).collect()
}

/// The labels that most graphs have, of each copy: no two copies share a label.
fn common(graphs: &[Graph], copies: usize) -> Vec<Label> {
    let mut having: Vec<FxHashMap<Label, usize>> = vec![FxHashMap::default(); copies];
    for graph in graphs {
        let n = graph.vertex_count() / copies;
        for (copy, having) in having.iter_mut().enumerate() {
            let mut own = graph.labels()[copy * n..(copy + 1) * n].to_vec();
            own.sort_unstable();
            own.dedup();
            own.into_iter().for_each(|label| *having.entry(label).or_default() += 1);
        }
    }
    let most = |having: FxHashMap<Label, usize>| {
        let mut all: Vec<(Label, usize)> = having.into_iter().collect();
        all.sort_by_key(|&(label, count)| (std::cmp::Reverse(count), label));
        all.into_iter().take(LABELS).map(|(label, _)| label).collect::<Vec<Label>>()
    };
    having.into_iter().flat_map(most).collect()
}

/// All that measures look at.
struct Sketch {
    size: usize,
    edges: usize,
    components: usize,
    kinds: usize,
    on_cycles: usize,
    branching: usize,
    ends: usize,
    counts: FxHashMap<Label, usize>,
}

impl Sketch {
    fn of(graph: &Graph, copies: usize) -> Sketch {
        let mut counts = FxHashMap::default();
        graph.labels().iter().for_each(|&label| *counts.entry(label).or_default() += 1);
        let one = Copies { count: copies, apart: 0 }.first(graph);
        let mut kinds = one.labels().to_vec();
        kinds.sort_unstable();
        kinds.dedup();
        let degree = |v: usize| one.neighbors(v as u32).len();
        let size = one.vertex_count();
        Sketch {
            size,
            edges: one.edge_count(),
            components: one.component_count(),
            kinds: kinds.len(),
            on_cycles: one.on_cycles().into_iter().filter(|on| *on).count(),
            branching: (0..size).filter(|&v| degree(v) >= 3).count(),
            ends: (0..size).filter(|&v| degree(v) == 1).count(),
            counts,
        }
    }

    fn value(&self, measure: &Measure, label: Option<Label>) -> f64 {
        let share = |part: usize| part as f64 / self.size.max(1) as f64;
        match measure {
            Measure::Size => self.size as f64,
            Measure::Cycles => (self.edges + self.components - self.size) as f64,
            Measure::Components => self.components as f64,
            Measure::Kinds => self.kinds as f64,
            Measure::OnCycles => share(self.on_cycles),
            Measure::Branching => share(self.branching),
            Measure::Ends => share(self.ends),
            Measure::Share(_) => {
                share(label.and_then(|label| self.counts.get(&label)).copied().unwrap_or(0))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Measure, table};
    use crate::dataset::{Dataset, GraphRecord};
    use crate::graph::{Edge, Graph};
    use crate::labels::Labels;

    #[test]
    fn a_ring_with_a_tail_and_an_ion_measure_what_one_counts() {
        let mut labels = Labels::default();
        let [c, o, na] = ["C", "O", "Na"].map(|name| labels.vertex.intern(name));
        let label = labels.edge.intern("-");
        // A triangle, a tail of two, an ion.
        let edges = [(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)].map(|(u, v)| Edge { u, v, label });
        let graph = Graph::new(vec![c, c, c, c, o, na], edges.to_vec());
        let empty = GraphRecord { id: "none".into(), ..GraphRecord::default() };
        let record = GraphRecord { graph, id: "one".into(), target: None };
        let data = Dataset::new(&labels, vec![record, empty]);
        let measures = Measure::all(&data, 1);
        let values = table(&data, 1, &measures);
        let of = |name: &str| {
            let at = measures.iter().position(|m| m.name() == name).expect("a measure");
            (values[at][0], values[at][1])
        };
        assert_eq!(of("size"), (6.0, 0.0));
        assert_eq!(of("cycles"), (1.0, 0.0));
        assert_eq!(of("components"), (2.0, 0.0));
        assert_eq!(of("kinds of vertices"), (3.0, 0.0));
        assert_eq!(of("share on cycles"), (0.5, 0.0));
        assert_eq!(of("share branching"), (1.0 / 6.0, 0.0));
        assert_eq!(of("share of ends"), (1.0 / 6.0, 0.0));
        assert_eq!(of("share of vertices C"), (4.0 / 6.0, 0.0));
        assert_eq!(measures.len(), 10);
        for measure in measures {
            assert_eq!(Measure::called(&measure.name()), Some(measure));
        }
        assert_eq!(Measure::called("weight"), None);
    }
}
