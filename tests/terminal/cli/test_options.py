"""How arguments and options are told apart, in any order, with minus signs."""

import click
import pytest

from gradcli.terminal.cli.root_command import program
from gradcli.terminal.cli.shell_completion import COMMANDS
from tests.terminal.cli.conftest import Call, Queries
from tests.terminal.render import samples


@pytest.mark.parametrize(
    ("target", "point", "arguments"),
    [
        ("f.py:f", "1,2", ("f.py:f", "--at", "1,2")),
        ("f.py:f", "1,2", ("--at", "1,2", "f.py:f")),
        ("f.py:f", "-1,2", ("f.py:f", "--at", "-1,2")),
        ("f.py:f", "-1", ("f.py:f", "--at=-1")),
        ("-x**2", "3", ("-x**2", "--at", "3")),
        ("-x**2", "-3", ("--at", "-3", "-x**2")),
        ("-x", "3", ("--at", "3", "--", "-x")),
        ("-x", "3", ("--", "-x", "--at", "3")),
        ("--x", "3", ("--", "--x", "--at", "3")),
        ("-h", "3", ("--", "-h", "--at", "3")),
        ("-x", "-3", ("--", "-x", "--at", "-3")),
        ("-h+x", "3", ("-h+x", "--at", "3")),
        ("--x", "3", ("--at", "3", "--", "--x")),
        ("", "3", ("", "--at", "3")),
        ("f.py:f", None, ("f.py:f",)),
        ("f.py:f", "", ("f.py:f", "--at", "")),
    ],
)
def test_target_and_point(
    target: str, point: str | None, arguments: tuple[str, ...], call: Call, queries: Queries
) -> None:
    """Options stand before or after the target, and both may begin with a minus sign."""
    queries.answers("gradient", samples.GRADIENT)

    assert call("grad", *arguments).code == 0
    assert (target, point) == queries.asked[0][1]


@pytest.mark.parametrize(
    ("arguments", "message", "point"),
    [
        (["f.py:f", "--at", "1,", "2"], "A point has no spaces, unless it is quoted.", "1,2"),
        (["f.py:f", "--at", "x=1,", "y=-2"], "A point has no spaces, unless it is quoted.", "x=1,y=-2"),
        (["f.py:f", "1", "-2"], "A point follows --at.", "1,-2"),
        (["f.py:f", "1,2"], "A point follows --at.", "1,2"),
        (["f.py:f", "[1,2]", "y=3"], "A point follows --at.", "[1,2],y=3"),
    ],
)
def test_a_point_in_parts(arguments: list[str], message: str, point: str, call: Call) -> None:
    """The hint has the whole line."""
    answer = call("grad", *arguments)

    assert answer.code == 2
    assert answer.err == f"error: {message}\nType gradcli grad f.py:f --at {point}\n"


@pytest.mark.parametrize("extra", ["-2-x", "x", "f2"])
def test_too_many_arguments(extra: str, call: Call, queries: Queries) -> None:
    """What is left over is named, with the likely reason."""
    expected = (
        f"error: gradcli grad takes one target; '{extra}' is an extra argument.\n"
        "Quote an expression that has spaces: gradcli grad 'x + y' --at '1, 2'. "
        "`gradcli grad --help` lists its arguments and options.\n"
    )

    assert call("grad", "f.py:f", "--at", "1,", extra) == (2, "", expected)
    assert queries.asked == []


@pytest.mark.parametrize("width", ["0", "-1", "wide", "1.5", ""])
def test_a_width_that_is_none(width: str, call: Call) -> None:
    """A width is a positive number of columns."""
    answer = call("grad", "x", "--at", "1", "--width", width)

    assert answer.code == 2
    assert f"error: --width: '{width}' is not a width; type a positive integer such as 80.\n" in answer.err


def test_a_short_option_stands_wherever_its_long_one_does() -> None:
    """As users know it from one command."""
    given = [
        (option, command.name)
        for command in (program.get_command(click.Context(program), name) for name in COMMANDS)
        for option in command.params
        if isinstance(option, click.Option)
    ]
    short = {long: name for option, _ in given for long in option.opts for name in option.opts if len(name) == 2}

    assert {("--out", "-o"), ("--workers", "-n"), ("--quiet", "-q"), ("--verbose", "-v")} <= {*short.items()}
    for option, command in given:
        for long in option.opts:
            assert short.get(long, long) in option.opts, f"{command} {long}"
