"""The checks before a bake: each trouble is found, named and told how to mend; a sound scene is left in peace."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from solvers import Body, Collider, Emitter, Mesh, Scene, WorldParams, job
from solvers.bake import cli, probe
from solvers.bake.checks import checked
from solvers.bake.preflight import preflight
from solvers.materials.foam_params import FoamParams
from solvers.materials.grains_params import GrainsParams
from solvers.scene import ColliderParams

TANK = Collider("Tank", Mesh.box((-0.5, -0.5, 0.0), (1.5, 1.5, 2.0), inward=True))
BOX = Mesh.box((0, 0, 0.1), (1, 1, 1.1))
SALT = Body("Salt", "grains", Mesh.box((2, 2, 0), (2.2, 2.2, 0.2)), GrainsParams(size=0.01, size_spread=0.0))
ABOVE = Mesh.box((0, 0, 1.2), (1, 1, 1.5))


def findings(*entries: Any, spacing: float = 0.05, gravity: float = -9.81) -> list[tuple[str, str, str]]:
    scene = Scene(
        "Shot",
        tuple(entry for entry in entries if isinstance(entry, Body)),
        tuple(entry for entry in entries if isinstance(entry, Collider)),
        tuple(entry for entry in entries if isinstance(entry, Emitter)),
        WorldParams(spacing=spacing, gravity=(0.0, 0.0, gravity)),
    )
    return [(found.level, found.owner, found.fix) for found in preflight(checked(scene))]


def water(mesh: Mesh = BOX, name: str = "Water") -> Body:
    return Body(name, "water", mesh)


def sand(size: float) -> Body:
    return Body("Sand", "grains", BOX, GrainsParams(size=size, size_spread=0.3))


def free(mass: float) -> Collider:
    return Collider("Cork", Mesh.box((0, 0, 1.3), (0.5, 0.5, 1.6)), ColliderParams(free=True, mass=mass))


def test_sound_scene_has_no_findings() -> None:
    """Water in a tank whose faces look inwards, above an open sheet and a thick floor: nothing to say."""
    sheet = Collider("Sheet", Mesh.rectangle((0, 0, -0.2), (1, 0, 0), (0, 1, 0)))
    floor = Collider("Floor", Mesh.box((-2, -2, -0.5), (2, 2, -0.3)))
    assert findings(water(), TANK, sheet, floor) == []
    # the spacing is nothing to grains: thin walls hold them
    assert findings(sand(0.02), Collider("Wall", Mesh.box((-1, -1, -0.02), (2, 2, 0.0)))) == []
    # a free body of more than a grain; grains that ask for nothing but themselves
    coarse = Body("Gravel", "grains", ABOVE, GrainsParams(mode="all", size=0.04))
    assert findings(sand(0.02), TANK, free(1.0)) == findings(sand(0.02), coarse, TANK) == []


@pytest.mark.parametrize(
    ("entries", "options", "expected"),
    [
        ((water(Mesh.box((0, 0, 0.1), (1, 1, 1.1), inward=True)),), {}, ("warning", "Water", "normals")),
        ((water(Mesh.open_box((0, 0, 0.1), (1, 1, 1.1))),), {}, ("warning", "Water", "holes")),
        ((water(), Collider("Wall", Mesh.box((-1, -1, -0.02), (2, 2, 0.0)))), {}, ("warning", "Wall", "spacing")),
        ((water(), Collider("Tank", Mesh.box((-1, -1, 0), (2, 2, 2)))), {}, ("error", "Tank", "flip")),
        ((water(), Collider("Rock", Mesh.box((5, 5, 0), (6, 6, 1), inward=True))), {}, ("warning", "Rock", "flip")),
        ((water(), water(Mesh.box((0.5, 0, 0.1), (1.5, 1, 1.1)), "Other")), {}, ("warning", "Other", "cut")),
        ((water(), Collider("Rock", Mesh.box((0.5, 0, 0.1), (1.5, 1, 1.1)))), {}, ("info", "Water", "cut")),
        ((water(Mesh.box((0, 0, 0), (200, 200, 50))),), {"spacing": 5.0}, ("warning", "Water", "scale")),
        ((water(),), {"spacing": 0.4}, ("warning", "Water", "spacing")),
        ((water(),), {"gravity": -981.0}, ("warning", "", "gravity")),
        ((sand(0.8),), {}, ("error", "Sand", "grain")),
        ((sand(0.3),), {}, ("warning", "Sand", "grain")),
        ((water(), SALT), {}, ("warning", "Salt", "spacing")),
        ((sand(0.1), TANK, free(1.0)), {}, ("warning", "Cork", "")),
        ((sand(0.02), Body("Gravel", "grains", ABOVE, GrainsParams(size=0.04))), {}, ("info", "Gravel", "")),
        ((Body("Gum", "foam", BOX, FoamParams(firmness=100.0, yield_stress=150.0)),), {}, ("warning", "Gum", "")),
    ],
)
def test_trouble_is_found(entries: tuple[Any, ...], options: dict[str, float], expected: tuple[str, str, str]) -> None:
    """One trouble, one line: level, object and cure."""
    assert findings(*entries, **options) == [expected]


def test_mixed_faces_are_found() -> None:
    """One face turned round is neither closed nor open, but recalculated."""
    turned = BOX.triangles.copy()
    turned[0] = turned[0][::-1]
    assert findings(water(Mesh(BOX.vertices, turned))) == [("warning", "Water", "normals")]


def test_overlap_is_told_with_its_volume() -> None:
    """Half of a cubic metre is told as such."""
    scene = checked(Scene("Shot", (water(), water(Mesh.box((0.5, 0, 0.1), (1.5, 1, 1.1)), "Other"))))
    found = preflight(scene)[0]
    assert "500 l with Water" in found.text and (found.owner, found.fix, found.other) == ("Other", "cut", "Water")


def test_unlike_sizes_are_told_with_their_cost() -> None:
    """Water of 5 cm with salt of 1 cm: the finest spacing that the salt asks for, and what that makes of the water."""
    (finding,) = preflight(checked(Scene("Shot", (water(), SALT), world=WorldParams(spacing=0.05))))
    assert "cells of 10 cm" in finding.text and "Water would have" in finding.text
    # 4 spacings of grains that take π/6 d³ / 0.6 each
    assert finding.value == pytest.approx(4.0 * 0.01 * (np.pi / 6.0 / 0.6) ** (1.0 / 3.0))
    assert f"{round(1.0 / finding.value**3):,} particles" in finding.text


def test_more_than_memory_names_what_is_too_fine(tmp_path: Path, capsys: Any) -> None:
    """Grains of a hundredth of a millimetre: neither probe nor bake begins; the message names the body and its grain size."""
    job.write(Scene("Beach", (sand(1.0e-5),)), tmp_path / "shot")
    assert cli.main(["probe", str(tmp_path / "shot")]) != 0
    assert "Sand: Grain size (size) 1e-05 m makes about" in capsys.readouterr().err


def test_probe_foretells(tmp_path: Path, capsys: Any) -> None:
    """A few steps tell time, memory and disk of the whole bake, and leave the job's folder as it was."""
    scene = Scene("Shot", (water(),), (TANK,), world=WorldParams(spacing=0.1, frame_end=11))
    job.write(scene, tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert cli.main(["probe", str(tmp_path), "--threads", "1"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert abs(told["particles"] - 1000) <= 1
    assert told["seconds"] > 0.0 and told["memory"] > 100e6 and told["steps"] >= 1.0
    # 11 frames of 1000 particles: position, velocity, id, radius, … are 26 to 60 bytes, a coarse surface about as much.
    assert 11 * 1000 * 26 < told["disk"] < 11 * 1000 * 400
    assert sorted(tmp_path.rglob("*")) == before


def test_probe_of_an_emitter_alone(tmp_path: Path, capsys: Any) -> None:
    """Nothing is there in the first frame: the time is not known, and that is said instead of guessed."""
    spout = Emitter("Spout", "water", Mesh.box((0, 0, 1), (0.2, 0.2, 1.1)))
    scene = Scene("Shot", emitters=(spout,), world=WorldParams(spacing=0.05, frame_end=4))
    job.write(scene, tmp_path)
    assert cli.main(["probe", str(tmp_path), "--threads", "1"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert told["seconds"] is None and told["particles"] > 0 and np.isfinite(told["disk"])


@pytest.mark.parametrize(("fastest", "times"), [(0.5, 8.0), (0.0, 1.0)])
def test_splashes_take_more_steps_than_the_first_ones(fastest: float, times: float) -> None:
    """Water that falls 5 m in a tank reaches 10 m/s and 80 steps where the first frame had 10; a pool at rest keeps its 10."""
    column = Body("Column", "water", Mesh.box((0, 0, 0), (1, 1, 5)))
    gravity = (0.0, 0.0, -10.0)
    scene = Scene("Dam", (column,), world=WorldParams(spacing=0.05, frames_per_second=20.0, gravity=gravity, frame_end=9))
    solver = SimpleNamespace(
        state=SimpleNamespace(count=1000), fastest=lambda: fastest, stable_dt=lambda speed: 1.0 / (20.0 * 8.0 * max(speed, 0.1))
    )
    hurry = probe._hurry(scene, SimpleNamespace(solvers={"water": solver}), 10.0, 0.05)
    assert hurry == pytest.approx(times, rel=0.01)
    two = SimpleNamespace(solvers={"water": solver, "grains": SimpleNamespace(state=SimpleNamespace(count=1000))})
    assert probe._hurry(scene, two, 10.0, 0.05) == pytest.approx(0.5 * (1.0 + times), rel=0.01), "grains are half of them"
