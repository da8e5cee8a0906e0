"""One comparison: every witness asked once, one verdict a component, the findings worth knowing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

import mpmath

from gradcli import records
from gradcli.crosscheck import witnesses
from gradcli.crosscheck.candidate import ByHand
from gradcli.crosscheck.case import Case, Guard, quiet
from gradcli.crosscheck.verdicts import Evidence, overall, verdict
from gradcli.crosscheck.witnesses import Precise
from gradcli.diagnose.finite import birth
from gradcli.diagnose.paths import idle_inputs
from gradcli.findings import finding
from gradcli.methods.components import Component, components, plain
from gradcli.records import Comparison, Finding, Verdict
from gradcli.targets import Target
from gradcli.transforms import number_of, trace


def compare(
    target: Target,
    point: dict[str, Any],
    wanted: Sequence[str],
    *,
    against: Target | None = None,
    strict: bool = False,
    guard: Guard = lambda doing: nullcontext(),
) -> Comparison:
    """Compare a gradient of `target` at `point` with what independent methods say.

    Args:
        target: a function that takes the inputs of `point` in order and returns one number.
        point: by name, numbers, arrays, and lists, tuples and dicts of them.
        wanted: the names of the inputs to differentiate by.
        against: a hand-written gradient to judge; the tape's own is judged without it.
        strict: count KINK and CUT as inconclusive.
        guard: turns what the user's code raises into an error of ours.

    Raises:
        ResultError: the function does not return one number, or the candidate does not have the point's structure.
        TargetError: the candidate does not take the inputs of the point.
    """
    by_hand = ByHand(against, list(point)) if against else None
    with guard(f"in {target.name}"):
        tape = trace(target.function, *point.values(), names=False)
    value = float(number_of(target.function, tape.value, tape))
    case = Case(target.function, point, components(point, wanted), tape, value, guard)
    reverse = witnesses.reverse(case)
    tested, slack = by_hand.numbers(case) if by_hand else (reverse, case.slack)
    precise = witnesses.precise(case)
    evidence = _gathered(case, tested, slack, precise)
    if by_hand:
        evidence = _with_own_rounding(case, evidence, by_hand)
    rows = sorted(map(_row, case.parts, evidence, reverse, precise.values), key=lambda row: _ORDER[row.verdict])
    return Comparison(
        target.text,
        against.text if against else None,
        plain(point),
        value,
        overall(rows, value, strict),
        tuple(rows),
        tuple(_notes(case, precise)),
        target.reading,
        tuple(_findings(case, wanted, rows, precise)),
    )


_ORDER = {verdict: place for place, verdict in enumerate(Verdict)}


def _gathered(case: Case, tested: list[float], slack: float, precise: Precise) -> list[Evidence]:
    """What is known of each component."""
    slopes = witnesses.sloped(case)
    alone = [exact is not None or slope is not None for exact, slope in zip(precise.values, slopes, strict=True)]
    group = None if all(alone) else witnesses.together(case, tested)
    return [
        Evidence(
            value=case.value,
            candidate=tested[n],
            reference=None if (exact := precise.values[n]) is None else float(exact),
            slope=slopes[n],
            slack=slack,
            group=group,
            rounding=precise.rounding[n],
            sweep=precise.rounding[n],
            largest=precise.largest[n],
            switch=case.switch,
            cut=part.leaf in case.cut,
        )
        for n, part in enumerate(case.parts)
    ]


def _with_own_rounding(case: Case, evidence: list[Evidence], by_hand: ByHand) -> list[Evidence]:
    """The evidence with the rounding of the hand-written gradient itself, where that may matter."""
    far = any(e.reference is not None and e.off > e.slack * abs(e.reference) for e in evidence)
    bounds = by_hand.rounding(case) if far else None
    return [replace(e, rounding=bounds[n] if bounds else None) for n, e in enumerate(evidence)]


def _row(part: Component, e: Evidence, reverse: float, exact: Any) -> records.Component:
    ruling, reason = verdict(e)
    slope = e.slope if e.slope and math.isfinite(e.slope.value) else None
    decided = e.reference is not None or ruling in (Verdict.PASS, Verdict.FAIL)
    return records.Component(
        name=part.name,
        verdict=ruling,
        candidate=e.candidate,
        reference=slope.value if decided and e.reference is None and slope else e.reference,
        reverse=reverse,
        symbolic=e.reference,
        differences=slope.value if slope else None,
        differences_error=slope.error if slope else None,
        tolerance=e.tolerance if decided else None,
        reason=reason,
        exact=None if exact is None else mpmath.nstr(exact, 20),
    )


def _notes(case: Case, precise: Precise) -> Iterator[str]:
    rule = f"|candidate - reference| <= {case.slack:g} * |reference|"
    yield f"passes when {rule}, or within the rounding error of the sweep"
    yield from precise.notes
    if len(case.parts) > witnesses.MOST_DIFFERENCES:
        rest = "the others together" if None in precise.values else "not the others"
        yield f"differences: the first {witnesses.MOST_DIFFERENCES} of {len(case.parts)} components one by one, {rest}"


def _findings(case: Case, wanted: Sequence[str], rows: list[records.Component], precise: Precise) -> Iterator[Finding]:
    yield from (finding("G201", f"{row.name}: {row.reason}") for row in rows if row.verdict is Verdict.KINK)
    yield from idle_inputs(case.tape, case.point, wanted)
    if any(row.verdict is Verdict.NONFINITE for row in rows):
        with quiet():
            yield from birth(trace(case.function, *case.point.values()))
    yield from (finding("G805", note.removeprefix("symbolic: ")) for note in precise.notes if "node by node" in note)
