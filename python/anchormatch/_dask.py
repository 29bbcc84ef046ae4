"""Pairs on a cluster of ``dask.distributed``.

The scheduler hands the tasks of a lost worker to another, and gives a task up (``KilledWorker``) only
after several workers have died over it (``distributed.scheduler.allowed-failures``). As a pair that kills
its worker takes innocent ones along, a task that was given up is handed in again before it counts as
failed. So is one whose inputs were lost: small ones travel inside the task, which the scheduler keeps,
large ones are scattered, and what several pairs share is replicated to all workers.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._executors import Outcome, Task, lost, received
from ._parcels import Packer, Parcel, match_parcel, unpacked

__all__ = ["Dask"]

#: How often a task is handed in before it counts as failed.
_ATTEMPTS = 3
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
        from distributed import as_completed

        packer = Packer(dumps, lambda graph: self.client.scatter(graph, broadcast=True, hash=False))
        pending: dict[Any, tuple[Task, int]] = {}
        arriving = as_completed(loop=self.client.loop)
        most = 0

        def submit(task: Task, attempt: int) -> None:
            future = self._submit(packer.pack(task, whole=attempt > 1))
            pending[future] = (task, attempt)
            arriving.add(future)

        task = next(tasks, None)
        try:
            while pending or task is not None:
                if 2 * len(pending) <= most:
                    # Workers come and go.
                    most = max(_LEAST, _AHEAD * sum(self.client.nthreads().values()))
                while task is not None and len(pending) < most:
                    try:
                        submit(task, 1)
                    except Exception as error:
                        # What cannot be pickled.
                        yield lost(task, error)
                    task = next(tasks, None)
                if pending:
                    future = next(arriving)
                    done, attempt = pending.pop(future)
                    try:
                        outcome = unpacked(future.result())
                    except Exception as error:
                        if attempt < _ATTEMPTS:
                            submit(done, attempt + 1)
                            continue
                        outcome = lost(done, error)
                    yield received(outcome, done)
        finally:
            for future in pending:
                future.cancel()

    def _submit(self, parcel: Parcel) -> Any:
        task: Any = parcel.task
        if len(parcel.task) >= _LARGE:
            task = self.client.scatter(task, hash=False)
        return self.client.submit(match_parcel, task, **parcel.ahead, pure=False)
