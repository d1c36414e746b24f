//! Molecules on the command line: which column is what, and what makes two atoms the same.

use std::path::Path;
use std::str::FromStr;

use clap::Args;
use rayon::prelude::{IntoParallelRefIterator, ParallelIterator};
use spinney::io::Format;
use spinney::representation::covariates::Covariates;
use spinney::{Error, Model, Params, Result};
use spinney_chem::read::{Columns, MoleculeFormat, Request, Targets};
use spinney_chem::{AtomView, BondView, Chemistry, scaffold, toolkit};

use crate::args::ReadingArgs;

/// A kind of input: graphs or molecules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InputFormat {
    Graphs(Format),
    Molecules(MoleculeFormat),
}

impl FromStr for InputFormat {
    type Err = String;

    fn from_str(s: &str) -> std::result::Result<Self, String> {
        if let Ok(format) = s.parse() {
            return Ok(InputFormat::Molecules(format));
        }
        s.parse().map(InputFormat::Graphs).map_err(|_| {
            format!("{s:?} is no kind of input: gspan, tudataset, csv, tsv, smi, sdf or parquet")
        })
    }
}

/// How records are dealt into folds or held out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SplitBy {
    Random,
    Scaffold,
    Column(String),
}

impl FromStr for SplitBy {
    type Err = std::convert::Infallible;

    fn from_str(s: &str) -> std::result::Result<Self, Self::Err> {
        Ok(match s {
            "random" => SplitBy::Random,
            "scaffold" => SplitBy::Scaffold,
            column => SplitBy::Column(column.to_owned()),
        })
    }
}

impl SplitBy {
    /// The column that names the parts, if there is one.
    pub(crate) fn column(&self) -> Option<&str> {
        match self {
            SplitBy::Column(column) => Some(column),
            _ => None,
        }
    }
}

/// Numbers to learn from beside patterns.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Numbers beside patterns")]
pub(crate) struct CovariateArgs {
    /// Columns of numbers that trees may split by threshold, e.g. logp,mw; prediction needs them
    /// too, and an empty field is a value of its own
    #[arg(long, value_name = "COLS", value_delimiter = ',')]
    pub(crate) covariates: Vec<String>,
    /// Let trees also split by measures of the whole graph: its size, cycles and components, the
    /// shares of its vertices that branch, end, lie on cycles or have a common label [default:
    /// true; paper: false]
    #[arg(long, value_name = "true|false", action = clap::ArgAction::Set)]
    pub(crate) measures: Option<bool>,
}

impl CovariateArgs {
    /// Whether graphs are measured.
    pub(crate) fn measures(&self, labelling: Labelling, params: &Params) -> bool {
        self.measures.unwrap_or(labelling == Labelling::Best && params.vertices)
    }

    /// Numbers are split like patterns of one vertex: these must be allowed.
    pub(crate) fn check(&self, params: &Params) -> Result<()> {
        let name = match self {
            _ if params.vertices => return Ok(()),
            CovariateArgs { measures: Some(true), .. } => "measures",
            CovariateArgs { covariates, .. } if covariates.is_empty() => return Ok(()),
            _ => "covariates",
        };
        let reason = "split like patterns of one vertex, which are left out: add --vertices true";
        Err(Error::parameter(name, reason))
    }
}

/// The values, without those that came before.
pub(crate) fn once_each<T: Copy + PartialEq>(all: &[T]) -> Vec<T> {
    let mut once = Vec::new();
    for value in all {
        if !once.contains(value) {
            once.push(*value);
        }
    }
    once
}

/// How atoms and vertices are labelled where the user does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Labelling {
    /// One view: the paper's.
    Plain,
    /// The views that predict best.
    Best,
}

/// Columns and labels of molecules; without meaning for graphs.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Molecules")]
pub(crate) struct MoleculeArgs {
    /// The column of SMILES, if its name does not show it
    #[arg(long, value_name = "COL")]
    pub(crate) smiles: Option<String>,
    /// The target column; several separated by commas, or `all`, train a model each
    #[arg(long, value_name = "COL", value_delimiter = ',')]
    pub(crate) target: Vec<String>,
    /// The column of names [default: row numbers, or an SDF's titles]
    #[arg(long, value_name = "COL")]
    pub(crate) id: Option<String>,
    /// The column of sample weights
    #[arg(long, value_name = "COL")]
    pub(crate) weight: Option<String>,
    /// What makes atoms the same: rdkit (the paper's), element, element+aromatic, or role (halogens
    /// are alike, and donors, acceptors, atoms of one charge; carbon is saturated or not); several
    /// separated by commas are views side by side [default: rdkit,element,role for training, else
    /// and in the paper: rdkit]
    #[arg(long, value_name = "VIEWS", value_delimiter = ',')]
    pub(crate) atoms: Vec<AtomView>,
    /// What makes bonds the same: none, order or order+ring [default: none]
    #[arg(long, value_name = "VIEW")]
    pub(crate) bonds: Option<BondView>,
    /// Make hydrogens atoms of the graph, not just counts
    #[arg(long)]
    pub(crate) hydrogens: bool,
    /// Keep only the largest fragment of salts and mixtures
    #[arg(long)]
    pub(crate) largest_fragment: bool,
    /// Put right structures that RDKit refuses where their meaning is known (nitro groups and
    /// cations without their charges)
    #[arg(long)]
    pub(crate) lenient: bool,
}

impl MoleculeArgs {
    /// The chemistry asked for.
    pub(crate) fn chemistry(&self, labelling: Labelling) -> Chemistry {
        let mut atoms = once_each(&self.atoms);
        if atoms.is_empty() {
            atoms = match labelling {
                Labelling::Best => Chemistry::best().atoms,
                Labelling::Plain => Chemistry::default().atoms,
            };
        }
        Chemistry {
            atoms,
            bonds: self.bonds.unwrap_or_default(),
            largest_fragment: self.largest_fragment,
            hydrogens: self.hydrogens,
            covariates: Covariates::default(),
        }
    }

    /// Labels are a model's own matter once it is trained.
    pub(crate) fn refuse_labels(&self) -> Result<()> {
        let switches = self.largest_fragment || self.hydrogens;
        if self.atoms.is_empty() && self.bonds.is_none() && !switches {
            return Ok(());
        }
        Err(Error::parameter(
            "atoms",
            "the model says how molecules are labelled: leave out --atoms, --bonds, \
             --hydrogens and --largest-fragment",
        ))
    }

    fn columns(&self, split: Option<&str>) -> Columns {
        let targets = match &self.target[..] {
            [] => Targets::None,
            [all] if all == "all" => Targets::All,
            names => Targets::Named(names.to_vec()),
        };
        Columns {
            smiles: self.smiles.clone(),
            targets,
            id: self.id.clone(),
            weight: self.weight.clone(),
            covariates: Vec::new(),
            split: split.map(str::to_owned),
        }
    }
}

/// Whether `path` holds molecules. Standard input does: graphs come from files.
pub(crate) fn is_molecules(path: &Path, reading: &ReadingArgs) -> bool {
    match reading.format {
        Some(kind) => matches!(kind, InputFormat::Molecules(_)),
        None if path == Path::new("-") => true,
        None => !path.is_dir() && MoleculeFormat::of(path).is_some(),
    }
}

/// What to ask the reader for.
pub(crate) fn request(path: &Path, reading: &ReadingArgs, split: Option<&str>) -> Request {
    let format = match reading.format {
        Some(InputFormat::Molecules(format)) => Some(format),
        _ => None,
    };
    Request {
        path: path.to_owned(),
        format,
        columns: reading.molecules.columns(split),
        on_error: reading.on_error,
        lenient: reading.molecules.lenient,
    }
}

/// The chemistry of a model that molecules are to be given to.
pub(crate) fn chemistry_of(model: &Model, path: &Path) -> Result<Chemistry> {
    Chemistry::of_model(model)?.ok_or_else(|| {
        Error::file(path, "molecules, but the model was trained on graphs: give graphs")
    })
}

/// The scaffold of each molecule, for splits that keep scaffolds together.
pub(crate) fn scaffolds(structures: &[String]) -> Vec<String> {
    let key = |smiles: &String| {
        toolkit::from_smiles(smiles).map_or_else(|_| String::new(), |m| scaffold::scaffold_key(&m))
    };
    structures.par_iter().map(key).collect()
}
