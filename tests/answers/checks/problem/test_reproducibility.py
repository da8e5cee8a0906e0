"""Two calls before anything is judged: is it a function of its inputs?"""

import itertools
import logging
import os
import pathlib
import random
import subprocess
import sys
import time

import numpy as np
import pytest

from gradcli.answers.checks.problem.reproducibility import Probe, reused_array_finding, shared_input_findings
from gradcli.answers.checks.problem.seeded_timed_calls import PlainCalls
from gradcli.engine.code.reachable_objects import reachable_objects
from gradcli.engine.running.program_state import Generators

CALLS: list[float] = []
COUNT = itertools.count()
TOTAL = 0.0
TURNS = [0]
LOG = logging.getLogger(__name__)


def probed(f, *at):
    return Probe(f, Generators(reachable_objects(f)), "f").run(lambda: [np.array(x) if np.ndim(x) else x for x in at])


def drawn(x):
    return x * random.random()


def timed(x):
    return x * time.perf_counter()


def counted(x):
    global TOTAL
    TOTAL += 1.0
    return x * TOTAL


def logged(x):
    """With a side effect that does not touch the value."""
    CALLS.append(x)
    return x * x


def by_logging(x):
    """With a logger, which remembers what it is enabled for."""
    LOG.debug("called")
    return x * x


def writing(x):
    pathlib.Path(os.devnull).write_text("called", encoding="utf-8")
    return x * x


def by_turns(x):
    TURNS[0] += 1
    return x * (TURNS[0] // 2 % 2)


def every_third(x):
    TURNS[0] += 1
    return x * (TURNS[0] % 3 == 0)


def by_the_system(x):
    return x * random.SystemRandom().random()


SYSTEM = random.SystemRandom()


def by_a_generator_of_the_system(x):
    """Of which there is no state to save."""
    return x * SYSTEM.random()


def with_an_unused_number(x):
    SYSTEM.random()
    return x * x


def timed_and_counted(x):
    """A counter that has no part in the value."""
    TURNS[0] += 1
    return x * time.perf_counter()


def printed(x):
    print("one\ntwo")
    return x


def doubled(x):
    x *= 2
    return np.sum(x)


@pytest.mark.parametrize(
    ("f", "expected", "repeatable"),
    [
        (drawn, ["G901"], True),
        (timed, ["G902"], False),
        (counted, ["G412"], False),
        (logged, [], True),
        (by_logging, [], True),
        (writing, ["G903"], True),
        (by_turns, ["G412"], False),
        (every_third, ["G412"], False),
        (by_the_system, ["G902"], False),
        (by_a_generator_of_the_system, ["G902"], False),
        (with_an_unused_number, [], True),
        (timed_and_counted, ["G902"], False),
        (printed, ["G904"], True),
        (doubled, ["G407"], True),
        (np.sum, [], True),
        (lambda x: np.sum(x) / 0, [], True),
    ],
)
def test_what_two_calls_tell(f, expected, repeatable):
    with np.errstate(all="ignore"):
        found = probed(f, np.array([1.0, 2.0]))

    assert (expected, repeatable) == ([each.code for each in found.findings], found.repeatable)


def test_a_finding_says_what_changed_and_where():
    (found,) = probed(counted, 1.0).findings

    assert found.message.endswith("and TOTAL changed meanwhile")
    assert (__file__, counted.__code__.co_firstlineno) == (found.file, found.line)


def test_a_function_that_raises_is_left_to_the_check(capsys):

    def f(x):
        raise ValueError

    assert probed(f, 1.0).findings == []
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), BaseException("base")], ids=repr)
def test_a_function_that_ends_the_program_is_left_to_the_check(error):

    def ends(x):
        raise error

    assert probed(ends, 1.0).findings == []


def test_a_call_that_raises_when_it_is_repeated():
    left = [5]

    def f(x):
        left[0] -= 1
        return x / left[0] * left[0]

    probe, calls = Probe(f, Generators(reachable_objects(f)), "f"), PlainCalls(1)
    probe.run(lambda: [1.0])
    for x in (1.0, 2.0, 3.0, 4.0):
        calls.made(f, (x,), {})

    assert probe.again(f, calls).message == "two calls with the same inputs gave 2 and nan, and left changed meanwhile"


def test_random_generators_are_as_before():
    """A probe draws no numbers that the user would miss."""
    random.seed(1)
    expected = random.random()
    random.seed(1)
    probed(drawn, 1.0)

    assert random.random() == expected


@pytest.mark.long
@pytest.mark.parametrize("noise", [
    "np.random.rand()", "np.random.default_rng(0).normal()", "noise()", "__import__('numpy').random.rand()",
])  # fmt: skip
def test_generators_that_nothing_has_imported_are_known(noise, tmp_path):
    """NumPy imports them where they are first used, which is the first call."""
    (tmp_path / "p.py").write_text(
        f"import sys\nimport numpy as np\ndef noise(): return np.random.normal()\ndef f(x): return (x + {noise})**2\n"
    )
    code = "import sys, gradcli; print('numpy.random' in sys.modules, gradcli.check('p.py:f', at=3.0).verdict)"
    run = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert run.stdout.split() == ["False", "pass"]


BUFFER = np.zeros(2)


def buffered(x):
    BUFFER[:] = 2 * x
    return BUFFER


def test_a_gradient_that_reuses_its_result():
    assert [each.code for each in reused_array_finding(buffered, lambda: [np.ones(2)], "g")] == ["G408"]
    assert list(reused_array_finding(lambda x: 2 * x, lambda: [np.ones(2)], "g")) == []


def test_arrays_that_are_one_or_overlap():
    a = np.arange(4.0)

    assert [each.code for each in shared_input_findings([("a", a), ("b", a)])] == ["G409"]
    assert [each.code for each in shared_input_findings([("a", a[:3]), ("b", a[1:])])] == ["G310"]
    assert list(shared_input_findings([("a", a[:2]), ("b", a[2:]), ("c", 1.0)])) == []


def test_the_time_of_a_call_is_the_least(monkeypatch):
    """The first calls load and compile."""
    ticks = iter([0.0, 0.02, 0.1, 0.101, 0.2, 0.21])
    monkeypatch.setattr(time, "perf_counter", lambda: next(ticks))

    assert probed(lambda x: x * x, 3.0).seconds == pytest.approx(0.001)
