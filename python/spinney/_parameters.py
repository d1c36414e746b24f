"""Parameters as the library's table declares them, and limits of the work."""

from __future__ import annotations

import json
import numbers
import os
from typing import Any

from . import _spinney

#: Every training parameter by its name in Python, in the order of the table.
TABLE: dict[str, dict[str, Any]] = {
    parameter["python"]: parameter for parameter in json.loads(_spinney.parameters())
}


def paper_values() -> dict[str, Any]:
    """The paper's values of the parameters whose default is another."""
    return {name: p["paper"] for name, p in TABLE.items() if p["paper"] != p["default"]}


def recorded_values(recorded: dict[str, Any]) -> dict[str, Any]:
    """The parameters that a model's file records, by their names in Python.

    What a file does not record was not known when it was written, or was switched off, as in the paper.
    """
    values = {name: recorded.get(p["name"], p["paper"]) for name, p in TABLE.items()}
    # How an absent value is written; of the parameters only this one spells it out.
    if values.get("class_weight") == "none":
        values["class_weight"] = None
    return values


def limits(estimator: Any) -> dict[str, Any]:
    """What the work of an estimator may take, checked."""
    max_time = getattr(estimator, "max_time", None)
    if max_time is not None:
        is_number = isinstance(max_time, numbers.Real) and not isinstance(max_time, bool)
        if not is_number or not float(max_time) > 0:
            raise ValueError(f"max_time must be None or a number of seconds above 0, not {max_time!r}")
        max_time = float(max_time)
    return {
        "max_time": max_time,
        "memory": _whole(estimator, "memory", "a number of bytes"),
        "max_patterns": _whole(estimator, "max_patterns", "a number of patterns"),
    }


def _whole(estimator: Any, name: str, what: str) -> int | None:
    value = getattr(estimator, name, None)
    if value is None:
        return None
    is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not is_whole or not 1 <= value < 2**63:
        raise ValueError(f"{name} must be None or {what} above 0, not {value!r}")
    return int(value)


def checkpoint_path(estimator: Any) -> str | None:
    """Where a training is kept."""
    checkpoint = getattr(estimator, "checkpoint", None)
    if checkpoint is None:
        return None
    path = os.fspath(checkpoint)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    return path
