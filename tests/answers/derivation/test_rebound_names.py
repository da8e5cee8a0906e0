"""Names that are rebound to arrays and lists of another size, and inputs that are rebound outside `--wrt`."""

import numpy as np
import pytest

import gradcli

pytestmark = pytest.mark.sampled(3)  # many like cases


def shortened(x):
    x = x[1:]
    return np.sum(x**2)


def extended(x):
    x = np.concatenate([x, x[:1]])
    return np.sum(x * x)


def shortened_by_products(x):
    for _ in range(2):
        x = x[:-1] * x[1:]
    return np.sum(x)


def thinned_where_long(x):
    """A branch that only a forced run takes."""
    if len(x) > 1000:
        x = x[::2]
    return np.sum(x * x)


def folded(x):
    while len(x) > 1:
        x = x[: len(x) // 2] * 1.5 + x[-(len(x) // 2) :] ** 2
    return x[0]


def overwritten(x):
    """The earlier value is not used at all."""
    y = np.sin(x)
    x = y[:2]
    return np.sum(x * x) + y[0]


def made_a_row(x):
    x = np.reshape(x, (1, -1))
    x = x * 2.0
    return np.sum(x**3)


def shortened_list(xs):
    total = 0.0
    for _ in range(2):
        xs = xs[1:]
        total += xs[0] ** 2
    return total


def shortened_in_a_callee(x):
    return inner(x) + inner(x[1:])


def inner(x):
    x = x[:-1] * 2.0
    return np.sum(x * x)


@pytest.mark.parametrize(
    "function",
    [
        shortened, extended, shortened_by_products, thinned_where_long, folded, overwritten, made_a_row,
        shortened_in_a_callee,
    ],
    ids=lambda f: f.__name__,
)  # fmt: skip
def test_the_sensitivity_has_the_shape_of_the_earlier_value(function):
    x = np.array([1.0, -0.5, 2.0, 0.3])

    found = gradcli.derive(function, at=x).function(x)

    np.testing.assert_allclose(found, gradcli.grad(function)(x), rtol=1e-12)


def test_the_sensitivity_to_a_list_has_the_length_of_the_earlier_value():
    assert gradcli.derive(shortened_list, at=[1.0] * 4).function([1.0, 2.0, 3.0, 4.0]) == [0.0, 4.0, 6.0, 0.0]


def test_a_branch_that_no_run_takes_gives_the_sensitivity_its_shape():
    x = np.linspace(0.0, 1.0, 1001)

    found = gradcli.derive(thinned_where_long, at=np.ones(3)).function(x)

    np.testing.assert_array_equal(found, gradcli.grad(thinned_where_long)(x))


def of_a_product(x, u):
    u = u * x
    return u * u


def exchanged(x, u):
    for _ in range(2):
        x, u = u, x * x
    return x * u


def stepped(x, u):
    for _ in range(3):
        u = u + 0.1 * (x * u - u**3)
    return u * x


def branched(x, u):
    if u > 0:
        u = u + x
    return u * u * x


@pytest.mark.parametrize("function", [of_a_product, exchanged, stepped, branched], ids=lambda f: f.__name__)
@pytest.mark.parametrize("mode", ["forward", "hessian"])
def test_another_input_that_is_rebound(function, mode):
    derived = gradcli.derive(function, at=(2.0, 3.0), mode=mode, wrt=["x"]).function
    expected = gradcli.grad(function) if mode == "forward" else gradcli.hessian(function)

    assert derived(2.0, 3.0, *([1.0] if mode == "forward" else [])) == pytest.approx(expected(2.0, 3.0), rel=1e-12)


def softmax(s):
    s = s - np.max(s, axis=1, keepdims=True)
    return np.sum(np.exp(s)[:, 0])


def test_a_saved_value_is_not_named_as_a_sensitivity():
    text = str(gradcli.derive(softmax, at=np.ones((2, 2))))

    assert "old_s = s\n" in text
    assert "s_1 = s\n" not in text


def bound_in_branches(x):
    """The array has no value where neither branch is taken."""
    c = x[0]
    if x[0] > 0.0:
        if x[1] > 0.0:
            y = np.concatenate([x, x])
            y = y[1:]
            c = np.sum(y * y)
    elif x[1] > 5.0:
        y = x[1:]
        y = y[1:]
        c = np.sum(y)
    return c * x[2]


@pytest.mark.parametrize("point", [[0.5, -1.0, 2.0], [0.5, 1.0, 2.0], [-0.5, 1.0, 2.0], [-0.5, 6.0, 2.0]])
def test_an_array_that_only_some_branches_bind(point):
    x = np.array(point)

    found = gradcli.derive(bound_in_branches, at=x).function(x)

    np.testing.assert_allclose(found, gradcli.grad(bound_in_branches)(x), rtol=1e-12)
