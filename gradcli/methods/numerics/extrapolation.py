"""The limit of difference quotients as the step goes to 0: by Neville's scheme, or from their rate of fall.

If the quotients converge at a power of the step far below that of a smooth function, Neville's scheme hardly improves
them and underestimates its error. The limit is then that of a geometric sequence. (A. Aitken, On Bernoulli's numerical
solution of algebraic equations, 1926.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

SHRINK = 4.0  # the factor between the steps of successive quotients
SAFETY = 2.0
LOST = 1e-2  # share of a term in a slope whose change rounding hides over short steps
CLEAR = 100.0  # times its noise: the size of a quotient that shows the rate of fall
FALLING = 4  # successive powers of the step that must agree
SLOWEST = 0.05  # least power of the step that counts as a fall
SLOW = 0.5  # power of the step below which Neville's scheme underestimates its error
SAME = 0.02  # largest difference of powers that agree
FINE = 10.0  # times its rounding error: the least limit that differs from 0
ERROR = attrgetter("error")


@dataclass(frozen=True)
class NevilleEntry:
    """An entry of Neville's scheme: a derivative, its error, and the level of its shortest step."""

    value: float
    error: float
    level: int


def extrapolated(quotients: list[float], noise: list[float], order: int) -> NevilleEntry:
    """The value at step 0 with the smallest error.

    `order` is the power of the step in the error of the quotients: 2 for central, 1 for one-sided ones.

    Long steps may agree by chance on a function that oscillates, so a value from long steps counts only while it agrees
    with those of all shorter steps. Short steps may agree on a function that loses the small change of a term in
    rounding, so their error includes the difference from a value of long steps with a smaller error.
    """
    start = max((n + 1 for n, quotient in enumerate(quotients) if not math.isfinite(quotient)), default=0)
    if start >= len(quotients) - 1:
        return NevilleEntry(math.nan, math.inf, len(quotients) - 1)
    slow = slow_limit(quotients, noise, start)
    if slow is not None:
        return slow
    levels = scheme(quotients[start:], noise[start:], order)
    best, waiting = levels[-1], levels[:-1]
    while waiting and abs(waiting[-1].value - best.value) <= waiting[-1].error + best.error:
        best = min(best, waiting.pop(), key=ERROR)
    near = (entry for entry in waiting if abs(entry.value - best.value) <= LOST * abs(best.value))
    rival = min(near, key=ERROR, default=best)
    if rival.error < best.error:
        best = replace(best, error=best.error + SAFETY * abs(rival.value - best.value))
    gap = abs(quotients[-1] - best.value)  # the error of the shortest step is mostly noise
    error = best.error if gap <= best.error + noise[-1] else gap + noise[-1]
    return NevilleEntry(best.value, error, start + best.level)


def scheme(quotients: list[float], noise: list[float], order: int) -> list[NevilleEntry]:
    """For each level, the entry of Neville's scheme with the smallest error."""
    entries = []
    factors = [SHRINK ** (order * k) for k in range(1, len(quotients))]
    before: list[tuple[float, float]] = []
    for level, quotient in enumerate(quotients):
        latest, unsure = quotient, noise[level]
        line = [(latest, unsure)]
        best, least = quotient, math.inf
        for factor, (value, error) in zip(factors, before, strict=False):
            new = (factor * latest - value) / (factor - 1)
            grown = (factor * unsure + error) / (factor - 1)
            moved = SAFETY * max(abs(new - latest), abs(new - value)) + grown
            if moved < least:
                best, least = new, moved
            latest, unsure = new, grown
            line.append((latest, unsure))
        entries.append(NevilleEntry(best, least, level))
        before = line
    return entries


# Quotients that converge slowly


def slow_limit(quotients: list[float], noise: list[float], start: int) -> NevilleEntry | None:
    """The limit of quotients that converge at a low power of the step; None if they do not.

    The error is smallest where the power is known. Elsewhere, the remainder may be twice what the last changes suggest.
    """
    changes = [abs(b - a) for a, b in pairwise(quotients[start:])]
    clear = [start + n for n, change in enumerate(changes, start=1) if change > CLEAR * noise[start + n]]
    best = None
    for level in range(clear[-1] if clear else 0, start + FALLING - 1, -1):
        known = quotients[level - FALLING : level + 1]
        ratios = _ratios([b - a for a, b in pairwise(known)])
        if not all(SHRINK**-SLOW < ratio < 1.0 for ratio in ratios):
            break
        *_, before, last, limit = (_aitken(*known[at : at + 3]) for at in range(FALLING - 1))
        moved, least = abs(limit - last), FINE * noise[level] / (1 - ratios[-1]) ** 2
        surely = moved <= max(least, 0.5 * abs(last - before))
        here = NevilleEntry(limit, SAFETY * (moved if surely else abs(limit - known[-1])) + least, level)
        best = here if best is None or here.error < best.error else best
    return best


def _ratios(numbers: list[float]) -> list[float]:
    """Each number divided by the one before it; nan after a 0."""
    return [b / a if a else math.nan for a, b in pairwise(numbers)]


# Quotients that fall to 0


@dataclass(frozen=True)
class QuotientDecay:
    """The fall of quotients to 0 with the step.

    Attributes:
        power: the power of the step; infinite if the function is flat up to rounding.
        error: a bound on the distance of their limit from 0.
        level: the level of the shortest step that was used.
        steepest: the largest of the quotients.
    """

    power: float
    error: float
    level: int
    steepest: float = 0.0

    def better(self, entry: NevilleEntry) -> NevilleEntry:
        """The limit 0 if its error is smaller than that of `entry`, else `entry`."""
        return NevilleEntry(0.0, self.error, self.level) if self.error < entry.error else entry


def quotient_decay(quotients: list[float], rounding: list[float]) -> QuotientDecay | None:
    """The fall of quotients to 0, as far as they are well above their rounding errors; None if they do not fall.

    They fall by a nearly constant factor per step, so that the extrapolated remainder is 0 or shrinks.
    """
    if not all(map(math.isfinite, quotients)):
        return None
    clear = [n for n, q in enumerate(quotients) if abs(q) > CLEAR * rounding[n]]
    if not clear:
        return QuotientDecay(math.inf, CLEAR * rounding[0], 0)
    if clear != [*range(clear[-1] + 1)]:
        return None
    decay = None
    for level in range(clear[-1], FALLING - 1, -1):  # towards longer steps, keeping the smallest error
        here = _falling(quotients[level - FALLING : level + 1], rounding[level], level)
        if here is None:
            break
        decay = here if decay is None or here.error < decay.error else decay
    return decay and replace(decay, steepest=max(map(abs, quotients)))


def _falling(known: list[float], rounding: float, level: int) -> QuotientDecay | None:
    """The fall of a few successive quotients, the last of which has this rounding error; None if they do not fall."""
    ratios = _ratios(known)
    if not all(0.0 < ratio < 1.0 for ratio in ratios):
        return None
    powers = [-math.log(ratio, SHRINK) for ratio in ratios]
    before, limit = (abs(_aitken(*known[at : at + 3])) for at in (FALLING - 3, FALLING - 2))
    least = FINE * rounding / (1 - ratios[-1]) ** 2
    if min(powers) < SLOWEST or max(powers) - min(powers) > SAME or limit > max(least, 0.5 * before):
        return None
    return QuotientDecay(powers[-1], 2 * limit + least, level)


def _aitken(a: float, b: float, c: float) -> float:
    """The limit of a sequence from three successive numbers, if the remainder falls by a constant factor."""
    bend = (c - b) - (b - a)
    return c - (c - b) * ((c - b) / bend) if bend else c
