"""Programs that hold values constant by stop_gradient: the derived program has the value, and no derivative by it."""

from importlib.util import find_spec

import numpy as np
import pytest

import gradcli
from gradcli import stop_gradient
from gradcli.errors import UnsupportedError
from tests.answers.derivation.languages.test_c import called, compiled, compiled_only, flat
from tests.methods.transforms.test_gradients import written_constant, written_original

A = np.array([0.7, -1.2, 2.6])
ROWS = np.array([[1.0, 2.0], [3.0, 4.5]])


def by_itself(x):
    return x * stop_gradient(x)


def by_name(x):
    return stop_gradient(x=x) * x * 3.0


def within_itself(x):
    return stop_gradient(stop_gradient(x) * x) * x


def in_a_condition(x):
    if stop_gradient(x) > 2.0:
        return x * x
    return stop_gradient(x) * x * 3.0


def of_a_whole_number(x, n=3):
    return x ** stop_gradient(n)


def rebound(x):
    held = stop_gradient(x)
    x = x * 2.0
    return x * held


def straight_through(x):
    return np.sum((x + stop_gradient(np.round(x) - x)) ** 2)


def weighted(x):
    return np.sum(x * stop_gradient(x / np.sum(x)))


def weights(x):
    found = stop_gradient(x * 2.0)
    found[0] = 3.0
    return found


def of_called(x):
    return np.sum(x * weights(x))


def of_a_largest_element(x):
    return np.sum(x * x / stop_gradient(np.max(x)))


def of_a_part(x):
    y = x * 2.0
    held = stop_gradient(y[1:])
    y[1:] = held * y[:-1]
    return np.sum(y * y)


def temporal_difference(w, s, after, reward):
    target = stop_gradient(reward + 0.9 * (after @ w))
    return np.mean((target - s @ w) ** 2)


def of_items(x):
    total = 0.0
    for item in x:
        total += item * stop_gradient(item)
    return total


def of_a_list(x):
    return sum(a * b for a, b in zip(x, stop_gradient([v * 2.0 for v in x]), strict=True))


def unpacked(x, y):
    a, b = stop_gradient((x, y))
    return x * b + y * a


NUMBERS = {
    by_itself: (1.5,),
    by_name: (1.5,),
    within_itself: (1.5,),
    in_a_condition: (1.5,),
    of_a_whole_number: (1.5,),
    rebound: (1.5,),
    unpacked: (1.5, 2.5),
    of_items: ([1.5, -0.4],),
}
ARRAYS = {
    straight_through: (A,),
    weighted: (A,),
    written_original: (A,),
    written_constant: (A,),
    of_called: (A,),
    of_a_largest_element: (A,),
    of_a_part: (A,),
    temporal_difference: (A[:2], ROWS, ROWS[::-1] + 0.3, A[1:]),
}
PROGRAMS = {**NUMBERS, of_a_list: ([1.5, -0.4],), **ARRAYS}


@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_derived_gradient(function):
    source = gradcli.derive(function, at=PROGRAMS[function])

    assert "stop_gradient(" not in "".join(line for line in str(source).splitlines() if "#" not in line)
    argnums = tuple(range(len(PROGRAMS[function])))
    expected = gradcli.grad(function, argnums)(*PROGRAMS[function])
    found = source.function(*PROGRAMS[function])
    assert flat(found) == pytest.approx(flat(expected), rel=1e-14)


@compiled_only
@pytest.mark.parametrize("function", {**NUMBERS, **ARRAYS}, ids=lambda f: f.__name__)
def test_the_derived_gradient_in_c(function, tmp_path):
    point = PROGRAMS[function]
    source = gradcli.derive(function, at=point, lang="c")
    expected = source.function(*point)

    assert called(compiled(source, tmp_path), point, expected) == pytest.approx(flat(expected), rel=1e-12)


@pytest.mark.parametrize("function", [by_itself, in_a_condition, *ARRAYS])
def test_the_straight_program(function):
    point = PROGRAMS[function]
    source = gradcli.derive(function, at=point, straight=True)

    assert flat(source.function(*point)) == pytest.approx(
        flat(gradcli.grad(function, tuple(range(len(point))))(*point)), rel=1e-14
    )


@pytest.mark.skipif(find_spec("numba") is None, reason="Numba is not installed")
@pytest.mark.parametrize("function", [of_a_part, written_constant])
def test_numba_takes_the_copies(function):
    source = gradcli.derive(function, at=(A,), lang="numba")

    assert "np.array(" not in str(source)
    np.testing.assert_allclose(source.function(A), gradcli.grad(function)(A), rtol=1e-14)


@pytest.mark.parametrize("function", [of_called, weighted, temporal_difference])
def test_the_compiled_gradient(function):
    compiled_gradient = gradcli.grad(function, compile=True)
    found = compiled_gradient(*PROGRAMS[function])

    assert "eager" not in str(compiled_gradient.report())
    assert found == pytest.approx(gradcli.grad(function)(*PROGRAMS[function]), rel=1e-14)


def nearest(centres, points):
    centres = gradcli.stop_gradient(centres)
    return np.argmin(np.sum((points[:, None] - centres) ** 2, axis=-1), axis=1)


def of_clusters(centres, points):
    return np.sum((points - centres[nearest(centres, points)]) ** 2)


def test_a_function_without_a_derivative_keeps_its_copies():
    points = np.array([[0.5, 2.0], [3.5, 4.0], [2.9, 4.4]])
    source = gradcli.derive(of_clusters, at=(ROWS, points), wrt=["centres"])

    assert "gradcli" not in str(source).partition("\n\n")[2]
    np.testing.assert_allclose(source.function(ROWS, points), gradcli.grad(of_clusters)(ROWS, points), rtol=1e-14)


def of_a_dict(x):
    held = stop_gradient({"a": x, "b": [x, 2.0]})
    return held["a"] * x


def test_a_structure_is_refused():
    with pytest.raises(UnsupportedError, match="a constant dict"):
        gradcli.derive(of_a_dict, at=1.5)


@pytest.mark.parametrize("function", [by_itself, of_called])
def test_second_derivatives_are_refused(function):
    """What is held is held in the gradient too, whose text holds nothing any more."""
    with pytest.raises(UnsupportedError, match="the second derivatives of what stop_gradient holds"):
        gradcli.derive(function, at=PROGRAMS[function], mode="hessian")
