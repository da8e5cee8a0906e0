"""Random programs of numbers, vectors, lists and dicts; each is a function of its inputs with a source."""

from __future__ import annotations

import linecache
import random
import re
from collections.abc import Callable
from typing import Any

import numpy as np

HELPERS = """\
import math
import numpy as np


def square(x, scale=1.0):
    return scale * x * x


def pair(x, y):
    return x * y, math.sin(x) + y


def power(x, n):
    if n == 0:
        return 1.0
    return x * power(x, n - 1)


def fill(x, out):
    for i in range(len(out)):
        out[i] = x[i] * out[i]


def shift(x, out):
    out[1:] = x[:-1]
    return out[0] * x[0]


def note(x, d):
    d["seen"] = x


def smooth(x):
    x = x[1:] * x[:-1]
    return np.sum(np.tanh(x))


def norm(x):
    y = x.copy()
    y[0] = y[0] * 0.5
    return math.sqrt(1.0 + np.sum(y * y))
"""
OF_DICTS = re.compile(r"\b[dp]\b")
NUMBERS, VECTORS = ("a", "b", "c"), ("v", "w", "u")


class Writer:
    """Writes one program, `f(a, b, v, xs, p, m)`: two numbers, a vector, a list, a dict and a matrix.

    Args:
        seed: determines the program.
        has_dicts: whether there are dicts, its input `p` and its variable `d`.
    """

    def __init__(self, seed: int, *, has_dicts: bool = True) -> None:
        self.random = random.Random(seed)
        self.has_dicts = has_dicts
        self.lines = [
            f"def f(a, b, v, xs, {'p, ' * has_dicts}m):", "    c = a * b", "    w = v * 0.5",
            "    u = np.zeros(len(v))", "    i = 1", *has_dicts * ['    d = {"k": a, "v": v * b}'],
            "    ys = [a, b, 0.5]",
        ]  # fmt: skip

    def one(self, *texts: str) -> str:
        """One of some texts."""
        return self.random.choice([text for text in texts if self.has_dicts or not OF_DICTS.search(text)])

    def index(self) -> str:
        """An index of a vector or a list of three."""
        return self.one("0", "1", "2", "-1", "i % 3")

    def atom(self) -> str:
        """A number at hand."""
        at = self.index()
        own = self.one(*VECTORS)
        number = f"{self.random.uniform(0.2, 2.0):.2f}"
        items = (f"{own}[{at}]", f"xs[{at}]", f"ys[{at}]", 'd["k"]', 'p["s"]', "m[0, 1]", number)
        return self.one(*NUMBERS, *NUMBERS, *items)

    def number(self, depth: int = 0) -> str:
        """An expression of a number."""
        if depth > 2 or self.random.random() < 0.25:
            return self.atom()
        one, other, vector = self.number(depth + 1), self.number(depth + 1), self.vector(depth + 1)
        return self.one(
            *3 * [f"({one} {self.one(*'+-*')} {other})"], f"({one} / (1.5 + {other} ** 2))",
            f"math.{self.one('sin', 'cos', 'tanh', 'atan')}({one})", f"max({one}, {other})", f"abs({one})",
            f"({one} if {self.condition()} else {other})", f"np.sum({vector})", f"np.dot({vector}, {vector})",
            f"np.mean({vector} ** 2)", f"square({one})", f"square({one}, scale={other})", f"power({self.atom()}, 2)",
            f"smooth({vector})", f"norm({vector})", f"sum(t * t for t in {self.one('xs', 'ys')})",
            f"np.max({vector})", f"float({one})", f"pair({one}, {other})[{self.one('0', '1')}]",
        )  # fmt: skip

    def vector(self, depth: int = 0) -> str:
        """An expression of a vector of three."""
        own = self.one(*VECTORS, *VECTORS, 'd["v"]', 'p["r"]')
        if depth > 2 or self.random.random() < 0.4:
            return own
        one, other, number = self.vector(depth + 1), self.vector(depth + 1), self.number(depth + 2)
        return self.one(
            *3 * [f"({one} {self.one(*'+-*')} {other})"], f"({number} * {one})", f"np.{self.one('sin', 'tanh')}({one})",
            f"(m @ {one})", f"{one}[::-1]", f"np.where({own} > 0.1, {one}, {other})",
            f"np.concatenate([{own}[1:], {own}[:1]])", f"np.array([{self.atom()}, {self.atom()}, {self.atom()}])",
            "m[i % 3]", "m[:, 0]", f"{own}[[2, 0, 1]]", f"np.roll({own}, 1)", f"np.cumsum({one})", f"{one}.copy()",
            f"np.array({self.one('xs', 'ys')})", "np.diag(m)", f"np.maximum({one}, 0.2)", f"square({one})",
        )  # fmt: skip

    def condition(self) -> str:
        """A condition on numbers or on a count."""
        compared = f"{self.atom()} {self.one(*'<>')} {self.atom()}"
        return self.one(compared, compared, f"i % 2 == {self.random.randint(0, 1)}", f"not {compared}")

    def simple(self) -> str:
        """A statement in one line."""
        name, own, at = self.one(*NUMBERS), self.one("w", "u"), self.index()
        number, vector = self.number(), self.vector()
        return self.one(
            *3 * [f"{name} {self.one('=', '=', '+=', '-=', '*=')} {number}"], f"{own} = {vector}",
            f"{own} {self.one('+=', '*=')} {vector}", f"u = {vector}.copy()", f"u[{at}] = {number}",
            f"u[{at}] += {number}", "u[1:] = w[:-1] * a", f"u[w > 0.2] = {number}",
            f"np.add.at(u, [0, 0, 2], {vector})",
            f"ys[{at}] {self.one('=', '+=', '*=')} {number}", f"ys = [{number}, {self.atom()}, b]",
            f"ys = [t * {self.atom()} for t in xs]", f'd["k"] = {number}', f'd["k"] += {number}', f'd["v"] = {vector}',
            f'd["n{self.random.randint(0, 1)}"] = {number}', f"a, b = b, {number}", f"c, b = pair({self.atom()}, b)",
            f"a, *rest = xs[{self.one('0', '1')}], b, c", f"c = (q := {number}) * q", f"note({number}, d)",
            "u = np.ones(len(v)); fill(v, u)", "u = np.ones(len(v)); c = shift(w, u)", "u = w * 1.0; shift(v, u)",
            f"np.multiply(v, {number}, out=u)" if own == "u" else "u = np.zeros(len(v))",
            f"t_long = np.concatenate([{vector}, v]); t_long = t_long[1:]; c = np.sum(t_long ** 2)",
        )  # fmt: skip

    def block(self, pad: str, count: int, *, in_loop: bool) -> None:
        """Some statements."""
        for _ in range(count):
            self.statement(pad, in_loop=in_loop)

    def statement(self, pad: str, *, in_loop: bool) -> None:
        """One statement, with the blocks in it."""
        inner, kind = pad + "    ", self.random.random()
        if kind < 0.6 or len(pad) > 12:
            self.lines += [pad + part.strip() for part in self.simple().split("; ")]
            return
        if kind < 0.75:
            self.lines.append(f"{pad}if {self.condition()}:")
            self.block(inner, self.random.randint(1, 2), in_loop=in_loop)
            if in_loop and self.random.random() < 0.3:
                self.lines.append(inner + self.one("break", "continue"))
            elif self.random.random() < 0.12:
                self.lines.append(f"{inner}return {self.number()} + ys[0]")
            if self.random.random() < 0.5:
                self.lines.append(f"{pad}else:")
                self.block(inner, self.random.randint(1, 2), in_loop=in_loop)
            return
        turns = self.random.randint(1, 3)
        if kind < 0.92:
            loops = (
                f"for i in range({turns}):",
                "for i, t in enumerate(xs):",
                "for t, y in zip(xs, ys):",
                "for t in v:",
            )
            self.lines.append(pad + self.one(*2 * [f"for i in range({turns}):"], *loops))
        elif kind < 0.95:
            count = f"n_{len(self.lines)}"
            self.lines += [f"{pad}{count} = 0", f"{pad}while abs({self.one(*NUMBERS)}) > 0.3 and {count} < {turns}:"]
            self.lines.append(f"{inner}{count} += 1")
        elif kind < 0.97:
            self.lines.append(f'{pad}with np.errstate(all="ignore"):')
        else:
            self.lines += [f"{pad}match i % 2:", f"{inner}case 0:"]
            self.block(inner + "    ", 1, in_loop=in_loop)
            self.lines.append(f"{inner}case _:")
            inner += "    "
        is_loop = 0.75 <= kind < 0.95
        self.block(inner, self.random.randint(1, 3), in_loop=is_loop or in_loop)

    def text(self) -> str:
        """The program."""
        self.block("    ", self.random.randint(3, 6), in_loop=False)
        result = f"{self.number()} + ys[0] * ys[1] + c + np.sum(u)" + self.has_dicts * ' + d["k"]'
        return "\n".join([HELPERS, "", *self.lines, f"    return {result}", ""])


def function_of(text: str, called: str = "f") -> Callable[..., Any]:
    """A function of a program, with a source."""
    file = f"<generated {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    scope: dict[str, Any] = {"__name__": "generated_program"}
    exec(compile(text, file, "exec"), scope)
    return scope[called]  # type: ignore[no-any-return]


def point_of(seed: int, *, has_dicts: bool = True) -> dict[str, Any]:
    """A point for a program, by name."""
    chance = random.Random(seed)
    at = [chance.uniform(-1.5, 1.5) for _ in range(20)]
    return {
        "a": at[0], "b": at[1], "v": np.array(at[2:5]), "xs": at[5:8],
        **({"p": {"s": at[8], "r": np.array(at[9:12])}} if has_dicts else {}),
        "m": np.array(at[11:20]).reshape(3, 3),
    }  # fmt: skip
