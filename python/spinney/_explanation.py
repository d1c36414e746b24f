"""Explanations of predictions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import pandas as pd


class Explanation:
    """Contributions of patterns and atoms to the raw scores (``decision_function``) of some graphs.

    Exact Shapley values with the patterns as players ("path-dependent" TreeSHAP). For each graph,
    ``bias`` and the contributions of all patterns sum to the score. A pattern that occurs shares its
    contribution equally over the atoms of its occurrences; what patterns add by being absent, or numbers, belongs to no
    atom and is in ``absent``.

    Attributes
    ----------
    bias : float or ndarray of shape (n_outputs,)
        The score before any pattern is known: the trees' mean over their training graphs.
    values : ndarray of shape (n_graphs, n_patterns) or (n_graphs, n_patterns, n_outputs)
        What each pattern adds.
    patterns : list of str
        The patterns (SMARTS for molecules), in the order of ``values``.
    atoms : list of ndarray of shape (n_atoms,) or (n_atoms, n_outputs)
        What each atom (vertex) of each graph adds.
    absent : ndarray of shape (n_graphs,) or (n_graphs, n_outputs)
        What patterns add that do not occur, and numbers beside the graph (measures and covariates).
    """

    def __init__(self, bias: Any, values: np.ndarray, patterns: list[str], atoms: list[np.ndarray]) -> None:
        self.bias = bias
        self.values = values
        self.patterns = patterns
        self.atoms = atoms
        of_atoms = np.array([own.sum(axis=0) for own in atoms]).reshape(values.sum(axis=1).shape)
        self.absent = values.sum(axis=1) - of_atoms

    @property
    def scores(self) -> np.ndarray:
        """The scores explained: bias and all contributions."""
        return self.bias + self.values.sum(axis=1)

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        return f"<Explanation of {len(self)} graphs by {len(self.patterns)} patterns>"

    def top(self, row: int = 0, n: int = 10, output: int = 0) -> pd.DataFrame:
        """The strongest contributions to one graph's score, as a table.

        Parameters
        ----------
        row : int
            The graph.
        n : int
            How many.
        output : int
            The class, with more than two.
        """
        import pandas as pd

        values = self.values[row] if self.values.ndim == 2 else self.values[row, :, output]
        order = np.argsort(-np.abs(values), kind="stable")[:n]
        table = {"pattern": [self.patterns[i] for i in order], "contribution": values[order]}
        return pd.DataFrame(table)
