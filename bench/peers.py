"""The peers, each run in a child process of its own: `python peers.py NAME ARGUMENTS…` prints one JSON line.

The time counted is CPU time around the work itself, inside the child; loading Python, the libraries and the
finished matrix is not charged. All peers use one thread. `SETTINGS` goes into the record.
"""

import csv
import json
import resource
import sys
import time

from children import run

TREES, DEPTH = 100, 5
SETTINGS = {
    "xgboost": {
        "tree_method": "hist", "n_estimators": TREES, "max_depth": DEPTH, "learning_rate": 0.1,
        "objective": "binary:logistic", "nthread": 1,
    },
    "lightgbm": {
        "n_estimators": TREES, "max_depth": DEPTH, "num_leaves": 31, "learning_rate": 0.1,
        "num_threads": 1, "verbosity": -1,
    },
    # The same freedom as the paper's trees: leaves of one graph, no shrinkage of leaves.
    "xgboost-free": {
        "tree_method": "hist", "n_estimators": TREES, "max_depth": DEPTH, "learning_rate": 0.1,
        "objective": "binary:logistic", "nthread": 1, "min_child_weight": 0, "reg_lambda": 0,
    },
    "lightgbm-free": {
        "n_estimators": TREES, "max_depth": DEPTH, "num_leaves": 31, "learning_rate": 0.1,
        "num_threads": 1, "verbosity": -1, "min_child_samples": 1, "min_child_weight": 0,
    },
    # As fingerprints are used in practice: more trees, small steps, samples of rows and columns.
    "lightgbm-500": {
        "n_estimators": 500, "learning_rate": 0.05, "colsample_bytree": 0.3, "subsample": 0.7, "subsample_freq": 1,
        "num_threads": 1, "verbosity": -1,
    },
    "sklearn": {"n_estimators": TREES, "max_depth": DEPTH, "learning_rate": 0.1, "random_state": 0},
    "morgan": {"radius": 2, "fpSize": 2048},
    "fast_gspan": {"num_threads": 1},
}
NAMES = {
    "xgboost": "XGBoost with its default leaves",
    "lightgbm": "LightGBM with its default leaves",
    "xgboost-free": "XGBoost",
    "lightgbm-free": "LightGBM",
    "sklearn": "scikit-learn",
}


def call(name, *arguments, **limits):
    """The result of peer `name` in a child: a dictionary with at least `cpu`; `peak_mb` is the child's."""
    usage = run([sys.executable, __file__, name, *arguments], **limits)
    result = json.loads(usage.stdout.strip().splitlines()[-1])
    return {**result, "wall": usage.wall, "peak_mb": usage.peak_mb}


def classifier(name, trees=None):
    settings = {**SETTINGS[name], **({"n_estimators": trees} if trees else {})}
    if name.startswith("xgboost"):
        import xgboost

        return xgboost.XGBClassifier(**settings)
    if name.startswith("lightgbm"):
        import lightgbm

        return lightgbm.LGBMClassifier(**settings)
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(**settings)


def fit(name, matrix):
    """Fits a table learner to a finished matrix; the fit alone is timed."""
    import matrices

    x, y = matrices.load(matrix)
    model = classifier(name)
    start = time.process_time()
    model.fit(x, y)
    cpu = time.process_time() - start
    return {"cpu": cpu, "accuracy": float((model.predict(x) == y).mean())}


def fingerprints(path, smiles_column, target_column):
    """Morgan fingerprints (CSR) and targets of the molecules of a CSV file that RDKit accepts."""
    import numpy
    import scipy.sparse
    from rdkit import Chem, RDLogger
    from rdkit.Chem import rdFingerprintGenerator

    RDLogger.DisableLog("rdApp.*")
    generator = rdFingerprintGenerator.GetMorganGenerator(**SETTINGS["morgan"])
    rows, targets = [], []
    with open(path, newline="") as lines:
        for record in csv.DictReader(lines):
            molecule = Chem.MolFromSmiles(record[smiles_column])
            if molecule is not None:
                bits = generator.GetFingerprint(molecule).GetOnBits()
                rows.append(numpy.fromiter(bits, dtype=numpy.int32))
                targets.append(int(record[target_column]))
    starts = numpy.concatenate([[0], numpy.cumsum([len(r) for r in rows])])
    ones = numpy.ones(starts[-1], dtype=numpy.float32)
    shape = (len(rows), SETTINGS["morgan"]["fpSize"])
    return scipy.sparse.csr_matrix((ones, numpy.concatenate(rows), starts), shape=shape), numpy.array(targets)


def molecules(path, smiles_column, target_column, trees=TREES, settings="lightgbm"):
    """From a CSV file of SMILES to a LightGBM model on Morgan fingerprints, then its scoring of the same file.

    `cpu` is reading, fingerprints and fit; `score_cpu` reading, fingerprints and prediction.
    """
    import lightgbm  # noqa: F401  (imported before the clock starts)
    import rdkit.Chem.rdFingerprintGenerator  # noqa: F401
    import scipy.sparse  # noqa: F401
    import sklearn.metrics

    start = time.process_time()
    x, y = fingerprints(path, smiles_column, target_column)
    made = time.process_time()
    model = classifier(settings, int(trees)).fit(x, y)
    fitted = time.process_time()
    scores = model.predict_proba(x)[:, 1]
    scored = time.process_time()
    return {
        "cpu": fitted - start,
        "fingerprint_cpu": made - start,
        "score_cpu": (made - start) + (scored - fitted),
        "graphs": len(y),
        "auc": float(sklearn.metrics.roc_auc_score(y, scores)),
    }


def mine(path, min_support):
    """fast-gspan on a gSpan file: its whole call, and the C++ program (gBolt) inside it alone."""
    from fast_gspan import FastgSpan

    start = time.process_time()
    miner = FastgSpan(min_support=int(min_support), **SETTINGS["fast_gspan"])
    patterns = len(miner.run_from_file(path))
    python = time.process_time() - start
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    core = used.ru_utime + used.ru_stime
    return {"cpu": python + core, "core_cpu": core, "patterns": patterns}


def main():
    name, *arguments = sys.argv[1:]
    if name == "molecules":
        result = molecules(*arguments)
    elif name == "fast_gspan":
        result = mine(*arguments)
    else:
        result = fit(name, *arguments)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
