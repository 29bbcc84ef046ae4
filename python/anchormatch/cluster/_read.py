"""Reading: tables of edges, ids and their numbers, rows in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._native import blocks_graph_numbers, blocks_scores
from ._engine import Engine, Futures
from ._exchange import Reader, Ref
from ._halo import degrees_of, distinct, offsets_of
from ._ids import is_known, objects, place

__all__ = [
    "Sources",
    "build_side",
    "complete",
    "ids_like",
    "name_side",
    "number",
    "partitions",
    "rows_of",
]

Held = dict[str, Any]
#: Rows of a pandas table that one task takes.
_ROWS = 1 << 21
#: Ids of a partition that say where the cuts between buckets are.
_SAMPLE = 512
#: Distinct weights that are told apart; of more, neighbours in rank share a score.
_WEIGHTS = 1 << 16
_COLUMNS = "source, target[, weight]"

#: Types of ids that are kept as numbers.
_INTEGERS: dict[str | None, Any] = {"integers": np.int64, "unsigned integers": np.uint64}

Sources = list[tuple[str, Any]]


def partitions(edges: Any, name: str) -> Sources:
    """The parts of a table of edges, each to be loaded by one task; its columns are checked here."""
    import pandas

    if isinstance(edges, pandas.DataFrame):
        _check_columns(list(edges.columns), name)
        return [("frame", edges.iloc[k : k + _ROWS]) for k in range(0, max(len(edges), 1), _ROWS)]
    if hasattr(edges, "to_delayed") and hasattr(edges, "columns"):
        _check_columns(list(edges.columns), name)
        return [("delayed", part) for part in edges.to_delayed()]
    if isinstance(edges, (str, bytes)) or hasattr(edges, "__fspath__"):
        return _parquet(str(edges), name)
    raise TypeError(
        f"{name}: found an object of type {type(edges).__name__}, expected a Parquet file or folder, "
        "a dask DataFrame or a pandas DataFrame of edges"
    )


def _check_columns(columns: list[Any], name: str) -> None:
    missing = [column for column in ("source", "target") if column not in columns]
    if missing:
        raise ValueError(
            f"{name}: found the columns {columns} without {' and '.join(missing)}, expected {_COLUMNS}"
        )


def _parquet(path: str, name: str) -> Sources:
    import fsspec
    from pyarrow import parquet

    files, root = fsspec.core.url_to_fs(path)
    if not files.exists(root):
        raise FileNotFoundError(f"{name}: there is no {path}")
    found = sorted(files.glob(root.rstrip("/") + "/**/*.parquet")) if files.isdir(root) else [root]
    if not found:
        raise ValueError(f"{name}: found no *.parquet in {path}, expected one at least")
    parts: Sources = []
    for file in found:
        with files.open(file, "rb") as stream:
            table = parquet.ParquetFile(stream)
            _check_columns(table.schema_arrow.names, f"{name}: {file}")
            has_weight = "weight" in table.schema_arrow.names
            address = files.unstrip_protocol(file)
            for group in range(table.num_row_groups):
                rows = table.metadata.row_group(group).num_rows
                parts.append(("parquet", (address, group, has_weight, rows)))
    return parts


def rows_of(edges: Sources) -> float:
    """The rows of a table as far as they are known before it is read: no fewer than it has edges."""
    rows = 0
    for kind, what in edges:
        if kind != "delayed":
            rows += what[3] if kind == "parquet" else len(what)
    return float(rows)


def _load(kind: str, what: Any) -> Any:
    if kind != "parquet":
        return what
    import fsspec
    from pyarrow import parquet

    address, group, has_weight, _ = what
    columns = ["source", "target"] + (["weight"] if has_weight else [])
    with fsspec.open(address, "rb") as stream:
        return parquet.ParquetFile(stream).read_row_group(group, columns=columns).to_pandas()


def _ids_of(column: Any, name: str) -> Any:
    if column.isna().any():
        row = int(np.flatnonzero(column.isna().to_numpy())[0])
        raise ValueError(f"{name}: row {row} has no {column.name}, expected an id")
    if column.dtype.kind in "iu":
        # Unsigned ids of 64 bits do not fit signed ones.
        return column.to_numpy(dtype=np.uint64 if column.dtype.name.lower() == "uint64" else np.int64)
    values = column.to_numpy(dtype=object)
    kinds = {type(value) for value in values[:1000]}
    if len(kinds) > 1:
        words = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(f"{name}: found ids of types {words}, expected one type that can be sorted")
    for kind in kinds:
        if not is_known(kind):
            raise ValueError(
                f"{name}: found ids of type {kind.__name__}, expected integers, strings, bytes, numbers, "
                "times, UUIDs, or tuples of such"
            )
    return values


def _unique(ids: Any) -> Any:
    return distinct(ids) if ids.dtype != object else objects(sorted(set(ids.tolist())))


def ids_like(ids: list[Any], kind: str | None, name: str) -> Any:
    """Ids of anchors as an array of the type that the ids of a graph have."""
    if kind not in _INTEGERS:
        # What compares with the ids, and is hashed like them, may be of another type.
        alike = {"Timestamp": "datetime", "float": "int", "bool": "int"}
        for i in ids:
            if type(i).__name__ not in (kind, alike.get(str(kind))):
                raise ValueError(f"anchors: {i!r} is no node of the {name}, whose ids are {kind}")
        return objects(ids)
    limits = np.iinfo(_INTEGERS[kind])
    for i in ids:
        if not isinstance(i, (int, np.integer)):
            raise ValueError(f"anchors: {i!r} is no node of the {name}, whose ids are integers")
        if not limits.min <= i <= limits.max:
            raise ValueError(f"anchors: {i!r} is no node of the {name}")
    return np.array(ids, dtype=_INTEGERS[kind])


def scan(reader: Reader, name: str, kind: str, what: Any) -> Held:
    """One part of the table: ends, weights, ids that occur."""
    table = _load(kind, what)
    ends = [_ids_of(table[column], name) for column in ("source", "target")]
    weights = None
    if "weight" in table.columns:
        weights = table["weight"].to_numpy(dtype=np.float64)
        wrong = np.flatnonzero(~np.isfinite(weights))
        if len(wrong):
            row = int(wrong[0])
            raise ValueError(
                f"{name}: the edge {ends[0][row]!r} – {ends[1][row]!r} has the weight {weights[row]}, "
                "expected a finite number"
            )
    if {end.dtype.kind for end in ends} == {"i", "u"}:
        # One of the columns is unsigned: no type but the larger holds both.
        if all(end.min(initial=0) >= 0 for end in ends if end.dtype.kind == "i"):
            ends = [end.astype(np.uint64) for end in ends]
        else:
            raise ValueError(f"{name}: found ids below 0 beside unsigned ones, expected one type")
    del table
    ids = _unique(np.concatenate(ends))
    # Places among these ids take half the room of numbers, and less than objects.
    ends = [np.searchsorted(ids, end).astype(np.uint32) for end in ends]
    step = max(1, len(ids) // _SAMPLE)
    dtype = None
    if len(ids):
        by_kind = {"i": "integers", "u": "unsigned integers"}
        dtype = by_kind.get(ids.dtype.kind) or type(ids[0]).__name__
    head = {"sample": ids[::step], "type": dtype, "weighted": weights is not None}
    return {"ends": ends, "weights": weights, "ids": ids, "head": head}


def bucket(reader: Reader, parts: list[Ref], low: Any, high: Any) -> Held:
    """All ids within two bounds."""
    found = _unique(np.concatenate(reader.read([(ref, "ids", (low, high)) for ref in parts])))
    return {"ids": found, "head": len(found)}


def number(reader: Reader, ids: Any, buckets: list[Ref], cuts: list[Any], offsets: list[int]) -> Any:
    """The numbers of ascending ids, −1 for those that are not there."""
    bounds = [0, *(place(ids, cut) for cut in cuts), len(ids)]
    asked = [(ref, "ranks", (ids[bounds[k] : bounds[k + 1]],)) for k, ref in enumerate(buckets)]
    ranks = reader.read(asked)
    found = [np.where(rank < 0, -1, rank + offset) for rank, offset in zip(ranks, offsets)]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def arcs(reader: Reader, part: Held, buckets: list[Ref], cuts: list[Any], offsets: list[int]) -> Held:
    """The arcs of one part in both directions, by their numbers, ascending."""
    numbers = number(reader, part["ids"], buckets, cuts, offsets).astype(np.uint64)
    tail, head = (numbers[ends] for ends in part["ends"])
    weights = part["weights"]
    keep = tail != head
    if weights is not None:
        keep &= weights != 0
        weights = np.concatenate((weights[keep], weights[keep]))
    tail, head = tail[keep], head[keep]
    both = np.concatenate(((tail << np.uint64(32)) | head, (head << np.uint64(32)) | tail))
    return _sorted_arcs(both, weights)


def _sorted_arcs(packed: Any, weights: Any) -> Held:
    if weights is None:
        return {"arcs": distinct(packed), "weights": None}
    order = np.argsort(packed, kind="stable")
    packed, weights = packed[order], weights[order]
    first = np.concatenate(([True], packed[1:] != packed[:-1])) if len(packed) else np.ones(0, dtype=bool)
    twice = np.flatnonzero(~first)
    differ = twice[weights[twice] != weights[twice - 1]]
    if len(differ):
        k = int(differ[0])
        raise ValueError(
            f"an edge has two weights, {weights[k - 1]} and {weights[k]}, expected one: merge them before"
        )
    return {"arcs": packed[first], "weights": weights[first]}


def block(
    reader: Reader, parts: list[Ref], buckets: list[Ref], offsets: list[int], begin: int, end: int
) -> Held:
    """The rows of one block."""
    found = reader.read([(ref, "arcs", (begin, end)) for ref in parts])
    weights = None
    if found and found[0][1] is not None:
        weights = np.concatenate([part[1] for part in found])
    merged = _sorted_arcs(np.concatenate([part[0] for part in found]), weights)
    packed, weights = merged["arcs"], merged["weights"]
    tails = (packed >> np.uint64(32)).astype(np.int64) - begin
    heads = (packed & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    degree = np.bincount(tails, minlength=end - begin).astype(np.uint32)
    ghosts, columns = np.unique(heads, return_inverse=True)
    names = []
    for k, ref in enumerate(buckets):
        low, high = max(begin - offsets[k], 0), min(end, offsets[k + 1]) - offsets[k]
        if low < high:
            names.append((ref, "slice", ("ids", low, high)))
    ids = np.concatenate(reader.read(names))
    values = np.unique(weights, return_counts=True) if weights is not None else None
    if values is not None and len(values[0]) > _WEIGHTS:
        # Neighbours in rank are told apart no more, their number is kept.
        step = -(-len(values[0]) // _WEIGHTS)
        starts = np.arange(0, len(values[0]), step)
        values = (values[0][starts], np.add.reduceat(values[1], starts))
    degrees = np.unique(degree, return_counts=True)
    return {
        "begin": begin,
        "offsets": offsets_of(degree),
        "columns": columns.astype(np.uint32).reshape(-1),
        "raw": weights,
        "ghosts": ghosts,
        "degree": degree,
        "ids": ids,
        "head": {"degrees": degrees, "weights": values},
    }


def complete(
    reader: Reader, block: Held, blocks: list[Ref], size: int, table: Any, anchors: Any, alone: Any
) -> Held:
    """The block with the degrees of its ghosts, scores of weights and its anchors."""
    nodes = len(block["degree"])
    scores = None
    if table is not None:
        values, scored = table
        places = np.clip(np.searchsorted(values, block["raw"], side="right") - 1, 0, len(values) - 1)
        scores = scored[places]
    is_alone = np.zeros(nodes, dtype=bool)
    is_alone[alone] = True
    anchored = np.full(nodes, 0xFFFFFFFF, dtype=np.uint32)
    anchored[anchors[0]] = anchors[1]
    kept = {key: block[key] for key in ("begin", "offsets", "columns", "ghosts", "degree", "ids")}
    degrees = degrees_of(reader, blocks, size, block["ghosts"])
    return {
        **kept,
        "weights": scores,
        "degrees": degrees,
        "anchored": anchored,
        "alone": is_alone,
        "head": None,
    }


class Side:
    """One graph whose ids are known, and then its blocks, before its anchors are known."""

    def __init__(
        self, kind: str | None, scanned: Futures, buckets: Futures, cuts: list[Any], offsets: list[int]
    ) -> None:
        self.type = kind
        self.scanned, self.buckets, self.cuts, self.offsets = scanned, buckets, cuts, offsets
        self.nodes = offsets[-1]
        self.blocks: Futures = []
        self.numbers: list[float] = []
        self.weights: Any = None


def name_side(engine: Engine, name: str, edges: Sources, parts: int) -> Side:
    """Reads one table: ids are sorted and numbered in their order, whatever the parts."""
    jobs: list[tuple[int, tuple[Any, ...]]] = []
    for k, (kind, what) in enumerate(edges):
        part = what
        if kind == "frame":
            part = engine.place(what, k)
        elif kind == "delayed":
            part = engine.client.compute(what)
        jobs.append((k, (name, kind, part)))
    scanned, heads = engine.step("reading", "scan", scan, jobs)
    types = {head["type"] for head in heads} - {None}
    if len(types) > 1:
        raise ValueError(f"{name}: found ids of types {' and '.join(sorted(types))}, expected one type")
    if len({head["weighted"] for head in heads}) > 1:
        raise ValueError(f"{name}: some of its parts have a column weight and others have none")
    if not types:
        raise ValueError(f"{name}: found no edges, expected one at least")
    sample = _unique(np.concatenate([head["sample"] for head in heads if len(head["sample"])]))
    cuts = [sample[len(sample) * k // parts] for k in range(1, parts)] if len(sample) >= parts else []
    bounds: list[Any] = [None, *cuts, None]
    refs = engine.refs(scanned)
    jobs = [(k, (refs, bounds[k], bounds[k + 1])) for k in range(len(bounds) - 1)]
    buckets, counts = engine.step("reading", "ids", bucket, jobs)
    return Side(types.pop(), scanned, buckets, cuts, [0, *np.cumsum(counts).tolist()])


def build_side(engine: Engine, side: Side, size_of: Any) -> None:
    """The blocks of one graph."""
    offsets = side.offsets
    size = size_of(side.nodes)
    bucket_refs = engine.refs(side.buckets)
    jobs: list[tuple[int, tuple[Any, ...]]] = [
        (k, (part, bucket_refs, side.cuts, offsets[:-1])) for k, part in enumerate(side.scanned)
    ]
    drawn, _ = engine.step("reading", "arcs", arcs, jobs)
    side.scanned = []
    arc_refs = engine.refs(drawn)
    begins = range(0, offsets[-1], size)
    jobs = [
        (k, (arc_refs, bucket_refs, offsets, low, min(low + size, offsets[-1])))
        for k, low in enumerate(begins)
    ]
    side.blocks, heads = engine.step("reading", "rows", block, jobs)
    degrees = np.concatenate([head["degrees"][0] for head in heads])
    often = np.concatenate([head["degrees"][1] for head in heads])
    kinds, where = np.unique(degrees, return_inverse=True)
    totals = np.bincount(where, weights=often).astype(np.uint64)
    side.numbers = blocks_graph_numbers(kinds.tolist(), totals.tolist())
    if heads[0]["weights"] is not None:
        side.weights = _scored([head["weights"] for head in heads])


def _scored(tables: list[Any]) -> Any:
    """Distinct weights and their normal scores; ``None`` where all are the same."""
    values = np.concatenate([table[0] for table in tables])
    often = np.concatenate([table[1] for table in tables])
    values, where = np.unique(values, return_inverse=True)
    often = np.bincount(where, weights=often)
    if len(values) < 2:
        return None
    ends = np.cumsum(often)
    return values, blocks_scores(np.ascontiguousarray((ends - 0.5 * often) / ends[-1]))
