"""A derived Python program: its text and functions, from which it is translated, and the points of its runs."""

from __future__ import annotations

import itertools
import linecache
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from gradcli.answers.derivation.file_text import Part
from gradcli.answers.derivation.reading.value_kind import ValueKind
from gradcli.shared.frozen_record import Frozen

_numbers = itertools.count(1)


def compiled(text: str, name: str, known: Mapping[str, Any] = MappingProxyType({})) -> Callable[..., Any]:
    """The function defined in a derived text, with source lines for tracebacks and `inspect`.

    `known` are global names that the text does not define.
    """
    file = f"<derived {name} {next(_numbers)}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": f"derived_{name}", **known}
    exec(compile(text, file, "exec"), scope)
    function: Callable[..., Any] = scope[name]
    return function


class PythonProgram(Frozen, eq=False):
    """A derived Python program.

    Args:
        name: the name of the derived function.
        text: the text of the file.
        parts: the functions of the file.
        arguments: the point, by parameter, with defaults.
        given: the parameters that the point names.
        inputs: the parameters that it is differentiated by.
        points: the points at which it is verified.
        command: the command that was typed.
        mode: `gradient`, `forward`, `jacobian` or `hessian`.
        value: whether it returns the value as well.
        sensitivities, kinds: for each variable of a gradient, the name of its sensitivity, and its kind.
    """

    name: str
    text: str
    parts: Sequence[Part]
    arguments: dict[str, Any]
    given: tuple[str, ...]
    inputs: tuple[str, ...]
    points: Sequence[list[Any]]
    command: str
    mode: str
    value: bool
    sensitivities: Mapping[str, str]
    kinds: Mapping[str, ValueKind]

    def function(self) -> Callable[..., Any]:
        """The derived function as a callable."""
        return compiled(self.text, self.name)

    @property
    def directed(self) -> tuple[str, ...]:
        """The inputs along which a product takes a direction, after its arguments; none in other modes."""
        return self.inputs if self.mode == "forward" else ()

    def calls(self) -> list[list[Any]]:
        """The arguments of a call at each point; the directions of a product are those of its inputs."""
        places = [list(self.arguments).index(input_) for input_ in self.directed]
        return [[*point, *(point[n] for n in places)] for point in self.points]
