"""What a program prints is shown once, as it is run once."""

import math
import sys

import pytest

import gradcli


def program():
    """A function that prints before and after a function of `math`, made of code of its own for each test."""
    names = {"sys": sys, "math": math}
    exec(
        "def f(x):\n"
        "    print('before')\n"
        "    sys.stderr.write('aside\\n')\n"
        "    y = math.sin(x)\n"
        "    print('after')\n"
        "    return y\n",
        names,
    )
    return names["f"]


@pytest.mark.parametrize(
    "transform",
    [
        lambda f: gradcli.grad(f)(1.0),
        lambda f: gradcli.jacobian(f)(1.0),
        lambda f: gradcli.hessian(f)(1.0),
        lambda f: gradcli.vjp(f, 1.0),
        lambda f: gradcli.jvp(f, (1.0,), (1.0,)),
        lambda f: gradcli.trace(f, 1.0),
    ],
    ids=["grad", "jacobian", "hessian", "vjp", "jvp", "trace"],
)
def test_each_line_is_shown_once(transform, capsys):
    """On both streams, at the first call and at later ones."""
    f = program()
    transform(f)

    assert tuple(capsys.readouterr()) == ("before\nafter\n", "aside\n")
    transform(f)
    assert tuple(capsys.readouterr()) == ("before\nafter\n", "aside\n")


def test_the_streams_come_back(capsys):
    streams = sys.stdout, sys.stderr

    def f(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        gradcli.grad(f)(1.0)
    assert streams == (sys.stdout, sys.stderr)
