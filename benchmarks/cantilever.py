"""A beam held at one end sags under its own weight: how fast does the tip's deflection converge?"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.bar import DENSITY, EDGE, LENGTH, SQUASH, STIFFNESS, bar_scene
from benchmarks.common import Line, plot, print_table

TITLE = "Solid: tip deflection of a cantilever against beam theory"
GRAVITY = 0.2
"""[m/s²]: the tip sags by less than a hundredth of the length, where beam theory is exact."""


def theory() -> float:
    """Timoshenko's deflection [m] of the tip under the beam's own weight, shear coefficient of Cowper for a square."""
    load, inertia = DENSITY * GRAVITY * EDGE**2, EDGE**4 / 12.0
    shear = STIFFNESS / (2.0 * (1.0 + SQUASH))
    kappa = 10.0 * (1.0 + SQUASH) / (12.0 + 11.0 * SQUASH)
    return load * LENGTH**4 / (8.0 * STIFFNESS * inertia) + load * LENGTH**2 / (2.0 * kappa * shear * EDGE**2)


def deflection(spacing: float, frames: int, **settings: Any) -> float:
    """How far the end face has sunk when the beam has come to rest [m]."""
    from solvers.world import World

    scene = bar_scene(spacing, 0.0, frames, wave_steps=1.0e4, cfl=1.0, **settings)
    # backward Euler with steps of a tenth of a second takes the swinging (about 1 Hz) out
    still = replace(scene.world, gravity=(0.0, 0.0, -GRAVITY), frames_per_second=10.0)
    scene = replace(scene, colliders=scene.colliders[:1], world=still)
    world = World(scene)
    world.start()
    for frame in range(2, frames + 1):
        world.advance(frame)
    state: Any = world._solvers["solid"].state
    rest, place = state.live("rest"), state.live("position")
    # the last two layers, carried on to the face
    layers = np.unique(np.round(rest[0], 9))[-2:]
    sunk = [float((rest[2] - place[2])[np.abs(rest[0] - x) < 1.0e-6].mean()) for x in layers]
    return sunk[1] + (sunk[1] - sunk[0]) * (LENGTH - layers[1]) / (layers[1] - layers[0])


def run(quick: bool, out: Path) -> dict[str, Any]:
    sizes = (0.05, 1.0 / 30.0) if quick else (0.1, 0.05, 1.0 / 30.0, 0.025, 1.0 / 60.0)
    wanted = theory()
    found = [deflection(size, 60) for size in sizes]
    errors = [abs(value / wanted - 1.0) for value in found]
    across = [EDGE / size for size in sizes]
    rows = list(map(list, zip(across, [1000.0 * value for value in found], [f / wanted - 1.0 for f in found], strict=True)))
    print_table(["Particles across", "deflection [mm]", "error"], rows, f"{TITLE} ({1000 * wanted:.3f} mm)")
    plot(
        out / "cantilever.png",
        [
            Line("Tsubu", across, [1000.0 * value for value in found]),
            Line("beam theory", across, [1000.0 * wanted] * len(across)),
        ],
        title=TITLE, x="particles across the beam", y="tip deflection [mm]",
    )  # fmt: skip
    return {"errors": errors, "particles_across": across, "deflection": found[-1], "theory": wanted}
