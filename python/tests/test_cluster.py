"""One pair on a cluster of Dask: the same answer as on one machine, whatever happens to workers and client."""

from __future__ import annotations

import contextlib
import itertools
import json
import logging
import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import dask.dataframe as dataframe
import fsspec
import numpy as np
import pandas as pd
import pytest
from dask import config
from dask.utils import key_split
from distributed import Client, LocalCluster

import anchormatch as am
from anchormatch import cluster
from anchormatch.cluster import _checks, _engine, _halo, _match, _run
from anchormatch.cluster._exchange import workers_of

# Killed workers leave sockets and semaphores behind, which is what they are killed for.
pytestmark = pytest.mark.filterwarnings("ignore")


class Pair:
    """Two copies of a random graph that each keep a share of its edges."""

    def __init__(self, nodes=1500, kept=0.85, seed=1, anchors=40, name=int, weighted=False):
        draw = np.random.default_rng(seed)
        edges = draw.integers(0, nodes, (5 * nodes, 2))
        edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
        partner = draw.permutation(nodes)
        weights = draw.random(len(edges))
        sides = []
        for to in (np.arange(nodes), partner):
            keep = draw.random(len(edges)) < kept
            frame = pd.DataFrame(to[edges[keep]], columns=["source", "target"]).map(name)
            if weighted:
                frame["weight"] = weights[keep]
            sides.append(frame)
        self.source, self.target = sides
        there = [set(side.source) | set(side.target) for side in sides]
        self.truth = {name(i): name(a) for i, a in enumerate(partner) if name(i) in there[0]}
        self.truth = {i: a for i, a in self.truth.items() if a in there[1]}
        self.anchors = list(self.truth.items())[:: max(1, len(self.truth) // anchors)]

    def score(self, found):
        right = sum(self.truth.get(i) == a for i, a in zip(found.source, found.target))
        return right / len(self.truth), right / max(len(found), 1)

    def alone(self, **options):
        frame = am.match(self.source, self.target, self.anchors, regime="sparse", **options).to_frame()
        return frame[["source", "target", "confidence"]]


def local(processes=False, workers=2):
    patient = {"distributed.deploy.lost-worker-timeout": "600s", "distributed.comm.timeouts.connect": "60s"}
    return config.set(patient), LocalCluster(
        n_workers=workers,
        threads_per_worker=1,
        processes=processes,
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    )


@pytest.fixture(scope="module")
def client():
    settings, machines = local()
    with settings, machines, Client(machines) as client:
        yield client


@pytest.fixture(scope="module")
def pair():
    return Pair()


@pytest.fixture(scope="module")
def found(pair, client):
    return cluster.match(pair.source, pair.target, pair.anchors, client=client).compute()


def same(one, other):
    pd.testing.assert_frame_equal(
        one.sort_values("source").reset_index(drop=True), other.sort_values("source").reset_index(drop=True)
    )


def test_the_answer_is_that_of_one_machine(pair, found):
    there = pair.alone()
    for x, y in zip(pair.score(found), pair.score(there)):
        assert abs(x - y) <= 0.002
    both = found.merge(there, on="source")
    assert (both.target_x == both.target_y).mean() > 0.99
    assert np.abs(both.confidence_x - both.confidence_y).quantile(0.99) < 1e-3


@pytest.mark.parametrize("options", [{"blocks": 1}, {"blocks": 7}])
def test_the_number_of_blocks_changes_no_byte(pair, found, client, options):
    # Blocks are whole parts of 4096 nodes: these graphs have one each, whatever is asked for.
    same(found, cluster.match(pair.source, pair.target, pair.anchors, client=client, **options).compute())


def test_graphs_of_several_blocks(client):
    pair = Pair(nodes=9000, kept=0.9, seed=4, anchors=90, name=str)
    one, three = (
        cluster.match(
            pair.source, pair.target, pair.anchors, client=client, blocks=k, preset="fast"
        ).compute()
        for k in (1, 3)
    )
    same(one, three)
    there = pair.alone(preset="fast")
    for x, y in zip(pair.score(three), pair.score(there)):
        assert abs(x - y) <= 0.002


def test_what_a_task_gathers_at_once_changes_no_byte_and_is_not_gathered_twice(
    pair, found, client, monkeypatch
):
    reads = []
    lists_of = _halo.lists_of
    monkeypatch.setattr(_halo, "lists_of", lambda *a: reads.append(len(a[3])) or lists_of(*a))
    # Some thirty nodes reach so many rows.
    monkeypatch.setattr(_halo, "CHUNK", 512)
    monkeypatch.setattr(_halo, "REACH", 256)
    monkeypatch.setattr(_halo, "_LEAST", 8)
    same(found, cluster.match(pair.source, pair.target, pair.anchors, client=client).compute())
    # Each task finds the size that fits once: most reads are of it, and few of all nodes.
    assert sum(size > 1000 for size in reads) * 10 < len(reads)


def test_weights_soft_anchors_and_nodes_without_a_partner(client):
    pair = Pair(nodes=800, kept=0.8, weighted=True, anchors=30)
    anchors = [(i, a, 0.9 if k % 3 == 0 else 1.0) for k, (i, a) in enumerate(pair.anchors)]
    lonely = next(i for i in pair.truth if i not in dict(pair.anchors))
    anchors.append((lonely, None, None))
    options = {"allow_unmatched": True}
    found = cluster.match(pair.source, pair.target, anchors, client=client, **options).compute()
    there = am.match(pair.source, pair.target, anchors, regime="sparse", **options).to_frame()
    assert lonely not in set(found.source)
    for x, y in zip(pair.score(found), pair.score(there)):
        assert abs(x - y) <= 0.002


def test_parquet_in_dask_frames_in_and_parquet_out(pair, found, client, tmp_path):
    pair.source.to_parquet(tmp_path / "a.parquet", row_group_size=3000)
    (tmp_path / "b").mkdir()
    half = len(pair.target) // 2
    pair.target[:half].to_parquet(tmp_path / "b" / "0.parquet")
    pair.target[half:].to_parquet(tmp_path / "b" / "1.parquet")
    out = tmp_path / "out"
    log = []
    written = cluster.match(
        str(tmp_path / "a.parquet"),
        str(tmp_path / "b"),
        pair.anchors,
        client=client,
        output=str(out),
        log=log,
    )
    same(found, written.compute())
    same(found, pd.read_parquet(out))
    assert [row["stage"] for row in log][:2] == ["reading", "expansion"]
    assert all(row["seconds"] >= 0 and row["bytes_moved"] >= 0 for row in log)
    with pytest.raises(FileExistsError, match="output: .* is there already"):
        cluster.match(pair.source, pair.target, pair.anchors, client=client, output=str(out))
    frames = [dataframe.from_pandas(side, npartitions=3) for side in (pair.source, pair.target)]
    same(found, cluster.match(*frames, pair.anchors, client=client).compute())


def test_nothing_is_written_when_it_fails(pair, client, tmp_path):
    with pytest.raises(ValueError, match="'nobody' is no node of the source"):
        cluster.match(
            pair.source, pair.target, [("nobody", 1)], client=client, output=str(tmp_path / "out")
        )
    assert list(tmp_path.iterdir()) == []


def test_addresses_of_another_file_system(client):
    pair = Pair(nodes=300, seed=2)
    files, root = fsspec.core.url_to_fs("memory://match")
    names = ("a", "b/0")
    for name, side in zip(names, (pair.source, pair.target)):
        with fsspec.open(f"memory://match/{name}.parquet", "wb") as stream:
            side.to_parquet(stream)
    options = {"checkpoint": "memory://match/run", "output": "memory://match/out", "preset": "fast"}
    tables = ("memory://match/a.parquet", "memory://match/b")
    written = cluster.match(*tables, pair.anchors, client=client, **options)
    there = cluster.match(pair.source, pair.target, pair.anchors, client=client, preset="fast")
    same(there.compute(), written.compute())
    assert {path.rpartition("/")[2] for path in files.ls(root, detail=False)} == {
        "a.parquet",
        "b",
        "run",
        "out",
    }


def test_a_result_that_cannot_be_written_leaves_nothing_behind(pair, client, tmp_path, monkeypatch):
    to_parquet, written = pd.DataFrame.to_parquet, []

    def full(self, stream, **options):
        to_parquet(self, stream, **options)
        written.append(len(self))
        raise OSError("no space left")

    monkeypatch.setattr(pd.DataFrame, "to_parquet", full)
    with pytest.raises(OSError, match="no space left"):
        cluster.match(
            pair.source,
            pair.target,
            pair.anchors,
            client=client,
            preset="fast",
            output=str(tmp_path / "out"),
        )
    assert written and list(tmp_path.iterdir()) == []


def test_a_run_goes_on_after_it_was_stopped_at_any_stage(pair, found, client, tmp_path, monkeypatch):
    monkeypatch.setattr(_run, "_EVERY", 0.0)
    folder = str(tmp_path / "checkpoint")
    options = {"client": client, "checkpoint": folder}
    step = _run.Engine.step
    stages = []

    def stopping(self, stage, name, work, jobs):
        if stage != "checkpoint" and (stage, name) not in stages:
            stages.append((stage, name))
            raise Stop
        return step(self, stage, name, work, jobs)

    monkeypatch.setattr(_run.Engine, "step", stopping)
    for _ in range(60):
        try:
            after = cluster.match(pair.source, pair.target, pair.anchors, **options)
            break
        except Stop:
            pass
    assert len(stages) > 20
    same(found, after.compute())
    with pytest.raises(ValueError, match="preset was 'best' there and is 'fast' now"):
        cluster.match(pair.source, pair.target, pair.anchors, preset="fast", **options)


def test_checkpoints_that_take_long_are_rare(pair, found, client, tmp_path, monkeypatch):
    write, phases = _run.Checkpoint.write, []
    monkeypatch.setattr(
        _run.Checkpoint, "write", lambda self, at, held: phases.append(at["phase"]) or write(self, at, held)
    )
    monkeypatch.setattr(_run, "_EVERY", 0.0)
    kept = []
    for times in (0.0, 1e9):
        monkeypatch.setattr(_run, "_TIMES", times)
        options = {"client": client, "checkpoint": str(tmp_path / str(times))}
        same(found, cluster.match(pair.source, pair.target, pair.anchors, **options).compute())
        kept.append(phases.copy())
        phases.clear()
    often, rare = kept
    # After every round, and after every stage alone.
    assert len(often) > len(rare)
    assert all(one != other for one, other in itertools.pairwise(rare))


class Stop(Exception):
    pass


def stop_at(monkeypatch, stage):
    """Makes the next run stop when it reaches a stage."""
    step = _run.Engine.step

    def stopping(self, found, name, work, jobs):
        if found == stage:
            monkeypatch.setattr(_run.Engine, "step", step)
            raise Stop
        return step(self, found, name, work, jobs)

    monkeypatch.setattr(_run.Engine, "step", stopping)


#: Workers that are killed; ANCHORMATCH_KILLS=20 takes some minutes.
KILLS = int(os.environ.get("ANCHORMATCH_KILLS", "5"))


def test_killed_workers_cost_nothing_but_time(pair, found, tmp_path, monkeypatch):
    monkeypatch.setattr(_run, "_BREATH", 0.1)
    # Half of the time with the worker that is left, half with a new one beside it.
    monkeypatch.setattr(_run, "_RETURN", 1.0)
    monkeypatch.setattr(_engine, "_TICK", 0.3)
    monkeypatch.setattr(_run, "_EVERY", 0.5)
    draw = np.random.default_rng(5)
    settings, machines = local(processes=True)
    killed = []

    def kill():
        # Any worker that is alive, whatever it does.
        alive = [nanny.process.pid for nanny in machines.workers.values() if nanny.process]
        alive = [pid for pid in alive if pid]
        if alive and len(killed) < KILLS:
            pid = alive[draw.integers(len(alive))]
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)

    step = _run.Engine.step

    def in_danger(self, *arguments):
        timer = threading.Timer(0.2 * draw.random(), kill)
        if draw.random() < 0.2:
            timer.start()
        return step(self, *arguments)

    monkeypatch.setattr(_run.Engine, "step", in_danger)
    with settings, machines, Client(machines) as client:
        for run in range(20):
            options = {"client": client, "checkpoint": str(tmp_path / str(run)) if run % 2 else None}
            same(found, cluster.match(pair.source, pair.target, pair.anchors, **options).compute())
            if len(killed) == KILLS:
                break
    assert len(killed) == KILLS


def test_a_worker_that_is_lost_while_memory_is_looked_at_is_waited_for(pair, found, client, monkeypatch):
    monkeypatch.setattr(_run, "_BREATH", 0.0)
    all_there, looks = workers_of(client), []

    def too_small(workers, nodes, arcs, blocks):
        # The third look is that before the blocks are made; one worker would not hold them.
        looks.append(len(workers))
        if len(workers) < 2:
            raise MemoryError("client: more memory")

    def one_is_gone(asked):
        gone = len(looks) == 2
        return dict(list(all_there.items())[:1]) if gone else workers_of(asked)

    monkeypatch.setattr(_match, "check_memory", too_small)
    monkeypatch.setattr(_run, "workers_of", one_is_gone)
    same(found, cluster.match(pair.source, pair.target, pair.anchors, client=client).compute())
    assert looks == [2, 2, 1, 2, 2, 2]
    # One that stays away until the wait is over is not expected any more.
    monkeypatch.setattr(_run, "_RETURN", 0.0)
    monkeypatch.setattr(_run, "workers_of", lambda asked: dict(list(all_there.items())[:1]))
    monkeypatch.setattr(
        _engine, "workers_of", lambda asked: dict(list(all_there.items())[: 2 - len(looks)])
    )
    looks.clear()
    with pytest.raises(MemoryError, match="client: more memory"):
        cluster.match(pair.source, pair.target, pair.anchors, client=client)
    assert looks == [1, 1]


def test_a_run_goes_on_with_another_number_of_workers(pair, found, client, tmp_path, monkeypatch):
    folder = str(tmp_path / "checkpoint")
    stop_at(monkeypatch, "beliefs")
    with pytest.raises(Stop):
        cluster.match(pair.source, pair.target, pair.anchors, client=client, checkpoint=folder)
    settings, machines = local(workers=3)
    with settings, machines, Client(machines) as more:
        log = []
        options = {"client": more, "checkpoint": folder, "log": log}
        same(found, cluster.match(pair.source, pair.target, pair.anchors, **options).compute())
    assert "expansion" not in [row["stage"] for row in log]


_CLIENT = """
import sys
import pandas as pd
from distributed import Client, LocalCluster
from anchormatch import cluster
from anchormatch.cluster import _run

if __name__ == "__main__":
    _run._EVERY = 0.0
    folder = sys.argv[1]
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=False, dashboard_address=None) as machines:
        anchors = pd.read_parquet(folder + "/anchors.parquet")
        tables = [folder + "/a.parquet", folder + "/b.parquet"]
        cluster.match(*tables, anchors, client=Client(machines), checkpoint=folder + "/checkpoint")
"""


def test_a_killed_client_is_followed_by_another(pair, found, client, tmp_path):
    pair.source.to_parquet(tmp_path / "a.parquet")
    pair.target.to_parquet(tmp_path / "b.parquet")
    pd.DataFrame(pair.anchors, columns=["source", "target"]).to_parquet(tmp_path / "anchors.parquet")
    (tmp_path / "client.py").write_text(_CLIENT)
    first = subprocess.Popen([sys.executable, str(tmp_path / "client.py"), str(tmp_path)])
    manifest = tmp_path / "checkpoint" / "manifest.json"
    while not manifest.exists():
        assert first.poll() is None
        time.sleep(0.02)
    first.kill()
    first.wait()
    assert json.loads(manifest.read_text())["at"]["phase"] != "done"
    log = []
    after = cluster.match(
        str(tmp_path / "a.parquet"),
        str(tmp_path / "b.parquet"),
        pd.read_parquet(tmp_path / "anchors.parquet"),
        client=client,
        checkpoint=str(tmp_path / "checkpoint"),
        log=log,
    )
    same(found, after.compute())
    assert "reading" not in [row["stage"] for row in log]


@pytest.fixture(scope="module")
def small(client):
    """The match of a small pair whose ids are integers."""
    pair = Pair(nodes=300, seed=2)
    return cluster.match(pair.source, pair.target, pair.anchors, client=client, preset="fast").compute()


@pytest.mark.parametrize(
    "name",
    [
        lambda i: pd.Timestamp(i, unit="s", tz="Europe/London"),
        lambda i: int(i).to_bytes(4, "big"),
        lambda i: uuid.UUID(int=int(i)),
        lambda i: (int(i) // 10, str(int(i) % 10)),
        lambda i: np.uint64(2**63 + int(i)),
    ],
    ids=["times", "bytes", "UUIDs", "tuples", "large"],
)
def test_ids_of_other_types_come_back_as_they_were(client, small, tmp_path, monkeypatch, name):
    there, named = small, Pair(nodes=300, seed=2, name=name)
    if isinstance(name(0), np.uint64):
        named.source, named.target = (side.astype("uint64") for side in (named.source, named.target))
    options = {"client": client, "checkpoint": str(tmp_path / "checkpoint"), "preset": "fast"}
    stop_at(monkeypatch, "beliefs")
    with pytest.raises(Stop):
        cluster.match(named.source, named.target, named.anchors, **options)
    after = cluster.match(named.source, named.target, named.anchors, **options).compute()
    assert after.source.tolist() == [name(i) for i in there.source]
    assert after.target.tolist() == [name(i) for i in there.target]
    assert after.confidence.tolist() == there.confidence.tolist()


def test_anchors_are_looked_up_before_any_block_is_built(pair, client, monkeypatch):
    steps = []
    step = _run.Engine.step
    monkeypatch.setattr(_run.Engine, "step", lambda self, *a: steps.append(a[1]) or step(self, *a))
    with pytest.raises(ValueError, match="anchors: 999999 is no node of the target"):
        cluster.match(pair.source, pair.target, [(1, 999999)], client=client)
    with pytest.raises(ValueError, match="anchors: 1 of the source has the partners 2 and 3, expected one"):
        cluster.match(pair.source, pair.target, [(1, 2), (1, 3)], client=client)
    with pytest.raises(ValueError, match="anchors: 2 of the target has the partners 1 and 4, expected one"):
        cluster.match(pair.source, pair.target, [(1, 2), (4, 2)], client=client)
    assert set(steps) == {"scan", "ids", "number"}


def test_workers_are_there_whatever_the_client_last_heard(client):
    client.sync(client._update_scheduler_info)
    assert client._scheduler_identity["workers"] == {}
    assert len(workers_of(client)) == 2


def test_a_worker_that_is_paused_is_named(monkeypatch):
    about = {"status": "paused", "memory_limit": 2**30, "metrics": {"memory": 2**29}}
    monkeypatch.setattr(_engine, "workers_of", lambda client: {"tcp://one": about})
    engine = object.__new__(_engine.Engine)
    engine.workers, engine.client, engine._paused = ["tcp://one"], None, {}
    engine._look()
    monkeypatch.setattr(_engine, "_PAUSED", -1.0)
    with pytest.raises(MemoryError, match="tcp://one is paused: 512 of 1024 MiB are in use"):
        engine._look()


def test_a_run_that_cannot_fit_is_refused_before_it_reads(pair, client, monkeypatch):
    monkeypatch.setattr(_checks, "_BASE", 1 << 60)
    monkeypatch.setattr(_run.Engine, "step", None)
    with pytest.raises(MemoryError, match="MiB on each of 2 workers, and the smallest has"):
        cluster.match(pair.source, pair.target, pair.anchors, client=client)


def test_bad_input_is_named_before_any_heavy_work(pair, client, tmp_path):
    def refused(error, words, source=pair.source, target=pair.target, anchors=pair.anchors, **options):
        with pytest.raises(error, match=words):
            cluster.match(source, target, anchors, **{"client": client, **options})

    pair.source.rename(columns={"target": "to"}).to_parquet(tmp_path / "a.parquet")
    refused(
        ValueError,
        r"source: .*a\.parquet: found the columns .* without target",
        str(tmp_path / "a.parquet"),
    )
    refused(FileNotFoundError, "source: there is no", str(tmp_path / "none.parquet"))
    heavy = pair.source.assign(weight=1.0)
    heavy.loc[7, "weight"] = np.nan
    refused(ValueError, "source: the edge .* has the weight nan, expected a finite number", heavy)
    refused(
        ValueError,
        "source: row 3 has no target",
        pair.source.assign(target=pair.source.target.where(pair.source.index != 3)),
    )
    refused(ValueError, "anchors: 999999 is no node of the source", anchors=[(999999, 1)])
    refused(ValueError, "anchors: 999999 is no node of the target", anchors=[(1, 999999)])
    refused(ValueError, "anchors: 'x' is no node of the target, whose ids are integers", anchors=[(1, "x")])
    refused(TypeError, "source: found an object of type list", [(1, 2)])
    refused(TypeError, "client: found an object of type int", client=3)
    refused(ValueError, "preset: found 'paper'", preset="paper")
    refused(ValueError, "blocks: found 0", blocks=0)
    refused(ValueError, "source: found no edges", pair.source[:0])


def test_every_worker_needs_our_version(pair, client, monkeypatch):
    monkeypatch.setattr(_checks, "__version__", "9.9.9")
    with pytest.raises(RuntimeError, match=r"has anchormatch .*, expected anchormatch 9\.9\.9"):
        cluster.match(pair.source, pair.target, pair.anchors, client=client)
    monkeypatch.undo()
    monkeypatch.setattr(_checks, "_probe", lambda: lambda: "ModuleNotFoundError()")
    with pytest.raises(RuntimeError, match="has no anchormatch"):
        cluster.match(pair.source, pair.target, pair.anchors, client=client)


def test_the_log_has_every_stage_and_on_demand_every_step(pair, client, caplog):
    with caplog.at_level(logging.DEBUG, logger="anchormatch.cluster"):
        cluster.match(pair.source, pair.target, pair.anchors, client=client, preset="fast")
    ours = [record for record in caplog.records if record.name == "anchormatch.cluster"]
    steps = [record.getMessage() for record in ours if record.levelno == logging.DEBUG]
    stages = [record.getMessage() for record in ours if record.levelno == logging.INFO]
    assert any(line.startswith("expansion-judge: ") for line in steps)
    assert all(line.endswith(" bytes moved") and " s, " in line for line in steps)
    named = {line.partition(":")[0] for line in stages}
    assert {"reading", "expansion", "beliefs", "restarts", "decision", "chance"} <= named
    assert all(" s, " in line and " bytes moved, " in line for line in stages)


def test_the_dashboard_has_stages_and_steps_on_the_workers_of_their_blocks(client, monkeypatch):
    pair = Pair(nodes=9000, kept=0.9, seed=4, anchors=90)
    submitted = []
    submit = Client.submit
    monkeypatch.setattr(
        Client, "submit", lambda self, *a, **o: submitted.append(o) or submit(self, *a, **o)
    )
    cluster.match(pair.source, pair.target, pair.anchors, client=client, blocks=3, preset="fast")
    steps = [options for options in submitted if not options.get("key", "head-").startswith("head-")]
    names = {key_split(options["key"]) for options in steps}
    assert {"reading-rows", "expansion-judge", "expansion-noisy-seeds", "beliefs-candidates"} <= names
    # What dask groups tasks by is the stage and the step, and nothing else.
    assert all(options["key"].startswith(f"{key_split(options['key'])}-") for options in steps)
    assert all("-" in name for name in names)
    rows = [options["workers"] for options in steps if key_split(options["key"]) == "expansion-judge"]
    assert rows[:3] == rows[3:6] and rows[0] != rows[1] and rows[0] == rows[2]
    assert not any(options["allow_other_workers"] for options in steps)


def test_progress_names_the_stages(pair, client):
    stages = []
    cluster.match(
        pair.source,
        pair.target,
        pair.anchors,
        client=client,
        progress=lambda stage, *_: stages.append(stage),
    )
    assert {"expansion", "beliefs", "decision"} <= set(stages)


def test_a_notebook_gets_a_bar_with_the_stages(pair, client, notebook):
    cluster.match(pair.source, pair.target, pair.anchors, client=client, progress=True)
    assert all(html.startswith("<progress") for html in notebook[:-1]) and notebook[-1] == ""
    assert any("expansion" in html for html in notebook)
