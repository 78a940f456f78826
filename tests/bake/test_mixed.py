"""A bake in which everything happens at once: all kinds, a free body, an emitter, a drain."""

import pytest

from solvers import Body, Collider, Emitter, EmitterParams, Mesh, Scene, SurfaceParams, WorldParams
from solvers.bake import manifest
from solvers.bake.start import bake_scene
from solvers.materials.foam_params import FoamParams
from solvers.materials.grains_params import GrainsParams
from solvers.materials.solid_params import SolidParams
from solvers.scene import ColliderParams
from solvers.world import World
from tests.bake.ballistic import frame_bytes, quiet

SPACING = 0.02


def _box(name, kind, x, z, params=None):
    return Body(name, kind, Mesh.box((x, 0.02, z), (x + 0.06, 0.08, z + 0.06)), params)


def _scene(frames=6):
    """Two bodies of each kind that may differ, dropped on each other in a tank."""
    bodies = (
        _box("Coarse", "grains", 0.0, 0.0, GrainsParams(mode="all", size=0.02)),
        _box("Fine", "grains", 0.06, 0.0, GrainsParams(mode="all", size=0.015, density=1500.0)),
        _box("Firm", "foam", 0.12, 0.0, FoamParams(firmness=3.0e4)),
        _box("Loose", "foam", 0.12, 0.07, FoamParams(firmness=5.0e3, yield_stress=20.0, density=200.0)),
        _box("Jelly", "solid", 0.06, 0.07, SolidParams(stiffness=2.0e4)),
        _box("Rubber", "solid", 0.0, 0.07, SolidParams(stiffness=1.0e5, density=1200.0)),
        _box("Oil", "water", 0.18, 0.0),
        Body("Drop", "drops", Mesh.box((0.16, 0.0, 0.2), (0.22, 0.1, 0.26))),
    )
    colliders = (
        Collider("Tank", Mesh.open_box((0.0, 0.0, 0.0), (0.24, 0.1, 0.4))),
        Collider("Wood", Mesh.box((0.10, 0.03, 0.15), (0.15, 0.07, 0.19)), ColliderParams(free=True, density=600.0)),
        Collider("Sink", Mesh.box((0.2, 0.0, -0.1), (0.3, 0.1, 0.01)), ColliderParams(drain=True)),
    )
    pour = Emitter("Pour", "water", Mesh.box((0.19, 0.03, 0.1), (0.23, 0.07, 0.12)), EmitterParams(source="volume", rate=1.0e-3))
    return Scene(
        "Mixed", bodies, colliders, (pour,),
        WorldParams(spacing=SPACING, frame_end=frames, checkpoint_every=3, box_size=(1.0, 1.0, 2.0)),
        SurfaceParams(enabled=False),
    )  # fmt: skip


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A bake that never stopped, on one thread."""
    folder = tmp_path_factory.mktemp("whole")
    bake_scene(_scene(), folder, quiet(threads=1), World)
    return folder


class CrashingWorld(World):
    """Dies while it simulates frame 6."""

    def advance(self, frame):
        if frame == 6:
            raise RuntimeError("crash")
        super().advance(frame)


def test_resumed_on_other_threads(tmp_path, whole):
    """Broken off, taken up from a checkpoint and on two threads: the same bytes, the same account of what was lost."""
    with pytest.raises(RuntimeError, match="crash"):
        bake_scene(_scene(), tmp_path, quiet(threads=2), CrashingWorld)
    bake_scene(_scene(), tmp_path, quiet(threads=2, resume=True), World)
    assert frame_bytes(tmp_path) == frame_bytes(whole)
    last, other = (manifest.read(folder).frames[6] for folder in (whole, tmp_path))
    for name in ("swallowed", "dropped", "blocked", "momentum", "mass", "pose Wood"):
        assert last[name] == other[name], name
    assert last["swallowed"] > 0
