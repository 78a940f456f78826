"""Homogenisation and enrichment, section 2.4: cells change their zone, grains and material points come and go.

A cell that turns hybrid gets what it lacks: material points beside its grains (homogenise) or grains beside its points
(enrich); both count half. A cell that leaves the hybrid zone loses one of the two. See `ledger` for mass and momentum.
"""

from dataclasses import dataclass

import numpy as np

from ..dem.engine import Engine
from ..materials.grains_params import GrainsParams, grain_volume
from ..state import State
from ..walls import Walls
from .continuum import Continuum
from .ledger import Sums, cell_sums, even_out, passed_on
from .oracle import Box
from .pour import mean_velocities, pour
from .relax import Template, relax
from .strain import contact_stress, elastic_strain

_FEW = 4
"""A cell of the hybrid or continuum zone with fewer points than this is filled up."""
_FULL = 8
_SWEEPS, _ENOUGH = 100, 0.003
"""How hybrid grains are pushed apart: sweeps at most, and overlap that is left alone, in the sum of two radii."""
_LACK = 0.6
"""A hybrid cell gets grains when it has less than this part of what it should."""
_CLEAR = 0.9
"""A new grain keeps this part of its radius clear of walls."""


@dataclass(frozen=True)
class Map:
    """What the oracle says: zones by cell."""

    box: Box
    zone: np.ndarray
    """int8 by cell number."""
    whole: np.ndarray
    """Cells deep in the material that no standing wall cuts, bool by cell number."""

    def zone_at(self, cell: np.ndarray) -> np.ndarray:
        """Zones of cells; outside the map everything is discrete."""
        return np.where(cell >= 0, self.zone[np.maximum(cell, 0)], 0)


class Converter:
    """Moves mass between the grains of an engine and the points of a continuum."""

    def __init__(self, engine: Engine, continuum: Continuum, settings: list[GrainsParams], template: Template) -> None:
        self.engine, self.continuum = engine, continuum
        self.grain_mass = np.array([entry.density * grain_volume(entry) for entry in settings])
        self.mean_radius = 0.5 * settings[0].size
        self.template = template

    @property
    def grains(self) -> State:
        return self.engine.state

    @property
    def points(self) -> State:
        return self.continuum.state

    def masses(self) -> np.ndarray:
        """Masses of the grains, weights included [kg], float64 (n,)."""
        return self.engine.mass() * self.grains.live("weight").astype(np.float64)

    def _sums(self, box: Box) -> tuple[Sums, Sums]:
        """Sums of grains and of points by cell."""
        grain_cell, point_cell = box.cell_of(self.grains.live("position")), box.cell_of(self.points.live("position"))
        points = self.points
        return (
            cell_sums(grain_cell, self.masses(), self.grains.live("velocity"), box.nodes),
            cell_sums(point_cell, points.live("mass"), points.live("velocity"), box.nodes),
        )

    def run(self, found: Map, walls: Walls) -> bool:
        """Bring grains and points to the zones of the map; True if anything changed."""
        self.engine.unlist()
        self.spread_hybrid(walls)
        grain_zone = found.zone_at(found.box.cell_of(self.grains.live("position")))
        point_zone = found.zone_at(found.box.cell_of(self.points.live("position")))
        before = self._sums(found.box)
        total = Sums(before[0].mass + before[1].mass, before[0].momentum + before[1].momentum)
        born = self._new_points(found, before, total)
        changed = self._reweigh(grain_zone, point_zone)
        if born is not None:
            self.points.append(born)
        changed |= self._enrich(found, total, before[1].mass, walls) or born is not None
        if changed:
            self._settle(found, total)
            self.continuum.grid.loosen()
        return changed

    def spread_hybrid(self, walls: Walls) -> None:
        """Push hybrid grains apart that the flow has brought together: they do not touch each other, but will when released."""
        grains = self.grains
        movable = grains.live("zone") == 1
        place = np.ascontiguousarray(grains.live("position").T)
        relax(place, grains.live("radius").astype(np.float64), movable, _SWEEPS, walls=walls, enough=_ENOUGH)
        grains.live("position")[:, movable] = place[movable].T

    def _reweigh(self, grain_zone: np.ndarray, point_zone: np.ndarray) -> bool:
        """Grains and points that stay get their weights, the others go."""
        grains, points = self.grains, self.points
        changed = bool((grains.live("zone") != grain_zone).any() or (points.live("zone") != point_zone).any())
        grains.live("zone")[:] = grain_zone
        grains.live("weight")[:] = np.where(grain_zone == 1, 0.5, 1.0).astype(np.float32)
        grains.live("fixed")[:] = grain_zone == 1
        factor = np.where(point_zone == 1, 0.5, 1.0) / np.where(points.live("zone") == 1, 0.5, 1.0)
        points.live("mass")[:] *= factor.astype(np.float32)
        points.live("zone")[:] = point_zone
        if (grain_zone == 2).any():
            grains.keep(grain_zone != 2)
        if (point_zone == 0).any():
            points.keep(point_zone != 0)
        return changed

    # -- homogenise ---------------------------------------------------------------------------------------------------

    def _new_points(self, found: Map, before: tuple[Sums, Sums], total: Sums) -> dict[str, np.ndarray] | None:
        """Material points for cells that lack them, ready for `State.append`; masses and velocities before `_settle`."""
        box, points = found.box, self.points
        here = box.cell_of(points.live("position"))
        count = np.bincount(here[here >= 0], minlength=box.nodes)
        lacking = np.flatnonzero((found.zone >= 1) & (count < _FEW) & (total.mass > 0.0))
        if len(lacking) == 0:
            return None
        place, cell = self._sites(found, lacking, count)
        if len(cell) == 0:
            return None
        velocity = (before[0].momentum + before[1].momentum)[:, cell] / total.mass[cell]
        body, strain = self._likeness(found, place, cell, count)
        density = self.continuum.density[body]
        # A share of the cell's mass each; the ledger brings the sum to what it must be.
        share = 0.5 * total.mass[cell] / (count[cell] + np.bincount(cell, minlength=box.nodes)[cell])
        part = np.where(found.zone[cell] == 1, 0.5, 1.0)
        share *= 2.0 * part
        return {
            "position": place.T, "velocity": velocity, "mass": share, "volume": share / density / part, "density": density,
            "elastic": strain[0], "jacobian": strain[1], "body": body, "zone": found.zone[cell].astype(np.int32),
        }  # fmt: skip

    def _sites(self, found: Map, lacking: np.ndarray, count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Places (n, 3) and cells (n,) of new points: the empty eighths of whole cells, or where grains are in cut ones."""
        box, spacing = found.box, self.continuum.spacing
        eighth, _ = self._eighths(box, self.points.live("position"))
        taken = eighth[np.isin(eighth // _FULL, lacking)]
        whole = lacking[found.whole[lacking]]
        wanted = (whole[:, None] * _FULL + np.arange(_FULL)).ravel()
        wanted = wanted[~np.isin(wanted, taken)]
        corner = box.places(wanted // _FULL)
        inner = np.stack([wanted >> 2 & 1, wanted >> 1 & 1, wanted & 1], axis=1)
        places, cells = corner + (inner + 0.5) * spacing, wanted // _FULL
        cut = lacking[~found.whole[lacking]]
        eighth, position = self._eighths(box, self.grains.live("position"))
        use = np.isin(eighth // _FULL, cut) & ~np.isin(eighth, taken)
        number, inverse = np.unique(eighth[use], return_inverse=True)
        size = np.bincount(inverse, minlength=len(number))
        middle = np.stack([np.bincount(inverse, position[axis, use], len(number)) for axis in range(3)], axis=1)
        middle = middle / np.maximum(size, 1)[:, None]
        return np.concatenate([places, middle]), np.concatenate([cells, number // _FULL])

    def _eighths(self, box: Box, position: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Number of the eighth of a cell that holds each position (3, n): 8 · cell + eighth, negative outside the box."""
        position = position.astype(np.float64)
        cell = box.cell_of(position)
        within = np.floor(position / self.continuum.spacing).astype(np.int64) & 1
        return np.where(cell >= 0, cell * _FULL + (within[0] << 2 | within[1] << 1 | within[2]), -1), position

    def _likeness(
        self, found: Map, place: np.ndarray, cell: np.ndarray, count: np.ndarray
    ) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
        """Member and strain (b̄, J) of new points: those of the cell's points, or by the stress of its grains."""
        box, grains, points = found.box, self.grains, self.points
        body = self._bodies(box)[cell]
        volume = self.engine.mass() / np.array([s.density for s in self.engine.settings])[grains.live("body")]
        weighted = volume * grains.live("weight")
        stress = contact_stress(self.engine.contacts(), (grains.live("position"), weighted), box, place.T)
        table = self.continuum.table
        elastic, jacobian = elastic_strain(stress, self.continuum.moduli, table[body, 2].astype(np.float64))
        here = box.cell_of(points.live("position"))
        known = here >= 0
        old = count[cell] > 0
        for target, values in ((elastic, points.live("elastic")), (jacobian[None], points.live("jacobian")[None])):
            for component in range(len(target)):
                mean = np.bincount(here[known], values[component, known], box.nodes)[cell] / np.maximum(count[cell], 1)
                target[component] = np.where(old, mean, target[component])
        return body, (elastic, jacobian)

    def _bodies(self, box: Box) -> np.ndarray:
        """Member that cells belong to, int32 by cell number."""
        body = np.zeros(box.nodes, np.int32)
        for state in (self.grains, self.points):
            here = box.cell_of(state.live("position"))
            body[here[here >= 0]] = state.live("body")[here >= 0]
        return body

    # -- enrich -------------------------------------------------------------------------------------------------------

    def _enrich(self, found: Map, total: Sums, before_points: np.ndarray, walls: Walls) -> bool:
        """Pour grains until they carry half of the mass of hybrid cells, and all of those that points have left.

        True if any came. Without the latter, what was missing in the hybrid zone would stay missing, and its mass would
        crowd the continuum.
        """
        box, grains, points = found.box, self.grains, self.points
        here = box.cell_of(grains.live("position"))
        known = here >= 0
        carried = np.bincount(here[known], self.masses()[known], box.nodes)
        body = self._bodies(box)
        part = np.where(found.zone == 1, 0.5, 1.0)
        wanted = np.floor((part * total.mass - carried) / (part * self.grain_mass[body]) + 0.5)
        wanted[(found.zone == 2) | (found.zone == 0) & (before_points <= 0.0)] = 0.0
        wanted[(found.zone == 1) & (carried > _LACK * part * total.mass)] = 0.0
        cells = np.flatnonzero(wanted > 0)
        if len(cells) == 0:
            return False
        place, radius, cell = pour(self.template, box, cells, wanted[cells].astype(np.int64), grains)
        if len(place):
            far = float(walls.reach)
            clear = walls.signed_distance(place.astype(np.float32), far) > _CLEAR * radius
            place, radius, cell = place[clear], radius[clear], cell[clear]
        if len(place) == 0:
            return False
        velocity = mean_velocities(place, (grains, points), box, self.mean_radius)
        one = np.ones(len(place), np.float32)
        grains.append(
            {
                "position": place.T, "velocity": velocity.T, "radius": radius, "weight": part[cell], "body": body[cell],
                "orientation": np.stack([one, 0.0 * one, 0.0 * one, 0.0 * one]), "zone": found.zone[cell],
                "fixed": (found.zone[cell] == 1).astype(np.int32),
                "wall_row": np.full(len(place), -1, np.int32),
            }
        )  # fmt: skip
        return True

    # -- the balance --------------------------------------------------------------------------------------------------

    def _settle(self, found: Map, total: Sums) -> None:
        """Scale and shift the points of each cell to what the ledger has for them."""
        box, points = found.box, self.points
        grains_now, points_now = self._sums(box)
        rest = Sums(total.mass - grains_now.mass, total.momentum - grains_now.momentum)
        held = points_now.mass
        # Only what differs by more than rounding is touched.
        different = np.abs(rest.mass - held) > 1.0e-9 * np.maximum(total.mass, 1.0e-300)
        shifted = np.abs(rest.momentum - points_now.momentum).max(axis=0)
        different |= shifted > 1.0e-12 * np.abs(total.momentum).max(initial=1.0e-300)
        owing = np.flatnonzero(different & ((held <= 0.0) | (rest.mass < 0.3 * held)))
        rest.mass[owing] -= held[owing]
        rest.momentum[:, owing] -= points_now.momentum[:, owing]
        extra, left = passed_on(owing, rest, held, box.shape)
        even_out(extra, held)
        keeps = different.copy()
        keeps[owing] = False
        target = np.where(keeps, rest.mass, held) + extra.mass
        goal = np.where(keeps, rest.momentum, points_now.momentum) + extra.momentum
        cell = box.cell_of(points.live("position"))
        use = np.flatnonzero((cell >= 0) & (target != held)[np.maximum(cell, 0)] | (cell >= 0) & different[np.maximum(cell, 0)])
        at = cell[use]
        factor = target[at] / held[at]
        shift = (goal[:, at] - points_now.momentum[:, at] * factor) / target[at]
        points.live("velocity")[:, use] += shift.astype(np.float32)
        points.live("mass")[use] = (points.live("mass")[use] * factor).astype(np.float32)
        # Points carry the stress of all the mass in their cell, that of hybrid grains too. More of it in the same room is
        # compression, which `Continuum.settle_volume` brings about little by little.
        volume = points.live("mass")[use] / self.continuum.density[points.live("body")[use]] / points.live("volume")[use]
        grown = np.where(found.zone[at] == 1, 1.0 + extra.mass[at] / (target + grains_now.mass)[at], volume)
        points.live("volume")[use] *= grown.astype(np.float32)
        points.live("owed")[use] += np.log(grown).astype(np.float32)
        self._settle_grains(box, left, rest, grains_now)

    def _settle_grains(self, box: Box, left: np.ndarray, rest: Sums, now: Sums) -> None:
        """Cells that found no points to take their remainder: the weights of their grains carry it."""
        if len(left) == 0:
            return
        cell = box.cell_of(self.grains.live("position"))
        use = np.flatnonzero(np.isin(cell, left))
        at = cell[use]
        factor = (now.mass[at] + rest.mass[at]) / now.mass[at]
        shift = (now.momentum[:, at] + rest.momentum[:, at]) / (now.mass[at] + rest.mass[at]) - now.momentum[:, at] / now.mass[at]
        self.grains.live("velocity")[:, use] += shift
        self.grains.live("weight")[use] *= factor.astype(np.float32)
