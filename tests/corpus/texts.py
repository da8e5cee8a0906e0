"""Claims about numbers that are written as text, read again or not, and about inputs that act only through signs."""

import io
import json
import math
from ast import literal_eval
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np

from tests.corpus.claim import Claim, claims
from tests.corpus.contradictions import same_value
from tests.corpus.islands import guarded

SETTINGS = '{"rate": 1.7, "steps": 3}'


def exact_root(x):
    """The power 3/2, its root with 30 digits."""
    with localcontext() as context:
        context.prec = 30
        return x * float(Decimal(repr(x)).sqrt())


def stored(x):
    text = f'{{"p": [{", ".join(str(v) for v in x)}]}}'
    return math.prod(json.loads(text)["p"])


def tabled(x):
    file = io.StringIO("\n".join(f"{v:.17g} {v * v:.17g}" for v in x))
    return np.sum(np.loadtxt(file)[:, 1] * x)


def trained(w):
    """Descent that logs each step, and reads its rate from a text of its own."""
    settings = json.loads(SETTINGS)
    log = []
    for _ in range(int(settings["steps"])):
        w = w - 0.1 * float(f"{settings['rate']}") * (w * w - 2)
        log.append(f"{w:.6f}")
    return w * w + 0.0 * len("".join(log))


def logged(f):
    """A function that writes down what it is given."""

    def logs(x):
        str(x)
        return f(x)

    return logs


def grad_trained(w):
    """By the chain of its three steps."""
    slope = 1.0
    for _ in range(3):
        slope *= 1 - 0.1 * 1.7 * 2 * w
        w = w - 0.1 * 1.7 * (w * w - 2)
    return 2 * w * slope


def remembered(x):
    """A table by what a number reads as."""
    cache = {}
    for v in (x, x, 2 * x):
        if (key := f"{v:.12f}") not in cache:
            cache[key] = v * v
    return sum(cache.values())


def unread(*arguments, **options) -> list[Claim]:
    """Claims without the tape's own gradient, which is refused."""
    return claims(*arguments, own=None, **options)


CLAIMS = [
    *unread("a root with 30 digits", exact_root, 2.3, lambda x: 1.5 * math.sqrt(x),
        wrong={"the root alone": lambda x: math.sqrt(x), "the half alone": lambda x: 0.5 * math.sqrt(x)}),
    *unread("thirds without rounding", lambda x: float(sum(Fraction(str(v)) / 3 for v in x)) * math.fsum(x),
        np.array([0.7, 1.9, -0.4]), lambda x: np.full(3, 2 * np.sum(x) / 3),
        wrong={"one factor": lambda x: np.full(3, np.sum(x) / 3)}),
    *unread("saved as JSON and loaded", stored, [1.3, 0.7, 2.1], lambda x: [x[1] * x[2], x[0] * x[2], x[0] * x[1]],
        wrong={"nothing": lambda x: [0.0, 0.0, 0.0],
            "in another order": lambda x: [x[0] * x[2], x[1] * x[2], x[0] * x[1]]}),
    *unread("a table in a file", tabled, np.array([0.7, 1.9]), lambda x: 3 * x**2,
        wrong={"what the tape would see": lambda x: x**2}),
    *unread("through hexadecimal text", lambda x: x * float.fromhex(x.hex()), 1.7, lambda x: 2 * x,
        wrong={"one factor": lambda x: x}),
    *unread("a list that is written out", lambda x, y: sum(v * v for v in literal_eval(f"[{x}, {y!r}]")), (0.3, -1.2),
        lambda x, y: (2 * x, 2 * y), wrong={"nothing": lambda x, y: (0.0, 0.0)}),
    *unread(
        "through 15 digits by percent",
        lambda x: math.sin(float("%.15g" % x)),  # noqa: UP031
        0.8,
        lambda x: math.cos(x),
        wrong={"nothing": lambda x: 0.0, "the sign": lambda x: -math.cos(x)},
    ),
    *unread("descent that logs", trained, 0.9, grad_trained,
        "what is logged is not read again, and what is read is a setting",
        wrong={"without the rate": lambda w: grad_trained(w) / 1.7, "nothing": lambda w: 0.0}),
    *claims("(exp(x)-1)/x behind a narrow guard, logged", logged(guarded(1e-8)), 0.0, lambda x: 0.5,
        "what is logged is not read again", own="undecidable", wrong={"neither": lambda x: 0.7}),
    *claims("a root that underflows, logged", logged(lambda x: math.sqrt(x * x)), 1e-200, lambda x: 1.0,
        "|x|, and x is above 0", own=None, wrong={"as if it were a bend": lambda x: 0.3, "the sign": lambda x: -1.0}),
    *claims("a power of 3/2 at 0, logged", logged(lambda x: x**1.5), 0.0, lambda x: 1.5 * math.sqrt(x),
        "0 from the right", wrong={"a thousandth": lambda x: 1e-3}),
    *claims("another slope than a plain run, logged", logged(same_value), 1.5, lambda x: 2.0, "the plain run is 2 * x",
        own="disputed"),
    *claims("a table by text", remembered, 1.7, lambda x: 10 * x, "the keys alone are text",
        wrong={"each once": lambda x: 12 * x}),
    *claims("by a sign", lambda x, y: x**3 * np.sign(y), (1.3, -2.0), lambda x, y: (-3 * x**2, 0.0),
        "flat to both sides", own="cut",
        wrong={"the sign left out": lambda x, y: (3 * x**2, 0.0), "by the sign": lambda x, y: (-3 * x**2, x**3)}),
    *claims("a magnitude with a sign", lambda x: math.copysign(2.0, x) + np.heaviside(x, 0.5), 1.7, lambda x: 0.0,
        "flat to both sides", own="cut", wrong={"two": lambda x: 2.0}),
]  # fmt: skip
