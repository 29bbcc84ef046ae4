"""Many pairs with a real Ray, whose workers are killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

# On a busy machine Ray takes longer to start than it likes to wait.
os.environ.setdefault("RAY_raylet_start_wait_time_s", "300")

import ray

import anchormatch as am

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))
from many_pairs import assert_same, killer, some_pairs

EXAMPLE = Path(__file__).resolve().parents[1] / "examples" / "many_pairs_ray.py"
PAIRS = some_pairs(30, nodes=20)


@pytest.fixture(scope="module", autouse=True)
def cluster():
    # Workers unpickle what the tests define.
    folder = str(Path(__file__).resolve().parents[1] / "tests")
    environment = {"env_vars": {"PYTHONPATH": folder}}
    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env=environment)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def alone() -> am.Matchings:
    return am.match_many(PAIRS)


def test_results_are_those_of_single_calls(alone):
    assert_same(am.match_many(PAIRS, executor=ray), alone)


def test_nothing_is_lost_when_a_worker_is_killed(alone):
    workers = set(ray.get([process.remote() for _ in range(8)]))
    assert os.getpid() not in workers
    killed: list[int] = []

    def assassin(stage, done, total, value):
        if done == 5 and not killed:
            killed.extend(workers)
            for worker in workers:
                os.kill(worker, signal.SIGKILL)

    results = am.match_many(PAIRS, executor=ray, progress=assassin)
    assert killed
    assert_same(results, alone)


def test_failures_are_named_and_graphs_do_not_come_back():
    graph = am.points(np.random.default_rng(0).random((80, 2)))
    anchors = [(0, 0), (1, 1)]
    good, bad = (graph, graph, anchors), (graph, graph, [(0, 99)])
    pairs = [good, good, good, (threading.Lock(), graph), bad, (graph, graph)]
    results = am.match_many(pairs, executor=ray, preset="fast")
    assert [failure.index for failure in results.failures] == [3, 4]
    assert "cannot pickle" in str(results[3]) and "found 99, expected 0 to 79" in str(results[4])
    assert results[0].source is graph and results[5].target is graph
    assert_same(results[:3], [am.match(graph, graph, anchors, preset="fast")] * 3)


def test_a_pair_that_kills_every_worker_fails_alone(alone):
    results = am.match_many([killer(PAIRS[0]), *PAIRS[1:6]], executor=ray)
    assert [failure.index for failure in results.failures] == [0]
    assert type(results[0].exception).__name__ == "WorkerCrashedError"
    assert_same(results[1:], alone[1:6])


def test_the_example_prints_what_is_promised(tmp_path):
    run = subprocess.run(
        [sys.executable, str(EXAMPLE)],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=600,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout == EXAMPLE.with_suffix(".txt").read_text(encoding="utf-8")


@ray.remote
def process() -> int:
    return os.getpid()
