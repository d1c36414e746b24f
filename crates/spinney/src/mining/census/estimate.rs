//! How many connected edge sets a census would enter: the number that decides between engines.
//!
//! The largest graph and an even sample of the others are walked, entering sets without naming
//! them, until a budget is used up. Within the budget the counts are exact and only the sampling
//! estimates; beyond it the graphs reached stand for all, which is then an estimate from below of
//! a number that is too large anyway. The result is a function of the data alone.
//!
//! **Cost.** At most `BUDGET` edge sets: about a tenth of a second.

use super::walk::{Follow, Kinds, Step, Walker};
use crate::graph::Graph;
use crate::labels::Label;

const GRAPHS: usize = 64;
const BUDGET: u64 = 4_000_000;

/// An estimate of the number of connected sets of 1 to `max_edges` edges over all `graphs`.
#[must_use]
pub fn edge_sets(graphs: &[Graph], max_edges: usize) -> f64 {
    let Some(largest) = (0..graphs.len()).max_by_key(|&i| graphs[i].edge_count()) else {
        return 0.0;
    };
    let mut count = Count { sets: 0, most: BUDGET / 4 };
    let mut walker = Walker::default();
    walker.walk(&graphs[largest], max_edges, &mut count);
    let alone = count.sets;
    let others: Vec<usize> = (0..graphs.len()).filter(|&i| i != largest).collect();
    let step = others.len().div_ceil(GRAPHS).max(1);
    count = Count { sets: 0, most: BUDGET };
    let mut walked = 0;
    for &i in others.iter().step_by(step) {
        walked += 1;
        if !walker.walk(&graphs[i], max_edges, &mut count) {
            break;
        }
    }
    let mean = count.sets as f64 / f64::from(walked.max(1));
    alone as f64 + mean * others.len() as f64
}

/// Counts the sets entered, up to a number.
struct Count {
    sets: u64,
    most: u64,
}

impl Follow for Count {
    const COUNTS_ONLY: bool = true;

    fn load(&mut self, _graph: &Graph, _kinds: &Kinds) {}

    fn start(&mut self, _label: Label) {}

    fn enter(&mut self, _step: Step) -> bool {
        self.sets += 1;
        self.sets < self.most
    }

    fn tip(&mut self, _step: Step, times: u32) -> bool {
        self.sets += u64::from(times);
        self.sets < self.most
    }

    fn leave(&mut self) {}
}

#[cfg(test)]
mod tests {
    use super::edge_sets;
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

    #[test]
    fn small_spaces_are_counted() {
        // A path of n edges has n + (n − 1) + (n − 2) connected sets of up to three edges.
        let graphs: Vec<Graph> = vec![path(5); 10];
        assert_eq!(edge_sets(&graphs, 3), 120.0);
        assert_eq!(edge_sets(&[], 3), 0.0);
        assert_eq!(edge_sets(&graphs, 0), 0.0);
    }

    #[test]
    fn huge_spaces_are_huge() {
        let mut b = GraphBuilder::new();
        (0..40).for_each(|_| {
            b.add_vertex(0);
        });
        (0..40).for_each(|u| (0..u).for_each(|v| assert!(b.add_edge(u, v, 0).is_ok())));
        let graphs = vec![b.build(); 100];
        assert!(edge_sets(&graphs, 40) > 1e8);
    }
}
