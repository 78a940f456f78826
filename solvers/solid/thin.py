"""Is a body thick enough for its particles?"""

import numpy as np

from ..errors import InvalidScene
from ..jit import parallel_kernel, prange
from ..mesh.triangles import area, volume
from ..scene import Mesh
from .links import within

_AROUND = 1.6
_FLAT = 0.02
"""Smallest spread of a master's neighbours, in squared spacings, below which they lie in one layer."""
_MOST = 0.1
"""Part of the masters that may lie in one layer: the tip of a cone, a thin rim."""


@parallel_kernel
def _spread(start, index, place, scale, out):
    for m in prange(len(start) - 1):
        part = scale / max(start[m + 1] - start[m], 1)
        for k in range(start[m], start[m + 1]):
            for i in range(3):
                for j in range(3):
                    out[m, i, j] += part * (place[index[k], i] - place[m, i]) * (place[index[k], j] - place[m, j])


def in_one_layer(masters: np.ndarray, body: np.ndarray, spacing: float) -> np.ndarray:
    """Masters (n, 3) whose neighbours of the same `body` (n,) all lie in one plane, bool (n,)."""
    start, index, _ = within(masters, body, masters, body, _AROUND * spacing)
    spread = np.zeros((len(masters), 3, 3))
    _spread(start, index, masters, 1.0 / spacing**2, spread)
    return np.linalg.eigvalsh(spread)[:, 0] < _FLAT


def refuse_thin(masters: np.ndarray, spacing: float, mesh: Mesh, owner: str) -> None:
    """Raises `InvalidScene` if many masters (n, 3) have neighbours in one layer only: such a body has no stiffness in bending."""
    flat = in_one_layer(masters, np.zeros(len(masters), np.int32), spacing)
    if flat.mean() <= _MOST:
        return
    surface = area(mesh.at(0), mesh.triangles)
    thickness = 2.0 * abs(volume(mesh.at(0), mesh.triangles)) / surface  # of a plate or shell
    raise InvalidScene(
        f"{owner}: {100.0 * flat.mean():.0f} % of it is thinner than two particles (about {thickness:.2g} m, the spacing is "
        f"{spacing:g} m), so it could not bend; use a particle spacing of {0.5 * thickness:.2g} m or less, "
        "or thicken it (Solidify)."
    )
