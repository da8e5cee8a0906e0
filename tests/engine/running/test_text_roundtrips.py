"""Numbers that a program writes as text and reads again, in the library: refused by name and line."""

import ast
import copy
import csv
import io
import json
import linecache
import logging
import math
import os
import re
import string
import subprocess
import sys
from ast import literal_eval
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

import gradcli
from gradcli import grad
from gradcli.errors import DetachedError, UserCodeError

pytestmark = pytest.mark.sampled(4)  # many like cases

SETTING = "2.0"


def by_file(x):
    with open(os.devnull + ".none" if x is None else PATH[0], "w+") as file:
        file.write(f"{x}")
        file.seek(0)
        return float(file.read())


PATH: list[str] = []


def by_csv(x):
    table = io.StringIO()
    csv.writer(table).writerow([x, 1.0])
    return float(next(csv.reader([table.getvalue()]))[0])


def by_print(x):
    lines = io.StringIO()
    print(x, file=lines)
    return float(lines.getvalue())


def by_log(x):
    """By what it logs."""
    lines = io.StringIO()
    logger = logging.Logger("reading")
    logger.addHandler(logging.StreamHandler(lines))
    logger.warning("%f", x)
    return float(lines.getvalue())


SPELLINGS = {
    "an f-string": lambda x: float(f"{x}"),
    "a format": lambda x: float(f"{x:.3f}"),
    "one digit": lambda x: float(f"{x:.0f}"),
    "str": lambda x: float(str(x)),
    "repr": lambda x: float(repr(x)),
    "str.format": lambda x: float("{:.3f} m".format(x).split()[0]),  # noqa: UP032
    "format()": lambda x: float(format(x, ".6e")),
    "an array of texts": lambda x: np.array([str(x), "1"], dtype=float)[0],
    "an array of texts, later": lambda x: np.array([[f"{x}"]]).astype(float)[0, 0],
    "NumPy's float64": lambda x: np.float64(str(x)),
    "NumPy's float32": lambda x: np.float32(f"{x:.3f}"),
    "percent": lambda x: float("%f" % x),  # noqa: UP031
    "percent, few digits": lambda x: float("%.1f" % x),  # noqa: UP031
    "percent of two": lambda x: float(("%s,%g" % (x, 2 * x)).split(",")[1]),  # noqa: UP031
    "cut short": lambda x: float(repr(x)[:3]),
    "several": lambda x: sum(map(float, f"{x},{x}".split(","))),
    "a search": lambda x: float(re.findall(r"[0-9.]+", f"at x={x}")[0]),
    "scaled": lambda x: float(f"{x}e-3"),
    "a template": lambda x: float(string.Template("$a").substitute(a=x)),
    "bytes": lambda x: float(str(x).encode()),
    "complex": lambda x: complex(str(x)).real,
    "hex": lambda x: float.fromhex(x.hex()),
    "Decimal": lambda x: float(Decimal(str(x))),
    "Decimal, computed with": lambda x: float(Decimal(repr(x)).sqrt()),
    "Fraction": lambda x: Fraction(str(x)),
    "literal_eval": lambda x: literal_eval(repr(x)),
    "ast.literal_eval": lambda x: ast.literal_eval(f"[{x}]")[0],
    "eval": lambda x: eval(repr(x)),
    "json": lambda x: json.loads(f'{{"x": {x}}}')["x"],
    "loadtxt": lambda x: np.loadtxt(io.StringIO(f"{x} {x}"))[0],
    "genfromtxt": lambda x: np.genfromtxt(io.StringIO(f"{x}")),
    "fromstring": lambda x: np.fromstring(str(x), sep=" ")[0],
    "astype": lambda x: np.array([x]).astype(str).astype(float)[0],
    "astype without axes": lambda x: np.array(x).astype(str).astype(float),
    "array2string": lambda x: float(np.array2string(np.array([x]))[1:-1]),
    "an array": lambda x: float(str(np.array([x, 2.0])).strip("[]").split()[0]),
    "a file": by_file,
    "csv": by_csv,
    "print": by_print,
    "logging": by_log,
}


@pytest.mark.parametrize("name", SPELLINGS)
def test_what_is_read_again_is_refused(name, tmp_path):
    """At the line where it is made, by the same words as in the commands."""
    PATH[:] = [str(tmp_path / "number.txt")]
    back = SPELLINGS[name]

    with pytest.raises(DetachedError, match="written as text, and numbers are read from text") as raised:
        grad(lambda x: x * back(x))(2.5)
    assert __file__ == raised.value.file
    assert re.search(r"\{x|x\b", linecache.getline(__file__, raised.value.line))


BYTES = """
import array, ctypes, datetime, pickle, struct, time
import numpy as np
from decimal import Decimal
from fractions import Fraction
import gradcli
from gradcli.errors import UserCodeError

SPELLINGS = [
    lambda x: struct.unpack("d", struct.pack("d", x))[0],
    lambda x: np.frombuffer(np.float64(x).tobytes())[0],
    lambda x: pickle.loads(pickle.dumps(x)),
    lambda x: array.array("d", [x])[0],
    lambda x: ctypes.c_double(x).value,
    lambda x: memoryview(np.array([x]))[0],
    lambda x: np.frombuffer(np.array([x]))[0],
    lambda x: hash(x),
    lambda x: datetime.timedelta(seconds=x).total_seconds(),
    lambda x: float(time.strftime("%S", time.gmtime(x))),
    lambda x: x.as_integer_ratio()[0] / x.as_integer_ratio()[1],
    lambda x: float(Decimal(x)),
    lambda x: float(Fraction(x)),
    lambda x: float.fromhex(float.hex(x)),
    lambda x: float(str(x)),
]
for number, back in enumerate(SPELLINGS):
    try:
        print(number, gradcli.grad(lambda x: x * back(x))(2.5))
    except UserCodeError as error:
        assert error.line == 10 + number, (number, error.line)
"""


def test_what_leaves_as_bytes_is_refused():
    """In a process of its own, in which nothing is known of any of it; at its line."""
    done = subprocess.run([sys.executable, "-c", BYTES], capture_output=True, text=True, timeout=60)

    assert (done.stdout, done.stderr) == ("", "")


def test_a_copy_keeps_the_derivative():
    assert grad(lambda x: copy.copy(x) * copy.deepcopy([x])[0])(2.5) == 5.0


def labelled(x):
    label = f"{x}"
    return x * float(SETTING) if label else x


HARMLESS = {
    "a literal": (lambda x: (f"{x}", x * float("2.0"))[1], 2.0),
    "read before": (lambda x: (x * float(SETTING), f"{x}")[0], 2.0),
    "its length": (lambda x: x * len(f"{x:.1f}"), 3.0),
    "a key": (lambda x: x * {f"{x}": 2.0, "": 3.0}[f"{x}"], 2.0),
    "a branch": (lambda x: x * 2.0 if f"{x:.1f}" == "2.0" else x, 2.0),
    "on purpose": (lambda x: x * float(f"{gradcli.stop_gradient(x)}"), 2.0),
}
# Not known to be harmless: the numbers that are read may be those that were written.
UNCLEAR = {
    "a label": labelled,
    "a setting": lambda x: (f"{x}", x * float(os.environ.get("NO_SUCH_NAME", SETTING)))[1],
    "data": lambda x: (f"{x}", x * np.loadtxt([SETTING]))[1],
    "json": lambda x: (f"{x}", x * json.loads(SETTING))[1],
    "read to be shown": lambda x: (print(float(f"{x:.3f}")), 2 * x)[1],
}


@pytest.mark.parametrize("name", HARMLESS)
def test_what_is_only_written_does_no_harm(name):
    f, expected = HARMLESS[name]

    assert grad(f)(2.0) == expected


@pytest.mark.parametrize("name", UNCLEAR)
def test_numbers_that_are_read_after_others_are_written_are_refused(name):
    with pytest.raises(DetachedError, match="written as text, and numbers are read from text") as raised:
        grad(UNCLEAR[name])(2.0)
    assert "gradcli.stop_gradient(x)" in raised.value.hint


def test_a_reader_that_is_not_replaced_is_named():
    with pytest.raises(DetachedError, match="numbers are read from text by loads"):
        grad(UNCLEAR["json"])(2.0)


def test_a_program_that_prints_is_run_once(capsys):
    calls = []

    def f(x):
        calls.append(1)
        print(f"x is {x:.3f}", "%.3f" % x)  # noqa: UP031
        return x * math.sqrt(float(x)) * float("2.0") * complex("1").real

    grad(f)(4.0)
    assert (calls, capsys.readouterr().out) == ([1], "x is 4.000 4.000\n")


def test_what_a_refused_program_prints_is_shown_once(capsys):

    def f(x):
        print("here")
        return x * float(str(x))

    with pytest.raises(DetachedError):
        grad(f)(2.0)
    assert capsys.readouterr().out == "here\n"


def through(x):
    return x * float(f"{x:.6f}")


@pytest.mark.parametrize(
    "take",
    [
        lambda: gradcli.value_and_grad(through)(2.0),
        lambda: gradcli.jacobian(through)(2.0),
        lambda: gradcli.jacobian(lambda x: [x, {"a": np.array([1.0, 2.0]) * through(x)}])(2.0),
        lambda: gradcli.hessian(through)(2.0),
        lambda: gradcli.jvp(through, (2.0,), (1.0,)),
        lambda: gradcli.vjp(through, 2.0),
        lambda: gradcli.hvp(through, 2.0, 1.0),
        lambda: gradcli.elementwise_grad(lambda v: np.array([through(x) for x in v]))(np.array([2.0, 3.0])),
        lambda: gradcli.trace(through, 2.0),
        lambda: grad(lambda x: grad(through)(x) * x)(2.0),
    ],
    ids=["value_and_grad", "jacobian", "several results", "hessian", "jvp", "vjp", "hvp", "elementwise_grad", "trace",
         "inside of another"],
)  # fmt: skip
def test_every_transform_refuses(take):
    with pytest.raises(UserCodeError, match="written as text, and numbers are read from text") as raised:
        take()
    assert linecache.getline(__file__, raised.value.line).strip() == 'return x * float(f"{x:.6f}")'
