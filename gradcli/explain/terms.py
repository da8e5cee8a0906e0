"""What a row passes back, as text: the partial with the user's names put in, times the sensitivity that comes in.

The texts are written from the very rules that computed the numbers.  Where a partial chooses by a condition that is
settled at the point, the side that was taken is written; factors of 1 are left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from gradcli.explain.formulas import PLAIN_NAME, POW, WRITTEN, arrays, bracketed, call, constant, key
from gradcli.language.emit import ATOM, CONDITIONAL, PRODUCT, SIGN, SUM, Inline, Piece, left, literal
from gradcli.language.syntax import Apply, Name, Number, Syntax, fold
from gradcli.language.vocabulary import CONSTANTS
from gradcli.rules.elementwise import POWERS
from gradcli.rules.indexing import within
from gradcli.rules.table import IEEE_FUNCTIONS, Elementwise, array_functions
from gradcli.tape.tape import CONSTANT, Row

ONE: Piece = ("1", ATOM)

TIMES = left("*", PRODUCT)
PLUS = left("+", SUM)
OVER = left("/", PRODUCT)
MINUS = Inline("-{0}", SIGN, (SIGN,))
MATRIX_PRODUCT = left("@", PRODUCT)


class Part(NamedTuple):
    """A part of a partial: its text, its value at the point, and whether it is a number that was written out."""

    text: Piece
    value: Any
    plain: bool = False


def passed(row: Row, position: int, ct: Piece, operands: Sequence[Piece], v: Piece) -> Piece | None:
    """What a row adds to the sensitivity of its argument number `position`, when its own is `ct`.

    None for an argument that was not taken: it gets exactly nothing.  The sensitivity on a complex number is the
    conjugate of the derivative by it, so that what a complex partial passes back is multiplied by its conjugate.
    """
    rule = row[0].rule
    if rule is None or isinstance(rule, Elementwise):
        piece = scaled(row, position, ct, operands, v, back=True)
    else:
        piece = through(rule.name, position, ct, operands, row)
    if piece is None or not is_complex(row[1]) or is_complex(row[3 + 2 * position]):
        return piece
    return call("real", [piece]), ATOM


def scaled(
    row: Row, position: int, other: Piece, operands: Sequence[Piece], v: Piece, *, back: bool = False
) -> Piece | None:
    """The partial of a row by an argument times a sensitivity, or times a tangent; None where it was not taken."""
    rule = row[0].rule
    if rule is None:  # an alias
        return other
    factor = partial(row, position, operands, v)
    if back and is_complex(factor.value):
        factor = _conjugate(factor)
    return None if rule.selects and factor.plain and not factor.value else times(factor, other)


def is_complex(value: Any) -> bool:
    """Whether a number or an array is complex."""
    return bool(np.iscomplexobj(value))


def _conjugate(part: Part) -> Part:
    value = np.conj(part.value)
    text = constant(_short(value)) if part.plain else (call("conj", [part.text]), ATOM)
    return part._replace(text=text, value=value)


def times(factor: Part, ct: Piece) -> Piece:
    """A partial times a sensitivity, ones left out."""
    if factor.plain and np.ndim(factor.value) == 0 and factor.value in (1, -1):
        return ct if factor.value == 1 else negated(ct)
    return factor.text if ct == ONE else TIMES.write([factor.text, ct])


def negated(piece: Piece) -> Piece:
    """A text with a minus before it."""
    return MINUS.write([piece])


def total(pieces: Sequence[Piece]) -> Piece:
    """The sum of some texts."""
    found = pieces[0]
    for piece in pieces[1:]:
        found = PLUS.write([found, piece])
    return found


def partial(row: Row, position: int, operands: Sequence[Piece], v: Piece) -> Part:
    """The partial of an elementwise row by one argument, in the names of the operands."""
    rule, values = row[0].rule, row[3::2]
    names = {name: Part(*each) for name, *each in zip(rule.parameters, operands, values, strict=True)}
    names = {name: _constant(part, row[2 + 2 * n]) for n, (name, part) in enumerate(names.items())}
    names["v"] = Part(v, row[1])
    functions = array_functions() if row[0].arrays else IEEE_FUNCTIONS
    return _folded(_tree(rule, position, row), names, functions)


def _constant(part: Part, index: int) -> Part:
    return part._replace(plain=index == CONSTANT and np.ndim(part.value) == 0)


def _tree(rule: Elementwise, position: int, row: Row) -> Syntax:
    """The partial as syntax; for a power with a constant exponent, the one that is written for it."""
    power = POWERS.get(row[5]) if rule.name == "pow" and row[4] == CONSTANT and np.ndim(row[5]) == 0 else None
    tree = (power or rule).partial_trees[position]
    assert tree is not None
    return tree


def _folded(tree: Syntax, names: Mapping[str, Part], functions: Mapping[str, Callable[..., Any]]) -> Part:
    def leaf(node: Number | Name) -> Part:
        if isinstance(node, Number):
            return Part(literal(node.value), float(node.value), plain=True)
        return names[node.id] if node.id in names else Part((node.id, ATOM), CONSTANTS[node.id])

    def apply(node: Apply, parts: list[Part]) -> Part:
        if node.function == "where" and np.ndim(parts[0].value) == 0:
            return parts[1] if parts[0].value else parts[2]
        value = functions[node.function](*(part.value for part in parts))
        if all(part.plain for part in parts):
            return Part(constant(_short(value)), value, plain=True)
        if (same := _neutral(node.function, parts)) is not None:
            return same
        texts = [part.text for part in parts]
        written = POW.write([texts[0], literal(2)]) if node.function == "square" else WRITTEN.apply(node, texts)
        return Part(written, value)

    with np.errstate(all="ignore"):
        return fold(tree, leaf, apply)


def _short(value: Any) -> int | float | complex:
    """A number as it would be typed: 4 rather than 4.0."""
    if np.imag(value):
        return complex(value) + 0  # no minus before a zero
    number = float(np.real(value))
    return int(number) if number.is_integer() and abs(number) < 1e15 else number


def _neutral(function: str, parts: list[Part]) -> Part | None:
    """The part that is left where another one changes nothing: `1 * x`, `x ** 1`."""
    one = [part.plain and np.ndim(part.value) == 0 and part.value == 1 for part in parts]
    if function == "mul" and any(one):
        return parts[1] if one[0] else parts[0]
    return parts[0] if function in ("pow", "div") and one[1] else None


def through(name: str, position: int, ct: Piece, operands: Sequence[Piece], row: Row) -> Piece | None:
    """What an array operation passes back, as text; None where it is exactly nothing."""
    if name in _SAME:
        return ct
    if name == "put":
        return put_back(position, ct, row)
    if name == "mean":
        count = int(np.size(row[3]) / max(1, np.size(row[1])))
        return OVER.write([ct, literal(count)])
    if name == "transpose":
        return transposed(ct)
    if name == "matmul":
        other = operands[1 - position]
        if is_complex(row[3 + 2 * (1 - position)]):
            other = call("conj", [other]), ATOM
        other = transposed(other)
        return MATRIX_PRODUCT.write([ct, other] if position == 0 else [other, ct])
    if name == "conj":
        return call(name, [ct]), ATOM
    if name == "imag":
        return TIMES.write([constant(1j), ct])
    return call(f"{name}_vjp", [ct]), ATOM


def put_back(position: int, ct: Piece, row: Row) -> Piece | None:
    """What a line that writes a place passes back: the sensitivity there to what is written, the rest to the array."""
    if position == 0:
        return kept(ct, row)
    there = ct if is_whole(row) else (place_in(ct, row), ATOM)
    spread = np.size(row[5]) < np.size(place_of(row))
    return (call("sum", [there]), ATOM) if spread and not np.ndim(row[5]) else there


def put_in(row: Row, position: int, dot: Piece, operands: Sequence[Piece]) -> Piece | None:
    """How fast an array moves that a line writes a place of: by what it was, or by what is written."""
    if position == 0:
        return kept(dot, row)
    if is_whole(row) and np.shape(row[5]) == np.shape(row[1]):
        return dot
    return f"{dot[0] if dot[1] >= SUM else bracketed(dot)} at {place_in(('', ATOM), row)}", CONDITIONAL


def kept(piece: Piece, row: Row) -> Piece | None:
    """A text that is 0 where a place was written; None where all was."""
    if is_whole(row):
        return None
    return f"{bracketed(piece)} without {place_in(('', ATOM), row)}", CONDITIONAL


def is_whole(row: Row) -> bool:
    """Whether every number of an array was written anew."""
    place = row[0].static["key"]
    return not row[0].static.get("through") and (
        place is Ellipsis or (isinstance(place, slice) and place == slice(None))
    )


def place_in(piece: Piece, row: Row) -> str:
    """The place that a row writes, of an array that a text stands for; of an empty text the subscript alone."""
    for rule, static in row[0].static.get("through", ()):
        piece = arrays(rule.name, [piece if piece[0] else ("its", ATOM)], static)
    return f"{bracketed(piece)}[{key(row[0].static['key'])}]"


def place_of(row: Row) -> Any:
    """What is at the place that a row writes."""
    return within(row[1], row[0].static.get("through", ()))[row[0].static["key"]]


_SAME = frozenset(
    {"sum", "broadcast_to", "cast", "reshape", "index", "alias", "stack", "concatenate", "scatter", "real"}
)


def transposed(piece: Piece) -> Piece:
    """A text with `.T` behind it."""
    text, binding = piece
    return (f"{text}.T" if binding >= ATOM else f"({text}).T"), ATOM


def sensitivity(name: str) -> str:
    """What the sensitivity on a quantity is called: `s_cd` for `t_cd`, `s_x` for `x`, `s_(x^2)` for a formula."""
    if not PLAIN_NAME.fullmatch(name):
        return f"s_({name})"
    return f"s_{name[2:]}" if name.startswith("t_") and len(name) > 2 else f"s_{name}"
