"""Why a gradient is wrong: the slip that its numbers prove, with the user's own line; or the rule that is wrong."""

from __future__ import annotations

import linecache
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.crosscheck import nodes
from gradcli.crosscheck.candidate import ByHand
from gradcli.crosscheck.case import Case
from gradcli.crosscheck.contributions import missteps
from gradcli.crosscheck.slips import Block, Slip, slips
from gradcli.findings import finding
from gradcli.methods.components import Component, components, pick
from gradcli.records import Finding
from gradcli.tape.quiet import quiet
from gradcli.tape.recording import Recording
from gradcli.tape.structure import map_leaves
from gradcli.tape.tape import CONSTANT
from gradcli.transforms import trace

ASIDE = 1e-3  # of each number: how far away the second point is at which a slip has to account for the numbers too


def culprit(
    case: Case, candidate: Sequence[float], reference: Sequence[float | None], by_hand: ByHand
) -> list[Finding]:
    """The slip of a hand-written gradient that fails, where its numbers prove one.

    A slip has to account for all wrong numbers, here and at a second point, where the gradient can be asked again.
    """
    wrong = np.array(candidate), np.array(reference, dtype=float)  # None becomes nan
    if not np.isfinite(wrong).all():
        return []
    with quiet():
        tape = _named(case)
        found = list(_explained(case.parts, tape, *wrong))
        if found and (again := _aside(case, by_hand)) is not None:
            keys = {slip.key for slip in again}
            found = [slip for slip in found if slip.key in keys]
    return [_told(found[0].text, found[0].row, tape, "G312")] if found else []


def wrong_rule(case: Case) -> list[Finding]:
    """The first step of the recorded program whose rule is wrong."""
    with quiet():
        tape = trace(case.function, *case.point.values())
        found = next(nodes.wrong_rules(tape), None)
    return [_told(found[1], found[0], tape, "G313")] if found else []


def _named(case: Case) -> Recording | None:
    """The recorded run with the user's names and lines."""
    if case.recorded is None:
        return None
    tape = trace(case.function, *case.point.values())
    return tape if len(tape.rows) == len(case.tape.rows) else None


def _explained(parts: list[Component], tape: Recording | None, candidate: Any, reference: Any) -> Iterator[Slip]:
    whole = Block("", [part.name for part in parts], (len(parts),), candidate, reference)
    shapes = {} if tape is None else {leaf: np.shape(tape.rows[at][1]) for leaf, at in enumerate(tape.input_rows())}
    counts = [] if tape is None else sorted(_counts(tape))
    inputs = list(_by_input(parts, shapes, candidate, reference))
    wrong = [block for block in inputs if block.wrong.any()]
    if len(wrong) == 1:
        yield from slips(wrong[0], counts)
    if len(inputs) > 1:
        yield from slips(whole, counts)
    if tape is not None:
        yield from missteps(tape, parts, candidate, reference)


def _by_input(parts: list[Component], shapes: Mapping[int, Any], candidate: Any, reference: Any) -> Iterator[Block]:
    for leaf in sorted({part.leaf for part in parts}):
        places = [n for n, part in enumerate(parts) if part.leaf == leaf]
        labels = [parts[n].name for n in places]
        name = labels[0].split("[")[0] if len(labels) > 1 else labels[0]
        shape = (len(places),) if parts[places[0]].half else shapes.get(leaf, (len(places),))
        yield Block(name, labels, shape, candidate[places], reference[places])


def _counts(tape: Recording) -> Iterator[int]:
    """The numbers of terms of the means that a program takes: what it divides by, and what `mean` averages."""
    found = set()
    for row in tape.rows:
        if row[0].name == "mean":
            found.add(int(np.size(row[3]) // max(np.size(row[1]), 1)))
        if row[0].name == "div" and row[4] == CONSTANT and np.ndim(row[5]) == 0 and not np.iscomplexobj(row[5]):
            found.add(int(row[5]) if float(row[5]).is_integer() else 0)
    return iter(found - {0, 1, 2})


def _aside(case: Case, by_hand: ByHand) -> list[Slip] | None:
    """The slips at a point beside; None where the gradient cannot be asked there."""
    if by_hand.given:
        return None
    generator = np.random.default_rng(0)

    def beside(leaf: Any) -> Any:
        moved = leaf + ASIDE * generator.uniform(0.3, 1.0, np.shape(leaf)) * np.maximum(np.abs(leaf), ASIDE)
        return moved.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(moved)

    try:
        point = {name: map_leaves(beside, structure) for name, structure in case.point.items()}
        wanted = {part.number for part in case.parts}
        parts = [part for part in components(point) if part.number in wanted]
        tape = trace(case.function, *map_leaves(_own, tuple(point.values())))
        there = Case(case.function, point, parts, tape, float(tape.value), case.guard)
        sensitivities = tape.sensitivities()
        leaves = [sensitivities[row] for row in tape.input_rows()]
        candidate = np.array(by_hand.numbers(there)[0])
        return list(_explained(parts, tape, candidate, np.array([pick(leaves, part) for part in parts])))
    except Exception:  # the user's code may not like the point
        return None


def _own(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _told(text: str, row: int | None, tape: Recording | None, code: str) -> Finding:
    """A finding with the user's own line, where it is about one."""
    place = tape.watch.place(row) if tape and tape.watch and row is not None else None
    if place is None:
        return finding(code, text, node=row)
    file, line = place
    source = linecache.getline(file, line).strip()
    return finding(code, f"`{source}`: {text}" if source else text, file=file, line=line, node=row)
