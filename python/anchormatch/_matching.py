"""The result of a match."""

from __future__ import annotations

import math
import secrets
from collections.abc import Hashable, Iterable, Iterator
from functools import cached_property
from os import PathLike, fspath
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _native
from ._graph import Graph
from ._images import image_file
from ._numbers import FloatArray, aligned, whole_number
from ._pairs import truth_pairs
from ._points import Points
from ._resources import Limits
from ._studio import Studio

__all__ = ["AnchorCheck", "Matching", "Suggestion"]

_MOST_PORT = 65_535


class Suggestion(NamedTuple):
    """A source node worth asking a person for."""

    #: The id of the node.
    node: Hashable
    #: The expected number of nodes, itself included, that its answer sets right.
    gain: float
    #: Where it goes now; ``None`` when it is alone.
    partner: Hashable | None
    #: How sure that is.
    confidence: float


class AnchorCheck(NamedTuple):
    """What the rest of the evidence says of an anchor."""

    #: The id of the source node.
    source: Hashable
    #: The id of its partner by the anchor.
    target: Hashable
    #: How much better, in nats, the best matching without this pair is.
    score: float
    #: The probability that the anchor is wrong.
    suspicion: float
    #: The partner that the source node gets when nobody tells; ``None`` when it stays alone.
    preferred: Hashable | None
    #: Whether the anchor became a soft one for this.
    demoted: bool


class Matching:
    """A one-to-one matching between the nodes of two graphs, in the ids that went in.

    Examples
    --------
    >>> import anchormatch as am
    >>> made = am.generate.synthetic(12, noise=0.05, seed=3)
    >>> m = am.match(made.source, made.target, made.anchors(2))
    >>> m
    Matching(12 pairs, 2 of them anchors, of 12 and 12 nodes, mean confidence 1.00, converged)
    >>> m.accuracy(made.truth)
    1.0
    >>> len(m.pairs), m.unmatched_source, m.status
    (12, [], 'converged')
    """

    #: Anchors, similarity, what else is known, preset and settings, in the process that matched.
    _input: tuple[Any, Any, dict[str, Any], str, dict[str, Any]] | None = None

    def __init__(self, record: dict[str, Any], source: Graph, target: Graph) -> None:
        self._record = record
        self._source = source
        self._target = target

    @property
    def source(self) -> Graph:
        """The graph that was matched from."""
        return self._source

    @property
    def target(self) -> Graph:
        """The graph that was matched to."""
        return self._target

    @cached_property
    def pairs(self) -> list[tuple[Hashable, Hashable]]:
        """All pairs (source, target), anchors included, in the order of the source's nodes."""
        left, right = self._source.ids, self._target.ids
        return [(left[i], right[a]) for i, a in self.pairs_by_number.tolist()]

    @property
    def pairs_by_number(self) -> npt.NDArray[np.int64]:
        """The same by the numbers of the nodes, an array of two columns."""
        return np.column_stack([self._record["source"], self._record["target"]])

    @cached_property
    def mapping(self) -> dict[Hashable, Hashable]:
        """The partner of each source node that has one."""
        return dict(self.pairs)

    @property
    def confidence(self) -> FloatArray:
        """How sure each pair is, in the order of :attr:`pairs`; anchors have 1.

        With the presets ``best`` and ``fast``, the probability that the pair is right; with ``paper``,
        its entry in the relaxed solution.
        """
        confidence: FloatArray = self._record["confidence"]
        return confidence

    @property
    def is_anchor(self) -> npt.NDArray[np.bool_]:
        """Whether each pair was given as a certain anchor, in the order of :attr:`pairs`."""
        anchors: npt.NDArray[np.bool_] = self._record["anchor"]
        return anchors

    @property
    def objective(self) -> float:
        """How good the matching is by the method's own measure, see :attr:`measure`."""
        return float(self._record["objective"])

    @property
    def measure(self) -> str:
        """What the objective measures.

        ``"affinity"`` is the value of the program that was solved, over the nodes that are not anchors;
        ``"evidence"`` is the logarithm of the posterior against nothing matched, in nats.
        """
        return str(self._record["measure"])

    @property
    def unmatched_source(self) -> list[Hashable]:
        """Source nodes without a partner."""
        return [self._source.ids[i] for i in self._record["unmatched_source"].tolist()]

    @property
    def unmatched_target(self) -> list[Hashable]:
        """Target nodes without a partner."""
        return [self._target.ids[a] for a in self._record["unmatched_target"].tolist()]

    @property
    def status(self) -> str:
        """How the solver ended: ``converged``, ``iteration_limit`` or ``time_limit``."""
        return str(self._record["status"])

    @property
    def iterations(self) -> int:
        """Iterations that the solver made."""
        return int(self._record["iterations"])

    @property
    def notes(self) -> list[str]:
        """What one should know: terms that dropped out, anchors that look wrong."""
        return list(self._record["notes"])

    @property
    def models(self) -> list[dict[str, Any]]:
        """The families of maps between two sets of points, the most probable first; empty for graphs.

        Each has its ``family``, ``probability``, the ``transform`` that takes (x, 1) to a multiple of
        (y, 1), the ``covariance`` of what that leaves over, and the number of ``pairs`` it expects.
        """
        return list(self._record["models"])

    @property
    def parameters(self) -> dict[str, str]:
        """Every parameter that the run used."""
        return dict(self._record["parameters"])

    @property
    def timings(self) -> dict[str, float]:
        """Seconds by stage."""
        seconds: dict[str, float] = {}
        for stage, taken in self._record["timings"]:
            seconds[stage] = seconds.get(stage, 0.0) + taken
        return seconds

    @property
    def diagnostics(self) -> dict[str, FloatArray]:
        """Curves: eigenvalues of both graphs, convergence, violations of the learner."""
        return dict(self._record["diagnostics"])

    @property
    def anchor_report(self) -> list[AnchorCheck]:
        """What the rest of the evidence says of each anchor (presets ``best`` and ``fast``)."""
        left, right = self._source.ids, self._target.ids
        return [
            AnchorCheck(
                left[i], right[a], score, suspicion, None if other is None else right[other], demoted
            )
            for i, a, score, suspicion, other, demoted in self._record["anchor_report"]
        ]

    @property
    def beyond_chance(self) -> float | None:
        """How much more the evidence is than unrelated graphs would have, in nats (``best`` and ``fast``).

        Below 0, chance could explain the match, and no pair is sure.
        """
        nats = self._record["beyond_chance"]
        return None if nats is None else float(nats)

    @property
    def alike(self) -> npt.NDArray[np.int64]:
        """How many target nodes nothing tells from the partner, in the order of :attr:`pairs`."""
        sizes = np.ones(self._target.n_nodes, dtype=np.int64)
        for group in self._record["alike"]:
            sizes[group] = len(group)
        chosen: npt.NDArray[np.int64] = sizes[self._record["target"]]
        return chosen

    @cached_property
    def alternatives(self) -> dict[Hashable, list[tuple[Hashable | None, float]]]:
        """The likeliest partners of each source node that no anchor fixes, with their probabilities.

        ``None`` stands for no partner at all. The probabilities of a node add up to at most 1; what is
        missing belongs to candidates further down. ``top=`` of :func:`match` says how many are kept.

        Examples
        --------
        >>> import anchormatch as am
        >>> path = [(i, i + 1) for i in range(29)]
        >>> m = am.match(path, path)
        >>> [(other, round(p, 2)) for other, p in m.alternatives[0][:2]]
        [(0, 0.5), (29, 0.5)]
        """
        listed = self._record["alternatives"]
        if listed is None:
            return {}
        ends = np.cumsum(listed[0]).tolist()
        targets, chances = listed[1].tolist(), listed[2].tolist()
        alone = self._record["alone"].tolist()
        anchored = set(self._record["source"][self.is_anchor].tolist())
        result: dict[Hashable, list[tuple[Hashable | None, float]]] = {}
        first = 0
        for i, end in enumerate(ends):
            ranked: list[tuple[Hashable | None, float]] = [
                (self._target.ids[a], p) for a, p in zip(targets[first:end], chances[first:end])
            ]
            if i < len(alone) and alone[i] >= 1e-4:
                ranked.append((None, alone[i]))
                ranked.sort(key=lambda entry: -entry[1])
            if i not in anchored:
                result[self._source.ids[i]] = ranked
            first = end
        return result

    @property
    def expected_precision(self) -> float:
        """The share of the pairs that is right by the confidences; NaN without pairs or probabilities.

        Anchors do not count.
        """
        free = self.confidence[~self.is_anchor]
        is_known = self._record["partners"] is not None and len(free)
        return float(free.mean()) if is_known else math.nan

    @property
    def expected_recall(self) -> float:
        """The share of the right pairs that was found, by the confidences; NaN when that is not known."""
        partners = self._record["partners"]
        if not partners:
            return math.nan
        return min(float(self.confidence[~self.is_anchor].sum()) / float(partners), 1.0)

    def above(self, confidence: float) -> Matching:
        """The matching without the pairs that are less sure than ``confidence``; anchors stay.

        Examples
        --------
        >>> import anchormatch as am
        >>> made = am.generate.synthetic(12, noise=0.35, seed=3)
        >>> m = am.match(made.source, made.target, made.anchors(2))
        >>> sure = m.above(0.9)
        >>> len(sure.pairs) < len(m.pairs), bool((sure.confidence >= 0.9).all())
        (True, True)
        """
        least = float(confidence)
        if not 0 <= least <= 1:
            raise ValueError(f"confidence: found {confidence!r}, expected a number between 0 and 1")
        kept = self.is_anchor | (self.confidence >= least)
        record = dict(self._record)
        for name in ("source", "target", "confidence", "anchor"):
            record[name] = self._record[name][kept]
        for name in ("source", "target"):
            more = [self._record[f"unmatched_{name}"], self._record[name][~kept]]
            record[f"unmatched_{name}"] = np.sort(np.concatenate(more))
        made = Matching(record, self._source, self._target)
        made._input = self._input
        return made

    def accuracy(self, truth: Any) -> float:
        """The share of ``truth`` that the matching has; certain anchors do not count.

        Parameters
        ----------
        truth
            The right pairs: a dictionary, a list of pairs, an array of two columns, a Series, or an
            array of integers with the number of the partner of each source node, −1 for none.

        Returns
        -------
        float
            NaN when the truth holds nothing but anchors.
        """
        partner = dict(truth_pairs(truth, self._source, self._target))
        asked, right = len(partner), 0
        for (i, a), anchor in zip(self.pairs_by_number.tolist(), self.is_anchor.tolist()):
            if i not in partner:
                continue
            if anchor:
                asked -= 1
            elif partner[i] == a:
                right += 1
        return right / asked if asked else math.nan

    def precision(self, truth: Any) -> float:
        """The share of the pairs found that ``truth`` has; certain anchors do not count.

        Parameters
        ----------
        truth
            The right pairs, as for :meth:`accuracy`.

        Returns
        -------
        float
            NaN when nothing but anchors was found.
        """
        partner = dict(truth_pairs(truth, self._source, self._target))
        pairs = self.pairs_by_number[~self.is_anchor].tolist()
        right = sum(partner.get(i) == a for i, a in pairs)
        return right / len(pairs) if pairs else math.nan

    def hits(self, truth: Any, k: int = 1) -> float:
        """Hits@k: the share of the nodes of ``truth`` with the right partner among their ``k`` likeliest.

        Methods that rank the candidates of each node by itself are scored so. A matching gives every target
        away once, and its :meth:`accuracy` is another number. Certain anchors do not count.

        Parameters
        ----------
        truth
            The right pairs, as for :meth:`accuracy`.
        k
            How many candidates are looked at, at most as many as ``top=`` of :func:`match` kept.

        Returns
        -------
        float
            NaN when the truth holds nothing but anchors, or the preset does not know candidates.

        Examples
        --------
        >>> import anchormatch as am
        >>> path = [(i, i + 1) for i in range(5)]
        >>> m = am.match(path, path, {0: 0})
        >>> m.hits({i: i for i in range(6)}), m.hits({1: 2}), m.hits({1: 2}, k=4)
        (1.0, 0.0, 1.0)
        """
        most = whole_number("k", k, least=1)
        listed = self._record["alternatives"]
        anchored = set(self._record["source"][self.is_anchor].tolist())
        partner = dict(truth_pairs(truth, self._source, self._target))
        asked = [(i, a) for i, a in partner.items() if i not in anchored]
        if listed is None or not asked:
            return math.nan
        starts = np.concatenate([[0], np.cumsum(listed[0])]).tolist()
        targets = listed[1].tolist()
        found = sum(a in targets[starts[i] : min(starts[i] + most, starts[i + 1])] for i, a in asked)
        return found / len(asked)

    def suggest(self, k: int = 5) -> list[Suggestion]:
        """The ``k`` source nodes whose partners, if a person told them, would settle the most.

        Examples
        --------
        >>> import anchormatch as am
        >>> made = am.generate.synthetic(12, noise=0.35, seed=3)
        >>> m = am.match(made.source, made.target, made.anchors(1))
        >>> first, second = m.suggest(2)
        >>> first.gain >= second.gain > 0
        True
        """
        count = whole_number("k", k)
        confidence = dict(zip((i for i, _ in self.pairs_by_number.tolist()), self.confidence.tolist()))
        partner = dict(self.pairs_by_number.tolist())
        suggestions = []
        for i, gain in _native.suggest(self._record, count, Limits()):
            other = None if i not in partner else self._target.ids[partner[i]]
            suggestions.append(Suggestion(self._source.ids[i], gain, other, confidence.get(i, 0.0)))
        return suggestions

    def to_frame(self) -> Any:
        """The pairs as a pandas table with the columns source, target, confidence and anchor."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_frame() needs pandas: pip install pandas") from None
        return pandas.DataFrame(
            {
                "source": [left for left, _ in self.pairs],
                "target": [right for _, right in self.pairs],
                "confidence": self.confidence,
                "anchor": self.is_anchor,
            }
        )

    def to_html(
        self,
        path: str | PathLike[str] | None = None,
        *,
        truth: Any = None,
        title: str = "A match",
        names: tuple[str, str] = ("source", "target"),
        source_image: Any = None,
        target_image: Any = None,
        around: Iterable[Hashable] = (),
    ) -> str:
        """A page that shows both graphs, the pairs and how they were found; of points also the map.

        Parameters
        ----------
        path
            The file to write; without one the page is only returned.
        truth
            The right pairs, as for :meth:`accuracy`: lines are then yellow for right and red for wrong.
        title
            The heading.
        names
            What the two graphs are called.
        source_image
            What the points of the source lie on, a PNG or JPEG file or an array of pixels: height × width,
            perhaps × 3 or 4, of integers up to 255 or of numbers up to 1. The coordinates of the points are
            then its pixels, y downwards.
        target_image
            The same for the target.
        around
            Source nodes, by id, whose surroundings are shown first where graphs are too large to be drawn
            whole.

        Returns
        -------
        str
            The page.
        """
        right = None if truth is None else truth_pairs(truth, self._source, self._target)
        run = self.parameters.get("terms") or self.parameters.get("preset", "")
        sides = self._sides(
            names, image_file("source_image", source_image), image_file("target_image", target_image)
        )
        if isinstance(around, (str, bytes)):
            raise TypeError(f"around: found {around!r}, expected a list of nodes")
        first = [self._source.find(node, "around", "source") for node in around]
        page = _native.report(str(title), run, sides, self._record, right, first)
        if path is not None:
            # Not a number, which would be an open file: standard output, say.
            with open(fspath(path), "w", encoding="utf-8") as file:
                file.write(page)
        return page

    def studio(
        self,
        anchors_file: str | PathLike[str] = "anchormatch-studio.anchors.csv",
        *,
        title: str = "A match",
        names: tuple[str, str] = ("source", "target"),
        source_image: Any = None,
        target_image: Any = None,
        port: int = 0,
    ) -> Studio:
        """A page on this machine with both graphs, where a click makes an anchor and the match follows.

        It is served from this process until :meth:`Studio.stop`, or until the object is gone; in a notebook
        it shows itself as a link. It begins with the anchors of this match and all that it was told.

        Parameters
        ----------
        anchors_file
            Where every change is written, with a journal beside it. Where it is there already, it is read
            in the place of this match's anchors, and the page goes on from there.
        title
            The heading.
        names
            What the two graphs are called.
        source_image
            What the points of the source lie on, as in :meth:`to_html`.
        target_image
            The same for the target.
        port
            The port of the page; 0 for one that is free.

        Examples
        --------
        >>> import anchormatch as am, tempfile
        >>> made = am.generate.synthetic(12, noise=0.05, seed=3)
        >>> m = am.match(made.source, made.target, made.anchors(2))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with m.studio(f"{folder}/anchors.csv") as studio:
        ...         address, known = studio.url, studio.anchors
        >>> address.startswith("http://127.0.0.1:"), len(known)
        (True, 2)
        """
        sides = self._sides(
            names, image_file("source_image", source_image), image_file("target_image", target_image)
        )
        told = self._input or self._bare()
        number = whole_number("port", port)
        if number > _MOST_PORT:
            raise ValueError(f"port: found {port}, expected a number up to {_MOST_PORT}")
        file = fspath(anchors_file)
        native = _native.studio(str(title), sides, *told, file, number, secrets.token_bytes(32))
        return Studio(native, self._source, self._target)

    def _bare(self) -> tuple[Any, Any, dict[str, Any], str, dict[str, Any]]:
        """What is left to tell of a match that came from another process: its anchors."""
        fixed = self.is_anchor
        ends = [np.ascontiguousarray(column[fixed]) for column in self.pairs_by_number.T]
        names = ("same", "features", "candidates", "crossing", "layers", "relations")
        known: dict[str, Any] = {"alone": ([], []), "columns": [], **dict.fromkeys(names), "same": []}
        return (ends[0], ends[1], np.ones(int(fixed.sum()))), None, known, "best", {}

    def plot(
        self,
        truth: Any = None,
        *,
        ax: Any = None,
        labels: bool = False,
        max_lines: int = 2000,
        source_image: Any = None,
        target_image: Any = None,
    ) -> Any:
        """Draw both graphs side by side with matplotlib, in the colours of :meth:`to_html`.

        Lines join partners, coloured by confidence or, when a truth is given, by whether they are
        right. Anchors are blue and have rings; nodes without a partner are hollow.

        Parameters
        ----------
        truth
            The right pairs, as for :meth:`accuracy`.
        ax
            The axes to draw on; by default new ones.
        labels
            Whether to write the ids.
        max_lines
            At most so many pairs are drawn.
        source_image, target_image
            What points lie on, as for :meth:`to_html`.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ._plot import plot

        return plot(self, truth, ax, labels, max_lines, source_image, target_image)

    def _sides(
        self,
        names: tuple[str, str] = ("source", "target"),
        source_image: tuple[str, bytes] | None = None,
        target_image: tuple[str, bytes] | None = None,
    ) -> Any:
        first, second = names
        sides = (first, self._source, source_image), (second, self._target, target_image)
        return tuple(
            (str(name), graph._drawn, graph.positions, isinstance(graph, Points), image)
            for name, graph, image in sides
        )

    def _drawing(
        self, source_image: tuple[str, bytes] | None = None, target_image: tuple[str, bytes] | None = None
    ) -> dict[str, tuple[FloatArray, npt.NDArray[np.int64], list[float] | None]]:
        """Where both graphs are drawn: places and edges of each, and the frames of their images."""
        sides = self._sides(source_image=source_image, target_image=target_image)
        return _native.drawing(sides, self._record)

    def __len__(self) -> int:
        return len(self._record["source"])

    def __iter__(self) -> Iterator[tuple[Hashable, Hashable]]:
        return iter(self.pairs)

    def __repr__(self) -> str:
        anchors = int(self.is_anchor.sum())
        sure = f", mean confidence {self.confidence.mean():.2f}" if len(self) else ""
        pairs = "1 pair" if len(self) == 1 else f"{len(self)} pairs"
        return (
            f"Matching({pairs}, {anchors} of them anchors, of {self._source.n_nodes} and "
            f"{self._target.n_nodes} nodes{sure}, {self.status})"
        )

    def _repr_html_(self) -> str:
        from ._plot import picture

        return picture(self)

    def __getstate__(self) -> dict[str, Any]:
        return {"_record": self._record, "_source": self._source, "_target": self._target}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._record = _readable(self._record)


def _readable(value: Any) -> Any:
    """A record, or a part of one, whose arrays lie as the compiled part reads them."""
    if isinstance(value, np.ndarray):
        return aligned(value)
    if isinstance(value, dict):
        return {name: _readable(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_readable(part) for part in value)
    return value
