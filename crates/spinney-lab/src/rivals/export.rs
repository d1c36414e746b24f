//! Data sets as files for the rivals: graphs, targets and folds as JSON, and the matrix of all
//! patterns.

use std::path::Path;

use rustc_hash::FxHashMap;
use serde_json::json;
use spinney::graph::Graph;
use spinney::mining::Census;
use spinney::{Error, Result};

use crate::qsar::sets::Set;

/// Patterns up to a size, by graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Matrix {
    /// Where each graph's columns start.
    pub starts: Vec<u64>,
    /// The columns of all graphs, one graph after another, ascending.
    pub indices: Vec<u32>,
    /// How many patterns each column stands for.
    pub copies: Vec<u64>,
}

impl Matrix {
    /// All patterns of `graphs`; those in the same graphs are one column.
    #[must_use]
    pub fn distinct(graphs: &[Graph], max_edges: usize) -> Matrix {
        let census = Census::take(graphs, max_edges);
        let mut graphs_of = vec![Vec::new(); census.len()];
        for graph in 0..graphs.len() {
            for (pattern, _) in census.row(graph).filter(|(p, _)| census.edges(*p) > 0) {
                graphs_of[pattern as usize].push(graph as u32);
            }
        }
        let mut columns: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
        let mut matrix = Matrix::default();
        let mut rows = vec![Vec::new(); graphs.len()];
        for support in graphs_of.into_iter().filter(|s| !s.is_empty()) {
            if let Some(&column) = columns.get(&support) {
                matrix.copies[column as usize] += 1;
                continue;
            }
            let column = matrix.copies.len() as u32;
            support.iter().for_each(|&graph| rows[graph as usize].push(column));
            matrix.copies.push(1);
            columns.insert(support, column);
        }
        matrix.starts.push(0);
        for row in rows {
            matrix.indices.extend(row);
            matrix.starts.push(matrix.indices.len() as u64);
        }
        matrix
    }

    /// All patterns that occur in the graphs `train`, one a column.
    #[must_use]
    pub fn all(graphs: &[Graph], max_edges: usize, train: &[u32]) -> Matrix {
        let census = Census::take(graphs, max_edges);
        let mut column_of = vec![None; census.len()];
        let mut columns = 0;
        for &graph in train {
            for (pattern, _) in census.row(graph as usize).filter(|(p, _)| census.edges(*p) > 0) {
                column_of[pattern as usize].get_or_insert_with(|| {
                    columns += 1;
                    columns - 1
                });
            }
        }
        let mut matrix = Matrix { copies: vec![1; columns as usize], ..Matrix::default() };
        matrix.starts.push(0);
        for graph in 0..graphs.len() {
            let row = census.row(graph).filter_map(|(pattern, _)| column_of[pattern as usize]);
            let start = matrix.indices.len();
            matrix.indices.extend(row);
            matrix.indices[start..].sort_unstable();
            matrix.starts.push(matrix.indices.len() as u64);
        }
        matrix
    }

    /// Writes `NAME.starts`, `NAME.indices` and `NAME.copies`: little-endian numbers.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(&self, folder: &Path, name: &str) -> Result<()> {
        let long =
            |values: &[u64]| values.iter().flat_map(|v| v.to_le_bytes()).collect::<Vec<u8>>();
        let indices = self.indices.iter().flat_map(|v| v.to_le_bytes()).collect();
        let parts =
            [("starts", long(&self.starts)), ("indices", indices), ("copies", long(&self.copies))];
        for (part, bytes) in parts {
            let path = folder.join(format!("{name}.{part}"));
            std::fs::write(&path, bytes).map_err(|e| Error::file(&path, e))?;
        }
        Ok(())
    }
}

/// Writes a data set with its folds, and the matrices of the given sizes.
///
/// # Errors
/// If targets are no numbers, or a file cannot be written.
pub fn export(folder: &Path, set: &Set, sizes: &[usize]) -> Result<()> {
    let Set { data, folds, structures, .. } = set;
    let mut numbers = vec![0; data.len()];
    for fold in 0..folds.count() {
        folds.split(fold).held_out.iter().for_each(|&graph| numbers[graph as usize] = fold);
    }
    let targets: Vec<u8> = data.numbers()?.iter().map(|&t| u8::from(t > 0.0)).collect();
    let names = &data.labels().vertex;
    let graph = |graph: &Graph| {
        let labels: Vec<&str> = graph.labels().iter().map(|&l| names.name(l)).collect();
        let edges: Vec<[u32; 3]> = graph.edges().iter().map(|e| [e.u, e.v, e.label]).collect();
        json!({"labels": labels, "edges": edges})
    };
    let graphs: Vec<_> = data.graphs().iter().map(graph).collect();
    let all = json!({
        "graphs": graphs, "targets": targets, "folds": numbers, "structures": structures,
        "sizes": sizes,
    });
    let path = folder.join("data.json");
    std::fs::write(&path, all.to_string()).map_err(|e| Error::file(&path, e))?;
    for &size in sizes {
        Matrix::distinct(data.graphs(), size).write(folder, &format!("x{size}"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use spinney::graph::{Edge, Graph};

    use super::Matrix;

    #[test]
    fn patterns_of_the_same_graphs_are_one_column() {
        // Paths a-b, a-b-c and b-c: a-b in two, b-c in two, a-b-c in one.
        let path = |labels: &[u32]| {
            let edges = (1..labels.len() as u32).map(|v| Edge { u: v - 1, v, label: 0 });
            Graph::new(labels.to_vec(), edges.collect())
        };
        let graphs = [path(&[0, 1]), path(&[0, 1, 2]), path(&[1, 2]), path(&[3, 4, 5])];
        let matrix = Matrix::distinct(&graphs, 2);
        // 3-4, 4-5 and 3-4-5 occur in the last graph only: one column of three patterns.
        let mut copies = matrix.copies.clone();
        copies.sort_unstable();
        assert_eq!(copies, [1, 1, 1, 3]);
        assert_eq!(matrix.starts, [0, 1, 4, 5, 6]);
        let support = |column: u32| matrix.indices.iter().filter(|&&i| i == column).count();
        let mut supports: Vec<usize> = (0..4).map(support).collect();
        supports.sort_unstable();
        assert_eq!(supports, [1, 1, 2, 2]);
        // Without the last graph: a-b, b-c and a-b-c, each a column.
        let matrix = Matrix::all(&graphs, 2, &[0, 1, 2]);
        assert_eq!((matrix.copies, matrix.starts), (vec![1; 3], vec![0, 1, 4, 5, 5]));
    }
}
