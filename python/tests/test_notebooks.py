"""The notebooks run, and have the code of the guide that they are."""

from __future__ import annotations

import contextlib
import io
import json
import shutil

import matplotlib.pyplot as plt
from documents import REPOSITORY, blocks, same_text

DOCS = REPOSITORY / "docs"
HALVES = DOCS / "notebooks" / "halves.ipynb"


def code(path):
    """The code cells of a notebook."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    assert notebook["nbformat"] == 4
    for cell in notebook["cells"]:
        assert cell["cell_type"] in ("code", "markdown")
        assert set(cell) >= {"id", "metadata", "source"}
        # Results are not stored: they would grow old.
        assert cell["cell_type"] == "markdown" or (cell["outputs"], cell["execution_count"]) == ([], None)
    ids = [cell["id"] for cell in notebook["cells"]]
    assert len(set(ids)) == len(ids)
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]


def test_the_notebook_of_the_halves_runs(tmp_path, monkeypatch):
    for folder in ("guide-brain", "notebooks"):
        shutil.copytree(DOCS / folder, tmp_path / folder)
    monkeypatch.chdir(tmp_path / "notebooks")
    expected = {block.strip(): text for _, block, text in blocks(DOCS / "guide-brain.md", "python")}
    names: dict[str, object] = {"__name__": "__main__"}
    for number, cell in enumerate(code(HALVES)):
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(cell, f"cell {number}", "exec"), names)
        text = expected.pop(cell.strip(), None)
        assert text is None or same_text(printed.getvalue(), text), f"{cell}\n{printed.getvalue()}"
    plt.close("all")
    assert not expected, "blocks of the guide that the notebook does not have"
    # What it writes lies elsewhere.
    assert sorted(path.name for path in (tmp_path / "notebooks").iterdir()) == ["halves.ipynb"]
    assert {path.suffix for path in (tmp_path / "guide-brain").iterdir()} == {".csv"}
