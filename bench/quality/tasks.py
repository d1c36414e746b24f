"""Whether stacking the models of Tox21's twelve targets is better. Writes results/quality/tasks.md.

    python3 bench/quality/tasks.py --program target/release/spinney --data ../shared/data

`spinney train --target all` with defaults, beside the same with `--stack false`, on the same folds:
at random, and of whole scaffolds with `--split scaffold`. A molecule that is tested was in no
training of any target. The folds differ from those of the study (seed 101), on which stacking was
designed.
"""

import argparse
import csv
import pathlib
import subprocess
import tempfile

import numpy
from rdkit import Chem
from rdkit.Chem.Scaffolds.MurckoScaffold import MurckoScaffoldSmiles
from sklearn.metrics import brier_score_loss, roc_auc_score

import sets

FOLDS, SEED = 5, 7
OUT = pathlib.Path(__file__).parents[2] / "results/quality/tasks.md"


def load(data):
    """Rows (SMILES, and a label or nothing for each target) that RDKit can read."""
    rows = csv.DictReader((data / "moleculenet/tox21.csv").open(newline=""))
    rows = [row for row in rows if Chem.MolFromSmiles(row["smiles"]) is not None]
    return [[row["smiles"], *(row[task] for task in sets.TOX21)] for row in rows]


def folds_of(rows, split):
    random = numpy.random.default_rng(SEED)
    if split == "random":
        return random.integers(0, FOLDS, len(rows))
    scaffolds = [MurckoScaffoldSmiles(row[0]) for row in rows]
    fold = {scaffold: random.integers(0, FOLDS) for scaffold in sorted(set(scaffolds))}
    return numpy.array([fold[scaffold] for scaffold in scaffolds])


def write(path, rows):
    with path.open("w", newline="") as out:
        csv.writer(out).writerows([["smiles", *sets.TOX21], *rows])


def probabilities(program, train, test, options):
    """Of the molecules `test`, a column for each target."""
    with tempfile.TemporaryDirectory() as folder:
        learn, ask, model, out = (pathlib.Path(folder, name) for name in ("learn.csv", "ask.csv", "m.json", "out.csv"))
        write(learn, train)
        write(ask, test)
        subprocess.run([program, "train", learn, "--target", "all", "-o", model, "-q", *options], check=True, capture_output=True)
        columns = []
        for task in sets.TOX21:
            own = model.with_suffix(f".{task}.json")
            subprocess.run([program, "predict", own, ask, "-o", out, "-q"], check=True, capture_output=True)
            columns.append([float(row["probability"]) for row in csv.DictReader(out.open())])
        return numpy.array(columns).T


def measured(rows, predicted):
    """(AUC, Brier score) of every target, on the molecules that have a label."""
    for task in range(len(sets.TOX21)):
        known = [i for i, row in enumerate(rows) if row[task + 1]]
        truth, scores = [float(rows[i][task + 1]) for i in known], predicted[known, task]
        yield roc_auc_score(truth, scores), brier_score_loss(truth, scores)


def table(split, figures):
    """`figures[fold][alone or stacked][target][measure]` as Markdown."""
    figures = numpy.array(figures)
    mean, difference = figures.mean(axis=0), figures[:, 1, :, 0] - figures[:, 0, :, 0]
    error = difference.std(axis=0, ddof=1) / len(figures) ** 0.5
    yield f"## Folds {'at random' if split == 'random' else 'of whole scaffolds'}: {len(figures)}\n"
    yield "| target | AUC alone | stacked | difference ± standard error | Brier score alone | stacked |"
    yield "|---|---|---|---|---|---|"
    for task, name in enumerate(sets.TOX21):
        (alone, stacked), change = mean[:, task], f"{difference[:, task].mean():+.4f} ± {error[task]:.4f}"
        yield f"| {name} | {alone[0]:.4f} | {stacked[0]:.4f} | {change} | {alone[1]:.4f} | {stacked[1]:.4f} |"
    (alone, stacked), of_all = mean.mean(axis=1), difference.mean(axis=1)
    change = f"{of_all.mean():+.4f} ± {of_all.std(ddof=1) / len(figures) ** 0.5:.4f}"
    yield f"| **mean** | {alone[0]:.4f} | {stacked[0]:.4f} | {change} | {alone[1]:.4f} | {stacked[1]:.4f} |"
    yield f"\nBetter on {(difference.mean(axis=0) > 0).sum()} of {len(sets.TOX21)}.\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/spinney")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--split", nargs="+", choices=["random", "scaffold"], default=["random", "scaffold"])
    parser.add_argument("--out", type=pathlib.Path, default=OUT)
    args = parser.parse_args()
    rows, lines = load(args.data), ["# Stacked targets: Tox21\nWritten by `bench/quality/tasks.py`, which says how.\n"]
    for split in args.split:
        folds, figures = folds_of(rows, split), []
        for fold in range(FOLDS):
            train = [row for row, f in zip(rows, folds) if f != fold]
            test = [row for row, f in zip(rows, folds) if f == fold]
            both = (["--stack", "false"], [])
            figures.append([list(measured(test, probabilities(args.program, train, test, options))) for options in both])
            alone, stacked = numpy.array(figures[-1])[:, :, 0].mean(axis=1)
            print(f"{split}, fold {fold}: mean AUC {alone:.4f} alone, {stacked:.4f} stacked", flush=True)
        lines += table(split, figures)
    args.out.write_text("\n".join(lines))


if __name__ == "__main__":
    main()
