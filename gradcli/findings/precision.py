"""G501 to G704: types, rounding, devices."""

from __future__ import annotations

from gradcli.findings.entry import Entry

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
        "G502",
        "negative integer powers",
        "note",
        "NumPy refuses np.array([2])**-1, a negative power of integers. An integer point becomes float64 before "
        "the function sees it, so such a power is that of a float.",
        "gradcli.grad(lambda x: np.sum(x**-1))(np.array([2]))",
        "Nothing to do.",
        silent=True,
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
    Entry(
        "G601",
        "cancellation",
        "warning",
        "Two nearly equal numbers were subtracted, and the result consists of their rounding errors. The "
        "derivative suffers more than the value: although the chain rule is exact, its result may have no correct "
        "digit.",
        "gradcli check '(1 - cos(x))/x**2' --at 1e-8",
        "Rewrite the step so that nothing cancels: 2*sin(x/2)**2 for 1 - cos(x). `gradcli precision` names the step.",
    ),
    Entry(
        "G602",
        "a better formula",
        "warning",
        "The step that loses most digits has a well-known equivalent that loses none: log1p(x) for log(1 + x), "
        "expm1(x) for exp(x) - 1, hypot for the root of a sum of squares, and the like.",
        "gradcli precision 'log(1 + x)' --at 1e-17",
        "Use the formula that the finding names.",
    ),
    Entry(
        "G701",
        "device differs",
        "note",
        "A number computed on the device differs from that on the CPU: sums are added in another order, and "
        "products may be fused. The finding says whether the order of addition explains the difference.",
        "gradcli grad file.py:f --at @point.npy --device gpu",
        "Nothing to fix while the difference stays within the named bound.",
    ),
    Entry(
        "G702",
        "run to run",
        "note",
        "The same computation on the device gave slightly different numbers twice, because the order of its "
        "additions varies.",
        "gradcli grad file.py:f --at @point.npy --device gpu",
        "Nothing to fix while the spread is small for your purpose.",
    ),
    Entry(
        "G703",
        "mixed devices",
        "error",
        "An array on the CPU met one on the device. Nothing is copied automatically, because that is slow and "
        "hides mistakes.",
        "def f(x):\n    return np.sum(x * DATA)        # DATA is a NumPy array, x is on the device",
        "Move the data once, before the function runs, or run on the CPU: --device cpu.",
    ),
    Entry(
        "G704",
        "no device",
        "error",
        "A GPU was requested, but CuPy finds none that it can use, or CuPy is not installed.",
        "gradcli grad 'x*x' --at 1 --device gpu",
        "Install CuPy with pip install 'gradcli[cuda12]' or 'gradcli[cuda13]', or omit --device.",
    ),
)
