"""Formulas of nodes, as NumPy in the user's names: `2.0 * t_s`, `side_lengths[0]`, `sum(x, axis=0)`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import Any

import numpy as np

from gradcli.answers.explain.array_operation_text import array_text, call_text
from gradcli.answers.explain.numpy_names_and_constants import Writer, name_text
from gradcli.engine.traces.node import CONSTANT, TraceNode, TraceOutcome
from gradcli.engine.traces.trace import Trace
from gradcli.mathematics.language.formula_text import (
    ATOM,
    COMPARISON,
    PLAIN,
    POWER,
    PRODUCT,
    SIGN,
    SUM,
    Emitter,
    Inline,
    Piece,
    comparison,
    literal,
)
from gradcli.mathematics.language.syntax import Apply, Name, Number, fold
from gradcli.mathematics.rules.nondifferentiable import SIGNS
from gradcli.mathematics.rules.rule_types import Elementwise

POW = Inline("{0} ** {1}", POWER, (ATOM, SIGN))
LONGEST = 40  # characters of a formula that stands for an unnamed node

_INLINE = {
    **{name: inline for name, inline in PLAIN.inline.items() if name not in ("where", "logical_not")},
    "pow": POW,
    "pow_complex": POW,
    "reciprocal": Inline("1 / {0}", PRODUCT, (SIGN,)),
    "logical_and": Inline("{0} & {1}", COMPARISON, (ATOM, ATOM)),
    "logical_or": Inline("{0} | {1}", COMPARISON, (ATOM, ATOM)),
}


def emitter(writer: Writer) -> Emitter:
    """The emitter that writes the formula language as NumPy."""
    if writer.emitter is None:
        inline = _inline(writer.function("round"), writer.function("maximum"))
        writer.emitter = Emitter(inline, call=partial(call_text, writer))
    made: Emitter = writer.emitter
    return made


@cache
def _inline(rounded: str, larger: str) -> Mapping[str, Inline]:
    """Inline operations; the language's remainder is not NumPy's."""
    return {
        **_INLINE,
        "remainder": Inline(f"{{0}} - {{1}} * {rounded}({{0}} / {{1}})", SUM, (PRODUCT, SIGN)),
        "relu": Inline(f"{larger}({{0}}, 0)", ATOM, (0,)),
    }


def is_comparison(name: str) -> bool:
    """Whether an outcome's operation is written as a comparison sign."""
    return name in SIGNS


def outcome_question(writer: Writer, outcome: TraceOutcome, operand: Callable[[int, Any], Piece]) -> Piece:
    """The text of the question behind an outcome: `x > 1`, `round(x)`; `operand` writes an argument."""
    operands = [operand(*pair) for pair in zip(outcome.sources, outcome.operands, strict=True)]
    sign = SIGNS.get(outcome.name)
    return comparison(sign).write(operands) if sign and len(operands) == 2 else writer.call(outcome.name, *operands)


def formula(writer: Writer, node: TraceNode, names: Sequence[str]) -> str | None:
    """The formula of a node, with its operands by `names`; None for an input or a constant."""
    if not node.is_computed:
        return None
    operands = [
        writer.constant(value) if index == CONSTANT else name_text(names[index]) for index, value in node.arguments()
    ]
    return formula_of_operands(writer, node, operands)[0]


def formula_of_operands(writer: Writer, node: TraceNode, operands: list[Piece]) -> Piece:
    """The formula of a node, given the texts of its operands."""
    rule = node.rule
    if rule is None:  # an alias
        return operands[0]
    if isinstance(rule, Elementwise):
        return elementwise_text(writer, rule, operands)
    if rule.folds:
        return library_call(writer, node, operands)
    return operands[0] if changes_nothing(node) else array_text(writer, rule, operands, node.static, node.value)


def library_call(writer: Writer, node: TraceNode, operands: Sequence[Piece]) -> Piece:
    """A call of a library's function in the user's words; NumPy's without `np.`, as it is written elsewhere."""
    writer.mention(" ".join(part for part in node.static["call"] if isinstance(part, str)))
    text = "".join(part if isinstance(part, str) else operands[part][0] for part in node.static["call"])
    name = node.static["numpys"]
    shown = next((text.removeprefix(start) for start in ("np.", "numpy.") if text.startswith(f"{start}{name}(")), None)
    return (text if shown is None else f"{writer.function(name)}{shown.removeprefix(name)}"), ATOM


def changes_nothing(node: TraceNode) -> bool:
    """Whether a node converts to a dtype or shape that its operand already has, as NumPy does unasked."""
    x, v = node.operands[0], node.value
    if node.rule.casts:
        return np.ndim(x) == np.ndim(v) and np.asarray(x).dtype == np.asarray(v).dtype
    return bool(node.rule.moves) and "shape" in node.static and np.shape(x) == np.shape(v)


def elementwise_text(writer: Writer, rule: Elementwise, operands: list[Piece]) -> Piece:
    """The text of an elementwise operation: inline if the language writes it so, else a call by the rule's name."""
    target = emitter(writer)
    if inline := target.inline.get(rule.name):
        return inline.write(operands)
    tree = rule.value_tree
    if not (isinstance(tree, Apply) and tree.function == rule.name):
        return call_text(writer, rule.name, operands)
    by_name = dict(zip(rule.parameters, operands, strict=True))

    def leaf(node: Number | Name) -> Piece:
        return by_name[node.id] if isinstance(node, Name) else literal(node.value)

    return fold(tree, leaf, target.apply)


def node_texts(trace: Trace, writer: Writer) -> list[str]:
    """For each node, the user's name for it, else a short formula, else its number."""
    names: list[str] = []
    for node in trace.nodes:
        text = node.name or formula(writer, node, names)
        names.append(text if text and len(text) <= LONGEST else f"%{node.index}")
    return names
