"""G701 to G704: devices."""

from __future__ import annotations

from gradcli.shared.findings.entry import Entry

ENTRIES = (
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
