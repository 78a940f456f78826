"""Reconstructed polygon walls: what is near a particle, how far, and how fast it moves."""

from .walls import NearWalls, Walls

__all__ = ["NearWalls", "Walls"]
