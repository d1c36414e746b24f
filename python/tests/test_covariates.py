"""Numbers beside molecules and graphs: columns, and measures of the graphs themselves."""

import pickle
import subprocess

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

import spinney
from spinney import GBoostClassifier, SpinneyClassifier, SpinneyRegressor


@pytest.fixture
def table():
    """Alkanes, active from a dose of 30 on; some doses are missing."""
    dose = np.arange(90) * 37 % 90
    frame = pd.DataFrame({"smiles": ["C" * (3 + i % 7) for i in range(90)], "dose": dose + 0.5, "other": np.arange(90) % 5})
    frame.loc[8::9, "dose"] = np.nan
    return frame, (dose >= 30).astype(int)


def test_columns_are_split_as_by_the_program(table, program, tmp_path):
    X, y = table
    model = SpinneyClassifier(n_estimators=30, covariates=["dose", "other"]).fit(X, y)
    path, out = tmp_path / "t.csv", tmp_path / "m.json"
    X.assign(y=y).to_csv(path, index=False)
    flags = ["--target", "y", "--trees", "30", "--covariates", "dose,other"]
    subprocess.run([program, "train", path, "-o", out, *flags], check=True, capture_output=True)
    assert model.to_json() == out.read_text()
    read = spinney.read(path, target="y", covariates=["dose", "other"])
    np.testing.assert_array_equal(read.covariates["dose"], X["dose"])
    assert SpinneyClassifier(n_estimators=30).fit(read).to_json() == out.read_text()
    np.testing.assert_array_equal(model.decision_function(read[5:20]), model.decision_function(X[5:20]))
    assert any(text.startswith("dose ") for text in model.patterns_["smarts"])


def test_they_decide_and_are_asked_for_again(table, tmp_path):
    X, y = table
    model = SpinneyClassifier(n_estimators=30, covariates="dose").fit(X[["smiles", "dose"]], y)
    new = pd.DataFrame({"dose": [2.0, 88.0, 1e300, -1e300], "smiles": ["CCCC"] * 4})
    assert model.predict(new).tolist() == [0, 1, 1, 0]
    with pytest.raises(ValueError, match="no column 'dose'"):
        model.predict(["CCCC"])
    with pytest.raises(ValueError, match="not smiles, other"):
        model.predict(X)
    with pytest.raises(ValueError, match="does not hold numbers"):
        model.predict(pd.DataFrame({"smiles": ["C"], "dose": ["much"]}))
    with pytest.raises(ValueError, match="no finite number"):
        model.predict(pd.DataFrame({"smiles": ["C"], "dose": [np.inf]}))
    model.save(tmp_path / "m.json")
    loaded = SpinneyClassifier.load(tmp_path / "m.json")
    assert loaded.covariates == ("dose",) and loaded.measures
    for other in (loaded, pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(other.decision_function(new), model.decision_function(new))
    assert clone(loaded).get_params()["covariates"] == ("dose",)


def test_they_work_with_cross_validation_and_validation_sets(table):
    X, y = table
    X = X[["smiles", "dose"]].dropna()
    y = y[X.index]
    estimator = SpinneyClassifier(n_estimators=30, covariates=["dose"])
    assert cross_val_score(estimator, X, y, cv=3).mean() > 0.9
    estimator.fit(X[:60], y[:60], eval_set=(X[60:], y[60:]))
    assert len(estimator.evals_result_["valid_0"]["loss"]) == 30


def test_explanations_leave_numbers_out_of_atoms(table):
    X, y = table
    X = X[["smiles", "dose"]]
    model = SpinneyClassifier(n_estimators=20, covariates=["dose"]).fit(X, y)
    explained = model.explain(X[:5])
    np.testing.assert_allclose(explained.bias + explained.values.sum(axis=1), model.decision_function(X[:5]), rtol=1e-9)
    assert [len(atoms) for atoms in explained.atoms] == [len(s) for s in X["smiles"][:5]]


def test_graphs_have_them_too():
    pairs = [(["a", "b"], [(0, 1)])] * 40
    frame = pd.DataFrame({"graph": pairs, "x": np.arange(40) // 3})
    y = np.where(frame["x"] >= 6, 3.0, -1.0)
    model = SpinneyRegressor(n_estimators=100, covariates=["x"], colsample=1.0, subsample=1.0).fit(frame, y)
    np.testing.assert_allclose(model.predict(frame), y, atol=0.1)


def test_measures_are_left_out_if_asked_and_by_the_paper():
    X = ["C" * n + "N" * (1 + n % 5) for n in range(1, 40)]
    y = [n % 2 for n in range(1, 40)]
    shown = SpinneyClassifier(n_estimators=20).fit(X, y).patterns_["smarts"]
    assert any(text.startswith(("share ", "size ")) for text in shown)
    for estimator in (SpinneyClassifier(n_estimators=20, measures=False), SpinneyClassifier.paper(n_estimators=20)):
        shown = estimator.fit(X, y).patterns_["smarts"]
        assert all(text.startswith("[") for text in shown)
    with pytest.raises(ValueError, match="vertices must be true"):
        frame = pd.DataFrame({"smiles": X, "x": np.arange(39.0)})
        SpinneyClassifier(covariates="x", vertices=False).fit(frame, y)
    with pytest.raises(TypeError, match="a table of 2 columns"):
        GBoostClassifier().fit(frame, y)
