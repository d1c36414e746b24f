"""Morgan fingerprints of RDKit with learners of tables.

Where structures are known they are fingerprinted as usual. Elsewhere the graph is: its labels stand for the atom
invariants (they are the invariants, or nearly) and bonds are all alike.
"""

import lightgbm as lightgbm_package
import numpy
import xgboost as xgboost_package
from rdkit import Chem, RDLogger
from rdkit.Chem import rdFingerprintGenerator
from sklearn.ensemble import RandomForestClassifier

from tables import by_probability

BITS, RADII, TREES = 2048, (2, 3), 500


def of_structure(text, radius):
    RDLogger.DisableLog("rdApp.*")
    molecule = Chem.MolFromSmiles(text)
    if molecule is None:
        raise ValueError(f"RDKit refuses {text}")
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=BITS)
    return generator.GetFingerprintAsNumPy(molecule)


def of_graph(graph, invariants, radius):
    """A graph's fingerprint; `invariants` gives each label a number."""
    molecule = Chem.RWMol()
    for _ in graph["labels"]:
        molecule.AddAtom(Chem.Atom(6))
    for u, v, _ in graph["edges"]:
        molecule.AddBond(u, v, Chem.BondType.SINGLE)
    Chem.FastFindRings(molecule)
    molecule.UpdatePropertyCache(strict=False)
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=BITS, useBondTypes=False)
    numbers = [invariants[label] for label in graph["labels"]]
    return generator.GetFingerprintAsNumPy(molecule, customAtomInvariants=numbers)


def fingerprints(data, radius):
    if data.structures:
        return numpy.array([of_structure(text, radius) for text in data.structures], dtype=numpy.float32)
    names = sorted({label for graph in data.graphs for label in graph["labels"]})
    # Numbers far apart, so that RDKit's hashing of neighbourhoods does not meet small ones.
    invariants = {name: (7919 * (i + 1)) % 2**31 for i, name in enumerate(names)}
    return numpy.array([of_graph(graph, invariants, radius) for graph in data.graphs], dtype=numpy.float32)


def settings(data, model):
    for radius in RADII:
        yield f"r{radius}", by_probability(fingerprints(data, radius), data.y, model)


def lightgbm(data):
    for leaf in (5, 20):
        model = lambda: lightgbm_package.LGBMClassifier(
            n_estimators=TREES, learning_rate=0.05, colsample_bytree=0.3, subsample=0.7, subsample_freq=1,
            min_child_samples=leaf, random_state=0, n_jobs=1, verbose=-1)
        for radius, scores in settings(data, model):
            yield f"{radius} leaf {leaf}", scores


def xgboost(data):
    return settings(data, lambda: xgboost_package.XGBClassifier(
        n_estimators=TREES, learning_rate=0.05, colsample_bytree=0.3, subsample=0.7, random_state=0, n_jobs=1))


def forest(data):
    return settings(data, lambda: RandomForestClassifier(n_estimators=TREES, random_state=0, n_jobs=1))
