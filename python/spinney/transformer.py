"""Patterns as columns for other learners."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils.validation import check_is_fitted

from . import _spinney
from ._drawing import Drawing, grid
from ._graphs import Graphs, chemistry_json, threads_of
from ._inputs import Settings, as_graphs
from ._targets import columns_of

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix


class SubgraphTransformer(TransformerMixin, BaseEstimator):
    """Which graph contains which pattern, as a sparse matrix.

    Patterns are either *mined* (all connected subgraphs in enough graphs; no target needed) or *learned* (those that
    the splits of a model's trees ask for).

    Parameters
    ----------
    patterns : {"mined", "learned"}, default="mined"
        Where patterns come from.
    min_support : int or float, default=0.05
        For mined patterns: the least number of graphs, or their share, that must contain a pattern.
    max_edges : int or None, default=4
        For mined patterns: the most edges.
    closed : bool, default=True
        For mined patterns: leave out those to which an edge can be added without losing a graph.
    vertices : bool, default=True
        For mined patterns: whether single vertices are patterns.
    max_features : int, optional
        For mined patterns: keep this many, those in the most graphs.
    max_count : int, default=1
        For mined patterns: count occurrences up to this number; 1 gives zeros and ones.
    estimator : SpinneyClassifier or SpinneyRegressor, optional
        For learned patterns: what to train; by default a classifier if the target is one of classes.
    atoms, bonds, hydrogens, largest_fragment, node_label, edge_label, n_jobs
        As for :class:`SpinneyClassifier`; with `estimator`, its own count.

    Attributes
    ----------
    patterns_ : DataFrame
        The patterns and their support; for learned ones, see ``estimator_.patterns_``.
    estimator_ : estimator
        The trained model, for learned patterns.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> from spinney import SubgraphTransformer
    >>> X, y = ["CO", "CCO", "CCCO", "CC", "CCC", "CCN"], [1, 1, 1, 0, 0, 0]
    >>> transformer = SubgraphTransformer(min_support=2, atoms="element").fit(X)
    >>> transformer.get_feature_names_out().tolist()
    ['[#6]', '[#6]~[#6]', '[#6]~[#6]~[#6]', '[#6]~[#6]~[#8]', '[#6]~[#8]']
    >>> transformer.transform(["CCCO"]).toarray().tolist()
    [[1, 1, 1, 1, 1]]
    >>> make_pipeline(transformer, LogisticRegression()).fit(X, y).predict(["CCCCO"]).tolist()
    [1]
    """

    def __init__(
        self,
        patterns: str = "mined",
        *,
        min_support: float = 0.05,
        max_edges: int | None = 4,
        closed: bool = True,
        vertices: bool = True,
        max_features: int | None = None,
        max_count: int = 1,
        estimator: Any = None,
        atoms: str | Sequence[str] = "rdkit",
        bonds: str = "none",
        hydrogens: bool = False,
        largest_fragment: bool = False,
        node_label: str = "label",
        edge_label: str = "label",
        n_jobs: int | None = None,
    ) -> None:
        self.patterns = patterns
        self.min_support = min_support
        self.max_edges = max_edges
        self.closed = closed
        self.vertices = vertices
        self.max_features = max_features
        self.max_count = max_count
        self.estimator = estimator
        self.atoms = atoms
        self.bonds = bonds
        self.hydrogens = hydrogens
        self.largest_fragment = largest_fragment
        self.node_label = node_label
        self.edge_label = edge_label
        self.n_jobs = n_jobs

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = self.patterns == "learned"
        return tags

    def fit(self, X: Any, y: Any = None, **fit_params: Any) -> SubgraphTransformer:
        """Find the patterns.

        Parameters
        ----------
        X : sequence of molecules or graphs
            See the notes of :class:`SpinneyClassifier`.
        y : array-like, optional
            The target, for learned patterns.
        **fit_params
            For the estimator, with learned patterns.

        Returns
        -------
        self
        """
        if self.patterns == "learned":
            self.estimator_ = self._learner(X, y).fit(X, y, **fit_params)
        elif self.patterns == "mined":
            self.pattern_set_ = self._mined(X)
        else:
            raise ValueError(f'patterns must be "mined" or "learned", not {self.patterns!r}')
        self.n_features_in_ = 1
        return self

    def _learner(self, X: Any, y: Any) -> Any:
        from sklearn.utils.multiclass import type_of_target

        from .estimators import SpinneyClassifier, SpinneyRegressor

        if y is None and isinstance(X, Graphs):
            y = X.y
        if columns_of(y) is not None:
            raise ValueError("learned patterns are those of one target: y has several columns")
        if y is None:
            raise ValueError("learned patterns need y: requires y to be passed, but the target y is None")
        if self.estimator is not None:
            return clone(self.estimator)
        kind = type_of_target(y)
        cls = SpinneyRegressor if kind.startswith("continuous") else SpinneyClassifier
        return cls(
            atoms=self.atoms,
            bonds=self.bonds,
            hydrogens=self.hydrogens,
            largest_fragment=self.largest_fragment,
            node_label=self.node_label,
            edge_label=self.edge_label,
            n_jobs=self.n_jobs,
        )

    def _settings(self) -> Settings:
        chemistry = chemistry_json(self.atoms, self.bonds, self.hydrogens, self.largest_fragment)
        return Settings(chemistry, self.node_label, self.edge_label, threads_of(self.n_jobs))

    def _mined(self, X: Any) -> _spinney.PatternSet:
        graphs = as_graphs(X, self._settings())
        if len(graphs) == 0:
            raise ValueError("X has no graphs to mine")
        least = self.min_support
        if isinstance(least, numbers.Integral) and least >= 1:
            support = int(least)
        elif isinstance(least, numbers.Real) and 0 < least < 1:
            support = max(1, int(np.ceil(float(least) * len(graphs))))
        else:
            raise ValueError(f"min_support must be an integer of at least 1 or a share, not {least!r}")
        if isinstance(self.max_count, bool) or not 1 <= self.max_count <= 1000:
            raise ValueError(f"max_count must be between 1 and 1000, not {self.max_count!r}")
        options = {
            "min_support": support,
            "max_edges": self.max_edges,
            "closed": bool(self.closed),
            "vertices": bool(self.vertices),
            "max_features": self.max_features,
            "threads": threads_of(self.n_jobs),
        }
        return _spinney.mine(graphs, options)

    def transform(self, X: Any) -> csr_matrix:
        """The matrix of graphs and patterns.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_graphs, n_patterns)
        """
        from scipy.sparse import csr_matrix

        check_is_fitted(self, "n_features_in_")
        if self.patterns == "learned":
            return self.estimator_.transform(X)
        settings, own = self._settings(), self.pattern_set_.chemistry()
        settings.chemistry = own or settings.chemistry
        graphs = as_graphs(X, settings, own)
        starts, columns, values = self.pattern_set_.counts(graphs, self.max_count, settings.threads)
        kind = np.uint8 if self.max_count < 256 else np.uint32
        shape = (len(graphs), len(self.pattern_set_))
        return csr_matrix((values.astype(kind), columns, starts), shape=shape)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The patterns: SMARTS for molecules, else in words."""
        check_is_fitted(self, "n_features_in_")
        if self.patterns == "learned":
            return self.estimator_.get_feature_names_out()
        return np.array(self.pattern_set_.table()[0], dtype=object)

    @property
    def patterns_(self) -> pd.DataFrame:
        """The patterns as a table."""
        import pandas as pd

        check_is_fitted(self, "n_features_in_")
        if self.patterns == "learned":
            return self.estimator_.patterns_
        texts, support = self.pattern_set_.table()
        name = "smarts" if self.pattern_set_.chemistry() else "pattern"
        return pd.DataFrame({name: texts, "support": support})

    def draw_patterns(self, n: int = 12, columns: int = 4) -> Drawing:
        """Draw the first patterns; see :meth:`SpinneyClassifier.draw_patterns`."""
        check_is_fitted(self, "n_features_in_")
        if self.patterns == "learned":
            return self.estimator_.draw_patterns(n, columns)
        _, support = self.pattern_set_.table()
        shown = range(min(n, len(self.pattern_set_)))
        pictures = [self.pattern_set_.svg(i) for i in shown]
        return grid(pictures, [f"in {support[i]} graphs" for i in shown], columns)
