"""Numbers that a program writes as text and reads back, which loses their derivative without changing a value.

Writing alone is harmless. If a program that has written numbers may have read a text, it is run again, quietly, with
other texts. If its result then differs, it has computed with a number that it read.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.running.bound_call import BoundCall
from gradcli.engine.running.muted_reruns import quiet
from gradcli.engine.running.program_state import without_recorded_values
from gradcli.engine.tape.value import plain_value
from gradcli.errors import DetachedError
from gradcli.shared.pytree import leaves

if TYPE_CHECKING:
    from gradcli.engine.tape.number_texts import Texts

# Names of functions that make numbers of texts and that gradcli does not replace, unlike `float`.
READERS = frozenset({
    "eval", "exec", "literal_eval", "Decimal", "Fraction", "create_decimal", "fromhex", "loads", "load", "loadtxt",
    "genfromtxt", "fromstring", "fromregex", "fromfile", "read_csv", "read_table", "read_json", "safe_load", "atof",
    "getfloat", "fromisoformat", "strptime", "mpf", "mpc", "sympify", "parse_expr", "execute",
})  # fmt: skip
_CHANGES = (1e-3, 0.7)  # relative; the second one shows even if the text is truncated

_FAILED = object()  # in place of the result of a run that raised
_harmless: set[Any] = set()  # lines of programs that were found to read other texts
_MOST_HARMLESS = 4096


def refuse_read(texts: Texts, readers: Readers, result: Any, call: BoundCall, run: Callable[[Texts], Any]) -> None:
    """Refuse a run whose result depends on texts that it has written.

    Args:
        texts: the texts of the run.
        readers: the parts of the program that may have read them.
        result: the result of the run.
        call: the call.
        run: runs it again with other texts and returns its result.

    Raises:
        DetachedError: the result depends on them. It shows the line that makes the text if there is only one, else the
            line that reads it.
    """
    reports_all = not readers.has_silent
    if texts.repeats or (reports_all and not texts.read):
        return
    lines = frozenset(texts.read), readers.codes
    if lines in _harmless:
        return
    repeat, new = partial(_repeated, call, run), type(texts)
    for change in _CHANGES:
        other = repeat(changed := new(change, repeats=True))
        if reports_all and changed.contents <= texts.contents:
            continue  # the texts that the program reads are none that it writes
        if _differ(result, other) and _differ(plain := repeat(new(repeats=True)), other):
            if _differ(plain, repeat(new(repeats=True))):
                return  # a program whose results differ between runs proves nothing
            raise _refusal(texts)
    if len(_harmless) >= _MOST_HARMLESS:
        _harmless.clear()
    _harmless.add(lines)


def _repeated(call: BoundCall, run: Callable[[Texts], Any], texts: Texts) -> Any:
    """The result of a program when run again quietly with these texts; or _FAILED."""
    try:
        with without_recorded_values(call), quiet():
            return run(texts)
    except Exception:
        return _FAILED


class Readers:
    """The functions of a program that may make numbers of texts.

    Attributes:
        codes: the codes of the functions.
        has_silent: whether any of them mentions a reader that, unlike `float`, does not report the texts it reads.
    """

    def __init__(self, functions: Iterable[FunctionType]) -> None:
        self.codes = frozenset(function.__code__ for function in functions)
        self.has_silent = any(not READERS.isdisjoint(names_in(code).read) for code in self.codes)


def _refusal(texts: Texts) -> DetachedError:
    places = texts.made if len(texts.made) == 1 else set(texts.read.values())
    file, line = places.pop() if len(places) == 1 else (None, None)
    return DetachedError(
        "a number is written as text and read back, so its derivative would be lost",
        hint="Compute with the number itself, or use `gradcli.stop_gradient(x)` to treat it as a constant. "
        "`gradcli help G402` says more.",
        file=file,
        line=line,
    )


def _differ(one: Any, other: Any) -> bool:
    """Whether two results differ in structure, or in a number that may have a derivative. False if one run raised."""
    if one is _FAILED or other is _FAILED:
        return False
    numbers, others = _numbers(one), _numbers(other)
    if len(numbers) != len(others):
        return True
    return any(not np.array_equal(x, y, equal_nan=True) for x, y in zip(numbers, others, strict=True))


def _numbers(result: Any) -> list[Any]:
    every = map(plain_value, leaves(result))
    return [
        x
        for x in every
        if isinstance(x, (float, complex)) or getattr(getattr(x, "dtype", None), "kind", "") in ("f", "c")
    ]
