"""What goes into foam: settings, presets, filled bodies, nozzles."""

import numpy as np
import pytest

from solvers import Body, Collider, Emitter, EmitterParams, InvalidScene, Mesh, Scene, WorldParams
from solvers.emission import Stream
from solvers.materials.foam_params import PRESETS, FoamParams, of_bubbles
from solvers.mesh.fill import fill
from solvers.mpm.foam import FoamSolver
from solvers.params import validated
from solvers.scene import ColliderParams
from solvers.world import Member, World
from tests.verification.foam_scenes import solver_of


def test_bad_settings_are_named():
    """Zero firmness, m = 0 and mixed transfers are refused by name; every preset is valid."""
    for bad, word in ((FoamParams(firmness=0.0), "Firmness"), (FoamParams(thinning=0.0), "Thinning"),
                      (FoamParams(yield_stress=-1.0), "Yield")):  # fmt: skip
        with pytest.raises(InvalidScene, match=word):
            validated(bad, "Cream")
    members = [Member("A", FoamParams(), "Foam"), Member("B", FoamParams(transfer="flip"), "Foam")]
    with pytest.raises(InvalidScene, match="B: transfer"):
        FoamSolver(members, WorldParams(), 1.0)
    for preset in PRESETS.values():
        validated(preset.params, preset.label)
        assert preset.source


FITS = {
    "toothpaste": (lambda rate: 55.89 + 80.47 * rate**0.5413, (-2, 2), 1e-3),
    "mayonnaise": (lambda rate: 77.42 * rate**0.2628, (-1, 2), 0.1),
    "wet_concrete": (lambda rate: 700.0 + 40.0 * rate, (-2, 2), 1e-3),
}
"""Presets with a published curve: shear stress [Pa] by shear rate [1/s], powers of ten between which it holds, how well."""


@pytest.mark.parametrize("name", list(FITS))
def test_presets_from_a_fit_have_its_flow_curve(name: str):
    """σ_Y/√3 + (η/√2)(γ̇/√2)^m is the published curve, within the rounding of the settings (mayonnaise: 10 %)."""
    paste, (curve, (low, high), within) = PRESETS[name].params, FITS[name]
    for rate in np.logspace(low, high, 9):
        ours = paste.yield_stress / np.sqrt(3.0) + paste.thickness / np.sqrt(2.0) * (rate / np.sqrt(2.0)) ** paste.thinning
        assert ours == pytest.approx(curve(rate), rel=within)


def test_firmness_and_yield_by_bubbles():
    """Smaller bubbles make a firmer foam that yields at the same strain; where they only just touch there is neither."""
    coarse, fine = of_bubbles(0.03, 1.0e-4, 0.9), of_bubbles(0.03, 1.0e-5, 0.9)
    assert fine["firmness"] == pytest.approx(10.0 * coarse["firmness"], rel=0.01)
    assert fine["yield_stress"] / fine["firmness"] == pytest.approx(coarse["yield_stress"] / coarse["firmness"], rel=0.01)
    # the yield strain of dry foam, in shear, is 0.18 ± 0.02 (Saint-Jalmes, Durian)
    dry = of_bubbles(0.03, 1.0e-4, 1.0)
    assert dry["yield_stress"] / np.sqrt(3.0) / dry["firmness"] == pytest.approx(0.13, abs=0.05)
    assert of_bubbles(0.03, 1.0e-4, 0.64) == {"firmness": 0.0, "yield_stress": 0.0}


def nozzle_scene(nozzle: Mesh, collider: Mesh) -> Scene:
    cream = FoamParams(volume_stiffness=5.0)
    return Scene(
        "Nozzle",
        colliders=(Collider("Rock", collider),),
        emitters=(Emitter("Nozzle", "foam", nozzle, EmitterParams(speed=0.2), cream),),
        world=WorldParams(spacing=0.01),
    )


def test_bad_nozzles_are_named():
    """An emitter inside a solid and a nozzle narrower than a cell are refused with object, reason and cure."""
    rock = Mesh.box((-0.2, -0.2, -0.2), (0.2, 0.2, 0.2))
    with pytest.raises(InvalidScene, match="Nozzle: the emitter lies wholly inside a collider.*Move it out"):
        World(nozzle_scene(Mesh.box((-0.03, -0.03, -0.01), (0.03, 0.03, 0.01)), rock)).start()
    slit = Mesh.box((-0.05, 0.5, -0.01), (0.05, 0.512, 0.01))
    with pytest.raises(InvalidScene, match="Nozzle: the nozzle is 0.012 m wide.*less than a cell.*lower the particle spacing"):
        World(nozzle_scene(slit, rock))
    World(nozzle_scene(Mesh.box((-0.05, 0.5, -0.01), (0.05, 0.56, 0.01)), rock)).start()


def test_filled_ball_has_no_terraces():
    """The outermost particles of a ball lie half a spacing below its surface within 2 %; those of a box stay where they are."""
    for mesh, round_ in ((Mesh.sphere((0.0, 0.0, 0.0), 0.1, 4), True), (Mesh.box((0, 0, 0), (0.1, 0.1, 0.1)), False)):
        world = World(Scene("Ball", bodies=(Body("Ball", "foam", mesh, FoamParams()),), world=WorldParams(spacing=0.01)))
        plain = fill(mesh.vertices, mesh.triangles, 0.01, owner="Ball")
        world.start()
        found = solver_of(world).state.live("position").T.astype(float)
        assert len(found) == len(plain)
        if round_:
            depth = (0.1 - np.linalg.norm(found, axis=1)) / 0.01
            outermost = depth < 0.75
            assert depth[outermost] == pytest.approx(0.5, abs=0.02)
            # those below give way: no gap or crowd under the skin
            assert depth[~outermost].min() > 0.9
            inner = np.linalg.norm(found[~outermost, None] - found[None], axis=2)
            assert np.sort(inner, axis=1)[:, 1:7].mean(axis=1) == pytest.approx(0.01, rel=0.1)
        else:
            assert found == pytest.approx(plain, abs=1e-6)


def test_nozzle_that_is_scaled_keeps_its_particles_apart():
    """A nozzle that shrinks to a third lets a ninth of the particles through, none closer than a spacing to another."""
    motion = np.tile(np.eye(4), (25, 1, 1))
    motion[:, :3, :3] *= np.linspace(1.0, 1.0 / 3.0, 25)[:, None, None]
    emitter = Emitter(
        "Nozzle",
        "foam",
        Mesh.box((-0.03, -0.03, -0.005), (0.03, 0.03, 0.005)),
        EmitterParams(speed=0.2),
        FoamParams(),
        motion=motion,
    )
    stream = Stream(emitter, WorldParams(spacing=0.005, frames_per_second=24.0), 0.005)
    layers = [births.position for step in range(200) if (births := stream.advance(0.005 * step, 0.005)) is not None]
    for layer in layers:
        apart = np.linalg.norm(layer[:, None] - layer[None], axis=2) + np.eye(len(layer))
        assert apart.min() > 0.0049
    assert len(layers[0]) == 144 and abs(len(layers[-1]) - 16) <= 2


def squeezed(gap: float) -> World:
    """Toothpaste out of a nozzle of 4 cm over a plate for 0.8 s at 10 cm/s: 128 cm³ are asked for."""
    paste = PRESETS["toothpaste"].params
    emitter = Emitter("Nozzle", "foam", Mesh.box((-0.02, -0.02, gap), (0.02, 0.02, gap + 0.002)), EmitterParams(speed=0.1), paste)
    plate = Collider("Plate", Mesh.box((-0.3, -0.3, -0.1), (0.3, 0.3, 0.0)), ColliderParams(contact="stick"))
    settings = WorldParams(spacing=0.004, frames_per_second=20.0, frame_end=17)
    world = World(Scene("Nozzle", colliders=(plate,), emitters=(emitter,), world=settings))
    world.start()
    for frame in range(2, 18):
        world.advance(frame)
    return world


def test_nozzle_gives_what_was_asked_though_cream_backs_up():
    """Two centimetres over a plate all comes, ± one layer, and nothing is refused."""
    world = squeezed(0.02)
    state = solver_of(world).state
    assert state.live("mass").sum() / PRESETS["toothpaste"].params.density == pytest.approx(128e-6, abs=6.4e-6)
    assert world.totals()["blocked"] == 0
    # it has to go somewhere: what is there takes the room of what came
    assert (state.live("volume") * state.live("jacobian")).sum() == pytest.approx(128e-6, rel=0.1)


def test_nozzle_on_a_plate_jams_and_counts():
    """A mouth that a plate shuts (half a cell away) lets little through, throws nothing about, and tells what did not come."""
    world = squeezed(0.004)
    state = solver_of(world).state
    came = state.live("mass").sum() / PRESETS["toothpaste"].params.density
    assert np.abs(state.live("position")[:2]).max() < 0.08 and np.abs(state.live("velocity")).max() < 0.2
    assert came + world.totals()["blocked"] * 0.004**3 == pytest.approx(128e-6, abs=6.4e-6)
