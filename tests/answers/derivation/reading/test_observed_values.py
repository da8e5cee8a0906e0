"""The limits of the runs in which values are observed."""

import numpy as np
import pytest

import gradcli
from gradcli.answers.derivation.reading import observed_values
from gradcli.errors import UnsupportedError
from gradcli.shared.pytree import leaves


def endless(x):
    while True:
        x = x * 1.0000001


def growing(x):
    kept = []
    while True:
        kept.append([x] * 100)


def copied(x):
    kept = []
    while x > 0:
        kept = [*kept, x]
    return x


def called(x):
    """Steps without end in a function that is called."""
    return endless(x) * 2.0


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (endless, r"a run of so many steps \(more than 2,000 values\)"),
        (called, r"a run of so many steps \(more than 2,000 values\)"),
        (growing, r"a run with lists of so many items \(more than 10,000 read\)"),
        (copied, r"a run with lists of so many items \(more than 10,000 read\)"),
    ],
)
def test_a_run_that_does_not_end_is_refused(monkeypatch, function, what):
    """By the line where it is given up; the recorded run would not end either."""
    monkeypatch.setattr(observed_values, "MOST_VALUES", 2000)
    monkeypatch.setattr(observed_values, "MOST_ITEMS", 10_000)

    with pytest.raises(UnsupportedError, match=f"derive does not know {what}") as caught:
        gradcli.derive(function, at=2.0)

    assert caught.value.hint == "Derive at a point from which it ends sooner."
    assert caught.value.line is not None


def of_lists_of_places(x):
    places = [np.array([0, 1]), np.array([1, 2])]
    return sum(np.sum(x[at]) * x[0] for at in places)


def test_a_list_of_arrays_of_places():
    x = np.array([0.5, -1.0, 2.0])

    found = gradcli.derive(of_lists_of_places, at=x).function(x)

    np.testing.assert_allclose(found, gradcli.grad(of_lists_of_places)(x), rtol=1e-12)


def of_crossed(a, b):
    return np.sum(np.cross(a, b) * np.arange(3.0))


def of_crossed_parts(x):
    return np.sum(np.cross(x["a"], x["b"]) ** 2)


A, B = np.array([0.4, 1.2, -0.7]), np.array([1.5, 0.3, 0.9])


@pytest.mark.parametrize(("function", "point"), [(of_crossed, (A, B)), (of_crossed_parts, ({"a": A, "b": B},))])
def test_a_function_that_gives_another_kind_of_value_at_another_size_keeps_its_size(function, point):
    """The cross product of two vectors of two numbers is a number."""
    found = gradcli.derive(function, at=point).function(*point)
    expected = gradcli.grad(function, tuple(range(len(point))))(*point)

    for one, other in zip(leaves(found), leaves(expected), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-14)


def test_the_program_asserts_the_size_that_it_keeps():
    with pytest.raises(AssertionError, match="another size"):
        gradcli.derive(of_crossed, at=(A, B)).function(A[:2], B[:2])
