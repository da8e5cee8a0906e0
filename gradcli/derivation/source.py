"""`derive`: a derived program as an object, verified before anybody gets it."""

from __future__ import annotations

import ast
import itertools
import linecache
import os
from collections.abc import Callable
from functools import cached_property
from typing import Any

from gradcli.derivation.deriving import HEADER, Derivation
from gradcli.derivation.operations import written
from gradcli.derivation.refusal import STRAIGHT
from gradcli.derivation.templates import text_of
from gradcli.derivation.verification import DerivedTrial, Verified
from gradcli.errors import InconclusiveError, UnsupportedError, UsageError
from gradcli.tape.arguments import name_of
from gradcli.targets import Target, as_point, resolve
from gradcli.targets.functions import function_target

_numbers = itertools.count(1)


class Source:
    """A derived program.

    Attributes:
        text: the whole file.
        name: what the function in it is called.
        verified: at how many points it agreed with the tape, and with differences.
    """

    def __init__(self, text: str, name: str, verified: Verified) -> None:
        self.text = text
        self.name = name
        self.verified = verified

    @cached_property
    def function(self) -> Callable[..., Any]:
        """The derived function, ready to be called."""
        return compiled(self.text, self.name)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the file; only over one that gradcli derived, or an empty one.

        Raises:
            UsageError: another file lies there, or the path cannot be written.
        """
        place = os.path.expanduser(os.fspath(path))
        if os.path.lexists(place) and not is_derived(place):
            raise UsageError(
                f"{str(path)!r} exists and is not derived by gradcli, so it was not written over.",
                hint="Choose another name.",
            )
        try:
            with open(place, "w", encoding="utf-8") as file:
                file.write(self.text)
        except (OSError, ValueError) as error:
            raise UsageError(f"{str(path)!r} cannot be written: {error}.", hint="Name another file.") from None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"<source of {self.name}, {len(self.text.splitlines())} lines>"


def is_derived(place: str) -> bool:
    """Whether a file was derived by gradcli, or holds nothing."""
    try:
        with open(place, encoding="utf-8") as file:
            head = file.readline()
    except (OSError, UnicodeDecodeError):
        return False
    return not head or head.startswith(HEADER)


def compiled(text: str, name: str) -> Callable[..., Any]:
    """The function that a derived text defines; its lines are found by tracebacks and by `inspect`."""
    file = f"<derived {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": f"derived_{name}"}
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


def derive(f: Callable[..., Any] | str, *, at: Any, value: bool = False) -> Source:
    """Write the gradient of a function as a Python function of its own, which needs no gradcli.

    Args:
        f: a plain Python function that returns one number, or a target as text.
        at: a point, as for `check`.  What is an array there, and of how many axes, is so in the derived program; sizes
            may differ.
        value: return the value too, before the gradient.

    Returns:
        A Source: `str()` of it is the file, `.function` the function, `.save(path)` writes it.  The function takes what
        `f` takes and returns the gradient by the one input, or a tuple of those by several.

    Raises:
        UnsupportedError: the function cannot be derived; the construct is named, with its line.
        ResultError: it does not return one number.
        InconclusiveError: nothing could be said of the derived program at any point that was tried.
        InternalError: the derived program is wrong, which is a fault of ours.
    """
    target = resolve(f) if isinstance(f, str) else function_target(name_of(f), name_of(f), f)
    point = dict(as_point(at, target))
    return derived(target, point, f"gradcli.derive({target.name}, at=…)", value=value)


def derived(target: Target, point: dict[str, Any], command: str, *, value: bool = False) -> Source:
    """The same of a target at a point by name, with the command that the file shall carry."""
    function = target.function if target.tree is None else typed(target, tuple(point))
    derivation = Derivation(function, point, command, None if target.tree is None else target.name)
    text = derivation.gradient(with_value=value)
    name = f"grad_{derivation.user.name}"
    found = compiled(text, name)
    places = [derivation.user.parameters.index(each) for each in derivation.inputs]
    alone = (lambda *arguments: found(*arguments)[1]) if value else found
    verified = DerivedTrial(function, alone, places).at(derivation.points)
    if not verified.by_tape and not verified.by_differences:
        raise InconclusiveError(
            f"at none of {len(derivation.points)} points could the derived program be compared",
            hint="Nothing was written. Choose a point at which the value and the gradient are finite.",
        )
    return Source(text, name, verified)


def typed(target: Target, inputs: tuple[str, ...]) -> Callable[..., Any]:
    """A typed expression as a Python function with a source.

    Raises:
        UnsupportedError: a function in it has no written form on numbers.
    """
    assert target.tree is not None
    constants = getattr(target.function, "constants", {})
    names = {each: ast.Name(each, ast.Load()) for each in inputs}
    numbers = {name: ast.Constant(value) for name, value in constants.items() if isinstance(value, (int, float))}
    try:
        body = text_of(written(target.tree, {**names, **numbers}, on_arrays=False))
    except UnsupportedError as error:
        raise UnsupportedError(error.message, hint=STRAIGHT) from None
    text = f"import math\n\n\ndef f({', '.join(inputs)}):\n    return {body}\n"
    return compiled(text, "f")
