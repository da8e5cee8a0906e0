"""A gradient that is not finite warns with the line of the user's at which that was born."""

import linecache
import math
import warnings

import numpy as np
import pytest

from gradcli import FindingWarning, grad, value_and_grad
from gradcli.methods.transforms import derivative_warnings


@pytest.fixture(autouse=True)
def forgetful(monkeypatch):
    """Nothing was told before, and nothing is ignored."""
    for name in ("_warned", "_looked_at", "_times"):
        monkeypatch.setattr(derivative_warnings, name, type(getattr(derivative_warnings, name))())
    with warnings.catch_warnings():
        warnings.simplefilter("always", FindingWarning)
        yield


def told(function, *arguments):
    """The warnings of a call: each text, and the source line that it names."""
    with pytest.warns(FindingWarning) as caught:
        function(*arguments)
    assert {__file__} == {each.filename for each in caught}
    return [(str(each.message), linecache.getline(__file__, each.lineno).strip()) for each in caught]


def test_a_sensitivity_of_an_array():

    def f(x):
        y = np.sqrt(x)
        return np.sum(y * y)

    ((message, line),) = told(grad(f), np.array([0.0, 4.0]))
    assert message.startswith("G102: ")
    assert line == "y = np.sqrt(x)"


def test_a_sensitivity_of_numbers():

    def f(x):
        return math.sqrt(x[0]) * x[1][0]

    ((message, line),) = told(grad(f), [0.0, [2.0]])
    assert "affects x[0]" in message
    assert line == "return math.sqrt(x[0]) * x[1][0]"


def test_a_value():

    def f(x):
        return 1e200 * x * x

    ((message, line),) = told(value_and_grad(f), 1e200)
    assert message.startswith("G108: ")
    assert line == "return 1e200 * x * x"


def test_each_line_is_named_once():
    gradient = grad(lambda x: math.sqrt(x))
    assert len(told(gradient, 0.0)) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert gradient(0.0) == math.inf


def test_what_a_program_prints_is_shown_once(capsys):

    def f(x):
        print("here")
        return x**0.5

    told(grad(f), 0.0)
    assert capsys.readouterr().out == "here\n"


def test_what_is_finite_warns_of_nothing():
    """A lane that was not taken, a large gradient, a sum that overflows though its numbers do not."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        grad(lambda x: np.sum(np.where(x < 1, x, np.sqrt(x))))(np.array([0.0, 4.0]))
        assert grad(lambda x: 1.5e308 * x[0] + 1.5e308 * x[1])([0.1, 0.2]) == [1.5e308, 1.5e308]


def test_other_arguments_stay_as_they_are():

    def f(x, mode, *, scale):
        return scale * x if mode == "linear" else math.sqrt(x)

    assert len(told(lambda: grad(f)(0.0, "root", scale=2.0))) == 1
