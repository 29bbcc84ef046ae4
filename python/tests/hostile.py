"""Calls a public function with every hostile value in the place of every argument, and with random mixes.

    python hostile.py FUNCTION [SEED]

Prints a line for each call that ends in neither a sound result nor a refusal, and how many calls there were.
An interpreter that dies takes the last line of standard error with it: the call that was under way.
"""

from __future__ import annotations

import contextlib
import inspect
import io
import os
import random
import signal
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

import anchormatch as am
from anchormatch.compat import graspologic, pygmtools
from anchormatch.compat import scipy as compat_scipy

#: Random mixes for each function.
MIXES = 300

#: Seconds after which a call has to let itself be interrupted.
SECONDS = 0.5


class OwnError(Exception):
    """What the caller's own code raises."""


class TakesTooLong(BaseException):
    """Raised by a signal in the middle of a call, as Ctrl-C would be."""


class Raising:
    """Refuses to be anything."""

    def __array__(self, *_: Any, **__: Any) -> Any:
        raise OwnError("no array")

    def __iter__(self) -> Iterator[Any]:
        raise OwnError("no list")

    def __len__(self) -> int:
        raise OwnError("no length")

    def __index__(self) -> int:
        raise OwnError("no integer")

    def __float__(self) -> float:
        raise OwnError("no number")

    def __repr__(self) -> str:
        return "Raising()"


class Strange:
    """An array to look at, of a shape that it is not."""

    shape = (3, 3)
    ndim = 2
    dtype = np.dtype(float)

    def __array__(self, *_: Any, **__: Any) -> Any:
        return np.ones(4)


def broken_generator() -> Iterator[tuple[int, int]]:
    yield (0, 0)
    raise OwnError("in the middle")


def read_only(array: Any) -> Any:
    array.flags.writeable = False
    return array


WEIGHTS = np.random.default_rng(0).random((5, 5))
WEIGHTS = np.triu(WEIGHTS, 1) + np.triu(WEIGHTS, 1).T


def with_value(value: Any) -> Any:
    array = WEIGHTS.copy()
    array[1, 2] = array[2, 1] = value
    return array


#: By name, so that a report can say which; made anew for each call, as iterators are used up.
HOSTILE: dict[str, Callable[[], Any]] = {
    "None": lambda: None,
    "True": lambda: True,
    "zero": lambda: 0,
    "minus one": lambda: -1,
    "a half": lambda: 0.5,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "tiny": lambda: 5e-324,
    "huge float": lambda: 1e308,
    "2**31": lambda: 2**31,
    "2**63": lambda: 2**63,
    "2**64": lambda: 2**64,
    "10**30": lambda: 10**30,
    "-10**30": lambda: -(10**30),
    "complex": lambda: 1j,
    "text": lambda: "text",
    "empty text": lambda: "",
    "text with a zero": lambda: "a\0b",
    "surrogate": lambda: "\ud800",
    "bytes": lambda: b"bytes",
    "object": object,
    "class": lambda: int,
    "function": lambda: len,
    "empty list": list,
    "empty dict": dict,
    "dict": lambda: {0: 1, "a": None},
    "set": lambda: {1, 2},
    "list of None": lambda: [None],
    "ragged": lambda: [[1, 2], [3]],
    "deep": lambda: [[[[1.0]]]],
    "pairs twice": lambda: [(0, 0), (0, 1), (1, 1)],
    "pairs out of range": lambda: [(0, 99), (-1, 2)],
    "huge pairs": lambda: [(2**40, 2**70)],
    "triples": lambda: [(0, 0, float("nan")), (1, 1, 2.0)],
    "weights of text": lambda: [(0, 1, "heavy")],
    "raising": Raising,
    "strange": Strange,
    "broken generator": broken_generator,
    "generator": lambda: ((k, k) for k in range(2)),
    "empty": lambda: np.empty((0, 0)),
    "no rows": lambda: np.empty((0, 5)),
    "1x1": lambda: np.ones((1, 1)),
    "number in an array": lambda: np.array(3.0),
    "vector": lambda: np.arange(5.0),
    "oblong": lambda: np.ones((5, 4)),
    "cube": lambda: np.ones((2, 5, 5)),
    "5x5": lambda: WEIGHTS.copy(),
    "integers": lambda: (9 * WEIGHTS).astype(int),
    "uint64": lambda: np.full((5, 5), 2**64 - 1, dtype=np.uint64),
    "float16": lambda: WEIGHTS.astype(np.float16),
    "longdouble": lambda: WEIGHTS.astype(np.longdouble),
    "bools": lambda: WEIGHTS > 0.5,
    "with nan": lambda: with_value(np.nan),
    "with inf": lambda: with_value(np.inf),
    "with -inf": lambda: with_value(-np.inf),
    "with 1e308": lambda: with_value(1e308),
    "with -1e308": lambda: with_value(-1e308),
    "all 1e308": lambda: np.full((5, 5), 1e308),
    "all 5e-324": lambda: np.full((5, 5), 5e-324),
    "negative": lambda: -WEIGHTS,
    "objects": lambda: np.array([[None, "x"], [1, object()]]),
    "numbers as objects": lambda: WEIGHTS.astype(object),
    "huge integers as objects": lambda: np.array([[10**400, 1], [1, 0]], dtype=object),
    "complex array": lambda: WEIGHTS + 1j,
    "texts": lambda: np.array([["a", "b"], ["c", "d"]]),
    "dates": lambda: np.array(["2020-01-01"], dtype="M8[D]"),
    "records": lambda: np.zeros((5, 5), dtype=[("a", "f8"), ("b", "i4")]),
    "field of records": lambda: np.zeros((5, 5), dtype=[("a", "i1"), ("b", "f8")])["b"],
    "read-only": lambda: read_only(WEIGHTS.copy()),
    "Fortran": lambda: np.asfortranarray(WEIGHTS),
    "strided": lambda: np.kron(WEIGHTS, np.ones((2, 2)))[::2, ::2],
    "backwards": lambda: WEIGHTS[::-1, ::-1],
    "broadcast": lambda: np.broadcast_to(1.0, (5, 5)),
    "huge broadcast": lambda: np.broadcast_to(1.0, (100_000, 100_000)),
    "other byte order": lambda: WEIGHTS.astype(">f8"),
    "masked": lambda: np.ma.masked_greater(WEIGHTS, 0.5),
    "unmasked": lambda: np.ma.array(WEIGHTS),
    "matrix": lambda: np.matrix(WEIGHTS),
    "sparse": lambda: sp.csr_array(WEIGHTS),
    "coo, twice": lambda: sp.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(5, 5)),
    "sparse with nan": lambda: sp.csr_array(with_value(np.nan)),
    "sparse, empty": lambda: sp.csr_array((5, 5)),
    "sparse, oblong": lambda: sp.csr_array((5, 4)),
    "sparse, 0x0": lambda: sp.csr_array((0, 0)),
    "sparse, complex": lambda: sp.csr_array(WEIGHTS + 1j),
    "sparse, 1e5": lambda: sp.eye_array(100_000, k=1).tocsr() + sp.eye_array(100_000, k=-1).tocsr(),
    "sparse, broken": lambda: broken(sp.csr_array(WEIGHTS)),
    "graph": lambda: am.graph(WEIGHTS),
    "points": lambda: am.points(WEIGHTS[:, :2]),
    "pair of arrays": lambda: (WEIGHTS, WEIGHTS),
    "pair of sizes": lambda: (2**62, 2**62),
    "problem": lambda: am.Problem.product(WEIGHTS, WEIGHTS),
}


def broken(matrix: Any) -> Any:
    matrix.indices = matrix.indices + 1000
    return matrix


K = np.exp(-((WEIGHTS[None, :3, None, :3] - WEIGHTS[:3, None, :3, None]) ** 2)).reshape(9, 9)
LIMITS = {"max_memory": "500M", "time_limit": 20}
MEMORY = {"max_memory": "500M"}


def _files() -> str:
    return os.path.join(tempfile.gettempdir(), "there is no such file")


def _method(name: str) -> Callable[..., Any]:
    """A method of a result, or of an instance, as a function."""
    matching = am.match(WEIGHTS, WEIGHTS, [(0, 0)])
    return {
        "accuracy": lambda truth: matching.accuracy(truth),
        "suggest": lambda k: matching.suggest(k),
        "anchors": lambda count, seed: am.generate.house().anchors(count, seed),
        "find": lambda node: am.graph(WEIGHTS).find(node),
        "value": lambda assignment: am.Problem.product(WEIGHTS, WEIGHTS).objective(assignment),
        "to_html": lambda path, title: matching.to_html(path, title=title),
    }[name]


#: Functions with arguments that they take.
FUNCTIONS: dict[str, tuple[Callable[..., Any], dict[str, Any]]] = {
    "match": (am.match, {"source": WEIGHTS, "target": WEIGHTS, "anchors": [(0, 0)], **LIMITS}),
    "match paper": (am.match, {"source": WEIGHTS, "target": WEIGHTS, "preset": "paper", **LIMITS}),
    "match_many": (am.match_many, {"pairs": [(WEIGHTS, WEIGHTS)], "executor": 1, **MEMORY}),
    "graph": (am.graph, {"data": WEIGHTS, **MEMORY}),
    "points": (am.points, {"xy": WEIGHTS[:, :2], **MEMORY}),
    "solve": (am.solve, {"problem": (WEIGHTS, WEIGHTS), "solver": "faq", **LIMITS}),
    "solve K": (am.solve, {"problem": K, **LIMITS}),
    "Problem.product": (am.Problem.product, {"a": WEIGHTS, "b": WEIGHTS, **MEMORY}),
    "Problem.explicit": (am.Problem.explicit, {"matrix": K, **MEMORY}),
    "read": (am.read, {"path": _files(), **MEMORY}),
    "read_problems": (am.read_problems, {"path": _files(), **MEMORY}),
    "signature": (am.signature, {"graph": WEIGHTS, **LIMITS}),
    "signature anchored": (am.signature, {"graph": WEIGHTS, "kind": "anchored", "anchors": [0], **LIMITS}),
    "heat_kernel": (am.heat_kernel, {"graph": WEIGHTS, **LIMITS}),
    "linear_assignment": (am.linear_assignment, {"costs": WEIGHTS, **MEMORY}),
    "sinkhorn": (am.sinkhorn, {"matrix": WEIGHTS + 1, **MEMORY}),
    "generate.synthetic": (am.generate.synthetic, {"inliers": 5, **MEMORY}),
    "generate.block_model": (
        am.generate.block_model,
        {"sizes": [5, 5], "probabilities": [[0.5, 0.1], [0.1, 0.5]], **MEMORY},
    ),
    "generate.house": (am.generate.house, {}),
    "Matching.accuracy": (_method("accuracy"), {"truth": [(0, 0)]}),
    "Matching.suggest": (_method("suggest"), {"k": 2}),
    "Matching.to_html": (
        _method("to_html"),
        {"path": os.path.join(tempfile.gettempdir(), "no", "page"), "title": "x"},
    ),
    "Instance.anchors": (_method("anchors"), {"count": 2, "seed": 0}),
    "Graph.find": (_method("find"), {"node": 0}),
    "compat.scipy faq": (compat_scipy.quadratic_assignment, {"A": WEIGHTS, "B": WEIGHTS}),
    "compat.graspologic": (graspologic.graph_match, {"A": WEIGHTS, "B": WEIGHTS}),
    "compat.pygmtools sm": (pygmtools.sm, {"K": K, "n1": 3, "n2": 3}),
    "compat.pygmtools rrwm": (pygmtools.rrwm, {"K": K, "n1": 3, "n2": 3}),
    "compat.pygmtools ipfp": (pygmtools.ipfp, {"K": K, "n1": 3, "n2": 3}),
    "compat.pygmtools sinkhorn": (pygmtools.sinkhorn, {"s": WEIGHTS}),
    "compat.pygmtools hungarian": (pygmtools.hungarian, {"s": WEIGHTS}),
}
for _method_name in ("faq", "2opt", "tabu"):
    for _option in (
        "partial_match",
        "partial_guess",
        "maximize",
        "rng",
        "P0",
        "maxiter",
        "tol",
        "shuffle_input",
        "iterations",
        "threads",
        "time_limit",
    ):
        # Options are arguments like others.
        FUNCTIONS.setdefault(
            f"compat.scipy options of {_method_name}",
            (
                lambda method=_method_name, **options: compat_scipy.quadratic_assignment(
                    WEIGHTS, WEIGHTS, method, options
                ),
                {},
            ),
        )[1].setdefault(_option, inspect.Parameter.empty)

REFUSALS = (ValueError, TypeError, MemoryError, am.PairError, OwnError)


def parameters(function: Callable[..., Any], given: dict[str, Any]) -> list[str]:
    named = [
        name
        for name, parameter in inspect.signature(function).parameters.items()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD and name != "method"
    ]
    return [*named, *(name for name in given if name not in named)]


def complaint(function: Callable[..., Any], arguments: dict[str, Any]) -> str | None:
    """What is wrong with the outcome of a call."""
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        with contextlib.redirect_stdout(io.StringIO()):
            result = function(**{k: v for k, v in arguments.items() if v is not inspect.Parameter.empty})
    except REFUSALS as error:
        return None if str(error).strip() or isinstance(error, MemoryError) else "refused without a word"
    except OSError as error:
        # Files that are not there, and limits that passed before there was anything.
        return (
            None
            if isinstance(error, (FileNotFoundError, IsADirectoryError, TimeoutError))
            or "path" in arguments
            else repr(error)
        )
    except TakesTooLong:
        return None
    except BaseException as error:
        return f"{type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    return unsound(result)


def unsound(result: Any) -> str | None:
    pairs: Any = None
    if isinstance(result, am.Matching):
        pairs = result.pairs_by_number
        if not all(0 <= value <= 1 for value in result.confidence):
            return f"confidences {result.confidence}"
    elif isinstance(result, am.Solution):
        columns = result.assignment
        pairs = np.column_stack([np.arange(len(columns)), columns])[columns >= 0]
    elif isinstance(result, am.Matchings):
        return next((found for one in result.ok if (found := unsound(one))), None)
    if pairs is not None and any(len(set(side.tolist())) < len(side) for side in pairs.T):
        return f"a node has two partners: {pairs.tolist()}"
    return None


def _interrupt(*_: Any) -> None:
    raise TakesTooLong


def sweep(name: str, seed: int) -> int:
    """All calls of one function; the number of complaints."""
    function, given = FUNCTIONS[name]
    names = parameters(function, given)
    mix = random.Random(seed)
    mixes = [
        {
            place: mix.choice(list(HOSTILE))
            for place in mix.sample(names, min(len(names), mix.randint(1, 4)))
        }
        for _ in range(MIXES)
    ]
    calls = [{place: value} for place in names for value in HOSTILE] + mixes
    complaints = 0
    signal.signal(signal.SIGALRM, _interrupt)
    for call in calls:
        print(name, call, file=sys.stderr, flush=True)
        arguments = {**given, **{place: HOSTILE[value]() for place, value in call.items()}}
        found = complaint(function, arguments)
        if found is not None:
            complaints += 1
            print(f"{name}({call}): {found[:300]}", file=sys.__stdout__)
    print(f"{len(calls)} calls, {complaints} complaints", file=sys.__stdout__)
    return complaints


def _limit_memory() -> None:
    """Makes absurd allocations fail at once, on machines large and small."""
    try:
        import resource
    except ImportError:
        return
    resource.setrlimit(resource.RLIMIT_AS, (8 * 2**30, 8 * 2**30))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    _limit_memory()
    sys.exit(1 if sweep(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 0) else 0)
