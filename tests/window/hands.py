"""Hands for a real window: finds Tsubu's buttons where they are drawn, and presses them with mouse and keys.

`gui` is what real windows are driven by (see README.md): pixels, clicks, keys, pictures. A button is found by what Blender
itself tells: Ctrl C above it copies the Python of its operator, Ctrl Shift Alt C the whole path of its value.
"""

import importlib
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import bpy

MODULE = "bl_ext.user_default.tsubu"
PLACE = Path(__file__).resolve().parents[2] / "dist" / "window"
"""Where the zip lies and the pictures go."""
BLEND = Path(bpy.app.tempdir) / "shot.blend"
OPERATOR, VALUE = "ctrl+c", "ctrl+shift+alt+c"
Wait = Generator[Any, None, Any]
_ROW = 14
"""Pixels between two places that are felt for a button."""
_NOTHING = "nothing under the pointer"


def install(package: str) -> None:
    """Installs the zip as Preferences › Install from Disk does."""
    bpy.ops.extensions.package_install_files(filepath=package, repo="user_default", enable_on_install=True, overwrite=True)


def unfold() -> None:
    """Opens Tsubu's panels that are closed at first, so that all buttons are on the screen."""
    panels: Any = importlib.import_module(f"{MODULE}.panels.sidebar")
    for item in reversed(panels.CLASSES):
        bpy.utils.unregister_class(item)
    for item in panels.CLASSES:
        item.bl_options = set()
        bpy.utils.register_class(item)


def add_box(name: str, low: tuple[float, ...], high: tuple[float, ...], role: str = "") -> Any:
    """A box in the scene; marked if there is a role."""
    bpy.ops.mesh.primitive_cube_add(size=1.0, location=[(a + b) / 2.0 for a, b in zip(low, high, strict=True)])
    item: Any = bpy.context.object
    item.name, item.scale = name, [b - a for a, b in zip(low, high, strict=True)]
    if role:
        bpy.ops.tsubu.mark(role=role)
    return item


class Hands:
    """One pair of hands in one window. Everything that waits is a generator: `yield from` it."""

    def __init__(self, gui: Any, pictures: Path) -> None:
        self.gui = gui
        self.pictures = pictures
        pictures.mkdir(parents=True, exist_ok=True)
        self.last = 0
        """Height at which the last button was: the next one is often near."""
        self._known: dict[tuple[str, str, float], tuple[int, int]] = {}

    def note(self, text: str) -> None:
        print(f"window: {text}", flush=True)

    def picture(self, name: str, whole: bool = False) -> Wait:
        """The sidebar, or the whole window, as it is on the screen."""
        for _ in range(6):  # panels slide to their places
            self.gui.redraw()
            yield 0.1
        yield from self.gui.settle(5.0)
        self.grab_panel(name, whole)

    def grab_panel(self, name: str, whole: bool = False) -> None:
        """The same at once, while something is moving."""
        left, top, width, height = self.gui.box(self.gui.region("UI"))
        self.gui.grab(str(self.pictures / f"{name}.png"), None if whole else f"{width}x{height}+{left}+{top}")

    def at_rest(self) -> Wait:
        """The pointer in the middle of the 3-D view."""
        left, top, width, height = self.gui.box(self.gui.region("WINDOW"))
        yield from self.gui.move(left + width // 3, top + height // 2)

    def come_back(self) -> Wait:
        """Keys go to the main window again after another one was closed; without a window manager nobody sees to that."""
        self.gui.xdo("search", "--onlyvisible", "--class", "blender", "windowfocus", "%1")
        yield from self.gui.idle()
        yield from self.gui.key("Escape")  # a warning that popped up
        yield from self.at_rest()

    def _under(self, x: int, y: int, keys: str) -> Wait:
        manager = bpy.context.window_manager
        manager.clipboard = _NOTHING
        self.gui.xdo("mousemove", x - 1, y)
        yield 0.02
        self.gui.xdo("mousemove", x, y)
        yield from self.gui.idle(0.8)
        self.gui.xdo("key", keys)
        yield from self.gui.idle(0.8)
        return "" if manager.clipboard == _NOTHING else manager.clipboard

    def find(self, words: str, across: float = 0.5, keys: str = OPERATOR) -> Wait:
        """Where the button is whose Python holds `words`, (x, y); `across`: place along the width of the sidebar."""
        if (words, keys, across) in self._known:
            x, y = self._known[words, keys, across]
            if words in (yield from self._under(x, y, keys)):
                return x, y
        left, top, width, height = self.gui.box(self.gui.region("UI"))
        x, seen = left + int((width - 24) * across), []
        for y in sorted(range(top + 40, top + height - 4, _ROW), key=lambda y: abs(y - self.last)):
            found = yield from self._under(x, y, keys)
            if words in found:
                self.last = y
                self._known[words, keys, across] = x, y + 3
                return x, y + 3
            if found and found not in seen:
                seen.append(found)
        raise LookupError(f"No button with {words!r} in the sidebar; there are {seen}")

    def press(self, words: str, across: float = 0.5, keys: str = OPERATOR) -> Wait:
        """Finds a button and clicks on it."""
        x, y = yield from self.find(words, across, keys)
        yield from self.gui.click(x, y)
        yield 0.2

    @property
    def row(self) -> int:
        """Pixels from one row of a panel to the next."""
        return round(23 * bpy.context.preferences.system.ui_scale)

    def below(self, words: str, across: float) -> Wait:
        """The button below the fields, one under another, that belong to one value."""
        x, y = yield from self.find(words, across, VALUE)
        while words in (yield from self._under(x, y + 6, VALUE)):
            y += 6
        return x, y + round(0.8 * self.row)

    def choose_in_menu(self, x: int, y: int, letter: str, picture: str) -> Wait:
        """Opens the menu at a place and types the letter that is underlined in the wanted entry."""
        yield from self.gui.click(x, y)
        yield 0.4
        yield from self.picture(picture, whole=True)
        yield from self.gui.type(letter)
        yield from self.at_rest()

    def fill_in(self, words: str, text: str, across: float = 0.7) -> Wait:
        """Types into the field of a value."""
        x, y = yield from self.find(words, across, VALUE)
        yield from self.gui.click(x, y, times=2)
        yield from self.gui.key("ctrl+a")
        yield from self.gui.type(text)
        yield from self.gui.key("Return")

    def reached(self, what: Callable[[], Any], seconds: float, name: str) -> Wait:
        """Waits until something is so; raises after a while."""
        waited = 0.0
        while not what():
            yield 0.25
            waited += 0.25
            if waited > seconds:
                raise TimeoutError(f"{name}: not after {seconds:g} s")
        self.note(name)

    def expect(self, so: Any, name: str) -> None:
        """Notes what is as it should be, raises for what is not."""
        if not so:
            raise AssertionError(name)
        self.note(name)
