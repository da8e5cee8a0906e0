"""Bounds of what rounding does: they hold, and are no wider than they have to be."""

import math
import statistics

import mpmath
import numpy as np
import pytest

from gradcli.mathematics.rules.indexing import SCATTER
from gradcli.mathematics.rules.rule_types import elementwise_rule
from gradcli.methods.exact import gradient
from gradcli.methods.numerics import rounding
from gradcli.methods.numerics.rounding.arithmetic import Arithmetic, Rounded
from gradcli.methods.numerics.rounding.array_rules import ArrayOperation, applied
from tests.methods.numerics.programs import random_runs, recorded


def bound(f, *at, half_ulp=rounding.HALF_ULP):
    """The bound of the first component of the sweep."""
    return rounding.sweep_errors(*recorded(f, *at), half_ulp)[0]


def value_bound(f, *at):
    tape, last, _ = recorded(f, *at)
    return rounding.value_errors(tape, [last])[0]


SLOPE = 1 / (0.3 * math.log(10))
ULP = 2.0**-53  # half a unit of the last place of 1
BOUNDS = {  # the least and the greatest bound of the derivative
    "a product, rounded like its factors": (lambda x: x * 0.1, 0.3, 0.1 * ULP, 0.1 * ULP),
    "cancellation that leaves no digit": (lambda x: (1 - math.cos(x)) / x**2, 1e-6, 80, 1e4),
    "a stable formula of the same": (lambda x: 2 * (math.sin(x / 2) / x) ** 2, 1e-2, 0.0, 1e-11),
    "a partial of three operations": (math.log10, 0.3, 2 * SLOPE * ULP, 20 * SLOPE * ULP),
}
OF_VALUES = {
    "a sum of two numbers, rounded once": (lambda x: x + 0.1, 0.3, 0.4 * ULP, 0.4 * ULP),
    "underflow": (lambda x: x * x, 1e-200, 5e-324, 1e-300),
    "a number of which nothing is known": (lambda x: 1 / ((x + 1e16) - 1e16 + 0.3), 0.2, math.inf, math.inf),
    "whole numbers": (lambda x: (x + 4) * 2, 3.0, 0.0, 0.0),
}


@pytest.mark.parametrize(
    ("found", "f", "at", "least", "most"),
    [*((bound, *case) for case in BOUNDS.values()), *((value_bound, *case) for case in OF_VALUES.values())],
    ids=[*BOUNDS, *OF_VALUES],
)
def test_bounds(found, f, at, least, most):
    assert least * (1 - 1e-6) <= found(f, at) <= most * (1 + 1e-6)


def test_errors_pass_through_partials():
    """Exp multiplies the error of its argument by its own value."""
    apart = value_bound(lambda x: math.exp(x + 0.1), 10.0) - math.exp(10.1) * 8 * 2**-53

    assert math.isclose(math.exp(10.1) * 10.1 * 2**-53, apart, rel_tol=1e-9)


def test_float32_is_rounded_more():
    ratio = bound(lambda x: x * 0.1, 0.3, half_ulp=2.0**-24) / bound(lambda x: x * 0.1, 0.3)

    assert math.isclose(2.0**29, ratio, rel_tol=1e-6)


def test_float32_bounds_hold():
    """The sweep of a program in float32 stays within the bound for float32."""
    at = np.array([0.3, 1.7, -2.2], dtype=np.float32)
    tape, last, inputs = recorded(lambda x: np.sum(np.exp(x) * np.sin(x) / (1 + x * x)), at)
    found = gradient.gradient(tape, last, inputs)
    bounds = rounding.sweep_errors(tape, last, inputs, 2.0**-24)
    swept = tape.sensitivities()[inputs[0]]

    assert [True] * 3 == [
        abs(d - mpmath.mpf(float(s))) <= b for d, s, b in zip(found.derivatives, swept, bounds, strict=True)
    ]


@pytest.mark.parametrize("name", ["neg", "abs", "maximum", "copysign", "heaviside"])
def test_operations_that_do_not_round(name):
    rule = elementwise_rule(name)
    assert value_bound(lambda x: rule(*[x] * len(rule.parameters)), 0.3) == 0.0


@pytest.mark.parametrize("name", ["reciprocal", "gamma", "digamma", "y0", "k1"])
def test_a_pole_that_may_be_met_has_no_bound(name):
    """Of a number that may be 0 a function with a pole there may be anything."""
    rule = elementwise_rule(name)
    assert value_bound(lambda x: rule((x + 1e16) - 1e16 + 0.3), 0.2) == math.inf


def test_each_number_of_an_array_has_its_own_pole():
    """A power has one at 0 where its exponent is negative."""
    x, y = np.array([0.3, 0.3]), np.array([-1.0, 1.0])
    known = [Rounded(x, np.array([1.0, 1.0])), Rounded(y, 0.0)]
    assert np.isinf(Arithmetic(rounding.HALF_ULP).apply(elementwise_rule("pow"), known).error).tolist() == [True, False]


@pytest.mark.parametrize("f", [lambda x: x.copy(), lambda x: np.roll(x, 1), lambda x: np.diagonal(x[:, None])])
def test_numbers_that_are_moved_keep_their_bounds(f):
    """A copy, a roll and a diagonal round nothing."""
    assert value_bound(lambda x: f(x)[0], np.array([0.3, 0.7])) == 0.0


@pytest.mark.parametrize("key", [np.array([0, 0, 0]), np.array([0, 1, 0])])
def test_numbers_that_are_put_to_one_place_are_added_there(key):
    known = Rounded(np.zeros(2), 0.0), Rounded(np.array([0.1, 1e10, -1e10]), 0.0)
    value = SCATTER.forward(*(x.value for x in known), keys=(key,))
    error = applied(ArrayOperation(SCATTER, {"keys": (key,)}, value, known, rounding.HALF_ULP, 1.0)).error
    exactly = [math.fsum(known[1].value[key == place]) for place in range(2)]
    assert np.all(np.abs(value - exactly) <= error)
    assert [rounding.HALF_ULP * (n - 1) * size for n, size in SUMS[tuple(key)]] == error.tolist()


SUMS = {(0, 0, 0): [(3, 0.1 + 1e10 + 1e10), (1, 0.0)], (0, 1, 0): [(2, 0.1 + 1e10), (1, 1e10)]}


def ratios(runs):
    """For each derivative of some runs that is not zero, how many times wider the bound is than it has to be."""
    for _, tape in runs:
        rows = list(tape.input_indices())
        found, swept = gradient.gradient(tape, tape.result_index(), rows), tape.sensitivities()
        bounds = rounding.sweep_errors(tape, tape.result_index(), rows)
        for derivative, row, error in zip(found.derivatives, rows, bounds, strict=True):
            if derivative and 1e-290 < abs(derivative) < 1e290 and math.isfinite(swept[row]):
                yield error / max(float(abs(derivative - swept[row])), float(abs(derivative)) * 2.0**-53)


@pytest.mark.parametrize(
    "seeds", [range(150), pytest.param(range(150, 900), marks=pytest.mark.long)], ids=["some", "many"]
)
def test_bounds_are_not_absurdly_wide(seeds):
    """On random programs half of the bounds are within a factor 20 of the error made, and 9 of 10 within 100."""
    found = sorted(ratios(random_runs(seeds)))

    assert statistics.median(found) < 20
    assert found[int(0.9 * len(found))] < 100


def summand(f, *at):
    """How large the terms of the sums are that the first component of the sweep is made of."""
    return rounding.sweep_summands(*recorded(f, *at))[0]


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: 3 * (x - 0.1) ** 2, 0.1, 0.6),
        (lambda x: math.sin(x) * 2, 3.0, 0.0),
        (lambda x: np.sum((np.array([0.5, 0.25]) @ x - 1.5) ** 2), np.array([2.0, 2.0]), 1.5),
        (lambda x: math.sqrt(x * x), 1e-200, 0.0),
        (lambda x: math.cos(x + 1.0), 0.3, 0.0),
    ],
    ids=["a difference", "no sum", "a product of arrays", "none that is finite", "inside a cosine"],
)
def test_the_terms_of_sums(f, at, expected):
    """As large as they arrive at the derivative, even where they cancel; a few times larger at most for arrays."""
    assert expected <= summand(f, at) * (1 + 1e-12) <= 5 * expected


def test_the_terms_of_complex_sums():
    found = rounding.sweep_summands(*recorded(lambda z: np.abs((z - 0.3j) * (z - 0.3j)), 0.3j))

    assert len(found) == 2
    assert all(math.isfinite(each) for each in found)


@pytest.mark.parametrize("number", [float, np.float64, lambda x: np.array([x])], ids=["float", "NumPy", "array"])
def test_the_error_of_a_power_whose_partial_underflows(number):
    """The reciprocal of 6e254 is off as far as that is, relative: five hundred roundings, and none of its own."""
    tape, last, _ = recorded(lambda x: np.sum(np.exp(x * 1.1) ** -1), number(533.3))
    (bound,) = rounding.value_errors(tape, [last])

    assert 400 * 2**-53 < bound / tape.value < 2000 * 2**-53


def test_typed_constants_are_rounded():
    tape, last, _ = recorded(lambda x: 3 * x * 0.1 + 0.5, 2.0)
    apart = rounding.value_errors(tape, [last], typed=True)[0] - rounding.value_errors(tape, [last])[0]

    assert math.isclose(6 * 0.1 * 2**-53, apart, rel_tol=1e-6)


def test_typed_arrays_that_are_written_into_are_rounded():
    """The numbers that stay; one that is overwritten is of no account."""

    def f(x):
        y = np.array([0.1, 0.3])
        y[0] = x
        return y[1]

    tape, last, _ = recorded(f, 2.0)

    assert rounding.value_errors(tape, [last], typed=True) == [0.3 * 2**-53]


def applications(monkeypatch, ask):
    """The number of operations that an analysis applies to answer."""
    count, usual = [], Arithmetic.apply
    with monkeypatch.context() as patch:
        patch.setattr(Arithmetic, "apply", lambda self, *arguments: count.append(1) or usual(self, *arguments))
        ask()
    return len(count)


def test_values_and_derivatives_share_one_analysis_of_the_values(monkeypatch):
    """Together they cost no more operations than the derivatives alone."""
    tape, last, inputs = recorded(lambda x: math.sin(x * 0.1) * x, 2.0)
    both = rounding.error_analysis(tape, last)
    alone = applications(monkeypatch, lambda: rounding.sweep_errors(tape, last, inputs))

    assert alone == applications(monkeypatch, lambda: (both.of_values([last]), both.of_derivatives(last, inputs)))
    assert rounding.value_errors(tape, [last]) == both.of_values([last])
