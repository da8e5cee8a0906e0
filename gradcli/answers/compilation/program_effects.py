"""What keeps a program eager: effects, which a compiled gradient would leave out or repeat, and unused statements."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from gradcli.answers.compilation.edge_cases import check_calls
from gradcli.answers.derivation.passes.unused_statements import pruned
from gradcli.answers.derivation.reading.function_source import definition_of
from gradcli.answers.derivation.syntax_trees import argument_names, root_of, stored_names
from gradcli.engine.code.bytecode_names import names_in
from gradcli.engine.code.function_contents import content
from gradcli.engine.code.reachable_objects import ReachableObjects
from gradcli.errors import UnsupportedError

HARMLESS = frozenset((
    "len", "float", "list", "np.array", "np.copy", "np.empty", "np.empty_like", "np.ones", "np.ones_like", "np.zeros",
    "np.zeros_like",
))  # fmt: skip
PARTIAL = (ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)  # operators that are not defined for all numbers


def checked_definitions(function: Callable[..., Any], reached: ReachableObjects) -> list[ast.FunctionDef]:
    """The definitions of the functions of a program without effects, whose result is the same each time.

    Raises:
        UnsupportedError: it has an effect, or draws random numbers, or the source of a function cannot be read.
    """
    if reached.generators or any("random" in names_in(f.__code__).read for f in reached.functions):
        raise UnsupportedError("it draws random numbers")
    if reached.iterators:
        raise UnsupportedError("it reads an iterator")
    if reached.is_partial:
        raise UnsupportedError("it leads to an object whose changes cannot be followed")
    root = getattr(function, "__func__", function)
    definitions: list[ast.FunctionDef] = []
    for reader in reached.functions:
        names = names_in(reader.__code__).read
        if "print" in names:
            raise UnsupportedError(f"it prints: {reader.__name__} calls print")
        if "__dict__" in names:
            raise UnsupportedError(f"{reader.__name__} reads attributes by names that do not stand in its code")
        if names_in(reader.__code__).keeps:
            raise UnsupportedError(f"{reader.__name__} changes an object that outlives the call")
        definitions.append(definition_of(reader, reader.__name__))
        own = stored_names(definitions[-1]) | argument_names(definitions[-1])
        cells = zip(reader.__code__.co_freevars, reader.__closure__ or (), strict=True)
        enclosed = {name: item for name, cell in cells for item in content(cell)}
        names_outside = {**vars(builtins), **reader.__globals__, **enclosed}
        check_calls(definitions[-1], {k: v for k, v in names_outside.items() if k not in own}, reached.functions)
        _check_definition(definitions[-1], is_root=reader is root)
    return definitions


def _check_definition(tree: ast.FunctionDef, *, is_root: bool) -> None:
    parameters = argument_names(tree)
    own = stored_names(tree) | (set() if is_root else parameters)
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load) and root_of(node) not in own:
            owner = "its argument" if root_of(node) in parameters else "an object that outlives the call"
            raise UnsupportedError(f"{tree.name} writes into {owner} in line {node.lineno}")
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
            changed = _changed(node.value)
            if changed is not None and not (isinstance(changed, ast.Name) and changed.id in own):
                raise UnsupportedError(f"{tree.name} calls {ast.unparse(node.value.func)} for its effect")
    if line := _unused_line(tree, set() if is_root else parameters):
        raise UnsupportedError(f"line {line} of {tree.name} computes what is not used, and may raise")


def _changed(call: ast.Call) -> ast.expr | None:
    """What a call for its effect changes, if known: its `out`, the first argument of `np.add.at`, or its object."""
    if not isinstance(call.func, ast.Attribute):
        return None
    outputs = [keyword.value for keyword in call.keywords if keyword.arg == "out"]
    return next(iter([*outputs, *(call.args[:1] if call.func.attr == "at" else ())]), call.func.value)


def _unused_line(tree: ast.FunctionDef, live: set[str]) -> int:
    """The line of a statement whose value is not used and may raise; 0 if there is none."""
    kept = {id(part) for statement in pruned(tree.body, live) for part in ast.walk(statement)}
    nodes = (node for statement in tree.body for node in ast.walk(statement))
    values = (node.value for node in nodes if isinstance(node, (ast.Assign, ast.AugAssign)))
    return next((value.lineno for value in values if id(value) not in kept and _raises(value)), 0)


def _raises(node: ast.expr) -> bool:
    """Whether an expression may raise, or warn, or act."""
    for part in ast.walk(node):
        if isinstance(part, ast.Call):
            method = part.func.attr if isinstance(part.func, ast.Attribute) else ""
            if ast.unparse(part.func) not in HARMLESS and method != "copy":
                return True
        elif isinstance(part, ast.BinOp) and isinstance(part.op, PARTIAL):
            if not (isinstance(part.right, ast.Constant) and part.right.value):
                return True
        elif isinstance(part, ast.Subscript):
            return True
    return False
