"""The built zip in a throw-away user folder, driven by the operators an artist uses."""

import math
from pathlib import Path
from typing import Any

from tools.wheels import pinned_versions


def test_compiler_comes_with_the_zip(artist: dict[str, Any], resources: Path) -> None:
    """Before installing there is no numba; afterwards it is the zip's, and Blender's own process never loads it."""
    assert artist["numba_before"] == ""
    assert artist["numba"].startswith(str(resources)), artist["numba"]
    assert artist["compilers"] == []
    assert artist["unpacked"] == sorted(f"{name}-{version}.dist-info" for name, version in pinned_versions().items())


def test_bake_fills_the_folder(artist: dict[str, Any]) -> None:
    """Mark and Bake give one point file and one surface for every frame of the scene's range, beside the .blend."""
    work = artist["work"]
    assert (work["baked"], work["phase"]) == (["FINISHED"], "done")
    frames = [name.rsplit("_", 1)[1].split(".")[0] for name in work["files"]]
    assert sorted(frames) == sorted(["0011", "0012", "0013", "0014"] * 2)
    assert {name.split("/")[0] for name in work["files"]} == {"points", "surface"}


def test_scrubbing_shows_the_fall(artist: dict[str, Any]) -> None:
    """The bottom of the column falls as g t²/2 from 0.1 m, frame by frame at 24 frames a second."""
    heights = artist["work"]["heights"]
    for index, height in enumerate(heights):
        fallen = 0.5 * 9.81 * (index / 24.0) ** 2
        assert not math.isnan(height)
        assert abs(height - max(0.1 - fallen, 0.0)) < 0.02, heights


def test_render_shows_the_water(artist: dict[str, Any]) -> None:
    """A picture of glowing water on black is neither black nor white."""
    assert 0.3 < artist["work"]["brightness"] < 0.9  # alpha is 1 everywhere: black alone is 0.25


def test_every_button_works_from_the_zip(artist: dict[str, Any]) -> None:
    """Extend, Redo, Report, Check, Free Space, Reset, Export Farm Job and Add Example, one after the other."""
    seen = artist["work"]["buttons"]
    done = ["FINISHED"]
    assert [seen[name] for name in ("extend", "redo", "preflight", "reset", "farm", "example")] == [done] * 6
    assert seen["prune"] == [done, done] and seen["range"] == [11, 15]
    outcome, (wide, high) = seen["report"]
    assert outcome == "FINISHED" and wide == 1280 and high > 800  # plots, and a table below them
    assert seen["findings"] == [] and seen["forecast"]["particles"] == 512 and seen["forecast"]["seconds"] > 0.0
    assert seen["steps"] == ["Bake", "Surface", "Assemble", "Render"]
    assert seen["example_scene"] == ["Dam break", True]


def test_free_removes_files_and_objects(artist: dict[str, Any]) -> None:
    """Free deletes the frames and the objects that played them, and nothing of the artist's."""
    work = artist["work"]
    assert work["freed"] == ["FINISHED"] and work["left"] == []
    # One object: the surface went before, with the surfaces themselves.
    assert len(work["gone"]) == 1 and not {"Column", "Floor", "Camera"} & set(work["gone"])


def test_gravel_with_stones_and_a_free_ball(artist: dict[str, Any]) -> None:
    """A preset sets the sliders, every grain shows one of several stones, and the free ball falls by ½ g t² on its own object."""
    gravel = artist["gravel"]
    assert gravel["baked"] == ["FINISHED"] and abs(gravel["rolling"] - 0.35) < 1.0e-6
    assert gravel["points"] == 1 and gravel["stones"] > 20 and gravel["kinds"] > 2
    for index, height in enumerate(gravel["heights"]):
        assert abs(height - (0.5 - 0.5 * 9.81 * (index / 24.0) ** 2)) < 0.003, gravel["heights"]
    assert gravel["freed"] == ["FINISHED"] and gravel["constraints"] == 0


def test_comes_and_goes_without_a_trace(artist: dict[str, Any]) -> None:
    """Enabled, disabled, enabled again, disabled: the second time is as the first, and nothing stays behind."""
    assert artist["during"]["types"] and "bake" in artist["during"]["operators"]
    assert artist["again"] == artist["during"] | {"handlers": artist["again"]["handlers"], "addons": artist["again"]["addons"]}
    for moment in ("disabled", "after"):
        assert artist[moment]["types"] == [] and artist[moment]["operators"] == []
        assert artist[moment]["properties"] == artist["before"]["properties"]
        assert artist[moment]["handlers"] == artist["before"]["handlers"]
