"""Pictures of a matching: matplotlib's, and a small one for notebooks."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any

import numpy as np

from ._images import image_file, pixels
from ._numbers import FloatArray
from ._pairs import truth_pairs

if TYPE_CHECKING:
    from ._matching import Matching

__all__ = ["picture", "plot"]

# The colours of the page by day; a test compares them with those of its style sheet.
_SOURCE, _TARGET, _EDGE, _GROUND = "#0b7a75", "#8440b8", "#7d8798", "#ffffff"
_RIGHT, _WRONG, _OPEN, _ANCHOR = "#dba100", "#d1242f", "#8a919d", "#0072b2"
_DOUBTFUL, _SURE = "#c98500", "#009e73"
#: Of confidences by tenths: sure from .9 on, as on the page.
_SHADES = (*[_DOUBTFUL] * 9, _SURE)
#: Lines and nodes of the small picture at most.
_SMALL = 150


def plot(
    matching: Matching,
    truth: Any,
    ax: Any,
    labels: bool,
    max_lines: int,
    source_image: Any,
    target_image: Any,
) -> Any:
    """See :meth:`Matching.plot`."""
    try:
        from matplotlib.collections import LineCollection
    except ImportError:
        raise ImportError("plot() needs matplotlib: pip install matplotlib") from None
    right = None if truth is None else dict(truth_pairs(truth, matching.source, matching.target))
    images = {"source_image": source_image, "target_image": target_image}
    drawing = matching._drawing(**{name: image_file(name, image) for name, image in images.items()})
    if ax is None:
        from matplotlib import pyplot

        _, ax = pyplot.subplots(figsize=(11, 5.5))
    (left, left_edges, left_frame), (other, other_edges, other_frame) = drawing["source"], drawing["target"]
    for (name, image), frame in zip(images.items(), (left_frame, other_frame)):
        if image is not None and frame is not None:
            x, y, width, height = frame
            ax.imshow(pixels(name, image), extent=(x, x + width, y + height, y), alpha=0.82, zorder=0)
    for places, edges in ((left, left_edges), (other, other_edges)):
        lines = LineCollection(list(places[edges]), colors=_EDGE, linewidths=0.5, zorder=1)
        lines.set_alpha(_strength(len(edges)))
        ax.add_collection(lines)
    chosen = _chosen(len(matching), max_lines)
    pairs = matching.pairs_by_number[chosen]
    anchors = matching.is_anchor[chosen]
    colours = [
        _ANCHOR if anchor else _colour(right, i, a, sure)
        for (i, a), anchor, sure in zip(
            pairs.tolist(), anchors.tolist(), matching.confidence[chosen].tolist()
        )
    ]
    lines = LineCollection(
        list(np.stack([left[pairs[:, 0]], other[pairs[:, 1]]], axis=1)),
        colors=colours,
        linewidths=np.where(anchors, 1.6, 0.9).tolist(),
        linestyles=["dashed" if colour == _WRONG else "solid" for colour in colours],
        alpha=0.9,
        zorder=2,
    )
    ax.add_collection(lines)
    if right is None:
        _colour_bar(ax)
    else:
        ax.set_title(f"accuracy {matching.accuracy(truth):.3f}")
    _nodes(ax, matching, left, other)
    if labels:
        for places, ids in ((left, matching.source.ids), (other, matching.target.ids)):
            for (x, y), node in zip(places, ids):
                ax.annotate(str(node), (x, y), fontsize=7, textcoords="offset points", xytext=(3, 3))
    # Below the lowest nodes, not among them.
    ax.legend(loc="upper center", bbox_to_anchor=(0.5, 0.0), borderaxespad=0.2, ncols=4, frameon=False)
    _fit(ax, left, other, left_frame, other_frame)
    return ax


def _nodes(ax: Any, matching: Matching, left: FloatArray, other: FloatArray) -> None:
    """Dots; hollow ones without a partner, rings around anchors."""
    record = matching._record
    alone = np.concatenate([left[record["unmatched_source"]], other[record["unmatched_target"]]])
    told = matching.pairs_by_number[matching.is_anchor]
    rings = np.concatenate([left[told[:, 0]], other[told[:, 1]]])
    for places, name, taken in ((left, "source", record["source"]), (other, "target", record["target"])):
        colour = _SOURCE if name == "source" else _TARGET
        x, y = places[taken].T
        ax.scatter(x, y, s=16, color=colour, edgecolors=_GROUND, linewidths=0.5, zorder=3, label=name)
    if len(alone):
        style = {"facecolors": _GROUND, "edgecolors": _OPEN, "linewidths": 1.2, "zorder": 3}
        ax.scatter(alone[:, 0], alone[:, 1], s=16, label="unmatched", **style)
    if len(rings):
        style = {"facecolors": "none", "edgecolors": _ANCHOR, "linewidths": 1.6, "zorder": 4}
        ax.scatter(rings[:, 0], rings[:, 1], s=46, label="anchors", **style)


def _colour_bar(ax: Any) -> None:
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import ListedColormap, Normalize

    shades = ScalarMappable(Normalize(0.0, 1.0), ListedColormap(list(_SHADES)))
    ax.figure.colorbar(shades, ax=ax, label="confidence", shrink=0.8)


def _fit(ax: Any, left: FloatArray, other: FloatArray, *frames: list[float] | None) -> None:
    """Axes around all nodes and images, y downwards."""
    corners = [left, other]
    for frame in frames:
        if frame is not None:
            x, y, width, height = frame
            corners.append(np.array([[x, y], [x + width, y + height]]))
    places = np.concatenate(corners)
    if len(places):
        (left_end, top), (right_end, bottom) = places.min(axis=0), places.max(axis=0)
        room = 12.0
        ax.set_xlim(left_end - room, right_end + room)
        ax.set_ylim(bottom + room, top - room)
    ax.set_aspect("equal")
    ax.set_axis_off()


def picture(matching: Matching) -> str:
    """A few hundred lines of SVG and the key numbers."""
    words = html.escape(repr(matching))
    drawing = matching._drawing()
    (left, left_edges, _), (right, right_edges, _) = drawing["source"], drawing["target"]
    bottom = float(max(left[:, 1].max(), right[:, 1].max())) + 26
    parts = [f'<svg viewBox="0 0 1200 {bottom:.0f}" width="560" role="img" aria-label="{words}">']
    for places, edges in ((left, left_edges), (right, right_edges)):
        few = edges[_chosen(len(edges), 4 * _SMALL)]
        parts.append(f'<g opacity="{_strength(len(few)):.2f}">')
        parts += [_line(places[u], places[v], _EDGE, 1.0) for u, v in few.tolist()]
        parts.append("</g>")
    chosen = _chosen(len(matching), _SMALL)
    sure = zip(matching.confidence[chosen].tolist(), matching.is_anchor[chosen].tolist())
    for (i, a), (confidence, anchor) in zip(matching.pairs_by_number[chosen].tolist(), sure):
        colour = _ANCHOR if anchor else _shade(confidence)
        parts.append(_line(left[i], right[a], colour, 2.4 if anchor else 1.6))
    record = matching._record
    for places, colour, lost in (
        (left, _SOURCE, set(record["unmatched_source"].tolist())),
        (right, _TARGET, set(record["unmatched_target"].tolist())),
    ):
        for k in _chosen(len(places), _SMALL).tolist():
            x, y = places[k].tolist()
            style = (
                f'fill="{_GROUND}" stroke="{_OPEN}" stroke-width="2"' if k in lost else f'fill="{colour}"'
            )
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5" {style}/>')
    parts.append("</svg>")
    return f'<div>{"".join(parts)}<div style="font-size:90%">{words}</div></div>'


def _line(start: FloatArray, end: FloatArray, colour: str, width: float) -> str:
    (x, y), (u, v) = start.tolist(), end.tolist()
    ends = f'x1="{x:.1f}" y1="{y:.1f}" x2="{u:.1f}" y2="{v:.1f}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _strength(edges: int) -> float:
    """The opacity of so many edges, as on the page: many lines make a grey of their own."""
    return float(min(max(24 / max(edges, 1) ** 0.5, 0.06), 0.75))


def _shade(confidence: float) -> str:
    """Sure or doubtful; what is no number is a guess."""
    share = min(max(confidence, 0.0), 1.0) if confidence == confidence else 0.0
    return _SHADES[min(int(share * len(_SHADES)), len(_SHADES) - 1)]


def _colour(truth: dict[int, int] | None, i: int, a: int, confidence: float) -> str:
    """By the truth where there is one, else by confidence."""
    if truth is None:
        return _shade(confidence)
    partner = truth.get(i)
    return _OPEN if partner is None else _RIGHT if partner == a else _WRONG


def _chosen(count: int, most: int) -> Any:
    """Evenly chosen places, all of them when they are few."""
    if count <= most:
        return np.arange(count)
    return np.unique(np.linspace(0, count - 1, max(most, 0)).round().astype(np.int64))
