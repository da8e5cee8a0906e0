"""The registry of supported NumPy functions, and helpers that read their arguments or refuse them."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules.shape import CAST, numpy_type
from gradcli.shared import devices
from gradcli.shared.lazy_tables import LazyTable

# The families that most programs use. Each is imported where those before it do not have a function.
_COMMON = (
    "reductions", "numpys_own_code", "joining_splitting", "shapes_axes", "products", "indexing", "rearranging",
    "in_place",
)  # fmt: skip
FUNCTIONS: LazyTable[Callable[..., Any]] = LazyTable(
    *(f"gradcli.mathematics.rules.numpy.{family}" for family in _COMMON), "gradcli.mathematics.rules.all_rule_imports"
)
"""The implementations by name."""
# The arguments that are lists of arrays, by function; None for nested lists.
SEQUENCES: dict[str, tuple[str, ...] | None] = {}


# SciPy's functions and classes, written in Python, that are known to run on recorded values unchanged, by module.
FOLLOWED = {
    "scipy.integrate": (
        "cumulative_simpson", "cumulative_trapezoid", "fixed_quad", "romb", "simpson", "solve_ivp", "trapezoid",
    ),
    "scipy.interpolate": (
        "Akima1DInterpolator", "BPoly", "BSpline", "BarycentricInterpolator", "CubicHermiteSpline", "CubicSpline",
        "InterpolatedUnivariateSpline", "KroghInterpolator", "LSQUnivariateSpline", "PPoly", "PchipInterpolator",
        "RectBivariateSpline", "RegularGridInterpolator", "SmoothBivariateSpline", "UnivariateSpline", "bisplev",
        "interp1d", "lagrange", "make_interp_spline", "splev", "splint",
    ),
    "scipy.ndimage": (
        "affine_transform", "convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter",
        "gaussian_filter1d", "gaussian_gradient_magnitude", "gaussian_laplace", "geometric_transform", "laplace",
        "map_coordinates", "maximum_filter1d",
        "minimum_filter1d", "prewitt", "rotate", "shift", "sobel", "spline_filter", "uniform_filter",
        "uniform_filter1d", "zoom",
    ),
    "scipy.optimize": ("rosen", "rosen_der"),
    "scipy.signal": (
        "convolve", "convolve2d", "correlate", "correlate2d", "decimate", "detrend", "fftconvolve", "filtfilt",
        "hilbert", "lfilter", "oaconvolve", "periodogram", "resample", "savgol_filter", "sosfilt", "sosfiltfilt",
        "welch",
    ),
    "scipy.spatial.distance": (
        "braycurtis", "canberra", "chebyshev", "cityblock", "correlation", "cosine", "euclidean", "mahalanobis",
        "minkowski", "sqeuclidean",
    ),
    "scipy.stats": (
        "beta", "binom", "cauchy", "chi2", "dirichlet", "entropy", "expon", "gamma", "gmean", "hmean", "invgamma",
        "kurtosis", "laplace", "linregress", "logistic", "lognorm", "matrix_normal", "moment", "multivariate_normal",
        "multivariate_t", "nbinom", "norm", "pareto", "poisson", "sem", "skew", "t", "trim_mean", "uniform",
        "weibull_min", "wishart", "zscore",
    ),
}  # fmt: skip

# Internal modules of SciPy, most of them in C, with supported functions for the Python code that calls them.
INNER = (
    "scipy._external.array_api_compat.numpy.linalg", "scipy._lib.array_api_compat.numpy.linalg",
    "scipy.integrate._ivp.common",
    "scipy.interpolate._dfitpack", "scipy.interpolate._dierckx", "scipy.interpolate._fitpack",
    "scipy.interpolate._interpnd", "scipy.interpolate._ppoly", "scipy.interpolate._rgi_cython", "scipy.linalg.lapack",
    "scipy.ndimage._nd_image", "scipy.ndimage._rank_filter_1d", "scipy.signal._sigtools", "scipy.signal._sosfilt",
    "scipy.special._ufuncs",
    "scipy.stats._multivariate",
)  # fmt: skip


# SciPy's modules with adaptive or iterative solvers, and the package of one.
ITERATIVE_MODULES = (
    "scipy.integrate",
    "scipy.optimize",
    "scipy.optimize.elementwise",
    "scipy.sparse",
    "scipy.sparse.linalg",
)

# SciPy's modules that pass arrays to compiled code that does not check their type: a recorded one ends the process.
UNCHECKED_MODULES = ("scipy.integrate._ode", "scipy.optimize._direct_py")


# SciPy's solvers with replacements, which run them on plain numbers and differentiate their solutions.
SOLVERS = frozenset(
    {"scipy.integrate.quad"}
    | {
        f"scipy.optimize.{name}"
        for name in (
            "anderson", "basinhopping", "bisect", "brent", "brenth", "brentq", "broyden1", "broyden2", "brute",
            "diagbroyden", "differential_evolution", "direct", "dual_annealing", "excitingmixing", "fixed_point",
            "fmin", "fmin_bfgs", "fmin_cg", "fmin_ncg", "fmin_powell", "fminbound", "fsolve", "golden",
            "least_squares", "linearmixing", "minimize", "minimize_scalar", "newton", "newton_krylov", "ridder", "root",
            "root_scalar", "shgo", "toms748",
        )
    }
    | {
        f"scipy.sparse.linalg.{name}"
        for name in (
            "bicg", "bicgstab", "cg", "cgs", "gcrotmk", "gmres", "lgmres", "minres", "qmr", "tfqmr",
        )
    }
)  # fmt: skip

# Iterative functions without a rule, written in Python: what their code computes must not be recorded, as comparisons
# choose its iterations.
UNFOLLOWED = frozenset({
    "scipy.optimize.bracket", "scipy.optimize.line_search",
    "scipy.optimize.elementwise.bracket_minimum", "scipy.optimize.elementwise.bracket_root",
    "scipy.optimize.elementwise.find_minimum", "scipy.optimize.elementwise.find_root",
    "scipy.sparse.linalg.lobpcg", "scipy.sparse.linalg.lsmr", "scipy.sparse.linalg.lsqr",
    "scipy.sparse.linalg.spsolve",
})  # fmt: skip


# All modules of SciPy with supported functions.
SCIPYS = ("scipy", "scipy.fft", "scipy.linalg", "scipy.spatial", "scipy.spatial.distance", "scipy.special", *INNER)


def serves(
    *names: str, sequences: tuple[str, ...] | None = (), other_steps: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register the decorated function as the implementation of NumPy functions on recorded values.

    A list that contains recorded values is passed as one recorded array; for a parameter among `sequences`, each of its
    items is; with `sequences=None`, lists are passed unchanged. `out=` is never passed: the result is written there
    afterwards. With `other_steps`, the steps differ from the library's, whose value is then used, as the two may differ
    in the last digits. A function of SciPy's in C then needs an array for its result: where the decorated function has
    a parameter `out`, whether it reads it or not, one is handed over at its place.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            FUNCTIONS[name] = function
            SEQUENCES[name] = sequences
        if other_steps:
            from gradcli.mathematics.rules.library_values import with_value_of

            FUNCTIONS.update({name: with_value_of(name, function) for name in names})
        return function

    return decorate


# Supported alternatives: another name for the same, or the nearest equivalent of the most common use.
INSTEAD = {
    "numpy.require": "numpy.ascontiguousarray",
    "numpy.nditer": "numpy.ndindex(x.shape), with x[place]",
    "numpy.frompyfunc": "numpy.vectorize",
    "scipy.fft.fht": "scipy.fft.fft",
    "scipy.integrate.LSODA": 'scipy.integrate.solve_ivp with method="BDF"',
    "scipy.integrate.Radau": 'scipy.integrate.solve_ivp with method="BDF"',
    "scipy.integrate.ode": "scipy.integrate.solve_ivp",
    "scipy.integrate.odeint": "scipy.integrate.solve_ivp",
    "scipy.interpolate.interp1d": "scipy.interpolate.CubicSpline",
    "scipy.interpolate.RBFInterpolator": "numpy.linalg.solve",
    "scipy.interpolate.UnivariateSpline": "scipy.interpolate.CubicSpline",
    "scipy.interpolate.InterpolatedUnivariateSpline": "scipy.interpolate.CubicSpline",
    "scipy.interpolate.RegularGridInterpolator": "RegularGridInterpolator with method='linear', 'nearest' or 'pchip'",
    "scipy.interpolate.griddata": "scipy.interpolate.RegularGridInterpolator",
    "scipy.linalg.lapack.gesv": "scipy.linalg.solve",
    "scipy.linalg.lapack.getrf": "scipy.linalg.lu_factor",
    "scipy.linalg.lapack.potrf": "scipy.linalg.cholesky",
    "scipy.linalg.lapack.potri": "numpy.linalg.inv",
    "scipy.linalg.lapack.potrs": "scipy.linalg.cho_solve",
    "scipy.linalg.lapack.trtrs": "scipy.linalg.solve_triangular",
    "scipy.optimize.curve_fit": "scipy.optimize.least_squares",
    "scipy.optimize.leastsq": "scipy.optimize.least_squares",
    "scipy.sparse.csr_matrix": "numpy.matmul of A.toarray()",
    "scipy.sparse.csr_array": "numpy.matmul of A.toarray()",
    "scipy.sparse.csc_matrix": "numpy.matmul of A.toarray()",
    "scipy.sparse.csc_array": "numpy.matmul of A.toarray()",
    "scipy.sparse.linalg.spsolve": "numpy.linalg.solve of A.toarray()",
    "scipy.sparse.linalg.lsqr": "numpy.linalg.lstsq of A.toarray()",
    "scipy.sparse.linalg.lsmr": "numpy.linalg.lstsq of A.toarray()",
    "scipy.sparse.linalg.lobpcg": "numpy.linalg.eigh of A.toarray()",
    "scipy.optimize.line_search": "scipy.optimize.minimize_scalar",
    "scipy.optimize.bracket": "scipy.optimize.minimize_scalar",
    "scipy.optimize.elementwise.find_minimum": "scipy.optimize.minimize_scalar",
    "scipy.optimize.elementwise.find_root": "scipy.optimize.newton",
    "scipy.stats.gaussian_kde": "scipy.special.logsumexp",
    "numpy.asmatrix": "numpy.asarray",
    "numpy.matrix": "numpy.array, with @ for products of matrices",
    **dict.fromkeys(
        [f"numpy.ma.{name}" for name in ("MaskedArray", "array", "masked_array", "core.array", "core.fix_invalid")]
        + [f"numpy.ma.core.masked_{how}" for how in ("equal", "greater", "inside", "invalid", "less", "where")],
        "numpy.where with numpy.nansum, or `where=` of a reduction",
    ),
    "numpy.rec.fromarrays": "a dict of arrays",
}


def unsupported(what: str) -> UnsupportedError:
    """The error for an operation or option without rule, with the nearest supported spelling."""
    if what.startswith("scipy.") and what in FUNCTIONS:
        module, _, name = what.rpartition(".")
        return UnsupportedError(
            f"{what} has a derivative rule, but its name is looked up while the program runs",
            hint=f"Write `from {module} import {name}` at the top of the file.",
        )
    if near := nearest(what):
        hint = f"The nearest supported spelling is {near}."
    else:
        hint = "`gradcli help operations` lists the supported ones. `gradcli.rule` adds an elementwise one."
    module, _, name = what.rpartition(".")
    arguments = " for these arguments" if name in FOLLOWED.get(module, ()) else ""
    return UnsupportedError(f"{what} has no derivative rule{arguments}", hint=f"{hint} `gradcli help G404` says more.")


def unconverged(what: str) -> UnsupportedError:
    """The error for a solver whose result is no solution."""
    hint = "Give it a better start, more iterations or a wider tolerance."
    return UnsupportedError(f"{what} did not converge, so its result has no derivative", hint=hint)


def on_host_alone(what: str) -> UnsupportedError:
    """The error for an operation that a device's library does not support."""
    return UnsupportedError(
        f"{what} on a device has no derivative rule",
        hint="It is supported on the host: pass x.get(), or use device='cpu'.",
    )


def nearest(what: str) -> str | None:
    """The supported name with the same meaning, the same last part, or a similar spelling.

    For names of libraries other than NumPy and SciPy, a similar spelling says nothing.
    """
    from gradcli.shared.message_wording import nearest_name

    if what in INSTEAD:
        return INSTEAD[what]
    if what.endswith(" (numpy.frompyfunc)"):
        return INSTEAD["numpy.frompyfunc"]
    public = (name for name in FUNCTIONS if name.rpartition(".")[0] not in INNER)
    known = [name if name.startswith("scipy.") else f"numpy.{name}" for name in (*public, "sin", "exp", "log", "sqrt")]
    last = what.rpartition(".")[2]
    alike = 0.8 if what.startswith(("numpy.", "scipy.")) else 1.0
    by_last = {name.rpartition(".")[2]: name for name in reversed(known) if name != what}
    near = nearest_name(last, by_last, alike)
    return by_last[near] if near else None


def refuse_options(function: str, **options: Any) -> None:
    """Refuse options that would change the meaning and have no rule."""
    for option, value in options.items():
        default = value is None or value is np._NoValue or (option == "where" and value is True)
        if not default:
            full = function if function.startswith("scipy.") else f"numpy.{function}"
            raise unsupported(f"{full} with {option}=")


def numeric(x: Any, dtype: Any = None) -> Any:
    """An argument as NumPy would use it: a list as an array, a recorded Python number as a NumPy number."""
    if dtype is None:
        kind = type(x)
        # A recorded array; reading its dtype would be a function call.
        if hasattr(kind, "apply_rule") and hasattr(kind, "dtype"):
            return x
        if hasattr(x, "dtype"):
            return devices.wrapped_array(x)
    if isinstance(x, (list, tuple)):
        x = devices.on_chosen_device(np.asarray(x))
    if dtype is None:
        return CAST(x, dtype=numpy_type(x)) if hasattr(x, "apply_rule") and not hasattr(x, "dtype") else x
    dtype = np.dtype(dtype)
    if dtype.kind not in "fc":
        raise unsupported(f"a NumPy function with dtype={dtype.name}")
    return x if hasattr(x, "dtype") and x.dtype == dtype else CAST(x, dtype=dtype)


def is_python_number(x: Any) -> bool:
    """Whether `x` is a plain number of Python's; a recorded one passes for a float."""
    return isinstance(x, (int, float, complex)) and not hasattr(type(x), "apply_rule")


def in_common_dtype(items: Iterable[Any]) -> list[Any]:
    """The items in the dtype that NumPy finds for all of them. Beside arrays, a Python number adapts to their dtype."""
    items = list(map(devices.wrapped_array, items))
    plain = [x if isinstance(plain_value(x), (float, int, complex)) else numeric(x) for x in items]
    dtype = np.result_type(*(getattr(x, "dtype", plain_value(x)) for x in plain)) if plain else np.dtype(float)
    return [numeric(x, dtype if dtype.kind in "fc" else None) for x in plain]


def plain_value(x: Any) -> Any:
    """The plain value of `x`, recorded or not. For uses that need only shape, dtype and order of the elements."""
    return getattr(x, "_value", x)


def apply_plainly(function: Callable[..., Any], *arguments: Any) -> Any:
    """Apply a function to plain numbers. The result carries no derivative but decides something.

    A replay recomputes the result. If anything but recorded operations uses it, it becomes a guard.
    """
    for argument in arguments:
        if hasattr(type(argument), "apply_plainly"):
            return argument.apply_plainly(function, arguments)
    return function(*arguments)


def decides(*arguments: Any) -> None:
    """Add a guard: the arguments decide what is recorded, so a replay must find them unchanged."""
    for argument in arguments:
        if hasattr(type(argument), "decides"):
            argument.decides()


def is_given(option: Any) -> bool:
    """Whether an option has a value."""
    return option is not None and option is not np._NoValue


def whole_numbers(x: Any) -> tuple[int, ...]:
    """A length or a count, or several in a list or an array of any device, as Python integers.

    Raises:
        TypeError: a number is not whole.
    """
    if isinstance(x, (tuple, list)):
        return tuple(map(operator.index, x))
    held = getattr(x, "_value", x)
    if devices.on_device(held):
        x = devices.to_host(held)
    return tuple(map(operator.index, x)) if np.ndim(x) else (operator.index(x),)


def axis_of(axis: Any, count: int) -> int:
    """An axis, counted from 0.

    Raises:
        numpy.exceptions.AxisError: an array with `count` axes has no such axis.
    """
    return int(np.lib.array_utils.normalize_axis_index(operator.index(axis), count))


def axes_of(a: Any, axis: Any) -> tuple[int, ...]:
    """The axes that `axis=` refers to, counted from 0; all axes for None.

    Raises:
        numpy.exceptions.AxisError: `a` has no such axis.
    """
    count = np.ndim(a)
    return tuple(range(count)) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, count)
