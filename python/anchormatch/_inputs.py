"""Graphs from whatever the user has.

Everything becomes a :class:`Graph`: the compiled graph, whose nodes are numbers, and the ids that the
user calls them by. Libraries of graphs are never imported here: an object of one can only be there
when its library is loaded.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _native
from ._native import Graph as NativeGraph
from ._numbers import FloatArray, IndexArray, aligned, csr_arrays, float_array, is_sparse, passed
from ._resources import quick

__all__ = ["Graph", "as_graph", "graph"]

_ACCEPTED = (
    "a square NumPy array, a SciPy sparse matrix, a graph of networkx, igraph or rustworkx, a pandas "
    "table of edges, a list of edges (source, target[, weight]), or am.points(xy)"
)


class Graph:
    """A weighted graph with the ids of its nodes, ready to be matched.

    Made by :func:`graph` and :func:`anchormatch.points`; every function that takes a graph takes one of
    these, so that a graph that is used often is converted once.

    Examples
    --------
    >>> import anchormatch as am
    >>> g = am.graph([("ann", "bob"), ("bob", "eve", 2.0)])
    >>> g
    Graph(3 nodes, 2 edges)
    >>> list(g.ids)
    ['ann', 'bob', 'eve']
    >>> g.adjacency()
    array([[0., 1., 0.],
           [1., 0., 2.],
           [0., 2., 0.]])
    """

    def __init__(
        self,
        native: NativeGraph,
        ids: Sequence[Hashable],
        positions: FloatArray | None = None,
    ) -> None:
        self._own = native
        self._ids = ids
        self._positions = positions
        self._places: dict[Hashable, int] | None = None

    @property
    def _native(self) -> NativeGraph:
        return self._own

    @property
    def _drawn(self) -> NativeGraph:
        """The graph whose edges a picture has."""
        return self._own

    @property
    def ids(self) -> Sequence[Hashable]:
        """The ids of the nodes, in their order."""
        return self._ids

    @property
    def positions(self) -> FloatArray | None:
        """Where the nodes lie, one a row, when that is known."""
        return self._positions

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return self._own.nodes

    @property
    def directed(self) -> bool:
        """Whether the edges have directions."""
        return self._own.directed

    @property
    def n_edges(self) -> int:
        """The number of edges, or of arcs where the graph is directed."""
        return self._native.edges

    def edges(self) -> list[tuple[Hashable, Hashable, float]]:
        """Every edge once, or every arc from its tail to its head, in the ids of the nodes."""
        low, high, weights = self._native.edge_arrays()
        ids = self._ids
        return [(ids[i], ids[j], w) for i, j, w in zip(low.tolist(), high.tolist(), weights.tolist())]

    def adjacency(self, max_memory: int | str | None = None) -> FloatArray:
        """The dense adjacency matrix, in the order of :attr:`ids`: in row i what leads from node i."""
        return self._native.adjacency(quick(max_memory))

    def find(self, node: Any, where: str = "node", side: str = "") -> int:
        """The number of the node with this id.

        Raises
        ------
        ValueError
            When there is no such node.
        TypeError
            When the id cannot be one.
        """
        place = self._place(node)
        if place is not None:
            return place
        graph = f"the {side} graph" if side else "the graph"
        ids = self._ids
        if isinstance(ids, range):
            expected = f"0 to {len(ids) - 1}, a node of {graph}"
        else:
            expected = f"the id of a node of {graph}, such as {ids[0]!r}"
        twin = next((i for i in ids if str(i) == str(node)), None)
        hint = "" if twin is None else f"; did you mean {twin!r}, of type {type(twin).__name__}?"
        raise ValueError(f"{where}: found {node!r}, expected {expected}{hint}")

    def _place(self, node: Any) -> int | None:
        if isinstance(self._ids, range):
            return _in_range(node, len(self._ids))
        if self._places is None:
            self._places = {node: place for place, node in enumerate(self._ids)}
        try:
            return self._places.get(node)
        except TypeError:
            raise TypeError(f"found {node!r}, which is not hashable, expected an id") from None

    def notes(self, side: str) -> list[str]:
        """What was set aside, in words."""
        loops, repeated, _ = self._own.cleaning()
        told = []
        if loops:
            told.append(f"the {side} graph: {counted(loops, 'self-loop')} dropped")
        if repeated:
            told.append(f"the {side} graph: {counted(repeated, 'repeated edge')} merged")
        return told

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if copy is False:
            raise ValueError("the adjacency matrix of a Graph is made on request: a copy is needed")
        matrix = self.adjacency()
        return matrix if dtype is None else matrix.astype(dtype, copy=False)

    def __len__(self) -> int:
        return self.n_nodes

    def __repr__(self) -> str:
        links = counted(self.n_edges, "arc" if self.directed else "edge")
        return f"Graph({counted(self.n_nodes, 'node')}, {links})"

    def __reduce__(self) -> tuple[Callable[..., Graph], tuple[Any, ...]]:
        low, high, weights = self._native.edge_arrays()
        return _rebuild, (self._ids, low, high, weights, self._positions, self.directed)


def _rebuild(
    ids: Sequence[Hashable],
    low: IndexArray,
    high: IndexArray,
    weights: FloatArray,
    positions: FloatArray | None,
    directed: bool,
) -> Graph:
    ends = aligned(low), aligned(high)
    native = _native.Graph.from_edges(len(ids), ends, aligned(weights), labels(ids), "error", directed)
    return Graph(native, ids, None if positions is None else aligned(positions))


def graph(
    data: Any,
    *,
    ids: Iterable[Hashable] | None = None,
    weight: str = "weight",
    duplicates: str = "error",
    directed: bool | None = None,
    positions: Any = None,
    max_memory: int | str | None = None,
) -> Graph:
    """Make a :class:`Graph` of anything that is one.

    Parameters
    ----------
    data
        A square NumPy array of weights, a SciPy sparse matrix of any format, a graph of networkx,
        igraph or rustworkx, a pandas table of edges (columns ``source``, ``target`` and perhaps
        ``weight``, or the first two or three) or a square one with equal index and columns, or a list of
        edges ``(source, target)`` or ``(source, target, weight)``.
    ids
        The ids of the nodes, in their order. By default those of ``data``, or 0, 1, … for a matrix.
        For a list of edges, nodes that have no edge are added this way.
    weight
        The name of the attribute or column with the weights; 1 where it is missing.
    duplicates : {"error", "sum", "mean", "max", "first"}
        What to do with an edge that is given twice with different weights, in a list or between two
        nodes of a multigraph. Where directions are not kept, the two of a pair of nodes, and what stands
        above and below the diagonal of a matrix, are one edge given twice.
    directed
        Whether edges have directions. By default as ``data`` has them, unless ``duplicates`` says how two
        become one: directed graphs of the libraries and matrices that are not symmetric are directed.
        ``True`` reads the rows of lists and tables as arcs, from source to target. ``False`` refuses
        directions, unless ``duplicates`` says how two become one.
    positions
        Where the nodes lie, an array of n rows and two or three columns, for pictures.
    max_memory
        The most memory to use, in bytes or as ``"4G"``; by default what the machine has free.

    Returns
    -------
    Graph

    Examples
    --------
    >>> import anchormatch as am
    >>> import numpy as np
    >>> am.graph(np.array([[0, 1], [1, 0]]), ids=["left", "right"]).edges()
    [('left', 'right', 1.0)]

    A matrix that is not symmetric is a directed graph, or made undirected in one way or another:

    >>> am.graph(np.array([[0, 1], [3, 0]])).edges()
    [(0, 1, 1.0), (1, 0, 3.0)]
    >>> am.graph(np.array([[0, 1], [3, 0]]), duplicates="mean").edges()
    [(0, 1, 2.0)]
    >>> am.graph([("ann", "bob"), ("bob", "eve")], directed=True)
    Graph(3 nodes, 2 arcs)
    """
    if not (directed is None or isinstance(directed, (bool, np.bool_))):
        raise TypeError(f"directed: found {directed!r}, expected True, False or None")
    names = None if ids is None else checked_ids(ids)
    reader = _Reader(names, weight, duplicates, directed, quick(max_memory))
    made = reader.read(data)
    if positions is not None:
        array = float_array(positions, "positions", 2)
        if array.shape[0] != made.n_nodes or array.shape[1] not in (2, 3):
            raise ValueError(
                f"positions: found a {array.shape[0]}×{array.shape[1]} array, expected "
                f"{made.n_nodes}×2 or {made.n_nodes}×3, a row for each node"
            )
        made._positions = array
    return made


def as_graph(data: Any, max_memory: int | str | None = None, directed: bool | None = None) -> Graph:
    """``data`` itself when it is a :class:`Graph`, or one made of it."""
    return graph(data, directed=directed, max_memory=max_memory)


class _Reader:
    """Reads one kind of data after the other."""

    def __init__(
        self,
        ids: Sequence[Hashable] | None,
        weight: str,
        duplicates: str,
        directed: bool | None,
        limits: Any,
    ) -> None:
        self.ids = ids
        self.weight = weight
        self.duplicates = duplicates
        self.rows_are_arcs = bool(directed)
        # A rule for edges with two weights says how two directions become one.
        self.keeps_directions = duplicates == "error" if directed is None else bool(directed)
        self.limits = limits

    def read(self, data: Any) -> Graph:
        if isinstance(data, Graph):
            return self._relabelled(data)
        if is_sparse(data):
            return self._matrix(csr_arrays(data, "graph"), data.shape[0], self.ids)
        networkx, igraph, rustworkx = passed("networkx"), passed("igraph"), passed("rustworkx")
        if networkx is not None and isinstance(data, networkx.Graph):
            return self._networkx(data)
        if igraph is not None and isinstance(data, igraph.Graph):
            return self._igraph(data)
        if rustworkx is not None and isinstance(data, (rustworkx.PyGraph, rustworkx.PyDiGraph)):
            return self._rustworkx(data)
        pandas = passed("pandas")
        if pandas is not None and isinstance(data, pandas.DataFrame):
            return self._table(data)
        if isinstance(data, np.ndarray) or (
            hasattr(data, "__array__") and not isinstance(data, (list, tuple))
        ):
            return self._dense(data, self.ids)
        if isinstance(data, (str, bytes, Mapping)) or not isinstance(data, Iterable):
            raise TypeError(f"graph: found an object of type {type(data).__name__}, expected {_ACCEPTED}")
        return self._edge_list(data)

    def _relabelled(self, data: Graph) -> Graph:
        # Asked of the graph itself: of points, edges are made on request.
        arcs = self._are_arcs(data.directed)
        if self.ids is None and arcs == data.directed:
            return data
        low, high, weights = data._native.edge_arrays()
        return self._numbered(data.ids, low, high, weights, data.positions, arcs=arcs)

    def _dense(self, data: Any, ids: Sequence[Hashable] | None) -> Graph:
        array = float_array(data, "graph", 2)
        if array.shape[0] != array.shape[1]:
            raise ValueError(
                f"graph: found a {array.shape[0]}×{array.shape[1]} array, expected a square matrix of "
                "weights; for points use am.points(array), for edges a list such as array.tolist()"
            )
        return self._matrix(array, array.shape[0], ids)

    def _matrix(self, matrix: Any, size: int, ids: Sequence[Hashable] | None) -> Graph:
        names: Sequence[Hashable] = range(size) if ids is None else ids
        check_number(names, size)
        native = _native.Graph.from_matrix(
            matrix, labels(names), self.duplicates, self.keeps_directions, self.limits
        )
        return Graph(native, names)

    def _networkx(self, data: Any) -> Graph:
        arcs = self._are_arcs(data.is_directed())
        nodes = list(data.nodes)
        place = {node: k for k, node in enumerate(nodes)}
        rows = list(data.edges(data=self.weight, default=1.0))
        low = np.fromiter((place[u] for u, _, _ in rows), np.int64, len(rows))
        high = np.fromiter((place[v] for _, v, _ in rows), np.int64, len(rows))
        weights = _weights(((w, (u, v)) for u, v, w in rows), len(rows))
        places = _positions(data.nodes(data="pos"), len(nodes))
        return self._numbered(nodes, low, high, weights, places, arcs=arcs)

    def _igraph(self, data: Any) -> Graph:
        arcs = self._are_arcs(data.is_directed())
        count = data.vcount()
        ids: Sequence[Hashable] = range(count)
        if "name" in data.vs.attributes():
            names = data.vs["name"]
            if len(set(names)) == count and None not in names:
                ids = names
        ends = np.asarray(data.get_edgelist(), dtype=np.int64).reshape(-1, 2)
        if self.weight in data.es.attributes():
            edges = ((w, tuple(pair)) for w, pair in zip(data.es[self.weight], ends.tolist()))
            weights = _weights(edges, len(ends))
        else:
            weights = np.ones(len(ends))
        places = None
        if {"x", "y"} <= set(data.vs.attributes()):
            pairs = enumerate(zip(data.vs["x"], data.vs["y"]))
            places = _positions(pairs, count)
        return self._numbered(ids, ends[:, 0], ends[:, 1], weights, places, arcs=arcs)

    def _rustworkx(self, data: Any) -> Graph:
        rustworkx = passed("rustworkx")
        arcs = self._are_arcs(isinstance(data, rustworkx.PyDiGraph))
        nodes = list(data.node_indices())
        place = {node: k for k, node in enumerate(nodes)}
        rows = list(data.weighted_edge_list())
        low = np.fromiter((place[u] for u, _, _ in rows), np.int64, len(rows))
        high = np.fromiter((place[v] for _, v, _ in rows), np.int64, len(rows))
        weights = _weights(((self._payload(w), (u, v)) for u, v, w in rows), len(rows))
        ids: Sequence[Hashable] = range(len(nodes)) if nodes == list(range(len(nodes))) else nodes
        return self._numbered(ids, low, high, weights, arcs=arcs)

    def _payload(self, payload: Any) -> Any:
        """The weight in what an edge of rustworkx carries."""
        if isinstance(payload, Mapping):
            return payload.get(self.weight, 1.0)
        return 1.0 if payload is None else payload

    def _table(self, data: Any) -> Graph:
        square = data.shape[0] == data.shape[1] and data.index.tolist() == data.columns.tolist()
        if square and data.shape[0] > 0:
            return self._dense(data.to_numpy(), self.ids or checked_ids(data.index.tolist()))
        columns = data.columns.tolist()
        if "source" in columns and "target" in columns:
            ends = ["source", "target"]
        elif len(columns) in (2, 3):
            ends = columns[:2]
        else:
            raise ValueError(
                f"graph: found a table with the columns {columns}, expected source, target and perhaps "
                f"{self.weight}, or two or three columns"
            )
        others = [name for name in columns if name not in ends]
        name = self.weight if self.weight in others else None
        if name is None and ends == columns[:2] and len(columns) == 3:
            name = others[0]
        first, second = data[ends[0]].tolist(), data[ends[1]].tolist()
        if name is None:
            return self._listed(first, second, np.ones(len(first)))
        weights = _weights(zip(data[name].tolist(), zip(first, second)), len(first))
        return self._listed(first, second, weights)

    def _edge_list(self, data: Iterable[Any]) -> Graph:
        first: list[Any] = []
        second: list[Any] = []
        values: list[Any] = []
        for number, row in enumerate(data):
            try:
                size = 0 if isinstance(row, (str, bytes)) else len(row)
            except TypeError:
                size = 0
            if size not in (2, 3):
                raise ValueError(
                    f"graph: found {row!r} as edge {number}, expected (source, target) or "
                    f"(source, target, weight). {_ACCEPTED[0].upper()}{_ACCEPTED[1:]} is accepted"
                )
            first.append(row[0])
            second.append(row[1])
            values.append(self._payload(row[2]) if size == 3 else 1.0)
        weights = _weights(zip(values, zip(first, second)), len(values))
        return self._listed(first, second, weights)

    def _listed(self, first: list[Any], second: list[Any], weights: FloatArray) -> Graph:
        """Edges between ids, which are numbered as they come."""
        place: dict[Hashable, int] = {}
        if self.ids is not None:
            place = {node: k for k, node in enumerate(self.ids)}
        ends = np.empty((len(first), 2), dtype=np.int64)
        for row, pair in enumerate(zip(first, second)):
            for column, node in enumerate(pair):
                try:
                    known = place.get(node)
                except TypeError:
                    raise TypeError(
                        f"graph: found the node {node!r}, expected something hashable"
                    ) from None
                if known is None:
                    _refuse_nan(node)
                    if self.ids is not None:
                        raise ValueError(
                            f"graph: found the node {node!r} in edge {row}, expected one of ids"
                        )
                    known = place[node] = len(place)
                ends[row, column] = known
        nodes = list(place) if self.ids is None else self.ids
        arcs = self.rows_are_arcs
        return self._numbered(nodes, ends[:, 0], ends[:, 1], weights, checked=True, arcs=arcs)

    def _numbered(
        self,
        nodes: Sequence[Hashable],
        low: IndexArray,
        high: IndexArray,
        weights: FloatArray,
        positions: FloatArray | None = None,
        checked: bool = False,
        arcs: bool = False,
    ) -> Graph:
        if self.ids is not None and not checked:
            check_number(self.ids, len(nodes))
            nodes = self.ids
        rule = self.duplicates
        ends = low, high
        native = _native.Graph.from_edges(len(nodes), ends, weights, labels(nodes), rule, arcs)
        return Graph(native, nodes, positions)

    def _are_arcs(self, directed: bool) -> bool:
        """Whether the edges of a graph, which has directions or not, are arcs here."""
        if directed and not self.keeps_directions and self.duplicates == "error":
            raise ValueError(
                "graph: found a directed graph, expected an undirected one; convert it, or say how the two "
                'directions of an edge become one, as in am.graph(data, duplicates="sum")'
            )
        return directed and self.keeps_directions


def _in_range(node: Any, size: int) -> int | None:
    try:
        number = operator.index(node)
    except TypeError:
        # 3.0 is what an array of floats makes of the node 3.
        if not isinstance(node, float) or not node.is_integer():
            return None
        number = int(node)
    return number if 0 <= number < size else None


def labels(ids: Sequence[Hashable]) -> list[str] | None:
    """Ids as different strings, for messages and pages; numbers need none."""
    if isinstance(ids, range):
        return None
    labels = [str(node) for node in ids]
    if len(set(labels)) < len(labels):
        labels = [repr(node) for node in ids]
    if len(set(labels)) < len(labels):
        labels = [f"{label} (node {place})" for place, label in enumerate(labels)]
    return labels


def checked_ids(ids: Iterable[Hashable]) -> Sequence[Hashable]:
    if isinstance(ids, (str, bytes)):
        raise TypeError(f"ids: found {ids!r}, expected a list of ids")
    if isinstance(ids, np.ndarray) and ids.ndim != 1:
        raise TypeError(f"ids: found an array of {ids.ndim} dimensions, expected a list of ids")
    names = ids.tolist() if isinstance(ids, np.ndarray) else list(ids)
    seen: dict[Hashable, int] = {}
    for place, node in enumerate(names):
        _refuse_nan(node)
        try:
            first = seen.setdefault(node, place)
        except TypeError:
            raise TypeError(f"ids: found {node!r}, expected something hashable") from None
        if first != place:
            raise ValueError(f"ids: found {node!r} twice, as node {first} and node {place}")
    return range(len(names)) if names == list(range(len(names))) else names


def check_number(ids: Sequence[Hashable], size: int) -> None:
    if len(ids) != size:
        raise ValueError(f"ids: found {len(ids)}, expected one for each of the {size} nodes")


def _refuse_nan(node: Any) -> None:
    missing = (
        node is None
        or (isinstance(node, float) and node != node)
        or type(node).__name__ in ("NAType", "NaTType")
    )
    if missing:
        raise ValueError(f"graph: found {node!r} in the place of a node, expected an id")


def _weights(edges: Iterable[tuple[Any, Any]], count: int) -> FloatArray:
    """The weights of edges, each given with its ends."""
    weights = np.empty(count)
    for place, (weight, ends) in enumerate(edges):
        try:
            if isinstance(weight, (str, bytes)):
                raise TypeError
            weights[place] = weight
        except (TypeError, ValueError):
            u, v = ends
            raise TypeError(
                f"graph: edge ({u!r}, {v!r}) has the weight {weight!r}, expected a number"
            ) from None
    return weights


def _positions(pairs: Iterable[tuple[Any, Any]], count: int) -> FloatArray | None:
    """Places of nodes when all of them have one; pictures do without."""
    places = [place for _, place in pairs]
    try:
        array = np.asarray(places, dtype=np.float64)
    except (TypeError, ValueError):
        return None
    good = (
        array.ndim == 2
        and len(array) == count
        and array.shape[1] in (2, 3)
        and bool(np.isfinite(array).all())
    )
    return array if good else None


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
