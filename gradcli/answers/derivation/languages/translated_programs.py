"""Translation of a verified derived Python program to another language."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from gradcli.answers.derivation.compiled_python_source import compiled
from gradcli.answers.derivation.file_text import HEADER, Part, version
from gradcli.answers.derivation.languages import numba
from gradcli.answers.derivation.languages.c import trial
from gradcli.answers.derivation.languages.c.program import CProgram, Function
from gradcli.answers.derivation.languages.latex import SweepLines
from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.answers.derivation.verification import flat
from gradcli.errors import UnsupportedError, UsageError
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.frozen_record import Frozen

Language = Literal["python", "c", "latex", "numba"]
ENDINGS: dict[Language, str] = {"python": ".py", "c": ".c", "latex": ".tex", "numba": ".py"}
HEADS: dict[Language, str] = {
    "python": HEADER,
    "c": "/* Derived by gradcli",
    "numba": HEADER,
    "latex": "% Derived by gradcli",
}
"""The beginning of the files of each language."""
WRITTEN = "% Written by gradcli"  # the first line of a LaTeX file written by --out
MODES = ("gradient", "forward", "jacobian", "hessian")
WRITTEN_MODES: dict[Language, tuple[tuple[str, ...], str]] = {
    "c": (MODES[:2], "a gradient, or with --forward a product"),
    "numba": (MODES[:3], "a gradient, a product or a Jacobian"),
    "latex": (MODES[:1], "a gradient"),
}


class PythonProgram(Frozen, eq=False):
    """A derived program as the source of a translation.

    Args:
        text: the text of the file.
        function: the derived function as a callable.
        parts: the functions of the file, the derived one last.
        arguments: the point, by parameter, with defaults.
        given: the parameters that the point names.
        inputs: the parameters that it is differentiated by.
        points: the points at which it was verified.
        command: the command that was typed.
        mode: `gradient` or `forward`; other modes exist in Python only.
        value: whether it returns the value as well.
        sensitivities, kinds: for each variable, the name of its sensitivity, and its kind.
    """

    text: str
    function: Callable[..., Any]
    parts: Sequence[Part]
    arguments: dict[str, Any]
    given: tuple[str, ...]
    inputs: tuple[str, ...]
    points: Sequence[Sequence[Any]]
    command: str
    mode: str
    value: bool
    sensitivities: Mapping[str, str] = MappingProxyType({})
    kinds: Mapping[str, ValueKind] = MappingProxyType({})


def check_language(language: Language, mode: str, *, vector: bool) -> None:
    """Refuse unknown languages, and modes or options that a language does not support.

    Raises:
        UsageError: the combination is not supported.
    """
    if language not in ENDINGS:
        raise UsageError(f"there is no language {language!r}.", hint=f"Choose one of {', '.join(ENDINGS)}.")
    if mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}.", hint=f"Choose one of {', '.join(MODES)}.")
    known, forms = WRITTEN_MODES.get(language, (MODES, ""))
    if (vector and language in ("c", "latex")) or mode not in known:
        what = "second function of one vector" if vector else f"{mode} product" if mode == "forward" else mode
        raise UsageError(f"--lang {language} writes {forms}, no {what}.", hint="Leave out --lang.")


def in_c(program: PythonProgram) -> str:
    """A derived program in C99, compiled and compared with the Python program if a compiler is available.

    Raises:
        UnsupportedError: a construct cannot be written in C; the message names it and its line.
        InternalError: the C program is wrong, which is a bug in gradcli.
    """
    *others, (name, user, parameters, docstring, body) = program.parts
    if others:
        raise calls(others[0][1], "C")
    arguments, given = dict(program.arguments), list(program.given)
    if program.mode == "forward":
        directions = [part.strip() for part in parameters.split(",")][len(arguments) :]
        for theirs, direction in zip(program.inputs, directions, strict=True):
            arguments[direction] = program.arguments[theirs]
            given.append(direction)
    stem = "tangent" if program.mode == "forward" else "gradient"
    made = CProgram(
        Function(name, user, docstring, body, program.function.__globals__),
        arguments,
        given,
        program.inputs,
        stem,
        with_value=program.value,
    )
    text = made.text(f"{HEADS['c'][3:]} {version()}: {program.command}")
    if trial.compiler() is not None:
        points = [kept(point, program.arguments, program.given) for point in calls_at(program)]
        alike = [point for point in points if sizes(point) == sizes(points[0])]
        made.check(text, *_answered(program.function, alike))
    return text


def in_latex(program: PythonProgram) -> str:
    """A derived gradient as LaTeX: the lines of the function and of the reverse sweep, for amsmath.

    Raises:
        UnsupportedError: it calls a user function; the message names it and its line.
    """
    *others, (_, user, _, docstring, body) = program.parts
    if others:
        raise calls(others[0][1], "LaTeX")
    sweep = SweepLines(body, program.sensitivities, program.kinds, user.name)
    summary = " ".join(docstring[: docstring.index("")] if "" in docstring else docstring)
    lines = [f"{HEADS['latex']} {version()}: {program.command}", f"% {summary}", r"% Needs \usepackage{amsmath}."]
    return "\n".join([*lines, r"\begin{align*}", *(f"  {line}" for line in sweep.lines()), r"\end{align*}"]) + "\n"


def calls(user: Any, language: str) -> UnsupportedError:
    """The error for a program that calls a user function."""
    return UnsupportedError(
        f"derive does not know how to write the call of {user.name} in {language}",
        hint="--straight writes out the recorded run at the point, calls included.",
        file=user.file,
        line=getattr(user.tree, "lineno", None),
    )


def calls_at(program: PythonProgram) -> list[list[Any]]:
    """The arguments of a call at each point; the directions of a product are those of its inputs."""
    places = [list(program.arguments).index(input_) for input_ in program.inputs if program.mode == "forward"]
    return [[*point, *(point[n] for n in places)] for point in program.points]


def kept(call: Sequence[Any], arguments: Mapping[str, Any], given: Sequence[str]) -> list[Any]:
    """The arguments of a call, with default values for the parameters that the point leaves out."""
    values = [x if name in given else value for x, (name, value) in zip(call, arguments.items(), strict=False)]
    return [*values, *call[len(values) :]]


def sizes(point: Sequence[Any]) -> list[tuple[int, ...]]:
    """The shapes of the arguments of a point."""
    return [np.shape(value) for value in point]


def _answered(function: Callable[..., Any], points: Sequence[list[Any]]) -> tuple[list[list[Any]], list[list[float]]]:
    """The points at which a function returns a result, and the results."""
    answered: tuple[list[list[Any]], list[list[float]]] = ([], [])
    for point in points:
        try:
            with ignored_float_errors():
                answer = flat(function(*copy.deepcopy(point)))
        except Exception:  # a point chosen by gradcli may not suit the function
            continue
        answered[0].append(point)
        answered[1].append(answer)
    return answered


def translated(program: PythonProgram, language: Language) -> str:
    """The text of a derived program in a language.

    Raises:
        UnsupportedError: it cannot be written in that language; the message names the construct and its line.
    """
    if language == "c":
        return in_c(program)
    if language == "latex":
        return in_latex(program)
    if language == "numba":
        text = numba.written(program.command, program.parts)
        if find_spec("numba") is not None:
            numba.check(compiled(text, program.parts[-1][0]), program.function, calls_at(program)[0])
        return text
    return program.text
