"""The body kinds. A new one is a file in this folder, a line in `MATERIALS`, and a one-element test."""

from .registry import MATERIALS, Material, find

__all__ = ["MATERIALS", "Material", "find"]
