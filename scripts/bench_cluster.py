"""Times, bytes and memory of a match on a local cluster of Dask, beside one machine in the same run.

    make bench-cluster                        # 10^5 and 10^6 nodes on two processes, weak scaling over 1, 2, 4
    python scripts/bench_cluster.py --sizes 100000 --scaling 0
    python scripts/bench_cluster.py --sizes 1000000 --scaling 0 --kills 4   # workers are killed at random
    python scripts/bench_cluster.py --sizes 1000000 --scaling 0 --stop 60   # the client is killed, then called again
    python scripts/bench_cluster.py --sizes 10000000 --scaling 0 --memory 6600 --keep out/large --steps   # an hour

Two copies of a uniform random graph of degree 10 that each keep 90 % of its edges, one anchor for 200 nodes. One
machine is `am.match` in a process of its own, and so is the client of the cluster; memory is the largest resident set
of a process, that of a worker sampled ten times a second. Seconds of cores are those that the process, or all workers,
spent on a core: where other work shares the machine they say more than the clock. The cluster's workers may have half of the one machine's
memory each. Killed workers are replaced by Dask. A run that is refused for want of memory is a row that says so.
With `--keep` the graphs and the checkpoint stay in a folder: the same command goes on where the last one ended, and
its seconds are those since then. `--steps` says on standard error how long every step took.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator

import numpy as np
import pandas as pd


def make(nodes: int, folder: str, seed: int = 1) -> None:
    draw = np.random.default_rng(seed)
    edges = draw.integers(0, nodes, (5 * nodes, 2))
    edges = np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1)
    # One number for each edge sorts faster than a row, and sorting is faster than what `np.unique` does.
    edges = np.sort(edges[:, 0] * nodes + edges[:, 1])
    edges = np.stack(np.divmod(edges[np.diff(edges, prepend=-1) > 0], nodes), axis=1)
    partner = draw.permutation(nodes)
    there = []
    for name, to in (("a", np.arange(nodes)), ("b", partner)):
        kept = edges[draw.random(len(edges)) < 0.9]
        there.append(np.flatnonzero(np.bincount(kept.ravel(), minlength=nodes)))
        frame = pd.DataFrame(to[kept], columns=["source", "target"])
        frame.to_parquet(f"{folder}/{name}.parquet", index=False, row_group_size=1 << 20)
    both = np.intersect1d(*there)
    anchors = draw.choice(both, max(20, nodes // 200), replace=False)
    pd.DataFrame({"source": anchors, "target": partner[anchors]}).to_parquet(f"{folder}/anchors.parquet")
    pd.DataFrame({"source": both, "target": partner[both]}).to_parquet(f"{folder}/truth.parquet")


def score(found: pd.DataFrame, folder: str) -> tuple[float, float]:
    truth = pd.read_parquet(f"{folder}/truth.parquet").set_index("source").target
    right = (truth.reindex(found.source).to_numpy() == found.target.to_numpy()).sum()
    return right / len(truth), right / len(found)


def alone(folder: str) -> None:
    """The match of one machine; prints a line of JSON."""
    import resource

    import anchormatch as am

    source, target, anchors = (pd.read_parquet(f"{folder}/{name}.parquet") for name in ("a", "b", "anchors"))
    begin = time.monotonic()
    found = am.match(source, target, anchors, regime="sparse").to_frame()
    seconds = time.monotonic() - begin
    recall, precision = score(found, folder)
    used = resource.getrusage(resource.RUSAGE_SELF)
    found = {"seconds": seconds, "recall": recall, "precision": precision, "mb": used.ru_maxrss / 1024}
    print(json.dumps({**found, "core_seconds": used.ru_utime + used.ru_stime}))


def workers_of(client: int) -> list[object]:
    import psutil

    found = psutil.Process(client).children(recursive=True)
    return [process for process in found if "spawn_main" in " ".join(process.cmdline())]


def watched(
    peaks: list[float], spent: dict[int, float], kills: int, every: float, ended: threading.Event
) -> None:
    """Samples the memory and the time of the workers, and kills one of them now and then."""
    import psutil

    draw = np.random.default_rng(3)
    following = time.monotonic() + draw.uniform(0.5, 1.5) * every
    while not ended.wait(0.1):
        try:
            workers = workers_of(os.getpid())
            peaks.append(max((worker.memory_info().rss / 2**20 for worker in workers), default=0.0))
            spent.update((worker.pid, sum(worker.cpu_times()[:2])) for worker in workers)
            if kills and workers and time.monotonic() > following:
                kills -= 1
                following = time.monotonic() + draw.uniform(0.5, 1.5) * every
                workers[draw.integers(len(workers))].kill()
                print("    a worker was killed", file=sys.stderr, flush=True)
        except psutil.Error:
            pass


def cluster(
    folder: str, workers: int, limit: int, kills: int, every: float, checkpoint: str | None, steps: bool
) -> None:
    """The match of a cluster; prints a line of JSON."""
    import dask
    from distributed import Client, LocalCluster

    import anchormatch.cluster

    if steps:
        logging.basicConfig(format="    %(asctime)s %(message)s")
        logging.getLogger("anchormatch.cluster").setLevel(logging.DEBUG)

    options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    log: list[dict[str, object]] = []
    peaks: list[float] = []
    ended = threading.Event()
    spent: dict[int, float] = {}
    watch = threading.Thread(target=watched, args=(peaks, spent, kills, every, ended))
    # A local cluster gives a worker up for good that is gone when it looks, which is once, so long after a loss.
    patient = dask.config.set({"distributed.deploy.lost-worker-timeout": "600s"})
    with (
        patient,
        LocalCluster(memory_limit=limit, silence_logs=logging.ERROR, **options) as machines,
        Client(machines) as client,
    ):
        watch.start()
        begin = time.monotonic()
        try:
            pairs = anchormatch.cluster.match(
                f"{folder}/a.parquet",
                f"{folder}/b.parquet",
                pd.read_parquet(f"{folder}/anchors.parquet"),
                client=client,
                checkpoint=checkpoint,
                log=log,
            )
            found = pairs.compute()
        except MemoryError as error:
            print(json.dumps({"refused": str(error)}))
            return
        finally:
            ended.set()
            watch.join()
        seconds = time.monotonic() - begin
    recall, precision = score(found, folder)
    found = {"seconds": seconds, "recall": recall, "precision": precision, "stages": log}
    print(json.dumps({**found, "mb": max(peaks, default=0.0), "core_seconds": sum(spent.values())}))


def together(
    folder: str,
    workers: int,
    limit: int,
    kills: int = 0,
    every: float = 20.0,
    stop: float = 0.0,
    keep: bool = False,
    steps: bool = False,
) -> dict[str, object]:
    """The same in a process of its own, which is killed after so many seconds and called again."""
    command = [sys.executable, "-W", "ignore", __file__, "--folder", folder, "--workers", str(workers)]
    command += ["--limit", str(limit), "--kills", str(kills), "--every", str(every)]
    command += ["--steps"] if steps else []
    command += ["--checkpoint", f"{folder}/checkpoint"] if stop or keep else []
    if stop:
        manifest = f"{folder}/checkpoint/manifest.json"
        first = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while not os.path.exists(manifest) and first.poll() is None:
            time.sleep(0.1)
        time.sleep(stop)
        first.send_signal(signal.SIGKILL)
        first.wait()
        with open(manifest) as stream:
            phase = json.load(stream)["at"]["phase"]
        print(f"    the client was killed {stop:.0f} s after its first checkpoint, in the phase {phase!r}", flush=True)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def measured_alone(nodes: int, folder: str) -> dict[str, float]:
    command = [sys.executable, __file__, "--alone", folder]
    one = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    print(
        f"{nodes} nodes, one machine: {one['seconds']:.1f} s, {one['core_seconds']:.0f} s of cores, recall "
        f"{one['recall']:.4f}, precision {one['precision']:.4f}, {one['mb']:.0f} MB",
        flush=True,
    )
    return one


def show(nodes: int, workers: int, found: dict[str, object], one: dict[str, float] | None) -> None:
    if "refused" in found:
        print(f"{nodes} nodes, {workers} processes: refused: {found['refused']}", flush=True)
        return
    beside = f", {found['seconds'] / one['seconds']:.2f} times one machine" if one else ""
    print(
        f"{nodes} nodes, {workers} processes: {found['seconds']:.1f} s{beside}, {found['core_seconds']:.0f} s of "
        f"cores, recall {found['recall']:.4f}, "
        f"precision {found['precision']:.4f}, {found['mb']:.0f} MB a worker at most"
    )
    for stage in found["stages"]:
        moved = stage["bytes_moved"] / 2**20
        print(f"    {stage['stage']:<12} {stage['seconds']:8.1f} s {moved:8.0f} MiB moved {stage['steps']:5} steps")
    sys.stdout.flush()


@contextlib.contextmanager
def kept(folder: str, nodes: int) -> Iterator[str]:
    """A folder for the graphs of a size that is not removed."""
    # Workers have their own current folder.
    path = os.path.join(os.path.abspath(folder), str(nodes))
    os.makedirs(path, exist_ok=True)
    yield path


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--scaling", type=int, default=100_000, help="nodes for each worker, 0 for none")
    parser.add_argument("--kills", type=int, default=0, help="workers that are killed at random")
    parser.add_argument("--every", type=float, default=20.0, help="seconds between two of them, on average")
    parser.add_argument("--stop", type=float, default=0.0, help="seconds after its first checkpoint at which the client is killed")
    parser.add_argument("--memory", type=int, default=0, help="MB for each worker, and no one machine beside it")
    parser.add_argument("--keep", help="a folder where graphs and checkpoint stay, to go on from")
    parser.add_argument("--steps", action="store_true", help="the seconds of every step, on standard error")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    parser.add_argument("--folder", help=argparse.SUPPRESS)
    parser.add_argument("--workers", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--limit", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--checkpoint", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(options.alone)
        return
    if options.folder:
        dangers = (options.kills, options.every)
        cluster(options.folder, options.workers, options.limit, *dangers, options.checkpoint, options.steps)
        return
    for nodes in options.sizes:
        with tempfile.TemporaryDirectory() if not options.keep else kept(options.keep, nodes) as folder:
            # The truth is written last; tables that were made anew would be those of another run.
            if not os.path.exists(f"{folder}/truth.parquet"):
                make(nodes, folder)
            one = None if options.memory else measured_alone(nodes, folder)
            # Below this the interpreter and its libraries leave nothing.
            limit = max(int(one["mb"] * 2**20 / 2), 600 << 20) if one else options.memory << 20
            print(f"    {limit / 2**20:.0f} MB for each worker", flush=True)
            dangers = (options.kills, options.every, options.stop)
            found = together(folder, 2, limit, *dangers, bool(options.keep), options.steps)
            show(nodes, 2, found, one)
    for workers in (1, 2, 4) if options.scaling else ():
        with tempfile.TemporaryDirectory() as folder:
            make(options.scaling * workers, folder)
            show(options.scaling * workers, workers, together(folder, workers, 0), None)


if __name__ == "__main__":
    main()
