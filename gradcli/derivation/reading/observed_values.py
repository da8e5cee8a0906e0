"""The kinds of values of each expression, observed in plain runs of a copy that reports every value.

The runs use the point, the point with other sizes, and points nearby. A branch that no run takes is forced once, which
reveals the kinds of its expressions, whatever the numbers mean.
"""

from __future__ import annotations

import ast
import copy
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.derivation.reading.function_source import UserFunction, is_users
from gradcli.derivation.reading.method_receiver import refuse_state
from gradcli.derivation.reading.reporting_copies import parts_of, reporting_copy
from gradcli.derivation.reading.value_kind import SEQUENCES, STATIC, ValueKind, items_in, kind_of, merged, shape_of
from gradcli.derivation.refusals import refusal_at
from gradcli.errors import UnsupportedError
from gradcli.float_errors import ignored_float_errors
from gradcli.ignored_warnings import ignored_warnings

MOST_VALUES = 300_000  # values observed in one run before it is given up
MOST_ITEMS = 100_000_000  # items of lists examined in one run, in about three seconds
MOST_RUNS = 60
MOST_EXAMPLES = 10  # examples of one call
PATIENCE = 5.0  # seconds for points chosen by gradcli
LONGER = 20  # limit on the values of further runs, as a multiple of those of the run at the point

SOONER = "Derive at a point from which it ends sooner."
PLACES = ValueKind("list", item=STATIC)
Shapes = tuple[tuple[int, ...], tuple[tuple[int, ...], ...]]


class _EnoughError(Exception):
    """Raised when a run at a point chosen by gradcli takes too long."""


class ObservedCall(NamedTuple):
    """An observed call of an array function.

    Attributes:
        function: the called function.
        owner: the array whose method it is; None for a function.
        arguments: the positional arguments.
        keywords: the keyword arguments.
    """

    function: Any
    owner: Any
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]


class ExpressionObservations:
    """The observations of one expression.

    Attributes:
        kind: the kind of its values; None before the first.
        shapes: the shapes of a value and of its operands.
        callees: for a call, the called functions.
        outcomes: for a condition, its outcomes.
        is_of_places: whether it was an array of integers, which may repeat an index.
        repeats: whether it was an array or a list of integers with duplicates.
        is_broadcast: whether it was stored into a place of another shape.
        wraps: whether it was an integer of so few bits that a product may overflow.
        changes_shape: for a variable or its value, whether the variable had another shape or length earlier in a run.
        examples: for a call of an array function, its arguments, one example per combination of shapes.
    """

    def __init__(self) -> None:
        self.kind: ValueKind | None = None
        self.shapes: set[Shapes] = set()
        self.callees: list[Any] = []
        self.outcomes: set[bool] = set()
        self.is_of_places = self.repeats = False
        self.is_broadcast = False
        self.wraps = self.changes_shape = False
        self.examples: dict[Any, ObservedCall] = {}
        self.last: tuple[int, ...] = ()


class Observation:
    """The observations of a function and of all user functions that it calls."""

    def __init__(self, function: UserFunction) -> None:
        self.functions: dict[Any, UserFunction] = {function.callee: function}
        self.first = function
        self._copies: dict[Any, Callable[..., Any]] = {}
        self._seen: list[ExpressionObservations] = []
        self._nodes: list[ast.AST] = []
        self._files: list[str] = []
        self._count = self._items = 0
        self._most, self._most_items = MOST_VALUES, MOST_ITEMS
        self._is_first = True
        self._forced: dict[int, bool] = {}
        self._throughout: dict[int, bool] = {}
        self._path: tuple[list[Any], dict[int, bool]] = ([], {})
        self._paths: dict[int, tuple[list[Any], dict[int, bool]]] = {}

    def of(self, node: ast.AST) -> ExpressionObservations:
        """The observations of a node of a function's tree."""
        number = getattr(node, "number", None)
        return self._seen[number] if number is not None else ExpressionObservations()

    def kind(self, node: ast.AST) -> ValueKind:
        """The kind of a node; static if it was not observed."""
        return self.of(node).kind or STATIC

    def run(self, arguments: list[Any]) -> Any:
        """Run the function once at a point; exceptions propagate."""
        self._count = self._items = 0
        if not self._path[0]:
            self._path = arguments, {}
        with ignored_float_errors(), ignored_warnings():
            return self._copy(self.first.callee)(*copy.deepcopy(arguments))

    def explore(self, points: list[list[Any]]) -> list[list[Any]]:
        """Run at other points, then once for each branch that was not taken.

        Returns:
            The points at which the run completed.
        """
        self._is_first = False
        self._most = min(MOST_VALUES, LONGER * self._count + 2000)
        self._most_items = min(MOST_ITEMS, LONGER * self._items + MOST_VALUES)
        begin = time.monotonic()
        explored: list[list[Any]] = []
        for arguments in points:
            if self._attempt(arguments):
                explored.append(arguments)
            if time.monotonic() - begin > PATIENCE:
                break
        self._force()
        return explored

    def ends_at(self, arguments: list[Any]) -> bool:
        """Whether a run at a further point ends before it takes many more steps than that at the first one."""
        trees = (user.tree for user in self.functions.values())
        if not any(isinstance(node, ast.While) for tree in trees for node in ast.walk(tree)):
            return True
        try:
            self.run(arguments)
        except _EnoughError:
            return False
        except Exception:  # it ends by an exception
            return True
        return True

    def _force(self) -> None:
        tried: set[int] = set()
        for _ in range(MOST_RUNS):
            waiting = [n for n, seen in enumerate(self._seen) if len(seen.outcomes) == 1 and n not in tried]
            if not waiting:
                break
            number = waiting[0]
            tried.add(number)
            (outcome,) = self._seen[number].outcomes
            arguments, forced = self._paths[number]
            self._attempt(arguments, {**forced, **self._alike(number, not outcome)})
        self._force_throughout()

    def _alike(self, number: int, outcome: bool) -> dict[int, bool]:
        """The outcomes of all conditions with the text of one, or its negation, so that a run takes one side of all."""
        text, sign = _without_not(self._nodes[number])
        conditions = [(n, *_without_not(self._nodes[n])) for n, seen in enumerate(self._seen) if seen.outcomes]
        return {n: outcome == (sign == other) for n, same, other in conditions if same == text}

    def _force_throughout(self) -> None:
        """Force each condition to one outcome throughout a run, while any expression remains unreached."""
        for number, (arguments, forced) in list(self._paths.items())[: MOST_RUNS // 4]:
            for outcome in (False, True):
                if not self._is_unreached():
                    return
                self._throughout = {number: outcome}
                self._attempt(arguments, forced)
                self._throughout = {}

    def _is_unreached(self) -> bool:
        pairs = zip(self._nodes, self._seen, strict=True)
        return any(seen.kind is None and isinstance(node, (ast.BinOp, ast.Call)) for node, seen in pairs)

    def _attempt(self, arguments: list[Any], forced: dict[int, bool] | None = None) -> bool:
        """Run once, with some conditions forced when they are first reached."""
        self._forced = dict(forced or {})
        self._path = arguments, forced or {}
        try:
            self.run(arguments)
        except UnsupportedError:
            if not forced:
                raise
            return False
        except Exception:  # the function need not accept a point chosen by gradcli
            return False
        else:
            return True
        finally:
            self._forced = {}

    def _copy(self, function: Any) -> Callable[..., Any]:
        """The reporting copy of a function."""
        if function not in self._copies:
            if function not in self.functions:
                self.functions[function] = UserFunction(function)
            refuse_state(
                (function.receiver, function.file)
                for function in self.functions.values()
                if function.receiver is not None
            )
            self._number(self.functions[function])
            hooks: dict[str, Callable[..., Any]] = {
                "__saw__": self._saw,
                "__called__": self._called,
                "__test__": self._test,
                "__stored__": self._stored,
            }
            self._copies[function] = reporting_copy(self.functions[function], hooks)
        return self._copies[function]

    def _number(self, user: UserFunction) -> None:
        sizes: dict[str, Any] = {}
        for node in ast.walk(user.tree):
            if isinstance(node, ast.Assign):
                node.value.bound_to = [each.id for each in node.targets if isinstance(each, ast.Name)]  # type: ignore[attr-defined]
        for node in ast.walk(user.tree):
            if isinstance(node, (ast.expr, ast.arg)):
                node.number = len(self._seen)  # type: ignore[union-attr]
                node.parts = list(parts_of(node))  # type: ignore[union-attr]
                node.sizes = sizes  # type: ignore[union-attr]
                node.is_first = getattr(node, "arg", None) == next(iter(user.parameters), "")  # type: ignore[union-attr]
                self._seen.append(ExpressionObservations())
                self._nodes.append(node)
                self._files.append(user.file)

    def _saw(self, number: int, value: Any) -> Any:
        self._count += 1
        self._items += items_in(value)
        if self._count > self._most:
            raise self._end(number, f"a run of so many steps (more than {MOST_VALUES:,} values)", SOONER)
        if self._items > self._most_items:
            raise self._end(number, f"a run with lists of so many items (more than {MOST_ITEMS:,} read)", SOONER)
        seen = self._seen[number]
        if isinstance(value, (complex, np.complexfloating)):
            raise self._end(number, "complex numbers")
        try:
            seen.kind = merged(seen.kind, kind_of(value))
        except ValueError as error:
            raise refusal_at(self._files[number], self._nodes[number], f"a value that is {error} by turns") from None
        shape = shape_of(value)
        parts = tuple(self.of(part).last for part in self._nodes[number].parts)  # type: ignore[attr-defined]
        if shape or any(parts):
            seen.shapes.add((shape, parts))
        seen.last = shape
        if size := shape or (isinstance(value, SEQUENCES) and len(value)):
            seen.changes_shape |= self._differs(self._nodes[number], size)
        seen.wraps |= isinstance(value, (np.integer, np.ndarray)) and value.dtype.kind in "iu" and value.itemsize < 8
        if shape and value.dtype.kind in "iu":
            seen.is_of_places = True
            seen.repeats |= len(np.unique(value)) < value.size
        elif isinstance(value, list) and seen.kind == PLACES:
            seen.repeats = seen.repeats or len(set(value)) < len(value)
        return value

    def _differs(self, node: ast.AST, size: Any) -> bool:
        """Whether a node is, or is bound to, a variable of another shape or length before in this call."""
        names = {getattr(node, "arg", getattr(node, "id", "")), *getattr(node, "bound_to", ())} - {""}
        sizes: dict[str, Any] = getattr(node, "sizes", {})
        if isinstance(node, ast.arg) and node.is_first:  # type: ignore[attr-defined]
            sizes.clear()
        return not {sizes.setdefault(name, size) for name in names} <= {size}

    def _end(self, number: int, what: str, hint: str = "") -> Exception:
        """The exception that ends a run: a refusal at the point, which the recorded run would not avoid if long."""
        if self._is_first:
            return refusal_at(self._files[number], self._nodes[number], what, hint, runs=not hint)
        return _EnoughError()

    def _called(self, number: int, function: Any) -> Any:
        seen = self._seen[number]
        if not any(callee is function or _same_method(callee, function) for callee in seen.callees):
            seen.callees.append(function)
        if is_users(function):
            return self._copy(function)
        return partial(self._library, seen, function) if of_arrays(function) else function

    def _library(self, seen: ExpressionObservations, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """Call an array function and record its arguments."""
        key = tuple(map(_shapes_in, (*arguments, *keywords.values())))
        if key in seen.examples or len(seen.examples) >= MOST_EXAMPLES:
            return function(*arguments, **keywords)
        given = getattr(function, "__self__", None)
        try:
            copied = copy.deepcopy((given if isinstance(given, np.ndarray) else None, arguments, keywords))
        except Exception:  # the arguments cannot be copied
            return function(*arguments, **keywords)
        result = function(*arguments, **keywords)
        seen.examples[key] = ObservedCall(function, *copied)
        return result

    def _stored(self, number: int, value: Any, place: Callable[[], Any]) -> Any:
        if shape_of(value):
            with suppress(KeyError):  # of a new key
                self._seen[number].is_broadcast |= shape_of(place()) != shape_of(value)
        return value

    def _test(self, number: int, value: Any) -> Any:
        self._paths.setdefault(number, self._path)
        if number in self._forced:
            value = self._forced.pop(number)
        value = self._throughout.get(number, value)
        self._seen[number].outcomes.add(bool(value))
        return value


def _without_not(condition: ast.AST) -> tuple[str, bool]:
    """A condition as text without a leading `not`, and whether it had none."""
    is_negated = isinstance(condition, ast.UnaryOp) and isinstance(condition.op, ast.Not)
    return ast.unparse(condition.operand if is_negated else condition), not is_negated  # type: ignore[attr-defined]


def of_arrays(function: Any) -> bool:
    """Whether a function is a NumPy or SciPy function, or an array method, that is not elementwise."""
    if isinstance(getattr(function, "__self__", None), np.ndarray):
        return True
    module = getattr(function, "__module__", "") or ""
    return module.split(".")[0] in ("numpy", "scipy") and not isinstance(function, (type, np.ufunc))


def _shapes_in(value: Any) -> Any:
    return tuple(map(_shapes_in, value)) if isinstance(value, (list, tuple)) else shape_of(value)


def _same_method(one: Any, other: Any) -> bool:
    owners = getattr(one, "__self__", None), getattr(other, "__self__", None)
    names = getattr(one, "__name__", one), getattr(other, "__name__", other)
    return type(owners[0]) is type(owners[1]) and names[0] == names[1] and owners[0] is not None
