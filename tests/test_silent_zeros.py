"""A gradient that is zero throughout because the inputs act only through what is flat warns, at the user's line."""

import bisect
import functools
import linecache
import math
import warnings

import numpy as np
import pytest

import gradcli
from gradcli import FindingWarning, grad, stop_gradient
from gradcli.methods.transforms import derivative_warnings


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    """Nothing was told before, and nothing is ignored."""
    for name in ("_warned", "_looked_at", "_times"):
        monkeypatch.setattr(derivative_warnings, name, type(getattr(derivative_warnings, name))())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield


def told(function, *arguments):
    """The one warning of a call: its text, and the source line that it names."""
    with pytest.warns(FindingWarning) as caught:
        function(*arguments)
    (each,) = caught
    assert __file__ == each.filename
    return str(each.message), linecache.getline(__file__, each.lineno).strip()


def root(a):
    """The square root by bisection."""
    low, high = 0.0, 10.0
    for _ in range(60):
        middle = (low + high) / 2
        if middle * middle < a:
            low = middle
        else:
            high = middle
    return low


def largest(x):
    return float(np.argmax(x * 2))


def steep(x):
    y = 3 * x
    return helper(y)


def helper(y):
    return math.floor(y) * 2.0


@pytest.mark.parametrize(
    ("f", "at", "line", "name"),
    [
        (root, 2.0, "if middle * middle < a:", ">"),
        (largest, np.array([1.0, 3.0]), "return float(np.argmax(x * 2))", "argmax"),
        (steep, 0.5, "return math.floor(y) * 2.0", "floor"),
        (functools.partial(steep), 0.5, "return math.floor(y) * 2.0", "floor"),
        (lambda x: int(x) * 2.0, 1.5, "(lambda x: int(x) * 2.0", "int"),
        (lambda x: round(x[0]) + x[1] // 2, [1.5, 2.5], "(lambda x: round(x[0])", "round"),
        (lambda x: 2.0 if x > 1 else 1.0, 1.5, "(lambda x: 2.0 if", ">"),
        (lambda x: float(np.sum(np.floor(x))), np.array([0.5, 1.5]), "(lambda x: float(np.sum(np.floor", "floor"),
        (lambda p: np.mean(p["w"] > p["b"]), {"w": np.ones(3), "b": 0.5}, "(lambda p: np.mean", ">"),
        (lambda x: np.sign(x) * 2.0, 1.5, "(lambda x: np.sign", "sign"),
        (lambda x: np.sum(np.sign(x)), np.array([1.5, -2.0]), "(lambda x: np.sum(np.sign", "sign"),
        (lambda x: [1.0, 4.0, 9.0][bisect.bisect([1.0, 2.0], x)], 1.5, "(lambda x: [1.0, 4.0", "<"),
        (lambda x: max(0.0, x - 9), 1.5, "(lambda x: max", ">"),
        (lambda x: math.copysign(2.0, x), 1.5, "(lambda x: math.copysign", "copysign"),
    ],
)  # fmt: skip
def test_what_acts_only_through_what_is_flat_is_told(f, at, line, name):
    """The fact or the step is named, and its line where it is the only one of the kind."""
    message, source = told(grad(f), at)

    assert message.startswith("G205: ")
    assert message.endswith(f"is exactly 0; the first of them is {name}")
    assert source.startswith(line)


def test_of_several_lines_the_first_is_named():

    def f(x):
        if x > 3:
            return 3.0
        return 2.0 if x > 1 else 1.0

    assert told(grad(f), 2.0)[1] == "if x > 3:"


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: x * 0, 1.5),
        (lambda x: 3.0, 1.5),
        (lambda x: x * x, 0.0),
        (lambda x: x * x if x < 1 else x, 0.0),
        (lambda x: np.sum(np.where(x > 0, x, 0.0)), np.array([-1.0, -2.0])),
        (lambda x: np.sum(np.maximum(x, 0.0)) if np.all(x < 9) else 0.0, np.array([-1.0, -2.0])),
        (lambda x: (x - 1.5) ** 2 + 0 * math.floor(x), 1.5),
        (lambda x: stop_gradient(x) * (2.0 if x > 1 else 1.0), 1.5),
        (lambda x: np.sum(x[:0]), np.array([1.5])),
    ],
    ids=[
        "times 0", "unused", "flat at the point", "with a branch", "dead side", "dead side of maximum",
        "a path of slope 0", "stopped on purpose", "nothing is read",
    ],
)  # fmt: skip
def test_what_is_zero_for_another_reason_is_not_told(f, at):
    """A path leads to the result, or nothing flat is met; warnings are errors here."""
    assert not np.any(np.ravel(grad(f)(at)))


def test_a_threshold_is_no_noise():
    """Neither in the gradient nor in second derivatives, which are 0 where the function is straight."""

    def huber(x):
        return x * x if abs(x) < 1 else 2 * abs(x) - 1

    assert grad(huber)(3.0) == 2.0
    assert grad(lambda x: x[0] * math.floor(x[1]))([1.5, 2.5]) == [2.0, 0.0]
    assert gradcli.hessian(huber)(3.0) == 0.0
    assert gradcli.hvp(huber, 3.0, 1.0) == 0.0
    assert grad(grad(huber))(3.0) == 0.0


def test_each_line_is_named_once():
    assert told(grad(root), 2.0)
    assert grad(root)(3.0) == 0.0


@pytest.mark.parametrize(
    "take",
    [
        lambda f: gradcli.value_and_grad(f)(2.0),
        lambda f: gradcli.jacobian(f)(2.0),
        lambda f: gradcli.jacobian(lambda x: [f(x), np.array([f(x), 1.0])])(2.0),
        lambda f: gradcli.hessian(f)(2.0),
        lambda f: gradcli.jvp(f, (2.0,), (1.0,)),
        lambda f: gradcli.vjp(f, 2.0)[1](1.0),
        lambda f: gradcli.hvp(f, 2.0, 1.0),
        lambda f: gradcli.elementwise_grad(lambda x: np.array([f(each) for each in x]))(np.array([2.0, 3.0])),
        lambda f: grad(lambda x, y: f(x) + f(y), argnums=(0, 1))(2.0, 3.0),
        lambda f: grad(lambda x: x * grad(f)(x))(2.0),
    ],
    ids=["value_and_grad", "jacobian", "several results", "hessian", "jvp", "vjp", "hvp", "elementwise_grad",
         "two arguments", "inside of another"],
)  # fmt: skip
def test_every_transform_tells(take):
    assert told(take, root)[0].startswith("G205: ")


def test_a_direction_without_a_path_alone_is_told():
    """Of a function of two inputs, where it moves along the one that acts only through a comparison."""

    def f(x, y):
        return x if y > 0 else -x

    assert gradcli.jvp(f, (2.0, 3.0), (1.0, 1.0)) == (2.0, 1.0)
    assert told(lambda: gradcli.jvp(f, (2.0, 3.0), (0.0, 1.0)))[0].startswith("G205: y acts only")


def test_the_program_is_run_once():
    calls = []

    def f(x):
        calls.append(x)
        return math.floor(x) * 1.0

    told(grad(f), 1.5)
    calls.clear()
    grad(f)(1.5)
    assert len(calls) == 1


def test_a_builtin_is_told_at_the_line_that_called():
    message, line = told(lambda: grad(math.floor)(1.5))

    assert message.startswith("G205: x acts only")
    assert line == "message, line = told(lambda: grad(math.floor)(1.5))"


def test_a_trace_has_findings_of_single_numbers():
    """Which warn of nothing: whole inputs, numbers of a list and of an array, each with its line."""

    def f(x, y, z):
        limit = 2.0 if y[1] > 3 else 1.0
        return np.sum(np.where(x[0] > z, x[1:], 0.0)) * y[0] * limit

    found = gradcli.trace(f, np.array([1.0, 2.0, 3.0]), [4.0, 5.0], 0.5).findings
    lines = [linecache.getline(__file__, each.line).strip().partition(" ")[0] for each in found]
    assert [each.code for each in found] == ["G205", "G205", "G205"]
    assert [each.message.partition(" acts")[0] for each in found] == ["z", "y[1]", "x[0]"]
    assert lines == ["return", "limit", "return"]


def test_a_trace_of_many_numbers_has_no_findings():
    assert gradcli.trace(np.floor, np.array([1.5, 2.5])).findings == ()
