"""Functions that write into their arguments: derived, they return what they wrote into."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

X = np.array([0.5, -1.0, 2.0])


def appends(x, out):
    out.append(x[0] ** 2 + x[1])


def extends(x, out):
    out.extend([x[0], x[1] * 2.0])


def inserts(x, out):
    out.insert(0, x[0] * x[1])


def fills(x, out):
    for i in range(len(x)):
        out[i] = x[i] ** 2


def steps(u, new, rate):
    """One step of a heat equation, which says how large it was."""
    new[1:-1] = u[1:-1] + rate * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(new)


def fills_through(x, out):
    fills(x, out)
    out[0] *= 2.0


def adds_at(x, out):
    np.add.at(out, np.array([0, 0, 1]), x)


def halves(x, out, count):
    """Calls itself."""
    out[count] = x[count] * 0.5
    if count > 0:
        halves(x, out, count - 1)


def own_copy(x):
    x = x.copy()
    x[0] = 2.0
    return x[0] * x[1]


def of_appended(x):
    out = []
    appends(x, out)
    extends(x, out)
    return out[0] * out[1] + out[2]


def of_inserted(x):
    out = [x[2]]
    inserts(x, out)
    return out[0] * out[1]


def of_filled(x):
    y = np.zeros(3)
    fills(x, y)
    return np.sum(y * x)


def of_filled_by_keyword(x):
    y = np.zeros(3)
    fills(out=y, x=x * 2.0)
    return np.sum(y * x)


def of_filled_twice(x):
    y = np.zeros((2, 3))
    fills(x, y[0])
    fills_through(x + 1.0, y[1])
    return np.sum(y[0] * y[1])


def of_steps(x):
    new = x.copy()
    total = 0.0
    for _ in range(3):
        old = new.copy()
        total += steps(old, new, 0.1)
    size = steps(new.copy(), new, rate=0.2)
    return total * size + new[1]


def of_added(x):
    y = x * 1.0
    adds_at(x, y)
    return np.sum(y * y)


def of_halves(x):
    y = np.zeros(3)
    halves(x, y, 2)
    return np.sum(y * y)


def of_own_copy(x):
    return own_copy(x) + x[0]


def of_nested(x):
    y = np.zeros(3)

    def fill(k):
        y[k] = x[k] ** 2

    for k in range(3):
        fill(k)
    return np.sum(y * x)


def of_a_number_too(x):
    def split(u, out):
        out[0] = u[0] * u[1]
        return u[2]

    y = np.zeros(1)
    return split(x, y)


def of_a_value_in_an_expression(x):
    y = x * 2.0
    z = 3.0 * twice(y) + x[1]
    return np.sum(y) * z


@pytest.mark.parametrize(
    "function",
    [
        of_a_value_in_an_expression, of_appended, of_inserted, of_filled, of_filled_by_keyword, of_filled_twice,
        of_steps, of_added, of_halves, of_own_copy, of_nested, of_a_number_too,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_a_function_that_writes_into_its_argument(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)
    np.testing.assert_allclose(derived(2.0 * X), gradcli.grad(function)(2.0 * X), rtol=1e-12)


def twice(x):
    x[0] = 3.0
    return x[0] * x[1]


def read_before(x):
    y = x * 2.0
    return y[0] * twice(y)


def called_on_a_condition(x):
    y = x * 2.0
    return y[0] if x[0] > 1e9 else twice(y)


def reads_what_it_writes(x):
    y = x * 2.0
    fills(y, y)
    return np.sum(y)


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (read_before, r"twice\(y\), which writes into an argument, inside an expression"),
        (called_on_a_condition, r"twice\(y\), which writes into an argument, inside an expression"),
        (reads_what_it_writes, r"fills\(y, y\), which writes into y and reads it as well"),
    ],
)
def test_what_is_refused(function, what):
    with pytest.raises(UnsupportedError, match=f"derive does not know {what}"):
        gradcli.derive(function, at=X)


TABLE = np.array([1.0, 2.0, -3.0])


def floors(x, values):
    values[values < 0.0] = 0.5
    return np.sum(values * x)


def of_a_table(x):
    """What is written into belongs to the module."""
    return floors(x, TABLE) * x[0]


def test_an_argument_of_the_module():
    found = gradcli.derive(of_a_table, at=X).function(X)

    np.testing.assert_allclose(found, gradcli.grad(of_a_table)(X), rtol=1e-12)
