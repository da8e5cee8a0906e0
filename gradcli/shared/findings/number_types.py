"""G501 to G505: integers, whole division, and types with fewer digits."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
    Entry(
        "G501",
        "integer input",
        "note",
        "The point holds an array of integers. It was converted to float64, because a derivative by an integer "
        "has no meaning. Integers inside the program, such as an index, a bound or an exponent, are unchanged.",
        "gradcli.grad(f)(np.array([1, 2, 3]))",
        "Nothing, or write the point as floats: np.array([1.0, 2.0, 3.0]).",
    ),
    Entry(
        "G503",
        "whole division",
        "warning",
        "An input reaches the result only through //, which rounds down: its gradient is zero "
        "wherever there is one. In programs written for Python 2, true division was meant.",
        "gradcli grad 'x // 2' --at 3",
        "Write / if true division is meant. % is fine: it has a derivative.",
    ),
    Entry(
        "G504",
        "narrowed",
        "note",
        "A step converted float64 to a type with fewer digits. Later results have no more digits than that: 7 in "
        "float32, 3 in float16.",
        "def f(x):\n    return np.sum(x.astype(np.float32) ** 2)",
        "Keep float64, or use a float32 point from the start if that is intended.",
    ),
    Entry(
        "G505",
        "accumulation",
        "warning",
        "Many numbers of a narrow type were added one after another, and the sum has lost digits that the numbers "
        "have: in float64 the sum is different.",
        "def f(x):        # an array (1_000_000, 2) of float32\n    return np.sum(x, axis=0)[0]",
        "Add in float64: np.sum(x, dtype=np.float64).",
    ),
)
