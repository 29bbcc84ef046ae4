"""Matching two graphs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from . import _native
from ._facts import (
    candidate_arrays,
    compared,
    crossing_arrays,
    feature_arrays,
    same_columns,
    with_nodes,
)
from ._graph import Graph
from ._inputs import as_graph
from ._layers import are_layers, layered
from ._matching import Matching
from ._numbers import FloatArray, check_sparse, float_array, is_sparse, passed, whole_number
from ._pairs import anchor_arrays
from ._points import Points
from ._presets import Best, Fast, Learner, Paper, PointsModel, Preset, Regime, Terms, opened
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
    preset: Preset | Best | Fast | Paper = "best",
    solver: str | None = None,
    node_similarity: Any = None,
    allow_unmatched: bool | None = None,
    directed: bool | None = None,
    layers: str | Iterable[Any] | None = None,
    relations: str | None = None,
    source_nodes: Any = None,
    target_nodes: Any = None,
    source_attributes: Any = None,
    target_attributes: Any = None,
    attributes: str | Iterable[str] | None = None,
    same: str | Iterable[str] | None = None,
    candidates: Any = None,
    crossing: Any = None,
    crossing_back: Any = None,
    seed: Any = None,
    threads: int | None = None,
    time_limit: float | None = None,
    max_memory: int | str | None = None,
    progress: ProgressOption = False,
    repair_anchors: bool | None = None,
    regime: Regime | None = None,
    points_model: PointsModel | None = None,
    top: int | None = None,
    min_confidence: float | None = None,
    solver_options: Mapping[str, Any] | None = None,
    terms: Terms | None = None,
    tau: float | None = None,
    width: float | None = None,
    eigenvectors: int | None = None,
    c_b: float | None = None,
    c_ap: float | None = None,
    learner: Learner | None = None,
    learner_c: float | None = None,
) -> Matching:
    """Match the nodes of ``source`` to the nodes of ``target``.

    Parameters
    ----------
    source, target
        The graphs: square NumPy arrays of weights, SciPy sparse matrices, graphs of networkx, igraph
        or rustworkx, tables or lists of edges, ``am.points(xy)``, what :func:`graph` made of them, or the
        names of files, which :func:`read` reads. Lists of matrices or graphs of the same nodes are layers.
    anchors
        Pairs that are known, in the ids of the graphs: a dictionary, a list of pairs, an array of two
        columns, or a pandas Series. Triples ``(source, target, weight)`` with a weight below 1 are
        soft anchors; weight 1 is certain. ``None`` in the place of a node says that the other has no
        partner: ``{"a": None}`` or ``(None, "u4")``.
    preset : {"best", "fast", "paper"}, or :class:`Best`, :class:`Fast` or :class:`Paper`
        The method: the most likely matching, searched for until nothing more is gained; the same with
        a short search; or Hu, Rustamov & Guibas (CVPR 2013) step by step. ``am.Best(seed=7)`` is
        ``"best"`` with parameters, which may also be given one by one, as below.
    solver
        One of :func:`solvers` in the place of the preset's own search.
    node_similarity
        How alike nodes are by other knowledge, an array of a row for each source and a column for each
        target node, or a pandas table in their ids; larger is more alike, on any scale. Not for
        ``paper``.
    allow_unmatched
        Let nodes stay alone whom the evidence gives no partner; ``False`` by default. Not for ``paper``.
    directed
        Whether edges have directions, as in :func:`graph`: by default as the graphs have them, ``True`` for
        lists and tables whose rows are arcs. Directions are compared where both graphs have them.
    layers
        The edge attribute or column that names the layer of each edge, or names for the graphs of two
        lists; edges are compared layer by layer, and a layer has the same name on both sides. Not for
        ``paper``, as everything up to ``crossing_back``.
    relations
        The same for relations, which may have other names on the other side.
    source_nodes, target_nodes
        What is known of the nodes: pandas tables whose index, or whose column ``id`` or ``node``, has the
        ids; dictionaries of a dictionary for each node, or of columns, one of them ``id``; or the names of
        files. Nodes that have no edge are added this way; points have no others.
    source_attributes, target_attributes
        Few of many attributes of each node, such as words, genes or tags: rows ``(node, attr[, value])``
        as a list or a pandas table, a dictionary of a list of attributes or of a dictionary of values for
        each node, or the name of a file. A missing value is 1, and what is not listed is 0. Both or none.
    attributes
        The columns to compare, of these tables or of the nodes of the graphs themselves; by default those
        that both tables have.
    same
        Columns in which partners must have the same value; a node without a value goes with all.
    candidates
        The partners that are possible: a dictionary from source ids to lists of target ids, pairs
        ``(source, target)`` or triples with a score, or such a pandas table. A source node that is named
        takes none but those listed for it. Scores, on any scale, are evidence.
    crossing
        Edges from source to target nodes: a matrix of a row for each source and a column for each target
        node, dense or sparse, or ``(from, to[, weight])`` in their ids, as a list or a pandas table.
    crossing_back
        Edges from target to source nodes, in the same forms.
    seed
        The seed of everything random: an integer, 0 by default, or a generator of NumPy to draw one from.
    threads
        Threads to use, by default one for each core; the result does not depend on it.
    time_limit
        Seconds after which the best so far is returned, with the status ``"time_limit"``.
    max_memory
        The most memory to use, in bytes or as ``"4G"``; by default what the machine has free.
    progress
        ``True`` for a bar, a class of bars such as ``tqdm.tqdm``, or a function that is called with
        the stage, the steps done, the steps in all (or ``None``) and a figure (or ``None``).
    repair_anchors, regime, points_model, top
        The fields of :class:`Best` and :class:`Fast`. Not for ``paper``.
    min_confidence
        Leave nodes alone whose pair is less sure than this, as :meth:`Matching.above` does.
    solver_options
        Options of ``solver``, which :func:`solvers` lists.
    terms, tau, width, eigenvectors, c_b, c_ap, learner, learner_c
        The fields of :class:`Paper`. For ``paper`` only.

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
    method, given = opened(
        preset,
        {
            "allow_unmatched": None if allow_unmatched is None else bool(allow_unmatched),
            "repair_anchors": None if repair_anchors is None else bool(repair_anchors),
            "regime": regime,
            "points_model": points_model,
            "top": None if top is None else whole_number("top", top),
            "terms": terms,
            "tau": tau,
            "width": width,
            "eigenvectors": eigenvectors,
            "c_b": c_b,
            "c_ap": c_ap,
            "learner": learner,
            "learner_c": learner_c,
            "solver": solver,
            "solver_options": solver_options,
            "seed": seed,
        },
    )
    # What is off by itself may be said to every preset.
    for switch in ("allow_unmatched", "repair_anchors"):
        given[switch] = bool(given[switch]) or None
    solver, solver_options, seed = (given.pop(name) for name in ("solver", "solver_options", "seed"))
    if solver is None and solver_options:
        raise TypeError("solver_options: found options without a solver, expected solver= as well")
    settings = {_NAMES.get(name, name): value for name, value in given.items() if value is not None}
    beside = {
        "node_similarity": (node_similarity,),
        "attributes": (attributes, source_attributes, target_attributes),
        "candidates": (candidates, same),
        "crossing": (crossing, crossing_back),
        "layers": (layers if isinstance(layers, str) else None, _either(source, target)),
        "relations": (relations,),
    }
    facts = [name for name, values in beside.items() if any(value is not None for value in values)]
    _check_preset(method, [name for name, value in given.items() if value is not None], facts)
    if relations is not None and not isinstance(relations, str):
        raise TypeError(f"relations: found {relations!r}, expected the name of an edge attribute or column")
    if layers is not None and relations is not None:
        raise TypeError("relations: found layers= as well, expected one of the two")
    if solver is not None:
        settings["solver"] = {**(solver_options or {}), "name": solver}
    seed = seed_of(0 if seed is None else seed)
    parameters, known_facts = _known_to(method)
    if "seed" in parameters:
        settings["seed"] = seed
    left, right = (
        with_nodes(_side(data, layers, relations, max_memory, directed), data, table, name)
        for data, table, name in (
            (source, source_nodes, "source_nodes"),
            (target, target_nodes, "target_nodes"),
        )
    )
    anchored, alone = anchor_arrays(anchors, left, right)
    takes = "attributes" in known_facts
    columns, notes = compared(attributes, same, left, right, takes)
    demanded, remarks = same_columns(same, left, right)
    notes += remarks
    kinds = None if left._kinds is None or right._kinds is None else (left._kinds, right._kinds)
    asked = layers is not None or are_layers(source)
    known = {
        "alone": alone,
        "columns": columns,
        "features": feature_arrays(source_attributes, target_attributes, left, right),
        "same": demanded,
        "candidates": candidate_arrays(candidates, left, right),
        "crossing": crossing_arrays(crossing, crossing_back, left, right),
        "layers": kinds if asked else None,
        "relations": kinds if relations is not None else None,
    }
    similarity = _similarity(node_similarity, left, right)
    places = _places(method, left, right, given["points_model"])
    natives = (left._own, right._own) if places else (left._native, right._native)
    with limits(threads, time_limit, max_memory, progress) as resources:
        record = _native.match_graphs(
            *natives, anchored, similarity, known, places, method, settings, resources
        )
    record["notes"] = left.notes("source") + right.notes("target") + notes + record["notes"]
    record["parameters"].append(("seed", str(seed)))
    made = Matching(record, left, right)
    made._input = (anchored, similarity, known, method, settings)
    return made if min_confidence is None else made.above(min_confidence)


def _either(source: Any, target: Any) -> bool | None:
    """Whether the sides are lists of graphs; ``None`` when neither is."""
    lists = are_layers(source), are_layers(target)
    if lists[0] != lists[1]:
        raise ValueError("layers: found a list of graphs on one side alone, expected one on both")
    return True if lists[0] else None


def _side(
    data: Any,
    layers: str | Iterable[Any] | None,
    relations: str | None,
    max_memory: int | str | None,
    directed: bool | None,
) -> Graph:
    """The graph of one side, with the kinds of its edges where these are asked for."""
    if are_layers(data):
        if relations is not None or isinstance(layers, str):
            option = "layers" if relations is None else "relations"
            raise TypeError(
                f"{option}: found a name with lists of graphs, expected graphs with this attribute"
            )
        return layered(data, layers, max_memory, directed)
    if layers is not None and not isinstance(layers, str):
        raise TypeError(
            "layers: found names of layers without lists of graphs, expected the name of an edge attribute "
            "or column"
        )
    return as_graph(data, max_memory, directed, layers if relations is None else relations)


def _known_to(preset: str) -> tuple[dict[str, Any], list[str]]:
    """The parameters of a preset, and the facts that it makes use of."""
    return next((parameters, facts) for name, _, parameters, facts in _native.matchers() if name == preset)


def _check_preset(preset: str, options: Sequence[str], facts: Sequence[str]) -> None:
    """Refuses options of another preset, as they would have no effect."""
    matchers = {name: (parameters, facts) for name, _, parameters, facts in _native.matchers()}
    if preset not in matchers:
        names = ", ".join(matchers)
        raise ValueError(
            f"preset: found {preset!r}, expected one of {names}, or am.Best(), am.Fast(), am.Paper()"
        )

    def knows(matcher: str, option: str) -> bool:
        parameters, facts = matchers[matcher]
        return option in facts or _NAMES.get(option, option).split(".")[0] in parameters

    for option in (*options, *facts):
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
    _, facts = _known_to(preset)
    first, second = source.positions, target.positions
    if isinstance(source, Points) and isinstance(target, Points) and "points" in facts:
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
