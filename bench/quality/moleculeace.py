"""Activity cliffs: the defaults on the data sets of MoleculeACE, in their published splits.

    python3 bench/quality/moleculeace.py --program target/release/spinney --data ../shared/data

Trains `spinney train --split split --valid test` with defaults on every `moleculeace/CHEMBL*.csv` and writes
`results/quality/moleculeace.md`: the RMSE on the published test part, and on its activity cliffs alone (`cliff_mol`).
Needs Python alone. The test parts decide nothing, here or elsewhere in the project.

Beside them stands what van Tilborg, Alenicheva and Grisoni (2022) published for a support vector machine on ECFP, the best
single method of their 24, as the mean over the same sets.
"""

import argparse
import csv
import json
import math
import os
import pathlib
import resource
import subprocess
import tempfile

TARGET = "y [pEC50/pKi]"
#: Published RMSE of SVM + ECFP, the mean over the fifteen sets of `../shared/data/moleculeace`.
PUBLISHED = {"sets": 15, "test": 0.665, "cliffs": 0.751}


def root_mean_square(errors):
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def measure(program, table):
    """RMSE on the test part and on its cliffs, sizes, and seconds of processor time of the training."""
    with tempfile.TemporaryDirectory() as folder:
        model, predictions = pathlib.Path(folder, "model.json"), pathlib.Path(folder, "predictions.csv")
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        split = ["--split", "split", "--valid", "test"]
        subprocess.run([program, "train", table, "--target", TARGET, *split, "-q", "-o", model], check=True,
                       capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([program, "predict", model, table, "-q", "-o", predictions], check=True, capture_output=True)
        with open(predictions, newline="") as file:
            predicted = [float(row["prediction"]) for row in csv.DictReader(file)]
    with open(table, newline="") as file:
        rows = list(csv.DictReader(file))
    if len(rows) != len(predicted):
        raise SystemExit(f"{table}: {len(predicted)} predictions for {len(rows)} molecules")
    test = [(row, value) for row, value in zip(rows, predicted) if row["split"] == "test"]
    errors = [value - float(row[TARGET]) for row, value in test]
    cliffs = [value - float(row[TARGET]) for row, value in test if row["cliff_mol"] == "1"]
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return {"molecules": len(rows), "test": root_mean_square(errors), "cliffs": root_mean_square(cliffs),
            "seconds": seconds}


def commit():
    found = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True)
    return found.stdout.strip() or "unknown"


def page(results):
    lines = ["# MoleculeACE: activity cliffs", ""]
    lines += ["Written by `python3 bench/quality/moleculeace.py`; defaults, published splits; commit " + commit() + ".",
              "RMSE of pEC50 or pKi on the test part, and on its activity cliffs alone.", "",
              "| data set | molecules | RMSE | RMSE on cliffs | CPU seconds |", "|---|---|---|---|---|"]
    for name, row in results.items():
        lines.append(f"| {name} | {row['molecules']:,} | {row['test']:.3f} | {row['cliffs']:.3f} | {row['seconds']:.1f} |")
    mean = {key: sum(row[key] for row in results.values()) / len(results) for key in ["test", "cliffs", "seconds"]}
    lines.append(f"| **mean** | | **{mean['test']:.3f}** | **{mean['cliffs']:.3f}** | {mean['seconds']:.1f} |")
    if len(results) == PUBLISHED["sets"]:
        lines.append(f"| SVM + ECFP (published) | | {PUBLISHED['test']:.3f} | {PUBLISHED['cliffs']:.3f} | |")
    lines += ["", "Published: van Tilborg, Alenicheva, Grisoni, *Exposing the limitations of molecular machine",
              "learning with activity cliffs*, J. Chem. Inf. Model. 2022. The mean over the same sets.", ""]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/spinney")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path(os.environ.get("SPINNEY_DATA", "../shared/data")))
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("results/quality"))
    args = parser.parse_args()
    tables = sorted((args.data / "moleculeace").glob("*.csv"))
    if not tables:
        raise SystemExit(f"{args.data / 'moleculeace'}: no data sets")
    results = {}
    for table in tables:
        results[table.stem] = measure(args.program, table)
        print(table.stem, json.dumps(results[table.stem]), flush=True)
    args.output.mkdir(parents=True, exist_ok=True)
    (args.output / "moleculeace.md").write_text(page(results))
    print(f"wrote {args.output / 'moleculeace.md'}")


if __name__ == "__main__":
    main()
