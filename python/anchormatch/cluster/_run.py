"""The stages in their order, one round at a time, so that a run can go on from any of them."""

from __future__ import annotations

import logging
import time
from typing import Any

import numpy as np

from .._native import (
    blocks_bounds,
    blocks_constants,
    blocks_course,
    blocks_fit,
    blocks_is_near,
    blocks_missing,
    blocks_settled,
    blocks_share_alone,
    blocks_stuck,
    blocks_sums_are_old,
)
from . import _balance as balance
from . import _believe as believe
from . import _expand as expand
from ._checkpoint import Checkpoint
from ._decision import LEFT, decide
from ._engine import Engine, Futures
from ._exchange import Lost, workers_of
from ._read import Side, Sources, build_side, complete, ids_like, name_side, number, rows_of

__all__ = ["Run"]

logger = logging.getLogger("anchormatch.cluster")

#: Seconds between two checkpoints within a stage, and times as long as the last one took: of large graphs
#: a round is long, and what is held is written in seconds.
_EVERY, _TIMES = 10.0, 10.0
#: Seconds that a cluster gets after a loss, and at most until as many workers are there as before: those
#: that are left hold all blocks from then on.
_BREATH, _RETURN = 1.0, 60.0
#: Losses in a row, without a round between them, after which a run is given up.
_LOSSES = 10


def _total(heads: list[Any], name: str) -> float:
    """The sum of what all blocks say by parts, in their order."""
    return float(sum(np.concatenate([head[name] for head in heads]).tolist()))


class Run:
    """One match: what is held, where it stands, and how to go on."""

    def __init__(self, engine: Engine, store: Checkpoint, options: dict[str, Any]) -> None:
        self.engine = engine
        self.store = store
        self.options = options
        self.constants = blocks_constants(options["preset"] == "fast")
        self.held: dict[str, Futures] = {}
        self.at: dict[str, Any] = {"phase": "read"}
        self.manifest: dict[str, Any] | None = None
        self._written, self._rest = 0.0, 0.0

    def to_the_end(self, sources: tuple[Sources, Sources], anchors: Any, check: Any) -> Futures:
        self.sources, self.anchors, self.check = sources, anchors, check
        self.manifest = self.store.manifest()
        losses = 0
        if self.manifest is not None:
            self._restore()
        while self.at["phase"] != "done":
            phase = self.at["phase"]
            try:
                getattr(self, f"_{phase}")()
                losses = 0
                if self.at["phase"] != phase or time.monotonic() - self._written > self._rest:
                    self._keep()
            except Lost as loss:
                losses += 1
                if losses > _LOSSES:
                    raise RuntimeError(f"workers were lost {losses} times in a row: {loss}") from loss
                logger.warning("%s; going on from the last round that was kept", loss)
                self._recover()
        return self.held["frames"]

    def _keep(self) -> None:
        if self.at["phase"] in ("read", "done"):
            return
        begin = time.monotonic()
        self.manifest = self.store.write(self.at, self.held)
        self._written = time.monotonic()
        self._rest = max(_EVERY, _TIMES * (self._written - begin))

    def _restore(self) -> None:
        if self.manifest is None:
            self.held, self.at = {}, {"phase": "read"}
            return
        import json

        self.held = self.store.read(self.manifest)
        self.at = json.loads(json.dumps(self.manifest["at"]))

    def _recover(self) -> None:
        for _ in range(_LOSSES):
            time.sleep(_BREATH)
            self.engine.wait_for_return(_RETURN)
            try:
                if self.manifest is not None:
                    numbers = self.manifest["at"]["numbers"]
                    self._check([int(side[0]) for side in numbers], [side[1] for side in numbers])
                self._restore()
                return
            except Lost as loss:
                logger.warning("%s while blocks were read back", loss)
        raise RuntimeError("workers were lost again and again while blocks were read back")

    def _check(self, nodes: list[int], arcs: list[float]) -> None:
        """Whether the workers that are there can hold the run; those that were lost just now come back."""
        there = workers_of(self.engine.client)
        try:
            self.check(there, nodes, arcs)
        except MemoryError as error:
            if len(there) < self.engine.expected:
                raise Lost(f"{len(there)} of {self.engine.expected} workers are there") from error
            raise

    # What steps share.

    @property
    def common(self) -> dict[str, Any]:
        at = self.at
        soft = at["soft"]
        setting = (at["numbers"][0], at["numbers"][1], at["fitted"])
        return {
            "size": at["size"],
            "nodes": [int(at["numbers"][k][0]) for k in range(2)],
            "setting": setting,
            "missing": blocks_missing(setting),
            "soft": (
                np.array(soft[0], dtype=np.uint32),
                np.array(soft[1], dtype=np.uint32),
                np.array(soft[2], dtype=np.float32),
            ),
            "most": max((abs(nats) for nats in soft[2]), default=0.0),
        }

    def _both(
        self, stage: str, name: str, work: Any, arguments: Any
    ) -> tuple[list[Futures], list[list[Any]]]:
        """A step over the blocks of both sides; ``arguments(side, block)`` are those of one task."""
        counts = [len(self.held["b0"]), len(self.held["b1"])]
        jobs = [(block, arguments(side, block)) for side in range(2) for block in range(counts[side])]
        futures, heads = self.engine.step(stage, name, work, jobs)
        cut = counts[0]
        return [futures[:cut], futures[cut:]], [heads[:cut], heads[cut:]]

    def _one(
        self, side: int, stage: str, name: str, work: Any, arguments: Any
    ) -> tuple[Futures, list[Any]]:
        jobs = [(block, arguments(block)) for block in range(len(self.held[f"b{side}"]))]
        return self.engine.step(stage, name, work, jobs)

    def _refs(self, *names: str) -> Any:
        return self.engine.refs(*(self.held[name] for name in names))

    def _fit(self, stage: str, own: list[str], least: float = 0.0) -> list[float]:
        """The model of the partners in ``own``."""
        common, held = self.common, self.held
        refs = [self._refs(own[0]), self._refs(own[1])]
        blocks = [self._refs("b0"), self._refs("b1")]
        _, heads = self._both(
            stage,
            "count",
            expand.count,
            lambda k, p: (common, k, held[f"b{k}"][p], held[own[k]][p], refs[k], blocks[1 - k], least),
        )
        counts = np.concatenate([head["counts"] for side in heads for head in side])
        looks = np.concatenate([head["looks"] for head in heads[0]])
        self._counted = heads
        return blocks_fit(counts, looks)

    # The phases.

    def _read(self) -> None:
        engine, parts = self.engine, self.options["blocks"]
        unit = int(self.constants["part"])
        chosen: list[int] = []

        def size_of(nodes: int) -> int:
            # Both sides are cut alike; blocks are whole parts, so that their number changes no sum.
            if not chosen:
                chosen.append(max(1, -(-nodes // (parts * unit))) * unit)
            return chosen[0]

        names = ("source", "target")
        self._check([0, 0], [rows_of(one) for one in self.sources])
        sides = [name_side(engine, name, self.sources[k], parts) for k, name in enumerate(names)]
        pairs, soft, alone = self._numbered(sides)
        self._check([side.nodes for side in sides], [rows_of(one) for one in self.sources])
        for side in sides:
            build_side(engine, side, size_of)
        self._check([side.nodes for side in sides], [side.numbers[1] for side in sides])
        size = chosen[0]
        weighted = sides[0].weights is not None and sides[1].weights is not None
        held: dict[str, Futures] = {}
        for k, side in enumerate(sides):
            refs = engine.refs(side.blocks)
            jobs = []
            for p, block in enumerate(side.blocks):
                own, other = pairs[:, k], pairs[:, 1 - k]
                mine = own // size == p
                anchored = (own[mine] - p * size, other[mine].astype(np.uint32))
                lonely = alone[k][alone[k] // size == p] - p * size
                jobs.append((p, (block, refs, size, side.weights if weighted else None, anchored, lonely)))
            held[f"b{k}"], _ = engine.step("reading", "ghosts", complete, jobs)
        self.held = held
        self.at = {
            "phase": "begin",
            "size": size,
            "numbers": [side.numbers for side in sides],
            "fitted": [0.5, 0.5, 1.0, 0.0, 0.7, 1.0],
            "soft": soft,
            "anchors": len(pairs),
            "restarts": 0,
            "expected": None,
            "types": [side.type for side in sides],
        }
        anchored_only = lambda k, p: (held[f"b{k}"][p],)  # noqa: E731
        (held["p0"], held["p1"]), _ = self._both("reading", "anchors", _anchored, anchored_only)

    def _numbered(self, sides: list[Side]) -> Any:
        """Numbers of the anchors: pairs, soft ones with nats, nodes without a partner."""
        rows = self.anchors
        numbers: list[dict[Any, int]] = []
        for k, (side, name) in enumerate(zip(sides, ("source", "target"))):
            ids = _sorted({row[k] for row in rows if row[k] is not None}, name)
            array = ids_like(ids, side.type, name)
            jobs = [(0, (array, self.engine.refs(side.buckets), side.cuts, side.offsets[:-1]))]
            _, heads = self.engine.step("reading", "number", _number, jobs)
            unknown = [i for i, n in zip(ids, heads[0]) if n < 0]
            if unknown:
                raise ValueError(f"anchors: {unknown[0]!r} is no node of the {name}")
            numbers.append(dict(zip(ids, heads[0].tolist())))
        given = [(i, a) for i, a, w in rows if i is not None and a is not None and w >= 1]
        for k, name in enumerate(("source", "target")):
            partner: dict[Any, Any] = {}
            for pair in given:
                node, other = pair[k], pair[1 - k]
                first = partner.setdefault(node, other)
                if first != other:
                    both = f"{first!r} and {other!r}"
                    raise ValueError(
                        f"anchors: {node!r} of the {name} has the partners {both}, expected one"
                    )
        hard = sorted({(numbers[0][i], numbers[1][a]) for i, a in given})
        others = max(sides[1].nodes - len(hard), 2) - 1.0
        soft: list[list[Any]] = [[], [], []]
        for i, a, w in rows:
            if i is not None and a is not None and w < 1:
                soft[0].append(numbers[0][i])
                soft[1].append(numbers[1][a])
                soft[2].append(float(np.log(w / (1 - w) * others)))
        alone = [
            np.array([numbers[k][row[k]] for row in rows if row[1 - k] is None], dtype=np.int64)
            for k in range(2)
        ]
        return np.array(hard, dtype=np.int64).reshape(-1, 2), soft, alone

    def _begin(self) -> None:
        held = self.held
        self.at["fitted"] = self._fit("expansion", ["p0", "p1"])
        common = self.common
        refs = [self._refs("p0"), self._refs("p1")]
        states, heads = self._both(
            "expansion",
            "begin",
            expand.begin,
            lambda k, p: (common, k, held[f"b{k}"][p], held[f"p{k}"][p], refs[k]),
        )
        held["s0"], held["s1"] = states
        del held["p0"], held["p1"]
        self._sum(heads)
        matched = self.at["matched"]
        nodes = min(int(self.at["numbers"][k][0]) for k in range(2))
        self.at.update(phase="expand", course=blocks_course(nodes, matched), rounds=0, nodes=nodes)

    def _sum(self, heads: list[list[Any]], anew: bool = True) -> None:
        """Takes over what the states of all blocks say."""
        at = self.at
        at["matched"] = sum(head["matched"] for head in heads[0])
        if anew or blocks_sums_are_old(at["matched"], at["at_sums"]):
            at["others"] = [
                float(sum(np.concatenate([h["missed"] for h in side]).tolist())) for side in heads
            ]
            at["at_sums"] = at["matched"]

    def _expand(self) -> None:
        at, held, common = self.at, self.held, self.common
        at["rounds"] += 1
        self.engine.say("expansion", at["matched"], at["nodes"])
        across = [self._refs("b0", "s0"), self._refs("b1", "s1")]
        spoken = [(self._refs(name), "own_lists", 0.0) if name in held else None for name in ("l0", "l1")]
        judged, _ = self._both(
            "expansion",
            "judge",
            expand.judge,
            lambda k, p: (
                common,
                k,
                held[f"b{k}"][p],
                held[f"s{k}"][p],
                spoken[k],
                across[1 - k],
                at["others"][1 - k],
            ),
        )
        bounds = blocks_bounds(at["course"])
        refs = [self.engine.refs(held[f"s{k}"], judged[k]) for k in range(2)]
        crossed, heads = self._both(
            "expansion",
            "cross",
            expand.cross,
            lambda k, p: (common, held[f"s{k}"][p], judged[k][p], refs[1 - k], bounds),
        )
        news = {
            bound: [[head["counts"][b] for head in side] for side in heads]
            for b, bound in enumerate(bounds)
        }
        counts = np.sum([head["counts"] for head in heads[0]], axis=0)
        stale = sum(head["stale"] for side in heads for head in side)
        if counts[0]:
            return self._settle(judged, crossed, news, bounds[0], "")
        if stale:
            return self._settle(judged, crossed, news, None, "stale")
        above = [bound for bound, count in zip(bounds, counts) if count]
        if above:
            at["course"] = blocks_settled(at["course"])
            return self._settle(judged, crossed, news, above[0], "")
        at["course"], following = blocks_stuck(at["course"], at["matched"])
        if following == "lower":
            return self._settle(judged, crossed, news, None, "none")
        # What was judged last is part of the state.
        self._settle(judged, crossed, news, None, "none")
        at["fitted"] = self._fit("expansion", ["s0", "s1"])
        if following == "end":
            at["phase"] = "certain"
            return None
        return self._noisy_seeds()

    def _settle(
        self, judged: list[Futures], crossed: list[Futures], news: Any, bound: float | None, which: str
    ) -> None:
        common, held = self.common, self.held
        refs = [self.engine.refs(judged[k], crossed[k]) for k in range(2)]
        states, heads = self._both(
            "expansion",
            "settle",
            expand.settle,
            lambda k, p: (
                common,
                k,
                held[f"b{k}"][p],
                held[f"s{k}"][p],
                judged[k][p],
                crossed[k][p],
                refs[k],
                [] if bound is None else news[bound][k],
                bound,
                which,
            ),
        )
        held["s0"], held["s1"] = states
        self._sum(heads, anew=False)

    def _noisy_seeds(self) -> None:
        at, held, common = self.at, self.held, self.common
        # The sums of the refitted model.
        states, heads = self._both(
            "expansion", "refit", expand.refit, lambda k, p: (common, k, held[f"b{k}"][p], held[f"s{k}"][p])
        )
        held["s0"], held["s1"] = states
        self._sum(heads)
        across = [self._refs("b0", "s0"), self._refs("b1", "s1")]
        (held["l0"], held["l1"]), _ = self._both(
            "expansion",
            "noisy-seeds",
            expand.tentative,
            lambda k, p: (
                common,
                k,
                held[f"b{k}"][p],
                held[f"s{k}"][p],
                across[1 - k],
                at["others"][1 - k],
            ),
        )

    def _certain(self) -> None:
        held = self.held
        found, _ = self._both(
            "beliefs", "certain", believe.certain, lambda k, p: (held[f"b{k}"][p], held[f"s{k}"][p], k)
        )
        held["o0"], held["o1"] = found
        for name in ("s0", "s1", "l0", "l1"):
            held.pop(name, None)
        self.at.update(phase="believe", iteration=0, keep=False, alone=self.constants["alone"])

    def _believe(self) -> None:
        at, held, common, constants = self.at, self.held, self.common, self.constants
        self.engine.say("beliefs", at["iteration"], int(constants["iterations"]))
        refs = [self._refs("o0"), self._refs("o1")]
        keep = at["keep"] and "n0" in held
        around, heads = self._both(
            "beliefs",
            "surroundings",
            believe.surroundings,
            lambda k, p: (common, k, held[f"b{k}"][p], held[f"o{k}"][p], refs[k], keep),
        )
        left, free = (_total(heads[1], name) for name in ("left", "free"))
        rows, near = self._refs("b1"), self.engine.refs(held["b1"], around[1])
        before = held.get("n0")
        lists, _ = self._one(
            0,
            "beliefs",
            # Dask takes eight letters of which the first is one of a to f for a hash, and leaves them out.
            "candidates",
            believe.evidence,
            lambda p: (
                common,
                held["b0"][p],
                None if before is None else before[p],
                around[0][p],
                refs[0],
                rows,
                near,
                (left, free),
                at["alone"],
            ),
        )
        # What was known before is not held beside what is known now.
        held["n0"] = lists
        around, before = [], None
        list_refs = self.engine.refs(lists)
        turned, _ = self._one(1, "beliefs", "turn", believe.turn, lambda p: (held["b1"][p], list_refs))
        row, column = self._balance(lists, turned)
        row_refs = self.engine.refs(row)
        after, heads0 = self._one(
            0, "beliefs", "occupancy", believe.occupancy, lambda p: (lists[p], row[p], held["o0"][p])
        )
        held["o1"], _ = self._one(
            1,
            "beliefs",
            "occupancy-columns",
            believe.column_occupancy,
            lambda p: (common, turned[p], column[p], row_refs),
        )
        held["o0"] = after
        nodes = max(int(at["numbers"][0][0]), 1)
        change = sum(head["changed"] for head in heads0) / nodes
        at["right"] = _total(heads0, "right")
        at["alone"] = blocks_share_alone(common["setting"], _total(heads0, "alone"))
        at["keep"] = True
        if at["iteration"] < constants["fits"]:
            least = float(np.nextafter(np.float32(constants["fitted_above"]), np.float32(1)))
            fitted = self._fit("beliefs", ["o0", "o1"], least)
            if not blocks_is_near(fitted, at["fitted"]):
                at["fitted"], at["keep"] = fitted, False
        iteration = at["iteration"]
        at["iteration"] += 1
        if at["iteration"] >= constants["iterations"] or (iteration > 1 and change < constants["still"]):
            at["phase"] = "restart"

    def _balance(self, lists: Futures, turned: Futures) -> tuple[Futures, Futures]:
        common, constants = self.common, self.constants
        column = self.held["o1"]
        row: Futures = []
        for sweep in range(int(constants["sweeps"])):
            refs = self.engine.refs(column)
            row, _heads = self._one(
                0, "beliefs", "balance", believe.row_duals, lambda p, refs=refs: (common, lists[p], refs)
            )
            refs, before = self.engine.refs(row), column
            column, moved = self._one(
                1,
                "beliefs",
                "balance",
                believe.column_duals,
                lambda p, refs=refs, before=before: (common, turned[p], before[p], refs),
            )
            if max(moved) < constants["balanced"]:
                break
            if sweep == 0:
                found = self._swept(lists, turned, column)
                if found is not None:
                    column = found
                    break
        refs = self.engine.refs(column)
        row, _heads = self._one(
            0, "beliefs", "balance", believe.row_duals, lambda p: (common, lists[p], refs)
        )
        return row, column

    def _swept(self, lists: Futures, turned: Futures, column: Futures) -> Futures | None:
        """The duals of columns after all other sweeps, where one worker can hold what they are about."""
        common, constants, held = self.common, self.constants, self.held
        flagged, _ = self._one(1, "beliefs", "contested", balance.contested, lambda p: (turned[p],))
        refs = self.engine.refs(column, flagged)
        parts, heads = self._one(
            0, "beliefs", "involved", balance.involved, lambda p: (common, lists[p], refs)
        )
        if sum(heads) > LEFT:
            return None
        refs, most = self.engine.refs(parts), int(constants["sweeps"]) - 1
        solved, _ = self.engine.step(
            "beliefs", "sweep", balance.sweep, [(0, (refs, most, constants["balanced"]))]
        )
        refs = self.engine.refs(solved)
        found, _ = self._one(
            1, "beliefs", "duals", balance.take_duals, lambda p: (held["b1"][p], column[p], refs)
        )
        return found

    def _restart(self) -> None:
        at, held, constants = self.at, self.held, self.constants
        held.pop("n0", None)
        nodes = min(int(at["numbers"][k][0]) for k in range(2))
        if at["expected"] is not None:
            growth = at["right"] - at["expected"]
            if growth < 0:
                held["o0"], held["o1"] = held.pop("best0"), held.pop("best1")
                at["fitted"], at["phase"] = at["best_fitted"], "decide"
                return
            if growth < constants["growth"] * nodes:
                at["phase"] = "decide"
                return
        at["expected"] = at["right"]
        partners, heads = self._both(
            "restarts",
            "sure",
            believe.sure,
            lambda k, p: (held[f"b{k}"][p], held[f"o{k}"][p], constants["sure"]),
        )
        settled = sum(heads[0])
        if at["restarts"] >= constants["restarts"] or nodes - settled < constants["in_doubt"] * nodes:
            at["phase"] = "decide"
            return
        at["restarts"] += 1
        held["best0"], held["best1"] = held.pop("o0"), held.pop("o1")
        at["best_fitted"] = at["fitted"]
        held["p0"], held["p1"] = partners
        at["phase"] = "begin"

    def _decide(self) -> None:
        decide(self)
        self.at["phase"] = "done"


def _sorted(ids: set[Any], name: str) -> list[Any]:
    try:
        return sorted(ids)
    except TypeError as error:
        raise ValueError(f"anchors: nodes of the {name} cannot be sorted: {error}") from error


def _anchored(reader: Any, block: dict[str, Any]) -> dict[str, Any]:
    return {"partner": block["anchored"].copy()}


def _number(reader: Any, ids: Any, buckets: Any, cuts: Any, offsets: Any) -> dict[str, Any]:
    return {"head": number(reader, ids, buckets, cuts, offsets)}
