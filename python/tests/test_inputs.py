"""Every form of graph gives the same graph, and ids come back as they went in."""

from __future__ import annotations

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import rustworkx as rx
import scipy.sparse as sp

import anchormatch as am


def assert_same(made: am.Graph, matrix: np.ndarray) -> None:
    """The graph has the weights of the matrix, under whatever order of ids."""
    order = [int(node) for node in made.ids]
    np.testing.assert_array_equal(made.adjacency(), matrix[np.ix_(order, order)])


@pytest.mark.parametrize("dtype", ["f8", "f4", "f2", "i8", "u1", "i2", ">f8", ">i4", np.longdouble, object])
def test_any_dtype(pair, dtype):
    assert_same(am.graph(pair.source.astype(dtype)), pair.source)


def test_booleans(pair):
    assert_same(am.graph(pair.source > 0), (pair.source > 0).astype(float))


def test_any_memory_order_and_no_change_of_the_input(pair):
    wide = np.zeros((20, 30))
    wide[::2, ::3] = pair.source
    record = np.zeros(100, dtype=[("pad", "i1"), ("w", "f8")])
    record["w"] = pair.source.ravel()
    read_only = pair.source.copy()
    read_only.flags.writeable = False
    for matrix in (
        np.asfortranarray(pair.source),
        wide[::2, ::3],
        pair.source[::-1, ::-1][::-1, ::-1],
        record["w"].reshape(10, 10),
        read_only,
        np.ma.masked_array(pair.source, mask=False),
    ):
        before = np.array(matrix)
        assert_same(am.graph(matrix), pair.source)
        np.testing.assert_array_equal(matrix, before)


@pytest.mark.parametrize("kind", ["bsr", "coo", "csc", "csr", "dia", "dok", "lil"])
@pytest.mark.parametrize("container", ["matrix", "array"])
def test_sparse_of_all_formats(pair, kind, container):
    matrix = getattr(sp, f"{kind}_{container}")(pair.source)
    assert_same(am.graph(matrix), pair.source)


def test_sparse_with_repeated_unsorted_and_stored_zero_entries():
    rows, columns = [0, 1, 0, 1, 2, 0], [1, 0, 1, 0, 0, 2]
    matrix = sp.coo_array(([1.0, 2.0, 2.0, 1.0, 0.0, 0.0], (rows, columns)), shape=(3, 3))
    assert am.graph(matrix).edges() == [(0, 1, 3.0)]
    unsorted = sp.csr_array(
        (np.array([5.0, 1.0, 1.0, 5.0]), np.array([2, 1, 0, 0]), np.array([0, 2, 3, 4])), shape=(3, 3)
    )
    assert am.graph(unsorted).edges() == [(0, 1, 1.0), (0, 2, 5.0)]
    assert unsorted.indices.tolist() == [2, 1, 0, 0]


def test_networkx(pair):
    graph = nx.from_numpy_array(pair.source)
    assert_same(am.graph(graph), pair.source)
    graph = nx.relabel_nodes(graph, {0: "zero", 1: (1, "one"), 2: frozenset({2}), 3: 3.5})
    made = am.graph(graph)
    assert list(made.ids) == list(graph.nodes)
    graph.add_node("alone")
    assert am.graph(graph).n_nodes == 11
    assert am.graph(nx.path_graph(3)).edges() == [(0, 1, 1.0), (1, 2, 1.0)]


def test_networkx_attributes_positions_and_parallel_edges():
    graph = nx.Graph()
    graph.add_edge("a", "b", capacity=3)
    assert am.graph(graph, weight="capacity").edges() == [("a", "b", 3.0)]
    nx.set_node_attributes(graph, {"a": (0, 1), "b": (2, 3)}, "pos")
    np.testing.assert_array_equal(am.graph(graph).positions, [[0, 1], [2, 3]])
    several = nx.MultiGraph([(0, 1, {"weight": 1.0}), (0, 1, {"weight": 2.5})])
    with pytest.raises(ValueError, match="two weights, 1 and 2.5"):
        am.graph(several)
    assert am.graph(several, duplicates="sum").edges() == [(0, 1, 3.5)]


def test_igraph(pair):
    graph = igraph.Graph.Weighted_Adjacency(pair.source.tolist(), mode="undirected")
    assert_same(am.graph(graph), pair.source)
    named = igraph.Graph.TupleList([("x", "y", 2.0), ("y", "z", 3.0)], weights=True)
    assert am.graph(named).edges() == [("x", "y", 2.0), ("y", "z", 3.0)]
    assert am.graph(igraph.Graph.Ring(4)).n_edges == 4


def test_rustworkx(pair):
    graph = rx.PyGraph.from_adjacency_matrix(pair.source)
    assert_same(am.graph(graph), pair.source)
    graph.remove_node(0)
    made = am.graph(graph)
    assert list(made.ids) == list(range(1, 10))
    other = rx.PyGraph()
    other.add_nodes_from(["p", "q", "r"])
    other.add_edges_from([(0, 1, None), (1, 2, {"weight": 4})])
    assert am.graph(other).edges() == [(0, 1, 1.0), (1, 2, 4.0)]
    assert am.graph(other, ids=other.nodes()).edges() == [("p", "q", 1.0), ("q", "r", 4.0)]


def test_pandas(pair):
    edges = [(i, j, pair.source[i, j]) for i in range(10) for j in range(i) if pair.source[i, j]]
    for columns in (["source", "target", "weight"], ["from", "to", "w"]):
        assert_same(am.graph(pd.DataFrame(edges, columns=columns)), pair.source)
    table = pd.DataFrame(edges, columns=["target", "source", "weight"]).assign(colour="red")
    assert_same(am.graph(table), pair.source)
    square = pd.DataFrame(pair.source, index=list("abcdefghij"), columns=list("abcdefghij"))
    assert list(am.graph(square).ids) == list("abcdefghij")
    dated = pd.DataFrame(
        {"source": pd.to_datetime(["2020-01-01"]), "target": pd.to_datetime(["2021-01-01"])}
    )
    assert am.graph(dated).ids[0] == pd.Timestamp("2020-01-01")
    with pytest.raises(ValueError, match="columns"):
        am.graph(pd.DataFrame(np.zeros((2, 4))))
    with pytest.raises(ValueError, match="in the place of a node"):
        am.graph(pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}))


def test_edges_of_every_kind(pair):
    edges = [(i, j, pair.source[i, j]) for i in range(10) for j in range(i) if pair.source[i, j]]
    for form in (edges, tuple(edges), [list(e) for e in edges], iter(edges), {tuple(e) for e in edges}):
        assert_same(am.graph(form), pair.source)
    assert am.graph([("a", "b", {"weight": 2})]).edges() == [("a", "b", 2.0)]
    assert am.graph([("b", "a")], ids=["a", "b", "alone"]).edges() == [("a", "b", 1.0)]


def test_ids_that_look_alike_stay_apart():
    made = am.graph([(1, "1"), ("1", 1.5), (1.5, (1,)), ((1,), None.__class__)])
    assert list(made.ids) == [1, "1", 1.5, (1,), type(None)]
    m = am.match(made, made, [(1, 1)])
    assert all(type(left) in (int, str, float, tuple, type) for left, _ in m.pairs)
    assert m.mapping[1] == 1 and "1" in m.mapping


def test_points_and_positions():
    xy = [[0, 0], [3, 4], [0, 8]]
    made = am.points(xy, ids=["a", "b", "c"])
    assert made.edges() == [("a", "b", 5.0), ("a", "c", 8.0), ("b", "c", 5.0)]
    np.testing.assert_array_equal(made.positions, xy)
    assert am.points(np.zeros((3, 5)) + np.arange(3)[:, None]).positions is None
    assert list(am.points(pd.DataFrame(xy, index=["p", "q", "r"])).ids) == ["p", "q", "r"]
    assert am.graph(np.ones((2, 2)), positions=[[0, 0], [1, 1]]).positions.shape == (2, 2)


def test_a_graph_is_an_array_and_can_be_used_again(pair):
    made = am.graph(pair.source)
    np.testing.assert_array_equal(np.asarray(made), pair.source)
    assert am.graph(made) is made
    assert list(am.graph(made, ids=list("abcdefghij")).ids) == list("abcdefghij")
    assert am.match(made, pair.target, pair.anchors).accuracy(pair.truth) == 1.0


def test_rounding_is_no_asymmetry_and_directions_can_be_merged():
    almost = np.array([[0, 0.1 + 0.2], [0.3, 0]])
    assert am.graph(almost).n_edges == 1
    directed = np.array([[0.0, 1.0, 0.0], [3.0, 0.0, 0.0], [5.0, 0.0, 0.0]])
    want = {"sum": [4, 5], "mean": [2, 2.5], "max": [3, 5], "first": [1]}
    for rule, weights in want.items():
        for matrix in (directed, sp.csr_array(directed)):
            got = [w for _, _, w in am.graph(matrix, duplicates=rule).edges()]
            assert got == weights, rule
    assert am.graph(nx.DiGraph([(0, 1)]), duplicates="max").n_edges == 1


def test_what_was_set_aside_is_noted(pair):
    looped = pair.source + np.eye(10)
    assert "10 self-loops, told of the nodes alone" in am.match(looped, pair.target, pair.anchors).notes[0]
    one = np.zeros((10, 10))
    one[4, 4] = 2.0
    told = am.match(sp.csr_array(pair.source + one), pair.target, pair.anchors).notes
    assert told[0] == "the source graph: 1 self-loop, told of the nodes alone"


def test_indices_outside_of_a_sparse_matrix_are_refused(pair):
    from anchormatch.compat.graspologic import graph_match

    for kind in (sp.csr_array, sp.csc_array, sp.csr_matrix):

        def broken(kind=kind):
            matrix = kind(pair.source)
            matrix.indices = matrix.indices + 1000
            return matrix

        # SciPy itself would write where the indices point to.
        for call in (
            lambda: am.graph(broken()),
            lambda: am.match(pair.source, pair.target, node_similarity=broken()),
            lambda: am.solve((broken(), pair.target), "faq"),
            lambda: am.solve(broken(), shape=(5, 2)),
            lambda: graph_match(broken(), pair.target),
        ):
            with pytest.raises(ValueError, match="sparse matrix"):
                call()


def test_a_diagonal_of_zeros_is_no_loop(pair):
    stored = sp.csr_array(pair.source + np.eye(10))
    stored.setdiag(0.0)
    assert stored.nnz > sp.csr_array(pair.source).nnz, "zeros are stored"
    for matrix in (pair.source, stored, pair.source.astype(int)):
        assert am.match(matrix, pair.target, pair.anchors).notes == []
    made = am.generate.synthetic(12, noise=0.1, seed=1)
    assert am.match(made.source, made.target, made.anchors(2)).notes == []


BAD_GRAPHS = [
    (np.zeros((2, 3)), ValueError, "am.points"),
    (np.zeros(4), ValueError, "dimensions"),
    (np.zeros((0, 0)), ValueError, "at least one"),
    ([], ValueError, "at least one"),
    (np.array([[0, np.nan], [np.nan, 0]]), ValueError, "finite"),
    (np.array([[0, np.inf], [np.inf, 0]]), ValueError, "finite"),
    (np.array([[np.nan, 1], [1, 0]]), ValueError, "finite"),
    (sp.csr_array(np.array([[0, np.nan], [np.nan, 0]])), ValueError, "finite"),
    (sp.csr_array(np.zeros((2, 3))), ValueError, "square"),
    (np.array([[0, 1j], [1j, 0]]), TypeError, "complex"),
    (sp.csr_array(np.array([[0, 1j], [1j, 0]])), TypeError, "complex"),
    (np.array([["a", "b"], ["c", "d"]]), TypeError, "expected numbers"),
    (np.array([[None, "x"], ["x", None]], dtype=object), TypeError, "no numbers"),
    (np.zeros((2, 2), dtype="M8[D]"), TypeError, "expected numbers"),
    (np.ma.masked_array(np.ones((2, 2)), mask=[[0, 1], [0, 0]]), ValueError, "masked"),
    (b"graph.csv", TypeError, "found an object of type bytes"),
    (7, TypeError, "found an object of type int"),
    (None, TypeError, "found an object of type NoneType"),
    ({"a": "b"}, TypeError, "found an object of type dict"),
    (["ab", "cd"], ValueError, "as edge 0"),
    ([(1,)], ValueError, "as edge 0"),
    ([(1, 2), 5], ValueError, "as edge 1"),
    ([(1, 2, 3, 4)], ValueError, "as edge 0"),
    ([([], 2)], TypeError, "hashable"),
    ([(float("nan"), 2)], ValueError, "expected an id"),
    ([("a", "b", "heavy")], TypeError, "expected a number"),
    ([("a", "b", None), ("a", "c", [1])], TypeError, "expected a number"),
    ([("a", "b", float("nan"))], ValueError, r"edge \(a, b\) has the weight NaN"),
    ([("a", "b", 1.0), ("b", "a", 2.0)], ValueError, "two weights"),
    (nx.Graph(), ValueError, "at least one"),
    (nx.DiGraph(), ValueError, "at least one"),
    (igraph.Graph(directed=True), ValueError, "at least one"),
    (rx.PyDiGraph(), ValueError, "at least one"),
]

# What is refused where directions are.
DIRECTED_GRAPHS = [
    (np.array([[0, 1], [2, 0]]), ValueError, "symmetric"),
    (sp.csr_array(np.array([[0, 1], [0, 0]])), ValueError, "symmetric"),
    (nx.DiGraph([(0, 1)]), ValueError, "directed"),
    (igraph.Graph(directed=True), ValueError, "directed"),
    (rx.PyDiGraph(), ValueError, "directed"),
    (am.graph([(0, 1)], directed=True), ValueError, "directed"),
]


@pytest.mark.parametrize(("data", "kind", "words"), BAD_GRAPHS)
def test_bad_graphs_are_refused_in_words(data, kind, words):
    for call in (lambda: am.graph(data), lambda: am.match(data, np.ones((2, 2)))):
        with pytest.raises(kind, match=words):
            call()


def test_names_of_files_are_for_match_and_read():
    with pytest.raises(TypeError, match=r"found an object of type str, expected .* or am.read\(path\)"):
        am.graph("graph.csv")
    with pytest.raises(FileNotFoundError, match="graph.csv"):
        am.match("graph.csv", np.ones((2, 2)))


@pytest.mark.parametrize(("data", "kind", "words"), DIRECTED_GRAPHS)
def test_directions_are_refused_where_none_are_wanted(data, kind, words):
    for call in (
        lambda: am.graph(data, directed=False),
        lambda: am.match(data, np.ones((2, 2)), directed=False),
    ):
        with pytest.raises(kind, match=words):
            call()


def test_bad_arguments_of_graphs():
    good = np.ones((2, 2))
    for ids, kind in [
        (["a"], ValueError),
        (["a", "a"], ValueError),
        ("ab", TypeError),
        ([[], {}], TypeError),
        ([None, 1], ValueError),
        ([float("nan"), 1], ValueError),
    ]:
        with pytest.raises(kind, match="ids|expected an id"):
            am.graph(good, ids=ids)
    with pytest.raises(ValueError, match="duplicates"):
        am.graph(good, duplicates="most")
    with pytest.raises(TypeError, match="directed: found 'yes'"):
        am.graph(good, directed="yes")
    with pytest.raises(ValueError, match="positions"):
        am.graph(good, positions=[[0, 0]])
    with pytest.raises(ValueError, match="expected one of ids"):
        am.graph([("a", "b")], ids=["a"])
    with pytest.raises(ValueError, match="coordinate"):
        am.points([[0, np.nan], [1, 1]])
    with pytest.raises(ValueError, match="at least one|no point|found no node"):
        am.points(np.zeros((0, 2)))


def test_large_graphs_are_refused_before_anything_is_allocated():
    many = sp.random_array((100_000, 100_000), density=1e-6, rng=np.random.default_rng(0), format="csr")
    many = many + many.T
    for options in ({"regime": "dense"}, {"preset": "paper"}):
        with pytest.raises(MemoryError, match="max_memory"):
            am.match(many, many, max_memory="4G", **options)
    # Lists of candidates fit, though not into a megabyte.
    assert len(am.match(many, many, {0: 0}, max_memory="4G").pairs) == 100_000
    with pytest.raises(MemoryError, match="max_memory"):
        am.match(many, many, {0: 0}, max_memory="1M")
    with pytest.raises(MemoryError, match="would take"):
        am.points(np.zeros((100_000, 2)), max_memory="4G").edges()
    with pytest.raises(MemoryError, match="would take"):
        am.graph(many, max_memory="4G").adjacency("4G")
    with pytest.raises(MemoryError, match="would take"):
        am.solve((many, many), "faq", max_memory="4G")
    with pytest.raises(MemoryError, match="would take"):
        am.heat_kernel(many, max_memory="4G")
    assert am.heat_kernel(many, columns=[0, 5], time=0.1, max_memory="4G").shape == (100_000, 2)
