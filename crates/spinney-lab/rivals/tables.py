"""Enumerate and learn: all patterns up to x edges as a 0/1 matrix, then learners of tables.

Patterns in the same graphs are one column, since no learner can tell them apart; where their number matters (freqSVM)
a column is weighted by it, which is the same as having them all.
"""

import lightgbm as lightgbm_package
import numpy
import scipy.sparse
import xgboost as xgboost_package
from sklearn.ensemble import GradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.preprocessing import normalize
from sklearn.svm import LinearSVC

TREES, DEPTH, RATE = 100, 5, 0.1


def matrix(data, size):
    """(0/1 matrix of distinct columns, number of patterns of each column)"""

    def read(part, kind):
        return numpy.fromfile(data.folder / f"x{size}.{part}", dtype=kind)

    starts, indices, copies = read("starts", "<i8"), read("indices", "<i4"), read("copies", "<i8")
    ones = numpy.ones(len(indices), dtype=numpy.float32)
    shape = (len(starts) - 1, len(copies))
    return scipy.sparse.csr_matrix((ones, indices, starts), shape=shape), copies


def by_probability(x, y, model):
    """Scores of a classifier that gives probabilities."""

    def scores(train, test):
        return model().fit(x[train], y[train]).predict_proba(x[test])[:, 1] - 0.5

    return scores


def gradient_boosting(data):
    for size in data.sizes:
        x = matrix(data, size)[0].toarray()
        yield f"x{size}", by_probability(x, data.y, lambda: GradientBoostingClassifier(
            n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, random_state=0))


def xgboost(data):
    for size in data.sizes:
        yield f"x{size}", by_probability(matrix(data, size)[0], data.y, lambda: xgboost_package.XGBClassifier(
            n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, n_jobs=1))


def lightgbm(data):
    for size in data.sizes:
        x = matrix(data, size)[0]
        for leaf in (1, 20):
            yield f"x{size} leaf {leaf}", by_probability(x, data.y, lambda: lightgbm_package.LGBMClassifier(
                n_estimators=TREES, max_depth=DEPTH, learning_rate=RATE, min_child_samples=leaf, n_jobs=1, verbose=-1))


def freq_svm(data):
    """Linear SVM on the patterns in at least 1 % of the training graphs, rows of length 1."""
    for size in data.sizes:
        x, copies = matrix(data, size)
        weighted = x.multiply(numpy.sqrt(copies)[None, :]).tocsr()
        for c in (1, 0.1, 10):
            def scores(train, test):
                support = numpy.asarray(x[train].sum(axis=0)).ravel()
                kept = numpy.flatnonzero(support >= max(1, 0.01 * len(train)))
                rows = normalize(weighted[:, kept])
                return LinearSVC(C=c, random_state=0).fit(rows[train], data.y[train]).decision_function(rows[test])

            yield f"x{size} C{c}", scores


def l1_logistic(data):
    for size in data.sizes:
        x = matrix(data, size)[0]
        for c in (0.1, 1):
            def scores(train, test):
                model = LogisticRegression(l1_ratio=1, solver="liblinear", C=c, random_state=0)
                return model.fit(x[train], data.y[train]).decision_function(x[test])

            yield f"x{size} C{c}", scores
