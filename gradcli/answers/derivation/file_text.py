"""The text of a derived file: a header, the prelude, and the functions."""

from __future__ import annotations

import ast
import copy
import sys
import textwrap
from collections.abc import Sequence
from typing import Any, NamedTuple

from gradcli.answers.derivation.file_prelude import Prelude
from gradcli.answers.derivation.function_text import Layout
from gradcli.answers.derivation.passes.bound_and_free_names import free_names
from gradcli.answers.derivation.passes.cleanup import Statements
from gradcli.answers.derivation.syntax_trees import filled, nodes_in

HEADER = "# Derived by gradcli"
MAY_RETURN_ARGUMENT = {
    "asanyarray", "asarray", "atleast_1d", "broadcast_to", "pop", "ravel", "real", "require", "reshape", "squeeze",
    "swapaxes", "transpose", "view",
}  # fmt: skip
"""Functions of NumPy and methods whose result may be their argument, a view of it, or an item."""
FRESH = {"abs", "bool", "float", "int", "len", "round", "sum", "sum_to"}
"""Functions without a module whose result is no object that the caller holds; others are the user's."""


class Part(NamedTuple):
    """A function of a derived file: its name, its user function, its parameters, its docstring and its body."""

    name: str
    user: Any
    parameters: str
    docstring: list[str]
    body: Statements


def file_text(command: str, parts: Sequence[Part]) -> str:
    """The text of a file with some functions; its first line is the command that made it."""
    own = {name for name, *_ in parts}
    surroundings = Prelude()
    texts: list[list[str]] = []
    for name, user, parameters, docstring, body in parts:
        bound = {part.split("=")[0].strip() for part in parameters.split(",")}
        free = (free_names(body) | ({"np"} if "np." in parameters else set())) - bound  # in a default
        written = surroundings.add(free, user, own)
        renamed = [filled(statement, written) for statement in body] if written else body
        renamed = with_new_sums(renamed, bound | free)
        comments = user.comments if not name.startswith("backward_") else {}
        layout = Layout(lambda line, user=user: user.text(ast.Constant(0, lineno=line)), comments)  # type: ignore[misc]
        texts.append(layout.function(name, parameters, docstring, renamed))
    lines = [f"{HEADER} {version()}: {command}", ""]
    around = surroundings.lines()
    lines += [*around, "", ""] if around else [""]
    for n, text in enumerate(texts):
        lines += [*(["", ""] if n else []), *text]
    return "\n".join(lines).rstrip() + "\n"


def with_new_sums(statements: Statements, given: set[str]) -> Statements:
    """Statements with `x = x + e` for `x += e` where x may be a given object: an array without axes would change.

    Args:
        statements: the body of a function.
        given: the parameters, and the names from outside.
    """
    pairs = [pair for node in nodes_in(*statements) for pair in _bindings(node)]
    size = 0
    while len(given) > size:  # the names of given objects may have further names
        size = len(given)
        given = given | {target for target, value in pairs if _may_be_given(value, given)}
    return [_with_new_sums(statement, given) for statement in statements]


def _bindings(node: ast.AST) -> list[tuple[str, ast.expr]]:
    """The names that a statement binds, each with what its value comes from."""
    if isinstance(node, ast.Assign):
        target, value = node.targets[0], node.value
    elif isinstance(node, ast.For):
        target, value = node.target, ast.Subscript(node.iter, ast.Constant(0), ast.Load())
    else:
        return []
    names = target.elts if isinstance(target, ast.Tuple) else [target]
    return [(name.id, value) for name in names if isinstance(name, ast.Name)]


def _may_be_given(value: ast.expr, given: set[str]) -> bool:
    """Whether a value may be an object that the caller holds, rather than one that is made here.

    An item is one, and so may be what a called function returns: its argument, or an item of it.
    """
    if isinstance(value, ast.Name):
        return value.id in given
    if isinstance(value, ast.IfExp):
        return _may_be_given(value.body, given) or _may_be_given(value.orelse, given)
    if isinstance(value, ast.Call):
        called = ast.unparse(value.func)
        return called not in FRESH and (called.rpartition(".")[2] in MAY_RETURN_ARGUMENT or "." not in called)
    return isinstance(value, (ast.Subscript, ast.Attribute))


def _with_new_sums(node: ast.stmt, given: set[str]) -> ast.stmt:
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in given:
        total = ast.BinOp(ast.Name(node.target.id, ast.Load()), node.op, node.value)
        return ast.copy_location(ast.Assign([node.target], total), node)
    if not isinstance(node, (ast.If, ast.For, ast.While)):
        return node
    made = copy.copy(node)
    made.body, made.orelse = ([_with_new_sums(inner, given) for inner in block] for block in (node.body, node.orelse))
    return made


def body_of(lines: Sequence[str]) -> Statements:
    """The statements of a function body from its lines."""
    text = "\n".join(["def f():", *(f"    {line}" for line in lines)])
    body: Statements = ast.parse(text).body[0].body  # type: ignore[attr-defined]
    return body


LINE = 76  # characters of a line of a docstring; with its indent it fits a terminal


def docstring_text(first: str, more: str) -> list[str]:
    """A docstring: a title, and the meaning of the names."""
    return [*textwrap.wrap(f"{first}.", LINE), "", *textwrap.wrap(more, LINE)]


def version() -> str:
    """The version of gradcli."""
    version_text: str = sys.modules[__name__.partition(".")[0]].__version__
    return version_text


def list_text(names: Sequence[str]) -> str:
    """Names as a list in a sentence."""
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else "".join(names)
