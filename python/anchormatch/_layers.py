"""Several graphs of the same nodes as the layers of one."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from . import _native
from ._graph import Graph, labels
from ._inputs import as_graph
from ._numbers import is_sparse, passed

__all__ = ["are_layers", "layered"]


def are_layers(data: Any) -> bool:
    """Whether ``data`` is a list of graphs, or a dictionary of them, and not a graph itself."""
    if isinstance(data, Mapping):
        return bool(data) and all(_is_graph(graph) for graph in data.values())
    return isinstance(data, (list, tuple)) and bool(data) and all(map(_is_graph, data))


def _is_graph(data: Any) -> bool:
    """Whether it is a graph by its type; a list of edges is not, as an edge is a list as well."""
    if isinstance(data, Graph) or is_sparse(data):
        return True
    if isinstance(data, np.ndarray):
        return data.ndim == 2
    for module, names in (
        ("networkx", ("Graph",)),
        ("igraph", ("Graph",)),
        ("rustworkx", ("PyGraph", "PyDiGraph")),
        ("pandas", ("DataFrame",)),
    ):
        library = passed(module)
        if library is not None and isinstance(data, tuple(getattr(library, name) for name in names)):
            return True
    return False


def layered(
    data: Any,
    names: Iterable[Any] | None,
    max_memory: int | str | None,
    directed: bool | None,
) -> Graph:
    """The graph of all layers, whose weights are the sums of theirs, with the layers as kinds of edges."""
    if isinstance(data, Mapping):
        titles = [str(name) for name in data]
        graphs = list(data.values())
    else:
        graphs = list(data)
        titles = [str(name) for name in (range(len(graphs)) if names is None else names)]
    if len(titles) != len(graphs) or len(set(titles)) != len(titles):
        raise ValueError(
            f"layers: found the names {titles} for {len(graphs)} graphs, expected one of its own for each"
        )
    made = [as_graph(graph, max_memory, directed) for graph in graphs]
    ids = _all_ids(made)
    place = {node: k for k, node in enumerate(ids)}
    arcs = any(graph.directed for graph in made)
    ends: list[Any] = []
    weights: list[Any] = []
    kinds: list[str] = []
    for title, graph in zip(titles, made):
        low, high, values = graph._native.edge_arrays()
        own = np.fromiter((place[node] for node in graph.ids), np.int64, graph.n_nodes)
        pairs = np.column_stack([own[low], own[high]])
        if arcs and not graph.directed:
            pairs = np.concatenate([pairs, pairs[:, ::-1]])
            values = np.concatenate([values, values])
        ends.append(pairs)
        weights.append(values)
        kinds += [title] * len(values)
    both = np.concatenate(ends)
    native, found = _native.Graph.with_kinds(
        len(ids), (both[:, 0], both[:, 1]), np.concatenate(weights), kinds, labels(ids), "error", arcs
    )
    result = Graph(native, ids, next((g.positions for g in made if g.n_nodes == len(ids)), None))
    result._kinds = found
    return result


def _all_ids(graphs: Sequence[Graph]) -> Sequence[Hashable]:
    """The ids of all graphs; numbers stay numbers."""
    if all(isinstance(graph.ids, range) for graph in graphs):
        return range(max(graph.n_nodes for graph in graphs))
    return list(dict.fromkeys(node for graph in graphs for node in graph.ids))
