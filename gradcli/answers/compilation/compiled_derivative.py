"""What transforms with `compile=True` return: a derivative that runs a derived program where one fits the call."""

from __future__ import annotations

import functools
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

from gradcli import run_stack
from gradcli.answers.compilation.call_signatures import signatures
from gradcli.answers.compilation.compilation_report import CompilationReport, described
from gradcli.answers.compilation.compiled_transform import FirstCall, Transform
from gradcli.answers.compilation.derived_kernels import parameter_names
from gradcli.answers.compilation.edge_cases import is_ordinary
from gradcli.answers.compilation.specialisations import EDGE_CASE, NOTHING, Specialisation
from gradcli.answers.derivation.formula_source import with_source
from gradcli.engine.patching.name_replacement import function_to_run
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.running.program_state import State
from gradcli.errors import UnsupportedError
from gradcli.methods.transforms.argnums import bound_call
from gradcli.methods.transforms.picklable_derivative import DerivativeFunction

MOST_SPECIALISATIONS = 8
MOST_TRIES = 16  # calls whose value or derivative is not ordinary, after which no program is derived
NOT_ORDINARY = "the first value or derivative is not finite, or the derivative is 0"


class CompiledDerivative(DerivativeFunction):
    """A derivative by derived programs, one for each combination of types, shapes, dtypes and layouts of the arguments.

    The first call with such arguments is eager, and is followed by the derivation. A call at an edge case, and one that
    no program fits, is eager.

    Args:
        f: the function.
        transform: the transform with its options.
        create: creates this derivative.
    """

    def __init__(self, f: Callable[..., Any], transform: Transform, create: functools.partial[Any]) -> None:
        super().__init__(self._computed, f, create)
        self._function = function_to_run(f)
        self._transform, self._with_value = transform, transform.with_value
        self._eager = transform.eager(f)
        self._programs: tuple[Specialisation, ...] = ()
        self._refused: dict[Any, tuple[str, str]] = {}  # by signature or reason
        self._tries = Counter[Any]()
        self._lock = threading.Lock()

    def __call__(self, /, *arguments: Any, **options: Any) -> Any:
        """The derivative; a program in C is called here, as whatever comes before costs more than a short one."""
        if not options:
            for program in self._programs:
                if (result := program.at_once(*arguments)) is not None:
                    program.calls += 1
                    return result if self._with_value else result[1]
        return super().__call__(*arguments, **options)

    def report(self) -> CompilationReport:
        """Which backend runs, why no other, and what is guarded, for each specialisation."""
        programs = tuple(program.report() for program in self._programs)
        function = name_of(self._function)
        return CompilationReport(self._transform.kind, function, programs, tuple(self._refused.values()))

    def note_eager(self, calls: str, reason: str) -> None:
        """Say in the report why some calls are eager."""
        self._refused[reason] = (calls, reason)

    def program_for(self, arguments: Sequence[Any]) -> Specialisation | None:
        """The program for arguments like these; None if there is none."""
        known = signatures(arguments)
        return next((program for program in self._programs if program.signature == known), None)

    def _computed(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if options:
            arguments, options = self.by_position(arguments, options)
            if not options:
                return self(*arguments)
        if options or self._transform.has_aux:
            reason = "as a program takes its arguments by position" if options else "as a program returns no pair"
            self.note_eager("calls by keyword" if options else "calls with has_aux", reason)
            return self.eagerly(arguments, options)
        known = signatures(arguments)
        for program in self._programs:
            if program.signature == known:
                result = program.computed(arguments)
                if result is EDGE_CASE:
                    result = self._eager(*arguments)
                    if self._transform.sparse and is_ordinary(*result):
                        program.unite(result[1])
                if result is not NOTHING:
                    return self._transform.returned(result)
        if run_stack.depth():
            self.note_eager("calls inside another derivative", "which records them")
            return self.eagerly(arguments, options)
        if known is None:
            self.note_eager(described(arguments), "which no program takes")
        if known is None or known in self._refused:
            return self.eagerly(arguments, options)
        if len(self._programs) >= MOST_SPECIALISATIONS:
            self._refused[known] = (described(arguments), f"{MOST_SPECIALISATIONS} programs exist already")
            return self.eagerly(arguments, options)
        return self._first(known, arguments)

    def by_position(
        self, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with those by keyword and defaults before them, if these can be passed by position."""
        plain = getattr(self._function, "__func__", self._function)
        code = getattr(plain, "__code__", None)
        asked = self._transform.argnums
        places = [place for place in (asked if isinstance(asked, tuple) else (asked,)) if isinstance(place, int)]
        is_counted = all(0 <= place < len(arguments) for place in places)
        if code is None or code.co_posonlyargcount or not is_counted or self._transform.kind == "hvp":
            return arguments, options
        names = parameter_names(self._function)
        defaults = plain.__defaults__ or ()
        known = {**dict(zip(reversed(names), reversed(defaults), strict=False)), **options}
        left = names[len(arguments) :]
        taken = left[: 1 + max((left.index(name) for name in options if name in left), default=-1)]
        is_whole = options.keys() <= set(taken) <= known.keys()
        return ((*arguments, *map(known.get, taken)), {}) if is_whole else (arguments, options)

    def eagerly(self, arguments: Sequence[Any], options: dict[str, Any]) -> Any:
        """What the transform returns, recorded."""
        return self._transform.returned(self._eager(*arguments, **options))

    def _first(self, known: Any, arguments: tuple[Any, ...]) -> Any:
        """The eager result of the first call with such arguments, after which a program is derived."""
        if not self._lock.acquire(blocking=False):  # another thread derives one
            return self.eagerly(arguments, {})
        try:
            call = bound_call(self._function, self._transform.argnums, self._transform.point(arguments), {})
            text = described(arguments)
            state = State(call)
            begin = time.perf_counter()
            result = self._eager(*arguments)
            seconds = time.perf_counter() - begin
            try:
                if state.changed():
                    raise UnsupportedError("it changes an object that outlives the call or draws random numbers")
                with quiet():
                    function = with_source(self._function, call.arguments)
                    first = FirstCall(function, self._transform, arguments, call.places, result, seconds)
                    self._specialise(known, first)
            except Exception as error:  # the derivative is known: whatever goes wrong here is said in the report
                self._refuse(known, text, getattr(error, "message", f"{type(error).__name__}: {error}"))
        finally:
            self._lock.release()
        return self._transform.returned(result)

    def _refuse(self, known: Any, text: str, reason: str) -> None:
        """Derive nothing for such arguments; at another call if the first ones are no ordinary points."""
        self._tries[known] += 1
        is_last = reason != NOT_ORDINARY or self._tries[known] >= MOST_TRIES
        self._refused.pop(reason, None)
        self._refused[known if is_last else reason] = (text, reason)

    def _specialise(self, known: Any, first: FirstCall) -> None:
        if not is_ordinary(*first.result):
            raise UnsupportedError(NOT_ORDINARY)
        program = Specialisation(known, first)
        program.compare(first, self._eager)
        self._refused.pop(NOT_ORDINARY, None)
        self._programs = (*self._programs, program)
