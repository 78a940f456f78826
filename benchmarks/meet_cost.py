"""What meeting costs: the same two bodies touching and far apart."""

import time
from pathlib import Path
from typing import Any

from benchmarks.common import bars, print_table
from benchmarks.meet import body
from solvers import Collider, Mesh, Scene, WorldParams
from solvers.world import World

TITLE = "Time of a frame of foam on water, touching and far apart"


def seconds(gap: float, spacing: float, frames: int) -> float:
    """Wall-clock time of a frame, the best of several, for two blocks at rest with so much room between them [m]."""
    edge = 0.4
    low = body("Low", "water", (0.0, 0.0, 0.0), (edge, edge, 0.15), (0.0, 0.0, 0.0))
    high = body("High", "foam", (1.0 + gap, 0.0, 0.0), (1.0 + gap + edge, edge, 0.15), (0.0, 0.0, 0.0))
    tanks = [Collider("One", Mesh.box((0.0, 0.0, 0.0), (edge, edge, 1.0), inward=True))]
    if gap > 0.0:
        tanks.append(Collider("Two", Mesh.box((1.0 + gap, 0.0, 0.0), (1.0 + gap + edge, edge, 1.0), inward=True)))
    else:
        high = body("High", "foam", (0.0, 0.0, 0.15), (edge, edge, 0.3), (0.0, 0.0, 0.0))
    world = World(Scene("Cost", (low, high), tuple(tanks), world=WorldParams(spacing=spacing, frame_end=frames + 2)))
    world.start()
    world.advance(2)
    best = float("inf")
    for frame in range(3, frames + 3):
        begin = time.perf_counter()
        world.advance(frame)
        best = min(best, time.perf_counter() - begin)
    return best


def run(quick: bool, out: Path) -> dict[str, Any]:
    spacing, frames = (0.02, 3) if quick else (0.01, 5)
    apart, together = seconds(1.0, spacing, frames), seconds(0.0, spacing, frames)
    print_table(["where", "seconds a frame"], [["far apart", apart], ["touching", together]], TITLE)
    bars(out / "meet_cost.png", {"far apart": apart, "touching": together}, title="A frame of foam and water", y="s")
    return {"extra_cost": together / apart - 1.0, "seconds_apart": apart, "seconds_touching": together}
