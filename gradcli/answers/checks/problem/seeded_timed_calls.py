"""Calls of the user's function in a check: with the same random numbers, muted, and within the time limit."""

from __future__ import annotations

import functools
import io
import sys
from collections.abc import Callable
from typing import Any

from gradcli.answers.checks.problem import same_integrator_steps
from gradcli.answers.checks.problem.time_budget import Clock, NoMoreCalls
from gradcli.engine.patching import name_replacement
from gradcli.engine.running.muted_reruns import Nowhere, is_quiet
from gradcli.engine.running.program_state import Generators
from gradcli.methods.numerics.coordinates import copied
from gradcli.methods.transforms.custom_functions import own_code
from gradcli.run_stack import depth
from gradcli.shared.temporary_settings import temporary_attributes


class Lines(io.TextIOBase):
    """A stream that counts the lines written to it, and passes them on to another stream."""

    def __init__(self, stream: Any) -> None:
        self.stream = stream
        self.count = 0

    def write(self, text: str) -> int:
        """Count the lines of a text, and pass it on."""
        self.count += text.count("\n")
        self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Flush the other stream."""
        self.stream.flush()

    def close(self) -> None:
        """Leave the other stream as it is; the user's code may have closed it, so that it cannot be flushed."""


class PlainCalls:
    """The first plain calls of a check, kept to be repeated.

    Args:
        size: how many numbers the arguments of a call have.

    Attributes:
        kept: the arguments and results of the calls.
    """

    MOST = 64
    LARGEST = 1_000_000  # numbers in all kept arguments

    def __init__(self, size: int) -> None:
        self.kept: list[tuple[tuple[Any, ...], Any]] = []
        self._most = min(self.MOST, self.LARGEST // max(size, 1))

    def made(self, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Make a call, and keep it while there is room, unless it needs the steps of another run."""
        if options or len(self.kept) >= self._most or same_integrator_steps.are_held():
            return function(*arguments, **options)
        own = copied(arguments)
        result = function(*arguments)
        self.kept.append((own, copied(result)))
        return result


def program(
    function: Callable[..., Any], clock: Clock, generators: Generators, calls: PlainCalls
) -> Callable[..., Any]:
    """Wrap `function` for careful calls.

    All runs are muted, because the probe has already shown what the function prints. The random generators are reset
    before each run, and the limit of recursion after it. When the time is over, or Ctrl-C interrupts a plain run, that
    run and all later ones raise `NoMoreCalls`, and the differences continue with the values that they have. The plain
    runs are kept in `calls`. Functions with a derivative of their own run by their own code.
    """
    nowhere, limit = Nowhere(), sys.getrecursionlimit()
    function = name_replacement.function_to_run(function)

    @functools.wraps(function, updated=())
    def careful(*arguments: Any, **options: Any) -> Any:
        if generators.frozen:
            generators.restore()
        run = recorded if depth() else plain
        if is_quiet():
            return run(arguments, options)
        with temporary_attributes(sys, stdout=nowhere):
            return run(arguments, options)

    def recorded(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        try:
            with own_code({}):
                return function(*arguments, **options)
        finally:
            sys.setrecursionlimit(limit)

    def plain(arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        clock.begin_call()
        try:
            return calls.made(function, arguments, options)
        except KeyboardInterrupt:
            clock.stopped = "out of time" if clock.over else "interrupted"
            raise NoMoreCalls(clock.stopped) from None
        finally:
            sys.setrecursionlimit(limit)

    return careful


def begun_alike(function: Callable[..., Any], generators: Generators) -> Callable[..., Any]:
    """Wrap `function` to be called with the random generators reset."""

    @functools.wraps(function, updated=())
    def alike(*arguments: Any, **options: Any) -> Any:
        if generators.frozen:
            generators.restore()
        return function(*arguments, **options)

    return alike
