"""Worlds that tests of liquids run."""

from solvers.jit import set_threads
from solvers.scene import Scene
from solvers.world import World


def world_after(scene: Scene, frames: int = 0) -> World:
    """The world of a scene so many frames after its first."""
    world = World(scene)
    world.start()
    for frame in range(2, frames + 2):
        world.advance(frame)
    return world


def same_on_threads_and_resumed(scene: Scene) -> None:
    """Four frames on one thread, on two, and taken up again at the second: the same bits."""
    results = []
    for threads in (1, 2):
        set_threads(threads)
        results.append(world_after(scene, 3).checkpoint())
    set_threads(0)
    half = world_after(scene, 1)
    resumed = World(scene)
    resumed.restore(half.checkpoint(), 2)
    for frame in (3, 4):
        resumed.advance(frame)
    results.append(resumed.checkpoint())
    for other in results[1:]:
        for name, value in results[0].items():
            assert value.tobytes() == other[name].tobytes(), name
