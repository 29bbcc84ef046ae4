"""Many pairs on a real cluster of Dask, whose workers are killed."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import threading

import numpy as np
import pytest
from dask import config
from distributed import Client, LocalCluster
from many_pairs import assert_same, killer, some_pairs

import anchormatch as am

# Killed workers leave sockets and semaphores behind, which is what they are killed for.
pytestmark = pytest.mark.filterwarnings("ignore")

PAIRS = some_pairs(24, nodes=16)


@pytest.fixture(scope="module")
def alone() -> am.Matchings:
    return am.match_many(PAIRS)


@pytest.fixture
def client():
    # On a busy machine a new worker may take its time.
    patient = {
        "distributed.deploy.lost-worker-timeout": "600s",
        "distributed.comm.timeouts.connect": "120s",
    }
    with (
        config.set(patient),
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        client.wait_for_workers(2, timeout=300)
        yield client


class Assassin:
    """Progress that kills one worker when some pairs are done and many are not."""

    def __init__(self, client: Client, when: int) -> None:
        self.processes = client.run(os.getpid)
        assert len(self.processes) == 2
        self.when = when
        self.killed: int | None = None

    def __call__(self, stage, done, total, value):
        if done == self.when and self.killed is None:
            self.killed = next(iter(self.processes.values()))
            os.kill(self.killed, signal.SIGKILL)


def test_nothing_is_lost_when_a_worker_is_killed(client, alone):
    assassin = Assassin(client, when=4)
    results = am.match_many(PAIRS, executor=client, progress=assassin)
    assert assassin.killed is not None
    assert_same(results, alone)
    assert assassin.killed not in client.run(os.getpid).values()


def test_nor_are_inputs_that_only_workers_hold(client, alone, monkeypatch):
    from anchormatch import _dask, _parcels

    monkeypatch.setattr(_dask, "_LARGE", 1)
    monkeypatch.setattr(_parcels, "_LEAST", 1)
    assassin = Assassin(client, when=3)
    # Each source stands in two pairs, and so is sent by itself.
    double = [pair for pair in PAIRS[:12] for _ in range(2)]
    results = am.match_many(double, executor=client, progress=assassin)
    assert assassin.killed is not None
    assert_same(results, [m for m in alone[:12] for _ in range(2)])


def test_failures_are_named_and_graphs_do_not_come_back(client):
    graph = am.points(np.random.default_rng(0).random((80, 2)))
    anchors = [(0, 0), (1, 1)]
    pairs = [(graph, graph, anchors)] * 4 + [
        (threading.Lock(), graph),
        (graph, graph, [(0, 99)]),
        (graph, graph),
    ]
    results = am.match_many(pairs, executor=client, preset="fast")
    assert [failure.index for failure in results.failures] == [4, 5]
    assert "cannot pickle" in str(results[4]) and "found 99, expected 0 to 79" in str(results[5])
    assert results[0].source is graph and results[6].target is graph
    assert_same(results[:4], [am.match(graph, graph, anchors, preset="fast")] * 4)
    assert client.futures == {} or all(future.done() for future in client.futures.values())


def test_a_pair_that_kills_every_worker_fails_alone(client, alone):
    results = am.match_many([killer(PAIRS[0]), *PAIRS[1:8]], executor=client)
    assert [failure.index for failure in results.failures] == [0]
    assert type(results[0].exception).__name__ == "KilledWorker"
    assert_same(results[1:], alone[1:8])


@pytest.mark.parametrize("allowed", [0, 1])
def test_whatever_the_scheduler_allows(client, alone, allowed):
    """It blames whoever waits beside the killer, after so many deaths."""

    def allow(dask_scheduler):
        dask_scheduler.allowed_failures = allowed

    client.run_on_scheduler(allow)
    results = am.match_many([*PAIRS[:3], killer(PAIRS[3]), *PAIRS[4:8]], executor=client)
    assert [failure.index for failure in results.failures] == [3]
    assert_same(results[:3], alone[:3])
    assert_same(results[4:], alone[4:8])


def test_an_asynchronous_client_is_refused():
    async def ask():
        async with Client(asynchronous=True, processes=False, dashboard_address=None) as client:
            with pytest.raises(TypeError, match="asynchronous client"):
                am.match_many(PAIRS, executor=client)

    asyncio.run(ask())
