"""What a target is: a function, the parameters that it takes, and where it came from."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Literal

from gradcli.record_base import Frozen
from gradcli.records import Finding

if TYPE_CHECKING:
    from gradcli.language import Syntax

Kind = Literal["positional", "variadic", "guessed", "keyword", "keywords"]


class Parameter(Frozen):
    """One parameter of a target.

    Args:
        name: as the user wrote it.
        required: whether a value has to be given.
        default: its value where none is given; of no meaning where it is required.
        kind: `positional`; `variadic` for `*args`; `guessed` for the arguments of a function that does not tell its
            signature; `keyword` for one after `*`; `keywords` for `**options`.
        annotation: the type that it is declared to have, or that its default has; None where neither is known.
    """

    name: str
    required: bool = True
    default: Any = None
    kind: Kind = "positional"
    annotation: Any = None

    @property
    def many(self) -> bool:
        """Whether it takes any number of positional values."""
        return self.kind in ("variadic", "guessed")

    def element(self, index: int) -> str:
        """The name of its value number `index`, where it takes many: `args[0]`, or x, y, z, x4 where it is guessed."""
        if self.kind == "variadic":
            return f"{self.name}[{index}]"
        return "xyz"[index] if index < 3 else f"x{index + 1}"

    def __str__(self) -> str:
        stars = {"variadic": "*", "keywords": "**"}.get(self.kind, "")
        return f"{stars}{self.name}" if self.required or stars or self.kind == "guessed" else f"{self.name}=…"


class Target(Frozen):
    """A function that the user named, ready to be called.

    Args:
        text: the target as typed.
        name: the function's own name; of an expression its text, shortened.
        function: takes the values of `parameters`, by position and in that order.
        parameters: what it takes.
        rebind: makes the target whose function takes the named inputs; `with_inputs` calls it.
        reading: how an expression was understood, such as `f(x, y) = 2*x + sin(y)`; None for a function.
        tree: the checked syntax of an expression; None for a function.
        file, line: where a Python function is defined, as far as that is known.
        findings: what is worth knowing of it before it runs.
    """

    text: str
    name: str
    function: Callable[..., Any]
    parameters: tuple[Parameter, ...]
    rebind: Callable[[tuple[str, ...]], Target]
    reading: str | None = None
    tree: Syntax | None = None
    file: str | None = None
    line: int | None = None
    findings: tuple[Finding, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    def with_inputs(self, names: Iterable[str]) -> Target:
        """The target whose function takes exactly these inputs, in this order, and all else by its default.

        `names` are those of a point that fits: `target.with_inputs(point).function(*point.values())` is the value.
        A constant of an expression that is among them becomes an input.

        Raises:
            PointError: a name that is no input of the target.
        """
        inputs = tuple(names)
        plain = all(parameter.kind == "positional" for parameter in self.parameters)
        return self if plain and inputs == self.names else self.rebind(inputs)
