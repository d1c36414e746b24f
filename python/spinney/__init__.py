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

from importlib import import_module
from typing import TYPE_CHECKING, Any

from ._drawing import Drawing
from ._explanation import Explanation
from ._graphs import Graphs, read
from ._spinney import __version__

if TYPE_CHECKING:
    from . import estimators, transformer
    from .estimators import GBoostClassifier, SpinneyClassifier, SpinneyRegressor, load
    from .transformer import SubgraphTransformer

#: Where names are that are imported when they are first asked for: scikit-learn takes seconds to import.
_PLACES = {
    "GBoostClassifier": "estimators",
    "SpinneyClassifier": "estimators",
    "SpinneyRegressor": "estimators",
    "load": "estimators",
    "SubgraphTransformer": "transformer",
}


def __getattr__(name: str) -> Any:
    place = _PLACES.get(name, name)
    if place not in _PLACES.values():
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module = import_module(f".{place}", __name__)
    value = module if name == place else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_PLACES, *_PLACES.values()})


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
