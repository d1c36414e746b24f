"""Limits of time, memory and patterns end a training with a valid model; a checkpoint goes on where it was."""

import json
import pathlib
import subprocess
import time

import numpy as np
import pytest
from conftest import ALCOHOL, KIND, SIZE, SMILES

import spinney
from spinney import SpinneyClassifier, SpinneyRegressor

#: Large molecules in which a census of all patterns takes long.
CAGES = [f"C12C3C4C1C5C2C3C45{'CNO'[i % 3] * (i % 5 + 1)}CCC{'NOS'[i // 3 % 3]}C" for i in range(60)]
IS_ODD = [i % 2 for i in range(60)]


def provenance(model):
    return json.loads(model.to_json())["model"]["provenance"]


def is_valid(model, X, tmp_path):
    """Whether the file loads again and predicts the same."""
    model.save(tmp_path / "valid.json")
    again = spinney.load(tmp_path / "valid.json")
    assert again.to_json() == model.to_json()
    return (again.predict(X) == model.predict(X)).all()


def test_time(tmp_path):
    started = time.monotonic()
    model = SpinneyClassifier(n_estimators=1_000_000, max_time=1.0).fit(SMILES * 10, list(ALCOHOL) * 10)
    assert 0.9 < time.monotonic() - started < 10
    assert model.record_["stopped"] == "time_limit" and provenance(model)["stopped"] == "the time limit was reached"
    assert 0 < model.n_iter_ < 1_000_000 and model.best_iteration_ == model.n_iter_
    assert is_valid(model, SMILES, tmp_path) and model.score(SMILES, ALCOHOL) > 0.9


def test_time_ends_a_census(tmp_path):
    started = time.monotonic()
    model = SpinneyClassifier(n_estimators=30, max_edges=None, engine="census", max_time=0.1).fit(CAGES, IS_ODD)
    assert time.monotonic() - started < 20
    assert provenance(model)["stopped"] == "the time limit was reached"
    assert is_valid(model, CAGES, tmp_path)


def test_patterns_as_in_the_program(program, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{a}\n" for s, a in zip(SMILES, ALCOHOL, strict=True)))
    model = SpinneyClassifier(n_estimators=20, engine="bound", max_patterns=25).fit(SMILES, ALCOHOL)
    flags = ["--target", "y", "--trees", "20", "--engine", "bound", "--max-patterns", "25"]
    subprocess.run([program, "train", path, "-o", tmp_path / "m.json", *flags], check=True, capture_output=True)
    assert model.to_json() == (tmp_path / "m.json").read_text()
    assert model.record_["stopped"] == "pattern_limit"
    assert provenance(model)["stopped"] == "the limit of patterns was reached"
    assert provenance(model)["unproven"] and is_valid(model, SMILES, tmp_path)


def test_memory(tmp_path):
    # The process is larger than this already, so nothing new can be kept.
    model = SpinneyClassifier(n_estimators=20, engine="bound", memory=1_000_000).fit(SMILES, ALCOHOL)
    assert model.record_["stopped"] == "memory_limit" and provenance(model)["stopped"] == "the memory limit was reached"
    assert is_valid(model, SMILES, tmp_path)
    plenty = SpinneyClassifier(n_estimators=20, memory=1 << 40).fit(SMILES, ALCOHOL)
    assert plenty.to_json() == SpinneyClassifier(n_estimators=20).fit(SMILES, ALCOHOL).to_json()


def test_limits_of_several_targets():
    Y = np.array([ALCOHOL, ALCOHOL[::-1]]).T
    model = SpinneyClassifier(n_estimators=1_000_000, max_time=0.7).fit(SMILES, Y)
    assert [record["stopped"] for record in model.record_] == ["time_limit"] * 2
    assert all("stacked_from" not in record for record in model.record_)
    with pytest.raises(ValueError, match="stacked with max_time"):
        SpinneyClassifier(max_time=1, stack=True).fit(SMILES, Y)


@pytest.mark.parametrize("wrong", [{"max_time": 0}, {"max_time": "10m"}, {"max_time": float("nan")}, {"max_time": float("inf")},
                                   {"max_time": True}, {"memory": 0}, {"memory": -1}, {"memory": "4GB"}, {"memory": 1.5},
                                   {"max_patterns": 0}, {"max_patterns": 2.0}, {"max_patterns": 1 << 80}, {"stack": "yes"}], ids=str)
def test_wrong_limits(wrong):
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SpinneyClassifier(n_estimators=2, **wrong).fit(SMILES, ALCOHOL)


def stop_at(round_number):
    return lambda env: env.iteration + 1 == round_number


@pytest.mark.parametrize(("cls", "y"), [(SpinneyClassifier, ALCOHOL), (SpinneyClassifier, KIND), (SpinneyRegressor, SIZE)],
                         ids=["binary", "classes", "numbers"])
def test_checkpoints(cls, y, tmp_path):
    whole = cls(n_estimators=30, random_state=2).fit(SMILES, y)
    path = tmp_path / "run.json"
    estimator = cls(n_estimators=30, random_state=2, checkpoint=path)
    estimator.fit(SMILES, y, callbacks=[stop_at(7)])
    assert estimator.n_iter_ == 7 and estimator.record_["stopped"] == "interrupted" and path.exists()
    seen = []
    estimator.fit(SMILES, y, callbacks=[seen.append])
    assert estimator.to_json() == whole.to_json()
    assert min(env.iteration for env in seen) >= 6
    # What is finished is taken as it is.
    assert estimator.fit(SMILES, y).to_json() == whole.to_json()
    with pytest.raises(ValueError, match="run.json"):
        cls(n_estimators=30, random_state=3, checkpoint=path).fit(SMILES, y)
    with pytest.raises(ValueError, match="n_estimators"):
        cls(n_estimators=20, random_state=2, checkpoint=path).fit(SMILES, y)
    path.write_text("nonsense")
    with pytest.raises(ValueError, match="run.json"):
        estimator.fit(SMILES, y)


def test_checkpoints_of_the_program(program, tmp_path):
    table, path, out = tmp_path / "a.csv", tmp_path / "run.json", tmp_path / "m.json"
    table.write_text("smiles,y\n" + "".join(f"{s},{a}\n" for s, a in zip(SMILES, ALCOHOL, strict=True)))
    SpinneyClassifier(n_estimators=30, checkpoint=path).fit(SMILES, ALCOHOL, callbacks=[stop_at(5)])
    flags = ["--target", "y", "--trees", "30", "--checkpoint", path, "--resume"]
    subprocess.run([program, "train", table, "-o", out, *flags], check=True, capture_output=True)
    assert out.read_text() == SpinneyClassifier(n_estimators=30).fit(SMILES, ALCOHOL).to_json()
    # And the other way round.
    kept = json.loads(path.read_text())
    assert kept["format"] == "spinney-checkpoint"
    assert SpinneyClassifier(n_estimators=30, checkpoint=str(path)).fit(SMILES, ALCOHOL).to_json() == out.read_text()


def test_checkpoints_of_several_targets(tmp_path):
    Y = {"an alcohol": ALCOHOL, "even": np.arange(30) % 2}
    whole = SpinneyClassifier(n_estimators=12, stack=False).fit(SMILES, Y)
    estimator = SpinneyClassifier(n_estimators=12, checkpoint=tmp_path / "run.ckpt")
    estimator.fit(SMILES, Y, callbacks=[lambda env: env.target == "even" and env.iteration == 3])
    assert estimator.n_iter_ == [12, 4]
    assert {p.name for p in pathlib.Path(tmp_path).iterdir()} == {"run.an_alcohol.ckpt", "run.even.ckpt"}
    assert estimator.fit(SMILES, Y).to_json() == whole.to_json()
    with pytest.raises(ValueError, match="same file"):
        estimator.fit(SMILES, {"an alcohol": ALCOHOL, "an_alcohol": ALCOHOL})


def test_a_checkpoint_with_early_stopping_needs_validation_graphs(tmp_path):
    estimator = SpinneyClassifier(early_stopping_rounds=3, checkpoint=tmp_path / "run.json")
    with pytest.raises(ValueError, match="early_stopping_rounds needs validation graphs .eval_set"):
        estimator.fit(SMILES, ALCOHOL)
    first = estimator.fit(SMILES, ALCOHOL, eval_set=(SMILES, ALCOHOL)).to_json()
    plain = SpinneyClassifier(early_stopping_rounds=3).fit(SMILES, ALCOHOL, eval_set=(SMILES, ALCOHOL))
    assert first == plain.to_json()
