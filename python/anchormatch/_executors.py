"""Where pairs are matched: threads of this process, executors of ``concurrent.futures``, Dask, Ray.

Every backend has one method, ``run``, a generator that takes tasks as it can use them and yields their
outcomes as they come. Closing it ends what is under way. Dask and Ray are never imported here: a client
can only be there when its library is loaded.
"""

from __future__ import annotations

import os
import pickle
import threading
import traceback
from collections.abc import Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any, Protocol

from ._graph import Graph
from ._match import match
from ._matching import Matching
from ._numbers import passed
from ._resources import quick

__all__ = ["Outcome", "Task", "backend"]

#: The index of a pair, its matching or what it raised, and where it was raised.
Outcome = tuple[int, Matching | Exception, str]

#: Seconds after which a waiting thread looks for Ctrl-C, where a lock does not.
_TICK = 0.5


@dataclass(frozen=True)
class Task:
    """One pair to be matched."""

    index: int
    source: Any
    target: Any
    anchors: Any
    options: dict[str, Any] = field(default_factory=dict)
    #: Why it cannot be matched, when that is clear before.
    error: Exception | None = None


class Backend(Protocol):
    """Somewhere to work."""

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]: ...


def backend(executor: Any, total: int | None) -> Backend:
    """The backend for what a user gave as ``executor``; ``total`` is the number of pairs, if known."""
    distributed = passed("distributed")
    if executor is None:
        return _Threads(_cores(), total)
    if isinstance(executor, int) and not isinstance(executor, bool):
        if not 1 <= executor <= 1024:
            raise ValueError(f"executor: found {executor}, expected 1 to 1024 threads")
        return _Threads(executor, total)
    if isinstance(executor, Executor):
        return _Futures(executor)
    if distributed is not None and isinstance(executor, distributed.Client):
        if executor.asynchronous:
            raise TypeError("executor: found an asynchronous client of Dask, expected one that waits")
        from ._dask import Dask

        return Dask(executor)
    if isinstance(executor, ModuleType) and executor.__name__ == "ray":
        from ._ray import Ray

        return Ray(executor)
    raise TypeError(
        f"executor: found an object of type {type(executor).__name__}, expected None, a number of threads, "
        "an executor of concurrent.futures, a client of dask.distributed, or the module ray"
    )


def match_task(task: Task, progress: Any = False) -> Outcome:
    """Matches one pair, and returns what goes wrong."""
    try:
        if task.error is not None:
            raise task.error
        options = dict(task.options)
        options.setdefault("threads", 1)
        found = match(task.source, task.target, task.anchors, progress=progress, **options)
        return task.index, found, ""
    except Exception as error:
        return task.index, error, traceback.format_exc()


def match_remote(task: Task) -> Outcome:
    """The same in another process, for an outcome that can be sent and holds no graph twice."""
    index, result, where = match_task(task)
    if isinstance(result, Exception):
        return index, _sendable(result), where
    if isinstance(task.source, Graph):
        result._source = None  # type: ignore[assignment]
    if isinstance(task.target, Graph):
        result._target = None  # type: ignore[assignment]
    return index, result, where


def received(outcome: Outcome, task: Task) -> Outcome:
    """What :func:`match_remote` sent, with the graphs that are here already."""
    result = outcome[1]
    if isinstance(result, Matching):
        if isinstance(task.source, Graph):
            result._source = task.source
        if isinstance(task.target, Graph):
            result._target = task.target
    return outcome


def lost(task: Task, error: BaseException) -> Outcome:
    """The outcome of a task whose worker gave none."""
    told = error if isinstance(error, Exception) else RuntimeError(repr(error))
    return task.index, told, "".join(traceback.format_exception(type(error), error, error.__traceback__))


def _sendable(error: Exception) -> Exception:
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    # A traceback would keep the graphs of the worker alive.
    return error.with_traceback(None)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:
        return os.cpu_count() or 1


class _Stopped(Exception):
    """Ends a match that nobody waits for any more."""


class _Threads:
    """Threads of this process; a match does not hold the interpreter's lock."""

    def __init__(self, workers: int, total: int | None) -> None:
        self.workers = workers if total is None else max(1, min(workers, total))
        self.threads = max(1, workers // self.workers)

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        stop = threading.Event()
        free = quick().max_memory
        share = None if free is None else free // self.workers
        crowded: list[Task] = []

        def watch(*_: object) -> None:
            if stop.is_set():
                raise _Stopped

        def work(task: Task) -> Outcome:
            options = {"threads": self.threads, "max_memory": share, **task.options}
            return match_task(replace(task, options=options), watch)

        pool = ThreadPoolExecutor(self.workers, thread_name_prefix="anchormatch")
        try:
            for task, outcome in _in_flight(pool, work, tasks, self.workers + 1):
                alone = self.workers > 1 and task.options.get("max_memory") is None
                if isinstance(outcome[1], MemoryError) and alone:
                    crowded.append(task)
                else:
                    yield outcome
            # With the others done, all the memory is theirs.
            for task in crowded:
                yield match_task(task)
        finally:
            stop.set()
            pool.shutdown(wait=False, cancel_futures=True)


class _Futures:
    """An executor of ``concurrent.futures``, or of another library that made its own."""

    def __init__(self, executor: Executor) -> None:
        self.executor = executor

    def run(self, tasks: Iterator[Task]) -> Iterator[Outcome]:
        workers = getattr(self.executor, "_max_workers", None) or _cores()
        for task, outcome in _in_flight(self.executor, match_remote, tasks, 2 * workers):
            yield received(outcome, task)


def _in_flight(
    pool: Executor, work: Any, tasks: Iterator[Task], most: int
) -> Iterator[tuple[Task, Outcome]]:
    """Tasks and their outcomes as they come, with at most so many handed out at a time.

    ``concurrent.futures.wait`` takes the locks of all futures one after the other; Ctrl-C in the middle
    would leave some of them taken, and the threads of these futures would never end. A queue has no such
    moment.
    """
    pending: dict[Future[Outcome], Task] = {}
    ended: SimpleQueue[Future[Outcome]] = SimpleQueue()
    task = next(tasks, None)
    try:
        while pending or task is not None:
            while task is not None and len(pending) < most:
                try:
                    future = pool.submit(work, task)
                except RuntimeError as error:
                    # A pool whose process was killed takes nothing more.
                    yield task, lost(task, error)
                else:
                    pending[future] = task
                    future.add_done_callback(ended.put)
                task = next(tasks, None)
            try:
                future = ended.get(timeout=_TICK if pending else 0)
            except Empty:
                continue
            finished = pending.pop(future)
            broken = future.exception()
            yield finished, future.result() if broken is None else lost(finished, broken)
    finally:
        for future in pending:
            future.cancel()
