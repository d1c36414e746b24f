"""From what users have as ``X`` to graphs."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _spinney
from ._graphs import Graphs


class Settings:
    """How rows of ``X`` become graphs."""

    def __init__(self, chemistry: str, node_label: str, edge_label: str, threads: int) -> None:
        self.chemistry = chemistry
        self.node_label = node_label
        self.edge_label = edge_label
        self.threads = threads


def as_graphs(
    X: Any,
    settings: Settings,
    empty_chemistry: str | None = None,
    covariates: Sequence[str] = (),
) -> _spinney.Graphs:
    """The graphs of ``X``; see :class:`~spinney.SpinneyClassifier` for what it may be."""
    if isinstance(X, (Graphs, _spinney.Graphs)):
        data = X._data if isinstance(X, Graphs) else X
        return data if not covariates else _with_some(data, covariates)
    if covariates:
        X, values = _apart(X, covariates)
        return as_graphs(X, settings, empty_chemistry).with_covariates(covariates, values)
    if isinstance(X, (str, bytes, dict)) or not hasattr(X, "__len__"):
        raise TypeError(
            f"X is a {type(X).__name__}; give a sequence of SMILES, RDKit molecules, networkx graphs, "
            "PyG data or (labels, edges) pairs, or spinney.read(...)"
        )
    X = _one_column(X)
    if len(X) == 0:
        if empty_chemistry is None:
            return _spinney.from_pairs([])
        return _spinney.from_smiles([], empty_chemistry, settings.threads)
    if type(X).__module__.startswith("pyarrow"):
        return _spinney.from_smiles(X, settings.chemistry, settings.threads)
    kind = _kind(_first(X))
    if kind == "smiles" and _exports_arrow(X):
        return _spinney.from_smiles(X, settings.chemistry, settings.threads)
    items = _items(X)
    if kind == "smiles":
        return _spinney.from_smiles(items, settings.chemistry, settings.threads)
    if kind == "molecule":
        return _from_molecules(items, settings)
    if kind == "pair":
        return _spinney.from_pairs(items)
    return _spinney.from_pairs([_pair(item, row, settings) for row, item in enumerate(items)])


def _with_some(data: _spinney.Graphs, covariates: Sequence[str]) -> _spinney.Graphs:
    """Graphs that were read, with those covariates alone that are named."""
    known = dict(zip(*data.covariates(), strict=True))
    missing = [name for name in covariates if name not in known]
    if missing:
        raise ValueError(f"covariates: {missing[0]!r} was not read with X; name it in spinney.read(...)")
    return data.with_covariates(list(covariates), [known[name] for name in covariates])


def _apart(X: Any, covariates: Sequence[str]) -> tuple[Any, list[list[float]]]:
    """A table's column of molecules or graphs, and its columns of covariates."""
    names = [str(name) for name in getattr(X, "columns", [])]
    missing = [name for name in covariates if name not in names]
    if missing:
        raise ValueError(
            f"covariates: X has no column {missing[0]!r}; give a DataFrame of one column of molecules and the "
            f"covariates {', '.join(covariates)}"
        )
    rest = [name for name in X.columns if str(name) not in covariates]
    if len(rest) != 1:
        others = ", ".join(map(str, rest)) or "none"
        raise ValueError(f"X needs one column of molecules besides covariates, not {others}")
    values = []
    for name in covariates:
        try:
            column = np.asarray(X[name], dtype=np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"covariates: column {name!r} does not hold numbers: {error}") from error
        values.append(column.tolist())
    return X[rest[0]], values


def _exports_arrow(X: Any) -> bool:
    return hasattr(X, "__arrow_c_stream__") or hasattr(X, "__arrow_c_array__")


def _one_column(X: Any) -> Any:
    """A table of one column as that column."""
    shape = getattr(X, "shape", None)
    if isinstance(shape, tuple) and len(shape) == 2:
        if shape[1] == 1 and hasattr(X, "iloc"):
            return X.iloc[:, 0]
        if shape[1] == 1 and isinstance(X, np.ndarray) and X.dtype.kind in "OUS":
            return X[:, 0]
        raise TypeError(
            f"X is a table of {shape[1]} columns of {type(X).__name__}; give one sequence of molecules or "
            "graphs, such as its column of SMILES"
        )
    return X


def _first(X: Any) -> Any:
    return X.iloc[0] if hasattr(X, "iloc") else next(iter(X))


def _items(X: Any) -> list[Any]:
    if isinstance(X, list):
        return X
    return X.tolist() if hasattr(X, "tolist") else list(X)


def _kind(item: Any) -> str:
    if isinstance(item, str):
        return "smiles"
    if hasattr(item, "GetAtoms") and hasattr(item, "GetBonds"):
        return "molecule"
    if hasattr(item, "edge_index"):
        return "pyg"
    if hasattr(item, "nodes") and hasattr(item, "edges") and hasattr(item, "is_directed"):
        return "networkx"
    if isinstance(item, (tuple, list)) and len(item) == 2:
        return "pair"
    if item is None or (isinstance(item, float) and math.isnan(item)):
        raise ValueError("row 0: a missing value where a molecule or graph is needed")
    raise TypeError(
        f"row 0: a {type(item).__name__}; needed is a SMILES, an RDKit molecule, a networkx graph, PyG data or a "
        "(labels, edges) pair"
    )


def _from_molecules(items: list[Any], settings: Settings) -> _spinney.Graphs:
    if json.loads(settings.chemistry)["hydrogens"]:
        from rdkit import Chem

        items = [Chem.AddHs(item) if hasattr(item, "GetAtoms") else item for item in items]
    return _spinney.from_molecules(items, settings.chemistry)


def _pair(item: Any, row: int, settings: Settings) -> tuple[list[Any], list[Any]]:
    try:
        kind = _kind(item)
        if kind == "networkx":
            return _from_networkx(item, settings)
        if kind == "pyg":
            return _from_pyg(item)
        if kind == "pair":
            return item
    except (TypeError, ValueError, AttributeError, IndexError, KeyError) as error:
        reason = str(error).removeprefix("row 0: ")
        raise ValueError(f"row {row}: {reason}") from error
    raise TypeError(f"row {row}: a {type(item).__name__} among graphs")


def _from_networkx(graph: Any, settings: Settings) -> tuple[list[Any], list[Any]]:
    if graph.is_directed():
        raise ValueError("a directed graph; give graph.to_undirected()")
    number = {node: i for i, node in enumerate(graph.nodes)}
    labels = [data.get(settings.node_label, "0") for _, data in graph.nodes(data=True)]
    edges = [
        (number[u], number[v], data.get(settings.edge_label, "0"))
        for u, v, data in graph.edges(data=True)
    ]
    return labels, edges


def _from_pyg(data: Any) -> tuple[list[Any], list[Any]]:
    edge_index = np.asarray(data.edge_index)
    if edge_index.ndim != 2 or edge_index.shape[0] != 2:
        raise ValueError(f"edge_index of shape {edge_index.shape}, not (2, number of edges)")
    x = getattr(data, "x", None)
    if x is not None:
        labels = _row_labels(np.asarray(x))
    else:
        count = getattr(data, "num_nodes", None)
        count = int(edge_index.max(initial=-1)) + 1 if count is None else int(count)
        labels = ["0"] * count
    attributes = getattr(data, "edge_attr", None)
    ends = edge_index.T.tolist()
    if attributes is None:
        return labels, ends
    names = _row_labels(np.asarray(attributes))
    if len(names) != len(ends):
        raise ValueError(f"{len(names)} rows of edge_attr for {len(ends)} edges")
    return labels, [(u, v, name) for (u, v), name in zip(ends, names, strict=True)]


def _row_labels(features: np.ndarray) -> list[str]:
    """A label for each row: its number, the place of the one in one-hot rows, else all its numbers."""
    if features.ndim == 1:
        features = features[:, None]
    if features.ndim != 2:
        raise ValueError(f"features of {features.ndim} dimensions")
    if features.shape[1] > 1:
        is_one_hot = ((features == 0) | (features == 1)).all() and (features.sum(axis=1) == 1).all()
        if is_one_hot and len(features):
            features = features.argmax(axis=1)[:, None]
    return [",".join(_number(value) for value in row) for row in features.tolist()]


def _number(value: Any) -> str:
    is_whole = isinstance(value, float) and value.is_integer()
    return str(int(value)) if is_whole else str(value)
