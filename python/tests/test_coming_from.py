"""The code of docs/coming-from.md runs, and what it asserts holds."""

from __future__ import annotations

import ast
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "coming-from.md"


def test_the_code_of_the_page_runs():
    blocks = re.findall(
        r"^```python\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert len(blocks) >= 14
    names: dict[str, object] = {}
    skipped = set()
    for number, block in enumerate(blocks):
        imported = {
            (node.module if isinstance(node, ast.ImportFrom) else node.names[0].name).split(".")[0]
            for node in ast.walk(ast.parse(block))
            if isinstance(node, (ast.Import, ast.ImportFrom))
        }
        missing = {name for name in imported if find_spec(name) is None}
        if missing:
            skipped |= missing
            continue
        try:
            exec(compile(block, f"{PAGE.name}, block {number + 1}", "exec"), names)
        except Exception as error:
            pytest.fail(f"block {number + 1}: {error!r}\n{block}")
    assert skipped <= {"graspologic", "pygmtools", "ot"}
