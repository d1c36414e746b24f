//! How many connected edge sets a census would enter: the number that decides between engines.
//!
//! Knuth's estimator (1975) on the walk of [`super::walk`]: a random dive counts, at each level, the
//! ways to go on; the product of these is an unbiased estimate of the level's size. Graphs are
//! sampled evenly. The dives are seeded, so the estimate is a function of the data alone.
//!
//! **Cost.** `GRAPHS × DIVES` dives of at most `max_edges` steps.

use crate::graph::Graph;
use crate::random::{below, mix};

const GRAPHS: usize = 200;
const DIVES: usize = 40;

/// An estimate of the number of connected sets of 1 to `max_edges` edges over all `graphs`.
#[must_use]
pub fn edge_sets(graphs: &[Graph], max_edges: usize) -> f64 {
    let step = graphs.len().div_ceil(GRAPHS).max(1);
    let sampled: Vec<&Graph> = graphs.iter().step_by(step).collect();
    let mut random = Random(0x5349_4e4e);
    let total: f64 = sampled.iter().map(|g| dives(g, max_edges, &mut random)).sum();
    total * graphs.len() as f64 / sampled.len().max(1) as f64
}

fn dives(graph: &Graph, max_edges: usize, random: &mut Random) -> f64 {
    if graph.edge_count() == 0 || max_edges == 0 {
        return 0.0;
    }
    let sum: f64 = (0..DIVES).map(|_| dive(graph, max_edges, random)).sum();
    sum / DIVES as f64
}

/// One dive: the walk's queue, with one random candidate taken at each level.
fn dive(graph: &Graph, max_edges: usize, random: &mut Random) -> f64 {
    let root = random.below(graph.edge_count()) as u32;
    let mut ways = graph.edge_count() as f64;
    let mut total = ways;
    let first = graph.edges()[root as usize];
    let mut inside = vec![first.u];
    let mut queue: Vec<u32> = Vec::new();
    discover(graph, first.u, root, &inside, &mut queue);
    inside.push(first.v);
    discover(graph, first.v, root, &inside, &mut queue);
    let mut at = 0;
    for _ in 1..max_edges {
        let choices = queue.len() - at;
        if choices == 0 {
            break;
        }
        ways *= choices as f64;
        total += ways;
        at += random.below(choices);
        let to = queue[at];
        at += 1;
        if !inside.contains(&to) {
            discover(graph, to, root, &inside, &mut queue);
            inside.push(to);
        }
    }
    total
}

fn discover(graph: &Graph, v: u32, root: u32, inside: &[u32], queue: &mut Vec<u32>) {
    let out = graph.neighbors(v).iter().filter(|n| n.edge > root && !inside.contains(&n.vertex));
    queue.extend(out.map(|n| n.vertex));
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 += 1;
        below(mix(self.0), n)
    }
}
