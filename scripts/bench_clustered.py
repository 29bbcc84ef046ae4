"""Sparse graphs whose neighbours are joined among themselves: accuracy, calibration error and time, family by family.

    cargo build -p anchormatch-cli
    python scripts/bench_clustered.py [--rows WORD,..] [--seeds 11,12,13] [--binary PATH ..] [-- OPTION ..]

Needs numpy and scipy. Two samples of the edges of one graph, each with a share of them, and random anchors; graphs are made by
`trust_families.py`, apart from the generators of this project. Several binaries are asked the same questions in one run; what
stands after `--` is handed to `anchormatch match`, `--regime dense` for one. Seconds are those of all cores, reading included.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from typing import NamedTuple

import numpy as np
from trust_families import copies

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "debug", "anchormatch")


class Row(NamedTuple):
    kind: str
    kept: float
    degree: int
    nodes: int
    #: Share of the nodes that are anchors.
    anchors: float

    def named(self):
        return f"{self.kind}, {self.kept}, {self.degree}, {self.anchors:.0%}: {self.nodes}"


ROWS = [
    Row("geometric", 0.7, 12, 150, 0.05),
    Row("geometric", 0.7, 10, 200, 0.02),
    Row("small world", 0.8, 6, 120, 0.04),
    Row("planar", 0.9, 6, 100, 0.05),
    Row("geometric", 0.7, 12, 300, 0.05),
    Row("geometric", 0.9, 12, 200, 0.05),
    Row("small world", 0.8, 8, 200, 0.05),
    Row("planar", 0.8, 6, 250, 0.03),
    Row("space", 0.7, 12, 250, 0.05),
    Row("clustered", 0.8, 8, 250, 0.05),
    Row("geometric", 0.7, 12, 500, 0.05),
    Row("geometric", 0.7, 12, 1000, 0.05),
    Row("geometric", 0.9, 12, 1000, 0.05),
    Row("geometric", 0.8, 10, 2000, 0.04),
    Row("space", 0.7, 12, 500, 0.05),
    Row("space", 0.8, 12, 1000, 0.05),
    Row("small world", 0.9, 8, 1000, 0.05),
    Row("small world", 0.8, 6, 2000, 0.04),
    Row("planar", 0.8, 6, 1000, 0.02),
    Row("grid", 0.9, 5, 900, 0.05),
    Row("clustered", 0.7, 8, 1000, 0.04),
    Row("blocks", 0.7, 10, 1000, 0.04),
    Row("geometric", 0.9, 12, 10000, 0.02),
    Row("small world", 0.9, 8, 10000, 0.02),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", help="words of rows to run (default: all)")
    parser.add_argument("--largest", type=int, default=2000, help="nodes at most (default: 2000)")
    parser.add_argument("--seeds", default="11,12,13", help="one pair for each (default: 11,12,13)")
    parser.add_argument("--binary", nargs="+", default=[BINARY])
    parser.add_argument("options", nargs="*", help="for anchormatch match, after --")
    return parser.parse_args()


def calibration_error(confidence, right):
    """The mean distance of confidence and share of right pairs over ten bins, weighed by their pairs."""
    place = np.minimum((confidence * 10).astype(int), 9)
    apart = [abs(confidence[place == k].sum() - right[place == k].sum()) for k in range(10)]
    return sum(apart) / max(len(right), 1)


def asked(binary, files, options, trial):
    """Confidences, whether each is right, how many there are to find, and the seconds of one match."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [binary, "match", *files[:2], "--anchors", files[2], "--json", "--progress", "none", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    found = [p for p in json.loads(done.stdout)["pairs"] if not p["anchor"]]
    right = np.array([trial.partner[int(p["source"][1:])] == int(p["target"][1:]) for p in found])
    confidence = np.array([p["confidence"] for p in found])
    free = (trial.partner >= 0).sum() - len(trial.anchors)
    seconds = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return confidence, right, free, seconds


def written(folder, trial):
    """The files of a trial: every node has an edge, or stands in no file and counts as not found."""
    paths = [os.path.join(folder, name) for name in ("a.csv", "b.csv", "known.csv")]
    for path, letter, graph in zip(paths, "ab", (trial.source, trial.target)):
        graph = graph.tocoo()
        with open(path, "w") as file:
            file.write("source,target\n")
            ends = zip(graph.row.tolist(), graph.col.tolist())
            file.writelines(f"{letter}{i},{letter}{j}\n" for i, j in ends if i < j)
    degrees = [np.diff(graph.tocsr().indptr) for graph in (trial.source, trial.target)]
    with open(paths[2], "w") as file:
        file.write("source,target\n")
        file.writelines(f"a{i},b{j}\n" for i, j in trial.anchors if degrees[0][i] and degrees[1][j])
    return paths


def cell(answers):
    """What a binary reaches, all pairs of all seeds together."""
    confidence, right = (np.concatenate([answer[k] for answer in answers]) for k in (0, 1))
    accuracy = right.sum() / sum(answer[2] for answer in answers)
    error = calibration_error(confidence, right)
    seconds = np.mean([answer[3] for answer in answers])
    return f"{accuracy:.3f}, {confidence.mean():.3f}, {error:.3f}, {seconds:.1f}"


def main():
    told = arguments()
    words = [word.strip() for word in told.rows.split(",")] if told.rows else [""]
    print("| family, kept, degree, anchors: nodes | accuracy, mean confidence, ECE, seconds of cores |")
    for row in ROWS:
        if row.nodes > told.largest or not any(word in row.named() for word in words):
            continue
        seeds = [int(seed) for seed in told.seeds.split(",")]
        answers = [[] for _ in told.binary]
        for seed in seeds:
            draw = copies(row.kind, row.nodes, row.degree, row.kept, max(int(row.anchors * row.nodes), 1))
            trial = draw(np.random.default_rng(seed))
            with tempfile.TemporaryDirectory() as folder:
                files = written(folder, trial)
                for found, binary in zip(answers, told.binary):
                    found.append(asked(binary, files, told.options, trial))
        print(f"| {row.named()} | {' | '.join(map(cell, answers))} |", flush=True)


if __name__ == "__main__":
    sys.exit(main())
