//! The data sets of the paper's QSAR experiment, as near to the paper's own graphs as its files
//! allow.
//!
//! The paper labels atoms by RDKit's Morgan invariants and leaves bonds unlabelled. NCI1 comes that
//! way. CPDB and Mutag come as structures, which spinney-chem reads with the same labels; as in the
//! paper, what RDKit's sanitization refuses is left out. NCI47 comes as atom and bond types only:
//! [`derived`] labels that give the same atoms the same label as the invariants do, but for
//! charges.

use std::collections::BTreeMap;
use std::path::Path;

use spinney::boosting::loss::Loss;
use spinney::dataset::GraphRecord;
use spinney::evaluation::{Folds, Split};
use spinney::graph::Graph;
use spinney::io::{OnError, ReadOptions};
use spinney::labels::Labels;
use spinney::params::FixedParams;
use spinney::{Dataset, Error, Result};
use spinney_chem::Chemistry;
use spinney_chem::read::{Loaded, Request, load};

use super::printed::Printed;

/// How a data set's file becomes graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As it is written.
    Graphs,
    /// Atom and bond types, made into labels like RDKit's invariants.
    Derived,
    /// Structures, with the file of their targets.
    Molecules(&'static str),
}

/// A data set, and what the paper printed for it.
#[derive(Debug)]
pub struct Source {
    /// Its name in tables.
    pub name: &'static str,
    file: &'static str,
    form: Form,
    folds: Option<&'static str>,
    note: &'static str,
    /// The paper's rows.
    pub printed: Printed,
}

/// All of them, in the paper's order.
pub const SOURCES: [Source; 6] = [
    Source {
        name: "CPDB",
        file: "paper/cpdb.sdf.gz",
        form: Form::Molecules("paper/cpdb.labels"),
        folds: Some("paper/cpdb.folds"),
        note: "read as molecules with RDKit's invariants; what RDKit refuses is left out, as in \
               the paper, which keeps 600",
        printed: Printed::CPDB,
    },
    Source {
        name: "CPDB types",
        file: "paper/cpdb.gsp.gz",
        form: Form::Graphs,
        folds: Some("paper/cpdb.folds"),
        note: "all of them, with atom and bond types and hydrogens, as in earlier literature",
        printed: Printed::CPDB,
    },
    Source {
        name: "Mutag",
        file: "paper/mutag.sdf.gz",
        form: Form::Molecules("paper/mutag.labels"),
        folds: Some("paper/mutag.folds"),
        note: "read as molecules with RDKit's invariants, as in the paper, which has 187",
        printed: Printed::MUTAG,
    },
    Source {
        name: "Mutag types",
        file: "paper/mutag.gsp.gz",
        form: Form::Graphs,
        folds: Some("paper/mutag.folds"),
        note: "the same with atom and bond types and hydrogens, as in earlier literature",
        printed: Printed::MUTAG,
    },
    Source {
        name: "NCI1",
        file: "paper/nci1_ecfp.gsp.gz",
        form: Form::Graphs,
        folds: Some("paper/nci1_ecfp.folds"),
        note: "the paper's own graphs and folds",
        printed: Printed::NCI1,
    },
    Source {
        name: "NCI47",
        file: "paper/nci47_comp.gsp.gz",
        form: Form::Derived,
        folds: None,
        note: "the paper's compounds; labels from atom type, neighbours, bond orders and rings \
               stand for RDKit's invariants, and folds are random",
        printed: Printed::NCI47,
    },
];

/// A data set that was read.
#[derive(Debug)]
pub struct Set {
    /// Where it comes from.
    pub source: &'static Source,
    /// Its graphs.
    pub data: Dataset,
    /// Its folds.
    pub folds: Folds,
    /// Its molecules as SMILES, if they are known.
    pub structures: Option<Vec<String>>,
}

impl Source {
    /// Reads it from the folder of all data.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn read(&'static self, folder: &Path) -> Result<Set> {
        self.read_as(folder, &Chemistry::default())
    }

    /// The same with other labels, if it is of molecules.
    ///
    /// # Errors
    /// If a file is missing or damaged.
    pub fn read_as(&'static self, folder: &Path, chemistry: &Chemistry) -> Result<Set> {
        let path = folder.join(self.file);
        if !path.exists() {
            return Err(Error::file(&path, "not found: name the folder of the data with --data"));
        }
        let numbers = self.folds.map(|name| spinney::io::read_folds(&folder.join(name)));
        let numbers = numbers.transpose()?;
        if let Form::Molecules(targets) = self.form {
            let request =
                Request { path: path.clone(), on_error: OnError::Skip, ..Request::default() };
            let loaded = load(&request, chemistry)?;
            return self.molecules(loaded, &folder.join(targets), &numbers.unwrap_or_default());
        }
        let written = spinney::io::read(&path, &ReadOptions::default())?.data;
        let data = if self.form == Form::Derived { derived(&written)? } else { written };
        let folds = match numbers {
            Some(numbers) => Folds::from_numbers(&numbers, data.len())?,
            None => Folds::random(&Loss::new(&FixedParams::paper(), &data)?.strata(), 10, 0)?,
        };
        Ok(Set { source: self, data, folds, structures: None })
    }

    /// The molecules that can be read, with the targets and folds of their names.
    fn molecules(&'static self, loaded: Loaded, targets: &Path, folds: &[i64]) -> Result<Set> {
        let known = read_targets(targets)?;
        let place = |id: &String| {
            let known = known.get(id).filter(|(row, _)| *row < folds.len());
            known.ok_or_else(|| Error::file(targets, format!("{id} of {} is missing", self.file)))
        };
        let rows = loaded.data.ids().iter().map(place).collect::<Result<Vec<_>>>()?;
        let numbers: Vec<i64> = rows.iter().map(|(row, _)| folds[*row]).collect();
        let written = rows.iter().map(|(_, target)| Some(target.clone())).collect();
        let folds = Folds::from_numbers(&numbers, numbers.len())?;
        let data = loaded.data.with_targets(written)?;
        Ok(Set { source: self, data, folds, structures: Some(loaded.structures) })
    }
}

impl Set {
    /// The graphs without fold `f`, without it and the next, in it, in the next.
    pub fn parts(&self, f: usize) -> [Vec<u32>; 4] {
        let next = (f + 1) % self.folds.count();
        let Split { train, held_out: test } = self.folds.split(f);
        let Split { held_out: inner_test, .. } = self.folds.split(next);
        let mut inside = vec![false; self.data.len()];
        inner_test.iter().for_each(|&g| inside[g as usize] = true);
        let inner_train = train.iter().copied().filter(|&g| !inside[g as usize]).collect();
        [train, inner_train, test, inner_test]
    }

    /// What it is, in a sentence.
    pub fn note(&self) -> String {
        format!("{}: {} graphs, {}.", self.source.name, self.data.len(), self.source.note)
    }
}

/// Names with their line and target, of a file with the columns `id` and `label`.
fn read_targets(path: &Path) -> Result<BTreeMap<String, (usize, String)>> {
    let mut file = csv::Reader::from_path(path).map_err(|e| Error::file(path, e))?;
    let mut known = BTreeMap::new();
    for (row, record) in file.deserialize().enumerate() {
        let (id, target): (String, String) =
            record.map_err(|e| Error::line(path, row + 2, e.to_string()))?;
        if known.insert(id.clone(), (row, target)).is_some() {
            return Err(Error::line(path, row + 2, format!("{id} occurs twice")));
        }
    }
    Ok(known)
}

/// The same graphs with vertices labelled by type, number of neighbours, sum of bond orders and
/// whether in a ring, and edges unlabelled. Hydrogens follow from type and bond orders, so this
/// differs from RDKit's invariants only where charge or isotope does: on NCI1, where both are
/// known, in 1 of 200 atoms.
///
/// # Errors
/// If an edge's label is no number.
pub fn derived(data: &Dataset) -> Result<Dataset> {
    let mut labels = Labels::default();
    let bond = labels.edge.intern("1");
    let orders = data.labels().edge.names().iter().map(|name| {
        let reason = || Error::parameter("data", format!("edge label {name:?} is no bond order"));
        name.parse::<u32>().map_err(|_| reason())
    });
    let orders: Vec<u32> = orders.collect::<Result<_>>()?;
    let mut relabel = |graph: &Graph| {
        let vertex = |v: u32| {
            let near = graph.neighbors(v);
            let sum: u32 = near.iter().map(|n| orders[n.label as usize]).sum();
            let ring = near.iter().any(|n| is_in_ring(graph, n.edge));
            let kind = data.labels().vertex.name(graph.label(v));
            let ring = if ring { "ring" } else { "chain" };
            labels.vertex.intern(&format!("{kind} {} {sum} {ring}", near.len()))
        };
        let vertices = (0..graph.vertex_count() as u32).map(vertex).collect();
        let edges = graph.edges().iter();
        Graph::new(vertices, edges.map(|&e| spinney::graph::Edge { label: bond, ..e }).collect())
    };
    let graphs: Vec<Graph> = data.graphs().iter().map(&mut relabel).collect();
    let rest = data.ids().iter().cloned().zip(data.targets().iter().cloned());
    let records = graphs.into_iter().zip(rest);
    let records = records.map(|(graph, (id, target))| GraphRecord { graph, id, target }).collect();
    Ok(Dataset::new(&labels, records))
}

/// Whether an edge's ends stay connected without it.
fn is_in_ring(graph: &Graph, edge: u32) -> bool {
    let ends = graph.edges()[edge as usize];
    let mut seen = vec![false; graph.vertex_count()];
    let mut open = vec![ends.u];
    seen[ends.u as usize] = true;
    while let Some(v) = open.pop() {
        for near in graph.neighbors(v).iter().filter(|n| n.edge != edge) {
            if !std::mem::replace(&mut seen[near.vertex as usize], true) {
                open.push(near.vertex);
            }
        }
    }
    seen[ends.v as usize]
}

#[cfg(test)]
mod tests {
    use spinney::Dataset;
    use spinney::dataset::GraphRecord;
    use spinney::graph::GraphBuilder;
    use spinney::labels::Labels;

    use super::derived;

    #[test]
    fn labels_tell_neighbours_bond_orders_and_rings() {
        // A triangle of C with one double bond, and a double-bonded O on the vertex without it.
        let mut labels = Labels::default();
        let c = labels.vertex.intern("C");
        let o = labels.vertex.intern("O");
        let single = labels.edge.intern("1");
        let double = labels.edge.intern("2");
        let mut graph = GraphBuilder::new();
        let v: Vec<u32> = [c, c, c, o].iter().map(|&l| graph.add_vertex(l)).collect();
        for (a, b, bond) in [(0, 1, double), (1, 2, single), (0, 2, single), (2, 3, double)] {
            graph.add_edge(v[a], v[b], bond).unwrap();
        }
        let record = GraphRecord { graph: graph.build(), ..GraphRecord::default() };
        let data = derived(&Dataset::new(&labels, vec![record])).unwrap();
        let names = |v: u32| data.labels().vertex.name(data.graphs()[0].label(v)).to_owned();
        let all: Vec<String> = (0..4).map(names).collect();
        assert_eq!(all, ["C 2 3 ring", "C 2 3 ring", "C 3 4 ring", "O 1 2 chain"]);
        assert_eq!(data.labels().edge.len(), 1);
    }
}
