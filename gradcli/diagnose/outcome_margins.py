"""How far a run is from taking another path, and whether it stands at a switch or a kink."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.pytree import leaves
from gradcli.rules.array_rule import ArrayRule
from gradcli.rules.rule_types import Elementwise
from gradcli.tape.accumulation import UNTOUCHED
from gradcli.traces.node import CONSTANT, TEXT, TraceNode, TraceOutcome
from gradcli.traces.trace import Trace
from gradcli.traces.traversal import Diverged


def to_whole(x: Any) -> Any:
    """The distance to the nearest whole number."""
    return x - np.rint(x)


# How far the operands of an outcome are from where it changes.
MARGINS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(
        ("lt", "le", "gt", "ge", "eq", "ne", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal"),
        operator.sub,
    ),
    **dict.fromkeys(("floor", "ceil", "trunc", "fix", "int", "index", "astype"), to_whole),
    **dict.fromkeys(("round", "rint", "around"), lambda x: to_whole(x - 0.5)),
    "floordiv": lambda x, y: to_whole(x / y),
    "bool": lambda x: x,
}


FINEST = 24  # times that a distance is cut to a quarter before it is taken as it was


# To the number above, to the one below, and neighbours in opposite ways, which turns a tie.
WAYS = ((1.0,), (-1.0,), (1.0, -1.0), (-1.0, 1.0))

# What orders the numbers of an array, so that any two of them may be a tie.
ORDERING = frozenset({"argmax", "argmin", "argsort", "argpartition", "lexsort", "nanargmax", "nanargmin", "unique"})


def at_switch(trace: Trace) -> bool:
    """Whether the run stands where the smallest move changes an outcome, or at a kink of a rule."""
    return next(turning(trace), None) is not None or next(nodes_at_kink(trace), None) is not None


def turning(trace: Trace) -> Iterator[int]:
    """The numbers of the outcomes that the smallest move changes; a text, which it always changes, decides nothing."""
    return (number for number, outcome in enumerate(trace.outcomes) if outcome.name != TEXT and _turns(outcome))


def turning_branch(trace: Trace) -> int | None:
    """The first comparison of the program that the smallest move turns; None where none does."""
    compared = (n for n, outcome in enumerate(trace.outcomes) if MARGINS.get(outcome.name) is operator.sub)
    return next((n for n in compared if not np.ndim(trace.outcomes[n].told) and _turns(trace.outcomes[n])), None)


def _turns(outcome: TraceOutcome) -> bool:
    for signs in _ways(outcome):
        pairs = zip(outcome.sources, outcome.operands, strict=True)
        moved = [x if i == CONSTANT else _nudged(x, signs, place) for place, (i, x) in enumerate(pairs)]
        try:
            if not np.allclose(outcome.function(*moved), outcome.told, rtol=1e-9, atol=0.0, equal_nan=True):
                return True
        except (ArithmeticError, ValueError, TypeError, IndexError):
            return True
    return False


def _ways(outcome: TraceOutcome) -> Iterator[tuple[float, ...]]:
    """The signs of the moves; two numbers of an array that is ordered go opposite ways in one of them."""
    yield from WAYS
    size = max(map(np.size, outcome.operands)) if outcome.name in ORDERING else 0
    for block in (2**n for n in range(1, max(size - 1, 0).bit_length())):
        yield (1.0,) * block + (-1.0,) * block
        yield (-1.0,) * block + (1.0,) * block


def _nudged(x: Any, signs: tuple[float, ...], place: int) -> Any:
    """The next number in the direction of the signs, which repeat over an array and are turned for a second operand."""
    if np.iscomplexobj(x):
        return _nudged(np.real(x), signs, place) + 1j * _nudged(np.imag(x), signs, place)
    turned = np.array(signs) * (-1.0) ** place
    ways = np.resize(turned, np.shape(x)).astype(np.result_type(x)) * math.inf
    moved = np.nextafter(x, ways)
    return float(moved) if type(x) is float else moved


def nodes_at_kink(trace: Trace) -> Iterator[int]:
    """The nodes whose rule has no one derivative at its operands for what the result makes of them."""
    kinked = [node for node in trace.nodes if node.rule is not None and node.rule.kink]
    asked = any(isinstance(node.rule, ArrayRule) for node in kinked)
    with np.errstate(all="ignore"):
        cotangents = trace.cotangents() if asked else [UNTOUCHED] * len(trace.nodes)
    return (node.index for node in kinked if node_at_kink(node, cotangents[node.index]))


def node_at_kink(node: TraceNode, cotangent: Any) -> bool:
    """Whether the rule of a node has no one derivative at its operands, where its result has this cotangent."""
    rule = node.rule
    if rule is None or not rule.kink:
        return False
    if isinstance(rule, Elementwise):
        return bool(np.any(rule.at_kink(node.value, *node.operands)))
    if cotangent is UNTOUCHED:
        return False
    return bool(rule.kink(np.broadcast_to(cotangent, np.shape(node.value)), node.value, *node.operands, **node.static))


def reach(trace: Trace, direction: Mapping[int, Any], bending: Sequence[int] = ()) -> float:
    """How far the point can move in a direction before an outcome changes, to first order; infinite where none does.

    The direction is given for some of the numbers and arrays of the point, by their count; a kink of one of the nodes
    `bending` counts as an outcome does.
    """
    if not trace.outcomes and not bending:
        return math.inf
    distances = _distances(trace, direction, bending)
    return min(distances, default=math.inf)


def nearest_bend(trace: Trace, direction: Mapping[int, Any], bending: Sequence[int]) -> int:
    """Which of the nodes `bending` is at its kink first when the point moves in a direction."""
    distances = _distances(trace, direction, bending)[-len(bending) :]
    return min(zip(distances, bending, strict=True), default=(math.inf, bending[0]))[1]


def _distances(trace: Trace, direction: Mapping[int, Any], bending: Sequence[int]) -> list[float]:
    """How far it is to each outcome, then to the kink of each of the nodes; none where that cannot be told."""
    moves = {index: direction.get(leaf, 0.0) for leaf, index in enumerate(trace.input_indices())}
    try:
        moving = trace.tangents(moves)
    except (ArithmeticError, ValueError, TypeError, LookupError):
        return []
    with np.errstate(all="ignore"):
        to_outcomes = [_distance(outcome, moving) for outcome in trace.outcomes]
        return to_outcomes + [_to_kink(trace.nodes[index], moving) for index in bending]


MOST_BENDS = 64  # numbers of an array: of more there is always one near its kink


def bends(trace: Trace) -> list[int]:
    """The nodes that bend, somewhere, and are not too large to be looked at."""
    return [node.index for node in trace.nodes if np.size(node.value) <= MOST_BENDS and meeting(node)]


def meeting(node: TraceNode) -> tuple[tuple[int, ...], ...]:
    """The arguments of a node between which the pieces of its rule meet; none for complex numbers."""
    rule = node.rule
    return rule.meeting if isinstance(rule, Elementwise) and not np.iscomplexobj(node.value) else ()


def _to_kink(node: TraceNode, moving: list[Any]) -> float:
    """How far along the direction to the nearest kink of a node."""
    speeds = [0.0 if index == CONSTANT else moving[index] for index in node.sources]
    return min(_used_up(apart(node.operands, pair), apart(speeds, pair)) for pair in meeting(node))


def apart(values: Sequence[Any], pair: tuple[int, ...]) -> Any:
    """The difference of two of some values, or one of them alone: it is 0 at a kink."""
    first, *second = (values[position] for position in pair)
    return np.subtract(first, second[0] if second else 0.0)


def confirmed(trace: Trace, at: Callable[[float], list[Any]], distance: float, longest: float) -> float:
    """A distance to the next outcome, shortened where margins are used up faster than their speeds at the point say.

    Args:
        trace: the run, which does not stand at a switch.
        at: the arguments of the function so far along the direction.
        distance: to first order, as `reach` gives it.
        longest: no step will be longer than this, nor than half of the distance.

    Returns:
        Twice the longest step, to both sides, at whose ends every outcome is as recorded.  Costs two replays where the
        first order is right.
    """
    step = first = min(0.5 * distance, longest)
    for _ in range(FINEST):
        if all(_same_outcomes(trace, at(way * step)) for way in (1.0, -1.0)):
            return distance if step == first else 2.0 * step
        step *= 0.25
    return distance


def _same_outcomes(trace: Trace, arguments: list[Any]) -> bool:
    """Whether the nodes, played blindly at other arguments, give the program the same yes, no and whole numbers."""
    given = (x if hasattr(x, "dtype") or isinstance(x, complex) else float(x) for x in leaves(arguments))
    try:
        values = trace.values_at(dict(zip(trace.input_indices(), given, strict=True)), blindly=True)
        with np.errstate(all="ignore"):
            return not any(_differs(outcome, values) for outcome in trace.outcomes)
    except (Diverged, ArithmeticError, ValueError, TypeError, LookupError):  # off the domain there is no value either
        return True


def _differs(outcome: TraceOutcome, values: list[Any]) -> bool:
    if outcome.name not in MARGINS and np.result_type(outcome.told).kind != "b":
        return False
    return not np.array_equal(outcome.again(values), outcome.told)


def _distance(outcome: TraceOutcome, moving: list[Any]) -> float:
    """How far along the direction until the margin of an outcome is used up; of several numbers the nearest."""
    name, operands = outcome.name, outcome.operands
    if name not in MARGINS:
        return math.inf
    try:
        margin = MARGINS[name](*operands)
        speeds = [0.0 if index == CONSTANT else moving[index] for index in outcome.sources]
        speed = speeds[0] - speeds[1] if MARGINS[name] is operator.sub else _speed(name, operands, speeds)
    except (ArithmeticError, TypeError, ValueError):
        return math.inf
    return _used_up(margin, speed)


def _used_up(margin: Any, speed: Any) -> float:
    """After how long the nearest of some margins is used up at these speeds; infinite where none is."""
    if np.iscomplexobj(margin) or np.iscomplexobj(speed):
        return math.inf
    distances = np.abs(np.divide(margin, speed, dtype=float))
    distances = distances[np.isfinite(distances) & (distances > 0)]
    return float(np.min(distances, initial=math.inf))


def _speed(name: str, operands: tuple[Any, ...], speeds: list[Any]) -> Any:
    if name != "floordiv":
        return speeds[0]
    x, y = operands
    return (speeds[0] - x / y * speeds[1]) / y
