"""The same data and parameters give the same model file as the program, byte for byte."""

import json
import subprocess

import numpy as np
import pandas as pd
import pytest
from conftest import ALCOHOL, KIND, SIZE, SMILES, data_file

import spinney
from spinney import GBoostClassifier, SpinneyClassifier, SpinneyRegressor


def run(program, *args):
    subprocess.run([program, *map(str, args)], check=True, capture_output=True)


@pytest.fixture
def train(program, tmp_path):
    def trained(path, *flags):
        out = tmp_path / "model.json"
        run(program, "train", path, "-o", out, *flags)
        return out.read_text()

    return trained


def test_small_molecules(train, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{a}\n" for s, a in zip(SMILES, ALCOHOL, strict=True)))
    model = SpinneyClassifier(n_estimators=20, random_state=7).fit(SMILES, ALCOHOL)
    assert model.to_json() == train(path, "--target", "y", "--trees", 20, "--seed", 7)
    paper = SpinneyClassifier.paper(n_estimators=20).fit(SMILES, ALCOHOL)
    assert paper.to_json() == train(path, "--target", "y", "--trees", 20, "--preset", "paper")
    views = SpinneyClassifier(n_estimators=5, atoms=["rdkit", "element"], bonds="order", class_weight="balanced")
    flags = ["--atoms", "rdkit,element", "--bonds", "order", "--class-weight", "balanced"]
    assert views.fit(SMILES, ALCOHOL).to_json() == train(path, "--target", "y", "--trees", 5, *flags)
    early = SpinneyClassifier(n_estimators=60, early_stopping_rounds=5, random_state=3).fit(SMILES, ALCOHOL)
    flags = ["--trees", 60, "--early-stopping", 5, "--seed", 3]
    assert early.to_json() == train(path, "--target", "y", *flags)
    linear = GBoostClassifier(nu=0.2).fit(SMILES, ALCOHOL)
    assert linear.to_json() == train(path, "--target", "y", "--method", "gboost", "--nu", 0.2)
    words = tmp_path / "w.csv"
    labels = ["active" if a else "inactive" for a in ALCOHOL]
    words.write_text("smiles,y\n" + "".join(f"{s},{a}\n" for s, a in zip(SMILES, labels, strict=True)))
    model = SpinneyClassifier(n_estimators=5).fit(SMILES, labels)
    assert model.to_json() == train(words, "--target", "y", "--trees", 5)


def test_tuning_finds_the_same(train, tmp_path):
    # About one label in five is flipped: there is signal and noise.
    smiles = [f"{s}.{'C' * i}" for i in range(1, 9) for s in SMILES]
    y = [a ^ (row * 7919 % 101 < 20) for row, a in enumerate(ALCOHOL.tolist() * 8)]
    path = tmp_path / "noisy.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{int(a)}\n" for s, a in zip(smiles, y, strict=True)))
    model = SpinneyClassifier(ensemble=1).fit(smiles, [int(a) for a in y])
    assert model.to_json() == train(path, "--target", "y", "--ensemble", 1)
    again = SpinneyClassifier.load(tmp_path / "model.json")
    assert again.n_estimators == model.n_iter_
    assert (again.n_estimators, again.temperature, again.min_split_gain) != (150, 1.0, 1.0)
    assert again.fit(smiles, [int(a) for a in y]).to_json() == model.to_json()
    # Without tuning a split must still gain something; without that, too, noise is memorised.
    plain = SpinneyClassifier(ensemble=1, temperature=1.0).fit(smiles, [int(a) for a in y])
    assert (plain.n_iter_, json.loads(plain.to_json())["model"]["params"]["min_gain"]) == (150, 1.0)
    plain = SpinneyClassifier(ensemble=1, temperature=1.0, min_split_gain=0.0).fit(smiles, [int(a) for a in y])
    assert abs(plain.decision_function(smiles)).mean() > 1.2 * abs(model.decision_function(smiles)).mean()


def test_a_linear_model_is_the_same(train, tmp_path):
    """Numbers that add up: the linear model has the weight that the program finds."""
    random = np.random.default_rng(3)
    chains = [random.integers(0, 3, random.integers(2, 16)) for _ in range(260)]
    smiles = ["C" + "".join("CNO"[atom] for atom in chain) + "C" for chain in chains]
    y = [round(float((chain == 1).sum() - 0.5 * (chain == 2).sum()), 1) + 0.25 for chain in chains]
    path = tmp_path / "numbers.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{v}\n" for s, v in zip(smiles, y, strict=True)))
    model = SpinneyRegressor(ensemble=1).fit(smiles, y)
    assert model.to_json() == train(path, "--target", "y", "--ensemble", 1)
    again = SpinneyRegressor.load(tmp_path / "model.json")
    assert again.linear > 0
    assert again.fit(smiles, y).to_json() == model.to_json()
    # The stages of prediction end with what is predicted, and explanations add up to it.
    assert np.array_equal(list(model.staged_predict(smiles))[-1], model.predict(smiles))
    explained = model.explain(smiles[:5])
    assert np.allclose(explained.scores, model.predict(smiles[:5]))
    assert np.allclose(explained.values.sum(axis=1) + explained.bias, explained.scores)
    none = SpinneyRegressor(ensemble=1, linear=0).fit(smiles, y)
    assert "linear" not in json.loads(none.to_json())["model"]["params"]
    assert len(json.loads(none.to_json())["model"]["trees"]) == 150
    with pytest.raises(ValueError, match="linear"):
        SpinneyRegressor(linear=-1).fit(smiles, y)


def two_targets():
    """Two targets of the same molecules, of one truth; few have the first."""
    random = np.random.default_rng(5)
    matters = np.array([[0, 3, -2, 1], [3, -1, 4, -3], [-2, 4, -3, 2], [1, -3, 2, 0]])
    chains = [random.integers(0, 4, random.integers(5, 10)) for _ in range(400)]
    truth = np.array([matters[chain[:-1], chain[1:]].sum() > 2 for chain in chains])
    few, many = (truth ^ (random.random(400) < 0.12) for _ in range(2))
    smiles = ["C" + "".join("CNOS"[atom] for atom in chain) + "C" for chain in chains]
    first = [int(answer) if i % 4 == 0 else None for i, answer in enumerate(few)]
    # Some molecules have no target at all.
    second = [None if i % 10 == 3 else int(answer) for i, answer in enumerate(many)]
    return pd.DataFrame({"smiles": smiles, "few": first, "many": second})


def write(table, path):
    """A file with whole numbers as such, which pandas has as 1.0 where some are missing."""
    table.convert_dtypes().to_csv(path, index=False)


@pytest.fixture
def train_all(program, tmp_path):
    """The models of all targets, by the program."""

    def trained(table, *flags):
        path = tmp_path / "all.csv"
        write(table, path)
        run(program, "train", path, "--target", "all", "-o", tmp_path / "m.json", *flags)
        names = [name for name in table.columns if name != "smiles"]
        return [(tmp_path / f"m.{name}.json").read_text() for name in names]

    return trained


def texts(model):
    return [one.to_json() for one in model.estimators_]


def test_stacked_models(program, train_all, tmp_path):
    table = two_targets()
    smiles, path, out = table["smiles"].tolist(), tmp_path / "all.csv", tmp_path / "scores.csv"
    written = train_all(table, "--trees", 12, "--max-edges", 3)
    run(program, "predict", tmp_path / "m.few.json", path, "-o", out)
    stacked = spinney.load(tmp_path / "m.few.json")
    assert json.loads(stacked.to_json())["model"]["provenance"]["stacked_from"]["models"][0]["target"] == "many"
    assert stacked.to_json() == written[0]
    scores = stacked.decision_function(smiles)
    assert (scores == pd.read_csv(out)["score"]).all()
    # Rounds are its own; those of the other model come before the first.
    stages = list(stacked.staged_predict_proba(smiles))
    assert len(stages) == stacked.n_iter_ == 12
    assert np.allclose(stages[-1], stacked.predict_proba(smiles), atol=1e-12)
    alone = tmp_path / "alone.json"
    run(program, "train", path, "--target", "few", "-o", alone, "--trees", 12, "--max-edges", 3)
    assert len(spinney.load(alone).apply(smiles)[0]) < len(stacked.apply(smiles)[0])
    # The same from Python, however the targets are given.
    Y = table[["few", "many"]]
    estimator = SpinneyClassifier(n_estimators=12, max_edges=3)
    model = estimator.fit(smiles, Y)
    assert texts(model) == written and model.target_names_ == ["few", "many"]
    assert model.record_[0]["stacked_from"]["models"][0]["target"] == "many"
    assert texts(estimator.fit(smiles, {"few": Y["few"].tolist(), "many": Y["many"].to_numpy()})) == written
    read = spinney.read(path, target="all")
    assert texts(estimator.fit(read, read.targets)) == written
    array = estimator.fit(smiles, Y.to_numpy())
    assert array.target_names_ == ["0", "1"]
    np.testing.assert_array_equal(array.decision_function(smiles), model.decision_function(smiles))
    rows = [[None if np.isnan(value) else int(value) for value in row] for row in Y.to_numpy().tolist()]
    assert texts(estimator.fit(smiles, rows)) == texts(array)


def test_targets_alone_share_only_their_census(train_all):
    table = two_targets()
    smiles, Y = table["smiles"], table[["few", "many"]]
    flags = ["--trees", 8, "--max-edges", 3]
    model = SpinneyClassifier(n_estimators=8, max_edges=3, stack=False).fit(smiles, Y)
    assert texts(model) == train_all(table, *flags, "--share", "false")
    paper = SpinneyClassifier.paper(n_estimators=8, max_edges=3).fit(smiles, Y)
    assert texts(paper) == train_all(table, *flags, "--preset", "paper")
    weighted = SpinneyClassifier(n_estimators=8, max_edges=3, stack=False, class_weight="balanced").fit(smiles, Y)
    assert texts(weighted) == train_all(table, *flags, "--share", "false", "--class-weight", "balanced")


def test_several_numbers(train_all):
    table = two_targets()
    size = table["smiles"].str.len().astype(float)
    table["few"] = size + table["few"] + 0.25
    table["many"] = (2.5 * size + table["many"]).where(table["many"].notna())
    Y = table[["few", "many"]]
    model = SpinneyRegressor(n_estimators=6, max_edges=2, ensemble=1).fit(table["smiles"], Y)
    assert texts(model) == train_all(table, "--trees", 6, "--max-edges", 2, "--ensemble", 1)
    assert model.predict(table["smiles"]).shape == (400, 2)


def test_validation_graphs_of_several_targets(program, tmp_path):
    table = two_targets()
    for name, part in (("a.csv", table[:300]), ("b.csv", table[300:])):
        write(part, tmp_path / name)
    flags = ["--target", "few,many", "--trees", 30, "--max-edges", 2, "--early-stopping", 3]
    run(program, "train", tmp_path / "a.csv", "-o", tmp_path / "m.json", "--valid", tmp_path / "b.csv", *flags)
    model = SpinneyClassifier(n_estimators=30, max_edges=2, early_stopping_rounds=3)
    X, Y = table["smiles"], table[["few", "many"]]
    model.fit(X[:300], Y[:300], eval_set=(X[300:], Y[300:][["many", "few"]]))
    assert texts(model) == [(tmp_path / f"m.{name}.json").read_text() for name in Y.columns]


@pytest.mark.parametrize("loss", ["squared", "huber", "poisson"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_losses_of_numbers(train, tmp_path, loss, preset):
    path = tmp_path / "n.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{v:g}\n" for s, v in zip(SMILES, SIZE, strict=True)))
    own = {"huber_delta": 0.5} if loss == "huber" else {}
    make = SpinneyRegressor if preset == "default" else SpinneyRegressor.paper
    model = make(n_estimators=15, loss=loss, **own).fit(SMILES, SIZE)
    flags = ["--huber-delta", 0.5] if own else []
    assert model.to_json() == train(path, "--target", "y", "--trees", 15, "--loss", loss, "--preset", preset, *flags)


@pytest.mark.parametrize("loss", ["auto", "softmax"])
@pytest.mark.parametrize("preset", ["default", "paper"])
def test_losses_of_classes(train, tmp_path, loss, preset):
    path = tmp_path / "k.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{k}\n" for s, k in zip(SMILES, KIND, strict=True)))
    make = SpinneyClassifier if preset == "default" else SpinneyClassifier.paper
    model = make(n_estimators=8, loss=loss).fit(SMILES, KIND)
    assert model.to_json() == train(path, "--target", "y", "--trees", 8, "--loss", loss, "--preset", preset)


@pytest.mark.parametrize("flags", [{}, {"vertices": False}, {"measures": False}, {"engine": "bound"}], ids=str)
def test_covariates_of_several_targets(program, tmp_path, flags):
    table = two_targets()
    table["dose"] = np.where(np.arange(400) % 7 == 0, np.nan, np.arange(400) * 37 % 90)
    path = tmp_path / "all.csv"
    write(table, path)
    covariates = {} if "vertices" in flags else {"covariates": "dose"}
    of_program = [word for name, value in (flags | covariates).items() for word in (f"--{name}", str(value).lower())]
    common = ["--target", "few,many", "--trees", 6, "--max-edges", 2, *of_program]
    run(program, "train", path, "-o", tmp_path / "m.json", *common)
    model = SpinneyClassifier(n_estimators=6, max_edges=2, **flags, **covariates)
    model.fit(table[["smiles", *covariates.values()]], table[["few", "many"]])
    assert texts(model) == [(tmp_path / f"m.{name}.json").read_text() for name in ("few", "many")]


def test_graphs(train, tmp_path):
    pairs = [([str(i % 3), "b", "c"], [(0, 1), (1, 2)]) for i in range(20)]
    y = [i % 2 for i in range(20)]
    path = tmp_path / "g.gsp"
    lines = []
    for i, ((labels, edges), target) in enumerate(zip(pairs, y, strict=True)):
        lines += [f"t # {i} {target}", *(f"v {v} {label}" for v, label in enumerate(labels)), *(f"e {u} {v}" for u, v in edges)]
    path.write_text("\n".join(lines) + "\n")
    text = train(path, "--trees", 10)
    assert SpinneyClassifier(n_estimators=10).fit(pairs, y).to_json() == text
    assert SpinneyClassifier(n_estimators=10).fit(spinney.read(path)).to_json() == text


def test_graphs_with_validation_graphs(train, tmp_path):
    """Labels that only the validation graphs have; numbers that are measured are cut by the training graphs alone."""
    pairs = [([str(i % 3), "b", "c" if i < 30 else "d"], [(0, 1), (1, 2)][: 1 + i % 2]) for i in range(40)]
    y = [i * 7 % 5 // 3 for i in range(40)]
    for name, part in (("a.gsp", range(30)), ("b.gsp", range(30, 40))):
        lines = []
        for i in part:
            labels, edges = pairs[i]
            lines += [f"t # {i} {y[i]}", *(f"v {v} {label}" for v, label in enumerate(labels)), *(f"e {u} {v}" for u, v in edges)]
        (tmp_path / name).write_text("\n".join(lines) + "\n")
    flags = ["--trees", 20, "--valid", tmp_path / "b.gsp", "--early-stopping", 4]
    text = train(tmp_path / "a.gsp", *flags)
    model = SpinneyClassifier(n_estimators=20, early_stopping_rounds=4)
    assert model.fit(pairs[:30], y[:30], eval_set=(pairs[30:], y[30:])).to_json() == text
    read = spinney.read(tmp_path / "a.gsp")
    assert model.fit(read, eval_set=spinney.read(tmp_path / "b.gsp")).to_json() == text


def test_bbbp_and_its_program_predictions(program, train, tmp_path):
    path = data_file("moleculenet/BBBP.csv")
    X = spinney.read(path, target="p_np", on_error="skip")
    model = SpinneyClassifier(n_estimators=30).fit(X.smiles, X.y)
    text = train(path, "--target", "p_np", "--on-error", "skip", "--trees", 30)
    assert model.to_json() == text
    model.save(tmp_path / "python.json")
    out = tmp_path / "predictions.csv"
    run(program, "predict", tmp_path / "python.json", path, "-o", out, "--on-error", "skip")
    predicted = pd.read_csv(out)
    assert (predicted.prediction.to_numpy() == model.predict(X)).all()
    assert (predicted.probability.to_numpy() == model.predict_proba(X.smiles)[:, 1]).all()
    assert (predicted.score.to_numpy() == model.decision_function(X.smiles)).all()


def test_esol_numbers_are_the_same_however_written(train):
    path = data_file("moleculenet/ESOL_delaney-processed.csv")
    target = "measured log solubility in mols per litre"
    table = pd.read_csv(path)
    model = SpinneyRegressor(n_estimators=10, max_edges=4).fit(table.smiles, table[target])
    assert model.to_json() == train(path, "--target", target, "--trees", 10, "--max-edges", 4)


def test_validation_graphs(train, tmp_path):
    both = list(zip(SMILES, ALCOHOL, strict=True))
    for name, part in (("a.csv", both[::2]), ("b.csv", both[1::2])):
        (tmp_path / name).write_text("smiles,y\n" + "".join(f"{s},{a}\n" for s, a in part))
    model = SpinneyClassifier(n_estimators=50, early_stopping_rounds=3)
    model.fit(SMILES[::2], ALCOHOL[::2], eval_set=(SMILES[1::2], ALCOHOL[1::2]))
    flags = ["--target", "y", "--trees", 50, "--valid", tmp_path / "b.csv", "--early-stopping", 3]
    assert model.to_json() == train(tmp_path / "a.csv", *flags)


def test_models_of_the_program_load(program, tmp_path):
    out = tmp_path / "m.json"
    path = tmp_path / "a.csv"
    path.write_text("smiles,y\n" + "".join(f"{s},{a}\n" for s, a in zip(SMILES, ALCOHOL, strict=True)))
    run(program, "train", path, "-o", out, "--target", "y", "--trees", 20, "--depth", 3)
    model = spinney.load(out)
    assert isinstance(model, SpinneyClassifier) and model.max_depth == 3 and model.classes_.tolist() == [0, 1]
    again = SpinneyClassifier(**model.get_params()).fit(SMILES, ALCOHOL)
    assert again.to_json() == out.read_text()
