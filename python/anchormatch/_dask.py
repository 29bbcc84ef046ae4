"""Pairs on a cluster of ``dask.distributed``.

The scheduler hands the tasks of a lost worker to another, and gives a task up (``KilledWorker``) only
after several workers have died over it (``distributed.scheduler.allowed-failures``). Where a cluster allows
fewer, the task is handed in again: as a pair that kills its worker takes innocent ones along, none counts
as failed before four workers died over it. Small inputs travel inside their task, which the scheduler
keeps; large ones are scattered, and what several pairs share is replicated to all workers. A task whose
scattered inputs were lost is handed in again as well.
"""

from __future__ import annotations

from collections.abc import Iterator
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


class Dask:
    """A client of ``dask.distributed``."""

    def __init__(self, client: Any) -> None:
        self.client = client

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        from cloudpickle import dumps

        packer = Packer(dumps, lambda graph: self.client.scatter(graph, broadcast=True, hash=False))
        pending: dict[Any, tuple[Task, int]] = {}
        arriving = passed("distributed").as_completed(loop=self.client.loop)
        most = 0

        def submit(task: Task, deaths: int) -> None:
            future = self._submit(packer.pack(task, whole=deaths > 0))
            pending[future] = (task, deaths)
            arriving.add(future)

        task = next(tasks, None)
        try:
            while pending or task is not None:
                if 2 * len(pending) <= most:
                    # Workers come and go.
                    most = max(_LEAST, _AHEAD * sum(self.client.nthreads().values()))
                while task is not None and len(pending) < most:
                    try:
                        submit(task, 0)
                    except Exception as error:
                        # What cannot be pickled.
                        yield lost(task, error)
                    task = next(tasks, None)
                if pending:
                    future = next(arriving)
                    done, deaths = pending.pop(future)
                    try:
                        outcome = unpacked(future.result())
                    except Exception as error:
                        deaths += _deaths(error)
                        if deaths < _DEATHS:
                            submit(done, deaths)
                            continue
                        outcome = lost(done, error)
                    yield received(outcome, done)
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


def _deaths(error: Exception) -> int:
    """The workers that were lost when this error came of it."""
    distributed = passed("distributed")
    if isinstance(error, distributed.KilledWorker):
        return 1 + int(getattr(error, "allowed_failures", _DEATHS))
    # Nobody here cancels a future that is waited for: its inputs are gone. All else would happen again.
    return 1 if isinstance(error, distributed.CancelledError) else _DEATHS
