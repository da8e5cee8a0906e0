"""The derived Python program of a specialisation, called with its arguments and hidden inputs."""

from __future__ import annotations

import ast
import inspect
import itertools
import linecache
from collections.abc import Callable
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from gradcli.answers.compilation.edge_cases import stopping_at_edge_cases
from gradcli.answers.derivation.languages.python_program import PythonProgram
from gradcli.answers.derivation.reverse_mode import Derivation, DerivationTask
from gradcli.engine.running.bound_call import name_of
from gradcli.errors import UnsupportedError
from gradcli.shared.pytree import leaves

_numbers = itertools.count(1)

Kernel = Callable[..., tuple[Any, Any]]  # from the hidden inputs and the arguments to the value and the gradients


def parameter_names(function: Callable[..., Any]) -> tuple[str, ...]:
    """The parameters of a function that take arguments by position, without the receiver of a method.

    Raises:
        UnsupportedError: it is no plain Python function.
    """
    plain = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(plain, FunctionType):
        raise UnsupportedError(f"{name_of(function)} is no plain Python function")
    names = plain.__code__.co_varnames[: plain.__code__.co_argcount]
    return names[1:] if isinstance(function, MethodType) else names


def input_names(function: Callable[..., Any], count: int) -> tuple[str, ...]:
    """The parameters that take the first arguments; those of the function that a decorator wraps, if it gathers them.

    Raises:
        UnsupportedError: it gathers arguments of which no parameters are known, or is no plain Python function.
    """
    names = parameter_names(function)
    if count > len(names):
        given = inspect.signature(function).parameters.values()
        names = tuple(parameter.name for parameter in given if parameter.kind is parameter.POSITIONAL_OR_KEYWORD)
    if count > len(names):
        raise UnsupportedError(f"{name_of(function)} gathers its arguments by *, whose names are not known")
    return names


def inlined_if_possible(write: Callable[[DerivationTask], PythonProgram], task: DerivationTask) -> PythonProgram:
    """A derived program in which the functions that the user's calls are inlined, if that is possible.

    Raises:
        GradcliError: it cannot be derived.
    """
    try:
        return write(task.changed(inlines=True))
    except UnsupportedError:
        return write(task)


def gradient_program(task: DerivationTask) -> PythonProgram:
    """The value and the gradient of a function.

    Raises:
        GradcliError: it cannot be derived.
    """
    derivation = Derivation(task)
    text = derivation.gradient(with_value=True)
    return derivation.program(f"grad_{derivation.user.name}", text, "gradient", value=True)


def python_kernel(
    program: PythonProgram, compared: frozenset[type[ast.cmpop]], *, orders_arrays: bool = False
) -> Kernel:
    """The program as a function that stops at edge cases (see `stopping_at_edge_cases`).

    Raises:
        UnsupportedError: it calls a function whose edge cases are not known.
    """
    tree, scope = stopping_at_edge_cases(program.text, compared, orders_arrays=orders_arrays)
    file = f"<compiled {program.name} {next(_numbers)}>"
    linecache.cache[file] = (len(program.text), None, program.text.splitlines(keepends=True), file)
    exec(compile(tree, file, "exec"), scope)
    function: Kernel = scope[program.name]
    numbers = leaves([*program.arguments.values()])
    if "import numpy" not in program.text and not any(isinstance(x, (np.ndarray, np.generic)) for x in numbers):
        return function

    def stopping(*arguments: Any) -> tuple[Any, Any]:
        with np.errstate(divide="raise", over="raise", invalid="raise"):
            return function(*arguments)

    return stopping


def conversion(example: Any, *, copies: bool) -> Callable[[Any], Any]:
    """The function that gives a gradient the types of an example, the eager one: those of the argument.

    With `copies`, arrays are copied: a derived program may return one of its arguments or constants.
    """
    kind = type(example)
    if example is None:
        return lambda gradient: None
    if kind is np.ndarray:
        dtype = example.dtype
        return lambda gradient: np.array(gradient, dtype) if copies or type(gradient) is list else gradient
    if kind is list and set(map(type, example)) == {float}:
        return lambda gradient: [*map(float, gradient)]
    if kind in (list, tuple):
        parts = [conversion(part, copies=copies) for part in example]
        return lambda gradient: kind(part(item) for part, item in zip(parts, gradient, strict=True))
    if kind is dict:
        by_key = {key: conversion(part, copies=copies) for key, part in example.items()}
        return lambda gradient: {key: part(gradient[key]) for key, part in by_key.items()}
    return lambda gradient: gradient if type(gradient) is kind else kind(gradient)
