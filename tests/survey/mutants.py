"""Changed copies of a function: each has one slip of the kind that people make, at one place of its text."""

import ast
import contextlib
import copy
import inspect
import itertools
import random
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, NamedTuple

OTHER_OPERATOR: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
OTHER_NAME = {"sin": "cos", "cos": "sin", "exp": "log", "log": "exp", "sinh": "cosh", "cosh": "sinh", "tanh": "tan"}


class Mutant(NamedTuple):
    """A changed copy.

    Args:
        change: the kind of the slip and its line.
        code: the changed code, which fits the function.
    """

    change: str
    code: CodeType


def mutants(function: Callable[..., Any]) -> Iterator[Mutant]:
    """Yield all changed copies of a Python function, in an order that is the same on every run; none without source."""
    function = plain_function(function)
    try:
        text = textwrap.dedent(inspect.getsource(function))
        tree = ast.parse(text)
    except (OSError, TypeError, SyntaxError):
        return
    places = [(number, kind) for number, node in enumerate(ast.walk(tree)) for kind in _slips(node)]
    random.Random(text).shuffle(places)
    for number, kind in places:
        change, changed = _changed(tree, number, kind)
        if (code := _fitting(changed, function)) is not None:
            yield Mutant(change, code)


def plain_function(function: Callable[..., Any]) -> Any:
    """The function behind a bound method and behind decorators that name it."""
    return inspect.unwrap(getattr(function, "__func__", function))


@contextlib.contextmanager
def in_place(mutant: Mutant, function: Callable[..., Any]) -> Iterator[None]:
    """Run a changed copy wherever the function is called."""
    function = plain_function(function)
    right = function.__code__
    function.__code__ = mutant.code
    try:
        yield
    finally:
        function.__code__ = right


def _changed(tree: ast.Module, number: int, kind: str) -> tuple[str, ast.Module]:
    """The kind of a slip, its line and its text, and a copy of a tree with the slip at one node."""
    changed = copy.deepcopy(tree)
    node: Any = next(each for each in itertools.islice(ast.walk(changed), number, None))
    change = f"{kind} in line {getattr(node, 'lineno', 0)}: {ast.unparse(node)[:60]}"
    _slips(node)[kind](node)
    return change, changed


def _slips(node: ast.AST) -> dict[str, Callable[[Any], None]]:
    """What can go wrong at a node."""
    match node:
        case ast.BinOp(op=ast.Add() | ast.Sub()):
            return {"sign": _other_operator, "term dropped": _drop_right}
        case ast.BinOp(op=ast.Mult() | ast.Div()):
            return {"inverted": _other_operator, "factor dropped": _drop_right}
        case ast.BinOp(op=ast.Pow(), right=ast.Constant()):
            return {"power dropped": _drop_right}
        case ast.AugAssign(op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div()):
            return {"sign": _other_operator}
        case ast.UnaryOp(op=ast.USub()):
            return {"sign": lambda place: setattr(place, "op", ast.UAdd())}
        case ast.Constant(value=float()):
            return {"factor 2": lambda place: setattr(place, "value", 2 * place.value + (place.value == 0))}
        case ast.Subscript(slice=ast.Constant(value=int())):
            return {"index": lambda place: setattr(place.slice, "value", 1 - min(place.slice.value, 1))}
        case ast.Attribute(attr=name) if name in OTHER_NAME:
            return {"function": lambda place: setattr(place, "attr", OTHER_NAME[place.attr])}
    return {}


def _other_operator(place: Any) -> None:
    place.op = OTHER_OPERATOR[type(place.op)]()


def _drop_right(place: Any) -> None:
    """Keep the left operand alone: times 1, which is as good."""
    place.op, place.right = ast.Mult(), ast.Constant(value=1)


def _fitting(tree: ast.Module, function: Any) -> CodeType | None:
    """The compiled code of a changed function, or None where its variables are not those of the original."""
    right: CodeType = function.__code__
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return None
    definition.decorator_list = []
    if right.co_freevars:
        arguments = ast.arguments([], [ast.arg(name) for name in right.co_freevars], None, [], [], None, [])
        tree = ast.Module([ast.FunctionDef("around", arguments, [definition], [], type_params=[])], [])
    compiled = compile(ast.fix_missing_locations(tree), right.co_filename, "exec")
    made = next((each for each in _codes(compiled) if each.co_name == right.co_name), None)
    return made if made is not None and made.co_freevars == right.co_freevars else None


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _codes(each)
