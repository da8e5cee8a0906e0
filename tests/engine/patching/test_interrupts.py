"""Ctrl-C at any instant, forked children and other threads: a program's module is as its author wrote it."""

import os
import random
import signal
import subprocess
import sys
import time
import types
import warnings
from functools import partial

import numpy as np
import pytest

import gradcli
from gradcli import run_stack
from gradcli.engine.running import known_programs

PROGRAM = """
import math
import sys
import numpy as np
from math import exp

TABLE = {"s": math.sin}

class Model:
    act = staticmethod(math.tanh)

    def value(self, x):
        return Model.act(x) + TABLE["s"](x)

MODEL = Model()

def by_math(x):
    return math.sin(x) * float(x) + exp(x)

def by_numpy(x):
    a = np.array([x, 2 * x, 1.0])
    z = np.zeros(3)
    z[1] = x
    return float(np.sum(a * z))

def by_object(x):
    return MODEL.value(x)

def by_default(x, f=math.cos):
    return f(x) * x

def by_import(x):
    import math as m
    return m.sqrt(x)

def by_type(x):
    return x * x if type(x) is float else 0.0

def by_sum(x):
    return np.sum(np.sin(x))

def own_names():
    return type(1.0) is float and math is sys.modules["math"]
"""
NAMES = ("by_math", "by_numpy", "by_object", "by_default", "by_import", "by_type")


@pytest.fixture
def module(monkeypatch):
    found = types.ModuleType("interrupted_module")
    monkeypatch.setitem(sys.modules, found.__name__, found)
    exec(compile(PROGRAM, "interrupted_module.py", "exec"), vars(found))
    return found


def held(module):
    """All that the module holds, by identity, and what a process has one of."""
    found = {name: id(item) for name, item in vars(module).items()}
    found |= {("Model", name): id(item) for name, item in vars(module.Model).items()}
    found |= {name: (id(f.__code__), *map(id, f.__defaults__ or ())) for name in NAMES for f in (vars(module)[name],)}
    streams = id(sys.stdout), id(sys.stderr), sys.gettrace(), id(sys.excepthook)
    return found, dict(module.TABLE), streams, run_stack.depth(), list(warnings.filters), np.geterr()


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="without a timer nothing comes at any instant")
@pytest.mark.parametrize("is_new", [False, True], ids=["known", "new"])
def test_an_interrupt_leaves_a_module_as_it_was(is_new, module, request):
    """And the next call is right; of programs that were read before and of others."""
    rolls, interrupts = random.Random(0), 0
    calls = [partial(gradcli.grad(vars(module)[name]), 1.5) for name in NAMES]
    calls.append(lambda: gradcli.trace(module.by_math, 1.5).value)
    expected = [call() for call in calls]
    seconds = [_seconds(call, is_new) for call in calls]
    before, wanted = held(module), 6000 if request.config.getoption("--long") else 300

    def interrupt(number, frame):
        raise KeyboardInterrupt

    usual = signal.signal(signal.SIGALRM, interrupt)
    try:
        while interrupts < wanted:
            which = rolls.randrange(len(calls))
            if is_new:
                known_programs.forget()
            try:
                signal.setitimer(signal.ITIMER_REAL, max(2e-5, 1.1 * rolls.random() * seconds[which]))
                calls[which]()
                while True:
                    pass
            except KeyboardInterrupt:
                interrupts += 1

            assert before == held(module)
            assert calls[which]() == expected[which]
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, usual)


CALLS = {
    "a number": lambda module: gradcli.grad(module.by_math)(1.5),
    "an array": lambda module: gradcli.grad(module.by_sum)(np.ones(2)),
    "a trace": lambda module: gradcli.trace(module.by_numpy, 1.5),
    "a first run": lambda module: (known_programs.forget(), gradcli.grad(module.by_type)(1.5)),
}


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # at the start of what frees an object
@pytest.mark.parametrize("name", CALLS)
def test_an_interrupt_at_the_start_of_any_function_leaves_everything_as_it_was(name, module):
    """Python looks for signals there, also at the start of what restores something."""
    call, starts = CALLS[name], [0, 0]
    call(module)
    before = held(module)

    def count(frame, event, argument):
        starts[0] += event == "call"
        if starts[0] == starts[1]:
            raise KeyboardInterrupt

    def interrupted():
        starts[:] = 0, starts[1] + 1
        sys.setprofile(count)
        try:
            call(module)
        except KeyboardInterrupt:
            return True
        finally:
            sys.setprofile(None)
        return False

    while interrupted():
        assert before == held(module)
    assert starts[0] > 20


def _seconds(call, is_new):
    if is_new:
        known_programs.forget()
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


FORKS = """
import os, signal, sys, threading, time
sys.path.insert(0, {folder!r})
import gradcli, program

assert gradcli.grad(program.by_type)(1.5) == 3.0
is_over = threading.Event()

def busy():
    while not is_over.is_set():
        gradcli.grad(program.by_math)(1.5)
        gradcli.grad(program.by_type)(1.5)

threads = [threading.Thread(target=busy) for _ in range(2)]
for thread in threads:
    thread.start()
wrong = 0
for _ in range(40):
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        right = program.own_names() and gradcli.grad(program.by_type)(1.5) == 3.0 and program.own_names()
        os._exit(0 if right else 1)
    wrong += os.waitpid(child, 0)[1] != 0
    time.sleep(0.003)
is_over.set()
for thread in threads:
    thread.join()
print(wrong, program.own_names())
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no children that share memory")
def test_a_forked_child_has_its_own_names(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKS.format(folder=str(tmp_path))],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip

    assert (ran.stdout.strip(), ran.stderr) == ("0 True", "")
