"""Derivatives at points where a step of the program has none, as limits of those beside the point.

At a kink, and at equal eigenvalues, the derivative of a step is a choice or does not exist, but that of the whole may:
`abs(x)**2` has second derivatives, and a matrix function written with `eigh` has a gradient. The run is recorded again
from its rows beside the point. Where the derivatives there have one limit, it is the derivative.

A program that orders equal numbers, by `if x > 0` or `np.where`, takes another path beside the point, which its rows do
not hold. For second derivatives such a program runs again there, if it is fast, in the state that it had.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import numpy as np

from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.running.program_state import unchanged
from gradcli.engine.running.recorded_run import new_tape
from gradcli.engine.tape.equal_operands import ordered_ties
from gradcli.engine.tape.row_graph import input_values
from gradcli.engine.tape.singular_rows import largest_cotangent, singular_steps
from gradcli.engine.tape.sweeps.masked_reverse import handle
from gradcli.engine.tape.sweeps.rerecorded_run import OtherPathError, RerecordedRun
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import is_recorded, plain_value
from gradcli.engine.traces.trace import record_trace
from gradcli.methods.transforms.derivative_warnings import warn_of_steps
from gradcli.methods.transforms.limits_along_rays import AGREED, limit_along_rays
from gradcli.shared import devices
from gradcli.shared.float_errors import without_float_errors
from gradcli.shared.pytree import all_finite, leaves, leaves_like, map_leaves

SMALL = 1e-4  # the share of the largest component by which smaller ones may be rounded

MESSAGES = {
    "G213": "at the kink of {}, the second derivatives beside the point have no common limit: those given are a "
    "convention",
    "G214": "{} has equal values, or singular values of 0: the derivative is the limit of those beside the point",
    "G215": "{} has equal values, or singular values of 0, and the derivatives beside the point have no common limit",
}

TIED = (
    "{} compares equal numbers, and the second derivatives beside the point have no common limit: those given are of "
    "the path taken"
)
ON_DEVICE = "{} has no derivative here, and on a device no limit of the derivatives beside the point is taken"
MOST_SECONDS = 2.0  # of the processor, for runs of the program beside the point

Derive = Callable[[Tape, Any, Any], Any]


class LimitBesidePoint:
    """The derivative of a run at its point, as the limit of derivatives beside it.

    Args:
        tape: the record of the run.
        inputs: the recorded inputs, in a structure.
        result: the recorded result, in a structure.
        derivative: that that a sweep computed at the point.
        derive: computes that derivative from a tape, its inputs and its result.
        call: the call that was run, if it may be run again.

    Attributes:
        steps: the rows at which a step of the program has no derivative of its own.
        derivative: the limit if there is one, else the derivative that the sweep computed.
        exists: whether there is a limit.
        differs: whether the limit differs from what the sweep computed.
        on_device: whether the inputs are arrays on a device, for which no limit is taken.
    """

    @without_float_errors
    def __init__(
        self, tape: Tape, inputs: Any, result: Any, derivative: Any, derive: Derive, call: BoundCall | None = None
    ) -> None:
        recorded = [leaf for leaf in leaves(result) if is_recorded(leaf)]
        self.steps = singular_steps(tape, [leaf.index for leaf in recorded])
        self.derivative, self.exists, self.differs = derivative, True, False
        self._of_second_order = bool(tape.run.recorded_sweeps)
        self.on_device = any(map(devices.on_device, map(plain_value, leaves(inputs))))
        self.has_ties = self._of_second_order and not self.on_device and ordered_ties(tape)
        if not ((recorded and self.steps) or self.has_ties):
            return
        if self.on_device:  # nothing is recorded again
            self.exists = False
            return
        self._tape, self._inputs, self._result, self._derive = tape, inputs, result, derive
        self._call, self._seconds = call.by_inputs() if call is not None and self.has_ties else None, 0.0
        self._moves = {at: (value, _unit(value)) for at, value in input_values(tape).items()}
        limit = self._limit()
        self.exists = limit is not None
        if limit is not None:
            self._take(limit)

    @without_float_errors
    def take_along(self, tangents: dict[int, Any]) -> None:
        """Take the limit along one line, where a derivative along these tangents of the inputs needs no more.

        The values of the run must go to those at the point, from both sides.
        """
        ways = [np.ravel(tangents.get(at, np.zeros_like(value)) / unit) for at, (value, unit) in self._moves.items()]
        line = np.concatenate(ways).astype(float)
        scale = np.max(np.abs(line), initial=0.0)
        values, here = self._numbers(self._result), self._numbers(self.derivative)
        if not 0.0 < scale < np.inf:
            self.exists = scale == 0.0 and not np.any(here)
            return
        start = np.concatenate([values, here])
        limit = limit_along_rays(lambda step: self._beside(step * line / scale), 1, start, values.size, 1 / scale)
        if limit is not None and np.allclose(limit[: values.size], values, AGREED, AGREED * _unit(values)):
            self.exists = True
            self._take(limit[values.size :])

    @property
    def is_notable(self) -> bool:
        """Whether the derivative is not what a reader takes it for, or comes from elsewhere than the sweep."""
        if self.on_device:
            return not self.exists
        if self._of_second_order:
            return not self.exists and all_finite(self.derivative)
        return self.differs or not self.exists

    @property
    def code(self) -> str:
        """The code of the finding, if it is notable."""
        return "G213" if self._of_second_order else "G214" if self.exists else "G215"

    def message(self, names: str) -> str:
        """The text of the finding, if it is notable; `names` are the operations at `steps`, or the comparison."""
        if self.on_device:
            return ON_DEVICE.format(names)
        return TIED.format(names) if self.has_ties and not self.steps else MESSAGES[self.code].format(names)

    def _take(self, limit: Any) -> None:
        """Take the limit where it is not what the sweep computed."""
        before = self._numbers(self.derivative)
        largest = np.max(np.abs(limit), initial=0.0)
        if np.all(np.abs(limit - before) <= AGREED * np.maximum(np.abs(limit), SMALL * largest)):
            return
        self.differs = True
        parts = iter(np.split(limit, np.cumsum([np.size(leaf) for leaf in leaves(self.derivative)])[:-1]))
        self.derivative = map_leaves(lambda leaf: _like(leaf, next(parts)), self.derivative)

    def _limit(self) -> Any | None:
        values, here = self._numbers(self._result), self._numbers(self.derivative)
        unit = max(unit for _, unit in self._moves.values())
        size = sum(np.size(value) for value, _ in self._moves.values())
        floor = largest_cotangent(self._tape)
        limit = limit_along_rays(self._beside, size, np.concatenate([values, here]), values.size, unit, floor)
        return None if limit is None else limit[values.size :]

    def _numbers(self, structure: Any) -> Any:
        parts = [np.ravel(plain_value(leaf)) for leaf in leaves(structure)]
        numbers = np.concatenate(parts) if parts else np.zeros(0)
        return np.full(numbers.shape, np.nan) if np.iscomplexobj(numbers) else numbers.astype(float)

    def _beside(self, step: Any) -> Any | None:
        """The result and the derivative at a step from the point; None if the program takes another path there."""
        moved, start = {}, 0
        for at, (value, unit) in self._moves.items():
            part = unit * step[start : start + np.size(value)].reshape(np.shape(value))[()]
            moved[at] = float(value + part) if type(value) is float else value + part
            start += np.size(value)
        try:
            run = RerecordedRun(new_tape(), self._tape, moved)
        except OtherPathError:
            return self._run_again(list(moved.values()))

        def moved_to(leaf: Any) -> Any:
            return run.handle_of(leaf.index) if is_recorded(leaf) else leaf

        inputs, result = map_leaves(moved_to, self._inputs), map_leaves(moved_to, self._result)
        derived = self._derive(run.tape, inputs, result)
        return np.concatenate([self._numbers(result), self._numbers(derived)])

    def _run_again(self, moved: list[Any]) -> Any | None:
        """The same from a run of the program at other inputs; None if it cannot be run, or runs for long."""
        if self._call is None or len(leaves(self._call.arguments)) != len(moved):
            return None
        values, begun = iter(moved), time.thread_time()
        arguments = tuple(map_leaves(lambda leaf: next(values), argument) for argument in self._call.arguments)
        try:
            run = record_trace(self._call.function, arguments, names=False)
        except program_errors():
            return None
        self._seconds += time.thread_time() - begun
        if self._seconds > MOST_SECONDS:
            self._call = None
        if len(leaves(run.value)) != len(leaves(self._result)):
            return None

        def handle_of(index: int) -> Any:
            return handle(run.tape, index, run.nodes[index].value)

        inputs = [map_leaves(handle_of, input_) for input_ in run.inputs]
        places = zip(leaves_like(run.value, run.result) or (), leaves(run.value), strict=True)
        parts = iter([value if place is None else handle_of(place) for place, value in places])
        result = map_leaves(lambda leaf: next(parts), self._result)
        return np.concatenate([self._numbers(result), self._numbers(self._derive(run.tape, inputs, result))])


def _unit(value: Any) -> Any:
    """The size of an input: of the largest number of an array, or 1."""
    size = float(np.max(np.abs(value), initial=0.0))
    return size if 0.0 < size < np.inf else 1.0


def _like(leaf: Any, numbers: Any) -> Any:
    """Numbers in the type, dtype and shape of a derivative."""
    if not hasattr(leaf, "dtype"):
        return float(numbers[0])
    return numbers.reshape(np.shape(leaf)).astype(leaf.dtype)[()]


def settled(
    call: BoundCall,
    tape: Tape,
    run: tuple[Any, Any],
    derivative: Any,
    derive: Derive,
    tangents: dict[int, Any] | None = None,
) -> Any:
    """A derivative of a run where a step has none: its limit if there is one, else `derivative`, with a warning.

    `run` are the inputs and the result, and `derive` computes the derivative from a tape and these. `tangents` of the
    inputs are those along which it is the derivative of the result.
    """
    with unchanged(call) if ordered_ties(tape) else nullcontext(), quiet():
        limit = LimitBesidePoint(tape, *run, derivative, derive, call)
        if tangents is not None and not limit.exists and not limit.on_device and not tape.run.recorded_sweeps:
            limit.take_along(tangents)
    warn_of_limit(call, limit)
    return limit.derivative


def warn_of_limit(call: BoundCall, limit: LimitBesidePoint) -> None:
    """Warn of the steps that have no derivative of their own, if the result or a reader is concerned."""
    if limit.is_notable:
        warn_of_steps(call, limit.code, limit.steps, limit.message)
