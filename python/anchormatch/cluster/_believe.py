"""Tasks of the beliefs, of the choice and of what is written."""

from __future__ import annotations

from typing import Any

import numpy as np

from .._native import (
    blocks_balanced,
    blocks_choose,
    blocks_compare,
    blocks_duals,
    blocks_expected_alone,
    blocks_left_over,
    blocks_rests,
    blocks_sums,
    blocks_touched,
)
from ._exchange import Reader, Ref
from ._halo import ask, offsets_of, settled_or_closed, values_of
from ._views import NONE, arrays_of

Held = dict[str, Any]
Lists = tuple[Any, Any, Any]

#: Beliefs below this do not spread, and need not move.
_SPREADS = 0.01


def certain(reader: Reader, block: Held, state: Held, side: int) -> Held:
    """What was settled, taken for certain."""
    partner = state["partner"]
    is_there = partner != NONE
    mass = is_there.astype(np.float32)
    held = {"begin": block["begin"], "mass": mass, "moved": np.ones(len(partner), dtype=bool)}
    if side == 0:
        held["occupancy"] = (offsets_of(is_there), partner[is_there], mass[is_there])
    else:
        held["duals"] = np.zeros(len(partner))
    return held


def _row_sums(offsets: Any, values: Any) -> Any:
    """The sum of every row, one value after the other, at most 1."""
    places = np.arange(len(values), dtype=np.uint32)
    return np.minimum(blocks_sums((offsets, places, None, places, places), values), np.float32(1))


def surroundings(
    reader: Reader, common: Held, side: int, block: Held, own: Held, ghosts: list[Ref], keep: bool
) -> Held:
    """What is believed of the ghosts, and what the beliefs make of every node's neighbours."""
    size = common["size"]
    fields = ("mass", "moved") if side == 0 else ("mass",)
    found = values_of(reader, ghosts, size, block["ghosts"], fields)
    settled = blocks_sums(arrays_of(block), found[0].astype(np.float32))
    is_free = block["anchored"] == NONE
    held: Held = {
        "own_settled": settled,
        "settled": settled_or_closed(settled, is_free & ~block["alone"]),
    }
    if side == 1:
        mass = own["mass"]
        held["head"] = {
            "left": blocks_left_over(mass, settled, common["missing"][1]),
            "free": blocks_left_over(mass, settled, 0.0),
        }
        return held
    ask_again = is_free & ~block["alone"]
    if keep:
        ask_again &= blocks_touched(arrays_of(block), found[1].astype(bool))
    held["nodes"] = np.flatnonzero(ask_again).astype(np.uint32)
    return held


def evidence(
    reader: Reader,
    common: Held,
    block: Held,
    before: Held | None,
    around: Held,
    believed: list[Ref],
    rows: list[Ref],
    others_at: list[Ref],
    left: tuple[float, float],
    share_alone: float,
) -> Held:
    """The evidence of the candidates of every node; who was not asked again keeps what it had."""
    nodes = around["nodes"]
    lengths, columns, values = ask(
        reader,
        common,
        0,
        block,
        nodes,
        None,
        (believed, "occupancy", _SPREADS),
        around["own_settled"],
        (rows, "rows"),
        others_at,
        left[0],
        "evidence",
    )
    count = len(block["degree"])
    asked = np.zeros(count, dtype=bool)
    asked[nodes] = True
    anchored = np.flatnonzero(block["anchored"] != NONE).astype(np.uint32)
    parts = [
        (np.repeat(nodes, lengths), columns, values),
        (anchored, block["anchored"][anchored], np.zeros(len(anchored), dtype=np.float32)),
    ]
    if before is not None:
        offsets, local, nats = before["lists"]
        row = np.repeat(np.arange(count, dtype=np.uint32), np.diff(offsets))
        keep = ~asked[row] & (block["anchored"][row] == NONE)
        parts.append((row[keep], before["wanted"][local[keep]], nats[keep]))
    row = np.concatenate([part[0] for part in parts])
    order = np.argsort(row, kind="stable")
    full = np.bincount(row, minlength=count)
    columns = np.concatenate([part[1] for part in parts])[order].astype(np.uint32)
    values = np.concatenate([part[2] for part in parts])[order].astype(np.float32)
    del parts, row, order
    is_open = block["anchored"] == NONE
    rest, alone = blocks_rests(common["setting"], around["own_settled"], is_open, left, share_alone)
    wanted, local = np.unique(columns, return_inverse=True)
    return {
        "begin": block["begin"],
        "lists": (offsets_of(full), local.astype(np.uint32).reshape(-1), values),
        "wanted": wanted,
        "rest": rest,
        "alone": alone,
        "head": len(values),
    }


def turn(reader: Reader, block: Held, lists: list[Ref]) -> Held:
    """The same by columns."""
    begin, count = block["begin"], len(block["degree"])
    found = reader.read([(ref, "wanted", (begin, begin + count)) for ref in lists])
    rows, columns, values = (np.concatenate([part[k] for part in found]) for k in range(3))
    del found
    order = np.argsort(columns, kind="stable")
    rows, values = rows[order], values[order]
    wanted, local = np.unique(rows, return_inverse=True)
    offsets = offsets_of(np.bincount(columns - np.uint32(begin), minlength=count))
    return {
        "begin": begin,
        "lists": (offsets, local.astype(np.uint32).reshape(-1), values),
        "wanted": wanted,
    }


def row_duals(reader: Reader, common: Held, lists: Held, columns: list[Ref]) -> Held:
    """The duals of the rows, by those of the columns."""
    (duals,) = values_of(reader, columns, common["size"], lists["wanted"], ("duals",))
    duals = duals.astype(np.float64)
    return {"duals": blocks_duals(lists["lists"], duals, lists["rest"]), "columns": duals}


def column_duals(reader: Reader, common: Held, turned: Held, before: Held, rows: list[Ref]) -> Held:
    """The duals of the columns, by those of the rows, and how far they moved."""
    (duals,) = values_of(reader, rows, common["size"], turned["wanted"], ("duals",))
    new = blocks_duals(turned["lists"], duals.astype(np.float64), None)
    moved = float(np.max(np.abs(new - before["duals"]), initial=0.0))
    return {"duals": new, "head": moved}


def occupancy(reader: Reader, lists: Held, duals: Held, before: Held) -> Held:
    """Probabilities of the candidates of every row, and what is different from before."""
    offsets, local, _ = lists["lists"]
    values = blocks_balanced(lists["lists"], duals["duals"], duals["columns"])
    # Arrays of its own: what two results share is held twice once Dask has written one of them to disk.
    after = (offsets.copy(), lists["wanted"][local], values)
    moved, changed, right = blocks_compare(before["occupancy"], after)
    partner, share = _likeliest(after)
    return {
        "begin": lists["begin"],
        "occupancy": after,
        "mass": _row_sums(offsets, values),
        "moved": moved,
        "partner": partner,
        "share": share,
        "head": {
            "changed": changed,
            "right": right,
            "alone": blocks_expected_alone(after, lists["rest"], lists["alone"]),
        },
    }


def column_occupancy(reader: Reader, common: Held, turned: Held, duals: Held, rows: list[Ref]) -> Held:
    """The same by columns."""
    offsets, local, _ = turned["lists"]
    nodes = turned["wanted"][local]
    (row_values,) = values_of(reader, rows, common["size"], turned["wanted"], ("duals",))
    # A column is a row of the turned lists: the sum x + u + v has the same terms in the same order.
    values = _turned_probabilities(turned, row_values.astype(np.float64), duals["duals"])
    partner, share = _likeliest((offsets, nodes, values))
    return {
        "begin": turned["begin"],
        "duals": duals["duals"],
        "mass": _row_sums(offsets, values),
        "turned": (offsets.copy(), nodes, values),
        "partner": partner,
        "share": share,
    }


def _turned_probabilities(turned: Held, rows: Any, columns: Any) -> Any:
    offsets, local, values = turned["lists"]
    each = np.repeat(np.arange(len(columns)), np.diff(offsets))
    sums = (values.astype(np.float64) + rows[local]) + columns[each]
    return np.minimum(np.exp(sums), 1.0).astype(np.float32)


def _tops(lists: Lists) -> tuple[Any, Any, Any]:
    """The rows that are not empty, their largest values, and where each has it, of equals the first."""
    offsets, _, values = lists
    lengths = np.diff(offsets)
    some = np.flatnonzero(lengths)
    if not len(some):
        return some, np.empty(0, dtype=np.float32), some
    top = np.maximum.reduceat(values, offsets[some])
    hits = np.flatnonzero(values == np.repeat(top, lengths[some]))
    rows = np.searchsorted(offsets[some], hits, side="right")
    return some, top, hits[np.flatnonzero(np.diff(rows, prepend=0))]


def _likeliest(lists: Lists) -> tuple[Any, Any]:
    """The likeliest node of every row, of equals the first, and its probability."""
    offsets, columns, _ = lists
    count = len(offsets) - 1
    partner, share = np.full(count, NONE), np.zeros(count, dtype=np.float32)
    some, top, at = _tops(lists)
    partner[some], share[some] = columns[at], top
    return partner, share


def sure(reader: Reader, block: Held, own: Held, least: float) -> Held:
    """The partners that are likelier than a bound, and the anchors."""
    partner = np.where(own["share"] > np.float32(least), own["partner"], NONE).astype(np.uint32)
    fixed = block["anchored"] != NONE
    partner[fixed] = block["anchored"][fixed]
    return {"partner": partner, "head": int(np.count_nonzero(partner != NONE))}


def _seconds(lists: Lists) -> Any:
    """The second largest value of every row, 0 where there is none."""
    offsets, _, values = lists
    second = np.zeros(len(offsets) - 1, dtype=np.float32)
    some, _, at = _tops(lists)
    if len(some):
        rest = values.copy()
        rest[at] = 0.0
        second[some] = np.maximum.reduceat(rest, offsets[some])
    return second


def columns_left(reader: Reader, common: Held, block: Held, own: Held, chosen: list[Ref]) -> Held:
    """Columns that nobody took so far, the lists of their rows, and what their best rows have."""
    offsets, rows, values = own["turned"]
    taken = own.get("taken", block["anchored"] != NONE).copy()
    begin, count = block["begin"], len(taken)
    gone = np.zeros(len(rows), dtype=bool)
    if chosen:
        # Only of rows that are listed here, and of columns that are here.
        wanted, where = np.unique(rows, return_inverse=True)
        (partners,) = values_of(reader, chosen, common["size"], wanted, ("chosen",))
        gone = (partners != NONE)[where.reshape(-1)]
        for columns in reader.read([(ref, "chosen", (begin, begin + count)) for ref in chosen]):
            taken[columns.astype(np.int64) - begin] = True
    each = np.repeat(np.arange(count), np.diff(offsets))
    keep = ~taken[each] & ~gone & (values > 0)
    lists = (offsets_of(np.bincount(each[keep], minlength=count)), rows[keep], values[keep])
    partner, _ = _likeliest(lists)
    return {
        "begin": begin,
        "turned": lists,
        "taken": taken,
        "column_best": partner,
        "column_second": _seconds(lists),
    }


def choose(reader: Reader, common: Held, block: Held, own: Held, columns: list[Ref], mutual: bool) -> Held:
    """Pairs that some best choice has: both ends lose no more by it than they gain.

    With ``mutual`` pairs that are each other's likeliest are taken as well.
    """
    offsets, nodes, values = own["occupancy"]
    partner = own.get("chosen", np.full(len(offsets) - 1, NONE)).copy()
    each = np.repeat(np.arange(len(partner)), np.diff(offsets))
    wanted, where = np.unique(nodes, return_inverse=True)
    fields = ("taken", "column_best", "column_second")
    taken, best, second = values_of(reader, columns, common["size"], wanted, fields)
    is_free = (partner == NONE) & (block["anchored"] == NONE)
    if len(wanted):
        keep = is_free[each] & ~taken[where.reshape(-1)].astype(bool) & (values > 0)
    else:
        keep = np.zeros(0, dtype=bool)
    lists = (offsets_of(np.bincount(each[keep], minlength=len(partner))), nodes[keep], values[keep])
    top, share = _likeliest(lists)
    own_second = _seconds(lists)
    has = np.flatnonzero(top != NONE)
    at = np.searchsorted(wanted, top[has])
    found = best[at] == (has + block["begin"]) if len(has) else np.zeros(0, dtype=bool)
    if not mutual and len(has):
        found &= share[has] >= own_second[has] + second[at].astype(np.float32)
    new = has[found]
    partner[new] = top[new]
    return {
        "begin": block["begin"],
        "occupancy": lists,
        "chosen": partner,
        "chosen_rows": (new + block["begin"]).astype(np.uint32),
        "chosen_columns": top[new],
        "head": {"new": len(new), "left": int(np.count_nonzero(keep)) - len(new)},
    }


def assign(reader: Reader, lists: list[Ref], slack: float) -> Held:
    """The choice among all that is left, on one worker."""
    rows, columns, values = [], [], []
    for ref in lists:
        r, c, v = reader.read([(ref, "entries", ("occupancy", 0, int(NONE)))])[0]
        rows.append(r)
        columns.append(c)
        values.append(v)
    row, column, value = (np.concatenate(part) for part in (rows, columns, values))
    row_ids, row_at = np.unique(row, return_inverse=True)
    column_ids, column_at = np.unique(column, return_inverse=True)
    offsets = offsets_of(np.bincount(row_at.reshape(-1), minlength=len(row_ids)))
    found = blocks_choose((offsets, column_at.astype(np.uint32).reshape(-1), value), len(column_ids), slack)
    hit = found != NONE
    return {"chosen_rows": row_ids[hit], "chosen_columns": column_ids[found[hit]]}


def decided(
    reader: Reader, block: Held, own: Held, final: Held, rest: list[Ref], kept: float | None
) -> Held:
    """The partners of a block of source nodes and their probabilities."""
    partner = own["chosen"].copy()
    ((rows, columns),) = reader.read([(rest[0], "whole", (("chosen_rows", "chosen_columns"),))])
    mine = (rows >= block["begin"]) & (rows < block["begin"] + len(partner))
    partner[rows[mine].astype(np.int64) - block["begin"]] = columns[mine]
    offsets, nodes, values = final["occupancy"]
    each = np.repeat(np.arange(len(partner)), np.diff(offsets))
    share = np.zeros(len(partner), dtype=np.float64)
    hit = nodes == partner[each]
    share[each[hit]] = np.minimum(values[hit], 1.0)
    if kept is not None:
        partner[share < np.float32(kept)] = NONE
    fixed = block["anchored"] != NONE
    partner[fixed], share[fixed] = block["anchored"][fixed], 1.0
    share[partner == NONE] = 0.0
    free = (partner == NONE) & ~block["alone"]
    head = np.unique(block["degree"][free], return_counts=True)
    return {"begin": block["begin"], "partner": partner, "share": share, "free": free, "head": head}


def targets_left(reader: Reader, block: Held, decided: list[Ref]) -> Held:
    """The partners of a block of targets, by those of all sources."""
    partner = np.full(len(block["degree"]), NONE)
    share = np.zeros(len(partner))
    low, high = block["begin"], block["begin"] + len(partner)
    for ref in decided:
        nodes, pairs, shares = reader.read([(ref, "partners", (low, high))])[0]
        at = pairs.astype(np.int64) - low
        partner[at], share[at] = nodes, shares
    free = (partner == NONE) & ~block["alone"]
    head = np.unique(block["degree"][free], return_counts=True)
    return {"begin": block["begin"], "partner": partner, "share": share, "free": free, "head": head}


def ranks(reader: Reader, block: Held, own: Held, first: dict[int, int]) -> Held:
    """Nodes that are left, with their ranks by degree: ``first`` is that of the first of each degree
    here.
    """
    left = np.flatnonzero(own["free"])
    degree = block["degree"][left]
    order = np.argsort(degree, kind="stable")
    kinds, starts = np.unique(degree[order], return_index=True)
    found = np.empty(len(left), dtype=np.int64)
    for k, kind in enumerate(kinds):
        end = starts[k + 1] if k + 1 < len(kinds) else len(order)
        found[order[starts[k] : end]] = first[int(kind)] + np.arange(end - starts[k])
    return {"ranks": found, "left": (left + block["begin"]).astype(np.uint32)}


def filled(
    reader: Reader, block: Held, own: Held, ranked: Held, targets: list[Ref], confidence: float
) -> Held:
    """Pairs of the nodes that are left, those of the highest degrees first."""
    partner, share = own["partner"].copy(), own["share"].copy()
    for ref in targets:
        found, nodes = reader.read([(ref, "ranked", (ranked["ranks"],))])[0]
        mine = ranked["left"][found].astype(np.int64) - block["begin"]
        partner[mine], share[mine] = nodes, confidence
    return {**own, "partner": partner, "share": share}


def frame(
    reader: Reader,
    common: Held,
    block: Held,
    own: Held,
    targets: list[Ref],
    weight: float,
    any_share: float,
) -> Any:
    """The pairs of a block, in the ids of the input."""
    import pandas

    nodes = np.flatnonzero(own["partner"] != NONE)
    partner = own["partner"][nodes]
    order = np.argsort(partner, kind="stable")
    names: Any = values_of(reader, targets, common["size"], partner[order], ("ids",))[0]
    target = np.empty(len(nodes), dtype=names.dtype if len(nodes) else block["ids"].dtype)
    target[order] = names[: len(nodes)]
    fixed = block["anchored"][nodes] != NONE
    confidence = np.where(fixed, 1.0, weight * own["share"][nodes] + any_share)
    table = pandas.DataFrame({"source": block["ids"][nodes], "target": target, "confidence": confidence})
    return {"frame": table, "head": len(table)}
