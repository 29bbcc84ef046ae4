"""quadratic_assignment against SciPy's: its own tests, its values, its words."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fractions import Fraction
from importlib.util import find_spec

import numpy as np
import pytest
from scipy.optimize import OptimizeResult, linear_sum_assignment
from scipy.optimize import quadratic_assignment as theirs

import anchormatch as am
from anchormatch.compat.scipy import quadratic_assignment

#: SciPy's tests that do not pass with our function in the place of theirs, and why.
EXCEPTIONS: dict[str, str] = {}

#: Collects SciPy's tests with our function in the place of theirs.
PLUGIN = """
import anchormatch.compat.scipy as ours

def pytest_collection_modifyitems(items):
    for item in items:
        assert hasattr(item.module, "quadratic_assignment")
        item.module.quadratic_assignment = ours.quadratic_assignment
"""


def test_the_tests_of_scipy_pass(tmp_path):
    tests = find_spec("scipy.optimize.tests.test_quadratic_assignment")
    if tests is None or tests.origin is None:
        pytest.skip("this SciPy came without its tests")
    (tmp_path / "in_its_place.py").write_text(PLUGIN)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    options = ["-p", "in_its_place", "-p", "no:cacheprovider", "--import-mode=importlib", "-q", "-rA"]
    run = subprocess.run(
        [sys.executable, "-m", "pytest", "-c", tmp_path / "pytest.ini", *options, tests.origin],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])},
    )
    outcomes = dict(
        re.findall(r"^(?:PASSED|FAILED|ERROR) .*?(\w+::\w+)( - .*)?$", run.stdout, re.MULTILINE)
    )
    failed = set(re.findall(r"^(?:FAILED|ERROR) .*?(\w+::\w+)", run.stdout, re.MULTILINE))
    assert len(outcomes) >= 14, run.stdout + run.stderr
    assert failed == set(EXCEPTIONS), run.stdout


def problem(nodes: int, seed: int, symmetric: bool = False, integers: bool = False):
    rng = np.random.default_rng(seed)
    a, b = rng.integers(0, 1000, (2, nodes, nodes)) if integers else rng.random((2, nodes, nodes))
    return (a + a.T, b + b.T) if symmetric else (a, b)


def both(a, b, method="faq", seed=0, **options):
    results = [
        function(a, b, method=method, options={"rng": np.random.default_rng(seed), **options})
        for function in (theirs, quadratic_assignment)
    ]
    for result in results:
        assert isinstance(result, OptimizeResult)
        assert sorted(result) == ["col_ind", "fun", "nit"]
    return results


def assert_same(expected, found):
    assert found.col_ind.tolist() == expected.col_ind.tolist()
    assert found.nit == expected.nit
    assert found.fun == pytest.approx(expected.fun, rel=1e-12)
    assert found.fun.dtype == expected.fun.dtype and found.col_ind.dtype == expected.col_ind.dtype


@pytest.mark.parametrize("nodes", [1, 2, 3, 7, 20, 41, 70])
def test_arrays_of_any_order_and_seeds_go_where_scipy_goes(nodes):
    for seed in range(12 if nodes < 64 else 4):
        a, b = problem(nodes, seed, symmetric=seed % 3 == 0)
        if seed % 4 == 1:
            b = b + b.T
        a, b = (np.asfortranarray(a), b[::-1, ::-1]) if seed % 2 else (a, b)
        rng = np.random.default_rng(seed)
        known = np.column_stack([rng.permutation(nodes), rng.permutation(nodes)])[: seed % nodes]
        options = {
            "maximize": seed % 2 == 1,
            "partial_match": known,
            "P0": "randomized",
            "maxiter": 1 + 3 * seed,
        }
        assert_same(*both(a, b, seed=seed, **options))


def is_free_of_rounding(a, b, iterations):
    """Whether every number on FAQ's way is a fraction that floating point holds, so that ties are ties."""
    n = len(a)
    # Times 2**26: whole numbers, as long as all steps are multiples of a small power of one half.
    unit = 2**26
    x = np.full((n, n), unit // n, dtype=object)
    a, b = a.astype(object), b.astype(object)
    for _ in range(iterations):
        gradient = 2 * a @ x @ b
        columns = linear_sum_assignment(gradient.astype(float), maximize=True)[1]
        way = np.zeros((n, n), dtype=object)
        way[np.arange(n), columns] = unit
        way -= x
        slope, curvature = (gradient * way).sum(), ((a @ way @ b) * way).sum()
        step = Fraction(1) if slope + curvature >= 0 else Fraction(0)
        if curvature < 0:
            step = min(max(Fraction(-slope, 2 * curvature), Fraction(0)), Fraction(1))
        if (way * step.numerator % step.denominator).any():
            return False
        x = x + way * step.numerator // step.denominator
    return True


@pytest.mark.parametrize(("nodes", "at_least"), [(4, 60), (8, 30), (16, 20), (32, 20)])
def test_ties_are_broken_as_scipy_breaks_them(nodes, at_least):
    # Graphs without weights: many assignments are equally good. Where a step is a third, say, the rounding of
    # either library breaks them, and that changes with the processor.
    compared = 0
    for seed in range(120):
        a, b = np.random.default_rng(seed).integers(0, 2, (2, nodes, nodes))
        a, b = np.triu(a, 1), np.triu(b, 1)
        a, b, iterations = a + a.T, b + b.T, 1 + seed % 4
        if is_free_of_rounding(a, b, iterations):
            compared += 1
            assert_same(*both(a, b, maximize=True, maxiter=iterations))
    assert compared >= at_least, compared


@pytest.mark.parametrize("nodes", [12, 80])
def test_a_long_climb_can_be_interrupted(nodes):
    # Never still, and never done.
    program = (
        "import signal, threading, time, os, numpy as np\n"
        "from anchormatch.compat.scipy import quadratic_assignment\n"
        "rng = np.random.default_rng(0)\n"
        f"a, b = rng.random((2, {nodes}, {nodes}))\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
        "try:\n"
        "    while True:\n"
        "        quadratic_assignment(a, b, options={'maxiter': 10**30, 'tol': 1e-300, 'P0': 'randomized', 'rng': rng})\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped')\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.stdout == "stopped\n", run.stderr


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_faq_goes_where_scipy_goes(seed, symmetric, maximize):
    # Matrices with a diagonal, for which the relaxations of SciPy and of am.solve differ.
    a, b = problem(5 + 4 * seed, seed, symmetric, integers=seed % 2 == 0)
    assert_same(*both(a, b, maximize=maximize))
    seeds = np.array([[3, 1], [0, 4]])
    assert_same(*both(a, b, maximize=maximize, partial_match=seeds, maxiter=7, tol=1e-4))


@pytest.mark.parametrize("seed", range(4))
def test_faq_takes_every_option(seed):
    a, b = problem(9, 10 + seed)
    assert_same(*both(a, b, P0="randomized", seed=seed))
    assert_same(*both(a, b, shuffle_input=True, seed=seed))
    start = np.full((9, 9), 0.05) + np.eye(9)[np.random.default_rng(seed).permutation(9)] * 0.55
    assert_same(*both(a, b, P0=start))
    # One node.
    assert_same(*both(a[:1, :1], b[:1, :1]))


@pytest.mark.parametrize("maximize", [False, True])
@pytest.mark.parametrize("seed", range(5))
def test_2opt_tries_the_exchanges_of_scipy(seed, maximize):
    a, b = problem(4 + 3 * seed, seed, integers=seed % 2 == 0)
    assert_same(*both(a, b, "2opt", seed, maximize=maximize))
    seeds = np.array([[0, 2], [3, 1]])
    guess = np.array([[1, 0], [2, 3]])
    assert_same(*both(a, b, "2opt", seed, maximize=maximize, partial_match=seeds))
    assert_same(*both(a, b, "2opt", seed, maximize=maximize, partial_guess=guess))
    assert_same(*both(a, b, "2opt", seed, maximize=maximize, partial_guess=guess, partial_match=seeds))


@pytest.mark.parametrize("method", ["faq", "2opt", "tabu"])
def test_pairs_may_come_in_any_order_and_guesses_give_way(method):
    a, b = problem(6, 3)
    seeds = np.array([[4, 0], [1, 5], [2, 2]])
    options = {"partial_match": seeds, "rng": np.random.default_rng(0)}
    if method != "faq":
        # Row 4 and column 5 are taken.
        options["partial_guess"] = [[4, 1], [0, 5], [3, 3]]
    found = quadratic_assignment(a, b, method, options)
    assert found.col_ind[[4, 1, 2]].tolist() == [0, 5, 2]
    assert sorted(found.col_ind) == list(range(6))
    everything = np.column_stack([np.arange(6)[::-1], np.arange(6)])
    found = quadratic_assignment(
        a, b, method, {"partial_match": everything, "rng": np.random.default_rng(0)}
    )
    assert found.col_ind.tolist() == [5, 4, 3, 2, 1, 0]


def test_our_own_methods_are_better():
    a, b = problem(14, 5, symmetric=True, integers=True)
    rng = np.random.default_rng
    faq = quadratic_assignment(a, b, options={"rng": rng(0)})
    for method, extra in [("portfolio", {}), ("tabu", {"iterations": 2000, "time_limit": 100.0})]:
        found = quadratic_assignment(a, b, method, {"rng": rng(0), **extra})
        assert found.fun <= faq.fun and found.status in ("converged", "iteration_limit")
        assert found.fun == (a * b[np.ix_(found.col_ind, found.col_ind)]).sum()
        again = quadratic_assignment(a, b, method, {"rng": rng(0), **extra})
        assert again.col_ind.tolist() == found.col_ind.tolist()
    guess = np.column_stack([np.arange(14), faq.col_ind])
    refined = quadratic_assignment(a, b, "ils", {"rng": rng(0), "partial_guess": guess})
    assert refined.fun <= faq.fun


def test_refusals_name_what_is_wrong():
    a, b = problem(4, 1)
    with pytest.raises(ValueError, match="method nothing must be in"):
        quadratic_assignment(a, b, "nothing")
    with pytest.raises(ValueError, match="A: found infinite"):
        quadratic_assignment(np.full((4, 4), np.inf), b)
    with pytest.raises(TypeError, match="B: found an array of complex128"):
        quadratic_assignment(a, b.astype(complex))
    with pytest.warns(UserWarning, match="Unknown solver options: maxiter"):
        quadratic_assignment(a, b, "tabu", {"maxiter": 3, "rng": np.random.default_rng(0)})
    with pytest.raises(ValueError, match="cannot be used to seed"):
        quadratic_assignment(a, b, options={"rng": "seven"})


def test_without_scipy_a_dictionary_does():
    # A module that is None cannot be imported.
    program = """if True:
        import sys
        sys.modules["scipy"] = sys.modules["scipy.optimize"] = None
        import warnings
        import numpy as np
        from anchormatch.compat.scipy import quadratic_assignment
        found = quadratic_assignment(np.eye(3), np.eye(3))
        assert found.fun == found["fun"] == 3 and "col_ind" in dir(found), found
        assert repr(found).splitlines()[1].strip() == "fun: " + repr(found.fun)
        assert not hasattr(found, "nothing")
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            quadratic_assignment(np.eye(3), np.eye(3), options={"wrong": 1})
        assert len(caught) == 1
    """
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_importing_it_imports_no_peer():
    peers = ("scipy", "graspologic", "pygmtools")
    program = f"import anchormatch.compat, sys; sys.exit(any(peer in sys.modules for peer in {peers}))"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
    assert am.compat.scipy.quadratic_assignment is quadratic_assignment
