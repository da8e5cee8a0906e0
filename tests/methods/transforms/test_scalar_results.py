"""Results that must be one real number, and what is said of others."""

from decimal import Decimal

import numpy as np
import pytest

from gradcli import grad, hessian, value_and_grad
from gradcli.errors import ResultError


@pytest.mark.parametrize(
    ("result", "came", "hint"),
    [
        (None, "returned None", "Is a `return` missing"),
        ("a", "returned a str", "not its text"),
        (lambda: 1.0, "returned a function", "Give the returned function a name"),
        ([1.0], "returned a list of 1", "jacobian"),
        ((1.0, 2.0), "returned a tuple of 2", "jacobian"),
        ({"a": 1.0}, "returned a dict", "jacobian"),
        (True, "returned a bool", "A comparison has no derivative"),
        (np.bool_(True), "returned a bool", None),
        (1j, "returned a complex", r"np.real\(z\)"),
        (np.array(1j), "returned a complex128", r"np.real\(z\)"),
        (np.ones(3), r"returned an array of shape \(3,\)", "`jacobian`, or return a number such as its sum"),
        (np.ones((1, 1)), r"returned an array of shape \(1, 1\)", r"return result\[0, 0\]"),
        (object(), "returned an object", "Return one float"),
        (Decimal(1), "returned a Decimal", "Return one float"),
        (print, "returned a builtin_function_or_method", "Return one float"),
    ],
)
def test_a_result_that_is_no_number(result, came, hint):

    def f(x):
        return result

    for transform in (grad, value_and_grad, hessian):
        needed_by = "hessian" if transform is hessian else "grad"
        with pytest.raises(ResultError, match=f"f {came}; {needed_by} needs one real number") as caught:
            transform(f)(1.0)
        assert hint is None or caught.match(hint)
    assert isinstance(caught.value, TypeError)


@pytest.mark.parametrize(
    ("f", "came"),
    [
        (lambda x: [x, x], "a list of 2"),
        (lambda x: {"a": x}, "a dict"),
        (lambda x: np.array([x, x]), r"an array of shape \(2,\)"),
        (lambda x: x > 0, "a bool"),
        (lambda x: np.float64(1) > 0, "a bool"),
        (lambda x: (x for _ in range(2)), "a generator"),
        (lambda x: f"{x}", "a str"),
    ],
)
def test_a_recorded_result_that_is_no_number(f, came):
    with pytest.raises(ResultError, match=came):
        grad(f)(1.0)
