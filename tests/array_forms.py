"""Every function of NumPy's and SciPy's that varies smoothly, by name, in one form that it is written in.

A form is a program of `x`, an array of any shape, and mostly of `y`, one that broadcasts with it; `{}` is the name.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

# Programs that take arrays of any shape, as far as NumPy takes them.
FORMS = {
    # ufuncs
    "np.{}(x)": """abs absolute fabs negative positive sign square sqrt cbrt reciprocal exp exp2 expm1 log log2 log10
        log1p sin cos arctan atan sinh cosh tanh arcsinh asinh deg2rad rad2deg degrees radians conj conjugate""",
    "np.{}(x / 3)": "arcsin asin arccos acos arctanh atanh tan",
    "np.{}(x + 1)": "arccosh acosh",
    "np.{}(x, y)": """add subtract multiply divide true_divide power float_power arctan2 atan2 hypot maximum minimum
        fmax fmin logaddexp logaddexp2 copysign fmod mod remainder heaviside nextafter""",
    "np.{}(x, 3)": "ldexp",
    "np.{}(x)[0]": "modf frexp unstack",
    "np.{}(x, y)[1]": "divmod broadcast_arrays meshgrid",
    "np.{}.reduce(x)": "add multiply maximum logaddexp hypot",
    "np.{}.accumulate(x)": "add multiply maximum",
    "np.{}.outer(x, y)": "add multiply power",
    "np.{}(x, out=np.zeros(np.broadcast_shapes(np.shape(x))))": "exp",
    "np.{}(x, where=np.greater(x, 1), out=1.0 * x)": "log",
    "np.{}(x, y, dtype=np.float64)": "multiply",
    # reductions
    "np.{}(x, axis=None)": """sum mean var std prod max min amax amin ptp median average nansum nanmean nanvar nanstd
        nanprod nanmax nanmin nanmedian cumsum cumprod nancumsum nancumprod""",
    "np.{}(x, axis=-1)": """sum mean var prod max min ptp median average nansum nanmean nanvar nanprod nanmax nanmin
        nanmedian cumsum cumprod cumulative_sum cumulative_prod nancumsum nancumprod diff trapezoid sort unwrap""",
    "np.{}(x, axis=0, keepdims=True)": "sum mean var std prod max min ptp median average nansum nanmean nanmax nanmin",
    "np.{}(x, 0.3)": "quantile nanquantile",
    "np.{}(x, [30, 65], axis=-1)": "percentile",
    "np.{}(x, 65, axis=-1)": "percentile nanpercentile",
    "np.{}(x, weights=x + 1)": "average",
    "np.{}(x) * 1.0": "gradient cov corrcoef",
    "np.{}(x).sum()": "ediff1d nan_to_num real real_if_close i0 sinc",
    # shaping
    "np.{}(x) * x.sum()": """ravel squeeze transpose matrix_transpose flip fliplr flipud rot90 atleast_1d atleast_2d
        atleast_3d copy array asarray asanyarray ascontiguousarray asfortranarray asarray_chkfinite tril triu diag
        diagflat diagonal trace""",
    "np.{}(x, -1)": "reshape expand_dims roll delete",
    "np.{}(x, 0, -1)": "moveaxis swapaxes rollaxis",
    "np.{}(x, 2)": "tile repeat broadcast_to resize pad",
    "np.{}(x.ravel(), np.arange(x.size) % 3)": "repeat",
    "np.{}(x, np.array([2, 1]))": "tile resize",
    "np.{}(x, np.array([-1]))": "reshape",
    "np.{}(x, np.array([0, -1]))": "take",
    "np.{}(x, 1, mode='wrap')": "pad",
    "np.{}(x, 1, mode='reflect')": "pad",
    "np.{}(x, 1, mode='linear_ramp', end_values=2.0)": "pad",
    "np.{}(x, 1, mode='mean')": "pad",
    "np.{}(x, 1)[-1]": "split array_split hsplit vsplit dsplit",
    "np.{}([x, 2 * x])": "stack vstack hstack dstack column_stack concatenate concat block",
    "np.{}(x, 2 * x)": "append",
    "np.{}(x, 0, 2.0)": "insert",
    "np.{}(x, x[:1].sum())": "full_like",
    # indexing
    "x[{}]": "0 -1 ...,0 1:,::2 ::-1 [0,0] None ...",
    "x[x > {}]": "1.0",
    "np.{}(x, [0, -1, 0])": "take",
    "np.{}(x, np.argsort(x, axis=-1), axis=-1)": "take_along_axis",
    "np.{}(np.greater(x, 1).astype(int), [x, y])": "choose",
    "np.{}([x > 1.5, x > 1], [x, y])": "select",
    "np.{}(x > 1, x, y)": "where",
    "np.{}([True], x, axis=0)": "compress",
    "np.{}(x > 1, x)": "extract",
    "np.{}(x, [x < 1, x >= 1], [np.sin, np.cos])": "piecewise",
    "np.{}(x, 0.9, 1.6)": "clip",
    "np.{}(x, 0)": "partition",
    "np.{}(x, [0.4, 1.0, 2.3], [1.0, 3.0, 2.0])": "interp",
    "x.ravel()[np.{}(np.array([0.5, 1.0]), x.ravel()[:1]) - 1]": "searchsorted",
    "x.ravel()[np.{}(x)]": "argmax argmin",
    "np.{}(x.ravel())": "unique trim_zeros",
    # products
    "np.{}(x, y) * 1": "dot inner outer kron vecdot",
    "np.{}(x, x)": "vdot convolve correlate union1d linalg.outer",
    "np.{}(x, x.T)": "matmul dot",
    "np.{}(x, np.ones((3, 2)))": "dot matmul",
    "np.{}(x, x, axes=x.ndim)": "tensordot",
    "np.{}('...i,...i->...', x, x)": "einsum",
    "np.{}('...i->...', x)": "einsum",
    "np.{}(x, [..., 0], x, [..., 0], [...])": "einsum",
    "np.{}(x, x[..., ::-1] ** 2)": "cross",
    "np.{}(x, 3) / 1": "vander",
    "np.{}(x, 2.0)": "polyval",
    "np.{}([1.0, 2.0, 3.0], x)": "polyval",
    "np.linalg.{}(x)": "norm vector_norm",
    "np.linalg.{}(x, axis=-1, ord=3)": "norm vector_norm",
    # transforms: all real and imaginary parts
    "parts(np.fft.{}(x))": "fft ifft rfft irfft hfft ihfft fft2 ifft2 rfft2 irfft2 fftn ifftn rfftn irfftn",
    "np.fft.{}(x)": "fftshift ifftshift",
    # SciPy's functions of any numbers
    "special.{}(x)": """expit log_expit erf erfc erfcx erfi dawsn ndtr log_ndtr gamma gammaln loggamma rgamma
        digamma psi i0 i0e i1 i1e j0 j1 y0 y1 k0 k0e k1 k1e exp10 exprel cosm1 expi exp1 entr logsumexp softmax
        log_softmax expm1 log1p cbrt exp2""",
    "special.{}(x / 3)": "logit erfinv ndtri",
    "special.{}(x, y)": "xlogy xlog1py beta betaln rel_entr kl_div binom poch huber pseudo_huber boxcox boxcox1p",
    "special.{}(2, x)": "polygamma gammainc gammaincc jv yv iv kv expn zeta kn yn ive kve",
    "special.{}(2.0, 1.5, x / 3)": "betainc",
    "special.{}(x, 2)": "multigammaln",
}

# Programs that take matrices, and stacks of them as far as NumPy does.
OF_MATRICES = {
    "np.linalg.{}(x)": "inv pinv det matrix_norm trace diagonal matrix_transpose cond",
    "np.linalg.{}(x)[1]": "slogdet",
    "np.linalg.{}(positive(x))": "cholesky eigvalsh svdvals",
    "np.abs(np.linalg.{}(positive(x))[1])": "eigh eig qr",
    "np.linalg.{}(positive(x))[1]": "svd",
    "np.real(np.linalg.{}(x))": "eigvals",
    "np.linalg.{}(x, 3)": "matrix_power",
    "np.linalg.{}(x, -2)": "matrix_power",
    "np.linalg.{}(x, x[..., :1] + 1)": "solve",
    "np.linalg.{}(x, x[..., 0] + 1)[0]": "lstsq",
    "np.linalg.{}([x, x.T, x])": "multi_dot",
    "np.linalg.{}(x, 'fro')": "norm cond",
    "np.linalg.{}(x, 'nuc')": "norm",
    "np.linalg.{}(x, 2)": "norm cond",
    "np.linalg.{}(x, -2)  * 1": "norm",
    "np.linalg.{}(x, 1)": "norm cond",
    "np.linalg.{}(x, np.inf)": "norm",
    "np.linalg.{}(x, x)": "matmul tensordot vecdot",
    "np.linalg.{}(x, ind=1)": "tensorinv",
    "np.linalg.{}(x, x[..., 0])": "tensorsolve",
    "np.{}(x)": "trace diagonal tril triu diag linalg.det",
}

# What an array of two axes does itself.
METHODS = [
    "x.sum(0)", "x.mean(-1)", "x.var()", "x.std()", "x.prod()", "x.max(1)", "x.min()", "x.cumsum()", "x.cumprod(0)",
    "x.T", "x.mT", "x.ravel()", "x.flatten()", "x.reshape(3, 2)", "x.reshape((-1,))", "x.transpose(1, 0)",
    "x.squeeze()", "x.swapaxes(0, 1)", "x.take([0, 5])", "x.repeat(2)", "x.diagonal()", "x.trace()", "x.dot(x.T)",
    "x.clip(0.8, 1.5)", "x.compress([True, False], 0)", "x.conj() * x.conjugate() * x.real", "x.copy() * x.view()",
    "x.astype(np.float64)", "x.item(2)", "x.flat[1:4]", "np.array(x.tolist()[1])", "x[x > 1]", "x[0]", "x[:, ::2]",
    "x[[0, 1], [1, 2]]", "x @ x.T", "x**2 / -x", "2 - x", "2 / x", "2**x", "x % 0.4", "abs(x) * +x", "sum(x)",
    "sum(sum(row) for row in x)", "len(x) * x", "x * (x[0, 0] in x)", "x.ravel()[x.argmax()]",
    "x.ravel()[x.argsort(axis=None)]", "x.ravel()[x.ravel().searchsorted(1) - 1]",
]  # fmt: skip


def parts(z: Any) -> Any:
    """The real and the imaginary parts, side by side."""
    return np.stack([np.real(z), np.imag(z)])


def positive(x: Any) -> Any:
    """A positive definite matrix with different eigenvalues, made of any."""
    return x @ np.swapaxes(x, -1, -2) + np.diag(np.arange(1.0, 1.0 + np.shape(x)[-1]))


def programs(forms: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """The name and the form of each program, by its text."""
    return {form.format(name): (name, form) for form, names in forms.items() for name in names.split()}


def program(text: str, namespace: Any = np) -> Callable[..., Any]:
    """The function that the text of a program is; functions of SciPy's need SciPy."""
    # A name that is not of gradcli, whose own code is not followed.
    names = {"np": namespace, "parts": parts, "positive": positive, "__name__": "a_program"}
    if "special." in text:
        from scipy import special

        names["special"] = special
    made: Callable[..., Any] = eval(f"lambda x, y=None: {text}", names)  # the text is our own
    return made


def is_of_two(text: str) -> bool:
    """Whether a program takes two arrays."""
    return re.search(r"\by\b", text) is not None
