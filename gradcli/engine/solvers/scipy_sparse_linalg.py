"""Replacements for the iterative solvers of `scipy.sparse.linalg`, differentiated by their linear systems."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.solvers.implicit_differentiation import plainly, root_of, stands_for, starting_point
from gradcli.engine.solvers.solver_calls import attribute_without_rule
from gradcli.engine.tape.tape import active_tape
from gradcli.engine.tape.value import is_recorded
from gradcli.engine.tape.values.array_creation import asarray
from gradcli.mathematics.rules.function_registry import SOLVERS, unconverged, unsupported

_PACKAGE = "scipy.sparse.linalg"
_MOST_UNKNOWNS = 1000  # the system is solved as a dense one for the derivative


def _of_system(original: Any) -> Callable[..., Any]:
    """A solver of A x = b."""
    name = f"{_PACKAGE}.{original.__name__}"

    @stands_for(original)
    def find(A: Any, b: Any, x0: Any = None, **options: Any) -> Any:
        tape = active_tape()
        if tape is None:
            return original(A, b, x0, **options)
        rows = len(tape.rows)
        x, info = original(plainly(A), plainly(b), starting_point(x0), **options)
        if not is_recorded(A) and not is_recorded(b) and len(tape.rows) == rows:
            return x, info
        if info:
            raise unconverged(name)
        if options.get("shift"):
            raise unsupported(f"{name} with shift=")
        if np.size(x) > _MOST_UNKNOWNS:
            raise unsupported(f"{name} with more than {_MOST_UNKNOWNS} unknowns")
        matrix, right = _dense(A, np.size(x)), np.ravel(asarray(b))
        return np.reshape(root_of(lambda y: matrix @ y - right, np.ravel(x), name), np.shape(x)), info

    return find


def _dense(a: Any, size: int) -> Any:
    """A matrix, sparse matrix or linear operator as an array."""
    return a if is_recorded(a) or isinstance(a, np.ndarray) else a @ np.eye(size)


def attribute(module: types.ModuleType, name: str) -> Any:
    """An attribute of `scipy.sparse.linalg`, with the iterative solvers replaced."""
    if f"{_PACKAGE}.{name}" in SOLVERS:
        return _of_system(getattr(module, name))
    return attribute_without_rule(module, name)
