//! The enumeration tree on graphs with many symmetries, large graphs and little memory.
//!
//! The miner lists twin leaves in one order only, joins the extensions of siblings, drops those
//! that cannot lead to smallest codes and packs its rows: each is held here against brute force, or
//! against numbers that are known.

mod oracle;

use std::collections::BTreeMap;

use oracle::pattern::{Code, Mined, embeddings, mine, plain, smallest_code};
use oracle::random::{Random, Shape, graph, random_connected, shuffled};
use spinney::graph::{Graph, GraphBuilder};
use spinney::mining::dfs_code::MAX_PATTERN_EDGES;
use spinney::mining::{Canonizer, DfsCode, DfsEdge, EnumerationTree, Next, PatternLimits, visit};

/// Occurrences of each pattern in each graph.
type Table = BTreeMap<Code, Vec<u64>>;

/// Edges of a shape on vertices from 0.
type Edges = Vec<(u32, u32)>;

fn shapes() -> Vec<Edges> {
    let clique = |n: u32| (0..n).flat_map(|u| (0..u).map(move |v| (u, v))).collect();
    let cycle = |n: u32| (0..n).map(|v| (v, (v + 1) % n)).collect();
    let star = |n: u32| (1..=n).map(|v| (0, v)).collect();
    let grid = |w: u32, h: u32| {
        let across = (0..h).flat_map(move |y| (1..w).map(move |x| (y * w + x - 1, y * w + x)));
        let down = (1..h).flat_map(move |y| (0..w).map(move |x| ((y - 1) * w + x, y * w + x)));
        across.chain(down).collect()
    };
    // Legs of two edges; two stars joined by their centres, or by a leaf of each.
    let spider = |n: u32| (1..=n).flat_map(|v| [(0, v), (v, v + n)]).collect();
    let double = |n: u32| (1..=n).flat_map(move |v| [(0, v), (n + 1, n + 1 + v)]);
    let joined = |n: u32| double(n).chain([(0, n + 1)]).collect();
    let hinged = |n: u32| double(n).chain([(1, n + 2)]).collect();
    let parts = |a: u32, b: u32| (0..a).flat_map(|u| (a..a + b).map(move |v| (u, v))).collect();
    vec![
        clique(4),
        clique(5),
        cycle(3),
        cycle(6),
        cycle(7),
        star(5),
        star(6),
        grid(2, 3),
        grid(2, 4),
        grid(3, 3),
        spider(3),
        spider(4),
        joined(3),
        joined(4),
        hinged(3),
        parts(2, 3),
        parts(3, 3),
    ]
}

/// A shape with random labels from few, its vertices in a random order.
fn labelled(random: &mut Random, edges: &Edges) -> Graph {
    let n = edges.iter().map(|e| e.0.max(e.1) + 1).max().unwrap_or(1) as usize;
    let (vertex_labels, edge_labels) = (random.range(1, 2), random.range(1, 5) / 4 + 1);
    let labels: Vec<u32> = (0..n).map(|_| random.below(vertex_labels) as u32).collect();
    let edges: Vec<_> =
        edges.iter().map(|&(u, v)| (u, v, random.below(edge_labels) as u32)).collect();
    shuffled(random, &graph(&labels, &edges))
}

fn symmetric_sets(count: u64) -> impl Iterator<Item = (u64, Vec<Graph>)> {
    (0..count).map(|seed| {
        let mut random = Random::new(seed + 77);
        let shapes = shapes();
        let set = (0..random.range(2, 5)).map(|_| {
            let shape = &shapes[random.below(shapes.len())];
            labelled(&mut random, shape)
        });
        (seed, set.collect())
    })
}

fn oracle_table(mined: &[Mined], min_support: usize) -> Table {
    let frequent = mined.iter().filter(|m| m.support() >= min_support);
    frequent
        .map(|m| (smallest_code(&m.pattern), m.counts.iter().map(|&c| c.into()).collect()))
        .collect()
}

fn spread(graphs: &[u32], counts: impl IntoIterator<Item = u64>, all: usize) -> Vec<u64> {
    let mut row = vec![0; all];
    graphs.iter().zip(counts).for_each(|(&g, count)| row[g as usize] = count);
    row
}

fn visited(graphs: &[Graph], limits: PatternLimits) -> Table {
    let mut table = Table::new();
    visit(graphs, limits, |found| {
        let row = spread(found.embeddings.graphs(), found.occurrences(), graphs.len());
        assert!(table.insert(plain(found.code), row).is_none(), "twice: {:?}", found.code);
        Next::Descend
    });
    table
}

/// Grows the whole tree, open patterns in a random order.
fn grown(graphs: &[Graph], limits: PatternLimits, memory: Option<usize>, seed: u64) -> Table {
    let mut random = Random::new(seed);
    let counting = vec![true; graphs.len()];
    let mut tree = EnumerationTree::new(graphs, counting, limits).with_memory(memory);
    let mut open: Vec<u32> = (0..tree.len() as u32).filter(|&n| tree.is_open(n)).collect();
    while !open.is_empty() {
        let node = open.swap_remove(random.below(open.len()));
        let children = tree.expand(node);
        open.extend(children.filter(|&n| tree.is_open(n)));
        assert!(memory.is_none_or(|most| tree.embedding_bytes() <= most));
    }
    assert_eq!(tree.embedding_bytes(), 0, "nothing is open");
    let row = |n: u32| {
        let counts = tree.counts(n).iter().map(|&c| u64::from(c));
        (plain(&tree.code(n)), spread(tree.graphs(n), counts, graphs.len()))
    };
    let table: Table = (0..tree.len() as u32).map(row).collect();
    assert_eq!(table.len(), tree.len());
    table
}

#[test]
fn symmetric_graphs_are_mined_like_by_brute_force() {
    for (seed, graphs) in symmetric_sets(250) {
        let max_edges = 2 + seed as usize % 6;
        let mined = mine(&graphs, max_edges);
        for min_support in 1..=3 {
            let expected = oracle_table(&mined, min_support);
            let limits = PatternLimits { min_support, max_edges: Some(max_edges) };
            assert_eq!(visited(&graphs, limits), expected, "visit, set {seed}");
            assert_eq!(grown(&graphs, limits, None, seed), expected, "tree, set {seed}");
        }
    }
}

/// Whatever the memory, the tree is the same.
#[test]
fn a_tree_with_little_memory_is_the_same_tree() {
    for (seed, graphs) in symmetric_sets(60) {
        let limits = PatternLimits { min_support: 1 + seed as usize % 2, max_edges: Some(5) };
        let expected = visited(&graphs, limits);
        for memory in [0, 300, 5_000, 1_000_000] {
            let found = grown(&graphs, limits, Some(memory), seed);
            assert_eq!(found, expected, "set {seed}, {memory} bytes");
        }
    }
}

/// A pattern is closed if no pattern with one edge more that contains it has its support.
#[test]
fn closed_patterns_of_symmetric_graphs() {
    for (seed, graphs) in symmetric_sets(120) {
        let mined = mine(&graphs, 5);
        let is_closed = |m: &Mined| {
            !mined.iter().any(|larger| {
                larger.pattern.edges.len() == m.pattern.edges.len() + 1
                    && larger.support() == m.support()
                    && !embeddings(&m.pattern, &larger.pattern).is_empty()
            })
        };
        let small = mined.iter().filter(|m| m.pattern.edges.len() <= 4);
        let closed: BTreeMap<Code, bool> =
            small.map(|m| (smallest_code(&m.pattern), is_closed(m))).collect();
        visit(&graphs, PatternLimits { min_support: 1, max_edges: Some(4) }, |found| {
            let expected = closed[&plain(found.code)];
            assert_eq!(found.is_closed(), expected, "set {seed} {:?}", found.code);
            Next::Descend
        });
    }
}

/// Vertices beyond what 8 and 16 bits can number.
#[test]
fn large_graphs_are_mined_like_small_ones() {
    let mut random = Random::new(3);
    for far in [300, 70_000] {
        for _ in 0..20 {
            let shape = Shape { vertices: 6, edges: 9, vertex_labels: 2, edge_labels: 2 };
            let small: Vec<Graph> =
                (0..3).map(|_| random_connected(&mut random, 6, 3, shape)).collect();
            let large: Vec<Graph> = small.iter().map(|g| moved(g, far)).collect();
            let mut found = visited(&large, PatternLimits::default());
            found.retain(|code, _| code.0 != 9);
            assert_eq!(found, visited(&small, PatternLimits::default()));
        }
    }
}

/// The graph with `far` isolated vertices (of label 9) before its own.
fn moved(graph: &Graph, far: u32) -> Graph {
    let mut builder = GraphBuilder::new();
    (0..far).for_each(|_| {
        builder.add_vertex(9);
    });
    graph.labels().iter().for_each(|&label| {
        builder.add_vertex(label);
    });
    for e in graph.edges() {
        builder.add_edge(far + e.u, far + e.v, e.label).expect("a simple graph");
    }
    builder.build()
}

/// A path of vertices that all differ has one pattern for each stretch: rows of many words.
#[test]
fn long_paths_have_a_pattern_for_each_stretch() {
    for n in [40, 70] {
        let labels: Vec<u32> = (0..n).collect();
        let edges: Vec<_> = (1..n).map(|v| (v - 1, v, 0)).collect();
        let found = visited(&[graph(&labels, &edges)], PatternLimits::default());
        assert_eq!(found.len() as u32, n * (n + 1) / 2);
        assert!(found.values().all(|counts| counts == &[1]));
    }
}

/// Stars have one pattern of each size, in as many places as there are ways to choose leaves.
#[test]
fn stars_occur_as_often_as_leaves_can_be_chosen() {
    let leaves = 50_u64;
    let edges: Vec<_> = (1..=leaves as u32).map(|v| (0, v, 0)).collect();
    let star = graph(&vec![0; leaves as usize + 1], &edges);
    let mut counts = Vec::new();
    visit(&[star], PatternLimits { min_support: 1, max_edges: Some(4) }, |found| {
        counts.push(found.occurrences()[0]);
        Next::Descend
    });
    let choose = |k: u64| (0..k).fold(1, |n, i| n * (leaves - i) / (i + 1));
    assert_eq!(counts, [leaves + 1, choose(1), choose(2), choose(3), choose(4)]);
}

/// The walks that test a code count the automorphisms, twins included.
#[test]
fn both_ways_to_count_automorphisms_agree() {
    let mut canonizer = Canonizer::new();
    for (seed, graphs) in symmetric_sets(150) {
        for graph in graphs {
            let found = canonizer.canonical(&graph);
            assert!(canonizer.is_minimal(&found.code));
            let counted = canonizer.automorphisms_of(&found.code);
            assert_eq!(counted, found.automorphisms, "set {seed}: {graph:?}");
        }
    }
}

/// The longest codes do not need more stack than a thread has.
#[test]
fn the_longest_codes_can_be_judged() {
    let edge = |from: u16, to: u16| DfsEdge { from, to, from_label: 0, edge_label: 0, to_label: 0 };
    let path: Vec<DfsEdge> = (0..MAX_PATTERN_EDGES as u16).map(|v| edge(v, v + 1)).collect();
    let mut canonizer = Canonizer::new();
    let code = DfsCode::from_edges(path);
    assert!(canonizer.is_minimal(&code));
    assert_eq!(canonizer.automorphisms_of(&code), 2);
    let star: Vec<DfsEdge> = (1..=MAX_PATTERN_EDGES as u16).map(|v| edge(0, v)).collect();
    assert!(!canonizer.is_minimal(&DfsCode::from_edges(star)), "it starts at a leaf");
}
