"""Real networks beside graspologic in one run: the same pairs, orders and anchors.

    cargo build --release -p anchormatch-lab
    python scripts/bench_networks.py --data DIR [--pairs NAME,..] [--anchors P,..] [--draws N]
                                     [--methods NAME,..] [--peers NAME,..] [--sparse] [--threads N]

Needs numpy, scipy and graspologic. `anchormatch-lab bench networks --dump` writes every draw; graspologic's
graph_match reads it with the anchors as partial_match, by FAQ (transport=False) and by GOAT
(transport=True), as dense arrays or, with --sparse, as csr_array, which changes its speed and how it
breaks ties. Ours is `anchormatch-lab bench networks --json` on the same draws. Accuracy is over the nodes
that are not anchors; "kept" is the share of the source's edges whose ends are mapped to the ends of an
edge; both are computed here for graspologic. Seconds are those of the matching alone, files aside, one
run at a time. Prints means over the draws, and for each of our methods the ratio of seconds, theirs
over ours, to each peer.
"""

import argparse
import csv
import json
import os
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "release", "anchormatch-lab")
PEERS = {"faq": False, "goat": True}
# The rows of the published comparison.
ROWS = [
    ("yeast-05", "1"),
    ("yeast-15", "1"),
    ("yeast-25", "1"),
    ("yeast-25", "5"),
    ("voles-95", "1"),
    ("voles-80", "1"),
    ("enron", "5"),
    ("arenas", "1"),
]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    data = os.environ.get("ANCHORMATCH_DATA")
    parser.add_argument("--data", default=data, required=not data)
    parser.add_argument("--pairs", help="names, separated by commas (default: eight rows)")
    parser.add_argument("--anchors", default="1", help="percents, for --pairs")
    parser.add_argument("--draws", type=int, default=2, help="orders and anchors for each row")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--methods", default="best", help="of ours: presets and solvers")
    parser.add_argument("--peers", default="faq,goat", help="of graspologic's")
    parser.add_argument("--sparse", action="store_true", help="give graspologic sparse arrays")
    parser.add_argument("--threads", type=int, help="of ours and of BLAS (default: every core)")
    parser.add_argument("--binary", default=BINARY)
    options = parser.parse_args()
    unknown = set(options.peers.split(",")) - set(PEERS)
    if unknown:
        parser.error(f"--peers: {', '.join(sorted(unknown))}: expected some of faq, goat")
    if options.draws < 1:
        parser.error("--draws: expected at least 1")
    return options


def table(path):
    with open(path, newline="") as file:
        return list(csv.reader(file))[1:]


def graph(path, ids):
    """The adjacency matrix; `ids` numbers the nodes."""
    matrix = np.zeros((len(ids), len(ids)))
    for source, target, weight in table(path):
        i, j = ids[source], ids[target]
        matrix[i, j] = matrix[j, i] = float(weight)
    return matrix


def read(folder):
    """A, B, the anchors and the truth as target of each source node."""
    truth = table(os.path.join(folder, "truth.csv"))
    rows = {source: k for k, (source, _) in enumerate(truth)}
    # In the order of the file, t0, t1, …, in which the target stands.
    names = sorted((target for _, target in truth), key=lambda name: int(name[1:]))
    columns = {target: k for k, target in enumerate(names)}
    a = graph(os.path.join(folder, "source.csv"), rows)
    b = graph(os.path.join(folder, "target.csv"), columns)
    pairs = table(os.path.join(folder, "anchors.csv"))
    anchors = np.array([(rows[source], columns[target]) for source, target in pairs])
    return a, b, anchors, np.array([columns[target] for _, target in truth])


def kept(a, b, partners):
    edges = a != 0
    return np.sum(edges & (b[np.ix_(partners, partners)] != 0)) / np.sum(edges)


def theirs(folder, transport, sparse):
    """Accuracy, edges kept and seconds of graspologic on one draw."""
    a, b, anchors, truth = read(folder)
    left, right = (csr_array(a), csr_array(b)) if sparse else (a, b)
    clock = time.perf_counter()
    result = graph_match(left, right, partial_match=anchors, transport=transport, rng=0)
    seconds = time.perf_counter() - clock
    partners = np.empty(len(a), dtype=int)
    partners[result.indices_A] = result.indices_B
    free = np.setdiff1d(np.arange(len(a)), anchors[:, 0])
    return np.mean(partners[free] == truth[free]), kept(a, b, partners), seconds


def command(options, pair, percent):
    words = [options.binary, "bench", "networks", "--data", options.data, "--pairs", pair]
    words += ["--anchors", percent, "--draws", str(options.draws), "--seed", str(options.seed)]
    return words + (["--threads", str(options.threads)] if options.threads else [])


def call(words):
    done = subprocess.run(words, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def ours(options, pair, percent):
    """The rows of our methods."""
    words = command(options, pair, percent) + ["--methods", options.methods, "--json"]
    rows = json.loads(call(words))["rows"]
    for row in rows:
        if row["failure"]:
            sys.exit(f"{pair}, {row['method']}: {row['failure']}")
    return rows


def cell(figures):
    accuracy, share, seconds = figures
    return f"{accuracy:.3f} / {share:.3f} / {seconds:6.3f}"


def main(options):
    if not os.path.exists(options.binary):
        sys.exit(f"{options.binary}: not built; run `cargo build --release -p anchormatch-lab`")
    if options.pairs:
        percents = options.anchors.split(",")
        rows = [(pair, percent) for pair in options.pairs.split(",") for percent in percents]
    else:
        rows = ROWS
    # Ours lays the folders out by the number, so that "1.0" and "1" are the same.
    rows = [(pair, f"{float(percent):g}") for pair, percent in rows]
    methods, peers = options.methods.split(","), options.peers.split(",")
    print(
        f"graspologic {graspologic.__version__}, {'sparse' if options.sparse else 'dense'} arrays, "
        f"{options.draws} draws; accuracy / edges kept / seconds"
    )
    titles = [f"graspologic {peer}" for peer in peers] + [f"ours {method}" for method in methods]
    ratios = [f"{peer}/{method}" for method in methods for peer in peers]
    print(
        f"{'pair':<15}{'nodes':>5}{'anchors':>9}{'truth':>7}"
        + "".join(f"{title:>25}" for title in titles)
        + "".join(f"{title:>11}" for title in ratios),
        flush=True,
    )
    for pair, percent in rows:
        found = ours(options, pair, percent)
        with tempfile.TemporaryDirectory() as folder:
            call(command(options, pair, percent) + ["--dump", folder])
            draws = [os.path.join(folder, pair, percent, str(k)) for k in range(options.draws)]
            figures = [
                np.mean([theirs(draw, PEERS[peer], options.sparse) for draw in draws], axis=0)
                for peer in peers
            ]
            a, b, _, truth = read(draws[0])
            limit = kept(a, b, truth)
        # Both programs must speak of the same edges.
        if abs(limit - found[0]["truth_conserved_edges"]) > 1e-12:
            sys.exit(f"{pair}: the truth keeps {limit}, not {found[0]['truth_conserved_edges']}")
        names = ("accuracy", "conserved_edges", "seconds")
        mine = [[row[name]["mean"] for name in names] for row in found]
        cells = [cell(row) for row in [*figures, *mine]]
        speedups = [theirs_[2] / row[2] for row in mine for theirs_ in figures]
        print(
            f"{pair:<15}{len(a):>5}{percent + ' %':>9}{limit:>7.3f}"
            + "".join(f"{text:>25}" for text in cells)
            + "".join(f"{ratio:>11.1f}" for ratio in speedups),
            flush=True,
        )


if __name__ == "__main__":
    OPTIONS = arguments()
    if OPTIONS.threads:
        # BLAS reads these when it is loaded.
        for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
            os.environ[variable] = str(OPTIONS.threads)
    import graspologic
    import numpy as np
    from graspologic.match import graph_match
    from scipy.sparse import csr_array

    main(OPTIONS)
