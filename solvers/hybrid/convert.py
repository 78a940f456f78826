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
from .ledger import Sums, cell_sums, spread
from .oracle import HYBRID, INNER, KEEP, OUTER, Box, depth_at, grain_zones, point_zones
from .pour import mean_velocities, pour
from .relax import Template, relax, room_for
from .strain import contact_stress, elastic_strain

_FEW = 4
"""A cell of the hybrid or continuum zone with fewer points than this is filled up."""
_FULL = 8
_PRESSED, _SMALLEST = 1.0e-3, 0.85
"""Overlap that is taken for a contact under load, in radii; and how small grains become at most."""
_SWEEPS, _ENOUGH = 100, 0.001
"""How hybrid grains are pushed apart: sweeps at most, and overlap that is left alone, in the sum of two radii."""
_LACK = 0.5
"""A hybrid cell gets grains when it has less than this part of what it should."""
_CLEAR = 0.9
"""A new grain keeps this part of its radius clear of walls."""


@dataclass(frozen=True)
class Map:
    """What the oracle says."""

    box: Box
    depth: np.ndarray
    """Depth of the nodes [cells], float32 (i, j, k)."""
    inside: np.ndarray
    """Nodes in the material, bool (i, j, k)."""
    cell_depth: np.ndarray
    """Mean depth by cell number."""
    whole: np.ndarray
    """Cells deep in the material that no standing wall cuts, bool by cell number."""

    def depth_of(self, state: State) -> np.ndarray:
        """Depth [cells] of each member of a state, float64 (n,)."""
        result = np.empty(state.count)
        position = np.ascontiguousarray(state.live("position"), np.float64)
        depth_at(position, self.depth, self.inside, self.box.low.astype(np.float64), 1.0 / self.box.cell, result)
        return result


class Converter:
    """Moves mass between the grains of an engine and the points of a continuum."""

    def __init__(
        self, engine: Engine, continuum: Continuum, settings: list[GrainsParams], template: Template, turns: np.ndarray
    ) -> None:
        self.engine, self.continuum = engine, continuum
        self.grain_mass = np.array([entry.density * grain_volume(entry) for entry in settings])
        self.mean_radius = 0.5 * continuum.spacing
        self.template, self.turns = template, turns

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
        grain_zone = grain_zones(found.depth_of(self.grains), self.grains.live("zone"))
        grain_zone[~self.turns[self.grains.live("body")]] = 0
        point_zone = point_zones(found.depth_of(self.points), self.points.live("zone"))
        before = self._sums(found.box)
        total = Sums(before[0].mass + before[1].mass, before[0].momentum + before[1].momentum)
        born = self._new_points(found, before, total)
        changed = self._reweigh(grain_zone, point_zone)
        if born is not None:
            self.points.append(born)
        changed |= self._enrich(found, total, walls) or born is not None
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

    def _resize(self, before: np.ndarray, after: np.ndarray) -> None:
        """Grains have their full size where there is room: an overlap that does not come from pressing would throw them.

        Hybrid grains, which move with the flow and not by contacts, leave room for discrete ones; those that are released,
        for everybody.
        """
        grains = self.grains
        size, radius = grains.live("size"), grains.live("radius")
        size[:] = np.where(size > 0.0, size, radius)
        hybrid, released = after == 1, (before == 1) & (after == 0)
        place, full = np.ascontiguousarray(grains.live("position").T), np.where(hybrid, size, radius).astype(np.float64)
        room = room_for(place, full, hybrid, after == 0)
        # what presses is left as it is
        kept = hybrid & (before == 1) & (room > (1.0 - _PRESSED) * radius) & (room < (1.0 + _PRESSED) * radius)
        room[kept] = radius[kept]
        room = np.maximum(np.minimum(room, room_for(place, room, released, after != 2)), _SMALLEST * size)
        radius[:] = np.where(hybrid | released, room, radius)

    def _reweigh(self, grain_zone: np.ndarray, point_zone: np.ndarray) -> bool:
        """Grains and points that stay get their weights, the others go."""
        grains, points = self.grains, self.points
        changed = bool((grains.live("zone") != grain_zone).any() or (points.live("zone") != point_zone).any())
        self._resize(grains.live("zone").copy(), grain_zone)
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
        lacking = np.flatnonzero((found.cell_depth > OUTER + KEEP) & (count < _FEW) & (total.mass > 0.0))
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
        zone = np.where(found.cell_depth[cell] > INNER, 2, 1).astype(np.int32)
        part = np.where(zone == HYBRID, 0.5, 1.0)
        share *= 2.0 * part
        return {
            "position": place.T, "velocity": velocity, "mass": share, "volume": share / density / part, "density": density,
            "elastic": strain[0], "jacobian": strain[1], "body": body, "zone": zone,
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
        body = np.full(box.nodes, np.argmax(self.turns), np.int32)
        for state in (self.grains, self.points):
            here = box.cell_of(state.live("position"))
            use = (here >= 0) & self.turns[state.live("body")]
            body[here[use]] = state.live("body")[use]
        return body

    # -- enrich -------------------------------------------------------------------------------------------------------

    def _enrich(self, found: Map, total: Sums, walls: Walls) -> bool:
        """Put grains into hybrid cells until they carry half of the mass; True if any came.

        They may overlap each other at first, but no grain outside: until they are released there is time to spread.
        """
        box, grains, points = found.box, self.grains, self.points
        here = box.cell_of(grains.live("position"))
        known = here >= 0
        carried = np.bincount(here[known], self.masses()[known], box.nodes)
        body = self._bodies(box)
        wanted = np.floor((0.5 * total.mass - carried) / (0.5 * self.grain_mass[body]) + 0.5)
        wanted[(found.cell_depth < OUTER) | (found.cell_depth > INNER) | (carried > _LACK * 0.5 * total.mass)] = 0.0
        cells = np.flatnonzero(wanted > 0)
        if len(cells) == 0:
            return False
        place, radius, cell = pour(self.template, box, cells, wanted[cells].astype(np.int64), grains)
        if len(place):
            clear = walls.signed_distance(place.astype(np.float32), float(walls.reach)) > _CLEAR * radius
            place, radius, cell = place[clear], radius[clear], cell[clear]
        if len(place) == 0:
            return False
        velocity = mean_velocities(place, (grains, points), box, self.mean_radius)
        one = np.ones(len(place), np.float32)
        grains.append(
            {
                "position": place.T, "velocity": velocity.T, "radius": radius, "size": radius, "weight": 0.5 * one,
                "body": body[cell], "orientation": np.stack([one, 0.0 * one, 0.0 * one, 0.0 * one]),
                "zone": one.astype(np.int32), "fixed": one.astype(np.int32), "wall_row": np.full(len(place), -1, np.int32),
            }
        )  # fmt: skip
        return True

    # -- the balance --------------------------------------------------------------------------------------------------

    def _settle(self, found: Map, total: Sums) -> None:
        """Give the points what the ledger has for them."""
        box, points = found.box, self.points
        grains_now, points_now = self._sums(box)
        rest = Sums(total.mass - grains_now.mass - points_now.mass, total.momentum - grains_now.momentum - points_now.momentum)
        rounding = np.abs(rest.mass) <= 1.0e-7 * total.mass
        rest.mass[rounding] = 0.0
        extra, left = spread(rest, points_now.mass, box.shape)
        cell = box.cell_of(points.live("position"))
        use = np.flatnonzero(cell >= 0)
        at = cell[use]
        growth = extra.mass[at] / points_now.mass[at]
        shift = (extra.momentum[:, at] - growth * points_now.momentum[:, at]) / ((1.0 + growth) * points_now.mass[at])
        points.live("velocity")[:, use] += shift.astype(np.float32)
        # More mass in the same room is compression, which `Continuum.settle_volume` brings about little by little.
        for name in ("mass", "volume"):
            points.live(name)[use] *= (1.0 + growth).astype(np.float32)
        points.live("owed")[use] += np.log1p(growth).astype(np.float32)
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
