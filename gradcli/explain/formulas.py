"""The formula of one row of a tape in the user's names: `2.0 * t_s`, `side_lengths[0]`, `sum(x, axis=0)`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.language.emit import ATOM, CONDITIONAL, PLAIN, POWER, PRODUCT, SIGN, Emitter, Inline, Piece, literal
from gradcli.language.syntax import Apply, Name, Number, fold
from gradcli.rules.table import Elementwise
from gradcli.tape.recording import Recording
from gradcli.tape.tape import CONSTANT, Row

POW = Inline("{0} ** {1}", POWER, (ATOM, SIGN))
WRITTEN = Emitter({**{name: inline for name, inline in PLAIN.inline.items() if name != "where"}, "pow": POW})
MATMUL = Inline("{0} @ {1}", PRODUCT, (PRODUCT, PRODUCT + 1))
PLAIN_NAME = re.compile(r"[%\w.#]+(\[[^\[\]]*\])*")
SPELLED = {"root": "sqrt"}  # names of ours, which differ by a convention alone, as the field has them
LONGEST = 40  # characters of a formula that stands for a row without a name
MOST_NUMBERS = 4  # of a constant array; a larger one is shown by its shape


def formula(row: Row, names: Sequence[str]) -> str | None:
    """What a row computed, its operands by `names`; None for an input or a constant."""
    if not row[0].recorded:
        return None
    pairs = zip(row[2::2], row[3::2], strict=True)
    return written(row, [constant(value) if index == CONSTANT else named(names[index]) for index, value in pairs])[0]


def written(row: Row, operands: list[Piece]) -> Piece:
    """What a row computed, its operands as text."""
    operation, rule = row[0], row[0].rule
    if rule is None:  # an alias
        return operands[0]
    if isinstance(rule, Elementwise):
        return elementwise(rule, operands)
    return arrays(rule.name, operands, operation.static)


def spelled(recording: Recording) -> list[str]:
    """For each row the user's name for it, else its formula as far as that stays short, else its number."""
    names: list[str] = []
    for node, row in zip(recording.nodes, recording.rows, strict=True):
        text = node.name or formula(row, names)
        names.append(text if text and len(text) <= LONGEST else f"%{node.index}")
    return names


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


def constant(value: Any) -> Piece:
    """A number in Python's spelling; a small array as nested lists, a large one by its shape."""
    if np.ndim(value) == 0:
        number = value.item() if hasattr(value, "item") else value
        return literal(number) if isinstance(number, (int, float)) else (str(number), ATOM)
    if np.size(value) <= MOST_NUMBERS:
        return str(value.tolist()), ATOM
    return f"array({', '.join(map(str, np.shape(value)))})", ATOM


def elementwise(rule: Elementwise, operands: list[Piece]) -> Piece:
    """An elementwise operation: inline where the language writes it so, else a call by the rule's name."""
    tree = rule.value_tree
    if not (isinstance(tree, Apply) and tree.function == rule.name and rule.name in WRITTEN.inline):
        return call(SPELLED.get(rule.name, rule.name), operands), ATOM
    by_name = dict(zip(rule.parameters, operands, strict=True))

    def leaf(node: Number | Name) -> Piece:
        return by_name[node.id] if isinstance(node, Name) else literal(node.value)

    return fold(tree, leaf, WRITTEN.apply)


def arrays(name: str, operands: list[Piece], static: Mapping[str, Any]) -> Piece:
    """An array operation: `x[0]`, `x @ y`, or a call with the choices that are not those of the plain call."""
    if name == "matmul":
        return MATMUL.write(operands)
    if name in ("index", "put"):
        place = f"{bracketed(operands[0])}[{key(static['key'])}]"
        return (place, ATOM) if name == "index" else (f"{place} = {operands[1][0]}", CONDITIONAL)
    if name == "einsum":
        *reads, into = static["names"]
        return f"einsum('{','.join(reads)}->{into}', {', '.join(text for text, _ in operands)})", ATOM
    if name == "cast":
        return call(getattr(static["dtype"], "__name__", None) or str(static["dtype"]), operands), ATOM
    return call(name, [*operands, *choices(static)]), ATOM


def choices(static: Mapping[str, Any]) -> list[Piece]:
    """The choices that are not those of the plain call; a shape goes without its word."""
    said = [(word, choice) for word, choice in static.items() if choice is not None and choice is not False]
    return [(str(choice) if word == "shape" else f"{word}={choice}", ATOM) for word, choice in said if choice != "C"]


def call(name: str, arguments: Sequence[Piece]) -> str:
    """`name(a, b)`."""
    return f"{name}({', '.join(text for text, _ in arguments)})"


def bracketed(operand: Piece) -> str:
    """An operand as it stands before a subscript."""
    text, binding = operand
    return text if binding > SIGN else f"({text})"


def key(place: Any) -> str:
    """A subscript in Python's spelling; arrays of indices by their shape where they are long."""
    if isinstance(place, tuple):
        return ", ".join(map(key, place)) or "()"
    if isinstance(place, slice):
        bounds = ["" if bound is None else str(bound) for bound in (place.start, place.stop)]
        return ":".join([*bounds, str(place.step)] if place.step is not None else bounds)
    return "..." if place is Ellipsis else "None" if place is None else constant(place)[0]
