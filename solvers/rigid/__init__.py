"""Free rigid bodies: colliders that grains, walls and each other push.

`bodies` carries them, `surface_points` says where they can touch, `contacts` finds where they do, `impulses` keeps them
apart.
"""

from .bodies import RigidBodies, mass_properties

__all__ = ["RigidBodies", "mass_properties"]
