"""Functions that work on one float32 and on eight lanes alike.

A material law written with them is one source for both widths: the eight-lane version runs in the time loop, the
one-lane version is its reference. exp and log follow the polynomials of Moshier's Cephes library (expf, logf).
"""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, overload

from .jit import inlined
from .simd import LANES, LanesType, _library, lanes, less8, max8, min8, splat8, sqrt8

_FLOAT, _INT32 = ir.FloatType(), ir.IntType(32)
_EIGHT, _EIGHT_INTS = ir.VectorType(_FLOAT, LANES), ir.VectorType(_INT32, LANES)
ALL_LANES = (1 << LANES) - 1

floor8 = _library("floor", 1)
abs8 = _library("fabs", 1)


def _ints(value: int) -> Any:
    return ir.Constant(_EIGHT_INTS, [value] * LANES)


@intrinsic
def choose8(typing_context: Any, a: Any, b: Any, yes: Any, no: Any) -> Any:
    """Lane by lane: `yes` where a < b, else `no`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[2], args[3])

    return lanes(lanes, lanes, lanes, lanes), generate


@intrinsic
def _exponent8(typing_context: Any, value: Any) -> Any:
    """⌊log₂ x⌋ of positive lanes."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.lshr(builder.bitcast(args[0], _EIGHT_INTS), _ints(23))
        return builder.sitofp(builder.sub(bits, _ints(127)), _EIGHT)

    return lanes(lanes), generate


@intrinsic
def _mantissa8(typing_context: Any, value: Any) -> Any:
    """x / 2^⌊log₂ x⌋ of positive lanes, in [1, 2)."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        bits = builder.and_(builder.bitcast(args[0], _EIGHT_INTS), _ints(0x007FFFFF))
        return builder.bitcast(builder.or_(bits, _ints(0x3F800000)), _EIGHT)

    return lanes(lanes), generate


@intrinsic
def _power_of_two8(typing_context: Any, value: Any) -> Any:
    """2^n for lanes that are whole numbers in −126 … 127."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        whole = builder.add(builder.fptosi(args[0], _EIGHT_INTS), _ints(127))
        return builder.bitcast(builder.shl(whole, _ints(23)), _EIGHT)

    return lanes(lanes), generate


_LEAST = np.float32(1.0e-37)
_HALF, _ONE, _ZERO = np.float32(0.5), np.float32(1.0), np.float32(0.0)
_SQRT2, _LN2_HIGH, _LN2_LOW = np.float32(1.41421356), np.float32(0.693359375), np.float32(-2.12194440e-4)
_LOG2E, _EXP_LOW, _EXP_HIGH = np.float32(1.44269504), np.float32(-86.0), np.float32(87.0)
_L = tuple(
    np.float32(c)
    for c in (7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
              2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1)
)  # fmt: skip
_E = tuple(
    np.float32(c) for c in (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
)


@inlined
def log8(x):
    """Natural logarithm of positive lanes (at least 10⁻³⁷)."""
    x = max8(x, splat8(_LEAST))
    m, e = _mantissa8(x), _exponent8(x)
    root = splat8(_SQRT2)
    e = choose8(root, m, e + _ONE, e)
    m = choose8(root, m, m * _HALF, m)
    t = m - _ONE
    z = t * t
    y = splat8(_L[0])
    y = ((((y * t + _L[1]) * t + _L[2]) * t + _L[3]) * t + _L[4]) * t + _L[5]
    y = ((y * t + _L[6]) * t + _L[7]) * t + _L[8]
    return t + (y * t * z + e * _LN2_LOW - z * _HALF) + e * _LN2_HIGH


@inlined
def exp8(x):
    """eˣ lane by lane, x cut to −86 … 87."""
    x = min8(max8(x, splat8(_EXP_LOW)), splat8(_EXP_HIGH))
    n = floor8(x * _LOG2E + _HALF)
    r = x - n * _LN2_HIGH - n * _LN2_LOW
    y = ((((splat8(_E[0]) * r + _E[1]) * r + _E[2]) * r + _E[3]) * r + _E[4]) * r + _E[5]
    return (y * r * r + r + _ONE) * _power_of_two8(n)


def _generic(on_lanes: Any, on_scalar: Any, count: int, name: str) -> Any:
    """A function that compiles to `on_lanes` or `on_scalar`; numba wants equal parameter names, hence the two forms."""

    def unary(x):
        raise NotImplementedError(f"{name} works inside kernels only")

    def binary(x, y):
        raise NotImplementedError(f"{name} works inside kernels only")

    if count == 1:

        def typed_unary(x):
            if isinstance(x, LanesType):
                return lambda x: on_lanes(x)
            return (lambda x: on_scalar(x)) if x == types.float32 else None

        overload(unary)(typed_unary)
        return unary

    def typed_binary(x, y):
        if isinstance(x, LanesType) and isinstance(y, LanesType):
            return lambda x, y: on_lanes(x, y)
        if isinstance(x, LanesType) and y == types.float32:
            return lambda x, y: on_lanes(x, splat8(y))
        return (lambda x, y: on_scalar(x, y)) if x == types.float32 and y == types.float32 else None

    overload(binary)(typed_binary)
    return binary


@inlined
def _sqrt1(x):
    return np.float32(np.sqrt(x))


@inlined
def _exp1(x):
    return np.float32(np.exp(min(max(x, _EXP_LOW), _EXP_HIGH)))


@inlined
def _log1(x):
    return np.float32(np.log(max(x, _LEAST)))


@inlined
def _max1(x, y):
    return max(x, y)


@inlined
def _min1(x, y):
    return min(x, y)


@inlined
def _any_less8(x, y):
    return less8(x, y) != 0


@inlined
def _any_less1(x, y):
    return x < y


square_root = _generic(sqrt8, _sqrt1, 1, "square_root")
exponential = _generic(exp8, _exp1, 1, "exponential")
logarithm = _generic(log8, _log1, 1, "logarithm")
largest = _generic(max8, _max1, 2, "largest")
least = _generic(min8, _min1, 2, "least")
any_less = _generic(_any_less8, _any_less1, 2, "any_less")
"""Whether x < y in at least one lane."""


def choose_less(a, b, yes, no):
    """`yes` where a < b, else `no`."""
    raise NotImplementedError("choose_less works inside kernels only")


def as_lanes(value, like):
    """The float32 `value` as wide as `like`."""
    raise NotImplementedError("as_lanes works inside kernels only")


@overload(as_lanes)
def _as_lanes(value, like):
    if isinstance(like, LanesType):
        return (lambda value, like: value) if isinstance(value, LanesType) else (lambda value, like: splat8(value))
    return lambda value, like: value


@overload(choose_less)
def _choose_less(a, b, yes, no):
    if isinstance(a, LanesType) or isinstance(b, LanesType):

        def on_lanes(a, b, yes, no):
            wide = a + b
            return choose8(as_lanes(a, wide), as_lanes(b, wide), as_lanes(yes, wide), as_lanes(no, wide))

        return on_lanes
    return lambda a, b, yes, no: yes if a < b else no


@inlined
def inverse_cube_root(x):
    """x^(−1/3) of a positive number: from logarithms, then one Newton step to full precision."""
    y = exponential(logarithm(x) * np.float32(-1.0 / 3.0))
    return y * (np.float32(4.0 / 3.0) - x * y * y * y * np.float32(1.0 / 3.0))


__all__ = [
    "ALL_LANES", "abs8", "any_less", "as_lanes", "choose8", "choose_less", "exp8", "exponential", "floor8",
    "inverse_cube_root", "largest", "least", "log8", "logarithm", "square_root",
]  # fmt: skip
