"""Reading: tables of edges, ids and their numbers, rows in blocks."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._native import blocks_graph_numbers, blocks_scores
from ._engine import Engine, Futures
from ._exchange import Reader, Ref
from ._halo import degrees_of, offsets_of

__all__ = ["Sources", "number", "partitions", "read_side"]

Held = dict[str, Any]
#: Rows of a pandas table that one task takes.
_ROWS = 1 << 21
#: Ids of a partition that say where the cuts between buckets are.
_SAMPLE = 512
#: Distinct weights that are told apart; of more, neighbours in rank share a score.
_WEIGHTS = 1 << 16
_COLUMNS = "source, target[, weight]"

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
                parts.append(("parquet", (address, group, has_weight)))
    return parts


def _load(kind: str, what: Any) -> Any:
    if kind != "parquet":
        return what
    import fsspec
    from pyarrow import parquet

    address, group, has_weight = what
    columns = ["source", "target"] + (["weight"] if has_weight else [])
    with fsspec.open(address, "rb") as stream:
        return parquet.ParquetFile(stream).read_row_group(group, columns=columns).to_pandas()


def _ids_of(column: Any, name: str) -> Any:
    if column.isna().any():
        row = int(np.flatnonzero(column.isna().to_numpy())[0])
        raise ValueError(f"{name}: row {row} has no {column.name}, expected an id")
    if column.dtype.kind in "iu":
        return column.to_numpy(dtype=np.int64)
    values = column.to_numpy(dtype=object)
    kinds = {type(value) for value in values[:1000]}
    if len(kinds) > 1:
        words = " and ".join(sorted(kind.__name__ for kind in kinds))
        raise ValueError(f"{name}: found ids of types {words}, expected one type that can be sorted")
    return values


def _unique(ids: Any) -> Any:
    if ids.dtype != object:
        return np.unique(ids)
    return np.array(sorted(set(ids.tolist())), dtype=object)


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
    ids = _unique(np.concatenate(ends))
    step = max(1, len(ids) // _SAMPLE)
    dtype = None
    if len(ids):
        dtype = "integers" if ids.dtype != object else type(ids[0]).__name__
    head = {"sample": ids[::step], "rows": len(table), "type": dtype, "weighted": weights is not None}
    return {"ends": ends, "weights": weights, "ids": ids, "head": head}


def bucket(reader: Reader, parts: list[Ref], low: Any, high: Any) -> Held:
    """All ids within two bounds."""
    found = _unique(np.concatenate(reader.read([(ref, "ids", (low, high)) for ref in parts])))
    return {"ids": found, "head": len(found)}


def number(reader: Reader, ids: Any, buckets: list[Ref], cuts: list[Any], offsets: list[int]) -> Any:
    """The numbers of ascending ids, −1 for those that are not there."""
    bounds = [0, *(int(np.searchsorted(ids, cut)) for cut in cuts), len(ids)]
    asked = [(ref, "ranks", (ids[bounds[k] : bounds[k + 1]],)) for k, ref in enumerate(buckets)]
    ranks = reader.read(asked)
    found = [np.where(rank < 0, -1, rank + offset) for rank, offset in zip(ranks, offsets)]
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def arcs(reader: Reader, part: Held, buckets: list[Ref], cuts: list[Any], offsets: list[int]) -> Held:
    """The arcs of one part in both directions, by their numbers, ascending."""
    numbers = number(reader, part["ids"], buckets, cuts, offsets).astype(np.uint64)
    tail, head = (numbers[np.searchsorted(part["ids"], ends)] for ends in part["ends"])
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
        return {"arcs": np.unique(packed), "weights": None}
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
    """One graph in blocks, before its anchors are known."""

    def __init__(self, blocks: Futures, buckets: Futures, cuts: list[Any], offsets: list[int]) -> None:
        self.blocks, self.buckets, self.cuts, self.offsets = blocks, buckets, cuts, offsets
        self.nodes = offsets[-1]
        self.numbers: list[float] = []
        self.weights: Any = None
        self.type: str | None = None


def read_side(engine: Engine, name: str, edges: Sources, parts: int, size_of: Any) -> Side:
    """Reads one graph: ids are sorted and numbered in their order, whatever the parts."""
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
    sample = _unique(np.concatenate([head["sample"] for head in heads]))
    cuts = [sample[len(sample) * k // parts] for k in range(1, parts)] if len(sample) >= parts else []
    bounds: list[Any] = [None, *cuts, None]
    refs = engine.refs(scanned)
    jobs = [(k, (refs, bounds[k], bounds[k + 1])) for k in range(len(bounds) - 1)]
    buckets, counts = engine.step("reading", "ids", bucket, jobs)
    offsets = [0, *np.cumsum(counts).tolist()]
    size = size_of(offsets[-1])
    bucket_refs = engine.refs(buckets)
    jobs = [(k, (part, bucket_refs, cuts, offsets[:-1])) for k, part in enumerate(scanned)]
    drawn, _ = engine.step("reading", "arcs", arcs, jobs)
    arc_refs = engine.refs(drawn)
    begins = range(0, offsets[-1], size)
    jobs = [
        (k, (arc_refs, bucket_refs, offsets, low, min(low + size, offsets[-1])))
        for k, low in enumerate(begins)
    ]
    blocks, heads = engine.step("reading", "rows", block, jobs)
    side = Side(blocks, buckets, cuts, offsets)
    side.type = types.pop()
    degrees = np.concatenate([head["degrees"][0] for head in heads])
    often = np.concatenate([head["degrees"][1] for head in heads])
    kinds, where = np.unique(degrees, return_inverse=True)
    totals = np.bincount(where, weights=often).astype(np.uint64)
    side.numbers = blocks_graph_numbers(kinds.tolist(), totals.tolist())
    if heads[0]["weights"] is not None:
        side.weights = _scored([head["weights"] for head in heads])
    return side


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
