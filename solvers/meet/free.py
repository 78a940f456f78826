"""Free rigid bodies at the table: matter that moves as one.

A body is filled with sample points that carry its mass and volume. They meet other kinds like any particles; the impulses
they get add up to a force and a moment on the body.
"""

import numpy as np

from ..errors import InvalidScene
from ..mesh.fill import fill
from ..rigid import RigidBodies
from ..scene import Collider
from ..walls.motion import rotation_matrix
from .matter import Matter

_THINNEST = 4
"""Sample points that a body needs to be felt at all."""


class FreeMatter:
    """The sample points of all free bodies of a scene."""

    def __init__(self, bodies: RigidBodies, colliders: tuple[Collider, ...], spacing: float) -> None:
        self.bodies = bodies
        self.spacing = spacing
        self.total = np.array([shape.mass for shape in bodies.shapes])
        """Mass of each body [kg]."""
        rest, group, volume = [], [], []
        for index, shape in enumerate(bodies.shapes):
            collider = colliders[shape.number]
            vertices = collider.mesh.at(0)
            if collider.motion is not None:
                vertices = vertices @ collider.motion[0][:3, :3].T + collider.motion[0][:3, 3]
            points = fill(vertices, collider.mesh.triangles, spacing, owner=collider.name)
            if len(points) < _THINNEST:
                raise InvalidScene(
                    f"Collider {collider.name}: it is Free, but too small or too thin to be felt with particles {spacing:g} m "
                    "apart. Make the particle spacing smaller or the object larger."
                )
            rest.append(points - shape.centre)
            group.append(np.full(len(points), index))
            volume.append(np.full(len(points), spacing**3))
        self._rest, self.group, self._volume = np.concatenate(rest), np.concatenate(group), np.concatenate(volume)
        self._share = self.total[self.group] / np.bincount(self.group)[self.group]

    def matter(self) -> Matter:
        """The points where the bodies are now, with the bodies' velocities."""
        state = self.bodies.state
        turned = np.empty_like(self._rest)
        velocity = np.empty_like(self._rest)
        for index in range(len(self.bodies)):
            own = self.group == index
            turned[own] = self._rest[own] @ rotation_matrix(state[index, 3:7]).T
            velocity[own] = state[index, 7:10] + np.cross(self.bodies.spin(index), turned[own])
        place = turned + state[self.group, 0:3]
        return Matter(
            np.ascontiguousarray(place.T), np.ascontiguousarray(velocity.T), self._share.copy(), self._volume, self.spacing
        )

    def absorb(self, matter: Matter, before: np.ndarray) -> None:
        """Give the bodies the impulses of their points, whose velocities were `before` (3, n)."""
        impulse = ((matter.velocity - before) * matter.mass).T
        arm = matter.position.T - self.bodies.state[self.group, 0:3]
        moment = np.cross(arm, impulse)
        for index in range(len(self.bodies)):
            own = self.group == index
            self.bodies.push(index, impulse[own].sum(axis=0), moment[own].sum(axis=0))
