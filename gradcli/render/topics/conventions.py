"""The page on conventions: what gradcli takes where mathematics leaves the choice, beside three neighbours."""

from __future__ import annotations

from gradcli.render.topics.page import Grid, Page

# The columns of the neighbours were run (JAX 0.10, PyTorch 2.13) or read in the source (TensorFlow's math_grad.py).
TITLES = ("", "gradcli", "JAX", "PyTorch", "TensorFlow")
KINKS = (
    ("abs(x), x = 0", "0", "1", "0", "0"),
    ("maximum(x, y), x = y", "0.5, 0.5", "0.5, 0.5", "0.5, 0.5", "1, 0"),
    ("maximum(x, 0), x = 0", "0.5", "0.5", "0.5", "1"),
    ("np.max of [x, y], x = y", "0.5, 0.5", "0.5, 0.5", "0.5, 0.5 *", "0.5, 0.5"),
    ("Python's max(x, y), x = y", "1, 0", "1, 0", "1, 0", "1, 0"),
    ("relu(x), x = 0", "0", "0", "0", "0"),
    ("clip(x, 0, 1), x = 0 or 1", "0.5", "0.5", "1", "1"),
    ("norm(x), x = 0", "0", "nan", "0", "nan"),
)
OTHERS = (
    ("sign, floor, round", "0", "0", "0", "0 or None"),
    ("sqrt(x), x = 0", "inf", "inf", "inf", "inf"),
    ("sqrt(sum(x**2)), x = 0", "nan", "nan", "nan", "nan"),
    ("where(x < 1, x, sqrt(x)), x = 0", "1 (G103)", "nan", "nan", "nan"),
    ("an input that is not used", "0 (G401)", "0", "None", "None"),
    ("integers as the point", "float64", "refused", "refused", "None"),
    ("complex input, real result", "Re + i Im", "Re - i Im", "Re + i Im", "Re + i Im"),
)

PAGE = Page(
    "Conventions: what gradcli takes where there is a choice",
    (
        "Where a function bends, or two arguments tie, there is no derivative, and every library chooses. "
        "`gradcli check` calls these KINK: it passes any candidate between the slopes on both sides, whatever the "
        "convention.",
        Grid(TITLES, KINKS),
        "* In PyTorch, max over an axis (dim=...) gives the whole to one of them. Python's own max and min are "
        "comparisons: the tape follows the argument that they return.",
        "Elsewhere too, libraries differ. Re and Im are the derivatives by the real and by the imaginary part.",
        Grid(TITLES, OTHERS),
        "Numbers are float64 unless the point says otherwise; float32 stays float32. Integers inside the program "
        "stay integers. A lane that where, clip, a maximum, an index or a mask did not take contributes exactly "
        "nothing. A cotangent that was computed as zero times an infinite partial is nan, and is reported (G102).",
        "The columns beside gradcli's are from JAX 0.10, PyTorch 2.13 and TensorFlow 2.",
    ),
)
