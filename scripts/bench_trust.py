"""Whether confidences can be trusted where nothing can be found, and where nodes are alike.

    cargo build --release -p anchormatch-cli
    python scripts/bench_trust.py [--trials N] [--rows unrelated,symmetric]

Needs numpy. `unrelated` matches graphs that have nothing to do with each other (random edges, random
weights, preferential attachment, geometric graphs, clustered power laws, blocks, cliques, points), with and
without --allow-unmatched: the mean confidence should be near 0, and the command should say that chance could
explain the match. Beside it stand copies with four edges in five kept: their mean confidence and their
accuracy. `symmetric` matches graphs to shuffled copies of
themselves: the confidence of every pair should be one over the number of partners that nothing tells apart,
which follows here from the symmetries that each family is built with.
"""

import argparse
import json
import os
import subprocess
import tempfile
import time

import numpy as np

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.environ.get("CARGO_TARGET_DIR", os.path.join(ROOT, "target"))
BINARY = os.path.join(TARGET, "release", "anchormatch")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--trials", type=int, default=5)
    parser.add_argument("--rows", default="unrelated,symmetric")
    parser.add_argument("--kinds", default="", help="words in the kinds of unrelated graphs (default: all)")
    parser.add_argument("--binary", default=BINARY)
    return parser.parse_args()


def random_edges(rng, nodes, edges, weighted):
    chosen = set()
    while len(chosen) < edges:
        i, j = sorted(rng.integers(nodes, size=2).tolist())
        if i != j:
            chosen.add((i, j))
    return [(i, j, float(rng.uniform(0.1, 1)) if weighted else 1.0) for i, j in sorted(chosen)]


def attached(rng, nodes, each):
    """Preferential attachment: hubs and leaves, as in many real networks."""
    ends, edges = list(range(each)), set()
    for i in range(each, nodes):
        for j in {ends[k] for k in rng.integers(len(ends), size=each)}:
            edges.add((j, i))
            ends += [i, j]
    return [(i, j, 1.0) for i, j in sorted(edges)]


def near(rng, nodes, degree):
    """Random places in a square, joined where they are close to each other."""
    x, y = rng.random((2, nodes))
    apart = np.hypot(np.subtract.outer(x, x), np.subtract.outer(y, y))
    i, j = np.nonzero(np.triu(apart <= np.sqrt(degree / (np.pi * nodes)), 1))
    return [(a, b, 1.0) for a, b in zip(i.tolist(), j.tolist())]


def clustered(rng, nodes, each, closed):
    """Preferential attachment whose new edges close a triangle with the probability `closed` (Holme and Kim)."""
    beside = [set() for _ in range(nodes)]
    ends = list(range(each))
    for i in range(each, nodes):
        last = None
        while len(beside[i]) < each:
            near = sorted(beside[last] - beside[i] - {i}) if last is not None else []
            is_closing = near and rng.random() < closed
            j = near[rng.integers(len(near))] if is_closing else ends[rng.integers(len(ends))]
            if j != i and j not in beside[i]:
                beside[i].add(j)
                beside[j].add(i)
                last = j
        ends += [i] * each + sorted(beside[i])
    return [(i, j, 1.0) for i in range(nodes) for j in sorted(beside[i]) if i < j]


def blocks(rng, nodes, size, degree):
    """Blocks of so many nodes, four edges in five within them."""
    i, j = np.triu_indices(nodes, 1)
    within = i // size == j // size
    chance = np.where(within, 0.8 * degree / (size - 1), 0.2 * degree / (nodes - size))
    kept = rng.random(len(i)) < chance
    return [(a, b, 1.0) for a, b in zip(i[kept].tolist(), j[kept].tolist())]


def cliques(rng, nodes, size, moved):
    """Cliques of so many nodes, some of whose edges end elsewhere."""
    edges = set()
    for i in range(nodes):
        for j in range(i + 1, min(nodes, (i // size + 1) * size)):
            end = int(rng.integers(nodes)) if rng.random() < moved else j
            if end != i:
                edges.add((min(i, end), max(i, end)))
    return [(i, j, 1.0) for i, j in sorted(edges)]


def copied(rng, nodes, edges, kept):
    order = rng.permutation(nodes).tolist()
    return [(order[i], order[j], w) for i, j, w in edges if rng.random() < kept], order


class Folder:
    """Two graphs in files, and the command on them."""

    def __init__(self, binary):
        self.binary = binary
        self.folder = tempfile.TemporaryDirectory()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def match(self, source, target, anchors, *options):
        for name, (nodes, edges) in (("a", source), ("b", target)):
            with open(self.path(f"{name}.csv"), "w") as file:
                file.write("source,target,weight\n")
                file.writelines(f"{name}{i},{name}{j},{w}\n" for i, j, w in edges)
            with open(self.path(f"{name}_nodes.csv"), "w") as file:
                file.write("id\n")
                file.writelines(f"{name}{i}\n" for i in range(nodes))
        return self.run(anchors, *options, *self.nodes())

    def nodes(self):
        return "--source-nodes", self.path("a_nodes.csv"), "--target-nodes", self.path("b_nodes.csv")

    def match_points(self, source, target, anchors, *options):
        for name, points in (("a", source), ("b", target)):
            with open(self.path(f"{name}.csv"), "w") as file:
                file.write("id,x,y\n")
                file.writelines(f"{name}{i},{x},{y}\n" for i, (x, y) in enumerate(points.tolist()))
        return self.run(anchors, "--points", *options)

    def run(self, anchors, *options):
        with open(self.path("known.csv"), "w") as file:
            file.write("source,target\n")
            file.writelines(f"a{i},b{j}\n" for i, j in anchors)
        known = ["--anchors", self.path("known.csv")] if anchors else []
        files = [self.path("a.csv"), self.path("b.csv")]
        begun = time.perf_counter()
        command = [self.binary, "match", *files, *known, "--json", "--progress", "none", *options]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        found = json.loads(done.stdout)
        free = [pair for pair in found["pairs"] if not pair["anchor"]]
        pairs = [(int(p["source"][1:]), int(p["target"][1:]), p["confidence"]) for p in free]
        by_chance = any("chance could explain" in str(note) for note in found["notes"])
        return pairs, by_chance, time.perf_counter() - begun


def unrelated(options, folder):
    print("pair, nodes, anchors | mean confidence, above .9, called chance | copies: confidence, accuracy")
    for kind, sizes in (
        ("random edges, mean degree 6", (50, 100, 300, 2000)),
        ("random edges, half of all", (50, 100, 300)),
        ("random weights, mean degree 6", (50, 100, 300)),
        ("preferential attachment", (70, 100, 300, 2000)),
        ("geometric, mean degree 8", (50, 70, 100, 200, 1000)),
        ("geometric, mean degree 20", (100, 200)),
        ("clustered power law, mean degree 8", (50, 100, 300, 1000)),
        ("blocks of 15, mean degree 8", (50, 100, 200)),
        ("cliques of 7", (50, 100, 200)),
        ("points", (50, 100, 300)),
    ):
        if not any(word in kind for word in options.kinds.split(",")):
            continue
        for nodes in sizes:
            for known in (1, 5):
                for more in ([], ["--allow-unmatched"]):
                    row(options, folder, kind, nodes, known, more)


def row(options, folder, kind, nodes, known, more):
    rng = np.random.default_rng([nodes, known])
    told, copies = [], []
    for _ in range(max(options.trials if nodes < 300 else options.trials // 2, 1)):
        if kind == "points":
            one, two = rng.random((2, nodes, 2))
            order = rng.permutation(nodes)
            moved = np.empty_like(one)
            moved[order] = one + rng.normal(scale=0.2 / nodes, size=one.shape)
            matches = [
                folder.match_points(one, other, anchors, *more)
                for other, anchors in (
                    (two, [(i, i) for i in range(known)]),
                    (moved, [(i, int(order[i])) for i in range(known)]),
                )
            ]
        else:

            def drawn():
                if kind.startswith("preferential"):
                    return attached(rng, nodes, 3)
                if kind.startswith("geometric"):
                    return near(rng, nodes, int(kind.split()[-1]))
                if kind.startswith("clustered"):
                    return clustered(rng, nodes, 4, 0.8)
                if kind.startswith("blocks"):
                    return blocks(rng, nodes, 15, 8)
                if kind.startswith("cliques"):
                    return cliques(rng, nodes, 7, 0.15)
                dense = kind.endswith("all")
                edges = nodes * (nodes - 1) // 4 if dense else 3 * nodes
                return random_edges(rng, nodes, edges, "weights" in kind)

            one, two = drawn(), drawn()
            moved, order = copied(rng, nodes, one, 0.8)
            others = rng.permutation(nodes).tolist()
            matches = [
                folder.match((nodes, one), (nodes, other), anchors, *more)
                for other, anchors in (
                    (two, [(i, others[i]) for i in range(known)]),
                    (moved, [(i, order[i]) for i in range(known)]),
                )
            ]
        pairs, by_chance, _ = matches[0]
        sure = [p for _, _, p in pairs]
        mean = sum(sure) / max(len(sure), 1)
        told.append((mean, sum(p > 0.9 for p in sure) / max(len(sure), 1), by_chance))
        pairs, _, _ = matches[1]
        right = sum(int(order[i]) == a for i, a, _ in pairs) / (nodes - known)
        copies.append((sum(p for _, _, p in pairs) / max(len(pairs), 1), right))
    told, copies = np.mean(told, axis=0), np.mean(copies, axis=0)
    words = f"{kind}, {nodes}, {known}{' (may stay alone)' if more else ''}"
    figures = f"{told[0]:.3f} {told[1]:.3f} {told[2]:.2f} | {copies[0]:.3f} {copies[1]:.3f}"
    print(f"{words:58s} | {figures}", flush=True)


def families(size):
    """Name, nodes, edges, and all symmetries as arrays, or the classes of twins with them."""
    n = size
    own = np.arange(n)
    path = [(i, i + 1) for i in range(n - 1)]
    yield "path", n, path, [own, own[::-1]], None
    turns = [np.roll(own, k) for k in range(n)]
    yield "cycle", n, [*path, (n - 1, 0)], turns + [turn[::-1] for turn in turns], None
    side = max(int(n**0.5), 2)
    for rows, columns in ((side, side), (side, side + 1)):
        square = np.arange(rows * columns).reshape(rows, columns)
        edges = [(int(a), int(b)) for k in range(rows) for a, b in zip(square[k], square[k][1:])]
        edges += [(int(a), int(b)) for k in range(rows - 1) for a, b in zip(square[k], square[k + 1])]
        views = [square, square[::-1], square[:, ::-1], square[::-1, ::-1]]
        if rows == columns:
            views += [view.T for view in views]
        yield f"grid {rows} × {columns}", rows * columns, edges, [v.ravel() for v in views], None
    if n <= 300:
        third = n // 3
        edges = [(i, j) for i in range(third) for j in range(third, n)]
        yield "complete bipartite", n, edges, [own], [range(third), range(third, n)]
    hubs = max(n // 5, 2)
    leaves = [range(hubs + 4 * i, hubs + 4 * i + 4) for i in range(hubs)]
    edges = [(i, i + 1) for i in range(hubs - 1)]
    edges += [(i, leaf) for i in range(hubs) for leaf in leaves[i]]
    back = [*range(hubs - 1, -1, -1)] + [leaf for own in reversed(leaves) for leaf in own]
    yield "hubs with four leaves", 5 * hubs, edges, [np.arange(5 * hubs), np.array(back)], leaves


def alike(nodes, symmetries, twins, fixed):
    """How many partners of each node nothing tells apart when some nodes are known."""
    images = [{i} for i in range(nodes)]
    twin_of = {}
    for k, group in enumerate(twins or []):
        for i in group:
            twin_of[i] = k

    def same(i, a):
        return i == a or (i in twin_of and twin_of.get(a) == twin_of[i])

    for symmetry in symmetries:
        # Twins may go anywhere among themselves, unless they are known.
        if all(same(i, int(symmetry[i])) for i in fixed):
            for i in range(nodes):
                images[i].add(int(symmetry[i]))
    for i in range(nodes):
        for a in list(images[i]):
            if a in twin_of:
                images[i] |= set(twins[twin_of[a]]) - set(fixed)
    return np.array([1 if i in fixed else len(images[i] - (set(fixed) - {i})) for i in range(nodes)])


def symmetric(options, folder):
    print("graph, anchors | partners alike, mean | confidence: mean, farthest from one over them | seconds")
    for size in (8, 30, 300, 2000):
        for name, nodes, edges, symmetries, twins in families(size):
            for known in (0, 1, 3):
                rng = np.random.default_rng([nodes, known, len(edges)])
                fixed = rng.choice(nodes, known, replace=False).tolist()
                order = rng.permutation(nodes).tolist()
                one = [(i, j, 1.0) for i, j in edges]
                two = [(order[i], order[j], 1.0) for i, j in edges]
                anchors = [(i, order[i]) for i in fixed]
                pairs, _, took = folder.match((nodes, one), (nodes, two), anchors)
                ways = alike(nodes, symmetries, twins, fixed)
                far = max(abs(p - 1 / ways[i]) for i, _, p in pairs)
                mean = sum(p for _, _, p in pairs) / len(pairs)
                words = f"{name}, {nodes} nodes, {known}"
                print(f"{words:40s} | {ways.mean():8.2f} | {mean:.3f} {far:.3f} | {took:.2f}", flush=True)


def main():
    options = arguments()
    folder = Folder(options.binary)
    for name, table in (("unrelated", unrelated), ("symmetric", symmetric)):
        if name in options.rows:
            table(options, folder)


if __name__ == "__main__":
    main()
