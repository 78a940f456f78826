"""Friction of a packing from the friction of its contacts: measured in flowing grains, beside the fit that the continuum uses.

A column of single grains collapses between smooth sides. Every five milliseconds Christoffersen's stress σ and the rate of
strain D of bins two diameters wide are added up. Where grains are dense, pressed and shearing slowly (inertial number
0.005 < I < 0.1), the friction is µ = Σ σ:D / Σ p γ̇ with γ̇ = √2 |dev D|: the power that shear takes over the power that friction
of size one would take, so that fluctuations of the stress do not count. The fit is `solvers.hybrid.bulk.bulk_friction`.
"""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks.common import Line, plot, print_table
from solvers import Body, Collider, Mesh, Scene, WorldParams
from solvers.hybrid.bulk import bulk_friction
from solvers.materials.grains_params import GrainsParams
from solvers.scene import ColliderParams
from solvers.world import World

TITLE = "Friction of a packing against that of its contacts"
SIZE = 0.01
BIN = 2.0 * SIZE
EVERY = 0.005
"""Time between two samples [s]."""
ANGLES, ROLLING = (6.0, 15.0, 27.0, 42.0), (0.0, 0.1, 0.3)
LEAST_PRESSURE, LEAST_PACKING, INERTIAL = 0.1, 0.45, (0.005, 0.1)
"""Of a bin that counts: pressure in that of the whole column, packing, and range of the inertial number."""


class Column(NamedTuple):
    """Lengths in grains."""

    width: float
    depth: float
    height: float


def column_scene(column: Column, params: GrainsParams) -> Scene:
    """A column against a wall on a rough floor, between smooth sides."""
    w, d, h = (SIZE * value for value in column)
    rough, smooth = ColliderParams(friction=1.0), ColliderParams(friction=0.0)
    far = 6.0 * w
    colliders = (
        Collider("Floor", Mesh.box((-w, -w, -2.0 * SIZE), (far, d + w, 0.0)), rough),
        Collider("Back", Mesh.box((-w, -w, -w), (0.0, d + w, 2.0 * h)), smooth),
        Collider("Near side", Mesh.box((-w, -2.0 * w, -w), (far, 0.0, 2.0 * h)), smooth),
        Collider("Far side", Mesh.box((-w, d, -w), (far, d + 2.0 * w, 2.0 * h)), smooth),
    )
    body = Body("Sand", "grains", Mesh.box((0.0, 0.0, 0.0), (w, d, h)), params)
    return Scene("Column", (body,), colliders, world=WorldParams(frames_per_second=1.0 / EVERY))


class Field:
    """Sums over samples of one window of time by bins in x and z."""

    def __init__(self, column: Column) -> None:
        self.edges = (np.arange(0.0, 3.0 * column.width * SIZE, BIN), np.arange(0.0, column.height * SIZE + BIN, BIN))
        self.room = BIN * BIN * column.depth * SIZE
        self.sums: dict[str, np.ndarray] = {}
        self.samples = 0

    def _binned(self, place: np.ndarray, values: np.ndarray) -> np.ndarray:
        return np.histogram2d(place[0], place[2], bins=self.edges, weights=values)[0]  # type: ignore[call-overload]

    def add(self, solver: Any) -> None:
        """Take in the present moment of a solver of single grains."""
        state = solver.state
        place, velocity = state.live("position"), state.live("velocity")
        volume = 4.0 / 3.0 * np.pi * state.live("radius").astype(np.float64) ** 3
        found = {"volume": self._binned(place, volume)}
        found |= {name: self._binned(place, volume * velocity[axis]) for name, axis in (("u", 0), ("w", 2))}
        contacts = solver.contacts()
        force, branch = contacts.force, contacts.branch
        for name, a, b in (("xx", 0, 0), ("yy", 1, 1), ("zz", 2, 2), ("xz", 0, 2)):
            moment = -0.5 * (force[:, a] * branch[:, b] + force[:, b] * branch[:, a])
            found[name] = self._binned(contacts.point.T, moment) / self.room
        self.sums = {name: self.sums.get(name, 0.0) + value for name, value in found.items()}
        self.samples += 1

    def powers(self, load: float) -> tuple[float, float]:
        """Σ σ:D and Σ p γ̇ [W] over the bins that count; `load` [Pa] is the pressure under the column."""
        mean = {name: value / self.samples for name, value in self.sums.items()}
        with np.errstate(invalid="ignore", divide="ignore"):
            u, w = (mean[name] / mean["volume"] for name in ("u", "w"))
        ux, uz = np.gradient(u, BIN)
        wx, wz = np.gradient(w, BIN)
        third = (ux + wz) / 3.0
        rate = {"xx": ux - third, "yy": -third, "zz": wz - third, "xz": 0.5 * (uz + wx)}
        pressure = -(mean["xx"] + mean["yy"] + mean["zz"]) / 3.0
        shear = np.sqrt(2.0 * (rate["xx"] ** 2 + rate["yy"] ** 2 + rate["zz"] ** 2 + 2.0 * rate["xz"] ** 2))
        power: Any = sum(mean[name] * rate[name] * (2.0 if name == "xz" else 1.0) for name in rate)
        with np.errstate(invalid="ignore", divide="ignore"):
            inertial = shear * SIZE / np.sqrt(pressure / 2650.0)
        counts = (pressure > LEAST_PRESSURE * load) & (mean["volume"] / self.room > LEAST_PACKING) & np.isfinite(power)
        counts &= (inertial > INERTIAL[0]) & (inertial < INERTIAL[1])
        return float(np.sum(power[counts])), float((pressure * shear)[counts].sum())


def measured(column: Column, params: GrainsParams, seconds: float) -> float:
    """Friction of the packing while the column collapses, windows of eight samples."""
    world = World(column_scene(column, params))
    world.start()
    solver: Any = world._solvers["grains"]
    load = 0.6 * params.density * 9.81 * column.height * SIZE
    work, most = 0.0, 0.0
    field = Field(column)
    for frame in range(2, int(seconds / EVERY)):
        world.advance(frame)
        if frame * EVERY < 0.06:  # falling into contact
            continue
        field.add(solver)
        if field.samples == 8:
            power, full = field.powers(load)
            work, most = work + power, most + full
            field = Field(column)
    return work / most


def run(quick: bool, out: Path) -> dict[str, Any]:
    column, seconds = (Column(16, 6, 18), 0.2) if quick else (Column(24, 8, 26), 0.35)
    angles, rollings = ((15.0, 27.0), (0.0, 0.1)) if quick else (ANGLES, ROLLING)
    rows, lines, worst = [], [], 0.0
    for rolling in rollings:
        found = []
        for angle in angles:
            params = GrainsParams(mode="all", size=SIZE, friction_angle=angle, rolling=rolling)
            found.append(measured(column, params, seconds))
            rows.append([f"{rolling:g}", np.tan(np.radians(angle)), found[-1], bulk_friction(params)])
            worst = max(worst, abs(found[-1] - bulk_friction(params)))
            print(f"rolling {rolling:g}, contact friction {rows[-1][1]:.2f}: {found[-1]:.3f}", flush=True)
        contact = np.tan(np.radians(np.linspace(0.0, 45.0, 40)))
        fit = [bulk_friction(GrainsParams(friction_angle=float(np.degrees(np.arctan(m))), rolling=rolling)) for m in contact]
        lines.append(Line(f"fit, rolling {rolling:g}", contact, fit))
        lines.append(Line(f"measured, rolling {rolling:g}", [np.tan(np.radians(angle)) for angle in angles], found, dots=True))
    print_table(["rolling", "contact friction", "measured", "fit"], rows, TITLE)
    plot(out / "grain_friction.png", lines, title=TITLE, x="friction of contacts", y="friction of the packing")
    return {"friction": {f"{row[0]}/{row[1]:.2f}": row[2] for row in rows}, "fit_error_max": worst}
