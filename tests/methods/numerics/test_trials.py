"""What rounding does by trial: in loops that forget an error, and in those that let it grow."""

import math

import mpmath
import pytest

from gradcli.methods.numerics import rounding
from tests.methods.numerics.programs import recorded


def turned(x, rate, turns=100):
    for _ in range(turns):
        x = rate * x * (1 - x)
    return x


def error(rate):
    """How far the map is off in floating point."""
    with mpmath.workdps(100):
        return float(abs(turned(mpmath.mpf(0.3), mpmath.mpf(rate)) - turned(0.3, rate)))


def trial(f, *at):
    tape, last, _ = recorded(f, *at)
    return rounding.moved_by_trial(tape, [last], rounding.HALF_ULP)[0]


@pytest.mark.parametrize("rate", [2.5, 3.2, 3.7, 4.0])
def test_a_loop_is_off_by_less_than_in_the_trials(rate):
    assert error(rate) <= trial(lambda x: turned(x, rate), 0.3)


def test_a_loop_that_forgets_its_errors_has_few():
    """The bound of a running analysis is more than the number."""
    assert 1e-14 > trial(lambda x: turned(x, 2.5), 0.3)


def test_errors_to_the_same_side_add_up():
    """A number added to itself a thousand times is off by more than by chance."""

    def f(x):
        total = 0.0
        for _ in range(1000):
            total = total + x
        return total

    with mpmath.workdps(50):
        off = float(abs(1000 * mpmath.mpf(0.1) - f(0.1)))
    assert off <= trial(f, 0.1) <= 1e4 * off


def test_what_cannot_be_run_with_other_numbers_has_no_bound():
    """Off the domain of a function there is no value."""
    assert trial(lambda x: (x - x.__class__(2.0) * 0.5) ** 0.5 + x, 1.0) >= 0.0


@pytest.mark.parametrize("x", [1e-16, 3e-17, 2.1e-17])
def test_an_error_is_not_rounded_away(x):
    """Half a unit, added to a number, may be none: the next number is tried as well."""
    assert trial(lambda x: math.cos(1 / x), x) >= 1.0
