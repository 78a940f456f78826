"""What the surface kernels need beyond `solvers.simd`: choosing lane by lane, and masks for the end of a run."""

from typing import Any

import numpy as np
from numba.extending import intrinsic

from ..simd import lanes

TAIL_MASKS = np.array([[float(lane < count) for lane in range(8)] for count in range(9)], dtype=np.float32).ravel()
"""1 in the first `count` lanes: TAIL_MASKS[8 count : 8 count + 8]."""

STEPS = np.arange(8, dtype=np.float32)
"""0, 1, … 7: one number per lane."""


@intrinsic
def where_less8(typing_context: Any, a: Any, b: Any, yes: Any, no: Any) -> Any:
    """Lane by lane: `yes` where a < b, else `no`."""

    def generate(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.select(builder.fcmp_ordered("<", args[0], args[1]), args[2], args[3])

    return lanes(lanes, lanes, lanes, lanes), generate
