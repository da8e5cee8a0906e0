"""Replacements for the solvers of `scipy.optimize`, differentiated by the implicit function theorem.

SciPy's own code of a solver is never recorded. Comparisons choose its iterations, so that the derivative of what ran
need not be that of the solution: it is 0 for a solver that starts at its solution.
"""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.engine.solvers.implicit_differentiation import jacobian_of, minimum_of, root_of, stands_for
from gradcli.engine.solvers.solver_calls import SolverCall, attribute_without_rule, without
from gradcli.engine.tape.solver_notes import LOOSELY, TIGHTLY
from gradcli.engine.tape.tape import active_tape
from gradcli.engine.tape.value import is_recorded
from gradcli.engine.tape.values.array_creation import asarray
from gradcli.mathematics.rules.function_registry import unconverged, unsupported


def _solver(solved: Callable[[SolverCall], Any], original: Any) -> Callable[..., Any]:
    """A solver whose result, where recorded values take part, comes from `solved`."""

    @stands_for(original)
    def find(*arguments: Any, **options: Any) -> Any:
        if active_tape() is None:
            return original(*arguments, **options)
        call = SolverCall(original, arguments, options)
        return solved(call) if call.recorded else call.returned

    return find


def _root(call: SolverCall) -> Any:
    """A root of a function of one or several unknowns."""
    call.refuse_unconverged()
    f = call.function
    equations = (lambda x: np.ravel(asarray(f(x)))) if np.ndim(call.solution) else f
    return call.result(root_of(equations, call.solution, call.name))


def _newton(call: SolverCall) -> Any:
    """A root of a function of one number, or one root for each of an array of numbers."""
    if np.iscomplexobj(call.solution):
        raise unsupported(f"{call.name} at a complex root")
    is_array = np.ndim(call.solution) > 0
    return call.result(root_of(call.function, call.solution, call.name, elementwise=is_array))


def _fixed_point(call: SolverCall) -> Any:
    """A solution of f(x) = x, of one or several unknowns."""
    f, shape = call.function, np.shape(call.solution)
    if not shape:
        return call.result(root_of(lambda x: x - f(x), call.solution, call.name))
    moved = root_of(lambda x: x - np.ravel(asarray(f(np.reshape(x, shape)))), np.ravel(call.solution), call.name)
    return call.result(np.reshape(moved, shape))


def _fsolve(original: Any) -> Callable[..., Any]:
    """`fsolve`, which says whether it has converged in its full output only."""

    @stands_for(original)
    def find(func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, **options: Any) -> Any:
        if active_tape() is None:
            return original(func, x0, args, fprime, full_output, **options)
        call = SolverCall(original, (func, x0, args, fprime, 1), options)
        returned = call.returned
        if call.recorded:
            if returned[2] != 1:
                raise unconverged("scipy.optimize.fsolve")
            record = without(returned[1], {"fjac", "r", "qtf"}, call.name, {})
            returned = _root(call)[0], record, *returned[2:]
        elif returned[2] != 1 and not full_output:
            warnings.warn(returned[3], RuntimeWarning, stacklevel=2)
        return returned if full_output else returned[0]

    return find


def _minimum(call: SolverCall) -> Any:
    """A minimum of a function without constraints, away from its bounds."""
    call.refuse_options("constraints", "vectorized", "integrality", "full_output", "retall")
    call.refuse_solution_at_bounds()
    f = call.function
    x = minimum_of(lambda x: _number(f(x)), call.solution, call.name, LOOSELY if call.converged else TIGHTLY)
    return call.result(x, **({"fun": _number(f(x))} if isinstance(call.returned, dict) else {}))


def _number(x: Any) -> Any:
    """The value of a function to minimize, for which SciPy takes an array of one element too."""
    return np.reshape(asarray(x), ()) if np.ndim(x) else x


# The losses of `least_squares`, of the squares of the scaled residuals.
_LOSSES: dict[str, Callable[[Any], Any]] = {
    "linear": lambda z: z,
    "soft_l1": lambda z: 2 * (np.sqrt(1 + z) - 1),
    "huber": lambda z: np.where(z <= 1, z, 2 * np.sqrt(np.where(z <= 1, 1.0, z)) - 1),
    "cauchy": np.log1p,
    "arctan": np.arctan,
}


def _least_squares(call: SolverCall) -> Any:
    """A minimum of a sum of squares, away from its bounds."""
    call.refuse_unconverged()
    call.refuse_solution_at_bounds()
    f, loss, scale = call.function, call.option("loss", "linear"), call.option("f_scale", 1.0)
    if callable(loss):
        raise unsupported(f"{call.name} with a function as loss=")

    def residuals(x: Any) -> Any:
        return np.ravel(asarray(f(x)))

    def total(fun: Any) -> Any:
        return 0.5 * scale**2 * np.sum(_LOSSES[loss]((fun / scale) ** 2))

    x = minimum_of(lambda x: total(residuals(x)), call.solution, call.name)
    fun = residuals(x)
    known = {"fun": fun, "cost": _restated(total(fun), np.float64(call.returned.cost))}
    if loss == "linear":
        known["jac"] = lambda: _restated(jacobian_of(residuals, x), call.returned.jac)  # a sweep for each residual
    return call.result(x, **known)


def _restated(made: Any, number: Any) -> Any:
    """A recorded value with the solver's numbers."""
    if is_recorded(made) and np.shape(made) == np.shape(number):
        made.restate(number)
    return made


_SOLVED: dict[Callable[[SolverCall], Any], tuple[str, ...]] = {
    _root: (
        "anderson", "bisect", "brenth", "brentq", "broyden1", "broyden2", "diagbroyden", "excitingmixing",
        "linearmixing", "newton_krylov", "ridder", "root", "root_scalar", "toms748",
    ),
    _newton: ("newton",),
    _fixed_point: ("fixed_point",),
    _minimum: (
        "basinhopping", "brent", "brute", "differential_evolution", "direct", "dual_annealing", "fmin", "fmin_bfgs",
        "fmin_cg", "fmin_ncg", "fmin_powell", "fminbound", "golden", "minimize", "minimize_scalar", "shgo",
    ),
    _least_squares: ("least_squares",),
}  # fmt: skip
_MAKERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    **{name: functools.partial(_solver, solved) for solved, names in _SOLVED.items() for name in names},
    "fsolve": _fsolve,
}


def attribute(module: types.ModuleType, name: str) -> Any:
    """An attribute of `scipy.optimize`, with the solvers replaced."""
    return _MAKERS[name](getattr(module, name)) if name in _MAKERS else attribute_without_rule(module, name)
