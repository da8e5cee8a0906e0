"""What is compared: a function, a point, its numbers, and one recorded run."""

from __future__ import annotations

import contextlib
import io
import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gradcli.diagnose.paths import cut_inputs
from gradcli.diagnose.switches import at_switch
from gradcli.methods.components import Component, along, components, moved
from gradcli.tape.recording import Recording

SLACK = {"float64": 1e-7, "float32": 1e-4, "float16": 1e-2}

Guard = Callable[[str], AbstractContextManager[None]]


@dataclass(frozen=True)
class Case:
    """What is compared.

    Attributes:
        function: takes the inputs of `point` in order and returns one number.
        point: by name, numbers, arrays, and lists, tuples and dicts of them.
        parts: the numbers of the point to differentiate by.
        tape: one recorded run at the point.
        value: its result.
        guard: turns what the user's code raises into an error of ours.
    """

    function: Callable[..., Any]
    point: Mapping[str, Any]
    parts: list[Component]
    tape: Recording
    value: float
    guard: Guard

    @cached_property
    def every(self) -> list[Component]:
        """All numbers of the point, wanted or not."""
        return components(self.point)

    @cached_property
    def dtype(self) -> str:
        """The coarsest type of floating-point numbers in which the program computes."""
        kinds = {str(getattr(row[1], "dtype", "")) for row in self.tape.rows}
        return next((kind for kind in ("float16", "float32") if kind in kinds), "float64")

    @property
    def slack(self) -> float:
        """By how much another right formula may differ, relative."""
        return SLACK[self.dtype]

    @property
    def eps(self) -> float:
        """The rounding unit of the program."""
        return float(np.finfo(self.dtype).eps)

    @cached_property
    def switch(self) -> bool:
        """Whether the run stands at a switch or a kink."""
        return at_switch(self.tape)

    @cached_property
    def cut(self) -> set[int]:
        """The numbers and arrays of the point, counted in order, that act only through outcomes."""
        rows = cut_inputs(self.tape)
        return {leaf for leaf, row in enumerate(self.tape.input_rows()) if row in rows}

    def by(self, part: Component) -> Callable[[float], float]:
        """The plain function of one number of the point; nan where it raises."""
        return lambda x: self._value(moved(self.point, part, x))

    def towards(self, direction: Mapping[int, Any]) -> Callable[[float], float]:
        """The plain function of how far the point is moved in a direction; nan where it raises."""
        return lambda t: self._value(along(self.point, direction, t))

    def _value(self, arguments: list[Any]) -> float:
        try:
            return float(self.function(*arguments))
        except (Exception, SystemExit):  # off the point the user's function may raise whatever it likes
            return math.nan

    def direction(self, parts: Sequence[Component], steps: Sequence[float]) -> dict[int, Any]:
        """The direction that has these steps in these parts, by the numbers and arrays of the point."""
        shapes = [np.shape(self.tape.rows[row][1]) for row in self.tape.input_rows()]
        found: dict[int, Any] = {part.leaf: np.zeros(shapes[part.leaf]) for part in parts}
        for part, step in zip(parts, steps, strict=True):
            found[part.leaf][part.place] = step
        return {leaf: step if step.ndim else float(step) for leaf, step in found.items()}


@contextlib.contextmanager
def quiet() -> Iterator[None]:
    """Hold back what the function prints and warns of when it is called many times; the first run has shown it."""
    nowhere = io.StringIO()
    streams = contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere)
    with streams[0], streams[1], np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
