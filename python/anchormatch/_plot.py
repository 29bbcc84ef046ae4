"""Pictures of a matching: matplotlib's, and a small one for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from ._numbers import FloatArray
from ._pairs import truth_pairs

if TYPE_CHECKING:
    from ._matching import Matching

__all__ = ["picture", "plot"]

_SOURCE, _TARGET, _EDGE = "#2b6cb0", "#b7791f", "#b8c0c8"
_RIGHT, _WRONG, _OPEN = "#d69e00", "#d0312d", "#8a94a0"
#: Lines and nodes of the small picture at most.
_SMALL = 150


def plot(matching: Matching, truth: Any, ax: Any, labels: bool, max_lines: int) -> Any:
    """See :meth:`Matching.plot`."""
    try:
        from matplotlib.collections import LineCollection
    except ImportError:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from None
    right = None if truth is None else dict(truth_pairs(truth, matching.source, matching.target))
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(figsize=(11, 5.5))
    drawing = matching._drawing()
    (left, left_edges), (other, other_edges) = drawing["source"], drawing["target"]
    for places, edges in ((left, left_edges), (other, other_edges)):
        ax.add_collection(LineCollection(list(places[edges]), colors=_EDGE, linewidths=0.5, zorder=1))
    chosen = _chosen(len(matching), max_lines)
    pairs = matching.pairs_by_number[chosen]
    segments = np.stack([left[pairs[:, 0]], other[pairs[:, 1]]], axis=1)
    if right is None:
        lines = LineCollection(list(segments), cmap="viridis", linewidths=0.9, alpha=0.8, zorder=2)
        lines.set_array(matching.confidence[chosen])
        lines.set_clim(0.0, 1.0)
        ax.figure.colorbar(lines, ax=ax, label="confidence", shrink=0.8)
    else:
        colours = [_verdict(right, i, a) for i, a in pairs.tolist()]
        lines = LineCollection(list(segments), colors=colours, linewidths=0.9, alpha=0.9, zorder=2)
        ax.set_title(f"accuracy {matching.accuracy(truth):.3f}")
    ax.add_collection(lines)
    ax.scatter(left[:, 0], left[:, 1], s=14, color=_SOURCE, zorder=3, label="source")
    ax.scatter(other[:, 0], other[:, 1], s=14, color=_TARGET, zorder=3, label="target")
    if labels:
        for places, ids in ((left, matching.source.ids), (other, matching.target.ids)):
            for (x, y), node in zip(places, ids):
                ax.annotate(str(node), (x, y), fontsize=7, textcoords="offset points", xytext=(3, 3))
    # Below the lowest nodes, not among them.
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=0.2, ncols=2, frameon=False)
    ax.set_aspect("equal")
    ax.invert_yaxis()
    ax.set_axis_off()
    return ax


def picture(matching: Matching) -> str:
    """A few hundred lines of SVG and the key numbers."""
    words = html.escape(repr(matching))
    drawing = matching._drawing()
    (left, left_edges), (right, right_edges) = drawing["source"], drawing["target"]
    bottom = float(max(left[:, 1].max(), right[:, 1].max())) + 26
    parts = [f'<svg viewBox="0 0 1200 {bottom:.0f}" width="560" role="img" aria-label="{words}">']
    for places, edges in ((left, left_edges), (right, right_edges)):
        few = edges[_chosen(len(edges), 4 * _SMALL)]
        parts += [_line(places[u], places[v], _EDGE, 1.0) for u, v in few.tolist()]
    chosen = _chosen(len(matching), _SMALL)
    confidence = matching.confidence[chosen].tolist()
    for (i, a), sure in zip(matching.pairs_by_number[chosen].tolist(), confidence):
        parts.append(_line(left[i], right[a], _shade(sure), 1.6))
    for places, colour in ((left, _SOURCE), (right, _TARGET)):
        for x, y in places[_chosen(len(places), _SMALL)].tolist():
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" fill="{colour}"/>')
    parts.append("</svg>")
    return f'<div>{"".join(parts)}<div style="font-size:90%">{words}</div></div>'


def _line(start: FloatArray, end: FloatArray, colour: str, width: float) -> str:
    (x, y), (u, v) = start.tolist(), end.tolist()
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _shade(confidence: float) -> str:
    """From grey for a guess to green for certainty."""
    share = min(max(confidence, 0.0), 1.0)
    low, high = (196, 200, 206), (22, 130, 93)
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(low, high))
    return f"#{red:02x}{green:02x}{blue:02x}"


def _verdict(truth: dict[int, int], i: int, a: int) -> str:
    partner = truth.get(i)
    return _OPEN if partner is None else _RIGHT if partner == a else _WRONG


def _chosen(count: int, most: int) -> Any:
    """Evenly chosen places, all of them when they are few."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, max(most, 0)).round().astype(np.int64))
