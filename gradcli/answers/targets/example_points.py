"""Example points for a function: each parameter as a number, an array, a matrix or a dict, judged by its use.

No function is run: only its source, and that of its module, is read. An example shows how a point is typed; its sizes
are a guess.
"""

from __future__ import annotations

import ast
import doctest
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from gradcli.answers.targets.functions import source_of
from gradcli.answers.targets.target import Target
from gradcli.errors import PointError
from gradcli.mathematics.language.tokens import meant
from gradcli.shared.message_wording import did_you_mean, list_text
from gradcli.shared.pytree import as_typed

MODULES = frozenset(("np", "numpy", "math", "scipy", "sp", "linalg"))
NUMBER, ARRAY, MATRIX, UNKNOWN = "1", "[1,2]", "[[2,1],[1,3]]", "[…]"
NO_SHAPES: Mapping[str, tuple[int, ...] | None] = MappingProxyType({})
_OF_MATRICES = "inv pinv det slogdet trace eig eigh eigvals eigvalsh svd cholesky qr lu expm solve matrix_power diag"
OF_MATRICES = frozenset(_OF_MATRICES.split())
_OF_ARRAYS = (
    "len sum mean max min prod dot outer std var sort argsort argmax argmin cumsum diff norm zip "
    "enumerate iter list flatten ravel reshape"
)
OF_ARRAYS = frozenset(_OF_ARRAYS.split())
ATTRIBUTES_OF_ARRAYS = frozenset(("shape", "size", "ndim", "dtype", "copy", "astype", "tolist", "any", "all"))


def example_point(
    source: ast.AST | None, names: Iterable[str], shapes: Mapping[str, tuple[int, ...] | None] = NO_SHAPES
) -> str:
    """A point of these parameters as it is typed, such as `w=[1,2],rate=1`; `w=[…]` if the length of w is not known.

    Args:
        source: the definition of the function; None if it is unknown.
        names: the parameters.
        shapes: the shapes of the names outside the function; None for those that are not known.
    """
    uses = _Uses(shapes)
    if source is not None:
        uses.visit(source)
    return ",".join(f"{name}={uses.example(name)}" for name in names)


def source_tree(function: Any) -> ast.AST | None:
    """The syntax of a function's source; None if it cannot be read."""
    text = source_of(function)
    try:
        return ast.parse(text) if text else None
    except (SyntaxError, RecursionError):
        return None


class _Uses(ast.NodeVisitor):
    """The uses of names in a function."""

    def __init__(self, shapes: Mapping[str, tuple[int, ...] | None]) -> None:
        self.shapes = shapes
        self.unknown: set[str] = set()
        self.kinds: dict[str, set[str]] = {}
        self.keys: dict[str, dict[str, Any]] = {}
        self.lengths: dict[str, int] = {}

    def example(self, name: str) -> str:
        """The text of a value that fits the uses of a name."""
        if keys := self.keys.get(name):
            return as_typed(_example_of_keys(keys), str, space="")
        kinds = self.kinds.get(name, set())
        if name in self.unknown and kinds & {ARRAY, MATRIX}:
            return UNKNOWN
        if MATRIX in kinds:
            return MATRIX
        length = self.lengths.get(name, 2)
        return f"[{','.join(str(1 + n) for n in range(length))}]" if ARRAY in kinds else NUMBER

    def _note(self, node: Any, kind: str, length: int = 0) -> None:
        if isinstance(node, ast.Name):
            self.kinds.setdefault(node.id, set()).add(kind)
            self.lengths[node.id] = max(length, self.lengths.get(node.id, 2))

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if isinstance(node.op, ast.MatMult):
            self._product(node.left, node.right)
        else:
            self._outside(node.left, node.right, 0)
            self._outside(node.right, node.left, 0)
        self.generic_visit(node)

    def _outside(self, side: ast.expr, other: ast.expr, axis: int) -> None:
        """Note the length of a parameter that an axis of an array outside the function gives it."""
        is_turned = isinstance(other, ast.Attribute) and other.attr == "T"
        array = other.value if is_turned else other  # type: ignore[attr-defined]
        if isinstance(side, ast.Name) and isinstance(array, ast.Name) and array.id in self.shapes:
            shape = self.shapes[array.id]
            if shape is None or (shape and side.id[:1].isupper()):
                self.unknown.add(side.id)
            elif shape:
                self.lengths[side.id] = shape[::-1][axis] if is_turned else shape[axis]

    def _product(self, left: ast.expr, right: ast.expr) -> None:
        """Both sides of `@`: a capital letter is a matrix, and without one the first of two names."""
        names = [side.id for side in (left, right) if isinstance(side, ast.Name)]
        has_capital = any(name[:1].isupper() for name in names)
        for side in (left, right):
            is_capital = isinstance(side, ast.Name) and side.id[:1].isupper()
            is_first = side is left and not has_capital and len(set(names)) == 2
            is_matrix = (is_capital or is_first) and not any(name in self.shapes for name in names)
            self._note(side, MATRIX if is_matrix else ARRAY)
        self._outside(left, right, 0)
        self._outside(right, left, -1)

    def visit_Call(self, node: ast.Call) -> None:
        called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        sides = node.args if len(node.args) != 1 else [getattr(node.func, "value", node.func), *node.args]
        if called == "dot":
            self._product(*sides[:2])
        for argument in node.args[:1] if called in OF_MATRICES | OF_ARRAYS else ():
            values = [node for node in ast.walk(argument) if isinstance(node, ast.Name) and node.id not in MODULES]
            if len({value.id for value in values}) == 1:
                self._note(values[0], MATRIX if argument is values[0] and called in OF_MATRICES else ARRAY)
        if isinstance(node.func, ast.Attribute) and called in OF_MATRICES | OF_ARRAYS:
            self._note(node.func.value, MATRIX if called in OF_MATRICES else ARRAY)
        self.generic_visit(node)

    def visit_Subscript(self, node: ast.Subscript) -> None:
        index = node.slice
        if isinstance(index, ast.Constant) and isinstance(index.value, str):
            self._keyed(node)
        elif isinstance(index, ast.Tuple) and len(index.elts) == 2:
            self._note(node.value, MATRIX)
        else:
            whole = index.value if isinstance(index, ast.Constant) and isinstance(index.value, int) else 0
            self._note(node.value, ARRAY, whole + 1)
        if isinstance(node.value, ast.Subscript):
            self._note(node.value.value, MATRIX)
        self.generic_visit(node)

    def _keyed(self, node: ast.expr) -> None:
        """Note the keys of `p["a"]["b"]`."""
        path: list[str] = []
        while isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            path.insert(0, str(node.slice.value))
            node = node.value
        inside = self.keys.setdefault(node.id, {}) if isinstance(node, ast.Name) else {}
        for key in path:
            inside = inside.setdefault(key, {})

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if node.attr == "T":
            self._note(node.value, MATRIX)
        elif node.attr in ATTRIBUTES_OF_ARRAYS:
            self._note(node.value, ARRAY)
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        for target in node.targets:
            if not isinstance(target, (ast.Tuple, ast.List)):
                continue
            if isinstance(node.value, ast.Attribute) and node.value.attr == "shape" and len(target.elts) == 2:
                self._note(node.value.value, MATRIX)
            self._note(node.value, ARRAY, len(target.elts))
        self.generic_visit(node)

    def visit_For(self, node: ast.For) -> None:
        self._iterated(node.target, node.iter)
        self.generic_visit(node)

    def visit_comprehension(self, node: ast.comprehension) -> None:
        self._iterated(node.target, node.iter)
        self.generic_visit(node)

    def _iterated(self, target: ast.expr, over: ast.expr) -> None:
        self._note(over, MATRIX if isinstance(target, ast.Tuple) else ARRAY)


def _example_of_keys(keys: Mapping[str, Any]) -> Any:
    """A dict with these keys and numbers for values."""
    return {key: _example_of_keys(inner) for key, inner in keys.items()} if keys else NUMBER


Shape = tuple[int, ...] | None  # None is unknown
OF_LISTS = frozenset(("array", "asarray"))
OF_A_SHAPE = frozenset(("zeros", "ones", "standard_normal"))


def module_shapes(module: ast.Module) -> dict[str, Shape]:
    """The shapes of the names that a module binds at its top level, as far as their source shows them."""
    shapes: dict[str, Shape] = {}
    for node in module.body:
        if isinstance(node, ast.Assign):
            names = [part for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)]
            shapes |= dict.fromkeys((name.id for name in names), _shape(node.value))
        elif isinstance(node, ast.ImportFrom):
            shapes |= dict.fromkeys(alias.asname or alias.name for alias in node.names)
    return shapes


def _shape(node: ast.expr) -> Shape:
    """The shape of `np.array([1, 2])`, `np.zeros(2)`, `rng.normal(size=(2, 3))`, and of a literal."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        given = [keyword.value for keyword in node.keywords if keyword.arg == "size"]
        size = literal(given[0] if given else node.args[0]) if given or node.func.attr in OF_A_SHAPE else None
        if size is not None:
            return (size,) if isinstance(size, int) else tuple(size)
    value, sizes = literal(node), []
    while isinstance(value, (list, tuple)) and value:
        sizes.append(len(value))
        value = value[0]
    return None if value is None else (*sizes,)


def literal(node: ast.expr) -> Any:
    """A number or nested lists of numbers, also as an array; None for all else."""
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in OF_LISTS and node.args:
        return literal(node.args[0])
    with suppress(ValueError, TypeError):
        value = ast.literal_eval(node)
        return value if isinstance(value, (int, float, list, tuple)) else None
    return None


def called_with(module: ast.Module, names: Collection[str | None]) -> list[Any] | None:
    """The arguments of the first call of a function with literals, in a module or its docstrings; None without one."""
    for tree in (module, *_examples(module)):
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in names:
                values = [literal(argument) for argument in node.args]
                if values and None not in values and not node.keywords:
                    return values
    return None


def _examples(module: ast.Module) -> Iterator[ast.Module]:
    for node in module.body:
        text = ast.get_docstring(node) if isinstance(node, ast.FunctionDef) else None
        for example in doctest.DocTestParser().get_examples(text) if text and ">>>" in text else ():
            with suppress(SyntaxError):
                yield ast.parse(example.source)


MOST_GIVEN = 12  # names in a hint that assigns values to them


def without_value(names: Sequence[str]) -> str:
    """The start of a message: `x has no value`, `x and y have no value`."""
    listed = " and ".join(names) if len(names) == 2 else list_text(names)
    return f"{listed} {'has' if len(names) == 1 else 'have'} no value"


def value_assignments(names: Sequence[str], target: Target | None = None) -> str:
    """Text that gives values to some names: `x = 1`, or `at x=1,y=1` for several; arrays where they are needed."""
    source = source_tree(target.function) if target is not None and target.tree is None else None
    values = example_point(source, names[:MOST_GIVEN])
    return values.replace("=", " = ", 1) if len(names) == 1 else f"at {values}"


def point_of(target: Target, values: Mapping[str, Any]) -> dict[str, Any]:
    """The point made of the known values of a target's parameters, by name.

    Raises:
        PointError: a required parameter has no value.
    """
    values = {meant(name, target.names): value for name, value in values.items()}
    missing = [parameter.name for parameter in target.parameters if parameter.required and parameter.name not in values]
    if missing:
        typed = f"Type {value_assignments(missing, target)}, or give the point with --at."
        near = did_you_mean(missing[0], values)
        hint = f"{near} {typed}" if near else typed
        raise PointError(f"{without_value(missing)}.", hint=hint)
    return {name: values[name] for name in target.names if name in values}
