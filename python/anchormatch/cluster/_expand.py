"""Tasks of the expansion, and of the counts that the model is fitted to."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._native import (
    blocks_classes,
    blocks_count_source,
    blocks_count_target,
    blocks_looks,
    blocks_missed,
    blocks_samples,
    blocks_sums,
    blocks_touched,
)
from ._exchange import Reader, Ref
from ._halo import (
    CHUNK,
    Spoken,
    ask,
    degrees_of,
    distinct,
    gathered_rows,
    offsets_of,
    part_of,
    settled_or_closed,
    values_of,
)
from ._views import NONE, arrays_of

Held = dict[str, Any]

__all__ = ["begin", "count", "cross", "judge", "looks", "refit", "settle", "tentative"]


def begin(reader: Reader, common: Held, side: int, block: Held, first: Held, ghosts: list[Ref]) -> Held:
    """The state of a block whose nodes have these partners."""
    nodes = len(block["offsets"]) - 1
    (ghost,) = values_of(reader, ghosts, common["size"], block["ghosts"], ("partner",))
    return _state(
        common,
        side,
        block,
        first["partner"],
        ghost,
        np.full(nodes, NONE),
        np.zeros(nodes, np.float32),
        _settled(block, ghost),
        None,
    )


def _state(
    common: Held,
    side: int,
    block: Held,
    partner: Any,
    ghost: Any,
    best: Any,
    posterior: Any,
    settled: Any,
    touched: Any,
) -> Held:
    is_open = partner == NONE
    if touched is None:
        touched = settled > 0
        soft = common["soft"][side].astype(np.int64) - block["begin"]
        touched[soft[(soft >= 0) & (soft < len(partner))]] = True
    touched = touched & is_open & ~block["alone"]
    missing = common["missing"][side]
    return {
        "begin": block["begin"],
        "partner": partner,
        "ghost": ghost,
        "best": best,
        "posterior": posterior,
        "own_settled": settled,
        "settled": settled_or_closed(settled, is_open & ~block["alone"]),
        "touched": np.flatnonzero(touched).astype(np.uint32),
        "head": {
            "missed": blocks_missed(settled, is_open, missing),
            "matched": int(np.count_nonzero(~is_open)),
            "touched": int(np.count_nonzero(touched)),
        },
    }


def _settled(block: Held, ghost: Any, before: Any = None, changed: Any = None) -> Any:
    """How many neighbours of each node have partners; only of those that changed, where these are few."""
    if before is not None and 4 * np.count_nonzero(changed) < len(changed):
        nodes = np.flatnonzero(changed).astype(np.uint32)
        arrays, places = part_of(block, nodes)
        settled = before.copy()
        settled[nodes] = blocks_sums(arrays, (ghost[places] != NONE).astype(np.float32))
        return settled
    return blocks_sums(arrays_of(block), (ghost != NONE).astype(np.float32))


def judge(
    reader: Reader,
    common: Held,
    side: int,
    block: Held,
    state: Held,
    spoken: Spoken | None,
    rows: list[Ref],
    others: float,
) -> Held:
    """The best partners of the nodes that were touched."""
    best, posterior = state["best"].copy(), state["posterior"].copy()
    nodes = state["touched"]
    if len(nodes):
        lengths, columns, values = ask(
            reader,
            common,
            side,
            block,
            nodes,
            state["ghost"],
            spoken,
            state["own_settled"],
            (rows, "open_rows"),
            rows,
            others,
            "best",
        )
        best[nodes], posterior[nodes] = NONE, 0.0
        hit = nodes[lengths > 0]
        best[hit], posterior[hit] = columns, values
    return {"best": best, "posterior": posterior}


def cross(
    reader: Reader, common: Held, state: Held, judged: Held, others: list[Ref], bounds: list[float]
) -> Held:
    """How sure pairs are that find each other the best, and nodes whose best partner is taken."""
    best, posterior = judged["best"], judged["posterior"]
    open_nodes = np.flatnonzero((state["partner"] == NONE) & (best != NONE))
    order = np.argsort(best[open_nodes], kind="stable")
    nodes = open_nodes[order]
    fields = ("best", "posterior", "partner")
    back, sure, taken = values_of(reader, others, common["size"], best[nodes], fields)
    level = np.full(len(best), -1, dtype=np.float32)
    stale = np.zeros(len(best), dtype=bool)
    if len(nodes):
        mutual = (back == nodes + state["begin"]) & (taken == NONE)
        level[nodes[mutual]] = np.minimum(posterior[nodes], sure)[mutual]
        stale[nodes[taken != NONE]] = True
    counts = [int(np.count_nonzero(level >= np.float32(bound))) for bound in bounds]
    head = {"counts": counts, "stale": int(np.count_nonzero(stale))}
    return {"begin": state["begin"], "level": level, "stale": stale, "head": head}


def settle(
    reader: Reader,
    common: Held,
    side: int,
    block: Held,
    state: Held,
    judged: Held,
    crossed: Held,
    all_crossed: list[Ref],
    news: list[int],
    bound: float | None,
    which: str,
) -> Held:
    """The state after pairs above a bound were settled, or with the stale nodes (or none) touched.

    ``news`` are the numbers of pairs above the bound, block by block.
    """
    partner, ghost = state["partner"], state["ghost"]
    if bound is None:
        touched = crossed["stale"] if which == "stale" else np.zeros(len(partner), dtype=bool)
        changed = np.zeros(len(partner), dtype=bool)
    else:
        partner, ghost = partner.copy(), ghost.copy()
        mine = crossed["level"] >= np.float32(bound)
        partner[mine] = judged["best"][mine]
        new = np.zeros(len(ghost), dtype=bool)
        is_open = np.flatnonzero(ghost == NONE)
        if sum(news) > len(is_open):
            # Fewer ghosts than news: no block reads more than it has ghosts, however many blocks there are.
            level, best = values_of(
                reader, all_crossed, common["size"], block["ghosts"][is_open], ("level", "best")
            )
            hit = level >= np.float32(bound)
            ghost[is_open[hit]] = best[hit]
            new[is_open[hit]] = True
        else:
            # One owner after the other: no more than one block's pairs are held at a time.
            for ref, count in zip(all_crossed, news):
                if not count:
                    continue
                ((nodes, partners),) = reader.read([(ref, "new", (bound,))])
                places = np.searchsorted(block["ghosts"], nodes)
                inside = np.minimum(places, max(len(ghost) - 1, 0))
                hit = block["ghosts"][inside] == nodes if len(ghost) else np.zeros(len(nodes), dtype=bool)
                ghost[places[hit]] = partners[hit]
                new[places[hit]] = True
        touched = changed = blocks_touched(arrays_of(block), new)
    settled = _settled(block, ghost, state["own_settled"], changed)
    found = (partner, ghost, judged["best"], judged["posterior"], settled)
    return _state(common, side, block, *found, touched)


def refit(reader: Reader, common: Held, side: int, block: Held, state: Held) -> Held:
    """The state by the model as it is now, with all open nodes touched."""
    kept = (state["partner"], state["ghost"], state["best"], state["posterior"])
    touched = np.ones(len(state["partner"]), dtype=bool)
    return _state(common, side, block, *kept, state["own_settled"].copy(), touched)


def tentative(
    reader: Reader, common: Held, side: int, block: Held, state: Held, rows: list[Ref], others: float
) -> Held:
    """The likeliest partners of all open nodes."""
    nodes = np.flatnonzero((state["partner"] == NONE) & ~block["alone"]).astype(np.uint32)
    lengths, columns, values = ask(
        reader,
        common,
        side,
        block,
        nodes,
        state["ghost"],
        None,
        state["own_settled"],
        (rows, "open_rows"),
        rows,
        others,
        "likeliest",
    )
    full = np.zeros(len(state["partner"]), dtype=np.int64)
    full[nodes] = lengths
    return {"begin": block["begin"], "own_lists": (offsets_of(full), columns, values)}


def count(
    reader: Reader,
    common: Held,
    side: int,
    block: Held,
    own: Held,
    ghosts: list[Ref],
    other_blocks: list[Ref],
    least: float,
) -> Held:
    """The counts of the pairs that are at least so sure, in parts, and samples for the closeness of
    rivals.
    """
    size = common["size"]
    partner, ghost = own["partner"], own.get("ghost")
    if least > 0 or ghost is None:
        partner = _sure(own["partner"], own.get("share"), least)
        fields = ("partner",) if least <= 0 else ("partner", "share")
        found = values_of(reader, ghosts, size, block["ghosts"], fields)
        ghost = _sure(found[0], found[1] if least > 0 else None, least)
    nodes = len(partner)
    # Whole parts at a time, so that the sums are those of the block at once.
    chunks = [
        _counted(reader, common, side, block, partner, ghost, other_blocks, k, min(k + CHUNK, nodes))
        for k in range(0, nodes, CHUNK)
    ]
    counts = np.concatenate([chunk["counts"] for chunk in chunks])
    if side == 1:
        return {"head": {"counts": counts}}
    kinds, where = np.unique(np.concatenate([chunk["classes"][0] for chunk in chunks]), return_inverse=True)
    often = np.zeros(len(kinds), dtype=np.int64)
    np.add.at(often, where.reshape(-1), np.concatenate([chunk["classes"][1] for chunk in chunks]))
    samples = np.concatenate([chunk["samples"] for chunk in chunks])
    head = {
        "counts": counts,
        "common": np.concatenate([chunk["common"] for chunk in chunks]),
        "classes": (kinds, often),
        "pairs": int(np.count_nonzero(partner != NONE)),
        "looks": looks(reader, common, samples, other_blocks),
    }
    return {"head": head}


def _counted(
    reader: Reader,
    common: Held,
    side: int,
    block: Held,
    partner: Any,
    ghost: Any,
    other_blocks: list[Ref],
    begin: int,
    end: int,
) -> Held:
    """The counts of some nodes of a block."""
    arrays, places = part_of(block, np.arange(begin, end, dtype=np.uint32))
    partner, ghost = partner[begin:end], ghost[places]
    if side == 1:
        return {"counts": blocks_count_target(arrays, partner, ghost)}
    size = common["size"]
    is_matched = partner != NONE
    matched = partner[is_matched]
    reached = distinct(matched)
    lengths, columns, weights, degrees = gathered_rows(reader, other_blocks, size, reached, "rows")
    rows = (lengths, columns, weights if block["weights"] is not None else None)
    counts, parts = blocks_count_source(common["setting"], arrays, partner, ghost, reached, rows)
    classes = blocks_classes(block["degree"][begin:end][is_matched]).astype(np.int64) * 256
    classes += blocks_classes(degrees[np.searchsorted(reached, matched)])
    first = block["begin"] + begin
    return {
        "counts": counts,
        "common": parts,
        "classes": np.unique(classes, return_counts=True),
        "samples": blocks_samples(arrays, first, common["nodes"][0], partner, ghost),
    }


def _sure(partner: Any, share: Any, least: float) -> Any:
    if share is None or least <= 0:
        return partner
    return np.where(share >= least, partner, NONE).astype(np.uint32)


def looks(reader: Reader, common: Held, samples: Any, blocks: list[Ref]) -> Any:
    """What is found for samples."""
    size = common["size"]
    reached = distinct(samples.reshape(-1, 3)[:, 1:])
    lengths, columns, _, degrees = gathered_rows(reader, blocks, size, reached, "rows")
    seen = distinct(columns)
    seen_degrees = degrees_of(reader, blocks, size, seen)
    none = np.empty(0, dtype=np.float32)
    halo = (
        reached,
        degrees,
        offsets_of(lengths),
        columns,
        None,
        seen,
        seen_degrees,
        none,
        np.empty(0, dtype=bool),
    )
    return blocks_looks(common["setting"], samples, halo)
