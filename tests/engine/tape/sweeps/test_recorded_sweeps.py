"""Notes on recorded sweeps: a gradient inside a gradient costs the same wherever it stands in the run."""

from __future__ import annotations

import pytest

import gradcli
from gradcli.engine.tape import equal_operands


def steps(count):
    """A path whose slope is that of a potential, which asks at each step whether it is over."""

    def path(x):
        for _ in range(count):
            x = x - 0.01 * gradcli.grad(lambda at: at**3 + at)(x)
            if x < -5.0:
                break
        return x

    return path


@pytest.mark.parametrize("count", [10, 40])
def test_an_outcome_is_looked_at_once_for_all_gradients_inside(count, monkeypatch):
    looked_at = []
    usual = equal_operands.orders_equal
    monkeypatch.setattr(equal_operands, "orders_equal", lambda *asked: looked_at.append(asked) or usual(*asked))
    gradcli.grad(steps(count))(1.0)
    assert len(looked_at) <= 2 * count


def test_the_order_of_equal_numbers_is_seen_between_any_two_gradients_inside():
    def f(x):
        first = gradcli.grad(lambda at: at**3)(x)
        y = x if x > 1.0 else 2 * x
        return first * gradcli.grad(lambda at: at**2)(y)

    with pytest.warns(gradcli.errors.FindingWarning, match="G2"):
        gradcli.grad(f)(1.0)
