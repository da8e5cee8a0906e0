"""The operators of recorded arrays, compiled from the rule table: a recorder with as little of our own as possible.

They do what NumPy's dispatch would do, without the way through it: an array operation on a few numbers costs NumPy half
a microsecond, and should not cost us five.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from gradcli.language.emit import ARRAY, emit
from gradcli.rules.elementwise import POW, POWERS
from gradcli.rules.table import Elementwise, array_functions, compile_source, scope_of
from gradcli.tape.compiled import operation
from gradcli.tape.kept import kept
from gradcli.tape.lean import LARGE, thinned
from gradcli.tape.value import foreign

_SOURCE = """
def method(self, other):
    kind = type(other)
    tape = self.tape
    if kind is Array:
        if other.tape is not tape:
            foreign()
        x = {left}._value
        y = {right}._value
        v = {value}
        row = (both, v, {left}.index, x, {right}.index, y)
{special}    elif kind is float or kind is ndarray or kind is int or kind is float64:  # no set: it hashes
        if kind is ndarray:
            if other.dtype.kind not in "fiub":
                return other_kind(self, other)
            other = kept(other, tape)
        x = {x}
        y = {y}
        v = {value}
        row = (one, v, {places})
    else:
        return other_kind(self, other)
    rows = tape.rows
    handle = new(Array)
    handle.tape = tape
    handle.index = len(rows)
    handle._value = v
    if v.size > LARGE and tape.lean:
        row = thinned(row)
    rows.append(row)
    return handle
"""

_SPECIAL = """
    elif (kind is int or kind is float) and other in powers:
        x = self._value
        v = x ** other
        row = (powers[other], v, self.index, x, -1, other)
"""


def array_operator(
    kind: type, rule: Elementwise, reflected: bool, other_kind: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    """The method of the handle class `kind` for an operator; `other_kind` takes operands of any other type."""
    source = _SOURCE.format(
        left="other" if reflected else "self",
        right="self" if reflected else "other",
        x="other" if reflected else "self._value",
        y="self._value" if reflected else "other",
        places="-1, x, self.index, y" if reflected else "self.index, x, -1, y",
        value=emit(rule.value_tree, ARRAY),
        special="" if reflected or rule is not POW else _SPECIAL.lstrip("\n"),
    )
    scope = {
        **scope_of(rule.value_tree, array_functions()),
        "Array": kind,
        "LARGE": LARGE,
        "both": operation(rule, (0, 1), arrays=True),
        "foreign": foreign,
        "kept": kept,
        "float64": np.float64,
        "ndarray": np.ndarray,
        "new": object.__new__,
        "one": operation(rule, (1,) if reflected else (0,), arrays=True),
        "other_kind": other_kind,
        "powers": {n: operation(power, (0,), arrays=True) for n, power in POWERS.items()} if rule is POW else {},
        "thinned": thinned,
    }
    return compile_source("method", source, scope)
