"""Does it pay to tell a task of Tox21 what models of the other eleven say? Their scores as covariates.

    python3 bench/quality/tasks.py --program target/release/spinney --data ../shared/data --folds 2

Scores of training molecules come from models that did not see them (three inner folds), those of test molecules from models
of the whole training part; so a test molecule's answers on other tasks are never used. Prints AUC of each fold and task with
defaults, without and with the others' scores.
"""

import argparse
import csv
import pathlib
import subprocess
import tempfile

import numpy
from rdkit import Chem
from sklearn.metrics import roc_auc_score

import sets

INNER, OUTER, SEED = 3, 5, 101


def load(data):
    """(SMILES, answers by molecule and task, NaN where there is none)"""
    rows = csv.DictReader((data / "moleculenet/tox21.csv").open(newline=""))
    rows = [row for row in rows if Chem.MolFromSmiles(row["smiles"]) is not None]
    answers = [[float(row[task]) if row[task] else numpy.nan for task in sets.TOX21] for row in rows]
    return [row["smiles"] for row in rows], numpy.array(answers)


def write(path, smiles, answers, beside):
    with path.open("w", newline="") as out:
        table = csv.writer(out)
        table.writerow(["smiles", "y", *(f"task {number}" for number in range(beside.shape[1]))])
        for text, answer, numbers in zip(smiles, answers, beside):
            table.writerow([text, int(answer), *(f"{number:.4f}" for number in numbers)])


def scores(program, smiles, answers, beside, train, test):
    """Of the molecules `test`, by a model of those of `train` that have an answer."""
    train = train[~numpy.isnan(answers[train])]
    covariates = ["--covariates", ",".join(f"task {number}" for number in range(beside.shape[1]))] if beside.shape[1] else []
    with tempfile.TemporaryDirectory() as folder:
        learn, ask, model, out = (pathlib.Path(folder, name) for name in ("learn.csv", "ask.csv", "model.json", "out.csv"))
        write(learn, [smiles[i] for i in train], answers[train], beside[train])
        write(ask, [smiles[i] for i in test], numpy.zeros(len(test)), beside[test])
        subprocess.run([program, "train", learn, "--target", "y", "-o", model, "-q", *covariates], check=True, capture_output=True)
        subprocess.run([program, "predict", model, ask, "-o", out, "-q"], check=True, capture_output=True)
        return numpy.array([float(row["score"]) for row in csv.DictReader(out.open())])


def told_by_tasks(program, smiles, answers, train, test, inner):
    """What models of all tasks say of every molecule; of those in `train`, models that did not see them."""
    told, nothing = numpy.zeros(answers.shape), numpy.zeros((len(smiles), 0))
    for task in range(answers.shape[1]):
        for fold in range(INNER):
            held = train[inner == fold]
            told[held, task] = scores(program, smiles, answers[:, task], nothing, train[inner != fold], held)
        told[test, task] = scores(program, smiles, answers[:, task], nothing, train, test)
    return told


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/spinney")
    parser.add_argument("--data", type=pathlib.Path, default=pathlib.Path("../shared/data"))
    parser.add_argument("--folds", type=int, default=OUTER, help=f"how many of the {OUTER} folds to run")
    args = parser.parse_args()
    smiles, answers = load(args.data)
    random = numpy.random.default_rng(SEED)
    folds, means = random.integers(0, OUTER, len(smiles)), []
    for fold in range(args.folds):
        train, test = numpy.flatnonzero(folds != fold), numpy.flatnonzero(folds == fold)
        inner = random.integers(0, INNER, len(train))
        told = told_by_tasks(args.program, smiles, answers, train, test, inner)
        for task, name in enumerate(sets.TOX21):
            asked = test[~numpy.isnan(answers[test, task])]
            both = [told[:, :0], numpy.delete(told, task, axis=1)]
            both = [scores(args.program, smiles, answers[:, task], beside, train, asked) for beside in both]
            means.append([roc_auc_score(answers[asked, task], s) for s in both])
            print(f"fold {fold}, {name}: {means[-1][0]:.4f} alone, {means[-1][1]:.4f} told by the others", flush=True)
    alone, told = numpy.mean(means, axis=0)
    print(f"mean of {len(means)}: {alone:.4f} alone, {told:.4f} told by the others")


if __name__ == "__main__":
    main()
