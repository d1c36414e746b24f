"""One rival on one data set, cross-validated: python worker.py METHOD FOLDER.

The folder holds the data as `spinney reproduce` wrote it. For every setting one line of JSON goes to standard output as
soon as it is known, so that what is done counts even if time runs out:
{"setting": ..., "accuracy": [a fold], "auc": [a fold], "inner": [a fold]}.

`accuracy` and `auc` are of the model trained without the fold, `inner` is the accuracy on the next fold of the model
trained without both: by it a setting is chosen for the fold without looking at it.
"""

import json
import pathlib
import sys
import warnings

import numpy
from sklearn.metrics import roc_auc_score

import fingerprints
import kernels
import tables

METHODS = {
    "gradient-boosting": tables.gradient_boosting,
    "xgboost": tables.xgboost,
    "lightgbm": tables.lightgbm,
    "freqsvm": tables.freq_svm,
    "l1-logistic": tables.l1_logistic,
    "random-walk": kernels.random_walk,
    "shortest-path": kernels.shortest_path,
    "weisfeiler-lehman": kernels.weisfeiler_lehman,
    "wl-shortest-path": kernels.wl_shortest_path,
    "morgan-lightgbm": fingerprints.lightgbm,
    "morgan-xgboost": fingerprints.xgboost,
    "morgan-forest": fingerprints.forest,
}


class Data:
    """Graphs, targets (0 or 1), folds and, where they are known, structures."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder)
        told = json.loads((self.folder / "data.json").read_text())
        self.graphs = told["graphs"]
        self.structures = told["structures"]
        self.sizes = told["sizes"]
        self.y = numpy.array(told["targets"])
        self.folds = numpy.array(told["folds"])


def measured(data, scores):
    """Accuracy and AUC on each fold, and accuracy on the next; `scores(train, test)` are positive for class 1."""
    accuracy, auc, inner = [], [], []
    count = data.folds.max() + 1
    for fold in range(count):
        following = (fold + 1) % count
        test, rest = (numpy.flatnonzero(data.folds == fold), data.folds != fold)
        found = scores(numpy.flatnonzero(rest), test)
        accuracy.append(float(((found > 0) == (data.y[test] == 1)).mean()))
        auc.append(float(roc_auc_score(data.y[test], found)))
        test = numpy.flatnonzero(data.folds == following)
        found = scores(numpy.flatnonzero(rest & (data.folds != following)), test)
        inner.append(float(((found > 0) == (data.y[test] == 1)).mean()))
    return {"accuracy": accuracy, "auc": auc, "inner": inner}


def main():
    method, folder = sys.argv[1:]
    warnings.filterwarnings("ignore")
    data = Data(folder)
    for setting, scores in METHODS[method](data):
        print(json.dumps({"setting": setting, **measured(data, scores)}), flush=True)


if __name__ == "__main__":
    main()
