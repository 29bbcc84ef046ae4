"""Matching two graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from . import _native
from ._inputs import Graph, as_graph
from ._matching import Matching
from ._numbers import FloatArray, check_sparse, float_array, is_sparse, passed
from ._pairs import anchor_arrays
from ._points import Points
from ._progress import ProgressOption
from ._resources import limits, seed_of

__all__ = ["match"]

# Options whose parameters have other names.
_NAMES = {"learner": "learner.mode", "learner_c": "learner.c"}


def match(
    source: Any,
    target: Any,
    anchors: Any = None,
    *,
    preset: str = "best",
    solver: str | None = None,
    node_similarity: Any = None,
    allow_unmatched: bool = False,
    directed: bool | None = None,
    seed: Any = 0,
    threads: int | None = None,
    time_limit: float | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
    repair_anchors: bool = False,
    regime: str | None = None,
    points_model: str | None = None,
    solver_options: Mapping[str, Any] | None = None,
    terms: str | None = None,
    tau: float | None = None,
    width: float | None = None,
    eigenvectors: int | None = None,
    c_b: float | None = None,
    c_ap: float | None = None,
    learner: str | None = None,
    learner_c: float | None = None,
) -> Matching:
    """Match the nodes of ``source`` to the nodes of ``target``.

    Parameters
    ----------
    source, target
        The graphs: square NumPy arrays of weights, SciPy sparse matrices, graphs of networkx, igraph
        or rustworkx, tables or lists of edges, ``am.points(xy)``, or what :func:`graph` made of them.
    anchors
        Pairs that are known, in the ids of the graphs: a dictionary, a list of pairs, an array of two
        columns, or a pandas Series. Triples ``(source, target, weight)`` with a weight below 1 are
        soft anchors; weight 1 is certain.
    preset : {"best", "fast", "paper"}
        The method: the most likely matching, searched for until nothing more is gained; the same with
        a short search; or Hu, Rustamov & Guibas (CVPR 2013) step by step.
    solver
        One of :func:`solvers` in the place of the preset's own search.
    node_similarity
        How alike nodes are by other knowledge, an array of a row for each source and a column for each
        target node, or a pandas table in their ids; larger is more alike, on any scale. Not for
        ``paper``.
    allow_unmatched
        Let nodes stay alone whom the evidence gives no partner. Not for ``paper``.
    directed
        Whether edges have directions, as in :func:`graph`: by default as the graphs have them, ``True`` for
        lists and tables whose rows are arcs. Directions are compared where both graphs have them.
    seed
        The seed of everything random: an integer, or a generator of NumPy to draw one from.
    threads
        Threads to use, by default one for each core; the result does not depend on it.
    time_limit
        Seconds after which the best so far is returned, with the status ``"time_limit"``.
    max_memory
        The most memory to use, in bytes or as ``"4G"``; by default what the machine has free.
    progress
        ``True`` for a bar, a class of bars such as ``tqdm.tqdm``, or a function that is called with
        the stage, the steps done, the steps in all (or ``None``) and a figure (or ``None``).
    repair_anchors
        Demote anchors that disagree with the rest of the evidence to soft ones, and match again. Not for
        ``paper``.
    regime : {"auto", "dense", "sparse"}
        Keep all pairs of nodes, or lists of candidates; by default it goes by size and density. Not for
        ``paper``.
    points_model : {"auto", "distances", "similarity", "affine", "projective", "views", "smooth"}
        How two sets of :func:`points` lie to each other; by default the evidence chooses, and
        :attr:`Matching.models` says what it chose. Not for ``paper``.
    solver_options
        Options of ``solver``, which :func:`solvers` lists.
    terms : {"adjacency", "heat", "heat+wks", "heat+ap", "heat+b", "heat+b+ap"}
        The terms of the objective. For ``paper`` only, as everything below.
    tau
        Diffusion time, in units of 1/mean eigenvalue of each graph; 1 by default.
    width
        Width of the affinity exp(−d²/s), s in means of d²; 0.15 by default.
    eigenvectors
        Eigenvectors that the learned proximity compares; 8 by default.
    c_b, c_ap
        Weights of the learned proximity and of the heat to the anchors; 8 and 3 by default.
    learner : {"projected", "exact"}
        How the proximity is kept positive semidefinite.
    learner_c
        C of the learner, the price of a violated margin; 100 by default.

    Returns
    -------
    Matching

    Raises
    ------
    ValueError, TypeError
        When an argument is wrong; the message says what was expected.
    MemoryError
        Before anything is allocated, when the work would need more than ``max_memory``.
    TimeoutError
        When the time limit passed before there was any result.

    Examples
    --------
    >>> import anchormatch as am
    >>> old = [("ann", "bob", 1), ("bob", "eve", 2), ("eve", "joe", 3), ("joe", "ann", 4)]
    >>> new = [("u4", "u1", 1), ("u1", "u3", 2), ("u3", "u2", 3), ("u2", "u4", 4)]
    >>> m = am.match(old, new, {"ann": "u4"})
    >>> m.mapping["eve"]
    'u3'
    >>> m.accuracy({"bob": "u1", "eve": "u3", "joe": "u2"})
    1.0
    """
    if solver is None and solver_options:
        raise TypeError("solver_options: found options without a solver, expected solver= as well")
    given: dict[str, Any] = {
        "allow_unmatched": bool(allow_unmatched) or None,
        "repair_anchors": bool(repair_anchors) or None,
        "regime": regime,
        "points_model": points_model,
        "terms": terms,
        "tau": tau,
        "width": width,
        "eigenvectors": eigenvectors,
        "c_b": c_b,
        "c_ap": c_ap,
        "learner": learner,
        "learner_c": learner_c,
    }
    settings = {_NAMES.get(name, name): value for name, value in given.items() if value is not None}
    _check_preset(preset, [name for name, value in given.items() if value is not None], node_similarity)
    if solver is not None:
        settings["solver"] = {**(solver_options or {}), "name": solver}
    settings["seed"] = seed_of(seed)
    left, right = (as_graph(data, max_memory, directed) for data in (source, target))
    known = anchor_arrays(anchors, left, right)
    similarity = _similarity(node_similarity, left, right)
    places = _places(preset, left, right, points_model)
    natives = (left._own, right._own) if places else (left._native, right._native)
    with limits(threads, time_limit, max_memory, progress) as resources:
        record = _native.match_graphs(*natives, known, similarity, places, preset, settings, resources)
    record["notes"] = left.notes("source") + right.notes("target") + record["notes"]
    record["parameters"].append(("seed", str(settings["seed"])))
    return Matching(record, left, right)


def _check_preset(preset: str, options: Sequence[str], node_similarity: Any) -> None:
    """Refuses options of another preset, as they would have no effect."""
    matchers = {name: (parameters, facts) for name, _, parameters, facts in _native.matchers()}
    if preset not in matchers:
        raise ValueError(f"preset: found {preset!r}, expected one of {', '.join(matchers)}")

    def knows(matcher: str, option: str) -> bool:
        parameters, facts = matchers[matcher]
        return option in facts or _NAMES.get(option, option).split(".")[0] in parameters

    wanted = [*options, *(["node_similarity"] if node_similarity is not None else [])]
    for option in wanted:
        if not knows(preset, option):
            others = [repr(name) for name in matchers if knows(name, option)]
            know = "knows" if len(others) == 1 else "know"
            raise ValueError(
                f"{option}: found with preset={preset!r}, expected preset={' or '.join(others)}, "
                f"which alone {know} it"
            )


def _places(
    preset: str, source: Graph, target: Graph, model: str | None
) -> tuple[FloatArray, FloatArray] | None:
    """The coordinates of both sides, where the matcher looks at them."""
    facts = {name: facts for name, _, _, facts in _native.matchers()}
    first, second = source.positions, target.positions
    if isinstance(source, Points) and isinstance(target, Points) and "points" in facts[preset]:
        assert first is not None and second is not None
        if first.shape[1] == second.shape[1]:
            return first, second
    if model not in (None, "auto", "distances"):
        raise ValueError(
            f"points_model: found {model!r}, expected am.points of as many coordinates on both sides"
        )
    return None


def _similarity(values: Any, source: Graph, target: Graph) -> FloatArray | None:
    if values is None:
        return None
    pandas = passed("pandas")
    if pandas is not None and isinstance(values, pandas.DataFrame):
        missing = [node for node in source.ids if node not in values.index]
        missing += [node for node in target.ids if node not in values.columns]
        if missing:
            raise ValueError(
                f"node_similarity: found no row or column for {missing[0]!r}, expected all ids"
            )
        values = values.loc[list(source.ids), list(target.ids)].to_numpy()
    elif is_sparse(values):
        if values.shape != (source.n_nodes, target.n_nodes):
            raise ValueError(
                f"node_similarity: found a sparse matrix of shape {values.shape}, expected "
                f"{(source.n_nodes, target.n_nodes)}"
            )
        check_sparse(values, "node_similarity")
        values = values.toarray()
    array = float_array(values, "node_similarity", 2)
    if array.shape != (source.n_nodes, target.n_nodes):
        raise ValueError(
            f"node_similarity: found a {array.shape[0]}×{array.shape[1]} array, expected "
            f"{source.n_nodes}×{target.n_nodes}, a row for each source and a column for each target node"
        )
    return array
