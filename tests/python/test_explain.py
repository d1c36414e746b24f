"""Explanations on real molecules: sums, and what chemists know about them."""

import csv
from html import escape

from conftest import run, shared
from rdkit import Chem


def test_contributions_sum_to_the_score_on_every_row_of_bbbp(tmp_path):
    data = shared("moleculenet/BBBP.csv")
    model, out = tmp_path / "model.json", tmp_path / "out.csv"
    run("train", data, "--target", "p_np", "--on-error", "skip", "--trees", 100, "-o", model)
    run("predict", model, data, "--on-error", "skip", "--contrib", "-o", out)
    with out.open() as file:
        reader = csv.reader(file)
        start = next(reader).index("start")
        rows = [(float(row[2]), sum(map(float, row[start:]))) for row in reader]
    assert len(rows) == 2039
    assert max(abs(score - total) for score, total in rows) < 1e-9


def test_mutag_shows_the_known_alerts(tmp_path):
    """Nitro groups on aromatic rings and fused rings are among the most important patterns."""
    from rdkit import Chem

    data = shared("mutag/mutag.csv")
    model, listed, page = tmp_path / "model.json", tmp_path / "patterns.txt", tmp_path / "page.html"
    run("train", data, "--target", "label", "--on-error", "skip", "--positive", "1", "-o", model, "--report", page)
    run("patterns", model, "--top", 30, "--format", "smarts", "-o", listed)
    patterns = listed.read_text().splitlines()
    shown = page.read_text()
    assert all(escape(pattern, quote=False) in shown for pattern in patterns)
    nitro, fused = Chem.MolFromSmiles("c1ccccc1[N+](=O)[O-]"), Chem.MolFromSmiles("c1ccc2ccccc2c1")

    def matches(molecule):
        return [set(match) for p in patterns for match in molecule.GetSubstructMatches(Chem.MolFromSmarts(p))]

    ring, nitrogen, junction = {0, 1, 2, 3, 4, 5}, 6, {3, 8}
    assert any(nitrogen in match and ring & match for match in matches(nitro)), "nitro on an aromatic ring"
    assert any(junction <= match for match in matches(fused)), "fused rings"
