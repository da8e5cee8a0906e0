"""The kinds of values of each expression, observed in plain runs of a copy that reports every value.

The runs use the point, the point with other sizes, and points nearby. A branch that no run takes is forced once, which
reveals the kinds of its expressions, whatever the numbers mean.
"""

from __future__ import annotations

import ast
import copy
import random
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from gradcli.answers.derivation.reading.dict_items import METHODS, place_in
from gradcli.answers.derivation.reading.expression_observations import (
    OF_KINDS,
    ExpressionObservations,
    ObservedNode,
    asks_for_kind,
    observed_nodes,
    without_not,
)
from gradcli.answers.derivation.reading.forced_runs import ForcedRun, RunProgress
from gradcli.answers.derivation.reading.function_source import UserFunction
from gradcli.answers.derivation.reading.method_receiver import refuse_state
from gradcli.answers.derivation.reading.observed_calls import (
    counted_call,
    function_of_closure,
    library_call,
    method_of_record,
    of_arrays,
    same_method,
    user_call,
)
from gradcli.answers.derivation.reading.reporting_copies import reporting_copy
from gradcli.answers.derivation.reading.user_functions import is_users
from gradcli.answers.derivation.reading.value_kind import (
    OTHER,
    PLAIN,
    STATIC,
    ValueKind,
    fields_of,
    items_in,
    kind_again,
    kind_of,
    merged,
    shape_of,
)
from gradcli.answers.derivation.reading.written_arguments import Updated
from gradcli.answers.derivation.refusals import refusal_at
from gradcli.answers.derivation.syntax_trees import has_stars, nodes_in
from gradcli.answers.derivation.trial_points import lengths_in
from gradcli.engine.code.program_errors import program_errors
from gradcli.errors import GradcliError, UnsupportedError
from gradcli.shared.float_errors import ignored_float_errors
from gradcli.shared.ignored_warnings import ignored_warnings

MOST_VALUES = 300_000  # values observed in one run before it is given up
MOST_ITEMS = 100_000_000  # items of lists examined in one run, in about three seconds
MOST_RUNS = 60
MOST_PATHS = 32  # of which each way of three conditions is missing with a probability of 1.4 %
PATIENCE = 5.0  # seconds for points chosen by gradcli
LONGER = 20  # limit on the values of further runs, as a multiple of those of the run at the point

MISFIT = re.compile("axis|bounds|broadcast|dimension|inhomogeneous|shape|size|square")  # of sizes that do not fit
SOONER = "Derive at a point from which it ends sooner."


class _EnoughError(Exception):
    """Raised when a run at a point chosen by gradcli takes too long."""


class ObservedForm(NamedTuple):
    """A function as it is called with arguments of some kinds.

    Attributes:
        user: the function; each form has a tree of its own.
        copy: the copy of it that reports.
        kinds: the kinds of its arguments, by parameter.
    """

    user: UserFunction
    copy: Callable[..., Any]
    kinds: dict[str, ValueKind]


class Observation:
    """The observations of a function and of all user functions that it calls.

    Attributes:
        first: the function that is derived.
    """

    def __init__(self, function: UserFunction) -> None:
        self.first = function
        self._forms: dict[Any, list[ObservedForm]] = {}
        self._nodes: list[ObservedNode] = []
        self._parts: dict[int, list[ExpressionObservations]] = {}  # those of the operands of a node
        self._progress = RunProgress(ForcedRun([]))  # of the present run, to which the hooks add
        self._most, self._most_items = MOST_VALUES, MOST_ITEMS  # that a run may read
        self._is_first = True  # until points of gradcli's choice are explored, whose runs may be given up
        self._reached_by: dict[int, ForcedRun] = {}  # the first run that reached each condition

    def of(self, node: ast.AST) -> ExpressionObservations:
        """The observations of a node of a function's tree."""
        number = getattr(node, "number", None)
        return self._nodes[number].seen if number is not None else ExpressionObservations()

    def kind(self, node: ast.AST) -> ValueKind:
        """The kind of a node; static if it was not observed."""
        return self.of(node).kind or STATIC

    def run(self, arguments: list[Any]) -> Any:
        """Run the function once at a point; exceptions propagate."""
        self._arguments = arguments
        return self._observe(ForcedRun(arguments))

    def _observe(self, run: ForcedRun) -> Any:
        self._progress = RunProgress(run)
        fits = True
        try:
            with ignored_float_errors(), ignored_warnings():
                return self._form(self.first.callee, run.arguments, {}).copy(*copy.deepcopy(run.arguments))
        except (IndexError, ValueError) as error:
            fits = not MISFIT.search(str(error))
            raise
        finally:
            for number, shapes in self._progress.shapes.items():
                self._nodes[number].seen.note_shapes(shapes, fits=fits)

    def explore(self, points: list[list[Any]]) -> list[list[Any]]:
        """Run at other points, then once for each branch that was not taken.

        Returns:
            The points at which the run completed.
        """
        self._is_first = False
        self._most = min(MOST_VALUES, LONGER * self._progress.values + 2000)
        self._most_items = min(MOST_ITEMS, LONGER * self._progress.items + MOST_VALUES)
        begin = time.monotonic()
        explored: list[list[Any]] = []
        for arguments in points:
            if self._completes(ForcedRun(arguments)):
                explored.append(arguments)
            if time.monotonic() - begin > PATIENCE:
                break
        self._force_once()
        operations = (node for node in self._nodes if isinstance(node.node, (ast.BinOp, ast.Call)))
        if any(operation.seen.kind is None for operation in operations):
            self.force_paths()
        return explored

    @property
    def has_conditions(self) -> bool:
        """Whether a run has come to a condition."""
        return bool(self._reached_by)

    def ends_at(self, arguments: list[Any]) -> bool:
        """Whether a run at a further point ends before it takes many more steps than that at the first one."""
        if not any(isinstance(node, ast.While) for user in self.users for node in nodes_in(user.tree)):
            return True
        try:
            self.run(arguments)
        except _EnoughError:
            return False
        except program_errors():  # it ends by an exception
            return True
        return True

    def _force_once(self) -> None:
        """Repeat the run that reached a condition, with the other outcome, for each that had only one."""
        tried: set[int] = set()
        for _ in range(MOST_RUNS):  # a forced run may reach further conditions
            waiting = (n for n, node in enumerate(self._nodes) if len(node.seen.outcomes) == 1 and n not in tried)
            if (number := next(waiting, None)) is None:
                break
            tried.add(number)
            (outcome,) = self._nodes[number].seen.outcomes
            run = self._reached_by[number]
            self._completes(ForcedRun(run.arguments, {**run.once, **self._alike(number, not outcome)}))

    def _alike(self, number: int, outcome: bool) -> dict[int, bool]:
        """The outcomes of all conditions with the text of one, or its negation, so that a run takes one side of all."""
        text, sign = without_not(self._nodes[number].node)
        met = {n: without_not(observed.node) for n, observed in enumerate(self._nodes) if observed.seen.outcomes}
        return {n: outcome == (sign == other) for n, (same, other) in met.items() if same == text}

    def force_paths(self) -> None:
        """Run along random paths, on which values meet that no other run brings together.

        Conditions with one text, or its negation, go one way in each run. Those of `while` and those that ask for None
        or a type go their own.
        """
        draw, steps, begin = random.Random(0), 0, time.monotonic()
        nodes = [node for user in self.users for node in nodes_in(user.tree)]
        own = {node.test for node in nodes if isinstance(node, ast.While)} | {*filter(asks_for_kind, nodes)}
        for _ in range(MOST_PATHS):
            chosen: dict[str, bool] = {}
            throughout = dict[int, bool]()
            for number in self._reached_by:
                text, sign = without_not(self._nodes[number].node)
                if self._nodes[number].node not in own:
                    throughout[number] = sign == chosen.setdefault(text, draw.random() < 0.5)
            self._completes(ForcedRun(self._arguments, {}, throughout))
            steps += self._progress.values
            if steps > MOST_VALUES or time.monotonic() - begin > PATIENCE:
                return

    def _completes(self, run: ForcedRun) -> bool:
        """Run once; returns whether it completed."""
        try:
            self._observe(run)
        except Updated:
            raise
        except UnsupportedError:
            if not run.is_forced:
                raise
            return False
        except program_errors():  # the function need not accept a point chosen by gradcli
            return False
        return True

    @property
    def users(self) -> list[UserFunction]:
        """The function and all that it calls, in each of their forms."""
        return [form.user for forms in self._forms.values() for form in forms] or [self.first]

    def parameters(self, user: UserFunction) -> tuple[str, ...]:
        """The parameters of a function, without those that are a function without captured variables in every call."""
        kinds = {parameter: self.kind(node) for parameter, node in user.arguments.items()}
        return tuple(parameter for parameter, kind in kinds.items() if kind.function is None or kind.fields)

    def _form(self, function: Any, arguments: Sequence[Any], keywords: Mapping[str, Any]) -> ObservedForm:
        """The form of a function for arguments of such kinds: one for arrays, say, and another one for numbers."""
        forms = self._forms.setdefault(function, [])
        user = forms[0].user if forms else self.first if function == self.first.callee else self._read(function)
        given = user.bound(arguments, keywords, tuple, dict)
        kinds = {parameter: kind_of(value) for parameter, value in given.items()}
        updated = [name for name in user.effects.updated if kinds[name].name in ("array", "list")]
        if user is not self.first and not set(updated) <= set(user.effects.written):
            self.first.known.arrays.setdefault(user.function, set()).update(updated)
            raise Updated
        for form in forms:
            with suppress(ValueError):
                form.kinds.update({name: merged(form.kinds.get(name), kind) for name, kind in kinds.items()})
                return form
        refuse_state((other.receiver, other.file) for other in (user, *self.users) if other.receiver is not None)
        user = self._read(function) if forms else user
        self._nodes += observed_nodes(user, len(self._nodes))
        hooks: dict[str, Callable[..., Any]] = {
            "__saw__": self._saw,
            "__called__": self._called,
            "__test__": self._decided,
            "__stored__": self._stored,
            "__updated__": lambda number, value, change: self._nodes[number].updated(value, change),
            "__step__": self._stepped,
        }
        forms.append(ObservedForm(user, reporting_copy(user, hooks), kinds))
        return forms[-1]

    def _read(self, function: Any) -> UserFunction:
        return UserFunction(function, known=self.first.known)

    def _form_call(self, number: int, function: Any, *arguments: Any, **keywords: Any) -> Any:
        """Call the form of a function for its arguments."""
        observed = self._nodes[number]
        seen = observed.seen
        is_method = function is self.first.known.keys.get(place_in(observed.file, observed.node), self)
        if is_method and getattr(type(arguments[0]), function.__name__, function) is not function:
            what = f"{function.__name__} of objects of several classes by turns"
            raise refusal_at(observed.file, observed.node, what, "Make objects of one class.")
        form = self._form(function, arguments, keywords)
        is_known = any(user.callee != function and same_method(user.callee, function) for user in seen.users)
        if form.user not in seen.users and not is_known:  # known as the method of another object
            seen.users.append(form.user)
        return user_call(form.user, form.copy, *arguments, **keywords)

    # The hooks that a reporting copy calls

    def _saw(self, number: int, value: Any) -> Any:
        """Note the value of an expression."""
        observed, progress = self._nodes[number], self._progress
        progress.values += 1
        if progress.values > self._most:
            raise self._end(observed, f"a run of so many steps (more than {MOST_VALUES:,} values)", SOONER)
        is_plain = type(value) in PLAIN  # as most values are
        seen, kind = observed.seen, kind_again(value, progress.lists)
        if kind is not seen.kind or kind is OTHER:
            self._note_kind(observed, kind, value)
        shape = () if is_plain else shape_of(value)
        if number not in self._parts:
            self._parts[number] = [self.of(part) for part in observed.parts]
        parts = tuple([part.last for part in self._parts[number]])
        if shape or any(parts):
            progress.shapes.setdefault(number, set()).add((shape, parts))
        seen.last = shape
        if not is_plain:
            self._note_items(observed, value)
        elif observed.begins_call:
            observed.sizes.clear()
        return value

    def _note_kind(self, observed: ObservedNode, kind: ValueKind, value: Any) -> None:
        """Note the kind of a value that may be another one than before."""
        seen = observed.seen
        if isinstance(value, (complex, np.complexfloating)):
            raise self._end(observed, "complex numbers")
        if kind == OTHER and seen.kind not in (None, OTHER) and self._progress.run.is_forced:
            raise _EnoughError  # in a branch for objects of another type
        try:
            seen.kind = merged(seen.kind, kind)
        except ValueError as error:
            if [*lengths_in(self._progress.run.arguments)] != [*lengths_in(self._arguments)]:
                self._progress.forget_examples()
                raise _EnoughError from None  # at a size for which the function is not meant
            raise refusal_at(observed.file, observed.node, f"a value that is {error} by turns") from None

    def _note_items(self, observed: ObservedNode, value: Any) -> None:
        """Note the items, the fields and the sizes of a value."""
        self._progress.items += items_in(value)
        if self._progress.items > self._most_items:
            raise self._end(observed, f"a run with lists of so many items (more than {MOST_ITEMS:,} read)", SOONER)
        fields = fields_of(value)
        if fields is value and observed.is_iterated:
            self._learn(observed, observed.node, tuple(fields))
        attribute = observed.attribute and getattr(type(value), observed.attribute.attr, None)
        if isinstance(attribute, property) and fields is not None:
            self._learn(observed, observed.attribute, attribute)
        observed.note(value, fields)

    def _end(self, observed: ObservedNode, what: str, hint: str = "") -> Exception:
        """The exception that ends a run: a refusal at the point, which the recorded run would not avoid if long."""
        if self._is_first:
            return refusal_at(observed.file, observed.node, what, hint, runs=not hint)
        return _EnoughError()

    def _called(self, number: int, function: Any) -> Any:
        """Note the function of a call; returns the one to call instead, which reports too."""
        seen = self._nodes[number].seen
        owner, called = getattr(function, "__self__", None), getattr(function, "__name__", "")
        if called in METHODS and type(owner) is dict and fields_of(owner) is not None:
            self._learn(self._nodes[number], self._nodes[number].node, tuple(owner))
        if self._nodes[number].is_of_own and (method := method_of_record(function)) is not None:
            self._learn(self._nodes[number], self._nodes[number].node, method)
        function, captured = function_of_closure(function)
        if not any(callee is function or same_method(callee, function) for callee in seen.callees):
            of_array = isinstance(owner, np.ndarray) and called != ""
            seen.callees.append(getattr(np.empty(0), called) if of_array else function)  # refers to no array of theirs
        call = function
        if is_users(function):
            call = partial(self._form_call, number, function)
        elif of_arrays(function):
            self._progress.examples.setdefault(number, (seen.examples, len(seen.examples)))
            call = partial(library_call, seen.examples, function)
        if has_stars(self._nodes[number].node):
            call = partial(counted_call, seen.given, call)
        return partial(call, *captured) if captured else call

    def _learn(self, observed: ObservedNode, node: Any, what: Any) -> None:
        """Note the keys of a dict that is iterated over, or a property; the function is then read again."""
        place = place_in(observed.file, node)
        if place not in self.first.known.keys:
            self.first.known.keys[place] = what
            raise Updated

    def _stored(self, number: int, value: Any, place: Callable[[], Any]) -> Any:
        """Note whether a value that is stored has another shape than its place."""
        if shape_of(value):
            with suppress(KeyError):  # of a new key
                self._nodes[number].seen.is_broadcast |= shape_of(place()) != shape_of(value)
        return value

    def _stepped(self, number: int, step: int) -> None:
        """Note a step of a `try`, or that a handler handles an exception of the step before."""
        seen = self._nodes[number].seen
        error = sys.exc_info()[1] if step < 0 else None
        if isinstance(error, (GradcliError, Updated, _EnoughError)):
            raise error
        if not self._progress.run.is_forced:
            seen.ways[(seen.step, ~step, isinstance(error, OF_KINDS)) if step < 0 else ()] += step <= 0
        seen.step = step

    def _decided(self, number: int, value: Any) -> Any:
        """Note the outcome of a condition, which may be forced."""
        progress = self._progress
        self._reached_by.setdefault(number, progress.run)
        if not progress.run.is_forced:
            self._nodes[number].seen.natural.add(bool(value))
        self._nodes[number].seen.own.add(bool(value))
        value = progress.run.throughout.get(number, progress.unforced.pop(number, value))
        self._nodes[number].seen.outcomes.add(bool(value))
        return value
