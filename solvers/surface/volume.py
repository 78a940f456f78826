"""A surface as blocks of voxels."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class SurfaceVolume:
    """A narrow-band level set, and the velocity around it, in blocks. Memory follows the surface.

    Voxel (i, j, k) of the whole grid lies at (i, j, k)·voxel_size in world space, in every frame.
    """

    voxel_size: float
    """[m]."""
    origin: np.ndarray
    """Voxel index of the first voxel of each block, int32 (b, 3)."""
    phi: np.ndarray
    """Signed distance [m], negative inside, float32 (b, 8, 8, 8); ± `background` beyond the band."""
    background: float
    """Half the width of the band [m]."""
    velocity_step: int = 2
    """Voxels between velocity nodes."""
    velocity_origin: np.ndarray | None = None
    """Index of the first node of each block, int32 (c, 3); node (i, j, k) lies at (i, j, k)·velocity_step·voxel_size."""
    velocity: np.ndarray | None = None
    """[m/s], float32 (c, n, n, n, 3), n = 8 / velocity_step; or None."""

    @property
    def memory(self) -> int:
        """Bytes held by the blocks."""
        arrays = (self.origin, self.phi, self.velocity_origin, self.velocity)
        return sum(array.nbytes for array in arrays if array is not None)
