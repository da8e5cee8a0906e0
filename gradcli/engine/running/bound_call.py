"""A call to run on a tape: a function, its arguments, and the positions of the inputs among them."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from gradcli.engine.code.reachable_objects import ReachableObjects, reachable_objects
from gradcli.engine.patching.name_replacement import function_to_run
from gradcli.engine.tape.inputs import enter_all
from gradcli.engine.tape.tape import Tape
from gradcli.engine.tape.value import KINDS, plain_value
from gradcli.engine.tape.values.labelled_arrays import has_labels, taking_numbers, with_labels, without_labels
from gradcli.errors import UsageError
from gradcli.shared import devices
from gradcli.shared.pytree import map_leaves


class BoundCall:
    """The immutable call `function(*arguments)`, in which the arguments at `places` are inputs.

    Every module that repeats a run, or asks what the program can reach, takes this call.

    Attributes:
        function: takes positional arguments only.
        arguments: plain, or recorded on the tape of the enclosing run.
        places: the positions of the inputs, counted from 0.
        given: the arguments as the caller gave them: arrays of pandas and xarray with their labels.
    """

    __slots__ = ("arguments", "function", "given", "places")

    def __init__(self, function: Callable[..., Any], arguments: tuple[Any, ...], places: Sequence[int]) -> None:
        self.given = arguments
        if has_labels(arguments):
            function, arguments = taking_numbers(function, arguments), without_labels(arguments)
        self.function = function
        self.arguments = arguments
        self.places = places

    def with_labels(self, derivatives: Iterable[Any]) -> list[Any]:
        """Derivatives by the inputs, each under the labels of its input."""
        return [with_labels(part, self.given[n]) for n, part in zip(self.places, derivatives, strict=True)]

    @classmethod
    def of_inputs(cls, function: Callable[..., Any], arguments: Iterable[Any]) -> BoundCall:
        """The call in which every argument is an input.

        Raises:
            UsageError: the function is not callable.
        """
        arguments = tuple(arguments)
        return cls(function_to_run(function), arguments, range(len(arguments)))

    def entered(self, tape: Tape) -> tuple[list[Any], list[Any]]:
        """The inputs entered on a tape, and all arguments as the function receives them.

        Raises:
            UsageError: an input holds itself.
        """
        inputs, given = [], [*self.arguments]
        try:
            for n in self.places:
                handles, given[n] = enter_all(tape, given[n])
                inputs.append(handles)
        except RecursionError:
            kind = type(self.arguments[n]).__name__
            message = f"Argument {n} is a {kind} that holds itself, or is nested too deeply."
            raise UsageError(message, hint="Give lists, tuples or dictionaries of numbers and arrays.") from None
        return inputs, given

    def plain(self, inputs: Iterable[Any]) -> BoundCall:
        """The call with plain copies of the arguments; `inputs` are the inputs as they were entered."""
        given = [*self.arguments]
        for n, entered in zip(self.places, inputs, strict=True):
            given[n] = entered
        return BoundCall(self.function, tuple(map_leaves(_plain, argument) for argument in given), self.places)

    def reached(self) -> ReachableObjects:
        """The objects reachable from the function and its arguments."""
        return reachable_objects(self.function, *self.arguments)

    def state(self) -> ReachableObjects:
        """The objects in which the program may keep what outlives the call."""
        return reachable_objects(self.function, *self.arguments, into_scipy=False)

    def state_besides_inputs(self) -> ReachableObjects:
        """Those that are reachable from the function and from the arguments that are not inputs."""
        others = (argument for n, argument in enumerate(self.arguments) if n not in self.places)
        return reachable_objects(self.function, *others, into_scipy=False)

    def by_inputs(self) -> BoundCall:
        """The same call as a function of the inputs only."""
        if [*self.places] == [*range(len(self.arguments))]:
            return self

        @functools.wraps(self.function, updated=())
        def of_inputs(*inputs: Any) -> Any:
            given = [*self.arguments]
            for n, input_ in zip(self.places, inputs, strict=True):
                given[n] = input_
            return self.function(*given)

        return BoundCall(of_inputs, tuple(self.arguments[n] for n in self.places), range(len(self.places)))


def _plain(leaf: Any) -> Any:
    value = plain_value(leaf)
    if type(leaf) is KINDS.get(complex):  # the tape holds a number of Python's as one of NumPy's
        return complex(value)
    return devices.copied(value)


def name_of(f: Any, nameless: str = "the function") -> str:
    """The name of a function, for messages; `nameless` for a lambda."""
    f = f.func if isinstance(f, functools.partial) else f
    name = getattr(f, "__name__", None) or getattr(f, "name", None)  # rules have `name`
    if name == "<lambda>":
        return nameless
    return name if isinstance(name, str) else type(f).__name__
