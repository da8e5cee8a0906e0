"""Derived Python programs with Numba's decorator on each function."""

from __future__ import annotations

import ast
import copy
import linecache
import re
import warnings
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.answers.derivation.file_prelude import SUM_TO
from gradcli.answers.derivation.file_text import Part, file_text
from gradcli.answers.derivation.intermediate.operation_derivatives import constant_of
from gradcli.answers.derivation.passes.cleanup import Statements, target_name
from gradcli.answers.derivation.syntax_trees import assign, expression, filled, names_in, nodes_in, text_of
from gradcli.answers.derivation.verification import flat
from gradcli.errors import InternalError, UnsupportedError

IMPORT = "import numba"
DECORATOR = "@numba.njit"
PLAIN = "Leave out --lang: Python writes it."
_DERIVED_LINE = re.compile(r'(<derived [^>]*>)(?:", line| \()\s*(\d+)')
STANDARD = ("import math", "import statistics")
SUM_TO_IN_LOOPS = '''def sum_to(ct, shape):
    """The sum of ct over the axes along which an array of a shape was broadcast."""
    total = np.zeros(shape, ct.dtype)
    places = total.reshape(-1)
    for number, each in enumerate(ct.flat):
        place, step, rest = 0, 1, number
        for axis in range(1, ct.ndim + 1):
            index, rest = rest % ct.shape[ct.ndim - axis], rest // ct.shape[ct.ndim - axis]
            if axis <= len(shape):
                length = shape[len(shape) - axis]
                place, step = place + (index * step if length > 1 else 0), step * length
        places[place] += each
    return total'''


def written(command: str, parts: Sequence[Part]) -> str:
    """The text of a file whose functions Numba compiles when they are first called."""
    made = [part._replace(body=typed([*map(filled, part.body)])) for part in parts]
    return decorated(file_text(command, made).replace(SUM_TO, SUM_TO_IN_LOOPS))


def check(function: Callable[..., Any], plain: Callable[..., Any], point: Sequence[Any]) -> None:
    """Compare a function compiled by Numba with the Python function at one point.

    Raises:
        UnsupportedError: Numba cannot compile the function.
        InternalError: the results differ, which is a bug in gradcli.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = flat(plain(*copy.deepcopy(list(point))))
        try:
            computed = flat(function(*copy.deepcopy(list(point))))
        except Exception as error:  # the Python program has run at the point
            raise UnsupportedError(f"Numba does not compile {_line(error)}: {_reason(error)}", hint=PLAIN) from None
    if not np.allclose(computed, expected, rtol=1e-9, atol=0.0, equal_nan=True):
        raise InternalError(f"the program compiled by Numba gives {computed}, and the Python program {expected}")


def _line(error: Exception) -> str:
    """The line of the derived program that an error of Numba names."""
    places = _DERIVED_LINE.findall(str(error))
    text = linecache.getline(places[-1][0], int(places[-1][1])).strip() if places else ""
    return f"`{text}` of the derived program" if text else "the derived program"


def _reason(error: Exception) -> str:
    """Numba's error message without colours, source location and addresses."""
    lines = [re.sub(r"\x1b\[\d*m", "", line).strip() for line in str(error).split("\n")]
    called = [f"there is no {line.removeprefix('>>>').strip()}" for line in lines if line.startswith(">>>")]
    reasons = [line for line in (*called, *lines) if line and not line.startswith("Failed in")]
    return reasons[0] if reasons else f"its compiler raises {type(error).__name__}"


def decorated(text: str) -> str:
    """The file with Numba's decorator on each function."""
    lines = text.split("\n")
    imports = [n for n, line in enumerate(lines) if line.startswith(("import ", "from "))]
    others = [n for n in imports if lines[n] not in STANDARD]
    if others:
        lines.insert(others[0], IMPORT)
    elif imports:
        lines[imports[-1] + 1 : imports[-1] + 1] = ["", IMPORT]
    else:
        lines[2:2] = [IMPORT, ""]
    return "\n".join(f"{DECORATOR}\n{line}" if line.startswith("def ") else line for line in lines)


def typed(body: Statements) -> Statements:
    """The statements of a function in a form that Numba can type; they are modified in place.

    A Numba list holds values of one type, so values of each kind get a separate stack. An unset variable is a number,
    and a reversed range becomes a descending one. A power of a whole number is one of a float, as its exponent may be
    negative, where Numba gives 0.
    """
    nodes = [node for top in body for node in nodes_in(top)]
    compared = {name for node in nodes if isinstance(node, ast.Compare) for name in names_in(node)}
    compared |= {name for node in nodes if _is_of_call(node) for name in names_in(node.targets[0])}  # type: ignore[attr-defined]
    for stack in [
        target_name(statement)
        for statement in body
        if isinstance(statement, ast.Assign) and text_of(statement.value) == "[]"
    ]:
        _split(body, nodes, stack)
    for node in nodes:
        if isinstance(node, ast.For):
            node.iter = downwards(node.iter)
        elif isinstance(node, ast.Call):
            node.args = list(map(downwards, node.args))
        elif isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and not isinstance(node.right, ast.Constant):
            is_whole = isinstance(node.left, ast.Constant) and isinstance(node.left.value, int)
            node.left = ast.Constant(float(node.left.value)) if is_whole else node.left  # type: ignore[attr-defined]
        elif isinstance(node, ast.Assign) and text_of(node.value) == "None" and target_name(node) not in compared:
            node.value = ast.Constant(0.0)
    return body


def _is_of_call(node: ast.AST) -> bool:
    """Whether a statement binds the values kept by another function's forward pass, which are not numbers."""
    return isinstance(node, ast.Assign) and text_of(node.value).startswith("forward_")


def _split(body: Statements, nodes: Sequence[ast.AST], stack: str) -> None:
    """Split a stack into one stack for each set of names pushed and popped together."""
    pushed: dict[str, list[ast.Call]] = {}
    popped: dict[str, list[ast.Call]] = {}
    for node in nodes:
        called = node.value if isinstance(node, (ast.Expr, ast.Assign)) else None
        if not isinstance(called, ast.Call):
            continue
        if isinstance(node, ast.Assign) and text_of(called) == f"{stack}.pop()":
            popped.setdefault(text_of(node.targets[0]).strip("()"), []).append(called)
        elif text_of(called.func) == f"{stack}.append":
            pushed.setdefault(text_of(called.args[0]).strip("()"), []).append(called)
    uses = sum(isinstance(node, ast.Name) and node.id == stack for node in nodes)
    if set(pushed) != set(popped) or uses != 1 + sum(map(len, (*pushed.values(), *popped.values()))):
        return
    at = next(n for n, statement in enumerate(body) if target_name(statement) == stack)
    names = [stack, *(f"{stack}_of_{key.replace(', ', '_')}" for key in sorted(pushed)[1:])]
    body[at : at + 1] = [assign(name, ast.List([], ast.Load())) for name in names]
    for key, own in zip(sorted(pushed), names, strict=False):
        for call in (*pushed[key], *popped[key]):
            assert isinstance(call.func, ast.Attribute)
            call.func = ast.Attribute(ast.Name(own, ast.Load()), call.func.attr, ast.Load())


def downwards(items: ast.expr) -> ast.expr:
    """A reversed range as a descending one; other values unchanged."""
    if not isinstance(items, ast.Call) or text_of(items.func) != "reversed":
        return items
    inner = items.args[0]
    turns: ast.expr | None = None
    if isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Slice):
        turns = inner.slice.upper
        inner = inner.value
    if isinstance(inner, ast.Name) and turns is None:
        return expression("_x[::-1]", _x=inner)
    if not isinstance(inner, ast.Call) or text_of(inner.func) != "range":
        return items
    start, stop, step = _bounds(inner)
    if turns is not None:
        stop = turns if step == 1 and constant_of(start) == 0 else expression(
            "_a + _s * _n", _a=start, _s=ast.Constant(step), _n=turns
        )  # fmt: skip
    if step == 1:
        below = ast.Constant(-1) if constant_of(start) == 0 else expression("_a - 1", _a=start)
        return expression("range(_n - 1, _b, -1)", _n=stop, _b=below)
    return expression("range(_n + 1, _a + 1)", _n=stop, _a=start) if step == -1 else items


def _bounds(node: ast.Call) -> tuple[ast.expr, ast.expr, float | None]:
    """The start and end of a range, and its step if it is a literal."""
    if len(node.args) == 1:
        return ast.Constant(0), node.args[0], 1
    return node.args[0], node.args[1], 1 if len(node.args) == 2 else constant_of(node.args[2])
