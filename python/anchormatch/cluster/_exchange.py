"""What workers tell each other: rows and values of blocks, straight from one worker to another.

A block is the result of a task and lies with Dask, which spills it and frees it. What a task needs of
other blocks
it asks their workers for, by Dask's own connections: requests are grouped by owner, and only what was
asked for
moves. Every result is written once and never changed, so that a task that is run again reads the same.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from ._views import VIEWS

__all__ = ["Lost", "Reader", "Ref", "aligned", "plugin", "workers_of"]

#: The address of a worker and the keys of results there, whose fields are taken together.
Ref = tuple[str, tuple[str, ...]]

_HANDLER = "anchormatch_read"
#: Seconds that an answer may take before its worker counts as lost.
_PATIENCE = 300
#: Times that the scheduler is asked, a second apart, before it counts as gone.
_TRIES = 10


class Lost(RuntimeError):
    """A worker or a result is gone; what was under way is done again."""


async def _serve(worker: Any, keys: tuple[str, ...], view: str, arguments: Any) -> Any:
    held: dict[str, Any] = {}
    for key in keys:
        try:
            held.update(aligned(worker.data[key]))
        except KeyError:
            return {"lost": key}
    loop = asyncio.get_running_loop()
    return {"found": await loop.run_in_executor(None, lambda: VIEWS[view](held, *arguments))}


def workers_of(client: Any) -> dict[str, Any]:
    """The workers that the scheduler knows, by their addresses.

    ``client.scheduler_info`` hands out what the client refreshes every two seconds, without workers, so
    that all of them seem to be gone now and then.
    """
    for _ in range(_TRIES):
        try:
            found: dict[str, Any] = client.sync(client.scheduler.identity, n_workers=-1)["workers"]
            return found
        except (OSError, UnboundLocalError) as error:
            silence = error
            time.sleep(1.0)
    raise ConnectionError(f"client: the scheduler does not answer: {silence}")


def plugin() -> Any:
    """What every worker gets: an ear for the questions of other workers."""
    from distributed.diagnostics.plugin import WorkerPlugin
    from distributed.protocol.serialize import to_serialize

    wrap: Any = to_serialize

    class Exchange(WorkerPlugin):
        name = "anchormatch"

        def setup(self, worker: Any) -> None:
            async def handler(keys: tuple[str, ...], view: str, arguments: Any) -> Any:
                return wrap(await _serve(worker, keys, view, _plain(arguments)))

            worker.handlers[_HANDLER] = handler

    return Exchange()


class Reader:
    """Reads what other blocks have, and counts the bytes that moved."""

    def __init__(self) -> None:
        from distributed import get_worker

        self._worker = get_worker()
        self.moved = 0

    def read(self, questions: list[tuple[Ref, str, tuple[Any, ...]]]) -> list[Any]:
        """The answers to (block, view, arguments), in their order."""
        from distributed.utils import sync

        answers: list[Any] = sync(self._worker.loop, self._all, questions)
        return answers

    async def _all(self, questions: list[tuple[Ref, str, tuple[Any, ...]]]) -> list[Any]:
        return list(await asyncio.gather(*(self._one(*question) for question in questions)))

    async def _one(self, ref: Ref, view: str, arguments: tuple[Any, ...]) -> Any:
        from distributed.protocol.serialize import to_serialize

        address, keys = ref
        if address == self._worker.address:
            answer = await _serve(self._worker, keys, view, arguments)
        else:
            try:
                ask: Callable[..., Any] = getattr(self._worker.rpc(address), _HANDLER)
                wrap: Any = to_serialize
                sent = wrap(arguments)
                answer = await asyncio.wait_for(ask(keys=keys, view=view, arguments=sent), _PATIENCE)
            except (OSError, asyncio.TimeoutError) as error:
                raise Lost(f"the worker {address} does not answer: {error}") from error
            answer = _plain(answer)
            self.moved += size_of(arguments) + size_of(answer)
        if "lost" in answer:
            raise Lost(f"{answer['lost']} is not on {address}")
        return answer["found"]


def _plain(value: Any) -> Any:
    """What was wrapped for the way; within one process nobody unwraps it."""
    from distributed.protocol.serialize import Serialize

    return aligned(value.data if isinstance(value, Serialize) else value)


def aligned(value: Any) -> Any:
    """The same with arrays as kernels take them: what came in a message or from a disk may lie anywhere."""
    if isinstance(value, dict):
        return {key: aligned(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(map(aligned, value))
    return np.require(value, requirements=["C", "A"]) if isinstance(value, np.ndarray) else value


def size_of(value: Any) -> int:
    """The bytes of all arrays in something."""
    if isinstance(value, dict):
        return sum(map(size_of, value.values()))
    if isinstance(value, (list, tuple)):
        return sum(map(size_of, value))
    return int(getattr(value, "nbytes", 0))
