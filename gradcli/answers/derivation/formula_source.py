"""Typed expressions as Python functions with source code, from which their gradients are derived."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gradcli.answers.derivation.file_prelude import SPECIAL
from gradcli.answers.derivation.intermediate.python_formulas import python_formula, rules_by_formula
from gradcli.answers.derivation.languages.python_program import compiled
from gradcli.answers.derivation.refusals import STRAIGHT
from gradcli.answers.derivation.syntax_trees import text_of
from gradcli.answers.derivation.verification import shown
from gradcli.answers.targets.array_functions import calls_in_python, is_array_word
from gradcli.answers.targets.expressions import Formula
from gradcli.errors import UnsupportedError
from gradcli.mathematics.language.formula_text import used_functions
from gradcli.mathematics.language.syntax import LIST, input_names
from gradcli.mathematics.language.vocabulary import CONSTANTS
from gradcli.shared.float_errors import ignored_float_errors

EQUAL = 1e-9  # relative difference of the values of a formula and of its source


def source_of_formula(formula: Formula, point: Sequence[Any]) -> Callable[..., Any]:
    """A typed expression as a Python function of numbers, or of arrays if the point or a name of the session is one.

    The values and the functions of the session that it uses are globals of the function.

    Raises:
        UnsupportedError: a function in the expression has no source form.
    """
    return _function(formula, any(map(np.ndim, point)), {})


def with_source(function: Callable[..., Any], point: Sequence[Any]) -> Callable[..., Any]:
    """A function, or that of a typed expression for values of the kinds of a point.

    Raises:
        UnsupportedError: a function in the expression has no source form.
    """
    formula = getattr(function, "formula", function)
    return source_of_formula(formula, point) if isinstance(formula, Formula) else function


def refuse_other_value(formula: Formula, function: Callable[..., Any], points: Sequence[Sequence[Any]]) -> None:
    """Refuse a function that does not compute what the expression computes at some points.

    Raises:
        UnsupportedError: a value differs, as where a function of the session reads an input as a name.
    """
    for point in points:
        with ignored_float_errors():
            meant = formula(*point)
            try:
                came = function(*point)
            except (ArithmeticError, ValueError):
                continue
        if np.all(np.isfinite(meant)) and not np.allclose(came, meant, EQUAL, 0.0):
            raise UnsupportedError(
                f"the source of the expression gives {came} at {shown(point)} instead of {meant}: a function that it "
                "calls reads an input as a name of the session",
                hint=f"Make the input an argument of the function. {STRAIGHT}",
            )


def _function(formula: Formula, on_arrays: bool, made: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """The Python function of a formula; `made` holds those of the session's formulas by name."""
    values, used = _values(formula), used_functions(formula.tree)
    on_arrays = on_arrays or any(map(np.ndim, values.values())) or LIST in used or any(map(is_array_word, used))
    rules = rules_by_formula(formula.tree, on_arrays)  # to be differentiated by their own partials
    own = _own_functions(formula, on_arrays, made)
    names = {name: ast.Name(name) for name in formula.inputs} | {name: ast.Name(_written(name)) for name in values}
    called = {word: word for word in (*rules, *own)} | calls_in_python(used - {*own})
    body = text_of(python_formula(formula.tree, names, on_arrays, called))
    name = formula.__name__ if formula.__name__ in formula.known.own_functions else "f"
    name = "expression" if name in own or name in values else name
    imports = ["import math", "import numpy as np", *([SPECIAL] if "special." in body else [])]
    text = "\n".join([*imports, "", "", f"def {name}({', '.join(formula.inputs)}):", f"    return {body}", ""])
    return compiled(text, name, {**rules, **own, **{_written(name): value for name, value in values.items()}})


def _values(formula: Formula) -> dict[str, Any]:
    """The values of the session that a formula uses; the constants of the language have a written form."""
    names = [name for name in input_names(formula.tree) if name not in formula.inputs and name in formula.constants]
    values = {name: formula.constants[name] for name in names}
    return {name: value for name, value in values.items() if value is not CONSTANTS.get(name)}


def _written(name: str) -> str:
    """The name of a value in Python: `%7` is `node_7`."""
    return name.replace("%", "node_")


def _own_functions(formula: Formula, on_arrays: bool, made: dict[str, Callable[..., Any]]) -> dict[str, Any]:
    """The functions of the session that a formula calls."""
    known = formula.known
    used = sorted(used_functions(formula.tree) & known.own_functions)
    for name in used:
        if name not in made:
            function = inspect.unwrap(known.functions[name])
            made[name] = _function(function, on_arrays, made) if isinstance(function, Formula) else function
    return {name: made[name] for name in used}
