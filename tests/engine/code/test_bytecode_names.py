"""The names in code, told by their use."""

import builtins
import sys

import numpy as np
import pytest

from gradcli.engine.code.bytecode_names import called_loads, is_about_to_call, names_in


def test_code_that_makes_lists():
    assert names_in((lambda x: np.sum([x])).__code__).makes_lists
    assert not names_in((lambda x: np.sum((x, x))).__code__).makes_lists


@pytest.mark.parametrize(
    ("source", "keeps"),
    [
        ("def f(x): return x + 1", False),
        ("def f(x):\n    y = [x]\n    y[0] = 2\n    return y", False),
        ("def f(x):\n    x.n = 1", True),
        ("def f(x):\n    global n\n    n = 1", True),
        ("def f(x):\n    n = 0\n    def g():\n        nonlocal n\n        n = 1\n    return g", True),
    ],
)
def test_code_that_assigns_what_outlives_the_call(source, keeps):
    """Attributes, globals and enclosed variables; a local list is none."""
    made = {}
    exec(source, made)

    assert keeps == names_in(made["f"].__code__).keeps


def test_a_call_over_several_lines():
    """The function of a call begins where the call does."""

    def f(x):
        return (
            np.float64(
                x
            )
        )  # fmt: skip

    assert len(called_loads(f.__code__)) == 1


def test_a_frame_that_is_about_to_call():
    """An attribute that is called, one that is not, and one that `getattr` gives."""

    class Asks:
        def __getattr__(self, name):
            return is_about_to_call(sys._getframe(1)) and (lambda: True)

    asks = Asks()

    assert asks.attribute()
    assert not asks.attribute
    assert builtins.getattr(asks, "attribute")()  # noqa: B009 - that is what is asked
