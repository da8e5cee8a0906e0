"""How quantities, functions and constants are spelled in NumPy, where names of the user's may hide NumPy's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.language.formula_text import ATOM, CONDITIONAL, Piece, literal

PLAIN_NAME = re.compile(r"(\w*%?\w+)[\w.#]*(\[[^\[\]]*\])*(#\d+)?")
MOST_NUMBERS = 4  # of a constant array that is written out
ELSEWHERE = {"scipy": "scipy", "vjp": "gradcli.vjp", "jvp": "gradcli.jvp"}  # what is not NumPy's


class Context(NamedTuple):
    """What a statement says.

    Attributes:
        names: the names in its text.
        conditions: arrays of truth values that it was told, with what it asked.
    """

    names: Collection[str] = ()
    conditions: Sequence[tuple[Any, Piece]] = ()


class Writer:
    """Spells functions and constants: `sum(x, axis=0)`, or `np.sum(sum)` where a name of the user's hides the function.

    Args:
        names: what the quantities are called.
        arrays: arrays of the program by their names, for constants that equal one; without them a constant array that
            is not small is written by its shape.

    Attributes:
        constants: the constant arrays that are written by a name, under that name.
        context: what the statement says that is being written.
    """

    def __init__(self, names: Iterable[str] = (), arrays: Mapping[str, Any] | None = None) -> None:
        self.quantities = set(stems(names))
        self.taken = self.quantities | set(arrays or ())
        self.arrays = arrays
        self.constants: dict[str, Any] = {}
        self.context = Context()

    def reserve(self, names: Iterable[str]) -> None:
        """Keep some names for quantities."""
        self.quantities.update(names)
        self.taken.update(names)

    def function(self, name: str) -> str:
        """A function as it is typed."""
        first = name.partition(".")[0]
        if first not in self.taken:
            return name
        return ELSEWHERE.get(name) or (f"np.{name}" if hasattr(np, first) else f"special.{name}")

    def call(self, name: str, *arguments: Piece | str) -> Piece:
        """`name(a, b)`."""
        texts = (each if isinstance(each, str) else each[0] for each in arguments)
        return f"{self.function(name)}({', '.join(texts)})", ATOM

    def constant(self, value: Any) -> Piece:
        """A number in Python's spelling; a small array as nested lists, another one by its name or its shape."""
        if np.ndim(value) == 0:
            number = value.item() if hasattr(value, "item") else value
            return literal(number) if isinstance(number, (int, float)) else (str(number), ATOM)
        if (piece := self._as_typed(value)) is not None:
            return piece
        if np.size(value) <= MOST_NUMBERS:
            return self.call("array", str(_items(value)))
        if self.arrays is None:
            return f"array({', '.join(map(str, np.shape(value)))})", ATOM
        return self.array(np.asarray(value)), ATOM

    def _as_typed(self, value: Any) -> Piece | None:
        """An array as its statement has it: a condition that was asked, or an array of a variable, also turned."""
        for told, piece in self.context.conditions:
            if _same(told, value):
                return piece
        for name, known in (self.arrays or {}).items():
            if name not in self.context.names or name in self.quantities or not np.ndim(known):
                continue
            for text, each in ((name, known), (f"{name}.T", known.T)):
                if _same(each, value) and (name not in self.constants or _same(self.constants[name], known)):
                    self.constants[name] = np.array(known)
                    return text, ATOM
        return None

    def array(self, value: Any) -> str:
        """The name of a constant array: the program's own, where nothing else is called by it."""
        ours = (name for name, known in self.constants.items() if _same(known, value))
        free = ((name, known) for name, known in (self.arrays or {}).items() if name not in self.quantities)
        theirs = (name for name, known in free if _same(known, value))
        name = next(ours, None) or next(theirs, None) or f"%c{1 + sum(n.startswith('%c') for n in self.constants)}"
        if name not in self.constants:
            self.constants[name] = np.array(value)
        return name

    def key(self, place: Any) -> str:
        """A subscript in Python's spelling."""
        if isinstance(place, tuple):
            return ", ".join(self.key(list(part) if isinstance(part, tuple) else part) for part in place) or "()"
        if isinstance(place, slice):
            bounds = ["" if bound is None else str(bound) for bound in (place.start, place.stop)]
            return ":".join([*bounds, str(place.step)] if place.step is not None else bounds)
        if place is Ellipsis or place is None:
            return "..." if place is Ellipsis else "None"
        if type(place) is np.ndarray and np.ndim(place) and (piece := self._as_typed(place)) is not None:
            return piece[0]
        if np.ndim(place) and np.size(place) <= MOST_NUMBERS:
            return str(_items(place))
        return self.constant(place)[0]


def _items(value: Any) -> Any:
    """An array, maybe of a device, as nested lists."""
    return value.tolist() if hasattr(value, "tolist") else list(value)


def stems(names: Iterable[str]) -> Iterator[str]:
    """What names begin with, up to a number, a place or a field; a formula is none."""
    for name in names:
        if found := PLAIN_NAME.fullmatch(name):
            yield found[1]


def _same(one: Any, other: Any) -> bool:
    """Whether two arrays hold the same numbers of the same kind."""
    if one is other:
        return True
    kind = one.dtype.kind
    return kind == other.dtype.kind and one.shape == other.shape and np.array_equal(one, other, equal_nan=kind in "fc")


def named(name: str) -> Piece:
    """A name; what is more than a name binds no tighter than a choice does."""
    return name, ATOM if PLAIN_NAME.fullmatch(name) or is_call(name) else CONDITIONAL


def is_call(text: str) -> bool:
    """Whether a text is one call, such as `mean(x)`, whose bracket closes at its end and nowhere before."""
    head, _, rest = text.partition("(")
    depth = 1
    for place, sign in enumerate(rest):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return head.isidentifier() and place == len(rest) - 1
    return False
