"""The rivals of `spinney reproduce`: each on small data with a known rule, its parts against code of our own here."""

import csv
import itertools
import json
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
from conftest import PROGRAM, ROOT, shared

SCRIPTS = ROOT / "crates" / "spinney-lab" / "rivals"
sys.path.insert(0, str(SCRIPTS))

import fingerprints  # noqa: E402
import kernels  # noqa: E402
import tables  # noqa: E402
import worker  # noqa: E402


def paths_of(labels):
    """Patterns of one or two edges of a path, as label sequences read from the lesser end."""
    found = [labels[i : i + size] for size in (2, 3) for i in range(len(labels) - size + 1)]
    return {min(tuple(p), tuple(reversed(p))) for p in found}


def write_matrix(folder, name, patterns, distinct):
    """Columns of all patterns, or of one for each set of graphs, as the program writes them."""
    support = {}
    for graph, found in enumerate(patterns):
        for pattern in found:
            support.setdefault(pattern, []).append(graph)
    columns = {}
    for pattern in sorted(support):
        key = tuple(support[pattern]) if distinct else pattern
        columns.setdefault(key, []).append(support[pattern])
    rows = [[] for _ in patterns]
    for column, copies in enumerate(columns.values()):
        for graph in copies[0]:
            rows[graph].append(column)
    starts = np.cumsum([0] + [len(row) for row in rows])
    starts.astype("<i8").tofile(folder / f"{name}.starts")
    np.array(list(itertools.chain(*rows)), dtype="<i4").tofile(folder / f"{name}.indices")
    np.array([len(copies) for copies in columns.values()], dtype="<i8").tofile(folder / f"{name}.copies")


@pytest.fixture
def task(tmp_path):
    """Paths; class 1 are those with an edge between A and B. Four folds. Some end in E-F-E, patterns that come together."""
    random = np.random.default_rng(5)
    words = [list(random.choice(list("ABCD"), size=6)) + ["E", "F", "E"] * (i % 4 == 0) for i in range(120)]
    patterns = [paths_of(word) for word in words]
    targets = [int(("A", "B") in found) for found in patterns]
    assert 40 < sum(targets) < 80

    def path(word):
        return {"labels": [str(label) for label in word], "edges": [[v, v + 1, 0] for v in range(len(word) - 1)]}

    content = {
        "graphs": [path(word) for word in words],
        "targets": targets, "folds": [i % 4 for i in range(120)], "structures": None, "sizes": [2],
    }
    (tmp_path / "data.json").write_text(json.dumps(content))
    write_matrix(tmp_path, "x2", patterns, distinct=True)
    write_matrix(tmp_path, "x3", patterns, distinct=False)
    return tmp_path


@pytest.mark.parametrize("method", worker.METHODS)
def test_every_rival_learns_a_rule_within_its_reach(task, method):
    command = [sys.executable, SCRIPTS / "worker.py", method, task]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert len({line["setting"] for line in lines}) == len(lines) >= 1
    for line in lines:
        assert all(len(line[part]) == 4 for part in ("accuracy", "auc", "inner"))
    # Walks count steps of all kinds, so that one edge weighs little in them.
    reach = 0.8 if method == "random-walk" else 0.9
    assert max(np.mean(line["accuracy"]) for line in lines) >= reach
    assert max(np.mean(line["auc"]) for line in lines) >= reach
    # The inner folds are others, so their accuracies differ from the outer ones, but not by much.
    assert abs(np.mean(lines[-1]["inner"]) - np.mean(lines[-1]["accuracy"])) < 0.1


def test_weights_of_columns_stand_for_their_copies(task):
    data = worker.Data(task)
    train, test = np.arange(100), np.arange(100, 120)
    scores = []
    for size in (2, 3):
        data.sizes = [size]
        scores.append(next(iter(tables.freq_svm(data)))[1](train, test))
    distinct, everything = tables.matrix(data, 2)[0], tables.matrix(data, 3)[0]
    assert distinct.shape[1] < everything.shape[1]
    np.testing.assert_allclose(scores[0], scores[1], atol=1e-3)


def distances(graph):
    count = len(graph["labels"])
    d = np.full((count, count), np.inf)
    np.fill_diagonal(d, 0)
    for u, v, _ in graph["edges"]:
        d[u, v] = d[v, u] = 1
    for k in range(count):
        d = np.minimum(d, d[:, k : k + 1] + d[k : k + 1, :])
    return d


def counted(features):
    """The normalised kernel of dictionaries of counts."""
    names = sorted(set().union(*features))
    table = np.array([[f.get(name, 0) for name in names] for f in features], dtype=float)
    raw = table @ table.T
    lengths = np.sqrt(np.diag(raw))
    return raw / np.outer(lengths, lengths)


def test_shortest_path_kernel_counts_pairs_by_labels_and_distance(task):
    data = worker.Data(task)
    data.graphs = data.graphs[:12]

    def pairs(graph):
        counts = {}
        d = distances(graph)
        for u, v in itertools.permutations(range(len(graph["labels"])), 2):
            key = (graph["labels"][u], graph["labels"][v], d[u, v])
            counts[key] = counts.get(key, 0) + 1
        return counts

    expected = counted([pairs(graph) for graph in data.graphs])
    np.testing.assert_allclose(kernels.similarities(data, kernels.grakel.ShortestPath()), expected, atol=1e-9)


def test_weisfeiler_lehman_kernel_counts_labels_of_every_round(task):
    data = worker.Data(task)
    data.graphs = data.graphs[:12]

    def refined(graph, rounds):
        near = [np.flatnonzero(row == 1) for row in distances(graph)]
        labels, counts = [str(label) for label in graph["labels"]], {}
        for round in range(rounds + 1):
            for label in labels:
                counts[(round, label)] = counts.get((round, label), 0) + 1
            labels = [f"({labels[v]}:{','.join(sorted(labels[n] for n in near[v]))})" for v in range(len(labels))]
        return counts

    kernel = kernels.grakel.WeisfeilerLehman(n_iter=2, base_graph_kernel=kernels.grakel.VertexHistogram)
    expected = counted([refined(graph, 2) for graph in data.graphs])
    np.testing.assert_allclose(kernels.similarities(data, kernel), expected, atol=1e-9)


def test_kernels_take_graphs_without_edges(task):
    data = worker.Data(task)
    data.graphs = [{"labels": ["A"], "edges": []}, *data.graphs[:3]]
    for kernel in (kernels.grakel.ShortestPath(), kernels.grakel.RandomWalkLabeled(lamda=0.01)):
        assert np.isfinite(kernels.similarities(data, kernel)).all()


def test_fingerprints_of_structures_and_of_graphs():
    from rdkit import Chem
    from rdkit.Chem import rdFingerprintGenerator, rdMolDescriptors

    texts = ["CCO", "c1ccccc1N", "CC(=O)O", "OCC"]
    ours = [fingerprints.of_structure(text, 2) for text in texts]
    generator = rdFingerprintGenerator.GetMorganGenerator(radius=2, fpSize=2048)
    for text, bits in zip(texts, ours):
        np.testing.assert_array_equal(bits, list(generator.GetFingerprint(Chem.MolFromSmiles(text))))
    np.testing.assert_array_equal(ours[0], ours[3])
    # A graph with the atoms' invariants as labels distinguishes what the molecule's fingerprint does.
    invariants = {}

    def graph(text):
        molecule = Chem.MolFromSmiles(text)
        names = [str(i) for i in rdMolDescriptors.GetConnectivityInvariants(molecule)]
        invariants.update({name: int(name) % 2**31 for name in names})
        bonds = [[b.GetBeginAtomIdx(), b.GetEndAtomIdx(), 0] for b in molecule.GetBonds()]
        return {"labels": names, "edges": bonds}

    found = [fingerprints.of_graph(graph(text), invariants, 2) for text in texts]
    np.testing.assert_array_equal(found[0], found[3])
    assert (found[0] != found[1]).any() and (found[0] != found[2]).any()


def test_scaling_learns_and_tells_its_time(task):
    part = {"targets": json.loads((task / "data.json").read_text())["targets"], "train": list(range(100)),
            "test": list(range(100, 120)), "columns": len(np.fromfile(task / "x3.copies", dtype="<i8"))}
    (task / "part.json").write_text(json.dumps(part))
    for kind in ("starts", "indices", "copies"):
        (task / f"x3.{kind}").rename(task / f"all.{kind}")
    for method in ("gradient-boosting", "xgboost", "lightgbm"):
        done = subprocess.run([sys.executable, SCRIPTS / "scaling.py", method, task], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        result = json.loads(done.stdout)
        assert result["seconds"] > 0 and result["accuracy"] >= 0.9, (method, result)


def prepared(folder):
    """This very environment, as `spinney reproduce` would have set it up."""
    folder.mkdir()
    (folder / "venv").symlink_to(sys.prefix)
    (folder / "ready").write_text((SCRIPTS / "requirements.txt").read_text())
    return folder


def test_requirements_are_those_that_are_tested():
    tested = set((pathlib.Path(__file__).parent / "requirements.txt").read_text().split())
    assert set((SCRIPTS / "requirements.txt").read_text().split()) <= tested


def rows(path, data):
    with open(path, newline="") as lines:
        return {row["method"]: row["here"] for row in csv.DictReader(lines) if row["data"] == data}


def test_reproduce_runs_rivals_within_their_time(tmp_path):
    out = tmp_path / "out"
    data = shared("paper/mutag.sdf.gz").parents[1]
    command = [PROGRAM, "reproduce", "qsar", "--quick", "--quiet", "--data", data, "-o", out]
    # Ample for all but the random walks, which take minutes, and which the table lists either way.
    flags = ["--limit", "45", "--environment", prepared(tmp_path / "environment")]
    done = subprocess.run([*command, *flags], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = rows(out / "accuracy.csv", "Mutag")
    assert found["Random walk kernel"] == "timed out after 45 s" or float(found["Random walk kernel"].split()[0]) > 50
    for method in ("Proposed", "gBoost", "freqSVM", "Weisfeiler-Lehman kernel", "All patterns + XGBoost"):
        assert float(found[method].split()[0]) > 75, (method, found)
    assert json.loads((out / "results.json").read_text())["about"]["Command"].startswith("spinney reproduce qsar")


def test_reproduce_does_without_rivals(tmp_path):
    out = tmp_path / "out"
    data = shared("paper/mutag.sdf.gz").parents[1]
    for experiment, table in (("qsar", "accuracy.csv"), ("scalability", "seconds.csv")):
        command = [PROGRAM, "reproduce", experiment, "--quick", "--quiet", "--data", data, "-o", out / experiment]
        # A file where the environment should be: the reason is in the table, and ours is done all the same.
        blocked = tmp_path / "file"
        blocked.write_text("")
        done = subprocess.run([*command, "--environment", blocked], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "not run: " in (out / experiment / table).read_text()
    assert float(rows(out / "qsar" / "accuracy.csv", "Mutag")["Proposed"].split()[0]) > 75
    with open(out / "scalability" / "seconds.csv", newline="") as lines:
        scaling = list(csv.DictReader(lines))
    assert [row["edges"] for row in scaling] == ["1", "2", "3", "4"]
    assert all(float(row["joint, census"]) > 0 for row in scaling)
    with open(out / "scalability" / "patterns.csv", newline="") as lines:
        patterns = [float(row["here"]) for row in csv.DictReader(lines)]
    assert patterns == sorted(patterns) and patterns[0] > 10
