"""The Rust half; internal: use the names of `spinney`."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np
import numpy.typing as npt

__version__: str

_Csr = tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.uint32]]

__all__ = [
    "Graphs",
    "Model",
    "PatternSet",
    "__version__",
    "defaults",
    "from_molecules",
    "from_pairs",
    "from_smiles",
    "from_state",
    "mine",
    "molecule_svg",
    "read",
    "string_address",
    "train",
    "train_gboost",
]

@final
class Graphs:
    def __len__(self) -> int: ...
    def take(self, rows: Sequence[int]) -> Graphs: ...
    def targets(self) -> list[str | None]: ...
    def ids(self) -> list[str]: ...
    def weights(self) -> list[float] | None: ...
    def smiles(self) -> list[str] | None: ...
    def covariates(self) -> tuple[list[str], list[list[float]]]: ...
    def with_covariates(self, names: Sequence[str], values: Sequence[Sequence[float]]) -> Graphs: ...
    def chemistry(self) -> str | None: ...
    def graph(self, row: int) -> tuple[list[str], list[tuple[int, int, str]]]: ...
    def state(self) -> tuple[Any, ...]: ...

@final
class Model:
    task: str
    classes: list[str]
    init: list[float]
    rounds: int
    nodes: list[str]
    trees_a_round: int
    trees_beside: int
    params: str
    provenance: str
    chemistry: str | None
    covariate_names: list[str]
    is_measured: bool
    @staticmethod
    def from_json(text: str) -> Model: ...
    def to_json(self) -> str: ...
    @staticmethod
    def load(path: str) -> Model: ...
    def save(self, path: str) -> None: ...
    def scores(self, graphs: Graphs, threads: int) -> npt.NDArray[np.float64]: ...
    def meaning(self, scores: npt.NDArray[np.float64], what: str) -> npt.NDArray[Any]: ...
    def leaves(
        self, graphs: Graphs, threads: int
    ) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]: ...
    def features(self, graphs: Graphs, threads: int) -> _Csr: ...
    def questions(self) -> tuple[list[int], list[int], list[float]]: ...
    def texts(self) -> list[str]: ...
    def importance(
        self,
    ) -> list[tuple[int, int, float, int, int, int, list[int], list[float]]]: ...
    def pattern_svg(self, pattern: int) -> str: ...
    def measures(
        self, graphs: Graphs, targets: list[str], scores: npt.NDArray[np.float64]
    ) -> list[tuple[str, float]]: ...
    def explain(
        self, graphs: Graphs, threads: int
    ) -> tuple[
        npt.NDArray[np.float64],
        npt.NDArray[np.float64],
        npt.NDArray[np.int64],
        npt.NDArray[np.float64],
    ]: ...

@final
class PatternSet:
    def __len__(self) -> int: ...
    def table(self) -> tuple[list[str], list[int]]: ...
    def svg(self, pattern: int) -> str: ...
    def chemistry(self) -> str | None: ...
    def counts(self, graphs: Graphs, most: int, threads: int) -> _Csr: ...
    @staticmethod
    def from_state(state: tuple[Any, ...]) -> PatternSet: ...

def from_smiles(texts: Any, chemistry: str, threads: int) -> Graphs: ...
def from_molecules(molecules: Sequence[Any], chemistry: str) -> Graphs: ...
def from_pairs(pairs: Sequence[Any]) -> Graphs: ...
def from_state(
    names: tuple[list[str], list[str]],
    sizes: npt.NDArray[np.uint32],
    labels: npt.NDArray[np.uint32],
    edges: npt.NDArray[np.uint32],
    known: tuple[list[str], list[str | None], list[float] | None],
    kept: tuple[str | None, list[str] | None],
    beside: tuple[list[str], list[list[float]]],
) -> Graphs: ...
def string_address(object: Any, row: int) -> int: ...
def read(
    path: str, chemistry: str, options: dict[str, Any], threads: int
) -> tuple[Graphs, tuple[list[str], list[list[str | None]], list[str]]]: ...
def defaults(preset: str) -> str: ...
def train(
    graphs: Graphs,
    targets: list[str],
    weights: list[float] | None,
    valid: tuple[Graphs, list[str]] | None,
    given: dict[str, Any],
    *,
    classes: bool,
    nodes: list[str],
    measures: bool,
    auto: list[str],
    engine: str,
    memory: int | None,
    threads: int,
    on_round: Callable[[str], bool] | None,
) -> tuple[Model, str]: ...
def train_gboost(
    graphs: Graphs,
    targets: list[str],
    given: dict[str, Any],
    *,
    nu: float,
    tolerance: float,
    engine: str,
    memory: int | None,
    threads: int,
) -> tuple[Model, str]: ...
def mine(
    graphs: Graphs,
    *,
    min_support: int,
    max_edges: int | None,
    closed: bool,
    vertices: bool,
    most: int | None,
    threads: int,
) -> PatternSet: ...
def molecule_svg(smiles: str, weights: list[float], largest_fragment: bool) -> str: ...
