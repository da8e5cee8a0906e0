"""Replacements for the solvers of `scipy.optimize`, differentiated by the implicit function theorem."""

from __future__ import annotations

import functools
import types
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.rules.function_registry import unsupported
from gradcli.tape import active_runs
from gradcli.tape.sweeps.implicit_differentiation import NAMED, Plainly, minimum_of, root_of, starting_point
from gradcli.tape.value import is_recorded
from gradcli.tape.values.creation import asarray


def _tuple(x: Any) -> tuple[Any, ...]:
    return x if isinstance(x, tuple) else (x,)


def _bracketing(original: Any) -> Callable[..., Any]:
    """`brentq` and other bracketing root finders for functions of one number."""

    @functools.wraps(original, assigned=NAMED)
    def find(f: Any, a: Any, b: Any, args: Any = (), *rest: Any, **options: Any) -> Any:
        if active_runs.tape() is None:
            return original(f, a, b, args, *rest, **options)
        followed = Plainly(f)
        found = original(followed, starting_point(a), starting_point(b), _tuple(args), *rest, **options)
        if not followed.recorded:
            return found
        root = found[0] if isinstance(found, tuple) else found
        root = root_of(lambda x: f(x, *_tuple(args)), root, f"scipy.optimize.{original.__name__}")
        if not isinstance(found, tuple):
            return root
        found[1].root = root
        return root, *found[1:]

    return find


def _root_scalar(original: Any) -> Callable[..., Any]:
    @functools.wraps(original, assigned=NAMED)
    def find(f: Any, args: Any = (), method: Any = None, **options: Any) -> Any:
        if active_runs.tape() is None:
            return original(f, args, method, **options)
        followed, alone = Plainly(f), f
        for name in ("fprime", "fprime2"):
            if callable(options.get(name)):
                options[name] = Plainly(options[name])
        if options.get("fprime") is True:
            alone = _first(f)
        found = original(followed, _tuple(args), method, **{name: starting_point(x) for name, x in options.items()})
        if followed.recorded:
            _converged(found.converged, "root_scalar")
            found.root = root_of(lambda x: alone(x, *_tuple(args)), found.root, "scipy.optimize.root_scalar")
        return found

    return find


def _first(f: Any) -> Callable[..., Any]:
    """A function reduced to its value, if it returns derivatives too."""
    return lambda *arguments: f(*arguments)[0]


def _fsolve(original: Any) -> Callable[..., Any]:
    @functools.wraps(original, assigned=NAMED)
    def find(func: Any, x0: Any, args: Any = (), fprime: Any = None, full_output: Any = 0, **options: Any) -> Any:
        if active_runs.tape() is None:
            return original(func, x0, args, fprime, full_output, **options)
        followed = Plainly(func)
        slopes = None if fprime is None else Plainly(fprime)
        found = original(followed, starting_point(x0), _tuple(args), slopes, 1, **options)
        if followed.recorded:
            _converged(found[2] == 1, "fsolve")
            found = root_of(_vector(func, args), found[0], "scipy.optimize.fsolve"), *found[1:]
        elif found[2] != 1 and not full_output:
            warnings.warn(found[3], RuntimeWarning, stacklevel=2)
        return found if full_output else found[0]

    return find


def _converged(success: Any, name: str) -> None:
    """Refuse a solution that has not converged."""
    if not success:
        raise unsupported(f"scipy.optimize.{name} where it does not converge")


def _root(original: Any) -> Callable[..., Any]:
    @functools.wraps(original, assigned=NAMED)
    def find(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, **options: Any) -> Any:
        if active_runs.tape() is None:
            return original(fun, x0, args, method, jac, **options)
        followed = Plainly(fun)
        slopes = Plainly(jac) if callable(jac) else jac
        found = original(followed, starting_point(x0), _tuple(args), method, slopes, **options)
        if followed.recorded:
            _converged(found.success, "root")
            found.x = root_of(_vector(_first(fun) if jac is True else fun, args), found.x, "scipy.optimize.root")
        return found

    return find


def _vector(f: Any, args: Any) -> Callable[..., Any]:
    return lambda x: np.ravel(asarray(f(x, *_tuple(args))))


_WITHOUT_SLOPES = ("nelder-mead", "powell", "cobyla", "cobyqa")  # their results depend on comparisons only


def _minimize(original: Any) -> Callable[..., Any]:
    """`minimize` by derivative-free methods. Other methods are recorded in SciPy's own code."""

    @functools.wraps(original, assigned=NAMED)
    def find(fun: Any, x0: Any, args: Any = (), method: Any = None, *rest: Any, **options: Any) -> Any:
        free = not rest and options.get("bounds") is None and not options.get("constraints")
        if active_runs.tape() is None or not free or str(method).lower() not in _WITHOUT_SLOPES:
            return original(fun, x0, args, method, *rest, **options)
        followed = Plainly(fun)
        found = original(followed, starting_point(x0), _tuple(args), method, **options)
        if followed.recorded:
            _converged(found.success, "minimize")
            found.x = minimum_of(lambda x: fun(x, *_tuple(args)), found.x, "scipy.optimize.minimize")
            found.fun = fun(found.x, *_tuple(args))
        return found

    return find


def _least_squares(original: Any) -> Callable[..., Any]:
    """`least_squares` with linear loss and without bounds. Other cases are recorded in SciPy's own code."""

    @functools.wraps(original, assigned=NAMED)
    def find(fun: Any, x0: Any, *rest: Any, args: Any = (), kwargs: Any = None, **options: Any) -> Any:
        free = not rest and "bounds" not in options and options.get("loss", "linear") == "linear"
        if active_runs.tape() is None or not free:
            return original(fun, x0, *rest, args=args, kwargs=kwargs or {}, **options)
        followed = Plainly(fun)
        if callable(options.get("jac")):
            options["jac"] = Plainly(options["jac"])
        found = original(followed, starting_point(x0), args=args, kwargs=kwargs or {}, **options)
        if followed.recorded:
            _converged(found.success, "least_squares")
            residuals = _residuals(fun, args, kwargs or {})
            found.x = minimum_of(lambda x: 0.5 * np.sum(residuals(x) ** 2), found.x, "scipy.optimize.least_squares")
            found.fun = residuals(found.x)
            cost = 0.5 * np.sum(found.fun**2)
            if is_recorded(cost):
                cost.restate(np.float64(found.cost))
            found.cost = cost
        return found

    return find


def _residuals(f: Any, args: Any, words: dict[str, Any]) -> Callable[..., Any]:
    return lambda x: np.ravel(asarray(f(x, *args, **words)))


_MAKERS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    **dict.fromkeys(("bisect", "brenth", "brentq", "ridder", "toms748"), _bracketing),
    "fsolve": _fsolve,
    "least_squares": _least_squares,
    "minimize": _minimize,
    "root": _root,
    "root_scalar": _root_scalar,
}


def attribute(module: types.ModuleType, name: str) -> Any:
    """An attribute of `scipy.optimize`, with the solvers replaced."""
    original = getattr(module, name)
    return _MAKERS[name](original) if name in _MAKERS else original
