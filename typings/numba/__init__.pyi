"""numba rewrites the functions it is given: their Python signatures say nothing to a type checker."""

from typing import Any

def __getattr__(name: str) -> Any: ...
