"""Who is simulated together: sources of a kind share a solver and its files, unless they cannot be mixed."""

from collections.abc import Hashable, Iterable
from typing import Any

from .errors import InvalidScene
from .materials import registry
from .scene import Body, Emitter, Scene

Source = Body | Emitter


def sources_of(scene: Scene) -> tuple[Source, ...]:
    """Everything that is or becomes particles, in the order of the scene."""
    return (*scene.bodies, *scene.emitters)


def params_of(source: Source) -> Any:
    """Its material's settings, the kind's defaults if it has none of its own."""
    params = source.params if isinstance(source, Body) else source.material
    return registry.find(source.kind, source.name).params() if params is None else params


def groups_of(sources: Iterable[Source]) -> dict[str, list[Source]]:
    """Sources by solver: the first of a kind is called like the kind, one that cannot be mixed with it "kind 2", and so on."""
    names: dict[tuple[str, Hashable], str] = {}
    groups: dict[str, list[Source]] = {}
    for source in sources:
        mark = source.kind, registry.find(source.kind, source.name).apart(params_of(source))
        if mark not in names:
            before = sum(kind == source.kind for kind, _ in names)
            names[mark] = f"{source.kind} {before + 1}" if before else source.kind
        groups.setdefault(names[mark], []).append(source)
    return groups


def outputs_of(sources: Iterable[Source]) -> dict[str, str]:
    """Source → the series of files it is written to: its own choice, the kind's shared one, or its name.

    A second liquid is written beside the first, under the name of the first of its sources.
    """
    found: dict[str, str] = {}
    owner: dict[str, tuple[str, str]] = {}
    for group, members in groups_of(sources).items():
        for source in members:
            material = registry.find(source.kind, source.name)
            shared = material.label if group == source.kind else members[0].name
            output = source.output or (shared if material.shared_surface else source.name)
            other, known = owner.setdefault(output, (source.name, group))
            if known != group and known.split()[0] == source.kind:
                raise InvalidScene(
                    f"{source.name}: it is another liquid than {other} and cannot share the output {output!r}. Give one of them "
                    "an Output of its own, or both the same settings."
                )
            found[source.name] = output
    return found
