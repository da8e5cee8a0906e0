"""Random programs of numbers with loops, branches, exits and a list: derived, they agree with the tape."""

import contextlib
import linecache
import random
from collections.abc import Callable
from typing import Any

import pytest

import gradcli
from gradcli.errors import InconclusiveError, UnsupportedError
from tests.everyday import one_in

NAMES = ("a", "b", "c")


class Writer:
    """Writes one random program."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines = ["import math", "def f(a, b, xs):", "    c = a * b", "    i = 1", "    ys = [a, b, 0.5]"]

    def atom(self) -> str:
        """A variable, an item or a number."""
        kind = self.random.random()
        if kind < 0.6:
            return self.random.choice(NAMES)
        place = self.random.choice(["0", "1", "-1", "i % 3"])
        return f"xs[{place}]" if kind < 0.75 else f"{self.random.uniform(0.2, 2.0):.2f}"

    def formula(self, depth: int = 0) -> str:
        """An expression."""
        kind = self.random.random()
        if depth > 2 or kind < 0.25:
            return self.atom()
        one, other = self.formula(depth + 1), self.formula(depth + 1)
        if kind < 0.6:
            return f"({one} {self.random.choice('+-*')} {other})"
        if kind < 0.7:
            return f"({one} / (1.5 + {other} ** 2))"
        if kind < 0.9:
            return f"math.{self.random.choice(['sin', 'cos', 'tanh', 'atan'])}({one})"
        return f"max({one}, {other})" if kind < 0.95 else f"({one} if {self.atom()} > {self.atom()} else {other})"

    def condition(self) -> str:
        """A comparison."""
        if self.random.random() < 0.7:
            return f"{self.atom()} {self.random.choice('<>')} {self.atom()}"
        return f"i % 2 == {self.random.randint(0, 1)}"

    def block(self, depth: int, in_loop: bool, count: int) -> None:
        """Some statements."""
        for _ in range(count):
            self.statement(depth, in_loop)

    def statement(self, depth: int, in_loop: bool) -> None:
        """One statement."""
        pad, inner, kind = "    " * depth, "    " * (depth + 1), self.random.random()
        if kind < 0.45 or depth > 3:
            operator = self.random.choice(["=", "=", "+=", "-=", "*="])
            self.lines.append(f"{pad}{self.random.choice(NAMES)} {operator} {self.formula()}")
        elif kind < 0.6:
            operator = self.random.choice(["=", "+=", "*="])
            self.lines.append(f"{pad}ys[{self.random.choice(['0', '1', '2', 'i % 3'])}] {operator} {self.formula()}")
        elif kind < 0.66:
            place = self.random.choice(["0", "1", "i % 3"])
            self.lines.append(f"{pad}{self.random.choice(NAMES)} = ys[{place}] * {self.formula()}")
        elif kind < 0.8:
            self.lines.append(f"{pad}if {self.condition()}:")
            self.block(depth + 1, in_loop, self.random.randint(1, 2))
            if in_loop and self.random.random() < 0.3:
                self.lines.append(inner + self.random.choice(["break", "continue"]))
            elif self.random.random() < 0.12:
                self.lines.append(f"{inner}return {self.formula()} + ys[0]")
            if self.random.random() < 0.5:
                self.lines.append(f"{pad}else:")
                self.block(depth + 1, in_loop, self.random.randint(1, 2))
        elif kind < 0.93:
            self.lines.append(f"{pad}for {self.random.choice('ijk')} in range({self.random.randint(1, 4)}):")
            self.block(depth + 1, True, self.random.randint(1, 3))
        else:
            count = f"n_{len(self.lines)}"
            self.lines.append(f"{pad}{count} = 0")
            limit = self.random.randint(1, 5)
            self.lines.append(f"{pad}while abs({self.random.choice(NAMES)}) > 0.3 and {count} < {limit}:")
            self.lines.append(f"{inner}{count} += 1")
            self.block(depth + 1, True, self.random.randint(1, 2))

    def function(self) -> Callable[..., Any]:
        """The program as a function with a source."""
        self.block(1, False, self.random.randint(3, 6))
        text = "\n".join([*self.lines, f"    return {self.formula()} + ys[0] * ys[1] + ys[2] + c", ""])
        file = f"<random program {id(self)}>"
        linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
        scope: dict[str, Any] = {"__name__": "random_programs"}
        exec(compile(text, file, "exec"), scope)
        return scope["f"]


@pytest.mark.parametrize("seed", one_in(20, range(60)))
def test_a_random_program(seed):
    """Whatever is given out was held to the tape; nothing is wrong, which would raise an InternalError."""
    writer = Writer(seed)
    function = writer.function()
    at = [writer.random.uniform(-1.5, 1.5) for _ in range(5)]
    with contextlib.suppress(UnsupportedError, InconclusiveError, OverflowError, ValueError):  # of the program's own
        source = gradcli.derive(function, at=(at[0], at[1], at[2:]))

        assert source.verified.by_tape > 0
