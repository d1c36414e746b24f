//! SMILES that are in memory already to a data set of graphs.
//!
//! **Invariant.** The same graphs and labels as [`load`](super::load()) makes of a file with these
//! SMILES, on any number of threads. Texts are read where they lie; nothing is copied.

use rayon::prelude::{IndexedParallelIterator, ParallelIterator, ParallelSlice};
use spinney::Dataset;
use spinney::dataset::GraphRecord;
use spinney::graph::Graph;
use spinney::labels::Labels;

use super::load::molecule_of;
use crate::Chemistry;
use crate::chemistry::Scribe;
use crate::fast_smiles::FastSmiles;

/// SMILES parsed as one task.
const PART: usize = 64;

/// A SMILES that cannot be used, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadSmiles {
    /// Its row, from 0.
    pub row: usize,
    /// What is wrong.
    pub reason: String,
}

/// The graphs of some SMILES, in order; identifiers are the rows, from 0. `go_on` is asked now and
/// then; `Ok(None)` if it said no.
///
/// # Errors
/// The first bad SMILES.
pub fn graphs_of<S: AsRef<str> + Sync>(
    texts: &[S],
    chemistry: &Chemistry,
    go_on: impl Fn() -> bool + Sync,
) -> Result<Option<Dataset>, BadSmiles> {
    type Part = Option<Result<(Labels, Vec<Graph>), BadSmiles>>;
    let read = |fast_smiles: &mut FastSmiles, (part, texts): (usize, &[S])| -> Part {
        go_on().then(|| {
            let mut scribe = Scribe::default();
            let graphs = texts.iter().enumerate().map(|(i, text)| {
                let molecule = molecule_of(text.as_ref().trim(), chemistry, fast_smiles);
                let row = part * PART + i;
                let molecule = molecule.map_err(|reason| BadSmiles { row, reason })?;
                Ok(chemistry.graph_by(&molecule, &mut scribe))
            });
            let graphs: Vec<Graph> = graphs.collect::<Result<_, _>>()?;
            Ok((scribe.labels, graphs))
        })
    };
    let parts = texts.par_chunks(PART).enumerate().map_init(FastSmiles::default, read);
    let parts: Vec<Part> = parts.collect();
    let mut labels = Labels::default();
    let mut records = Vec::with_capacity(texts.len());
    for part in parts {
        let Some(part) = part else { return Ok(None) };
        let (own, graphs) = part?;
        let vertex: Vec<u32> = own.vertex.names().iter().map(|n| labels.vertex.intern(n)).collect();
        let edge: Vec<u32> = own.edge.names().iter().map(|n| labels.edge.intern(n)).collect();
        for mut graph in graphs {
            graph.relabel(&vertex, &edge);
            records.push(GraphRecord { graph, id: records.len().to_string(), target: None });
        }
    }
    Ok(Some(Dataset::new(&labels, records)))
}

#[cfg(test)]
mod tests {
    use super::{BadSmiles, graphs_of};
    use crate::Chemistry;
    use crate::read::{Request, load};

    #[test]
    fn the_same_graphs_as_from_a_file() {
        let smiles: Vec<String> = (0..1000)
            .map(|i| format!("{}{}", "C".repeat(i % 9), ["O", "N", "Cl"][i % 3]))
            .collect();
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.smi");
        std::fs::write(&path, smiles.join("\n")).unwrap();
        let file = load(&Request { path, ..Request::default() }, &Chemistry::default()).unwrap();
        let here = graphs_of(&smiles, &Chemistry::default(), || true).unwrap().unwrap();
        assert_eq!(here.graphs(), file.data.graphs());
        assert_eq!(here.labels(), file.data.labels());
        assert!(graphs_of(&smiles, &Chemistry::default(), || false).unwrap().is_none());
    }

    #[test]
    fn the_first_bad_row_is_named() {
        let mut smiles = vec!["CCO"; 300];
        (smiles[200], smiles[250]) = ("C1CC", "");
        let BadSmiles { row, reason } =
            graphs_of(&smiles, &Chemistry::default(), || true).unwrap_err();
        assert_eq!(row, 200);
        assert!(reason.contains("ring"), "{reason}");
    }
}
