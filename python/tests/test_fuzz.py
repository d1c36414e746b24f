"""Whatever is given, `fit` and `predict` work or raise an ordinary exception, never a panic."""

import warnings

import numpy as np
import pandas as pd
import pytest

hypothesis = pytest.importorskip("hypothesis")
from hypothesis import HealthCheck, given, settings  # noqa: E402
from hypothesis import strategies as st  # noqa: E402

from spinney import GBoostClassifier, SpinneyClassifier, SpinneyRegressor, SubgraphTransformer  # noqa: E402
from spinney import _spinney  # noqa: E402

ORDINARY = (ValueError, TypeError)
FEW = settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))

smiles = st.one_of(
    st.text(alphabet="CNOPSFclBrI[]()=#+-123%@/\\.HcnosZ* ", max_size=25),
    st.sampled_from(["CCO", "c1ccccc1", "C[N+](C)C", "", "CC.O", "[Na+]", "C1CC1"]),
    st.text(max_size=8),
)
labels = st.one_of(st.text(max_size=3), st.integers(-3, 3), st.none(), st.floats(), st.booleans())
edges = st.lists(st.one_of(st.tuples(st.integers(-1, 6), st.integers(-1, 6)),
                           st.tuples(st.integers(0, 5), st.integers(0, 5), labels)), max_size=8)
pairs = st.tuples(st.lists(labels, max_size=6), edges)
odd = st.one_of(st.none(), st.integers(), st.floats(), st.text(max_size=3), st.lists(st.integers(), max_size=3), st.binary(max_size=3))
rows = st.one_of(st.lists(smiles, max_size=8), st.lists(pairs, max_size=8), st.lists(st.one_of(smiles, pairs, odd), max_size=8))
targets = st.one_of(st.integers(-2, 2), st.floats(), st.text(max_size=2), st.booleans(), st.none())
numbers = st.one_of(st.integers(-5, 30), st.floats(allow_nan=True), st.none(), st.text(max_size=2), st.booleans())
words = st.one_of(st.sampled_from(["auto", "newton", "mean", "residual", "best", "logistic", "softmax", "squared", "huber", "poisson", "bound"]), numbers)

PARAMS = {name: numbers for name in ["learning_rate", "max_depth", "max_edges", "subsample", "colsample", "reg_lambda",
                                     "min_samples_leaf", "min_support", "min_split_gain", "count_levels", "vertices",
                                     "early_stopping_rounds", "random_state"]}
PARAMS |= {name: words for name in ["leaf", "criterion", "init", "loss", "engine"]}
PARAMS |= {name: numbers for name in ["max_time", "memory", "max_patterns"]}
GOOD = SpinneyClassifier(n_estimators=5).fit(["CCO", "CC", "CO", "CCC"] * 3, [1, 0] * 6)
GRAPHS = SpinneyClassifier(n_estimators=5, min_samples_leaf=1).fit([(["a", "b"], [(0, 1)]), (["a"], [])] * 4, [1, 0] * 4)


def quietly(work):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return work()
        except ORDINARY:
            return None
        except RuntimeError as error:
            # Squares of targets beyond 1e154 leave the range of numbers; that is said.
            if "diverged" not in str(error):
                raise
            return None


@FEW
@given(y=st.lists(st.tuples(targets, targets), min_size=1, max_size=8), numbers=st.booleans(), is_table=st.booleans(),
       cls=st.sampled_from([SpinneyClassifier, SpinneyRegressor, GBoostClassifier]))
def test_fit_several_targets(y, numbers, is_table, cls):
    model = cls() if cls is GBoostClassifier else cls(n_estimators=2)
    y = y + [(0, 1), (1, 0)] * 4 + ([(None, np.nan)] if numbers else [])
    X = ["C" * (1 + row % 5) + "CNO"[row % 3] for row in range(len(y))]
    Y = pd.DataFrame(y, columns=["a", "b"]) if is_table else y
    if quietly(lambda: model.fit(X, Y)) is not None:
        assert model.predict(X).shape == (len(X), 2)


@FEW
@given(X=rows, y=st.lists(targets, max_size=8), cls=st.sampled_from([SpinneyClassifier, SpinneyRegressor, GBoostClassifier]))
def test_fit_data(X, y, cls):
    model = cls() if cls is GBoostClassifier else cls(n_estimators=2)
    y = (y + [0, 1] * 8)[: len(X)]
    if quietly(lambda: model.fit(X, y)) is not None:
        assert len(model.predict(X)) == len(X)
        assert np.isfinite(model.explain(X).values).all()


@FEW
@given(given_params=st.fixed_dictionaries({}, optional=PARAMS), cls=st.sampled_from([SpinneyClassifier, SpinneyRegressor]))
def test_fit_parameters(given_params, cls):
    X, y = ["CCO", "CC", "CO", "CCC", "CN", "CCN"] * 2, [1, 0, 1, 0, 1, 0] * 2
    model = cls(**({"n_estimators": 2} | given_params))
    if quietly(lambda: model.fit(X, y, eval_set=(X[:4], y[:4]))) is not None:
        assert np.isfinite(model.predict(X)).all()


@FEW
@given(X=rows)
def test_predict(X):
    for model in (GOOD, GRAPHS):
        for method in (model.predict, model.predict_proba, model.transform, model.apply, model.explain):
            found = quietly(lambda method=method: method(X))
            assert found is None or not hasattr(found, "shape") or found.shape[0] == len(X)


@FEW
@given(X=rows, support=numbers, most=numbers)
def test_transformer(X, support, most):
    quietly(lambda: SubgraphTransformer(min_support=support, max_edges=most, max_count=most).fit(X).transform(X))


@FEW
@given(X=st.lists(st.sampled_from(["CCO", "CC", "CO"]), min_size=2, max_size=6), weight=st.lists(st.floats(), max_size=6))
def test_weights(X, weight):
    y = [0, 1, 0, 1, 0, 1][: len(X)]
    quietly(lambda: SpinneyClassifier(n_estimators=2).fit(X, y, sample_weight=(weight + [1.0] * 6)[: len(X)]))


@FEW
@given(at=st.integers(0, 10_000), byte=st.integers(32, 126), cut=st.booleans())
def test_damaged_models(at, byte, cut):
    text = GOOD.to_json()
    at %= len(text)
    damaged = text[:at] if cut else text[:at] + chr(byte) + text[at + 1 :]
    try:
        _spinney.Model.from_json(damaged)
    except ValueError:
        return
    assert damaged.strip() == text.strip() or damaged.split('"model"')[1].strip() == text.split('"model"')[1].strip()
