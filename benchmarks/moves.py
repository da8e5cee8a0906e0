"""The number of small moves of the point that leave a recorded program with masks, sorts and solvers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import gradcli

MOVES = 20
SIZE = 0.01  # relative size of a move


def programs() -> dict[str, Callable[[Any], Any]]:
    """Programs of five numbers, most of them through thirty intermediate values."""
    from scipy.integrate import quad
    from scipy.optimize import brentq

    rng = np.random.default_rng(0)
    matrix, shift, points = rng.normal(size=(30, 5)), rng.normal(size=30), np.linspace(-6.0, 6.0, 13)

    def of_hidden(f: Callable[[Any], Any]) -> Callable[[Any], Any]:
        return lambda x: f(matrix @ x + shift)

    return {
        "where": of_hidden(lambda h: np.sum(np.where(h > 0, h, 0.01 * h) ** 2)),
        "times a mask": of_hidden(lambda h: np.sum((h * (h > 0)) ** 2)),
        "by a mask": of_hidden(lambda h: np.sum(h[h > 0] ** 2)),
        "huber": of_hidden(lambda h: np.sum(np.where(np.abs(h) <= 1, 0.5 * h * h, np.abs(h) - 0.5))),
        "sort": of_hidden(lambda h: np.sort(h) @ np.arange(30.0)),
        "median": of_hidden(np.median),
        "interp": of_hidden(lambda h: np.sum(np.interp(h, points, np.sin(points)))),
        "argmax": of_hidden(lambda h: h[np.argmax(h)] ** 2),
        "brentq": lambda x: brentq(lambda t: t**3 + x[0] ** 2 * t - x[1] ** 2 - 1.0, 0.0, 10.0) + x[2],
        "quad": lambda x: quad(lambda t: math.exp(-t * x[0] ** 2) * math.cos(x[1] * t), 0.0, 2.0)[0],
    }


def left(f: Callable[[Any], Any]) -> int:
    """The number of moves of 1 % that leave the recorded program.

    Raises:
        AssertionError: a replay differs from a run.
    """
    rng = np.random.default_rng(1)
    here = rng.normal(size=5)
    recorded, count = gradcli.trace(f, here, names=False), 0
    for _ in range(MOVES):
        there = here * (1.0 + SIZE * rng.normal(size=5))
        trace = recorded.replay(there)
        np.testing.assert_allclose(trace.value, f(there), rtol=1e-11)
        count += type(trace) is gradcli.Trace
    return count
