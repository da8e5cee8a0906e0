"""The reason for a wrong gradient: a slip that its components prove, with the user's line, or a wrong rule."""

from __future__ import annotations

import linecache
import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gradcli.checks import recorded_rules_check, references
from gradcli.checks.candidate import HandWrittenGradient
from gradcli.checks.culprit.error_patterns import FACTOR, SLACK, Block, Discrepancy, Key, Slip, derivatives, slips
from gradcli.checks.culprit.mistaken_steps import MistakeSearch
from gradcli.checks.problem.compared_case import Case
from gradcli.findings import finding
from gradcli.numerics.coordinates import Coordinate, coordinates, pick
from gradcli.pytree import map_leaves
from gradcli.records import Finding
from gradcli.running.muted_reruns import quiet
from gradcli.traces.node import CONSTANT
from gradcli.traces.trace import Trace, record_trace

ASIDE = (0.03, 1e-3)  # relative distances of the second point, at which a slip must account for the components too
COARSEST = 1e-4  # slack of single precision; half precision is too coarse to prove a slip
IN_SOME = 2  # added to the implausibility of a slip that was made in some derivatives only
MOST_DIFFERENCED = 16  # most derivatives computed by differences at the second point
AT_THIS_POINT = " at this point; a gradient given as numbers cannot be tested at another one"


def culprit(
    case: Case,
    candidate: Sequence[float],
    reference: Sequence[float | None],
    by_hand: HandWrittenGradient,
    slack: float = SLACK,
) -> list[Finding]:
    """The slip in a hand-written gradient that fails, if its components prove one.

    A slip must account for all wrong components, here and at a second point. A gradient given as numbers cannot be
    evaluated elsewhere: its finding says so, and needs at least two wrong components.
    """
    gap = Discrepancy(np.array(candidate), np.array(reference, dtype=float), slack)  # None becomes nan
    if not np.isfinite([gap.candidate, gap.reference]).all() or slack > COARSEST:
        return []
    with quiet():
        here = WrongGradient(case.parts, _named(case), gap)
        found = here.slips()
        if by_hand.given:
            return [_at_this_point(found, here.trace)] if found and sum(gap.wrong) > 1 else []
        there = _aside(case, here, by_hand)
        proven = _proven(found, there)
        if proven is None or proven.order > FACTOR:
            of_some = _proven(here.partial_slips(), there)
            proven = min(filter(None, (proven, of_some)), key=_plainness, default=None)
    return [_told(proven.text, proven.row, here.trace, "G312")] if proven else []


def _at_this_point(found: list[Slip], trace: Trace | None) -> Finding:
    """The finding for numbers given at one point: it names both slips if two patterns or equally plain slips fit."""
    first, *others = found
    rivals = [slip for slip in others if slip.row is None or _plainness(slip) == _plainness(first)]
    other = next((slip for slip in rivals if slip.key[0] != first.key[0]), None)
    text = f"{first.text}, or {other.text}," if other else first.text
    return _told(f"{text}{AT_THIS_POINT}", first.row if not other or other.row == first.row else None, trace, "G312")


def _plainness(slip: Slip) -> tuple[bool, int]:
    return slip.loose, slip.order


def _proven(found: list[Slip], there: WrongGradient | None) -> Slip | None:
    """The first slip that accounts for the components at another point as well."""
    if there is None or not found:
        return None
    keys = {slip.key for slip in found}
    again = {slip.key for slip in (*there.slips(keys), *there.partial_slips(keys))}
    return next((slip for slip in found if slip.key in again), None)


def wrong_rule(case: Case) -> list[Finding]:
    """The first step of the recorded program whose rule is wrong."""
    with quiet():
        run = record_trace(case.function, tuple(case.point.values()), names=True)
        found = next(recorded_rules_check.wrong_rules(run), None)
    return [_told(found[1], found[0], run, "G313")] if found else []


def _named(case: Case) -> Trace | None:
    """The recorded run with the user's names and lines."""
    if case.recorded is None:
        return None
    run = record_trace(case.function, tuple(case.point.values()), names=True)
    return run if len(run.nodes) == len(case.trace.nodes) else None


@dataclass(frozen=True)
class WrongGradient:
    """A wrong gradient at one point.

    Attributes:
        parts: the numbers of the point that it differentiates by.
        trace: the recorded run with the user's names and lines, or None.
        gap: the gradient's components and the right ones.
    """

    parts: list[Coordinate]
    trace: Trace | None
    gap: Discrepancy

    def slips(self, wanted: Set[Key] | None = None) -> list[Slip]:
        """The slips that account for the gradient, simplest first. Of slips in single steps, only the `wanted` ones."""
        found = list(self._of_the_numbers())
        if self.trace is not None and ("zero",) not in {slip.key for slip in found}:
            found += MistakeSearch(self.trace, self.parts, self.gap, wanted)
        return sorted(found, key=_plainness)

    def partial_slips(self, wanted: Set[Key] | None = None) -> list[Slip]:
        """The slips that account for the wrong components only; each is less plain than the same slip in all."""
        wrong = self.gap.wrong
        if self.trace is None or wrong.all():
            return []
        names = [part.name for part, off in zip(self.parts, wrong, strict=True) if off]
        keys = wanted and {key[1:] for key in wanted if key[0] == tuple(names)}
        found = MistakeSearch(self.trace, self.parts, replace(self.gap, partly=True), keys)
        text = f"in {derivatives(names)}, {{}}"
        return sorted(
            (
                replace(slip, key=(tuple(names), *slip.key), text=text.format(slip.text), order=slip.order + IN_SOME)
                for slip in found
            ),
            key=_plainness,
        )

    def _of_the_numbers(self) -> Iterator[Slip]:
        run, gap = self.trace, self.gap
        shapes = (
            {} if run is None else {leaf: np.shape(run.nodes[at].value) for leaf, at in enumerate(run.input_indices())}
        )
        counts = [] if run is None else sorted(_counts(run))
        inputs = list(_by_input(self.parts, shapes, gap))
        wrong = [block for block in inputs if block.wrong.any()]
        if len(wrong) == 1:
            yield from slips(wrong[0], counts)
        if len(inputs) > 1:
            whole = Block(
                "", [part.name for part in self.parts], (len(self.parts),), gap.candidate, gap.reference, gap.slack
            )
            yield from slips(whole, counts)


def _by_input(parts: list[Coordinate], shapes: Mapping[int, Any], gap: Discrepancy) -> Iterator[Block]:
    for leaf in sorted({part.leaf for part in parts}):
        places = [n for n, part in enumerate(parts) if part.leaf == leaf]
        labels = [parts[n].name for n in places]
        name = labels[0].split("[")[0] if len(labels) > 1 else labels[0]
        shape = (len(places),) if parts[places[0]].half else shapes.get(leaf, (len(places),))
        yield Block(name, labels, shape, gap.candidate[places], gap.reference[places], gap.slack)


def _counts(run: Trace) -> Iterator[int]:
    """The counts of terms in the program's means: integer divisors, and the sizes that `mean` averages over."""
    found = set()
    for node in run.nodes:
        if node.rule is None:
            continue
        if node.rule.averages:
            found.add(int(np.size(node.operands[0]) // max(np.size(node.value), 1)))
        if node.rule.is_quotient and node.sources[1] == CONSTANT:
            divisor = node.operands[1]
            if np.ndim(divisor) == 0 and not np.iscomplexobj(divisor):
                found.add(int(divisor) if float(divisor).is_integer() else 0)
    return iter(found - {0, 1, 2})


def _aside(case: Case, here: WrongGradient, by_hand: HandWrittenGradient) -> WrongGradient | None:
    """The gradient at a neighbouring point, if it can be evaluated there and the program takes the same steps."""
    for distance in ASIDE:
        try:
            there = _beside(case, distance, by_hand)
        except Exception:  # the user's code may reject the point
            continue
        if there is not None and _steps(there.trace) == _steps(here.trace):
            return there
    return None


def _beside(case: Case, distance: float, by_hand: HandWrittenGradient) -> WrongGradient | None:
    generator = np.random.default_rng(0)

    def beside(leaf: Any) -> Any:
        moved = leaf + distance * generator.uniform(0.3, 1.0, np.shape(leaf)) * np.maximum(np.abs(leaf), distance)
        return moved.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(moved)

    point = {name: map_leaves(beside, structure) for name, structure in case.point.items()}
    wanted = {part.number for part in case.parts}
    parts = [part for part in coordinates(point) if part.number in wanted]
    if any(part.value == before.value for part, before in zip(parts, case.parts, strict=True)):
        return None  # the point holds whole numbers, which stay where they are
    run = (
        record_trace(case.function, tuple(map_leaves(_own, tuple(point.values()))), names=True)
        if case.recorded
        else None
    )
    there = Case(case.function, point, parts, run, case.value, case.guard)
    numbers, slack = by_hand.numbers(there)
    candidate = np.array(numbers)
    reference = np.array(_by_differences(there) if run is None else _by_the_tape(run, parts))
    finite = np.isfinite([candidate, reference]).all()
    return WrongGradient(parts, run, Discrepancy(candidate, reference, slack)) if finite else None


def _by_the_tape(run: Trace, parts: list[Coordinate]) -> list[float]:
    sensitivities = run.sensitivities()
    leaves = [sensitivities[row] for row in run.input_indices()]
    return [pick(leaves, part) for part in parts]


def _by_differences(case: Case) -> list[float]:
    if len(case.parts) > MOST_DIFFERENCED:
        return [math.nan] * len(case.parts)
    slopes = [references.slope_by(case, part) for part in case.parts]
    return [math.nan if slope is None else slope.value for slope in slopes]


def _steps(run: Trace | None) -> list[str]:
    """The operations of a program, in order."""
    return [] if run is None else [node.operation for node in run.nodes]


def _own(leaf: Any) -> Any:
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def _told(text: str, row: int | None, run: Trace | None, code: str) -> Finding:
    """A finding with the user's line, if it concerns one."""
    place = run.nodes[row].place if run and row is not None else None
    if place is None:
        return finding(code, text, node=row)
    file, line = place
    source = linecache.getline(file, line).strip()
    return finding(code, f"`{source}`: {text}" if source else text, file=file, line=line, node=row)
