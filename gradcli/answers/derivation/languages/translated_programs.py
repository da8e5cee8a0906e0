"""Translation of a verified derived Python program to another language."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Literal

from gradcli.answers.derivation.file_text import HEADER, version
from gradcli.answers.derivation.languages import numba
from gradcli.answers.derivation.languages.c import trial
from gradcli.answers.derivation.languages.c.program import CProgram
from gradcli.answers.derivation.languages.latex import SweepLines
from gradcli.answers.derivation.languages.python_program import PythonProgram, compiled
from gradcli.errors import UsageError

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
    made = CProgram(program)
    text = made.text(f"{HEADS['c'][3:]} {version()}: {program.command}")
    if trial.compiler() is not None:
        made.check(text)
    return text


def in_latex(program: PythonProgram) -> str:
    """A derived gradient as LaTeX: the lines of the function and of the reverse sweep, for amsmath.

    Raises:
        UnsupportedError: it cannot be written in LaTeX; the message names the construct and its line.
    """
    _, user, _, docstring, body = program.parts[0]
    sweep = SweepLines(body, program.sensitivities, program.kinds, user.name)
    summary = " ".join(docstring[: docstring.index("")] if "" in docstring else docstring)
    lines = [f"{HEADS['latex']} {version()}: {program.command}", f"% {summary}", r"% Needs \usepackage{amsmath}."]
    return "\n".join([*lines, r"\begin{align*}", *(f"  {line}" for line in sweep.lines()), r"\end{align*}"]) + "\n"


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
            numba.check(compiled(text, program.name), program.function(), program.calls()[0])
        return text
    return program.text
