"""The public `grad` and `value_and_grad`: eager, or compiled, for which the rest is imported when it is asked for."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from gradcli.methods.transforms import gradients
from gradcli.methods.transforms.argnums import Argnums, checked_argnums
from gradcli.methods.transforms.public_functions import library_call


@library_call
def grad(
    f: Callable[..., Any] | str, argnums: Argnums = 0, has_aux: bool = False, *, compile: bool = False
) -> Callable[..., Any]:
    """The gradient of `f` by the arguments `argnums`, as a function of the same arguments.

    Args:
        f: a plain Python function that returns one real number; or a target as text, such as "x**2 * sin(y)", which
            means what it means at the prompt. The arguments of a formula are its names, in order of appearance.
        argnums: the arguments to differentiate by: a position, counted from 0 (default) or from the end, or a name; a
            tuple gives a tuple of gradients. Other keyword arguments are passed on unchanged.
        has_aux: `f` returns a pair; its second element, of any type, is returned beside the gradient.
        compile: derive a program at the first call, and run it at later calls with the same types, shapes and layouts.
            Results are those of the eager gradient within rounding, and warnings and errors are the same; `.report()`
            says what runs.

    Returns:
        A function whose result has the structure of the argument: a float for a number, an array of the same shape and
        dtype for an array, and a list, tuple, dict or dataclass of these for such a structure, in which None stays
        None. For a complex number it is df/dRe + i df/dIm. Its units are those of the result divided by those of the
        argument. With `has_aux` it is the pair `(gradient, aux)`, where `aux` contains no recorded value.

    Raises:
        UsageError: `argnums` is not valid.
        ResultError: `f` does not return one number, or with `has_aux` a pair.
        GradcliError: a text is no target, or its file cannot be loaded.
        PointError: an argument to differentiate by is missing, or contains something that is not a number.
        TapeError: the program cannot be followed; the message names the line.

    The program is recorded at each call that is not compiled. The gradient is exact up to rounding; the cost is a small
    multiple of that of `f`, whatever the number of arguments (Speelpenning, 1980).
    """
    if isinstance(f, str):
        f = _function(f)
    if not compile:
        return gradients.grad(f, argnums, has_aux)
    return _compiled(f, argnums, has_aux, functools.partial(grad, f, argnums, has_aux, compile=True))


@library_call
def value_and_grad(
    f: Callable[..., Any] | str, argnums: Argnums = 0, has_aux: bool = False, *, compile: bool = False
) -> Callable[..., Any]:
    """The value of `f` and its gradient, from one run; arguments, results and errors are those of `grad`.

    With `has_aux` the result is `((value, aux), gradient)`.
    """
    if isinstance(f, str):
        f = _function(f)
    if not compile:
        return gradients.value_and_grad(f, argnums, has_aux)
    return _compiled(f, argnums, has_aux, functools.partial(value_and_grad, f, argnums, has_aux, compile=True))


def _function(text: str) -> Callable[..., Any]:
    """The function that a text names, or that of a formula."""
    from gradcli.answers.targets import resolve

    target = resolve(text)
    return target.function if target.tree is None else FormulaFunction(text, target.function, target.names)


class FormulaFunction:
    """The function of a formula, with its names as arguments, in order of appearance; pickled as its text."""

    def __init__(self, text: str, function: Callable[..., Any], names: Iterable[str]) -> None:
        from inspect import Parameter, Signature

        self.__name__ = text
        self.__signature__ = Signature([Parameter(name, Parameter.POSITIONAL_OR_KEYWORD) for name in names])
        self._function = function

    def __call__(self, *values: Any, **named: Any) -> Any:
        """The value of the formula.

        Raises:
            TypeError: an argument is missing, or not a name of the formula.
        """
        return self._function(*self.__signature__.bind(*values, **named).args)

    def __reduce__(self) -> Any:
        return _function, (self.__name__,)


def _compiled(
    f: Callable[..., Any], argnums: Argnums, has_aux: bool, create: functools.partial[Any]
) -> Callable[..., Any]:
    from gradcli.answers.compilation.compiled_derivative import CompiledDerivative, Options

    return CompiledDerivative(f, Options(checked_argnums(argnums), has_aux, create.func is not grad), create)
