"""The array programs that every library differentiates, with data, and hand-written gradients for comparison.

`program(np, *data)` is written once with NumPy's names and returns a function of the arguments. `straight` is the
gradient that a patient programmer would write with the same NumPy calls, forwards and backwards, and sums in place.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from benchmarks import straight


@dataclass(frozen=True)
class Workload:
    """A program, its constant data, the point, and hand-written gradients.

    `unwritten` is the same program for libraries that cannot differentiate writes into an array.
    """

    program: Callable[..., Callable[..., Any]]
    data: tuple[Any, ...]
    point: tuple[Any, ...]
    straight: Callable[..., Any]
    fused: Callable[..., Any] | None = None
    unwritten: Callable[..., Callable[..., Any]] | None = None

    def function(self, np: Any, data: Sequence[Any]) -> Callable[..., Any]:
        """The program with the names of another library, whose arrays are not written into."""
        return (self.unwritten or self.program)(np, *data)


def rosenbrock(size: int) -> Workload:
    """A valley in a number of dimensions."""

    def program(np: Any) -> Callable[[Any], Any]:
        def valley(x: Any) -> Any:
            return np.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)

        return valley

    return Workload(program, (), (np.linspace(0.5, 1.5, size),), straight.rosenbrock, straight.fused_rosenbrock)


def perceptron(batch: int, wide: int = 784, hidden: int = 128, classes: int = 10) -> Workload:
    """One step of a two-layer perceptron: tanh, then the cross entropy of a softmax."""

    def program(np: Any, images: Any, labels: Any) -> Callable[..., Any]:
        def loss(w1: Any, b1: Any, w2: Any, b2: Any) -> Any:
            z = np.tanh(images @ w1 + b1) @ w2 + b2
            top = np.max(z, axis=1, keepdims=True)
            total = top + np.log(np.sum(np.exp(z - top), axis=1, keepdims=True))
            return np.mean(np.sum(labels * (total - z), axis=1))

        return loss

    rng = np.random.default_rng(0)
    data = rng.normal(size=(batch, wide)), np.eye(classes)[rng.integers(0, classes, batch)]
    weights = 0.05 * rng.normal(size=(wide, hidden)), 0.1 * rng.normal(size=(hidden, classes))
    point = weights[0], np.zeros(hidden), weights[1], np.zeros(classes)
    return Workload(program, data, point, straight.perceptron)


def mixture(points: int, dimensions: int = 32, components: int = 25) -> Workload:
    """The log-likelihood of a mixture of Gaussians with diagonal covariances."""

    def program(np: Any, points: Any) -> Callable[..., Any]:
        def likelihood(alphas: Any, means: Any, logs: Any) -> Any:
            scaled = (points[:, None, :] - means[None]) * np.exp(-logs)[None]
            each = -0.5 * np.sum(scaled**2, axis=2) - np.sum(logs, axis=1)[None] + alphas[None]
            top = np.max(each, axis=1, keepdims=True)
            weights = np.log(np.sum(np.exp(alphas)))
            return np.sum(np.log(np.sum(np.exp(each - top), axis=1)) + top[:, 0] - weights)

        return likelihood

    rng = np.random.default_rng(1)
    point = (
        rng.normal(size=components),
        rng.normal(size=(components, dimensions)),
        0.1 * rng.normal(size=(components, dimensions)),
    )
    return Workload(program, (rng.normal(size=(points, dimensions)),), point, straight.mixture)


def logistic(rows: int, columns: int = 100) -> Workload:
    """Logistic regression with a penalty on the weights."""

    def program(np: Any, features: Any, signs: Any) -> Callable[[Any], Any]:
        def loss(w: Any) -> Any:
            return np.mean(np.log1p(np.exp(-signs * (features @ w)))) + 0.01 * np.sum(w**2)

        return loss

    rng = np.random.default_rng(2)
    data = rng.normal(size=(rows, columns)), rng.choice([-1.0, 1.0], rows)
    return Workload(program, data, (0.1 * rng.normal(size=columns),), straight.logistic)


def recurrent(steps: int, batch: int = 32, wide: int = 32, hidden: int = 64) -> Workload:
    """A recurrent cell, step after step."""

    def program(np: Any, inputs: Any, start: Any) -> Callable[..., Any]:
        def energy(w_in: Any, w: Any, b: Any) -> Any:
            h = start
            for x in inputs:
                h = np.tanh(x @ w_in + h @ w + b)
            return np.sum(h * h)

        return energy

    rng = np.random.default_rng(3)
    data = rng.normal(size=(steps, batch, wide)), np.zeros((batch, hidden))
    point = 0.3 * rng.normal(size=(wide, hidden)), 0.1 * rng.normal(size=(hidden, hidden)), np.zeros(hidden)
    return Workload(program, data, point, straight.recurrent)


def fill(steps: int, wide: int = 1000) -> Workload:
    """A trajectory that is stored in an array, row by row."""

    def program(np: Any) -> Callable[[Any], Any]:
        def energy(start: Any) -> Any:
            u = np.zeros((steps, wide))
            u[0] = start
            for t in range(1, steps):
                u[t] = u[t - 1] + 0.01 * np.sin(u[t - 1])
            return np.sum(u**2)

        return energy

    def unwritten(np: Any) -> Callable[[Any], Any]:
        def energy(start: Any) -> Any:
            u = [start]
            for _ in range(1, steps):
                u.append(u[-1] + 0.01 * np.sin(u[-1]))
            return np.sum(np.stack(u) ** 2)

        return energy

    return Workload(program, (), (np.linspace(0.5, 1.5, wide),), lambda: straight.fill(steps), unwritten=unwritten)
