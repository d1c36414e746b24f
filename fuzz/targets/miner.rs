//! All ways to find patterns against brute force, on a few small graphs spelled by the input.
#![no_main]

#[path = "../../crates/spinney/tests/oracle/mod.rs"]
mod oracle;

use std::collections::BTreeMap;

use libfuzzer_sys::fuzz_target;
use oracle::pattern::{Code, mine, plain, smallest_code};
use spinney::graph::{Graph, GraphBuilder};
use spinney::mining::{Canonizer, Census, EnumerationTree, PatternLimits, Next, visit};

/// Up to three graphs of up to six vertices and seven edges; a byte is a vertex or an edge.
fn graphs(content: &[u8]) -> Vec<Graph> {
    let mut bytes = content.iter().copied();
    let mut graphs = Vec::new();
    for _ in 0..3 {
        let Some(size) = bytes.next() else { break };
        let mut builder = GraphBuilder::new();
        let vertices = 1 + u32::from(size % 6);
        for _ in 0..vertices {
            builder.add_vertex(u32::from(bytes.next().unwrap_or(0) % 3));
        }
        for _ in 0..size / 32 {
            let Some(edge) = bytes.next() else { break };
            let (u, v) = (u32::from(edge % 6) % vertices, u32::from(edge / 6 % 6) % vertices);
            let _ = builder.add_edge(u, v, u32::from(edge / 36 % 2));
        }
        graphs.push(builder.build());
    }
    graphs
}

fuzz_target!(|content: &[u8]| {
    let graphs = graphs(content);
    if graphs.is_empty() {
        return;
    }
    let expected: BTreeMap<Code, Vec<u32>> =
        mine(&graphs, 7).iter().map(|m| (smallest_code(&m.pattern), m.counts.clone())).collect();
    let census = Census::take(&graphs, 7);
    let mut canonizer = Canonizer::new();
    let by_census: BTreeMap<Code, Vec<u32>> = (0..census.len() as u32)
        .map(|p| {
            let code = plain(&census.decode(&graphs, p, &mut canonizer).code);
            (code, (0..graphs.len()).map(|g| census.count(g, p)).collect())
        })
        .collect();
    assert_eq!(by_census, expected, "census");
    let limits = PatternLimits { min_support: 1, max_edges: Some(7) };
    let spread = |found: &[u32], counts: &[u64]| {
        let mut row = vec![0; graphs.len()];
        found.iter().zip(counts).for_each(|(&g, &count)| row[g as usize] = count as u32);
        row
    };
    let mut visited = BTreeMap::new();
    visit(&graphs, limits, |found| {
        let row = spread(found.embeddings.graphs(), &found.occurrences());
        assert!(visited.insert(plain(found.code), row).is_none(), "visited twice");
        Next::Descend
    });
    assert_eq!(visited, expected, "visit");
    let mut tree =
        EnumerationTree::new(&graphs, vec![true; graphs.len()], limits).with_memory(Some(0));
    let mut at = 0;
    while (at as usize) < tree.len() {
        drop(tree.expand(at));
        at += 1;
    }
    let grown: BTreeMap<Code, Vec<u32>> = (0..at)
        .map(|node| {
            let counts: Vec<u64> = tree.counts(node).iter().map(|&c| c.into()).collect();
            (plain(&tree.code(node)), spread(tree.graphs(node), &counts))
        })
        .collect();
    assert_eq!(grown, expected, "tree");
});
