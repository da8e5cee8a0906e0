"""What an adapter makes of a foreign object: its value and its derivatives as functions of plain numbers and arrays."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from gradcli.engine.tape.value import is_recorded
from gradcli.errors import DetachedError
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import leaves

Function = Callable[..., Any]

NO_DEFAULTS: Mapping[str, Any] = MappingProxyType({})
SUMMED = "several numbers of its result are added up with fixed weights"


class BroughtDerivative(Frozen, eq=False):
    """A derivative that an object computes: the name under which the user knows it, and the function."""

    name: str
    function: Function


class AdaptedObject(Frozen, eq=False):
    """A foreign object as a function and its derivatives.

    Attributes:
        value: the function of plain numbers and arrays. Its parameters have the names of the object's.
        derivatives: the derivatives that the object computes, by kind: "gradient", "jacobian", "hessian", "hvp".
        source: the Python function in which the user wrote the value, for its file and line; None if there is none.
        note: what a reader of the check has to know about the value; empty if there is nothing.
    """

    value: Function
    derivatives: Mapping[str, BroughtDerivative] = MappingProxyType({})
    source: Any = None
    note: str = ""


def with_parameters(function: Function, names: Sequence[str], defaults: Mapping[str, Any] = NO_DEFAULTS) -> Function:
    """The function with a signature of these positional parameters, by which points are read.

    `defaults` are further parameters, with their values where a call does not give them.
    """

    def named(*inputs: Any) -> Any:
        return function(*inputs)

    positional = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(name, positional) for name in names]
    parameters += [inspect.Parameter(name, positional, default=value) for name, value in defaults.items()]
    named.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return named


def of_plain_numbers(library: str, function: Function) -> Function:
    """The function, which refuses recorded values: another library computes it, so that differences judge it."""

    def of_numbers(*inputs: Any) -> Any:
        if any(map(is_recorded, leaves(list(inputs)))):
            raise DetachedError(f"{library} computes the function", hint="gradcli check judges it by differences.")
        return function(*inputs)

    return of_numbers


def parameter_names(function: Function, after: int = 0) -> tuple[str, ...]:
    """The names of a function's required positional parameters, without the first `after` of them.

    Raises:
        ValueError: the function has no signature.
    """
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    named = [p for p in inspect.signature(function).parameters.values() if p.kind in positional]
    return tuple(p.name for p in named[after:] if p.default is p.empty)


def weights(size: int) -> Any:
    """The weights with which a result of several numbers is added up to one; 1 for a single number.

    They are irrational and differ, so that no two mistakes in different places cancel: the fractional parts of the
    multiples of the golden ratio, plus one.
    """
    return 1.0 + np.modf(np.arange(size) * ((5**0.5 - 1) / 2))[0]
