"""Plain runs in which SciPy's `solve_ivp` takes the steps of another run.

The solver chooses its steps by error norms alone. The derivative of a recorded run is that of the steps taken, and
differences show the same one if the steps do not move with the inputs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any


def with_same_steps(function: Callable[..., Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A function whose integrators take the steps that they take with the given arguments."""
    norms: list[Any] = []

    def noted(norm: Any) -> Any:
        norms.append(norm)
        return norm

    with _error_norms(noted):
        function(*arguments)

    def integrated(*inputs: Any) -> Any:
        rest = iter(norms)
        with _error_norms(lambda norm: next(rest, norm)):
            return function(*inputs)

    return integrated


@contextmanager
def _error_norms(chosen: Callable[[Any], Any]) -> Iterator[None]:
    """A context in which the integrators of this thread use `chosen` of each error norm."""
    from scipy.integrate._ivp import bdf, common, radau, rk

    thread = threading.get_ident()

    def replaced(original: Callable[..., Any]) -> Callable[..., Any]:
        def norm(*errors: Any) -> Any:
            found = original(*errors)
            return chosen(found) if threading.get_ident() == thread else found

        return norm

    places = [*((module, "norm") for module in (bdf, common, radau, rk)), (rk.DOP853, "_estimate_error_norm")]
    before = [(owner, name, getattr(owner, name)) for owner, name in places]
    try:
        for owner, name, original in before:
            setattr(owner, name, replaced(original))
        yield
    finally:
        for owner, name, original in before:
            setattr(owner, name, original)
