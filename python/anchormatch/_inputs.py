"""Graphs from whatever the user has.

Everything becomes a :class:`Graph`: the compiled graph, whose nodes are numbers, and the ids that the
user calls them by. Libraries of graphs are never imported here: an object of one can only be there
when its library is loaded.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from . import _native
from ._graph import Graph, labels
from ._ids import check_number, checked_ids, refuse_missing
from ._numbers import (
    FloatArray,
    IndexArray,
    csr_arrays,
    float_array,
    is_missing,
    is_sparse,
    passed,
)
from ._read import read
from ._resources import quick

__all__ = ["Graph", "as_graph", "check_number", "checked_ids", "graph"]

_ACCEPTED = (
    "a square NumPy array, a SciPy sparse matrix, a graph of networkx, igraph or rustworkx, a pandas "
    "table of edges, a list of edges (source, target[, weight]), am.points(xy), or am.read(path)"
)


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


def as_graph(
    data: Any,
    max_memory: int | str | None = None,
    directed: bool | None = None,
    kinds: str | None = None,
) -> Graph:
    """``data`` itself when it is a :class:`Graph`, or one made of it.

    Where ``kinds`` names an attribute or a column, the graph has the kinds of its edges.
    """
    if isinstance(data, (str, PathLike)):
        return read(data, directed=directed, kinds=kinds, max_memory=max_memory)
    if kinds is None:
        return graph(data, directed=directed, max_memory=max_memory)
    if isinstance(data, Graph):
        if data._kinds is None or data._kind_name != kinds:
            raise ValueError(
                f"graph: found a Graph without {kinds!r} of its edges, expected what it was made of, or "
                f"am.read(path, kinds={kinds!r})"
            )
        return data
    reader = _Reader(None, "weight", "error", directed, quick(max_memory), kinds)
    return reader.read(data)


class _Reader:
    """Reads one kind of data after the other."""

    def __init__(
        self,
        ids: Sequence[Hashable] | None,
        weight: str,
        duplicates: str,
        directed: bool | None,
        limits: Any,
        kinds: str | None = None,
    ) -> None:
        self.kinds = kinds
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
        if self.kinds is not None:
            raise ValueError(
                f"graph: found a matrix, whose entries have no {self.kinds!r}, expected a list of them, "
                "one for each layer, or a table of edges or a graph with this column or attribute"
            )
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
        kinds = None
        if self.kinds is not None:
            said = data.edges(data=self.kinds)
            kinds = self._checked_kinds([kind for *_, kind in said], [(u, v) for u, v, _ in said])
        return self._numbered(nodes, low, high, weights, places, arcs=arcs, kinds=kinds)

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
        kinds = None
        if self.kinds is not None:
            known = self.kinds in data.es.attributes()
            said = data.es[self.kinds] if known else [None] * len(ends)
            kinds = self._checked_kinds(said, ends.tolist())
        return self._numbered(ids, ends[:, 0], ends[:, 1], weights, places, arcs=arcs, kinds=kinds)

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
        kinds = self._kinds_of([payload for *_, payload in rows], [(u, v) for u, v, _ in rows])
        return self._numbered(ids, low, high, weights, arcs=arcs, kinds=kinds)

    def _payload(self, payload: Any) -> Any:
        """The weight in what an edge of rustworkx carries."""
        if isinstance(payload, Mapping):
            return payload.get(self.weight, 1.0)
        return 1.0 if payload is None else payload

    def _kinds_of(self, payloads: Sequence[Any], ends: Sequence[Any]) -> list[str] | None:
        """The kinds in what edges carry, where they are asked for."""
        if self.kinds is None:
            return None
        said = [p.get(self.kinds) if isinstance(p, Mapping) else None for p in payloads]
        return self._checked_kinds(said, ends)

    def _checked_kinds(self, kinds: Sequence[Any], ends: Sequence[Any]) -> list[str]:
        for kind, (u, v) in zip(kinds, ends):
            if is_missing(kind):
                raise ValueError(
                    f"graph: edge ({u!r}, {v!r}) has no {self.kinds!r}, expected the kind of every edge"
                )
        return [str(kind) for kind in kinds]

    def _table(self, data: Any) -> Graph:
        square = data.shape[0] == data.shape[1] and data.index.tolist() == data.columns.tolist()
        if square and data.shape[0] > 0:
            return self._dense(data.to_numpy(), self.ids or checked_ids(data.index.tolist()))
        columns = data.columns.tolist()
        if "source" in columns and "target" in columns:
            ends = ["source", "target"]
        elif len(columns) in (2, 3) or (self.kinds in columns[2:] and len(columns) == 4):
            ends = columns[:2]
        else:
            raise ValueError(
                f"graph: found a table with the columns {columns}, expected source, target and perhaps "
                f"{self.weight}, or two or three columns"
            )
        if self.kinds is not None and self.kinds not in columns:
            raise ValueError(
                f"graph: found a table with the columns {columns}, expected one called {self.kinds!r}"
            )
        others = [name for name in columns if name not in (*ends, self.kinds)]
        name = self.weight if self.weight in others else None
        if name is None and ends == columns[:2] and len(others) == 1:
            name = others[0] if len(columns) == 3 or self.kinds is not None else None
        first, second = data[ends[0]].tolist(), data[ends[1]].tolist()
        kinds = None
        if self.kinds is not None:
            kinds = self._checked_kinds(data[self.kinds].tolist(), list(zip(first, second)))
        if name is None:
            return self._listed(first, second, np.ones(len(first)), kinds)
        weights = _weights(zip(data[name].tolist(), zip(first, second)), len(first))
        return self._listed(first, second, weights, kinds)

    def _edge_list(self, data: Iterable[Any]) -> Graph:
        first: list[Any] = []
        second: list[Any] = []
        values: list[Any] = []
        payloads: list[Any] = []
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
            payloads.append(row[2] if size == 3 else None)
        weights = _weights(zip(values, zip(first, second)), len(values))
        kinds = self._kinds_of(payloads, list(zip(first, second)))
        return self._listed(first, second, weights, kinds)

    def _listed(
        self,
        first: list[Any],
        second: list[Any],
        weights: FloatArray,
        kinds: list[str] | None = None,
    ) -> Graph:
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
                    refuse_missing(node)
                    if self.ids is not None:
                        raise ValueError(
                            f"graph: found the node {node!r} in edge {row}, expected one of ids"
                        )
                    known = place[node] = len(place)
                ends[row, column] = known
        nodes = list(place) if self.ids is None else self.ids
        arcs = self.rows_are_arcs
        return self._numbered(nodes, ends[:, 0], ends[:, 1], weights, checked=True, arcs=arcs, kinds=kinds)

    def _numbered(
        self,
        nodes: Sequence[Hashable],
        low: IndexArray,
        high: IndexArray,
        weights: FloatArray,
        positions: FloatArray | None = None,
        checked: bool = False,
        arcs: bool = False,
        kinds: list[str] | None = None,
    ) -> Graph:
        if self.ids is not None and not checked:
            check_number(self.ids, len(nodes))
            nodes = self.ids
        rule = self.duplicates
        ends = low, high
        if kinds is not None:
            native, found = _native.Graph.with_kinds(
                len(nodes), ends, weights, kinds, labels(nodes), rule, arcs
            )
            made = Graph(native, nodes, positions)
            made._kinds, made._kind_name = found, self.kinds
            return made
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
