"""`gradcli compare`: the values and gradients of two functions compared at a point and at random points."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from gradcli.errors import Exit, UsageError
from gradcli.terminal.cli.commands.check import finite
from gradcli.terminal.cli.options import (
    TargetCommand,
    at,
    presentation,
    random_box,
    read_by,
    seed,
    target,
    target_argument,
    wrt,
)

if TYPE_CHECKING:
    from gradcli.terminal.cli.output import Output


@click.command(
    "compare",
    cls=TargetCommand,
    short_help="Compare the values and gradients of two functions.",
    examples=(
        "gradcli compare file.py:f file.py:g --at 1,2",
        "gradcli compare 'log(1 + x)' 'log1p(x)' --box x=1e-9:1 --points 100",
        "gradcli compare file.py:f --at 1,2 --engines gradcli,torch,jax,differences",
    ),
    exits=(Exit.PASS, Exit.FAIL, Exit.USAGE, Exit.INCONCLUSIVE, Exit.NOT_FINITE, Exit.USER_CODE),
    meanings={
        Exit.PASS: "values and gradients are equal within rounding",
        Exit.FAIL: "they differ",
        Exit.INCONCLUSIVE: "the difference may be rounding, or a convention at a kink",
        Exit.NOT_FINITE: "neither function has a finite value at any point",
    },
)
@target
@target_argument("other", required=False)
@at
@wrt
@click.option("--points", type=click.IntRange(0), default=20, metavar="N", help="Number of random points (default 20).")
@random_box
@seed
@click.option("--rtol", type=click.FloatRange(0), default=0.0, metavar="X", callback=read_by(finite),
              help="Allowed difference, relative to the larger number.")  # fmt: skip
@click.option("--atol", type=click.FloatRange(0), default=0.0, metavar="X", callback=read_by(finite),
              help="Allowed absolute difference.")  # fmt: skip
@click.option("--engines", metavar="NAMES", help="Compare engines on TARGET: gradcli, torch, jax, autograd, "
              "tensorflow, differences.")  # fmt: skip
@click.option("--all", "every", is_flag=True, help="Print a row for every number.")
@presentation("md", "csv")
def command(
    target: str, other: str | None, at: str | None, output: Output, engines: str | None, **options: Any
) -> Exit:
    """Compare the values and gradients of TARGET and OTHER, functions of the same inputs, at POINT and random points.

    Numbers count as equal when rounding explains their difference. The output shows the first point at which the
    functions differ.

    With --engines, TARGET alone is computed by several libraries at POINT: their values and gradients, and the times of
    a first and of later calls. A Python function is copied with each library's functions in place of NumPy's.
    """
    from gradcli import queries
    from gradcli.shared.records.check_request import CheckRequest

    every = options.pop("every")
    if engines is not None and other is None:
        return output.show(output.of(queries.compare_engines, target, at, engines, options["wrt"]), every=every)
    if engines is not None or other is None:
        hint = "Type compare F G --at POINT, or compare F --at POINT --engines gradcli,torch,jax"
        raise UsageError("compare takes two functions, or one with --engines.", hint=hint)
    return output.show(output.of(queries.compare, target, at, other, CheckRequest(**options)), every=every)
