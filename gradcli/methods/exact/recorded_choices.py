"""The choice that a step made at the recorded point, repeated on numbers in many digits.

If rounding made two numbers equal or changed their order, their maximum is replayed as it was recorded, because that is
the program that was differentiated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from gradcli.engine.traces.node import TraceNode
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.methods.exact import decimals
from gradcli.shared.float_errors import ignored_float_errors


def piece(rule: Elementwise, node: TraceNode, arguments: Sequence[Any]) -> Any:
    """The value of a node with a `piecewise` rule, on the piece that was recorded.

    `maximum`, which selects, has the value of the argument that it took; `abs`, which is signed, its argument with the
    sign that it got; a step such as `floor` the number that it was.
    """
    recorded = node.operands
    if rule.selects:
        return _nearest(node.value, _offered(recorded, 0.0), _offered(arguments, decimals.ZERO))
    if rule.signed:
        return arguments[0] * decimals.to_decimals(
            np.where(np.signbit(recorded[0]) == np.signbit(node.value), 1, -1)[()]
        )
    if len(arguments) == 1:
        return decimals.to_decimals(node.value)
    # At its jump, a step function takes its second argument
    return _where(np.equal(recorded[0], 0), arguments[1], decimals.to_decimals(node.value))


def _offered(arguments: Sequence[Any], zero: Any) -> tuple[Any, ...]:
    """The values among which a selecting rule chooses: its arguments, or its single argument and 0."""
    return tuple(arguments) if len(arguments) > 1 else (*arguments, zero)


def _nearest(v: Any, recorded: Sequence[Any], arguments: Sequence[Any]) -> Any:
    """The argument that was selected: the one nearest to the result, whose dtype may differ."""
    nearest, least = arguments[0], _distance(v, recorded[0])
    for x, argument in zip(recorded[1:], arguments[1:], strict=True):
        distance = _distance(v, x)
        nearest, least = _where(distance < least, argument, nearest), np.minimum(distance, least)
    return nearest


def _distance(v: Any, x: Any) -> Any:
    with ignored_float_errors():
        return np.nan_to_num(np.where(np.equal(v, x), 0.0, np.abs(np.subtract(v, x))), nan=np.inf)


def _where(condition: Any, x: Any, y: Any) -> Any:
    chosen = np.where(condition, x, y)
    return chosen if chosen.ndim else chosen.item()


def selected_cotangent(node: TraceNode, position: int, ct: Any) -> Any:
    """The cotangent of an argument of a selecting node; ties share equally."""
    distances = [_distance(node.value, x) for x in _offered(node.operands, 0.0)]
    least = np.minimum.reduce(np.broadcast_arrays(*distances))
    equal = sum((distance <= least).astype(int) for distance in distances)
    return _where(distances[position] <= least, ct / decimals.to_decimals(equal[()]), decimals.ZERO)


def extreme(rule: ArrayRule, node: TraceNode, values: Any, **static: Any) -> Any:
    """The value of `max` or `min` along axes: the number at the recorded index, the first of ties."""
    chosen = chosen_entries(values, node.operands[0], rule, **static)
    return chosen if np.ndim(chosen) else np.asarray(chosen, dtype=object).item()


def chosen_entries(values: Any, recorded: Any, rule: ArrayRule, *, axis: Any, keepdims: bool) -> Any:
    """The entries of the object array `values` where `recorded` has its extremes; the first of ties."""
    places = np.arange(np.size(recorded)).reshape(np.shape(recorded))
    first = np.min(np.where(_ties(rule, recorded, axis), places, np.size(recorded)), axis=axis, keepdims=keepdims)
    return np.asarray(values, dtype=object).ravel()[first]


def extreme_cotangent(rule: ArrayRule, node: TraceNode, ct: Any) -> Any:
    """The cotangent of the argument of `max` or `min`; recorded ties share equally."""
    recorded, static = node.operands[0], node.static
    ties = _ties(rule, recorded, static["axis"])
    whole = np.shape(rule.forward(recorded, axis=static["axis"], keepdims=True))
    ct = np.reshape(np.asarray(ct, dtype=object), whole)
    return np.where(ties, ct / decimals.to_decimals(np.sum(ties, axis=static["axis"], keepdims=True)), decimals.ZERO)


def _ties(rule: ArrayRule, recorded: Any, axis: Any) -> Any:
    return recorded == rule.forward(recorded, axis=axis, keepdims=True)
