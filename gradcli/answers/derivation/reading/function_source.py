"""The source of a user's function: its syntax tree, its comments, and the values of its names."""

from __future__ import annotations

import ast
import builtins
import copy
import inspect
import io
import linecache
import textwrap
import tokenize
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache, partial
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeVar

import numpy as np

from gradcli.answers.derivation.formatted_statements import literal
from gradcli.answers.derivation.reading.decorated_functions import hand_on
from gradcli.answers.derivation.reading.dict_items import DictItems
from gradcli.answers.derivation.reading.method_receiver import Receiver
from gradcli.answers.derivation.reading.nested_functions import TREE, Lifting, Maps, YieldedLists
from gradcli.answers.derivation.reading.plain_statements import InPlaceChanges, PlainStatements, value_of
from gradcli.answers.derivation.reading.user_functions import CLOSURE, Closure, is_users, maker_of, underlying
from gradcli.answers.derivation.reading.written_arguments import (
    Effects,
    KnownEffects,
    WrittenArguments,
    changed_parameters,
    number_of_values,
    returning_what_is_written,
)
from gradcli.answers.derivation.refusals import OF_NUMBERS, STRAIGHT, refusal_at
from gradcli.answers.derivation.syntax_trees import (
    argument_names,
    assign,
    changed_names,
    filled,
    located,
    names_in,
    nodes_in,
)
from gradcli.engine.running.bound_call import name_of
from gradcli.engine.tape.memory.reference_counts import holding
from gradcli.errors import UnsupportedError

Argument = TypeVar("Argument")
NEW = "__new__"  # the name of what makes the object of `__init__`


def parameters_of(tree: ast.FunctionDef) -> list[ast.arg]:
    """All parameters of a definition, in order."""
    signature = tree.args
    gathering, by_name = (
        [parameter] if parameter is not None else [] for parameter in (signature.vararg, signature.kwarg)
    )
    return [*signature.posonlyargs, *signature.args, *gathering, *signature.kwonlyargs, *by_name]


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
        copies: the global names of its copies that report.
        returned: the parameters of which observed calls have returned an array, list or record.
        shared: the places of two returned values of a tuple that have an array, list or record in common.

    Raises:
        UnsupportedError: the function has no source, or is not a plain function.
    """

    def __init__(
        self, function: Callable[..., Any], *, given: Collection[str] | None = None, known: KnownEffects | None = None
    ) -> None:
        self.callee = function
        self.copies: list[dict[str, Any]] = []
        self.returned = set[str]()
        self.shared = set[tuple[int, int]]()
        holding.add(self)
        function = underlying(function)
        method = function if isinstance(function, (FunctionType, MethodType)) else _called(function)
        method = maker_of(function) if isinstance(function, type) else method
        plain = method.__func__ if isinstance(method, MethodType) else method
        if not isinstance(plain, FunctionType) or type(function).__hash__ is None:
            shown = f"a partial of {name_of(function)}" if isinstance(function, partial) else name_of(function)
            raise UnsupportedError(f"{shown} is no plain Python function, so it has no source", hint=STRAIGHT)
        self.function = plain
        self.name = _identifier(function if hasattr(function, "__name__") else type(function))
        self.file = plain.__code__.co_filename
        self.tree = definition_of(plain, self.name)
        self.tree.name = self.name
        self.known = known or KnownEffects({}, {}, {}, {})
        owner = method.__self__ if isinstance(method, MethodType) else None
        self.receiver = Receiver(self.tree, owner, self.file, self.known.constants) if owner is not None else None
        if isinstance(function, type):
            self._make(function)
        if given is not None:
            self._fix_options(given)
        if plain.__code__.co_flags & inspect.CO_GENERATOR:
            YieldedLists(self.tree)
        DictItems(self.tree, self.file, self.known.keys, self.namespace)
        Maps(partial(value_of, namespace=self.namespace, bound=self.changed)).visit(self.tree)
        lifting = Lifting(self.tree, self.file, self.namespace)
        self.comments = self._comments()
        if lifting.definitions:
            self.namespace.update(lifting.functions(self.namespace))
        self.changes = InPlaceChanges({}, set())
        self.effects = self._rewritten(returns_written=given is None)

    def _rewritten(self, *, returns_written: bool) -> Effects:
        """Rewrite the statements, and return what the function writes into."""
        plain = PlainStatements(self.tree, self.namespace, self.changes)
        effects = Effects(self.parameters, (), number_of_values(self.tree))
        if self._is_derived:  # what its functions write into is not used afterwards
            return effects
        for _ in range(2):  # a second time for the calls by itself
            WrittenArguments(self.tree, self.file, plain.value_of, partial(self._effects_of, own=effects), self.changes)
            effects = changed_parameters(effects, self.tree, self.changes, self.known.arrays.get(self.function, set()))
        if returns_written and effects.written:
            returning_what_is_written(self.tree, effects)
        return effects

    def refuse_other_values(self) -> None:
        """Refuse a parameter that is written into and bound to another value, as the function returns what it wrote."""
        same = {part for made in self.changes.writes for part in nodes_in(made)}
        for node in nodes_in(self.tree):
            called = getattr(getattr(getattr(node, "value", None), "func", None), "attr", "")
            same |= set(node.targets) if isinstance(node, ast.Assign) and called in ("asarray", "asanyarray") else set()
            is_bound = isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node not in same
            if is_bound and node.id in self.effects.written:  # type: ignore[attr-defined]
                what = f"{node.id}, an argument that is written into and bound to another value,"  # type: ignore[attr-defined]
                raise refusal_at(self.file, node, what, "Give that value a name of its own.")

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

    def _make(self, made: type) -> None:
        """Let `__init__` make the object, which it returns."""
        own = self.tree.args.args.pop(0).arg
        self.namespace[NEW] = partial(object.__new__, made)
        self.tree.body = [assign(own, ast.Call(ast.Name(NEW, ast.Load()), [], [])), *self.tree.body, ast.Return()]
        for node in nodes_in(self.tree):
            if isinstance(node, ast.Return):
                node.value = ast.Name(own, ast.Load())
        self.tree.body = [located(statement, self.tree) for statement in self.tree.body]

    def _fix_options(self, given: Collection[str]) -> None:
        """Take out the parameters to which a point gives no value: unused ones, and options with their defaults.

        Of a parameter by position, the default stays in the text, unless it is no number or array but a function, say.
        """
        signature, read, options = self.tree.args, names_in(self.tree), self.function.__kwdefaults__ or {}
        gathering = [p for p in (signature.vararg, signature.kwarg) if p is not None and p.arg in read]
        if gathering and vars(self.function).keys() & {"__wrapped__", "__signature__"}:
            gathering = hand_on(self.tree, [*inspect.signature(self.function).parameters], given)
        fixed = {p.arg for p in signature.kwonlyargs if p.arg in options} - changed_names(self.tree)
        if odd := [*gathering, *(p for p in signature.kwonlyargs if p.arg not in fixed)]:
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

    @property
    def held(self) -> tuple[str, ...]:
        """The parameters whose values a caller may read afterwards, which no caller of a derived function does."""
        return () if self._is_derived else self.parameters

    @property
    def _is_derived(self) -> bool:
        return self.file.startswith("<derived ")

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

    @property
    def array_ids(self) -> tuple[int, ...]:
        """The identities of the program's arrays that this refers to, once for each time."""
        values = (value for names in (self.namespace, *self.copies) for value in names.values())
        return tuple(id(value) for value in values if type(value) is np.ndarray)

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

    def with_tree(self, tree: ast.FunctionDef, changes: InPlaceChanges) -> UserFunction:
        """The same function with another definition."""
        made = copy.copy(self)
        made.tree, made.changes = tree, changes
        for computed in ("parameters", "names", "changed"):
            made.__dict__.pop(computed, None)
        return made

    def text(self, node: ast.AST) -> str:
        """The line of the user's source that contains a node."""
        return linecache.getline(self.file, getattr(node, "lineno", 0)).strip()


def definition_of(function: FunctionType, name: str) -> ast.FunctionDef:
    """The definition of a function in its source, with the line numbers of its file; that of a lambda has the name.

    Raises:
        UnsupportedError: the source cannot be read, or is no definition by def or lambda.
    """
    lifted: ast.FunctionDef | None = getattr(function, TREE, None)
    if lifted is not None:
        return filled(lifted)
    if function.__name__ == "<lambda>":
        return _lambda(function, name)
    try:
        lines, first = inspect.getsourcelines(function.__code__)  # that of a wrapper, not of what it wraps
        module = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, SyntaxError, TypeError):
        raise UnsupportedError(f"the source of {name} cannot be read", hint=STRAIGHT) from None
    definition = module.body[0] if module.body else None
    if not isinstance(definition, ast.FunctionDef):
        raise UnsupportedError(
            f"{name} is not defined by def",
            hint=f"Write def. {STRAIGHT}",
            file=function.__code__.co_filename,
            line=first,
        )
    definition.decorator_list = []  # the function is what they returned
    return ast.increment_lineno(definition, first - 1)


def _lambda(function: FunctionType, name: str) -> ast.FunctionDef:
    """A lambda as a definition; the one in its line whose body has the position in the code object."""
    lambdas = lambdas_of(function)
    if len(lambdas) != 1:
        raise UnsupportedError("the source of this lambda cannot be read", hint=f"Write def. {STRAIGHT}")
    body = ast.copy_location(ast.Return(lambdas[0].body), lambdas[0].body)
    made = ast.FunctionDef(name, lambdas[0].args, [body], [], lineno=body.lineno, end_lineno=body.end_lineno)
    return ast.copy_location(made, lambdas[0].body)


def lambdas_of(function: FunctionType) -> list[ast.Lambda]:
    """The lambdas in a file from which a function may have been made."""
    text = "".join(linecache.getlines(function.__code__.co_filename))
    return [filled(node) for node in _lambdas(text) if _is_of(function.__code__, node)]


@lru_cache(maxsize=16)
def _lambdas(text: str) -> list[ast.Lambda]:
    """The lambdas in the text of a file; none if it cannot be read."""
    try:
        module = ast.parse(text)
    except SyntaxError:
        return []
    return [node for node in nodes_in(module) if isinstance(node, ast.Lambda)]


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
    called = named.__qualname__.split(".")[-2] if named.__name__ == "__call__" else named.__name__
    return called if called != "<lambda>" else "f"
