"""G501 to G704: types, rounding, devices."""

from __future__ import annotations

from gradcli.findings.entry import Entry

ENTRIES = (
    Entry(
        "G501",
        "integer input",
        "note",
        "The point holds an array of integers. It was taken as float64, because a derivative by a whole number has "
        "no meaning. Integers inside the program, as an index, a bound or an exponent, stay what they are.",
        "gradcli.grad(f)(np.array([1, 2, 3]))",
        "Nothing, or write the point as floats: np.array([1.0, 2.0, 3.0]).",
    ),
    Entry(
        "G502",
        "negative integer powers",
        "note",
        "NumPy refuses np.array([2])**-1, a negative power of integers. An integer point becomes float64 before the "
        "function sees it, so that such a power is taken of a float.",
        "gradcli.grad(lambda x: np.sum(x**-1))(np.array([2]))",
        "Nothing to do.",
        silent=True,
    ),
    Entry(
        "G503",
        "whole division",
        "warning",
        "An input reaches the result only through //, the division that rounds down: its gradient is zero wherever "
        "there is one. In programs that were written for Python 2 the division that keeps the fraction was meant.",
        "gradcli grad 'x // 2' --at 3",
        "Write / where a true division was meant. % is fine: it has a derivative.",
    ),
    Entry(
        "G504",
        "narrowed",
        "note",
        "A step turned float64 into a type with fewer digits. Everything after it has no more than those: 7 digits in "
        "float32, 3 in float16.",
        "def f(x):\n    return np.sum(x.astype(np.float32) ** 2)",
        "Keep float64, or take a point of float32 from the start if that is meant.",
    ),
    Entry(
        "G505",
        "accumulation",
        "warning",
        "Many numbers of a narrow type were added one after the other, and the sum has lost digits that the numbers "
        "have: the same sum in float64 is another.",
        "def f(x):        # an array (1_000_000, 2) of float32\n    return np.sum(x, axis=0)[0]",
        "Add in float64: np.sum(x, dtype=np.float64).",
    ),
    Entry(
        "G601",
        "cancellation",
        "warning",
        "Two nearly equal numbers were subtracted, and what is left consists of their rounding errors. The derivative "
        "suffers more than the value: the chain rule is exact, and still there may be no right digit in its result.",
        "gradcli check '(1 - cos(x))/x**2' --at 1e-8",
        "Rewrite the step so that nothing cancels: 2*sin(x/2)**2 for 1 - cos(x). `gradcli precision` names the step.",
    ),
    Entry(
        "G602",
        "a better formula",
        "warning",
        "The step that costs most digits has a well-known form that costs none: log1p(x) for log(1 + x), expm1(x) for "
        "exp(x) - 1, hypot for a root of squares, and their like.",
        "gradcli precision 'log(1 + x)' --at 1e-17",
        "Write the form that the finding names.",
    ),
    Entry(
        "G701",
        "device differs",
        "note",
        "A number computed on the device differs from the same on the CPU: sums are added in another order, and "
        "products may be fused. The finding says whether the order of addition explains it.",
        "gradcli grad file.py:f --at @point.npy --device gpu",
        "Nothing to repair while the difference stays within the bound that is named.",
    ),
    Entry(
        "G702",
        "run to run",
        "note",
        "The same computation on the device gave slightly different numbers twice, because its additions run in an "
        "order that changes.",
        "gradcli grad file.py:f --at @point.npy --device gpu",
        "Nothing to repair while the spread is small against what you need.",
    ),
    Entry(
        "G703",
        "mixed devices",
        "error",
        "An array on the CPU met one on the device. Nothing is moved unasked, because that is slow and hides mistakes.",
        "def f(x):\n    return np.sum(x * DATA)        # DATA is a NumPy array, x is on the device",
        "Move the data once, before the function runs, or run on the CPU: --device cpu.",
    ),
    Entry(
        "G704",
        "no device",
        "error",
        "A GPU was asked for, and there is none that CuPy can use, or CuPy is not installed.",
        "gradcli grad 'x*x' --at 1 --device gpu",
        "Install CuPy with pip install 'gradcli[cuda12]' or 'gradcli[cuda13]', or leave --device out.",
    ),
)
