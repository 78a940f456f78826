"""Openings too narrow for grains are found before a bake."""

import math

import numpy as np
import pytest

from solvers import Body, Collider, GrainsParams, Mesh, Scene
from solvers.openings import openings, warnings


def _tube(bottom: float, top: float, height: float, sides: int = 24, thickness: float = 0.0) -> Mesh:
    """A funnel with radii `bottom` at z = 0 and `top` at z = height; with a wall of its own if thickness > 0."""
    angle = 2.0 * math.pi * np.arange(sides) / sides
    ring = np.stack([np.cos(angle), np.sin(angle), np.zeros(sides)], axis=1)
    rings = [ring * bottom, ring * top + [0, 0, height]]
    if thickness:
        rings += [ring * (top + thickness) + [0, 0, height], ring * (bottom + thickness)]
    here, ahead = np.arange(sides), np.roll(np.arange(sides), -1)
    faces = []
    for k in range(len(rings) if thickness else len(rings) - 1):
        a, b = k * sides, (k + 1) % len(rings) * sides
        faces += [np.stack([here + a, here + b, ahead + a], 1), np.stack([ahead + a, here + b, ahead + b], 1)]
    return Mesh(np.concatenate(rings), np.concatenate(faces).astype(np.int32))


def _plate_with_hole(width: float) -> Mesh:
    """A thick plate with a square hole, as Blender's Boolean makes it."""
    outer, inner = 0.5, 0.5 * width
    square = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    sizes = ((inner, 0.0), (outer, 0.0), (outer, -0.1), (inner, -0.1))
    rings = [np.concatenate([square * size, np.full((4, 1), z)], axis=1) for size, z in sizes]
    here, ahead = np.arange(4), np.roll(np.arange(4), -1)
    faces = []
    for k in range(4):
        a, b = 4 * k, 4 * ((k + 1) % 4)
        faces += [np.stack([here + a, here + b, ahead + a], 1), np.stack([ahead + a, here + b, ahead + b], 1)]
    return Mesh(np.concatenate(rings).astype(float), np.concatenate(faces).astype(np.int32))


@pytest.mark.parametrize("thickness", [0.0, 0.01])
def test_funnel(thickness: float):
    """Thin or thick: the lower mouth of a funnel is an opening of its diameter; the upper rim is none."""
    found = openings(Collider("Funnel", _tube(0.02, 0.2, 0.3, thickness=thickness)), np.array([0, 0, -9.81]))
    inner = min(found, key=lambda entry: entry.width)
    assert inner.width == pytest.approx(0.04, rel=0.01)
    assert inner.middle == pytest.approx([0.0, 0.0, 0.0], abs=1e-6)
    assert all(entry.width < 0.1 for entry in found)


def test_hole_in_a_plate():
    """A square hole through a thick plate, measured across."""
    assert min(entry.width for entry in openings(Collider("Plate", _plate_with_hole(0.06)))) == pytest.approx(0.06, rel=0.01)


def test_no_openings():
    """Boxes, balls, sheets and cups have none below."""
    down = np.array([0, 0, -9.81])
    for mesh in (
        Mesh.box((0, 0, 0), (1, 2, 3)), Mesh.sphere((0, 0, 0), 1.0), Mesh.rectangle((0, 0, 0), (1, 0, 0), (0, 1, 0)),
        Mesh.open_box((0, 0, 0), (0.05, 1, 1)),
    ):  # fmt: skip
        assert openings(Collider("Thing", mesh), down) == []


def test_words():
    """Smaller than a grain: it will clog. A few grains wide: probably. Wide: nothing. Only where there are grains."""
    def told(radius: float, kind: str = "grains") -> list[str]:
        params = GrainsParams(size=0.01, size_spread=0.2) if kind == "grains" else None
        body = Body("Heap", kind, Mesh.box((0, 0, 0.4), (0.1, 0.1, 0.5)), params)
        return warnings(Scene("Silo", (body,), (Collider("Funnel", _tube(radius, 0.2, 0.3)),)))

    assert len(told(0.005)) == 1 and "Funnel" in told(0.005)[0] and "it will clog" in told(0.005)[0]
    assert "probably clog" in told(0.015)[0]
    assert told(0.03) == [] and told(0.005, "water") == []
