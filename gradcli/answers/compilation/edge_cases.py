"""Derived programs that stop at edge cases, where the eager gradient warns, raises or judges in a way of its own.

A comparison of equal numbers is one: at those, the eager gradient looks for findings. So is a number that is compared
with 0 within a tolerance. A program that calls functions outside of the lists below is not compiled.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

from gradcli.answers.derivation.reading.user_functions import is_users
from gradcli.engine.code.reachable_objects import is_users_module
from gradcli.engine.tape.equal_operands import TOLERANCE
from gradcli.errors import UnsupportedError
from gradcli.methods.transforms.gradients import stop_gradient

_OF_BUILTINS = """
    abs bool dict enumerate float int len list max min pow range reversed slice sum tuple type zip
    AssertionError ArithmeticError IndexError KeyError NotImplementedError OverflowError RuntimeError TypeError
    ValueError ZeroDivisionError isinstance
"""
_OF_MATH = """
    acos acosh asin asinh atan atan2 atanh cbrt copysign cos cosh degrees dist erf erfc exp exp2 expm1 fabs fmod fsum
    gamma hypot lgamma log log10 log1p log2 pow prod radians remainder sin sinh sqrt tan tanh
"""
_OF_NUMPY = """
    abs absolute add append arange arccos arccosh arcsin arcsinh arctan arctan2 arctanh array asarray average bincount
    block broadcast_to cbrt clip column_stack concatenate convolve copy copysign cos cosh cross cumprod cumsum degrees
    deg2rad diag diagonal diff divide dot einsum empty empty_like exp exp2 expand_dims expm1 eye fabs flip float32
    float64 float_power fmax fmin full full_like gradient hstack hypot identity inner interp kron linspace log log10
    log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or matmul max maximum mean meshgrid min minimum
    moveaxis multiply ndim negative ones ones_like outer pad polyval pow power prod ptp rad2deg radians ravel real
    reciprocal repeat reshape roll rot90 shape sign sin sinc sinh size sqrt square squeeze stack std subtract sum
    swapaxes take tan tanh tensordot tile trace transpose trapezoid tri tril triu unravel_index var vdot vstack where
    zeros zeros_like amax amin add.at add.reduce linalg.det linalg.inv linalg.norm linalg.slogdet linalg.solve
    linalg.cholesky linalg.multi_dot linalg.matrix_power
"""
_METHODS = """
    append copy cumsum diagonal dot extend flatten get items keys mean max min pop prod ravel repeat reshape squeeze
    std sum swapaxes take tolist trace transpose values var
"""
_OF_SPECIAL = "digamma erf erfc erfcx erfinv expit gammaln gamma logit log_expit logsumexp polygamma psi xlogy"

BUILTINS, METHODS = frozenset(_OF_BUILTINS.split()), frozenset(_METHODS.split())
FUNCTIONS = frozenset(
    f"{module}.{name}"
    for module, names in (("math", _OF_MATH), ("numpy", _OF_NUMPY), ("scipy.special", _OF_SPECIAL))
    for name in names.split()
) | {"copy.deepcopy", "gradcli.stop_gradient"}
_NAMES_OF_FUNCTIONS = {name.rpartition(".")[2] for name in FUNCTIONS} | BUILTINS


OF_SHAPES = ("sum_to", "unbroadcast", "broadcast")  # helpers that compare shapes alone
COMPARISONS: frozenset[type[ast.cmpop]] = frozenset((ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq))
KINKED = re.compile(  # functions with ties and kinks that a program passes silently, and of which recorded runs tell
    r"\babs\(|\.(?:abs|absolute|fabs|maximum|minimum|fmax|fmin|max|min|amax|amin|ptp|clip|where|sign|copysign|norm|hypot"
    r"|fmod|remainder|interp)\("
)


class EdgeCaseError(Exception):
    """A program has reached an edge case, which is left to the eager gradient."""


def check_calls(tree: ast.AST, namespace: Mapping[str, Any], functions: Collection[Any]) -> None:
    """Refuse a definition that calls a function of a library whose edge cases are not known, before it is run again.

    Args:
        tree: the definition.
        namespace: the values of its free names.
        functions: the functions of the program, each of which is checked itself.

    Raises:
        UnsupportedError: it does; calls through its own variables are left to the check of the derived file.
    """
    for node in ast.walk(tree):
        root = node.func if isinstance(node, ast.Call) else None
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(node, ast.Call) or not isinstance(root, ast.Name) or root.id not in namespace:
            continue
        value = namespace[root.id]
        called = ast.unparse(node.func)
        if isinstance(value, ModuleType):
            module = value.__name__
            known = f"{module}.{called.partition('.')[2]}" in FUNCTIONS or is_users_module(module)
        elif root is node.func and callable(value) and not isinstance(value, FunctionType):
            name = getattr(value, "__name__", "")
            known = name in _NAMES_OF_FUNCTIONS or isinstance(value, type) or is_users(value)
        else:
            known = root is not node.func or value in functions or value is stop_gradient
        if not known:
            raise UnsupportedError(f"it calls {called}, whose edge cases are not known")


def check_smooth(text: str) -> None:
    """Refuse a derived text that calls a function with kinks, at which second derivatives are judged.

    Raises:
        UnsupportedError: it does.
    """
    operators = [type(node.op) for node in ast.walk(ast.parse(text)) if isinstance(node, ast.BinOp)]
    kinked = [name for match in KINKED.finditer(text) if (name := match[0].strip(".(")) != "where"]
    name = kinked[0] if kinked else "%" if ast.Mod in operators or ast.FloorDiv in operators else ""
    if name:
        raise UnsupportedError(f"second derivatives at the kinks of {name} are limits")


def check_one_path(text: str) -> None:
    """Refuse a derived text that takes one of several paths by its numbers, each of which has a pattern of its own.

    Raises:
        UnsupportedError: it does.
    """
    tree = ast.parse(text)
    of_shapes = (
        part for part in ast.walk(tree) if isinstance(part, ast.Assert) or getattr(part, "name", "") in OF_SHAPES
    )
    left_out = {id(node) for part in of_shapes for node in ast.walk(part)}
    nodes = (node for node in ast.walk(tree) if id(node) not in left_out)
    if KINKED.search(text) or any(isinstance(node, (ast.Compare, ast.If, ast.IfExp, ast.While)) for node in nodes):
        raise UnsupportedError("each of its paths has other elements that are not 0")


def comparisons_in(definitions: Iterable[ast.AST]) -> frozenset[type[ast.cmpop]]:
    """The kinds of comparisons that user functions make; others in a derived file belong to its partials."""
    nodes = [node for tree in definitions for node in ast.walk(tree)]
    kinds = {type(op) for node in nodes if isinstance(node, ast.Compare) for op in node.ops}
    has_extremes = any(isinstance(node, ast.Name) and node.id in ("max", "min") for node in nodes)
    is_ordered = has_extremes or not kinds.isdisjoint(_ORDERS)
    return frozenset((kinds & {ast.Eq, ast.NotEq}) | (set(_ORDERS) if is_ordered else set()))


def stopping_at_edge_cases(
    text: str, compared: frozenset[type[ast.cmpop]], *, orders_arrays: bool
) -> tuple[ast.Module, dict[str, Any]]:
    """The tree of a derived file in which some comparisons stop at edge cases, and the names that it needs.

    With `orders_arrays` an order of arrays stops too, where some of their numbers are equal.

    Raises:
        UnsupportedError: it calls a function that is not known.
    """
    tree = ast.parse(text)
    own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    imports = [node for node in tree.body if isinstance(node, (ast.Import, ast.ImportFrom))]
    homes = [(f"{node.module}." if isinstance(node, ast.ImportFrom) else "", node.names) for node in imports]
    imported = {alias.asname or alias.name: home + alias.name for home, aliases in homes for alias in aliases}
    rule = None  # the operation of whose derivative a helper is a part
    for definition in tree.body:
        name = getattr(definition, "name", "_")
        rule = rule if name.startswith("_") else name[:-4] if name.endswith(("_vjp", "_jvp")) else None
        for node in ast.walk(definition):
            if isinstance(node, ast.Call):
                _check_call(node, own, imported, rule)
    made: ast.Module = ast.fix_missing_locations(_Comparisons(compared, _sizes(tree)).visit(tree))
    return made, {**_SCOPE, **(_ORDERS_OF_ARRAYS if orders_arrays else {})}


def _check_call(node: ast.Call, own: set[str], imported: Mapping[str, str], rule: str | None) -> None:
    called = ast.unparse(node.func)
    root, dot, rest = called.partition(".")
    if root in imported and called.replace(".", "").isidentifier():
        known = imported[root] + dot + rest in FUNCTIONS
    elif isinstance(node.func, ast.Name):
        known = called in own or called in BUILTINS
    else:
        of_text = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Constant)
        known = of_text or (isinstance(node.func, ast.Attribute) and node.func.attr in METHODS)
    if not known:  # the program itself may not call it
        calls = f"it calls {rule}" if rule in _NAMES_OF_FUNCTIONS else f"its derivative calls {called}"
        raise UnsupportedError(f"{calls}, whose edge cases are not known")


class _Comparisons(ast.NodeTransformer):
    """Replaces comparisons, and the truth of other values, by calls that stop at edge cases."""

    def __init__(self, compared: frozenset[type[ast.cmpop]], sizes: Collection[str]) -> None:
        self.names = {kind: name for kind, name in _NAMES.items() if kind in compared}
        self.sizes = sizes

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if getattr(node.func, "id", "") == "int" and all(_is_of_sizes(argument, self.sizes) for argument in node.args):
            node.func = ast.copy_location(ast.Name("__int__", ast.Load()), node.func)
        return node

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        self.generic_visit(node)
        names = [self.names.get(type(op)) for op in node.ops]
        if len(names) > 1 and all(names):  # the parts have no effects, so that they may be read twice
            operands = [node.left, *node.comparators]
            parts: list[ast.expr] = [
                _call(name or "", left, right) for name, left, right in zip(names, operands, operands[1:], strict=False)
            ]
            return ast.copy_location(ast.BoolOp(ast.And(), parts), node)
        return ast.copy_location(_call(names[0], node.left, node.comparators[0]), node) if names[0] else node

    def visit_If(self, node: Any) -> Any:
        self.generic_visit(node)
        node.test = _truth(node.test)
        return node

    visit_While = visit_IfExp = visit_Assert = visit_If

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        self.generic_visit(node)
        node.values = [_truth(value) for value in node.values]
        return node

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        self.generic_visit(node)
        if isinstance(node.op, ast.Not):
            node.operand = _truth(node.operand)
        return node


def _sizes(tree: ast.AST) -> set[str]:
    """The names, given once, of what is computed from sizes of arrays alone."""
    given = [
        node for node in ast.walk(tree) if isinstance(getattr(node, "ctx", None), ast.Store) or hasattr(node, "arg")
    ]
    times = Counter(getattr(node, "id", None) or getattr(node, "arg", None) for node in given)
    known: set[str] = set()
    for node in ast.walk(tree):
        name = getattr(node.targets[0], "id", "") if isinstance(node, ast.Assign) else ""
        if times[name] == 1 and _is_of_sizes(node.value, known):  # type: ignore[attr-defined]
            known.add(name)
    return known


def _is_of_sizes(node: ast.expr, known: Collection[str]) -> bool:
    """Whether an expression reads sizes of arrays and constants alone."""
    if isinstance(node, ast.Attribute):
        return node.attr in {"shape", "size", "ndim"}
    if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] in {"np", "math", "int", "float", "len"}:
        parts = [*node.args, *(keyword.value for keyword in node.keywords)]
        return ast.unparse(node.func) == "len" or all(_is_of_sizes(part, known) for part in parts)
    parts = [part for part in ast.iter_child_nodes(node) if isinstance(part, ast.expr)]
    return node.id in known if isinstance(node, ast.Name) else all(_is_of_sizes(part, known) for part in parts)


def _truth(node: ast.expr) -> ast.expr:
    is_decided = isinstance(node, (ast.BoolOp, ast.Constant, ast.Compare)) or (
        isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not)
    )
    is_compared = isinstance(node, ast.Call) and getattr(node.func, "id", "") in _SCOPE
    return node if is_decided or is_compared else ast.copy_location(_call("__truth__", node), node)


def _call(name: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), list(arguments), [])


_ORDERS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_SCALARS = (bool, np.bool_)
_FLOATS = (float, np.floating)


def _stopping(compare: Callable[[Any, Any], Any], *, for_arrays: bool) -> Callable[[Any, Any], Any]:
    def compared(a: Any, b: Any) -> Any:
        outcome = compare(a, b)
        if outcome.__class__ in _SCALARS:
            # A float beside what equals it, or near 0.
            is_edge = (a == b or not a or not b) and (isinstance(a, _FLOATS) or isinstance(b, _FLOATS))
            if is_edge and (a == b or abs(a - b) <= TOLERANCE):
                raise EdgeCaseError
        elif for_arrays and np.any(np.equal(a, b)) and "f" in (np.asarray(a).dtype.kind, np.asarray(b).dtype.kind):
            raise EdgeCaseError
        return outcome

    return compared


def _truth_of(value: Any) -> bool:
    if isinstance(value, _FLOATS) and value == 0:
        raise EdgeCaseError
    return bool(value)


def _whole(value: Any, *base: Any) -> int:
    if isinstance(value, _FLOATS) and value == int(value):
        raise EdgeCaseError
    return int(value, *base)


def _extreme(choose: Callable[..., Any]) -> Callable[..., Any]:
    def chosen(*values: Any, **options: Any) -> Any:
        compared = list(values[0]) if len(values) == 1 else list(values)
        best = choose(*values, **options)
        if isinstance(best, _FLOATS) and sum(bool(value == best) for value in compared) > 1:
            raise EdgeCaseError
        return best

    return chosen


_NAMES: dict[type[ast.cmpop], str] = {
    ast.Lt: "__lt__", ast.LtE: "__le__", ast.Gt: "__gt__", ast.GtE: "__ge__", ast.Eq: "__eq__", ast.NotEq: "__ne__",
}  # fmt: skip
_SCOPE: dict[str, Any] = {
    **{f"__{name}__": _stopping(getattr(operator, name), for_arrays=False) for name in ("lt", "le", "gt", "ge")},
    **{f"__{name}__": _stopping(getattr(operator, name), for_arrays=True) for name in ("eq", "ne")},
    "__truth__": _truth_of,
    "bool": _truth_of,
    "int": _whole,
    "__int__": int,
    "max": _extreme(builtins.max),
    "min": _extreme(builtins.min),
}
_ORDERS_OF_ARRAYS = {
    f"__{name}__": _stopping(getattr(operator, name), for_arrays=True) for name in ("lt", "le", "gt", "ge")
}


def is_ordinary(value: Any, derivative: Any) -> bool:
    """Whether a value and its derivative are finite, and the derivative is not 0: others are left to the eager one."""
    return _all_finite(value) and _all_finite(derivative) and _is_nonzero(derivative)


def _all_finite(value: Any) -> bool:
    kind = type(value)
    if kind is float:
        return math.isfinite(value)
    if kind is np.ndarray:
        return bool(np.isfinite(value).all())
    if kind is list or kind is tuple:
        return all(map(_all_finite, value))
    if kind is dict:
        return all(map(_all_finite, value.values()))
    if hasattr(value, "nnz"):  # a sparse array
        return _all_finite(value.data)
    return value is None or math.isfinite(value)


def _is_nonzero(value: Any) -> bool:
    kind = type(value)
    if kind is list or kind is tuple:
        return any(map(_is_nonzero, value))
    if kind is dict:
        return any(map(_is_nonzero, value.values()))
    value = value.data if hasattr(value, "nnz") else value
    return bool(value.any()) if isinstance(value, np.ndarray) else bool(value)
