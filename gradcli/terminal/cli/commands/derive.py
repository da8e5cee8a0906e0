"""`gradcli derive`: the gradient as source code."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import Exit, UsageError
from gradcli.terminal.cli.file_extensions import alternatives_text
from gradcli.terminal.cli.options import TargetCommand, at, presentation, target, wrt

if TYPE_CHECKING:
    from gradcli.terminal.cli.output import Output

MODES = ("forward", "jacobian", "hessian")
LANGUAGES = ("python", "c", "latex", "numba")


@click.command(
    "derive",
    cls=TargetCommand,
    short_help="Write the gradient as source code.",
    examples=(
        "gradcli derive file.py:f --at 1,2",
        "gradcli derive file.py:f --at 1,2 -o grad_f.py",
    ),
    exits=(Exit.PASS, Exit.USAGE, Exit.INCONCLUSIVE, Exit.USER_CODE),
)
@target
@at
@wrt
@click.option("--box", multiple=True, metavar="NAME=LOW:HIGH", help="Without --at, run at a point within.")
@click.option("--lang", type=click.Choice(LANGUAGES), metavar="LANG", help=f"Language: {alternatives_text(LANGUAGES)}.")
@click.option("--value", is_flag=True, help="Return the value as well, before the gradient.")
@click.option("--vector", is_flag=True, help="Add a function from one vector to an array, for optimisers.")
@click.option("--straight", is_flag=True, help="Derive the path recorded at the point, not the source.")
@click.option("--forward", is_flag=True, help="Write the derivative along a direction (forward mode).")
@click.option("--jacobian", is_flag=True, help="Write the Jacobian of a function with several results.")
@click.option("--hessian", is_flag=True, help="Write the second derivatives with respect to one input.")
@presentation("python", "c", "latex")
def command(
    target: str,
    at: str | None,
    wrt: str | None,
    box: tuple[str, ...],
    output: Output,
    lang: str | None,
    **asked: Any,
) -> Exit:
    """Write the gradient of TARGET as a standalone function, verified before it is printed."""
    from gradcli import queries

    language = of_file(lang, output.form, output.out)

    typed = ["gradcli", "derive", target, *(["--at", at] if at is not None else [])]
    typed += ["--wrt", wrt] if wrt is not None else []
    typed += [word for entry in box for word in ("--box", entry)]
    typed += [f"--{name}" for name in ("value", "vector", "straight") if asked[name]]
    modes = [mode for mode in MODES if asked.pop(mode)]
    if len(modes) > 1:
        raise UsageError(f"--{modes[0]} and --{modes[1]} ask for two programs.", hint="Leave out one of the two.")
    typed += [f"--{mode}" for mode in modes]
    typed += ["--lang", language] if language != "python" else []
    asked["mode"] = "".join(modes)
    wanted = {name: value for name, value in asked.items() if value}
    wanted["command"] = shlex.join(typed)
    return output.show(output.of(queries.derive, target, at, wrt=wrt, box=box, lang=language, **wanted))


def of_file(lang: str | None, form: str, path: str | None) -> str:
    """The language of --lang, otherwise that of --format or the file's ending, otherwise Python.

    Raises:
        UsageError: the two contradict each other.
    """
    named = form if form in LANGUAGES else None
    if lang is None or named is None or lang == named or (lang, named) == ("numba", "python"):
        return lang or named or "python"
    if path is None:
        raise UsageError(f"--lang says {lang}, and --format {form}.", hint="Leave out --format.")
    raise UsageError(f"{path!r} is named as {named}, and --lang says {lang}.", hint="Leave out --lang.")
