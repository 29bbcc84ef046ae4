"""Pairs on a cluster of Ray, which does the tasks of a lost worker again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ._executors import Outcome, Task, lost, received
from ._parcels import Packer, match_parcel, unpacked

__all__ = ["Ray"]

#: How often Ray repeats a task whose worker is lost.
_RETRIES = 5
#: Tasks in the scheduler's hands, for each core of the cluster and at least.
_AHEAD, _LEAST = 3, 16


class Ray:
    """The module ``ray``; without ``ray.init()`` before, one that Ray starts on this machine."""

    def __init__(self, ray: Any) -> None:
        self.ray = ray

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        ray = self.ray
        if not ray.is_initialized():
            ray.init()
        packer = Packer(ray.cloudpickle.dumps, ray.put)
        work = ray.remote(max_retries=_RETRIES)(match_parcel)
        most = max(_LEAST, _AHEAD * int(ray.cluster_resources().get("CPU", 1)))
        pending: dict[Any, Task] = {}
        task = next(tasks, None)
        try:
            while pending or task is not None:
                while task is not None and len(pending) < most:
                    try:
                        parcel = packer.pack(task)
                    except Exception as error:
                        # What cannot be pickled.
                        yield lost(task, error)
                    else:
                        cores = task.options.get("threads") or 1
                        answer = work.options(num_cpus=cores).remote(parcel.task, **parcel.ahead)
                        pending[answer] = task
                    task = next(tasks, None)
                if pending:
                    (answer,), _ = ray.wait(list(pending), num_returns=1)
                    done = pending.pop(answer)
                    try:
                        outcome = unpacked(ray.get(answer))
                    except Exception as error:
                        outcome = lost(done, error)
                    yield received(outcome, done)
        finally:
            for answer in pending:
                ray.cancel(answer)
