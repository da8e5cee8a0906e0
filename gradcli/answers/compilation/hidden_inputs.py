"""Hidden inputs: captured floats and arrays as parameters of a rewritten function, read anew at each call."""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Iterable, Iterator
from types import CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple

from gradcli.answers.compilation.call_signatures import Signature, holds_floats, signature
from gradcli.answers.derivation.reading.function_source import definition_of
from gradcli.answers.derivation.reading.nested_functions import TREE
from gradcli.answers.derivation.syntax_trees import NamesInUse, argument_names, names_in, stored_names
from gradcli.engine.code.reachable_objects import is_of_user, is_users_module
from gradcli.errors import UnsupportedError
from gradcli.shared.frozen_record import Frozen

MISSING = object()
FACTORY = "make"  # the function around a rewritten one, which gives it its enclosed variables


class ReadPlace(NamedTuple):
    """A place that a program reads.

    Attributes:
        holder: the object that is read from.
        key: the key or the name; None for a number of items.
        kind: `item` of a dict, `attribute`, `cell` of an enclosed variable, `code` of a function and its defaults,
            or `count`, the number of items of a dict.
    """

    holder: Any
    key: Any
    kind: str

    @property
    def value(self) -> Any:
        """What is read; MISSING if there is nothing."""
        if self.kind == "count":
            return len(self.holder)
        try:
            return self.holder[self.key] if self.kind == "item" else getattr(self.holder, self.key)
        except (LookupError, AttributeError, ValueError):
            return MISSING


class HiddenInput(Frozen, eq=False):
    """A captured value that a program takes as an input.

    Attributes:
        path: the expression that reads it, such as `model.w`.
        parameter: its parameter in the rewritten function.
        root: the holder of its first step: names of a module, a variable that is enclosed, or a method's object.
        steps: the keys of its steps, each with its kind.
        signature: that of its value at the first call.
        place: the holder and the key of its last step, which no guard of equality covers.
    """

    path: str
    parameter: str
    root: Any
    steps: tuple[tuple[Any, str], ...]
    signature: Signature
    place: tuple[int, Any]

    def read(self) -> Any:
        """Its value at the first call, or now."""
        return functools.reduce(lambda holder, step: ReadPlace(holder, *step).value, self.steps, self.root)

    def access(self, root: str) -> str:
        """The expression that reads it from its root, which raises if it is gone."""
        return root + "".join(f"[{key!r}]" if kind == "item" else f".{key}" for key, kind in self.steps)


class RewrittenFunction(Frozen, eq=False):
    """A function with its hidden inputs as its first parameters."""

    function: Callable[..., Any]
    hidden: tuple[HiddenInput, ...]


def with_hidden_inputs(function: Callable[..., Any], is_shared: Callable[[str], bool]) -> RewrittenFunction:
    """A function whose captured floats and arrays are parameters.

    `is_shared` tells whether another function of the program may read a name; such values are guarded by equality.
    """
    plain = function.__func__ if isinstance(function, MethodType) else function
    if not isinstance(plain, FunctionType):
        return RewrittenFunction(function, ())
    tree = definition_of(plain, plain.__name__ if plain.__name__ != "<lambda>" else "f")
    receiver = (function.__self__,) if isinstance(function, MethodType) else ()
    paths = _Paths(tree, plain, receiver, is_shared)
    if not paths.hidden or (receiver and paths.receiver in names_in(tree)):
        return RewrittenFunction(function, ())
    given = tree.args.posonlyargs or tree.args.args
    if receiver:
        del given[0]
    given[:0] = [ast.arg(hidden.parameter) for hidden in paths.hidden.values()]
    return RewrittenFunction(_compiled(tree, plain), tuple(paths.hidden.values()))


class _Paths(ast.NodeTransformer):
    """Replaces the expressions that read captured floats and arrays by names, and keeps these as `hidden`.

    Args:
        tree: the definition, which is modified.
        function: the function.
        receiver: the object of a method, as a tuple of one.
        is_shared: whether another function may read a name.
    """

    def __init__(
        self, tree: ast.FunctionDef, function: FunctionType, receiver: tuple[Any, ...], is_shared: Callable[[str], bool]
    ) -> None:
        self.function = function
        self.is_shared = is_shared
        self.own = stored_names(tree) | argument_names(tree)
        self.fresh = NamesInUse({*names_in(tree), *self.own, *function.__globals__}).fresh
        self.receiver = next(iter(function.__code__.co_varnames), "") if receiver else ""
        self.object = receiver
        self.hidden: dict[str, HiddenInput] = {}
        tree.returns = None
        for argument in ast.walk(tree):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        tree.body = [self.visit(statement) for statement in tree.body]

    def visit_Name(self, node: Any) -> Any:
        return self._replaced(node) or self.generic_visit(node)

    visit_Attribute = visit_Subscript = visit_Name

    def _replaced(self, node: Any) -> ast.expr | None:
        if not isinstance(node.ctx, ast.Load):
            return None
        path = ast.unparse(node)
        if path not in self.hidden:
            steps = self._steps(node)
            if steps is None:
                return None
            *before, last = steps
            value = last.value
            place = (id(vars(last.holder)) if last.kind == "attribute" else id(last.holder), last.key)
            if not holds_floats(value):
                return None
            name = path.replace(".", "_")
            parameter = self.fresh(name if name.isidentifier() else "held") if before else path
            keys = tuple((step.key, step.kind) for step in steps)
            self.hidden[path] = HiddenInput(path, parameter, steps[0].holder, keys, signature(value), place)
        return ast.copy_location(ast.Name(self.hidden[path].parameter, ast.Load()), node)

    def _steps(self, node: ast.expr) -> list[ReadPlace] | None:
        """The places that are read on the path to a captured value; None if it cannot be followed."""
        if isinstance(node, ast.Name):
            return self._root(node.id)
        if not isinstance(node, (ast.Attribute, ast.Subscript)):
            return None
        steps = self._steps(node.value)
        if steps is None:
            return None
        owner = steps[-1].value
        if isinstance(node, ast.Attribute):
            is_plain = node.attr in _attributes(owner) and not self.is_shared(node.attr)
            return [*steps, ReadPlace(owner, node.attr, "attribute")] if is_plain else None
        key = node.slice.value if isinstance(node.slice, ast.Constant) else None
        is_item = type(owner) is dict and isinstance(key, str) and key in owner and not self.is_shared(key)
        return [*steps, ReadPlace(owner, key, "item")] if is_item else None

    def _root(self, name: str) -> list[ReadPlace] | None:
        if self.object and name == self.receiver:
            return [ReadPlace(self.object, 0, "item")]
        if name in self.own or self.is_shared(name):
            return None
        cells = dict(zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True))
        of_module = ReadPlace(self.function.__globals__, name, "item")
        place = ReadPlace(cells[name], "cell_contents", "cell") if name in cells else of_module
        return [place] if place.value is not MISSING else None


def _attributes(owner: Any) -> Iterable[str]:
    """The attributes of an object that are plain data: those of its dictionary, which no property hides."""
    if isinstance(owner, ModuleType):
        return vars(owner) if is_users_module(owner.__name__) else ()
    held = getattr(owner, "__dict__", None)
    if isinstance(owner, type) or not isinstance(held, dict) or not is_of_user(type(owner)):
        return ()
    return [name for name in held if not hasattr(type(owner), name)]


def _compiled(tree: ast.FunctionDef, function: FunctionType) -> FunctionType:
    """The function of a rewritten definition, with the globals and the cells of the original.

    Raises:
        UnsupportedError: the definition cannot be compiled.
    """
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    enclosed = ast.arguments([], [ast.arg(name) for name in cells], None, [], [], None, [])
    factory = ast.FunctionDef(FACTORY, enclosed, [tree], [])
    module = ast.fix_missing_locations(ast.Module([factory], []))
    try:
        outer = compile(module, function.__code__.co_filename, "exec")
    except (SyntaxError, ValueError, TypeError):
        raise UnsupportedError(f"{function.__name__} cannot be rewritten") from None
    code = next(_codes(next(_codes(outer, FACTORY)), tree.name))
    made = FunctionType(
        code,
        function.__globals__,
        function.__name__,
        function.__defaults__,
        tuple(map(cells.get, code.co_freevars)),  # type: ignore[arg-type]
    )
    made.__kwdefaults__ = function.__kwdefaults__
    made.__module__, made.__qualname__ = function.__module__, function.__qualname__
    setattr(made, TREE, tree)
    return made


def _codes(code: CodeType, name: str) -> Iterator[CodeType]:
    return (part for part in code.co_consts if isinstance(part, CodeType) and part.co_name == name)
