"""A match by the command, with what `bench_calibration.py` asks of one by the package."""

import json
import os
import subprocess
import tempfile
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp


class Found(NamedTuple):
    pairs_by_number: np.ndarray
    is_anchor: np.ndarray
    confidence: np.ndarray
    expected_recall: float


def written(folder, name, graph, directed):
    graph = sp.coo_array(graph)
    ends = zip(graph.row.tolist(), graph.col.tolist(), graph.data.tolist())
    paths = [os.path.join(folder, f"{name}{end}.csv") for end in ("", "_nodes")]
    with open(paths[0], "w") as file:
        file.write("source,target,weight\n")
        file.writelines(f"{name}{i},{name}{j},{w}\n" for i, j, w in ends if directed or i < j)
    with open(paths[1], "w") as file:
        file.write("id\n")
        file.writelines(f"{name}{i}\n" for i in range(graph.shape[0]))
    return paths


def match(binary, source, target, anchors, **options):
    known = {"directed", "allow_unmatched", "regime", "candidates"}
    if isinstance(source, list) or set(options) - known:
        raise SystemExit("the command is asked of graphs without layers and attributes: --families names others")
    with tempfile.TemporaryDirectory() as folder:
        directed = bool(options.get("directed"))
        one, own = written(folder, "a", source, directed)
        two, other = written(folder, "b", target, directed)
        pairs = os.path.join(folder, "known.csv")
        with open(pairs, "w") as file:
            file.write("source,target\n")
            file.writelines(f"a{i},b{j}\n" for i, j in anchors)
        command = [binary, "match", one, two, "--anchors", pairs, "--json", "--progress", "none"]
        command += ["--source-nodes", own, "--target-nodes", other]
        command += ["--directed"] if directed else []
        command += ["--allow-unmatched"] if options.get("allow_unmatched") else []
        command += ["--regime", options["regime"]] if options.get("regime") else []
        if "candidates" in options:
            path = os.path.join(folder, "candidates.csv")
            with open(path, "w") as file:
                file.write("source,target,score\n")
                file.writelines(f"a{i},b{j},{s}\n" for i, j, s in options["candidates"])
            command += ["--candidates", path]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    pairs = found["pairs"]
    return Found(
        np.array([(int(p["source"][1:]), int(p["target"][1:])) for p in pairs]),
        np.array([p["anchor"] for p in pairs]),
        np.array([p["confidence"] for p in pairs]),
        found["expected"]["recall"] if found.get("expected") else float("nan"),
    )
