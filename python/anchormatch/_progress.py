"""Progress: a bar in a terminal or a notebook, a bar of tqdm's kind, or any callable."""

from __future__ import annotations

import html
import inspect
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

__all__ = ["ProgressCallback", "ProgressOption", "reporter"]

#: Called with the stage, the steps done, the steps in all (or ``None``) and a figure worth watching.
ProgressCallback = Callable[[str, int, int | None, float | None], object]
ProgressOption = bool | ProgressCallback | type | None

_WIDTH = 28
#: Seconds between two drawings of a bar.
_PAUSE = 0.1


class _Bar(Protocol):
    def __call__(self, stage: str, done: int, total: int | None, value: float | None) -> object: ...

    def close(self) -> None: ...


@contextmanager
def reporter(progress: ProgressOption) -> Iterator[ProgressCallback | None]:
    """The callback for what a user gave as ``progress``, closed at the end."""
    bar: _Bar
    if progress is None or progress is False:
        yield None
        return
    if progress is True:
        bar = _Notebook() if _in_notebook() else _Terminal()
    elif inspect.isclass(progress) and hasattr(progress, "update") and hasattr(progress, "close"):
        bar = _Foreign(progress)
    elif callable(progress):
        yield progress
        return
    else:
        raise TypeError(
            f"progress: found {progress!r}, expected True, False, a function of stage, done, total and "
            "value, or a class of bars such as tqdm.tqdm"
        )
    try:
        yield bar
    finally:
        bar.close()


def _line(stage: str, done: int, total: int | None, value: float | None) -> str:
    """One line of text for a step."""
    if total:
        filled = round(_WIDTH * min(done / total, 1.0))
        text = f"{stage} [{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}"
    else:
        text = f"{stage} {done}" if done else stage
    return text if value is None else f"{text}  {value:.6g}"


class _Terminal:
    """A line on standard error that is drawn over and over; nothing where that is no terminal."""

    def __init__(self) -> None:
        self._stream = sys.stderr
        self._shown = 0
        self._next = 0.0

    def __call__(self, stage: str, done: int, total: int | None, value: float | None) -> None:
        now = time.monotonic()
        if now < self._next or self._stream is None or not self._stream.isatty():
            return
        self._next = now + _PAUSE
        text = _line(stage, done, total, value)
        self._stream.write("\r" + text.ljust(self._shown))
        self._stream.flush()
        self._shown = len(text)

    def close(self) -> None:
        if self._shown:
            self._stream.write("\r" + " " * self._shown + "\r")
            self._stream.flush()


class _Notebook:
    """The same as an output of the cell, which is emptied at the end."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html = HTML
        self._handle: Any = display(HTML(""), display_id=True)
        self._next = 0.0

    def __call__(self, stage: str, done: int, total: int | None, value: float | None) -> None:
        now = time.monotonic()
        if now < self._next or self._handle is None:
            return
        self._next = now + _PAUSE
        share = f' value="{done}" max="{total}"' if total else ""
        figure = "" if value is None else f" {value:.6g}"
        words = html.escape(f"{stage} {done}" + (f"/{total}" if total else "") + figure)
        self._handle.update(self._html(f"<progress{share}></progress> {words}"))

    def close(self) -> None:
        if self._handle is not None:
            self._handle.update(self._html(""))


class _Foreign:
    """A bar of tqdm's kind for each stage."""

    def __init__(self, kind: Any) -> None:
        self._kind = kind
        self._bar: Any = None
        self._stage: str | None = None
        self._done = 0

    def __call__(self, stage: str, done: int, total: int | None, value: float | None) -> None:
        if stage != self._stage or done < self._done:
            self.close()
            self._bar = self._kind(total=total, desc=stage)
            self._stage, self._done = stage, 0
        if total is not None and self._bar.total != total:
            self._bar.total = total
        self._bar.update(done - self._done)
        self._done = done

    def close(self) -> None:
        if self._bar is not None:
            self._bar.close()
            self._bar = None
            self._stage = None


def _in_notebook() -> bool:
    """Whether this runs in a kernel that can show HTML."""
    if "IPython" not in sys.modules:
        return False
    from IPython import get_ipython

    return type(get_ipython()).__name__ == "ZMQInteractiveShell"
