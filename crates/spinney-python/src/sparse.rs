//! Which graph contains which pattern how often, as a sparse matrix.

use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use spinney::Dataset;
use spinney::graph::Graph;
use spinney::labels::Labels;
use spinney::model::Matcher;
use spinney::model::matcher::{Dictionary, Scratch};

/// Graphs between two questions whether to go on.
const PART_GRAPHS: usize = 4096;

/// Compressed rows.
#[derive(Default)]
pub(crate) struct Rows {
    pub(crate) starts: Vec<i64>,
    pub(crate) columns: Vec<i32>,
    pub(crate) values: Vec<u32>,
}

/// For each graph of `data`, what `f` makes of the patterns found in it (pattern, times), as pairs
/// of a column, ascending, and a value.
pub(crate) fn rows(
    data: &Dataset,
    labels: &Labels,
    matcher: &Matcher,
    f: impl Fn(&[(u32, u32)]) -> Vec<(i32, u32)> + Sync,
    go_on: impl Fn() -> bool,
) -> Rows {
    let vertex = data.labels().vertex.translation(&labels.vertex);
    let edge = data.labels().edge.translation(&labels.edge);
    let tables = Dictionary::Tables { vertex: &vertex, edge: &edge };
    let mut rows = Rows { starts: vec![0], ..Rows::default() };
    let one = |scratch: &mut Scratch, graph: &Graph| f(matcher.find(graph, tables, scratch));
    for part in data.graphs().chunks(PART_GRAPHS) {
        if !go_on() {
            return rows;
        }
        let found: Vec<_> = part.par_iter().map_init(Scratch::default, one).collect();
        for row in found {
            for (column, value) in row {
                rows.columns.push(column);
                rows.values.push(value);
            }
            rows.starts.push(rows.columns.len() as i64);
        }
    }
    rows
}
