"""The page on conventions: gradcli's choices where there is no derivative, beside those of three other libraries."""

from __future__ import annotations

from gradcli.shared.conventions import KINKS, OTHERS, Convention
from gradcli.terminal.render.topics.page_parts import Grid, Page

TITLES = ("", "gradcli", "JAX", "PyTorch", "TensorFlow")
INTEGERS = ("integers as the point", "float64", "refused", "refused", "None")


def _row(convention: Convention) -> tuple[str, ...]:
    return convention.title, convention.ours, convention.jax, convention.torch, convention.tensorflow


PAGE = Page(
    "Conventions: gradcli's choices where there is no derivative",
    (
        "Where a function has a kink, or two arguments tie, there is no derivative, and every library chooses a value. "
        "`gradcli check` reports KINK there: it passes any candidate between the slopes on the two sides, whatever the "
        "convention.",
        Grid(TITLES, tuple(map(_row, KINKS))),
        "* In PyTorch, max over an axis (dim=...) gives the whole gradient to one of the tied elements. Python's own "
        "max and min are comparisons: the tape follows the argument that they return.",
        "Compositions have kinks as well: the inverse cosine at 1, the square root at 0, and functions that treat "
        "equal eigenvalues or singular values differently, or depend on a singular value of 0, such as the largest "
        "eigenvalue, the spectral norm and the nuclear norm. There the tape uses the vectors that LAPACK returns, "
        "and `check` passes every weighted mean of the gradients that meet. Where each partial derivative exists but "
        "the total derivative does not (G210), `check` passes the partial derivatives.",
        "Libraries differ elsewhere, too. The gradient of a real result with respect to a complex number is the "
        "derivative by its real part plus i times the derivative by its imaginary part, which is the direction of "
        "steepest ascent. JAX returns the conjugate.",
        Grid(TITLES, (*map(_row, OTHERS), INTEGERS)),
        "gradcli differentiates the function that the program computes. eigh, eigvalsh, cholesky and SciPy's solvers "
        "for symmetric matrices read one triangle, chosen by UPLO=, upper= or lower=: the derivative with respect to "
        "the other triangle is 0, and an off-diagonal element counts twice. JAX symmetrizes the matrix first, unless "
        "symmetrize_input=False; PyTorch symmetrizes the gradient; TensorFlow's eigh follows the triangle, and its "
        "cholesky symmetrizes. Where both triangles change together, all of them agree.",
        "Numbers are float64 unless the point has another type; float32 stays float32. Integers inside the program "
        "stay integers. An element that where, clip, a maximum, an index or a mask did not select contributes exactly "
        "zero. A cotangent that was computed as zero times an infinite partial is nan, and is reported (G102).",
        "The columns of the other libraries are from JAX 0.10, PyTorch 2.13 and TensorFlow 2.",
    ),
)
