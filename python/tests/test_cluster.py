"""Scoring on local clusters of two workers, one of which is killed half-way; grids over Dask."""

import glob
import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from conftest import ALCOHOL, KIND, QUICK, SMILES

from spinney import SpinneyClassifier, SpinneyRegressor
from spinney.distributed import score_batches

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")

GROUPS, ROWS = 20, 1500


@pytest.fixture(scope="module")
def model():
    # A view that needs aromaticity is slow enough for a worker to be killed meanwhile.
    return SpinneyClassifier(**QUICK, atoms="element+aromatic").fit(SMILES, ALCOHOL)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    """A Parquet data set of two files, many row groups each, and its rows by number."""
    folder = tmp_path_factory.mktemp("library")
    rng = np.random.RandomState(0)
    parts = np.array(SMILES)
    rows = GROUPS * ROWS
    smiles = np.char.add(np.char.add("C" * 3, parts[rng.randint(20, 24, rows)]), rng.choice(["", "O", "N", "OCc1ccccc1"], rows))
    table = pa.table({"id": np.arange(rows), "smiles": smiles.tolist()})
    for number in range(2):
        part = table.slice(number * rows // 2, rows // 2)
        pq.write_table(part, folder / f"{number}.parquet", row_group_size=ROWS)
    return str(folder), table


def expected(model, table):
    frame = table.to_pandas()
    graphs = model._graphs(table["smiles"])
    frame["prediction"] = model.predict(graphs)
    frame["score"] = model.decision_function(graphs)
    frame["probability"] = model.predict_proba(graphs)[:, 1]
    return frame


def check(found, model, table):
    found = found.sort_values("id").reset_index(drop=True)[["id", "smiles", "prediction", "score", "probability"]]
    wanted = expected(model, table)
    assert len(found) == len(wanted) and found.id.is_unique
    assert (found.prediction.to_numpy() == wanted.prediction.to_numpy()).all()
    assert (found.score.to_numpy() == wanted.score.to_numpy()).all()
    assert (found.probability.to_numpy() == wanted.probability.to_numpy()).all()


def descendant(word):
    """A process that this one started, by a word of its command line; none if there is none yet."""
    import psutil

    for process in psutil.Process().children(recursive=True):
        try:
            if any(word in part for part in process.cmdline()):
                return process.pid
        except psutil.Error:
            continue
    return None


class Killer(threading.Thread):
    """Kills a process once there is some output, while more is to come."""

    def __init__(self, folder, victim):
        super().__init__(daemon=True)
        self.folder, self.victim, self.killed_at = folder, victim, None
        self.start()

    def run(self):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            done = [p for p in glob.glob(f"{self.folder}/**/*.parquet", recursive=True) if os.path.getsize(p) > 0]
            victim = self.victim() if done else None
            if victim is not None:
                os.kill(victim, signal.SIGKILL)
                self.killed_at = len(done)
                return
            time.sleep(0.005)


def test_batches(model, library):
    _, table = library
    table = table.slice(0, 10_000)
    parts = list(score_batches(model, table.to_batches()))
    assert all(part.num_rows <= 8192 for part in parts)
    check(pa.Table.from_batches(parts).to_pandas(), model, table)
    several = SpinneyClassifier(**QUICK).fit(SMILES, KIND)
    part = next(score_batches(several, table.to_batches()))
    assert part.schema.names[-4:] == ["prediction", "probability_alcohol", "probability_amine", "probability_hydrocarbon"]
    numbers = SpinneyRegressor(**QUICK).fit(SMILES, ALCOHOL)
    assert next(score_batches(numbers, table.to_batches())).schema.names[-1] == "prediction"


@pytest.mark.skipif(not os.path.exists("/proc/self/statm"), reason="needs /proc")
def test_memory_does_not_grow_with_the_stream():
    plain = SpinneyClassifier(**QUICK).fit(SMILES, ALCOHOL)
    batch = pa.record_batch({"smiles": SMILES * 200})

    def resident():
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    seen = [resident() for _ in score_batches(plain, (batch for _ in range(100)))]
    assert max(seen[10:]) - seen[10] < 50e6


@pytest.fixture(scope="module")
def dask_client():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, memory_limit=0) as cluster:
        with distributed.Client(cluster) as client:
            yield client


def test_dask_grid(dask_client):
    import joblib
    from sklearn.model_selection import GridSearchCV

    grid = {"max_depth": [1, 3], "max_edges": [1, 2]}
    with joblib.parallel_backend("dask"):
        search = GridSearchCV(SpinneyClassifier(**QUICK, n_jobs=1), grid, cv=3).fit(SMILES, KIND)
    alone = GridSearchCV(SpinneyClassifier(**QUICK), grid, cv=3).fit(SMILES, KIND)
    assert (search.cv_results_["mean_test_score"] == alone.cv_results_["mean_test_score"]).all()


def test_dask_with_a_worker_killed(dask_client, model, library, tmp_path):
    from spinney.distributed import score_dask

    folder, table = library
    pids = list(dask_client.run(os.getpid).values())
    killer = Killer(tmp_path / "out", lambda: pids[0])
    score_dask(model, folder, client=dask_client).to_parquet(str(tmp_path / "out"), write_index=False)
    killer.join(10)
    assert killer.killed_at and killer.killed_at < GROUPS, "no worker was killed half-way"
    check(pd.read_parquet(tmp_path / "out"), model, table)


def test_dask_without_a_cluster(model, library):
    dd = pytest.importorskip("dask.dataframe")
    import dask

    from spinney.distributed import score_dask

    _, table = library
    frame = dd.from_pandas(table.slice(0, 1000).to_pandas(), npartitions=3)
    with dask.config.set(scheduler="synchronous"):
        check(score_dask(model, frame).compute(), model, table.slice(0, 1000))


@pytest.mark.cluster
def test_spark_with_an_executor_killed(model, library, tmp_path):
    pyspark = pytest.importorskip("pyspark")
    pytest.importorskip("psutil")
    import shutil
    import sys

    if shutil.which("java") is None:
        pytest.skip("no Java: apt install default-jre-headless")
    from pyspark.sql import SparkSession

    from spinney.distributed import score_spark

    folder, table = library
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ.setdefault("SPARK_HOME", os.path.dirname(pyspark.__file__))
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    spark = (
        SparkSession.builder.master("local-cluster[2,1,1024]")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.executor.memory", "700m")
        .config("spark.sql.files.maxPartitionBytes", str(10_000))
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "1000")
        .getOrCreate()
    )
    try:
        killer = Killer(tmp_path / "out", lambda: descendant("CoarseGrainedExecutorBackend"))
        score_spark(model, spark.read.parquet(folder)).write.parquet(str(tmp_path / "out"))
        killer.join(10)
        assert killer.killed_at, "no executor was killed half-way"
        check(pd.read_parquet(tmp_path / "out"), model, table)
    finally:
        spark.stop()


@pytest.mark.cluster
def test_ray_with_an_actor_killed(model, library, tmp_path):
    ray = pytest.importorskip("ray")
    pytest.importorskip("psutil")
    from spinney.distributed import score_ray

    folder, table = library
    ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        killer = Killer(tmp_path / "out", lambda: descendant("MapWorker"))
        data = ray.data.read_parquet(folder, override_num_blocks=GROUPS)
        score_ray(model, data, workers=2).write_parquet(str(tmp_path / "out"))
        killer.join(10)
        assert killer.killed_at, "no actor was killed half-way"
        check(pd.read_parquet(tmp_path / "out"), model, table)
    finally:
        ray.shutdown()
