"""Warnings about a gradient that is not finite, or zero because the inputs act only through flat operations."""

from __future__ import annotations

import threading
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from gradcli import devices
from gradcli.code.stack_frames import line_of_caller
from gradcli.errors import FindingWarning
from gradcli.patching.name_replacement import code_of
from gradcli.pytree import leaves
from gradcli.running.bound_call import BoundCall, name_of
from gradcli.running.muted_reruns import is_quiet, quiet
from gradcli.running.program_state import unchanged
from gradcli.tape.accumulation import UNTOUCHED
from gradcli.tape.row_graph import first_not_finite
from gradcli.tape.tape import Tape
from gradcli.tape.value import Value, is_recorded
from gradcli.traces.node import so_far
from gradcli.traces.trace import record_trace


def warn_not_finite(call: BoundCall, tape: Tape, numbers: Sequence[Any]) -> None:
    """Warn of the line where a value or a sensitivity first became infinite or nan, once per line.

    The tape of a plain gradient stores no lines, so the program is run again, unless the same step was diagnosed
    before. The output of that run is suppressed, and the state of the program is restored.
    """
    if is_quiet() or any(map(devices.on_device, numbers)):
        return
    finite = tuple(bool(np.all(np.isfinite(number))) for number in numbers)
    index, rule = first_not_finite(tape)
    step = code_of(call.function), rule, finite
    if all(finite) or (*step, index) in _diagnosed:
        return
    _moved[step] += 1
    if _moved[step].bit_count() > 1:  # a loop of another length moves the step; warn the 1st, 2nd, 4th, 8th time
        return
    if len(_diagnosed) >= _MOST_DIAGNOSED:
        _diagnosed.clear()
        _moved.clear()
    _diagnosed.add((*step, index))

    from gradcli.diagnose.nonfinite import first_nonfinite_findings

    again = call.by_inputs()
    with unchanged(call), quiet():
        found = first_nonfinite_findings(record_trace(again.function, again.arguments, names=True))
    is_new = [_warn_once(each.code, each.message, (each.file or "gradcli", each.line or 1)) for each in found]
    if any(is_new):
        del _moved[step]


# Programs with the rule of their first step that was not finite, which results were finite, and the index of the step.
_diagnosed: set[tuple[Any, ...]] = set()
_moved: Counter[tuple[Any, ...]] = Counter()  # how often the step had another index since the last new warning
_MOST_DIAGNOSED = 4096


class _Collecting(threading.local):
    found: list[tuple[str, str, tuple[str, int]]] | None = None


_collecting = _Collecting()


@contextmanager
def collected() -> Iterator[list[tuple[str, str, tuple[str, int]]]]:
    """Collect warnings instead of issuing them: the code, message and place of each, for callers that show findings."""
    before, _collecting.found = _collecting.found, []
    try:
        yield _collecting.found
    finally:
        _collecting.found = before


def _warn_once(code: str, message: str, place: tuple[str, int]) -> bool:
    """Warn, unless the line already had a warning with this code. Return whether it was new."""
    if _collecting.found is not None:
        _collecting.found.append((code, message, place))
        return True
    if (code, *place) in _warned:
        return False
    _warned.add((code, *place))
    warnings.warn_explicit(f"{code}: {message}", FindingWarning, *place)
    return True


_warned: set[tuple[str, str, int]] = set()  # the warnings issued: one per line and code


def is_untouched(entered: Any, cts: Sequence[Any]) -> bool:
    """Whether there are numbers or arrays in some arguments and none of them has a cotangent."""
    first = entered
    while (kind := type(first)) is list or kind is tuple:
        if not first:
            break
        first = first[0]
    if issubclass(kind, Value) and first.index < len(cts) and cts[first.index] is not UNTOUCHED:
        return False
    found = leaves(entered)
    return bool(found) and all(leaf.index >= len(cts) or cts[leaf.index] is UNTOUCHED for leaf in found)


def is_zero(numbers: Any) -> bool:
    """Whether all numbers in a structure are 0."""
    return not any(
        leaf if np.ndim(leaf) == 0 else leaf.size and (leaf[(0,) * leaf.ndim] or np.any(leaf))
        for leaf in leaves(numbers)
    )


def warn_flat(f: Any, tape: Tape, start: int, entered: Any, result: Any) -> None:
    """Warn if the inputs act on the result only through flat operations, so that all derivatives are 0; once per line.

    The tape suffices. In a nested gradient only the inner one warns: a straight line's zero second derivative is right.
    """
    if is_quiet():
        return

    from gradcli.diagnose.input_paths import ONLY_OUTCOMES, first_flat

    inputs = [leaf.index for leaf in leaves(entered) if is_recorded(leaf)]
    results = [leaf.index for leaf in leaves(result) if is_recorded(leaf)]
    met = first_flat(*so_far(tape, start), inputs, results)
    if met is None:
        return

    from gradcli.diagnose.outcome_lines import place_of

    which = f"the input of {name_of(f)}" if len(inputs) == 1 else f"every input of {name_of(f)}"
    message = f"{which} {ONLY_OUTCOMES}: its derivative is exactly 0; the first of them is {met.name}"
    _warn_once("G205", message, place_of(f, met.name) or line_of_caller())
