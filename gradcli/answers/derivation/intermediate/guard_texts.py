"""The outcomes of a recorded run as conditions and calls, and its constants and indices as text."""

from __future__ import annotations

import ast
from contextlib import suppress
from typing import Any

import numpy as np

from gradcli.answers.derivation.formatted_statements import literal
from gradcli.answers.derivation.intermediate.copied_rule_functions import rule_function, without_source
from gradcli.answers.derivation.syntax_trees import expression, name
from gradcli.engine.traces.node import TEXT
from gradcli.engine.traces.straight_line_program import ProgramOutcome
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.comparable_calls import Call
from gradcli.mathematics.rules.nondifferentiable import SIGNS
from gradcli.shared import devices

WHOLE = {"int": "int", "floor": "math.floor", "ceil": "math.ceil", "round": "round", "trunc": "math.trunc"}


def guard_condition(outcome: ProgramOutcome, atoms: list[ast.expr]) -> ast.expr:
    """The condition that holds along the path of a run.

    Raises:
        UnsupportedError: the outcome has no source form.
    """
    assert outcome.guard is not None
    received = outcome.guard.value
    if outcome.name in SIGNS and len(atoms) == 2 and isinstance(received, (bool, np.bool_)):
        test = expression(f"_a {SIGNS[outcome.name]} _b", _a=atoms[0], _b=atoms[1])
        return test if received else ast.UnaryOp(ast.Not(), test)
    if outcome.name in WHOLE and len(atoms) == 1 and isinstance(received, int):
        return expression(f"{WHOLE[outcome.name]}(_a) == _n", _a=atoms[0], _n=ast.Constant(received))
    if outcome.name == "floordiv" and len(atoms) == 2:
        return expression("_a // _b == _n", _a=atoms[0], _b=atoms[1], _n=ast.Constant(float(received)))
    if outcome.name == "bool" and len(atoms) == 1:
        return atoms[0] if received else ast.UnaryOp(ast.Not(), atoms[0])
    if outcome.name != TEXT:
        with suppress(UnsupportedError):
            made = outcome_text(outcome.name, outcome.function, atoms)
            same = "np.array_equal(_a, _b)" if np.shape(received) else "_a == _b"
            return expression(same, _a=made, _b=expression(key_text(received)))
    hint = "Leave out what prints or formats numbers." if outcome.name == TEXT else None
    raise UnsupportedError(f"derive does not know how to assert the outcome of {outcome.name}", hint=hint)


def outcome_text(called: str, function: Any, atoms: list[ast.expr]) -> ast.expr:
    """A call of a function of the rules or of NumPy.

    Raises:
        UnsupportedError: the function has no source form.
    """
    if isinstance(function, Call):
        rest = [expression(key_text(key)) for key in function.rest]
        options = [ast.keyword(k, expression(key_text(v))) for k, v in function.options]
        made = outcome_text(called, function.function, [*atoms, *rest])
        if options and isinstance(made, ast.Call):
            made.keywords += options
        return made
    if function is devices.copied:  # a stopped value, into which nothing writes
        return atoms[0]
    own = getattr(function, "__name__", "")
    if own == "getitem":
        return ast.Subscript(atoms[0], atoms[1], ast.Load())
    if called == "index" and own == "_tuple":
        return ast.Tuple(atoms, ast.Load())
    if called == own[1:] == "astype":
        return ast.Call(ast.Attribute(atoms[0], called, ast.Load()), atoms[1:], [])
    if own == "_by_name":  # the names of the last arguments come last, after the function
        *values, by_name, names = atoms
        keywords = [ast.keyword(key, values.pop()) for key in reversed(ast.literal_eval(names))]
        return ast.Call(by_name, values, keywords[::-1])
    if getattr(np, own, None) is function:
        return ast.Call(expression(f"np.{own}"), atoms, [])
    try:
        return ast.Call(name(rule_function(function)), atoms, [])
    except UnsupportedError:  # which names a function of the rule
        raise without_source(called) from None


def key_text(key: Any) -> str:
    """A constant, or an index between brackets, as text.

    Raises:
        UnsupportedError: its type has no source form.
    """
    if isinstance(key, tuple):
        return f"({', '.join(map(key_text, key))}{',' if len(key) == 1 else ''})"
    if isinstance(key, slice):
        return f"slice({', '.join(map(key_text, (key.start, key.stop, key.step)))})"
    if key is Ellipsis:
        return "..."
    if isinstance(key, np.dtype):
        return f"np.{key}"
    own = getattr(key, "__name__", "")
    if callable(key) and getattr(np, own, None) is key:
        return f"np.{own}"
    text = "float" if key is float else literal(np.asarray(key) if hasattr(key, "dtype") and np.ndim(key) else key)
    if text is not None:
        return text
    kind = "complex numbers" if np.iscomplexobj(key) else f"a constant of type {type(key).__name__}"
    kind = f"an option that is the function {own}" if callable(key) else kind
    raise UnsupportedError(f"derive does not know {kind}")


class _Slices(ast.NodeTransformer):
    """Rewrites slice(1, None, None) between brackets as 1:."""

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if not (isinstance(node.func, ast.Name) and node.func.id == "slice"):
            return node
        start, stop, step = (None if getattr(argument, "value", 0) is None else argument for argument in node.args)
        return ast.Slice(start, stop, step)


def bracketed(place: ast.Subscript) -> ast.Subscript:
    """A place with slices in its index in bracket syntax."""
    place.slice = _Slices().visit(place.slice)
    return place
