"""The source of a user's function: its syntax tree, its comments, and the values of its names."""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import io
import linecache
import sysconfig
import textwrap
import tokenize
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, partial
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar

from gradcli.answers.derivation.formatted_statements import literal
from gradcli.answers.derivation.reading.closure import CLOSURE, Closure
from gradcli.answers.derivation.reading.method_receiver import Receiver
from gradcli.answers.derivation.reading.plain_statements import InPlaceChanges, PlainStatements, value_of
from gradcli.answers.derivation.reading.records_as_dicts import RecordsAsDicts
from gradcli.answers.derivation.reading.written_arguments import (
    Effects,
    KnownEffects,
    WrittenArguments,
    changed_parameters,
    has_value,
    returning_what_is_written,
)
from gradcli.answers.derivation.refusals import LIST, OF_NUMBERS, STRAIGHT, refusal_at
from gradcli.answers.derivation.syntax_trees import (
    NamesInUse,
    argument_names,
    changed_names,
    filled,
    located,
    names_in,
    tuple_of,
)
from gradcli.engine.running.bound_call import name_of
from gradcli.errors import UnsupportedError

Argument = TypeVar("Argument")
TREE = "lifted_tree"  # the attribute of a lifted function that holds its definition


class _Maps(ast.NodeTransformer):
    """Rewrites `map(f, x, y)` as a comprehension.

    Args:
        value_of: what an expression stands for.
    """

    def __init__(self, value_of: Callable[[ast.expr], Any]) -> None:
        self.value_of = value_of

    def visit_Call(self, node: ast.Call) -> ast.expr:
        self.generic_visit(node)
        if self.value_of(node.func) is not map or any(isinstance(each, ast.Starred) for each in node.args):
            return node
        function, *lists = node.args
        names = ["each", "other", "third"][: len(lists)]
        items: list[ast.expr] = [ast.Name(item, ast.Load()) for item in names]
        called: ast.expr = ast.Call(function, items, [])
        if isinstance(function, ast.Lambda):
            called = filled(
                function.body, {each.arg: item for each, item in zip(function.args.args, items, strict=True)}
            )
        over = lists[0] if len(lists) == 1 else ast.Call(ast.Name("zip", ast.Load()), lists, [])
        generator = ast.comprehension(tuple_of(names, ast.Store()), over, [], 0)
        made: ast.expr = located(ast.ListComp(called, [generator]), node)
        return made


class Lifting(ast.NodeTransformer):
    """Takes nested functions and lambdas out of a definition.

    Each one, and each of its calls, gets the enclosing variables as its first parameters, because a closure reads them
    when it is called. Handed on, it becomes a `Closure`, which holds their values.

    Args:
        tree: the definition, which is modified.
        file: the file of the definition.
        namespace: the values of its free names.

    Attributes:
        definitions: the functions taken out, by name.

    Raises:
        UnsupportedError: a nested function is defined twice, or has a default that is not a constant.
    """

    def __init__(self, tree: ast.FunctionDef, file: str, namespace: Mapping[str, Any]) -> None:
        self.file = file
        self._value_of = partial(value_of, namespace=namespace, bound=changed_names(tree) | argument_names(tree))
        self._fresh = NamesInUse({*names_in(tree), *argument_names(tree), *namespace}).fresh
        self.definitions: dict[str, ast.FunctionDef] = {}
        self._given: dict[str, list[str]] = {}
        tree.body = [self._taken_out(statement) for statement in tree.body]
        if self.definitions:
            self._given = self._variables(tree)
            tree.body = [self.visit(statement) for statement in tree.body]
            for name, definition in self.definitions.items():
                definition.body = [self.visit(statement) for statement in definition.body]
                definition.args.args[:0] = [
                    ast.arg(variable, lineno=definition.lineno) for variable in self._given[name]
                ]

    def _taken_out(self, statement: ast.stmt) -> ast.stmt:
        for field in ("body", "orelse"):
            if not isinstance(statement, (ast.FunctionDef, ast.ClassDef)) and getattr(statement, field, None):
                setattr(statement, field, [self._taken_out(inner) for inner in getattr(statement, field)])
        made = statement
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Lambda):
            target = statement.targets[0]
            if isinstance(target, ast.Name) and len(statement.targets) == 1:
                body = ast.copy_location(ast.Return(statement.value.body), statement.value)
                made = ast.FunctionDef(target.id, statement.value.args, [body], [])
                made = ast.copy_location(made, statement)
        if not isinstance(made, ast.FunctionDef):
            self._take_lambdas(statement)
            return statement
        for node in ast.walk(made):
            if isinstance(node, (ast.Yield, ast.YieldFrom)):
                raise refusal_at(self.file, node, f"the generator {made.name}", LIST)
        if made.name in self.definitions:
            raise refusal_at(self.file, statement, f"{made.name}, which is defined twice")
        if not all(isinstance(default, ast.Constant) for default in made.args.defaults):
            raise refusal_at(self.file, statement, f"a default of {made.name} that is no constant")
        self.definitions[made.name] = made
        return ast.copy_location(ast.Pass(), statement)

    def _take_lambdas(self, node: ast.AST) -> None:
        """Take out the lambdas that a part of a function hands to the user's functions, or returns."""
        if isinstance(node, (ast.FunctionDef, ast.ListComp, ast.GeneratorExp)):
            return
        for part in ast.iter_child_nodes(node):
            self._take_lambdas(part)
        callee = self._value_of(node.func) if isinstance(node, ast.Call) else None
        if isinstance(node, ast.Return) or (isinstance(node, ast.Call) and (callee is None or is_users(callee))):
            for holder, field in ((node, "value"), *((each, "value") for each in getattr(node, "keywords", []))):
                if isinstance(getattr(holder, field, None), ast.Lambda):
                    setattr(holder, field, self._named(getattr(holder, field)))
            arguments = getattr(node, "args", [])
            arguments[:] = [self._named(each) if isinstance(each, ast.Lambda) else each for each in arguments]

    def _named(self, node: ast.Lambda) -> ast.expr:
        """The name of a lambda that is taken out."""
        name = self._fresh("function")
        body = ast.copy_location(ast.Return(node.body), node.body)
        self._taken_out(ast.copy_location(ast.FunctionDef(name, node.args, [body], []), node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    def _variables(self, tree: ast.FunctionDef) -> dict[str, list[str]]:
        """The enclosing variables that each function reads, itself or through the functions it calls."""
        whole = copy.deepcopy(tree)
        whole.decorator_list, whole.body = [], [*copy.deepcopy(list(self.definitions.values())), *whole.body]
        module = ast.fix_missing_locations(ast.Module([whole], []))
        free = {code.co_name: set(code.co_freevars) for code in _codes(_codes(compile(module, self.file, "exec"))[0])}
        size = -1
        while size != (size := sum(map(len, free.values()))):
            for definition in self.definitions:
                free[definition] |= {n for name in free[definition] & set(self.definitions) for n in free[name]}
        return {definition: sorted(free[definition] - set(self.definitions)) for definition in self.definitions}

    def visit_Call(self, node: ast.Call) -> ast.expr:
        if isinstance(node.func, ast.Name) and node.func.id in self.definitions:
            given = [ast.copy_location(ast.Name(variable, ast.Load()), node) for variable in self._given[node.func.id]]
            node.args = [*given, *(self.visit(argument) for argument in node.args)]
            node.keywords = [self.visit(keyword) for keyword in node.keywords]
            return node
        self.generic_visit(node)
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if node.id not in self.definitions:
            return node
        captured: list[ast.expr] = [ast.Name(each, ast.Load()) for each in (node.id, *self._given[node.id])]
        made: ast.expr = located(ast.Call(ast.Name(CLOSURE, ast.Load()), captured, []), node)
        return made

    def functions(self, namespace: dict[str, Any]) -> dict[str, FunctionType]:
        """The lifted functions as callables."""
        scope = dict(namespace)
        for name, tree in self.definitions.items():
            module = ast.fix_missing_locations(ast.Module([copy.deepcopy(tree)], []))
            exec(compile(module, self.file, "exec"), scope)
            setattr(scope[name], TREE, tree)
        return {name: scope[name] for name in self.definitions}


def parameters_of(tree: ast.FunctionDef) -> list[ast.arg]:
    """All parameters of a definition, in order."""
    signature = tree.args
    gathering, by_name = ([each] if each is not None else [] for each in (signature.vararg, signature.kwarg))
    return [*signature.posonlyargs, *signature.args, *gathering, *signature.kwonlyargs, *by_name]


def _codes(code: CodeType) -> list[CodeType]:
    return [constant for constant in code.co_consts if isinstance(constant, CodeType)]


LIBRARIES = ("numpy", "scipy", "math", "cmath", "statistics", "gradcli", "builtins", "functools", "itertools")


class UserFunction:
    """A user's function, read from its source.

    Args:
        function: a function, a method of an object, or a callable object.
        given: of the function that is derived, the parameters that the point names. It returns a value alone; every
            called function returns the arguments that it writes into as well.
        known: what other functions write into.

    Attributes:
        callee: the given object.
        receiver: the attributes read and written through `self`; None for a plain function.
        tree: the definition, with the line numbers of its file; nested functions are taken out.
        file: the file of the definition.
        comments: the text after # by line.
        changes: the assignments that stand for changes in place.
        effects: what it writes into.

    Raises:
        UnsupportedError: the function has no source, or is not a plain function.
    """

    def __init__(
        self, function: Callable[..., Any], *, given: Collection[str] | None = None, known: KnownEffects | None = None
    ) -> None:
        self.callee = function
        function = underlying(function)
        method = function if isinstance(function, (FunctionType, MethodType)) else _called(function)
        plain = method.__func__ if isinstance(method, MethodType) else method
        if not isinstance(plain, FunctionType) or type(function).__hash__ is None:
            shown = f"a partial of {name_of(function)}" if isinstance(function, partial) else name_of(function)
            raise UnsupportedError(f"{shown} is no plain Python function, so it has no source", hint=STRAIGHT)
        self.function = plain
        self.name = _identifier(function if hasattr(function, "__name__") else type(function))
        self.file = plain.__code__.co_filename
        self.tree = self._read()
        self.tree.name = self.name
        self.known = known or KnownEffects({}, {}, {})
        owner = method.__self__ if isinstance(method, MethodType) else None
        self.receiver = Receiver(self.tree, owner, self.file, self.known.constants) if owner is not None else None
        if given is not None:
            self._fix_options(given)
        _Maps(partial(value_of, namespace=self.namespace, bound=self.changed)).visit(self.tree)
        lifting = Lifting(self.tree, self.file, self.namespace)
        self.comments = self._comments()
        if lifting.definitions:
            self.namespace.update(lifting.functions(self.namespace))
        self.changes = InPlaceChanges({}, set())
        self.effects = self._rewritten(returns_written=given is None)

    def _rewritten(self, *, returns_written: bool) -> Effects:
        """Rewrite the statements, and return what the function writes into."""
        RecordsAsDicts(self.tree, partial(value_of, namespace=self.namespace, bound=self.changed))
        plain = PlainStatements(self.tree, self.namespace, self.changes)
        effects = Effects(self.parameters, (), has_value(self.tree))
        if self.file.startswith("<derived "):  # what its functions write into is not used afterwards
            return effects
        for _ in range(2):  # a second time for the calls by itself
            WrittenArguments(self.tree, self.file, plain.value_of, partial(self._effects_of, own=effects), self.changes)
            effects = changed_parameters(effects, self.tree, self.changes, self.known.arrays.get(self.function, set()))
        if returns_written and effects.written:
            returning_what_is_written(self.tree, effects)
        return effects

    def _effects_of(self, function: Any, own: Effects) -> Effects | None:
        """What a called function writes into; None if it is none of the user's."""
        plain = getattr(function, "__func__", function)
        if not is_users(function) or plain is self.function:
            return own if plain is self.function else None
        effects = self.known.effects
        if plain not in effects:
            effects[plain] = None  # as long as it is being read
            with suppress(UnsupportedError):
                effects[plain] = UserFunction(function, known=self.known).effects
        return effects[plain]

    def _read(self) -> ast.FunctionDef:
        lifted: ast.FunctionDef | None = getattr(self.function, TREE, None)
        if lifted is not None:
            return copy.deepcopy(lifted)
        if self.function.__name__ == "<lambda>":
            return self._lambda()
        try:
            lines, first = inspect.getsourcelines(self.function.__code__)  # that of a wrapper, not of what it wraps
            module = ast.parse(textwrap.dedent("".join(lines)))
        except (OSError, SyntaxError, TypeError):
            raise UnsupportedError(f"the source of {self.name} cannot be read", hint=STRAIGHT) from None
        definition = module.body[0] if module.body else None
        if not isinstance(definition, ast.FunctionDef):
            raise UnsupportedError(
                f"{self.name} is not defined by def", hint=f"Write def. {STRAIGHT}", file=self.file, line=first
            )
        definition.decorator_list = []  # the function is what they returned
        made: ast.FunctionDef = ast.increment_lineno(definition, first - 1)
        return made

    def _lambda(self) -> ast.FunctionDef:
        """A lambda as a definition; the one in its line whose body has the position in the code object."""
        lambdas = lambdas_of(self.function)
        if len(lambdas) != 1:
            raise UnsupportedError("the source of this lambda cannot be read", hint=f"Write def. {STRAIGHT}")
        body = ast.copy_location(ast.Return(lambdas[0].body), lambdas[0].body)
        made = ast.FunctionDef(self.name, lambdas[0].args, [body], [], lineno=body.lineno, end_lineno=body.end_lineno)
        return ast.copy_location(made, lambdas[0].body)

    def _fix_options(self, given: Collection[str]) -> None:
        """Take out the parameters to which a point gives no value: unused ones, and options with their defaults.

        Of a parameter by position, the default stays in the text, unless it is no number or array but a function, say.
        """
        signature, read, options = self.tree.args, names_in(self.tree), self.function.__kwdefaults__ or {}
        gathering = [each for each in (signature.vararg, signature.kwarg) if each is not None and each.arg in read]
        fixed = {each.arg for each in signature.kwonlyargs if each.arg in options} - changed_names(self.tree)
        if odd := [*gathering, *(each for each in signature.kwonlyargs if each.arg not in fixed)]:
            what = f"the parameter {odd[0].arg}, which is passed by keyword or as one of any number"
            raise refusal_at(self.file, self.tree, what, OF_NUMBERS, runs=False)
        signature.vararg, signature.kwarg, signature.kwonlyargs, signature.kw_defaults = None, None, [], []
        defaults = dict(zip(self.positional[::-1], (self.function.__defaults__ or ())[::-1], strict=False))
        first = next((n for n, name in enumerate(self.positional) if literal(defaults.get(name, 0)) is None), None)
        last = self.positional[first:] if first is not None else ()
        if last and not set(last) & {*given, *changed_names(self.tree)} and len(signature.args) >= len(last):
            options |= {name: defaults[name] for name in last}
            fixed |= set(last)
            del signature.args[-len(last) :], signature.defaults[-len(last) :]
        self.namespace.update((option, options[option]) for option in fixed)

    def _comments(self) -> dict[int, str]:
        lines = linecache.getlines(self.file)[self.tree.lineno - 1 : self.tree.end_lineno]
        comments: dict[int, str] = {}
        try:
            tokens = list(tokenize.generate_tokens(io.StringIO("".join(lines)).readline))
        except (tokenize.TokenError, IndentationError, SyntaxError):
            return comments
        for token in tokens:
            if token.type == tokenize.COMMENT:
                comments[token.start[0] + self.tree.lineno - 1] = token.string.lstrip("#").strip()
        return comments

    @property
    def arguments(self) -> dict[str, ast.arg]:
        """The parameters in the definition, by name and in order, with those that gather any number of arguments."""
        return {argument.arg: argument for argument in parameters_of(self.tree)}

    @cached_property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters, in order."""
        return tuple(self.arguments)

    @cached_property
    def namespace(self) -> dict[str, Any]:
        """The values of the free names of the function: closed over, global and built in."""
        cells = zip(self.function.__code__.co_freevars, self.function.__closure__ or (), strict=True)
        closed = {}
        for name, cell in cells:
            try:
                closed[name] = cell.cell_contents
            except ValueError:
                continue
        of_object = self.receiver.constants if self.receiver is not None else {}
        ours = {"__builtins__": builtins, CLOSURE: Closure}
        return {**vars(builtins), **self.function.__globals__, **closed, **of_object, **ours}

    @cached_property
    def names(self) -> set[str]:
        """All identifiers in the function."""
        return names_in(self.tree) | argument_names(self.tree)

    @cached_property
    def changed(self) -> set[str]:
        """The names that the function binds or writes into."""
        return changed_names(self.tree)

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The default values of parameters."""
        names = self.function.__code__.co_varnames[: self.function.__code__.co_argcount]
        given = dict(zip(names[::-1], (self.function.__defaults__ or ())[::-1], strict=False))
        return {
            **{name: given[name] for name in self.positional if name in given},
            **{key: value for key, value in (self.function.__kwdefaults__ or {}).items() if key in self.parameters},
        }

    @property
    def positional(self) -> tuple[str, ...]:
        """The parameters that take arguments by position."""
        return tuple(argument.arg for argument in (*self.tree.args.posonlyargs, *self.tree.args.args))

    def bound(
        self,
        arguments: Sequence[Argument],
        keywords: Mapping[str, Argument],
        in_tuple: Callable[[Sequence[Argument]], Argument],
        in_dict: Callable[[dict[str, Argument]], Argument],
    ) -> dict[str, Argument]:
        """The arguments of a call, values or expressions, by parameter; `*args` and `**kwargs` gather the rest."""
        gathering, by_name = self.tree.args.vararg, self.tree.args.kwarg
        given = dict(zip(self.positional, arguments, strict=False))
        given.update((key, value) for key, value in keywords.items() if key in self.parameters)
        if gathering is not None:
            given[gathering.arg] = in_tuple(arguments[len(self.positional) :])
        if by_name is not None:
            given[by_name.arg] = in_dict({key: keywords[key] for key in keywords if key not in self.parameters})
        return given

    def bound_expressions(self, call: ast.Call) -> dict[str, ast.expr]:
        """The arguments of a call by parameter; a list or tuple with a star is what `*args` gathers."""

        def in_tuple(items: Sequence[ast.expr]) -> ast.expr:
            only = items[0] if len(items) == 1 else None
            return only.value if isinstance(only, ast.Starred) else ast.Tuple(list(items), ast.Load())

        def in_dict(items: dict[str, ast.expr]) -> ast.expr:
            return ast.Dict([ast.Constant(key) for key in items], list(items.values()))

        return self.bound(call.args, {key.arg: key.value for key in call.keywords if key.arg}, in_tuple, in_dict)

    def text(self, node: ast.AST) -> str:
        """The line of the user's source that contains a node."""
        return linecache.getline(self.file, getattr(node, "lineno", 0)).strip()


def lambdas_of(function: FunctionType) -> list[ast.Lambda]:
    """The lambdas in a file from which a function may have been made."""
    code = function.__code__
    try:
        module = ast.parse("".join(linecache.getlines(code.co_filename)))
    except SyntaxError:
        return []
    return [node for node in ast.walk(module) if isinstance(node, ast.Lambda) and _is_of(code, node)]


def _is_of(code: CodeType, node: ast.Lambda) -> bool:
    """Whether a code object belongs to a lambda: its parameters agree and its positions lie inside the body."""
    arguments = [argument.arg for argument in (*node.args.posonlyargs, *node.args.args)]
    if node.lineno != code.co_firstlineno or arguments != list(code.co_varnames[: code.co_argcount]):
        return False
    body = node.body
    spans = [position for position in code.co_positions() if None not in position and position[3]]
    first, last = (body.lineno, body.col_offset), (body.end_lineno, body.end_col_offset)
    return bool(spans) and all(
        first <= (line, start) and (end_line, end) <= last for line, end_line, start, end in spans
    )


def _called(thing: Any) -> Any:
    """The `__call__` method of an object."""
    return getattr(thing, "__call__", None)  # noqa: B004


def _identifier(named: Any) -> str:
    """The name of a function in the derived text."""
    return named.__name__ if named.__name__ != "<lambda>" else "f"


def underlying(function: Any) -> Any:
    """The Python function that another object stands for: one that caches it, or its compiled form."""
    if isinstance(function, (FunctionType, MethodType, type)):
        return function
    inner = getattr(function, "py_func", getattr(function, "__wrapped__", None))
    return inner if isinstance(inner, FunctionType) else function


def is_users(function: Any) -> bool:
    """Whether a function belongs to the user and not to a library, so that its source is derived."""
    function = underlying(getattr(function, "__func__", function))
    if not isinstance(function, (FunctionType, type)) and type(function).__hash__ is not None:
        function = getattr(type(function), "__call__", function)  # noqa: B004 - of an object that can be called
    if not isinstance(function, FunctionType) or function.__module__ is None:
        return False
    library = sysconfig.get_paths()["stdlib"]
    is_standard = function.__code__.co_filename.startswith(library) and "site-packages" not in (
        function.__code__.co_filename
    )
    return function.__module__.split(".")[0] not in LIBRARIES and not is_standard
