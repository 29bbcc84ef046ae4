"""Times, bytes and memory of a match on a local cluster of Dask, beside one machine in the same run.

    make bench-cluster                        # 10^5 and 10^6 nodes on two processes, weak scaling over 1, 2, 4
    python scripts/bench_cluster.py --sizes 100000 --scaling 0

Two copies of a uniform random graph of degree 10 that each keep 90 % of its edges, one anchor for 200 nodes. One
machine is `am.match` in a process of its own; memory is the largest resident set of a process, that of a worker
sampled ten times a second. The cluster's workers may have half of the one machine's memory each.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import tempfile
import threading
import time

import numpy as np
import pandas as pd


def make(nodes: int, folder: str, seed: int = 1) -> None:
    draw = np.random.default_rng(seed)
    edges = draw.integers(0, nodes, (5 * nodes, 2))
    edges = np.unique(np.sort(edges[edges[:, 0] != edges[:, 1]], axis=1), axis=0)
    partner = draw.permutation(nodes)
    there = []
    for name, to in (("a", np.arange(nodes)), ("b", partner)):
        kept = edges[draw.random(len(edges)) < 0.9]
        there.append(np.unique(kept))
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
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"seconds": seconds, "recall": recall, "precision": precision, "mb": peak}))


def sampled(pids: list[int], peaks: dict[int, float], ended: threading.Event) -> None:
    import psutil

    while not ended.wait(0.1):
        for pid in pids:
            try:
                peaks[pid] = max(peaks.get(pid, 0.0), psutil.Process(pid).memory_info().rss / 2**20)
            except psutil.Error:
                pass


def together(folder: str, workers: int, limit: str | int) -> dict[str, object]:
    from distributed import Client, LocalCluster

    from anchormatch import cluster

    options = {"n_workers": workers, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with (
        LocalCluster(memory_limit=limit, silence_logs=logging.ERROR, **options) as machines,
        Client(machines) as client,
    ):
        pids = list(client.run(os.getpid).values())
        peaks: dict[int, float] = {}
        ended = threading.Event()
        watch = threading.Thread(target=sampled, args=(pids, peaks, ended))
        watch.start()
        log: list[dict[str, object]] = []
        begin = time.monotonic()
        try:
            pairs = cluster.match(
                f"{folder}/a.parquet",
                f"{folder}/b.parquet",
                pd.read_parquet(f"{folder}/anchors.parquet"),
                client=client,
                log=log,
            )
            found = pairs.compute()
        finally:
            ended.set()
            watch.join()
        seconds = time.monotonic() - begin
    recall, precision = score(found, folder)
    return {
        "seconds": seconds,
        "recall": recall,
        "precision": precision,
        "mb": max(peaks.values(), default=0.0),
        "stages": log,
    }


def show(nodes: int, workers: int, found: dict[str, object], one: dict[str, float] | None) -> None:
    beside = f", {found['seconds'] / one['seconds']:.2f} times one machine" if one else ""
    print(
        f"{nodes} nodes, {workers} processes: {found['seconds']:.1f} s{beside}, recall {found['recall']:.4f}, "
        f"precision {found['precision']:.4f}, {found['mb']:.0f} MB a worker at most"
    )
    for stage in found["stages"]:
        moved = stage["bytes_moved"] / 2**20
        print(f"    {stage['stage']:<12} {stage['seconds']:8.1f} s {moved:8.0f} MiB moved {stage['steps']:5} steps")
    sys.stdout.flush()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--scaling", type=int, default=100_000, help="nodes for each worker, 0 for none")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.alone:
        alone(options.alone)
        return
    for nodes in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            make(nodes, folder)
            command = [sys.executable, __file__, "--alone", folder]
            one = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
            print(
                f"{nodes} nodes, one machine: {one['seconds']:.1f} s, recall {one['recall']:.4f}, precision "
                f"{one['precision']:.4f}, {one['mb']:.0f} MB"
            )
            # Below this the interpreter and its libraries leave nothing.
            limit = max(int(one["mb"] * 2**20 / 2), 600 << 20)
            show(nodes, 2, together(folder, 2, limit), one)
    for workers in (1, 2, 4) if options.scaling else ():
        with tempfile.TemporaryDirectory() as folder:
            make(options.scaling * workers, folder)
            show(options.scaling * workers, workers, together(folder, workers, 0), None)


if __name__ == "__main__":
    main()
