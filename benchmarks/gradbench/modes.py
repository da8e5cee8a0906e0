"""Gradients by either mode, for the evaluations that nest two of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradcli
from benchmarks.gradbench.evaluation import Transforms


def forward(f: Callable[..., Any]) -> Callable[..., list[Any]]:
    """The gradient of a function of a list of numbers, with a forward sweep for each."""

    def gradient(x: list[Any]) -> list[Any]:
        units = [[float(n == k) for n in range(len(x))] for k in range(len(x))]
        return [gradcli.jvp(f, (x,), (unit,))[1] for unit in units]

    return gradient


def by_modes(search: Callable[..., Any]) -> dict[str, Callable[[Transforms], Callable[..., Any]]]:
    """The four variants of a nested evaluation: the mode of the outer gradient, then that of the inner one.

    None is compiled: the search takes gradients of functions that it makes at each step.
    """

    def made(outer: str, inner: str) -> Callable[[Transforms], Callable[..., Any]]:
        return lambda transforms: search(*(gradcli.grad if mode == "r" else forward for mode in (outer, inner)))

    return {outer + inner: made(outer, inner) for outer in "fr" for inner in "fr"}
