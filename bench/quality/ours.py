"""Spinney as a user runs it: `train` on a file, `predict` for another; and the paper's preset and gBoost the same way."""

import csv
import pathlib
import subprocess
import tempfile
import time

import numpy

METHODS = {
    "Spinney": [],
    "Spinney, paper's preset": ["--preset", "paper"],
    "gBoost": ["--preset", "paper", "--method", "gboost"],
}
# gBoost's linear program grows with the graphs.
MOST_FOR_GBOOST = 1500


def applies(name, data):
    return name != "gBoost" or (len(data) <= MOST_FOR_GBOOST and data.measure == "auc")


def write(path, data, rows):
    """Molecules as a table, other graphs as gSpan text."""
    if data.smiles is not None:
        lines = ["smiles,y", *(f'"{data.smiles[i]}",{data.y[i]}' for i in rows)]
        path.write_text("\n".join(lines) + "\n")
        return
    with path.open("w") as out:
        for i in rows:
            out.write(f"t # {i} {data.y[i]}\n")
            vertices, edges = data.graphs[i]
            out.writelines(f"v {v} {label}\n" for v, label in enumerate(vertices))
            out.writelines(f"e {u} {v} {label}\n" for u, v, label in edges)


def fold_scores(name, program, data, train, test):
    """(scores of the test part, seconds of training)"""
    kind, target = ("csv", ["--target", "y"]) if data.smiles is not None else ("gsp", [])
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        files = {part: folder / f"{part}.{kind}" for part in ("train", "test")}
        write(files["train"], data, train)
        write(files["test"], data, test)
        model, out = folder / "model.json", folder / "out.csv"
        begun = time.perf_counter()
        subprocess.run([program, "train", files["train"], *target, "-o", model, "-q", *METHODS[name]], check=True,
                       capture_output=True)
        seconds = time.perf_counter() - begun
        subprocess.run([program, "predict", model, files["test"], "-o", out, "-q"], check=True, capture_output=True)
        rows = list(csv.DictReader(out.open()))
    if data.measure == "rmse":
        return numpy.array([float(row["prediction"]) for row in rows]), seconds
    if data.measure == "accuracy":
        predicted = [int(float(row["prediction"])) for row in rows]
        return numpy.eye(len(set(data.y)))[predicted], seconds
    return numpy.array([float(row["score"]) for row in rows]), seconds
