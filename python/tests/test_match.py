"""Matching: anchors in every form, the result, presets, limits, and arguments that make no sense."""

from __future__ import annotations

import copy
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import anchormatch as am
from anchormatch import _native


def test_the_truth_is_found_by_every_preset(pair):
    for preset in ("best", "fast", "paper"):
        m = am.match(pair.source, pair.target, pair.anchors, preset=preset)
        assert m.accuracy(pair.truth) == 1.0, preset
        assert m.mapping == dict(pair.truth.tolist())
        assert m.parameters["preset"] == preset
        assert m.status in ("converged", "iteration_limit")
        assert m.unmatched_source == [] == m.unmatched_target


def test_a_preset_without_a_seed_gets_none(pair, monkeypatch):
    matchers, match_graphs = _native.matchers(), _native.match_graphs
    settings = []

    def instead(*arguments):
        *first, preset, given, resources = arguments
        assert preset == "still"
        settings.append(given)
        return match_graphs(*first, "fast", {}, resources)

    monkeypatch.setattr(_native, "matchers", lambda: [*matchers, ("still", "draws nothing", {}, [])])
    monkeypatch.setattr(_native, "match_graphs", instead)
    m = am.match(pair.source, pair.target, pair.anchors, preset="still", seed=7)
    assert settings == [{}]
    assert m.parameters["seed"] == "7"


def test_anchors_in_every_form(pair):
    pairs = [(0, int(pair.partner[0])), (1, int(pair.partner[1]))]
    forms = [
        dict(pairs),
        pairs,
        tuple(pairs),
        [list(p) for p in pairs],
        np.array(pairs),
        np.array(pairs, dtype=float),
        np.column_stack([np.array(pairs, dtype=float), np.ones(2)]),
        pd.Series(dict(pairs)),
        pd.DataFrame(pairs, columns=["source", "target"]),
        pd.DataFrame(pairs, columns=["x", "y"]),
        iter(pairs),
    ]
    want = am.match(pair.source, pair.target, pairs, preset="fast")
    for form in forms:
        got = am.match(pair.source, pair.target, form, preset="fast")
        assert got.pairs == want.pairs
        assert got.is_anchor.tolist() == want.is_anchor.tolist() and got.is_anchor.sum() == 2


def test_no_anchors_at_all(pair):
    for nothing in (None, [], {}, np.empty((0, 2))):
        assert am.match(pair.source, pair.target, nothing).is_anchor.sum() == 0


def test_soft_anchors_are_evidence(pair):
    ring = [(i, (i + 1) % 8) for i in range(8)] + [(0, 4)]
    hints = [(1, 1, 0.9), (2, 2, 0.8)]
    m = am.match(ring, ring, hints)
    assert m.is_anchor.sum() == 0
    assert m.mapping[1] == 1
    table = pd.DataFrame(hints, columns=["source", "target", "weight"])
    assert am.match(ring, ring, table).pairs == m.pairs


def test_ids_come_back_as_they_went_in(pair):
    names = [f"n{i}" for i in range(10)]
    keys = [(i, "t") for i in range(10)]
    source, target = am.graph(pair.source, ids=names), am.graph(pair.target, ids=keys)
    truth = {names[i]: keys[a] for i, a in pair.truth.tolist()}
    m = am.match(source, target, {"n0": truth["n0"], "n1": truth["n1"]})
    assert m.mapping == truth
    assert m.accuracy(truth) == 1.0
    assert m.pairs[0][0] is names[0]


def test_truth_in_every_form(pair):
    m = am.match(pair.source, pair.target, pair.anchors)
    for truth in (
        pair.truth,
        pair.partner,
        dict(pair.truth.tolist()),
        pair.truth.tolist(),
        pd.Series(pair.partner),
    ):
        assert m.accuracy(truth) == 1.0
    wrong = pair.partner.copy()
    wrong[[2, 3]] = wrong[[3, 2]]
    assert m.accuracy(wrong) == 6 / 8
    alone = pair.partner.copy()
    alone[5:] = -1
    assert m.accuracy(alone) == 1.0
    assert math.isnan(m.accuracy(pair.anchors))
    for bad, words in [
        (pair.partner[:3], "found 3 partners"),
        (pair.partner + 5, "below 10"),
        ([(0, 1), (0, 2)], "two partners"),
        ([(99, 1)], "found 99"),
    ]:
        with pytest.raises(ValueError, match=words):
            m.accuracy(bad)


def test_outliers_stay_alone_when_they_may():
    made = am.generate.synthetic(14, source_outliers=3, target_outliers=4, noise=0.02, seed=5)
    m = am.match(made.source, made.target, made.anchors(3), allow_unmatched=True)
    assert m.accuracy(made.truth) == 1.0
    assert len(m.unmatched_source) >= 1 and len(m.unmatched_target) >= 1
    assert len(m) + len(m.unmatched_source) == 17
    assert len(m) + len(m.unmatched_target) == 18


def test_similarities_break_symmetries():
    path = [("a", "b"), ("b", "c")]
    similarity = np.array([[0, 0, 1], [0, 1, 0], [1, 0, 0]])
    want = {"a": "c", "b": "b", "c": "a"}
    assert am.match(path, path, node_similarity=similarity).mapping == want
    turned = np.asfortranarray([[0, 1, 0], [0, 0, 1], [1, 0, 0]], dtype=float)
    assert am.match(np.ones((3, 3)), np.ones((3, 3)), node_similarity=turned).mapping == {0: 1, 1: 2, 2: 0}
    table = pd.DataFrame(similarity[::-1], index=["c", "b", "a"], columns=["a", "b", "c"])
    assert am.match(path, path, node_similarity=table).mapping == want
    for bad in (similarity[:2], similarity * np.nan):
        with pytest.raises(ValueError, match="node_similarity"):
            am.match(path, path, node_similarity=bad)
    with pytest.raises(ValueError, match="no row or column for 'a'"):
        am.match(path, path, node_similarity=table.drop(index="a"))


def test_wrong_anchors_are_named_and_repaired(pair):
    wrong = pair.truth[:4].copy()
    wrong[[0, 1], 1] = wrong[[1, 0], 1]
    m = am.match(pair.source, pair.target, wrong)
    suspicious = {check.source for check in m.anchor_report if check.suspicion > 0.5}
    assert suspicious & {0, 1}
    repaired = am.match(pair.source, pair.target, wrong, repair_anchors=True)
    assert repaired.accuracy(pair.truth) == 1.0
    assert any(check.demoted for check in repaired.anchor_report)


def test_the_same_seed_gives_the_same_result_on_any_number_of_threads():
    made = am.generate.synthetic(20, noise=0.3, seed=2)
    runs = [am.match(made.source, made.target, made.anchors(2), threads=t, seed=4) for t in (1, 2, 3)]
    for run in runs[1:]:
        assert run.pairs == runs[0].pairs
        np.testing.assert_array_equal(run.confidence, runs[0].confidence)
    drawn = [am.match(made.source, made.target, seed=np.random.default_rng(1)).pairs for _ in range(2)]
    assert drawn[0] == drawn[1]


def test_solvers_and_their_options(pair):
    m = am.match(
        pair.source, pair.target, pair.anchors, solver="faq", solver_options={"max_iterations": 50}
    )
    assert m.accuracy(pair.truth) == 1.0
    m = am.match(
        pair.source, pair.target, pair.anchors, preset="paper", solver="tabu", terms="adjacency", tau=2.0
    )
    assert m.parameters["terms"] == "adjacency" and m.parameters["solver"] == "tabu"


def test_results_survive_pickling_and_copying(pair):
    target = am.graph(pair.target, ids=[f"t{i}" for i in range(10)])
    anchors = [(0, f"t{pair.partner[0]}"), (1, f"t{pair.partner[1]}")]
    m = am.match(pair.source, target, anchors)
    for other in (pickle.loads(pickle.dumps(m)), copy.deepcopy(m)):
        assert other.pairs == m.pairs
        np.testing.assert_array_equal(other.confidence, m.confidence)
        assert other.suggest(3) == m.suggest(3)
        assert other.to_html() == m.to_html()
        assert repr(other) == repr(m)
        np.testing.assert_array_equal(np.asarray(other.target), pair.target)


def test_a_page_may_be_about_a_node():
    ring = [(i, (i + 1) % 3000) for i in range(3000)]
    m = am.match(ring, ring, {0: 0, 1: 1})
    assert 'data-n="1500"' not in m.to_html()
    assert 'data-n="1500"' in m.to_html(around=[1500])
    with pytest.raises(ValueError, match="around"):
        m.to_html(around=[3000])
    with pytest.raises(TypeError, match="expected a list of nodes"):
        m.to_html(around="ann")


def test_the_result_reads_well(pair):
    m = am.match(pair.source, pair.target, pair.anchors)
    assert repr(m).startswith("Matching(10 pairs, 2 of them anchors, of 10 and 10 nodes")
    frame = m.to_frame()
    assert list(frame.columns) == ["source", "target", "confidence", "anchor"]
    assert list(zip(frame.source, frame.target)) == m.pairs == list(m)
    assert frame.anchor.sum() == 2 and (frame.confidence[frame.anchor] == 1).all()
    assert len(m) == 10 and m.objective == m.objective and m.iterations >= 0
    assert set(m.timings) >= {"search"} and all(seconds >= 0 for seconds in m.timings.values())
    assert m.diagnostics["convergence"].dtype == float
    assert m.source.n_nodes == 10


def test_suggestions_are_open_nodes(pair):
    made = am.generate.synthetic(12, noise=0.4, seed=3)
    m = am.match(made.source, made.target, made.anchors(1))
    asked = m.suggest(50)
    anchored = {int(made.anchors(1)[0, 0])}
    assert {s.node for s in asked} == set(range(12)) - anchored
    assert asked[0].partner == m.mapping[asked[0].node]
    assert m.suggest(0) == []
    with pytest.raises(ValueError, match="k"):
        m.suggest(-1)


BAD_ANCHORS = [
    ([(0, 0), (0, 1)], ValueError, "anchored twice"),
    ([(0, 0), (1, 0)], ValueError, "anchored twice"),
    ([(0, 10)], ValueError, "0 to 9, a node of the target graph"),
    ([(-1, 0)], ValueError, "found -1"),
    ([("0", 0)], ValueError, "did you mean 0, of type int"),
    ([(0.5, 0)], ValueError, "found 0.5"),
    ([(0, 0, 0.0)], ValueError, "above 0 and at most 1"),
    ([(0, 0, 1.5)], ValueError, "above 0 and at most 1"),
    ([(0, 0, float("nan"))], ValueError, "above 0 and at most 1"),
    ([(0, 0, "sure")], TypeError, "expected a number"),
    ([(0,)], ValueError, "found \\(0,\\)"),
    ([0, 1], ValueError, "found 0"),
    ("ab", TypeError, "type str"),
    (7, TypeError, "type int"),
    (np.zeros(3), ValueError, "k×2"),
    (np.array([[0.0, np.nan]]), ValueError, "found nan"),
    (pd.DataFrame(np.zeros((2, 4))), ValueError, "columns"),
]


@pytest.mark.parametrize(("anchors", "kind", "words"), BAD_ANCHORS)
def test_bad_anchors_are_refused_in_words(pair, anchors, kind, words):
    with pytest.raises(kind, match=words):
        am.match(pair.source, pair.target, anchors)


def test_errors_call_nodes_by_their_ids(pair):
    named = am.graph(pair.source, ids=list("abcdefghij"))
    with pytest.raises(ValueError, match="source node `a` is anchored twice, to `b` and to `c`"):
        am.match(named, named, [("a", "b"), ("a", "c")])
    with pytest.raises(
        ValueError, match="found 'z', expected the id of a node of the source graph, such as 'a'"
    ):
        am.match(named, named, [("z", "b")])


BAD_OPTIONS = [
    ({"preset": "worst"}, ValueError, "best, fast, paper"),
    ({"solver": "magic"}, ValueError, "one of rrwm"),
    ({"solver_options": {"x": 1}}, TypeError, "without a solver"),
    ({"solver": "faq", "solver_options": {"x": 1}}, TypeError, "restarts, max_iterations, tolerance"),
    ({"solver": "faq", "solver_options": {"tolerance": "low"}}, TypeError, "expected a number"),
    ({"solver": "faq", "solver_options": {"restarts": -1}}, TypeError, "0 or more"),
    ({"solver": "faq", "solver_options": {"tolerance": float("nan")}}, ValueError, "tolerance"),
    ({"seed": -1}, ValueError, "seed"),
    ({"seed": 2**64}, ValueError, "seed"),
    ({"seed": "x"}, TypeError, "seed"),
    ({"threads": 0}, ValueError, "threads"),
    ({"threads": 1e9}, TypeError, "threads"),
    ({"threads": 5000}, ValueError, "threads"),
    ({"time_limit": -1}, ValueError, "time_limit"),
    ({"time_limit": float("nan")}, ValueError, "time_limit"),
    ({"time_limit": "soon"}, TypeError, "time_limit"),
    ({"max_memory": -1}, ValueError, "max_memory"),
    ({"max_memory": "much"}, ValueError, "max_memory"),
    ({"max_memory": 100}, MemoryError, "would take"),
    ({"progress": 3}, TypeError, "progress"),
    ({"tau": 1.0}, ValueError, "tau: found with preset='best'"),
    ({"preset": "paper", "allow_unmatched": True}, ValueError, "allow_unmatched"),
    ({"preset": "paper", "tau": -1.0}, ValueError, "tau"),
    ({"preset": "paper", "tau": float("nan")}, ValueError, "tau"),
    ({"preset": "paper", "width": 0.0}, ValueError, "width"),
    ({"preset": "paper", "terms": "cold"}, ValueError, "terms"),
    ({"preset": "paper", "learner": "late"}, ValueError, "learner"),
    ({"preset": "paper", "eigenvectors": -3}, (OverflowError, TypeError, ValueError), "."),
]


@pytest.mark.parametrize(("options", "kind", "words"), BAD_OPTIONS)
def test_bad_options_are_refused_in_words(pair, options, kind, words):
    with pytest.raises(kind, match=words):
        am.match(pair.source, pair.target, pair.anchors, **options)


def test_degenerate_graphs_are_matched():
    one = np.zeros((1, 1))
    assert am.match(one, one).pairs == [(0, 0)]
    for preset in ("best", "fast", "paper"):
        for n, m in [(1, 3), (3, 1), (2, 2), (4, 5)]:
            got = am.match(np.zeros((n, n)), np.zeros((m, m)), preset=preset)
            assert len(got) == min(n, m), (preset, n, m)
        full = np.ones((4, 4))
        everything = [(i, i) for i in range(4)]
        assert am.match(full, full, everything, preset=preset).pairs == everything
    negative = -np.ones((4, 4))
    assert len(am.match(negative, negative)) == 4
    huge = np.full((4, 4), 1e308)
    tiny = np.full((4, 4), 5e-324)
    for odd in (huge, tiny):
        try:
            assert len(am.match(odd, odd)) == 4
        except (ValueError, RuntimeError) as error:
            assert str(error)
