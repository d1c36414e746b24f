"""Long calls let other threads run, and stop on Ctrl-C."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest
from conftest import ALCOHOL, SMILES

from spinney import SpinneyClassifier, SubgraphTransformer

LONG = {"n_estimators": 1_000_000, "subsample": 0.7, "colsample": 0.9}


@pytest.mark.skipif(os.name != "posix", reason="signals")
@pytest.mark.parametrize("work", [
    lambda: SpinneyClassifier(**LONG).fit(SMILES * 20, list(ALCOHOL) * 20),
    lambda: SpinneyClassifier(max_edges=None, engine="census").fit(["C12C3C4C1C5C2C3C45" * 1 + "CCCCCCCCCCCCCC"] * 4 + ["O"] * 4, [0, 1] * 4),
    lambda: SpinneyClassifier(**LONG).fit(SMILES * 20, [[a, 1 - a] for a in list(ALCOHOL) * 20]),
    lambda: SubgraphTransformer(min_support=1, max_edges=None, closed=False).fit(["C1CC2CCC3CCC4CCCC5C1C2C3C45" + "NOCPS" * 4]),
], ids=["boosting", "census", "targets", "mining"])
def test_ctrl_c(work):
    # A process started in the background ignores the signal by default.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.7, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    started = time.monotonic()
    try:
        with pytest.raises(KeyboardInterrupt):
            work()
            time.sleep(2)  # It may have been faster than the signal.
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert time.monotonic() - started < 5


def test_nothing_is_written_after_a_callback_raised(tmp_path):
    def fail(env):
        if env.iteration == 20:
            raise RuntimeError("enough")

    path = tmp_path / "run.json"
    with pytest.raises(RuntimeError, match="enough"):
        SpinneyClassifier(**LONG, checkpoint=path).fit(SMILES * 20, list(ALCOHOL) * 20, callbacks=[fail])
    path.unlink(missing_ok=True)
    time.sleep(1)
    assert not path.exists()


@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_a_training_that_was_interrupted_goes_on(tmp_path):
    X, y = SMILES * 20, list(ALCOHOL) * 20
    estimator = SpinneyClassifier(n_estimators=2000, subsample=0.7, checkpoint=tmp_path / "run.json")
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            estimator.fit(X, y)
            time.sleep(2)
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    resumed = []
    estimator.fit(X, y, callbacks=[resumed.append])
    whole = SpinneyClassifier(n_estimators=2000, subsample=0.7).fit(X, y)
    assert estimator.to_json() == whole.to_json() and resumed[0].iteration > 0


def test_other_threads_run_meanwhile():
    ticks = []
    done = threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            time.sleep(0.005)

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    SpinneyClassifier(n_estimators=300, n_jobs=1).fit(SMILES * 30, list(ALCOHOL) * 30)
    seconds = time.monotonic() - started
    done.set()
    thread.join()
    assert len(ticks) > seconds / 0.005 / 10


def test_a_panic_would_be_an_exception_and_a_fork_works():
    """In a process of its own: fork after threads exist."""
    code = textwrap.dedent("""
        import os, sys
        from spinney import SpinneyClassifier
        X, y = ["CO", "CCO", "CC", "CCC"] * 5, [1, 1, 0, 0] * 5
        model = SpinneyClassifier(n_estimators=5).fit(X, y)
        child = os.fork()
        if child == 0:
            same = SpinneyClassifier(n_estimators=5).fit(X, y).to_json() == model.to_json()
            os._exit(0 if same else 1)
        _, status = os.waitpid(child, 0)
        sys.exit(os.waitstatus_to_exitcode(status))
    """)
    assert subprocess.run([sys.executable, "-c", code], timeout=60).returncode == 0
