"""Contacts of grains with walls: faces, edges and corners of the planes that `Walls.near` found.

Planes are looked up once per step of the world; within it they are followed in closed form while grain and wall move, so
that the small steps of the contact law cost no search. A convex edge or corner is the true nearest point of the wedge (a
ball rolls over it as over a real one), a concave corner is one contact for each plane.
"""

from typing import NamedTuple

import numpy as np

from ..jit import inlined, kernel
from ..walls.planes import INTERSECTION, UNION, UNION_OF_FIRST
from .law import ROLL_DAMPING

NX, DISTANCE, VX, FRICTION, SLOT = 0, 3, 4, 7, 8
"""Columns of a contact in the work array: normal, distance, velocity of the wall, friction, plane that governs."""
WORK_COLUMNS = 12
SPRINGS, ROLLS, NORMALS, ALIVE, DEPTH, FORGIVEN = 0, 3, 6, 9, 10, 11
MEMORY_COLUMNS = 12
"""Columns of a memory: ξ, θ, normal of the contact, whether it was in touch one step ago, its overlap then [m], and the part of
that which does not press [m]."""
SUDDEN = 0.01
"""Overlap that may appear within a step without approach, in radii. More does not come from motion: surfaces bent more sharply
than a grain are read by planes that reach beyond their triangles, and where these change, the wall would leap at the grain."""
_FORGIVING = 100.0
"""Time in which such overlap begins to press after all, in √(m/k)."""
_SAME = 0.7
"""A contact continues the one whose normal was within 45°."""
_PARALLEL = 0.999


class WallSet(NamedTuple):
    """Planes around the grains near walls, and the memory of their contacts."""

    row: np.ndarray
    """Row of each grain or -1, int32 (n,)."""
    plane: np.ndarray
    """float32 (m, 3, 8), see `NearWalls`."""
    count: np.ndarray
    shape: np.ndarray
    collider: np.ndarray
    """int32 (m,), (m,) and (m, 3)."""
    asked: np.ndarray
    """Where each grain was when it asked, float32 (n, 3)."""
    memory: np.ndarray
    """float64 (m, 3, MEMORY_COLUMNS)."""
    bodies: np.ndarray
    """Rigid motion of the colliders, float64 (k, BODY_COLUMNS); see `rigid_motion`."""
    work: np.ndarray
    """float64 (chunks, 4, 3, WORK_COLUMNS): room to work in."""
    reaction: np.ndarray
    """Force and moment about the pivot that the grains of each chunk exert on each free collider, float64 (chunks, k, 6)."""
    sudden: float
    """Overlap that may appear within a step without approach [radii]."""


FREE, PIVOT, MOVED, TURNED, SPEED, SPIN, INVERSE_MASS, INVERSE_INERTIA = 0, 1, 4, 7, 10, 13, 16, 17
BODY_COLUMNS = 26
"""Columns of `WallSet.bodies`: is it free, place of the centre of mass when planes were looked up, how far it has moved [m] and
turned [rad] since, velocity [m/s], angular velocity [1/s], 1/mass, inverse of the inertia tensor row by row."""


@inlined
def _write_single(work, planes, slot, answer):
    for column in range(8):
        work[answer, column] = planes[slot, column]
    work[answer, SLOT] = slot


@inlined
def _dot(planes, a, b):
    return planes[a, 0] * planes[b, 0] + planes[a, 1] * planes[b, 1] + planes[a, 2] * planes[b, 2]


@inlined
def _write_mixed(work, planes, a, b, c, wa, wb, wc, distance, answer):
    """A contact at the edge of planes a and b or the corner of a, b and c: normal = Σ w n / distance; a governs the rest."""
    for axis in range(3):
        work[answer, axis] = (wa * planes[a, axis] + wb * planes[b, axis] + wc * planes[c, axis]) / distance
        work[answer, VX + axis] = planes[a, VX + axis]
    work[answer, DISTANCE] = distance
    work[answer, FRICTION] = planes[a, FRICTION]
    work[answer, SLOT] = a


@kernel
def _nearest_of_wedge(work, planes, first, last, answer):
    """The nearest point of the intersection of the half-spaces first … last - 1 as contact number `answer`."""
    out = first
    for slot in range(first + 1, last):
        if planes[slot, DISTANCE] > planes[out, DISTANCE]:
            out = slot
    away = planes[out, DISTANCE]
    # Which other plane is still in front at the foot of the perpendicular?
    edge, most = -1, 1.0e-12
    for slot in range(first, last):
        if slot != out:
            cosine = _dot(planes, out, slot)
            ahead = planes[slot, DISTANCE] - cosine * away
            if abs(cosine) < _PARALLEL and ahead > most:
                edge, most = slot, ahead
    if edge < 0 or away <= 0.0:
        _write_single(work, planes, out, answer)
        return
    cosine = _dot(planes, out, edge)
    square = 1.0 - cosine * cosine
    wa = (away - cosine * planes[edge, DISTANCE]) / square
    wb = (planes[edge, DISTANCE] - cosine * away) / square
    distance = np.sqrt(wa * away + wb * planes[edge, DISTANCE])
    third = 2 * first + 3 - out - edge if last - first == 3 else -1
    if third >= 0:
        ca, cb = _dot(planes, out, third), _dot(planes, edge, third)
        if planes[third, DISTANCE] - wa * ca - wb * cb > 1.0e-12:
            # A corner: x = Σ w n with n·x = d for all three; Cramer's rule on the Gram matrix.
            da, db, dc = away, planes[edge, DISTANCE], planes[third, DISTANCE]
            determinant = 1.0 + 2.0 * cosine * ca * cb - cosine * cosine - ca * ca - cb * cb
            if determinant > 1.0e-9:
                qa = (da * (1.0 - cb * cb) + db * (ca * cb - cosine) + dc * (cosine * cb - ca)) / determinant
                qb = (da * (ca * cb - cosine) + db * (1.0 - ca * ca) + dc * (cosine * ca - cb)) / determinant
                qc = (da * (cosine * cb - ca) + db * (cosine * ca - cb) + dc * (1.0 - cosine * cosine)) / determinant
                if qa >= 0.0 and qb >= 0.0 and qc >= 0.0:
                    corner = np.sqrt(qa * da + qb * db + qc * dc)
                    _write_mixed(work, planes, out, edge, third, qa, qb, qc, corner, answer)
                    return
    _write_mixed(work, planes, out, edge, edge, wa, wb, 0.0, distance, answer)


@kernel
def wall_contacts(planes, count, shape, work):
    """Contacts with the wall that planes (3, 8) make up; writes them to `work` and returns their number."""
    if shape == UNION or count == 1:
        for slot in range(count):
            _write_single(work, planes, slot, slot)
        return count
    if shape == INTERSECTION:
        _nearest_of_wedge(work, planes, 0, count, 0)
        return 1
    if shape == UNION_OF_FIRST:
        _write_single(work, planes, 0, 0)
        _nearest_of_wedge(work, planes, 1, 3, 1)
        return 2
    # First ∩ (second ∪ third) = (first ∩ second) ∪ (first ∩ third): two edges that share a plane.
    _nearest_of_wedge(work, planes, 0, 2, 0)
    for column in range(8):
        planes[1, column] = planes[2, column]
    _nearest_of_wedge(work, planes, 0, 2, 1)
    if work[1, SLOT] == 1.0:
        work[1, SLOT] = 2.0
    return 2


@kernel
def current_planes(walls, row, dx, dy, dz, later, x, y, z, planes):
    """Planes of a row as they are now, into `planes`: the grain has moved by (dx, dy, dz) since it asked, prescribed walls
    are posed `later` seconds after now, free ones have moved by themselves."""
    count = walls.count[row]
    for slot in range(count):
        nx, ny, nz = walls.plane[row, slot, 0], walls.plane[row, slot, 1], walls.plane[row, slot, 2]
        vx, vy, vz = walls.plane[row, slot, 4], walls.plane[row, slot, 5], walls.plane[row, slot, 6]
        distance = walls.plane[row, slot, 3] + nx * dx + ny * dy + nz * dz
        c = walls.collider[row, slot]
        free = 0 <= c < len(walls.bodies) and walls.bodies[c, FREE] != 0.0
        if free:
            # nearest point of the wall relative to the centre of mass, where both were when the planes were found
            body = walls.bodies[c]
            back = walls.plane[row, slot, 3]
            px = x - dx - back * nx - body[PIVOT]
            py = y - dy - back * ny - body[PIVOT + 1]
            pz = z - dz - back * nz - body[PIVOT + 2]
            tx, ty, tz = body[TURNED], body[TURNED + 1], body[TURNED + 2]
            mx = body[MOVED] + ty * pz - tz * py
            my = body[MOVED + 1] + tz * px - tx * pz
            mz = body[MOVED + 2] + tx * py - ty * px
            distance -= nx * mx + ny * my + nz * mz
            # The normal turns with the body; the pivot of that turn is the contact.
            ax, ay, az = nx + ty * nz - tz * ny, ny + tz * nx - tx * nz, nz + tx * ny - ty * nx
            size = 1.0 / np.sqrt(ax * ax + ay * ay + az * az)
            nx, ny, nz = ax * size, ay * size, az * size
            px, py, pz = px + mx - body[MOVED], py + my - body[MOVED + 1], pz + mz - body[MOVED + 2]
            vx = body[SPEED] + body[SPIN + 1] * pz - body[SPIN + 2] * py
            vy = body[SPEED + 1] + body[SPIN + 2] * px - body[SPIN] * pz
            vz = body[SPEED + 2] + body[SPIN] * py - body[SPIN + 1] * px
        else:
            distance += later * (nx * vx + ny * vy + nz * vz)
        planes[slot, 0], planes[slot, 1], planes[slot, 2], planes[slot, 3] = nx, ny, nz, distance
        planes[slot, 4], planes[slot, 5], planes[slot, 6], planes[slot, 7] = vx, vy, vz, walls.plane[row, slot, 7]
    return count


@inlined
def _continued(memory, used, nx, ny, nz):
    """Which remembered contact has this normal, or -1."""
    best, cosine = -1, _SAME
    for slot in range(3):
        if memory[slot, ALIVE] != 0.0 and used >> slot & 1 == 0:
            along = memory[slot, NORMALS] * nx + memory[slot, NORMALS + 1] * ny + memory[slot, NORMALS + 2] * nz
            if along > cosine:
                best, cosine = slot, along
    return best


@inlined
def _shorten(x, y, z, most, rate):
    """What is left of a stretch (x, y, z) [m or rad] when its force at `rate` may be `most`, as a factor."""
    force = rate * np.sqrt(x * x + y * y + z * z)
    return 1.0 if force <= most else most / force


class Grain(NamedTuple):
    """One grain at a wall: velocity [m/s], angular velocity [1/s], radius [m], mass [kg] and its settings, weight included."""

    vx: float
    vy: float
    vz: float
    wx: float
    wy: float
    wz: float
    radius: float
    mass: float
    weight: float
    damping: float
    friction: float
    rolling: float
    cohesion: float


@kernel
def one_contact(contact, grain, law, dt, sudden, old, was, new, total):
    """Adds force and moment of one wall contact to `total` (6,); writes its memory to the row `new`. Returns whether it acts.

    `old` is the memory (3, …) one step ago, `was` the row in it that this contact continues or -1.
    """
    nx, ny, nz, distance = contact[NX], contact[NX + 1], contact[NX + 2], contact[DISTANCE]
    radius, mass = grain.radius, grain.mass
    overlap = radius - distance
    wet = law.wet and was >= 0 and -overlap < 0.2 * radius
    if overlap <= 0.0 and not wet:
        return False
    # A wall is as stiff as an equal grain and has no mass of its own to give.
    stiffness = law.stiffness * 0.5 * radius * grain.weight
    gamma = 2.0 * grain.damping * np.sqrt(stiffness * mass)
    if law.centred:
        gamma = gamma / (1.0 + 0.25 * dt * gamma / mass)
    arm = max(distance, 0.0)
    cx, cy, cz = -arm * nx, -arm * ny, -arm * nz
    vx = grain.vx + grain.wy * cz - grain.wz * cy - contact[VX]
    vy = grain.vy + grain.wz * cx - grain.wx * cz - contact[VX + 1]
    vz = grain.vz + grain.wx * cy - grain.wy * cx - contact[VX + 2]
    approach = vx * nx + vy * ny + vz * nz
    vx, vy, vz = vx - approach * nx, vy - approach * ny, vz - approach * nz
    push, fx, fy, fz = 0.0, 0.0, 0.0, 0.0
    new[NORMALS], new[NORMALS + 1], new[NORMALS + 2], new[ALIVE] = nx, ny, nz, 1.0
    if overlap > 0.0:
        forgiven, depth = 0.0, 0.0
        if was >= 0:
            forgiven, depth = old[was, FORGIVEN] * max(1.0 - dt / _FORGIVING * np.sqrt(stiffness / mass), 0.0), old[was, DEPTH]
        leap = overlap - depth - sudden * radius - dt * max(-approach, 0.0)
        forgiven = min(forgiven + max(leap, 0.0), overlap)
        new[DEPTH], new[FORGIVEN] = overlap, forgiven
        push = stiffness * (overlap - forgiven) - gamma * approach
        ux, uy, uz = dt * vx, dt * vy, dt * vz
        if was >= 0:
            ux, uy, uz = ux + old[was, 0], uy + old[was, 1], uz + old[was, 2]
        lift = ux * nx + uy * ny + uz * nz
        ux, uy, uz = ux - lift * nx, uy - lift * ny, uz - lift * nz
        rate = law.tangent * stiffness
        lag = law.tangent_damping * gamma / rate
        tx, ty, tz = ux + lag * vx, uy + lag * vy, uz + lag * vz
        hold = _shorten(tx, ty, tz, np.sqrt(grain.friction * contact[FRICTION]) * abs(push), rate)
        new[0], new[1], new[2] = hold * tx - lag * vx, hold * ty - lag * vy, hold * tz - lag * vz
        fx, fy, fz = -rate * hold * tx, -rate * hold * ty, -rate * hold * tz
        if law.rolls:
            square = radius * radius
            rate = law.tangent * stiffness * square
            lag = 2.0 * ROLL_DAMPING * np.sqrt(0.4 * law.tangent * stiffness * mass) * square / rate
            ax, ay, az = dt * grain.wx, dt * grain.wy, dt * grain.wz
            if was >= 0:
                ax, ay, az = ax + old[was, 3], ay + old[was, 4], az + old[was, 5]
            ex, ey, ez = lag * grain.wx, lag * grain.wy, lag * grain.wz
            hold = _shorten(ax + ex, ay + ey, az + ez, grain.rolling * radius * abs(push), rate)
            new[3], new[4], new[5] = hold * (ax + ex) - ex, hold * (ay + ey) - ey, hold * (az + ez) - ez
            total[3] -= rate * hold * (ax + ex)
            total[4] -= rate * hold * (ay + ey)
            total[5] -= rate * hold * (az + ez)
    if law.wet:
        gap = max(-overlap, 0.0) / (0.2 * radius)
        push -= max(1.0 - gap, 0.0) * grain.cohesion * radius * radius * grain.weight
    fx, fy, fz = fx + push * nx, fy + push * ny, fz + push * nz
    total[0] += fx
    total[1] += fy
    total[2] += fz
    total[3] += cy * fz - cz * fy
    total[4] += cz * fx - cx * fz
    total[5] += cx * fy - cy * fx
    return True


@kernel
def wall_force(c, i, walls, grain, x, y, z, later, law, dt):
    """Force [N] and moment [N m] of the walls on grain i, as six numbers; what free colliders feel goes to `reaction`."""
    row = walls.row[i]
    planes, work, new, total = walls.work[c, 0], walls.work[c, 1], walls.work[c, 2], walls.work[c, 3, 0]
    before = walls.work[c, 3, 1]
    memory = walls.memory[row]
    dx, dy, dz = x - walls.asked[i, 0], y - walls.asked[i, 1], z - walls.asked[i, 2]
    count = current_planes(walls, row, dx, dy, dz, later, x, y, z, planes)
    nearest = planes[0, DISTANCE]
    for slot in range(1, count):
        nearest = min(nearest, planes[slot, DISTANCE])
    if nearest >= grain.radius and not law.wet:
        # No shape of wall is nearer than the nearest of its planes.
        for slot in range(3):
            memory[slot, ALIVE] = 0.0
        return 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    contacts = wall_contacts(planes, count, walls.shape[row], work)
    used = 0
    for k in range(6):
        total[k] = 0.0
    for slot in range(3):
        for column in range(MEMORY_COLUMNS):
            new[slot, column] = 0.0
    for slot in range(contacts):
        if work[slot, DISTANCE] > 1.25 * grain.radius:
            continue
        was = _continued(memory, used, work[slot, 0], work[slot, 1], work[slot, 2])
        for k in range(6):
            before[k] = total[k]
        if one_contact(work[slot], grain, law, dt, walls.sudden, memory, was, new[slot], total):
            if was >= 0:
                used |= 1 << was
            body = walls.collider[row, np.int64(work[slot, SLOT])]
            if 0 <= body < len(walls.bodies) and walls.bodies[body, FREE] != 0.0:
                _react(walls.reaction[c, body], walls.bodies[body], work[slot], before, total, x, y, z)
    for slot in range(3):
        for column in range(MEMORY_COLUMNS):
            memory[slot, column] = new[slot, column]
    return total[0], total[1], total[2], total[3], total[4], total[5]


@inlined
def _react(reaction, body, contact, before, total, x, y, z):
    """The opposite of what one contact did to the grain, about the body's centre of mass."""
    fx, fy, fz = total[0] - before[0], total[1] - before[1], total[2] - before[2]
    # force and moment about the grain's centre, moved to the centre of mass: M + (x − p) × F
    px, py, pz = x - body[PIVOT] - body[MOVED], y - body[PIVOT + 1] - body[MOVED + 1], z - body[PIVOT + 2] - body[MOVED + 2]
    reaction[0] -= fx
    reaction[1] -= fy
    reaction[2] -= fz
    reaction[3] -= total[3] - before[3] + py * fz - pz * fy
    reaction[4] -= total[4] - before[4] + pz * fx - px * fz
    reaction[5] -= total[5] - before[5] + px * fy - py * fx
