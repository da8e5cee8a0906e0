"""A specialisation: the program for the calls of one signature, with its captured data."""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from types import FunctionType
from typing import Any

from gradcli.answers.compilation.captured_data import CapturedData
from gradcli.answers.compilation.comparison_with_eager import agrees
from gradcli.answers.compilation.compilation_report import ProgramReport, described
from gradcli.answers.compilation.derived_kernels import conversion, derived_program, parameter_names, python_kernel
from gradcli.answers.compilation.edge_cases import is_ordinary
from gradcli.answers.compilation.hidden_inputs import RewrittenFunction, with_hidden_inputs
from gradcli.answers.compilation.program_effects import check_effects
from gradcli.answers.derivation.trial_points import nearby_points
from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.reachable_objects import ReachableObjects, reachable_objects
from gradcli.engine.running.muted_reruns import quiet
from gradcli.errors import InconclusiveError, InternalError
from gradcli.shared.frozen_record import Frozen

NOTHING = object()  # the program does not fit the call
EDGE_CASE = object()  # the call is left to the eager gradient
PATIENCE = 16  # the calls at edge cases after which a program must have served as many others, or is given up


class FirstCall(Frozen, eq=False):
    """The eager call that a specialisation is derived after.

    Attributes:
        function: the user's function.
        arguments: copies of the arguments.
        places: the positions of those that it is differentiated by.
        is_tuple: whether `argnums` is a tuple.
        result: the value and the gradient.
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    places: Sequence[int]
    is_tuple: bool
    result: tuple[Any, Any]


class Specialisation:
    """The program for the calls of one signature.

    Args:
        signature: that of the arguments.
        first: the first call.

    Raises:
        EffectError: the function has effects.
        UnknownCallError: it calls a function whose edge cases are not known.
        TooLargeError: it captures a large array that cannot be an input.
        GradcliError: it cannot be derived.
    """

    def __init__(self, signature: Any, first: FirstCall) -> None:
        self.signature = signature
        self._text = described(first.arguments)
        reached = reachable_objects(first.function)
        check_effects(first.function, reached)
        rewritten = _with_hidden_inputs(first.function, reached)
        self._captured = CapturedData(reached, rewritten.hidden)
        self._hidden = tuple(hidden.path for hidden in rewritten.hidden)
        names = parameter_names(rewritten.function)
        values = [*(hidden.read() for hidden in rewritten.hidden), *first.arguments]
        at = [len(self._hidden) + place for place in first.places]
        self._order, self._is_tuple = [sorted(at).index(place) for place in at], first.is_tuple
        inputs = tuple(names[place] for place in sorted(at))
        self._kernel = python_kernel(
            derived_program(rewritten.function, dict(zip(names, values, strict=False)), inputs)
        )
        self._convert = conversion(first.result[1])
        self._calls = self._reruns = 0

    def computed(self, arguments: Sequence[Any]) -> Any:
        """The value and the gradient; NOTHING if captured data differ, and EDGE_CASE where eager must compute them."""
        hidden = self._captured.inputs()
        if hidden is None:
            return NOTHING
        self._calls += 1
        if not self._is_given_up:
            with suppress(Exception):  # the eager gradient raises it again, or does not meet it
                value, parts = self._kernel(*hidden, *arguments)
                gradients = parts if len(self._order) > 1 else (parts,)
                gradient = self._convert(tuple(gradients[n] for n in self._order) if self._is_tuple else gradients[0])
                if is_ordinary(value, gradient):
                    return value, gradient
        self._reruns += 1
        return EDGE_CASE

    @property
    def _is_given_up(self) -> bool:
        return self._reruns > PATIENCE and 2 * self._reruns > self._calls

    def compare(self, first: FirstCall, eager: Callable[..., Any]) -> None:
        """Compare with the eager result of the first call, and with one nearby.

        Raises:
            InternalError: they differ.
            InconclusiveError: there is no ordinary point nearby.
        """
        self._compare_at(first.arguments, first.result)
        for point in islice(nearby_points(list(first.arguments)), 4):
            with quiet():
                try:
                    expected = eager(*copy.deepcopy(point))
                except Exception:  # the point is gradcli's choice
                    continue
            if is_ordinary(*expected) and self._compare_at(point, expected):
                break
        else:
            raise InconclusiveError("no point nearby has an ordinary gradient")
        self._calls = self._reruns = 0

    def _compare_at(self, point: Sequence[Any], expected: tuple[Any, Any]) -> bool:
        with quiet():
            computed = self.computed(copy.deepcopy(point))
        if computed is EDGE_CASE:
            return False
        if computed is NOTHING or not agrees(computed, expected):
            raise InternalError("the derived program gives another result")
        return True

    def report(self) -> ProgramReport:
        """What runs, and what is guarded."""
        reason = "given up for edge cases" if self._is_given_up else ""
        return ProgramReport(
            self._text, "Python", reason, self._hidden, self._captured.names, self._calls, self._reruns
        )


def _with_hidden_inputs(function: Callable[..., Any], reached: ReachableObjects) -> RewrittenFunction:
    plain = getattr(function, "__func__", function)
    others = [names_in(other.__code__).read for other in reached.functions if other is not plain]
    own = names_in(plain.__code__).read if isinstance(plain, FunctionType) else frozenset()
    is_recursive = isinstance(plain, FunctionType) and plain.__name__ in own
    return with_hidden_inputs(function, lambda name: is_recursive or any(name in read for read in others))
