"""`gradcli derive`: the gradient as source code."""

from __future__ import annotations

import os
import shlex
from typing import TYPE_CHECKING, Any

import click

from gradcli.cli.options import TargetCommand, at, presentation, target
from gradcli.errors import Exit, UsageError
from gradcli.file_replacement import begins, replace_file

if TYPE_CHECKING:
    from gradcli.cli.output import Output

HEADER = "# Derived by gradcli"


@click.command("derive", cls=TargetCommand, short_help="The gradient as source code.")
@target
@at
@click.option("--box", multiple=True, metavar="NAME=LOW:HIGH", help="Without --at: run in the middle of intervals.")
@click.option("-o", "--out", metavar="FILE", help="Write into a .py file; only over one that gradcli derived.")
@click.option("--value", is_flag=True, help="Return the value too, before the gradient.")
@click.option("--vector", is_flag=True, help="Add a function of one vector that returns an array, for optimisers.")
@click.option("--straight", is_flag=True, help="The path of the run at the point, whatever the source is.")
@click.option("--forward", "mode", flag_value="forward", help="How fast the value changes along a direction.")
@click.option("--jacobian", "mode", flag_value="jacobian", help="The matrix of a function with many results.")
@click.option("--hessian", "mode", flag_value="hessian", help="The second derivatives, by one input.")
@presentation
def command(
    target: str, at: str | None, box: tuple[str, ...], out: str | None, output: Output, **asked: Any
) -> Exit:  # fmt: skip
    """The gradient of TARGET as a Python function of its own, verified before it is written."""
    from gradcli import queries

    if out is not None:
        refuse(out)
    typed = ["gradcli", "derive", target, *(["--at", at] if at is not None else [])]
    typed += [word for each in box for word in ("--box", each)]
    typed += [f"--{name}" for name in ("value", "vector", "straight") if asked[name]]
    typed += [f"--{asked['mode']}"] if asked["mode"] else []
    wanted = {name: value for name, value in asked.items() if value}
    record = output.of(queries.derive, target, at, box=box, command=shlex.join(typed), **wanted)
    if out is None:
        return output.show(record)
    from gradcli.repl.files import writable

    with writable(out):
        replace_file(out, record.source.encode())
    return output.wrote(record, out)


def refuse(path: str) -> None:
    """Refuse a file that is no Python file, or that gradcli did not derive.

    Raises:
        UsageError: it is one of these.
    """
    from gradcli.repl.files import free

    place = os.path.expanduser(path)
    if not path.lower().endswith(".py"):
        raise UsageError(f"-o writes a .py file, not {path!r}.", hint=f"Type -o {os.path.splitext(path)[0]}.py")
    if os.path.lexists(place) and not begins(place, HEADER.encode()):
        raise UsageError(
            f"{path!r} exists and is not derived by gradcli, so it was not written over.",
            hint=f"Type -o {free(path)}, or another name that is free.",
        )
