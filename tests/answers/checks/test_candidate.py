"""Hand-written gradients: what they take, what they may return, and their own rounding."""

import math

import numpy as np
import pytest

import gradcli
from gradcli import queries
from gradcli.errors import ResultError, TargetError, UserCodeError
from gradcli.shared.records.check_request import CheckRequest


def energy(w, b):
    """A number of a matrix and a number."""
    return np.sum(w**2) * b


POINT = {"w": np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), "b": 3.0}


def verdict(f, at, against):
    """The verdict over all components."""
    return gradcli.check(f, at=at, against=against).verdict


@pytest.mark.parametrize(
    "gradient",
    [
        lambda w, b: (2 * w * b, np.sum(w**2)),
        lambda w, b: [2 * w * b, np.sum(w**2)],
        lambda w, b: {"w": 2 * w * b, "b": np.sum(w**2)},
        lambda w, b: {"b": np.sum(w**2), "w": 2 * w * b},
        lambda w, b: np.append(2 * w * b, np.sum(w**2)),
        lambda w, b: [*(2 * w * b).ravel(), np.sum(w**2)],
        lambda b, w: (2 * w * b, np.sum(w**2)),
        lambda *, b, w: (2 * w * b, np.sum(w**2)),
        lambda weights, bias: (2 * weights * bias, np.sum(weights**2)),
        lambda w, b, scale=2: (scale * w * b, np.sum(w**2)),
        lambda *args: (2 * args[0] * args[1], np.sum(args[0] ** 2)),
        lambda w, b: ((2 * w * b).tolist(), float(np.sum(w**2))),
    ],
    ids=["tuple", "list", "dict", "other order", "one array", "flat list", "parameters by name", "keywords only",
         "other names", "a default", "any number", "nested lists"],
)  # fmt: skip
def test_what_a_gradient_may_look_like(gradient):
    """By name or in order, in any structure that says which number is which."""
    assert verdict(energy, POINT, gradient) == "pass"


def test_parts_are_found_by_name_and_not_by_order():
    """A dictionary in another order is not a wrong gradient, and one with its names exchanged is."""
    point = {"a": 1.0, "b": 2.0}

    assert verdict(lambda a, b: 3 * a + 5 * b, point, lambda a, b: {"b": 5.0, "a": 3.0}) == "pass"
    assert verdict(lambda a, b: 3 * a + 5 * b, point, lambda a, b: {"b": 3.0, "a": 5.0}) == "fail"


def test_a_gradient_of_some_inputs_only(tmp_path):
    """With --wrt it may return those alone, or all."""
    from gradcli import queries

    file = tmp_path / "f.py"
    file.write_text("def f(a, b): return 3*a + 5*b\ndef one(a, b): return 5.0\ndef both(a, b): return 3.0, 5.0\n")
    answers = [
        queries.check(f"{file}:f", "1,2", CheckRequest(against=f"{file}:{name}", wrt="b")) for name in ("one", "both")
    ]

    assert [[row.name for row in answer.components] for answer in answers] == [["b"], ["b"]]
    assert [answer.verdict for answer in answers] == ["pass", "pass"]


@pytest.mark.parametrize(
    ("returned", "expected"),
    [
        (None, "returned None; a gradient consists of numbers\nIs a `return` missing?"),
        ("12", "returned a string; a gradient consists of numbers"),
        (1j, "returned complex numbers; the derivatives by real numbers are real"),
        ([1.0, None], "returned None; a gradient consists of numbers"),
        (1.0, "returned one number; 2 are needed: x[0], x[1]"),
        ([1.0, 2.0, 3.0], "returned 3 numbers; 2 are needed: x[0], x[1]"),
        ([], "returned 0 numbers; 2 are needed: x[0], x[1]"),
        *(
            (np.ones(shape), f"returned an array of shape {shape} for one of shape")
            for shape in ((1, 2), (2, 1), (1, 2, 1))
        ),
    ],
)
def test_what_is_no_gradient_is_refused(returned, expected):
    """The message says what came and what was needed. An axis more is another shape: a step `x - g` would have it."""
    with pytest.raises(ResultError) as error:
        gradcli.check(lambda x: np.sum(x**2), at=np.array([1.0, 2.0]), against=lambda x: returned)

    assert f"the gradient {expected}" in str(error.value)


def test_a_transposed_matrix_is_refused():
    """Its numbers are as many, and each would be compared with another's."""
    with pytest.raises(ResultError, match=r"returned an array of shape \(3, 2\) for one of shape \(2, 3\)"):
        gradcli.check(energy, at=POINT, against=lambda w, b: (2 * w.T * b, np.sum(w**2)))


@pytest.mark.parametrize("shape", [(), (1,), (1, 1)], ids=str)
@pytest.mark.parametrize("at", [2.0, np.array([2.0]), np.array([[2.0]])], ids=["number", "vector", "matrix"])
def test_a_single_number_passes_in_any_shape(at, shape):
    """It can be read in one way only."""
    assert verdict(lambda x: np.sum(x**2), at, lambda x: np.reshape(2 * x, shape)) == "pass"


@pytest.mark.parametrize("gradient", [lambda: 1.0, lambda a, b, c: (1.0, 1.0), lambda *, other: 1.0])
def test_a_gradient_that_takes_other_inputs_is_refused(gradient):
    """The message names what it takes and what the point gives."""
    with pytest.raises(TargetError, match="the point gives w, b"):
        gradcli.check(energy, at=POINT, against=gradient)


def test_what_a_gradient_raises_comes_out():
    """A library user sees the exception itself."""

    def gradient(x):
        raise ValueError("not today")

    with pytest.raises(ValueError, match="not today"):
        gradcli.check(lambda x: x * x, at=2.0, against=gradient)


@pytest.mark.parametrize("name", ["builtins:eval", "math:factorial", "builtins:iter", "gradcli.terminal.cli:main"])
def test_what_a_function_without_a_frame_raises(name):
    """A C function, or one of gradcli's own: its error is no fault of gradcli."""
    with pytest.raises(UserCodeError, match=f"Error in {name.partition(':')[2]}: "):
        queries.check("x^3", "1.5", CheckRequest(against=name))


def test_a_gradient_that_writes_into_its_argument():
    """It gets copies: neither the point nor the function sees it."""

    def gradient(x):
        x *= 2
        return x

    at = np.array([1.0, 2.0])

    assert verdict(lambda x: np.sum(x**2), at, gradient) == "pass"
    assert at.tolist() == [1.0, 2.0]


def naive(x):
    """The slope of (1 - cos x)/x**2 by the quotient rule, which cancels."""
    return math.sin(x) / x**2 - 2 * (1 - math.cos(x)) / x**3


@pytest.mark.parametrize(
    ("gradient", "expected"),
    [
        (naive, "inconclusive"),
        (lambda x: -x / 12 + x**3 / 180, "pass"),
        (lambda x: x / 12, "fail"),
        (lambda x: 0.0, "fail"),
        (lambda x: (-x / 12) * (1 + 1e-6), "fail"),
    ],
    ids=["naive", "stable", "wrong sign", "zero", "a millionth off"],
)
def test_a_gradient_is_judged_by_its_own_rounding(gradient, expected):
    """Where the function's own sweep has no digit left, a stable formula is still right or wrong."""
    assert verdict(lambda x: (1 - math.cos(x)) / x**2, 1e-4, gradient) == expected


def test_a_gradient_that_cannot_be_followed_is_judged_all_the_same():
    """Its rounding is then unknown, and the exact reference decides."""
    import array

    def gradient(x):
        return array.array("d", [2 * x * (1 + 1e-6)])[0]

    assert verdict(lambda x: x * x, 3.0, gradient) == "fail"


@pytest.mark.parametrize(("off", "expected"), [(5e-6, "pass"), (1e-3, "fail")])
def test_the_slack_suits_the_type_that_is_returned(off, expected):
    """A gradient in float32 has the slack of float32."""
    assert verdict(lambda x: x * x, 3.0, lambda x: np.float32(6.0 * (1 + off))) == expected


def test_a_gradient_that_takes_all_its_arguments_under_the_name_of_an_input():
    """They come in order."""
    assert gradcli.check(lambda a: a**3, at=2.0, against=lambda *a: 3 * a[0] ** 2).verdict == "pass"
