"""Adjoints of array rules with many digits: they are those of the forward, whatever our own functions say."""

from decimal import Decimal

import numpy as np
import pytest

from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.products import MATMUL
from gradcli.mathematics.rules.reduction import MAX, MEAN, PROD, SUM
from gradcli.methods.exact import array_rule_adjoints, decimals

WHOLE = {"axis": None, "keepdims": False}
NUMBERS = np.array([2.0, -3.0, 5.0])


def asked(rule, *arrays, position=0, **static):
    """The adjoint of one argument for a cotangent of ones, and whether our own function agrees with it."""
    with decimals.digits(60):
        arguments = [decimals.to_decimals(x) for x in arrays]
        v = rule.forward(*map(np.asarray, arguments), **static)
        ct = np.full(np.shape(v), Decimal(1))[()]
        found = array_rule_adjoints.adjoint(rule, position, ct, v, arguments, static)
    return np.asarray(found.cotangent, dtype=float).tolist(), found.agrees


def test_a_linear_rule():
    assert asked(MEAN, np.ones(4), **WHOLE) == ([0.25] * 4, True)


@pytest.mark.parametrize(("position", "expected"), [(0, [[3.0, 7.0]] * 2), (1, [[1.0, 1.0]] * 2)])
def test_a_bilinear_rule(position, expected):
    found = asked(MATMUL, np.eye(2), np.array([[1.0, 2.0], [3.0, 4.0]]), position=position)

    assert found == (expected, True)


def test_a_rule_whose_own_function_needs_doubles_is_taken_apart():
    assert asked(PROD, NUMBERS, **WHOLE) == ([-15.0, 10.0, -6.0], None)


def test_a_rule_whose_own_function_meets_floats():
    assert asked(MAX, NUMBERS, **WHOLE) == ([0.0, 0.0, 1.0], True)


def test_a_wrong_function_of_ours_is_not_believed():
    spoiled = ArrayRule(
        "spoiled", SUM.forward, (lambda ct, v, x, **static: SUM.vjp(0, ct, v, (x,), static) * Decimal("1.000001"),)
    )

    assert asked(spoiled, NUMBERS, **WHOLE) == ([1.0, 1.0, 1.0], False)


def test_a_nonlinear_rule_is_checked_by_a_central_difference():
    cube = ArrayRule("cube", lambda x: x[0] ** 3, (lambda ct, v, x: np.stack([3 * x[0] ** 2 * ct, 0 * ct, 0 * ct]),))

    assert asked(cube, NUMBERS) == ([12.0, 0.0, 0.0], True)


def test_where_nothing_can_be_said_there_is_no_number():
    """A forward that cannot compute with many digits, and a function that cannot either."""

    def refuse(*arguments, **static):
        raise TypeError

    opaque = ArrayRule("opaque", lambda x: np.linalg.det(x) if x.dtype != object else refuse(), (refuse,))
    with decimals.digits(60):
        found = array_rule_adjoints.adjoint(opaque, 0, Decimal(1), Decimal(1), [decimals.to_decimals(np.eye(2))], {})

    assert [x.is_nan() for x in np.ravel(found.cotangent)] == [True] * 4
