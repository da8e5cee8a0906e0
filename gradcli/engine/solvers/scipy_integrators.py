"""The replacements of SciPy's adaptive integrators, which look for jumps of the integrated function.

The steps of an integrator are differentiated as they were taken. Where the function jumps, at a place that depends on
the inputs, the derivative of that place is missing: d/dp of the integral of f over t has the term -[f] ds/dp at a jump
[f] at s(p). A jump is looked for between two evaluations whose comparisons had different outcomes: the function is
evaluated again, on plain numbers, at arguments that close in on its largest change.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from copy import copy
from functools import cache
from itertools import islice, pairwise
from typing import Any, NamedTuple

import numpy as np

from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.solvers.implicit_differentiation import plainly, stands_for
from gradcli.engine.solvers.scipy_quad import with_replaced_quad
from gradcli.engine.tape.solver_notes import Jump
from gradcli.engine.tape.tape import CONSTANT, OutcomeRow, Tape, active_tape
from gradcli.engine.tape.value import is_recorded
from gradcli.mathematics.rules.scipy_internals.integrator_step_sizes import STEP

_TIME = {"odeint": 1, "quad_vec": 0, "solve_ivp": 0}
"""The position of the variable of integration among the arguments of the integrated function, by integrator."""
_MOST = 32  # changes of outcomes that are examined
_HALVINGS = 40  # of the distance between two evaluations: what is left of a continuous change is rounding
_JUMP = 1e-5  # relative to the largest value of the function


class _Fact(NamedTuple):
    """An outcome, or the value of a step such as `sign`, within one evaluation."""

    number: int
    is_row: bool
    sources: tuple[int, ...]
    value: bytes


class _Evaluation(NamedTuple):
    """One evaluation of a function, with plain numbers, that received outcomes or the values of steps."""

    time: float
    arguments: tuple[Any, ...]
    value: Any
    facts: list[_Fact]
    first_row: int
    own_row: int | None  # of a time that depends on the steps of the integrator alone

    @property
    def path(self) -> tuple[bytes, ...]:
        """What decides the piece of the function."""
        return tuple(fact.value for fact in self.facts)


class _Integrated:
    """The function that an integrator calls; keeps its evaluations that may have another piece elsewhere."""

    def __init__(self, integrator: str, function: Callable[..., Any], tape: Tape, time: int) -> None:
        self._integrator, self._function, self._tape, self._time = integrator, function, tape, time
        self._seen: list[_Evaluation] = []

    def __call__(self, *arguments: Any) -> Any:
        row, outcome = len(self._tape.rows), len(self._tape.outcomes)
        value = self._function(*arguments)
        if (facts := _facts(self._tape, row, outcome)) and len(arguments) > self._time:
            self._seen.append(self._evaluation(arguments, value, facts, row))
        return value

    def _evaluation(self, arguments: tuple[Any, ...], value: Any, facts: list[_Fact], row: int) -> _Evaluation:
        time, plain = arguments[self._time], plainly(arguments)
        own = time.index if is_recorded(time) and self._integrator == "solve_ivp" else None
        moving = (*map(copy, plain[:2]), *plain[2:])  # an integrator may use its arrays again
        return _Evaluation(float(plain[self._time]), moving, _numbers(value), facts, row, own)

    def jump(self) -> Jump | None:
        """The first jump at a place that depends on the inputs; None if there is none."""
        ordered = sorted(self._seen, key=lambda evaluation: evaluation.time)
        changes = ((a, b, _first_change(a, b)) for a, b in pairwise(ordered) if a.path != b.path)
        asked = ((a, b, fact) for a, b, fact in changes if self._depends(b, fact))
        with _without_outcomes(self._tape):
            first = next((fact for a, b, fact in islice(asked, _MOST) if self._jumps(a, b)), None)
        return first and Jump(self._integrator, first.number, first.is_row)

    def _depends(self, at: _Evaluation, fact: _Fact) -> bool:
        """Whether a fact depends on more than the time of a step, which the accuracy of the steps decides."""
        waiting = list(fact.sources)
        while waiting:
            row = waiting.pop()
            if row in (CONSTANT, at.own_row):
                continue
            if row < at.first_row:
                return True
            waiting += self._tape.rows[row][2::2]
        return False

    def _jumps(self, low: _Evaluation, high: _Evaluation) -> bool:
        """Whether the values of the function between two evaluations change however close the arguments are."""
        size = max(np.max(np.abs(fact.value), initial=0.0) for fact in self._seen)
        ends = [(low.arguments, low.value), (high.arguments, high.value)]
        for _ in range(_HALVINGS):
            arguments = (*map(_between, ends[0][0][:2], ends[1][0][:2]), *low.arguments[2:])
            try:
                middle = arguments, _numbers(self._function(*arguments))
            except program_errors():  # where the integrator did not call the function
                return False
            ends = max(([ends[0], middle], [middle, ends[1]]), key=lambda half: _change(half[0][1], half[1][1]))
        return bool(_change(ends[0][1], ends[1][1]) > _JUMP * size)


@contextmanager
def _without_outcomes(tape: Tape) -> Iterator[None]:
    """Keep outcomes off the tape, so that the run does not depend on them."""
    before = tape.outcomes, tape.run.data
    tape.outcomes, tape.run.data = _Unchanged(tape.outcomes), None
    try:
        yield
    finally:
        tape.outcomes, tape.run.data = before


class _Unchanged(list[OutcomeRow]):
    """Outcomes to which none is added."""

    def append(self, outcome: OutcomeRow) -> None:
        pass


def _between(a: Any, b: Any) -> Any:
    """The middle of two numbers or arrays; of other arguments, the first."""
    both = (int, float, np.number, np.ndarray)
    return a / 2 + b / 2 if isinstance(a, both) and isinstance(b, both) and np.shape(a) == np.shape(b) else a


def _numbers(value: Any) -> Any:
    return np.array(plainly(value), dtype=float)


def _change(a: Any, b: Any) -> float:
    """The largest difference of the elements of two arrays; 0 if they have different shapes."""
    return float(np.max(np.abs(b - a), initial=0.0)) if np.shape(a) == np.shape(b) else 0.0


def _facts(tape: Tape, row: int, outcome: int) -> list[_Fact]:
    """The values of steps since a row, and the outcomes since an outcome."""
    outcomes = enumerate(tape.outcomes[outcome:], outcome)
    steps = ((n, row_) for n, row_ in enumerate(tape.rows[row:], row) if row_[0].rule and row_[0].rule.step)
    return [
        *(_Fact(n, False, outcome[3], np.asarray(outcome[5]).tobytes()) for n, outcome in outcomes),
        *(_Fact(n, True, row_[2::2], np.asarray(row_[1]).tobytes()) for n, row_ in steps),
    ]


def _first_change(a: _Evaluation, b: _Evaluation) -> _Fact:
    """The first fact of `b` that is not that of `a`."""
    pairs = zip(a.facts, b.facts, strict=False)
    return next((y for x, y in pairs if x.value != y.value), b.facts[-1])


def _watched(name: str, original: Any) -> Callable[..., Any]:
    @stands_for(original)
    def integrator(function: Any, *rest: Any, **options: Any) -> Any:
        tape = active_tape()
        if tape is None or not callable(function):
            return original(function, *rest, **options)
        watched = _Integrated(name, function, tape, 0 if options.get("tfirst") else _TIME[name])
        if name == "solve_ivp" and options.get("method") in _error_norms():
            options["method"] = _error_norms()[options["method"]]
        solution = original(watched, *rest, **options)
        if (jump := watched.jump()) is not None:
            tape.run.jumps += (jump,)
        return solution

    return integrator


@cache
def _error_norms() -> dict[Any, Any]:
    """The method with a norm of its own, in which `integrator_step_sizes` holds the errors."""
    from scipy.integrate import DOP853

    class HeldDOP853(DOP853):  # type: ignore[misc]
        def _estimate_error_norm(self, *errors: Any) -> Any:
            return super()._estimate_error_norm(*(x.stopped(STEP) if is_recorded(x) else x for x in errors))

    return {"DOP853": HeldDOP853, DOP853: HeldDOP853}


def attribute(module: types.ModuleType, name: str) -> Any:
    """An attribute of `scipy.integrate`, with `quad` and the adaptive integrators replaced."""
    original = getattr(module, name)
    return _watched(name, original) if name in _TIME else with_replaced_quad(name, original)
