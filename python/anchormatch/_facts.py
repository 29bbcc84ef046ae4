"""What is known of nodes and pairs beside graphs and anchors, in whatever form the user has it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from os import PathLike
from typing import Any

import numpy as np

from . import _native
from ._graph import Graph, labels
from ._numbers import FloatArray, IndexArray, check_sparse, float_array, is_missing, is_sparse, passed
from ._points import Points
from ._read import file_name

__all__ = [
    "candidate_arrays",
    "compared",
    "crossing_arrays",
    "feature_arrays",
    "same_columns",
    "with_nodes",
]

#: Rows, columns and values.
Entries = tuple[IndexArray, IndexArray, FloatArray]
#: The name of a column, and the words of both sides.
Column = tuple[str, list[str | None], list[str | None]]

#: What the column or key with the ids of a table of nodes may be called.
_ID_NAMES = ("id", "node")


def with_nodes(graph: Graph, data: Any, table: Any, name: str) -> Graph:
    """``graph`` with the nodes and columns of ``table``; of ``data``, which it was made of, as well."""
    own = {**_own_columns(data, graph), **graph._columns}
    if table is None:
        if own == graph._columns:
            return graph
        made = graph._twin()
        made._columns = own
        return made
    ids, columns = _table(table, name)
    known = {node: k for k, node in enumerate(ids)}
    if ids and graph.n_nodes and not any(node in known for node in graph.ids):
        raise ValueError(
            f"{name}: found {ids[0]!r} and others, of which the graph has none, expected its ids, such as "
            f"{graph.ids[0]!r}"
        )
    more = [node for node in ids if graph._place(node) is None]
    if more and isinstance(graph, Points):
        raise ValueError(
            f"{name}: found {more[0]!r}, which is no point, expected the ids of the points alone"
        )
    made = _extended(graph, more) if more else graph._twin()
    rows = [known.get(node) for node in made.ids]
    made._columns = {column: _padded(words, made.n_nodes) for column, words in own.items()}
    for column, words in columns.items():
        made._columns[column] = [None if row is None else words[row] for row in rows]
    made._tabled = frozenset(columns)
    return made


def _padded(words: list[str | None], size: int) -> list[str | None]:
    return words + [None] * (size - len(words))


def _extended(graph: Graph, more: list[Hashable]) -> Graph:
    """The graph with more nodes, which have no edge."""
    ids = [*graph.ids, *more]
    low, high, weights = graph._native.edge_arrays()
    native = _native.Graph.from_edges(len(ids), (low, high), weights, labels(ids), "error", graph.directed)
    made = Graph(native, ids)
    made._kinds, made._kind_name, made._remarks = graph._kinds, graph._kind_name, graph._remarks
    return made


def _own_columns(data: Any, graph: Graph) -> dict[str, list[str | None]]:
    """The attributes of nodes that a graph of networkx or igraph has."""
    networkx, igraph = passed("networkx"), passed("igraph")
    if networkx is not None and isinstance(data, networkx.Graph):
        names = dict.fromkeys(str(name) for _, carried in data.nodes(data=True) for name in carried)
        rows = [{str(k): v for k, v in carried.items()} for _, carried in data.nodes(data=True)]
        return {name: [_word(row.get(name)) for row in rows] for name in names}
    if igraph is not None and isinstance(data, igraph.Graph):
        return {name: [_word(value) for value in data.vs[name]] for name in data.vs.attributes()}
    return {}


def _word(value: Any) -> str | None:
    if is_missing(value):
        return None
    word = str(value).strip()
    return word or None


def _table(table: Any, name: str) -> tuple[Sequence[Hashable], dict[str, list[str | None]]]:
    """The ids and the columns of a table of nodes."""
    if isinstance(table, (str, PathLike)):
        ids, columns = _native.read_nodes(file_name(table, name))
        return ids, dict(columns)
    pandas = passed("pandas")
    if pandas is not None and isinstance(table, pandas.DataFrame):
        title = next((column for column in _ID_NAMES if column in table.columns), None)
        ids = table.index.tolist() if title is None else table[title].tolist()
        values = {column: table[column].tolist() for column in table.columns if column != title}
    elif isinstance(table, Mapping) and all(isinstance(row, Mapping) for row in table.values()):
        ids = list(table)
        titles = dict.fromkeys(column for row in table.values() for column in row)
        values = {column: [row.get(column) for row in table.values()] for column in titles}
    elif isinstance(table, Mapping):
        title = next((key for key in _ID_NAMES if key in table), None)
        if title is None:
            raise ValueError(
                f"{name}: found a dictionary of the columns {list(table)}, expected 'id' among them, or a "
                "dictionary of a dictionary for each node"
            )
        ids = list(table[title])
        values = {column: list(column_values) for column, column_values in table.items() if column != title}
        for column, found in values.items():
            if len(found) != len(ids):
                raise ValueError(
                    f"{name}: found {len(found)} values of {column!r}, expected {len(ids)}, one for each id"
                )
    else:
        raise TypeError(
            f"{name}: found an object of type {type(table).__name__}, expected a pandas table, a "
            "dictionary of dictionaries, a dictionary of columns, or the name of a file"
        )
    if len(set(ids)) < len(ids):
        twice = next(node for node, times in Counter(ids).items() if times > 1)
        raise ValueError(f"{name}: found {twice!r} twice, expected one row for every node")
    return ids, {str(column): [_word(value) for value in found] for column, found in values.items()}


def _names(names: Any, option: str) -> list[str]:
    if isinstance(names, str):
        return [names]
    if not isinstance(names, Iterable):
        raise TypeError(f"{option}: found {names!r}, expected names of columns")
    return [str(name) for name in names]


def _column(name: str, source: Graph, target: Graph, option: str) -> Column:
    if name in source._columns and name in target._columns:
        return name, source._columns[name], target._columns[name]
    both = [column for column in source._columns if column in target._columns]
    known = ", ".join(map(repr, both)) if both else "there is none, give source_nodes= and target_nodes="
    raise ValueError(f"{option}: found {name!r}, expected columns that both sides have: {known}")


def compared(
    attributes: Any, same: Any, source: Graph, target: Graph, takes: bool
) -> tuple[list[Column], list[str]]:
    """The columns that are compared, and what is to be said of them."""
    if attributes is not None:
        return [
            _column(name, source, target, "attributes") for name in _names(attributes, "attributes")
        ], []
    demanded = () if same is None else _names(same, "same")
    both = [name for name in source._columns if name in target._columns and name not in demanded]
    names = [name for name in both if name in source._tabled and name in target._tabled]
    notes = []
    one = [
        name
        for side, other in ((source, target), (target, source))
        for name in side._tabled
        if name not in other._columns
    ]
    if one:
        notes.append(f"columns of one side's nodes, which are not used: {', '.join(sorted(one))}")
    if names and not takes:
        notes.append(f"columns of the nodes that the preset does not use: {', '.join(names)}")
        return [], notes
    if names:
        notes.append(f"columns of the nodes that are compared: {', '.join(names)}")
    return [_column(name, source, target, "attributes") for name in names], notes


def same_columns(same: Any, source: Graph, target: Graph) -> tuple[list[Column], list[str]]:
    """The columns in which partners must have the same value, and what is to be said of them."""
    if same is None:
        return [], []
    columns = [_column(name, source, target, "same") for name in _names(same, "same")]
    said = [_native.same_note(*column) for column in columns]
    return columns, [note for note in said if note is not None]


def feature_arrays(
    source_attributes: Any, target_attributes: Any, source: Graph, target: Graph
) -> tuple[Entries, Entries, int] | None:
    """Nodes, attributes and values of both sides, and how many attributes there are."""
    if source_attributes is None and target_attributes is None:
        return None
    if source_attributes is None or target_attributes is None:
        missing = "source_attributes" if source_attributes is None else "target_attributes"
        raise TypeError(f"{missing}: found None, expected a table, as the other side has one")
    columns: dict[str, int] = {}
    sides = (
        _features(source_attributes, "source_attributes", (source, "source"), columns),
        _features(target_attributes, "target_attributes", (target, "target"), columns),
    )
    # In alphabetical order, as the command has them, so that the result is the same.
    place = {name: k for k, name in enumerate(sorted(columns))}
    order = np.array([place[name] for name in columns], dtype=np.int64)
    first, second = ((nodes, order[names], values) for nodes, names, values in map(_entries, sides))
    return first, second, len(columns)


def _features(
    given: Any, name: str, side: tuple[Graph, str], columns: dict[str, int]
) -> dict[tuple[int, int], float]:
    """The values of one side by node and attribute; new names join ``columns``."""
    rows: Iterable[tuple[Any, Any, Any]]
    if isinstance(given, (str, PathLike)):
        rows = _native.read_features(file_name(given, name))
    else:
        rows = _rows(given, name, ("node", "attr", "value"))
    listed: dict[tuple[int, int], float] = {}
    for node, attribute, value in rows:
        word = _word(attribute)
        if word is None:
            raise ValueError(f"{name}: found {attribute!r} of {node!r}, expected the name of an attribute")
        number = 1.0 if is_missing(value) else _number(value, name, (node, attribute))
        place = side[0].find(node, name, side[1]), columns.setdefault(word, len(columns))
        if listed.setdefault(place, number) != number:
            raise ValueError(
                f"{name}: {attribute!r} of {node!r} has the values {listed[place]} and {number}, "
                "expected one"
            )
    return {place: number for place, number in listed.items() if number != 0.0}


def candidate_arrays(candidates: Any, source: Graph, target: Graph) -> tuple[Entries, bool] | None:
    """Candidates with scores, and whether they have any; of a pair that comes twice the largest."""
    if candidates is None:
        return None
    rows = _rows(candidates, "candidates", ("source", "target", "score"))
    best: dict[tuple[int, int], float] = {}
    scored = False
    for left, right, score in rows:
        pair = source.find(left, "candidates", "source"), target.find(right, "candidates", "target")
        scored |= score is not None
        value = 0.0 if score is None else _number(score, "candidates", (left, right))
        best[pair] = max(value, best.get(pair, value))
    return _entries(best), scored


def crossing_arrays(
    crossing: Any, back: Any, source: Graph, target: Graph
) -> tuple[Entries, Entries] | None:
    """Edges from source to target nodes, and back."""
    if crossing is None and back is None:
        return None
    return (
        _edges(crossing, "crossing", (source, "source"), (target, "target")),
        _edges(back, "crossing_back", (target, "target"), (source, "source")),
    )


def _edges(given: Any, name: str, start: tuple[Graph, str], end: tuple[Graph, str]) -> Entries:
    if given is None:
        return _entries({})
    shape = start[0].n_nodes, end[0].n_nodes
    is_array = isinstance(given, np.ndarray)
    if is_sparse(given) or (is_array and given.shape == shape):
        if given.shape != shape:
            raise ValueError(f"{name}: found a matrix of shape {given.shape}, expected {shape}")
        if is_array:
            array = float_array(given, name, 2)
            first, second = np.nonzero(array)
            return first.astype(np.int64), second.astype(np.int64), array[first, second]
        check_sparse(given, name)
        entries = given.tocoo()
        found: dict[tuple[int, int], float] = {}
        for i, j, value in zip(entries.row.tolist(), entries.col.tolist(), entries.data.tolist()):
            found[i, j] = found.get((i, j), 0.0) + float(value)
        return _entries(found)
    if is_array and given.ndim == 2 and given.shape[1] not in (2, 3):
        raise ValueError(f"{name}: found a matrix of shape {given.shape}, expected {shape}")
    listed: dict[tuple[int, int], float] = {}
    for left, right, weight in _rows(given, name, ("from", "to", "weight")):
        pair = start[0].find(left, name, start[1]), end[0].find(right, name, end[1])
        value = 1.0 if weight is None else _number(weight, name, (left, right))
        if listed.setdefault(pair, value) != value:
            raise ValueError(
                f"{name}: ({left!r}, {right!r}) has the weights {listed[pair]} and {value}, expected one"
            )
    return _entries(listed)


def _entries(values: Mapping[tuple[int, int], float]) -> Entries:
    places = np.array(list(values), dtype=np.int64).reshape(-1, 2)
    return places[:, 0].copy(), places[:, 1].copy(), np.array(list(values.values()), dtype=np.float64)


def _number(value: Any, name: str, pair: tuple[Any, Any]) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError):
        number = float("nan")
    if not np.isfinite(number):
        raise ValueError(f"{name}: {pair!r} has {value!r}, expected a finite number")
    return number


def _rows(given: Any, name: str, titles: tuple[str, str, str]) -> list[tuple[Any, Any, Any]]:
    """Two ids and a number, or ``None``, of every row."""
    if isinstance(given, Mapping):
        rows = []
        for left, rights in given.items():
            several = isinstance(rights, (list, tuple, set, frozenset, np.ndarray, Mapping))
            if isinstance(rights, Mapping):
                rows += [(left, right, number) for right, number in rights.items()]
            else:
                rows += [(left, right, None) for right in (rights if several else [rights])]
        return rows
    pandas = passed("pandas")
    if pandas is not None and isinstance(given, pandas.DataFrame):
        columns = given.columns.tolist()
        if set(titles[:2]) <= set(columns):
            # Of three columns the third is the number, as in a table of edges, whatever it is called.
            others = [column for column in columns if column not in titles[:2]]
            number = others if len(others) == 1 else [title for title in others if title == titles[2]]
            columns = [*titles[:2], *number]
        if len(columns) not in (2, 3):
            raise ValueError(
                f"{name}: found a table with the columns {columns}, expected {', '.join(titles[:2])}"
                f"[, {titles[2]}]"
            )
        values = [given[column].tolist() for column in columns]
        numbers = values[2] if len(values) == 3 else [None] * len(given)
        return list(zip(values[0], values[1], numbers))
    if isinstance(given, np.ndarray):
        given = given.tolist()
    expected = f"pairs ({', '.join(titles[:2])}) or ({', '.join(titles)})"
    if isinstance(given, (str, bytes)) or is_sparse(given) or not isinstance(given, Iterable):
        raise TypeError(f"{name}: found an object of type {type(given).__name__}, expected {expected}")
    rows = []
    for row in given:
        size = len(row) if isinstance(row, (tuple, list)) else 0
        if size not in (2, 3):
            raise ValueError(f"{name}: found {row!r}, expected {expected}")
        rows.append((row[0], row[1], row[2] if size == 3 else None))
    return rows
