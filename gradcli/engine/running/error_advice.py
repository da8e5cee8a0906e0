"""Advice on errors: the numbers and shapes that arithmetic was given, where they are from, and lists used as arrays."""

from __future__ import annotations

import ast
import linecache
import re
from types import CodeType, TracebackType

import numpy as np

from gradcli.engine.code import stack_frames
from gradcli.engine.code.source_expressions import expression_at
from gradcli.engine.code.statements_by_line import parsed, source_lines
from gradcli.engine.tape.value import plain_value
from gradcli.shared.pytree import map_leaves, value_text

OVERFLOW = (
    "The result is beyond float64, as math.exp above 709.78 is. Compute its logarithm; numpy.exp gives inf there, as "
    "powers of NumPy's numbers do."
)
MOST_NUMBERS = 4
_OF_LISTS = re.compile(r"'(?:list|tuple)'|\bsequence\b")
_OF_SHAPES = re.compile(r"broadcast|core dimension|not aligned|number of dimensions|dimensions .* must match")
LISTS = "A list or tuple is no array: write np.array([...]) where the code needs one, as for the point."


def arithmetic_advice(error: BaseException) -> str | None:
    """The advice for an overflow, a division by 0, a number outside a function's domain, and shapes that do not fit."""
    text = next((part for part in error.args[-1:] if isinstance(part, str)), "")  # str(error) may raise
    if isinstance(error, OverflowError):
        return OVERFLOW if "range error" in text or "out of range" in text else None
    has_shapes = isinstance(error, ValueError) and _OF_SHAPES.search(text) is not None
    is_outside = isinstance(error, ValueError) and ("domain error" in text or text.startswith("expected a "))
    is_asked = is_outside or has_shapes or isinstance(error, ZeroDivisionError)
    return _numbers(error.__traceback__, has_shapes) if is_asked else None


def list_advice(error: BaseException) -> str | None:
    """The advice for an operation of arrays on a list or a tuple."""
    text = next((part for part in error.args[-1:] if isinstance(part, str)), "")
    return LISTS if isinstance(error, (TypeError, AttributeError)) and _OF_LISTS.search(text) else None


def _numbers(traceback: TracebackType | None, shapes: bool) -> str | None:
    """The numbers or shapes in the expression that failed: `In math.log(d), d is -2.0, from `d = a - b` in line 3."""
    users = None
    while traceback is not None:
        users = traceback if stack_frames.is_users(traceback.tb_frame) else users
        traceback = traceback.tb_next
    if users is None:
        return None
    frame, names = users.tb_frame, {**users.tb_frame.f_globals, **users.tb_frame.f_locals}
    text, spans, _ = expression_at(frame.f_code, users.tb_lasti)
    parts = []
    for name in dict.fromkeys(name for *_, name in spans):
        value = map_leaves(plain_value, names.get(name))
        is_list = isinstance(value, list) and not shapes  # the parts of a list may differ in shape
        if is_list or isinstance(value, (float, int, np.floating, np.ndarray)):
            what = f"has the shape {np.shape(value)}" if shapes else f"is {value_text(value)}"
            parts.append(f"{name} {what}{_origin(frame.f_code, name, users.tb_lineno)}")
    return f"In {text}, {'; '.join(parts[:MOST_NUMBERS])}." if parts else None


def _origin(code: CodeType, name: str, line: int) -> str:
    """The last assignment to a name above a line, in words."""
    file = code.co_filename
    tree = parsed(file, "".join(linecache.getlines(file)))
    made = [
        node.lineno
        for node in (ast.walk(tree) if tree else ())
        if isinstance(node, (ast.Assign, ast.AugAssign)) and code.co_firstlineno <= node.lineno < line
        for target in (node.targets if isinstance(node, ast.Assign) else [node.target])
        if isinstance(target, ast.Name) and target.id == name
    ]
    return f", from `{source_lines(file).text(max(made))}` in line {max(made)}" if made else ""
