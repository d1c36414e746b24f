//! How many connected edge sets a census would enter: the number that decides between engines.
//!
//! The largest graph and an even sample of the others are walked, entering sets without naming
//! them, until a budget is used up. Within the budget the counts are exact and only the sampling
//! estimates; beyond it the graphs reached stand for all, and in the last of them the edges whose
//! sets were all met for the others. The result is a function of the data alone.
//!
//! **Cost.** At most `BUDGET_SETS` edge sets: about a tenth of a second.

use crate::graph::Graph;
use crate::labels::Label;
use crate::mining::census::walk::{ArcKinds, SetStep, SetVisitor, Walker};

/// How many graphs are sampled besides the largest.
const SAMPLED_GRAPHS: usize = 64;
/// The most edge sets that are counted.
const BUDGET_SETS: u64 = 4_000_000;
/// Up to this many edges a bound is worked out.
const MAX_BOUNDED_EDGES: usize = 32;

/// An estimate of the number of connected sets of 1 to `max_edges` edges over all `graphs`.
#[must_use]
pub fn estimate_edge_sets(graphs: &[Graph], max_edges: usize) -> f64 {
    let Some(largest) = (0..graphs.len()).max_by_key(|&i| graphs[i].edge_count()) else {
        return 0.0;
    };
    let mut count = SetCounter { sets: 0, limit: BUDGET_SETS / 4 };
    let mut walker = Walker::default();
    let whole = walker.walk(&graphs[largest], max_edges, &mut count);
    let alone = count.sets as f64 * if whole { 1.0 } else { missing(&walker, &graphs[largest]) };
    let others: Vec<usize> = (0..graphs.len()).filter(|&i| i != largest).collect();
    let step = others.len().div_ceil(SAMPLED_GRAPHS).max(1);
    count = SetCounter { sets: 0, limit: BUDGET_SETS };
    let mut walked = 0;
    let mut more = 0.0;
    for &i in others.iter().step_by(step) {
        let before = count.sets;
        walked += 1;
        if !walker.walk(&graphs[i], max_edges, &mut count) {
            more = (count.sets - before) as f64 * (missing(&walker, &graphs[i]) - 1.0);
            break;
        }
    }
    let mean = (count.sets as f64 + more) / f64::from(walked.max(1));
    alone + mean * others.len() as f64
}

/// By how much a walk that was broken off falls short, if all edges had as many sets.
fn missing(walker: &Walker, graph: &Graph) -> f64 {
    graph.edge_count() as f64 / f64::from(walker.roots().max(1))
}

/// A number that the connected sets of 1 to `max_edges` edges over all `graphs` do not exceed, from
/// the greatest degree alone.
///
/// Unfolded into a tree, the sets of *k* edges around a given edge are at most as many as *k* − 1
/// further vertices can be shared out over the 2*d* places beside it, each place again with *d*
/// below it, *d* + 1 being the greatest degree: a Fuss–Catalan number. Every set is counted at each
/// of its *k* edges. Beyond [`MAX_BOUNDED_EDGES`] the bound is infinite: the number is too large
/// anyway.
#[must_use]
pub(crate) fn edge_set_bound(graphs: &[Graph], max_edges: usize) -> f64 {
    let bound = |graph: &Graph| {
        let degrees = (0..graph.vertex_count() as u32).map(|v| graph.neighbors(v).len());
        let below = degrees.max().unwrap_or(0).saturating_sub(1) as f64;
        let largest = max_edges.min(graph.edge_count());
        if largest > MAX_BOUNDED_EDGES {
            return f64::INFINITY;
        }
        let around: f64 = (1..=largest).map(|k| sets_around(k, below) / k as f64).sum();
        graph.edge_count() as f64 * around
    };
    graphs.iter().map(bound).sum()
}

/// The subtrees of `k` edges around an edge of a tree whose vertices all have degree `below` + 1.
fn sets_around(k: usize, below: f64) -> f64 {
    let more = (k - 1) as f64;
    let places = 2.0 * below;
    let all = below * more + places;
    if k == 1 {
        return 1.0;
    }
    let choices: f64 = (1..k).map(|i| (all - more + i as f64) / i as f64).product();
    places / all.max(1.0) * choices
}

/// Counts the sets entered, up to a limit.
struct SetCounter {
    sets: u64,
    limit: u64,
}

impl SetVisitor for SetCounter {
    const COUNTS_ONLY: bool = true;

    fn load(&mut self, _graph: &Graph, _kinds: &ArcKinds) {}

    fn start(&mut self, _label: Label) {}

    fn enter(&mut self, _step: SetStep) -> bool {
        self.sets += 1;
        self.sets < self.limit
    }

    fn tip(&mut self, _step: SetStep, times: u32) -> bool {
        self.sets += u64::from(times);
        self.sets < self.limit
    }

    fn leave(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::{edge_set_bound, estimate_edge_sets};
    use crate::graph::{Graph, GraphBuilder};

    fn path(edges: u32) -> Graph {
        let mut b = GraphBuilder::new();
        (0..=edges).for_each(|_| {
            b.add_vertex(0);
        });
        (0..edges).for_each(|v| {
            b.add_edge(v, v + 1, 0).unwrap();
        });
        b.build()
    }

    fn clique(vertices: u32) -> Graph {
        let mut b = GraphBuilder::new();
        (0..vertices).for_each(|_| {
            b.add_vertex(0);
        });
        (0..vertices).for_each(|u| (0..u).for_each(|v| assert!(b.add_edge(u, v, 0).is_ok())));
        b.build()
    }

    #[test]
    fn small_spaces_are_counted() {
        // A path of n edges has n + (n − 1) + (n − 2) connected sets of up to three edges.
        let graphs: Vec<Graph> = vec![path(5); 10];
        assert_eq!(estimate_edge_sets(&graphs, 3), 120.0);
        assert_eq!(estimate_edge_sets(&[], 3), 0.0);
        assert_eq!(estimate_edge_sets(&graphs, 0), 0.0);
    }

    #[test]
    fn degrees_bound_the_number_of_sets() {
        // Where every inner vertex has the same degree, the bound counts around the middle edge
        // exactly; a path has k sets of k edges around an edge far from its ends.
        assert_eq!(super::sets_around(3, 1.0), 3.0);
        // An edge and one of four others; or two of them, or one and one of two behind it.
        assert_eq!(super::sets_around(2, 2.0), 4.0);
        assert_eq!(super::sets_around(3, 2.0), 6.0 + 4.0 * 2.0);
        for graphs in [vec![path(9)], vec![clique(5)], vec![path(2), clique(4)], vec![path(0)]] {
            for size in 0..=8 {
                let all = estimate_edge_sets(&graphs, size);
                let bound = edge_set_bound(&graphs, size);
                assert!(all <= bound, "{all} sets of up to {size} edges, at most {bound}");
            }
        }
    }

    #[test]
    fn huge_spaces_are_huge() {
        let graphs = vec![clique(40); 100];
        assert!(estimate_edge_sets(&graphs, 40) > 1e8);
        // One of them among paths is enough.
        let graphs = [vec![path(20); 100], vec![clique(40)]].concat();
        assert!(estimate_edge_sets(&graphs, 40) > 5e8);
    }
}
