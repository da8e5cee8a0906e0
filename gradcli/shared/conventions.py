"""The table of conventions for derivatives that mathematics leaves open. Each row is a program that the tests run."""

from __future__ import annotations

from typing import Any

from gradcli.shared.frozen_record import Frozen


class Convention(Frozen):
    """One convention, with the choices of three other libraries.

    Attributes:
        title: the program and the point, as displayed.
        program: a Python expression in `x`, `y`, `np` and `relu`.
        point: the arguments of the program; a list stands for an array.
        gradient: the gradient that gradcli returns, one item for each argument.
        jax, torch, tensorflow: the gradients of the other libraries, as text.
        finding: the code of the finding that reports the case, or an empty string.
    """

    title: str
    program: str
    point: tuple[Any, ...]
    gradient: tuple[Any, ...]
    jax: str
    torch: str
    tensorflow: str
    finding: str = ""

    @property
    def ours(self) -> str:
        """The gradient as text: the numbers of each argument, written once where they are all equal."""
        shown = ", ".join(_text(item) for item in self.gradient)
        return f"{shown} ({self.finding})" if self.finding else shown


def _text(item: Any) -> str:
    if isinstance(item, list):
        texts = list(map(_text, item))
        return texts[0] if len(set(texts)) == 1 else ", ".join(texts)
    return f"{item:g}"


INF, NAN = float("inf"), float("nan")

# The other libraries' columns were measured (JAX 0.10, PyTorch 2.13) or follow from those libraries' rules.
KINKS = (
    Convention("abs(x), x = 0", "np.abs(x)", (0.0,), (0.0,), "1", "0", "0"),
    Convention("maximum(x, y), x = y", "np.maximum(x, y)", (2.0, 2.0), (0.5, 0.5), "0.5, 0.5", "0.5, 0.5", "1, 0"),
    Convention("maximum(x, 0), x = 0", "np.maximum(x, 0)", (0.0,), (0.5,), "0.5", "0.5", "1"),
    Convention(
        "np.max of [x, y], x = y",
        "np.max(np.stack([x, y]))",
        (2.0, 2.0),
        (0.5, 0.5),
        "0.5, 0.5",
        "0.5, 0.5 *",
        "0.5, 0.5",
    ),
    Convention("Python's max(x, y), x = y", "max(x, y)", (2.0, 2.0), (1.0, 0.0), "1, 0", "1, 0", "1, 0"),
    Convention("relu(x), x = 0", "relu(x)", (0.0,), (0.0,), "0", "0", "0"),
    Convention("clip(x, 0, 1), x = 0 or 1", "np.sum(np.clip(x, 0, 1))", ([0.0, 1.0],), ([0.5, 0.5],), "0.5", "1", "1"),
    Convention("norm(x), x = 0", "np.linalg.norm(x)", ([0.0, 0.0],), ([0.0, 0.0],), "nan", "0", "nan"),
    Convention("std(x), x = [2, 2]", "np.std(x)", ([2.0, 2.0],), ([0.0, 0.0],), "nan", "0", "nan"),
    Convention(
        "median of [x, y, 3], x = y = 2",
        "np.median(np.stack([x, y, np.float64(3.0)]))",
        (2.0, 2.0),
        (0.0, 1.0),
        "0, 1",
        "0, 1 or 1, 0",
        "-",
    ),
    Convention(
        "sort of [x, y] times [1, 2], x = y",
        "np.sum(np.sort(np.stack([x, y])) * np.array([1.0, 2.0]))",
        (3.0, 3.0),
        (1.0, 2.0),
        "1, 2",
        "1, 2",
        "1, 2",
    ),
)
OTHERS = (
    Convention(
        "sign, floor, round",
        "np.sign(x) + np.floor(x) + np.round(x)",
        (0.5,),
        (0.0,),
        "0",
        "0",
        "0 or None",
    ),
    Convention("sqrt(x), x = 0", "np.sqrt(x)", (0.0,), (INF,), "inf", "inf", "inf"),
    Convention("sqrt(sum(x**2)), x = 0", "np.sqrt(np.sum(x**2))", ([0.0, 0.0],), ([NAN, NAN],), "nan", "nan", "nan"),
    Convention("x**0, x = 0", "x**0.0", (0.0,), (0.0,), "0", "0", "nan"),
    Convention("x**y, x = 0, y = 2", "np.power(x, y)", (0.0, 2.0), (0.0, 0.0), "0, 0", "0, 0", "0, 0"),
    Convention("x % y, x = -3, y = 2", "np.mod(x, y)", (-3.0, 2.0), (1.0, 2.0), "1, 2", "1, 2", "1, 2"),
    Convention(
        "prod of [0, 2, 3]", "np.prod(x)", ([0.0, 2.0, 3.0],), ([6.0, 0.0, 0.0],), "6, 0, 0", "6, 0, 0", "6, 0, 0"
    ),
    Convention(
        "prod of [1e200, 1e200]", "np.prod(x)", ([1e200, 1e200],), ([1e200, 1e200],), "1e+200", "inf", "1e+200", "G108"
    ),
    Convention(
        "cumprod of [0, 2, 3], summed",
        "np.sum(np.cumprod(x))",
        ([0.0, 2.0, 3.0],),
        ([9.0, 0.0, 0.0],),
        "9, 0, 0",
        "9, 0, 0",
        "0, 0, 0",
    ),
    Convention(
        "where(x < 1, x, sqrt(x)), x = 0", "np.where(x < 1, x, np.sqrt(x))", (0.0,), (1.0,), "nan", "nan", "nan", "G103"
    ),
    Convention(
        "eigvalsh(x)[1], x = [[0, 1], [1, 0]]",
        "np.linalg.eigvalsh(x)[1]",
        ([[0.0, 1.0], [1.0, 0.0]],),
        ([[0.5, 0.0], [1.0, 0.5]],),
        "0.5",
        "0.5",
        "0.5, 0, 1, 0.5",
    ),
    Convention(
        "cholesky(x)[1, 0], x = [[4, 2], [2, 5]]",
        "np.linalg.cholesky(x)[1, 0]",
        ([[4.0, 2.0], [2.0, 5.0]],),
        ([[-0.125, 0.0], [0.5, 0.0]],),
        "-0.125, 0.25, 0.25, 0",
        "-0.125, 0.25, 0.25, 0",
        "-0.125, 0.25, 0.25, 0",
    ),
    Convention("an input that is not used", "1.0", (2.0,), (0.0,), "0", "None", "None", "G401"),
    Convention("real(z**2), z = 1 + 2j", "np.real(x**2)", (1 + 2j,), (2 - 4j,), "2+4j", "2-4j", "2-4j"),
    Convention("abs(z), z = 3 + 4j", "abs(x)", (3 + 4j,), (0.6 + 0.8j,), "0.6-0.8j", "0.6+0.8j", "0.6+0.8j"),
)
