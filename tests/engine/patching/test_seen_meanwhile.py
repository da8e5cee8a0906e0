"""What other code sees while a gradient runs: the list in the documents is complete, and tools work."""

import bdb
import builtins
import copy
import inspect
import json
import math
import os
import pickle
import re
import statistics
import subprocess
import sys
import threading
import time
import warnings
from math import cos
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse
from numpy import array, exp, zeros

from gradcli import grad
from gradcli.engine.tape.value import is_recorded
from gradcli.errors import DetachedError

INSIDE, DONE = [], []
SCALE = 2.0
TABLE = {"sin": math.sin}
LARGE = np.ones(1 << 14)
MATRIX = scipy.sparse.csr_array(np.eye(2))


def pause():
    """Wait inside a run until another thread has looked."""
    INSIDE.append(True)
    while not DONE:
        pass


def during(function, look, at=0.5):
    """What `look` returns in this thread while another one computes a gradient of `function` and waits."""
    INSIDE.clear(), DONE.clear()
    thread = threading.Thread(target=grad(function), args=(at,))
    thread.start()
    try:
        deadline = time.monotonic() + 20
        while not INSIDE and time.monotonic() < deadline:
            time.sleep(0.001)
        return look()
    finally:
        DONE.append(True)
        thread.join()


class Model:
    """What a function may store in, write into and hold."""

    function = math.cos

    def __init__(self):
        self.buffer, self.last = np.zeros(2), 0.0

    def __call__(self, x):
        self.buffer[0] = x
        self.last = x * SCALE
        pause()
        return self.buffer[0] * self.last


MODEL = Model()


def helper(x):
    return math.sin(x) * float(x) + cos(x)


def of_names(x):
    y = helper(x)
    pause()
    return y * SCALE


def reads_a_large_array(x):
    y = np.sum(LARGE * x)
    pause()
    return y


def of_held_functions(x, tangent=math.tan):
    y = TABLE["sin"](x) + tangent(x)
    pause()
    return y


NAMES = {"math": math, "pause": pause, "__name__": "elsewhere"}
exec("def assigns(x):\n    global math\n    math = math\n    y = math.sin(x)\n    pause()\n    return y", NAMES)


def of_statistics(x):
    y = statistics.fmean([x, 1.0])
    pause()
    return y


def of_sparse_matrices(x):
    y = np.sum(MATRIX @ np.array([x, x]))
    pause()
    return y


def multiplies():
    """The method by which MATRIX multiplies."""
    return type(MATRIX)._matmul_vector


# By the entries of the list in the documents: functions, each with what has another value while it runs.
SEEN = {
    "the code of your functions": [(of_names, lambda: helper.__code__)],
    "values that your function has stored": [(MODEL, lambda: is_recorded(MODEL.last))],
    "arrays that it has written into": [(MODEL, lambda: type(MODEL.buffer))],
    "arrays that it has read": [(reads_a_large_array, lambda: LARGE.flags.writeable)],
    "functions that your objects hold": [
        (of_held_functions, lambda: TABLE["sin"]),
        (of_held_functions, lambda: of_held_functions.__defaults__),
    ],
    "names of your modules, in three cases": [(NAMES["assigns"], lambda: NAMES["math"])],
    "names of libraries": [
        (of_statistics, lambda: vars(statistics).get("float")),
        (of_sparse_matrices, multiplies),
    ],
    "how Python reports": [(of_names, lambda: warnings.filters[0])],
}


def test_the_documents_list_what_is_seen():
    text = (Path(__file__).parents[3] / "docs/library.md").read_text(encoding="utf-8")
    table = text[text.index("| What is seen |") :].partition("\n\n")[0]

    assert re.findall(r"^\| ([^|]+?) \|", table, re.MULTILINE)[1:] == list(SEEN)


@pytest.mark.parametrize(("function", "look"), [case for cases in SEEN.values() for case in cases])
def test_what_is_seen_is_gone_after_the_run(function, look):
    before = look()

    assert during(function, look) != before
    assert look() == before


def everything():
    """The identities of what the list does not contain."""
    modules = [sys.modules[__name__], math, builtins, np, np.linalg, json, scipy.sparse]
    streams = sys.stdout, sys.stderr, sys.excepthook, sys.gettrace(), sys.getprofile()
    names = [{name: id(item) for name, item in vars(module).items() if name != "_"} for module in modules]
    return names, [*map(id, streams)], vars(MODEL).keys(), id(Model.__call__), id(of_names)


@pytest.mark.parametrize("function", [case[0] for name in SEEN for case in SEEN[name] if "modules" not in name])
def test_nothing_else_is_seen(function):
    DONE.append(True)
    grad(function)(0.5)  # imports what modules import on first use
    before = everything()

    assert during(function, everything) == before


def pickled(item):
    return pickle.loads(pickle.dumps(item))


def by_cloudpickle(function):
    """A function written by value, as one of a script is."""
    cloudpickle = pytest.importorskip("cloudpickle")
    function = vars(sys.modules[__name__])[function]
    module, function.__module__ = function.__module__, "__main__"
    try:
        return pickle.loads(cloudpickle.dumps(function))
    finally:
        function.__module__ = module


def of_creators(x):
    return zeros(2)[0] + array([x, 1.0]).sum() + exp([x])[0]


def writes(x):
    w = np.zeros(2)
    w[0] = x
    return w.sum()


def imports(x):
    from math import exp

    import numpy.linalg

    return exp(x) * numpy.linalg.norm(np.array([x, 1.0]))


def of_types(x):
    return complex(x).real if type(x) is float else 0.0


TOOLS = {
    "pickle of a function": lambda: pickled(helper) is helper,
    "pickle of a method": lambda: pickled(MODEL.__call__).__func__ is Model.__call__,
    "copy": lambda: copy.copy(helper) is helper is copy.deepcopy([helper])[0],
    "deepcopy of an object": lambda: type(copy.deepcopy(MODEL)),
    "inspect.getsource": lambda: inspect.getsource(helper),
    "inspect.signature": lambda: str(inspect.signature(of_held_functions)),
    "lines": lambda: [line for *_, line in helper.__code__.co_lines()],
    **{
        f"cloudpickle of {name}": lambda name=name: by_cloudpickle(name)(0.5)
        for name in ("helper", "imports", "of_creators", "writes", "of_types")
    },
}


def of_all(x):
    y = helper(x) + of_creators(x) + writes(x) + of_types(x) + imports(x)
    pause()
    return y


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS)
def test_tools_give_what_they_give_without_a_run(tool):
    """The second gradient is one of a known program."""
    expected = tool()

    assert during(of_all, tool) == expected
    assert during(of_all, tool) == expected


class Breakpoint(bdb.Bdb):
    """Stops at one line of this file and notes a variable there."""

    def __init__(self, line):
        super().__init__()
        self.line, self.values = line, []
        self.set_break(__file__, line)

    def user_line(self, frame):
        if frame.f_lineno == self.line:
            self.values.append(float(f"{frame.f_locals['y']:.12g}"))
        self.set_continue()


def stops(x):
    y = math.sin(x)
    return y * float(y)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_breakpoint_is_hit_where_it_is_set():
    """Once in a plain call, and once in a gradient."""
    before = sys.gettrace()
    line = stops.__code__.co_firstlineno + 2
    plain, recorded = Breakpoint(line), Breakpoint(line)
    try:
        plain.runcall(stops, 0.5)
        recorded.runcall(grad(stops), 0.5)
    finally:
        sys.settrace(before)

    assert plain.values == recorded.values == [float(f"{math.sin(0.5):.12g}")]


COVERED = """
import coverage, json, sys
sys.path.insert(0, {folder!r})
cover = coverage.Coverage(data_file=None, include=[{folder!r} + "/program.py"])
cover.start()
import gradcli, program
{call}
cover.stop()
print(json.dumps(cover.analysis2({folder!r} + "/program.py")[3]))
"""
PROGRAM = """
import math
import numpy as np
def helper(x):
    if x > 9:
        return 0.0
    return math.sin(x)
def f(x):
    w = np.zeros(2)
    for i in range(2):
        w[i] = helper(x) * float(x)
    if type(x) is int:
        return 1.0
    return w.sum()
"""


def test_coverage_counts_the_lines_of_a_plain_run(tmp_path):
    pytest.importorskip("coverage")
    (tmp_path / "program.py").write_text(PROGRAM)
    missing = []
    for call in ("program.f(0.5)", "gradcli.grad(program.f)(0.5)"):
        text = COVERED.format(folder=str(tmp_path), call=call)
        ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=60, check=True)
        missing.append(json.loads(ran.stdout))

    assert missing == [[6, 13], [6, 13]]


def plain_facts():
    """Facts about plain numbers."""
    return math.isclose(math.sin(0.5), 0.479425538604203), type(SCALE) is float, type(helper(0.5)) is float


def test_a_thread_that_outlives_the_run_computes_plain_numbers():
    results, is_over = [], []

    def work():
        while not is_over:
            results.append(plain_facts())
            time.sleep(0.001)
        results.append((helper.__code__ is code, TABLE["sin"] is math.sin))

    def f(x):
        threads.append(threading.Thread(target=work))
        threads[-1].start()
        return helper(x) * TABLE["sin"](x)

    threads, code = [], helper.__code__
    grad(f)(0.5)
    time.sleep(0.01)
    is_over.append(True)
    threads[0].join()

    assert set(map(all, results)) == {True}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no children that share memory")
def test_a_child_that_outlives_the_run_computes_plain_numbers():
    """The function itself forks it, and it goes on after the parent's run."""
    reading, writing = os.pipe()

    def f(x):
        if os.fork() == 0:
            try:
                time.sleep(0.05)
                os.write(writing, b"right" if all(plain_facts()) else b"wrong")
            finally:
                os._exit(0)
        return helper(x)

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # Python warns of threads in the process that forks
        grad(f)(0.5)
    os.wait()

    assert os.read(reading, 5) == b"right"


def test_a_recorded_value_that_another_thread_reads_is_no_plain_number():
    with pytest.raises(DetachedError):
        during(MODEL, lambda: math.sqrt(MODEL.last))
