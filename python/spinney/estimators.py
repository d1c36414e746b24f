"""Classifier, regressor and the linear gBoost, for scikit-learn."""

from __future__ import annotations

import inspect
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _parameters, _spinney, _targets
from ._base import SpinneyBase, written
from ._targets import Target

_PARAMETERS = """
    Parameters
    ----------
    n_estimators : int or "auto", default="auto"
        Boosting rounds. ``"auto"`` is {rounds}.
    ensemble : int or "auto", default="auto"
        Number of trainings with different samples whose average is the model. ``"auto"`` is 3 below 1,500 graphs or if
        one of two classes has less than a fifth of them, 1 above 50,000 graphs or for more than two classes, else 2.
    learning_rate : float, default=0.08
        The share of each tree that is added.
    max_depth : int or "auto", default="auto"
        The most splits from root to leaf; 1 gives a linear model. ``"auto"`` is {depths}.
    max_edges : int, None or "auto", default="auto"
        The most edges of a pattern; ``None`` for no limit. ``"auto"`` is 5, or fewer (down to 2)
        where a census would meet too many edge sets.
    subsample : float, default=0.8
        The share of the graphs that each tree is fitted to.
    colsample : float, default=0.05
        The share of the pattern classes (patterns in the same training graphs) that each tree may use.
    reg_lambda : float or "auto", default="auto"
        Shrinks leaf values (L2); ``"auto"`` is 1, or 3 if one of two classes has less than a fifth of the graphs.
    min_samples_leaf : int or "auto", default="auto"
        The least number of training graphs in a leaf; ``"auto"`` is 3 for numbers or below 1,500 graphs,
        else 1.
    min_support : int, default=1
        The least number of training graphs that must contain a pattern.
    min_split_gain : float or "auto", default="auto"
        A split must gain more than this: the larger, the fewer leaves. ``"auto"`` is {gains}.
    temperature : float or "auto", default="auto"
        Divides the trees' part of a score; above 1, probabilities are less extreme. ``"auto"`` is found by hold-out
        tuning, from 200 graphs on, if `n_estimators` and `min_split_gain` are "auto", too; else it is 1.
    linear : float or "auto", default="auto"
        The weight of a linear model of small patterns and of whole neighbourhoods beside the trees, for two classes or
        numbers; 0 for none. ``"auto"`` is found by hold-out tuning, from 200 graphs on, else 0.
    count_levels : int, default=20
        Number of occurrence thresholds that a split may ask for, out of 1 to 8, 10, 12, 14, 16, 20, 24, 28, 32,
        40, ...; 20 of them reach up to 64, 1 asks only whether a pattern occurs.
    vertices : bool, default=True
        Whether single vertices are patterns.
    leaf : {"newton", "mean"}, default="newton"
        Leaf values: one Newton step, or the mean residual.
    criterion : {"newton", "residual"}, default="newton"
        What splits are chosen by: second order, or squared residuals.
    init : {"best", "mean"}, default="best"
        The score before the first tree: the constant of least loss, or the mean target.
    loss : str, default="auto"
        {losses}
    early_stopping_rounds : int, optional
        Stop after this many rounds without improvement on the first of `eval_set`; without one, the number of rounds is
        found on a held-out fifth of the graphs, then all are trained on.
    eval_metric : str, optional
        What early stopping watches: {metrics}.{more}
    atoms : str or sequence of str, default=("rdkit", "element", "role")
        What makes atoms the same: "rdkit" (element, degree, hydrogens, charge, isotope, in a ring), "element",
        "element+aromatic" or "role" (halogens are alike, and donors, acceptors, atoms of one charge; carbon is
        saturated or not); several are views side by side.
    nodes : str or sequence of str, default=("label", "label+degree+ring")
        What makes vertices the same in graphs that are not molecules: "label" or "label+degree+ring"; several are
        views side by side.
    measures : bool, default=True
        Let trees also split by measures of the whole graph, if `vertices` are patterns: its size, cycles and components,
        the shares of its vertices that branch, end, lie on cycles or have a common label.
    covariates : str or sequence of str, optional
        Columns of numbers that trees may split by threshold, beside patterns. `X` is then a DataFrame of these and one
        column of molecules or graphs, for training and prediction alike, or was read with them by
        :func:`spinney.read`. A missing value (NaN) is a value of its own.
    bonds : {"none", "order", "order+ring"}, default="none"
        What makes bonds the same.
    hydrogens : bool, default=False
        Make hydrogens atoms of the graph, not just counts.
    largest_fragment : bool, default=False
        Keep only the largest fragment of salts and mixtures.
    node_label, edge_label : str, default="label"
        The attributes of networkx graphs that hold the labels.
    engine : {"auto", "census", "bound"}, default="auto"
        How patterns are explored; changes speed only.
    max_time : float, optional
        Most seconds. A training that reaches this limit or one of the next two ends with a valid model, which says how
        far from the optimum the splits affected may be; ``record_["stopped"]`` names the limit.
    memory : int, optional
        Most bytes of the whole process; by default what it holds and most of what is free. What does not fit is found
        again when needed, with the same result; where that cannot be, the training ends.
    max_patterns : int, optional
        Most patterns that are explored and kept.
    checkpoint : path-like, optional
        Keep what is done in this file, and go on from it if it is there; the model is the same as without a break. A
        checkpoint of other data or parameters is an error. Of several targets each has a file of its own.
    n_jobs : int, optional
        Threads; changes speed only. ``None`` is all cores, unless ``OMP_NUM_THREADS`` says less.
    random_state : int, RandomState or None, default=None
        The seed of all sampling; ``None`` is 0, so training is deterministic.
    verbose : int, default=0
        Above 0, show a progress bar.
    stack : bool or "auto", default="auto"
        With several targets, of two classes or numbers: add to each model those of the other targets, with weights from
        out-of-fold scores, which take three more trainings a target. ``"auto"`` is True, but not with `eval_set`,
        `early_stopping_rounds`, `checkpoint`, `max_time` or `max_patterns`.

    Attributes
    ----------{classes}
    model_ : object
        The trained model, of one target.
    models_ : list
        The trained models, one for each target.
    estimators_ : list of estimators
        With several targets, a fitted estimator for each.
    target_names_ : list of str
        With several targets, their names: those of the columns, or "0", "1", ...
    n_outputs_ : int
        The number of targets.
    patterns_ : DataFrame
        The patterns with gain, splits, cover, support, effect and direction.
    feature_importances_ : ndarray
        The share of the gain of each column of `transform`.
    evals_result_ : dict
        Losses and measures round by round, of "training" and "valid_0", "valid_1", ...
    best_iteration_ : int
        The number of rounds kept.
    n_features_in_ : int
        One: a column of graphs.
    record_ : dict
        What training did: engine, patterns explored, rounds, seconds, why it ended, what tuning found, and of several
        targets what the model is stacked from.

    Notes
    -----
    `X` is a sequence of SMILES, RDKit molecules, networkx graphs, PyG-style data (``x``, ``edge_index``,
    ``edge_attr``) or ``(labels, edges)`` pairs; a pandas or polars Series or an Arrow array of SMILES, which is read
    without a copy; or what :func:`spinney.read` gives. Bad rows raise ``ValueError`` with the row's number.
    The same data and parameters give the same model file, byte for byte, as the program ``spinney``, on any
    number of threads.

    `y` may have several columns (an array, a DataFrame, a list of rows or a dictionary of columns; NaN or ``None``
    where a target is missing): each target is trained on the graphs that have it, and all share one exploration.
    ``predict`` then gives a column for each target, ``predict_proba`` and ``decision_function`` a list; so are
    ``classes_``, ``record_``, ``best_iteration_`` and ``evals_result_``. What belongs to one model, such as
    ``patterns_`` and ``explain``, is asked of ``estimators_``.

    References
    ----------
    Shirakawa, Yokoyama, Okazaki and Takigawa, "Jointly learning relevant subgraph patterns and nonlinear
    models of their indicators", MLG 2018, arXiv:1807.02963.
"""


def _documented(text: str, **parts: str) -> Callable[[type], type]:
    """Puts the shared parameters into a class's docstring, in place of ``{parameters}``."""

    def put(cls: type) -> type:
        shared = _PARAMETERS
        for name, value in parts.items():
            shared = shared.replace("{" + name + "}", value)
        cls.__doc__ = (cls.__doc__ or "").replace("{parameters}", shared.strip())
        return cls

    return put


def _paper(cls: type, given: dict[str, Any]) -> Any:
    """An estimator with the paper's defaults."""
    values = {name: value for name, value in _parameters.paper_values().items() if name in _parameters_of(cls)}
    plain = {"atoms": "rdkit", "nodes": "label", "measures": False, "stack": False}
    return cls(**(values | plain | given))


def _parameters_of(cls: type) -> list[str]:
    """The names of a constructor's parameters."""
    return list(inspect.signature(cls).parameters)


class _ClassifierPart(ClassifierMixin):
    """Classes and what follows from them."""

    classes_: np.ndarray

    def _encode(self, y: Any) -> tuple[list[str], np.ndarray]:
        y = column_or_1d(y, warn=True)
        if y.dtype == object and y.size and not isinstance(y.flat[0], str):
            y = np.array(y.tolist())
        check_classification_targets(y)
        if y.dtype.kind == "O" and not all(isinstance(label, str) for label in y.tolist()):
            raise ValueError("y has labels of different types")
        classes = np.unique(y)
        if len(classes) < 2:
            only = classes[0] if len(classes) else "none"
            raise ValueError(f"y has a single class ({only}): there is nothing to learn from one class")
        names = written(classes)
        keys = [_key(name) for name in names]
        if len(set(keys)) < len(keys):
            raise ValueError("y has different texts for the same number: give numbers")
        return written(y), classes

    def _encode_more(self, y: Any, classes: np.ndarray | None) -> list[str]:
        y = column_or_1d(y)
        known = set() if classes is None else set(written(classes))
        unseen = set(written(np.unique(y))) - known
        if unseen:
            raise ValueError(f"eval_set has classes that y has not: {', '.join(sorted(unseen))}")
        return written(y)

    def _order(self) -> list[int]:
        """For each class of the model, its place in ``classes_``."""
        keys = [_key(name) for name in written(self.classes_)]
        return [keys.index(_key(name)) for name in self.model_.classes]

    def _signs(self, effects: np.ndarray) -> np.ndarray:
        order = self._order()
        if effects.shape[-1] == 1:
            return effects if order == [0, 1] else -effects
        ordered = np.empty_like(effects)
        ordered[..., order] = effects
        return ordered[..., 1:] - ordered[..., :1] if len(order) == 2 else ordered

    def _support_names(self) -> list[str]:
        return [f"support_{name}" for name in self.model_.classes]

    def _output_names(self) -> list[str]:
        return [""] if len(self.classes_) == 2 else [f"_{c}" for c in written(self.classes_)]

    def decision_function(self, X: Any) -> Any:
        """Scores: above 0 for ``classes_[1]`` with two classes, else a column for each class.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        ndarray of shape (n_graphs,) or (n_graphs, n_classes)
            With several targets, a list of them.
        """
        if self._has_several():
            return self._of_each("decision_function", X)
        scores = self._signs(self._scores(X))
        return scores[:, 0] if scores.shape[1] == 1 else scores

    def predict_proba(self, X: Any) -> Any:
        """The probability of each class.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        ndarray of shape (n_graphs, n_classes)
            In the order of ``classes_``. With several targets, a list of them.
        """
        if self._has_several():
            return self._of_each("predict_proba", X)
        return self._probabilities(self._scores(X))

    def _probabilities(self, scores: np.ndarray) -> np.ndarray:
        given = self.model_.meaning(scores, "probability")
        ordered = np.empty_like(given)
        ordered[:, self._order()] = given
        return ordered

    def predict(self, X: Any) -> np.ndarray:
        """The likeliest class.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        """
        if self._has_several():
            return _targets.side_by_side(self._of_each("predict", X))
        return self._meant(self._scores(X))

    def _meant(self, scores: np.ndarray) -> np.ndarray:
        places = np.asarray(self._order(), dtype=np.intp)
        return self.classes_[places[self.model_.meaning(scores, "class")]]

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predictions after each round."""
        self._fitted()
        for scores in self._staged_scores(self._graphs(X)):
            yield self._meant(scores)

    def staged_predict_proba(self, X: Any) -> Iterator[np.ndarray]:
        """Probabilities after each round."""
        self._fitted()
        for scores in self._staged_scores(self._graphs(X)):
            yield self._probabilities(scores)


def _key(name: str) -> Any:
    """Equal for texts that are the same class to the library: numbers by value."""
    try:
        return float(name) + 0.0
    except ValueError:
        return name


@_documented(
    "",
    rounds="150, or 200 for more than two classes; from 200 graphs on, hold-out tuning may find that fewer (down to "
    "half) are enough: least gains are compared on held-out parts, then all graphs are trained on",
    depths="16",
    gains='0 below 200 graphs, else 0.01 for more than two classes; for two 0.3, 1 or 3, as hold-out tuning finds best if '
    '`n_estimators` and `temperature` are "auto", too, else 1',
    losses='"logistic" for two classes, "softmax" for any number; "auto" chooses by their number.',
    metrics='"log_loss" (default), "accuracy" or "auc"',
    more='''
    class_weight : {"balanced"} or dict, optional
        Weigh all classes alike, or by a dict of class to weight.''',
    classes='''
    classes_ : ndarray
        The classes, sorted.''',
)
class SpinneyClassifier(_ClassifierPart, SpinneyBase):
    """Gradient-boosted trees over all connected subgraphs, for classes.

    Every split asks "does this graph contain this subgraph (at least t times)?"; the question is the best
    of all connected subgraphs of the training graphs.

    {parameters}

    Examples
    --------
    >>> from spinney import SpinneyClassifier
    >>> X = ["CO", "CCO", "CCCO", "CC(C)O", "CC", "CCC", "CCN", "CCCC"]
    >>> y = ["alcohol"] * 4 + ["other"] * 4
    >>> model = SpinneyClassifier(n_estimators=20, subsample=1, colsample=1).fit(X, y)
    >>> model.predict(["OCCCC", "NCCCC"]).tolist()
    ['alcohol', 'other']
    >>> model.patterns_.smarts[0]
    '[#8&X2&H1&+0&0*&!R]'
    >>> explanation = model.explain(["CCO"])
    >>> bool(abs(explanation.scores[0] - model.decision_function(["CCO"])[0]) < 1e-9)
    True
    """

    def __init__(
        self,
        n_estimators: int | str = "auto",
        ensemble: int | str = "auto",
        learning_rate: float = 0.08,
        max_depth: int | str = "auto",
        max_edges: int | str | None = "auto",
        subsample: float = 0.8,
        colsample: float = 0.05,
        reg_lambda: float | str = "auto",
        min_samples_leaf: int | str = "auto",
        *,
        min_support: int = 1,
        min_split_gain: float | str = "auto",
        temperature: float | str = "auto",
        linear: float | str = "auto",
        count_levels: int = 20,
        vertices: bool = True,
        leaf: str = "newton",
        criterion: str = "newton",
        init: str = "best",
        loss: str = "auto",
        class_weight: str | Mapping[Any, float] | None = None,
        early_stopping_rounds: int | None = None,
        eval_metric: str | None = None,
        atoms: str | Sequence[str] = ("rdkit", "element", "role"),
        nodes: str | Sequence[str] = ("label", "label+degree+ring"),
        measures: bool = True,
        covariates: str | Sequence[str] | None = None,
        bonds: str = "none",
        hydrogens: bool = False,
        largest_fragment: bool = False,
        node_label: str = "label",
        edge_label: str = "label",
        engine: str = "auto",
        max_time: float | None = None,
        memory: int | None = None,
        max_patterns: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        stack: bool | str = "auto",
    ) -> None:
        self.n_estimators = n_estimators
        self.ensemble = ensemble
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_edges = max_edges
        self.subsample = subsample
        self.colsample = colsample
        self.reg_lambda = reg_lambda
        self.min_samples_leaf = min_samples_leaf
        self.min_support = min_support
        self.min_split_gain = min_split_gain
        self.temperature = temperature
        self.linear = linear
        self.count_levels = count_levels
        self.vertices = vertices
        self.leaf = leaf
        self.criterion = criterion
        self.init = init
        self.loss = loss
        self.class_weight = class_weight
        self.early_stopping_rounds = early_stopping_rounds
        self.eval_metric = eval_metric
        self.atoms = atoms
        self.nodes = nodes
        self.measures = measures
        self.covariates = covariates
        self.bonds = bonds
        self.hydrogens = hydrogens
        self.largest_fragment = largest_fragment
        self.node_label = node_label
        self.edge_label = edge_label
        self.engine = engine
        self.max_time = max_time
        self.memory = memory
        self.max_patterns = max_patterns
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.stack = stack

    @classmethod
    def paper(cls, **params: Any) -> SpinneyClassifier:
        """An estimator with the paper's exact semantics; `params` as for the class."""
        return _paper(cls, params)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        callbacks: Sequence[Callable[[Any], Any]] | None = None,
    ) -> SpinneyClassifier:
        """Train on molecules or graphs.

        Parameters
        ----------
        X : sequence of molecules or graphs
            See the notes of the class.
        y : array-like, optional
            The classes; by default those that :func:`spinney.read` read with `X`. Of several targets, a column each,
            NaN or ``None`` where one is missing.
        sample_weight : array-like, optional
            A weight for each graph.
        eval_set : (X, y) or list of (X, y), optional
            Validation graphs; early stopping watches the first.
        callbacks : list of callables, optional
            Called after each round with an object with the attributes of LightGBM's ``CallbackEnv``; one that
            returns True stops the training.

        Returns
        -------
        self
        """
        balances = isinstance(self.class_weight, str) and self.class_weight == "balanced"
        if not (self.class_weight is None or balances or isinstance(self.class_weight, Mapping)):
            raise ValueError(f'class_weight must be None, "balanced" or a dict, not {self.class_weight!r}')
        self._fit(X, y, sample_weight, eval_set, callbacks)
        return self

    def _class_weights(self, target: Target) -> np.ndarray | None:
        if not isinstance(self.class_weight, Mapping):
            return None
        of_class = {_key(str(c)): float(w) for c, w in self.class_weight.items()}
        return np.array([1.0 if t is None else of_class.get(_key(t), 1.0) for t in target.values])


@_documented(
    "",
    rounds="150",
    depths="8",
    gains="0",
    losses='"squared", "huber" or "poisson"; "auto" is "squared".',
    metrics='"rmse" (default), "mae" or "r2"',
    more='''
    huber_delta : float, default=1.0
        The residual from which the Huber loss is linear.''',
    classes="",
)
class SpinneyRegressor(RegressorMixin, SpinneyBase):
    """Gradient-boosted trees over all connected subgraphs, for numbers.

    {parameters}

    Examples
    --------
    >>> from spinney import SpinneyRegressor
    >>> X = ["C" * n for n in range(1, 13)]
    >>> y = [float(n) for n in range(1, 13)]
    >>> model = SpinneyRegressor(n_estimators=100, subsample=1, colsample=1, count_levels=12).fit(X, y)
    >>> bool(model.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        n_estimators: int | str = "auto",
        ensemble: int | str = "auto",
        learning_rate: float = 0.08,
        max_depth: int | str = "auto",
        max_edges: int | str | None = "auto",
        subsample: float = 0.8,
        colsample: float = 0.05,
        reg_lambda: float | str = "auto",
        min_samples_leaf: int | str = "auto",
        *,
        min_support: int = 1,
        min_split_gain: float | str = "auto",
        temperature: float | str = "auto",
        linear: float | str = "auto",
        count_levels: int = 20,
        vertices: bool = True,
        leaf: str = "newton",
        criterion: str = "newton",
        init: str = "best",
        loss: str = "auto",
        huber_delta: float = 1.0,
        early_stopping_rounds: int | None = None,
        eval_metric: str | None = None,
        atoms: str | Sequence[str] = ("rdkit", "element", "role"),
        nodes: str | Sequence[str] = ("label", "label+degree+ring"),
        measures: bool = True,
        covariates: str | Sequence[str] | None = None,
        bonds: str = "none",
        hydrogens: bool = False,
        largest_fragment: bool = False,
        node_label: str = "label",
        edge_label: str = "label",
        engine: str = "auto",
        max_time: float | None = None,
        memory: int | None = None,
        max_patterns: int | None = None,
        checkpoint: str | os.PathLike[str] | None = None,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
        stack: bool | str = "auto",
    ) -> None:
        self.n_estimators = n_estimators
        self.ensemble = ensemble
        self.learning_rate = learning_rate
        self.max_depth = max_depth
        self.max_edges = max_edges
        self.subsample = subsample
        self.colsample = colsample
        self.reg_lambda = reg_lambda
        self.min_samples_leaf = min_samples_leaf
        self.min_support = min_support
        self.min_split_gain = min_split_gain
        self.temperature = temperature
        self.linear = linear
        self.count_levels = count_levels
        self.vertices = vertices
        self.leaf = leaf
        self.criterion = criterion
        self.init = init
        self.loss = loss
        self.huber_delta = huber_delta
        self.early_stopping_rounds = early_stopping_rounds
        self.eval_metric = eval_metric
        self.atoms = atoms
        self.nodes = nodes
        self.measures = measures
        self.covariates = covariates
        self.bonds = bonds
        self.hydrogens = hydrogens
        self.largest_fragment = largest_fragment
        self.node_label = node_label
        self.edge_label = edge_label
        self.engine = engine
        self.max_time = max_time
        self.memory = memory
        self.max_patterns = max_patterns
        self.checkpoint = checkpoint
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.stack = stack

    @classmethod
    def paper(cls, **params: Any) -> SpinneyRegressor:
        """An estimator with the paper's exact semantics; `params` as for the class."""
        return _paper(cls, params)

    def fit(
        self,
        X: Any,
        y: Any = None,
        sample_weight: Any = None,
        *,
        eval_set: Any = None,
        callbacks: Sequence[Callable[[Any], Any]] | None = None,
    ) -> SpinneyRegressor:
        """Train on molecules or graphs.

        Parameters
        ----------
        X : sequence of molecules or graphs
            See the notes of the class.
        y : array-like, optional
            The numbers; by default those that :func:`spinney.read` read with `X`. Of several targets, a column each,
            NaN or ``None`` where one is missing.
        sample_weight : array-like, optional
            A weight for each graph.
        eval_set : (X, y) or list of (X, y), optional
            Validation graphs; early stopping watches the first.
        callbacks : list of callables, optional
            See :meth:`SpinneyClassifier.fit`.

        Returns
        -------
        self
        """
        self._fit(X, y, sample_weight, eval_set, callbacks)
        return self

    def _encode(self, y: Any) -> tuple[list[str], None]:
        y = column_or_1d(y, warn=True)
        texts = written(y)
        numbers = y.astype(np.float64)
        bad = np.flatnonzero(~np.isfinite(numbers))
        if len(bad):
            raise ValueError(f"row {bad[0]}: the target {numbers[bad[0]]} is not a finite number")
        return texts, None

    def _encode_more(self, y: Any, classes: np.ndarray | None) -> list[str]:
        return self._encode(y)[0]

    def predict(self, X: Any) -> np.ndarray:
        """The predicted numbers.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        ndarray of shape (n_graphs,) or (n_graphs, n_targets)
        """
        if self._has_several():
            return _targets.side_by_side(self._of_each("predict", X))
        scores = self._scores(X)
        return self.model_.meaning(scores, "value")

    def staged_predict(self, X: Any) -> Iterator[np.ndarray]:
        """Predictions after each round."""
        self._fitted()
        for scores in self._staged_scores(self._graphs(X)):
            yield self.model_.meaning(scores, "value")


class GBoostClassifier(_ClassifierPart, SpinneyBase):
    """gBoost: a linear model of subgraph indicators, for two classes.

    LPBoost over stumps of one pattern, to a proven distance from the optimum over all patterns. Its
    scores are margins; probabilities made of them are not calibrated (see
    ``sklearn.calibration.CalibratedClassifierCV``).

    Parameters
    ----------
    nu : float, default=0.3
        About the share of training graphs that may lie within the margin.
    max_edges : int or None, default=6
        The most edges of a pattern; ``None`` for no limit.
    min_support : int, default=1
        The least number of training graphs that must contain a pattern.
    tolerance : float, default=0.005
        How far from the best margin over all patterns it may end.
    atoms, bonds, hydrogens, largest_fragment, node_label, edge_label, engine, memory, n_jobs
        As for :class:`SpinneyClassifier`.

    Attributes
    ----------
    classes_ : ndarray
        The two classes, sorted; with several targets, a list of them.
    model_, models_, estimators_, target_names_, n_outputs_
        As for :class:`SpinneyClassifier`.
    patterns_ : DataFrame
        The patterns; ``gain`` is a stump's weight.
    record_ : dict
        Stumps, objective, gap to the optimum, rounds.

    References
    ----------
    Saigo, Nowozin, Kadowaki, Kudo and Tsuda, "gBoost: a mathematical programming approach to graph
    classification and regression", Machine Learning 75, 2009.

    Examples
    --------
    >>> from spinney import GBoostClassifier
    >>> X = ["CO", "CCO", "CCCO", "CC(C)O", "CC", "CCC", "CCN", "CCCC"]
    >>> model = GBoostClassifier().fit(X, [1, 1, 1, 1, 0, 0, 0, 0])
    >>> model.predict(["OCCCC", "NCCCC"]).tolist()
    [1, 0]
    """

    def __init__(
        self,
        nu: float = 0.3,
        max_edges: int | None = 6,
        min_support: int = 1,
        tolerance: float = 5e-3,
        *,
        atoms: str | Sequence[str] = "rdkit",
        bonds: str = "none",
        hydrogens: bool = False,
        largest_fragment: bool = False,
        node_label: str = "label",
        edge_label: str = "label",
        engine: str = "auto",
        memory: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.nu = nu
        self.max_edges = max_edges
        self.min_support = min_support
        self.tolerance = tolerance
        self.atoms = atoms
        self.bonds = bonds
        self.hydrogens = hydrogens
        self.largest_fragment = largest_fragment
        self.node_label = node_label
        self.edge_label = edge_label
        self.engine = engine
        self.memory = memory
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: Any, y: Any = None) -> GBoostClassifier:
        """Train on molecules or graphs.

        Parameters
        ----------
        X : sequence of molecules or graphs
            See the notes of :class:`SpinneyClassifier`.
        y : array-like, optional
            Two classes; by default those that :func:`spinney.read` read with `X`.

        Returns
        -------
        self
        """
        self._fit(X, y)
        return self

    def _encode(self, y: Any) -> tuple[list[str], np.ndarray]:
        texts, classes = super()._encode(y)
        if len(classes) != 2:
            raise ValueError(f"gBoost is for two classes; y has {len(classes)}")
        return texts, classes

    def _options(self, has_valid: bool, targets: int) -> dict[str, Any]:
        gboost = {"nu": self.nu, "tolerance": self.tolerance}
        return super()._options(has_valid, targets) | {"gboost": gboost}


def load(path: str | os.PathLike[str]) -> SpinneyClassifier | SpinneyRegressor | GBoostClassifier:
    """Read a model file, written by an estimator's ``save`` or by the program ``spinney``; or one of several models.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    SpinneyClassifier, SpinneyRegressor or GBoostClassifier
        A fitted estimator with the parameters that the model was trained with.

    Raises
    ------
    ValueError
        A file that is no intact model, and why.
    FileNotFoundError
        No such file.
    """
    path = os.fspath(path)
    os.stat(path)
    if not _targets.is_list(path):
        return _of_model(_spinney.Model.load(path))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return _of_text(text)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _of_text(text: str) -> Any:
    """The estimator of a model's text, or of a list of models."""
    if not text.lstrip().startswith("["):
        return _of_model(_spinney.Model.from_json(text))
    names, models = _targets.parted(text)
    estimators = [_of_model(_spinney.Model.from_json(model)) for model in models]
    cls = type(estimators[0])
    if any(type(one) is not cls for one in estimators):
        raise ValueError("a list of models of different kinds")
    params = estimators[0].get_params(deep=False)
    for name, value in params.items():
        # What was left to the data may have come to something else for each target.
        alike = all(one.get_params(deep=False)[name] == value for one in estimators)
        if not alike and _parameters.TABLE.get(name, {}).get("automatic") is not None:
            params[name] = "auto"
    estimator = cls(**params)
    estimator._keep_several(names, estimators)
    return estimator


def _of_model(model: _spinney.Model) -> Any:
    recorded = json.loads(model.params)
    chemistry = json.loads(model.chemistry) if model.chemistry else {}
    if recorded.get("method") == "gboost":
        cls: type = GBoostClassifier
        names = ("nu", "max_edges", "min_support", "tolerance")
        given = {name: recorded[name] for name in names if name in recorded}
    else:
        cls = SpinneyRegressor if model.task == "regression" else SpinneyClassifier
        values = _parameters.recorded_values(recorded)
        given = {name: values[name] for name in _parameters_of(cls) if name in values}
    if chemistry:
        atoms = chemistry.pop("atoms")
        given |= {"atoms": atoms[0] if len(atoms) == 1 else tuple(atoms), **chemistry}
    elif cls is not GBoostClassifier:
        nodes = model.nodes
        given["nodes"] = nodes[0] if len(nodes) == 1 else tuple(nodes)
    if cls is not GBoostClassifier:
        given["measures"] = model.is_measured
    if model.covariate_names:
        given["covariates"] = tuple(model.covariate_names)
    estimator = cls(**given)
    estimator.model_ = model
    estimator.n_features_in_ = estimator.n_outputs_ = 1
    estimator.record_ = {}
    if cls is not GBoostClassifier:
        estimator.best_iteration_ = estimator.n_iter_ = model.rounds
        estimator.evals_result_ = {}
    if cls is not SpinneyRegressor:
        estimator.classes_ = _sorted_classes(model.classes)
    return estimator


def _sorted_classes(names: list[str]) -> np.ndarray:
    """Classes of a file: integers or numbers if all are, else texts."""
    for kind in (int, float):
        try:
            return np.unique([kind(name) for name in names])
        except (ValueError, OverflowError):
            continue
    if set(names) == {"False", "True"}:
        return np.array([False, True])
    return np.unique(np.array(names, dtype=object).astype(str))
