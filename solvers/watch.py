"""How long work hears that it should stop, and tells how far it is."""

from typing import Protocol


class Watch(Protocol):
    """Given to everything that may take more than a fraction of a second."""

    def poll(self) -> None:
        """Call often (several times a second): raises `Cancelled` if the user asked to stop."""
        ...

    def report(self, *, phase: str, done: float = 0.0, particles: int = 0, message: str = "") -> None:
        """Tell the phase (preparing, compiling, simulating, surfacing) and the part of the frame done, 0 to 1."""
        ...


class Silent:
    """A watch that never stops and tells nobody: for scripts and tests."""

    def poll(self) -> None:
        return None

    def report(self, *, phase: str, done: float = 0.0, particles: int = 0, message: str = "") -> None:
        return None
