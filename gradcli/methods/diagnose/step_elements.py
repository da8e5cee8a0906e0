"""One element of a step: its operands, its text, its path from the inputs. Findings are made of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from gradcli.engine.traces.node import TraceNode, ancestors, descendants
from gradcli.engine.traces.trace import Trace
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import value_text

INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/", "pow": "**", "mod": "%"}
MOST_NUMBERS = 4  # the most elements of an array that are written out
MOST_NAMES = 6  # the most names of a path that are written out


class StepElement(Frozen):
    """One element of a step of the trace: `place` is its index in the step's result, empty for a number."""

    trace: Trace
    index: int
    place: tuple[int, ...] = ()

    @property
    def node(self) -> TraceNode:
        """The step, with its name and line."""
        return self.trace.nodes[self.index]

    @property
    def value(self) -> float:
        """The element."""
        return self.of(self.node.value)

    def of(self, x: Any) -> float:
        """The element at this place of an operand or partial, broadcast to the shape of the step."""
        number = np.broadcast_to(x, np.shape(self.node.value))[self.place]
        number = number.item() if isinstance(number, (np.generic, np.ndarray)) else number  # a huge int is neither
        return number if isinstance(number, complex) else float(number)  # type: ignore[return-value]

    @property
    def operands(self) -> list[float]:
        """The numbers from which an elementwise step computed the element."""
        return [self.of(x) for x in self.node.operands]

    @property
    def name(self) -> str:
        """The element's name: the user's variable and the index; the node's number if it has no name."""
        place = f"[{','.join(map(str, self.place))}]" if self.place else ""
        return f"{self.node.name or f'%{self.index}'}{place}"

    def written(self) -> str:
        """The element and its operation, such as `t = log(-1.0) = nan`."""
        made = applied(self.node.operation, self.node.operands if self.is_whole else self.operands)
        named = f"{self.name} = " if self.node.name else ""
        return f"{named}{made} = {self.value}"

    @property
    def is_whole(self) -> bool:
        """Whether the step is an operation on whole arrays and not elementwise."""
        return not hasattr(self.node.rule, "partials")

    def places(self) -> dict[str, Any]:
        """The place of the element, as a finding stores it."""
        return {"file": self.node.file, "line": self.node.line, "node": self.index}


def applied(operation: str, operands: Iterable[Any]) -> str:
    """An operation on numbers as text: `log(-1.0)`, `0.0 / 0.0`; an array is given by its elements or its shape."""
    texts = [brief(x) for x in operands]
    if operation in INFIX and len(texts) == 2:
        left, right = (f"({text})" if text.startswith("-") else text for text in texts)
        return f"{left} {INFIX[operation]} {right}"
    return f"{operation}({', '.join(texts)})"


def inexact_array(x: Any) -> Any:
    """A value as an array of floating-point or complex numbers."""
    numbers = np.asarray(x)
    return numbers if numbers.dtype.kind in "fc" else numbers.astype(float)


def brief(x: Any) -> str:
    """A number, the elements of a small array, or the shape of a larger one."""
    return value_text(inexact_array(x), MOST_NUMBERS)


def first_place(wrong: Any) -> tuple[int, ...]:
    """The index of the first True element."""
    return tuple(int(n) for n in np.argwhere(wrong)[0]) if np.ndim(wrong) else ()


def path_text(trace: Trace, index: int) -> list[str]:
    """The names from an input to a node, along the first operands that depend on one; a long path has a gap."""
    moving = descendants(trace.nodes[: index + 1], trace.input_indices())
    names: list[str] = []
    here: int | None = index
    while here is not None:
        node = trace.nodes[here]
        if node.name:
            names.append(node.name)
        here = next((at for at in node.inputs if at in moving), None)
    names = list(dict.fromkeys(reversed(names)))
    return names if len(names) <= MOST_NAMES else [*names[:2], "…", *names[2 - MOST_NAMES :]]


def sources(trace: Trace, index: int) -> set[int]:
    """The inputs on which a node depends."""
    return {at for at in ancestors(trace.nodes, index) if not trace.nodes[at].inputs}


def node_names(trace: Trace, indices: Iterable[int]) -> str:
    """The names of some nodes in order, as a clause; empty if none has a name."""
    names = [name for index in sorted(indices) if (name := trace.nodes[index].name)]
    shown = names[:MOST_NAMES] + ([f"{len(names) - MOST_NAMES} more"] if len(names) > MOST_NAMES else [])
    return " and ".join(filter(None, [", ".join(shown[:-1]), *shown[-1:]]))


def numbers(lane: StepElement) -> dict[str, float]:
    """The numbers of an elementwise step, as a finding stores them."""
    parameters: Iterator[str] = iter(getattr(lane.node.rule, "parameters", ()))
    operands = {} if lane.is_whole else dict(zip(parameters, lane.operands, strict=False))
    by_name = {**operands, "value": lane.value}
    return {name: number for name, number in by_name.items() if not isinstance(number, complex)}
