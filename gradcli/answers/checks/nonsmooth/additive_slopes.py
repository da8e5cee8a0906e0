"""Whether the slopes by single numbers add up along directions that move several, as those of a gradient do.

At a kink they are one-sided slopes. Those add up if every kink is one of a single number, such as abs(x), and not at a
kink of several numbers together, such as a tie.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import islice
from typing import Any

import numpy as np

from gradcli.answers.checks.evidence_types import POWER, SAFETY, Evidence
from gradcli.answers.checks.nonsmooth.subgradient_membership import moving
from gradcli.answers.checks.problem.compared_case import Case
from gradcli.methods.exact import one_sided_limits
from gradcli.methods.exact.one_sided_limits import scale
from gradcli.methods.numerics.nearby_gradients import directions

TOGETHER = 2  # directions in which several numbers are moved together
CROSSINGS = 5  # directions nearby, of which every other one is used: the second is the first one reversed


def nonadditive_direction(case: Case, evidence: Sequence[Evidence]) -> str | None:
    """Describe a direction along which the slope is not the sum of the partial slopes.

    Numbers without differences of their own have their references; the sum is then only expected between the two sides.

    Costs some forty runs per direction, like one number more. It has no time limit, as its result decides over others.

    Returns:
        The text of a finding; empty if there is no such direction, None if an interruption ended the search.
    """
    sides = np.array([_one_sided(e) for e in evidence]).reshape(-1, 3)
    if not case.switch or len(sides) < 2 or not np.all(np.isfinite(sides)):
        return ""
    close = case.surroundings(case.parts)
    for way in islice(directions(len(sides), CROSSINGS), 0, CROSSINGS, 2):
        along, unit = close.slopes(way), close.scales * way
        if close.is_over():
            return None
        left, right = (sign * math.fsum(_rises(sides, sign * unit)) for sign in (-1.0, 1.0))
        room = SAFETY * (float(sides[:, 2] @ np.abs(unit)) + along.left_error + along.right_error)
        room += POWER * max(float(np.max(np.abs(sides[:, :2].T * unit))), abs(along.left), abs(along.right))
        if not _is_sum(along.left, along.right, left, right, room, all(e.slope for e in evidence)):
            slopes = f"the slopes are {along.left:.6g} to the left and {along.right:.6g} to the right"
            sums = " and ".join(dict.fromkeys(f"{total + 0.0:.6g}" for total in (left, right)))
            return f"{moving(case.parts, unit)}, {slopes}, but the partial slopes add up to {sums}"
    return ""


def _is_sum(along_left: float, along_right: float, left: float, right: float, room: float, exactly: bool) -> bool:
    """Whether the slopes along a direction are sums of partial ones; or, not `exactly`, whether these lie between."""
    if exactly or not math.isfinite(along_left + along_right):
        return not max(abs(along_left - left), abs(along_right - right)) > room
    least, most = sorted((along_left, along_right))
    return least - room <= min(left, right) and max(left, right) <= most + room


def _one_sided(e: Evidence) -> tuple[float, float, float]:
    """The slopes to the left and to the right, and their error; those of the reference if there are no differences."""
    if e.slope is None:
        return (math.nan if e.reference is None else e.reference,) * 2 + (0.0,)
    return e.slope.left, e.slope.right, e.slope.left_error + e.slope.right_error


def _rises(sides: Any, unit: Any) -> Any:
    """The rise along each number's step."""
    return unit * np.where(unit > 0, sides[:, 1], sides[:, 0])


def form_a_gradient(case: Case, evidence: Sequence[Evidence]) -> bool:
    """Whether the exact slopes next to the point may be those of a gradient.

    They are compared along directions through their own numbers, where the sum must be confirmed, then through all. The
    slopes by the other numbers are differences, so a sum with them must only not be refuted.
    """
    exact = [n for n, e in enumerate(evidence) if e.boundary.path is not None and e.boundary.path.exact]
    sides = np.array([_one_sided(e) for e in evidence])
    known = [n for n in range(len(sides)) if np.all(np.isfinite(sides[n]))]
    own = len(exact) < 2 or not set(exact).issubset(known) or _add_up(case, evidence, exact, sides) is True
    return own and (known == exact or len(known) < 2 or _add_up(case, evidence, known, sides) is not False)


def _add_up(case: Case, evidence: Sequence[Evidence], some: Sequence[int], sides: Any) -> bool | None:
    """Whether the slopes by some numbers add up to those along directions through all of these; None if unknown."""
    parts, sides = [case.parts[n] for n in some], sides[some]
    widths = [path.width if (path := evidence[n].boundary.path) else 0.0 for n in some]
    generator = np.random.default_rng(0)
    for _ in range(TOGETHER):
        steps = generator.uniform(0.1, 1.0, len(parts)) * generator.choice([-1.0, 1.0], len(parts))
        steps = steps * np.array([scale(part) for part in parts])
        limits = one_sided_limits.limits_along(
            case.function, case.point, case.direction(parts, list(steps)), float(np.max(widths / np.abs(steps)))
        )
        if limits is None:
            return None
        left, right = (sign * math.fsum(_rises(sides, sign * steps)) for sign in (-1.0, 1.0))
        room = case.slack * float(np.max(np.abs(sides[:, :2]), 1) @ np.abs(steps)) + limits.error
        room += SAFETY * float(sides[:, 2] @ np.abs(steps))
        if not _is_sum(limits.left, limits.right, left, right, room, all(evidence[n].slope for n in some)):
            return False
    return True
