"""The text of a derived file: a header, the prelude, and the functions."""

from __future__ import annotations

import ast
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from gradcli.answers.derivation.file_prelude import Prelude
from gradcli.answers.derivation.function_text import Layout
from gradcli.answers.derivation.passes.bound_and_free_names import free_names
from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.passes.sums_of_given_objects import with_new_sums
from gradcli.answers.derivation.syntax_trees import filled

HEADER = "# Derived by gradcli"


class Part(NamedTuple):
    """A function of a derived file: its name, its user function, its parameters, its docstring and its body."""

    name: str
    user: Any
    parameters: str
    docstring: list[str]
    body: Statements


def file_text(command: str, parts: Sequence[Part]) -> str:
    """The text of a file with some functions; its first line is the command that made it."""
    own = {name for name, *_ in parts}
    surroundings = Prelude()
    texts: list[list[str]] = []
    for name, user, parameters, docstring, body in parts:
        bound = {part.split("=")[0].strip() for part in parameters.split(",")}
        free = (free_names(body) | ({"np"} if "np." in parameters else set())) - bound  # in a default
        written = surroundings.add(free, user, own)
        renamed = [filled(statement, written) for statement in body] if written else body
        renamed = with_new_sums(renamed, bound | free)
        comments = user.comments if not name.startswith("backward_") else {}
        layout = Layout(lambda line, user=user: user.text(ast.Constant(0, lineno=line)), comments)  # type: ignore[misc]
        texts.append(layout.function(name, parameters, docstring, renamed))
    lines = [f"{HEADER} {version()}: {command}", ""]
    around = surroundings.lines()
    lines += [*around, "", ""] if around else [""]
    for n, text in enumerate(texts):
        lines += [*(["", ""] if n else []), *text]
    return "\n".join(lines).rstrip() + "\n"


def body_of(lines: Sequence[str]) -> Statements:
    """The statements of a function body from its lines."""
    text = "\n".join(["def f():", *(f"    {line}" for line in lines)])
    body: Statements = ast.parse(text).body[0].body  # type: ignore[attr-defined]
    return body


LINE = 76  # characters of a line of a docstring; with its indent it fits a terminal


def docstring_text(first: str, more: str) -> list[str]:
    """A docstring: a title, and the meaning of the names."""
    return [*textwrap.wrap(f"{first}.", LINE), "", *textwrap.wrap(more, LINE)]


def version() -> str:
    """The version of gradcli."""
    version_text: str = sys.modules[__name__.partition(".")[0]].__version__
    return version_text


def list_text(names: Sequence[str]) -> str:
    """Names as a list in a sentence."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)
