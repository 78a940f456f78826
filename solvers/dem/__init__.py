"""Grains one by one: the discrete element method (see docs/materials/grains.md)."""
