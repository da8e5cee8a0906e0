"""`gradcli check`: a gradient compared with independent references, one verdict per component."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import UsageError
from gradcli.shared.records.result_and_finding import KINDS
from gradcli.terminal.cli.help_option import ALL_EXITS
from gradcli.terminal.cli.options import (
    TargetCommand,
    at,
    at_many_points,
    device,
    presentation,
    random_box,
    read_by,
    seed,
    target_argument,
    wrt,
)

if TYPE_CHECKING:
    from gradcli.errors import Exit
    from gradcli.terminal.cli.output import Output


def finite(value: float) -> float:
    """The tolerance, which must be finite: an infinite one would pass every gradient."""
    if math.isfinite(value):
        return value
    raise click.BadParameter(f"{value!r} is not finite.")


def seconds(value: float) -> float:
    """The time limit in seconds; infinity means no limit."""
    if not math.isnan(value):
        return value
    raise click.BadParameter(f"{value!r} is not a time limit; type 60, or inf for no limit.")


@click.command(
    "check",
    cls=TargetCommand,
    short_help="Check a gradient; the exit code is the verdict.",
    examples=(
        "gradcli check file.py:f --against file.py:grad_f --at 1,2",
        "gradcli check file.py:f --points 20 --box x=0:1 --box y=-1:1",
        "gradcli check --selftest",
    ),
    exits=ALL_EXITS,
)
@target_argument("target", required=False)
@at
@click.option("--against", metavar="TARGET", help="The gradient to check: file.py:g, 12,4 or '2*x*y, x^2'.")
@wrt
@click.option("--of", type=click.Choice(KINDS), default="gradient", help="The derivative to check.")
@click.option("--strict", is_flag=True, help="Exit 3 at a kink, a cut input, or if wrong beside the point.")
@click.option(
    "--rtol",
    type=click.FloatRange(0),
    default=0.0,
    metavar="X",
    callback=read_by(finite),
    help="Widen the tolerance, relative to the reference.",
)
@click.option("--atol", type=click.FloatRange(0), default=0.0, metavar="X", callback=read_by(finite),
              help="Widen the tolerance to at least this much.")  # fmt: skip
@click.option("--points", type=click.IntRange(0), default=0, metavar="N", help="Check at N random points as well.")
@random_box
@seed
@click.option("--max-seconds", type=click.FloatRange(0), callback=read_by(seconds), metavar="S",
              help="Time limit in seconds (exit 7 if undecided).")  # fmt: skip
@click.option("--selftest", is_flag=True, help="Verify that `check` catches an error in each rule.")
@click.option("--all", "every", is_flag=True, help="Print a row for every component.")
@device
@at_many_points("check")
@presentation("md", "csv")
@click.pass_context
def command(context: click.Context, /, target: str | None, at: str | None, output: Output, **options: Any) -> Exit:
    """Check the gradient of TARGET at POINT, worst component first; the exit code is the verdict."""
    import os

    import gradcli
    from gradcli import queries
    from gradcli.shared.records.check_request import CheckRequest
    from gradcli.terminal.cli.progress import Progress
    from gradcli.terminal.cli.stdin_points import STDIN, answer_each, holds_rows

    every, selftest = options.pop("every"), options.pop("selftest")
    request = CheckRequest(**options)
    progress = Progress(quiet=output.as_json)
    if target is None and not selftest:
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    if target is not None and os.path.isdir(target):
        hint = f"gradcli verify {target} checks all gradients in it."
        raise UsageError(f"{target!r} is a folder; `check` judges one gradient.", hint=hint)
    if at and holds_rows(at) and request.points_file is None:
        request, at = request.changed(points_file=at[1:]), None
    if target is not None and at == STDIN and output.reads_stdin:
        return answer_each(output, queries.check, target, request=request)
    try:
        if selftest:
            return output.show(output.of(gradcli.check_rules, progress=progress.tick))
        comparison = output.of(queries.check, target, at, request.changed(resumes=True), listener=progress)
    finally:
        progress.clear()
    unsaid = tuple(finding for finding in comparison.findings if finding not in progress.shown)
    return output.show(comparison.changed(findings=unsaid), every=every)
