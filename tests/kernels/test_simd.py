"""Eight lanes against plain NumPy."""

import numpy as np

from solvers.jit import kernel
from solvers.simd import less8, load8, max8, min8, splat8, sqrt8, store8, sum8


@kernel
def _mixed(a, b, out):
    x, y = load8(a, 1), load8(b, 0)
    total = splat8(np.float32(0.0))
    total += sqrt8(max8(x * y, splat8(np.float32(0.5)))) - min8(x, y) / splat8(np.float32(2.0))
    store8(out, 1, total)
    return sum8(x), less8(x, y)


def test_lanes_do_what_numpy_does():
    """Loads at an offset, arithmetic, reduction and comparison agree with NumPy lane by lane."""
    a = np.array([9, 1, -2, 3, -4, 5, -6, 7, -8], np.float32)
    b = np.array([0.5, 1.5, -2.5, 3.5, 4.5, 5.5, 7.5, -1.0], np.float32)
    out = np.zeros(9, np.float32)
    total, bits = _mixed(a, b, out)
    x = a[1:]
    assert np.allclose(out[1:], np.sqrt(np.maximum(x * b, 0.5)) - np.minimum(x, b) / 2.0, rtol=1e-6)
    assert out[0] == 0.0
    assert total == x.sum()
    assert [bool(bits >> lane & 1) for lane in range(8)] == (x < b).tolist()
