"""How marked objects look: what is filled or pours shows as wire and is not rendered, because its water is.

What an object looked like before is kept with it and comes back when it is unmarked, unless the artist changed it since.
"""

from typing import Any

from .properties import COLLIDER, NONE

_BEFORE = "tsubu_look"
_SOURCE = ("WIRE", True)
"""Display type and hidden from renders, of bodies and emitters."""


def dress(item: Any) -> None:
    """Makes `item` look as its role asks for."""
    source = item.tsubu.role not in (NONE, COLLIDER)
    if source and _BEFORE not in item:
        item[_BEFORE] = {"display_type": item.display_type, "hide_render": item.hide_render}
        item.display_type, item.hide_render = _SOURCE
    elif not source and _BEFORE in item:
        before = item[_BEFORE]
        if (item.display_type, item.hide_render) == _SOURCE:
            item.display_type, item.hide_render = before["display_type"], bool(before["hide_render"])
        del item[_BEFORE]
