"""The partials of every row over its whole range, against differences of its value in many digits.

The value is that of the row's definition on mpmath's numbers, so that the reference owes nothing to the rules, nor to
SymPy. A partial may be off by 1e-12 of itself and of what it moves with its arguments; where SciPy's functions have
fewer digits than that, a finding says so.
"""

import math
import random
import signal
import time
from contextlib import contextmanager, suppress
from functools import cache

import mpmath
import pytest

from gradcli import grad, trace
from gradcli.mathematics.language import mpmath_functions
from gradcli.mathematics.rules import RULES, Elementwise
from gradcli.mathematics.rules.rule_table import Functions
from gradcli.methods.exact.special_function_accuracy import inaccuracies
from tests.mathematics.rules.truth import condition

pytestmark = [
    pytest.mark.skipif(not hasattr(signal, "ITIMER_VIRTUAL"), reason="needs a timer of processor time"),
    pytest.mark.filterwarnings("ignore"),  # of underflow, and of orders between whole numbers
]

RULES["jv"]  # imports the special functions
ROWS = [rule for rule in RULES.values() if isinstance(rule, Elementwise)]
PARTIALS = [
    pytest.param(rule, n, id=f"{rule.name}-{rule.parameters[n]}")
    for rule in ROWS
    for n, partial in enumerate(rule.partials)
    if partial is not None and n not in rule.flat
]

ALLOWED = 1e-12
TINY = 2.3e-308  # the smallest number with all digits
DIGITS, SLOW_DIGITS = (60, 150, 400, 1000, 2600), (40, 100, 250)
SLOW = ("erf", "erfc", "gamma", "lgamma", "digamma", "polygamma")  # as are special functions
IN_DIGITS = Functions(
    mpmath_functions.functions(), mpmath_functions.number, {"pi": mpmath.pi, "tau": 2 * mpmath.pi, "e": mpmath.e}
)

ORDINARY = 3  # numbers between 1e-3 and 1e3
WIDE, WIDE_SLOW, NARROW = 300, 12, 4
ENDLESS = ("hyp1f1", "hyp2f1", "hyperu", "kn", "yn")  # in a wider range, SciPy takes minutes
COUNT = 25  # points of a sample
SECONDS = 0.1  # of the processor, after which no further points are judged
LONGEST = 0.5  # for one point, as mpmath takes minutes for some


def is_slow(rule):
    """Whether mpmath takes long for so many digits."""
    return rule.special or rule.name in SLOW


def difference(rule, point, *positions):
    """The first or second derivative by differences in so many digits that two agree; None if none do."""
    before, ladder = None, SLOW_DIGITS if is_slow(rule) else DIGITS
    for digits in ladder:
        with mpmath.workdps(digits + 10):
            now = difference_in(digits, rule, point, positions)
        if now is None or (before is not None and (now or digits == 2600) and close(now, before)):
            return now
        before = now
    return None


def close(x, y):
    return abs(x - y) <= abs(x) * 1e-20 + mpmath.mpf("1e-400")


def difference_in(digits, rule, point, positions):
    """The difference quotient over a relative step of a third, or for second derivatives a quarter, of the digits."""
    x = list(map(mpmath_functions.number, point))
    steps = [abs(x[n]) / max(1, abs(x[n])) * mpmath.mpf(10) ** -(digits // (2 + len(positions))) for n in positions]

    def value(*signs):
        moved = list(x)
        for n, sign, step in zip(positions, signs, steps, strict=True):
            moved[n] += sign * step
        return rule.evaluate(IN_DIGITS, moved)

    if len(positions) == 1:
        found = (value(1) - value(-1)) / (2 * steps[0])
    else:
        found = (value(1, 1) - value(1, -1) - value(-1, 1) + value(-1, -1)) / (4 * steps[0] * steps[1])
    return found if mpmath.isfinite(found) else None


def number(rng, rule, name, spread):
    """A random number of random magnitude and sign, in the domain of an argument."""
    if name == "n" and "n == floor(n)" in rule.where and "or n == floor(n)" not in rule.where:
        return float(rng.choice((0, 1, 2, 3, 5, 10, 20)))
    x = rng.choice((-1, 1)) * 10 ** rng.uniform(-spread, spread)
    if name in "xm" and (" < 1" in rule.where or "x < 2" in rule.where) and rng.random() < 0.9:
        x = rng.choice((math.copysign(abs(x) % 1.0, x), 1 - 10 ** rng.uniform(-min(spread, 15), -0.3)))
    return x


def sample(rule, spread, count):
    """Points at which a row is defined and smooth with a finite value; some with nearly equal arguments."""
    rng = random.Random(f"{rule.name} {spread}")
    found = []
    for _ in range(60 * count):
        point = [number(rng, rule, name, spread) for name in rule.parameters]
        if len(point) > 1 and rng.random() < 0.15:
            first, second = rng.sample(range(len(point)), 2)
            point[first] = point[second] * (1 + rng.uniform(-1, 1) * 10 ** rng.uniform(-12, 0))
        if is_inside(rule, point):
            found.append(tuple(point))
        if len(found) == count:
            break
    return found


def moving(rule):
    """The positions of the arguments with a partial."""
    return [n for n, partial in enumerate(rule.partials) if partial is not None]


def is_inside(rule, point):
    value = rule.ieee(*point) if all(point[n] for n in moving(rule)) else math.nan
    inside = math.isfinite(value) and (not rule.where or condition(rule, rule.where)(value, *point))
    return inside and not (rule.kink and condition(rule, rule.kink)(value, *point))


def is_inaccurate(rule, n, point):
    """Whether a partial is off by more than is allowed; None if the truth is unknown."""
    wanted = difference(rule, point, n)
    if wanted is None or not math.isfinite(float(wanted)):
        return None
    got = grad(rule, n)(*point)
    off = abs(got - wanted)
    if off <= ALLOWED * abs(wanted) + TINY:
        return False
    moved = sum(abs(point[m] * (difference(rule, point, n, m) or 0)) for m in moving(rule))
    return not off <= ALLOWED * (abs(wanted) + moved) + TINY


def is_named(rule, n, point):
    """Whether a finding says that the function or the partial has lost digits."""
    found = inaccuracies(trace(lambda x: rule(*point[:n], x, *point[n + 1 :]), point[n], names=False))
    return any(each.parameter in (None, rule.parameters[n]) for each in found)


class TooLongError(Exception):
    """The time for one point is over."""


def is_over(*_):
    raise TooLongError


@contextmanager
def time_limit(seconds):
    """Raise an exception when the processor has been busy for so long."""
    before = signal.signal(signal.SIGVTALRM, is_over)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@cache
def inaccurate(rule, n, spread):
    """The points of a sample at which a partial has lost digits, and the number of those where the truth is known."""
    until, lost, known = time.process_time() + SECONDS, [], 0
    for point in sample(rule, spread, COUNT):
        with suppress(TooLongError), time_limit(LONGEST):
            found = is_inaccurate(rule, n, point)
            known += found is not None
            lost += [point] if found else []
        if time.process_time() > until:
            break
    return lost, known


@pytest.mark.sampled(30)
@pytest.mark.parametrize(("rule", "n"), PARTIALS)
def test_ordinary_numbers(rule, n):
    lost, _ = inaccurate(rule, n, ORDINARY)

    assert [point for point in lost if not is_named(rule, n, point)] == []


@pytest.mark.sampled(30)
@pytest.mark.parametrize(("rule", "n"), PARTIALS)
def test_the_whole_range(rule, n):
    lost, _ = inaccurate(rule, n, NARROW if rule.name in ENDLESS else WIDE_SLOW if is_slow(rule) else WIDE)

    assert [point for point in lost if not is_named(rule, n, point)] == []


@pytest.mark.long
def test_one_in_a_hundred_ordinary_numbers():
    counts = [inaccurate(*case.values, ORDINARY) for case in PARTIALS]

    assert sum(len(lost) for lost, _ in counts) <= 0.01 * sum(known for _, known in counts)
    assert sum(known > 0 for _, known in counts) > 0.9 * len(counts)
