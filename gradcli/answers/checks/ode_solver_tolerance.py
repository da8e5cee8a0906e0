"""The tolerance of a solver of differential equations, as a possible cause of a failure."""

from __future__ import annotations

import ast
import dis
import linecache
import sys
from collections.abc import Iterator
from types import CodeType, FunctionType

from gradcli.engine.code.reachable_objects import reachable_objects
from gradcli.shared.findings import finding
from gradcli.shared.records.result_and_finding import Finding

PACKAGE = "scipy.integrate"
TOLERANCES = {
    "odeint": {"rtol": "1e-10", "atol": "1e-12"},
    "solve_bvp": {"tol": "1e-9"},
    "solve_ivp": {"rtol": "1e-10", "atol": "1e-12"},
}
"""The solvers, each with tolerances whose effect on the gradient is negligible."""


def solver_tolerance(function: object) -> Finding | None:
    """Finding G316, for a function that calls a solver of differential equations with large tolerances."""
    for name, file, line in (call for reached in reachable_objects(function).functions for call in _calls(reached)):
        given = _numbers(name, file, line)
        small = TOLERANCES[name].items()
        larger = [f"{option}={size}" for option, size in small if not given.get(option, 1.0) <= float(size)]
        if larger:
            text = f"the reference includes the derivative of {name}'s own error"
            hint = f"check again with {name}(..., {', '.join(larger)}), or less, in the function and in the gradient"
            return finding("G316", f"{text}: {hint}", file=file, line=line)
    return None


def _numbers(name: str, file: str, line: int | None) -> dict[str | None, float]:
    """The options that are numbers in the source of the first call of a solver from a line on."""
    try:
        nodes = [*ast.walk(ast.parse("".join(linecache.getlines(file))))]
    except (SyntaxError, ValueError):
        return {}
    calls = [node for node in nodes if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(name)]
    call = min((call for call in calls if call.lineno >= (line or 0)), key=lambda call: call.lineno, default=None)
    options = ((option.arg, getattr(option.value, "value", None)) for option in call.keywords) if call else ()
    return {word: x for word, x in options if isinstance(x, (int, float))}


_NAMING = ("IMPORT_FROM", "LOAD_ATTR", "LOAD_GLOBAL", "LOAD_METHOD")


def _calls(function: FunctionType) -> Iterator[tuple[str, str, int | None]]:
    """Yield the solvers that a function and the functions inside it name, with file and line."""
    solvers = [getattr(sys.modules[PACKAGE], name) for name in TOLERANCES] if PACKAGE in sys.modules else []
    names = function.__globals__
    if str(names.get("__name__")).startswith("scipy."):
        return
    for code in _codes(function.__code__):
        for step in dis.get_instructions(code):
            if step.opname not in _NAMING or step.argval not in TOLERANCES or step.positions is None:
                continue
            if step.opname != "LOAD_GLOBAL" or any(names.get(step.argval) is solver for solver in solvers):
                yield step.argval, code.co_filename, step.positions.lineno


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _codes(inner)
