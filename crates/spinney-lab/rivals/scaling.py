"""Learning from the finished matrix of all patterns, timed: python scaling.py METHOD FOLDER.

The folder holds one fold: the matrix of the patterns of its training graphs, `part.json` with the graphs of both parts
and the targets. One line of JSON: seconds of training alone, and accuracy on the test part. Memory is limited to
that of the paper's machine.
"""

import json
import pathlib
import resource
import sys
import time
import warnings

import numpy
import scipy.sparse

MEMORY = 8 << 30
SETTING = {"n_estimators": 100, "max_depth": 5, "learning_rate": 0.1}


def learner(method):
    """The learner; only its own package is loaded."""
    if method == "gradient-boosting":
        from sklearn.ensemble import GradientBoostingClassifier

        return GradientBoostingClassifier(**SETTING, random_state=0)
    if method == "xgboost":
        import xgboost

        return xgboost.XGBClassifier(**SETTING, n_jobs=1)
    import lightgbm

    return lightgbm.LGBMClassifier(**SETTING, n_jobs=1, verbose=-1)


def main():
    method, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    warnings.filterwarnings("ignore")
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    part = json.loads((folder / "part.json").read_text())
    y, train, test = (numpy.array(part[name]) for name in ("targets", "train", "test"))
    starts = numpy.fromfile(folder / "all.starts", dtype="<i8")
    indices = numpy.fromfile(folder / "all.indices", dtype="<i4")
    shape = (len(starts) - 1, part["columns"])
    x = scipy.sparse.csr_matrix((numpy.ones(len(indices), dtype=numpy.float32), indices, starts), shape=shape)
    if method == "gradient-boosting":
        x = x.toarray()
    model = learner(method)
    begun = time.perf_counter()
    model.fit(x[train], y[train])
    seconds = time.perf_counter() - begun
    print(json.dumps({"seconds": seconds, "accuracy": float((model.predict(x[test]) == y[test]).mean())}))


if __name__ == "__main__":
    main()
