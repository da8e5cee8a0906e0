"""Every code of the catalogue: a program that shows it, and a program beside it that does not."""

from __future__ import annotations

import functools
import math
import random
import time

import numpy as np
import pytest

import gradcli
from gradcli import arrays, queries
from gradcli.errors import GradcliError
from gradcli.findings.catalogue import CATALOGUE
from gradcli.queries.listing import _constants
from gradcli.queries.question import Question
from gradcli.targets.functions import function_target

LARGE = np.ones(20_000)
BUFFER = np.zeros(2)
TABLE = {1.0: 2.0}
TENTHS = np.full((300_000, 2), 0.1, np.float32)
CALLS: list[int] = []
COUNT = 0


def grad(target, at):
    """What `gradcli grad` tells."""
    return lambda: [each.code for each in queries.gradient(target, at).findings]


def check(target, at, **options):
    """What `gradcli check` tells of a typed target."""
    return lambda: [each.code for each in queries.check(target, at, **options).findings]


def checked(f, at, **options):
    """What `gradcli.check` tells of a function."""
    return lambda: [each.code for each in gradcli.check(f, at=at, **options).findings]


def symbolic(target):
    """What `gradcli symbolic` tells."""
    return lambda: [each.code for each in queries.symbolic(target).findings]


def listing(f):
    """What `gradcli tape` tells of a function of one number."""
    target = function_target("f", "f", f)
    question = Question(target.with_inputs(["x"]), {"x": 2.0}, ("x",), arrays.device("cpu"))
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
    """A side effect."""
    CALLS.append(1)
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


PAIR = np.arange(1.0, 5.0)
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
    "G203": (grad("maximum(x, y)", "1,1"), grad("maximum(x, y)", "1,2")),
    "G205": (grad("floor(3*x)", "0.5"), grad("x + floor(3*x)", "0.5")),
    "G207": (
        checked(newton, 3.1, against=lambda a: 0.5 / math.sqrt(a)),
        checked(lambda a: newton(newton(a) ** 2), 4.0),
    ),
    "G208": (grad("clip(x, 0, 1)", "1"), grad("clip(x, 0, 1)", "0.5")),
    "G305": (check("(x - 1)**2", "1"), check("(x - 1)**2", "2")),
    "G310": (checked(TWO, (PAIR[:3], PAIR[1:])), checked(TWO, (PAIR[:2], PAIR[2:]))),
    "G401": (checked(lambda x, w: x * x, (1.0, 2.0)), checked(lambda x, w: x * w, (1.0, 2.0))),
    "G402": (raising(lambda: gradcli.grad(lambda x: np.random.default_rng(1).normal(x))(2.0)), lambda: []),
    "G403": (checked(lambda x: x * gradcli.stop_gradient(x), 2.0), checked(lambda x: x * x, 2.0)),
    "G404": (
        raising(lambda: gradcli.grad(lambda x: np.sum(np.i0(x)))(np.ones(2))),
        raising(lambda: gradcli.grad(lambda x: np.sum(np.sin(x)))(np.ones(2))),
    ),
    "G406": (
        raising(lambda: gradcli.grad(overwrites)(2.0)),
        raising(lambda: gradcli.grad(lambda x: np.sum(x * LARGE))(2.0)),
    ),
    "G407": (checked(doubles, PAIR), checked(SQUARES, PAIR)),
    "G408": (
        checked(SQUARES, np.ones(2), against=buffered),
        checked(SQUARES, np.ones(2), against=lambda x: 2 * x),
    ),
    "G409": (checked(TWO, (PAIR, PAIR)), checked(TWO, (PAIR, PAIR.copy()))),
    "G411": (listing(lambda x, k=3.0: k * x), listing(lambda x: 2 * x)),
    "G413": (checked(functools.cache(lambda x: x * x), 2.0), checked(lambda x: x * x, 2.0)),
    "G412": (checked(counts, 2.0), checked(lambda x: x * 3, 2.0)),
    "G415": (
        raising(lambda: gradcli.grad(lambda x: None)(2.0)),
        raising(lambda: gradcli.grad(lambda x: x)(2.0)),
    ),
    "G416": (checked(lambda x, k=3.0: x * k, (2.0, 4.0)), checked(lambda x, k=3.0: x * k, 2.0)),
    "G503": (grad("x // 2", "3"), grad("x / 2", "3")),
    "G504": (
        checked(lambda x: np.sum(x.astype(np.float32) ** 2), np.ones(2)),
        checked(SQUARES, np.ones(2, np.float32)),
    ),
    "G505": (
        checked(lambda x: np.sum(x * TENTHS, axis=0)[0], np.float32(1.0)),
        checked(lambda x: np.sum(x * TENTHS[:100], axis=0)[0], np.float32(1.0)),
    ),
    "G805": (
        checked(lambda x: functools.reduce(lambda y, _: 3.5 * y * (1 - y), range(20), x), 0.3),
        checked(lambda x: 3.5 * x * (1 - x), 0.3),
    ),
    "G806": (symbolic("x if x > 0 else a*x"), symbolic("x*x")),
    "G901": (checked(lambda x: x * random.random(), 2.0), checked(lambda x: x * random.Random(1).random(), 2.0)),
    "G902": (checked(lambda x: x * time.perf_counter(), 2.0), checked(lambda x: x * 2.0, 2.0)),
    "G903": (checked(logs, 2.0), checked(lambda x: x * x, 2.0)),
    "G904": (checked(prints, 2.0), checked(lambda x: x * x, 2.0)),
    "G905": (
        raising(lambda: queries.gradient("math:log", "-1")),
        raising(lambda: queries.gradient("math:log", "1")),
    ),
    "G906": (raising(lambda: gradcli.grad(lambda x: x * TABLE[x])(1.0)), raising(lambda: gradcli.grad(abs)(1.0))),
    "G907": (checked(sleeps, 2.0, max_seconds=0.5), checked(lambda x: x * x, 2.0)),
    "G908": (
        raising(lambda: gradcli.check(endless, at=1.0, max_seconds=0.1)),
        raising(lambda: gradcli.check(abs, at=1.0, max_seconds=60)),
    ),
    "G911": (
        checked(lambda x: float(repr(hash(float(x) if type(x) is float else x))), 1.0),
        checked(lambda x: x * x, 1.0),
    ),
}
del TRIGGERS["G402"], TRIGGERS["G911"]  # with their own tests in tests/tape and tests/crosscheck

WAITING = {
    # for a device
    "G701", "G702", "G703", "G704",
    # for what the methods and the verdicts tell
    "G202", "G204", "G206", "G301", "G302", "G303", "G304", "G308", "G601", "G602", "G801", "G803",
    # for what no command says yet
    "G209", "G501", "G909",
    # tested where they are raised
    "G402", "G911", "G312", "G313",
}  # fmt: skip
"""Codes without a trigger here."""


@pytest.mark.parametrize("code", TRIGGERS)
def test_a_finding_fires_on_its_trigger_and_not_beside_it(code, capsys):
    """The least program that shows it, and one of the right kind."""
    trigger, beside = TRIGGERS[code]

    assert code in trigger()
    assert code not in beside()


def test_every_code_has_a_trigger():
    """Or waits, or is a pitfall that gradcli does not fall into."""
    silent = {code for code, entry in CATALOGUE.items() if entry.silent}

    assert set(CATALOGUE) - silent == set(TRIGGERS) | (WAITING & set(CATALOGUE))


SILENT = {
    "G306": lambda: "fail" == queries.check("1e-9 * x**2", "1", against="3e-9 * x").verdict,
    "G307": lambda: any("would detect" in note for note in queries.check("sin(x)", "1").notes),
    "G309": lambda: 6.0 == gradcli.grad(gradcli.grad(lambda x: x**3))(1.0),
    "G311": lambda: "pass" == queries.check("x**3", "2", against="3*x**2").verdict,
    "G405": lambda: [2.0, 2.0] == list(gradcli.grad(written)(np.ones(2))),
    "G410": lambda: swept_twice(),
    "G414": lambda: ["p.w[1]"] == [row.name for row in nested().components if row.candidate == 3.0],
    "G502": lambda: [-0.25] == list(gradcli.grad(lambda x: np.sum(x**-1))(np.array([2.0]))),
    "G802": lambda: "1.0*x/Abs(x)" != queries.symbolic("sqrt(x**2)", "1").gradient["x"],
    "G804": lambda: "pass" == queries.check("where(x > 0, x, 1/x)", "2").verdict,
    "G807": lambda: "pass" == queries.check("1/(x - 0.1)", "0.10000000000000002").verdict,
    "G910": lambda: 0.0 == gradcli.grad(gradcli.grad(gradcli.grad(lambda x: x**2)))(0.0),
}


def written(x):
    """An array written in place."""
    b = np.zeros(4)
    b[:2] = x
    return np.sum(b**2)


def swept_twice():
    """The sensitivities of one tape, asked twice."""
    tape = gradcli.trace(lambda x: x * x, 2.0)
    return tape.sensitivities() == tape.sensitivities()


def nested():
    """A check of a dictionary."""
    return gradcli.check(lambda p: p["w"][0] * 2 + p["w"][1] * 3 + p["b"], at=({"w": [1.0, 2.0], "b": 0.0},))


def test_every_silent_code_has_its_test():
    """A pitfall that is avoided is shown to be."""
    assert {code for code, entry in CATALOGUE.items() if entry.silent} == set(SILENT)


@pytest.mark.parametrize("code", SILENT)
def test_a_pitfall_that_is_avoided(code):
    """What the page says is so."""
    assert SILENT[code]()


def test_targets_of_functions_have_their_names():
    """A trigger that is a function is called by its name."""
    assert "logs" == function_target("logs", "logs", logs).name
