"""Every code of the catalogue: a program that shows it, and a program beside it that does not."""

import functools
import gc
import itertools
import math
import os
import random
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import gradcli
from gradcli import queries
from gradcli.answers import custom_elementwise_rules
from gradcli.answers.targets.functions import function_target
from gradcli.errors import GradcliError
from gradcli.methods.adapters.adapted_object import AdaptedObject, BroughtDerivative, of_plain_numbers, with_parameters
from gradcli.queries.bound_target import Question
from gradcli.queries.tape_listing import _constants
from gradcli.shared import devices
from gradcli.shared.findings.catalogue import CATALOGUE
from gradcli.shared.records.check_request import CheckRequest
from tests.corpus.contradictions import another_value, same_value
from tests.standin import library
from tests.standin.array import wrapped
from tests.standin.library import installed

pytestmark = pytest.mark.sampled(16)  # many like cases

LARGE = np.ones(20_000)
BUFFER = np.zeros(2)
TABLE = {1.0: 2.0}
TENTHS = np.full((300_000, 2), 0.1, np.float32)
COUNT = 0


def grad(target, at):
    """What `gradcli grad` tells."""
    return lambda: [each.code for each in queries.gradient(target, at).findings]


def hessian(target, at):
    """What `gradcli hessian` tells."""
    return lambda: [each.code for each in queries.hessian(target, at).findings]


def queried(f, at):
    """What `gradcli grad` tells of a function."""
    return lambda: [each.code for each in queries.gradient(function_target("f", "f", f), at).findings]


def function_of_another_library():
    """An object as an adapter makes it, whose library computes it."""
    value = with_parameters(of_plain_numbers("another library", lambda x: x * x), ["x"])
    return AdaptedObject(value, {"gradient": BroughtDerivative("slope", lambda x: 2 * x)}, note="it is an object")


def rebuilt(a):
    """The sum of the elements of a symmetric matrix."""
    w, v = np.linalg.eigh((a + a.T) / 2)
    return np.sum((v * w) @ v.T)


def first_of_vectors(a):
    """An element that depends on the choice of the vectors."""
    return np.linalg.eigh((a + a.T) / 2)[1][0, 0] ** 2


def check(target, at, **options):
    """What `gradcli check` tells of a typed target."""
    return lambda: [each.code for each in queries.check(target, at, CheckRequest(**options)).findings]


def checked(f, at, **options):
    """What `gradcli.check` tells of a function."""
    return lambda: [each.code for each in gradcli.check(f, at=at, **options).findings]


def symbolic(target):
    """What `gradcli symbolic` tells."""
    return lambda: [each.code for each in queries.symbolic(target).findings]


def listing(f):
    """What `gradcli tape` tells of a function of one number."""
    target = function_target("f", "f", f)
    question = Question(target.with_inputs(["x"]), {"x": 2.0}, ("x",), devices.device("cpu"))
    return lambda: [each.code for each in _constants(question)]


def raising(call):
    """The code of the error that a call raises; none where it raises none."""

    def codes():
        try:
            call()
        except GradcliError as error:
            return [error.code]
        return []

    return codes


def overwrites(x):
    """A large array is read, then written into."""
    data = LARGE.copy()
    y = np.sum(x * data)
    data[0] = 0.0
    return y


def counts(x):
    """Another value at each call."""
    global COUNT
    COUNT += 1
    return x * COUNT


def logs(x):
    """A side effect outside of the process."""
    Path(os.devnull).write_text("called", encoding="utf-8")
    return x * x


def prints(x):
    """Output."""
    print(x)
    return x * x


def sleeps(x):
    """Slow."""
    time.sleep(0.06)
    return x * x


def endless(x):
    """Never ends."""
    while True:
        pass


def doubles(x):
    """In place."""
    x *= 2
    return np.sum(x)


def buffered(x):
    """One array for all results."""
    BUFFER[:] = 2 * x
    return BUFFER


def newton(a):
    """Stopped early."""
    y = 1.0
    while abs(y * y - a) > 1e-3:
        y = 0.5 * (y + a / y)
    return y


def meets(x):
    """Two pieces of one slope."""
    return x * x if x < 1 else 2 * x - 1


def unfollowed(function, x):
    """A function of the bare number, which a recorded one is not."""
    return function(np.random.default_rng(1).normal(x, 0.0))


def scatters(x):
    """Noise from the digits of the number."""
    return unfollowed(math.exp, x) + 1e-9 * (hash(x) % 7)


def meets_the_host(x):
    """An array of the host's and one of a device."""
    return np.sum(x * PAIR)


def propagated(target, at):
    """What `gradcli propagate` tells."""
    return lambda: [each.code for each in queries.propagate(target, at, std="0.005").findings]


def precision(target, at):
    """What `gradcli precision` tells."""
    return lambda: [each.code for each in queries.precision(target, at).findings]


def warning(call):
    """The codes of what is warned of while a function is called."""

    def codes():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            call()
        return [str(each.message)[:4] for each in told]

    return codes


def with_a_rule(call):
    """A call with a rule of the user's that is right for small numbers only."""

    def codes():
        gradcli.rule("bent(x)", "where(x < 100, x, x**2)", "1")
        try:
            return call()
        finally:
            custom_elementwise_rules.forget("bent")

    return codes


def with_devices(call):
    """The code of the error that a call raises with the stand-in in the place of CuPy."""

    def codes():
        with installed():
            return raising(call)()

    return codes


def forwards(x):
    """The order in which NumPy adds."""
    return np.sum(x)


def backwards(x):
    """One number after the other, from the last."""
    return np.add.accumulate(np.ravel(x)[::-1])[-1]


def either_way():
    """Now backwards, now forwards, as the threads of a device happen to be done."""
    turns = itertools.cycle((backwards, forwards, forwards, backwards, forwards))
    return lambda x: next(turns)(x)


def on_the_gpu():
    """A gradient that a sum of large and small numbers is a factor of."""
    numbers = ",".join(str(10.0 ** (n % 7) * math.sin(n)) for n in range(40))
    return queries.check("sum(x)**2", f"x=[{numbers}]", CheckRequest(device="gpu")).findings


def adding(order, call):
    """The codes of what a call tells, with a device in the place of CuPy's that adds in its own order."""

    def codes():
        before = library.call

        def changed(name, function, arguments, options):
            if name == "sum" and options.get("axis") is None:
                return wrapped(np.asarray(order(arguments[0].get())), ())
            return before(name, function, arguments, options)

        library.call = changed
        try:
            with installed():
                return [each.code for each in call()]
        finally:
            library.call = before

    return codes


def on_device(x):
    """An array on the device, by whatever drives it."""
    import cupy

    return cupy.asarray(x)


def without_cupy(call):
    """The code of the error that a call raises where CuPy is not installed."""

    def codes():
        before = sys.modules.get("cupy")
        sys.modules["cupy"] = None
        try:
            return raising(call)()
        finally:
            del sys.modules["cupy"]
            sys.modules.update({} if before is None else {"cupy": before})

    return codes


def hungry(megabytes):
    """The code of the error that a loop raises which records so much, where half a gigabyte is left."""
    resource = pytest.importorskip("resource")

    def loop(x):
        for _ in range(megabytes):
            for _ in range(16):
                x = x + np.ones(8192)
        return np.sum(x)

    def codes():
        gc.collect()
        used = 4096 * int(Path("/proc/self/statm").read_text().split()[0])
        limits = resource.getrlimit(resource.RLIMIT_AS)
        resource.setrlimit(resource.RLIMIT_AS, (used + 500_000_000, limits[1]))
        try:
            return raising(lambda: gradcli.grad(loop)(np.ones(8192)))()
        finally:
            resource.setrlimit(resource.RLIMIT_AS, limits)

    return codes


PAIR = np.arange(1.0, 5.0)
OPAQUE_SINE = gradcli.opaque(math.sin)
SQUARES = lambda x: np.sum(x**2)
TWO = lambda a, b: np.sum(a) * np.sum(b)

TRIGGERS = {
    "G101": (grad("log(x)", "-1"), grad("log(x)", "1")),
    "G102": (grad("sqrt(x)**2", "0"), grad("sqrt(x)**2", "1")),
    "G103": (grad("where(x < 1, x, sqrt(x))", "0"), grad("where(x < 1, x, sqrt(x))", "0.5")),
    "G104": (grad("sqrt(x)", "0"), grad("sqrt(x)", "1e-300")),
    "G105": (checked(np.linalg.norm, np.zeros(3)), checked(np.linalg.norm, np.ones(3))),
    "G106": (grad("x*log(x)", "0"), grad("x*log(x)", "1e-300")),
    "G107": (grad("x**y", "-2,2"), grad("x**2", "-2")),
    "G108": (grad("exp(x)", "1000"), grad("exp(x)", "700")),
    "G109": (grad("exp(x)", "-800"), grad("exp(x)", "-700")),
    "G110": (raising(grad("x*y", "1,nan")), raising(grad("x*y", "1,2"))),
    "G201": (check("abs(x)", "0"), check("abs(x)", "1")),
    "G202": (check("abs(x - 1)", "1.00001"), check("abs(x - 1)", "1.1")),
    "G203": (grad("maximum(x, y)", "1,1"), grad("maximum(x, y)", "1,2")),
    "G204": (check("x + floor(x)", "2"), check("x + floor(x)", "2.5")),
    "G205": (grad("floor(3*x)", "0.5"), grad("x + floor(3*x)", "0.5")),
    "G206": (checked(meets, 1.0), checked(meets, 2.0)),
    "G207": (checked(newton, 3.1, against=lambda a: 0.5 / math.sqrt(a)),
        checked(lambda a: newton(newton(a) ** 2), 4.0)),
    "G208": (grad("clip(x, 0, 1)", "1"), grad("clip(x, 0, 1)", "0.5")),
    "G209": (grad("sin(x)/x", "0"), grad("abs(x)/x", "0")),
    "G210": (check("minimum(abs(x), abs(y))", "0,0"), check("abs(x) + abs(y)", "0,0")),
    "G211": (checked(lambda a: scipy.optimize.brentq(lambda x: x**3 - a, 0, 3, xtol=1e-5), 2.0),
        checked(lambda a: scipy.optimize.brentq(lambda x: x**3 - a, 0, 3, xtol=1e-14), 2.0)),
    "G212": (
        checked(lambda p: scipy.integrate.odeint(lambda y, t: [1.0 if t < p else 3.0], [0.0], [0.0, 2.0])[-1, 0], 0.7),
        checked(lambda p: scipy.integrate.odeint(lambda y, t: [max(0.0, float(t < 9.0))], [0.0], [0.0, 1.0])[-1, 0] * p,
            0.7)),
    "G213": (hessian("x*abs(x)", "0"), hessian("abs(x)**2", "0")),
    "G214": (queried(rebuilt, "[[1,0],[0,1]]"), queried(rebuilt, "[[1,0],[0,2]]")),
    "G215": (queried(first_of_vectors, "[[1,0],[0,1]]"), queried(first_of_vectors, "[[1,0],[0,2]]")),
    "G301": (checked(scatters, 0.5, against=math.exp),
        checked(lambda x: unfollowed(math.exp, x), 0.5, against=math.exp)),
    "G302": (checked(lambda x: np.sum(x.astype(np.float32) ** 2), np.ones(2)),
        checked(SQUARES, np.ones(2, np.float32))),
    "G303": (check("sin(x)", "1e20"), check("sin(x)", "1e3")),
    "G304": (check("sqrt(x - 1)", "1.00001"), check("sqrt(x - 1)", "2")),
    "G305": (check("(x - 1)**2", "1"), check("(x - 1)**2", "2")),
    "G310": (checked(TWO, (PAIR[:3], PAIR[1:])), checked(TWO, (PAIR[:2], PAIR[2:]))),
    "G312": (check("sin(3*x)", "0.5", against="cos(3*x)"), check("sin(3*x)", "0.5", against="3*cos(3*x)")),
    "G313": (with_a_rule(check("bent(x)", "200")), with_a_rule(check("bent(x)", "2"))),
    "G401": (checked(lambda x, w: x * x, (1.0, 2.0)), checked(lambda x, w: x * w, (1.0, 2.0))),
    "G314": (checked(same_value, 1.5), checked(lambda x: 2 * x, 1.5)),
    "G315": (checked(another_value, 1.5), checked(lambda x: 2 * x, 1.5)),
    "G317": (check("sin(x)*y", "0.5,2", against="cos(x)*y + x, sin(x)"), check("sin(3*x)", "0.5", against="cos(3*x)")),
    "G402": (raising(lambda: gradcli.grad(lambda x: np.random.default_rng(1).normal(x))(2.0)),
        raising(lambda: gradcli.grad(lambda x: x * np.random.default_rng(1).normal())(2.0))),
    "G403": (checked(lambda x: x * gradcli.stop_gradient(x), 2.0), checked(lambda x: x * x, 2.0)),
    "G404": (raising(lambda: gradcli.grad(lambda x: np.sum(np.frompyfunc(abs, 1, 1)(x)))(np.ones(2))),
        raising(lambda: gradcli.grad(lambda x: np.sum(np.sin(x)))(np.ones(2)))),
    "G406": (raising(lambda: gradcli.grad(overwrites)(2.0)),
        raising(lambda: gradcli.grad(lambda x: np.sum(x * LARGE))(2.0))),
    "G407": (checked(doubles, PAIR), checked(SQUARES, PAIR)),
    "G408": (checked(SQUARES, np.ones(2), against=buffered), checked(SQUARES, np.ones(2), against=lambda x: 2 * x)),
    "G409": (checked(TWO, (PAIR, PAIR)), checked(TWO, (PAIR, PAIR.copy()))),
    "G411": (listing(lambda x, k=3.0: k * x), listing(lambda x: 2 * x)),
    "G413": (checked(functools.cache(lambda x: x * x), 2.0), checked(lambda x: x * x, 2.0)),
    "G412": (checked(counts, 2.0), checked(lambda x: x * 3, 2.0)),
    "G415": (raising(lambda: gradcli.grad(lambda x: None)(2.0)), raising(lambda: gradcli.grad(lambda x: x)(2.0))),
    "G416": (checked(lambda x, k=3.0: x * k, "2,4"), checked(lambda x, k=3.0: x * k, 2.0)),
    "G417": (checked(function_of_another_library(), 2.0), checked(lambda x: x * x, 2.0)),
    "G418": (checked(lambda x: OPAQUE_SINE(x) * x, 2.0), checked(lambda x: math.sin(x) * x, 2.0)),
    "G501": (warning(lambda: gradcli.grad(SQUARES)(np.array([1, 2]))), warning(lambda: gradcli.grad(SQUARES)(PAIR))),
    "G503": (grad("x // 2", "3"), grad("x / 2", "3")),
    "G504": (checked(lambda x: np.sum(x.astype(np.float32) ** 2), np.ones(2)),
        checked(SQUARES, np.ones(2, np.float32))),
    "G505": (checked(lambda x: np.sum(x * TENTHS, axis=0)[0], np.float32(1.0)),
        checked(lambda x: np.sum(x * TENTHS[:100], axis=0)[0], np.float32(1.0))),
    "G601": (check("(1 - cos(x))/x**2", "1e-8"), check("(1 - cos(x))/x**2", "1")),
    "G602": (precision("log(1 + x)", "1e-9"), precision("log(1 + x)", "1")),
    "G603": (precision("beta(x, 0.1)", "242705"), precision("beta(x, 0.1)", "2")),
    "G604": (propagated("x**2", "0.01"), propagated("x**2", "1")),
    "G701": (adding(backwards, on_the_gpu), adding(forwards, on_the_gpu)),
    "G702": (adding(either_way(), on_the_gpu), adding(backwards, on_the_gpu)),
    "G703": (with_devices(lambda: gradcli.grad(meets_the_host)(on_device(PAIR))),
        with_devices(lambda: gradcli.grad(SQUARES)(on_device(PAIR)))),
    "G704": (without_cupy(lambda: queries.gradient("x*x", "1", device="gpu")),
        without_cupy(lambda: queries.gradient("x*x", "1"))),
    "G803": (check("x * sign(x)", "0"), check("x * sign(x)", "1")),
    "G806": (symbolic("x if x > 0 else a*x"), symbolic("x*x")),
    "G901": (checked(lambda x: x * random.random(), 2.0), checked(lambda x: x * random.Random(1).random(), 2.0)),
    "G902": (checked(lambda x: x * time.perf_counter(), 2.0), checked(lambda x: x * 2.0, 2.0)),
    "G903": (checked(logs, 2.0), checked(lambda x: x * x, 2.0)),
    "G904": (checked(prints, 2.0), checked(lambda x: x * x, 2.0)),
    "G905": (raising(lambda: queries.gradient("math:log", "-1")), raising(lambda: queries.gradient("math:log", "1"))),
    "G906": (raising(lambda: gradcli.grad(lambda x: x * TABLE[x])(1.0)), raising(lambda: gradcli.grad(abs)(1.0))),
    "G907": (checked(sleeps, 2.0, max_seconds=0.5), checked(lambda x: x * x, 2.0)),
    "G908": (raising(lambda: gradcli.check(endless, at=1.0, max_seconds=0.1)),
        raising(lambda: gradcli.check(abs, at=1.0, max_seconds=60))),
    "G909": (hungry(2000), hungry(20)),
    "G911": (checked(lambda x: np.random.default_rng(1).normal(x), 2.0), checked(lambda x: x * x, 2.0)),
}  # fmt: skip


@pytest.mark.parametrize("code", TRIGGERS)
def test_a_finding_fires_on_its_trigger_and_not_beside_it(code, capsys):
    """The least program that shows it, and one of the right kind."""
    trigger, beside = TRIGGERS[code]

    assert code in trigger()
    assert code not in beside()


def test_every_code_has_a_trigger():
    assert set(CATALOGUE) == set(TRIGGERS)


def test_targets_of_functions_have_their_names():
    """A trigger that is a function is called by its name."""
    assert function_target("logs", "logs", logs).name == "logs"
