"""Lane mathematics against NumPy in double precision."""

import numpy as np

from solvers.jit import kernel
from solvers.lane_math import any_less, choose_less, exponential, inverse_cube_root, largest, logarithm, square_root
from solvers.lane_rows import load_rows, pair8, store_folded, store_rows, store_whole, twice8
from solvers.simd import load8, splat8, store8


@kernel
def _eight(x, out):
    for i in range(0, x.size, 8):
        a = load8(x, i)
        store8(out[0], i, exponential(logarithm(a) * np.float32(0.3)))
        store8(out[1], i, logarithm(a))
        store8(out[2], i, inverse_cube_root(a))
        store8(out[3], i, choose_less(a, np.float32(1.0), square_root(a), largest(a, np.float32(2.0))))


@kernel
def _one(x, out):
    for i in range(x.size):
        a = x[i]
        out[0, i] = exponential(logarithm(a) * np.float32(0.3))
        out[1, i] = logarithm(a)
        out[2, i] = inverse_cube_root(a)
        out[3, i] = choose_less(a, np.float32(1.0), square_root(a), largest(a, np.float32(2.0)))


def test_functions_agree_with_numpy():
    """exp, log, x^(-1/3), choice: eight lanes and one lane agree with float64 to a few units of float32 precision."""
    x = np.geomspace(1e-12, 1e12, 4096).astype(np.float32)
    a = x.astype(np.float64)
    wanted = np.stack([a**0.3, np.log(a), np.cbrt(1.0 / a), np.where(a < 1.0, np.sqrt(a), np.maximum(a, 2.0))])
    for width in (_eight, _one):
        out = np.zeros((4, x.size), np.float32)
        width(x, out)
        error = np.abs(out - wanted) / np.maximum(np.abs(wanted), [[1e-30], [1.0], [1e-30], [1e-30]])
        assert (error.max(axis=1) < [3e-6, 3e-7, 3e-7, 2e-7]).all(), error.max(axis=1)


@kernel
def _rows(source, target, folded, whole):
    columns = load_rows(source, 2, 10)
    store_rows(target, 1, 9, columns)
    store_folded(folded, 1, twice8(source, 3) * pair8(np.float32(1.0), np.float32(10.0)))
    store_whole(whole, 0, load8(source, 0) * splat8(np.float32(1.6)))
    return any_less(columns[0], np.float32(3.0)), any_less(columns[0], np.float32(2.0))


def test_rows_are_transposed_and_back():
    """Rows loaded with one stride come back with another; pairs, folds and whole numbers are what they say."""
    source = np.arange(100, dtype=np.float32)
    target, folded, whole = np.zeros(90, np.float32), np.zeros(6, np.float32), np.zeros(8, np.int32)
    some, none = _rows(source, target, folded, whole)
    for row in range(8):
        assert (target[1 + 9 * row : 9 + 9 * row] == source[2 + 10 * row : 10 + 10 * row]).all()
    assert folded.tolist() == [0.0, 33.0, 44.0, 55.0, 66.0, 0.0]
    assert whole.tolist() == [int(np.float32(1.6) * k) for k in range(8)]
    assert some and not none
