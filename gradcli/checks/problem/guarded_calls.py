"""The user's function as a check calls it: the same random numbers every time, muted after its first run, in time."""

from __future__ import annotations

import functools
import io
from collections.abc import Callable
from contextlib import redirect_stdout
from types import BuiltinFunctionType
from typing import Any

import numpy as np

from gradcli.checks.problem.compared_case import Over
from gradcli.checks.problem.time_budget import Clock
from gradcli.patching import name_replacement
from gradcli.pytree import leaves, map_leaves
from gradcli.running.program_state import Generators
from gradcli.tape import active_runs


class Lines(io.TextIOBase):
    """A stream that counts the lines it is given, and passes them on where there is another stream."""

    def __init__(self, stream: Any = None) -> None:
        self.stream = stream
        self.count = 0

    def write(self, text: str) -> int:
        """Count."""
        self.count += text.count("\n")
        if self.stream is not None:
            self.stream.write(text)
        return len(text)

    def flush(self) -> None:
        """Pass it on."""
        if self.stream is not None:
            self.stream.flush()


class PlainCalls:
    """The first plain calls of a check, to be made a second time.

    Attributes:
        kept: their arguments and results.
    """

    MOST = 64
    LARGEST = 1_000_000  # numbers in all their arguments

    def __init__(self) -> None:
        self.kept: list[tuple[tuple[Any, ...], Any]] = []
        self._size = 0

    def made(self, function: Callable[..., Any], arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """The result of a call, kept while there is room."""
        size = sum(map(np.size, leaves(list(arguments))))
        if options or len(self.kept) >= self.MOST or self._size + size > self.LARGEST:
            return function(*arguments, **options)
        own = map_leaves(copied, arguments)
        result = function(*arguments)
        self._size += size
        self.kept.append((own, map_leaves(copied, result)))
        return result


def copied(leaf: Any) -> Any:
    """A copy of an array; anything else as it is."""
    return leaf.copy() if isinstance(leaf, np.ndarray) else leaf


def program(
    function: Callable[..., Any], clock: Clock, generators: Generators, calls: PlainCalls | None = None
) -> Callable[..., Any]:
    """`function`, called with care.

    The function has shown what it prints, so that all runs are muted.  Before each run the generators are
    set back.  Where the time is over, or Ctrl-C came during a plain run, that run and all later ones raise `Over`:
    whoever takes differences goes on with what there is.  The plain runs are kept in `calls`.
    """
    muted = Lines()
    calls = calls or PlainCalls()
    function = name_replacement.followed(function) if isinstance(function, BuiltinFunctionType) else function

    @functools.wraps(function, updated=())
    def careful(*arguments: Any, **options: Any) -> Any:
        generators.set_back()
        if active_runs.tape() is not None:
            with redirect_stdout(muted):
                return function(*arguments, **options)
        if clock.stopped is None and clock.over:
            clock.stopped = "out of time"
        if clock.stopped:
            raise Over(clock.stopped)
        try:
            with redirect_stdout(muted):
                return calls.made(function, arguments, options)
        except KeyboardInterrupt:
            clock.stopped = "out of time" if clock.over else "interrupted"
            raise Over(clock.stopped) from None
        finally:
            clock.tick()

    return careful


def begun_alike(function: Callable[..., Any], generators: Generators) -> Callable[..., Any]:
    """`function`, called with the generators set back."""

    @functools.wraps(function, updated=())
    def alike(*arguments: Any, **options: Any) -> Any:
        generators.set_back()
        return function(*arguments, **options)

    return alike
