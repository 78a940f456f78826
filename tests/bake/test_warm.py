"""Compiling ahead: parts of the engine in processes of their own."""

from dataclasses import replace

import pytest

from solvers import InvalidScene, SurfaceParams, jit, job
from solvers.bake import warm
from solvers.errors import Cancelled
from solvers.materials import MATERIALS
from solvers.watch import Silent


def test_parts_follow_the_scene():
    """Every kind once, walls and surface only where there are any."""
    scene = warm.any_scene()
    assert warm.parts_of(scene) == ("walls", "surface", *MATERIALS)
    bare = replace(scene, colliders=(), surface=SurfaceParams(enabled=False), bodies=scene.bodies[:1] * 2)
    assert warm.parts_of(bare) == (scene.bodies[0].kind,)
    with pytest.raises(InvalidScene, match="nonsense"):
        warm.warm_part(bare, "nonsense")


def test_a_part_is_compiled_and_marked(tmp_path, monkeypatch):
    """What has been used once counts as compiled; an empty cache has nothing."""
    monkeypatch.setattr(jit, "_ROOT", tmp_path)
    scene = warm.any_scene()
    assert warm.unready(scene) == list(warm.parts_of(scene))
    warm.warm_part(scene, "surface")
    assert "surface" not in warm.unready(scene) and "walls" in warm.unready(scene)


def test_a_failed_part_is_named(tmp_path):
    """A process that ends badly is told by its part; the others are not."""
    job.write(warm.any_scene(), tmp_path)
    with warm.Warming(["surface", "nonsense"], tmp_path) as warming:
        assert warming.wait(Silent()) == ["nonsense"]


def test_cancel_ends_the_processes(tmp_path):
    """Whoever cancels while others compile leaves no process behind."""

    class Impatient(Silent):
        def poll(self) -> None:
            raise Cancelled("enough")

    warming = warm.Warming(["surface"], None)
    with pytest.raises(Cancelled), warming:
        warming.wait(Impatient(), patience=60.0)
    assert all(process.poll() is not None for process in warming._running.values())
