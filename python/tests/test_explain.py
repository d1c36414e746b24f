"""Explanations, patterns and pictures."""

import xml.etree.ElementTree as ET

import numpy as np
import pytest
from conftest import ALCOHOL, KIND, QUICK, SIZE, SMILES

from spinney import GBoostClassifier, SpinneyClassifier, SpinneyRegressor

FITTED = [
    SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL),
    SpinneyClassifier(**QUICK).fit(SMILES, np.where(ALCOHOL, "active", "inactive")),
    SpinneyClassifier(**QUICK).fit(SMILES, KIND),
    SpinneyClassifier(**QUICK, loss="softmax").fit(SMILES, ALCOHOL),
    SpinneyClassifier(**QUICK, atoms=["rdkit", "element"]).fit(SMILES, ALCOHOL),
    SpinneyRegressor(**QUICK).fit(SMILES, SIZE),
    GBoostClassifier().fit(SMILES, ALCOHOL),
]
every = pytest.mark.parametrize("model", FITTED, ids=range(len(FITTED)))


@every
def test_contributions_sum_to_the_score(model):
    explanation = model.explain(SMILES)
    scores = model.predict(SMILES) if isinstance(model, SpinneyRegressor) else model.decision_function(SMILES)
    np.testing.assert_allclose(explanation.scores, scores, atol=1e-9)
    for row, atoms in enumerate(explanation.atoms):
        rest = explanation.bias + atoms.sum(axis=0) + explanation.absent[row]
        np.testing.assert_allclose(rest, scores[row], atol=1e-9)
        assert len(atoms) == len(model._graphs([SMILES[row]]).graph(0)[0]) // (1 if isinstance(model.atoms, str) else len(model.atoms))
    assert len(explanation.patterns) == explanation.values.shape[1] == len(model.patterns_)
    assert len(explanation.top(3, n=5)) == min(5, len(explanation.patterns))
    assert len(model.explain([])) == 0


def test_the_oxygen_is_why():
    model = FITTED[0]
    atoms = model.explain(["CCCCO"]).atoms[0]
    assert atoms.argmax() == 4
    assert model.patterns_.iloc[0].smarts.startswith("[#8") and model.patterns_.iloc[0].direction == "+"
    flipped = FITTED[1]  # classes_[1] is "inactive": the oxygen lowers its score.
    assert flipped.explain(["CCCCO"]).atoms[0].argmin() == 4 and flipped.patterns_.iloc[0].direction == "-"


@every
def test_patterns(model):
    table = model.patterns_
    assert table.gain.is_monotonic_decreasing and (table.splits > 0).all() and (table.cover > 0).all()
    support = table.filter(like="support").sum(axis=1)
    assert ((support > 0) & (support <= len(SMILES))).all()
    if isinstance(model, GBoostClassifier):
        return
    assert set(table.filter(like="direction").to_numpy().ravel()) <= {"+", "-"}


def test_support_by_class_counts_graphs():
    Chem = pytest.importorskip("rdkit.Chem")
    table = FITTED[2].patterns_
    table = table[table.smarts.str.startswith("[")]  # Thresholds of measures are no SMARTS.
    assert len(table) > 0
    for _, row in table.iterrows():
        query = Chem.MolFromSmarts(row.smarts)
        has = np.array([Chem.MolFromSmiles(s).HasSubstructMatch(query) for s in SMILES])
        for kind in np.unique(KIND):
            assert row[f"support_{kind}"] == has[KIND == kind].sum()


@every
def test_pictures_are_svg(model):
    for drawing in (model.draw_patterns(), model.draw_patterns(n=3, columns=2), model.draw("OCCc1ccccc1")):
        root = ET.fromstring(drawing.svg)
        assert root.tag.endswith("svg") and drawing._repr_svg_() == str(drawing)


def test_molecules_are_drawn_as_their_smiles(tmp_path):
    Chem = pytest.importorskip("rdkit.Chem")
    model = FITTED[0]
    molecule = Chem.MolFromSmiles("OCCc1ccccc1")
    assert "<svg" in model.draw(molecule).svg
    same = Chem.MolToSmiles(molecule)
    assert model.draw(molecule).svg == model.draw(same).svg
    path = tmp_path / "m.svg"
    model.draw(same).save(path)
    assert path.read_text() == model.draw(same).svg
    with pytest.raises(ValueError):
        model.draw("C1CC")


def test_graphs_are_explained_too():
    pairs = [(["a", "b", "c"], [(0, 1), (1, 2)]), (["a", "a"], [(0, 1)])] * 5
    model = SpinneyClassifier(**QUICK).fit(pairs, [0, 1] * 5)
    assert [len(a) for a in model.explain(pairs[:2]).atoms] == [3, 2]
    assert "pattern" in model.patterns_.columns and "<svg" in model.draw_patterns().svg


def test_only_the_fragment_that_is_kept_is_tinted():
    model = SpinneyClassifier(**QUICK, largest_fragment=True).fit(SMILES, ALCOHOL)
    alone, salt = model.draw("OCCO").svg, model.draw("[Na+].OCCO").svg
    assert alone.count("<circle") == salt.count("<circle") > 0
    whole = SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL)
    assert "<svg" in whole.draw("[Na+].OCCO").svg
