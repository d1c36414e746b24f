"""Scoring of data sets larger than one machine, on engines that exist: Dask, Spark and Ray.

Each function takes a fitted estimator and a table with a column of SMILES, and gives the same table with
predictions beside it. The model goes to each worker once; rows stream through it in Arrow batches, so a worker's
memory does not grow with the table. What happens when a worker is lost is the engine's own matter: its
tasks are done again elsewhere, and since a row's prediction depends on the row and the model alone, nothing is
lost and nothing comes twice.

The engines are optional: the extras ``dask``, ``spark`` and ``ray`` of the package. Where one is missing, the error
names the command that installs it. Grids of hyper-parameters need nothing from here; use joblib's Dask backend:

>>> import joblib  # doctest: +SKIP
>>> with joblib.parallel_backend("dask"):  # doctest: +SKIP
...     GridSearchCV(SpinneyClassifier(), grid).fit(X, y)
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from . import _spinney
from ._install import require
from .estimators import _of_model

#: Rows scored at a time within a worker.
BATCH = 8192

# The models of this process, by the digest of their text: unpacked once.
_MODELS: dict[str, Any] = {}


def _unpacked(text: str, digest: str) -> Any:
    """The estimator of a model's text, unpacked once a process."""
    if digest not in _MODELS:
        model = _of_model(_spinney.Model.from_json(text))
        # Engines run a task on each core: one thread for each.
        model.n_jobs = 1
        _MODELS[digest] = model
    return _MODELS[digest]


def _packed(model: Any) -> tuple[str, str]:
    _columns(model)
    text = model.to_json()
    return text, hashlib.sha256(text.encode()).hexdigest()


def _columns(model: Any) -> list[tuple[str, type]]:
    """The names and kinds of the columns that are added."""
    if model._has_several():
        raise ValueError("trained on several targets: score with each of estimators_")
    if not hasattr(model, "classes_"):
        return [("prediction", float)]
    kind = {"i": int, "u": int, "f": float, "b": bool}.get(model.classes_.dtype.kind, str)
    if len(model.classes_) == 2:
        return [("prediction", kind), ("score", float), ("probability", float)]
    return [("prediction", kind), *((f"probability_{c}", float) for c in model.classes_)]


def _predictions(model: Any, smiles: Any) -> list[np.ndarray]:
    """The columns that are added, for some rows."""
    if not hasattr(model, "classes_"):
        return [model.predict(smiles)]
    scores = model._scores(smiles)
    predicted, probabilities = model._meant(scores), model._probabilities(scores)
    if len(model.classes_) == 2:
        return [predicted, model._signs(scores)[:, 0], probabilities[:, 1]]
    return [predicted, *probabilities.T]


def score_batches(model: Any, batches: Iterable[Any], smiles: str = "smiles") -> Iterator[Any]:
    """Arrow record batches with predictions beside them, one after another.

    Parameters
    ----------
    model : fitted estimator
    batches : iterable of pyarrow.RecordBatch
    smiles : str
        The column of SMILES.

    Yields
    ------
    pyarrow.RecordBatch
        The same columns, and ``prediction``; for two classes ``score`` and ``probability`` (of ``classes_[1]``), for more
        a ``probability_CLASS`` each.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from spinney import SpinneyRegressor
    >>> from spinney.distributed import score_batches
    >>> model = SpinneyRegressor(n_estimators=5).fit(["C", "CC", "CCC", "CCCC"], [1.0, 2.0, 3.0, 4.0])
    >>> table = pa.table({"smiles": ["C", "CCCC"]})
    >>> [batch.column_names for batch in score_batches(model, table.to_batches())]
    [['smiles', 'prediction']]
    """
    pa = require("pyarrow", "dask")

    names = [name for name, _ in _columns(model)]
    for batch in batches:
        for start in range(0, batch.num_rows, BATCH):
            part = batch.slice(start, BATCH)
            added = [pa.array(column) for column in _predictions(model, part.column(smiles))]
            arrays = [*part.columns, *added]
            yield pa.RecordBatch.from_arrays(arrays, names=[*part.schema.names, *names])


def score_dask(model: Any, table: Any, smiles: str = "smiles", client: Any = None) -> Any:
    """Score a Dask DataFrame, partition by partition (``map_partitions``).

    Parameters
    ----------
    model : fitted estimator
    table : dask.dataframe.DataFrame or str
        A table, or the path of a Parquet data set, which is read a row group at a time.
    smiles : str
        The column of SMILES.
    client : distributed.Client, optional
        The cluster; by default the current one, or this process.

    Returns
    -------
    dask.dataframe.DataFrame
        Not computed yet; ``.to_parquet(...)`` streams it to files.

    Examples
    --------
    >>> from distributed import Client  # doctest: +SKIP
    >>> client = Client("scheduler:8786")  # doctest: +SKIP
    >>> score_dask(model, "library/", client=client).to_parquet("scored/")  # doctest: +SKIP
    """
    dd = require("dask.dataframe", "dask")

    if not hasattr(table, "map_partitions"):
        table = dd.read_parquet(table, split_row_groups=True)
    text, digest = _packed(model)
    _unpacked(text, digest)
    client = client or _current_client()
    if client is not None:
        client.register_plugin(_keeper(text, digest))
    meta = table._meta.copy()
    for name, kind in _columns(model):
        meta[name] = np.array([], dtype=object if kind is str else kind)
    return table.map_partitions(_scored_frame, digest, smiles, meta=meta)


def _current_client() -> Any:
    try:
        from distributed import default_client

        return default_client()
    except (ImportError, ValueError):
        return None


def _keeper(text: str, digest: str) -> Any:
    """Puts a model into every worker, also into those that come later."""
    from distributed import WorkerPlugin

    class Keeper(WorkerPlugin):
        name = f"spinney-{digest}"

        def setup(self, worker: Any) -> None:
            from spinney.distributed import _unpacked

            _unpacked(text, digest)

    return Keeper()


def _scored_frame(frame: Any, digest: str, smiles: str) -> Any:
    import pandas as pd

    model = _MODELS[digest]
    parts = []
    for start in range(0, max(1, len(frame)), BATCH):
        part = frame.iloc[start : start + BATCH]
        added = zip(_columns(model), _predictions(model, part[smiles]), strict=True)
        parts.append(part.assign(**{name: values for (name, _), values in added}))
    return parts[0] if len(parts) == 1 else pd.concat(parts)


def score_spark(model: Any, frame: Any, smiles: str = "smiles") -> Any:
    """Score a Spark DataFrame in Arrow batches (``mapInArrow``).

    Parameters
    ----------
    model : fitted estimator
    frame : pyspark.sql.DataFrame
    smiles : str
        The column of SMILES.

    Returns
    -------
    pyspark.sql.DataFrame
        Not computed yet; ``.write.parquet(...)`` streams it to files.

    Examples
    --------
    >>> score_spark(model, spark.read.parquet("library/")).write.parquet("scored/")  # doctest: +SKIP
    """
    types = require("pyspark.sql.types", "spark")

    kinds = {float: types.DoubleType(), int: types.LongType(), bool: types.BooleanType(), str: types.StringType()}
    added = [types.StructField(name, kinds[kind]) for name, kind in _columns(model)]
    schema = types.StructType([*frame.schema.fields, *added])
    text, digest = _packed(model)
    sent = frame.sparkSession.sparkContext.broadcast(text)

    def score(batches: Iterator[Any]) -> Iterator[Any]:
        from spinney.distributed import _unpacked, score_batches

        return score_batches(_unpacked(sent.value, digest), batches, smiles)

    return frame.mapInArrow(score, schema)


def score_ray(model: Any, data: Any, smiles: str = "smiles", workers: int | None = None) -> Any:
    """Score a Ray data set in Arrow batches (``map_batches``), an actor with the model a worker.

    Parameters
    ----------
    model : fitted estimator
    data : ray.data.Dataset
    smiles : str
        The column of SMILES.
    workers : int, optional
        How many actors; by default one for each core of the cluster but one, which reads and writes.

    Returns
    -------
    ray.data.Dataset
        Not computed yet; ``.write_parquet(...)`` streams it to files.

    Examples
    --------
    >>> score_ray(model, ray.data.read_parquet("library/")).write_parquet("scored/")  # doctest: +SKIP
    """
    ray = require("ray", "ray")
    text, digest = _packed(model)
    sent = ray.put(text)
    if workers is None:
        workers = max(1, int(ray.cluster_resources().get("CPU", 2)) - 1)
    return data.map_batches(
        _RayScorer,
        fn_constructor_args=([sent], digest, smiles),
        batch_size=BATCH,
        batch_format="pyarrow",
        compute=ray.data.ActorPoolStrategy(size=workers),
        zero_copy_batch=True,
    )


class _RayScorer:
    """Keeps the model in an actor."""

    def __init__(self, sent: list[Any], digest: str, smiles: str) -> None:
        import ray

        self.model = _unpacked(ray.get(sent[0]), digest)
        self.smiles = smiles

    def __call__(self, table: Any) -> Any:
        import pyarrow as pa

        batches = list(score_batches(self.model, table.to_batches(), self.smiles))
        if not batches:
            added = zip(_columns(self.model), _predictions(self.model, []), strict=True)
            for (name, _), values in added:
                table = table.append_column(name, pa.array(values))
            return table
        return pa.Table.from_batches(batches)
