"""Surfaces: particles in, OpenVDB level sets out."""

from .make import make_surface
from .vdb import write_vdb
from .volume import SurfaceVolume

__all__ = ["SurfaceVolume", "make_surface", "write_vdb"]
