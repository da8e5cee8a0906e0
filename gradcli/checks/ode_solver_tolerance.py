"""The tolerance of a solver of differential equations, as a possible cause of a failure."""

from __future__ import annotations

import dis
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

from gradcli.code.reachable_objects import reachable_objects
from gradcli.findings import finding
from gradcli.records import Finding

PACKAGE = "scipy.integrate"
DIFFERENTIAL_SOLVERS = ("odeint", "solve_bvp", "solve_ivp")


def solver_tolerance(function: object) -> Finding | None:
    """Finding G316, for a function that calls a solver of differential equations."""
    call = next((call for each in reachable_objects(function).functions for call in _calls(each)), None)
    if call is None:
        return None
    name, file, line = call
    tolerances = "tol=1e-9" if name == "solve_bvp" else "rtol=1e-10, atol=1e-12"
    text = f"the reference includes the derivative of {name}'s own error"
    hint = f"check again with {name}(..., {tolerances}) in the function and in the gradient"
    return finding("G316", f"{text}: {hint}", file=file, line=line)


_NAMING = ("IMPORT_FROM", "LOAD_ATTR", "LOAD_GLOBAL", "LOAD_METHOD")


def _calls(function: FunctionType) -> Iterator[tuple[str, str, int | None]]:
    """Yield the solvers that a function and the functions inside it name, with file and line."""
    solvers = [getattr(sys.modules[PACKAGE], name) for name in DIFFERENTIAL_SOLVERS] if PACKAGE in sys.modules else []
    names = function.__globals__
    for code in _codes(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname not in _NAMING or step.argval not in DIFFERENTIAL_SOLVERS or step.positions is None:
                continue
            if step.opname != "LOAD_GLOBAL" or any(names.get(step.argval) is solver for solver in solvers):
                yield step.argval, code.co_filename, step.positions.lineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
