"""Nested structures of numbers: lists, tuples, dicts and dataclasses, flattened and rebuilt.

None is an empty subtree, as in JAX: it is not a leaf, and it is preserved.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from gradcli.errors import NestedError

CONTAINERS = (list, tuple, dict)


class WholeNumber(int):
    """A count or an index beside the numbers of a point: like None, it is no leaf, and it is preserved."""

    def to_write_into(self) -> int:
        """The integer that a recorded program receives."""
        return int(self)


def fields(structure: Any) -> Iterator[str]:
    """The fields of a dataclass that hold numbers: all except those declared `field(metadata={"static": True})`."""
    import dataclasses

    return (field.name for field in dataclasses.fields(structure) if not field.metadata.get("static"))


def is_structure(x: Any) -> bool:
    """Whether `x` is a container: a list, tuple, dict, or an instance of a dataclass."""
    kind = type(x)  # not `isinstance`, which looks for the class that a recorded value pretends to be
    return issubclass(kind, CONTAINERS) or hasattr(kind, "__dataclass_fields__")


def shallow_copy(x: Any) -> Any:
    """`copy.copy`, which is imported for rare types only, since it looks in all folders for a module of Jython."""
    if type(x) in (list, dict, set):
        return x.copy()
    import copy

    return copy.copy(x)


def map_leaves(function: Callable[[Any], Any], structure: Any) -> Any:
    """Apply `function` to each leaf of `structure` and return the results in the same structure.

    Raises:
        NestedError: a list, tuple or dictionary holds itself.
    """
    kind = type(structure)
    try:
        if kind is list:
            return [function(item) if type(item) is float else map_leaves(function, item) for item in structure]
        if kind is dict:
            return {key: map_leaves(function, item) for key, item in structure.items()}
        if kind is tuple:
            return tuple(map_leaves(function, item) for item in structure)
    except NestedError:
        raise
    except RecursionError:
        message = f"A {kind.__name__} holds itself, or is nested too deeply."
        raise NestedError(message, hint="Give lists, tuples or dictionaries of numbers and arrays.") from None
    if issubclass(kind, tuple):  # a named tuple
        return kind(*(map_leaves(function, item) for item in structure))
    if issubclass(kind, dict):  # copied, so that an OrderedDict or a defaultdict keeps its kind
        mapped = shallow_copy(structure)
        mapped.update({key: map_leaves(function, item) for key, item in structure.items()})
        return mapped
    if hasattr(kind, "__dataclass_fields__"):
        mapped = shallow_copy(structure)
        for name in fields(structure):  # bypasses a frozen class, and the checks of `__post_init__`
            object.__setattr__(mapped, name, map_leaves(function, getattr(structure, name)))
        return mapped
    return structure if structure is None or kind is WholeNumber else function(structure)


def leaves(structure: Any) -> list[Any]:
    """The numbers and arrays of `structure`, in order."""
    flat: list[Any] = []
    map_leaves(flat.append, structure)
    return flat


def labelled(name: str, structure: Any) -> Iterator[tuple[str, Any]]:
    """The numbers and arrays of a structure with their names, omitting None."""
    if structure is None or type(structure) is WholeNumber:
        return
    if isinstance(structure, dict):
        for key, item in structure.items():
            yield from labelled(f"{name}.{key}", item)
    elif is_structure(structure) and not isinstance(structure, (list, tuple)):
        for field in fields(structure):
            yield from labelled(f"{name}.{field}", getattr(structure, field))
    elif isinstance(structure, (list, tuple)):
        for n, item in enumerate(structure):
            yield from labelled(f"{name}[{n}]", item)
    else:
        yield name, structure


def all_finite(structure: Any) -> bool:
    """Whether every number of a structure is finite."""
    return all(math.isfinite(x) if type(x) is float else _is_finite(x) for x in leaves(structure))


def _is_finite(x: Any) -> bool:
    import numpy as np

    numbers = np.asarray(x)
    return bool(np.isfinite(numbers.astype(float) if numbers.dtype.kind == "O" else numbers).all())


def record_value(structure: Any) -> Any:
    """A value as records hold it: plain Python numbers in nested lists, with dataclasses as dictionaries."""
    if type(structure) is float:
        return structure
    if is_structure(structure) and not isinstance(structure, CONTAINERS):
        return {name: record_value(getattr(structure, name)) for name in fields(structure)}
    if isinstance(structure, dict):
        return {key: record_value(item) for key, item in structure.items()}
    if isinstance(structure, (list, tuple)):
        return (
            type(structure)(map(record_value, structure))
            if type(structure) in CONTAINERS
            else [*map(record_value, structure)]
        )
    return structure.tolist() if hasattr(structure, "tolist") else structure


def leaves_like(structure: Any, other: Any) -> list[Any] | None:
    """The leaves of `other` in the order of those of `structure`, dicts matched by key; None if the
    structures differ.
    """
    if structure is None:
        return [] if other is None else None
    if not is_structure(structure) or not is_structure(other):
        return None if is_structure(structure) or is_structure(other) else [other]
    parts, others = _parts(structure), _parts(other)
    if parts.keys() != others.keys():
        return None
    ordered: list[Any] = []
    for key, part in parts.items():
        if type(part) is type(others[key]) is float:
            ordered.append(others[key])
        elif (below := leaves_like(part, others[key])) is None:
            return None
        else:
            ordered += below
    return ordered


def as_typed(structure: Any, leaf_text: Callable[[Any], str], space: str = " ") -> str:
    """Lists and mappings as they are typed in a point: `[1.0, 2.0]`, `{"a": 1.0}`.

    Args:
        structure: the structure; a tuple is typed as a list, and None is a leaf.
        leaf_text: the text of a leaf.
        space: the text after a comma or colon.
    """
    if isinstance(structure, Mapping):
        items = [f"{key_as_typed(key)}:{space}{as_typed(item, leaf_text, space)}" for key, item in structure.items()]
        return "{" + f",{space}".join(items) + "}"
    if isinstance(structure, (list, tuple)):
        return "[" + f",{space}".join(as_typed(item, leaf_text, space) for item in structure) + "]"
    return leaf_text(structure)


def value_text(value: Any, most: int = 8) -> str:
    """A value, an array of at most `most` elements as a list, or the shape of a larger one."""
    shape = getattr(value, "shape", ())
    if not shape:
        return str(value.tolist() if hasattr(value, "tolist") else value)
    return str(value.tolist()) if math.prod(shape) <= most else f"an array of shape {shape}"


def point_text(point: Mapping[str, Any], longest: int = 120) -> str:
    """A point as it would be typed; the text of a long value is cut."""
    texts = [f"{name}={as_typed(value, value_text)}" for name, value in point.items()]
    return ", ".join(text if len(text) <= longest else f"{text[: longest - 1]}…" for text in texts)


def key_as_typed(key: str) -> str:
    """A key in quotes, as in JSON; signs that cannot be printed are escaped."""
    import json

    signs = (json.dumps(sign, ensure_ascii=not sign.isprintable())[1:-1] for sign in key)
    return f'"{"".join(signs)}"'


def _parts(structure: Any) -> dict[Any, Any]:
    if isinstance(structure, dict):
        return dict(structure)
    if isinstance(structure, (list, tuple)):
        return dict(enumerate(structure))
    return {name: getattr(structure, name) for name in fields(structure)}
