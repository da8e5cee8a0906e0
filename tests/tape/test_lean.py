"""Large arrays that no partial needs are let go, and computed again where they are needed after all."""

import tracemalloc

import numpy as np
import pytest

from gradcli import grad, jacobian, trace, value_and_grad
from gradcli.errors import UnsupportedError
from gradcli.rules.table import Elementwise
from gradcli.tape.kept import LARGEST_COPY
from gradcli.tape.lean import LARGE, ghost, is_ghost

COUNT = max(LARGE, LARGEST_COPY // 8) + 3  # neither kept by the tape nor copied
LARGE_ARRAY = np.linspace(0.5, 2.0, COUNT)


def peak(function, *arguments):
    """The most memory that a call takes, in arrays as large as the first argument."""
    function(*arguments)
    tracemalloc.start()
    try:
        function(*arguments)
        return tracemalloc.get_traced_memory()[1] / arguments[0].nbytes
    finally:
        tracemalloc.stop()


def many_sums(x):
    """A program whose partials are all constant."""
    for _ in range(30):
        x = 1.01 * x + 0.1
    return np.sum(x)


def test_values_that_no_partial_needs_take_no_memory():
    """Thirty rounds of sums and multiples by constants take as much memory as one."""
    assert peak(grad(many_sums), LARGE_ARRAY) < 6


def test_values_that_partials_need_are_kept():
    """What a partial reads is there when it is read."""
    np.testing.assert_allclose(
        grad(lambda x: np.sum(np.exp(np.sin(x))))(LARGE_ARRAY), np.cos(LARGE_ARRAY) * np.exp(np.sin(LARGE_ARRAY))
    )


@pytest.mark.parametrize(
    "f",
    [
        lambda x: np.sum((x[1:] - x[:-1] ** 2) ** 2 * 100 + (1 - x[:-1]) ** 2),
        lambda x: np.sum(np.concatenate([x, 2 * x]) / (1 + np.stack([x, x]).reshape(-1) ** 3)),
        lambda x: np.sum(np.where(x > 1, x * x, 3 - x) - np.maximum(x, 1.5)),
        lambda x: np.mean(x) * np.max(x) + np.dot(x, x[::-1]),
        lambda x: np.sum(np.outer(x[:3], np.ones(3)) @ np.sin(x[:9].reshape(3, 3))) + np.sum(x**-1 + x**4),
    ],
)
def test_the_derivative_is_that_of_the_whole_tape(f):
    """A tape that keeps everything gives the same numbers, bit for bit."""
    whole = trace(f, LARGE_ARRAY, names=False)
    value, gradient = value_and_grad(f)(LARGE_ARRAY)

    assert whole.value == value
    np.testing.assert_array_equal(whole.sensitivities()[0], gradient)


def test_what_was_let_go_is_computed_again_where_the_sweep_meets_an_infinity():
    """A lane that was not taken has an infinite partial: the sweep that knows what was reached needs every value."""
    x = LARGE_ARRAY - LARGE_ARRAY[0]
    got = grad(lambda x: np.sum(np.where(x > 0.1, np.sqrt(2.0 * x + 0.0), 3.0 * x)))(x)

    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(got, np.where(x > 0.1, 1 / np.sqrt(2 * x), 3.0), rtol=1e-14)


def test_a_transform_inside_needs_every_value():
    """The derivative of a gradient is recorded on the values of the outer run."""

    def slope(x):
        y = 2.0 * x + 1.0
        return np.sum(grad(lambda z: np.sum(z**3))(y) * y)

    np.testing.assert_allclose(grad(slope)(LARGE_ARRAY), 2 * 9 * (2 * LARGE_ARRAY + 1) ** 2, rtol=1e-13)


def test_the_array_is_not_copied_and_cannot_be_changed_meanwhile():
    """A program that writes into the very array that it is differentiated by is refused."""
    x = LARGE_ARRAY.copy()

    def overwrites(y):
        x[0] = 7.0
        return np.sum(y * y)

    with pytest.raises(UnsupportedError, match="overwritten"):
        grad(overwrites)(x)
    x[0] = 1.0
    assert 1.0 == x[0]


def test_a_view_is_held_with_what_it_shows():
    """Writing into the array behind a view is refused too, and both can be written to afterwards."""
    whole = np.ones((2, COUNT))

    def overwrites(y):
        whole[:] = 7.0
        return np.sum(y * y)

    with pytest.raises(UnsupportedError, match="overwritten"):
        grad(overwrites)(whole[0])
    whole[:] = 2.0
    assert 2.0 == whole[0, 0]


def test_a_gradient_is_an_array_of_its_own():
    """What is returned shares nothing with the point, and can be written to."""
    x = np.ones((2, COUNT))
    found = grad(lambda x: np.sum(x * x) / 2)(x)
    found[:] = 5.0

    assert 1.0 == x[0, 0]
    assert np.shares_memory(*jacobian(lambda x, y: np.sum(x + y), (0, 1))(x, x)) is False


def test_a_ghost_takes_no_memory():
    """It has the shape and type of the array, and zero strides."""
    found = ghost(np.ones((COUNT, 3), np.float32))

    assert ((COUNT, 3), np.float32, (0, 0)) == (found.shape, found.dtype, found.strides)
    assert is_ghost(found)
    assert not is_ghost(np.ones(COUNT))


@pytest.mark.parametrize("n", [-1, 2, 3, 4])
def test_powers(n):
    """A constant exponent has a partial of its own, which is SymPy's."""
    import sympy

    from gradcli.rules.elementwise import POWERS

    x = sympy.Symbol("x", positive=True)
    rule = POWERS[n]
    partial = sympy.sympify(rule.partials[0].replace("square", "sq"), {"sq": lambda y: y**2, "x": x, "v": x**n})

    assert isinstance(rule, Elementwise)
    assert 0 == sympy.simplify(partial - sympy.diff(x**n, x))
