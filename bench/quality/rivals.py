"""Common alternatives: Morgan fingerprints with learners of tables, and Weisfeiler-Lehman kernels with a support vector
machine. Each rival gets some settings and takes, for every fold, the one that does best on a quarter of the training
part held back; then it is trained on all of it.

`scores(data, train, test)` gives scores of the test part, larger for class 1, a column a class for more than two
classes, or numbers for regression.
"""

import numpy
import scipy.sparse
from rdkit import Chem
from rdkit.Chem import rdFingerprintGenerator, rdMolDescriptors
from sklearn.metrics import accuracy_score, roc_auc_score
from sklearn.model_selection import train_test_split
from sklearn.svm import SVC

TREES = 500
# Kernel matrices of more graphs take longer than is sensible.
MOST_FOR_KERNELS = 10_000


def quality(measure, y, scores):
    """Larger is better."""
    if measure == "rmse":
        return -float(numpy.sqrt(numpy.mean((scores - y) ** 2)))
    if measure == "accuracy":
        return accuracy_score(y, scores.argmax(axis=1) if scores.ndim == 2 else scores > 0)
    return roc_auc_score(y, scores)


class Fingerprints:
    """Morgan fingerprints, remembered by radius."""

    def __init__(self, smiles):
        self.molecules = [Chem.MolFromSmiles(text) for text in smiles]
        self.known = {}

    def matrix(self, radius):
        if radius not in self.known:
            generator = rdFingerprintGenerator.GetMorganGenerator(radius=radius, fpSize=2048)
            rows = [generator.GetFingerprintAsNumPy(molecule) for molecule in self.molecules]
            self.known[radius] = numpy.array(rows, dtype=numpy.float32)
        return self.known[radius]


def lightgbm(measure, leaf):
    import lightgbm as package

    kind = package.LGBMRegressor if measure == "rmse" else package.LGBMClassifier
    return kind(n_estimators=TREES, learning_rate=0.05, colsample_bytree=0.3, subsample=0.7, subsample_freq=1,
                min_child_samples=leaf, random_state=0, n_jobs=1, verbose=-1)


def xgboost(measure, depth):
    import xgboost as package

    kind = package.XGBRegressor if measure == "rmse" else package.XGBClassifier
    return kind(n_estimators=TREES, learning_rate=0.05, colsample_bytree=0.3, subsample=0.7, max_depth=depth,
                random_state=0, n_jobs=1)


def forest(measure, features):
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    kind = RandomForestRegressor if measure == "rmse" else RandomForestClassifier
    return kind(n_estimators=TREES, max_features=features, random_state=0, n_jobs=1)


def by_table(learner, settings):
    """A rival of fingerprints; a setting is a radius and what the learner takes."""

    def scores(data, cache, setting, train, test):
        radius, parameter = setting
        x = cache.setdefault("fingerprints", Fingerprints(data.smiles)).matrix(radius)
        model = learner(data.measure, parameter).fit(x[train], data.y[train])
        if data.measure == "rmse":
            return model.predict(x[test])
        probability = model.predict_proba(x[test])
        return probability[:, 1] - 0.5 if probability.shape[1] == 2 else probability

    return settings, scores, lambda data: data.smiles is not None


def refined(graphs, rounds):
    """Weisfeiler-Lehman labels of all vertices after 0, ..., `rounds` rounds, as numbers that no two labels share."""
    numbers = {}

    def number(key):
        return numbers.setdefault(key, len(numbers))

    labels = [[number((0, label)) for label in vertices] for vertices, _ in graphs]
    neighbours = []
    for vertices, edges in graphs:
        around = [[] for _ in vertices]
        for u, v, label in edges:
            around[u].append((label, v))
            around[v].append((label, u))
        neighbours.append(around)
    stages = [labels]
    for round_number in range(1, rounds + 1):
        labels = [
            [number((round_number, own, tuple(sorted((label, before[v]) for label, v in around[i])))) for i, own in enumerate(before)]
            for before, around in zip(labels, neighbours)]
        stages.append(labels)
    return stages, len(numbers)


def kernel(graphs, rounds, optimal_assignment):
    """The normalised kernel of all graphs: products of counts of labels, or (optimal assignment) their common part, which
    is the product of counts written in unary."""
    stages, _ = refined(graphs, rounds)
    columns, rows, values, known = [], [], [], {}
    for i in range(len(graphs)):
        counts = {}
        for labels in stages:
            for label in labels[i]:
                counts[label] = counts.get(label, 0) + 1
        for label, count in counts.items():
            keys = [(label, t) for t in range(count)] if optimal_assignment else [label]
            for key in keys:
                rows.append(i)
                columns.append(known.setdefault(key, len(known)))
                values.append(1.0 if optimal_assignment else float(count))
    x = scipy.sparse.csr_matrix((values, (rows, columns)), shape=(len(graphs), len(known)))
    k = (x @ x.T).toarray()
    lengths = numpy.sqrt(numpy.diag(k))
    return k / numpy.outer(lengths, lengths)


def with_invariants(smiles):
    """Molecules as graphs: atoms by RDKit's invariants, bonds by their kind."""
    graphs = []
    for text in smiles:
        molecule = Chem.MolFromSmiles(text)
        invariants = rdMolDescriptors.GetConnectivityInvariants(molecule, True)
        edges = [(b.GetBeginAtomIdx(), b.GetEndAtomIdx(), str(b.GetBondType())) for b in molecule.GetBonds()]
        graphs.append((list(invariants), edges))
    return graphs


def by_kernel(optimal_assignment):
    def scores(data, cache, setting, train, test):
        rounds, penalty = setting
        key = (optimal_assignment, rounds)
        if key not in cache:
            graphs = data.graphs if data.graphs is not None else with_invariants(data.smiles)
            cache[key] = kernel(graphs, rounds, optimal_assignment)
        k = cache[key]
        if data.measure == "rmse":
            from sklearn.svm import SVR

            return SVR(C=penalty, kernel="precomputed").fit(k[numpy.ix_(train, train)], data.y[train]).predict(k[numpy.ix_(test, train)])
        machine = SVC(C=penalty, kernel="precomputed", decision_function_shape="ovr")
        return machine.fit(k[numpy.ix_(train, train)], data.y[train]).decision_function(k[numpy.ix_(test, train)])

    settings = [(rounds, penalty) for rounds in (2, 4) for penalty in (1, 10)]
    return settings, scores, lambda data: len(data) <= MOST_FOR_KERNELS


RIVALS = {
    "Morgan + LightGBM": by_table(lightgbm, [(2, 5), (2, 20)]),
    "Morgan + XGBoost": by_table(xgboost, [(2, 6), (2, 10)]),
    "Morgan + random forest": by_table(forest, [(2, "sqrt"), (2, 0.1)]),
    "WL + SVM": by_kernel(False),
    "WL-OA + SVM": by_kernel(True),
}


def fold_scores(name, data, cache, train, test, tune=True):
    """Scores of the test part by the setting that does best on a part of the training part."""
    settings, scores, _ = RIVALS[name]
    chosen = settings[0]
    if tune and len(settings) > 1:
        stratify = None if data.measure == "rmse" else data.y[train]
        inner, held = train_test_split(train, test_size=0.25, random_state=0, stratify=stratify)
        chosen = max(settings, key=lambda s: quality(data.measure, data.y[held], scores(data, cache, s, inner, held)))
    return scores(data, cache, chosen, train, test)


def applies(name, data):
    return RIVALS[name][2](data)
