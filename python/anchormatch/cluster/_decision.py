"""The last stage: who is whose partner, and whether chance could explain it."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

import numpy as np

from .._native import blocks_weigh
from . import _believe as believe

if TYPE_CHECKING:
    from ._run import Run

__all__ = ["LEFT", "decide"]

logger = logging.getLogger("anchormatch.cluster")

#: Entries that one worker may choose among at the end.
LEFT = 4_000_000
#: Confidences from which on pairs are judged together against chance.
_TIERS = (0.99, 0.9, 0.5, 0.1)


def decide(run: Run) -> None:
    """From probabilities to pairs, one to one, and the tables that are written."""
    held, common, constants = run.held, run.common, run.constants
    columns, rows = held["o1"], held["o0"]
    chosen: Any = []
    mutual = False
    while True:
        refs, before = chosen, columns
        columns, _ = run._one(
            1,
            "decision",
            "columns",
            believe.columns_left,
            lambda p, refs=refs, before=before: (common, held["b1"][p], before[p], refs),
        )
        column_refs, last = run.engine.refs(columns), rows
        rows, heads = run._one(
            0,
            "decision",
            "choose",
            believe.choose,
            lambda p, last=last, at=column_refs, mutual=mutual: (
                common,
                held["b0"][p],
                last[p],
                at,
                mutual,
            ),
        )
        chosen = run.engine.refs(rows)
        new, left = (sum(head[name] for head in heads) for name in ("new", "left"))
        run.engine.say("decision", left, None)
        if not new and (left <= LEFT or mutual):
            break
        mutual = left > LEFT and not new
    rest, _ = run.engine.step("decision", "assign", believe.assign, [(0, (chosen, constants["slack"]))])
    kept = constants["kept"] if run.options["allow_unmatched"] else None
    refs = run.engine.refs(rest)
    held["d0"], heads0 = run._one(
        0,
        "decision",
        "pairs",
        believe.decided,
        lambda p: (held["b0"][p], rows[p], held["o0"][p], refs, kept),
    )
    sources = run._refs("d0")
    held["d1"], heads1 = run._one(
        1, "decision", "targets", believe.targets_left, lambda p: (held["b1"][p], sources)
    )
    weight, share = _chance(run)
    if not run.options["allow_unmatched"]:
        _fill_up(run, heads0, heads1)
    targets = run._refs("b1")
    held["frames"], _ = run._one(
        0,
        "decision",
        "frame",
        believe.frame,
        lambda p: (common, held["b0"][p], held["d0"][p], targets, weight, share),
    )


def _chance(run: Run) -> tuple[float, float]:
    """The probability that there is something to find, and what any pair has without it."""
    sets = []
    for tier in _TIERS:
        run._fit("chance", ["d0", "d1"], tier)
        heads = run._counted
        counts = np.concatenate([head["counts"] for side in heads for head in side])
        common = float(sum(np.concatenate([head["common"] for head in heads[0]]).tolist()))
        kinds = np.concatenate([head["classes"][0] for head in heads[0]])
        often = np.concatenate([head["classes"][1] for head in heads[0]])
        table: dict[int, float] = {}
        for kind, n in zip(kinds.tolist(), often.tolist()):
            table[kind] = table.get(kind, 0.0) + n
        cells = [(kind >> 8, kind & 255, n) for kind, n in sorted(table.items())]
        sets.append((counts.tolist(), common, 0.0, cells, sum(head["pairs"] for head in heads[0])))
    nats, weight = blocks_weigh(run.common["setting"], run.at["anchors"], sets)
    run.at["beyond_chance"] = nats
    if nats < 0:
        logger.warning("chance could explain this match: no pair is sure")
    free = max(int(run.at["numbers"][k][0]) - run.at["anchors"] for k in range(2))
    return weight, 0.0 if run.options["allow_unmatched"] else (1.0 - weight) / max(free, 1)


def _fill_up(run: Run, heads0: list[Any], heads1: list[Any]) -> None:
    held = run.held
    ranked = []
    totals = []
    for k, heads in enumerate((heads0, heads1)):
        counts = [dict(zip(head[0].tolist(), head[1].tolist())) for head in heads]
        first: list[dict[int, int]] = [{} for _ in counts]
        rank = 0
        for degree in sorted({d for count in counts for d in count}, reverse=True):
            for p, count in enumerate(counts):
                first[p][degree] = rank
                rank += count.get(degree, 0)
        totals.append(rank)
        own = held[f"d{k}"]
        futures, _ = run._one(
            k,
            "decision",
            "ranks",
            believe.ranks,
            lambda p, k=k, own=own, first=first: (held[f"b{k}"][p], own[p], first[p]),
        )
        ranked.append(futures)
    targets = run.engine.refs(ranked[1])
    confidence = 1.0 / max(*totals, 1)
    own = held["d0"]
    held["d0"], _ = run._one(
        0,
        "decision",
        "fill",
        believe.filled,
        lambda p: (held["b0"][p], own[p], ranked[0][p], targets, confidence),
    )
