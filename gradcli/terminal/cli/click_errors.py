"""Click's usage errors as gradcli's: what came, what was needed, and what to type."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

from gradcli.errors import UsageError
from gradcli.shared.message_wording import nearest_name

EXAMPLES = {
    "grad": "gradcli grad 'x**2 + sin(y)' --at 1,2",
    "jacobian": "gradcli jacobian file.py:f --at 1,2",
    "hessian": "gradcli hessian 'x**2 * y' --at 1,2",
    "tape": "gradcli tape file.py:f --at 1,2",
    "explain": "gradcli explain file.py:f --at 1,2",
    "step": "gradcli step file.py:f --at 1,2",
    "derive": "gradcli derive file.py:f --at 1,2",
    "symbolic": "gradcli symbolic 'x**2 + sin(y)'",
    "check": "gradcli check file.py:f --against file.py:grad_f --at 1,2",
    "compare": "gradcli compare file.py:f file.py:g --at 1,2",
    "verify": "gradcli verify --list",
    "precision": "gradcli precision '(1 - cos(x)) / x**2' --at 1e-4",
    "repl": "gradcli repl",
    "run": "gradcli run session.gradcli",
    "plot": "gradcli plot 'sin(x) / x' --at 1 --range -9:9",
    "watch": "gradcli watch file.py:f --at 1,2",
    "env": "gradcli env --json",
    "completion": "gradcli completion bash",
    "help": "gradcli help points",
}


NOW = {
    "tape": {
        "--dot": "--format dot",
        "--mermaid": "--format mermaid",
        "--svg": "--out tape.svg",
        "--html": "--out tape.html",
    },
    "symbolic": {"--latex": "--format latex"},
}
"""Options that other commands or tools have, by command, with what to type here."""

# Click names its own types.
_NO_NUMBER = re.compile(r"is not a valid (?:float|(integer))(?: range)?(?=\.?$)")

LONGEST = 60  # characters of an unknown option that are shown


def explained(error: click.ClickException) -> UsageError:
    """The gradcli error for a click error."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command.name if context and context.command.name in EXAMPLES else None
    called = f"gradcli {command}" if command else "gradcli"
    message, hint = message_and_hint(error, called)
    if hint.startswith("Type "):  # the hint is complete
        return UsageError(message, hint=hint)
    return UsageError(message, hint=" ".join(part for part in (hint, advice(command, called)) if part))


def advice(command: str | None, called: str) -> str:
    """A general hint: an example of the command, or where its options are listed."""
    return f"For example: {EXAMPLES[command]}" if command else f"`{called} --help` lists what there is."


def message_and_hint(error: click.ClickException, called: str) -> tuple[str, str]:
    """The message and the hint for a click error."""
    if isinstance(error, click.NoSuchOption):
        if now := NOW.get(called.removeprefix("gradcli "), {}).get(error.option_name):
            return f"{called} has no option {error.option_name}.", f"Type {now}."
        near = nearest(error.option_name, error.possibilities or ())
        typed = f"{called} -- '{error.option_name}' --at 3" if _may_be_formula(error.option_name) else ""
        with_it = commands_with(error.option_name)
        hint = f"Did you mean {near}?" if near else f"An expression is typed {typed}." if typed else with_it
        shown = error.option_name if len(error.option_name) <= LONGEST else f"{error.option_name[: LONGEST - 1]}…"
        return f"{called} has no option {shown}.", hint
    if isinstance(error, click.MissingParameter) and error.param:
        needed = "second TARGET" if error.param.name == "other" else (error.param.name or "").upper()
        return f"{called} needs a {needed}, and none came.", ""
    if isinstance(error, click.BadParameter) and error.param:
        return f"{'/'.join(error.param.opts)}: {sentence(_NO_NUMBER.sub(_no_number, error.message))}", ""
    if isinstance(error, click.BadOptionUsage):
        return value_of(error, called), ""
    return sentence(error.format_message()), ""


def _no_number(match: re.Match[str]) -> str:
    return "is no whole number" if match[1] else "is no number"


def _may_be_formula(option: str) -> bool:
    """Whether an unknown option may be an expression that begins with two minus signs."""
    return len(option) == 3 or any(sign in option for sign in "+*/^()")


def nearest(typed: str, options: Iterable[str]) -> str | None:
    """The option most similar to the typed text, ignoring dashes; None if no option is similar."""
    names = {option.lstrip("-"): option for option in options}
    near = nearest_name(typed.lstrip("-"), names)
    return names[near] if near else None


def commands_with(option: str) -> str:
    """A hint that says which commands have an option; empty if none has."""
    from gradcli.terminal.cli.completion_table import COMMANDS, ROWS

    having = {word for name, _, _, owners in ROWS if name == option for word in owners.split()}
    *names, last = [word for word in COMMANDS if word in having] or [""]
    if not last:
        return ""
    return f"gradcli {', '.join(names)} and {last} have it." if names else f"gradcli {last} has it."


def value_of(error: click.BadOptionUsage, called: str) -> str:
    """The message for an option whose value is missing or not allowed."""
    flags = [option for option in error.ctx.command.params if getattr(option, "is_flag", False)] if error.ctx else []
    if any(error.option_name in flag.opts for flag in flags):
        return f"The option {error.option_name} of {called} takes no value."
    return f"The option {error.option_name} of {called} needs a value, and none came."


def sentence(text: str) -> str:
    """`text`, ended by a full stop if it has no final punctuation."""
    return text if text.endswith((".", "?", "!")) else text + "."
