"""Signatures, heat, linear assignment, balancing and generators, against formulas and SciPy."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
import scipy.sparse as sp

import anchormatch as am


def laplacian(matrix):
    return np.diag(matrix.sum(axis=1)) - matrix


def test_of_two_directions_the_stronger_conducts_heat(pair):
    one_way = np.triu(pair.source) + 0.5 * np.tril(pair.source)
    want = scipy.linalg.expm(-0.02 * laplacian(pair.source))
    np.testing.assert_allclose(am.heat_kernel(one_way, 0.02), want, atol=1e-10)
    np.testing.assert_allclose(
        am.signature(one_way, times=[0.02]), am.signature(pair.source, times=[0.02]), atol=1e-12
    )


def test_the_heat_kernel_is_the_exponential(pair):
    want = scipy.linalg.expm(-0.02 * laplacian(pair.source))
    np.testing.assert_allclose(am.heat_kernel(pair.source, 0.02), want, atol=1e-10)
    np.testing.assert_allclose(
        am.heat_kernel(sp.csr_array(pair.source), 0.02, columns=[3, 0]), want[:, [3, 0]], atol=1e-9
    )
    time = 2.0 / (np.trace(laplacian(pair.source)) / 9)
    scaled = am.heat_kernel(5 * pair.source, tau=2.0)
    np.testing.assert_allclose(scaled, scipy.linalg.expm(-time * laplacian(pair.source)), atol=1e-10)
    for bad in (-1.0, np.nan, np.inf):
        with pytest.raises(ValueError, match="time"):
            am.heat_kernel(pair.source, bad)
    with pytest.raises(ValueError, match="found 10"):
        am.heat_kernel(pair.source, columns=[10])


def test_signatures_follow_their_formulas(pair):
    values, vectors = np.linalg.eigh(laplacian(pair.source))
    times = np.array([0.01, 0.1])
    want = (vectors**2) @ np.exp(-np.outer(values, times))
    np.testing.assert_allclose(am.signature(pair.source, times=times), want, atol=1e-10)
    for kind, columns in [
        ("heat", 16),
        ("wave", 100),
        ("wavelet", 16),
        ("random-walk", 16),
        ("node", 16),
        ("neighbourhood", 16),
        ("topological", 16),
    ]:
        assert am.signature(pair.source, kind).shape == (10, columns)
        assert am.signature(pair.source, kind, count=3).shape == (10, 3)
    anchored = am.signature(pair.source, "anchored", anchors=[1, 4], times=0.02)
    np.testing.assert_allclose(anchored, am.heat_kernel(pair.source, 0.02)[:, [1, 4]], atol=1e-9)
    # Isomorphic graphs have equal signatures.
    other = am.signature(pair.target, "wave")
    np.testing.assert_allclose(am.signature(pair.source, "wave"), other[pair.partner], atol=1e-9)


def test_bad_signatures_are_refused(pair):
    for options, words in [
        (
            {"kind": "sound"},
            "heat, wave, wavelet, anchored, random-walk, node, neighbourhood or topological",
        ),
        ({"kind": "anchored"}, "at least one id"),
        ({"kind": "heat", "anchors": [1]}, "kind='anchored'"),
        ({"times": [-1.0]}, "time"),
        ({"times": [np.nan]}, "time"),
        ({"count": 0}, "count"),
    ]:
        with pytest.raises(ValueError, match=words):
            am.signature(pair.source, **options)


@pytest.mark.parametrize("shape", [(1, 1), (5, 5), (3, 7), (8, 2), (40, 40), (600, 650)])
@pytest.mark.parametrize("maximize", [False, True])
def test_linear_assignment_is_scipys(shape, maximize):
    costs = np.random.default_rng(shape[1]).normal(size=shape)
    rows, columns = scipy.optimize.linear_sum_assignment(costs, maximize)
    for form in (costs, np.asfortranarray(costs)):
        best = am.linear_assignment(form, maximize)
        assert best.value == pytest.approx(costs[rows, columns].sum())
        assert costs[best.rows, best.columns].sum() == pytest.approx(best.value)
        assert best.row_duals.sum() + best.column_duals.sum() == pytest.approx(best.value)
        slack = costs - best.row_duals[:, None] - best.column_duals
        assert (slack if not maximize else -slack).min() > -1e-9


def test_linear_assignment_of_odd_input():
    for empty in (np.zeros((0, 0)), np.zeros((0, 3)), np.zeros((3, 0))):
        assert len(am.linear_assignment(empty).rows) == 0
    for bad, kind in [
        ([[np.nan]], ValueError),
        ([[np.inf]], ValueError),
        ([[1j]], TypeError),
        ([["a"]], TypeError),
    ]:
        with pytest.raises(kind):
            am.linear_assignment(bad)
    with pytest.raises(ValueError, match="dimensions"):
        am.linear_assignment([1.0])
    with pytest.raises(TypeError, match="array of numbers"):
        am.linear_assignment([[1.0], [1.0, 2.0]])


def test_sinkhorn_balances():
    rng = np.random.default_rng(3)
    square = am.sinkhorn(rng.random((6, 6)) + 0.1)
    np.testing.assert_allclose(square.sum(axis=0), 1, atol=1e-5)
    np.testing.assert_allclose(square.sum(axis=1), 1, atol=1e-5)
    for shape, whole in [((3, 5), 1), ((5, 3), 0)]:
        soft = am.sinkhorn(rng.random(shape) + 0.1)
        np.testing.assert_allclose(soft.sum(axis=whole), 1, atol=1e-5)
        assert soft.sum(axis=1 - whole).max() <= 1 + 1e-5
    # The scaling of a product of a row and a column is even.
    flat = am.sinkhorn(np.outer([1.0, 2, 3], [4.0, 5, 6]))
    np.testing.assert_allclose(flat, 1 / 3, atol=1e-9)
    for bad in ([[0.0, 1.0]], [[-1.0]], [[np.nan]], [[np.inf]]):
        with pytest.raises(ValueError, match="above 0"):
            am.sinkhorn(bad)
    with pytest.raises(ValueError, match="tolerance"):
        am.sinkhorn([[1.0]], tolerance=-1)
    with pytest.raises(ValueError, match="max_iterations"):
        am.sinkhorn([[1.0]], max_iterations=-1)


def test_generators_keep_their_promises():
    made = am.generate.synthetic(8, source_outliers=1, target_outliers=2, seed=1)
    source, target, truth = made
    assert source.shape == (9, 9) and target.shape == (10, 10)
    i, a = truth.T
    np.testing.assert_array_equal(source[np.ix_(i, i)], target[np.ix_(a, a)])
    again = am.generate.synthetic(8, source_outliers=1, target_outliers=2, seed=1)
    np.testing.assert_array_equal(again.target, target)
    noisy = am.generate.synthetic(200, noise=0.1, density=0.5, seed=1)
    i, a = noisy.truth.T
    difference = (noisy.source[np.ix_(i, i)] - noisy.target[np.ix_(a, a)])[noisy.source[np.ix_(i, i)] != 0]
    assert 0.09 < difference.std() < 0.11
    same = am.generate.block_model([20, 30], [[0.9, 0.1], [0.1, 0.9]], 1.0)
    i, a = same.truth.T
    np.testing.assert_array_equal(same.source[np.ix_(i, i)], same.target[np.ix_(a, a)])
    house = am.generate.house(jitter=0.0)
    np.testing.assert_allclose(house.source, np.asarray(am.points(house.source_points)))
    assert len(house.names) == 51
    anchors = made.anchors(5, seed=2)
    assert len({tuple(p) for p in anchors.tolist()}) == 5
    assert {tuple(p) for p in anchors.tolist()} <= {tuple(p) for p in truth.tolist()}
    assert made.anchors(0).shape == (0, 2)


def test_bad_generators_are_refused():
    for call, words in [
        (lambda: am.generate.synthetic(0), "inliers"),
        (lambda: am.generate.synthetic(-3), "inliers"),
        (lambda: am.generate.synthetic(2.5), "inliers"),
        (lambda: am.generate.synthetic(5, density=0), "density"),
        (lambda: am.generate.synthetic(5, noise=np.nan), "noise"),
        (lambda: am.generate.block_model([5], [[2.0]]), "."),
        (lambda: am.generate.block_model([5, 5], [[0.5]]), "."),
        (lambda: am.generate.house(jitter=-1), "jitter"),
        (lambda: am.generate.house((np.nan, 0)), "pan"),
        (lambda: am.generate.synthetic(3).anchors(4), "at most 3"),
        (lambda: am.generate.synthetic(3).anchors(-1), "count"),
    ]:
        with pytest.raises(ValueError, match=words):
            call()
    with pytest.raises(TypeError, match="two angles"):
        am.generate.house(3)
    with pytest.raises(MemoryError, match="would take"):
        am.generate.synthetic(50_000, density=1e-6, max_memory="1G")
