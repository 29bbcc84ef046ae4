"""What graspologic and pygmtools return, for the tests of anchormatch.compat.

    PYTHON_WITH_GRASPOLOGIC scripts/make_compat_values.py graspologic
    PYTHON_WITH_PYGMTOOLS scripts/make_compat_values.py pygmtools

writes python/tests/values/graspologic.json or pygmtools.json: the versions, and for each case the function,
its arguments and its result. Arguments have no ties, so that results do not depend on how ties are broken.
"""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path

import numpy as np

VALUES = Path(__file__).resolve().parent.parent / "python" / "tests" / "values"


def main() -> None:
    peer = sys.argv[1] if len(sys.argv) == 2 else ""
    if peer == "graspologic":
        cases, packages = graspologic_cases(), ["graspologic", "numpy", "scipy", "POT"]
    elif peer == "pygmtools":
        cases, packages = pygmtools_cases(), ["pygmtools", "numpy", "scipy"]
    else:
        sys.exit("expected one argument: graspologic or pygmtools")
    VALUES.mkdir(exist_ok=True)
    text = json.dumps(
        {"versions": {name: version(name) for name in packages}, "cases": cases}, default=plain
    )
    # A line for each case.
    text = text.replace('{"name"', '\n{"name"')
    (VALUES / f"{peer}.json").write_text(text + "\n", encoding="ascii")
    print(f"{len(cases)} cases of {peer} {version(peer)}")


def plain(value: object) -> object:
    """Arrays as lists, with as many digits as a double has."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(type(value))


def graspologic_cases() -> list[dict[str, object]]:
    from graspologic.match import graph_match

    rng = np.random.default_rng(20)

    def matrix(*shape: int) -> np.ndarray:
        return rng.random(shape).round(3)

    def graph(nodes: int) -> np.ndarray:
        upper = np.triu(matrix(nodes, nodes), 1)
        return upper + upper.T

    soft = np.full((6, 6), 0.1)
    np.fill_diagonal(soft, 0.5)
    arguments = {
        "undirected": {"A": graph(7), "B": graph(7)},
        "directed, with loops": {"A": matrix(7, 7), "B": matrix(7, 7)},
        "smallest": {"A": matrix(6, 6), "B": matrix(6, 6), "maximize": False},
        "seeds out of order": {"A": matrix(8, 8), "B": matrix(8, 8), "partial_match": np.array([[5, 2], [0, 7]])},
        "all seeded": {"A": matrix(3, 3), "B": matrix(3, 3), "partial_match": np.array([[0, 2], [1, 0], [2, 1]])},
        "A smaller": {"A": graph(5), "B": graph(8)},
        "B smaller": {"A": matrix(8, 8), "B": matrix(5, 5), "partial_match": np.array([[6, 1]])},
        "similarities": {"A": graph(7), "B": graph(7), "S": 3 * matrix(7, 7)},
        "similarities, A smaller": {"A": graph(5), "B": graph(7), "S": 2 * matrix(5, 7)},
        "layers": {"A": [matrix(6, 6), matrix(6, 6)], "B": [matrix(6, 6), matrix(6, 6)]},
        "bisected": {"A": matrix(6, 6), "B": matrix(6, 6), "AB": matrix(6, 6), "BA": matrix(6, 6)},
        "bisected layers, seeds": {
            "A": [matrix(7, 7), matrix(7, 7)],
            "B": [matrix(7, 7), matrix(7, 7)],
            "AB": [matrix(7, 7), matrix(7, 7)],
            "BA": [matrix(7, 7), matrix(7, 7)],
            "partial_match": np.array([[3, 1], [4, 6]]),
        },
        "bisected, A smaller": {"A": matrix(4, 4), "B": matrix(6, 6), "AB": matrix(4, 6), "BA": matrix(6, 4)},
        "given start": {"A": matrix(6, 6), "B": matrix(6, 6), "init": soft},
        "two iterations": {"A": matrix(7, 7), "B": matrix(7, 7), "max_iter": 2},
        "close": {"A": graph(7), "B": graph(7), "tol": 1e-6, "max_iter": 200},
        "transport": {"A": graph(7), "B": graph(7), "transport": True},
        "transport, soft": {
            "A": matrix(7, 7),
            "B": matrix(7, 7),
            "transport": True,
            "transport_regularizer": 20,
            "transport_tol": 1e-9,
            "partial_match": np.array([[0, 3]]),
        },
        "transport, smallest": {"A": matrix(6, 6), "B": matrix(6, 6), "transport": True, "maximize": False},
        "adopted": {"A": (graph(5) > 0.4) * graph(5), "B": graph(8), "padding": "adopted"},
    }
    cases = []
    for name, given in arguments.items():
        found = graph_match(**given, shuffle_input=False, rng=0)
        cases.append({"name": name, "arguments": given, "result": found._asdict()})
    return cases


def pygmtools_cases() -> list[dict[str, object]]:
    import pygmtools as pygm

    pygm.set_backend("numpy")
    rng = np.random.default_rng(30)
    cases: list[dict[str, object]] = []

    def add(name: str, function: str, **arguments: object) -> None:
        given = {key: np.copy(value) if isinstance(value, np.ndarray) else value for key, value in arguments.items()}
        result = getattr(pygm, function)(**given)
        cases.append({"name": name, "function": function, "arguments": arguments, "result": result})

    def affinities(batch: int, n1: int, n2: int) -> np.ndarray:
        k = rng.random((batch, n1 * n2, n1 * n2)).round(3)
        return (k + k.transpose(0, 2, 1)) / 2

    one, many = affinities(1, 4, 4)[0], affinities(3, 3, 4)
    padded = affinities(2, 3, 3)
    # The second problem has 2 x 3 nodes: what is beyond is padding.
    lost = np.arange(9) % 3 == 2
    padded[1, lost, :] = 0
    padded[1, :, lost] = 0
    sizes = {"n1": np.array([3, 2]), "n2": np.array([3, 3])}
    for function in ("sm", "rrwm", "ipfp"):
        add(f"{function}", function, K=one, n1=4, n2=4)
        add(f"{function}, batch", function, K=many, n1max=3, n2max=4)
        add(f"{function}, padded", function, K=padded, **sizes)
        add(f"{function}, start", function, K=one[None], n1max=4, n2max=4, x0=rng.random((1, 4, 4)).round(3))
        add(f"{function}, few iterations", function, K=one, n1=4, n2=4, max_iter=3)
    add("rrwm, other constants", "rrwm", K=many, n1max=3, n2max=4, alpha=0.6, beta=5.0, sk_iter=7)
    add("rrwm, tall", "rrwm", K=affinities(1, 4, 3)[0], n1=4, n2=3)

    square, wide = rng.normal(size=(4, 4)).round(3), rng.normal(size=(2, 3, 5)).round(3)
    tall = rng.normal(size=(2, 5, 3)).round(3)
    alone = {"unmatch1": rng.normal(size=4).round(3), "unmatch2": rng.normal(size=4).round(3)}
    wide_alone = {"unmatch1": rng.normal(size=(2, 3)).round(3), "unmatch2": rng.normal(size=(2, 5)).round(3)}
    for function in ("sinkhorn", "hungarian"):
        add(f"{function}", function, s=square)
        add(f"{function}, wide", function, s=wide)
        add(f"{function}, tall", function, s=tall)
        add(f"{function}, padded", function, s=wide, n1=np.array([3, 2]), n2=np.array([5, 4]))
        add(f"{function}, turned by padding", function, s=wide, n1=np.array([3, 3]), n2=np.array([2, 3]))
        add(f"{function}, tall but square", function, s=tall, n1=np.array([3, 2]), n2=np.array([3, 3]))
        add(f"{function}, some alone", function, s=square, **alone)
        add(f"{function}, wide, some alone", function, s=wide, **wide_alone)
    add("sinkhorn, warm", "sinkhorn", s=square, tau=0.1, max_iter=31)
    add("sinkhorn, dummy rows", "sinkhorn", s=wide, dummy_row=True)
    add("sinkhorn, dummy rows, padded", "sinkhorn", s=wide, dummy_row=True, n1=np.array([2, 3]), n2=np.array([4, 5]))
    some = {"n1": np.array([2, 3]), "n2": np.array([4, 3]), "dummy_row": True}
    add("sinkhorn, dummy rows, padded, some alone", "sinkhorn", s=wide, **some, **wide_alone)
    add("sinkhorn, together", "sinkhorn", s=wide, batched_operation=True)
    return cases


if __name__ == "__main__":
    main()
