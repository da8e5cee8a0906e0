"""Jacobians: the mode that takes fewer sweeps, and what was not taken."""

import math

import numpy as np
import pytest

from gradcli import GradientTape, Variable, grad, hessian, jacobian
from gradcli.engine.tape.sweeps.batched_reverse import reverse_together
from gradcli.engine.tape.sweeps.reverse_and_forward import forward
from gradcli.errors import UsageError
from gradcli.methods.transforms import jacobians
from gradcli.shared import memory_limit


def test_a_tall_jacobian_is_swept_forward(monkeypatch):
    """Three inputs and a thousand results cost three sweeps, and give what reverse sweeps give."""
    t = np.linspace(0.1, 2.0, 1000)

    def model(a, b):
        return a[0] * np.exp(-t * b) + np.maximum(a[1] * t, 0.5), np.cos(a[0] * t)

    point = np.array([1.5, -0.7]), 0.3
    sweeps = []
    monkeypatch.setattr(jacobians, "forward", lambda *x: sweeps.append(1) or forward(*x))
    fast = jacobian(model, (0, 1))(*point)
    monkeypatch.setattr(jacobians, "_is_tall", lambda *_: False)
    slow = jacobian(model, (0, 1))(*point)

    assert len(sweeps) == 3
    for n in (0, 1):
        for k in (0, 1):
            np.testing.assert_allclose(slow[n][k], fast[n][k], rtol=1e-13, atol=1e-15)


def test_a_jacobian_leaves_out_what_was_not_taken():
    """Where a forward or a joint sweep meets an infinity, the sweep that knows what was reached decides."""
    x = np.array([0.0, 4.0])
    expected = np.diag([1.0, 0.25])

    np.testing.assert_array_equal(expected, jacobian(lambda x: np.where(x < 1, x, np.sqrt(x)))(x))
    tall = jacobian(lambda x: np.where(x < 1, x, np.sqrt(x)) * np.ones((20, 2)))(x)
    np.testing.assert_array_equal(np.broadcast_to(expected, (20, 2, 2)), tall)


def test_a_jacobian_of_several_arguments_takes_each_sweep_once(monkeypatch):
    """The sweeps are those of the results, however many arguments there are."""
    sweeps = []

    def counted(*arguments):
        sweeps.append(1)
        return reverse_together(*arguments)

    monkeypatch.setattr(jacobians, "reverse_together", counted)
    found = jacobian(lambda x, y, z: x * y * z, (0, 1, 2))(*np.arange(1.0, 10.0).reshape(3, 3))

    assert len(sweeps) == 1
    np.testing.assert_array_equal(np.diag([28.0, 40.0, 54.0]), found[0])


@pytest.fixture
def little(monkeypatch):
    """A machine of 16 GB, of which 1 GB is left."""
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: (16 * 10**9, 10**9))


def _in_a_tape(x):
    x = Variable(x)
    with GradientTape() as tape:
        y = x * x
    return tape.jacobian(y, x)


@pytest.mark.parametrize("of", [hessian(lambda x: (x**2).sum()), jacobian(lambda x: x**2), _in_a_tape])
def test_more_derivatives_than_the_memory_holds_are_refused(of, little):
    """Before they are computed: how many there are, what they take, and what to type."""
    said = r"1,000,000,000,000 derivatives: 8,000\.0 GB of memory, and 1\.0 GB of 16\.0 GB are left\n.*hvp\(f, x, v\)"
    with pytest.raises(UsageError, match=said):
        of(np.ones(10**6))


def test_the_inputs_that_are_not_asked_for_take_no_memory(little):
    assert jacobian(lambda x, y: x * y.sum(), 0)(np.ones(2), np.ones(10**6)).shape[:1] == (2,)


def test_where_the_system_does_not_tell_nothing_is_refused(monkeypatch):
    monkeypatch.setattr(memory_limit, "machine_memory", lambda: None)
    monkeypatch.setattr(memory_limit, "SMALL", 0)
    np.testing.assert_array_equal(np.diag([2.0, 2.0]), hessian(lambda x: (x**2).sum())(np.ones(2)))


def test_many_results_of_few_numbers():
    """Forward sweeps give what reverse sweeps give, in the structure of the result and of the argument."""

    def f(x):
        a, b = x["a"], x["b"]
        return [a * b, math.sin(a), [b / a, 3.0, max(a, b)], a**b, math.sqrt(b), -a, a - b]

    found = jacobian(f)({"a": 2.0, "b": 0.5})
    each = [grad(lambda x, n=n: f(x)[n])({"a": 2.0, "b": 0.5}) for n in (0, 1, 3, 4, 5, 6)]
    assert each == [found[n] for n in (0, 1, 3, 4, 5, 6)]
    assert found[2] == [{"a": -0.125, "b": 0.5}, {"a": 0.0, "b": 0.0}, {"a": 1.0, "b": 0.0}]
    assert {float} == {type(x) for n in (0, 1, 3) for x in found[n].values()}


def test_an_infinite_derivative_among_many_results():
    """The forward sweeps are given up for reverse ones, which count a computed zero."""
    found = jacobian(lambda x, y: [math.sqrt(x), y, x, x + y, x - y, x * y, 0.0 * y], (0, 1))(0.0, 3.0)

    assert found[0][0] == math.inf
    assert [found[1][n] for n in (1, 3, 4, 5, 6)] == [1.0, 1.0, -1.0, 0.0, 0.0]
