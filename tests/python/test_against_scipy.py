"""gBoost's linear program against SciPy's `linprog` (HiGHS) over all patterns written out as columns."""

import numpy as np
import pytest
from conftest import shared
from scipy.optimize import linprog
from test_against_sklearn import matrix, targets


def optimum(columns, y, nu):
    """max ρ − Σ ξ / (νN) subject to y_i Σ_j α_j ω_j (2 I_ij − 1) + ξ_i ≥ ρ, Σ α = 1, over both signs ω."""
    graphs, patterns = columns.shape
    says = (2 * columns - 1) * y[:, None]
    cost = np.concatenate([np.zeros(2 * patterns), np.full(graphs, 1 / (nu * graphs)), [-1]])
    rows = np.hstack([-says, says, -np.eye(graphs), np.ones((graphs, 1))])
    whole = np.concatenate([np.ones(2 * patterns), np.zeros(graphs + 1)])[None, :]
    bounds = [(0, None)] * (2 * patterns + graphs) + [(None, None)]
    found = linprog(cost, A_ub=rows, b_ub=np.zeros(graphs), A_eq=whole, b_eq=[1], bounds=bounds)
    assert found.status == 0, found.message
    return -found.fun


@pytest.mark.parametrize("nu", [0.5, 0.2, 0.05])
@pytest.mark.parametrize("engine", ["census", "bound"])
def test_gboost_reaches_the_optimum_over_all_patterns(spinney, tmp_path, engine, nu):
    data, max_edges = shared("paper/mutag.gsp.gz"), 3
    columns, y = matrix(spinney, tmp_path, data, max_edges), targets(data)
    model = tmp_path / "model.json"
    flags = ["--nu", nu, "--tolerance", "1e-8", "--max-edges", max_edges, "--engine", engine]
    record = spinney("train", data, "--method", "gboost", *flags, "-o", model)["results"]["record"]
    assert record["objective"] == pytest.approx(optimum(columns, y, nu), abs=1e-6)
    assert record["gap"] < 1e-6
    # The model file scores as the program was solved: its own margins give the objective.
    scores = tmp_path / "scores.csv"
    spinney("predict", model, data, "-o", scores)
    margins = np.sort(np.genfromtxt(scores, delimiter=",", names=True)["score"] * y)
    inside = int(nu * len(y))
    slack = np.sum(margins[inside] - margins[:inside]) / (nu * len(y))
    assert margins[inside] - slack == pytest.approx(record["objective"], abs=1e-9)
