"""Hints for lines that cannot be understood: misspelt commands, and the commonest forms of other tools."""

from __future__ import annotations

import re
from collections.abc import Sequence
from keyword import iskeyword

from gradcli import queries
from gradcli.errors import GradcliError, UsageError
from gradcli.queries.session_workspace import Workspace
from gradcli.shared.message_wording import nearest_name
from gradcli.terminal.repl.command_descriptions import OWN

MOST_READ = 400  # characters; a longer line gets no hint
NEAR = 0.75  # the least similarity, up to 1, of a word and a command, such as gard and grad
_WORDS = re.compile(r"(?P<w>[^\W\d]\w*)(?:\s+(?P<rest>(?!(?:if|else|and|or|at|in|mod)\b)(?:[\w(\[@'\"]|--\w).*))?")
_COMMAND = r"(?P<command>[a-z]+)"
_POINT = r"(?P<p>[-+]?[\d.][^a-z]*|\w+\s*=(?!=).*)"
_NO_OPERATOR = "Derivatives have commands."
_TWO_WAYS = "Type grad {f} for numbers, or symbolic {f} for the formula."
HABITS = tuple(
    (re.compile(pattern), message, hint)
    for pattern, message, hint in (
        (rf"{_COMMAND}\s+(?P<f>(?:(?!--).)+?)\s+(?:(?:at|-at|where|with|for)\s+)?{_POINT}", "A point follows --at.",
         "Type {command} {f} --at {p}."),
        (rf"(?P<f>.+?)\s+at\s+{_POINT}", "A point follows --at.",
         "Type grad {f} --at {p}, or first at {p}."),
        (r"[d∂]\s*/\s*[d∂]\s*\w+\s*\(?(?P<f>.+?)\)?", _NO_OPERATOR, _TWO_WAYS),
        (rf"{_COMMAND}\((?P<f>[^(),]+)\)", "{command} is a command.",
         "Type {command} {f}."),
        (r"(?:diff|D|derivative|gradient)(?:\s+of\s+|\s*[(\[]\s*|\s+)(?P<f>[^,]+?)(?:\s*,.*)?[)\]]?", _NO_OPERATOR,
         _TWO_WAYS),
        (r"(?P<n>[^\W\d]\w*)\s*=\s*lambda\s+(?P<x>[\w\s,]+):\s*(?P<f>.+)", "A function is defined with its parameters.",
         "Type {n}({x}) = {f}."),
        (r"(?:minimi[sz]e|maximi[sz]e|optimi[sz]e|fmin)\W+(?P<f>[\w^*+-]+).*",
         "gradcli computes gradients; an optimiser uses them.",
         "Type derive {f} --value --vector -o grad_f.py for a function of a vector, which scipy.optimize.minimize "
         "takes with jac=True."),
        (r"(?P<f>[^\s:]+\.py)", "A file is loaded.", "Type load {f}."),
    )
)  # fmt: skip
"""Forms of lines, each with the message and the hint, in which the groups of the form stand by name."""


def advice(text: str, workspace: Workspace, commands: Sequence[str]) -> UsageError | None:
    """The error for a line that could not be understood; None if it has none of the known forms."""
    if len(text) > MOST_READ or "\n" in text:
        return None
    with_one_target = {*commands} - {*OWN, "compare"}
    for pattern, message, hint in HABITS:
        if (match := pattern.fullmatch(text)) and match.groupdict().get("command", "grad") in with_one_target:
            return UsageError(message.format(**match.groupdict()), hint=hint.format(**match.groupdict()))
    return _without_values(text, workspace) or _no_command(text, workspace, commands)


def _without_values(text: str, workspace: Workspace) -> UsageError | None:
    """The error for a definition by a formula with names that have no value."""
    name, equals, formula = (part.strip() for part in text.partition("="))
    try:
        names = workspace.unknown(formula) if equals and name.isidentifier() else ()
    except GradcliError:
        return None
    if not names:
        return None
    function = "" if name in names else f"{name}({', '.join(names)}) = {formula} for a function, or first "
    message = f"{' and '.join(names)} {'has' if len(names) == 1 else 'have'} no value yet."
    return UsageError(message, hint=f"Type {function}{names[0]} = 1.")


def _no_command(text: str, workspace: Workspace, commands: Sequence[str]) -> UsageError | None:
    """The error for an unknown word, alone or before further words, with the command that it resembles."""
    match = _WORDS.fullmatch(text)
    if match is None or len(match["w"]) < 3 or _is_known(match["w"], workspace, commands):
        return None
    word, rest = match["w"], match["rest"]
    begun = (command for command in commands if command.startswith(word.lower()))
    near = next(begun, None) or nearest_name(word.lower(), commands, NEAR)
    hint = f"Did you mean {' '.join(filter(None, (near, rest)))}?" if near else "`help` lists what can be typed."
    if rest is None:
        message = f"There is no command {word}, and no value of that name."
        return UsageError(message, hint=f"{hint} A value is given by {word} = 1.")
    return UsageError(f"There is no command {word}.", hint=hint)


def _is_known(word: str, workspace: Workspace, commands: Sequence[str]) -> bool:
    """Whether a word has a meaning here."""
    known = iskeyword(word) or word in {*queries.prompt_functions(), *commands}
    return known or any(word == definition.name for definition in workspace.known())
