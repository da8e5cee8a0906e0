"""The limit of difference quotients as the step goes to 0: by Neville's scheme, or the power with which they fall.

Where they approach it with a power of the step far below that of a smooth function, Neville's scheme hardly gains on
them, and by less than it can see: there the limit is that of a geometric sequence.
(A. Aitken, On Bernoulli's numerical solution of algebraic equations, 1926.)
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from itertools import pairwise

SHRINK = 4.0  # the factor between the steps of successive quotients
SAFETY = 2.0
LOST = 1e-2  # of a slope: the share of a term whose change is lost in its rounding over short steps
CLEAR = 100.0  # times its noise: a quotient that tells how fast quotients fall
FALLING = 4  # successive powers of the step that have to agree before it is known
SLOWEST = 0.05  # the least power with which quotients are seen to fall
SLOW = 0.5  # the power of the step below which Neville's scheme says too little of its error
SAME = 0.02  # how far powers of the step that agree may differ
FINE = 10.0  # times its rounding a limit may be off that is told from 0


@dataclass(frozen=True)
class NevilleEntry:
    """An entry of Neville's scheme: a derivative, its error, and the level of its shortest step."""

    value: float
    error: float
    level: int


def extrapolated(quotients: list[float], noise: list[float], order: int) -> NevilleEntry:
    """The value at step 0 with the least error.

    `order` is the power of the step in which the error of the quotients falls: 2 for central ones, 1 for one-sided.
    Long steps may agree with each other by chance, on a function that oscillates: a value from long steps is taken only
    while it agrees with those of all shorter ones.  Short steps may agree as well, on a function that loses the small
    change of a term in its rounding: they are no surer than they agree with a value from long steps that is surer.
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
        best = min(best, waiting.pop(), key=lambda each: each.error)
    near = (entry for entry in waiting if abs(entry.value - best.value) <= LOST * abs(best.value))
    rival = min(near, key=lambda each: each.error, default=best)
    if rival.error < best.error:
        best = replace(best, error=best.error + SAFETY * abs(rival.value - best.value))
    apart = abs(quotients[-1] - best.value)  # the shortest step has hardly any error but its noise
    error = best.error if apart <= best.error + noise[-1] else apart + noise[-1]
    return NevilleEntry(best.value, error, start + best.level)


def scheme(quotients: list[float], noise: list[float], order: int) -> list[NevilleEntry]:
    """For each level the entry of Neville's scheme with the least error."""
    found = []
    before: list[tuple[float, float]] = []
    for level, quotient in enumerate(quotients):
        latest, unsure = quotient, noise[level]
        line = [(latest, unsure)]
        best = NevilleEntry(quotient, math.inf, level)
        for k, (value, error) in enumerate(before, start=1):
            factor = SHRINK ** (order * k)
            new = (factor * latest - value) / (factor - 1)
            grown = (factor * unsure + error) / (factor - 1)
            moved = SAFETY * max(abs(new - latest), abs(new - value)) + grown
            best = NevilleEntry(new, moved, level) if moved < best.error else best
            latest, unsure = new, grown
            line.append((latest, unsure))
        found.append(best)
        before = line
    return found


# Quotients that approach their limit slowly


def slow_limit(quotients: list[float], noise: list[float], start: int) -> NevilleEntry | None:
    """The limit of quotients that approach it with a low power of the step; None where they do not.

    It is surest where the power is known; elsewhere what is left of them may be twice what their last changes tell.
    """
    changes = [abs(b - a) for a, b in pairwise(quotients[start:])]
    clear = [start + n for n, change in enumerate(changes, start=1) if change > CLEAR * noise[start + n]]
    found = None
    for level in range(clear[-1] if clear else 0, start + FALLING - 1, -1):
        known = quotients[level - FALLING : level + 1]
        ratios = _ratios([b - a for a, b in pairwise(known)])
        if not all(SHRINK**-SLOW < ratio < 1.0 for ratio in ratios):
            break
        *_, before, last, limit = (_aitken(*known[at : at + 3]) for at in range(FALLING - 1))
        moved, least = abs(limit - last), FINE * noise[level] / (1 - ratios[-1]) ** 2
        surely = moved <= max(least, 0.5 * abs(last - before))
        here = NevilleEntry(limit, SAFETY * (moved if surely else abs(limit - known[-1])) + least, level)
        found = here if found is None or here.error < found.error else found
    return found


def _ratios(numbers: list[float]) -> list[float]:
    """Each number divided by the one before it; nan after a 0."""
    return [b / a if a else math.nan for a, b in pairwise(numbers)]


# Quotients that fall to 0


@dataclass(frozen=True)
class Fall:
    """How quotients fall to 0 with the step.

    Attributes:
        power: of the step; infinite where the function is flat, as far as rounding lets one see.
        error: how far from 0 their limit may be.
        level: of the shortest step that tells.
        steepest: the largest of them.
    """

    power: float
    error: float
    level: int
    steepest: float = 0.0

    def better(self, entry: NevilleEntry) -> NevilleEntry:
        """The limit 0, where it is surer than another."""
        return NevilleEntry(0.0, self.error, self.level) if self.error < entry.error else entry


def fall(quotients: list[float], rounding: list[float]) -> Fall | None:
    """How quotients fall to 0, as far as they are well above their rounding; None where they do not.

    They fall by one factor a step, or nearly: what is left of them after that many steps is 0, or becomes less.
    """
    if not all(map(math.isfinite, quotients)):
        return None
    clear = [n for n, q in enumerate(quotients) if abs(q) > CLEAR * rounding[n]]
    if not clear:
        return Fall(math.inf, CLEAR * rounding[0], 0)
    if clear != [*range(clear[-1] + 1)]:
        return None
    found = None
    for level in range(clear[-1], FALLING - 1, -1):  # to the shortest steps, and the surest of them
        here = _falling(quotients[level - FALLING : level + 1], rounding[level], level)
        if here is None:
            break
        found = here if found is None or here.error < found.error else found
    return found and replace(found, steepest=max(map(abs, quotients)))


def _falling(known: list[float], rounding: float, level: int) -> Fall | None:
    """How a few quotients in turn fall, the last of which has this rounding error."""
    ratios = _ratios(known)
    if not all(0.0 < ratio < 1.0 for ratio in ratios):
        return None
    powers = [-math.log(ratio, SHRINK) for ratio in ratios]
    before, limit = (abs(_aitken(*known[at : at + 3])) for at in (FALLING - 3, FALLING - 2))
    least = FINE * rounding / (1 - ratios[-1]) ** 2
    if min(powers) < SLOWEST or max(powers) - min(powers) > SAME or limit > max(least, 0.5 * before):
        return None
    return Fall(powers[-1], 2 * limit + least, level)


def _aitken(a: float, b: float, c: float) -> float:
    """The limit of a sequence of which three numbers in turn are known, if what is left of it falls by one factor."""
    bend = (c - b) - (b - a)
    return c - (c - b) * ((c - b) / bend) if bend else c
