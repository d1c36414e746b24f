//! Fragments: small patterns are just where brute force finds them; neighbourhoods are in the
//! graphs that are said to have them, are what lies around a vertex, and have nothing else
//! attached.

mod oracle;

use std::collections::BTreeSet;

use oracle::pattern::{Pattern, isomorphic, occurrences, spelled};
use oracle::random::{Random, Shape, graph, random_connected};
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use spinney::graph::{Edge, Graph};
use spinney::mining::{Canonizer, DfsCode, Fragments};

/// Graphs whose labels show degrees, besides one label in three.
fn graphs(seed: u64, count: usize) -> Vec<Graph> {
    let mut random = Random::new(seed);
    let shape = Shape { vertices: 9, edges: 11, vertex_labels: 3, edge_labels: 2 };
    let one = |random: &mut Random| {
        let extra = random.below(3);
        let plain = random_connected(random, 8, extra, shape);
        let degree = |v: usize| plain.neighbors(v as u32).len() as u32;
        let label = |(v, &l): (usize, &u32)| if l == 0 { 0 } else { 10 * degree(v) + l };
        let labels = plain.labels().iter().enumerate().map(label).collect();
        let edges: Vec<Edge> = plain.edges().to_vec();
        Graph::new(labels, edges)
    };
    (0..count).map(|_| one(&mut random)).collect()
}

fn decoded(fragments: &Fragments, graphs: &[Graph]) -> Vec<Option<(DfsCode, u32)>> {
    let mut canonizer = Canonizer::new();
    let one = |fragment| fragments.decode(graphs, fragment, &mut canonizer);
    (0..fragments.len() as u32).map(one).collect()
}

/// What lies less than `radius` steps from a vertex, by distances found naively.
fn around(graph: &Graph, vertex: usize, radius: usize) -> Pattern {
    let whole = Pattern::of(graph);
    let mut distance = vec![usize::MAX; whole.labels.len()];
    distance[vertex] = 0;
    for _ in 0..whole.labels.len() {
        for &(u, v, _) in &whole.edges {
            distance[u] = distance[u].min(distance[v].saturating_add(1));
            distance[v] = distance[v].min(distance[u].saturating_add(1));
        }
    }
    let inside = |e: &usize| {
        let (u, v, _) = whole.edges[*e];
        distance[u].min(distance[v]) < radius
    };
    whole.spanned(&(0..whole.edges.len()).filter(inside).collect::<Vec<_>>())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn small_patterns_are_where_they_are_and_neighbourhoods_where_said(seed in 0u64..1 << 40) {
        let graphs = graphs(seed, 12);
        let fragments = Fragments::of(&graphs);
        let mut small = BTreeSet::new();
        for (number, decoded) in (0u32..).zip(decoded(&fragments, &graphs)) {
            let Some((code, at_least)) = decoded else { continue };
            let pattern = spelled(&code);
            let reach = |g: &Graph| occurrences(&pattern, &Pattern::of(g)) >= at_least as usize;
            let found: Vec<bool> = graphs.iter().map(reach).collect();
            let has = |g: usize| fragments.row(g).contains(&number);
            let said: Vec<bool> = (0..graphs.len()).map(has).collect();
            prop_assert!(said.iter().filter(|&&has| has).count() > 1);
            if code.edge_count() <= 2 {
                prop_assert!(small.insert((format!("{code:?}"), at_least)), "twice: {code:?}");
                prop_assert_eq!(&said, &found);
                continue;
            }
            prop_assert!(said.iter().zip(&found).all(|(said, found)| *found || !said));
            // It is all there is around some vertex of each graph that has it.
            let is_there = |g: &Graph| {
                let vertices = 0..g.vertex_count();
                let is_around = |v| (1..=3).any(|r| isomorphic(&around(g, v, r), &pattern));
                vertices.into_iter().any(is_around)
            };
            for (g, _) in graphs.iter().zip(&said).filter(|(_, said)| **said) {
                prop_assert!(is_there(g) || said != found, "{pattern:?} is no neighbourhood");
            }
        }
        // All small patterns of two graphs or more are there, once a threshold.
        let expected = oracle::pattern::mine(&graphs, 2).iter().filter(|m| m.support() > 1).count();
        let once = small.iter().filter(|(_, at_least)| *at_least == 1).count();
        prop_assert!(once >= expected, "{once} of {expected}");
        prop_assert!((0..graphs.len()).all(|g| fragments.row(g).is_sorted_by(|a, b| a < b)));
    }
}

#[test]
fn a_neighbourhood_needs_labels_that_show_degrees() {
    // Two stars: labels of centres show how many leaves there are, or do not.
    let star = |center: u32, leaves: u32| {
        let labels: Vec<u32> = std::iter::once(center).chain((0..leaves).map(|_| 9)).collect();
        let edges: Vec<(u32, u32, u32)> = (1..=leaves).map(|leaf| (0, leaf, 0)).collect();
        graph(&labels, &edges)
    };
    let widest = |graphs: &[Graph]| {
        let fragments = Fragments::of(graphs);
        let codes = decoded(&fragments, graphs).into_iter().flatten();
        codes.map(|(code, _)| code.edge_count()).max()
    };
    assert_eq!(widest(&[star(5, 5), star(5, 5), star(4, 4)]), Some(5));
    assert_eq!(widest(&[star(5, 5), star(5, 5), star(5, 4)]), Some(2));
    // Graphs of single vertices, and none at all.
    assert_eq!(widest(&[graph(&[1], &[]), graph(&[1], &[])]), Some(0));
    assert!(Fragments::of(&[]).is_empty());
}

#[test]
fn dense_graphs_and_many_like_branches_have_no_neighbourhoods() {
    let widest = |graphs: &[Graph]| {
        let fragments = Fragments::of(graphs);
        let codes = decoded(&fragments, graphs).into_iter().flatten();
        codes.map(|(code, _)| code.edge_count()).max()
    };
    // Complete graphs: every label shows the degree, which is too large.
    let complete = |n: u32| {
        let pairs = (0..n).flat_map(|u| (u + 1..n).map(move |v| (u, v, 0)));
        graph(&vec![n; n as usize], &pairs.collect::<Vec<_>>())
    };
    assert_eq!(widest(&[complete(12), complete(12)]), Some(2));
    // Six branches of three leaves each, 24 edges in all: 6!·(3!)^6 automorphisms. What lies within
    // two steps of a branch, nine edges, has 3!·5!.
    let tree = || {
        let (mut labels, mut edges) = (vec![6], Vec::new());
        for _ in 0..6 {
            let at = labels.len() as u32;
            labels.push(14);
            edges.push((0, at, 0));
            for _ in 0..3 {
                edges.push((at, labels.len() as u32, 0));
                labels.push(1);
            }
        }
        graph(&labels, &edges)
    };
    assert_eq!(widest(&[tree(), tree()]), Some(9));
}
