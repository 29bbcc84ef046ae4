"""pygmtools' functions against values of pygmtools, made by scripts/make_compat_values.py."""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import scipy.optimize

import anchormatch as am
from anchormatch.compat import pygmtools as pygm

VALUES = json.loads((Path(__file__).parent / "values" / "pygmtools.json").read_text())
CASES = {case["name"]: case for case in VALUES["cases"]}


@pytest.mark.parametrize("name", CASES)
def test_values_are_those_of_pygmtools(name):
    case = CASES[name]
    given = {
        key: np.array(value) if isinstance(value, list) else value
        for key, value in case["arguments"].items()
    }
    found = getattr(pygm, case["function"])(**given)
    expected = np.array(case["result"])
    assert found.shape == expected.shape and found.dtype == np.float64
    np.testing.assert_allclose(found, expected, atol=1e-9, rtol=1e-7)


def test_a_batch_is_its_problems_one_by_one():
    rng = np.random.default_rng(1)
    s = rng.normal(size=(4, 5, 6))
    n1, n2 = np.array([5, 2, 4, 0]), np.array([6, 3, 1, 2])
    k = rng.random((4, 30, 30))
    for function, batch in ((pygm.sinkhorn, s), (pygm.hungarian, s)):
        whole = function(batch, n1, n2)
        for b in range(4):
            alone = function(batch[b, : n1[b], : n2[b]])
            np.testing.assert_allclose(whole[b, : n1[b], : n2[b]], alone, atol=1e-12)
            assert whole[b, n1[b] :].sum() == whole[b, :, n2[b] :].sum() == 0
    np.testing.assert_allclose(pygm.rrwm(k, n1max=5, n2max=6)[2], pygm.rrwm(k[2], 5, 6), atol=1e-12)


def formulas(function, k, n1, n2, rows, cols, x0, max_iter):
    """What pygmtools computes, in its loops and NumPy's operations; vectors are column by column."""
    batch = len(k)
    inside = np.zeros((batch, cols, rows), dtype=bool)
    for mask, i, a in zip(inside, n1, n2, strict=True):
        mask[:a, :i] = True
    if x0 is None:
        v = (inside / np.maximum(inside.sum(axis=(1, 2), keepdims=True), 1)).reshape(batch, -1)
    else:
        v = x0.transpose(0, 2, 1).reshape(batch, -1)

    def dot(x, y):
        return (x * y).sum(axis=1, keepdims=True)

    def apply(x):
        return np.matmul(k, x[:, :, None])[:, :, 0]

    best, highest = v, np.full((batch, 1), -np.inf)
    for _ in range(max_iter):
        if function is pygm.sm:
            new = apply(v)
            new = new / np.linalg.norm(new, axis=1, keepdims=True)
            moved, v = np.linalg.norm(new - v), new
            if moved < 1e-5:
                break
            continue
        image = apply(v)
        vertex = np.zeros((batch, cols, rows))
        for number, (i, a) in enumerate(zip(n1, n2, strict=True)):
            scores = image[number].reshape(cols, rows)[:a, :i]
            vertex[number][scipy.optimize.linear_sum_assignment(scores, maximize=True)] = 1
        vertex = vertex.reshape(batch, -1)
        now, end = dot(v, image), dot(vertex, apply(vertex))
        slope, curvature = dot(v, apply(vertex - v)), dot(vertex - v, apply(vertex - v))
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(curvature < 0, np.minimum(-slope / curvature, 1), 1)
        best, highest = np.where(end > highest, vertex, best), np.maximum(end, highest)
        v = v + step * (vertex - v)
        if (np.abs(now - end) < 1e-3 * np.abs(now)).all():
            break
    result = v if function is pygm.sm else best
    return result.reshape(batch, cols, rows).transpose(0, 2, 1)


@pytest.mark.parametrize("function", [pygm.sm, pygm.ipfp])
def test_batches_follow_the_formulas(function):
    rng = np.random.default_rng(9)
    for batch, rows, cols in [(1, 1, 1), (1, 4, 4), (3, 2, 5), (4, 6, 3), (2, 8, 8)]:
        k = rng.random((batch, rows * cols, rows * cols)) - 0.2 * (rows == 6)
        if rows == 8:
            k = k + k.transpose(0, 2, 1)
        x0 = rng.random((batch, rows, cols)) if cols == 5 else None
        whole = np.full(batch, rows), np.full(batch, cols)
        part = rng.integers(1, rows + 1, batch), rng.integers(1, cols + 1, batch)
        for n1, n2 in (whole, part):
            for max_iter in (0, 1, 50):
                found = function(k, n1, n2, rows, cols, x0=x0, max_iter=max_iter)
                wanted = formulas(function, k, n1, n2, rows, cols, x0, max_iter)
                np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_large_matrices_are_multiplied_as_small_ones_are():
    # Past what one thread multiplies.
    nodes = 33
    k = np.random.default_rng(10).random((nodes**2, nodes**2))
    found = pygm.sm(k, nodes, nodes, max_iter=3)
    size = np.array([nodes])
    wanted = formulas(pygm.sm, k[None], size, size, nodes, nodes, None, 3)
    np.testing.assert_allclose(found, wanted[0], atol=1e-12)
    # Rows and columns of no weight change nothing.
    smaller = np.zeros((nodes**2, nodes**2))
    inside = (np.arange(nodes**2) % nodes < 5) & (np.arange(nodes**2) // nodes < 5)
    smaller[np.ix_(inside, inside)] = k[:25, :25]
    whole = pygm.rrwm(smaller, 5, 5, nodes, nodes)
    np.testing.assert_allclose(whole[:5, :5], pygm.rrwm(k[:25, :25], 5, 5), atol=1e-12)


@pytest.mark.parametrize("function", [pygm.sm, pygm.rrwm, pygm.ipfp])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("nodes", [3, 33])
def test_affinities_are_finite(function, value, nodes):
    k = np.ones((nodes**2, nodes**2))
    k[2, 4] = value
    with pytest.raises(ValueError, match="K: found infinite or undefined"):
        function(k, nodes, nodes)


def test_hungarian_is_optimal_and_leaves_out_what_is_not_worth_it():
    rng = np.random.default_rng(2)
    for rows, cols in [(5, 5), (3, 6), (6, 3), (1, 1), (0, 3)]:
        s = rng.normal(size=(rows, cols))
        best = scipy.optimize.linear_sum_assignment(s, maximize=True)
        assert (pygm.hungarian(s) * s).sum() == pytest.approx(s[best].sum())
        u, v = rng.normal(size=rows), rng.normal(size=cols)
        found = pygm.hungarian(s, unmatch1=u, unmatch2=v)
        # The square program in which everybody has a stand-in.
        size = rows + cols
        large = np.full((size, size), -1e9)
        large[:rows, :cols] = s
        large[np.arange(rows), cols + np.arange(rows)] = u
        large[rows + np.arange(cols), np.arange(cols)] = v
        large[rows:, cols:] = 0
        best = scipy.optimize.linear_sum_assignment(large, maximize=True)
        value = (found * s).sum() + u[found.sum(axis=1) == 0].sum() + v[found.sum(axis=0) == 0].sum()
        assert value == pytest.approx(large[best].sum())


def test_forbidden_pairs_are_avoided():
    s = np.array([[5.0, 1.0], [-np.inf, 4.0]])
    assert pygm.hungarian(s).tolist() == [[1, 0], [0, 1]]
    assert pygm.hungarian([[-np.inf, -9.0], [7.0, 100.0]]).tolist() == [[0, 1], [1, 0]]
    with pytest.raises(ValueError, match="-inf"):
        pygm.hungarian([[-np.inf, -np.inf], [1.0, 1.0]])
    assert pygm.hungarian([[-np.inf]], unmatch1=[0.0], unmatch2=[0.0]).tolist() == [[0]]


def test_types_stay():
    k = np.random.default_rng(3).random((9, 9))
    for function in (pygm.sm, pygm.rrwm, pygm.ipfp):
        single = function(k.astype(np.float32), 3, 3)
        assert single.dtype == np.float32
        np.testing.assert_allclose(single, function(k.astype(np.float32).astype(float), 3, 3), atol=1e-6)
        # Integers are numbers.
        assert np.isfinite(function((100 * k).astype(int), 3, 3)).all()
    assert pygm.hungarian(np.array([[1, 5], [4, 6]])).dtype.kind == "i"


def test_nothing_to_match_gives_nothing_to_divide():
    zero = np.zeros((4, 4))
    for function in (pygm.sm, pygm.rrwm, pygm.ipfp):
        assert np.isfinite(function(zero, 2, 2)).all()


def test_a_hidden_permutation_is_found_by_all_and_agrees_with_solve():
    rng = np.random.default_rng(4)
    a = np.triu(rng.random((7, 7)), 1)
    a = a + a.T
    order = rng.permutation(7)
    b = a[np.ix_(order, order)]
    # Row c·7 + i is the pair (i, c).
    k = np.exp(-((a[None, :, None, :] - b[:, None, :, None]) ** 2) / 0.05)
    same = np.eye(7, dtype=bool)
    k[np.broadcast_to(same[None, :, None, :] | same[:, None, :, None], k.shape)] = 0
    k = k.reshape(49, 49)
    truth = np.argsort(order)
    for function in (pygm.sm, pygm.rrwm, pygm.ipfp):
        assert pygm.hungarian(function(k, 7, 7)).argmax(axis=1).tolist() == truth.tolist()
    assert am.solve(k, "rrwm", order="F").assignment.tolist() == truth.tolist()


def test_refusals_name_the_argument():
    k, s = np.eye(4), np.eye(2)
    with pytest.raises(ValueError, match="n1 and n1max"):
        pygm.sm(k, n2=2)
    with pytest.raises(ValueError, match="n2 and n2max"):
        pygm.rrwm(k, n1=2)
    with pytest.raises(ValueError, match=r"n1max \* n2max"):
        pygm.ipfp(k, 3, 2)
    with pytest.raises(ValueError, match="2-dimensional or 3-dimensional"):
        pygm.sinkhorn(np.ones(3))
    with pytest.raises(ValueError, match="specified together"):
        pygm.hungarian(s, unmatch1=[1.0, 1.0])
    wrong = [
        ("alpha", lambda: pygm.rrwm(k, 2, 2, alpha=2)),
        ("beta", lambda: pygm.rrwm(k, 2, 2, beta=0)),
        ("max_iter", lambda: pygm.sm(k, 2, 2, max_iter=-1)),
        ("sk_iter", lambda: pygm.rrwm(k, 2, 2, sk_iter=1.5)),
        ("tau", lambda: pygm.sinkhorn(s, tau=0)),
        ("backend", lambda: pygm.sm(k, 2, 2, backend="pytorch")),
        ("x0", lambda: pygm.sm(k, 2, 2, x0=np.ones((3, 3)))),
        ("unmatch2", lambda: pygm.sinkhorn(s, unmatch1=[0.0, 0.0], unmatch2=[0.0])),
        ("n1", lambda: pygm.sinkhorn(s, n1=3)),
        ("n2", lambda: pygm.hungarian(s[None], n2=[1, 2])),
        ("K", lambda: pygm.sm(np.ones((4, 3)), 2, 2)),
    ]
    for name, call in wrong:
        with pytest.raises(ValueError, match=name):
            call()
    with pytest.raises(TypeError, match="n1"):
        pygm.sinkhorn(s, n1=1.5)


def test_the_rest_of_pygmtools_is_there_where_it_is_installed(monkeypatch):
    pygm.set_backend("numpy")
    assert pygm.BACKEND == "numpy"
    with pytest.raises(ValueError, match="backend"):
        pygm.set_backend("pytorch")
    rest = types.ModuleType("pygmtools")
    rest.utils = types.ModuleType("pygmtools.utils")
    monkeypatch.setitem(sys.modules, "pygmtools", rest)
    assert pygm.utils is rest.utils
    with pytest.raises(AttributeError, match="astar"):
        pygm.astar  # noqa: B018
    monkeypatch.setitem(sys.modules, "pygmtools", None)
    with pytest.raises(AttributeError, match="not installed"):
        pygm.utils  # noqa: B018
    assert not hasattr(pygm, "_hidden")
