"""Kinds of pairs on which the confidences are judged, one by one; `bench_calibration.py` describes them.

Everything that is made here is made by NumPy, apart from the generators and tests of this project, so that no
setting was chosen on it.
"""

import csv
import os
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp


class Trial(NamedTuple):
    source: object
    target: object
    #: Rows of two indices; the first may be spoilt.
    anchors: np.ndarray
    #: Of every source node, -1 for none.
    partner: np.ndarray
    options: dict
    #: Whether a node of which no partner is known has none.
    knows_all: bool = True


def planar(rng, nodes, degree):
    """Random places and the edges of their Delaunay triangles; the degree is 6."""
    from scipy.spatial import Delaunay

    corners = np.sort(Delaunay(rng.random((nodes, 2))).simplices, axis=1)
    return {(int(t[a]), int(t[b])) for t in corners for a, b in ((0, 1), (0, 2), (1, 2))}


def space(rng, nodes, degree):
    """Random places in a cube, joined to those near."""
    from scipy.spatial import cKDTree

    radius = np.cbrt(0.75 * degree / (np.pi * nodes))
    return {(int(i), int(j)) for i, j in cKDTree(rng.random((nodes, 3))).query_pairs(radius)}


def small_world(rng, nodes, degree):
    """A ring joined to the next neighbours, one edge in ten of which ends elsewhere."""
    found = set()
    for i in range(nodes):
        for k in range(1, degree // 2 + 1):
            j = int(rng.integers(nodes)) if rng.random() < 0.1 else (i + k) % nodes
            if i != j:
                found.add((min(i, j), max(i, j)))
    return found


def kronecker(rng, nodes, degree):
    """A stochastic Kronecker graph over the next power of two, thinned to the degree; some nodes may have no edge."""
    power = int(np.ceil(np.log2(nodes)))
    rate = np.ones((1, 1))
    for _ in range(power):
        rate = np.kron(rate, [[0.95, 0.6], [0.6, 0.3]])
    rate = np.triu(rate[:nodes, :nodes], 1)
    rate *= 0.5 * degree * nodes / rate.sum()
    i, j = np.nonzero(rng.random(rate.shape) < rate)
    return set(zip(i.tolist(), j.tolist()))


def fire(rng, nodes, degree):
    """Leskovec's forest fire: a new node is joined to another, and to what burns from there."""
    beside = [set() for _ in range(nodes)]
    for i in range(1, nodes):
        burnt, queue = set(), [int(rng.integers(i))]
        while queue and len(burnt) < 4 * degree:
            burnt.add(queue[0])
            fresh = sorted(beside[queue.pop(0)] - burnt - set(queue))
            queue += rng.permutation(fresh)[: rng.geometric(0.63) - 1].astype(int).tolist() if fresh else []
        for j in burnt:
            beside[i].add(j)
            beside[j].add(i)
    return {(i, j) for i in range(nodes) for j in beside[i] if i < j}


def duplicated(rng, nodes, degree):
    """Duplication and divergence: a new node keeps four in ten edges of the node that it copies."""
    beside = [{1}, {0}]
    while len(beside) < nodes:
        kept = {j for j in beside[rng.integers(len(beside))] if rng.random() < 0.4}
        if kept:
            for j in kept:
                beside[j].add(len(beside))
            beside.append(kept)
    return {(i, j) for i in range(nodes) for j in beside[i] if i < j}


def grid(rng, nodes, degree):
    """A square grid, half of whose squares have a diagonal."""
    side, found = int(nodes**0.5), set()
    for row in range(side):
        for column in range(side):
            v = row * side + column
            found |= {(v, v + 1)} if column + 1 < side else set()
            found |= {(v, v + side)} if row + 1 < side else set()
            if column + 1 < side and row + 1 < side and rng.random() < 0.5:
                found.add((v, v + side + 1) if rng.random() < 0.5 else (v + 1, v + side))
    return found


def clustered(rng, nodes, degree):
    """Preferential attachment that closes triangles (Holme and Kim)."""
    from bench_trust import clustered as drawn

    return {(i, j) for i, j, _ in drawn(rng, nodes, degree // 2, 0.7)}


#: Kinds that were added to be tried; a few have degrees of their own.
MORE_KINDS = {
    "planar": planar,
    "space": space,
    "small world": small_world,
    "Kronecker": kronecker,
    "fire": fire,
    "duplicated": duplicated,
    "grid": grid,
    "clustered": clustered,
}


def edges_of(rng, kind, nodes, degree):
    """Pairs of nodes, each once."""
    if kind == "attachment":
        each, ends, found = max(degree // 2, 1), list(range(max(degree // 2, 1))), set()
        for i in range(each, nodes):
            for j in {ends[k] for k in rng.integers(len(ends), size=each)}:
                found.add((j, i))
                ends += [i, j]
        return np.array(sorted(found))
    if kind == "geometric":
        places = rng.random((nodes, 2))
        radius = np.sqrt(degree / (np.pi * nodes))
        from scipy.spatial import cKDTree

        return cKDTree(places).query_pairs(radius, output_type="ndarray")
    if kind == "blocks":
        block = rng.integers(4, size=nodes)
        i, j = np.triu_indices(nodes, 1)
        chance = np.where(block[i] == block[j], 2.5, 0.5) * degree / nodes
        kept = rng.random(len(i)) < chance
        return np.column_stack([i[kept], j[kept]])
    if kind in MORE_KINDS:
        return np.array(sorted(MORE_KINDS[kind](rng, nodes, degree)))
    drawn = rng.integers(nodes, size=(nodes * degree, 2))
    drawn = np.sort(drawn[drawn[:, 0] != drawn[:, 1]], axis=1)
    found = np.unique(drawn, axis=0)
    return found[rng.permutation(len(found))[: nodes * degree // 2]]


def matrix(edges, nodes, weights=None):
    weights = np.ones(len(edges)) if weights is None else weights
    half = sp.coo_array((weights, (edges[:, 0], edges[:, 1])), shape=(nodes, nodes))
    return (half + half.T).tocsr()


def common(rng, nodes, extra, shared):
    """Which nodes of a larger set each side has, in an order of its own, and the partner of each."""
    sides = [np.r_[:shared, shared + k * extra : shared + (k + 1) * extra] for k in range(2)]
    sides = [rng.permutation(side) for side in sides]
    place = {int(v): k for k, v in enumerate(sides[1])}
    return sides, np.array([place.get(int(v), -1) for v in sides[0]])


def chosen(rng, partner, count):
    known = rng.choice(np.flatnonzero(partner >= 0), count, replace=False)
    return np.column_stack([known, partner[known]])


def copies(kind, nodes, degree, kept, anchors, extra=0, weights=None, regime=None, related=True):
    """Two samples of the edges of one graph, or of two strangers; with `extra`, each side has so many nodes of its own."""

    def draw(rng):
        total = nodes + 2 * extra
        edges = edges_of(rng, kind, total, degree)
        sides, partner = common(rng, total, extra, nodes)
        strength = rng.uniform(0.1, 1.0, len(edges))
        graphs = []
        for side in sides:
            if graphs and not related:
                edges = edges_of(rng, kind, total, degree)
                strength = rng.uniform(0.1, 1.0, len(edges))
            inside = np.full(total, -1)
            inside[side] = np.arange(len(side))
            mine = (rng.random(len(edges)) < kept) & (inside[edges] >= 0).all(axis=1)
            told = None
            if weights is not None:
                told = np.abs(strength + rng.normal(0.0, weights, len(edges)))[mine] + 1e-3
            graphs.append(matrix(inside[edges[mine]], len(side), told))
        options = {"allow_unmatched": True} if extra else {}
        if regime:
            options["regime"] = regime
        return Trial(*graphs, chosen(rng, partner, anchors), partner, options)

    return draw


def counts(nodes, anchors):
    """Synapses: directed, heavy-tailed rates of two classes of cells, both sides counted by Poisson."""

    def draw(rng):
        out, into = rng.lognormal(0.0, 0.8, (2, nodes))
        rate = np.outer(out, into) * rng.gamma(0.15, 1.0, (nodes, nodes)) * 1.5
        order = rng.permutation(nodes)
        one, two = (rng.poisson(rate) for _ in range(2))
        partner = np.argsort(order)
        options = {"directed": True}
        two = two[np.ix_(order, order)]
        return Trial(sp.csr_array(one), sp.csr_array(two), chosen(rng, partner, anchors), partner, options)

    return draw


def attributes(nodes, degree, kept, anchors):
    """A class with errors and a measured number beside few edges."""
    base = copies("random", nodes, degree, kept, anchors)

    def draw(rng):
        trial = base(rng)
        known = rng.integers(12, size=nodes), rng.normal(size=nodes)
        tables = []
        for order in (np.arange(nodes), np.argsort(trial.partner)):
            kind = np.where(rng.random(nodes) < 0.1, rng.integers(12, size=nodes), known[0])[order]
            size = (known[1] + rng.normal(0.0, 0.4, nodes))[order]
            tables.append({"id": list(range(nodes)), "kind": [f"k{c}" for c in kind], "size": size.tolist()})
        options = {"source_nodes": tables[0], "target_nodes": tables[1]}
        return trial._replace(options=options)

    return draw


def candidates(nodes, degree, kept, anchors, listed=6, found=1.0):
    """Lists of possible partners with scores; the right one is on its list with the probability `found`."""
    base = copies("random", nodes, degree, kept, anchors)

    def draw(rng):
        trial = base(rng)
        triples = []
        for i, right in enumerate(trial.partner):
            others = rng.choice(nodes, listed, replace=False)
            names = set(others.tolist()) - {int(right)}
            if rng.random() < found:
                triples.append((i, int(right), float(rng.normal(1.0, 1.0))))
            triples += [(i, int(a), float(rng.normal(0.0, 1.0))) for a in sorted(names)]
        triples += [(int(i), int(a), 1.0) for i, a in trial.anchors]
        pairs = {(i, a): (i, a, s) for i, a, s in triples}
        triples = list(pairs.values())
        if found == 1.0:
            return trial._replace(options={"candidates": triples})
        # Whose partner is on no list has none that could be found.
        partner = np.array([a if (i, int(a)) in pairs else -1 for i, a in enumerate(trial.partner)])
        return trial._replace(partner=partner, options={"candidates": triples, "allow_unmatched": True})

    return draw


def layers(nodes, degree, kept, anchors):
    """Two kinds of edges, seen with the same rate."""
    bases = [("random", degree), ("geometric", degree)]

    def draw(rng):
        order = rng.permutation(nodes)
        partner = np.argsort(order)
        sides = [[], []]
        for kind, of in bases:
            edges = edges_of(rng, kind, nodes, of)
            for side, place in zip(sides, (np.arange(nodes), partner)):
                mine = edges[rng.random(len(edges)) < kept]
                side.append(matrix(place[mine], nodes))
        return Trial(*sides, chosen(rng, partner, anchors), partner, {})

    return draw


def complete(nodes, noise, anchors, outliers=0):
    """The paper's random graphs: all pairs, weights U[0, 1], noise on the target."""

    def draw(rng):
        total = nodes + 2 * outliers
        upper = np.triu(rng.random((total, total)), 1)
        weights = upper + upper.T
        sides, partner = common(rng, total, outliers, nodes)
        one = weights[np.ix_(sides[0], sides[0])]
        shift = np.triu(rng.normal(0.0, noise, (total, total)), 1)
        two = np.abs(weights + shift + shift.T)[np.ix_(sides[1], sides[1])]
        options = {"allow_unmatched": True} if outliers else {}
        return Trial(one, two, chosen(rng, partner, anchors), partner, options)

    return draw


def sides_of(rng, drawn, seen, related):
    """What two sides see of one thing, or of two that have nothing to do with each other."""
    one = drawn(rng)
    return seen(rng, one), seen(rng, one if related else drawn(rng))


def dependent(nodes, anchors, drawn, seen, related=True):
    """Complete graphs whose weights repeat each other; unrelated ones have anchors all the same."""

    def draw(rng):
        one, two = sides_of(rng, drawn, seen, related)
        order = rng.permutation(nodes)
        for weights in (one, two):
            np.fill_diagonal(weights, 0.0)
        partner = np.argsort(order)
        return Trial(one, two[np.ix_(order, order)], chosen(rng, partner, anchors), partner, {})

    return draw


def correlations(nodes, factors, times, own, anchors, related=True):
    """Functional connectomes: regions follow a few common courses, and each session has its own course and noise."""

    def drawn(rng):
        return rng.normal(size=(nodes, factors))

    def seen(rng, loadings):
        series = loadings @ rng.normal(size=(factors, times)) + own * rng.normal(size=(nodes, times))
        return np.corrcoef(series)

    return dependent(nodes, anchors, drawn, seen, related)


def between_points(nodes, dimensions, moved, anchors, width=None, related=True):
    """Distances of points, or with a width exp(-d²/2w²), each side with points that moved."""

    def drawn(rng):
        return rng.random((nodes, dimensions))

    def seen(rng, places):
        places = places + rng.normal(0.0, moved / np.sqrt(2.0), places.shape)
        apart = np.linalg.norm(places[:, None] - places[None], axis=2)
        return apart if width is None else np.exp(-0.5 * (apart / width) ** 2)

    return dependent(nodes, anchors, drawn, seen, related)


def uniform_strangers(nodes, anchors):
    """Two complete graphs of independent weights that have nothing to do with each other."""

    def weights(rng):
        upper = np.triu(rng.random((nodes, nodes)), 1)
        return upper + upper.T

    return dependent(nodes, anchors, weights, lambda rng, one: one.copy(), related=False)


def points(name, data):
    import point_scenes
    from peer_pairs import hotel_frames

    import anchormatch as am

    row = point_scenes.ROWS[name]
    films = {"hotel": hotel_frames(data)} if row.data else {}

    def draw(rng):
        # One row of the scenes with a seed of this trial's own.
        task = next(point_scenes.drawn(name, 0, int(rng.integers(2**31)), films))
        return Trial(am.points(task.source), am.points(task.target), task.anchors, task.partner, {})

    return draw


def table(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def real(data, name, share, directed=False, knows=()):
    """A pair of DIR/alignment with a random share of its truth as anchors."""
    folder = os.path.join(data, "alignment", name)
    sides, numbers = [], []
    for side in ("source", "target"):
        ids = [next(iter(row.values())) for row in table(os.path.join(folder, f"{side}_nodes.csv"))]
        numbers.append({v: k for k, v in enumerate(ids)})
        rows = table(os.path.join(folder, f"{side}_edges.csv"))
        ends = np.array([[numbers[-1][row["u"]], numbers[-1][row["v"]]] for row in rows])
        weights = np.array([float(row.get("weight") or 1.0) for row in rows])
        made = sp.coo_array((weights, ends.T), shape=(len(ids), len(ids))).tocsr()
        if not directed:
            made = (made + made.T).astype(bool).astype(float).tocsr()
        sides.append(made)
    partner = np.full(len(numbers[0]), -1)
    for row in table(os.path.join(folder, "truth.csv")):
        partner[numbers[0][row["source"]]] = numbers[1][row["target"]]
    options = {"directed": True} if directed else {}
    if "candidates" in knows:
        rows = table(os.path.join(folder, "similarity.csv"))
        options["candidates"] = [
            (numbers[0][row["source"]], numbers[1][row["target"]], float(row["score"])) for row in rows
        ]
    if (partner < 0).any() or len(numbers[0]) != len(numbers[1]):
        options["allow_unmatched"] = True

    def draw(rng):
        count = max(int(round(share * (partner >= 0).sum())), 1)
        return Trial(*sides, chosen(rng, partner, count), partner, options, knows_all=False)

    return draw


#: Name, and how a trial is drawn; `n` of the paper's graphs and the like are in the name.
MADE = {
    "complete 20, σ .2": complete(20, 0.2, 3),
    "complete 20, σ .4": complete(20, 0.4, 3),
    "complete 20 of 28, σ .1": complete(20, 0.1, 3, 8),
    "random edges 60, kept .7": copies("random", 60, 8, 0.7, 3),
    "random edges 200, kept .6": copies("random", 200, 8, 0.6, 8),
    "blocks 150, kept .7": copies("blocks", 150, 14, 0.7, 5),
    "attachment 150, kept .7": copies("attachment", 150, 6, 0.7, 5),
    "geometric 150, kept .8": copies("geometric", 150, 8, 0.8, 5),
    "weights 120, kept .7": copies("random", 120, 8, 0.7, 4, weights=0.15),
    "extra nodes 100 of 140": copies("random", 100, 10, 0.8, 6, extra=20),
    "counts, directed 120": counts(120, 4),
    "attributes 150, kept .6": attributes(150, 5, 0.6, 4),
    "candidates 200, kept .6": candidates(200, 5, 0.6, 4),
    "candidates 200, nine in ten": candidates(200, 5, 0.8, 4, found=0.9),
    "two layers 150, kept .6": layers(150, 4, 0.6, 5),
    "geometric 200, kept .7": copies("geometric", 200, 8, 0.7, 4),
    "random edges 150, kept .65": copies("random", 150, 8, 0.65, 5),
    "planar 150, kept .85": copies("planar", 150, 6, 0.85, 5),
    "small world 120, kept .8": copies("small world", 120, 8, 0.8, 5),
    "Kronecker 120, kept .75": copies("Kronecker", 120, 8, 0.75, 5),
    "forest fire 120, kept .8": copies("fire", 120, 6, 0.8, 5),
    "duplication 120, kept .8": copies("duplicated", 120, 6, 0.8, 5),
    "grid with diagonals 121, kept .9": copies("grid", 121, 5, 0.9, 5),
    "clustered 120, kept .7": copies("clustered", 120, 8, 0.7, 5),
    "sparse random 3000, kept .6": copies("random", 3000, 10, 0.6, 60, regime="sparse"),
    "sparse random 3000, kept .8": copies("random", 3000, 10, 0.8, 20, regime="sparse"),
    "sparse attachment 3000, kept .7": copies("attachment", 3000, 10, 0.7, 60, regime="sparse"),
    "sparse geometric 3000, kept .8": copies("geometric", 3000, 12, 0.8, 60, regime="sparse"),
    "sparse extra 2400 of 3600": copies("random", 2400, 12, 0.8, 60, extra=600, regime="sparse"),
    "sparse weights 3000, kept .6": copies("random", 3000, 10, 0.6, 40, weights=0.15, regime="sparse"),
}
#: Kind, nodes, degree, share of edges kept, anchors: over lists of candidates, some with hardly as many anchors as are needed.
LISTED = [
    ("random", 500, 10, 0.6, 15),
    ("random", 1000, 10, 0.6, 20),
    ("attachment", 600, 8, 0.7, 18),
    ("blocks", 600, 12, 0.7, 18),
    ("clustered", 500, 10, 0.7, 10),
    ("Kronecker", 700, 10, 0.7, 21),
    ("fire", 600, 8, 0.8, 18),
    ("duplicated", 600, 8, 0.8, 18),
    ("geometric", 500, 12, 0.7, 25),
    ("geometric", 1000, 12, 0.9, 50),
    ("geometric", 1000, 28, 0.8, 50),
    ("planar", 600, 6, 0.85, 18),
    ("planar", 1500, 6, 0.8, 75),
    ("small world", 800, 8, 0.8, 24),
    ("small world", 2000, 6, 0.8, 100),
]
for _kind, _nodes, _degree, _kept, _known in LISTED:
    _name = f"listed {_kind} {_nodes}, degree {_degree}"
    MADE |= {
        f"{_name}, kept {_kept}": copies(_kind, _nodes, _degree, _kept, _known),
        f"{_name}, strangers, 5 known": copies(_kind, _nodes, _degree, _kept, 5, related=False),
        f"{_name}, strangers, {_known} known": copies(_kind, _nodes, _degree, _kept, _known, related=False),
    }
for _known in (1, 3, 10):
    MADE |= {
        f"correlations 100, 4 courses, {_known} known": correlations(100, 4, 100, 0.5, _known),
        f"correlations 100, 10 courses, {_known} known": correlations(100, 10, 60, 1.5, _known),
        f"correlations 200, 3 courses, {_known} known": correlations(200, 3, 100, 0.3, _known),
        f"correlations 100, strangers, {_known} known": correlations(100, 4, 100, 0.5, _known, related=False),
        f"kernels 50, {_known} known": between_points(50, 3, 0.06, _known, width=0.3),
        f"kernels 50, strangers, {_known} known": between_points(50, 3, 0.0, _known, width=0.3, related=False),
        f"distances 50, {_known} known": between_points(50, 3, 0.06, _known),
        f"distances 50, strangers, {_known} known": between_points(50, 2, 0.0, _known, related=False),
        f"complete 20, strangers, {_known} known": uniform_strangers(20, _known),
    }
POINTS = ["turned", "shear", "perspective", "solid-20", "solid-45", "bent", "house-25", "house-40"]
#: Folder, share of anchors, whether arcs have directions, and what else is used.
REAL = [
    ("bgm_maggot_subset", 0.1, True, ()),
    ("bgm_herm_chem", 0.1, True, ()),
    ("genealogy/problem0", 0.1, False, ("candidates",)),
    ("facebook_twitter_1k", 0.1, False, ()),
    ("acm_dblp", 0.2, False, ()),
    ("douban", 0.2, False, ()),
    ("phone_email", 0.2, False, ()),
]


def families(data):
    """All of them by name; those that need data are made when they are asked for."""
    found = dict(MADE)
    for name in POINTS:
        found[f"points, {name}"] = made_when_asked(points, name, data)
    if data:
        found["points, hotel-50-3-lost"] = made_when_asked(points, "hotel-50-3-lost", data)
        for name, share, directed, knows in REAL:
            found[f"{name}, {share:.0%}"] = made_when_asked(real, data, name, share, directed, knows)
    return found


def made_when_asked(make, *what):
    made = []

    def draw(rng):
        if not made:
            made.append(make(*what))
        return made[0](rng)

    return draw
