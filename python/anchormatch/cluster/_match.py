"""``anchormatch.cluster.match``."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from .._pairs import _rows, _weight
from .._progress import ProgressOption, reporter
from ._checks import check_client, check_memory, check_packages, check_workers, fingerprint
from ._output import check_output, write

if TYPE_CHECKING:
    import dask.dataframe

__all__ = ["match"]

logger = logging.getLogger("anchormatch.cluster")


def match(
    source: Any,
    target: Any,
    anchors: Any,
    *,
    client: Any,
    checkpoint: str | None = None,
    output: str | None = None,
    preset: str = "best",
    allow_unmatched: bool = False,
    blocks: int | None = None,
    progress: ProgressOption = False,
    log: list[dict[str, Any]] | None = None,
) -> dask.dataframe.DataFrame:
    """Matches the nodes of two graphs on a cluster of ``dask.distributed``.

    ``source`` and ``target`` are edges with the columns ``source``, ``target`` and perhaps ``weight``:
    the address
    of a Parquet file or of a folder of such files, a dask DataFrame or a pandas DataFrame. Edges have no
    direction. ``anchors`` are as for :func:`anchormatch.match`. Ids are integers or of one other type
    that sorts: strings, bytes, numbers, times, UUIDs, or tuples of such.

    The result is a dask DataFrame ``source, target, confidence`` in the ids of the input. A list given
    as ``log``
    receives the seconds, the steps and the bytes moved of each stage, which the logger
    ``anchormatch.cluster`` says
    as well. ``output`` is a folder that is written as Parquet, whole or not at
    all. ``checkpoint`` is the address of a folder that all workers can reach: the same call goes on
    from there
    after the client, the scheduler or a machine died. ``blocks`` is into how many parts each graph is
    cut, by
    default two for each worker; it changes no byte of the result.
    """
    check_packages()
    check_client(client)
    if preset not in ("best", "fast"):
        raise ValueError(f"preset: found {preset!r}, expected 'best' or 'fast'")
    if blocks is not None and (not isinstance(blocks, int) or blocks < 1):
        raise ValueError(f"blocks: found {blocks!r}, expected a number, 1 or more")
    from ._checkpoint import LAYOUT, Checkpoint
    from ._engine import Engine
    from ._read import partitions
    from ._run import Run

    known = [
        (left, right, 1.0 if weight is None else _weight(weight, left, right))
        for left, right, weight in _rows(anchors, "anchors")
    ]
    for left, right, weight in known:
        if left is None and right is None:
            raise ValueError("anchors: found a pair of no nodes, expected one node at least")
        if not 0.0 < weight <= 1.0:
            raise ValueError(
                f"anchors: pair ({left!r}, {right!r}) has the weight {weight!r}, expected a number "
                "above 0 and at most 1"
            )
    sources = (partitions(source, "source"), partitions(target, "target"))
    check_output(output)
    check_workers(client)
    with reporter(progress) as report:
        engine = Engine(client, report)
        options: dict[str, Any] = {
            "preset": preset,
            "allow_unmatched": allow_unmatched,
            "blocks": blocks or 2 * len(engine.workers),
        }
        facts = {
            "layout": LAYOUT,
            "source": fingerprint(source, sources[0]),
            "target": fingerprint(target, sources[1]),
            "anchors": fingerprint(known, None),
            "preset": preset,
            "allow_unmatched": allow_unmatched,
        }
        store = Checkpoint(engine, checkpoint, facts)
        try:
            run = Run(engine, store, options)
            frames = run.to_the_end(
                sources,
                known,
                lambda there, nodes, arcs: check_memory(there, nodes, arcs, options["blocks"]),
            )
        finally:
            store.close()
        for stage in engine.log():
            logger.info(
                "%s: %.2f s, %d bytes moved, %d steps",
                stage["stage"],
                stage["seconds"],
                stage["bytes_moved"],
                stage["steps"],
            )
        if log is not None:
            log.extend(engine.log())
        pairs: dask.dataframe.DataFrame = write(client, frames, output, run.at["types"])
        return pairs
