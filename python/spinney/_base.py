"""What all estimators share: inputs, targets, predictions, patterns, pictures and files."""

from __future__ import annotations

import json
import numbers
import os
import sys
from collections import namedtuple
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, column_or_1d

from . import _parameters, _spinney, _targets
from ._drawing import Drawing, grid
from ._explanation import Explanation
from ._graphs import Graphs, chemistry_json, threads_of
from ._inputs import Settings, as_graphs
from ._targets import Target

if TYPE_CHECKING:
    import pandas as pd
    from scipy.sparse import csr_matrix

#: What a callback gets after each round, with the names that LightGBM uses; of several targets also which one is
#: trained on.
CallbackEnv = namedtuple(
    "CallbackEnv",
    ["model", "params", "iteration", "begin_iteration", "end_iteration", "evaluation_result_list", "target"],
    defaults=[None],
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

    # Set by fit: the trained model of the library, or with several targets a fitted estimator for each.
    model_: _spinney.Model
    estimators_: list[Any]
    target_names_: list[str]

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.one_d_array = True
        tags.input_tags.two_d_array = False
        tags.input_tags.string = True
        tags.target_tags.required = True
        tags.target_tags.multi_output = True
        return tags

    # -- one target or several ------------------------------------------------------------------

    @property
    def models_(self) -> list[_spinney.Model]:
        """The trained models, one for each target."""
        check_is_fitted(self)
        return [one.model_ for one in getattr(self, "estimators_", [self])]

    def _has_several(self) -> bool:
        """Whether it was trained on several targets."""
        return hasattr(self, "estimators_")

    def _fitted(self) -> _spinney.Model:
        """The model of the only target."""
        if self._has_several():
            names = ", ".join(self.target_names_)
            raise ValueError(f"trained on several targets ({names}): ask one of estimators_, which has one for each")
        check_is_fitted(self, "model_")
        return self.model_

    def _of_each(self, method: str, X: Any) -> list[Any]:
        """The results of a method of each target's estimator on `X`."""
        graphs = self.estimators_[0]._graphs(X)
        return [getattr(one, method)(graphs) for one in self.estimators_]

    # -- inputs ---------------------------------------------------------------------------------

    def _settings(self) -> Settings:
        chemistry = chemistry_json(self.atoms, self.bonds, self.hydrogens, self.largest_fragment)
        return Settings(chemistry, self.node_label, self.edge_label, threads_of(self.n_jobs))

    def _graphs(self, X: Any) -> _spinney.Graphs:
        """The graphs of `X`, molecules as the model was trained on them."""
        model = self._fitted()
        settings = self._settings()
        settings.chemistry = model.chemistry or settings.chemistry
        return as_graphs(X, settings, model.chemistry, model.covariate_names)

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

    def _encode(self, y: Any) -> tuple[list[str], np.ndarray | None]:
        """Targets as texts, and the classes, sorted, if there are any."""
        raise NotImplementedError

    def _encode_more(self, y: Any, classes: np.ndarray | None) -> list[str]:
        """Targets of validation graphs as texts."""
        raise NotImplementedError

    def _options(self, has_valid: bool, targets: int) -> dict[str, Any]:
        """How to train, as the library takes it."""
        params = {name: value for name, value in self.get_params(deep=False).items() if name in _parameters.TABLE}
        if "random_state" in params:
            params["random_state"] = seed_of(params["random_state"])
        if isinstance(params.get("class_weight"), Mapping):
            del params["class_weight"]
        nodes = getattr(self, "nodes", "label")
        return _parameters.limits(self) | {
            "params": params,
            "are_classes": hasattr(self, "predict_proba"),
            "gboost": None,
            "nodes": [nodes] if isinstance(nodes, str) else list(nodes),
            "measures": bool(getattr(self, "measures", False)),
            "engine": self.engine,
            "stack": self._stacks(has_valid, targets),
            "threads": threads_of(self.n_jobs),
        }

    def _stacks(self, has_valid: bool, targets: int) -> bool:
        """Whether models of several targets are stacked."""
        stack = getattr(self, "stack", False)
        if not (isinstance(stack, (bool, np.bool_)) or isinstance(stack, str) and stack == "auto"):
            raise ValueError(f'stack must be "auto", True or False, not {stack!r}')
        if not stack or targets < 2:
            return False
        names = ("early_stopping_rounds", "checkpoint", "max_time", "max_patterns")
        hindrances = ["eval_set"] if has_valid else []
        hindrances += [name for name in names if getattr(self, name) is not None]
        if hindrances and not isinstance(stack, str):
            raise ValueError(f"stack: models cannot be stacked with {hindrances[0]}")
        return not hindrances

    def _class_weights(self, target: Target) -> np.ndarray | None:
        """Weights of graphs by a dictionary of classes; nothing without one."""
        return None

    def _columns(
        self,
        targets: list[Target],
        weights: np.ndarray | None,
        held_out: list[list[str | None]],
    ) -> list[dict[str, Any]]:
        """Targets as the library takes them."""
        path = _parameters.checkpoint_path(self)
        columns = []
        for at, target in enumerate(targets):
            own = self._class_weights(target)
            if own is None:
                own = weights
            elif weights is not None:
                own = weights * own
            checkpoint = path
            if path is not None and len(targets) > 1:
                checkpoint = _targets.named_after(path, target.name)
            columns.append(
                {
                    "name": target.name,
                    "values": target.values,
                    "held_out": held_out[at] if held_out else [],
                    "weights": None if own is None else own.tolist(),
                    "checkpoint": checkpoint,
                }
            )
        paths = [column["checkpoint"] for column in columns if path is not None]
        if len(set(paths)) < len(paths):
            raise ValueError("checkpoint: two targets have names that give the same file")
        return columns

    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        eval_set: Any = None,
        callbacks: Sequence[Callable[[CallbackEnv], Any]] | None = None,
    ) -> None:
        """Trains on all targets of `y`."""
        y = self._given(X, y)
        targets = self._targets(y)
        graphs = self._training_graphs(X)
        for target in targets:
            check_length(len(graphs), target.values)
        weights = self._weights(sample_weight, X, len(graphs))
        sets = self._eval_sets(eval_set, targets)
        has_several = len(targets) > 1
        options = self._options(bool(sets), len(targets))
        data = {
            "graphs": graphs,
            "held_out": sets[0][0] if sets else None,
            "targets": self._columns(targets, weights, sets[0][1] if sets else []),
        }
        names = [target.name if has_several else None for target in targets]
        listener = RoundListener(self, names, callbacks, getattr(self, "verbose", 0))
        try:
            trained = _spinney.train(data, options, listener.on_event if listener.listens else None)
        finally:
            listener.close()
        self._forget()
        if not has_several:
            more = [(graphs, columns[0]) for graphs, columns in sets[1:]]
            self._keep(*trained[0], targets[0], more)
            return
        estimators = []
        for at, (target, (model, record)) in enumerate(zip(targets, trained, strict=True)):
            one = clone(self)
            one._keep(model, record, target, [(graphs, columns[at]) for graphs, columns in sets[1:]])
            estimators.append(one)
        self._keep_several([target.name for target in targets], estimators)

    def _targets(self, y: Any) -> list[Target]:
        """The targets of `y`, as texts."""
        columns = _targets.columns_of(y)
        if columns is None:
            texts, classes = self._encode(y)
            return [Target("", list(texts), classes)]
        targets = []
        for name, values in columns.items():
            rows = _targets.known_rows(values)
            try:
                if len(rows) == 0:
                    raise ValueError("no graph has a target")
                texts, classes = self._encode(np.array(values[rows].tolist()))
            except ValueError as error:
                raise ValueError(f"target {name!r}: {error}") from error
            targets.append(Target(name, _targets.spread(texts, rows, len(values)), classes))
        return targets

    def _forget(self) -> None:
        """Removes what an earlier training left."""
        for name in [name for name in vars(self) if name.endswith("_") and not name.startswith("_")]:
            delattr(self, name)

    def _keep(
        self,
        model: _spinney.Model,
        record: str,
        target: Target,
        more: list[tuple[_spinney.Graphs, list[str | None]]],
    ) -> None:
        """Keeps the model of a target."""
        self.model_ = model
        self.record_ = json.loads(record)
        self.n_features_in_ = 1
        self.n_outputs_ = 1
        if target.classes is not None:
            self.classes_ = target.classes
        if "rounds" in self.record_ and isinstance(self.record_["rounds"], list):
            self.best_iteration_ = self.record_["best_round"]
            self.n_iter_ = len(self.record_["rounds"])
            self._record_evaluations(more)

    def _keep_several(self, names: list[str], estimators: list[Any]) -> None:
        """Keeps the fitted estimators of several targets."""
        self.estimators_ = estimators
        self.target_names_ = names
        self.n_features_in_ = 1
        self.n_outputs_ = len(estimators)
        for name in ("classes_", "record_", "best_iteration_", "n_iter_", "evals_result_"):
            if all(hasattr(one, name) for one in estimators):
                setattr(self, name, [getattr(one, name) for one in estimators])

    def _record_evaluations(self, more: list[tuple[_spinney.Graphs, list[str | None]]]) -> None:
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
            known = [row for row, target in enumerate(targets) if target is not None]
            graphs, texts = graphs.take(known), [target for target in targets if target is not None]
            own: dict[str, list[float]] = {}
            for scores in self._staged_scores(graphs):
                for name, value in self.model_.measures(graphs, texts, scores):
                    own.setdefault(name, []).append(value)
            result[f"valid_{number}"] = own
        self.evals_result_ = result

    def _eval_sets(
        self, eval_set: Any, targets: list[Target]
    ) -> list[tuple[_spinney.Graphs, list[list[str | None]]]]:
        """Validation graphs, each with its targets, one column after the other."""
        if eval_set is None:
            return []
        if isinstance(eval_set, Graphs):
            eval_set = [(eval_set, None)]
        if isinstance(eval_set, tuple) and len(eval_set) == 2:
            eval_set = [eval_set]
        sets = []
        for X, y in eval_set:
            graphs = self._training_graphs(X)
            columns = self._eval_columns(self._given(X, y), targets)
            for column in columns:
                check_length(len(graphs), column, "y of eval_set")
            sets.append((graphs, columns))
        return sets

    def _eval_columns(self, y: Any, targets: list[Target]) -> list[list[str | None]]:
        columns = _targets.columns_of(y)
        if len(targets) == 1:
            if columns is not None:
                raise ValueError(f"y of eval_set has {len(columns)} targets, but y has one")
            return [list(self._encode_more(y, targets[0].classes))]
        if columns is None:
            raise ValueError(f"y of eval_set has one target, but y has {len(targets)}")
        texts = []
        ordered = _targets.in_order(columns, [target.name for target in targets], "y of eval_set")
        for target, values in zip(targets, ordered, strict=True):
            rows = _targets.known_rows(values)
            known = self._encode_more(np.array(values[rows].tolist()), target.classes) if len(rows) else []
            texts.append(_targets.spread(known, rows, len(values)))
        return texts

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
        graphs = self._graphs(X)
        return self.model_.scores(graphs, threads_of(self.n_jobs))

    def _staged_scores(self, graphs: _spinney.Graphs):
        """The scores after each round."""
        _, values = self.model_.leaves(graphs, threads_of(self.n_jobs))
        init = np.asarray(self.model_.init)
        scores = np.tile(init, (len(graphs), 1))
        trees, beside = self.model_.trees_a_round, self.model_.trees_beside
        for start in range(0, values.shape[1], len(init)):
            scores = scores + values[:, start : start + len(init)]
            own = start + len(init) - beside
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
        """Which of the splits' conditions ("pattern at least t times") each graph meets.

        Parameters
        ----------
        X : sequence of molecules or graphs

        Returns
        -------
        scipy.sparse.csr_matrix of shape (n_graphs, n_questions)
        """
        from scipy.sparse import csr_matrix

        graphs = self._graphs(X)
        starts, columns, values = self.model_.features(graphs, threads_of(self.n_jobs))
        shape = (len(graphs), len(self.model_.questions()[0]))
        return csr_matrix((values.astype(np.uint8), columns, starts), shape=shape)

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """The columns of :meth:`transform`: patterns, with ``x2`` and so on where more than one is asked for."""
        texts = self._fitted().texts()
        patterns, thresholds, _ = self.model_.questions()
        names = [
            texts[p] if t == 1 else f"{texts[p]} x{t}"
            for p, t in zip(patterns, thresholds, strict=True)
        ]
        return np.array(names, dtype=object)

    @property
    def feature_importances_(self) -> np.ndarray:
        """The share of the total gain that each column of :meth:`transform` has."""
        gains = np.asarray(self._fitted().questions()[2])
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
        import pandas as pd

        model = self._fitted()
        texts, rows = model.texts(), model.importance()
        name = "smarts" if model.chemistry else "pattern"
        table: dict[str, Any] = {name: [texts[row["pattern"]] for row in rows]}
        for column in ("edges", "gain", "splits", "cover", "at_least"):
            table[column] = [row[column] for row in rows]
        names = self._support_names()
        support = np.array([row["support"] for row in rows], dtype=np.int64).reshape(len(rows), len(names))
        for i, column in enumerate(names):
            table[column] = support[:, i]
        outputs = self._output_names()
        effects = self._effects(rows)
        for i, output in enumerate(outputs):
            table["effect" + output] = effects[:, i]
            table["direction" + output] = np.where(effects[:, i] >= 0, "+", "-")
        return pd.DataFrame(table)

    def _effects(self, rows: list[dict[str, Any]]) -> np.ndarray:
        """The effects of patterns, by output."""
        effects = np.array([row["effect"] for row in rows])
        return self._signs(effects.reshape(len(rows), len(self.model_.init)))

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
        every = self._fitted().importance()
        rows = every[:n]
        pictures = [self.model_.pattern_svg(row["pattern"]) for row in rows]
        total = sum(row["gain"] for row in every) or 1.0
        captions = []
        for i, (row, effect) in enumerate(zip(rows, self._effects(rows), strict=True), start=1):
            shown = f", effect {effect[0]:+.3f}" if len(effect) == 1 else ""
            captions.append(f"{i}: {row['gain'] / total:.1%} of the gain{shown}")
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
        if not self._fitted().chemistry:
            raise ValueError("the model was trained on graphs, not on molecules: there is no molecule to draw")
        if not isinstance(molecule, str):
            from rdkit import Chem

            molecule = Chem.MolToSmiles(molecule)
        weights = self.explain([molecule]).atoms[0]
        weights = weights if weights.ndim == 1 else weights[:, output]
        return Drawing(_spinney.molecule_svg(molecule, weights.tolist(), bool(self.largest_fragment)))

    # -- files ----------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, the same JSON as the program writes; whole or not at all.

        With several targets the file is a JSON list of targets and their models; ``estimators_`` write files of their
        own, which the program reads.
        """
        if self._has_several():
            _targets.write_whole(os.fspath(path), self.to_json())
        else:
            self._fitted().save(os.fspath(path))

    def to_json(self) -> str:
        """The text of the model file."""
        if self._has_several():
            return _targets.joined(self.target_names_, [one.to_json() for one in self.estimators_])
        return self._fitted().to_json()

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


class RoundListener:
    """Rounds as they come: callbacks and the progress bar."""

    def __init__(self, estimator: Any, names: list[str | None], callbacks: Any, verbose: Any) -> None:
        self.estimator = estimator
        self.names = names
        self.callbacks = list(callbacks or [])
        self.verbose = bool(verbose)
        self.listens = bool(self.callbacks or self.verbose)
        # How many rounds there are is not known before tuning is done.
        self.rounds: int | None = None
        self.bar: Callable[[int | None, float | None], None] | None = None

    def on_event(self, text: str) -> bool:
        """Passes an event on; returns whether to continue."""
        event = json.loads(text)
        name = self.names[event["target"]]
        if "rounds" in event:
            self.close()
            self.rounds = event["rounds"]
            if self.verbose:
                self.bar = _bar(self.rounds, "boosting" if name is None else f"boosting {name}")
            return True
        return self._on_round(event["round"], name)

    def _on_round(self, done: dict[str, Any], name: str | None) -> bool:
        if self.bar is not None:
            loss = done["train_loss"] if done["valid_loss"] is None else done["valid_loss"]
            self.bar(done["round"], loss)
        results = [("training", "loss", done["train_loss"], False)]
        if done["valid_loss"] is not None:
            results.append(("valid_0", "loss", done["valid_loss"], False))
        results += [("valid_0", metric, value, metric in _RISING) for metric, value in done["valid"]]
        env = CallbackEnv(
            model=self.estimator,
            params=self.estimator.get_params(deep=False),
            iteration=done["round"] - 1,
            begin_iteration=0,
            end_iteration=self.rounds,
            evaluation_result_list=results,
            target=name,
        )
        stops = [callback(env) is True for callback in self.callbacks]
        return not any(stops)

    def close(self) -> None:
        if self.bar is not None:
            self.bar(None, None)
            self.bar = None


def _bar(total: int | None, what: str) -> Callable[[int | None, float | None], None]:
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return _plain_bar(total, what)
    bar = tqdm(total=total, desc=what, unit="round")

    def show(done: int | None, loss: float | None) -> None:
        if done is None:
            bar.close()
        else:
            bar.update(done - bar.n)
            bar.set_postfix(loss=f"{loss:.4f}")

    return show


def _plain_bar(total: int | None, what: str) -> Callable[[int | None, float | None], None]:
    def show(done: int | None, loss: float | None) -> None:
        of_all = "" if total is None else f"/{total}"
        text = "\n" if done is None else f"\r{what}: round {done}{of_all}, loss {loss:.4f}"
        sys.stderr.write(text)
        sys.stderr.flush()

    return show
