"""Random programs of floats, and of vectors and matrices, such as a compiled gradient writes in C."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

HELPERS = """\
import math
import numpy as np


def square(t, scale=1.0):
    return scale * t * t


def damped(t, rate):
    for _ in range(3):
        t = t - rate * math.sin(t)
    return t


def energy(t):
    return np.sum(np.tanh(t[1:] - t[:-1]) ** 2)
"""
NUMBERS, VECTORS = ("a", "b", "c", "d"), ("v", "w", "x", "y")
SIZES = (3, 4, 4, 5, 5, 7, 17, 33)  # the last are those of matrices whose products are computed in tiles
LONG = 5000  # elements, from which on loops alternate in strips
RARE = 0.1  # the share of programs that are long, and of those of arrays that branch


class ScalarWriter:
    """Writes one program of floats, `f(a, b, xs)`: two numbers and a list.

    Each statement uses what its variable held, because a program with values that are not used stays eager.

    Args:
        seed: determines the program.
    """

    numbers = (*NUMBERS, *NUMBERS, "xs[0]", "xs[k]", "ys[0]", "ys[1]", "ys[-1]")

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"numeric {seed}")
        self.lines = [
            "def f(a, b, xs):", "    c = a * b", "    d = 0.5 + b", "    ys = [a, b, 0.5 * xs[0]]", "    k = 1",
        ]  # fmt: skip

    def one(self, *texts: str) -> str:
        """One of some texts."""
        return self.random.choice(texts)

    def atom(self) -> str:
        """A number at hand."""
        return self.one(*self.numbers, f"{self.random.uniform(0.2, 2.0):.2f}")

    def number(self, depth: int = 0) -> str:
        """An expression of a number."""
        if depth > 2 or self.random.random() < 0.25:
            return self.atom()
        one, other = self.number(depth + 1), self.number(depth + 1)
        rare = (f"{one} / {other}", f"math.sqrt({one})", f"math.log({one})", f"{one} ** 1.5", f"math.exp({one})")
        return self.one(
            *4 * [f"({one} {self.one(*'+-*')} {other})"], f"({one} / (1.5 + {other} ** 2))", f"({self.one(*rare)})",
            f"math.{self.one('sin', 'cos', 'tanh', 'atan', 'sinh')}({one})", f"math.sqrt(1.0 + {one} ** 2)",
            f"math.log(2.0 + abs({one}))", f"({one}) ** {self.one('2', '3')}", f"abs({one})", f"square({one})",
            f"square({one}, {other})", f"damped({one}, 0.1)", "sum(ys)", "sum(t * t for t in ys)", *self.wider(depth),
        )  # fmt: skip

    def wider(self, depth: int) -> list[str]:
        """Expressions of a number that choose."""
        one, other = self.number(depth + 1), self.number(depth + 1)
        return [f"max({one}, {other})", f"min({one}, {other})", f"({one} if {self.condition()} else {other})"]

    def condition(self) -> str:
        """A condition on numbers or on a count."""
        compared = f"{self.atom()} {self.one('<', '>', '<=', '>=')} {self.atom()}"
        return self.one(compared, compared, f"k % 2 == {self.random.randint(0, 1)}", f"not {compared}")

    def simple(self) -> str:
        """A statement in one line."""
        name, number = self.one("c", "d"), self.number()
        return self.one(
            f"{name} {self.one('+=', '-=', '*=')} {number}", f"{name} = {number} - 0.5 * {name}",
            f"ys[{self.one('0', '1', '2')}] {self.one('+=', '*=')} {number}", f"c, d = d, c * {number}",
            f"ys = [{number} - ys[1], ys[0] * {self.atom()}, b + ys[2]]", f"{name} = damped({name}, {self.atom()})",
        )  # fmt: skip

    def block(self, pad: str, count: int) -> None:
        """Some statements."""
        for _ in range(count):
            self.statement(pad)

    def statement(self, pad: str) -> None:
        """One statement, with the blocks in it."""
        inner, kind = pad + "    ", self.random.random()
        if kind < 0.5 or len(pad) > 12:
            self.lines.append(pad + self.simple())
        elif kind < 0.75:
            self.compound(pad, inner)
        elif kind < 0.95:
            self.lines.append(f"{pad}for k in range({self.random.randint(1, 3)}):")
            self.block(inner, self.random.randint(1, 2))
        else:
            count = f"n_{len(self.lines)}"
            self.lines += [f"{pad}{count} = 0", f"{pad}while abs({self.one(*NUMBERS)}) > 0.3 and {count} < 3:"]
            self.lines.append(f"{inner}{count} += 1")
            self.block(inner, 1)

    def compound(self, pad: str, inner: str) -> None:
        """A branch."""
        self.lines.append(f"{pad}if {self.condition()}:")
        self.block(inner, self.random.randint(1, 2))
        if self.random.random() < 0.6:
            self.lines.append(f"{pad}else:")
            self.block(inner, self.random.randint(1, 2))

    def text(self) -> str:
        """The program."""
        self.block("    ", self.random.randint(2, 6))
        return "\n".join([HELPERS, "", *self.lines, f"    return {self.number()} + {self.result()}", ""])

    def result(self) -> str:
        """What the program returns beside a number: all that it has computed."""
        return "c * d + ys[0] * ys[1] + ys[2]"

    def point(self) -> dict[str, Any]:
        """A point for the program, by name."""
        a, b, *xs = (self.random.uniform(-1.5, 1.5) for _ in range(6))
        return {"a": a, "b": b, "xs": xs}


class ArrayWriter(ScalarWriter):
    """Writes one program of arrays, `f(a, b, v, w, m)`: two numbers, two vectors of a length and a square matrix."""

    numbers = (*NUMBERS, *NUMBERS, *(f"{name}[{at}]" for name in VECTORS for at in ("0", "2", "-1", "k")), "m[0, 1]")

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.is_long, self.branches = self.random.random() < RARE, self.random.random() < RARE
        self.size = LONG if self.is_long else self.random.choice(SIZES)
        self.lines = [
            "def f(a, b, v, w, m):", "    c = a * b", "    d = 0.5 + b", "    x = v * 1.0",
            f"    y = np.zeros({self.size}) + w", "    ys = [a, b, 0.5 * v[0]]", "    k = 1",
        ]  # fmt: skip

    def wider(self, depth: int) -> list[str]:
        """Expressions of a number that read arrays."""
        vector, other = self.vector(depth + 1), self.vector(depth + 1)
        forms = [
            f"np.sum({vector})", f"np.mean({vector} ** 2)", f"({vector} @ {other})", f"np.dot({vector}, {vector})",
            f"np.max({vector})", f"energy({vector})",
        ]  # fmt: skip
        forms += [] if self.is_long else [f"np.sum({self.matrix(depth + 1)})"]
        return forms + (super().wider(depth) if self.branches else [])

    def vector(self, depth: int = 0) -> str:
        """An expression of a vector."""
        own = self.one(*VECTORS)
        if depth > 2 or self.random.random() < 0.35:
            return own
        one, other, number = self.vector(depth + 1), self.vector(depth + 1), self.number(depth + 2)
        forms = [
            *4 * [f"({one} {self.one(*'+-*')} {other})"], f"({number} * {one})", f"({one} + {number})",
            f"np.{self.one('sin', 'tanh', 'cos', 'arctan')}({one})", f"np.exp(-({one} ** 2))", f"{one}[::-1]",
            f"({one} / (1.5 + {other} ** 2))", f"np.sqrt(1.0 + {one} ** 2)", f"np.log1p(np.exp({one}))",
            f"np.where({own} > 0.1, {one}, {other})", f"np.maximum({one}, 0.2)", f"np.abs({one})", f"square({one})",
            f"np.concatenate([{own}[1:], {own}[:1]])",
        ]  # fmt: skip
        rare = [f"np.cumsum({one})", f"np.log({own})", f"({one} / {own})", f"np.sqrt({own})"]
        if not self.is_long:
            matrix = self.matrix(depth + 1)
            forms += [
                f"({matrix} @ {one})", f"({one} @ {matrix})", "m[1]", "m[:, 0]", f"np.sum({matrix}, axis=0)",
                f"np.max({matrix}, axis=1)", f"np.mean({matrix}, axis=1)",
            ]  # fmt: skip
        return self.one(*(rare if self.random.random() < RARE / 2 else forms))

    def matrix(self, depth: int = 0) -> str:
        """An expression of a matrix."""
        if depth > 2 or self.random.random() < 0.4:
            return self.one("m", "m.T")
        one, other, vector = self.matrix(depth + 1), self.matrix(depth + 1), self.vector(depth + 2)
        return self.one(
            f"({one} @ {other})", f"({one} {self.one(*'+-*')} {other})", f"({one} + {vector})", f"np.tanh({one})",
            f"({vector}[:, None] * {self.vector(depth + 2)}[None])", f"np.outer({vector}, {vector})",
            f"({self.number(depth + 2)} * {one})", f"np.where(m > 0.0, {one}, 0.1 * {other})",
        )  # fmt: skip

    def simple(self) -> str:
        """A statement in one line."""
        own, at, number, vector = self.one("x", "y"), self.one("0", "1", "-1", "k"), self.number(1), self.vector()
        return self.one(
            *4 * [super().simple()], *3 * [f"{own} = 0.5 * {own} + {vector}"],
            f"{own} {self.one('+=', '*=', '-=')} {vector}", f"{own}[{at}] {self.one('+=', '*=')} {number}",
            f"{own}[{at}] = {number} - {own}[{at}]", f"{own}[1:] += {self.vector(2)}[:-1] * {self.atom()}",
            f"{own}[1:-1] += 0.3 * (w[2:] - 2.0 * w[1:-1] + w[:-2])", f"{own}[:-1] *= {self.vector(2)}[1:]",
            f"{own} = np.where({vector} > {self.atom()}, {vector}, 0.5 * {own})",
        )  # fmt: skip

    def compound(self, pad: str, inner: str) -> None:
        """A branch, or a loop over the elements of vectors."""
        if self.branches:
            super().compound(pad, inner)
            return
        last, own = min(self.size, 6), self.one("x", "y")
        body = self.one(
            f"{own}[i] = {own}[i - 1] * 0.5 + {own}[i] * {self.atom()}", f"c += v[i] * {own}[i - 1]",
            f"{own}[i] += math.sin(w[i - 1]) * {self.atom()}", "c = 0.9 * c + (v[i] - w[i]) ** 2",
            f"d = damped(d + {own}[i], 0.2)", f"{own}[i] *= v[i - 1]", "c += v[i] / (1.0 + w[i - 1] ** 2)",
        )  # fmt: skip
        self.lines += [f"{pad}for i in range(1, {last}):", inner + body]
        if not self.is_long and self.random.random() < 0.4:
            self.lines += [f"{inner}for j in range(i):", f"{inner}    c += m[i, j] * {own}[j] * 0.1"]

    def result(self) -> str:
        """What the program returns beside a number: all that it has computed."""
        return f"{super().result()} + np.sum(x * w) + np.sum(y)"

    def point(self) -> dict[str, Any]:
        """A point for the program, by name."""
        n, numbers = self.size, np.random.default_rng(self.random.getrandbits(32))
        a, b = numbers.uniform(-1.5, 1.5, 2).tolist()
        v, w = numbers.uniform(-1.5, 1.5, (2, n))
        return {"a": a, "b": b, "v": v, "w": w, "m": numbers.normal(size=(3, 3) if self.is_long else (n, n)) / n**0.5}
