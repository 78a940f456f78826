"""Reconstructed polygon walls: what is near a particle, how far, and how fast it moves."""

from .walls import NearWalls, Walls
from .weights import wall_density

__all__ = ["NearWalls", "Walls", "wall_density"]
