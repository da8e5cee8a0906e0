"""What a program prints is shown once, although its run may be done again."""

import math
import sys
import threading

import pytest

import gradcli
from gradcli.running.muted_reruns import Once, begin_again, said_once


def program():
    """A function that prints before and after a leak, made of code of its own for each test."""
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
def test_the_second_run_after_a_leak_repeats_nothing(transform, capsys):
    f = program()
    transform(f)

    assert ("before\nafter\n", "aside\n") == tuple(capsys.readouterr())
    transform(f)
    assert ("before\nafter\n", "aside\n") == tuple(capsys.readouterr())


def test_the_streams_come_back(capsys):
    streams = sys.stdout, sys.stderr

    def f(x):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        gradcli.grad(f)(1.0)
    assert streams == (sys.stdout, sys.stderr)


def test_in_another_thread_nothing_is_held_back(capsys):
    f, streams = program(), []
    thread = threading.Thread(target=lambda: streams.append((gradcli.grad(f)(1.0), sys.stdout)))
    thread.start()
    thread.join()

    assert [(math.cos(1.0), sys.stdout)] == streams


def test_a_counted_stream_is_the_stream_in_all_else(capsys):
    """A program may ask it for its encoding, or write lines."""
    with said_once():
        assert isinstance(sys.stdout, Once)
        assert sys.__stdout__.isatty is not None
        assert sys.stdout.encoding == sys.stdout.stream.encoding
        sys.stdout.writelines(["one\n", "two\n"])
        begin_again()
        print("one\ntwo\nthree", flush=True)

    assert "one\ntwo\nthree\n" == capsys.readouterr().out
