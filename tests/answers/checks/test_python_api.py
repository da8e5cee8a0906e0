"""check and assert_grad: points as Python objects, and what a test suite sees."""

import math
import warnings

import numpy as np
import pytest

import gradcli
from examples import hyperbox
from gradcli.errors import FindingWarning, NotFiniteError, UsageError

BOX = [1.0, 2.0, 3.0, 4.0]


def energy(w, b):
    """A number of an array and a number."""
    return np.sum(w**2) * b


W, THREE = np.array([1.0, 2.0]), {"w[0]": 6.0, "w[1]": 12.0, "b": 5.0}
SUM, DICT = lambda p: p["w"] ** 2 + 3 * p["b"], {"w": 1.0, "b": 2.0}
SIDES = {f"side_lengths[{n}]": slope for n, slope in enumerate([52.0, 38.0, 28.0, 22.0])}


@pytest.mark.parametrize(
    ("f", "at", "expected"),
    [
        *((energy, at, THREE) for at in (
            (W, 3.0), {"w": W, "b": 3.0}, {"b": 3.0, "w": np.array([1, 2])}, "w=[1,2],b=3"
        )),
        # A mapping that names no parameter is the one argument itself.
        *((SUM, at, {"p.w": 2.0, "p.b": 3.0}) for at in ((DICT,), {"p": DICT}, DICT)),
        *((hyperbox.f4, at, SIDES) for at in (BOX, (BOX,), np.array(BOX), {"side_lengths": BOX})),
        (lambda x, *, y, scale=3.0: scale * x * y, {"x": 1.0, "y": 2.0}, {"x": 6.0, "y": 3.0}),
    ],
)  # fmt: skip
def test_points(f, at, expected):
    """In order, by name, as text; a list, an array, or either in a tuple or by name."""
    assert {row.name: row.candidate for row in gradcli.check(f, at=at).components} == expected


@pytest.mark.parametrize(
    ("f", "at", "value"),
    [
        (lambda x: sum(t * t for t in x + [3.0]), [1.0, 2.0], 14.0),
        (lambda x: sum(x) if type(x) is tuple else 0.0, (1.0, 2.0), 3.0),
        (lambda x: 5.0 * x["y"], {"y": 2.0}, 10.0),
        (lambda x: 5.0 * x, {"x": 2.0}, 10.0),
        (lambda x, y: 5.0 * x + y, (2.0, 3.0), 13.0),
        (lambda x: x[0] + x[1][0], [1.0, [2.0]], 3.0),
    ],
    ids=["list", "tuple", "dict", "by name", "in order", "nested"],
)
def test_a_point_is_handed_over_as_it_is(f, at, value):
    """A list stays a list: what it does to a list is what is checked."""
    found = gradcli.check(f, at=at)

    assert (value, "pass") == (found.value, found.verdict)


def test_a_program_that_catches_a_division_by_zero():
    """Python's floats raise in a list, where an array would give infinity."""

    def f(x):
        try:
            return 1.0 / (x[0] - x[0]) + x[1]
        except ZeroDivisionError:
            return 2.0 * x[1]

    assert gradcli.check(f, at=[1.0, 3.0], against=[0.0, 2.0]).verdict == "pass"


@pytest.mark.parametrize(
    "f", [lambda x: (x * 2.0).sum(), lambda x: np.sum(x - 1.0), lambda x: x.sum(), lambda x: np.sum(x**2)]
)
@pytest.mark.parametrize("run", [lambda f: gradcli.check(f, at=[1.0, 2.0]), lambda f: gradcli.grad(f)((1.0, 2.0))])
def test_an_error_that_a_list_causes_says_what_to_pass(f, run):
    with pytest.raises((TypeError, AttributeError)) as caught:
        run(f)

    assert caught.value.__notes__ == [
        "A list or tuple is no array: write np.array([...]) where the code needs one, as for the point."
    ]


def test_titles_are_the_names_of_the_functions():
    """A function has its own name; nothing was typed."""
    found = gradcli.check(hyperbox.f4, at=BOX, against=hyperbox.grad_f4)

    assert (found.target, found.against, found.verdict) == ("f4", "grad_f4", "pass")


@pytest.mark.parametrize(
    ("f", "at", "against", "expected"),
    [
        ("x^2", 3.0, None, "pass"),
        ("x**2 + y", {"x": 3.0, "y": 1.0}, (6.0, 1.0), "pass"),
        ("x**2", 3.0, "2*x", "pass"),
        (lambda x: x * x, 3.0, 6.0, "pass"),
        (lambda x: x * x, 3.0, 7, "fail"),
        (energy, (np.array([1.0, 2.0]), 3.0), (np.array([6.0, 12.0]), 5.0), "pass"),
        (energy, (np.array([1.0, 2.0]), 3.0), {"b": 5.0, "w": [6.0, 12.0]}, "pass"),
        (energy, (np.array([1.0, 2.0]), 3.0), {"b": 5.0, "w": [6.0, 12.5]}, "fail"),
    ],
    ids=[
        "typed",
        "typed, by numbers",
        "both typed",
        "a number",
        "a wrong one",
        "a tuple",
        "by name",
        "a wrong one by name",
    ],
)
def test_what_can_be_checked_against_what(f, at, against, expected):
    """Functions, targets as text, and a gradient as its numbers."""
    assert gradcli.check(f, at=at, against=against).verdict == expected


POINT = (np.array([1.0, 2.0]), 3.0)


@pytest.mark.parametrize(
    ("f", "at", "options", "said"),
    [
        *((energy, at, {}, "") for at in (
            (1.0,), (1.0, 2.0, 3.0), {"w": 1.0, "c": 2.0}, (np.array([]), 1.0), (object(), 1.0)
        )),
        (3, POINT, {}, "an int is not a function"),
        ("x +* 2", POINT, {}, "expected"),
        *((energy, POINT, {"against": against}, said) for against, said in (
            ((1.0, 2.0), "the claimed gradient has 2 numbers; 3 are needed: w[0], w[1], b"),
            ({"w": [1.0, 2.0], "c": 3.0}, "the gradient has the names w, c; the point has w, b"),
            (object(), "the claimed gradient returned an object; a gradient consists of numbers"),
            (lambda w, b: (w[:, None] * w, 1.0), "3 are needed"),
        )),
        # The example is a usual value of that argument.
        *((abs, 3.0, {name: value}, f"Pass {name}={example}.") for name, value, example in (
            ("rtol", -1, "1e-6"), ("atol", math.nan, "1e-9"), ("points", -3, "20"), ("max_seconds", "1", "60")
        )),
        *((abs, 3.0, {name: math.inf}, f"{name} is inf; it has to be finite") for name in ("rtol", "atol")),
        *((abs, 3.0, {name: value}, f"{name} is beyond float64") for name in (
            "max_seconds", "rtol", "atol", "points"
        ) for value in (10**400, -(10**5000))),
    ],
)  # fmt: skip
def test_what_cannot_be_checked(f, at, options, said):
    """The error is one of ours and says what was needed and what to pass."""
    with pytest.raises(UsageError) as error:
        gradcli.check(f, at=at, **options)

    assert said in f"{error.value} {error.value.hint}"


def test_a_point_that_is_not_finite_and_an_infinite_time():
    with pytest.raises(NotFiniteError):
        gradcli.check(energy, at=(math.nan, 1.0))
    assert gradcli.check(lambda x: x * x, at=3.0, max_seconds=math.inf).verdict == "pass"


def test_a_right_gradient_is_asserted_in_silence():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradcli.assert_grad(hyperbox.f4, at=BOX, against=hyperbox.grad_f4)


def test_a_wrong_gradient_raises_with_the_table():
    with pytest.raises(AssertionError) as error:
        gradcli.assert_grad(hyperbox.f4, at=np.array(BOX), against=hyperbox.grad_f4_slip)

    assert (
        "f4: fail at side_lengths=[1.0, 2.0, 3.0, 4.0]\n"
        "  FAIL side_lengths[3]: candidate 28.0, reference 22.0; off by 6, where 2.2e-06 is allowed\n"
        "  hyperbox.py:13: the mistake concerns the derivative of line 13 of f4, `t_cd = t_c * t_d`: "
        "the derivative of t_c * t_d by t_d is t_c = 3; the candidate has t_d = 4 [G312]"
    ) == str(error.value)


def test_a_gradient_that_is_not_finite_raises():
    with pytest.raises(AssertionError, match="x: candidate inf; the candidate is inf"):
        gradcli.assert_grad(lambda x: x**0.5, at=0.0)


SINES = frozenset({math.sin})  # to which no name leads


def test_nothing_checked_raises():
    """Where the tape cannot follow and no gradient was given, a test must not pass."""
    with pytest.raises(AssertionError, match=r"unchecked[\s\S]*SKIPPED x[\s\S]*\[G402\]"):
        gradcli.assert_grad(lambda x: max(sine(x) for sine in SINES), at={"x": 1.0})


def test_what_cannot_be_decided_warns():
    """A test is not stopped for want of a reference."""
    with pytest.warns(FindingWarning, match="JUMP x"):
        gradcli.assert_grad(lambda x: x if x < 1 else x + 1, at=1.0)


@pytest.mark.parametrize(("strict", "expected"), [(False, 0), (True, 1)])
def test_a_kink_warns_only_if_strict(strict, expected):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        gradcli.assert_grad(abs, at=0.0, strict=strict)

    assert len(warned) == expected
