"""The page on conventions: what gradcli takes where mathematics leaves the choice, beside three neighbours."""

from __future__ import annotations

from gradcli.conventions import KINKS, OTHERS, Convention
from gradcli.render.topics.help_page import Grid, Page

TITLES = ("", "gradcli", "JAX", "PyTorch", "TensorFlow")
INTEGERS = ("integers as the point", "float64", "refused", "refused", "None")


def _row(each: Convention) -> tuple[str, ...]:
    return each.title, each.ours, each.jax, each.torch, each.tensorflow


PAGE = Page(
    "Conventions: what gradcli takes where there is a choice",
    (
        "Where a function bends, or two arguments tie, there is no derivative, and every library chooses. "
        "`gradcli check` calls these KINK: it passes any candidate between the slopes on both sides, whatever the "
        "convention.",
        Grid(TITLES, tuple(map(_row, KINKS))),
        "* In PyTorch, max over an axis (dim=...) gives the whole to one of them. Python's own max and min are "
        "comparisons: the tape follows the argument that they return.",
        "Kinks also arise in compositions: where an inverse cosine is taken at 1, or a square root at 0, and where the "
        "result uses equal eigenvalues or singular values differently, or a singular value of 0, as the largest "
        "eigenvalue, the spectral norm and the nuclear norm do. There the tape takes the vectors that LAPACK returns, "
        "and `check` passes every mean of the gradients that meet. Where each partial derivative exists but the total "
        "derivative does not (G210), it passes the partial derivatives.",
        "Elsewhere too, libraries differ. The gradient of a real result by a complex number is the derivative by its "
        "real part plus i times that by its imaginary part: the direction of steepest ascent. JAX gives the conjugate.",
        Grid(TITLES, (*map(_row, OTHERS), INTEGERS)),
        "The function that is differentiated is the one that the program computes. eigh, eigvalsh, cholesky and "
        "SciPy's solvers for symmetric matrices read one triangle, chosen by UPLO=, upper= or lower=: the slope by the "
        "other triangle is 0, and a number off the diagonal stands for two. JAX symmetrizes the matrix first, unless "
        "symmetrize_input=False; PyTorch symmetrizes the gradient; TensorFlow's eigh follows the triangle, and its "
        "cholesky symmetrizes. Where both triangles move together, all of them agree.",
        "Numbers are float64 unless the point says otherwise; float32 stays float32. Integers inside the program "
        "stay integers. A lane that where, clip, a maximum, an index or a mask did not take contributes exactly "
        "nothing. A cotangent that was computed as zero times an infinite partial is nan, and is reported (G102).",
        "The columns beside gradcli's are from JAX 0.10, PyTorch 2.13 and TensorFlow 2.",
    ),
)
