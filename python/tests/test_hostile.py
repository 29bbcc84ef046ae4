"""Whatever is given to a public function, it returns something sound or refuses in words."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hostile import FUNCTIONS


@pytest.mark.parametrize("name", FUNCTIONS)
def test_hostile_arguments_are_refused_in_words(name, tmp_path):
    # In a process of its own, since a dead interpreter is what is looked for, too.
    run = subprocess.run(
        [sys.executable, Path(__file__).with_name("hostile.py"), name],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=600,
    )
    last = run.stderr.splitlines()[-25:]
    assert run.returncode == 0 and run.stdout.endswith(" 0 complaints\n"), "\n".join([run.stdout, *last])
