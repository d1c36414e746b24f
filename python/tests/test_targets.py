"""Several targets of the same graphs."""

import copy
import json
import pickle

import joblib
import numpy as np
import pandas as pd
import polars
import pyarrow as pa
import pytest
from conftest import ALCOHOL, KIND, QUICK, SIZE, SMILES
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score

import spinney
from spinney import GBoostClassifier, SpinneyClassifier, SpinneyRegressor, SubgraphTransformer
from spinney.distributed import score_batches

AMINE = (KIND == "amine").astype(int)
ALONE = QUICK | {"stack": False}


def test_each_target_is_a_training_of_its_own():
    model = SpinneyClassifier(**ALONE).fit(SMILES, np.array([ALCOHOL, AMINE]).T)
    singles = [SpinneyClassifier(**ALONE).fit(SMILES, y) for y in (ALCOHOL, AMINE)]
    assert [one.to_json() for one in model.estimators_] == [one.to_json() for one in singles]
    assert [one.to_json() for one in model.models_] == [one.to_json() for one in singles]
    assert [one.to_json() for one in singles[0].models_] == [singles[0].to_json()]
    assert (model.n_outputs_, singles[0].n_outputs_) == (2, 1)
    predicted, probabilities = model.predict(SMILES), model.predict_proba(SMILES)
    assert predicted.shape == (30, 2) and predicted.dtype == ALCOHOL.dtype
    for column, one in enumerate(singles):
        assert (predicted[:, column] == one.predict(SMILES)).all()
        assert (probabilities[column] == one.predict_proba(SMILES)).all()
        assert (model.decision_function(SMILES)[column] == one.decision_function(SMILES)).all()
        assert (model.classes_[column] == one.classes_).all()
        assert model.evals_result_[column] == one.evals_result_
        assert (model.estimators_[column].patterns_ == one.patterns_).all().all()


def test_missing_targets_leave_graphs_out():
    Y = np.array([SIZE, SIZE**2]).T
    Y[::3, 0] = np.nan
    model = SpinneyRegressor(**ALONE).fit(SMILES, Y)
    assert model.predict(SMILES).shape == (30, 2)
    known = ~np.isnan(Y[:, 0])
    single = SpinneyRegressor(**ALONE).fit(np.array(SMILES)[known], Y[known, 0])
    np.testing.assert_allclose(model.predict(SMILES)[:, 0], single.predict(SMILES))
    # A dictionary of one column is a single target with missing values.
    one = SpinneyRegressor(**ALONE).fit(SMILES, {"size": Y[:, 0]})
    np.testing.assert_array_equal(one.predict(SMILES), model.predict(SMILES)[:, 0])
    assert one.n_outputs_ == 1 and not hasattr(one, "estimators_")


def test_targets_of_different_kinds():
    frame = pd.DataFrame({"kind": KIND, "alcohol": ALCOHOL.astype(bool), "late": [None] * 10 + [0.5, 1.5] * 10})
    model = SpinneyClassifier(**QUICK).fit(SMILES, frame[["kind", "alcohol"]])
    assert model.target_names_ == ["kind", "alcohol"]
    assert [classes.dtype.kind for classes in model.classes_] == ["U", "b"]
    assert (model.predict(SMILES) == frame[["kind", "alcohol"]].to_numpy()).all()
    assert [p.shape for p in model.predict_proba(SMILES)] == [(30, 3), (30, 2)]
    with pytest.raises(ValueError, match="target 'late'"):
        SpinneyClassifier(**QUICK).fit(SMILES, frame)


def test_whole_numbers_beside_nan_are_integers():
    Y = np.array([ALCOHOL, AMINE], dtype=float).T
    floats = SpinneyClassifier(**ALONE).fit(SMILES, Y)
    assert [classes.dtype.kind for classes in floats.classes_] == ["f", "f"]
    Y[0, 0] = np.nan
    model = SpinneyClassifier(**ALONE).fit(SMILES, Y)
    assert [classes.tolist() for classes in model.classes_] == [[0, 1], [0, 1]]
    assert model.models_[0].classes == ["0", "1"]


@pytest.mark.parametrize("make", [pd.DataFrame, polars.DataFrame, dict], ids=["pandas", "polars", "dict"])
def test_tables(make):
    columns = {"alcohol": ALCOHOL.tolist(), "amine": [None, *AMINE.tolist()[1:]]}
    model = SpinneyClassifier(**ALONE).fit(SMILES, make(columns))
    expected = SpinneyClassifier(**ALONE).fit(SMILES, list(zip(*columns.values(), strict=True)))
    assert model.target_names_ == ["alcohol", "amine"] and expected.target_names_ == ["0", "1"]
    assert [m.to_json() for m in model.models_] == [m.to_json() for m in expected.models_]


def test_files_and_pickles(tmp_path):
    estimators = [
        (SpinneyClassifier(**ALONE), np.array([ALCOHOL, AMINE]).T),
        (SpinneyRegressor(**QUICK), np.array([SIZE, -SIZE]).T),
        (GBoostClassifier(max_edges=2), np.array([ALCOHOL, AMINE]).T),
    ]
    for estimator, Y in estimators:
        model = estimator.fit(SMILES, {'a "b", [c]': Y[:, 0], "d}": Y[:, 1]})
        path = tmp_path / "models.json"
        model.save(path)
        assert [entry["target"] for entry in json.loads(path.read_text())] == model.target_names_
        copies = [spinney.load(path), type(estimator).load(path), pickle.loads(pickle.dumps(model)), copy.deepcopy(model)]
        joblib.dump(model, tmp_path / "model.joblib")
        copies.append(joblib.load(tmp_path / "model.joblib"))
        for again in copies:
            assert again.to_json() == path.read_text() and again.target_names_ == model.target_names_
            assert (again.predict(SMILES) == model.predict(SMILES)).all()
        # Each model alone is a file of the program's.
        model.estimators_[1].save(tmp_path / "one.json")
        assert (spinney.load(tmp_path / "one.json").predict(SMILES) == model.predict(SMILES)[:, 1]).all()
        assert not any(name.name.startswith(".spinney-") for name in tmp_path.iterdir())
        text = path.read_text()
        for damaged in (text.replace('"gain"', '"gaim"', 1), text[:-3], text[: len(text) // 2], "[]", "[1, 2]", "[" * 9):
            if damaged != text:
                path.write_text(damaged)
                with pytest.raises(ValueError, match="models.json"):
                    spinney.load(path)


def test_a_list_of_models_remembers_what_was_automatic(tmp_path):
    model = SpinneyClassifier(n_estimators=5).fit(SMILES, {"kind": KIND, "alcohol": ALCOHOL})
    model.save(tmp_path / "m.json")
    again = spinney.load(tmp_path / "m.json")
    assert again.n_estimators == 5 and again.ensemble == "auto"
    assert [one.ensemble for one in again.estimators_] == [1, 3]


def test_what_belongs_to_one_model_is_asked_of_one():
    model = SpinneyClassifier(**QUICK).fit(SMILES, np.array([ALCOHOL, AMINE]).T)
    calls = [lambda: model.patterns_, lambda: model.explain(SMILES), lambda: model.apply(SMILES), lambda: model.transform(SMILES),
             lambda: model.draw_patterns(), lambda: model.draw("CCO"), lambda: model.feature_importances_,
             lambda: list(model.staged_predict(SMILES)), lambda: model.get_feature_names_out()]
    for call in calls:
        with pytest.raises(ValueError, match="estimators_"):
            call()
    with pytest.raises(ValueError, match="estimators_"):
        next(score_batches(model, pa.table({"smiles": SMILES}).to_batches()))
    with pytest.raises(ValueError, match="one target"):
        SubgraphTransformer("learned").fit(SMILES, np.array([ALCOHOL, AMINE]).T)
    with pytest.raises(NotFittedError):
        _ = clone(model).models_
    # Another training leaves nothing of this one behind.
    model.fit(SMILES, ALCOHOL)
    assert not hasattr(model, "estimators_") and model.predict(SMILES).shape == (30,)
    model.fit(SMILES, np.array([ALCOHOL, AMINE]).T)
    assert not hasattr(model, "model_") and model.predict(SMILES).shape == (30, 2)


def test_weights_validation_and_callbacks():
    Y = np.array([ALCOHOL, AMINE]).T
    weights = np.arange(1, 31.0)
    model = SpinneyClassifier(**ALONE, class_weight={1: 2.0}).fit(SMILES, Y, sample_weight=weights)
    single = SpinneyClassifier(**ALONE).fit(SMILES, AMINE, sample_weight=weights * (1 + AMINE))
    assert model.estimators_[1].to_json() == single.to_json()
    seen = []
    model = SpinneyClassifier(**ALONE, verbose=1)
    partly = np.where(np.arange(30)[:, None] % 4 == [0, 1], np.nan, Y)
    model.fit(SMILES, Y, eval_set=[(SMILES, partly), (SMILES, partly)], callbacks=[seen.append])
    assert [env.target for env in seen] == ["0"] * 15 + ["1"] * 15
    for column in range(2):
        known = ~np.isnan(partly[:, column])
        single = SpinneyClassifier(**ALONE)
        single.fit(SMILES, Y[:, column], eval_set=(np.array(SMILES)[known], partly[known, column].astype(int)))
        result = model.evals_result_[column]
        np.testing.assert_allclose(result["valid_0"]["log_loss"], single.evals_result_["valid_0"]["log_loss"])
        np.testing.assert_allclose(result["valid_1"]["log_loss"], result["valid_0"]["log_loss"])
    for wrong in (ALCOHOL, np.array([ALCOHOL, AMINE, AMINE]).T, np.array([ALCOHOL + 5, AMINE]).T, Y[:-1]):
        with pytest.raises(ValueError, match="eval_set"):
            model.fit(SMILES, Y, eval_set=(SMILES, wrong))


def test_wrong_targets():
    Y = np.array([ALCOHOL, AMINE]).T
    estimator = SpinneyClassifier(**QUICK)
    with pytest.raises(ValueError, match="29 entries"):
        estimator.fit(SMILES, Y[:-1])
    with pytest.raises(ValueError, match="same name"):
        estimator.fit(SMILES, pd.DataFrame(Y, columns=["a", "a"]))
    with pytest.raises(ValueError, match="no column"):
        estimator.fit(SMILES, Y[:, :0])
    with pytest.raises(ValueError, match="target 'b': no graph has a target"):
        estimator.fit(SMILES, {"a": ALCOHOL, "b": [None] * 30})
    with pytest.raises(ValueError, match="single class"):
        estimator.fit(SMILES, {"a": ALCOHOL, "b": [1] * 30})
    with pytest.raises(ValueError, match="rows of 1 to 2"):
        estimator.fit(SMILES, [[1, 0]] * 29 + [[1]])
    with pytest.raises(ValueError, match="two classes"):
        GBoostClassifier().fit(SMILES, {"a": ALCOHOL, "b": KIND})
    with pytest.raises(ValueError):
        SpinneyRegressor(**QUICK).fit(SMILES, {"a": SIZE, "b": KIND})
    with pytest.raises(ValueError, match="finite"):
        SpinneyRegressor(**QUICK).fit(SMILES, {"a": SIZE, "b": [np.inf] * 30})


def test_tools_of_scikit_learn():
    Y = np.array([SIZE, -SIZE]).T
    assert cross_val_score(SpinneyRegressor(**QUICK), SMILES, Y, cv=3).mean() > -1
    model = SpinneyRegressor(**QUICK).fit(SMILES, Y)
    assert model.score(SMILES, Y) > 0.5
    column = SpinneyClassifier(**QUICK)
    with pytest.warns(UserWarning, match="column-vector"):
        assert column.fit(SMILES, ALCOHOL[:, None]).predict(SMILES).shape == (30,)
