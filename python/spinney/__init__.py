"""Gradient-boosted trees over all connected subgraphs of molecules and other labelled graphs.

Every split of a tree asks "does this graph contain this subgraph?", and the question is the best of
*all* connected subgraphs of the training graphs.

Examples
--------
>>> from spinney import SpinneyClassifier
>>> alcohols, others = ["CO", "CCO", "CCCO", "CC(C)O"], ["CC", "CCC", "CCN", "CCCC"]
>>> model = SpinneyClassifier(n_estimators=20, subsample=1, colsample=1)
>>> model = model.fit(alcohols + others, [1, 1, 1, 1, 0, 0, 0, 0])
>>> model.predict(["CCCCO", "CCCCC"]).tolist()
[1, 0]
"""

from ._drawing import Drawing
from ._explanation import Explanation
from ._graphs import Graphs, read
from ._spinney import __version__
from .estimators import (
    GBoostClassifier,
    SpinneyClassifier,
    SpinneyRegressor,
    load,
)
from .transformer import SubgraphTransformer

__all__ = [
    "Drawing",
    "Explanation",
    "GBoostClassifier",
    "Graphs",
    "SpinneyClassifier",
    "SpinneyRegressor",
    "SubgraphTransformer",
    "__version__",
    "load",
    "read",
]
