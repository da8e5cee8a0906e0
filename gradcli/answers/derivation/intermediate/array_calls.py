"""Calls of functions of whole arrays, by their products if these are short."""

from __future__ import annotations

import ast
import copy
import math
from typing import Any

import numpy as np

from gradcli.answers.derivation.intermediate.array_function_derivatives import array_function, joined
from gradcli.answers.derivation.intermediate.context import Lowered, LoweringContext
from gradcli.answers.derivation.intermediate.operands import (
    atom_of,
    definition,
    identity,
    lower,
    number_as_array,
    static,
)
from gradcli.answers.derivation.intermediate.operation_derivatives import (
    ArrayDisplay,
    ByTemplate,
    constant_of,
    rebuilt,
    written_items,
)
from gradcli.answers.derivation.intermediate.recorded_calls import recorded_call
from gradcli.answers.derivation.reading.value_kind import NUMBER, STATIC, ValueKind
from gradcli.answers.derivation.syntax_trees import expression, text_of

_OTHERS = "math.prod(x[:k] + x[k + 1 :])"
_APART = "[(p - q) / v if v else 0.0 for p, q in zip(x, y)]"
_ORDER = "np.argsort(x, kind='stable')"
# The products of `sorted` and of functions of `math` that take lists of numbers, one per operand.
OF_LISTS = {
    "fsum": (("[ct] * len(x)",), ("math.fsum(t)",)),
    "prod": ((f"[ct * {_OTHERS} for k in range(len(x))]",), (f"sum(p * {_OTHERS} for k, p in enumerate(t))",)),
    "dist": (
        (f"[ct * p for p in {_APART}]", f"[-ct * p for p in {_APART}]"),
        (f"sum(a * b for a, b in zip(t, {_APART}))", f"-sum(a * b for a, b in zip(t, {_APART}))"),
    ),
    "sorted": ((f"[ct[k] for k in np.argsort({_ORDER})]",), (f"[t[k] for k in {_ORDER}]",)),
}

CONVERSIONS = ("array", "asarray", "asanyarray", "float64")
SQUARE = ("np.linalg.cholesky", "np.linalg.inv")
ALONG_AN_AXIS = ("concatenate", "stack")
OF_ROWS = (*ALONG_AN_AXIS, "hstack", "vstack", "column_stack")


def function_call(node: ast.Call, callee: Any, called: str, context: LoweringContext) -> Lowered:
    """A function of whole arrays, by its source form."""
    if called in OF_LISTS and callee in (sorted, getattr(math, called, None)) and not node.keywords:
        return call_of_lists(node, called, context)
    if callee is math.log:
        quotient = ast.BinOp(_part(node, node.args[:1]), ast.Div(), _part(node, node.args[1:]))
        return lower(context.known(quotient, node), context)
    module = getattr(callee, "__module__", "") or ""
    is_numpy = module.split(".")[0] == "numpy" or callee is np.array
    if not is_numpy and module.split(".")[0] != "scipy":
        function = text_of(node.func)
        hint = f"Write {function.removesuffix('.get')}[{text_of(node.args[0])}]." if called == "get" else ""
        raise context.refuse(node, f"{function}, a function without a written derivative", hint=hint)
    if called in ALONG_AN_AXIS and list(map(ast.unparse, node.keywords)) == ["axis=0"]:  # the default
        node = copy.copy(node)
        node.keywords = []
    is_alone = len(node.args) == 1 and {keyword.arg for keyword in node.keywords} <= {"axis"}
    if (axis := _joining_axis(called, node, context)) is not None:
        parts = node.args[0].elts  # type: ignore[attr-defined]
        atoms = [atom_of(part, context) for part in parts]
        operation = joined(called, atoms, [context.kind(part) for part in parts], context.kind(node), axis)
        if operation is not None:
            return ast.Call(node.func, [ast.List(atoms, ast.Load()), *node.args[1:]], node.keywords), operation
    if called in CONVERSIONS and context.kind(node.args[0]).name == "list":
        return array_of_list(node, context)
    if called in CONVERSIONS and context.kind(node.args[0]) == NUMBER:
        return number_as_array(
            lambda atom: ast.Call(node.func, [atom, *(static(x, context) for x in node.args[1:])], node.keywords),
            node.args[0], node, context,
        )  # fmt: skip
    item = context.kind(node.args[0]).item if is_alone and context.dependence.of(node.args[0]) else None
    takes_item = item is not None and (called in ALONG_AN_AXIS or (called in OF_ROWS and item.rank == 1))
    if item is not None and item.name == "array" and takes_item:
        return joined_list(node, called, context)
    if any(isinstance(argument, (ast.List, ast.Tuple)) and context.dependence.of(argument) for argument in node.args):
        return recorded_call(node, None, copy.copy(node), context)
    is_upper = called == "cholesky" and not is_numpy  # by default, in SciPy
    return array_function_call("" if is_upper else called, node, None, context)


def _joining_axis(called: str, node: ast.Call, context: LoweringContext) -> int | None:
    """The axis along which a function joins the arrays of a display; None if there is none, or it is not written."""
    is_display = bool(node.args) and isinstance(node.args[0], (ast.List, ast.Tuple))
    if not is_display or called not in OF_ROWS or called == "column_stack":
        return None
    rank, parts = context.kind(node).rank, node.args[0].elts  # type: ignore[attr-defined]
    if called != "stack" and any(context.kind(part) != ValueKind("array", rank) for part in parts):
        return None
    given = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    if not given:
        return min(rank - 1, 1) if called == "hstack" else 0
    axis: Any = constant_of(given[0])
    takes_axis = called in ALONG_AN_AXIS and {keyword.arg for keyword in node.keywords} <= {"axis"}
    return axis % rank if takes_axis and isinstance(axis, int) and len(given) == 1 else None


def call_of_lists(node: ast.Call, called: str, context: LoweringContext) -> Lowered:
    """A function of lists of numbers."""
    numbers = ValueKind("list", item=NUMBER)
    parts = [
        context.known(ast.ListComp(argument.elt, argument.generators), numbers)
        if isinstance(argument, ast.GeneratorExp) and context.kind(argument.elt) == NUMBER
        else argument
        for argument in node.args
    ]
    if any(context.kind(part).name != "list" or context.item_kind(part) != NUMBER for part in parts):
        hint = "It takes lists of numbers. list(x) makes one of a vector."
        raise context.refuse(node, f"{text_of(node)}, of what are no lists of numbers", hint)
    if called == "sorted" and context.observation.of(node).is_partly_whole:  # any of its items may carry a derivative
        hint = "Write the numbers as floats, such as 0.0."
        raise context.refuse(node, f"{text_of(node)}, of whole numbers and others", hint)
    atoms = tuple(atom_of(part, context) for part in parts)
    kinds = tuple(numbers for _ in atoms)
    return ast.Call(node.func, list(atoms), []), ByTemplate(atoms, kinds, context.kind(node), *OF_LISTS[called])


def array_of_list(node: ast.Call, context: LoweringContext) -> Lowered:
    """An array from a list; the items of a list display get their sensitivities by index."""
    kind, argument, rest = context.kind(node), node.args[0], [static(x, context) for x in node.args[1:]]
    keywords = [ast.keyword(k.arg, static(k.value, context)) for k in node.keywords]
    if any(keyword.arg == "ndmin" for keyword in keywords):
        raise context.refuse(node, "ndmin for a list", hint="Make the axes by x[None] or np.reshape.")
    if isinstance(argument, (ast.List, ast.Tuple)):
        leaves = list(written_items(argument))
        if len({len(path) for path, _ in leaves}) == 1 and all(context.kind(x).name != "list" for _, x in leaves):
            atoms = [atom_of(leaf, context) for _, leaf in leaves]
            tree = rebuilt(argument, iter(atoms))
            pulls = tuple(f"ct[{', '.join(map(str, path))}]" for path, _ in leaves)
            made = ast.Call(node.func, [tree, *rest], keywords)
            kinds = tuple(context.kind(leaf) for _, leaf in leaves)
            return made, ArrayDisplay(tuple(atoms), kinds, kind, pulls, tree)
    atom, item = atom_of(argument, context), context.item_kind(argument)
    if kind.rank != 1 and item.name not in ("list", "array"):
        raise context.refuse(node, f"an array made of a list of {item}s")
    pull = "ct.tolist()" if item.name == "list" else "list(ct)"
    operation = ByTemplate((atom,), (context.kind(argument),), kind, (pull,), ("np.array(t)",))
    return ast.Call(node.func, [atom, *rest], keywords), operation


def as_array(part: ast.expr, context: LoweringContext) -> ast.expr:
    """A list of numbers, converted to an array as NumPy does."""
    if context.kind(part) != ValueKind("list", item=NUMBER) or not context.dependence.of(part):
        return part
    kind = ValueKind("array", 1)
    made = context.known(ast.Call(expression("np.array"), [part], []), kind)
    return context.temporary(*array_of_list(made, context), kind)  # type: ignore[arg-type]


def joined_list(node: ast.Call, called: str, context: LoweringContext) -> Lowered:
    """`stack` or `concatenate`, or what they are for vectors, for a list with a name.

    Raises:
        UnsupportedError: whole numbers are among its arrays, whose tangents would need shapes that are not known.
    """
    if any(context.kind(part) == STATIC for part in getattr(node.args[0], "elts", ())):
        raise context.refuse(node, f"{text_of(node)}, of whole numbers and floats", "Write floats, np.arange(3.0).")
    if any(isinstance(option.value, ast.Constant) and option.value.value is None for option in node.keywords):
        raise context.refuse(node, f"{text_of(node)}, of arrays that it makes flat", "Join x.ravel() of each.")
    atom, axes = atom_of(node.args[0], context), [static(keyword.value, context) for keyword in node.keywords]
    length, along = ("np.shape(each)[axis]", ", axis=axis") if axes else ("len(each)", "")
    pull = "list(np.moveaxis(ct, axis, 0))" if axes else "list(ct)"
    if called in ("concatenate", "hstack"):
        pull = f"np.split(ct, np.cumsum([{length} for each in x])[:-1]{along})"
    elif called == "column_stack":
        pull = "list(ct.T)"
    kinds, extra = (context.kind(node.args[0]),), dict(zip(("axis",), axes, strict=False))
    operation = ByTemplate((atom,), kinds, context.kind(node), (pull,), (f"np.{called}(t{along})",), extra)
    return ast.Call(node.func, [atom], [ast.keyword(*option) for option in extra.items()]), operation


def method_call(node: ast.Call, called: str, context: LoweringContext) -> Lowered:
    """A method of an array."""
    if not isinstance(node.func, ast.Attribute):
        raise context.refuse(
            node, f"{text_of(node.func)}, the method {called} of an array", f"Call it on the array: A.{called}(x)."
        )
    owner = node.func.value
    if (called == "take" and not node.keywords and context.kind(owner).rank == 1) or (called == "item" and node.args):
        place = node.args[0] if len(node.args) == 1 else ast.Tuple(node.args, ast.Load())
        if context.kind(owner).rank > 1 and not isinstance(place, ast.Tuple):
            raise context.refuse(node, f"{text_of(node)}, of an array with several axes", hint="Write A[i, j].")
        return lower(context.known(ast.Subscript(owner, place, ast.Load()), node), context)
    atoms = [atom_of(part, context) for part in (owner, *node.args)]
    callee = ast.Attribute(atoms[0], node.func.attr, ast.Load())
    made = ast.Call(callee, atoms[1:], [ast.keyword(k.arg, static(k.value, context)) for k in node.keywords])
    if called == "astype" and context.kind(node) == context.kind(owner):
        return made, identity(atoms[0], context.kind(node))
    if called in ("item", "__float__"):
        return made, identity(atoms[0], NUMBER)
    if called == "tolist" and context.kind(node).name == "list":
        kinds = (context.kind(owner),)
        return made, ByTemplate((atoms[0],), kinds, context.kind(node), ("np.array(ct)",), ("t.tolist()",))
    return array_function_call(called, node, owner, context)


def array_function_call(called: str, node: ast.Call, owner: ast.expr | None, context: LoweringContext) -> Lowered:
    """A function or method of arrays, by its products if they are short, otherwise by its recorded operations."""
    node = copy.copy(node)
    node.args = [as_array(argument, context) for argument in node.args]
    parts = [*([owner] if owner is not None else []), *node.args]
    atoms = [atom_of(part, context) for part in parts]
    keywords = {k.arg: static(k.value, context) for k in node.keywords if k.arg}
    callee, arguments = node.func, atoms
    if owner is not None:
        callee, arguments = ast.Attribute(atoms[0], called, ast.Load()), atoms[1:]
    made = ast.Call(callee, arguments, [ast.keyword(k, v) for k, v in keywords.items()])
    if called == "diag" and (matrix := definition(atoms[0], context)) is not None:
        is_square = isinstance(matrix.value, ast.Call) and ast.unparse(matrix.value.func) in SQUARE
        called = "diag_of_square" if is_square else called
    operation = array_function(called, atoms, [context.kind(part) for part in parts], context.kind(node), keywords)
    return (made, operation) if operation is not None else recorded_call(node, owner, made, context)


def _part(node: ast.Call, arguments: list[ast.expr]) -> ast.expr:
    """A scalar call with only some of its arguments."""
    made = ast.copy_location(ast.Call(node.func, arguments, []), node)
    made.known_kind = NUMBER  # type: ignore[attr-defined]
    made.number = node.number  # type: ignore[attr-defined]
    return made
