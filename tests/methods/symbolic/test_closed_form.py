"""The closed form of a program and of its derivatives, and when the form would swell."""

import math

import mpmath
import numpy as np
import pytest

from gradcli.methods.exact import gradient
from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.symbolic import closed_form
from tests.methods.numerics.programs import KNOWN, random_runs, recorded
from tests.methods.symbolic.derivative_numbers import numbers

pytestmark = pytest.mark.sampled(4)  # many like cases


def form_of(f, at):
    """The whole program as one expression, its inputs named x."""
    tape, last, inputs = recorded(f, at)
    return closed_form.expression(tape, last, inputs, coordinates({"x": at}))


def texts(f, at):
    """The closed form of the value and of each derivative."""
    form = form_of(f, at)
    return [closed_form.text(form.value), *map(closed_form.text, closed_form.closed_forms(form).values())]


@pytest.mark.parametrize(("f", "at"), [case[1:3] for case in KNOWN], ids=[case[0] for case in KNOWN])
def test_the_whole_and_its_steps_agree(f, at):
    """The derivative of the expression is that of the program node by node, to 25 digits."""
    stepwise = gradient.gradient(*recorded(f, at)).derivatives
    whole = numbers(form_of(f, at), [part.value for part in coordinates({"x": at})])

    assert [True] * len(whole) == [
        abs(a - b) <= mpmath.mpf(10) ** -25 * abs(b) for a, b in zip(whole, stepwise, strict=True)
    ]


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        (lambda x: 2 * x * x, 3.0, ["2*x**2", "4*x"]),
        (lambda x: x**3, 0.0, ["x**3", "3*x**2"]),
        (lambda x: math.sin(x) ** 2, 1.0, ["sin(x)**2", "2*sin(x)*cos(x)"]),
        (lambda x: x[0] * x[1], np.array([2.0, 3.0]), ["x[0]*x[1]", "x[1]", "x[0]"]),
        (lambda x: np.sum(x * x), np.array([2.0, 3.0]), ["x[0]**2 + x[1]**2", "2*x[0]", "2*x[1]"]),
        (lambda x: x if x < 1 else x * x, 2.0, ["x**2", "2*x"]),
        (lambda x: np.max(x) * 3, np.array([2.0, 5.0]), ["3*x[1]", "0", "3"]),
        (lambda x: abs(x), -2.0, ["Abs(x)", "sign(x)"]),
        (lambda x: 0.1 * x, 1.0, ["0.1*x", "0.1"]),
        (lambda x: sum(x**k for k in range(4)), 2.0, ["x**3 + x**2 + x + 1", "3*x**2 + 2*x + 1"]),
    ],
    ids=["product", "power at 0", "chain", "index", "sum", "branch", "max", "abs", "decimal", "loop"],
)
def test_closed_forms(f, at, expected):
    """The value and each derivative, along the path of the point."""
    assert texts(f, at) == expected


def test_a_while_loop_keeps_its_steps():
    """The form is that of the rounds that ran at the point, and holds no condition."""

    def halve(x):
        while x > 1:
            x = x / 2
        return x

    assert texts(halve, 6.0) == ["x/8", "1/8"]


def logistic(times):
    """The logistic map, whose formula doubles with each round."""

    def program(x):
        for _ in range(times):
            x = 3.5 * x * (1 - x)
        return x

    return program


@pytest.mark.parametrize(("times", "expected"), [(1, 3), (2, 9), (3, 21), (20, 3 * 2**20 - 3)])
def test_the_size_is_known_before_sympy_starts(times, expected):
    """Shared parts count as often as they are written out."""
    tape, last, inputs = recorded(logistic(times), 0.3)

    assert closed_form.size(tape, last, inputs) == expected


def test_arrays_count_their_numbers():
    """A sum of three squares: three squares, two sums."""
    tape, last, inputs = recorded(lambda x: np.sum(x**2), np.ones(3))

    assert closed_form.size(tape, last, inputs) == 5


def normalised(times):
    """A vector divided by its length again and again, whose formula triples with each round and more."""

    def program(x):
        for _ in range(times):
            x = x / np.sqrt(x @ x)
        return x[0]

    return program


@pytest.mark.parametrize(("times", "expected"), [(1, 5), (2, 30)])
def test_a_number_beside_an_array_is_counted(times, expected):
    """The length is written out below each number that is divided by it."""
    tape, last, inputs = recorded(normalised(times), np.array([3.0, 4.0]))

    assert closed_form.size(tape, last, inputs) == expected


def kepler(times):
    """Kepler's equation by iteration, whose formula is one chain of sines."""

    def program(x):
        found = 1.0
        for _ in range(times):
            found = 1.0 + x * math.sin(found)
        return found

    return program


@pytest.mark.parametrize("times", [50, 100])
def test_what_is_nested_too_deep_for_sympy(times):
    with pytest.raises(closed_form.TooDeepError, match="too deep for SymPy"):
        form_of(kepler(times), 0.6)


def test_a_long_sum_is_not_deep():
    """SymPy makes one sum of a sum of sums."""
    assert 3 > closed_form.depth(form_of(lambda x: sum(x**k for k in range(80)), 0.5).value)


def test_what_sympys_recursion_does_not_reach():
    """A recursion that ends is told as what it is."""
    with pytest.raises(closed_form.TooDeepError, match="too deeply for SymPy"), closed_form.within_reach():
        raise RecursionError


def test_numbers_put_into_an_array_are_counted():
    tape, last, inputs = recorded(lambda x: np.sum(np.stack([x * x, x + 1])), 3.0)

    assert closed_form.size(tape, last, inputs) == 3


def agrees(point, tape):
    """Whether the whole and its steps agree on a random program, as far as both have a number."""
    last, rows = tape.result_index(), list(tape.input_indices())
    parts = coordinates({f"x{n}": x for n, x in enumerate(point)})
    if closed_form.size(tape, last, rows) * len(parts) > closed_form.LARGEST:
        return True
    whole = numbers(closed_form.expression(tape, last, rows, parts), point)
    stepwise = gradient.gradient(tape, last, rows).derivatives
    pairs = [(a, b) for a, b in zip(whole, stepwise, strict=True) if a is not None and b is not None]
    small = mpmath.mpf(10) ** -400  # far below the smallest double
    return all(abs(a - b) <= mpmath.mpf(10) ** -20 * abs(b) + small for a, b in pairs)


def test_random_programs():
    assert [point for point, tape in random_runs(range(50)) if not agrees(point, tape)] == []


@pytest.mark.long
def test_many_random_programs():
    assert [point for point, tape in random_runs(range(50, 300)) if not agrees(point, tape)] == []


@pytest.mark.parametrize(
    "f",
    [lambda x: ((x + 2j) ** 2).real, lambda x: abs(x + 2j) ** 2, lambda x: (1 / (1j * x) + 3).real],
    ids=["the real part", "the modulus", "a quotient"],
)
def test_complex_steps_have_no_closed_form(f):
    """SymPy's expressions are real ones: a real part was dropped, and a modulus was differentiated as a real one."""
    with pytest.raises(TypeError, match="computes with complex numbers"):
        form_of(f, 3.0)
