"""The straight-line program of a run: for what the source hides, along the path of the run."""

import contextlib
import inspect
import math

import numpy as np
import pytest
from scipy import optimize

import gradcli
from gradcli.errors import UnsupportedError
from tests.answers.derivation import array_programs, scalar_programs

pytestmark = pytest.mark.sampled(5)  # many like cases


def bracketed_root(a):
    return optimize.brentq(lambda x: x**3 + a * x - 2, 0, 3)


def root_of_a_vector(a):
    return optimize.fsolve(lambda x: x**3 + a * x - 2, 1.0)[0]


def minimum(a):
    return optimize.minimize(lambda x: (x[0] - a) ** 2 + x[0] ** 4, [0.3], method="nelder-mead").x[0]


def least_squares(a):
    return np.sum(optimize.least_squares(lambda x: x - a * np.ones(2), [0.3, 1.0]).x ** 2)


def inner_gradient(a):
    """A gradient at a number that is no input."""
    return gradcli.grad(lambda x: x * x * a)(3.0)


def inner_loop(a):
    """The same, where the number is read by a loop first."""

    def power(x):
        for _ in range(12):
            x = x * a
        return x

    return gradcli.grad(power)(3.0)


@pytest.mark.parametrize(
    "function", [bracketed_root, root_of_a_vector, minimum, least_squares, inner_gradient, inner_loop]
)
def test_a_number_that_an_inner_computation_enters(function):
    """It is refused with the line, because it may depend on the inputs in a way that the run does not show."""
    lines, first = inspect.getsourcelines(function)
    with pytest.raises(
        UnsupportedError, match=r"derive does not know (the solution of scipy\.|an inner gradient)"
    ) as caught:
        gradcli.derive(function, at=1.0, straight=True)

    assert __file__ == caught.value.file
    assert caught.value.line in range(first, first + len(lines))


@pytest.mark.sampled(30)
@pytest.mark.parametrize("function", scalar_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_programs_of_numbers(function):
    assert gradcli.derive(function, at=scalar_programs.PROGRAMS[function][0], straight=True).verified.by_tape > 0


@pytest.mark.sampled(30)
@pytest.mark.parametrize("function", array_programs.PROGRAMS, ids=lambda f: f.__name__)
def test_programs_of_arrays(function):
    with contextlib.suppress(UnsupportedError):
        source = gradcli.derive(function, at=array_programs.PROGRAMS[function][0], straight=True)

        assert source.verified.by_tape > 0


def test_a_mask_is_computed_again():
    source = gradcli.derive(lambda x: np.sum(np.sort(x) * x[x > 0.0][0]), at=np.array([3.0, -1.0, 2.0]), straight=True)

    assert source.function(np.array([3.0, -1.0, 2.0])).tolist() == [7.0, 3.0, 3.0]
    assert source.function(np.array([-1.0, 2.0, 1.0])).tolist() == [2.0, 4.0, 2.0]


def test_a_quotient_that_is_rounded_down():
    source = gradcli.derive(lambda x: x // 1.5 * x, at=2.0, straight=True)

    assert source.function(2.9) == 1.0
    with pytest.raises(AssertionError):
        source.function(3.1)


@pytest.mark.parametrize("straight", [False, True])
@pytest.mark.parametrize("text", ["x", "y", "x + y", "x - y"])
def test_slopes_of_one(text, straight):
    names = [each for each in "xy" if each in text]
    expected = {"x": (1.0,), "y": (1.0,), "x + y": (1.0, 1.0), "x - y": (1.0, -1.0)}[text]
    source = gradcli.derive(text, at=dict.fromkeys(names, 2.0), straight=straight)

    assert tuple(np.atleast_1d(source.function(*[2.0] * len(names)))) == expected


def hands_on(x, y):
    return [x, y][1]


def test_one_of_the_inputs():
    assert gradcli.derive(hands_on, at=(1.0, 2.0), straight=True).function(1.0, 2.0) == (0.0, 1.0)


def item_in_a_sine(x, b):
    """What a function of numbers gives of an item is an array without axes."""
    p = math.sin(x[0])
    y = 0.5 * p
    return math.sin(p + b - x[1] * y)


def test_sensitivities_that_are_equal():
    """Adding to one leaves the other as it was."""
    point = np.array([0.7, -0.4]), 0.3

    found = gradcli.derive(item_in_a_sine, at=point, straight=True).function(*point)

    expected = gradcli.grad(item_in_a_sine, (0, 1))(*point)
    assert expected[0].tolist() == pytest.approx(found[0].tolist(), rel=1e-14)
    assert pytest.approx(found[1], rel=1e-14) == expected[1]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x: x[0], [1.0, 0.0, 0.0]),
        (lambda x: x[-1] * 2.0, [0.0, 0.0, 2.0]),
        (lambda x: x[0] * x[1], [2.0, 1.0, 0.0]),
        (lambda x: sum(x), [1.0, 1.0, 1.0]),
    ],
)
def test_a_list_of_which_items_are_not_used(function, expected):
    """Lists of another length are excluded, although nothing unpacks the list."""
    derived = gradcli.derive(function, at=[1.0, 2.0, 3.0], straight=True).function

    assert derived([1.0, 2.0, 3.0]) == expected
    with pytest.raises((AssertionError, ValueError)):
        derived([1.0, 2.0, 3.0, 4.0])


def test_a_list_of_arrays_of_which_one_is_not_used():
    point = [np.ones(3), np.ones((2, 2))]

    used, unused = gradcli.derive(lambda xs: np.sum(xs[0]), at=(point,), straight=True).function(point)

    np.testing.assert_array_equal(used, np.ones(3))
    np.testing.assert_array_equal(unused, np.zeros((2, 2)))


def filled_later(x):
    made = np.empty((3, len(x)))
    for k in range(3):
        made[k] = x ** (k + 1)
    rest = np.empty_like(x)
    rest[0], rest[1:] = x[1], x[:-1] * 2
    return np.sum(made) + np.sum(rest * x)


@pytest.mark.parametrize("lang", ["python", "numba", "latex"])
def test_an_array_that_is_filled_later_has_no_numbers_that_nobody_chose(lang):
    texts = {str(gradcli.derive(filled_later, at=np.arange(1.0, 4.0), straight=True, lang=lang)) for _ in range(3)}

    assert len(texts) == 1
    assert "e-3" not in texts.pop()


def test_an_array_of_zeros_is_written_by_its_shape():
    text = str(gradcli.derive(filled_later, at=np.arange(1.0, 4.0), straight=True))

    assert "np.zeros((3, 3))" in text
    assert "= np.zeros(3)" in text


def copies_by_a_function(x):
    u = np.copy(x) * x
    return np.sum(np.copy(u) * 2.0 + np.copy(x))


@pytest.mark.parametrize("straight", [False, True])
def test_a_copy_by_a_function(straight):
    x = np.array([0.5, 1.5, -0.7])

    found = gradcli.derive(copies_by_a_function, at=(x,), straight=straight).function(x)

    np.testing.assert_allclose(found, gradcli.grad(copies_by_a_function)(x), rtol=1e-14)


def sums_from_the_end(x):
    return np.sum(x * np.cumsum(x[::-1]))


def test_a_sum_from_the_end_on_one_path():
    x = np.array([0.5, 1.5, -0.7])

    found = gradcli.derive(sums_from_the_end, at=(x,), straight=True).function(x)

    np.testing.assert_allclose(found, gradcli.grad(sums_from_the_end)(x), rtol=1e-14)
