"""A graph with the ids of its nodes."""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from . import _native
from ._native import Graph as NativeGraph
from ._numbers import FloatArray, IndexArray, aligned
from ._resources import quick

__all__ = ["Graph", "Kinds", "counted", "labels"]

#: Edges by their kinds: the names of these, and of each edge its ends, its kind and its weight.
Kinds = tuple[list[str], IndexArray, IndexArray, IndexArray, FloatArray]


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
        #: What is known of the nodes, by the names of columns: a word or none for each.
        self._columns: dict[str, list[str | None]] = {}
        #: Those that a table of nodes has, and not what the graph was made of.
        self._tabled: frozenset[str] = frozenset()
        #: The kinds of the edges, and the column or attribute that has them.
        self._kinds: Kinds | None = None
        self._kind_name: str | None = None
        #: What reading it from a file gave rise to.
        self._remarks: list[str] = []

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
        if self._remarks:
            return [f"the {side} graph: {remark}" for remark in self._remarks]
        loops, repeated, _ = self._own.cleaning()
        told = []
        if loops:
            told.append(f"the {side} graph: {counted(loops, 'self-loop')}, told of the nodes alone")
        if repeated:
            told.append(f"the {side} graph: {counted(repeated, 'repeated edge')} merged")
        return told

    def _twin(self) -> Graph:
        """The same graph, whose columns may be others."""
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        made._columns = dict(self._columns)
        return made

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
        nodes, loops = self._native.loop_arrays()
        low, high = np.concatenate((low, nodes)), np.concatenate((high, nodes))
        weights = np.concatenate((weights, loops))
        beside = self._columns, self._kinds, self._kind_name, self._remarks, self._tabled
        return _rebuild, (self._ids, low, high, weights, self._positions, self.directed, beside)


def _rebuild(
    ids: Sequence[Hashable],
    low: IndexArray,
    high: IndexArray,
    weights: FloatArray,
    positions: FloatArray | None,
    directed: bool,
    beside: tuple[Any, ...] = (),
) -> Graph:
    ends = aligned(low), aligned(high)
    native = _native.Graph.from_edges(len(ids), ends, aligned(weights), labels(ids), "error", directed)
    made = Graph(native, ids, None if positions is None else aligned(positions))
    if beside:
        made._columns, kinds, made._kind_name, made._remarks, made._tabled = beside
        if kinds is not None:
            made._kinds = (kinds[0], *map(aligned, kinds[1:]))
    return made


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


def counted(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"
