"""Plain runs in which SciPy's `solve_ivp` takes the steps of another run.

The solver chooses its steps by error norms alone. The derivative of a recorded run is that of the steps taken, and
differences show the same one if the steps do not move with the inputs.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import Any

from gradcli.shared.temporary_settings import temporary_attributes, temporary_setting

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
    user = object()
    in_scipy = temporary_setting(partial(_set_norms, _users.add, user), partial(_set_norms, _users.discard, user))
    with in_scipy, temporary_attributes(_running, chosen=chosen):
        yield


# SciPy's functions are exchanged for all threads at once, so this holds as long as any context needs it. Which norm is
# chosen is each thread's own.
_lock = threading.RLock()
_users: set[object] = set()


def _set_norms(note: Callable[[object], None], user: object) -> None:
    """Add or remove a user, and exchange SciPy's functions if there are users, else put them back."""
    with _lock:
        note(user)
        _set_all(_norms(), is_exchanged=bool(_users))


def _set_all(norms: Sequence[tuple[Any, str, Any, Any]], is_exchanged: bool) -> None:
    for holder, name, original, replacement in norms:
        setattr(holder, name, replacement if is_exchanged else original)


@cache
def _norms() -> list[tuple[Any, str, Any, Any]]:
    """SciPy's functions that compute error norms: the holder, the name, the function and its replacement."""
    from scipy.integrate._ivp import bdf, common, radau, rk

    places = [*((module, "norm") for module in (bdf, common, radau, rk)), (rk.DOP853, "_estimate_error_norm")]
    originals = [getattr(*place) for place in places]
    return [(*place, norm, _chosen_norm(norm)) for place, norm in zip(places, originals, strict=True)]


def _chosen_norm(original: Callable[..., Any]) -> Callable[..., Any]:
    def norm(*errors: Any) -> Any:
        computed = original(*errors)
        return _running.chosen(computed) if _running.chosen else computed

    return norm
