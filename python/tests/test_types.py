"""The stubs say what the compiled module has."""

from __future__ import annotations

import inspect
import subprocess
import sys

import anchormatch as am
from anchormatch import _native


def test_the_stubs_match_the_module():
    run = subprocess.run(
        [sys.executable, "-m", "mypy.stubtest", "anchormatch._native", "--ignore-disjoint-bases"],
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_everything_public_is_explained_and_typed():
    for name in am.__all__:
        if name.startswith("__"):
            continue
        thing = getattr(am, name)
        assert inspect.getdoc(thing), name
        if inspect.isfunction(thing):
            hints = inspect.get_annotations(thing)
            assert set(hints) == {*inspect.signature(thing).parameters, "return"}, name
            assert "Examples" in (inspect.getdoc(thing) or "") or name == "read_problems", name
    for cls in (am.Matching, am.Graph, am.Problem, am.Solution):
        for name, member in vars(cls).items():
            if not name.startswith("_") and (callable(member) or isinstance(member, property)):
                assert inspect.getdoc(member), f"{cls.__name__}.{name}"


def test_versions_agree():
    from importlib.metadata import version

    assert am.__version__ == _native.__version__ == version("anchormatch")
