"""NumPy's and SciPy's served functions in forms that take arrays of any size, for `benchmarks.pullbacks`.

A form is a program of `x`, and of `y` shaped like it; `at` holds ascending sites, as many as a line has elements, and
`few` nine weights. `{}` is the name. Most forms of NumPy's are those of the self-test.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests import array_forms

MODULES = {
    "fft": "scipy.fft", "la": "scipy.linalg", "images": "scipy.ndimage", "signal": "scipy.signal",
    "interpolate": "scipy.interpolate", "integrate": "scipy.integrate", "optimize": "scipy.optimize",
    "distance": "scipy.spatial.distance", "special": "scipy.special", "stats": "scipy.stats",
    "iterative": "scipy.sparse.linalg",
}  # fmt: skip

# Forms of the self-test whose function takes quadratic time or is a scalar's, and those that stand in their place.
REPLACED = frozenset(
    (
        "np.convolve(x, x)", "np.correlate(x, x)", "np.broadcast_to(x, 2)", "np.dsplit(x, 1)[-1]",
        "np.dot(x, np.ones((3, 2)))", "np.matmul(x, np.ones((3, 2)))", "np.cross(x, x[..., ::-1] ** 2)",
    )
)  # fmt: skip
LINES = {
    "np.{}(np.reshape(x, (1, 1, -1)), 1)[-1]": "dsplit",
    "np.{}(np.reshape(x, (-1, 2)), np.ones((2, 3)))": "dot matmul",
    "np.{}(np.outer(x, few[:3]), np.outer(y, few[3:6]) ** 2)": "cross",
    "np.{}(x, (2, x.size))": "broadcast_to",
    "np.{}(few, x)": "convolve",
    "np.{}(x, at, y)": "interp",
    "np.{}(x, 10, weights=y)[0]": "histogram",
    "np.{}(x, np.arange(x.size)[::-1])": "take",
    "np.{}(x, np.arange(x.size) % 7 == 0, 3.0)": "where",
    "np.{}(x, x.size // 2)": "partition roll",
    "x[np.arange(x.size) // {}]": "3",
    "np.add.{}(x, np.arange(0, x.size, 7))": "reduceat",
    "np.{}(np.arange(x.size) % 9, x)": "bincount",
    "np.{}(x, x)": "intersect1d",
    "np.{}(x, y)": "pow setdiff1d setxor1d",
    "np.{}(x + 1j)": "angle imag",
    "np.{}(x)": "polyder polyint unique_values",
    "np.{}(x[0], x[1], x.size)": "linspace geomspace logspace",
    "np.{}(x.size, x[0])": "kaiser",
    "np.{}(at, x, 2)": "polyfit",
    "np.{}(np.outer(few[:3], few[:3]), np.outer(x, few[:3]))": "matvec",
    "np.{}(np.outer(x, few[:3]), np.outer(few[:3], few[:3]))": "vecmat",
    "np.{}(np.sum, -1, np.reshape(x, (-1, 100)))": "apply_along_axis",
    "np.{}(np.repeat(x[:8], 3))": "poly",
    "np.{}(x, few[::-1])[0]": "polydiv",
    "np.{}(x, few)": "convolve correlate polymul polyadd polysub",
    "np.{}(x[:9])": "roots",
    "np.lib.stride_tricks.{}(x, 5)": "sliding_window_view",
    "parts(fft.{}(x))": "fft ifft rfft irfft hfft ihfft fftn ifftn rfftn irfftn hfftn ihfftn",
    "fft.{}(x)": "dct idct dst idst dctn idctn dstn idstn fftshift ifftshift",
    "special.{}(x)": """softplus gammasgn sindg cosdg tandg cotdg spence wrightomega wofz lambertw factorial itstruve0
        it2struve0 itmodstruve0""",
    "special.{}(x)[0]": "airy sici shichi fresnel itj0y0 iti0k0 it2j0y0 it2i0k0",
    "special.{}(-x)": "ndtri_exp",
    "special.{}(x / 3)": "ellipk ellipe ellipkm1 erfcinv",
    "special.{}(x, y)": "powm1 owens_t inv_boxcox inv_boxcox1p",
    "special.{}(x + 3, y)": "comb",
    "special.{}(x, y / 3)": "ellipkinc ellipeinc",
    "special.{}(x, y / 3)[0]": "ellipj",
    "special.{}(x, y, 0.7)": "radian voigt_profile",
    "special.{}(2.0, x)": "gammainc gammaincc chdtr chdtrc stdtr",
    "special.{}(2, x)": """jve yve struve modstruve hyp0f1 hankel1 hankel2 pdtr pdtrc spherical_jn spherical_yn
        spherical_in spherical_kn eval_legendre eval_laguerre eval_chebyt eval_chebyu eval_chebyc eval_chebys
        eval_sh_legendre eval_sh_chebyt eval_sh_chebyu eval_hermite eval_hermitenorm""",
    "special.{}(2.0, x / 3)": "gammaincinv gammainccinv chdtri stdtrit",
    "special.{}(2, x / 3)": "pdtri",
    "special.{}(2, 1.5, x)": "eval_gegenbauer eval_genlaguerre",
    "special.{}(1.5, 2.5, x)": "hyp1f1 hyperu fdtr fdtrc gdtr gdtrc wright_bessel",
    "special.{}(2.0, 1.5, x / 3)": "betaincc betaincinv betainccinv fdtri gdtrix",
    "special.{}(0.3, 2.0, x)": "gdtria",
    "special.{}(2, 5, x / 3)": "bdtr bdtrc bdtri nbdtr nbdtrc nbdtri",
    "special.{}(1, 2, x / 3)": "lpmv",
    "special._ufuncs._{}(x / 3, 2.5, 1.5)": "beta_pdf",
    "special.{}(1.5, 0.5, 2.5, x / 3)": "hyp2f1",
    "special.{}(2, 0.5, 1.5, x / 3)": "eval_jacobi",
    "integrate.{}(lambda t: np.mean(np.exp(-t * x)), 0.0, 1.0)[0]": "quad",
    "images.{}(x, few, mode='nearest')": "convolve1d correlate1d convolve correlate",
    "images.{}(x, 1.5)": "gaussian_filter1d",
    "images.{}(x, 5)": "uniform_filter1d maximum_filter1d minimum_filter1d median_filter maximum_filter",
    "images.{}(x, 2.0, order=1)": "zoom shift",
    "images.{}(x, [at * (x.size - 1)], order=1)": "map_coordinates",
    "signal.{}(x, few)": "convolve correlate fftconvolve oaconvolve",
    "signal.{}(few, [1.0, 0.4, 0.1], x)": "lfilter",
    "signal.{}(few, [1.0, 0.4], x)": "filtfilt",
    "signal.{}([[0.2, 0.3, 0.1, 1.0, 0.4, 0.1]], x)": "sosfilt sosfiltfilt",
    "signal.{}(x)": "detrend",
    "signal.{}(x)[1]": "periodogram",
    "signal.{}(x, nperseg=64)[1]": "welch",
    "np.abs(signal.{}(x))": "hilbert",
    "signal.{}(x, x.size // 2)": "resample",
    "signal.{}(x, 2)": "decimate",
    "signal.{}(x, 5, 2)": "savgol_filter",
    "interpolate.{}(at, x)(at[:-1] + 1e-7)": """CubicSpline PchipInterpolator Akima1DInterpolator interp1d
        make_interp_spline""",
    "interpolate.{}((at,), x)(at[:-1])": "RegularGridInterpolator",
    "interpolate.{}(at, x, y)(at)": "CubicHermiteSpline",
    "interpolate.{}(at[::9][:9], few)(x)": "CubicSpline BarycentricInterpolator KroghInterpolator",
    "integrate.{}(x, x=at)": "simpson trapezoid cumulative_trapezoid cumulative_simpson",
    "optimize.{}(x)": "rosen rosen_der",
    "distance.{}(x, y)": "euclidean sqeuclidean cityblock canberra cosine correlation braycurtis chebyshev minkowski",
    "stats.{}.logpdf(x)": "norm cauchy expon laplace logistic",
    "stats.{}.logpdf(x, 2.5)": "chi2 gamma invgamma lognorm t weibull_min",
    "stats.{}.logpdf(x + 2, 2.5)": "pareto",
    "stats.{}.logpdf(x / 3, 2.5, 3.5)": "beta",
    "stats.{}.cdf(x)": "norm expon",
    "stats.{}.logpmf(3, x)": "poisson",
    "stats.{}(x)": "entropy gmean hmean kurtosis moment sem skew zscore",
    "stats.{}(x, 0.2)": "trim_mean",
    "stats.{}(at, x)[0]": "linregress",
    "stats.{}.logpdf(np.reshape(x, (-1, 2)), np.zeros(2), np.eye(2))": "multivariate_normal multivariate_t",
}
_SQUARES = "lambda z: np.mean((z[0] - x) ** 2 + (z[1] - x * z[0]) ** 2)"
_SYSTEM = "lambda z: np.stack([np.mean(x) - z[0] - z[1] / 3, np.mean(x * x) / 9 - z[1]])"
SOLVERS = {
    "optimize.{}(lambda z: z - np.mean(np.cos(z * x)), 0.0, 1.0)": "bisect brentq brenth ridder toms748",
    "optimize.{}(lambda z: z - np.mean(np.cos(z * x)), 0.5)": "newton",
    "optimize.{}(lambda z: z - np.mean(np.cos(z * x)), bracket=(0.0, 1.0)).root": "root_scalar",
    "optimize.{}(lambda z: np.mean(np.cos(z * x)), 0.5)": "fixed_point",
    "optimize.{}(lambda z: np.mean((z - x) ** 2) + z**4)": "brent golden",
    "optimize.{}(lambda z: np.mean((z - x) ** 2) + z**4, 0.0, 2.0)": "fminbound",
    "optimize.{}(lambda z: np.mean((z - x) ** 2) + z**4).x": "minimize_scalar",
    f"optimize.{{}}({_SYSTEM}, few[:2])": """fsolve anderson broyden1 broyden2 diagbroyden excitingmixing linearmixing
        newton_krylov""",
    f"optimize.{{}}({_SYSTEM}, few[:2]).x": "root",
    "optimize.{}(lambda z: z[0] * np.exp(-z[1] * at) - x, few[:2]).x": "least_squares",
    f"optimize.{{}}({_SQUARES}, few[:2], disp=0)": "fmin_bfgs fmin_cg fmin_powell",
    "optimize.{}(lambda z: np.mean((z - x[:2]) ** 2), few[:2], lambda z: z - x[:2], disp=0)": "fmin_ncg",
    f"optimize.{{}}({_SQUARES}, few[:2]).x": "minimize",
}
IMAGES = {
    "parts(fft.{}(x))": "fft2 ifft2 rfft2 irfft2 hfft2 ihfft2",
    "images.{}(x, 1.5)": "gaussian_filter gaussian_laplace gaussian_gradient_magnitude shift zoom",
    "images.{}(x)": "laplace sobel prewitt spline_filter",
    "images.{}(x, 3)": "uniform_filter",
    "images.{}(x, 31.0, reshape=False, order=1)": "rotate",
    "images.{}(x, np.array([[0.9, 0.1], [-0.2, 0.8]]), order=1)": "affine_transform",
    "images.{}(x, np.outer(few[:3], few[:3]))": "convolve correlate",
    "signal.{}(x, np.outer(few[:3], few[:3]))": "convolve2d correlate2d fftconvolve",
    "distance.{}(x[:, :4], y[:, :4])": "cdist",
    "distance.{}(x[:, :4])": "pdist",
    "distance.squareform(distance.{}(x[:, :4]))": "pdist",
    "np.{}('ij,jk->ik', x, y)": "einsum",
    "np.{}('ij,ij->i', x, y)": "einsum",
    "np.{}('ij->ji', x)": "einsum",
    "np.{}('ii->i', x)": "einsum",
    "np.{}('ij->j', x)": "einsum",
    "np.{}('ij,j->i', x, y[0])": "einsum",
    "np.{}('i,j->ij', x[0], y[0])": "einsum",
    "np.{}(x, -1, axis=0)": "partition",
    "np.{}(x, axis=0)": "sort cumsum cumprod median",
}
MATRICES = {
    "la.{}(x)": "inv det pinv svdvals expm norm eigvalsh sqrtm logm sinm cosm",
    "la.{}(positive(x))": "cholesky pinvh",
    "la.{}(x, x[:, 0])": "solve solve_triangular",
    "la.{}(la.lu_factor(x), x[:, 0])": "lu_solve",
    "la.{}((la.cholesky(positive(x)), False), x[:, 0])": "cho_solve",
    "la.{}(x, x[:, 0])[0]": "lstsq",
    "la.{}(x)[1]": "qr polar",
    "la.{}(x)[0]": "lu_factor",
    "la.{}(x)[2]": "lu",
    "la.{}(positive(x))[0]": "eigh cho_factor",
    "la.{}(x, y)": "khatri_rao block_diag",
    "la.{}(x, x + np.eye(len(x)), x)": "solve_sylvester",
    "la.{}(x, x)": "solve_continuous_lyapunov",
    "la.{}(x[0])": "toeplitz circulant hankel companion",
    "la.{}(x[0] + 30.0 * np.eye(len(x))[0], x[1])": "solve_toeplitz matmul_toeplitz",
    "la.{}((1, 1), np.stack([at, at + 5.0, at]), at)": "solve_banded",
    "iterative.{}(positive(x), x[0], rtol=1e-12)[0]": "bicg bicgstab cg cgs gmres gcrotmk lgmres minres qmr tfqmr",
}


def forms() -> Iterator[tuple[str, str]]:
    """Every program as text, with its kind: a line, or a matrix; NumPy's are lines if they take these."""
    for kind, table in (
        ("line", array_forms.FORMS),
        ("matrix", array_forms.OF_MATRICES),
        ("line", LINES),
        ("line", SOLVERS),
        ("image", IMAGES),
        ("matrix", MATRICES),
    ):
        yield from ((text, kind) for text in array_forms.programs(table) if text not in REPLACED)


_REASONS = {
    "a product of a million factors leaves the range of floats: a tree or doubling takes the place of one pass": (
        "np.multiply.reduce(x)", "np.prod(x, axis=None)", "np.prod(x, axis=-1)", "np.prod(x, axis=0, keepdims=True)",
        "np.nanprod(x, axis=None)", "np.nanprod(x, axis=-1)", "np.multiply.accumulate(x)", "np.cumprod(x, axis=None)",
        "np.cumprod(x, axis=-1)", "np.cumulative_prod(x, axis=-1)", "np.nancumprod(x, axis=None)",
        "np.nancumprod(x, axis=-1)",
    ),
    "a mask, a selection and an extreme are recorded, for which NumPy takes one pass": (
        "np.nanmax(x, axis=None)", "np.nanmin(x, axis=None)", "np.nanmax(x, axis=-1)", "np.nanmin(x, axis=-1)",
        "np.nanmax(x, axis=0, keepdims=True)", "np.nanmin(x, axis=0, keepdims=True)",
    ),
    "the order of the elements is found by sorting their indices, which takes five times as long as sorting them": (
        "np.partition(x, 0)", "np.partition(x, x.size // 2)", "np.partition(x, -1, axis=0)", "np.unique(x.ravel())",
        "np.unique_values(x)", "np.union1d(x, x)",
    ),
    "each step or item is a row, and one of Python's in NumPy": ("np.unstack(x)[0]", "np.polyval(x, 2.0)"),
    "the elements are read and added at places, for which NumPy takes one pass": (
        "np.add.reduceat(x, np.arange(0, x.size, 7))",
    ),
    "the slope divides twice by a length, which takes longer to compute than the angle": (
        "np.atan2(x, y)", "np.arctan2(x, y)",
    ),
    "the slope is polygamma, which takes ten times as long as its integral": (
        "special.digamma(x)", "special.psi(x)",
    ),
    "a Hankel function is recorded as two Bessel functions, each with a slope of two more": (
        "special.hankel1(2, x)", "special.hankel2(2, x)",
    ),
    "SciPy takes thirty times as long for a Struve function, which is the slope, as for its integral": (
        "special.itstruve0(x)", "special.it2struve0(x)", "special.itmodstruve0(x)",
    ),
    "windows are written out and multiplied by the weights, where SciPy's loop in C reads an image once": (
        "images.uniform_filter1d(x, 5)", "images.maximum_filter1d(x, 5)", "images.minimum_filter1d(x, 5)",
        "images.gaussian_filter1d(x, 1.5)", "images.gaussian_filter(x, 1.5)", "images.gaussian_laplace(x, 1.5)",
        "images.gaussian_gradient_magnitude(x, 1.5)", "images.maximum_filter(x, 5)", "images.median_filter(x, 5)",
        "images.rotate(x, 31.0, reshape=False, order=1)",
        "images.affine_transform(x, np.array([[0.9, 0.1], [-0.2, 0.8]]), order=1)",
    ),
    "the coefficients of a spline are a product with a matrix, where SciPy filters each line": (
        "images.spline_filter(x)", "images.shift(x, 1.5)", "images.zoom(x, 1.5)",
    ),
    "the differences of all pairs are written out, which SciPy's loop in C never holds": (
        "distance.cdist(x[:, :4], y[:, :4])", "distance.pdist(x[:, :4])",
        "distance.squareform(distance.pdist(x[:, :4]))",
    ),
    "the coefficients of each interval are read at places": ("interpolate.CubicSpline(at[::9][:9], few)(x)",),
    "the gradient of a factor takes several products and systems of its size": (
        "la.cholesky(positive(x))", "np.linalg.cholesky(positive(x))", "la.cho_factor(positive(x))[0]",
        "la.lu_factor(x)[0]", "la.lu(x)[2]", "la.det(x)",
        "la.lu_solve(la.lu_factor(x), x[:, 0])", "la.cho_solve((la.cholesky(positive(x)), False), x[:, 0])",
        "la.solve_triangular(x, x[:, 0])",
    ),
    "the system of the gradient is solved by factors, where the method takes a few products with the matrix": tuple(
        f"iterative.{name}(positive(x), x[0], rtol=1e-12)[0]"
        for name in ["bicg", "bicgstab", "cg", "cgs", "gmres", "gcrotmk", "lgmres", "minres", "qmr", "tfqmr"]
    ),
    "the system is solved by the full matrix, where SciPy uses a recurrence": (
        "la.solve_toeplitz(x[0] + 30.0 * np.eye(len(x))[0], x[1])",
    ),
    "a sum of products reads its operands once, and the gradient writes two of their size": (
        "np.linalg.vecdot(x, x)", "np.linalg.tensordot(x, x)", "np.tensordot(x, x, axes=x.ndim)",
    ),
    "SciPy's Python code is recorded step by step": (
        "signal.filtfilt(few, [1.0, 0.4], x)", "signal.decimate(x, 2)", "signal.savgol_filter(x, 5, 2)",
        "signal.sosfiltfilt([[0.2, 0.3, 0.1, 1.0, 0.4, 0.1]], x)", "signal.periodogram(x)[1]",
        "distance.chebyshev(x, y)",
    ),
}  # fmt: skip
EXCEPTIONS = {text: reason for reason, texts in _REASONS.items() for text in texts}
"""The programs whose gradient may be out of proportion, with the reason."""

LEFT_OUT = {
    "writes into its argument": "copyto fill_diagonal place put put_along_axis putmask",
    "a variant of one that is swept": """apply_over_axes as_strided coshm histogram2d histogramdd ix_ logn mahalanobis
        nbinom sinhm solve_lyapunov sort_complex tanhm tanm uniform unique_all unique_counts unique_inverse bisplev
        splev splint BPoly BSpline InterpolatedUnivariateSpline LSQUnivariateSpline PPoly RectBivariateSpline
        SmoothBivariateSpline UnivariateSpline cho_solve_banded cholesky_banded eig_banded eigh_tridiagonal
        eigvals_banded eigvalsh_tridiagonal solveh_banded""",
    "takes a function, whose calls are the cost": """fixed_quad geometric_transform solve_ivp basinhopping brute direct
        differential_evolution dual_annealing shgo""",
    "has no size but that of a few parameters": "dirichlet lagrange matrix_normal romb wishart",
    "solves a system of as many unknowns as there are pairs": "solve_discrete_lyapunov",
    "depends on shapes alone": "einsum_path histogram_bin_edges",
}
"""The functions that are not swept, by the reason."""
