"""Every kind of X gives the same graphs."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from conftest import ALCOHOL, QUICK, SMILES

import spinney
from spinney import SpinneyClassifier, _spinney
from spinney._graphs import chemistry_json
from spinney._inputs import Settings, as_graphs

SETTINGS = Settings(chemistry_json(), "label", "label", 0)


def graphs_of(X, settings=SETTINGS):
    graphs = as_graphs(X, settings)
    return [graphs.graph(i) for i in range(len(graphs))]


@pytest.mark.parametrize("make", [list, tuple, np.array, pd.Series, lambda s: np.array(s, dtype=object),
                                  lambda s: pd.DataFrame({"smiles": s}), lambda s: pd.Series(s, dtype="category")])
def test_sequences_of_smiles(make):
    assert graphs_of(make(SMILES)) == graphs_of(SMILES)


def test_arrow_and_polars():
    pa = pytest.importorskip("pyarrow")
    pl = pytest.importorskip("polars")
    expected = graphs_of(SMILES)
    strings = pa.array(SMILES)
    kinds = [strings, strings.cast(pa.large_string()), strings.cast(pa.string_view()), strings.dictionary_encode(),
             pa.chunked_array([SMILES[:7], [], SMILES[7:]]), pl.Series(SMILES), pd.Series(SMILES, dtype="string[pyarrow]")]
    for X in kinds:
        assert graphs_of(X) == expected, type(X)
    assert graphs_of(strings[3:9]) == expected[3:9]


def test_no_copy_of_arrow_strings():
    pa = pytest.importorskip("pyarrow")
    long = pa.array([s + "C" * 20 for s in SMILES])
    start = long.buffers()[2].address
    assert _spinney.string_address(long, 0) == start
    assert _spinney.string_address(long, 5) == start + sum(len(s) + 20 for s in SMILES[:5])
    large = long.cast(pa.large_string())
    assert _spinney.string_address(large, 1) == large.buffers()[2].address + len(SMILES[0]) + 20
    view = long.cast(pa.string_view())
    address = _spinney.string_address(view, 0)
    buffer = view.buffers()[2]
    assert buffer.address <= address < buffer.address + buffer.size


def test_missing_values_and_wrong_kinds_name_the_row():
    pa = pytest.importorskip("pyarrow")
    for X in (["C", None, "CC"], ["C", float("nan")], pa.array(["C", None]), pd.Series(["C", None])):
        with pytest.raises(ValueError, match="row 1: a missing value"):
            as_graphs(X, SETTINGS)
    with pytest.raises(ValueError, match="row 0: a missing value"):
        as_graphs([None, "C"], SETTINGS)
    with pytest.raises(TypeError, match="row 1: a int"):
        as_graphs(["C", 3], SETTINGS)
    for X in ("CCO", b"CCO", {"a": 1}, 5, None, np.zeros((3, 2)), np.zeros(3), pa.array([1.0, 2.0]), [object()]):
        with pytest.raises(TypeError):
            as_graphs(X, SETTINGS)
    with pytest.raises(ValueError, match="row 2: .*ring"):
        as_graphs(["C", "CC", "C1CC"], SETTINGS)


def test_rdkit_molecules_are_the_same_graphs():
    Chem = pytest.importorskip("rdkit.Chem")
    harder = [*SMILES, "C[N+](C)(C)CC([O-])=O", "[2H]C([2H])([2H])O", "c1ccc2[nH]ccc2c1", "CC.O", "[Na+].[Cl-]",
              "O=[N+]([O-])c1ccccc1", "C1CC1(F)Cl", "[13CH4]", "F/C=C/F", "N->[Cu]", "*CC"]
    for options in ({}, {"atoms": ["rdkit", "element+aromatic"], "bonds": "order+ring"}, {"largest_fragment": True},
                    {"hydrogens": True}):
        settings = Settings(chemistry_json(**options), "label", "label", 0)
        molecules = [Chem.MolFromSmiles(s) for s in harder]
        assert graphs_of(molecules, settings) == graphs_of(harder, settings), options


def test_rdkit_molecules_that_are_none_name_the_row():
    Chem = pytest.importorskip("rdkit.Chem")
    with pytest.raises(ValueError, match="row 1"):
        as_graphs([Chem.MolFromSmiles("C"), None], SETTINGS)


PAIRS = [(["a", "b", "a"], [(0, 1, "x"), (1, 2, "y")]), (["a"], []), ([], [])]


def test_networkx_pyg_and_pairs():
    nx = pytest.importorskip("networkx")
    graphs = []
    for labels, edges in PAIRS:
        graph = nx.Graph()
        graph.add_nodes_from((f"v{i}", {"label": label}) for i, label in enumerate(labels))
        graph.add_edges_from((f"v{u}", f"v{v}", {"label": label}) for u, v, label in edges)
        graphs.append(graph)
    assert graphs_of(graphs) == graphs_of(PAIRS)
    renamed = Settings(SETTINGS.chemistry, "kind", "bond", 0)
    for graph in graphs:
        nx.set_node_attributes(graph, nx.get_node_attributes(graph, "label"), "kind")
        nx.set_edge_attributes(graph, nx.get_edge_attributes(graph, "label"), "bond")
    assert graphs_of(graphs, renamed) == graphs_of(PAIRS)
    plain = graphs_of([nx.path_graph(3)])
    assert plain == graphs_of([(["0"] * 3, [(0, 1), (1, 2)])])
    with pytest.raises(ValueError, match="row 1: a directed graph"):
        as_graphs([nx.path_graph(2), nx.DiGraph()], SETTINGS)
    with pytest.raises(ValueError, match="row 0: self-loop"):
        loop = nx.Graph()
        loop.add_edge(0, 0)
        as_graphs([loop], SETTINGS)


def test_pyg_style_data():
    both_ways = np.array([[0, 1, 1, 2], [1, 0, 2, 1]])
    one_hot = SimpleNamespace(x=np.eye(3)[[2, 0, 2]], edge_index=both_ways, edge_attr=np.array([[1.0], [1.0], [0.0], [0.0]]))
    assert graphs_of([one_hot]) == graphs_of([(["2", "0", "2"], [(0, 1, "1"), (1, 2, "0")])])
    numbers = SimpleNamespace(x=np.array([[7], [8], [7]]), edge_index=both_ways, edge_attr=None)
    assert graphs_of([numbers]) == graphs_of([(["7", "8", "7"], [(0, 1), (1, 2)])])
    several = SimpleNamespace(x=np.array([[7, 1.5], [8, 0]]), edge_index=both_ways[:, :2], edge_attr=None)
    assert graphs_of([several]) == graphs_of([(["7,1.5", "8,0"], [(0, 1)])])
    none = SimpleNamespace(x=None, edge_index=both_ways, edge_attr=None, num_nodes=4)
    assert graphs_of([none]) == graphs_of([(["0"] * 4, [(0, 1), (1, 2)])])
    for bad in (SimpleNamespace(x=np.eye(2), edge_index=np.zeros((3, 2), int)),
                SimpleNamespace(x=np.eye(2), edge_index=np.array([[0], [5]])),
                SimpleNamespace(x=np.eye(2), edge_index=np.array([[0], [1]]), edge_attr=np.zeros((3, 1)))):
        with pytest.raises(ValueError, match="row 0"):
            as_graphs([bad], SETTINGS)


@pytest.mark.parametrize("bad", [(["a"], [(0, 1)]), (["a", "b"], [(0, -1)]), (["a", "b"], [(0,)]), (["a", "b"], [(0, 1, 2, 3)]),
                                 (["a", "b"], [(0, 1, "x"), (1, 0, "y")]), (["a", "b"], [(0, "b")]), (5, 6)])
def test_bad_pairs_name_the_row(bad):
    with pytest.raises(ValueError, match="row 1"):
        as_graphs([(["a"], []), bad], SETTINGS)


def test_read_files(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("smiles,active,logs,w\n" + "".join(f"{s},{a},{a}.50,1\n" for s, a in zip(SMILES, ALCOHOL, strict=True)))
    X = spinney.read(path, target=["active", "logs"], weight="w")
    assert X.shape == (30,) and X.smiles == SMILES and X.y.tolist() == ALCOHOL.tolist()
    assert X.targets["logs"][0] == 1.5 and X.weights.tolist() == [1.0] * 30
    assert X[2:4].smiles == SMILES[2:4] and X[ALCOHOL == 1].y.tolist() == [1] * 10 and len(X[5]) == 1
    direct = SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL, sample_weight=np.ones(30))
    assert SpinneyClassifier(**QUICK).fit(X).to_json() == direct.to_json()
    bad = tmp_path / "bad.csv"
    bad.write_text("smiles,active\nCCO,1\nC1CC,0\nCC,\n")
    with pytest.raises(ValueError, match=r"bad.csv:3"):
        spinney.read(bad, target="active")
    X = spinney.read(bad, target="active", on_error="skip")
    assert len(X) == 2 and len(X.skipped) == 1
    with pytest.raises(ValueError, match="row 1: no target"):
        SpinneyClassifier().fit(X)
    with pytest.raises(FileNotFoundError):
        spinney.read(tmp_path / "none.csv")
    with pytest.raises(ValueError, match="nonsense"):
        spinney.read(path, target="nonsense")
    gsp = tmp_path / "g.gsp"
    gsp.write_text("t # 0 1\nv 0 a\nv 1 b\ne 0 1\nt # 1 -1\nv 0 a\n")
    X = spinney.read(gsp)
    assert X.y.tolist() == [1, -1] and X.graph(0) == (["a", "b"], [(0, 1, "0")]) and X.smiles is None


def test_models_refuse_other_kinds_of_graphs():
    molecules = SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL)
    graphs = SpinneyClassifier(**QUICK, min_samples_leaf=1).fit([(["a"], []), (["b"], [])] * 3, [0, 1] * 3)
    with pytest.raises(ValueError, match="trained on molecules"):
        molecules.predict([(["a"], [])])
    with pytest.raises(ValueError, match="trained on graphs"):
        graphs.predict(["CCO"])
    assert molecules.predict([]).shape == (0,) and graphs.predict([]).shape == (0,)
    with pytest.raises(ValueError, match="trained on graphs"):
        graphs.draw("CCO")
