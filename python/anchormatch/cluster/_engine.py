"""Steps over all blocks: one task a block, pinned to its worker, and the few numbers that come back."""

from __future__ import annotations

import itertools
import logging
import time
import uuid
from collections.abc import Callable, Sequence
from typing import Any

from ._exchange import Lost, Reader, Ref, aligned, plugin, workers_of

__all__ = ["Engine", "Futures", "Stage"]

logger = logging.getLogger("anchormatch.cluster")

Futures = list[Any]
#: Seconds between two looks at whether all workers are there, at first and at most.
_TICK, _LONGEST = 2.0, 8.0
#: Seconds that a worker may be paused for want of memory.
_PAUSED = 90.0


def _run(work: Callable[..., Any], *arguments: Any) -> dict[str, Any]:
    """One task: its result has the bytes that moved under ``moved_bytes``, and what goes to the client
    under ``head``.
    """
    reader = Reader()
    result: dict[str, Any] = work(reader, *map(aligned, arguments))
    result["moved_bytes"] = reader.moved
    return result


def _head(result: dict[str, Any]) -> tuple[Any, int]:
    return result.get("head"), result["moved_bytes"]


class Stage:
    """What was done, how long it took and how many bytes moved between workers."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.seconds = 0.0
        self.moved = 0
        self.steps = 0

    def row(self) -> dict[str, Any]:
        return {
            "stage": self.name,
            "seconds": round(self.seconds, 3),
            "bytes_moved": self.moved,
            "steps": self.steps,
        }


class Engine:
    """A client of Dask, the workers that hold the blocks, and the log."""

    def __init__(self, client: Any, report: Callable[..., Any] | None) -> None:
        self.client = client
        self.report = report
        self.stages: dict[str, Stage] = {}
        self.workers: list[str] = []
        #: As many workers as there should be: those that are lost come back, until they were waited for.
        self.expected = 0
        self._run = uuid.uuid4().hex[:8]
        self._count = itertools.count()
        self._paused: dict[str, float] = {}
        client.register_plugin(plugin())
        self.look_around()

    def look_around(self) -> None:
        """Takes note of the workers that are there."""
        found = workers_of(self.client)
        self._take(found)
        self.expected = len(self.workers)

    def _take(self, found: dict[str, Any]) -> None:
        while not found:
            self.client.wait_for_workers(1)
            found = workers_of(self.client)
        self.workers = sorted(found)

    def wait_for_return(self, seconds: float) -> None:
        """Waits until as many workers are there as before, or so long, and takes those there are."""
        end = time.monotonic() + seconds
        while len(found := workers_of(self.client)) < self.expected and time.monotonic() < end:
            time.sleep(0.2)
        # One look: between two of them another worker may be lost, which would not be waited for.
        self._take(found)
        self.expected = len(self.workers)

    def worker(self, block: int) -> str:
        return self.workers[block % len(self.workers)]

    def refs(self, *futures: Futures) -> list[Ref]:
        """Where the blocks lie, with the fields of several results taken together."""
        keys = zip(*([future.key for future in one] for one in futures))
        return [(self.worker(block), tuple(key)) for block, key in enumerate(keys)]

    def step(
        self, stage: str, name: str, work: Callable[..., Any], jobs: Sequence[tuple[int, tuple[Any, ...]]]
    ) -> tuple[Futures, list[Any]]:
        """Runs ``work(reader, *arguments)`` for each (block, arguments); the results and their heads."""
        begin = time.monotonic()
        number = next(self._count)
        futures: Futures = []
        heads: Futures = []
        for block, arguments in jobs:
            worker = self.worker(block)
            key = f"{stage}-{name}-{self._run}-{number}-{len(futures)}"
            pinned = {"workers": [worker], "allow_other_workers": False, "pure": False}
            future = self.client.submit(_run, work, *arguments, key=key, **pinned)
            futures.append(future)
            heads.append(self.client.submit(_head, future, key=f"head-{key}", **pinned))
        found = self.gather(heads)
        self._paused = {}
        seconds, moved = time.monotonic() - begin, sum(moved for _, moved in found)
        logger.debug("%s-%s: %.2f s, %d bytes moved", stage, name, seconds, moved)
        entry = self.stages.setdefault(stage, Stage(stage))
        entry.seconds += seconds
        entry.moved += moved
        entry.steps += 1
        return futures, [head for head, _ in found]

    def gather(self, futures: Futures) -> list[Any]:
        """The results, as long as all workers are there: what is pinned to one that is gone never comes."""
        from distributed import CancelledError, KilledWorker

        patience = _TICK
        while True:
            try:
                gathered: list[Any] = self.client.sync(
                    self.client._gather, futures, callback_timeout=patience
                )
                return gathered
            except (CancelledError, KilledWorker) as error:
                raise Lost(str(error)) from error
            except TimeoutError:
                self._look()
                patience = min(2 * patience, _LONGEST)
            except (OSError, UnboundLocalError) as error:
                # A cancellation that comes while Dask waits ends there with a variable that was never set.
                raise Lost(f"what was asked for was cancelled: {error}") from error

    def _look(self) -> None:
        """Whether a worker is gone, or takes no task since its memory is full."""
        found = workers_of(self.client)
        gone = [worker for worker in self.workers if worker not in found]
        if gone:
            raise Lost(f"the worker {gone[0]} is gone")
        now = time.monotonic()
        paused = [worker for worker in self.workers if found[worker].get("status") == "paused"]
        since = {worker: self._paused.get(worker, now) for worker in paused}
        for worker in paused:
            limit = found[worker].get("memory_limit") or 0
            used = found[worker].get("metrics", {}).get("memory", 0)
            room = f"{used / 2**20:.0f} of {limit / 2**20:.0f} MiB are in use"
            words = f"the worker {worker} is paused: {room}"
            if now - since[worker] > _PAUSED:
                raise MemoryError(
                    f"client: {words}, for {_PAUSED:.0f} s: more workers, or more memory for each"
                )
            if worker not in self._paused:
                logger.warning("%s", words)
        self._paused = since

    def place(self, value: Any, block: int) -> Any:
        """A value on the worker of a block."""
        try:
            return self.client.scatter([value], workers=[self.worker(block)], hash=False, timeout=30)[0]
        except (OSError, TimeoutError, ValueError, KeyError) as error:
            raise Lost(f"the worker {self.worker(block)} takes nothing: {error}") from error

    def say(self, stage: str, done: int, total: int | None, value: float | None = None) -> None:
        if self.report is not None:
            self.report(stage, done, total, value)

    def log(self) -> list[dict[str, Any]]:
        return [stage.row() for stage in self.stages.values()]
