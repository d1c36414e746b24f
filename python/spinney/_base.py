"""What all estimators share: inputs, targets, predictions, patterns, pictures and files."""

from __future__ import annotations

import json
import numbers
import os
import sys
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _spinney
from ._drawing import Drawing, grid
from ._explanation import Explanation
from ._graphs import Graphs, chemistry_json, threads_of
from ._inputs import Settings, as_graphs

#: What a callback gets after each round, with the names that LightGBM uses.
CallbackEnv = namedtuple(
    "CallbackEnv",
    ["model", "params", "iteration", "begin_iteration", "end_iteration", "evaluation_result_list"],
)

#: Measures of which more is better.
_RISING = {"accuracy", "auc", "r2"}


def written(y: np.ndarray) -> list[str]:
    """Targets as texts, as a file would have them."""
    if y.dtype.kind in "OUS":
        return [str(value) for value in y.tolist()]
    return [repr(value) for value in y.tolist()]


def seed_of(random_state: Any) -> int:
    """A seed: ``None`` is 0, as training is deterministic by default."""
    if random_state is None:
        return 0
    if isinstance(random_state, numbers.Integral):
        if random_state < 0:
            raise ValueError(f"random_state must not be negative, not {random_state}")
        return int(random_state)
    return int(check_random_state(random_state).randint(2**31 - 1))


def check_length(n: int, y: Any, what: str = "y") -> None:
    if len(y) != n:
        raise ValueError(f"{what} has {len(y)} entries for {n} graphs in X")


class SpinneyBase(BaseEstimator):
    """The part that all estimators have in common; not to be used alone."""

    # Set by fit: the trained model of the library.
    model_: _spinney.Model

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = True
        return tags

    # -- inputs ---------------------------------------------------------------------------------

    def _settings(self) -> Settings:
        chemistry = chemistry_json(self.atoms, self.bonds, self.hydrogens, self.largest_fragment)
        return Settings(chemistry, self.node_label, self.edge_label, threads_of(self.n_jobs))

    def _graphs(self, X: Any) -> _spinney.Graphs:
        """The graphs of `X`, molecules as the model was trained on them."""
        check_is_fitted(self, "model_")
        settings = self._settings()
        settings.chemistry = self.model_.chemistry or settings.chemistry
        return as_graphs(X, settings, self.model_.chemistry, self.model_.covariate_names)

    def _training_graphs(self, X: Any) -> _spinney.Graphs:
        graphs = as_graphs(X, self._settings(), covariates=self._covariates())
        if len(graphs) == 0:
            raise ValueError("X has no graphs to train on")
        return graphs

    def _covariates(self) -> list[str]:
        """The columns of ``X`` that are numbers beside graphs."""
        named = getattr(self, "covariates", None)
        return [named] if isinstance(named, str) else list(named or ())

    def _given(self, X: Any, y: Any) -> Any:
        """The targets: `y`, or those that were read with `X`."""
        if y is not None:
            return y
        if isinstance(X, Graphs) and X.y is not None:
            targets = X._data.targets()
            missing = [row for row, target in enumerate(targets) if target is None]
            if missing:
                raise ValueError(f"row {missing[0]}: no target ({len(missing)} rows have none)")
            return X.y
        raise ValueError(
            f"This {type(self).__name__} estimator requires y to be passed, but the target y is None"
        )

    # -- training -------------------------------------------------------------------------------

    def _library_params(self) -> dict[str, Any]:
        return {
            "max_edges": self.max_edges,
            "depth": self.max_depth,
            "learning_rate": self.learning_rate,
            "trees": self.n_estimators,
            "ensemble": self.ensemble,
            "min_support": self.min_support,
            "min_samples_leaf": self.min_samples_leaf,
            "min_gain": self.min_split_gain,
            "temperature": self.temperature,
            "linear": self.linear,
            "subsample": self.subsample,
            "pattern_sample": self.colsample,
            "l2": self.reg_lambda,
            "leaf": self.leaf,
            "criterion": self.criterion,
            "count_levels": self.count_levels,
            "vertices": self.vertices,
            "loss": self.loss,
            "init": self.init,
            "early_stopping": self.early_stopping_rounds,
            "metric": self.eval_metric,
            "seed": seed_of(self.random_state),
        }

    def _train(
        self,
        graphs: _spinney.Graphs,
        targets: list[str],
        weights: np.ndarray | None,
        sets: list[tuple[_spinney.Graphs, list[str]]],
        callbacks: Sequence[Callable[[CallbackEnv], Any]] | None,
        extra: dict[str, Any],
    ) -> None:
        params = self._library_params() | extra
        auto = [name for name, value in params.items() if isinstance(value, str) and value == "auto" and name != "loss"]
        params = {name: value for name, value in params.items() if name not in auto}
        nodes = [self.nodes] if isinstance(self.nodes, str) else list(self.nodes)
        heard = Heard(self, callbacks, self.verbose)
        try:
            model, record = _spinney.train(
                graphs,
                targets,
                None if weights is None else weights.tolist(),
                sets[0] if sets else None,
                params,
                classes=hasattr(self, "predict_proba"),
                nodes=nodes,
                measures=bool(self.measures),
                auto=auto,
                engine=self.engine,
                memory=self.memory,
                threads=threads_of(self.n_jobs),
                on_round=heard.hear if heard.listens else None,
            )
        finally:
            heard.close()
        self.model_ = model
        self.record_ = json.loads(record)
        self.n_features_in_ = 1
        self.best_iteration_ = self.record_["best_round"]
        self.n_iter_ = len(self.record_["rounds"])
        self._record_evaluations(sets[1:])

    def _record_evaluations(self, more: list[tuple[_spinney.Graphs, list[str]]]) -> None:
        """``evals_result_``: losses and measures by round."""
        rounds, metric = self.record_["rounds"], self.record_["metric"]
        result = {
            "training": {
                "loss": [r["train_loss"] for r in rounds],
                metric: [r["train_metric"] for r in rounds],
            }
        }
        if rounds and rounds[0]["valid_loss"] is not None:
            result["valid_0"] = {"loss": [r["valid_loss"] for r in rounds]}
            for i, (name, _) in enumerate(rounds[0]["valid"]):
                result["valid_0"][name] = [r["valid"][i][1] for r in rounds]
        for number, (graphs, targets) in enumerate(more, start=1):
            own: dict[str, list[float]] = {}
            for scores in self._staged_scores(graphs):
                for name, value in self.model_.measures(graphs, targets, scores):
                    own.setdefault(name, []).append(value)
            result[f"valid_{number}"] = own
        self.evals_result_ = result

    def _eval_sets(self, eval_set: Any, encode: Callable[[Any], list[str]]) -> list[Any]:
        if eval_set is None:
            return []
        if isinstance(eval_set, Graphs):
            eval_set = [(eval_set, None)]
        if isinstance(eval_set, tuple) and len(eval_set) == 2:
            eval_set = [eval_set]
        sets = []
        for X, y in eval_set:
            graphs = self._training_graphs(X)
            targets = encode(self._given(X, y))
            check_length(len(graphs), targets, "y of eval_set")
            sets.append((graphs, targets))
        return sets

    @staticmethod
    def _weights(sample_weight: Any, X: Any, n: int) -> np.ndarray | None:
        """The weights: `sample_weight`, or those that were read with `X`."""
        if sample_weight is None and isinstance(X, Graphs):
            sample_weight = X.weights
        if sample_weight is None:
            return None
        if isinstance(sample_weight, numbers.Number):
            sample_weight = np.full(n, sample_weight)
        weights = column_or_1d(np.asarray(sample_weight, dtype=np.float64))
        check_length(n, weights, "sample_weight")
        return weights

    # -- predictions ----------------------------------------------------------------------------

    def _scores(self, X: Any) -> np.ndarray:
        return self.model_.scores(self._graphs(X), threads_of(self.n_jobs))

    def _staged_scores(self, graphs: _spinney.Graphs):
        """The scores after each round."""
        _, values = self.model_.leaves(graphs, threads_of(self.n_jobs))
        init = np.asarray(self.model_.init)
        scores = np.tile(init, (len(graphs), 1))
        trees, told = self.model_.trees_a_round, self.model_.trees_beside
        for start in range(0, values.shape[1], len(init)):
            scores = scores + values[:, start : start + len(init)]
            own = start + len(init) - told
            if own > 0 and own % trees == 0:
                yield scores

    def apply(self, X: Any) -> np.ndarray:
        """The leaf of every tree that each graph reaches.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        ndarray of shape (n_graphs, n_trees)
        """
        graphs = self._graphs(X)
        return self.model_.leaves(graphs, threads_of(self.n_jobs))[0]

    def transform(self, X: Any) -> csr_matrix:
        """Which of the model's questions ("pattern at least t times") each graph answers with yes.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_graphs, n_questions)
        """
        graphs = self._graphs(X)
        starts, columns, values = self.model_.features(graphs, threads_of(self.n_jobs))
        shape = (len(graphs), len(self.get_feature_names_out()))
        return csr_matrix((values.astype(np.uint8), columns, starts), shape=shape)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The columns of :meth:`transform`: patterns, with ``x2`` and so on where more than one is asked for."""
        check_is_fitted(self, "model_")
        texts = self.model_.texts()
        patterns, thresholds, _ = self.model_.questions()
        names = [
            texts[p] if t == 1 else f"{texts[p]} x{t}"
            for p, t in zip(patterns, thresholds, strict=True)
        ]
        return np.array(names, dtype=object)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of the total gain that each column of :meth:`transform` has."""
        check_is_fitted(self, "model_")
        gains = np.asarray(self.model_.questions()[2])
        total = gains.sum()
        return gains / total if total > 0 else gains

    # -- patterns -------------------------------------------------------------------------------

    def _signs(self, effects: np.ndarray) -> np.ndarray:
        """Effects by output, as the estimator's own scores see them."""
        return effects

    def _support_names(self) -> list[str]:
        return ["support"]

    def _output_names(self) -> list[str]:
        return [""]

    @property
    def patterns_(self) -> pd.DataFrame:
        """The patterns, the most gainful first.

        A row has the pattern (``smarts`` for molecules, else ``pattern``), its ``edges``, total ``gain``, number of
        ``splits``, ``cover`` (training graphs that came to them), highest threshold ``at_least``, training graphs
        that contain it (``support``, by class), ``effect`` (how much higher the score is with the pattern
        than without, on average) and ``direction`` (its sign: "+" or "-").
        """
        check_is_fitted(self, "model_")
        texts, rows = self.model_.texts(), self.model_.importance()
        name = "smarts" if self.model_.chemistry else "pattern"
        table: dict[str, Any] = {
            name: [texts[row[0]] for row in rows],
            "edges": [row[1] for row in rows],
            "gain": [row[2] for row in rows],
            "splits": [row[3] for row in rows],
            "cover": [row[4] for row in rows],
            "at_least": [row[5] for row in rows],
        }
        names = self._support_names()
        support = np.array([row[6] for row in rows], dtype=np.int64).reshape(len(rows), len(names))
        for i, column in enumerate(names):
            table[column] = support[:, i]
        outputs = self._output_names()
        effects = self._signs(np.array([row[7] for row in rows]).reshape(len(rows), len(self.model_.init)))
        for i, output in enumerate(outputs):
            table["effect" + output] = effects[:, i]
            table["direction" + output] = np.where(effects[:, i] >= 0, "+", "-")
        return pd.DataFrame(table)

    def draw_patterns(self, n: int = 12, columns: int = 4) -> Drawing:
        """Draw the most gainful patterns.

        Parameters
        ----------
        n : int
            How many.
        columns : int
            How many in a row.

        Returns
        -------
        Drawing
            SVG that notebooks show.
        """
        check_is_fitted(self, "model_")
        rows = self.model_.importance()[:n]
        pictures = [self.model_.pattern_svg(row[0]) for row in rows]
        total = sum(row[2] for row in self.model_.importance()) or 1.0
        effects = self._signs(np.array([row[7] for row in rows]).reshape(len(rows), len(self.model_.init)))
        captions = []
        for i, (row, effect) in enumerate(zip(rows, effects, strict=True), start=1):
            told = f", effect {effect[0]:+.3f}" if len(effect) == 1 else ""
            captions.append(f"{i}: {row[2] / total:.1%} of the gain{told}")
        return grid(pictures, captions, columns)

    def explain(self, X: Any) -> Explanation:
        """What each pattern and each atom adds to the scores of some graphs.

        Exact Shapley values with the patterns as players; ``bias`` and contributions sum to
        ``decision_function`` (classifiers) or to the raw score (regressors).

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        Explanation
        """
        graphs = self._graphs(X)
        bias, values, starts, atoms = self.model_.explain(graphs, threads_of(self.n_jobs))
        outputs, n = len(bias), len(graphs)
        # By graph, pattern and output.
        values = self._signs(values.reshape(n, outputs, values.shape[1]).swapaxes(1, 2))
        bias, atoms = self._signs(bias[None, :])[0], self._signs(atoms)
        start: float | np.ndarray = bias
        if values.shape[2] == 1:
            start, values, atoms = float(bias[0]), values[:, :, 0], atoms[:, 0]
        parts = [atoms[a:b] for a, b in zip(starts[:-1], starts[1:], strict=True)]
        return Explanation(start, values, self.model_.texts(), parts)

    def draw(self, molecule: Any, output: int = 0) -> Drawing:
        """Draw a molecule with its atoms tinted by what they add to the score: orange up, blue down.

        Parameters
        ----------
        molecule : str or RDKit molecule
            A SMILES or a molecule.
        output : int
            The class whose score is explained, with more than two.

        Returns
        -------
        Drawing
            SVG that notebooks show.
        """
        check_is_fitted(self, "model_")
        if not self.model_.chemistry:
            raise ValueError("the model was trained on graphs, not on molecules: there is no molecule to draw")
        if not isinstance(molecule, str):
            from rdkit import Chem

            molecule = Chem.MolToSmiles(molecule)
        weights = self.explain([molecule]).atoms[0]
        weights = weights if weights.ndim == 1 else weights[:, output]
        return Drawing(_spinney.molecule_svg(molecule, weights.tolist(), bool(self.largest_fragment)))

    # -- files ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, the same JSON as the program writes; whole or not at all."""
        check_is_fitted(self, "model_")
        self.model_.save(os.fspath(path))

    def to_json(self) -> str:
        """The text of the model file."""
        check_is_fitted(self, "model_")
        return self.model_.to_json()

    @classmethod
    def load(cls, path: str | os.PathLike[str]):
        """Read a model file, written by :meth:`save` or by the program.

        Raises
        ------
        ValueError
            A damaged file, or a model of another kind of estimator.
        """
        from .estimators import load

        path = os.fspath(path)
        loaded = load(path)
        if not isinstance(loaded, cls):
            raise ValueError(f"{path}: a model for {type(loaded).__name__}, not for {cls.__name__}")
        return loaded


class Heard:
    """Rounds as they come: callbacks and the progress bar."""

    def __init__(self, estimator: Any, callbacks: Any, verbose: Any) -> None:
        self.estimator = estimator
        self.callbacks = list(callbacks or [])
        self.listens = bool(self.callbacks or verbose)
        # How many rounds a trial finds is not known before.
        rounds = estimator.n_estimators
        self.rounds = None if isinstance(rounds, str) else rounds
        self.bar = _bar(self.rounds) if verbose else None

    def hear(self, text: str) -> bool:
        """Passes a round on; says whether to go on."""
        told = json.loads(text)
        if self.bar is not None:
            loss = told["train_loss"] if told["valid_loss"] is None else told["valid_loss"]
            self.bar(told["round"], loss)
        results = [("training", "loss", told["train_loss"], False)]
        if told["valid_loss"] is not None:
            results.append(("valid_0", "loss", told["valid_loss"], False))
        results += [("valid_0", name, value, name in _RISING) for name, value in told["valid"]]
        env = CallbackEnv(
            model=self.estimator,
            params=self.estimator.get_params(deep=False),
            iteration=told["round"] - 1,
            begin_iteration=0,
            end_iteration=self.rounds,
            evaluation_result_list=results,
        )
        stops = [callback(env) is True for callback in self.callbacks]
        return not any(stops)

    def close(self) -> None:
        if self.bar is not None:
            self.bar(None, None)


def _bar(total: int | None) -> Callable[[int | None, float | None], None]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _plain_bar(total)
    bar = tqdm(total=total, desc="boosting", unit="round")

    def show(done: int | None, loss: float | None) -> None:
        if done is None:
            bar.close()
        else:
            bar.update(done - bar.n)
            bar.set_postfix(loss=f"{loss:.4f}")

    return show


def _plain_bar(total: int | None) -> Callable[[int | None, float | None], None]:
    def show(done: int | None, loss: float | None) -> None:
        of_all = "" if total is None else f"/{total}"
        text = "\n" if done is None else f"\rboosting: round {done}{of_all}, loss {loss:.4f}"
        sys.stderr.write(text)
        sys.stderr.flush()

    return show
