"""The studio: a page that this process serves."""

from __future__ import annotations

from collections.abc import Hashable
from html import escape
from types import TracebackType
from typing import TYPE_CHECKING

from ._graph import Graph

if TYPE_CHECKING:
    from ._native import Studio as NativeStudio

__all__ = ["Studio"]

#: A source id, a target id and the weight; ``None`` where there is no partner.
Row = tuple[Hashable | None, Hashable | None, float]


class Studio:
    """A page that is being served; see :meth:`Matching.studio`."""

    def __init__(self, native: NativeStudio, source: Graph, target: Graph) -> None:
        self._native = native
        self._source = source
        self._target = target
        self._last: list[Row] = []

    @property
    def url(self) -> str:
        """The address of the page, with its token: who has it may change the anchors."""
        return self._native.url

    @property
    def file(self) -> str:
        """The file that every change is written to."""
        return str(self._native.file)

    @property
    def anchors(self) -> list[Row]:
        """What was said, as :func:`match` takes it: source, target, weight; ``None`` for no partner."""
        said = self._native.anchors()
        if said is not None:
            pairs, alone_source, alone_target = said
            left, right = self._source.ids, self._target.ids
            rows: list[Row] = [(left[s], right[t], weight) for s, t, weight in pairs]
            rows += [(left[s], None, 1.0) for s in alone_source]
            rows += [(None, right[t], 1.0) for t in alone_target]
            self._last = rows
        return self._last

    def stop(self) -> None:
        """End the page; :attr:`anchors` stay as they were."""
        _ = self.anchors
        self._native.stop()

    def __enter__(self) -> Studio:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"Studio({self.url}, anchors in {self.file})"

    def _repr_html_(self) -> str:
        address = escape(self.url, quote=True)
        return (
            f'<a href="{address}" target="_blank" rel="noopener noreferrer">Open the studio</a>, '
            f"anchors go to <code>{escape(self.file)}</code>"
        )
