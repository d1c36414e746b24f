"""Graphs: what `read` gives and what estimators work on."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from . import _spinney

_DEFAULT_CHEMISTRY = json.dumps(
    {"atoms": ["rdkit"], "bonds": "none", "largest_fragment": False, "hydrogens": False}
)


def chemistry_json(
    atoms: str | Sequence[str] = "rdkit",
    bonds: str = "none",
    hydrogens: bool = False,
    largest_fragment: bool = False,
) -> str:
    """How molecules become graphs, as the library takes it."""
    views = [atoms] if isinstance(atoms, str) else list(atoms)
    return json.dumps(
        {
            "atoms": list(dict.fromkeys(views)),
            "bonds": bonds,
            "largest_fragment": bool(largest_fragment),
            "hydrogens": bool(hydrogens),
        }
    )


def threads_of(n_jobs: int | None) -> int:
    """The number of threads that `n_jobs` asks for; 0 for all cores.

    ``None`` follows the environment (``SPINNEY_NUM_THREADS``, ``OMP_NUM_THREADS``), which joblib sets in
    its worker processes; negative numbers count from the number of cores, as in scikit-learn.
    """
    if n_jobs is None:
        for name in ("SPINNEY_NUM_THREADS", "OMP_NUM_THREADS"):
            value = os.environ.get(name, "")
            if value.isdigit() and int(value) > 0:
                return int(value)
        return 0
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, (int, np.integer)) or n_jobs == 0:
        raise ValueError(f"n_jobs must be None or an integer other than 0, not {n_jobs!r}")
    if n_jobs < 0:
        return max(1, (os.cpu_count() or 1) + 1 + int(n_jobs))
    return int(n_jobs)


class Graphs:
    """Labelled graphs read by :func:`read`, to be given to estimators as ``X``.

    They can be indexed like an array, by slices, masks and lists of rows, so cross-validation
    works on them.

    Attributes
    ----------
    y : ndarray or None
        The targets, if the file has some: numbers if all are, else texts. Missing ones are NaN or
        ``None``.
    target_names : list of str
        The target columns that were read.
    targets : dict of str to ndarray
        All target columns; as ``y`` of ``fit`` they are all trained on.
    skipped : list of str
        The records that were left out, and why (``on_error="skip"``).
    """

    def __init__(
        self,
        data: _spinney.Graphs,
        target_names: Sequence[str] = (),
        columns: Sequence[Sequence[str | None]] = (),
        skipped: Sequence[str] = (),
    ) -> None:
        self._data = data
        self.target_names = list(target_names)
        self._columns = [list(column) for column in columns]
        self.skipped = list(skipped)

    @property
    def shape(self) -> tuple[int]:
        """The number of graphs, as a tuple."""
        return (len(self._data),)

    @property
    def ndim(self) -> int:
        """One."""
        return 1

    @property
    def ids(self) -> list[str]:
        """The identifiers, one a graph."""
        return self._data.ids()

    @property
    def smiles(self) -> list[str] | None:
        """Each molecule as SMILES; ``None`` for other graphs."""
        return self._data.smiles()

    @property
    def weights(self) -> np.ndarray | None:
        """The sample weights, if a column of weights was named."""
        weights = self._data.weights()
        return None if weights is None else np.asarray(weights)

    @property
    def covariates(self) -> dict[str, np.ndarray]:
        """The columns of covariates that were read; NaN where a value is missing."""
        names, values = self._data.covariates()
        return {name: np.asarray(column) for name, column in zip(names, values, strict=True)}

    @property
    def y(self) -> np.ndarray | None:
        """The targets, if there are any."""
        written = self._data.targets()
        return None if all(t is None for t in written) else _as_array(written)

    @property
    def targets(self) -> dict[str, np.ndarray]:
        """All target columns."""
        named = zip(self.target_names, self._columns, strict=True)
        return {name: _as_array(column) for name, column in named}

    def graph(self, row: int) -> tuple[list[str], list[tuple[int, int, str]]]:
        """The labels of a graph's vertices, and its edges ``(u, v, label)``."""
        return self._data.graph(row)

    def __len__(self) -> int:
        return len(self._data)

    def __getitem__(self, key: Any) -> Graphs:
        if isinstance(key, tuple):
            if len(key) != 2 or key[1] not in (Ellipsis, slice(None)):
                raise IndexError("graphs have one dimension")
            key = key[0]
        rows = np.arange(len(self))[key]
        rows = np.atleast_1d(rows).tolist()
        columns = [[column[row] for row in rows] for column in self._columns]
        return Graphs(self._data.take(rows), self.target_names, columns)

    def __repr__(self) -> str:
        kind = "molecules" if self._data.chemistry() else "graphs"
        return f"<Graphs: {len(self)} {kind}>"

    def __reduce__(self) -> tuple[Any, ...]:
        args = (self._data.state(), self.target_names, self._columns, self.skipped)
        return (_restored, args)


def _restored(state: Any, names: Any, columns: Any, skipped: Any) -> Graphs:
    return Graphs(_spinney.from_state(state), names, columns, skipped)


def _as_array(written: Sequence[str | None]) -> np.ndarray:
    """Integers, else numbers, else texts; missing ones are NaN or None."""
    try:
        return np.array([int(t) for t in written])  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        pass
    try:
        return np.array([np.nan if t is None else float(t) for t in written])
    except ValueError:
        return np.array(written, dtype=object)


def read(
    path: str | os.PathLike[str],
    *,
    target: str | Iterable[str] | None = None,
    smiles: str | None = None,
    id: str | None = None,
    weight: str | None = None,
    covariates: str | Iterable[str] = (),
    format: str | None = None,
    on_error: str = "fail",
    lenient: bool = False,
    atoms: str | Sequence[str] = ("rdkit", "element", "role"),
    bonds: str = "none",
    hydrogens: bool = False,
    largest_fragment: bool = False,
    n_jobs: int | None = None,
) -> Graphs:
    """Read graphs or molecules from a file, as the program ``spinney`` does.

    Parameters
    ----------
    path : path-like
        Molecules (``.csv``, ``.tsv``, ``.smi``, ``.sdf``, ``.mol``, ``.parquet``) or graphs (``.gsp``, ``.gspan``, a
        TUDataset folder), gzipped or not.
    target : str or list of str, optional
        The column(s) of targets; ``"all"`` for all columns of numbers.
    smiles, id, weight : str, optional
        The columns of SMILES (if its name does not show it), names, and sample weights.
    covariates : str or list of str, optional
        Columns of numbers that trees may split by threshold, beside patterns.
    format : str, optional
        The format, if the name does not show it: gspan, tudataset, csv, tsv, smi, sdf, parquet.
    on_error : {"fail", "skip"}
        Whether a bad record is an error, or is left out and listed in ``skipped``.
    lenient : bool
        Put right structures that RDKit refuses where their meaning is known.
    atoms, bonds, hydrogens, largest_fragment
        How molecules become graphs; see :class:`~spinney.SpinneyClassifier`.
    n_jobs : int, optional
        Threads; all cores by default.

    Returns
    -------
    Graphs

    Raises
    ------
    ValueError
        A bad record, with file and line.
    FileNotFoundError
        No such file.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import spinney
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "solubility.csv")
    ...     _ = path.write_text("smiles,logs\\nCCO,1.1\\nCCCC,-2.57\\n")
    ...     X = spinney.read(path, target="logs")
    >>> X
    <Graphs: 2 molecules>
    >>> X.y.tolist()
    [1.1, -2.57]
    """
    path = os.fspath(path)
    os.stat(path)
    targets = [] if target is None else [target] if isinstance(target, str) else list(target)
    options = {
        "format": format,
        "on_error": on_error,
        "smiles": smiles,
        "target": targets,
        "id": id,
        "weight": weight,
        "covariates": [covariates] if isinstance(covariates, str) else list(covariates),
        "lenient": bool(lenient),
    }
    chemistry = chemistry_json(atoms, bonds, hydrogens, largest_fragment)
    data, (names, columns, skipped) = _spinney.read(path, chemistry, options, threads_of(n_jobs))
    return Graphs(data, names, columns, skipped)
