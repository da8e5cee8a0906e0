"""Programs whose edge cases C can leave to the floating-point exceptions, and the refusal of others.

C raises none for an index outside of an array, a quotient or a large product of whole numbers, or a branch that decides
the type of the value. A program in which the sizes do not decide these is not written in C.
"""

from __future__ import annotations

import ast

from gradcli.answers.derivation.languages.c.program import CProgram
from gradcli.answers.derivation.languages.c.value_sizes import SizedArray, SizedNumber
from gradcli.answers.derivation.syntax_trees import indices_of
from gradcli.errors import UnsupportedError

ROUNDED, PRODUCTS = (ast.FloorDiv, ast.Mod), (ast.Mult, ast.Pow, ast.LShift)  # of whole numbers


def compares_arrays(made: CProgram) -> bool:
    """Whether a program compares arrays."""
    nodes = (node for statement in made.body for node in ast.walk(statement) if isinstance(node, ast.Compare))
    return any(isinstance(made.writer.kind(node), SizedArray) for node in nodes)


def check_decided(made: CProgram) -> None:
    """Refuse a program with an index, a quotient or a condition that the sizes do not decide.

    Raises:
        UnsupportedError: it has one.
    """
    sizes = made.sizes
    nodes = [node for statement in made.body for node in ast.walk(statement)]
    if any(isinstance(node, ast.While) for node in nodes):
        raise UnsupportedError("it has a loop of any number of iterations")
    arrays = [kind for kind in made.values.values() if isinstance(kind, SizedArray) and not kind.lists]
    chooses = (arrays or "np." in made.program.text) and any(map(_chooses, nodes))
    if chooses and not _is_of_numpy(made.value_node, made):
        raise UnsupportedError("a branch may decide whether its value is a number of Python's or of NumPy's")
    # A product may outgrow C's whole numbers only where it changes with a number of iterations that is not known
    is_open = any(None in turns for turns in sizes.turns.values())
    for node in nodes:
        if isinstance(node, ast.Subscript):
            computed = [part for part in indices_of(node) if not isinstance(part, (ast.Slice, ast.Constant))]
            undecided = [part for part in computed if id(part) in sizes.below and made.writer.known(part) is None]
            if undecided or any(isinstance(sizes.seen.get(id(part)), SizedArray) for part in computed):
                raise UnsupportedError(f"the sizes do not decide the index of {ast.unparse(node)}")
        elif isinstance(node, ast.BinOp) and _type(node, made) == "int":
            is_rounded, is_product = (isinstance(node.op, kinds) for kinds in (ROUNDED, PRODUCTS))
            if (is_rounded and id(node) in sizes.below) or (is_product and is_open and made.writer.known(node) is None):
                raise UnsupportedError(f"the sizes do not decide {ast.unparse(node)}")
        elif isinstance(node, ast.Call) and ast.unparse(node.func) in ("int", "bool", "round", "np.add.at"):
            raise UnsupportedError(f"it calls {ast.unparse(node.func)}")
        elif any(_type(test, made) == "double" for test in _tests(node)):
            raise UnsupportedError("it asks for the truth of a float")


def _chooses(node: ast.AST) -> bool:
    """Whether a branch binds another value than a constant."""
    if isinstance(node, ast.If):
        inner = [part for statement in (*node.body, *node.orelse) for part in ast.walk(statement)]
        return any(isinstance(p, ast.Assign) and not isinstance(p.value, ast.Constant) for p in inner)
    return isinstance(node, ast.IfExp)


def _is_of_numpy(node: ast.expr | None, made: CProgram, waiting: frozenset[str] = frozenset()) -> bool:
    """Whether an expression is a number of NumPy's whatever the branches; `waiting` are variables that are."""
    if isinstance(node, ast.Name):
        return node.id in waiting or _holds_numpy(node.id, made, waiting | {node.id})
    if isinstance(node, ast.Subscript):
        kind = made.writer.kind(node.value)
        return isinstance(kind, SizedArray) and not kind.lists
    if isinstance(node, ast.BinOp):
        return _is_of_numpy(node.left, made, waiting) or _is_of_numpy(node.right, made, waiting)
    return isinstance(node, ast.Call) and ast.unparse(node.func).startswith("np.") and _type(node, made) == "double"


def _holds_numpy(name: str, made: CProgram, waiting: frozenset[str]) -> bool:
    """Whether a variable is bound to numbers of NumPy's alone."""
    nodes = [part for statement in made.body for part in ast.walk(statement)]
    stores = [part.id for part in nodes if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    bound = [part.value for part in nodes if isinstance(part, ast.Assign) and ast.unparse(part.targets[0]) == name]
    is_bound = name not in made.values and 0 < len(bound) == stores.count(name)
    return is_bound and all(_is_of_numpy(value, made, waiting) for value in bound)


def _tests(node: ast.AST) -> list[ast.expr]:
    """The expressions whose truth a node asks for."""
    if isinstance(node, (ast.If, ast.IfExp, ast.Assert)):
        return [node.test]
    if isinstance(node, ast.BoolOp):
        return node.values
    return [node.operand] if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) else []


def _type(node: ast.expr, made: CProgram) -> str:
    """The type of a number in C; empty for other values."""
    kind = made.writer.kind(node)
    return kind.type if isinstance(kind, SizedNumber) else ""
