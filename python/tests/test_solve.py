"""Programs on arrays, against brute force and SciPy."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.optimize
import scipy.sparse as sp

import anchormatch as am


def value(a, b, p):
    return float((a * b[np.ix_(p, p)]).sum())


def best_value(a, b, maximize=True):
    values = [value(a, b, list(p)) for p in itertools.permutations(range(len(b)), len(a))]
    return max(values) if maximize else min(values)


@pytest.fixture(scope="module")
def matrices():
    rng = np.random.default_rng(5)
    return rng.random((5, 5)), rng.random((6, 6))


@pytest.mark.parametrize("info", am.solvers(), ids=lambda info: info.name)
def test_every_solver_keeps_its_word(info, matrices):
    a, b = matrices
    if info.name in ("smac", "umeyama", "path", "anneal"):
        a = a + a.T
        b = (b + b.T)[:5, :5]
    try:
        found = am.solve((a, b), info.name)
    except ValueError as error:
        # Some take symmetric or sparse matrices only, and say so.
        assert "expected" in str(error)
        return
    p = found.assignment
    assert sorted(set(p.tolist())) == sorted(p.tolist()) and p.min() >= 0
    assert found.objective == pytest.approx(value(a, b, p))
    assert found.objective <= best_value(a, b) + 1e-9
    if found.soft is not None:
        assert found.soft.shape == (len(a), len(b))
        assert found.soft.sum(axis=1).max() <= 1.05
    assert found.status in ("converged", "iteration_limit")
    assert found.pairs.tolist() == [[i, j] for i, j in enumerate(p.tolist())]
    assert found.matrix(len(b)).sum() == len(a)


@pytest.mark.parametrize("maximize", [True, False])
def test_searches_find_the_optimum(matrices, maximize):
    a, b = matrices
    best = best_value(a, b, maximize)
    for solver in ("tabu", "portfolio", "ils"):
        found = am.solve((a, b), solver, maximize=maximize)
        assert found.objective == pytest.approx(best), solver


def test_sparse_and_dense_give_the_same(matrices):
    a, b = (m * (m > 0.4) for m in matrices)
    dense = am.solve((a, b), "faq")
    for form in (sp.csr_array, sp.coo_matrix, sp.lil_array):
        found = am.solve((form(a), form(b)), "faq")
        np.testing.assert_array_equal(found.assignment, dense.assignment)
    mixed = am.solve((sp.csc_array(a), b), "faq")
    np.testing.assert_array_equal(mixed.assignment, dense.assignment)
    graphs = am.solve((nx.cycle_graph(5), am.graph(nx.cycle_graph(5))), "faq")
    assert graphs.objective == 10.0


def test_an_explicit_matrix_in_both_orders(matrices):
    a, b = matrices[0][:3, :3], matrices[1][:4, :4]
    k = np.einsum("ij,ab->iajb", a, b).reshape(12, 12)
    f = np.einsum("ij,ab->aibj", a, b).reshape(12, 12)
    want = best_value(a, b)
    forms = [
        (k, "C"),
        (f, "F"),
        (sp.csr_array(k), "C"),
        (sp.coo_array(f), "F"),
        (np.asfortranarray(k), "C"),
    ]
    for matrix, order in forms:
        found = am.solve(matrix, "portfolio", shape=(3, 4), order=order)
        assert found.objective == pytest.approx(want), order
        assert value(a, b, found.assignment) == pytest.approx(want)
    for solver in ("rrwm", "sm", "ipfp", "2opt", "gagm"):
        found = am.solve(k, solver, shape=(3, 4))
        assert found.objective == pytest.approx(value(a, b, found.assignment)), solver


def test_a_linear_part(matrices):
    a, b = matrices
    linear = np.asfortranarray(np.random.default_rng(1).random((5, 6)) * 10)
    want = max(
        value(a, b, list(p)) + linear[range(5), p].sum() for p in itertools.permutations(range(6), 5)
    )
    assert am.solve((a, b), "portfolio", linear=linear).objective == pytest.approx(want)
    k = np.einsum("ij,ab->iajb", a, b).reshape(30, 30)
    assert am.solve(k, "portfolio", shape=(5, 6), linear=linear).objective == pytest.approx(want)


def test_seeds_are_kept_and_count(matrices):
    a, b = matrices
    linear = np.random.default_rng(2).random((5, 6))
    seeds = [[1, 4], [3, 0]]
    allowed = [p for p in itertools.permutations(range(6), 5) if p[1] == 4 and p[3] == 0]
    want = max(value(a, b, list(p)) + linear[range(5), p].sum() for p in allowed)
    found = am.solve((a, b), "portfolio", seeds=seeds, linear=linear)
    assert found.objective == pytest.approx(want)
    assert found.assignment[1] == 4 and found.assignment[3] == 0
    relaxed = am.solve((a, b), "faq", seeds=np.array(seeds))
    assert relaxed.soft.shape == (5, 6) and relaxed.soft[1, 4] == relaxed.soft[3, 0] == 1.0
    start = np.full((5, 6), 1 / 6)
    small = np.full((3, 4), 1 / 4)
    for soft in (start, small):
        again = am.solve((a, b), "faq", seeds=seeds, start=soft)
        assert again.assignment[1] == 4
    problem = am.Problem.product(a, b, seeds=seeds)
    assert problem.shape == (5, 6)
    assert problem.objective(relaxed.assignment) == pytest.approx(relaxed.objective)


def test_starts_are_used(matrices):
    a, b = (m + m.T for m in (matrices[0], matrices[1][:5, :5]))
    best = am.solve((a, b), "portfolio")
    still = am.solve((a, b), "2opt", start=best.assignment)
    assert still.objective == pytest.approx(best.objective)
    assert am.solve((a, b), "2opt", start=best).objective == pytest.approx(best.objective)
    stay = am.solve((a, b), "2opt", start=[4, 3, 2, 1, 0], options={"max_moves": 0})
    assert stay.assignment.tolist() == [4, 3, 2, 1, 0]
    near = np.eye(5) * 0.9 + 0.02
    one = am.solve((a, b), "faq", start=near, options={"max_iterations": 0})
    assert one.assignment.tolist() == [0, 1, 2, 3, 4]


def test_faq_is_as_good_as_scipy():
    rng = np.random.default_rng(0)
    ours, theirs = 0.0, 0.0
    for _ in range(30):
        a, b = rng.integers(0, 9, (2, 12, 12)).astype(float)
        theirs += scipy.optimize.quadratic_assignment(a, b, options={"maximize": True}).fun
        ours += am.solve((a, b), "faq").objective
    assert ours >= 0.99 * theirs


def test_files_are_read(tmp_path):
    path = tmp_path / "tiny.dat"
    path.write_text("3\n0 3 0\n3 0 1\n0 1 0\n\n0 2 5\n2 0 4\n5 4 0\n")
    (problem,) = am.read_problems(path)
    assert problem.shape == (3, 3) and not problem.maximize and problem.name == "tiny"
    assert am.solve(problem, "portfolio").objective == 20.0
    with pytest.raises(FileNotFoundError, match="absent"):
        am.read_problems(tmp_path / "absent.dat")
    path.write_text("3\n0 x\n")
    with pytest.raises(ValueError, match="tiny.dat, line 2"):
        am.read_problems(path)


ONE = np.ones((3, 3))
BAD = [
    (lambda: am.solve((ONE, ONE[:2])), ValueError, "square"),
    (lambda: am.solve((ONE, ONE * np.nan)), ValueError, "finite"),
    (lambda: am.solve((ONE, ONE * 1j)), TypeError, "complex"),
    (lambda: am.solve((sp.csr_array(ONE * np.inf), ONE)), ValueError, "finite"),
    (lambda: am.solve((ONE, ONE), linear=np.ones((2, 3))), ValueError, "linear"),
    (lambda: am.solve((ONE, ONE), linear=ONE * np.nan), ValueError, "finite"),
    (lambda: am.solve((ONE, ONE), seeds=[[0, 3]]), ValueError, "seeds"),
    (lambda: am.solve((ONE, ONE), seeds=[[0, -1]]), ValueError, "seeds"),
    (lambda: am.solve((ONE, ONE), seeds=[[0, 1], [0, 2]]), ValueError, "seeds"),
    (lambda: am.solve((ONE, ONE), seeds=[[0.5, 1]]), ValueError, "seeds"),
    (lambda: am.solve((ONE, ONE), shape=(3, 3)), TypeError, "shape"),
    (lambda: am.solve((ONE, ONE), start=[0, 0, 1]), ValueError, "one-to-one"),
    (lambda: am.solve((ONE, ONE), start=[0, 7, 1]), ValueError, "column 7"),
    (lambda: am.solve((ONE, ONE), start=[0, 1]), ValueError, "2 entries"),
    (lambda: am.solve((ONE, ONE), start=ONE[:2]), ValueError, "start"),
    (lambda: am.solve((ONE, ONE), start=-ONE), ValueError, "start"),
    (lambda: am.solve((ONE, ONE), "magic"), ValueError, "one of rrwm"),
    (lambda: am.solve(ONE), ValueError, "no square number"),
    (lambda: am.solve(np.ones((4, 4)), shape=(1, 3)), ValueError, "n1·n2 = 4"),
    (lambda: am.solve(np.ones((4, 4)), shape=5), TypeError, "shape"),
    (lambda: am.solve(np.ones((4, 4)), seeds=[[0, 0]]), ValueError, "seeds"),
    (lambda: am.solve(np.ones((4, 4)) * np.nan), ValueError, "finite"),
    (lambda: am.solve(np.ones((4, 4)), order="K"), ValueError, "order"),
    (lambda: am.solve(np.ones((4, 3))), ValueError, "expected 4×4"),
    (lambda: am.solve("file.dat"), TypeError, "read_problems"),
    (lambda: am.solve(am.Problem.product(ONE, ONE), maximize=False), TypeError, "maximize"),
    (lambda: am.solve((ONE, ONE), options={"walk": 7.0}), ValueError, "walk"),
    (lambda: am.Problem.product(ONE, ONE).objective([0, 0, 1]), ValueError, "one-to-one"),
    (lambda: am.Problem.product(ONE, ONE).objective([0.5, 0, 1]), ValueError, "integers"),
]


@pytest.mark.parametrize(("call", "kind", "words"), BAD)
def test_bad_programs_are_refused_in_words(call, kind, words):
    with pytest.raises(kind, match=words):
        call()


def test_empty_programs():
    none = np.zeros((0, 0))
    for solver in ("rrwm", "faq", "2opt", "portfolio"):
        found = am.solve((none, none), solver)
        assert len(found.assignment) == 0 and found.objective == 0.0
        assert am.solve((none, ONE), solver).assignment.shape == (0,)
        assert am.solve((ONE, none), solver).assignment.tolist() == [-1, -1, -1]


@pytest.mark.parametrize(
    ("solver", "options"),
    [
        ("faq", {"restarts": 10**15}),
        ("goat", {"restarts": 2**64 - 1}),
        ("gagm", {"first_beta": 1e-308}),
        ("anneal", {"rounds": 2**64 - 1}),
        ("tabu", {"iterations": 2**64 - 1}),
        ("portfolio", {"searches": 10**5, "iterations": 10**12}),
    ],
)
def test_absurd_options_end_with_the_time(solver, options, matrices):
    a = matrices[0] + matrices[0].T
    found = am.solve((a, a), solver, options=options, time_limit=0.3)
    assert sorted(found.assignment.tolist()) == [0, 1, 2, 3, 4]


def test_options_have_the_forms_of_python(matrices):
    a = matrices[0] + matrices[0].T
    defaults = {info.name: info.options for info in am.solvers()}
    on_lists = {info.name for info in am.solvers() if info.candidates == "listed"}
    assert on_lists == {"2opt", "ils", "tabu", "anneal", "portfolio", "faq", "mean-field"}
    assert {info.candidates for info in am.solvers()} == {"listed", "filled"}
    assert defaults["tabu"]["tenure"] == (0.9, 1.1) and defaults["tabu"]["iterations"] is None
    assert defaults["mean-field"]["inertia"] == 0.0
    for name, options in defaults.items():
        am.solve((a, a), name, options=options)
    given = {"iterations": np.int64(7), "tenure": [np.float32(0.5), 2], "use_all_time": np.bool_(False)}
    assert am.solve((a, a), "tabu", options=given).iterations == 7
    portfolio = {"relaxations": ["faq", {"name": "rrwm", "walk": 0.5}], "tabu": {"tenure": (1, 2)}}
    assert len(am.solve((a, a), "portfolio", options=portfolio).assignment) == 5
    for options, error, words in (
        ({"tenure": 1}, TypeError, "two numbers"),
        ({"tenure": (2, 1)}, ValueError, "the smaller first"),
        ({"tenure": object()}, TypeError, "tenure: found <object"),
        ({"use_all_time": 1}, TypeError, "true or false"),
        ({"colour": 1}, TypeError, "iterations, tenure, absence, use_all_time"),
        ({"iterations": 10**30}, TypeError, "0 or more"),
    ):
        with pytest.raises(error, match=words):
            am.solve((a, a), "tabu", options=options)
