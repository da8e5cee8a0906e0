"""Click's usage errors as gradcli's: what came, what was needed, and what to type."""

from __future__ import annotations

import re
from collections.abc import Iterable

import click

from gradcli.errors import UsageError
from gradcli.shared.message_wording import nearest_name, shortened
from gradcli.terminal.cli.help_option import CommandWithHelp

# Click names its own types.
_NO_NUMBER = re.compile(r"is not a valid (?:float|(integer))(?: range)?(?=\.?$)")


def explained(error: click.ClickException) -> UsageError:
    """The gradcli error for a click error."""
    context = error.ctx if isinstance(error, click.UsageError) else None
    command = context.command if context else None
    examples = command.examples if isinstance(command, CommandWithHelp) else ()
    called = f"gradcli {command.name}" if command and examples else "gradcli"
    message, hint = message_and_hint(error, called)
    if hint.startswith("Type "):  # the hint is complete
        return UsageError(message, hint=hint)
    example = f"For example: {examples[0]}" if examples else "`gradcli --help` lists what there is."
    return UsageError(message, hint=" ".join(part for part in (hint, example) if part))


def message_and_hint(error: click.ClickException, called: str) -> tuple[str, str]:
    """The message and the hint for a click error."""
    if isinstance(error, click.NoSuchOption):
        near = nearest(error.option_name, error.possibilities or ())
        may_be_formula = len(error.option_name) == 3 or any(sign in error.option_name for sign in "+*/^()")
        typed = f"An expression is typed {called} -- '{error.option_name}' --at 3."
        hint = f"Did you mean {near}?" if near else typed if may_be_formula else ""
        return f"{called} has no option {shortened(error.option_name)}.", hint
    if isinstance(error, click.MissingParameter) and error.param:
        needed = "second TARGET" if error.param.name == "other" else (error.param.name or "").upper()
        return f"{called} needs a {needed}, and none came.", ""
    if isinstance(error, click.BadParameter) and error.param:
        message = _NO_NUMBER.sub(lambda match: "is no whole number" if match[1] else "is no number", error.message)
        return f"{'/'.join(error.param.opts)}: {sentence(message)}", ""
    if isinstance(error, click.BadOptionUsage):
        return value_of(error, called), ""
    return sentence(error.format_message()), ""


def nearest(typed: str, options: Iterable[str]) -> str | None:
    """The option most similar to the typed text, ignoring dashes; None if no option is similar."""
    names = {option.lstrip("-"): option for option in options}
    near = nearest_name(typed.lstrip("-"), names)
    return names[near] if near else None


def value_of(error: click.BadOptionUsage, called: str) -> str:
    """The message for an option whose value is missing or not allowed."""
    flags = [option for option in error.ctx.command.params if getattr(option, "is_flag", False)] if error.ctx else []
    if any(error.option_name in flag.opts for flag in flags):
        return f"The option {error.option_name} of {called} takes no value."
    return f"The option {error.option_name} of {called} needs a value, and none came."


def sentence(text: str) -> str:
    """`text`, ended by a full stop if it has no final punctuation."""
    return text if text.endswith((".", "?", "!")) else text + "."
