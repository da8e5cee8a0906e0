"""The derivative with many digits, against mpmath's of the same mathematics."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest

from gradcli.methods import exact, rounding, trail
from tests.methods.programs import KNOWN, derivatives, random_runs, recorded


def same(a, b):
    """Whether two numbers have 25 digits in common; what is below the smallest double counts as nothing."""
    return abs(a - b) <= mpmath.mpf(10) ** -25 * abs(b) or max(abs(a), abs(b)) < mpmath.mpf(10) ** -400


@pytest.mark.parametrize(("f", "at", "twin"), [case[1:] for case in KNOWN], ids=[case[0] for case in KNOWN])
def test_derivatives_are_those_of_mpmath(f, at, twin):
    """Twenty-five digits of every component agree."""
    found = exact.gradient(*recorded(f, at)).derivatives

    assert [True] * len(found) == [same(a, b) for a, b in zip(found, derivatives(twin, at), strict=True)]


def test_the_point_is_the_exact_double():
    """0.1 is not a tenth: the derivative of x**2 there is twice the double."""
    (found,) = exact.gradient(*recorded(lambda x: x**2, 0.1)).derivatives

    assert 2 * mpmath.mpf(0.1) == found


def test_constants_of_the_program_are_exact_doubles():
    """A factor of 0.1 in the program is the double that it is."""
    (found,) = exact.gradient(*recorded(lambda x: 0.1 * x, 3.0)).derivatives

    assert mpmath.mpf(0.1) == found


def test_cancellation_keeps_its_digits():
    """At 1e-4 the slope of (1 - cos x) / x**2 is -x/12, which doubles get wrong in sign."""
    (found,) = exact.gradient(*recorded(lambda x: (1 - math.cos(x)) / x**2, 1e-4)).derivatives

    assert math.isclose(-8.333333327777778e-06, float(found), rel_tol=1e-15)


def test_total_cancellation_is_zero():
    """The contributions to x - x cancel, and nothing is left of them."""
    (found,) = exact.gradient(*recorded(lambda x: math.sin(x) - math.sin(x), 0.7)).derivatives

    assert 0 == found


def test_cancellation_inside_the_program_is_zero():
    """The last digits of x/x are no derivative, whatever comes after."""
    (found,) = exact.gradient(*recorded(lambda x: math.exp(x / x) * 3, 0.7)).derivatives

    assert 0 == found


def test_a_partial_below_all_digits_at_hand():
    """The slope of tanh at 300 is 1e-260, which SymPy writes as 1 - tanh**2."""
    (found,) = exact.gradient(*recorded(math.tanh, 300.0)).derivatives

    assert math.isclose(1 / math.cosh(300.0) ** 2, float(found), rel_tol=1e-12)


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: math.sqrt(x), 0.0),
        (lambda x: math.sqrt(x) ** 2, 0.0),
        (lambda x: (-2.0) ** x, 2.0),
    ],
    ids=["infinite slope", "zero times infinity", "negative base"],
)
def test_where_there_is_no_derivative_there_is_none(f, at):
    """No number is made up."""
    assert (None,) == exact.gradient(*recorded(f, at)).derivatives


def test_other_components_keep_theirs():
    """One that is undefined takes no other with it."""
    found = exact.gradient(*recorded(lambda x, y: math.sqrt(x) + 3 * y, 0.0, 1.0)).derivatives

    assert (None, 3) == found


def test_an_input_without_a_part_in_the_result():
    """Its derivative is exactly 0."""
    assert (1, 0) == exact.gradient(*recorded(lambda x, y: x + 1.0, 2.0, 3.0)).derivatives


def test_what_was_not_taken_contributes_nothing():
    """The root beside the chosen side has an infinite slope, and no part."""
    found = exact.gradient(*recorded(lambda x: np.where(x < 1, x, np.sqrt(x)), np.float64(0.0))).derivatives

    assert (1,) == found


def test_the_largest_contribution_is_told():
    """Of 1000 x - 999 x the contributions are 1000 and 999."""
    found = exact.gradient(*recorded(lambda x: 1000 * x - 999 * x, 2.0))

    assert ((1,), (1000,)) == (found.derivatives, found.largest)


def test_a_long_program_is_refused(monkeypatch):
    """A matrix product of many numbers is given up before it takes minutes."""
    monkeypatch.setattr(trail, "MOST_STEPS", 1000)
    wide = np.ones((20, 20))

    with pytest.raises(trail.TooLongError, match="more than 1000 single steps"):
        exact.gradient(*recorded(lambda x: np.sum(x @ x), wide))


def agrees_with_the_sweep(tape):
    """Whether the sweep of a random program is within its own rounding of the exact gradient."""
    last = tape.result_index()
    rows = list(tape.input_rows())
    found, swept = exact.gradient(tape, last, rows), tape.sensitivities()
    bounds = rounding.sweep_errors(found.played)
    triples = zip(found.derivatives, (swept[row] for row in rows), bounds, strict=True)
    told = ((d, s, bound) for d, s, bound in triples if d is not None and abs(d) < 1e300 and math.isfinite(s))
    return all(abs(d - s) <= bound + 1e-320 for d, s, bound in told)


def test_random_programs():
    """On each, the sweep of the tape is within its rounding bound of the exact derivative."""
    assert [] == [point for point, tape in random_runs(range(1500)) if not agrees_with_the_sweep(tape)]


@pytest.mark.long
def test_many_random_programs():
    """The same for tens of thousands."""
    assert [] == [point for point, tape in random_runs(range(2000, 30_000)) if not agrees_with_the_sweep(tape)]
