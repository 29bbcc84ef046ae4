"""Matching many pairs of graphs, on all cores or on many machines.

A pair is matched as :func:`match` alone would match it, with the same seed and on one thread, so that
results do not depend on how many workers there are, nor on which of them did the work. A pair that fails
does not stop the others.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, overload

import numpy as np

from ._executors import Outcome, Task, backend
from ._match import match
from ._matching import Matching
from ._presets import drawn
from ._progress import ProgressOption, reporter
from ._resources import seed_of

__all__ = ["Failure", "Matchings", "PairError", "match_iter", "match_many"]

_FIELDS = ("source", "target", "anchors")
#: What may be said of one pair: everything that `match` takes but the bar, which counts pairs here.
_OPTIONS = frozenset(inspect.signature(match).parameters) - {*_FIELDS, "progress"}


@dataclass(frozen=True)
class Failure:
    """A pair that could not be matched."""

    #: Its place among the pairs, from 0.
    index: int
    #: What was raised.
    exception: Exception
    #: Where it was raised, in words.
    traceback: str = field(default="", repr=False)

    def __str__(self) -> str:
        return f"pair {self.index}: {type(self.exception).__name__}: {self.exception}"


class PairError(RuntimeError):
    """Raised with ``on_error="raise"``; what went wrong is its ``__cause__``."""

    def __init__(self, index: int, message: str) -> None:
        super().__init__(index, message)
        #: The place of the pair, from 0.
        self.index = index

    def __str__(self) -> str:
        return str(self.args[1])


class Matchings(Sequence[Matching | Failure]):
    """The matchings of many pairs, in their order; a :class:`Failure` stands where a pair failed.

    Examples
    --------
    >>> import anchormatch as am
    >>> path = [("a", "b", 1), ("b", "c", 2)]
    >>> results = am.match_many([(path, path), (path, path, {"a": "z"})])
    >>> results
    Matchings(2 pairs, 1 failed)
    >>> results[0].mapping
    {'a': 'a', 'b': 'b', 'c': 'c'}
    >>> print(results.failures[0])
    pair 1: ValueError: anchors: found 'z', expected the id of a node of the target graph, such as 'a'
    """

    def __init__(self, results: Iterable[Matching | Failure]) -> None:
        self._results = list(results)

    @property
    def ok(self) -> list[Matching]:
        """The matchings of the pairs that did not fail."""
        return [result for result in self._results if isinstance(result, Matching)]

    @property
    def failures(self) -> list[Failure]:
        """The pairs that failed."""
        return [result for result in self._results if isinstance(result, Failure)]

    def to_frame(self) -> Any:
        """All matchings in one pandas table, that of :meth:`Matching.to_frame` with a column ``pair``."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install pandas") from None
        frames = []
        for index, result in enumerate(self._results):
            if isinstance(result, Matching):
                frame = result.to_frame()
                frame.insert(0, "pair", index)
                frames.append(frame)
        if not frames:
            return pandas.DataFrame(columns=["pair", "source", "target", "confidence", "anchor"])
        return pandas.concat(frames, ignore_index=True)

    @overload
    def __getitem__(self, index: int) -> Matching | Failure: ...

    @overload
    def __getitem__(self, index: slice) -> list[Matching | Failure]: ...

    def __getitem__(self, index: int | slice) -> Matching | Failure | list[Matching | Failure]:
        return self._results[index]

    def __len__(self) -> int:
        return len(self._results)

    def __repr__(self) -> str:
        pairs = "1 pair" if len(self) == 1 else f"{len(self)} pairs"
        return f"Matchings({pairs}, {len(self.failures)} failed)"


def match_many(
    pairs: Iterable[Any],
    *,
    executor: Any = None,
    on_error: str = "collect",
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Any,
) -> Matchings:
    """Match many pairs of graphs, on all cores or on many machines.

    Parameters
    ----------
    pairs
        Tuples ``(source, target)`` or ``(source, target, anchors)``, or dictionaries with these keys and
        options of :func:`match` for this pair alone. They may come from a generator, which is asked for
        no more pairs than are being worked on.
    executor
        Where to work: ``None`` for a thread on each core, a number of threads, an executor of
        ``concurrent.futures``, a client of ``dask.distributed``, or the module ``ray``. Dask and Ray do
        the work of a lost worker again.
    on_error : {"collect", "raise"}
        Keep a :class:`Failure` in the place of a pair that fails, or stop and raise a
        :class:`PairError`.
    threads
        Threads for each pair; by default one, or more where there are fewer pairs than cores.
    progress
        ``True`` for a bar that counts pairs, or what else :func:`match` takes.
    **options
        Everything else that :func:`match` takes, for all pairs. ``time_limit`` and ``max_memory`` hold for
        each pair by itself; by default the workers of this process share what memory is free.

    Returns
    -------
    Matchings
        In the order of ``pairs``.

    Examples
    --------
    >>> import anchormatch as am
    >>> made = [am.generate.synthetic(10, noise=0.02, seed=seed) for seed in range(4)]
    >>> results = am.match_many([(m.source, m.target, m.anchors(2)) for m in made], preset="fast")
    >>> [result.accuracy(m.truth) for result, m in zip(results, made)]
    [1.0, 1.0, 1.0, 1.0]
    """
    found = dict(
        match_iter(
            pairs, executor=executor, on_error=on_error, threads=threads, progress=progress, **options
        )
    )
    return Matchings(found[index] for index in range(len(found)))


def match_iter(
    pairs: Iterable[Any],
    *,
    executor: Any = None,
    on_error: str = "collect",
    threads: int | None = None,
    progress: ProgressOption = False,
    **options: Any,
) -> Iterator[tuple[int, Matching | Failure]]:
    """Match many pairs and hand each over as soon as it is there.

    Takes what :func:`match_many` takes, and yields ``(index, result)`` in the order in which pairs are
    done. Nothing is kept, so that there may be more pairs than fit into memory.

    Examples
    --------
    >>> import anchormatch as am
    >>> ring = [(0, 1, 1.0), (1, 2, 2.0), (2, 0, 3.0)]
    >>> sorted((index, len(m)) for index, m in am.match_iter((ring, ring) for _ in range(3)))
    [(0, 3), (1, 3), (2, 3)]
    """
    if on_error not in ("collect", "raise"):
        raise ValueError(f"on_error: found {on_error!r}, expected 'collect' or 'raise'")
    _refuse_unknown(options)
    if isinstance(pairs, (str, bytes, Mapping)) or not isinstance(pairs, Iterable):
        raise TypeError(
            f"pairs: found an object of type {type(pairs).__name__}, expected an iterable of {_PAIR}"
        )
    total = len(pairs) if isinstance(pairs, Sequence) else None
    if threads is not None:
        options["threads"] = threads
    runner = backend(executor, total)
    return _results(_tasks(pairs, options), runner, total, on_error == "raise", progress)


_PAIR = "tuples (source, target) or (source, target, anchors), or dictionaries with these keys and options"


def _results(
    tasks: Iterator[Task], runner: Any, total: int | None, strict: bool, progress: ProgressOption
) -> Iterator[tuple[int, Matching | Failure]]:
    with reporter(progress) as show:
        done = 0
        if show is not None:
            show("pairs", 0, total, None)
        outcomes: Iterator[Outcome] = runner.run(tasks)
        try:
            for index, result, traceback in outcomes:
                done += 1
                if show is not None:
                    show("pairs", done, total, None)
                if not isinstance(result, Exception):
                    yield index, result
                    continue
                failure = Failure(index, result, traceback)
                if strict:
                    raise PairError(index, str(failure)) from result
                yield index, failure
        finally:
            # Ends what is still under way when the caller, or an error, stops early.
            outcomes.close()  # type: ignore[attr-defined]


def _tasks(pairs: Iterable[Any], options: Mapping[str, Any]) -> Iterator[Task]:
    """One task for each pair; one that is no pair becomes a task that fails."""
    for index, pair in enumerate(pairs):
        try:
            yield _task(index, pair, options)
        except (TypeError, ValueError) as error:
            yield Task(index, None, None, None, {}, error)


def _task(index: int, pair: Any, options: Mapping[str, Any]) -> Task:
    own: dict[str, Any] = {}
    if isinstance(pair, Mapping):
        own = {name: value for name, value in pair.items() if name not in _FIELDS}
        missing = [name for name in ("source", "target") if name not in pair]
        if missing:
            raise ValueError(f"found a dictionary without {missing[0]!r}, expected {_PAIR}")
        _refuse_unknown(own)
        source, target, anchors = pair["source"], pair["target"], pair.get("anchors")
    elif isinstance(pair, (tuple, list)) and len(pair) in (2, 3):
        source, target = pair[0], pair[1]
        anchors = pair[2] if len(pair) == 3 else None
    else:
        size = f" of {len(pair)}" if isinstance(pair, (tuple, list)) else ""
        raise TypeError(f"found an object of type {type(pair).__name__}{size}, expected {_PAIR}")
    settings = {**options, **own}
    if isinstance(settings.get("seed"), (np.random.Generator, np.random.RandomState)):
        # Drawn here, in the order of the pairs, whoever will do the work.
        settings["seed"] = seed_of(settings["seed"])
    if "preset" in settings:
        settings["preset"] = drawn(settings["preset"])
    return Task(index, source, target, anchors, settings)


def _refuse_unknown(options: Iterable[str]) -> None:
    unknown = [name for name in options if name not in _OPTIONS]
    if unknown:
        known = ", ".join(sorted(_OPTIONS))
        raise TypeError(f"{unknown[0]}: found, expected an option of match: {known}")
