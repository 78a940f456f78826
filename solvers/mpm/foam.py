"""The body kind Foam."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..errors import InvalidScene
from ..limits import Leaves
from ..materials.foam_params import FoamParams
from ..meet.matter import Matter
from ..scene import Body, Scene, WorldParams
from ..state import State
from ..walls import Walls
from ..watch import Watch
from ..world import Member
from .fitted import fitted
from .foam_law import CHUNK, foam_law
from .foam_tangent import MOST_STRAIN, foam_tangent
from .grid import LAYOUT, Grid, Transfer
from .implicit import ImplicitStep, Line
from .nozzle import NozzleWalls
from .points import FoamPoints
from .resample import Resampler

CELLS = 2.0
"""Cell size in particle spacings: eight particles a cell."""
_TORN_VOLUME = 1.25
"""A point that has swollen this much has lost its neighbours."""
_NEVER = 1.0e30
SHEAR_CELLS = 2.0
"""Farthest a shear wave travels in a large step, in cells: wobbling stays resolved while pressure waves are stepped over."""
STEPS_A_FRAME = 4
"""Fewest steps of a frame: what moves within a frame is seen."""
_LARGE_AGE = 5
"""A large step counts as this many when it comes to sorting and resampling."""
WORTH = 8.0
"""Automatic stepping tries large steps where they are this many times longer than explicit ones."""


def material_row(params: FoamParams) -> list[float]:
    """A row of the law's material table, see `foam_law.COLUMNS`."""
    stretch, swelling = (float(np.log(params.stringiness)), _TORN_VOLUME) if params.tearing else (_NEVER, _NEVER)
    bulk = params.volume_stiffness * params.firmness
    strength = np.sqrt(2.0 / 3.0) * params.yield_stress
    return [params.firmness, bulk, strength, params.thickness, params.thinning, params.density, stretch, swelling]


class FoamSolver:
    """All foam of a scene: members may differ in material, not in transfer."""

    bytes_per_particle = 600

    def __init__(self, members: Sequence[Member], world: WorldParams, fall_height: float) -> None:
        self.members = tuple(members)
        self.spacing = world.spacing
        self.volume = world.spacing**3
        self.cell = CELLS * world.spacing
        self.h = 2.0 * self.cell
        """How far walls are felt [m]: nodes inside a wall carry what the stencils of particles at its surface reach."""
        self.gravity = np.array(world.gravity, np.float32)
        settings: list[FoamParams] = [member.params for member in members]
        for member in members:
            if (member.params.transfer, member.params.flip) != (settings[0].transfer, settings[0].flip):
                raise InvalidScene(
                    f"{member.name}: transfer is {member.params.transfer} with FLIP share {member.params.flip:g}, but "
                    f"{members[0].name} uses {settings[0].transfer} with {settings[0].flip:g}; all foam needs the same."
                )
            if member.params.stepping != settings[0].stepping:
                raise InvalidScene(
                    f"{member.name}: steps are {member.params.stepping}, but those of {members[0].name} are "
                    f"{settings[0].stepping}; all foam of a scene needs the same."
                )
        self.cfl = min(entry.cfl for entry in settings)
        self.table = np.array([material_row(entry) for entry in settings], np.float32)
        density = self.table[:, 5].astype(np.float64)
        stiffness = self.table[:, 1].astype(np.float64) + 4.0 / 3.0 * self.table[:, 0]
        self.sound = float(np.sqrt(stiffness / density).max())
        """Speed of the fastest elastic wave [m/s]."""
        self.shear_sound = float(np.sqrt(self.table[:, 0] / density).max())
        """Speed of the fastest shear wave [m/s]."""
        self.stepping = settings[0].stepping
        self.longest = 1.0 / (STEPS_A_FRAME * world.frames_per_second)
        self.state = State(
            LAYOUT
            | {
                "elastic": ("f4", 6),
                "jacobian": ("f4", 1),
                "plastic": ("f4", 1),
                "stretch": ("f4", 1),
                "torn": ("f4", 1),
                "age": ("f4", 1),
                "id": ("i4", 1),
                "body": ("i4", 1),
            }
        )
        transfer = Transfer(apic=settings[0].transfer == "apic", flip=settings[0].flip)
        self.grid = Grid(self.cell, transfer, members[0].name, float(density.mean()))
        self.nozzles = self.grid.walls = NozzleWalls(self.cell)
        resampled = [entry.resampling for entry in settings]
        for member in members:
            if member.params.resampling != resampled[0]:
                raise InvalidScene(
                    f"{member.name}: resampling is {'on' if member.params.resampling else 'off'}, but {members[0].name} has it "
                    "the other way; all foam of a scene needs the same."
                )
        self._resampler = Resampler(world.spacing, density * self.volume) if resampled[0] else None
        self._wall_speed = 0.0
        self._explicit_dt = np.inf
        self._dear = False
        """Whether a large step of this frame cost more than explicit ones."""
        self._implicit = ImplicitStep(self.grid, self._tangent)
        self.work = [0, 0, 0]
        """Explicit steps, large steps, and iterations of the latter since the solver was made."""
        self._room = np.empty((0, 64), np.float32)

    def survey(self, scene: Scene) -> None:
        """Refuse nozzles that the grid cannot see."""
        for emitter in scene.emitters:
            if emitter.kind != "foam" or emitter.params.source != "flow" or emitter.params.aim != "fixed":
                continue
            way = np.asarray(emitter.params.direction, float)
            across = np.linalg.svd(way[None] / max(float(np.linalg.norm(way)), 1.0e-30))[2][1:]
            width = float(np.ptp(emitter.mesh.at(0) @ across.T, axis=0).min())
            if width < self.cell:
                raise InvalidScene(
                    f"{emitter.name}: the nozzle is {width:.3g} m wide, less than a cell of the foam's grid ({self.cell:.3g} m, "
                    f"two particle spacings). Enlarge it, or lower the particle spacing to {0.5 * width:.3g} m or less."
                )

    def fit(self, points: np.ndarray, body: Body, watch: Watch) -> np.ndarray:
        """The lattice (n, 3) [m] that fills a body, without terraces at its surface."""
        return fitted(points, body, self.spacing, watch)

    def add(self, member: int, position: np.ndarray, velocity: np.ndarray) -> None:
        """New particles of one member: position and velocity (n, 3)."""
        count = len(position)
        if count == 0:
            return
        density = self.table[member, 5]
        self.state.append(
            {
                "position": position.T,
                "velocity": velocity.T,
                "body": np.full(count, member, np.int32),
                "mass": np.full(count, density * self.volume, np.float32),
                "volume": np.full(count, self.volume, np.float32),
                "density": np.full(count, density, np.float32),
                "elastic": np.repeat(np.array([[1.0], [1.0], [1.0], [0.0], [0.0], [0.0]], np.float32), count, axis=1),
                "jacobian": np.ones(count, np.float32),
            }
        )
        self.grid.loosen()

    def fastest(self) -> float:
        """Largest speed of a particle [m/s]."""
        if self.grid.fastest == np.inf and self.state.count:
            velocity = self.state.live("velocity")
            return float(np.sqrt((velocity * velocity).sum(axis=0).max()))
        return self.grid.fastest if self.state.count else 0.0

    def stable_dt(self, wall_speed: float) -> float:
        """Largest step [s]. Neither particles nor walls cross more than `cfl` cells. In explicit steps elastic waves do not
        either; large ones let shear waves cross `SHEAR_CELLS` and pressure waves any number, but strain nothing by more than
        `MOST_STRAIN`.

        Automatic: large steps are tried in every frame, and given up for the rest of it when one has cost more than the
        explicit steps it stands for. Cost is counted in passes (`implicit.Work`), never by the clock: the same bake takes the
        same steps anywhere.
        """
        self._wall_speed = wall_speed
        speed = max(self.fastest(), wall_speed)
        fall = float(np.sqrt(0.2 * self.cell / max(float(np.linalg.norm(self.gravity)), 1.0e-30)))
        small = self._explicit_dt = min(self.cfl * self.cell / (self.sound + speed), fall)
        if self.stepping == "explicit":
            return small
        large = min(self.cfl * self.cell / max(speed, 1.0e-30), SHEAR_CELLS * self.cell / self.shear_sound, fall, self.longest)
        if self.stepping == "automatic" and (self._dear or large < WORTH * small):
            return small
        large = max(min(large, float(MOST_STRAIN) / max(self._fastest_strain(), 1.0e-30)), small)
        return large if self.stepping == "implicit" or large > WORTH * small else small

    def _fastest_strain(self) -> float:
        """Largest velocity gradient of a particle [1/s]."""
        gradient = self.state.live("affine")
        return float(np.sqrt(np.einsum("ij,ij->j", gradient, gradient).max(initial=0.0)))

    def step(self, walls: Walls, dt: float, watch: Watch) -> None:
        """One step of length dt [s] against walls posed at its end."""
        state = self.state
        if state.count == 0:
            return
        if self.grid.due(self._wall_speed * dt):
            self._sort(walls, watch)
        elif walls.sheets and walls.moving:
            self.grid.take_sides(state)
        large = dt > 1.001 * self._explicit_dt
        if large:
            work = self._implicit.solve(state, walls, self.gravity, dt)
            self.work[1] += 1
            self.work[2] += work.iterations
            self._dear = work.explicit_steps * self._explicit_dt > dt
        else:
            self.grid.scatter(state, dt)
            self.grid.update(walls, self.gravity, dt)
            self.work[0] += 1
        self.grid.gather(state, dt, age=_LARGE_AGE if large else 1)
        self.grid.walls.cling(state, walls, dt)
        if large or walls.sheets:  # in a large step a loose particle can sink far, through a sheet it must not even a little
            self.grid.keep_outside(state, walls, dt)
        self.apply_law(dt)
        state.live("age")[...] += np.float32(dt)

    def _sort(self, walls: Walls, watch: Watch) -> None:
        """Sort, resample where the artist wants it, and sort again if that changed anything."""
        self.grid.sort(self.state, walls)
        watch.poll()
        tiles = self.grid.tiles
        if self._resampler is not None and tiles is not None:
            if self._resampler.run(self.state, tiles, self.cell, self.grid.transfer.half):
                self.grid.sort(self.state, walls)
                watch.poll()

    def _points(self, gradient: np.ndarray) -> tuple[FoamPoints, np.ndarray]:
        """What the law works on, with velocity gradients (9, capacity), and its scratch."""
        state = self.state
        chunks = -(-state.count // CHUNK)
        if len(self._room) < chunks:
            self._room = np.empty((chunks + chunks // 4, 64), np.float32)
        points = FoamPoints(
            state["elastic"], state["jacobian"], gradient, state["stress"], state["plastic"], state["stretch"],
            state["torn"], state["density"], state["body"],
        )  # fmt: skip
        return points, self._room

    def _tangent(self, gradient: np.ndarray, dt: float, line: Line) -> None:
        points, room = self._points(gradient)
        foam_tangent(points, self.table, self.state.count, np.float32(dt), room, line.stress, line.moduli)

    def apply_law(self, dt: float) -> None:
        """Strain and stress from the velocity gradients of the last gather."""
        points, room = self._points(self.state["affine"])
        foam_law(points, self.table, self.state.count, np.float32(dt), room)

    def matter(self) -> list[Matter]:
        """What other kinds meet."""
        return [points_matter(self.state, self.spacing)._replace(sound=self.sound)]

    def drop(self, leaves: Leaves) -> int:
        """Forget the particles that leave; returns how many."""
        inside = ~leaves(self.state.live("position"))
        gone = int(inside.size - np.count_nonzero(inside))
        if gone:
            self.state.keep(inside)
            self.grid.loosen()
        return gone

    def end_frame(self) -> None:
        """The next frame begins with a fresh sort, so that a checkpoint needs no tables."""
        self.grid.loosen()
        self._dear = False

    def points(self, members: Sequence[int]) -> dict[str, np.ndarray]:
        """What the point cache shows of the given members, in order of id."""
        state = self.state
        chosen = np.flatnonzero(np.isin(state.live("body"), members))
        chosen = chosen[np.argsort(state.live("id")[chosen])]
        volume = state.live("volume")[chosen] * np.clip(state.live("jacobian")[chosen], 0.2, 2.0)
        return {
            "position": np.ascontiguousarray(state.live("position")[:, chosen].T),
            "velocity": np.ascontiguousarray(state.live("velocity")[:, chosen].T),
            "id": state.live("id")[chosen],
            # a ball of the particle's own volume
            "radius": np.cbrt(3.0 * volume / (4.0 * np.pi)).astype(np.float32),
            "age": state.live("age")[chosen],
            "body": state.live("body")[chosen],
            "plastic_strain": state.live("plastic")[chosen],
            "stress": mises_stress(state.live("stress")[:, chosen]),
            "torn": state.live("torn")[chosen].astype(np.int32),
        }

    def bytes_used(self) -> int:
        """Memory of particles (both copies that sorting needs), blocks and nodes [bytes]."""
        held = [self.state[name] for name in self.state.layout] + list(self.state.spare_arrays().values())
        return sum(array.nbytes for array in held) + self.grid.bytes_used + self._implicit.bytes_used

    def totals(self) -> dict[str, Any]:
        """Mass [kg], momentum [kg m/s], energies [J]."""
        return mechanical_totals(self.state, self.gravity)


def points_matter(state: State, spacing: float) -> Matter:
    """Material points as other kinds meet them, each with the space it takes now."""
    volume = state.live("volume") * np.clip(state.live("jacobian"), 0.2, 2.0)
    return Matter(state.live("position"), state.live("velocity"), state.live("mass"), volume, spacing)


def mises_stress(tau: np.ndarray) -> np.ndarray:
    """Mises stress [Pa], float32 (n,), of τ (6, n)."""
    mean = tau[:3].mean(axis=0)
    squares = ((tau[:3] - mean) ** 2).sum(axis=0) + 2.0 * (tau[3:] ** 2).sum(axis=0)
    return np.sqrt(1.5 * squares).astype(np.float32)


def mechanical_totals(state: State | Mapping[str, np.ndarray], gravity: np.ndarray) -> dict[str, Any]:
    """Particles, mass, momentum and energies of a state with position, velocity and mass, summed in double precision."""
    live = state.live if isinstance(state, State) else state.__getitem__
    mass, velocity, position = (live(name).astype(np.float64) for name in ("mass", "velocity", "position"))
    return {
        "particles": int(mass.size),
        "mass": float(mass.sum()),
        "momentum": [float(part) for part in (velocity * mass).sum(axis=1)],
        "kinetic_energy": float(0.5 * (mass * (velocity**2).sum(axis=0)).sum()),
        "potential_energy": float(-(mass * (gravity.astype(np.float64)[:, None] * position).sum(axis=0)).sum()),
    }
