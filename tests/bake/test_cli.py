"""The command line: exit codes, verify, info, free and the farm's progress lines."""

import json
import subprocess
import sys

import pytest

from solvers import job
from solvers.bake import cli, manifest, status
from solvers.bake.start import bake_scene
from solvers.bake.verify import ranges, verify
from tests.bake.ballistic import ROOT, BallisticWorld, quiet, scene


@pytest.fixture
def baked(tmp_path):
    """A finished bake of three frames."""
    bake_scene(scene(3), tmp_path, quiet(), BallisticWorld)
    return tmp_path


def _run(*arguments):
    return cli.main([str(argument) for argument in arguments], make_world=BallisticWorld)


def test_verify_finds_everything(baked, capsys):
    """Missing, truncated and altered frames are told apart; exit code 5; the repair is named and works."""
    assert _run("verify", baked) == 0
    (baked / "points" / "Water_0001.usdc").unlink()
    cut = baked / "points" / "Water_0002.usdc"
    cut.write_bytes(cut.read_bytes()[:-1])
    altered = baked / "points" / "Mist_1_0003.usdc"
    content = bytearray(altered.read_bytes())
    content[-1] ^= 1
    altered.write_bytes(content)
    kinds = {finding.path: finding.kind for finding in verify(baked)}
    assert kinds == {
        "points/Water_0001.usdc": "missing", "points/Water_0002.usdc": "truncated", "points/Mist_1_0003.usdc": "altered",
    }
    assert _run("verify", baked) == 5
    assert "--from-frame 1" in capsys.readouterr().out
    assert _run("bake", baked, "--from-frame", "1") == 0
    assert _run("verify", baked) == 0


def test_verify_tells_unfinished_torn_and_edited(baked):
    """An unfinished range, a torn manifest and a job that is not the baked one are findings, too."""
    job.write(scene(5), baked)
    assert [(finding.kind, "(4-5)" in finding.text) for finding in verify(baked)] == [("unfinished", True)]
    job.write(scene(3, seed=7), baked)
    assert [finding.kind for finding in verify(baked)] == ["job"]
    job.write(scene(3), baked)
    with open(baked / "manifest.jsonl", "ab") as stream:
        stream.write(b'{"frame": 9')
    assert [finding.kind for finding in verify(baked)] == ["manifest"]


def test_exit_codes(baked, tmp_path, capsys):
    """2 bad input, 4 folder trouble, 1 failure; each with one line on stderr."""
    assert _run("bake", tmp_path / "nowhere") == 4
    assert "no folder" in capsys.readouterr().err
    values = json.loads((baked / "job.json").read_text())
    values["world"]["frame_end"] = -5
    (baked / "job.json").write_text(json.dumps(values))
    assert _run("bake", baked) == 2
    assert "reversed" in capsys.readouterr().err
    values["schema"] = 2
    (baked / "job.json").write_text(json.dumps(values))
    assert _run("info", baked) == 2
    assert "newer" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stop:
        _run("surface", baked, "--frames", "9-3")
    assert stop.value.code == 2
    assert "reversed" in capsys.readouterr().err


def test_info_and_free(baked, capsys):
    """info tells what is there; free deletes what was baked and keeps the job."""
    assert _run("info", baked) == 0
    told = capsys.readouterr().out
    assert "1-3" in told and "Cube (water)" in told and "usdc" in told
    assert _run("free", baked) == 0
    assert sorted(path.name for path in baked.iterdir()) == ["geometry.npz", "job.json"]
    assert _run("verify", baked) == 5


def test_openjd_lines(tmp_path, capsys):
    """Progress lines for a farm appear only if asked for."""
    job.write(scene(2), tmp_path)
    _run("bake", tmp_path)
    assert "openjd" not in capsys.readouterr().out
    _run("bake", tmp_path, "--openjd")
    told = capsys.readouterr().out
    assert "openjd_progress: 50.0" in told and "openjd_progress: 100.0" in told


def test_starts_as_module_and_as_file(baked):
    """`python -m solvers` and, where -I hides the working directory, `python -I solvers/__main__.py`."""
    for start in (["-m", "solvers"], ["-I", str(ROOT / "solvers" / "__main__.py")]):
        done = subprocess.run([sys.executable, *start, "verify", str(baked)], cwd=ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert "6 files are complete" in done.stdout


def test_manifest_holds_the_sums(baked):
    """Every frame line has files, sizes, checksums, mass, momentum, energies, seconds and steps; the header the versions."""
    found = manifest.read(baked)
    for frame in (1, 2, 3):
        entry = found.frames[frame]
        assert {"particles", "mass", "momentum", "kinetic_energy", "potential_energy", "seconds", "steps"} <= set(entry)
        for record in entry["files"]:
            assert (baked / record["path"]).stat().st_size == record["bytes"]
            assert len(record["blake2b"]) == 32
    assert {"tsubu", "sources", "python", "numpy", "numba", "openvdb", "usd"} <= set(found.header["versions"])
    assert [output["file"] for output in found.header["outputs"]] == ["Water", "Mist_1"]
    told = status.read(baked)
    assert told["phase"] == "done" and told["progress"] == 1.0 and told["frame"] == 3 and told["particles"] > 0


def test_frame_ranges():
    """A-B also for negative frames."""
    assert [cli.frame_range(text) for text in ("3", "1-48", "-5--1", "-5-3")] == [(3, 3), (1, 48), (-5, -1), (-5, 3)]
    assert ranges([1, 2, 3, 7, 9, 10]) == "1-3, 7, 9-10"
