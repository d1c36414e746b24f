//! The census's name of a pattern is complete: equal names mean the same pattern, and the same
//! pattern has one name.
//!
//! The name is a hash, so no proof by types helps: it is tried on *all* connected graphs of up to 8
//! vertices (their numbers are known), on thousands of labelled graphs against smallest DFS codes,
//! on pairs that fool simple invariants, and by comparing whole censuses with the DFS-code miner.

mod oracle;

use std::collections::{BTreeMap, HashMap, HashSet};

use oracle::random::{
    Random, Shape, graph, random_connected, random_graph, random_graphs, random_shape, shuffled,
};
use spinney::graph::Graph;
use spinney::mining::census::pattern_name;
use spinney::mining::{Canonizer, Census, DfsCode, Next, PatternLimits, visit};

fn name(graph: &Graph) -> u128 {
    pattern_name(graph).expect("a connected graph with an edge has a name")
}

/// An unlabelled graph from its edges.
fn bare(n: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> Graph {
    let edges: Vec<_> = edges.into_iter().map(|(u, v)| (u, v, 0)).collect();
    graph(&vec![0; n as usize], &edges)
}

/// `graph` and a new vertex joined to the vertices of the bit mask `around`.
fn augmented(graph: &Graph, around: u32) -> Graph {
    let n = graph.vertex_count() as u32;
    let old = graph.edges().iter().map(|e| (e.u, e.v));
    let new = (0..n).filter(|v| around >> v & 1 == 1).map(|v| (v, n));
    bare(n + 1, old.chain(new))
}

/// All connected graphs of 2 to 8 vertices get different names: there are as many names as graphs
/// (OEIS A001349). Every connected graph has a vertex whose removal leaves it connected, so adding
/// a vertex in every way to every smaller one reaches them all. Names that do not change under
/// relabelling cannot be more than there are graphs; so as many names as graphs is completeness.
#[test]
fn all_connected_graphs_of_up_to_8_vertices_have_different_names() {
    let mut random = Random::new(1);
    let mut level = vec![bare(1, [])];
    for (n, expected) in [(2u32, 1), (3, 2), (4, 6), (5, 21), (6, 112), (7, 853), (8, 11_117)] {
        let mut seen = HashMap::new();
        for smaller in &level {
            for around in 1..1 << (n - 1) {
                let larger = augmented(smaller, around);
                seen.entry(name(&larger)).or_insert(larger);
            }
        }
        assert_eq!(seen.len(), expected, "connected graphs of {n} vertices");
        for (known, graph) in &seen {
            for _ in 0..3 {
                assert_eq!(name(&shuffled(&mut random, graph)), *known, "{graph:?}");
            }
        }
        level = seen.into_values().collect();
    }
}

/// Trees (OEIS A000055) and connected graphs with one cycle (A001429), by growing leaves.
#[test]
fn trees_and_graphs_of_one_cycle_have_different_names() {
    let grown = |level: &[Graph]| -> Vec<Graph> {
        let mut seen = HashMap::new();
        for smaller in level {
            for v in 0..smaller.vertex_count() {
                let larger = augmented(smaller, 1 << v);
                seen.entry(name(&larger)).or_insert(larger);
            }
        }
        seen.into_values().collect()
    };
    let mut trees = vec![bare(1, [])];
    for expected in [1, 1, 2, 3, 6, 11, 23, 47, 106, 235, 551, 1_301, 3_159] {
        trees = grown(&trees);
        assert_eq!(trees.len(), expected, "trees");
    }
    let mut one_cycle: Vec<Graph> = Vec::new();
    for (n, expected) in [(3, 1), (4, 2), (5, 5), (6, 13), (7, 33), (8, 89), (9, 240), (10, 657)] {
        one_cycle = grown(&one_cycle);
        one_cycle.push(bare(n, (0..n).map(|v| (v, (v + 1) % n))));
        let names: HashSet<u128> = one_cycle.iter().map(name).collect();
        assert_eq!((names.len(), one_cycle.len()), (expected, expected), "{n} vertices");
    }
}

/// Labelled graphs: equal names if and only if equal smallest DFS codes.
#[test]
fn names_and_codes_agree_on_labelled_graphs() {
    let mut random = Random::new(2);
    let mut canonizer = Canonizer::new();
    let mut by_name: HashMap<u128, DfsCode> = HashMap::new();
    let mut by_code: HashMap<DfsCode, u128> = HashMap::new();
    for case in 0..20_000 {
        let (n, extra) = (random.range(2, 9), random.below(7));
        let shape = Shape {
            vertices: n,
            edges: 16,
            vertex_labels: random.range(1, 3),
            edge_labels: random.range(1, 2),
        };
        let graph = random_connected(&mut random, n, extra, shape);
        let (name, code) = (name(&graph), canonizer.canonical(&graph).code);
        let first = by_name.entry(name).or_insert_with(|| code.clone());
        assert_eq!(*first, code, "case {case}: one name for two patterns");
        let known = *by_code.entry(code).or_insert(name);
        assert_eq!(known, name, "case {case}: two names for one pattern");
    }
    assert!(by_name.len() > 5_000 && by_name.len() < 20_000, "{} patterns", by_name.len());
}

/// The same with one label moved: near misses rather than random strangers.
#[test]
fn moving_a_label_changes_the_name_unless_it_is_a_symmetry() {
    let mut random = Random::new(3);
    let mut canonizer = Canonizer::new();
    for case in 0..5_000 {
        let (n, extra) = (random.range(3, 10), random.below(6));
        let shape = Shape { vertices: n, edges: 16, vertex_labels: 1, edge_labels: 1 };
        let base = random_connected(&mut random, n, extra, shape);
        let edges: Vec<_> = base.edges().iter().map(|e| (e.u, e.v, e.label)).collect();
        let [one, two] = [(); 2].map(|()| {
            let mut labels = vec![0; n];
            labels[random.below(n)] = 1;
            let mut edges = edges.clone();
            edges[random.below(base.edge_count())].2 = 1;
            graph(&labels, &edges)
        });
        let same = canonizer.canonical(&one).code == canonizer.canonical(&two).code;
        assert_eq!(name(&one) == name(&two), same, "case {case}: {one:?} {two:?}");
    }
}

fn ring(n: u32) -> Vec<(u32, u32)> {
    (0..n).map(|v| (v, (v + 1) % n)).collect()
}

/// Two rings of `n` joined vertex by vertex.
fn prism(n: u32) -> Graph {
    let rings = ring(n).into_iter().flat_map(|(u, v)| [(u, v), (u + n, v + n)]);
    bare(2 * n, rings.chain((0..n).map(|v| (v, v + n))))
}

/// A ring of `2n` with opposite vertices joined.
fn moebius_ladder(n: u32) -> Graph {
    bare(2 * n, ring(2 * n).into_iter().chain((0..n).map(|v| (v, v + n))))
}

fn petersen() -> Graph {
    let spokes = (0..5).flat_map(|v| [(v, v + 5), (v + 5, (v + 2) % 5 + 5)]);
    bare(10, ring(5).into_iter().chain(spokes))
}

/// The cube's corners that differ in one coordinate.
fn cube() -> Graph {
    let edges = (0u32..8).flat_map(|v| (0..3).map(move |d| (v, v ^ (1 << d))));
    bare(8, edges.filter(|(u, v)| u < v))
}

/// The 4×4 rook's graph: same row or same column.
fn rook() -> Graph {
    let joined = |u: u32, v: u32| u / 4 == v / 4 || u % 4 == v % 4;
    bare(16, (0..16).flat_map(|v| (0..v).map(move |u| (u, v))).filter(|&(u, v)| joined(u, v)))
}

/// The Shrikhande graph: on a 4×4 torus, neighbours along rows, columns and one diagonal. Strongly
/// regular with the same parameters as the rook's graph.
fn shrikhande() -> Graph {
    let steps = [(0, 1), (1, 0), (1, 1)];
    let edges =
        (0u32..16).flat_map(|v| steps.map(|(dx, dy)| (v, (v / 4 + dx) % 4 * 4 + (v % 4 + dy) % 4)));
    bare(16, edges)
}

/// Regular graphs, which colour refinement alone cannot distinguish.
#[test]
fn notorious_pairs_differ() {
    let bipartite = bare(6, (0..3).flat_map(|u| (3..6).map(move |v| (u, v))));
    let two_rings = |a: u32, b: u32| {
        let second = ring(b).into_iter().map(move |(u, v)| (u + a, v + a));
        // Joined at one vertex more that sees everything, so that they are connected.
        let all = (0..a + b).map(move |v| (v, a + b));
        bare(a + b + 1, ring(a).into_iter().chain(second).chain(all))
    };
    let hexagon = |chord: (u32, u32)| bare(6, ring(6).into_iter().chain([chord]));
    let decalin = bare(10, ring(10).into_iter().chain([(0, 5)]));
    let bicyclopentyl = bare(
        10,
        ring(5).into_iter().chain(ring(5).into_iter().map(|(u, v)| (u + 5, v + 5))).chain([(0, 5)]),
    );
    let pairs = [
        (prism(3), bipartite),
        (cube(), moebius_ladder(4)),
        (petersen(), prism(5)),
        (petersen(), moebius_ladder(5)),
        (prism(5), moebius_ladder(5)),
        (two_rings(3, 3), bare(7, ring(6).into_iter().chain((0..6).map(|v| (v, 6))))),
        (two_rings(4, 4), two_rings(3, 5)),
        (hexagon((0, 2)), hexagon((0, 3))),
        (decalin, bicyclopentyl),
        (rook(), shrikhande()),
    ];
    let mut random = Random::new(4);
    for (one, two) in &pairs {
        assert_eq!((one.vertex_count(), one.edge_count()), (two.vertex_count(), two.edge_count()));
        assert_ne!(name(one), name(two), "{one:?} {two:?}");
        for graph in [one, two] {
            assert_eq!(name(&shuffled(&mut random, graph)), name(graph));
        }
    }
    assert_eq!(name(&cube()), name(&prism(4)));
}

/// Each pattern of `graphs` with its support and its occurrences in each graph.
type Counts = BTreeMap<DfsCode, Vec<(u32, u64)>>;

fn by_census(graphs: &[Graph], max_edges: usize) -> Counts {
    let census = Census::take(graphs, max_edges);
    let mut canonizer = Canonizer::new();
    let codes: Vec<DfsCode> =
        (0..census.len() as u32).map(|p| census.decode(graphs, p, &mut canonizer).code).collect();
    let mut counts = Counts::new();
    for g in 0..graphs.len() {
        assert!(census.row(g).is_sorted_by_key(|entry| entry.0));
        for (p, t) in census.row(g) {
            counts.entry(codes[p as usize].clone()).or_default().push((g as u32, t.into()));
        }
    }
    assert_eq!(counts.len(), census.len());
    counts
}

fn by_codes(graphs: &[Graph], max_edges: usize) -> Counts {
    let mut counts = Counts::new();
    visit(graphs, PatternLimits { min_support: 1, max_edges: Some(max_edges) }, |found| {
        let times = found.occurrences();
        let row = found.embeddings.graphs().iter().copied().zip(times).collect();
        assert!(counts.insert(found.code.clone(), row).is_none());
        Next::Descend
    });
    counts
}

#[test]
fn census_and_dfs_code_miner_count_the_same() {
    for seed in 0..1_500 {
        let mut random = Random::new(1_000 + seed);
        let graphs = random_graphs(&mut random, 12, 12);
        let max_edges = 1 + seed as usize % 7;
        assert_eq!(by_census(&graphs, max_edges), by_codes(&graphs, max_edges), "set {seed}");
    }
}

/// Larger and denser graphs than brute force could follow.
#[test]
fn census_and_dfs_code_miner_agree_on_dense_graphs() {
    for seed in 0..12 {
        let mut random = Random::new(9_000 + seed);
        let shape = Shape { vertices: 9, edges: 24, ..random_shape(&mut random, 9) };
        let graphs: Vec<Graph> = (0..3).map(|_| random_graph(&mut random, shape)).collect();
        assert_eq!(by_census(&graphs, 6), by_codes(&graphs, 6), "set {seed}");
    }
}

#[test]
fn a_graph_without_an_edge_has_no_name() {
    assert_eq!(pattern_name(&bare(0, [])), None);
    assert_eq!(pattern_name(&bare(1, [])), None);
    assert_eq!(pattern_name(&bare(3, [(0, 1)])), pattern_name(&bare(2, [(0, 1)])));
}
