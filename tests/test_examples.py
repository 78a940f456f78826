"""The example scenes are sound, and the commands that list and run things know them."""

import json
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from examples.shapes import bowl, cylinder, prism, wedge
from examples.solids import bunny, tyre
from examples.titles import titles as example_titles
from solvers import Mesh
from solvers.bake.checks import checked
from solvers.bake.preflight import preflight
from solvers.mesh.triangles import is_closed, volume

ROOT = Path(__file__).resolve().parents[1]


@pytest.mark.parametrize("name", sorted(example_titles()))
@pytest.mark.parametrize("quick", [False, True])
def test_scene_is_valid_and_photographed_inside_its_range(name: str, quick: bool) -> None:
    """Each example passes the engine's checks, and the full one bakes the frame that its look asks for."""
    example = import_module(f"examples.{name}")
    scene = checked(example.scene(quick=quick))
    assert scene.bodies or scene.emitters
    if not quick:
        assert scene.world.frame_start <= example.LOOK.frame <= scene.world.frame_end
    assert set(example.LOOK.materials) <= {entry.name for entry in (*scene.colliders, *scene.bodies)}


@pytest.mark.parametrize("name", sorted(example_titles()))
def test_the_check_before_baking_finds_nothing_in_a_preview(name: str) -> None:
    """As the menu adds them, at half the detail: no thin walls, holes or overlaps in what beginners see first."""
    scene = checked(import_module(f"examples.{name}").scene())
    coarse = replace(scene.world, spacing=2.0 * scene.world.spacing)
    assert preflight(replace(scene, world=coarse)) == []


@pytest.mark.parametrize(
    ("solid", "expected"),
    [
        (cylinder((1.0, 2.0, 3.0), 0.5, 2.0, 256), np.pi * 0.25 * 2.0),
        (bowl(1.0, 0.1, steps=128), 2.0 / 3.0 * np.pi * (1.1**3 - 1.0)),
        (wedge((0.0, 0.0, 0.0), (2.0, 3.0, 1.0)), 3.0),
        (prism(np.array([[1.0, -1.0], [1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]]), 0.5), 2.0),
        (tyre((0.0, 0.0, 0.0), 1.0, 1.0, 24), 2.395),
        (bunny((0.0, 0.0, 0.0), 1.0), 2.28),
    ],
)
def test_shapes_are_closed_and_face_outwards(solid: Mesh, expected: float) -> None:
    """Cylinder π r² h, half a spherical shell 2/3 π (R³ − r³), wedge half a box, others as they were once measured: positive
    volume means outward normals."""
    assert is_closed(solid.triangles)
    assert volume(solid.vertices, solid.triangles) == pytest.approx(expected, rel=5e-3)


def test_paddle_stays_in_its_channel() -> None:
    """The paddle's matrices are rotations about the hinge, and start upright and at rest."""
    from examples.wave_maker import paddle_motion

    motion = paddle_motion(60)
    turn = motion[:, :3, :3]
    np.testing.assert_allclose(turn @ turn.transpose(0, 2, 1), np.tile(np.eye(3), (60, 1, 1)), atol=1e-12)
    np.testing.assert_allclose(turn[0], np.eye(3))
    assert np.abs(np.degrees(np.arctan2(turn[:, 0, 2], turn[:, 0, 0]))).max() == pytest.approx(14.0, abs=0.1)


@pytest.mark.parametrize("module", ["examples", "benchmarks"])
def test_commands_list_and_refuse(module: str) -> None:
    """Without a name the command lists; an unknown name is refused with the known ones."""
    listed = subprocess.run([sys.executable, "-m", module], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    names = [line.split()[0] for line in listed.splitlines()]
    assert ("dam_break" in names) if module == "examples" else ("startup" in names)
    refused = subprocess.run([sys.executable, "-m", module, "nonsense"], cwd=ROOT, capture_output=True, text=True)
    assert refused.returncode == 2 and names[0] in refused.stderr and "nonsense" in refused.stderr


def test_every_benchmark_has_a_run() -> None:
    """What the list shows can be run: the module has run(quick, out)."""
    import inspect

    from benchmarks.__main__ import titles

    for name in titles():
        run = import_module(f"benchmarks.{name}").run
        assert list(inspect.signature(run).parameters) == ["quick", "out"], name


def test_last_line_is_json(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The runner ends with one JSON object that holds the figures, and keeps a copy beside the picture."""
    import benchmarks.startup
    from benchmarks.__main__ import main

    monkeypatch.setattr(benchmarks.startup, "run", lambda quick, out: {"figure": np.float32(1.5), "count": np.int64(3)})
    monkeypatch.setattr(sys, "argv", ["benchmarks", "startup", "--quick", "--out", str(tmp_path)])
    assert main() == 0
    answer = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (answer["figure"], answer["count"], answer["quick"], answer["benchmark"]) == (1.5, 3, True, "startup")
    assert json.loads((tmp_path / "startup.json").read_text()) == answer
