"""Arguments and options shared by the commands, and a parser that accepts formulas as targets."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from gradcli.errors import UsageError
from gradcli.terminal.cli.file_extensions import ENDINGS, alternatives_text
from gradcli.terminal.cli.help_option import CommandWithHelp

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

SHIELD = "\0"  # cannot occur in a process argument


class TargetCommand(CommandWithHelp):
    """A command whose target may start with a minus sign: `gradcli grad '-x**2' --at 3`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments and report surplus ones.

        Raises:
            UsageError: there are more arguments than the command takes.
        """
        ctx.allow_extra_args = True
        super().parse_args(ctx, self.shielded(args))
        if ctx.args and not ctx.resilient_parsing:
            target = unshielded(str(ctx.params.get("target") or ""))
            extra, command = [unshielded(argument) for argument in ctx.args], self.name or "grad"
            raise point_in_parts(extra, command, target, ctx) or too_much(extra, command, target, ctx.obj is None)
        return []

    def shielded(self, args: list[str]) -> list[str]:
        """The arguments, with SHIELD before each one that starts with a minus sign but is no option or option value.

        The argument after `--` is shielded as well; options may follow it.
        """
        valued = {name for option in self.params if takes_value(option) for name in option.opts}
        known = {"-h", *(name for option in self.params if isinstance(option, click.Option) for name in option.opts)}
        shielded: list[str] = []
        for place, argument in enumerate(args):
            before = args[place - 1] if place else ""
            if argument == "--" and before not in valued and before != "--":
                continue
            negative = argument.startswith("-") and not argument.startswith("--") and argument != "-"
            is_target = before == "--" or (negative and before not in valued and argument not in known)
            shielded.append(SHIELD + argument if is_target else argument)
        return shielded


def takes_value(parameter: click.Parameter) -> bool:
    """Whether `parameter` is an option with a value."""
    return isinstance(parameter, click.Option) and not parameter.is_flag


def unshielded(argument: str) -> str:
    """The argument as typed, without SHIELD."""
    return argument.removeprefix(SHIELD)


# Compiled only for an error.
SHORT = r"-[A-Za-z]"  # an option of other tools; as the only argument, it may be the target -x
_OF_POINT = r"(?:[^\W\d]\w*=)?[-+]?[.\d\[][-+.\deE,\[\]]*"  # 1, 1,2, [1,2] or x=3


def point_in_parts(extra: list[str], command: str, target: str, context: click.Context) -> UsageError | None:
    """The error for numbers after a target without --at, or after a point with spaces; None for other arguments."""
    import re

    if "other" in context.params or not all(re.fullmatch(_OF_POINT, word) for word in extra):
        return None
    at = context.params.get("at")
    point = ",".join(word.strip(",") for word in (*filter(None, [at]), *extra))
    message = "A point has no spaces, unless it is quoted." if at else "A point follows --at."
    return UsageError(message, hint=f"Type {'gradcli ' * (context.obj is None)}{command} {target} --at {point}")


def too_much(extra: list[str], command: str, target: str, in_shell: bool = True) -> UsageError:
    """The error for surplus arguments after a target, in a shell or at the prompt."""
    import re

    called, words = f"{'gradcli ' * in_shell}{command}", " ".join(extra)
    if short := next((word for word in (target, *extra) if re.fullmatch(SHORT, word)), None):
        return UsageError(f"{called} has no option {short}.", hint=f"`{called} --help` lists its options.")
    hint = (
        f"Quote an expression that has spaces: {called} 'x + y' --at '1, 2'. "
        f"`{called} --help` lists its arguments and options."
    )
    if target.endswith(".py") and extra[0].isidentifier():
        hint = f"A function of a file is typed {target}:{extra[0]}."
    takes = "two functions" if command == "compare" else "one target"
    return UsageError(f"{called} takes {takes}; {words!r} is an extra argument.", hint=hint)


def read_by(read: Callable[[Any], Any]) -> Callable[[click.Context, click.Parameter, Any], Any]:
    """A callback of click that reads the value of an option, if there is one; errors are `click.BadParameter`."""
    return lambda _context, _parameter, value: None if value is None else read(value)


def target_argument(name: str, **options: Any) -> Callable[[Decorated], Decorated]:
    """An argument that may start with a minus sign."""
    return click.argument(name, callback=read_by(unshielded), **options)


target = target_argument("target")
at = click.option(
    "--at", metavar="POINT", help="The point: 1,2,3 or x=1,y=2 or @point.json; see `gradcli help points`."
)
wrt = click.option("--wrt", metavar="NAMES", help="Differentiate with respect to these inputs only: x,y.")
device = click.option(
    "--device",
    default="cpu",
    metavar="DEVICE",
    help="Device for arrays: cpu, gpu or gpu:1; see `gradcli help devices`.",
)
expand = click.option("--expand", is_flag=True, help="Show every iteration and every call.")
libraries = click.option("--libraries", is_flag=True, help="Show the lines inside installed packages.")
random_box = click.option(
    "--box", multiple=True, metavar="NAME=LOW:HIGH", help="Draw random values of an input from an interval."
)
seed = click.option("--seed", type=click.IntRange(0), default=0, metavar="N", help="Random seed (default 0).")
json_flag = click.option("--json", "as_json", is_flag=True, help="Print one line of JSON.")


def columns(text: str) -> int:
    """The value of --width, a positive number of columns."""
    if text.isdecimal() and int(text[:9]) > 0:
        return int(text[:9])
    raise click.BadParameter(f"{text!r} is not a width; type a positive integer such as 80.")


width = click.option("--width", callback=read_by(columns), metavar="COLUMNS", help="Width of the output.")

FORMS = ("text", "json")  # the formats of every command


def presentation(*forms: str) -> Callable[[Decorated], Decorated]:
    """The options --out, --format, --width and --json, passed to the command as one `output`.

    Args:
        forms: the formats of the command besides text and JSON, the most common first.
    """
    known = (*forms, *FORMS)
    endings = alternatives_text([ENDINGS[form][0] for form in known])

    def decorated(command: Decorated) -> Decorated:
        @click.option("-o", "--out", metavar="FILE", help=f"Write to a {endings} file.")
        @click.option(
            "--format", "form", type=click.Choice(known), metavar="FORM", help=f"Format: {alternatives_text(known)}."
        )
        @width
        @json_flag
        @wraps(command)
        def presented(
            *args: Any, as_json: bool, width: int | None, form: str | None, out: str | None, **options: Any
        ) -> Any:
            if as_json and form not in (None, "json"):
                raise UsageError("--json and --format contradict each other.", hint="Leave out one of the two.")
            as_json = as_json or (form == "json" and out is None)
            return command(*args, output=_output(as_json, width, _form(form, out, known), out, _folder()), **options)

        return presented  # type: ignore[return-value]

    return decorated


def _form(form: str | None, out: str | None, known: Sequence[str]) -> str:
    """The output format: that of the file's ending, otherwise that of --format."""
    if out is None:
        if form == "png":
            raise UsageError(
                "A .png image cannot be printed.", hint=f"Type --out {click.get_current_context().info_name}.png"
            )
        return form or "text"
    from gradcli.terminal.cli import out_file

    form_of_output = out_file.form_of(out, known, form)
    out_file.refuse(out, form_of_output)
    return form_of_output


def _folder() -> str:
    """The working folder, which the user's code may leave; empty if it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return ""


def _output(*how: Any) -> Any:
    """The output for these options; a session has its own kind of output."""
    from gradcli.terminal.cli.output import Output

    return (click.get_current_context().obj or Output)(*how)


ROWS = (".jsonl", ".csv", ".npy", ".parquet")  # the endings of files of rows
POINTS_FILE = (
    "Answer at each row of a .csv, .jsonl, .npy, .npz or .parquet file; the rows go to --out, a .jsonl, .csv, .npy or "
    ".parquet file."
)


def at_many_points(asked: str) -> Callable[[Decorated], Decorated]:
    """The options for many points; `asked` is the name of the command."""

    def decorated(command: Decorated) -> Decorated:
        @click.option("--points-file", metavar="FILE", help=POINTS_FILE)
        @click.option("-n", "--workers", type=click.IntRange(1), metavar="N", help="Processes for --points-file.")
        @click.option("--scheduler", metavar="ADDRESS", help="Dask scheduler for --points-file: tcp://HOST:PORT.")
        @click.pass_context
        @wraps(command)
        def answered(
            context: click.Context, /, *args: Any, workers: int | None, scheduler: str | None, **options: Any
        ) -> Any:
            out, file = options["out"] or "", options["points_file"]
            is_rows = file is not None and os.path.splitext(out)[1].lower() in ROWS
            if is_rows:
                from gradcli.terminal.cli.many_points import answer_rows

                return answer_rows(context, asked, scheduler or workers or 1, options)
            if file is not None and asked != "check":
                raise UsageError(
                    f"--points-file writes a row for each point{out and f', which {out} cannot hold'}.",
                    hint=f"Type --out {asked}.jsonl",
                )
            if workers is not None or scheduler is not None:
                hint = "Add --points-file points.csv --out rows.jsonl, or leave it out."
                raise UsageError("-n and --scheduler are for the points of a file.", hint=hint)
            kept = options if asked == "check" else {name: x for name, x in options.items() if name != "points_file"}
            return context.invoke(command, *args, **kept)

        return answered  # type: ignore[return-value]

    return decorated
