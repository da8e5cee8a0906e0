"""Every public function of NumPy's and of SciPy's special ones: right, plain, or refused by its full name."""

import re
import warnings
from copy import deepcopy

import numpy as np
import pytest
from scipy import special

from gradcli import grad
from gradcli.errors import GradcliError

pytestmark = pytest.mark.sampled(8)  # many like cases

LINE, OTHER = np.array([0.2713, 0.6421, 0.4387, 0.7719]), np.array([1.3137, 0.8523, 0.5671, 1.1279])
SQUARE = np.array([[1.7331, 0.3213, 0.1127], [0.5419, 2.2917, 0.4233], [0.2371, 0.6637, 3.1419]])
ROW = np.array([0.9127, 0.3771, 0.6419])
POINTS = [(LINE,), (LINE, OTHER), (SQUARE,), (SQUARE, ROW), (2, LINE), (LINE, 2), (LINE, OTHER, LINE / 2),
          ([LINE, OTHER],), (LINE > 0.5, LINE), (1, 2, LINE), (0.3,)]  # fmt: skip
LIBRARIES = {"numpy": np, "numpy.linalg": np.linalg, "numpy.fft": np.fft, "numpy.emath": np.emath}
LIBRARIES["scipy.special"] = special
# What reads files, settings, dates or memory as it lies, is slow, or takes masks as if they were numbers.
APART = """test info show_config show_runtime savez savez_compressed save savetxt load loadtxt genfromtxt fromfile
    get_include seterr geterr seterrcall geterrcall setbufsize getbufsize set_printoptions get_printoptions
    printoptions memmap from_dlpack frombuffer fromstring fromregex busday_count busday_offset is_busday empty
    empty_like einsum_path bmat mintypecode ellip_harm ellip_harm_2 ellip_normal
    histogram2d""".split()
FUNCTIONS = [
    f"{library}.{name}"
    for library, module in LIBRARIES.items()
    for name in sorted(dir(module))
    if not name.startswith("_") and name not in APART and callable(getattr(module, name))
    if not isinstance(getattr(module, name), type)
]
STEP = 1e-4
NAMED = re.compile(r"(numpy|scipy)\.[\w.]+ |one real number|is converted to a plain number|not determine")


def program(name):
    """A function of the user's that calls it."""
    library, _, last = name.rpartition(".")
    return eval(f"lambda *x: library.{last}(*x)", {"library": LIBRARIES[library], "__name__": __name__})


def total(result):
    """All floats of a result, weighted differently, as one number."""
    parts = result if isinstance(result, (tuple, list)) else [result]
    found = 0.0
    for n, part in enumerate(parts):
        if getattr(getattr(part, "dtype", None), "kind", "O") in "fc":
            weight = np.cos(np.arange(np.size(part)) * 1.3 + n).reshape(np.shape(part))
            found = found + np.sum(weight * (np.real(part) + 0.7 * np.imag(part)))
    return found


def taken(name):
    """The first points that the function takes, and the place of the argument that moves."""
    most = getattr(getattr(LIBRARIES[name.rpartition(".")[0]], name.rpartition(".")[2]), "nin", 9)
    for point in POINTS:
        if len(point) <= most:
            try:
                plain = total(program(name)(*deepcopy(point)))  # some write into their arguments
            except Exception:  # NumPy's own refusal
                continue
            if np.isfinite(plain):
                place = next(
                    n for n, x in enumerate(point) if np.result_type(*x if isinstance(x, list) else (x,)).kind == "f"
                )
                yield point, place


@pytest.mark.sampled(240)
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.filterwarnings("ignore")
def test_functions(name):
    """Against central differences along a direction, unless it is refused."""
    f = program(name)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for point, place in list(taken(name))[:3]:
            g = lambda x, p=point, n=place: total(f(*deepcopy(p[:n]), copied(x), *deepcopy(p[n + 1 :])))
            hold(g, point[place], refused := [])
            assert all(error.hint and NAMED.search(error.message) for error in refused), refused


def copied(x):
    return [part * 1.0 for part in x] if isinstance(x, list) else x * 1.0


def hold(g, x, refusals):
    """The gradient is that of differences, or there is one more refusal."""
    try:
        found = grad(g)(x)
    except GradcliError as error:
        refusals.append(error)
        return
    parts = zip(found, x, strict=True) if isinstance(x, list) else [(found, x)]
    slope = sum(float(np.sum(part * np.cos(np.arange(np.size(at))).reshape(np.shape(at)))) for part, at in parts)
    assert slope == pytest.approx(difference(g, x), rel=1e-5, abs=1e-7)


def difference(g, x):
    """The central difference of fourth order."""

    def at(t):
        if isinstance(x, list):
            return g([part + t * np.cos(np.arange(part.size)) for part in x])
        return g(x + t * np.cos(np.arange(np.size(x))).reshape(np.shape(x)))

    return float(8 * (at(STEP) - at(-STEP)) - (at(2 * STEP) - at(-2 * STEP))) / (12 * STEP)
