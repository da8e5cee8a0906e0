"""A mistake at one step of a recorded program: its effect, and its description."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gradcli.answers.checks.culprit.step_texts import StepTexts
from gradcli.engine.traces.node import TraceNode
from gradcli.mathematics.language import Syntax

Says = Callable[[StepTexts], str]

# The implausibility of a mistake; of those that account for the components, the lowest is reported.
OF_A_SUM, OF_A_CONSTANT, OF_A_TERM, OF_A_PARTIAL, OF_A_PART, OF_AN_ARGUMENT, OF_THE_FUNCTION = -1, 0, 2, 4, 5, 6, 7


@dataclass(frozen=True)
class ArgumentContribution:
    """The contribution of one step to one of its arguments.

    Attributes:
        node, position: the step, and the position of the argument.
        operand: the value of the argument.
        cotangent: the sensitivity of the result to the step's value.
        pulled: the contribution to the argument's cotangent.
    """

    node: TraceNode
    position: int
    operand: Any
    cotangent: Any
    pulled: Any


@dataclass(frozen=True)
class Mistake:
    """A mistake at one step.

    Attributes:
        kind: identifies the same mistake at another step.
        order: its implausibility.
        says: makes the description.
        passes: for a mistake in the derivative, computes the wrong contribution to the argument.
        scales: the wrong factor on the contribution, if the mistake is one.
        computes: for a mistake in the function, computes the wrong value of the step from recorded values.
    """

    kind: tuple[Any, ...]
    order: int
    says: Says
    passes: Callable[[ArgumentContribution], Any] | None = None
    scales: float | None = None
    computes: Callable[..., Any] | None = None

    def contribution(self, passed: ArgumentContribution) -> Any:
        """The wrong contribution of a mistake in the derivative."""
        assert self.passes is not None
        return self.passes(passed) if self.scales is None else self.scales * passed.pulled

    @property
    def is_simple(self) -> bool:
        """Whether it multiplies a contribution by a number, omits a factor, or has another formula for a partial."""
        return self.scales is not None or self.kind[:1] in {("factor",), ("partial",)}


def scaled(kind: tuple[Any, ...], order: int, factor: float, says: Says) -> Mistake:
    """The mistake that multiplies the contribution to an argument by a number."""
    return Mistake(kind, order, says, lambda passed: factor * passed.pulled, factor)


def description(template: str, node: TraceNode, position: int = 0, **trees: Syntax) -> Says:
    """A description with the texts of a step in place of {step}, of its arguments in place of {0}, {1} and so on.

    The argument at a position is also {x}; `trees` are formulas in the arguments, by the names in the template.
    """

    def says(texts: StepTexts) -> str:
        operands = [text for text, _ in texts.operands(node)]
        formulas = {name: texts.formula(tree, node)[0] for name, tree in trees.items()}
        return template.format(*operands, step=texts.step(node)[0], x=operands[position], **formulas)

    return says


def fixed_text(text: str) -> Says:
    """A description that needs no texts of steps."""
    return lambda _: text


def in_iteration(mistake: Mistake, index: int, texts: StepTexts) -> str:
    """The description of a mistake that was made in one iteration of a loop, with the values in its subscripts."""
    text = mistake.says(texts)
    return text + texts.iteration(index, text)
