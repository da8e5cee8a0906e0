"""Loops that converge, and loops that end by a comparison and do not."""

import numpy as np
import pytest

from gradcli.answers.checks.nonsmooth.inverted_loop_exit import further_iterations
from gradcli.answers.checks.nonsmooth.loop_convergence import converges
from gradcli.methods.transforms.gradients import trace
from tests.corpus import loops


def verdict_of(f, x):
    """Whether the last loop of a run converges."""
    run = trace(f, x)
    return converges([run, *further_iterations(run)])


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (loops.early_root, 3.1),
        (loops.early_root, 1.0),
        (loops.fixed_point, 0.8),
        (loops.exponential, 1.3),
        (loops.kepler, 0.3),
        (loops.relaxed, np.array([1.0, 2.0, 3.0])),
        (loops.descent, 1.2),
        (loops.dominant, 3.0),
        (loops.geometric, 0.3),
    ],
)
def test_what_converges(f, x):
    """Newton, fixed points, series, linear systems, descents and powers."""
    assert verdict_of(f, x) is True


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: loops.halved(x, 1.5), 7.3),
        (lambda x: loops.halved(x, 1.5), 1e6),
        (loops.doubled, 0.13),
        (loops.wrapped, 4.3),
        (loops.ball, 5.0),
        (loops.spent, 0.003),
        (loops.bracket, 0.37),
        (loops.inserted, [1.02, 1.0, 1.01]),
        (loops.passage, 0.4),
        (loops.logistic, 3.9),
        (loops.searched, 1.9),
        (loops.euclid, 9.3),
    ],
)
def test_what_does_not(f, x):
    assert verdict_of(f, x) is False


def test_without_a_further_iteration():
    assert converges([trace(lambda x: x * x, 2.0)]) is False
