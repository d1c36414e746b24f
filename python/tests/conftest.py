"""Molecules and graphs that all tests share."""

import os
import pathlib
import shutil

import numpy as np
import pytest

#: Small molecules: alcohols, amines and hydrocarbons in turn.
SMILES = [
    *["CO", "CCO", "CCCO", "CC(C)O", "CC(O)CC", "OC1CCCC1", "OCc1ccccc1", "CCCCO", "OCCCN", "CC(C)(C)O"],
    *["CN", "CCN", "CCCN", "CC(C)N", "CC(N)CC", "NC1CCCC1", "NCc1ccccc1", "CCCCN", "NCCC#N", "CC(C)(C)N"],
    *["CC", "CCC", "CCCC", "CC(C)C", "C1CCCC1", "Cc1ccccc1", "CC=C", "CCCCC", "C#CC", "CC(C)(C)C"],
]
ALCOHOL = np.array([1] * 10 + [0] * 20)
KIND = np.array(["alcohol"] * 10 + ["amine"] * 10 + ["hydrocarbon"] * 10)
SIZE = np.array([float(sum(c.isalpha() for c in s)) for s in SMILES])

#: Small and fast, and without sampling.
QUICK = {"n_estimators": 15, "subsample": 1.0, "colsample": 1.0, "learning_rate": 0.3, "max_edges": 3}


def data_file(name: str) -> pathlib.Path:
    """A file of real data; skips the test where there is none."""
    root = pathlib.Path(__file__).resolve().parents[2]
    folder = pathlib.Path(os.environ.get("SPINNEY_DATA", root / ".." / "shared" / "data"))
    if not (folder / name).exists():
        pytest.skip(f"no data: {folder / name}")
    return folder / name


@pytest.fixture(scope="session")
def program() -> str:
    """The program `spinney`; $SPINNEY, or a build of this tree."""
    root = pathlib.Path(__file__).resolve().parents[2]
    candidates = [os.environ.get("SPINNEY"), root / "target/release/spinney", shutil.which("spinney")]
    for candidate in candidates:
        if candidate and pathlib.Path(candidate).exists():
            return str(candidate)
    pytest.skip("the program spinney is not built")
