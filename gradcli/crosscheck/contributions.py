"""What each step of the recorded program contributes to the gradient, and a wrong gradient explained by one of them.

A term that was left out, counted twice or given the wrong sign, a factor of the chain rule that was forgotten or
mistaken: each multiplies what went through one step, from there to the inputs, by some number.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.crosscheck.slips import MATCH, Slip
from gradcli.language.emit import ATOM, PLAIN, SIGN
from gradcli.methods.components import Component, pick
from gradcli.rules.table import Elementwise
from gradcli.tape.accumulate import UNTOUCHED, plain
from gradcli.tape.recording import Recording
from gradcli.tape.sweep import reverse
from gradcli.tape.tape import CONSTANT

APART = 1e-3  # by how much two numbers differ, relative, if one is to be told to be the other by mistake
ROUNDING = 1e-13  # of our own shares, relative
MOST_ROWS = 400  # of a program that is searched, which takes a sweep for each


@dataclass(frozen=True)
class Contribution:
    """What comes to the inputs through one argument of one step.

    Attributes:
        row, position: the step and which of its arguments.
        numbers: the share of each component of the gradient.
        partial: of the step by the argument, where that is one number.
        others: the arguments by name, where they are single numbers.
        text: the step, as it is named in a sentence.
    """

    row: int
    position: int
    numbers: np.ndarray
    partial: float | None
    others: tuple[tuple[str, float], ...]
    text: str


def contributions(tape: Recording, parts: list[Component]) -> Iterator[Contribution]:
    """What comes through each argument of each step, from the result backwards; nothing of complex numbers."""
    if tape.has_complex:
        return
    cotangents = tape.cotangents()
    for index in range(len(tape.rows) - 1, -1, -1):
        row, cotangent = tape.rows[index], cotangents[index]
        if cotangent is UNTOUCHED or not row[0].recorded or row[0].rule is None:
            continue
        pulled = reverse(tape, index, cotangent, index)
        for position, source in enumerate(row[2::2]):
            if source != CONSTANT and row[2::2].index(source) == position and pulled[source] is not UNTOUCHED:
                swept = reverse(tape, source, plain(pulled[source]))
                numbers = np.array([_share(tape, swept, part) for part in parts])
                others = tuple(_others(tape, row))
                yield Contribution(index, position, numbers, _partial(row, position), others, _text(row, others))


def _share(tape: Recording, swept: list[Any], part: Component) -> float:
    rows = list(tape.input_rows())
    at = rows[part.leaf]
    if at >= len(swept) or swept[at] is UNTOUCHED:
        return 0.0
    return pick({part.leaf: plain(swept[at])}, part)  # type: ignore[arg-type]


def _partial(row: Any, position: int) -> float | None:
    rule = row[0].rule
    if not isinstance(rule, Elementwise) or np.ndim(row[1]) or list(row[2::2]).count(row[2 + 2 * position]) > 1:
        return None
    partial = rule.number_partials[position]
    return None if partial is None else float(partial(float(row[1]), *map(float, row[3::2])))


def _others(tape: Recording, row: Any) -> Iterator[tuple[str, float]]:
    names = tape.watch.names if tape.watch else {}
    for index, x in zip(row[2::2], row[3::2], strict=True):
        if np.ndim(x) == 0 and not isinstance(x, bool):
            yield names.get(index, f"{float(x):.6g}") if index != CONSTANT else f"{float(x):.6g}", float(x)


def _text(row: Any, others: tuple[tuple[str, float], ...]) -> str:
    """`t_c * t_d` for a step of named numbers, else what it does."""
    name = str(row[0].name)
    if len(others) != len(row[2::2]):
        return name
    operands = [(text, SIGN if text.startswith("-") else ATOM) for text, _ in others]
    inline = PLAIN.inline.get(name)
    return inline.write(operands)[0] if inline else f"{name}({', '.join(text for text, _ in operands)})"


def missteps(tape: Recording, parts: list[Component], candidate: np.ndarray, reference: np.ndarray) -> Iterator[Slip]:
    """The single steps that account for a wrong gradient when what comes through them is multiplied by a number."""
    if len(tape.rows) > MOST_ROWS:
        return
    for found in contributions(tape, parts):
        if np.any(found.numbers):
            yield from _told(found, candidate, reference)


def _told(found: Contribution, candidate: np.ndarray, reference: np.ndarray) -> Iterator[Slip]:
    """What a wrong gradient says of one step, if it says anything."""
    for kind, factor, text in _mistakes(found):
        expected = reference + (factor - 1) * found.numbers
        if np.all(np.abs(expected - candidate) <= MATCH * np.abs(candidate) + ROUNDING * np.abs(reference)):
            yield Slip((*kind, found.row, found.position), text, found.row)


def _mistakes(found: Contribution) -> Iterator[tuple[tuple[Any, ...], float, str]]:
    """Each mistake that can be made at one step: its kind, what it multiplies the share by, and what is said of it."""
    term = f"the term that comes through {found.text}"
    yield ("missing",), 0.0, f"{term} is missing"
    yield ("sign",), -1.0, f"{term} has the wrong sign"
    yield ("twice",), 2.0, f"{term} is counted twice"
    partial = found.partial
    if partial is None or not abs(partial) > 0.0:
        return
    factor = f"the factor {partial:.6g} of the chain rule, the derivative of {found.text}"
    if not _near(partial, 1.0):
        yield ("factor",), 1 / partial, f"{factor}, is missing"
        yield ("square",), partial, f"{factor}, is there twice"
    for place, (name, value) in enumerate(found.others):
        if not _near(value, partial) and not _near(value, 1.0):
            right = next((f"{other} = " for other, x in found.others if x == partial), "")
            text = f"the derivative of {found.text} is {right}{partial:.6g}; the candidate has {name} = {value:.6g}"
            yield ("operand", place), value / partial, text


def _near(x: float, y: float) -> bool:
    return abs(x - y) <= APART * abs(y)
