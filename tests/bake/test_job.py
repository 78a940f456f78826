"""A scene and its job folder are the same thing, and a bad one is refused by name."""

import json
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from solvers import (
    BakeFolderError,
    Body,
    Collider,
    ColliderParams,
    Emitter,
    EmitterParams,
    InvalidScene,
    Mesh,
    Scene,
    SurfaceParams,
    WaterParams,
    WorldParams,
    job,
)
from solvers.bake import files
from solvers.bake.checks import checked
from tests.bake.ballistic import ROOT

FRAMES = 3
BOX = Mesh.box((0.0, 0.0, 0.0), (0.1, 0.2, 0.3))


def _full_scene() -> Scene:
    generator = np.random.default_rng(5)
    motion = np.tile(np.eye(4), (FRAMES, 1, 1))
    motion[:, :3, 3] = generator.random((FRAMES, 3)) / 3.0
    bending = Mesh(generator.random((FRAMES, 4, 3)), np.array([(0, 1, 2), (0, 2, 3)], dtype=np.int64))
    return Scene(
        "Ünïcode 粒",
        bodies=(
            Body("Water/1", "water", BOX, WaterParams(viscosity=0.1 + 0.2), (0.1, 0.2, 1 / 3), (1e-17, 0.0, -5.0), "Sea"),
            Body("Plain", "water", Mesh.sphere((1.0, 0.0, 0.0), 0.1, 1)),
        ),
        colliders=(
            Collider("Tank", Mesh.open_box((0, 0, 0), (1, 1, 1)), ColliderParams(friction=0.7)),
            Collider("Paddle", BOX, motion=motion, animated={"friction": np.array([0.1, 0.2, 1 / 3])}),
            Collider("Cloth", bending),
        ),
        emitters=(
            Emitter("Tap", "water", BOX, EmitterParams(speed=2.5), WaterParams(density=900.0), motion,
                    {"direction": generator.random((FRAMES, 3)), "enabled": np.array([1, 0, 1])}, "Sea"),
        ),
        world=WorldParams(spacing=0.02, frame_start=-1, frame_end=1, gravity=(0.1, 0.0, -1.62)),
        surface=SurfaceParams(smoothing="5", voxel=0.75),
    )


def test_round_trip_is_exact(tmp_path):
    """read(write(scene)) is the checked scene to the last bit, and writing it again gives the same bytes."""
    job.write(_full_scene(), tmp_path / "a")
    wanted, back = checked(_full_scene()), job.read(tmp_path / "a")
    (settings, arrays), (settings_back, arrays_back) = job.describe(wanted), job.describe(back)
    assert settings == settings_back
    assert list(arrays) == list(arrays_back)
    for name, array in arrays.items():
        assert array.dtype == arrays_back[name].dtype and array.shape == arrays_back[name].shape, name
        assert array.tobytes() == arrays_back[name].tobytes(), name
    assert replace(back, bodies=(), colliders=(), emitters=()) == replace(wanted, bodies=(), colliders=(), emitters=())
    assert [type(body.params) for body in back.bodies] == [WaterParams, WaterParams]
    for group in ("bodies", "colliders", "emitters"):
        for given, read in zip(getattr(_full_scene(), group), getattr(back, group), strict=True):
            for name in {"name", "kind", "velocity", "spin", "output"} & set(given.__dataclass_fields__):
                assert getattr(read, name) == getattr(given, name), (given.name, name)
            for name in {"params", "material"} & set(given.__dataclass_fields__):
                assert getattr(read, name) == (getattr(given, name) or WaterParams()), (given.name, name)
            np.testing.assert_array_equal(read.mesh.vertices, given.mesh.vertices)
    job.write(back, tmp_path / "b")
    for name in ("job.json", "geometry.npz"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_job_is_complete(tmp_path):
    """A job names every setting, so that other defaults later do not change it."""
    job.write(Scene("S", bodies=(Body("B", "water", BOX),)), tmp_path)
    written = json.loads((tmp_path / "job.json").read_text())
    assert set(written["bodies"][0]["params"]) == {field for field in WaterParams.__dataclass_fields__}
    assert set(written["world"]) == set(WorldParams.__dataclass_fields__)


def test_reading_jobs_needs_no_numba():
    """Blender's own process imports solvers and reads jobs: neither may load numba, bpy, pxr or openvdb."""
    code = (
        "import sys, tempfile; from solvers import *; from solvers import job;"
        "f = tempfile.mkdtemp(); job.write(Scene('S', bodies=(Body('B', 'water', Mesh.box((0,0,0),(1,1,1))),)), f); job.read(f);"
        "from solvers.bake import cli, estimate, verify, status, manifest;"
        "print([m for m in ('numba', 'llvmlite', 'bpy', 'pxr', 'openvdb', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.strip() == "[]"


def _body(**values) -> Scene:
    return Scene("S", bodies=(replace(Body("Blob", "water", BOX), **values),))


def _collider(**values) -> Scene:
    world = WorldParams(frame_end=3)
    return Scene("S", bodies=(Body("B", "water", BOX),), colliders=(replace(Collider("Wall", BOX), **values),), world=world)


def _emitter(**values) -> Scene:
    return Scene("S", emitters=(replace(Emitter("Tap", "water", BOX), **values),), world=WorldParams(frame_end=3))


def _motion(change) -> np.ndarray:
    matrices = np.tile(np.eye(4), (3, 1, 1))
    change(matrices)
    return matrices


def _broken(change) -> Mesh:
    vertices, triangles = BOX.vertices.copy(), BOX.triangles.copy()
    change(vertices, triangles)
    return Mesh(vertices, triangles)


def _set(array, where, value):
    array[where] = value


BAD = {
    "no body": (Scene("Empty"), "Empty.*no body"),
    "emitter switched off": (_emitter(params=EmitterParams(enabled=False)), "no body and no active emitter"),
    "reversed range": (replace(_body(), world=WorldParams(frame_start=10, frame_end=5)), "reversed.*5.*10"),
    "unknown kind": (_body(kind="lava"), "'Blob'.*lava.*water"),
    "empty mesh": (_body(mesh=Mesh(np.zeros((0, 3)), np.zeros((0, 3), np.int32))), "'Blob'.*empty"),
    "nan vertex": (_body(mesh=_broken(lambda v, t: _set(v, (2, 1), np.nan))), "'Blob'.*vertex 2"),
    "bad index": (_body(mesh=_broken(lambda v, t: _set(t, (0, 0), 99))), "'Blob'.*99"),
    "zero scale": (_body(mesh=_broken(lambda v, t: _set(v, ..., 0.0))), "'Blob'.*scale"),
    "flat body": (_body(mesh=_broken(lambda v, t: _set(v, (slice(None), 2), 0.5))), "'Blob'.*flat along z"),
    "infinite velocity": (_body(velocity=(0.0, np.inf, 0.0)), "'Blob'.*velocity"),
    "negative density": (_body(params=WaterParams(density=-1.0)), "'Blob'.*density.*-1"),
    "wrong params": (_body(params=ColliderParams()), "'Blob'.*ColliderParams.*WaterParams"),
    "two of a name": (Scene("S", bodies=(Body("Blob", "water", BOX),) * 2), "'Blob' exists twice"),
    "nan spacing": (replace(_body(), world=WorldParams(spacing=float("nan"))), "spacing.*nan"),
    "control character": (_body(output="a\nb"), "'Blob'.*output"),
    "nan transform": (_collider(motion=_motion(lambda m: _set(m, (1, 0, 3), np.nan))), "'Wall'.*frame 2.*not finite"),
    "zero scale transform": (_collider(motion=_motion(lambda m: _set(m, (2, 1, 1), 0.0))), "'Wall'.*frame 3.*zero"),
    "too few matrices": (_collider(motion=np.tile(np.eye(4), (2, 1, 1))), "'Wall'.*2 matrices.*3 frames"),
    "not animatable": (_collider(animated={"two_sided": np.ones(3)}), "'Wall'.*two_sided.*friction"),
    "animated out of range": (_collider(animated={"friction": np.array([0.1, -1.0, 0.1])}), "'Wall'.*frame 2.*-1"),
    "ends before it starts": (_emitter(params=EmitterParams(start=2.0, end=1.0)), "'Tap'.*1 s.*2 s"),
    "no direction": (_emitter(params=EmitterParams(direction=(0.0, 0.0, 0.0))), "'Tap'.*direction"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_scene_is_refused_by_name(case, tmp_path):
    """The error names object and value; nothing is written."""
    scene, message = BAD[case]
    with pytest.raises(InvalidScene, match=f"(?s){message}"):
        job.write(scene, tmp_path / "job")
    assert not (tmp_path / "job").exists()


def _edited(folder, change):
    path = folder / "job.json"
    values = json.loads(path.read_text())
    change(values)
    path.write_text(json.dumps(values))


EDITS = {
    "newer": (lambda v: v.update(schema=99), "newer Tsubu.*99"),
    "unknown schema": (lambda v: v.update(schema="one"), "schema is 'one'"),
    "unknown key": (lambda v: v.update(flavour=1), "unknown key flavour"),
    "missing key": (lambda v: v.pop("surface"), "lacks the key surface"),
    "unknown setting": (lambda v: v["bodies"][0]["params"].update(colour=1), "'Water/1'.*unknown setting colour"),
    "unknown body key": (lambda v: v["bodies"][1].update(mass=1), "'Plain'.*unknown key mass"),
    "wrong type": (lambda v: v["world"].update(spacing="wide"), "World.*spacing.*'wide'"),
    "bodies no list": (lambda v: v.update(bodies={}), "bodies is {}"),
    "kind no text": (lambda v: v["bodies"][0].update(kind=[1]), "kind is \\[1\\]"),
    "world no object": (lambda v: v.update(world=3), "World.*3"),
}


@pytest.mark.parametrize("case", EDITS)
def test_edited_job_is_refused_by_key(case, tmp_path):
    """A job edited by hand is refused with the key and the object."""
    job.write(_full_scene(), tmp_path)
    change, message = EDITS[case]
    _edited(tmp_path, change)
    with pytest.raises(InvalidScene, match=message):
        job.read(tmp_path)


def test_valid_edit_is_read(tmp_path):
    """The job file is meant to be edited: a valid value is taken."""
    job.write(_full_scene(), tmp_path)
    _edited(tmp_path, lambda values: values["world"].update(spacing=0.5))
    assert job.read(tmp_path).world.spacing == 0.5


def test_broken_folder_is_named(tmp_path):
    """Missing folder, missing job, no JSON, altered geometry and objects in it are told apart."""
    with pytest.raises(BakeFolderError, match="no folder"):
        job.read(tmp_path / "nowhere")
    with pytest.raises(BakeFolderError, match=r"no job\.json"):
        job.read(tmp_path)
    job.write(_full_scene(), tmp_path)
    geometry = (tmp_path / "geometry.npz").read_bytes()
    for damaged in (geometry[:-1], geometry + b"x", geometry[:300] + bytes([geometry[300] ^ 1]) + geometry[301:], b""):
        (tmp_path / "geometry.npz").write_bytes(damaged)
        with pytest.raises(BakeFolderError, match=r"geometry\.npz.*altered"):
            job.read(tmp_path)
    (tmp_path / "geometry.npz").unlink()
    with pytest.raises(BakeFolderError, match=r"geometry\.npz is missing"):
        job.read(tmp_path)
    (tmp_path / "job.json").write_text('{"schema": 1,')
    with pytest.raises(InvalidScene, match="not valid JSON"):
        job.read(tmp_path)


def test_objects_in_arrays_are_refused(tmp_path):
    """No pickle is ever loaded, whoever wrote the file."""
    np.savez(tmp_path / "evil.npz", a=np.array([{}], dtype=object))
    with pytest.raises(BakeFolderError, match="damaged"):
        files.read_npz(tmp_path / "evil.npz")
    with pytest.raises(ValueError, match="allow_pickle"):
        files.npz_bytes({"a": np.array([{}], dtype=object)})


def test_file_in_place_of_the_folder(tmp_path):
    """A file where the folder should be is said to be in the way."""
    (tmp_path / "job").write_text("")
    with pytest.raises(BakeFolderError, match="in the way"):
        job.write(_body(), tmp_path / "job")
    with pytest.raises(BakeFolderError, match="in the way"):
        job.write(_body(), tmp_path / "job" / "below")
