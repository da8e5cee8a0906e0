"""Guarded calls: the stream that counts what the user's code prints, and the limit of recursion."""

import io
import sys

import gradcli
from gradcli.answers.checks.problem.seeded_timed_calls import Lines


def test_lines_are_counted_and_passed_on():
    stream = io.StringIO()
    lines = Lines(stream)
    print("a\nb", file=lines)
    print("c", end="", file=lines)

    assert (lines.count, stream.getvalue()) == (2, "a\nb\nc")


def test_a_closed_stream_below():
    """The user's code has closed it; Python closes the stream above when it is no longer used, and no error is lost."""
    stream = io.StringIO()
    lines = Lines(stream)
    stream.close()

    assert lines.close() is None


def test_a_lowered_limit_of_recursion_is_set_back():
    """The code of the check runs under its own limit after each call, and what comes later as well."""
    before = sys.getrecursionlimit()

    def lowered(x):
        sys.setrecursionlimit(before - 100)
        return x * x

    try:
        assert gradcli.check(lowered, at=(3.0,), against=lambda x: 2 * x).verdict == "pass"
        assert sys.getrecursionlimit() == before
    finally:
        sys.setrecursionlimit(before)
