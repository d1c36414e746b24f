"""What scikit-learn expects of an estimator, and its tools with ours inside."""

import copy
import json
import pickle
import warnings

import joblib
import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from conftest import ALCOHOL, KIND, QUICK, SIZE, SMILES
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.calibration import CalibratedClassifierCV
from sklearn.ensemble import VotingClassifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.utils.estimator_checks import check_estimator

import spinney
from spinney import GBoostClassifier, SpinneyClassifier, SpinneyRegressor, SubgraphTransformer

ALL = [
    (SpinneyClassifier(**QUICK), ALCOHOL),
    (SpinneyClassifier(**QUICK), KIND),
    (SpinneyRegressor(**QUICK), SIZE),
    (GBoostClassifier(max_edges=3), ALCOHOL),
    (SubgraphTransformer(min_support=2), None),
    (SubgraphTransformer("learned", estimator=SpinneyClassifier(**QUICK)), ALCOHOL),
]
MODELS = ALL[:4]
every = pytest.mark.parametrize(("estimator", "y"), ALL, ids=lambda v: type(v).__name__)
every_model = pytest.mark.parametrize(("estimator", "y"), MODELS, ids=lambda v: type(v).__name__)


def result(estimator, X):
    return estimator.predict(X) if hasattr(estimator, "predict") else estimator.transform(X).toarray()


@every
def test_check_estimator(estimator, y):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # It says that it cannot test inputs that are no tables.
        for check in check_estimator(clone(estimator), on_fail=None):
            assert check["status"] in ("passed", "skipped"), check


@every
def test_parameters_and_clones(estimator, y):
    params = estimator.get_params(deep=False)
    same = clone(estimator)
    assert {k: repr(v) for k, v in same.get_params(deep=False).items()} == {k: repr(v) for k, v in params.items()}
    assert same.set_params(max_edges=2).get_params()["max_edges"] == 2
    with pytest.raises(ValueError):
        same.set_params(nonsense=1)
    with pytest.raises(TypeError):
        type(estimator)(nonsense=1)
    fitted = clone(estimator).fit(SMILES, y)
    before = fitted.get_params(deep=False)
    assert {k: repr(v) for k, v in before.items()} == {k: repr(v) for k, v in params.items()}
    assert not hasattr(clone(fitted), "n_features_in_") and fitted.n_features_in_ == 1
    assert type(estimator).__name__ in repr(fitted)


@every
def test_fit_is_idempotent_and_returns_itself(estimator, y):
    model = clone(estimator)
    assert model.fit(SMILES, y) is model
    first = result(model, SMILES)
    assert (result(model.fit(SMILES, y), SMILES) == first).all()
    other = model.fit(SMILES[::-1], None if y is None else y[::-1])
    assert (result(other, SMILES) == first).all() if hasattr(model, "predict") else True


@every
def test_not_fitted(estimator, y):
    model = clone(estimator)
    names = ["predict", "predict_proba", "decision_function", "transform", "apply", "explain"]
    for name in names:
        if hasattr(model, name):
            with pytest.raises(NotFittedError):
                getattr(model, name)(SMILES)
    for name in ["patterns_", "get_feature_names_out", "draw_patterns", "save"]:
        with pytest.raises((NotFittedError, AttributeError)):
            got = getattr(model, name)
            got("x") if name == "save" else got()


@every_model
def test_wrong_lengths_types_and_targets(estimator, y):
    with pytest.raises(ValueError, match="29 entries for 30 graphs"):
        clone(estimator).fit(SMILES, y[:-1])
    with pytest.raises(ValueError, match="requires y"):
        clone(estimator).fit(SMILES)
    with pytest.raises(ValueError):
        clone(estimator).fit([], [])
    with pytest.raises(TypeError):
        clone(estimator).fit(np.zeros((30, 4)), y)
    with pytest.raises(ValueError, match="2 entries for 30 graphs"):
        clone(estimator).fit(SMILES, np.array([[0] * 30, [1] * 30]))
    with pytest.raises(ValueError):
        clone(estimator).fit(SMILES, np.array([[y, y]]).T)
    if isinstance(estimator, SpinneyRegressor):
        with pytest.raises(ValueError, match="row 3"):
            clone(estimator).fit(SMILES, np.where(np.arange(30) == 3, np.nan, y))
        with pytest.raises(ValueError):
            clone(estimator).fit(SMILES, KIND)
    else:
        with pytest.raises(ValueError, match="single class"):
            clone(estimator).fit(SMILES, np.ones(30))
        with pytest.raises(ValueError):
            clone(estimator).fit(SMILES, SIZE + 0.5)


@pytest.mark.parametrize("wrong", [{"n_estimators": 0}, {"learning_rate": -1.0}, {"max_depth": 0}, {"subsample": 0.0},
                                   {"colsample": 2.0}, {"reg_lambda": -1.0}, {"max_edges": -1}, {"max_edges": 1.5}, {"loss": "hinge"},
                                   {"engine": "gaston"}, {"atoms": "colour"}, {"atoms": []}, {"bonds": "colour"}, {"n_jobs": 0},
                                   {"n_jobs": "two"}, {"random_state": -1}, {"eval_metric": "colour"}, {"leaf": "colour"},
                                   {"early_stopping_rounds": 0}, {"min_samples_leaf": "many"}, {"class_weight": "heavy"},
                                   {"ensemble": 0}, {"max_edges": "many"}, {"max_depth": "auto "}])
def test_wrong_parameters_are_value_errors(wrong):
    with pytest.raises(ValueError):
        SpinneyClassifier(**(QUICK | wrong)).fit(SMILES, ALCOHOL)


def test_messages_name_pythons_parameters():
    with pytest.raises(ValueError, match="reg_lambda"):
        SpinneyClassifier(reg_lambda=-1.0).fit(SMILES, ALCOHOL)
    with pytest.raises(ValueError, match="max_depth"):
        SpinneyClassifier(max_depth=1000).fit(SMILES, ALCOHOL)
    with pytest.raises(ValueError, match="n_estimators"):
        SpinneyClassifier(n_estimators=0).fit(SMILES, ALCOHOL)


@every
def test_pickle_copy_and_joblib(estimator, y, tmp_path):
    model = clone(estimator).fit(SMILES, y)
    expected = result(model, SMILES)
    joblib.dump(model, tmp_path / "model.joblib")
    copies = [pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model), joblib.load(tmp_path / "model.joblib")]
    for again in copies:
        assert (result(again, SMILES) == expected).all()
    if hasattr(model, "to_json"):
        assert copies[0].to_json() == model.to_json()


@every_model
def test_save_and_load(estimator, y, tmp_path):
    model = clone(estimator).fit(SMILES, y)
    path = tmp_path / "model.json"
    model.save(path)
    assert path.read_text() == model.to_json()
    for again in (spinney.load(path), type(model).load(path)):
        assert (again.predict(SMILES) == model.predict(SMILES)).all()
        assert again.to_json() == model.to_json()
        # A file names the seed and the loss that were used, and what "auto" came to; graphs' views are no molecules' matter.
        used = ("random_state", "loss", "nodes", *(k for k, v in model.get_params().items() if v == "auto"))
        given = [{k: v for k, v in m.get_params().items() if k not in used} for m in (again, model)]
        assert given[0] == given[1]
        if is_classifier(model):
            assert (again.classes_ == model.classes_).all()
    wrong = SpinneyRegressor if is_classifier(model) else SpinneyClassifier
    with pytest.raises(ValueError, match="a model for"):
        wrong.load(path)
    path.write_text(path.read_text().replace('"gain"', '"gaim"', 1))
    with pytest.raises(ValueError, match="damaged"):
        spinney.load(path)
    with pytest.raises(FileNotFoundError):
        spinney.load(tmp_path / "none.json")
    with pytest.raises(OSError):
        model.save(tmp_path / "no" / "folder.json")


def test_random_state():
    params = {"n_estimators": 10, "subsample": 0.5, "colsample": 0.5}
    texts = [SpinneyClassifier(**params, random_state=s).fit(SMILES, ALCOHOL).to_json() for s in (1, 1, 2, None, 0)]
    assert texts[0] == texts[1] != texts[2] and texts[3] == texts[4]
    state = np.random.RandomState(3)
    first = SpinneyClassifier(**params, random_state=state).fit(SMILES, ALCOHOL).to_json()
    assert first == SpinneyClassifier(**params, random_state=np.random.RandomState(3)).fit(SMILES, ALCOHOL).to_json()


def test_threads_change_nothing():
    texts = {SpinneyClassifier(n_estimators=10, n_jobs=n).fit(SMILES, ALCOHOL).to_json() for n in (1, 2, 3, -1, None)}
    assert len(texts) == 1


@pytest.mark.parametrize(("cls", "y"), [(SpinneyClassifier, ALCOHOL), (SpinneyClassifier, KIND), (SpinneyRegressor, SIZE)])
def test_weights_are_repetitions(cls, y):
    times = np.random.RandomState(0).randint(1, 4, len(SMILES))
    params = QUICK | {"min_samples_leaf": 1}
    weighted = cls(**params).fit(SMILES, y, sample_weight=times)
    repeated = cls(**params).fit(np.repeat(SMILES, times), np.repeat(y, times))
    scores = [m.decision_function(SMILES) if is_classifier(m) else m.predict(SMILES) for m in (weighted, repeated)]
    np.testing.assert_allclose(*scores, rtol=1e-6, atol=1e-9)


def test_weights_of_classes():
    balanced = SpinneyClassifier(**QUICK, class_weight="balanced").fit(SMILES, ALCOHOL)
    by_dict = SpinneyClassifier(**QUICK, class_weight={1: 1.5, 0: 0.75}).fit(SMILES, ALCOHOL)
    by_hand = SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL, sample_weight=np.where(ALCOHOL == 1, 1.5, 0.75))
    np.testing.assert_allclose(balanced.decision_function(SMILES), by_dict.decision_function(SMILES))
    assert by_dict.to_json() == by_hand.to_json()
    for weight in ([-1.0] * 30, [0.0] * 30, [np.nan] * 30, [1.0] * 29):
        with pytest.raises(ValueError):
            SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL, sample_weight=weight)


@pytest.mark.parametrize("y", [ALCOHOL, ALCOHOL.astype(float), ALCOHOL.astype(bool), np.where(ALCOHOL, "active", "inactive"),
                               np.where(ALCOHOL, "yes", "no"), np.where(ALCOHOL, 10, 9), KIND, np.where(KIND == "amine", "10", "9"),
                               pd.Series(KIND, dtype="category"), list(KIND)], ids=str)
def test_classes_of_any_kind(y):
    model = SpinneyClassifier(**QUICK).fit(SMILES, y)
    assert (model.classes_ == np.unique(np.asarray(y))).all() and model.classes_.dtype.kind == np.unique(np.asarray(y)).dtype.kind
    assert model.score(SMILES, y) == 1.0
    proba, scores = model.predict_proba(SMILES), model.decision_function(SMILES)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (model.classes_[proba.argmax(axis=1)] == model.predict(SMILES)).all()
    if len(model.classes_) == 2:
        assert (model.classes_[(scores > 0).astype(int)] == model.predict(SMILES)).all()
        np.testing.assert_allclose(proba[:, 1], 1 / (1 + np.exp(-2 * scores)))
    else:
        assert (model.classes_[scores.argmax(axis=1)] == model.predict(SMILES)).all()
    stages = list(model.staged_predict(SMILES))
    assert len(stages) == model.best_iteration_ and (stages[-1] == model.predict(SMILES)).all()
    np.testing.assert_array_equal(list(model.staged_predict_proba(SMILES))[-1], proba)


def test_many_integer_classes_are_classes_and_two_numbers_are_numbers():
    y = np.arange(30) % 25
    assert len(SpinneyClassifier(n_estimators=2).fit(SMILES, y).classes_) == 25
    model = SpinneyRegressor(**QUICK).fit(SMILES, ALCOHOL)
    assert is_regressor(model) and model.predict(SMILES).dtype == float


def test_early_stopping_and_evaluations():
    X, y = SMILES[::2], KIND[::2]
    valid = (SMILES[1::2], KIND[1::2])
    model = SpinneyClassifier(n_estimators=100, early_stopping_rounds=5, learning_rate=0.5)
    model.fit(X, y, eval_set=[valid, (X, y)])
    result = model.evals_result_
    assert set(result) == {"training", "valid_0", "valid_1"}
    losses = result["valid_0"]["log_loss"]
    assert model.best_iteration_ == int(np.argmin(losses)) + 1 and len(losses) <= model.best_iteration_ + 5
    from sklearn.metrics import log_loss

    for stage, loss in zip(model.staged_predict_proba(valid[0]), losses, strict=False):
        np.testing.assert_allclose(log_loss(valid[1], stage, labels=model.classes_), loss)
    for stage, loss in zip(model.staged_predict_proba(X), result["valid_1"]["log_loss"], strict=True):
        np.testing.assert_allclose(log_loss(y, stage, labels=model.classes_), loss)
    with pytest.raises(ValueError, match="classes that y has not: ester"):
        model.fit(X, y, eval_set=(["COC=O"], ["ester"]))
    # Without validation graphs the number of rounds is found on a part held out, then all graphs are trained on.
    model.fit(X, y)
    assert 1 <= model.n_iter_ == model.best_iteration_ < 100
    assert json.loads(model.model_.params)["early_stopping"] is None
    with pytest.raises(ValueError, match="too few graphs"):
        model.fit(["CO", "CC", "CCO", "CCC"], ["a", "b", "a", "b"])


def test_callbacks_and_progress(capsys):
    seen = []
    model = SpinneyClassifier(**QUICK, verbose=1)
    model.fit(SMILES, ALCOHOL, eval_set=(SMILES, ALCOHOL), callbacks=[seen.append, lambda env: env.iteration == 6])
    assert [env.iteration for env in seen] == list(range(7)) and model.best_iteration_ == 7
    names = {name for name, *_ in seen[0].evaluation_result_list}
    assert names == {"training", "valid_0"} and seen[0].end_iteration == 15
    assert "boosting" in capsys.readouterr().err

    def fails(env):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL, callbacks=[fails])


@every_model
def test_transform_names_and_importances(estimator, y):
    model = clone(estimator).fit(SMILES, y)
    matrix, names = model.transform(SMILES), model.get_feature_names_out()
    assert scipy.sparse.isspmatrix_csr(matrix) and matrix.shape == (30, len(names)) and matrix.max() == 1
    assert len(set(names)) == len(names) == len(model.feature_importances_)
    np.testing.assert_allclose(model.feature_importances_.sum(), 1)
    assert matrix.has_sorted_indices and (model.transform(SMILES[:3]) != matrix[:3]).nnz == 0
    leaves = model.apply(SMILES)
    assert leaves.shape[0] == 30 and leaves.min() >= 0


def test_transformed_patterns_match_in_rdkit():
    Chem = pytest.importorskip("rdkit.Chem")
    transformer = SubgraphTransformer(min_support=2, max_count=5).fit(SMILES)
    matrix = transformer.transform(SMILES).toarray()
    molecules = [Chem.MolFromSmiles(s) for s in SMILES]
    for column, name in enumerate(transformer.get_feature_names_out()):
        query = Chem.MolFromSmarts(name)
        # Edge sets, not vertex sets: the same without rings in the patterns.
        counts = [min(5, len(m.GetSubstructMatches(query))) for m in molecules]
        assert (matrix[:, column] == counts).all() or query.GetRingInfo().NumRings() > 0, name
    with pytest.raises(ValueError, match="min_support"):
        SubgraphTransformer(min_support=0).fit(SMILES)
    assert transformer.set_params(max_features=3).fit(SMILES).transform(SMILES).shape == (30, 3)
    assert "<svg" in transformer.draw_patterns().svg


@pytest.mark.parametrize("X", [SMILES, np.array(SMILES), pd.Series(SMILES, index=range(100, 130))], ids=["list", "array", "series"])
def test_tools_of_scikit_learn(X):
    y = KIND
    model = SpinneyClassifier(**QUICK)
    assert cross_val_score(model, X, y, cv=3).mean() > 0.8
    grid = GridSearchCV(model, {"max_depth": [1, 3], "max_edges": [1, 2]}, cv=3).fit(X, y)
    assert grid.best_estimator_.score(X, y) == 1.0
    pipeline = Pipeline([("patterns", SubgraphTransformer(min_support=2)), ("model", LogisticRegression())])
    assert cross_val_score(pipeline, X, y, cv=3).mean() > 0.8
    assert make_pipeline(model).fit(X, y).score(X, y) == 1.0
    calibrated = CalibratedClassifierCV(GBoostClassifier(max_edges=2), cv=3).fit(X, ALCOHOL)
    assert calibrated.predict_proba(X).shape == (30, 2)
    voting = VotingClassifier([("a", model), ("b", clone(model).set_params(max_depth=2))], voting="soft").fit(X, y)
    assert voting.score(X, y) == 1.0


def test_cross_validation_of_graphs_read_from_a_file(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{k}\n" for s, k in zip(SMILES, KIND, strict=True)))
    X = spinney.read(path, target="y")
    assert cross_val_score(SpinneyClassifier(**QUICK), X, X.y, cv=3, n_jobs=2).mean() > 0.8
    assert (pickle.loads(pickle.dumps(X)).graph(3)) == X.graph(3)


@pytest.mark.parametrize("backend", ["loky", "threading", "multiprocessing"])
def test_joblib_backends(backend):
    model = SpinneyClassifier(**QUICK).fit(SMILES, KIND)  # Threads exist before a fork.
    with joblib.parallel_backend(backend, n_jobs=2):
        found = cross_val_predict(SpinneyClassifier(**QUICK), SMILES, KIND, cv=3)
    assert (found == cross_val_predict(model, SMILES, KIND, cv=3)).all()


def test_a_classifier_refuses_losses_of_numbers():
    for loss in ("squared", "huber", "poisson"):
        with pytest.raises(ValueError, match="use SpinneyRegressor"):
            SpinneyClassifier(n_estimators=2, loss=loss).fit(["C", "CC", "CO", "CCO"], [0, 0, 1, 1])
