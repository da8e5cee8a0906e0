"""The case that a check compares: a function, a point, its numbers, and one recorded run."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.answers.checks.problem.hessian_by_values import SlopeAlong
from gradcli.answers.checks.problem.same_integrator_steps import with_same_steps
from gradcli.answers.checks.problem.time_budget import NoMoreCalls
from gradcli.answers.targets import Target
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.tape.singular_rows import largest_cotangent
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.engine.traces.trace_replay import UNABLE
from gradcli.errors import GradcliError, ResultError, TapeError
from gradcli.mathematics.rules.scipy_internals.integrator_step_sizes import STEP
from gradcli.methods.diagnose import outcome_margins
from gradcli.methods.diagnose.dependent_nodes import only_through_outcomes
from gradcli.methods.diagnose.input_paths import cut_inputs
from gradcli.methods.exact.one_sided_limits import direction, scale
from gradcli.methods.numerics.coordinates import (
    Coordinate,
    arguments_along,
    coordinates,
    copied,
    number_count,
    with_number,
)
from gradcli.methods.numerics.difference_quotients import value_or_nan
from gradcli.methods.numerics.nearby_gradients import Surroundings
from gradcli.methods.numerics.precision_loss import coarsest
from gradcli.methods.numerics.rounding import value_summands
from gradcli.methods.transforms.gradients import limit_of_run
from gradcli.methods.transforms.scalar_results import number_of
from gradcli.shared import devices
from gradcli.shared.pytree import leaves, map_leaves
from gradcli.shared.records.result_and_finding import Finding

if TYPE_CHECKING:
    from gradcli.methods.transforms.limits_beside_point import LimitBesidePoint

LONGEST_STEP = 0.1  # longest step of any difference, in scales of the input
LONGEST_REPLAY = 20_000  # rows of the longest run that is replayed to confirm the range of its outcomes
SLACK = {"float64": 1e-7, "float32": 1e-4, "float16": 1e-2}  # relative difference allowed between right formulas
SAME = 10.0  # times the slack of a dtype: largest relative difference of a value from that in double precision

MOST_TOUCHED = 64  # most numbers of the point whose effect is examined one by one

Guard = Callable[..., AbstractContextManager[None]]


@dataclass(frozen=True)
class RunEnvironment:
    """The environment that runs the user's code.

    Attributes:
        guard: converts exceptions of the code into gradcli errors; takes a description of the action, and
            `frameless` for a function of another target.
        named: records the run again with the user's names and lines; None for a plain trace.
        device: the device that computes gradcli's own gradient if that is checked; None for the host.
    """

    guard: Guard = lambda doing, **_: nullcontext()
    named: Callable[[], Trace] | None = None
    device: devices.device | None = None


@dataclass(frozen=True)
class Case:
    """The case that a check compares.

    Attributes:
        function: takes the inputs of `point` in order and returns one number.
        point: the inputs by name: numbers, arrays, and lists, tuples and dicts of them.
        parts: the numbers of the point to differentiate by.
        recorded: one recorded run at the point; None if the tape cannot follow the function.
        value: the result of the run.
        guard: converts exceptions of the user's code into gradcli errors.
        withdrawn: the reason why there is no recorded run.
        jump: a jump inside an integral, for which the derivative of the recorded run is no reference.
        value_dtype: the dtype of the value.
        given: the point as given, where `point` has its numbers of float32 or float16 in float64.
    """

    function: Callable[..., Any]
    point: Mapping[str, Any]
    parts: list[Coordinate]
    recorded: Trace | None
    value: float
    guard: Guard
    withdrawn: GradcliError | None = None
    jump: Finding | None = None
    value_dtype: str = "float64"
    given: Mapping[str, Any] | None = None

    @property
    def trace(self) -> Trace:
        """The recorded run."""
        assert self.recorded is not None, "only differences can judge what the tape cannot follow"
        return self.recorded

    def named_run(self, record: Callable[[], Trace] | None = None) -> Trace:
        """One more recorded run, with names and lines, by `record` if given.

        It is the first run where the tape refuses another one, because calls have filled a cache.
        """
        try:
            return record() if record else record_trace(self.function, tuple(self.point.values()), names=True)
        except TapeError:
            return self.trace

    def surroundings(self, parts: Sequence[Coordinate], seconds: float = math.inf) -> Surroundings:
        """The surroundings of the point, as a function of some of its numbers, to be explored for so many seconds."""
        until = time.monotonic() + seconds
        return Surroundings(self.function, self.point, parts, self.eps, until, self.recorded is not None)

    def of_parts(self, parts: list[Coordinate]) -> Case:
        """The case with some of its parts, and with what is known of the run.

        All cached properties are copied but `cut`, the only one whose value depends on `parts`: it examines the first
        `MOST_TOUCHED` of them. The caches of `reach` and of tangents are shared; their keys are numbers of the point.
        """
        case = replace(self, parts=parts)
        own = {*vars(case), "cut"}
        vars(case).update({name: known for name, known in vars(self).items() if name not in own})
        return case

    @cached_property
    def limit(self) -> LimitBesidePoint | None:
        """The gradient of the recorded run as a limit; None where every step of the run has a derivative."""
        return limit_of_run(self.trace)

    @cached_property
    def every(self) -> list[Coordinate]:
        """All numbers of the point, wanted or not."""
        whole = sum(map(number_count, self.arrays)) == len(self.parts)
        return self.parts if whole else coordinates(self.point)

    @cached_property
    def arrays(self) -> list[Any]:
        """The numbers and arrays of the point, in order."""
        return [array for structure in self.point.values() for array in leaves(structure)]

    @cached_property
    def has_complex(self) -> bool:
        """Whether the point has complex numbers."""
        return any(map(np.iscomplexobj, self.arrays))

    @cached_property
    def dtype(self) -> str:
        """The coarsest floating-point dtype in which the program computes at the point as given."""
        point = leaves([*(self.given or self.point).values()])
        values = point if self.recorded is None else [node.value for node in self.trace.nodes]
        dtypes = [self.value_dtype, *(getattr(value, "dtype", "") for value in values)]
        return coarsest(dtypes)

    @property
    def slack(self) -> float:
        """The relative difference allowed between right formulas."""
        return SLACK[self.dtype]

    @property
    def eps(self) -> float:
        """The rounding unit of the program at `point`."""
        return float(np.finfo("float64" if self.given else self.dtype).eps)

    @cached_property
    def plain(self) -> float | Exception | None:
        """The value of a plain run at the point, or the exception that it raised; None if no more calls are allowed."""
        try:
            return float(_plainly(self.function, self.point))
        except NoMoreCalls:
            return None
        except Exception as error:  # off the tape, the user's function may raise anything
            return error

    @cached_property
    def size(self) -> float:
        """The size of the value, or of the largest term of which it is the sum."""
        last = None if self.recorded is None else self.trace.result_index()
        try:
            terms = value_summands(self.trace, [last], self.eps / 2) if last is not None else []
        except UNABLE:
            terms = []
        if self.recorded is not None and self.trace.tape.run.singular:
            terms = [*terms, largest_cotangent(self.trace.tape)]  # whose rounding the value has
        return max([abs(self.value), *terms])

    @cached_property
    def largest_value(self) -> float:
        """The largest finite number of the run."""
        sizes = (np.abs(node.value) for node in self.trace.nodes)
        return max((float(np.max(size, initial=0.0, where=np.isfinite(size))) for size in sizes), default=0.0)

    @cached_property
    def switch(self) -> bool:
        """Whether the run is at a branch boundary or kink; True too without a recorded run, which cannot tell.

        An integral over a jump is smooth, but for the error of the integrator.
        """
        return self.jump is None and (self.recorded is None or outcome_margins.at_switch(self.trace))

    @cached_property
    def close_to_equal(self) -> bool:
        """Whether the run found numbers close that are equal, so that its path may hold within a tolerance alone."""
        return self.recorded is not None and any(True for _ in outcome_margins.outcomes_close_to_equal(self.trace))

    @cached_property
    def bending(self) -> list[int]:
        """The rows of the run whose operation has a kink anywhere."""
        return outcome_margins.kink_nodes(self.trace)

    @cached_property
    def cut(self) -> set[int]:
        """The numbers of the parts that act only through outcomes; beyond `MOST_TOUCHED` numbers, whole arrays only."""
        if self.recorded is None:
            return set()
        cotangents = self.trace.cotangents()
        rows = cut_inputs(self.trace, cotangents)
        whole = {leaf for leaf, row in enumerate(self.trace.input_indices()) if row in rows}
        rest = [part for part in self.parts if part.leaf not in whole][:MOST_TOUCHED]
        own = [cotangents[row] for row in self.trace.input_indices()]
        flat = [
            part for part in rest if not np.broadcast_to(own[part.leaf], np.shape(self.arrays[part.leaf]))[part.place]
        ]
        numbers = {part.number for part in self.parts if part.leaf in whole}
        single = only_through_outcomes(self.trace, [(part.leaf, part.place) for part in flat])
        return numbers | {flat[n].number for n in single}

    @property
    def by_values(self) -> SlopeAlong | None:
        """The function, if it is a slope whose derivatives are found by differences of values of another function."""
        return self.function if isinstance(self.function, SlopeAlong) else None

    def by(self, part: Coordinate) -> Callable[[float], float]:
        """The plain function of one number of the point; nan where it raises."""
        return lambda x: value_or_nan(self.function, with_number(self.point, self.arrays, part, x))

    def towards(self, direction: Mapping[int, Any]) -> Callable[[float], float]:
        """The plain function of the distance along a direction; nan where it raises."""
        return lambda t: value_or_nan(self.function, arguments_along(self.point, direction, t))

    def reach(self, parts: Sequence[Coordinate], steps: Sequence[float]) -> float:
        """The multiple of `steps` that these parts can move before an outcome changes or an operation has a kink."""
        if self.recorded is None:
            return math.inf
        asked = tuple(part.number for part in parts), tuple(steps)
        if asked not in self._reaches:
            self._reaches[asked] = self._reach(parts, steps)
        return self._reaches[asked]

    @cached_property
    def _reaches(self) -> dict[tuple[tuple[int, ...], tuple[float, ...]], float]:
        """Cache of `reach`."""
        return {}

    def _reach(self, parts: Sequence[Coordinate], steps: Sequence[float]) -> float:
        direction = self.direction(parts, steps)
        distance = outcome_margins.nearest_change(self.trace, self._moving(parts, steps), self.bending)
        if self.switch or not self.trace.outcomes or len(self.trace.nodes) > LONGEST_REPLAY:
            return distance
        scales = (
            (max(abs(part.value), 1e-3) if part.value else 1.0) / abs(step)
            for part, step in zip(parts, steps, strict=True)
        )
        return outcome_margins.confirmed(
            self.trace, lambda t: arguments_along(self.point, direction, t), distance, LONGEST_STEP * min(scales)
        )

    def _moving(self, parts: Sequence[Coordinate], steps: Sequence[float]) -> Mapping[int, Any] | None:
        """The tangents of what outcomes compare; the sum of those by each part where these are known."""
        known = [self._tangents.get(part.number) for part in parts]
        if None in known:
            moving = outcome_margins.moving_operands(self.trace, self.direction(parts, steps), self.bending)
            if moving is not None and [*steps] == [1.0]:
                self._tangents[parts[0].number] = moving
            return moving
        return {
            node: sum(step * tangents[node] for step, tangents in zip(steps, known, strict=True) if tangents)
            for node in known[0] or ()
        }

    @cached_property
    def _tangents(self) -> dict[int, dict[int, Any]]:
        """Cache of `_moving` along single numbers of the point."""
        return {}

    def random_steps(self, parts: Sequence[Coordinate], seed: int = 0) -> list[float]:
        """Steps in some parts to either side, each of at least half the scale of its number."""
        generator = np.random.default_rng(seed)
        signs = generator.choice([-1.0, 1.0], len(parts)) * generator.uniform(0.5, 1.0, len(parts))
        return [float(sign) * scale(part) for sign, part in zip(signs, parts, strict=True)]

    def direction(self, parts: Sequence[Coordinate], steps: Sequence[float]) -> dict[int, Any]:
        """The direction with these steps in these parts, by the numbers and arrays of the point."""
        return direction(self.point, parts, steps)


def open_case(target: Target, point: Mapping[str, Any], wanted: Sequence[str], guard: Guard) -> Case:
    """Make the case with one recorded run, or with a plain run if the tape cannot follow the function.

    Raises:
        ResultError: the function does not return one number.
    """
    with guard(f"in {target.name}"):
        try:
            run = record_trace(target.function, tuple(point.values()), names=False)
        except TapeError as error:
            return replace(_plain_case(target.function, point, wanted, guard), withdrawn=error)
    function = target.function
    if not run.jumps and any(name == STEP for _, name, *_ in run.tape.outcomes):
        function = with_same_steps(function, tuple(point.values()))
    parts = coordinates(point, wanted)
    return Case(function, point, parts, run, float(_number(target.function, run.value)), guard)


def _plain_case(function: Callable[..., Any], point: Mapping[str, Any], wanted: Sequence[str], guard: Guard) -> Case:
    """The case with a plain run; in double precision where the function computes in it too."""
    value = _plainly(function, point)
    double = {name: map_leaves(_in_double_precision, structure) for name, structure in point.items()}
    case = Case(function, point, coordinates(point, wanted), None, float(value), guard, value_dtype=_dtype(value))
    if any(x is not y for x, y in zip(case.arrays, leaves([*double.values()]), strict=True)):
        with quiet(), suppress(Exception):  # the function may refuse other dtypes
            precise = _plainly(function, double)
            if _dtype(precise) == "float64" and abs(precise - value) <= SAME * case.slack * abs(precise):
                parts = coordinates(double, wanted)
                return replace(case, point=double, parts=parts, value=precise, value_dtype="float64", given=point)
    return case


def _in_double_precision(leaf: Any) -> Any:
    return leaf.astype(np.float64) if getattr(leaf, "dtype", None) in (np.float32, np.float16) else leaf


def _dtype(value: float) -> str:
    return str(getattr(value, "dtype", "float64"))


def _plainly(function: Callable[..., Any], point: Mapping[str, Any]) -> float:
    """The value of a plain run, in the dtype in which the function computes."""
    return _number(function, function(*copied(tuple(point.values()))))


def _number(function: Callable[..., Any], value: Any) -> float:
    try:
        return number_of(function, value)  # type: ignore[no-any-return]
    except ResultError as error:
        if sum(x.size if isinstance(x, np.ndarray) else 1 for x in leaves(value)) > 1:
            error.hint = (
                "`check --of jacobian` checks every derivative of every result; or return one number, such as a sum."
            )
        raise
