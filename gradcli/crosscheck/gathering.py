"""The evidence on every component: each witness asked once, and none believed where it does not know the function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gradcli.crosscheck import around, witnesses
from gradcli.crosscheck.candidate import ByHand
from gradcli.crosscheck.case import Case
from gradcli.crosscheck.choices import parted
from gradcli.crosscheck.sway import sway
from gradcli.crosscheck.verdicts import Evidence, Group, bends
from gradcli.crosscheck.witnesses import Precise
from gradcli.errors import DetachedError
from gradcli.methods.close_by import extremes
from gradcli.methods.differences import Slope
from gradcli.methods.loops import once_more
from gradcli.records import Verdict
from gradcli.tape.quiet import quiet

ALIKE = 1e3  # times one number of an array is larger than another of about the same size


@dataclass(frozen=True)
class Gathered:
    """What the witnesses say of a case, which is without its tape where that turned out not to be the function."""

    case: Case
    precise: Precise
    evidence: list[Evidence]


def gathered(case: Case, tested: Sequence[float], slack: float, by_hand: ByHand | None) -> Gathered:
    """What is known of each component, where the candidate's numbers are `tested`."""
    precise = witnesses.precise(case) if case.recorded else witnesses.nothing(case)
    slopes = witnesses.sloped(case)
    if reason := _lost(case, precise, slopes):
        return gathered(replace(case, recorded=None, withdrawn=DetachedError(reason)), tested, slack, by_hand)
    slopes = _with_leaps(case, slopes)
    alone = [exact is not None or slope is not None for exact, slope in zip(precise.values, slopes, strict=True)]
    groups: list[Group | None] = [None] * len(slopes)
    if not all(alone):
        slopes, groups = witnesses.together(case, list(tested), slopes)
    steepest = _steepest(case, slopes)
    evidence = [
        Evidence(
            value=case.value,
            candidate=tested[n],
            reference=None if (exact := precise.values[n]) is None else float(exact),
            slope=slopes[n],
            slack=slack,
            group=groups[n],
            rounding=precise.rounding[n],
            sweep=precise.rounding[n],
            steepest=steepest[n],
            largest=precise.largest[n],
            switch=case.switch,
            cut=part.number in case.cut,
        )
        for n, part in enumerate(case.parts)
    ]
    return Gathered(case, precise, _with_second_looks(case, evidence, by_hand) if case.recorded else evidence)


def _steepest(case: Case, slopes: list[Slope | None]) -> list[float]:
    """For each part the largest slope by a number of the same array and of about the same size."""
    known = [
        (part.leaf, around.scale(part), abs(slope.value))
        for part, slope in zip(case.parts, slopes, strict=True)
        if slope and math.isfinite(slope.value)
    ]

    def largest(leaf: int, size: float) -> float:
        alike = (slope for other, s, slope in known if other == leaf and size <= ALIKE * s <= ALIKE**2 * size)
        return max(alike, default=0.0)

    sizes = map(around.scale, case.parts)
    return [
        largest(part.leaf, size) if slope else 0.0 for part, size, slope in zip(case.parts, sizes, slopes, strict=True)
    ]


def _lost(case: Case, precise: Precise, slopes: list[Slope | None]) -> str | None:
    """Why the tape is not the function, where differences contradict the exact derivative of what was recorded."""
    if case.recorded is None or case.switch:
        return None
    for part, exact, slope in zip(case.parts, precise.values, slopes, strict=True):
        if around.at_odds(None if exact is None else float(exact), slope):
            return around.lost(case, part)
    return None


def _with_leaps(case: Case, slopes: list[Slope | None]) -> list[Slope | None]:
    with quiet():
        return [slope and around.with_leap(case, part, slope) for part, slope in zip(case.parts, slopes, strict=False)]


def _with_second_looks(case: Case, evidence: list[Evidence], by_hand: ByHand | None) -> list[Evidence]:
    """The evidence with what costs another run, where that may matter."""
    evidence = _with_own_rounding(case, evidence, by_hand) if by_hand else evidence
    evidence = _with_choice(case, _with_nearby(case, evidence))
    evidence = [
        e if bends(e) else replace(e, island=around.island(case, part, e.reference, e.slope))
        for part, e in zip(case.parts, evidence, strict=True)
    ]
    return _with_turn(case, _with_sway(case, _with_summands(case, evidence)))


def _with_turn(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """The evidence with what one more turn of the loop that an outcome ended changes."""
    if not any(map(_far, evidence)):
        return evidence
    with quiet():
        again = once_more(case.tape)
    if again is None or len(list(again.input_rows())) != len(list(case.tape.input_rows())):
        return evidence
    turns = witnesses.turned(case, again)
    return [replace(e, turn=turn if math.isfinite(turn) else 0.0) for e, turn in zip(evidence, turns, strict=True)]


def _with_nearby(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """The evidence with the derivatives at points close by, where the slopes to the left and right are not all."""
    if not any(map(_has_more_slopes, evidence)):
        return evidence
    found = extremes(around.surroundings(case, case.parts))
    return [replace(e, least=least, most=most) for e, least, most in zip(evidence, *found, strict=True)]


def _has_more_slopes(e: Evidence) -> bool:
    """Whether a candidate at a kink is not between the slopes, or is off where there is a kink in other directions."""
    ruling = bends(e)
    if ruling is not None:
        return ruling[0] is Verdict.FAIL
    return e.switch and (_far(e) or around.at_odds(e.reference, e.slope))


def _with_choice(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """The evidence with why numbers that lie between their slopes are no gradient together, where they are none."""
    kinked = [n for n, e in enumerate(evidence) if (ruling := bends(e)) and ruling[0] is Verdict.KINK]
    if len(kinked) < 2:
        return evidence
    parts = [case.parts[n] for n in kinked]
    found = parted(around.surroundings(case, parts), [evidence[n].candidate for n in kinked], evidence[0].slack)
    if found is None:
        return evidence
    taking = {n for n, x in zip(kinked, found.direction, strict=True) if x}
    text = found.text(parts)
    return [replace(e, parted=text) if n in taking else e for n, e in enumerate(evidence)]


def _far(e: Evidence) -> bool:
    return e.reference is not None and e.off > e.slack * abs(e.reference)


def _with_own_rounding(case: Case, evidence: list[Evidence], by_hand: ByHand) -> list[Evidence]:
    """The evidence with the rounding of the hand-written gradient itself."""
    found = by_hand.rounding(case) if any(map(_far, evidence)) else None
    if found is None:
        return [replace(e, rounding=None) for e in evidence]
    return [
        replace(e, rounding=error, largest=max(e.largest, summand))
        for e, error, summand in zip(evidence, *found, strict=True)
    ]


def _with_summands(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """The evidence with the terms that our own sweep adds up, beside which its rounding may be small."""
    if not any(_far(e) and e.slack * e.largest < e.bound and e.off <= e.bound for e in evidence):
        return evidence
    return [
        replace(e, largest=max(e.largest, summand))
        for e, summand in zip(evidence, witnesses.summands(case), strict=True)
    ]


def _with_sway(case: Case, evidence: list[Evidence]) -> list[Evidence]:
    """The evidence with how far the derivatives move with the last digits of the inputs."""
    if not any(_far(e) and math.isfinite(e.off) and e.off <= e.bound for e in evidence):
        return evidence
    return [replace(e, sway=found) for e, found in zip(evidence, sway(case), strict=True)]
