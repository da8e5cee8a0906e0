"""The ways into a program, each with the derivative that it finds: run as `python -m tests.one_door.entries NAME`.

One process asks one entry about every program, so that nothing is known from before of any of them.
"""

import contextlib
import io
import json
import sys
import tempfile
from pathlib import Path

import numpy as np

import gradcli
from gradcli.shared.pytree import leaves, map_leaves
from gradcli.terminal.cli import main
from tests.one_door import programs
from tests.one_door.programs import POINTS, PROGRAMS


def ones(point):
    """A direction in which every number takes part."""
    return map_leaves(lambda leaf: np.ones_like(leaf)[()] if hasattr(leaf, "dtype") else 1.0, point)


def by_grad(f, point):
    return f(point), gradcli.grad(f)(point)


def by_value_and_grad(f, point):
    return gradcli.value_and_grad(f)(point)


def by_jacobian(f, point):
    return f(point), gradcli.jacobian(f)(point)


def by_hessian(f, point):
    """The Hessian of the square, half of which is the square of the gradient."""
    found = gradcli.hessian(lambda x: f(x) ** 2)(point)
    return f(point), [np.sqrt(np.asarray(number, dtype=float) / 2).tolist() for number in leaves(found)]


def by_jvp(f, point):
    """Along all numbers: the mean of the derivatives."""
    value, tangent = gradcli.jvp(f, (point,), (ones(point),))
    return value, tangent / len(np.ravel(leaves(point)))


def by_vjp(f, point):
    value, pullback = gradcli.vjp(f, point)
    return value, pullback(1.0)[0]


def by_hvp(f, point):
    """The Hessian of the square along all numbers: for n of them 2 n times the square of the gradient."""
    found = gradcli.hvp(lambda x: f(x) ** 2, point, ones(point))
    count = len(np.ravel(leaves(point)))
    return f(point), [np.sqrt(np.asarray(number, dtype=float) / (2 * count)).tolist() for number in leaves(found)]


def by_elementwise_grad(f, point):
    return f(point), gradcli.elementwise_grad(f)(point)


def by_trace(f, point):
    tape = gradcli.trace(f, point)
    return tape.value, [tape.sensitivities()[row] for row in tape.input_indices()]


def by_check(f, point):
    found = gradcli.check(f, at=(point,))
    assert found.verdict == "pass", found
    return found.value, [row.reverse for row in found.components]


def by_check_of_wrong(f, point):
    """The wrong gradient fails, and the reference beside it is the right one."""
    wrong = map_leaves(lambda leaf: 3.0 * np.ones_like(leaf)[()] if hasattr(leaf, "dtype") else 3.0, point)
    found = gradcli.check(f, at=(point,), against=lambda _: wrong)
    assert found.verdict == "fail", found
    return found.value, [row.reference for row in found.components]


def by_assert_grad(f, point):
    right = map_leaves(lambda leaf: 2.0 * np.ones_like(leaf)[()] if hasattr(leaf, "dtype") else 2.0, point)
    gradcli.assert_grad(f, at=(point,), against=lambda _: right)
    return f(point), right


TYPED = {"float": "1.5", "array": "1.5,2.5", "dict": '{"x": {"a": 1.5, "b": 2.5}}'}  # the points that can be typed


def by_command(name):
    """The values that a command or the prompt says of the programs in a file."""
    source = Path(programs.__file__).read_text(encoding="utf-8")
    typed = {program: f"p{n}" for n, (program, (kind, _)) in enumerate(PROGRAMS.items()) if kind in TYPED}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "odd.py")
        lines = (f"{function} = PROGRAMS[{program!r}][1]" for program, function in typed.items())
        path.write_text("\n".join([source, *lines, ""]), encoding="utf-8")
        return {
            program: [_said([name, f"{path}:{function}", "--at", TYPED[PROGRAMS[program][0]], "--json"])]
            for program, function in typed.items()
        }


def _said(command):
    """The value in what a command prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        main(command)
    value = json.loads(said.getvalue())["value"]
    return value["value"] if isinstance(value, dict) else value


COMMANDS = ("grad", "jacobian", "hessian", "tape", "explain", "check", "precision")
ENTRIES = {
    name.removeprefix("by_"): entry
    for name, entry in globals().items()
    if name.startswith("by_") and name != "by_command"
}


def answers(name):
    """By program the value and the numbers of the gradient, or the error; of a command the value alone."""
    if name.startswith("gradcli "):
        return by_command(name.removeprefix("gradcli "))
    found = {}
    for program, (kind, f) in PROGRAMS.items():
        try:
            value, gradient = ENTRIES[name](f, POINTS[kind])
            numbers = np.concatenate([np.ravel(np.asarray(leaf, dtype=float)) for leaf in leaves(gradient)])
            found[program] = [float(value), sorted(set(numbers[numbers != 0.0].tolist()))]
        except Exception as error:
            found[program] = [type(error).__name__, str(error)]
    return found


if __name__ == "__main__":
    print(json.dumps(answers(sys.argv[1])))
