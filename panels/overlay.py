"""Colours in the 3-D view: marked objects are outlined by role, and the active body may show how far apart its particles are.

One draw handler for all 3-D views. It returns at once where overlays are off or nothing is asked for, never draws in a
render, and keeps what it has sent to the graphics card until the mesh changes.
"""

import colorsys
import zlib
from typing import Any

import bpy
import numpy as np
from mathutils import Vector

from ..operators import view

_COLOURS = {
    "WATER": (0.15, 0.55, 0.95),
    "DROPS": (0.20, 0.85, 0.90),
    "GRAINS": (0.93, 0.72, 0.30),
    "FOAM": (0.96, 0.78, 0.86),
    "SOLID": (0.35, 0.78, 0.42),
    "COLLIDER": (0.72, 0.72, 0.74),
    "EMITTER": (0.95, 0.40, 0.75),
}
_MOST_EDGES = 20_000
"""A mesh with more of them is outlined by its bounding box."""
_MOST_DOTS = 40_000
_BOX_EDGES = np.array([(0, 1), (1, 2), (2, 3), (3, 0), (4, 5), (5, 6), (6, 7), (7, 4), (0, 4), (1, 5), (2, 6), (3, 7)])
_batches: dict[tuple[Any, ...], Any] = {}
_handle: Any = None


def colour_of(role: str) -> tuple[float, float, float]:
    """A role's colour; a kind that is new here gets one by its name."""
    if role in _COLOURS:
        return _COLOURS[role]
    return colorsys.hsv_to_rgb(zlib.crc32(role.encode()) % 360 / 360.0, 0.6, 0.9)


def edge_lines(item: Any, depsgraph: Any) -> np.ndarray:
    """Ends of the lines that outline an object, in its own space, float32 (2 n, 3)."""
    evaluated = item.evaluated_get(depsgraph)
    mesh = evaluated.data if evaluated.type == "MESH" and item.mode != "EDIT" else None
    if mesh is None or not 0 < len(mesh.edges) <= _MOST_EDGES:
        return np.array(evaluated.bound_box, dtype=np.float32)[_BOX_EDGES].reshape(-1, 3)
    places = np.empty(len(mesh.vertices) * 3, dtype=np.float32)
    mesh.vertices.foreach_get("co", places)
    ends = np.empty(len(mesh.edges) * 2, dtype=np.int32)
    mesh.edges.foreach_get("vertices", ends)
    return places.reshape(-1, 3)[ends]


def spacing_dots(low: np.ndarray, high: np.ndarray, spacing: float) -> np.ndarray:
    """Places on the faces of the box low–high, `spacing` apart, float32 (n, 3); empty if there would be too many."""
    size = high - low
    if spacing <= 0.0 or (size <= 0.0).any():
        return np.empty((0, 3), dtype=np.float32)
    steps = [np.arange(0.5 * spacing, length, spacing) for length in size]
    if sum(2 * len(steps[a]) * len(steps[b]) for a, b in ((0, 1), (1, 2), (2, 0))) > _MOST_DOTS:
        return np.empty((0, 3), dtype=np.float32)
    found = []
    for axis in range(3):
        first, second = (axis + 1) % 3, (axis + 2) % 3
        one, two = (grid.reshape(-1) for grid in np.meshgrid(steps[first], steps[second]))
        for side in (0.0, size[axis]):
            face = np.empty((len(one), 3), dtype=np.float32)
            face[:, axis], face[:, first], face[:, second] = side, one, two
            found.append(face + low)
    return np.concatenate(found).astype(np.float32)  # the graphics card would take float64 for pairs of float32


def _batch(key: tuple[Any, ...], kind: str, make: Any) -> Any:
    from gpu_extras.batch import batch_for_shader

    if key not in _batches:
        if len(_batches) > 256:
            _batches.clear()
        _batches[key] = batch_for_shader(_shader(kind), kind, {"pos": make()})
    return _batches[key]


def _shader(kind: str) -> Any:
    import gpu

    return gpu.shader.from_builtin("POLYLINE_UNIFORM_COLOR" if kind == "LINES" else "UNIFORM_COLOR")


def _stamp(item: Any) -> tuple[Any, ...]:
    bounds = tuple(round(value, 5) for corner in item.bound_box for value in corner)
    data = item.data
    return (item.session_uid, item.mode, len(getattr(data, "vertices", ())), len(getattr(data, "edges", ())), bounds)


def _draw() -> None:
    context = bpy.context
    space, scene = context.space_data, context.scene
    settings = scene.tsubu
    if not space.overlay.show_overlays or not (settings.show_roles or settings.show_spacing):
        return
    import gpu

    gpu.state.blend_set("ALPHA")
    try:
        # Faint through what hides them, then clear where they are seen.
        for depth, alpha in (("NONE", 0.3), ("LESS_EQUAL", 1.0)):
            gpu.state.depth_test_set(depth)
            if settings.show_roles:
                _draw_outlines(context, alpha)
            if settings.show_spacing:
                _draw_dots(context, alpha)
    finally:
        gpu.state.depth_test_set("NONE")
        gpu.state.blend_set("NONE")


def _draw_outlines(context: Any, alpha: float) -> None:
    import gpu

    shader = _shader("LINES")
    depsgraph = context.evaluated_depsgraph_get()
    region = context.region
    for item, role in view.marked(context.scene):
        if not item.visible_get() or item.type not in view.MESHLIKE:
            continue
        batch = _batch(("edges", *_stamp(item)), "LINES", lambda item=item: edge_lines(item, depsgraph))
        with gpu.matrix.push_pop():
            gpu.matrix.multiply_matrix(item.matrix_world)
            shader.bind()
            shader.uniform_float("viewportSize", (region.width, region.height))
            shader.uniform_float("lineWidth", (3.0 if item.select_get() else 2.0) * context.preferences.system.ui_scale)
            shader.uniform_float("color", (*colour_of(role.name), alpha))
            batch.draw(shader)


def _draw_dots(context: Any, alpha: float) -> None:
    import gpu

    item = context.object
    if item is None or item.tsubu.role in ("NONE", "COLLIDER") or item.type not in view.MESHLIKE:
        return
    spacing = view.estimate(context).spacing_seen
    corners = np.array([item.matrix_world @ Vector(corner) for corner in item.bound_box], dtype=np.float64)
    low, high = corners.min(axis=0), corners.max(axis=0)
    key = ("dots", round(spacing, 9), *np.round(low, 6).tolist(), *np.round(high, 6).tolist())
    batch = _batch(key, "POINTS", lambda: spacing_dots(low, high, spacing))
    shader = _shader("POINTS")
    gpu.state.point_size_set(3.0)
    shader.bind()
    shader.uniform_float("color", (*colour_of(item.tsubu.role), alpha))
    batch.draw(shader)


def register() -> None:
    global _handle
    _handle = bpy.types.SpaceView3D.draw_handler_add(_draw, (), "WINDOW", "POST_VIEW")


def unregister() -> None:
    global _handle
    if _handle is not None:
        bpy.types.SpaceView3D.draw_handler_remove(_handle, "WINDOW")
        _handle = None
    _batches.clear()
