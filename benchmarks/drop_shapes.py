"""What benchmarks of drops share: scenes, and the contact angle of a drop measured on its particles and on its surface."""

from typing import Any

import numpy as np

from solvers.materials.drops_params import DropsParams
from solvers.scene import Body, Collider, ColliderParams, Mesh, Scene, SurfaceParams, WorldParams
from solvers.surface import make_surface
from solvers.surface.volume import SurfaceVolume
from solvers.watch import Silent
from solvers.world import World


def radius_of(volume: float) -> float:
    """Radius [m] of a ball of the given volume [m³]."""
    return (3.0 * volume / (4.0 * np.pi)) ** (1.0 / 3.0)


def ball_on_plane(
    volume: float, particles: int, angle: float, *, gravity: float = 0.0, liquid: DropsParams | None = None, fps: float = 200.0,
    frames: int = 40, hysteresis: float = 0.0, tilt: float = 0.0,
) -> Scene:  # fmt: skip
    """A ball of liquid [m³] that just touches a plane of the given contact angle [°]; `tilt` [°] turns gravity."""
    radius, spacing = radius_of(volume), (volume / particles) ** (1.0 / 3.0)
    side = 14.0 * radius
    lean = np.radians(tilt)
    return Scene(
        "Ball",
        bodies=(Body("Drop", "drops", Mesh.sphere((0.0, 0.0, radius), radius, 4), liquid),),
        colliders=(
            Collider(
                "Plane",
                Mesh.rectangle((-0.5 * side, -0.5 * side, 0.0), (side, 0.0, 0.0), (0.0, side, 0.0)),
                ColliderParams(contact_angle=angle, hysteresis=hysteresis),
            ),
        ),
        world=WorldParams(
            spacing=spacing, gravity=(gravity * np.sin(lean), 0.0, -gravity * np.cos(lean)), frames_per_second=fps,
            frame_end=frames, jitter=0.3,
        ),
    )  # fmt: skip


def disc(volume: float, height: float, sides: int = 64) -> Mesh:
    """A flat cylinder of the given volume [m³] that stands on z = 0."""
    turn = np.arange(sides) * 2.0 * np.pi / sides
    radius = np.sqrt(volume / height / (0.5 * sides * np.sin(2.0 * np.pi / sides)))
    rim = radius * np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    vertices = np.concatenate([rim, rim + [0.0, 0.0, height], [[0.0, 0.0, 0.0], [0.0, 0.0, height]]])
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    low, high = np.full(sides, 2 * sides), np.full(sides, 2 * sides + 1)
    triangles = np.concatenate(
        [np.stack(corner, axis=1) for corner in (
            (here, there, sides + there), (here, sides + there, sides + here),
            (low, there, here), (high, sides + here, sides + there),
        )]
    )  # fmt: skip
    return Mesh(vertices, triangles)


def cap(volume: float, angle: float, low: float, sides: int = 48, rings: int = 16) -> Mesh:
    """A spherical cap of the given volume [m³] and contact angle [°] whose base lies at z = `low` [m]."""
    slope = np.tan(np.radians(0.5 * angle))
    base = (6.0 * volume / (np.pi * slope * (3.0 + slope**2))) ** (1.0 / 3.0)
    height = base * slope
    radius = (base**2 + height**2) / (2.0 * height)
    polar, turn = np.radians(angle) * np.arange(1, rings + 1) / rings, np.arange(sides) * 2.0 * np.pi / sides
    z, r = np.repeat(height - radius * (1.0 - np.cos(polar)), sides), np.repeat(radius * np.sin(polar), sides)
    round_ = np.tile(turn, rings)
    shell = np.stack([r * np.cos(round_), r * np.sin(round_), z], axis=1)
    vertices = np.concatenate([[[0.0, 0.0, height]], shell, [[0.0, 0.0, 0.0]]]) + [0.0, 0.0, low]
    here, there = np.arange(sides), (np.arange(sides) + 1) % sides
    last = 1 + (rings - 1) * sides
    parts = [np.stack([np.zeros(sides, int), 1 + here, 1 + there], axis=1)]
    parts.append(np.stack([last + here, np.full(sides, len(vertices) - 1), last + there], axis=1))
    for ring in range(rings - 1):
        p, q = 1 + ring * sides, 1 + (ring + 1) * sides
        parts += [np.stack([p + here, q + here, q + there], axis=1), np.stack([p + here, q + there, p + there], axis=1)]
    return Mesh(vertices, np.concatenate(parts))


def capillary_time(volume: float, liquid: DropsParams) -> float:
    """√(ρ V / γ) [s]: how fast a drop of this volume swings."""
    return float(np.sqrt(liquid.density * volume / liquid.surface_tension))


def run_world(scene: Scene) -> World:
    world = World(scene)
    world.start()
    for frame in range(scene.world.frame_start + 1, scene.world.frame_end + 1):
        world.advance(frame)
    return world


def cap_angle(height_of_mean: float, spread: float) -> float:
    """Angle [°] of the spherical cap whose centre of mass lies `height_of_mean` above its base while ⟨x² + y²⟩ = spread²."""
    angle = np.radians(np.linspace(2.0, 178.0, 700))
    c = np.cos(angle)
    # unit sphere cut at z = c: height t above the base, slices of radius² 1 − (c + t)²
    ratio = np.empty_like(angle)
    for index, cut in enumerate(c):
        t = np.linspace(0.0, 1.0 - cut, 400)
        area = np.maximum(1.0 - (cut + t) ** 2, 0.0)
        total = area.sum()
        ratio[index] = (area * t).sum() / total / np.sqrt((area * 0.5 * area).sum() / total)
    return float(np.degrees(np.interp(height_of_mean / spread, ratio, angle)))


def angle_of_particles(points: np.ndarray) -> float:
    """Contact angle [°] of a drop on the plane z = 0 from the moments of its particles (n, 3) [m]."""
    across = points[:, :2] - points[:, :2].mean(axis=0)
    return cap_angle(float(points[:, 2].mean()), float(np.sqrt((across**2).sum(axis=1).mean())))


def surface_of(world: World, params: SurfaceParams | None = None) -> SurfaceVolume:
    """The level set that a bake would write for the present frame."""
    output = world.outputs[0]
    points = world.points(output.name)
    return make_surface(points, output.spacing, params or SurfaceParams(), world.walls, Silent(), output.weight)


def _dense(surface: SurfaceVolume) -> tuple[np.ndarray, np.ndarray]:
    """The blocks in one array (NaN where nothing is stored) and the voxel index of its corner."""
    edge = surface.phi.shape[-1]
    low = surface.origin.min(axis=0)
    dense = np.full(tuple(surface.origin.max(axis=0) - low + edge), np.nan, np.float32)
    for (i, j, k), phi in zip(surface.origin - low, surface.phi, strict=True):
        dense[i : i + edge, j : j + edge, k : k + edge] = phi
    return dense, low


def seen_from_the_side(surface: SurfaceVolume) -> tuple[np.ndarray, tuple[float, float, float, float]]:
    """A shaded picture (rows along z, RGBA) of the surface seen along y, and its left, right, lowest and highest edge [m]."""
    dense, low = _dense(surface)
    dense = np.where(np.isfinite(dense), dense, np.nanmax(dense))
    inside = dense < 0.0
    hit, first = inside.any(axis=1), inside.argmax(axis=1)
    i, k = np.nonzero(hit)
    j = first[i, k]
    normal = np.stack([part[i, j, k] for part in np.gradient(dense)], axis=1)
    normal /= np.maximum(np.linalg.norm(normal, axis=1), 1e-9)[:, None]
    light = np.array([-0.45, -0.6, 0.66])
    shade = np.clip(normal @ light, 0.0, 1.0)
    gleam = np.clip(normal @ np.array([-0.33, -0.8, 0.5]), 0.0, 1.0) ** 40
    picture = np.zeros((*hit.T.shape, 4))
    colour = np.array([0.25, 0.48, 0.66]) * (0.35 + 0.75 * shade[:, None]) + 0.6 * gleam[:, None]
    picture[k, i, :3], picture[k, i, 3] = np.clip(colour, 0.0, 1.0), 1.0
    size = surface.voxel_size
    return picture, (low[0] * size, (low[0] + len(hit)) * size, low[2] * size, (low[2] + hit.shape[1]) * size)


def crossings_along(surface: SurfaceVolume, axis: int) -> tuple[np.ndarray, np.ndarray]:
    """Points (n, 3) [m] where the surface cuts voxel edges along an axis, and +1 where one leaves the liquid there, else −1."""
    dense, low = _dense(surface)
    size = dense.shape[axis]
    a, b = np.take(dense, range(size - 1), axis), np.take(dense, range(1, size), axis)
    cut = np.nonzero(np.isfinite(a) & np.isfinite(b) & ((a < 0.0) != (b < 0.0)))
    place = np.stack(cut, axis=1).astype(np.float64)
    place[:, axis] += a[cut] / (a[cut] - b[cut])
    return (place + low) * surface.voxel_size, np.where(b[cut] > 0.0, 1.0, -1.0)


def crossings(surface: SurfaceVolume) -> np.ndarray:
    """Points (n, 3) [m] where the surface cuts the voxel grid."""
    return np.concatenate([crossings_along(surface, axis)[0] for axis in range(3)])


def profile(surface: SurfaceVolume) -> np.ndarray:
    """Radius and height (n, 2) [m] of the surface of one drop on z = 0, without what lies in the wall."""
    points = crossings(surface)
    points = points[points[:, 2] > 0.25 * surface.voxel_size]
    centre = points[:, :2].mean(axis=0)
    return np.stack([np.linalg.norm(points[:, :2] - centre, axis=1), points[:, 2]], axis=1)


def circle_angle(outline: np.ndarray) -> float:
    """Contact angle [°] at z = 0 of the circle, centred on the axis, that fits an outline of (radius, height)."""
    r, z = outline.T
    # r² + z² = 2 z z₀ + (R² − z₀²)
    matrix = np.stack([2.0 * z, np.ones_like(z)], axis=1)
    (middle, rest), *_ = np.linalg.lstsq(matrix, r**2 + z**2, rcond=None)
    radius = np.sqrt(max(rest + middle**2, 1e-30))
    return float(np.degrees(np.arccos(np.clip(-middle / radius, -1.0, 1.0))))


def angle_of_surface(surface: SurfaceVolume) -> float:
    """Contact angle [°] of the rendered surface: circle through its whole outline."""
    return circle_angle(profile(surface))


def angle_at_wall(surface: SurfaceVolume, spacing: float, top: float = 1.5, turned: np.ndarray | None = None) -> float:
    """Slope [°] of the rendered surface where it meets the wall z = 0 (or that plane `turned`, (3, 3)).

    At z = 0 of the parabola r(z) through the outline of one drop below `top` spacings.
    """
    points = np.concatenate([crossings_along(surface, axis)[0] for axis in ((0, 1) if turned is None else (0, 1, 2))])
    points = (points if turned is None else points @ turned) / spacing
    points = points[(points[:, 2] > -1.0e-3) & (points[:, 2] < top + 1.0e-3)]
    middle = 0.5 * (points[:, :2].min(axis=0) + points[:, :2].max(axis=0))
    slope = np.polyfit(points[:, 2], np.linalg.norm(points[:, :2] - middle, axis=1), 2)[1]
    return float(np.degrees(np.arctan2(1.0, -slope)))


def settle(scene: Scene) -> tuple[World, dict[str, Any]]:
    """Run a drop and measure it."""
    world = run_world(scene)
    points = world.points(world.outputs[0].name)
    surface = surface_of(world)
    return world, {
        "particles": len(points["position"]),
        "angle": angle_of_particles(points["position"].astype(np.float64)),
        "angle_vdb": angle_of_surface(surface),
        "wall": angle_at_wall(surface, scene.world.spacing),
        "speed": float(np.abs(points["velocity"]).max()),
    }


def ball_in_bowl(volume: float, particles: int, angle: float, bowl: float, frames: int, fps: float) -> Scene:
    """A ball of liquid at the bottom of the inner side of a sphere of radius `bowl` [m] about the origin, without gravity."""
    radius = radius_of(volume)
    shell = Mesh.sphere((0.0, 0.0, 0.0), bowl, 5)
    low = np.all(shell.vertices[shell.triangles][:, :, 2] < 0.5 * bowl, axis=1)
    inner = Mesh(shell.vertices, np.ascontiguousarray(shell.triangles[low][:, ::-1]))
    return Scene(
        "Bowl",
        bodies=(Body("Drop", "drops", Mesh.sphere((0.0, 0.0, radius - bowl), radius, 4)),),
        colliders=(Collider("Bowl", inner, ColliderParams(contact_angle=angle)),),
        world=WorldParams(
            spacing=(volume / particles) ** (1.0 / 3.0), gravity=(0.0, 0.0, 0.0), frames_per_second=fps, frame_end=frames,
            jitter=0.3,
        ),
    )  # fmt: skip


def angle_in_bowl(surface: SurfaceVolume, bowl: float, margin: float) -> float:
    """Contact angle [°] between the bowl and the sphere (or plane) through the surface that is `margin` [m] and more off it."""
    points = crossings(surface)
    axis = points.mean(axis=0) / np.linalg.norm(points.mean(axis=0))  # without gravity a drop may settle anywhere in the bowl
    along = points @ axis
    across = np.linalg.norm(points - along[:, None] * axis, axis=1)
    free = np.hypot(along, across) < bowl - margin
    z, r = along[free] / bowl, across[free] / bowl
    # a (r² + z²) + b z + c = 0 with a² + b² + c² = 1: a plane has a = 0
    a, b, c = np.linalg.svd(np.stack([r * r + z * z, z, np.ones_like(z)], axis=1), full_matrices=False)[2][2]
    sign = -1.0 if a + b + c > 0.0 else 1.0  # negative in the liquid, which covers the bowl's lowest point
    meet = -(a + c) / b
    normal = sign * np.array([2.0 * a * np.sqrt(max(1.0 - meet**2, 0.0)), 2.0 * a * meet + b])
    outwards = np.array([np.sqrt(max(1.0 - meet**2, 0.0)), meet])
    return 180.0 - float(np.degrees(np.arccos(np.clip(normal @ outwards / np.linalg.norm(normal), -1.0, 1.0))))


def surface_volume(surface: SurfaceVolume) -> float:
    """Volume [m³] inside a closed surface: what lies below its upper sides minus what lies below its lower ones."""
    points, sign = crossings_along(surface, 2)
    return float((points[:, 2] * sign).sum()) * surface.voxel_size**2


def sessile(volume: float, angle: float, liquid: DropsParams, gravity: float = 9.81) -> tuple[float, float]:
    """Height and base radius [m] of a drop at rest on a level plane: the Young–Laplace equation, integrated from the top.

    dψ/ds = 2/b + ρ g z/γ − sin ψ / r with the curvature 1/b at the top found by bisection on the volume.
    """
    pull = liquid.density * gravity / liquid.surface_tension
    end = np.radians(angle)

    def shape(curvature: float) -> tuple[float, float, float]:
        state = np.array([1.0e-9, 0.0, 0.0, 0.0])  # r, z, ψ, volume
        step = 2.0e-3 / max(curvature, np.sqrt(pull))

        def slope(y: np.ndarray) -> np.ndarray:
            r, z, psi, _ = y
            bend = curvature if r < 1.0e-8 else 2.0 * curvature + pull * z - np.sin(psi) / r
            return np.array([np.cos(psi), np.sin(psi), bend, np.pi * r * r * np.sin(psi)])

        while state[2] < end:
            a = slope(state)
            b = slope(state + 0.5 * step * a)
            c = slope(state + 0.5 * step * b)
            d = slope(state + step * c)
            new = state + step / 6.0 * (a + 2 * b + 2 * c + d)
            if new[2] >= end:
                share = (end - state[2]) / (new[2] - state[2])
                new = state + share * (new - state)
                return float(new[3]), float(new[1]), float(new[0])
            state = new
        return float(state[3]), float(state[1]), float(state[0])

    low, high = 1.0e-4 * np.sqrt(pull), 20.0 / volume ** (1.0 / 3.0)
    for _ in range(40):
        middle = float(np.sqrt(low * high))
        if shape(middle)[0] > volume:
            low = middle
        else:
            high = middle
    _, height, base = shape(float(np.sqrt(low * high)))
    return height, base
