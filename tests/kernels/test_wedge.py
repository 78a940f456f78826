"""Any declared setting of a scene has an address, and changing it changes nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from solvers import Body, Collider, Emitter, InvalidScene, Mesh, Scene, WaterParams
from solvers.bake.checks import checked
from solvers.wedge import split, varied


@pytest.fixture
def scene() -> Scene:
    box = Mesh.box((0, 0, 0), (1, 1, 1))
    return checked(
        Scene(
            "Shot",
            bodies=(Body("Cube.001", "water", box),),
            colliders=(Collider("Tank", box, animated={"friction": np.linspace(0.0, 1.0, 48)}),),
            emitters=(Emitter("Spout", "water", box),),
        )
    )


def test_settings_of_every_owner(scene: Scene) -> None:
    """World, surface, a body whose name has a dot, a collider whose setting was animated, an emitter and what it pours."""
    assert varied(scene, "world.spacing", "0.02") == replace(scene, world=replace(scene.world, spacing=0.02))
    assert varied(scene, "world.gravity", "0, 0, -1.62").world.gravity == (0.0, 0.0, -1.62)
    assert varied(scene, "surface.velocity", "off").surface.velocity is False
    assert varied(scene, "Cube.001.density", "800").bodies[0].params == WaterParams(density=800.0)
    tank = varied(scene, "Tank.friction", "0.5").colliders[0]
    assert tank.params.friction == 0.5 and tank.animated == {}
    spout = varied(scene, "Spout.speed", "3").emitters[0]
    assert (spout.params.speed, spout.material) == (3.0, scene.emitters[0].material)
    poured = varied(scene, "Spout.density", "900").emitters[0]
    assert (poured.material.density, poured.params) == (900.0, scene.emitters[0].params)


@pytest.mark.parametrize(
    ("setting", "text", "message"),
    [
        ("Nobody.density", "1", "Cube.001"),
        ("Tank.density2", "1", "friction"),
        ("world.spacing", "0", "least"),
        ("spacing", "1", "OWNER"),
    ],
)
def test_errors_name_the_choices(scene: Scene, setting: str, text: str, message: str) -> None:
    """What is not there is refused with what is."""
    with pytest.raises(InvalidScene, match=message):
        varied(scene, setting, text)


def test_split_at_the_last_dot() -> None:
    """An object's name may hold dots."""
    assert split("Cube.001.viscosity") == ("Cube.001", "viscosity")
