//! The paper's Graph-XOR data (section 5.1), generated exactly.
//!
//! There are 18 labelled paths of three vertices over A, B and C, in two groups; rooted at an end
//! or at the middle, those that differ are 45. A graph joins two rooted paths at their roots
//! through a D vertex. Every unordered pair, with repetition, is one graph: 1,035 in all. It is
//! negative if both paths come from the same group: an exclusive or that no sum of indicators can
//! express.

use crate::dataset::{Dataset, GraphRecord};
use crate::graph::GraphBuilder;
use crate::labels::Labels;

const GROUPS: [[&str; 9]; 2] = [
    ["AAA", "CCC", "ABB", "BAB", "BCC", "CBC", "ACC", "CAC", "ACB"],
    ["BBB", "AAB", "ABA", "BBC", "BCB", "AAC", "ACA", "ABC", "BAC"],
];

/// A path with the position of its root, and its group.
struct Rooted {
    path: &'static str,
    root: usize,
    group: usize,
}

fn rooted_paths() -> Vec<Rooted> {
    let mut rooted = Vec::new();
    for (group, paths) in GROUPS.iter().enumerate() {
        for &path in paths {
            let symmetric = path.as_bytes()[0] == path.as_bytes()[2];
            for root in 0..if symmetric { 2 } else { 3 } {
                rooted.push(Rooted { path, root, group });
            }
        }
    }
    rooted
}

/// The 1,035 graphs with targets `1` (506 of them) and `-1`.
#[must_use]
pub fn graph_xor() -> Dataset {
    let mut labels = Labels::default();
    let edge = labels.edge.intern("0");
    let rooted = rooted_paths();
    let mut records = Vec::new();
    for (i, first) in rooted.iter().enumerate() {
        for second in &rooted[i..] {
            let mut builder = GraphBuilder::new();
            let centre = builder.add_vertex(labels.vertex.intern("D"));
            for half in [first, second] {
                let start = builder.vertex_count() as u32;
                for name in half.path.chars() {
                    builder.add_vertex(labels.vertex.intern(&name.to_string()));
                }
                let joins = [
                    (start, start + 1),
                    (start + 1, start + 2),
                    (centre, start + half.root as u32),
                ];
                for (u, v) in joins {
                    // Seven distinct vertices joined as a tree: no edge can be refused.
                    let added = builder.add_edge(u, v, edge);
                    debug_assert!(added.is_ok());
                }
            }
            let target = if first.group == second.group { "-1" } else { "1" };
            records.push(GraphRecord {
                graph: builder.build(),
                id: format!("{}{}-{}{}", first.path, first.root, second.path, second.root),
                target: Some(target.into()),
            });
        }
    }
    Dataset::new(&labels, records)
}

#[cfg(test)]
mod tests {
    use super::{graph_xor, rooted_paths};

    #[test]
    fn counts_are_the_papers() {
        assert_eq!(rooted_paths().len(), 45);
        let data = graph_xor();
        assert_eq!(data.len(), 1035);
        let positive = data.targets().iter().filter(|t| t.as_deref() == Some("1")).count();
        assert_eq!(positive, 506);
        assert!(data.graphs().iter().all(|g| g.vertex_count() == 7 && g.edge_count() == 6));
    }
}
