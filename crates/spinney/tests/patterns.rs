//! Patterns and where they occur: every exploration against brute force.
//!
//! A pattern's name (its smallest DFS code), its support and its occurrence counts are what
//! everything else rests on. Each is compared, on random labelled graphs, with the slow oracle of
//! `oracle/pattern.rs`, which shares no code with the library.

mod oracle;

use std::collections::BTreeMap;

use oracle::pattern::{
    Code, Mined, Pattern, code_less, isomorphic, mine, occurrences, plain, smallest_code, spelled,
};
use oracle::random::{Random, Shape, graph, random_connected, random_graphs, shuffled};
use spinney::graph::Graph;
use spinney::mining::{Canonizer, Census, DfsCode, EnumerationTree, Next, PatternLimits, visit};
use spinney::model::Matcher;
use spinney::model::matcher::Scratch;

/// Occurrences of each pattern in each graph.
type Table = BTreeMap<Code, Vec<u32>>;

fn oracle_table(mined: &[Mined]) -> Table {
    let table: Table =
        mined.iter().map(|m| (smallest_code(&m.pattern), m.counts.clone())).collect();
    assert_eq!(table.len(), mined.len(), "two patterns have the same smallest code");
    table
}

fn spread(graphs: &[u32], counts: impl Iterator<Item = u64>, all: usize) -> Vec<u32> {
    let mut row = vec![0; all];
    for (&g, count) in graphs.iter().zip(counts) {
        row[g as usize] = count as u32;
    }
    row
}

/// What `visit` finds; panics if it comes to a pattern twice or out of order.
fn visited_table(graphs: &[Graph], limits: PatternLimits) -> Table {
    let mut table = Table::new();
    let mut last: Option<Code> = None;
    let whole = visit(graphs, limits, |found| {
        let counts = found.occurrences();
        let code = plain(found.code);
        assert!(last.as_ref().is_none_or(|l| code_less(l, &code)), "codes must ascend");
        last = Some(code.clone());
        let row = spread(found.embeddings.graphs(), counts.into_iter(), graphs.len());
        assert!(table.insert(code, row).is_none(), "visited twice: {:?}", found.code);
        Next::Descend
    });
    assert!(whole);
    table
}

fn census_table(graphs: &[Graph], max_edges: usize) -> Table {
    let census = Census::take(graphs, max_edges);
    let mut canonizer = Canonizer::new();
    let row = |p: u32| (0..graphs.len()).map(|g| census.count(g, p)).collect::<Vec<u32>>();
    let table: Table = (0..census.len() as u32)
        .map(|p| {
            let code = census.decode(graphs, p, &mut canonizer).code;
            assert_eq!(code.edge_count(), census.edges(p));
            (plain(&code), row(p))
        })
        .collect();
    assert_eq!(table.len(), census.len(), "two numbers for one pattern");
    let supports: Vec<u32> = (0..census.len() as u32)
        .map(|p| row(p).iter().filter(|&&c| c > 0).count() as u32)
        .collect();
    assert_eq!(census.supports(), supports);
    table
}

fn tree_table(graphs: &[Graph], limits: PatternLimits) -> Table {
    let mut tree = EnumerationTree::new(graphs, vec![true; graphs.len()], limits);
    let mut at = 0;
    while (at as usize) < tree.len() {
        if tree.is_open(at) {
            let children = tree.expand(at);
            assert!(children.clone().all(|c| tree.parent(c) == Some(at)));
            assert!(!tree.is_open(at));
        }
        at += 1;
    }
    let row = |n: u32| {
        let counts = tree.counts(n).iter().map(|&c| u64::from(c));
        spread(tree.graphs(n), counts, graphs.len())
    };
    let table: Table = (0..tree.len() as u32).map(|n| (plain(&tree.code(n)), row(n))).collect();
    assert_eq!(table.len(), tree.len(), "a pattern stands twice in the tree");
    table
}

fn sets(count: u64, edges: usize) -> impl Iterator<Item = (u64, Vec<Graph>)> {
    (0..count).map(move |seed| (seed, random_graphs(&mut Random::new(seed), edges, 10)))
}

/// The oracle's two ways to count agree: edge sets by class, and distinct images of embeddings.
#[test]
fn the_oracle_agrees_with_itself() {
    for (seed, graphs) in sets(200, 8) {
        for m in mine(&graphs, 4) {
            for (g, graph) in graphs.iter().map(Pattern::of).enumerate() {
                let count = occurrences(&m.pattern, &graph);
                assert_eq!(m.counts[g] as usize, count, "set {seed}, graph {g}, {:?}", m.pattern);
            }
        }
    }
}

/// Two triangles that share a vertex hold 2 triangles, 1 bow tie and 6 + 4 paths of two edges.
#[test]
fn counts_known_by_hand() {
    let bow = graph(&[0; 5], &[(0, 1, 0), (1, 2, 0), (2, 0, 0), (2, 3, 0), (3, 4, 0), (4, 2, 0)]);
    let table = oracle_table(&mine(std::slice::from_ref(&bow), 6));
    let count = |labels: &[u32], edges: &[(u32, u32, u32)]| {
        table[&smallest_code(&Pattern::of(&graph(labels, edges)))][0]
    };
    assert_eq!(count(&[0], &[]), 5);
    assert_eq!(count(&[0; 2], &[(0, 1, 0)]), 6);
    assert_eq!(count(&[0; 3], &[(0, 1, 0), (1, 2, 0)]), 10);
    assert_eq!(count(&[0; 3], &[(0, 1, 0), (1, 2, 0), (2, 0, 0)]), 2);
    assert_eq!(count(&[0; 5], &[(0, 1, 0), (0, 2, 0), (0, 3, 0), (0, 4, 0)]), 1);
    assert_eq!(table, visited_table(&[bow], PatternLimits::default()));
}

#[test]
fn visit_census_and_tree_find_what_brute_force_finds() {
    for (seed, graphs) in sets(3_000, 9) {
        let max_edges = 1 + seed as usize % 6;
        let expected = oracle_table(&mine(&graphs, max_edges));
        let limits = PatternLimits { min_support: 1, max_edges: Some(max_edges) };
        assert_eq!(visited_table(&graphs, limits), expected, "visit, set {seed}");
        assert_eq!(census_table(&graphs, max_edges), expected, "census, set {seed}");
        assert_eq!(tree_table(&graphs, limits), expected, "tree, set {seed}");
    }
}

#[test]
fn without_a_limit_patterns_go_up_to_whole_graphs() {
    for (seed, graphs) in sets(400, 9) {
        let largest = graphs.iter().map(Graph::edge_count).max().unwrap_or(0);
        let expected = oracle_table(&mine(&graphs, largest));
        assert_eq!(visited_table(&graphs, PatternLimits::default()), expected, "visit, set {seed}");
        assert_eq!(tree_table(&graphs, PatternLimits::default()), expected, "tree, set {seed}");
        assert_eq!(census_table(&graphs, usize::MAX), expected, "census, set {seed}");
    }
}

#[test]
fn minimum_support_keeps_exactly_the_frequent_patterns() {
    for (seed, graphs) in sets(600, 8) {
        let max_edges = 1 + seed as usize % 5;
        let mined = mine(&graphs, max_edges);
        for min_support in 2..5 {
            let frequent: Vec<Mined> =
                mined.iter().filter(|m| m.support() >= min_support).cloned().collect();
            let expected = oracle_table(&frequent);
            let limits = PatternLimits { min_support, max_edges: Some(max_edges) };
            assert_eq!(visited_table(&graphs, limits), expected, "visit, set {seed}");
            assert_eq!(tree_table(&graphs, limits), expected, "tree, set {seed}");
        }
    }
}

/// Graphs that do not count keep no pattern alive, but are followed along.
#[test]
fn only_counting_graphs_keep_a_pattern_alive() {
    for (seed, graphs) in sets(500, 8) {
        let counting: Vec<bool> = (0..graphs.len()).map(|g| g % 3 != 0).collect();
        let limits = PatternLimits { min_support: 2, max_edges: Some(4) };
        let mut tree = EnumerationTree::new(&graphs, counting.clone(), limits);
        let mut at = 0;
        while (at as usize) < tree.len() {
            tree.expand(at);
            at += 1;
        }
        let alive = |m: &&Mined| {
            m.counts.iter().zip(&counting).filter(|(count, counts)| **count > 0 && **counts).count()
                >= 2
        };
        let kept: Vec<Mined> = mine(&graphs, 4).iter().filter(alive).cloned().collect();
        let expected = oracle_table(&kept);
        let found: Table = (0..tree.len() as u32)
            .map(|n| {
                let row = (0..graphs.len() as u32).map(|g| tree.count(g, n)).collect();
                (plain(&tree.code(n)), row)
            })
            .collect();
        assert_eq!(found, expected, "set {seed}");
    }
}

/// The largest patterns are compared by brute force too: thousands of graphs of up to 7 vertices.
#[test]
fn the_smallest_code_is_the_least_of_all_walks_and_survives_relabelling() {
    let mut random = Random::new(11);
    let mut canonizer = Canonizer::new();
    for case in 0..3_000 {
        let (n, extra) = (random.range(1, 7), random.below(5));
        let (vertex_labels, edge_labels) = (random.range(1, 3), random.range(1, 2));
        let shape = Shape { vertices: n, edges: 16, vertex_labels, edge_labels };
        let graph = random_connected(&mut random, n, extra, shape);
        let found = canonizer.canonical(&graph);
        let pattern = Pattern::of(&graph);
        assert_eq!(plain(&found.code), smallest_code(&pattern), "case {case}: {graph:?}");
        let symmetries = oracle::pattern::embeddings(&pattern, &pattern).len() as u64;
        assert_eq!(found.automorphisms, symmetries, "case {case}: {graph:?}");
        let other = shuffled(&mut random, &graph);
        assert_eq!(canonizer.canonical(&other), found, "case {case}: {graph:?}");
        assert!(isomorphic(&spelled(&found.code), &pattern));
        check_prefixes(&found.code, &mut canonizer);
    }
}

/// Every prefix of a smallest code is a smallest code.
fn check_prefixes(code: &DfsCode, canonizer: &mut Canonizer) {
    let mut code = Some(code.clone());
    while let Some(at) = code {
        assert!(at.check().is_ok());
        assert!(canonizer.is_minimal(&at), "{at:?}");
        assert_eq!(plain(&at), smallest_code(&spelled(&at)));
        code = at.parent();
    }
}

/// A code that is not the least of its pattern's is refused: every walk of a pattern is tried.
#[test]
fn other_codes_are_not_minimal() {
    let mut random = Random::new(12);
    let mut canonizer = Canonizer::new();
    for _ in 0..600 {
        let n = random.range(2, 5);
        let shape = Shape { vertices: n, edges: 9, vertex_labels: 2, edge_labels: 2 };
        let extra = random.below(3);
        let graph = random_connected(&mut random, n, extra, shape);
        let smallest = canonizer.canonical(&graph).code;
        for code in some_codes(&mut random, &graph) {
            assert_eq!(canonizer.is_minimal(&code), code == smallest, "{code:?}");
        }
    }
}

/// DFS codes of `graph`, by random depth-first walks.
fn some_codes(random: &mut Random, graph: &Graph) -> Vec<DfsCode> {
    (0..6).map(|_| random_code(random, graph)).collect()
}

fn random_code(random: &mut Random, graph: &Graph) -> DfsCode {
    let edge = |from: usize, to: usize, u: u32, v: u32| spinney::mining::DfsEdge {
        from: from as u16,
        to: to as u16,
        from_label: graph.label(u),
        edge_label: graph.edge_label(u, v).expect("an edge"),
        to_label: graph.label(v),
    };
    let mut order = vec![random.below(graph.vertex_count()) as u32];
    let mut path = vec![0usize];
    let mut edges = Vec::new();
    while let Some(&here) = path.last() {
        let new: Vec<u32> = graph.neighbors(order[here]).iter().map(|n| n.vertex).collect();
        let new: Vec<u32> = new.into_iter().filter(|v| !order.contains(v)).collect();
        if new.is_empty() {
            path.pop();
            continue;
        }
        let v = random.pick(&new);
        let at = order.len();
        edges.push(edge(here, at, order[here], v));
        for (to, &w) in order.iter().enumerate() {
            if to != here && graph.edge_label(v, w).is_some() {
                edges.push(edge(at, to, v, w));
            }
        }
        order.push(v);
        path.push(at);
    }
    DfsCode::from_edges(edges)
}

#[test]
fn pruning_skips_what_lies_below_and_nothing_else() {
    for (seed, graphs) in sets(300, 8) {
        let limits = PatternLimits { min_support: 1, max_edges: Some(4) };
        let all: Vec<Code> = visited_table(&graphs, limits).into_keys().collect();
        let pruned = |code: &Code| code.1.len() == 2 && code.1[1].2 == code.1[1].4;
        let below = |code: &Code| code.1.len() > 2 && pruned(&(code.0, code.1[..2].to_vec()));
        let mut met: Vec<Code> = Vec::new();
        visit(&graphs, limits, |found| {
            let code = plain(found.code);
            let next = if pruned(&code) { Next::Prune } else { Next::Descend };
            met.push(code);
            next
        });
        met.sort();
        let expected: Vec<Code> = all.into_iter().filter(|code| !below(code)).collect();
        assert_eq!(met, expected, "set {seed}");
    }
}

#[test]
fn stopping_stops() {
    let (_, graphs) = sets(1, 8).next().expect("a set");
    let mut met = 0;
    let whole = visit(&graphs, PatternLimits::default(), |_| {
        met += 1;
        if met == 5 { Next::Stop } else { Next::Descend }
    });
    assert_eq!((met, whole), (5, false));
}

/// A pattern is closed if no pattern with one edge more, that contains it, has the same support.
#[test]
fn closed_patterns_are_those_of_the_definition() {
    for (seed, graphs) in sets(300, 7) {
        let mined = mine(&graphs, 4);
        let is_closed = |m: &Mined| {
            !mined.iter().any(|larger| {
                larger.pattern.edges.len() == m.pattern.edges.len() + 1
                    && larger.support() == m.support()
                    && occurrences(&m.pattern, &larger.pattern) > 0
            })
        };
        let closed: BTreeMap<Code, bool> =
            mined.iter().map(|m| (smallest_code(&m.pattern), is_closed(m))).collect();
        visit(&graphs, PatternLimits { min_support: 1, max_edges: Some(3) }, |found| {
            assert_eq!(
                found.is_closed(),
                closed[&plain(found.code)],
                "set {seed} {:?}",
                found.code
            );
            Next::Descend
        });
    }
}

/// The matcher against brute force, on graphs that the patterns do not come from as well.
#[test]
fn matching_counts_like_brute_force() {
    for (seed, graphs) in sets(800, 9) {
        let (from, rest) = graphs.split_at(2);
        let mined = mine(from, 4);
        let mut canonizer = Canonizer::new();
        let code = |m: &Mined| canonizer.canonical(&m.pattern.to_graph()).code;
        let codes: Vec<DfsCode> = mined.iter().map(code).collect();
        let most: Vec<u32> = (0..codes.len()).map(|i| 1 + (i as u32 + seed as u32) % 4).collect();
        let matcher = Matcher::new(codes.iter().zip(most.iter().copied()));
        assert_eq!(matcher.len(), codes.len());
        let mut scratch = Scratch::default();
        for graph in from.iter().chain(rest) {
            let counts = matcher.counts(graph, &mut scratch);
            let whole = Pattern::of(graph);
            for ((m, &most), &count) in mined.iter().zip(&most).zip(&counts) {
                let expected = (occurrences(&m.pattern, &whole) as u32).min(most);
                assert_eq!(count, expected, "set {seed}, {:?}", m.pattern);
            }
        }
    }
}

/// Labels never seen in training belong to no pattern, in any exploration.
#[test]
fn unseen_labels_match_nothing() {
    let unseen = spinney::labels::UNSEEN;
    let path = graph(&[0, unseen, 0], &[(0, 1, 0), (1, 2, 0)]);
    let strange_edge = graph(&[0, 0, 0], &[(0, 1, unseen), (1, 2, 0)]);
    let graphs = [path, strange_edge];
    let one = plain(&DfsCode::vertex(0));
    let pair = smallest_code(&Pattern::of(&graph(&[0, 0], &[(0, 1, 0)])));
    let expected = Table::from([(one, vec![2, 3]), (pair, vec![0, 1])]);
    assert_eq!(visited_table(&graphs, PatternLimits::default()), expected);
    assert_eq!(tree_table(&graphs, PatternLimits::default()), expected);
    assert_eq!(census_table(&graphs, 5), expected);
}

#[test]
fn nothing_is_found_in_nothing() {
    let empty = graph(&[], &[]);
    for graphs in [vec![], vec![empty.clone()], vec![empty.clone(), empty]] {
        assert!(visited_table(&graphs, PatternLimits::default()).is_empty());
        assert!(tree_table(&graphs, PatternLimits::default()).is_empty());
        assert!(census_table(&graphs, 4).is_empty());
    }
}
