"""What the library advises, in the words of Python."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pytest

import anchormatch as am
from anchormatch import _native

HINTS = dict(_native.hints())


def test_every_hint_has_words_that_name_no_option_of_the_command():
    assert HINTS
    for name, words in HINTS.items():
        assert words, name
        assert "--" not in words, (name, words)


def test_the_keywords_that_hints_name_exist():
    functions = (am.match, am.graph, am.points, am.solve, am.signature, am.heat_kernel)
    keywords = {keyword for function in functions for keyword in inspect.signature(function).parameters}
    named = {word for words in HINTS.values() for word in re.findall(r"\w+_\w+|\w+(?==)", words or "")}
    assert {"max_memory", "repair_anchors", "duplicates"} <= named
    assert named <= keywords


def test_refusals_and_notes_end_with_advice():
    pair = am.generate.synthetic(20, noise=0.05, seed=3)
    with pytest.raises(
        MemoryError, match='; raise max_memory, try regime="sparse", or match smaller graphs$'
    ):
        am.match(pair.source, pair.target, max_memory="13K")
    words = (
        "; raise max_memory, match on a cluster with anchormatch.cluster.match, or match smaller graphs$"
    )
    ring = am.graph([(i, (i + 1) % 400) for i in range(400)])
    with pytest.raises(MemoryError, match=words):
        am.match(ring, ring, regime="sparse", max_memory="300K")
    with pytest.raises(MemoryError, match="; raise max_memory, take fewer points, or give a sparse graph"):
        am.points(np.zeros((100_000, 2)), max_memory="1M").edges()
    wrong = pair.truth[:4].copy()
    wrong[0, 1] = pair.truth[5, 1]
    m = am.match(pair.source, pair.target, wrong)
    advice = [note for note in m.notes if note.endswith("; repair_anchors=True would demote it")]
    assert len(advice) == 1, m.notes
