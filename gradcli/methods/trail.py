"""A recorded program taken apart into single numbers of many digits, each with the rule that made it and from what."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import mpmath
import numpy as np

from gradcli.language import exact
from gradcli.rules.table import RULES, ArrayRule, Elementwise, Functions
from gradcli.tape.replay import lift, replay_system
from gradcli.tape.tape import CONSTANT, Tape

MOST_STEPS = 20_000  # some three seconds


class TooLongError(ArithmeticError):
    """A program of more single steps than many digits are worth."""


class Step(NamedTuple):
    """One number: the rule that made it, on which arguments, from which earlier steps; an input has no rule."""

    rule: Elementwise | None
    arguments: tuple[Any, ...]
    sources: tuple[int, ...]
    value: Any


class Trail(list[Step]):
    """The steps of a program, in order."""

    def add(self, step: Step) -> int:
        """Append a step and return its position.

        Raises:
            TooLongError: there are too many.
        """
        if len(self) >= MOST_STEPS:
            raise TooLongError(f"the program takes more than {MOST_STEPS} single steps")
        self.append(step)
        return len(self) - 1

    def apply(self, name: str, arguments: tuple[Any, ...]) -> Traced:
        """One elementwise rule on numbers of many digits."""
        rule = RULES[name]
        assert isinstance(rule, Elementwise)
        values = tuple(map(_value, arguments))
        value = functions().evaluate(rule, values)
        sources = tuple(x.position if type(x) is Traced else CONSTANT for x in arguments)
        return Traced(self, value, self.add(Step(rule, values, sources, value)))


class Traced:
    """A number of many digits that keeps how it was computed; a constant is nowhere on the trail."""

    __slots__ = ("position", "trail", "value")

    def __init__(self, trail: Trail, value: Any, position: int = CONSTANT) -> None:
        self.trail = trail
        self.value = value
        self.position = position


def _operator(name: str, reflected: bool = False) -> Callable[[Any, Any], Any]:
    def method(self: Traced, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            return NotImplemented
        return self.trail.apply(name, (other, self) if reflected else (self, other))

    return method


def _comparison(compare: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    return lambda self, other: compare(self.value, _value(other))


def _install() -> None:
    for name in ("add", "sub", "mul", "div", "pow", "mod"):
        method = "truediv" if name == "div" else name
        setattr(Traced, f"__{method}__", _operator(name))
        setattr(Traced, f"__r{method}__", _operator(name, reflected=True))
    for name in ("neg", "pos", "abs"):
        setattr(Traced, f"__{name}__", lambda self, name=name: self.trail.apply(name, (self,)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Traced, f"__{name}__", _comparison(getattr(operator, name)))
    Traced.__hash__ = None  # type: ignore[assignment]


_install()


def _value(x: Any) -> Any:
    if type(x) is Traced:
        return x.value
    return exact.number(int(x)) if isinstance(x, (int, np.integer)) else exact.number(x) if isinstance(x, float) else x


@cache
def functions() -> Functions:
    """The functions of the words of the language on numbers of many digits."""
    return Functions(exact.functions(), exact.number, {"pi": mpmath.pi, "tau": 2 * mpmath.pi, "e": mpmath.e})


class TrailSystem:
    """Numbers of many digits, each kept on a trail."""

    def __init__(self) -> None:
        self.trail = Trail()

    def number(self, value: float) -> Traced:
        """The number that is exactly the binary value, a constant."""
        return Traced(self.trail, exact.number(value))

    def elementwise(self, rule: Elementwise) -> Callable[..., Any]:
        """The rule as a function of these numbers; a choice by a plain condition takes its side."""
        if rule.name == "where":
            return lambda c, x, y: x if _value(c) else y
        return lambda *arguments: self.trail.apply(rule.name, arguments)

    def extreme(self, rule: ArrayRule, values: Any, recorded: Any, **static: Any) -> Any:
        """The extreme number along axes; ties are left to the check for kinks."""
        return rule.forward(values, **static)


class Played(NamedTuple):
    """A program on its trail: the numbers of its inputs and of its results, by their positions there."""

    trail: Trail
    inputs: list[int]
    results: list[int]
    values: list[Any]


def play(tape: Tape, inputs: Sequence[int], results: Sequence[int]) -> Played:
    """The rows of a tape up to the last of `results`, with as many digits as mpmath has now.

    Raises:
        TooLongError: the program takes too many single steps.
    """
    system = TrailSystem()
    lifted = {index: lift(system, tape.rows[index][1]) for index in inputs}
    entered = [number for index in inputs for number in _numbers(lifted[index])]
    for number in entered:
        number.position = system.trail.add(Step(None, (), (), number.value))
    rows = replay_system(tape, system, lifted, max(results))
    found = [number for index in results for number in _numbers(rows[index])]
    return Played(
        system.trail,
        [number.position for number in entered],
        [number.position if type(number) is Traced else CONSTANT for number in found],
        list(map(_value, found)),
    )


def _numbers(value: Any) -> list[Any]:
    return list(np.asarray(value, dtype=object).ravel())
