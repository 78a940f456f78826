"""Asked against measured: each measure on shapes whose answer is known, and on a bake."""

from pathlib import Path

import numpy as np
import pytest

from solvers.bake import measures
from solvers.bake.start import bake_scene
from solvers.bake.worker import Options
from solvers.scene import Body, Collider, Emitter, EmitterParams, Mesh, Scene, SurfaceParams, WorldParams

DOWN = np.array([0.0, 0.0, -1.0])


@pytest.mark.parametrize("angle", [20.0, 30.0, 38.0])
def test_slope_of_a_cone(angle: float) -> None:
    """A cone filled with grains at random has the slope it was made with, within two degrees, wherever it stands."""
    rng = np.random.default_rng(3)
    tall = np.tan(np.radians(angle))
    place = rng.uniform(-1.0, 1.0, (400_000, 3)) * (1.0, 1.0, 0.5) + (0.0, 0.0, 0.5)
    inside = place[:, 2] < tall * (1.0 - np.hypot(place[:, 0], place[:, 1]))
    grains = (place[inside] + (4.0, -2.0, 7.0)).astype(np.float32)
    found = measures.slope_of_pile(grains, np.full(len(grains), 0.012, np.float32), DOWN)
    assert found == pytest.approx(angle, abs=2.0)


def test_a_flat_bed_has_no_slope() -> None:
    """A bed is no heap, and three grains are none."""
    bed = np.random.default_rng(0).uniform(0.0, 1.0, (20_000, 3)) * (1.0, 1.0, 0.1)
    assert measures.slope_of_pile(bed, np.full(len(bed), 0.012), DOWN) is None
    assert measures.slope_of_pile(bed[:3], np.full(3, 0.012), DOWN) is None


@pytest.mark.parametrize("cut", [0.86, 0.0, -0.86])
def test_angle_of_a_cap(cut: float) -> None:
    """Points of a lattice in a spherical cap: moments give its angle within two degrees."""
    axis = np.arange(-1.0, 1.0, 0.02) + 0.01
    ball = np.stack(np.meshgrid(axis, axis, axis), axis=-1).reshape(-1, 3)
    cap = ball[((ball**2).sum(axis=1) < 1.0) & (ball[:, 2] > cut)]
    spread = np.sqrt((cap[:, :2] ** 2).sum(axis=1).mean())
    assert measures.cap_angle(cap[:, 2].mean() - cut, spread) == pytest.approx(np.degrees(np.arccos(cut)), abs=2.0)


def test_drops_are_told_apart() -> None:
    """Two lattices a gap of three reaches apart are two drops; what touches is one."""
    lattice = np.stack(np.meshgrid(*(np.arange(5.0),) * 3), axis=-1).reshape(-1, 3)
    both = np.concatenate([lattice, lattice + (10.0, 0.0, 0.0)])
    assert len(np.unique(measures.separate(both, 1.5))) == 2
    assert len(np.unique(measures.separate(np.concatenate([lattice, lattice + (5.0, 0.0, 0.0)]), 1.5))) == 1


def test_volumes_of_a_bake(tmp_path: Path) -> None:
    """A filled box, a metered tap and the surface: asked and measured volumes agree as far as particles of this size can."""
    tap = Mesh.box((0.03, 0.03, 0.2), (0.07, 0.07, 0.22))
    scene = Scene(
        "Cup",
        bodies=(Body("Water", "water", Mesh.box((0.0, 0.0, 0.0), (0.1, 0.1, 0.06))),),
        colliders=(Collider("Cup", Mesh.open_box((0.0, 0.0, 0.0), (0.1, 0.1, 0.3))),),
        emitters=(Emitter("Tap", "water", tap, EmitterParams(rate=4.0e-4, speed=0.5)),),
        world=WorldParams(spacing=0.01, frames_per_second=24.0, frame_end=9),
        surface=SurfaceParams(wall_overlap=0.0),
    )
    bake_scene(scene, tmp_path, Options(log=lambda _: None))
    found = {measure.what: measure for measure in measures.measured(tmp_path)}
    assert found["Volume filled"].wanted == pytest.approx(0.6) and found["Volume filled"].found == pytest.approx(0.6, rel=0.02)
    assert found["Volume poured"].wanted == pytest.approx(0.4 * 8 / 24)
    assert found["Volume poured"].found == pytest.approx(found["Volume poured"].wanted, rel=0.1)
    assert found["Volume inside the surface"].found == pytest.approx(found["Volume inside the surface"].wanted, rel=0.2)
