"""One call of a solver of `scipy.optimize` on plain numbers, and its result with the derivative put in."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gradcli.engine.solvers.implicit_differentiation import Plainly, plainly, stands_for, starting_point
from gradcli.engine.tape.solver_notes import TIGHTLY
from gradcli.engine.tape.tape import active_tape
from gradcli.engine.tape.values.array_function import holds_recorded
from gradcli.mathematics.rules.function_registry import UNFOLLOWED, unconverged, unsupported

# The parameters of solvers that are functions of the unknowns.
_FUNCTIONS = frozenset(("F", "f", "fhess", "fhess_p", "fprime", "fprime2", "fun", "func", "hess", "hessp", "jac"))

# Solvers that unpack any sequence `args`; for the others all but a tuple is one argument.
_UNPACKING = frozenset((
    "differential_evolution", "direct", "dual_annealing", "fixed_point", "fmin_bfgs", "fmin_cg", "fmin_ncg",
    "fminbound", "least_squares", "newton", "shgo",
))  # fmt: skip


class SolverCall:
    """A call of a solver, made on plain numbers.

    Attributes:
        name: the solver's full name.
        returned: what the solver returned.
        recorded: whether recorded values took part, in the function or in what the solver started from.
    """

    def __init__(self, original: Any, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        tape = active_tape()
        assert tape is not None
        self.name = f"scipy.optimize.{original.__name__}"
        bound = inspect.signature(original).bind(*arguments, **options)
        self._given = dict(bound.arguments)
        self._followed: list[Plainly] = []
        self._starts_recorded = False
        bound.arguments.update(self._plain_arguments(self._given))
        before = len(tape.rows)
        self.returned = original(*bound.args, **bound.kwargs)
        # Functions in `constraints` are called as they are, so that only rows tell that recorded values took part in
        # them. Rows alone do not tell it: an objective may append some that its result does not depend on.
        constrained = len(tape.rows) > before and bool(np.size(self.option("constraints", ())))
        self.recorded = constrained or self._starts_recorded or any(function.recorded for function in self._followed)

    def _plain_arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        return {name: self._plain_argument(name, x) for name, x in given.items()}

    def _plain_argument(self, name: str, x: Any) -> Any:
        if name == "args":
            return ()
        if name in ("kwargs", "kw"):  # passed on to the function, or to SciPy
            return x
        if name == "minimizer_kwargs" and x is not None:
            return self._plain_arguments(x)
        if name in _FUNCTIONS and callable(x):
            self._followed.append(Plainly(self._with_arguments(x)))
            return self._followed[-1]
        self._starts_recorded = self._starts_recorded or holds_recorded(x)
        return starting_point(x)

    def _with_arguments(self, f: Callable[..., Any]) -> Callable[..., Any]:
        """A function with the further arguments that the solver was to pass on, which SciPy does not see."""
        args = self.option("args", ())
        if not isinstance(args, tuple):
            args = tuple(args) if self.name.rpartition(".")[2] in _UNPACKING else (args,)
        return (lambda *unknowns, **words: f(*unknowns, *args, **words)) if args else f

    def option(self, name: str, default: Any = None) -> Any:
        """An argument of the solver, or of the minimizer that it calls."""
        return self._given.get(name, (self._given.get("minimizer_kwargs") or {}).get(name, default))

    @property
    def function(self) -> Callable[..., Any]:
        """The function of the unknowns whose root or minimum is sought, with its other arguments bound.

        It is the first of the bound arguments: the first parameter of every solver here, whatever its name.
        """
        f = self._with_arguments(next(iter(self._given.values())))
        words = self.option("kwargs") or {}
        returns_slopes = self.option("jac") is True or self.option("fprime") is True
        return lambda x: f(x, **words)[0] if returns_slopes else f(x, **words)

    @property
    def solution(self) -> Any:
        """The root or the place of the minimum, as the solver found it."""
        if isinstance(self.returned, dict):
            return self.returned["root" if "root" in self.returned else "x"]
        return self.returned[0] if isinstance(self.returned, tuple) else self.returned

    @property
    def converged(self) -> bool:
        """Whether the solver does not say that it failed."""
        answer = self.returned if isinstance(self.returned, dict) else {}
        return bool(answer.get("converged", answer.get("success", True)))

    def refuse_unconverged(self) -> None:
        """Refuse a solution that has not converged."""
        if not self.converged:
            raise unconverged(self.name)

    def refuse_options(self, *names: str) -> None:
        """Refuse the options among these that were given and say something."""
        for name in names:
            given = self.option(name)
            if given is not None and (given is True or np.size(given)) and given not in (False, 0):
                raise unsupported(f"{self.name} with {name}=")

    def refuse_solution_at_bounds(self) -> None:
        """Refuse a solution at a bound, which moves with the bound and not with the function."""
        bounds = plainly(self.option("bounds"))
        if bounds is None:
            return
        if hasattr(bounds, "lb"):
            bounds = bounds.lb, bounds.ub
        elif not self.name.endswith(("minimize_scalar", "least_squares")):  # one pair for each unknown
            bounds = zip(*bounds, strict=True)
        place = np.asarray(self.solution)
        margin = TIGHTLY * np.maximum(1.0, np.abs(place))
        for end, sign in zip(bounds, (1.0, -1.0), strict=True):
            limit = np.array(-np.inf * sign if end is None else end, dtype=float)  # None within a list becomes nan
            if np.any((place - limit) * sign < margin):
                raise unsupported(f"{self.name} with a solution at a bound")

    def result(self, solution: Any, **items: Any) -> Any:
        """What the solver returned, with the solution and items of its record replaced.

        Arrays in the record whose derivative is not known, such as an inverse Hessian, are refused where they are read.
        """
        returned = self.returned
        if isinstance(returned, tuple):
            if hasattr(returned[1], "root"):
                returned[1].root = solution
            return (solution, *returned[1:])
        if not isinstance(returned, dict):
            return solution
        items["root" if "root" in returned else "x"] = solution
        known = {"active_mask", "grad", "fun"} | ({"jac"} if "fun" in items and np.ndim(items["fun"]) == 0 else set())
        unknown = {name for name, x in returned.items() if not (x is None or isinstance(x, str) or np.isscalar(x))}
        return without(returned, unknown - known - items.keys(), self.name, items)


def without(record: Any, names: set[str], solver: str, items: Mapping[str, Any]) -> Any:
    """A solver's record with some items replaced, by functions where they are read first, and others refused there."""

    def missing(made: Any, name: str) -> Any:
        if callable(item := items.get(name)):
            return made.setdefault(name, item())
        if name in names:
            raise unsupported(f"{name!r} in the result of {solver}")
        raise KeyError(name)

    kind: Any = type(type(record).__name__, (type(record),), {"__missing__": missing})
    made = kind.__new__(kind)
    made.update(
        {name: x for name, x in {**record, **items}.items() if name not in names and not callable(items.get(name))}
    )
    return made


def attribute_without_rule(module: types.ModuleType, name: str) -> Any:
    """An attribute of a module, refused where it is an iterative function without a rule."""
    full = f"{module.__name__}.{name}"
    return without_rule(full, getattr(module, name)) if full in UNFOLLOWED else getattr(module, name)


def without_rule(name: str, original: Any) -> Callable[..., Any]:
    """An iterative function that is refused where recorded values take part, as comparisons choose its iterations."""

    @stands_for(original)
    def find(*arguments: Any, **options: Any) -> Any:
        if active_tape() is None:
            return original(*arguments, **options)
        followed: list[Plainly] = []

        def plain(x: Any) -> Any:
            if not callable(x):
                return plainly(x)
            followed.append(Plainly(x))
            return followed[-1]

        result = original(*map(plain, arguments), **{option: plain(x) for option, x in options.items()})
        if holds_recorded([*arguments, *options.values(), result]) or any(function.recorded for function in followed):
            raise unsupported(name)
        return result

    return find
