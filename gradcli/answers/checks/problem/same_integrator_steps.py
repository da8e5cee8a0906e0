"""Plain runs in which SciPy's `solve_ivp` takes the steps of another run.

The solver chooses its steps by error norms alone. The derivative of a recorded run is that of the steps taken, and
differences show the same one if the steps do not move with the inputs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from gradcli.shared.temporary_settings import temporary_attributes

Chosen = Callable[[Any], Any]  # the norm that an integrator uses instead of its own


class _Running(threading.local):
    def __init__(self) -> None:
        self.chosen: Chosen | None = None


_running = _Running()


def are_held() -> bool:
    """Whether the integrators of this thread take the steps of another run."""
    return _running.chosen is not None


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
def _error_norms(chosen: Chosen) -> Iterator[None]:
    """A context in which the integrators of this thread use `chosen` of each error norm."""
    from scipy.integrate._ivp import bdf, common, radau, rk

    with ExitStack() as stack:
        for module in (bdf, common, radau, rk):
            stack.enter_context(temporary_attributes(module, norm=_chosen_norm(module.norm)))
        own = _chosen_norm(rk.DOP853._estimate_error_norm)
        stack.enter_context(temporary_attributes(rk.DOP853, _estimate_error_norm=own))
        stack.enter_context(temporary_attributes(_running, chosen=chosen))
        yield


def _chosen_norm(original: Callable[..., Any]) -> Callable[..., Any]:
    def norm(*errors: Any) -> Any:
        computed = original(*errors)
        return _running.chosen(computed) if _running.chosen else computed

    return norm
