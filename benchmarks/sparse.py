"""Sparse Jacobians beside the products that they consist of: a forward sweep for each colour, and one that confirms."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

import gradcli
from benchmarks.bounds import AsLong
from benchmarks.gradbench.programs import ba
from benchmarks.neighbours import OURS
from benchmarks.row import Effort, Row
from benchmarks.timing import medians
from gradcli.methods.transforms.sparse_jacobians import colour_count

Case = tuple[Callable[..., Any], tuple[Any, ...]]

PRODUCTS = "as many products"


def heat(u: Any) -> Any:
    """Diffusion and reaction on a square grid."""
    n = round(len(u) ** 0.5)
    grid = u.reshape(n, n)
    change = np.zeros((n, n))
    change[1:-1, 1:-1] = grid[2:, 1:-1] + grid[:-2, 1:-1] + grid[1:-1, 2:] + grid[1:-1, :-2] - 4 * grid[1:-1, 1:-1]
    return (change + grid**3 - np.sin(grid)).ravel()


def pde(effort: Effort) -> Case:
    """An equation of 10,000 unknowns."""
    side = effort.sized(100)
    return heat, (0.5 + 0.3 * np.sin(np.arange(side**2)),)


def bundles(effort: Effort) -> Case:
    """Bundle adjustment of 20,000 observations."""
    camera = 0.2 + 0.8 * np.abs(np.sin(np.arange(1.0, 12.0)))
    sizes = {"n": effort.sized(40), "m": effort.sized(5_000), "p": effort.sized(20_000)}
    return ba.errors, ba.arguments({**sizes, "cam": camera, "x": [0.3, 0.9, 0.5], "w": 0.9, "feat": [0.3, 0.4]})


CASES = {"pde": pde, "bundles": bundles}


def measured(case: Callable[[Effort], Case]) -> Callable[[Effort], dict[str, float]]:
    """A measurement of a sparse Jacobian whose pattern is known, beside products with vectors of the same program."""

    def measure(effort: Effort) -> dict[str, float]:
        f, (x, *rest) = case(effort)
        matrix = gradcli.jacobian(f, sparse=True)
        sweeps = colour_count(matrix(x, *rest)) + 1
        product = partial(gradcli.jvp, lambda x: f(x, *rest), (x,), (np.ones_like(x),))
        taken = medians({OURS: partial(matrix, x, *rest), PRODUCTS: product}, effort.repeats, effort.slice_s)
        return {OURS: taken[OURS], PRODUCTS: sweeps * taken[PRODUCTS]}

    return measure


def rows() -> Iterator[Row]:
    """A row for each case."""
    for name, case in CASES.items():
        work = (
            f"the sparse Jacobian of {(case.__doc__ or '').strip('.').replace('An', 'an').replace('Bundle', 'bundle')}"
        )
        yield Row(f"sparse-{name}", work, measured(case), None, {PRODUCTS: AsLong(1.5)})
