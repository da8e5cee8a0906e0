"""A target: a function, its parameters and its origin."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

from gradcli.engine.code.stack_frames import is_ours_file
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.records.result_and_finding import Finding

if TYPE_CHECKING:
    from gradcli.mathematics.language import Syntax

Kind = Literal["positional", "variadic", "guessed", "keyword", "keywords"]


class Parameter(Frozen):
    """One parameter of a target.

    Args:
        name: the name as the user wrote it.
        required: whether a value must be given.
        default: the default value; meaningless if the parameter is required.
        kind: `positional`; `variadic` for `*args`; `guessed` for the arguments of a function without a known signature;
        `keyword` for a parameter after `*`; `keywords` for `**options`.
        annotation: the declared type, or that of the default; None if neither is known.
    """

    name: str
    required: bool = True
    default: Any = None
    kind: Kind = "positional"
    annotation: Any = None

    @property
    def many(self) -> bool:
        """Whether the parameter takes any number of positional values."""
        return self.kind in ("variadic", "guessed")

    def element(self, index: int) -> str:
        """The name of value number `index` of such a parameter: `args[0]`, or x, y, z, x4 for guessed ones."""
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
        name: the function's own name; for an expression, its shortened text.
        function: the callable; it takes the values of `parameters` by position, in that order.
        parameters: the parameters.
        rebind: makes the target whose function takes the named inputs; `with_inputs` calls it.
        reading: the expression as understood, such as `f(x, y) = 2*x + sin(y)`; None for a function.
        tree: the checked syntax of an expression; None for a function.
        file, line: the definition of a Python function, as far as it is known.
        findings: findings about the target before it runs.
        derivatives: the derivatives that the target brings, by kind, such as the `backward` of a PyTorch operation.
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
    derivatives: Mapping[str, Target] = MappingProxyType({})

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    @property
    def leaves_no_frame(self) -> bool:
        """Whether an error of the function may have no frame of the user's, as of a C function or of gradcli's own."""
        return self.tree is None and (self.file is None or is_ours_file(self.file))

    def with_inputs(self, names: Iterable[str]) -> Target:
        """The target whose function takes exactly these inputs, in this order; other parameters keep their defaults.

        `names` are those of a fitting point: `target.with_inputs(point).function(*point.values())` is the value. A
        constant of an expression becomes an input if it is among them.

        Raises:
            PointError: a name is not an input of the target.
        """
        inputs = tuple(names)
        plain = all(parameter.kind == "positional" for parameter in self.parameters)
        return self if plain and inputs == self.names else self.rebind(inputs)
