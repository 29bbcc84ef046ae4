"""How far a match is to be trusted: alternatives, doubtful pairs, chance, nodes that are alike."""

from __future__ import annotations

import math
import pickle

import numpy as np
import pytest

import anchormatch as am

PATH = [(i, i + 1) for i in range(29)]


def test_nodes_that_nothing_tells_apart_share_the_probability():
    m = am.match(PATH, PATH)
    assert m.alike.tolist() == [2] * 30
    assert np.abs(m.confidence - 0.5).max() < 0.05
    ranked = m.alternatives[3]
    assert {other for other, _ in ranked[:2]} == {3, 26}
    assert sum(p for _, p in ranked) <= 1 + 1e-9
    told = am.match(PATH, PATH, {0: 0})
    assert told.alike.tolist() == [1] * 30 and told.confidence.min() > 0.95
    assert 0 not in told.alternatives and told.alternatives[5][0][0] == 5


def test_unrelated_graphs_are_said_to_be():
    rng = np.random.default_rng(4)
    graphs = []
    for _ in range(2):
        upper = np.triu(rng.random((40, 40)) < 0.2, 1)
        graphs.append((upper | upper.T).astype(float))
    m = am.match(*graphs)
    assert m.beyond_chance is not None and m.beyond_chance < 0
    assert any("chance could explain" in note for note in m.notes)
    assert m.confidence.mean() < 0.1
    same = am.match(graphs[0], graphs[0])
    assert same.beyond_chance is not None and same.beyond_chance > 0


def test_doubtful_pairs_can_be_left_out():
    made = am.generate.synthetic(14, noise=0.5, seed=3)
    m = am.match(made.source, made.target, made.anchors(2))
    sure = m.above(0.8)
    free = sure.confidence[~sure.is_anchor]
    assert len(sure.pairs) < len(m.pairs) and (free >= 0.8).all()
    assert set(sure.unmatched_source) == {i for i, _ in m.pairs} - {i for i, _ in sure.pairs}
    asked = am.match(made.source, made.target, made.anchors(2), min_confidence=0.8)
    assert asked.pairs == sure.pairs
    assert sure.expected_precision > m.expected_precision
    assert sure.expected_recall <= m.expected_recall
    again = pickle.loads(pickle.dumps(sure))
    assert again.expected_recall == sure.expected_recall
    assert sure.to_html().startswith("<!DOCTYPE html>")
    with pytest.raises(ValueError, match="found 1.5, expected a number between 0 and 1"):
        m.above(1.5)


def test_top_says_how_many_candidates_are_kept():
    made = am.generate.synthetic(14, noise=0.4, seed=5)
    for top in (1, 6):
        m = am.match(made.source, made.target, made.anchors(2), top=top)
        lengths = [
            len([other for other, _ in ranked if other is not None]) for ranked in m.alternatives.values()
        ]
        assert max(lengths) == top
    with pytest.raises(ValueError, match="^top: found with preset='paper'"):
        am.match(made.source, made.target, made.anchors(2), preset="paper", top=3)
    plain = am.match(made.source, made.target, made.anchors(2), preset="paper")
    assert plain.alternatives == {} and plain.beyond_chance is None
    assert math.isnan(plain.expected_recall)
