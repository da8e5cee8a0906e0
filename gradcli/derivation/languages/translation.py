"""A derived and verified Python program in another language."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from importlib.util import find_spec
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from gradcli.derivation.derived_text import HEADER, Part, version
from gradcli.derivation.languages import numba
from gradcli.derivation.languages.c import trial
from gradcli.derivation.languages.c.program import CProgram, Function
from gradcli.derivation.languages.latex.sweep import SweepLines
from gradcli.derivation.languages.python import compiled
from gradcli.derivation.reading.value_kinds import ValueKind
from gradcli.derivation.verification import flat
from gradcli.errors import UnsupportedError, UsageError
from gradcli.record_base import Frozen

Language = Literal["python", "c", "latex", "numba"]
ENDINGS: dict[Language, str] = {"python": ".py", "c": ".c", "latex": ".tex", "numba": ".py"}
HEADS: dict[Language, str] = {
    "python": HEADER,
    "c": "/* Derived by gradcli",
    "numba": HEADER,
    "latex": "% Derived by gradcli",
}
"""By language how its files begin."""
WRITTEN = "% Written by gradcli"  # above what a command writes into a file of LaTeX
MODES = ("gradient", "forward", "jacobian", "hessian")


class PythonProgram(Frozen, eq=False):
    """A derived program of which the other languages are made.

    Args:
        text: the file.
        function: the derived function, ready to be called.
        parts: the functions of the file, the derived one last.
        arguments: the point, by parameter, those among them that keep their defaults.
        given: the parameters that the point names.
        points: where it was verified.
        command: what was typed.
        mode: `gradient` or `forward`; the others are written in Python alone.
        value: whether it returns the value too.
        sensitivities, kinds: by variable what the sensitivity to it is called, and what it is.
    """

    text: str
    function: Callable[..., Any]
    parts: Sequence[Part]
    arguments: dict[str, Any]
    given: tuple[str, ...]
    points: Sequence[Sequence[Any]]
    command: str
    mode: str
    value: bool
    sensitivities: Mapping[str, str] = MappingProxyType({})
    kinds: Mapping[str, ValueKind] = MappingProxyType({})


def check_language(language: Language, mode: str, *, vector: bool) -> None:
    """Refuse a language or a mode that there is not, and what is written in Python alone.

    Raises:
        UsageError: it is one of these; a language does not go together with the rest.
    """
    if language not in ENDINGS:
        raise UsageError(f"there is no language {language!r}.", hint=f"Choose one of {', '.join(ENDINGS)}.")
    if mode not in MODES:
        raise UsageError(f"there is no mode {mode!r}.", hint=f"Choose one of {', '.join(MODES)}.")
    known = {"c": ("gradient", "forward"), "latex": ("gradient",)}.get(language)
    if known is not None and (vector or mode not in known):
        what = "second function of one vector" if vector else f"{mode} product" if mode == "forward" else mode
        forms = "a gradient, or with --forward a product" if language == "c" else "a gradient"
        raise UsageError(f"--lang {language} writes {forms}, no {what}.", hint="Leave out --lang.")


def in_c(program: PythonProgram) -> str:
    """A derived program in C99, compiled and held to the Python program where there is a compiler.

    Raises:
        UnsupportedError: something in it is not written in C, by name and line.
        InternalError: the program in C is wrong, which is a fault of ours.
    """
    *others, (name, user, parameters, docstring, body) = program.parts
    if others:
        raise calls(others[0][1], "C")
    arguments, given = dict(program.arguments), list(program.given)
    if program.mode == "forward":
        directions = [each.strip() for each in parameters.split(",")][len(arguments) :]
        for theirs, direction in zip(given.copy(), directions, strict=True):
            arguments[direction] = program.arguments[theirs]
            given.append(direction)
    stem = "tangent" if program.mode == "forward" else "gradient"
    made = CProgram(Function(name, user, docstring, body), arguments, given, stem, with_value=program.value)
    text = made.text(f"{HEADS['c'][3:]} {version()}: {program.command}")
    if trial.compiler() is not None:
        points = [kept(each, program.arguments, program.given) for each in program.points]
        if program.mode == "forward":
            places = [list(program.arguments).index(each) for each in program.given]
            points = [[*each, *(each[n] for n in places)] for each in points]
        alike = [each for each in points if sizes(each) == sizes(points[0])]
        made.check(text, *_answered(program.function, alike))
    return text


def in_latex(program: PythonProgram) -> str:
    """A derived gradient as the lines of the function and of the sweep back, for LaTeX with amsmath.

    Raises:
        UnsupportedError: it calls functions of the user's, by name and line.
    """
    *others, (_, user, _, docstring, body) = program.parts
    if others:
        raise calls(others[0][1], "LaTeX")
    sweep = SweepLines(body, program.sensitivities, program.kinds, user.name)
    told = " ".join(docstring[: docstring.index("")] if "" in docstring else docstring)
    lines = [f"{HEADS['latex']} {version()}: {program.command}", f"% {told}", r"% Needs \usepackage{amsmath}."]
    return "\n".join([*lines, r"\begin{align*}", *(f"  {each}" for each in sweep.lines()), r"\end{align*}"]) + "\n"


def calls(user: Any, language: str) -> UnsupportedError:
    """The error for a program that calls a function of the user's."""
    return UnsupportedError(
        f"derive does not know how to write the call of {user.name} in {language}",
        hint="--straight writes out the recorded run at the point, calls included.",
        file=user.file,
        line=getattr(user.tree, "lineno", None),
    )


def kept(point: Sequence[Any], arguments: Mapping[str, Any], given: Sequence[str]) -> list[Any]:
    """A point, the parameters that it leaves out at their defaults."""
    return [x if name in given else value for x, (name, value) in zip(point, arguments.items(), strict=True)]


def sizes(point: Sequence[Any]) -> list[tuple[int, ...]]:
    """The shapes of the arguments of a point."""
    return [np.shape(each) for each in point]


def _answered(function: Callable[..., Any], points: Sequence[list[Any]]) -> tuple[list[list[Any]], list[list[float]]]:
    """The points at which a function gives an answer, with those answers."""
    found: tuple[list[list[Any]], list[list[float]]] = ([], [])
    for each in points:
        try:
            with np.errstate(all="ignore"):
                answer = flat(function(*copy.deepcopy(each)))
        except Exception:  # not every point of ours has to suit the function
            continue
        found[0].append(each)
        found[1].append(answer)
    return found


def translated(program: PythonProgram, language: Language) -> str:
    """The text of a derived program in a language.

    Raises:
        UnsupportedError: it cannot be written in that language, by name and line.
    """
    if language == "c":
        return in_c(program)
    if language == "latex":
        return in_latex(program)
    if language == "numba":
        text = numba.written(program.command, program.parts)
        if find_spec("numba") is not None:
            numba.check(compiled(text, program.parts[-1][0]), program.function, program.points[0])
        return text
    return program.text
