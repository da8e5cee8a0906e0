"""The library's warnings of a derivative: which signs make it look for findings, and the findings that it warns of.

`diagnose.run_findings` decides what is said. It needs names and lines, which the tape of a plain derivative does
not store, so the program is run again, quietly, with its state restored. It is run again only at a sign, once for each:
a number that is not finite; nothing but zeros, where the tape shows a flat operation or an underflow; a jump inside an
integral; a comparison of equal numbers.
"""

from __future__ import annotations

import re
import sys
import threading
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from gradcli.engine.code.stack_frames import Place, is_ours
from gradcli.engine.patching.name_replacement import code_of
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.muted_reruns import is_quiet, quiet
from gradcli.engine.running.program_state import unchanged
from gradcli.engine.tape.equal_operands import equal_operands, orders_equal
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import is_recorded
from gradcli.engine.traces.node import STOP_GRADIENT, so_far
from gradcli.engine.traces.trace import Trace, record_trace
from gradcli.errors import DetachedError, FindingWarning
from gradcli.methods.transforms.argnums import names_of
from gradcli.shared import devices
from gradcli.shared.findings import finding
from gradcli.shared.frozen_record import Frozen
from gradcli.shared.pytree import all_finite, leaves
from gradcli.shared.records.result_and_finding import Finding

NOT_FINITE = frozenset(("G101", "G102", "G104", "G106", "G107", "G108", "G110", "G209"))
ZERO = frozenset(("G109", "G205", "G206", "G503"))
ISOLATED = frozenset(("G204", "G206"))
JUMP = frozenset(("G212",))


class Derivative(Frozen):
    """A derivative that a transform has computed, with the run that it was computed from.

    Attributes:
        call: the call that was run.
        tape: its tape.
        start: the number of rows before the run.
        entered: the inputs that the derivative is by; of a product, those that move.
        result: what the function returned, or the numbers of it that count.
        value: the plain value.
        derivative: the derivative, as plain numbers.
        has_aux: whether the function returns a pair, whose first element is the result.
        cotangent, tangents: what the derivative was multiplied by; None if it is no product.
    """

    call: BoundCall
    tape: Tape
    start: int
    entered: Any
    result: Any
    value: Any
    derivative: Any
    has_aux: bool = False
    cotangent: Any = None
    tangents: tuple[Any, ...] | None = None

    @property
    def numbers(self) -> list[Any]:
        """The numbers and arrays of value and derivative."""
        return [*leaves(self.value), *leaves(self.derivative)]


def warn(derivative: Derivative) -> None:
    """Warn of the findings of a derivative, once per line and code. Called where there may be some."""
    if (is_quiet() and _collecting.findings is None) or any(map(devices.on_device, derivative.numbers)):
        return
    signs = dict(_signs(derivative))
    if not signs:
        return
    is_new = [_warn_once(finding) for finding in _found(derivative, signs)]
    for codes, sign in signs.items():
        if any(is_new) and codes is not ZERO:
            _times.pop(sign, None)


def may_have_findings(tape: Tape, value: Any, derivative: Any) -> bool:
    """Whether a derivative has a sign of findings. An ordinary one costs a look at its first number."""
    return (
        tape.run.doubted
        or not all(map(_is_finite, leaves(value)))
        or (not tape.has_arrays and not all_finite(derivative))
        or is_zero(derivative)
        or bool(tape.outcomes and (tape.run.jumps or equal_operands(tape)))
    )


def _is_finite(number: Any) -> bool:
    """Whether a number or an array is finite. Of those on a device nothing is known."""
    return devices.on_device(number) or all_finite(number)


def _signs(derivative: Derivative) -> Iterator[tuple[Collection[str], tuple[Any, ...]]]:
    """Yield the codes to look for, each with the sign that makes findings of these codes likely."""
    tape, code = derivative.tape, _program(derivative.call)
    finite = tuple(bool(np.all(np.isfinite(number))) for number in derivative.numbers)
    if not all(finite):
        from gradcli.engine.tape.row_graph import first_not_finite

        index, rule = first_not_finite(tape)
        if _is_due((code, rule, finite), index):
            yield NOT_FINITE, (code, rule, finite)
        return
    if is_zero(derivative.derivative) and (name := _flat(derivative)) and _is_due((code, "zero"), (name, len(tape))):
        yield ZERO, (code, "zero")
    if tape.run.jumps and _is_due((code, "jump"), len(tape)):
        yield JUMP, (code, "jump")
    if tape.run.singular and tape.run.recorded_sweeps:
        return  # the derivatives beside the point have judged it
    if tape.outcomes and (names := equal_operands(tape)) and _is_due((code, "equal"), (names, len(tape))):
        yield ISOLATED, (code, "equal")


def _program(call: BoundCall) -> tuple[Any, str]:
    """The code of a function and its file, as equal code of another file is equal to it."""
    code = code_of(call.function)
    return code, getattr(code, "co_filename", "")


def _is_due(sign: tuple[Any, ...], detail: Any) -> bool:
    """Whether to look for findings at a sign: once per detail, and at the first, second, fourth, eighth … detail.

    The detail is where the sign was met, which moves in a loop of another length.
    """
    if _collecting.findings is not None:
        return True  # what is shown is shown each time
    if (*sign, detail) in _looked_at:
        return False
    _times[sign] += 1
    if _times[sign].bit_count() > 1:
        return False
    if len(_looked_at) >= _MOST_LOOKED_AT:
        _looked_at.clear()
        _times.clear()
    _looked_at.add((*sign, detail))
    return True


_looked_at: set[tuple[Any, ...]] = set()  # signs with their details
_times: Counter[tuple[Any, ...]] = Counter()  # how many details a sign had since its last new warning
_MOST_LOOKED_AT = 4096


def _flat(derivative: Derivative) -> str | None:
    """The flat or vanished step that makes a derivative zero, from the tape alone; None if there is none."""
    from gradcli.methods.diagnose.input_paths import first_flat
    from gradcli.methods.diagnose.suspicious_steps import first_vanished

    tape = derivative.tape
    if tape.run.gradients:
        return "inside" if tape.run.doubted else first_vanished(so_far(tape, derivative.start)[0])
    nodes, outcomes = so_far(tape, derivative.start)
    inputs, results = _indices(derivative.entered), _indices(derivative.result)
    met = first_flat(nodes, outcomes, inputs, results)
    if met is not None:
        return met.name
    is_cut = bool(outcomes) and all(outcome.name != STOP_GRADIENT for outcome in outcomes)
    return first_vanished(nodes) or ("comparison" if is_cut else None)


def _indices(structure: Any) -> list[int]:
    return [leaf.index for leaf in leaves(structure) if is_recorded(leaf)]


def is_flat(tape: Tape, start: int, entered: Any, result: Any) -> bool:
    """Whether the inputs act on the result only through flat operations, so that all derivatives are 0."""
    from gradcli.methods.diagnose.input_paths import first_flat

    return first_flat(*so_far(tape, start), _indices(entered), _indices(result)) is not None


def _found(derivative: Derivative, signs: Mapping[Collection[str], Any]) -> list[Finding]:
    """The findings with the codes of some signs.

    Those of transforms inside the program come first; these explain what the outermost one cannot.
    """
    again, codes = derivative.call.by_inputs(), frozenset().union(*signs)
    findings: list[Finding] = []
    if derivative.tape.run.gradients:
        with unchanged(derivative.call), quiet(), collected() as findings:
            again.function(*again.arguments)
    left = [sign for sign in signs if not any(inner.code in sign for inner in findings)]
    if left and (ZERO not in left or not derivative.tape.run.gradients):
        with unchanged(derivative.call), quiet(), suppress(DetachedError):  # it finds a cached result now
            findings += _of_the_whole(derivative, again, codes)
    if NOT_FINITE in signs and not any(finding.code in NOT_FINITE for finding in findings):
        findings.append(finding("G102", "the derivative has numbers that are not finite"))
    return [finding for finding in findings if finding.code in codes and finding.severity != "note"]


def _of_the_whole(derivative: Derivative, again: BoundCall, codes: Collection[str]) -> list[Finding]:
    from gradcli.methods.diagnose.run_findings import derivative_findings

    trace = record_trace(_one_number(derivative, again.function), again.arguments, names=True)
    names = _names(trace, again)
    point = dict(zip(names, again.arguments, strict=True))
    finite = NOT_FINITE.isdisjoint(codes)
    findings = derivative_findings(trace, lambda: trace, point, names, finite=finite, notes=False)
    is_product = derivative.cotangent is not None or derivative.tangents is not None
    is_of_several = is_product or sum(map(np.size, leaves(derivative.value))) > 1
    return [finding for finding in findings if finding.code != "G209" or not is_of_several]  # a limit of the program's


def _one_number(derivative: Derivative, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of one number that has a finding where the derivative has one."""
    from gradcli.methods.transforms import one_number

    function = one_number.first_of_pair(function) if derivative.has_aux else function
    if derivative.tangents is not None:
        return one_number.along(function, derivative.tangents)
    if derivative.cotangent is not None:
        return one_number.inner_product(function, derivative.cotangent)
    return one_number.weighted_sum(function)


def _names(trace: Trace, call: BoundCall) -> list[str]:
    """The names of a call's inputs: the user's variables if they differ, else by position."""
    names = names_of(call.function, len(call.arguments))
    for n, structure in enumerate(trace.inputs):
        if (indices := leaves(structure)) and (name := trace.nodes[indices[0]].name):
            names[n] = re.split(r"[\[.#]", name)[0]
    return names if len(set(names)) == len(names) else [f"input {n + 1}" for n in range(len(names))]


def warn_of_steps(call: BoundCall, code: str, steps: Sequence[int], message: Callable[[str], str]) -> None:
    """Warn of steps of a run, given by their rows. The run is repeated to find their lines, once per program.

    Without rows, the line is that of the first order of equal numbers. `message` makes the text from the names of the
    operations. In the library, a note raises no warning.
    """
    from gradcli.shared.findings.catalogue import CATALOGUE  # with all its texts

    is_shown = _collecting.findings is not None
    is_mute = is_quiet() or CATALOGUE[code].severity == "note"
    if not is_shown and (is_mute or not _is_due((_program(call), code), tuple(steps))):
        return
    again = call.by_inputs()
    try:
        with unchanged(call), quiet():
            trace = record_trace(again.function, again.arguments, names=True)
    except DetachedError:  # it finds a cached result now
        return
    met = [(node.operation, node.place) for node in (trace.nodes[at] for at in steps if at < len(trace.nodes))]
    if not steps:  # none but the order of equal numbers
        met = [
            (outcome.name, outcome.place) for outcome in trace.outcomes if orders_equal(outcome.name, outcome.operands)
        ][:1]
    names = list(dict.fromkeys(name for name, _ in met))
    file, line = next((place for _, place in met if place), (None, None))
    _warn_once(finding(code, message(" and ".join(names[:MOST_NAMED])), file=file, line=line))


MOST_NAMED = 3


class _Collecting(threading.local):
    findings: list[Finding] | None = None


_collecting = _Collecting()


@contextmanager
def collected() -> Iterator[list[Finding]]:
    """Collect the findings instead of warning of them, for callers that show findings."""
    before, _collecting.findings = _collecting.findings, []
    try:
        yield _collecting.findings
    finally:
        _collecting.findings = before


def _warn_once(finding: Finding) -> bool:
    """Warn, unless the line already had a warning with this code. Return whether it was new."""
    if _collecting.findings is not None:
        _collecting.findings.append(finding)
        return True
    place = (finding.file, finding.line) if finding.file and finding.line else _line_of_caller()
    if (finding.code, *place) in _warned:
        return False
    _warned.add((finding.code, *place))
    warnings.warn_explicit(f"{finding.code}: {finding.message}", FindingWarning, *place)
    return True


_warned: set[tuple[str, str, int]] = set()  # the warnings issued: one per line and code


def is_zero(numbers: Any) -> bool:
    """Whether all numbers in a structure are 0. Of those on a device nothing is known."""
    first = numbers
    while type(first) is list and first:
        first = first[0]
    if (type(first) is np.ndarray and first.size and first.item(0)) or (type(first) is float and first):
        return False  # as nearly always
    for leaf in leaves(numbers):
        if type(leaf) is np.ndarray:
            if leaf.size and (leaf.item(0) or leaf.any()):
                return False
        elif devices.on_device(leaf) or leaf:
            return False
    return True


def _line_of_caller() -> Place:
    """The file and line of the user's code that called gradcli."""
    frame = sys._getframe(1)
    while frame.f_back is not None and is_ours(frame):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno
