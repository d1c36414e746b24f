"""What predicts is laid out once a model: threads share it, and another training has another one."""

import copy
import pickle
import subprocess
import sys
import threading

import numpy as np
from conftest import ALCOHOL, KIND, QUICK, SIZE, SMILES

from spinney import SpinneyClassifier, SpinneyRegressor, SubgraphTransformer


def everything(model, smiles):
    """All that asks a model's predictor."""
    explained = model.explain(smiles)
    return [model.predict(smiles), model.apply(smiles), model.transform(smiles).toarray(), explained.values]


def same(found, expected):
    return all(np.array_equal(a, b) for a, b in zip(found, expected, strict=True))


def test_threads_share_a_model():
    expected = everything(SpinneyClassifier(**QUICK).fit(SMILES, KIND), SMILES)
    # Nothing is laid out yet in this one, and all threads ask at once.
    model = SpinneyClassifier(**QUICK).fit(SMILES, KIND)
    barrier = threading.Barrier(8)
    wrong = []

    def work(first):
        barrier.wait()
        for turn in range(20):
            row = (first + turn) % len(SMILES)
            if not same(everything(model, SMILES[row : row + 1]), [part[row : row + 1] for part in expected]):
                wrong.append(row)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    [thread.start() for thread in threads]
    [thread.join() for thread in threads]
    assert wrong == []


def test_another_training_is_another_predictor():
    model = SpinneyRegressor(**QUICK).fit(SMILES, SIZE)
    model.predict(SMILES)
    model.set_params(max_edges=1, n_estimators=4)
    before = model.predict(SMILES)
    assert same([before], [SpinneyRegressor(**QUICK).fit(SMILES, SIZE).predict(SMILES)])
    model.fit(SMILES, -SIZE)
    fresh = SpinneyRegressor(**QUICK).set_params(max_edges=1, n_estimators=4).fit(SMILES, -SIZE)
    assert same(everything(model, SMILES), everything(fresh, SMILES))
    assert not np.array_equal(model.predict(SMILES), before)


def test_copies_predict_after_predictions():
    model = SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL)
    expected = everything(model, SMILES)
    copies = [pickle.loads(pickle.dumps(model)), copy.copy(model), copy.deepcopy(model)]
    assert all(same(everything(one, SMILES), expected) for one in copies)


def test_a_transformer_counts_as_far_as_it_is_asked():
    transformer = SubgraphTransformer(min_support=3, max_edges=2).fit(SMILES)
    once = transformer.transform(SMILES).toarray()
    transformer.set_params(max_count=3)
    often = transformer.transform(SMILES).toarray()
    assert once.max() == 1 and often.max() == 3
    assert np.array_equal(once, np.minimum(often, 1))
    assert np.array_equal(transformer.set_params(max_count=1).transform(SMILES).toarray(), once)


def test_the_package_is_imported_without_scikit_learn():
    lines = [
        "import sys, spinney",
        "assert not {'sklearn', 'pandas', 'scipy'} & set(sys.modules), 'imported at once'",
        "assert 'SpinneyClassifier' in dir(spinney) and 'load' in dir(spinney)",
        "from spinney import *",
        "assert spinney.estimators.SpinneyClassifier is SpinneyClassifier is spinney.SpinneyClassifier",
        "assert spinney.transformer.SubgraphTransformer is SubgraphTransformer",
        "assert not hasattr(spinney, 'nothing')",
    ]
    subprocess.run([sys.executable, "-c", "\n".join(lines)], check=True)
