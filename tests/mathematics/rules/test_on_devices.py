"""Every row of the table on the stand-in for a device; where there is a real one, the cases of all functions too."""

from contextlib import ExitStack

import numpy as np
import pytest

from gradcli import device, grad
from gradcli.errors import UnsupportedError
from gradcli.mathematics.rules import RULES, Elementwise
from gradcli.shared.devices import on_device, to_host
from tests.array_forms import FORMS, program, programs
from tests.mathematics.rules.agreement import derivatives
from tests.mathematics.rules.test_breadth import ALL, ARRAYS, SQUARES, outcome_of
from tests.mathematics.rules.test_numpy import FAMILIES
from tests.mathematics.rules.truth import MODERATE, named, points
from tests.standin.library import installed

pytestmark = pytest.mark.sampled(8)  # many like cases

ROWS = [rule for rule in RULES.values() if isinstance(rule, Elementwise)]
# The rows that CuPy cannot compute or differentiate, and the function of SciPy's that it has not.
LACKING = {name: name for name in ("dawsn", "erfi", "iv", "ive", "jv", "kn", "kv", "kve", "yv")}
LACKING |= {"fresnelc": "fresnel", "fresnels": "fresnel", "ellipk": "ellipe", "ellipkm1": "ellipe"}
LACKING |= dict.fromkeys(("airyai", "airyaip", "airybi", "airybip"), "airy")
LACKING |= {name: name for name in RULES if name.startswith(("eval_", "hyp")) and not name.startswith("hypot")}
LACKING |= {name: name for name in ("betaincc", "ellipe", "jve", "modstruve", "spence", "struve", "wrightomega", "yve")}
LACKING |= {"scipy.powm1": "powm1", "scipy.stdtr": "stdtr"}
NOT_LISTED = {f"special.{name}" for name in LACKING}
FUNCTIONS = [
    pytest.param(f, arrays, id=f"{name}-{n}")
    for family in FAMILIES
    for name, cases in family.items()
    for n, (f, *arrays) in enumerate(cases)
]


@pytest.fixture(params=["stand-in", pytest.param("CuPy", marks=pytest.mark.gpu)])
def gpu(request):
    """A context in which a device is chosen, the stand-in's or a real one's."""

    def chosen():
        stack = ExitStack()
        if request.param == "stand-in":
            stack.enter_context(installed())
        stack.enter_context(device("gpu"))
        return stack

    return chosen


def sample(rule):
    """A few points at which a row is defined and smooth, as one array for each argument."""
    found = points(rule, (*MODERATE, 0.2, 0.35, 0.6, 0.7, 0.85, 1.7, 2.5, 7.0), count=12)[:6]
    return [np.array(column) for column in zip(*found, strict=True)]


@pytest.mark.filterwarnings("ignore:G206")  # the second derivative of i1e at its kink
@pytest.mark.parametrize("rule", [rule for rule in ROWS if rule.name not in LACKING], ids=named)
def test_rows(rule, gpu):
    """Value, gradient, tangent and second derivative are those of the host."""
    columns = sample(rule)
    moving = [n for n, partial in enumerate(rule.partials) if partial is not None]

    def f(*x):
        given = dict(zip(moving, x, strict=True))
        return rule(*(given.get(n, column) for n, column in enumerate(columns)))

    try:
        wanted = derivatives(f, [columns[n] for n in moving])
    except UnsupportedError:
        pytest.skip("it has no second derivative on the host either")
    with gpu():
        found = derivatives(f, [columns[n] for n in moving])
    same(found, wanted, 1e-12)


def same(found, wanted, relative):
    """Arrays of the device hold the numbers of the host, to rounding."""
    assert all(map(on_device, found))
    for got, number in zip(map(to_host, found), wanted, strict=True):
        np.testing.assert_allclose(got, number, rtol=relative, atol=1e-13)


@pytest.mark.parametrize("name", sorted(LACKING))
def test_what_cupy_lacks(name, gpu):
    rule = RULES[name]
    with gpu(), pytest.raises(UnsupportedError, match=f"cupyx.scipy.special has no {LACKING[name]}"):
        grad(lambda x: np.sum(rule(*[1.0] * (len(rule.parameters) - 1), x)))(np.array([0.5]))


@pytest.mark.parametrize(
    ("f", "name"),
    [
        (lambda x: np.quantile(x, 0.4, weights=x, method="inverted_cdf"), "numpy.quantile with weights="),
        (lambda x: np.histogram(x, "auto")[1], "numpy.histogram with bins='auto'"),
    ],
)
def test_what_runs_on_the_host_alone(f, name):
    with installed(), device("gpu"), pytest.raises(UnsupportedError, match=f"{name} on a device") as caught:
        grad(lambda x: np.sum(f(x)))(np.array([0.5, 2.0, 1.0]))
    assert ".get()" in caught.value.hint


@pytest.mark.parametrize("text", sorted(text for text in ALL if text.partition("(")[0] not in NOT_LISTED))
def test_listed_functions(text, gpu):
    """Every listed function that CuPy has: the gradient is that of the host."""
    x, y = ARRAYS["broadcast"] if text in programs(FORMS) else (*SQUARES["square"], None)
    f = program(text)
    run = lambda: grad(lambda x: np.sum(np.sin(f(x, y))))(x)
    wanted = outcome_of(run)
    if isinstance(wanted, type):
        pytest.skip("NumPy takes no such array")
    with gpu():
        same([run()], [wanted], 1e-12)


@pytest.mark.gpu
@pytest.mark.parametrize(("f", "arrays"), FUNCTIONS)
def test_functions(f, arrays):
    """NumPy's functions on a real device: the same numbers as on the host."""
    wanted = derivatives(f, arrays)
    with device("gpu"):
        found = derivatives(f, arrays)
    same(found, wanted, 1e-10)


COUNTS = {
    "repeat": lambda x, counts: np.repeat(x, counts([2, 1]), axis=0),
    "tile": lambda x, counts: np.tile(x, counts([2, 1])),
    "reshape": lambda x, counts: np.reshape(x, counts([3, 2]))[:2],
    "resize": lambda x, counts: np.resize(x, counts([2, 5])),
    "transpose": lambda x, counts: np.transpose(x, counts([1, 0])),
    "pad": lambda x, counts: np.pad(x, counts([[1, 0], [0, 1]])) ** 2,
    "one count": lambda x, counts: np.repeat(x, counts([2])),
}


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("chosen", [True, False])
def test_counts_in_arrays(name, chosen):
    f, x = COUNTS[name], np.arange(6.0).reshape(2, 3) + 0.5
    expected = grad(lambda x: np.sum(np.sin(f(x, np.array))))(x)

    with installed() as cupy:
        kinds = [np.array] if name in ("transpose", "pad") else [np.array, cupy.asarray]
        for counts in kinds:
            with device("gpu" if chosen else "cpu"):
                point = x if chosen else cupy.asarray(x)
                found = grad(lambda x, counts=counts: np.sum(np.cos(f(x, counts) - np.pi / 2)))(point)
            np.testing.assert_allclose(found.get(), expected, rtol=1e-12)
