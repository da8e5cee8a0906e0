"""The cost of commands on long programs and through libraries, in multiples of one gradient of the same function."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

import gradcli
from benchmarks.neighbours import OURS
from benchmarks.row import Effort
from benchmarks.timing import Call, medians
from gradcli import queries

GRADIENT = "one gradient"
RATE = 0.05
STEPS = 40  # of the tree


def scalars(operations: int) -> Callable[[Any], Any]:
    """A program of so many operations on numbers."""

    def run(x: Any) -> Any:
        y = x
        for _ in range(operations // 4):
            x, y = y, math.sin(x) * 0.5 + y * 0.25
        return x + y

    return run


def rounds(x: Any) -> Any:
    """A program of 20,000 operations on numbers, of which commands take the source."""
    return scalars(20_000)(x)


def heat(u: Any) -> Any:
    """The energy after ten explicit steps of the heat equation on a ring, with a nonlinear source."""
    for _ in range(10):
        u = u + 0.1 * (np.roll(u, 1) - 2.0 * u + np.roll(u, -1)) + 0.01 * np.sin(u)
    return np.sum(u * u)


def american_put(spot: Any, volatility: Any) -> Any:
    """The price of an American put by a binomial tree (Cox, Ross and Rubinstein, 1979)."""
    strike, step = 100.0, 1.0 / STEPS
    up = math.exp(volatility * math.sqrt(step))
    odds = (math.exp(RATE * step) - 1.0 / up) / (up - 1.0 / up)
    discount = math.exp(-RATE * step)
    prices = [spot * up ** (2 * n - STEPS) for n in range(STEPS + 1)]
    values = [max(strike - price, 0.0) for price in prices]
    for _ in range(STEPS):
        prices = [price * up for price in prices[:-1]]
        held = [discount * (odds * high + (1.0 - odds) * low) for low, high in pairwise(values)]
        values = [max(value, strike - price) for value, price in zip(held, prices, strict=True)]
    return values[0]


def curve(heights: Any) -> Any:
    """The log-likelihood of values of a natural spline, computed by Python code of SciPy's."""
    from scipy import interpolate, stats

    spline = interpolate.CubicSpline(np.arange(float(len(heights))), heights, bc_type="natural")
    return np.sum(stats.norm.logpdf(spline(np.array([0.3, 1.7, 2.2])), loc=1.0, scale=2.0))


def lorenz(numbers: Any) -> Any:
    """A coordinate after one unit of time of Lorenz's system (1963), at tight tolerances."""
    from scipy.integrate import solve_ivp

    def speed(_: float, at: Any) -> Any:
        (x, y, z), (sigma, rho, beta) = at, numbers
        return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

    return solve_ivp(speed, (0.0, 1.0), [1.0, 1.0, 1.0], rtol=1e-10, atol=1e-12).y[0, -1]


def valley(x: Any) -> Any:
    """Rosenbrock's function of an array."""
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def layers(x: Any, weights: Any) -> Any:
    """A sum of squares after a product of matrices and its hyperbolic tangent."""
    return np.sum(np.tanh(x @ weights) ** 2) + np.sum(np.abs(weights))


HEIGHTS = "heights=[1,2,4,3,5]"
HERE = "benchmarks/of_commands.py"


def checked_numbers(effort: Effort) -> dict[str, float]:
    """Seconds for a check of 20,000 operations on numbers."""
    function = scalars(effort.sized(20_000))
    gradient = gradcli.grad(function)
    return beside_gradient(lambda: gradcli.check(function, at=0.5), lambda: gradient(0.5), effort)


def checked_steps(effort: Effort) -> dict[str, float]:
    """Seconds for a check of a solver of a differential equation by 100 inputs."""
    start = np.sin(np.arange(float(effort.sized(100))))
    gradient = gradcli.grad(heat)
    return beside_gradient(lambda: gradcli.check(heat, at=start), lambda: gradient(start), effort)


def checked_integrator(effort: Effort) -> dict[str, float]:
    """Seconds for a check through `solve_ivp` at tight tolerances."""
    gradient, numbers = gradcli.grad(lorenz), np.array([10.0, 28.0, 8.0 / 3.0])
    return beside_gradient(lambda: gradcli.check(lorenz, at=numbers), lambda: gradient(numbers), effort)


def precise_tree(effort: Effort) -> dict[str, float]:
    """Seconds for the digits of a binomial tree of 40 steps."""
    gradient = gradcli.grad(american_put, argnums=(0, 1))

    return beside_gradient(
        lambda: queries.precision(f"{HERE}:american_put", "100,0.2"), lambda: gradient(100.0, 0.2), effort
    )


def derived(function: Callable[..., Any], *shape: int) -> Callable[[Effort], dict[str, float]]:
    """Measures the seconds until the gradient of a function of arrays is derived and verified."""

    def measure(effort: Effort) -> dict[str, float]:
        count = function.__code__.co_argcount
        point = tuple(np.random.default_rng(0).uniform(0.5, 2.0, (count, *map(effort.sized, shape))))
        gradient = gradcli.grad(function, tuple(range(count)))
        return beside_gradient(lambda: gradcli.derive(function, at=point), lambda: gradient(*point), effort)

    return measure


def of_numbers(query: Callable[[str, str], object]) -> Callable[[Effort], dict[str, float]]:
    """Measures the seconds of a query about 20,000 operations on numbers."""

    def measure(effort: Effort) -> dict[str, float]:
        gradient = gradcli.grad(rounds)
        return beside_gradient(lambda: query(f"{HERE}:rounds", "x=0.5"), lambda: gradient(0.5), effort)

    return measure


def through_scipy(query: Callable[[str, str], object]) -> Callable[[Effort], dict[str, float]]:
    """Measures the seconds of a query about a function that SciPy's Python code computes."""

    def measure(effort: Effort) -> dict[str, float]:
        gradient, heights = gradcli.grad(curve), np.array([1.0, 2.0, 4.0, 3.0, 5.0])
        return beside_gradient(lambda: query(f"{HERE}:curve", HEIGHTS), lambda: gradient(heights), effort)

    return measure


def beside_gradient(ours: Call, gradient: Call, effort: Effort) -> dict[str, float]:
    """The seconds of a command and of one gradient; a command takes seconds, so that few repeats suffice."""
    return medians({OURS: ours, GRADIENT: gradient}, min(effort.repeats, 3), effort.slice_s)


def no_scipy() -> str | None:
    """Why the rows with SciPy cannot be measured."""
    return None if importlib.util.find_spec("scipy") else "it needs SciPy"
