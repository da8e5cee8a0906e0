"""Pullbacks compiled from the rule table: functions that pass the cotangent of a row to its arguments.

One function is compiled per rule and choice of recorded arguments, on first use. Rules state partials only; the
multiplication by the cotangent happens here and nowhere else.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from textwrap import indent
from typing import Any

from gradcli.engine.tape.accumulation import (
    UNTOUCHED,
    accumulate,
    accumulation_lines,
    hand_over,
    owned_cotangent,
    reduced_cotangent,
    select,
)
from gradcli.engine.tape.memory.reference_counts import owned_copy
from gradcli.engine.tape.memory.released_arrays import LARGE
from gradcli.engine.tape.tape import Row, RowOperation
from gradcli.mathematics.language import Name, Syntax
from gradcli.mathematics.language.formula_text import CALLS, PLAIN, SLOPES, Emitter, emit
from gradcli.mathematics.language.syntax import is_one, is_zero, times, walk
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.mathematics.rules.array_rule import ArrayRule
from gradcli.mathematics.rules.compiled_formulas import (
    ARRAY_FUNCTIONS,
    IEEE_FUNCTIONS,
    PLAIN_FUNCTIONS,
    compile_source,
    scope_of,
)
from gradcli.mathematics.rules.rule_table import Functions
from gradcli.mathematics.rules.rule_types import Elementwise, Partials, elementwise_rule
from gradcli.mathematics.rules.shape import CAST, numpy_type

Pull = Callable[[Any, list[Any], Row], None]

# For each argument of a row, how the text of its cotangent is written in its type.
Conversions = tuple[str, ...]
AS_IT_IS, OF_PYTHON = "{}", "float({})"

_operations: dict[tuple[Any, ...], RowOperation] = {}


def operation(
    rule: Elementwise,
    recorded: tuple[int, ...],
    arrays: bool,
    slopes: Partials | None = None,
    converted: Conversions | None = None,
) -> RowOperation:
    """The operation of an elementwise rule with these arguments recorded. Its pullbacks are compiled on first use.

    `slopes` are partials that hold at particular arguments, if they differ from the rule's general ones. `converted` is
    given for numbers of which some are NumPy's: how the cotangent of each argument is written in the argument's type.
    """
    key = (rule, recorded, arrays, slopes, converted)
    known = _operations.get(key)
    if known is None:
        known = _operations[key] = _uncompiled(rule, recorded, arrays, slopes or rule.slopes, converted)
    return known


def _uncompiled(
    rule: Elementwise, recorded: tuple[int, ...], arrays: bool, slopes: Partials, converted: Conversions | None
) -> RowOperation:
    of_arrays = arrays and converted is None

    def compiled(emitter: Emitter, functions: Functions) -> Pull:
        return compile_pull(rule, slopes, recorded, emitter, functions, converted)

    def pull(ct: Any, cts: list[Any], row: Row) -> None:
        made.pull = compiled(SLOPES, ARRAY_FUNCTIONS) if of_arrays else compiled(PLAIN, PLAIN_FUNCTIONS)
        made.pull(ct, cts, row)

    def safe_pull(ct: Any, cts: list[Any], row: Row) -> None:
        made.safe_pull = _pull_in_numpy if of_arrays else compiled(CALLS, IEEE_FUNCTIONS)
        made.safe_pull(ct, cts, row)

    def _pull_in_numpy(ct: Any, cts: list[Any], row: Row) -> None:
        plain = (x for pair in zip(row[2::2], map(in_numpy, row[3::2]), strict=True) for x in pair)
        made.pull(ct, cts, (row[0], row[1], *plain))

    def any_pull(ct: Any, cts: list[Any], row: Row) -> None:
        made.pull(ct, cts, row)

    def pull_large(ct: Any, cts: list[Any], row: Row, is_own: bool) -> None:
        from gradcli.engine.tape.buffer_reusing_pullbacks import compile_large_pull

        pull = made.pull_large = compile_large_pull(rule, slopes, recorded, any_pull)
        pull(ct, cts, row, is_own)

    def push(moved: Any, row: Row) -> Any:
        from gradcli.engine.tape.pushforwards import compile_push

        made.push = compile_push(rule, slopes, recorded, arrays=arrays)
        return made.push(moved, row)

    made = RowOperation(rule, recorded, pull, safe_pull, arrays=arrays)
    made.slopes, made.push = slopes, push
    texts = {slopes.texts[n] for n in recorded}
    if of_arrays and not rule.selects and None not in texts and not texts <= {"0", "1"}:
        made.pull_large, made.large = pull_large, LARGE
    return made


def by_ieee_alone(done: RowOperation) -> RowOperation:
    """An operation of numbers whose pullback follows IEEE 754 where Python's arithmetic would not raise."""
    made = RowOperation(done.rule, done.recorded, done.safe_pull)
    made.slopes, made.push = done.slopes, done.push
    return made


# The exceptions of Python's arithmetic where IEEE 754 gives nan or inf.
ARITHMETIC = (ArithmeticError, ValueError)


def by_ieee(partial: Callable[..., Any], *values: Any) -> Any:
    """Evaluate a partial of arrays and numbers. If Python's floats raise, evaluate it with NumPy's floats."""
    try:
        return partial(*values)
    except ARITHMETIC:
        return partial(*map(in_numpy, values))


def in_numpy(x: Any) -> Any:
    """A Python number, recorded or not, as a NumPy number; anything else unchanged."""
    return x if hasattr(x, "dtype") else CAST(x, dtype=numpy_type(x))


def array_operation(rule: ArrayRule, recorded: tuple[int, ...], static: dict[str, Any]) -> RowOperation:
    """The operation of an array rule with these arguments recorded and these keyword arguments."""
    if not static:
        key = (rule, recorded, True)
        if key in _operations:
            return _operations[key]
    if rule.in_place:
        pull: Pull = _pull_in_place
    elif rule.clear:
        pull = _pull_written
    else:
        pull = _pull_array if static or rule.variadic else _compile_array_pull(rule, recorded)
    made = RowOperation(rule, recorded, pull, static=static, arrays=True)
    made.push = _push_array
    if rule.clear:
        made.pull_large, made.large = _pull_written, 0
    if not static:
        _operations[key] = made
    return made


def _push_array(moved: Any, row: Row) -> Any:
    from gradcli.engine.tape.pushforwards import push_array

    return push_array(moved, row)


def _compile_array_pull(rule: ArrayRule, recorded: tuple[int, ...]) -> Pull:
    """The pullback of a rule without keyword arguments: `_pull_array` specialised to the rule."""
    names = [f"x{position}" for position in range(len(rule.vjps))]
    arguments = ", ".join(names)
    source = f"def pull(ct, cts, row):\n    _, v, {', '.join(f'i_{name}, {name}' for name in names)} = row\n"
    for position, name in enumerate(names):
        if position in recorded:
            source += f"    accumulate(cts, i_{name}, rule.vjps[{position}](ct, v, {arguments}), {name})\n"
    return compile_source("pull", source, {"rule": rule, "accumulate": accumulate})


def _pull_array(ct: Any, cts: list[Any], row: Row) -> None:
    operation, v, arguments = row[0], row[1], row[3::2]
    rule, static = operation.rule, operation.static
    if rule.parts is not None:
        parts = rule.parts(ct, v, arguments, **static)
        for position in operation.recorded:
            accumulate(cts, row[2 + 2 * position], parts[position], row[3 + 2 * position])
        return
    for position in operation.recorded:
        place = 2 + 2 * position
        accumulate(cts, row[place], rule.vjp(position, ct, v, arguments, static), row[place + 1])


def _pull_in_place(ct: Any, cts: list[Any], row: Row) -> None:
    operation = row[0]
    operation.rule.in_place(owned_cotangent(cts, row[2], row[3]), ct, **operation.static)


def _pull_written(ct: Any, cts: list[Any], row: Row, is_own: bool = False) -> None:
    """Pull a write. If the cotangent may be overwritten, the cost is proportional to what was written."""
    _pull_what_was_written(ct, cts, row, is_own)
    if 0 in row[0].recorded:
        left = ct if is_own else owned_copy(ct)
        row[0].rule.clear(left, **row[0].static)
        hand_over(cts, row[2], left)


def _pull_what_was_written(ct: Any, cts: list[Any], row: Row, is_own: bool) -> None:
    operation = row[0]
    if 1 in operation.recorded:
        part = operation.rule.vjp(1, ct, row[1], row[3::2], operation.static)
        if is_own and getattr(part, "base", None) is not None:  # a view of the array that is cleared next
            part = part.copy()
        accumulate(cts, row[4], part, row[5])


def compile_pull(
    rule: Elementwise,
    slopes: Partials,
    recorded: tuple[int, ...],
    emitter: Emitter,
    functions: Functions,
    converted: Conversions | None = None,
) -> Pull:
    """Compile the pullback of a rule with these partials, and `converted` as in `operation`.

    All contributions that may fail are computed before any is added, so that a failure adds nothing. For `x / y` of two
    recorded numbers, the source is::

        def pull(_ct, _cts, _row):
            _, v, _i0, x, _i1, y = _row
            _c1 = _ct * -v / y
            _cts[_i0] = _cts[_i0] + _ct / y
            _cts[_i1] = _cts[_i1] + _c1

    The first addition needs no name, as its text is evaluated before anything is added.
    """
    lines, scope = _pull_lines(rule, slopes, recorded, emitter, functions, converted)
    return compile_source("pull", "\n".join(["def pull(_ct, _cts, _row):", *lines, ""]), scope)


def _pull_lines(
    rule: Elementwise,
    slopes: Partials,
    recorded: tuple[int, ...],
    emitter: Emitter,
    functions: Functions,
    converted: Conversions | None = None,
) -> tuple[list[str], dict[str, Any]]:
    """The body of a pullback, and the names in it."""
    scope: dict[str, Any] = {**CONSTANTS, **_SCOPE}
    compute: list[str] = []
    add: list[str] = []
    for position in recorded:
        tree = slopes.trees[position]
        if tree is None:
            compute.append(f"    raise LookupError({rule.parameters[position]!r})")
        elif not is_zero(tree):
            scope.update(scope_of(tree, functions, emitter))
            if emitter is SLOPES:
                _array_lines(position, rule, tree, emitter, compute, add)
            else:
                form = converted[position] if converted else OF_PYTHON
                text = _product(rule, tree, emitter, form if converted else AS_IT_IS)
                if (add and text not in {"_ct", "-_ct"}) or rule.selects or form != OF_PYTHON:
                    compute.append(f"    _c{position} = {text}")
                    text = f"_c{position}"
                add.extend(_addition(position, text, rule.selects, of_python=form == OF_PYTHON))
    places = ", ".join(f"_i{position}, {name}" for position, name in enumerate(rule.parameters))
    return [f"    _, v, {places} = _row", *compute, *add], scope


# Sums and products are written out, as the call of a pullback takes as long as what it does. After a row that raises,
# the sweep goes on.
_SWEEP = """
def sweep(rows, _cts, at, first):
    untouched, add, mul = _untouched, _add, _mul
    while at >= first:
        try:
            for at in range(at, first - 1, -1):
                _ct = _cts[at]
                if _ct is not untouched:
                    _row = rows[at]
                    operation = _row[0]
                    if operation is add:
{add}
                    elif operation is mul:
{mul}
                    else:
                        pull = operation.pull  # Python 3.11 is slower at calling it as a method
                        pull(_ct, _cts, _row)
        except arithmetic:
            rows[at][0].safe_pull(_cts[at], _cts, rows[at])
        at -= 1
"""


@functools.cache
def sweep_of_floats() -> Callable[[list[Row], list[Any], int, int], None]:
    """The reverse sweep over rows of Python floats, from the row `at` back to the row `first`."""
    scope, bodies = {**_SCOPE, "arithmetic": ARITHMETIC}, {}
    for name in ("add", "mul"):
        rule = elementwise_rule(name)
        scope[f"_{name}"] = operation(rule, (0, 1), arrays=False)
        lines, _ = _pull_lines(rule, rule.slopes, (0, 1), PLAIN, PLAIN_FUNCTIONS)
        bodies[name] = indent("\n".join(lines), " " * 20)
    return compile_source("sweep", _SWEEP.format(**bodies), scope)


_SCOPE: dict[str, Any] = {
    "_accumulate": accumulate,
    "_select": select,
    "_summed": reduced_cotangent,
    "_untouched": UNTOUCHED,
}


def _is_constant(tree: Syntax) -> bool:
    return not any(isinstance(node, Name) for node in walk(tree))


def _product(rule: Elementwise, tree: Syntax, emitter: Emitter, form: str) -> str:
    """The text of a cotangent times a partial in a form; None where a selecting rule did not select the argument."""
    if rule.selects:
        return f"{form.format('_ct * _p')} if (_p := {emit(tree, emitter)}) else None"
    return form.format(emit(times("_ct", tree), emitter))


def _addition(position: int, text: str, selects: bool, of_python: bool) -> Iterator[str]:
    """The lines that add the cotangent of one argument, never in place, as a 0-d array may be shared.

    The first one of NumPy is stored: adding it to zero takes longer.
    """
    indent, total = "    ", f"_cts[_i{position}]"
    if selects:
        yield f"    if {text} is not None:"
        indent += "    "
    if of_python:
        yield f"{indent}{total} = {total} + {text}".replace("+ -", "- ")
    else:
        yield f"{indent}_present = {total}"
        yield f"{indent}{total} = {text} if _present is _untouched else _present + {text}"


def _array_lines(
    position: int, rule: Elementwise, tree: Syntax, emitter: Emitter, compute: list[str], add: list[str]
) -> None:
    like = rule.parameters[position]
    if rule.selects:
        text = f"_select(_ct, {emit(tree, emitter)})"
    elif is_one(tree):  # rows hold the same placeholder for large arrays of one shape and dtype
        add.extend(f"    {line}" for line in accumulation_lines(f"_i{position}", "_ct", like, fits=f"{like} is v"))
        return
    else:
        text = emit(times(f"_summed(_ct, {like})" if _is_constant(tree) else "_ct", tree), emitter)
    compute.append(f"    _c{position} = {text}")
    add.append(f"    _accumulate(_cts, _i{position}, _c{position}, {like})")
