"""Spinney's trees against scikit-learn's on the enumerated 0/1 columns.

Spinney searches patterns; scikit-learn gets every pattern as a column. With the paper's semantics
(mean leaves, squared error, f0 = mean) both must reach the same training loss after every round:
the greedy optimum is the same number, whichever of several equally good columns is taken. (Ties
could send later nodes different ways; on this data they do not.)
"""

import gzip
import json

import numpy as np
import pytest
from conftest import shared
from scipy import sparse
from sklearn.ensemble import GradientBoostingRegressor
from sklearn.metrics import log_loss, roc_auc_score
from sklearn.tree import DecisionTreeRegressor


def targets(path):
    opener = gzip.open if path.suffix == ".gz" else open
    with opener(path, "rt") as lines:
        return np.array([float(line.split()[3]) for line in lines if line.startswith("t")])


def matrix(spinney, tmp_path, data, max_edges):
    """All patterns of up to max_edges edges as dense 0/1 columns."""
    out = tmp_path / "patterns.jsonl"
    spinney("mine", data, "--max-edges", max_edges, "-o", out)
    patterns = [json.loads(line) for line in out.read_text().splitlines()]
    opener = gzip.open if data.suffix == ".gz" else open
    with opener(data, "rt") as lines:
        heads = [line.split() for line in lines if line.startswith("t")]
    names = [" ".join(head[4:]) or head[2] for head in heads]
    rows = {name: i for i, name in enumerate(names)}
    assert len(rows) == len(names), "the comparison needs unique ids"
    columns = np.zeros((len(names), len(patterns)), dtype=np.float32)
    for j, pattern in enumerate(patterns):
        columns[[rows[g] for g in pattern["graphs"]], j] = 1
    return np.unique(columns, axis=1)


@pytest.mark.parametrize(("name", "max_edges"), [("mutag", 4), ("cpdb", 3)])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_one_tree_has_the_same_training_loss(spinney, tmp_path, name, max_edges, depth):
    data = shared(f"paper/{name}.gsp.gz")
    x, y = matrix(spinney, tmp_path, data, max_edges), targets(data)
    model = tmp_path / "model.json"
    report = spinney(
        "train", data, "-o", model, "--preset", "paper", "--loss", "squared", "--trees", 1,
        "--learning-rate", 1, "--depth", depth, "--max-edges", max_edges,
    )
    ours = 2 * report["results"]["record"]["rounds"][0]["train_loss"]
    theirs = min(
        np.mean((DecisionTreeRegressor(max_depth=depth, random_state=seed).fit(x, y).predict(x) - y) ** 2)
        for seed in range(10)
    )
    assert ours == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("depth", [1, 3])
def test_boosting_follows_the_same_path(spinney, tmp_path, depth):
    data = shared("paper/mutag.gsp.gz")
    x, y = matrix(spinney, tmp_path, data, 4), targets(data)
    report = spinney(
        "train", data, "-o", tmp_path / "model.json", "--preset", "paper", "--loss", "squared",
        "--trees", 30, "--learning-rate", 0.3, "--depth", depth, "--max-edges", 4,
    )
    ours = [2 * r["train_loss"] for r in report["results"]["record"]["rounds"]]
    booster = GradientBoostingRegressor(
        n_estimators=30, learning_rate=0.3, max_depth=depth, random_state=0
    ).fit(x, y)
    theirs = [np.mean((p - y) ** 2) for p in booster.staged_predict(x)]
    np.testing.assert_allclose(ours[0], theirs[0], rtol=1e-9)
    np.testing.assert_allclose(ours, theirs, rtol=1e-6)


def test_metrics_are_sklearns(spinney, tmp_path):
    data = shared("paper/mutag.gsp.gz")
    model, out = tmp_path / "model.json", tmp_path / "predictions.csv"
    spinney("train", data, "-o", model, "--trees", 20)
    spinney("predict", model, data, "-o", out)
    measured = spinney("evaluate", model, data)["results"]
    table = np.genfromtxt(out, delimiter=",", names=True, dtype=None, encoding="utf8")
    y = targets(data)
    assert measured["accuracy"] == pytest.approx(np.mean(table["prediction"] == y), abs=1e-12)
    assert measured["auc"] == pytest.approx(roc_auc_score(y, table["score"]), abs=1e-12)
    assert measured["log_loss"] == pytest.approx(log_loss(y, table["probability"]), rel=1e-9)
    np.testing.assert_allclose(table["probability"], 1 / (1 + np.exp(-2 * table["score"])), rtol=1e-12)


def test_features_are_readable_by_scipy(spinney, tmp_path):
    data = shared("paper/mutag.gsp.gz")
    model = tmp_path / "model.json"
    spinney("train", data, "-o", model, "--trees", 5)
    columns = spinney("features", model, data, "-o", tmp_path / "x.npz")["results"]["columns"]
    spinney("features", model, data, "-o", tmp_path / "x.csv")
    loaded = sparse.load_npz(tmp_path / "x.npz")
    dense = np.genfromtxt(tmp_path / "x.csv", delimiter=",", skip_header=1, dtype=str)[:, 1:]
    assert loaded.shape == (188, len(columns))
    np.testing.assert_array_equal(loaded.toarray(), dense.astype(int))


def test_mined_patterns_are_readable_by_scipy(spinney, tmp_path):
    data = shared("paper/mutag.gsp.gz")
    flags = ["--max-edges", 3, "--min-support", 2, "--occurrences", "-o"]
    patterns = spinney("mine", data, *flags, tmp_path / "x.npz")["results"]["patterns"]
    spinney("mine", data, *flags, tmp_path / "x.jsonl")
    counts = sparse.load_npz(tmp_path / "x.npz")
    assert counts.shape == (188, patterns)
    with gzip.open(data, "rt") as lines:
        names = [" ".join(line.split()[4:]) for line in lines if line.startswith("t")]
    rows = {name: row for row, name in enumerate(names)}
    listed = np.zeros(counts.shape, dtype=int)
    for column, line in enumerate((tmp_path / "x.jsonl").read_text().splitlines()):
        pattern = json.loads(line)
        listed[[rows[graph] for graph in pattern["graphs"]], column] = pattern["occurrences"]
    np.testing.assert_array_equal(counts.toarray(), listed)
    # Without --occurrences: whether, not how often.
    spinney("mine", data, *flags[:-2], "-o", tmp_path / "y.npz")
    np.testing.assert_array_equal(sparse.load_npz(tmp_path / "y.npz").toarray(), listed > 0)
