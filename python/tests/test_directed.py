"""Directions arrive, are compared, and can be set aside."""

from __future__ import annotations

import pickle

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import rustworkx as rx
import scipy.sparse as sp

import anchormatch as am

ARCS = [("a", "b", 1.0), ("b", "a", 2.0), ("c", "b", 3.0)]
MATRIX = np.array([[0.0, 1.0, 0.0], [2.0, 0.0, 0.0], [0.0, 3.0, 0.0]])


def of_rustworkx(kind=rx.PyDiGraph):
    graph = kind()
    graph.add_nodes_from(["a", "b", "c"])
    graph.add_edges_from([("abc".index(u), "abc".index(v), w) for u, v, w in ARCS])
    return graph


def of_networkx(kind):
    graph = kind()
    graph.add_weighted_edges_from(ARCS)
    return graph


DIRECTED = {
    "networkx": of_networkx(nx.DiGraph),
    "networkx with parallels": of_networkx(nx.MultiDiGraph),
    "igraph": igraph.Graph.TupleList(ARCS, directed=True, weights=True),
    "rustworkx": of_rustworkx(),
    "dense": MATRIX,
    "sparse": sp.csr_array(MATRIX),
    "sparse by columns": sp.csc_matrix(MATRIX),
    "square table": pd.DataFrame(MATRIX, index=list("abc"), columns=list("abc")),
}
ROWS = {"list": ARCS, "table": pd.DataFrame(ARCS, columns=["source", "target", "weight"])}


def assert_directed(made: am.Graph) -> None:
    assert made.directed and made.n_edges == 3
    assert repr(made) == "Graph(3 nodes, 3 arcs)"
    np.testing.assert_array_equal(made.adjacency(), MATRIX)
    assert [(str(u), str(v), w) for u, v, w in made.edges()] == [
        (str(made.ids["abc".index(u)]), str(made.ids["abc".index(v)]), w) for u, v, w in ARCS
    ]


@pytest.mark.parametrize("name", DIRECTED)
def test_directed_data_are_directed_graphs(name):
    for directed in (None, True):
        assert_directed(am.graph(DIRECTED[name], directed=directed))
    merged = am.graph(DIRECTED[name], duplicates="sum")
    assert not merged.directed
    np.testing.assert_array_equal(merged.adjacency(), MATRIX + MATRIX.T)
    again = am.graph(DIRECTED[name], duplicates="sum", directed=False)
    assert again.edges() == merged.edges()
    assert_directed(am.graph(DIRECTED[name], duplicates="sum", directed=True))


@pytest.mark.parametrize("name", ROWS)
def test_rows_are_arcs_to_who_says_so(name):
    assert_directed(am.graph(ROWS[name], directed=True))
    for directed in (None, False):
        with pytest.raises(ValueError, match="two weights, 1 and 2"):
            am.graph(ROWS[name], directed=directed)
        assert not am.graph(ROWS[name], duplicates="max", directed=directed).directed


def test_what_runs_both_ways_is_undirected():
    both = nx.Graph([(0, 1), (1, 2)]).to_directed()
    assert not am.graph(both).directed
    assert am.graph(both).edges() == [(0, 1, 1.0), (1, 2, 1.0)]
    assert not am.graph(nx.path_graph(3), directed=True).directed
    almost = np.array([[0, 0.1 + 0.2, 1e9], [0.3, 0, 0], [1e9, 0, 0]])
    for matrix in (almost, sp.csr_array(almost)):
        assert not am.graph(matrix).directed
        assert not am.graph(matrix, directed=True).directed


def test_parallel_arcs_need_a_rule_of_their_own():
    several = nx.MultiDiGraph([(0, 1, {"weight": 1.0}), (0, 1, {"weight": 2.5}), (1, 0, {"weight": 7.0})])
    with pytest.raises(ValueError, match="two weights, 1 and 2.5"):
        am.graph(several)
    made = am.graph(several, duplicates="sum", directed=True)
    assert made.edges() == [(0, 1, 3.5), (1, 0, 7.0)]
    assert am.graph(several, duplicates="sum").edges() == [(0, 1, 10.5)]


def test_directed_graphs_are_pickled_renamed_and_made_undirected():
    made = am.graph(ARCS, directed=True)
    assert_directed(pickle.loads(pickle.dumps(made)))
    assert am.graph(made) is made
    assert am.graph(made, directed=True) is made
    assert_directed(am.graph(made, ids=["x", "y", "z"]))
    assert am.graph(made, duplicates="max").edges() == [("a", "b", 2.0), ("b", "c", 3.0)]
    undirected = am.graph([("a", "b")])
    assert am.graph(undirected, directed=False) is undirected
    points = am.points([[0, 0], [3, 4]])
    assert am.graph(points, directed=False) is points and not points.directed


def test_pickles_keep_self_loops_and_what_a_table_said():
    adjacency = np.array([[2.0, 1, 0], [1, 0, 1], [0, 1, 5]])
    made = am.graph(adjacency, ids=["a", "b", "c"])
    again = pickle.loads(pickle.dumps(made))
    for graph in (made, again):
        nodes, weights = graph._native.loop_arrays()
        assert nodes.tolist() == [0, 2] and weights.tolist() == [2, 5]
    assert again.edges() == made.edges()


def tournament(nodes: int, seed: int) -> np.ndarray:
    """One arc between every two nodes: without directions, a complete graph."""
    upper = np.triu(np.random.default_rng(seed).integers(0, 2, (nodes, nodes)), 1)
    return upper + np.tril(1 - upper.T, -1)


def test_directions_alone_tell_the_nodes_of_a_tournament_apart():
    source = tournament(16, 3)
    order = np.random.default_rng(4).permutation(16)
    target = np.empty_like(source)
    target[np.ix_(order, order)] = source
    truth, known = dict(enumerate(order.tolist())), dict(enumerate(order[:4].tolist()))
    for kind in (
        lambda matrix: matrix,
        sp.csr_array,
        nx.DiGraph,
        lambda matrix: np.argwhere(matrix).tolist(),
    ):
        ids = range(16)
        left, right = kind(source), kind(target)
        if isinstance(left, list):
            left, right = (am.graph(rows, ids=ids, directed=True) for rows in (left, right))
        m = am.match(left, right, known)
        assert m.accuracy(truth) == 1.0 and m.notes == []
    rows = [np.argwhere(matrix).tolist() for matrix in (source, target)]
    assert am.match(*rows, known, directed=True).accuracy(truth) == 1.0
    assert am.match(*rows, known).accuracy(truth) < 0.9


def test_directions_that_are_not_used_are_noted():
    source = tournament(10, 1)
    [note] = am.match(source, np.ones((10, 10)) - np.eye(10), {0: 0}).notes
    assert note == (
        "the edges of one graph alone have directions, which are not used; directed=True reads rows as arcs "
        'or am.graph(…, duplicates="sum") sets all directions aside'
    )
    for options, is_noted in (({"preset": "paper"}, True), ({"regime": "sparse"}, False)):
        notes = am.match(source, source, {0: 0}, **options).notes
        assert any("directions, which are not compared here" in note for note in notes) == is_noted
