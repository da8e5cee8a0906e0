"""Rewrites are tried at the point, and shown where they keep more digits there."""

import math

import numpy as np
import pytest

from gradcli.methods.numerics.coordinates import coordinates
from gradcli.methods.symbolic.rewrite_trials import Trials
from gradcli.methods.transforms.gradients import trace

HALF_ULP = 2.0**-53


def trials(f, *at):
    """The trials of a run, and the node of its result."""
    tape = trace(f, *at)
    point = {f"x{n}": value for n, value in enumerate(at)}
    names = [f"r{n}" for n in range(len(tape.nodes))]
    return Trials(tape, coordinates(point), names, HALF_ULP), len(tape.nodes) - 1


def test_digits_are_measured():
    tried, last = trials(lambda x: 1 - math.cos(x), 1e-6)
    true = 2 * math.sin(5e-7) ** 2

    assert math.isclose(-math.log10(abs((1 - math.cos(1e-6)) - true) / true), tried.digits(last), abs_tol=0.1)


def test_a_rewrite_that_keeps_more():
    tried, last = trials(lambda x: 1 - math.cos(x), 1e-6)
    found = tried.best(last)

    assert found.text == "2 * sin(r0 / 2)**2"
    assert found.before < 5 < 15 < found.after


@pytest.mark.parametrize(
    ("f", "at"),
    [
        (lambda x: 1 - math.cos(x), 1.5),
        (lambda x: math.exp(x + 1e8) - 1, -1e8),
        (lambda x: (x + 1e-9) ** 2 - (x - 1e-9) ** 2, 1.0),
        (lambda x: x**2 - 2, 1.4142135),
        (lambda x: x * 1.0, 3.0),
    ],
    ids=["nothing is lost", "no better", "the operands have lost it", "no factors", "no pattern"],
)
def test_what_keeps_no_more_is_not_shown(f, at):
    tried, last = trials(f, at)

    assert tried.best(last) is None


def test_factors_of_a_polynomial():
    tried, last = trials(lambda x, y: x * x - 2 * x * y + y * y, 1.0001, 1.0)

    assert tried.best(last).text == "(x0 - x1)**2"


def test_arrays_by_their_worst_number():
    tried, last = trials(lambda x: np.exp(x) - 1, np.array([1.0, 1e-9]))

    assert tried.digits(last) < 8
    assert tried.best(last).after > 15
