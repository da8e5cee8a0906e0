"""The distance of a run from another path, and whether it is at a branch point or a kink."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from gradcli.engine.solvers.implicit_differentiation import ROOT, START
from gradcli.engine.tape.accumulation import UNTOUCHED
from gradcli.engine.tape.equal_operands import is_close_to_equal, is_small_distance
from gradcli.engine.traces.node import CONSTANT, STOP_GRADIENT, TEXT, TraceNode, TraceOutcome, ancestors, descendants
from gradcli.engine.traces.trace import Trace
from gradcli.engine.traces.trace_replay import UNABLE, Diverged
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.rule_types import Elementwise
from gradcli.mathematics.rules.scipy_internals.integrator_step_sizes import STEP
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.pytree import leaves


def to_whole(x: Any) -> Any:
    """The distance to the nearest integer."""
    return x - np.rint(x)


# Outcomes that compare two operands.
RELATIONS = frozenset((
    "lt", "le", "gt", "ge", "eq", "ne", "less", "less_equal", "greater", "greater_equal", "equal", "not_equal",
))  # fmt: skip
# Outcomes that round a number: where one changes, the value jumps, and the formula on either side is the same.
ROUNDINGS: dict[str, Callable[..., Any]] = {
    **dict.fromkeys(("floor", "ceil", "trunc", "fix", "int", "index", "astype"), to_whole),
    **dict.fromkeys(("round", "rint", "around"), lambda x: to_whole(x - 0.5)),
    "floordiv": lambda x, y: to_whole(x / y),
}
# The distance of an outcome's operands from values where the outcome changes.
MARGINS: dict[str, Callable[..., Any]] = {**dict.fromkeys(RELATIONS, operator.sub), **ROUNDINGS, "bool": lambda x: x}


# Outcomes that change with their operands, while the run keeps its path.
_PATHLESS = frozenset((TEXT, ROOT, START, STEP, STOP_GRADIENT))

FINEST = 24  # the most times that a distance is quartered before it is accepted


# To the next number above, to the one below, and neighbours in opposite directions, which breaks a tie.
WAYS = ((1.0,), (-1.0,), (1.0, -1.0), (-1.0, 1.0))

# Functions that sort the elements of an array, any two of which may be tied.
ORDERING = frozenset({"argmax", "argmin", "argsort", "argpartition", "lexsort", "nanargmax", "nanargmin", "unique"})


def at_switch(trace: Trace) -> bool:
    """Whether the smallest change of the inputs changes an outcome, or the run is at a kink of a rule."""
    return next(changing_outcomes(trace), None) is not None or next(nodes_at_kink(trace), None) is not None


def changing_outcomes(trace: Trace) -> Iterator[int]:
    """Yield the outcomes that the smallest change of the inputs changes.

    Texts always change, and numbers that are held constant change without another path; both are excluded, and so are
    outcomes of numbers that no input changes.
    """
    moving: set[int] = set()
    for n, outcome in enumerate(trace.outcomes):
        if outcome.name not in _PATHLESS and _turns(outcome):
            moving = moving or descendants(trace.nodes, trace.input_indices())
            if not moving.isdisjoint(outcome.sources):
                yield n


def outcomes_close_to_equal(trace: Trace) -> Iterator[int]:
    """Yield the outcomes that hold for equal operands and their neighbours within a tolerance, such as `allclose`."""
    return (n for n, outcome in enumerate(trace.outcomes) if is_close_to_equal(outcome.name, outcome.operands))


def outcomes_within_tolerance(trace: Trace) -> Iterator[int]:
    """Yield those outcomes, and comparisons of a distance of 0 with a constant tolerance."""
    yield from outcomes_close_to_equal(trace)
    compared = ((n, outcome) for n, outcome in enumerate(trace.outcomes) if CONSTANT in outcome.sources)
    yield from (n for n, outcome in compared if is_small_distance(outcome.name, outcome.operands))


def turning_branch(trace: Trace) -> int | None:
    """The first comparison that the smallest change of the inputs reverses; None if there is none."""
    compared = (n for n, outcome in enumerate(trace.outcomes) if outcome.name in RELATIONS)
    return next((n for n in compared if not np.ndim(trace.outcomes[n].answer) and _turns(trace.outcomes[n])), None)


def _turns(outcome: TraceOutcome) -> bool:
    for signs in _ways(outcome):
        pairs = zip(outcome.sources, outcome.operands, strict=True)
        moved = [x if i == CONSTANT else _nudged(x, signs, place) for place, (i, x) in enumerate(pairs)]
        try:
            if not np.allclose(outcome.function(*moved), outcome.answer, rtol=1e-9, atol=0.0, equal_nan=True):
                return True
        except UNABLE:
            return True
    return False


def _ways(outcome: TraceOutcome) -> Iterator[tuple[float, ...]]:
    """Yield the signs of the changes. Any two sorted elements move in opposite directions in one of them."""
    yield from WAYS
    size = max(map(np.size, outcome.operands)) if outcome.name in ORDERING else 0
    for block in (2**n for n in range(1, max(size - 1, 0).bit_length())):
        yield (1.0,) * block + (-1.0,) * block
        yield (-1.0,) * block + (1.0,) * block


def _nudged(x: Any, signs: tuple[float, ...], place: int) -> Any:
    """The neighbouring number in the direction of the signs, which repeat over an array and alternate by operand."""
    if np.iscomplexobj(x):
        return _nudged(np.real(x), signs, place) + 1j * _nudged(np.imag(x), signs, place)
    turned = np.array(signs) * (-1.0) ** place
    ways = np.resize(turned, np.shape(x)).astype(np.result_type(x)) * math.inf
    moved = np.nextafter(x, ways)
    return float(moved) if type(x) is float else moved


def nodes_at_kink(trace: Trace) -> Iterator[int]:
    """The nodes whose rule has no unique derivative at their operands, given their use in the result.

    A continuous rule on the way to outcomes alone changes none of them: its kink does not matter.
    """
    kinked = [node for node in trace.nodes if node.rule is not None and node.rule.kink]
    kinked = [*_used(trace, kinked), *(node for node in kinked if node.rule.jumps or node.rule.step)]
    asked = any(isinstance(node.rule, ArrayRule) for node in kinked)
    with ignored_float_errors():
        cotangents = trace.cotangents() if asked else [UNTOUCHED] * len(trace.nodes)
    at_kink = {node.index for node in kinked if node_at_kink(node, cotangents[node.index])}
    return iter(sorted(at_kink))


def node_at_kink(node: TraceNode, cotangent: Any) -> bool:
    """Whether the rule of a node has no unique derivative at its operands, given the cotangent of its result."""
    rule = node.rule
    if rule is None or not rule.kink:
        return False
    if isinstance(rule, Elementwise):
        return bool(np.any(rule.at_kink(node.value, *node.operands)))
    if cotangent is UNTOUCHED:
        return False
    return bool(rule.kink(np.broadcast_to(cotangent, np.shape(node.value)), node.value, *node.operands, **node.static))


def nearest_change(trace: Trace, moving: Mapping[int, Any] | None, bending: Sequence[int]) -> float:
    """The distance that the point can move in a direction before an outcome changes, to first order; may be infinite.

    The direction is given by its `moving_operands`. Kinks of the nodes `bending` count like outcomes.
    """
    return min(_distances(trace, moving, bending), default=math.inf)


def moving_operands(trace: Trace, direction: Mapping[int, Any], bending: Sequence[int]) -> dict[int, Any] | None:
    """The tangents along a direction of the nodes that outcomes and the nodes `bending` compare; None without any.

    The direction is given for some of the leaves of the point, by position.
    """
    needed = {index for outcome in trace.outcomes if outcome.name in MARGINS for index in outcome.sources}
    needed.update(index for bend in bending for index in trace.nodes[bend].sources)
    needed.discard(CONSTANT)
    if not needed:
        return {}
    moves = {index: direction.get(leaf, 0.0) for leaf, index in enumerate(trace.input_indices())}
    try:
        moving = trace.tangents(moves)
    except UNABLE:
        return None
    return {index: moving[index] for index in needed}


def nearest_bend(trace: Trace, direction: Mapping[int, Any], bending: Sequence[int]) -> int:
    """The first of the nodes `bending` to reach its kink when the point moves in a direction."""
    distances = _distances(trace, moving_operands(trace, direction, bending), bending)[-len(bending) :]
    return min(zip(distances, bending, strict=True), default=(math.inf, bending[0]))[1]


def _distances(trace: Trace, moving: Mapping[int, Any] | None, bending: Sequence[int]) -> list[float]:
    """The distances to each outcome, then to the kink of each node; empty if they cannot be computed."""
    if moving is None:
        return []
    with ignored_float_errors():
        to_outcomes = [_distance(outcome, moving) for outcome in trace.outcomes]
        return to_outcomes + [_to_kink(trace.nodes[index], moving) for index in bending]


MOST_BENDS = 64  # elements; in larger arrays some element is always near its kink


def kink_nodes(trace: Trace) -> list[int]:
    """The nodes on the way to a result that can have a kink and are small enough to examine."""
    bent = [node for node in trace.nodes if kink_arguments(node) and np.size(node.value) <= MOST_BENDS]
    return [node.index for node in _used(trace, bent)]


def _used(trace: Trace, nodes: Sequence[TraceNode]) -> list[TraceNode]:
    """Those of some nodes that a result depends on, other than through outcomes."""
    results = [index for index in trace.result_indices() if index is not None]
    used = ancestors(trace.nodes, *results) if nodes else ()
    return [node for node in nodes if node.index in used]


def kink_arguments(node: TraceNode) -> tuple[tuple[int, ...], ...]:
    """The arguments whose comparison defines the kink of a node; empty for complex numbers."""
    rule = node.rule
    return rule.meeting if isinstance(rule, Elementwise) and rule.meeting and not np.iscomplexobj(node.value) else ()


def _to_kink(node: TraceNode, moving: Mapping[int, Any]) -> float:
    """The distance along the direction to the nearest kink of a node."""
    speeds = [0.0 if index == CONSTANT else moving[index] for index in node.sources]
    return min(
        _used_up(kink_distance(node.operands, pair), kink_distance(speeds, pair)) for pair in kink_arguments(node)
    )


def kink_distance(values: Sequence[Any], pair: tuple[int, ...]) -> Any:
    """The difference of two of some values, or one of them alone. It is 0 at a kink."""
    first, *second = (values[position] for position in pair)
    return np.subtract(first, second[0] if second else 0.0)


def confirmed(trace: Trace, at: Callable[[float], list[Any]], distance: float, longest: float) -> float:
    """A distance to the next outcome, shortened if an outcome changes earlier than first order predicts.

    Args:
        trace: the run, which is not at a branch point.
        at: returns the arguments of the function at a distance along the direction.
        distance: to first order, as `nearest_change` returns it.
        longest: no step will be longer than this, nor than half the distance.

    Returns:
        Twice the longest step at whose ends, on both sides, every outcome is as recorded. It costs two replays if first
        order is right.
    """
    step = first = min(0.5 * distance, longest)
    for _ in range(FINEST):
        if all(_same_outcomes(trace, at(way * step)) for way in (1.0, -1.0)):
            return distance if step == first else 2.0 * step
        step *= 0.25
    return distance


def _same_outcomes(trace: Trace, arguments: list[Any]) -> bool:
    """Whether a blind replay at other arguments gives the same truth values and integers."""
    given = (x if hasattr(x, "dtype") or isinstance(x, complex) else float(x) for x in leaves(arguments))
    try:
        values = trace.values_at(dict(zip(trace.input_indices(), given, strict=True)), blindly=True)
        with ignored_float_errors():
            return not any(_differs(outcome, values) for outcome in trace.outcomes)
    except (Diverged, *UNABLE):  # outside the domain there is no value
        return True


def _differs(outcome: TraceOutcome, values: list[Any]) -> bool:
    if outcome.name not in MARGINS and np.result_type(outcome.answer).kind != "b":
        return False
    return not np.array_equal(outcome.again(values), outcome.answer)


def _distance(outcome: TraceOutcome, moving: Mapping[int, Any]) -> float:
    """The distance along the direction at which an outcome changes; for an array, the smallest."""
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
    """The smallest distance at which a margin becomes zero at these speeds; infinite if none does."""
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
