"""The constructors have the parameters of the library's table, with the program's names and defaults."""

import inspect
import json
import subprocess

import pytest
from conftest import ALCOHOL, SMILES

from spinney import GBoostClassifier, SpinneyClassifier, SpinneyRegressor, _spinney

TABLE = json.loads(_spinney.parameters())
NAMES = {parameter["python"] for parameter in TABLE}

#: What an estimator leaves out of the table.
LEFT_OUT = {
    # Of two classes scikit-learn's order decides; the Huber loss is one of numbers.
    SpinneyClassifier: {"positive", "huber_delta"},
    SpinneyRegressor: {"positive", "class_weight"},
    # All but what the program's --method gboost takes.
    GBoostClassifier: NAMES - {"max_edges", "min_support"},
}
estimators = pytest.mark.parametrize("cls", list(LEFT_OUT))


def constructor(cls):
    return {name: p.default for name, p in inspect.signature(cls).parameters.items()}


@estimators
def test_names(cls):
    assert set(constructor(cls)) & NAMES == NAMES - LEFT_OUT[cls]


@estimators
def test_defaults(cls):
    for parameter in TABLE:
        name = parameter["python"]
        if name in LEFT_OUT[cls]:
            continue
        own, default = constructor(cls)[name], parameter["default"]
        if name == "random_state":
            assert (own, default) == (None, 0)  # None is 0.
        elif cls is GBoostClassifier and name == "max_edges":
            assert (own, default) == (6, "auto")  # gBoost has no automatic one.
        else:
            assert own == default and type(own) in (type(default), float), name


def test_automatic_is_what_the_table_says():
    for parameter in TABLE:
        assert (parameter["default"] == "auto") == (parameter["automatic"] is not None or parameter["name"] == "loss")


@pytest.mark.parametrize("cls", [SpinneyClassifier, SpinneyRegressor])
def test_the_paper(cls):
    paper = cls.paper().get_params()
    for parameter in TABLE:
        name = parameter["python"]
        if name not in LEFT_OUT[cls] and name != "random_state":
            assert paper[name] == parameter["paper"], name
    assert json.loads(_spinney.defaults("paper")) == {p["python"]: p["paper"] for p in TABLE}
    assert json.loads(_spinney.defaults("default")) == {p["python"]: p["default"] for p in TABLE}
    with pytest.raises(ValueError, match="no preset"):
        _spinney.defaults("best")


def shown(value):
    """A value as the program's help has it."""
    if value is None or isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)


def test_the_program_has_the_same(program):
    text = subprocess.run([program, "train", "--help"], check=True, capture_output=True, text=True).stdout
    words = " ".join(text.split())
    for parameter in TABLE:
        of_flag = words.split(f"--{parameter['name'].replace('_', '-')} <", 1)[1]
        default = of_flag.split("[default: ", 1)[1].split("]", 1)[0].split("; paper: ")
        assert default[0] == shown(parameter["default"]), parameter["name"]
        assert default[-1] == shown(parameter["paper"]), parameter["name"]


def test_values_of_the_wrong_type():
    for name, value in [("learning_rate", "0.1"), ("vertices", "true"), ("vertices", 1), ("n_estimators", 2.5),
                        ("max_depth", None), ("subsample", True), ("early_stopping_rounds", "auto"), ("max_edges", "none")]:
        with pytest.raises(ValueError, match=name):
            SpinneyClassifier(**{name: value}).fit(SMILES, ALCOHOL)
    with pytest.raises(ValueError, match="no parameter"):
        graphs = _spinney.from_pairs([(["a"], [])])
        options = SpinneyClassifier()._options(False, 1) | {"params": {"depth": 3}}
        _spinney.train({"graphs": graphs, "held_out": None, "targets": []}, options)
