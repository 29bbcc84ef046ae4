"""Pairs on a cluster of ``dask.distributed``.

The scheduler hands the tasks of a lost worker to another, and gives a task up (``KilledWorker``) only
after several workers have died over it (``distributed.scheduler.allowed-failures``). A pair that kills its
worker takes along the innocent ones that wait there, and the scheduler blames them all the same. A task
that was given up is therefore only suspected: when all others are done it is handed in again, with nothing
beside it, and counts as failed when four workers have died over it then.

Small inputs travel inside their task, which the scheduler keeps; large ones are scattered, and what several
pairs share is replicated to all workers. A task whose scattered inputs were lost is handed in again whole.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ._executors import Outcome, Task, lost, received
from ._numbers import passed
from ._parcels import Packer, Parcel, match_parcel, unpacked

__all__ = ["Dask"]

#: Workers that have to die over a task, or lose its inputs, before it counts as failed.
_DEATHS = 4
#: Tasks in the scheduler's hands, for each thread of the cluster and at least.
_AHEAD, _LEAST = 3, 16
#: From this size on, in bytes, a task goes around the scheduler.
_LARGE = 1 << 22


@dataclass
class _Sent:
    """A task in the scheduler's hands."""

    task: Task
    #: Whether nothing else is, so that it alone can be guilty of a death.
    alone: bool = False
    #: Workers that died over it.
    deaths: int = 0

    @property
    def again(self) -> bool:
        return self.alone or self.deaths > 0


class Dask:
    """A client of ``dask.distributed``."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        from cloudpickle import dumps

        packer = Packer(dumps, self._share)
        pending: dict[Any, _Sent] = {}
        suspects: list[Task] = []
        arriving = passed("distributed").as_completed(loop=self.client.loop)
        most = 0

        def submit(sent: _Sent) -> None:
            future = self._submit(packer.pack(sent.task, whole=sent.again))
            pending[future] = sent
            arriving.add(future)

        task = next(tasks, None)
        try:
            while pending or suspects or task is not None:
                if 2 * len(pending) <= most:
                    # Workers come and go.
                    most = max(_LEAST, _AHEAD * sum(self.client.nthreads().values()))
                while task is not None and len(pending) < most:
                    try:
                        submit(_Sent(task))
                    except Exception as error:
                        # What cannot be pickled.
                        yield lost(task, error)
                    task = next(tasks, None)
                if suspects and not pending:
                    submit(_Sent(suspects.pop(), alone=True))
                if pending:
                    future = next(arriving)
                    sent = pending.pop(future)
                    try:
                        outcome = unpacked(future.result())
                    except Exception as error:
                        deaths = _deaths(error)
                        if deaths and not sent.alone and _given_up(error):
                            suspects.append(sent.task)
                            continue
                        sent.deaths += deaths
                        if deaths and sent.deaths < _DEATHS:
                            submit(sent)
                            continue
                        outcome = lost(sent.task, error)
                    yield received(outcome, sent.task)
        finally:
            for future in pending:
                future.cancel()

    def _submit(self, parcel: Parcel) -> Any:
        task: Any = parcel.task
        if len(parcel.task) >= _LARGE:
            try:
                task = self.client.scatter(task, hash=False)
            except Exception:
                # No worker is there to take it: it waits with the scheduler.
                pass
        return self.client.submit(match_parcel, task, **parcel.ahead, pure=False)

    def _share(self, graph: Any) -> Any:
        """Replicated to all workers; again when one of them died on the way."""
        for _ in range(_DEATHS):
            try:
                return self.client.scatter(graph, broadcast=True, hash=False)
            except OSError:
                # What a closed connection is; the scheduler may not have heard of it yet.
                time.sleep(0.2)
        return self.client.scatter(graph, broadcast=True, hash=False)


def _given_up(error: Exception) -> bool:
    """Whether the scheduler holds the task guilty of the death of its workers."""
    return isinstance(error, passed("distributed").KilledWorker)


def _deaths(error: Exception) -> int:
    """The workers that were lost when this error came of it; none when it would happen again."""
    if _given_up(error):
        return 1 + int(getattr(error, "allowed_failures", _DEATHS))
    # Nobody here cancels a future that is waited for: its inputs are gone.
    return 1 if isinstance(error, passed("distributed").CancelledError) else 0
