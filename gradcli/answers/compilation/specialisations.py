"""A specialisation: the program for the calls of one signature, with its captured data."""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import numpy as np

from gradcli.answers.compilation.c_kernels import RowKernel
from gradcli.answers.compilation.captured_data import CapturedData
from gradcli.answers.compilation.comparison_with_eager import agrees
from gradcli.answers.compilation.compilation_report import ProgramReport, described
from gradcli.answers.compilation.compiled_transform import FirstCall
from gradcli.answers.compilation.derived_kernels import conversion, input_names
from gradcli.answers.compilation.edge_cases import comparisons_in, is_ordinary
from gradcli.answers.compilation.hidden_inputs import with_hidden_inputs
from gradcli.answers.compilation.program_effects import checked_definitions
from gradcli.answers.compilation.program_kernels import kernels
from gradcli.answers.compilation.shared_libraries import keep_choice, kept_choice
from gradcli.answers.derivation.reverse_mode import DerivationTask
from gradcli.answers.derivation.trial_points import nearby_points
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.code.reachable_objects import reachable_objects
from gradcli.errors import GradcliError, InconclusiveError, InternalError, UnsupportedError

NOTHING = object()  # the program does not fit the call
EDGE_CASE = object()  # the call is left to the eager gradient
QUICK = 0.1  # seconds of an eager call; the backends of slower programs are not timed
SLOWER = "which is faster than C"
CLEARLY = 1.2  # the ratio of times by which the slower backend is left
PATIENCE = 16  # the calls at edge cases after which a program must have served as many others, or is given up


class Specialisation:
    """The program for the calls of one signature.

    Args:
        signature: that of the arguments.
        first: the first call.

    Attributes:
        text: the derived source.
        at_once: gives the value and the derivative by the method in C; None if there is none, or for other calls.
        calls: the number of calls that it has served.

    Raises:
        UnsupportedError: the function has effects, calls a function whose edge cases are not known, or captures a large
            array that cannot be an input.
        GradcliError: it cannot be derived.
    """

    def __init__(self, signature: Any, first: FirstCall) -> None:
        self.signature = signature
        self._text = described(first.arguments)
        reached = reachable_objects(first.function)
        definitions = checked_definitions(first.function, reached)
        rewritten = with_hidden_inputs(first.function)
        self._captured = CapturedData(reached, rewritten.hidden)
        self._hidden = tuple(hidden.path for hidden in rewritten.hidden)
        values = [*(hidden.value for hidden in rewritten.hidden), *first.point]
        names = input_names(rewritten.function, len(values))
        at = [len(self._hidden) + place for place in first.places]
        self._order, self._is_tuple = [sorted(at).index(place) for place in at], first.is_tuple
        point = dict(zip(names, values, strict=False))
        task = DerivationTask(
            rewritten.function, point, "compiled", None, tuple(names[place] for place in sorted(at)), keeps_sizes=True
        )
        made = kernels(first, task, self._order, comparisons_in(definitions))
        self.text, self._kernel, self._in_c, self._decides, self._blocks = made
        self._backend, self._reason = "Python", ""
        self._at_rows: RowKernel | None = None
        self.at_once: Callable[..., Any] = _nothing
        self._convert_value = _value_conversion(first.result[0], definitions)
        self._convert = conversion(first.result[1], copies=True)
        self.calls = self._reruns = 0

    def _arranged(self, gradient: Any) -> Any:
        """The gradients as a tuple, if that was asked for, in the order of `argnums`."""
        if not self._is_tuple:
            return gradient
        gradients = gradient if len(self._order) > 1 else (gradient,)
        return tuple(gradients[n] for n in self._order)

    def unite(self, derivative: Any) -> None:
        """Add the elements of an eager sparse derivative to those that may differ from 0."""
        if self._blocks is not None and not self._is_given_up:
            parts = derivative if self._is_tuple else (derivative,)
            self._blocks.unite([parts[self._order.index(n)] for n in range(len(parts))])

    def _call_at_once(self) -> str:
        """The call of the method, as text, with the gradients as they are asked for."""
        call = "method({inputs}*arguments)"
        if not self._is_tuple:
            return call
        parts = "".join(f"r[1][{n}], " for n in self._order) if len(self._order) > 1 else "r[1],"
        return f"None if (r := {call}) is None else (r[0], ({parts}))"

    def computed(self, arguments: Sequence[Any]) -> Any:
        """The value and the gradient; NOTHING if captured data differ, and EDGE_CASE where eager must compute them."""
        hidden = self._captured.inputs()
        if hidden is None:
            return NOTHING
        self.calls += 1
        if not self._is_given_up:
            try:
                value, derivative = self._kernel(*hidden, *arguments)
                derivative = self._convert(self._arranged(derivative))
                if (self._decides and self._backend == "C") or is_ordinary(value, derivative):
                    return self._convert_value(value), derivative
            except program_errors():  # of the user's code, or an edge case: the eager derivative raises as Python does
                pass
        self._reruns += 1
        if self._is_given_up:
            self.at_once = _nothing
        return EDGE_CASE

    def row_kernel(self) -> RowKernel | None:
        """The loop in C over many rows, of which each argument has one; None without C, or if captured data differ.

        It gives the status of each row, which is not 0 at edge cases, the value and the derivative.
        """
        hidden = self._captured.inputs()
        return None if hidden is None or self._at_rows is None else partial(self._computed_at_rows, hidden)

    def _computed_at_rows(self, hidden: Sequence[Any], columns: Sequence[Any]) -> tuple[Any, Any, Any]:
        """The same with the captured data."""
        assert self._at_rows is not None
        shared = [np.broadcast_to(x, (len(columns[0]), *np.shape(x))) for x in hidden]
        status, values, parts = self._at_rows([*shared, *columns])
        self.calls += len(status)
        self._reruns += int(np.count_nonzero(status))
        if len(parts) < len(self._order):  # the slopes by several numbers are one array
            parts = [*parts[0].T]
        return status, values, self._arranged(parts[0] if len(parts) == 1 else tuple(parts))

    def kernel(self) -> Callable[..., tuple[Any, Any]] | None:
        """The program for many calls during which captured data stay as they are: returns the value and the gradients.

        It raises at edge cases, apart from values that are not ordinary. None if captured data differ.
        """
        hidden = self._captured.inputs()
        return None if hidden is None else partial(self._kernel, *hidden) if hidden else self._kernel

    @property
    def _is_given_up(self) -> bool:
        return self._reruns > PATIENCE and 2 * self._reruns > self.calls

    def compare(self, first: FirstCall, eager: Callable[..., Any]) -> None:
        """Compare with the eager result of the first call, and with one nearby; then do so with the program in C.

        Raises:
            InternalError: they differ.
            InconclusiveError: there is no ordinary point nearby.
            UnsupportedError: the eager derivative is faster.
        """
        is_ordinary_there = self._compare_at(first.arguments, first.result)
        for point in nearby_points(list(first.arguments)):
            begin = time.perf_counter()
            try:
                expected = eager(*copy.deepcopy(point))
            except program_errors():  # the point is gradcli's choice
                continue
            eager_seconds = min(first.seconds, time.perf_counter() - begin)
            if is_ordinary(*expected):
                self.unite(expected[1])
                if self._compare_at(point, expected):
                    break
        else:
            raise InconclusiveError("no point nearby has an ordinary derivative")
        if self._blocks is not None:  # the pattern is known from the second call on
            eager_seconds = _seconds(eager, point)
        self._choose(first, is_ordinary_there, partial(self._compare_at, point, expected), eager_seconds)
        self.calls = self._reruns = 0

    def _choose(
        self, first: FirstCall, is_ordinary_there: bool, compare_nearby: Callable[[], bool], eager_seconds: float
    ) -> None:
        """Take the program in C, if there is one, if it agrees, and if it is not slower.

        Raises:
            UnsupportedError: the eager derivative is faster.
        """
        arguments = [*(self._captured.inputs() or ()), *first.arguments]
        python, seconds = self._kernel, partial(_seconds, arguments=arguments)
        at_rows = method = None
        try:
            file, self._kernel, at_rows, method = self._in_c()
            is_same = self._compare_at(first.arguments, first.result) == is_ordinary_there and compare_nearby()
            self._reason = "" if is_same else "in C it stops at an edge case"
        except GradcliError as error:
            self._reason = error.message
        if not self._reason and eager_seconds < QUICK:
            choice = kept_choice(file)
            if choice not in ("C", "Python"):
                choice = "Python" if seconds(self._kernel) > CLEARLY * seconds(python) else "C"
                keep_choice(file, choice)
            self._reason = SLOWER if choice == "Python" else ""
        if self._reason:
            self._kernel = python
        else:
            self._backend, self._convert = "C", conversion(first.result[1], copies=False)
            if method is not None:
                self.at_once = self._captured.guarded(self._call_at_once(), method=method)
        if not self._reason or self._reason == SLOWER:
            self._at_rows = at_rows
        is_timed = eager_seconds < QUICK or self._blocks is not None  # a sparse one repeats what is recorded once
        if is_timed and seconds(self._kernel) > CLEARLY * eager_seconds:
            raise UnsupportedError("which is faster than the derived program")

    def _compare_at(self, point: Sequence[Any], expected: tuple[Any, Any]) -> bool:
        computed = self.computed(copy.deepcopy(point))
        if computed is EDGE_CASE:
            return False
        if computed is NOTHING or not agrees(computed, expected):
            raise InternalError("the derived program gives another result")
        return True

    def report(self) -> ProgramReport:
        """What runs, and what is guarded."""
        reason = "given up for edge cases" if self._is_given_up else self._reason
        return ProgramReport(
            self._text, self._backend, reason, self._hidden, self._captured.names, self.calls, self._reruns,
            self._blocks.number if self._blocks is not None else None,
        )  # fmt: skip


def _seconds(call: Callable[..., Any], arguments: Sequence[Any]) -> float:
    """The time of a call, the least of three if they are short."""
    times = [0.0]
    while len(times) <= 3 and times[-1] < QUICK:
        begin = time.perf_counter()
        with suppress(Exception):
            call(*arguments)
        times.append(time.perf_counter() - begin)
    return min(times[1:])


def _value_conversion(example: Any, definitions: Sequence[ast.FunctionDef]) -> Callable[[Any], Any]:
    """The function that gives a value the type of the eager one, which may be Python's or NumPy's, by the way taken."""
    if isinstance(example, np.ndarray):
        return conversion(example, copies=True)
    returned = [node.value for node in ast.walk(definitions[0]) if isinstance(node, ast.Return)]
    are_floats = all(isinstance(value, ast.Call) and ast.unparse(value.func) == "float" for value in returned)
    # A derived program leaves out float, and np.where returns an array of one number.
    return float if are_floats else lambda value: value[()] if type(value) is np.ndarray else value


def _nothing(*arguments: Any) -> None:
    """Where there is no method in C."""
