"""The spelling of quantities, functions and constants in NumPy, where the user's names may hide NumPy's own."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from gradcli.mathematics.language.formula_text import ATOM, CONDITIONAL, Piece, literal
from gradcli.shared import devices

PLAIN_NAME = re.compile(r"(\w*%?\w+)(?:[\w.#]|\[[^\[\]]*\])*")
WORD = re.compile(r"[^\W\d]\w*")
MOST_NUMBERS = 4  # elements of the largest constant array that is written out
LONGEST_NUMBER = 10  # characters of a number that is written out
ELSEWHERE = {"scipy": "scipy", "vjp": "gradcli.vjp", "jvp": "gradcli.jvp"}  # names that are not NumPy's


class ConstantText(NamedTuple):
    """A constant as a statement writes it.

    Attributes:
        value: its value.
        piece: its text.
        variables: the plain variables in the text, with their values.
    """

    value: Any
    piece: Piece
    variables: Mapping[str, Any] = MappingProxyType({})


class StatementContext(NamedTuple):
    """The context in which a statement is written.

    Attributes:
        names: the names in the source of the statement.
        constants: the constants of the statement that have a text: its conditions, variables and parts.
        literals: the numbers that it writes out.
    """

    names: Collection[str] = ()
    constants: Sequence[ConstantText] = ()
    literals: Collection[float] = ()


class Writer:
    """Writes functions and constants: `sum(x, axis=0)`, or `np.sum(sum)` if a user's name hides the function.

    First all names are given or reserved, then texts are written. Before the text of a statement, its explanation sets
    `context` to that of the statement (`StatementContexts.of`); what writes another statement's text in between puts it
    back. A question about an outcome is written in an empty context.

    Args:
        names: the names of the quantities.
        arrays: the program's arrays by name, for constants that equal one of them; without them, a large constant array
            is written as its shape.
        names_numbers: whether a number with many digits is written as a name.

    Attributes:
        quantities: the names of the quantities, without subscripts; a constant is never written as one of them.
        taken: these and the names of arrays, which hide functions, and which a new variable must not have.
        arrays: the argument of this name.
        constants: the constant arrays that are written as a name, by that name; they grow as texts are written.
        context: the context of the statement being written, set by others as described above.
        emitter: writes the formula language; made and put here by `node_formulas.emitter` on first use. `reserve`
            drops it, since it spells functions as they were spelt when it was made.
    """

    def __init__(
        self, names: Iterable[str] = (), arrays: Mapping[str, Any] | None = None, *, names_numbers: bool = False
    ) -> None:
        self.quantities = set(stems(names))
        self.taken = self.quantities | set(arrays or ())
        self.arrays = arrays
        self._names_numbers = names_numbers
        self.constants: dict[str, Any] = {}
        self._names: dict[Any, str] = {}  # by value
        self._numbers = count(1)
        self.context = StatementContext()
        self.emitter: Any = None

    def reserve(self, names: Iterable[str]) -> None:
        """Reserve names for quantities."""
        self.quantities.update(names)
        self.taken.update(names)
        self.emitter = None

    def function(self, name: str) -> str:
        """The name of a function as it has to be typed."""
        first = name.partition(".")[0]
        if first not in self.taken:
            return name
        return ELSEWHERE.get(name) or (f"np.{name}" if hasattr(np, first) else f"special.{name}")

    def call(self, name: str, *arguments: Piece | str) -> Piece:
        """The text `name(a, b)`."""
        texts = (argument if isinstance(argument, str) else argument[0] for argument in arguments)
        return f"{self.function(name)}({', '.join(texts)})", ATOM

    def constant(self, value: Any) -> Piece:
        """The text of a constant: as its statement writes it, a number, a small array as nested lists, or a name."""
        if (piece := self.as_written(value)) is not None:
            return piece
        if type(value) is float or np.ndim(value) == 0:
            return self._number(value.item() if hasattr(value, "item") else value)
        if np.size(value) <= MOST_NUMBERS:
            return self.call("array", str(_items(value)))
        if self.arrays is None:
            return f"array({', '.join(map(str, np.shape(value)))})", ATOM
        return self.array(np.asarray(value)), ATOM

    def _number(self, number: Any) -> Piece:
        """A number; one with many digits by a name, unless its statement writes it out."""
        if not isinstance(number, (int, float)):
            return str(number), ATOM
        piece = literal(number)
        is_long = self._names_numbers and self.context.names and len(piece[0]) > LONGEST_NUMBER
        return (self.array(number), ATOM) if is_long and abs(number) not in self.context.literals else piece

    def as_written(self, value: Any) -> Piece | None:
        """A constant as its statement writes it: a condition, a variable, a part such as `h / 6`, or an array's `.T`.

        None if the statement has no text for it.
        """
        if type(value) is float and not self.context.constants:
            return None
        value = devices.to_host(value)
        is_real = isinstance(value, (int, float, np.integer, np.floating, np.bool_, np.ndarray))
        if np.ndim(value) == 0 and (not is_real or np.iscomplexobj(value) or abs(value) in self.context.literals):
            return None
        for known, piece, variables in self.context.constants:
            if _same(known, value) and self._are_free(variables):
                self._note(variables)
                return piece
        for name, known in (self.arrays or {}).items():
            is_turned = name in self.context.names and name not in self.quantities and np.ndim(known) > 1
            if is_turned and _same(known.T, value) and self._are_free({name: known}):
                self._note({name: known})
                return f"{name}.T", ATOM
        return None

    def mention(self, text: str) -> None:
        """Note the plain variables in a text that is written as it stands in the statement."""
        words = set(WORD.findall(text))
        for _, (name, _), variables in self.context.constants:
            if name in words and self._are_free(variables):
                self._note(variables)

    def _are_free(self, variables: Mapping[str, Any]) -> bool:
        """Whether no other constant has one of these names."""
        return all(name not in self.constants or _same(self.constants[name], x) for name, x in variables.items())

    def array(self, value: Any) -> str:
        """The name of a constant: the program's own if nothing else has it."""
        if (by_value := _hashable(value)) not in self._names:
            free = ((name, known) for name, known in (self.arrays or {}).items() if name not in self.quantities)
            theirs = (name for name, known in free if _same(known, value))
            self._note({next(theirs, None) or f"%c{next(self._numbers)}": value})
        return self._names[by_value]

    def _note(self, named: Mapping[str, Any]) -> None:
        """Note the constants that a text names; later writes into their arrays do not change them."""
        for name, value in named.items():
            if name not in self.constants:
                self.constants[name] = np.array(value) if np.ndim(value) else value
            self._names.setdefault(_hashable(value), name)

    def key(self, place: Any) -> str:
        """The text of a subscript."""
        if isinstance(place, tuple):
            return ", ".join(self.key(list(part) if isinstance(part, tuple) else part) for part in place) or "()"
        if isinstance(place, slice):
            bounds = ["" if bound is None else str(bound) for bound in (place.start, place.stop)]
            return ":".join([*bounds, str(place.step)] if place.step is not None else bounds)
        if place is Ellipsis or place is None:
            return "..." if place is Ellipsis else "None"
        if type(place) is np.ndarray and np.ndim(place) and (piece := self.as_written(place)) is not None:
            return piece[0]
        if np.ndim(place) and np.size(place) <= MOST_NUMBERS:
            return str(_items(place))
        return self.constant(place)[0]


def _items(value: Any) -> Any:
    """An array, possibly on a device, as nested lists."""
    return value.tolist() if hasattr(value, "tolist") else list(value)


def stems(names: Iterable[str]) -> Iterator[str]:
    """The leading identifiers of names, without numbers, subscripts and fields; formulas and `%7` have none."""
    for name in names:
        if not name.startswith("%") and (match := PLAIN_NAME.fullmatch(name)):
            yield match[1]


def _same(one: Any, other: Any) -> bool:
    """Whether two constants have the same shape and numbers, and arrays the same kind."""
    if one is other:
        return True
    if np.shape(one) != np.shape(other):
        return False
    if not np.ndim(one):
        return bool(one == other)
    kind = one.dtype.kind
    return bool(kind == other.dtype.kind and np.array_equal(one, other, equal_nan=kind in "fc"))


def _hashable(value: Any) -> Any:
    """A constant as a key of a dictionary."""
    if np.ndim(value):
        return np.shape(value), value.dtype.str, value.tobytes()
    return value.item() if hasattr(value, "item") else value


@lru_cache(maxsize=1024)
def name_text(name: str) -> Piece:
    """The text of a name; a formula gets the weakest binding."""
    return name, ATOM if PLAIN_NAME.fullmatch(name) or is_call(name) else CONDITIONAL


def is_call(text: str) -> bool:
    """Whether a text is a single call such as `mean(x)`, whose bracket closes at its end."""
    head, _, rest = text.partition("(")
    depth = 1
    for place, sign in enumerate(rest):
        depth += (sign == "(") - (sign == ")")
        if not depth:
            return all(map(str.isidentifier, head.split("."))) and place == len(rest) - 1
    return False


class Symbols:
    """Names made from those of the quantities: `s_cd` for `t_cd`, `s_x` for `x`, `s_(x^2)` for a formula.

    If another quantity, or its sensitivity, already has the name, a further underscore is added, or the prefix `t_` is
    kept: the sensitivities to `a`, `s_a` and `t_a` are `s__a`, `s_s_a` and `s_t_a`.

    Args:
        letter: `s` for sensitivities, `d` for tangents.
        names: the names of the quantities.
    """

    def __init__(self, letter: str, names: Iterable[str]) -> None:
        self.letter = letter
        theirs = list(dict.fromkeys(stems(names)))
        self.stems: dict[str, str] = {}
        taken = set(theirs)
        for stem in sorted(theirs, key=_is_prefixed):  # names that lose their prefix come last
            self.stems[stem] = name = next(name for name in self._candidates(stem) if name not in taken)
            taken.add(name)

    def _candidates(self, stem: str) -> Iterable[str]:
        if _is_prefixed(stem):
            yield f"{self.letter}_{stem[2:]}"
        for underscores in range(1, 100):
            yield self.letter + "_" * underscores + stem

    def of(self, name: str) -> str:
        """The name of the sensitivity to a quantity, or of its tangent."""
        match = PLAIN_NAME.fullmatch(name)
        if match is None:
            return f"{self.letter}_({name})"
        return self.stems.get(match[1], f"{self.letter}_{match[1]}") + name[match.end(1) :]


def _is_prefixed(stem: str) -> bool:
    return stem.startswith("t_") and len(stem) > 2
