"""Hidden inputs: captured floats and arrays as parameters of a rewritten function, read anew at each call."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from inspect import Parameter, Signature, signature
from types import CellType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any, NamedTuple, cast

from gradcli.answers.compilation.call_signatures import holds_floats
from gradcli.answers.derivation.reading.function_source import definition_of
from gradcli.answers.derivation.reading.nested_functions import TREE
from gradcli.answers.derivation.reading.user_functions import is_users
from gradcli.answers.derivation.syntax_trees import NamesInUse, argument_names, names_in, stored_names
from gradcli.engine.code.bytecode_names import names_in as code_names
from gradcli.engine.code.reachable_objects import is_of_user, is_users_module, reachable_objects
from gradcli.errors import UnsupportedError
from gradcli.shared.frozen_record import Frozen

MISSING = object()
FACTORY = "make"  # the function around a rewritten one, which gives it its enclosed variables


class ReadPlace(NamedTuple):
    """A place that a program reads.

    Attributes:
        holder: the object that is read from.
        key: the key or the name.
        kind: `item` of a dict, `attribute`, `cell` of an enclosed variable, or `code` of a function and its defaults.
        name: that of an enclosed variable.
    """

    holder: Any
    key: Any
    kind: str
    name: str = ""

    @property
    def value(self) -> Any:
        """What is read; MISSING if there is nothing."""
        try:
            return self.holder[self.key] if self.kind == "item" else getattr(self.holder, self.key)
        except (LookupError, AttributeError, ValueError):
            return MISSING


class HiddenInput(Frozen, eq=False):
    """A captured value that a program takes as an input.

    Attributes:
        path: the expression that reads it, such as `model.w`.
        parameter: its parameter in the rewritten function.
        places: the places of its steps, of which no guard of equality covers the last.
    """

    path: str
    parameter: str
    places: tuple[ReadPlace, ...]

    @property
    def root(self) -> Any:
        """The holder of its first step: names of a module, a variable that is enclosed, or a method's object."""
        return self.places[0].holder

    @property
    def steps(self) -> tuple[tuple[Any, str], ...]:
        """The keys of its steps, each with its kind."""
        return tuple((place.key, place.kind) for place in self.places)

    @property
    def value(self) -> Any:
        """Its value at the first call."""
        return self.places[-1].value

    def access(self, root: str) -> str:
        """The expression that reads it from its root, which raises if it is gone."""
        return root + "".join(f"[{key!r}]" if kind == "item" else f".{key}" for key, kind in self.steps)


class RewrittenFunction(Frozen, eq=False):
    """A function with its hidden inputs as its first parameters."""

    function: Callable[..., Any]
    hidden: tuple[HiddenInput, ...]


def with_hidden_inputs(function: Callable[..., Any]) -> RewrittenFunction:
    """A function whose captured floats and arrays, and those of the functions that it calls, are parameters.

    A value that may be read in another way too, as by a function that is handed on, is no parameter.
    """
    shared: set[Any] = set()
    while True:
        rewriting = _Rewriting(shared)
        made = rewriting.of(function)
        if not made.hidden:
            return RewrittenFunction(function, ())
        reached = reachable_objects(made.function).functions
        others = [one for one in reached if not hasattr(one, TREE)]
        read = rewriting.read.union(*(code_names(one.__code__).read for one in others))
        read |= {id(cell) for one in others for cell in one.__closure__ or ()}
        places = [place for hidden in made.hidden for place in hidden.places]
        elsewhere = {part for place in places for part in (place.key, id(place.holder))} & read
        if not elsewhere:
            return made
        shared |= elsewhere


class _Rewriting:
    """The rewritten functions of a program.

    Args:
        shared: the names, and the identities of the holders, whose values are no parameters.

    Attributes:
        read: the identities of objects that stand there as a whole, any part of which may be read, and the attributes
            of objects that are not known.
    """

    def __init__(self, shared: set[Any]) -> None:
        self.shared = shared
        self.read: set[Any] = set()
        self._receivers: dict[int, tuple[Any, ...]] = {}
        self._made: dict[tuple[int, int], RewrittenFunction] = {}

    def of(self, function: Callable[..., Any]) -> RewrittenFunction:
        """A function with its hidden inputs; itself without any while it is being rewritten."""
        plain, owner = getattr(function, "__func__", function), getattr(function, "__self__", None)
        key = id(plain), id(owner)
        if key not in self._made:
            self._made[key] = RewrittenFunction(function, ())
            if isinstance(plain, FunctionType):
                receiver = self._receivers.setdefault(id(owner), (owner,)) if isinstance(function, MethodType) else ()
                self._made[key] = _Paths(plain, receiver, self).rewritten()
        return self._made[key]


class _Paths(ast.NodeTransformer):
    """Replaces the expressions that read captured floats and arrays by names, and keeps these as `hidden`.

    Args:
        function: the function.
        receiver: the object of a method, as a tuple of one.
        program: the functions around it.
    """

    def __init__(self, function: FunctionType, receiver: tuple[Any, ...], program: _Rewriting) -> None:
        self.function = function
        self.program = program
        self.tree = definition_of(function, function.__name__ if function.__name__ != "<lambda>" else "f")
        self.own = stored_names(self.tree) | argument_names(self.tree)
        self.fresh = NamesInUse({*names_in(self.tree), *self.own, *function.__globals__}).fresh
        self.receiver = next(iter(function.__code__.co_varnames), "") if receiver else ""
        self.object = receiver
        self.hidden: dict[Any, HiddenInput] = {}
        self.cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        self.enclosed: dict[str, CellType] = {}

    def rewritten(self) -> RewrittenFunction:
        """The function with its hidden inputs as parameters; the object of a method is an enclosed variable."""
        tree = self.tree
        tree.returns = None
        for argument in ast.walk(tree):
            if isinstance(argument, ast.arg):
                argument.annotation = None
        tree.body = [self.visit(statement) for statement in tree.body]
        given = tree.args.posonlyargs or tree.args.args
        if self.receiver:
            self.enclosed[given.pop(0).arg] = CellType(self.object[0])
        given[:0] = [ast.arg(hidden.parameter) for hidden in self.hidden.values()]
        made = _compiled(tree, self.function, self.cells | self.enclosed)
        if hasattr(self.function, "__wrapped__"):  # it may gather the arguments of what it wraps
            wrapped, taken = signature(self.function).parameters, given[: len(self.hidden)]
            hidden = [Parameter(own.arg, Parameter.POSITIONAL_OR_KEYWORD) for own in taken if own.arg not in wrapped]
            made.__signature__ = Signature([*hidden, *wrapped.values()])  # type: ignore[attr-defined]
        return RewrittenFunction(made, tuple(self.hidden.values()))

    def visit_Name(self, node: Any) -> Any:
        steps = self._steps(node) if isinstance(node.ctx, ast.Load) else None
        if steps is None:
            if isinstance(node, ast.Attribute) and self._steps(node.value) is None:
                self.program.read.add(node.attr)
            return self.generic_visit(node)
        if not holds_floats(steps[-1].value):
            return self._known(steps[-1].value, node)
        path = ast.unparse(node)
        hidden = HiddenInput(path, path if len(steps) == 1 else "", tuple(steps))
        return ast.copy_location(self._parameter(hidden), node)

    visit_Attribute = visit_Subscript = visit_Name

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """A call, with the hidden inputs of its function before its arguments."""
        function = self._function(node.func)
        inner = self.program.of(function) if function is not None else None
        if inner is None:
            self.generic_visit(node)
            return node
        arguments, keywords = [*map(self.visit, node.args)], [*map(self.visit, node.keywords)]
        hidden = [self._parameter(item.changed(parameter="")) for item in inner.hidden]
        return ast.copy_location(ast.Call(self._known(inner.function, node), [*hidden, *arguments], keywords), node)

    def _known(self, value: Any, node: ast.expr) -> ast.expr:
        """An expression of a value that is compared where it was read from: text, name, or enclosed variable.

        The text of a negative number would bind to a power.
        """
        if type(value) in (bool, str, type(None)) or (type(value) is int and value >= 0):
            return ast.copy_location(ast.Constant(value), node)
        self.program.read.add(id(value))
        if isinstance(node, ast.Name):
            return node
        known = (name for name, cell in self.enclosed.items() if cell.cell_contents is value)
        name = next(known, "") or self.fresh(f"held_{len(self.enclosed)}")
        self.enclosed.setdefault(name, CellType(value))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _parameter(self, hidden: HiddenInput) -> ast.expr:
        """The parameter of a hidden input, which may be that of a called function."""
        key = id(hidden.root), hidden.steps
        if key not in self.hidden:
            stem = hidden.path.replace(".", "_")
            name = hidden.parameter or self.fresh(stem if stem.isidentifier() else "held")
            self.hidden[key] = hidden.changed(parameter=name)
        return ast.Name(self.hidden[key].parameter, ast.Load())

    def _function(self, node: ast.expr) -> FunctionType | MethodType | None:
        """The user's function or method that is called; None if that is not known, or for another."""
        steps, name = self._steps(node), "__call__"
        if steps is None and isinstance(node, ast.Attribute):
            steps, name = self._steps(node.value), node.attr
        called = steps[-1].value if steps is not None else None
        if name != "__call__" or not isinstance(called, (FunctionType, MethodType)):
            method = next((vars(kind)[name] for kind in type(called).__mro__ if name in vars(kind)), None)
            is_plain = isinstance(method, FunctionType) and name not in getattr(called, "__dict__", ())
            called = MethodType(cast(FunctionType, method), called) if is_plain else None
        is_function = isinstance(getattr(called, "__func__", called), FunctionType)
        return called if is_function and is_users(called) else None

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
            step = ReadPlace(owner, node.attr, "attribute") if node.attr in _attributes(owner) else None
        else:
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            is_item = type(owner) is dict and isinstance(key, str) and key in owner
            step = ReadPlace(owner, key, "item") if is_item else None
        return [*steps, step] if step is not None and not self._is_shared(step) else None

    def _root(self, name: str) -> list[ReadPlace] | None:
        if self.object and name == self.receiver:
            return [ReadPlace(self.object, 0, "item")]
        of_module = ReadPlace(self.function.__globals__, name, "item")
        place = ReadPlace(self.cells[name], "cell_contents", "cell") if name in self.cells else of_module
        return None if name in self.own or place.value is MISSING or self._is_shared(place) else [place]

    def _is_shared(self, place: ReadPlace) -> bool:
        return place.key in self.program.shared or id(place.holder) in self.program.shared


def _attributes(owner: Any) -> Iterable[str]:
    """The attributes of an object that are plain data: those of its dictionary, which no property hides."""
    if isinstance(owner, ModuleType):
        return vars(owner) if is_users_module(owner.__name__) else ()
    held = getattr(owner, "__dict__", None)
    if isinstance(owner, type) or not isinstance(held, dict) or not is_of_user(type(owner)):
        return ()
    return [name for name in held if not hasattr(type(owner), name)]


def _compiled(tree: ast.FunctionDef, function: FunctionType, cells: dict[str, CellType]) -> FunctionType:
    """The function of a rewritten definition, with the globals of the original and the enclosed variables.

    Raises:
        UnsupportedError: the definition cannot be compiled.
    """
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
