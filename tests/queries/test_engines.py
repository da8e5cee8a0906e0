"""One program by several engines: values, gradients and times."""

from __future__ import annotations

import importlib.util
import math

import numpy as np
import pytest

from gradcli import queries
from gradcli.errors import Exit, TargetError, UsageError

WEIGHTS = np.linspace(0.1, 0.9, 6).reshape(2, 3)
POINT = {"x": np.array([1.0, 2.0, 3.0]), "y": 0.7}
NEEDED = {"gradcli": "numpy", "torch": "torch", "jax": "jax", "autograd": "autograd", "tensorflow": "tensorflow"}


def layer(x):
    return np.tanh(WEIGHTS @ x)


def loss(x, y):
    return np.sum(layer(x) ** 2) * math.exp(-y) + np.linalg.norm(x) + np.maximum(y, 0.5)


def branches(x):
    return x * x if x > 0 else -x


def not_in_torch(x):
    return np.cbrt(x)


def not_of_math(x):
    return math.fsum([x, x])


def of_number_in_math(x):
    return x * math.gamma(4) * math.fsum([1.0, 2.0])


def asked(function, at, engine):
    if importlib.util.find_spec(NEEDED.get(engine, "numpy")) is None:
        pytest.skip(f"{engine} is not installed")
    return queries.compare_engines(function, at, engine)


@pytest.mark.parametrize("engine", [*NEEDED, "differences"])
@pytest.mark.parametrize(("function", "at"), [(loss, POINT), (branches, 1.5)])
def test_an_engine_computes_a_numpy_program(function, at, engine):
    """The names of NumPy and `math`, in helpers too, mean the engine's functions."""
    comparison = asked(function, at, engine)
    (run,) = comparison.engines

    assert (comparison.verdict, comparison.exit) == ("equal", Exit.PASS)
    assert len(run.numbers) == (5 if function is loss else 2)
    assert 0 < run.later_calls <= run.first_call
    assert function(**POINT) if function is loss else True  # the program itself stays NumPy's


def test_what_is_not_installed_is_named_with_its_extra(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "jax", None)

    comparison = queries.compare_engines(branches, 1.5, "differences, jax")

    assert [run.note for run in comparison.engines] == ["", "jax is not installed. pip install 'gradcli[adapters]'"]
    assert comparison.verdict == "equal"


def test_functions_that_an_engine_lacks_take_numbers_alone():
    """Of an array they would take the number, and its derivative would be lost."""
    assert asked(of_number_in_math, 1.5, "torch").verdict == "equal"
    for function, note in ((not_in_torch, "cbrt of NumPy's"), (not_of_math, "fsum of math's")):
        assert asked(function, 1.5, "torch").engines[0].note == f"PyTorch has no function {note}"


def test_an_engine_that_differs_is_the_verdict(monkeypatch):
    from gradcli.methods.adapters import engines

    def wrong(program):
        made = engines.ENGINES["differences"](program)
        return made._replace(result=lambda returned: made.result(returned)._replace(slopes=[3.1]))

    monkeypatch.setitem(engines.ENGINES, "wrong", wrong)
    comparison = queries.compare_engines(branches, 1.5, "gradcli,wrong")

    assert (comparison.verdict, comparison.exit) == ("differ", Exit.FAIL)


@pytest.mark.parametrize(
    ("target", "engines", "error", "message"),
    [(branches, "torch,theano", UsageError, "theano is no engine"), ("x*x", "gradcli", TargetError, "Python function")],
)
def test_what_cannot_be_compared_is_refused(target, engines, error, message):
    with pytest.raises(error, match=message):
        queries.compare_engines(target, "1.5", engines)
