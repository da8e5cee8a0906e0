"""The components of a large gradient that nothing but their exact derivatives concerns: they are judged as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gradcli.answers.checks.candidate import HandWrittenGradient
from gradcli.answers.checks.contradictory_evidence import joint_contradiction, of_values
from gradcli.answers.checks.evidence_types import UNDERFLOW, Dispute
from gradcli.answers.checks.input_conditioning import TINY
from gradcli.answers.checks.nonsmooth.isolated_paths import is_far_from_boundaries
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.answers.checks.references import MOST_DIFFERENCES, ManyDigitResults, differenced_one_by_one
from gradcli.methods.diagnose.outcome_margins import ROUNDINGS
from gradcli.methods.exact.one_sided_limits import scale
from gradcli.methods.numerics.deadline import is_interrupted


@dataclass(frozen=True)
class ManyComponents:
    """Components far from every boundary, whose errors are within the slack or beyond all rounding.

    Attributes:
        case: the case with these components.
        places: their positions among the parts of the whole case.
        candidate, reference, tolerance: arrays with a number for each of them.
    """

    case: Case
    places: Any
    candidate: Any
    reference: Any
    tolerance: Any

    @property
    def off(self) -> Any:
        """The distance between candidate and reference."""
        return np.abs(self.candidate - self.reference)

    def dispute(self, slack: float) -> Dispute | None:
        """The contradiction of their exact derivatives and differences along one direction."""
        if is_interrupted():
            return None
        return joint_contradiction(self.case, self.reference.tolist(), slack)


def many_components(
    case: Case,
    tested: Sequence[float],
    precise: ManyDigitResults,
    slack: float,
    by_hand: HandWrittenGradient | None,
    atol: float,
) -> ManyComponents | None:
    """The components that can be judged as arrays; None if there are none, as in a small gradient."""
    if len(case.parts) <= MOST_DIFFERENCES or case.recorded is None or case.by_values or case.switch:
        return None
    if case.limit is not None or case.trace.solved_equations or of_values(case):
        return None
    candidate, reference = np.array(tested, float), precise.floats
    off, tolerance = np.abs(candidate - reference), np.maximum(slack * np.abs(reference), atol)
    chosen = off <= np.maximum(tolerance, UNDERFLOW)
    has_branches = not {outcome.name for outcome in case.trace.outcomes} <= ROUNDINGS.keys()
    if not has_branches and not chosen.all():
        bound = _rounding_bounds(case, precise, by_hand)
        tiny = TINY * case.size / np.array([scale(part) for part in case.parts])
        chosen |= (off > np.maximum(bound, tiny)) & (off < np.inf)
        largest = np.array(precise.largest)
        tolerance = np.where(bound <= slack * largest, np.maximum(tolerance, bound), tolerance)
    chosen[: len(differenced_one_by_one(case, precise)) or 1] = False
    if case.cut:
        chosen &= [part.number not in case.cut for part in case.parts]
    places = np.flatnonzero(chosen)
    some = case.of_parts([case.parts[n] for n in places])
    if not places.size or (has_branches and not is_far_from_boundaries(some, some.parts)):
        return None
    return ManyComponents(some, places, candidate[places], reference[places], tolerance[places])


def _rounding_bounds(case: Case, precise: ManyDigitResults, by_hand: HandWrittenGradient | None) -> Any:
    """Bounds on the rounding errors of candidates."""
    own = by_hand.rounding(case) if by_hand else None
    sweep = np.array(precise.rounding or [0.0] * len(case.parts))
    return sweep if own is None else np.maximum(sweep, own.errors)
