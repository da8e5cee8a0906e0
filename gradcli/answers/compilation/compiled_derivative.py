"""What `gradcli.grad(f, compile=True)` returns: a gradient that runs a derived program where one fits the call."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from gradcli import run_stack
from gradcli.answers.compilation.call_signatures import signatures
from gradcli.answers.compilation.captured_data import TooLargeError
from gradcli.answers.compilation.compilation_report import CompilationReport, described
from gradcli.answers.compilation.derived_kernels import parameter_names
from gradcli.answers.compilation.edge_cases import UnknownCallError, is_ordinary
from gradcli.answers.compilation.program_effects import EffectError
from gradcli.answers.compilation.specialisations import EDGE_CASE, NOTHING, FirstCall, Specialisation
from gradcli.engine.patching.name_replacement import function_to_run
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.running.program_state import State
from gradcli.errors import GradcliError
from gradcli.methods.transforms.argnums import Argnums, bound_call
from gradcli.methods.transforms.gradients import value_and_grad
from gradcli.methods.transforms.picklable_derivative import DerivativeFunction
from gradcli.shared.frozen_record import Frozen

MOST_SPECIALISATIONS = 8


class Options(Frozen):
    """The options of a transform: the arguments to differentiate by, and what is returned beside the gradient."""

    argnums: Argnums
    has_aux: bool
    with_value: bool


class CompiledDerivative(DerivativeFunction):
    """A gradient by derived programs, one for each combination of types, shapes, dtypes and layouts of the arguments.

    The first call with such arguments is eager, and is followed by the derivation. A call at an edge case, and one that
    no program fits, is eager.

    Args:
        f: the function.
        options: those of the transform.
        create: creates this derivative.
    """

    def __init__(self, f: Callable[..., Any], options: Options, create: functools.partial[Any]) -> None:
        super().__init__(self._computed, f, create)
        self._function = function_to_run(f)
        self._options = options
        self._eager = value_and_grad(f, options.argnums, options.has_aux)
        self._programs: tuple[Specialisation, ...] = ()
        self._refused: dict[Any, tuple[str, str]] = {}
        self._lock = threading.Lock()

    def report(self) -> CompilationReport:
        """Which backend runs, why no other, and what is guarded, for each specialisation."""
        programs = tuple(program.report() for program in self._programs)
        return CompilationReport(name_of(self._function), programs, tuple(self._refused.values()))

    def _computed(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        if options:
            arguments, options = self._by_position(arguments, options)
        if not options:
            for program in self._programs:
                if (result := program.computed_at_once(arguments)) is not None:
                    return result if self._options.with_value else result[1]
        if options or self._options.has_aux:
            self._refused[None] = ("keywords" if options else "has_aux", "which no program takes or returns")
            return self._eagerly(arguments, options)
        known = signatures(arguments)
        for program in self._programs:
            if program.signature == known:
                result = program.computed(arguments)
                if result is EDGE_CASE:
                    return self._eagerly(arguments, options)
                if result is not NOTHING:
                    return self._returned(result)
        if known is None or known in self._refused or run_stack.depth():
            return self._eagerly(arguments, options)
        if len(self._programs) >= MOST_SPECIALISATIONS:
            self._refused[known] = (described(arguments), f"{MOST_SPECIALISATIONS} programs exist already")
            return self._eagerly(arguments, options)
        return self._first(known, arguments)

    def _by_position(
        self, arguments: tuple[Any, ...], options: dict[str, Any]
    ) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with those by keyword, if these are the next parameters and not differentiated by."""
        asked = self._options.argnums
        places = asked if isinstance(asked, tuple) else (asked,)
        code = getattr(getattr(self._function, "__func__", self._function), "__code__", None)
        if (
            code is None
            or code.co_posonlyargcount
            or not all(isinstance(place, int) and place >= 0 for place in places)
        ):
            return arguments, options
        names = parameter_names(self._function)[len(arguments) :][: len(options)]
        is_next = set(names) == set(options) and all(int(place) < len(arguments) for place in places)
        return ((*arguments, *(options[name] for name in names)), {}) if is_next else (arguments, options)

    def _eagerly(self, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        return self._returned(self._eager(*arguments, **options))

    def _returned(self, result: tuple[Any, Any]) -> Any:
        """The result of the transform from the value and the gradient."""
        if self._options.with_value:
            return result
        return (result[1], result[0][1]) if self._options.has_aux else result[1]

    def _first(self, known: Any, arguments: tuple[Any, ...]) -> Any:
        """The eager result of the first call with such arguments, after which a program is derived."""
        if not self._lock.acquire(blocking=False):  # another thread derives one
            return self._eagerly(arguments, {})
        try:
            call = bound_call(self._function, self._options.argnums, arguments, {})
            text = described(arguments)
            state = State(call)
            result = self._eager(*arguments)
            try:
                if state.changed():
                    raise EffectError("it changes an object that outlives the call or draws random numbers")
                is_tuple = isinstance(self._options.argnums, tuple)
                with quiet():
                    self._specialise(known, FirstCall(self._function, arguments, call.places, is_tuple, result))
            except Exception as error:  # the gradient is known: whatever goes wrong here is said in the report
                self._refused[known] = (text, _reason(error))
        finally:
            self._lock.release()
        return self._returned(result)

    def _specialise(self, known: Any, first: FirstCall) -> None:
        if not is_ordinary(*first.result):
            raise EffectError("the first value or gradient is not finite, or the gradient is 0")
        program = Specialisation(known, first)
        program.compare(first, self._eager)
        self._programs = (*self._programs, program)


def _reason(error: Exception) -> str:
    if isinstance(error, (EffectError, UnknownCallError, TooLargeError)):
        return str(error)
    return error.message if isinstance(error, GradcliError) else f"{type(error).__name__}: {error}"
