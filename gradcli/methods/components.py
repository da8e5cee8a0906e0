"""The numbers of a point one by one: their names, their values, and the point put together again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.tape.structure import map_leaves


@dataclass(frozen=True)
class Component:
    """One number of a point: `x`, `x[0]`, `w[2,1]`, `params.b`.

    Attributes:
        name: as the user would write it.
        leaf: which number or array of the point it is in, counted in order.
        place: where in the array; empty for a number.
        value: the number itself.
    """

    name: str
    leaf: int
    place: tuple[int, ...]
    value: float


def components(point: Mapping[str, Any], wanted: Sequence[str] | None = None) -> list[Component]:
    """Every number of the inputs `wanted` of `point`, in order; all inputs by default."""
    found: list[Component] = []
    leaf = 0
    for name, structure in point.items():
        for label, value in labelled(name, structure):
            if wanted is None or name in wanted:
                found += [Component(label + subscript(place), leaf, place, float(np.asarray(value)[place])) for place in np.ndindex(np.shape(value))]
            leaf += 1
    return found


def labelled(name: str, structure: Any) -> Iterator[tuple[str, Any]]:
    """The numbers and arrays of a structure with their names."""
    if isinstance(structure, dict):
        for key, item in structure.items():
            yield from labelled(f"{name}.{key}", item)
    elif isinstance(structure, (list, tuple)):
        for n, item in enumerate(structure):
            yield from labelled(f"{name}[{n}]", item)
    else:
        yield name, structure


def subscript(place: tuple[int, ...]) -> str:
    """`[2,1]`, or nothing for a number."""
    return f"[{','.join(map(str, place))}]" if place else ""


def pick(leaves: Sequence[Any], component: Component) -> float:
    """The number of `component` among the leaves of a gradient that has the structure of the point."""
    return float(np.asarray(leaves[component.leaf])[component.place])


def moved(point: Mapping[str, Any], component: Component, value: float) -> list[Any]:
    """The arguments at the point with one number replaced; arrays are copies."""
    count = iter(range(1_000_000_000))

    def move(leaf: Any) -> Any:
        if next(count) != component.leaf:
            return leaf.copy() if isinstance(leaf, np.ndarray) else leaf
        if not component.place and not isinstance(leaf, np.ndarray):
            return type(leaf)(value)
        changed = leaf.copy()
        changed[component.place] = value
        return changed

    return [map_leaves(move, structure) for structure in point.values()]
