"""Usage errors say what came, what was needed, and what to type."""

import json

import pytest

from tests.terminal.cli.conftest import Call

EXAMPLE = "For example: gradcli grad 'x**2 + sin(y)' --at 1,2\n"


@pytest.mark.parametrize(("expected", "arguments"), [
    ("error: gradcli grad needs a TARGET, and none came.\n" + EXAMPLE, ()),
    ("error: The option --at of gradcli grad needs a value, and none came.\n" + EXAMPLE, ("f.py:f", "--at")),
    ("error: gradcli grad has no option --jsno.\nDid you mean --json? " + EXAMPLE, ("f.py:f", "--jsno")),
    ("error: gradcli grad has no option --ta.\nDid you mean --at? " + EXAMPLE, ("f.py:f", "--ta", "1")),
    ("error: gradcli grad has no option --unheard.\n" + EXAMPLE, ("f.py:f", "--unheard")),
    ("error: The option --json of gradcli grad takes no value.\n" + EXAMPLE, ("f.py:f", "--json=1")),
])  # fmt: skip
def test_usage_errors(expected: str, arguments: tuple[str, ...], call: Call) -> None:
    """An error of usage is a sentence and an example on stderr, and ends with 2."""
    assert call("grad", *arguments) == (2, "", expected)


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--max-seconds", "abc", "'abc' is no number."),
        ("--max-seconds", "10s", "'10s' is no number."),
        ("--max-seconds", "", "'' is no number."),
        ("--rtol", "1,5", "'1,5' is no number."),
        ("--points", "1.5", "'1.5' is no whole number."),
        ("--seed", "x", "'x' is no whole number."),
    ],
)
def test_a_value_that_is_no_number(option: str, value: str, said: str, call: Call) -> None:
    assert f"error: {option}: {said}\n" in call("check", "x^2", "--at", "1", option, value).err


@pytest.mark.parametrize("command", ["jacobian", "tape", "explain", "symbolic", "check", "precision"])
def test_each_command_has_its_example(command: str, call: Call) -> None:
    """The example is one of the command that was typed."""
    answer = call(command)

    assert answer.code == 2
    assert f"For example: gradcli {command} " in answer.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (
            ("verify", "-k"),
            "The option -k of gradcli verify needs a value, and none came.\nFor example: gradcli verify ",
        ),
        (("verify", "--format"), "The option --format of gradcli verify needs a value, and none came."),
        (("verify", "--list=3"), "The option --list of gradcli verify takes no value."),
        (("help", "--json=3"), "The option --json of gradcli help takes no value."),
        (("watch", "x", "--interval"), "The option --interval of gradcli watch needs a value, and none came."),
    ],
)
def test_the_command_of_an_option_without_a_value(arguments: tuple[str, ...], said: str, call: Call) -> None:
    assert said in call(*arguments).err


@pytest.mark.parametrize("arguments", [("grad", "--json"), ("grad", "f", "--json", "--at"), ("gard", "f", "--json")])
def test_usage_errors_in_json(arguments: tuple[str, ...], call: Call) -> None:
    answer = call(*arguments)
    error = json.loads(answer.err)["error"]

    assert (answer.code, answer.out) == (2, "")
    assert (error["exit"], error["kind"], error["code"]) == (2, "usage", None)
