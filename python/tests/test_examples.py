"""Every example runs and prints what stands in the file beside it, as its twin in Rust does."""

from __future__ import annotations

import subprocess
import sys

import pytest
from documents import REPOSITORY, same_text

FOLDER = REPOSITORY / "python" / "examples"
#: Not run here: Ray is large, and has tests of its own.
ELSEWHERE = {"many_pairs_ray"}
EXAMPLES = sorted({path.stem for path in FOLDER.glob("*.py")} - ELSEWHERE)


@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_prints_what_is_promised(name, tmp_path):
    run = subprocess.run(
        [sys.executable, str(FOLDER / f"{name}.py")],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=600,
    )
    assert run.returncode == 0, run.stderr
    assert same_text(run.stdout, (FOLDER / f"{name}.txt").read_text(encoding="utf-8")), run.stdout


def test_every_example_has_a_twin_in_rust():
    rust = {path.stem for path in (REPOSITORY / "crates" / "anchormatch" / "examples").glob("*.rs")}
    python = {path.stem for path in FOLDER.glob("*.py")}
    # A cluster is a matter of Python; benchmarks are no examples.
    assert python - {"many_pairs_dask", "many_pairs_ray"} == {
        name for name in rust if not name.startswith("bench_")
    }
