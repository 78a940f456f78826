"""Random numbers by place: a hash of whole numbers and a seed, the same on every machine, thread count and version."""

import numpy as np

_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)


def _mixed(value: np.ndarray) -> np.ndarray:
    """The finalizer of SplitMix64 (Steele, Lea, Flood 2014): every bit of the input turns half of the output's bits."""
    value = (value ^ (value >> np.uint64(30))) * _MIX_1
    value = (value ^ (value >> np.uint64(27))) * _MIX_2
    return value ^ (value >> np.uint64(31))


def hashed(index: np.ndarray, seed: int, stream: int = 0) -> np.ndarray:
    """64 random bits for each row of whole numbers, int64 (n, k), uint64 (n,). Streams of one seed are independent."""
    rows = np.asarray(index, dtype=np.int64).reshape(len(index), -1).astype(np.uint64)
    start = np.array([seed, stream], dtype=np.int64).astype(np.uint64)
    value = np.full(len(rows), _STEP, dtype=np.uint64)
    for part in (np.broadcast_to(start[0], len(rows)), np.broadcast_to(start[1], len(rows)), *rows.T):
        value = _mixed((value ^ part) + _STEP)
    return value


def unit(index: np.ndarray, seed: int, stream: int = 0) -> np.ndarray:
    """Uniform numbers in [0, 1), float64 (n,), one for each row of whole numbers."""
    return (hashed(index, seed, stream) >> np.uint64(11)).astype(np.float64) * 2.0**-53
