"""graph_match against values of graspologic, made by scripts/make_compat_values.py."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from anchormatch.compat.graspologic import MatchResult, graph_match

VALUES = json.loads((Path(__file__).parent / "values" / "graspologic.json").read_text())
CASES = {case["name"]: case for case in VALUES["cases"]}


def arrays(arguments):
    """Lists as arrays; a list of layers stays a list of arrays."""
    result = {}
    for name, value in arguments.items():
        if isinstance(value, list):
            array = np.array(value)
            result[name] = list(array) if array.ndim == 3 else array
        else:
            result[name] = value
    return result


def assert_same(name, found, expected, loosely=False):
    assert found.indices_A.tolist() == expected["indices_A"]
    assert found.indices_B.tolist() == expected["indices_B"]
    run, wanted = found.misc[0], expected["misc"][0]
    size = len(run["convex_solution"])
    soft = np.array(wanted["convex_solution"]).reshape(size, size)
    if "smaller" not in name and name != "adopted":
        # Nodes that padding adds are all alike: they take each other's places, and steps differ in length.
        assert run["converged"] == wanted["converged"]
        assert run["n_iter"] == wanted["n_iter"]
        np.testing.assert_allclose(run["convex_solution"], soft, atol=1e-6 if loosely else 1e-10)


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_graspologic(name):
    case = CASES[name]
    given = arrays(case["arguments"])
    found = graph_match(**given, shuffle_input=False)
    assert_same(name, found, case["result"], loosely="transport" in name)
    score = case["result"]["score"]
    if name == "adopted":
        # graspologic's counts n² more: its padding turns the edges between the graphs, all missing, into -1.
        score -= 5**2
    assert found.score == pytest.approx(score, rel=1e-12)
    assert found.score == found.misc[0]["score"]
    # Random orders change nothing where there are no ties.
    shuffled = graph_match(**given, rng=3)
    assert shuffled.indices_B.tolist() == found.indices_B.tolist()


@pytest.mark.parametrize("name", [name for name in CASES if "adopted" not in name])
def test_sparse_arrays_give_the_same(name):
    given = arrays(CASES[name]["arguments"])
    for kind in (scipy.sparse.csr_array, scipy.sparse.csc_matrix):
        sparse = {
            key: [kind(layer) for layer in value] if isinstance(value, list) else kind(value)
            for key, value in given.items()
            if key in ("A", "B", "AB", "BA", "S")
        }
        found = graph_match(**{**given, **sparse}, shuffle_input=False)
        assert_same(name, found, CASES[name]["result"], loosely=True)
        assert found.score == pytest.approx(graph_match(**given, shuffle_input=False).score)


def test_adopted_padding_takes_sparse_arrays():
    given = arrays(CASES["adopted"]["arguments"])
    sparse = {**given, "A": scipy.sparse.csr_array(given["A"])}
    assert graph_match(**sparse, rng=0).indices_B.tolist() == graph_match(**given, rng=0).indices_B.tolist()


def brute_score(a, b, found):
    rows, columns = found.indices_A, found.indices_B
    return (a[np.ix_(rows, rows)] * b[np.ix_(columns, columns)]).sum()


def test_initialisations_are_compared_and_reproducible():
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 12, 12))
    options = {"n_init": 8, "init_perturbation": 0.7, "rng": 11}
    found = graph_match(a, b, **options)
    assert isinstance(found, MatchResult) and found._fields == ("indices_A", "indices_B", "score", "misc")
    scores = [run["score"] for run in found.misc]
    assert len(scores) == 8 and len(set(scores)) > 1
    assert found.score == max(scores)
    assert found.score == pytest.approx(brute_score(a, b, found))
    for jobs in (2, -1):
        again = graph_match(a, b, n_jobs=jobs, **options)
        assert [run["score"] for run in again.misc] == scores
    least = graph_match(a, b, maximize=False, **options)
    assert least.score == min(run["score"] for run in least.misc) < found.score
    generator = np.random.default_rng(11)
    first, second = (graph_match(a, b, n_init=3, init_perturbation=1.0, rng=generator) for _ in range(2))
    assert [run["score"] for run in first.misc] != [run["score"] for run in second.misc]


def test_shuffling_breaks_ties_at_random():
    # Without edges all matchings are alike.
    nothing = np.zeros((8, 8))
    seen = {tuple(graph_match(nothing, nothing, rng=seed).indices_B) for seed in range(5)}
    assert len(seen) > 1
    assert (
        len({tuple(graph_match(nothing, nothing, rng=s, shuffle_input=False).indices_B) for s in range(5)})
        == 1
    )


def test_pairs_may_be_a_tuple_and_lists_may_be_arrays():
    case = arrays(CASES["seeds out of order"]["arguments"])
    pairs = case.pop("partial_match")
    as_tuple = graph_match(**case, partial_match=(list(pairs[:, 0]), list(pairs[:, 1])))
    as_lists = graph_match(case["A"].tolist(), case["B"].tolist(), partial_match=pairs.tolist())
    assert as_tuple.indices_B.tolist() == as_lists.indices_B.tolist()
    assert [as_tuple.indices_B[row] for row in pairs[:, 0]] == pairs[:, 1].tolist()


def test_verbose_prints(capsys):
    a, b = np.random.default_rng(1).random((2, 5, 5))
    graph_match(a, b, verbose=2, n_init=2)
    lines = capsys.readouterr().out.splitlines()
    assert sum(line.startswith("score ") for line in lines) == 2
    assert any(line.startswith("iteration 1: moved ") for line in lines)


def test_a_plan_that_does_not_converge_warns():
    a, b = np.random.default_rng(2).random((2, 6, 6))
    with pytest.warns(UserWarning, match="raise transport_max_iter or transport_tol"):
        graph_match(a, b, transport=True, transport_tol=0, transport_max_iter=3, max_iter=1)


def test_refusals_name_the_argument():
    a, b = np.random.default_rng(3).random((2, 5, 5))
    wrong = [
        ("padding", {"padding": "none"}),
        ("max_iter", {"max_iter": 0}),
        ("n_init", {"n_init": 0}),
        ("tol", {"tol": -1.0}),
        ("init_perturbation", {"init_perturbation": 2.0}),
        ("n_jobs", {"n_jobs": 0, "n_init": 2}),
        ("rng", {"rng": -1}),
        ("AB: found an array of shape", {"AB": a[:3], "BA": b}),
        ("BA: found 2 layers", {"AB": a, "BA": [b, b]}),
        ("S: found", {"S": a[:, :2]}),
        ("`init` matrix must be n x n", {"init": np.eye(4)}),
        ("`init` matrix must be 2d", {"init": "barycenter"}),
        ("`init` matrix must be doubly", {"init": np.ones((5, 5))}),
        ("`partial_match` entries must be less", {"partial_match": [[0, 5]]}),
        ("`partial_match` column entries must be unique", {"partial_match": [[0, 1], [0, 2]]}),
        ("`partial_match` must have two", {"partial_match": [[0, 1, 2]]}),
        ("`partial_match` must contain only positive", {"partial_match": [[0, -1]]}),
    ]
    for words, arguments in wrong:
        with pytest.raises(ValueError, match=words):
            graph_match(a, b, **arguments)
    wrong = [
        ("max_iter", {"max_iter": 2.5}),
        ("tol", {"tol": "x"}),
        ("rng", {"rng": "x"}),
        ("init", {"init": [["a"] * 5] * 5}),
        ("maximize", {"maximize": "no"}),
        ("shuffle_input", {"shuffle_input": 1}),
        ("transport", {"transport": "never"}),
        ("fast", {"fast": None}),
    ]
    for words, arguments in wrong:
        with pytest.raises(TypeError, match=words):
            graph_match(a, b, **arguments)
    with pytest.raises(ValueError, match="A: expected"):
        graph_match(np.full((2, 2), np.nan), np.eye(2))
    with pytest.raises(ValueError, match="B: found an array of shape"):
        graph_match(np.eye(2), np.ones((2, 3)))
