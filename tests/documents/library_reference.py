"""The page docs/reference/library.md: the signature and the docstring of every public name of the library."""

import inspect
import re
from collections.abc import Iterator
from functools import cached_property
from types import FunctionType
from typing import Any

import gradcli

SECTIONS = ("Args", "Attributes", "Raises", "Returns")
DOCUMENTED = (FunctionType, classmethod, staticmethod, property, cached_property)
LEFT_OUT = ("numpy", "queries")  # modules


def library() -> str:
    """The page."""
    opening = (
        "Every public name of `gradcli`, as `help(gradcli.grad)` shows it; [the library](../library.md) has examples."
    )
    names = [name for name in gradcli.__all__ if name not in LEFT_OUT]
    return (
        "\n\n".join(("# Signatures of the library", opening, *(text for name in names for text in entry(name)))) + "\n"
    )


def entry(name: str) -> Iterator[str]:
    """A public name; of a class, its methods and properties as well."""
    thing = getattr(gradcli, name)
    yield f"## gradcli.{name}"
    yield from described(f"gradcli.{name}", thing)
    for inner, member in members(thing) if inspect.isclass(thing) else ():
        yield f"### {name}.{inner}"
        yield from described(inner, member)


def members(kind: type) -> Iterator[tuple[str, Any]]:
    """The public methods and properties of a class that gradcli has documented, in alphabetical order."""
    for name in sorted(dir(kind)):
        home = next(base for base in kind.__mro__ if name in vars(base)) if not name.startswith("_") else object
        member = inspect.getattr_static(kind, name)
        if home.__module__.startswith("gradcli") and isinstance(member, DOCUMENTED):
            yield name, member


def described(title: str, thing: Any) -> Iterator[str]:
    """The call, and the docstring as Markdown."""
    function = getattr(thing, "__func__", thing)  # of a class method
    if callable(function) and not (inspect.isclass(thing) and issubclass(thing, Exception)):
        yield f"```text\n{title}{signature(function)}\n```"
    if text := inspect.getdoc(function):
        yield markdown(text)


def signature(function: Any) -> str:
    """The parameters with their defaults, without types and `self`."""
    parameters = inspect.signature(function).parameters.values()
    plain = [each.replace(annotation=inspect.Parameter.empty) for each in parameters if each.name != "self"]
    return str(inspect.Signature(plain))


def markdown(docstring: str) -> str:
    """A docstring in Google's style as Markdown: its sections are lists."""
    parts = re.split(rf"^({'|'.join(SECTIONS)}):\n", docstring, flags=re.MULTILINE)
    text = [parts[0].strip()]
    for title, body in zip(parts[1::2], parts[2::2], strict=True):
        indented = re.match(r"(?:(?:    .*)?\n?)*", body)
        assert indented is not None
        text += [f"**{title}**", items(inspect.cleandoc(indented[0]), title), body[indented.end() :].strip()]
    return "\n\n".join(part for part in text if part)


def items(body: str, title: str) -> str:
    """The entries of a section: a list of names with their meanings, or prose."""
    if title == "Returns":
        return body
    entries = re.split(r"\n(?=\S)", body)
    named = (re.sub(r"^([\w*, .]+):", r"`\1`:", entry) for entry in entries)
    return "\n".join("- " + re.sub(r"\s*\n\s*", " ", each) for each in named)
