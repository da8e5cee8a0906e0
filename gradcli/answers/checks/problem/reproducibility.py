"""Calls of the plain function before the check: whether equal inputs give equal values."""

from __future__ import annotations

import builtins
import io
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from gradcli.answers.checks.problem.captured_numbers import snapshot
from gradcli.answers.checks.problem.seeded_timed_calls import Lines, PlainCalls
from gradcli.answers.checks.problem.time_budget import NoMoreCalls
from gradcli.engine.code.function_contents import under
from gradcli.engine.code.program_errors import program_errors
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.running.program_state import Generators, State
from gradcli.errors import FindingWarning
from gradcli.methods.numerics.coordinates import copied
from gradcli.methods.transforms.custom_functions import Calls, own_code
from gradcli.shared.findings import finding
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.ignored_warnings import ignored_warnings
from gradcli.shared.pytree import leaves
from gradcli.shared.records.result_and_finding import Finding
from gradcli.shared.temporary_settings import temporary_attributes

AGREEMENT = 8 * 2.0**-52  # relative tolerance for two runs, which may add up sums in different orders
CALLS = 8  # calls after the first two, which may agree by chance
SECONDS = 0.05  # time limit for those calls


@dataclass
class ProbeResults:
    """The results of probing a function.

    Attributes:
        findings: the findings.
        repeatable: whether equal inputs give equal values, with the random generators reset if necessary.
        seconds: the time that one call takes, in seconds; the least of several calls, as the first may load libraries.
    """

    findings: list[Finding] = field(default_factory=list)
    repeatable: bool = True
    seconds: float = 0.0


class Probe:
    """Calls a function several times and compares the results.

    Args:
        function: the user's function.
        generators: the random generators that it may use.
        name: the user's name for it.
    """

    def __init__(self, function: Callable[..., Any], generators: Generators, name: str) -> None:
        self.function = function
        self.generators = generators
        self.name = name
        self.probed = ProbeResults()
        self.custom: Calls = {}  # the functions with a derivative of their own that were called
        self.lines = Lines(sys.stdout)
        self.state: State | None = None  # before the first call
        self.before: dict[str, Any] = {}
        own = getattr(under(function), "__code__", None)
        self.place = {"file": own.co_filename, "line": own.co_firstlineno} if own is not None else {}

    def run(self, arguments: Callable[[], list[Any]]) -> ProbeResults:
        """Probe the function, then restore its state. An exception ends the probe; the check will report it."""
        try:
            self._compare(arguments)
        except program_errors():
            return self.probed
        finally:
            self._begin_again()
        if self.lines.count:
            lines = self.lines.count
            message = f"{self.name} prints {lines} line{'s' if lines > 1 else ''} per call; later calls are muted"
            self.probed.findings.append(finding("G904", message, **self.place))
        return self.probed

    def _compare(self, arguments: Callable[[], list[Any]]) -> None:
        state = self.state = State(BoundCall.of_inputs(self.function, arguments()))
        self.before = snapshot(self.function)
        with _opened_to_write() as written:
            first, started = self._first_call(arguments()), time.perf_counter()
        if written:
            self._say("G903", f"{self.name} writes {_listed(written)} at each call, and is called many times")
        with quiet():
            self._compare_calls(first, started, state, arguments)

    def _compare_calls(self, first: Any, started: float, state: State, arguments: Callable[[], list[Any]]) -> None:
        """Compare the first result, known since `started`, with those of further calls."""
        second = self._call(arguments())
        self.probed.seconds = time.perf_counter() - started
        other = second if not equal_up_to_rounding(first, second) else self._unlike(first, arguments)
        if other is None:
            return
        drawn = self.generators.changed()
        self.generators.restore()
        third = self._call(arguments())
        self.generators.frozen = True
        if drawn and self._unlike(third, arguments, least=1) is None:
            message = (
                f"{difference_text(first, other)}; equal once the random generators are reset, as they are from now on"
            )
            self._say("G901", message)
            return
        self.probed.repeatable = self.generators.frozen = False
        changed = self._changed()
        if changed and self._follows_its_state(first, state, arguments):
            self._say("G412", f"{difference_text(first, other)}, and {_listed(changed)} changed meanwhile")
        else:
            self._say("G902", f"{difference_text(first, other)}; it is not a function of its inputs")

    def draw(self, arguments: list[Any]) -> None:
        """Leave the generators in the state after one more run."""
        self.generators.restore()
        with quiet():
            self._call(arguments)

    def again(self, function: Callable[..., Any], calls: PlainCalls) -> Finding | None:
        """A finding G412 if a kept call has another result when it is repeated after another call than before.

        The first call is repeated after the second. The others follow only if some state of the function has changed.
        """
        if self.state is None:
            return None
        kept = [*calls.kept[1::-1], *calls.kept[:1:-1]]  # backwards: in the same order the results may repeat too
        for count, (arguments, first) in enumerate(kept):
            if count == 2 and not self.state.changed():
                return None
            try:
                second = function(*copied(arguments))
            except NoMoreCalls:
                return None
            except program_errors():  # it returned before, so it is not a function of its inputs
                second = np.nan
            if not equal_up_to_rounding(first, second):
                changed = _listed(self._changed()) or "some of its state"
                message = f"{difference_text(first, second)}, and {changed} changed meanwhile"
                return finding("G412", message, **self.place)
        return None

    def state_finding(self) -> Finding | None:
        """A finding G412 if calls have changed what the function reads, such as a cache; it may explain a dispute."""
        if self.state is None or not self.state.changed() or not (changed := self._changed()):
            return None
        message = f"{self.name} changes {_listed(changed)}: a call may return what an earlier call has computed"
        return finding("G412", message, **self.place)

    def _changed(self) -> list[str]:
        """The names that the function reads and whose values have changed since before its first call."""
        return [name for name, then in snapshot(self.function).items() if then != self.before.get(name)]

    def _unlike(self, first: Any, arguments: Callable[[], list[Any]], least: int = 0) -> Any:
        """The result of a further call if it differs from the first; None if none does, or if there is no time."""
        calls = int(min(CALLS, SECONDS / max(self.probed.seconds, 1e-9)))
        for _ in range(max(calls, least)):
            if self.generators.frozen:
                self.generators.restore()
            started = time.perf_counter()
            if not equal_up_to_rounding(first, result := self._call(arguments())):
                return result
            self.probed.seconds = min(self.probed.seconds, time.perf_counter() - started)
        return None

    def _follows_its_state(self, first: Any, state: State, arguments: Callable[[], list[Any]]) -> bool:
        """Whether the function gives its first result again once its state is restored."""
        _restore(state)
        return equal_up_to_rounding(first, self._call(arguments()))

    def _begin_again(self) -> None:
        """Restore what the calls have changed, such as a cache: the recorded run then reads what it reads in `grad`."""
        if self.state is not None and self.state.changed():
            _restore(self.state)
        self.generators.restore()

    def _first_call(self, given: list[Any]) -> Any:
        """Call the function, show what it prints, and report an argument that it modifies."""
        before = [np.array(leaf) for leaf in leaves(given)]
        with temporary_attributes(sys, stdout=self.lines), ignored_float_errors():
            result = self._call(given)
        if any(not np.array_equal(a, b, equal_nan=True) for a, b in zip(before, leaves(given), strict=False)):
            self._say("G407", f"{self.name} modifies an argument; each call got a copy")
        return result

    def _call(self, given: list[Any]) -> Any:
        with own_code(self.custom):
            return copied(self.function(*given))

    def _say(self, code: str, text: str) -> None:
        self.probed.findings.append(finding(code, text, **self.place))


def _restore(state: State) -> None:
    """Restore the state of a program, without a word on iterators, which stay where they are."""
    with ignored_warnings(FindingWarning):
        state.restore()


@contextmanager
def _opened_to_write() -> Iterator[list[str]]:
    """Collect the names of the files that a run opens for writing."""
    files: list[str] = []
    usual = builtins.open
    names = [vars(builtins), vars(io)]

    def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if not set("wax+").isdisjoint(mode) and isinstance(file, (str, bytes, os.PathLike)):
            files.append(os.fsdecode(file))
        return usual(file, mode, *arguments, **options)

    try:
        for namespace in names:
            namespace["open"] = opened
        yield files
    finally:
        for namespace in names:
            namespace["open"] = usual


def equal_up_to_rounding(first: Any, second: Any) -> bool:
    """Whether two results are equal up to rounding."""
    if type(first) is float and first == second:  # as most are
        return True
    pairs = list(zip(leaves(first), leaves(second), strict=False))
    try:
        with ignored_float_errors():  # NumPy ignores some inside `allclose`
            return all(np.allclose(a, b, rtol=AGREEMENT, atol=0.0, equal_nan=True) for a, b in pairs)
    except TypeError:
        return True


def difference_text(first: Any, second: Any) -> str:
    """Describe two results that differ."""
    if np.ndim(first) == 0 and np.ndim(second) == 0:
        return f"two calls with the same inputs gave {float(first):.17g} and {float(second):.17g}"
    return "two calls with the same inputs gave different numbers"


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))


def reused_array_finding(
    function: Callable[..., Any], arguments: Callable[[], list[Any]], name: str
) -> Iterator[Finding]:
    """A finding G408 if a hand-written gradient returns the same array object at each call."""
    with quiet():
        try:
            first, second = function(*arguments()), function(*arguments())
        except program_errors():
            return
    if first is second and isinstance(first, np.ndarray):
        yield finding("G408", f"{name} returns the same array object at each call; each result was copied")


def shared_input_findings(values: list[tuple[str, Any]]) -> Iterator[Finding]:
    """Findings about inputs that are the same array, or that overlap in memory."""
    arrays = [(name, value) for name, value in values if isinstance(value, np.ndarray)]
    for n, (name, value) in enumerate(arrays):
        for other, another in arrays[n + 1 :]:
            if value is another:
                yield finding("G409", f"{name} and {other} are the same array; their derivatives are shown separately")
            elif np.may_share_memory(value, another) and np.shares_memory(value, another):
                yield finding("G310", f"{name} and {other} share memory; each call gets copies of its own")
