"""The guides do what they say."""

from __future__ import annotations

import contextlib
import io
import shutil
import subprocess
import sys

import pytest
from documents import REPOSITORY, blocks, same_text

#: The guides, each with the fewest blocks that it has.
GUIDES = {"guide": 10, "guide-brain": 5, "guide-profiles": 5}


# Dask's processes leave sockets behind.
@pytest.mark.filterwarnings("ignore::ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("guide", GUIDES)
def test_the_python_blocks_print_what_stands_below_them(guide, tmp_path, monkeypatch):
    for file in (REPOSITORY / "docs" / guide).glob("*.csv"):
        shutil.copy(file, tmp_path)
    monkeypatch.chdir(tmp_path)
    path = REPOSITORY / "docs" / f"{guide}.md"
    found = blocks(path, "python")
    assert len(found) >= GUIDES[guide]
    names: dict[str, object] = {"__name__": "guide"}
    for line, code, expected in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * line + code, str(path), "exec"), names)
        assert same_text(printed.getvalue(), expected), f"line {line}: {printed.getvalue()}"
    assert (tmp_path / "match.html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


@pytest.mark.parametrize("guide", ["guide-brain", "guide-profiles"])
def test_the_files_of_a_guide_are_what_its_script_writes(guide, tmp_path):
    script = REPOSITORY / "scripts" / "make_guides.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    made = {file.name: file.read_bytes() for file in (tmp_path / guide).iterdir()}
    assert made == {file.name: file.read_bytes() for file in (REPOSITORY / "docs" / guide).iterdir()}


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
