"""Functions that write into their arguments: derived, they return what they wrote into."""

import numpy as np
import pytest

import gradcli
from gradcli.errors import UnsupportedError

pytestmark = pytest.mark.sampled(3)  # many like cases

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


def adds_to(y, x):
    y += x * x


def scales(y, factor):
    y *= factor
    return np.sum(y)


def of_added_to(x):
    y = x * 2.0
    adds_to(y, x)
    return np.sum(y * x)


def of_scaled(x):
    y = x * 2.0
    total = scales(y, x[0])
    return total * np.sum(y * y)


def of_an_updated_number(x):
    """A number is not written into."""
    a = x[0] * 2.0
    total = scales(a, 3.0)
    return total * a


def swaps(a, b):
    a[0] = a[0] * 2.0
    return a * b, np.sum(b)


def of_a_pair_and_an_argument(x):
    y = x + 1.0
    products, total = swaps(y, x)
    return np.sum(products**2) * total + np.sum(y)


def of_a_pair_under_a_name(x):
    y = x + 1.0
    pair = swaps(y, x)
    return np.sum(pair[0] ** 2) * pair[1] + np.sum(y)


def of_an_item_of_a_pair(x):
    y = x + 1.0
    total = 2.0 * swaps(y, x)[1]
    return total * np.sum(y)


def of_its_own_length(x):
    y = x * x
    fills_first(y, y.shape[0], len(y))
    return np.sum(y)


def raises_by_one(v):
    v += 1.0
    return v


def of_a_name_bound_again(x):
    y = x * 1.5
    for _ in range(2):
        y = raises_by_one(y)
        y[0] = x[1] * y[2]
    return np.sum(y * x)


def of_an_item_bound_again(x):
    d = {"a": x * 2.0}
    d["a"] = raises_by_one(d["a"])
    return np.sum(d["a"] * x)


def exchanges_first(a, b):
    a[0] = b[0] * 2.0
    b[1] = a[1] * 3.0
    return a[0] * b[1]


def of_two_written_again(x):
    a, b = x * 2.0, x * 3.0
    product = exchanges_first(a, b)
    a[1] = 1.0
    b[0] = product * a[0]
    return np.sum(a * b) * product


def begins(v):
    v[0] = v[0] * 2.0
    return v[:2]


def of_a_part(x):
    y = x * 1.5
    first = begins(y)
    return np.sum(first * first) * y[0]


def fills_first(y, count, length):
    y[: count - 1] = y[1:length] ** 2


@pytest.mark.parametrize(
    "function",
    [
        of_added_to, of_scaled, of_an_updated_number, of_a_pair_and_an_argument, of_its_own_length,
        of_a_pair_under_a_name, of_an_item_of_a_pair,
        of_a_value_in_an_expression, of_appended, of_inserted, of_filled, of_filled_by_keyword, of_filled_twice,
        of_steps, of_added, of_halves, of_own_copy, of_nested, of_a_number_too,
        of_a_name_bound_again, of_an_item_bound_again, of_two_written_again, of_a_part,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_a_function_that_writes_into_its_argument(function):
    derived = gradcli.derive(function, at=X).function

    np.testing.assert_allclose(derived(X), gradcli.grad(function)(X), rtol=1e-12)
    np.testing.assert_allclose(derived(2.0 * X), gradcli.grad(function)(2.0 * X), rtol=1e-12)


def of_a_part_and_the_whole(x):
    y = x * 1.5
    first = begins(y)
    y[0] = y[1] * 3.0
    return np.sum(first * first) + y[2]


def of_a_second_name(x):
    y = x * 1.5
    z = y
    raises_by_one(y)
    return np.sum(y * x * z)


def of_a_list_and_itself(x):
    y = [x[0], x[1]]
    z = appends_to_itself(y)
    y[0] = x[2] * 2.0
    return z[0] * z[-1] * y[1]


def appends_to_itself(v):
    v.append(v[0] * 2.0)
    return v


@pytest.mark.parametrize("function", [of_a_part_and_the_whole, of_a_second_name, of_a_list_and_itself])
def test_a_second_name_of_what_a_call_writes_into_is_refused(function):
    with pytest.raises(UnsupportedError, match="as a second name of what y holds"):
        gradcli.derive(function, at=X)


def binds_what_it_writes_into(v):
    v = raises_by_one(v)
    return np.sum(v)


def test_an_argument_that_is_written_into_and_bound_to_the_value_is_refused():
    with pytest.raises(UnsupportedError, match=r"v = raises_by_one\(v\), which binds an argument that it writes into"):
        gradcli.derive(lambda x: binds_what_it_writes_into(x * 2.0), at=X)


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


def writes_through_a_list(a, b):
    for new, old in ((b, a), (a, b)):
        new[1:] = old[:-1] * 2.0


def of_a_list_of_arguments(x):
    y = x * x
    writes_through_a_list(y, x.copy())
    return np.sum(y)


def written_through_a_list(x):
    y, z = x * x, x * 2.0
    for new, old in ((y, z), (z, y)):
        new[1:] = old[:-1] * 2.0
    return np.sum(y)


def adds_to_a_second_name(y):
    v = y
    v += 1.0


def of_a_second_name(x):
    y = x * x
    adds_to_a_second_name(y)
    return np.sum(y * x)


def adds_to_rows(rows):
    for row in rows:
        row += 1.0


def of_rows(x):
    rows = np.outer(x, x)
    adds_to_rows(rows)
    return np.sum(rows * rows)


def set_by_a_second_name(y):
    v = y[1:]
    v[0] = 3.0


def a_view_in_a_called_function(x):
    z = x * 1.0
    set_by_a_second_name(z)
    return np.sum(z * x)


UNSEEN = [of_a_list_of_arguments, written_through_a_list, of_a_second_name, of_rows, a_view_in_a_called_function]


@pytest.mark.parametrize("function", UNSEEN, ids=lambda f: f.__name__)
def test_an_array_written_through_a_list_is_refused(function):
    with pytest.raises(UnsupportedError, match=r"for its effect|as a second name of what"):
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
