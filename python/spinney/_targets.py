"""One target or several: columns of ``y``, and files of several models."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


class Target(NamedTuple):
    """A target to train on."""

    name: str
    #: As a file would have it; None where it is missing.
    values: list[str | None]
    #: The classes, sorted, if there are any.
    classes: np.ndarray | None


def columns_of(y: Any) -> dict[str, np.ndarray] | None:
    """The columns of several targets by name, as objects, ``None`` where one is missing; of one target, nothing."""
    table = _table(y)
    if table is None:
        return None
    if table.shape[1] == 0:
        raise ValueError("y has no column")
    names = [str(name) for name in table.columns]
    if len(set(names)) < len(names):
        raise ValueError("y has two columns of the same name")
    # pandas and NumPy make floats of integers that stand beside NaN.
    is_array = isinstance(y, np.ndarray) and bool(table.isna().to_numpy().any())
    columns = {}
    for at, name in enumerate(names):
        column = table.iloc[:, at]
        missing = column.isna().to_numpy()
        values = column.to_numpy(dtype=object, copy=True)
        values[missing] = None
        if column.dtype.kind == "f" and (is_array or missing.any()):
            known = values[~missing]
            if all(float(value).is_integer() and abs(value) < 2**53 for value in known):
                values[~missing] = [int(value) for value in known]
        columns[name] = values
    return columns


def _table(y: Any) -> pd.DataFrame | None:
    """`y` as a table, if it has several columns."""
    import pandas as pd

    table: pd.DataFrame
    if isinstance(y, Mapping):
        table = pd.DataFrame(dict(y))
        return table
    if isinstance(y, pd.DataFrame):
        table = y
    elif hasattr(y, "to_pandas") and hasattr(y, "columns"):
        table = y.to_pandas()
    elif isinstance(y, np.ndarray) and y.ndim == 2:
        table = pd.DataFrame(y)
    elif isinstance(y, (list, tuple)) and y and isinstance(y[0], (list, tuple, np.ndarray)):
        lengths = {len(row) if isinstance(row, (list, tuple, np.ndarray)) else 1 for row in y}
        if len(lengths) > 1:
            raise ValueError(f"y has rows of {min(lengths)} to {max(lengths)} targets")
        table = pd.DataFrame([list(row) for row in y])
    else:
        return None
    return table if table.shape[1] != 1 else None


def in_order(columns: dict[str, np.ndarray], names: Sequence[str], what: str) -> list[np.ndarray]:
    """The columns of the targets `names`: by name, or else by place."""
    if len(columns) != len(names):
        raise ValueError(f"{what} has {len(columns)} targets, not {len(names)}: {', '.join(names)}")
    if set(columns) == set(names):
        return [columns[name] for name in names]
    return list(columns.values())


def known_rows(values: np.ndarray) -> np.ndarray:
    """The rows that have a target."""
    return np.flatnonzero([value is not None for value in values])


def spread(texts: Iterable[str], rows: np.ndarray, n: int) -> list[str | None]:
    """Texts at their rows, ``None`` elsewhere."""
    values: list[str | None] = [None] * n
    for row, text in zip(rows.tolist(), texts, strict=True):
        values[row] = text
    return values


def side_by_side(columns: Sequence[np.ndarray]) -> np.ndarray:
    """Columns as an array; objects if they are of different kinds."""
    if len({column.dtype.kind for column in columns}) == 1:
        return np.column_stack(columns)
    return np.column_stack([column.astype(object) for column in columns])


def named_after(path: str, target: str) -> str:
    """``run.json`` becomes ``run.TARGET.json``, as in the program."""
    safe = "".join(c if c.isalnum() or c in "-_" else "_" for c in target)
    ending = Path(path).suffix or ".json"
    return str(Path(path).with_suffix("")) + f".{safe}{ending}"


# -- files --------------------------------------------------------------------------------------


def joined(names: Sequence[str], models: Sequence[str]) -> str:
    """A JSON list of targets and their models, each model's text as it stands in a file of its own."""
    entries = [
        f'{{"target": {json.dumps(name)}, "model": {model.strip()}}}'
        for name, model in zip(names, models, strict=True)
    ]
    return "[\n" + ",\n".join(entries) + "\n]\n"


_TARGET = re.compile(r'\s*\{\s*"target":\s*')
_MODEL = re.compile(r'\s*,\s*"model":\s*')
_NEXT = re.compile(r"\s*\}\s*([,\]])")


def parted(text: str) -> tuple[list[str], list[str]]:
    """The names and the models of :func:`joined`.

    Raises
    ------
    ValueError
        A text that is no such list.
    """
    names: list[str] = []
    models: list[str] = []
    decoder = json.JSONDecoder()
    at = text.index("[") + 1
    ending = ","
    while ending == ",":
        name, at = decoder.raw_decode(text, _after(_TARGET, text, at))
        start = _after(_MODEL, text, at)
        _, at = decoder.raw_decode(text, start)
        names.append(str(name))
        models.append(text[start:at] + "\n")
        found = _NEXT.match(text, at)
        if found is None:
            raise ValueError("a list of models that is damaged")
        ending, at = found[1], found.end()
    return names, models


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    if found is None:
        raise ValueError("a list, but not of models of several targets")
    return found.end()


def is_list(path: str) -> bool:
    """Whether a file holds a JSON list."""
    if os.path.isdir(path):
        return False
    with open(path, "rb") as file:
        return file.read(64).lstrip()[:1] == b"["


def write_whole(path: str, text: str) -> None:
    """Writes a file as a whole or not at all."""
    folder = os.path.dirname(os.path.abspath(path))
    handle, name = tempfile.mkstemp(dir=folder, prefix=".spinney-")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # As any new file; temporary ones are for the owner alone.
        mask = os.umask(0)
        os.umask(mask)
        os.chmod(name, 0o666 & ~mask)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
