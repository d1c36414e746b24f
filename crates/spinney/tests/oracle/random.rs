//! Random small graphs from a seed, the same on every machine.

use spinney::Dataset;
use spinney::dataset::GraphRecord;
use spinney::graph::{Graph, GraphBuilder};
use spinney::labels::{Labels, Names};

use super::pattern::Pattern;

/// A splitmix generator.
pub struct Random(u64);

impl Random {
    /// Starts from `seed`.
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5350_494e_4e45_5921)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.bits()) * n as u128) >> 64) as usize
    }

    /// A number from `low` to `high`, both included.
    pub fn range(&mut self, low: usize, high: usize) -> usize {
        low + self.below(high - low + 1)
    }

    /// A number in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// One of `items`.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// 0..n in a random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}

/// What random graphs look like.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// The most vertices.
    pub vertices: usize,
    /// The most edges.
    pub edges: usize,
    /// The number of vertex labels.
    pub vertex_labels: usize,
    /// The number of edge labels.
    pub edge_labels: usize,
}

/// A shape with few labels and at most `edges` edges.
pub fn random_shape(random: &mut Random, edges: usize) -> Shape {
    Shape {
        vertices: random.range(3, 7),
        edges: random.range(3, edges),
        vertex_labels: random.range(1, 3),
        edge_labels: random.range(1, 2),
    }
}

/// A random graph: perhaps empty, perhaps disconnected.
pub fn random_graph(random: &mut Random, shape: Shape) -> Graph {
    let mut builder = GraphBuilder::new();
    let n = random.range(0, shape.vertices);
    for _ in 0..n {
        builder.add_vertex(random.below(shape.vertex_labels) as u32);
    }
    if n > 1 {
        for _ in 0..random.range(0, shape.edges) {
            let (u, v) = (random.below(n) as u32, random.below(n) as u32);
            // A loop or a second edge is refused, and that is fine.
            let _ = builder.add_edge(u, v, random.below(shape.edge_labels) as u32);
        }
    }
    builder.build()
}

/// A random connected graph of `n` vertices with `extra` edges beyond a tree, where they fit.
pub fn random_connected(random: &mut Random, n: usize, extra: usize, shape: Shape) -> Graph {
    let mut builder = GraphBuilder::new();
    for v in 0..n {
        builder.add_vertex(random.below(shape.vertex_labels) as u32);
        if v > 0 {
            let label = random.below(shape.edge_labels) as u32;
            builder.add_edge(v as u32, random.below(v) as u32, label).expect("a tree");
        }
    }
    for _ in 0..extra {
        let (u, v) = (random.below(n) as u32, random.below(n) as u32);
        let _ = builder.add_edge(u, v, random.below(shape.edge_labels) as u32);
    }
    builder.build()
}

/// A set of 4 to `most` random graphs of one shape; some graphs may be repeated.
pub fn random_graphs(random: &mut Random, edges: usize, most: usize) -> Vec<Graph> {
    let shape = random_shape(random, edges);
    let mut graphs: Vec<Graph> = Vec::new();
    for _ in 0..random.range(4, most) {
        let again = !graphs.is_empty() && random.below(8) == 0;
        let graph = if again {
            graphs[random.below(graphs.len())].clone()
        } else {
            random_graph(random, shape)
        };
        graphs.push(graph);
    }
    graphs
}

/// The same graph with vertices renamed, edges reordered and turned round.
pub fn shuffled(random: &mut Random, graph: &Graph) -> Graph {
    let old = Pattern::of(graph);
    let name = random.permutation(old.labels.len());
    let mut labels = vec![0; old.labels.len()];
    for (v, &label) in old.labels.iter().enumerate() {
        labels[name[v]] = label;
    }
    let order = random.permutation(old.edges.len());
    let edges = order.into_iter().map(|e| {
        let (u, v, label) = old.edges[e];
        let (u, v) = (name[u], name[v]);
        if random.below(2) == 0 { (u, v, label) } else { (v, u, label) }
    });
    let edges = edges.collect();
    Pattern { labels, edges }.to_graph()
}

/// A graph from its vertex labels and edges.
pub fn graph(labels: &[u32], edges: &[(u32, u32, u32)]) -> Graph {
    let edges = edges.iter().map(|&(u, v, label)| (u as usize, v as usize, label)).collect();
    Pattern { labels: labels.to_vec(), edges }.to_graph()
}

/// Graphs and their targets as a data set whose label ids are the graphs' own.
pub fn dataset(graphs: &[Graph], targets: &[String]) -> Dataset {
    let most = |ids: &mut dyn Iterator<Item = u32>| ids.max().map_or(0, |id| id + 1);
    let vertex = most(&mut graphs.iter().flat_map(|g| g.labels().iter().copied()));
    let edge = most(&mut graphs.iter().flat_map(|g| g.edges().iter().map(|e| e.label)));
    let names = |count: u32| -> Names { (0..count).map(|id| id.to_string()).collect() };
    let labels = Labels { vertex: names(vertex), edge: names(edge) };
    let records = graphs.iter().zip(targets).enumerate().map(|(i, (graph, target))| GraphRecord {
        graph: graph.clone(),
        id: format!("g{i}"),
        target: Some(target.clone()),
    });
    Dataset::new(&labels, records.collect())
}
