"""What serves NumPy's functions: their registry, how their arguments are read, and how the rest is refused."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from importlib import import_module
from threading import RLock
from typing import Any

import numpy as np

from gradcli import devices
from gradcli.errors import UnsupportedError
from gradcli.rules.library_values import with_value_of
from gradcli.rules.shape import CAST, numpy_type


class Served(dict[str, Callable[..., Any]]):
    """What is served, by name; the families are imported when a name is asked for that is not there yet.

    Those that most programs use come first, the others where the name is not among them.
    """

    def __init__(self) -> None:
        super().__init__()
        self._waiting = ["common_function_families", "function_families"]
        self._lock = RLock()  # another thread waits until what it asks for has come

    def __missing__(self, name: str) -> Callable[..., Any]:
        if name in self:
            return self[name]
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        if super().__contains__(name):
            return True
        with self._lock:
            while self._waiting and not super().__contains__(name):
                self._import_next()
        return super().__contains__(name)

    def _import_next(self) -> None:
        import_module(f"gradcli.rules.{self._waiting.pop(0)}")

    def complete(self) -> None:
        """Import every family."""
        with self._lock:
            while self._waiting:
                self._import_next()

    def get(self, name: str, default: Any = None) -> Any:
        """The function of this name, or `default`."""
        try:
            return self[name]
        except KeyError:
            return default

    def __iter__(self) -> Iterator[str]:
        self.complete()
        return super().__iter__()

    def items(self) -> Any:
        """All of them."""
        self.complete()
        return super().items()


FUNCTIONS = Served()
SEQUENCES: dict[str, tuple[str, ...] | None] = {}  # the arguments that are lists of arrays; None for nested lists


# SciPy's functions and classes in Python that are known to run on recorded values as they are, by module.
FOLLOWED = {
    "scipy.integrate": (
        "cumulative_simpson", "cumulative_trapezoid", "fixed_quad", "romb", "simpson", "solve_ivp", "trapezoid",
    ),
    "scipy.interpolate": (
        "Akima1DInterpolator", "BPoly", "BSpline", "BarycentricInterpolator", "CubicHermiteSpline", "CubicSpline",
        "KroghInterpolator", "PPoly", "PchipInterpolator", "RegularGridInterpolator", "interp1d", "lagrange",
        "make_interp_spline",
    ),
    "scipy.ndimage": (
        "affine_transform", "convolve", "convolve1d", "correlate", "correlate1d", "gaussian_filter",
        "gaussian_filter1d", "geometric_transform", "laplace", "map_coordinates", "maximum_filter1d",
        "minimum_filter1d", "prewitt", "rotate", "shift", "sobel", "spline_filter", "uniform_filter",
        "uniform_filter1d", "zoom",
    ),
    "scipy.optimize": ("newton", "rosen", "rosen_der"),
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

# Inner modules of SciPy's, most of them in C, of which names are served for the code in Python that calls them.
INNER = (
    "scipy._lib.array_api_compat.numpy.linalg",
    "scipy.interpolate._dierckx", "scipy.interpolate._interpnd", "scipy.interpolate._ppoly",
    "scipy.interpolate._rgi_cython", "scipy.linalg.lapack",
    "scipy.ndimage._nd_image", "scipy.ndimage._rank_filter_1d", "scipy.signal._sigtools", "scipy.signal._sosfilt",
    "scipy.special._ufuncs",
    "scipy.stats._multivariate",
)  # fmt: skip


# Solvers of SciPy's for which there are others that call them on plain numbers, and let what they find follow.
SOLVERS = frozenset(
    {"scipy.integrate.quad"}
    | {
        f"scipy.optimize.{name}"
        for name in (
            "bisect", "brenth", "brentq", "fsolve", "least_squares", "minimize", "ridder", "root", "root_scalar",
            "toms748",
        )
    }
)  # fmt: skip


# All modules of SciPy's of which some functions are served.
SCIPYS = ("scipy", "scipy.fft", "scipy.linalg", "scipy.spatial", "scipy.spatial.distance", "scipy.special", *INNER)


def serves(
    *names: str, sequences: tuple[str, ...] | None = (), other_steps: bool = False
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Make the decorated function what NumPy's functions of these names do on recorded values.

    A list that holds recorded values comes as one recorded array, for a parameter among `sequences` each of its items
    does so, and without `sequences` (None) lists come as they are.  An `out=` of NumPy's never comes: the result is
    written there afterwards.

    With `other_steps` it computes in other steps than the library does, whose value is then taken: the two may differ
    in the last digits.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            FUNCTIONS[name] = with_value_of(name, function) if other_steps else function
            SEQUENCES[name] = sequences
        return function

    return decorate


# What to write where another name does the same, or the same for the case that is meant most often.
INSTEAD = {
    "numpy.frompyfunc": "numpy.vectorize",
    "scipy.fft.fht": "scipy.fft.fft",
    "scipy.integrate.odeint": "scipy.integrate.solve_ivp",
    "scipy.interpolate.interp1d": "scipy.interpolate.CubicSpline",
    "scipy.interpolate.RBFInterpolator": "numpy.linalg.solve",
    "scipy.interpolate.UnivariateSpline": "scipy.interpolate.CubicSpline",
    "scipy.interpolate.InterpolatedUnivariateSpline": "scipy.interpolate.CubicSpline",
    "scipy.interpolate.griddata": "scipy.interpolate.RegularGridInterpolator",
    "scipy.optimize.curve_fit": "scipy.optimize.least_squares",
    "scipy.sparse.csr_matrix": "numpy.matmul of A.toarray()",
    "scipy.sparse.csr_array": "numpy.matmul of A.toarray()",
    "scipy.sparse.csc_matrix": "numpy.matmul of A.toarray()",
    "scipy.sparse.csc_array": "numpy.matmul of A.toarray()",
    "scipy.sparse.linalg.spsolve": "numpy.linalg.solve of A.toarray()",
    "scipy.stats.gaussian_kde": "scipy.special.logsumexp",
    "numpy.asmatrix": "numpy.asarray",
    **dict.fromkeys(
        [f"numpy.ma.{name}" for name in ("MaskedArray", "array", "masked_array", "core.fix_invalid")]
        + [f"numpy.ma.core.masked_{how}" for how in ("equal", "greater", "inside", "invalid", "less", "where")],
        "numpy.where, with numpy.nansum or `where=`,",
    ),
    "numpy.rec.fromarrays": "a dict of arrays",
}


def unsupported(what: str) -> UnsupportedError:
    """The refusal of an operation, or of an option of it, that has no rule, with the nearest supported spelling."""
    if what.startswith("scipy.") and what in FUNCTIONS:
        module, _, name = what.rpartition(".")
        return UnsupportedError(
            f"{what} has a derivative rule, but is called by a name that is looked up while the program runs",
            hint=f"Write `from {module} import {name}` at the top of the file.",
        )
    near = nearest(what)
    hint = f"The nearest supported spelling is {near}. " if near else "`gradcli help operations` lists what has one. "
    rest = "`gradcli.rule` adds an elementwise one; `gradcli help G404` says more."
    return UnsupportedError(f"{what} has no derivative rule", hint=hint + rest)


def on_host_alone(what: str) -> UnsupportedError:
    """The refusal of what the library of a device cannot do, nor its functions together."""
    return UnsupportedError(
        f"{what} on a device has no derivative rule",
        hint="It runs on the host: copy the array there with x.get() before gradcli is asked, or use device='cpu'.",
    )


def nearest(what: str) -> str | None:
    """The supported name that means the same, has the same last part, or is all but spelt the same."""
    import difflib

    if what in INSTEAD:
        return INSTEAD[what]
    if what.endswith(" (numpy.frompyfunc)"):
        return INSTEAD["numpy.frompyfunc"]
    public = (name for name in FUNCTIONS if name.rpartition(".")[0] not in INNER)
    known = [name if name.startswith("scipy.") else f"numpy.{name}" for name in (*public, "sin", "exp", "log", "sqrt")]
    last = what.rpartition(".")[2]
    by_last = {name.rpartition(".")[2]: name for name in reversed(known) if name != what}
    near = difflib.get_close_matches(last, by_last, n=1, cutoff=0.8)
    return by_last[near[0]] if near else None


def refuse(function: str, **options: Any) -> None:
    """Refuse options that would change the meaning and have no rule."""
    for option, value in options.items():
        default = value is None or value is np._NoValue or (option == "where" and value is True)
        if not default:
            full = function if function.startswith("scipy.") else f"numpy.{function}"
            raise unsupported(f"{full} with {option}=")


def numeric(x: Any, dtype: Any = None) -> Any:
    """An argument as NumPy would compute with it: a plain list as an array, a recorded Python number as a NumPy one."""
    if dtype is None:
        kind = type(x)
        if hasattr(kind, "apply_rule") and hasattr(kind, "dtype"):  # a recorded array; to ask it is a call
            return x
        if hasattr(x, "dtype"):
            return devices.held(x)
    if isinstance(x, (list, tuple)):
        x = devices.placed(np.asarray(x))
    if dtype is None:
        return CAST(x, dtype=numpy_type(x)) if hasattr(x, "apply_rule") and not hasattr(x, "dtype") else x
    dtype = np.dtype(dtype)
    if dtype.kind not in "fc":
        raise unsupported(f"a NumPy function with dtype={dtype.name}")
    return x if getattr(x, "dtype", None) == dtype else CAST(x, dtype=dtype)


def alike(items: Iterable[Any]) -> list[Any]:
    """The items in the one type that NumPy finds for all: beside arrays a Python number, recorded or not, has none."""
    items = list(items)
    plain = [x if isinstance(bare(x), (float, int, complex)) else numeric(x) for x in items]
    dtype = np.result_type(*(getattr(x, "dtype", bare(x)) for x in plain)) if plain else np.dtype(float)
    return [numeric(x, dtype if dtype.kind in "fc" else None) for x in plain]


def bare(x: Any) -> Any:
    """The plain value of `x`, recorded or not, for what asks for nothing but shape, type and order of its numbers."""
    return getattr(x, "_value", x)


def plainly(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function gives of the plain numbers of its arguments: it carries no derivative, and decides something.

    A replay computes it again; what more than recorded operations take of it is a guard.
    """
    for argument in arguments:
        if hasattr(type(argument), "apply_plainly"):
            return argument.apply_plainly(function, arguments)
    return function(*arguments)


def decides(*arguments: Any) -> None:
    """Note that the numbers of the arguments decide what is recorded: a replay has to find them as they are."""
    for argument in arguments:
        if hasattr(type(argument), "decides"):
            argument.decides()


def given(option: Any) -> bool:
    """Whether an option was given a value."""
    return option is not None and option is not np._NoValue


def axis_of(axis: Any, count: int) -> int:
    """An axis counted from 0.

    Raises:
        numpy.exceptions.AxisError: an array with `count` axes has no such axis.
    """
    return int(np.lib.array_utils.normalize_axis_index(operator.index(axis), count))


def axes_of(a: Any, axis: Any) -> tuple[int, ...]:
    """The axes that an option `axis=` names, counted from 0; all of them for None.

    Raises:
        numpy.exceptions.AxisError: `a` has no such axis.
    """
    count = np.ndim(a)
    return tuple(range(count)) if axis is None else np.lib.array_utils.normalize_axis_tuple(axis, count)
