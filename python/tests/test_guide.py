"""The guide does what it says."""

from __future__ import annotations

import contextlib
import io
import shutil

import pytest
from documents import REPOSITORY, blocks, same_text

GUIDE = REPOSITORY / "docs" / "guide.md"


# Dask's processes leave sockets behind.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_the_python_blocks_print_what_stands_below_them(tmp_path, monkeypatch):
    for file in (REPOSITORY / "docs" / "guide").glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    found = blocks(GUIDE, "python")
    assert len(found) > 10
    names: dict[str, object] = {"__name__": "guide"}
    for line, code, expected in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(GUIDE), "exec"), names)
        assert same_text(printed.getvalue(), expected), f"line {line}: {printed.getvalue()}"
    assert (tmp_path / "match.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_the_python_blocks_of_the_readme_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found = blocks(REPOSITORY / "README.md", "python")
    assert found
    for line, code, _ in found:
        exec(compile("\n" * line + code, "README.md", "exec"), {"__name__": "readme"})


def test_texts_are_compared_with_some_room_for_figures_only():
    assert same_text("a  0.92\nb 3\n", "a 0.95\n b  3")
    assert not same_text("a 0.92\nb 3", "a 0.7\nb 3")
    assert not same_text("a 0.92\nb 3", "a 0.92\nb 4")
    assert not same_text("a 0.92\nb 3", "a 0.92")
