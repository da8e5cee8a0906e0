"""What a user of the library passes wrongly: the error of ours, what came, what is needed."""

from pathlib import Path

import numpy as np
import pytest

import gradcli
from gradcli.errors import DeviceError, GradcliError, PointError, ResultError, UsageError


def double(x):
    return 2 * x


@pytest.mark.parametrize(("call", "kind", "said"), [
    (lambda: gradcli.grad(3), UsageError, "3 is not a function"),
    (lambda: gradcli.jacobian(None), UsageError, "None is not a function"),
    (lambda: gradcli.grad(double)(np.ones(3)), ResultError, "double returned an array of shape (3,)"),
    (lambda: gradcli.grad(lambda x: 2 * x)(np.ones(3)), ResultError, "the function returned an array"),
    (lambda: gradcli.grad(lambda x: np)(1.0), ResultError, "the function returned a module"),
    (lambda: gradcli.jacobian(lambda x: {1})(1.0), ResultError, "the function returned a set"),
    (lambda: gradcli.vjp(lambda x: {1}, 1.0), ResultError, "the function returned a set"),
    (lambda: gradcli.grad(double)(10**400), PointError, "an integer of 1329 bits is too large"),
    (lambda: gradcli.grad(double)(np.array([1, None])), PointError, "an array of object cannot"),
    (lambda: gradcli.grad(double)(None), PointError, "None cannot be an input"),
    (lambda: gradcli.vjp(double, np.ones(3))[1](np.ones(2)), PointError, "shape (2,); the value has (3,)"),
    (lambda: gradcli.vjp(double, 1.0)[1](1j), PointError, "dtype complex128; it must be real"),
    (lambda: gradcli.jvp(double, (1.0,), ("a",)), PointError, "it must be real"),
    (lambda: gradcli.jvp(double, (np.ones(3),), (np.ones(2),)), PointError, "shape (2,); the argument has (3,)"),
    (lambda: gradcli.hvp(np.sum, np.ones(3), np.ones(2)), PointError, "shape (2,); the argument has (3,)"),
    (lambda: gradcli.hvp(np.sum, {"a": 1.0}, {"b": 1.0}), PointError,
        "shape {'b': ()}; the argument has {'a': ()}"),
    (lambda: gradcli.vjp(lambda x: {"a": x}, 1.0)[1](1.0), PointError, "shape (); the value has {'a': ()}"),
    (lambda: gradcli.vjp(double, 1.0)[1]({"a": 1.0}), PointError, "shape {'a': ()}; the value has ()"),
    (lambda: gradcli.jvp(double, (1.0,), ()), PointError,
        "one tangent per argument: there are 1 arguments and 0 tangents"),
    (lambda: gradcli.device("tpu"), DeviceError, "there is no device 'tpu'"),
    (lambda: gradcli.device(None), DeviceError, "there is no device None"),
    (lambda: gradcli.check(double, at=1.0, nosuch=1), UsageError, "check has no argument 'nosuch'; it has at"),
    (lambda: gradcli.check(double, at=1.0, againts=double), UsageError, "no argument 'againts'; write against="),
    (lambda: gradcli.check(double, at=1.0, rtoll=1.0), UsageError, "no argument 'rtoll'; write rtol="),
    (lambda: gradcli.check(double, at=1.0, points=-2), UsageError, "points is -2"),
    (lambda: gradcli.check(double, at=1.0, max_seconds="a"), UsageError, "max_seconds is 'a'"),
    (lambda: gradcli.check(double, at=1.0, max_seconds=float("nan")), UsageError, "max_seconds is nan"),
    (lambda: gradcli.check(double, at=1.0, points=1, box={"x": 3}), PointError, "an interval has two ends"),
    (lambda: gradcli.check(double, at=1.0, against={"y": 1}), ResultError, "the names y; the point has a number"),
    (lambda: gradcli.Variable(None), UsageError, "consists of numbers, not None"),
    (lambda: gradcli.Variable([[1, 2], [3]]), UsageError, "the value cannot be converted to an array"),
    (lambda: gradcli.Variable([1.0, 2.0]).assign([1.0]), UsageError, "shape (1,) cannot be assigned"),
    (lambda: gradcli.constant([1.0], dtype="foo"), UsageError, "type 'foo' can be made of the value"),
])  # fmt: skip
def test_an_error_of_ours(call, kind, said):
    with pytest.raises(GradcliError) as caught:
        call()

    assert isinstance(caught.value, kind)
    assert said in caught.value.message
    assert files_of_ours(caught) == [] or kind is DeviceError  # a class of the lowest layer


@pytest.mark.parametrize("call", [
    lambda: gradcli.grad(),
    lambda: gradcli.grad(double, argnums=1.5),
    lambda: gradcli.grad(double, foo=3),
    lambda: gradcli.grad(double)(3.0, 4.0),
    lambda: gradcli.value_and_grad(double)(),
    lambda: gradcli.hessian(3),
    lambda: gradcli.elementwise_grad(3),
    lambda: gradcli.jacobian(double, sparze=True),
    lambda: gradcli.jvp(double),
    lambda: gradcli.vjp(3, 1.0),
    lambda: gradcli.derive(double),
    lambda: gradcli.derive(double, at=1.0, foo=3),
    lambda: gradcli.derive(double, at="zz"),
    lambda: gradcli.derive("x*", at=1.0),
    lambda: gradcli.derive(double, at=1.0).save("/no/such/folder/x.py"),
    lambda: gradcli.check(double),
    lambda: gradcli.check("x*", at=1.0),
    lambda: gradcli.trace(double),
    lambda: gradcli.rule("foo", "x*"),
    lambda: gradcli.rule("foo(x)", "x**2", "x"),
    lambda: gradcli.verify("no_such_file.py"),
    lambda: gradcli.verify(3),
    lambda: gradcli.cast(1.0, "nonsense"),
    lambda: gradcli.GradientTape().gradient(1, 2),
])  # fmt: skip
def test_a_traceback_shows_the_users_lines_only(call):
    with pytest.raises((GradcliError, TypeError)) as caught:
        call()

    assert files_of_ours(caught) == []


def files_of_ours(caught):
    """The frames of gradcli's in a traceback."""
    package = str(Path(gradcli.__file__).parent)
    return [str(entry.path) for entry in caught.traceback if str(entry.path).startswith(package)]


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        (lambda x: np.sum(x[:2] + x[:3]), ValueError, r"\(2,\) \(3,\)"),
        (lambda x: x[7], IndexError, "index 7 is out of bounds"),
        (lambda x: np.array([[x, 1], [x]]).sum(), ValueError, "inhomogeneous shape"),
        (lambda x: (x * np.array([1, None, 2])).sum(), TypeError, "NoneType"),
    ],
)
def test_what_the_plain_run_raises(call, kind, said):
    """The user sees it as it is, with both shapes, and the traceback has the user's line."""
    with pytest.raises(kind, match=said) as caught:
        gradcli.grad(call)(np.ones(3))

    assert any(__file__ == str(entry.path) for entry in caught.traceback[1:])
